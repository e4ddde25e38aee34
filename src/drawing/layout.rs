//! Finding places.

use super::picture::Picture;
use super::places::Layout;
use super::{graphviz, layers};

/// Finds places: by Graphviz if it is installed and answers in time.
pub fn layout(picture: &Picture) -> Layout {
    graphviz::layout(picture).unwrap_or_else(|| layers::layout(picture))
}
