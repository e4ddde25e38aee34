//! Büchi automaton of the paths that satisfy a formula, constructed on demand.
//!
//! A location is what the rest of the path owes: formulas in negation normal form that have to hold at this position,
//! and the past as far as the formula mentions it. A step reads a letter, the truth of all propositions at a position,
//! and splits the obligations into those that hold now and those of the next position (R. Gerth, D. Peled, M. Vardi, P.
//! Wolper, Simple on-the-fly automatic verification of linear temporal logic, 1995), with promises on the steps (J.-M.
//! Couvreur, On-the-fly verification of linear temporal logic, 1999): a step postpones `a U b` if it is owed and the
//! position was not made one where `b` holds. An infinite path is accepted if from some position on it postpones none
//! of them for ever; a path that ends, if nothing is owed by a next position, so that `X` is false there.
//!
//! The past is known: what `Y` and `S` say is computed from the position before. Where they speak of the future in
//! turn, `Y F p`, the truth of that part is guessed at each position, and then owed.

use std::collections::HashMap;
use std::sync::Arc;

use bsym_language::temporal::Formula;

use crate::tuning::tuning;

/// A position of a path: a bit for each proposition that is true, and whether the path ends here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Letter {
    pub(super) truth: u128,
    pub(super) ends: bool,
}

/// Number of a location.
pub(super) type Location = u32;

/// A step to a next location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub(super) to: Location,
    /// A bit for each `U` that is postponed.
    pub(super) postponed: u64,
}

type NodeId = u32;

/// A formula in negation normal form.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Node {
    Constant(bool),
    /// A proposition is true or false.
    Literal(usize, bool),
    /// An operator of the past is true or false.
    Past(usize, bool),
    And(NodeId, NodeId),
    Or(NodeId, NodeId),
    Next(NodeId),
    /// The formula holds at the next position, if there is one.
    WeakNext(NodeId),
    Until(NodeId, NodeId),
    Release(NodeId, NodeId),
}

/// Formula about the present position, without operators of the future.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Present {
    Constant(bool),
    Atom(usize),
    Past(usize),
    Guess(usize),
    Not(Box<Present>),
    And(Box<Present>, Box<Present>),
    Or(Box<Present>, Box<Present>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Past {
    Yesterday(Present),
    Since(Present, Present),
}

/// Obligations that make up a location.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Owed {
    /// Formulas that hold at the position, ascending.
    formulas: Box<[NodeId]>,
    /// A bit for each operator of the past: at the position before, the operand of `Y`, or `S` itself, was true.
    before: u64,
}

/// An automaton, constructed on demand.
pub(super) struct Automaton {
    nodes: Vec<Node>,
    numbers: HashMap<Node, NodeId>,
    untils: Vec<NodeId>,
    /// Operators of the past, each after those in it.
    past: Vec<Past>,
    past_formulas: Vec<Formula>,
    /// Guesses of formulas: the node of the formula, and that of its negation.
    guesses: Vec<(NodeId, NodeId)>,
    guessed_formulas: Vec<Formula>,
    locations: Vec<Owed>,
    location_numbers: HashMap<Owed, Location>,
    steps: HashMap<(Location, Letter), Arc<[Step]>>,
    initial: Location,
}

/// Error that a formula has too many parts of a kind: the kind, and the largest number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLarge(pub &'static str, pub usize);

/// A branch of an expansion.
#[derive(Clone, Default)]
struct Branch {
    todo: Vec<NodeId>,
    done: Vec<NodeId>,
    next: Vec<NodeId>,
    postponed: u64,
}

impl Automaton {
    /// The automaton of the paths on which a formula is false.
    pub(super) fn of_counterexamples(formula: &Formula, atoms: usize) -> Result<Automaton, TooLarge> {
        let mut automaton = Automaton {
            nodes: Vec::new(),
            numbers: HashMap::new(),
            untils: Vec::new(),
            past: Vec::new(),
            past_formulas: Vec::new(),
            guesses: Vec::new(),
            guessed_formulas: Vec::new(),
            locations: Vec::new(),
            location_numbers: HashMap::new(),
            steps: HashMap::new(),
            initial: 0,
        };
        let owed = automaton.normal_form(formula, false);
        let sizes = [atoms, automaton.past.len(), automaton.untils.len(), automaton.guesses.len()];
        let names = [
            "propositions",
            "operators of the past",
            "operators U",
            "operators of the future under the past",
        ];
        for ((size, most), name) in sizes.into_iter().zip(tuning().temporal.formula).zip(names) {
            if size > most {
                return Err(TooLarge(name, most));
            }
        }
        automaton.initial = automaton.location(vec![owed], 0);
        Ok(automaton)
    }

    /// The location where a path begins.
    pub(super) fn initial(&self) -> Location {
        self.initial
    }

    /// A bit for each `U`.
    pub(super) fn promises(&self) -> u64 {
        if self.untils.len() == 64 { u64::MAX } else { (1 << self.untils.len()) - 1 }
    }

    /// Returns whether no obligation is left, so that every path from here on is accepted.
    pub(super) fn accepts_all(&self, location: Location) -> bool {
        self.locations[location as usize].formulas.is_empty() && self.guesses.is_empty()
    }

    /// Returns the steps from a location over a letter. At the end of a path, one step says that it is accepted.
    pub(super) fn steps(&mut self, location: Location, letter: Letter) -> Arc<[Step]> {
        if let Some(known) = self.steps.get(&(location, letter)) {
            return known.clone();
        }
        let found: Arc<[Step]> = self.make_steps(location, letter).into();
        self.steps.insert((location, letter), found.clone());
        found
    }

    fn make_steps(&mut self, location: Location, letter: Letter) -> Vec<Step> {
        let Owed { formulas, before } = self.locations[location as usize].clone();
        let mut all = Vec::new();
        for guess in 0..1u64 << self.guesses.len() {
            let (now, next_before) = self.past_values(letter, before, guess);
            let guessed = self.guesses.iter().enumerate();
            let guessed = guessed.map(|(i, (yes, no))| if guess >> i & 1 == 1 { *yes } else { *no });
            let todo = formulas.iter().copied().chain(guessed).collect();
            let mut branches = Vec::new();
            self.expand(Branch { todo, ..Branch::default() }, letter, now, &mut branches);
            for (next, postponed) in without_weaker(branches) {
                let step = Step { to: self.location(next, next_before), postponed };
                if !all.contains(&step) {
                    all.push(step);
                }
            }
        }
        all
    }

    /// The truth of the operators of the past at a position, and the bits that the next position needs.
    fn past_values(&self, letter: Letter, before: u64, guess: u64) -> (u64, u64) {
        let (mut now, mut next) = (0u64, 0u64);
        for (i, past) in self.past.iter().enumerate() {
            let was = before >> i & 1 == 1;
            let (truth, kept) = match past {
                Past::Yesterday(operand) => (was, operand.truth(letter, now, guess)),
                Past::Since(a, b) => {
                    let truth = b.truth(letter, now, guess) || a.truth(letter, now, guess) && was;
                    (truth, truth)
                }
            };
            now |= u64::from(truth) << i;
            next |= u64::from(kept) << i;
        }
        (now, next)
    }

    /// Expands the obligations at the present position, in all ways.
    fn expand(&self, mut branch: Branch, letter: Letter, past: u64, found: &mut Vec<(Vec<NodeId>, u64)>) {
        while let Some(id) = branch.todo.pop() {
            if branch.done.contains(&id) {
                continue;
            }
            branch.done.push(id);
            match self.nodes[id as usize] {
                Node::Constant(true) => {}
                Node::Constant(false) => return,
                Node::Literal(atom, truth) => {
                    if (letter.truth >> atom & 1 == 1) != truth {
                        return;
                    }
                }
                Node::Past(number, truth) => {
                    if (past >> number & 1 == 1) != truth {
                        return;
                    }
                }
                Node::And(a, b) => branch.todo.extend([a, b]),
                Node::Or(a, b) => {
                    let mut other = branch.clone();
                    other.todo.push(b);
                    self.expand(other, letter, past, found);
                    branch.todo.push(a);
                }
                Node::Next(a) => {
                    if letter.ends {
                        return;
                    }
                    branch.next.push(a);
                }
                Node::WeakNext(a) => {
                    if !letter.ends {
                        branch.next.push(a);
                    }
                }
                Node::Until(a, b) => {
                    if !letter.ends {
                        let mut later = branch.clone();
                        later.todo.push(a);
                        later.next.push(id);
                        let number = self.untils.iter().position(|u| *u == id).unwrap_or(0);
                        later.postponed |= 1 << number;
                        self.expand(later, letter, past, found);
                    }
                    branch.todo.push(b);
                }
                Node::Release(a, b) => {
                    let mut released = branch.clone();
                    released.todo.extend([a, b]);
                    self.expand(released, letter, past, found);
                    branch.todo.push(b);
                    if !letter.ends {
                        branch.next.push(id);
                    }
                }
            }
        }
        branch.next.sort_unstable();
        branch.next.dedup();
        found.push((branch.next, branch.postponed));
    }

    fn location(&mut self, mut formulas: Vec<NodeId>, before: u64) -> Location {
        formulas.retain(|id| self.nodes[*id as usize] != Node::Constant(true));
        formulas.sort_unstable();
        formulas.dedup();
        let owed = Owed { formulas: formulas.into(), before };
        if let Some(known) = self.location_numbers.get(&owed) {
            return *known;
        }
        let number = self.locations.len() as Location;
        self.locations.push(owed.clone());
        self.location_numbers.insert(owed, number);
        number
    }

    fn node(&mut self, node: Node) -> NodeId {
        if let Some(known) = self.numbers.get(&node) {
            return *known;
        }
        let id = self.nodes.len() as NodeId;
        self.nodes.push(node);
        self.numbers.insert(node, id);
        if matches!(node, Node::Until(..)) {
            self.untils.push(id);
        }
        id
    }

    /// A formula, or its negation, in negation normal form.
    fn normal_form(&mut self, formula: &Formula, positive: bool) -> NodeId {
        let node = match formula {
            Formula::Constant(truth) => Node::Constant(*truth == positive),
            Formula::Atom(number) => Node::Literal(*number, positive),
            Formula::Not(a) => return self.normal_form(a, !positive),
            Formula::And(a, b) | Formula::Or(a, b) => {
                let (x, y) = (self.normal_form(a, positive), self.normal_form(b, positive));
                let is_and = matches!(formula, Formula::And(..)) == positive;
                if is_and { Node::And(x, y) } else { Node::Or(x, y) }
            }
            Formula::Next(a) => {
                let inner = self.normal_form(a, positive);
                if positive { Node::Next(inner) } else { Node::WeakNext(inner) }
            }
            Formula::Until(a, b) => {
                let (x, y) = (self.normal_form(a, positive), self.normal_form(b, positive));
                if positive { Node::Until(x, y) } else { Node::Release(x, y) }
            }
            Formula::Yesterday(_) | Formula::Since(..) => Node::Past(self.past(formula), positive),
        };
        self.node(node)
    }

    /// The number of an operator of the past.
    fn past(&mut self, formula: &Formula) -> usize {
        if let Some(known) = self.past_formulas.iter().position(|f| f == formula) {
            return known;
        }
        let past = match formula {
            Formula::Since(a, b) => Past::Since(self.present(a), self.present(b)),
            Formula::Yesterday(a) => Past::Yesterday(self.present(a)),
            other => Past::Yesterday(self.present(other)),
        };
        self.past.push(past);
        self.past_formulas.push(formula.clone());
        self.past.len() - 1
    }

    fn present(&mut self, formula: &Formula) -> Present {
        match formula {
            Formula::Constant(truth) => Present::Constant(*truth),
            Formula::Atom(number) => Present::Atom(*number),
            Formula::Not(a) => Present::Not(self.present(a).into()),
            Formula::And(a, b) => Present::And(self.present(a).into(), self.present(b).into()),
            Formula::Or(a, b) => Present::Or(self.present(a).into(), self.present(b).into()),
            Formula::Yesterday(_) | Formula::Since(..) => Present::Past(self.past(formula)),
            Formula::Next(_) | Formula::Until(..) => Present::Guess(self.guess(formula)),
        }
    }

    fn guess(&mut self, formula: &Formula) -> usize {
        if let Some(known) = self.guessed_formulas.iter().position(|f| f == formula) {
            return known;
        }
        let both = (self.normal_form(formula, true), self.normal_form(formula, false));
        self.guesses.push(both);
        self.guessed_formulas.push(formula.clone());
        self.guesses.len() - 1
    }
}

impl Present {
    fn truth(&self, letter: Letter, past: u64, guess: u64) -> bool {
        match self {
            Present::Constant(truth) => *truth,
            Present::Atom(number) => letter.truth >> number & 1 == 1,
            Present::Past(number) => past >> number & 1 == 1,
            Present::Guess(number) => guess >> number & 1 == 1,
            Present::Not(a) => !a.truth(letter, past, guess),
            Present::And(a, b) => a.truth(letter, past, guess) && b.truth(letter, past, guess),
            Present::Or(a, b) => a.truth(letter, past, guess) || b.truth(letter, past, guess),
        }
    }
}

/// Removes branches that owe and postpone all that another one does.
fn without_weaker(branches: Vec<(Vec<NodeId>, u64)>) -> Vec<(Vec<NodeId>, u64)> {
    let covers = |(a, p): &(Vec<NodeId>, u64), (b, q): &(Vec<NodeId>, u64)| {
        p & !q == 0 && a.iter().all(|id| b.binary_search(id).is_ok())
    };
    let mut kept: Vec<(Vec<NodeId>, u64)> = Vec::new();
    for branch in branches {
        if !kept.iter().any(|other| covers(other, &branch)) {
            kept.retain(|other| !covers(&branch, other));
            kept.push(branch);
        }
    }
    kept
}
