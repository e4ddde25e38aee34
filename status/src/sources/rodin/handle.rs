//! Handles: references in Rodin's files to elements of other files.
//!
//! `/Project/File.ext|type#name|type#name…`: the file, its root element, the path down. In names `\`
//! stands before `\`, `/`, `|` and `#`.

/// A parsed handle.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Handle {
    /// Project.
    pub project: String,
    /// File with its extension.
    pub file: String,
    /// The path down from the root element, which is left out.
    pub steps: Vec<Step>,
}

/// An element among its siblings.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Step {
    /// Type, without Rodin's prefix.
    pub kind: String,
    /// Internal name.
    pub name: String,
}

impl Handle {
    /// Parses a handle; `None` if the text is not one.
    pub fn parse(text: &str) -> Option<Handle> {
        let parts = split(text, '|');
        let (path, steps) = parts.split_first()?;
        let path = split(path, '/');
        let [empty, project, folders @ ..] = path.as_slice() else { return None };
        let file = folders.last().filter(|_| empty.is_empty())?;
        let mut found = vec![];
        for step in steps.iter().skip(1) {
            let pair = split(step, '#');
            let [kind, name] = pair.as_slice() else { return None };
            let kind = kind.rsplit('.').next().unwrap_or(kind);
            found.push(Step { kind: kind.into(), name: unescape(name) });
        }
        Some(Handle { project: unescape(project), file: unescape(file), steps: found })
    }

    /// Returns the file without its extension.
    pub fn component(&self) -> &str {
        self.file.rsplit_once('.').map_or(self.file.as_str(), |(stem, _)| stem)
    }

    /// Returns the event that it lies in.
    pub fn event(&self) -> Option<&Step> {
        self.steps.first().filter(|s| s.kind == "event")
    }
}

/// Splits at a character that is not escaped by `\`. The `\` stay.
fn split(text: &str, at: char) -> Vec<&str> {
    let (mut parts, mut start, mut escaped) = (vec![], 0, false);
    for (i, c) in text.char_indices() {
        if c == at && !escaped {
            parts.push(&text[start..i]);
            start = i + c.len_utf8();
        }
        escaped = c == '\\' && !escaped;
    }
    parts.push(&text[start..]);
    parts
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(if c == '\\' { chars.next().unwrap_or('\\') } else { c });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_every_separator() {
        let handle = Handle::parse(
            r"/My P\/Q/M.bum|org.eventb.core.machineFile#M|org.eventb.core.event#e\/v\|t\#\\('|org.eventb.core.guard#'",
        )
        .unwrap();
        assert_eq!(
            (handle.project.as_str(), handle.file.as_str(), handle.component()),
            ("My P/Q", "M.bum", "M")
        );
        assert_eq!(handle.event().unwrap().name, r"e/v|t#\('");
        assert_eq!(handle.steps[1], Step { kind: "guard".into(), name: "'".into() });
    }

    #[test]
    fn what_is_no_handle() {
        for text in ["", "M.bum", "/P", "P/M.bum|a#b", "/P/M.bum|a#b|c"] {
            assert_eq!(Handle::parse(text), None, "{text}");
        }
    }
}
