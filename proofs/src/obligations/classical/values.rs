//! Values that an implementation gives to constants and deferred sets, and its variables as those of a machine.
//!
//! Source: B Language Reference Manual, clause `VALUES`; Atelier B, Proof Obligations Reference Manual (group
//! `ValuesLemmas`): with the equations of `VALUES` and the properties of machines that are seen or imported, the
//! properties of all levels hold for some values of the abstract constants.

use bsym_language::model::types::Type;
use bsym_language::model::*;
use bsym_language::walk::Replacement;
use bsym_status::file::Kind;

use super::following::{self, Part};
use super::generate::Refinement;
use super::integers::{Computed, of_value};
use super::sequent::{Group, Says, Sequent};

/// The group in Atelier B.
const VALUES: &str = "ValuesLemmas";

impl Refinement<'_> {
    /// Asks whether the integers in concrete variables are those of the machine, wherever the invariant holds.
    pub(super) fn machine_variables(&mut self) {
        let Some(implementation) = &self.refined.own.implementation else { return };
        let mut sequents = vec![];
        for v in &implementation.variables {
            let Variable { name, ty, span } = self.joint.variables[v.index()].clone();
            let value = ExprKind::Var(*v).typed(ty, span);
            match of_value(&value) {
                Ok(Some(goal)) => sequents.push(fits(format!("{name}/INT"), &name, vec![], goal)),
                Ok(None) => {}
                Err(()) => self.leave(
                    format!("type of {name}"),
                    "it is no scalar, array or record of scalars".into(),
                    span,
                ),
            }
        }
        self.groups.push(Group { event: None, of_step: false, invariant: true, sequents });
    }

    /// Returns the obligations of `VALUES` with their model: that of the constants without the properties that have to
    /// be proved about them.
    pub(super) fn values(&mut self) -> Option<(Model, Group)> {
        let Implementation { values, owed, constants, unvalued, unimplemented, .. } =
            self.refined.own.implementation.clone()?;
        for (name, span) in unvalued {
            let reason = "VALUES gives it no value, and no machine that is seen or imported has its name";
            self.leave(format!("value of {name}"), reason.into(), span);
        }
        for (name, span) in unimplemented {
            self.leave(format!("local operation {name}"), "nothing implements it".into(), span);
        }
        let axioms = self.model.axioms.clone();
        let (mut sequents, mut known) = (vec![], vec![]);
        let mut valued = vec![];
        for at in &values {
            let Conjunct { pred, .. } = &axioms[*at];
            let PredKind::Compare(CompareOp::Equal, constant, value) = &pred.kind else { continue };
            let name = match constant.kind {
                ExprKind::Const(c) => {
                    valued.push(c);
                    self.model.constants[c.index()].name.clone()
                }
                _ => "?".into(),
            };
            self.value(&name, value, &known, &mut sequents);
            known.push(pred.clone());
        }
        // The fit of all values is checked after all of them are known.
        for c in &valued {
            self.of_machine(*c, &known, &mut sequents);
        }
        let chosen: Vec<ConstId> = constants.into_iter().filter(|c| !valued.contains(c)).collect();
        self.properties(&owed, &chosen, &known, &mut sequents);
        let told = (0..axioms.len()).filter(|at| !owed.contains(at) && !values.contains(at));
        let span = self.joint.initialisation.span;
        let told_of = Model {
            axioms: told.map(|at| axioms[at].clone()).collect(),
            variables: vec![],
            invariant: vec![],
            events: vec![],
            initialisation: SubstKind::Skip.at(span),
            ..self.joint.clone()
        };
        let group = Group { event: None, of_step: false, invariant: false, sequents };
        (!group.sequents.is_empty()).then_some((told_of, group))
    }

    /// Asks whether the expression of a value has a meaning, and whether the integers that it computes fit.
    fn value(&mut self, name: &str, value: &Expr, known: &[Pred], sequents: &mut Vec<Sequent>) {
        let text = bsym_language::print::at(self.model, value.span);
        sequents.push(Sequent {
            kind: Kind::Wd,
            name: format!("{VALUES}/{name}/WD"),
            text,
            hypotheses: known.to_vec(),
            goal: Pred::compare(CompareOp::Equal, value.clone(), value.clone(), value.span),
            says: Says::Defined,
        });
        let computed = Computed::of_expr(value);
        if computed.bound {
            let reason = "overflow of what is computed under a binder is not asked";
            self.leave(format!("overflow in the value of {name}"), reason.into(), value.span);
        }
        for (e, more) in computed.found {
            let hypotheses = known.iter().cloned().chain(more).collect();
            let text = bsym_language::print::at(self.model, e.span);
            sequents.push(fits(
                format!("{VALUES}/{name}/INT"),
                &text,
                hypotheses,
                super::integers::in_machine(&e),
            ));
        }
    }

    /// Asks whether a constant has a value of the machine. A deferred set must have elements.
    fn of_machine(&mut self, c: ConstId, known: &[Pred], sequents: &mut Vec<Sequent>) {
        let Variable { name, ty, span } = self.model.constants[c.index()].clone();
        let e = ExprKind::Const(c).typed(ty.clone(), span);
        match of_value(&e) {
            Ok(Some(goal)) => {
                sequents.push(fits(format!("{VALUES}/{name}/INT"), &name, known.to_vec(), goal))
            }
            Ok(None) => {}
            Err(()) => {
                let reason = "it is no scalar, array or record of scalars";
                self.leave(format!("type of {name}"), reason.into(), span);
            }
        }
        let Type::Pow(element) = &ty else { return };
        if !matches!(**element, Type::Pair(..)) {
            let nothing = ExprKind::EmptySet.typed(ty.clone(), span);
            sequents.push(Sequent {
                kind: Kind::Values,
                name: format!("{VALUES}/{name}/VALUES"),
                text: format!("{name} /= {{}}"),
                hypotheses: known.to_vec(),
                goal: Pred::compare(CompareOp::NotEqual, e, nothing, span),
                says: Says::Holds,
            });
        }
    }

    /// Asks whether some values of constants satisfy the properties.
    fn properties(
        &mut self,
        owed: &[usize],
        chosen: &[ConstId],
        known: &[Pred],
        sequents: &mut Vec<Sequent>,
    ) {
        let mut names = Replacement::default();
        let mut locals = vec![];
        for c in chosen {
            let constant = self.model.constants[c.index()].clone();
            let (ty, span) = (constant.ty.clone(), constant.span);
            self.joint.locals.push(constant);
            let local = LocalId(self.joint.locals.len() as u32 - 1);
            locals.push(local);
            names.constants.insert(*c, ExprKind::Local(local).typed(ty, span));
        }
        let mut parts = vec![];
        let axioms = owed.iter().map(|at| &self.model.axioms[*at]);
        let homonyms = &self.refined.own.assertions[self.refined.own.owed.clone()];
        for (position, c) in axioms.chain(homonyms).enumerate() {
            let label = crate::obligations::names::key(self.model, "prop", position, c);
            parts.push(Part { label, text: c.text.clone(), pred: names.in_pred(&c.pred) });
        }
        for goal in following::some_values(locals, parts) {
            sequents.push(Sequent {
                kind: Kind::Values,
                name: format!("{VALUES}/{}/VALUES", goal.label),
                text: goal.text,
                hypotheses: known.to_vec(),
                goal: goal.pred,
                says: Says::Holds,
            });
        }
    }
}

fn fits(name: String, text: &str, hypotheses: Vec<Pred>, goal: Pred) -> Sequent {
    Sequent { kind: Kind::Values, name, text: format!("{text} : INT"), hypotheses, goal, says: Says::Fits }
}
