//! Copies of a system's state along a path.
//!
//! State 0 is the system's own `current`; later ones get symbols of their own, auxiliaries
//! included. This is a second, independent way to unroll a system: a certificate should not be
//! checked with the code that made it.

use std::rc::Rc;

use bsym_encodings::symbolic::Symbolic;
use bsym_encodings::system::{System, Transition};
use bsym_encodings::term::{Substitution, SymbolId, Term, Terms};

/// The states of a path and the steps between them.
pub struct States<'a> {
    system: &'a System,
    terms: Rc<Terms>,
    states: Vec<State>,
    steps: Vec<Option<Substitution>>,
}

struct State {
    /// Symbols of the variables, each with its representation's symbols in order.
    variables: Vec<Vec<Term>>,
    /// Symbols of the auxiliaries.
    auxiliaries: Vec<Term>,
    rename: Substitution,
}

impl<'a> States<'a> {
    /// Makes the path's first state. Further ones are made on demand.
    pub fn new(system: &'a System) -> Self {
        let first = State {
            variables: system.variables.current.iter().map(Symbolic::symbols).collect(),
            auxiliaries: system.facts.auxiliaries.clone(),
            rename: Substitution::default(),
        };
        States { system, terms: system.terms.clone(), states: vec![first], steps: vec![] }
    }

    /// Moves a term over the current state to state `i`.
    pub fn at(&mut self, t: Term, i: usize) -> Term {
        self.make(i);
        if i == 0 { t } else { self.terms.substitute(t, &mut self.states[i].rename) }
    }

    /// Returns the facts that are always true of state `i`.
    pub fn facts(&mut self, i: usize) -> Vec<Term> {
        let system = self.system;
        system.facts.state.iter().map(|&t| self.at(t, i)).collect()
    }

    /// A term of the initialisation (over `next`), with state 0 as the state after it.
    pub fn initial(&mut self, t: Term) -> Term {
        let pairs = self.system.variables.next.iter().flat_map(Symbolic::symbols);
        let to = self.states[0].variables.iter().flatten().copied();
        let mut by = Substitution::new(pairs.zip(to).collect::<Vec<_>>());
        self.terms.substitute(t, &mut by)
    }

    /// A term of an event, with state `i` before it and state `i + 1` after it. Every step has its
    /// own inputs.
    pub fn step(&mut self, t: Term, i: usize) -> Term {
        self.make(i + 1);
        while self.steps.len() <= i {
            self.steps.push(None);
        }
        if self.steps[i].is_none() {
            let mut pairs: Vec<(Term, Term)> =
                self.system.events.iter().flat_map(|e| self.inputs(e, i)).collect();
            let current = self.system.variables.current.iter().flat_map(Symbolic::symbols);
            pairs.extend(current.zip(self.states[i].variables.iter().flatten().copied()));
            pairs.extend(
                self.system.facts.auxiliaries.iter().copied().zip(self.states[i].auxiliaries.iter().copied()),
            );
            let next = self.system.variables.next.iter().flat_map(Symbolic::symbols);
            pairs.extend(next.zip(self.states[i + 1].variables.iter().flatten().copied()));
            self.steps[i] = Some(Substitution::new(pairs));
        }
        match &mut self.steps[i] {
            Some(by) => self.terms.substitute(t, by),
            None => t,
        }
    }

    /// New symbols for an event's inputs.
    fn inputs(&self, event: &Transition, i: usize) -> Vec<(Term, Term)> {
        event.inputs.iter().map(|&t| (t, self.copy(t, i))).collect()
    }

    fn copy(&self, t: Term, i: usize) -> Term {
        let name = self.terms.as_symbol(t).map_or_else(|| "input".into(), |s| self.terms.symbol_name(s));
        self.terms.fresh(&format!("{name}@{i}"), self.terms.sort_of(t))
    }

    /// Returns the term stating that some event is possible in the current state: a disjunction of the guards with
    /// their inputs existentially quantified. `None` if an event has no guard term.
    pub fn some_event(&self) -> Option<Term> {
        let mut enabled = vec![];
        for event in &self.system.events {
            let guard = event.guard?;
            // Bound symbols of their own, for the inputs are free elsewhere.
            let pairs = self.inputs(event, 0);
            let bound: Vec<SymbolId> =
                pairs.iter().filter_map(|&(_, new)| self.terms.as_symbol(new)).collect();
            let guard = self.terms.substitute(guard, &mut Substitution::new(pairs));
            enabled.push(self.terms.exists(&bound, guard));
        }
        Some(self.terms.or(enabled))
    }

    /// Returns the term stating that states `i` and `j` have different representations.
    ///
    /// Different B states always do, for a representation determines its value; the converse fails (a function's value
    /// outside its domain). As a hypothesis this is therefore weaker than the inequality of states, and a sequent
    /// proved with it is also proved with that one.
    pub fn differ(&mut self, i: usize, j: usize) -> Term {
        self.make(i.max(j));
        let (a, b) = (&self.states[i].variables, &self.states[j].variables);
        self.terms.or(a.iter().flatten().zip(b.iter().flatten()).map(|(&x, &y)| self.terms.neq(x, y)))
    }

    fn make(&mut self, i: usize) {
        while self.states.len() <= i {
            let number = self.states.len();
            let first = &self.states[0];
            let copy = |all: &[Term]| all.iter().map(|&t| self.copy(t, number)).collect::<Vec<_>>();
            let variables: Vec<Vec<Term>> = first.variables.iter().map(|v| copy(v)).collect();
            let auxiliaries = copy(&first.auxiliaries);
            let from = first.variables.iter().flatten().chain(&first.auxiliaries).copied();
            let to = variables.iter().flatten().chain(&auxiliaries).copied();
            let rename = Substitution::new(from.zip(to).collect::<Vec<_>>());
            self.states.push(State { variables, auxiliaries, rename });
        }
    }
}
