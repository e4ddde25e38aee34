//! The requests of the language server: its capabilities, and the module that answers each request.

use std::path::PathBuf;

use lsp_server::{ErrorCode, Request, Response};
use lsp_types::request::{
    CodeActionRequest, CodeLensRequest, Completion, DocumentHighlightRequest, DocumentSymbolRequest,
    FoldingRangeRequest, Formatting, GotoDefinition, HoverRequest, PrepareRenameRequest, RangeFormatting,
    References, Rename, Request as _, SemanticTokensFullDeltaRequest, SemanticTokensFullRequest,
    SemanticTokensRangeRequest, SignatureHelpRequest, WorkspaceSymbolRequest,
};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeLensOptions, CompletionOptions, DocumentSymbolResponse,
    FormattingOptions, OneOf, PrepareRenameResponse, Range, RenameOptions, SemanticTokens,
    SemanticTokensFullOptions, SemanticTokensOptions, SemanticTokensResult, ServerCapabilities,
    SignatureHelpOptions, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextEdit, Uri, WorkDoneProgressOptions,
};
use serde_json::Value as Json;

use super::server::{Done, Server};
use super::{actions, completion, eventb, format, hover, references, signature, symbols, tokens};
use crate::tuning::tuning;
use crate::uri;

/// Capabilities of the server.
pub fn capabilities() -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(true.into()),
        ..TextDocumentSyncOptions::default()
    };
    let rename = RenameOptions {
        prepare_provider: Some(true),
        work_done_progress_options: WorkDoneProgressOptions::default(),
    };
    let tokens = SemanticTokensOptions {
        legend: tokens::legend(),
        range: Some(true),
        full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
        ..SemanticTokensOptions::default()
    };
    let quick_fix = Some(vec![CodeActionKind::QUICKFIX]);
    let characters = |list: &[&str]| Some(list.iter().map(|c| c.to_string()).collect());
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(true.into()),
        hover_provider: Some(true.into()),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(rename)),
        completion_provider: Some(CompletionOptions::default()),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: characters(&["(", ","]),
            ..SignatureHelpOptions::default()
        }),
        code_action_provider: Some(
            CodeActionOptions { code_action_kinds: quick_fix, ..CodeActionOptions::default() }.into(),
        ),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        semantic_tokens_provider: Some(tokens.into()),
        ..ServerCapabilities::default()
    }
}

/// The result of a request, or the error.
type Answer = Result<Json, (ErrorCode, String)>;

impl Server {
    /// Answers a request; returns `None` where another thread does.
    pub fn answer(&mut self, request: Request) -> Option<Response> {
        let id = request.id.clone();
        if request.method == WorkspaceSymbolRequest::METHOD {
            return self.workspace_symbols(request);
        }
        let result = match request.method.as_str() {
            CodeLensRequest::METHOD => {
                on::<CodeLensRequest>(request, |p| Ok(Some(self.code_lenses(&p.text_document.uri))))
            }
            _ => self.result(request),
        };
        Some(match result {
            Ok(result) => Response { id, result: Some(result), error: None },
            Err((code, message)) => Response::new_err(id, code as i32, message),
        })
    }

    fn result(&self, request: Request) -> Answer {
        match request.method.as_str() {
            DocumentSymbolRequest::METHOD => on::<DocumentSymbolRequest>(request, |p| {
                let trees = self.trees(&p.text_document.uri);
                Ok(trees.map(|trees| DocumentSymbolResponse::Nested(symbols::outline(&trees))))
            }),
            FoldingRangeRequest::METHOD => on::<FoldingRangeRequest>(request, |p| {
                Ok(self.trees(&p.text_document.uri).map(|trees| symbols::folding(&trees)))
            }),
            HoverRequest::METHOD => on::<HoverRequest>(request, |p| {
                let at = p.text_document_position_params;
                let (trees, loaded) = (self.trees(&at.text_document.uri), self.loaded(&at.text_document.uri));
                Ok(trees.and_then(|trees| hover::hover(&trees, loaded.as_deref(), at.position)))
            }),
            GotoDefinition::METHOD => on::<GotoDefinition>(request, |p| {
                let at = p.text_document_position_params;
                let found = self.trees(&at.text_document.uri).and_then(|trees| trees.definition(at.position));
                Ok(found.map(Into::into))
            }),
            References::METHOD => on::<References>(request, |p| {
                let (at, declared) = (p.text_document_position, p.context.include_declaration);
                let path = uri::path(&at.text_document.uri);
                Ok(Some(references::references(&self.documents, &path, at.position, declared)))
            }),
            DocumentHighlightRequest::METHOD => on::<DocumentHighlightRequest>(request, |p| {
                let at = p.text_document_position_params;
                let trees = self.trees(&at.text_document.uri);
                Ok(trees.and_then(|trees| references::highlights(&trees, at.position)))
            }),
            PrepareRenameRequest::METHOD => on::<PrepareRenameRequest>(request, |at| {
                let trees = self.trees(&at.text_document.uri).ok_or("there is no text")?;
                Ok(Some(PrepareRenameResponse::Range(references::prepare(&trees, at.position)?)))
            }),
            Rename::METHOD => on::<Rename>(request, |p| {
                let at = p.text_document_position;
                let path = uri::path(&at.text_document.uri);
                references::rename(&self.documents, &path, at.position, &p.new_name).map(Some)
            }),
            Completion::METHOD => on::<Completion>(request, |p| {
                let at = p.text_document_position;
                let (trees, loaded) = (self.trees(&at.text_document.uri), self.loaded(&at.text_document.uri));
                let items = trees.map(|trees| completion::completion(&trees, loaded.as_deref(), at.position));
                Ok(items.map(Into::into))
            }),
            SignatureHelpRequest::METHOD => on::<SignatureHelpRequest>(request, |p| {
                let at = p.text_document_position_params;
                let (trees, loaded) = (self.trees(&at.text_document.uri), self.loaded(&at.text_document.uri));
                Ok(trees.and_then(|trees| signature::help(&trees, loaded.as_deref(), at.position)))
            }),
            CodeActionRequest::METHOD => on::<CodeActionRequest>(request, |p| {
                let uri = p.text_document.uri;
                Ok(self.loaded(&uri).map(|loaded| actions::actions(&loaded, &uri, p.range)))
            }),
            Formatting::METHOD => {
                on::<Formatting>(request, |p| Ok(self.formatted(&p.text_document.uri, &p.options, None)))
            }
            RangeFormatting::METHOD => on::<RangeFormatting>(request, |p| {
                Ok(self.formatted(&p.text_document.uri, &p.options, Some(p.range)))
            }),
            SemanticTokensFullRequest::METHOD => on::<SemanticTokensFullRequest>(request, |p| {
                let (path, tokens) = self.colours(&p.text_document.uri);
                let whole = |tokens| self.tokens.borrow_mut().whole(&path, tokens);
                Ok(tokens.map(|tokens| SemanticTokensResult::Tokens(whole(tokens))))
            }),
            SemanticTokensFullDeltaRequest::METHOD => on::<SemanticTokensFullDeltaRequest>(request, |p| {
                let (path, tokens) = self.colours(&p.text_document.uri);
                let changes = |tokens| self.tokens.borrow_mut().changes(&path, &p.previous_result_id, tokens);
                Ok(tokens.map(changes))
            }),
            SemanticTokensRangeRequest::METHOD => on::<SemanticTokensRangeRequest>(request, |p| {
                let trees = self.trees(&p.text_document.uri);
                Ok(trees.map(|trees| tokens::tokens(&trees, Some(p.range)).into()))
            }),
            method => Err((ErrorCode::MethodNotFound, format!("method not supported: `{method}`"))),
        }
    }

    // The path of a text, and its semantic tokens.
    fn colours(&self, uri: &Uri) -> (PathBuf, Option<SemanticTokens>) {
        let tokens = self.trees(uri).map(|trees| tokens::tokens(&trees, None));
        (uri::path(uri), tokens)
    }

    fn formatted(
        &self,
        uri: &Uri,
        options: &FormattingOptions,
        within: Option<Range>,
    ) -> Option<Vec<TextEdit>> {
        let path = uri::path(uri);
        let notation = match (eventb::is_component(&path), eventb::is_event_b(&self.documents, &path)) {
            (true, _) => return None,
            (false, true) => format::Notation::EventB,
            (false, false) => format::Notation::Classical,
        };
        let document = self.documents.get(&path)?;
        Some(format::edits(&document.text, notation, options, within))
    }

    fn workspace_symbols(&self, request: Request) -> Option<Response> {
        let (open, workspace, done) = (self.documents.texts(), self.workspace.clone(), self.done.clone());
        let id = request.id.clone();
        let search = move || {
            let query = request.params["query"].as_str().unwrap_or("");
            let response = Response::new_ok(request.id, workspace.symbols(&open, query));
            // After the end of the server no receiver is left.
            let _ = done.send(Done::Answered(response));
        };
        let started = std::thread::Builder::new().stack_size(tuning().server.stack).spawn(search);
        started.err().map(|error| Response::new_err(id, ErrorCode::InternalError as i32, error.to_string()))
    }
}

// Reads the parameters of a request, and writes the result.
fn on<R: lsp_types::request::Request>(
    request: Request,
    answer: impl FnOnce(R::Params) -> Result<R::Result, String>,
) -> Answer {
    let parameters = serde_json::from_value(request.params);
    let parameters = parameters.map_err(|error| (ErrorCode::InvalidParams, error.to_string()))?;
    let result = answer(parameters).map_err(|message| (ErrorCode::RequestFailed, message))?;
    serde_json::to_value(result).map_err(|error| (ErrorCode::InternalError, error.to_string()))
}
