//! State of the server: the open texts, those that wait to be checked, and the diagnostics shown for each file.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use bsym_language::load::Loaded;
use crossbeam_channel::Sender;
use lsp_server::{Notification, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument,
    DidSaveTextDocument, Notification as _, PublishDiagnostics,
};
use lsp_types::{CodeLens, Diagnostic, PublishDiagnosticsParams, Uri};
use serde::de::DeserializeOwned;

use super::analyses::Analyses;
use super::checks::{Checks, Findings, Settings, Texts};
use super::documents::{Document, Documents};
use super::machine::Trees;
use super::workspace::Workspace;
use super::{diagnostics, lens, tokens};
use crate::uri;

/// Message from another thread to the server.
pub enum Done {
    /// The answer to a request.
    Answered(Response),
    /// Findings of the check with this number.
    Checked(u64, Findings),
}

/// One open machine as it was last read.
struct Reading {
    /// The files that it was read from.
    files: BTreeSet<PathBuf>,
    /// The messages by file.
    messages: BTreeMap<PathBuf, Vec<Diagnostic>>,
}

/// The open texts with their diagnostics.
pub struct Server {
    /// The open texts.
    pub documents: Documents,
    /// The folders of the editor.
    pub workspace: Workspace,
    /// Channel on which other threads report their results.
    pub done: Sender<Done>,
    /// The command of the editor that shows a trace, where it has one.
    pub trace_command: Option<String>,
    /// Checks in processes of their own.
    pub checks: Checks,
    analyses: Analyses,
    /// The semantic tokens that the editor has.
    pub tokens: RefCell<tokens::Sent>,
    /// The machines that lenses were asked for, with the texts that they were about.
    lenses: BTreeMap<PathBuf, Option<Texts>>,
    readings: BTreeMap<PathBuf, Reading>,
    /// Texts that wait to be checked, in this order.
    waiting: Vec<PathBuf>,
    /// Diagnostics that the editor shows now.
    shown: BTreeMap<PathBuf, Vec<Diagnostic>>,
}

impl Server {
    /// Makes a server without texts, for an editor that sent `initialize` with these parameters.
    pub fn new(parameters: &serde_json::Value, done: Sender<Done>) -> Server {
        let found = done.clone();
        let say = Arc::new(move |number, findings| {
            // After the end of the server no receiver is left.
            let _ = found.send(Done::Checked(number, findings));
        });
        Server {
            documents: Documents::default(),
            workspace: Workspace::of(parameters),
            checks: Checks::new(Settings::of(parameters), say),
            done,
            trace_command: parameters["initializationOptions"]["traceCommand"].as_str().map(str::to_string),
            analyses: Analyses::default(),
            tokens: RefCell::default(),
            lenses: BTreeMap::new(),
            readings: BTreeMap::new(),
            waiting: vec![],
            shown: BTreeMap::new(),
        }
    }

    /// Returns whether a text waits to be checked.
    pub fn has_work(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Checks one text that waits, and returns the notifications about changed diagnostics.
    pub fn work(&mut self) -> Vec<Notification> {
        if self.waiting.is_empty() {
            return vec![];
        }
        let path = self.waiting.remove(0);
        self.check_again(&path);
        if self.documents.get(&path).is_none() {
            return self.show(None);
        }
        let reading = match self.analyses.loaded(&self.documents, &path) {
            Ok(loaded) => {
                Reading { files: files(&loaded), messages: diagnostics::of_machine(&path, &loaded) }
            }
            Err(error) => {
                let messages = diagnostics::unreadable(&path, error.to_string());
                Reading { files: BTreeSet::from([path.clone()]), messages }
            }
        };
        self.readings.insert(path.clone(), reading);
        self.show(Some(&path))
    }

    /// The lenses of a machine; the check that they wait for begins when the texts have rested.
    pub fn code_lenses(&mut self, uri: &Uri) -> Vec<CodeLens> {
        if !self.checks.are_enabled() {
            return vec![];
        }
        let path = uri::path(uri);
        let texts = self.texts_to_check(&path);
        self.lenses.insert(path.clone(), texts.clone());
        let (Some(texts), Some(trees), Some(loaded)) = (texts, self.trees(uri), self.loaded(uri)) else {
            return vec![];
        };
        self.checks.want(&path, &texts);
        let findings = self.checks.findings(&texts);
        let model = loaded.model.as_ref();
        let command = self.trace_command.as_deref();
        model.map(|model| lens::lenses(&trees, model, findings, uri, command)).unwrap_or_default()
    }

    // `None` where the machine has mistakes, or is no machine.
    fn texts_to_check(&self, path: &Path) -> Option<Texts> {
        self.documents.get(path)?;
        let loaded = self.analyses.loaded(&self.documents, path).ok()?;
        loaded.model.as_ref().map(|_| lens::texts(&loaded))
    }

    // A machine whose texts have changed is checked again, even without a request of the editor.
    fn check_again(&mut self, path: &Path) {
        if !self.lenses.contains_key(path) {
            return;
        }
        match self.texts_to_check(path) {
            Some(texts) => self.checks.want(path, &texts),
            None => self.checks.cancel(path),
        }
    }

    /// Returns whether the editor shows lenses about other texts than the current ones: those of a machine that refers
    /// to an edited one.
    pub fn has_old_lenses(&mut self) -> bool {
        let shown: Vec<(PathBuf, Option<Texts>)> =
            self.lenses.iter().map(|(path, texts)| (path.clone(), texts.clone())).collect();
        let mut is_old = false;
        for (path, before) in shown {
            let now = self.texts_to_check(&path);
            if now != before {
                is_old = true;
                self.lenses.insert(path, now);
            }
        }
        is_old
    }

    /// Handles a notification; those of other servers are ignored.
    pub fn note(&mut self, notification: Notification) {
        self.analyses.clear();
        match notification.method.as_str() {
            DidOpenTextDocument::METHOD => self.opened(notification),
            DidChangeTextDocument::METHOD => self.changed(notification),
            DidCloseTextDocument::METHOD => self.closed(notification),
            // Others may have changed what an open machine refers to.
            DidSaveTextDocument::METHOD | DidChangeWatchedFiles::METHOD => {
                let paths: Vec<PathBuf> = self.documents.paths().cloned().collect();
                paths.into_iter().for_each(|path| self.wait_for(path));
            }
            _ => {}
        }
    }

    /// A machine's trees and names; `None` where there is no text.
    pub fn trees(&self, uri: &Uri) -> Option<Rc<Trees>> {
        self.analyses.trees(&self.documents, &uri::path(uri))
    }

    /// A machine's model with the messages about it.
    pub fn loaded(&self, uri: &Uri) -> Option<Rc<Loaded>> {
        self.analyses.loaded(&self.documents, &uri::path(uri)).ok()
    }

    fn opened(&mut self, notification: Notification) {
        let Some(p) = parameters::<DidOpenTextDocument>(notification) else { return };
        let document = p.text_document;
        let path = uri::path(&document.uri);
        let (uri, version, text) = (document.uri, document.version, document.text);
        self.documents.open(path.clone(), Document { uri, version, text });
        self.wait_for(path);
        // Another machine may refer to a new name.
        let others: Vec<PathBuf> = self.documents.paths().cloned().collect();
        others.into_iter().for_each(|path| self.wait_for(path));
    }

    fn changed(&mut self, notification: Notification) {
        let Some(p) = parameters::<DidChangeTextDocument>(notification) else { return };
        let path = uri::path(&p.text_document.uri);
        let Some(document) = self.documents.get_mut(&path) else { return };
        self.checks.cancel(&path);
        document.change(p.text_document.version, p.content_changes);
        let readers = self.readings.iter().filter(|(_, reading)| reading.files.contains(&path));
        let readers: Vec<PathBuf> = readers.map(|(reader, _)| reader.clone()).collect();
        // The text that is typed in comes before those that refer to it.
        self.waiting.retain(|other| *other != path);
        self.waiting.insert(0, path);
        readers.into_iter().for_each(|reader| self.wait_for(reader));
    }

    fn closed(&mut self, notification: Notification) {
        let Some(p) = parameters::<DidCloseTextDocument>(notification) else { return };
        let path = uri::path(&p.text_document.uri);
        self.documents.close(&path);
        self.tokens.get_mut().forget(&path);
        self.checks.cancel(&path);
        self.lenses.remove(&path);
        self.readings.remove(&path);
        self.wait_for(path);
        let others: Vec<PathBuf> = self.documents.paths().cloned().collect();
        others.into_iter().for_each(|path| self.wait_for(path));
    }

    fn wait_for(&mut self, path: PathBuf) {
        if !self.waiting.contains(&path) {
            self.waiting.push(path);
        }
    }

    // Publishes diagnostics. An open file shows those from its own reading, another one those from reading others.
    // Those of the file that was just read are sent again even where they have not changed: then the editor knows for
    // which version they are true.
    fn show(&mut self, read: Option<&Path>) -> Vec<Notification> {
        let mut now: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
        for (reader, reading) in &self.readings {
            for (file, messages) in &reading.messages {
                if reader != file && self.documents.get(file).is_some() {
                    continue;
                }
                let all = now.entry(file.clone()).or_default();
                for message in messages {
                    if !all.contains(message) {
                        all.push(message.clone());
                    }
                }
            }
        }
        let gone = self.shown.keys().filter(|file| !now.contains_key(*file));
        let gone: Vec<Notification> = gone.filter_map(|file| self.publish(file, vec![])).collect();
        let changed = now.iter().filter(|(file, messages)| {
            read == Some(file.as_path()) || self.shown.get(*file) != Some(*messages)
        });
        let changed = changed.filter_map(|(file, messages)| self.publish(file, messages.clone()));
        let out = gone.into_iter().chain(changed).collect();
        self.shown = now;
        out
    }

    fn publish(&self, file: &Path, diagnostics: Vec<Diagnostic>) -> Option<Notification> {
        let open = self.documents.get(file);
        let uri = open.map(|d| d.uri.clone()).or_else(|| uri::of_path(file))?;
        let version = open.map(|d| d.version);
        let parameters = PublishDiagnosticsParams { uri, diagnostics, version };
        Some(Notification::new(PublishDiagnostics::METHOD.into(), parameters))
    }
}

fn files(loaded: &Loaded) -> BTreeSet<PathBuf> {
    loaded.sources.iter().map(|(_, source)| source.path.clone()).collect()
}

// A notification that cannot be read is skipped: no reply is possible.
fn parameters<N>(notification: Notification) -> Option<N::Params>
where
    N: lsp_types::notification::Notification,
    N::Params: DeserializeOwned,
{
    let method = notification.method.clone();
    let read = serde_json::from_value(notification.params);
    read.map_err(|error| tracing::warn!("{method} cannot be read: {error}")).ok()
}
