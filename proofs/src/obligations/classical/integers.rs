//! Integers of an implementation: those of the machine that runs it. Computed integers lie in `MININT..MAXINT`, which
//! is `INT` (B Language Reference Manual, 7.25; Atelier B, obligations of overflow).

use bsym_language::model::types::Type;
use bsym_language::model::*;
use bsym_language::walk::{Visitor, binds, walk_expr, walk_pred};

/// Integers that a formula computes, each with the hypotheses where it is computed: `P & Q` and `P or Q` evaluate `Q`
/// only if they have to.
#[derive(Default)]
pub(super) struct Computed {
    pub found: Vec<(Expr, Vec<Pred>)>,
    /// `true` if there is a binder, so that something is computed more than once.
    pub bound: bool,
    known: Vec<Pred>,
}

impl Computed {
    /// Integers that an expression computes.
    pub fn of_expr(e: &Expr) -> Computed {
        let mut computed = Computed::default();
        computed.expr(e);
        computed
    }

    /// Integers that a condition computes.
    pub fn of_pred(p: &Pred) -> Computed {
        let mut computed = Computed::default();
        computed.pred(p);
        computed
    }

    fn note(&mut self, e: &Expr) {
        self.found.push((e.clone(), self.known.clone()));
    }

    /// Visits the parts in their order; each is reached only if those before it are `truth`.
    fn in_turn(&mut self, parts: &[&Pred], truth: bool) {
        let before = self.known.len();
        for part in parts {
            self.pred(part);
            self.known.push(if truth { (*part).clone() } else { negated(part) });
        }
        self.known.truncate(before);
    }
}

fn negated(p: &Pred) -> Pred {
    PredKind::Not(Box::new(p.clone())).at(p.span)
}

impl Visitor for Computed {
    fn expr(&mut self, e: &Expr) {
        use BinaryOp::*;
        match &e.kind {
            ExprKind::Integer(_) => self.note(e),
            ExprKind::Unary(UnaryOp::Negate, inner) if matches!(inner.kind, ExprKind::Integer(_)) => {
                self.note(e)
            }
            ExprKind::If(condition, then, otherwise) => {
                self.pred(condition);
                let before = self.known.len();
                self.known.push((**condition).clone());
                self.expr(then);
                self.known.truncate(before);
                self.known.push(negated(condition));
                self.expr(otherwise);
                self.known.truncate(before);
            }
            ExprKind::Comprehension(..) | ExprKind::Quantified(..) | ExprKind::Let(..) => {
                self.bound |= binds(e)
            }
            ExprKind::Binary(Add | Subtract | Multiply | Divide | Mod | Power, ..)
            | ExprKind::Unary(UnaryOp::Negate, _) => {
                walk_expr(self, e);
                self.note(e);
            }
            ExprKind::Apply(f, _) if matches!(f.kind, ExprKind::Succ | ExprKind::Pred) => {
                walk_expr(self, e);
                self.note(e);
            }
            _ => walk_expr(self, e),
        }
    }

    fn pred(&mut self, p: &Pred) {
        match &p.kind {
            PredKind::And(list) => self.in_turn(&list.iter().collect::<Vec<_>>(), true),
            PredKind::Or(list) => self.in_turn(&list.iter().collect::<Vec<_>>(), false),
            PredKind::Implies(l, r) => self.in_turn(&[l, r], true),
            PredKind::Forall(..) | PredKind::Exists(..) => self.bound = true,
            _ => walk_pred(self, p),
        }
    }
}

/// `e : INT`
pub(super) fn in_machine(e: &Expr) -> Pred {
    let set = ExprKind::Set(BuiltinSet::Int).typed(Type::pow(Type::Int), e.span);
    Pred::compare(CompareOp::Member, e.clone(), set, e.span)
}

/// Predicate that all integers in a value are those of the machine; `None` for a type without integers.
///
/// # Errors
/// If it is no type of a concrete name: no scalar, set of scalars, array or record of them.
pub(super) fn of_value(e: &Expr) -> Result<Option<Pred>, ()> {
    match &e.ty {
        Type::Int => Ok(Some(in_machine(e))),
        Type::Bool | Type::Real | Type::String | Type::Carrier(_) | Type::Free(..) | Type::Parameter(_) => {
            Ok(None)
        }
        Type::Pow(element) => of_elements(e, element),
        Type::Record(fields) => {
            let mut all = vec![];
            for (name, ty) in fields {
                let field = ExprKind::Field(Box::new(e.clone()), name.clone()).typed(ty.clone(), e.span);
                all.extend(of_value(&field)?);
            }
            Ok((!all.is_empty()).then(|| Pred::all(all, e.span)))
        }
        Type::Pair(..) => Err(()),
    }
}

fn of_elements(e: &Expr, element: &Type) -> Result<Option<Pred>, ()> {
    match element {
        Type::Int => {
            let set = ExprKind::Set(BuiltinSet::Int).typed(Type::pow(Type::Int), e.span);
            Ok(Some(Pred::compare(CompareOp::Subset, e.clone(), set, e.span)))
        }
        Type::Pair(from, to) => {
            let side =
                |op, ty: &Type| ExprKind::Unary(op, Box::new(e.clone())).typed(Type::pow(ty.clone()), e.span);
            let mut all: Vec<Pred> = of_elements(&side(UnaryOp::Dom, from), from)?.into_iter().collect();
            all.extend(of_elements(&side(UnaryOp::Ran, to), to)?);
            Ok((!all.is_empty()).then(|| Pred::all(all, e.span)))
        }
        Type::Bool | Type::Real | Type::String | Type::Carrier(_) => Ok(None),
        _ => Err(()),
    }
}
