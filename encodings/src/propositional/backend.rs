//! The backend: assumes the cuts, widens those that an `unsat` rests on, and reads models.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use super::bounds::literal;
use super::cut::{Cut, Levels, describe};
use super::gates::Lit;
use super::lowering::Lowering;
use super::solver::{BatSat, Sat};
use crate::budget::{Budget, Stopped};
use crate::session::evaluate::{any_value, evaluate};
use crate::session::{Backend, RawAnswer, SolverError, TermValue};
use crate::term::{Op, Sort, SymbolId, Term, Terms};

/// Constants beyond this do not say how many bits unknowns start with.
const MENTIONED: i128 = 4096;

/// After so many clauses the solver looks whether time is up.
const CLAUSES: usize = 4096;

/// A SAT solver behind a session.
pub struct Propositional {
    terms: Rc<Terms>,
    asserted: Vec<Term>,
    /// How many of them are lowered and handed to the solver.
    lowered: usize,
    lowering: Lowering,
    solver: Box<dyn Sat>,
    /// The assumptions of the last check, as literals.
    assumed: Vec<Lit>,
    core: Vec<usize>,
    /// After `sat`: the values of the solver's variables.
    assignment: Option<Vec<Option<bool>>>,
    /// These and those of the gates above them, for the number of gates that there were.
    truths: RefCell<Vec<bool>>,
}

impl Propositional {
    /// A solver without assertions.
    pub fn new(terms: Rc<Terms>) -> Propositional {
        let lowering = Lowering::new(terms.clone(), Levels::default());
        Propositional {
            terms,
            asserted: vec![],
            lowered: 0,
            lowering,
            solver: Box::new(BatSat::new()),
            assumed: vec![],
            core: vec![],
            assignment: None,
            truths: RefCell::default(),
        }
    }

    /// The solver's name and version.
    pub fn version() -> String {
        format!("{} (built in)", BatSat::new().name())
    }

    /// Lowers what was asserted since, and the assumptions. `None` if time is up.
    fn lower(&mut self, assumptions: &[Term]) -> Option<()> {
        for i in self.lowered..self.asserted.len() {
            self.lowering.learn(self.asserted[i]);
        }
        while let Some(&t) = self.asserted.get(self.lowered) {
            let l = self.lowering.literal(t)?;
            self.lowering.gates.clause(&[l]);
            self.lowered += 1;
        }
        self.assumed.clear();
        for &a in assumptions {
            let l = self.lowering.literal(a)?;
            self.lowering.gates.require(l);
            self.assumed.push(l);
        }
        let mut clauses = self.lowering.gates.take_clauses().into_iter();
        for number in 1.. {
            let Some(clause) = clauses.next() else { break };
            self.solver.clause(&clause);
            if number % CLAUSES == 0 && self.lowering.is_over() {
                self.lowering.gates.put_back(clauses.collect());
                return None;
            }
        }
        Some(())
    }

    /// Begins anew with wider cuts.
    fn rebuild(&mut self, levels: Levels) {
        self.lowering = Lowering::new(self.terms.clone(), levels);
        self.solver = Box::new(BatSat::new());
        self.lowered = 0;
    }

    /// Cuts that are in clauses, each literal once.
    fn cuts(&self) -> Vec<(Lit, Cut)> {
        let mut seen = BTreeSet::new();
        let in_use = |(l, _): &&(Lit, Cut)| self.lowering.gates.is_emitted(*l);
        self.lowering.cuts.iter().filter(in_use).filter(|(l, _)| seen.insert(*l)).copied().collect()
    }

    fn solve(&mut self, cuts: &[(Lit, Cut)], budget: &Budget) -> Result<bool, Stopped> {
        // The cuts come last: one that the rest implies is in no core.
        let all: Vec<Lit> = self.assumed.iter().copied().chain(cuts.iter().map(|c| c.0)).collect();
        self.solver.solve(&all, budget)
    }

    fn in_core(&self, cuts: &[(Lit, Cut)]) -> Vec<(Lit, Cut)> {
        cuts.iter().filter(|(l, _)| self.solver.is_in_core(*l)).copied().collect()
    }

    fn unsat(&mut self) -> RawAnswer {
        self.core = (0..self.assumed.len()).filter(|&i| self.solver.is_in_core(self.assumed[i])).collect();
        RawAnswer::Unsat
    }

    fn answer(&mut self, assumptions: &[Term], budget: &Budget) -> Result<RawAnswer, Stopped> {
        loop {
            self.lowering.within(budget);
            if self.lower(assumptions).is_none() {
                return Err(self.lowering.stopped.clone().unwrap_or(Stopped::Timeout));
            }
            let cuts = self.cuts();
            if self.solve(&cuts, budget)? {
                self.remember();
                return self.confirm(assumptions);
            }
            let mut dropped = self.in_core(&cuts);
            if dropped.is_empty() {
                return Ok(self.unsat());
            }
            // Without the cuts that were needed: bounds elsewhere may show that they hold.
            loop {
                let kept: Vec<(Lit, Cut)> =
                    cuts.iter().filter(|(l, _)| !dropped.iter().any(|(d, _)| d == l)).copied().collect();
                if self.solve(&kept, budget)? {
                    break;
                }
                let more = self.in_core(&kept);
                if more.is_empty() {
                    return Ok(self.unsat());
                }
                dropped.extend(more);
            }
            let fails = |l: Lit| self.solver.value(l.variable()) == Some(l.is_negative());
            let failing: Vec<Cut> = dropped.iter().filter(|(l, _)| fails(*l)).map(|(_, c)| *c).collect();
            let mut levels = self.lowering.levels.clone();
            let mut seen = vec![];
            for &cut in &failing {
                if seen.contains(&cut) {
                    continue;
                }
                seen.push(cut);
                if !levels.widen(&self.terms, cut) {
                    let what = describe(&self.terms, cut);
                    let why = format!("that there is no model depends on leaving out {what}");
                    return Err(Stopped::Incomplete(why));
                }
            }
            if seen.is_empty() {
                return Err(Stopped::Incomplete("the solver gave up a cut without a reason".into()));
            }
            self.rebuild(levels);
        }
    }

    /// Keeps the assignment of the model.
    fn remember(&mut self) {
        let known = (0..self.lowering.gates.len()).map(|v| self.solver.value(v)).collect();
        self.assignment = Some(known);
        self.truths.borrow_mut().clear();
    }

    /// A model counts only if what is not claimed does not matter to it.
    fn confirm(&mut self, assumptions: &[Term]) -> Result<RawAnswer, Stopped> {
        let free = self.lowering.unclaimed.iter().find(|(l, _)| self.lowering.gates.is_emitted(*l));
        let Some((_, reason)) = free.cloned() else { return Ok(RawAnswer::Sat) };
        let all: Vec<Term> = self.asserted.iter().chain(assumptions).copied().collect();
        let mut symbols = HashMap::new();
        for id in self.terms.symbols(&all) {
            if let Some(value) = self.symbol(id) {
                symbols.insert(id, value);
            }
        }
        let holds = |&t: &Term| evaluate(&self.terms, t, &symbols) == Some(TermValue::Bool(true));
        if all.iter().all(holds) {
            return Ok(RawAnswer::Sat);
        }
        self.assignment = None;
        Err(Stopped::Incomplete(format!("{reason} has no form as propositional logic")))
    }

    fn symbol(&mut self, id: SymbolId) -> Option<TermValue> {
        let t = self.terms.symbol(&self.terms.symbol_name(id), self.terms.symbol_sort(id));
        self.read(t)
    }

    fn read(&mut self, t: Term) -> Option<TermValue> {
        let assignment = self.assignment.as_ref()?;
        let value = self.lowering.value(t).ok()?;
        let mut truths = self.truths.borrow_mut();
        if truths.len() < self.lowering.gates.len() {
            *truths = self.lowering.gates.simulate(assignment);
        }
        let truth = |l: Lit| truths[l.variable()] != l.is_negative();
        self.lowering.read(self.terms.sort_of(t), &value, &truth)
    }

    fn mention(&mut self, t: Term) {
        let (terms, levels) = (self.terms.clone(), &mut self.lowering.levels);
        terms.visit(&[t], |t, node| {
            if let (Op::Int(_), Some(n)) = (&node.op, literal(&terms, t))
                && n.abs() <= MENTIONED
            {
                levels.mentioned = levels.mentioned.max(n.abs());
            }
        });
    }
}

impl Backend for Propositional {
    fn name(&self) -> String {
        Self::version()
    }

    fn assert(&mut self, t: Term) -> Result<(), SolverError> {
        self.mention(t);
        self.asserted.push(t);
        self.assignment = None;
        Ok(())
    }

    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Result<RawAnswer, SolverError> {
        self.assignment = None;
        self.core.clear();
        // All solving for one check together gets the time of one query.
        let budget = match budget.query_time() {
            Some(time) => budget.within(time),
            None => budget.clone(),
        };
        Ok(self.answer(assumptions, &budget).unwrap_or_else(RawAnswer::Unknown))
    }

    fn core(&mut self) -> Result<Vec<usize>, SolverError> {
        Ok(self.core.clone())
    }

    fn value(&mut self, t: Term) -> Result<TermValue, SolverError> {
        if self.assignment.is_none() {
            return Err(SolverError::Refused("there is no model".into()));
        }
        self.lowering.within(&Budget::unlimited());
        if let Some(value) = self.read(t) {
            return Ok(value);
        }
        // A symbol whose values are not claimed does not matter to the model, which was confirmed without it.
        match (self.terms.as_symbol(t), self.lowering.value(t)) {
            (Some(id), Err(_)) => Ok(any_value(&self.terms, self.terms.symbol_sort(id))),
            _ => Ok(TermValue::Opaque(self.terms.text(t))),
        }
    }

    fn universe(&mut self, _: Sort) -> Result<Vec<TermValue>, SolverError> {
        Ok(vec![])
    }
}
