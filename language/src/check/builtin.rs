//! Types of the word operators: `card(S)`, `closure(r)`, `prj1`, …

use super::*;
use crate::ast::BuiltinFn as F;

impl Checker {
    pub(super) fn builtin(&mut self, f: F, args: &[ast::Expr], span: Span) -> Expr {
        if let Some(word) = soft_word(f) {
            if self.is_declared(word) {
                let callee = ast::Expr { kind: ast::ExprKind::Ident(word.into()), span };
                return self
                    .expr(&ast::Expr { kind: ast::ExprKind::Apply(Box::new(callee), args.to_vec()), span });
            }
            if !matches!(f, F::Floor | F::Ceiling | F::Real) {
                return self.tree(f, args, span);
            }
        }
        match f {
            F::Finite | F::Partition => {
                return self
                    .predicate_as_expression(&ast::Expr { kind: ast::ExprKind::Builtin(f, vec![]), span });
            }
            F::Bool => {
                let [p] = args else { return self.wrong_count(span, "1 argument", args) };
                let p = self.pred(p);
                return Expr { kind: ExprKind::BoolOf(Box::new(p)), ty: Type::Bool, span };
            }
            F::Iterate => {
                let [r, n] = args else { return self.wrong_count(span, "2 arguments", args) };
                let (r, n) = (self.expr(r), self.expr(n));
                let a = self.fresh();
                let ty = Type::relation(a.clone(), a);
                self.expect(&r, &ty);
                self.expect(&n, &Type::Int);
                return Expr { kind: ExprKind::Iterate(Box::new(r), Box::new(n)), ty, span };
            }
            F::Prj1 | F::Prj2 => return self.projection(f, args, span),
            F::Succ | F::Pred => {
                let [n] = args else { return self.wrong_count(span, "1 argument", args) };
                let n = self.expr(n);
                self.expect(&n, &Type::Int);
                let f = self.builtin_value(f, span);
                return Expr { kind: ExprKind::Apply(Box::new(f), Box::new(n)), ty: Type::Int, span };
            }
            _ => {}
        }
        let [a] = args else { return self.wrong_count(span, "1 argument", args) };
        let a = self.expr(a);
        let (op, operand, ty) = self.signature(f);
        self.expect(&a, &operand);
        if matches!(op, UnaryOp::Max | UnaryOp::Min) {
            self.require(span, Constraint::Number(ty.clone()));
        }
        Expr { kind: ExprKind::Unary(op, Box::new(a)), ty, span }
    }

    fn wrong_count(&mut self, span: Span, wanted: &str, args: &[ast::Expr]) -> Expr {
        self.error(
            codes::ARGUMENT_COUNT,
            span,
            format!("this operator takes {wanted}, {} are given", args.len()),
        );
        self.erroneous(span)
    }

    // Operator, type of its operand, type of its result.
    fn signature(&mut self, f: F) -> (UnaryOp, Type, Type) {
        let a = self.fresh();
        let set = Type::pow(a.clone());
        match f {
            F::Pow => (UnaryOp::Pow, set.clone(), Type::pow(set)),
            F::Pow1 => (UnaryOp::Pow1, set.clone(), Type::pow(set)),
            F::Fin => (UnaryOp::Fin, set.clone(), Type::pow(set)),
            F::Fin1 => (UnaryOp::Fin1, set.clone(), Type::pow(set)),
            F::GeneralUnion => (UnaryOp::GeneralUnion, Type::pow(set.clone()), set),
            F::GeneralInter => (UnaryOp::GeneralInter, Type::pow(set.clone()), set),
            F::Card => (UnaryOp::Card, set, Type::Int),
            F::Max => (UnaryOp::Max, set, a),
            F::Min => (UnaryOp::Min, set, a),
            F::Id => (UnaryOp::Id, set, Type::relation(a.clone(), a)),
            F::Dom | F::Ran | F::Fnc => {
                let (relation, a, b) = self.fresh_relation();
                match f {
                    F::Dom => (UnaryOp::Dom, relation, Type::pow(a)),
                    F::Ran => (UnaryOp::Ran, relation, Type::pow(b)),
                    _ => (UnaryOp::Fnc, relation, Type::relation(a, Type::pow(b))),
                }
            }
            F::Rel => {
                let (relation, a, b) = self.fresh_relation();
                (UnaryOp::Rel, Type::relation(a, Type::pow(b)), relation)
            }
            F::Closure => {
                (UnaryOp::Closure, Type::relation(a.clone(), a.clone()), Type::relation(a.clone(), a))
            }
            F::Closure1 => {
                (UnaryOp::Closure1, Type::relation(a.clone(), a.clone()), Type::relation(a.clone(), a))
            }
            F::Seq => (UnaryOp::Seq, set, Type::pow(Type::seq(a))),
            F::Seq1 => (UnaryOp::Seq1, set, Type::pow(Type::seq(a))),
            F::Iseq => (UnaryOp::Iseq, set, Type::pow(Type::seq(a))),
            F::Iseq1 => (UnaryOp::Iseq1, set, Type::pow(Type::seq(a))),
            F::Perm => (UnaryOp::Perm, set, Type::pow(Type::seq(a))),
            F::Conc => (UnaryOp::Conc, Type::seq(Type::seq(a.clone())), Type::seq(a)),
            F::Front => (UnaryOp::Front, Type::seq(a.clone()), Type::seq(a)),
            F::Tail => (UnaryOp::Tail, Type::seq(a.clone()), Type::seq(a)),
            F::Rev => (UnaryOp::Rev, Type::seq(a.clone()), Type::seq(a)),
            F::First => (UnaryOp::First, Type::seq(a.clone()), a),
            F::Last => (UnaryOp::Last, Type::seq(a.clone()), a),
            F::Size => (UnaryOp::Size, Type::seq(a), Type::Int),
            F::Floor => (UnaryOp::Floor, Type::Real, Type::Int),
            F::Ceiling => (UnaryOp::Ceiling, Type::Real, Type::Int),
            F::Real => (UnaryOp::ToReal, Type::Int, Type::Real),
            // The others are treated before.
            _ => (UnaryOp::Card, ERROR, ERROR),
        }
    }

    fn projection(&mut self, f: F, args: &[ast::Expr], span: Span) -> Expr {
        let first = f == F::Prj1;
        match args {
            [c] => {
                let c = self.expr(c);
                let (a, b) = (self.fresh(), self.fresh());
                self.expect(&c, &Type::pair(a.clone(), b.clone()));
                let (op, ty) = if first { (UnaryOp::FirstOf, a) } else { (UnaryOp::SecondOf, b) };
                Expr { kind: ExprKind::Unary(op, Box::new(c)), ty, span }
            }
            [s, t] => {
                let (s, t) = (self.expr(s), self.expr(t));
                let (a, b) = (self.fresh(), self.fresh());
                self.expect(&s, &Type::pow(a.clone()));
                self.expect(&t, &Type::pow(b.clone()));
                self.projection_of(first, s, t, a, b, span)
            }
            _ => self.wrong_count(span, "1 or 2 arguments", args),
        }
    }

    fn projection_of(&self, first: bool, s: Expr, t: Expr, a: Type, b: Type, span: Span) -> Expr {
        let result = if first { a.clone() } else { b.clone() };
        let ty = Type::relation(Type::pair(a, b), result);
        let (s, t) = (Box::new(s), Box::new(t));
        Expr { kind: if first { ExprKind::Prj1(s, t) } else { ExprKind::Prj2(s, t) }, ty, span }
    }

    /// A word operator that stands alone, as a function.
    pub(super) fn builtin_value(&mut self, f: F, span: Span) -> Expr {
        if let Some(word) = soft_word(f) {
            return self.identifier(word, span);
        }
        match f {
            F::Succ => Expr { kind: ExprKind::Succ, ty: Type::relation(Type::Int, Type::Int), span },
            F::Pred => Expr { kind: ExprKind::Pred, ty: Type::relation(Type::Int, Type::Int), span },
            F::Id => {
                let a = self.fresh();
                let all = whole_type(a.clone(), span);
                Expr {
                    kind: ExprKind::Unary(UnaryOp::Id, Box::new(all)),
                    ty: Type::relation(a.clone(), a),
                    span,
                }
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

// `INTEGER` with a type of its own stands for the set of all values of that type until the type is
// known; `close_expr` then writes the set.
pub(super) fn whole_type(element: Type, span: Span) -> Expr {
    Expr { kind: ExprKind::Set(BuiltinSet::Integer), ty: Type::pow(element), span }
}

/// The set of all values of a type.
pub fn set_of_type(t: &Type, span: Span) -> Expr {
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
    Expr { kind, ty: Type::pow(t.clone()), span }
}

/// Words that are operators only where no declaration takes the name.
fn soft_word(f: F) -> Option<&'static str> {
    Some(match f {
        F::Floor => "floor",
        F::Ceiling => "ceiling",
        F::Real => "real",
        F::Tree => "tree",
        F::Btree => "btree",
        F::Const => "const",
        F::Top => "top",
        F::Sons => "sons",
        F::Prefix => "prefix",
        F::Postfix => "postfix",
        F::Sizet => "sizet",
        F::Mirror => "mirror",
        F::Rank => "rank",
        F::Father => "father",
        F::Son => "son",
        F::Subtree => "subtree",
        F::Arity => "arity",
        F::Bin => "bin",
        F::Left => "left",
        F::Right => "right",
        F::Infix => "infix",
        _ => return None,
    })
}
