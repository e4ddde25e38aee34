//! Finding places.

use super::picture::Picture;
use super::places::Layout;
use super::{clusters, graphviz, layers};

/// Finds places: by Graphviz if it is installed and answers in time. Pictures with clusters have a layout of their own,
/// in which things stay where they are from state to state.
pub fn layout(picture: &Picture) -> Layout {
    if needs_clusters(picture) {
        return clusters::layout(picture);
    }
    graphviz::layout(picture).unwrap_or_else(|| layers::layout(picture))
}

/// Finds places without another program.
pub fn own_layout(picture: &Picture) -> Layout {
    if needs_clusters(picture) { clusters::layout(picture) } else { layers::layout(picture) }
}

fn needs_clusters(picture: &Picture) -> bool {
    !picture.clusters.is_empty() || !picture.rows.is_empty() || !picture.table.is_empty()
}
