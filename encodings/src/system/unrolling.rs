//! Copies of a system's terms for the steps of a path.
//!
//! Variable `x` in state `k` is the symbol `x@k`, and so is every other symbol that belongs to
//! states; the inputs of the step from `k` to `k + 1` are `op:p@k`, those of the initialisation
//! `INITIALISATION:p@init`. Constants keep their one copy.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::symbolic::Symbolic;
use crate::system::System;
use crate::term::{Op, Substitution, SymbolId, Term, Terms};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Constant,
    Next(Term),
    Input,
}

/// The copies of one system's terms, made on demand and remembered.
#[derive(Debug)]
pub struct Unrolling {
    terms: Rc<Terms>,
    /// Roles of symbols. A symbol without a role belongs to a state: variables, and auxiliaries also of predicates that
    /// are encoded later. Renaming is the safe side: two states never share such a symbol.
    roles: FxHashMap<SymbolId, Role>,
    states: Copies,
    steps: Copies,
    initial: Copies,
}

/// Remembered renamings, by step.
#[derive(Debug, Default)]
struct Copies {
    by_step: Vec<(Substitution, FxHashSet<Term>)>,
}

impl Copies {
    fn at(&mut self, k: usize) -> &mut (Substitution, FxHashSet<Term>) {
        if self.by_step.len() <= k {
            self.by_step.resize_with(k + 1, Default::default);
        }
        &mut self.by_step[k]
    }
}

#[derive(Clone, Copy)]
enum Place {
    State(usize),
    Step(usize),
    Initial,
}

impl Unrolling {
    /// Begins with nothing unrolled. The system may get further predicates afterwards.
    pub fn new(system: &System) -> Unrolling {
        let terms = system.terms.clone();
        let mut roles = FxHashMap::default();
        let mut constants: Vec<Term> = system.constants.values.iter().flat_map(Symbolic::symbols).collect();
        constants.extend(system.axioms.assumed().chain(&system.axioms.hold));
        constants.extend(&system.facts.background);
        for id in terms.symbols(&constants) {
            roles.insert(id, Role::Constant);
        }
        for (current, next) in system.variables.current.iter().zip(&system.variables.next) {
            for (c, n) in current.symbols().into_iter().zip(next.symbols()) {
                if let Some(id) = terms.as_symbol(n) {
                    roles.insert(id, Role::Next(c));
                }
            }
        }
        for transition in system.events.iter().chain([&system.initialisation]) {
            for id in transition.inputs.iter().filter_map(|&t| terms.as_symbol(t)) {
                roles.insert(id, Role::Input);
            }
        }
        Unrolling {
            terms,
            roles,
            states: Copies::default(),
            steps: Copies::default(),
            initial: Copies::default(),
        }
    }

    /// A term over the current state, in state `k`.
    pub fn state(&mut self, t: Term, k: usize) -> Term {
        self.copy(t, Place::State(k))
    }

    /// A term of the initialisation: its inputs, and the state after it as state 0.
    pub fn init(&mut self, t: Term) -> Term {
        self.copy(t, Place::Initial)
    }

    /// A term of an event, for the step from state `k` to state `k + 1`.
    pub fn step(&mut self, t: Term, k: usize) -> Term {
        self.copy(t, Place::Step(k))
    }

    fn copy(&mut self, t: Term, place: Place) -> Term {
        let terms = self.terms.clone();
        let (by, seen) = match place {
            Place::State(k) => self.states.at(k),
            Place::Step(k) => self.steps.at(k),
            Place::Initial => self.initial.at(0),
        };
        let mut stack = vec![t];
        while let Some(t) = stack.pop() {
            if !seen.insert(t) {
                continue;
            }
            match terms.as_symbol(t) {
                Some(id) => {
                    if let Some(new) = rename(&terms, self.roles.get(&id), id, place) {
                        by.insert(t, new);
                    }
                }
                None => {
                    let node = terms.node(t);
                    let bound: &[SymbolId] = match &node.op {
                        Op::Forall(all) | Op::Exists(all) => all,
                        Op::Lambda(one) => std::slice::from_ref(one),
                        _ => &[],
                    };
                    // Bound symbols are globally fresh and occur nowhere else.
                    seen.extend(bound.iter().map(|&b| terms.symbol_term(b)));
                    stack.extend(node.args.iter());
                }
            }
        }
        terms.substitute(t, by)
    }
}

fn rename(terms: &Terms, role: Option<&Role>, id: SymbolId, place: Place) -> Option<Term> {
    let copy = |id: SymbolId, suffix: String| {
        terms.symbol(&format!("{}@{suffix}", terms.symbol_name(id)), terms.symbol_sort(id))
    };
    match (role, place) {
        _ if terms.is_rigid(id) => None,
        (Some(Role::Constant), _) => None,
        (Some(Role::Next(current)), _) => {
            let k = match place {
                Place::Step(k) => k + 1,
                Place::Initial => 0,
                // Not over the current state: left alone, so that a mistake is seen.
                Place::State(_) => return None,
            };
            terms.as_symbol(*current).map(|c| copy(c, k.to_string()))
        }
        (Some(Role::Input), Place::Initial) => Some(copy(id, "init".into())),
        (Some(Role::Input), Place::State(k) | Place::Step(k)) => Some(copy(id, k.to_string())),
        (None, Place::State(k) | Place::Step(k)) => Some(copy(id, k.to_string())),
        (None, Place::Initial) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bsym_language::source::{Source, Sources};
    use bsym_semantics::scope::{Scope, ScopeRequest};

    use super::*;

    fn system() -> System {
        let text = "MACHINE m CONSTANTS k PROPERTIES k : INTEGER VARIABLES x INVARIANT x : INTEGER \
                    INITIALISATION x :: {k} OPERATIONS op(p) = PRE p : INTEGER THEN x := x + p + k END END";
        let mut sources = Sources::default();
        let id = sources.add(Source::new("m.mch", text));
        let (machine, _) = bsym_language::parser::parse(&sources, id);
        let (model, problems) = bsym_language::check::check(Arc::new(sources), &machine, &mut |_: &str| None);
        let model = Arc::new(model.unwrap_or_else(|| panic!("{problems:?}")));
        let scope = Scope::settle(&model, &ScopeRequest::default()).unwrap();
        crate::system::build::encode(Rc::new(Terms::new()), model, &scope)
    }

    #[test]
    fn each_kind_of_symbol_gets_its_copies() {
        let system = system();
        let terms = system.terms.clone();
        let mut unrolling = Unrolling::new(&system);
        let check = |t: Term, expected: &[&str]| {
            let mut names: Vec<_> =
                terms.symbols(&[t]).iter().map(|&s| terms.symbol_name(s).to_string()).collect();
            names.sort();
            assert_eq!(names, expected);
        };
        let relation = system.events[0].relation.unwrap();
        check(relation, &["k", "op:p", "x", "x'"]);
        check(unrolling.step(relation, 0), &["k", "op:p@0", "x@0", "x@1"]);
        check(unrolling.step(relation, 2), &["k", "op:p@2", "x@2", "x@3"]);
        let initial = unrolling.init(system.initialisation.relation.unwrap());
        check(initial, &["INITIALISATION:x.new@init", "k", "x@0"]);
    }

    #[test]
    fn symbols_that_come_later_belong_to_states() {
        let system = system();
        let terms = system.terms.clone();
        let mut unrolling = Unrolling::new(&system);
        let x = system.variables.current[0].symbols()[0];
        let early = unrolling.state(terms.eq(x, terms.int(1)), 1);
        let witness = terms.symbol("w", Terms::INT);
        let late = unrolling.state(terms.and([terms.eq(x, terms.int(1)), terms.lt(witness, x)]), 1);
        assert_eq!(terms.text(early), "(= 1 x@1)");
        assert_eq!(terms.text(late), "(and (= 1 x@1) (< w@1 x@1))");
    }

    #[test]
    fn bound_symbols_are_left_alone() {
        let system = system();
        let terms = system.terms.clone();
        let mut unrolling = Unrolling::new(&system);
        let x = system.variables.current[0].symbols()[0];
        let bound = terms.symbol("b", Terms::INT);
        let all = terms.forall(&[terms.as_symbol(bound).unwrap()], terms.lt(x, bound));
        assert_eq!(terms.text(unrolling.state(all, 4)), "(forall (b) (< x@4 b))");
    }
}
