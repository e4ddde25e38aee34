//! Local operations: the implementation is compared with its specification wherever it is called.
//!
//! The values that the specification requires are computed before, and an assertion compares them with the values
//! afterwards: `LET v BE v = E IN body; ASSERT x = v THEN skip END END` for a specification `x := E`. Specifications
//! are parallel assignments and choices from sets; other forms are not compared, with a warning.

use super::*;
use crate::ast::Operation;
use crate::check::names::Procedure;
use crate::model::visit::Names;

/// Effects of a specification: values of targets, and sets that targets are chosen from.
#[derive(Default)]
struct Effects {
    values: Vec<(Target, Expr)>,
    choices: Vec<(Vec<Target>, Expr)>,
}

impl Effects {
    /// Adds those of a substitution; `false` where it is of another form.
    fn add(&mut self, s: &Subst) -> bool {
        match &s.kind {
            SubstKind::Skip => true,
            SubstKind::Assign(list) => {
                self.values.extend(list.iter().cloned());
                true
            }
            SubstKind::BecomesIn(_, targets, set) => {
                self.choices.push((targets.clone(), set.clone()));
                true
            }
            SubstKind::Parallel(list) => list.iter().all(|s| self.add(s)),
            SubstKind::Select { branches, otherwise: None, from_pre: true, .. } if branches.len() == 1 => {
                self.add(&branches[0].1)
            }
            _ => false,
        }
    }
}

impl Composition {
    /// Returns the body of a local operation with its comparison to the specification, for its own results and
    /// parameters.
    pub(super) fn compared_locally(
        &mut self,
        op: &Operation,
        body: Subst,
        specification: &Procedure,
        results: &[LocalId],
        parameters: &[LocalId],
    ) -> Subst {
        let fits = specification.results.len() == results.len()
            && specification.parameters.len() == parameters.len();
        let mut effects = Effects::default();
        let is_guarded = matches!(&body.kind, SubstKind::Select { from_pre: true, .. });
        if !fits || is_guarded || !effects.add(&specification.body) {
            let message = format!("what `{}` does is not compared with its specification", op.name.name);
            let d = Diagnostic::warning(codes::NOT_COMPARED, op.name.span, message);
            self.c.report(
                d.label(specification.span, "the specification")
                    .help("a specification of assignments beside each other is compared at each call"),
            );
            return body;
        }
        let mut names = Replacement::default();
        let pairs = specification.parameters.iter().zip(parameters);
        for (old, new) in pairs.chain(specification.results.iter().zip(results)) {
            let Variable { ty, span, .. } = self.c.model.locals[new.index()].clone();
            names.locals.insert(*old, ExprKind::Local(*new).typed(ty, span));
        }
        let own = |target: &Target| match target {
            Target::Local(l) => {
                let at = specification.results.iter().position(|r| r == l);
                at.map_or(*target, |at| Target::Local(results[at]))
            }
            Target::Var(_) => *target,
        };
        let span = op.name.span;
        let (mut lets, mut demands, mut settled) = (vec![], vec![], HashSet::new());
        for (target, value) in &effects.values {
            let target = own(target);
            settled.insert(target);
            let kept = self.kept(names.in_expr(value), &mut lets);
            let equal = PredKind::Compare(CompareOp::Equal, Box::new(self.now(target, span)), Box::new(kept));
            demands.push(equal.at(span));
        }
        for (targets, set) in &effects.choices {
            let targets: Vec<Target> = targets.iter().map(own).collect();
            settled.extend(targets.iter().copied());
            let kept = self.kept(names.in_expr(set), &mut lets);
            let now = targets.iter().map(|t| self.now(*t, span)).reduce(couple);
            let Some(now) = now else { continue };
            let member = PredKind::Compare(CompareOp::Member, Box::new(now), Box::new(kept));
            demands.push(member.at(span));
        }
        // A variable that the specification does not name keeps its value.
        for v in Names::of_subst(&body).written {
            let target = Target::Var(v);
            if settled.insert(target) {
                let before = self.now(target, span);
                let kept = self.kept(before, &mut lets);
                let equal =
                    PredKind::Compare(CompareOp::Equal, Box::new(self.now(target, span)), Box::new(kept));
                demands.push(equal.at(span));
            }
        }
        if demands.is_empty() {
            return body;
        }
        let whole = body.span;
        let demand = Pred::all(demands, span);
        let nothing = Box::new(SubstKind::Skip.at(span));
        let claim = SubstKind::Assert(Claim::Assertion, demand, nothing).at(span);
        let both = SubstKind::Sequence(vec![body, claim]).at(whole);
        SubstKind::Let(lets, Box::new(both)).at(whole)
    }

    /// A name for a value before the operation.
    fn kept(&mut self, value: Expr, lets: &mut Vec<(LocalId, Expr)>) -> Expr {
        let local = self.c.new_local("specified", value.span, value.ty.clone());
        self.c.scope.defined.insert(local);
        let name = ExprKind::Local(local).typed(value.ty.clone(), value.span);
        lets.push((local, value));
        name
    }

    fn now(&self, target: Target, span: Span) -> Expr {
        match target {
            Target::Var(v) => ExprKind::Var(v).typed(self.c.model.variables[v.index()].ty.clone(), span),
            Target::Local(l) => ExprKind::Local(l).typed(self.c.local_type(l), span),
        }
    }
}
