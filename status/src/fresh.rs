//! Freshness: whether a proof is still about the present text of the machine.
//!
//! An obligation (event, conjunct) depends on the declarations, the axioms, the event and the
//! target, and, except for the initialisation, on the conjuncts that were its hypotheses. What the
//! file records of these is compared with the machine, in this order:
//! 1. the entry says itself that it is stale;
//! 2. the declarations are the same;
//! 3. every recorded axiom is still there (more axioms prove more). This is looked at even if the
//!    files are the same, for a flag may have added an axiom when the status was made;
//! 4. every recorded conjunct is still there, for an event;
//! 5. the event is the same;
//! 6. the target is the same, by its hash or by its text in canonical printing;
//! 7. where something is not recorded, the whole machine has to be the same: by the SHA-256 of all
//!    its files, or by `model_hash`.
//!
//! So a change elsewhere, in a comment or in another operation, invalidates nothing, and a file with few records is
//! used only for exactly the files it was made from.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::int::Int;
use bsym_language::model::{CarrierKind, Model};

use super::digest;
use super::file::{Component, NamedPredicate, Obligation, PoFile, PoScope, Role, SourceKind};
use super::matching::{Agreement, Texts};

/// Data for the comparison, computed once for a file and a model.
pub(super) struct Freshness {
    /// The reason why nothing in the file can be used.
    nothing: Option<String>,
    /// The reason why nothing about an event can be used.
    no_event: Option<String>,
    events: BTreeMap<String, Option<String>>,
    recorded_all: bool,
    recorded_conjuncts: bool,
    pub(super) same_files: bool,
    same_model: bool,
}

impl Freshness {
    pub(super) fn of(file: &PoFile, model: &Model, scope: Option<&PoScope>, texts: &mut Texts) -> Self {
        let component = file.components.iter().find(|c| c.name == model.name);
        let same_files = same_files(file, model);
        let mut fresh = Freshness {
            nothing: None,
            no_event: None,
            events: BTreeMap::new(),
            recorded_all: false,
            recorded_conjuncts: false,
            same_files,
            same_model: component.is_some_and(|c| c.model_hash == digest::model(model)),
        };
        if let Some(scope) = scope {
            let recorded = file.model.as_ref().and_then(|m| m.scope.as_ref());
            fresh.nothing = other_scope(recorded, model, scope);
        }
        if let Some(c) = component {
            fresh.compare(c, model, texts);
        }
        fresh
    }

    fn compare(&mut self, c: &Component, model: &Model, texts: &mut Texts) {
        if c.declarations_hash.as_ref().is_some_and(|h| *h != digest::declarations(model)) {
            let reason = "the sets, constants or variables of the machine have changed";
            self.nothing.get_or_insert(reason.into());
        }
        let known: BTreeSet<String> =
            model.axioms.iter().map(|a| digest::predicate(model, &a.pred)).collect();
        let mut unknown = false;
        let mut is_gone = |p: &NamedPredicate, known: &BTreeSet<String>| match texts.among(p, known) {
            Agreement::No => true,
            Agreement::Yes => false,
            Agreement::Unknown => {
                unknown = true;
                false
            }
        };
        if let Some(gone) = c.axioms.iter().flatten().find(|a| is_gone(a, &known)) {
            self.nothing
                .get_or_insert(format!("the property `{}` that it was proven with is gone", gone.text));
        }
        let known: BTreeSet<String> =
            model.invariant.iter().map(|p| digest::predicate(model, &p.pred)).collect();
        let hypotheses = c.invariants.iter().filter(|p| !p.theorem);
        if let Some(gone) = hypotheses.clone().find(|p| is_gone(p, &known)) {
            self.no_event = Some(format!("the conjunct `{}` that it was proven with is gone", gone.text));
        }
        self.recorded_conjuncts = hypotheses.count() > 0;
        self.recorded_all = c.declarations_hash.is_some() && c.axioms.is_some() && !unknown;
        self.events = c.events.iter().map(|e| (e.name.clone(), e.hash.clone())).collect();
    }

    /// Returns why an obligation that was matched to `event` and to conjunct `index` must not be used.
    pub(super) fn stale(
        &self,
        o: &Obligation,
        model: &Model,
        event: Option<usize>,
        index: usize,
        texts: &mut Texts,
    ) -> Option<String> {
        let conjunct = &model.invariant[index];
        let agreement = o.target.as_ref().map_or(Agreement::Unknown, |t| texts.agree(t, model, conjunct));
        self.reason(o, Some((model, event)), agreement)
    }

    /// Returns why an obligation about a part of `event` must not be used.
    pub(super) fn stale_event(&self, o: &Obligation, model: &Model, event: Option<usize>) -> Option<String> {
        // The part is in the event.
        self.reason(o, Some((model, event)), Agreement::Yes)
    }

    /// Returns why an obligation about a predicate of states must not be used.
    pub(super) fn stale_state(&self, o: &Obligation, agreement: Agreement) -> Option<String> {
        self.reason(o, None, agreement)
    }

    fn reason(
        &self,
        o: &Obligation,
        step: Option<(&Model, Option<usize>)>,
        agreement: Agreement,
    ) -> Option<String> {
        if o.stale {
            return Some(o.stale_reason.clone().unwrap_or_else(|| "its source says that it is stale".into()));
        }
        if let Some(reason) = &self.nothing {
            return Some(reason.clone());
        }
        let initial = matches!(step, Some((_, None)));
        if let (Some(reason), false) = (&self.no_event, initial) {
            return Some(reason.clone());
        }
        let mut recorded = true;
        if let Some((model, event)) = step {
            let name = event.map_or(digest::INITIALISATION, |e| model.events[e].name.as_str());
            let hash = self.events.get(name).and_then(Option::as_ref);
            if hash.is_some_and(|h| *h != digest::event(model, event.map(|e| &model.events[e]))) {
                return Some(format!("{name} has changed since it was proven"));
            }
            recorded = hash.is_some();
        }
        if agreement == Agreement::No {
            return Some("what it is about has changed since it was proven".into());
        }
        let all = self.recorded_all
            && (self.recorded_conjuncts || initial)
            && recorded
            && agreement == Agreement::Yes;
        if all || self.same_files || self.same_model {
            return None;
        }
        Some(
            "the machine's file has changed since, and the status does not record enough to tell that this \
              does not matter"
                .into(),
        )
    }
}

/// Returns whether every file that the model was read from is recorded with its present content.
pub(super) fn same_files(file: &PoFile, model: &Model) -> bool {
    let recorded: BTreeSet<String> = file
        .sources
        .iter()
        .filter(|s| s.role.is_none_or(|r| r == Role::Model) && s.kind != SourceKind::Bsym)
        .map(|s| s.sha256.to_lowercase())
        .collect();
    let formula = |p: &std::path::Path| p.as_os_str() == "<formula>";
    let mut files = model.text.sources.iter().filter(|(_, s)| !formula(&s.path)).peekable();
    files.peek().is_some() && files.all(|(_, s)| recorded.contains(&digest::source(s)))
}

/// Returns why proofs for one scope do not apply to another.
fn other_scope(recorded: Option<&PoScope>, model: &Model, scope: &PoScope) -> Option<String> {
    let default = PoScope {
        sizes: BTreeMap::new(),
        maxint: Int::from(2147483647).to_string(),
        minint: Int::from(-2147483648).to_string(),
    };
    let bounds = recorded.unwrap_or(&default);
    if digest::uses_bounds(model) {
        for (name, proven, now) in
            [("MAXINT", &bounds.maxint, &scope.maxint), ("MININT", &bounds.minint, &scope.minint)]
        {
            if proven != now {
                return Some(format!("it was proven for {name} = {proven}, and this run has {name} = {now}"));
            }
        }
    }
    for (name, size) in &bounds.sizes {
        let carrier = model.types.carriers.iter().find(|c| c.name == *name);
        let now = carrier.and_then(|c| match &c.kind {
            CarrierKind::Enumerated(elements) => Some(elements.len()),
            CarrierKind::Deferred => scope.sizes.get(name).copied(),
        });
        if now != Some(*size) {
            let now = now.map_or("any size".into(), |n| format!("{n} elements"));
            return Some(format!("it was proven for {size} elements in {name}, and this run has {now}"));
        }
    }
    None
}
