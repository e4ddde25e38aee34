//! Types of the word operators: `card(S)`, `closure(r)`, `prj1`, …

use super::operator::WordReading;
use super::*;
use crate::ast::BuiltinFn as F;

impl Checker {
    pub(super) fn builtin(&mut self, f: F, args: &[ast::Expr], span: Span) -> Expr {
        if f.is_soft() && self.is_declared(f.spelling()) {
            let callee = ast::ExprKind::Ident(f.spelling().into()).at(span);
            return self.expr(&ast::ExprKind::Apply(Box::new(callee), args.to_vec()).at(span));
        }
        match f {
            F::Finite | F::Partition => {
                return self.predicate_as_expression(&ast::ExprKind::Builtin(f, vec![]).at(span));
            }
            F::Bool => {
                let [p] = args else { return self.wrong_count(span, "1 argument", args) };
                let p = self.pred(p);
                return ExprKind::BoolOf(Box::new(p)).typed(OpenType::Bool, span);
            }
            F::Iterate => {
                let [r, n] = args else { return self.wrong_count(span, "2 arguments", args) };
                let (r, n) = (self.expr(r), self.expr(n));
                let a = self.fresh();
                let ty = OpenType::relation(a.clone(), a);
                self.expect(&r, &ty);
                self.expect(&n, &OpenType::Int);
                return ExprKind::Iterate(Box::new(r), Box::new(n)).typed(ty, span);
            }
            F::Prj1 | F::Prj2 => return self.projection(f, args, span),
            F::Succ | F::Pred => {
                let [n] = args else { return self.wrong_count(span, "1 argument", args) };
                let n = self.expr(n);
                self.expect(&n, &OpenType::Int);
                let f = self.builtin_value(f, span);
                return ExprKind::Apply(Box::new(f), Box::new(n)).typed(OpenType::Int, span);
            }
            _ => {}
        }
        match self.word_reading(f) {
            WordReading::Unary(op, operand, ty) => {
                let [a] = args else { return self.wrong_count(span, "1 argument", args) };
                let a = self.expr(a);
                self.expect(&a, &operand);
                if matches!(op, UnaryOp::Max | UnaryOp::Min) {
                    self.require(span, Constraint::Number(ty.clone()));
                }
                ExprKind::Unary(op, Box::new(a)).typed(ty, span)
            }
            WordReading::Tree(op, mut operands, ty) => {
                // A tree of one node.
                if op == TreeOp::Bin && args.len() == 1 {
                    operands = vec![operands.remove(1)];
                }
                if args.len() != operands.len() {
                    return self.wrong_count(span, &format!("{} arguments", operands.len()), args);
                }
                let args: Vec<Expr> = args.iter().map(|a| self.expr(a)).collect();
                args.iter().zip(&operands).for_each(|(a, t)| self.expect(a, t));
                ExprKind::Tree(op, args).typed(ty, span)
            }
            WordReading::Special => self.wrong_count(span, "other arguments", args),
        }
    }

    fn wrong_count(&mut self, span: Span, wanted: &str, args: &[ast::Expr]) -> Expr {
        self.error(
            codes::ARGUMENT_COUNT,
            span,
            format!("this operator takes {wanted}, {} are given", args.len()),
        );
        self.erroneous(span)
    }

    fn projection(&mut self, f: F, args: &[ast::Expr], span: Span) -> Expr {
        let first = f == F::Prj1;
        match args {
            [c] => {
                let c = self.expr(c);
                let (a, b) = (self.fresh(), self.fresh());
                self.expect(&c, &OpenType::pair(a.clone(), b.clone()));
                let (op, ty) = if first { (UnaryOp::FirstOf, a) } else { (UnaryOp::SecondOf, b) };
                ExprKind::Unary(op, Box::new(c)).typed(ty, span)
            }
            [s, t] => {
                let (s, t) = (self.expr(s), self.expr(t));
                let (a, b) = (self.fresh(), self.fresh());
                self.expect(&s, &OpenType::pow(a.clone()));
                self.expect(&t, &OpenType::pow(b.clone()));
                self.projection_of(first, s, t, a, b, span)
            }
            _ => self.wrong_count(span, "1 or 2 arguments", args),
        }
    }

    fn projection_of(&self, first: bool, s: Expr, t: Expr, a: OpenType, b: OpenType, span: Span) -> Expr {
        let result = if first { a.clone() } else { b.clone() };
        let ty = OpenType::relation(OpenType::pair(a, b), result);
        let (s, t) = (Box::new(s), Box::new(t));
        Expr { kind: if first { ExprKind::Prj1(s, t) } else { ExprKind::Prj2(s, t) }, ty, span }
    }

    /// Returns a word operator that stands alone, as a function.
    pub(super) fn builtin_value(&mut self, f: F, span: Span) -> Expr {
        if f.is_soft() {
            return self.identifier(f.spelling(), span);
        }
        match f {
            F::Succ => ExprKind::Succ.typed(OpenType::relation(OpenType::Int, OpenType::Int), span),
            F::Pred => ExprKind::Pred.typed(OpenType::relation(OpenType::Int, OpenType::Int), span),
            F::Id => {
                let a = self.fresh();
                let all = whole_type(a.clone(), span);
                ExprKind::Unary(UnaryOp::Id, Box::new(all)).typed(OpenType::relation(a.clone(), a), span)
            }
            F::Prj1 | F::Prj2 => {
                let (a, b) = (self.fresh(), self.fresh());
                let (s, t) = (whole_type(a.clone(), span), whole_type(b.clone(), span));
                self.projection_of(f == F::Prj1, s, t, a, b, span)
            }
            _ => {
                self.error(codes::ARGUMENT_COUNT, span, "this operator needs its argument in parentheses");
                self.erroneous(span)
            }
        }
    }
}

/// Returns the set of all values of a type. In a tree with open types the set that `INTEGER` names is overloaded: with
/// the type `POW(t)` it is the set of all values of `t`, which is written out when the type is closed.
pub(super) fn whole_type(element: OpenType, span: Span) -> Expr {
    ExprKind::Set(BuiltinSet::Integer).typed(OpenType::pow(element), span)
}

/// Returns the set of all values of a type.
pub fn set_of_type(t: &Type, span: Span) -> model::Expr {
    let boxed = |t: &Type| Box::new(set_of_type(t, span));
    let kind = match t {
        Type::Bool => ExprKind::Set(BuiltinSet::Bool),
        Type::Int => ExprKind::Set(BuiltinSet::Integer),
        Type::Real => ExprKind::Set(BuiltinSet::Real),
        Type::String => ExprKind::Set(BuiltinSet::String),
        Type::Carrier(c) => ExprKind::Carrier(*c),
        Type::Free(t, arguments) => {
            ExprKind::FreeSet(*t, arguments.iter().map(|a| set_of_type(a, span)).collect())
        }
        Type::Parameter(i) => ExprKind::TypeParameter(*i),
        Type::Pow(a) => ExprKind::Unary(UnaryOp::Pow, boxed(a)),
        Type::Pair(a, b) => ExprKind::Binary(BinaryOp::Cartesian, boxed(a), boxed(b)),
        Type::Record(fields) => {
            ExprKind::Struct(fields.iter().map(|(l, t)| (l.clone(), set_of_type(t, span))).collect())
        }
    };
    kind.typed(Type::pow(t.clone()), span)
}
