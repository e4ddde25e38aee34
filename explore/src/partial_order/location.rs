//! Locations: the parts of a state that formulas read and substitutions write.
//!
//! A location is a variable, or the part of a set, a relation or a function that belongs to one element: events that
//! write different elements of one variable write different locations (Körner, Leuschel, *An experience report on
//! partial order reduction for B*: read and write sets of whole variables miss this).

use std::collections::BTreeSet;

use bsym_language::model::VarId;
use bsym_semantics::value::Value;

/// A variable, or a part of one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Location {
    /// The variable.
    pub variable: VarId,
    /// For a set of couples, all couples with this first part; for another set, whether this is an element. `None` is
    /// the whole variable.
    pub part: Option<Value>,
}

/// Content of a location: its value, or for a part of a function the image there; `None` if the function has no image.
pub type Content = Option<Value>;

impl Location {
    /// A variable.
    pub fn whole(variable: VarId) -> Location {
        Location { variable, part: None }
    }

    /// Location of the part of a variable that belongs to one element.
    pub fn part(variable: VarId, element: Value) -> Location {
        Location { variable, part: Some(element) }
    }

    /// Returns whether a change of one location may be a change of the other.
    pub fn overlaps(&self, other: &Location) -> bool {
        let same_part = || match (&self.part, &other.part) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        self.variable == other.variable && same_part()
    }
}

/// Returns whether one of some locations overlaps another one.
pub fn touches(locations: &BTreeSet<Location>, other: &Location) -> bool {
    locations.iter().any(|location| location.overlaps(other))
}
