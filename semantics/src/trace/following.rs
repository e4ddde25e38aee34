//! Following a partial trace: steps of the machine that agree with all known parts.
//!
//! Several steps may fit. The search goes back to the others where a later step fits none, so that a partial trace that
//! cannot be followed is not a trace of the machine, unless something was too large to be listed.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use bsym_language::model::{ConstId, EventId};
use bsym_language::source::Span;

use crate::error::EvalError;
use crate::evaluator::Evaluator;
use crate::trace::Step;
use crate::trace::file::INITIALISATION;
use crate::trace::partial::{PartialStep, PartialTrace};
use crate::transition::state::{Constants, Execution, State};
use crate::transition::{Edge, Outcome};
use crate::tuning::Tuning;
use crate::value::Value;

/// The longest beginning of a partial trace that the machine can follow.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Followed {
    /// Values of the constants; `None` if none fit.
    pub constants: Option<Constants>,
    /// The steps that were taken.
    pub steps: Vec<Step>,
    /// Why the other steps were not taken; `None` if there are no others.
    pub stop: Option<Stop>,
}

/// The reason why a trace is not followed to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stop {
    /// The step that nothing fits, by position; `None` for the constants.
    pub step: Option<usize>,
    /// The reason; lower case, no full stop.
    pub reason: String,
    /// The guard or evaluation, if the reason names one.
    pub span: Option<Span>,
    /// Some steps or valuations were not looked at: the trace may be one of the machine.
    pub is_open: bool,
}

impl Stop {
    /// Returns the step with its event, and the reason.
    pub fn text(&self, partial: &PartialTrace) -> String {
        let event = self.step.and_then(|at| partial.steps.get(at)?.event.as_deref());
        match (self.step, event) {
            (None, _) => format!("constants: {}", self.reason),
            (Some(0), _) => format!("initialisation: {}", self.reason),
            (Some(at), Some(event)) => format!("step {at} ({event}): {}", self.reason),
            (Some(at), None) => format!("step {at}: {}", self.reason),
        }
    }
}

/// Steps that the machine can take in a state.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Offered {
    /// The steps, those of the asked event before others.
    pub steps: Vec<Step>,
    /// There are more.
    pub more: bool,
}

/// Takes steps that fit a partial trace, as far as possible. The scope of the evaluator is that of the trace.
pub fn follow(eval: &Evaluator<'_>, partial: &PartialTrace) -> Followed {
    let known = eval.model.constants.iter().enumerate();
    let fixed: BTreeMap<ConstId, Value> = known
        .filter_map(|(i, c)| Some((ConstId(i as u32), partial.constants.get(&c.name)?.clone())))
        .collect();
    let mut best: Option<Followed> = None;
    let done = eval.each_valuation(&fixed, &mut |constants, truth| {
        if truth.is_err() {
            return ControlFlow::Continue(());
        }
        let found = Search::new(eval, &constants, &partial.steps).run();
        let ends = found.stop.is_none() || eval.is_interrupted();
        if best.as_ref().is_none_or(|before| before.steps.len() < found.steps.len() || found.stop.is_none()) {
            best = Some(Followed { constants: Some(constants), ..found });
        }
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let cut = eval.cuts().and_then(|cuts| cuts.list().first().map(|cut| cut.error(eval.model)));
    let error = done.err().or(cut);
    let Some(mut best) = best else {
        let stop = match error {
            Some(e) => Stop { step: None, reason: e.message, span: Some(e.span), is_open: true },
            None => Stop {
                step: None,
                reason: "no valuation is as the trace says in this scope; --scope and --set choose another"
                    .into(),
                span: None,
                is_open: false,
            },
        };
        return Followed { stop: Some(stop), ..Followed::default() };
    };
    if let (Some(stop), Some(e)) = (&mut best.stop, error)
        && !stop.is_open
    {
        stop.is_open = true;
        stop.reason = format!("{}, and some may be missing: {}", stop.reason, e.message);
    }
    best
}

/// Returns the steps that can be taken in a state: those of an event, or if there are none, those of all events. Without
/// a state, those of the initialisation.
pub fn offered(
    eval: &Evaluator<'_>,
    constants: &[Value],
    state: Option<&State>,
    event: Option<EventId>,
    most: usize,
) -> Offered {
    let mut offered = Offered::default();
    let mut add = |event, most: usize| {
        let mut count = 0;
        let from = state.map_or(&[][..], |s| &s[..]);
        // Events that cannot be evaluated offer what was found.
        let _ = eval.each_edge(event, constants, from, &mut |edge| {
            count += 1;
            offered.more |= count > most;
            if count > most {
                return ControlFlow::Break(());
            }
            offered.steps.push(step_of(edge));
            ControlFlow::Continue(())
        });
        count
    };
    let all = || (0..eval.model.events.len() as u32).map(EventId);
    match (state, event) {
        (None, _) => _ = add(None, most),
        (Some(_), Some(event)) if add(Some(event), most) > 0 => {}
        (Some(_), _) => all().for_each(|event| _ = add(Some(event), most.div_ceil(4))),
    }
    offered.more |= offered.steps.len() > most;
    offered.steps.truncate(most);
    offered
}

fn step_of(edge: Edge) -> Step {
    let state = edge.state().cloned();
    Step { event: edge.event, execution: edge.execution, state }
}

struct Search<'a> {
    eval: &'a Evaluator<'a>,
    constants: &'a [Value],
    wanted: &'a [PartialStep],
    /// The longest path so far.
    best: Vec<Step>,
    /// Why steps may be missing.
    open: Option<EvalError>,
}

impl<'a> Search<'a> {
    fn new(eval: &'a Evaluator<'a>, constants: &'a [Value], wanted: &'a [PartialStep]) -> Self {
        Search { eval, constants, wanted, best: vec![], open: None }
    }

    fn run(mut self) -> Followed {
        if self.wanted.is_empty() {
            let reason = "the trace has no steps".into();
            let stop = Stop { step: Some(0), reason, span: None, is_open: false };
            return Followed { stop: Some(stop), ..Followed::default() };
        }
        let mut path: Vec<Step> = vec![];
        let mut seen: HashSet<(usize, State)> = HashSet::new();
        let mut waiting = vec![self.fitting(0, None).into_iter()];
        while let Some(next) = waiting.last_mut() {
            let Some(step) = next.next() else {
                waiting.pop();
                path.pop();
                continue;
            };
            path.push(step);
            if path.len() > self.best.len() {
                self.best.clone_from(&path);
            }
            if path.len() == self.wanted.len() {
                return Followed { constants: None, steps: path, stop: None };
            }
            match path.last().and_then(|step| step.state.clone()) {
                Some(state) if seen.insert((path.len(), state.clone())) => {
                    waiting.push(self.fitting(path.len(), Some(&state)).into_iter());
                }
                _ => _ = path.pop(),
            }
            if self.eval.is_interrupted() {
                break;
            }
        }
        let stop = Some(self.stop());
        Followed { constants: None, steps: self.best, stop }
    }

    /// Returns the steps after a state, or without one the first steps, that agree with what is known.
    fn fitting(&mut self, at: usize, state: Option<&State>) -> Vec<Step> {
        let known = &self.wanted[at];
        let model = self.eval.model;
        let named = known.event.as_deref();
        let events: Vec<Option<EventId>> = match state {
            None => vec![None],
            Some(_) => (0..model.events.len() as u32)
                .map(EventId)
                .filter(|e| named.is_none_or(|name| model.events[e.index()].name == name))
                .map(Some)
                .collect(),
        };
        let from = state.map_or(&[][..], |s| &s[..]);
        let most = Tuning::DEFAULT.answers.fitting;
        let mut found = vec![];
        for event in events {
            let mut visit = |edge| {
                let step = step_of(edge);
                if known.fits(model, &step) {
                    found.push(step);
                }
                if found.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let done = match (event, event.and_then(|e| self.parameters(e, known))) {
                // Nothing has to be listed where all arguments are known.
                (Some(event), Some(given)) => {
                    self.eval.each_edge_with(event, &given, self.constants, from, &mut visit)
                }
                _ => self.eval.each_edge(event, self.constants, from, &mut visit),
            };
            let open = match done {
                Err(e) => Some(e),
                Ok(_) if found.len() > most => {
                    let message = format!("more than {most} steps are as the trace says");
                    Some(EvalError::too_large(Span::default(), message))
                }
                Ok(_) => None,
            };
            self.open = self.open.take().or(open);
        }
        found
    }

    /// The values of all parameters, if they are known.
    fn parameters(&self, event: EventId, known: &PartialStep) -> Option<Vec<Value>> {
        let model = self.eval.model;
        let parameters = &model.events[event.index()].parameters;
        let value = |l: &bsym_language::model::LocalId| {
            let local = &model.locals[l.index()];
            let value = known.parameters.get(&local.name)?;
            self.eval.has_type(value, &local.ty).then(|| value.clone())
        };
        parameters.iter().map(value).collect()
    }

    /// Returns the reason why nothing fits behind the longest path.
    fn stop(&self) -> Stop {
        let at = self.best.len();
        let stop = |reason: String, span, is_open| Stop { step: Some(at), reason, span, is_open };
        if let Some(e) = &self.open {
            return stop(e.message.clone(), Some(e.span), true);
        }
        let model = self.eval.model;
        let named = self.wanted[at].event.as_deref();
        let Some(before) = self.best.last() else {
            return stop("no initial state is as the trace says".into(), None, false);
        };
        let Some(state) = &before.state else {
            return stop("the step before reaches no state".into(), None, false);
        };
        if named == Some(INITIALISATION) {
            return stop("the initialisation comes first".into(), None, false);
        }
        let event = named.and_then(|name| model.events.iter().position(|e| e.name == name));
        let Some(event) = event.map(|i| EventId(i as u32)) else {
            return match named {
                Some(name) => stop(format!("{} has no event `{name}`", model.name), None, false),
                None => stop("no step of the machine is as the trace says".into(), None, false),
            };
        };
        if let Some(parameters) = self.parameters(event, &self.wanted[at]) {
            let given = Execution { parameters, ..Execution::default() };
            if let Ok(Outcome::Disabled { span, why }) =
                self.eval.execute(self.constants, state, Some(event), &given)
            {
                return stop(format!("it is disabled: {why}"), Some(span), false);
            }
        } else if self.eval.enabled(event, self.constants, state) == Ok(false) {
            return stop("it is not enabled".into(), None, false);
        }
        stop(format!("no step by {} is as the trace says", model.events[event.index()].name), None, false)
    }
}
