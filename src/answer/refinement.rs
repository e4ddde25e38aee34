//! The answer of `refine`: whether a refinement does what its abstractions can do.

use std::fmt::{Result, Write};

use bsym_explore::refinement::{RefinementReport, Unmatched, UnmatchedStep, WeakGluing};
use bsym_language::model::{EventId, LevelPart, LocalId, Model, SideBySide};
use bsym_semantics::refinement::FalseGluing;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::Trace;
use bsym_semantics::transition::state::State;
use bsym_semantics::value::Value;
use bsym_semantics::verdict::{Reason, ReasonCode, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use super::against::BaselineObject;
use super::diagnostic::{location, place};
use super::explanation::ExplanationObject;
use super::named::Values;
use super::not_checked::{self, DroppedObject};
use super::proof::{CheckedObject, EvidenceKind, ProofObject};
use super::property::{AxiomObject, PropertyKind, event_name};
use super::reason_schema::ReasonSchema;
use super::scope::ScopeObject;
use super::statistics::{constant_names, left_open_text, seconds};
use super::trace::{CounterexampleObject, ViolatedObject, counted};
use super::trace::{StepObject, Style, constants, values, write_steps_beside, write_violations};
use super::verdict_word::VerdictWord;
use super::words::words;
use crate::exit::Exit;
use crate::paint::Paint;
use crate::tuning::tuning;

/// The word for the search of the explicit states.
const EXPLICIT: &str = "refine";

words! {
    /// What of a refinement is not matched.
    UnmatchedWord {
        /// No abstract initial state is related to the one of the refinement.
        Initialisation = "initialisation",
        /// No abstract step with the same results reaches a related state.
        Step = "step",
        /// The refinement does not allow a call that the abstraction allows.
        Precondition = "precondition",
        /// The operation or initialisation aborts where the abstraction allows it and cannot abort.
        Abort = "abort",
    }
}

/// What bsym refine prints with --json
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct RefinementAnswer {
    #[schemars(extend("const" = "bsym-refine"))]
    pub format: &'static str,
    #[schemars(extend("const" = 1))]
    pub version: u32,
    pub machine: String,
    pub file: String,
    #[serde(flatten)]
    pub found: RefinementObject,
    /// The proof for every size of the sets, or why there is none; missing where none was tried.
    pub simulation: Option<SimulationObject>,
    pub trace_file: Option<String>,
    /// Axioms that contradict each other.
    pub core: Vec<AxiomObject>,
    /// Parts of the machine that are in no check.
    pub not_checked: Vec<DroppedObject>,
    /// The answer was given before and kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached: Option<bool>,
    /// What a baseline knows of this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineObject>,
}

/// An attempt to prove a refinement for every size of the sets that the scope leaves open.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct SimulationObject {
    pub scope: ScopeObject,
    /// The engine that found the proof.
    pub engine: Option<String>,
    pub proof: Option<SimulationProofObject>,
    /// Why there is none.
    pub message: Option<String>,
    pub seconds: f64,
}

/// A proof, checked in a fresh solver.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct SimulationProofObject {
    pub kind: EvidenceKind,
    /// B predicates about the variables of all levels.
    pub invariant: Vec<String>,
    pub checked: Option<CheckedObject>,
}

impl From<ProofObject> for SimulationProofObject {
    fn from(proof: ProofObject) -> SimulationProofObject {
        let ProofObject { kind, invariant, checked, .. } = proof;
        SimulationProofObject { kind, invariant, checked }
    }
}

impl SimulationObject {
    fn write(&self, out: &mut String) -> Result {
        let (Some(proof), Some(engine)) = (&self.proof, &self.engine) else {
            let why = self.message.as_deref().unwrap_or("it was not tried");
            return writeln!(out, "  not proved for {}: {why}", self.scope.text());
        };
        writeln!(out, "  proved for {}  [{engine}, {:.2} s]", self.scope.text(), self.seconds)?;
        if proof.invariant.is_empty() {
            return Ok(());
        }
        writeln!(out, "\ninvariant of all levels")?;
        for (i, line) in proof.invariant.iter().enumerate() {
            writeln!(out, "  {} {line}", if i == 0 { " " } else { "&" })?;
        }
        Ok(())
    }
}

/// A refinement compared with its abstractions.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct RefinementObject {
    /// The abstractions, nearest first.
    pub refines: Vec<String>,
    pub scope: ScopeObject,
    pub verdict: VerdictWord,
    /// The engine that decides: `refine` is the search of the explicit states; missing where none does.
    pub engine: Option<String>,
    #[schemars(with = "Option<ReasonSchema>")]
    pub reason: Option<ReasonCode>,
    /// The reason in a sentence.
    pub message: Option<String>,
    /// Why it is not proved for the sizes of sets that the scope of the whole answer leaves open.
    pub not_proved: Option<String>,
    /// A search of a smaller scope, where the one that was asked about is not decided.
    pub smaller: Option<SmallerObject>,
    pub counterexample: Option<UnmatchedObject>,
    /// Obligations that the gluing invariant is too weak for, though every step is matched: one for each operation.
    pub weak: Vec<WeakObject>,
    pub stats: RefinementStats,
}

/// A search of a scope that is smaller than the one that was asked about.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct SmallerObject {
    pub scope: ScopeObject,
    pub verdict: VerdictWord,
}

/// What was looked at.
#[derive(Serialize, JsonSchema, Clone, Debug, Default)]
pub struct RefinementStats {
    /// States of the refinement, each with the abstract states related to it.
    pub states: u64,
    /// Steps of the refinement that were compared.
    pub steps: u64,
    pub abstract_states: u64,
    /// Constants that nothing reads, of which the search took one value for all.
    pub left_open: Vec<String>,
    pub seconds: f64,
}

/// A step that no abstraction matches.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct UnmatchedObject {
    pub kind: UnmatchedWord,
    pub event: String,
    /// The arguments of a call that is not allowed.
    pub parameters: Values,
    pub message: String,
    /// Conjuncts that exclude every abstract step with the same results.
    pub gluing: Vec<GluingObject>,
    /// What makes the last step abort.
    pub aborts: Vec<ViolatedObject>,
    /// That it is a violation only because `MAXINT` is small in this scope, and which one to try.
    pub only_in_scope: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub constants: Values,
    /// The refinement's steps; the one that is not matched is the last, where it is one.
    pub trace: Vec<StepObject>,
    /// The abstract states related to each state of the trace, without those of a step that is not matched.
    pub related: Vec<Vec<Values>>,
    /// What the abstraction could have done with the same arguments.
    pub instead: Vec<InsteadObject>,
}

/// A conjunct of the gluing invariant that is false of what the abstraction could have done.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct GluingObject {
    pub text: String,
    /// The values that make it false, where one abstract state is the only one or the nearest.
    pub why: Option<ExplanationObject>,
    pub file: Option<String>,
    pub line: Option<u32>,
}

/// A step of the abstraction.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct InsteadObject {
    pub results: Values,
    pub state: Values,
}

/// An obligation that is open although nothing was found to be wrong.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct WeakObject {
    pub event: String,
    pub parameters: Values,
    pub results: Values,
    pub before: Values,
    pub after: Values,
    /// Related to the state before, and without a follower.
    pub abstract_state: Values,
}

/// What values are told in.
pub struct Words<'a> {
    /// The refinement.
    pub model: &'a Model,
    /// All levels.
    pub parts: &'a SideBySide,
    /// The scope.
    pub scope: &'a Scope,
}

impl Words<'_> {
    fn locals(&self, locals: &[LocalId], of: &[Value]) -> Values {
        let names = locals.iter().map(|l| self.parts.model.locals[l.index()].name.as_str());
        values(self.model, self.scope, names, of)
    }

    fn parameters(&self, event: EventId, of: &[Value]) -> Values {
        self.locals(&self.parts.model.events[event.index()].parameters, of)
    }

    fn results(&self, event: EventId, of: &[Value]) -> Values {
        self.locals(&self.parts.model.events[event.index()].results, of)
    }

    fn concrete(&self, state: &[Value]) -> Values {
        values(self.model, self.scope, self.model.variables.iter().map(|v| v.name.as_str()), state)
    }

    fn abstracts(&self, state: &[Value]) -> Values {
        let first = self.model.variables.len();
        let names = self.parts.model.variables[first..].iter().map(|v| v.name.as_str());
        values(self.model, self.scope, names, state)
    }
}

impl UnmatchedObject {
    /// A trace that was replayed.
    pub fn new(words: &Words<'_>, found: &Unmatched) -> UnmatchedObject {
        let model = words.model;
        let nearest = &model.text.components[words.parts.levels[0].component.index()].name;
        let (kind, event, parameters, message) = match &found.step {
            UnmatchedStep::Initialisation => (
                UnmatchedWord::Initialisation,
                None,
                Values::default(),
                "no initial state of the abstraction is related to this one".to_owned(),
            ),
            UnmatchedStep::Step { event, parameters, .. } => (
                UnmatchedWord::Step,
                Some(*event),
                words.parameters(*event, parameters),
                format!(
                    "no step of {nearest} matches the last one: one with the same results to a related state"
                ),
            ),
            UnmatchedStep::Precondition { event, parameters } => (
                UnmatchedWord::Precondition,
                Some(*event),
                words.parameters(*event, parameters),
                format!("{nearest} allows this call, and the precondition of the refinement does not"),
            ),
            UnmatchedStep::Abort { event, parameters } => (
                UnmatchedWord::Abort,
                *event,
                event.map(|e| words.parameters(e, parameters)).unwrap_or_default(),
                match event {
                    Some(_) => format!("it aborts, and {nearest} allows this call and cannot abort"),
                    None => format!("it aborts, and that of {nearest} cannot abort"),
                },
            ),
        };
        let span = event.map_or(model.initialisation.span, |e| model.events[e.index()].span);
        let (file, line, _) = place(&model.text.sources, span);
        let aborts = ViolatedObject::explained(model, &found.trace, &found.violations);
        let only_in_scope = aborts.iter().find_map(|v| v.only_in_scope.clone());
        let gluing = found.gluing.iter().map(|f| GluingObject::new(words, &found.trace, f)).collect();
        let related = found.related.iter().map(|set| set.iter().map(|s| words.abstracts(s)).collect());
        let instead = found.instead.iter().map(|(results, state)| InsteadObject {
            results: event.map(|e| words.results(e, results)).unwrap_or_default(),
            state: words.abstracts(state),
        });
        UnmatchedObject {
            kind,
            event: event_name(model, event),
            parameters,
            message,
            gluing,
            aborts,
            only_in_scope,
            file,
            line,
            constants: constants(model, &found.trace),
            trace: StepObject::all(model, &found.trace),
            related: related.collect(),
            instead: instead.collect(),
        }
    }

    /// The same as a violation among others.
    pub fn as_violation(&self) -> CounterexampleObject {
        let named: Vec<&str> = self.gluing.iter().map(|g| g.text.as_str()).collect();
        let gluing =
            if named.is_empty() { String::new() } else { format!(": `{}` is false", named.join("`, `")) };
        let violated = ViolatedObject {
            message: Some(self.message.clone() + &gluing),
            only_in_scope: self.only_in_scope.clone(),
            file: self.file.clone(),
            line: self.line,
            ..ViolatedObject::without_place(PropertyKind::Refinement, self.event.clone())
        };
        CounterexampleObject {
            property: PropertyKind::Refinement,
            violated: vec![violated],
            constants: self.constants.clone(),
            trace: self.trace.clone(),
        }
    }

    /// The steps with the abstract states beside them, then what is wrong.
    pub fn write(&self, out: &mut String, style: Style) -> Result {
        let paint = style.paint;
        let beside = |i: usize| {
            let Some(states) = self.related.get(i) else { return vec![] };
            let mut lines: Vec<String> =
                states.iter().take(tuning().listed.abstract_states).map(listed).collect();
            if let [one] = &mut lines[..] {
                *one = format!("beside {one}");
            } else if let Some(first) = lines.first_mut() {
                *first = format!("beside one of {first}");
            }
            if states.len() > tuning().listed.abstract_states {
                lines.push(format!("and {} more", states.len() - tuning().listed.abstract_states));
            }
            lines
        };
        write_steps_beside(out, &self.constants, &self.trace, &beside, style)?;
        writeln!(out)?;
        let call = match self.kind {
            _ if self.parameters.is_empty() => self.event.clone(),
            UnmatchedWord::Precondition | UnmatchedWord::Abort => {
                format!("{}({})", self.event, listed(&self.parameters))
            }
            _ => self.event.clone(),
        };
        write!(out, "  {}: {call}", paint.bad("refinement fails"))?;
        if let Some(at) = location(&self.file, self.line) {
            write!(out, "   {}", paint.faint(&at))?;
        }
        writeln!(out, "\n    {}", self.message)?;
        for gluing in &self.gluing {
            let at = location(&gluing.file, gluing.line).map(|at| format!("   {at}")).unwrap_or_default();
            writeln!(out, "    false: {}{}", gluing.text, paint.faint(&at))?;
            if let Some(why) = &gluing.why {
                why.write(out, !style.whole)?;
            }
        }
        if !self.aborts.is_empty() {
            write_violations(out, &self.aborts, style)?;
        } else if let Some(only) = &self.only_in_scope {
            writeln!(out, "    {}", paint.doubt(only))?;
        }
        for (i, way) in self.instead.iter().take(tuning().listed.abstract_states).enumerate() {
            let head = if i == 0 { "the abstraction could have done:" } else { "or:" };
            let results = if way.results.is_empty() {
                String::new()
            } else {
                format!("{} with ", listed(&way.results))
            };
            writeln!(out, "    {head} {results}{}", listed(&way.state))?;
        }
        if self.instead.len() > tuning().listed.abstract_states {
            writeln!(out, "    and {} more", self.instead.len() - tuning().listed.abstract_states)?;
        }
        if self.instead.is_empty() && self.kind == UnmatchedWord::Step {
            writeln!(out, "    the abstraction can do nothing with these arguments")?;
        }
        Ok(())
    }
}

impl GluingObject {
    fn new(words: &Words<'_>, trace: &Trace, found: &FalseGluing) -> GluingObject {
        let joint = &words.parts.model;
        let conjunct = &joint.invariant[found.conjunct];
        let (file, line, _) = place(&joint.text.sources, conjunct.span);
        let constants = &trace.constants;
        let explained =
            |state: &State| ExplanationObject::of_conjunct(joint, &trace.scope, constants, state, conjunct);
        let why = found.state.as_ref().and_then(explained);
        GluingObject { text: conjunct.text.clone(), why, file, line }
    }
}

impl WeakObject {
    /// An open obligation.
    pub fn new(words: &Words<'_>, found: &WeakGluing) -> WeakObject {
        WeakObject {
            event: event_name(words.model, Some(found.event)),
            parameters: words.parameters(found.event, &found.parameters),
            results: words.results(found.event, &found.results),
            before: words.concrete(&found.before),
            after: words.concrete(&found.after),
            abstract_state: words.abstracts(&found.abstract_state),
        }
    }
}

fn listed(values: &Values) -> String {
    values.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
}

impl RefinementObject {
    /// Of a comparison that has not begun.
    pub fn new(parts: &SideBySide, scope: ScopeObject) -> RefinementObject {
        let name = |level: &LevelPart| parts.model.text.components[level.component.index()].name.clone();
        RefinementObject {
            refines: parts.levels.iter().map(name).collect(),
            scope,
            verdict: VerdictWord::Unknown,
            engine: None,
            reason: None,
            message: None,
            not_proved: None,
            smaller: None,
            counterexample: None,
            weak: vec![],
            stats: RefinementStats::default(),
        }
    }

    /// Says why there is no answer.
    pub fn unknown(&mut self, reason: &Reason) {
        self.verdict = VerdictWord::Unknown;
        self.reason = Some(reason.code());
        self.message = Some(reason.text());
    }

    /// Says that it holds by a proof.
    pub fn prove(&mut self, scope: ScopeObject, engine: &str) {
        (self.verdict, self.engine, self.scope) = (VerdictWord::Holds, Some(engine.to_string()), scope);
        (self.reason, self.message) = (None, None);
    }

    /// Says that it is violated.
    pub fn refute(&mut self, scope: ScopeObject, found: UnmatchedObject) {
        (self.verdict, self.engine, self.scope) = (VerdictWord::Violated, Some(EXPLICIT.into()), scope);
        (self.reason, self.message, self.counterexample) = (None, None, Some(found));
    }

    /// Says that what holds is not all that is asked: these parts were left out.
    pub fn leave_open(&mut self, parts: &[String]) {
        if self.verdict != VerdictWord::Holds || parts.is_empty() {
            return;
        }
        let code = ReasonCode::NotCompared;
        (self.verdict, self.engine, self.reason) = (VerdictWord::Unknown, None, Some(code));
        let parts = parts.join(", ");
        self.message = Some(format!(
            "{}: every step has a match, but without parts about variables of the abstraction: {parts}",
            code.word()
        ));
    }

    /// What became of it; `why` is the reason where it is not decided.
    pub fn settle(&mut self, words: &Words<'_>, report: &RefinementReport, why: &dyn Fn(&Reason) -> Reason) {
        self.stats = RefinementStats {
            states: report.pairs,
            steps: report.steps,
            abstract_states: report.abstract_states,
            left_open: constant_names(words.model, &report.left_open),
            seconds: seconds(report.time),
        };
        self.weak = report.weak.iter().map(|weak| WeakObject::new(words, weak)).collect();
        self.verdict = (&report.verdict).into();
        match &report.verdict {
            Verdict::Holds(()) => self.engine = Some(EXPLICIT.into()),
            Verdict::Violated(found) => {
                self.engine = Some(EXPLICIT.into());
                self.counterexample = Some(UnmatchedObject::new(words, found));
            }
            Verdict::Vacuous(_, why) => self.message = Some(why.clone()),
            Verdict::Unknown(reason) => self.unknown(&why(reason)),
            Verdict::Contradiction(why) => self.unknown(&Reason::AuditFailed(why.clone())),
            // A comparison leaves nothing of this kind open.
            Verdict::Conditional(..) | Verdict::Doubtful(..) => {}
        }
    }

    /// What was looked at, and which obligations are open.
    fn write_counts(&self, out: &mut String) -> Result {
        let RefinementStats { states, steps, abstract_states, left_open, seconds } = &self.stats;
        writeln!(
            out,
            "  {}, {}, {}, {seconds:.2} s",
            counted(states, "concrete state"),
            counted(abstract_states, "abstract state"),
            counted(steps, "step")
        )?;
        left_open_text(left_open).map_or(Ok(()), |said| writeln!(out, "  {said}"))
    }

    fn write_weak(&self, out: &mut String, verbose: bool, paint: Paint) -> Result {
        for weak in &self.weak {
            let head = paint.doubt("gluing too weak");
            writeln!(
                out,
                "  {head}: {}: its obligation is open, though every step of it is matched",
                weak.event
            )?;
            if verbose {
                writeln!(out, "    before {}", listed(&weak.before))?;
                writeln!(out, "    beside {}", listed(&weak.abstract_state))?;
                writeln!(out, "    after  {}", listed(&weak.after))?;
            }
        }
        Ok(())
    }

    /// As a part of another answer.
    pub fn write_beside(&self, out: &mut String, verbose: bool, paint: Paint) -> Result {
        let reason = self.message.as_ref().map(|why| format!(", {why}")).unwrap_or_default();
        let refines = self.refines.join(", ");
        let engine = self.engine.as_ref().map(|engine| format!("  [{engine}]")).unwrap_or_default();
        let scope = self.scope.text();
        writeln!(out, "  refinement of {refines}: {}{reason}; {scope}{engine}", self.verdict.word())?;
        if let Some(why) = &self.not_proved {
            writeln!(out, "  not proved for other sizes: {why}")?;
        }
        if let Some(SmallerObject { scope, verdict }) = &self.smaller {
            writeln!(out, "  in a smaller scope ({}): {}", scope.text(), verdict.word())?;
        }
        self.write_counts(out)?;
        self.write_weak(out, verbose, paint)
    }
}

impl RefinementAnswer {
    /// What a script is told.
    pub fn exit(&self) -> Exit {
        match self.found.verdict {
            VerdictWord::Holds => Exit::Done,
            VerdictWord::Violated => Exit::Violated,
            VerdictWord::Unknown if self.found.reason == Some(ReasonCode::AuditFailed) => Exit::Failed,
            VerdictWord::Vacuous | VerdictWord::Unknown => Exit::Unknown,
        }
    }

    /// For people.
    pub fn text(&self, verbose: bool, paint: Paint) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut out, verbose, paint);
        out
    }

    fn write(&self, out: &mut String, verbose: bool, paint: Paint) -> Result {
        let found = &self.found;
        let word = found.verdict.word();
        let head = match found.verdict {
            VerdictWord::Holds => paint.good(word),
            VerdictWord::Violated => paint.bad(word),
            VerdictWord::Vacuous | VerdictWord::Unknown => paint.doubt(word),
        };
        writeln!(out, "{head}: {} refines {}", self.machine, found.refines.join(", "))?;
        if let Some(message) = &found.message {
            writeln!(out, "  reason: {message}")?;
        }
        AxiomObject::write_core(&self.core, out, paint)?;
        if found.engine.as_deref().is_none_or(|engine| engine == EXPLICIT) {
            writeln!(out, "  every step that may be called is compared, on the explicit states")?;
        }
        writeln!(out, "  scope: {}", found.scope.text())?;
        found.write_counts(out)?;
        if let Some(found) = &found.counterexample {
            writeln!(out)?;
            found.write(out, Style::new(verbose, paint))?;
            writeln!(out)?;
        }
        if let Some(simulation) = &self.simulation {
            simulation.write(out)?;
        }
        if let Some(path) = &self.trace_file {
            writeln!(out, "  trace written to {path}")?;
        }
        found.write_weak(out, verbose, paint)?;
        out.push_str(&not_checked::text(&self.not_checked, verbose, paint));
        Ok(())
    }
}
