//! Puzzles that blind enumeration does not finish: unknown functions and sets are decided cell by cell.

use bsym_language::load::load_text;
use bsym_language::stack::with_large_stack;
use bsym_semantics::evaluator::{Evaluator, Limits};
use bsym_semantics::scope::{Scope, ScopeRequest};

/// The valuations of the constants, found by looking at no more than some thousand candidates.
fn solutions(sets: &str, constants: &str, properties: &str) -> Vec<String> {
    let sets = if sets.is_empty() { String::new() } else { format!("SETS {sets}") };
    let text = format!("MACHINE M {sets} CONSTANTS {constants} PROPERTIES {properties} END");
    with_large_stack(move || {
        let loaded = load_text("M.mch", &text);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let scope = Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).unwrap();
        let eval = Evaluator::new(&model, &scope);
        let eval = eval.with_limits(Limits { listing: 20_000, ..Limits::default() });
        let valuations = eval.constants(&Default::default());
        assert_eq!(valuations.incomplete, None, "{properties}");
        assert_eq!(valuations.ill_defined, [], "{properties}");
        let texts = |c: &Vec<_>| c.iter().map(|v| eval.text(v)).collect::<Vec<_>>().join(" ; ");
        let mut all: Vec<String> = valuations.found.iter().map(texts).collect();
        all.sort();
        all
    })
}

#[test]
fn letters_stand_for_different_digits() {
    let found = solutions(
        "",
        "t, w, o, f, u, r",
        "t : 1..9 & w : 0..9 & o : 0..9 & f : 1..9 & u : 0..9 & r : 0..9 & card({t, w, o, f, u, r}) = 6
         & 2 * (100 * t + 10 * w + o) = 1000 * f + 100 * o + 10 * u + r",
    );
    assert_eq!(found.len(), 7);
    assert!(found.contains(&"7 ; 3 ; 4 ; 1 ; 6 ; 8".into()), "{found:?}");
}

#[test]
fn sums_and_products_bound_their_parts() {
    // Four prices of which sum and product are the same, in cents: 1.20, 1.25, 1.50 and 3.16 in any order.
    let found = solutions(
        "",
        "price",
        "price : 1..3 --> 1..400 & SIGMA(i).(i : 1..3 | price(i)) = 525
         & PI(i).(i : 1..3 | price(i)) = 100 * 100 * 525 & price(1) <= price(2) & price(2) <= price(3)",
    );
    assert_eq!(found, ["{(1|->150),(2|->175),(3|->200)}"]);
    // Nothing but the sum bounds the values.
    let found = solutions("", "f", "f : 1..4 --> NATURAL & SIGMA(i).(i : 1..4 | f(i)) = 3");
    assert_eq!(found.len(), 20);
    let found = solutions(
        "",
        "f",
        "f : 0..40 --> NATURAL & f(0) = 1 & !i.(i : 1..40 => f(i) = (3 * f(i - 1)) mod 7)",
    );
    assert_eq!(found.len(), 1);
}

#[test]
fn the_first_decision_on_a_rigid_graph_decides_all() {
    // The isomorphisms between two rings of thirty nodes of which one has a loop.
    let found = solutions(
        "",
        "g, h, p",
        "g = %x.(x : 0..29 | (x + 1) mod 30) \\/ {7 |-> 7} & h = %x.(x : 0..29 | (x + 1) mod 30) \\/ {2 |-> 2}
         & p : 0..29 >->> 0..29 & !(x, y).(x : 0..29 & y : 0..29 => (x |-> y : g <=> p(x) |-> p(y) : h))",
    );
    assert_eq!(found.len(), 1);
    assert!(found[0].contains("(0|->25)") && found[0].contains("(7|->2)"), "{}", found[0]);
}

#[test]
fn numbers_of_elements_are_counted_as_far_as_they_are_decided() {
    // Exact covers: every number from 1 to 12 has one chosen multiple or divisor among its neighbours.
    let found = solutions(
        "",
        "b",
        "b <: (1..4) * (1..4) & !(i).(i : 1..4 => card({j | j : 1..4 & i |-> j : b}) = 1)
         & !(j).(j : 1..4 => card({i | i : 1..4 & i |-> j : b}) = 1) & 1 |-> 2 : b & 2 |-> 1 : b",
    );
    assert_eq!(found.len(), 2);
    // The image is a single value, so that the relation is one between few points.
    let found = solutions("S = {a1, a2, a3, a4, a5, a6, a7}", "r", "r : {a1, a2} <-> S & r[S] = {a3}");
    assert_eq!(found.len(), 3);
    let found = solutions(
        "",
        "x, y",
        "x <: 1..9 & y <: 1..9 & x \\/ y = 1..9 & x /\\ y = {} & {1, 2} <: x & 3..9 <: y",
    );
    assert_eq!(found, ["{1,2} ; {3,4,5,6,7,8,9}"]);
}

#[test]
fn existential_conditions_become_clauses() {
    // Every point outside the chosen set has a neighbour in it: the sets of at most two points on a ring of six.
    let found = solutions(
        "",
        "d, n",
        "d : 0..5 --> BOOL & n = card(d~[{TRUE}]) & n <= 2
         & !i.(i : 0..5 => d(i) = TRUE or #j.(j : 0..5 & (j = (i + 1) mod 6 or i = (j + 1) mod 6) & d(j) = TRUE))",
    );
    assert_eq!(found.len(), 3, "{found:?}");
}

#[test]
fn functions_of_functions_are_defined_where_their_types_say() {
    let found = solutions(
        "S = {n1, n2, n3}; L = {la, lb}",
        "t, r, i",
        "t : S --> (L --> POW(S)) & r : S <-> S & r = {x, y | x : S & y : S & #a.(a : L & y : t(x)(a))}
         & i : S & i = n1 & !(x, a).(x : S & a : L => t(x)(a) <: closure1(r)[{i}])
         & (t = S * {{la |-> {n2}, lb |-> {}}} or t = S * {L * {{}}})",
    );
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn a_lambda_over_an_unknown_function_is_injective_in_its_values() {
    let found = solutions(
        "",
        "q",
        "q : 1..8 >-> 1..8 & %i.(i : 1..8 | i + q(i)) : 1..8 >-> 2..16 & %i.(i : 1..8 | i - q(i)) : 1..8 >-> -7..7",
    );
    assert_eq!(found.len(), 92);
}

#[test]
fn what_is_not_connected_is_solved_apart() {
    let found = solutions(
        "",
        "x, y, z, u, v",
        "x : 0..5000 & y : 0..5000 & x = y & z : 0..5000 & u : 0..5000 & v : 0..5000 & u = z + 1 & v = u * u & v = z * z",
    );
    assert!(found.is_empty());
}

#[test]
fn a_set_among_few_that_are_listed_is_not_built_up() {
    let elements: Vec<String> = (1..=36).map(|i| format!("e{i}")).collect();
    let found = solutions(
        &format!("S = {{{}}}", elements.join(", ")),
        "days, same, n",
        "days = {{e1, e2, e3, e4}, {e5, e6, e7, e8}, {e9, e10, e11, e12}}
         & same = %(a, b).(a : S & b : S | bool(#s.(s : days & {a, b} <: s))) & n = card(same |> {TRUE})",
    );
    assert_eq!(found.len(), 1);
    assert!(found[0].ends_with("; 48"), "{}", found[0]);
}
