//! JUnit's XML in the form that most servers read: a suite for each file, a case for each property.

use super::findings::{Case, CaseOutcome, Checked, relative};

/// Writes all files into one document.
pub fn write(checked: &[Checked], _exit: i32) -> String {
    let cases = || checked.iter().flat_map(|c| &c.cases);
    let seconds: f64 = checked.iter().map(|c| c.seconds).sum();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str(&format!("<testsuites name=\"bsym\" {} time=\"{seconds:.3}\">\n", counts(cases())));
    for file in checked {
        suite(&mut out, file);
    }
    out + "</testsuites>\n"
}

fn counts<'a>(cases: impl Iterator<Item = &'a Case> + Clone) -> String {
    let count = |wanted: fn(&CaseOutcome) -> bool| cases.clone().filter(|case| wanted(&case.outcome)).count();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
        cases.clone().count(),
        count(|o| matches!(o, CaseOutcome::Failed(..))),
        count(|o| matches!(o, CaseOutcome::Broken(_))),
        count(|o| matches!(o, CaseOutcome::Skipped(_))),
    )
}

fn suite(out: &mut String, file: &Checked) {
    let path = escaped(&relative(&file.file));
    let name = match &file.component {
        Some(component) => format!("{path} {}", escaped(component)),
        None => path.clone(),
    };
    let machine = file.machine.as_deref().map_or_else(|| name.clone(), escaped);
    let counts = counts(file.cases.iter());
    out.push_str(&format!("  <testsuite name=\"{name}\" {counts} time=\"{:.3}\">\n", file.seconds));
    // Properties are decided together: each gets its share of the time.
    let time = file.seconds / file.cases.len().max(1) as f64;
    for case in &file.cases {
        let head = format!(
            "    <testcase classname=\"{machine}\" name=\"{}\" file=\"{path}\" time=\"{time:.3}\"",
            escaped(&case.name)
        );
        let inside = match &case.outcome {
            CaseOutcome::Passed => {
                out.push_str(&format!("{head}/>\n"));
                continue;
            }
            CaseOutcome::Failed(message, trace) => {
                element("failure", " type=\"violated\"", message, &format!("{message}\n{trace}"))
            }
            CaseOutcome::Broken(message) => element("error", " type=\"refused\"", message, message),
            CaseOutcome::Skipped(message) => format!("      <skipped message=\"{}\"/>\n", escaped(message)),
        };
        out.push_str(&format!("{head}>\n{inside}    </testcase>\n"));
    }
    out.push_str("  </testsuite>\n");
}

/// An element with its message in one line, and everything inside.
fn element(name: &str, kind: &str, message: &str, inside: &str) -> String {
    let line = escaped(message.lines().next().unwrap_or_default());
    // Inside an element lines may be lines.
    let inside = escaped(inside).replace("&#10;", "\n");
    format!("      <{name} message=\"{line}\"{kind}>{inside}</{name}>\n")
}

/// Text for XML 1.0, inside an element or an attribute. What no escape can write there becomes U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // An attribute would have a blank for it.
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_escaped() {
        assert_eq!(escaped("a <: b & \"c\"\n\u{1}"), "a &lt;: b &amp; &quot;c&quot;&#10;\u{fffd}");
    }
}
