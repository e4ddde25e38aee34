//! Predicates: terms with well-definedness, left to right.

pub(crate) mod instances;
mod quantifiers;

use bsym_language::model::{CompareOp, Expr, ExprKind, ExternalFunction, Pred, PredKind, UnaryOp};

use crate::symbolic::Symbolic;
use crate::symbolic::encoder::{Encoder, Env};
use crate::symbolic::{StatePredicate, Unsupported};
use crate::term::{Term, Terms};

impl Encoder {
    /// A predicate, and when it is well-defined (left to right).
    ///
    /// # Errors
    /// If the predicate has no term; `part` is left empty.
    pub fn pred(&mut self, env: &Env, p: &Pred) -> Result<StatePredicate, Unsupported> {
        self.spend(1)?;
        let outer = std::mem::replace(&mut self.span, p.span);
        let result = self.predicate(env, p);
        self.span = outer;
        result
    }

    fn predicate(&mut self, env: &Env, p: &Pred) -> Result<StatePredicate, Unsupported> {
        let t = self.terms.clone();
        match &p.kind {
            PredKind::True => Ok(always(Terms::TRUE)),
            PredKind::False => Ok(always(Terms::FALSE)),
            PredKind::And(all) => {
                let all: Vec<&Pred> = all.iter().collect();
                self.conjunction(env, &all)
            }
            PredKind::Or(all) => {
                let (mut holds, mut defined) = (vec![], vec![]);
                for p in all {
                    if holds.contains(&Terms::TRUE) {
                        break;
                    }
                    let p = self.pred(env, p)?;
                    let before = t.or(holds.iter().copied());
                    defined.push(t.or([before, p.defined]));
                    holds.push(p.holds);
                }
                Ok(StatePredicate { holds: t.or(holds), defined: t.and(defined) })
            }
            PredKind::Implies(a, b) => {
                let a = self.pred(env, a)?;
                if a.holds == Terms::FALSE {
                    return Ok(StatePredicate { holds: Terms::TRUE, defined: a.defined });
                }
                let b = self.pred(env, b)?;
                Ok(StatePredicate {
                    holds: t.implies(a.holds, b.holds),
                    defined: t.and([a.defined, t.implies(a.holds, b.defined)]),
                })
            }
            PredKind::Iff(a, b) => {
                let (a, b) = (self.pred(env, a)?, self.pred(env, b)?);
                Ok(StatePredicate { holds: t.eq(a.holds, b.holds), defined: t.and([a.defined, b.defined]) })
            }
            PredKind::Not(a) => {
                let a = self.pred(env, a)?;
                Ok(StatePredicate { holds: t.not(a.holds), defined: a.defined })
            }
            PredKind::Forall(locals, body) => self.forall(env, locals, body),
            PredKind::Exists(locals, body) => self.exists(env, locals, body),
            PredKind::Compare(op, a, b) => self.compare(env, *op, a, b),
            PredKind::External(f, args) if f.is_always_true() => {
                let values: Vec<_> =
                    args.iter().filter(|a| !matches!(a.kind, ExprKind::String(_))).cloned().collect();
                let (_, defined) = self.operands(env, &values)?;
                Ok(StatePredicate { holds: Terms::TRUE, defined })
            }
            PredKind::External(ExternalFunction::AssertTrue, args) if args.len() == 2 => {
                let holds = self.expr(env, &args[0])?;
                let asserted = self.as_atom(&holds.value)?;
                Ok(StatePredicate { holds: Terms::TRUE, defined: t.and([holds.defined, asserted]) })
            }
            PredKind::External(f, _) => self.unsupported(format!("`{}` has no encoding", f.name())),
            PredKind::Call(..) => self.unsupported("recursive operators have no encoding"),
            PredKind::Finite(a) => {
                let a = self.expr(env, a)?;
                let set = self.as_set(&a.value)?.clone();
                Ok(StatePredicate { holds: self.finite(&set)?, defined: a.defined })
            }
            PredKind::Partition(whole, parts) => {
                let whole = self.expr(env, whole)?;
                let (values, defined) = self.operands(env, parts)?;
                let defined = t.and([whole.defined, defined]);
                let whole = self.as_set(&whole.value)?.clone();
                let mut all = vec![];
                let mut union = crate::symbolic::Set::empty(whole.element.clone());
                let mut sets = vec![];
                for v in &values {
                    sets.push(self.as_set(v)?.clone());
                }
                for (i, s) in sets.iter().enumerate() {
                    for other in &sets[i + 1..] {
                        let common = self.intersection(s, other)?;
                        all.push(self.is_empty(&common)?);
                    }
                    union = self.union(&union, s)?;
                }
                all.push(self.same_sets(&whole, &union)?);
                Ok(StatePredicate { holds: t.and(all), defined })
            }
            PredKind::If(c, a, b) => {
                let c = self.pred(env, c)?;
                let (a, b) = (self.pred(env, a)?, self.pred(env, b)?);
                Ok(StatePredicate {
                    holds: t.ite(c.holds, a.holds, b.holds),
                    defined: t.and([c.defined, t.ite(c.holds, a.defined, b.defined)]),
                })
            }
            PredKind::Let(bindings, body) => {
                let (inner, defined) = self.bindings(env, bindings)?;
                let p = self.pred(&inner, body)?;
                Ok(StatePredicate { holds: p.holds, defined: t.and([defined, p.defined]) })
            }
        }
    }

    /// `P & Q & …`
    pub(crate) fn conjunction(&mut self, env: &Env, all: &[&Pred]) -> Result<StatePredicate, Unsupported> {
        let t = self.terms.clone();
        let (mut holds, mut defined) = (vec![], vec![]);
        for p in all {
            if holds.contains(&Terms::FALSE) {
                break;
            }
            let p = self.pred(env, p)?;
            if p.defined != Terms::TRUE {
                let before = t.and(holds.iter().copied());
                defined.push(t.implies(before, p.defined));
            }
            holds.push(p.holds);
        }
        Ok(StatePredicate { holds: t.and(holds), defined: t.and(defined) })
    }

    fn compare(
        &mut self,
        env: &Env,
        op: CompareOp,
        a: &Expr,
        b: &Expr,
    ) -> Result<StatePredicate, Unsupported> {
        if let Some(p) = self.compare_with_card(env, op, a, b)? {
            return Ok(p);
        }
        let (a, b) = (self.expr(env, a)?, self.expr(env, b)?);
        let t = self.terms.clone();
        let defined = t.and([a.defined, b.defined]);
        let (x, y) = (&a.value, &b.value);
        let order = |e: &Encoder, f: &dyn Fn(Term, Term) -> Term| -> Result<Term, Unsupported> {
            Ok(f(e.as_atom(x)?, e.as_atom(y)?))
        };
        let holds = match op {
            CompareOp::Equal => self.equal(x, y)?,
            CompareOp::NotEqual => {
                let same = self.equal(x, y)?;
                self.negated(same)
            }
            CompareOp::Member => self.member(x, y)?,
            CompareOp::NotMember => {
                let inside = self.member(x, y)?;
                self.negated(inside)
            }
            CompareOp::Subset
            | CompareOp::NotSubset
            | CompareOp::StrictSubset
            | CompareOp::NotStrictSubset => {
                let (x, y) = (self.as_set(x)?.clone(), self.as_set(y)?.clone());
                let mut holds = self.subset(&x, &y)?;
                if matches!(op, CompareOp::StrictSubset | CompareOp::NotStrictSubset) {
                    let back = self.subset(&y, &x)?;
                    holds = t.and([holds, self.negated(back)]);
                }
                if matches!(op, CompareOp::NotSubset | CompareOp::NotStrictSubset) {
                    self.negated(holds)
                } else {
                    holds
                }
            }
            CompareOp::Less | CompareOp::LessReal => order(self, &|x, y| t.lt(x, y))?,
            CompareOp::LessEqual | CompareOp::LessEqualReal => order(self, &|x, y| t.le(x, y))?,
            CompareOp::Greater | CompareOp::GreaterReal => order(self, &|x, y| t.gt(x, y))?,
            CompareOp::GreaterEqual | CompareOp::GreaterEqualReal => order(self, &|x, y| t.ge(x, y))?,
        };
        Ok(StatePredicate { holds, defined })
    }

    /// Comparisons of `card(S)` or `size(S)` with a small literal.
    fn compare_with_card(
        &mut self,
        env: &Env,
        op: CompareOp,
        a: &Expr,
        b: &Expr,
    ) -> Result<Option<StatePredicate>, Unsupported> {
        let Some(mirrored) = op.mirrored() else { return Ok(None) };
        for (counted, other, op) in [(a, b, op), (b, a, mirrored)] {
            let ExprKind::Unary(UnaryOp::Card, set) = &counted.kind else { continue };
            let k = self.expr(env, other)?;
            let Symbolic::Atom(term) = k.value else { continue };
            let Some(n) = self.terms.as_int(term).and_then(|n| n.to_i64()) else { continue };
            let s = self.expr(env, set)?;
            let set = self.as_set(&s.value)?.clone();
            let finite = self.finite(&set)?;
            if finite == Terms::FALSE {
                return Ok(Some(StatePredicate { holds: Terms::FALSE, defined: Terms::FALSE }));
            }
            if let Some(holds) = self.compare_card(op, &set, n)? {
                let defined = self.terms.and([s.defined, finite, k.defined]);
                return Ok(Some(StatePredicate { holds, defined }));
            }
        }
        Ok(None)
    }
}

/// A predicate that is always defined.
fn always(holds: Term) -> StatePredicate {
    StatePredicate { holds, defined: Terms::TRUE }
}
