//! Traces and what is wrong at their ends.

use std::fmt::{Result, Write};

use bsym_engines::explain::reads_along;
use bsym_engines::verdict::CounterexampleToInduction;
use bsym_language::int::Int;
use bsym_language::model::{Conjunct, LocalId, Model, Notation, Pred};
use bsym_language::print;
use bsym_language::source::Span;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::bounds::maxint_without;
use bsym_semantics::trace::{Trace, Violation};
use bsym_semantics::value::Value;
use bsym_semantics::value::text::value_text;
use schemars::JsonSchema;
use serde::Serialize;

use super::diagnostic::{RegionObject, end, location, place};
use super::explanation::ExplanationObject;
use super::folding::{Reading, change, has_sequences, readable};
use super::named::Values;
use super::property::{PropertyKind, event_name};
use crate::paint::Paint;
use crate::tuning::tuning;

/// A trace and what is wrong at its end.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct CounterexampleObject {
    pub property: PropertyKind,
    pub violated: Vec<ViolatedObject>,
    pub constants: Values,
    pub trace: Vec<StepObject>,
}

/// One step of a trace; the first is INITIALISATION.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct StepObject {
    pub event: String,
    pub parameters: Values,
    pub results: Values,
    /// Missing where the step fails before it reaches a state.
    pub state: Option<Values>,
    /// Where the event is written.
    pub place: Option<RegionObject>,
    /// Rounds of a cycle that are left out before this step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated: Option<RepeatedObject>,
    /// The notation has sequences.
    #[serde(skip)]
    pub sequences: bool,
}

/// Rounds of a cycle that are left out.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct RepeatedObject {
    /// Number of steps before that are repeated.
    pub steps: usize,
    /// How often, in decimal digits.
    #[schemars(with = "String")]
    pub rounds: Int,
}

impl RepeatedObject {
    /// Number of steps that are left out.
    fn all(&self) -> Int {
        &self.rounds * &Int::from(i64::try_from(self.steps).unwrap_or(i64::MAX))
    }

    fn text(&self) -> String {
        rounds_left_out(self.steps, &self.rounds.to_string())
    }
}

/// Says how often the last steps are repeated.
pub fn rounds_left_out(steps: usize, rounds: &str) -> String {
    let steps = match steps {
        1 => "the last step".to_string(),
        n => format!("the last {n} steps"),
    };
    format!("… {steps}, {rounds} more times …")
}

/// How traces are written.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub paint: Paint,
    /// Values are written whole.
    pub whole: bool,
}

impl Style {
    /// For an answer of which all is told with `verbose`.
    pub fn new(verbose: bool, paint: Paint) -> Style {
        Style { paint, whole: verbose }
    }

    /// How values are read.
    pub fn reading(self, sequences: bool) -> Reading {
        Reading { sequences, folded: !self.whole }
    }
}

/// Something that is violated.
#[derive(Serialize, JsonSchema, Clone, PartialEq, Eq, Debug)]
pub struct ViolatedObject {
    pub property: PropertyKind,
    /// Position of the conjunct or assertion.
    pub index: Option<usize>,
    pub label: Option<String>,
    pub text: String,
    pub message: Option<String>,
    /// The values that make it false.
    pub why: Option<ExplanationObject>,
    /// That it is violated only because `MAXINT` is small in this scope, and which one to try.
    pub only_in_scope: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    pub end_line: Option<u32>,
    /// Behind the last character.
    pub end_column: Option<u32>,
}

impl CounterexampleObject {
    /// A trace and its violations.
    pub fn new(model: &Model, trace: &Trace, violations: &[Violation]) -> CounterexampleObject {
        CounterexampleObject {
            property: violations.first().map_or(PropertyKind::Invariant, PropertyKind::from),
            violated: ViolatedObject::explained(model, trace, violations),
            constants: constants(model, trace),
            trace: StepObject::all(model, trace),
        }
    }

    /// Number of events.
    pub fn events(&self) -> Int {
        last_number(&self.trace)
    }

    /// The steps, then what is wrong.
    pub fn write(&self, out: &mut String, style: Style) -> Result {
        write_steps(out, &self.constants, &self.trace, style)?;
        writeln!(out)?;
        write_violations(out, &self.violated, style)
    }
}

/// A path from some state to a violation. It is no counterexample: the state need not be reachable.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct CounterexampleToInductionObject {
    pub violated: Vec<ViolatedObject>,
    pub constants: Values,
    /// The first step is none: it has only the state that the path starts in.
    pub trace: Vec<StepObject>,
    /// No trace with up to this many events reaches the first state; missing where nothing is known.
    pub not_reached_within: Option<usize>,
    /// The variables that what is violated depends on, by the events of the path.
    pub variables: Vec<String>,
}

impl CounterexampleToInductionObject {
    /// A path that was replayed.
    pub fn new(model: &Model, found: &CounterexampleToInduction) -> Self {
        let mut trace = StepObject::all(model, &found.trace);
        if let Some(first) = trace.first_mut() {
            *first = first.only_state();
        }
        CounterexampleToInductionObject {
            violated: ViolatedObject::explained(model, &found.trace, &found.violations),
            constants: constants(model, &found.trace),
            trace,
            not_reached_within: found.not_reached_within,
            variables: slice(model, found),
        }
    }

    /// The steps, of the states only the variables that matter, and the number of the others.
    fn sliced(&self) -> (Vec<StepObject>, usize) {
        let is_read = |name: &str| self.variables.iter().any(|v| v == name);
        let mut steps = self.trace.clone();
        for step in &mut steps {
            step.state = step.state.take().map(|state| {
                let some = state.iter().filter(|(name, _)| is_read(name));
                some.map(|(name, value)| (name.to_string(), value.clone())).collect()
            });
        }
        let all = self.trace.iter().find_map(|step| step.state.as_ref()).map_or(0, |s| s.iter().count());
        (steps, all.saturating_sub(self.variables.len()))
    }

    /// What it is, the steps, then what is wrong.
    pub fn write(&self, out: &mut String, style: Style) -> Result {
        writeln!(
            out,
            "\nthe invariant is not inductive; k-induction stopped at this path, which is no counterexample:"
        )?;
        match self.not_reached_within {
            Some(n) => writeln!(
                out,
                "its first state is not reached within {}, and need not be reachable at all",
                events(n)
            )?,
            None => writeln!(out, "its first state need not be reachable")?,
        }
        writeln!(out)?;
        let (steps, hidden) = self.sliced();
        if style.whole || hidden == 0 {
            write_ends(out, &self.constants, &self.trace, style)?;
        } else {
            write_ends(out, &self.constants, &steps, style)?;
            let others =
                format!("(left out: {}, not read on this path; -v writes all)", counted(hidden, "variable"));
            writeln!(out, "       {}", style.paint.faint(&others))?;
        }
        writeln!(out)?;
        write_violations(out, &self.violated, style)
    }
}

/// The variables that the violations at the end of a path depend on; all of them where that is not known.
fn slice(model: &Model, found: &CounterexampleToInduction) -> Vec<String> {
    let conjuncts = |of: &[Conjunct], which: &[usize]| -> Vec<Pred> {
        which.iter().filter_map(|&i| of.get(i)).map(|c| c.pred.clone()).collect()
    };
    let preds = found.violations.iter().map(|v| match v {
        Violation::Invariant(which) => Some(conjuncts(&model.invariant, which)),
        Violation::Assertions(which) => Some(conjuncts(&model.assertions, which)),
        _ => None,
    });
    let name = |v: usize| model.variables[v].name.clone();
    match preds.collect::<Option<Vec<_>>>() {
        Some(preds) => {
            let events = found.trace.steps.iter().rev().filter_map(|step| step.event);
            let read = reads_along(model, preds.iter().flatten(), events).0;
            read.iter().map(|v| name(v.index())).collect()
        }
        None => (0..model.variables.len()).map(name).collect(),
    }
}

/// Values by name.
pub fn values<'a>(
    model: &Model,
    scope: &Scope,
    names: impl Iterator<Item = &'a str>,
    values: &[Value],
) -> Values {
    names.zip(values).map(|(n, v)| (n.to_string(), value_text(model, scope, v))).collect()
}

/// The constants of a trace.
pub fn constants(model: &Model, trace: &Trace) -> Values {
    values(model, &trace.scope, model.constants.iter().map(|c| c.name.as_str()), &trace.constants)
}

impl StepObject {
    /// No step, but the state that it leads to.
    pub fn only_state(&self) -> StepObject {
        StepObject {
            event: "(some state)".into(),
            parameters: Values::default(),
            results: Values::default(),
            state: self.state.clone(),
            place: None,
            repeated: None,
            sequences: self.sequences,
        }
    }

    /// The steps of a trace.
    pub fn all(model: &Model, trace: &Trace) -> Vec<StepObject> {
        let scope = &trace.scope;
        let locals = |ids: &[LocalId], of: &[Value]| {
            let names = ids.iter().map(|l| model.locals.get(l.index()).map_or("?", |v| v.name.as_str()));
            values(model, scope, names, of)
        };
        let variables = || model.variables.iter().map(|v| v.name.as_str());
        let step = |(i, step): (usize, &bsym_semantics::trace::Step)| {
            let repeat = trace.repeats.iter().find(|repeat| repeat.before == i);
            let event = step.event.and_then(|e| model.events.get(e.index()));
            let span = event.map_or(model.initialisation.span, |e| e.span);
            StepObject {
                event: event_name(model, step.event),
                parameters: locals(event.map_or(&[][..], |e| &e.parameters), &step.execution.parameters),
                results: locals(event.map_or(&[][..], |e| &e.results), &step.execution.results),
                state: step.state.as_ref().map(|s| values(model, scope, variables(), s)),
                place: RegionObject::new(&model.text.sources, span),
                repeated: repeat.map(|r| RepeatedObject { steps: r.length, rounds: r.rounds.clone() }),
                sequences: has_sequences(model),
            }
        };
        trace.steps.iter().enumerate().map(step).collect()
    }
}

impl ViolatedObject {
    /// Something that has no place in the model.
    pub fn without_place(property: PropertyKind, text: String) -> ViolatedObject {
        let (index, label, message, why, only_in_scope) = (None, None, None, None, None);
        let (file, line, column, end_line, end_column) = (None, None, None, None, None);
        ViolatedObject {
            property,
            index,
            label,
            text,
            message,
            why,
            only_in_scope,
            file,
            line,
            column,
            end_line,
            end_column,
        }
    }

    /// The same with the values in the last state that make it so.
    pub fn explained(model: &Model, trace: &Trace, violations: &[Violation]) -> Vec<ViolatedObject> {
        let of = |violation| {
            let mut objects = ViolatedObject::of(model, violation);
            for (object, why) in objects.iter_mut().zip(ExplanationObject::of(model, trace, violation)) {
                object.why = why;
            }
            for (part, object) in objects.iter_mut().enumerate() {
                let maxint = maxint_without(model, trace, violation, part);
                object.only_in_scope = maxint.map(|n| only_in_scope(object.property, &trace.scope, &n));
            }
            objects
        };
        violations.iter().flat_map(of).collect()
    }

    /// Everything that is wrong at the end of a trace.
    pub fn all(model: &Model, violations: &[Violation]) -> Vec<ViolatedObject> {
        violations.iter().flat_map(|v| ViolatedObject::of(model, v)).collect()
    }

    /// Everything that one violation is about.
    pub fn of(model: &Model, violation: &Violation) -> Vec<ViolatedObject> {
        let property = PropertyKind::from(violation);
        let at = |span: Span, text: String, message: Option<String>| {
            let (file, line, column) = place(&model.text.sources, span);
            let (end_line, end_column) = end(&model.text.sources, span);
            let nowhere = ViolatedObject::without_place(property, text);
            ViolatedObject { message, file, line, column, end_line, end_column, ..nowhere }
        };
        let conjuncts = |all: &[Conjunct], which: &[usize]| -> Vec<ViolatedObject> {
            let found = which.iter().filter_map(|&i| all.get(i).map(|c| (i, c)));
            let object = |(i, c): (usize, &Conjunct)| ViolatedObject {
                index: Some(i),
                label: c.label.clone(),
                ..at(c.span, c.text.clone(), None)
            };
            found.map(object).collect()
        };
        let source = |span| print::at(model, span);
        match violation {
            Violation::Invariant(which) => conjuncts(&model.invariant, which),
            Violation::Assertions(which) => conjuncts(&model.assertions, which),
            Violation::Deadlock => {
                vec![ViolatedObject::without_place(property, "no event is enabled".into())]
            }
            Violation::Goal => {
                let span = model.definitions.goal.as_ref().map(|g| g.span).unwrap_or_default();
                vec![at(span, source(span), Some("the goal is reached".into()))]
            }
            Violation::IllDefined(error) => {
                vec![at(error.span, source(error.span), Some(error.message.clone()))]
            }
            Violation::Assert(span) => {
                let message = match model.text.notation {
                    Notation::ClassicalB => "the assertion is false",
                    Notation::EventB => "the theorem is false where the guards hold",
                };
                vec![at(*span, source(*span), Some(message.into()))]
            }
            Violation::Refinement(id) => {
                let Some(check) = model.refinement.checks.get(id.index()) else { return vec![] };
                let object = at(check.span, check.text.clone(), Some(check.message(model)));
                vec![ViolatedObject { label: check.label.clone(), ..object }]
            }
            Violation::Precondition(span) => {
                vec![at(*span, source(*span), Some("the precondition is false".into()))]
            }
        }
    }
}

/// That something is violated only because of the bounds of the integers, and which `MAXINT` to try.
pub fn only_in_scope(property: PropertyKind, scope: &Scope, maxint: &Int) -> String {
    use PropertyKind::{Assert, Assertions, Invariant, Precondition};
    because_of_maxint(matches!(property, Invariant | Assertions | Assert | Precondition), scope, maxint)
}

/// The same of anything that is false, or else happens.
pub fn because_of_maxint(is_false: bool, scope: &Scope, maxint: &Int) -> String {
    let word = if is_false { "false" } else { "only" };
    format!("{word} because MAXINT is {}: try `--maxint {maxint}`", scope.maxint)
}

/// `1 event`, `2 events`.
pub fn events(n: usize) -> String {
    counted(n, "event")
}

/// The number of the last step of a trace.
fn last_number(trace: &[StepObject]) -> Int {
    let shown = Int::from(i64::try_from(trace.len().saturating_sub(1)).unwrap_or(i64::MAX));
    trace.iter().filter_map(|step| step.repeated.as_ref()).fold(shown, |sum, repeated| &sum + &repeated.all())
}

/// Returns the number of steps that the JSON of a trace leaves out before one of its steps.
pub fn left_out(step: &serde_json::Value) -> Option<Int> {
    let repeated = step.get("repeated")?;
    let rounds: Int = repeated["rounds"].as_str()?.parse().ok()?;
    Some(&rounds * &Int::from(repeated["steps"].as_i64()?))
}

/// Where a trace with so many events ends, which may be too many for a machine's number.
pub fn after_all(n: &Int) -> String {
    n.to_usize().map_or_else(|| format!("after {n} events"), after)
}

/// Returns a number with what it counts, in the singular or plural: `1 event`, `0 events`.
pub fn counted(n: impl std::fmt::Display, one: &str) -> String {
    let n = n.to_string();
    match (n.as_str(), one.strip_suffix('y')) {
        ("1", _) => format!("{n} {one}"),
        (_, Some(stem)) => format!("{n} {stem}ies"),
        (_, None) => format!("{n} {one}s"),
    }
}

/// Where a trace with so many events ends.
pub fn after(n: usize) -> String {
    if n == 0 { "in an initial state".into() } else { format!("after {}", events(n)) }
}

/// The steps with what changed. The first state is shown whole.
pub fn write_steps(out: &mut String, constants: &Values, trace: &[StepObject], style: Style) -> Result {
    write_steps_beside(out, constants, trace, &|_| vec![], style)
}

/// Writes the steps as [`write_steps`] does. Of a long path only both ends are written, unless all is told.
fn write_ends(out: &mut String, constants: &Values, trace: &[StepObject], style: Style) -> Result {
    let hidden = trace.len().saturating_sub(2 * tuning().listed.path_end);
    if style.whole || hidden < tuning().listed.path_hidden {
        return write_steps(out, constants, trace, style);
    }
    write_constants(out, constants, trace, style)?;
    let (first, last) =
        (&trace[..tuning().listed.path_end], &trace[trace.len() - tuning().listed.path_end..]);
    let width = (trace.len() - 1).to_string().len();
    let shown = Numbered { first: 0, width, before: None };
    let before = shown.write(out, first, &|_| vec![], style)?;
    writeln!(out, "  {:>width$}  … {hidden} steps … {}", "", style.paint.faint("(-v writes them)"))?;
    // What changes is told against the state that is written above.
    Numbered { first: trace.len() - tuning().listed.path_end, width, before }
        .write(out, last, &|_| vec![], style)
        .map(drop)
}

/// The same, with further lines after each step.
pub fn write_steps_beside(
    out: &mut String,
    constants: &Values,
    trace: &[StepObject],
    beside: &dyn Fn(usize) -> Vec<String>,
    style: Style,
) -> Result {
    write_constants(out, constants, trace, style)?;
    let width = last_number(trace).to_string().len();
    Numbered { first: 0, width, before: None }.write(out, trace, beside, style).map(drop)
}

fn write_constants(out: &mut String, constants: &Values, trace: &[StepObject], style: Style) -> Result {
    if constants.is_empty() {
        return Ok(());
    }
    writeln!(out, "  {}", style.paint.strong("constants"))?;
    let reading = style.reading(trace.first().is_some_and(|step| step.sequences));
    constants
        .iter()
        .try_for_each(|(name, value)| writeln!(out, "       {name} = {}", readable(value, reading)))
}

/// Steps of a trace that follow others.
struct Numbered<'a> {
    /// The number of the first of them.
    first: usize,
    /// Characters of the longest number.
    width: usize,
    /// The state that was written last.
    before: Option<&'a Values>,
}

impl<'a> Numbered<'a> {
    /// Writes the steps and returns the state that was written last.
    fn write(
        self,
        out: &mut String,
        steps: &'a [StepObject],
        beside: &dyn Fn(usize) -> Vec<String>,
        style: Style,
    ) -> std::result::Result<Option<&'a Values>, std::fmt::Error> {
        let Numbered { first, width, mut before } = self;
        let paint = style.paint;
        let mut left_out = Int::ZERO;
        for (i, step) in (first..).zip(steps) {
            if let Some(repeated) = &step.repeated {
                writeln!(out, "  {:>width$}  {}", "", paint.strong(&repeated.text()))?;
                left_out = &left_out + &repeated.all();
            }
            let number = (&Int::from(i as i64) + &left_out).to_string();
            writeln!(out, "  {number:>width$}  {}", paint.strong(&call(step, style)))?;
            let Some(state) = &step.state else {
                writeln!(out, "       (this step fails, see below)")?;
                continue;
            };
            write_changes(out, before, state, style.reading(step.sequences))?;
            for line in beside(i) {
                writeln!(out, "       {}", paint.faint(&line))?;
            }
            before = Some(state);
        }
        Ok(before)
    }
}

/// What a state has that the one before has not.
pub fn write_changes(out: &mut String, before: Option<&Values>, state: &Values, reading: Reading) -> Result {
    let mut is_same = !state.is_empty();
    for (name, value) in state.iter() {
        let old = before.and_then(|before| before.get(name));
        if old == Some(value) {
            continue;
        }
        is_same = false;
        match old.and_then(|old| change(old, value, reading)) {
            Some(change) => writeln!(out, "       {name}: {change}")?,
            None => writeln!(out, "       {name} = {}", readable(value, reading))?,
        }
    }
    if is_same { writeln!(out, "       (nothing changes)") } else { Ok(()) }
}

/// An event with its parameters and results.
pub fn call(step: &StepObject, style: Style) -> String {
    let reading = style.reading(step.sequences);
    let list = |values: &Values| {
        values.iter().map(|(n, v)| format!("{n} = {}", readable(v, reading))).collect::<Vec<_>>().join(", ")
    };
    let mut text = String::new();
    if !step.results.is_empty() {
        text = format!("{} <-- ", list(&step.results));
    }
    text.push_str(&step.event);
    if !step.parameters.is_empty() {
        text.push_str(&format!("({})", list(&step.parameters)));
    }
    text
}

/// What is wrong, each on a line with its place.
pub fn write_violations(out: &mut String, violated: &[ViolatedObject], style: Style) -> Result {
    let paint = style.paint;
    for v in violated {
        write!(out, "  {}: ", paint.bad(v.property.violation()))?;
        if let Some(label) = &v.label {
            write!(out, "{label}: ")?;
        }
        write!(out, "{}", v.text)?;
        if let Some(at) = location(&v.file, v.line) {
            write!(out, "   {}", paint.faint(&at))?;
        }
        writeln!(out)?;
        if let Some(message) = &v.message {
            writeln!(out, "    {message}")?;
        }
        if let Some(why) = &v.why {
            why.write(out, !style.whole)?;
        }
        if let Some(only) = &v.only_in_scope {
            writeln!(out, "    {}", paint.doubt(only))?;
        }
    }
    Ok(())
}
