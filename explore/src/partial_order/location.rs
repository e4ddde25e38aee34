//! Locations: the parts of a state that formulas read and substitutions write.
//!
//! A location is a variable, or what a set, a relation or a function holds of one element: events that write different
//! elements of one variable write different locations (Körner, Leuschel, *An experience report on partial order reduction for B*:
//! what read and write sets of whole variables miss).

use std::collections::BTreeSet;

use bsym_language::model::VarId;
use bsym_semantics::value::Value;

/// A variable, or a part of one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Location {
    /// The variable.
    pub variable: VarId,
    /// Of a set of couples all couples with this first part; of another set whether this is an element. `None` is the whole
    /// variable.
    pub part: Option<Value>,
}

/// The content of a location: its value, of a part of a function the image there; `None` where a function has no image.
pub type Content = Option<Value>;

impl Location {
    /// A variable.
    pub fn whole(variable: VarId) -> Location {
        Location { variable, part: None }
    }

    /// What a variable holds of one element.
    pub fn part(variable: VarId, element: Value) -> Location {
        Location { variable, part: Some(element) }
    }

    /// Whether a change of one may be a change of the other.
    pub fn overlaps(&self, other: &Location) -> bool {
        let same_part = || match (&self.part, &other.part) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        self.variable == other.variable && same_part()
    }
}

/// Whether one of some locations overlaps another one.
pub fn touches(locations: &BTreeSet<Location>, other: &Location) -> bool {
    locations.iter().any(|location| location.overlaps(other))
}
