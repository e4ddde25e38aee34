//! Analyses of the open texts, kept until one of them changes.
//!
//! An editor sends many requests after each keystroke (colours, outline, uses of a name, signs of mistakes): the text
//! is read once for all of them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use bsym_language::load::{self, LoadError, LoadRequest, Loaded, Parsed};

use super::documents::Documents;
use super::machine::Trees;
use crate::settings::Settings;

/// Trees and models by path.
#[derive(Default)]
pub struct Analyses {
    parsed: RefCell<BTreeMap<PathBuf, Rc<Parsed>>>,
    trees: RefCell<BTreeMap<PathBuf, Option<Rc<Trees>>>>,
    loaded: RefCell<BTreeMap<PathBuf, Rc<Loaded>>>,
}

impl Analyses {
    /// Forgets everything: a text has changed, and others may refer to it.
    pub fn clear(&mut self) {
        *self = Analyses::default();
    }

    /// A machine's trees and names; `None` where there is no text.
    pub fn trees(&self, documents: &Documents, path: &Path) -> Option<Rc<Trees>> {
        if let Some(known) = self.trees.borrow().get(path) {
            return known.clone();
        }
        let machines = match super::eventb::is_event_b(documents, path) {
            true => None,
            false => self
                .parsed(documents, path)
                .ok()
                .and_then(|parsed| Some(Trees::of(parsed.sources().clone(), parsed.machines()?.clone()))),
        };
        let trees = machines.or_else(|| Trees::read(documents, path)).map(Rc::new);
        self.trees.borrow_mut().insert(path.to_owned(), trees.clone());
        trees
    }

    /// A machine's model with the messages about it.
    ///
    /// # Errors
    /// There is no text.
    pub fn loaded(&self, documents: &Documents, path: &Path) -> Result<Rc<Loaded>, LoadError> {
        if let Some(known) = self.loaded.borrow().get(path) {
            return Ok(known.clone());
        }
        let loaded = Rc::new(self.parsed(documents, path)?.check());
        self.loaded.borrow_mut().insert(path.to_owned(), loaded.clone());
        Ok(loaded)
    }

    fn parsed(&self, documents: &Documents, path: &Path) -> Result<Rc<Parsed>, LoadError> {
        if let Some(known) = self.parsed.borrow().get(path) {
            return Ok(known.clone());
        }
        // Settings with a mistake are silent here: the commands report the place.
        let include_path = Settings::of(path).unwrap_or_default().include_path().to_vec();
        let request = LoadRequest { include_path, ..LoadRequest::default() };
        let parsed = Rc::new(load::parse_in(documents, path, &request)?);
        self.parsed.borrow_mut().insert(path.to_owned(), parsed.clone());
        Ok(parsed)
    }
}
