//! Uses of a name, in its machine and in related machines, and renaming it there.
//!
//! The machines that refer to one are looked for in its folder, and among those that are open.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use bsym_language::eventb::formula;
use bsym_language::files::Files;
use bsym_language::lexer;
use bsym_language::source::SourceId;
use lsp_types::{
    DocumentHighlight, DocumentHighlightKind, Location, Position, Range, TextEdit, Uri, WorkspaceEdit,
};

use super::diagnostics::Places;
use super::documents::Documents;
use super::machine::{Trees, is_machine};
use super::names::{Kind, Occurrence};
use crate::uri;

/// A declaration by its place, which is the same whichever machine its file is read for.
type Place = (PathBuf, u32);

/// Every use of one declaration.
struct Uses {
    name: String,
    kind: Kind,
    /// The machines in which it is used, with the numbers of its uses in [`super::names::Names::occurrences`].
    machines: Vec<(Trees, Vec<usize>)>,
}

/// Returns the places where the name at a position is used, and its declarations if they are asked for as well.
pub fn references(documents: &Documents, path: &Path, position: Position, declared: bool) -> Vec<Location> {
    let Some(uses) = uses(documents, path, position) else { return vec![] };
    let mut seen = BTreeSet::new();
    let mut found = vec![];
    for (trees, occurrences) in &uses.machines {
        let places = Places::new(&trees.sources);
        for occurrence in occurrences.iter().map(|number| &trees.names.occurrences[*number]) {
            let is_new = seen.insert((trees.sources.path(occurrence.span).to_owned(), occurrence.span.start));
            if is_new && (declared || !is_declaration(trees, occurrence)) {
                found.extend(places.location(occurrence.span));
            }
        }
    }
    found
}

/// Returns the places of the name at a position in the machine's own file, and where it is assigned to.
pub fn highlights(trees: &Trees, position: Position) -> Option<Vec<DocumentHighlight>> {
    let first = trees.names.first(trees.name_at(position)?.meaning?);
    let is_use = |o: &&Occurrence| {
        o.span.source == SourceId(0) && o.meaning.is_some_and(|meaning| trees.names.first(meaning) == first)
    };
    let places = Places::new(&trees.sources);
    let found = trees.names.occurrences.iter().filter(is_use).map(|occurrence| {
        let writes = trees.names.written.contains(&occurrence.span);
        let kind = if writes { DocumentHighlightKind::WRITE } else { DocumentHighlightKind::READ };
        DocumentHighlight { range: places.range(occurrence.span), kind: Some(kind) }
    });
    Some(found.collect())
}

fn is_declaration(trees: &Trees, occurrence: &Occurrence) -> bool {
    trees.names.declarations.iter().any(|declaration| declaration.span == occurrence.span)
}

fn place(trees: &Trees, declaration: usize) -> Place {
    let span = trees.names.declarations[trees.names.first(declaration)].span;
    (trees.sources.path(span).to_owned(), span.start)
}

fn uses(documents: &Documents, path: &Path, position: Position) -> Option<Uses> {
    let trees = Trees::read(documents, path)?;
    let meaning = trees.name_at(position)?.meaning?;
    let declaration = &trees.names.declarations[trees.names.first(meaning)];
    let (name, kind, target) = (declaration.name.clone(), declaration.kind, place(&trees, meaning));
    let mut paths: BTreeSet<PathBuf> = documents.paths().cloned().collect();
    for folder in BTreeSet::from([path.parent(), target.0.parent()]).into_iter().flatten() {
        let names = documents.names(folder).into_iter();
        paths.extend(names.map(|name| folder.join(name)).filter(|path| is_machine(path)));
    }
    paths.remove(path);
    let others = paths.iter().filter_map(|path| Trees::read(documents, path));
    let machines = std::iter::once(trees).chain(others).filter_map(|trees| {
        let is_use = |o: &Occurrence| o.meaning.is_some_and(|meaning| place(&trees, meaning) == target);
        let found = trees.names.occurrences.iter().enumerate().filter(|(_, o)| is_use(o));
        let found: Vec<usize> = found.map(|(number, _)| number).collect();
        (!found.is_empty()).then_some((trees, found))
    });
    let machines = machines.collect();
    Some(Uses { name, kind, machines })
}

/// The part of the text that a new name would replace, where the name at a place can be renamed.
///
/// # Errors
/// Why it cannot.
pub fn prepare(trees: &Trees, position: Position) -> Result<Range, String> {
    let name = trees.name_at(position).ok_or("there is no name here")?;
    let meaning = name.meaning.ok_or_else(|| format!("`{}` is declared nowhere", name.name))?;
    let declaration = &trees.names.declarations[meaning];
    if declaration.kind == Kind::Machine {
        return Err("a machine has the name of its file: rename the file, then the machine".into());
    }
    own_part(trees, name, &declaration.name)
}

// Range of `x` in `p.x`, also in `x$0`.
fn own_part(trees: &Trees, name: &Occurrence, declared: &str) -> Result<Range, String> {
    let text = trees.sources.text(name.span);
    let bare = text.strip_suffix("$0").or(text.strip_suffix('\'')).unwrap_or(text);
    let start = bare.len().checked_sub(declared.len()).filter(|start| bare.get(*start..) == Some(declared));
    let Some(start) = start.filter(|start| *start == 0 || bare[..*start].ends_with('.')) else {
        return Err(format!("`{text}` cannot be renamed as `{declared}` is"));
    };
    let from = name.span.start as usize + start;
    Ok(Places::new(&trees.sources).lines(name.span.source).range(from..from + declared.len()))
}

/// Returns the changes that rename the name at a position everywhere.
///
/// # Errors
/// The new name is not a valid name, or it already has a meaning where the old one is used.
#[allow(clippy::mutable_key_type)] // The type of the protocol; addresses do not change.
pub fn rename(
    documents: &Documents,
    path: &Path,
    position: Position,
    new: &str,
) -> Result<WorkspaceEdit, String> {
    let trees = Trees::read(documents, path).ok_or("there is no text")?;
    prepare(&trees, position)?;
    let is_name = match trees.is_classical() {
        true => lexer::is_name(new),
        false => formula::name_fault(new).is_none(),
    };
    if !is_name {
        return Err(format!("`{new}` is no name of B"));
    }
    let uses = uses(documents, path, position).ok_or("there is no name here")?;
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    let mut seen = BTreeSet::new();
    for (trees, occurrences) in &uses.machines {
        refuse_collisions(trees, &uses, occurrences, new)?;
        for occurrence in occurrences.iter().map(|number| &trees.names.occurrences[*number]) {
            let file = trees.sources.path(occurrence.span);
            if !seen.insert((file.to_owned(), occurrence.span.start)) {
                continue;
            }
            let range = own_part(trees, occurrence, &uses.name)?;
            let open = documents.get(file).map(|document| document.uri.clone());
            let uri = open.or_else(|| uri::of_path(file)).ok_or("a file has no address")?;
            changes.entry(uri).or_default().push(TextEdit::new(range, new.into()));
        }
    }
    Ok(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
}

// A local name collides only where it is visible; another one collides anywhere in its machines.
fn refuse_collisions(trees: &Trees, uses: &Uses, occurrences: &[usize], new: &str) -> Result<(), String> {
    let names = &trees.names;
    let meanings: BTreeSet<usize> =
        occurrences.iter().filter_map(|number| names.occurrences[*number].meaning).collect();
    let is_near = |o: &Occurrence| {
        uses.kind != Kind::Local
            || meanings
                .iter()
                .map(|meaning| names.declarations[*meaning].whole)
                .any(|whole| whole.contains(o.span))
    };
    let last = |name: &str| name.rsplit('.').next().unwrap_or(name).to_string();
    if let Some(taken) = names.occurrences.iter().find(|o| last(&o.name) == new && is_near(o)) {
        let place = trees.sources.position(taken.span);
        let file = trees.sources.path(taken.span).display();
        return Err(format!("`{new}` is taken: {file}:{}:{}", place.line, place.column));
    }
    // A definition that is expanded there may mean it by a name that is free in the definition.
    if let Some(free) = names.occurrences.iter().find(|o| o.meaning.is_none() && o.name == uses.name) {
        let place = trees.sources.position(free.span);
        let file = trees.sources.path(free.span).display();
        return Err(format!(
            "it is not known what `{}` means in {file}:{}:{}",
            uses.name, place.line, place.column
        ));
    }
    Ok(())
}
