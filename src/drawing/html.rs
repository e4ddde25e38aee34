//! A page with a picture that can be moved and zoomed. It is a single file and makes no requests to a network.

use super::picture::{Look, Picture};
use super::places::Layout;
use super::svg::{escaped, write};

const STYLE: &str = "
  :root { color-scheme: light dark; --text: #1d2430; --page: #ffffff; --rule: #d5dae2; }
  @media (prefers-color-scheme: dark) { :root { --text: #e6e9ef; --page: #14181f; --rule: #333c4b; } }
  html, body { margin: 0; height: 100%; background: var(--page); color: var(--text); font: 14px system-ui, sans-serif; }
  body { display: flex; flex-direction: column; }
  header { padding: 8px 14px; border-bottom: 1px solid var(--rule); display: flex; gap: 14px; flex-wrap: wrap; align-items: baseline; }
  h1 { font-size: 15px; margin: 0; }
  p { margin: 0; opacity: .8; }
  main { flex: 1; overflow: hidden; touch-action: none; cursor: grab; }
  main svg { width: 100%; height: 100%; display: block; }
  input, button { font: inherit; }
  .bsym .hit .shape { stroke: #d97706 !important; stroke-width: 4 !important; }
";

/// Zooms with the wheel around the pointer, moves with it, finds nodes by their text.
const SCRIPT: &str = "
  const main = document.querySelector('main'), svg = main.querySelector('svg');
  const whole = svg.getAttribute('viewBox').split(' ').map(Number);
  let box = whole.slice(), held = null;
  svg.setAttribute('preserveAspectRatio', 'xMidYMid meet');
  const show = () => svg.setAttribute('viewBox', box.join(' '));
  const scale = () => Math.max(box[2] / main.clientWidth, box[3] / main.clientHeight);
  const zoom = (by, x, y) => {
    const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());
    box = [at.x - (at.x - box[0]) * by, at.y - (at.y - box[1]) * by, box[2] * by, box[3] * by];
    show();
  };
  main.addEventListener('wheel', e => { e.preventDefault(); zoom(e.deltaY > 0 ? 1.15 : 1 / 1.15, e.clientX, e.clientY); }, { passive: false });
  main.addEventListener('pointerdown', e => { held = [e.clientX, e.clientY]; main.setPointerCapture(e.pointerId); });
  main.addEventListener('pointerup', () => held = null);
  main.addEventListener('pointermove', e => {
    if (!held) return;
    const k = scale();
    box[0] -= (e.clientX - held[0]) * k; box[1] -= (e.clientY - held[1]) * k;
    held = [e.clientX, e.clientY];
    show();
  });
  const reset = () => { box = whole.slice(); show(); };
  document.querySelector('button').addEventListener('click', reset);
  document.querySelector('input').addEventListener('input', e => {
    const text = e.target.value;
    for (const node of svg.querySelectorAll('.node'))
      node.classList.toggle('hit', text !== '' && node.textContent.includes(text));
  });
";

/// A picture as a page of HTML.
pub fn html(picture: &Picture, layout: &Layout) -> String {
    let mut svg = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut svg, picture, layout);
    let title = escaped(&picture.title);
    let mut notes: Vec<String> = legend(picture);
    notes.extend(picture.remarks.iter().map(|remark| format!("<strong>{}</strong>", escaped(remark))));
    let notes: String = notes.iter().map(|note| format!("<p>{note}</p>\n")).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{title}</h1>\n\
         <label>Find <input type=\"search\" placeholder=\"x = 3\"></label>\n<button type=\"button\">All of it</button>\n{notes}</header>\n<main>\n{svg}</main>\n<script>{SCRIPT}</script>\n\
         </body>\n</html>\n"
    )
}

/// Explains the looks that occur in the picture.
fn legend(picture: &Picture) -> Vec<String> {
    let has = |look: Look| picture.nodes.iter().any(|node| node.look == look);
    let is_dashed = picture.edges.iter().any(|edge| edge.dashed);
    let words = [
        (has(Look::Violated), "red: something is violated"),
        (has(Look::Goal), "amber: the goal"),
        (has(Look::Deadlock), "violet: deadlock"),
        (has(Look::Open) && picture.clusters.is_empty(), "dashed box: not explored"),
        (
            has(Look::Open) && !picture.clusters.is_empty(),
            "dashed box: elements that are not drawn one by one",
        ),
        (is_dashed && picture.clusters.is_empty(), "dashed arrow: not for every state of the node"),
        (is_dashed && !picture.clusters.is_empty(), "dashed arrow: a constant"),
    ];
    words.into_iter().filter(|(is_there, _)| *is_there).map(|(_, word)| word.to_owned()).collect()
}
