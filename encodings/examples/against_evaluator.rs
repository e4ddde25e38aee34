//! Compares the terms of random closed formulas with the evaluator: `against_evaluator [COUNT [SEED [sat]]]`, or
//! `against_evaluator -` with the formulas from standard input. The linked Z3 is asked, or the SAT solver.
//!
//! A predicate must be valid or refuted as the evaluator says, an expression must equal its value, and what
//! the evaluator finds ill-defined must be so in every model of the terms. Each formula is asked twice: as
//! it is, where much is computed while terms are built, and with half of its literals replaced by constants
//! that are equal to them, so that the solver has to do it. In both ways the right answer must have a model
//! too. Prints every difference, the reasons for having no term, and a table of the operators.

use std::collections::BTreeMap;
use std::rc::Rc;

use bsym_encodings::session::{Session, linked, sat};
use bsym_encodings::term::Terms;
use bsym_language::stack::with_large_stack;

#[path = "../tests/differential/closed.rs"]
mod closed;
#[path = "../../semantics/tests/formulas/coverage.rs"]
mod coverage;
#[path = "../../semantics/tests/formulas/generate.rs"]
mod generate;

use closed::{Agreement, Comparison};
use coverage::Coverage;

/// Formulas that are drawn together.
const BATCH: usize = 1000;

struct Summary {
    comparison: Comparison,
    coverage: Coverage,
    outcomes: BTreeMap<&'static str, usize>,
    reasons: BTreeMap<String, usize>,
}

impl Summary {
    fn add(&mut self, line: &str) {
        for symbolic in [false, true] {
            let (operators, outcome) = self.comparison.compare(line, symbolic);
            let column = match outcome {
                Agreement::Agreed(how) => how,
                Agreement::Unknown => "unknown",
                Agreement::NoTerm(why) => {
                    *self.reasons.entry(why).or_default() += 1;
                    "no term"
                }
                Agreement::NoAnswer => "no answer",
                Agreement::Different(how) => {
                    println!("different (symbolic {symbolic}): {line}\n    {how}");
                    "different"
                }
                Agreement::DifferedOnce(how) => {
                    println!("different once (symbolic {symbolic}): {line}\n    {how}");
                    "different once"
                }
            };
            *self.outcomes.entry(column).or_default() += 1;
            self.coverage.add(&operators, column);
        }
    }
}

fn run(open: fn(Rc<Terms>) -> Option<Session>, lines: &mut dyn Iterator<Item = String>) {
    let columns =
        ["true", "false", "ill-defined", "unknown", "no term", "different", "different once", "no answer"];
    let mut summary = Summary {
        comparison: Comparison::new(open),
        coverage: Coverage::new(&[coverage::ALL, coverage::REAL], &columns),
        outcomes: BTreeMap::new(),
        reasons: BTreeMap::new(),
    };
    let mut count = 0;
    for line in lines {
        summary.add(&line);
        count += 1;
        if count % BATCH == 0 {
            eprintln!("{count} formulas: {:?}", summary.outcomes);
        }
    }
    println!("{}", summary.coverage.table());
    println!("not drawn: {}", summary.coverage.missing().join(", "));
    let mut reasons: Vec<_> = summary.reasons.into_iter().collect();
    reasons.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    for (why, n) in reasons {
        println!("{n:8} without a term: {why}");
    }
    println!("{count} formulas, each in two ways: {:?}", summary.outcomes);
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let count = arguments.next();
    let seed = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1);
    let open: fn(Rc<Terms>) -> Option<Session> = match arguments.next().as_deref() {
        Some("sat") => |terms| Some(sat(terms)),
        _ => linked,
    };
    with_large_stack(|| {
        if count.as_deref() == Some("-") {
            return run(open, &mut std::io::stdin().lines().map_while(Result::ok));
        }
        let count = count.and_then(|n| n.parse().ok()).unwrap_or(1000);
        let batch = |number| generate::batch(seed, number, BATCH.min(count - number as usize * BATCH), true);
        run(open, &mut (0..count.div_ceil(BATCH) as u64).flat_map(batch));
    });
}
