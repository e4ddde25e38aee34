//! Paths of a substitution, with the goals to prove on each: symbolic execution, which computes the weakest
//! precondition path by path (B-Book, 6.1 and 9.2).
//!
//! A chosen value, and a target that a loop may have assigned, becomes a further variable of the model with the name
//! that it stands for: free in a sequent, it has any value.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::model::types::Type;
use bsym_language::model::*;
use bsym_language::print;
use bsym_language::source::{SourceId, Span};
use bsym_language::walk::{Names, Replacement, conjuncts};
use bsym_status::file::Kind;

use super::integers::{Computed, in_machine};
use super::sequent::{NoObligations, Says, Sequent};

use crate::tuning::tuning;

/// A place on a path: the values of all names there, and the hypotheses.
#[derive(Clone, Default, Debug)]
pub(super) struct Place {
    pub names: Replacement,
    pub hypotheses: Vec<Pred>,
}

/// Meaning of a further variable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Unknown {
    Before(VarId),
    Local(LocalId),
    Chosen(ChoiceId, usize),
    Loop(usize, Target),
}

/// Executes the paths of substitutions of one operation.
pub(super) struct Execution<'m> {
    /// The model of all levels; further variables are added to it.
    pub joint: &'m mut Model,
    /// Sequents to prove on the paths so far.
    pub sequents: Vec<Sequent>,
    /// The operation's name.
    who: String,
    unknowns: BTreeMap<Unknown, VarId>,
    /// Places of evaluated formulas, in the order in which they are met.
    places: Vec<Span>,
    /// Loops, in the order in which they are met, by their places.
    loops: Vec<*const Subst>,
    /// The file of the implementation, if it is one: its code computes with the integers of a machine.
    code: Option<SourceId>,
    /// Locals of an implementation that are variables of the machine which runs it.
    registers: BTreeSet<LocalId>,
    /// Place of a computation of an implementation under a binder, if there is one.
    pub bound: Option<Span>,
}

impl<'m> Execution<'m> {
    /// An execution of the operation with this name.
    pub fn new(joint: &'m mut Model, who: &str) -> Self {
        let (sequents, unknowns, places, loops, registers) = Default::default();
        let who = who.to_string();
        Execution { joint, sequents, who, unknowns, places, loops, code: None, registers, bound: None }
    }

    /// Treats the main file as code of an implementation from here on. `results` are its results.
    pub fn as_code(&mut self, results: &[LocalId]) {
        self.code = self.joint.text.components.first().map(|c| c.span.source);
        self.registers.extend(results);
    }

    fn is_code(&self, span: Span) -> bool {
        self.code.is_some_and(|source| source == span.source)
    }

    /// Asks whether the values that an expression or a condition computes fit into the machine.
    fn computes(&mut self, place: &Place, span: Span, computed: Computed) {
        if !self.is_code(span) {
            return;
        }
        if computed.bound {
            self.bound.get_or_insert(span);
        }
        for (e, known) in computed.found {
            let hypotheses: Vec<Pred> = place
                .hypotheses
                .iter()
                .cloned()
                .chain(known.iter().map(|p| place.names.in_pred(p)))
                .collect();
            self.fits(place, &e, &hypotheses);
        }
    }

    fn fits(&mut self, place: &Place, e: &Expr, hypotheses: &[Pred]) {
        let at = self.number(e.span);
        let text = format!("{} : INT", print::at(self.joint, e.span));
        let goal = place.names.in_pred(&in_machine(e));
        self.ask(Kind::Other, &format!("{at}/INT"), text, hypotheses, goal, Says::Fits);
    }

    /// Asks whether a value fits into a variable of the machine.
    fn stored(&mut self, place: &Place, target: Target, value: &Expr) {
        let Target::Local(local) = target else { return };
        if self.registers.contains(&local) && value.ty == Type::Int {
            let was_asked =
                self.is_code(value.span) && Computed::of_expr(value).found.iter().any(|(e, _)| e == value);
            if !was_asked {
                self.fits(place, value, &place.hypotheses);
            }
        }
    }

    /// Asks whether a value that a target was given at this place fits into a variable of the machine.
    fn chosen(&mut self, place: &Place, target: Target, span: Span) {
        let Variable { ty, .. } = self.target(target);
        if let Target::Local(local) = target {
            self.stored(place, target, &ExprKind::Local(local).typed(ty, span));
        }
    }

    /// Adds the hypothesis that an integer variable of the machine fits into the machine.
    fn known_to_fit(&self, place: &mut Place, local: LocalId) {
        if self.registers.contains(&local)
            && let Some(value) = place.names.locals.get(&local).filter(|value| value.ty == Type::Int)
        {
            place.hypotheses.push(in_machine(value));
        }
    }

    /// Returns the value of a local that may have any value.
    pub fn any_value(&mut self, local: LocalId) -> Expr {
        let Variable { name, ty, span } = self.joint.locals[local.index()].clone();
        self.unknown(Unknown::Local(local), &name, &ty, span)
    }

    /// Returns the place before an initialisation. Variables that it or the abstract one reads, and those that neither
    /// writes, have any value. Others have none there that is ever read.
    pub fn before_all(&mut self, own: &Subst, of_level: &Subst) -> Place {
        let (own, of_level) = (Names::of_subst(own), Names::of_subst(of_level));
        let mut place = Place::default();
        for (i, Variable { name, ty, span }) in self.joint.variables.clone().into_iter().enumerate() {
            let v = VarId(i as u32);
            let is_read = own.variables.contains(&v) || of_level.variables.contains(&v);
            if is_read || !(own.written.contains(&v) || of_level.written.contains(&v)) {
                let value = self.unknown(Unknown::Before(v), &name, &ty, span);
                assign(&mut place.names, Target::Var(v), value);
            }
        }
        place
    }

    fn unknown(&mut self, what: Unknown, name: &str, ty: &Type, span: Span) -> Expr {
        let v = match self.unknowns.get(&what) {
            Some(v) => *v,
            None => {
                let v = VarId(self.joint.variables.len() as u32);
                let taken = |name: &str| self.joint.variables.iter().any(|v| v.name == name);
                let mut unique = name.to_string();
                let mut count = 1;
                while taken(&unique) {
                    count += 1;
                    unique = format!("{name}_{count}");
                }
                self.joint.variables.push(Variable { name: unique, ty: ty.clone(), span });
                self.unknowns.insert(what, v);
                v
            }
        };
        ExprKind::Var(v).typed(ty.clone(), span)
    }

    fn target(&self, target: Target) -> Variable {
        match target {
            Target::Var(v) => self.joint.variables[v.index()].clone(),
            Target::Local(l) => self.joint.locals[l.index()].clone(),
        }
    }

    /// Adds a sequent.
    pub fn ask(&mut self, kind: Kind, name: &str, text: String, hypotheses: &[Pred], goal: Pred, says: Says) {
        let name = format!("{}/{name}", self.who);
        self.sequents.push(Sequent { kind, name, text, hypotheses: hypotheses.to_vec(), goal, says });
    }

    /// Asks whether a predicate as it was written has a meaning with the values of a place.
    pub fn meaning(&mut self, place: &Place, p: &Pred) {
        let goal = place.names.in_pred(p);
        let at = self.number(p.span);
        let text = print::at(self.joint, p.span);
        self.ask(Kind::Wd, &format!("{at}/WD"), text, &place.hypotheses, goal, Says::Defined);
    }

    fn meaning_of(&mut self, place: &Place, e: &Expr) {
        let itself = Pred::compare(CompareOp::Equal, e.clone(), e.clone(), e.span);
        self.meaning(place, &itself);
    }

    fn number(&mut self, span: Span) -> usize {
        let known = self.places.iter().position(|p| *p == span);
        known.unwrap_or_else(|| {
            self.places.push(span);
            self.places.len() - 1
        }) + 1
    }

    /// Asks whether the conjuncts of a predicate hold at a place. They are hypotheses from there on.
    pub fn demand(&mut self, place: &mut Place, kind: Kind, short: &str, p: &Pred) {
        self.meaning(place, p);
        for part in conjuncts(p) {
            let goal = place.names.in_pred(part);
            let at = self.number(part.span);
            let text = print::at(self.joint, part.span);
            self.ask(kind, &format!("{at}/{short}"), text, &place.hypotheses, goal, Says::Holds);
        }
        place.know(p);
    }

    /// Returns the places that a substitution leads to.
    ///
    /// # Errors
    /// If there are too many.
    pub fn run(&mut self, s: &Subst, place: Place) -> Result<Vec<Place>, NoObligations> {
        let mut place = place;
        let ends = match &s.kind {
            SubstKind::Skip => vec![place],
            SubstKind::Assign(list) => {
                let mut names = place.names.clone();
                for (target, value) in list {
                    self.meaning_of(&place, value);
                    self.computes(&place, value.span, Computed::of_expr(value));
                    self.stored(&place, *target, value);
                    assign(&mut names, *target, place.names.in_expr(value));
                }
                place.names = names;
                vec![place]
            }
            SubstKind::BecomesIn(choice, targets, set) => {
                self.meaning_of(&place, set);
                let set = place.names.in_expr(set);
                let mut values = vec![];
                for (i, target) in targets.iter().enumerate() {
                    let Variable { name, ty, .. } = self.target(*target);
                    let value = self.unknown(Unknown::Chosen(*choice, i), &format!("{name}'"), &ty, s.span);
                    assign(&mut place.names, *target, value.clone());
                    values.push(value);
                }
                if let Some(couple) = values.into_iter().reduce(Expr::couple) {
                    place.hypotheses.push(Pred::compare(CompareOp::Member, couple, set, s.span));
                }
                targets.iter().for_each(|target| self.chosen(&place, *target, s.span));
                vec![place]
            }
            SubstKind::BecomesSuch(choice, list, p) => {
                let mut chosen = place.clone();
                let mut after = place.names.clone();
                for (i, (target, local)) in list.iter().enumerate() {
                    let Variable { name, ty, .. } = self.target(*target);
                    let value = self.unknown(Unknown::Chosen(*choice, i), &format!("{name}'"), &ty, s.span);
                    chosen.names.locals.insert(*local, value.clone());
                    assign(&mut after, *target, value);
                }
                self.meaning(&chosen, p);
                chosen.know(p);
                let place = Place { names: after, hypotheses: chosen.hypotheses };
                list.iter().for_each(|(target, _)| self.chosen(&place, *target, s.span));
                vec![place]
            }
            SubstKind::Pre(p, body) => {
                self.demand(&mut place, Kind::Precondition, "PRE", p);
                self.run(body, place)?
            }
            SubstKind::Assert(_, p, body) => {
                self.demand(&mut place, Kind::Other, "ASSERT", p);
                self.run(body, place)?
            }
            SubstKind::Choice(_, branches) => {
                let mut ends = vec![];
                for branch in branches {
                    ends.extend(self.run(branch, place.clone())?);
                }
                ends
            }
            SubstKind::If(branches, otherwise) => {
                let mut ends = vec![];
                for (condition, body) in branches {
                    self.meaning(&place, condition);
                    self.computes(&place, condition.span, Computed::of_pred(condition));
                    ends.extend(self.run(body, place.clone().where_(condition))?);
                    place.know_not(condition);
                }
                ends.extend(self.run(otherwise, place)?);
                ends
            }
            SubstKind::Select { branches, otherwise, .. } => {
                let mut ends = vec![];
                let mut none = place.clone();
                for (guard, body) in branches {
                    self.meaning(&place, guard);
                    ends.extend(self.run(body, place.clone().where_(guard))?);
                    none.know_not(guard);
                }
                if let Some(other) = otherwise {
                    ends.extend(self.run(other, none)?);
                }
                ends
            }
            SubstKind::Any(_, locals, p, body) => {
                for local in locals {
                    let value = self.any_value(*local);
                    place.names.locals.insert(*local, value);
                }
                self.meaning(&place, p);
                self.run(body, place.where_(p))?
            }
            SubstKind::Let(list, body) => {
                let mut names = place.names.clone();
                for (local, value) in list {
                    self.meaning_of(&place, value);
                    // Arguments of a call; a specification of a local operation stands elsewhere.
                    if s.span.contains(value.span) {
                        self.computes(&place, value.span, Computed::of_expr(value));
                    }
                    names.locals.insert(*local, place.names.in_expr(value));
                }
                self.run(body, Place { names, ..place })?
            }
            SubstKind::Var(locals, body) => {
                for local in locals {
                    let value = self.any_value(*local);
                    place.names.locals.insert(*local, value);
                    if self.is_code(s.span) {
                        self.registers.insert(*local);
                        self.known_to_fit(&mut place, *local);
                    }
                }
                self.run(body, place)?
            }
            SubstKind::Sequence(parts) => {
                let mut ends = vec![place];
                for part in parts {
                    let mut next = vec![];
                    for end in ends {
                        next.extend(self.run(part, end)?);
                    }
                    ends = next;
                }
                ends
            }
            SubstKind::Parallel(parts) => {
                let before = place.names.clone();
                let mut ends = vec![place];
                for part in parts {
                    let mut next = vec![];
                    for end in ends {
                        let here = Place { names: before.clone(), hypotheses: end.hypotheses };
                        for Place { names, hypotheses } in self.run(part, here)? {
                            let names = beside(&end.names, names, part);
                            next.push(Place { names, hypotheses });
                        }
                    }
                    ends = next;
                }
                ends
            }
            SubstKind::While { condition, body, invariant, variant } => {
                self.repeat(s, condition, body, invariant, variant, place)?
            }
        };
        if ends.len() > tuning().obligations.operation_paths {
            return Err(NoObligations(format!(
                "there are more than {} paths through it",
                tuning().obligations.operation_paths
            )));
        }
        Ok(ends)
    }

    /// Executes a loop by its invariant and its variant (B-Book, 9.2.9; B Language Reference Manual, 6.17): the
    /// invariant holds before, is kept by the body and is the hypothesis after, with the condition being false.
    fn repeat(
        &mut self,
        s: &Subst,
        condition: &Pred,
        body: &Subst,
        invariant: &Pred,
        variant: &Expr,
        before: Place,
    ) -> Result<Vec<Place>, NoObligations> {
        let at: *const Subst = s;
        let number = self.loops.iter().position(|l| *l == at).unwrap_or_else(|| {
            self.loops.push(at);
            self.loops.len() - 1
        });
        let who = format!("loop{}", number + 1);
        let parts = conjuncts(invariant);
        // `x$0` in the invariant is the value before the loop.
        let old = before.names.clone();
        let of = |names: &Replacement| Replacement { old: old.variables.clone(), ..names.clone() };
        let texts: Vec<String> = parts.iter().map(|p| print::at(self.joint, p.span)).collect();
        for (i, (part, text)) in parts.iter().zip(&texts).enumerate() {
            let goal = of(&before.names).in_pred(part);
            let name = format!("{who}.inv{}/EST", i + 1);
            self.ask(Kind::Other, &name, text.clone(), &before.hypotheses, goal, Says::Holds);
        }
        let mut head = before;
        let written = Names::of_subst(body);
        let targets = written.written.iter().map(|v| Target::Var(*v));
        for target in targets.chain(written.written_locals.iter().map(|l| Target::Local(*l))) {
            let Variable { name, ty, span } = self.target(target);
            let value = self.unknown(Unknown::Loop(number, target), &name, &ty, span);
            assign(&mut head.names, target, value);
            if let Target::Local(local) = target {
                self.known_to_fit(&mut head, local);
            }
        }
        for (i, (part, text)) in parts.iter().zip(&texts).enumerate() {
            let p = of(&head.names).in_pred(part);
            let name = format!("{who}.inv{}/WD", i + 1);
            self.ask(Kind::Wd, &name, text.clone(), &head.hypotheses, p.clone(), Says::Defined);
            head.hypotheses.push(p);
        }
        self.meaning_of(&head, variant);
        let measure = of(&head.names).in_expr(variant);
        let span = variant.span;
        let text = print::at(self.joint, variant.span);
        let naturals = ExprKind::Set(BuiltinSet::Natural).typed(Type::pow(Type::Int), span);
        let natural = Pred::compare(CompareOp::Member, measure.clone(), naturals, span);
        let goal = format!("{text} : NATURAL");
        self.ask(Kind::Nat, &format!("{who}/NAT"), goal, &head.hypotheses, natural, Says::Holds);
        self.meaning(&head, condition);
        self.computes(&head, condition.span, Computed::of_pred(condition));
        for end in self.run(body, head.clone().where_(condition))? {
            for (i, (part, text)) in parts.iter().zip(&texts).enumerate() {
                let goal = of(&end.names).in_pred(part);
                let name = format!("{who}.inv{}/KEPT", i + 1);
                self.ask(Kind::Other, &name, text.clone(), &end.hypotheses, goal, Says::Holds);
            }
            let after = of(&end.names).in_expr(variant);
            let goal = Pred::compare(CompareOp::Less, after, measure.clone(), span);
            let text = format!("{text} after the body < {text} before it");
            self.ask(Kind::Var, &format!("{who}/VAR"), text, &end.hypotheses, goal, Says::Holds);
        }
        head.know_not(condition);
        Ok(vec![head])
    }
}

impl Place {
    /// Adds a predicate as a hypothesis from here on, with the values of this place.
    pub fn know(&mut self, p: &Pred) {
        if p.kind != PredKind::True {
            self.hypotheses.push(self.names.in_pred(p));
        }
    }

    fn know_not(&mut self, p: &Pred) {
        let p = self.names.in_pred(p);
        let span = p.span;
        self.hypotheses.push(PredKind::Not(Box::new(p)).at(span));
    }

    fn where_(mut self, p: &Pred) -> Place {
        self.know(p);
        self
    }
}

/// Gives a target a value.
pub(super) fn assign(names: &mut Replacement, target: Target, value: Expr) {
    if let Target::Var(v) = target {
        names.old.insert(v, value.clone());
    }
    names.assign(target, value);
}

/// The values after one more part of a parallel substitution, which writes its own targets and nothing else.
pub(super) fn beside(others: &Replacement, own: Replacement, part: &Subst) -> Replacement {
    let written = Names::of_subst(part);
    let mut names = others.clone();
    for v in &written.written {
        if let Some(value) = own.variables.get(v) {
            assign(&mut names, Target::Var(*v), value.clone());
        }
    }
    for l in &written.written_locals {
        if let Some(value) = own.locals.get(l) {
            assign(&mut names, Target::Local(*l), value.clone());
        }
    }
    names
}
