//! Contexts of Event-B alone: how many valuations their constants have, in ProB's finite scope.

use std::path::PathBuf;

use bsym_explore::options::SearchOptions;
use bsym_explore::report::{Progress, Verdict};
use bsym_explore::search::{Problem, search};
use bsym_language::load::load_model;
use bsym_language::model::{CarrierKind, Model};
use bsym_language::stack::with_large_stack;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::verdict::Reason;

/// A context in a file that is gone when this is.
struct ContextFile(PathBuf);

impl ContextFile {
    fn new(test: &str, names: &str, axioms: &[&str]) -> ContextFile {
        let folder = std::env::temp_dir().join(format!("bsym-context-{}-{test}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut text = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<org.eventb.core.contextFile \
             org.eventb.core.configuration=\"org.eventb.core.fwd\" version=\"5\">\n",
        );
        for (i, name) in names.split_whitespace().enumerate() {
            let kind = if name.starts_with(char::is_uppercase) { "carrierSet" } else { "constant" };
            text +=
                &format!("<org.eventb.core.{kind} name=\"n{i}\" org.eventb.core.identifier=\"{name}\"/>\n");
        }
        for (i, axiom) in axioms.iter().enumerate() {
            let axiom = axiom.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            text += &format!(
                "<org.eventb.core.axiom name=\"a{i}\" org.eventb.core.label=\"axm{i}\" \
                 org.eventb.core.predicate=\"{axiom}\"/>\n"
            );
        }
        std::fs::write(folder.join("Context.buc"), text + "</org.eventb.core.contextFile>\n")
            .expect("a file");
        ContextFile(folder)
    }

    fn model(&self) -> Model {
        let loaded = load_model(&self.0.join("Context.buc")).expect("it can be read");
        loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
    }
}

impl Drop for ContextFile {
    fn drop(&mut self) {
        let _gone = std::fs::remove_dir_all(&self.0);
    }
}

/// The valuations of the constants of a context; capital names are sets.
fn valuations(test: &str, names: &str, axioms: &[&str]) -> u64 {
    let model = ContextFile::new(test, names, axioms).model();
    let scope =
        Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).expect("a scope");
    with_large_stack(|| {
        let mut options = SearchOptions::default();
        options.checks.deadlock = false;
        let problem = Problem { model: &model, scope: &scope, finder: None };
        let report = search(&problem, &options, &mut |_: &Progress| {});
        assert!(report.incomplete.is_empty(), "{test}: {:?}", report.incomplete);
        let bounded = report.verdict == Verdict::Unknown(Reason::Bounded(None));
        assert_eq!(bounded, !report.cuts.is_empty(), "{test}: {:?}", report.verdict);
        let decided = matches!(report.verdict, Verdict::Holds(_) | Verdict::Vacuous(..));
        assert!(decided || bounded, "{test}: {:?}", report.verdict);
        report.statistics.valuations
    })
}

#[test]
fn elements_may_be_named_part_by_part() {
    let axioms =
        ["partition(Colours, warm, {blue})", "partition(warm, {red}, {yellow})", "darkest ∈ Colours"];
    let file = ContextFile::new("parts", "Colours warm blue red yellow darkest", &axioms);
    let elements = CarrierKind::Enumerated(["red", "yellow", "blue"].map(String::from).to_vec());
    assert_eq!(file.model().types.carriers[0].kind, elements);
    assert_eq!(valuations("parts", "Colours warm blue red yellow darkest", &axioms), 3);
}

#[test]
fn a_bijection_tells_the_size_of_a_set_and_is_fixed() {
    let seats = "seat ∈ Guests ⤖ 1‥5";
    assert_eq!(valuations("seats", "Guests seat", &[seats]), 1);
    assert_eq!(valuations("host", "Guests seat host", &[seats, "host ∈ Guests"]), 5);
    // The second bijection is not free: all that is known of a guest is the seat.
    assert_eq!(valuations("rows", "Guests seat row", &[seats, "row ∈ 1‥5 ⤖ Guests"]), 120);
    // The order of the axioms does not matter.
    assert_eq!(valuations("first", "Guests seat host", &["host ∈ Guests", seats, "seat(host) > 3"]), 2);
    // Guests are named after their chairs; then the chairs are no longer all alike.
    let both = ["seat ∈ Guests ⤖ Chairs", "next ∈ Chairs ⤖ BOOL"];
    assert_eq!(valuations("chairs", "Guests Chairs seat next", &both), 2);
}

#[test]
fn axioms_may_be_joined_or_apart() {
    let parts = ["seat ∈ Guests ⤖ 1‥3", "host ∈ Guests", "guest ∈ Guests", "host ≠ guest"];
    let names = "Guests seat host guest";
    assert_eq!(valuations("apart", names, &parts), 6);
    assert_eq!(valuations("joined", names, &[&parts.join(" ∧ ")]), 6);
    assert_eq!(valuations("pairs", names, &[&parts[..2].join(" ∧ "), &parts[2..].join(" ∧ ")]), 6);
}

#[test]
fn a_function_may_be_given_point_by_point() {
    let given = ["n ∈ 2‥3", "f ∈ 1‥n → ℕ", "∀i·i ∈ 1‥n ⇒ f(i) = i ∗ i"];
    assert_eq!(valuations("squares", "n f", &given), 2);
    let inverse = ["k ∈ 0‥2 ⤖ 1‥3", "f ∈ 1‥3 → ℤ", "∀i·i ∈ 0‥2 ⇒ f(k(i)) = i − 7"];
    assert_eq!(valuations("inverse", "k f", &inverse), 6);
    let contradicts = ["f ∈ 1‥2 → ℤ", "∀i·i ∈ 1‥4 ⇒ f((i+1) ÷ 2) = i"];
    assert_eq!(valuations("contradicts", "f", &contradicts), 0);
}

#[test]
fn a_known_function_tells_the_bounds_of_its_domain() {
    let bounds = ["n > 0", "f ∈ 1‥n ↣ ℕ", "f = (λi·i ∈ 1‥40 ∣ 50 − i)"];
    assert_eq!(valuations("bounds", "n f", &bounds), 1);
    let late = ["f ∈ 1‥n → ℕ", "∀i·i ∈ 1‥n ⇒ f(i) < 99", "n = 30", "f = (λi·i ∈ 1‥n ∣ i + i)"];
    assert_eq!(valuations("late", "n f", &late), 1);
    let comprehension = ["w = {1 ↦ 5, 2 ↦ 4}", "w ∈ {m,g·m ∈ ℕ ∧ g ∈ 1‥m → ℕ ∣ g}"];
    assert_eq!(valuations("comprehension", "w", &comprehension), 1);
}

#[test]
fn a_partition_tells_its_parts() {
    let rest = ["w = 1‥4", "partition(w, {2}, a, {1})"];
    assert_eq!(valuations("rest", "w a", &rest), 1);
    let whole = ["a = 3‥4", "partition(w, a, {7})", "w ⊆ ℤ"];
    assert_eq!(valuations("whole", "w a", &whole), 1);
    let several = ["w = 1‥4", "partition(w, {p}, a, {q})"];
    assert_eq!(valuations("several", "w a p q", &several), 12);
}

#[test]
fn of_integers_without_bounds_the_one_with_fewest_values_is_cut() {
    assert_eq!(valuations("cut", "longest shortest", &["shortest > 0", "shortest < longest"]), 3);
}
