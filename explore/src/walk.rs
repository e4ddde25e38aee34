//! Random walk: one trace of the transition system, chosen by a seeded die. The system lists the edges; the reference
//! evaluator executes the one that is chosen, and judges every state.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bsym_semantics::error::{EvalError, EvalErrorKind};
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::trace::replay::Checks;
use bsym_semantics::trace::{Step, Trace, Violation};
use bsym_semantics::transition::Outcome;
use bsym_semantics::transition::state::Constants;
use bsym_semantics::value::Value;
use bsym_semantics::verdict::Vacuous;

use crate::dice::Dice;
use crate::options::Limits;
use crate::search::Problem;
use crate::session::with_session;
use crate::space::dependency_matrix::GroupId;
use crate::space::interpreted::Interpreted;
use crate::space::machine::Machine;
use crate::space::system::{Edge, Edges, Target};
use crate::tuning::tuning;

/// Options of a walk.
#[derive(Clone, Debug)]
pub struct WalkOptions {
    /// Largest number of events.
    pub steps: usize,
    /// Seed of the die: the same seed gives the same walk.
    pub seed: u64,
    /// Checks whose violation ends the walk.
    pub checks: Checks,
    /// Longest time.
    pub time: Option<Duration>,
    /// Set from outside to stop.
    pub cancelled: Arc<AtomicBool>,
}

/// A walk.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk {
    /// The trace from the initialisation; `None` if there is no initial state.
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
    /// A violation in the last state or step, found by replay of the trace.
    Violated(Vec<Violation>),
    /// There is no initial state.
    Vacuous(Vacuous),
    /// The walk was cancelled, or the time is over.
    Interrupted,
    /// The next step could not be evaluated: where, and why.
    Unknown(String, EvalError),
}

/// Walks from an initial state.
///
/// An event is chosen among those enabled, then one of its first edges. It recurses along formulas: call
/// it inside [`bsym_language::stack::with_large_stack`].
pub fn walk(problem: &Problem<'_>, options: &WalkOptions) -> Walk {
    let limits = Limits { time: options.time, ..Limits::default() };
    with_session(problem, &limits, &options.cancelled, |session| {
        let (eval, mut dice) = (session.evaluator(), Dice::new(options.seed));
        let constants = match constants(&eval, &session.cuts, &mut dice) {
            Ok(constants) => constants,
            Err(end) => return Walk { trace: None, end },
        };
        let mut machine = Machine::of(eval, vec![constants]);
        machine.context.stop = session.stop(false);
        let (steps, end) = Walker { system: &mut machine, row: None, options, dice }.walk();
        let trace = (!steps.is_empty()).then(|| machine.trace(0, &steps));
        Walk { trace, end }
    })
}

/// Walks in any system from an initial state of its first root. Returns the steps, and why the walk ended.
pub fn walk_in(system: &mut impl Interpreted, options: &WalkOptions) -> (Vec<Step>, End) {
    Walker { system, row: None, options, dice: Dice::new(options.seed) }.walk()
}

/// A valuation of the constants among the first ones.
fn constants(eval: &Evaluator<'_>, cuts: &Cuts, dice: &mut Dice) -> Result<Constants, End> {
    let (mut found, mut ill_defined) = (Vec::new(), None);
    let done = eval.each_valuation(&Default::default(), &mut |constants, truth| {
        match truth {
            Ok(()) => found.push(constants),
            Err(e) => ill_defined = Some(e),
        }
        if found.len() < tuning().search.walk_choices {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    if let Some(chosen) = dice.choose(found) {
        return Ok(chosen);
    }
    let cut = || Some(cuts.list().into_iter().next()?.error(eval.model));
    Err(match done.err().or(ill_defined).or_else(cut) {
        Some(e) => stopped("the constants", e),
        None => End::Vacuous(Vacuous::NoValuation),
    })
}

struct Walker<'w, S> {
    system: &'w mut S,
    /// The row of the last state, if its values can be written as words.
    row: Option<Vec<u32>>,
    options: &'w WalkOptions,
    dice: Dice,
}

impl<S: Interpreted> Walker<'_, S> {
    fn walk(&mut self) -> (Vec<Step>, End) {
        let mut steps = Vec::new();
        let end = loop {
            match self.step(&steps) {
                Ok(step) => {
                    let failed = step.state.is_none();
                    steps.push(step);
                    if failed {
                        break self.violated(&steps);
                    }
                }
                Err(end) => break end,
            }
            if let Some(end) = self.judge(&steps) {
                break end;
            }
            if steps.len() > self.options.steps {
                break End::Steps;
            }
        };
        (steps, end)
    }

    /// The next step.
    fn step(&mut self, steps: &[Step]) -> Result<Step, End> {
        let Some(last) = steps.last() else {
            let edges = self.system.initial(0, tuning().search.walk_choices);
            let (edge, error) = self.choose(edges)?;
            return match edge {
                Some(edge) => self.take(None, &[], edge),
                None => Err(match error.or_else(|| self.system.cut()) {
                    Some(e) => stopped("the initialisation", e),
                    None => End::Vacuous(Vacuous::NoInitialState),
                }),
            };
        };
        let state = last.state.as_deref().unwrap_or_default();
        let mut groups: Vec<GroupId> = self.system.matrix().group_ids().collect();
        let mut open = None;
        while let Some(group) = self.dice.take(&mut groups) {
            let edges = match &self.row {
                Some(row) => self.system.edges(group, row, tuning().search.walk_choices),
                None => self.system.edges_of(Some(group), 0, state, tuning().search.walk_choices),
            };
            let (edge, error) = self.choose(edges)?;
            if let Some(edge) = edge {
                return self.take(Some(group), state, edge);
            }
            if let Some(e) = error {
                let name = &self.system.matrix().group(group).name;
                let end = stopped(&format!("event `{name}`"), e);
                if end == End::Interrupted {
                    return Err(end);
                }
                open.get_or_insert(end);
            }
        }
        Err(open.unwrap_or_else(|| self.deadlock(state)))
    }

    /// Chooses one of some edges. Returns it, and why there may be others than these.
    fn choose(&mut self, edges: Edges) -> Result<(Option<Edge>, Option<EvalError>), End> {
        if self.system.is_stopped() {
            return Err(End::Interrupted);
        }
        let well_definedness = self.options.checks.well_definedness;
        let mut open = edges.edges;
        open.retain(|edge| {
            well_definedness || !matches!(edge.target, Target::Failed(Outcome::IllDefined(_)))
        });
        Ok((self.dice.choose(open), edges.incomplete))
    }

    /// Follows an edge.
    fn take(&mut self, group: Option<GroupId>, state: &[Value], edge: Edge) -> Result<Step, End> {
        let step = self.system.step(group, 0, state, &edge).map_err(|e| match e {
            Some(e) => stopped("the step", e),
            None => stopped("the step", not_replayed("the edge is not found again".into())),
        })?;
        self.row = match edge.target {
            Target::Row(row) => Some(row),
            _ => None,
        };
        Ok(step)
    }

    /// Returns the end of a walk where no event was found to be enabled: there may be one with values beyond those that
    /// were tried.
    fn deadlock(&self, state: &[Value]) -> End {
        match self.system.is_deadlock(0, state) {
            Ok(true) => End::Deadlock,
            Ok(false) => {
                stopped("the events", self.system.cut().unwrap_or_else(|| not_replayed(String::new())))
            }
            Err(e) => stopped("the events", e),
        }
    }

    /// Returns why the walk ends in the last state, if it does.
    fn judge(&self, steps: &[Step]) -> Option<End> {
        let state = steps.last()?.state.as_deref()?;
        match self.system.violations(0, state, &self.options.checks) {
            Ok(found) if found.is_empty() => None,
            Ok(_) => Some(self.violated(steps)),
            Err(e) => Some(stopped("the properties", e)),
        }
    }

    /// Returns the violation at the end of a walk, by replay.
    fn violated(&self, steps: &[Step]) -> End {
        match self.system.replay(0, steps, &self.options.checks) {
            Ok(violations) if !violations.is_empty() => End::Violated(violations),
            Ok(_) => End::Unknown("the trace".into(), not_replayed("nothing is wrong at its end".into())),
            Err(e) => End::Unknown("the trace".into(), not_replayed(e)),
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
