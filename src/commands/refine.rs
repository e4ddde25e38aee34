//! `bsym refine`: compares a refinement of classical B with its abstractions, in a finite scope.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::bail;
use bsym_explore::refinement::Repeated;
use bsym_language::int::Int;
use bsym_language::model::{Model, Notation, Relation};
use bsym_semantics::scope::Scope;
use bsym_semantics::trace::bounds::{proposals, widest, with_maxint};
use bsym_semantics::verdict::{Reason, Vacuous, Verdict};

use crate::answer::Answer;
use crate::answer::property::AxiomObject;
use crate::answer::refinement::{RefinementAnswer, RefinementObject, UnmatchedObject, Words};
use crate::answer::scope::ScopeObject;
use crate::answer::verdict_word::VerdictWord;
use crate::answer::verification::search_reason;
use crate::arguments::{RefineArguments, ScopeArguments};
use crate::commands::enlarge::{Enlarged, Enlarging};
use crate::commands::explicit::{Explicit, Searched, literal_scope, reads_bounds};
use crate::commands::simulation::{not_decided, prove};
use crate::commands::{compared, default_scope};
use crate::progress::Reporter;
use crate::race::control::Control;
use crate::refusal::Refusal;
use crate::tuning::tuning;
use crate::{input, output, solvers, traces};

/// Runs the command.
pub fn run(arguments: &RefineArguments, control: &Control) -> anyhow::Result<Answer> {
    if let Some(path) = &arguments.trace {
        traces::Format::of(path)?;
        let inputs: [&Path; 1] = [&arguments.file];
        output::check_writable(path, "--trace", &inputs)?;
    }
    let solver = solvers::choose_if_any(arguments.solver.name.as_deref())?;
    let read =
        input::finite_refinement(&arguments.file, &arguments.component, &arguments.scope, &arguments.output)?;
    let input::Finite { model, scope, settings, sizes } = read;
    let Some(refined) = &model.refinement.refined else { bail!(no_abstraction(&model)) };
    let parts = refined.side_by_side(&model);
    let begun = RefinementAnswer {
        format: "bsym-refine",
        version: 1,
        machine: model.name.clone(),
        file: arguments.file.display().to_string(),
        found: RefinementObject::new(&parts, ScopeObject::new(&model, &scope, &settings)),
        simulation: None,
        trace_file: None,
        core: vec![],
        not_checked: compared::left(&model),
        cached: None,
        baseline: None,
    };
    // The known part of the answer is printed if the search, or the proof after it, does not stop when it is asked to.
    let known: Arc<Mutex<Option<RefinementAnswer>>> = Arc::default();
    let (stuck, clock, undecided) = (known.clone(), control.clone(), begun.clone());
    control.set_fallback(move |reason| {
        let compared = stuck.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut answer = compared.unwrap_or_else(|| {
            let mut answer = undecided;
            answer.found.unknown(reason);
            answer
        });
        answer.found.stats.seconds = clock.seconds();
        Answer::Refinement(Box::new(answer))
    });
    let shared = Arc::new(model.clone());
    let mut reporter = Reporter::new(shared.clone(), control, &arguments.output, Arc::default());
    let search = Search {
        explicit: Explicit {
            model: &shared,
            parts: &parts,
            solver: solver.clone(),
            states: arguments.max_states,
            valuations: arguments.max_valuations,
            memory: arguments.limits.memory.and_then(|n| usize::try_from(n).ok()),
            no_well_definedness: false,
            budget: control.budget.clone(),
        },
        sizes: &sizes,
        control,
    };
    let mut tried = vec![];
    let found = search.run(&scope, &mut tried, &mut reporter);
    let core = match &found.searched.report.verdict {
        Verdict::Vacuous(Vacuous::NoValuation, _) => search.enlarging(&found.searched.scope).contradiction(),
        _ => None,
    };
    let Found { searched: Searched { scope, report }, only_in_scope } = found;
    let words = Words { model: &model, parts: &parts, scope: &scope };
    let told = |scope: &Scope| ScopeObject::new(&model, scope, &settings);
    let why =
        |reason: &Reason| search_reason(&model, reason, &report.incomplete, &report.cuts, control.stopped());
    let mut answer = begun;
    answer.found.scope = told(&scope);
    answer.found.settle(&words, &report, &why);
    if let Some(found) = &mut answer.found.counterexample
        && found.only_in_scope.is_none()
    {
        found.only_in_scope.clone_from(&only_in_scope);
    }
    answer.core = AxiomObject::all(&model, core.as_deref().unwrap_or_default());
    if let (Verdict::Vacuous(_, why), None) = (&report.verdict, &core) {
        let request = input::scope_request(&sizes);
        let chosen = request.map(|request| scope.chosen(&parts.model, &request)).unwrap_or_default();
        if !chosen.is_nothing() {
            answer.found.unknown(&default_scope::undecided(&model, &tried, &chosen, why));
        }
    }
    let mut simulated = None;
    let is_open = match &report.verdict {
        Verdict::Holds(()) | Verdict::Unknown(_) => true,
        // A property that is violated in one scope alone may hold in the others.
        Verdict::Violated(_) => only_in_scope.is_some(),
        _ => false,
    };
    if let (Some(solver), true, None) = (&solver, is_open, control.stopped()) {
        let open = input::scope(&model, &arguments.scope)?;
        let mut compared = answer.clone();
        compared.found.leave_open(&compared::not_compared(&model));
        compared.simulation = Some(not_decided(&model, &open));
        *known.lock().unwrap_or_else(PoisonError::into_inner) = Some(compared);
        let budget = match control.budget.deadline {
            Some(_) => control.budget.clone(),
            None => control.budget.within(report.time.max(tuning().beside.refinement_patience)),
        };
        simulated = Some(prove(&model, refined, &open, solver, budget));
    }
    control.finish();
    reporter.finish();
    let mut trace = match &report.verdict {
        Verdict::Violated(found) => Some(&found.trace),
        _ => None,
    };
    if let Some((engine, _)) = simulated.as_ref().and_then(|s| s.proof.as_ref()) {
        let open = input::scope(&model, &arguments.scope)?;
        // A proof for all sizes excludes violations in every scope.
        (answer.found.counterexample, trace) = (None, None);
        if answer.found.verdict != VerdictWord::Holds {
            answer.found.prove(told(&open), engine);
        }
    } else if let Some(found) = simulated.as_ref().and_then(|s| s.violated.as_deref())
        && (trace.is_none() || found.trace.scope.maxint > scope.maxint)
    {
        let words = Words { scope: &found.trace.scope, ..words };
        answer.found.refute(told(&found.trace.scope), UnmatchedObject::new(&words, found));
        trace = Some(&found.trace);
    }
    answer.found.leave_open(&compared::not_compared(&model));
    answer.simulation = simulated.as_ref().map(|s| s.object.clone());
    if let (Some(path), Some(trace)) = (&arguments.trace, trace)
        && output::write(path, &traces::text(path, &model, trace))
    {
        answer.trace_file = Some(path.display().to_string());
    }
    answer.found.stats.seconds = control.seconds();
    Ok(Answer::Refinement(Box::new(answer)))
}

/// The search of a scope, with its arguments.
struct Search<'r, 'm> {
    explicit: Explicit<'m>,
    /// The arguments with ProB's sizes where the user gives none.
    sizes: &'r ScopeArguments,
    control: &'r Control,
}

/// Result of the search, in the scope that it says something about.
struct Found {
    searched: Searched,
    /// For a violation: the note that it is due to the bounds of the integers alone, and what to try.
    only_in_scope: Option<String>,
}

impl Search<'_, '_> {
    /// Searches the scope. Where the user did not choose its bounds and they leave nothing to compare, are too small
    /// for the integers of the model or are the reason of a violation, searches larger scopes as well.
    fn run(&self, scope: &Scope, tried: &mut Vec<Scope>, reporter: &mut Reporter) -> Found {
        let mut first = self.judge(self.ask(scope, reporter));
        if let Verdict::Vacuous(why, _) = &first.searched.report.verdict
            && let Some(larger) = self.larger(scope, *why, tried)
        {
            first = self.judge(self.ask(&larger, reporter));
        }
        let model = &self.explicit.parts.model;
        let is_chosen =
            self.sizes.maxint.is_some() || model.definitions.hints.maxint.is_some() || !reads_bounds(model);
        let Some(larger) = literal_scope(model, &first.searched.scope).filter(|_| !is_chosen) else {
            return first;
        };
        let longest = match &first.searched.report.verdict {
            // The violation occurs with any bounds, or there is nothing to compare.
            Verdict::Violated(_) if first.only_in_scope.is_none() => return first,
            Verdict::Violated(_) => None,
            Verdict::Holds(()) => {
                Some((4 * first.searched.report.time).max(tuning().beside.refinement_patience))
            }
            _ => return first,
        };
        let second = self.judge(self.explicit.ask_with(&larger, self.time(longest), reporter));
        match (&first.searched.report.verdict, &second.searched.report.verdict) {
            (_, Verdict::Holds(())) => second,
            (_, Verdict::Violated(_)) if second.only_in_scope.is_none() => second,
            _ => first,
        }
    }

    fn ask(&self, scope: &Scope, reporter: &mut Reporter) -> Searched {
        self.explicit.ask_with(scope, self.time(None), reporter)
    }

    /// Returns the time for the search. The other half of the remaining time is for a proof.
    fn time(&self, longest: Option<Duration>) -> Option<Duration> {
        let half = self.control.budget.left().map(|left| left / 2);
        [half, longest].into_iter().flatten().min()
    }

    /// Judges whether a violation is due to the bounds alone.
    fn judge(&self, searched: Searched) -> Found {
        let mut only_in_scope = None;
        let is_chosen = self.explicit.parts.model.definitions.hints.maxint.is_some();
        if let Verdict::Violated(found) = &searched.report.verdict
            && let Some(wide) = widest(&searched.scope).filter(|_| !is_chosen)
        {
            let maxint = &searched.scope.maxint;
            let proposals = proposals(&self.explicit.parts.model, maxint);
            let is_gone =
                |n: &&Int| self.explicit.repeat(found, &with_maxint(&searched.scope, n)) == Repeated::Gone;
            only_in_scope = match self.explicit.repeat(found, &wide) {
                Repeated::Unmatched(_) => None,
                Repeated::Gone => {
                    let n = proposals.iter().find(is_gone).unwrap_or(&wide.maxint);
                    Some(format!("violated because MAXINT is {maxint}: try `--maxint {n}`"))
                }
                Repeated::Undecided(_) => proposals.first().map(|n| {
                    format!("it is not known whether a larger MAXINT than {maxint} changes that: try `--maxint {n}`")
                }),
            };
        }
        Found { searched, only_in_scope }
    }

    /// The question about a scope without a state.
    fn enlarging<'s>(&'s self, scope: &'s Scope) -> Enlarging<'s> {
        Enlarging {
            model: self.explicit.model,
            scope,
            arguments: self.sizes,
            budget: &self.control.budget,
            solver: self.explicit.solver.as_ref(),
        }
    }

    /// Returns a larger scope in which there is something to compare. `tried` gets the scopes in which there is
    /// nothing.
    fn larger(&self, scope: &Scope, why: Vacuous, tried: &mut Vec<Scope>) -> Option<Scope> {
        tried.push(scope.clone());
        match self.enlarging(scope).enlarge(why != Vacuous::NoValuation, tried) {
            Enlarged::Larger(arguments) => input::scope(self.explicit.model, &arguments).ok(),
            Enlarged::Vacuous(..) | Enlarged::Undecided(_) => None,
        }
    }
}

fn no_abstraction(model: &Model) -> Refusal {
    if model.text.notation == Notation::EventB {
        return Refusal::new(format!("{} is an Event-B model", model.name))
            .help("`bsym check` and `bsym mc` check that the events of all levels can follow: guards, simulation, witnesses");
    }
    if model.text.components.iter().any(|c| c.relation == Relation::Refines) {
        return Refusal::new(format!("the abstraction of {} is not complete", model.name))
            .help("load all machines that it refers to");
    }
    Refusal::new(format!("{} refines nothing", model.name))
        .help("name a REFINEMENT or IMPLEMENTATION; its abstraction is looked for in the same folder")
}
