//! Output of a session.

use std::fmt::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use bsym_language::model::{EventId, Model};
use bsym_language::print;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::trace::doubt;
use bsym_semantics::trace::{Step, Trace, Violation};
use bsym_semantics::transition::guards::{Guard, Judged};
use bsym_semantics::value::env::Env;

use super::choices::{Choice, Choices, goes_wrong};
use super::command::{Command, path_of};
use super::session::Session;
use crate::answer::folding::{Reading, has_sequences, readable};
use crate::answer::property::conjunct_name;
use crate::answer::trace::{
    StepObject, Style, ViolatedObject, call, constants, counted, write_changes, write_steps, write_violations,
};
use crate::commands::eval::{Stop, evaluate};
use crate::output;
use crate::paint::Paint;
use crate::tuning::tuning;

/// Result of carrying out a line.
pub type Outcome = Result<(), String>;

/// Style of the output.
#[derive(Clone, Copy)]
pub struct Screen {
    pub paint: Paint,
    /// `true` if long sets are not folded.
    pub whole: bool,
}

impl Screen {
    fn style(self) -> Style {
        Style::new(self.whole, self.paint)
    }

    fn reading(self, model: &Model) -> Reading {
        Reading { sequences: has_sequences(model), folded: !self.whole }
    }

    /// Carries out a command and prints its result.
    pub fn carry_out(self, command: &Command, session: &mut Session, interrupt: &AtomicBool) -> Outcome {
        match command {
            Command::Number(n) => {
                let position = n.checked_sub(1).ok_or("the steps are numbered from 1")?;
                session.take(position, interrupt)?;
                self.step(session, interrupt)
            }
            Command::Event(name, arguments) => self.take(session, name, arguments.as_deref(), interrupt),
            Command::Back(n) => self.jump(session, session.at.saturating_sub(*n), interrupt),
            Command::Forward(n) => {
                let at = session.at.saturating_add(*n).min(session.steps.len());
                if at == session.at {
                    return Err("the path ends here".into());
                }
                self.jump(session, at, interrupt)
            }
            Command::Goto(n) => self.jump(session, n.saturating_add(1), interrupt),
            Command::Restart => {
                session.begin(interrupt)?;
                self.here(session, interrupt)
            }
            Command::Eval(text) => self.eval(session, text, interrupt),
            Command::Find(text) => {
                let added = session.find(text, interrupt)?;
                if added == 0 {
                    output::result("it is so here\n");
                    return Ok(());
                }
                self.steps(session, session.at - added)?;
                self.below(session, interrupt)
            }
            Command::Random(n) => self.random(session, *n, interrupt),
            Command::Why(name) => self.why(session, name, interrupt),
            Command::State => self.state(session),
            Command::Trace => self.trace(session),
            Command::Events => {
                session.look(interrupt);
                self.choices(session, &session.choices);
                Ok(())
            }
            Command::Invariant => self.invariant(session, interrupt),
            Command::Save(path) => {
                session.save(path)?;
                output::result(&format!("the path was written to {}\n", path.display()));
                Ok(())
            }
            Command::Load(path) => {
                self.load(session, interrupt, path).and_then(|()| self.here(session, interrupt))
            }
            Command::Help => {
                output::result(&Command::help());
                Ok(())
            }
            Command::Quit => Ok(()),
        }
    }

    /// Loads a file, and prints how many of its steps were replayed.
    pub fn load(self, session: &mut Session, interrupt: &AtomicBool, path: &Path) -> Outcome {
        let loaded = session.load(&path_of(&path.to_string_lossy()), interrupt)?;
        let events = |n: usize| n.saturating_sub(1);
        let mut text =
            format!("replayed {} of {}\n", events(loaded.steps), counted(events(loaded.of), "event"));
        if let Some(why) = &loaded.why {
            text.push_str(&format!("  {}: {why}\n", self.paint.doubt("stopped")));
        }
        output::result(&text);
        Ok(())
    }

    fn take(
        self,
        session: &mut Session,
        name: &str,
        arguments: Option<&str>,
        interrupt: &AtomicBool,
    ) -> Outcome {
        let found = session.steps_of(name, arguments, interrupt)?;
        if found.list.len() > 1 {
            // Afterwards they can be chosen by number.
            session.choices = Choices { disabled: vec![], ..found };
            let text = format!(
                "{name} has {} such steps; choose a number, `events` lists all again:\n",
                session.choices.list.len()
            );
            output::result(&text);
            self.choices(session, &session.choices);
            return Ok(());
        }
        found.list.into_iter().for_each(|choice| session.go(choice));
        session.look(interrupt);
        self.step(session, interrupt)
    }

    fn jump(self, session: &mut Session, at: usize, interrupt: &AtomicBool) -> Outcome {
        session.jump(at, interrupt)?;
        self.here(session, interrupt)
    }

    /// Prints the current position with its whole state.
    pub fn here(self, session: &Session, interrupt: &AtomicBool) -> Outcome {
        let Some(trace) = session.trace().filter(|trace| !trace.steps.is_empty()) else {
            return self.below(session, interrupt);
        };
        let last = trace.steps.len() - 1;
        let step = &StepObject::all(
            &session.model,
            &Trace::new(trace.scope.clone(), trace.constants.clone(), trace.steps[last..].to_vec()),
        )[0];
        let mut out = self.head(last, step);
        if let Some(state) = &step.state {
            let _ = write_changes(&mut out, None, state, self.reading(&session.model));
        }
        output::result(&out);
        self.below(session, interrupt)
    }

    /// The step that was taken, with what it changed.
    fn step(self, session: &Session, interrupt: &AtomicBool) -> Outcome {
        if session.at == 0 {
            return self.below(session, interrupt);
        }
        self.steps(session, session.at - 1)?;
        self.below(session, interrupt)
    }

    /// The steps from one on, with what they changed.
    fn steps(self, session: &Session, from: usize) -> Outcome {
        let Some(trace) = session.trace() else { return Ok(()) };
        let steps = StepObject::all(&session.model, &trace);
        let mut out = String::new();
        for (i, step) in steps.iter().enumerate().skip(from) {
            out.push_str(&self.head(i, step));
            let before = i.checked_sub(1).and_then(|i| steps[i].state.as_ref());
            if let Some(state) = &step.state {
                let _ = write_changes(&mut out, before, state, self.reading(&session.model));
            }
        }
        output::result(&out);
        Ok(())
    }

    fn head(self, number: usize, step: &StepObject) -> String {
        format!("step {number}: {}\n", self.paint.strong(&call(step, self.style())))
    }

    /// Prints the violations at the current position, and the choices there.
    fn below(self, session: &Session, interrupt: &AtomicBool) -> Outcome {
        if session.at > 0 {
            output::result(&self.status(session, interrupt));
        }
        self.choices(session, &session.choices);
        Ok(())
    }

    /// Returns the text about violations at the current position, or that the invariant is true.
    fn status(self, session: &Session, interrupt: &AtomicBool) -> String {
        let model = &session.model;
        let mut out = String::new();
        match (session.violations(interrupt), session.trace()) {
            (Err(message), _) => {
                let _ = writeln!(out, "  invariant {}: {message}", self.paint.doubt("unknown"));
            }
            (Ok(found), Some(trace)) if !found.is_empty() => {
                let _ = write_violations(
                    &mut out,
                    &ViolatedObject::explained(model, &trace, &found),
                    self.style(),
                );
                if let Some(dropped) = doubt::doubt(model, &trace) {
                    let _ = writeln!(out, "  that shows no fault: {}", doubt::sentence(model, dropped));
                }
            }
            _ if model.invariant.is_empty() => {}
            _ => {
                let _ = writeln!(out, "  invariant {}", self.paint.good("true"));
            }
        }
        out
    }

    /// The numbered list.
    fn choices(self, session: &Session, choices: &Choices) {
        let model = &session.model;
        let mut out = String::new();
        let labels: Vec<String> = choices.list.iter().map(|choice| self.label(session, choice)).collect();
        let width = labels.len().to_string().len().max(2);
        for (i, (choice, label)) in choices.list.iter().zip(&labels).enumerate() {
            let _ = write!(out, "  {:>width$}  {label}", i + 1);
            // If the label does not tell them apart, the state is shown as well.
            let is_first = matches!(choice, Choice::Edge(edge) if edge.event.is_none());
            let is_alone = labels.iter().filter(|other| *other == label).count() == 1 && !is_first;
            if let (Choice::Edge(edge), false) = (choice, is_alone) {
                out.push_str(&self.target(session, edge));
            }
            if let Choice::Edge(edge) = choice
                && goes_wrong(edge)
                && let Some(violation) = Violation::of_step(&edge.outcome)
            {
                let what: Vec<_> =
                    ViolatedObject::of(model, &violation).into_iter().map(|v| v.text).collect();
                let _ = write!(out, "   {} {}", self.paint.bad("goes wrong:"), what.join(", "));
            }
            out.push('\n');
        }
        if choices.list.is_empty() && session.state().is_some() && choices.notes.is_empty() {
            let _ = writeln!(out, "  {}: no event is enabled", self.paint.doubt("deadlock"));
        }
        let name = |event: &EventId| model.events[event.index()].name.as_str();
        let disabled: Vec<&str> = choices.disabled.iter().take(tuning().listed.disabled).map(name).collect();
        if !disabled.is_empty() {
            let more = choices.disabled.len() - disabled.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let _ = writeln!(
                out,
                "  {}",
                self.paint.faint(&format!("not enabled: {}{more}", disabled.join(", ")))
            );
        }
        for note in &choices.notes {
            let _ = writeln!(out, "  {}: {note}", self.paint.doubt("note"));
        }
        output::result(&out);
    }

    fn label(self, session: &Session, choice: &Choice) -> String {
        let model = &session.model;
        match choice {
            Choice::Valuation(found) => {
                let trace = Trace::new(session.scope.clone(), found.clone(), vec![]);
                let values = constants(model, &trace);
                let reading = self.reading(model);
                let each =
                    values.iter().map(|(name, value)| format!("{name} = {}", readable(value, reading)));
                each.collect::<Vec<_>>().join(", ")
            }
            Choice::Edge(edge) => {
                let step = Step {
                    event: edge.event,
                    execution: edge.execution.clone(),
                    state: edge.state().cloned(),
                };
                self.label_of(session, step)
            }
        }
    }

    fn label_of(self, session: &Session, step: Step) -> String {
        let constants = session.constants.clone().unwrap_or_default();
        let trace = Trace::new(session.scope.clone(), constants, vec![step]);
        call(&StepObject::all(&session.model, &trace)[0], self.style())
    }

    /// Describes on one line the variables that a step changes.
    fn target(self, session: &Session, edge: &bsym_semantics::transition::Edge) -> String {
        let (Some(after), model) = (edge.state(), &session.model) else { return String::new() };
        let before = session.state();
        let eval = Evaluator::new(model, &session.scope);
        let changed =
            model.variables.iter().zip(after).enumerate().filter(|(i, (_, value))| {
                before.and_then(|state| state.get(*i)).is_none_or(|old| old != *value)
            });
        let reading = self.reading(model);
        let each =
            changed.map(|(_, (x, value))| format!("{} = {}", x.name, readable(&eval.text(value), reading)));
        let all: Vec<String> = each.collect();
        if all.is_empty() { "   (nothing changes)".into() } else { format!("   {}", all.join(", ")) }
    }

    fn eval(self, session: &mut Session, text: &str, interrupt: &AtomicBool) -> Outcome {
        let place = session.place();
        let stop = Stop { flag: interrupt, reason: &|| "stopped".into() };
        let found = evaluate(&mut session.named, &place, &stop, text);
        if found.exit == crate::exit::Exit::Done {
            let reading = self.reading(&session.model);
            let text = found.value.as_ref().map(|value| format!("{}\n", readable(value, reading)));
            output::result(&text.unwrap_or_else(|| found.text(self.paint)));
            return Ok(());
        }
        Err(found.message.clone().unwrap_or_default())
    }

    /// Takes random steps, as long as there is no violation.
    fn random(self, session: &mut Session, n: usize, interrupt: &AtomicBool) -> Outcome {
        let from = session.at;
        for i in 0..n {
            let enabled = &session.choices.list;
            if enabled.is_empty() {
                if i == 0 {
                    return Err("there is no step to take here".into());
                }
                break;
            }
            let chosen = session.throw(session.choices.list.len());
            session.take(chosen, interrupt)?;
            let wrong = session.violations(interrupt).map_or(true, |found| !found.is_empty());
            if wrong || interrupt.load(std::sync::atomic::Ordering::Relaxed) {
                break;
            }
        }
        self.steps(session, from)?;
        self.below(session, interrupt)
    }

    /// Prints why an event is disabled.
    fn why(self, session: &Session, name: &str, interrupt: &AtomicBool) -> Outcome {
        let model = &session.model;
        let event = session.event(name).ok_or_else(|| format!("{} has no event `{name}`", model.name))?;
        let (Some(constants), Some(state)) = (&session.constants, session.state()) else {
            return Err("there is no state yet: choose a number".into());
        };
        let guard = Guard::of(&model.events[event.index()]);
        let eval = Evaluator::new(model, &session.scope).with_interrupt(interrupt);
        let mut out = String::new();
        match guard.judge(&eval, constants, state) {
            Judged::True => {
                let _ = writeln!(out, "the guard of {name} is true");
            }
            Judged::Undecided => {
                let _ = writeln!(out, "the guard of {name} could not be evaluated in order");
            }
            Judged::FalseAt(i) => {
                let conjunct = &guard.conjuncts[i];
                let _ = writeln!(
                    out,
                    "{name} is disabled by {}",
                    self.paint.strong(&print::shown_pred(model, conjunct))
                );
                let found = eval.explain(&Env::new(constants, state), conjunct);
                let reading = self.reading(model);
                for (expression, value) in &found.values {
                    let _ = writeln!(out, "    {expression} = {}", readable(value, reading));
                }
                for elements in &found.elements {
                    let _ = writeln!(out, "    {}: {}", elements.what, readable(&elements.set, reading));
                }
                if i > 0 && found.is_empty() {
                    let _ =
                        writeln!(out, "    no values of its parameters satisfy this and what is before it");
                }
            }
        }
        output::result(&out);
        Ok(())
    }

    fn state(self, session: &Session) -> Outcome {
        let Some(trace) = session.trace() else {
            return Err("there is no state yet: choose a number".into());
        };
        let (model, mut out) = (&session.model, String::new());
        let reading = self.reading(model);
        for (name, value) in constants(model, &trace).iter() {
            let _ = writeln!(out, "  {name} = {}", readable(value, reading));
        }
        let steps = StepObject::all(model, &trace);
        for (name, value) in
            steps.last().and_then(|step| step.state.as_ref()).iter().flat_map(|state| state.iter())
        {
            let _ = writeln!(out, "  {name} = {}", readable(value, reading));
        }
        output::result(&out);
        Ok(())
    }

    fn trace(self, session: &Session) -> Outcome {
        let Some(constants_of) = session.constants.clone() else { return Err("there is no path yet".into()) };
        let whole = Trace::new(session.scope.clone(), constants_of, session.steps.clone());
        let mut out = String::new();
        let steps = StepObject::all(&session.model, &whole);
        let _ = write_steps(&mut out, &constants(&session.model, &whole), &steps, self.style());
        if session.at < steps.len() {
            let _ = writeln!(out, "  one is at step {}", session.at.saturating_sub(1));
        }
        output::result(&out);
        Ok(())
    }

    /// Each conjunct with its truth value.
    fn invariant(self, session: &Session, interrupt: &AtomicBool) -> Outcome {
        let (Some(constants), Some(state)) = (&session.constants, session.state()) else {
            return Err("there is no state here".into());
        };
        let model = &session.model;
        let eval = Evaluator::new(model, &session.scope).with_interrupt(interrupt);
        let env = Env::new(constants, state);
        let mut out = String::new();
        for conjunct in &model.invariant {
            let (truth, why) = match eval.pred(&env, &conjunct.pred) {
                Ok(true) => (self.paint.good("true "), None),
                Ok(false) => (self.paint.bad("false"), None),
                Err(e) => (self.paint.doubt("?    "), Some(e.message)),
            };
            let why = why.map(|why| format!("   {why}")).unwrap_or_default();
            let label =
                conjunct.label.as_ref().map(|_| format!("{}: ", conjunct_name(conjunct))).unwrap_or_default();
            let _ = writeln!(out, "  {truth}  {label}{}{why}", conjunct.text);
        }
        output::result(&out);
        Ok(())
    }
}
