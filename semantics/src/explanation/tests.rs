//! Explanations of false formulas over a small machine.

use bsym_language::load::{check_predicate, load_text};

use crate::evaluator::Evaluator;
use crate::explanation::Explanation;
use crate::scope::{Scope, ScopeRequest};
use crate::value::Value;
use crate::value::env::Env;

const MACHINE: &str = "MACHINE library SETS BOOK = {b1, b2, b3}; READER = {r1, r2} CONSTANTS limit \
    PROPERTIES limit = 1 VARIABLES loans, n INVARIANT loans : BOOK <-> READER & n : INTEGER \
    INITIALISATION loans := {} || n := 0 END";

/// The explanation in one line, where two books are with one reader.
fn explained(text: &str) -> String {
    let loaded = load_text("library.mch", MACHINE);
    let mut model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let scope = Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).unwrap();
    let pred = check_predicate(&mut model, text).unwrap_or_else(|d| panic!("{text}: {d:?}"));
    let element = |set: u32, i: u32| Value::Element(bsym_language::types::CarrierId(set), i);
    let loans = Value::set([0, 2].map(|b| Value::pair(element(0, b), element(1, 0))));
    let (constants, state) = ([Value::int(1)], [loans, Value::int(7)]);
    let found = Evaluator::new(&model, &scope).explain(&Env::new(&constants, &state), &pred);
    let Explanation { part, witness, values, elements } = found;
    let equations =
        |all: Vec<(String, String)>| all.into_iter().map(|(name, value)| format!("{name} = {value}"));
    let part = part.map(|part| format!("part {part}"));
    let elements = elements.into_iter().map(|e| format!("{}: {}", e.what, e.set));
    let all = part.into_iter().chain(equations(values)).chain(elements);
    let witness = equations(witness).map(|w| format!("with {w}"));
    all.chain(witness).collect::<Vec<_>>().join("; ")
}

fn check(table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(explained(text), *expected, "{text}");
    }
}

#[test]
fn a_quantifier_has_a_witness_and_its_comparison_values() {
    check(&[
        ("!r.(r : READER => card(loans~[{r}]) <= limit)", "card(loans~[{r}]) = 2; limit = 1; with r = r1"),
        ("!(b, c).(b : dom(loans) & c : dom(loans) & b /= c => loans(b) /= loans(c))", {
            "loans(b) = r1; loans(c) = r1; with b = b1; with c = b3"
        }),
        ("#b.(b : BOOK & loans[{b}] = READER)", "loans = {(b1|->r1),(b3|->r1)}"),
        ("not(#b.(b : BOOK & loans[{b}] = {r1}))", "loans[{b}] = {r1}; with b = b1"),
    ]);
}

#[test]
fn of_connectives_the_part_that_decides_is_explained() {
    check(&[
        ("n > 0 & n < limit", "part n < limit; n = 7; limit = 1"),
        ("n < 0 or n = limit", "n = 7; limit = 1"),
        ("n = 7 => loans = {}", "loans = {(b1|->r1),(b3|->r1)}; n = 7"),
        ("n < 3 <=> loans /= {}", "n = 7; loans = {(b1|->r1),(b3|->r1)}"),
        ("n > 0", ""),
    ]);
}

#[test]
fn a_calculation_names_what_it_is_made_from() {
    check(&[
        ("2 * n + limit <= 10", "2 * n + limit = 15; 2 * n = 14; n = 7; limit = 1"),
        ("LET k BE k = n + 1 IN k < limit END", "limit = 1; with k = 8"),
    ]);
}

#[test]
fn sets_are_compared_by_their_elements() {
    check(&[
        ("dom(loans) = {b1, b2}", {
            "in dom(loans) and not in {b1, b2}: {b3}; in {b1, b2} and not in dom(loans): {b2}"
        }),
        ("ran(loans) = {}", "ran(loans) = {r1}"),
        ("dom(loans) <: {b1, b2}", "in dom(loans) and not in {b1, b2}: {b3}"),
        ("dom(loans) : POW({b1, b2})", "in dom(loans) and not in {b1, b2}: {b3}"),
        ("n : 0..limit", "n = 7; limit = 1"),
    ]);
}

#[test]
fn a_function_lacks_what_its_type_asks() {
    check(&[
        ("loans : BOOK >+> READER", "images of several elements under loans: {r1}"),
        ("loans : BOOK --> READER", "in BOOK and not in dom(loans): {b2}"),
        ("loans~ : READER +-> BOOK", "with several images under loans~: {r1}"),
        ("loans : {b1} +-> {r2}", {
            "in dom(loans) and not in {b1}: {b3}; in ran(loans) and not in {r2}: {r1}"
        }),
        ("loans : BOOK +->> READER", "in READER and not in ran(loans): {r2}"),
    ]);
}

#[test]
fn what_has_no_truth_value_or_takes_long_is_not_explained() {
    check(&[("loans(b2) = r1", ""), ("card({x | x : 0..3000000 & x mod 7 = 3}) = 5", "")]);
}
