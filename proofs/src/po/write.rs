//! Our own obligations as `po.json`.

use std::path::Path;

use bsym_language::model::{Conjunct, Model, Notation};
use bsym_language::print;
use bsym_semantics::doubt::describe;
use bsym_semantics::scope::Scope;

use super::digest::{self, INITIALISATION};
use super::file::*;
use super::matching::owner;
use super::own::EXPORTER;
use crate::obligations::{Obligations, Proof, Subject};

impl Obligations {
    /// The obligations as `po.json`. Paths are made relative to `folder`, where the file will be.
    pub fn to_po(&self, model: &Model, scope: &Scope, folder: &Path) -> PoFile {
        let mut sources = vec![];
        for (i, (_, source)) in
            model.sources.iter().filter(|(_, s)| s.path.as_os_str() != "<formula>").enumerate()
        {
            sources.push(SourceFile {
                id: format!("s{}", i + 1),
                path: relative(&source.path, folder),
                kind: kind_of(&source.path),
                role: Some(Role::Model),
                sha256: digest::source(source),
                component: (i == 0).then(|| model.name.clone()),
                exporter: (i == 0).then(|| EXPORTER.into()),
                trust: Some(Trust::Tool),
            });
        }
        let mut file = PoFile {
            format: FORMAT.into(),
            version: VERSION,
            model: Some(About {
                project: None,
                main: Some(model.name.clone()),
                language: Some(match model.notation {
                    Notation::ClassicalB => Language::ClassicalB,
                    Notation::EventB => Language::EventB,
                }),
                scope: Some(po_scope(model, scope)),
            }),
            sources,
            components: vec![component(model)],
            obligations: self.all.iter().map(|p| self.obligation(p, model)).collect(),
            not_checked: not_checked(model),
            summary: None,
        };
        file.name_apart();
        file.summarize();
        file
    }

    fn obligation(&self, p: &Proof, model: &Model) -> Obligation {
        let target = match &p.subject {
            Subject::Invariant(i) => target(model, TargetRole::Invariant, &model.invariant, *i),
            Subject::Assertion(i) => target(model, TargetRole::Assertion, &model.assertions, *i),
            Subject::Action(text) => Target {
                role: Some(TargetRole::Action),
                key: None,
                label: None,
                index: None,
                owner: Some(model.name.clone()),
                text: Some(text.clone()),
                hash: None,
            },
        };
        let about_states =
            p.kind == Kind::Assertion || (p.kind == Kind::Wd && !matches!(p.subject, Subject::Action(_)));
        let event = match p.event {
            Some(e) => Some(model.events[e.index()].name.clone()),
            None if about_states => None,
            None => Some(INITIALISATION.into()),
        };
        let decided = matches!(p.status, Status::Discharged | Status::Trivial | Status::Refuted);
        Obligation {
            id: format!("{}/{}", model.name, p.name),
            component: model.name.clone(),
            kind: p.kind,
            event,
            abstract_event: None,
            target: Some(target),
            status: p.status,
            parts: None,
            prover: if decided { vec![self.prover(p.status)] } else { vec![] },
            confidence: None,
            manual: Some(false),
            context_dependent: None,
            stale: false,
            stale_reason: None,
            unmatched: None,
            source: Origin {
                obligation: Some("s1".into()),
                status: Some("s1".into()),
                name: Some(p.name.clone()),
                desc: p.reason.clone(),
                stamp: None,
                mapped_by: Some(if p.status == Status::Trivial {
                    MappedBy::Frame
                } else {
                    MappedBy::Computed
                }),
            },
            sequent: None,
            certificate: None,
        }
    }
}

/// What of a model no obligation is about.
pub(super) fn not_checked(model: &Model) -> Vec<String> {
    model.not_checked.iter().map(|d| describe(model, d)).collect()
}

/// A conjunct or an assertion of the model as the target of an obligation.
pub(super) fn target(model: &Model, role: TargetRole, list: &[Conjunct], i: usize) -> Target {
    let c = &list[i];
    let position = position(model, list, i);
    Target {
        role: Some(role),
        key: Some(c.label.clone().unwrap_or_else(|| format!("#{}", position.unwrap_or(i)))),
        label: c.label.clone(),
        index: position,
        owner: Some(owner(model, c)),
        text: Some(c.text.clone()),
        hash: Some(digest::predicate(model, &c.pred)),
    }
}

/// Position among the conjuncts of the same component, those that speak of an abstraction included.
fn position(model: &Model, list: &[Conjunct], i: usize) -> Option<usize> {
    let own = owner(model, &list[i]);
    let before = |c: &Conjunct| (c.span.source.0, c.span.start) < (list[i].span.source.0, list[i].span.start);
    let same = list[..i].iter().filter(|c| owner(model, c) == own).count();
    let is_invariant = std::ptr::eq(list, model.invariant.as_slice());
    let gluing = model.gluing.iter().filter(|c| is_invariant && before(c) && owner(model, c) == own).count();
    Some(same + gluing)
}

/// The scope with names.
pub(crate) fn po_scope(model: &Model, scope: &Scope) -> PoScope {
    PoScope {
        sizes: scope.sizes.iter().map(|(c, &n)| (model.carriers[c.index()].name.clone(), n)).collect(),
        maxint: scope.maxint.to_string(),
        minint: scope.minint.to_string(),
    }
}

/// What a model says, with the hashes that tell later whether it has changed.
pub(crate) fn component(model: &Model) -> Component {
    let named = |list: &[Conjunct]| -> Vec<NamedPredicate> {
        let entry = |(i, c): (usize, &Conjunct)| NamedPredicate {
            key: c.label.clone().unwrap_or_else(|| format!("#{i}")),
            label: c.label.clone(),
            index: Some(i),
            theorem: false,
            text: print::pred(model, &c.pred),
            hash: Some(digest::predicate(model, &c.pred)),
        };
        list.iter().enumerate().map(entry).collect()
    };
    let mut events = vec![NamedEvent {
        name: INITIALISATION.into(),
        refines: vec![],
        hash: Some(digest::event(model, None)),
    }];
    events.extend(model.events.iter().map(|e| NamedEvent {
        name: e.name.clone(),
        refines: vec![],
        hash: Some(digest::event(model, Some(e))),
    }));
    Component {
        name: model.name.clone(),
        kind: ComponentKind::Machine,
        refines: None,
        sees: vec![],
        model_hash: digest::model(model),
        declarations_hash: Some(digest::declarations(model)),
        axioms: Some(named(&model.axioms)),
        invariants: named(&model.invariant),
        events,
    }
}

/// The path as seen from a folder, with `/` between names.
pub(crate) fn relative(path: &Path, folder: &Path) -> String {
    let full = |p: &Path| std::fs::canonicalize(p).or_else(|_| std::path::absolute(p));
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (Ok(path), Ok(folder)) = (full(path), full(here)) else { return path.display().to_string() };
    let shared = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().count() - shared;
    let mut parts = vec!["..".to_string(); up];
    parts.extend(path.components().skip(shared).map(|c| c.as_os_str().to_string_lossy().into_owned()));
    parts.join("/")
}

fn kind_of(path: &Path) -> SourceKind {
    match path.extension().and_then(|e| e.to_str()).map(str::to_lowercase).as_deref() {
        Some("ref") => SourceKind::Ref,
        Some("imp") => SourceKind::Imp,
        Some("sys") => SourceKind::Sys,
        Some("def") => SourceKind::Def,
        _ => SourceKind::Mch,
    }
}
