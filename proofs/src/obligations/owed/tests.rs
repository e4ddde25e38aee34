use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use bsym_encodings::budget::Budget;
use bsym_language::load::load_model;
use bsym_status::file::{Kind, Status};

use crate::obligations::{Obligations, prove_obligations};
use crate::testing::{open_default, scope, solver};

/// Elements of a Rodin file: a tag and its attributes, without the prefix that all have.
fn element(tag: &str, attributes: &[(&str, &str)], inner: &str) -> String {
    let escaped = |v: &str| v.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let list = attributes.iter().map(|(k, v)| format!(" org.eventb.core.{k}=\"{}\"", escaped(v)));
    format!(
        "<org.eventb.core.{tag} name=\"{}\"{}>{inner}</org.eventb.core.{tag}>\n",
        attributes.first().map_or("", |a| a.1),
        list.collect::<String>()
    )
}

/// An event: parameters, then `label: formula` of guards, witnesses and actions.
struct Event<'a>(&'a str, &'a [&'a str], &'a [&'a str], &'a [&'a str], &'a [&'a str]);

fn machine(folder: &Path, name: &str, refines: Option<&str>, invariants: &[&str], events: &[Event<'_>]) {
    let labelled = |tag: &str, attribute: &str, list: &[&str]| {
        let each = list.iter().map(|l| l.split_once(": ").expect("a label and a formula"));
        each.map(|(l, f)| element(tag, &[("label", l), (attribute, f)], "")).collect::<String>()
    };
    let mut inner: String = refines.iter().map(|r| element("refinesMachine", &[("target", r)], "")).collect();
    inner += &element("variable", &[("identifier", "x")], "");
    inner += &labelled("invariant", "predicate", invariants);
    for Event(label, parameters, guards, witnesses, actions) in events {
        let is_refined = refines.is_some() && *label != "INITIALISATION";
        let mut parts: String = match is_refined {
            true => element("refinesEvent", &[("target", label)], ""),
            false => String::new(),
        };
        parts.extend(parameters.iter().map(|p| element("parameter", &[("identifier", p)], "")));
        parts += &labelled("guard", "predicate", guards);
        parts += &labelled("witness", "predicate", witnesses);
        parts += &labelled("action", "assignment", actions);
        inner += &element("event", &[("label", label), ("convergence", "0"), ("extended", "false")], &parts);
    }
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<org.eventb.core.machineFile \
         org.eventb.core.configuration=\"org.eventb.core.fwd\" version=\"5\">\n{inner}</org.eventb.core.machineFile>"
    );
    std::fs::write(folder.join(format!("{name}.bum")), text).expect("a file");
}

/// The obligations of a machine with one event that refines another.
fn refined(abstraction: Event<'_>, concrete: Event<'_>) -> Option<Obligations> {
    solver()?;
    let folder = tempfile::tempdir().expect("a folder");
    let start = || Event("INITIALISATION", &[], &[], &[], &["act1: x ≔ 9"]);
    machine(folder.path(), "A", None, &["inv1: x ∈ ℕ"], &[start(), abstraction]);
    machine(folder.path(), "B", Some("A"), &["inv2: x ≤ 9"], &[start(), concrete]);
    let m = load_model(&folder.path().join("B.bum")).expect("a file").model.expect("a machine");
    let all = prove_obligations(
        Arc::new(m.clone()),
        &scope(&m),
        &mut open_default,
        &Budget::unlimited(),
        &mut |_| {},
    );
    Some(all.expect("a solver"))
}

/// Obligations that Rodin generates for the event, by name.
fn names(all: &Obligations) -> BTreeMap<&str, Status> {
    let kinds = [Kind::Grd, Kind::Sim, Kind::Eql, Kind::Wfis, Kind::Wwd, Kind::Wd, Kind::Fis];
    let some = all.all.iter().filter(|p| kinds.contains(&p.kind));
    some.map(|p| (p.name.strip_prefix("go/").unwrap_or(&p.name), p.status)).collect()
}

fn check(abstraction: Event<'_>, concrete: Event<'_>, expected: &[(&str, Status)]) {
    let Some(all) = refined(abstraction, concrete) else { return };
    assert_eq!(names(&all), expected.iter().copied().collect());
}

use Status::{Discharged, Refuted, Trivial};

#[test]
fn what_the_event_repeats_has_no_obligation_and_what_the_witness_makes_equal_a_trivial_one() {
    check(
        Event("go", &["n"], &["grd1: x > 0", "grd2: n ∈ 1 ‥ x"], &[], &["act1: x ≔ x − n"]),
        Event("go", &["m"], &["a: x > 0", "b: m ∈ 1 ‥ x"], &["n: n = m"], &["c: x ≔ x − m"]),
        &[("grd2/GRD", Trivial), ("act1/SIM", Trivial)],
    );
    check(
        Event("go", &[], &["grd1: x > 0"], &[], &["act1: x ≔ x − 1"]),
        Event("go", &[], &["a: 0 < x"], &[], &["c: x ≔ x − 1"]),
        &[("grd1/GRD", Discharged)],
    );
    check(Event("go", &[], &[], &[], &[]), Event("go", &[], &[], &[], &["c: x ≔ x"]), &[("x/EQL", Trivial)]);
}

#[test]
fn a_witness_that_gives_no_value_has_one_and_suits_each_guard() {
    let go = || Event("go", &["n"], &["grd1: n ∈ 1 ‥ x", "grd2: n > 0"], &[], &["act1: x ≔ 0"]);
    check(
        go(),
        Event("go", &[], &["a: x > 1"], &["n: n ∈ 1 ‥ 2"], &["c: x ≔ 0"]),
        &[("n/WFIS", Discharged), ("grd1/GRD", Discharged), ("grd2/GRD", Discharged)],
    );
    // There is a value that suits the guard, and the witness allows others.
    check(
        go(),
        Event("go", &[], &["a: x > 1"], &["n: n ∈ 0 ‥ 2"], &["c: x ≔ 0"]),
        &[("n/WFIS", Discharged), ("grd1/GRD", Refuted), ("grd2/GRD", Refuted)],
    );
    check(
        go(),
        Event("go", &[], &["a: x > 1"], &["n: n ∈ 1 ‥ x − 5"], &["c: x ≔ 0"]),
        &[("n/WFIS", Refuted), ("grd1/GRD", Discharged), ("grd2/GRD", Discharged)],
    );
    // Without a witness Rodin asks for all values; that there is one is our own obligation.
    check(
        go(),
        Event("go", &[], &["a: x > 1"], &[], &["c: x ≔ 0"]),
        &[("n/WFIS", Discharged), ("grd1/GRD", Refuted), ("grd2/GRD", Refuted)],
    );
}

#[test]
fn a_witness_is_well_defined_whether_or_not_something_is_checked_of_it() {
    let go = || Event("go", &["n"], &[], &[], &["act1: x ≔ 0"]);
    let by = |guard| Event("go", &["m"], guard, &["n: n = 6 ÷ m"], &["c: x ≔ 0"]);
    check(go(), by(&["a: m ∈ 1 ‥ 2"]), &[("n/WWD", Discharged)]);
    check(go(), by(&["a: m ∈ 0 ‥ 2"]), &[("n/WWD", Refuted)]);
}

#[test]
fn a_guard_that_equals_another_one_that_is_owed_is_not_trivial() {
    check(
        Event("go", &["n"], &["grd1: n > 5", "grd2: n > 5"], &[], &[]),
        Event("go", &["m"], &["a: m ∈ 1 ‥ x"], &["n: n = m"], &[]),
        &[("grd1/GRD", Refuted), ("grd2/GRD", Refuted)],
    );
}

#[test]
fn a_formula_of_the_abstraction_has_its_meaning_and_its_result_there() {
    // Neither labels and white space nor the abstract event's conditions before the guard matter.
    check(
        Event("go", &[], &["grd1: 6 ÷ x > 0"], &[], &["act1: x :∈ 1 ‥ x"]),
        Event("go", &[], &["a: x > 1", "b: 6÷x>0"], &[], &["c: x :∈ 1‥x"]),
        &[("A.grd1/WD", Discharged)],
    );
    // A guard that the abstract event has before this one is missing, or comes later.
    let go = || Event("go", &[], &["grd1: x > 0", "grd2: 6 ÷ x > 0"], &[], &[]);
    check(go(), Event("go", &[], &["b: 6 ÷ x > 0", "a: x > 0"], &[], &[]), &[("b/WD", Refuted)]);
    check(go(), Event("go", &[], &["a: x > 0", "b: 6 ÷ x > 0"], &[], &[]), &[("A.grd2/WD", Discharged)]);
}

#[test]
fn a_theorem_follows_from_what_stands_before_it() {
    if solver().is_none() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let start = Event("INITIALISATION", &[], &[], &[], &["act1: x ≔ 9"]);
    machine(
        folder.path(),
        "T",
        None,
        &["inv1: x ≥ 3", "thm1: 6 ÷ x < 3", "inv2: x ≥ 5", "thm2: x > 4"],
        &[start],
    );
    let path = folder.path().join("T.bum");
    let text = std::fs::read_to_string(&path).expect("text");
    let text = text.replace("label=\"thm", "theorem=\"true\" org.eventb.core.label=\"thm");
    let proved = |text: &str| {
        std::fs::write(&path, text).expect("a file");
        let m = load_model(&path).expect("a file").model.expect("a machine");
        let budget = Budget::unlimited();
        let all = prove_obligations(Arc::new(m.clone()), &scope(&m), &mut open_default, &budget, &mut |_| {});
        let all = all.expect("a solver").all.into_iter().filter(|p| matches!(p.kind, Kind::Thm | Kind::Wd));
        all.map(|p| (p.name, p.status)).collect::<BTreeMap<_, _>>()
    };
    let expected = |first: Status| {
        let all = [("thm1/THM", first), ("thm1/WD", Discharged), ("thm2/THM", Discharged)];
        all.map(|(name, status)| (name.to_string(), status)).into_iter().collect::<BTreeMap<_, _>>()
    };
    assert_eq!(proved(&text), expected(Discharged));
    // 6 / 3 is 2: that x is at least 5 is said too late for less.
    assert_eq!(proved(&text.replace("6 ÷ x &lt; 3", "6 ÷ x &lt; 2")), expected(Refuted));
}
