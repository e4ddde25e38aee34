//! Documents that show commands with their output: the commands are run, and the output is compared.
//!
//! A block that begins with `$ ` shows a session of a shell: each line `$ command` is followed by the output of the
//! command, up to the next such line. All blocks of a document are run in the same copy of the files that it is about.
//! With `BSYM_BLESS=1` the output that differs is written into the document.

use std::fmt::Write as _;
use std::path::Path;

use bsym_testing::process::Limited;

use super::root;

/// Written by the shell after the output of each command.
const MARK: &str = "\u{1}end of a command\u{1}\n";

/// Runs all commands of a document in a copy of `files` and fails unless they print what the document says. `files` are
/// pairs of a path in the repository and its place in the copy.
pub fn check_document(path: &str, files: &[(&str, &str)]) {
    let copy = tempfile::tempdir().expect("a folder");
    for (from, to) in files {
        copy_all(&root().join(from), &copy.path().join(to));
    }
    let document = std::fs::read_to_string(root().join(path)).expect("a document");
    let (mut blessed, mut different, mut commands) = (String::new(), vec![], 0);
    for (i, part) in document.split("```").enumerate() {
        if i > 0 {
            blessed.push_str("```");
        }
        let session = part.split_once('\n').filter(|(_, text)| i % 2 == 1 && text.starts_with("$ "));
        let Some((language, text)) = session else {
            blessed.push_str(part);
            continue;
        };
        let steps = steps(text);
        commands += steps.len();
        blessed.push_str(language);
        blessed.push('\n');
        for (nth, ((command, expected), printed)) in steps.iter().zip(run(&steps, copy.path())).enumerate() {
            if nth > 0 {
                blessed.push('\n');
            }
            let same = normal(&printed) == normal(expected);
            let kept = if same { expected.trim_end() } else { printed.trim_end() };
            let _ = writeln!(blessed, "$ {command}");
            if !kept.is_empty() {
                let _ = writeln!(blessed, "{kept}");
            }
            if !same {
                different.push(format!("$ {command}\n--- expected\n{expected}\n--- printed\n{printed}"));
            }
        }
    }
    assert!(commands > 0, "{path} shows no command");
    if std::env::var_os("BSYM_BLESS").is_some() {
        std::fs::write(root().join(path), blessed).expect("the document can be written");
    } else {
        let shown = different.join("\n\n");
        assert!(different.is_empty(), "{path} shows other output; BSYM_BLESS=1 writes it anew\n{shown}");
    }
}

/// The commands of a block with their outputs.
fn steps(text: &str) -> Vec<(&str, String)> {
    let mut steps: Vec<(&str, String)> = vec![];
    for line in text.lines() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push((command, String::new())),
            (None, Some((_, output))) => {
                output.push_str(line);
                output.push('\n');
            }
            (None, None) => unreachable!("a block begins with a command"),
        }
    }
    steps
}

/// Runs commands in one shell. Returns the output of each, of both streams.
fn run(steps: &[(&str, String)], folder: &Path) -> Vec<String> {
    let mut script = String::from("exec 2>&1\n");
    for (command, _) in steps {
        let _ = write!(script, "{command}\nstatus=$?; printf '%s' '{MARK}'; (exit $status)\n");
    }
    let program = Path::new(env!("CARGO_BIN_EXE_bsym")).parent().expect("a folder").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Limited::new("sh")
        .args(["-c", &script])
        .current_dir(folder)
        .env("PATH", format!("{program}:{path}"))
        .env_remove("RUST_LOG")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("BSYM_BLESS")
        .output()
        .expect("a shell");
    let text = String::from_utf8(output.stdout).expect("text");
    let mut outputs: Vec<String> = text.split(MARK).map(str::to_string).collect();
    let rest = outputs.pop();
    assert!(outputs.len() == steps.len(), "the shell ended early: {rest:?}\n{text}");
    outputs
}

/// Engines that `check` asks at the same time: the first answer wins.
const ENGINES: [&str; 4] = ["bmc", "kind", "ic3", "mc"];

/// Output without what differs between runs: times, with which columns move, and in tables of machines the engine that
/// was first.
fn normal(text: &str) -> String {
    let lines = text.trim_end().lines().filter(|line| !depends_on_time(line));
    lines.map(|line| steady(line.trim_end())).collect::<Vec<_>>().join("\n")
}

/// Returns whether a line is only there if time was short, or long enough.
fn depends_on_time(line: &str) -> bool {
    line.contains("`confirmed` in --json") || line.ends_with("time is up")
}

/// One line without times, versions of solvers, and what a run counts by the clock.
fn steady(line: &str) -> String {
    let first = |words: &str| line.split_once(words).map(|(before, _)| before);
    // How many states are audited, simulated or checked depends on the time.
    if first(" drawn from the invariant").or(first("checked in a fresh solver")).is_some() {
        return "checked".into();
    }
    if let Some((counts, _audited)) = first(" states audited by").and_then(|before| before.rsplit_once(", "))
    {
        return counts.into();
    }
    let mut words: Vec<String> = line.split(' ').map(field_by_field).collect();
    let mut timed = false;
    for i in 0..words.len() {
        let unit = words.get(i + 1).and_then(|next| next.strip_prefix('s'));
        let is_unit = unit.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()));
        let number = words[i].trim_start_matches(['[', '(']);
        if is_unit && number.contains('.') && number.parse::<f64>().is_ok() {
            words[i] = "TIME".into();
            timed = true;
        } else if words[i].starts_with("time=\"") {
            words[i] = words[i].trim_start_matches(|c: char| !"/>".contains(c)).into();
        } else if words[i] == "z3" || words[i] == "batsat" {
            words.truncate(i);
            break;
        }
    }
    if timed {
        words.retain(|word| !word.is_empty());
        if let Some(i) = words.iter().position(|word| ["holds", "violated", "unknown"].contains(&&**word))
            && words.get(i + 1).is_some_and(|engine| ENGINES.contains(&&**engine))
        {
            words[i + 1] = "ENGINE".into();
        }
    }
    words.join(" ")
}

/// A row of a table for spreadsheets without its seconds and engine.
fn field_by_field(word: &str) -> String {
    let is_seconds = |field: &str| field.len() >= 5 && field.contains('.') && field.parse::<f64>().is_ok();
    let is_steady = |field: &&str| !(ENGINES.contains(field) || is_seconds(field));
    if word.matches(',').count() < 4 {
        return word.into();
    }
    word.split(',').filter(is_steady).collect::<Vec<_>>().join(",")
}

/// Copies a file, or a folder with all that is in it.
fn copy_all(from: &Path, to: &Path) {
    if !from.is_dir() {
        std::fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        std::fs::copy(from, to).unwrap_or_else(|e| panic!("{}: {e}", from.display()));
        return;
    }
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry").path();
        copy_all(&entry, &to.join(entry.file_name().expect("a name")));
    }
}
