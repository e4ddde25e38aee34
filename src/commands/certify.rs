//! `bsym certify`: prints the claim of a certificate, and repeats its checks, in another solver where there is one.

use std::path::Path;

use anyhow::Context;
use bsym_engines::walk::{Question, walk};
use bsym_language::print;
use bsym_proofs::certificate::{Certificate, EvidenceText};
use bsym_proofs::certify::{
    Certified, CertifyOptions, Existence, Opened, Sameness, certify_value, open_value,
};
use bsym_status::{Check, Pair};

use crate::answer::Answer;
use crate::answer::certification::{Certification, CertificationVerdict};
use crate::answer::claim::ClaimObject;
use crate::answer::proof::ContradictionObject;
use crate::answer::status::PairObject;
use crate::arguments::CertifyArguments;
use crate::commands::mc;
use crate::race::control::Control;
use crate::solvers;

/// Runs the command.
pub fn run(arguments: &CertifyArguments, control: &Control) -> anyhow::Result<Answer> {
    let mut options = CertifyOptions { recheck: arguments.recheck_proofs, ..CertifyOptions::default() };
    if arguments.solver.name.is_some() {
        options.solvers.push(solvers::choose(arguments.solver.name.as_deref())?);
    }
    // A certificate is untrusted input: whatever it contains, the limits hold.
    let stuck = control.clone();
    control.set_fallback(move |reason| {
        let nothing = Certification { undecided: vec![reason.text()], ..Certification::new(None) };
        answer(nothing, &stuck)
    });
    let certification = certify(arguments, &options, control)?;
    control.finish();
    Ok(answer(certification, control))
}

fn answer(mut certification: Certification, control: &Control) -> Answer {
    certification.stats.seconds = control.seconds();
    Answer::Certification(Box::new(certification))
}

fn certify(
    arguments: &CertifyArguments,
    options: &CertifyOptions,
    control: &Control,
) -> anyhow::Result<Certification> {
    let path = &arguments.certificate;
    let named = || path.display().to_string();
    let certificate = Certificate::read(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    if !matches!(certificate.evidence, EvidenceText::Search { .. }) {
        let certified = certify_value(certificate, folder, options, &control.budget).with_context(named)?;
        return Ok(walked(of_solvers(&certified), &certified, control));
    }
    let opened = open_value(&certificate, folder).with_context(named)?;
    let repeated = mc::repeat(&opened, arguments.solver.name.as_deref(), &control.budget)?;
    Ok(of_search(ClaimObject::new(&certificate, &opened), repeated))
}

/// Converts the result of the solvers' checks of a certificate.
fn of_solvers(certified: &Certified) -> Certification {
    let checked = &certified.checked;
    let model = &certified.opened.model;
    let pairs = |all: &[Pair]| all.iter().map(|&p| PairObject::new(model, p, None)).collect();
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
    // They are no part of the claim, but a reader should know about them.
    let mut notes: Vec<String> = vec![];
    if !certified.sizes.undecided.is_empty() {
        notes.push(format!("not decided in small sizes: {}", certified.sizes.undecided.join("; ")));
    }
    notes.extend(certified.represented.undecided.iter().map(|what| format!("not decided: {what}")));
    let solvers: Vec<String> = certified.attempts.iter().map(|a| a.solver.clone()).collect();
    Certification {
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
        ..Certification::new(Some(ClaimObject::new(&certified.certificate, &certified.opened)))
    }
    .judged()
}

/// Checks with the evaluator as well a claim that no solver refutes.
fn walked(mut certification: Certification, certified: &Certified, control: &Control) -> Certification {
    if certification.verdict == CertificationVerdict::Refuted {
        return certification;
    }
    let Opened { model, scope, claim } = &certified.opened;
    let cancelled = control.budget.cancellation();
    match walk(&Question { model, scope, claim, seed: 0, interrupt: Some(&cancelled) }) {
        Ok(walked) => certification.stats.walked = Some(walked.into()),
        Err(contradiction) => {
            let lemmas: Vec<String> = claim.lemmas().map(|l| print::pred(model, l)).collect();
            certification.failed.push(ContradictionObject::line(model, &lemmas, &contradiction));
        }
    }
    certification.judged()
}

/// Converts the result of repeating the search.
fn of_search(claim: ClaimObject, repeated: mc::Repeated) -> Certification {
    let mut certification = Certification {
        solvers: vec!["the search repeated by the reference evaluator".into()],
        checks: 1,
        ..Certification::new(Some(claim))
    };
    match repeated {
        mc::Repeated::Same => {}
        mc::Repeated::Refuted(why) => certification.failed.push(why),
        mc::Repeated::Undecided(why) => certification.undecided.push(why),
    }
    certification.judged()
}
