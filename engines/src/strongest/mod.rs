//! Strongest invariants of small vocabularies, for sets of any size.
//!
//! Where variables speak of deferred sets without a size, a [vocabulary] of atoms about their elements is made from the
//! types of the variables and from what the model says itself ([derived]). Where the sets have a few elements, the
//! strongest [clauses] of a few literals that hold in all reachable states, as far as clauses tell states apart, are
//! found from below: a state that a step leads to from states where all hold takes away what is false in it ([finite]).
//! They are the least fixpoint in this language, so that one too weak to exclude a violation calls for a richer one. Of
//! those that exclude it the ones that are needed are asked about sets of any size; if one does not hold there, sets are
//! made larger.
//!
//! After DuoAI (Yao and others, OSDI 2022), IC3PO (Goel & Sakallah, NFM 2021), endive (Schultz et al. FMCAD
//! 2022), whose grammars and orders of search are other ones. A proof is checked like any other.

pub(crate) mod any_size;
mod clauses;
mod derived;
mod finite;
mod prefix;
pub(crate) mod vocabulary;

use bsym_encodings::session::SolverError;
use bsym_language::model::Pred;
use bsym_language::print;
use bsym_proofs::claim::{Claim, Evidence};
use bsym_semantics::verdict::Reason;

use crate::invariants::guess::Needs;
use crate::outcome::{Outcome, Work};
use crate::problem::Problem;
use crate::tuning::tuning;
use crate::verdict::Progress;
use any_size::{AnySize, Proved};
use finite::{Finite, Sufficiency};
use prefix::Prefix;
use vocabulary::Vocabulary;

/// A language of invariants.
struct Stage {
    /// Number of names for each open set that relations use twice, and for the others.
    names: [usize; 2],
    /// Most literals.
    most: usize,
    /// With atoms that say that some element is related.
    joins: bool,
}

/// The languages, from the poorest to richer ones.
const STAGES: [Stage; 5] = [
    Stage { names: [1, 1], most: 3, joins: false },
    Stage { names: [2, 1], most: 3, joins: false },
    Stage { names: [2, 2], most: 3, joins: false },
    Stage { names: [3, 1], most: 3, joins: false },
    Stage { names: [2, 1], most: 3, joins: true },
];

/// What a stage came to.
enum End {
    /// A proof, not yet checked.
    Proof(Claim),
    /// Nothing; why.
    Nothing(&'static str),
}

/// Searches for a proof for sets of any size.
///
/// # Errors
/// If the solver fails.
pub(crate) fn run(problem: &mut Problem, work: &mut Work<'_, '_>) -> Result<Outcome, SolverError> {
    let gave_up = |why: &str| Ok(Outcome::Unknown(Reason::Exhausted(why.into())));
    if !problem.is_complete() || problem.is_settled(work.job) {
        return gave_up("there is nothing to search");
    }
    let Some(mut vocabulary) = Vocabulary::plain(problem, work.job) else {
        return gave_up("no deferred set has any size");
    };
    vocabulary.add_suggested(problem, work.job);
    let mut any = None;
    let mut why = "";
    for size in tuning().strongest.sizes {
        let mut finite = Finite::new(problem, &vocabulary, size, work)?;
        let mut before = vec![];
        for stage in &STAGES {
            if let Err(stopped) = work.check() {
                return Ok(Outcome::Unknown(stopped.into()));
            }
            if stage.joins {
                vocabulary.add_joins(problem, work.job);
                finite = Finite::new(problem, &vocabulary, size, work)?;
            }
            let Some(finite) = &mut finite else { return gave_up("a part of the model has no term") };
            let prefix = Prefix::new(&vocabulary, &vocabulary.counts(stage.names));
            // The same names again are the same language.
            if before == prefix.sorts && !stage.joins {
                continue;
            }
            before = prefix.sorts.clone();
            match one(problem, &vocabulary, finite, (&prefix, stage.most), &mut any, work)? {
                End::Proof(claim) => return Ok(Outcome::Proof(claim)),
                End::Nothing(reason) => why = reason,
            }
        }
    }
    gave_up(why)
}

/// Searches the clauses of one language in sets of one size, and asks about any size.
fn one(
    problem: &mut Problem,
    vocabulary: &Vocabulary,
    finite: &mut Finite,
    (prefix, most): (&Prefix, usize),
    any: &mut Option<AnySize>,
    work: &mut Work<'_, '_>,
) -> Result<End, SolverError> {
    let model = work.job.model.clone();
    let mut search = match finite.search(vocabulary, prefix, most, problem, work)? {
        Ok(search) => search,
        Err(why) => return Ok(End::Nothing(why)),
    };
    loop {
        if work.check().is_err() {
            return Ok(End::Nothing("time is up"));
        }
        let enough = match search.enough(work)? {
            Sufficiency::Enough(enough) => enough,
            Sufficiency::Open(why) => return Ok(End::Nothing(why)),
        };
        let lemmas: Vec<Pred> =
            enough.clauses.iter().map(|(c, _)| prefix.pred(&model, vocabulary, c)).collect();
        let asked = match any.take() {
            Some(asked) => asked,
            None => AnySize::new(problem, work)?,
        };
        let needs = Needs {
            excluding: enough.excluding.clone(),
            supports: enough.clauses.iter().map(|(_, support)| support.clone()).collect(),
        };
        match any.insert(asked).prove(problem, &lemmas, &needs, work)? {
            Proved::All => {
                for lemma in &lemmas {
                    let text = print::pred(&model, lemma);
                    work.observer.progress(&Progress::Lemma { frame: 0, text });
                }
                return Ok(End::Proof(problem.claim(work.job, Evidence::Inductive { lemmas })));
            }
            Proved::Not(i) => search.refuse(enough.clauses[i].0.clone()),
            Proved::NotAll => {
                return Ok(End::Nothing("clauses that are enough in small sets are not in larger ones"));
            }
        }
    }
}
