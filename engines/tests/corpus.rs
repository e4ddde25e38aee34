//! The machines of corpus/symbolic and Table 1's counters: no wrong verdict from any engine, and the
//! known one from at least one.
#![cfg(feature = "z3")]

mod common;

use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_engines::verdict::{Engine, Verdict};
use bsym_proofs::obligations::prove_obligations;
use bsym_semantics::scope::ScopeRequest;
use bsym_status::ProofStatus;
use bsym_testing::corpus;
use common::*;

#[test]
fn symbolic_machines_get_their_known_verdicts() {
    let Some(corpus) = corpus() else { return };
    let manifest: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(corpus.join("manifest.json")).unwrap()).unwrap();
    let mut failures = vec![];
    let mut known = 0;
    for entry in manifest["entries"].as_array().unwrap() {
        let path = entry["path"].as_str().unwrap_or_default();
        let wanted = path.starts_with("symbolic/") || path.starts_with("table1/B/SymbolicModelChecking/");
        if !wanted || !path.ends_with(".mch") {
            continue;
        }
        let Some(violated) = entry["facts"]["invariant_violated"].as_bool() else { continue };
        known += 1;
        let model = model_of(&corpus.join(path)).unwrap_or_else(|| panic!("{path} does not load"));
        let mut right = false;
        // Once one engine knows, the others have a second each to say something wrong. An engine that is
        // unlucky does not keep the others waiting.
        let mut engines = [Engine::Ic3, Engine::Kind, Engine::Bmc];
        if violated {
            engines.reverse();
        }
        let short = engines.map(|e| (e, 5));
        for (engine, seconds) in short.into_iter().chain(engines.map(|e| (e, 90))) {
            if right && seconds > 5 {
                break;
            }
            let mut job = job(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() });
            job.budget = Budget::unlimited().within(Duration::from_secs(if right { 1 } else { seconds }));
            match report(&job, engine).verdict {
                Verdict::Holds(_) if violated => failures.push(format!("{path}: {engine:?} says holds")),
                Verdict::Violated(_) if !violated => {
                    failures.push(format!("{path}: {engine:?} says violated"))
                }
                Verdict::Holds(_) | Verdict::Violated(_) => right = true,
                Verdict::Vacuous(_, why) => failures.push(format!("{path}: {engine:?} says vacuous, {why}")),
                _ => {}
            }
        }
        if !right {
            failures.push(format!("{path}: no engine knows"));
        }
    }
    println!("{known} machines with a known verdict");
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn counters_of_table_1_are_decided_by_every_engine_with_and_without_status() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("table1/B/SymbolicModelChecking/Counters");
    for (name, holds) in [
        ("VerySimpleCounterWrongLargeBranching", false),
        ("InfiniteAndFiniteCounterCorrect", true),
        ("InfiniteAndFiniteCounterWrong", false),
    ] {
        let model = model_of(&folder.join(format!("{name}.mch"))).unwrap();
        let mut job = job(&model, &ScopeRequest::default());
        let own = prove_obligations(model.clone(), &job.scope, &mut open, &job.budget, &mut |_| {})
            .unwrap()
            .status();
        assert!(!own.is_empty(), "{name}");
        for status in [ProofStatus::none(), own] {
            job.status = status;
            for engine in [Engine::Bmc, Engine::Kind, Engine::Ic3] {
                job.depth = (holds && engine == Engine::Bmc).then_some(10);
                let report = report(&job, engine);
                match report.verdict {
                    Verdict::Violated(_) => assert!(!holds, "{name} {engine:?}"),
                    Verdict::Holds(_) => assert!(holds, "{name} {engine:?}"),
                    // A bounded search proves nothing about a counter that never ends.
                    _ => assert!(holds && engine == Engine::Bmc, "{name} {engine:?}: {}", answer(&report)),
                }
                assert!(report.wrong_statuses.is_empty(), "{name} {engine:?}");
            }
        }
    }
}
