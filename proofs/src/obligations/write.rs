//! Obligations of bsym as `po.json`.

use std::path::Path;

use bsym_encodings::system::Unsupported;
use bsym_language::model::{Model, Notation};
use bsym_semantics::scope::Scope;
use bsym_status::component::{EXPORTER, component, not_checked, target};
use bsym_status::digest::{self, INITIALISATION};
use bsym_status::file::{self, *};
use bsym_status::path::relative;

use super::{Affected, Contradictory, Hypothesis, Obligations, Proof, Subject};
use crate::scope::named;

impl Obligations {
    /// Returns the obligations as `po.json`. Paths are made relative to `folder`, where the file will be.
    pub fn to_po(&self, model: &Model, scope: &Scope, folder: &Path) -> PoFile {
        let mut sources = vec![];
        for (i, (_, source)) in
            model.text.sources.iter().filter(|(_, s)| s.path.as_os_str() != "<formula>").enumerate()
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
                language: Some(match model.text.notation {
                    Notation::ClassicalB => Language::ClassicalB,
                    Notation::EventB => Language::EventB,
                }),
                scope: Some(named(model, scope)),
            }),
            sources,
            components: vec![component(model)],
            obligations: self.all.iter().map(|p| self.obligation(p, model)).collect(),
            not_checked: not_checked(model),
            left_out: self.left_out(model),
            contradictory: self.contradictory.iter().map(|c| written(c, model)).collect(),
            summary: None,
            cached: false,
        };
        file.name_apart();
        file.summarize();
        file
    }

    /// Returns the parts of the model without obligations of their own.
    pub fn left_out(&self, model: &Model) -> Vec<LeftOut> {
        let part = |u: &Unsupported| {
            let known = model.text.sources.iter().any(|(id, _)| id == u.span.source);
            LeftOut {
                part: u.part.clone(),
                reason: u.reason.clone(),
                file: known.then(|| model.text.sources.path(u.span).display().to_string()),
                line: known.then(|| model.text.sources.position(u.span).line),
            }
        };
        self.unsupported.iter().map(part).chain(self.left_out.iter().cloned()).collect()
    }

    fn obligation(&self, p: &Proof, model: &Model) -> Obligation {
        let target = match &p.subject {
            Subject::Invariant(i) => target(model, TargetRole::Invariant, &model.invariant, *i),
            Subject::Assertion(i) => target(model, TargetRole::Assertion, &model.assertions, *i),
            Subject::Axiom(text) => text_only(model, TargetRole::Axiom, text),
            Subject::Variant(text) => text_only(model, TargetRole::Variant, text),
            Subject::Action(text) => text_only(model, TargetRole::Action, text),
        };
        let about_states = match &p.subject {
            Subject::Action(_) => false,
            Subject::Invariant(_) => p.kind == Kind::Wd,
            Subject::Assertion(_) | Subject::Axiom(_) | Subject::Variant(_) => true,
        };
        let event = match p.event {
            Some(e) => Some(model.events[e.index()].name.clone()),
            None if about_states => None,
            None => Some(INITIALISATION.into()),
        };
        let decided = p.status.is_discharged() || p.status == Status::Refuted;
        Obligation {
            id: format!("{}/{}", model.name, p.name),
            component: model.name.clone(),
            kind: p.kind,
            event,
            abstract_event: None,
            target: Some(target),
            status: p.status,
            parts: None,
            prover: if decided { vec![self.prover(p)] } else { vec![] },
            confidence: None,
            manual: Some(false),
            context_dependent: None,
            confirmed: p.form.map(|_| p.confirmed),
            stale: false,
            stale_reason: None,
            unmatched: None,
            source: Origin {
                obligation: Some("s1".into()),
                status: Some("s1".into()),
                name: Some(p.name.clone()),
                desc: p.reason.clone(),
                stamp: None,
                mapped_by: Some(if p.status == Status::Trivial && p.kind == Kind::Inv {
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

fn written(contradictory: &Contradictory, model: &Model) -> file::Contradictory {
    let hypothesis = |Hypothesis { role, label, text, span }: &Hypothesis| {
        let known = model.text.sources.iter().any(|(id, _)| id == span.source);
        file::Hypothesis {
            role: *role,
            label: label.clone(),
            text: text.clone(),
            file: known.then(|| model.text.sources.path(*span).display().to_string()),
            line: known.then(|| model.text.sources.position(*span).line),
        }
    };
    file::Contradictory {
        event: match contradictory.of {
            Affected::Everything => None,
            Affected::Event(event) => Some(model.events[event.index()].name.clone()),
        },
        core: contradictory.core.iter().map(hypothesis).collect(),
        confirmed: contradictory.confirmed,
        obligations: contradictory.obligations.clone(),
    }
}

fn text_only(model: &Model, role: TargetRole, text: &str) -> Target {
    Target {
        role: Some(role),
        key: None,
        label: None,
        index: None,
        owner: Some(model.name.clone()),
        text: Some(text.to_string()),
        hash: None,
    }
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
