//! The answer of `certify`: what a certificate claims, and what its checks gave.

use std::fmt::{Result, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::claim::ClaimObject;
use super::proof::WalkedObject;
use super::status::PairObject;
use super::words::words;
use crate::exit::Exit;
use crate::paint::Paint;

words! {
    /// What came of the checks.
    CertificationVerdict {
        /// Every check passed.
        Certified = "certified",
        /// One failed.
        Refuted = "refuted",
        /// One is not decided.
        Undecided = "undecided",
        /// Every check passed, and nobody knows whether the claim is about anything.
        ExistenceUndecided = "existence-undecided",
    }
}

/// What bsym certify prints with --json
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct Certification {
    #[schemars(extend("const" = "bsym-certify"))]
    pub format: &'static str,
    #[schemars(extend("const" = 1))]
    pub version: u32,
    pub machine: Option<String>,
    pub verdict: CertificationVerdict,
    /// What was checked, read anew from the machine; missing where the time did not suffice for that.
    pub claim: Option<ClaimObject>,
    /// In the order they were asked.
    pub solvers: Vec<String>,
    /// What is to be known of the solvers, such as that one made the proof itself.
    pub notes: Vec<String>,
    /// Number of checks made.
    pub checks: usize,
    pub trusted: Vec<PairObject>,
    pub wrong: Vec<PairObject>,
    pub trusted_checks: Vec<String>,
    pub wrong_checks: Vec<String>,
    pub failed: Vec<String>,
    pub undecided: Vec<String>,
    /// Why nobody knows whether the claim is about anything, unless that is known.
    pub existence_undecided: Option<String>,
    pub stats: CertificationStats,
}

/// What the checks took.
#[derive(Serialize, JsonSchema, Clone, Debug)]
pub struct CertificationStats {
    pub seconds: f64,
    /// The evaluator's walk along the claim.
    pub walked: Option<WalkedObject>,
}

impl Certification {
    /// Before any check.
    pub fn new(claim: Option<ClaimObject>) -> Certification {
        Certification {
            format: "bsym-certify",
            version: 1,
            machine: claim.as_ref().map(|c| c.machine.clone()),
            verdict: CertificationVerdict::Undecided,
            claim,
            solvers: vec![],
            notes: vec![],
            checks: 0,
            trusted: vec![],
            wrong: vec![],
            trusted_checks: vec![],
            wrong_checks: vec![],
            failed: vec![],
            undecided: vec![],
            existence_undecided: None,
            stats: CertificationStats { seconds: 0.0, walked: None },
        }
    }

    /// With the verdict that follows from what the checks gave.
    pub fn judged(mut self) -> Certification {
        let refuted = !(self.failed.is_empty() && self.wrong.is_empty() && self.wrong_checks.is_empty());
        self.verdict = match (refuted, self.undecided.is_empty()) {
            (true, _) => CertificationVerdict::Refuted,
            (false, true) if self.existence_undecided.is_some() => CertificationVerdict::ExistenceUndecided,
            (false, true) => CertificationVerdict::Certified,
            (false, false) => CertificationVerdict::Undecided,
        };
        self
    }

    /// What a script is told.
    pub fn exit(&self) -> Exit {
        match self.verdict {
            CertificationVerdict::Certified => Exit::Done,
            CertificationVerdict::Refuted => Exit::Violated,
            CertificationVerdict::Undecided | CertificationVerdict::ExistenceUndecided => Exit::Unknown,
        }
    }

    /// For people.
    pub fn text(&self, paint: Paint) -> String {
        let mut out = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut out, paint);
        out
    }

    fn write(&self, out: &mut String, paint: Paint) -> Result {
        let word = self.verdict.word();
        let head = match self.verdict {
            CertificationVerdict::Certified => paint.good(word),
            CertificationVerdict::Refuted => paint.bad(word),
            CertificationVerdict::Undecided | CertificationVerdict::ExistenceUndecided => paint.doubt(word),
        };
        let machine = self.machine.as_deref().unwrap_or("the certificate");
        let by =
            if self.solvers.is_empty() { "no solver was asked".into() } else { self.solvers.join(", then ") };
        writeln!(out, "{head}: {machine}, {} checks, {by}  [{:.2} s]", self.checks, self.stats.seconds)?;
        if let Some(claim) = &self.claim {
            claim.write(out, paint)?;
        }
        let mut line = |what: &str, rest: &str| writeln!(out, "  {what}: {rest}");
        for (what, lines) in [("note", &self.notes), ("failed", &self.failed), ("undecided", &self.undecided)]
        {
            lines.iter().try_for_each(|rest| line(what, rest))?;
        }
        if let Some(why) = &self.existence_undecided {
            line("existence-undecided", &format!("{why}, so the proof may be about nothing"))?;
        }
        if let Some(walked) = &self.stats.walked {
            line("sanity check by simulation", &walked.text())?;
        }
        for (what, pairs) in [("trusted", &self.trusted), ("wrong status", &self.wrong)] {
            pairs.iter().try_for_each(|p| line(what, &format!("{} preserves {}", p.event, p.conjunct)))?;
        }
        for (what, checks) in [("trusted", &self.trusted_checks), ("wrong status", &self.wrong_checks)] {
            checks.iter().try_for_each(|check| line(what, check))?;
        }
        Ok(())
    }
}
