//! Obligations that answer the checks of steps and states.
//!
//! | check | obligations |
//! |---|---|
//! | an abstract guard holds | GRD of that guard; MRG where events are merged |
//! | an abstract action allows the change | SIM of that action |
//! | a common variable is left alone | EQL |
//! | there are values for what an abstract event chooses | WFIS of the witnesses, and all GRD, MRG, SIM of the event |
//! | what a step evaluates has a meaning | WD of the guards and actions, WWD of the witnesses that it lies in |
//! | a conjunct or theorem has a meaning | its WD |
//! | a theorem follows | its THM |
//!
//! A missing obligation answers nothing, even if its tool considers it trivial.

use std::collections::BTreeSet;

use bsym_language::model::{
    Conjunct, EventFormula, EventId, FormulaRole, Notation, RefinementId, RefinementKind,
};
use bsym_language::source::Span;

use super::{Entry, OpenCheck, OpenKind, Reader, level, provers};
use crate::checks::{self, Needed, Reach};
use crate::digest::{self, INITIALISATION};
use crate::file::{Kind, Obligation, Status, Target, TargetRole};
use crate::levels::Levels;
use crate::matching::{Agreement, owner};
use crate::proven::Formula;
use crate::proven::{Check, PairStatus};

/// The obligations behind a check; the error tells why it is open.
type Answer<'a> = Result<Vec<&'a Obligation>, (OpenKind, String)>;

impl<'a> Reader<'a> {
    /// Finds an answer to every check, and reports the fate of the obligations that make no pair.
    pub(super) fn answer_checks(&mut self) {
        let mut used: BTreeSet<&str> = BTreeSet::new();
        for (check, needed) in checks::of_model(self.model) {
            match self.answer(check, &needed) {
                Ok(obligations) => {
                    let mut status = PairStatus { provers: vec![], level: crate::proven::Level::Checked };
                    for o in &obligations {
                        used.insert(&o.id);
                        status.provers.extend(provers(o));
                        status.level = status.level.min(level(o, self.file));
                    }
                    status.provers.sort();
                    status.provers.dedup();
                    self.out.status.insert_check(check, status);
                }
                Err((kind, reason)) => self.out.open_checks.push(OpenCheck { check, kind, reason }),
            }
        }
        for o in std::mem::take(&mut self.others) {
            self.account(o, used.contains(o.id.as_str()));
        }
    }

    fn answer(&mut self, check: Check, needed: &Needed) -> Answer<'a> {
        match (check, needed) {
            (Check::Step(event, _), Needed::Refinement(id)) => self.refinement(event, *id),
            (Check::Step(event, _), Needed::Meaning(reach, places)) => self.meaning(event, *reach, places),
            (Check::Theorem(i), _) => {
                let kinds = [Kind::Thm, Kind::InvThm, Kind::AxmThm, Kind::Assertion];
                let assertion = &self.model.assertions[i];
                self.of_predicate(assertion, &kinds, &[TargetRole::Invariant])
            }
            (Check::Meaning(Formula::Invariant(i)), _) => {
                let conjunct = &self.model.invariant[i];
                self.of_predicate(conjunct, &[Kind::Wd], &[TargetRole::Assertion])
            }
            (Check::Meaning(Formula::Assertion(i)), _) => {
                self.of_predicate(&self.model.assertions[i], &[Kind::Wd], &[])
            }
            _ => none("nothing is recorded about it"),
        }
    }

    fn event_name(&self, event: Option<EventId>) -> &'a str {
        event.map_or(INITIALISATION, |e| self.model.events[e.index()].name.as_str())
    }

    fn refinement(&mut self, event: Option<EventId>, id: RefinementId) -> Answer<'a> {
        let model = self.model;
        let check = &model.refinement.checks[id.index()];
        let abstraction = model.text.components.get(check.origin.index()).map_or("", |c| c.name.as_str());
        let Some(level) = self.levels.of(abstraction).and_then(|l| l.checked_sub(1)) else {
            return none(&format!("the status does not know {abstraction} as an abstraction"));
        };
        let way = self.levels.way(self.event_name(event), level);
        let refining: Vec<&'a str> = way.last().into_iter().flatten().copied().collect();
        let refining = refining.into_iter().filter(|x| {
            let abstractions = self.levels.abstractions(level, x);
            abstractions.iter().any(|a| *a == check.event)
                || (abstractions.is_empty() && check.event == "skip")
        });
        let mut all = vec![];
        for x in refining.collect::<Vec<_>>() {
            let merged = self.levels.abstractions(level, x).len() > 1;
            let label = check.label.as_deref();
            let answer = match check.kind {
                RefinementKind::Guard if merged => self.proved(level, x, &[Kind::Mrg], None, event),
                RefinementKind::Guard => self.proved(level, x, &[Kind::Grd], label, event),
                RefinementKind::Simulation => self.proved(level, x, &[Kind::Sim], label, event),
                RefinementKind::Unchanged => self.proved(level, x, &[Kind::Eql], label, event),
                RefinementKind::Operation | RefinementKind::Precondition => {
                    return none("it is about no refinement of Event-B");
                }
                RefinementKind::Witness => self.feasible(level, x, label.unwrap_or_default(), event),
            };
            all.extend(answer?);
        }
        if all.is_empty() { none("the status does not say which event refines it") } else { Ok(all) }
    }

    /// Finds the obligations for values of `names`, which the abstract event chooses.
    fn feasible(&mut self, level: usize, x: &'a str, names: &str, event: Option<EventId>) -> Answer<'a> {
        let witnesses: Vec<&str> = names
            .split(", ")
            .filter(|name| {
                self.formulas(level, x).any(|f| f.role == FormulaRole::Witness && f.label == **name)
            })
            .collect();
        let mut all = vec![];
        for name in witnesses {
            all.extend(self.proved(level, x, &[Kind::Wfis], Some(name), event)?);
        }
        // The value must satisfy the abstract guards and actions.
        match self.proved(level, x, &[Kind::Grd, Kind::Mrg, Kind::Sim], None, event) {
            Ok(more) => all.extend(more),
            Err((OpenKind::NoObligation, _)) if !all.is_empty() => {}
            Err(open) => return Err(open),
        }
        Ok(all)
    }

    /// Returns the formulas of an event of a level.
    fn formulas(&self, level: usize, x: &'a str) -> impl Iterator<Item = &'a EventFormula> + use<'a> {
        let (model, component) = (self.model, self.levels.names[level]);
        model.text.formulas.iter().filter(move |f| {
            f.event == x && model.text.components.get(f.origin.index()).is_some_and(|c| c.name == component)
        })
    }

    fn meaning(&mut self, event: Option<EventId>, reach: Reach, places: &BTreeSet<Span>) -> Answer<'a> {
        let deepest = if reach == Reach::OwnLevel { 0 } else { self.levels.names.len() - 1 };
        let way = self.levels.way(self.event_name(event), deepest);
        let mut formulas: Vec<(usize, &'a str, &'a EventFormula)> = vec![];
        for (level, events) in way.iter().enumerate() {
            for x in events {
                formulas.extend(self.formulas(level, x).map(|f| (level, *x, f)));
            }
        }
        let mut all: Vec<&'a Obligation> = vec![];
        for &place in places {
            let mut found = none("what is evaluated lies in no guard, action or witness with a label");
            for &(level, x, f) in formulas.iter().filter(|(.., f)| f.span.contains(place)) {
                let answer = self.proved_in(level, x, f, event);
                // An event that extends another has the formulas of that event, and their obligations.
                let says_more = !matches!(answer, Err((OpenKind::NoObligation, _)));
                if found.is_err() && (says_more || matches!(found, Err((OpenKind::NoObligation, _)))) {
                    found = answer;
                }
            }
            all.extend(found?);
        }
        all.sort_by_key(|o| &o.id);
        all.dedup_by_key(|o| &o.id);
        Ok(all)
    }

    fn proved_in(&mut self, level: usize, x: &str, f: &EventFormula, event: Option<EventId>) -> Answer<'a> {
        let (role, kind) = match f.role {
            FormulaRole::Guard => (TargetRole::Guard, Kind::Wd),
            FormulaRole::Action => (TargetRole::Action, Kind::Wd),
            FormulaRole::Witness => (TargetRole::Witness, Kind::Wwd),
        };
        let of_role = |t: &Target| t.role.is_none_or(|r| r == role);
        self.all_of(level, x, &[kind], Some(&f.label), &of_role, event)
    }

    fn proved(
        &mut self,
        level: usize,
        x: &str,
        kinds: &[Kind],
        label: Option<&str>,
        event: Option<EventId>,
    ) -> Answer<'a> {
        self.all_of(level, x, kinds, label, &|_| true, event)
    }

    /// Returns all obligations of these kinds about an event of a level. One that names no event may be about any.
    fn all_of(
        &mut self,
        level: usize,
        x: &str,
        kinds: &[Kind],
        label: Option<&str>,
        suits: &dyn Fn(&Target) -> bool,
        event: Option<EventId>,
    ) -> Answer<'a> {
        let (file, component) = (self.file, self.levels.names[level]);
        let about = |t: &Target| {
            suits(t)
                && label.is_none_or(|l| t.label.as_deref().or(t.key.as_deref()).is_none_or(|own| own == l))
        };
        let found: Vec<&'a Obligation> = file
            .obligations
            .iter()
            .filter(|o| o.component == component && kinds.contains(&o.kind) && o.unmatched.is_none())
            .filter(|o| o.event.as_deref().is_none_or(|e| e == x))
            .filter(|o| o.target.as_ref().map_or(names_no_target(o.kind), about))
            .collect();
        if found.is_empty() {
            return none("there is no obligation about it");
        }
        for o in &found {
            let reason = self.freshness.stale_event(o, self.model, event.map(EventId::index));
            self.usable(o, reason)?;
        }
        Ok(found)
    }

    /// Returns the obligations of these kinds about a predicate of states.
    fn of_predicate(&mut self, conjunct: &'a Conjunct, kinds: &[Kind], not: &[TargetRole]) -> Answer<'a> {
        let (model, file) = (self.model, self.file);
        let owner = owner(model, conjunct);
        let hash = digest::predicate(model, &conjunct.pred);
        let of_states = |r: TargetRole| {
            use TargetRole::{Assertion, Axiom, Invariant, Theorem};
            matches!(r, Invariant | Axiom | Theorem | Assertion)
        };
        let labelled = |t: &Target| conjunct.label.is_some() && t.label == conjunct.label;
        let unlabelled = |t: &Target| t.label.is_none() && t.hash.as_ref() == Some(&hash);
        let same_kind =
            |t: &Target| t.role.is_none_or(|r| of_states(r) && (t.label.is_some() || !not.contains(&r)));
        let about = |t: &Target| same_kind(t) && (labelled(t) || unlabelled(t));
        let found: Vec<&'a Obligation> = file
            .obligations
            .iter()
            .filter(|o| o.component == owner && kinds.contains(&o.kind) && o.event.is_none())
            .filter(|o| o.unmatched.is_none() && o.target.as_ref().is_some_and(about))
            .collect();
        if found.is_empty() {
            return none("there is no obligation about it");
        }
        for o in &found {
            let agreement =
                o.target.as_ref().map_or(Agreement::Unknown, |t| self.texts.agree(t, model, conjunct));
            let reason = self.freshness.stale_state(o, agreement);
            self.usable(o, reason)?;
        }
        Ok(found)
    }

    fn usable(&self, o: &Obligation, stale: Option<String>) -> Result<(), (OpenKind, String)> {
        let said = |reason: String| format!("`{}`: {reason}", o.id);
        if let Some(reason) = stale {
            return Err((OpenKind::Stale, said(reason)));
        }
        // No level: status that a tool calls trivial can be verified only for pairs.
        self.counts(o, usize::MAX, &[]).map_err(|(kind, reason)| (kind, said(reason)))?;
        match self.hypotheses.open(o) {
            Some(reason) => Err((OpenKind::Hypothesis, said(reason))),
            None => Ok(()),
        }
    }

    /// Puts an obligation that makes no pair into one of the lists.
    fn account(&mut self, o: &'a Obligation, used: bool) {
        let entry = |reason: String| Entry { id: o.id.clone(), kind: o.kind, pair: None, reason };
        if used {
            self.out.reviewed += usize::from(o.status == Status::Reviewed);
            self.out.used.push(entry(format!("{} by {}", o.status.word(), provers(o).join(", "))));
            return;
        }
        if let Err(reason) = self.place(o) {
            self.out.unmatched.push(entry(reason));
            return;
        }
        let stale = self.freshness.stale_state(o, Agreement::Yes);
        match self.usable(o, stale) {
            Err((OpenKind::Stale, reason)) => self.out.stale.push(entry(bare(&reason, &o.id))),
            Err((_, reason)) => self.out.ignored.push(entry(bare(&reason, &o.id))),
            Ok(()) => self.out.ignored.push(entry(not_needed(o).into())),
        }
    }

    /// Checks that the model has the parts that an obligation is about. The error names the missing part.
    fn place(&self, o: &Obligation) -> Result<(), String> {
        let Some(level) = self.levels.of(&o.component) else { return Ok(()) };
        let needs_target = matches!(
            o.kind,
            Kind::Grd
                | Kind::Sim
                | Kind::Wd
                | Kind::Wwd
                | Kind::Wfis
                | Kind::Thm
                | Kind::InvThm
                | Kind::AxmThm
        );
        if needs_target && o.target.is_none() && self.model.text.notation == Notation::EventB {
            return Err("its sources name nothing that is there".into());
        }
        let Some(event) = o.event.as_deref() else { return Ok(()) };
        self.levels.knows(level, o)?;
        let label = o.target.as_ref().and_then(|t| t.label.as_deref().map(|l| (t.role, l)));
        let Some((Some(role), label)) = label else { return Ok(()) };
        let role = match role {
            TargetRole::Guard => FormulaRole::Guard,
            TargetRole::Action => FormulaRole::Action,
            TargetRole::Witness => FormulaRole::Witness,
            _ => return Ok(()),
        };
        let (level, events) = match o.kind {
            Kind::Grd | Kind::Sim => (level + 1, self.levels.abstractions(level, event)),
            _ => (level, vec![event]),
        };
        let Some(component) = self.levels.names.get(level) else {
            return Err(format!("{} has no abstraction", o.component));
        };
        let model = self.model;
        let mut own =
            model.text.formulas.iter().filter(|f| {
                model.text.components.get(f.origin.index()).is_some_and(|c| c.name == *component)
            });
        // A model that was read without its abstractions does not know their labels.
        let known = own.clone().next().is_none()
            || own.any(|f| (f.role, f.label.as_str()) == (role, label) && events.contains(&f.event.as_str()));
        let words = format!("{role:?}").to_lowercase();
        if known { Ok(()) } else { Err(format!("{} has no {words} `{label}`", events.join(", "))) }
    }
}

impl<'a> Levels<'a> {
    /// Returns the events that an event of a level refines.
    fn abstractions(&self, level: usize, event: &str) -> Vec<&'a str> {
        if event == INITIALISATION && level + 1 < self.names.len() {
            return vec![INITIALISATION];
        }
        let component = self.component(level);
        let events = component.into_iter().flat_map(|c| &c.events).filter(|e| e.name == event);
        events.flat_map(|e| e.refines.iter().map(String::as_str)).collect()
    }
}

fn none<'a>(reason: &str) -> Answer<'a> {
    Err((OpenKind::NoObligation, reason.into()))
}

/// Returns whether obligations of a kind are about their event as a whole, or about a variable that occurs only in
/// their name.
fn names_no_target(kind: Kind) -> bool {
    matches!(kind, Kind::Mrg | Kind::Eql)
}

/// Returns the reason without the name of the obligation itself.
fn bare(reason: &str, id: &str) -> String {
    reason.strip_prefix(&format!("`{id}`: ")).unwrap_or(reason).to_string()
}

/// Returns why a proof is not used here.
fn not_needed(o: &Obligation) -> &'static str {
    let of_guard = o.target.as_ref().is_some_and(|t| t.role == Some(TargetRole::Guard));
    match o.kind {
        Kind::Fis => "it is proved, and an action without a possible value only disables the event",
        Kind::Var | Kind::Nat | Kind::Fin | Kind::Vwd => {
            "it is proved, and variants are not checked on steps"
        }
        Kind::Thm if of_guard => "it is proved, and theorems among guards are not checked on steps",
        Kind::Wd if o.target.as_ref().is_some_and(|t| t.role == Some(TargetRole::Axiom)) => {
            "it is proved, and axioms are taken to have a meaning"
        }
        Kind::Grd | Kind::Mrg | Kind::Sim | Kind::Eql | Kind::Wfis => {
            "it is proved, and no check of a step is left: the formulas are the same, or no event refines it"
        }
        Kind::Wd | Kind::Wwd => "it is proved, and no check of a step rests on it alone",
        _ => "it is proved, and nothing that is checked rests on it",
    }
}
