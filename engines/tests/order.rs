//! k-induction with interchangeable elements of the first state in order: the same answers as without the order, and
//! no proof that fails its checks.
#![cfg(feature = "z3")]

mod common;

use std::time::Duration;

use bsym_engines::verdict::{Engine, Report};
use bsym_semantics::scope::ScopeRequest;
use common::*;

/// Runs k-induction, which has the interchangeable elements in order from the first question on.
fn kind(text: &str, request: &ScopeRequest) -> Report {
    let model = model(text);
    let mut job = with_tuning(|tuning| tuning.induction.unordered = Duration::ZERO, &model, request);
    job.depth = Some(5);
    report(&job, Engine::Kind)
}

/// Requires the same answer about a machine with a deferred set of three elements and about one that names all of them.
fn agrees(text: &str) -> String {
    let sizes = [("S".to_string(), 3)].into();
    let ordered = kind(text, &ScopeRequest { sizes, ..ScopeRequest::default() });
    let named = text.replace("SETS S", "SETS S = {s1, s2, s3}");
    let named = named.replace("OPERATIONS", "OPERATIONS never = SELECT {s1, s2, s3} /= S THEN skip END;");
    let unordered = kind(&named, &ScopeRequest::default());
    assert_eq!(answer(&ordered), answer(&unordered), "{text}");
    for report in [&ordered, &unordered] {
        assert!(report.failed_checks.is_none(), "{:?}: {text}", report.failed_checks);
    }
    answer(&ordered)
}

#[test]
fn a_pigeonhole_is_proved_in_order() {
    let text = "MACHINE M SETS S; COLOUR = {c1, c2} VARIABLES has
    INVARIANT has : S >+> COLOUR & (card(S) > 2 => dom(has) /= S) INITIALISATION has := {}
    OPERATIONS take(w, c) = SELECT w : S - dom(has) & c : COLOUR - ran(has) THEN has(w) := c END;
    drop(w) = SELECT w : dom(has) THEN has := {w} <<| has END;
    reset = SELECT ran(has) = {c1, c2} THEN has := {} END END";
    assert_eq!(agrees(text), "holds");
}

#[test]
fn a_lemma_that_names_an_element_ends_the_order() {
    // No formula names an element of S. Lemmas over the values of small types do, such as `x = a => y = a`.
    let text =
        "MACHINE M SETS S = {a, b, c} VARIABLES x, y, n INVARIANT x : S & y : S & n : NAT & (n > 2 => x = y)
    INITIALISATION ANY e WHERE e : S THEN x := e || y := e END || n := 0
    OPERATIONS turn(e) = SELECT e : S & x = y THEN x := e || y := e END;
    count = SELECT n < 9 THEN n := n + 1 END END";
    let ordered = kind(text, &ScopeRequest::default());
    let named = text.replace("OPERATIONS", "OPERATIONS never = SELECT {a, b, c} /= S THEN skip END;");
    assert!(ordered.failed_checks.is_none(), "{:?}", ordered.failed_checks);
    assert_eq!(answer(&ordered), answer(&kind(&named, &ScopeRequest::default())));
}

#[test]
fn random_machines_have_the_same_verdict_in_order() {
    let mut random = 7_u64;
    let mut pick = |from: &[&'static str]| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        from[(random >> 33) as usize % from.len()]
    };
    let guards =
        ["e /: t", "e : s - t", "e : t & e /= x", "e |-> e /: r", "x : s", "card(t) < 2", "r[{e}] = {}"];
    let changes = [
        "s := s \\/ {e}",
        "t := t - {e}",
        "t := t \\/ {e}",
        "x := e",
        "r := r \\/ {x |-> e}",
        "s := s - {x} || t := t \\/ {x}",
        "r := {e} <<| r",
    ];
    let conjuncts =
        ["t <: s", "s /\\ t = {}", "x : s => x : t", "card(t) <= 2", "dom(r) <: s", "r : S +-> S"];
    let initial = ["s := {} || t := {} || x :: S || r := {}", "s := S || t := {} || x :: S || r := {}"];
    let mut held = 0;
    for _ in 0..14 {
        let mut text = format!(
            "MACHINE M SETS S VARIABLES s, t, x, r INVARIANT s <: S & t <: S & x : S & r : S <-> S & {} & {}
            INITIALISATION {} OPERATIONS",
            pick(&conjuncts),
            pick(&conjuncts),
            pick(&initial)
        );
        for event in ["one", "two", "three"] {
            let end = if event == "three" { " END" } else { ";" };
            text += &format!(
                " {event}(e) = SELECT e : S & {} & {} THEN {} END{end}",
                pick(&guards),
                pick(&guards),
                pick(&changes)
            );
        }
        held += usize::from(agrees(&text) == "holds");
    }
    assert!(held > 0, "no machine was proved");
}
