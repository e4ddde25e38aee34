//! Enclosures of sets with undecided parts: the elements that are in the set whatever the partial values become, and
//! the elements that may be in it.
//!
//! Operators that are monotone in their operands carry both bounds over. Other operators are exact where they can be
//! evaluated, and unknown otherwise (Gervet: *Interval propagation to reason about sets*, Constraints 1, 1997).

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, LocalId, Pred, PredKind, UnaryOp};

use crate::error::EvalErrorKind;
use crate::evaluator::free_names::names_of_pred;
use crate::evaluator::{Eval, Evaluator};
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::{Env, Name};
use crate::value::partial::{as_partial, depends_on_partial};

/// A set between two others.
#[derive(Clone, Debug)]
pub(crate) struct Enclosure {
    /// Elements that are in the set.
    pub lower: Arc<BTreeSet<Value>>,
    /// Elements that may be in the set; `None` if any may.
    pub upper: Option<Arc<BTreeSet<Value>>>,
}

impl Enclosure {
    fn exactly(set: Arc<BTreeSet<Value>>) -> Enclosure {
        Enclosure { lower: set.clone(), upper: Some(set) }
    }

    fn unknown() -> Enclosure {
        Enclosure { lower: Arc::default(), upper: None }
    }
}

impl Evaluator<'_> {
    /// Decides a comparison of sets by their enclosures; `None` if they leave it open.
    pub(crate) fn compare_enclosed(&self, env: &Env<'_>, pred: &Pred) -> Option<bool> {
        let PredKind::Compare(op, a, b) = &pred.kind else { return None };
        self.compared(env, *op, a, b)
    }

    fn compared(&self, env: &Env<'_>, op: CompareOp, a: &Expr, b: &Expr) -> Option<bool> {
        use CompareOp::*;
        let inside = |x: &Enclosure, y: &Enclosure| match (&x.upper, &y.upper) {
            (_, Some(y)) if !x.lower.is_subset(y) => Some(false),
            (Some(x), _) if x.is_subset(&y.lower) => Some(true),
            _ => None,
        };
        let sides = || Some((self.enclosure(env, a)?, self.enclosure(env, b)?));
        match op {
            Member | NotMember => {
                let x = self.expr(env, a).ok().filter(|x| !x.has_lazy())?;
                let set = self.enclosure(env, b)?;
                let is = match &set.upper {
                    _ if set.lower.contains(&x) => Some(true),
                    Some(upper) if !upper.contains(&x) => Some(false),
                    _ => None,
                };
                is.map(|is| is == (op == Member))
            }
            Equal | NotEqual if a.ty.element().is_some() => {
                let (x, y) = sides()?;
                let is = match (inside(&x, &y), inside(&y, &x)) {
                    (Some(false), _) | (_, Some(false)) => Some(false),
                    (Some(true), Some(true)) => Some(true),
                    _ => None,
                };
                is.map(|is| is == (op == Equal))
            }
            Subset | NotSubset => {
                let (x, y) = sides()?;
                inside(&x, &y).map(|is| is == (op == Subset))
            }
            StrictSubset | NotStrictSubset => {
                let (x, y) = sides()?;
                (inside(&x, &y) == Some(false)).then_some(op == NotStrictSubset)
            }
            _ => None,
        }
    }

    /// Returns the enclosure of a set; `None` where its expression may be ill-defined or nothing is known.
    pub(crate) fn enclosure(&self, env: &Env<'_>, set: &Expr) -> Option<Enclosure> {
        use BinaryOp::*;
        let of = |e: &Expr| self.enclosure(env, e);
        let map = |set: &BTreeSet<Value>, f: &dyn Fn(&Value, &Value) -> Value| -> Arc<BTreeSet<Value>> {
            Arc::new(set.iter().filter_map(|v| v.as_pair().map(|(l, r)| f(l, r))).collect())
        };
        let both = |s: Enclosure, f: &dyn Fn(&BTreeSet<Value>) -> Arc<BTreeSet<Value>>| Enclosure {
            lower: f(&s.lower),
            upper: s.upper.map(|u| f(&u)),
        };
        match &set.kind {
            ExprKind::Binary(Union, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                let join = |s: &BTreeSet<Value>, t: &BTreeSet<Value>| Arc::new(s.union(t).cloned().collect());
                let upper = a.upper.as_ref().zip(b.upper.as_ref()).map(|(a, b)| join(a, b));
                Some(Enclosure { lower: join(&a.lower, &b.lower), upper })
            }
            ExprKind::Binary(Intersection, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                let meet =
                    |s: &BTreeSet<Value>, t: &BTreeSet<Value>| Arc::new(s.intersection(t).cloned().collect());
                let upper = match (&a.upper, &b.upper) {
                    (Some(a), Some(b)) => Some(meet(a, b)),
                    (a, b) => a.clone().or(b.clone()),
                };
                Some(Enclosure { lower: meet(&a.lower, &b.lower), upper })
            }
            ExprKind::Binary(Difference, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                let minus =
                    |s: &BTreeSet<Value>, t: &BTreeSet<Value>| Arc::new(s.difference(t).cloned().collect());
                let lower = b.upper.as_ref().map_or_else(Arc::default, |b| minus(&a.lower, b));
                Some(Enclosure { lower, upper: a.upper.map(|a| minus(&a, &b.lower)) })
            }
            ExprKind::Binary(op @ (Image | DomainRestriction | RangeRestriction), a, b) => {
                let apply = |r: &BTreeSet<Value>, s: &BTreeSet<Value>| -> Arc<BTreeSet<Value>> {
                    let chosen = r.iter().filter(|v| {
                        v.as_pair()
                            .is_some_and(|(l, r)| s.contains(if *op == RangeRestriction { r } else { l }))
                    });
                    Arc::new(match op {
                        Image => chosen.filter_map(|v| v.as_pair().map(|(_, r)| r.clone())).collect(),
                        _ => chosen.cloned().collect(),
                    })
                };
                let (relation, points) = if *op == DomainRestriction { (b, a) } else { (a, b) };
                let s = of(points)?;
                let r = match (&s.upper, self.eval(env, relation)) {
                    (Some(points), Ok(value)) if *op != RangeRestriction && as_partial(&value).is_some() => {
                        let (lower, upper) = as_partial(&value)?.bounds_at(&|p| points.contains(p));
                        Enclosure { lower: Arc::new(lower), upper: upper.map(Arc::new) }
                    }
                    _ => of(relation)?,
                };
                let upper = match (&r.upper, &s.upper) {
                    (Some(r), Some(s)) => Some(apply(r, s)),
                    (Some(r), None) if *op != Image => Some(r.clone()),
                    _ => None,
                };
                Some(Enclosure { lower: apply(&r.lower, &s.lower), upper })
            }
            ExprKind::Unary(UnaryOp::Inverse, r) => {
                Some(both(of(r)?, &|s| map(s, &|l, r| Value::pair(r.clone(), l.clone()))))
            }
            ExprKind::Unary(UnaryOp::Closure1, r) => {
                let r = of(r)?;
                let close = |s: &BTreeSet<Value>| match self.transitive(s, set.span) {
                    Ok(Value::Set(closed)) => Some(closed),
                    _ => None,
                };
                Some(Enclosure { lower: close(&r.lower)?, upper: r.upper.and_then(|u| close(&u)) })
            }
            ExprKind::Unary(UnaryOp::Dom, r) => Some(both(of(r)?, &|s| map(s, &|l, _| l.clone()))),
            ExprKind::Unary(UnaryOp::Ran, r) => Some(both(of(r)?, &|s| map(s, &|_, r| r.clone()))),
            ExprKind::Comprehension(locals, pred) => self.selected(env, locals, pred, set),
            ExprKind::Local(_) | ExprKind::Const(_) | ExprKind::Var(_) => {
                let value = self.eval(env, set).ok()?;
                match as_partial(&value) {
                    Some(partial) => {
                        let (lower, upper) = partial.bounds();
                        Some(Enclosure { lower: Arc::new(lower), upper: upper.map(Arc::new) })
                    }
                    None if depends_on_partial(&value) => None,
                    None => Some(Enclosure::exactly(self.few(&value, set)?)),
                }
            }
            _ => {
                let value = self.eval(env, set).ok().filter(|v| !depends_on_partial(v));
                match value {
                    Some(value) => Some(Enclosure::exactly(self.few(&value, set)?)),
                    None => Some(Enclosure::unknown()),
                }
            }
        }
    }

    /// Returns the elements of a set with few of them that can be told apart by their form.
    fn few(&self, value: &Value, set: &Expr) -> Option<Arc<BTreeSet<Value>>> {
        self.cardinality(value, set.span).ok()?.within(Tuning::DEFAULT.search.listed)?;
        let listed = self.try_list(value, set.span).ok()??;
        (!listed.first().is_some_and(Value::has_lazy)).then_some(listed)
    }

    /// Returns the enclosure of a comprehension: the conjuncts that are decided by the locals alone supply the
    /// candidates.
    fn selected(&self, env: &Env<'_>, locals: &[LocalId], pred: &Pred, set: &Expr) -> Option<Enclosure> {
        let parts: Vec<&Pred> = match &pred.kind {
            PredKind::And(ps) => ps.iter().collect(),
            _ => vec![pred],
        };
        let is_open = |p: &Pred| {
            let names = names_of_pred(p);
            let bound = |n: &Name| matches!(n, Name::Local(l) if locals.contains(l));
            names.iter().filter(|n| !bound(n)).any(|n| env.get(*n).is_none_or(depends_on_partial))
        };
        let closed: Vec<(bool, &Pred)> = parts.iter().filter(|p| !is_open(p)).map(|p| (true, *p)).collect();
        let names: Vec<_> = locals.iter().map(|l| Name::Local(*l)).collect();
        let mut candidates = Vec::new();
        let listed = self.solve(env, &names, &closed, set.span, &mut |bound, truth| {
            truth?;
            candidates.push(bound.to_vec());
            Ok(if candidates.len() > Tuning::DEFAULT.search.listed {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        });
        if !matches!(listed, Ok(ControlFlow::Continue(()))) {
            return None;
        }
        let (mut lower, mut upper) = (BTreeSet::new(), BTreeSet::new());
        for bound in candidates {
            let frame = env.frame(&bound);
            let inner = env.within(&frame);
            let element = Value::tuple(bound.iter().map(|(_, v)| v.clone()))?;
            match self.judged(&inner, &parts) {
                Ok(true) => {
                    lower.insert(element.clone());
                    upper.insert(element);
                }
                Ok(false) => {}
                Err(e) if e.kind == EvalErrorKind::IllDefined => return None,
                Err(_) => _ = upper.insert(element),
            }
        }
        Some(Enclosure { lower: Arc::new(lower), upper: Some(Arc::new(upper)) })
    }

    /// Judges the conjunction of some predicates, where a later one may refute what an earlier one leaves open.
    fn judged(&self, env: &Env<'_>, parts: &[&Pred]) -> Eval<bool> {
        let mut open = None;
        for p in parts {
            match self.pred(env, p) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(e) if e.kind == EvalErrorKind::IllDefined => return Err(open.unwrap_or(e)),
                Err(e) => _ = open.get_or_insert(e),
            }
        }
        open.map_or(Ok(true), Err)
    }
}
