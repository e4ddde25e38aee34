//! `bsym explain`: the meaning of a code.

use anyhow::bail;
use bsym_language::diagnostic::codes::DOCUMENTATION;
use bsym_language::diagnostic::guide::{self, Entry};

use crate::answer::Answer;
use crate::arguments::ExplainArguments;
use crate::refusal::Refusal;

/// Runs the command.
pub fn run(arguments: &ExplainArguments) -> anyhow::Result<Answer> {
    let Some(text) = &arguments.code else { return Ok(Answer::Text(list())) };
    let digits = text.trim().trim_start_matches(['b', 'B', '[']).trim_end_matches(']');
    let entry = digits.parse().ok().and_then(guide::entry);
    match entry {
        Some(entry) => Ok(Answer::Text(explained(&entry))),
        None => bail!(
            Refusal::new(format!("there is no code `{text}`"))
                .help("codes are written as in messages, such as B0203; `bsym explain` lists them")
        ),
    }
}

fn list() -> String {
    let line = |(code, meaning): &(_, &str)| format!("{code}  {}\n", meaning.trim());
    DOCUMENTATION.iter().map(line).collect()
}

fn explained(entry: &Entry) -> String {
    let mut out = format!("{}: {}\n\n{}\n", entry.code, entry.title, entry.text);
    for (word, files) in [("Wrong", &entry.wrong), ("Right", &entry.right)] {
        for file in files {
            let named = if files.len() > 1 { format!("{word}, {}", file.name) } else { word.to_string() };
            out.push_str(&format!("\n{named}:\n\n"));
            out.extend(file.text.lines().map(|line| format!("    {line}").trim_end().to_string() + "\n"));
        }
    }
    out
}
