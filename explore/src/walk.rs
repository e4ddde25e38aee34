//! A random walk: one trace of the transition system, chosen by the throw of a seeded die, step by step
//! by the reference evaluator.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use bsym_language::model::EventId;
use bsym_semantics::bounded::Cuts;
use bsym_semantics::error::{EvalError, EvalErrorKind};
use bsym_semantics::evaluator::{Eval, Evaluator};
use bsym_semantics::replay::{Checks, replay_with, violations};
use bsym_semantics::state::{Constants, Step, Trace, Violation};
use bsym_semantics::transitions::{Edge, Outcome};
use bsym_semantics::value::Value;

use crate::dice::Dice;
use crate::search::Problem;
use bsym_semantics::interrupt::interruptible;

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
    Vacuous(String),
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
        let mut eval = Evaluator::new(problem.model, problem.scope)
            .with_interrupt(interrupt)
            .with_bounded_choices(&cuts);
        eval.finder = problem.finder;
        let mut walker = Walker { eval, cuts: &cuts, options, dice: Dice::new(options.seed) };
        match walker.constants() {
            Ok(constants) => walker.walk(constants),
            Err(end) => Walk { trace: None, end },
        }
    })
}

struct Walker<'m> {
    eval: Evaluator<'m>,
    cuts: &'m Cuts,
    options: &'m WalkOptions,
    dice: Dice,
}

impl Walker<'_> {
    fn constants(&mut self) -> Result<Constants, End> {
        let (mut found, mut ill_defined) = (Vec::new(), None);
        let done = self.eval.each_valuation(&Default::default(), &mut |constants, truth| {
            match truth {
                Ok(()) => found.push(constants),
                Err(e) => ill_defined = Some(e),
            }
            if found.len() < CHOICES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if let Some(chosen) = self.dice.choose(found) {
            return Ok(chosen);
        }
        Err(match done.err().or(ill_defined).or_else(|| self.cut()) {
            Some(e) => stopped("the constants", e),
            None => End::Vacuous("no valuation of the constants satisfies the properties".into()),
        })
    }

    fn walk(&mut self, constants: Constants) -> Walk {
        let scope = self.eval.scope.clone();
        let mut trace = Trace { scope, constants, steps: Vec::new() };
        let end = loop {
            match self.step(&trace) {
                Ok(edge) => {
                    let state = edge.state().cloned();
                    let failed = state.is_none();
                    trace.steps.push(Step { event: edge.event, execution: edge.execution, state });
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
    fn step(&mut self, trace: &Trace) -> Result<Edge, End> {
        let Some(last) = trace.steps.last() else {
            let (edges, error) = self.edges(None, &trace.constants, &[]);
            return self.dice.choose(edges).ok_or_else(|| match error.or_else(|| self.cut()) {
                Some(e) => stopped("the initialisation", e),
                None => End::Vacuous("there is no initial state".into()),
            });
        };
        let state = last.state.as_deref().unwrap_or_default();
        let mut events: Vec<u32> = (0..self.eval.model.events.len() as u32).collect();
        let mut open = None;
        while let Some(event) = self.dice.take(&mut events).map(EventId) {
            let (edges, error) = self.edges(Some(event), &trace.constants, state);
            if let Some(edge) = self.dice.choose(edges) {
                return Ok(edge);
            }
            if let Some(e) = error {
                let name = &self.eval.model.events[event.index()].name;
                let end = stopped(&format!("event `{name}`"), e);
                if end == End::Interrupted {
                    return Err(end);
                }
                open.get_or_insert(end);
            }
        }
        Err(open.unwrap_or_else(|| self.deadlock(&trace.constants, state)))
    }

    /// Why there may be values beyond those that were looked at.
    fn cut(&self) -> Option<EvalError> {
        let cut = self.cuts.list().into_iter().next()?;
        Some(cut.error(self.eval.model))
    }

    /// The end where no event was found to be enabled: there may be one with values beyond those that
    /// were looked at.
    fn deadlock(&self, constants: &[Value], state: &[Value]) -> End {
        if self.cuts.is_empty() {
            return End::Deadlock;
        }
        match self.eval.with_all_choices().is_deadlock(constants, state) {
            Ok(true) => End::Deadlock,
            Ok(false) => stopped("the events", self.cut().unwrap_or_else(|| not_replayed(String::new()))),
            Err(e) => stopped("the events", e),
        }
    }

    /// The first edges of an event, and why there may be others than these.
    fn edges(
        &self,
        event: Option<EventId>,
        constants: &[Value],
        state: &[Value],
    ) -> (Vec<Edge>, Option<EvalError>) {
        let well_definedness = self.options.checks.well_definedness;
        let mut edges = Vec::new();
        let done: Eval<_> = self.eval.each_edge(event, constants, state, &mut |edge| {
            if well_definedness || !matches!(edge.outcome, Outcome::IllDefined(_)) {
                edges.push(edge);
            }
            if edges.len() < CHOICES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        (edges, done.err())
    }

    /// Whether the walk ends in the last state.
    fn judge(&self, trace: &Trace) -> Option<End> {
        let state = trace.steps.last()?.state.as_deref()?;
        match violations(&self.eval, &trace.constants, state, &self.options.checks) {
            Ok(found) if found.is_empty() => None,
            Ok(_) => Some(self.violated(trace)),
            Err(e) => Some(stopped("the properties", e)),
        }
    }

    /// The violation at the end of a trace, by replay.
    fn violated(&self, trace: &Trace) -> End {
        let mut eval = self.eval.with_all_choices();
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
