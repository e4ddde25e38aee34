//! Compares a refinement of classical B with its abstractions for `check` and `mc`, which promise it: an answer of theirs says
//! `holds` only where the comparison holds as well.
//!
//! Two ways are tried at the same time. The explicit search visits the states of small scopes first, where violations are
//! near, then those of the scope that was asked about. The symbolic engines are asked about the machine in which the
//! abstractions follow ([`crate::commands::simulation`]), for all sizes. A violation from a smaller `MAXINT` counts only where
//! the definition confirms it with the bounds that were asked about.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bsym_encodings::budget::Budget;
use bsym_encodings::patience::Patience;
use bsym_encodings::session::open::SolverChoice;
use bsym_explore::options::Limits;
use bsym_explore::refinement::{
    RefinementOptions, RefinementReport, RefinementVerdict, Repeated, Unmatched, check, repeat,
};
use bsym_explore::report::{Progress, Unknown};
use bsym_explore::search::Problem;
use bsym_language::int::Int;
use bsym_language::model::{Model, SideBySide};
use bsym_language::stack::with_large_stack;
use bsym_language::walk::{Bounds, LargestLiteral, walk_model, walk_operators};
use bsym_proofs::claim::Property;
use bsym_semantics::evaluator::finder::ValueFinder;
use bsym_semantics::prob_profile;
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::bounds::with_maxint;
use bsym_semantics::trace::doubt::Asked;

use crate::arguments::{PropertyName, ScopeArguments, ScopeItem};
use crate::commands::compared::{Compared, Outcome};
use crate::commands::run::Run;
use crate::commands::simulation::{Simulated, prove};
use crate::input;
use crate::solvers;

/// How long the engines are alone before the comparison begins beside them.
const HEAD_START: Duration = Duration::from_millis(150);
/// How long a small scope is searched before the one that was asked about.
const SMALL: Duration = Duration::from_secs(2);
/// Longest time in which a violation is held against the definition in another scope.
const REPEATED: Duration = Duration::from_secs(1);
/// Between two looks whether the comparison has to end.
const TICK: Duration = Duration::from_millis(10);
/// How long the last words are waited for when everything has to end.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// A comparison that is promised. Clones of a run share it.
#[derive(Default)]
pub(super) struct Pending {
    found: Mutex<Option<Compared>>,
    /// Set once there is nothing more to wait for.
    ended: AtomicBool,
    /// Set once the rest of the run waits for nothing else.
    is_awaited: AtomicBool,
}

impl Pending {
    /// The comparison, if it ended.
    pub(super) fn found(&self) -> Option<Compared> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether it ended.
    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// Tells that everything else is done. Afterwards the end of the comparison is that of the run.
    pub(super) fn await_it(&self) {
        self.is_awaited.store(true, Ordering::SeqCst);
    }
}

/// Whether an answer of this run promises the comparison: all of the invariant of a refinement is asked.
pub(super) fn is_promised(run: &Run) -> bool {
    run.model.refined.is_some() && asked(run).invariant
}

/// Compares, within the limits of the run and with no more than so many states.
pub(super) fn compare(run: &Run, states: Option<usize>) {
    let Some(pending) = &run.comparison else { return };
    let stop = AtomicBool::new(false);
    let found = decide(run, states, Scopes::Asked, &stop);
    *pending.found.lock().unwrap_or_else(PoisonError::into_inner) = found;
    pending.ended.store(true, Ordering::SeqCst);
}

/// A comparison in a thread of its own.
pub(super) struct Background {
    pending: Arc<Pending>,
    /// Ends the head start.
    begin: Sender<()>,
    stop: Arc<AtomicBool>,
}

impl Background {
    /// Starts it beside the engines, if the run promises one. A violation, and a proof that covers all that is asked, ask the
    /// run to stop.
    pub(super) fn start(run: &Run) -> Option<Background> {
        let pending = run.comparison.clone()?;
        let (begin, begun) = channel();
        let stop: Arc<AtomicBool> = Arc::default();
        let (run, shared, asked) = (run.clone(), pending.clone(), stop.clone());
        std::thread::spawn(move || {
            // Its end counts as the beginning, too.
            let _: Result<(), RecvTimeoutError> = begun.recv_timeout(HEAD_START);
            let found = match asked.load(Ordering::SeqCst) {
                true => None,
                false => with_large_stack(|| decide(&run, None, Scopes::SmallFirst, &asked)),
            };
            let settles = found.as_ref().is_some_and(Compared::settles);
            *shared.found.lock().unwrap_or_else(PoisonError::into_inner) = found;
            shared.ended.store(true, Ordering::SeqCst);
            let is_last = shared.is_awaited.load(Ordering::SeqCst);
            if (settles || is_last) && !asked.load(Ordering::SeqCst) {
                run.control.decided();
            }
        });
        Some(Background { pending, begin, stop })
    }

    /// Whether it has decided all that is asked.
    pub(super) fn settles(&self) -> bool {
        self.pending.found().as_ref().is_some_and(Compared::settles)
    }

    /// Waits until it ends or the run has to.
    pub(super) fn wait(&self, run: &Run) {
        // It may have begun before.
        let _ = self.begin.send(());
        let mut stopped: Option<Instant> = None;
        while !self.pending.has_ended() {
            if run.control.stopped().is_some() {
                stopped.get_or_insert_with(Instant::now);
            }
            if stopped.is_some_and(|since| since.elapsed() > LAST_WORDS) {
                break;
            }
            std::thread::sleep(TICK);
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

/// Which scopes the explicit search visits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scopes {
    /// The one that is asked about.
    Asked,
    /// Smaller ones before.
    SmallFirst,
}

/// Tries both ways. `None` where the scope cannot be used or no such solver is there.
fn decide(run: &Run, states: Option<usize>, which: Scopes, stop: &AtomicBool) -> Option<Compared> {
    let refined = run.model.refined.as_ref()?;
    let solver = solvers::choose_if_any(run.arguments.solver.name.as_deref()).ok()?;
    let parts = refined.side_by_side(&run.model);
    let is_finite = run.scope.is_finite(&run.model);
    let asked_scope = if is_finite { run.scope.clone() } else { in_prob_sizes(run)? };
    // Those of the run are cancelled where an answer from beside has ended the engines, which is nobody's wish here.
    let mut explicit_budget = Budget::unlimited();
    explicit_budget.deadline = run.control.budget.deadline;
    let mut symbolic_budget = Budget::unlimited();
    symbolic_budget.deadline = run.control.budget.deadline;
    let over = AtomicBool::new(false);
    let comparison = Explicit {
        model: &run.model,
        parts: &parts,
        solver: solver.clone(),
        states,
        valuations: None,
        memory: run.arguments.limits.memory.and_then(|n| usize::try_from(n / 2).ok()),
        no_well_definedness: run.arguments.no_wd,
        budget: explicit_budget.clone(),
    };
    let symbolic = |solver: &SolverChoice| {
        let simulated = prove(&run.model, refined, &run.scope, solver, symbolic_budget.clone());
        if simulated.proof.is_some() || simulated.violated.is_some() {
            explicit_budget.cancel();
        }
        simulated
    };
    let is_tried = which == Scopes::SmallFirst;
    let (found, simulated) = std::thread::scope(|threads| {
        threads.spawn(|| {
            while !over.load(Ordering::SeqCst) {
                if stop.load(Ordering::SeqCst) || run.control.stopped().is_some() {
                    explicit_budget.cancel();
                    symbolic_budget.cancel();
                }
                std::thread::sleep(TICK);
            }
        });
        let beside = solver.as_ref().filter(|_| is_tried);
        let beside = beside.map(|solver| threads.spawn(|| with_large_stack(|| symbolic(solver))));
        let found = match which {
            Scopes::Asked => comparison.ask(&asked_scope, None).settled(),
            Scopes::SmallFirst => comparison.small_first(run, &asked_scope),
        };
        if found.is_final(is_finite) {
            symbolic_budget.cancel();
        }
        let mut simulated = beside.and_then(|thread| thread.join().ok());
        // What cannot be listed may be proved all the same.
        let undecided = matches!(
            &found.report.verdict,
            RefinementVerdict::Unknown(Unknown::Incomplete | Unknown::Bounded | Unknown::TooManyValues)
        );
        if let (false, true, Some(solver)) = (is_tried, undecided, &solver) {
            simulated = Some(symbolic(solver));
        }
        over.store(true, Ordering::SeqCst);
        (found, simulated)
    });
    let outcome = found.with(simulated, is_finite);
    Some(Compared {
        model: run.model.clone(),
        parts: Arc::new(parts),
        outcome,
        command: run.engine,
        asked_scope: run.scope.clone(),
        settings: run.settings.clone(),
        asked: asked(run),
        is_of_states: is_of_states(run),
        stopped: run.control.stopped(),
    })
}

/// The scope of a run with ProB's sizes for the sets that it leaves open.
fn in_prob_sizes(run: &Run) -> Option<Scope> {
    let mut sizes = run.arguments.scope.clone();
    sizes.scope.push(ScopeItem::Prob);
    let prob = input::scope(&run.model, &sizes).ok()?;
    Some(run.scope.with_open_sets(&run.model, |set| prob.sizes.get(&set).copied().unwrap_or(1)))
}

/// The explicit search of a refinement beside its abstractions.
pub(super) struct Explicit<'m> {
    pub(super) model: &'m Arc<Model>,
    pub(super) parts: &'m SideBySide,
    pub(super) solver: Option<SolverChoice>,
    pub(super) states: Option<usize>,
    pub(super) valuations: Option<usize>,
    /// In bytes.
    pub(super) memory: Option<usize>,
    pub(super) no_well_definedness: bool,
    pub(super) budget: Budget,
}

/// The result of a search in one scope.
#[derive(Clone)]
pub(super) struct Searched {
    pub(super) scope: Scope,
    pub(super) report: RefinementReport,
}

/// The result of all searches.
struct Found {
    /// In the scope that decides.
    scope: Scope,
    report: RefinementReport,
    /// A search of a smaller scope that says something which is not known to be so in the scope that was asked about.
    smaller: Option<Searched>,
    /// The scope is the one that was asked about, with sizes for sets that it leaves open.
    is_asked: bool,
}

impl Searched {
    fn settled(self) -> Found {
        Found { scope: self.scope, report: self.report, smaller: None, is_asked: true }
    }
}

impl Found {
    /// Whether another way has nothing to add.
    fn is_final(&self, is_finite: bool) -> bool {
        match &self.report.verdict {
            RefinementVerdict::Violated(_) | RefinementVerdict::Contradiction(_) => true,
            RefinementVerdict::Holds => is_finite && self.is_asked,
            RefinementVerdict::Vacuous(_) | RefinementVerdict::Unknown(_) => false,
        }
    }

    fn with(self, simulated: Option<Simulated>, is_finite: bool) -> Outcome {
        let is_whole = is_finite && self.is_asked;
        let searched = Searched { scope: self.scope, report: self.report };
        Outcome { searched, is_whole, smaller: self.smaller, simulated }
    }
}

impl Explicit<'_> {
    /// Searches one scope, at most for so long.
    pub(super) fn ask(&self, scope: &Scope, longest: Option<Duration>) -> Searched {
        self.ask_with(scope, longest, &mut |_: &Progress| {})
    }

    /// Searches one scope and tells of the progress.
    pub(super) fn ask_with(
        &self,
        scope: &Scope,
        longest: Option<Duration>,
        observer: &mut dyn bsym_explore::report::Observer,
    ) -> Searched {
        let time = [self.budget.left(), longest].into_iter().flatten().min();
        let options = RefinementOptions {
            limits: Limits { time, memory: self.memory, states: self.states, valuations: self.valuations },
            cancelled: self.budget.cancellation(),
            no_well_definedness: self.no_well_definedness,
            reference_only: false,
        };
        let finder = Patience::new(Arc::new(self.parts.model.clone()), self.solver.clone(), &self.budget);
        let finder = Some(&finder as &dyn ValueFinder);
        let problem = Problem { model: &self.parts.model, scope, finder };
        let report = check(&problem, self.parts, self.model, &options, observer);
        Searched { scope: scope.clone(), report }
    }

    /// Looks whether a violation is one with the bounds of another scope, too.
    pub(super) fn repeat(&self, found: &Unmatched, bounds: &Scope) -> Repeated {
        let Scope { maxint, minint, .. } = bounds.clone();
        let scope = Scope { maxint, minint, ..found.trace.scope.clone() };
        let problem = Problem { model: &self.parts.model, scope: &scope, finder: None };
        repeat(&problem, self.parts, self.model, found, REPEATED, &self.budget.cancellation())
    }

    /// Searches small scopes for a while, then the one that is asked about, and at last the small ones without a limit.
    fn small_first(&self, run: &Run, asked: &Scope) -> Found {
        let small = smaller(&self.parts.model, &run.arguments.scope, asked);
        let mut smaller: Option<Searched> = None;
        let mut unfinished = vec![];
        for scope in small {
            let searched = self.ask(&scope, Some(SMALL));
            match self.lifted(&searched, asked) {
                Ok(found) => return found,
                Err(is_finished) if !is_finished => unfinished.push(scope),
                Err(_) => {}
            }
            if says_something(&searched) {
                smaller = Some(searched);
            }
        }
        let searched = self.ask(asked, None);
        let is_open = matches!(searched.report.verdict, RefinementVerdict::Unknown(_));
        for scope in unfinished.into_iter().filter(|_| is_open) {
            let again = self.ask(&scope, None);
            if let Ok(found) = self.lifted(&again, asked) {
                return found;
            }
            if says_something(&again) {
                smaller = Some(again);
            }
        }
        Found { smaller, ..searched.settled() }
    }

    /// A violation of a smaller scope as one of the scope that is asked about, where it is one; else whether the search of the
    /// smaller scope came to an end.
    fn lifted(&self, searched: &Searched, asked: &Scope) -> Result<Found, bool> {
        match &searched.report.verdict {
            RefinementVerdict::Violated(found) => match self.repeat(found, asked) {
                Repeated::Unmatched(found) => {
                    let scope = found.trace.scope.clone();
                    let report = RefinementReport {
                        verdict: RefinementVerdict::Violated(found),
                        ..searched.report.clone()
                    };
                    Ok(Found { scope, report, smaller: None, is_asked: true })
                }
                Repeated::Gone | Repeated::Undecided(_) => Err(true),
            },
            RefinementVerdict::Unknown(Unknown::Timeout) => Err(false),
            _ => Err(true),
        }
    }
}

fn says_something(searched: &Searched) -> bool {
    matches!(searched.report.verdict, RefinementVerdict::Holds | RefinementVerdict::Violated(_))
}

/// The scope with small bounds of the integers, and the one in which the largest integer of the model is `MAXINT`, where
/// formulas speak of the bounds and nobody has chosen them.
fn smaller(joint: &Model, arguments: &ScopeArguments, asked: &Scope) -> Vec<Scope> {
    if arguments.maxint.is_some() || joint.hints.maxint.is_some() || !reads_bounds(joint) {
        return vec![];
    }
    let small = Scope {
        maxint: Int::from(prob_profile::MAXINT),
        minint: match arguments.minint.is_some() || joint.hints.minint.is_some() {
            true => asked.minint.clone(),
            false => Int::from(prob_profile::MININT),
        },
        ..asked.clone()
    };
    if small.maxint >= asked.maxint {
        return vec![];
    }
    let literal = literal_scope(joint, &small).filter(|scope| scope.maxint < asked.maxint);
    std::iter::once(small).chain(literal).collect()
}

/// The scope in which the largest integer that the levels write is `MAXINT`, where that is above the one of a scope.
pub(super) fn literal_scope(joint: &Model, scope: &Scope) -> Option<Scope> {
    let widest = Int::from(2147483647i64);
    let literal = LargestLiteral::of(joint).filter(|n| *n > scope.maxint && *n <= widest)?;
    Some(with_maxint(scope, &literal))
}

/// Whether any formula of a model depends on MAXINT or MININT.
pub(super) fn reads_bounds(model: &Model) -> bool {
    let mut bounds = Bounds::default();
    walk_model(&mut bounds, model);
    walk_operators(&mut bounds, model);
    bounds.found
}

/// What is asked of the machine.
pub(super) fn asked(run: &Run) -> Asked {
    let names = &run.arguments.properties;
    let has = |wanted: Property| run.properties.contains(&wanted);
    Asked {
        invariant: run.arguments.conjunct.is_empty()
            && (names.is_empty() || names.contains(&PropertyName::Inv)),
        assertions: (0..run.model.assertions.len()).all(|i| has(Property::Assertion(i))),
        deadlock: has(Property::DeadlockFree),
    }
}

/// Whether nothing is asked but the invariant and assertions.
fn is_of_states(run: &Run) -> bool {
    run.properties.iter().all(|p| matches!(p, Property::Invariant(_) | Property::Assertion(_)))
}
