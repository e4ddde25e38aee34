//! Our own proof obligations: generated from the encoded machine, discharged by a solver.
//!
//! | kind | hypotheses | goal |
//! |---|---|---|
//! | INV_EST | axioms, the initialisation | conjunct i in the state after |
//! | INV | axioms, all conjuncts, the event | conjunct i in the state after |
//! | WD of a conjunct | axioms, the conjuncts before it | it is well-defined |
//! | WD, PRECONDITION, OTHER of an event | axioms, all conjuncts | no evaluation, `PRE`, `ASSERT` in it fails |
//! | ASSERTION | axioms, all conjuncts, the assertions before it | the assertion |
//!
//! A conjunct is meant with its well-definedness, everywhere. To prove conjunct i after a step, the
//! conjuncts before it that were proved for the same step may be used, so a pair that counts as
//! proven follows from the whole invariant before the step and nothing else.
//!
//! `trivial`: the event writes nothing that the conjunct reads. `refuted`: the sequent has a
//! counterexample, which says that the conjunct cannot be proved for this event from the invariant
//! alone; the state before the step may be unreachable, so the machine need not be wrong.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use bsym_encodings::budget::{Budget, Stopped};
use bsym_encodings::session::{Dialect, SolverError, Statistics, script};
use bsym_encodings::system::build::{Representations, encode_with};
use bsym_encodings::system::{FailureKind, StatePredicate, System, Unsupported};
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::{Conjunct, EventId, Model};
use bsym_semantics::scope::Scope;
use bsym_status::digest::INITIALISATION;
use bsym_status::file::{Kind, Status};
use bsym_status::frame::frame_agrees;
use bsym_status::{Level, PairStatus, PoError, ProofStatus};

use crate::recorded::{invariant, is_complete};
use crate::sequent::{Effort, Hypotheses, Opener, Outcome, Prover};
use crate::states::States;

#[cfg(test)]
mod tests;
mod write;

/// What an obligation is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Subject {
    /// Invariant conjunct, by position.
    Invariant(usize),
    /// Assertion, by position.
    Assertion(usize),
    /// A failure on the way of an event, as text.
    Action(String),
}

/// An obligation and what became of it.
#[derive(Clone, Debug)]
pub struct Proof {
    /// Kind.
    pub kind: Kind,
    /// Name, unique in the machine: `inc/inv1/INV`.
    pub name: String,
    /// Event; `None` for the initialisation, and for what is about states.
    pub event: Option<EventId>,
    /// Subject.
    pub subject: Subject,
    /// Outcome.
    pub status: Status,
    /// Why it is open.
    pub reason: Option<String>,
    /// Asserted together, they are unsatisfiable if and only if the obligation holds; empty for
    /// what has no terms.
    pub formula: Vec<Term>,
}

/// The obligations of a machine.
#[derive(Clone, Debug, Default)]
pub struct Obligations {
    /// All of them, or those that the time allowed.
    pub all: Vec<Proof>,
    /// Solver's name and version, if one was needed.
    pub solver: String,
    /// Work of the solver.
    pub statistics: Statistics,
    /// What ended it early.
    pub stopped: Option<Stopped>,
    /// Parts of the machine without an encoding.
    pub unsupported: Vec<Unsupported>,
    /// Where the formulas live.
    terms: Rc<Terms>,
}

/// Generates all obligations and tries to discharge them, each within the budget's query time.
///
/// The machine is encoded with the representations that its invariant says. What only an analysis of all events knows would
/// be a hypothesis that no obligation has.
///
/// `observer` is told about every obligation as it is decided. When the budget ends, the rest is
/// listed as `unattempted`.
///
/// # Errors
/// If the solver cannot be started.
pub fn prove_obligations(
    model: Arc<Model>,
    scope: &Scope,
    open: Opener<'_>,
    budget: &Budget,
    observer: &mut dyn FnMut(&Proof),
) -> Result<Obligations, SolverError> {
    let system = encode_with(Rc::new(Terms::new()), model, scope, Representations::Stated);
    let system = &system;
    let mut prover = Prover::new(system.terms.clone(), open, budget.clone());
    prover.also_reading(system.whole_carriers());
    let mut generator = Generator {
        terms: system.terms.clone(),
        system,
        states: States::new(system),
        prover,
        complete: is_complete(system),
        all: vec![],
        observer,
    };
    generator.well_definedness()?;
    generator.establishment()?;
    for event in 0..system.events.len() {
        generator.preservation(event)?;
    }
    generator.assertions()?;
    let stopped = budget.check().err();
    Ok(Obligations {
        solver: generator.prover.solver,
        statistics: generator.prover.statistics,
        all: generator.all,
        stopped,
        unsupported: system.unsupported.clone(),
        terms: system.terms.clone(),
    })
}

/// What was written for other provers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exported {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Obligations that cannot be written, with the reason.
    pub left: Vec<(String, String)>,
}

struct Generator<'a> {
    terms: Rc<Terms>,
    system: &'a System,
    states: States<'a>,
    prover: Prover<'a>,
    /// All hypotheses have terms, so a model of them refutes.
    complete: bool,
    all: Vec<Proof>,
    observer: &'a mut dyn FnMut(&Proof),
}

/// An obligation before it is asked.
struct Question {
    kind: Kind,
    name: String,
    event: Option<EventId>,
    subject: Subject,
}

impl Generator<'_> {
    fn always(&mut self, last: usize) -> Vec<Term> {
        let mut all: Vec<Term> = self.system.axioms.iter().chain(&self.system.background).copied().collect();
        for i in 0..=last {
            all.extend(self.states.facts(i));
        }
        all
    }

    fn meant(&self, p: &StatePredicate) -> Term {
        self.terms.and([p.defined, p.holds])
    }

    fn well_definedness(&mut self) -> Result<(), SolverError> {
        let mut hypotheses = Hypotheses::new(self.always(0));
        let mut said = self.always(0);
        for (i, p) in self.system.invariant.iter().enumerate() {
            let question = Question {
                kind: Kind::Wd,
                name: format!("{}/WD", key("inv", i, &self.system.model.invariant[i])),
                event: None,
                subject: Subject::Invariant(i),
            };
            if !self.system.is_supported(i) {
                self.without_term(question, "the conjunct");
            } else if p.defined != Terms::TRUE {
                self.ask(question, &mut hypotheses, &said, p.defined)?;
            }
            let meant = self.meant(p);
            hypotheses.add(&mut self.prover, meant)?;
            said.push(meant);
        }
        hypotheses.close(&mut self.prover);
        Ok(())
    }

    fn establishment(&mut self) -> Result<(), SolverError> {
        let init = &self.system.initialisation;
        let always = self.always(0);
        let failures: Vec<_> =
            init.failures.iter().map(|f| (f.kind, f.span, self.states.initial(f.condition))).collect();
        self.failures(None, failures, &always)?;
        let relation = init.relation.map(|r| self.states.initial(r));
        self.after_step(None, relation, always, 0)
    }

    fn preservation(&mut self, event: usize) -> Result<(), SolverError> {
        let transition = &self.system.events[event];
        let mut hypotheses = self.always(0);
        hypotheses.extend(invariant(self.system));
        let failures: Vec<_> =
            transition.failures.iter().map(|f| (f.kind, f.span, self.states.step(f.condition, 0))).collect();
        self.failures(Some(event), failures, &hypotheses)?;
        let relation = transition.relation.map(|r| self.states.step(r, 0));
        let mut hypotheses = self.always(1);
        hypotheses.extend(invariant(self.system));
        self.after_step(Some(event), relation, hypotheses, 1)
    }

    /// All conjuncts in the state after a step.
    fn after_step(
        &mut self,
        event: Option<usize>,
        relation: Option<Term>,
        mut said: Vec<Term>,
        after: usize,
    ) -> Result<(), SolverError> {
        let model = self.system.model.clone();
        let name = event.map_or(INITIALISATION, |e| model.events[e].name.as_str());
        said.extend(relation);
        let mut hypotheses = Hypotheses::new(said.iter().copied());
        for (i, p) in self.system.invariant.iter().enumerate() {
            let kind = if event.is_some() { Kind::Inv } else { Kind::InvEst };
            let question = Question {
                kind,
                name: format!("{name}/{}/INV", key("inv", i, &model.invariant[i])),
                event: event.map(|e| EventId(e as u32)),
                subject: Subject::Invariant(i),
            };
            if event.is_some() && frame_agrees(&model, event, &model.invariant[i].pred).is_ok() {
                self.note(question, Status::Trivial, None, vec![]);
            } else if relation.is_none() {
                self.without_term(question, "the operation");
                continue;
            } else if !self.system.is_supported(i) {
                self.without_term(question, "the conjunct");
                continue;
            } else {
                let meant = self.meant(p);
                let goal = self.states.at(meant, after);
                if self.ask(question, &mut hypotheses, &said, goal)? != Outcome::Proved {
                    continue;
                }
            }
            let meant = self.meant(p);
            let goal = self.states.at(meant, after);
            hypotheses.add(&mut self.prover, goal)?;
            said.push(goal);
        }
        hypotheses.close(&mut self.prover);
        Ok(())
    }

    /// The ways of an event to fail.
    fn failures(
        &mut self,
        event: Option<usize>,
        failures: Vec<(FailureKind, bsym_language::source::Span, Term)>,
        said: &[Term],
    ) -> Result<(), SolverError> {
        let model = self.system.model.clone();
        let who = event.map_or(INITIALISATION, |e| model.events[e].name.as_str());
        let mut hypotheses = Hypotheses::new(said.iter().copied());
        for (i, (kind, span, condition)) in failures.into_iter().enumerate() {
            let (kind, word) = match kind {
                FailureKind::IllDefined => (Kind::Wd, "WD"),
                FailureKind::Precondition => (Kind::Precondition, "PRE"),
                FailureKind::Assert => (Kind::Other, "ASSERT"),
                FailureKind::Refinement(_) => (Kind::Refinement, "REF"),
            };
            let text = bsym_language::print::at(&model, span);
            let question = Question {
                kind,
                name: format!("{who}/{}/{word}", i + 1),
                event: event.map(|e| EventId(e as u32)),
                subject: Subject::Action(text),
            };
            let goal = self.terms.not(condition);
            self.ask(question, &mut hypotheses, said, goal)?;
        }
        hypotheses.close(&mut self.prover);
        Ok(())
    }

    fn assertions(&mut self) -> Result<(), SolverError> {
        let model = self.system.model.clone();
        let mut said = self.always(0);
        said.extend(invariant(self.system));
        let mut hypotheses = Hypotheses::new(said.iter().copied());
        for (i, p) in self.system.assertions.iter().enumerate() {
            let question = Question {
                kind: Kind::Assertion,
                name: format!("{}/ASSERTION", key("ass", i, &model.assertions[i])),
                event: None,
                subject: Subject::Assertion(i),
            };
            if self.system.unsupported_assertions.contains(&i) {
                self.without_term(question, "the assertion");
                continue;
            }
            let goal = self.meant(p);
            self.ask(question, &mut hypotheses, &said, goal)?;
            hypotheses.add(&mut self.prover, goal)?;
            said.push(goal);
        }
        hypotheses.close(&mut self.prover);
        Ok(())
    }

    fn ask(
        &mut self,
        question: Question,
        hypotheses: &mut Hypotheses,
        said: &[Term],
        goal: Term,
    ) -> Result<Outcome, SolverError> {
        let mut formula = said.to_vec();
        formula.push(self.terms.not(goal));
        if let Err(stopped) = self.prover.budget().check() {
            self.note(question, Status::Unattempted, Some(stopped.to_string()), formula);
            return Ok(Outcome::Undecided(stopped));
        }
        let outcome = hypotheses.prove(&mut self.prover, &[], goal, Effort::Full)?;
        let (status, reason) = match &outcome {
            Outcome::Proved => (Status::Discharged, None),
            Outcome::Refuted if self.complete => {
                (Status::Refuted, Some("it does not follow from the hypotheses".to_string()))
            }
            Outcome::Refuted => (
                Status::Unknown,
                Some("a hypothesis has no encoding, and without it this does not follow".into()),
            ),
            Outcome::Undecided(reason) => (Status::Unknown, Some(reason.to_string())),
        };
        self.note(question, status, reason, formula);
        Ok(outcome)
    }

    fn without_term(&mut self, question: Question, what: &str) {
        self.note(question, Status::Unknown, Some(format!("{what} has no encoding")), vec![]);
    }

    fn note(&mut self, q: Question, status: Status, reason: Option<String>, formula: Vec<Term>) {
        let proof =
            Proof { kind: q.kind, name: q.name, event: q.event, subject: q.subject, status, reason, formula };
        (self.observer)(&proof);
        self.all.push(proof);
    }
}

/// Label, or kind and position from 1.
fn key(word: &str, position: usize, conjunct: &Conjunct) -> String {
    conjunct.label.clone().unwrap_or_else(|| format!("{word}{}", position + 1))
}

impl Obligations {
    /// The pairs that were proved, for the engines.
    pub fn status(&self) -> ProofStatus {
        let mut status = ProofStatus::none();
        for p in &self.all {
            if let (Kind::Inv | Kind::InvEst, Subject::Invariant(i), Status::Discharged | Status::Trivial) =
                (p.kind, &p.subject, p.status)
            {
                let provers = vec![self.prover(p.status)];
                status.insert((p.event, *i), PairStatus { provers, level: Level::Checked });
            }
        }
        status
    }

    /// Number of obligations with a status.
    pub fn count(&self, status: Status) -> usize {
        self.all.iter().filter(|p| p.status == status).count()
    }

    pub(crate) fn prover(&self, status: Status) -> String {
        match status {
            Status::Trivial => "bsym:frame".into(),
            _ if self.solver.is_empty() => "bsym:simplifier".into(),
            _ => format!("bsym:{}", self.solver),
        }
    }

    /// Writes every open obligation as a file in SMT-LIB 2, `unsat` meaning that it holds.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn export(&self, model: &Model, folder: &Path) -> Result<Exported, PoError> {
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |source| PoError::Write { path, source }
        };
        std::fs::create_dir_all(folder).map_err(failed(folder))?;
        let mut out = Exported::default();
        for p in &self.all {
            if matches!(p.status, Status::Discharged | Status::Trivial) {
                continue;
            }
            if p.formula.is_empty() {
                out.left.push((p.name.clone(), p.reason.clone().unwrap_or_default()));
                continue;
            }
            let text = match script(&self.terms, &p.formula, Dialect::Generic) {
                Ok(text) => text,
                Err(e) => {
                    out.left.push((p.name.clone(), e.to_string()));
                    continue;
                }
            };
            let mut head = String::new();
            for line in [
                format!("{}/{} ({})", model.name, p.name, p.status.word()),
                format!("unsat: {}", self.goal_text(p, model)),
            ] {
                // Strings grow.
                let _ = writeln!(head, "; {}", line.replace(['\n', '\r'], " "));
            }
            let name: String =
                p.name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect();
            let path = folder.join(format!("{}-{name}.smt2", model.name));
            std::fs::write(&path, head + &text).map_err(failed(&path))?;
            out.files.push(path);
        }
        Ok(out)
    }

    fn goal_text(&self, p: &Proof, model: &Model) -> String {
        match &p.subject {
            Subject::Invariant(i) => format!("`{}` follows", model.invariant[*i].text),
            Subject::Assertion(i) => format!("`{}` follows", model.assertions[*i].text),
            Subject::Action(text) => format!("`{text}` does not fail"),
        }
    }
}
