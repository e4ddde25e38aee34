//! Machines with known verdicts: what we prove must agree, and no forged status may carry a proof.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::{Session, SolverChoice, SolverError, open};
use bsym_encodings::system::System;
use bsym_encodings::system::build::encode;
use bsym_encodings::term::Terms;
use bsym_language::load::load_model;
use bsym_language::model::{EventId, Model};
use bsym_proofs::check::check;
use bsym_proofs::claim::{Checked, Claim, Evidence, Property};
use bsym_proofs::obligations::{Obligations, prove_obligations};
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_status::PoFile;
use bsym_status::file::{Kind, Status};
use bsym_status::{Level, PairStatus, ProofStatus};
use bsym_testing::{Part, present};

fn corpus() -> Option<PathBuf> {
    let solver = opener(Rc::new(Terms::new())).ok();
    present(Part::Solver, solver, "solver")?;
    bsym_testing::corpus()
}

fn opener(terms: Rc<Terms>) -> Result<Session, SolverError> {
    open(terms, &SolverChoice::Default)
}

fn budget() -> Budget {
    let mut budget = Budget::unlimited().within(Duration::from_secs(60));
    budget.query = Some(Duration::from_secs(1));
    budget
}

/// The machines of `symbolic/` with the known verdict of their invariant, in ProB's scope.
fn machines(corpus: &Path) -> Vec<(String, bool, Arc<Model>, Scope)> {
    let text = std::fs::read_to_string(corpus.join("manifest.json")).expect("a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let mut all = vec![];
    for entry in manifest["entries"].as_array().expect("entries") {
        let (Some(path), Some(violated)) =
            (entry["path"].as_str(), entry["facts"]["invariant_violated"].as_bool())
        else {
            continue;
        };
        if !path.starts_with("symbolic/") || !path.ends_with(".mch") {
            continue;
        }
        let Some(model) = load_model(&corpus.join(path)).ok().and_then(|l| l.model) else { continue };
        let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
        let scope = Scope::settle(&model, &request).expect("a scope");
        all.push((path.to_string(), violated, Arc::new(model), scope));
    }
    all
}

fn system(model: &Arc<Model>, scope: &Scope) -> System {
    encode(Rc::new(Terms::new()), model.clone(), scope)
}

fn prove(model: &Arc<Model>, scope: &Scope) -> Obligations {
    prove_obligations(model.clone(), scope, &mut opener, &budget(), &mut |_| {}).expect("solver")
}

fn inductive(model: &Arc<Model>, scope: &Scope, status: &ProofStatus) -> Checked {
    let conjuncts: Vec<usize> = (0..model.invariant.len()).collect();
    let claim = Claim {
        properties: conjuncts.iter().map(|&i| Property::Invariant(i)).collect(),
        conjuncts,
        well_definedness: true,
        layouts: vec![],
        evidence: Evidence::Inductive { lemmas: vec![] },
    };
    check(&mut system(model, scope), &claim, status, false, &mut opener, &budget()).expect("solver")
}

/// Kinds that say nothing of whether the invariant is inductive.
fn beside(kind: Kind) -> bool {
    matches!(kind, Kind::Assertion | Kind::Thm | Kind::Fis | Kind::Var | Kind::Nat | Kind::Fin | Kind::Vwd)
}

#[test]
fn obligations_agree_with_known_verdicts() {
    let Some(corpus) = corpus() else { return };
    let all = machines(&corpus);
    assert!(all.len() >= 20, "only {} machines could be read", all.len());
    for (path, violated, model, scope) in all {
        let obligations = prove(&model, &scope);
        let holds = |s| matches!(s, Status::Discharged | Status::Trivial);
        let inductive = obligations.all.iter().filter(|p| !beside(p.kind)).all(|p| holds(p.status));
        assert!(!(violated && inductive), "{path} is violated, and all its obligations are discharged");
        let checked = self::inductive(&model, &scope, &ProofStatus::none());
        assert_eq!(checked.passed(), inductive, "{path}: {checked:?}");
        // What is written can be read.
        let text = obligations.to_po(&model, &scope, Path::new("")).to_text();
        assert!(PoFile::parse(Path::new("po.json"), text.as_bytes()).is_ok(), "{path}");
    }
}

#[test]
fn a_forged_status_never_carries_a_proof() {
    let Some(corpus) = corpus() else { return };
    for (path, violated, model, scope) in machines(&corpus) {
        let mut forged = ProofStatus::none();
        for event in std::iter::once(None).chain((0..model.events.len()).map(|e| Some(EventId(e as u32)))) {
            for conjunct in 0..model.invariant.len() {
                let status = PairStatus { provers: vec!["forged".into()], level: Level::Tool };
                forged.insert((event, conjunct), status);
            }
        }
        let checked = inductive(&model, &scope, &forged);
        assert!(!(violated && checked.passed()), "{path}: {checked:?}");
        let refuted = prove(&model, &scope);
        let refuted = refuted
            .all
            .iter()
            .filter(|p| matches!(p.kind, Kind::Inv | Kind::InvEst) && p.status == Status::Refuted);
        for p in refuted {
            let found = checked.wrong.iter().any(|w| w.0 == p.event) || !checked.failed.is_empty();
            assert!(found, "{path}: {} is refuted and its forged status was not found out", p.name);
        }
    }
}
