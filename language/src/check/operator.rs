//! Meaning of the rows of the table of operators: types of the operands and of the result, and the operator of the
//! model.

use super::*;
use crate::ast::operators::operators;
use crate::ast::{BinaryOp as In, BuiltinFn as F};

/// Meaning of an infix operator in the model.
pub(super) enum Reading {
    /// `&`, `or`, `=>`, `<=>`
    Connective,
    Compare(CompareOp, Operands),
    /// With the types of both operands and of the result.
    Value(BinaryOp, [OpenType; 3]),
    /// The types of the operands decide.
    Rule(BinaryOp, Rule),
    /// The left operand, an element of the right one.
    OfType,
}

/// Types that a comparison requires of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operands {
    /// One type.
    Alike,
    /// An element and a set.
    Membership,
    /// Two sets of one type.
    Sets,
    /// Two integers, or two reals.
    Numbers,
}

/// How operators are typed that have several readings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// Two numbers of one kind give one more.
    Numbers,
    /// Numbers, or sets.
    NumberOrSet,
    /// Product of numbers, or of sets.
    Product,
    /// The exponent is an integer.
    Power,
    /// Composition with the operands exchanged.
    Backward,
    /// Sequences; strings where an operand is known to be one.
    Joined,
}

/// Meaning of a word operator in the model.
pub(super) enum WordReading {
    /// With the types of the operand and of the result.
    Unary(UnaryOp, OpenType, OpenType),
    /// With the types of the operands and of the result.
    Tree(TreeOp, Vec<OpenType>, OpenType),
    /// Typed by a separate function.
    Special,
}

// A type as the table writes it, over the types in an array.
#[rustfmt::skip]
macro_rules! ty {
    ($v:ident; a) => { $v[0].clone() };
    ($v:ident; b) => { $v[1].clone() };
    ($v:ident; c) => { $v[2].clone() };
    ($v:ident; d) => { $v[3].clone() };
    ($v:ident; Int) => { OpenType::Int };
    ($v:ident; Real) => { OpenType::Real };
    ($v:ident; P($($t:tt)*)) => { OpenType::pow(ty!($v; $($t)*)) };
    ($v:ident; Seq($($t:tt)*)) => { OpenType::seq(ty!($v; $($t)*)) };
    // A function from paths to labels (B reference manual, 5.17).
    ($v:ident; Tree($($t:tt)*)) => { OpenType::relation(OpenType::seq(OpenType::Int), ty!($v; $($t)*)) };
    ($v:ident; Pair($l:ident $(($($la:tt)*))?, $r:ident $(($($ra:tt)*))?)) => {
        OpenType::pair(ty!($v; $l $(($($la)*))?), ty!($v; $r $(($($ra)*))?))
    };
    ($v:ident; Rel($l:ident $(($($la:tt)*))?, $r:ident $(($($ra:tt)*))?)) => {
        OpenType::relation(ty!($v; $l $(($($la)*))?), ty!($v; $r $(($($ra)*))?))
    };
}

#[rustfmt::skip]
macro_rules! one {
    ($v:ident; connective()) => { Reading::Connective };
    ($v:ident; of_type()) => { Reading::OfType };
    ($v:ident; compare($op:ident, $operands:ident)) => { Reading::Compare(CompareOp::$op, Operands::$operands) };
    ($v:ident; rule($op:ident, $rule:ident)) => { Reading::Rule(BinaryOp::$op, Rule::$rule) };
    ($v:ident; value($op:ident: $($t:ident $(($($ta:tt)*))?),* => $r:ident $(($($ra:tt)*))?)) => {
        Reading::Value(BinaryOp::$op, [$(ty!($v; $t $(($($ta)*))?),)* ty!($v; $r $(($($ra)*))?)])
    };
    ($v:ident; special()) => { WordReading::Special };
    ($v:ident; unary($op:ident: $t:ident $(($($ta:tt)*))? => $r:ident $(($($ra:tt)*))?)) => {
        WordReading::Unary(UnaryOp::$op, ty!($v; $t $(($($ta)*))?), ty!($v; $r $(($($ra)*))?))
    };
    ($v:ident; tree($op:ident: $($t:ident $(($($ta:tt)*))?),* => $r:ident $(($($ra:tt)*))?)) => {
        WordReading::Tree(TreeOp::$op, vec![$(ty!($v; $t $(($($ta)*))?)),*], ty!($v; $r $(($($ra)*))?))
    };
}

macro_rules! readings {
    (apart { $($apart:tt)* } infix { $($infix:tt)* } words { $($words:tt)* } soft { $($soft:tt)* }) => {
        readings!(infix $($apart)* $($infix)*);
        readings!(words $($words)* $($soft)*);
    };
    (infix $($op:ident $level:tt $group:ident $a:tt $b:tt $c:tt $($partial:ident)? => $reading:ident $types:tt;)*) => {
        /// Returns the meaning of an infix operator, over fresh types.
        fn reading(op: In, v: &[OpenType; 4]) -> Reading {
            match op { $(In::$op => one!(v; $reading $types),)* }
        }
    };
    (words $($word:ident $a:tt $b:tt $c:tt $d:tt $($partial:ident)? => $reading:ident $types:tt;)*) => {
        /// Returns the meaning of a word operator, over fresh types.
        fn word_reading(f: F, v: &[OpenType; 4]) -> WordReading {
            match f { $(F::$word => one!(v; $reading $types),)* }
        }
    };
}
operators!(readings);

impl Checker {
    pub(super) fn reading(&mut self, op: In) -> Reading {
        let fresh = self.fresh_four();
        reading(op, &fresh)
    }

    pub(super) fn word_reading(&mut self, f: F) -> WordReading {
        let fresh = self.fresh_four();
        word_reading(f, &fresh)
    }

    fn fresh_four(&mut self) -> [OpenType; 4] {
        std::array::from_fn(|_| self.fresh())
    }

    pub(super) fn binary(&mut self, op: In, l: &ast::Expr, r: &ast::Expr, whole: &ast::Expr) -> Expr {
        let reading = self.reading(op);
        if matches!(reading, Reading::Connective | Reading::Compare(..)) {
            return self.predicate_as_expression(whole);
        }
        let (l, r) = (self.expr(l), self.expr(r));
        let span = whole.span;
        match reading {
            Reading::Value(BinaryOp::Prepend, _) if self.is_other_arrow(&l, &r, span) => self.erroneous(span),
            Reading::Value(model, types) => self.typed(model, types, l, r, span),
            Reading::Rule(model, rule) => self.ruled(op, model, rule, l, r, span),
            Reading::OfType => {
                self.expect(&r, &OpenType::pow(l.ty.clone()));
                l
            }
            Reading::Connective | Reading::Compare(..) => self.erroneous(span),
        }
    }

    // An operation with the types that the operands must have, and that of the result.
    fn typed(
        &mut self,
        op: BinaryOp,
        [left, right, ty]: [OpenType; 3],
        l: Expr,
        r: Expr,
        span: Span,
    ) -> Expr {
        self.expect(&l, &left);
        self.expect(&r, &right);
        ExprKind::Binary(op, Box::new(l), Box::new(r)).typed(ty, span)
    }

    fn ruled(&mut self, op: In, model: BinaryOp, rule: Rule, l: Expr, r: Expr, span: Span) -> Expr {
        let ty = match rule {
            Rule::Numbers => {
                if self.expect_same(&l, &r, op.spelling()) {
                    self.require(span, Constraint::Number(l.ty.clone()));
                }
                l.ty.clone()
            }
            Rule::NumberOrSet => {
                if self.expect_same(&l, &r, op.spelling()) {
                    self.require(span, Constraint::NumberOrSet(l.ty.clone()));
                }
                l.ty.clone()
            }
            Rule::Product => {
                let ty = self.fresh();
                self.require(span, Constraint::Times(l.ty.clone(), r.ty.clone(), ty.clone()));
                ty
            }
            Rule::Power => {
                self.require(l.span, Constraint::Number(l.ty.clone()));
                self.expect(&r, &OpenType::Int);
                l.ty.clone()
            }
            Rule::Backward => {
                let Reading::Value(model, types) = self.reading(In::Composition) else {
                    return self.erroneous(span);
                };
                return self.typed(model, types, r, l, span);
            }
            // ProB's reading where an operand is known to be a string.
            Rule::Joined if [&l, &r].iter().any(|e| *self.types.head(&e.ty) == OpenType::String) => {
                self.expect(&l, &OpenType::String);
                self.expect(&r, &OpenType::String);
                let kind = ExprKind::External(ExternalFunction::StringAppend, vec![l, r]);
                return kind.typed(OpenType::String, span);
            }
            Rule::Joined => {
                let ty = OpenType::seq(self.fresh());
                self.expect(&l, &ty);
                self.expect(&r, &ty);
                ty
            }
        };
        ExprKind::Binary(model, Box::new(l), Box::new(r)).typed(ty, span)
    }
}
