//! AIGER 1.9 (Biere, Heljanko, Wieringa: AIGER 1.9 and beyond, 2011), in its binary form or as text.

use bsym_encodings::propositional::circuit::Circuit;
use flussab::DeferredWriter;
use flussab_aiger::aig::{OrderedAig, OrderedAndGate, OrderedLatch, Symbol, SymbolTarget};
use flussab_aiger::{ascii, binary};

/// Writes a circuit; as text where `is_text`.
pub fn aiger(circuit: &Circuit, is_text: bool, comment: &str) -> Vec<u8> {
    let latches = circuit
        .latches
        .iter()
        .map(|latch| OrderedLatch { next_state: latch.next.0, initialization: Some(latch.reset) })
        .collect();
    // The larger operand comes first.
    let and_gates =
        circuit.gates.iter().map(|(a, b)| OrderedAndGate { inputs: [a.0.max(b.0), a.0.min(b.0)] }).collect();
    let named = |target, name: &str| Symbol { target, name: name.to_string().into() };
    let of_latches =
        circuit.latches.iter().enumerate().map(|(i, latch)| named(SymbolTarget::Latch(i), &latch.name));
    let of_bad =
        super::bad(circuit).enumerate().map(|(i, (_, name))| named(SymbolTarget::BadStateProperty(i), name));
    let aig: OrderedAig<u32> = OrderedAig {
        max_var_index: circuit.inputs as usize + circuit.latches.len() + circuit.gates.len(),
        input_count: circuit.inputs as usize,
        latches,
        outputs: vec![],
        bad_state_properties: super::bad(circuit).map(|(edge, _)| edge).collect(),
        invariant_constraints: vec![circuit.constraint.0],
        justice_properties: vec![],
        fairness_constraints: vec![],
        and_gates,
        symbols: of_latches.chain(of_bad).collect(),
        comment: Some(comment.into()),
    };
    let mut bytes = vec![];
    let mut deferred = DeferredWriter::from_write(&mut bytes);
    if is_text {
        ascii::Writer::new(&mut deferred).write_ordered_aig(&aig);
        drop(deferred);
    } else {
        binary::Writer::new(deferred).write_ordered_aig(&aig);
    }
    bytes
}
