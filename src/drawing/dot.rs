//! The language of Graphviz.

use std::fmt::{Result, Write};

use super::picture::{COLOURS, Look, Picture, Shape};

/// Fill and line of the colours of sets.
const COLOUR: [(&str, &str); COLOURS] = [
    ("#d6e6fb", "#2b66b1"),
    ("#fde3c8", "#a85a00"),
    ("#d9efd6", "#2f7d32"),
    ("#ead9f5", "#7b3fa0"),
    ("#fbd9e0", "#b0344f"),
    ("#d8f0f0", "#1f7a7a"),
];

/// A picture as DOT.
pub fn dot(picture: &Picture) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut out, picture);
    out
}

fn write(out: &mut String, picture: &Picture) -> Result {
    for remark in &picture.remarks {
        writeln!(out, "// {}", remark.replace('\n', " "))?;
    }
    writeln!(out, "digraph {} {{", quoted(&picture.title))?;
    writeln!(
        out,
        "  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=monospace, fontsize=10];"
    )?;
    writeln!(out, "  edge [fontname=monospace, fontsize=9];")?;
    for (name, value) in picture.attributes.iter().filter(|(name, _)| is_word(name)) {
        writeln!(out, "  {name}={};", quoted(value))?;
    }
    for (number, node) in picture.nodes.iter().enumerate() {
        let (label, tooltip) = (quoted(&node.lines.join("\n")), quoted(&node.tooltip));
        write!(out, "  n{number} [label={label}, tooltip={tooltip}")?;
        match node.look {
            Look::Root => write!(out, ", fillcolor=\"#cde8cd\"")?,
            Look::Violated => write!(out, ", fillcolor=\"#f6c8c8\", color=\"#b00020\", penwidth=2")?,
            Look::Goal => write!(out, ", fillcolor=\"#f9dfae\", penwidth=2")?,
            Look::Deadlock => write!(out, ", fillcolor=\"#ddd3ee\", peripheries=2")?,
            Look::Open => write!(out, ", style=\"rounded,dashed\"")?,
            Look::Pale => write!(out, ", color=\"#c3cad6\", fontcolor=\"#5b6676\"")?,
            Look::Colour(n) => {
                let (fill, line) = COLOUR[n % COLOUR.len()];
                write!(out, ", fillcolor=\"{fill}\", color=\"{line}\"")?;
            }
            Look::Plain => {}
        }
        match node.shape {
            Shape::Box => {}
            Shape::Ellipse => write!(out, ", shape=ellipse")?,
            Shape::Diamond => write!(out, ", shape=diamond")?,
            Shape::Text => write!(out, ", shape=plaintext, style=\"\"")?,
        }
        if let Some(paint) = &node.paint {
            for (name, colour) in
                [("fillcolor", &paint.fill), ("color", &paint.line), ("fontcolor", &paint.text)]
            {
                if let Some(colour) = colour {
                    write!(out, ", {name}=\"{colour}\"")?;
                }
            }
        }
        writeln!(out, "];")?;
    }
    for (number, cluster) in picture.clusters.iter().enumerate() {
        let nodes: Vec<String> = cluster.nodes.iter().map(|node| format!("n{node};")).collect();
        let label = quoted(&cluster.title);
        writeln!(
            out,
            "  subgraph cluster_{number} {{ label={label}; style=\"rounded,dashed\"; {} }}",
            nodes.join(" ")
        )?;
    }
    for (number, row) in picture.rows.iter().enumerate() {
        let cells: Vec<String> =
            row.cells.iter().map(|(i, value)| format!("{}\n{}", field(i), field(value))).collect();
        let label = quoted(&[vec![field(&row.name)], cells].concat().join("|")).replace("\\\\", "\\");
        writeln!(out, "  row{number} [shape=record, style=\"\", label={label}];")?;
    }
    if !picture.table.is_empty() {
        let lines: String = picture.table.iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
        writeln!(out, "  values [shape=box, style=\"\", label={}];", quoted(lines.trim_end()))?;
    }
    for edge in &picture.edges {
        let mut style = String::from(if edge.dashed { ", style=dashed" } else { "" });
        let own = edge.paint.as_ref().and_then(|paint| paint.line.clone());
        let colour = own.or(match edge.look {
            Look::Colour(n) => Some(COLOUR[n % COLOUR.len()].1.to_owned()),
            Look::Pale => Some("#c3cad6".to_owned()),
            _ => None,
        });
        if let Some(colour) = colour {
            let _ = write!(style, ", color=\"{colour}\", fontcolor=\"{colour}\"");
        }
        if edge.undirected {
            style += ", dir=none";
        }
        let (label, tooltip) = (quoted(&edge.lines.join("\n")), quoted(&edge.tooltip));
        writeln!(out, "  n{} -> n{} [label={label}, tooltip={tooltip}{style}];", edge.from, edge.to)?;
    }
    writeln!(out, "}}")
}

fn is_word(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The text of a field of a record, whose own signs are escaped.
fn field(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if "{}|<> \\".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A text of DOT. A backslash would begin an escape.
pub(super) fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{text}\"")
}
