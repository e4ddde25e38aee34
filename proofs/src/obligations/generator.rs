//! Generation of the obligations of an encoded machine.

use std::collections::BTreeMap;
use std::rc::Rc;

use bsym_encodings::system::{FailureKind, StatePredicate, System};
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::{Conjunct, EventId, Notation};
use bsym_language::source::Span;
use bsym_status::file::{Kind, Status};
use bsym_status::frame::frame_agrees;

use super::extra::{Extra, is_of_start, order};
use super::family::{Entry, Family, family};
use super::names::{ABSTRACTION, Part, event_name, key, part};
use super::obligation::{Proof, Question, Subject, unasked};
use super::owed::is_split;
use crate::recorded::invariant;
use crate::states::States;

/// Generates the obligations of a system, before any is attempted.
pub(super) struct Generator<'a> {
    terms: Rc<Terms>,
    system: &'a System,
    states: States<'a>,
    pub all: Vec<Proof>,
    pub families: Vec<Family>,
}

impl<'a> Generator<'a> {
    /// Makes a generator. `all` are the obligations that exist already.
    pub fn new(system: &'a System, all: Vec<Proof>) -> Self {
        let (terms, states) = (system.terms.clone(), States::new(system));
        Generator { terms, system, states, all, families: vec![] }
    }

    /// Generates the obligations of conjuncts, steps and assertions.
    pub fn machine(&mut self) {
        let event_b = self.system.model.text.notation == Notation::EventB;
        if event_b {
            self.states_in_order();
        } else {
            self.well_definedness();
        }
        self.establishment();
        for event in 0..self.system.events.len() {
            self.preservation(event);
        }
        if !event_b {
            self.assertions();
        }
    }

    /// Adds obligations that hold trivially.
    pub fn trivial(&mut self, questions: Vec<Question>) {
        questions.into_iter().for_each(|q| self.note(q, Status::Trivial, None));
    }

    /// Adds obligations about predicates of states or of the states after steps.
    pub fn extra(&mut self, extra: Vec<Extra>) {
        for e in extra {
            let of_start = is_of_start(e.event, e.kind);
            let question = Question { kind: e.kind, name: e.name, event: e.event, subject: e.subject };
            let Ok(goal) = e.goal else {
                self.without_term(question, "the goal");
                continue;
            };
            let mut said = self.always(usize::from(e.after));
            if !of_start {
                said.extend(invariant(self.system));
            }
            let mut goal = self.meant(&goal);
            if let (true, Some(event)) = (e.after, e.event) {
                let Some(relation) = self.system.events[event.index()].relation else {
                    self.without_term(question, "the event");
                    continue;
                };
                said.push(self.states.step(relation, 0));
                goal = self.states.at(goal, 1);
            }
            let mut alone = family(said);
            self.ask(question, &mut alone, goal, false);
            if let Some(proof) = self.all.last_mut() {
                proof.says = e.says;
            }
            self.families.push(alone);
        }
    }

    fn always(&mut self, last: usize) -> Vec<Term> {
        let mut all: Vec<Term> = self.system.about_constants().collect();
        for i in 0..=last {
            all.extend(self.states.facts(i));
        }
        all
    }

    fn meant(&self, p: &StatePredicate) -> Term {
        self.terms.and([p.defined, p.holds])
    }

    /// Returns whether the meaning of a conjunct is an obligation: in Event-B by its form, as Rodin has it.
    fn needs_meaning(&self, conjunct: &Conjunct, defined: Term) -> bool {
        let event_b = self.system.model.text.notation == Notation::EventB;
        defined != Terms::TRUE || event_b && bsym_status::may_lack_meaning(&conjunct.pred)
    }

    fn well_definedness(&mut self) {
        let mut found = family(self.always(0));
        for i in 0..self.system.invariant.len() {
            self.meaning(i, &mut found);
        }
        self.families.push(found);
    }

    /// Asks whether conjuncts and theorems of Event-B have a meaning, and whether the theorems follow: each from those
    /// before it.
    fn states_in_order(&mut self) {
        let model = self.system.model.clone();
        let conjuncts = (0..model.invariant.len()).map(|i| (order(&model.invariant[i]), false, i));
        let theorems = (0..model.assertions.len()).map(|i| (order(&model.assertions[i]), true, i));
        let mut all: Vec<_> = conjuncts.chain(theorems).collect();
        all.sort();
        let mut found = family(self.always(0));
        for (_, is_theorem, i) in all {
            if is_theorem { self.assertion(i, &mut found) } else { self.meaning(i, &mut found) }
        }
        self.families.push(found);
    }

    /// Asks whether a conjunct has a meaning.
    fn meaning(&mut self, i: usize, found: &mut Family) {
        let model = self.system.model.clone();
        let p = &self.system.invariant[i];
        let question = Question {
            kind: Kind::Wd,
            name: format!("{}/WD", key(&model, "inv", i, &model.invariant[i])),
            event: None,
            subject: Subject::Invariant(i),
        };
        if !self.system.is_supported(i) {
            self.without_term(question, "the conjunct");
        } else if self.needs_meaning(&model.invariant[i], p.defined) {
            self.ask(question, found, p.defined, false);
        }
        found.entries.push(Entry::Known(self.meant(p)));
    }

    fn establishment(&mut self) {
        let init = &self.system.initialisation;
        let always = self.always(0);
        let failures: Vec<_> =
            init.failures.iter().map(|f| (f.kind, f.span, self.states.initial(f.condition))).collect();
        self.failures(None, failures, &always);
        let relation = init.relation.map(|r| self.states.initial(r));
        self.after_step(None, relation, always, 0);
    }

    fn preservation(&mut self, event: usize) {
        let transition = &self.system.events[event];
        let mut hypotheses = self.always(0);
        hypotheses.extend(invariant(self.system));
        let failures: Vec<_> =
            transition.failures.iter().map(|f| (f.kind, f.span, self.states.step(f.condition, 0))).collect();
        self.failures(Some(event), failures, &hypotheses);
        let relation = transition.relation.map(|r| self.states.step(r, 0));
        let mut hypotheses = self.always(1);
        hypotheses.extend(invariant(self.system));
        self.after_step(Some(event), relation, hypotheses, 1);
    }

    /// Adds the obligations of all conjuncts in the state after a step.
    fn after_step(
        &mut self,
        event: Option<usize>,
        relation: Option<Term>,
        mut said: Vec<Term>,
        after: usize,
    ) {
        let model = self.system.model.clone();
        let id = event.map(|e| EventId(e as u32));
        said.extend(relation);
        let mut found = family(said);
        for (i, p) in self.system.invariant.iter().enumerate() {
            let question = Question {
                kind: if event.is_some() { Kind::Inv } else { Kind::InvEst },
                name: format!(
                    "{}/{}/INV",
                    event_name(&model, id),
                    key(&model, "inv", i, &model.invariant[i])
                ),
                event: id,
                subject: Subject::Invariant(i),
            };
            let meant = self.meant(p);
            let goal = self.states.at(meant, after);
            if event.is_some() && frame_agrees(&model, event, &model.invariant[i].pred).is_ok() {
                self.note(question, Status::Trivial, None);
                found.entries.push(Entry::Known(goal));
            } else if relation.is_none() {
                self.without_term(question, "the operation");
            } else if !self.system.is_supported(i) {
                self.without_term(question, "the conjunct");
            } else {
                self.ask(question, &mut found, goal, true);
            }
        }
        self.families.push(found);
    }

    /// Adds the obligations that an event does not fail. Failures of one formula are one obligation.
    fn failures(&mut self, event: Option<usize>, failures: Vec<(FailureKind, Span, Term)>, said: &[Term]) {
        let model = self.system.model.clone();
        let id = event.map(|e| EventId(e as u32));
        let mut parts: Vec<(Part, Vec<(usize, Term)>)> = vec![];
        let mut known: BTreeMap<(Kind, String), usize> = BTreeMap::new();
        let mut add = |part: Part, condition: Option<(usize, Term)>| {
            let at = *known.entry((part.kind, part.name.clone())).or_insert(parts.len());
            if at == parts.len() {
                parts.push((part, vec![]));
            }
            parts[at].1.extend(condition);
        };
        if model.text.notation == Notation::EventB {
            // Its form makes it an obligation, whether or not the terms show that it always holds.
            for (_, span) in bsym_status::places_of_meaning(&model).into_iter().filter(|p| p.0 == id) {
                let part = part(&model, id, FailureKind::IllDefined, span, 0);
                if !part.name.starts_with("0/") {
                    add(part, None);
                }
            }
            for (_, check) in bsym_status::places_of_refinement(&model).into_iter().filter(|p| p.0 == id) {
                let kind = FailureKind::Refinement(check);
                let check = &model.refinement.checks[check.index()];
                let part = part(&model, id, kind, check.span, 0);
                let is_rodins = check.origin == ABSTRACTION && part.kind != Kind::Mrg;
                if is_rodins && !is_split(&model, event_name(&model, id), check) {
                    add(part, None);
                }
            }
        }
        for (i, (kind, span, condition)) in failures.into_iter().enumerate() {
            if let FailureKind::Refinement(check) = kind
                && is_split(&model, event_name(&model, id), &model.refinement.checks[check.index()])
            {
                continue;
            }
            add(part(&model, id, kind, span, i + 1), Some((i, condition)));
        }
        let mut found = family(said.to_vec());
        let who = event_name(&model, id).to_string();
        let has_term =
            id.map_or(self.system.initialisation.relation, |e| self.system.events[e.index()].relation);
        for (part, conditions) in parts {
            let question = Question {
                kind: part.kind,
                name: format!("{who}/{}", part.name),
                event: id,
                subject: Subject::Action(part.text),
            };
            if conditions.is_empty() && has_term.is_none() {
                self.without_term(question, "the operation");
                continue;
            }
            let goal = self.terms.not(self.terms.or(conditions.iter().map(|c| c.1)));
            self.ask(question, &mut found, goal, false);
            if let Some(proof) = self.all.last_mut() {
                proof.failures = conditions.into_iter().map(|c| c.0).collect();
            }
        }
        self.families.push(found);
    }

    fn assertions(&mut self) {
        let mut said = self.always(0);
        said.extend(invariant(self.system));
        let mut found = family(said);
        for i in 0..self.system.assertions.len() {
            self.assertion(i, &mut found);
        }
        self.families.push(found);
    }

    /// Asks whether an assertion or theorem has a meaning and follows.
    fn assertion(&mut self, i: usize, found: &mut Family) {
        let model = self.system.model.clone();
        let event_b = model.text.notation == Notation::EventB;
        let (kind, short) = if event_b { (Kind::Thm, "THM") } else { (Kind::Assertion, "ASSERTION") };
        let key = key(&model, "ass", i, &model.assertions[i]);
        let question = |kind, short: &str| Question {
            kind,
            name: format!("{key}/{short}"),
            event: None,
            subject: Subject::Assertion(i),
        };
        if self.system.left_out.assertions.contains(&i) {
            self.without_term(question(kind, short), "the assertion");
            return;
        }
        let p = &self.system.assertions[i];
        if event_b && self.needs_meaning(&model.assertions[i], p.defined) {
            self.ask(question(Kind::Wd, "WD"), found, p.defined, true);
        }
        let goal = self.meant(p);
        self.ask(question(kind, short), found, goal, false);
        // A theorem may use those before it, whether or not they are proved.
        found.entries.push(Entry::Known(goal));
    }

    fn ask(&mut self, question: Question, family: &mut Family, goal: Term, lemma: bool) {
        let obligation = self.all.len();
        self.note(question, Status::Unattempted, None);
        family.entries.push(Entry::Ask { obligation, goal, lemma });
    }

    fn without_term(&mut self, question: Question, what: &str) {
        self.note(question, Status::Unknown, Some(format!("{what} has no encoding")));
    }

    fn note(&mut self, q: Question, status: Status, reason: Option<String>) {
        self.all.push(unasked(q, status, reason));
    }
}
