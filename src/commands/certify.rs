//! `bsym certify`: the checks of a certificate once more, in another solver where there is one.

use bsym_proofs::certify::{Certified, CertifyOptions, certify};
use bsym_proofs::status::{Check, Pair};
use serde_json::json;

use crate::arguments::{CertifyArguments, OutputArguments};
use crate::commands::mc;
use crate::control::Control;
use crate::output;
use crate::paint::Paint;
use crate::refusal::Refusal;
use crate::result::{PairObject, pair_object};
use crate::solvers;

/// Runs the command: 0 if every check passes, 1 if one fails, 3 if one is not decided.
pub fn run(arguments: &CertifyArguments, control: &Control) -> Result<u8, Refusal> {
    let mut options = CertifyOptions { recheck: arguments.recheck_proofs, ..CertifyOptions::default() };
    if arguments.solver.name.is_some() {
        options.solvers.push(solvers::choose(arguments.solver.name.as_deref())?);
    }
    let path = &arguments.certificate;
    if let Some(repeated) = mc::repeat(path, arguments.solver.name.as_deref(), &control.budget)? {
        return Ok(print(&search_outcome(&repeated), &arguments.output, control));
    }
    let certified = certify(path, &options, &control.budget)
        .map_err(|e| Refusal::new(format!("{}: {e}", path.display())))?;
    Ok(print(&solver_outcome(&certified), &arguments.output, control))
}

/// What the checks gave.
struct Summary {
    machine: String,
    solvers: Vec<String>,
    checks: usize,
    trusted: Vec<PairObject>,
    wrong: Vec<PairObject>,
    trusted_checks: Vec<String>,
    wrong_checks: Vec<String>,
    failed: Vec<String>,
    undecided: Vec<String>,
}

fn solver_outcome(certified: &Certified) -> Summary {
    let checked = &certified.checked;
    let pairs = |all: &[Pair]| all.iter().map(|&p| pair_object(&certified.model, p, None)).collect();
    let checks = |all: &[Check]| all.iter().map(|c| c.describe(&certified.model)).collect();
    Summary {
        machine: certified.model.name.clone(),
        solvers: certified.attempts.iter().map(|a| a.solver.clone()).collect(),
        checks: checked.checks,
        trusted: pairs(&checked.trusted),
        wrong: pairs(&checked.wrong),
        trusted_checks: checks(&checked.trusted_checks),
        wrong_checks: checks(&checked.wrong_checks),
        failed: checked.failed.clone(),
        undecided: checked.undecided.clone(),
    }
}

fn search_outcome(repeated: &mc::Repeated) -> Summary {
    let mut summary = Summary {
        machine: repeated.machine.clone(),
        solvers: vec!["the search repeated by the reference evaluator".into()],
        checks: 1,
        trusted: vec![],
        wrong: vec![],
        trusted_checks: vec![],
        wrong_checks: vec![],
        failed: vec![],
        undecided: vec![],
    };
    match &repeated.failure {
        None => {}
        Some((true, why)) => summary.failed.push(why.clone()),
        Some((false, why)) => summary.undecided.push(why.clone()),
    }
    summary
}

fn print(summary: &Summary, format: &OutputArguments, control: &Control) -> u8 {
    let refuted = !(summary.failed.is_empty() && summary.wrong.is_empty() && summary.wrong_checks.is_empty());
    let passed = !refuted && summary.undecided.is_empty();
    let (verdict, code) = match (passed, refuted) {
        (true, _) => ("certified", 0),
        (false, true) => ("refuted", 1),
        (false, false) => ("undecided", 3),
    };
    if format.json || format.jsonl {
        let object = json!({
            "format": "bsym-certify",
            "version": 1,
            "machine": summary.machine,
            "verdict": verdict,
            "solvers": summary.solvers,
            "checks": summary.checks,
            "trusted": summary.trusted,
            "wrong": summary.wrong,
            "checks": {"trusted": summary.trusted_checks, "wrong": summary.wrong_checks},
            "failed": summary.failed,
            "undecided": summary.undecided,
            "stats": {"seconds": control.seconds()},
        });
        if format.jsonl {
            output::json_line(&object)
        } else {
            output::json(&object)
        }
        return code;
    }
    let paint = Paint::stdout(format.color);
    let head = match code {
        0 => paint.good(verdict),
        1 => paint.bad(verdict),
        _ => paint.doubt(verdict),
    };
    let mut text = format!(
        "{head}: {}, {} checks, {}  [{:.2} s]\n",
        summary.machine,
        summary.checks,
        summary.solvers.join(", then "),
        control.seconds()
    );
    for (what, lines) in [("failed", &summary.failed), ("undecided", &summary.undecided)] {
        for line in lines {
            text.push_str(&format!("  {what}: {line}\n"));
        }
    }
    for (what, pairs) in [("trusted", &summary.trusted), ("wrong status", &summary.wrong)] {
        for pair in pairs {
            text.push_str(&format!("  {what}: {} preserves {}\n", pair.event, pair.conjunct));
        }
    }
    for (what, checks) in [("trusted", &summary.trusted_checks), ("wrong status", &summary.wrong_checks)] {
        for check in checks {
            text.push_str(&format!("  {what}: {check}\n"));
        }
    }
    output::result(&text);
    code
}
