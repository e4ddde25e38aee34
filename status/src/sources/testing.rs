//! Small projects of other tools for the tests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bsym_language::load::load_text;
use bsym_language::model::{Component, ComponentId, Model, Notation, Relation};
use bsym_language::source::{Source, Sources};

use super::{Converted, convert};
use crate::file::{Obligation, Status};

/// A folder with these files.
pub fn folder(files: &[(&str, String)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// The status of a folder, or of a file in it.
pub fn read(path: &Path) -> Converted {
    convert(path, Path::new("")).unwrap_or_else(|e| panic!("{e}"))
}

/// Names and statuses of all obligations, a `!` at those that are stale, a `?` at those that fit nothing.
pub fn listed(all: &[Obligation]) -> Vec<String> {
    let mark = |o: &Obligation| match (o.stale, o.unmatched.is_some()) {
        (true, _) => "!",
        (false, true) => "?",
        (false, false) => "",
    };
    all.iter().map(|o| format!("{}{} {}", o.id, mark(o), o.status.word())).collect()
}

/// Number of obligations with a status.
pub fn count(all: &[Obligation], status: Status) -> usize {
    all.iter().filter(|o| o.status == status).count()
}

/// A model of the notation Event-B from classical text, with the component that each conjunct is from.
/// Its only file is `path`.
pub fn event_b(path: PathBuf, text: &str, origins: &[&str]) -> Model {
    let loaded = load_text("Text.mch", text);
    let mut model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let mut sources = Sources::default();
    sources.add(Source::new(path, text));
    model.text.sources = Arc::new(sources);
    model.text.notation = Notation::EventB;
    let names: std::collections::BTreeSet<&&str> = origins.iter().collect();
    for name in names.into_iter().filter(|n| **n != model.name) {
        model.text.components.push(Component {
            name: name.to_string(),
            prefix: None,
            relation: Relation::Refines,
            span: Default::default(),
        });
    }
    for (conjunct, origin) in model.invariant.iter_mut().zip(origins) {
        let position = model.text.components.iter().position(|c| c.name == *origin).unwrap();
        conjunct.origin = ComponentId(position as u32);
    }
    model
}
