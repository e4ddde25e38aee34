//! Explains why a predicate is false in a state: the part that decides, a witness for its quantifiers, the values of
//! its parts.
//!
//! The reference evaluates everything, so explanations are true. Parts that cannot be evaluated with little work are
//! left out: an explanation may be empty, and is never wrong.

mod membership;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, LocalId, Pred, PredKind, UnaryOp};
use bsym_language::print;

use crate::evaluator::free_names::{names_of_expr, names_of_pred};
use crate::evaluator::work::Work;
use crate::evaluator::{Eval, Evaluator};
use crate::tuning::tuning;
use crate::value::Value;
use crate::value::env::{Env, Name};

/// Explanation of why a predicate is false; all texts are B.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Explanation {
    /// The false part, if it is not the whole predicate.
    pub part: Option<String>,
    /// Bound names with the values that make it false.
    pub witness: Vec<(String, String)>,
    /// Expressions of the predicate with their values.
    pub values: Vec<(String, String)>,
    /// Elements that decide its truth, such as those of one set that are not in another.
    pub elements: Vec<Elements>,
}

/// Elements that decide the truth of a predicate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Elements {
    /// Description of the elements: `in dom(f) and not in S`.
    pub what: String,
    /// The set of these elements.
    pub set: String,
}

impl Explanation {
    /// Returns whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Explanation::default()
    }
}

impl Evaluator<'_> {
    /// Explains why a predicate is false under these values of the names. Empty if it is not false, or if that is not
    /// known.
    pub fn explain(&self, env: &Env<'_>, pred: &Pred) -> Explanation {
        let work = Work::new(tuning().answers.explanation_work);
        work.portion(tuning().answers.explanation_work);
        let eval = Evaluator { interrupt: self.interrupt, ..Evaluator::new(self.model, self.scope) };
        let mut explainer = Explainer { eval: eval.with_work(&work), found: Explanation::default() };
        if !explainer.eval.pred(env, pred).is_ok_and(|truth| !truth) {
            return Explanation::default();
        }
        // Even where the work does not suffice, the findings so far are right.
        let _ = explainer.because(env, pred, false);
        explainer.found
    }
}

/// An explanation that grows.
struct Explainer<'w> {
    eval: Evaluator<'w>,
    found: Explanation,
}

impl Explainer<'_> {
    /// Explains why a predicate has this truth value.
    fn because(&mut self, env: &Env<'_>, pred: &Pred, truth: bool) -> Eval<()> {
        match (&pred.kind, truth) {
            (PredKind::And(parts), false) | (PredKind::Or(parts), true) => {
                for part in parts {
                    if self.eval.pred(env, part)? == truth {
                        if !truth {
                            self.found.part = Some(print::shown_pred(self.eval.model, part));
                        }
                        return self.because(env, part, truth);
                    }
                }
                Ok(())
            }
            (PredKind::And(parts) | PredKind::Or(parts), _) => {
                parts.iter().try_for_each(|part| self.because(env, part, truth))
            }
            (PredKind::Implies(premise, conclusion), false) => {
                self.because(env, conclusion, false)?;
                self.because(env, premise, true)
            }
            (PredKind::Implies(premise, conclusion), true) => match self.eval.pred(env, premise)? {
                true => self.because(env, conclusion, true),
                false => self.because(env, premise, false),
            },
            (PredKind::Iff(left, right), _) => {
                for side in [left, right] {
                    let truth = self.eval.pred(env, side)?;
                    self.because(env, side, truth)?;
                }
                Ok(())
            }
            (PredKind::Not(inner), _) => self.because(env, inner, !truth),
            (PredKind::Forall(locals, inner), false) => self.instance(env, locals, inner, false),
            (PredKind::Exists(locals, inner), true) => self.instance(env, locals, inner, true),
            (PredKind::Exists(..), false) => {
                self.names(env, pred);
                Ok(())
            }
            // A true universal quantifier needs no witness.
            (PredKind::Forall(..), true) => Ok(()),
            (PredKind::Compare(op, left, right), _) => self.comparison(env, *op, left, right, truth),
            (PredKind::Partition(whole, parts), _) => {
                self.value(env, whole)?;
                parts.iter().try_for_each(|part| self.value(env, part))
            }
            (PredKind::Finite(set), _) => self.value(env, set),
            (PredKind::External(_, arguments) | PredKind::Call(_, arguments), _) => {
                arguments.iter().try_for_each(|argument| self.value(env, argument))
            }
            (PredKind::If(condition, yes, no), _) => {
                let taken = self.eval.pred(env, condition)?;
                self.because(env, if taken { yes } else { no }, truth)?;
                self.because(env, condition, taken)
            }
            (PredKind::Let(definitions, inner), _) => {
                let bound = self.eval.definitions(env, definitions)?;
                self.bind(&bound);
                let frame = env.frame(&bound);
                self.because(&env.within(&frame), inner, truth)
            }
            (PredKind::True | PredKind::False, _) => Ok(()),
        }
    }

    /// Continues with an instance that has this truth value.
    fn instance(&mut self, env: &Env<'_>, locals: &[LocalId], inner: &Pred, truth: bool) -> Eval<()> {
        let names: Vec<_> = locals.iter().map(|local| Name::Local(*local)).collect();
        let mut found: Option<Vec<(Name, Value)>> = None;
        let total = self.eval.is_total(env, inner);
        let (done, _) = self.eval.solve_for_witness(
            env,
            &names,
            (truth, inner),
            inner.span,
            total,
            &mut |bound, known| {
                // An instance without a truth value says nothing.
                if known.is_ok() {
                    found = Some(bound.to_vec());
                    return Ok(ControlFlow::Break(()));
                }
                Ok(ControlFlow::Continue(()))
            },
        );
        let Some(bound) = found else { return done.map(|_| ()) };
        self.bind(&bound);
        let frame = env.frame(&bound);
        self.because(&env.within(&frame), inner, truth)
    }

    fn bind(&mut self, bound: &[(Name, Value)]) {
        for (name, value) in bound.iter().filter(|(_, value)| !value.has_lazy()) {
            self.found.witness.push((self.eval.name(*name).to_string(), self.eval.text(value)));
        }
    }

    /// Notes the values of the variables in a predicate.
    fn names(&mut self, env: &Env<'_>, pred: &Pred) {
        for name in names_of_pred(pred) {
            if let (Name::Var(_), Some(value)) = (name, env.get(name)) {
                self.note(self.eval.name(name).to_string(), value);
            }
        }
    }

    fn comparison(
        &mut self,
        env: &Env<'_>,
        op: CompareOp,
        left: &Expr,
        right: &Expr,
        truth: bool,
    ) -> Eval<()> {
        match (op, truth) {
            (CompareOp::Member, false) => self.not_in(env, left, right),
            (CompareOp::Subset, false) => {
                let done = self.beyond(env, left, right)?;
                if done { Ok(()) } else { self.sides(env, left, right) }
            }
            (CompareOp::Equal, false) => self.different(env, left, right),
            // Membership in its type explains nothing.
            (CompareOp::Member | CompareOp::Subset, true) => Ok(()),
            _ => self.sides(env, left, right),
        }
    }

    fn sides(&mut self, env: &Env<'_>, left: &Expr, right: &Expr) -> Eval<()> {
        self.value(env, left)?;
        self.value(env, right)
    }

    /// Notes the elements of either set that are not in the other; the values of both sides if either is empty or not
    /// listed.
    fn different(&mut self, env: &Env<'_>, left: &Expr, right: &Expr) -> Eval<()> {
        let (a, b) = (self.eval.expr(env, left)?, self.eval.expr(env, right)?);
        let is_filled = |value: &Value| value.as_set().is_some_and(|set| !set.is_empty());
        if !(is_filled(&a) && is_filled(&b)) {
            return self.sides(env, left, right);
        }
        self.beyond(env, left, right)?;
        self.beyond(env, right, left)?;
        Ok(())
    }

    /// Notes the elements of one set that are not in another. Returns whether there are any and they are known.
    fn beyond(&mut self, env: &Env<'_>, left: &Expr, right: &Expr) -> Eval<bool> {
        let (a, b) = (self.eval.expr(env, left)?, self.eval.expr(env, right)?);
        let of = |e: &Expr| print::shown_expr(self.eval.model, e);
        let what = format!("in {} and not in {}", of(left), of(right));
        self.outside(what, &a, &b, left)
    }

    /// Notes the elements of one value that are not in another, with their description.
    fn outside(&mut self, what: String, left: &Value, right: &Value, at: &Expr) -> Eval<bool> {
        let Some(set) = left.as_set() else { return Ok(false) };
        let mut outside = vec![];
        for element in set {
            if !self.eval.member(element, right, at.span)? {
                outside.push(element.clone());
            }
        }
        Ok(self.elements(what, outside))
    }

    /// Notes elements, if there are any.
    fn elements(&mut self, what: String, elements: Vec<Value>) -> bool {
        let some = !elements.is_empty();
        if some {
            let set = self.eval.text(&Value::set(elements));
            self.found.elements.push(Elements { what, set });
        }
        some
    }

    /// Notes the value of an expression and of those that it is calculated from, unless the expression shows its own
    /// value.
    fn value(&mut self, env: &Env<'_>, expr: &Expr) -> Eval<()> {
        if let ExprKind::BoolOf(pred) = &expr.kind {
            let truth = self.eval.pred(env, pred)?;
            self.because(env, pred, truth)?;
        }
        let known = |name: &str| self.found.witness.iter().any(|(bound, _)| bound == name);
        let says_itself = match &expr.kind {
            ExprKind::Local(local) => known(self.eval.name(Name::Local(*local))),
            _ => names_of_expr(expr).is_empty(),
        };
        if says_itself {
            return Ok(());
        }
        let value = self.eval.expr(env, expr)?;
        self.note(print::shown_expr(self.eval.model, expr), &value);
        operands(expr).into_iter().try_for_each(|operand| self.value(env, operand))
    }

    fn note(&mut self, text: String, value: &Value) {
        let values = &mut self.found.values;
        let is_new = values.iter().all(|(known, _)| *known != text);
        // A set that is not listed is written as it stands in the model.
        if is_new && !value.has_lazy() && values.len() < tuning().answers.values {
            values.push((text, self.eval.text(value)));
        }
    }
}

/// Returns the expressions that a number or the result of a function is calculated from.
fn operands(expr: &Expr) -> Vec<&Expr> {
    use BinaryOp::*;
    match &expr.kind {
        ExprKind::Binary(
            Add | Subtract | Multiply | Divide | Mod | Power | AddReal | SubtractReal | MultiplyReal
            | DivideReal,
            left,
            right,
        ) => vec![left, right],
        ExprKind::Unary(UnaryOp::Negate | UnaryOp::NegateReal, operand) => vec![operand],
        ExprKind::Apply(_, argument) => match &argument.kind {
            ExprKind::Binary(Maplet, left, right) => vec![left, right],
            _ => vec![argument],
        },
        _ => vec![],
    }
}
