//! Obligations of local operations: an implementation only does what its specification allows (Atelier B, Proof
//! Obligations Reference Manual: local operations).
//!
//! Both use the same variables. The invariant of the implementation is no hypothesis, since it may be broken where the
//! operation is called; those of machines that are imported or seen are.

use bsym_language::model::*;
use bsym_language::walk::{Names, conjuncts};
use bsym_status::file::Kind;

use super::execution::{Execution, Place};
use super::following::{self, Part};
use super::generate::Refinement;
use super::sequent::{Group, NoObligations, Says, Sequent};

impl Refinement<'_> {
    /// Generates the obligations of all local operations.
    pub(super) fn local_operations(&mut self) {
        for local in &self.refined.own.local {
            let event = &local.implementation;
            match self.local_operation(local) {
                Ok(sequents) => {
                    self.groups.push(Group { event: None, of_step: false, invariant: false, sequents })
                }
                Err(NoObligations(reason)) => {
                    self.leave(format!("local operation {}", event.name), reason, event.span)
                }
            }
        }
    }

    fn local_operation(&mut self, local: &LocalOperation) -> Result<Vec<Sequent>, NoObligations> {
        let LocalOperation { specification, implementation } = local;
        let counts = |e: &Event| (e.parameters.len(), e.results.len());
        if counts(specification) != counts(implementation) {
            return Err(NoObligations("its specification has other parameters or results".into()));
        }
        let mut place = Place::default();
        let is_told = |c: &&Conjunct| {
            let relation = self.model.text.components[c.origin.index()].relation;
            matches!(relation, Relation::Imports | Relation::Extends | Relation::Sees | Relation::Uses)
        };
        place.hypotheses = self.model.invariant.iter().filter(is_told).map(|c| c.pred.clone()).collect();
        let mut execution = Execution::new(&mut self.joint, &implementation.name);
        let mut before = place.names.clone();
        for (own, theirs) in implementation.parameters.iter().zip(&specification.parameters) {
            let value = execution.any_value(*own);
            before.locals.insert(*theirs, value.clone());
            place.names.locals.insert(*own, value);
        }
        for local in &specification.results {
            let value = execution.any_value(*local);
            before.locals.insert(*local, value);
        }
        for local in &implementation.results {
            let value = execution.any_value(*local);
            place.names.locals.insert(*local, value);
        }
        let mut meant = &specification.body;
        while let Some((guard, inner)) = precondition(meant) {
            let spoken = Place { names: before.clone(), hypotheses: place.hypotheses.clone() };
            execution.meaning(&spoken, guard);
            place.hypotheses.extend(conjuncts(guard).into_iter().map(|p| before.in_pred(p)));
            meant = inner;
        }
        execution.as_code(&implementation.results);
        let mut body = &implementation.body;
        while let Some((guard, inner)) = precondition(body) {
            execution.demand(&mut place, Kind::Precondition, "PRE", guard);
            body = inner;
        }
        let ends = execution.run(body, place)?;
        let (mut sequents, bound) = (execution.sequents, execution.bound);
        self.leave_bound(&format!("local operation {}", implementation.name), bound);
        let mut written = Names::of_subst(meant).written;
        written.extend(Names::of_subst(body).written);
        for end in ends {
            let joint = self.joint.clone();
            let at_end = |after: &bsym_language::walk::Replacement| {
                let pairs = implementation.results.iter().zip(&specification.results);
                let results = pairs.map(|(own, theirs)| {
                    let Variable { name, ty, span } = joint.locals[own.index()].clone();
                    let value = |l: &LocalId| ExprKind::Local(*l).typed(ty.clone(), span);
                    let equal = (end.names.in_expr(&value(own)), after.in_expr(&value(theirs)));
                    (
                        format!("{name}/RES"),
                        format!("the result {name} is one of the specification"),
                        equal,
                        span,
                    )
                });
                let variables = written.iter().map(|v| {
                    let Variable { name, ty, span } = joint.variables[v.index()].clone();
                    let value = ExprKind::Var(*v).typed(ty, span);
                    let equal = (end.names.in_expr(&value), after.in_expr(&value));
                    (format!("{name}/REF"), format!("{name} is as the specification says"), equal, span)
                });
                let part = |(label, text, (own, theirs), span)| Part {
                    label,
                    text,
                    pred: Pred::compare(CompareOp::Equal, own, theirs, span),
                };
                results.chain(variables).map(part).collect()
            };
            for goal in following::goals(&mut self.joint, meant, before.clone(), &at_end)? {
                let following::Goal { label, text, hypotheses, pred } = goal;
                sequents.push(Sequent {
                    kind: Kind::Refinement,
                    name: format!(
                        "{}/{}",
                        implementation.name,
                        if label == "choice" { "FOLLOW" } else { &label }
                    ),
                    text,
                    hypotheses: end.hypotheses.iter().cloned().chain(hypotheses).collect(),
                    goal: pred,
                    says: Says::Holds,
                });
            }
        }
        Ok(sequents)
    }
}

/// Returns the guard of a substitution that was a precondition, and the rest of the substitution.
pub(super) fn precondition(s: &Subst) -> Option<(&Pred, &Subst)> {
    match &s.kind {
        SubstKind::Select { branches, otherwise: None, from_pre: true, .. } if branches.len() == 1 => {
            Some((&branches[0].0, &branches[0].1))
        }
        SubstKind::Pre(p, body) => Some((p, body)),
        _ => None,
    }
}
