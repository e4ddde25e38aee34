//! Constants that nothing but the axioms reads.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::load::load_text;
use bsym_language::model::Model;
use bsym_language::stack::with_large_stack;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::transition::open_constants::{LeftOpen, unread_constants};

fn model(constants: &str, properties: &str) -> Model {
    let text = format!(
        "MACHINE M CONSTANTS {constants} PROPERTIES {properties} VARIABLES v INVARIANT v : NATURAL
        INITIALISATION v := read OPERATIONS more = v := v + read END"
    );
    load_text("M.mch", &text).model.expect("the machine is right")
}

fn left_open(model: &Model) -> Option<LeftOpen> {
    let scope = Scope::settle(model, &ScopeRequest { prob: true, ..Default::default() }).expect("a scope");
    with_large_stack(|| Evaluator::new(model, &scope).valuations_leaving_open(&BTreeMap::new(), &[]))
}

/// The values of `read` in the valuations that are found.
fn read(model: &Model) -> Option<BTreeSet<String>> {
    let open = left_open(model)?;
    Some(open.valuations.iter().map(|constants| format!("{:?}", constants[0])).collect())
}

#[test]
fn a_constant_is_read_by_the_initialisation_an_event_a_definition_or_the_invariant() {
    let m = model("read, other", "read : 1..3 & other : 1..read");
    let names: Vec<_> = unread_constants(&m).iter().map(|c| &m.constants[c.index()].name).collect();
    assert_eq!(names, ["other"]);
}

#[test]
fn tables_that_nothing_reads_get_one_value() {
    let m = model(
        "read, byte, plus, nor",
        "read : 1..2 & byte = -20..19 & plus : byte * byte +-> byte &
        plus = %(p1, p2).(p1 : byte & p2 : byte & p1 + p2 : byte | p1 + p2) & nor : byte * byte +-> byte",
    );
    let open = left_open(&m).expect("one value is found");
    assert_eq!((open.constants.len(), open.valuations.len()), (3, 2));
}

#[test]
fn a_valuation_without_an_extension_is_none() {
    let m = model("read, above", "read : 1..4 & above : 1..3 & above > read");
    assert_eq!(read(&m).map(|values| values.len()), Some(2));
    let m = model("read, above", "read : 1..4 & above : 1..3 & above > read + 3");
    assert_eq!(read(&m).map(|values| values.len()), Some(0));
}

#[test]
fn what_is_not_known_is_left_to_others() {
    // `read` has infinitely many values.
    assert_eq!(left_open(&model("read, other", "read : NATURAL & other : 1..2")), None);
    // An axiom is ill-defined under some.
    assert_eq!(left_open(&model("read, other", "read : 0..2 & 6 / read > 2 & other : 1..2")), None);
}
