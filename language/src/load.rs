//! From a file, folder or archive to a typed model in one call, and formulas typed over a model.
//!
//! Whatever the notation: texts are read, checked as far as they could be read, and warned about if they make a
//! model. This is the only file that knows both notations.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::ast;
use crate::check;
pub use crate::check::Surroundings;
use crate::classical::{self, parser};
use crate::diagnostic::codes;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::eventb::text::Choice;
use crate::eventb::{self, package, rodin};
use crate::lint::{self, Subject};
use crate::model::{Expr, LocalId, Model, Pred};
use crate::stack::with_large_stack;
use crate::text::archive::Archive;
use crate::text::files::{self, Disk, Files, ReadError};
use crate::text::source::{Source, SourceId, Sources};

/// Result of loading a file: a model, or messages that tell why there is none.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The files that were read; spans of the diagnostics point into them.
    pub sources: Arc<Sources>,
    /// The model, if no diagnostic is an error.
    pub model: Option<Model>,
    /// Errors and warnings in the order of their places.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reasons why there is nothing to check.
#[derive(thiserror::Error, Debug)]
pub enum LoadError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// There is no machine or context.
    #[error("{}: there is no machine (.bum) and no context (.buc) in it", .0.display())]
    Nothing(PathBuf),
    /// There are several candidates.
    #[error("{}: {what} could be meant; choose one with --machine: {}", path.display(), names.join(", "))]
    Several {
        /// The folder or archive.
        path: PathBuf,
        /// `several components`, `several projects`
        what: &'static str,
        /// The candidates.
        names: Vec<String>,
    },
    /// No component has the name that is asked for.
    #[error("{}: there is no component `{name}`; there are: {}", path.display(), names.join(", "))]
    Unknown {
        /// The package, folder or archive.
        path: PathBuf,
        /// The name.
        name: String,
        /// The candidates.
        names: Vec<String>,
    },
}

/// Options for loading a file, folder or archive.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LoadRequest {
    /// The machine or context of a package or project of Event-B. Without it: the first machine of a package, the
    /// file that is named, the last refinement of a project.
    pub component: Option<String>,
    /// Folders to search for machines and files of definitions of classical B that are not in the folder of the file
    /// that names them.
    pub include_path: Vec<PathBuf>,
}

/// Reads, parses and checks a machine of classical B with all machines and files of definitions that it refers to,
/// directly or indirectly; they are searched for next to the file that names them, then in the folders of
/// [`LoadRequest::include_path`]. Or reads, parses and checks a component of Event-B with all components that it
/// refines, sees and extends: of a package (`.eventb`), of Rodin (`.bum`, `.buc`), of a project of Rodin's (a folder or
/// `.zip`), or as text (`.eventb`, `.bumx`, `.bucx`).
///
/// # Errors
/// The file itself cannot be read, or is not text.
pub fn load_model(path: &Path) -> Result<Loaded, LoadError> {
    load_with(path, &LoadRequest::default())
}

/// [`load_model`], where there is more than one component to choose from.
///
/// # Errors
/// As [`load_model`], or it is not clear which component is meant.
pub fn load_with(path: &Path, request: &LoadRequest) -> Result<Loaded, LoadError> {
    load_in(&Disk, path, request)
}

/// Reads a machine or project as [`load_model`] does, from any store of files.
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
/// As [`load_model`].
pub fn load_from(files: &dyn Files, path: &Path) -> Result<Loaded, LoadError> {
    load_in(files, path, &LoadRequest::default())
}

/// [`load_with`] from any store of files.
///
/// # Errors
/// As [`load_with`].
pub fn load_in(files: &dyn Files, path: &Path, request: &LoadRequest) -> Result<Loaded, LoadError> {
    with_large_stack(|| Ok(parse_in(files, path, request)?.check()))
}

/// Reads and parses a file with all that it refers to, as [`load_in`] does, and leaves the check to [`Parsed::check`].
///
/// # Errors
/// As [`load_with`].
pub fn parse_in(files: &dyn Files, path: &Path, request: &LoadRequest) -> Result<Parsed, LoadError> {
    with_large_stack(|| {
        let sources = Sources::with_include_path(request.include_path.clone());
        let mut reading = Reading { sources, diagnostics: vec![] };
        let project = match notation(files, path) {
            None | Some(Form::Package) => reading.file(files, path, request.component.as_deref())?,
            Some(form) => reading.eventb(form, files, path, request.component.as_deref())?,
        };
        Ok(reading.parsed(project))
    })
}

/// Parses and checks the text of a machine; its references are read from the disk, next to `path`.
pub fn load_text(path: impl Into<PathBuf>, text: impl Into<String>) -> Loaded {
    load_text_with(path, text, &LoadRequest::default())
}

/// [`load_text`] with an include path.
pub fn load_text_with(path: impl Into<PathBuf>, text: impl Into<String>, request: &LoadRequest) -> Loaded {
    let sources = Sources::with_include_path(request.include_path.clone());
    let mut reading = Reading { sources, diagnostics: vec![] };
    let id = reading.sources.add(Source::new(path, text));
    with_large_stack(move || {
        let project = match reading.is_eventb_text(id) {
            // Without a component that is asked for, a text is refused by messages only.
            true => reading.text(&Disk, id, None).ok().flatten(),
            false => Some(reading.parse(&Disk, id)),
        };
        reading.parsed(project).check()
    })
}

/// Returns whether a path is a package, a project or a text of Event-B.
pub fn is_eventb(path: &Path) -> bool {
    notation(&Disk, path).is_some() || is_eventb_text(&Disk, path)
}

/// Returns whether a file is Event-B as text, by its name and its first words.
pub fn is_eventb_text(files: &dyn Files, path: &Path) -> bool {
    let may_be = notation(files, path).is_none_or(|form| form == Form::Package);
    let mut sources = Sources::default();
    may_be
        && files::add(&mut sources, files, path)
            .is_ok_and(|(id, _)| eventb::text::is_text(path, &sources.get(id).text))
}

/// Forms of input in Event-B.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Package,
    File,
    Folder,
    Archive,
    Text,
}

// `None` is classical B.
fn notation(files: &dyn Files, path: &Path) -> Option<Form> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    match extension.as_str() {
        "eventb" => Some(Form::Package),
        "bum" | "buc" => Some(Form::File),
        _ if files.is_folder(path) => Some(Form::Folder),
        "zip" => Some(Form::Archive),
        _ => None,
    }
}

/// The trees of a file with all that it refers to.
enum Project {
    Classical(Arc<classical::project::Project>),
    /// With the component that is asked for, and where it came from.
    EventB(eventb::project::Project, String, Form),
}

#[derive(Default)]
struct Reading {
    sources: Sources,
    diagnostics: Vec<Diagnostic>,
}

/// Errors that may follow from text that could not be read.
const MISSED: [Code; 6] = [
    codes::UNKNOWN_TYPE,
    codes::MISSING_SECTION,
    codes::NOT_INITIALISED,
    codes::EVENT_REFINEMENT,
    codes::WITNESS,
    codes::CONVERGENCE,
];

/// Errors that follow from declarations that could not be read …
const UNDECLARED: [Code; 2] = [codes::UNKNOWN_IDENTIFIER, codes::NOT_A_MACHINE];

/// … which these mistakes may hide.
const CUTS: [Code; 4] =
    [codes::UNTERMINATED_COMMENT, codes::MALFORMED_TERM, codes::MALFORMED_PACKAGE, codes::MALFORMED_XML];

impl Reading {
    // A file of its own: a machine of classical B, a package, or Event-B as text.
    fn file(
        &mut self,
        files: &dyn Files,
        path: &Path,
        component: Option<&str>,
    ) -> Result<Option<Project>, LoadError> {
        let (id, odd) = files::add(&mut self.sources, files, path)?;
        self.diagnostics.extend(odd.map(Diagnostic::from));
        if self.is_eventb_text(id) {
            return self.text(files, id, component);
        }
        match notation(files, path) {
            Some(Form::Package) => self.package(id, component),
            _ => Ok(Some(self.parse(files, id))),
        }
    }

    fn is_eventb_text(&self, id: SourceId) -> bool {
        let source = self.sources.get(id);
        eventb::text::is_text(&source.path, &source.text)
    }

    fn text(
        &mut self,
        files: &dyn Files,
        id: SourceId,
        component: Option<&str>,
    ) -> Result<Option<Project>, LoadError> {
        let path = self.sources.get(id).path.clone();
        let (project, choice) =
            eventb::text::read(files, &mut self.sources, id, component, &mut self.diagnostics)?;
        match choice {
            Choice::One(name) => Ok(Some(Project::EventB(project, name, Form::Text))),
            Choice::Nothing => Ok(None),
            Choice::Unknown(names) => {
                Err(LoadError::Unknown { path, name: component.unwrap_or_default().into(), names })
            }
            Choice::Several(names) => Err(LoadError::Several { path, what: "several components", names }),
        }
    }

    fn parse(&mut self, files: &dyn Files, id: SourceId) -> Project {
        let (machine, found) = parser::parse(&self.sources, id);
        self.diagnostics.extend(found);
        self.name_of_file(&machine, id);
        let project =
            classical::project::collect(files, &mut self.sources, (machine, id), &mut self.diagnostics);
        Project::Classical(Arc::new(project))
    }

    // Other machines would not find it by its name.
    fn name_of_file(&mut self, machine: &ast::Machine, id: SourceId) {
        let (name, path) = (&machine.name.name, &self.sources.get(id).path);
        let Some(stem) = path.file_stem().and_then(|s| s.to_str()) else { return };
        if !name.is_empty() && name != stem {
            let message = format!("machine `{name}` stands in a file named `{stem}`");
            let of_b = |e: &&str| ["mch", "ref", "imp", "sys"].contains(&e.to_ascii_lowercase().as_str());
            let usual = match machine.kind {
                ast::MachineKind::Refinement => "ref",
                ast::MachineKind::Implementation => "imp",
                _ => "mch",
            };
            let extension = path.extension().and_then(|e| e.to_str()).filter(of_b).unwrap_or(usual);
            let help = format!("other machines look for it in `{name}.{extension}`: rename one of the two");
            let d = Diagnostic::warning(codes::NAME_DIFFERS, machine.name.span, message).help(help);
            self.diagnostics.push(if classical::lexer::is_name(stem) { d.instead(stem) } else { d });
        }
    }

    // `None` after a message that leaves nothing to check.
    fn eventb(
        &mut self,
        form: Form,
        files: &dyn Files,
        path: &Path,
        component: Option<&str>,
    ) -> Result<Option<Project>, LoadError> {
        match form {
            Form::Package | Form::Text => self.file(files, path, component),
            Form::File => {
                let (stem, name) = (path.file_stem(), path.file_name());
                let archive = files.beside(path)?;
                if !archive.contains(name.and_then(|n| n.to_str()).unwrap_or_default()) {
                    return Err(ReadError::Missing(path.to_owned()).into());
                }
                let stem = stem.and_then(|s| s.to_str()).unwrap_or_default();
                self.rodin(&archive, component.unwrap_or(stem)).map(Some)
            }
            Form::Folder | Form::Archive => {
                let archive = files.project(path)?;
                self.rodin(&archive, component.unwrap_or("")).map(Some).map_err(|e| match e {
                    // No project at all: the folder is the mistake.
                    LoadError::Nothing(path) if form == Form::Folder => ReadError::Directory(path).into(),
                    e => e,
                })
            }
        }
    }

    fn package(&mut self, id: SourceId, component: Option<&str>) -> Result<Option<Project>, LoadError> {
        let project = match package::read(&self.sources.get(id).text, id) {
            Ok(project) => project,
            Err(d) => {
                self.diagnostics.push(d);
                return Ok(None);
            }
        };
        let name = component.or_else(|| project.main()).unwrap_or_default().to_string();
        let machines = project.machines.iter().map(|m| &m.name.name);
        let names: Vec<String> =
            machines.chain(project.contexts.iter().map(|c| &c.name.name)).cloned().collect();
        if !names.contains(&name) {
            let path = self.sources.get(id).path.clone();
            return Err(LoadError::Unknown { path, name, names });
        }
        Ok(Some(Project::EventB(project, name, Form::Package)))
    }

    // `component` may be empty, `Machine`, or `Folder/Machine`.
    fn rodin(&mut self, archive: &Archive, component: &str) -> Result<Project, LoadError> {
        let projects = rodin::projects(archive)?;
        let path = archive.path().to_owned();
        if projects.is_empty() {
            return Err(LoadError::Nothing(path));
        }
        let (folder, name) = component.rsplit_once('/').unwrap_or(("", component));
        let is_folder = |f: &str| folder.is_empty() || f == folder || f.ends_with(&format!("/{folder}"));
        let has = |files: &rodin::Files| {
            name.is_empty() || files.machines.contains_key(name) || files.contexts.contains_key(name)
        };
        let matching: Vec<_> = projects.iter().filter(|(f, files)| is_folder(f) && has(files)).collect();
        let full = |folder: &str, name: &str| {
            if projects.len() == 1 || folder.is_empty() {
                name.to_string()
            } else {
                format!("{folder}/{name}")
            }
        };
        let (folder, files) = match matching.as_slice() {
            [one] => *one,
            [] => {
                let names =
                    projects.iter().flat_map(|(f, files)| files.all().into_iter().map(|n| full(f, &n)));
                return Err(LoadError::Unknown { path, name: component.to_string(), names: names.collect() });
            }
            several => {
                let names = several.iter().flat_map(|(f, files)| {
                    let names = if name.is_empty() { files.last() } else { vec![name.to_string()] };
                    names.into_iter().map(|n| full(f, &n)).collect::<Vec<_>>()
                });
                return Err(LoadError::Several { path, what: "several projects", names: names.collect() });
            }
        };
        let name = match (name, files.last().as_slice()) {
            ("", [one]) => one.clone(),
            ("", several) => {
                let names = several.to_vec();
                return Err(LoadError::Several { path, what: "several components", names });
            }
            (name, _) => name.to_string(),
        };
        let project = rodin::read(archive, folder, files, &name, &mut self.sources, &mut self.diagnostics)?;
        Ok(Project::EventB(project, name, Form::File))
    }

    fn parsed(self, project: Option<Project>) -> Parsed {
        Parsed { sources: Arc::new(self.sources), project, diagnostics: self.diagnostics }
    }
}

/// The trees of a file with all that it refers to, before the check of names and types.
pub struct Parsed {
    sources: Arc<Sources>,
    project: Option<Project>,
    diagnostics: Vec<Diagnostic>,
}

impl Parsed {
    /// The files that were read.
    pub fn sources(&self) -> &Arc<Sources> {
        &self.sources
    }

    /// The machines, where the notation is classical B.
    pub fn machines(&self) -> Option<&Arc<classical::project::Project>> {
        match &self.project {
            Some(Project::Classical(project)) => Some(project),
            _ => None,
        }
    }

    /// Checks names and types, and warns about what makes a model but is odd.
    pub fn check(&self) -> Loaded {
        with_large_stack(|| self.checked())
    }

    fn checked(&self) -> Loaded {
        let Parsed { sources, project, .. } = self;
        let (sources, mut diagnostics) = (sources.clone(), self.diagnostics.clone());
        let errors: Vec<&Diagnostic> =
            self.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        let (mut model, mut found) = match project {
            Some(Project::Classical(project)) => check::check_project(sources.clone(), project.clone()),
            Some(Project::EventB(project, name, _)) => check::compose_levels(sources.clone(), project, name),
            None => (None, vec![]),
        };
        if let Some(Project::EventB(..)) = project
            && found.iter().any(|d| d.code == codes::MISSING_MACHINE)
        {
            // All that it declares is missing as well.
            found.retain(|d| d.code == codes::MISSING_MACHINE);
        }
        if !errors.is_empty() {
            // The checker works on a tree with gaps: names that it misses may be in them.
            found.retain(|d| !is_consequence(d, &errors, &sources));
            model = None;
        }
        diagnostics.extend(found);
        if let (Some(model), Some(project)) = (&model, project) {
            diagnostics.extend(project.subject().map(|s| lint::lint(&s, model)).into_iter().flatten());
        }
        diagnostics.sort_by_key(|d| (d.span.source, d.span.start));
        Loaded { sources, model, diagnostics }
    }
}

/// Returns whether a message of the checker may follow from the mistakes that kept text from being read.
fn is_consequence(d: &Diagnostic, errors: &[&Diagnostic], sources: &Sources) -> bool {
    let forms = [codes::NOT_A_PREDICATE, codes::NOT_AN_EXPRESSION, codes::NOT_ASSIGNABLE];
    MISSED.contains(&d.code)
        || UNDECLARED.contains(&d.code) && errors.iter().any(|e| CUTS.contains(&e.code))
        // Text directly before the place is a torn piece of it.
        || forms.contains(&d.code) && errors.iter().any(|e| sources.are_adjacent(d.span, e.span))
}

impl Project {
    /// Returns the component that the user named, for warnings.
    fn subject(&self) -> Option<Subject<'_>> {
        match self {
            Project::Classical(project) => project.units.first().map(|main| Subject::machine(&main.tree)),
            Project::EventB(project, name, form) => {
                let machine = project.machine(name).map(|m| (m.span, m.refines.is_none()));
                let (span, is_abstract) = machine.or_else(|| Some((project.context(name)?.span, true)))?;
                Some(Subject { tree: None, span, is_abstract, is_exported: *form == Form::Package })
            }
        }
    }
}

/// Parses and types a predicate over the sets, constants and variables of a model. Its text is
/// added to the model's sources and its bound names to the model's locals.
pub fn check_predicate(model: &mut Model, text: &str) -> Result<Pred, Vec<Diagnostic>> {
    Ok(check_predicate_in(model, text, Surroundings::default())?.0)
}

/// Parses and types a predicate as [`check_predicate`] does, in surroundings whose names become the locals that come
/// with it, in their order.
pub fn check_predicate_in(
    model: &mut Model,
    text: &str,
    surroundings: Surroundings<'_>,
) -> Result<(Pred, Vec<LocalId>), Vec<Diagnostic>> {
    let id = add_source(model, text);
    let (tree, diagnostics) = parser::parse_predicate(&model.text.sources, id);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    check::predicate_in(model, &tree, surroundings)
}

/// Parses and types an expression over the sets, constants and variables of a model. Its text is
/// added to the model's sources and its bound names to the model's locals.
pub fn check_expression(model: &mut Model, text: &str) -> Result<Expr, Vec<Diagnostic>> {
    Ok(check_expression_in(model, text, Surroundings::default())?.0)
}

/// Parses and types an expression as [`check_expression`] does, in surroundings as in [`check_predicate_in`].
pub fn check_expression_in(
    model: &mut Model,
    text: &str,
    surroundings: Surroundings<'_>,
) -> Result<(Expr, Vec<LocalId>), Vec<Diagnostic>> {
    let id = add_source(model, text);
    let (tree, diagnostics) = parser::parse_expression(&model.text.sources, id);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    check::expression_in(model, &tree, surroundings)
}

fn add_source(model: &mut Model, text: &str) -> SourceId {
    Arc::make_mut(&mut model.text.sources).add(Source::new("<formula>", text))
}
