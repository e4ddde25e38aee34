//! Propositional solvers: clauses, checks under assumptions, models and cores.

use std::cell::Cell;
use std::time::Instant;

use batsat::{SolverInterface, SolverOpts, lbool};

use super::gates::Lit;
use super::proof::Checker;
use crate::budget::{Budget, Stopped};
use crate::tuning::tuning;

/// A SAT solver. It has models after `true`, cores after `false`.
pub(super) trait Sat {
    /// Name and version.
    fn name(&self) -> &'static str;
    /// Number of variables in clauses.
    fn variables(&self) -> usize;
    /// Adds a clause for good.
    fn clause(&mut self, clause: &[Lit]);
    /// Returns whether there is a model with these literals. They are assumed in their order, so that one that the
    /// earlier ones imply is in no core.
    fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Result<bool, Stopped>;
    /// Decisions and conflicts of the last check.
    fn steps(&self) -> u64;
    /// Literals that the last check propagated, which take most of its time.
    fn propagations(&self) -> u64;
    /// The value of a variable; `None` if it does not matter or no clause has it.
    fn value(&self, variable: usize) -> Option<bool>;
    /// Returns whether an assumption is in the core.
    fn is_in_core(&self, assumption: Lit) -> bool;
}

/// Effort of one or more checks of a SAT solver.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Solved {
    /// Decisions and conflicts.
    pub steps: u64,
    /// Literals that were propagated.
    pub propagations: u64,
}

impl std::ops::AddAssign for Solved {
    fn add_assign(&mut self, other: Solved) {
        self.steps += other.steps;
        self.propagations += other.propagations;
    }
}

impl Solved {
    /// Work in steps: most of the time goes to propagation.
    pub fn work(self) -> u64 {
        self.steps + self.propagations / tuning().propositional.propagations_of_a_step
    }

    /// Work for each decision or conflict, at least 1. A check can only be ended after some number of these.
    pub fn weight(self) -> u64 {
        (self.work() / self.steps.max(1)).max(1)
    }
}

/// Why a check stops that has no steps left.
pub(super) const SPENT: &str = "the steps of the SAT solver are spent";

/// Decides whether a check should end, by a look at the budget every few calls: reading the clock costs more than a
/// decision.
#[derive(Default)]
struct Watch {
    budget: Budget,
    end: Option<Instant>,
    calls: Cell<u64>,
    stopped: Cell<bool>,
}

impl Watch {
    fn is_over(&self) -> bool {
        let calls = self.calls.get() + 1;
        self.calls.set(calls);
        if self.has_no_steps() {
            return true;
        }
        if !self.stopped.get() && calls.is_multiple_of(32) {
            let late = self.end.is_some_and(|end| Instant::now() >= end);
            self.stopped.set(late || self.budget.is_cancelled());
        }
        self.stopped.get()
    }
}

impl Watch {
    fn new(budget: &Budget) -> Watch {
        let end = budget.query_time().map(|t| Instant::now() + t);
        Watch { budget: budget.clone(), end, ..Watch::default() }
    }

    /// The solver asks once for each decision or conflict.
    fn has_no_steps(&self) -> bool {
        self.budget.steps.is_some_and(|most| self.calls.get() > most)
    }

    fn why(&self) -> Stopped {
        if self.has_no_steps() {
            Stopped::Incomplete(SPENT.into())
        } else if self.budget.is_cancelled() {
            Stopped::Cancelled
        } else {
            Stopped::Timeout
        }
    }
}

/// BatSat, a solver of MiniSat's kind in Rust.
pub(super) struct BatSat {
    solver: batsat::Solver<Callbacks>,
    /// Checks every `unsat`, where that is wanted.
    checker: Option<Checker>,
    /// The solver's variables for ours; most of ours never occur in a clause.
    variables: Vec<Option<batsat::Var>>,
    /// Literals that were propagated before the last check.
    propagated: u64,
}

#[derive(Default)]
struct Callbacks {
    watch: Watch,
    /// Clauses that were learnt and not checked yet, where they are to be.
    learnt: Option<Vec<Box<[batsat::Lit]>>>,
}

impl batsat::Callbacks for Callbacks {
    fn on_new_clause(&mut self, clause: &[batsat::Lit], _: batsat::clause::Kind) {
        if let Some(all) = &mut self.learnt {
            all.push(clause.into());
        }
    }

    fn stop(&self) -> bool {
        self.watch.is_over()
    }
}

impl BatSat {
    /// A solver without clauses.
    pub fn new() -> BatSat {
        let solver = batsat::Solver::new(SolverOpts::default(), Callbacks::default());
        BatSat { solver, checker: None, variables: vec![], propagated: 0 }
    }

    /// One whose every `unsat` is confirmed by the clauses that it has learnt.
    pub fn proving() -> BatSat {
        let mut made = BatSat::new();
        made.solver.cb_mut().learnt = Some(vec![]);
        made.checker = Some(Checker::default());
        made
    }

    /// Checks what was learnt, and that some of the assumptions exclude each other.
    fn confirm(&mut self, assumptions: &[Lit]) -> Result<(), Stopped> {
        let in_core: Vec<Lit> = assumptions.iter().copied().filter(|&l| self.is_in_core(l)).collect();
        let core: Vec<batsat::Lit> = in_core.into_iter().map(|l| !self.lit(l)).collect();
        let Some(checker) = &mut self.checker else { return Ok(()) };
        let callbacks = self.solver.cb_mut();
        let mut learnt = callbacks.learnt.as_mut().map(std::mem::take).unwrap_or_default().into_iter();
        // A clause that is refused is missing from then on, so that nothing is confirmed that rests on it.
        while let Some(clause) = learnt.next() {
            let _ = checker.learn(&codes(&clause));
            if callbacks.watch.is_over() {
                callbacks.learnt = Some(learnt.collect());
                return Err(callbacks.watch.why());
            }
        }
        match checker.follows(&codes(&core)) {
            true => Ok(()),
            false => Err(Stopped::Incomplete("the proof of the SAT solver was not confirmed".into())),
        }
    }

    fn lit(&mut self, l: Lit) -> batsat::Lit {
        if self.variables.len() <= l.variable() {
            self.variables.resize(l.variable() + 1, None);
        }
        let solver = &mut self.solver;
        let variable = self.variables[l.variable()].get_or_insert_with(|| solver.new_var_default());
        batsat::Lit::new(*variable, !l.is_negative())
    }

    fn known(&self, variable: usize) -> Option<batsat::Var> {
        self.variables.get(variable).copied().flatten()
    }
}

fn codes(clause: &[batsat::Lit]) -> Vec<u32> {
    clause.iter().map(|l| l.idx()).collect()
}

impl Sat for BatSat {
    fn name(&self) -> &'static str {
        if self.solver.cb().learnt.is_some() { "batsat 0.6.0, proofs checked" } else { "batsat 0.6.0" }
    }

    fn variables(&self) -> usize {
        self.solver.num_vars() as usize
    }

    fn clause(&mut self, clause: &[Lit]) {
        let mut lits: Vec<batsat::Lit> = clause.iter().map(|&l| self.lit(l)).collect();
        if let Some(checker) = &mut self.checker {
            checker.add(&codes(&lits));
        }
        // Every check from now on finds that the clauses contradict each other.
        self.solver.add_clause_reuse(&mut lits);
    }

    fn solve(&mut self, assumptions: &[Lit], budget: &Budget) -> Result<bool, Stopped> {
        let assumed: Vec<batsat::Lit> = assumptions.iter().map(|&l| self.lit(l)).collect();
        self.solver.cb_mut().watch = Watch::new(budget);
        self.propagated = self.solver.num_propagations();
        let answer = self.solver.solve_limited(&assumed);
        if answer == lbool::TRUE {
            Ok(true)
        } else if answer == lbool::FALSE {
            self.confirm(assumptions)?;
            Ok(false)
        } else {
            Err(self.solver.cb().watch.why())
        }
    }

    fn steps(&self) -> u64 {
        self.solver.cb().watch.calls.get()
    }

    fn propagations(&self) -> u64 {
        self.solver.num_propagations() - self.propagated
    }

    fn value(&self, variable: usize) -> Option<bool> {
        let value = self.solver.value_var(self.known(variable)?);
        if value == lbool::UNDEF { None } else { Some(value == lbool::TRUE) }
    }

    fn is_in_core(&self, assumption: Lit) -> bool {
        self.known(assumption.variable()).is_some_and(|v| self.solver.unsat_core_contains_var(v))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_leave_out_what_earlier_assumptions_imply() {
        [BatSat::new(), BatSat::proving()].into_iter().for_each(check_cores);
    }

    fn check_cores(mut s: BatSat) {
        let l = |n: u32| Lit::positive(n);
        // 2 follows from 1, and contradicts 3.
        s.clause(&[!l(1), l(2)]);
        s.clause(&[!l(2), !l(3)]);
        let budget = Budget::unlimited();
        assert_eq!(s.solve(&[l(1), l(4), l(2)], &budget), Ok(true));
        assert_eq!((s.value(2), s.value(3), s.value(9)), (Some(true), Some(false), None));
        assert_eq!(s.solve(&[l(3), l(4), l(1), l(2)], &budget), Ok(false));
        let core = [3, 4, 1, 2].map(|n| s.is_in_core(l(n)));
        assert!(core[0] && !core[1] && core[2] && !core[3], "{core:?}");
        assert_eq!(s.solve(&[!l(5), l(4), l(5)], &budget), Ok(false));
        assert!(s.is_in_core(l(5)) && s.is_in_core(!l(5)) && !s.is_in_core(l(4)));
        assert_eq!(s.solve(&[l(4)], &budget), Ok(true));
        s.clause(&[!l(4)]);
        s.clause(&[l(4)]);
        assert_eq!(s.solve(&[l(1)], &budget), Ok(false));
        assert!(!s.is_in_core(l(1)));
    }

    /// Pigeons do not fit into one hole less, with each pigeon behind an assumption.
    #[test]
    fn proofs_are_confirmed_and_gaps_are_noticed() {
        let pigeon = |p: u32, hole: u32| Lit::positive(1 + p * 5 + hole);
        let here = |p: u32| Lit::positive(50 + p);
        let mut s = BatSat::proving();
        for p in 0..6 {
            let mut clause: Vec<Lit> = (0..5).map(|hole| pigeon(p, hole)).collect();
            clause.push(!here(p));
            s.clause(&clause);
            for (q, hole) in (0..p).flat_map(|q| (0..5).map(move |hole| (q, hole))) {
                s.clause(&[!pigeon(p, hole), !pigeon(q, hole)]);
            }
        }
        let budget = Budget::unlimited();
        let all: Vec<Lit> = (0..6).map(here).collect();
        assert_eq!(s.solve(&all[..5], &budget), Ok(true));
        assert_eq!(s.solve(&all, &budget), Ok(false));
        assert!(all.iter().all(|&l| s.is_in_core(l)));
        // A solver that knew a clause more than the checker proves too much.
        let known = s.checker.take();
        s.clause(&[!here(0)]);
        s.checker = known;
        assert_eq!(s.solve(&all[..2], &budget).map_err(|e| e.to_string().contains("confirmed")), Err(true));
    }
}
