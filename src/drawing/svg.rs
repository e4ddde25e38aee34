//! SVG with titles for readers who cannot see it, in light and dark.

use std::fmt::{Result, Write};

use super::clusters::name_width;
use super::picture::{Cluster, Edge, LINE, Look, Node, Paint, Picture, Row, Shape, extent};
use super::places::{Curve, Layout, Point, Rectangle};

use crate::tuning::tuning;

/// The style of pictures; all of it is for descendants of the class `bsym`.
// Colours are written in the rules themselves: many programs that show SVG do not support variables.
pub const STYLE: &str = "
  .bsym { font: 12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; }
  .bsym .paper { fill: #ffffff; }
  .bsym text { fill: #1d2430; text-anchor: middle; }
  .bsym .start { text-anchor: start; }
  .bsym .small { font-size: 10px; fill: #4a5566; }
  .bsym [data-off] { display: none; }
  .bsym .node .shape { fill: #f4f6f9; stroke: #8a94a6; }
  .bsym .bare .shape { fill: none; stroke: none; }
  .bsym .root .shape { fill: #cde8cd; }
  .bsym .violated .shape { fill: #f6c8c8; stroke: #b00020; stroke-width: 2; }
  .bsym .goal .shape { fill: #f9dfae; stroke-width: 2; }
  .bsym .deadlock .shape { fill: #ddd3ee; stroke-width: 3; }
  .bsym .open .shape { fill: none; stroke-dasharray: 3 3; }
  .bsym .pale .shape { fill: none; stroke: #c3cad6; }
  .bsym .pale text { fill: #5b6676; }
  .bsym .c0 .shape { fill: #d6e6fb; stroke: #2b66b1; }
  .bsym .c1 .shape { fill: #fde3c8; stroke: #a85a00; }
  .bsym .c2 .shape { fill: #d9efd6; stroke: #2f7d32; }
  .bsym .c3 .shape { fill: #ead9f5; stroke: #7b3fa0; }
  .bsym .c4 .shape { fill: #fbd9e0; stroke: #b0344f; }
  .bsym .c5 .shape { fill: #d8f0f0; stroke: #1f7a7a; }
  .bsym .node.here .shape { stroke: #0550ae; stroke-width: 3.5; }
  .bsym .cluster rect { fill: none; stroke: #8a94a6; stroke-dasharray: 2 3; }
  .bsym .cluster text { font-weight: 600; }
  .bsym .cell rect { fill: #f4f6f9; stroke: #8a94a6; }
  .bsym .rule { stroke: #d5dae2; }
  .bsym .edge path { fill: none; stroke: #8a94a6; stroke-width: 1.2; }
  .bsym .edge .tip { fill: #8a94a6; stroke: none; }
  .bsym .dashed .line { stroke-dasharray: 5 4; }
  .bsym .edge text { fill: #4a5566; font-size: 11px; paint-order: stroke; stroke: #ffffff; stroke-width: 3px; }
  .bsym .edge.pale path { stroke: #c3cad6; }
  .bsym .edge.pale .tip { fill: #c3cad6; stroke: none; }
  .bsym .edge.c0 .line { stroke: #2b66b1; } .bsym .edge.c0 text, .bsym .edge.c0 .tip { fill: #2b66b1; }
  .bsym .edge.c1 .line { stroke: #a85a00; } .bsym .edge.c1 text, .bsym .edge.c1 .tip { fill: #a85a00; }
  .bsym .edge.c2 .line { stroke: #2f7d32; } .bsym .edge.c2 text, .bsym .edge.c2 .tip { fill: #2f7d32; }
  .bsym .edge.c3 .line { stroke: #7b3fa0; } .bsym .edge.c3 text, .bsym .edge.c3 .tip { fill: #7b3fa0; }
  .bsym .edge.c4 .line { stroke: #b0344f; } .bsym .edge.c4 text, .bsym .edge.c4 .tip { fill: #b0344f; }
  .bsym .edge.c5 .line { stroke: #1f7a7a; } .bsym .edge.c5 text, .bsym .edge.c5 .tip { fill: #1f7a7a; }
  .bsym .node:hover .shape, .bsym .edge:hover .line { stroke: #1d2430; stroke-width: 2.5; }
  @media (prefers-color-scheme: dark) {
    .bsym .paper { fill: #14181f; }
    .bsym text { fill: #e6e9ef; }
    .bsym .small { fill: #a7b0c0; }
    .bsym .node .shape { fill: #222936; stroke: #7c889c; }
    .bsym .root .shape { fill: #1f4a2b; }
    .bsym .violated .shape { fill: #5c1f27; stroke: #ff7b86; }
    .bsym .goal .shape { fill: #5b4312; }
    .bsym .deadlock .shape { fill: #41345e; }
    .bsym .open .shape, .bsym .pale .shape, .bsym .bare .shape { fill: none; }
    .bsym .pale .shape { stroke: #3d4757; }
    .bsym .pale text { fill: #97a1b1; }
    .bsym .c0 .shape { fill: #17345c; stroke: #7fb2f0; }
    .bsym .c1 .shape { fill: #4d300b; stroke: #f0ad62; }
    .bsym .c2 .shape { fill: #1c4321; stroke: #86cf8a; }
    .bsym .c3 .shape { fill: #3c2453; stroke: #c99bea; }
    .bsym .c4 .shape { fill: #521f2c; stroke: #f293a8; }
    .bsym .c5 .shape { fill: #143f40; stroke: #6fcccc; }
    .bsym .node.here .shape { stroke: #79c0ff; }
    .bsym .cluster rect { stroke: #7c889c; }
    .bsym .cell rect { fill: #222936; stroke: #7c889c; }
    .bsym .rule { stroke: #333c4b; }
    .bsym .edge path { stroke: #7c889c; }
    .bsym .edge .tip { fill: #7c889c; }
    .bsym .edge text { fill: #a7b0c0; stroke: #14181f; }
    .bsym .edge.pale path { stroke: #3d4757; }
    .bsym .edge.pale .tip { fill: #3d4757; }
    .bsym .edge.c0 .line { stroke: #7fb2f0; } .bsym .edge.c0 text, .bsym .edge.c0 .tip { fill: #7fb2f0; }
    .bsym .edge.c1 .line { stroke: #f0ad62; } .bsym .edge.c1 text, .bsym .edge.c1 .tip { fill: #f0ad62; }
    .bsym .edge.c2 .line { stroke: #86cf8a; } .bsym .edge.c2 text, .bsym .edge.c2 .tip { fill: #86cf8a; }
    .bsym .edge.c3 .line { stroke: #c99bea; } .bsym .edge.c3 text, .bsym .edge.c3 .tip { fill: #c99bea; }
    .bsym .edge.c4 .line { stroke: #f293a8; } .bsym .edge.c4 text, .bsym .edge.c4 .tip { fill: #f293a8; }
    .bsym .edge.c5 .line { stroke: #6fcccc; } .bsym .edge.c5 text, .bsym .edge.c5 .tip { fill: #6fcccc; }
    .bsym .node:hover .shape, .bsym .edge:hover .line { stroke: #e6e9ef; }
  }
";

/// A picture as SVG.
pub fn svg(picture: &Picture, layout: &Layout) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string does not fail.
    let _ = write(&mut out, picture, layout);
    out
}

/// The element alone.
pub(super) fn write(out: &mut String, picture: &Picture, layout: &Layout) -> Result {
    head(out, picture, layout, "")?;
    writeln!(out, "<style>{STYLE}</style>")?;
    body(out, &mut |out| {
        for (cluster, place) in picture.clusters.iter().zip(&layout.clusters) {
            self::cluster(out, cluster, *place)?;
        }
        for (edge, curve) in picture.edges.iter().zip(&layout.edges) {
            self::edge(out, edge, curve, "")?;
        }
        for (node, at) in picture.nodes.iter().zip(&layout.nodes) {
            self::node(out, node, *at, node.size(), "")?;
        }
        for (row, at) in picture.rows.iter().zip(&layout.rows) {
            self::row(out, row, *at, "")?;
        }
        table(out, picture, layout)
    })
}

/// The beginning of the element, with what it shows in words. `id` tells the names of one picture of a page from those
/// of others.
pub(super) fn head(out: &mut String, picture: &Picture, layout: &Layout, id: &str) -> Result {
    let (width, height) =
        (layout.size.0 + 2.0 * tuning().drawing.margin, layout.size.1 + 2.0 * tuning().drawing.margin);
    // Inside a page the name of the namespace is not needed.
    let namespace = if id.is_empty() { " xmlns=\"http://www.w3.org/2000/svg\"" } else { "" };
    writeln!(
        out,
        "<svg{namespace} class=\"bsym\" role=\"img\" aria-labelledby=\"{id}title {id}desc\" \
         width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">"
    )?;
    writeln!(out, "<title id=\"{id}title\">{}</title>", escaped(&picture.title))?;
    let (nodes, edges) = (picture.nodes.len(), picture.edges.len());
    let mut words = format!("{nodes} nodes and {edges} arrows.");
    for row in &picture.rows {
        let cells: Vec<&str> = row.cells.iter().map(|cell| cell.1.as_str()).collect();
        let _ = write!(words, " {}: {}.", row.name, cells.join(", "));
    }
    for (name, value) in &picture.table {
        let _ = write!(words, " {name} = {value}.");
    }
    words.extend(picture.remarks.iter().map(|remark| format!(" {remark}.")));
    writeln!(out, "<desc id=\"{id}desc\">{}</desc>", escaped(&words))
}

/// The paper and what is on it, and the end of the element.
pub(super) fn body(out: &mut String, draw: &mut dyn FnMut(&mut String) -> Result) -> Result {
    writeln!(out, "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>")?;
    let margin = tuning().drawing.margin;
    writeln!(out, "<g transform=\"translate({margin} {margin})\">")?;
    draw(out)?;
    writeln!(out, "</g>\n</svg>")
}

/// A box around nodes.
pub(super) fn cluster(
    out: &mut String,
    cluster: &Cluster,
    ((left, top), (right, bottom)): Rectangle,
) -> Result {
    let (width, height, middle) = (right - left, bottom - top, (left + right) / 2.0);
    writeln!(
        out,
        "<g class=\"cluster\"><rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"10\"/>\
         <text x=\"{middle:.1}\" y=\"{:.1}\">{}</text></g>",
        top + 16.0,
        escaped(&cluster.title)
    )
}

/// An edge; `more` are further attributes.
pub(super) fn edge(out: &mut String, edge: &Edge, curve: &Curve, more: &str) -> Result {
    let dashed = if edge.dashed { " dashed" } else { "" };
    let look = match edge.look {
        Look::Pale | Look::Colour(_) => format!(" {}", edge.look.class()),
        _ => String::new(),
    };
    write!(
        out,
        "<g class=\"edge{dashed}{look}\"{more}><title>{}</title><path class=\"line\" d=\"",
        escaped(&edge.tooltip)
    )?;
    for (i, (x, y)) in curve.points.iter().enumerate() {
        let command = match i {
            0 => "M",
            1 => " C",
            _ => " ",
        };
        write!(out, "{command}{x:.1} {y:.1}")?;
    }
    let line = edge.paint.as_ref().and_then(|paint| paint.line.as_deref());
    let style = |of: &str| line.map(|colour| format!(" style=\"{of}:{colour}\"")).unwrap_or_default();
    write!(out, "\"{}/>", style("stroke"))?;
    if !edge.undirected {
        tip(out, curve, &style("fill"))?;
    }
    lines(out, &edge.lines, curve.label, None)?;
    writeln!(out, "</g>")
}

/// The tip of an arrow.
fn tip(out: &mut String, curve: &Curve, style: &str) -> Result {
    let Some((end, rest)) = curve.points.split_last() else { return Ok(()) };
    let Some(before) = rest.iter().rev().find(|p| (p.0 - end.0).hypot(p.1 - end.1) > 0.5) else {
        return Ok(());
    };
    let length = (end.0 - before.0).hypot(end.1 - before.1);
    let (x, y) = ((end.0 - before.0) / length, (end.1 - before.1) / length);
    let back = (end.0 - 8.0 * x, end.1 - 8.0 * y);
    let (left, right) = ((back.0 - 3.5 * y, back.1 + 3.5 * x), (back.0 + 3.5 * y, back.1 - 3.5 * x));
    write!(
        out,
        "<path class=\"tip\" d=\"M{:.1} {:.1} L{:.1} {:.1} L{:.1} {:.1} z\"{style}/>",
        left.0, left.1, end.0, end.1, right.0, right.1
    )
}

/// A node in a box of a size; `more` are further attributes.
pub(super) fn node(out: &mut String, node: &Node, at: Point, (width, height): Point, more: &str) -> Result {
    let (x, y) = at;
    let (left, top) = (x - width / 2.0, y - height / 2.0);
    let bare = if node.shape == Shape::Text { " bare" } else { "" };
    let here = if node.here { " here" } else { "" };
    write!(
        out,
        "<g class=\"node {}{bare}{here}\"{more}><title>{}</title>",
        node.look.class(),
        escaped(&node.tooltip)
    )?;
    let style = node.paint.as_ref().map(style).unwrap_or_default();
    match node.shape {
        Shape::Box | Shape::Text => write!(
            out,
            "<rect class=\"shape\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"6\"{style}/>"
        )?,
        Shape::Ellipse => write!(
            out,
            "<ellipse class=\"shape\" cx=\"{x:.1}\" cy=\"{y:.1}\" rx=\"{:.1}\" ry=\"{:.1}\"{style}/>",
            width / 2.0,
            height / 2.0
        )?,
        Shape::Diamond => write!(
            out,
            "<path class=\"shape\" d=\"M{left:.1} {y:.1} L{x:.1} {top:.1} L{:.1} {y:.1} L{x:.1} {:.1} z\"{style}/>",
            left + width,
            top + height
        )?,
    }
    lines(out, &node.lines, at, node.paint.as_ref().and_then(|paint| paint.text.as_deref()))?;
    writeln!(out, "</g>")
}

fn style(paint: &Paint) -> String {
    let part = |name: &str, colour: &Option<String>| colour.as_ref().map(|c| format!("{name}:{c}"));
    let parts: Vec<String> =
        [part("fill", &paint.fill), part("stroke", &paint.line)].into_iter().flatten().collect();
    if parts.is_empty() { String::new() } else { format!(" style=\"{}\"", parts.join(";")) }
}

/// A row of cells: the name, then each value with its index above.
pub(super) fn row(out: &mut String, row: &Row, (left, top): Point, more: &str) -> Result {
    write!(
        out,
        "<g class=\"row\"{more}><text class=\"start\" x=\"{left:.1}\" y=\"{:.1}\">{}</text>",
        top + LINE * 1.75,
        escaped(&row.name)
    )?;
    let mut x = left + row.size().0 - row.cells.iter().map(Row::cell_width).sum::<f64>();
    for cell in &row.cells {
        let width = Row::cell_width(cell);
        let middle = x + width / 2.0;
        write!(
            out,
            "<g class=\"cell\"><text class=\"small\" x=\"{middle:.1}\" y=\"{:.1}\">{}</text><rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" \
             height=\"{:.1}\"/><text x=\"{middle:.1}\" y=\"{:.1}\">{}</text></g>",
            top + LINE * 0.75,
            escaped(&cell.0),
            top + LINE,
            LINE + 6.0,
            top + LINE * 1.9,
            escaped(&cell.1)
        )?;
        x += width;
    }
    writeln!(out, "</g>")
}

/// The table of further values.
pub(super) fn table(out: &mut String, picture: &Picture, layout: &Layout) -> Result {
    let (left, top) = layout.table;
    let second = left + name_width(picture);
    for (i, (name, value)) in picture.table.iter().enumerate() {
        let y = top + (LINE + 7.0) * i as f64;
        writeln!(
            out,
            "<g class=\"entry\"><line class=\"rule\" x1=\"{left:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\"/><text class=\"start\" \
             x=\"{left:.1}\" y=\"{:.1}\">{}</text><text class=\"start\" x=\"{second:.1}\" y=\"{:.1}\">{}</text></g>",
            left + super::clusters::table_size(picture).0,
            y + LINE,
            escaped(name),
            y + LINE,
            escaped(value)
        )?;
    }
    Ok(())
}

/// Lines of text around a place.
fn lines(out: &mut String, lines: &[String], (x, y): Point, colour: Option<&str>) -> Result {
    let top = y - extent(lines).1 / 2.0;
    let style = colour.map(|colour| format!(" style=\"fill:{colour}\"")).unwrap_or_default();
    for (i, line) in lines.iter().enumerate() {
        let y = top + LINE * i as f64 + LINE * 0.75;
        write!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\"{style}>{}</text>", escaped(line))?;
    }
    Ok(())
}

/// A text of XML. Characters that it cannot have at all are replaced.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
