//! `bsym certify`: the checks of a certificate once more, in another solver where there is one.

use bsym_proofs::certify::{CertifyOptions, certify};
use serde_json::json;

use crate::arguments::CertifyArguments;
use crate::control::Control;
use crate::output;
use crate::paint::Paint;
use crate::refusal::Refusal;
use crate::result::pair_object;
use crate::solvers;

/// Runs the command: 0 if every check passes, 1 if one fails, 3 if one is not decided.
pub fn run(arguments: &CertifyArguments, control: &Control) -> Result<u8, Refusal> {
    let mut options = CertifyOptions { recheck: arguments.recheck_proofs, ..CertifyOptions::default() };
    if arguments.solver.is_some() {
        options.solvers.push(solvers::choose(arguments.solver.as_deref())?);
    }
    let path = &arguments.certificate;
    let certified = certify(path, &options, &control.budget)
        .map_err(|e| Refusal::new(format!("{}: {e}", path.display())))?;
    let checked = &certified.checked;
    let refuted = !checked.failed.is_empty() || !checked.wrong.is_empty();
    let (verdict, code) = match (checked.passed(), refuted) {
        (true, _) => ("certified", 0),
        (false, true) => ("refuted", 1),
        (false, false) => ("undecided", 3),
    };
    let pairs = |all: &[bsym_proofs::status::Pair]| -> Vec<_> {
        all.iter().map(|&p| pair_object(&certified.model, p, None)).collect()
    };
    let solvers: Vec<&str> = certified.attempts.iter().map(|a| a.solver.as_str()).collect();
    if arguments.output.json || arguments.output.jsonl {
        let object = json!({
            "format": "bsym-certify",
            "version": 1,
            "machine": certified.model.name,
            "verdict": verdict,
            "solvers": solvers,
            "checks": checked.checks,
            "trusted": pairs(&checked.trusted),
            "wrong": pairs(&checked.wrong),
            "failed": checked.failed,
            "undecided": checked.undecided,
            "stats": {"seconds": control.seconds()},
        });
        if arguments.output.jsonl {
            output::json_line(&object)
        } else {
            output::json(&object)
        }
        return Ok(code);
    }
    let paint = Paint::stdout(arguments.output.color);
    let head = match code {
        0 => paint.good(verdict),
        1 => paint.bad(verdict),
        _ => paint.doubt(verdict),
    };
    let mut text = format!(
        "{head}: {}, {} checks, {}  [{:.2} s]\n",
        certified.model.name,
        checked.checks,
        solvers.join(", then "),
        control.seconds()
    );
    for (what, lines) in [("failed", &checked.failed), ("undecided", &checked.undecided)] {
        for line in lines {
            text.push_str(&format!("  {what}: {line}\n"));
        }
    }
    for (what, all) in [("trusted", &checked.trusted), ("wrong status", &checked.wrong)] {
        for pair in pairs(all) {
            text.push_str(&format!("  {what}: {} preserves {}\n", pair.event, pair.conjunct));
        }
    }
    output::result(&text);
    Ok(code)
}
