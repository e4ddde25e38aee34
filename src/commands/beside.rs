//! The explicit-state search that runs beside the engines of `check`: that of `mc`, in a second process.
//!
//! It is a process of its own, so that a fault or a lack of memory there costs the search and nothing else.
//!
//! Its answers are never trusted. Its traces are replayed here. A `holds` counts where the model is finite by itself,
//! that is where the scope that `check` was asked about has a size for every set: then it is a search of exactly that
//! scope without cuts. Its certificate is read again and has to make exactly the claim that was asked for. Sets without
//! a size have ProB's in the search, so that it can only find violations there: a trace with two elements is one of
//! "any size".

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bsym_engines::paths::counterexample::{Attempt, confirm};
use bsym_explore::report::{Evidence, SearchReport, Statistics, Successors};
use bsym_language::model::ConstId;
use bsym_proofs::certificate::Certificate;
use bsym_proofs::certify::open_value;
use bsym_proofs::claim::Evidence as ClaimEvidence;
use bsym_semantics::trace::doubt;
use bsym_semantics::trace::file::{TraceFile, trace_from_file};
use bsym_semantics::verdict::{Condition, Counterexample, Reason, ReasonCode, Verdict, bytes};

use crate::answer::event::Event;
use crate::answer::found::Found;
use crate::answer::verification::BesideObject;
use crate::arguments::{
    EncodingName, LimitArguments, McArguments, OutputArguments, ScopeArguments, ScopeItem, SymmetryName,
    VerifyArguments,
};
use crate::commands::default_scope;
use crate::commands::run::Run;
use crate::output;
use crate::race::contestant::{Contestant, Pending};
use crate::race::process::{End, Process};
use crate::race::protocol::{Assignment, Message, Order};
use crate::solvers;
use crate::tuning::tuning;

/// A search that runs.
pub(super) struct Beside {
    search: Contestant<Heard>,
    process: Arc<Process>,
    pending: Arc<Pending<Heard>>,
}

/// The answer of a search.
#[derive(Clone)]
pub(super) struct Heard {
    /// An answer that was checked.
    pub(super) answer: Option<SearchReport>,
    /// Report of the search about itself, for the answer.
    pub(super) said: BesideObject,
    /// It ended at its limit of states.
    pub(super) is_cut: bool,
}

impl Beside {
    /// Starts the search for a run, of at most `states` states. As soon as it has an answer, the run is asked to stop.
    pub(super) fn start(run: &Run, states: Option<usize>) -> Result<Beside, Box<BesideObject>> {
        let assignment = Assignment { order: order(run, states), crashes: 0, spent: Duration::ZERO };
        let process = Process::start(&assignment)
            .map_err(|e| Box::new(BesideObject::died(&format!("it could not be started: {e}"))))?;
        run.control.watch(process.child());
        let process = Arc::new(process);
        let pending: Arc<Pending<Heard>> = Arc::default();
        let (asked, told, at_work) = (run.clone(), run.clone(), process.clone());
        let search = Contestant::start(
            Duration::ZERO,
            pending.clone(),
            move |_| Some(hear(&asked, &at_work)),
            move |heard| {
                if let Some(heard) = heard {
                    tell(&told, heard);
                }
            },
        );
        Ok(Beside { search, process, pending })
    }

    /// Returns a conclusive answer, if there is one already.
    pub(super) fn answer(&self, run: &Run) -> Option<SearchReport> {
        conclusive(run, self.pending.result())
    }

    /// Waits until the search ends, the run has to, patience does or `is_settled` by something else; what it answers
    /// then, conclusive or not, and what it did.
    pub(super) fn wait(
        &self,
        run: &Run,
        patience: Option<Duration>,
        is_settled: &dyn Fn() -> bool,
    ) -> (Option<SearchReport>, Option<BesideObject>) {
        let asked = Cell::new(false);
        let is_over = || {
            // At the deadline the search ends by itself.
            if run.control.stopped().is_some_and(|why| why != Reason::Timeout) && !asked.replace(true) {
                self.process.stop();
            }
            is_settled()
        };
        match self.search.pending().wait(&run.control, patience, &is_over) {
            Some(heard) => (heard.answer, Some(heard.said)),
            None => (None, Some(BesideObject::died("it was stopped before it said anything"))),
        }
    }

    /// Waits until the search ends or the run has to. An answer that settles the run has asked it to stop then.
    pub(super) fn wait_to_the_end(&self, run: &Run) -> Heard {
        self.wait(run, None, &|| false);
        let heard = self.pending.result().unwrap_or_else(|| {
            let said = BesideObject::died("it was stopped before it said anything");
            Heard { answer: None, said, is_cut: false }
        });
        tell(run, &heard);
        heard
    }

    /// A handle to the answer, for the case that the engines do not stop when asked to.
    pub(super) fn overheard(&self, run: &Run) -> impl Fn() -> Option<SearchReport> + Send + 'static {
        let (pending, run) = (self.pending.clone(), run.clone());
        move || conclusive(&run, pending.result())
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.process.kill();
    }
}

fn conclusive(run: &Run, heard: Option<Heard>) -> Option<SearchReport> {
    heard?.answer.filter(|answer| is_conclusive(run, answer))
}

/// The question of `check`, in its scope.
fn order(run: &Run, max_states: Option<usize>) -> Order {
    let arguments = &run.arguments;
    let sizes = run.scope.sizes.iter().filter_map(|(id, &size)| {
        let carrier = run.model.types.carriers.get(id.index())?;
        Some(ScopeItem::Size(carrier.name.clone(), size))
    });
    let scope = ScopeArguments {
        scope: sizes.chain([ScopeItem::Prob]).collect(),
        maxint: Some(run.scope.maxint.clone()),
        minint: Some(run.scope.minint.clone()),
        set: arguments.scope.set.clone(),
        sets_of_project: vec![],
    };
    let mut solver = arguments.solver.clone();
    // The search uses a solver of its own where the engines are to use the SAT solver.
    solver.name = solver.name.filter(|name| name != solvers::SAT);
    let limits = LimitArguments {
        timeout: run.control.budget.left().map(|left| left.max(Duration::from_millis(1))),
        // Half of the user's limit: both processes together stay within it.
        memory: Some(arguments.limits.memory.map_or(tuning().beside.memory, |all| (all / 2).max(1))),
    };
    let verify = VerifyArguments {
        scope,
        limits,
        solver,
        depth: None,
        encoding: EncodingName::Auto,
        proofs: None,
        no_proofs: true,
        recheck_proofs: false,
        accept_trusted: false,
        trust_reviewed: false,
        trace: None,
        certificate: None,
        html: None,
        output: OutputArguments { json: true, ..OutputArguments::default() },
        ..arguments.clone()
    };
    // Only the verdict is needed, not the number of states.
    let symmetry = SymmetryName::Canonical;
    Order::Search(Box::new(McArguments { symmetry, max_states, ..McArguments::new(verify) }))
}

/// Listens to a search until it ends, and checks its answer.
fn hear(run: &Run, process: &Process) -> Heard {
    let end = process.listen(&mut |message| {
        if let (Message::Progress(progress), true) = (message, run.arguments.output.jsonl) {
            output::json_line(&Event::of_search(run.control.seconds(), &progress));
        }
    });
    let died = |why: &str| Heard { answer: None, said: BesideObject::died(why), is_cut: false };
    let found = match end {
        End::Answered(Message::Found(found)) => found,
        End::Answered(Message::Refused(why)) => return died(&why),
        End::Answered(_) => return died("it answered another question"),
        End::Died(death) => return died(&death.in_words()),
    };
    let limit = own_limit(run, &found);
    if let Verdict::Unknown(reason @ Reason::AuditFailed(_)) = &found.verdict {
        output::lost(&format!("the search beside the engines is wrong: {}", reason.text()));
    }
    if let Some(limit) = limit.as_ref().filter(|_| !run.arguments.output.is_for_programs()) {
        let end = match run.control.budget.deadline {
            Some(_) => "until --timeout",
            None => "without an end (--timeout sets one)",
        };
        output::note(&format!("note: the search beside the engines ended ({limit}); they go on {end}"));
    }
    let said =
        BesideObject { reason: limit.or_else(|| found.summary.reason.clone()), ..found.summary.clone() };
    let is_cut = found.verdict.reason_code() == Some(ReasonCode::StateLimit);
    Heard { answer: judge(run, &found), said, is_cut }
}

/// Asks the run to stop where the answer is conclusive.
fn tell(run: &Run, heard: &Heard) {
    match heard.answer.as_ref().filter(|answer| is_conclusive(run, answer)).map(|answer| &answer.verdict) {
        None => {}
        // The engines stop; axioms that contradict each other are still looked for.
        Some(Verdict::Vacuous(..)) => run.control.decided_but(tuning().beside.explanation),
        Some(verdict) => run.decided(matches!(verdict, Verdict::Violated(_))),
    }
}

/// Checks the answer of a search.
fn judge(run: &Run, found: &Found) -> Option<SearchReport> {
    let verdict = match &found.verdict {
        Verdict::Holds(certificate) => Verdict::Holds(holds(run, found, certificate)?),
        Verdict::Conditional(certificate, open)
            if open.first().map(Condition::code) == Some(ReasonCode::NotChecked) =>
        {
            Verdict::Conditional(holds(run, found, certificate)?, vec![Condition::NotChecked(dropped(run))])
        }
        Verdict::Vacuous(why, _) if run.scope.is_finite(&run.model) => {
            // Bounds that the user did not choose are no reason to blame the axioms.
            if default_scope::doubt(&run.model, &run.scope, &run.arguments.scope, &why.to_string()).is_some()
            {
                return None;
            }
            (*why).into()
        }
        Verdict::Violated(trace) => Verdict::Violated(Box::new(replayed(run, trace)?)),
        _ => return None,
    };
    let further: Option<Vec<Counterexample>> = found.further.iter().map(|t| replayed(run, t)).collect();
    Some(SearchReport {
        scope: run.scope.clone(),
        finished: true,
        exhausted: match verdict {
            Verdict::Holds(_) => true,
            // Sets without a size may have other sizes than those that were searched.
            Verdict::Violated(_) => found.is_decided && run.scope.is_finite(&run.model),
            _ => false,
        },
        open: BTreeSet::new(),
        verdict,
        further: further.unwrap_or_default(),
        incomplete: vec![],
        cuts: vec![],
        not_saved: None,
        coverage: None,
        statistics: Statistics {
            states: found.summary.states?,
            transitions: found.summary.transitions?,
            depth: found.depth,
            successors: Successors { audited: found.audited, ..Successors::default() },
            left_open: left_open(run, &found.left_open),
            ..Statistics::default()
        },
    })
}

/// Returns the constants of which the search took one value for all.
fn left_open(run: &Run, names: &[String]) -> BTreeSet<ConstId> {
    let find = |name: &String| run.model.constants.iter().position(|c| c.name == *name);
    names.iter().filter_map(find).map(|i| ConstId(i as u32)).collect()
}

/// Returns a note where the search reached its default memory limit, while the engines have no memory limit.
fn own_limit(run: &Run, found: &Found) -> Option<String> {
    let of_memory = found.verdict.reason_code() == Some(ReasonCode::Memory);
    (of_memory && run.arguments.limits.memory.is_none()).then(|| {
        let said = found.summary.reason.as_deref().unwrap_or_default();
        format!("{said}; without --memory it is given {}", bytes(tuning().beside.memory))
    })
}

/// Describes the parts of the model that are not checked.
fn dropped(run: &Run) -> Vec<String> {
    run.model.refinement.not_checked.iter().map(|d| d.describe(&run.model)).collect()
}

/// Returns the counterexample if the trace is in the requested scope and ends in a violation of a requested property.
fn replayed(run: &Run, file: &TraceFile) -> Option<Counterexample> {
    let trace = trace_from_file(&run.model, file).ok()?;
    let bounds = (&trace.scope.maxint, &trace.scope.minint) == (&run.scope.maxint, &run.scope.minint);
    let sizes = run.scope.sizes.iter().all(|(set, size)| trace.scope.sizes.get(set) == Some(size));
    if !(bounds && sizes) {
        return None;
    }
    if doubt::doubt(&run.model, &trace).is_some() {
        return None;
    }
    match confirm(&run.job(), trace) {
        Attempt::Found(found) => Some(*found),
        Attempt::Failed(_) => None,
    }
}

/// The evidence of a search that visited everything there is.
fn holds(run: &Run, found: &Found, certificate: &Certificate) -> Option<Evidence> {
    if found.is_partial || !run.scope.is_finite(&run.model) {
        return None;
    }
    let opened = open_value(certificate, Path::new("")).ok()?;
    let same = opened.scope == run.scope
        && opened.claim.properties == run.properties
        && opened.claim.well_definedness != run.arguments.no_wd
        && certificate.settings == run.settings
        && opened.model.name == run.model.name;
    match opened.claim.evidence {
        ClaimEvidence::Search { states, transitions, digest, symmetric } if same => {
            Some(Evidence { states, transitions, digest, symmetric })
        }
        _ => None,
    }
}

/// Returns whether an answer of the search settles the run: with `--keep-going`, only a search of all states or an
/// answer other than a violation does.
fn is_conclusive(run: &Run, report: &SearchReport) -> bool {
    !run.arguments.keep_going || report.exhausted || !matches!(report.verdict, Verdict::Violated(_))
}
