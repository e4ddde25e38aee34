//! Abstract paths: cubes that lead to a violation, one step after the other.

use bsym_language::int::Int;
use bsym_language::model::{EventId, VarId};

use crate::invariants::cube::Cube;

/// A cube that must be blocked up to a frame, and the way from it to a violation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Goal {
    /// The frame.
    pub frame: usize,
    /// Steps from the cube to the violation.
    pub distance: usize,
    /// The cube.
    pub cube: Cube,
    /// Events on the way, next one first; `None` where the violation itself comes next.
    pub events: Vec<EventId>,
    /// Integer values met in the cube's state.
    pub met: Vec<Met>,
}

/// An integer variable's value in a state met by the search.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Met {
    /// The variable.
    pub variable: VarId,
    /// Its value.
    pub value: Int,
}
