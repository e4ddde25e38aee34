//! `[S]P`: the weakest precondition of a substitution as a predicate (B-Book, 4.1 and 6.1).

use super::*;
use crate::model::visit::Names;

impl Checker {
    pub(super) fn substituted(&mut self, s: &ast::Subst, p: &ast::Expr, span: Span) -> Pred {
        let hidden = self.scope.assignable.clone();
        // Here a bound variable may stand on the left as well.
        self.scope.assignable.extend(self.scope.locals.iter().map(|(_, l)| *l));
        let s = self.subst(s);
        self.scope.assignable = hidden;
        let p = self.pred(p);
        match self.weakest(&s, p.clone()) {
            Ok(Pred { kind, .. }) => kind.at(span),
            Err(what) => {
                self.not_supported(span, what);
                p
            }
        }
    }

    // `Err` names the substitution that has no weakest precondition here. Repeated parts are copied, since every binder
    // of a model has its own locals.
    fn weakest(&mut self, s: &Subst, q: Pred) -> Result<Pred, &'static str> {
        let at = s.span;
        let pred = |kind: PredKind<OpenType>| kind.at(at);
        let and = |list: Vec<Pred>| pred(PredKind::And(list));
        let implies = |p: &Pred, q: Pred| pred(PredKind::Implies(Box::new(p.clone()), Box::new(q)));
        Ok(match &s.kind {
            SubstKind::Skip => q,
            SubstKind::Assign(list) => {
                let mut with = Replacement::default();
                list.iter().for_each(|(target, value)| with.assign(*target, value.clone()));
                with.in_pred(&q)
            }
            SubstKind::Pre(p, body) | SubstKind::Assert(_, p, body) => {
                and(vec![p.clone(), self.weakest(body, q)?])
            }
            SubstKind::Choice(_, list) => {
                let mut all = vec![];
                for s in list {
                    let q = self.copied(&q);
                    all.push(self.weakest(s, q)?);
                }
                and(all)
            }
            SubstKind::If(branches, otherwise) => {
                let copy = self.copied(&q);
                let mut result = self.weakest(otherwise, copy)?;
                for (p, s) in branches.iter().rev() {
                    let copy = self.copied(&q);
                    let then = self.weakest(s, copy)?;
                    result = pred(PredKind::If(Box::new(p.clone()), Box::new(then), Box::new(result)));
                }
                result
            }
            SubstKind::Select { branches, otherwise, .. } => {
                let mut list = vec![];
                for (p, s) in branches {
                    let copy = self.copied(&q);
                    list.push(implies(p, self.weakest(s, copy)?));
                }
                if let Some(s) = otherwise {
                    let guards: Vec<Pred> = branches.iter().map(|(p, _)| self.copied(p)).collect();
                    let none = pred(PredKind::Not(Box::new(any_of(guards, at))));
                    list.push(implies(&none, self.weakest(s, q)?));
                }
                match list.len() {
                    1 => list.remove(0),
                    _ => and(list),
                }
            }
            SubstKind::Any(_, locals, p, body) => {
                let body = implies(p, self.weakest(body, q)?);
                pred(PredKind::Forall(locals.clone(), Box::new(body)))
            }
            SubstKind::Let(bindings, body) => {
                pred(PredKind::Let(bindings.clone(), Box::new(self.weakest(body, q)?)))
            }
            SubstKind::Sequence(list) => list.iter().rev().try_fold(q, |q, s| self.weakest(s, q))?,
            SubstKind::BecomesIn(_, targets, set) => {
                let news: Vec<(Target, Expr)> =
                    targets.iter().map(|t| (*t, self.new_value(*t, at))).collect();
                let Some(element) = news.iter().map(|(_, e)| e.clone()).reduce(couple) else {
                    return Ok(q);
                };
                let member = PredKind::Compare(CompareOp::Member, Box::new(element), Box::new(set.clone()));
                self.for_all_new(news, &pred(member), q, at)
            }
            SubstKind::BecomesSuch(_, targets, p) => {
                let news =
                    targets.iter().map(|(t, l)| (*t, ExprKind::Local(*l).typed(self.local_type(*l), at)));
                let news: Vec<(Target, Expr)> = news.collect();
                // Before it, `x$0` is `x`.
                let mut before = Replacement::default();
                for v in Names::of_pred(p).variables {
                    let ty = self.model.variables[v.index()].ty.clone();
                    before.old.insert(v, ExprKind::Var(v).typed(ty, at));
                }
                self.for_all_new(news, &before.in_pred(p), q, at)
            }
            SubstKind::Parallel(list) => {
                // Together the parts assign the union of their assignments.
                let mut all = vec![];
                for part in list {
                    match &part.kind {
                        SubstKind::Assign(assigned) => all.extend(assigned.iter().cloned()),
                        SubstKind::Skip => {}
                        _ => return Err("a parallel substitution other than assignments in a predicate"),
                    }
                }
                return self.weakest(&SubstKind::Assign(all).at(at), q);
            }
            SubstKind::Var(locals, body) => {
                let p = self.weakest(body, q)?;
                if locals.iter().any(|l| Names::of_pred(&p).locals.contains(l)) {
                    pred(PredKind::Forall(locals.clone(), Box::new(p)))
                } else {
                    p
                }
            }
            SubstKind::While { .. } => return Err("a loop in a predicate"),
        })
    }

    fn new_value(&mut self, target: Target, at: Span) -> Expr {
        let (name, ty) = match target {
            Target::Var(v) => {
                let v = &self.model.variables[v.index()];
                (v.name.clone(), v.ty.clone())
            }
            Target::Local(l) => (self.model.locals[l.index()].name.clone(), self.local_type(l)),
        };
        let l = self.new_local(&name, at, ty.clone());
        ExprKind::Local(l).typed(ty, at)
    }

    fn for_all_new(&self, news: Vec<(Target, Expr)>, p: &Pred, q: Pred, at: Span) -> Pred {
        let mut with = Replacement::default();
        let mut locals = vec![];
        for (target, value) in news {
            if let ExprKind::Local(l) = value.kind {
                locals.push(l);
            }
            with.assign(target, value);
        }
        let body = PredKind::Implies(Box::new(p.clone()), Box::new(with.in_pred(&q)));
        PredKind::Forall(locals, Box::new(body.at(at))).at(at)
    }
}

fn any_of(mut list: Vec<Pred>, span: Span) -> Pred {
    match list.len() {
        1 => list.remove(0),
        _ => PredKind::Or(list).at(span),
    }
}
