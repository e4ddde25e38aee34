//! Deferred sets of any size against each of the sizes 1 to 4: what is said of all sizes is true in each.
//!
//! The machines compare sets, domains, complements and partitions with a deferred set as a whole, which the number of its
//! elements decides.
#![cfg(feature = "z3")]

mod common;

use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_engines::options::Job;
use bsym_engines::verdict::{Engine, Report, Verdict};
use bsym_language::model::Model;
use bsym_proofs::claim::Property;
use bsym_semantics::scope::ScopeRequest;
use common::*;

const ENGINES: [Engine; 3] = [Engine::Bmc, Engine::Kind, Engine::Ic3];
const LARGEST: usize = 4;

/// A job to a depth that every violation here is within.
fn short(model: &Arc<Model>, request: &ScopeRequest) -> Job {
    let mut job = job(model, request);
    job.depth = Some(5);
    job.properties.push(Property::DeadlockFree);
    job.budget = Budget::unlimited().within(Duration::from_secs(20));
    job
}

/// The scopes in which all deferred sets have one size.
fn sized(model: &Model, size: usize) -> ScopeRequest {
    let sets = model.types.carriers.iter().filter(|c| c.kind == bsym_language::model::CarrierKind::Deferred);
    ScopeRequest { sizes: sets.map(|c| (c.name.clone(), size)).collect(), ..ScopeRequest::default() }
}

/// Runs all engines at any size and in the sizes 1 to 4, and asserts that no answer contradicts another and that
/// the machine is `expected` (`violated`, `holds`, `vacuous`) where it is decided, which some engine does.
fn agree(model: &Arc<Model>, expected: &str) {
    let mut small = vec![];
    for size in 1..=LARGEST {
        for engine in [Engine::Bmc, Engine::Ic3] {
            small.push((size, report(&short(model, &sized(model, size)), engine)));
        }
    }
    let mut decided = vec![];
    for engine in ENGINES {
        let any = report(&short(model, &ScopeRequest::default()), engine);
        let whole = answer(&any);
        for (size, one) in &small {
            if let Some(why) = contradiction(&any, one, *size) {
                panic!("{} {engine:?}, {whole} against {}: {why}", model.name, answer(one));
            }
        }
        if !whole.starts_with("unknown") {
            assert!(whole.starts_with(expected), "{} {engine:?}: {whole}, not {expected}", model.name);
            decided.push(whole);
        }
    }
    assert!(!decided.is_empty(), "{} is not decided by any engine", model.name);
    if expected == "violated" {
        let first = small.iter().find(|(_, r)| matches!(r.verdict, Verdict::Violated(_)));
        assert!(first.is_some(), "{}: no violation in a small size", model.name);
    }
}

/// What an answer for any size says that is false in one.
fn contradiction(any: &Report, one: &Report, size: usize) -> Option<String> {
    match (&any.verdict, &one.verdict) {
        (Verdict::Holds(_), Verdict::Violated(_)) => Some(format!("violated with {size} elements")),
        (Verdict::Vacuous(..), Verdict::Violated(_)) => Some(format!("not vacuous with {size} elements")),
        (Verdict::Violated(found), Verdict::Holds(_))
            if found.trace.scope.sizes.values().all(|&n| n == size) =>
        {
            Some(format!("holds with {size} elements, as many as the trace has"))
        }
        (_, Verdict::Violated(found)) => {
            let events = found.trace.steps.len() - 1;
            let clear = any.depth.filter(|&depth| depth >= events)?;
            Some(format!("no violation within {clear} events, but one after {events} with {size} elements"))
        }
        _ => None,
    }
}

fn machine(name: &str, sections: &str) -> Arc<Model> {
    model(&format!("MACHINE {name} {sections} END"))
}

#[test]
fn a_set_of_one_element_may_be_everything() {
    agree(
        &machine(
            "Seats",
            "SETS SEAT VARIABLES taken INVARIANT taken <: SEAT & taken /= SEAT INITIALISATION taken := {}
             OPERATIONS take(s) = PRE s : SEAT THEN taken := {s} END",
        ),
        "violated",
    );
    agree(
        &machine(
            "Visits",
            "SETS TOWN VARIABLES seen, here INVARIANT seen <: TOWN & here : TOWN & not(seen = TOWN)
             INITIALISATION seen := {} || here :: TOWN OPERATIONS look = seen := {here}; go = here :: TOWN",
        ),
        "violated",
    );
    agree(
        &machine(
            "Rest",
            "SETS COIN VARIABLES spent INVARIANT spent : BOOL & spent = FALSE INITIALISATION spent := FALSE
             OPERATIONS spend(c) = PRE c : COIN THEN spent := bool(COIN - {c} = {}) END",
        ),
        "violated",
    );
}

#[test]
fn a_parameter_of_the_machine_is_a_set_of_any_size() {
    let text = "MACHINE Bag(ITEM) VARIABLES inside INVARIANT inside <: ITEM & inside /= ITEM
        INITIALISATION inside := {} OPERATIONS put(i) = PRE i : ITEM THEN inside := inside \\/ {i} END END";
    agree(&model(text), "violated");
}

#[test]
fn properties_that_fix_the_elements() {
    agree(
        &machine(
            "Sides",
            "SETS SIDE PROPERTIES #(p, q).(p : SIDE & q : SIDE & p /= q & !r.(r : SIDE => r = p or r = q))
             VARIABLES up INVARIANT up <: SIDE & up /= SIDE INITIALISATION up := {}
             OPERATIONS lift(a, b) = PRE a : SIDE & b : SIDE THEN up := {a, b} END",
        ),
        "violated",
    );
    agree(
        &machine(
            "Teams",
            "SETS PLAYER CONSTANTS red, blue, captain, other
             PROPERTIES red <: PLAYER & blue <: PLAYER & red \\/ blue = PLAYER & red /\\ blue = {} &
               captain : PLAYER & other : PLAYER & red = {captain} & blue = {other}
             VARIABLES turn INVARIANT turn : PLAYER & turn /= captain INITIALISATION turn := other
             OPERATIONS next(p) = PRE p : PLAYER - {turn} THEN turn := p END",
        ),
        "violated",
    );
}

#[test]
fn a_deadlock_that_needs_a_small_set() {
    agree(
        &machine(
            "Balls",
            "SETS BALL VARIABLES drawn INVARIANT drawn <: BALL INITIALISATION drawn := {}
             OPERATIONS draw(b) = PRE b : BALL & drawn /= BALL THEN drawn := {b} END",
        ),
        "violated",
    );
}

#[test]
fn domains_functions_and_relations_that_are_whole() {
    agree(
        &machine(
            "Rooms",
            "SETS ROOM VARIABLES guest INVARIANT guest : ROOM +-> NATURAL & dom(guest) /= ROOM
             INITIALISATION guest := {} OPERATIONS book(r) = PRE r : ROOM THEN guest(r) := 1 END",
        ),
        "violated",
    );
    agree(
        &machine(
            "Lamps",
            "SETS LAMP VARIABLES lit INVARIANT lit : LAMP --> BOOL & lit /= LAMP * {TRUE}
             INITIALISATION lit := LAMP * {FALSE} OPERATIONS on(l) = PRE l : LAMP THEN lit(l) := TRUE END",
        ),
        "violated",
    );
    agree(
        &machine(
            "Friends",
            "SETS PERSON VARIABLES knows INVARIANT knows : PERSON <-> PERSON & knows /= PERSON * PERSON
             INITIALISATION knows := {} OPERATIONS meet(p) = PRE p : PERSON THEN knows := {p |-> p} END",
        ),
        "violated",
    );
}

#[test]
fn guards_that_ask_for_the_whole_set() {
    agree(
        &machine(
            "Votes",
            "SETS VOTER VARIABLES cast, closed INVARIANT cast <: VOTER & closed : BOOL & closed = FALSE
             INITIALISATION cast := {} || closed := FALSE
             OPERATIONS vote(v) = PRE v : VOTER THEN cast := {v} END;
               close = SELECT cast = VOTER THEN closed := TRUE END",
        ),
        "violated",
    );
}

#[test]
fn proofs_that_need_elements_of_the_set_only() {
    agree(
        &machine(
            "Shelves",
            "SETS BOOK; SHELF; FLOOR CONSTANTS on, of PROPERTIES on : BOOK --> SHELF & of : SHELF --> FLOOR
             VARIABLES found INVARIANT found : FLOOR INITIALISATION found :: FLOOR
             OPERATIONS find(b) = PRE b : BOOK THEN found := of(on(b)) END",
        ),
        "holds",
    );
    agree(
        &machine(
            "Places",
            "SETS PLACE VARIABLES free INVARIANT free <: PLACE & free /= {} INITIALISATION free := PLACE
             OPERATIONS fill(p) = PRE p : free & free /= {p} THEN free := free - {p} END; clear = free := PLACE",
        ),
        "holds",
    );
    agree(
        &machine(
            "Owners",
            "SETS CAR; OWNER VARIABLES owner INVARIANT owner : CAR --> OWNER INITIALISATION owner :: CAR --> OWNER
             OPERATIONS sell(c, o) = PRE c : CAR & o : OWNER THEN owner(c) := o END;
               swap(c, d) = PRE c : CAR & d : CAR THEN owner := owner <+ {c |-> owner(d)} END",
        ),
        "holds",
    );
}

#[test]
fn what_no_size_allows_is_vacuous() {
    agree(
        &machine(
            "None",
            "SETS THING CONSTANTS some PROPERTIES some <: THING & some /= {} & THING - some = THING
             VARIABLES x INVARIANT x : THING INITIALISATION x :: THING OPERATIONS t = skip",
        ),
        "vacuous",
    );
}

/// Event-B: the context of a carrier set with this axiom, and a machine that takes all of it.
fn carrier_machine(axiom: &str) -> Arc<Model> {
    let folder = std::env::temp_dir().join(format!("bsym-carriers-{}-{}", std::process::id(), axiom.len()));
    std::fs::create_dir_all(&folder).unwrap();
    let head = |kind: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<org.eventb.core.{kind} org.eventb.core.configuration=\"org.eventb.core.fwd\" version=\"5\">"
        )
    };
    let axiom = if axiom.is_empty() {
        String::new()
    } else {
        format!(
            "<org.eventb.core.axiom name=\"x\" org.eventb.core.label=\"axm1\" org.eventb.core.predicate=\"{axiom}\"/>"
        )
    };
    let context = format!(
        "{}<org.eventb.core.carrierSet name=\"s\" org.eventb.core.identifier=\"STAR\"/>{axiom}</org.eventb.core.contextFile>",
        head("contextFile")
    );
    let event = |name: &str, label: &str, value: &str| {
        format!(
            "<org.eventb.core.event name=\"{name}\" org.eventb.core.convergence=\"0\" org.eventb.core.extended=\"false\" \
             org.eventb.core.label=\"{label}\"><org.eventb.core.action name=\"a\" org.eventb.core.assignment=\"seen ≔ {value}\" \
             org.eventb.core.label=\"act1\"/></org.eventb.core.event>"
        )
    };
    let machine = format!(
        "{}<org.eventb.core.seesContext name=\"c\" org.eventb.core.target=\"Sky\"/>\
         <org.eventb.core.variable name=\"v\" org.eventb.core.identifier=\"seen\"/>\
         <org.eventb.core.invariant name=\"i\" org.eventb.core.label=\"inv1\" org.eventb.core.predicate=\"seen ⊆ STAR\"/>\
         <org.eventb.core.invariant name=\"j\" org.eventb.core.label=\"inv2\" org.eventb.core.predicate=\"finite(seen)\"/>\
         {}{}</org.eventb.core.machineFile>",
        head("machineFile"),
        event("e1", "INITIALISATION", "∅"),
        event("e2", "all", "STAR"),
    );
    std::fs::write(folder.join("Sky.buc"), context).unwrap();
    std::fs::write(folder.join("Night.bum"), machine).unwrap();
    let model = model_of(&folder.join("Night.bum")).expect("the machine is right");
    std::fs::remove_dir_all(&folder).unwrap();
    model
}

#[test]
fn a_carrier_of_event_b_may_be_infinite() {
    let open = carrier_machine("");
    for engine in ENGINES {
        let report = report(&short(&open, &ScopeRequest::default()), engine);
        assert!(answer(&report).starts_with("unknown"), "{engine:?}: {}", answer(&report));
    }
    let closed = carrier_machine("finite(STAR)");
    for engine in [Engine::Kind, Engine::Ic3] {
        assert_eq!(answer(&report(&short(&closed, &ScopeRequest::default()), engine)), "holds", "{engine:?}");
    }
}

#[test]
fn a_depth_counts_only_what_has_a_term() {
    let text = "MACHINE Growth VARIABLES n, cells INVARIANT n : NATURAL & cells : NATURAL & cells < 20
        INITIALISATION n, cells := 0, 1 OPERATIONS grow = SELECT n < 9 THEN n := n + 1 || cells := SIGMA(i).(i : 0..n | i + 1) END END";
    let model = model(text);
    let mut job = job(&model, &ScopeRequest::default());
    job.depth = Some(3);
    let report = report(&job, Engine::Bmc);
    assert!(answer(&report).starts_with("unknown"), "{}", answer(&report));
    assert!(!report.unsupported.is_empty(), "the sum has a term by now: this test needs another construct");
    assert_eq!(report.depth, Some(0), "only the initial state was searched");
}

/// Who is inside, and how many.
const TICKETS: &str = "MACHINE Tickets SETS PERSON VARIABLES inside, n
INVARIANT inside <: PERSON & n : INTEGER & n = card(inside)
INITIALISATION inside, n := {}, 0
OPERATIONS
  enter(p) = PRE p : PERSON & p /: inside THEN inside, n := inside \\/ {p}, n + 1 END;
  leave(p) = PRE p : inside THEN inside, n := inside - {p}, n - 1 END;
  group(s) = PRE s <: PERSON & s /\\ inside = {} THEN inside, n := inside \\/ s, n + card(s) END;
  out(s) = PRE s <: inside THEN inside, n := inside - s, n - card(s) END;
  clear = BEGIN inside, n := {}, 0 END
END";

#[test]
fn sets_of_unsettled_size_are_counted() {
    agree(&model(TICKETS), "holds");
    agree(&model(&TICKETS.replace(" & p /: inside THEN", " THEN")), "violated");
    agree(&model(&TICKETS.replace(" & s /\\ inside = {}", "")), "violated");
}

#[test]
fn functions_of_unsettled_size_are_counted() {
    let text = "MACHINE Loans SETS BOOK; READER CONSTANTS limit PROPERTIES limit : NATURAL
        VARIABLES loan INVARIANT loan : BOOK +-> READER & card(loan) <= limit
        INITIALISATION loan := {}
        OPERATIONS
          lend(b, r) = PRE b : BOOK & r : READER & b /: dom(loan) & card(loan) < limit THEN loan(b) := r END;
          back(b) = PRE b : dom(loan) THEN loan := {b} <<| loan END;
          swap(b, r) = PRE b : dom(loan) & r : READER THEN loan(b) := r END;
          none = loan := {}
        END";
    agree(&model(text), "holds");
    agree(&model(&text.replace("card(loan) < limit", "card(loan) <= limit")), "violated");
}
