use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::session::SolverChoice;
use bsym_language::load::load_model;
use bsym_testing::{Part, present};

use super::*;
use crate::certificate::{CheckedBy, EvidenceText, Facts, SCHEMA};
use crate::claim::Checked;
use crate::testing::{Why, claim as claim_of, scope as scope_of};

const TWINS: &str = "MACHINE Twins VARIABLES x, y INVARIANT x : INTEGER & y : INTEGER & x - y < 1
INITIALISATION x, y := 0, 0
OPERATIONS both = BEGIN x, y := x + 1, y + 1 END; swap = BEGIN x, y := y, x END END";

const LIMIT: &str =
    "MACHINE Limit CONSTANTS c PROPERTIES c : INTEGER VARIABLES n INVARIANT n : INTEGER & n <= c
INITIALISATION n := 0 OPERATIONS inc = SELECT n < 5 THEN n := n + 1 END END";

/// Writes the machine and its certificate to a folder. Returns the certificate's path.
fn written(folder: &Path, text: &str, why: &Why<'_>, settings: &BTreeMap<String, String>) -> PathBuf {
    let machine = folder.join("m.mch");
    std::fs::write(&machine, text).expect("a file");
    let mut model = load_model(&machine).expect("a file").model.expect("a machine");
    fix_constants(&mut model, settings).expect("settings");
    let claim = claim_of(&mut model, why);
    let checked = Checked { solver: "test".into(), checks: 1, ..Checked::default() };
    let facts = Facts {
        model: &model,
        scope: &scope_of(&model),
        settings,
        engine: "ic3",
        claim: &claim,
        checked: &checked,
        witness: None,
        status: &ProofStatus::none(),
    };
    let path = folder.join("cert.json");
    Certificate::new(&facts, folder).write(&path).expect("a file");
    path
}

fn have_solver() -> bool {
    let found = ["cvc5", "z3"].iter().any(|s| SolverChoice::named(s).is_some());
    present(Part::Solver, found.then_some(()), "program cvc5 or z3").is_some()
}

fn budget() -> Budget {
    let mut budget = Budget::unlimited();
    budget.query = Some(Duration::from_secs(10));
    budget
}

fn run(path: &Path) -> Result<Certified, CertifyError> {
    certify(path, &CertifyOptions::default(), &budget())
}

fn edit(path: &Path, change: impl FnOnce(&mut Certificate)) {
    let mut certificate = Certificate::read(path).expect("a certificate");
    change(&mut certificate);
    certificate.write(path).expect("a file");
}

#[test]
fn a_certificate_is_written_read_and_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(folder.path(), TWINS, &Why::Inductive(&["x = y"]), &BTreeMap::new());
    let text = std::fs::read_to_string(&path).expect("text");
    let read = Certificate::read(&path).expect("a certificate");
    assert_eq!(read.to_text(), text);
    assert_eq!(read.machine.path, "m.mch");
    assert_eq!(read.evidence, EvidenceText::Inductive { lemmas: vec!["x = y".into()] });
    assert_eq!(read.checked, CheckedBy { solver: "test".into(), checks: 1 });
    let schema = serde_json::from_str(SCHEMA).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(validator.iter_errors(&value).map(|e| e.to_string()).collect::<Vec<_>>(), [""; 0]);
    if have_solver() {
        let certified = run(&path).expect("checks");
        assert!(certified.checked.passed(), "{:?}", certified.checked);
        assert_eq!(certified.attempts.len(), 1);
        assert!(certified.checked.solver.contains("cvc5") || certified.checked.solver.contains("z3"));
    }
}

#[test]
fn k_induction_and_diameter_are_written_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let ring = "MACHINE Ring VARIABLES s INVARIANT s : INTEGER & s /= 5 INITIALISATION s := 0
        OPERATIONS a = SELECT s = 3 THEN s := 4 END; b = SELECT s = 4 THEN s := 5 END END";
    for why in [Why::KInduction(2, &["s >= 0"]), Why::Diameter(1)] {
        let path = written(folder.path(), ring, &why, &BTreeMap::new());
        if have_solver() {
            let certified = run(&path).expect("checks");
            assert!(certified.checked.passed(), "{:?}", certified.checked);
        }
    }
}

#[test]
fn changed_evidence_is_found_out() {
    if !have_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(folder.path(), TWINS, &Why::Inductive(&["x = y"]), &BTreeMap::new());
    edit(&path, |c| c.evidence = EvidenceText::Inductive { lemmas: vec!["x < 5".into()] });
    let certified = run(&path).expect("checks");
    assert!(!certified.checked.passed() && !certified.checked.failed.is_empty());
    edit(&path, |c| c.evidence = EvidenceText::KInduction { k: 3, lemmas: vec![] });
    assert!(!run(&path).expect("checks").checked.passed());
    edit(&path, |c| c.evidence = EvidenceText::Inductive { lemmas: vec!["x = z".into()] });
    assert!(matches!(run(&path), Err(CertifyError::Mismatch(m)) if m.contains("`x = z`")));
}

#[test]
fn a_machine_that_reads_a_local_without_a_value_is_refused() {
    if !have_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let text = "MACHINE Dice VARIABLES n INVARIANT n : 1..6 INITIALISATION n := 1
        OPERATIONS roll = VAR m IN IF n = 1 THEN m := 6 END; IF m = 6 THEN n := 2 ELSE n := 3 END END END";
    let path = written(folder.path(), text, &Why::Inductive(&[]), &BTreeMap::new());
    let checked = run(&path).expect("checks").checked;
    assert!(!checked.failed.is_empty(), "{checked:?}");
}

#[test]
fn changed_claims_are_found_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(folder.path(), TWINS, &Why::Inductive(&["x = y"]), &BTreeMap::new());
    edit(&path, |c| c.conjuncts[2].text = "x - y < 0".into());
    assert!(matches!(run(&path), Err(CertifyError::Mismatch(m)) if m.contains("x - y < 0")));
}

#[test]
fn a_changed_machine_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(folder.path(), TWINS, &Why::Inductive(&["x = y"]), &BTreeMap::new());
    std::fs::write(folder.path().join("m.mch"), TWINS.replace("x + 1", "x + 2")).expect("a file");
    let error = run(&path).expect_err("another machine");
    assert!(matches!(error, CertifyError::Changed { .. }) && error.to_string().contains("prove it again"));
    std::fs::remove_file(folder.path().join("m.mch")).expect("a file");
    assert!(matches!(run(&path), Err(CertifyError::NoMachine(_))));
}

#[test]
fn fixed_constants_are_part_of_the_certificate() {
    if !have_solver() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let settings = BTreeMap::from([("c".to_string(), "7".to_string())]);
    let path = written(folder.path(), LIMIT, &Why::Inductive(&[]), &settings);
    assert!(run(&path).expect("checks").checked.passed());
    edit(&path, |c| drop(c.settings.insert("c".into(), "3".into())));
    assert!(!run(&path).expect("checks").checked.passed());
    edit(&path, |c| c.settings.clear());
    assert!(!run(&path).expect("checks").checked.passed());
    edit(&path, |c| drop(c.settings.insert("c".into(), "n".into())));
    assert!(matches!(run(&path), Err(CertifyError::Mismatch(_))));
}

#[test]
fn files_that_are_no_certificate_are_refused() {
    let check = |text: &str, part: &str| {
        let error = Certificate::parse(Path::new("c.json"), text.as_bytes()).expect_err(text).to_string();
        assert!(error.starts_with("c.json") && error.contains(part), "{error}");
    };
    check("", "no JSON object");
    check("{", "c.json:1:1");
    check("{\"format\": \"bsym-po\"}", "format \"bsym-po\"");
    check("{\"format\": \"bsym-certificate\", \"version\": 2}", "version 2");
    check("{\"format\": \"bsym-certificate\",\n \"version\": 1, \"bsym\": 3}", "at `bsym`");
    check("{\"format\": \"bsym-certificate\", \"version\": 1}", "missing field");
}

#[test]
fn what_one_solver_leaves_another_decides() {
    let attempt = |undecided: &[&str], trusted: &[usize]| Attempt {
        solver: String::new(),
        checked: Checked {
            undecided: undecided.iter().map(|u| format!("{u}: time is up")).collect(),
            trusted: trusted.iter().map(|&i| (None, i)).collect(),
            ..Checked::default()
        },
    };
    let all = together(&[attempt(&["a: b", "c"], &[]), attempt(&["c", "d"], &[])], true);
    assert_eq!(all.undecided, ["c: time is up"]);
    let all = together(&[attempt(&["a"], &[]), attempt(&["b"], &[])], false);
    assert_eq!(all.undecided.len(), 1);
    let all = together(&[attempt(&[], &[1, 2]), attempt(&[], &[2, 3])], true);
    assert_eq!(all.trusted, [(None, 2)]);
    let all = together(&[attempt(&["a"], &[1]), attempt(&[], &[])], true);
    assert!(all.trusted.is_empty() && all.undecided.is_empty());
}
