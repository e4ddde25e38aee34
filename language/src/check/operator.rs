//! Types of the infix operators.

use super::*;
use crate::ast::BinaryOp as In;

impl Checker {
    pub(super) fn binary(&mut self, op: In, l: &ast::Expr, r: &ast::Expr, whole: &ast::Expr) -> Expr {
        use In::*;
        match op {
            Implies | Iff | And | Or | Equal | NotEqual | Member | NotMember | Subset | NotSubset
            | StrictSubset | NotStrictSubset | Less | LessEqual | Greater | GreaterEqual => {
                return self.predicate_as_expression(whole);
            }
            _ => {}
        }
        let (l, r) = (self.expr(l), self.expr(r));
        let span = whole.span;
        let number = |ty: &Type| Constraint::Number(ty.clone());
        let (kind, ty) = match op {
            Plus | Divide => {
                self.expect_same(&l, &r, if op == Plus { "+" } else { "/" });
                self.require(span, number(&l.ty));
                (if op == Plus { BinaryOp::Add } else { BinaryOp::Divide }, l.ty.clone())
            }
            Minus => {
                self.expect_same(&l, &r, "-");
                self.require(span, Constraint::NumberOrSet(l.ty.clone()));
                (BinaryOp::Subtract, l.ty.clone())
            }
            Times => {
                let ty = self.fresh();
                self.require(span, Constraint::Times(l.ty.clone(), r.ty.clone(), ty.clone()));
                (BinaryOp::Multiply, ty)
            }
            Power => {
                self.require(l.span, number(&l.ty));
                self.expect(&r, &Type::Int);
                (BinaryOp::Power, l.ty.clone())
            }
            Mod | Interval => {
                self.expect(&l, &Type::Int);
                self.expect(&r, &Type::Int);
                if op == Mod {
                    (BinaryOp::Mod, Type::Int)
                } else {
                    (BinaryOp::Interval, Type::pow(Type::Int))
                }
            }
            Maplet => (BinaryOp::Maplet, Type::pair(l.ty.clone(), r.ty.clone())),
            OfType => {
                let set = Type::pow(l.ty.clone());
                self.expect(&r, &set);
                return l;
            }
            BackwardComposition => {
                let (ty, l, r) = (self.composition(&r, &l), r, l);
                return Expr {
                    kind: ExprKind::Binary(BinaryOp::Composition, Box::new(l), Box::new(r)),
                    ty,
                    span,
                };
            }
            Composition => (BinaryOp::Composition, self.composition(&l, &r)),
            // ProB's reading where an operand is known to be a string.
            Concat if [&l, &r].iter().any(|e| *self.types.head(&e.ty) == Type::String) => {
                self.expect(&l, &Type::String);
                self.expect(&r, &Type::String);
                let kind = ExprKind::External(ExternalFunction::StringAppend, vec![l, r]);
                return Expr { kind, ty: Type::String, span };
            }
            _ => self.set_operator(op, &l, &r),
        };
        Expr { kind: ExprKind::Binary(kind, Box::new(l), Box::new(r)), ty, span }
    }

    fn composition(&mut self, first: &Expr, second: &Expr) -> Type {
        let (a, b, c) = (self.fresh(), self.fresh(), self.fresh());
        self.expect(first, &Type::relation(a.clone(), b.clone()));
        self.expect(second, &Type::relation(b, c.clone()));
        Type::relation(a, c)
    }

    fn set_operator(&mut self, op: In, l: &Expr, r: &Expr) -> (BinaryOp, Type) {
        use In::*;
        match op {
            Union | Intersection | SetMinus | Override | Concat => {
                let ty = match op {
                    Override => self.fresh_relation().0,
                    Concat => Type::seq(self.fresh()),
                    _ => self.fresh_set(),
                };
                self.expect(l, &ty);
                self.expect(r, &ty);
                let op = match op {
                    Union => BinaryOp::Union,
                    Intersection => BinaryOp::Intersection,
                    SetMinus => BinaryOp::Difference,
                    Override => BinaryOp::Override,
                    _ => BinaryOp::Concat,
                };
                (op, ty)
            }
            DomainRestriction | DomainSubtraction => {
                let (relation, a, _) = self.fresh_relation();
                self.expect(l, &Type::pow(a));
                self.expect(r, &relation);
                let op = if op == DomainRestriction {
                    BinaryOp::DomainRestriction
                } else {
                    BinaryOp::DomainSubtraction
                };
                (op, relation)
            }
            RangeRestriction | RangeSubtraction => {
                let (relation, _, b) = self.fresh_relation();
                self.expect(l, &relation);
                self.expect(r, &Type::pow(b));
                let op = if op == RangeRestriction {
                    BinaryOp::RangeRestriction
                } else {
                    BinaryOp::RangeSubtraction
                };
                (op, relation)
            }
            DirectProduct => {
                let (a, b, c) = (self.fresh(), self.fresh(), self.fresh());
                self.expect(l, &Type::relation(a.clone(), b.clone()));
                self.expect(r, &Type::relation(a.clone(), c.clone()));
                (BinaryOp::DirectProduct, Type::relation(a, Type::pair(b, c)))
            }
            ParallelProduct => {
                let ((left, a, b), (right, c, d)) = (self.fresh_relation(), self.fresh_relation());
                self.expect(l, &left);
                self.expect(r, &right);
                (BinaryOp::ParallelProduct, Type::relation(Type::pair(a, c), Type::pair(b, d)))
            }
            Prepend => {
                let ty = Type::seq(l.ty.clone());
                self.expect(r, &ty);
                (BinaryOp::Prepend, ty)
            }
            Append => {
                let ty = Type::seq(r.ty.clone());
                self.expect(l, &ty);
                (BinaryOp::Append, ty)
            }
            Take | Drop => {
                let ty = Type::seq(self.fresh());
                self.expect(l, &ty);
                self.expect(r, &Type::Int);
                (if op == Take { BinaryOp::Take } else { BinaryOp::Drop }, ty)
            }
            _ => {
                let (a, b) = (self.fresh(), self.fresh());
                self.expect(l, &Type::pow(a.clone()));
                self.expect(r, &Type::pow(b.clone()));
                match arrow(op) {
                    Some(op) => (op, Type::pow(Type::relation(a, b))),
                    None => (BinaryOp::Cartesian, Type::relation(a, b)),
                }
            }
        }
    }
}

fn arrow(op: In) -> Option<BinaryOp> {
    Some(match op {
        In::Relation => BinaryOp::Relation,
        In::TotalRelation => BinaryOp::TotalRelation,
        In::SurjectiveRelation => BinaryOp::SurjectiveRelation,
        In::TotalSurjectiveRelation => BinaryOp::TotalSurjectiveRelation,
        In::PartialFunction => BinaryOp::PartialFunction,
        In::TotalFunction => BinaryOp::TotalFunction,
        In::PartialInjection => BinaryOp::PartialInjection,
        In::TotalInjection => BinaryOp::TotalInjection,
        In::PartialSurjection => BinaryOp::PartialSurjection,
        In::TotalSurjection => BinaryOp::TotalSurjection,
        In::PartialBijection => BinaryOp::PartialBijection,
        In::TotalBijection => BinaryOp::TotalBijection,
        _ => return None,
    })
}
