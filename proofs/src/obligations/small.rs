//! Obligations where the deferred sets are small.
//!
//! A statement about sets of any size holds for each size. With a settled size a set is an enumeration: quantifiers
//! over it are finite, so that a solver finds counterexamples, and the encoding differs from that of a proof in
//! first-order logic. A counterexample refutes an open obligation. If a proved obligation has one, bsym has a bug, and
//! the proof is rejected.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bsym_encodings::budget::{Budget, Stopped};
use bsym_encodings::session::SolverError;
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::Model;
use bsym_semantics::scope::Scope;
use bsym_status::file::Status;

use super::family::Entry;
use super::generate::{Generated, generate};
use super::obligation::Proof;
use crate::sequent::{Decision, Effort, Hypotheses, Prover};
use crate::tuning::tuning;

/// Outcome of an obligation in small sizes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Small {
    /// The obligation is false with these sizes, in words.
    Refuted(String),
    /// The obligation holds with some sizes, and no decided size refutes it.
    Holds,
    /// Nothing was decided.
    Nothing,
}

/// The obligations of a machine in small scopes.
pub(super) struct SmallSizes<'m> {
    model: &'m Arc<Model>,
    sizes: Vec<Size>,
}

struct Size {
    scope: Scope,
    text: String,
    /// Made on first use.
    obligations: OnceCell<Encoded>,
    /// Families whose hypotheses are satisfiable, as far as that is known.
    satisfiable: RefCell<BTreeMap<usize, bool>>,
}

struct Encoded {
    terms: Rc<Terms>,
    generated: Generated,
    /// Obligations by name: the family, and the position in it.
    places: BTreeMap<String, (usize, usize)>,
}

impl<'m> SmallSizes<'m> {
    /// Small sizes of a machine's open sets; none if the scope leaves no set open.
    pub fn new(model: &'m Arc<Model>, scope: &Scope) -> Self {
        let open: Vec<&str> =
            scope.open_sets(model).map(|id| model.types.carriers[id.index()].name.as_str()).collect();
        let largest = if open.is_empty() { 0 } else { tuning().obligations.small_largest };
        let size = |n: usize| {
            let elements = if n == 1 { "one element".to_string() } else { format!("{n} elements") };
            let text = match open[..] {
                [one] => format!("where {one} has {elements}"),
                _ => format!("where {} have {elements} each", open.join(", ")),
            };
            let scope = scope.with_open_sets(model, |_| n);
            Size { scope, text, obligations: OnceCell::new(), satisfiable: RefCell::default() }
        };
        SmallSizes { model, sizes: (1..=largest).map(size).collect() }
    }

    /// Asks for an obligation, at most this long for all sizes. Obligations that are discharged in `all` may be used
    /// where they are lemmas.
    ///
    /// # Errors
    /// If the solver cannot be started.
    pub fn ask(
        &self,
        obligation: &str,
        all: &[Proof],
        prover: &mut Prover<'_>,
        budget: &Budget,
        time: Duration,
    ) -> Result<Small, SolverError> {
        let proved: BTreeSet<&str> =
            all.iter().filter(|p| p.status == Status::Discharged).map(|p| p.name.as_str()).collect();
        let mut found = Small::Nothing;
        let each = time / tuning().obligations.small_largest as u32;
        for size in &self.sizes {
            if budget.check().is_err() {
                break;
            }
            match size.ask(self.model, obligation, &proved, prover, budget, each)? {
                Decision::Refuted => return Ok(Small::Refuted(size.text.clone())),
                Decision::Proved => found = Small::Holds,
                Decision::Undecided(_) => {}
            }
        }
        Ok(found)
    }
}

impl Size {
    fn obligations(&self, model: &Arc<Model>) -> &Encoded {
        self.obligations.get_or_init(|| {
            let terms = Rc::new(Terms::new());
            let generated = generate(&terms, model, &self.scope);
            let mut places = BTreeMap::new();
            for (f, family) in generated.families.iter().enumerate() {
                for (e, entry) in family.entries.iter().enumerate() {
                    if let Entry::Ask { obligation, .. } = entry {
                        places.insert(generated.all[*obligation].name.clone(), (f, e));
                    }
                }
            }
            Encoded { terms, generated, places }
        })
    }

    fn ask(
        &self,
        model: &Arc<Model>,
        name: &str,
        proved: &BTreeSet<&str>,
        prover: &mut Prover<'_>,
        budget: &Budget,
        time: Duration,
    ) -> Result<Decision, SolverError> {
        let undecided = |why: &str| Ok(Decision::Undecided(Stopped::Incomplete(why.into())));
        let Encoded { terms, generated, places } = self.obligations(model);
        let Some(&(number, entry)) = places.get(name) else { return undecided("no such obligation") };
        let family = &generated.families[number];
        let mut said = family.said.clone();
        for entry in &family.entries[..entry] {
            match *entry {
                Entry::Known(t) => said.push(t),
                Entry::Ask { obligation, goal, lemma: true }
                    if proved.contains(generated.all[obligation].name.as_str()) =>
                {
                    said.push(goal);
                }
                Entry::Ask { .. } => {}
            }
        }
        let Entry::Ask { goal, .. } = family.entries[entry] else { unreachable!("it is asked") };
        let mut own = prover.over(terms.clone(), budget.within(time));
        let mut prove = |said: &[Term], goal| {
            let mut hypotheses = Hypotheses::new(said.iter().copied());
            let outcome = hypotheses.prove(&mut own, &[], goal, Effort::Quick(time));
            hypotheses.close(&mut own);
            outcome
        };
        let outcome = prove(&said, goal)?;
        let known = self.satisfiable.borrow().get(&number).copied();
        let satisfiable = match (&outcome, known) {
            (_, Some(known)) => known,
            (Decision::Proved, None) => prove(&family.said, Terms::FALSE)? == Decision::Refuted,
            _ => false,
        };
        if outcome == Decision::Proved {
            self.satisfiable.borrow_mut().insert(number, satisfiable);
        }
        let (statistics, checks) = (own.statistics, own.checks);
        prover.statistics += statistics;
        prover.checks += checks;
        match outcome {
            Decision::Refuted if !generated.complete => undecided("a hypothesis has no encoding"),
            Decision::Proved if !satisfiable => undecided("perhaps nothing is like that"),
            outcome => Ok(outcome),
        }
    }
}
