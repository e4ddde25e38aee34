//! Transition relations in the files of other model checkers: AIGER and BTOR2.

pub mod aiger;
pub mod btor2;

use bsym_encodings::propositional::circuit::Circuit;

/// Name of the bad states that violate a property.
const VIOLATED: &str = "a property is violated";
/// Name of the bad states that the circuit cannot represent.
const STRAYS: &str = "a value leaves the bounds of this file";

/// The bad states with their names.
fn bad(circuit: &Circuit) -> impl Iterator<Item = (u32, &'static str)> {
    let strays = circuit.strays.map(|edge| (edge.0, STRAYS));
    [(circuit.bad.0, VIOLATED)].into_iter().chain(strays)
}
