//! What a refinement identifies by name, and local operations.

use bsym_language::diagnostic::Diagnostic;
use bsym_language::files::Texts;
use bsym_language::load::{Loaded, load_from};
use bsym_language::model::*;
use bsym_language::print;

/// The last file is the one that is loaded; texts begin with the kind and name of the machine.
fn load(texts: &[&str]) -> Loaded {
    let name = |text: &str| {
        let mut words = text.split_whitespace();
        let extension = match words.next() {
            Some("IMPLEMENTATION") => "imp",
            Some("REFINEMENT") => "ref",
            _ => "mch",
        };
        format!("{}.{extension}", words.next().unwrap_or_default())
    };
    let files: Texts = texts.iter().map(|text| (name(text), *text)).collect();
    load_from(&files, name(texts.last().expect("a file")).as_ref()).expect("the file is there")
}

#[track_caller]
fn model(texts: &[&str]) -> Model {
    let loaded = load(texts);
    loaded.model.unwrap_or_else(|| panic!("{texts:#?}\n{:#?}", loaded.diagnostics))
}

#[track_caller]
fn refused(texts: &[&str], code: u16, part: &str) {
    let loaded = load(texts);
    let of_code = |d: &&Diagnostic| d.code.number == code && d.message.contains(part);
    assert!(loaded.model.is_none(), "{texts:#?}");
    assert!(loaded.diagnostics.iter().any(|d| of_code(&d)), "{:#?}", loaded.diagnostics);
}

const BEACON: &str = "MACHINE beacon SETS HUE = {amber, teal} OPERATIONS hh <-- shade = hh :: HUE END";
const BEACON_I: &str =
    "IMPLEMENTATION beacon_i REFINES beacon SEES shades OPERATIONS hh <-- shade = hh := teal END";

#[test]
fn sets_of_one_name_are_one_set() {
    for relation in ["SEES", "IMPORTS"] {
        let concrete = BEACON_I.replace("SEES", relation);
        let m = model(&[BEACON, "MACHINE shades SETS HUE = {amber, teal} END", &concrete]);
        assert_eq!(m.types.carriers.len(), 1);
        let deferred = "MACHINE beacon SETS HUE OPERATIONS hh <-- shade = hh :: HUE END";
        let m = model(&[deferred, "MACHINE shades SETS HUE = {amber, teal} END", &concrete]);
        assert_eq!(m.types.carriers[0].kind, CarrierKind::Enumerated(vec!["amber".into(), "teal".into()]));
        assert_eq!(m.types.carriers.len(), 1);
    }
    // Also through what the abstraction includes, and by way of a refinement between.
    let m = model(&[
        "MACHINE base SETS HUE = {amber, teal} END",
        "MACHINE beacon INCLUDES base OPERATIONS hh <-- shade = hh :: HUE END",
        "REFINEMENT beacon_r REFINES beacon OPERATIONS hh <-- shade = hh :: HUE END",
        "MACHINE shades SETS HUE = {amber, teal} END",
        &BEACON_I.replace("REFINES beacon", "REFINES beacon_r"),
    ]);
    assert_eq!(m.types.carriers.len(), 1);
    let clash = "has the name of something else";
    refused(&[BEACON, "MACHINE shades SETS HUE = {teal, amber} END", BEACON_I], 302, clash);
    refused(&[BEACON, "MACHINE shades SETS HUE = {amber, teal, red} END", BEACON_I], 302, clash);
    refused(&[BEACON, "MACHINE shades SETS HUE END", BEACON_I], 302, clash);
    refused(&[BEACON, "MACHINE shades CONSTANTS HUE PROPERTIES HUE = 1 END", BEACON_I], 302, clash);
    refused(&[BEACON, "MACHINE shades SETS TONE = {amber, grey} END", BEACON_I], 302, clash);
    // The implementation's own set is another one.
    let own =
        BEACON_I.replace("REFINES beacon ", "REFINES pale ").replace(" OP", " SETS HUE = {amber, teal} OP");
    let pale = "MACHINE pale OPERATIONS hh <-- shade = hh :: 1..2 END";
    refused(&[pale, "MACHINE shades SETS HUE = {amber, teal} END", &own], 302, "declared twice");
}

#[test]
fn constants_of_one_name_are_one_constant() {
    let pallet = |properties: &str| {
        format!(
            "MACHINE pallet CONCRETE_CONSTANTS cap PROPERTIES {properties} OPERATIONS nn <-- room = nn :: 0..cap END"
        )
    };
    let concrete =
        "IMPLEMENTATION pallet_i REFINES pallet IMPORTS limits OPERATIONS nn <-- room = nn := cap END";
    let limits = "MACHINE limits CONCRETE_CONSTANTS cap PROPERTIES cap : 1..3 END";
    let m = model(&[&pallet("cap : 1..3"), limits, concrete]);
    assert_eq!((m.constants.len(), m.axioms.len(), m.assertions.len()), (1, 1, 0));
    // What the abstraction asks for is owed, not given.
    let m = model(&[&pallet("cap : 1..2 & cap /= 1"), limits, concrete]);
    let owed: Vec<String> = m.assertions.iter().map(|c| print::pred(&m, &c.pred)).collect();
    assert_eq!((m.constants.len(), m.axioms.len()), (1, 1));
    assert_eq!(owed, ["cap : 1 .. 2", "cap /= 1"]);
    assert!(load(&[&pallet("cap : BOOL"), limits, concrete]).model.is_none());
    // A value that is written down is none by name.
    let valued = concrete.replace(" OPERATIONS", " VALUES cap = 2 OPERATIONS");
    refused(&[&pallet("cap : 1..3"), limits, &valued], 302, "has the name of something else");
}

#[test]
fn concrete_variables_are_implemented_by_imported_ones() {
    let tank = "MACHINE tank CONCRETE_VARIABLES level INVARIANT level : 0..3 INITIALISATION level := 0
        OPERATIONS fill = PRE level < 3 THEN level := level + 1 END END";
    let store = "MACHINE store CONCRETE_VARIABLES level INVARIANT level : 0..3 INITIALISATION level := 0
        OPERATIONS put(n) = PRE n : 0..3 THEN level := n END END";
    let concrete = "IMPLEMENTATION tank_i REFINES tank IMPORTS store OPERATIONS fill = put(level + 1) END";
    let m = model(&[tank, store, concrete]);
    assert_eq!((m.variables.len(), m.variables[0].name.as_str()), (1, "level"));
    let refined = m.refinement.refined.as_ref().expect("there is an abstraction");
    assert_eq!(refined.levels[0].gluing.len(), 1);
    let clash = "has the name of something else";
    refused(
        &[tank, store, &concrete.replace("IMPORTS", "SEES").replace("put(level + 1)", "skip")],
        302,
        clash,
    );
    refused(&[tank, &store.replace("CONCRETE", "ABSTRACT"), concrete], 302, "`level`");
    let m = model(&[tank, store, &concrete.replace("store", "s.store").replace("put", "s.put")]);
    assert_eq!(m.variables.len(), 2);
}

#[test]
fn a_machine_without_variables_may_be_included_twice() {
    let types =
        "MACHINE types SETS S = {a, b} CONSTANTS k PROPERTIES k : 1..2 OPERATIONS rr <-- one = rr := a END";
    let half = |name: &str| {
        format!(
            "MACHINE {name} INCLUDES types VARIABLES x{name} INVARIANT x{name} : S INITIALISATION x{name} := a \
             OPERATIONS set{name} = x{name} := b END"
        )
    };
    let whole = "MACHINE whole INCLUDES left, right OPERATIONS go = BEGIN setleft || setright END END";
    let m = model(&[types, &half("left"), &half("right"), whole]);
    assert_eq!((m.types.carriers.len(), m.constants.len(), m.variables.len(), m.axioms.len()), (1, 1, 2, 1));
    let with_variable =
        types.replace(" OPERATIONS", " VARIABLES v INVARIANT v : S INITIALISATION v := a OPERATIONS");
    refused(&[&with_variable, &half("left"), &half("right"), whole], 440, "included twice");
}

const MIXER: &str = "MACHINE mixer OPERATIONS turn = skip END";

fn mixer(specification: &str, body: &str, call: &str) -> String {
    format!(
        "IMPLEMENTATION mixer_i REFINES mixer CONCRETE_VARIABLES left, right INVARIANT left : 0..2 & right : 0..2 \
         INITIALISATION left := 1; right := 2 LOCAL_OPERATIONS {specification} OPERATIONS {body}; turn = {call} END"
    )
}

#[test]
fn local_operations_have_the_types_of_their_specification() {
    let specification = "aa, bb <-- flip(cc, dd) = PRE cc : 0..2 & dd : 0..2 THEN aa := dd || bb := cc END";
    let body = "aa, bb <-- flip(cc, dd) = BEGIN aa := dd; bb := cc END";
    let call = "BEGIN left, right <-- flip(left, right) END";
    let m = model(&[MIXER, &mixer(specification, body, call)]);
    // The precondition is checked at the call, and the results are held against the specification.
    let text = print::event(&m, &m.events[0]);
    assert!(text.contains("PRE cc : 0 .. 2") && text.contains("ASSERT aa = specified"), "{text}");
    refused(
        &[MIXER, &mixer(specification, "aa <-- flip(cc, dd) = aa := dd", call)],
        426,
        "in LOCAL_OPERATIONS it has 2",
    );
    refused(
        &[MIXER, &mixer(specification, "aa, bb <-- flip(cc) = BEGIN aa := cc; bb := cc END", call)],
        426,
        "1 parameters",
    );
    let wrong = "aa, bb <-- flip(cc, dd) = BEGIN aa := TRUE; bb := cc END";
    refused(&[MIXER, &mixer(specification, wrong, call)], 203, "BOOL");
}

#[test]
fn a_specification_of_another_form_is_not_compared() {
    let loaded =
        load(&[MIXER, &mixer("spin = CHOICE left := 0 OR right := 0 END", "spin = left := 0", "spin")]);
    assert!(loaded.model.is_some());
    let said: Vec<&str> =
        loaded.diagnostics.iter().filter(|d| d.code.number == 435).map(|d| d.message.as_str()).collect();
    assert_eq!(said, ["what `spin` does is not compared with its specification"]);
    let loaded = load(&[MIXER, &mixer("spin = left :: 0..2", "spin = left := 0", "spin")]);
    assert!(loaded.diagnostics.iter().all(|d| d.code.number != 435));
}

#[test]
fn old_names_of_sections_are_read() {
    let text = "MACHINE gauge VISIBLE_CONSTANTS k HIDDEN_CONSTANTS h PROPERTIES k = 1 & h = 2
        VISIBLE_VARIABLES level HIDDEN_VARIABLES peak INVARIANT level : 0..k & peak : 0..h & level <= peak
        INITIALISATION level := 0 || peak := 0 OPERATIONS rise = PRE level < k THEN level, peak := 1, 1 END END";
    let m = model(&[text]);
    assert_eq!((m.constants.len(), m.variables.len()), (2, 2));
    // A refinement keeps what is visible, and not what is hidden.
    let m = model(&[
        text,
        "REFINEMENT gauge_r REFINES gauge INITIALISATION level := 0
        OPERATIONS rise = PRE level < k THEN level := 1 END END",
    ]);
    assert_eq!(m.variables[0].name, "level");
    assert_eq!((m.variables.len(), m.refinement.abstract_variables.len()), (1, 1));
}
