//! Engines that believe the analysis of representations, and engines that do not, give the same verdicts.
#![cfg(feature = "z3")]

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::system::build::Representations;
use bsym_engines::options::Job;
use bsym_engines::verdict::{Engine, Proof, Verdict};
use bsym_language::load::check_predicate;
use bsym_language::model::{Conjunct, Model};
use bsym_proofs::claim::{Claim, Evidence};
use bsym_semantics::scope::ScopeRequest;
use common::*;

const PROVERS: [Engine; 2] = [Engine::Kind, Engine::Ic3];

/// Both answers, as far as they say whether the properties hold.
fn both(model: &Arc<Model>, engine: Engine, seconds: u64) -> (String, String) {
    let asked = |representations| {
        let budget = Budget::unlimited().within(Duration::from_secs(seconds));
        let job = Job { representations, budget, ..job(model, &ScopeRequest::default()) };
        let said = answer(&report(&job, engine));
        said.split(' ').next().unwrap_or_default().to_string()
    };
    (asked(Representations::Analysed), asked(Representations::General))
}

fn same(text: &str, expected: &str) {
    let model = model(text);
    for engine in PROVERS {
        let (analysed, general) = both(&model, engine, 20);
        assert_eq!((analysed.as_str(), general.as_str()), (expected, expected), "{engine:?}: {text}");
    }
}

#[test]
fn functions_sequences_and_sets_of_numbers_need_no_analysis() {
    same(
        "MACHINE Table SETS E = {a, b, c} VARIABLES f INVARIANT f : E +-> 0..9 INITIALISATION f := {}
         OPERATIONS set(e, n) = PRE e : E & n : 0..9 THEN f(e) := n END; drop(e) = PRE e : E THEN f := {e} <<| f END END",
        "holds",
    );
    same(
        "MACHINE Table SETS E = {a, b, c} VARIABLES f INVARIANT f : E +-> 0..9 & (a : dom(f) => f(a) < 9)
         INITIALISATION f := {} OPERATIONS set(e, n) = PRE e : E & n : 0..9 THEN f(e) := n END END",
        "violated",
    );
    same(
        "MACHINE Small VARIABLES s, n INVARIANT s <: 1..3 & n : 1..3 INITIALISATION s, n := {}, 1
         OPERATIONS put = SELECT n < 3 THEN s, n := s \\/ {n}, n + 1 END; clear = s, n := {}, 1 END",
        "holds",
    );
    same(
        "MACHINE Locals SETS S VARIABLES f INVARIANT f : 1..2 +-> S INITIALISATION f := {}
         OPERATIONS op(p, i) = PRE p : S & i : 1..2 THEN VAR g IN g := {i |-> p}; IF f = {} THEN f := g ELSE f := f <+ g END
         END END END",
        "holds",
    );
    same(
        "MACHINE Choice SETS S VARIABLES f INVARIANT f : 1..2 <-> S & f : 1..2 +-> S INITIALISATION f := {}
         OPERATIONS op(p) = PRE p : S THEN ANY g WHERE g : 1..2 <-> S & p : ran(g) THEN f := g END END END",
        "violated",
    );
    same(
        "MACHINE Unmeant SETS S VARIABLES f, s INVARIANT f : 1..2 <-> S & s <: S INITIALISATION f, s := {}, {}
         OPERATIONS op = ANY g WHERE g : 1..2 <-> S & g(1) : S THEN s := {g(1)} END END",
        "violated",
    );
}

/// The examples of the repository.
fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut files: Vec<_> =
        std::fs::read_dir(&folder).expect("the examples").flatten().map(|f| f.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "mch"));
    files.sort();
    assert!(files.len() > 5, "{files:?}");
    files
}

/// The proof that an engine finds, if it finds one.
fn proof(model: &Arc<Model>, engine: Engine) -> Option<Box<Proof>> {
    let budget = Budget::unlimited().within(Duration::from_secs(3));
    match report(&Job { budget, ..job(model, &ScopeRequest::default()) }, engine).verdict {
        Verdict::Holds(proof) => Some(proof),
        _ => None,
    }
}

/// The machine with lemmas as further conjuncts, which are read from their text.
fn pasted(model: &Model, lemmas: &[String]) -> Arc<Model> {
    let mut model = model.clone();
    for text in lemmas {
        let pred = check_predicate(&mut model, text).unwrap_or_else(|d| panic!("{text}: {d:?}"));
        let origin = model.invariant[0].origin;
        let span = pred.span;
        model.invariant.push(Conjunct { label: None, text: text.clone(), origin, span, pred });
    }
    Arc::new(model)
}

/// What comes of proving a machine's invariant by itself, without the analysis, over so many steps.
fn by_itself(model: &Arc<Model>, claim: &Claim) -> String {
    let steps = match claim.evidence {
        Evidence::KInduction { k, .. } => k,
        _ => 0,
    };
    let representations = Representations::General;
    let job = Job { representations, depth: Some(steps), ..job(model, &ScopeRequest::default()) };
    answer(&report(&job, Engine::Kind))
}

#[test]
fn an_invariant_with_its_layouts_is_inductive_in_the_machine() {
    let meter = model(
        "MACHINE Meter SETS E = {a, b, c} VARIABLES f INVARIANT f : E <-> INTEGER & !(e, n).(e |-> n : f => n >= 0)
         INITIALISATION f := {} OPERATIONS
           start(e) = PRE e : E THEN f(e) := 0 END;
           up(e) = PRE e : dom(f) THEN f(e) := f(e) + 1 END END",
    );
    for engine in PROVERS {
        let proof = proof(&meter, engine).expect("the machine is right");
        assert!(proof.lemmas.contains(&"f : E +-> INTEGER".to_string()), "{engine:?}: {:?}", proof.lemmas);
        assert_eq!(by_itself(&pasted(&meter, &proof.lemmas), &proof.claim), "holds", "{engine:?}");
        let without: Vec<String> = proof.lemmas.iter().filter(|l| !l.contains("+->")).cloned().collect();
        let alone = by_itself(&pasted(&meter, &without), &proof.claim);
        assert!(alone.starts_with("unknown"), "{engine:?}: {alone}");
    }
}

#[test]
fn invariants_of_examples_are_inductive_in_their_machines() {
    let mut tried = 0;
    for path in examples() {
        let model = model_of(&path).expect("an example is a machine");
        for engine in PROVERS {
            let Some(proof) = proof(&model, engine) else { continue };
            let said = by_itself(&pasted(&model, &proof.lemmas), &proof.claim);
            assert_eq!(said, "holds", "{engine:?}: {}: {:?}", path.display(), proof.lemmas);
            tried += 1;
        }
    }
    assert!(tried > 5, "{tried}");
}

#[test]
fn no_example_is_answered_otherwise() {
    for path in examples() {
        let model = model_of(&path).expect("an example is a machine");
        for engine in PROVERS {
            let (analysed, general) = both(&model, engine, 3);
            let open = |said: &str| said == "unknown";
            assert!(
                analysed == general || open(&analysed) || open(&general),
                "{engine:?}: {}: {analysed}, without the analysis {general}",
                path.display()
            );
        }
    }
}
