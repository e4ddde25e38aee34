//! The SVG of a drawing with the attributes of a state, and nothing that runs or refers to anything else.
//!
//! The file is read as a tree and written anew: elements that draw, attributes without handlers, and references to its
//! own elements remain. On a page all names are its own, and its style is for its elements alone.

use std::collections::{BTreeMap, BTreeSet};

use roxmltree::{Document, Node, ParsingOptions};
use serde_json::{Value as Json, json};

use super::{Attributes, State, Visb};
use crate::drawing::escaped;
use crate::snapshot::Snapshot;
use crate::snapshot::formula::Failure;
use crate::tuning::tuning;

const NAMESPACE: &str = "http://www.w3.org/2000/svg";
/// Elements that are kept.
const ELEMENTS: [&str; 48] = [
    "svg",
    "g",
    "defs",
    "symbol",
    "use",
    "title",
    "desc",
    "style",
    "rect",
    "circle",
    "ellipse",
    "line",
    "polyline",
    "polygon",
    "path",
    "text",
    "tspan",
    "textPath",
    "linearGradient",
    "radialGradient",
    "stop",
    "clipPath",
    "mask",
    "pattern",
    "marker",
    "filter",
    "feBlend",
    "feColorMatrix",
    "feComponentTransfer",
    "feComposite",
    "feDropShadow",
    "feFlood",
    "feFuncA",
    "feFuncB",
    "feFuncG",
    "feFuncR",
    "feGaussianBlur",
    "feMerge",
    "feMergeNode",
    "feMorphology",
    "feOffset",
    "feTile",
    "feTurbulence",
    "feDiffuseLighting",
    "feSpecularLighting",
    "feDistantLight",
    "fePointLight",
    "switch",
];
/// Kinds of elements that a model may add.
const KINDS: [&str; 11] =
    ["rect", "circle", "ellipse", "line", "polyline", "polygon", "path", "text", "g", "use", "title"];

/// A drawing for a page that steps through states.
#[derive(Clone, Debug, Default)]
pub struct Frames {
    /// The element, as in the last state.
    pub svg: String,
    /// `targets`, each an id with an attribute, and for each step their values, as JSON.
    pub changes: String,
}

impl Visb {
    /// Returns the SVG in a state. What cannot be evaluated or found is told in `failures`.
    ///
    /// # Errors
    /// The file is no SVG.
    pub fn svg(&self, snapshot: &Snapshot<'_>, failures: &mut BTreeSet<String>) -> Result<String, Failure> {
        let state = self.state(snapshot, failures);
        let text = self.written(&state, "", failures)?;
        Ok(format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{text}\n"))
    }

    /// Returns the drawing of several states; `id` tells its names from others of the page.
    ///
    /// # Errors
    /// The file is no SVG, or there is no state.
    pub fn frames(
        &self,
        snapshots: &[Snapshot<'_>],
        id: &str,
        failures: &mut BTreeSet<String>,
    ) -> Result<Frames, Failure> {
        let mut states: Vec<State> =
            snapshots.iter().map(|snapshot| self.state(snapshot, failures)).collect();
        let objects: BTreeMap<String, String> =
            states.iter().flat_map(|state| state.objects.clone()).collect();
        let Some(last) = states.last_mut() else { return Err(self.fault("there is no state".into())) };
        last.objects = objects;
        let last = last.clone();
        let svg = self.written(&last, id, failures)?;
        let original = self.original()?;
        let mut targets: Vec<(&String, &String)> = states
            .iter()
            .flat_map(|s| &s.attributes)
            .flat_map(|(id, all)| all.keys().map(move |a| (id, a)))
            .collect();
        targets.sort();
        targets.dedup();
        targets.retain(|(id, name)| {
            (original.contains_key(*id) || last.objects.contains_key(*id))
                && is_attribute(name)
                && *name != "id"
        });
        let steps: Vec<Json> = states
            .iter()
            .map(|state| {
                targets.iter().map(|(of, name)| self.value(state, &original, (of, name), id)).collect()
            })
            .collect();
        let names: Vec<Json> =
            targets.iter().map(|(of, name)| json!([format!("{}{of}", prefix(id)), name])).collect();
        Ok(Frames { changes: json!({ "targets": names, "steps": steps }).to_string(), svg })
    }

    /// The value of an attribute in a state: as the model says, or else as in the file.
    fn value(&self, state: &State, original: &Attributes, (of, name): (&String, &String), id: &str) -> Json {
        let before = original.get(of).and_then(|all| all.get(name)).cloned();
        let new = match state.attributes.get(of).and_then(|all| all.get(name)) {
            Some(now) if name == "class" => Some(class(before.as_deref(), now)),
            Some(now) => Some(now.clone()),
            None => before,
        };
        new.filter(|v| name == "text" || is_value(name, v))
            .map_or(Json::Null, |v| localised(&v, &prefix(id)).into())
    }

    /// The text of the SVG without the attributes of any state.
    fn text(&self, state: &State) -> String {
        if let Some((_, text)) = &self.base {
            return text.clone();
        }
        let of = |name: &str, other: &str| escaped(state.frame.get(name).map_or(other, String::as_str));
        let (width, height) = (of("width", "400"), of("height", "400"));
        let view = of("viewBox", &format!("0 0 {width} {height}"));
        format!("<svg xmlns=\"{NAMESPACE}\" width=\"{width}\" height=\"{height}\" viewBox=\"{view}\"></svg>")
    }

    /// The attributes in the file of each element with an id; its text as `text`.
    fn original(&self) -> Result<Attributes, Failure> {
        let text = self.text(&State::default());
        let document = self.parsed(&text)?;
        let mut all = Attributes::new();
        for node in document.descendants().filter(Node::is_element) {
            let Some(id) = node.attribute("id") else { continue };
            let own = all.entry(id.to_owned()).or_default();
            own.extend(node.attributes().map(|a| (a.name().to_owned(), a.value().to_owned())));
            if !node.children().any(|child| child.is_element()) {
                own.insert("text".into(), node.text().unwrap_or_default().to_owned());
            }
        }
        Ok(all)
    }

    fn parsed<'t>(&self, text: &'t str) -> Result<Document<'t>, Failure> {
        let options = ParsingOptions {
            allow_dtd: true,
            nodes_limit: tuning().snapshot.drawing_nodes,
            ..ParsingOptions::default()
        };
        let document = Document::parse_with_options(text, options);
        let document = document.map_err(|error| self.fault(format!("it is no SVG: {error}")))?;
        match document.root_element().tag_name().name() {
            "svg" => Ok(document),
            other => Err(self.fault(format!("it is no SVG, but begins with `{other}`"))),
        }
    }

    fn written(&self, state: &State, id: &str, failures: &mut BTreeSet<String>) -> Result<String, Failure> {
        let text = self.text(state);
        let document = self.parsed(&text)?;
        let ids: BTreeSet<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
        for (wanted, all) in &state.attributes {
            if !ids.contains(wanted.as_str()) && !state.objects.contains_key(wanted) {
                let message = format!("there is no element with the id `{wanted}`");
                failures.insert(self.fault(message).to_string());
            }
            for name in all.keys().filter(|name| !is_attribute(name)) {
                failures.insert(
                    self.fault(format!("`{name}` of `{wanted}` is no attribute that is set")).to_string(),
                );
            }
        }
        let mut writer = Writer {
            state,
            prefix: prefix(id),
            is_page: !id.is_empty(),
            ids: &ids,
            dropped: BTreeSet::new(),
            out: String::new(),
        };
        writer.element(document.root_element(), true);
        for kind in &writer.dropped {
            failures.insert(self.fault(format!("{kind} is left out")).to_string());
        }
        Ok(writer.out)
    }

    fn fault(&self, message: String) -> Failure {
        let what = self.base.as_ref().map_or("VISB_SVG_BOX", |(name, _)| name).to_owned();
        Failure { what, place: None, message }
    }
}

/// What the names of a drawing begin with.
fn prefix(id: &str) -> String {
    if id.is_empty() { String::new() } else { format!("{id}-") }
}

struct Writer<'w> {
    state: &'w State,
    prefix: String,
    is_page: bool,
    /// Ids of the file.
    ids: &'w BTreeSet<&'w str>,
    /// What is not written, in words.
    dropped: BTreeSet<String>,
    out: String,
}

impl Writer<'_> {
    fn element(&mut self, node: Node<'_, '_>, is_root: bool) {
        let name = node.tag_name().name();
        if node.tag_name().namespace().is_some_and(|space| space != NAMESPACE) {
            // Notes of editors.
            return;
        }
        if !ELEMENTS.contains(&name) {
            self.dropped.insert(format!("`{name}`"));
            return;
        }
        if name == "style" {
            return self.style(node.text().unwrap_or_default());
        }
        let mut attributes: BTreeMap<String, String> = BTreeMap::new();
        for attribute in node.attributes() {
            let is_link = attribute.name() == "href";
            if attribute.namespace().is_some_and(|space| space != NAMESPACE) && !is_link {
                continue;
            }
            if is_attribute(attribute.name()) && is_value(attribute.name(), attribute.value()) {
                attributes.insert(attribute.name().to_owned(), attribute.value().to_owned());
            } else {
                self.dropped.insert(format!("the attribute `{}`", attribute.name()));
            }
        }
        let own =
            node.attribute("id").and_then(|id| self.state.attributes.get(id)).cloned().unwrap_or_default();
        let text = self.overridden(&mut attributes, own);
        if is_root {
            self.root(&mut attributes);
        }
        self.open(name, &attributes);
        match text {
            Some(text) => self.out.push_str(&escaped(&text)),
            None => node.children().for_each(|child| self.child(child)),
        }
        if is_root {
            self.objects();
        }
        self.out.push_str(&format!("</{name}>"));
    }

    fn child(&mut self, node: Node<'_, '_>) {
        if node.is_element() {
            self.element(node, false);
        } else if let (true, Some(text)) = (node.is_text(), node.text()) {
            self.out.push_str(&escaped(text));
        }
    }

    /// Sets the attributes of a state, and returns the text, if it is one of them.
    fn overridden(
        &mut self,
        attributes: &mut BTreeMap<String, String>,
        own: BTreeMap<String, String>,
    ) -> Option<String> {
        let mut text = None;
        for (name, value) in own {
            if name == "text" {
                text = Some(value);
            } else if name != "id" && is_attribute(&name) && is_value(&name, &value) {
                let value = match name.as_str() {
                    "class" => class(attributes.get("class").map(String::as_str), &value),
                    _ => value,
                };
                attributes.insert(name, value);
            }
        }
        text
    }

    fn root(&mut self, attributes: &mut BTreeMap<String, String>) {
        if self.is_page {
            attributes.insert("role".into(), "img".into());
            attributes.insert("aria-label".into(), "The drawing of the model in this state".into());
            attributes.insert("id".into(), "drawing".into());
        } else {
            attributes.insert("xmlns".into(), NAMESPACE.into());
        }
        let size = |name: &str| {
            attributes.get(name).and_then(|text| text.trim_end_matches("px").parse::<f64>().ok())
        };
        if let (Some(width), Some(height), false) =
            (size("width"), size("height"), attributes.contains_key("viewBox"))
        {
            attributes.insert("viewBox".into(), format!("0 0 {width} {height}"));
        }
    }

    fn open(&mut self, name: &str, attributes: &BTreeMap<String, String>) {
        self.out.push_str(&format!("<{name}"));
        for (name, value) in attributes {
            let value = match name.as_str() {
                "id" => format!("{}{value}", self.prefix),
                "href" => format!("#{}{}", self.prefix, &value[1..]),
                _ => localised(value, &self.prefix),
            };
            self.out.push_str(&format!(" {name}=\"{}\"", escaped(&value)));
        }
        self.out.push('>');
    }

    /// The elements that the model adds.
    fn objects(&mut self) {
        for (id, kind) in &self.state.objects {
            if self.ids.contains(id.as_str()) {
                continue;
            }
            if !KINDS.contains(&kind.as_str()) {
                self.dropped.insert(format!("`{kind}` with the id `{id}`"));
                continue;
            }
            let mut attributes = BTreeMap::from([("id".to_owned(), id.clone())]);
            let own = self.state.attributes.get(id).cloned().unwrap_or_default();
            let text = self.overridden(&mut attributes, own);
            attributes.insert("id".into(), id.clone());
            self.open(kind, &attributes);
            self.out.push_str(&escaped(&text.unwrap_or_default()));
            self.out.push_str(&format!("</{kind}>"));
        }
    }

    /// The style of the file; on a page it is for this drawing alone.
    fn style(&mut self, text: &str) {
        if !is_style(text) {
            self.dropped.insert("a style that refers to something else".into());
            return;
        }
        let mut text = text.to_owned();
        if self.is_page {
            for id in self.ids {
                text = text.replace(&format!("#{id}"), &format!("#{}{id}", self.prefix));
            }
            text = format!("#{}drawing {{ {text} }}", self.prefix);
        }
        self.out.push_str(&format!("<style>{text}</style>"));
    }
}

/// A class with another one added (`+name`) or removed (`-name`), or a new one.
fn class(before: Option<&str>, now: &str) -> String {
    let others = |name: &str| {
        let all = before.unwrap_or_default().split_whitespace().filter(|other| *other != name);
        all.map(str::to_owned).collect::<Vec<String>>()
    };
    match (now.strip_prefix('+'), now.strip_prefix('-')) {
        (Some(name), _) => [others(name), vec![name.to_owned()]].concat().join(" "),
        (_, Some(name)) => others(name).join(" "),
        _ => now.to_owned(),
    }
}

/// Attributes that are kept: no handlers of events, and nothing that loads.
fn is_attribute(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_word = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    let loads = ["src", "srcdoc", "action", "formaction", "xmlns", "base", "role", "tabindex", "autofocus"];
    is_word && !lower.starts_with("on") && !lower.starts_with("aria-") && !loads.contains(&lower.as_str())
}

/// Values that are kept: references only to elements of the drawing.
fn is_value(name: &str, value: &str) -> bool {
    if name == "href" {
        return value.len() > 1 && value.starts_with('#');
    }
    let dense: String = value
        .chars()
        .filter(|c| !c.is_whitespace() && !c.is_control())
        .collect::<String>()
        .to_ascii_lowercase();
    let is_local = dense.match_indices("url(").all(|(at, _)| {
        let rest = dense[at + 4..].trim_start_matches(['"', '\'']);
        rest.starts_with('#')
    });
    let is_style = name == "style" || dense.contains("url");
    is_local
        && !["javascript:", "expression(", "@import", "image-set(", "image("]
            .iter()
            .any(|bad| dense.contains(bad))
        && !(is_style && (dense.contains('\\') || dense.contains("/*")))
}

/// A sheet of style that is kept: references only to elements of the drawing, and no way out of its rules.
fn is_style(text: &str) -> bool {
    let mut depth = 0i32;
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            '<' | '\\' => return false,
            _ => {}
        }
        if depth < 0 {
            return false;
        }
    }
    let is_plain = !text.contains("/*") && !text.contains('"') && !text.contains('\'') && !text.contains('@');
    depth == 0 && is_plain && is_value("style", text)
}

/// A value with references to the names that elements have on a page.
fn localised(value: &str, prefix: &str) -> String {
    if prefix.is_empty() {
        return value.to_owned();
    }
    let mut out = value.to_owned();
    for open in ["url(#", "url('#", "url(\"#"] {
        out = out.replace(open, &format!("{open}{prefix}"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_runs_or_loads_is_kept() {
        for (name, value) in [
            ("onclick", "x"),
            ("ONLOAD", "x"),
            ("href", "javascript:x"),
            ("href", "https://a.b/c"),
            ("href", "data:image/svg+xml,x"),
            ("fill", "url(https://a.b/c)"),
            ("style", "fill: u\\72l(//a.b)"),
            ("style", "background: URL ( 'http://a' )"),
            ("style", "width: expression(x)"),
            ("style", "a: url/**/(//b)"),
            ("fill", " url(\n\"//a\")"),
            ("xml:base", "http://a"),
            ("src", "x"),
        ] {
            assert!(!(is_attribute(name) && is_value(name, value)), "{name}={value}");
        }
        for (name, value) in [
            ("fill", "url(#gradient)"),
            ("href", "#a"),
            ("d", "M0 0 L1 1"),
            ("style", "fill:red;stroke:#123456"),
        ] {
            assert!(is_attribute(name) && is_value(name, value), "{name}={value}");
        }
        for text in
            ["} body { display: none", "@import 'x'", "a { b: url(//c) }", "</style><script>", "a{b:\"}\"}"]
        {
            assert!(!is_style(text), "{text}");
        }
        assert!(is_style(".on { fill: red } #a:hover { stroke: url(#g) }"));
        assert_eq!(class(Some("a b"), "+c"), "a b c");
        assert_eq!(class(Some("a b"), "-a"), "b");
        assert_eq!(localised("url(#g)", "t-"), "url(#t-g)");
    }
}
