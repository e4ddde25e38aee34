//! Hypotheses of second order, held until a check needs them.
//!
//! A quantifier over sets or functions keeps a solver busy in every query, whether it has to do with it or not:
//! "every graph on these nodes can be coloured" says nothing of a step. Dropping hypotheses is sound for `unsat`.
//! A `sat` has to satisfy what was left out: where its model does, as far as the values of the terms say, that is the
//! answer, and else the hypotheses concerned are added and the question is asked again.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::backend::SolverError;
use super::evaluate::evaluate;
use super::model::Model;
use super::value::TermValue;
use crate::term::{Op, Sort, SortKind, SymbolId, Term, Terms};
use crate::tuning::tuning;

/// The hypotheses that a session holds.
#[derive(Default)]
pub(super) struct Held {
    all: Vec<Hypothesis>,
    /// See [`Held::release`].
    released: bool,
}

/// Hypotheses that a model does not satisfy, and those of which its values do not say.
#[derive(Default)]
pub(super) struct Judged {
    pub wrong: Vec<usize>,
    pub open: Vec<usize>,
}

struct Hypothesis {
    term: Term,
    /// The literal that implies it in the solver, once a check has needed it.
    literal: Option<Term>,
}

impl Held {
    /// Keeps the conjuncts of second order; the rest is to be asserted.
    pub fn take_in(&mut self, terms: &Terms, t: Term) -> Vec<Term> {
        if self.released || !terms.has_second_order() {
            return vec![t];
        }
        let node = terms.node(t);
        let parts = if node.op == Op::And { node.args.to_vec() } else { vec![t] };
        let (held, rest): (Vec<Term>, Vec<Term>) = parts.into_iter().partition(|&p| is_hypothesis(terms, p));
        // A hypothesis inside another formula, as in a step, is asserted for good.
        if rest.iter().any(|&p| terms.is_of_second_order(p)) {
            let mut all = self.release();
            all.push(t);
            return all;
        }
        if held.is_empty() {
            return vec![t];
        }
        for term in held {
            if self.all.iter().all(|h| h.term != term) {
                self.all.push(Hypothesis { term, literal: None });
            }
        }
        rest
    }

    /// Holds nothing any more: a question of second order needs hypotheses of that kind, and a solver finds their
    /// instances best where they are simply asserted. Returns the terms to assert.
    pub fn release(&mut self) -> Vec<Term> {
        self.released = true;
        self.all.drain(..).map(|h| h.term).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Assumptions that switch the demanded hypotheses on and the others off.
    pub fn literals(&self, terms: &Terms, demanded: &BTreeSet<usize>) -> Vec<Term> {
        let defined = self.all.iter().enumerate().filter_map(|(i, h)| Some((i, h.literal?)));
        defined.map(|(i, l)| if demanded.contains(&i) { l } else { terms.not(l) }).collect()
    }

    /// Returns the positions of the hypotheses that were not demanded yet.
    pub fn left(&self, demanded: &BTreeSet<usize>) -> Vec<usize> {
        (0..self.all.len()).filter(|i| !demanded.contains(i)).collect()
    }

    /// Judges the hypotheses that were not demanded yet, by the values of their terms in a model.
    pub fn judge(
        &self,
        terms: &Terms,
        model: &mut Model<'_>,
        demanded: &BTreeSet<usize>,
    ) -> Result<Judged, SolverError> {
        let mut judged = Judged::default();
        for i in self.left(demanded) {
            let term = self.all[i].term;
            if !(1..=tuning().session.held_instances).contains(&instances(terms, term)) {
                judged.open.push(i);
                continue;
            }
            let mut symbols = FxHashMap::default();
            for id in terms.symbols(&[term]) {
                let symbol = terms.symbol_term(id);
                symbols.insert(id, model.value(symbol)?);
            }
            match evaluate(terms, term, &symbols) {
                Some(TermValue::Bool(true)) => {}
                Some(TermValue::Bool(false)) => judged.wrong.push(i),
                _ => judged.open.push(i),
            }
        }
        Ok(judged)
    }

    /// Gives a hypothesis a literal; what is to be asserted for it, the first time.
    pub fn define(&mut self, terms: &Terms, i: usize) -> Option<Term> {
        let hypothesis = &mut self.all[i];
        if hypothesis.literal.is_some() {
            return None;
        }
        let literal = terms.fresh("hypothesis", Terms::BOOL);
        hypothesis.literal = Some(literal);
        Some(terms.implies(literal, hypothesis.term))
    }
}

/// Returns how many instances the quantifiers of a formula have, nested as they may be; 0 stands for no finite number.
pub(super) fn instances(terms: &Terms, t: Term) -> u64 {
    let mut all: u64 = 1;
    terms.visit(&[t], |_, node| {
        let bound: &[SymbolId] = match &node.op {
            Op::Forall(bound) | Op::Exists(bound) => bound,
            Op::Lambda(bound) => std::slice::from_ref(bound),
            _ => return,
        };
        for &symbol in bound {
            all = all.saturating_mul(values(terms, terms.symbol_sort(symbol)));
        }
    });
    all
}

/// Number of values of a sort; 0 where there is no finite number, or none that is known.
fn values(terms: &Terms, sort: Sort) -> u64 {
    match terms.sort_kind(sort) {
        SortKind::Bool => 2,
        SortKind::Enum(_, names) => names.len() as u64,
        SortKind::Tuple(fields) => {
            fields.iter().fold(1, |n: u64, &field| n.saturating_mul(values(terms, field)))
        }
        SortKind::Array(index, value) => {
            let exponent = u32::try_from(values(terms, index)).unwrap_or(u32::MAX);
            if exponent == 0 { 0 } else { values(terms, value).saturating_pow(exponent) }
        }
        SortKind::Int | SortKind::Real | SortKind::Uninterpreted(_) => 0,
    }
}

/// Returns whether a formula is a quantified one of second order. A formula that is so only in a part stays where it
/// is: without the step that a selector stands for, a question about the step says nothing.
fn is_hypothesis(terms: &Terms, t: Term) -> bool {
    let node = terms.node(t);
    let inner = if node.op == Op::Not { terms.node(node.args[0]) } else { node };
    matches!(inner.op, Op::Forall(_) | Op::Exists(_)) && terms.is_of_second_order(t)
}
