//! From a file to a typed model in one call, and formulas typed over a model.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::ast;
use crate::check;
use crate::classical::parser;
use crate::classical::project;
use crate::diagnostic::check_codes as codes;
use crate::diagnostic::parse_codes;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::eventb;
use crate::lint;
use crate::model::{Expr, Model, Pred};
use crate::text::decode::{self, ReadError};
use crate::text::files::{Disk, Files};
use crate::text::source::{Source, SourceId, Sources, Span};

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

/// Reads, parses and checks a machine with all machines and files of definitions that it refers to,
/// directly or through others. They are looked for beside the file that names them.
///
/// # Errors
/// When the file itself cannot be read, or is not text.
pub fn load_model(path: &Path) -> Result<Loaded, ReadError> {
    load_with(path, &LoadRequest::default())
}

/// What is wanted of a file, folder or archive.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LoadRequest {
    /// The machine or context of a package or project of Event-B; without it, its last refinement.
    pub component: Option<String>,
}

/// [`load_model`], where there is more than one component to choose from.
///
/// # Errors
/// As [`load_model`], or it is not clear which component is meant.
pub fn load_with(path: &Path, request: &LoadRequest) -> Result<Loaded, ReadError> {
    if eventb::is_eventb(path) {
        return eventb::load(path, request.component.as_deref());
    }
    load_from(&Disk, path)
}

/// Reads a machine as [`load_model`] does, from any store of files.
///
/// ```
/// use bsym_language::{files::Texts, load::load_from};
/// let files: Texts = [
///     ("Lift.mch", "MACHINE Lift INCLUDES Door OPERATIONS go = PRE open = FALSE THEN skip END END"),
///     ("Door.mch", "MACHINE Door VARIABLES open INVARIANT open : BOOL INITIALISATION open := TRUE END"),
/// ]
/// .into_iter()
/// .collect();
/// let loaded = load_from(&files, "Lift.mch".as_ref()).unwrap();
/// assert_eq!(loaded.model.unwrap().variables[0].name, "open");
/// ```
///
/// # Errors
/// When the file itself cannot be read, or is not text.
pub fn load_from(files: &dyn Files, path: &Path) -> Result<Loaded, ReadError> {
    let mut sources = Sources::default();
    let (id, warnings) = decode::source(&mut sources, path, &files.read(path)?)?;
    Ok(load(files, sources, id, warnings))
}

/// Parses and checks the text of a machine; what it refers to is read from the disk, beside `path`.
pub fn load_text(path: impl Into<PathBuf>, text: impl Into<String>) -> Loaded {
    let mut sources = Sources::default();
    let id = sources.add(Source::new(path, text));
    load(&Disk, sources, id, vec![])
}

/// What may follow from text that could not be read.
const MISSED: [Code; 3] = [codes::UNKNOWN_TYPE, codes::MISSING_SECTION, codes::NOT_INITIALISED];

fn load(files: &dyn Files, mut sources: Sources, id: SourceId, mut diagnostics: Vec<Diagnostic>) -> Loaded {
    let (machine, found) = parser::parse(&sources, id);
    diagnostics.extend(found);
    name_of_file(&machine, &sources, id, &mut diagnostics);
    let project = Arc::new(project::collect(files, &mut sources, (machine, id), &mut diagnostics));
    let sources = Arc::new(sources);
    let torn: Vec<Span> =
        diagnostics.iter().filter(|d| d.severity == Severity::Error).map(|d| d.span).collect();
    let unread = diagnostics.iter().any(|d| d.severity == Severity::Error);
    let (model, mut checked) = check::check_project(sources.clone(), project.clone());
    let model = if unread { None } else { model };
    if unread {
        // The checker works on holes: what it misses may stand in them.
        let cut = diagnostics.iter().any(|d| d.code == parse_codes::UNTERMINATED_COMMENT);
        checked.retain(|d| !(MISSED.contains(&d.code) || cut && d.code == codes::UNKNOWN_IDENTIFIER));
        // What stands directly before the place is a torn piece of it.
        let forms = [codes::NOT_A_PREDICATE, codes::NOT_AN_EXPRESSION, codes::NOT_ASSIGNABLE];
        let is_torn = |d: &Diagnostic| torn.iter().any(|t| sources.are_adjacent(d.span, *t));
        checked.retain(|d| !(forms.contains(&d.code) && is_torn(d)));
    }
    diagnostics.extend(checked);
    if let (Some(model), Some(main)) = (&model, project.units.first()) {
        diagnostics.extend(lint::lint(&main.tree, model));
    }
    diagnostics.sort_by_key(|d| (d.span.source, d.span.start));
    Loaded { sources, model, diagnostics }
}

// Other machines would not find it by its name.
fn name_of_file(machine: &ast::Machine, sources: &Sources, id: SourceId, diagnostics: &mut Vec<Diagnostic>) {
    let (name, path) = (&machine.name.name, &sources.get(id).path);
    let Some(stem) = path.file_stem().and_then(|s| s.to_str()) else { return };
    if !name.is_empty() && name != stem {
        diagnostics.push(Diagnostic::warning(
            codes::NAME_DIFFERS,
            machine.name.span,
            format!("machine `{name}` stands in a file named `{stem}`"),
        ));
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
