//! Attributes of Rodin's XML files: their text with places, and the element that a place belongs to.

use std::ops::Range;

use roxmltree::{Document, Node};

use super::source::{Source, Span};

/// Rodin's prefix of the names of elements and attributes.
const PREFIX: &str = "org.eventb.core.";

/// Returns the value of an attribute that is written as `raw` at `start`: references resolved, line ends as blanks. For
/// each byte of it, and its end, there is the place in the file.
pub fn unescaped(raw: &str, start: u32) -> (String, Vec<u32>) {
    let (mut text, mut places) = (String::with_capacity(raw.len()), vec![]);
    let mut put = |c: char, at: usize| {
        for _ in 0..c.len_utf8() {
            places.push(start + at as u32);
        }
        text.push(c);
    };
    let mut at = 0;
    while let Some(c) = raw[at..].chars().next() {
        let reference = if c == '&' {
            raw[at..].find(';').and_then(|n| Some((n, entity(&raw[at + 1..at + n])?)))
        } else {
            None
        };
        match reference {
            Some((length, c)) => {
                put(c, at);
                at += length + 1;
            }
            None => {
                put(if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }, at);
                at += c.len_utf8();
            }
        }
    }
    places.push(start + raw.len() as u32);
    (text, places)
}

fn entity(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

/// A place in a file of Rodin's, as its editor shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// Labels of the elements around it, the outermost first: `event enter, grd1`.
    pub name: String,
    /// The value of the attribute.
    pub text: String,
    /// The place in this value.
    pub range: Range<usize>,
}

/// Returns the attribute that a place is in. `None` where the file is not one of Rodin's, or the place is in no attribute.
pub fn locate(source: &Source, span: Span) -> Option<Place> {
    let extension = source.path.extension()?.to_str()?.to_ascii_lowercase();
    if !["bum", "buc"].contains(&extension.as_str()) {
        return None;
    }
    let document = Document::parse(&source.text).ok()?;
    let (start, end) = (span.start as usize, span.end as usize);
    let (node, value) = document.descendants().filter(Node::is_element).find_map(|node| {
        let value = node.attributes().map(|a| a.range_value()).find(|r| r.start <= start && end <= r.end)?;
        Some((node, value))
    })?;
    let (text, places) = unescaped(source.text.get(value.clone())?, value.start as u32);
    let inside = |offset: u32| places.partition_point(|place| *place < offset).min(text.len());
    let range = inside(span.start)..inside(span.end);
    let mut names: Vec<String> = node.ancestors().filter_map(named).collect();
    names.reverse();
    Some(Place { name: names.join(", "), text, range })
}

/// Returns the label of an element, or its name; of an event with the word in front. `None` for the component.
fn named(node: Node<'_, '_>) -> Option<String> {
    let tag = node.tag_name().name();
    let kind = tag.strip_prefix(PREFIX)?;
    if kind == "machineFile" || kind == "contextFile" {
        return None;
    }
    let value = |name: &str| node.attributes().find(|a| a.name().strip_prefix(PREFIX) == Some(name));
    let label = value("label").or_else(|| value("identifier")).or_else(|| value("target"));
    Some(match (kind, label.map(|a| a.value().trim())) {
        ("event", Some(label)) => format!("event {label}"),
        (_, Some(label)) => label.to_string(),
        (kind, None) => kind.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::source::SourceId;

    #[test]
    fn places_point_into_the_raw_text() {
        let (text, places) = unescaped("a &lt; &#8712;b\nc", 10);
        assert_eq!(text, "a < ∈b c");
        assert_eq!((places[2], places[4], places[7], places[9]), (12, 17, 24, 26));
        assert_eq!(places.last(), Some(&27));
    }

    #[test]
    fn a_place_has_the_labels_around_it() {
        let text = "<org.eventb.core.machineFile version=\"5\"><org.eventb.core.event org.eventb.core.label=\"go\">\
                    <org.eventb.core.guard org.eventb.core.label=\"grd1\" org.eventb.core.predicate=\"x &lt; y\"/>\
                    </org.eventb.core.event></org.eventb.core.machineFile>";
        let source = Source::new("M.bum", text);
        let start = text.find("y\"/>").expect("it is there") as u32;
        let span = Span { source: SourceId(0), start, end: start + 1 };
        let expected = Place { name: "event go, grd1".into(), text: "x < y".into(), range: 4..5 };
        assert_eq!(locate(&source, span), Some(expected));
        assert_eq!(locate(&Source::new("M.mch", text), span), None);
    }
}
