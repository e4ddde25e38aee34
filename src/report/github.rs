//! Annotations of GitHub: workflow commands on standard output, one a line.
//!
//! Columns are given only where the place is on one line: GitHub refuses them otherwise.

use super::findings::{Checked, Finding, Level, Place, relative, trace_text};

/// Writes the errors of each file as commands, or else the first of its other findings. With `verbose` every finding is
/// written: GitHub shows few of each kind.
pub fn write(checked: &[Checked], verbose: bool) -> String {
    // What is known needs no look.
    let new = |c: &Checked| -> Vec<Finding> {
        c.findings.iter().filter(|f| c.is_new(f) != Some(false)).cloned().collect()
    };
    let each =
        |c: &Checked| -> String { shown(&new(c), verbose).into_iter().map(|f| command(f) + "\n").collect() };
    checked.iter().map(each).collect()
}

fn shown(findings: &[Finding], verbose: bool) -> Vec<&Finding> {
    let errors: Vec<&Finding> = findings.iter().filter(|f| f.level == Level::Error).collect();
    match errors.is_empty() {
        _ if verbose => findings.iter().collect(),
        // That something is not decided must not look like success.
        true => findings
            .iter()
            .find(|f| f.rule.starts_with("unknown") || f.rule == "vacuous")
            .into_iter()
            .collect(),
        false => errors,
    }
}

fn command(finding: &Finding) -> String {
    let word = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    };
    let mut properties = finding.place.as_ref().map(place).unwrap_or_default();
    properties.push(("title", format!("bsym {}", finding.rule)));
    let properties: Vec<String> =
        properties.iter().map(|(name, value)| format!("{name}={}", of_property(value))).collect();
    let message = format!("{}\n{}", finding.message, trace_text(&finding.trace));
    format!("::{word} {}::{}", properties.join(","), of_message(message.trim_end()))
}

fn place(place: &Place) -> Vec<(&'static str, String)> {
    let mut all = vec![("file", relative(&place.file))];
    let end = place.end_line.or(place.line);
    all.extend(place.line.map(|line| ("line", line.to_string())));
    all.extend(end.map(|line| ("endLine", line.to_string())));
    if place.line == end {
        all.extend(place.column.map(|column| ("col", column.to_string())));
        all.extend(place.end_column.map(|column| ("endColumn", column.to_string())));
    }
    all
}

/// Escapes a message, behind the `::`, as the toolkit of GitHub does.
fn of_message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property, in front of the `::`, as the toolkit of GitHub does.
fn of_property(text: &str) -> String {
    of_message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(place: Place) -> Finding {
        let message = "100% wrong:\nhelp, please".into();
        Finding {
            level: Level::Note,
            rule: "B0203".into(),
            message,
            place: Some(place),
            trace: vec![],
            identity: None,
            case: None,
        }
    }

    #[test]
    fn what_has_a_meaning_in_a_command_is_escaped() {
        let at = Place {
            file: "a,b:c.mch".into(),
            line: Some(2),
            column: Some(3),
            end_line: Some(2),
            end_column: Some(5),
        };
        let expected = "::notice file=a%2Cb%3Ac.mch,line=2,endLine=2,col=3,endColumn=5,title=bsym B0203::\
                        100%25 wrong:%0Ahelp, please";
        assert_eq!(command(&finding(at.clone())), expected);
        let several = Place { end_line: Some(4), ..at };
        assert!(!command(&finding(several)).contains("ol="));
    }
}
