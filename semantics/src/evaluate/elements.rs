//! Enumeration of the elements of a set, including sets that are too large to store.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, UnaryOp};
use bsym_language::operators::RelationSpace;
use bsym_language::source::Span;

use crate::error::EvalError;
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;
use crate::value::lazy_set::LazySet;

type Flow = Eval<ControlFlow<()>>;
type Visit<'v> = &'v mut dyn FnMut(Value) -> Flow;

const GO: ControlFlow<()> = ControlFlow::Continue(());

macro_rules! visit {
    ($call:expr) => {
        if let ControlFlow::Break(()) = $call? {
            return Ok(ControlFlow::Break(()));
        }
    };
}

impl Evaluator<'_> {
    /// Calls `visit` for each element, perhaps more than once for some, until it breaks.
    ///
    /// # Errors
    /// The elements cannot be enumerated; errors of `visit`.
    pub(crate) fn each(&self, set: &Value, at: Span, visit: Visit<'_>) -> Flow {
        self.proceed(at)?;
        let visit: Visit<'_> = &mut |v| {
            self.proceed(at)?;
            visit(v)
        };
        let lazy = match set {
            Value::Set(s) => {
                for v in s.iter() {
                    visit!(visit(v.clone()));
                }
                return Ok(GO);
            }
            Value::Lazy(lazy) => lazy,
            _ => return Err(self.confused(at)),
        };
        match &**lazy {
            LazySet::Interval(low, high) => {
                let mut n = low.clone();
                while n <= *high {
                    visit!(visit(Value::Int(n.clone())));
                    n = &n + &Int::ONE;
                }
                Ok(GO)
            }
            LazySet::Power(s) | LazySet::Unary(UnaryOp::Pow | UnaryOp::Fin, s) => {
                self.each_subset(&*self.list(s, at)?, false, visit)
            }
            LazySet::Unary(UnaryOp::Pow1 | UnaryOp::Fin1, s) => {
                self.each_subset(&*self.list(s, at)?, true, visit)
            }
            LazySet::Unary(UnaryOp::Seq | UnaryOp::Seq1, s) => {
                if !self.is_empty(s, at)? {
                    return Err(self.not_listed(set, at));
                }
                if matches!(&**lazy, LazySet::Unary(UnaryOp::Seq, _)) {
                    visit!(visit(Value::empty()));
                }
                Ok(GO)
            }
            LazySet::Unary(op @ (UnaryOp::Iseq | UnaryOp::Iseq1 | UnaryOp::Perm), s) => {
                let elements: Vec<_> = self.list(s, at)?.iter().cloned().collect();
                let shortest = match op {
                    UnaryOp::Iseq => 0,
                    UnaryOp::Iseq1 => 1,
                    _ => elements.len(),
                };
                each_injective_sequence(&elements, shortest, &mut Vec::new(), visit)
            }
            LazySet::Unary(UnaryOp::Id, s) => self.each(s, at, &mut |v| visit(Value::pair(v.clone(), v))),
            LazySet::Unary(UnaryOp::Inverse, r) => self.each(r, at, &mut |v| {
                let (a, b) = self.pair(&v, at)?;
                visit(Value::pair(b.clone(), a.clone()))
            }),
            LazySet::Unary(UnaryOp::Dom, r) => self.each(r, at, &mut |v| visit(self.pair(&v, at)?.0.clone())),
            LazySet::Unary(UnaryOp::Ran, r) => self.each(r, at, &mut |v| visit(self.pair(&v, at)?.1.clone())),
            LazySet::Unary(UnaryOp::GeneralUnion, family) => {
                self.each(family, at, &mut |s| self.each(&s, at, visit))
            }
            LazySet::Prj1(s, t) | LazySet::Prj2(s, t) => {
                let first = matches!(&**lazy, LazySet::Prj1(..));
                self.each(s, at, &mut |a| {
                    self.each(t, at, &mut |b| {
                        let value = if first { a.clone() } else { b.clone() };
                        visit(Value::pair(Value::pair(a.clone(), b), value))
                    })
                })
            }
            LazySet::Struct(fields) => self.each_record(fields, &mut Vec::new(), at, visit),
            LazySet::Recursive(name, d) => self.unfolded(*name, d, at, |r| self.each(r, at, visit)),
            LazySet::Free(id, sets) => self.each_of_free_type(*id, sets, at, visit),
            LazySet::Constructor(id, i, sets) => {
                let Some(domain) = self.argument_set(*id, *i, sets, at)? else {
                    return Err(self.confused(at));
                };
                self.each(&domain, at, &mut |v| {
                    let value = Value::Free(*id, *i, Some(Arc::new(v.clone())));
                    visit(Value::pair(v, value))
                })
            }
            LazySet::Binary(op, a, b) => self.each_of_operator(*op, a, b, set, at, visit),
            LazySet::Closure(c) => self
                .within_closure(c, &[], |env| {
                    self.list_binder(env, c.kind, &c.locals, &c.pred, c.body.as_deref(), at)
                })
                .and_then(|listed| self.each(&listed, at, visit)),
            LazySet::Partial(partial) => Err(EvalError::undecided(at, partial.first_open())),
            _ => Err(self.not_listed(set, at)),
        }
    }

    fn each_of_operator(
        &self,
        op: BinaryOp,
        a: &Value,
        b: &Value,
        set: &Value,
        at: Span,
        visit: Visit<'_>,
    ) -> Flow {
        let is_pair_in = |v: &Value, s: &Value, left: bool| -> Eval<bool> {
            let (l, r) = self.pair(v, at)?;
            self.member(if left { l } else { r }, s, at)
        };
        match op {
            BinaryOp::Cartesian => {
                self.each(a, at, &mut |l| self.each(b, at, &mut |r| visit(Value::pair(l.clone(), r))))
            }
            BinaryOp::Union => {
                visit!(self.each(a, at, visit));
                self.each(b, at, visit)
            }
            BinaryOp::Intersection => {
                let (from, other) = match self.try_list(a, at)? {
                    Some(s) => (Value::Set(s), b),
                    None => (b.clone(), a),
                };
                self.each(&from, at, &mut |v| if self.member(&v, other, at)? { visit(v) } else { Ok(GO) })
            }
            BinaryOp::Difference => {
                self.each(a, at, &mut |v| if self.member(&v, b, at)? { Ok(GO) } else { visit(v) })
            }
            BinaryOp::DomainRestriction => match self.try_list(b, at)? {
                Some(r) => self.each(&Value::Set(r), at, &mut |v| {
                    if is_pair_in(&v, a, true)? { visit(v) } else { Ok(GO) }
                }),
                None => self.each(a, at, &mut |x| {
                    for y in self.images(b, &x, at)?.ok_or_else(|| self.not_listed(set, at))? {
                        visit!(visit(Value::pair(x.clone(), y)));
                    }
                    Ok(GO)
                }),
            },
            BinaryOp::DomainSubtraction => {
                self.each(b, at, &mut |v| if is_pair_in(&v, a, true)? { Ok(GO) } else { visit(v) })
            }
            BinaryOp::RangeRestriction => {
                self.each(a, at, &mut |v| if is_pair_in(&v, b, false)? { visit(v) } else { Ok(GO) })
            }
            BinaryOp::RangeSubtraction => {
                self.each(a, at, &mut |v| if is_pair_in(&v, b, false)? { Ok(GO) } else { visit(v) })
            }
            BinaryOp::Override => {
                let replaced: Value = LazySet::Unary(UnaryOp::Dom, b.clone()).into();
                visit!(self.each(a, at, &mut |v| if is_pair_in(&v, &replaced, true)? {
                    Ok(GO)
                } else {
                    visit(v)
                }));
                self.each(b, at, visit)
            }
            BinaryOp::Composition => self.each(a, at, &mut |v| {
                let (x, y) = self.pair(&v, at)?;
                for z in self.images(b, y, at)?.ok_or_else(|| self.not_listed(set, at))? {
                    visit!(visit(Value::pair(x.clone(), z)));
                }
                Ok(GO)
            }),
            BinaryOp::DirectProduct => self.each(a, at, &mut |v| {
                let (x, y) = self.pair(&v, at)?;
                for z in self.images(b, x, at)?.ok_or_else(|| self.not_listed(set, at))? {
                    visit!(visit(Value::pair(x.clone(), Value::pair(y.clone(), z))));
                }
                Ok(GO)
            }),
            BinaryOp::ParallelProduct => self.each(a, at, &mut |v| {
                let (x, y) = self.pair(&v, at)?;
                self.each(b, at, &mut |w| {
                    let (x2, y2) = self.pair(&w, at)?;
                    let (from, to) = (Value::pair(x.clone(), x2.clone()), Value::pair(y.clone(), y2.clone()));
                    visit(Value::pair(from, to))
                })
            }),
            BinaryOp::Relation => {
                let product = Value::from(LazySet::Binary(BinaryOp::Cartesian, a.clone(), b.clone()));
                self.each_subset(&*self.list(&product, at)?, false, visit)
            }
            op => {
                let Some(kind) = op.relation_space() else { return Err(self.not_listed(set, at)) };
                let from: Vec<_> = self.list(a, at)?.iter().cloned().collect();
                let to: Vec<_> = self.list(b, at)?.iter().cloned().collect();
                Space::new(kind, &from, &to).each(0, visit)
            }
        }
    }

    /// Visits the subsets, smaller indices first, beginning with the empty set.
    fn each_subset(&self, elements: &BTreeSet<Value>, nonempty: bool, visit: Visit<'_>) -> Flow {
        let elements: Vec<_> = elements.iter().collect();
        let mut chosen = vec![false; elements.len()];
        let mut first = true;
        loop {
            if !(first && nonempty) {
                let subset = elements.iter().zip(&chosen).filter(|(_, c)| **c).map(|(v, _)| (*v).clone());
                visit!(visit(Value::set(subset)));
            }
            first = false;
            // A binary counter: the next choice.
            let Some(i) = chosen.iter().position(|c| !c) else { return Ok(GO) };
            chosen[i] = true;
            chosen[..i].fill(false);
        }
    }

    fn each_record(
        &self,
        fields: &[(Arc<str>, Value)],
        chosen: &mut Vec<(Arc<str>, Value)>,
        at: Span,
        visit: Visit<'_>,
    ) -> Flow {
        let Some((label, set)) = fields.get(chosen.len()) else {
            return visit(Value::Record(chosen.clone().into()));
        };
        self.each(set, at, &mut |v| {
            chosen.push((label.clone(), v));
            let flow = self.each_record(fields, chosen, at, visit);
            chosen.pop();
            flow
        })
    }
}

fn each_injective_sequence(
    elements: &[Value],
    shortest: usize,
    chosen: &mut Vec<Value>,
    visit: Visit<'_>,
) -> Flow {
    if chosen.len() >= shortest {
        visit!(visit(Value::sequence(chosen.iter().cloned())));
    }
    for v in elements {
        if !chosen.contains(v) {
            chosen.push(v.clone());
            let flow = each_injective_sequence(elements, shortest, chosen, visit);
            chosen.pop();
            visit!(flow);
        }
    }
    Ok(GO)
}

/// Relations of one kind between two listed sets, by choosing the images of one point after the other.
struct Space<'s> {
    kind: RelationSpace,
    from: &'s [Value],
    to: &'s [Value],
    pairs: Vec<Value>,
    hits: Vec<usize>,
}

impl<'s> Space<'s> {
    fn new(kind: RelationSpace, from: &'s [Value], to: &'s [Value]) -> Self {
        Space { kind, from, to, pairs: Vec::new(), hits: vec![0; to.len()] }
    }

    fn each(&mut self, point: usize, visit: Visit<'_>) -> Flow {
        let missed = self.hits.iter().filter(|h| **h == 0).count();
        if self.kind.surjective && self.kind.functional && missed > self.from.len() - point {
            return Ok(GO);
        }
        let Some(x) = self.from.get(point) else {
            if self.kind.surjective && missed > 0 {
                return Ok(GO);
            }
            return visit(Value::set(self.pairs.iter().cloned()));
        };
        let x = x.clone();
        if !self.kind.functional {
            return self.each_image_set(&x, point, 0, false, visit);
        }
        if !self.kind.total {
            visit!(self.each(point + 1, visit));
        }
        for i in 0..self.to.len() {
            if self.kind.injective && self.hits[i] > 0 {
                continue;
            }
            self.push(&x, i);
            let flow = self.each(point + 1, visit);
            self.pop(i);
            visit!(flow);
        }
        Ok(GO)
    }

    fn each_image_set(&mut self, x: &Value, point: usize, i: usize, any: bool, visit: Visit<'_>) -> Flow {
        if i == self.to.len() {
            return if self.kind.total && !any { Ok(GO) } else { self.each(point + 1, visit) };
        }
        visit!(self.each_image_set(x, point, i + 1, any, visit));
        self.push(x, i);
        let flow = self.each_image_set(x, point, i + 1, true, visit);
        self.pop(i);
        flow
    }

    fn push(&mut self, x: &Value, i: usize) {
        self.pairs.push(Value::pair(x.clone(), self.to[i].clone()));
        self.hits[i] += 1;
    }

    fn pop(&mut self, i: usize) {
        self.pairs.pop();
        self.hits[i] -= 1;
    }
}
