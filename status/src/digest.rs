//! Hashes of predicates, events and machines.
//!
//! A hash is the SHA-256 of bsym's canonical printing (ASCII operators, few parentheses, one blank, no comments, no
//! labels), in lower-case hexadecimal. So layout, comments, notation and a moved conjunct make no difference.

use std::path::Path;

use bsym_language::archive::Archive;
use bsym_language::model::*;
use bsym_language::observed;
use bsym_language::print;
use bsym_language::source::Source;
use bsym_language::walk::{Bounds, walk_model};
use sha2::{Digest, Sha256};

/// Name of the initialisation among the events.
pub const INITIALISATION: &str = "INITIALISATION";

/// Returns the SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// Returns the hash of a file as it is now on disk; of the text that was read if the file is gone.
pub fn source(source: &Source) -> String {
    file(&source.path).unwrap_or_else(|| sha256(source.text.as_bytes()))
}

/// Returns the hash of a file's bytes, if it can be read; also of one in an archive, `project.zip!/folder/file`.
pub fn file(path: &Path) -> Option<String> {
    let read = std::fs::read(path);
    observed::read(path, read.as_deref().ok());
    let bytes = match (read, path.to_str().and_then(|p| p.split_once("!/"))) {
        (Ok(bytes), _) => Some(bytes),
        (Err(_), Some((archive, name))) => Archive::open(Path::new(archive)).ok()?.read(name).ok(),
        (Err(_), None) => None,
    };
    bytes.map(|bytes| sha256(&bytes))
}

/// Returns the hash of a predicate.
pub fn predicate(model: &Model, p: &Pred) -> String {
    sha256(print::pred(model, p).as_bytes())
}

/// Returns the hash of an event; `None` is the initialisation.
pub fn event(model: &Model, event: Option<&Event>) -> String {
    sha256(event_text(model, event).as_bytes())
}

fn event_text(model: &Model, event: Option<&Event>) -> String {
    match event {
        None => print::subst(model, &model.initialisation),
        Some(e) => print::event(model, e),
    }
}

/// Returns the hash of sets, constants and variables with their types, and of the bounds that the machine sets.
pub fn declarations(model: &Model) -> String {
    let mut lines = vec![];
    for c in &model.types.carriers {
        lines.push(match &c.kind {
            CarrierKind::Enumerated(elements) => format!("set {} = {{{}}}", c.name, elements.join(", ")),
            CarrierKind::Deferred => format!("set {}", c.name),
        });
    }
    for (word, list) in [("constant", &model.constants), ("variable", &model.variables)] {
        lines.extend(list.iter().map(|v| format!("{word} {}: {}", v.name, print::type_text(model, &v.ty))));
    }
    for (word, bound) in
        [("MAXINT", &model.definitions.hints.maxint), ("MININT", &model.definitions.hints.minint)]
    {
        lines.extend(bound.iter().map(|b| format!("{word} = {b}")));
    }
    // The order of declarations means nothing.
    lines.sort();
    sha256(lines.join("\n").as_bytes())
}

/// Returns the hash of everything that determines the machine's obligations.
pub fn model(model: &Model) -> String {
    model_with(model, texts(model, &model.axioms))
}

/// Returns the hash of the model with other axioms, in canonical printing.
pub(super) fn model_with(model: &Model, axioms: Vec<String>) -> String {
    let mut lines = vec![declarations(model)];
    let (invariant, assertions) = (texts(model, &model.invariant), texts(model, &model.assertions));
    for (word, list) in [("axiom", axioms), ("invariant", invariant), ("assertion", assertions)] {
        let mut texts: Vec<String> = list.iter().map(|text| format!("{word} {text}")).collect();
        texts.sort();
        lines.extend(texts);
    }
    let mut events: Vec<String> = model.events.iter().map(|e| event_text(model, Some(e))).collect();
    events.sort();
    lines.push(event_text(model, None));
    lines.extend(events);
    sha256(lines.join("\n").as_bytes())
}

fn texts(model: &Model, conjuncts: &[Conjunct]) -> Vec<String> {
    conjuncts.iter().map(|c| print::pred(model, &c.pred)).collect()
}

/// Returns whether the model depends on `MAXINT` or `MININT`, also through `INT` and `NAT`.
pub fn uses_bounds(model: &Model) -> bool {
    let mut bounds = Bounds::default();
    walk_model(&mut bounds, model);
    bounds.found
}
