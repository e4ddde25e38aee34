//! Lines of an interactive command: from a terminal with completion and history, or from a pipe.

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

use crate::output;
use crate::tuning::tuning;

/// Source of the lines.
pub enum Lines {
    /// A terminal, with the name of the file of its history.
    Terminal(Box<Editor<Words, FileHistory>>, &'static str),
    /// A pipe or a file.
    Pipe,
}

impl Lines {
    /// Opens the terminal if there is one, else standard input. The history is that of earlier sessions of `command`;
    /// names of files are completed behind the words of `with_files`.
    pub fn open(command: &'static str, with_files: &'static [&'static str]) -> Lines {
        if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
            return Lines::Pipe;
        }
        let config = Config::builder().completion_type(CompletionType::List).auto_add_history(true);
        let config = config.max_history_size(tuning().sessions.history).map(|config| config.build());
        match config.and_then(Editor::with_config) {
            Ok(mut editor) => {
                editor.set_helper(Some(Words { words: vec![], with_files, files: FilenameCompleter::new() }));
                if let Some(path) = history(command) {
                    // The file does not exist before the first session.
                    let _ = editor.load_history(&path);
                }
                Lines::Terminal(Box::new(editor), command)
            }
            // A terminal that cannot be driven still has lines.
            Err(_) => Lines::Pipe,
        }
    }

    /// Returns whether the input is an interactive terminal.
    pub fn is_terminal(&self) -> bool {
        matches!(self, Lines::Terminal(..))
    }

    /// Returns the next line; `None` at the end. On a terminal the prompt is shown, and the words complete the line.
    pub fn next(&mut self, prompt: &str, words: impl FnOnce() -> Vec<String>) -> Option<String> {
        match self {
            Lines::Terminal(editor, _) => {
                if let Some(helper) = editor.helper_mut() {
                    helper.words = words();
                }
                loop {
                    match editor.readline(prompt) {
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
        if let Lines::Terminal(editor, command) = self
            && let Some(path) = history(command)
        {
            // The user did not ask for the file: a home that cannot be written is no failure.
            let _ = path.parent().map(std::fs::create_dir_all);
            let _ = editor.save_history(&path);
        }
    }
}

/// The file of the history.
fn history(command: &str) -> Option<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").filter(|v| !v.is_empty()).map(PathBuf::from);
    let folder = state.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state")))?;
    Some(folder.join("bsym").join(format!("{command}.history")))
}

/// Completes words, and names of files behind some of them.
pub struct Words {
    words: Vec<String>,
    with_files: &'static [&'static str],
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
        let takes_file = |word: &&str| line.strip_prefix(*word).is_some_and(|rest| rest.starts_with(' '));
        if self.with_files.iter().any(takes_file) {
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
