//! The lines of a session: from a terminal with completion and history, or from a pipe.

use std::borrow::Cow;
use std::io::{BufRead, IsTerminal};
use std::path::PathBuf;

use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::command::COMMANDS;
use super::session::Session;
use crate::output;
use crate::paint::Paint;

/// Lines that the history keeps.
const KEPT: usize = 1_000;

/// Source of the lines.
pub enum Lines {
    Terminal(Box<Editor<Words, FileHistory>>),
    Pipe,
}

impl Lines {
    /// The terminal if there is one, else standard input.
    pub fn open() -> Lines {
        if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
            return Lines::Pipe;
        }
        let config = Config::builder().completion_type(CompletionType::List).auto_add_history(true);
        let config = config.max_history_size(KEPT).map(|config| config.build());
        match config.and_then(Editor::with_config) {
            Ok(mut editor) => {
                editor.set_helper(Some(Words { words: vec![], files: FilenameCompleter::new() }));
                if let Some(path) = history() {
                    // The file does not exist before the first session.
                    let _ = editor.load_history(&path);
                }
                Lines::Terminal(Box::new(editor))
            }
            // A terminal that cannot be driven still has lines.
            Err(_) => Lines::Pipe,
        }
    }

    /// Returns whether the input is an interactive terminal.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Lines::Terminal(_))
    }

    /// The next line; `None` at the end.
    pub fn next(&mut self, session: &Session, paint: Paint) -> Option<String> {
        match self {
            Lines::Terminal(editor) => {
                if let Some(helper) = editor.helper_mut() {
                    helper.words = words(session);
                }
                let place = session.at.checked_sub(1).map_or("start".into(), |at| at.to_string());
                let prompt = format!("{}> ", paint.strong(&place));
                loop {
                    match editor.readline(&prompt) {
                        Ok(line) => return Some(line),
                        // Ctrl-C discards the line.
                        Err(ReadlineError::Interrupted) => {}
                        Err(_) => return None,
                    }
                }
            }
            Lines::Pipe => {
                let mut line = String::new();
                match std::io::stdin().lock().read_line(&mut line) {
                    Ok(0) => None,
                    Ok(_) => Some(line.trim_end().to_string()),
                    Err(error) => {
                        output::lost(&format!("standard input cannot be read: {error}"));
                        None
                    }
                }
            }
        }
    }

    /// Stores the lines for the next session, if there is a place for them.
    pub fn keep_history(&mut self) {
        if let (Lines::Terminal(editor), Some(path)) = (self, history()) {
            // The user did not ask for the file: a home that cannot be written is no failure.
            let _ = path.parent().map(std::fs::create_dir_all);
            let _ = editor.save_history(&path);
        }
    }
}

/// The file of the history.
fn history() -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").filter(|v| !v.is_empty()).map(PathBuf::from);
    let folder = state.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?;
    Some(folder.join("bsym").join("animate.history"))
}

/// Words that complete a line at the current position: commands, events, variables and constants.
fn words(session: &Session) -> Vec<String> {
    let model = &session.model;
    let commands = COMMANDS.iter().skip(1).map(|(word, ..)| word.to_string());
    let names = model.variables.iter().chain(&model.constants).map(|x| x.name.clone());
    commands
        .chain(["help".to_string()])
        .chain(model.events.iter().map(|e| e.name.clone()))
        .chain(names)
        .collect()
}

/// Completes words, and names of files behind `save` and `load`.
pub struct Words {
    words: Vec<String>,
    files: FilenameCompleter,
}

impl Completer for Words {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        if line.starts_with("save ") || line.starts_with("load ") {
            return self.files.complete(line, at, context);
        }
        let typed = &line[..at];
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let start = typed
            .rfind(|c| !is_name(c))
            .map_or(0, |i| i + typed[i..].chars().next().map_or(1, char::len_utf8));
        let fitting = self.words.iter().filter(|word| word.starts_with(&typed[start..]));
        let pair = |word: &String| Pair { display: word.clone(), replacement: word.clone() };
        Ok((start, fitting.map(pair).collect()))
    }
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _default: bool) -> Cow<'b, str> {
        Cow::Borrowed(prompt)
    }
}

impl Validator for Words {}

impl Helper for Words {}
