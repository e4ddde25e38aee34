//! `bsym cbc`: constraint-based checks, of states and short runs that need not be reachable.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::bail;
use bsym_encodings::encoding::{self, Encoding};
use bsym_encodings::session::open::SolverChoice;
use bsym_engines::constraint::{Answered, Wanted, ask};
use bsym_engines::contestant::{Opener, opener};
use bsym_engines::options::Job;
use bsym_engines::paths::Start;
use bsym_language::load::{Surroundings, check_predicate_in};
use bsym_language::model::{EventId, Model};
use bsym_semantics::scope::{Scope, ScopeRequest};
use bsym_semantics::trace::Violation;
use bsym_semantics::verdict::{Counterexample, Reason};

use crate::answer::Answer;
use crate::answer::constraint::{
    ConstraintAnswer, ConstraintObject, ConstraintWord, FindingObject, FoundWord,
};
use crate::answer::not_checked::DroppedObject;
use crate::answer::property::event_name;
use crate::answer::scope::ScopeObject;
use crate::answer::statistics::TimeObject;
use crate::arguments::CbcArguments;
use crate::paint::Paint;
use crate::race::control::Control;
use crate::refusal::Refusal;
use crate::{input, output, solvers, traces};

/// A question with what is shown of it.
struct Question {
    wanted: Wanted,
    kind: ConstraintWord,
    about: Option<String>,
    /// The model, whose goal is the predicate of the question.
    model: Arc<Model>,
}

/// Runs the command.
pub fn run(arguments: &CbcArguments, control: &Control) -> anyhow::Result<Answer> {
    if let Some(path) = &arguments.trace {
        traces::Format::of(path)?;
        let inputs: [&Path; 1] = [&arguments.file];
        output::check_writable(path, "--trace", &inputs)?;
    }
    let (asked, solver) = solvers::choose_for_engines(arguments.solver.name.as_deref(), arguments.encoding)?;
    let mut model = input::machine(&arguments.file, &arguments.component, &arguments.output)?.model;
    let scope = input::scope(&model, &arguments.scope)?;
    let paint = Paint::stderr(arguments.output.color);
    let settings = input::fix_constants(&mut model, &arguments.scope.set, paint)?;
    let questions = questions(&model, arguments)?;
    let chosen = encoding::choose(asked, solver.is_some(), &model, &scope);
    let Some(open) = opener_for(chosen.encoding, solver.clone()) else { return Err(solvers::missing()) };
    // Where a question about sets of any size stays open, small sets may show something.
    let is_free =
        asked.is_none() && arguments.scope.scope.is_empty() && chosen.encoding == Encoding::Unbounded;
    let small = is_free.then(|| small_scope(&model, arguments)).flatten();
    let begun = ConstraintAnswer {
        format: "bsym-cbc",
        version: 1,
        machine: model.name.clone(),
        file: arguments.file.display().to_string(),
        scope: ScopeObject::new(&model, &scope, &settings),
        encoding: (&chosen).into(),
        constraints: questions.iter().map(|q| ConstraintObject::new(q.kind, q.about.clone())).collect(),
        not_checked: DroppedObject::all(&model),
        stats: TimeObject { seconds: 0.0 },
    };
    // The known part of the answer is printed if a solver does not stop when it is asked to.
    let known = Arc::new(Mutex::new(begun));
    let (stuck, clock) = (known.clone(), control.clone());
    control.set_fallback(move |reason| {
        let mut answer = stuck.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for constraint in answer.constraints.iter_mut().filter(|c| c.result == FoundWord::Unknown) {
            constraint.unknown(reason);
        }
        answer.stats.seconds = clock.seconds();
        Answer::Constraint(Box::new(answer))
    });
    let mut trace = arguments.trace.as_deref();
    for (i, question) in questions.iter().enumerate() {
        let begin = Instant::now();
        if arguments.output.verbose > 0 && !arguments.output.is_for_programs() {
            let about = question.about.as_deref().map(|about| format!(": {about}")).unwrap_or_default();
            output::note(&format!("{} of {}: {}{about}", i + 1, questions.len(), question.kind.word()));
        }
        let answered = answer(question, (&scope, &open), small.as_ref(), control, questions.len() - i);
        let mut answer = known.lock().unwrap_or_else(PoisonError::into_inner);
        let object = &mut answer.constraints[i];
        settle(question, &answered, control, object);
        object.seconds = begin.elapsed().as_secs_f64();
        if let Answered::Found(found) = &answered
            && let Some(path) = trace.take()
            && output::write(path, &traces::text(path, &question.model, &found.trace))
        {
            object.trace_file = Some(path.display().to_string());
        }
    }
    control.finish();
    let mut answer = known.lock().unwrap_or_else(PoisonError::into_inner).clone();
    answer.stats.seconds = control.seconds();
    Ok(Answer::Constraint(Box::new(answer)))
}

/// Makes sessions; `None` if there is no solver for the encoding.
fn opener_for(encoding: Encoding, solver: Option<SolverChoice>) -> Option<Opener> {
    let choice = match (encoding, solver) {
        (Encoding::Sat, None) => SolverChoice::Sat,
        (Encoding::Sat, Some(other)) => SolverChoice::SatOr(Box::new(other)),
        (Encoding::Unbounded, solver) => solver?,
    };
    Some(opener(choice))
}

/// ProB's scope, with a SAT solver.
fn small_scope(model: &Model, arguments: &CbcArguments) -> Option<(Scope, Opener)> {
    let request = ScopeRequest { prob: true, ..input::scope_request(&arguments.scope).ok()? };
    let scope = Scope::settle(model, &request).ok()?;
    let is_finite = encoding::infinite(model, &scope).is_empty();
    is_finite.then(|| Some((scope, opener_for(Encoding::Sat, None)?))).flatten()
}

/// Asks a question in the scope, and in the small one if it stays open. `left` questions share the time that is left.
fn answer(
    question: &Question,
    (scope, open): (&Scope, &Opener),
    small: Option<&(Scope, Opener)>,
    control: &Control,
    left: usize,
) -> Answered {
    let share = u32::try_from(left).unwrap_or(u32::MAX);
    let ask_in = |scope: &Scope, open: &Opener| {
        let budget = match control.budget.left() {
            Some(time) => control.budget.within(time / share),
            None => control.budget.clone(),
        };
        if budget.check().is_err() {
            return Answered::Unknown(control.stopped().unwrap_or(Reason::Interrupted));
        }
        let job = Job::new(question.model.clone(), scope.clone(), vec![], budget);
        ask(&job, &question.wanted, &mut |terms| open(terms))
            .unwrap_or_else(|e| Answered::Unknown(Reason::SolverFailed(e.to_string())))
    };
    let answered = ask_in(scope, open);
    match (&answered, small) {
        (Answered::Unknown(_), Some((scope, open))) if control.stopped().is_none() => {
            match ask_in(scope, open) {
                found @ Answered::Found(_) => found,
                _ => answered,
            }
        }
        _ => answered,
    }
}

/// Stores the answer to a question in its object.
fn settle(question: &Question, answered: &Answered, control: &Control, object: &mut ConstraintObject) {
    match answered {
        Answered::Found(found) => {
            let is_initial = match &question.wanted {
                Wanted::Sequence { start, .. } => *start == Start::Initial,
                Wanted::BreakingStep(event) => event.is_none(),
                Wanted::Deadlock { .. } | Wanted::Assertion(_) => false,
            };
            // What was asked for is no violation.
            let violations = found.violations.iter().filter(|v| **v != Violation::Goal).cloned().collect();
            let found = Counterexample { trace: found.trace.clone(), violations };
            object.result = FoundWord::Found;
            object.finding = Some(FindingObject::new(&question.model, &found, is_initial));
        }
        Answered::None(possible) => {
            object.result = FoundWord::None;
            object.possible = *possible;
        }
        Answered::Unknown(reason) => object.unknown(&control.stopped().unwrap_or_else(|| reason.clone())),
    }
}

/// The questions that the flags ask; all but those about sequences if there are none.
fn questions(model: &Model, arguments: &CbcArguments) -> anyhow::Result<Vec<Question>> {
    let plain = Arc::new(model.clone());
    let all = arguments.deadlock.is_none()
        && !arguments.assertions
        && arguments.invariant.is_none()
        && arguments.sequence.is_none();
    let mut questions = vec![];
    let events = 0..model.events.len() as u32;
    if all || arguments.invariant.is_some() {
        let named = arguments.invariant.as_deref().unwrap_or_default();
        let asked: Vec<Option<EventId>> = match named {
            "" => std::iter::once(None).chain(events.map(|i| Some(EventId(i)))).collect(),
            named => named
                .split([',', ';'])
                .map(|name| event(model, "--invariant", name))
                .collect::<Result<_, _>>()?,
        };
        if model.invariant.is_empty() && !all {
            bail!("--invariant: {} has no invariant", model.name);
        }
        for event in asked.into_iter().filter(|_| !model.invariant.is_empty()) {
            questions.push(Question {
                wanted: Wanted::BreakingStep(event),
                kind: ConstraintWord::Invariant,
                about: Some(event_name(model, event)),
                model: plain.clone(),
            });
        }
    }
    if arguments.assertions && model.assertions.is_empty() {
        bail!("--assertions: {} has no assertions", model.name);
    }
    if all || arguments.assertions {
        for (i, assertion) in model.assertions.iter().enumerate() {
            questions.push(Question {
                wanted: Wanted::Assertion(i),
                kind: ConstraintWord::Assertion,
                about: Some(assertion.label.clone().unwrap_or_else(|| assertion.text.clone())),
                model: plain.clone(),
            });
        }
    }
    if all || arguments.deadlock.is_some() {
        let pred = arguments.deadlock.as_deref().filter(|pred| !pred.is_empty());
        questions.push(Question {
            wanted: Wanted::Deadlock { in_goal: pred.is_some() },
            kind: ConstraintWord::Deadlock,
            about: pred.map(str::to_string),
            model: with_goal(&plain, "--deadlock", pred)?,
        });
    }
    if let Some(sequence) = &arguments.sequence {
        let names: Vec<&str> = sequence.split(';').map(str::trim).filter(|name| !name.is_empty()).collect();
        let events = names.iter().map(|name| {
            let event = event(model, "--sequence", name)?;
            event.ok_or_else(|| anyhow::anyhow!("--sequence: the initialisation comes first by itself"))
        });
        let start = if arguments.from_any_state { Start::Anywhere } else { Start::Initial };
        let to_goal = arguments.end.is_some();
        questions.push(Question {
            wanted: Wanted::Sequence { events: events.collect::<Result<_, _>>()?, start, to_goal },
            kind: ConstraintWord::Sequence,
            about: Some(names.join("; ")),
            model: with_goal(&plain, "--end", arguments.end.as_deref())?,
        });
    }
    Ok(questions)
}

/// The event of a name; `None` for the initialisation.
fn event(model: &Model, flag: &str, name: &str) -> anyhow::Result<Option<EventId>> {
    let name = name.trim();
    if let Some(i) = model.events.iter().position(|e| e.name == name) {
        return Ok(Some(EventId(i as u32)));
    }
    if name == event_name(model, None) {
        return Ok(None);
    }
    let names: Vec<&str> = model.events.iter().map(|e| e.name.as_str()).take(20).collect();
    bail!(
        Refusal::new(format!("{flag}: {} has no event `{name}`", model.name))
            .help(format!("the events are: {}", names.join(", ")))
    )
}

/// The model with this predicate as its goal.
fn with_goal(model: &Arc<Model>, flag: &str, pred: Option<&str>) -> anyhow::Result<Arc<Model>> {
    let Some(text) = pred else { return Ok(model.clone()) };
    let mut model = (**model).clone();
    match check_predicate_in(&mut model, text, Surroundings { bound: &[], old_values: false }) {
        Ok((pred, _)) => model.definitions.goal = Some(pred),
        Err(all) => {
            let Some(first) = all.first() else { bail!("{flag}: `{text}` is no predicate") };
            let column = text.get(..first.span.start as usize).map_or(0, |before| before.chars().count());
            let message = format!("{flag}: column {}: {}", column + 1, first.message);
            let refusal = Refusal::new(format!("{message}\n    {text}\n    {}^", " ".repeat(column)));
            return match &first.help {
                Some(help) => Err(refusal.help(help).into()),
                None => Err(refusal.into()),
            };
        }
    }
    Ok(Arc::new(model))
}
