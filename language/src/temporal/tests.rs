//! Formulas are read as ProB reads them, and mistakes are reported at their places.

use super::*;
use crate::int::Int;
use crate::load::load_text;
use crate::model::types::Type;
use crate::model::{Expr, ExprKind, Model};
use crate::text::source::Span;

const MACHINE: &str = "MACHINE m SETS D = {a, b} CONSTANTS k PROPERTIES k = 1 VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
    OPERATIONS up = SELECT x < 3 THEN x := x + 1 END; set(v, d) = PRE v : 0..3 & d : D THEN x := v END END";

fn read(text: &str) -> Result<Temporal, TemporalError> {
    let mut model = load_text("m.mch", MACHINE).model.expect("the machine is right");
    let mut elements = |m: &Model, set: &Expr| {
        let Type::Pow(ty) = &set.ty else { return Err("this is no set".to_owned()) };
        let element = |i| match **ty {
            Type::Carrier(c) => ExprKind::Element(c, i),
            _ => ExprKind::Integer(Int::from(i64::from(i))),
        };
        assert_eq!(m.types.carriers.len(), 1);
        Ok((0..2).map(|i| element(i).typed((**ty).clone(), Span::default())).collect())
    };
    parse(&mut model, text, &mut elements)
}

/// The formula with its atoms as letters.
fn shown(text: &str) -> String {
    fn show(f: &Formula) -> String {
        match f {
            Formula::Constant(truth) => truth.to_string(),
            Formula::Atom(i) => ["p", "q", "r", "s", "t", "u", "v", "w"][*i].to_owned(),
            Formula::Not(a) => format!("-{}", show(a)),
            Formula::Next(a) => format!("X{}", show(a)),
            Formula::Yesterday(a) => format!("Y{}", show(a)),
            Formula::And(a, b) => format!("({} & {})", show(a), show(b)),
            Formula::Or(a, b) => format!("({} | {})", show(a), show(b)),
            Formula::Until(a, b) => format!("({} U {})", show(a), show(b)),
            Formula::Since(a, b) => format!("({} S {})", show(a), show(b)),
        }
    }
    show(&read(text).unwrap_or_else(|e| panic!("{text}: {e:?}")).formula)
}

#[test]
fn operators_bind_as_in_prob() {
    for (text, expected) in [
        ("{x=1} & {x=2} or {x=3}", "((p & q) | r)"),
        ("{x=1} or {x=2} & {x=3}", "((p | q) & r)"),
        ("{x=1} => {x=2} => {x=3}", "(-(-p | q) | r)"),
        ("{x=1} U {x=2} & {x=3}", "((p U q) & r)"),
        ("not {x=1} U {x=2}", "(-p U q)"),
        ("XX{x=1}", "XXp"),
        ("GF[up]", "-(true U -(true U p))"),
        ("{x=1} W {x=2}", "-(-q U -(p | q))"),
        ("{x=1} R {x=2}", "-(-p U -q)"),
        ("{x=1} T {x=2}", "-(-p S -q)"),
        ("H {x=1}", "-(true S -p)"),
        ("O Y {x=1}", "(true S Yp)"),
        ("G({x=1} => X {x=1})", "-(true U -(-p | Xp))"),
        ("globally {card({x}) = 1}", "-(true U -p)"),
        ("e(up) & e( up ) & e (up)", "((p & p) & p)"),
        ("deadlock(up, set)", "(-p & -q)"),
        ("controller(up, set)", "(-(p & q) & -(-p & -q))"),
        ("WF(up) or true", "true"),
        ("!d.({d : D} => F [set(1, d)])", "((-p | (true U q)) & (-r | (true U s)))"),
        ("#d.({d : D} & [set(1, d)])", "((p & q) | (r & s))"),
        (
            "!d.({d : D} => #n.({n : 0..1} & F [set(n, d)]))",
            "((-p | ((q & (true U r)) | (s & (true U t)))) & (-u | ((q & (true U v)) | (s & (true U w)))))",
        ),
        ("G BA({x > x$0})", "-(true U -p)"),
        ("BA({x = x$0}) or unchanged({x}) or BA( {x$0 = x} )", "((p | p) | q)"),
        ("changed({x + 1}) & {x = 1}", "(p & q)"),
        ("!n.({n : 0..1} => G BA({x >= x$0 + n}))", "((-p | -(true U -q)) & (-r | -(true U -s)))"),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn fairness_stands_before_the_formula() {
    assert!(read("((WEF => F {x=3}))").expect("a formula").fairness.all_weak);
    let fair = read("(WF(up) & SF(set(1))) & WEF => F {x=3}").expect("a formula").fairness;
    assert_eq!((fair.weak.len(), fair.strong.len(), fair.all_weak, fair.all_strong), (1, 1, true, false));
    assert_eq!(fair.strong[0].arguments.len(), 1);
    assert!(read("WF(up) or SF(up) => F {x=3}").expect("a formula").fairness.is_none());
}

#[test]
fn mistakes_are_found_at_their_place() {
    for (text, at, message) in [
        ("G x > 0", 2, "`x` is no part of a temporal formula; predicates stand in braces, as in G {x > 0}"),
        ("G {y > 0}", 3, "`y` is not declared"),
        ("G [down]", 3, "there is no event `down`"),
        ("G ({x=1}", 8, "`)` is expected"),
        ("G {x=1", 2, "this is not closed"),
        ("G", 1, "a formula is expected, the text ends here"),
        ("{x=1} {x=2}", 6, "an operator or the end of the formula is expected"),
        ("[up(1)]", 4, "`up` has 0 parameters"),
        ("[set(x)]", 5, "an argument cannot depend on the variable `x`"),
        ("[set(TRUE)]", 5, "`TRUE` is no possible value of parameter 1 of `set`"),
        ("F WEF", 2, "fairness for all events stands before the formula that is asked under it"),
        ("G BA({x > y$0})", 10, "`y` is not declared"),
        ("G BA(x > x$0)", 5, "braces are expected: `BA({…})`"),
        ("G {x > x$0}", 7, "`x$0` may only be used in `: (P)` and in the invariant of a loop"),
        (
            "G increasing({x})",
            2,
            "`i` is no part of a temporal formula; predicates stand in braces, as in G {x > 0}",
        ),
        ("G current", 2, "`current` is the state that an animator shows, and there is none here"),
    ] {
        let error = read(text).expect_err(text);
        assert_eq!((error.at, error.message.as_str()), (at, message), "{text}");
    }
}
