//! ProB's conventions: choices that B leaves open and that this crate makes as ProB does, so that counts and traces
//! compare.
//!
//! The sizes and bounds of `--scope prob`, the finite parts to which choices are truncated there and the order of
//! truncation, the names of the elements of deferred sets, and the definition of a constant. The other parts of the
//! semantics ask here and know nothing of ProB. Differences between ProB's answers and ours are listed in
//! `DIFFERENCES.md`.

use std::collections::BTreeSet;

use bsym_language::int::Int;
use bsym_language::model::{CarrierKind, CompareOp, ExprKind, Model, Notation, Pred, PredKind};
use bsym_language::types::Type;

/// Size of a deferred set if neither the model nor the user gives one.
pub const DEFERRED_SET_SIZE: usize = 2;

/// MAXINT if neither the model nor the user gives it.
pub const MAXINT: i64 = 3;

/// MININT if neither the model nor the user gives it.
pub const MININT: i64 = -1;

/// Strings to try where nothing confines a string.
pub const STRINGS: [&str; 2] = ["STRING1", "STRING2"];

/// Returns the name of an element of a deferred set, by position.
pub fn element_name(set: &str, position: u32) -> String {
    format!("{set}{}", u64::from(position) + 1)
}

/// Returns the integers to try between bounds of which one may be missing: those from MININT to MAXINT, or the bound
/// alone if it is outside of them.
pub(crate) fn integers<'n>(
    (minint, maxint): (&'n Int, &'n Int),
    low: Option<&'n Int>,
    high: Option<&'n Int>,
) -> (&'n Int, &'n Int) {
    match (low, high) {
        (Some(low), Some(high)) => (low, high),
        (Some(low), None) => (low, low.max(maxint)),
        (None, Some(high)) => (high.min(minint), high),
        (None, None) => (minint, maxint),
    }
}

/// Order in which unknowns are truncated. First comes one without an equation that gives it a value once sets and
/// functions have theirs; then an integer before other values; in Event-B one with a bound, in classical B one that
/// bounds no interval of another from above; then the one with the fewest candidates, where integers of classical B
/// come in the order of their declaration.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TruncationOrder {
    pub defined: bool,
    pub no_integer: bool,
    pub late: bool,
    pub candidates: usize,
}

/// Returns whether the constants and axioms of a model only name an element of some deferred sets, one of each.
///
/// ProB treats such constants as elements, so that there are no constants to set up.
pub fn only_names_elements(model: &Model) -> bool {
    let mut sets = BTreeSet::new();
    // The value of a parameter is chosen in a set-up of its own, and free types of classical B are set up.
    let has_free_types = model.text.notation == Notation::ClassicalB && !model.types.free_types.is_empty();
    let named = model.parameters.is_empty()
        && !has_free_types
        && model.constants.iter().all(|c| match c.ty {
            Type::Carrier(s) => {
                model.types.carriers[s.index()].kind == CarrierKind::Deferred && sets.insert(s)
            }
            _ => false,
        });
    let typing = |p: &Pred| match &p.kind {
        PredKind::Compare(CompareOp::Member, x, set) => {
            matches!((&x.kind, &set.kind), (ExprKind::Const(_), ExprKind::Carrier(_)))
        }
        _ => false,
    };
    named && model.axiom_parts().into_iter().all(typing)
}
