//! Helpers of this crate's tests: a machine's text to its system, and a solver.

use std::rc::Rc;
use std::sync::Arc;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::{Session, SolverChoice, SolverError, open};
use bsym_encodings::system::System;
use bsym_encodings::system::build::encode;
use bsym_encodings::term::Terms;
use bsym_language::load::{check_predicate, load_text};
use bsym_language::model::{EventId, Model, Pred};
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_status::{Level, Pair, PairStatus, ProofStatus};
use bsym_testing::{Part, present};

use crate::check::check;
use crate::claim::{Checked, Claim, Evidence, Property};

pub fn model(text: &str) -> Model {
    let loaded = load_text("m.mch", text);
    loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

pub fn scope(model: &Model) -> Scope {
    Scope::settle(model, &ScopeRequest::default()).expect("a scope")
}

pub fn system(model: &Model) -> System {
    encode(Rc::new(Terms::new()), Arc::new(model.clone()), &scope(model))
}

/// Returns the available solver; `None` if there is none, and then the test says that it is skipped.
pub fn solver() -> Option<SolverChoice> {
    let found = open(Rc::new(Terms::new()), &SolverChoice::Default).is_ok();
    present(Part::Solver, found.then_some(SolverChoice::Default), "solver")
}

pub fn open_default(terms: Rc<Terms>) -> Result<Session, SolverError> {
    open(terms, &SolverChoice::Default)
}

pub fn lemma(model: &mut Model, text: &str) -> Pred {
    check_predicate(model, text).unwrap_or_else(|d| panic!("{text}: {d:?}"))
}

/// Evidence with its lemmas as text.
pub enum Why<'a> {
    Inductive(&'a [&'a str]),
    KInduction(usize, &'a [&'a str]),
    Diameter(usize),
}

/// A claim of all conjuncts.
pub fn claim(model: &mut Model, why: &Why<'_>) -> Claim {
    let mut lemmas = |texts: &[&str]| texts.iter().map(|t| lemma(model, t)).collect();
    let evidence = match why {
        Why::Inductive(texts) => Evidence::Inductive { lemmas: lemmas(texts) },
        Why::KInduction(k, texts) => Evidence::KInduction { k: *k, lemmas: lemmas(texts) },
        Why::Diameter(depth) => Evidence::Diameter { depth: *depth },
    };
    let conjuncts: Vec<usize> = (0..model.invariant.len()).collect();
    Claim {
        properties: conjuncts.iter().map(|&i| Property::Invariant(i)).collect(),
        conjuncts,
        well_definedness: true,
        layouts: vec![],
        evidence,
    }
}

pub fn checked(model: &Model, claim: &Claim, status: &ProofStatus, recheck: bool) -> Checked {
    checked_within(model, claim, status, recheck, 10_000)
}

pub fn checked_within(
    model: &Model,
    claim: &Claim,
    status: &ProofStatus,
    recheck: bool,
    millis: u64,
) -> Checked {
    let mut budget = Budget::unlimited();
    budget.query = Some(std::time::Duration::from_millis(millis));
    check(&mut system(model), claim, status, recheck, &mut open_default, &budget).expect("solver")
}

pub fn status(pairs: &[(Option<u32>, usize)], level: Level) -> ProofStatus {
    let mut status = ProofStatus::none();
    for &(event, conjunct) in pairs {
        let pair: Pair = (event.map(EventId), conjunct);
        status.insert(pair, PairStatus { provers: vec!["test".into()], level });
    }
    status
}
