//! The graph that a model defines of its states: `CUSTOM_GRAPH`, or `CUSTOM_GRAPH_NODES` and `CUSTOM_GRAPH_EDGES`, as ProB
//! documents them.
//!
//! `CUSTOM_GRAPH` is a record: `nodes` and `nodes0` to `nodes9`, `edges` and `edges0` to `edges9`, and attributes of the
//! graph. `nodes` is a set of records with the node as `value`, or a record of attributes for all nodes of its own field
//! `nodes`; `edges` is a set of couples or of records with `from` and `to`, or a record of attributes with a field
//! `edges`. Other fields are attributes of Graphviz. `CUSTOM_GRAPH_NODES` is a set of nodes, of couples `(node, colour)`
//! or triples `(node, shape or label, colour)`; `CUSTOM_GRAPH_EDGES` is a set of couples or of triples
//! `(from, label or colour, to)`. Both may be numbered.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::load::check_expression;
use bsym_language::model::{Expr, Model};
use bsym_language::types::Type;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::work::Work;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;

use super::Snapshot;
use super::formula::{Failure, names};
use crate::drawing::{COLOURS, Edge, Look, Node, Paint, Picture, Shape, folded};
use crate::tuning::tuning;

/// Part of a graph that a definition describes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Whole,
    Nodes,
    Edges,
}

/// The graph that a model defines.
pub struct Custom {
    parts: Vec<(Role, String, Expr)>,
    /// Definitions that cannot be read.
    pub failures: Vec<Failure>,
}

impl Custom {
    /// Reads the definitions of a model; `None` if it has none. Their bound names become names of the model.
    pub fn read(model: &mut Model) -> Option<Custom> {
        let mut found = Custom { parts: vec![], failures: vec![] };
        let roles = [
            ("CUSTOM_GRAPH_NODES", Role::Nodes),
            ("CUSTOM_GRAPH_EDGES", Role::Edges),
            ("CUSTOM_GRAPH", Role::Whole),
        ];
        for (begin, role) in roles {
            for name in names(model, begin) {
                match check_expression(model, &name) {
                    Ok(expr) => found.parts.push((role, name, expr)),
                    Err(diagnostics) => found.failures.push(Failure::read(model, &name, &diagnostics)),
                }
            }
        }
        // Nodes without edges may be couples; the type of the edges tells.
        found.parts.sort_by_key(|(role, ..)| *role == Role::Nodes);
        (!found.parts.is_empty() || !found.failures.is_empty()).then_some(found)
    }

    /// Returns the picture of a state, or the first definition that has no value or the wrong form.
    pub fn picture(&self, snapshot: &Snapshot<'_>, title: String) -> Result<Picture, Failure> {
        let work = Work::new(tuning().snapshot.work);
        work.portion(tuning().snapshot.work);
        let eval = Evaluator::new(snapshot.model, snapshot.scope).with_work(&work);
        let env = Env::new(snapshot.constants, snapshot.state);
        let mut maker = Maker::new(snapshot);
        for (role, name, expr) in &self.parts {
            let value =
                eval.expr(&env, expr).map_err(|e| Failure::at(snapshot.model, name, e.span, &e.message))?;
            let fault = |message: String| Failure::at(snapshot.model, name, expr.span, &message);
            match role {
                Role::Whole => maker.whole(&value, &expr.ty).map_err(fault)?,
                Role::Nodes => maker.nodes(&value, &expr.ty, &Attributes::default()).map_err(fault)?,
                Role::Edges => maker.edges(&value, &expr.ty, &Attributes::default()).map_err(fault)?,
            }
        }
        Ok(maker.finish(title))
    }
}

type Attributes = BTreeMap<String, Value>;

struct Maker<'s> {
    snapshot: &'s Snapshot<'s>,
    nodes: BTreeMap<Value, Attributes>,
    edges: BTreeMap<(Value, Value), Vec<Attributes>>,
    /// Types of the ends of edges.
    ends: BTreeSet<Type>,
    graph: Attributes,
}

impl<'s> Maker<'s> {
    fn new(snapshot: &'s Snapshot<'s>) -> Maker<'s> {
        Maker {
            snapshot,
            nodes: BTreeMap::new(),
            edges: BTreeMap::new(),
            ends: BTreeSet::new(),
            graph: Attributes::new(),
        }
    }

    /// `CUSTOM_GRAPH`.
    fn whole(&mut self, value: &Value, ty: &Type) -> Result<(), String> {
        let (Value::Record(fields), Type::Record(types)) = (value, ty) else {
            return Err("is a record with `nodes` and `edges`".into());
        };
        let is_part = |name: &str, of: &str| {
            name.strip_prefix(of)
                .is_some_and(|rest| rest.len() <= 1 && rest.chars().all(|c| c.is_ascii_digit()))
        };
        for (name, value) in fields.iter().filter(|(name, _)| is_part(name, "edges")) {
            let ty = type_of(types, name)?;
            self.edges(value, ty, &Attributes::new()).map_err(|e| format!("field `{name}` {e}"))?;
        }
        for (name, value) in fields.iter() {
            if is_part(name, "nodes") {
                let ty = type_of(types, name)?;
                self.nodes(value, ty, &Attributes::new()).map_err(|e| format!("field `{name}` {e}"))?;
            } else if !is_part(name, "edges") {
                self.graph.insert(name.to_string(), value.clone());
            }
        }
        Ok(())
    }

    fn nodes(&mut self, value: &Value, ty: &Type, defaults: &Attributes) -> Result<(), String> {
        match (value, ty) {
            (Value::Record(fields), Type::Record(types)) => {
                let attributes = with(defaults, fields);
                if let Some(value) = attributes.get("value") {
                    self.node(value.clone(), attributes.clone());
                    return Ok(());
                }
                let inner = attributes.get("nodes").cloned().ok_or("has neither `value` nor `nodes`")?;
                self.nodes(&inner, type_of(types, "nodes")?, &without(attributes, "nodes"))
            }
            (Value::Set(all), Type::Pow(of)) => {
                for value in all.iter() {
                    match (&**of, value) {
                        (Type::Record(_), value) => self.nodes(value, of, defaults)?,
                        (of, value) if self.ends.contains(of) => self.node(value.clone(), defaults.clone()),
                        (Type::Pair(left, _), Value::Pair(couple)) => {
                            let mut attributes = defaults.clone();
                            attributes.insert("fillcolor".into(), couple.1.clone());
                            match (&**left, couple.0.as_pair()) {
                                (left, Some((node, form))) if !self.ends.contains(left) => {
                                    let is_shape = matches!(form, Value::String(s) if shape(s).is_some());
                                    attributes.insert(
                                        if is_shape { "shape" } else { "label" }.into(),
                                        form.clone(),
                                    );
                                    self.node(node.clone(), attributes);
                                }
                                _ => self.node(couple.0.clone(), attributes),
                            }
                        }
                        (_, value) => self.node(value.clone(), defaults.clone()),
                    }
                }
                Ok(())
            }
            _ => Err("is a set of nodes, or a record with `value` or `nodes`".into()),
        }
    }

    fn edges(&mut self, value: &Value, ty: &Type, defaults: &Attributes) -> Result<(), String> {
        match (value, ty) {
            (Value::Record(fields), Type::Record(types)) => {
                let attributes = with(defaults, fields);
                if let (Some(from), Some(to)) = (attributes.get("from"), attributes.get("to")) {
                    self.ends.extend([type_of(types, "from")?.clone(), type_of(types, "to")?.clone()]);
                    self.edge(from.clone(), to.clone(), attributes.clone());
                    return Ok(());
                }
                let inner =
                    attributes.get("edges").cloned().ok_or("has neither `from` and `to` nor `edges`")?;
                self.edges(&inner, type_of(types, "edges")?, &without(attributes, "edges"))
            }
            (Value::Set(all), Type::Pow(of)) => match &**of {
                Type::Record(_) => all.iter().try_for_each(|value| self.edges(value, of, defaults)),
                Type::Pair(left, right) => {
                    let is_triple = matches!(&**left, Type::Pair(from, _) if **from == **right);
                    self.ends.insert((**right).clone());
                    if !is_triple {
                        self.ends.insert((**left).clone());
                    }
                    for (left, to) in all.iter().filter_map(Value::as_pair) {
                        let mut attributes = defaults.clone();
                        let from = match left.as_pair().filter(|_| is_triple) {
                            Some((from, label)) => {
                                attributes.insert("label".into(), label.clone());
                                if colour(&self.plain(label)).is_some() {
                                    attributes.insert("color".into(), label.clone());
                                }
                                from
                            }
                            None => left,
                        };
                        self.edge(from.clone(), to.clone(), attributes);
                    }
                    Ok(())
                }
                _ => Err("is a set of couples, triples or records".into()),
            },
            _ => Err("is a set of edges, or a record with `from` and `to` or with `edges`".into()),
        }
    }

    fn node(&mut self, value: Value, attributes: Attributes) {
        self.nodes.entry(value).or_default().extend(attributes);
    }

    fn edge(&mut self, from: Value, to: Value, attributes: Attributes) {
        self.node(from.clone(), Attributes::new());
        self.node(to.clone(), Attributes::new());
        self.edges.entry((from, to)).or_default().push(attributes);
    }

    /// A value as text; strings without quotes.
    fn plain(&self, value: &Value) -> String {
        match value {
            Value::String(text) => text.to_string(),
            value => self.snapshot.text(value),
        }
    }

    /// An attribute as text.
    fn of(&self, attributes: &Attributes, name: &str) -> Option<String> {
        attributes.get(name).map(|value| self.plain(value))
    }

    fn colour_of(&self, attributes: &Attributes, name: &str) -> Option<Rgb> {
        self.of(attributes, name).and_then(|text| colour(&text))
    }

    fn finish(self, title: String) -> Picture {
        // Values that name no colour have one of ours, the same for the same value.
        let named: BTreeSet<&Value> = self.nodes.values().filter_map(|a| a.get("fillcolor")).collect();
        let own: BTreeMap<&Value, usize> = named
            .into_iter()
            .filter(|value| colour(&self.plain(value)).is_none())
            .enumerate()
            .map(|(i, value)| (value, i % COLOURS))
            .collect();
        let mut places = BTreeMap::new();
        let mut nodes = vec![];
        for (value, attributes) in self.nodes.iter().take(tuning().snapshot.nodes) {
            places.insert(value, nodes.len());
            nodes.push(self.drawn(value, attributes, &own));
        }
        let mut edges: Vec<Edge> = vec![];
        let mut hidden = self.nodes.len().saturating_sub(tuning().snapshot.nodes);
        for ((from, to), all) in &self.edges {
            match (places.get(from), places.get(to)) {
                (Some(a), Some(b)) if edges.len() < tuning().snapshot.nodes => {
                    edges.push(Edge { from: *a, to: *b, ..self.arrow(from, to, all) });
                }
                _ => hidden += 1,
            }
        }
        let attributes = self.graph.iter().map(|(name, value)| (name.clone(), self.plain(value))).collect();
        let hidden = (hidden > 0).then(|| format!("{hidden} more nodes and arrows are not drawn"));
        Picture {
            title,
            remarks: hidden.into_iter().collect(),
            nodes,
            edges,
            attributes,
            ..Picture::default()
        }
    }

    fn drawn(&self, value: &Value, attributes: &Attributes, own: &BTreeMap<&Value, usize>) -> Node {
        let of = |name: &str| self.of(attributes, name);
        let name = self.plain(value);
        let is_filled = of("style").is_some_and(|style| style.contains("filled"));
        let line = self.colour_of(attributes, "color");
        let fill = match attributes.get("fillcolor") {
            Some(_) => self.colour_of(attributes, "fillcolor"),
            None => line.filter(|_| is_filled),
        };
        let text = self.colour_of(attributes, "fontcolor").or_else(|| fill.map(Rgb::contrast));
        let paint = Paint { fill: fill.map(Rgb::text), line: line.map(Rgb::text), text: text.map(Rgb::text) };
        let label = of("label").unwrap_or_else(|| name.clone());
        let about = of("description").or_else(|| of("tooltip"));
        Node {
            key: name.clone(),
            lines: label.lines().map(folded).collect(),
            tooltip: [Some(name), about, of("fillcolor")]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join("\n"),
            look: attributes
                .get("fillcolor")
                .and_then(|value| own.get(value))
                .map_or(Look::Plain, |i| Look::Colour(*i)),
            shape: of("shape").and_then(|text| shape(&text)).unwrap_or_default(),
            paint: (paint != Paint::default()).then_some(paint),
            ..Node::default()
        }
    }

    fn arrow(&self, from: &Value, to: &Value, all: &[Attributes]) -> Edge {
        let labels: Vec<String> = all.iter().filter_map(|attributes| self.of(attributes, "label")).collect();
        let first = all.first().cloned().unwrap_or_default();
        let style = self.of(&first, "style").unwrap_or_default();
        let line = self.colour_of(&first, "color").map(Rgb::text);
        let begin = if labels.is_empty() { String::new() } else { labels.join(", ") + ": " };
        Edge {
            lines: labels.iter().map(|label| folded(label)).collect(),
            tooltip: format!("{begin}{} to {}", self.plain(from), self.plain(to)),
            dashed: style.contains("dashed") || style.contains("dotted"),
            undirected: self.of(&first, "dir").is_some_and(|dir| dir == "none"),
            paint: line.map(|line| Paint { line: Some(line), ..Paint::default() }),
            ..Edge::default()
        }
    }
}

fn type_of<'t>(types: &'t [(String, Type)], name: &str) -> Result<&'t Type, String> {
    types.iter().find(|(label, _)| label == name).map(|(_, ty)| ty).ok_or(format!("has no field `{name}`"))
}

fn with(defaults: &Attributes, fields: &[(std::sync::Arc<str>, Value)]) -> Attributes {
    let mut all = defaults.clone();
    all.extend(fields.iter().map(|(name, value)| (name.to_string(), value.clone())));
    all
}

fn without(mut attributes: Attributes, name: &str) -> Attributes {
    attributes.remove(name);
    attributes
}

/// The form that a shape of Graphviz comes nearest to.
fn shape(name: &str) -> Option<Shape> {
    Some(match name {
        "box" | "rect" | "rectangle" | "square" | "record" | "Mrecord" | "component" | "tab" | "folder"
        | "box3d" | "note" | "house" | "cylinder" => Shape::Box,
        "ellipse" | "oval" | "circle" | "doublecircle" | "egg" | "point" => Shape::Ellipse,
        "diamond" | "Mdiamond" | "triangle" | "invtriangle" | "hexagon" | "octagon" | "trapezium" => {
            Shape::Diamond
        }
        "plaintext" | "plain" | "none" => Shape::Text,
        _ => return None,
    })
}

/// A colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Rgb([u8; 3]);

/// Reads a colour by its name in CSS or as `#rrggbb`.
fn colour(text: &str) -> Option<Rgb> {
    let [r, g, b, _] = csscolorparser::parse(text).ok()?.to_rgba8();
    Some(Rgb([r, g, b]))
}

impl Rgb {
    fn text(self) -> String {
        let [r, g, b] = self.0;
        format!("#{r:02x}{g:02x}{b:02x}")
    }

    /// Black or white, whichever can be read on it (WCAG 2, relative luminance).
    fn contrast(self) -> Rgb {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.03928 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        let [r, g, b] = self.0.map(linear);
        if 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 { Rgb([0; 3]) } else { Rgb([255; 3]) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_can_be_read_on_every_colour() {
        for (name, on) in
            [("tomato", "#000000"), ("navy", "#ffffff"), ("yellow", "#000000"), ("#333", "#ffffff")]
        {
            assert_eq!(colour(name).map(|c| c.contrast().text()).as_deref(), Some(on), "{name}");
        }
        assert_eq!(colour("PROC1"), None);
    }
}
