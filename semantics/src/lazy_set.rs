//! Sets that are not listed: infinite ones, and finite ones too large to list.

use bsym_language::int::Int;
use bsym_language::types::CarrierId;

use crate::value::Value;

/// A set known by its description.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LazySet {
    /// `INTEGER`
    Integers,
    /// All integers from a bound upwards: `NATURAL`, `NATURAL1`
    From(Int),
    /// `low..high`
    Interval(Int, Int),
    /// `STRING`
    Strings,
    /// `REAL`
    Reals,
    /// A deferred set of unsettled size.
    Carrier(CarrierId),
    /// `POW(S)`
    Power(Value),
}
