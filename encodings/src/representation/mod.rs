//! Representations: what variables, constants and locals always hold, found by abstract interpretation.
//!
//! A relation that provably is a function in every state is represented by its domain and its
//! values, a sequence by its length and its values, a set of numbers from 1 to 3 by three conditions;
//! so are functions and sets that are values of a function. This keeps most queries free of quantifiers.
//! The proof is syntactic: every assignment to the variable, the initialisation included, has a right
//! side within the bound, given that all names are within theirs. Bounds start with no value at all and
//! grow until this is so. An invariant conjunct is never used, since it may be false in the model at
//! hand.
//!
//! A local of `VAR` and a result are bounded by what is assigned to them: where one is read before that,
//! the execution fails, so that nothing comes of it.
//!
//! A constant counts if an axiom says so, a parameter or `ANY` local if its own guard says so:
//! other values are excluded by that very conjunct.

mod analysis;
pub(crate) mod disjoint;
mod expression;
pub mod fits;
mod functional;
pub mod layout;
pub mod predicate;

pub(crate) use functional::name_of;
pub use functional::{Functional, Kept};

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bsym_language::source::{Source, Sources};

    use super::Functional;
    use super::layout::Layout;

    /// The kinds of the variables of a machine with one operation, as letters.
    fn check(typing: &str, init: &str, op: &str, expected: &str) {
        let names: Vec<&str> = typing.split('&').filter_map(|c| c.split_whitespace().next()).collect();
        let text = format!(
            "MACHINE m SETS E = {{a, b}}; S CONSTANTS c, d PROPERTIES c : E --> S & d : E <-> S VARIABLES {} \
             INVARIANT {typing} INITIALISATION {init} OPERATIONS op(p) = {op} END",
            names.join(", ")
        );
        let mut sources = Sources::default();
        let id = sources.add(Source::new("m.mch", text.as_str()));
        let (machine, problems) = bsym_language::parser::parse(&sources, id);
        assert!(problems.is_empty(), "{text}: {problems:?}");
        let (model, problems) = bsym_language::check::check(Arc::new(sources), &machine, &mut |_: &str| None);
        let mut model = model.unwrap_or_else(|| panic!("{text}: {problems:?}"));
        crate::representation::disjoint::overrides(&mut model.events[0].body, []);
        let letters: String = Functional::of(&model, &[])
            .variables
            .iter()
            .map(|l| match l.as_function() {
                None => '-',
                Some(f) if f.sequence => 's',
                Some(_) => 'f',
            })
            .collect();
        assert_eq!(letters, expected, "{text}");
    }

    #[test]
    fn assignments_keep_functions() {
        let f = "f : E <-> S";
        check(f, "f := {}", "PRE p : S THEN f(a) := p END", "f");
        check(f, "f := {}", "PRE p : S THEN f := {a} <<| f \\/ {} END", "f");
        check(f, "f := c", "PRE p : S THEN f := f |> {p} END", "f");
        check(f, "f := d", "PRE p : S THEN f := f |> {p} END", "-");
        check(f, "f := {}", "PRE p : S THEN f := f \\/ {a |-> p} END", "-");
        check(f, "f := {}", "PRE p : E - dom(f) THEN f := f \\/ {p |-> c(p)} END", "f");
        check(f, "f := {}", "SELECT a /: dom(f) & p = p THEN f := {a |-> c(p)} \\/ f END", "f");
        check(f, "f := {}", "SELECT b /: dom(f) & p = p THEN f := {a |-> c(p)} \\/ f END", "-");
        check(f, "f := {}", "IF a : dom(f) THEN skip ELSE f := {a |-> c(p)} \\/ f END", "f");
        check(f, "f :: E --> S", "PRE p : S THEN f := {a |-> p, b |-> p} END", "f");
        let swap = |guard: &str| {
            format!("ANY x, y WHERE x : E & y : E & {guard} THEN f := f <+ {{x |-> p, y |-> c(x)}} END")
        };
        check(f, "f := {}", &swap("x /= y"), "f");
        check(f, "f := {}", &swap("not(y = x)"), "f");
        check(f, "f := {}", &swap("x /= a"), "-");
        check(f, "f := {}", &swap("x = y"), "-");
    }

    #[test]
    fn choices_keep_functions_if_their_predicate_says_so() {
        let f = "f : E <-> S";
        check(f, "f : (f : E +-> S)", "PRE p : E +-> S THEN f := p END", "f");
        check(f, "f : (f : E <-> S)", "PRE p : E +-> S THEN f := p END", "-");
        // The value of p at a may be asked before p is known to be a function.
        check(f, "f := {}", "PRE p : E <-> S & p(a) : S & p : E +-> S THEN f := p END", "-");
        check(f, "f := {}", "ANY g WHERE g : E >->> S & p : S THEN f := g END", "f");
    }

    #[test]
    fn functions_depend_on_each_other() {
        check("f : E <-> S & g : E <-> S", "f, g := {}, c", "PRE p : S THEN f, g := g, f END", "ff");
        check("f : E <-> S & g : E <-> S", "f, g := {}, d", "PRE p : S THEN f, g := g, f END", "--");
        check(
            "f : E <-> S & g : E <-> S",
            "f, g := {}, d",
            "PRE p : S THEN IF f = g THEN f := {a |-> p} END END",
            "f-",
        );
    }

    #[test]
    fn sequences_stay_sequences() {
        let q = "q : INTEGER <-> S";
        check(q, "q := []", "PRE p : S THEN q := q <- p END", "s");
        check(q, "q := []", "PRE p : S THEN q(1) := p END", "f");
        check(q, "q :: seq(S)", "PRE p : S THEN q := tail(q) ^ [p] END", "s");
    }

    #[test]
    fn functions_to_functions_and_sets_of_numbers_are_bounded() {
        let text = "MACHINE Panel SETS POSITION = {nose, port} VARIABLES sensors, valid, seen
             INVARIANT sensors : POSITION --> (1..3 --> BOOL) & valid : POSITION --> POW(1..3) & seen <: 1..3
             INITIALISATION sensors := POSITION * {(1..3) * {TRUE}} || valid := POSITION * {1..3} || seen := {}
             OPERATIONS
               read(p, s, v) = SELECT p : POSITION & s : valid(p) & v : BOOL THEN
                 sensors(p) := %x.(x : (1..3) - {s} | TRUE) \\/ {s |-> v} || seen := seen \\/ {s} END;
               flip(p, s) = SELECT p : POSITION & s : valid(p) THEN sensors(p) := sensors(p) <+ {s |-> FALSE} END;
               exclude(p) = SELECT p : POSITION THEN
                 valid(p) := {s | s : valid(p) & sensors(p)(s) = TRUE} || seen := valid(p) END;
               restart = BEGIN sensors := {nose |-> [TRUE, TRUE, FALSE], port |-> {1 |-> TRUE, 3 |-> TRUE, 2 |-> TRUE}} END
             END";
        let mut model =
            bsym_language::load::load_text("Panel.mch", text).model.expect("the machine is right");
        for event in &mut model.events {
            crate::representation::disjoint::overrides(&mut event.body, []);
        }
        let numbers = || Layout::Range(1, 3);
        assert_eq!(
            Functional::of(&model, &[]).variables,
            [
                Layout::function(Layout::Any, true, Layout::function(numbers(), true, Layout::Any)),
                Layout::function(Layout::Any, true, Layout::set(numbers(), false)),
                Layout::set(numbers(), false),
            ]
        );
    }
}
