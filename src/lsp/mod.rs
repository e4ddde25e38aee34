//! The language server: messages of the Language Server Protocol on standard input and output.
//!
//! It receives the editor's texts, as they are typed, and sends messages about them, from the same pipeline that every
//! command reads machines with. A machine that is open takes precedence over its file, also where others refer to it.
//! Nothing here decides what is right: [`bsym_language`] does.
//!
//! - `position` and `uri`: names of places and files in the protocol.
//! - `documents`: the open texts; `diagnostics`: messages in the protocol's form.
//! - `names`: the declaration that each name refers to; `machine`: a machine's trees and names, and where a name is
//!   declared.
//! - `symbols` (of which `outline` makes one), `hover`, `references` (with renaming), `completion`, `signature` and
//!   `tokens` answer from these; `operators` knows the meaning of symbols, `actions` corrects what messages point at,
//!   `format` indents, `workspace` searches all files.
//! - `eventb`: names and outline of Rodin's components.
//! - `checks`: checks in processes of their own; `lens`: their verdicts above invariants and operations.
//! - `server`: the open texts with their diagnostics, and notifications; `requests`: dispatch of requests to modules;
//!   `analyses`: analyses of the texts, kept until one of them changes.
//!
//! A text is checked when no message is waiting, so that only the last of several quick keystrokes is answered.

mod actions;
mod analyses;
mod checks;
mod completion;
mod diagnostics;
mod documents;
mod eventb;
mod format;
mod hover;
mod lens;
mod machine;
mod names;
mod operators;
mod outline;
mod position;
mod references;
mod requests;
mod server;
mod signature;
mod symbols;
mod tokens;
mod workspace;

use std::time::Duration;

use crossbeam_channel::{select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Request, Response};
use lsp_types::request::{CodeLensRefresh, Request as _};
use serde_json::json;

use crate::exit::Exit;
use crate::output;
use crate::race::control::Control;
use crate::tuning::tuning;

use server::{Done, Server};

/// Serves an editor until it sends `exit`, its end of the pipe closes, or Ctrl-C.
pub fn run(control: &Control) -> Exit {
    let (connection, threads) = Connection::stdio();
    let ended = serve(&connection, control);
    // Closes our end, so that pending output is still written.
    drop(connection);
    if ended == Ended::Interrupted {
        // The thread that reads cannot be woken.
        return Exit::Unknown;
    }
    if let Err(error) = threads.join() {
        output::note(&format!("error: the editor cannot be understood: {error}"));
        return Exit::Refused;
    }
    if ended == Ended::Asked { Exit::Done } else { Exit::Violated }
}

/// Requests to the editor to ask for lenses again.
#[derive(Default)]
struct Refreshing {
    /// `true` if the editor supports the request.
    is_known: bool,
    requests: i32,
}

impl Refreshing {
    fn request(&mut self) -> Option<Message> {
        self.requests += 1;
        let request = Request::new(self.requests.into(), CodeLensRefresh::METHOD.into(), ());
        self.is_known.then(|| request.into())
    }
}

/// Reason why the server ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ended {
    /// `shutdown`, then `exit` or the end of the input.
    Asked,
    /// The editor ended the connection without `shutdown`.
    Left,
    /// Ctrl-C.
    Interrupted,
}

fn serve(connection: &Connection, control: &Control) -> Ended {
    let mut server: Option<Server> = None;
    let mut is_shut_down = false;
    let (done, results) = unbounded();
    let mut refreshing = Refreshing::default();
    loop {
        if control.stopped().is_some() {
            return Ended::Interrupted;
        }
        let wait = server.as_ref().map_or(tuning().server.tick, |server| match server.checks.rest() {
            _ if server.has_work() => Duration::ZERO,
            Some(rest) => rest.min(tuning().server.tick),
            None => tuning().server.tick,
        });
        let received = select! {
            recv(connection.receiver) -> message => Some(message),
            recv(results) -> done => {
                let said = match (done, &mut server) {
                    (Ok(Done::Answered(response)), _) => Some(Message::from(response)),
                    (Ok(Done::Checked(number, findings)), Some(server)) => {
                        let is_new = server.checks.found(number, findings);
                        is_new.then(|| refreshing.request()).flatten()
                    }
                    _ => None,
                };
                if said.is_some_and(|message| connection.sender.send(message).is_err()) {
                    return Ended::Left;
                }
                continue;
            }
            default(wait) => None,
        };
        let message = match received {
            Some(Ok(message)) => message,
            None => {
                let said = server.as_mut().map(|server| survived(|| server.work()).unwrap_or_default());
                let said = said.unwrap_or_default();
                let rested = server.as_mut().filter(|server| !server.has_work());
                let is_old = rested.is_some_and(|server| {
                    server.checks.begin();
                    !said.is_empty() && survived(|| server.has_old_lenses()).unwrap_or(false)
                });
                let refresh = if is_old { refreshing.request() } else { None };
                let said = said.into_iter().map(Message::from).chain(refresh);
                if said.into_iter().any(|message| connection.sender.send(message).is_err()) {
                    return Ended::Left;
                }
                continue;
            }
            Some(Err(_)) => return if is_shut_down { Ended::Asked } else { Ended::Left },
        };
        let answer = match (message, &mut server) {
            (Message::Notification(n), _) if n.method == "exit" => {
                return if is_shut_down { Ended::Asked } else { Ended::Left };
            }
            (Message::Request(request), _) if is_shut_down => {
                Some(refused(&request, ErrorCode::InvalidRequest, "the server is shut down"))
            }
            (Message::Request(request), None) if request.method == "initialize" => {
                refreshing.is_known =
                    request.params["capabilities"]["workspace"]["codeLens"]["refreshSupport"] == true;
                server = Some(Server::new(&request.params, done.clone()));
                let info = json!({ "name": "bsym", "version": env!("CARGO_PKG_VERSION") });
                let result = json!({ "capabilities": requests::capabilities(), "serverInfo": info });
                Some(Response::new_ok(request.id, result))
            }
            (Message::Request(request), None) => {
                Some(refused(&request, ErrorCode::ServerNotInitialized, "`initialize` comes first"))
            }
            (Message::Request(request), Some(_)) if request.method == "shutdown" => {
                is_shut_down = true;
                Some(Response::new_ok(request.id, ()))
            }
            (Message::Request(request), Some(server)) => {
                let id = request.id.clone();
                let fault =
                    || Response::new_err(id, ErrorCode::InternalError as i32, "a fault of bsym".into());
                survived(|| server.answer(request)).unwrap_or_else(|| Some(fault()))
            }
            (Message::Notification(n), Some(server)) => {
                server.note(n);
                None
            }
            (Message::Notification(_), None) | (Message::Response(_), _) => None,
        };
        if answer.is_some_and(|a| connection.sender.send(a.into()).is_err()) {
            return Ended::Left;
        }
    }
}

/// Runs some work; returns `None` where it panics, which is reported on standard error. A fault in one text must not
/// affect the others: texts are always whole, and findings about a text are computed again when it changes.
fn survived<T>(work: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).ok()
}

fn refused(request: &Request, code: ErrorCode, message: &str) -> Response {
    Response::new_err(request.id.clone(), code as i32, message.into())
}
