//! Symbols of the whole workspace: the declarations of all machines in its folders, and of those that are open.
//!
//! A workspace may be large. So the search runs on a thread of its own over a copy of the open texts, and remembers
//! what a file declares until its time or size changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use bsym_language::files::{self, Texts};
use bsym_language::source::Sources;
use lsp_types::{DocumentSymbol, Location, Range, SymbolInformation, SymbolKind, Uri};

use super::eventb;
use super::machine;
use super::symbols;
use crate::tuning::tuning;
use crate::uri;

/// A declaration of a file.
#[derive(Clone)]
struct Symbol {
    name: String,
    kind: SymbolKind,
    range: Range,
    container: Option<String>,
}

/// Declarations of a file when it had this time and size.
type Known = (Option<SystemTime>, u64, Vec<Symbol>);

/// The folders of a workspace with the cached declarations of their files.
#[derive(Clone, Default)]
pub struct Workspace {
    folders: Vec<PathBuf>,
    known: Arc<Mutex<BTreeMap<PathBuf, Known>>>,
}

impl Workspace {
    /// The folders that `initialize` names.
    pub fn of(parameters: &serde_json::Value) -> Workspace {
        let list = parameters["workspaceFolders"].as_array().cloned().unwrap_or_default();
        let mut uris: Vec<&str> = list.iter().filter_map(|folder| folder["uri"].as_str()).collect();
        if uris.is_empty() {
            uris.extend(parameters["rootUri"].as_str());
        }
        let paths = uris.iter().filter_map(|text| text.parse::<Uri>().ok()).map(|uri| uri::path(&uri));
        let mut folders: Vec<PathBuf> = paths.collect();
        folders.extend(parameters["rootPath"].as_str().map(PathBuf::from).filter(|_| uris.is_empty()));
        Workspace { folders, ..Workspace::default() }
    }

    /// The declarations whose names have the letters of a query in this order, whatever their case. `open` are the
    /// texts that count instead of files.
    pub fn symbols(&self, open: &BTreeMap<PathBuf, String>, query: &str) -> Vec<SymbolInformation> {
        let mut found = vec![];
        let mut paths: Vec<PathBuf> = open.keys().cloned().collect();
        let beside = open.keys().filter_map(|path| path.parent()).filter(|folder| folder.is_absolute());
        for folder in self.folders.iter().map(PathBuf::as_path) {
            collect(folder, tuning().server.folders, &mut paths);
        }
        for folder in beside {
            collect(folder, 0, &mut paths);
        }
        paths.sort();
        paths.dedup();
        for path in paths.into_iter().take(tuning().server.files) {
            let symbols = match open.get(&path) {
                Some(text) => of_text(&path, text.clone().into_bytes()),
                None => self.of_file(&path),
            };
            let Some(uri) = uri::of_path(&path) else { continue };
            for symbol in symbols.into_iter().filter(|symbol| fits(&symbol.name, query)) {
                found.push(information(symbol, uri.clone()));
            }
        }
        // The whole query first, then names that begin with it.
        let query = query.to_lowercase();
        let rank = |name: &str| {
            let name = name.to_lowercase();
            (name != query, !name.starts_with(&query), !name.contains(&query))
        };
        found.sort_by_cached_key(|symbol| (rank(&symbol.name), symbol.name.clone()));
        found.truncate(tuning().server.symbols);
        found
    }

    fn of_file(&self, path: &Path) -> Vec<Symbol> {
        let Ok(metadata) = path.metadata() else { return vec![] };
        let (time, size) = (metadata.modified().ok(), metadata.len());
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, _, symbols)) = lock().get(path).filter(|known| (known.0, known.1) == (time, size)) {
            return symbols.clone();
        }
        let symbols = std::fs::read(path).map(|bytes| of_text(path, bytes)).unwrap_or_default();
        lock().insert(path.to_owned(), (time, size, symbols.clone()));
        symbols
    }
}

// Folders of tools hold copies.
fn collect(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if paths.len() >= tuning().server.files {
            return;
        }
        let (path, name) = (entry.path(), entry.file_name());
        let is_folder = entry.file_type().is_ok_and(|of| of.is_dir());
        let hidden = name.to_string_lossy().starts_with('.') || name == "node_modules" || name == "target";
        if is_folder && depth > 0 && !hidden {
            collect(&path, depth - 1, paths);
        } else if !is_folder && machine::is_machine(&path) {
            paths.push(path);
        }
    }
}

fn of_text(path: &Path, bytes: Vec<u8>) -> Vec<Symbol> {
    let texts: Texts = [(path.to_owned(), bytes)].into_iter().collect();
    let mut sources = Sources::default();
    if files::add(&mut sources, &texts, path).is_err() {
        return vec![];
    }
    let outline = match eventb::is_event_b(&texts, path) {
        true => eventb::read(&texts, path).map(|(sources, project)| eventb::outline(&sources, &project)),
        false => Some(symbols::of_file(&sources)),
    };
    let mut out = vec![];
    flatten(outline.unwrap_or_default(), None, &mut out);
    out
}

fn flatten(symbols: Vec<DocumentSymbol>, container: Option<&str>, out: &mut Vec<Symbol>) {
    for symbol in symbols {
        let (name, kind, range) = (symbol.name, symbol.kind, symbol.selection_range);
        out.push(Symbol { name: name.clone(), kind, range, container: container.map(str::to_string) });
        flatten(symbol.children.unwrap_or_default(), Some(&name), out);
    }
}

fn fits(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    query.chars().flat_map(char::to_lowercase).all(|wanted| letters.any(|letter| letter == wanted))
}

#[allow(deprecated)] // A literal must name the deprecated field.
fn information(symbol: Symbol, uri: Uri) -> SymbolInformation {
    SymbolInformation {
        name: symbol.name,
        kind: symbol.kind,
        tags: None,
        deprecated: None,
        location: Location::new(uri, symbol.range),
        container_name: symbol.container,
    }
}
