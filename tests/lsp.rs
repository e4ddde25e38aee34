//! `bsym lsp` as an editor meets it: the program itself, over its standard input and output.

#[path = "lsp/client.rs"]
mod client;
mod common;
#[path = "lsp/event_b.rs"]
mod event_b;
#[path = "lsp/messages.rs"]
mod messages;
#[path = "lsp/names.rs"]
mod names;
#[path = "lsp/verdicts.rs"]
mod verdicts;
#[path = "lsp/words.rs"]
mod words;
