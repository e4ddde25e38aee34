//! The language of Graphviz.

use std::fmt::{Result, Write};

use super::picture::{Look, Picture};

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
    for (number, node) in picture.nodes.iter().enumerate() {
        let (label, tooltip) = (quoted(&node.lines.join("\n")), quoted(&node.tooltip));
        write!(out, "  n{number} [label={label}, tooltip={tooltip}")?;
        match node.look {
            Look::Root => write!(out, ", fillcolor=\"#cde8cd\"")?,
            Look::Violated => write!(out, ", fillcolor=\"#f6c8c8\", color=\"#b00020\", penwidth=2")?,
            Look::Goal => write!(out, ", fillcolor=\"#f9dfae\", penwidth=2")?,
            Look::Deadlock => write!(out, ", fillcolor=\"#ddd3ee\", peripheries=2")?,
            Look::Open => write!(out, ", style=\"rounded,dashed\"")?,
            Look::Plain => {}
        }
        writeln!(out, "];")?;
    }
    for edge in &picture.edges {
        let style = if edge.dashed { ", style=dashed" } else { "" };
        let (label, tooltip) = (quoted(&edge.lines.join("\n")), quoted(&edge.tooltip));
        writeln!(out, "  n{} -> n{} [label={label}, tooltip={tooltip}{style}];", edge.from, edge.to)?;
    }
    writeln!(out, "}}")
}

/// A text of DOT. A backslash would begin an escape.
pub(super) fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{text}\"")
}
