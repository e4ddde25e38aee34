//! The end of a group of formulas, where names must have types; and the end of all, where trees with open types
//! become trees of the model.

use std::mem::{replace, take};

use super::*;
use crate::model::retype::Retype;

impl Checker {
    /// Settles waiting constraints and the types of all locals since the last group.
    pub(super) fn finish_group(&mut self) {
        for failure in self.types.settle() {
            self.failure(failure);
        }
        for i in self.first_open..self.model.locals.len() {
            let local = &self.model.locals[i];
            if !self.types.is_closed(&local.ty) && !self.scope.defined.contains(&LocalId(i as u32)) {
                let (name, span, ty) = (local.name.clone(), local.span, local.ty.clone());
                self.unknown_type(&name, span, &ty);
            }
            let ty = self.types.settled(&self.model.locals[i].ty);
            self.model.locals[i].ty = ty;
        }
        self.first_open = self.model.locals.len();
    }

    /// Reports a declared name without a type, once.
    pub(super) fn unknown_type(&mut self, name: &str, span: Span, ty: &OpenType) {
        let known = match self.types.head(ty) {
            t @ (OpenType::Pow(_) | OpenType::Pair(..) | OpenType::Record(_)) => {
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

    /// Settles the types of all constants.
    pub(super) fn close_constants(&mut self) {
        for i in 0..self.model.constants.len() {
            let declared = self.model.constants[i].clone();
            self.model.constants[i].ty = self.close_declared(declared);
        }
    }

    /// Settles the types of variables that a group had to determine.
    pub(super) fn close_variables(&mut self, variables: &[VarId]) {
        for v in variables {
            let declared = self.model.variables[v.index()].clone();
            self.model.variables[v.index()].ty = self.close_declared(declared);
        }
    }

    fn close_declared(&mut self, declared: Variable) -> OpenType {
        let Variable { name, ty, span } = declared;
        if !self.types.is_closed(&ty) {
            // A machine that is not loaded, or the missing section, would have given the type.
            if !self.incomplete && self.diagnostics.iter().all(|d| d.code != codes::MISSING_SECTION) {
                self.unknown_type(&name, span, &ty);
            }
            self.types.unify(&ty, &OpenType::Error);
        }
        self.types.settled(&ty)
    }

    /// Returns the retyping that closes the types of trees.
    pub(super) fn closing(&self) -> Closing<'_> {
        Closing(&self.types)
    }

    /// Returns the model that was built, with closed types, and leaves nothing behind.
    pub(super) fn close(&mut self) -> Model {
        let open = replace(&mut self.model, empty_model(String::new(), Arc::default()));
        self.closing().model(open)
    }

    /// Returns the set of all values of a type that is known.
    pub(super) fn type_set(&self, ty: &OpenType, span: Span) -> Expr {
        Opening.expr(set_of_type(&self.types.close(ty), span))
    }
}

/// Writes the texts of conjuncts for which the source has none.
pub(super) fn write_texts(model: &mut Model, of: impl Fn(&model::Conjunct) -> bool) {
    let mut lists = [take(&mut model.axioms), take(&mut model.invariant), take(&mut model.assertions)];
    for c in lists.iter_mut().flatten().filter(|c| c.text.is_empty() && of(c)) {
        c.text = print::pred(model, &c.pred);
    }
    [model.axioms, model.invariant, model.assertions] = lists;
}

/// Inference's tree becomes the model's: types are closed, overloaded operators get the reading that their types
/// give them.
pub(super) struct Closing<'a>(&'a Inference);

impl Retype<OpenType, Type> for Closing<'_> {
    fn ty(&mut self, ty: OpenType) -> Type {
        self.0.close(&ty)
    }

    fn expr_kind(&mut self, kind: ExprKind, ty: &Type, span: Span) -> ExprKind {
        match kind {
            ExprKind::Binary(op, l, r) => ExprKind::Binary(binary_reading(op, &l.ty), l, r),
            ExprKind::Unary(op, a) => ExprKind::Unary(unary_reading(op, &a.ty, ty), a),
            ExprKind::Quantified(QuantOp::Sigma, ids, p, v) if v.ty == Type::Real => {
                ExprKind::Quantified(QuantOp::SigmaReal, ids, p, v)
            }
            ExprKind::Quantified(QuantOp::Pi, ids, p, v) if v.ty == Type::Real => {
                ExprKind::Quantified(QuantOp::PiReal, ids, p, v)
            }
            // See `whole_type`.
            ExprKind::Set(BuiltinSet::Integer) => match ty {
                Type::Pow(element) => set_of_type(element, span).kind,
                _ => kind,
            },
            _ => kind,
        }
    }

    fn pred_kind(&mut self, kind: PredKind) -> PredKind {
        match kind {
            PredKind::Compare(op, l, r) if l.ty == Type::Real => PredKind::Compare(real(op), l, r),
            _ => kind,
        }
    }
}

/// A tree of the model as one with types that may be open.
pub(super) struct Opening;

impl Retype<Type, OpenType> for Opening {
    fn ty(&mut self, ty: Type) -> OpenType {
        (&ty).into()
    }
}

fn real(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Less => CompareOp::LessReal,
        CompareOp::LessEqual => CompareOp::LessEqualReal,
        CompareOp::Greater => CompareOp::GreaterReal,
        CompareOp::GreaterEqual => CompareOp::GreaterEqualReal,
        other => other,
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
