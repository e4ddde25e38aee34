//! The guide of all codes: the meaning of each, a small wrong example and its corrected form.
//!
//! `guide.md` holds the texts; `docs/diagnostics.md` is generated from them ([`document`]). An entry begins with the
//! code as a heading. Its examples are fenced blocks whose first line gives the language, `wrong` or `right`, and the
//! file's name if it is not that of the machine. The first file of several is the one that is read.

use super::Code;
use super::codes::DOCUMENTATION;

const TEXT: &str = include_str!("guide.md");

/// Entry of the guide about a code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The code.
    pub code: Code,
    /// Meaning of the code, in a sentence.
    pub title: &'static str,
    /// Explanation and remedy; Markdown.
    pub text: &'static str,
    /// Files that give a message with this code; empty if a text cannot show it.
    pub wrong: Vec<Example>,
    /// Corrected examples.
    pub right: Vec<Example>,
}

/// A file of an example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// Name of the file.
    pub name: String,
    /// Its content.
    pub text: &'static str,
}

/// Returns the entry of the guide about the code with this number.
pub fn entry(number: u16) -> Option<Entry> {
    let (code, title) = *DOCUMENTATION.iter().find(|(code, _)| code.number == number)?;
    let heading = format!("## {code}\n");
    let (_, rest) = TEXT.split_once(&heading)?;
    let body = rest.find("\n## ").map_or(rest, |end| &rest[..end]);
    let text = body.find("\n```").map_or(body, |end| &body[..end]).trim();
    let (wrong, right) = (examples(body, "wrong"), examples(body, "right"));
    Some(Entry { code, title: title.trim(), text, wrong, right })
}

fn examples(body: &'static str, kind: &str) -> Vec<Example> {
    let blocks = body.split("\n```").skip(1).step_by(2);
    let files = blocks.filter_map(|block| {
        let (info, text) = block.split_once('\n')?;
        let mut words = info.split_whitespace().skip(1);
        if words.next() != Some(kind) {
            return None;
        }
        let name = words.next().map_or_else(|| name_of_machine(text), str::to_owned);
        Some(Example { name, text })
    });
    files.collect()
}

/// Returns the file name under which a machine is searched for.
fn name_of_machine(text: &str) -> String {
    let mut words = text.split(|c: char| c.is_whitespace() || c == '(');
    let extension = match words.next() {
        Some("REFINEMENT") => "ref",
        Some("IMPLEMENTATION") => "imp",
        _ => "mch",
    };
    format!("{}.{extension}", words.next().unwrap_or("Machine"))
}

/// Returns the whole guide as a document, Markdown.
pub fn document() -> String {
    let mut out = String::from(
        "# The messages of bsym\n\nEvery message about a model has a code that keeps its meaning. `bsym explain B0203` says what stands here. \
         Codes below B0200 are about the text itself, those from B0500 on are warnings.\n",
    );
    for (code, _) in DOCUMENTATION {
        let Some(entry) = entry(code.number) else { continue };
        out.push_str(&format!("\n## {code}: {}\n\n{}\n", entry.title.trim_end_matches('.'), entry.text));
        for (word, files) in [("Wrong", &entry.wrong), ("Right", &entry.right)] {
            for file in files {
                let named = if files.len() > 1 { format!("{word}, `{}`", file.name) } else { word.into() };
                out.push_str(&format!("\n{named}:\n\n```b\n{}\n```\n", file.text.trim_end()));
            }
        }
    }
    out
}
