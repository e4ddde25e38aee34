//! The search against the definition: random formulas over random small machines, on all paths up to some length.

use bsym_language::load::load_text;
use bsym_language::model::{EventId, Expr, Model};
use bsym_language::stack::with_large_stack;
use bsym_language::temporal::{Action, Atom, Fairness, Formula, Temporal, parse};
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::temporal::{Continuation, holds};

use super::*;
use crate::dice::Dice;
use crate::search::Problem;

/// Values of the only variable.
const STATES: usize = 4;

/// A number under another one.
fn below(dice: &mut Dice, most: usize) -> usize {
    (dice.roll() % most as u64) as usize
}

/// A machine with one variable and events that are relations over its values.
struct Small {
    /// For each event, its edges: from and to.
    events: Vec<Vec<(usize, usize)>>,
}

impl Small {
    fn throw(dice: &mut Dice) -> Small {
        let mut event = || {
            let n = below(dice, 4) + 1;
            let mut pairs: Vec<(usize, usize)> =
                (0..n).map(|_| (below(dice, STATES), below(dice, STATES))).collect();
            pairs.sort_unstable();
            pairs.dedup();
            pairs
        };
        Small { events: vec![event(), event()] }
    }

    fn text(&self) -> String {
        let set = |pairs: &[(usize, usize)]| {
            let pairs: Vec<String> = pairs.iter().map(|(a, b)| format!("{a} |-> {b}")).collect();
            format!("{{{}}}", pairs.join(", "))
        };
        let event = |(name, pairs): (&str, &Vec<(usize, usize)>)| {
            format!("{name}(y) = SELECT x |-> y : {} THEN x := y END", set(pairs))
        };
        let events: Vec<String> = ["a", "b"].into_iter().zip(&self.events).map(event).collect();
        format!(
            "MACHINE Small VARIABLES x INVARIANT x : 0..{} INITIALISATION x :: 0..1 OPERATIONS {} END",
            STATES - 1,
            events.join("; ")
        )
    }

    /// Edges out of a state, with the event.
    fn edges(&self, from: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let of = move |(e, pairs): (usize, &'_ Vec<(usize, usize)>)| {
            pairs.iter().filter(move |p| p.0 == from).map(move |p| (e, p.1)).collect::<Vec<_>>()
        };
        self.events.iter().enumerate().flat_map(of)
    }
}

/// Propositions: two predicates, what is enabled, what is done, the two about ends, and one of a step.
fn atoms(model: &mut Model) -> Vec<Atom> {
    let text = "{x = 0} & {x > 1} & e(a) & [a] & [b(2)] & e(b(1)) & deadlock & sink & BA({x > x$0})";
    let mut none = |_: &Model, _: &Expr| Err("nothing is quantified".to_owned());
    parse(model, text, &mut none).expect("the propositions are right").atoms
}

fn throw_formula(dice: &mut Dice, depth: usize) -> Formula {
    if depth == 0 || below(dice, 6) == 0 {
        return Formula::Atom(below(dice, 9));
    }
    let mut part = || throw_formula(dice, depth - 1);
    let (a, b) = (part(), part());
    match below(dice, 11) {
        0 => a.not(),
        1 => a.and(b),
        2 => a.or(b),
        3 => a.next(),
        4 => a.until(b),
        5 => a.release(b),
        6 => a.finally(),
        7 => a.globally(),
        8 => a.yesterday(),
        9 => a.since(b),
        _ => Formula::Constant(true).since(a.not()).not(),
    }
}

fn throw_fairness(dice: &mut Dice) -> Fairness {
    let mut some = || {
        let events = [0, 1].into_iter().filter(|_| below(dice, 3) == 0);
        events.map(|e| Action { event: EventId(e), arguments: vec![] }).collect::<Vec<_>>()
    };
    let (weak, strong) = (some(), some());
    Fairness { weak, strong, all_weak: below(dice, 6) == 0, all_strong: below(dice, 6) == 0 }
}

/// A path: states, and the event and target of each edge between them.
struct Paths<'a> {
    small: &'a Small,
    temporal: &'a Temporal,
    states: Vec<usize>,
    events: Vec<usize>,
    longest: usize,
}

impl Paths<'_> {
    fn truth(&self, at: usize, atom: usize) -> bool {
        let here = self.states[at];
        let taken = |event: usize, to: Option<usize>| {
            self.events.get(at).is_some_and(|e| *e == event)
                && to.is_none_or(|to| self.states.get(at + 1).is_some_and(|s| *s == to))
        };
        match atom {
            0 => here == 0,
            1 => here > 1,
            2 => self.small.edges(here).any(|(e, _)| e == 0),
            3 => taken(0, None),
            4 => taken(1, Some(2)),
            5 => self.small.edges(here).any(|edge| edge == (1, 1)),
            6 => self.small.edges(here).next().is_none(),
            7 => self.small.edges(here).all(|(_, to)| to == here),
            _ => self.next(at).is_some_and(|to| to > here),
        }
    }

    /// The next state of the path.
    fn next(&self, at: usize) -> Option<usize> {
        self.events.get(at).and(self.states.get(at + 1)).copied()
    }

    fn is_false(&self, positions: usize, continuation: Continuation) -> bool {
        let atom = |at: usize, atom: usize| Some(self.truth(at, atom));
        holds(&self.temporal.formula, positions, continuation, &atom) == Some(false)
    }

    fn is_fair(&self, begin: usize) -> bool {
        let round = begin..self.events.len();
        let fairness = &self.temporal.fairness;
        let owes = |is_strong: bool, is_it: &dyn Fn(usize, usize) -> bool| {
            let enabled = |at: usize| self.small.edges(self.states[at]).any(|(e, to)| is_it(e, to));
            let taken = round.clone().any(|at| is_it(self.events[at], self.states[at + 1]));
            !taken && if is_strong { round.clone().any(enabled) } else { round.clone().all(enabled) }
        };
        let of_event = |action: &Action| {
            let event = action.event.index();
            move |e: usize, _: usize| e == event
        };
        let all = (0..2).flat_map(|e| (0..STATES).map(move |to| (e, to)));
        !(fairness.weak.iter().any(|a| owes(false, &of_event(a)))
            || fairness.strong.iter().any(|a| owes(true, &of_event(a)))
            || all.clone().any(|label| fairness.all_weak && owes(false, &|e, to| (e, to) == label))
            || all.clone().any(|label| fairness.all_strong && owes(true, &|e, to| (e, to) == label)))
    }

    /// Returns whether some path, up to the longest, shows that the formula is false.
    fn any(&mut self) -> bool {
        let here = *self.states.last().expect("a path has a state");
        let edges: Vec<(usize, usize)> = self.small.edges(here).collect();
        if edges.is_empty() && self.is_false(self.states.len(), Continuation::Ends) {
            return true;
        }
        for (event, to) in edges {
            self.states.push(to);
            self.events.push(event);
            let n = self.events.len();
            let loops = (0..n).filter(|at| self.states[*at] == to);
            let found =
                loops.into_iter().any(|at| self.is_fair(at) && self.is_false(n, Continuation::Loop(at)))
                    || n < self.longest && self.any();
            self.states.pop();
            self.events.pop();
            if found {
                return true;
            }
        }
        false
    }
}

fn ask(model: &Model, formulas: &[Temporal], reference_only: bool) -> Vec<TemporalReport> {
    let scope = Scope::settle(model, &ScopeRequest::default()).expect("nothing is asked of the scope");
    let problem = Problem { model, scope: &scope, finder: None };
    let options = TemporalOptions { reference_only, ..TemporalOptions::default() };
    let mut reports = Vec::new();
    check(&problem, formulas, &options, &mut |_: &crate::report::Progress| {}, &mut |_, report| {
        reports.push(report);
    });
    reports
}

#[test]
fn verdicts_are_those_of_the_definition() {
    with_large_stack(|| {
        let machines: u64 = std::env::var("BSYM_FORMULAS").ok().and_then(|n| n.parse().ok()).unwrap_or(12);
        let (mut held, mut violated) = (0, 0);
        for seed in 0..machines {
            let mut dice = Dice::new(seed);
            let small = Small::throw(&mut dice);
            let mut model = load_text("Small.mch", small.text()).model.expect("the machine is right");
            let atoms = atoms(&mut model);
            let mut throw = || Temporal {
                formula: throw_formula(&mut dice, 3),
                fairness: if below(&mut dice, 3) == 0 {
                    throw_fairness(&mut dice)
                } else {
                    Fairness::default()
                },
                atoms: atoms.clone(),
            };
            let formulas: Vec<Temporal> = (0..40).map(|_| throw()).collect();
            for (temporal, report) in formulas.iter().zip(ask(&model, &formulas, false)) {
                let shown = || {
                    format!("seed {seed}: {} \n{:?} {:?}", small.text(), temporal.formula, temporal.fairness)
                };
                match report.verdict {
                    // Each was checked against the definition.
                    TemporalVerdict::Violated(_) => violated += 1,
                    TemporalVerdict::Holds(()) => {
                        held += 1;
                        for first in 0..2 {
                            let mut paths = Paths {
                                small: &small,
                                temporal,
                                states: vec![first],
                                events: vec![],
                                longest: 7,
                            };
                            assert!(!paths.any(), "a path was missed: {}", shown());
                        }
                    }
                    other => panic!("{other:?}: {}", shown()),
                }
            }
        }
        assert!(held > machines && violated > machines, "{held} hold, {violated} do not");
    });
}

#[test]
fn loops_and_ends_are_found_where_states_have_no_end() {
    let text = "MACHINE m VARIABLES x, y INVARIANT x : INTEGER & y : INTEGER INITIALISATION x := 0 || y := 0
        OPERATIONS up = x := x + 1; turn = SELECT x > 5 THEN y := 1 - y END; stop = SELECT x = 9 THEN x := -1 END END";
    with_large_stack(|| {
        let mut model = load_text("m.mch", text).model.expect("the machine is right");
        let mut none = |_: &Model, _: &Expr| Err("nothing is quantified".to_owned());
        let mut read = |text: &str| parse(&mut model, text, &mut none).expect("a formula");
        let formulas = ["G F [up]", "G {x < 9}", "SF(turn) => G F [turn] => G not [stop]"].map(&mut read);
        let reports = ask(&model, &formulas, false);
        let found: Vec<(usize, Continuation)> = reports
            .into_iter()
            .map(|report| match report.verdict {
                TemporalVerdict::Violated(found) => (found.trace.steps.len(), found.continuation),
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(matches!(found[0].1, Continuation::Loop(_)), "{found:?}");
        assert_eq!(found[1], (10, Continuation::Open));
        assert!(matches!(found[2].1, Continuation::Loop(_)), "{found:?}");
    });
}
