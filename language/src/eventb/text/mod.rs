//! Event-B as text, as Camille, CamilleX and Rossi write it.
//!
//! ```text
//! machine M refines M0 sees C
//! variables x
//! invariants
//!   @inv1 x ∈ ℕ          // a label, then the formula in Rodin's language
//!   theorem @thm1 x ≥ 0
//! events
//!   event INITIALISATION then @act1 x ≔ 0 end
//!   convergent event inc any d where @grd1 d ∈ 1‥k then @act1 x ≔ x + d end
//! end
//! ```
//!
//! A file may have several components. What a component names is in the same file, in a file beside it, or in one of the
//! folders of the include path; a file has the name of its component, or any other name.

mod outline;
mod printed;
mod words;

pub use printed::printed;
pub use words::{KEYWORDS, Mark, marks};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use self::outline::{EventOutline, Outline, Piece};
use self::words::without_comments;
use super::formula;
use super::project::*;
use super::reader::Reader;
use super::rodin::flatten;
use super::tuf::{self, Operators};
use crate::ast::Ident;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::text::files::{self, Files, ReadError};
use crate::text::source::{Source, SourceId, Sources, Span};

/// Endings of files that are Event-B as text if their content is.
const MAYBE: [&str; 6] = ["eventb", "bumx", "bucx", "mch", "ctx", "txt"];

/// Endings of files of theories, which are read with the texts beside them.
const THEORIES: [&str; 3] = ["tuf", "tcf", "dtf"];

/// Returns whether the text of a file is Event-B as text: by its name (`.bumx`, `.bucx`), or by its first words. A
/// machine in a file for classical B has to have labels (`@inv1`) as well.
pub fn is_text(path: &Path, text: &str) -> bool {
    let extension = extension(path);
    if matches!(extension.as_str(), "bumx" | "bucx") {
        return true;
    }
    let is_of_b = extension != "eventb";
    if is_of_b && !["@", "context", "CONTEXT"].iter().any(|word| text.contains(word)) {
        return false;
    }
    let (clean, _) = without_comments(text);
    match first_word(&clean).to_ascii_lowercase().as_str() {
        "context" => true,
        "theory" => !is_of_b,
        "machine" => !is_of_b || has_label(&clean),
        _ => false,
    }
}

fn first_word(text: &str) -> &str {
    let begin = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
    &begin[..begin.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(begin.len())]
}

// Strings of classical B may have the sign as well, and operators that only Event-B has are printed as `@finite(s)`.
fn has_label(clean: &str) -> bool {
    let is_label =
        |word: &str| word.strip_prefix('@').is_some_and(|name| !name.is_empty() && !name.contains('('));
    clean.lines().filter(|line| !line.contains('"')).any(|line| line.split_whitespace().any(is_label))
}

fn extension(path: &Path) -> String {
    path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// Returns the names of the machines of a text, in their order.
pub fn machines(text: &str) -> Vec<String> {
    let all = outline::components(text, SourceId(0), &mut vec![]);
    all.into_iter().filter(|c| c.is_machine).map(|c| c.name.name).collect()
}

/// Returns a part of a file as its author wrote it, on one line and without comments. `None` unless the file is Event-B as
/// text; it is known to be one of Event-B.
pub fn written(source: &Source, span: Span) -> Option<String> {
    let is_package = extension(&source.path) == "eventb" && first_word(&source.text) == "package";
    if is_package || matches!(extension(&source.path).as_str(), "bum" | "buc") {
        return None;
    }
    let (clean, _) = without_comments(source.text.get(span.start as usize..span.end as usize)?);
    Some(clean.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The component that is read, or why it is not clear which one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Choice {
    /// Its name.
    One(String),
    /// No component of the file has the name that is asked for; there are these.
    Unknown(Vec<String>),
    /// Each of these could be meant.
    Several(Vec<String>),
    /// There is none, which the messages explain.
    Nothing,
}

/// Reads a file that is among the sources, with everything that its components refine, see and extend. Mistakes go to
/// `diagnostics`.
///
/// # Errors
/// A file of theories cannot be read.
pub fn read(
    files: &dyn Files,
    sources: &mut Sources,
    main: SourceId,
    component: Option<&str>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(Project, Choice), ReadError> {
    let path = sources.get(main).path.clone();
    let own = outline::components(&sources.get(main).text, main, diagnostics);
    let choice = choose(&own, &path, component);
    let mut finder = Finder { files, sources, diagnostics, read: BTreeMap::new() };
    finder.read.insert(path.clone(), own.clone());
    let mut wanted: Vec<(PathBuf, Outline)> = own.into_iter().rev().map(|c| (path.clone(), c)).collect();
    let mut found: Vec<Outline> = vec![];
    while let Some((path, outline)) = wanted.pop() {
        let is_known = |c: &Outline| c.is_machine == outline.is_machine && c.name.name == outline.name.name;
        if let Some(known) = found.iter().find(|c| is_known(c)) {
            if known.span != outline.span && known.span.source == outline.span.source {
                let message = format!("`{}` is declared twice", outline.name.name);
                let d = Diagnostic::error(codes::DUPLICATE_DECLARATION, outline.name.span, message);
                finder.diagnostics.push(d.label(known.name.span, "the first one"));
            }
            continue;
        }
        for (is_machine, name) in outline.needs() {
            wanted.extend(finder.find(&path, is_machine, &name.name));
        }
        found.push(outline);
    }
    let (theories, operators) = theories(files, &path, sources, diagnostics)?;
    let declared = found.iter().flat_map(Outline::declares).map(|id| id.name.clone()).collect();
    let mut reader = Reader { declared, operators, diagnostics };
    let mut project = Project { theories, ..Project::default() };
    for outline in found {
        match outline.is_machine {
            true => project.machines.push(outline.machine(&mut reader)),
            false => project.contexts.push(outline.context(&mut reader)),
        }
    }
    flatten(&mut project);
    Ok((project, choice))
}

/// The component that is asked for; else the one with the name of the file, else the last refinement.
fn choose(all: &[Outline], path: &Path, asked: Option<&str>) -> Choice {
    let names = |of: &dyn Fn(&Outline) -> bool| -> Vec<String> {
        all.iter().filter(|c| of(c)).map(|c| c.name.name.clone()).collect()
    };
    let has = |name: &str| all.iter().any(|c| c.name.name == name);
    if all.is_empty() {
        return Choice::Nothing;
    }
    if let Some(asked) = asked {
        return if has(asked) { Choice::One(asked.into()) } else { Choice::Unknown(names(&|_| true)) };
    }
    if let Some(stem) = path.file_stem().and_then(|s| s.to_str()).filter(|stem| has(stem)) {
        return Choice::One(stem.into());
    }
    let kind = all.iter().any(|c| c.is_machine);
    let is_needed = |name: &str| {
        all.iter()
            .any(|c| c.is_machine == kind && c.needs().any(|(machine, n)| machine == kind && n.name == name))
    };
    let mut last = names(&|c| c.is_machine == kind && !is_needed(&c.name.name));
    last.dedup();
    match last.as_slice() {
        [one] => Choice::One(one.clone()),
        [] => Choice::Several(names(&|c| c.is_machine == kind)),
        _ => Choice::Several(last),
    }
}

fn theories(
    files: &dyn Files,
    path: &Path,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(Vec<Theory>, Operators), ReadError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let is_theory = |name: &String| THEORIES.contains(&extension(Path::new(name)).as_str());
    match files.names(folder).iter().any(is_theory) {
        true => tuf::read(&files.beside(path)?, "", sources, diagnostics),
        false => Ok((vec![], Operators::default())),
    }
}

struct Finder<'a> {
    files: &'a dyn Files,
    sources: &'a mut Sources,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// The components of each file that was read; none for files that are no Event-B as text.
    read: BTreeMap<PathBuf, Vec<Outline>>,
}

impl Finder<'_> {
    /// Finds a component that a file names: in this file, in a file of its name in the folder of the file or a folder of
    /// the include path, else in any other text there.
    fn find(&mut self, from: &Path, is_machine: bool, name: &str) -> Option<(PathBuf, Outline)> {
        if let Some(found) = self.in_file(from, is_machine, name) {
            return Some((from.to_owned(), found));
        }
        let beside = from.parent().unwrap_or(Path::new("")).to_owned();
        let folders: Vec<PathBuf> =
            std::iter::once(beside).chain(self.sources.include_path().iter().cloned()).collect();
        for folder in folders {
            let (named, others): (Vec<PathBuf>, Vec<PathBuf>) = self
                .files
                .names(&folder)
                .into_iter()
                .map(|file| folder.join(file))
                .filter(|path| MAYBE.contains(&extension(path).as_str()))
                .partition(|path| path.file_stem().is_some_and(|stem| stem == name));
            let is_likely = |path: &PathBuf| matches!(extension(path).as_str(), "eventb" | "bumx" | "bucx");
            for path in named.into_iter().chain(others.into_iter().filter(is_likely)) {
                if let Some(found) = self.in_file(&path, is_machine, name) {
                    return Some((path, found));
                }
            }
        }
        None
    }

    fn in_file(&mut self, path: &Path, is_machine: bool, name: &str) -> Option<Outline> {
        if !self.read.contains_key(path) {
            let components = self.components(path, name);
            self.read.insert(path.to_owned(), components?);
        }
        let is_it = |c: &&Outline| c.is_machine == is_machine && c.name.name == name;
        self.read.get(path)?.iter().find(is_it).cloned()
    }

    /// The components of a file. `None` for one that is not kept, because the component is not in it.
    fn components(&mut self, path: &Path, name: &str) -> Option<Vec<Outline>> {
        let mut alone = Sources::default();
        let Ok((id, _)) = files::add(&mut alone, self.files, path) else { return Some(vec![]) };
        let text = &alone.get(id).text;
        if !is_text(path, text) {
            return Some(vec![]);
        }
        // Only files that are needed are sources of the model.
        let known = outline::components(text, id, &mut vec![]);
        if !known.iter().any(|c| c.name.name == name) {
            return None;
        }
        let (id, _) = files::add(self.sources, self.files, path).ok()?;
        Some(outline::components(&self.sources.get(id).text, id, self.diagnostics))
    }
}

impl Outline {
    fn machine(self, reader: &mut Reader) -> Machine {
        let mut refines = self.refines.into_iter();
        let first = refines.next();
        if let (Some(first), Some(second)) = (&first, refines.next()) {
            reader.refines_two(&self.name, first, &second);
        }
        Machine {
            refines: first,
            sees: self.contexts,
            variables: declared(self.variables, reader),
            invariants: formulas(self.predicates, reader),
            variants: formulas(self.variants, reader),
            events: self.events.into_iter().map(|event| event.event(reader)).collect(),
            span: self.span,
            name: self.name,
        }
    }

    fn context(self, reader: &mut Reader) -> Context {
        Context {
            extends: self.contexts,
            sets: declared(self.sets, reader),
            constants: declared(self.constants, reader),
            axioms: formulas(self.predicates, reader),
            span: self.span,
            name: self.name,
        }
    }
}

impl EventOutline {
    fn event(self, reader: &mut Reader) -> Event {
        // Only one event can be extended by the initialisation, and Rodin does not name it.
        let refines = match self.name.name.as_str() {
            INITIALISATION => vec![],
            _ => self.refines,
        };
        let mut witnesses = vec![];
        for piece in self.witnesses {
            let Some(name) = piece.label.clone() else {
                let message = "a witness has the name that it is for as its label";
                let d = Diagnostic::error(codes::UNEXPECTED_TOKEN, piece.text.whole(), message);
                reader.diagnostics.push(d.help("as in `with @p p = 1`, or `@x' x' = 1` for a new value"));
                continue;
            };
            witnesses.extend(piece.formula(reader).map(|formula| (name, formula)));
        }
        let is_action = |piece: &Piece| !piece.text.text.eq_ignore_ascii_case("skip");
        let actions = self.actions.into_iter().filter(is_action);
        Event {
            span: self.name.span,
            name: self.name,
            convergence: self.convergence,
            extended: self.extended,
            inherited: Inherited::default(),
            refines,
            parameters: declared(self.parameters, reader),
            guards: formulas(self.guards, reader),
            actions: actions.filter_map(|p| reader.assigned(&p.text, p.label.map(|l| l.name))).collect(),
            witnesses,
        }
    }
}

impl Piece {
    fn formula(self, reader: &mut Reader) -> Option<Formula> {
        reader.parsed(&self.text, self.label.map(|label| label.name), self.theorem)
    }
}

fn declared(names: Vec<Ident>, reader: &mut Reader) -> Vec<Ident> {
    names.into_iter().filter_map(|name| reader.noted(formula::declared(name))).collect()
}

fn formulas(pieces: Vec<Piece>, reader: &mut Reader) -> Vec<Formula> {
    pieces.into_iter().filter_map(|piece| piece.formula(reader)).collect()
}
