//! Invalid models of a solver, detected and corrected.
//!
//! Z3 decides the operators that make an array index by index from others (union, complement, a lambda) at the indices
//! at hand, and by what the arrays are at all others. Where an index has finitely many values there may be no others,
//! and what it does about that is incomplete: Z3 5.4.0 answers `sat` to `(= (store ((_ map not) o) m p) (store o n p))`
//! over an enumeration of three elements, which has no model.
//!
//! So formulas with such an operator are evaluated under the model. Where one is false, the equations between arrays
//! that the values contradict give lemmas, `a = b => a(i) = b(i)` where they differ, and the solver is asked again.
//! Formulas that cannot be evaluated are left to the user of the model: a counterexample is replayed anyway.

use rustc_hash::{FxHashMap, FxHashSet};

use super::backend::{Backend, SolverError};
use super::evaluate::{differences, evaluate_each};
use super::held::instances;
use super::value::TermValue;
use crate::term::{Op, Sort, SortKind, Term, Terms};
use crate::tuning::tuning;

/// Formulas of which a model may claim to satisfy them and does not.
#[derive(Default)]
pub(super) struct Doubtful {
    parts: Vec<Term>,
    lemmas: FxHashSet<Term>,
}

/// Result of evaluating the formulas under a model.
pub(super) enum Confirmed {
    /// Nothing against it.
    Yes,
    /// The model is invalid; these formulas, which are valid, say why.
    No(Vec<Term>),
}

impl Doubtful {
    /// Notes what is asserted, as far as it has to be looked at.
    pub fn take_in(&mut self, terms: &Terms, t: Term) {
        if !terms.has_finite_pointwise() {
            return;
        }
        let node = terms.node(t);
        let parts = if node.op == Op::And { node.args.to_vec() } else { vec![t] };
        let of_interest = |&p: &Term| {
            terms.is_finite_pointwise(p)
                && (1..=tuning().session.held_instances).contains(&instances(terms, p))
        };
        self.parts.extend(parts.into_iter().filter(of_interest));
    }

    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Looks at the model of the last check. The lemmas are new ones.
    ///
    /// # Errors
    /// If the solver is gone.
    pub fn confirm(&mut self, terms: &Terms, backend: &mut dyn Backend) -> Result<Confirmed, SolverError> {
        let mut symbols = FxHashMap::default();
        for id in terms.symbols(&self.parts) {
            let symbol = terms.symbol_term(id);
            symbols.insert(id, backend.value(symbol)?);
        }
        let values = evaluate_each(terms, &self.parts, symbols.clone());
        let is_false = |v: &Option<TermValue>| *v == Some(TermValue::Bool(false));
        let wrong: Vec<Term> =
            self.parts.iter().zip(&values).filter(|(_, v)| is_false(v)).map(|(&p, _)| p).collect();
        if wrong.is_empty() {
            return Ok(Confirmed::Yes);
        }
        let mut equations = vec![];
        terms.visit(&wrong, |_, node| {
            if node.op == Op::Eq && terms.has_finite_index(terms.sort_of(node.args[0])) {
                equations.extend([node.args[0], node.args[1]]);
            }
        });
        let values = evaluate_each(terms, &equations, symbols);
        let mut lemmas = vec![];
        for (sides, values) in equations.chunks(2).zip(values.chunks(2)) {
            let (&[a, b], [Some(x), Some(y)]) = (sides, values) else { continue };
            let sort = terms.sort_of(a);
            let (index, _) = terms.array_parts(sort);
            for i in differences(terms, sort, (x, y), tuning().session.few_indices)
                .into_iter()
                .take(tuning().session.few_indices)
            {
                let Some(i) = literal(terms, index, &i) else { continue };
                let same = terms.eq(terms.select(a, i), terms.select(b, i));
                let lemma = terms.implies(terms.eq(a, b), same);
                if lemma != Terms::TRUE && lemmas.len() < tuning().session.lemmas && self.lemmas.insert(lemma)
                {
                    lemmas.push(lemma);
                }
            }
        }
        Ok(Confirmed::No(lemmas))
    }
}

/// A value of a finite sort as a term.
fn literal(terms: &Terms, sort: Sort, value: &TermValue) -> Option<Term> {
    Some(match (terms.sort_kind(sort), value) {
        (SortKind::Bool, TermValue::Bool(b)) => terms.bool(*b),
        (SortKind::Enum(..), TermValue::Constructor(own, i)) => terms.constructor(*own, *i),
        (SortKind::Tuple(fields), TermValue::Tuple(parts)) => {
            let parts = fields.iter().zip(parts).map(|(&f, p)| literal(terms, f, p));
            terms.tuple(&parts.collect::<Option<Vec<Term>>>()?)
        }
        (SortKind::Array(index, element), TermValue::Array { default, entries }) => {
            let mut array = terms.const_array(sort, literal(terms, element, default)?);
            for (i, x) in entries {
                array = terms.store(array, literal(terms, index, i)?, literal(terms, element, x)?);
            }
            array
        }
        _ => return None,
    })
}
