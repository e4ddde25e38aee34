//! Pictures of graphs: as DOT, as SVG, as a page of HTML.
//!
//! A `picture` is what is drawn. `dot` writes it in the language of Graphviz; `layout` finds places for it, by
//! Graphviz's `dot` where it is installed (`graphviz`) and by layers of our own (`layers`, `labels`) where it is not or
//! takes too long; `clusters` is the layout of pictures of a state, with boxes around the elements of a set; `svg` draws
//! with these places, and `html` puts that on a page that can be moved and zoomed. A `film` is several pictures in one
//! drawing, for a page that steps through a trace.
//!
//! Layouts from crates.io were measured first, on random graphs: layout-rs 0.1.3 had no answer for 100 nodes with 300
//! edges in a minute, rust-sugiyama 0.4.0 took 13 s for 500 nodes with 1500 edges.

mod clusters;
mod dot;
mod film;
mod graphviz;
mod html;
mod labels;
mod layers;
mod layout;
mod picture;
mod places;
mod svg;
mod view;

pub use dot::dot;
pub use film::film;
pub use html::html;
pub use layout::layout;
pub use picture::{COLOURS, Cluster, Edge, Look, Node, Paint, Picture, Row, Shape};
pub use svg::{STYLE, escaped, svg};
pub use view::{folded, picture, some};
