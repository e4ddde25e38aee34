//! SVG with titles for readers who cannot see it, in light and dark.

use std::fmt::{Result, Write};

use super::picture::{LINE, Picture, extent};
use super::places::Layout;

/// Space around everything.
const MARGIN: f64 = 20.0;

// Colours are written in the rules themselves: many programs that show SVG do not support variables.
const STYLE: &str = "
  .bsym { font: 12px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; }
  .paper { fill: #ffffff; }
  .bsym text { fill: #1d2430; text-anchor: middle; }
  .node rect { fill: #f4f6f9; stroke: #8a94a6; }
  .root rect { fill: #cde8cd; }
  .violated rect { fill: #f6c8c8; stroke: #b00020; stroke-width: 2; }
  .goal rect { fill: #f9dfae; stroke-width: 2; }
  .deadlock rect { fill: #ddd3ee; stroke-width: 3; }
  .open rect { fill: none; stroke-dasharray: 3 3; }
  .edge path { fill: none; stroke: #8a94a6; stroke-width: 1.2; }
  .dashed path { stroke-dasharray: 5 4; }
  .edge text { fill: #4a5566; font-size: 11px; paint-order: stroke; stroke: #ffffff; stroke-width: 3px; }
  .bsym marker path { fill: #8a94a6; }
  .node:hover rect, .edge:hover path { stroke: #1d2430; stroke-width: 2.5; }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #14181f; }
    .bsym text { fill: #e6e9ef; }
    .node rect { fill: #222936; stroke: #7c889c; }
    .root rect { fill: #1f4a2b; }
    .violated rect { fill: #5c1f27; stroke: #ff7b86; }
    .goal rect { fill: #5b4312; }
    .deadlock rect { fill: #41345e; }
    .open rect { fill: none; }
    .edge path { stroke: #7c889c; }
    .edge text { fill: #a7b0c0; stroke: #14181f; }
    .bsym marker path { fill: #7c889c; }
    .node:hover rect, .edge:hover path { stroke: #e6e9ef; }
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
    let (width, height) = (layout.size.0 + 2.0 * MARGIN, layout.size.1 + 2.0 * MARGIN);
    writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bsym\" role=\"img\" aria-labelledby=\"title desc\" width=\"{width:.0}\" \
         height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">"
    )?;
    writeln!(out, "<title id=\"title\">{}</title>", escaped(&picture.title))?;
    let (nodes, edges) = (picture.nodes.len(), picture.edges.len());
    let remarks: String = picture.remarks.iter().map(|remark| format!(" {remark}.")).collect();
    writeln!(out, "<desc id=\"desc\">{nodes} nodes and {edges} arrows.{}</desc>", escaped(&remarks))?;
    writeln!(out, "<style>{STYLE}</style>")?;
    writeln!(
        out,
        "<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" \
         orient=\"auto-start-reverse\"><path d=\"M0 1 L10 5 L0 9 z\"/></marker></defs>"
    )?;
    writeln!(out, "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>")?;
    writeln!(out, "<g transform=\"translate({MARGIN} {MARGIN})\">")?;
    for (edge, curve) in picture.edges.iter().zip(&layout.edges) {
        let dashed = if edge.dashed { " dashed" } else { "" };
        write!(out, "<g class=\"edge{dashed}\"><title>{}</title><path d=\"", escaped(&edge.tooltip))?;
        for (i, (x, y)) in curve.points.iter().enumerate() {
            let command = match i {
                0 => "M",
                1 => " C",
                _ => " ",
            };
            write!(out, "{command}{x:.1} {y:.1}")?;
        }
        write!(out, "\" marker-end=\"url(#arrow)\"/>")?;
        lines(out, &edge.lines, curve.label)?;
        writeln!(out, "</g>")?;
    }
    for (node, (x, y)) in picture.nodes.iter().zip(&layout.nodes) {
        let (width, height) = node.size();
        let (left, top) = (x - width / 2.0, y - height / 2.0);
        write!(
            out,
            "<g class=\"node {}\"><title>{}</title><rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" \
             rx=\"6\"/>",
            node.look.class(),
            escaped(&node.tooltip)
        )?;
        lines(out, &node.lines, (*x, *y))?;
        writeln!(out, "</g>")?;
    }
    writeln!(out, "</g>\n</svg>")
}

/// Lines of text around a place.
fn lines(out: &mut String, lines: &[String], (x, y): (f64, f64)) -> Result {
    let top = y - extent(lines).1 / 2.0;
    for (i, line) in lines.iter().enumerate() {
        let y = top + LINE * i as f64 + LINE * 0.75;
        write!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", escaped(line))?;
    }
    Ok(())
}

/// A text of XML. Characters that it cannot have at all are replaced.
pub(super) fn escaped(text: &str) -> String {
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
