//! The commands of a session.

use std::path::{Path, PathBuf};

use super::session::Session;

/// A command of a session, parsed from one line.
#[derive(Clone, PartialEq, Debug)]
pub enum Command {
    /// The choice with this number.
    Number(usize),
    /// An event, with the text between its parentheses.
    Event(String, Option<String>),
    Back(usize),
    Forward(usize),
    Goto(usize),
    Restart,
    Eval(String),
    Find(String),
    Random(usize),
    Why(String),
    State,
    Trace,
    Events,
    Invariant,
    Save(PathBuf),
    Load(PathBuf),
    Help,
    Quit,
}

/// Names of the commands, their arguments, and their effects.
pub const COMMANDS: [(&str, &str, &str); 17] = [
    ("NUMBER", "", "takes the step of this number in the list"),
    ("do", "NAME, NAME(a, b)", "takes the step of an event with these arguments; `do` may be left out"),
    ("back", "[N]", "goes back one step, or N, at most to the initialisation"),
    ("forward", "[N]", "goes forward again on the path"),
    ("goto", "N", "goes to step N of the path; `goto 0` is the initialisation"),
    ("restart", "", "chooses constants and initial state anew"),
    ("random", "[N]", "takes one random step, or N; stops where something is violated"),
    ("find", "PREDICATE", "goes to the nearest state in which a predicate is true"),
    ("eval", "EXPRESSION", "the value of an expression, or the truth of a predicate; also `?EXPRESSION`"),
    ("why", "NAME", "what keeps an event from being enabled"),
    ("state", "", "the values of all variables and constants"),
    ("trace", "", "the path with what changed, and where on it one is"),
    ("events", "", "the steps that can be taken, again"),
    ("invariant", "", "every conjunct of the invariant with its truth value"),
    ("save", "FILE", "writes the path so far: NAME.json (ours), NAME.itf.json (ITF), NAME.prob2trace (ProB)"),
    ("load", "FILE", "replays such a file as far as it goes"),
    ("quit", "", "ends the session, as Ctrl-D does; Ctrl-C stops what takes long"),
];

impl Command {
    /// Parses a line.
    ///
    /// # Errors
    /// The line is no command; the error says why.
    pub fn read(line: &str, session: &Session) -> Result<Command, String> {
        let line = line.trim();
        if let Ok(number) = line.parse() {
            return Ok(Command::Number(number));
        }
        if let Some(text) = line.strip_prefix('?') {
            return Ok(Command::Eval(text.trim().to_string()));
        }
        let (word, rest) = match line.find(char::is_whitespace) {
            Some(at) => (&line[..at], line[at..].trim()),
            None => (line, ""),
        };
        let number = |default: Option<usize>| match (rest, default) {
            ("", Some(n)) => Ok(n),
            _ => rest.parse().map_err(|_| format!("`{word}` takes a number, this is `{rest}`")),
        };
        let needs = |what: &str| match rest {
            "" => Err(format!("`{word}` takes {what}")),
            rest => Ok(rest.to_string()),
        };
        Ok(match word {
            "back" | "b" => Command::Back(number(Some(1))?),
            "forward" | "f" => Command::Forward(number(Some(1))?),
            "goto" => Command::Goto(number(None)?),
            "restart" => Command::Restart,
            "random" => Command::Random(number(Some(1))?),
            "find" => Command::Find(needs("a predicate")?),
            "eval" | "print" => Command::Eval(needs("an expression or a predicate")?),
            "why" => Command::Why(needs("the name of an event")?),
            "state" => Command::State,
            "trace" => Command::Trace,
            "events" | "ls" => Command::Events,
            "invariant" | "inv" => Command::Invariant,
            "save" => Command::Save(path_of(&needs("the name of a file")?)),
            "load" => Command::Load(path_of(&needs("the name of a file")?)),
            "help" | "h" => Command::Help,
            "quit" | "exit" | "q" => Command::Quit,
            "do" => Command::event(&needs("the name of an event")?),
            _ => match Command::event(line) {
                Command::Event(name, arguments) if session.event(&name).is_some() => {
                    Command::Event(name, arguments)
                }
                _ => {
                    return Err(format!(
                        "`{word}` is no command and no event of {}; `help` lists the commands",
                        session.model.name
                    ));
                }
            },
        })
    }

    /// `NAME` or `NAME(a, b)`.
    fn event(text: &str) -> Command {
        match text.split_once('(').and_then(|(name, rest)| Some((name, rest.trim_end().strip_suffix(')')?))) {
            Some((name, arguments)) => Command::Event(name.trim().into(), Some(arguments.into())),
            None => Command::Event(text.trim().into(), None),
        }
    }

    /// Returns the help text: all commands, one on each line.
    pub fn help() -> String {
        let line =
            |(word, rest, does): &(&str, &str, &str)| format!("  {:24} {does}\n", format!("{word} {rest}"));
        COMMANDS.iter().map(line).collect()
    }
}

/// A path that a line names, with `~` for the home folder.
pub fn path_of(text: &str) -> PathBuf {
    match (text.strip_prefix("~/"), std::env::var_os("HOME")) {
        (Some(rest), Some(home)) => Path::new(&home).join(rest),
        _ => text.into(),
    }
}
