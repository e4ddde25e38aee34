//! Formulas of a package: terms of ProB's syntax tree as trees of our own.

use crate::ast::{BinaryOp, BuiltinFn, Constant, Expr, ExprKind, Ident, Quantifier, UnaryOp};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::eventb::prolog::{Term, TermKind};

/// Result of reading, or the reason why it failed.
pub(super) type Read<T> = Result<T, Diagnostic>;

/// Creates the error for a term that does not belong in its place.
pub(super) fn malformed(t: &Term, expected: &str) -> Diagnostic {
    let message = format!("expected {expected}, found {}", t.describe());
    Diagnostic::error(codes::MALFORMED_PACKAGE, t.span, message)
        .help("the package is damaged, or of a newer kind than bsym knows")
}

/// Returns the elements of a list.
pub(super) fn list<'t, 'a>(t: &'t Term<'a>, of: &str) -> Read<&'t [Term<'a>]> {
    t.list().ok_or_else(|| malformed(t, &format!("a list of {of}")))
}

/// Reads a name that is written as an atom.
pub(super) fn name(t: &Term) -> Read<Ident> {
    match &t.kind {
        TermKind::Atom(name) => Ok(Ident { name: name.to_string(), span: t.span }),
        // Labels and names that are numbers.
        TermKind::Integer(n) => Ok(Ident { name: n.to_string(), span: t.span }),
        _ => Err(malformed(t, "a name")),
    }
}

/// `identifier(Pos, Name)`
pub(super) fn identifier(t: &Term) -> Read<Ident> {
    match undescribed(t).parts() {
        Some(("identifier", [_, inner])) => Ok(Ident { name: name(inner)?.name, span: t.span }),
        _ => Err(malformed(t, "identifier/2")),
    }
}

/// Reads the identifiers of a list.
pub(super) fn identifiers(t: &Term) -> Read<Vec<Ident>> {
    list(t, "identifiers")?.iter().map(identifier).collect()
}

/// Returns X in `description(Pos, Text, X)`.
pub(super) fn undescribed<'t, 'a>(t: &'t Term<'a>) -> &'t Term<'a> {
    match t.parts() {
        Some(("description", [_, _, inner])) => undescribed(inner),
        _ => t,
    }
}

/// Reads an expression or predicate.
pub(super) fn formula(t: &Term) -> Read<Expr> {
    let Some((functor, arguments)) = t.parts() else { return Err(malformed(t, "a formula")) };
    let span = t.span;
    let kind = match arguments {
        [] => return Err(malformed(t, "a formula")),
        [_] => match atom(functor) {
            Some(kind) => kind,
            None => return Err(unknown(t)),
        },
        [_, a] => unary(functor, a, t)?,
        [_, a, b] => binary(functor, a, b, t)?,
        [_, a, b, c] => bound(functor, a, b, c, t)?,
        _ => return Err(unknown(t)),
    };
    Ok(kind.at(span))
}

/// Reads the formulas of a list.
pub(super) fn formulas(t: &Term) -> Read<Vec<Expr>> {
    list(t, "formulas")?.iter().map(formula).collect()
}

fn unknown(t: &Term) -> Diagnostic {
    let functor = t.describe();
    Diagnostic::error(codes::MALFORMED_PACKAGE, t.span, format!("{functor} is no known form of a formula"))
        .help("the package is damaged, or of a newer kind than bsym knows")
}

fn boxed(t: &Term) -> Read<Box<Expr>> {
    Ok(Box::new(formula(t)?))
}

fn atom(functor: &str) -> Option<ExprKind> {
    let constant = |c| Some(ExprKind::Constant(c));
    match functor {
        "truth" => constant(Constant::Btrue),
        "falsity" => constant(Constant::Bfalse),
        "boolean_true" => constant(Constant::True),
        "boolean_false" => constant(Constant::False),
        "bool_set" => constant(Constant::Bool),
        "integer_set" => constant(Constant::Integer),
        "natural_set" => constant(Constant::Natural),
        "natural1_set" => constant(Constant::Natural1),
        "empty_set" => Some(ExprKind::EmptySet),
        "successor" => Some(ExprKind::BuiltinValue(BuiltinFn::Succ)),
        "predecessor" => Some(ExprKind::BuiltinValue(BuiltinFn::Pred)),
        "event_b_identity" => Some(ExprKind::BuiltinValue(BuiltinFn::Id)),
        "event_b_first_projection_v2" => Some(ExprKind::BuiltinValue(BuiltinFn::Prj1)),
        "event_b_second_projection_v2" => Some(ExprKind::BuiltinValue(BuiltinFn::Prj2)),
        _ => None,
    }
}

fn unary(functor: &str, a: &Term, whole: &Term) -> Read<ExprKind> {
    match functor {
        "identifier" => Ok(ExprKind::Ident(name(a)?.name)),
        "integer" => match &a.kind {
            TermKind::Integer(n) if n.is_negative() => {
                let n = ExprKind::Integer((-n).to_string());
                Ok(ExprKind::Unary(UnaryOp::Minus, Box::new(n.at(a.span))))
            }
            TermKind::Integer(n) => Ok(ExprKind::Integer(n.to_string())),
            _ => Err(malformed(a, "a number")),
        },
        "negation" => Ok(ExprKind::Unary(UnaryOp::Not, boxed(a)?)),
        "unary_minus" => Ok(ExprKind::Unary(UnaryOp::Minus, boxed(a)?)),
        "reverse" => Ok(ExprKind::Unary(UnaryOp::Inverse, boxed(a)?)),
        "event_b_first_projection" => projection(BuiltinFn::Prj1, a),
        "event_b_second_projection" => projection(BuiltinFn::Prj2, a),
        "couple" => {
            let items = formulas(a)?;
            if items.is_empty() { Err(malformed(a, "two expressions")) } else { Ok(ExprKind::Tuple(items)) }
        }
        "set_extension" => {
            let items = formulas(a)?;
            Ok(if items.is_empty() { ExprKind::EmptySet } else { ExprKind::SetExtension(items) })
        }
        _ => match BuiltinFn::of_term(functor) {
            Some(f) => Ok(ExprKind::Builtin(f, vec![formula(a)?])),
            None => Err(unknown(whole)),
        },
    }
}

// `prj1(r)` of old packages: the projection on the pairs of r.
fn projection(f: BuiltinFn, relation: &Term) -> Read<ExprKind> {
    let r = formula(relation)?;
    let value = ExprKind::BuiltinValue(f).at(relation.span);
    Ok(ExprKind::Binary(BinaryOp::DomainRestriction, Box::new(r), Box::new(value)))
}

fn binary(functor: &str, a: &Term, b: &Term, whole: &Term) -> Read<ExprKind> {
    if let Some(op) = BinaryOp::of_term(functor) {
        return Ok(ExprKind::Binary(op, boxed(a)?, boxed(b)?));
    }
    match functor {
        "forall" | "exists" => {
            let q = if functor == "forall" { Quantifier::Forall } else { Quantifier::Exists };
            Ok(ExprKind::Quantified(q, identifiers(a)?, boxed(b)?, None))
        }
        "function" => {
            let arguments = match b.list() {
                Some(_) => formulas(b)?,
                None => vec![formula(b)?],
            };
            if arguments.is_empty() {
                return Err(malformed(b, "an argument"));
            }
            Ok(ExprKind::Apply(boxed(a)?, arguments))
        }
        "image" => Ok(ExprKind::Image(boxed(a)?, boxed(b)?)),
        "partition" => {
            let mut arguments = vec![formula(a)?];
            arguments.extend(formulas(b)?);
            Ok(ExprKind::Builtin(BuiltinFn::Partition, arguments))
        }
        _ => Err(unknown(whole)),
    }
}

fn bound(functor: &str, a: &Term, b: &Term, c: &Term, whole: &Term) -> Read<ExprKind> {
    match functor {
        "event_b_comprehension_set" => {
            let (ids, value, condition) = (identifiers(a)?, formula(b)?, formula(c)?);
            Ok(comprehension(ids, value, condition))
        }
        "quantified_union" | "quantified_intersection" => {
            let q = if functor == "quantified_union" { Quantifier::Union } else { Quantifier::Inter };
            Ok(ExprKind::Quantified(q, identifiers(a)?, boxed(b)?, Some(boxed(c)?)))
        }
        "extended_expr" | "extended_pred" => {
            let (operator, mut arguments) = (name(a)?, formulas(b)?);
            let conditions = formulas(c)?;
            if operator.name == "COND" && conditions.len() == 1 && arguments.len() == 2 {
                return Ok(conditional(conditions, arguments));
            }
            arguments.extend(conditions);
            Ok(ExprKind::Operator(operator, arguments))
        }
        _ => Err(unknown(whole)),
    }
}

fn conditional(mut conditions: Vec<Expr>, mut values: Vec<Expr>) -> ExprKind {
    let (otherwise, value) = (values.remove(1), values.remove(0));
    ExprKind::If(vec![(conditions.remove(0), value)], Some(Box::new(otherwise)))
}

/// `{x . P | E}`; where E is the bound names themselves `{x | P}`, where it is these and a value a lambda.
pub(super) fn comprehension(ids: Vec<Ident>, value: Expr, condition: Expr) -> ExprKind {
    let distinct = ids.iter().enumerate().all(|(i, id)| ids[..i].iter().all(|other| other.name != id.name));
    let (mut left, mut parts): (&Expr, Vec<&Expr>) = (&value, vec![]);
    // The couple is left-nested, written as a list or by `|->`.
    loop {
        match &left.kind {
            ExprKind::Tuple(items) if items.len() > 1 => {
                parts.extend(items[1..].iter().rev());
                left = &items[0];
            }
            ExprKind::Binary(BinaryOp::Maplet, l, r) => {
                parts.push(r);
                left = l;
            }
            _ => break,
        }
    }
    parts.push(left);
    parts.reverse();
    let named = |parts: &[&Expr]| {
        parts.len() == ids.len()
            && parts.iter().zip(&ids).all(|(p, id)| matches!(&p.kind, ExprKind::Ident(n) if *n == id.name))
    };
    if distinct && named(&parts) {
        return ExprKind::Comprehension(ids, Box::new(condition), None);
    }
    if distinct && parts.len() == ids.len() + 1 && named(&parts[..ids.len()]) {
        let result = parts[ids.len()].clone();
        return ExprKind::Quantified(Quantifier::Lambda, ids, Box::new(condition), Some(Box::new(result)));
    }
    ExprKind::Comprehension(ids, Box::new(condition), Some(Box::new(value)))
}

/// Label, and the file if it is told, of `rodinpos(File, Label, Internal)` and `rodinpos(Label, Internal)`.
pub(super) fn position(t: &Term) -> (Option<String>, Option<String>) {
    let text = |t: &Term| match &t.kind {
        TermKind::Atom(a) => Some(a.trim().to_string()),
        TermKind::Integer(n) => Some(n.to_string()),
        _ => None,
    };
    match t.parts() {
        Some(("rodinpos", [file, label, _])) => (text(label), text(file)),
        Some(("rodinpos", [label, _])) => (text(label), None),
        _ => (None, None),
    }
}
