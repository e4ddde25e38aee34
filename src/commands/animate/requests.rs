//! A session for programs: each line of standard input asks about a state, and gets one line as its answer.
//!
//! A question has all that it needs. So no path is kept between the lines, and a lost process loses nothing.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use bsym_language::model::Variable;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::Step;
use bsym_semantics::transition::state::State;
use bsym_semantics::value::Value;
use bsym_semantics::value::parse::parse_value;
use serde::Deserialize;

use super::choices::{Choice, Choices};
use super::session::Session;
use crate::answer::Answer;
use crate::answer::choices::ChoicesObject;
use crate::answer::refused::Refused;
use crate::commands::eval::{Place, Stop, evaluate, value_of};
use crate::exit::Exit;
use crate::output;
use crate::tuning::tuning;

/// Values by name, as B text.
type Given = BTreeMap<String, String>;

/// A line.
#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase", deny_unknown_fields)]
enum Request {
    /// The valuations of the constants.
    Constants { most: Option<usize> },
    /// The steps out of a state; without one, the initialisation.
    Successors { constants: Given, state: Option<Given>, most: Option<usize> },
    /// The value of a formula in a state.
    Eval { constants: Given, state: Given, formula: String },
}

/// Work of a request, which computes until the flag is set.
type Work<'w> = &'w mut dyn FnMut(&AtomicBool);

/// Answers the lines, each run by `limited`, until `stopped`.
///
/// # Errors
/// Standard input cannot be read.
pub fn serve(
    session: &mut Session,
    stopped: &dyn Fn() -> bool,
    limited: &dyn Fn(Work<'_>),
) -> anyhow::Result<()> {
    for line in std::io::stdin().lock().lines() {
        let line = line.context("standard input cannot be read")?;
        if stopped() {
            break;
        }
        if line.trim().is_empty() {
            continue;
        }
        limited(&mut |interrupt| match answer(session, &line, interrupt) {
            Ok(Answered::Choices(choices)) => output::json_line(&choices),
            Ok(Answered::Other(answer)) => output::json_line(&answer),
            Err(message) => output::json_line(&Answer::Refused(Refused::new(message, Exit::Refused))),
        });
    }
    Ok(())
}

enum Answered {
    Choices(Box<ChoicesObject>),
    Other(Box<Answer>),
}

fn answer(session: &mut Session, line: &str, interrupt: &AtomicBool) -> Result<Answered, String> {
    let request: Request =
        serde_json::from_str(line).map_err(|error| format!("the request is not understood: {error}"))?;
    session.constants = None;
    session.steps.clear();
    session.repeats.clear();
    session.at = 0;
    match request {
        Request::Constants { most } => {
            session.most = most.unwrap_or(tuning().sessions.requested_steps);
            Ok(choices(session, interrupt))
        }
        Request::Successors { constants, state, most } => {
            session.most = most.unwrap_or(tuning().sessions.requested_steps);
            go_to(session, &constants, state.as_ref(), interrupt)?;
            Ok(choices(session, interrupt))
        }
        Request::Eval { constants, state, formula } => {
            go_to(session, &constants, Some(&state), interrupt)?;
            let place = session.place();
            let stop = Stop { flag: interrupt, reason: &|| "stopped".into() };
            let found = evaluate(&mut session.named, &place, &stop, &formula);
            Ok(Answered::Other(Box::new(Answer::Evaluation(found))))
        }
    }
}

/// Moves the session to a state, or to the position before the initialisation.
fn go_to(
    session: &mut Session,
    constants: &Given,
    state: Option<&Given>,
    interrupt: &AtomicBool,
) -> Result<(), String> {
    let declared = session.model.constants.clone();
    session.constants = Some(values(session, &declared, constants, interrupt)?);
    if let Some(state) = state {
        let declared = session.model.variables.clone();
        let state: State = values(session, &declared, state, interrupt)?;
        session.push(Step { event: None, state: Some(state), execution: Default::default() });
    }
    Ok(())
}

/// The values of these names: as they are printed, or other expressions.
fn values(
    session: &mut Session,
    declared: &[Variable],
    given: &Given,
    interrupt: &AtomicBool,
) -> Result<Vec<Value>, String> {
    if let Some(name) = given.keys().find(|name| !declared.iter().any(|one| one.name == **name)) {
        return Err(format!("{} has no `{name}` here", session.model.name));
    }
    let place =
        Place { scope: session.scope.clone(), constants: Default::default(), state: Default::default() };
    let mut value = |one: &Variable| {
        let text = given.get(&one.name).ok_or_else(|| format!("there is no value for `{}`", one.name))?;
        match parse_value(&session.model, &session.scope, &one.ty, text) {
            Ok(value) => Ok(value),
            Err(_) => value_of(&mut session.named, &place, interrupt, &one.ty, text),
        }
    };
    declared.iter().map(&mut value).collect()
}

/// Returns the choices at the current position.
fn choices(session: &mut Session, interrupt: &AtomicBool) -> Answered {
    let found = Choices::of(session, interrupt);
    let (model, scope): (_, &Scope) = (&session.model, &session.scope);
    let mut object = ChoicesObject::new(model, &found.disabled, found.notes);
    let path = session.trace();
    for choice in found.list {
        match (choice, &path) {
            (Choice::Valuation(constants), _) => object.valuation(model, scope, constants),
            (Choice::Edge(edge), Some(path)) => object.edge(model, path, edge),
            (Choice::Edge(_), None) => unreachable!("there are no steps before the constants have values"),
        }
    }
    Answered::Choices(Box::new(object))
}
