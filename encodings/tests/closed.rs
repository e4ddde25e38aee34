//! The encoder against the evaluator on closed formulas over every operator; the example
//! `against_evaluator` asks for many more.

#[path = "differential/closed.rs"]
mod closed;
#[allow(dead_code)]
#[path = "../../semantics/tests/formulas/coverage.rs"]
mod coverage;
#[allow(dead_code)]
#[path = "../../semantics/tests/formulas/generate.rs"]
mod generate;

use std::collections::BTreeMap;
use std::rc::Rc;

use bsym_encodings::session::{Session, linked, sat};
use bsym_encodings::term::Terms;
use closed::{Agreement, Comparison};

/// Formulas by how both sides agree, and the differences. What has no term is told in the output.
fn differences(
    open: fn(Rc<Terms>) -> Option<Session>,
    lines: impl IntoIterator<Item = String>,
) -> (BTreeMap<&'static str, usize>, Vec<String>) {
    let mut comparison = Comparison::new(open);
    let (mut agreed, mut different) = (BTreeMap::new(), vec![]);
    for line in lines {
        for symbolic in [false, true] {
            match comparison.compare(&line, symbolic).1 {
                Agreement::Agreed(how) => *agreed.entry(how).or_default() += 1,
                Agreement::Different(how) | Agreement::DifferedOnce(how) => {
                    different.push(format!("{line} (symbolic {symbolic}): {how}"))
                }
                Agreement::NoTerm(why) => println!("{line}: {why}"),
                Agreement::Unknown | Agreement::NoAnswer => {}
            }
        }
    }
    (agreed, different)
}

#[test]
fn random_closed_formulas_agree_with_the_evaluator() {
    bsym_language::stack::with_large_stack(|| {
        let (agreed, different) = differences(linked, generate::batch(77, 0, 150, true));
        assert!(different.is_empty(), "{}", different.join("\n"));
        // Formulas over trees, and where no solver is linked those that need one, have no verdict.
        assert!(agreed.values().sum::<usize>() > 100 && agreed.len() == 3, "{agreed:?}");
    });
}

#[test]
fn random_closed_formulas_agree_with_the_evaluator_by_sat() {
    bsym_language::stack::with_large_stack(|| {
        let propositional: fn(Rc<Terms>) -> Option<Session> = |terms| Some(sat(terms));
        let (agreed, different) = differences(propositional, generate::batch(78, 0, 150, true));
        assert!(different.is_empty(), "{}", different.join("\n"));
        assert!(agreed.values().sum::<usize>() > 200 && agreed.len() == 3, "{agreed:?}");
    });
}

#[test]
fn a_lambda_at_the_place_of_its_use_is_asked_for_one_value() {
    let formulas = [
        "(%x.(x : INTEGER | 100 / x))(5) = 20",
        "(%x.(x : INTEGER | 100 / x))(0) = 20",
        "(%(x, y).(x : NATURAL & y : NATURAL | x mod y))(7, 4) = 3",
        "(%x.(x : INTEGER & 6 / x = 2 | x))(3) = 3",
        "(%x.(x : NATURAL | x))(-1) = 3",
        "(%x.(x : INTEGER | prj1(NAT, BOOL)(x |-> TRUE)))(2)",
    ];
    let (agreed, different) = differences(linked, formulas.map(String::from));
    assert!(different.is_empty(), "{}", different.join("\n"));
    // Without a linked solver only what simplification decides has a verdict.
    if cfg!(feature = "z3") {
        assert_eq!(agreed.values().sum::<usize>(), 2 * formulas.len());
    } else {
        assert!(!agreed.is_empty());
    }
}

#[test]
fn an_infinite_set_has_no_permutations() {
    let formulas =
        ["perm(NATURAL) = {}", "[1] /: perm({x | x : INTEGER & x mod 2 = 0})", "[2, 1] : perm(1..2)"];
    let (agreed, different) = differences(linked, formulas.map(String::from));
    assert!(different.is_empty(), "{}", different.join("\n"));
    assert!(!agreed.is_empty());
}
