//! The end of a group of formulas: overloaded operators get their reading, types are closed.

use super::*;
use crate::model::visit::{self, VisitorMut};

impl Checker {
    /// Settles waiting constraints and closes the types of all locals since the last group.
    ///
    /// Trees of the group are closed by the caller, with [`Checker::close_pred`] and its relatives.
    pub(super) fn finish_group(&mut self) {
        for failure in self.types.settle() {
            self.failure(failure);
        }
        for i in self.first_open..self.model.locals.len() {
            let local = &self.model.locals[i];
            if !self.types.is_closed(&local.ty) && !self.defined.contains(&LocalId(i as u32)) {
                let (name, span, ty) = (local.name.clone(), local.span, local.ty.clone());
                self.unknown_type(&name, span, &ty);
            }
            let ty = self.types.close(&self.model.locals[i].ty);
            self.model.locals[i].ty = ty;
        }
        self.first_open = self.model.locals.len();
    }

    /// Says that a declared name has no type, once.
    pub(super) fn unknown_type(&mut self, name: &str, span: Span, ty: &Type) {
        let known = match self.types.head(ty) {
            t @ (Type::Pow(_) | Type::Pair(..) | Type::Record(_)) => {
                format!(", only that it is {}", self.type_text(t))
            }
            _ => String::new(),
        };
        self.report(
            Diagnostic::error(
                codes::UNKNOWN_TYPE,
                span,
                format!("the type of `{name}` cannot be determined{known}"),
            )
            .help(format!("add a predicate like `{name} : S` that gives it a type")),
        );
    }

    /// Closes the types of all constants.
    pub(super) fn close_constants(&mut self) {
        for i in 0..self.model.constants.len() {
            let declared = self.model.constants[i].clone();
            self.model.constants[i].ty = self.close_declared(declared);
        }
    }

    /// Closes the types of variables that a group had to determine.
    pub(super) fn close_variables(&mut self, variables: &[VarId]) {
        for v in variables {
            let declared = self.model.variables[v.index()].clone();
            self.model.variables[v.index()].ty = self.close_declared(declared);
        }
    }

    fn close_declared(&mut self, declared: Variable) -> Type {
        let Variable { name, ty, span } = declared;
        if !self.types.is_closed(&ty) {
            // A machine that is not loaded, or the missing section, would have given the type.
            if !self.incomplete && self.diagnostics.iter().all(|d| d.code != codes::MISSING_SECTION) {
                self.unknown_type(&name, span, &ty);
            }
            self.types.unify(&ty, &ERROR);
        }
        self.types.close(&ty)
    }

    pub(super) fn close_pred(&self, p: &mut Pred) {
        Closer(&self.types).pred(p);
    }

    pub(super) fn close_expr(&self, e: &mut Expr) {
        Closer(&self.types).expr(e);
    }

    pub(super) fn close_subst(&self, s: &mut Subst) {
        Closer(&self.types).subst(s);
    }

    pub(super) fn close_conjuncts(&self, list: &mut [Conjunct]) {
        for c in list.iter_mut() {
            self.close_pred(&mut c.pred);
            if c.text.is_empty() {
                c.text = print::pred(&self.model, &c.pred);
            }
        }
    }
}

struct Closer<'a>(&'a Inference);

impl VisitorMut for Closer<'_> {
    fn expr(&mut self, e: &mut Expr) {
        visit::walk_expr_mut(self, e);
        e.ty = self.0.close(&e.ty);
        match &mut e.kind {
            ExprKind::Binary(op, l, _) => *op = binary_reading(*op, &l.ty),
            ExprKind::Unary(op, a) => *op = unary_reading(*op, &a.ty, &e.ty),
            ExprKind::Quantified(op, _, _, v) if v.ty == Type::Real => match op {
                QuantOp::Sigma => *op = QuantOp::SigmaReal,
                QuantOp::Pi => *op = QuantOp::PiReal,
                _ => {}
            },
            // See `whole_type` in `builtin`.
            ExprKind::Set(BuiltinSet::Integer) if e.ty != Type::pow(Type::Int) => {
                if let Type::Pow(element) = &e.ty
                    && **element != ERROR
                {
                    *e = builtin::set_of_type(element, e.span);
                }
            }
            _ => {}
        }
    }

    fn pred(&mut self, p: &mut Pred) {
        visit::walk_pred_mut(self, p);
        if let PredKind::Compare(op, l, _) = &mut p.kind
            && l.ty == Type::Real
        {
            *op = match *op {
                CompareOp::Less => CompareOp::LessReal,
                CompareOp::LessEqual => CompareOp::LessEqualReal,
                CompareOp::Greater => CompareOp::GreaterReal,
                CompareOp::GreaterEqual => CompareOp::GreaterEqualReal,
                other => other,
            };
        }
    }
}

fn binary_reading(op: BinaryOp, left: &Type) -> BinaryOp {
    match (op, left) {
        (BinaryOp::Subtract, Type::Pow(_)) => BinaryOp::Difference,
        (BinaryOp::Multiply, Type::Pow(_)) => BinaryOp::Cartesian,
        (BinaryOp::Add, Type::Real) => BinaryOp::AddReal,
        (BinaryOp::Subtract, Type::Real) => BinaryOp::SubtractReal,
        (BinaryOp::Multiply, Type::Real) => BinaryOp::MultiplyReal,
        (BinaryOp::Divide, Type::Real) => BinaryOp::DivideReal,
        (BinaryOp::Power, Type::Real) => BinaryOp::PowerReal,
        _ => op,
    }
}

fn unary_reading(op: UnaryOp, operand: &Type, result: &Type) -> UnaryOp {
    match op {
        UnaryOp::Negate if *operand == Type::Real => UnaryOp::NegateReal,
        UnaryOp::Max if *result == Type::Real => UnaryOp::MaxReal,
        UnaryOp::Min if *result == Type::Real => UnaryOp::MinReal,
        _ => op,
    }
}
