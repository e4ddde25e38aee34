//! `bsym certify`: what a certificate claims, and its checks once more, in another solver where there is one.

use std::path::Path;

use bsym_engines::walk::{Question, walk};
use bsym_proofs::certificate::{Certificate, EvidenceText};
use bsym_proofs::certify::{
    Certified, CertifyError, CertifyOptions, Existence, Opened, Sameness, certify_value, open_value,
};
use bsym_proofs::status::{Check, Pair};
use serde::Serialize;

use crate::answer::claim::ClaimObject;
use crate::answer::text as human;
use crate::answer::{PairObject, WalkedObject, contradiction_line, pair_object};
use crate::arguments::{CertifyArguments, OutputArguments};
use crate::commands::mc;
use crate::control::Control;
use crate::output;
use crate::paint::Paint;
use crate::refusal::Refusal;
use crate::solvers;

/// Runs the command: 0 if every check passes, 1 if one fails, 3 if one is not decided.
pub fn run(arguments: &CertifyArguments, control: &Control) -> Result<u8, Refusal> {
    let mut options = CertifyOptions { recheck: arguments.recheck_proofs, ..CertifyOptions::default() };
    if arguments.solver.name.is_some() {
        options.solvers.push(solvers::choose(arguments.solver.name.as_deref())?);
    }
    // A certificate may come from anybody: whatever it says, the limits hold.
    let (stuck, format) = (control.clone(), arguments.output.clone());
    control.set_fallback(move |reason| {
        Summary::stopped(&reason.text).print(&format, &stuck);
        3
    });
    let summary = summary(arguments, &options, control)?;
    control.finish();
    Ok(summary.print(&arguments.output, control))
}

fn summary(
    arguments: &CertifyArguments,
    options: &CertifyOptions,
    control: &Control,
) -> Result<Summary, Refusal> {
    let path = &arguments.certificate;
    let refuse = |e: CertifyError| Refusal::new(format!("{}: {e}", path.display()));
    let certificate = Certificate::read(path).map_err(|e| Refusal::new(e.to_string()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    if !matches!(certificate.evidence, EvidenceText::Search { .. }) {
        let certified = certify_value(certificate, folder, options, &control.budget).map_err(refuse)?;
        return Ok(Summary::of_solvers(&certified).walked(&certified, control));
    }
    let opened = open_value(&certificate, folder).map_err(refuse)?;
    let repeated = mc::repeat(&opened, arguments.solver.name.as_deref(), &control.budget)?;
    Ok(Summary::of_search(ClaimObject::new(&certificate, &opened), repeated))
}

/// What the checks gave.
#[derive(Serialize, Clone, Debug)]
struct Summary {
    format: &'static str,
    version: u32,
    machine: Option<String>,
    verdict: &'static str,
    /// What was checked; missing where the time did not suffice to read it.
    claim: Option<ClaimObject>,
    solvers: Vec<String>,
    /// What is to be known of the solvers.
    notes: Vec<String>,
    checks: usize,
    trusted: Vec<PairObject>,
    wrong: Vec<PairObject>,
    trusted_checks: Vec<String>,
    wrong_checks: Vec<String>,
    failed: Vec<String>,
    undecided: Vec<String>,
    /// Why nobody knows whether the claim is about anything, unless that is known.
    existence_undecided: Option<String>,
    stats: Stats,
}

#[derive(Serialize, Clone, Debug)]
struct Stats {
    seconds: f64,
    /// The evaluator's walk along the claim.
    walked: Option<WalkedObject>,
}

impl Summary {
    fn new(claim: Option<ClaimObject>) -> Summary {
        Summary {
            format: "bsym-certify",
            version: 1,
            machine: claim.as_ref().map(|c| c.machine.clone()),
            verdict: "undecided",
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
            stats: Stats { seconds: 0.0, walked: None },
        }
    }

    fn of_solvers(certified: &Certified) -> Summary {
        let checked = &certified.checked;
        let model = &certified.opened.model;
        let pairs = |all: &[Pair]| all.iter().map(|&p| pair_object(model, p, None)).collect();
        let checks = |all: &[Check]| all.iter().map(|c| c.describe(model)).collect();
        let maker = &certified.certificate.checked.solver;
        let note = |solver: &String| match Sameness::of(solver, maker) {
            Sameness::Other => None,
            Sameness::OtherVersion => {
                Some(format!("{solver} is another version of the solver that made the proof, {maker}"))
            }
            Sameness::Same => {
                Some(format!("{solver} is the solver that made the proof; --solver names another one"))
            }
        };
        // They are no part of the claim, but whoever reads it should know.
        let mut notes: Vec<String> = vec![];
        if !certified.sizes.undecided.is_empty() {
            notes.push(format!("not decided in small sizes: {}", certified.sizes.undecided.join("; ")));
        }
        notes.extend(certified.represented.undecided.iter().map(|what| format!("not decided: {what}")));
        let solvers: Vec<String> = certified.attempts.iter().map(|a| a.solver.clone()).collect();
        Summary {
            notes: solvers.iter().filter_map(note).chain(notes).collect(),
            solvers,
            checks: checked.checks,
            trusted: pairs(&checked.trusted),
            wrong: pairs(&checked.wrong),
            trusted_checks: checks(&checked.trusted_checks),
            wrong_checks: checks(&checked.wrong_checks),
            failed: checked.failed.clone(),
            undecided: checked.undecided.clone(),
            existence_undecided: match &certified.existence {
                Existence::Shown => None,
                Existence::Undecided(why) => Some(why.clone()),
            },
            ..Summary::new(Some(ClaimObject::new(&certified.certificate, &certified.opened)))
        }
        .judged()
    }

    /// Holds a claim that no solver refutes against the evaluator as well.
    fn walked(mut self, certified: &Certified, control: &Control) -> Summary {
        if self.verdict == "refuted" {
            return self;
        }
        let Opened { model, scope, claim } = &certified.opened;
        let cancelled = control.budget.cancellation();
        match walk(&Question { model, scope, claim, seed: 0, interrupt: Some(&cancelled) }) {
            Ok(walked) => self.stats.walked = Some(walked.into()),
            Err(contradiction) => {
                let lemmas = self.claim.as_ref().map_or(&[][..], |c| &c.evidence.lemmas);
                self.failed.push(contradiction_line(model, lemmas, &contradiction));
            }
        }
        self.judged()
    }

    fn of_search(claim: ClaimObject, repeated: mc::Repeated) -> Summary {
        let mut summary = Summary {
            solvers: vec!["the search repeated by the reference evaluator".into()],
            checks: 1,
            ..Summary::new(Some(claim))
        };
        match repeated {
            mc::Repeated::Same => {}
            mc::Repeated::Refuted(why) => summary.failed.push(why),
            mc::Repeated::Undecided(why) => summary.undecided.push(why),
        }
        summary.judged()
    }

    /// Of a check that did not end when it was asked to.
    fn stopped(reason: &str) -> Summary {
        Summary { undecided: vec![reason.into()], ..Summary::new(None) }
    }

    fn judged(mut self) -> Summary {
        let refuted = !(self.failed.is_empty() && self.wrong.is_empty() && self.wrong_checks.is_empty());
        self.verdict = match (refuted, self.undecided.is_empty()) {
            (true, _) => "refuted",
            (false, true) if self.existence_undecided.is_some() => "existence-undecided",
            (false, true) => "certified",
            (false, false) => "undecided",
        };
        self
    }

    fn code(&self) -> u8 {
        match self.verdict {
            "certified" => 0,
            "refuted" => 1,
            _ => 3,
        }
    }

    fn print(mut self, format: &OutputArguments, control: &Control) -> u8 {
        self.stats.seconds = control.seconds();
        if format.json {
            output::json(&self)
        } else if format.jsonl {
            output::json_line(&self)
        } else {
            output::result(&self.text(Paint::stdout(format.color)));
        }
        self.code()
    }

    fn text(&self, paint: Paint) -> String {
        let head = match self.code() {
            0 => paint.good(self.verdict),
            1 => paint.bad(self.verdict),
            _ => paint.doubt(self.verdict),
        };
        let machine = self.machine.as_deref().unwrap_or("the certificate");
        let by =
            if self.solvers.is_empty() { "no solver was asked".into() } else { self.solvers.join(", then ") };
        let mut text =
            format!("{head}: {machine}, {} checks, {by}  [{:.2} s]\n", self.checks, self.stats.seconds);
        if let Some(claim) = &self.claim {
            text.push_str(&human::claim(claim, paint));
        }
        let mut line = |what: &str, rest: &str| text.push_str(&format!("  {what}: {rest}\n"));
        for (what, lines) in [("note", &self.notes), ("failed", &self.failed), ("undecided", &self.undecided)]
        {
            lines.iter().for_each(|rest| line(what, rest));
        }
        if let Some(why) = &self.existence_undecided {
            line("existence-undecided", &format!("{why}, so the proof may be about nothing"));
        }
        if let Some(walked) = &self.stats.walked {
            line("walked by the evaluator", &walked.text());
        }
        for (what, pairs) in [("trusted", &self.trusted), ("wrong status", &self.wrong)] {
            pairs.iter().for_each(|p| line(what, &format!("{} preserves {}", p.event, p.conjunct)));
        }
        for (what, checks) in [("trusted", &self.trusted_checks), ("wrong status", &self.wrong_checks)] {
            checks.iter().for_each(|check| line(what, check));
        }
        text
    }
}
