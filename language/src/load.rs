//! From a file to a typed model in one call, and formulas typed over a model.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::ast;
use crate::check;
use crate::diagnostic::{Diagnostic, Severity};
use crate::model::{Expr, Model, Pred};
use crate::parser;
use crate::source::{Source, SourceId, Sources};

/// What became of a file: a model, or messages that say why there is none.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The files that were read; spans of the diagnostics point into them.
    pub sources: Arc<Sources>,
    /// The model, if no diagnostic is an error.
    pub model: Option<Model>,
    /// Errors and warnings in the order of their places.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads, parses and checks a machine; files of definitions beside it are read as well.
///
/// # Errors
/// When the file itself cannot be read, or is not text.
pub fn load_model(path: &Path) -> Result<Loaded, crate::decode::DecodeError> {
    let (source, warnings) = crate::decode::read(path)?;
    let mut loaded = load(source);
    loaded.diagnostics.splice(0..0, warnings);
    Ok(loaded)
}

/// Parses and checks the text of a machine.
pub fn load_text(path: impl Into<PathBuf>, text: impl Into<String>) -> Loaded {
    load(Source::new(path, text))
}

fn load(source: Source) -> Loaded {
    let mut sources = Sources::default();
    let id = sources.add(source);
    let (machine, mut diagnostics) = parser::parse(&sources, id);
    let mut files = HashMap::new();
    definition_files(&machine, id, &mut sources, &mut files, &mut diagnostics);
    let sources = Arc::new(sources);
    let unread = diagnostics.iter().any(|d| d.severity == Severity::Error);
    let (model, checked) = check::check(sources.clone(), &machine, &mut |name| files.remove(name));
    // Where text could not be read, the checker works on holes: it may say less, never more.
    let model = if unread { None } else { model };
    diagnostics.extend(checked);
    Loaded { sources, model, diagnostics }
}

// Files are found beside the file that names them.
fn definition_files(
    machine: &ast::Machine,
    id: SourceId,
    sources: &mut Sources,
    files: &mut HashMap<String, ast::Machine>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for section in &machine.sections {
        let ast::SectionKind::Definitions(list) = &section.kind else { continue };
        for definition in list {
            let ast::Definition::File(name, _) = definition else { continue };
            if files.contains_key(name) {
                continue;
            }
            let folder = sources.get(id).path.parent().unwrap_or(Path::new("")).to_path_buf();
            let Ok((source, _)) = crate::decode::read(&folder.join(name)) else { continue };
            let file = sources.add(source);
            let (tree, found) = parser::parse(sources, file);
            diagnostics.extend(found);
            files.insert(name.clone(), ast::Machine { sections: vec![], ..tree.clone() });
            definition_files(&tree, file, sources, files, diagnostics);
            files.insert(name.clone(), tree);
        }
    }
}

/// Parses and types a predicate over the sets, constants and variables of a model. Its text is
/// added to the model's sources and its bound names to the model's locals.
pub fn check_predicate(model: &mut Model, text: &str) -> Result<Pred, Vec<Diagnostic>> {
    let id = add_source(model, text);
    let (tree, diagnostics) = parser::parse_predicate(&model.sources, id);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    check::predicate(model, &tree)
}

/// Parses and types an expression over the sets, constants and variables of a model. Its text is
/// added to the model's sources and its bound names to the model's locals.
pub fn check_expression(model: &mut Model, text: &str) -> Result<Expr, Vec<Diagnostic>> {
    let id = add_source(model, text);
    let (tree, diagnostics) = parser::parse_expression(&model.sources, id);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    check::expression(model, &tree)
}

fn add_source(model: &mut Model, text: &str) -> SourceId {
    Arc::make_mut(&mut model.sources).add(Source::new("<formula>", text))
}
