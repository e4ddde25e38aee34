//! Bounds of variables as predicates of B, and predicates of B that say such bounds.
//!
//! A proof rests on what the encoding assumes of the variables. Where the invariant does not say that, it has to be
//! stated in addition: `f : D --> 0..7`, `s <: 1..3`, `q : seq(S)`.

use std::collections::BTreeSet;

use bsym_language::int::Int;
use bsym_language::model::*;
use bsym_language::types::Type;
use bsym_language::walk::{Names, conjuncts};
use bsym_semantics::value::Value;

use super::analysis::{Analysis, Bound, constraint};
use super::functional::{Functional, Kept};
use super::layout::{Function, Layout};

/// Returns the predicate that a variable is of a layout, exactly; `None` where that is every value of its type.
pub fn of_variable(model: &Model, v: VarId, layout: &Layout) -> Option<Pred> {
    if layout.is_unrestricted() {
        return None;
    }
    let ty = &model.variables[v.index()].ty;
    let variable = of_type(ExprKind::Var(v), ty);
    let (op, right) = match (layout, ty) {
        (Layout::Set { element, exact }, Type::Pow(t)) => {
            let op = if *exact { CompareOp::Equal } else { CompareOp::Subset };
            (op, values(t, element))
        }
        (Layout::Function(f), _) if f.keys == Layout::Never => {
            (CompareOp::Equal, of_type(ExprKind::EmptySet, ty))
        }
        _ => (CompareOp::Member, values(ty, layout)),
    };
    Some(Pred::compare(op, variable, right, Default::default()))
}

/// Returns whether one of some conjuncts says by itself, whatever the other variables are, that a variable is of a
/// layout. Facts known of the constants may serve.
pub fn is_stated(model: &Model, known: &Functional, all: &[&Pred], v: VarId, layout: &Layout) -> bool {
    let mut known = Functional { constants: known.constants.clone(), ..Functional::none(model) };
    let mut analysis = Analysis { model, known: &mut known, kept: &[] };
    let mut states = |p: &Pred| {
        constrains(p).is_some_and(|(about, bound)| about == v && analysis.allows(&bound).is_part_of(layout))
    };
    all.iter().flat_map(|p| conjuncts(p)).any(&mut states)
}

impl Functional {
    /// Bounds that follow from the invariant alone: those that conjuncts say, made wide enough for what is assigned
    /// under them. A sequent may take them for granted where the invariant is among its hypotheses.
    pub fn stated(model: &Model, determined: &[Option<Value>]) -> Functional {
        let mut known = Functional::none(model);
        Analysis { model, known: &mut known, kept: &[] }.constants(determined);
        let variables = stated(model, known);
        Functional::grown(model, determined, variables, &vec![Kept::All; model.variables.len()])
    }
}

/// Returns the bounds that the conjuncts of the invariant say of the variables, by [`VarId`], whatever the other
/// variables are. A bound counts only if it is stated before the variable is read, so that it is a hypothesis also
/// where the question is whether a conjunct is well-defined. `known` has the facts about the constants.
fn stated(model: &Model, mut known: Functional) -> Vec<Layout> {
    let mut layouts = vec![Layout::Any; model.variables.len()];
    let mut read = BTreeSet::new();
    let mut analysis = Analysis { model, known: &mut known, kept: &[] };
    for conjunct in model.invariant.iter().flat_map(|c| conjuncts(&c.pred)) {
        let Some((v, bound)) = constrains(conjunct) else {
            read.extend(Names::of_pred(conjunct).variables);
            continue;
        };
        if !read.contains(&v) {
            let layout = std::mem::take(&mut layouts[v.index()]);
            layouts[v.index()] = layout.meet(analysis.allows(&bound));
        }
        read.extend(Names::of_expr(bound.right()).variables);
    }
    layouts
}

/// The variable that a predicate says a bound of.
pub fn bounded(p: &Pred) -> Option<VarId> {
    constrains(p).map(|c| c.0)
}

fn constrains(p: &Pred) -> Option<(VarId, Bound<'_>)> {
    let (left, bound) = constraint(p)?;
    match left.kind {
        ExprKind::Var(v) => Some((v, bound)),
        _ => None,
    }
}

/// The set of all values of a type that are of a layout.
fn values(ty: &Type, layout: &Layout) -> Expr {
    let set = Type::pow(ty.clone());
    match (layout, ty) {
        (Layout::Never, _) => of_type(ExprKind::EmptySet, &set),
        (Layout::Range(low, high), _) => {
            let [low, high] = [low, high].map(|n| of_type(ExprKind::Integer(Int::from(*n)), &Type::Int));
            binary(BinaryOp::Interval, low, high, set)
        }
        (Layout::Pair(l, m), Type::Pair(a, b)) => {
            binary(BinaryOp::Cartesian, values(a, l), values(b, m), set)
        }
        (Layout::Set { element, exact: true }, Type::Pow(t)) => {
            of_type(ExprKind::SetExtension(vec![values(t, element)]), &set)
        }
        (Layout::Set { element, exact: false }, Type::Pow(t)) => {
            of_type(ExprKind::Unary(UnaryOp::Pow, Box::new(values(t, element))), &set)
        }
        (Layout::Function(f), Type::Pow(t)) => match &**t {
            Type::Pair(a, b) => functions(a, b, f, set),
            _ => all_of(ty),
        },
        _ => all_of(ty),
    }
}

/// The set of all functions from `a` to `b` of a layout; `set` is its type.
fn functions(a: &Type, b: &Type, f: &Function, set: Type) -> Expr {
    let space = |op| binary(op, values(a, &f.keys), values(b, &f.value), set.clone());
    let sequences = || of_type(ExprKind::Unary(UnaryOp::Seq, Box::new(values(b, &f.value))), &set);
    // A function that is total on the numbers from one is a sequence.
    let numbered = matches!(f.keys, Layout::Range(1, _));
    let also = |all: Expr| match f.sequence && *a == Type::Int {
        true => binary(BinaryOp::Intersection, sequences(), all, set.clone()),
        false => all,
    };
    match f {
        Function { keys: Layout::Never, .. } => {
            let empty = of_type(ExprKind::EmptySet, &Type::relation(a.clone(), b.clone()));
            of_type(ExprKind::SetExtension(vec![empty]), &set)
        }
        Function { total: true, .. } if numbered => space(BinaryOp::TotalFunction),
        Function { total: true, .. } => also(space(BinaryOp::TotalFunction)),
        Function { sequence: true, keys: Layout::Any, .. } if *a == Type::Int => sequences(),
        _ => also(space(BinaryOp::PartialFunction)),
    }
}

/// A type as a set.
fn all_of(ty: &Type) -> Expr {
    let set = Type::pow(ty.clone());
    let kind = match ty {
        Type::Bool => ExprKind::Set(BuiltinSet::Bool),
        Type::Int => ExprKind::Set(BuiltinSet::Integer),
        Type::Real => ExprKind::Set(BuiltinSet::Real),
        Type::String => ExprKind::Set(BuiltinSet::String),
        Type::Carrier(c) => ExprKind::Carrier(*c),
        Type::Pow(t) => ExprKind::Unary(UnaryOp::Pow, Box::new(all_of(t))),
        Type::Pair(a, b) => return binary(BinaryOp::Cartesian, all_of(a), all_of(b), set),
        Type::Record(fields) => {
            ExprKind::Struct(fields.iter().map(|(label, t)| (label.clone(), all_of(t))).collect())
        }
        Type::Free(f, arguments) => ExprKind::FreeSet(*f, arguments.iter().map(all_of).collect()),
        Type::Parameter(i) => ExprKind::TypeParameter(*i),
    };
    of_type(kind, &set)
}

fn binary(op: BinaryOp, a: Expr, b: Expr, ty: Type) -> Expr {
    of_type(ExprKind::Binary(op, Box::new(a), Box::new(b)), &ty)
}

fn of_type(kind: ExprKind, ty: &Type) -> Expr {
    kind.typed(ty.clone(), Default::default())
}

#[cfg(test)]
mod tests {
    use bsym_language::load::{check_predicate, load_text};
    use bsym_language::model::same::same_pred;
    use bsym_language::print;

    use super::*;

    const MACHINE: &str = "MACHINE m SETS E = {a, b}; S VARIABLES f, s, q, n, p, g, w
        INVARIANT f : E <-> INTEGER & s <: INTEGER & q : seq(S) & n : INTEGER & p : INTEGER * BOOL
            & g : E <-> (INTEGER <-> BOOL) & w <: POW(INTEGER * S)
        INITIALISATION f, s, q, n, p, g, w := {}, {}, [], 0, 0 |-> TRUE, {}, {} END";

    /// The text of a layout of a variable, which is the same again once it is read, and says the layout.
    fn check(v: u32, layout: Layout, expected: &str) {
        let (model, read) = written(v, &layout, expected);
        assert!(is_stated(&model, &Functional::none(&model), &[&read], VarId(v), &layout), "{expected}");
    }

    fn written(v: u32, layout: &Layout, expected: &str) -> (Model, Pred) {
        let mut model = load_text("m.mch", MACHINE).model.expect("the machine is right");
        let made = of_variable(&model, VarId(v), layout).expect("it says something");
        let text = print::pred(&model, &made);
        assert_eq!(text, expected);
        let read = check_predicate(&mut model, &text).expect("it is B");
        assert!(same_pred(&made, &read), "{text}");
        (model, read)
    }

    #[test]
    fn bounds_are_written_as_a_user_would() {
        let range = |a, b| Layout::Range(a, b);
        let any = || Layout::Any;
        check(0, Layout::function(any(), true, range(0, 7)), "f : E --> 0 .. 7");
        check(0, Layout::function(any(), false, any()), "f : E +-> INTEGER");
        check(0, Layout::empty(&Type::relation(Type::Int, Type::Int)), "f = {}");
        check(1, Layout::set(range(-1, 3), false), "s <: -1 .. 3");
        check(1, Layout::set(range(1, 3), true), "s = 1 .. 3");
        check(2, Layout::sequence(any()), "q : seq(S)");
        check(2, Layout::function(range(1, 3), true, any()), "q : 1 .. 3 --> S");
        check(3, range(2, 9), "n : 2 .. 9");
        check(4, Layout::pair(range(0, 1), any()), "p : (0 .. 1) * BOOL");
        let inner = Layout::function(range(1, 3), true, any());
        check(5, Layout::function(any(), true, inner), "g : E --> (1 .. 3 --> BOOL)");
        check(
            6,
            Layout::set(Layout::set(Layout::pair(range(0, 2), any()), false), false),
            "w <: POW((0 .. 2) * S)",
        );
        let short = Function { keys: range(0, 5), total: false, sequence: true, value: any() };
        written(2, &Layout::Function(Box::new(short)), "q : seq(S) /\\ (0 .. 5 +-> S)");
    }

    #[test]
    fn what_is_stronger_says_it_too() {
        let mut model = load_text("m.mch", MACHINE).model.expect("the machine is right");
        let mut stated = |text: &str, layout: &Layout| {
            let p = check_predicate(&mut model, text).expect("it is B");
            is_stated(&model, &Functional::none(&model), &[&p], VarId(0), layout)
        };
        let partial = Layout::function(Layout::Any, false, Layout::Any);
        let total = Layout::function(Layout::Any, true, Layout::Any);
        assert!(stated("n = 1 & f : E >-> 0 .. 9", &partial) && !stated("f : E +-> 0 .. 9", &total));
        assert!(stated("f : E --> INTEGER", &total) && !stated("f : E <-> INTEGER", &partial));
        // Nothing here says what another variable is.
        assert!(stated("f : dom(g) --> INTEGER", &partial) && !stated("f : dom(g) --> INTEGER", &total));
        assert!(!stated("#x.(f : E --> {x})", &partial) && !stated("g = {} & f <: E * {0, 1}", &partial));
    }
}
