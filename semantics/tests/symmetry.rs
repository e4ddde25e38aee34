//! The valuations up to names against all valuations: every one of these is a renaming of one of those.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::load::load_text;
use bsym_language::model::ConstId;
use bsym_language::stack::with_large_stack;
use bsym_language::types::CarrierId;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::prob_profile::only_names_elements;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::value::Value;

/// A value with other names for the elements of a carrier.
fn renamed(value: &Value, carrier: CarrierId, names: &[u32]) -> Value {
    let of = |v: &Value| renamed(v, carrier, names);
    match value {
        Value::Element(c, i) if *c == carrier => Value::Element(carrier, names[*i as usize]),
        Value::Pair(p) => Value::pair(of(&p.0), of(&p.1)),
        Value::Set(s) => Value::set(s.iter().map(of)),
        other => other.clone(),
    }
}

fn permutations(n: u32) -> Vec<Vec<u32>> {
    let Some(last) = n.checked_sub(1) else { return vec![vec![]] };
    let insert = |p: Vec<u32>| {
        (0..=p.len()).map(move |at| {
            let mut longer = p.clone();
            longer.insert(at, last);
            longer
        })
    };
    permutations(last).into_iter().flat_map(insert).collect()
}

/// The number of valuations of each kind of `SETS S; T`, and that none is lost; and whether there is a set-up.
fn kinds(constants: &str, properties: &str, fixed: Option<(u32, u32)>) -> (usize, bool) {
    let text = format!(
        "MACHINE M DEFINITIONS \"CHOOSE.def\"; scope_S == 4; scope_T == 3 SETS S; T \
         CONSTANTS {constants} PROPERTIES {properties} END"
    );
    with_large_stack(move || {
        let loaded = load_text("M.mch", &text);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let scope = Scope::settle(&model, &ScopeRequest { prob: true, ..ScopeRequest::default() }).unwrap();
        let eval = Evaluator::new(&model, &scope);
        let s = model.types.carriers.iter().position(|c| c.name == "S").map(|i| CarrierId(i as u32)).unwrap();
        let t = model.types.carriers.iter().position(|c| c.name == "T").map(|i| CarrierId(i as u32)).unwrap();
        let fixed: BTreeMap<_, _> =
            fixed.into_iter().map(|(c, i)| (ConstId(c), Value::Element(s, i))).collect();
        let all = eval.constants(&fixed);
        let some = eval.constants_up_to_names(&fixed);
        assert_eq!((all.incomplete, some.incomplete), (None, None), "{properties}");
        let found: BTreeSet<_> = some.found.iter().cloned().collect();
        assert!(found.iter().all(|v| all.found.contains(v)), "{properties}");
        let is_renaming = |valuation: &Vec<Value>| {
            permutations(4).iter().any(|p| {
                permutations(3).iter().any(|q| {
                    found.contains(
                        &valuation.iter().map(|v| renamed(&renamed(v, s, p), t, q)).collect::<Vec<_>>(),
                    )
                })
            })
        };
        let lost: Vec<_> = all.found.iter().filter(|v| !is_renaming(v)).collect();
        assert!(lost.is_empty(), "{properties}: {lost:?}");
        (found.len(), !only_names_elements(&model))
    })
}

#[test]
fn elements_are_named_in_the_order_in_which_constants_mention_them() {
    assert_eq!(kinds("a", "a : S", None), (1, false));
    assert_eq!(kinds("a, x", "a : S & x : T", None), (1, false));
    // The partitions of as many constants.
    assert_eq!(kinds("a, b", "a : S & b : S", None), (2, true));
    assert_eq!(kinds("a, b, c", "a : S & b : S & c : S", None), (5, true));
    assert_eq!(kinds("a, b, c, x", "a : S & b : S & c : S & x : T", None), (5, true));
    assert_eq!(kinds("a, b, c", "a : S & b : S & c : S & b /= a & c /= a", None), (2, true));
    assert_eq!(kinds("a, b, c", "{a, b, c} <: S & card({a, b, c}) = 3", None), (1, true));
    // Sets and functions are not reduced any further.
    assert_eq!(kinds("a, X", "a : S & X <: S", None), (16, true));
    assert_eq!(kinds("a, f", "a : S & f : S --> BOOL & f(a) = TRUE", None), (8, true));
    assert_eq!(kinds("f, a", "a : S & f : S >-> 1..4 & f(a) > 1", None), (18, true));
    assert_eq!(kinds("X", "X <: S", None), (16, true));
}

#[test]
fn the_parts_of_a_partition_are_numbered_one_after_the_other() {
    let two = "S = A \\/ B & A /\\ B = {}";
    let with = |more: &str| format!("{two} & {more}");
    // Only the sizes are left to choose.
    assert_eq!(kinds("A, B", two, None), (5, true));
    assert_eq!(kinds("A, B", &with("A /= {} & card(B) >= card(A)"), None), (2, true));
    assert_eq!(kinds("A, B", &with("card(A) = 1"), None), (1, true));
    let three = "(C \\/ A) \\/ B = S & {} = B /\\ A & A /\\ C = {} & B /\\ C = {}";
    assert_eq!(kinds("A, B, C", three, None), (15, true));
    // An element is the first of its part.
    assert_eq!(kinds("A, B, c", &with("c : A"), None), (4, true));
    assert_eq!(kinds("A, B, c", &with("c : S"), None), (8, true));
    assert_eq!(kinds("A, B, c, d", &with("c : B & d : A"), None), (3, true));
    assert_eq!(kinds("A, B, c, d", &with("c : S & d : A & c /= d"), None), (6, true));
    // Other sets and functions are not reduced any further.
    assert_eq!(kinds("A, B, X", &with("X <: A & card(X) = 1"), None), (10, true));
    let another = "T = X \\/ Y & X /\\ Y = {}";
    assert_eq!(kinds("A, B, X, Y", &with(another), None), (20, true));
}

#[test]
fn a_bijection_names_the_elements() {
    let kinds = |constants: &str, properties: &str| kinds(constants, properties, None).0;
    assert_eq!(kinds("f", "f : S >->> 1..4"), 1);
    assert_eq!(kinds("f", "f : 1..3 >->> T & f(1) /= f(2)"), 1);
    assert_eq!(kinds("f, g", "f : 1..3 >->> T & g : T >->> BOOL * {0} \\/ {(TRUE, 1)}"), 6);
    assert_eq!(kinds("f, a", "f : T >->> 1..3 & a : T"), 3);
    assert_eq!(kinds("f, X", "f : T >->> 1..3 & X <: T"), 8);
    assert_eq!(kinds("X, f", "X <: T & f : T >->> 1..3"), 8);
    // It names those that have no names yet.
    let sizes = "card(A) = 3 & A <: S & B <: S & A \\/ B = S & A /\\ B = {}";
    assert_eq!(kinds("f, A, B", &format!("f : 1..4 >->> S & {sizes}")), 4);
    // Nothing is left that it could name.
    assert_eq!(kinds("f", "f : T >->> T"), 6);
    assert_eq!(kinds("f, a", "f : T >->> T & a : T"), 6);
    assert_eq!(kinds("f", "f : T >-> 1..4"), 24);
    assert_eq!(kinds("f, a", "f : T >->> 1..3 & a = CHOOSE(T)"), 6);
}

#[test]
fn what_is_no_partition_into_constants_is_not_numbered() {
    assert_eq!(kinds("A, B", "S = A \\/ B & A <: S & B <: S", None), (81, true));
    assert_eq!(kinds("A, B", "A /\\ B = {} & A <: S & B <: S", None), (81, true));
    assert_eq!(kinds("A, B", "A <: S & B = S - A", None), (16, true));
    assert_eq!(kinds("A, B, a", "S = A \\/ B & A /\\ B = {} & a = CHOOSE(S)", None), (16, true));
}

#[test]
fn a_parameter_and_a_free_type_have_a_set_up() {
    let set_up = |text: &str| {
        let model = load_text("M.mch", text).model.expect("the machine is right");
        !only_names_elements(&model)
    };
    assert!(set_up("MACHINE M(p, T) CONSTRAINTS p : T END"));
    assert!(set_up("MACHINE M FREETYPES L = nil, cons(BOOL * L) END"));
    assert!(!set_up("MACHINE M SETS T CONSTANTS p PROPERTIES p : T END"));
}

#[test]
fn what_is_fixed_tells_elements_apart() {
    assert_eq!(kinds("a, b", "a : S & b : S", Some((1, 3))), (4, true));
    assert_eq!(kinds("a, b, x, y", "a : S & b : S & x : T & y : T", Some((0, 2))), (8, true));
}

#[test]
fn functions_that_go_by_the_order_of_elements_tell_them_apart() {
    assert_eq!(kinds("b, a", "a : S & b : S & a = CHOOSE(S)", None), (4, true));
    assert_eq!(kinds("a, x", "a : S & a = CHOOSE(S) & x : T", None), (1, true));
}
