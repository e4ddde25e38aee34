//! Larger scopes where a scope that the user did not choose has no state: they are tried before the axioms are blamed.
//! If none has a state, the axioms that contradict each other are named.

use std::sync::Arc;
use std::time::Instant;

use bsym_encodings::budget::Budget;
use bsym_encodings::patience::Patience;
use bsym_encodings::session::open::{self, SolverChoice};
use bsym_explore::existence::{Existence, existence, valuation};
use bsym_explore::search::Problem;
use bsym_language::model::Model;
use bsym_proofs::contradiction::{is_refuted, minimal_core, with_axioms};
use bsym_semantics::evaluator::finder::ValueFinder;
use bsym_semantics::scope::{Chosen, Scope};
use bsym_semantics::verdict::Reason;

use crate::arguments::{ScopeArguments, ScopeItem};
use crate::commands::default_scope::{sizes_text, undecided};
use crate::input;
use crate::race::control::Control;
use crate::tuning::tuning;

/// Result of trying larger scopes.
pub(super) enum Enlarged {
    /// There is an initial state in a larger scope, which these arguments name.
    Larger(ScopeArguments),
    /// The axioms with these positions contradict each other, or there is no initial state in a scope that leaves
    /// nothing open. The text names the scopes for which that is known, if it is more than the current one.
    Vacuous(Vec<usize>, Option<String>),
    /// No scope that was tried has a state, and others may have.
    Undecided(Reason),
}

/// A scope without a state, and the input of the search for a larger one.
pub(super) struct Enlarging<'a> {
    pub(super) model: &'a Arc<Model>,
    pub(super) scope: &'a Scope,
    /// The scope that was asked for.
    pub(super) arguments: &'a ScopeArguments,
    pub(super) budget: &'a Budget,
    pub(super) solver: Option<&'a SolverChoice>,
}

/// Returns the positions of axioms that contradict each other in this scope and in all that it was chosen from.
/// `arguments` are the scope that was asked for.
pub(super) fn contradiction(
    model: &Arc<Model>,
    scope: &Scope,
    arguments: &ScopeArguments,
    control: &Control,
    solver: Option<&SolverChoice>,
) -> Option<Vec<usize>> {
    Enlarging { model, scope, arguments, budget: &control.budget, solver }.contradiction()
}

impl Enlarging<'_> {
    /// Looks for a larger scope with a state. `tried` gets the scopes without one.
    pub(super) fn enlarge(&self, has_valuation: bool, tried: &mut Vec<Scope>) -> Enlarged {
        let Enlarging { model, scope, arguments, budget, solver } = *self;
        let chosen = match input::scope_request(arguments) {
            Ok(request) => scope.chosen(model, &request),
            Err(_) => Chosen::default(),
        };
        let left = budget.left().map_or(tuning().scopes.trials, |left| tuning().scopes.trials.min(left / 2));
        let end = Instant::now() + left;
        let finder = Patience::new(model.clone(), solver.cloned(), budget);
        let finder = Some(&finder as &dyn ValueFinder);
        for scope in scope.larger(&chosen) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || budget.is_cancelled() {
                break;
            }
            let problem = Problem { model, scope: &scope, finder };
            if existence(&problem, left.min(tuning().scopes.trial), &budget.cancellation())
                == Existence::Begins
            {
                return Enlarged::Larger(named(model, arguments, &scope, &chosen));
            }
            tried.push(scope);
        }
        if has_valuation {
            return match chosen.is_nothing() {
                true => Enlarged::Vacuous(vec![], None),
                false => Enlarged::Undecided(undecided(model, tried, &chosen, "no initial state")),
            };
        }
        match self.core(finder, &chosen) {
            Some(core) if chosen.is_nothing() => Enlarged::Vacuous(core, None),
            Some(core) => {
                let sizes = sizes_text(model, tried, &chosen);
                let text = format!("{sizes} were tried, and a solver refutes the axioms for all others");
                Enlarged::Vacuous(core, Some(text))
            }
            None if chosen.is_nothing() => Enlarged::Vacuous(vec![], None),
            None => Enlarged::Undecided(undecided(model, tried, &chosen, "no valuation of the constants")),
        }
    }

    /// Returns the positions of axioms that contradict each other in this scope and in all that it was chosen from.
    pub(super) fn contradiction(&self) -> Option<Vec<usize>> {
        let request = input::scope_request(self.arguments).ok()?;
        let chosen = self.scope.chosen(self.model, &request);
        let finder = Patience::new(self.model.clone(), self.solver.cloned(), self.budget);
        self.core(Some(&finder), &chosen)
    }

    /// Returns the axioms that contradict each other whatever the scope leaves open.
    fn core(&self, finder: Option<&dyn ValueFinder>, chosen: &Chosen) -> Option<Vec<usize>> {
        let Enlarging { model, scope, solver, .. } = *self;
        let budget = self.budget.within(tuning().scopes.core);
        let scopes = open_scopes(scope, chosen);
        let all: Vec<usize> = (0..model.axioms.len()).collect();
        if let Some(solver) = solver {
            let mut refutes = |axioms: &[usize]| {
                let once = |scope: &Scope| {
                    is_refuted(model, axioms, scope, &budget, &mut |terms| open::open(terms, solver))
                        .unwrap_or(false)
                };
                // A query that fails for another reason than its formulas would leave an axiom too many in the core.
                scopes.iter().all(|scope| (0..tuning().scopes.attempts).any(|_| once(scope)))
            };
            if refutes(&all) {
                return Some(minimal_core(all, &mut refutes));
            }
        }
        // The evaluator can only be asked about the current scope.
        let mut refutes = |axioms: &[usize]| {
            let part = with_axioms(model, axioms);
            let left = budget.left().unwrap_or(tuning().scopes.core);
            let problem = Problem { model: &part, scope, finder };
            chosen.is_nothing()
                && valuation(&problem, left.min(tuning().scopes.trial), &budget.cancellation())
                    == Existence::Nothing
        };
        refutes(&all).then(|| minimal_core(all, &mut refutes))
    }
}

/// Returns the scope with everything that was chosen by default left open, and small ones that it covers.
fn open_scopes(scope: &Scope, chosen: &Chosen) -> Vec<Scope> {
    let mut any = scope.clone();
    any.sizes.retain(|set, _| !chosen.sets.contains(set));
    if chosen.bounds {
        any.maxint = 2147483647.into();
        if chosen.minint {
            any.minint = (-2147483648).into();
        }
    }
    let mut scopes = vec![any];
    if !chosen.sets.is_empty() {
        for n in 1..=tuning().scopes.confirmed {
            let mut small = scopes[0].clone();
            small.sizes.extend(chosen.sets.iter().map(|set| (*set, n)));
            scopes.push(small);
        }
    }
    scopes
}

/// Returns the arguments in which everything that was chosen is named.
fn named(model: &Model, arguments: &ScopeArguments, scope: &Scope, chosen: &Chosen) -> ScopeArguments {
    let mut named = arguments.clone();
    for set in &chosen.sets {
        if let Some(size) = scope.sizes.get(set) {
            named.scope.push(ScopeItem::Size(model.types.carriers[set.index()].name.clone(), *size));
        }
    }
    if chosen.bounds {
        named.maxint = Some(scope.maxint.clone());
        if chosen.minint {
            named.minint = Some(scope.minint.clone());
        }
    }
    named
}
