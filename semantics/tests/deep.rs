//! Formulas as deep as they are allowed to be, and deeper, go through the parser, the checker, the
//! printer and the evaluator: each gives a result or a diagnostic, none runs out of stack.

use bsym_language::diagnostic::Severity;
use bsym_language::diagnostic::codes;
use bsym_language::load::{Loaded, load_text};
use bsym_language::stack::with_large_stack;
use bsym_language::{print, render, walk};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::{Scope, ScopeRequest};

/// `open` and `close` around `inner`, so many times.
fn nest(n: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(n), close.repeat(n))
}

fn machine(invariant: &str, initialisation: &str) -> String {
    format!(
        "MACHINE Deep SETS S = {{s}} CONSTANTS f PROPERTIES f = %y.(y : INTEGER | y)
         VARIABLES x INVARIANT {invariant} INITIALISATION {initialisation}
         OPERATIONS op = PRE {invariant} THEN {initialisation} END END"
    )
}

/// Everything that can be done with a text. Whether there was a model.
fn survives(text: &str) -> bool {
    with_large_stack(|| {
        let loaded = load_text("Deep.mch", text);
        let Loaded { sources, diagnostics, .. } = &loaded;
        for d in diagnostics.iter().take(20) {
            assert!(render::render(sources, d, false).contains(&d.message));
        }
        let Some(model) = &loaded.model else {
            assert!(diagnostics.iter().any(|d| d.severity == Severity::Error));
            return false;
        };
        let again = load_text("Deep.mch", print::machine(model));
        if let Some(again) = &again.model {
            assert!(walk::normalised(again) == walk::normalised(model));
        }
        drop(model.clone());
        let scope = Scope::settle(model, &ScopeRequest::default()).expect("nothing is asked of the scope");
        let eval = Evaluator::new(model, &scope);
        let valuations = eval.constants(&Default::default());
        let constants = valuations.found.first().map_or(&[][..], |found| &found[..]);
        let initial = eval.initial_states(constants);
        if let Some(state) = initial.edges.first().and_then(|e| e.state()) {
            eval.successors(constants, state);
        }
        true
    })
}

/// The forms of formulas that nest, given how deep.
fn predicates(n: usize) -> Vec<(&'static str, String)> {
    let conditional = nest(n, "IF x = 1 THEN 1 ELSE ", "2", " END");
    vec![
        ("parentheses", format!("{} = 1", nest(n, "(", "x", ")"))),
        ("not", nest(n, "not(", "x = 1", ")")),
        ("minus", format!("x < {}", nest(n, "-(", "x", ")"))),
        ("if", format!("x < {conditional}")),
        ("if on the left", nest(n, "IF x = 1 THEN ", "x = 2", " ELSE x = 3 END")),
        ("let", format!("x < {}", nest(n, "LET y BE y = 1 IN ", "y", " END"))),
        ("let of a predicate", nest(n, "LET y BE y = 1 IN ", "y = 1", " END")),
        ("application", format!("x = {}", nest(n, "f(", "1", ")"))),
        ("application of a result", format!("x = f{}", "(1)".repeat(n))),
        ("image", format!("x : {}", nest(n, "f[", "{1}", "]"))),
        ("implication", format!("{}x = 1", "x = 2 => ".repeat(n))),
        ("implication to the right", nest(n, "x = 2 => (", "x = 1", ")")),
        ("equivalence", format!("{}x = 1", "x = 2 <=> ".repeat(n))),
        ("conjunction", nest(n, "x = 2 & (", "x = 1", ")")),
        ("disjunction", nest(n, "x = 2 or (", "x = 1", ")")),
        ("difference", format!("x = 1{}", " - 1".repeat(n))),
        ("sum", format!("x = {}", nest(n, "1 + (", "1", ")"))),
        ("product", format!("x = {}", nest(n, "1 * (", "1", ")"))),
        ("power", format!("x = {}1", "1 ** ".repeat(n))),
        ("maplet", format!("1{} = 1{}", " |-> 1".repeat(n), " |-> 1".repeat(n))),
        ("maplet to the right", format!("{0} = {0}", nest(n, "1 |-> (", "1", ")"))),
        ("set", format!("{0} = {0}", nest(n, "{", "x", "}"))),
        ("sequence", format!("{0} = {0}", nest(n, "[", "x", "]"))),
        ("power set", format!("{} : {}", nest(n, "{", "s", "}"), nest(n, "POW(", "S", ")"))),
        ("union", format!("x : {{1}}{}", " \\/ {1}".repeat(n))),
        ("composition", format!("x : dom(f{})", " ; f".repeat(n))),
        ("overriding", format!("x : dom({})", nest(n, "f <+ (", "f", ")"))),
        ("inverse", format!("x : dom(f{})", "~".repeat(n))),
        ("card", format!("x = {}", nest(n, "card({", "x", "})"))),
        ("bool", nest(n, "bool(", "x = 1", ") = TRUE")),
        ("universal", nest(n, "!y.(y = 1 => ", "x = 1", ")")),
        ("existential", nest(n, "#y.(y = 1 & ", "x = 1", ")")),
        ("comprehension", format!("{0} = {0}", nest(n, "{y | y : ", "{1}", "}"))),
        ("lambda", format!("x : dom({})", nest(n, "%y.(y = 1 | ", "1", ")"))),
        ("sum over a set", format!("x = {}", nest(n, "SIGMA(y).(y = 1 | ", "1", ")"))),
        ("record", format!("{0} = {0}", nest(n, "rec(a: ", "x", ")"))),
        ("field", format!("x = 1 & {}{} = 1", nest(n, "rec(a: ", "x", ")"), "'a".repeat(n))),
        ("brackets that stay open", "(".repeat(n)),
        ("sets that stay open", "{x | ".repeat(n)),
        ("closed too often", format!("x = 1 {}", ")".repeat(n))),
    ]
}

fn substitutions(n: usize) -> Vec<(&'static str, String)> {
    let nested = |open: &str, close: &str| nest(n, open, "x := 1", close);
    vec![
        ("begin", nested("BEGIN ", " END")),
        ("pre", nested("PRE x = 1 THEN ", " END")),
        ("if", nested("IF 1 = 1 THEN ", " ELSE x := 2 END")),
        ("else", nested("IF 1 = 2 THEN x := 2 ELSE ", " END")),
        ("select", nested("SELECT 1 = 1 THEN ", " END")),
        ("case", nested("CASE 1 OF EITHER 1 THEN ", " END END")),
        ("choice", nested("CHOICE ", " OR skip END")),
        ("any", nested("ANY y WHERE y = 1 THEN ", " END")),
        ("let", nested("LET y BE y = 1 IN ", " END")),
        ("var", nested("VAR y IN y := 1 ; ", " END")),
        ("assert", nested("ASSERT 1 = 1 THEN ", " END")),
        ("while", nested("WHILE 1 = 2 DO ", " INVARIANT 1 = 1 VARIANT 1 END")),
        ("sequence", format!("x := 1{}", " ; x := 1".repeat(n))),
        ("parallel", format!("x := 1{}", " || skip".repeat(n))),
        ("elsif", format!("IF 1 = 2 THEN skip{} ELSE x := 1 END", " ELSIF 1 = 2 THEN skip".repeat(n))),
        ("begin that stays open", "BEGIN ".repeat(n)),
        ("if that stays open", "IF ".repeat(n)),
    ]
}

fn check(n: usize) {
    for (name, predicate) in predicates(n) {
        eprintln!("{name} {n}");
        survives(&machine(&predicate, "x := 1"));
    }
    for (name, substitution) in substitutions(n) {
        eprintln!("{name} {n}");
        survives(&machine("x : INTEGER", &substitution));
    }
}

#[test]
fn what_is_allowed_goes_through() {
    // The others are not typed, or not closed.
    let wrong = ["application of a result"];
    for (name, predicate) in predicates(60) {
        let goes = survives(&machine(&format!("x : INTEGER & ({predicate})"), "x := 1"));
        let right = !(wrong.contains(&name) || name.contains("stay open") || name.contains("too often"));
        assert_eq!(goes, right, "{name}");
    }
    for (name, substitution) in substitutions(60) {
        let right = !name.contains("stays open");
        assert_eq!(survives(&machine("x : INTEGER", &substitution)), right, "{name}");
    }
}

#[test]
fn the_deepest_that_is_allowed() {
    check(95);
    check(195);
}

#[test]
fn the_highest_that_is_allowed() {
    check(990);
}

#[test]
fn ten_thousand_levels() {
    check(10_000);
    for (name, predicate) in predicates(10_000) {
        let flat = ["implication", "equivalence", "union", "composition", "closed too often"];
        let loaded = with_large_stack(|| load_text("Deep.mch", machine(&predicate, "x := 1")));
        let refused = loaded.diagnostics.iter().any(|d| d.code == codes::NESTED_TOO_DEEPLY);
        assert!(refused || flat.contains(&name), "{name}: {:?}", loaded.diagnostics);
    }
}

#[test]
fn definitions_cannot_make_it_deeper() {
    let mut definitions = vec!["d0(y) == -(-(-(-(-(-(-(-(-(-(y))))))))))".to_owned()];
    for i in 1..20 {
        let j = i - 1;
        definitions.push(format!("d{i}(y) == d{j}(d{j}(y))"));
    }
    for i in [3, 6, 7, 8, 12, 19] {
        let text = format!(
            "MACHINE Deep DEFINITIONS {} VARIABLES x INVARIANT x < d{i}(x) INITIALISATION x := d{i}(1) END",
            definitions[..=i].join("; ")
        );
        assert_eq!(survives(&text), i < 7, "{i}");
    }
}
