//! The first-order form of sequents against the evaluator.
//!
//! Random predicates over variables with known values and a deferred set of one to three elements. What the evaluator finds false
//! must not be proved, nor the negation of what it finds true, nor that something ill-defined is well-defined. That much
//! of it is proved shows that this says something. Half of the machines are of Event-B, whose sets need not be finite.

use std::rc::Rc;
use std::time::Duration;

use bsym_encodings::budget::Budget;
use bsym_encodings::first_order::{Goal, Selection, Sequent, lower};
use bsym_encodings::session::{Answer, linked};
use bsym_encodings::term::Terms;
use bsym_language::load::{check_predicate, load_text};
use bsym_language::model::{Model, Notation, Pred, PredKind};
use bsym_language::types::CarrierId;
use bsym_semantics::error::EvalErrorKind;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;

#[path = "../differential/generate.rs"]
mod generate;
mod second_order;
use generate::Generator;

const MACHINE: &str = "MACHINE M SETS D; C = {red, green, blue}
CONSTANTS d1, d2, d3
PROPERTIES d1 : D & d2 : D & d3 : D
VARIABLES i, j, c, d, is, cs, ds, fii, fic, fci, fdi, fdc, rii, rdd, rcd, si, sc, nci, ncc, ndi, ncs, nds, rds, rcs, ts, us
INVARIANT i : INTEGER & j : INTEGER & c : C & d : D & is <: INTEGER & cs <: C & ds <: D
& fii : INTEGER +-> INTEGER & fic : INTEGER +-> C & fci : C +-> INTEGER & fdi : D +-> INTEGER & fdc : D +-> C
& rii : INTEGER <-> INTEGER & rdd : D <-> D & rcd : C <-> D & si : seq(INTEGER) & sc : seq(C)
& nci : C +-> (INTEGER +-> INTEGER) & ncc : C +-> (INTEGER +-> C) & ndi : D +-> (INTEGER +-> INTEGER)
& ncs : C +-> POW(INTEGER) & nds : D +-> POW(INTEGER)
& rds <: D <-> D & rcs <: C <-> D & ts <: D * D <-> D & us <: D <-> D * D
INITIALISATION i, j, c, d, is, cs, ds := 0, 0, red, d1, {}, {}, {}
|| fii, fic, fci, fdi, fdc, rii, rdd, rcd, si, sc := {}, {}, {}, {}, {}, {}, {}, {}, [], []
|| nci, ncc, ndi, ncs, nds, rds, rcs, ts, us := {}, {}, {}, {}, {}, {}, {}, {}, {}
END";

/// Hypotheses that are true of functions with these values, beside their types.
const FURTHER: [&str; 6] = [
    "fci : C --> INTEGER",
    "fdi : D --> INTEGER",
    "fdc : D --> C",
    "fdi : D >+> INTEGER",
    "fii : 0..2 --> 0..3",
    "ncs : C --> POW(0..3)",
];

#[derive(Default, Debug)]
struct Counts {
    /// True, false, ill-defined.
    expected: [usize; 3],
    /// Of those with a value: what the evaluator says is proved.
    proved: usize,
    open: usize,
    unsupported: std::collections::BTreeMap<String, usize>,
    skipped: usize,
}

struct Question<'m> {
    model: &'m Model,
    scope: &'m Scope,
    hypotheses: Vec<Pred>,
    defined: Vec<Pred>,
    selection: Selection,
}

impl Question<'_> {
    /// Whether all parts of a goal are proved; `None` without a solver.
    fn is_proved(&self, goal: &Goal, counts: &mut Counts) -> Option<bool> {
        let (hypotheses, defined) = (self.hypotheses.clone(), self.defined.clone());
        let sequent = Sequent { hypotheses, defined, goal: goal.clone() };
        let parts = match lower(self.model, self.scope, &sequent, self.selection) {
            Ok(parts) => parts,
            Err(u) => {
                *counts.unsupported.entry(u.reason).or_default() += 1;
                return Some(false);
            }
        };
        for part in parts {
            let mut session = linked(part.terms.clone())?;
            session.only_read_arrays([]);
            for &t in &part.assertions {
                session.assert(t).expect("the formula is one of the solver's");
            }
            let time = Duration::from_millis(if is_thorough() { 100 } else { 60 });
            let answer = session.check(&[], &Budget::unlimited().within(time));
            if !matches!(answer.expect("the solver answers"), Answer::Unsat(_)) {
                return Some(false);
            }
        }
        Some(true)
    }
}

fn is_thorough() -> bool {
    std::env::var_os("BSYM_PREDICATES").is_some()
}

/// A formula, and what is known.
struct Drawn {
    values: Vec<String>,
    text: String,
    /// Formulas that are hypotheses where they are true, and well-defined where they have a value.
    also: Vec<String>,
    /// Number of elements of `D`.
    size: usize,
    notation: Notation,
    /// The choice of hypotheses.
    choice: usize,
}

/// The sequent of values and a formula.
fn compare(drawn: &Drawn, counts: &mut Counts) -> Result<(), String> {
    let Drawn { values, text, also, size, notation, choice } = drawn;
    let (size, choice) = (*size, *choice);
    let loaded = load_text("m.mch", MACHINE);
    let mut model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    model.text.notation = *notation;
    let pred = check_predicate(&mut model, text).map_err(|d| format!("does not check: {d:?}"))?;
    let mut others = vec![];
    for text in also {
        others.push(check_predicate(&mut model, text).map_err(|d| format!("does not check: {d:?}"))?);
    }
    let elements = match size {
        1 => "D = {d1} & d2 = d1 & d3 = d1",
        2 => "D = {d1, d2} & d1 /= d2 & d3 = d2",
        _ => "D = {d1, d2, d3} & d1 /= d2 & d1 /= d3 & d2 /= d3",
    };
    let mut known = vec![check_predicate(&mut model, elements).expect("what is said of D checks")];
    let names: Vec<String> = model.variables.iter().map(|v| v.name.clone()).collect();
    let mut said = vec![];
    for (name, value) in names.iter().zip(values) {
        said.push(check_predicate(&mut model, &format!("{name} = {value}")).expect("a value checks"));
    }
    let further: Vec<Pred> =
        FURTHER.iter().map(|p| check_predicate(&mut model, p).expect("a hypothesis checks")).collect();
    let request =
        ScopeRequest { sizes: [("D".to_string(), size)].into(), prob: true, ..ScopeRequest::default() };
    let scope = Scope::settle(&model, &request).expect("the scope is fine");
    let eval = Evaluator::new(&model, &scope);
    let constants: Vec<Value> =
        (0..3).map(|i: u32| Value::Element(CarrierId(0), i.min(size as u32 - 1))).collect();
    let mut state = vec![];
    for p in &said {
        let PredKind::Compare(_, _, value) = &p.kind else { panic!("an equation") };
        state.push(eval.expr(&Env::new(&constants, &[]), value).expect("a value evaluates"));
    }
    let env = Env::new(&constants, &state);
    let truth = match eval.pred(&env, &pred) {
        Ok(b) => Some(b),
        Err(e) if e.kind == EvalErrorKind::IllDefined => None,
        Err(_) => {
            counts.skipped += 1;
            return Ok(());
        }
    };
    counts.expected[match truth {
        Some(true) => 0,
        Some(false) => 1,
        None => 2,
    }] += 1;
    known.append(&mut said);
    // Without them the functions are relations.
    if !choice.is_multiple_of(3) {
        known.extend(model.invariant.iter().map(|c| c.pred.clone()));
        known.extend(further);
    }
    known.extend(others.iter().filter(|_| !choice.is_multiple_of(4)).cloned());
    known.retain(|p| matches!(eval.pred(&env, p), Ok(true)));
    others.retain(|p| eval.pred(&env, p).is_ok());
    let selection = if choice.is_multiple_of(2) { Selection::All } else { Selection::Connected };
    let question = Question { model: &model, scope: &scope, hypotheses: known, defined: others, selection };
    let no = PredKind::Not(Box::new(pred.clone())).at(pred.span);
    let wrong = match truth {
        Some(true) => vec![Goal::Holds(no)],
        Some(false) => vec![Goal::Holds(pred.clone())],
        None => vec![Goal::Meant(pred.clone()), Goal::Meant(no)],
    };
    for goal in wrong {
        if question.is_proved(&goal, counts) == Some(true) {
            return Err(format!("{goal:?} is proved, while it is {truth:?}"));
        }
    }
    if truth.is_some() {
        let right = if truth == Some(true) {
            pred.clone()
        } else {
            PredKind::Not(Box::new(pred.clone())).at(pred.span)
        };
        match question.is_proved(&Goal::Meant(right), counts) {
            Some(true) => counts.proved += 1,
            Some(false) => counts.open += 1,
            None => counts.skipped += 1,
        }
    }
    Ok(())
}

/// `BSYM_PREDICATES` predicates from seed `BSYM_SEED` on.
#[test]
fn nothing_is_proved_that_the_evaluator_finds_false() {
    if linked(Rc::new(Terms::new())).is_none() {
        return;
    }
    let number =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default);
    let (first, count) = (number("BSYM_SEED", 1), number("BSYM_PREDICATES", 60));
    let mut counts = Counts::default();
    let mut failures = vec![];
    for seed in first..first + count {
        let mut g = Generator::new(seed);
        let values = [g.values(), second_order::values(&mut g)].concat();
        // Every other formula is about all sets, or some set.
        let depth = 1 + (seed / 2 % 3) as usize;
        let (text, beside) = match seed % 4 {
            0 | 3 => second_order::formula(&mut g, depth),
            _ => (g.predicate(1 + (seed / 4 % 4) as usize), None),
        };
        if std::env::var("BSYM_SHOW").is_ok() {
            eprintln!("{seed}: {text}");
        }
        let mut also: Vec<String> =
            (0..seed / 24 % 3).map(|_| g.predicate(1 + (seed % 3) as usize)).collect();
        also.extend(beside);
        let notation = if seed.is_multiple_of(2) { Notation::EventB } else { Notation::ClassicalB };
        let (size, choice) = (1 + (seed / 4 % 3) as usize, (seed / 12) as usize);
        let drawn = Drawn { values, text, also, size, notation, choice };
        if let Err(why) = compare(&drawn, &mut counts) {
            let Drawn { values, text, also, .. } = &drawn;
            failures.push(format!(
                "seed {seed}: {text}\n  beside {also:?} with {values:?}, {size} elements: {why}"
            ));
        }
    }
    eprintln!("{counts:#?}");
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(counts.proved > count as usize / 4, "{counts:#?}");
}
