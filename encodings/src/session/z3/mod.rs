//! Z3, linked into the program.
//!
//! Uses the default solver, always under assumptions, which keeps it incremental. All sessions of a
//! thread share the thread's Z3 context.

mod lower;
mod model;
mod sorts;
mod watcher;

use std::rc::Rc;
use std::time::Duration;

use z3::ast::Bool;
use z3::{Model, Params, SatResult, Solver, StatisticsValue};

use self::lower::Lowering;
use self::watcher::Watcher;
use crate::budget::{Budget, Stopped, spend};
use crate::session::backend::{Backend, RawAnswer, SolverError};
use crate::session::choices::Choices;
use crate::session::value::TermValue;
use crate::term::{Sort, SortKind, Term, Terms};
use crate::tuning::tuning;

thread_local! {
    static WATCHER: Rc<Watcher> = Rc::new(Watcher::new());
}

/// A solver of the linked Z3.
pub struct Z3 {
    choices: Choices,
    lowering: Lowering,
    solver: Solver,
    /// Everything that was asserted, for the [next solver](Z3::replace_solver).
    asserted: Vec<Bool>,
    parameters: Parameters,
    watcher: Rc<Watcher>,
    /// The assumptions of the last check.
    assumed: Vec<Bool>,
    /// `true` if the last check found a model and nothing was asserted since.
    sat: bool,
    /// The model of the last check, once it was asked for: most callers of `check` do not.
    model: Option<Model>,
}

impl Z3 {
    /// A solver without assertions.
    pub fn new(terms: Rc<Terms>) -> Self {
        let parameters = Parameters { quantifiers: true, limit: None };
        Z3 {
            choices: Choices::new(terms.clone()),
            lowering: Lowering::new(terms),
            solver: parameters.solver(),
            asserted: vec![],
            parameters,
            watcher: WATCHER.with(Rc::clone),
            assumed: vec![],
            sat: false,
            model: None,
        }
    }

    /// Name and version of the linked library.
    pub fn version() -> String {
        let full = z3::full_version();
        // The fourth number counts builds.
        let short: Vec<&str> = full.split('.').take(3).collect();
        format!("z3 {} (linked)", short.join("."))
    }

    /// Continues with a solver that has not been interrupted and has the same assertions.
    ///
    /// An interrupt leaves a solver of Z3 in a state that is not always consistent: a later check of the same solver
    /// may crash. Up to one in thirty did, on a step of k-induction with arrays and quantifiers in 5.4.0
    /// (`examples/interrupts`). Learned clauses of the old one are lost.
    fn replace_solver(&mut self) {
        self.solver = self.parameters.solver();
        for assertion in &self.asserted {
            self.solver.assert(assertion);
        }
    }

    /// Takes the model of the last check. The caller has to put it back.
    fn take_model(&mut self) -> Result<Model, SolverError> {
        if self.model.is_none() && self.sat {
            self.model = self.solver.get_model();
        }
        self.model.take().ok_or_else(|| SolverError::Refused("there is no model".into()))
    }
}

/// Parameters of a solver.
#[derive(Clone, Copy, Debug)]
struct Parameters {
    /// Some assertion may have a quantifier.
    quantifiers: bool,
    /// Most resource units of one check.
    limit: Option<u32>,
}

impl Parameters {
    fn solver(self) -> Solver {
        let solver = Solver::new();
        self.set(&solver);
        solver
    }

    fn set(self, solver: &Solver) {
        let mut parameters = Params::new();
        // Z3 would take Ctrl-C away from the program for as long as a check runs.
        parameters.set_bool("ctrl_c", false);
        // Relevancy decides which instances of quantifiers are made. Without quantifiers, keeping account of it is a
        // large part of the time (a third on TwoPhaseCommit, by perf).
        if !self.quantifiers {
            parameters.set_u32("relevancy", 0);
        }
        // Zero is no limit.
        parameters.set_u32("rlimit", self.limit.unwrap_or(0));
        solver.set_params(&parameters);
    }
}

/// Resource units that all solvers of this context have taken so far. The number begins again at zero when it
/// overflows.
fn units(solver: &Solver) -> u32 {
    match solver.get_statistics().value("rlimit count") {
        Some(StatisticsValue::UInt(units)) => units,
        _ => 0,
    }
}

impl Backend for Z3 {
    fn name(&self) -> String {
        Self::version()
    }

    fn is_doubtful(&self) -> bool {
        true
    }

    fn only_read_arrays(&mut self) {
        self.lowering.functions = true;
    }

    fn without_quantifiers(&mut self) {
        self.parameters.quantifiers = false;
        self.parameters.set(&self.solver);
    }

    fn assert(&mut self, t: Term) -> Result<(), SolverError> {
        (self.sat, self.model) = (false, None);
        for t in self.choices.assertions(t) {
            let t = self.lowering.bool(t)?;
            self.solver.assert(&t);
            self.asserted.push(t);
        }
        Ok(())
    }

    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Result<RawAnswer, SolverError> {
        (self.sat, self.model) = (false, None);
        self.assumed = assumptions.iter().map(|&a| self.lowering.bool(a)).collect::<Result<_, _>>()?;
        let limit = budget.query_work().map(|work| {
            (work.as_secs_f64() * tuning().z3.units_of_a_second).clamp(1.0, f64::from(u32::MAX)) as u32
        });
        if limit != self.parameters.limit {
            self.parameters.limit = limit;
            self.parameters.set(&self.solver);
        }
        let before = if budget.is_counted() { units(&self.solver) } else { 0 };
        let check = || self.solver.check_assumptions(&self.assumed);
        let (answer, stopped) = self.watcher.run(budget, check);
        if budget.is_counted() {
            let taken = units(&self.solver).wrapping_sub(before);
            spend(Duration::from_secs_f64(f64::from(taken) / tuning().z3.units_of_a_second));
        }
        if let Some(why) = stopped {
            // An answer may have come at the same moment, but its model or core may be damaged.
            forget_interrupt();
            self.replace_solver();
            return Ok(RawAnswer::Unknown(why));
        }
        Ok(match answer {
            SatResult::Unsat => RawAnswer::Unsat,
            SatResult::Sat => {
                self.sat = true;
                RawAnswer::Sat
            }
            SatResult::Unknown => {
                let reason = self.solver.get_reason_unknown().unwrap_or_else(|| "no reason given".into());
                // Nothing interrupted it, so it was the limit.
                if limit.is_some() && ["cancel", "resource limit"].iter().any(|why| reason.contains(why)) {
                    self.replace_solver();
                    return Ok(RawAnswer::Unknown(Stopped::Timeout));
                }
                unknown(&reason)
            }
        })
    }

    fn core(&mut self) -> Result<Vec<usize>, SolverError> {
        let core = self.solver.get_unsat_core();
        Ok((0..self.assumed.len()).filter(|&i| core.contains(&self.assumed[i])).collect())
    }

    fn value(&mut self, t: Term) -> Result<TermValue, SolverError> {
        spend(tuning().z3.value);
        let sort = self.lowering.terms().sort_of(t);
        if let Some(function) = self.lowering.function(t)? {
            let model = self.take_model()?;
            let value = model::read_function(&mut self.lowering, &model, &function, sort);
            self.model = Some(model);
            return value;
        }
        let d = self.lowering.term(t)?;
        let model = self.take_model()?;
        let value = match model.eval(&d, true) {
            Some(v) => model::read(&mut self.lowering, &model, &v, sort),
            None => Err(SolverError::Refused("the model has no value for a term".into())),
        };
        self.model = Some(model);
        value
    }

    fn universe(&mut self, sort: Sort) -> Result<Vec<TermValue>, SolverError> {
        if !matches!(self.lowering.terms().sort_kind(sort), SortKind::Uninterpreted(_)) {
            return Ok(vec![]);
        }
        let lowered = self.lowering.sort(sort)?;
        let model = self.take_model()?;
        let mut elements = vec![];
        if let Some(universe) = model.get_sort_universe(&lowered.sort) {
            for i in 0..universe.len() {
                elements.push(TermValue::Element(sort, universe.get(i).to_string().into()));
            }
        }
        self.model = Some(model);
        elements.sort();
        Ok(elements)
    }
}

/// Takes back an interrupt that arrived after the end of its check.
///
/// The context keeps an interrupt that arrives when its check is over already, and loses without a word what
/// is asserted next: a later check then answers `sat` where it must not. The next check of any solver of the
/// context takes the interrupt away.
fn forget_interrupt() {
    Solver::new().check();
}

fn unknown(reason: &str) -> RawAnswer {
    RawAnswer::Unknown(Stopped::Incomplete(reason.trim_matches(['(', ')']).to_string()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bsym_language::int::Int;
    use z3::Context;

    use super::*;

    #[test]
    fn an_interrupt_that_comes_too_late_loses_no_assertion() {
        for _ in 0..3 {
            Context::thread_local().handle().interrupt();
            forget_interrupt();
            let terms = Rc::new(Terms::new());
            let (n, l) = (terms.symbol("n", Terms::INT), terms.symbol("l", Terms::BOOL));
            let (two, minus) = (terms.eq(n, terms.int(2)), terms.lt(terms.int(-1), n));
            let mut z3 = Z3::new(terms.clone());
            z3.assert(terms.implies(l, two)).unwrap();
            z3.assert(terms.implies(l, terms.not(minus))).unwrap();
            let answer = z3.check(&[l], &Budget::unlimited()).unwrap();
            assert!(matches!(answer, RawAnswer::Unsat));
        }
    }

    #[test]
    fn after_an_interrupt_everything_that_was_asserted_still_is() {
        let terms = Rc::new(Terms::new());
        let [a, b, c] = ["a", "b", "c"].map(|name| terms.symbol(name, Terms::INT));
        let cube = |x| terms.mul(x, terms.mul(x, x));
        // The sum of three cubes for 42, with numbers of 17 digits.
        let sum = terms.eq(terms.add([cube(a), cube(b), cube(c)]), terms.int(42));
        let [hard, small, large] = ["hard", "small", "large"].map(|name| terms.symbol(name, Terms::BOOL));
        let mut z3 = Z3::new(terms.clone());
        z3.assert(terms.implies(hard, sum)).unwrap();
        z3.assert(terms.implies(small, terms.lt(a, terms.int(7)))).unwrap();
        let brief = Budget::unlimited().per_query(Duration::from_millis(50));
        for _ in 0..2 {
            let answer = z3.check(&[hard], &brief).unwrap();
            assert!(matches!(answer, RawAnswer::Unknown(Stopped::Timeout)), "{answer:?}");
        }
        z3.assert(terms.implies(large, terms.lt(terms.int(7), a))).unwrap();
        assert!(matches!(z3.check(&[small, large], &Budget::unlimited()).unwrap(), RawAnswer::Unsat));
        assert_eq!(z3.core().unwrap(), [0, 1]);
        assert!(matches!(z3.check(&[large], &Budget::unlimited()).unwrap(), RawAnswer::Sat));
        let Ok(TermValue::Int(value)) = z3.value(a) else { panic!("no value of an integer") };
        assert!(value > Int::from(7));
    }
}
