//! Obligations of all kinds of a sample refinement: the checks that they answer, and the fate of the others.

use std::collections::BTreeMap;

use bsym_language::load::load_model;
use bsym_language::model::Model;

use super::tests::{element, file, invariant, sequent, status};
use crate::file::Kind;
use crate::import::{Import, OpenKind};
use crate::proven::Check;
use crate::sources::testing::folder;
use crate::sources::{attach, convert};
use crate::{ImportOptions, PoFile, import, read_status};

/// An event with labelled guards, witnesses and actions.
fn event(label: &str, refines: &str, parameters: &[&str], formulas: &[(&str, &str, &str)]) -> String {
    let mut inside = String::new();
    if !refines.is_empty() {
        inside += &element("refinesEvent", "r", &[("target", refines)], "");
    }
    for p in parameters {
        inside += &element("parameter", p, &[("identifier", p)], "");
    }
    for (kind, label, text) in formulas {
        let attribute = if *kind == "action" { "assignment" } else { "predicate" };
        inside += &element(kind, label, &[("label", label), (attribute, text)], "");
    }
    element("event", label, &[("label", label), ("convergence", "0")], &inside)
}

/// A till, and one that keeps a log. Internal names are the labels.
fn till() -> Vec<(&'static str, String)> {
    let variable = |name: &str| element("variable", name, &[("identifier", name)], "");
    let till0 = [
        variable("sum"),
        invariant("inv1", "inv1", "sum ∈ ℤ", "false"),
        event("INITIALISATION", "", &[], &[("action", "act1", "sum ≔ 0")]),
        event(
            "pay",
            "",
            &["p"],
            &[
                ("guard", "grd1", "p ∈ 1 ‥ 10"),
                ("guard", "grd2", "sum + p ≤ 100"),
                ("action", "act1", "sum ≔ sum + p"),
            ],
        ),
        event("look", "", &["p"], &[("guard", "grd1", "p ∈ 1 ‥ 10")]),
    ];
    let till1 = [
        element("refinesMachine", "r", &[("target", "Till0")], ""),
        variable("sum"),
        variable("n"),
        variable("log"),
        invariant("inv1", "inv1", "n ∈ ℕ", "false"),
        invariant("inv2", "inv2", "log ∈ 1 ‥ n → 1 ‥ 10", "false"),
        invariant("thm1", "thm1", "dom(log) = 1 ‥ n", "true"),
        invariant("inv3", "inv3", "n > 0 ⇒ log(n) ≤ 10", "false"),
        event(
            "INITIALISATION",
            "",
            &[],
            &[("action", "act1", "sum ≔ 0"), ("action", "act2", "n ≔ 0"), ("action", "act3", "log ≔ ∅")],
        ),
        event(
            "put",
            "pay",
            &["q"],
            &[
                ("guard", "grd1", "q ∈ 1 ‥ 5"),
                ("guard", "grd2", "sum + q ≤ 100"),
                ("witness", "p", "p = q"),
                ("action", "act1", "sum ≔ sum + q"),
                ("action", "act2", "n ≔ n + 1"),
                ("action", "act3", "log(n + 1) ≔ q"),
            ],
        ),
        event(
            "again",
            "pay",
            &[],
            &[
                ("guard", "grd1", "n > 0"),
                ("guard", "grd2", "log(n) + sum ≤ 100"),
                ("witness", "p", "p = log(n)"),
                ("action", "act1", "sum ≔ log(n) + sum"),
            ],
        ),
        event("peep", "look", &[], &[("witness", "p", "p > 3 ∧ p < 9"), ("action", "act1", "sum ≔ sum + 0")]),
    ];
    let obligations = OBLIGATIONS.map(|(name, event, abstraction, target)| {
        let m = "machineFile";
        let mut sources = vec![];
        let (concrete, abstract_event) = (format!("event#{event}"), format!("event#{abstraction}"));
        let (of_abstract, of_event) = (format!("{abstract_event}|{target}"), format!("{concrete}|{target}"));
        let is_abstract = name.ends_with("/GRD") || name.ends_with("/SIM");
        match (abstraction, event) {
            ("", "") => sources.push(("Till1.bum", m, target)),
            ("", _) => sources.push(("Till1.bum", m, of_event.as_str())),
            _ if is_abstract => sources.extend([
                ("Till0.bum", m, abstract_event.as_str()),
                ("Till0.bum", m, of_abstract.as_str()),
                ("Till1.bum", m, concrete.as_str()),
            ]),
            _ => sources.push(("Till1.bum", m, concrete.as_str())),
        }
        sequent(name, "1", &sources)
    });
    let statuses = OBLIGATIONS.map(|(name, ..)| status(name, "1000", "1", &[]));
    vec![
        ("Till/Till0.bum", file("machineFile", &till0.concat())),
        ("Till/Till1.bum", file("machineFile", &till1.concat())),
        ("Till/Till1.bpo", file("poFile", &obligations.concat())),
        ("Till/Till1.bps", file("psFile", &statuses.concat())),
    ]
}

/// Name, event, abstract event, and target.
const OBLIGATIONS: [(&str, &str, &str, &str); 14] = [
    ("thm1/THM", "", "", "invariant#thm1"),
    ("inv3/WD", "", "", "invariant#inv3"),
    ("put/grd1/GRD", "put", "pay", "guard#grd1"),
    ("again/grd2/WD", "again", "", "guard#grd2"),
    ("again/p/WWD", "again", "", "witness#p"),
    ("again/act1/WD", "again", "", "action#act1"),
    ("again/grd1/GRD", "again", "pay", "guard#grd1"),
    ("again/grd2/GRD", "again", "pay", "guard#grd2"),
    ("again/act1/SIM", "again", "pay", "action#act1"),
    ("peep/p/WFIS", "peep", "", "witness#p"),
    ("peep/grd1/GRD", "peep", "look", "guard#grd1"),
    ("peep/sum/EQL", "peep", "look", ""),
    ("put/act2/FIS", "put", "", "action#act2"),
    ("put/NAT", "put", "", "variant#v"),
];

fn with(change: impl Fn(&str, &mut String)) -> (Model, Import, tempfile::TempDir) {
    let mut files = till();
    for (name, text) in &mut files {
        change(name, text);
    }
    let folder = folder(&files);
    let loaded = load_model(&folder.path().join("Till/Till1.bum")).unwrap();
    let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let import = read_status(&folder.path().join("Till"), &model, &ImportOptions::default()).unwrap();
    (model, import, folder)
}

fn proven(model: &Model, import: &Import) -> Vec<String> {
    import.status.checks().map(|(c, _)| c.describe(model)).collect()
}

fn open(model: &Model, import: &Import) -> BTreeMap<String, (OpenKind, String)> {
    import.open_checks.iter().map(|o| (o.check.describe(model), (o.kind, o.reason.clone()))).collect()
}

#[test]
fn proven_obligations_answer_checks() {
    let (model, import, _folder) = with(|_, _| {});
    let all = proven(&model, &import);
    for expected in [
        "put refines pay: guard grd1",
        "again refines pay: guard grd1",
        "again refines pay: guard grd2",
        "again refines pay: action act1",
        "peep refines look: unchanged variable sum",
        "peep refines look: witness for p",
        "well-definedness of inv3",
        "theorem thm1",
    ] {
        assert!(all.iter().any(|c| c == expected), "{expected}: {all:#?}");
    }
    // Wherever the application is evaluated: in the guard, the witness, the action, the abstract guards.
    let steps: Vec<&String> = all.iter().filter(|c| c.starts_with("again: well-definedness")).collect();
    assert!(steps.len() >= 4, "{all:#?}");
    assert_eq!(import.open_checks, []);
    let unused: Vec<(Kind, &str)> = import.ignored.iter().map(|e| (e.kind, e.reason.as_str())).collect();
    assert_eq!(unused.len(), 2, "{unused:?}");
    assert!(unused[0].0 == Kind::Fis && unused[0].1.contains("disables the event"), "{unused:?}");
    assert!(unused[1].0 == Kind::Nat && unused[1].1.contains("variants are not checked"), "{unused:?}");
    assert_eq!(import.used.len(), 12);
}

#[test]
fn what_is_open_stale_or_unmatched_answers_nothing() {
    let weak = |name: &'static str, with: &'static str| {
        let from = format!("{name}\" org.eventb.core.confidence=\"1000\" org.eventb.core.poStamp=\"1\"");
        let to = format!("{name}\" {with}");
        move |file: &str, text: &mut String| {
            if file.ends_with(".bps") {
                assert!(text.contains(&from));
                *text = text.replace(&from, &to);
            }
        }
    };
    let (pending, old) = (
        "org.eventb.core.confidence=\"0\" org.eventb.core.poStamp=\"1\"",
        "org.eventb.core.confidence=\"1000\" org.eventb.core.poStamp=\"0\"",
    );
    let check = |name, with_status, expected: &[(&str, OpenKind)]| {
        let (model, import, _folder) = with(weak(name, with_status));
        let open = open(&model, &import);
        for (what, kind) in expected {
            assert_eq!(open.get(*what).map(|o| o.0), Some(*kind), "{name}: {what}: {open:#?}");
        }
        (open, import)
    };
    check("again/grd2/GRD", pending, &[("again refines pay: guard grd2", OpenKind::Unproven)]);
    let (_, import) = check("put/grd1/GRD", old, &[("put refines pay: guard grd1", OpenKind::Stale)]);
    assert_eq!(import.stale.iter().map(|e| e.kind).collect::<Vec<_>>(), [Kind::Grd]);
    // The value of a witness must satisfy the guard.
    check("peep/grd1/GRD", pending, &[("peep refines look: witness for p", OpenKind::Unproven)]);
    check("inv3/WD", pending, &[("well-definedness of inv3", OpenKind::Unproven)]);
    let (open, _) = check("again/p/WWD", pending, &[]);
    assert!(open.keys().any(|c| c.starts_with("again: well-definedness")), "{open:#?}");
    // An open theorem may have been a hypothesis of everything but the initialisation.
    let (open, _) = check(
        "thm1/THM",
        pending,
        &[("theorem thm1", OpenKind::Unproven), ("put refines pay: guard grd1", OpenKind::Hypothesis)],
    );
    assert!(open.len() > 10, "{open:#?}");
    // Another label is found by its internal name; an obligation of a guard that is gone fits nothing.
    let renamed = |from: &'static str, to: &'static str| {
        with(move |file, text| {
            if file.ends_with("Till0.bum") {
                assert!(text.contains(from));
                *text = text.replacen(from, to, 1);
            }
        })
    };
    let (model, import, _folder) = renamed("label=\"grd1\"", "label=\"guard one\"");
    assert!(proven(&model, &import).contains(&"put refines pay: guard guard one".to_string()));
    let (model, import, _folder) = renamed("name=\"grd1\"", "name=\"other\"");
    let open = self::open(&model, &import);
    assert_eq!(open["put refines pay: guard grd1"].0, OpenKind::NoObligation, "{open:#?}");
    let lost: Vec<&str> = import.unmatched.iter().map(|e| e.id.as_str()).collect();
    assert_eq!(lost, ["Till1/put/grd1/GRD", "Till1/again/grd1/GRD"]);
}

#[test]
fn checks_survive_in_a_po_json() {
    let (model, before, folder) = with(|_, _| {});
    let mut converted = convert(&folder.path().join("Till"), folder.path()).unwrap();
    attach(&mut converted.file, &model);
    let file = PoFile::parse("po.json".as_ref(), converted.file.to_text().as_bytes()).unwrap();
    let again = import::import("po.json".as_ref(), &file, &model, &ImportOptions::default()).unwrap();
    assert_eq!(again.status, before.status);
    // A comment in the file changes nothing; another guard takes the checks of its event away.
    let machine = folder.path().join("Till/Till1.bum");
    let text = std::fs::read_to_string(&machine).unwrap();
    let reload = |text: String| {
        std::fs::write(&machine, text).unwrap();
        let model = load_model(&machine).unwrap().model.unwrap();
        let status = import::import("po.json".as_ref(), &file, &model, &ImportOptions::default()).unwrap();
        (model, status)
    };
    let (_, kept) =
        reload(text.replace("</org.eventb.core.machineFile>", "<!-- --></org.eventb.core.machineFile>"));
    assert_eq!(kept.status.checks().count(), before.status.checks().count());
    let (other, less) = reload(text.replace("q ∈ 1 ‥ 5", "q ∈ 1 ‥ 50"));
    let open = open(&other, &less);
    assert_eq!(open["put refines pay: guard grd1"].0, OpenKind::Stale, "{open:#?}");
    assert!(proven(&other, &less).contains(&"again refines pay: guard grd2".to_string()));
}

#[test]
fn a_trivial_status_is_no_answer() {
    let (model, _, folder) = with(|_, _| {});
    let mut file = convert(&folder.path().join("Till"), folder.path()).unwrap().file;
    for o in file.obligations.iter_mut().filter(|o| o.kind == Kind::Grd) {
        o.status = crate::file::Status::Trivial;
    }
    let import = import::import("po.json".as_ref(), &file, &model, &ImportOptions::default()).unwrap();
    let refinement = |c: &Check| c.describe(&model).contains(": guard");
    assert!(!import.status.checks().any(|(c, _)| refinement(&c)));
}
