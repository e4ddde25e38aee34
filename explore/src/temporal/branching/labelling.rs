//! The states in which a formula of branching time is true, by fixpoints over the states that were seen.
//!
//! Where edges or truth values are missing there are two sets for each formula: the states in which it is certainly true,
//! and those in which it may be. If nothing is missing, both are the same. Sources: E. Clarke, E. Emerson, A. Sistla,
//! Automatic verification of finite-state concurrent systems using temporal logic specifications (TOPLAS 1986); two bounds,
//! G. Bruns, P. Godefroid, Model checking partial state spaces with 3-valued temporal logics (CAV 1999).

use std::collections::HashMap;
use std::rc::Rc;

use bsym_language::temporal::{StateFormula, StateKind};

use crate::store::state_table::StateId;
use crate::temporal::graph::Arc;

/// The states and edges that were seen.
#[derive(Default)]
pub(super) struct Structure {
    /// Edges of all states, state by state.
    arcs: Vec<Arc>,
    /// Where the edges of each state begin, and where the last ones end.
    begins: Vec<usize>,
    /// For each edge, the propositions about steps that are true; empty if there are none.
    taken: Vec<u128>,
    /// Propositions that are true in each state; `None` if they are not known.
    truth: Vec<Option<u128>>,
    /// True for the states of which all edges are known, by state.
    is_whole: Vec<bool>,
}

impl Structure {
    /// Adds the next state.
    pub(super) fn push(&mut self, arcs: &[Arc], taken: &[u128], truth: Option<u128>, is_whole: bool) {
        if self.begins.is_empty() {
            self.begins.push(0);
        }
        self.arcs.extend_from_slice(arcs);
        self.taken.extend_from_slice(taken);
        self.begins.push(self.arcs.len());
        self.truth.push(truth);
        self.is_whole.push(is_whole);
    }

    /// Number of states.
    pub(super) fn len(&self) -> usize {
        self.truth.len()
    }

    /// The edges of a state.
    pub(super) fn arcs(&self, state: usize) -> &[Arc] {
        &self.arcs[self.begins[state]..self.begins[state + 1]]
    }

    /// The edges of a state that an action takes, or all of them.
    pub(super) fn arcs_by(&self, state: usize, action: Option<usize>) -> impl Iterator<Item = Arc> + '_ {
        let range = self.begins[state]..self.begins[state + 1];
        let is_it = move |at: &usize| action.is_none_or(|i| self.taken[*at] >> i & 1 == 1);
        range.filter(is_it).map(|at| self.arcs[at])
    }

    /// Returns whether a state is known to have no edges.
    pub(super) fn is_dead(&self, state: usize) -> bool {
        self.is_whole[state] && self.arcs(state).is_empty()
    }

    /// For each state, the states from which edges lead to it: the list, and where the part of each begins.
    fn predecessors(&self) -> (Vec<StateId>, Vec<usize>) {
        let mut begins = vec![0usize; self.len() + 1];
        for arc in &self.arcs {
            begins[arc.to as usize + 1] += 1;
        }
        for at in 1..begins.len() {
            begins[at] += begins[at - 1];
        }
        let (mut next, mut list) = (begins.clone(), vec![0; self.arcs.len()]);
        for from in 0..self.len() {
            for arc in self.arcs(from) {
                list[next[arc.to as usize]] = from as StateId;
                next[arc.to as usize] += 1;
            }
        }
        (list, begins)
    }
}

/// Which of the two sets of a formula is meant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Bound {
    /// States in which it is certainly true.
    Certain,
    /// States in which it may be true.
    Possible,
}

impl Bound {
    fn other(self) -> Bound {
        match self {
            Bound::Certain => Bound::Possible,
            Bound::Possible => Bound::Certain,
        }
    }
}

/// A set of states.
pub(super) type Set = Rc<Vec<bool>>;

/// The sets of the parts of a formula, as far as they were asked for.
pub(super) struct Labelling<'s> {
    pub(super) structure: &'s Structure,
    predecessors: (Vec<StateId>, Vec<usize>),
    known: HashMap<(usize, Bound), Set>,
}

impl<'s> Labelling<'s> {
    /// Nothing was asked for yet.
    pub(super) fn new(structure: &'s Structure) -> Labelling<'s> {
        Labelling { structure, predecessors: structure.predecessors(), known: HashMap::new() }
    }

    /// Returns a set of a formula.
    pub(super) fn set(&mut self, formula: &StateFormula, bound: Bound) -> Set {
        if let Some(known) = self.known.get(&(formula.number, bound)) {
            return known.clone();
        }
        let set = Rc::new(self.compute(formula, bound));
        self.known.insert((formula.number, bound), set.clone());
        set
    }

    /// The states in which a formula is certainly false (for `Certain`), or may be.
    pub(super) fn complement(&mut self, formula: &StateFormula, bound: Bound) -> Vec<bool> {
        negated(&self.set(formula, bound.other()))
    }

    fn compute(&mut self, formula: &StateFormula, bound: Bound) -> Vec<bool> {
        let n = self.structure.len();
        let other = bound.other();
        match &formula.kind {
            StateKind::Constant(truth) => vec![*truth; n],
            StateKind::Atom(i) => {
                let is_true = |t: &Option<u128>| t.map_or(bound == Bound::Possible, |t| t >> i & 1 == 1);
                self.structure.truth.iter().map(is_true).collect()
            }
            StateKind::Not(a) => self.complement(a, bound),
            StateKind::And(a, b) => joined(&self.set(a, bound), &self.set(b, bound), |a, b| a && b),
            StateKind::Or(a, b) => joined(&self.set(a, bound), &self.set(b, bound), |a, b| a || b),
            StateKind::Next { every: false, action, inner } => {
                let inner = self.set(inner, bound);
                self.next(*action, &inner, bound)
            }
            StateKind::Next { every: true, action, inner } => {
                let fails = self.complement(inner, other);
                negated(&self.next(*action, &fails, other))
            }
            StateKind::Until { every: false, left, right } => {
                let (left, right) = (self.set(left, bound), self.set(right, bound));
                self.until(&left, &right, bound)
            }
            StateKind::Until { every: true, left, right } => {
                let (left, right) = (self.complement(left, other), self.complement(right, other));
                negated(&self.not_until(&left, &right, other))
            }
            StateKind::Globally { every: false, inner } => {
                let inner = self.set(inner, bound);
                self.globally(&inner, bound)
            }
            StateKind::Globally { every: true, inner } => {
                let fails = self.complement(inner, other);
                negated(&self.until(&vec![true; n], &fails, other))
            }
        }
    }

    /// `E not (l U r)`, given where `l` and `r` are false.
    fn not_until(&self, left: &[bool], right: &[bool], bound: Bound) -> Vec<bool> {
        let both = joined(left, right, |a, b| a && b);
        joined(&self.until(right, &both, bound), &self.globally(right, bound), |a, b| a || b)
    }

    /// `EX`, by an action if there is one.
    fn next(&self, action: Option<usize>, inner: &[bool], bound: Bound) -> Vec<bool> {
        let holds = |state: usize| {
            (bound == Bound::Possible && !self.structure.is_whole[state])
                || self.structure.arcs_by(state, action).any(|arc| inner[arc.to as usize])
        };
        (0..self.structure.len()).map(holds).collect()
    }

    /// `E left U right`: the least set, from its end backwards.
    pub(super) fn until(&self, left: &[bool], right: &[bool], bound: Bound) -> Vec<bool> {
        let is_open =
            |state: usize| bound == Bound::Possible && !self.structure.is_whole[state] && left[state];
        let mut set: Vec<bool> =
            (0..self.structure.len()).map(|state| right[state] || is_open(state)).collect();
        let mut waiting: Vec<usize> = (0..set.len()).filter(|state| set[*state]).collect();
        let (list, begins) = &self.predecessors;
        while let Some(state) = waiting.pop() {
            for from in &list[begins[state]..begins[state + 1]] {
                let from = *from as usize;
                if left[from] && !set[from] {
                    set[from] = true;
                    waiting.push(from);
                }
            }
        }
        set
    }

    /// `EG inner`: the greatest set, from which states are taken that no path stays in.
    pub(super) fn globally(&self, inner: &[bool], bound: Bound) -> Vec<bool> {
        let structure = self.structure;
        let mut set = inner.to_vec();
        let may_stay =
            |state: usize| structure.is_dead(state) || bound == Bound::Possible && !structure.is_whole[state];
        let stays = |state: usize| structure.arcs(state).iter().filter(|arc| inner[arc.to as usize]).count();
        let mut ways: Vec<usize> = (0..set.len()).map(stays).collect();
        let ends =
            |set: &[bool], ways: &[usize], state: usize| set[state] && ways[state] == 0 && !may_stay(state);
        let mut waiting: Vec<usize> = (0..set.len()).filter(|state| ends(&set, &ways, *state)).collect();
        for state in &waiting {
            set[*state] = false;
        }
        let (list, begins) = &self.predecessors;
        while let Some(state) = waiting.pop() {
            for from in &list[begins[state]..begins[state + 1]] {
                let from = *from as usize;
                ways[from] -= 1;
                if ends(&set, &ways, from) {
                    set[from] = false;
                    waiting.push(from);
                }
            }
        }
        set
    }
}

fn negated(set: &[bool]) -> Vec<bool> {
    set.iter().map(|is_in| !is_in).collect()
}

fn joined(a: &[bool], b: &[bool], join: fn(bool, bool) -> bool) -> Vec<bool> {
    a.iter().zip(b).map(|(a, b)| join(*a, *b)).collect()
}
