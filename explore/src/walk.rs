//! A random walk: one trace of the transition system, chosen by the throw of a seeded die. The system says which edges
//! there are; the reference evaluator says how the one that is chosen is executed, and judges every state.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use bsym_language::model::EventId;
use bsym_semantics::error::{EvalError, EvalErrorKind};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::trace::replay::{Checks, replay_with, violations};
use bsym_semantics::trace::{Step, Trace, Violation};
use bsym_semantics::transition::Outcome;
use bsym_semantics::transition::state::Constants;
use bsym_semantics::value::Value;

use crate::dice::Dice;
use crate::search::Problem;
use crate::space::dependency_matrix::GroupId;
use crate::space::machine::Machine;
use crate::space::system::{Edge, Edges, System, Target};
use bsym_semantics::evaluator::interrupt::interruptible;
use bsym_semantics::verdict::Vacuous;

/// Alternatives of one kind (valuations, edges of one event) among which the die chooses.
const CHOICES: usize = 256;

/// How to walk.
#[derive(Clone, Debug)]
pub struct WalkOptions {
    /// Largest number of events.
    pub steps: usize,
    /// Seed of the die: the same seed gives the same walk.
    pub seed: u64,
    /// What ends the walk as a violation.
    pub checks: Checks,
    /// Longest time.
    pub time: Option<Duration>,
    /// Set from outside to stop.
    pub cancelled: Arc<AtomicBool>,
}

/// A walk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk {
    /// Where it went, from the initialisation; `None` if there is no initial state.
    pub trace: Option<Trace>,
    /// Why it ended.
    pub end: End,
}

/// Why a walk ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// All steps were taken.
    Steps,
    /// No event is enabled.
    Deadlock,
    /// Something is wrong in the last state or step, found by replay of the trace.
    Violated(Vec<Violation>),
    /// There is nowhere to begin.
    Vacuous(Vacuous),
    /// Asked to stop, or the time is over.
    Interrupted,
    /// What comes next could not be evaluated: where, and why.
    Unknown(String, EvalError),
}

/// Walks from an initial state.
///
/// An event is chosen among those enabled, then one of its first edges. It recurses along formulas: call
/// it inside [`bsym_language::stack::with_large_stack`].
pub fn walk(problem: &Problem<'_>, options: &WalkOptions) -> Walk {
    let deadline = options.time.and_then(|t| Instant::now().checked_add(t));
    interruptible(&options.cancelled, deadline, |interrupt| {
        let cuts = Cuts::default();
        let eval = problem.evaluator(interrupt, &cuts);
        let mut dice = Dice::new(options.seed);
        let constants = match constants(&eval, &cuts, &mut dice) {
            Ok(constants) => constants,
            Err(end) => return Walk { trace: None, end },
        };
        let mut machine = Machine::of(eval, vec![constants.clone()]);
        machine.context.deadline = deadline;
        machine.context.cancelled = options.cancelled.clone();
        Walker { machine, row: None, cuts: &cuts, options, dice }.walk(constants)
    })
}

/// A valuation of the constants among the first ones.
fn constants(eval: &Evaluator<'_>, cuts: &Cuts, dice: &mut Dice) -> Result<Constants, End> {
    let (mut found, mut ill_defined) = (Vec::new(), None);
    let done = eval.each_valuation(&Default::default(), &mut |constants, truth| {
        match truth {
            Ok(()) => found.push(constants),
            Err(e) => ill_defined = Some(e),
        }
        if found.len() < CHOICES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    if let Some(chosen) = dice.choose(found) {
        return Ok(chosen);
    }
    Err(match done.err().or(ill_defined).or_else(|| cut(eval, cuts)) {
        Some(e) => stopped("the constants", e),
        None => End::Vacuous(Vacuous::NoValuation),
    })
}

/// Why there may be values beyond those that were looked at.
fn cut(eval: &Evaluator<'_>, cuts: &Cuts) -> Option<EvalError> {
    let cut = cuts.list().into_iter().next()?;
    Some(cut.error(eval.model))
}

struct Walker<'m> {
    machine: Machine<'m>,
    /// The row of the last state, if its values can be written as words.
    row: Option<Vec<u32>>,
    cuts: &'m Cuts,
    options: &'m WalkOptions,
    dice: Dice,
}

impl Walker<'_> {
    fn walk(&mut self, constants: Constants) -> Walk {
        let scope = self.machine.context.eval.scope.clone();
        let mut trace = Trace { scope, constants, steps: Vec::new() };
        let end = loop {
            match self.step(&trace) {
                Ok(step) => {
                    let failed = step.state.is_none();
                    trace.steps.push(step);
                    if failed {
                        break self.violated(&trace);
                    }
                }
                Err(end) => break end,
            }
            if let Some(end) = self.judge(&trace) {
                break end;
            }
            if trace.steps.len() > self.options.steps {
                break End::Steps;
            }
        };
        Walk { trace: Some(trace).filter(|t| !t.steps.is_empty()), end }
    }

    /// The next step.
    fn step(&mut self, trace: &Trace) -> Result<Step, End> {
        let Some(last) = trace.steps.last() else {
            let edges = self.machine.first_initial(0, CHOICES);
            let (edge, error) = self.choose(edges)?;
            return match edge {
                Some(edge) => self.take(None, &[], edge),
                None => Err(match error.or_else(|| self.cut()) {
                    Some(e) => stopped("the initialisation", e),
                    None => End::Vacuous(Vacuous::NoInitialState),
                }),
            };
        };
        let state = last.state.as_deref().unwrap_or_default();
        let mut groups: Vec<GroupId> = self.machine.matrix.group_ids().collect();
        let mut open = None;
        while let Some(group) = self.dice.take(&mut groups) {
            let event = self.machine.event(group);
            let edges = match &self.row {
                Some(row) => self.machine.edges(group, row, CHOICES),
                None => self.machine.edges_of_state(Some(event), 0, state, CHOICES),
            };
            let (edge, error) = self.choose(edges)?;
            if let Some(edge) = edge {
                return self.take(Some(event), state, edge);
            }
            if let Some(e) = error {
                let name = &self.machine.matrix.group(group).name;
                let end = stopped(&format!("event `{name}`"), e);
                if end == End::Interrupted {
                    return Err(end);
                }
                open.get_or_insert(end);
            }
        }
        Err(open.unwrap_or_else(|| self.deadlock(&trace.constants, state)))
    }

    /// One of some edges, and why there may be others than these.
    fn choose(&mut self, edges: Edges) -> Result<(Option<Edge>, Option<EvalError>), End> {
        if self.machine.is_stopped() {
            return Err(End::Interrupted);
        }
        let well_definedness = self.options.checks.well_definedness;
        let mut open = edges.edges;
        open.retain(|edge| {
            well_definedness || !matches!(edge.target, Target::Failed(Outcome::IllDefined(_)))
        });
        Ok((self.dice.choose(open), edges.incomplete))
    }

    /// Goes along an edge.
    fn take(&mut self, event: Option<EventId>, state: &[Value], edge: Edge) -> Result<Step, End> {
        let executed = self.machine.execution(event, 0, state, &edge).map_err(|e| match e {
            Some(e) => stopped("the step", e),
            None => stopped("the step", not_replayed("the edge is not found again".into())),
        })?;
        let state = executed.state().cloned();
        self.row = match edge.target {
            Target::Row(row) => Some(row),
            _ => None,
        };
        Ok(Step { event, execution: executed.execution, state })
    }

    fn cut(&self) -> Option<EvalError> {
        cut(&self.machine.context.eval, self.cuts)
    }

    /// The end where no event was found to be enabled: there may be one with values beyond those that
    /// were looked at.
    fn deadlock(&self, constants: &[Value], state: &[Value]) -> End {
        if self.cuts.is_empty() {
            return End::Deadlock;
        }
        match self.machine.context.eval.with_all_choices().is_deadlock(constants, state) {
            Ok(true) => End::Deadlock,
            Ok(false) => stopped("the events", self.cut().unwrap_or_else(|| not_replayed(String::new()))),
            Err(e) => stopped("the events", e),
        }
    }

    /// Whether the walk ends in the last state.
    fn judge(&self, trace: &Trace) -> Option<End> {
        let state = trace.steps.last()?.state.as_deref()?;
        match violations(&self.machine.context.eval, &trace.constants, state, &self.options.checks) {
            Ok(found) if found.is_empty() => None,
            Ok(_) => Some(self.violated(trace)),
            Err(e) => Some(stopped("the properties", e)),
        }
    }

    /// The violation at the end of a trace, by replay.
    fn violated(&self, trace: &Trace) -> End {
        let mut eval = self.machine.context.eval.with_all_choices();
        eval.interrupt = None;
        match replay_with(&eval, trace, &self.options.checks) {
            Ok(replayed) if !replayed.violations.is_empty() => End::Violated(replayed.violations),
            Ok(_) => End::Unknown("the trace".into(), not_replayed("nothing is wrong at its end".into())),
            Err(e) => End::Unknown("the trace".into(), not_replayed(e.to_string())),
        }
    }
}

fn stopped(place: &str, error: EvalError) -> End {
    if error.kind == EvalErrorKind::Interrupted {
        End::Interrupted
    } else {
        End::Unknown(place.into(), error)
    }
}

fn not_replayed(reason: String) -> EvalError {
    EvalError::unsupported(Default::default(), format!("the violation could not be repeated: {reason}"))
}
