//! A transition relation as a circuit: and-gates, inputs and latches, the form that hardware model checkers read.
//!
//! A step is lowered as a step of a path is (see [`definition`](super::definition)): the state after it is a choice
//! between the values that its alternatives give, and the literals of the state before it become latches. The first
//! step, from no state, is one of the alternatives; a latch says that it comes next.
//!
//! # Nothing is cut silently
//!
//! A number of the state that nothing bounds has a latch for each of finitely many bits. A step whose values do not fit
//! into the latches, or one with an unknown that does not fit into its bits, *strays*: it is a bad state of a kind of its
//! own, unless a SAT solver says that no step does that. After such a step nothing is bad any more. So a proof for both
//! kinds of bad states is one for integers without bounds, and a path to a bad state of the first kind never strayed.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cut::{Cut, Levels, name};
use super::gates::{Gate, Gates, Lit};
use super::integer::{self, Number};
use super::lowering::Lowering;
use super::solver::{BatSat, Sat};
use super::value::{Array, Value, extent, hull};
use crate::budget::{Budget, Stopped};
use crate::term::{SymbolId, Term, Terms};

/// A transition relation in terms: what a step may do, and what is bad about it.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Symbols of the constants.
    pub constants: Vec<Term>,
    /// Always true, over the constants.
    pub axioms: Vec<Term>,
    /// Symbols of the state before a step and after it.
    pub state: Vec<(Term, Term)>,
    /// True of the state before a step, unless it is the first step. What is bad about states that do not satisfy this
    /// was said when they were reached.
    pub known: Vec<Term>,
    /// A symbol that is true in the first step and false in all others.
    pub first: Term,
    /// The alternatives of a step: the selector of each, and the formula that it implies.
    pub alternatives: Vec<(Term, Term)>,
    /// Facts about the state after a step, which exclude none.
    pub facts: Vec<Term>,
    /// The step is bad, over all of these symbols.
    pub bad: Term,
    /// A claim about the state before a step. Where it is false and the step is not the first, the step is bad as well, so
    /// that the circuit serves to check that the claim is inductive.
    pub claim: Option<Term>,
}

/// Reason why there is no circuit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refused {
    /// A part has no form as propositional logic; which.
    NoForm(String),
    /// No values of the constants and no initial state satisfy the axioms and the initialisation.
    NoInitialState,
    /// The values of a constant have no bounds; which constant.
    Unbounded(String),
    /// Time is up.
    Stopped(Stopped),
}

/// An edge of a circuit: twice a number of a node, and one more where it is negated. Node 0 is false.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge(pub u32);

impl Edge {
    /// The edge that is false.
    pub const FALSE: Edge = Edge(0);
    /// The edge that is true.
    pub const TRUE: Edge = Edge(1);
}

impl std::ops::Not for Edge {
    type Output = Edge;

    fn not(self) -> Edge {
        Edge(self.0 ^ 1)
    }
}

/// A latch: one bit of a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Latch {
    /// Part of which name it is.
    pub name: String,
    /// Its value in the beginning.
    pub reset: bool,
    /// Its value after the step.
    pub next: Edge,
}

/// A circuit with latches. The nodes are numbered in the order: false, inputs, latches, and-gates; the operands of a gate
/// come before it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Circuit {
    /// Number of inputs.
    pub inputs: u32,
    /// The latches.
    pub latches: Vec<Latch>,
    /// Operands of the gates.
    pub gates: Vec<(Edge, Edge)>,
    /// True in every step.
    pub constraint: Edge,
    /// A step that is bad.
    pub bad: Edge,
    /// A step that leaves the bounds of what the circuit can represent; `None` if no step does.
    pub strays: Option<Edge>,
    /// Parts of the state and choices that may leave the bounds, in words.
    pub unbounded: Vec<String>,
}

impl Default for Edge {
    fn default() -> Edge {
        Edge::FALSE
    }
}

/// Makes the circuit of a relation. Numbers without bounds get at least `bits` bits.
///
/// # Errors
/// The reason why there is none.
pub fn circuit(
    terms: &Rc<Terms>,
    relation: &Relation,
    bits: u32,
    budget: &Budget,
) -> Result<Circuit, Refused> {
    Builder::new(terms, relation, bits, budget).build()
}

/// A literal of the state before a step, and the literal after it that it becomes.
struct Bit {
    name: String,
    next: Lit,
}

struct Builder<'r> {
    terms: Rc<Terms>,
    relation: &'r Relation,
    lowering: Lowering,
    budget: Budget,
    /// The latches, by the variable of their literal.
    bits: BTreeMap<usize, Bit>,
    /// Literals of which one is true in a step about which the literals say nothing, because of an unknown in it.
    unknown: Vec<Lit>,
    /// Literals of which one is true in a step whose values do not fit into the latches.
    misfit: Vec<Lit>,
    /// Literals of steps that stray, and what leaves its bounds there.
    leaving: Vec<(Lit, String)>,
    /// Number of variables after the state before a step was lowered.
    in_state: usize,
}

impl<'r> Builder<'r> {
    fn new(terms: &Rc<Terms>, relation: &'r Relation, bits: u32, budget: &Budget) -> Builder<'r> {
        let mut levels = Levels::default();
        // Larger numbers than those that count elsewhere: there is no second attempt with more bits.
        levels.mention_up_to(terms, &relation.all(), 1 << 40);
        levels.mentioned = levels.mentioned.max((1 << (bits.clamp(2, 62) - 1)) - 2);
        let mut lowering = Lowering::new(terms.clone(), levels);
        lowering.effort.within(budget);
        lowering.gates.keep_stated();
        Builder {
            terms: terms.clone(),
            relation,
            lowering,
            budget: budget.clone(),
            bits: BTreeMap::new(),
            unknown: vec![],
            misfit: vec![],
            leaving: vec![],
            in_state: 0,
        }
    }

    fn build(mut self) -> Result<Circuit, Refused> {
        let relation = self.relation;
        for &axiom in &relation.axioms {
            self.lowering.learn(axiom);
        }
        self.state_all(&relation.axioms, &[])?;
        for &c in &relation.constants {
            self.value(c)?;
        }
        let constants = self.lowering.gates.len();
        let in_state: FxHashSet<SymbolId> =
            relation.state.iter().filter_map(|s| self.terms.as_symbol(s.0)).collect();
        for &known in &relation.known {
            self.lowering.expect(known, &in_state);
        }
        let first = self.literal(relation.first)?;
        let before: Vec<Value> =
            relation.state.iter().map(|&(before, _)| self.value(before)).collect::<Result<_, _>>()?;
        self.in_state = self.lowering.gates.len();
        let terms = self.terms.clone();
        let mut step: Vec<Term> = relation.known.iter().map(|&t| terms.or([relation.first, t])).collect();
        step.extend(relation.alternatives.iter().map(|&(selector, t)| terms.implies(selector, t)));
        let selectors: Vec<Term> = relation.alternatives.iter().map(|a| a.0).collect();
        step.push(terms.or(selectors.clone()));
        step.extend(&relation.facts);
        self.state_all(&step, &[selectors.into()])?;
        for (&(symbol, after), old) in relation.state.iter().zip(&before) {
            let new = self.value(after)?;
            let name = terms.text(symbol);
            self.become_next(old, &new, &name.replace("@0", ""))?;
        }
        let mut bad = self.literal(relation.bad)?;
        if let Some(claim) = relation.claim {
            let claim = self.literal(claim)?;
            let fits = self.lowering.gates.or([first, claim]);
            bad = self.lowering.gates.or([bad, !fits]);
        }
        if let Some((_, reason)) = self.lowering.unclaimed.first() {
            return Err(Refused::NoForm(reason.to_string()));
        }
        self.stray_cuts()?;
        let g = &mut self.lowering.gates;
        let (unknown, misfit) = (g.or(self.unknown.clone()), g.or(self.misfit.clone()));
        let bad = g.and([bad, !unknown]);
        // What comes after a step that is bad does not matter.
        let misfit = g.and([misfit, !bad]);
        let stray = g.or([unknown, misfit]);
        self.finish(first, bad, stray, constants)
    }

    fn literal(&mut self, t: Term) -> Result<Lit, Refused> {
        self.lowering.literal(t).ok_or_else(|| self.stopped())
    }

    fn value(&mut self, t: Term) -> Result<Value, Refused> {
        use super::value::Why;
        match self.lowering.value(t) {
            Ok(value) => Ok(value),
            Err(Why::Unsupported(reason)) => Err(Refused::NoForm(reason.to_string())),
            Err(_) => Err(self.stopped()),
        }
    }

    fn stopped(&self) -> Refused {
        Refused::Stopped(self.lowering.effort.stopped.clone().unwrap_or(Stopped::Timeout))
    }

    /// States terms, with what they define.
    fn state_all(&mut self, all: &[Term], alternatives: &[Rc<[Term]>]) -> Result<(), Refused> {
        let left = self.lowering.define(all, alternatives).ok_or_else(|| self.stopped())?;
        for t in left {
            let l = self.literal(t)?;
            self.lowering.gates.clause(&[l]);
        }
        Ok(())
    }

    /// Makes latches of the literals of a value, which take the literals of another one in a step.
    fn become_next(&mut self, old: &Value, new: &Value, name: &str) -> Result<(), Refused> {
        match (old, new) {
            (Value::Bool(a), Value::Bool(b)) => {
                self.bit(a.lit, b.lit, name);
                self.unknown.push(!b.guard);
            }
            (Value::Int(a), Value::Int(b)) => {
                let width = b.bits.len();
                for (i, &bit) in a.bits.iter().enumerate() {
                    if bit.as_constant().is_none() {
                        self.bit(bit, b.bits[i.min(width - 1)], &format!("{name}[{i}]"));
                    }
                }
                let (low, high) = (Number::constant(a.low), Number::constant(a.high));
                let (Some(low), Some(high)) = (low, high) else { return Err(no_shape()) };
                let g = &mut self.lowering.gates;
                let outside = [integer::less(g, b, &low), integer::less(g, &high, b)];
                let outside = g.or(outside);
                self.leaving.push((outside, format!("the numbers of `{}`", base(name))));
                self.misfit.push(outside);
                self.unknown.push(!b.guard);
            }
            (Value::Element(a, _), Value::Element(b, guard)) => {
                for (i, (&a, &b)) in a.iter().zip(b.iter()).enumerate() {
                    self.bit(a, b, &format!("{name}={i}"));
                }
                self.unknown.push(!*guard);
            }
            (Value::Tuple(a), Value::Tuple(b)) => {
                for (i, (a, b)) in a.iter().zip(b.iter()).enumerate() {
                    self.become_next(a, b, &format!("{name}.{i}"))?;
                }
            }
            (Value::Array(a), Value::Array(b)) => self.array_becomes(a, b, name)?,
            _ => return Err(no_shape()),
        }
        Ok(())
    }

    fn array_becomes(&mut self, old: &Array, new: &Array, name: &str) -> Result<(), Refused> {
        match (old, new) {
            (Array::Listed(a), Array::Listed(b)) => {
                for (i, (a, b)) in a.iter().zip(b).enumerate() {
                    self.become_next(a, b, &format!("{name}({i})"))?;
                }
            }
            (Array::Window { cells, below, above, .. }, Array::Window { below: b, above: a, .. }) => {
                let own = extent(old).unwrap_or((0, -1));
                let all = hull(own, extent(new).unwrap_or((0, -1)));
                for (from, to) in [(below, b), (above, a)] {
                    self.become_next(from, to, &format!("{name}(else)"))?;
                }
                for i in all.0..=all.1 {
                    // An index outside of the window keeps the value that there is outside.
                    let before =
                        if (own.0..=own.1).contains(&i) { &cells[(i - own.0) as usize] } else { below };
                    self.become_next(before, new.at(i), &format!("{name}({i})"))?;
                }
            }
            _ => return Err(no_shape()),
        }
        Ok(())
    }

    fn bit(&mut self, old: Lit, new: Lit, name: &str) {
        let new = if old.is_negative() { !new } else { new };
        if let Some(value) = old.as_constant() {
            let value = if old.is_negative() { Lit::constant(!value) } else { Lit::constant(value) };
            let differs = self.lowering.gates.xor(value, new);
            self.differs(differs, name);
            return;
        }
        match self.bits.get(&old.variable()).map(|bit| bit.next) {
            Some(known) => {
                let differs = self.lowering.gates.xor(known, new);
                self.differs(differs, name);
            }
            None => {
                self.bits.insert(old.variable(), Bit { name: name.into(), next: new });
            }
        }
    }

    fn differs(&mut self, differs: Lit, name: &str) {
        if differs != Lit::FALSE {
            self.leaving.push((differs, format!("the elements of `{}`", base(name))));
            self.misfit.push(differs);
        }
    }

    /// A step strays where an unknown of the alternative that is taken does not fit into its bits. What does not fit
    /// into the latches never gets there, and constants fit or are refused.
    fn stray_cuts(&mut self) -> Result<(), Refused> {
        let terms = self.terms.clone();
        let relation = self.relation;
        let mut selected: Vec<(Lit, BTreeSet<Term>)> = vec![];
        for &(selector, t) in &relation.alternatives {
            let mut parts = BTreeSet::new();
            terms.visit(&[t], |part, _| {
                parts.insert(part);
            });
            selected.push((self.literal(selector)?, parts));
        }
        let mut others = BTreeSet::new();
        let rest: Vec<Term> = relation.facts.iter().copied().chain([relation.bad]).collect();
        terms.visit(&rest, |part, _| {
            others.insert(part);
        });
        others.extend(relation.state.iter().map(|s| s.1));
        let cuts: Vec<(Lit, Cut)> = self.lowering.cuts.clone();
        for (l, cut) in cuts {
            if !self.strays_with(l) || !self.lowering.gates.is_emitted(l) {
                continue;
            }
            let subject = match cut {
                Cut::Width(id) | Cut::Window(id) => terms.symbol_term(id),
                Cut::Index(t) => t,
            };
            let g = &mut self.lowering.gates;
            let when = match others.contains(&subject) {
                true => Lit::TRUE,
                false => {
                    let taken: Vec<Lit> =
                        selected.iter().filter(|s| s.1.contains(&subject)).map(|s| s.0).collect();
                    if taken.is_empty() { Lit::TRUE } else { g.or(taken) }
                }
            };
            let strays = g.and([when, !l]);
            self.unknown.push(strays);
            self.leaving
                .push((strays, format!("the {}", name(&terms, cut).replace("@0", "").replace("@1", ""))));
        }
        Ok(())
    }

    /// Asks a solver what the circuit needs to know of itself, and writes it.
    fn finish(mut self, first: Lit, bad: Lit, stray: Lit, constants: usize) -> Result<Circuit, Refused> {
        let nexts: Vec<Lit> = self.bits.values().map(|bit| bit.next).collect();
        let leaving = self.leaving.iter().map(|l| l.0);
        for l in [bad, stray, first].into_iter().chain(nexts).chain(leaving.collect::<Vec<_>>()) {
            self.lowering.gates.require(l);
        }
        let mut solver = BatSat::new();
        for clause in self.lowering.gates.take_clauses() {
            solver.clause(&clause);
        }
        let cuts: Vec<(Lit, Cut)> = self.lowering.cuts.clone();
        let mut fitting: Vec<Lit> = cuts.iter().map(|c| c.0).filter(|&l| !self.strays_with(l)).collect();
        for &(l, cut) in cuts.iter().filter(|(l, _)| l.variable() < constants) {
            if self.lowering.gates.is_emitted(l) && self.ask(&mut solver, &[!l])? {
                return Err(Refused::Unbounded(name(&self.terms, cut)));
            }
        }
        fitting.push(first);
        if !self.ask(&mut solver, &fitting)? {
            return Err(Refused::NoInitialState);
        }
        let model: Vec<Option<bool>> = (0..self.lowering.gates.len()).map(|v| solver.value(v)).collect();
        let beginning = self.lowering.gates.simulate(&model);
        fitting.pop();
        fitting.push(stray);
        let strays = stray != Lit::FALSE && self.ask(&mut solver, &fitting)?;
        let mut unbounded = BTreeSet::new();
        for (l, what) in self.leaving.iter().filter(|_| strays) {
            let asked: Vec<Lit> = fitting.iter().copied().chain([*l]).collect();
            if !unbounded.contains(what) && *l != Lit::FALSE && self.ask(&mut solver, &asked)? {
                unbounded.insert(what.clone());
            }
        }
        fitting.pop();
        let strays = strays.then_some(stray);
        let mut circuit = self.write((first, bad, strays), constants, &fitting, &beginning);
        circuit.unbounded = unbounded.into_iter().collect();
        Ok(circuit)
    }

    /// Returns whether a literal is that of a cut which a step may violate.
    fn strays_with(&self, l: Lit) -> bool {
        l.variable() >= self.in_state
    }

    fn ask(&self, solver: &mut BatSat, assumptions: &[Lit]) -> Result<bool, Refused> {
        solver.solve(assumptions, &self.budget).map_err(Refused::Stopped)
    }

    /// Writes the circuit. The literals of `fitting` are true in every state that is reached.
    fn write(
        mut self,
        (first, bad, stray): (Lit, Lit, Option<Lit>),
        constants: usize,
        fitting: &[Lit],
        beginning: &[bool],
    ) -> Circuit {
        let stated = self.lowering.gates.take_stated();
        let mut net = Net::new(&self.lowering.gates);
        for &l in fitting {
            net.known.insert(l.variable(), Edge::TRUE ^ l.is_negative());
        }
        net.latch(first.variable(), "the next step is the first".into(), true);
        net.first = net.edge(first);
        for (&variable, bit) in &self.bits {
            net.latch(variable, bit.name.clone(), beginning[variable]);
        }
        // Whatever is free in what is said of the constants alone stays what it is.
        net.frozen = constants;
        let clauses: Vec<Edge> = stated
            .iter()
            .map(|clause| {
                let all: Vec<Edge> = clause.iter().map(|&l| !net.edge(l)).collect();
                !net.all(&all)
            })
            .collect();
        let constraint = net.all(&clauses);
        let mut bad = net.edge(bad);
        let nexts: Vec<(usize, Edge)> =
            self.bits.iter().map(|(&variable, bit)| (variable, net.edge(bit.next))).collect();
        for (variable, next) in nexts {
            net.set_next(variable, next);
        }
        net.set_next(first.variable(), Edge::FALSE);
        let strays = stray.map(|stray| {
            let strays = net.edge(stray);
            let before = net.latch_edge("a step before has left the bounds".into(), false);
            let next = !net.both(!before, !strays);
            net.set_last(next);
            bad = net.both(bad, !before);
            net.both(strays, !before)
        });
        net.circuit(constraint, bad, strays)
    }
}

impl Relation {
    fn all(&self) -> Vec<Term> {
        let steps = self.alternatives.iter().map(|a| a.1);
        let rest = [self.bad].into_iter().chain(self.claim);
        let facts = self.axioms.iter().chain(&self.known).chain(&self.facts).copied();
        facts.chain(steps).chain(rest).collect()
    }
}

fn no_shape() -> Refused {
    Refused::NoForm("a value that changes its form".into())
}

/// The name that a part belongs to.
fn base(name: &str) -> &str {
    name.split(['(', '[', '.', '=']).next().unwrap_or(name)
}

impl std::ops::BitXor<bool> for Edge {
    type Output = Edge;

    fn bitxor(self, negated: bool) -> Edge {
        if negated { !self } else { self }
    }
}

/// Kind of a node while the numbers of inputs and latches are not known.
#[derive(Clone, Copy)]
enum Node {
    False,
    Input,
    Latch(usize),
    And(Edge, Edge),
}

/// Gates of the lowering as and-gates, each when it is needed.
struct Net<'g> {
    gates: &'g Gates,
    nodes: Vec<Node>,
    ands: FxHashMap<(Edge, Edge), Edge>,
    /// Edges of variables.
    known: FxHashMap<usize, Edge>,
    latches: Vec<Latch>,
    /// Edges of the latches.
    outputs: Vec<Edge>,
    /// Position of a latch by its variable.
    of_variable: FxHashMap<usize, usize>,
    /// Free variables below this one keep their value.
    frozen: usize,
    /// The latch that is true in the first step.
    first: Edge,
}

impl<'g> Net<'g> {
    fn new(gates: &'g Gates) -> Net<'g> {
        Net {
            gates,
            nodes: vec![Node::False],
            ands: FxHashMap::default(),
            known: FxHashMap::from_iter([(0, Edge::TRUE)]),
            latches: vec![],
            outputs: vec![],
            of_variable: FxHashMap::default(),
            frozen: 0,
            first: Edge::FALSE,
        }
    }

    fn node(&mut self, node: Node) -> Edge {
        self.nodes.push(node);
        Edge(((self.nodes.len() - 1) as u32) << 1)
    }

    fn latch(&mut self, variable: usize, name: String, reset: bool) {
        self.of_variable.insert(variable, self.latches.len());
        let edge = self.latch_edge(name, reset);
        self.known.insert(variable, edge);
    }

    fn latch_edge(&mut self, name: String, reset: bool) -> Edge {
        let edge = self.node(Node::Latch(self.latches.len()));
        // Until it is told otherwise it keeps its value.
        self.latches.push(Latch { name, reset, next: edge });
        self.outputs.push(edge);
        edge
    }

    fn set_next(&mut self, variable: usize, next: Edge) {
        let position = self.of_variable[&variable];
        self.latches[position].next = next;
    }

    fn set_last(&mut self, next: Edge) {
        if let Some(latch) = self.latches.last_mut() {
            latch.next = next;
        }
    }

    fn both(&mut self, a: Edge, b: Edge) -> Edge {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if a == Edge::FALSE || a == !b {
            return Edge::FALSE;
        }
        if a == Edge::TRUE || a == b {
            return b;
        }
        if let Some(&known) = self.ands.get(&(a, b)) {
            return known;
        }
        let edge = self.node(Node::And(a, b));
        self.ands.insert((a, b), edge);
        edge
    }

    /// A balanced conjunction.
    fn all(&mut self, edges: &[Edge]) -> Edge {
        match edges {
            [] => Edge::TRUE,
            [one] => *one,
            _ => {
                let (left, right) = edges.split_at(edges.len() / 2);
                let (a, b) = (self.all(left), self.all(right));
                self.both(a, b)
            }
        }
    }

    fn choice(&mut self, c: Edge, a: Edge, b: Edge) -> Edge {
        let (then, otherwise) = (self.both(c, a), self.both(!c, b));
        !self.both(!then, !otherwise)
    }

    fn edge(&mut self, l: Lit) -> Edge {
        let mut stack = vec![l.variable()];
        while let Some(&variable) = stack.last() {
            if self.known.contains_key(&variable) {
                stack.pop();
                continue;
            }
            let gate = self.gates.gate(variable);
            let missing: Vec<usize> = gate
                .operands()
                .iter()
                .map(|l| l.variable())
                .filter(|v| !self.known.contains_key(v))
                .collect();
            if !missing.is_empty() {
                stack.extend(missing);
                continue;
            }
            stack.pop();
            let edge = self.made(gate, variable);
            self.known.insert(variable, edge);
        }
        self.known[&l.variable()] ^ l.is_negative()
    }

    /// A value that the first step chooses and all others keep. Model checkers disagree about latches that begin with any
    /// value, so that there is none of these.
    fn constant(&mut self, variable: usize) -> Edge {
        let kept = self.latch_edge(format!("constant {variable}"), false);
        let position = self.latches.len() - 1;
        let chosen = self.node(Node::Input);
        let value = self.choice(self.first, chosen, kept);
        self.latches[position].next = value;
        value
    }

    /// The edge of a gate whose operands have theirs.
    fn made(&mut self, gate: &Gate, variable: usize) -> Edge {
        let of = |me: &Net<'_>, l: Lit| me.known[&l.variable()] ^ l.is_negative();
        match gate {
            Gate::True => Edge::TRUE,
            Gate::Input if variable < self.frozen => self.constant(variable),
            Gate::Input => self.node(Node::Input),
            Gate::And(args) => {
                let all: Vec<Edge> = args.iter().map(|&a| of(self, a)).collect();
                self.all(&all)
            }
            Gate::Xor(a, b) => {
                let (a, b) = (of(self, *a), of(self, *b));
                self.choice(a, !b, b)
            }
            Gate::Choice(c, a, b) => {
                let (c, a, b) = (of(self, *c), of(self, *a), of(self, *b));
                self.choice(c, a, b)
            }
            Gate::Majority(a, b, c) => {
                let (a, b, c) = (of(self, *a), of(self, *b), of(self, *c));
                let (some, both) = (!self.both(!b, !c), self.both(b, c));
                self.choice(a, some, both)
            }
            Gate::Guarded(guard, d) => {
                let (guard, d) = (of(self, *guard), of(self, *d));
                if guard == Edge::TRUE {
                    return d;
                }
                let free = match variable < self.frozen {
                    true => self.constant(variable),
                    false => self.node(Node::Input),
                };
                self.choice(guard, d, free)
            }
        }
    }

    /// The circuit, with the nodes in order.
    fn circuit(mut self, constraint: Edge, bad: Edge, strays: Option<Edge>) -> Circuit {
        let inputs = self.nodes.iter().filter(|n| matches!(n, Node::Input)).count() as u32;
        let mut numbers: Vec<u32> = vec![0; self.nodes.len()];
        let (mut input, mut and) = (1, 1 + inputs + self.latches.len() as u32);
        for (i, node) in self.nodes.iter().enumerate() {
            match node {
                Node::False => {}
                Node::Input => {
                    numbers[i] = input;
                    input += 1;
                }
                Node::Latch(position) => numbers[i] = 1 + inputs + *position as u32,
                Node::And(..) => {
                    numbers[i] = and;
                    and += 1;
                }
            }
        }
        let renumbered = |e: Edge| Edge(numbers[(e.0 >> 1) as usize] << 1 | e.0 & 1);
        let gates = self.nodes.iter().filter_map(|node| match node {
            Node::And(a, b) => Some((renumbered(*a), renumbered(*b))),
            _ => None,
        });
        let gates = gates.collect();
        for latch in &mut self.latches {
            latch.next = renumbered(latch.next);
        }
        Circuit {
            inputs,
            latches: self.latches,
            gates,
            constraint: renumbered(constraint),
            bad: renumbered(bad),
            strays: strays.map(renumbered),
            unbounded: vec![],
        }
    }
}
