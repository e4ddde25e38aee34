//! Diagnostics as text: with their source lines for people, or on one line for editors and tests.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::diagnostic::{Diagnostic, Severity};
use crate::text::attributes::{Place, locate};
use crate::text::source::{SourceId, Sources, Span};

/// Renders a diagnostic with its source lines, without a line end behind it.
pub fn render(sources: &Sources, d: &Diagnostic, color: bool) -> String {
    let code = d.code.to_string();
    let level = match d.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    // The file of the message first, then the others as the labels name them.
    let mut files = vec![d.span.source];
    for (span, _) in &d.labels {
        if !files.contains(&span.source) {
            files.push(span.source);
        }
    }
    let excerpts: Vec<Excerpt> = files.iter().map(|&id| Excerpt::new(sources, d, id)).collect();
    let mut group = Group::with_title(level.primary_title(d.message.as_str()).id(code.as_str()));
    let formulas = formulas(sources, d);
    for formula in formulas.iter().flatten() {
        let annotation = match &formula.label {
            None => AnnotationKind::Primary.span(formula.place.range.clone()),
            Some(label) => AnnotationKind::Context.span(formula.place.range.clone()).label(label.as_str()),
        };
        let snippet = Snippet::source(formula.place.text.as_str()).path(formula.origin.as_str());
        group = group.element(snippet.annotation(annotation));
    }
    for excerpt in excerpts.iter().filter(|_| formulas.is_none()) {
        let mut snippet = Snippet::source(excerpt.text.as_str())
            .path(excerpt.path.as_str())
            .line_start(excerpt.first_line)
            .fold(true);
        if excerpt.id == d.span.source {
            snippet = snippet.annotation(AnnotationKind::Primary.span(excerpt.range(d.span)));
        }
        for (span, text) in d.labels.iter().filter(|(span, _)| span.source == excerpt.id) {
            let annotation = AnnotationKind::Context.span(excerpt.range(*span)).label(text.as_str());
            snippet = snippet.annotation(annotation);
        }
        group = group.element(snippet);
    }
    if let Some(help) = &d.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let text = renderer.render(&[group]);
    // The renderer adds line and column in the attribute, which mean nothing here.
    formulas.iter().flatten().fold(text, |text, formula| {
        let column = formula.place.text[..formula.place.range.start].chars().count() + 1;
        text.replace(&format!("{}:1:{column}", formula.origin), &formula.origin)
    })
}

/// A formula of a file of Rodin's that a diagnostic points at.
struct Formula {
    /// The file and the labels of its elements.
    origin: String,
    place: Place,
    /// `None` for the place of the message itself.
    label: Option<String>,
}

/// Returns the formulas that a diagnostic points at, if it points at formulas of Rodin's alone: lines and columns of XML
/// mean nothing to their author.
fn formulas(sources: &Sources, d: &Diagnostic) -> Option<Vec<Formula>> {
    let formula = |span: Span, label: Option<&String>| {
        let source = sources.get(span.source);
        let place = locate(source, span)?;
        let origin = format!("{}: {}", source.path.display(), place.name);
        Some(Formula { origin, place, label: label.cloned() })
    };
    let first = std::iter::once(formula(d.span, None));
    first.chain(d.labels.iter().map(|(span, label)| formula(*span, Some(label)))).collect()
}

/// Renders a diagnostic on one line: `file:line:column: error[B0012]: message`.
pub fn render_line(sources: &Sources, d: &Diagnostic) -> String {
    let position = sources.position(d.span);
    let severity = match d.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    format!(
        "{}:{}:{}: {severity}[{}]: {}",
        sources.path(d.span).display(),
        position.line,
        position.column,
        d.code,
        d.message
    )
}

/// The lines of one file from the first to the last that a diagnostic points at.
struct Excerpt {
    id: SourceId,
    path: String,
    text: String,
    first_line: usize,
    start: usize,
}

impl Excerpt {
    fn new(sources: &Sources, d: &Diagnostic, id: SourceId) -> Self {
        let source = sources.get(id);
        let spans = || d.labels.iter().map(|(s, _)| *s).chain([d.span]).filter(|s| s.source == id);
        let from = spans().map(|s| s.start).min().unwrap_or(0);
        let to = spans().map(|s| s.end).max().unwrap_or(0) as usize;
        let position = source.position(from);
        let before: usize =
            source.line(position.line).chars().take(position.column as usize - 1).map(char::len_utf8).sum();
        let start = (from as usize).saturating_sub(before);
        let is_line_end = |c| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
        let end = source
            .text
            .get(to..)
            .and_then(|rest| rest.find(is_line_end))
            .map_or(source.text.len(), |n| to + n);
        let mut text = String::with_capacity(end.saturating_sub(start));
        let lines = source.text.get(start..end).unwrap_or("");
        let mut chars = lines.chars().peekable();
        // The renderer knows `\n` only. Every replacement keeps its length in bytes, so that
        // offsets keep their meaning.
        while let Some(c) = chars.next() {
            match c {
                '\r' if chars.peek() == Some(&'\n') => text.push(' '),
                '\r' => text.push('\n'),
                '\u{2028}' | '\u{2029}' => text.push_str("  \n"),
                c => text.push(c),
            }
        }
        Excerpt {
            id,
            path: source.path.display().to_string(),
            text,
            first_line: position.line as usize,
            start,
        }
    }

    fn range(&self, span: Span) -> std::ops::Range<usize> {
        let inside = |offset: u32| {
            let mut at = (offset as usize).saturating_sub(self.start).min(self.text.len());
            while !self.text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let start = inside(span.start);
        start..inside(span.end).max(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::codes;
    use crate::text::source::Source;

    fn sources(text: &str) -> (Sources, SourceId) {
        let mut sources = Sources::default();
        let id = sources.add(Source::new("lift.mch", text));
        (sources, id)
    }

    fn find(sources: &Sources, id: SourceId, part: &str) -> Span {
        let start = sources.get(id).text.find(part).unwrap() as u32;
        Span { source: id, start, end: start + part.len() as u32 }
    }

    fn check(text: &str, part: &str, expected: &str) {
        let (sources, id) = sources(text);
        let d =
            Diagnostic::error(codes::UNEXPECTED_TOKEN, find(&sources, id, part), "wrong").help("do it right");
        assert_eq!(render(&sources, &d, false), expected.trim_start_matches('\n'));
    }

    #[test]
    fn the_source_line_is_shown() {
        check(
            "MACHINE\n  x\nEND",
            "x",
            "
error[B0010]: wrong
 --> lift.mch:2:3
  |
2 |   x
  |   ^
  |
  = help: do it right",
        );
    }

    #[test]
    fn old_line_ends_tabs_and_letters_outside_ascii_count_as_one() {
        check(
            "MACHINE\r\té x\rEND",
            "x",
            "
error[B0010]: wrong
 --> lift.mch:2:4
  |
2 |     é x
  |       ^
  |
  = help: do it right",
        );
        check(
            "A\r\nB\u{2028}C x",
            "x",
            "
error[B0010]: wrong
 --> lift.mch:3:3
  |
3 | C x
  |   ^
  |
  = help: do it right",
        );
    }

    #[test]
    fn the_end_of_the_file_is_a_place() {
        let (sources, id) = sources("MACHINE\n");
        let d = Diagnostic::error(codes::MISSING_END, Span { source: id, start: 8, end: 8 }, "no end");
        assert!(render(&sources, &d, false).contains("lift.mch:2:1"), "{}", render(&sources, &d, false));
        let (sources, id) = super::tests::sources("");
        let d = Diagnostic::error(codes::MISSING_END, Span { source: id, start: 0, end: 0 }, "no end");
        assert!(render(&sources, &d, false).contains("lift.mch:1:1"));
    }

    #[test]
    fn labels_may_be_in_another_file() {
        let (mut sources, id) = sources("a\nb\nc\nd\ne\nf\ng\nh");
        let other = sources.add(Source::new("other.mch", "x\ny"));
        let d = Diagnostic::warning(codes::UNEXPECTED_TOKEN, find(&sources, id, "h"), "twice")
            .label(find(&sources, id, "b"), "first here")
            .label(find(&sources, other, "y"), "and here");
        let text = render(&sources, &d, false);
        for part in
            ["warning[B0010]: twice", "lift.mch:8:1", "- first here", "...", "other.mch:2:1", "- and here"]
        {
            assert!(text.contains(part), "no {part:?} in\n{text}");
        }
        assert!(render(&sources, &d, true).contains('\u{1b}'));
    }

    #[test]
    fn one_line_form() {
        let (sources, id) = sources("a\n b");
        let d = Diagnostic::error(
            codes::EXPECTED_SUBSTITUTION,
            find(&sources, id, "b"),
            "expected a substitution",
        );
        assert_eq!(render_line(&sources, &d), "lift.mch:2:2: error[B0012]: expected a substitution");
    }

    #[test]
    fn a_place_in_a_file_of_rodin_is_the_label_of_its_element() {
        let text = "<org.eventb.core.machineFile><org.eventb.core.invariant org.eventb.core.label=\"inv1\" \
                    org.eventb.core.predicate=\"x ∈ y\"/></org.eventb.core.machineFile>";
        let mut sources = Sources::default();
        let id = sources.add(Source::new("M.bum", text));
        let d =
            Diagnostic::error(codes::UNKNOWN_IDENTIFIER, find(&sources, id, "y\"/>"), "`y` is not declared");
        let d = Diagnostic { span: Span { end: d.span.start + 1, ..d.span }, ..d };
        let shown = render(&sources, &d, false);
        assert!(shown.contains("--> M.bum: inv1\n") && shown.contains("1 | x ∈ y\n"), "{shown}");
        assert!(
            render_line(&sources, &d).starts_with("M.bum:1:"),
            "for programs the place is that of the file"
        );
    }
}
