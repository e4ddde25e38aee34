//! Our own proof obligations: generated from the encoded machine, discharged by a solver.
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
//! In Event-B they have the names that Rodin gives them (`evt/inv1/INV`, `evt/grd1/WD`, `evt/act1/FIS`). What an
//! abstraction or a context declares is named with it: `evt/abs.inv1/INV` says that an event of the machine itself
//! preserves a conjunct of `abs`, which is none of Rodin's obligations: those of `abs` are about its own events.
//!
//! A conjunct is meant with its well-definedness, everywhere. To prove conjunct i after a step, the
//! conjuncts before it that were proved for the same step may be used, so a pair that counts as
//! proven follows from the whole invariant before the step and nothing else.
//!
//! All are asked for a short time before any is asked for long, so that no hard one starves the others.
//!
//! `trivial`: the event writes nothing that the conjunct reads. `refuted`: the sequent has a
//! counterexample, which says that the conjunct cannot be proved for this event from the invariant
//! alone; the state before the step may be unreachable, so the machine need not be wrong. In a refinement of
//! classical B nothing is refuted: the hypotheses speak of pairs of states, and whether one is reachable is not asked.

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
pub use self::obligation::{Choice, Form, Proof, Subject};

use self::contradictory::{Origin, contradictory};
use self::first_order::FirstOrder;
use self::generate::{Generated, generate, name_apart};
use self::rounds::{Others, Rounds};
use self::small::SmallSizes;
use crate::sequent::{Opener, Prover};

#[cfg(test)]
mod agreement;
mod call;
mod classical;
mod contradictory;
mod extra;
mod family;
mod first_order;
mod generate;
mod generator;
mod names;
mod obligation;
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
    /// Parts of a refinement of classical B without obligations.
    pub left_out: Vec<LeftOut>,
    /// Hypotheses that contradict each other, where that was asked.
    pub contradictory: Vec<Contradictory>,
    /// What those of a refinement of classical B ask, by name, with the model of their variables.
    asked: BTreeMap<String, (Arc<Model>, classical::Asked)>,
    /// The open ones in first-order form, by name, where they have one and that was asked.
    lowered: BTreeMap<String, Vec<Lowered>>,
    /// Where the formulas live.
    terms: Rc<Terms>,
}

/// Least time for cross-checking all proofs.
const LEAST_CONFIRMING: Duration = Duration::from_secs(1);

/// Least time for finding hypotheses that contradict each other.
const LEAST_DOUBTING: Duration = Duration::from_secs(2);

/// Generates all obligations and tries to discharge them, each within the budget's query time, in rounds.
///
/// The machine is encoded with the representations that its invariant says. What only an analysis of all events knows would
/// be a hypothesis that no obligation has.
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
    prove(model, scope, open, budget, observer, &|_| Choice::Ask, false)
}

/// As [`prove_chosen`], and then what a solver proved in terms of arrays is cross-checked in another form, for about as
/// long as the proofs took ([`Proof::confirmed`]). At last hypotheses are looked for that contradict each other
/// ([`Obligations::contradictory`]), for as long as all that took or 2 s, within the budget.
///
/// # Errors
/// If the solver cannot be started.
pub fn prove_and_confirm(
    model: Arc<Model>,
    scope: &Scope,
    open: Opener<'_>,
    budget: &Budget,
    observer: &mut dyn FnMut(&Proof),
    choose: &dyn Fn(&Proof) -> Choice,
) -> Result<Obligations, SolverError> {
    prove(model, scope, open, budget, observer, choose, true)
}

/// As [`prove_obligations`] where only some are asked: `choose` says which, of all that have a term and are not trivial.
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
    prove(model, scope, open, budget, observer, choose, false)
}

fn prove(
    model: Arc<Model>,
    scope: &Scope,
    open: Opener<'_>,
    budget: &Budget,
    observer: &mut dyn FnMut(&Proof),
    choose: &dyn Fn(&Proof) -> Choice,
    confirm: bool,
) -> Result<Obligations, SolverError> {
    let terms = Rc::new(Terms::new());
    let Generated { mut all, families, complete, carriers, system, left_out, asked: sequents, calls } =
        generate(&terms, &model, scope);
    name_apart(&mut all);
    let sequents: BTreeMap<_, _> =
        sequents.into_iter().map(|(at, of, asked)| (all[at].name.clone(), (of, asked))).collect();
    let mut prover = Prover::new(terms.clone(), open, budget.clone());
    prover.also_reading(carriers);
    let observer = &mut refinement::reopening(&model, observer);
    let mut asked = vec![];
    for proof in &mut all {
        let choice = if proof.status == Status::Unattempted { choose(proof) } else { Choice::Leave };
        if choice == Choice::Known {
            proof.status = Status::Discharged;
        }
        if proof.status != Status::Unattempted {
            observer(proof);
        }
        asked.push(choice == Choice::Ask);
    }
    let first_order = match &system {
        Some(system) => FirstOrder::of_machine(&model, system, scope),
        None => FirstOrder::of_refinement(&sequents, scope),
    };
    let small = SmallSizes::new(&model, scope);
    let others = Others { first_order: Some(&first_order), small: Some(&small) };
    let start = Instant::now();
    let mut rounds = Rounds::new(&mut prover, &mut all, asked, complete, observer, others);
    rounds.prove(&families)?;
    let stopped = budget.check().err();
    if confirm {
        let time = start.elapsed() + LEAST_CONFIRMING;
        rounds.confirm(&budget.within(time))?;
    }
    let contradictory = match confirm {
        true => {
            let time = start.elapsed().max(LEAST_DOUBTING);
            let (system, calls) = (system.as_ref(), calls.as_ref());
            let origin = Origin { model: &model, scope, first_order: &first_order, system, calls };
            contradictory(&all, origin, &mut prover, &budget.within(time))?
        }
        false => vec![],
    };
    refinement::reopen(&model, &mut all);
    let open = (0..all.len()).filter(|i| confirm && !all[*i].status.is_discharged());
    let lowered = open.filter_map(|i| Some((all[i].name.clone(), first_order.parts(i, &all)?))).collect();
    Ok(Obligations {
        lowered,
        solver: prover.solver,
        statistics: prover.statistics,
        all,
        stopped,
        unsupported: system.map(|s| s.unsupported).unwrap_or_default(),
        left_out,
        contradictory,
        asked: sequents,
        terms,
    })
}

/// What was written for other provers.
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
    /// The pairs that were proved, for the engines.
    pub fn status(&self) -> ProofStatus {
        let mut status = ProofStatus::none();
        for p in &self.all {
            if let (Kind::Inv | Kind::InvEst, Subject::Invariant(i), Status::Discharged | Status::Trivial) =
                (p.kind, &p.subject, p.status)
            {
                // What engines would not prove in their own form is looked at again.
                let foreign = p.form == Some(Form::FirstOrder) && !p.confirmed;
                let level = if foreign { Level::Tool } else { Level::Checked };
                status.insert((p.event, *i), PairStatus { provers: vec![self.prover(p)], level });
            }
        }
        status
    }

    /// The sequent of an obligation of a refinement of classical B that does not follow.
    pub fn sequent(&self, p: &Proof) -> Option<SequentMachine> {
        let (model, asked) = self.asked.get(&p.name)?;
        refinement::does_not_follow(p).then(|| asked.as_machine(model))
    }

    /// Number of obligations with a status.
    pub fn count(&self, status: Status) -> usize {
        self.all.iter().filter(|p| p.status == status).count()
    }

    /// What was proved in one form alone.
    pub fn unconfirmed(&self) -> impl Iterator<Item = &Proof> {
        self.all.iter().filter(|p| p.is_unconfirmed())
    }

    /// The prover that decided an obligation, and the form that it was given in.
    pub(crate) fn prover(&self, p: &Proof) -> String {
        match p.status {
            Status::Trivial if matches!(p.kind, Kind::Inv) => "bsym:frame".into(),
            Status::Trivial => "bsym:hypothesis".into(),
            _ if self.solver.is_empty() => "bsym:simplifier".into(),
            Status::Discharged if p.form == Some(Form::FirstOrder) => {
                format!("bsym:{}, first-order form", self.solver)
            }
            _ => format!("bsym:{}", self.solver),
        }
    }

    /// Writes every open obligation as a file in SMT-LIB 2, `unsat` meaning that it holds, and the parts of its first-order
    /// form beside it. These hold if the solver says `unsat` of all of them; `sat` says nothing there.
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
                // A part that no script can say is one that the others do not replace.
                if let Ok(text) = script(terms, assertions, Dialect::Generic) {
                    out.first_order.push(write(&format!("-first-order-{i}"), &about, &text)?);
                }
            }
        }
        Ok(out)
    }

    /// What an obligation says, in words and B.
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
