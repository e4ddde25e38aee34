//! Refinements, implementations and loops of classical B in pairs: all obligations of the right ones are discharged, each
//! wrong one has exactly these open.

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::{Session, SolverChoice, SolverError, open};
use bsym_encodings::term::Terms;
use bsym_language::load::load_model;
use bsym_proofs::obligations::{Obligations, prove_obligations};
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_status::file::Status;
use bsym_testing::{Part, present};

const RIGHT: [&str; 22] = [
    "Both_r.ref",
    "Level_r.ref",
    "Pick_r.ref",
    "Root_r.ref",
    "Share_r.ref",
    "Sign_r.ref",
    "Start_r.ref",
    "Swap_r.ref",
    "Take_r.ref",
    "Twice_r.ref",
    "Total_r.imp",
    "Total2_r.imp",
    "Total3_r.imp",
    "Frame_r.imp",
    "Mean_r.imp",
    "Tally_r.imp",
    "Tank_r.imp",
    "Meter_r.imp",
    "Half_r.imp",
    "Three_r.imp",
    "Peak_r.imp",
    "Usage_r.imp",
];

const WRONG: [(&str, &[&str]); 25] = [
    ("Both_w.ref", &["ass1/ASSERTION"]),
    ("Level_w.ref", &["get/r/RES", "raise/inv2/REF"]),
    ("Pick_w.ref", &["pick/FOLLOW"]),
    ("Root_w.ref", &["grow/FOLLOW#6"]),
    ("Share_w.ref", &["share/3/WD", "share/q/RES"]),
    ("Sign_w.ref", &["sign/r/RES#2"]),
    ("Start_w.ref", &["INITIALISATION/inv2/REF"]),
    ("Swap_w.ref", &["swap/q/REF"]),
    ("Take_w.ref", &["take/PRE#2"]),
    ("Twice_w.ref", &["store/3/PRE", "store/inv1/REF"]),
    ("Total_w.imp", &["total/loop1.inv1/EST", "total/loop1.inv2/EST"]),
    ("Total2_w.imp", &["total/loop1.inv1/KEPT", "total/loop1.inv2/KEPT"]),
    ("Total3_w.imp", &["total/loop1/VAR"]),
    ("Frame_w.imp", &["ValuesLemmas/Frame.prop3/VALUES", "ValuesLemmas/Frame.prop4/VALUES"]),
    (
        "Frame2_w.imp",
        &[
            "ValuesLemmas/room_of/INT",
            "ValuesLemmas/KEY/VALUES",
            "ValuesLemmas/room_of/INT#2",
            "ValuesLemmas/Frame.prop1/VALUES",
        ],
    ),
    ("Mean_w.imp", &["mean/3/INT"]),
    ("Tally_w.imp", &["get/1/INT", "c/INT"]),
    ("Tank_w.imp", &["Buffer.ass1/ASSERTION"]),
    ("Tank2_w.imp", &["add/5/PRE"]),
    ("Meter2_w.imp", &["fill/PRE#2", "drain/inv1/REF"]),
    ("Half_w.imp", &["half/4/ASSERT"]),
    ("Three_w.imp", &["three/3/PRE", "near/9/ASSERT", "some/FOLLOW"]),
    ("Usage2_w.imp", &["ValuesLemmas/Usage2.prop1/VALUES"]),
    ("Peak_w.imp", &["get/r/RES"]),
    ("Three2_w.imp", &["three/6/ASSERT", "twice/r/RES"]),
];

fn opener(terms: Rc<Terms>) -> Result<Session, SolverError> {
    open(terms, &SolverChoice::Default)
}

fn has_solver() -> bool {
    present(Part::Solver, opener(Rc::new(Terms::new())).ok(), "solver").is_some()
}

fn proved(name: &str) -> (Obligations, usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/po/classical").join(name);
    let model = Arc::new(load_model(&path).expect("a file").model.expect("a machine"));
    let scope = Scope::settle(&model, &ScopeRequest::default()).expect("a scope");
    let mut open = opener;
    let all = prove_obligations(model.clone(), &scope, &mut open, &Budget::unlimited(), &mut |_| {});
    let all = all.expect("a solver");
    let left_out = all.left_out(&model).len();
    (all, left_out)
}

fn open_ones(all: &Obligations) -> Vec<&str> {
    all.all.iter().filter(|p| !p.status.is_discharged()).map(|p| p.name.as_str()).collect()
}

#[test]
fn all_obligations_of_right_refinements_are_discharged() {
    if !has_solver() {
        return;
    }
    for name in RIGHT {
        let (all, left_out) = proved(name);
        assert_eq!(open_ones(&all), [""; 0], "{name}");
        assert!(all.count(Status::Discharged) > 0, "{name}");
        assert_eq!(left_out, 0, "{name}");
    }
}

#[test]
fn each_wrong_refinement_has_an_open_obligation() {
    if !has_solver() {
        return;
    }
    for (name, expected) in WRONG {
        let all = proved(name).0;
        assert_eq!(open_ones(&all), expected, "{name}");
        // Each has a sequent that can be evaluated.
        let open = all.all.iter().filter(|p| !p.status.is_discharged());
        assert!(
            open.map(|p| all.sequent(p)).all(|s| s.is_some_and(|s| s.model.assertions.len() == 1)),
            "{name}"
        );
        // They are known to the solver alone: no trace was replayed.
        assert_eq!(all.count(Status::Refuted), 0, "{name}");
        // No engine takes for granted what rests on the abstraction.
        assert_eq!(all.status().len(), 0, "{name}");
    }
}
