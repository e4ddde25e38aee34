//! The table of operators agrees with the evaluator: an operator that it calls total is never ill-defined, and one that
//! it calls partial is ill-defined for some operands.

use bsym_language::model::{BinaryOp, QuantOp, TreeOp, UnaryOp};
use bsym_language::print::tree_word;
use bsym_language::source::Span;
use bsym_language::types::Type;

use super::*;
use crate::evaluator::Eval;
use crate::value::Value;

// All operators of a kind; one that is missing does not compile.
macro_rules! all {
    ($all:ident: $ty:ident { $($op:ident)* }) => {
        const $all: &[$ty] = {
            const fn _is_complete(op: $ty) {
                match op { $($ty::$op => {})* }
            }
            &[$($ty::$op),*]
        };
    };
}

all!(UNARY: UnaryOp {
    Negate NegateReal Pow Pow1 Fin Fin1 Card Max Min MaxReal MinReal GeneralUnion GeneralInter Inverse Id Dom Ran
    Closure Closure1 Fnc Rel Seq Seq1 Iseq Iseq1 Perm Size First Last Front Tail Rev Conc Floor Ceiling ToReal
    FirstOf SecondOf
});
all!(BINARY: BinaryOp {
    Add Subtract Multiply Divide Mod Power AddReal SubtractReal MultiplyReal DivideReal PowerReal Interval Union
    Intersection Difference Cartesian Maplet DomainRestriction DomainSubtraction RangeRestriction RangeSubtraction
    Override DirectProduct ParallelProduct Composition Image Prepend Append Concat Take Drop Relation TotalRelation
    SurjectiveRelation TotalSurjectiveRelation PartialFunction TotalFunction PartialInjection TotalInjection
    PartialSurjection TotalSurjection PartialBijection TotalBijection
});
all!(QUANTIFIED: QuantOp { Lambda Union Inter Sigma Pi SigmaReal PiReal Image });
all!(TREE: TreeOp {
    Trees BinaryTrees Const Top Sons Prefix Postfix Sizet Mirror Rank Father Son Subtree Arity Bin Left Right Infix
});

const INTEGERS: &[&str] = &["-2", "0", "1", "3"];
const REALS: &[&str] = &["-1.5", "0.0", "2.0"];
const SETS: &[&str] =
    &["{1} - {1}", "{1}", "{0, 2}", "-1..3", "NATURAL", "INTEGER", "{x | x : NATURAL & x mod 2 = 0}"];
const REAL_SETS: &[&str] = &["{1.5} - {1.5}", "{0.5, 1.5}", "REAL"];
const FAMILIES: &[&str] = &["{{1}} - {{1}}", "{{1} - {1}}", "{{1}, {1, 2}}", "{NATURAL, {1}}"];
/// Relations between integers, some of them sequences.
const RELATIONS: &[&str] = &[
    "[1] - [1]",
    "[1, 2]",
    "{1 |-> 2, 1 |-> 3}",
    "{2 |-> 1}",
    "{3 |-> 1, 1 |-> 3}",
    "NATURAL * {1}",
    "succ",
];
const TO_SETS: &[&str] =
    &["{1 |-> {1}} - {1 |-> {1}}", "{1 |-> {2}, 2 |-> {1, 3}}", "{1 |-> {2}, 1 |-> {3}}"];
const OF_SEQUENCES: &[&str] = &["[[1], [2, 3]]", "[[1]] - [[1]]", "{2 |-> [1]}", "[{2 |-> 1}]"];
const COUPLES: &[&str] = &["1 |-> 2", "TRUE |-> {1}"];

fn operands(op: UnaryOp) -> &'static [&'static str] {
    use UnaryOp::*;
    match op {
        Negate | ToReal => INTEGERS,
        NegateReal | Floor | Ceiling => REALS,
        Pow | Pow1 | Fin | Fin1 | Card | Max | Min | Id | Seq | Seq1 | Iseq | Iseq1 | Perm => SETS,
        MaxReal | MinReal => REAL_SETS,
        GeneralUnion | GeneralInter => FAMILIES,
        Inverse | Dom | Ran | Closure | Closure1 | Fnc | Size | First | Last | Front | Tail | Rev => {
            RELATIONS
        }
        Rel => TO_SETS,
        Conc => OF_SEQUENCES,
        FirstOf | SecondOf => COUPLES,
    }
}

fn both_operands(op: BinaryOp) -> (&'static [&'static str], &'static [&'static str]) {
    use BinaryOp::*;
    match op {
        Add | Subtract | Multiply | Divide | Mod | Power | Interval => (INTEGERS, INTEGERS),
        AddReal | SubtractReal | MultiplyReal | DivideReal => (REALS, REALS),
        PowerReal => (REALS, INTEGERS),
        Maplet | Cartesian => (SETS, RELATIONS),
        DomainRestriction | DomainSubtraction => (SETS, RELATIONS),
        RangeRestriction | RangeSubtraction | Image => (RELATIONS, SETS),
        Override | DirectProduct | ParallelProduct | Composition | Concat => (RELATIONS, RELATIONS),
        Prepend => (INTEGERS, RELATIONS),
        Append | Take | Drop => (RELATIONS, INTEGERS),
        Union | Intersection | Difference => (SETS, SETS),
        _ => (SETS, SETS),
    }
}

/// Returns whether some of the evaluations are ill-defined.
fn some_fail(results: impl IntoIterator<Item = Eval<Value>>) -> bool {
    results.into_iter().any(|r| r.is_err_and(|e| e.kind == EvalErrorKind::IllDefined))
}

fn evaluated(texts: &[&str]) -> Vec<Eval<Value>> {
    let (mut model, scope) = model();
    let check = |text: &&str| check_expression(&mut model, text).unwrap_or_else(|d| panic!("{text}: {d:?}"));
    let exprs: Vec<_> = texts.iter().map(check).collect();
    let eval = Evaluator::new(&model, &scope);
    exprs.iter().map(|e| eval.expr(&Env::default(), e)).collect()
}

fn values(texts: &[&str]) -> Vec<Value> {
    evaluated(texts).into_iter().collect::<Eval<_>>().expect("samples have values")
}

#[test]
fn operators_with_one_operand() {
    let (model, scope) = model();
    let eval = Evaluator::new(&model, &scope);
    let ty = Type::relation(Type::Int, Type::Int);
    for &op in UNARY {
        let results = values(operands(op)).into_iter().map(|v| eval.unary(op, v, &ty, Span::default()));
        assert_eq!(some_fail(results), op.is_partial(), "{op:?}");
    }
}

#[test]
fn operators_with_two_operands() {
    let (model, scope) = model();
    let eval = Evaluator::new(&model, &scope);
    for &op in BINARY {
        let (left, right) = both_operands(op);
        let (left, right) = (values(left), values(right));
        let pairs = left.iter().flat_map(|a| right.iter().map(move |b| (a.clone(), b.clone())));
        let results = pairs.map(|(a, b)| eval.binary(op, a, b, Span::default()));
        assert_eq!(some_fail(results), op.is_partial(), "{op:?}");
    }
}

#[test]
fn binders_with_a_value() {
    for &op in QUANTIFIED {
        let of = |set: &str| match op {
            QuantOp::Lambda => format!("%x.(x : {set} | x + 1)"),
            QuantOp::Union => format!("UNION(x).(x : {set} | {{x}})"),
            QuantOp::Inter => format!("INTER(x).(x : {set} | {{x}})"),
            QuantOp::Sigma => format!("SIGMA(x).(x : {set} | x)"),
            QuantOp::Pi => format!("PI(x).(x : {set} | x)"),
            QuantOp::SigmaReal => format!("SIGMA(x).(x : {set} | real(x))"),
            QuantOp::PiReal => format!("PI(x).(x : {set} | real(x))"),
            QuantOp::Image => format!("{{(x).(x : {set}) | x + 1}}"),
        };
        let texts: Vec<String> = SETS.iter().map(|set| of(&format!("({set})"))).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert_eq!(some_fail(evaluated(&texts)), op.is_partial(), "{op:?}");
    }
}

#[test]
fn operators_on_trees() {
    for &op in TREE {
        let word = tree_word(op);
        let arguments: &[&str] = match op {
            TreeOp::Trees | TreeOp::BinaryTrees => SETS,
            TreeOp::Const => &["1, {2 |-> {[] |-> 1}}"],
            TreeOp::Rank | TreeOp::Father | TreeOp::Subtree | TreeOp::Arity => &["{[1] |-> 0}, [1]"],
            TreeOp::Son => &["{[1] |-> 0}, [1], 1"],
            TreeOp::Bin => &["{[1] |-> 0}, 1, {[1] |-> 0}"],
            _ => &["{[1] |-> 0}"],
        };
        let texts: Vec<String> = arguments.iter().map(|a| format!("{word}({a})")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert_eq!(some_fail(evaluated(&texts)), op.is_partial(), "{op:?}");
    }
}
