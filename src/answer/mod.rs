//! What a command answers, and how that is said: as text, as JSON, as an exit code.
//!
//! An answer is data. Whoever makes one decides nothing about its form, and whoever shows one ([`crate::output::show`])
//! decides nothing else. Every object of JSON is described by a file in `schema/`, which a test makes from the types.
//!
//! - The parts, each made of those before it: `words`, `named`, `diagnostic` (places and messages), `folding` (values as people read them), `encoding`, `scope`,
//!   `property`, `not_asked`, `not_checked`, `status` (imported proofs), `explanation` (why a
//!   predicate is false), `trace`, `failed_proof`, `verdict_word`, `reason_schema`, `proof`,
//!   `statistics`, `coverage`. The verdicts and reasons themselves are those of [`bsym_semantics::verdict`].
//! - The answers: [`verification`] (`check`, `bmc`, `tree`, `kind`, `ic3`, `mc`), [`several`] (`check` of several machines), `claim` and [`certification`], [`cases`] (`tests`), [`constraint`] (`cbc`), [`exported`] (`export`), [`replay`],
//!   [`simulation`], [`temporal`] (`ltl`), [`refinement`] (`refine`), [`graph`], [`evaluation`], [`choices`] (`animate`), [`parsed`], [`obligations`] (`po`), [`strengthened`], [`recorded`] (`proofs`), [`refused`], [`kept`] (from the cache), [`against`] (a baseline); [`found`], which one process tells another; and the
//!   [`event`]s on the way to one.

pub mod contradictory;
pub mod coverage;
pub mod diagnostic;
pub mod encoding;
pub mod explanation;
pub mod failed_proof;
pub mod folding;
pub mod left_out;
pub mod named;
pub mod not_asked;
pub mod not_checked;
pub mod proof;
pub mod property;
pub mod reason_schema;
pub mod scope;
pub mod statistics;
pub mod status;
pub mod trace;
pub mod verdict_word;
pub mod words;

pub mod against;
pub mod cases;
pub mod certification;
pub mod choices;
pub mod claim;
pub mod constraint;
pub mod evaluation;
pub mod event;
pub mod exported;
pub mod finding;
pub mod found;
pub mod graph;
pub mod kept;
pub mod obligations;
pub mod of_status;
pub mod open_obligation;
pub mod parsed;
pub mod recorded;
pub mod refinement;
pub mod refused;
pub mod replay;
pub mod several;
pub mod simulation;
pub mod strengthened;
pub mod temporal;
pub mod verification;

#[cfg(test)]
mod schema;

use bsym_semantics::verdict::Reason;
use serde::{Serialize, Serializer};

use self::against::Against;
use self::cases::CasesAnswer;
use self::certification::Certification;
use self::constraint::ConstraintAnswer;
use self::evaluation::Evaluation;
use self::exported::ExportAnswer;
use self::found::Found;
use self::graph::GraphAnswer;
use self::kept::Kept;
use self::obligations::Obligations;
use self::parsed::Parsed;
use self::recorded::Recorded;
use self::refinement::RefinementAnswer;
use self::refused::Refused;
use self::replay::Replay;
use self::several::Several;
use self::simulation::Simulation;
use self::strengthened::StrengthenedAnswer;
use self::temporal::TemporalAnswer;
use self::verification::Verification;
use crate::exit::Exit;
use crate::paint::Paint;

/// What a command answers.
#[derive(Serialize, Clone, Debug)]
#[serde(untagged)]
pub enum Answer {
    /// `check`, `bmc`, `tree`, `kind`, `ic3`, `mc`.
    Verification(Box<Verification>),
    /// `check`, of several machines.
    Several(Box<Several>),
    /// `certify`.
    Certification(Box<Certification>),
    /// `tests`.
    Cases(Box<CasesAnswer>),
    /// `cbc`.
    Constraint(Box<ConstraintAnswer>),
    /// `export`.
    Exported(Box<ExportAnswer>),
    /// `replay`.
    Replay(Box<Replay>),
    /// `simulate`.
    Simulation(Box<Simulation>),
    /// `ltl`.
    Temporal(Box<TemporalAnswer>),
    /// `refine`.
    Refinement(Box<RefinementAnswer>),
    /// `graph`.
    Graph(Box<GraphAnswer>),
    /// `eval`, of one input.
    Evaluation(Evaluation),
    /// `parse`.
    Parsed(Box<Parsed>),
    /// `po`.
    Obligations(Box<Obligations>),
    /// `strengthen`.
    Strengthened(Box<StrengthenedAnswer>),
    /// `proofs`.
    Recorded(Box<Recorded>),
    /// Wrong input, or a stop before there is anything to say.
    Refused(Refused),
    /// Any of these, held against known findings.
    #[serde(serialize_with = "with_baseline")]
    Against(Box<Answer>, Box<Against>),
    /// Any of these that was given before.
    Kept(Box<Kept>),
    /// What has no other form than text: completions, the manual.
    Text(String),
    /// The answer of a search for the process that asked for it.
    #[serde(skip)]
    Found(Box<Found>),
    /// Everything was said on the way.
    #[serde(skip)]
    Said(Exit),
}

/// Writes the object of an answer with the member `baseline`.
fn with_baseline<S: Serializer>(
    answer: &Answer,
    against: &Against,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let whole = serde_json::to_value(answer).and_then(|object| against.added_to(object));
    whole.map_err(serde::ser::Error::custom)?.serialize(serializer)
}

impl Answer {
    /// Of a command that was given wrong input.
    pub fn refused(error: &anyhow::Error) -> Answer {
        Answer::Refused(error.into())
    }

    /// Of a command that was stopped before it knew anything.
    pub fn stopped(reason: &Reason) -> Answer {
        Answer::Refused(Refused::new(format!("stopped: {}", reason.text()), Exit::Unknown))
    }

    /// What a script is told.
    pub fn exit(&self) -> Exit {
        match self {
            Answer::Verification(answer) => answer.exit(),
            Answer::Several(answer) => answer.exit(),
            Answer::Certification(answer) => answer.exit(),
            Answer::Cases(answer) => answer.exit(),
            Answer::Constraint(answer) => answer.exit(),
            Answer::Replay(answer) => answer.exit(),
            Answer::Simulation(answer) => answer.exit(),
            Answer::Temporal(answer) => answer.exit(),
            Answer::Refinement(answer) => answer.exit(),
            Answer::Graph(answer) => answer.exit(),
            Answer::Evaluation(answer) => answer.exit,
            Answer::Parsed(answer) => answer.exit(),
            Answer::Obligations(answer) => answer.exit(),
            Answer::Strengthened(answer) => answer.exit(),
            Answer::Against(_, against) => against.exit,
            Answer::Kept(answer) => answer.exit,
            Answer::Recorded(_) | Answer::Exported(_) | Answer::Text(_) => Exit::Done,
            Answer::Refused(answer) => answer.exit,
            Answer::Found(_) => Exit::Done,
            Answer::Said(exit) => *exit,
        }
    }

    /// What people are told; with `verbose`, all of it.
    pub fn text(&self, verbose: bool, paint: Paint) -> String {
        match self {
            Answer::Verification(answer) => answer.text(verbose, paint),
            Answer::Several(answer) => answer.text(),
            Answer::Certification(answer) => answer.text(paint),
            Answer::Cases(answer) => answer.text(verbose, paint),
            Answer::Constraint(answer) => answer.text(verbose, paint),
            Answer::Replay(answer) => answer.text(verbose, paint),
            Answer::Simulation(answer) => answer.text(verbose, paint),
            Answer::Temporal(answer) => answer.text(verbose, paint),
            Answer::Refinement(answer) => answer.text(verbose, paint),
            Answer::Graph(answer) => answer.text(verbose, paint),
            Answer::Evaluation(answer) => answer.text(paint),
            Answer::Parsed(answer) => answer.text(),
            Answer::Obligations(answer) => answer.text(verbose, paint),
            Answer::Strengthened(answer) => answer.text(verbose, paint),
            Answer::Recorded(answer) => answer.text(paint),
            Answer::Exported(answer) => answer.text(paint),
            Answer::Refused(answer) => answer.text(paint),
            Answer::Against(answer, against) => answer.text(verbose, paint) + &against.text(paint),
            Answer::Kept(answer) => answer.text().into(),
            Answer::Text(text) => text.clone(),
            Answer::Found(_) | Answer::Said(_) => String::new(),
        }
    }
}
