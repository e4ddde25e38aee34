//! What the server knows: the open texts, which of them are to be looked at, and what was said of which file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bsym_language::load::{self, Loaded};
use lsp_server::{ErrorCode, Notification, Request, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument,
    DidSaveTextDocument, Notification as _, PublishDiagnostics,
};
use lsp_types::request::{
    Completion, DocumentSymbolRequest, FoldingRangeRequest, GotoDefinition, HoverRequest,
    PrepareRenameRequest, References, Rename, Request as _,
};
use lsp_types::{
    CompletionOptions, Diagnostic, DocumentSymbolResponse, OneOf, PrepareRenameResponse,
    PublishDiagnosticsParams, RenameOptions, ServerCapabilities, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, Uri, WorkDoneProgressOptions,
};
use serde::de::DeserializeOwned;

use super::documents::{Document, Documents};
use super::machine::Trees;
use super::{completion, diagnostics, hover, references, symbols};
use crate::uri;

/// What the server can do.
pub fn capabilities() -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(true.into()),
        ..TextDocumentSyncOptions::default()
    };
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        document_symbol_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(true.into()),
        hover_provider: Some(true.into()),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        completion_provider: Some(CompletionOptions::default()),
        ..ServerCapabilities::default()
    }
}

/// One open machine as it was last read.
struct Reading {
    /// The files that it was read from.
    files: BTreeSet<PathBuf>,
    /// The messages by file.
    messages: BTreeMap<PathBuf, Vec<Diagnostic>>,
}

/// The open texts with what was said of them.
#[derive(Default)]
pub struct Server {
    documents: Documents,
    readings: BTreeMap<PathBuf, Reading>,
    /// Texts to look at, in this order.
    waiting: Vec<PathBuf>,
    /// What the editor shows now.
    shown: BTreeMap<PathBuf, Vec<Diagnostic>>,
}

impl Server {
    /// Whether a text is to be looked at.
    pub fn has_work(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Looks at one text that waits, and says what has changed.
    pub fn work(&mut self) -> Vec<Notification> {
        if self.waiting.is_empty() {
            return vec![];
        }
        let path = self.waiting.remove(0);
        if self.documents.get(&path).is_none() {
            return self.show(None);
        }
        let reading = match load::load_from(&self.documents, &path) {
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

    /// Takes a notification; those of other servers are none of ours.
    pub fn note(&mut self, notification: Notification) {
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

    /// Answers a request.
    pub fn answer(&self, request: Request) -> Response {
        let id = request.id.clone();
        let done = match request.method.as_str() {
            DocumentSymbolRequest::METHOD => self.on::<DocumentSymbolRequest>(request, |p| {
                let trees = self.trees(&p.text_document.uri);
                Ok(trees.map(|trees| DocumentSymbolResponse::Nested(symbols::outline(&trees))))
            }),
            FoldingRangeRequest::METHOD => self.on::<FoldingRangeRequest>(request, |p| {
                Ok(self.trees(&p.text_document.uri).map(|trees| symbols::folding(&trees)))
            }),
            HoverRequest::METHOD => self.on::<HoverRequest>(request, |p| {
                let at = p.text_document_position_params;
                let (trees, loaded) = (self.trees(&at.text_document.uri), self.loaded(&at.text_document.uri));
                Ok(trees.and_then(|trees| hover::hover(&trees, loaded.as_ref(), at.position)))
            }),
            GotoDefinition::METHOD => self.on::<GotoDefinition>(request, |p| {
                let at = p.text_document_position_params;
                let found = self.trees(&at.text_document.uri).and_then(|trees| trees.definition(at.position));
                Ok(found.map(Into::into))
            }),
            References::METHOD => self.on::<References>(request, |p| {
                let (at, declared) = (p.text_document_position, p.context.include_declaration);
                let path = uri::path(&at.text_document.uri);
                Ok(Some(references::references(&self.documents, &path, at.position, declared)))
            }),
            PrepareRenameRequest::METHOD => self.on::<PrepareRenameRequest>(request, |at| {
                let trees = self.trees(&at.text_document.uri).ok_or("there is no text")?;
                Ok(Some(PrepareRenameResponse::Range(references::prepare(&trees, at.position)?)))
            }),
            Rename::METHOD => self.on::<Rename>(request, |p| {
                let at = p.text_document_position;
                let path = uri::path(&at.text_document.uri);
                references::rename(&self.documents, &path, at.position, &p.new_name).map(Some)
            }),
            Completion::METHOD => self.on::<Completion>(request, |p| {
                let at = p.text_document_position;
                let (trees, loaded) = (self.trees(&at.text_document.uri), self.loaded(&at.text_document.uri));
                let items = trees.map(|trees| completion::completion(&trees, loaded.as_ref(), at.position));
                Ok(items.map(Into::into))
            }),
            method => Err((ErrorCode::MethodNotFound, format!("`{method}` is not known here"))),
        };
        match done {
            Ok(result) => Response { id, result: Some(result), error: None },
            Err((code, message)) => Response::new_err(id, code as i32, message),
        }
    }

    // Reads the parameters of a request, and writes the result.
    fn on<R: lsp_types::request::Request>(
        &self,
        request: Request,
        answer: impl FnOnce(R::Params) -> Result<R::Result, String>,
    ) -> Result<serde_json::Value, (ErrorCode, String)> {
        let parameters = serde_json::from_value(request.params);
        let parameters = parameters.map_err(|error| (ErrorCode::InvalidParams, error.to_string()))?;
        let result = answer(parameters).map_err(|message| (ErrorCode::RequestFailed, message))?;
        serde_json::to_value(result).map_err(|error| (ErrorCode::InternalError, error.to_string()))
    }

    fn trees(&self, uri: &Uri) -> Option<Trees> {
        Trees::read(&self.documents, &uri::path(uri))
    }

    fn loaded(&self, uri: &Uri) -> Option<Loaded> {
        load::load_from(&self.documents, &uri::path(uri)).ok()
    }

    fn opened(&mut self, notification: Notification) {
        let Some(p) = parameters::<DidOpenTextDocument>(notification) else { return };
        let document = p.text_document;
        let path = uri::path(&document.uri);
        let (uri, version, text) = (document.uri, document.version, document.text);
        self.documents.open(path.clone(), Document { uri, version, text });
        self.wait_for(path);
        // A new name may be what another machine looks for.
        let others: Vec<PathBuf> = self.documents.paths().cloned().collect();
        others.into_iter().for_each(|path| self.wait_for(path));
    }

    fn changed(&mut self, notification: Notification) {
        let Some(p) = parameters::<DidChangeTextDocument>(notification) else { return };
        let path = uri::path(&p.text_document.uri);
        let Some(document) = self.documents.get_mut(&path) else { return };
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

    // An open file shows what was said when it was read itself, another one what was said while others were read. Of the one
    // that was just read it is said again even where nothing has changed: the editor knows then of which version it is true.
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

// A notification that cannot be read is passed over: there is nobody to tell.
fn parameters<N>(notification: Notification) -> Option<N::Params>
where
    N: lsp_types::notification::Notification,
    N::Params: DeserializeOwned,
{
    let method = notification.method.clone();
    let read = serde_json::from_value(notification.params);
    read.map_err(|error| tracing::warn!("{method} cannot be read: {error}")).ok()
}
