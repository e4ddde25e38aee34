//! Which obligations further conjuncts discharge, as the prover says: nothing that was found counts before.

use std::collections::BTreeSet;
use std::sync::Arc;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::SolverError;
use bsym_language::load::check_predicate;
use bsym_language::model::*;
use bsym_proofs::obligations::{Choice, Proof, Subject, prove_chosen};
use bsym_semantics::scope::Scope;

use crate::problem::Open;

/// A machine whose obligations are asked with further conjuncts.
#[derive(Clone)]
pub(super) struct Closing<'a> {
    /// The machine as it is.
    pub model: &'a Model,
    pub scope: &'a Scope,
    /// Its time for a query is that for one obligation.
    pub budget: Budget,
    /// Obligations that are discharged without any.
    pub discharged: &'a BTreeSet<String>,
}

/// Effect of some conjuncts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Effect {
    /// Obligations of the machine that are discharged with them, of those asked.
    pub closed: BTreeSet<String>,
    /// Positions of the conjuncts whose own obligations are not all discharged, or that cannot be read.
    pub unproved: BTreeSet<usize>,
    /// Number of their own obligations.
    pub own: usize,
}

impl Closing<'_> {
    /// The machine with these conjuncts behind its own.
    ///
    /// # Errors
    /// If one of them cannot be read: which.
    pub fn with(&self, texts: &[String]) -> Result<Model, usize> {
        let mut model = self.model.clone();
        for (i, text) in texts.iter().enumerate() {
            let pred = check_predicate(&mut model, text).map_err(|_| i)?;
            let label = Some(label(self.model, i));
            let (origin, span) = (ComponentId(0), pred.span);
            model.invariant.push(Conjunct { label, text: text.clone(), origin, span, pred });
        }
        Ok(model)
    }

    /// Proves these obligations of the machine with these conjuncts, and those that the conjuncts have themselves.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn prove(
        &self,
        texts: &[String],
        asked: &BTreeSet<String>,
        open: &mut Open<'_>,
    ) -> Result<Effect, SolverError> {
        let model = match self.with(texts) {
            Ok(model) => Arc::new(model),
            Err(i) => return Ok(Effect { unproved: [i].into(), ..Effect::default() }),
        };
        let first = self.model.invariant.len();
        let added = |p: &Proof| match p.subject {
            Subject::Invariant(i) => i.checked_sub(first),
            _ => None,
        };
        let choose = |p: &Proof| match added(p) {
            Some(_) => Choice::Ask,
            None if asked.contains(&p.name) => Choice::Ask,
            None if self.discharged.contains(&p.name) => Choice::Known,
            None => Choice::Leave,
        };
        let proved = prove_chosen(model, self.scope, open, &self.budget, &mut |_| {}, &choose)?;
        let mut effect = Effect::default();
        for p in &proved.all {
            let is_done = p.status.is_discharged();
            let position = added(p);
            effect.own += usize::from(position.is_some());
            match position {
                Some(i) if !is_done => drop(effect.unproved.insert(i)),
                None if is_done && asked.contains(&p.name) => drop(effect.closed.insert(p.name.clone())),
                _ => {}
            }
        }
        Ok(effect)
    }

    /// Returns the conjuncts whose own obligations are discharged with those that are left, and what these close.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn inductive(
        &self,
        mut texts: Vec<String>,
        asked: &BTreeSet<String>,
        open: &mut Open<'_>,
    ) -> Result<(Vec<String>, Effect), SolverError> {
        loop {
            let effect = self.prove(&texts, asked, open)?;
            if effect.unproved.is_empty() || texts.is_empty() {
                return Ok((texts, effect));
            }
            let left = texts.into_iter().enumerate().filter(|(i, _)| !effect.unproved.contains(i));
            texts = left.map(|(_, t)| t).collect();
        }
    }

    /// Returns as few of the conjuncts as close the same obligations.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn fewest(
        &self,
        mut texts: Vec<String>,
        closed: &BTreeSet<String>,
        open: &mut Open<'_>,
    ) -> Result<Vec<String>, SolverError> {
        // The longest go first.
        let mut order = texts.clone();
        order.sort_by_key(|t| std::cmp::Reverse(t.len()));
        for text in order {
            if self.budget.check().is_err() {
                break;
            }
            let rest: Vec<String> = texts.iter().filter(|t| **t != text).cloned().collect();
            let effect = self.prove(&rest, closed, open)?;
            if effect.unproved.is_empty() && effect.closed == *closed {
                texts = rest;
            }
        }
        Ok(texts)
    }
}

/// A label that no conjunct has.
pub(super) fn label(model: &Model, position: usize) -> String {
    let taken =
        |l: &str| model.invariant.iter().chain(&model.assertions).any(|c| c.label.as_deref() == Some(l));
    let mut all = (1..).map(|n| format!("aux{n}")).filter(|l| !taken(l));
    all.nth(position).unwrap_or_default()
}
