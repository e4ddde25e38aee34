use std::collections::BTreeMap;

use super::*;
use crate::ast::{BinaryOp, ExprKind};
use crate::diagnostic::codes;
use crate::stack::with_large_stack;
use crate::text::source::SourceId;

// A text that stands in its file as it is.
fn plain(text: &str) -> Text {
    Text { text: text.to_string(), places: (0..=text.len() as u32).collect(), source: SourceId(0) }
}

fn formula(text: &str, is_declared: &dyn Fn(&str) -> bool) -> Result<Expr, Diagnostic> {
    let operators = BTreeMap::new();
    formula_with(&plain(text), &Names { is_declared, operators: &operators })
}

fn read(text: &str) -> Result<Expr, Diagnostic> {
    with_large_stack(|| formula(text, &|_| false))
}

// The operators' names with their operands in parentheses.
fn show(e: &Expr) -> String {
    let list = |items: &[Expr]| items.iter().map(show).collect::<Vec<_>>().join(" ");
    match &e.kind {
        ExprKind::Ident(n) | ExprKind::Integer(n) => n.clone(),
        ExprKind::Binary(op, l, r) => format!("({op:?} {} {})", show(l), show(r)),
        ExprKind::Unary(op, a) => format!("({op:?} {})", show(a)),
        ExprKind::Builtin(f, items) => format!("({f:?} {})", list(items)),
        ExprKind::BuiltinValue(f) => format!("{f:?}"),
        ExprKind::Apply(f, items) => format!("({} @ {})", show(f), list(items)),
        ExprKind::Image(f, s) => format!("({} [{}])", show(f), show(s)),
        ExprKind::Quantified(q, ids, p, v) => {
            let ids: Vec<&str> = ids.iter().map(|i| i.name.as_str()).collect();
            let value = v.as_ref().map(|v| format!(" | {}", show(v))).unwrap_or_default();
            format!("({q:?} {} . {}{value})", ids.join(","), show(p))
        }
        ExprKind::Comprehension(ids, p, v) => {
            let ids: Vec<&str> = ids.iter().map(|i| i.name.as_str()).collect();
            let value = v.as_ref().map(|v| format!(" | {}", show(v))).unwrap_or_default();
            format!("{{{} . {}{value}}}", ids.join(","), show(p))
        }
        ExprKind::SetExtension(items) => format!("{{{}}}", list(items)),
        other => format!("{other:?}"),
    }
}

fn check(text: &str, expected: &str) {
    match read(text) {
        Ok(e) => assert_eq!(show(&e), expected, "{text}"),
        Err(d) => panic!("{text}: {}", d.message),
    }
}

fn refuse(text: &str, at: u32, message: &str) {
    let d = read(text).expect_err(text);
    assert_eq!((d.span.start, d.message.as_str()), (at, message), "{text}");
}

#[test]
fn groups_bind_as_in_rodin() {
    check("a ∧ b = c ⇒ ¬ d ∈ e", "(Implies (And a (Equal b c)) (Not (Member d e)))");
    check("x ∈ a ∪ b → c ‥ d + 1", "(Member x (TotalFunction (Union a b) (Interval c (Plus d 1))))");
    check("a ↦ b ↦ c ∪ d", "(Maplet (Maplet a b) (Union c d))");
    check("−a ∗ b + c ^ 2", "(Plus (Minus (Times a b)) (Power c 2))");
    check("f∼[s](x)", "(((Inverse f) [s]) @ x)");
    check("S × T × U", "(Cartesian (Cartesian S T) U)");
    check("f ; g ▷ s", "(RangeRestriction (Composition f g) s)");
    check(
        "∀x·x ∈ S ⇒ (∃y·y > x ∨ y = 0)",
        "(Forall x . (Implies (Member x S) (Exists y . (Or (Greater y x) (Equal y 0)))))",
    );
    check("finite(S) ∧ partition(S, {a}, {b})", "(And (Finite S) (Partition S {a} {b}))");
}

#[test]
fn ascii_and_unicode_are_the_same() {
    for (ascii, unicode) in [
        ("!x.x:NAT & x/=0 => f(x) <= 3", "∀x·x∈ℕ ∧ x≠0 ⇒ f(x) ≤ 3"),
        ("r <+ {a |-> b} <: S ** T", "r \u{e103} {a ↦ b} ⊆ S × T"),
        ("(S <| r |>> T)~ : A >->> B", "(S ◁ r ⩥ T)∼ ∈ A ⤖ B"),
        ("{x,y . x : INT or y=1 | x,,y} /<<: POW1(A)", "{x,y · x ∈ ℤ ∨ y=1 ∣ x↦y} ⊄ ℙ1(A)"),
        ("UNION x . x : S | f(x)", "⋃ x · x ∈ S ∣ f(x)"),
        ("g circ f = %x.x:1..3|x*2", "g ∘ f = λx·x∈1‥3∣x∗2"),
        ("not a = b", "¬ a = b"),
    ] {
        check(ascii, &show(&read(unicode).expect(unicode)));
    }
}

#[test]
fn sets_bind_names_in_three_ways() {
    check("{x · x > 1 ∣ x}", "{x . (Greater x 1)}");
    check("{x · x > 1 ∣ x + 1}", "{x . (Greater x 1) | (Plus x 1)}");
    check("{x ↦ y ∣ x = y}", "{x,y . (Equal x y)}");
    check("{x ↦ y + x ∣ x = y}", "{x,y . (Equal x y) | (Maplet x (Plus y x))}");
    check("⋃x∣x∈c", "(Union x . (Member x c) | x)");
    check("⋂{x,y}∣x=y", "(Inter x,y . (Equal x y) | {x y})");
    check("⋃x·x∈c∣{x}", "(Union x . (Member x c) | {x})");
    refuse("⋃x x∈c", 5, "expected `∣`, found `x`");
    check("{a, b ↦ c}", "{a (Maplet b c)}");
    check("λx ↦ y·x ∈ S∣x + y", "(Lambda x,y . (Member x S) | (Plus x y))");
    check("λx ↦ (y ↦ z)·⊤∣z", "{x,y,z . Constant(Btrue) | (Maplet (Maplet x (Maplet y z)) z)}");
    check("∀x⦂ℤ·x = x", "(Forall x . (Implies (Member x Constant(Integer)) (Equal x x)))");
}

#[test]
fn words_that_are_declared_are_names() {
    let e = formula("NAT ∪ or", &|name| matches!(name, "NAT" | "or")).expect("two names");
    assert!(matches!(e.kind, ExprKind::Binary(BinaryOp::Union, ..)));
    check("x' = max({y'})", "(Equal x' (Max {y'}))");
}

#[test]
fn mistakes_have_a_place() {
    refuse("a ∧ b ∨ c", 8, "`∧` and `∨` need parentheses around one of them");
    refuse("a => b => c", 7, "implications and equivalences need parentheses around one of them");
    refuse("a < b < c", 6, "comparisons cannot be chained; join them by `∧`");
    refuse("x : (1 .. 2", 11, "expected `)`, the text ends here");
    refuse("card()", 5, "expected an expression or predicate, found `)`");
    refuse("a ? b", 2, "`?` begins no symbol of Event-B");
    refuse("∀1·⊤", 3, "expected a name, found `1`");
    let deep = format!("{}a", "(".repeat(500));
    assert_eq!(read(&deep).expect_err("too deep").code, codes::NESTED_TOO_DEEPLY);
}

#[test]
fn assignments() {
    let read = |text: &str| {
        let operators = BTreeMap::new();
        assignment_with(&plain(text), &Names { is_declared: &|_| false, operators: &operators })
    };
    assert!(
        matches!(read("x, f(y) ≔ 1, y + 1"), Ok(ActionKind::Assign(l, r)) if l.len() == 2 && r.len() == 2)
    );
    assert!(matches!(read("x :∈ {1,2}"), Ok(ActionKind::BecomesIn(..))));
    assert!(matches!(read("x,y :| x' > y & y' = x"), Ok(ActionKind::BecomesSuch(ids, _)) if ids.len() == 2));
    assert_eq!(read("x = 1").expect_err("no assignment").code, codes::EQUAL_AS_ASSIGNMENT);
    assert_eq!(read("f(1) :∈ S").expect_err("no variable").code, codes::UNASSIGNABLE_FORM);
}
