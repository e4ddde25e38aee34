//! The picture of a state by the types of its variables.
//!
//! Elements of enumerated and deferred sets are nodes in a box for each set. A relation is arrows between nodes. A
//! function from nodes to numbers, truth values, strings or larger values is a line inside each node, and so are the
//! sets that an element is in and the variables that are equal to it. Sequences and arrays are rows of cells. Whatever
//! is left stands in a table. Numbers become nodes only where a relation that is no function connects them.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::model::CarrierKind;
use bsym_language::print::type_text;
use bsym_language::types::{CarrierId, Type};
use bsym_semantics::value::Value;
use bsym_semantics::value::text::element_text;

use super::{Options, Snapshot};
use crate::drawing::{COLOURS, Cluster, Edge, Look, Node, Picture, Row, folded, some};
use crate::tuning::tuning;

/// Something with a value that is drawn.
struct Item<'v> {
    name: &'v str,
    ty: &'v Type,
    value: &'v Value,
    is_constant: bool,
}

/// An arrow with the relations that it is of.
#[derive(Default)]
struct Arrow {
    labels: Vec<String>,
    colours: BTreeSet<usize>,
    is_constant: bool,
}

/// A picture that is being made.
struct Maker<'s> {
    snapshot: &'s Snapshot<'s>,
    /// The boxes with the values that are nodes: those of sets, then those of numbers and strings.
    boxes: BTreeMap<(bool, Type), BTreeSet<Value>>,
    /// Lines inside nodes.
    lines: BTreeMap<Value, Vec<String>>,
    arrows: BTreeMap<(Value, Value), Arrow>,
    rows: Vec<Row>,
    table: Vec<(String, String)>,
    remarks: Vec<String>,
    relations: usize,
    /// Types of both ends of arrows.
    ends: BTreeMap<(Value, Value), (Type, Type)>,
}

/// Returns the picture of a state.
pub fn picture(snapshot: &Snapshot<'_>, title: String, options: &Options) -> Picture {
    let mut maker = Maker {
        snapshot,
        boxes: BTreeMap::new(),
        lines: BTreeMap::new(),
        arrows: BTreeMap::new(),
        rows: vec![],
        table: vec![],
        remarks: vec![],
        relations: 0,
        ends: BTreeMap::new(),
    };
    let model = snapshot.model;
    let is_known = |name: &String| !options.unknown.contains(name);
    for (variable, value) in model.variables.iter().zip(snapshot.state).filter(|(v, _)| is_known(&v.name)) {
        maker.item(&Item { name: &variable.name, ty: &variable.ty, value, is_constant: false });
    }
    let mut left_out = vec![];
    for (constant, value) in model.constants.iter().zip(snapshot.constants).filter(|(c, _)| is_known(&c.name))
    {
        if options.all_constants || weight(value) <= tuning().snapshot.small {
            maker.item(&Item { name: &constant.name, ty: &constant.ty, value, is_constant: true });
        } else {
            left_out.push(constant.name.as_str());
        }
    }
    if !left_out.is_empty() {
        maker.remarks.push(format!("large constants that are not drawn: {}", left_out.join(", ")));
    }
    maker.finish(title)
}

/// Number of elements of all sets in a value.
fn weight(value: &Value) -> usize {
    match value {
        Value::Set(all) => all.iter().map(|v| 1 + weight(v)).sum(),
        Value::Pair(p) => weight(&p.0) + weight(&p.1),
        Value::Record(fields) => fields.iter().map(|(_, v)| weight(v)).sum(),
        Value::Lazy(_) => usize::MAX / 4,
        _ => 0,
    }
}

fn is_scalar(ty: &Type) -> bool {
    matches!(ty, Type::Bool | Type::Int | Type::Real | Type::String)
}

/// Returns whether values of a type may be nodes: elements of sets, and scalars and couples of such.
fn is_point(ty: &Type) -> bool {
    match ty {
        Type::Pair(a, b) => is_point(a) && is_point(b),
        Type::Carrier(_) | Type::Free(..) => true,
        ty => is_scalar(ty),
    }
}

/// The couples of a relation.
fn couples(value: &Value) -> Option<Vec<(&Value, &Value)>> {
    value.as_set()?.iter().map(Value::as_pair).collect()
}

impl Maker<'_> {
    fn item(&mut self, item: &Item<'_>) {
        match (item.ty, item.value) {
            (Type::Carrier(_), value) => {
                self.node(item.ty, value);
                self.line(value, format!("= {}", item.name));
            }
            (Type::Pow(of), Value::Set(all)) if matches!(**of, Type::Carrier(_)) && !all.is_empty() => {
                for value in all.iter() {
                    self.node(of, value);
                    self.line(value, format!("∈ {}", item.name));
                }
            }
            (Type::Record(fields), Value::Record(values)) => {
                for ((label, ty), (_, value)) in fields.iter().zip(values.iter()) {
                    let name = format!("{}'{label}", item.name);
                    self.item(&Item { name: &name, ty, value, is_constant: item.is_constant });
                }
            }
            (ty, value) => match (ty.as_relation(), couples(value)) {
                (Some((a, b)), Some(all)) if !all.is_empty() || *a == Type::Int => {
                    self.relation(item, a, b, &all)
                }
                _ => self.entry(item),
            },
        }
    }

    fn relation(&mut self, item: &Item<'_>, a: &Type, b: &Type, all: &[(&Value, &Value)]) {
        let is_function = all.windows(2).all(|two| two[0].0 != two[1].0);
        if is_scalar(a) && is_function {
            return self.row(item.name, all);
        }
        if !is_point(a) {
            return self.entry(item);
        }
        if is_function && (is_scalar(b) || !is_point(b)) {
            let images = match b {
                Type::Pow(of) if matches!(**of, Type::Carrier(_)) => Some(&**of),
                _ => None,
            };
            for (from, to) in all {
                self.node(a, from);
                match (images, to.as_set()) {
                    (Some(of), Some(set)) if !set.is_empty() => {
                        set.iter().for_each(|to| self.arrow(item, (a, from), (of, to)));
                    }
                    _ => {
                        let text = self.snapshot.text(to);
                        self.line(from, format!("{} = {text}", item.name));
                    }
                }
            }
            self.relations += usize::from(images.is_some());
            return;
        }
        if !is_point(b) {
            return self.entry(item);
        }
        all.iter().for_each(|(from, to)| self.arrow(item, (a, from), (b, to)));
        self.relations += 1;
    }

    fn arrow(&mut self, item: &Item<'_>, (a, from): (&Type, &Value), (b, to): (&Type, &Value)) {
        self.node(a, from);
        self.node(b, to);
        let ends = (from.clone(), to.clone());
        self.ends.insert(ends.clone(), (a.clone(), b.clone()));
        let is_new = !self.arrows.contains_key(&ends);
        let arrow = self.arrows.entry(ends).or_default();
        arrow.labels.push(item.name.to_owned());
        arrow.colours.insert(self.relations % COLOURS);
        arrow.is_constant = item.is_constant && (is_new || arrow.is_constant);
    }

    /// A sequence or an array.
    fn row(&mut self, name: &str, all: &[(&Value, &Value)]) {
        let text = |value: &Value| folded(&self.snapshot.text(value));
        let mut cells: Vec<(String, String)> =
            all.iter().take(tuning().snapshot.cells).map(|(i, v)| (text(i), text(v))).collect();
        if all.len() > tuning().snapshot.cells {
            cells.push((String::new(), format!("… {} more", all.len() - tuning().snapshot.cells)));
        }
        if cells.is_empty() {
            cells.push((String::new(), "empty".into()));
        }
        self.rows.push(Row { name: name.to_owned(), cells });
    }

    /// An entry of the table; large sets are folded.
    fn entry(&mut self, item: &Item<'_>) {
        let text = match item.value {
            Value::Set(all) if all.len() > tuning().snapshot.elements => {
                let first: Vec<String> = all
                    .iter()
                    .take(tuning().snapshot.elements / 3)
                    .map(|v| folded(&self.snapshot.text(v)))
                    .collect();
                format!("{{{}, … {} more}}", first.join(", "), all.len() - first.len())
            }
            value => self.snapshot.text(value),
        };
        let cut: String = text.chars().take(120).collect();
        let more = if cut.len() < text.len() { "…" } else { "" };
        self.table.push((item.name.to_owned(), cut + more));
    }

    fn node(&mut self, ty: &Type, value: &Value) {
        self.boxes.entry((is_scalar(ty), ty.clone())).or_default().insert(value.clone());
    }

    fn line(&mut self, value: &Value, line: String) {
        self.lines.entry(value.clone()).or_default().push(line);
    }

    fn finish(mut self, title: String) -> Picture {
        let mut picture = Picture { title, ..Picture::default() };
        let mut places: BTreeMap<(Type, Value), usize> = BTreeMap::new();
        for (number, ((_, ty), values)) in std::mem::take(&mut self.boxes).into_iter().enumerate() {
            let (values, more) = self.elements(&ty, &values);
            let name = type_text(self.snapshot.model, &ty);
            let first = picture.nodes.len();
            for value in values {
                places.insert((ty.clone(), value.clone()), picture.nodes.len());
                picture.nodes.push(self.drawn(&name, &value, Look::Colour(number % COLOURS)));
            }
            if more > 0 {
                picture.nodes.push(Node {
                    key: format!("{name}|"),
                    lines: vec![format!("… {more} more")],
                    tooltip: format!("{more} more elements of {name}"),
                    look: Look::Open,
                    ..Node::default()
                });
            }
            picture.clusters.push(Cluster { title: name, nodes: (first..picture.nodes.len()).collect() });
        }
        let mut hidden = 0;
        for (ends, arrow) in &self.arrows {
            let (a, b) = &self.ends[ends];
            let (from, to) =
                (places.get(&(a.clone(), ends.0.clone())), places.get(&(b.clone(), ends.1.clone())));
            let (Some(from), Some(to)) = (from, to) else {
                hidden += 1;
                continue;
            };
            if picture.edges.len() >= tuning().snapshot.arrows {
                hidden += 1;
                continue;
            }
            let text = |value: &Value| self.snapshot.text(value);
            picture.edges.push(Edge {
                from: *from,
                to: *to,
                lines: some(arrow.labels.iter().map(|label| folded(label)), tuning().snapshot.lines),
                tooltip: format!("{}: {} to {}", arrow.labels.join(", "), text(&ends.0), text(&ends.1)),
                dashed: arrow.is_constant,
                look: match arrow.colours.iter().next() {
                    Some(colour) if arrow.colours.len() == 1 => Look::Colour(*colour),
                    _ => Look::Plain,
                },
                ..Edge::default()
            });
        }
        if hidden > 0 {
            self.remarks.push(format!("{hidden} more arrows are not drawn"));
        }
        picture.rows = self.rows;
        picture.table = self.table;
        picture.remarks = self.remarks;
        picture
    }

    /// The elements of a box that are drawn, and the number of others.
    fn elements(&self, ty: &Type, used: &BTreeSet<Value>) -> (Vec<Value>, usize) {
        let model = self.snapshot.model;
        let Type::Carrier(id) = ty else {
            let shown: Vec<Value> = used.iter().take(tuning().snapshot.elements).cloned().collect();
            let more = used.len() - shown.len();
            return (shown, more);
        };
        let all: Vec<Value> =
            match (self.snapshot.scope.positions(model, *id), &model.types.carriers[id.index()].kind) {
                (Some(range), _) if range.len() <= tuning().snapshot.elements => {
                    range.map(|i| Value::Element(*id, i)).collect()
                }
                (_, CarrierKind::Enumerated(names)) if names.len() <= tuning().snapshot.elements => {
                    (0..names.len() as u32).map(|i| Value::Element(*id, i)).collect()
                }
                _ => used.iter().take(tuning().snapshot.elements).cloned().collect(),
            };
        let size = self.snapshot.scope.size(model, *id).unwrap_or(all.len()).max(used.len());
        let more = size.saturating_sub(all.len());
        (all, more)
    }

    fn drawn(&self, set: &str, value: &Value, look: Look) -> Node {
        let name = match value {
            Value::Element(carrier, i) => self.element(*carrier, *i),
            value => self.snapshot.text(value),
        };
        let lines = self.lines.get(value).cloned().unwrap_or_default();
        Node {
            key: format!("{set}|{name}"),
            lines: std::iter::once(folded(&name))
                .chain(some(lines.iter().map(|line| folded(line)), tuning().snapshot.lines))
                .collect(),
            tooltip: [vec![name], lines].concat().join("\n"),
            look,
            ..Node::default()
        }
    }

    fn element(&self, carrier: CarrierId, element: u32) -> String {
        element_text(self.snapshot.model, carrier, element)
    }
}
