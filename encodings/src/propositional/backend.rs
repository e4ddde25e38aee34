//! The backend: assumes the cuts, widens those that an `unsat` rests on, and reads models.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::cut::{Cut, Levels, describe, name};
use super::gates::Lit;
use super::lowering::Lowering;
use super::solver::{BatSat, SPENT, Sat, Solved};
use super::value::TOO_WIDE;
use crate::budget::{Budget, Stopped, spend};
use crate::session::evaluate::{any_value, evaluate};
use crate::session::{Backend, RawAnswer, Size, SolverError, TermValue};
use crate::term::{Sort, SymbolId, Term, Terms};
use crate::tuning::tuning;

/// A SAT solver behind a session.
pub struct Propositional {
    terms: Rc<Terms>,
    asserted: Vec<Term>,
    /// Number of the asserted terms that are lowered and handed to the solver.
    lowered: usize,
    /// Groups of literals of which no two are needed at once, see [`Backend::alternatives`].
    alternatives: Vec<Rc<[Term]>>,
    /// Number of these groups that are lowered.
    told: usize,
    lowering: Lowering,
    solver: Box<dyn Sat>,
    /// Steps and propagations of all checks so far.
    solved: Solved,
    /// `true` if every `unsat` is confirmed by a proof.
    proves: bool,
    /// The last check was not decided because a number takes too many bits.
    too_wide: bool,
    /// The assumptions of the last check, as literals.
    assumed: Vec<Lit>,
    core: Vec<usize>,
    /// After `sat`: the values of the solver's variables.
    assignment: Option<Vec<Option<bool>>>,
    /// Clauses that the solver was given.
    clauses: u64,
    /// These and those of the gates above them, for the number of gates that there were.
    truths: RefCell<Vec<bool>>,
}

fn solver(proves: bool) -> Box<dyn Sat> {
    Box::new(if proves { BatSat::proving() } else { BatSat::new() })
}

impl Propositional {
    /// A solver without assertions.
    pub fn new(terms: Rc<Terms>) -> Propositional {
        Propositional::with(terms, false)
    }

    /// One whose `unsat` is backed by a proof that was checked.
    pub fn proving(terms: Rc<Terms>) -> Propositional {
        Propositional::with(terms, true)
    }

    fn with(terms: Rc<Terms>, proves: bool) -> Propositional {
        let lowering = Lowering::new(terms.clone(), Levels::default());
        Propositional {
            terms,
            asserted: vec![],
            lowered: 0,
            alternatives: vec![],
            told: 0,
            lowering,
            solver: solver(proves),
            solved: Solved::default(),
            proves,
            too_wide: false,
            assumed: vec![],
            core: vec![],
            assignment: None,
            clauses: 0,
            truths: RefCell::default(),
        }
    }

    /// Lowers what was asserted since, and the assumptions. `None` if time is up.
    fn lower(&mut self, assumptions: &[Term], defines: bool) -> Option<()> {
        for i in self.lowered..self.asserted.len() {
            self.lowering.learn(self.asserted[i]);
        }
        let new = &self.asserted[self.lowered..];
        let left = match defines {
            true => self.lowering.define(new, &self.alternatives[self.told..])?,
            false => new.to_vec(),
        };
        for t in left {
            let l = self.lowering.literal(t)?;
            self.lowering.gates.clause(&[l]);
        }
        self.lowered = self.asserted.len();
        self.told = self.alternatives.len();
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
            self.clauses += 1;
            if number % tuning().propositional.proof_clauses == 0 && self.lowering.is_over() {
                self.lowering.gates.put_back(clauses.collect());
                return None;
            }
        }
        Some(())
    }

    /// Restarts with wider cuts.
    fn rebuild(&mut self, levels: Levels) {
        // All attempts of one check have its steps together.
        let spent = self.lowering.effort.spent();
        self.lowering = Lowering::new(self.terms.clone(), levels);
        self.lowering.effort.spend(spent);
        self.solver = solver(self.proves);
        self.lowered = 0;
        self.told = 0;
        self.clauses = 0;
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
        let left = budget.steps.map(|most| most.saturating_sub(self.lowering.effort.spent()));
        let left = left.map(|left| if budget.is_counted() { left / self.solved.weight() } else { left });
        let limited = left.map_or_else(|| budget.clone(), |left| budget.in_steps(left));
        let answer = self.solver.solve(&all, &limited);
        let solved = Solved { steps: self.solver.steps(), propagations: self.solver.propagations() };
        self.solved += solved;
        self.lowering.effort.spend(if budget.is_counted() { solved.work() } else { solved.steps });
        answer
    }

    fn in_core(&self, cuts: &[(Lit, Cut)]) -> Vec<(Lit, Cut)> {
        cuts.iter().filter(|(l, _)| self.solver.is_in_core(*l)).copied().collect()
    }

    fn unsat(&mut self) -> RawAnswer {
        self.core = (0..self.assumed.len()).filter(|&i| self.solver.is_in_core(self.assumed[i])).collect();
        RawAnswer::Unsat
    }

    fn answer(&mut self, assumptions: &[Term], budget: &Budget) -> Result<RawAnswer, Stopped> {
        self.lowering.effort.within(budget);
        loop {
            if self.lower(assumptions, true).is_none() {
                return Err(self.lowering.effort.stopped.clone().unwrap_or(Stopped::Timeout));
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
                    self.too_wide = matches!(cut, Cut::Width(_));
                    let what = describe(&self.terms, cut);
                    let why = format!("that there is no model depends on leaving out {what}");
                    return Err(Stopped::Incomplete(why));
                }
            }
            if seen.is_empty() {
                return Err(Stopped::Incomplete("the solver gave up a cut without a reason".into()));
            }
            self.rebuild(levels);
            self.lowering.effort.go_on(budget);
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
        let mut symbols = FxHashMap::default();
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
        self.too_wide = *reason == *TOO_WIDE;
        Err(Stopped::Incomplete(format!("{reason} has no form as propositional logic")))
    }

    fn symbol(&mut self, id: SymbolId) -> Option<TermValue> {
        let t = self.terms.symbol_term(id);
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
}

/// A formula as propositional logic, before anybody asks a solver about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lowered {
    /// Size of the formula.
    pub size: Size,
    /// Descriptions of what is cut down to finitely many bits, in the order in which it was met.
    pub cuts: Vec<String>,
    /// Parts of it that have no form.
    pub unclaimed: Vec<String>,
}

/// Lowers terms as if they were asserted, with the cuts that a solver begins with; nothing is taken as a definition, so
/// that it is seen what the formulas themselves take.
///
/// # Errors
/// The reason why the formula is not built.
pub fn lowered(terms: &Rc<Terms>, assertions: &[Term]) -> Result<Lowered, Stopped> {
    let mut made = Propositional::new(terms.clone());
    for &t in assertions {
        made.lowering.levels.mention(terms, &[t]);
        made.asserted.push(t);
    }
    if made.lower(&[], false).is_none() {
        return Err(made.lowering.effort.stopped.unwrap_or(Stopped::Timeout));
    }
    let mut cuts: Vec<String> = vec![];
    for (_, cut) in made.cuts() {
        let text = name(terms, cut);
        if !cuts.contains(&text) {
            cuts.push(text);
        }
    }
    let mut unclaimed: Vec<String> = vec![];
    for (_, reason) in &made.lowering.unclaimed {
        if !unclaimed.iter().any(|known| **known == **reason) {
            unclaimed.push(reason.to_string());
        }
    }
    Ok(Lowered { size: made.size(), cuts, unclaimed })
}

impl Backend for Propositional {
    fn name(&self) -> String {
        format!("{} (built in)", self.solver.name())
    }

    fn assert(&mut self, t: Term) -> Result<(), SolverError> {
        self.lowering.levels.mention(&self.terms, &[t]);
        self.asserted.push(t);
        self.assignment = None;
        Ok(())
    }

    fn alternatives(&mut self, all: &[Term]) {
        self.alternatives.push(all.into());
    }

    fn is_too_wide(&self) -> bool {
        self.too_wide
    }

    fn check(&mut self, assumptions: &[Term], budget: &Budget) -> Result<RawAnswer, SolverError> {
        self.assignment = None;
        self.too_wide = false;
        self.core.clear();
        // All solving for one check together gets the time of one query.
        let mut budget = match budget.query {
            Some(time) => budget.within(time),
            None => budget.clone(),
        };
        let counted = budget
            .query_work()
            .map(|work| (work.as_secs_f64() * tuning().propositional.steps_of_a_second) as u64);
        // The time of the query ends before the steps that the caller allows.
        let is_time = counted.is_some_and(|time| budget.steps.is_none_or(|steps| time < steps));
        budget.steps = budget.steps.into_iter().chain(counted).min();
        let answer = self.answer(assumptions, &budget).unwrap_or_else(RawAnswer::Unknown);
        if !budget.is_counted() {
            return Ok(answer);
        }
        let taken = self.lowering.effort.spent();
        spend(Duration::from_secs_f64(taken as f64 / tuning().propositional.steps_of_a_second));
        let is_over = counted.is_some_and(|most| match &answer {
            RawAnswer::Unknown(Stopped::Incomplete(why)) => taken >= most || is_time && why == SPENT,
            RawAnswer::Unknown(_) => taken >= most,
            _ => false,
        });
        Ok(if is_over { RawAnswer::Unknown(Stopped::Timeout) } else { answer })
    }

    fn core(&mut self) -> Result<Vec<usize>, SolverError> {
        Ok(self.core.clone())
    }

    fn value(&mut self, t: Term) -> Result<TermValue, SolverError> {
        if self.assignment.is_none() {
            return Err(SolverError::Refused("there is no model".into()));
        }
        self.lowering.effort.within(&Budget::unlimited());
        if let Some(value) = self.read(t) {
            return Ok(value);
        }
        // A symbol whose values are not claimed does not matter to the model, which was confirmed without it.
        match (self.terms.as_symbol(t), self.lowering.value(t)) {
            (Some(id), Err(_)) => Ok(any_value(&self.terms, self.terms.symbol_sort(id))),
            _ => Ok(TermValue::Opaque(self.terms.text(t))),
        }
    }

    fn steps(&self) -> u64 {
        self.lowering.effort.spent()
    }

    fn size(&self) -> Size {
        Size { variables: self.solver.variables() as u64, clauses: self.clauses, referred: 0 }
    }

    fn universe(&mut self, _: Sort) -> Result<Vec<TermValue>, SolverError> {
        Ok(vec![])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::SortKind;

    fn elements(terms: &Terms, name: &str, n: usize) -> Sort {
        let names: Vec<Rc<str>> = (1..=n).map(|i| format!("{name}{i}").into()).collect();
        terms.sort(SortKind::Enum(name.into(), names.into()))
    }

    /// A relation that is too large anyway costs neither time nor memory.
    #[test]
    fn a_relation_too_large_for_memory_is_refused_before_it_is_built() {
        let terms = Rc::new(Terms::new());
        let couples = terms.tuple_sort(&[elements(&terms, "S", 4000), elements(&terms, "T", 4000)]);
        let sort = terms.set_sort(couples);
        let r = terms.symbol("r", sort);
        let empty = terms.const_array(sort, Terms::FALSE);
        let why = lowered(&terms, &[terms.eq(r, empty)]).map_err(|why| why.to_string());
        assert!(why.as_ref().is_err_and(|why| why.contains("48000000 clauses")), "{why:?}");
    }

    /// Both quantifiers have few instances, together they have too many.
    #[test]
    fn nested_quantifiers_are_refused_before_they_are_written_out() {
        let terms = Rc::new(Terms::new());
        let s = elements(&terms, "S", 4000);
        let set = terms.symbol("r", terms.set_sort(s));
        let names = ["a", "b", "c", "d"].map(|name| terms.symbol(name, s));
        let ids = names.map(|x| terms.as_symbol(x).expect("a symbol"));
        let body = terms.or(names.map(|x| terms.select(set, x)));
        let all = ids.iter().rev().fold(body, |p, &id| terms.forall(&[id], p));
        assert!(lowered(&terms, &[all]).is_err_and(|why| why.to_string().contains("clauses")));
    }

    fn answer(terms: &Rc<Terms>, assertions: &[Term]) -> RawAnswer {
        let mut solver = Propositional::new(terms.clone());
        assertions.iter().for_each(|&t| solver.assert(t).expect("it is asserted"));
        solver.check(&[], &Budget::unlimited()).expect("it answers")
    }

    /// An unknown that is in a bounded set is as bounded, however many bits it began with.
    #[test]
    fn what_is_in_a_bounded_set_is_bounded() {
        let terms = Rc::new(Terms::new());
        let (sort, v) = (terms.set_sort(Terms::INT), terms.symbol("v", Terms::INT));
        let three = terms.store(terms.empty_set(sort), terms.int(3), Terms::TRUE);
        let inside = terms.select(three, v);
        assert_eq!(answer(&terms, &[inside, terms.lt(terms.int(100), v)]), RawAnswer::Unsat);
        assert_eq!(answer(&terms, &[inside, terms.lt(v, terms.int(100))]), RawAnswer::Sat);
    }

    /// A set that equals one without elements outside of a window has none there: no wider window is tried.
    #[test]
    fn what_equals_a_bounded_set_is_bounded() {
        let terms = Rc::new(Terms::new());
        let sort = terms.set_sort(Terms::INT);
        let [s, k, x] = [("s", sort), ("k", Terms::INT), ("x", Terms::INT)].map(|(n, s)| terms.symbol(n, s));
        let bounded = terms.and([terms.le(terms.int(0), k), terms.le(k, terms.int(3))]);
        let same = terms.eq(s, terms.store(terms.empty_set(sort), k, Terms::TRUE));
        let above = |n: i64| {
            let id = terms.as_symbol(x).expect("a symbol");
            terms.exists(&[id], terms.and([terms.lt(terms.int(n), x), terms.select(s, x)]))
        };
        assert_eq!(answer(&terms, &[bounded, same, above(20)]), RawAnswer::Unsat);
        assert_eq!(answer(&terms, &[bounded, same, above(2)]), RawAnswer::Sat);
    }

    /// Where a quantifier says where the elements of a set are, there is nothing to cut.
    #[test]
    fn a_set_with_elements_in_a_known_window_is_not_cut() {
        let terms = Rc::new(Terms::new());
        let set = terms.set_sort(terms.tuple_sort(&[elements(&terms, "S", 2), Terms::INT]));
        let SortKind::Array(couple, _) = terms.sort_kind(set) else { panic!("a set") };
        let [s, t, c] = [("s", set), ("t", set), ("c", couple)].map(|(n, s)| terms.symbol(n, s));
        let (id, second) = (terms.as_symbol(c).expect("a symbol"), terms.field(c, 1));
        let between =
            |low, high| terms.and([terms.le(terms.int(low), second), terms.le(second, terms.int(high))]);
        let inside = terms.forall(&[id], terms.or([between(0, 40), terms.not(terms.select(s, c))]));
        let same = terms.eq(t, s);
        let above = |set, n| terms.exists(&[id], terms.and([terms.select(set, c), between(n, 100)]));
        let made = lowered(&terms, &[inside, same, above(t, 40)]).expect("it is small");
        assert_eq!((made.cuts, made.unclaimed), (vec![], vec![]));
        assert_eq!(answer(&terms, &[inside, same, above(t, 40)]), RawAnswer::Sat);
        assert_eq!(answer(&terms, &[inside, same, above(t, 41)]), RawAnswer::Unsat);
    }

    /// A set that is equal to one with room for numbers outside of its window is only widened where there are some.
    #[test]
    fn a_window_is_not_widened_for_numbers_that_are_not_there() {
        let terms = Rc::new(Terms::new());
        let sort = terms.set_sort(Terms::INT);
        let [s, k, n, x] = [("s", sort), ("k", Terms::INT), ("n", Terms::INT), ("x", Terms::INT)]
            .map(|(n, s)| terms.symbol(n, s));
        let bounded = |x| terms.and([terms.le(terms.int(0), x), terms.le(x, terms.int(7))]);
        let sum = terms.sub(k, n);
        let same = terms.or([
            terms.and([
                bounded(k),
                bounded(n),
                terms.le(n, k),
                terms.eq(s, terms.store(terms.empty_set(sort), sum, Terms::TRUE)),
            ]),
            terms.and([terms.lt(k, terms.int(-3)), terms.eq(s, terms.empty_set(sort))]),
        ]);
        let id = terms.as_symbol(x).expect("a symbol");
        let below = terms.exists(&[id], terms.and([terms.lt(x, terms.int(0)), terms.select(s, x)]));
        let mut solver = Propositional::new(terms.clone());
        [same, below].into_iter().for_each(|t| solver.assert(t).expect("it is asserted"));
        assert_eq!(solver.check(&[], &Budget::unlimited()), Ok(RawAnswer::Unsat));
        let levels = format!("{:?}", solver.lowering.levels);
        assert!(!levels.contains("Window"), "{levels}");
    }

    fn numbers<const N: usize>(names: [&str; N]) -> (Rc<Terms>, [Term; N]) {
        let terms = Rc::new(Terms::new());
        let made = names.map(|name| terms.symbol(name, Terms::INT));
        (terms, made)
    }

    fn holds(solver: &mut Propositional, assumption: Term) -> RawAnswer {
        let terms = solver.terms.clone();
        let l = terms.fresh("asked", Terms::BOOL);
        solver.assert(terms.implies(l, assumption)).expect("it is asserted");
        solver.check(&[l], &Budget::unlimited()).expect("it answers")
    }

    /// A solver that knows a step of two events, each behind its selector.
    fn step(terms: &Rc<Terms>, before: &[Term], events: [Term; 2]) -> Propositional {
        let mut solver = Propositional::new(terms.clone());
        before.iter().for_each(|&t| solver.assert(t).expect("it is asserted"));
        let selectors = ["a", "b"].map(|name| terms.symbol(name, Terms::BOOL));
        solver.alternatives(&selectors);
        for (s, event) in selectors.into_iter().zip(events) {
            solver.assert(terms.implies(s, event)).expect("it is asserted");
        }
        solver.assert(terms.or(selectors)).expect("it is asserted");
        solver
    }

    #[test]
    fn what_is_known_of_a_state_is_known_of_the_next_one() {
        let (t, [x, y]) = numbers(["x@0", "x@1"]);
        let odd = t.and([t.lt(t.int(5), x), t.eq(y, t.add([x, t.int(1)]))]);
        let even = t.and([t.lt(x, t.int(5)), t.eq(y, t.add([x, t.int(2)]))]);
        let mut solver = step(&t, &[t.eq(x, t.int(3))], [odd, even]);
        assert_eq!(solver.check(&[], &Budget::unlimited()), Ok(RawAnswer::Sat));
        assert_eq!(solver.value(y), Ok(TermValue::Int(5.into())));
        assert_eq!(solver.value(t.symbol("a", Terms::BOOL)), Ok(TermValue::Bool(false)));
        assert_eq!((solver.size().variables, solver.lowering.cuts.len()), (1, 0));
        assert_eq!(holds(&mut solver, t.eq(y, t.int(4))), RawAnswer::Unsat);
    }

    #[test]
    fn a_state_is_what_some_event_makes_of_the_one_before() {
        let (t, [x, y]) = numbers(["x@0", "x@1"]);
        let from = t.and([t.le(t.int(0), x), t.le(x, t.int(3))]);
        let more = t.add([x, t.int(1)]);
        let grows = t.and([t.lt(x, t.int(2)), t.eq(y, more)]);
        let mut solver = step(&t, &[from], [grows, t.eq(y, x)]);
        assert_eq!(holds(&mut solver, t.eq(y, more)), RawAnswer::Sat);
        assert_eq!(solver.value(t.symbol("a", Terms::BOOL)), Ok(TermValue::Bool(true)));
        assert_eq!(holds(&mut solver, t.and([t.eq(y, more), t.lt(t.int(1), x)])), RawAnswer::Unsat);
        assert_eq!(holds(&mut solver, t.and([t.neq(y, more), t.neq(y, x)])), RawAnswer::Unsat);
        assert!(solver.lowering.cuts.is_empty());
    }

    #[test]
    fn what_is_found_out_later_binds_what_is_defined() {
        let (t, [x, y]) = numbers(["x", "y"]);
        let mut solver = Propositional::new(t.clone());
        let from = t.and([t.le(t.int(0), x), t.le(x, t.int(3)), t.eq(y, t.mul(t.int(2), x))]);
        solver.assert(from).expect("it is asserted");
        assert_eq!(holds(&mut solver, t.eq(y, t.int(6))), RawAnswer::Sat);
        solver.assert(t.le(y, t.int(3))).expect("it is asserted");
        assert_eq!(holds(&mut solver, t.eq(x, t.int(2))), RawAnswer::Unsat);
        assert_eq!(holds(&mut solver, t.eq(x, t.int(1))), RawAnswer::Sat);
    }

    /// The other one would have to be cut.
    #[test]
    fn of_two_equal_sets_the_one_with_a_known_window_is_kept() {
        for names in [["s", "t"], ["t", "s"]] {
            let terms = Rc::new(Terms::new());
            let sort = terms.set_sort(Terms::INT);
            let made = names.map(|name| terms.symbol(name, sort));
            let s = made[usize::from(names[1] == "s")];
            let x = terms.symbol("x", Terms::INT);
            let id = terms.as_symbol(x).expect("a symbol");
            let between = terms.and([terms.le(terms.int(0), x), terms.le(x, terms.int(3))]);
            let inside = terms.forall(&[id], terms.or([between, terms.not(terms.select(s, x))]));
            let mut solver = Propositional::new(terms.clone());
            for t in [terms.eq(made[0], made[1]), inside] {
                solver.assert(t).expect("it is asserted");
            }
            assert_eq!(solver.check(&[], &Budget::unlimited()), Ok(RawAnswer::Sat));
            assert!(solver.cuts().is_empty(), "{names:?}");
        }
    }

    #[test]
    fn nothing_is_defined_by_itself() {
        let (t, [x, y]) = numbers(["x", "y"]);
        let next = |n| t.add([n, t.int(1)]);
        assert_eq!(answer(&t, &[t.eq(x, next(y)), t.eq(y, next(x))]), RawAnswer::Unsat);
        let both = [t.eq(x, next(y)), t.eq(y, t.sub(x, t.int(1))), t.lt(t.int(9), x)];
        assert_eq!(answer(&t, &both), RawAnswer::Sat);
    }
}
