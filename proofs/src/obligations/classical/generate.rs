//! Generation of all obligations of a refinement: of its initialisation, its operations, its invariant and its
//! assertions.

use std::rc::Rc;
use std::sync::Arc;

use bsym_encodings::system::System;
use bsym_encodings::system::build::{Representations, encode_with};
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::same::same_pred;
use bsym_language::model::*;
use bsym_language::source::Span;
use bsym_language::walk::{Replacement, conjuncts};
use bsym_semantics::scope::Scope;
use bsym_status::digest::INITIALISATION;
use bsym_status::file::{Kind, LeftOut, Status, TargetRole};

use super::execution::{Execution, Place};
use super::following::{self, Part};
use super::sequent::{Asked, Group, NoObligations, Says, Sequent};
use crate::obligations::call::{self, Call, Depth, Guard};
use crate::obligations::family::{Entry, Family, family};
use crate::obligations::names::key;
use crate::obligations::obligation::{Proof, Question, Subject, unasked};
use crate::recorded::invariant;

/// The obligations of a refinement, before any is attempted.
pub(in crate::obligations) struct Generated {
    pub all: Vec<Proof>,
    pub families: Vec<Family>,
    /// Systems in which the formulas were made; the first is that of the states.
    pub systems: Vec<System>,
    /// Sequents to prove, each with the number of the obligation and of the system.
    pub asked: Vec<(usize, usize, Asked)>,
    /// Conditions for the operations to be called, over the variables of the first system.
    pub calls: Vec<Call>,
    /// Parts without obligations.
    pub left_out: Vec<LeftOut>,
}

/// Makes the obligations of a refinement of classical B.
pub(in crate::obligations) fn generate(
    terms: &Rc<Terms>,
    model: &Model,
    refined: &Refined,
    scope: &Scope,
) -> Generated {
    let mut refinement = Refinement::new(model, refined);
    refinement.invariant_meaning();
    refinement.initialisation();
    (0..refined.own.operations.len()).for_each(|e| refinement.operation(e));
    refinement.local_operations();
    refinement.assertions();
    refinement.machine_variables();
    let values = refinement.values();
    refinement.encoded(terms, scope, values)
}

/// Goal that the refinement has to establish: a conjunct of its invariant.
struct Owed {
    label: String,
    text: String,
    pred: Pred,
    /// `true` if it is about the refinement alone.
    own: bool,
    /// `true` if the refinement itself states it.
    of_main: bool,
}

pub(super) struct Refinement<'m> {
    pub model: &'m Model,
    pub refined: &'m Refined,
    /// The model of all levels. Its invariant has all hypotheses about a state.
    pub joint: Model,
    /// By event.
    preconditions: Vec<Option<FollowedPart>>,
    levels: Vec<LevelPart>,
    owed: Vec<Owed>,
    pub groups: Vec<Group>,
    calls: Vec<Call>,
    left_out: Vec<LeftOut>,
}

impl<'m> Refinement<'m> {
    fn new(model: &'m Model, refined: &'m Refined) -> Self {
        let SideBySide { model: mut joint, levels, operations } = refined.side_by_side(model);
        let nearest = &joint.invariant[levels[0].gluing.clone()];
        let owed = owed(model, nearest);
        let of_levels = refined.levels.iter().flat_map(|level| level.invariant.iter().cloned());
        let gluing = std::mem::take(&mut joint.invariant);
        joint.invariant = model.invariant.iter().cloned().chain(of_levels).chain(gluing).collect();
        (joint.assertions, joint.definitions.goal, joint.refinement.not_checked) = (vec![], None, vec![]);
        Refinement {
            model,
            refined,
            joint,
            preconditions: operations,
            levels,
            owed,
            groups: vec![],
            calls: vec![],
            left_out: vec![],
        }
    }

    /// Notes a part without obligations.
    pub fn leave(&mut self, part: String, reason: String, span: Span) {
        let known = self.model.text.sources.iter().any(|(id, _)| id == span.source);
        self.left_out.push(LeftOut {
            part,
            reason,
            file: known.then(|| self.model.text.sources.path(span).display().to_string()),
            line: known.then(|| self.model.text.sources.position(span).line),
        });
    }

    /// Notes that something is computed under a binder.
    pub fn leave_bound(&mut self, part: &str, bound: Option<Span>) {
        if let Some(span) = bound {
            let reason = "overflow of what is computed under a binder is not asked";
            self.leave(format!("overflow in {part}"), reason.into(), span);
        }
    }

    /// Asks whether each conjunct has a meaning where those of the abstractions and those before it hold.
    fn invariant_meaning(&mut self) {
        let levels = self.refined.levels.iter().flat_map(|level| &level.invariant);
        let mut hypotheses: Vec<Pred> = levels.map(|c| c.pred.clone()).collect();
        let behind = self.levels[1..].iter().flat_map(|level| level.gluing.clone());
        let first = self.model.invariant.len()
            + self.refined.levels.iter().map(|level| level.invariant.len()).sum::<usize>();
        hypotheses.extend(behind.map(|i| self.joint.invariant[first + i].pred.clone()));
        let mut sequents = vec![];
        // Machines that are imported or included know nothing of the refinement.
        let (others, own): (Vec<&Owed>, Vec<&Owed>) = self.owed.iter().partition(|owed| !owed.of_main);
        for owed in others.into_iter().chain(own) {
            sequents.push(Sequent {
                kind: Kind::Wd,
                name: format!("{}/WD", owed.label),
                text: owed.text.clone(),
                hypotheses: hypotheses.clone(),
                goal: owed.pred.clone(),
                says: Says::Defined,
            });
            hypotheses.push(owed.pred.clone());
        }
        self.groups.push(Group { event: None, of_step: false, invariant: false, sequents });
    }

    fn initialisation(&mut self) {
        let refined = self.refined;
        let (own, level) = (&refined.own.initialisation, &refined.levels[0].initialisation);
        let mut execution = Execution::new(&mut self.joint, INITIALISATION);
        if refined.own.implementation.is_some() {
            execution.as_code(&[]);
        }
        let before = execution.before_all(own, level);
        let ends = execution.run(own, before);
        let (sequents, bound) = (execution.sequents, execution.bound);
        self.leave_bound("initialisation", bound);
        let found = self.followed(INITIALISATION, ends, Some(level), &[], sequents, false);
        match found {
            Ok(sequents) => {
                self.groups.push(Group { event: None, of_step: true, invariant: false, sequents })
            }
            Err(NoObligations(reason)) => self.leave("initialisation".into(), reason, own.span),
        }
    }

    fn operation(&mut self, at: usize) {
        let event = &self.refined.own.operations[at];
        match self.sequents_of(at, event) {
            Ok(sequents) => {
                let event = Some(EventId(at as u32));
                self.groups.push(Group { event, of_step: true, invariant: true, sequents });
            }
            Err(NoObligations(reason)) => self.leave(format!("operation {}", event.name), reason, event.span),
        }
    }

    fn sequents_of(&mut self, at: usize, event: &Event) -> Result<Vec<Sequent>, NoObligations> {
        let refined = self.refined;
        let part = self.preconditions[at].clone();
        let allowed =
            part.as_ref().and_then(|p| p.precondition).map(|e| self.joint.events[e.index()].clone());
        let narrowed = part.as_ref().and_then(|p| p.narrowed).map(|e| self.joint.events[e.index()].clone());
        let mut execution = Execution::new(&mut self.joint, &event.name);
        if refined.own.implementation.is_some() {
            execution.as_code(&event.results);
        }
        let mut place = Place::default();
        let parameters: Vec<Expr> = event.parameters.iter().map(|l| execution.any_value(*l)).collect();
        for (local, value) in event.parameters.iter().zip(&parameters) {
            place.names.locals.insert(*local, value.clone());
        }
        for local in &event.results {
            let value = execution.any_value(*local);
            place.names.locals.insert(*local, value);
        }
        // A guard of an event that does nothing, for the parameters of this one.
        let guard = |of: &Event| -> Option<(Replacement, Pred)> {
            let SubstKind::Select { branches, .. } = &of.body.kind else { return None };
            let locals = of.parameters.iter().copied().zip(parameters.iter().cloned()).collect();
            Some((Replacement { locals, ..Replacement::default() }, branches[0].0.clone()))
        };
        if let Some((names, p)) = allowed.as_ref().and_then(guard) {
            place.hypotheses.extend(conjuncts(&p).into_iter().map(|p| names.in_pred(p)));
        }
        if let Some((names, p)) = narrowed.as_ref().and_then(guard)
            && let Some(PredKind::Not(own)) = conjuncts(&p).last().map(|p| &p.kind)
        {
            let mut before = place.hypotheses.clone();
            for p in conjuncts(own) {
                let text = bsym_language::print::at(execution.joint, p.span);
                let goal = names.in_pred(p);
                execution.ask(Kind::Precondition, "PRE", text, &before, goal.clone(), Says::Holds);
                before.push(goal);
            }
        }
        let mut body = &event.body;
        while let SubstKind::Select { branches, otherwise: None, from_pre: true, .. } = &body.kind
            && branches.len() == 1
        {
            execution.meaning(&place, &branches[0].0);
            place.know(&branches[0].0);
            body = &branches[0].1;
        }
        let allowed = place.hypotheses.iter().flat_map(conjuncts).cloned();
        let (role, depth) = (TargetRole::Precondition, Depth::Nested);
        let mut guards: Vec<Guard> = allowed.map(|pred| Guard { role, pred, depth }).collect();
        let mut free: Vec<(LocalId, Expr)> =
            event.parameters.iter().copied().zip(parameters.iter().cloned()).collect();
        guards.extend(call::guards(body, place.names.clone(), &mut |local| {
            let value = execution.any_value(local);
            free.push((local, value.clone()));
            value
        }));
        let locals = &execution.joint.locals;
        let named = |(local, value): &(LocalId, Expr)| match value.kind {
            ExprKind::Var(v) => Some((v, locals[local.index()].name.clone())),
            _ => None,
        };
        let names = free.iter().filter_map(named).collect();
        self.calls.push(Call { event: EventId(at as u32), guards, names });
        let ends = execution.run(body, place);
        let (sequents, bound) = (execution.sequents, execution.bound);
        self.leave_bound(&format!("operation {}", event.name), bound);
        let by = match (&refined.operations[at], &part) {
            (Some(followed), Some(_)) => {
                let Some(level) = followed.by[0].map(|by| &refined.levels[0].operations[by]) else {
                    let machine = &self.model.text.components[part_component(refined)].name;
                    return Err(NoObligations(format!("{machine} has no operation of this name")));
                };
                if level.results.len() != event.results.len() {
                    return Err(NoObligations("its abstraction has other results".into()));
                }
                Some(level)
            }
            _ => None,
        };
        let mut bound = vec![];
        if let Some(level) = by {
            bound.extend(level.parameters.iter().copied().zip(parameters));
            for result in &level.results {
                // A result that is not assigned has any value.
                let Variable { name, ty, span } = self.joint.locals[result.index()].clone();
                let v = VarId(self.joint.variables.len() as u32);
                let machine = &self.joint.text.components[part_component(refined)].name;
                let name = format!("{machine}.{}.{name}", event.name);
                self.joint.variables.push(Variable { name, ty: ty.clone(), span });
                bound.push((*result, ExprKind::Var(v).typed(ty, span)));
            }
        }
        let results: Vec<(LocalId, LocalId)> = match by {
            Some(level) => event.results.iter().copied().zip(level.results.iter().copied()).collect(),
            None => vec![],
        };
        let body = by.map(|level| &level.body);
        let with = With { bound: &bound, results: &results };
        let name = event.name.clone();
        self.followed_with(&name, ends, body, with, sequents, true)
    }

    fn followed(
        &mut self,
        who: &str,
        ends: Result<Vec<Place>, NoObligations>,
        level: Option<&Subst>,
        bound: &[(LocalId, Expr)],
        sequents: Vec<Sequent>,
        has_before: bool,
    ) -> Result<Vec<Sequent>, NoObligations> {
        self.followed_with(who, ends, level, With { bound, results: &[] }, sequents, has_before)
    }

    /// Adds the goals at the ends of the paths to their sequents.
    fn followed_with(
        &mut self,
        who: &str,
        ends: Result<Vec<Place>, NoObligations>,
        level: Option<&Subst>,
        with: With<'_>,
        mut sequents: Vec<Sequent>,
        has_before: bool,
    ) -> Result<Vec<Sequent>, NoObligations> {
        for end in ends? {
            for owed in self.owed.iter().filter(|owed| owed.own) {
                let goal = end.names.in_pred(&owed.pred);
                sequents.push(sequent(who, owed, &end.hypotheses, goal, has_before));
            }
            let mut names = end.names.clone();
            names.locals.extend(with.bound.iter().cloned());
            let owed = &self.owed;
            let variables = &self.joint.locals.clone();
            let at_end = |after: &Replacement| {
                let mut parts: Vec<Part> = owed
                    .iter()
                    .filter(|owed| !owed.own)
                    .map(|owed| Part {
                        label: format!("{}/REF", owed.label),
                        text: owed.text.clone(),
                        pred: after.in_pred(&owed.pred),
                    })
                    .collect();
                for (own, theirs) in with.results {
                    let Variable { name, ty, span } = &variables[own.index()];
                    let value = |l: &LocalId| ExprKind::Local(*l).typed(ty.clone(), *span);
                    let equal = Pred::compare(
                        CompareOp::Equal,
                        after.in_expr(&value(own)),
                        after.in_expr(&value(theirs)),
                        *span,
                    );
                    let text = format!("the result {name} is one of the abstraction");
                    parts.push(Part { label: format!("{name}/RES"), text, pred: equal });
                }
                parts
            };
            let nothing = SubstKind::Skip.at(Default::default());
            let goals = following::goals(&mut self.joint, level.unwrap_or(&nothing), names, &at_end)?;
            for goal in goals {
                let following::Goal { label, text, hypotheses: more, pred } = goal;
                let label = match label.as_str() {
                    "choice" => "FOLLOW".into(),
                    joined if joined.contains('+') => {
                        let labels = joined.split('+').map(|l| l.split('/').next().unwrap_or(l));
                        format!("{}/REF", labels.collect::<Vec<_>>().join("+"))
                    }
                    _ => label,
                };
                let hypotheses: Vec<Pred> = end.hypotheses.iter().cloned().chain(more).collect();
                let known = has_before
                    && (is_plain(&pred) || self.owed.iter().any(|owed| same_pred(&owed.pred, &pred)));
                sequents.push(Sequent {
                    kind: Kind::Refinement,
                    name: format!("{who}/{label}"),
                    text,
                    hypotheses,
                    goal: pred,
                    says: if known { Says::Trivial } else { Says::Holds },
                });
            }
        }
        Ok(sequents)
    }

    fn assertions(&mut self) {
        let mut sequents = vec![];
        let mut hypotheses = vec![];
        for (i, c) in self.refined.own.assertions.iter().enumerate() {
            let owed = &self.refined.own;
            let of_abstraction = match owed.owed.contains(&i) {
                // An implementation owes them with its values.
                true => owed.implementation.is_some(),
                false => self.model.text.components[c.origin.index()].relation == Relation::Refines,
            };
            let label = key(self.model, "ass", i, c);
            if !of_abstraction {
                let sequent = |kind, name, says| Sequent {
                    kind,
                    name,
                    text: c.text.clone(),
                    hypotheses: hypotheses.clone(),
                    goal: c.pred.clone(),
                    says,
                };
                sequents.push(sequent(Kind::Wd, format!("{label}/WD"), Says::Defined));
                sequents.push(sequent(Kind::Assertion, format!("{label}/ASSERTION"), Says::Holds));
            }
            // Assertions of abstractions are proved there; each may use those before it.
            hypotheses.push(c.pred.clone());
        }
        self.groups.push(Group { event: None, of_step: false, invariant: true, sequents });
    }

    /// The obligations with terms; `values` is about the constants alone.
    fn encoded(mut self, terms: &Rc<Terms>, scope: &Scope, values: Option<(Model, Group)>) -> Generated {
        let span = self.joint.initialisation.span;
        // If all variables stay as they are, the invariant's statements about their values are kept.
        let keep = |(i, v): (usize, &Variable)| {
            let id = VarId(i as u32);
            (Target::Var(id), ExprKind::Var(id).typed(v.ty.clone(), span))
        };
        let kept: Vec<(Target, Expr)> = self.joint.variables.iter().enumerate().map(keep).collect();
        self.joint.initialisation =
            if kept.is_empty() { SubstKind::Skip.at(span) } else { SubstKind::Assign(kept).at(span) };
        self.joint.events = vec![];
        let models =
            [Some((self.joint, self.groups)), values.map(|(constants, group)| (constants, vec![group]))];
        let mut made = Generated {
            all: vec![],
            families: vec![],
            systems: vec![],
            asked: vec![],
            calls: self.calls,
            left_out: self.left_out,
        };
        for (model, groups) in models.into_iter().flatten() {
            encode(terms, scope, model, &groups, &mut made);
        }
        made
    }
}

/// Adds the obligations of groups with their terms in an encoding of a model.
fn encode(terms: &Rc<Terms>, scope: &Scope, model: Model, groups: &[Group], made: &mut Generated) {
    let mut system = encode_with(terms.clone(), Arc::new(model), scope, Representations::Stated);
    let mut encoded: Vec<Vec<Result<(Term, Term), String>>> = vec![];
    for group in groups {
        let mut before = vec![];
        encoded.push(group.sequents.iter().map(|s| terms_of(&mut system, s, &mut before)).collect());
    }
    // Definitions that the goals have added are known by now.
    let always: Vec<Term> = system.about_constants().chain(system.facts.state.iter().copied()).collect();
    let invariant = invariant(&system);
    for (group, encoded) in groups.iter().zip(encoded) {
        let mut said = always.clone();
        if group.invariant {
            said.extend(&invariant);
        }
        let mut found: Family = family(said);
        for (sequent, terms) in group.sequents.iter().zip(encoded) {
            note(group, sequent, terms, system.terms.as_ref(), made, &mut found);
        }
        made.families.push(found);
    }
    made.systems.push(system);
}

/// Substitutions for names of the abstract operation.
#[derive(Clone, Copy)]
struct With<'a> {
    bound: &'a [(LocalId, Expr)],
    /// The results of the operation with those of the abstract one.
    results: &'a [(LocalId, LocalId)],
}

fn part_component(refined: &Refined) -> usize {
    refined.levels[0].component.index()
}

/// Returns the goals to establish: the conjuncts of the refinement and of the components that it includes, and those
/// that relate it to the nearest abstraction.
/// The abstraction's conjuncts about variables that are kept follow from these.
fn owed(model: &Model, gluing: &[Conjunct]) -> Vec<Owed> {
    let is_abstract = |c: &&Conjunct| model.text.components[c.origin.index()].relation == Relation::Refines;
    let mut all: Vec<(&Conjunct, bool)> =
        model.invariant.iter().filter(|c| !is_abstract(c)).map(|c| (c, true)).collect();
    // Gluing conjuncts about both sides are conjuncts as well; the others say that a variable is kept.
    let speaks =
        |c: &&Conjunct| model.refinement.gluing.iter().any(|g| (g.span, &g.text) == (c.span, &c.text));
    all.extend(gluing.iter().filter(speaks).map(|c| (c, false)));
    all.sort_by_key(|(c, _)| (c.origin.0, c.span.source.0, c.span.start));
    let mut found: Vec<Owed> = vec![];
    let mut count = 0;
    let mut origin = None;
    for (c, own) in all {
        count = if origin == Some(c.origin) { count + 1 } else { 0 };
        origin = Some(c.origin);
        let label = key(model, "inv", count, c);
        let of_main = c.origin == ComponentId(0);
        found.push(Owed { label, text: c.text.clone(), pred: c.pred.clone(), own, of_main });
    }
    for c in gluing.iter().filter(|c| !speaks(c)) {
        let label = c.text.split(' ').next().unwrap_or(&c.text).to_string();
        found.push(Owed { label, text: c.text.clone(), pred: c.pred.clone(), own: false, of_main: true });
    }
    found
}

fn sequent(who: &str, owed: &Owed, hypotheses: &[Pred], goal: Pred, has_before: bool) -> Sequent {
    Sequent {
        kind: Kind::Refinement,
        name: format!("{who}/{}/REF", owed.label),
        text: owed.text.clone(),
        hypotheses: hypotheses.to_vec(),
        says: if has_before && same_pred(&owed.pred, &goal) { Says::Trivial } else { Says::Holds },
        goal,
    }
}

/// Returns whether a predicate is `x = x` of a name.
fn is_plain(p: &Pred) -> bool {
    match &p.kind {
        PredKind::Compare(CompareOp::Equal, l, r) => matches!(l.kind, ExprKind::Var(_)) && l.kind == r.kind,
        _ => false,
    }
}

/// Hypotheses and goal as terms; a hypothesis without a term is left out.
fn terms_of(
    system: &mut System,
    s: &Sequent,
    before: &mut Vec<(Pred, Term)>,
) -> Result<(Term, Term), String> {
    if s.says == Says::Trivial {
        return Ok((Terms::TRUE, Terms::TRUE));
    }
    let goal = system.predicate(&s.goal).map_err(|u| u.reason)?;
    let goal = match s.says {
        Says::Defined => goal.defined,
        _ => system.terms.and([goal.defined, goal.holds]),
    };
    if goal == Terms::TRUE {
        return Ok((Terms::TRUE, goal));
    }
    // Sequents of one path begin with the same hypotheses.
    let same = s.hypotheses.iter().zip(&*before).take_while(|(p, (known, _))| *p == known).count();
    before.truncate(same);
    for p in &s.hypotheses[same..] {
        let term = system.predicate(p).map_or(Terms::TRUE, |p| system.terms.and([p.defined, p.holds]));
        before.push((p.clone(), term));
    }
    Ok((system.terms.and(before.iter().map(|b| b.1)), goal))
}

fn note(
    group: &Group,
    s: &Sequent,
    encoded: Result<(Term, Term), String>,
    terms: &Terms,
    made: &mut Generated,
    found: &mut Family,
) {
    let (systems, all) = (made.systems.len(), &mut made.all);
    let subject = match group.of_step {
        true => Subject::Action(s.text.clone()),
        false => Subject::Axiom(s.text.clone()),
    };
    let question = Question { kind: s.kind, name: s.name.clone(), event: group.event, subject };
    match encoded {
        _ if s.says == Says::Trivial => all.push(unasked(question, Status::Trivial, None)),
        Err(reason) => {
            let reason = format!("the goal has no encoding: {reason}");
            all.push(unasked(question, Status::Unknown, Some(reason)));
        }
        // A formula that is well-defined by its form is no obligation.
        Ok((_, Terms::TRUE)) if matches!(s.says, Says::Defined | Says::Fits) => {}
        Ok((known, goal)) => {
            let obligation = all.len();
            all.push(unasked(question, Status::Unattempted, None));
            made.asked.push((obligation, systems, Asked { sequent: s.clone(), invariant: group.invariant }));
            let goal = terms.implies(known, goal);
            found.entries.push(Entry::Ask { obligation, goal, lemma: true });
        }
    }
}
