//! Places found by Graphviz's `dot`.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::dot::quoted;
use super::layers::depths;
use super::picture::{Picture, extent};
use super::places::{Curve, Layout, Point};

use crate::tuning::tuning;

/// Pixels per point: Graphviz has 72 points to an inch, the picture has 96 pixels.
const SCALE: f64 = 96.0 / 72.0;

/// The places, if Graphviz is installed and answers in time.
pub fn layout(picture: &Picture) -> Option<Layout> {
    let answer = ask(&request(picture))?;
    read(picture, &serde_json::from_str(&answer).ok()?)
}

/// Draws boxes with their final sizes, without text in them.
fn request(picture: &Picture) -> String {
    let mut text = String::from("digraph g {\n  node [shape=box, fixedsize=true, label=\"\"];\n");
    let depths = depths(picture);
    let inches = |pixels: f64| pixels / 96.0;
    for (number, node) in picture.nodes.iter().enumerate() {
        let (width, height) = node.size();
        let _ = writeln!(text, "  n{number} [width={:.3}, height={:.3}];", inches(width), inches(height));
    }
    for (number, edge) in picture.edges.iter().enumerate() {
        let (width, height) = extent(&edge.lines);
        // A table of that size, because fonts differ where the drawing is viewed.
        let points = |pixels: f64| (pixels / SCALE).ceil().clamp(1.0, 65000.0);
        let (width, height) = (points(width + 8.0), points(height));
        let label = format!(
            "<<table border=\"0\" fixedsize=\"true\" width=\"{width}\" height=\"{height}\"><tr><td></td></tr></table>>"
        );
        let id = quoted(&number.to_string());
        // Edges that lead back are reversed, so that the distance from the first node grows downwards.
        let (from, to, how) = match depths[edge.from].cmp(&depths[edge.to]) {
            Ordering::Less => (edge.from, edge.to, ""),
            Ordering::Equal => (edge.from, edge.to, ", constraint=false"),
            Ordering::Greater => (edge.to, edge.from, ", dir=back"),
        };
        let _ = writeln!(text, "  n{from} -> n{to} [id={id}, label={label}{how}];");
    }
    text + "}\n"
}

/// Returns the output of `dot`; `None` if it is not installed, fails or times out.
fn ask(request: &str) -> Option<String> {
    let mut child = Command::new("dot")
        .arg("-Tjson0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let (mut stdin, mut stdout) = (child.stdin.take()?, child.stdout.take()?);
    let begin = Instant::now();
    std::thread::scope(|threads| {
        // It reads everything before it writes, but that is not guaranteed.
        threads.spawn(move || stdin.write_all(request.as_bytes()));
        let answer = threads.spawn(move || {
            let mut text = String::new();
            stdout.read_to_string(&mut text).map(|_| text)
        });
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if begin.elapsed() < tuning().drawing.graphviz && !answer.is_finished() => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Ok(None) if answer.is_finished() => break child.wait().ok(),
                _ => {
                    let _ = child.kill();
                    let _ = child.wait();
                    break None;
                }
            }
        };
        let text = answer.join().ok()?.ok()?;
        status.filter(|status| status.success()).map(|_| text)
    })
}

/// Reads `-Tjson0`: objects with `name` and `pos`, edges with `id`, `pos` and `lp`; y grows upwards.
fn read(picture: &Picture, answer: &Json) -> Option<Layout> {
    let bounds = numbers(answer["bb"].as_str()?);
    let height = *bounds.get(3)?;
    let place = |x: f64, y: f64| (x * SCALE, (height - y) * SCALE);
    let mut nodes = vec![None; picture.nodes.len()];
    if !picture.nodes.is_empty() {
        for object in answer["objects"].as_array()? {
            let number: usize = object["name"].as_str()?.strip_prefix('n')?.parse().ok()?;
            if let [x, y] = numbers(object["pos"].as_str()?)[..] {
                *nodes.get_mut(number)? = Some(place(x, y));
            }
        }
    }
    let mut edges = vec![None; picture.edges.len()];
    for object in answer["edges"].as_array().into_iter().flatten() {
        let number: usize = object["id"].as_str()?.parse().ok()?;
        let (mut points, mut tip, mut is_turned) = (Vec::<Point>::new(), None, false);
        for part in object["pos"].as_str()?.split_whitespace() {
            is_turned |= part.starts_with("s,");
            let is_tip = part.starts_with(['s', 'e']);
            if let [x, y] = numbers(part.trim_start_matches(['e', 's', ',']))[..] {
                if is_tip { tip = Some(place(x, y)) } else { points.push(place(x, y)) }
            }
        }
        if is_turned {
            points.reverse();
        }
        // The last point of the curve is where the arrow begins.
        if let (Some(tip), Some(last)) = (tip, points.last_mut()) {
            *last = tip;
        }
        let label = match object["lp"].as_str().map(numbers).as_deref() {
            Some([x, y]) => place(*x, *y),
            _ => *points.get(points.len() / 2)?,
        };
        *edges.get_mut(number)? = Some(Curve { points, label });
    }
    Some(Layout {
        size: (bounds.get(2)? * SCALE, height * SCALE),
        nodes: nodes.into_iter().collect::<Option<_>>()?,
        edges: edges.into_iter().collect::<Option<_>>()?,
        ..Layout::default()
    })
}

fn numbers(text: &str) -> Vec<f64> {
    text.split(',').filter_map(|number| number.parse().ok()).collect()
}
