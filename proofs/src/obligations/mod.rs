//! Proof obligations of bsym itself: generated from the encoded machine, discharged by a solver.
//!
//! | kind | hypotheses | goal |
//! |---|---|---|
//! | INV_EST | axioms, the initialisation | conjunct i in the state after |
//! | INV | axioms, all conjuncts, the event | conjunct i in the state after |
//! | WD of a conjunct | axioms, the conjuncts before it | it is well-defined |
//! | WD, PRECONDITION, OTHER of an event | axioms, all conjuncts | no evaluation, `PRE`, `ASSERT` in it fails |
//! | ASSERTION | axioms, all conjuncts, the assertions before it | the assertion |
//! | THM | axioms, the conjuncts and theorems before it | the theorem |
//! | FIS of an action | axioms, all conjuncts, the guards | something can be chosen |
//! | GRD, SIM, EQL, MRG, WFIS | axioms, all conjuncts, the guards | the abstract event can follow in this respect |
//! | VAR, NAT of an event | axioms, all conjuncts, the event or its guards | it decreases the variant, which is natural |
//! | FIN, VWD | axioms, all conjuncts | the variant is finite, is well-defined |
//! | WD, THM of a context | the axioms and theorems before it | it is well-defined, it follows |
//! | REF, RES, FOLLOW | see [`classical`] | a step of a classical refinement is one of its abstraction |
//! | VALUES, INT | see [`classical`] | values of an implementation satisfy the properties, integers fit |
//! | EST, KEPT, NAT, VAR of a loop | see [`classical`] | its invariant and its variant are right |
//!
//! In Event-B they have the names that Rodin gives them (`evt/inv1/INV`, `evt/grd1/WD`, `evt/act1/FIS`). A name that an
//! abstraction or a context declares is prefixed with its name: `evt/abs.inv1/INV` says that an event of the machine
//! itself preserves a conjunct of `abs`. Rodin has no such obligation: those of `abs` are about its own events.
//!
//! A conjunct is meant with its well-definedness, everywhere. To prove conjunct i after a step, the conjuncts before it
//! that were proved for the same step may be used, so a pair that counts as proven follows from the whole invariant
//! before the step and nothing else.
//!
//! All obligations are attempted for a short time before any is attempted for long, so that hard ones do not starve the
//! others. Obligations that stay open are given to [other provers](OtherProver).
//!
//! `trivial`: the event writes no variable that the conjunct reads. `refuted`: the sequent has a counterexample, which
//! says that the conjunct cannot be proved for this event from the invariant alone; the state before the step may be
//! unreachable, so the machine need not be wrong. In a refinement of classical B nothing is refuted: the hypotheses are
//! about pairs of states, and whether one is reachable is not checked.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bsym_encodings::budget::{Budget, Stopped};
use bsym_encodings::first_order::Lowered;
use bsym_encodings::session::{Dialect, SolverError, Statistics, script};
use bsym_encodings::system::Unsupported;
use bsym_encodings::term::Terms;
use bsym_language::model::Model;
use bsym_semantics::scope::Scope;
use bsym_status::file::{Kind, LeftOut, Status};
use bsym_status::{Level, PairStatus, PoError, ProofStatus};

pub use self::classical::SequentMachine;
pub use self::contradictory::{Affected, Contradictory, Hypothesis};
pub use self::crew::SharedOpener;
pub use self::obligation::{Choice, Form, Proof, Subject};
pub use self::other_prover::OtherProver;

use self::contradictory::{Origin, contradictory};
use self::crew::{Crew, Plan, Shared};
use self::first_order::FirstOrder;
use self::generate::{Generated, generate};
use self::rounds::{Others, Phase, Rounds, rounds};
use self::small::SmallSizes;
use crate::sequent::{Effort, Opener, Prover};
use crate::tuning::tuning;

#[cfg(test)]
mod agreement;
mod call;
mod classical;
mod contradictory;
mod crew;
mod extra;
mod family;
mod first_order;
mod generate;
mod generator;
mod names;
mod obligation;
mod other_prover;
mod owed;
mod refinement;
mod rounds;
mod small;
#[cfg(test)]
mod tests;
mod typed;
mod write;

/// The obligations of a machine.
#[derive(Clone, Debug, Default)]
pub struct Obligations {
    /// All obligations, or those that were generated in time.
    pub all: Vec<Proof>,
    /// Solver's name and version, if one was needed.
    pub solver: String,
    /// Work of the solver.
    pub statistics: Statistics,
    /// Why the run ended early.
    pub stopped: Option<Stopped>,
    /// Parts of the machine without an encoding.
    pub unsupported: Vec<Unsupported>,
    /// Parts of a refinement of classical B without obligations.
    pub left_out: Vec<LeftOut>,
    /// Hypotheses that contradict each other, if this was requested.
    pub contradictory: Vec<Contradictory>,
    /// Sequents of a refinement of classical B, by name of the obligation, with the model of their variables.
    asked: BTreeMap<String, (Arc<Model>, classical::Asked)>,
    /// The open obligations in first-order form, by name, if they have one and this was requested.
    lowered: BTreeMap<String, Vec<Lowered>>,
    /// Table of the formulas' terms.
    terms: Rc<Terms>,
}

/// Generates all obligations and tries to discharge them, each within the budget's query time, in rounds.
///
/// The machine is encoded with the representations that its invariant says. What only an analysis of all events knows
/// would be a hypothesis that no obligation has.
///
/// `observer` is told about every obligation as it is decided, or given up. When the budget ends, what was not
/// asked is listed as `unattempted`.
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
    prove_chosen(model, scope, open, budget, observer, &|_| Choice::Ask)
}

/// As [`prove_obligations`] where only some are asked: `choose` says which, of all that have a term and are not
/// trivial.
///
/// # Errors
/// If the solver cannot be started.
pub fn prove_chosen(
    model: Arc<Model>,
    scope: &Scope,
    open: Opener<'_>,
    budget: &Budget,
    observer: &mut dyn FnMut(&Proof),
    choose: &dyn Fn(&Proof) -> Choice,
) -> Result<Obligations, SolverError> {
    prove(&model, scope, open, budget, observer, choose, &Extent::default())
}

/// Obligations to prove, with the options.
#[derive(Clone)]
pub struct Job<'a> {
    /// The machine.
    pub model: Arc<Model>,
    /// Scope of the model.
    pub scope: &'a Scope,
    /// Opens sessions.
    pub open: SharedOpener<'a>,
    /// Limits. The limit of a query is the time for one obligation.
    pub budget: Budget,
    /// Other provers, for obligations that the solver leaves open.
    pub provers: &'a [OtherProver],
    /// Number of obligations to prove at the same time, at least one.
    pub jobs: usize,
    /// Keeps the first-order form of open obligations, for [`Obligations::export`].
    pub export: bool,
}

/// Proves obligations as [`prove_chosen`] does, with several workers, and then cross-checks in another form those that
/// a solver proved in terms of arrays, for about as long as the proofs took ([`Proof::confirmed`]). Finally searches
/// for contradictory hypotheses ([`Obligations::contradictory`]), for as long as all that took or 2 s, within the
/// budget.
///
/// `observer` and `choose` are called in this thread. Each worker generates the obligations for itself; most machines
/// are done before that is worth it, and then there are no workers. If a worker fails, only the current obligation is
/// lost.
///
/// # Errors
/// If the solver cannot be started.
pub fn prove_and_confirm(
    job: &Job<'_>,
    observer: &mut dyn FnMut(&Proof),
    choose: &dyn Fn(&Proof) -> Choice,
) -> Result<Obligations, SolverError> {
    let mut open = |terms| (job.open)(terms);
    let workers = Workers { open: job.open, jobs: job.jobs, least: tuning().obligations.least_work };
    let extent = Extent { confirm: true, export: job.export, provers: job.provers, workers: Some(workers) };
    prove(&job.model, job.scope, &mut open, &job.budget, observer, choose, &extent)
}

/// Extent of the work.
#[derive(Clone, Copy, Default)]
struct Extent<'a> {
    /// Cross-checks proofs, and looks for contradictory hypotheses.
    confirm: bool,
    /// Keeps the first-order form of open obligations.
    export: bool,
    /// Other provers.
    provers: &'a [OtherProver],
    /// The workers, if there are any.
    workers: Option<Workers<'a>>,
}

/// Function by which workers open sessions, and their largest number.
#[derive(Clone, Copy)]
struct Workers<'a> {
    open: SharedOpener<'a>,
    jobs: usize,
    /// Time after which workers are started, unless generating the obligations took longer. Zero starts them at once.
    least: Duration,
}

fn prove(
    model: &Arc<Model>,
    scope: &Scope,
    open: Opener<'_>,
    budget: &Budget,
    observer: &mut dyn FnMut(&Proof),
    choose: &dyn Fn(&Proof) -> Choice,
    extent: &Extent<'_>,
) -> Result<Obligations, SolverError> {
    let terms = Rc::new(Terms::new());
    let begin = Instant::now();
    let Generated { mut all, families, complete, carriers, system, left_out, asked: sequents, calls } =
        generate(&terms, model, scope);
    let generation = begin.elapsed();
    let mut prover = Prover::new(terms.clone(), open, budget.clone());
    prover.also_reading(carriers);
    let observer = &mut refinement::reopening(model, observer);
    let mut asked = vec![];
    let first_order = FirstOrder::new(model, system.as_ref(), &sequents, scope);
    for i in 0..all.len() {
        let choice = match all[i].status {
            Status::Unattempted => choose(&all[i]),
            // An obligation without an encoding with arrays may have a form in first-order logic.
            Status::Unknown if first_order.sequents(i, &all).is_some() => choose(&all[i]),
            _ => Choice::Leave,
        };
        if choice == Choice::Known {
            (all[i].status, all[i].reason) = (Status::Discharged, None);
        }
        let waits = choice == Choice::Ask || all[i].status == Status::Unattempted;
        if !waits {
            observer(&all[i]);
        }
        asked.push(choice == Choice::Ask);
    }
    let small = SmallSizes::new(model, scope);
    let others = Others { first_order: Some(&first_order), small: Some(&small), provers: extent.provers };
    let start = Instant::now();
    let mut own = Rounds::new(&mut prover, &families, &mut all, complete, others);
    own.pending.clone_from(&asked);
    let plan = |Workers { open, jobs, least }| {
        let least = if least.is_zero() { least } else { least.max(generation) };
        Plan { model, scope, open, provers: extent.provers, jobs, least }
    };
    let plan = extent.workers.map(plan);
    let shared = Shared::default();
    let stopped = std::thread::scope(|threads| {
        let mut crew = Crew::new(own, observer, plan, threads, &shared);
        prove_in_rounds(&mut crew, &asked, budget)?;
        let stopped = budget.check().err();
        if extent.confirm {
            let time = start.elapsed() + tuning().obligations.least_confirming;
            let phase = Phase { effort: Effort::Full, limit: None, budget: budget.within(time) };
            crew.carry_out(crew.own.confirm_tasks(), &phase)?;
        }
        crew.own.write_formulas(&asked);
        Ok(stopped)
    })?;
    let contradictory = match extent.confirm {
        true => {
            let time = start.elapsed().max(tuning().obligations.least_doubting);
            let (system, calls) = (system.as_ref(), calls.as_ref());
            let origin = Origin { model, scope, first_order: &first_order, system, calls };
            contradictory(&all, origin, &mut prover, &budget.within(time))?
        }
        false => vec![],
    };
    refinement::reopen(model, &mut all);
    let open = (0..all.len()).filter(|i| extent.export && !all[*i].status.is_discharged());
    let lowered = open.filter_map(|i| Some((all[i].name.clone(), first_order.parts(i, &all)?))).collect();
    Ok(Obligations {
        lowered,
        solver: prover.solver,
        statistics: prover.statistics,
        all,
        stopped,
        unsupported: system.map(|s| s.left_out.parts).unwrap_or_default(),
        left_out,
        contradictory,
        asked: sequents,
        terms,
    })
}

/// Runs all rounds, then other provers. Obligations of those `asked` that stay open are observed at the end.
fn prove_in_rounds(
    crew: &mut Crew<'_, '_, '_, '_, '_>,
    asked: &[bool],
    budget: &Budget,
) -> Result<(), SolverError> {
    let rounds = rounds(budget.query);
    for &(effort, limit) in &rounds {
        prove_in_round(crew, effort, limit, budget)?;
    }
    let elsewhere = crew.own.elsewhere_tasks(asked);
    let open = elsewhere.len();
    let phase = Phase { effort: Effort::Full, limit: budget.query, budget: budget.clone() };
    crew.carry_out(elsewhere, &phase)?;
    // Workers did not know the lemmas that others proved at the same time, and the solver none of other provers.
    let has_new = crew.workers() > 1 || crew.own.elsewhere_tasks(asked).len() < open;
    if let (true, Some(&(effort, limit))) = (has_new, rounds.last())
        && budget.check().is_ok()
    {
        crew.ask_again(|crew| prove_in_round(crew, effort, limit, budget))?;
    }
    for i in 0..crew.own.all.len() {
        if crew.own.pending[i] {
            crew.observe(i);
        }
    }
    Ok(())
}

fn prove_in_round(
    crew: &mut Crew<'_, '_, '_, '_, '_>,
    effort: Effort,
    limit: Option<Duration>,
    budget: &Budget,
) -> Result<(), SolverError> {
    let phase = Phase { effort, limit, budget: budget.clone() };
    if effort == Effort::Full {
        crew.carry_out(crew.own.other_tasks(), &phase)?;
    }
    crew.carry_out(crew.own.family_tasks(effort, crew.workers()), &phase)
}

/// Files written for other provers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exported {
    /// The files, one for each obligation.
    pub files: Vec<PathBuf>,
    /// Files of the same obligations in first-order form, one for each part of an obligation.
    pub first_order: Vec<PathBuf>,
    /// Obligations that cannot be written, with the reason.
    pub left: Vec<(String, String)>,
}

impl Obligations {
    /// Returns the pairs that were proved, for the engines.
    pub fn status(&self) -> ProofStatus {
        let mut status = ProofStatus::none();
        for p in &self.all {
            if let (Kind::Inv | Kind::InvEst, Subject::Invariant(i), Status::Discharged | Status::Trivial) =
                (p.kind, &p.subject, p.status)
            {
                // A proof that engines would not find in their own form is checked again.
                let foreign = p.form == Some(Form::FirstOrder) && !p.confirmed;
                let level = if foreign { Level::Tool } else { Level::Checked };
                status.insert((p.event, *i), PairStatus { provers: vec![self.prover(p)], level });
            }
        }
        status
    }

    /// Returns the sequent of an obligation of a refinement of classical B that does not follow.
    pub fn sequent(&self, p: &Proof) -> Option<SequentMachine> {
        let (model, asked) = self.asked.get(&p.name)?;
        refinement::does_not_follow(p).then(|| asked.as_machine(model))
    }

    /// Number of obligations with a status.
    pub fn count(&self, status: Status) -> usize {
        self.all.iter().filter(|p| p.status == status).count()
    }

    /// Obligations that were proved in one form alone.
    pub fn unconfirmed(&self) -> impl Iterator<Item = &Proof> {
        self.all.iter().filter(|p| p.is_unconfirmed())
    }

    /// Returns the prover that decided an obligation, and the form that it was given in.
    pub(crate) fn prover(&self, p: &Proof) -> String {
        match p.status {
            Status::Trivial if matches!(p.kind, Kind::Inv) => "bsym:frame".into(),
            Status::Trivial => "bsym:hypothesis".into(),
            _ if self.solver.is_empty() => "bsym:simplifier".into(),
            Status::Discharged if p.form == Some(Form::FirstOrder) => {
                format!("bsym:{}, first-order form", p.by.as_ref().unwrap_or(&self.solver))
            }
            _ => format!("bsym:{}", self.solver),
        }
    }

    /// Writes every open obligation as a file in SMT-LIB 2, `unsat` meaning that it holds, and the parts of its
    /// first-order form to files next to it. The first-order form holds if the solver says `unsat` for all parts; `sat`
    /// says nothing there.
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
        for p in self.all.iter().filter(|p| !p.status.is_discharged()) {
            let name: String =
                p.name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect();
            let write = |ending: &str, about: &[String], text: &str| {
                let first = format!("{}/{} ({})", model.name, p.name, p.status.word());
                let mut head = String::new();
                for line in std::iter::once(&first).chain(about) {
                    // Strings grow.
                    let _ = writeln!(head, "; {}", line.replace(['\n', '\r'], " "));
                }
                let path = folder.join(format!("{}-{name}{ending}.smt2", model.name));
                std::fs::write(&path, head + text).map_err(failed(&path))?;
                Ok::<_, PoError>(path)
            };
            let goal = self.goal_text(p, model);
            if p.formula.is_empty() {
                out.left.push((p.name.clone(), p.reason.clone().unwrap_or_default()));
            } else {
                match script(&self.terms, &p.formula, Dialect::Generic) {
                    Ok(text) => out.files.push(write("", &[format!("unsat: {goal}")], &text)?),
                    Err(e) => out.left.push((p.name.clone(), e.to_string())),
                }
            }
            let parts = self.lowered.get(&p.name).map_or(&[][..], Vec::as_slice);
            for (i, Lowered { terms, assertions, left_out }) in (1..).zip(parts) {
                let about = [
                    format!("part {i} of {}; unsat of each: {goal}", parts.len()),
                    format!("sat says nothing; {left_out} hypotheses have no first-order form"),
                ];
                // A part that cannot be written as a script is not replaced by the others.
                if let Ok(text) = script(terms, assertions, Dialect::Generic) {
                    out.first_order.push(write(&format!("-first-order-{i}"), &about, &text)?);
                }
            }
        }
        Ok(out)
    }

    /// Returns the statement of an obligation, in words and B.
    pub fn goal_text(&self, p: &Proof, model: &Model) -> String {
        let verb = match (p.kind, &p.subject) {
            (Kind::Wd | Kind::Wwd | Kind::Vwd, _) => "is well-defined",
            (Kind::Fis, _) => "has a result",
            (Kind::Fin, _) => "is finite",
            (Kind::Wfis, Subject::Action(text)) => return text.clone(),
            (_, Subject::Action(_)) => "holds",
            _ => "follows",
        };
        match &p.subject {
            Subject::Axiom(text) | Subject::Variant(text) => format!("`{text}` {verb}"),
            Subject::Invariant(i) => format!("`{}` {verb}", model.invariant[*i].text),
            Subject::Assertion(i) => format!("`{}` {verb}", model.assertions[*i].text),
            Subject::Action(text) => format!("`{text}` {verb}"),
        }
    }
}
