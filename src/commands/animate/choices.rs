//! Choices for the next step of a session: valuations of the constants, initial states, steps of events.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use bsym_language::model::{EventId, Model};
use bsym_semantics::error::{EvalError, EvalErrorKind};
use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::transition::state::Constants;
use bsym_semantics::transition::{Edge, Outcome};
use bsym_semantics::value::Value;
use bsym_semantics::value::parse::parse_value;

use super::session::Session;
use crate::answer::folding::arguments;
use crate::answer::property::event_name;
use crate::commands::eval::value_of;

/// A choice for the next step.
#[derive(Clone, PartialEq, Debug)]
pub enum Choice {
    /// Values for the constants.
    Valuation(Constants),
    /// A step.
    Edge(Edge),
}

/// Choices for the next step, as far as they are listed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Choices {
    /// The choices, grouped by event.
    pub list: Vec<Choice>,
    /// Events that are not enabled.
    pub disabled: Vec<EventId>,
    /// Why there may be more than these.
    pub notes: Vec<String>,
}

impl Choices {
    /// Returns the choices at the current position.
    pub fn of(session: &Session, interrupt: &AtomicBool) -> Choices {
        let mut choices = Choices::default();
        let cuts = Cuts::default();
        let Some(constants) = &session.constants else {
            choices.valuations(session, interrupt, &cuts);
            choices.note_cuts(&session.model, &cuts);
            return choices;
        };
        match (session.at, session.state()) {
            (0, _) => _ = choices.steps(session, interrupt, &cuts, None, (constants, &[]), session.most),
            // There are no steps after one that fails.
            (_, None) => {}
            (_, Some(state)) => {
                for i in 0..session.model.events.len() as u32 {
                    let event = Some(EventId(i));
                    match choices.steps(session, interrupt, &cuts, event, (constants, state), session.most) {
                        Ok(0) => choices.disabled.push(EventId(i)),
                        Err(EvalErrorKind::Interrupted) => break,
                        _ => {}
                    }
                }
            }
        }
        choices.note_cuts(&session.model, &cuts);
        choices
    }

    /// Returns whether there is exactly one choice and no note that there may be more.
    pub fn is_only_one(&self) -> bool {
        self.list.len() == 1 && self.notes.is_empty()
    }

    /// Why there is nothing to choose.
    pub fn why_none(&self) -> String {
        match self.notes.first() {
            Some(note) => note.clone(),
            None => "nothing satisfies the axioms, or the initialisation reaches no state".into(),
        }
    }

    fn valuations(&mut self, session: &Session, interrupt: &AtomicBool, cuts: &Cuts) {
        let eval = session.evaluator(interrupt, cuts);
        let mut more = false;
        let done = eval.each_valuation(&Default::default(), &mut |constants, truth| {
            if truth.is_err() {
                return ControlFlow::Continue(());
            }
            more = self.list.len() >= session.most;
            if more {
                return ControlFlow::Break(());
            }
            self.list.push(Choice::Valuation(constants));
            ControlFlow::Continue(())
        });
        if more {
            let most = session.most;
            self.notes.push(format!("there are more valuations than these {most}; --set fixes a constant"));
        }
        if let Err(e) = done {
            self.notes.push(format!("the constants: {}", e.message));
        }
    }

    /// Adds the steps of an event, and returns how many there are, counted up to the limit.
    fn steps(
        &mut self,
        session: &Session,
        interrupt: &AtomicBool,
        cuts: &Cuts,
        event: Option<EventId>,
        (constants, state): (&[Value], &[Value]),
        most: usize,
    ) -> Result<usize, EvalErrorKind> {
        let name = event_name(&session.model, event);
        let eval = session.evaluator(interrupt, cuts);
        let mut count = 0;
        let done = eval.each_edge(event, constants, state, &mut |edge| {
            count += 1;
            if count > most {
                return ControlFlow::Break(());
            }
            self.list.push(Choice::Edge(edge));
            ControlFlow::Continue(())
        });
        if count > most {
            self.notes.push(format!("{name} has more steps than these {most}: name it with its arguments"));
        }
        if let Err(e) = done {
            self.notes.push(format!("{name}: {}", missing(&e)));
            return Err(e.kind);
        }
        Ok(count)
    }

    fn note_cuts(&mut self, model: &Model, cuts: &Cuts) {
        let messages = cuts.list().into_iter().map(|cut| cut.message(model));
        self.notes.extend(messages);
    }
}

fn missing(e: &EvalError) -> String {
    match e.kind {
        EvalErrorKind::Interrupted => "interrupted; `events` looks again".into(),
        _ => format!("steps may be missing: {}", e.message),
    }
}

impl Session {
    /// The steps of an event with these arguments: values, or expressions; `x = value` stands for the parameter of that
    /// name.
    ///
    /// # Errors
    /// An argument has no value, or there is no such step.
    pub fn steps_of(
        &mut self,
        name: &str,
        given: Option<&str>,
        interrupt: &AtomicBool,
    ) -> Result<Choices, String> {
        let id = self.event(name).ok_or_else(|| format!("{} has no event `{name}`", self.model.name))?;
        let (Some(constants), Some(state)) = (self.constants.clone(), self.state().cloned()) else {
            return Err("there is no state yet: choose a number".into());
        };
        let wanted = match given {
            Some(given) => self.arguments(id, given, interrupt)?,
            None => vec![None; self.model.events[id.index()].parameters.len()],
        };
        let cuts = Cuts::default();
        let mut found = Choices::default();
        let most = self.most;
        let whole: Option<Vec<Value>> = wanted.iter().cloned().collect();
        let done = match &whole {
            Some(parameters) => {
                let eval = self.evaluator(interrupt, &cuts);
                eval.each_edge_with(id, parameters, &constants, &state, &mut |edge| {
                    let choice = Choice::Edge(edge);
                    if !found.list.contains(&choice) {
                        found.list.push(choice);
                    }
                    if found.list.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                })
            }
            None => {
                let eval = self.evaluator(interrupt, &cuts);
                let fits = |edge: &Edge| {
                    let pairs = wanted.iter().zip(&edge.execution.parameters);
                    pairs
                        .into_iter()
                        .all(|(wanted, value)| wanted.as_ref().is_none_or(|wanted| wanted == value))
                };
                eval.each_edge(Some(id), &constants, &state, &mut |edge| {
                    if fits(&edge) {
                        found.list.push(Choice::Edge(edge));
                    }
                    if found.list.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                })
            }
        };
        match done {
            Err(e) if found.list.is_empty() => Err(format!("{name}: {}", missing(&e))),
            _ if found.list.is_empty() => {
                let with = if given.is_some() { " with these arguments" } else { "" };
                Err(format!("{name} is not enabled{with}; `why {name}` says what keeps it off"))
            }
            _ => Ok(found),
        }
    }

    /// The values of arguments, in the order of the parameters; those that are not given are open.
    fn arguments(
        &mut self,
        event: EventId,
        text: &str,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Option<Value>>, String> {
        let event = &self.model.events[event.index()];
        let (name, count) = (event.name.clone(), event.parameters.len());
        let parameters: Vec<_> =
            event.parameters.iter().map(|l| self.model.locals[l.index()].clone()).collect();
        let mut values = vec![None; count];
        let given = arguments(text).ok_or_else(|| format!("the brackets of `{text}` do not match"))?;
        for (i, argument) in given.into_iter().map(str::trim).filter(|a| !a.is_empty()).enumerate() {
            let by_name = argument.split_once('=').and_then(|(left, right)| {
                let at = parameters.iter().position(|p| p.name == left.trim())?;
                Some((at, right.trim()))
            });
            let (at, argument) = by_name.unwrap_or((i, argument));
            let Some(parameter) = parameters.get(at) else {
                let takes = if count == 1 { "1 argument".into() } else { format!("{count} arguments") };
                return Err(format!("{name} takes {takes}"));
            };
            values[at] = Some(match parse_value(&self.model, &self.scope, &parameter.ty, argument) {
                Ok(value) => value,
                Err(_) => {
                    let place = self.place();
                    value_of(&mut self.named, &place, interrupt, &parameter.ty, argument)?
                }
            });
        }
        Ok(values)
    }
}

/// Returns whether the step of an edge does not reach a state.
pub fn goes_wrong(edge: &Edge) -> bool {
    !matches!(edge.outcome, Outcome::Reached { .. })
}
