//! The answer as text for people: the verdict first, then its evidence, then what to do next.

use std::fmt::{Result, Write};

use bsym_semantics::verdict::{Reason, ReasonCode, Vacuous, Verdict};

use super::{BesideObject, Verification, worth_trying};
use crate::answer::diagnostic::location;
use crate::answer::encoding::EncodingObject;
use crate::answer::not_checked;
use crate::answer::proof::{CertificateObject, ObjectionWord};
use crate::answer::property::{AxiomObject, PropertyKind, PropertyObject, PropertyVerdictWord};
use crate::answer::scope::Size;
use crate::answer::statistics::InterchangeableObject;
use crate::answer::trace::{Style, after_all, counted, events};
use crate::answer::verdict_word::VerdictWord;
use crate::paint::Paint;
use crate::tuning::tuning;

impl Verification {
    /// The whole text, ending with a line end.
    pub fn text(&self, verbose: bool, paint: Paint) -> String {
        let mut out = String::new();
        let text = &mut out;
        // Writing to a string does not fail.
        let _ = head(text, self, paint);
        if let Some(refinement) = &self.findings.refinement {
            let _ = refinement.write_beside(text, verbose, paint);
        }
        text.push_str(&not_checked::text(&self.left_out.not_checked, verbose, paint));
        let _ = self.proofs.write_wrong(text, paint);
        let style = Style::new(verbose, paint);
        let _ = evidence(text, self, style);
        let _ = others(text, self, style);
        if let Some(coverage) = &self.extent.coverage {
            let _ = coverage.write(text, paint);
        }
        let _ = self.proofs.write(text, self.verdict.evidence().is_some(), paint);
        let mut hint = next(self).to_string();
        if let (Some(bounds), Some(code)) = (self.question.small_bounds, self.undecided())
            && worth_trying::is_unfinished(code)
        {
            let flags = worth_trying::of_bounds(bounds).join(" ");
            hint = format!("{flags} finds what goes wrong where integers end; {hint}");
        }
        if !hint.is_empty() {
            let _ = writeln!(text, "\n{} {hint}", paint.faint("next:"));
        }
        if let Some(code) = self.undecided() {
            let line: Vec<String> = std::env::args().skip(1).collect();
            let all = worth_trying::after(self, code, &line);
            let width = all.iter().map(|s| s.command.chars().count()).max().unwrap_or(0);
            for worth_trying::Suggestion { command, why } in all {
                let _ = writeln!(text, "  {command:width$}   {}", paint.faint(why));
            }
        }
        out
    }
}

fn head(out: &mut String, answer: &Verification, paint: Paint) -> Result {
    let what: Vec<&str> = answer.about().into_iter().map(PropertyKind::subject).collect();
    let (what, machine) = (what.join(", "), &answer.machine);
    let head = match &answer.verdict {
        Verdict::Holds(_) => format!("{}: {what} in every reachable state of {machine}", paint.good("holds")),
        Verdict::Violated(found) => {
            format!("{}: {what} in {machine}, {}", paint.bad("violated"), after_all(&found.events()))
        }
        Verdict::Vacuous(Vacuous::NoInitialState, ..) => {
            format!("{}: {machine} has no initial state, nothing was checked", paint.bad("vacuous"))
        }
        Verdict::Vacuous(..) => {
            let what = "no values of the constants satisfy the axioms";
            format!("{}: {what} of {machine}, nothing was checked", paint.bad("vacuous"))
        }
        Verdict::Unknown(Reason::AuditFailed(_)) => {
            format!("{}: the search of {machine} is wrong, or its audit", paint.bad("contradiction"))
        }
        Verdict::Contradiction(found) => {
            let head = paint.bad("contradiction");
            match found.from {
                ObjectionWord::Solver => {
                    format!("{head}: the solver and the evaluator disagree about {machine}")
                }
                _ => format!("{head}: a proof about {what} of {machine} passed its checks and is wrong"),
            }
        }
        Verdict::Conditional(..) => {
            format!("{}: {what} of {machine} is proved only conditionally", paint.doubt("unknown"))
        }
        Verdict::Doubtful(..) | Verdict::Unknown(_) => {
            format!("{}: {what} of {machine} is not decided", paint.doubt("unknown"))
        }
    };
    writeln!(out, "{head}  [{}, {:.2} s]", answer.engine, answer.stats.seconds)?;
    writeln!(out, "  scope: {}", answer.question.scope.text())?;
    if let Some(encoding) = answer.question.encoding.as_ref().and_then(EncodingObject::text) {
        writeln!(out, "  encoding: {encoding}")?;
    }
    // Of these two verdicts the reason names the scopes that were tried.
    let names_scopes =
        matches!(answer.verdict, Verdict::Vacuous(..) | Verdict::Unknown(Reason::ExistenceUndecided(_)));
    if let Some(first) = answer.question.scopes_tried.first().filter(|_| !names_scopes) {
        let why = "the axioms and the initialisation leave nothing to check";
        writeln!(out, "  this scope was chosen because {why} in: {}", first.text())?;
    }
    if !answer.question.well_definedness {
        writeln!(out, "  well-definedness was not checked (--no-wd)")?;
    }
    if let Some(reason) = answer.reason() {
        writeln!(out, "  reason: {reason}")?;
    }
    if !matches!(answer.verdict, Verdict::Violated(..)) && !answer.left_out.not_asked.is_empty() {
        let all: Vec<&str> = answer.left_out.not_asked.iter().map(|n| n.text.as_str()).collect();
        writeln!(out, "  not asked: {}", all.join(", "))?;
    }
    if let Some(search) = &answer.findings.search {
        beside(out, search)?;
    }
    if let Some(found) = answer.stats.symmetry.as_ref().filter(|found| !found.sets.is_empty()) {
        let sets: Vec<String> = found.sets.iter().map(InterchangeableObject::text).collect();
        let some = if found.exact { "" } else { "at least " };
        writeln!(
            out,
            "  symmetry ({}): {some}one state each of those that differ in the roles of {}",
            found.method,
            sets.join(", ")
        )?;
    }
    if let Some(found) = answer.stats.partial_order.filter(|found| found.reduced > 0) {
        writeln!(
            out,
            "  partial order: in {} some events were left out that can wait",
            counted(found.reduced, "state")
        )?;
    }
    if let Some(found) = &answer.stats.diagram {
        let (states, transitions) =
            (counted(&found.states, "state"), counted(&found.transitions, "transition"));
        writeln!(out, "  {states}, {transitions}")?;
        let (nodes, rows) = (counted(found.nodes, "node"), counted(found.asked, "row"));
        writeln!(out, "  {nodes}; events were asked about {rows} of values")?;
    } else if let (Some(states), Some(transitions)) = (answer.extent.states, answer.extent.transitions) {
        let audited = match answer.stats.audited {
            Some(n) if n > 0 => format!(", {} audited by the reference evaluator", counted(n, "state")),
            _ => String::new(),
        };
        let (states, transitions) = (counted(states, "state"), counted(transitions, "transition"));
        writeln!(out, "  {states}, {transitions}{audited}")?;
        if let Some(found) = answer.stats.found_by.filter(|f| f.sat + f.smt > 0) {
            let all = [
                (found.search, "search"),
                (found.sat, "SAT"),
                (found.smt, "SMT"),
                (found.exhaustion, "search to the end"),
            ];
            let by: Vec<String> =
                all.iter().filter(|(n, _)| *n > 0).map(|(n, by)| format!("{n} by {by}")).collect();
            writeln!(out, "  questions for values answered: {}", by.join(", "))?;
        }
    }
    how_far(out, answer)?;
    if let Verdict::Vacuous(..) = answer.verdict {
        AxiomObject::write_core(&answer.findings.core, out, paint)?;
    }
    for warning in &answer.warnings {
        writeln!(out, "  {}: {warning}", paint.doubt("warning"))?;
    }
    Ok(())
}

/// What the search beside the engines did.
fn beside(out: &mut String, search: &BesideObject) -> Result {
    let sets = search.scope["sets"].as_object().into_iter().flatten();
    let sizes: Vec<String> = sets.map(|(set, n)| format!("card({set}) = {n}")).collect();
    let scope = if sizes.is_empty() { String::new() } else { format!(" ({})", sizes.join(", ")) };
    let (head, word) = (format!("  explicit search{scope}: "), search.verdict.word());
    match (&search.reason, search.states, search.verdict) {
        (Some(reason), Some(n), _) => writeln!(out, "{head}{word} after {}, {reason}", counted(n, "state")),
        (Some(reason), None, _) => writeln!(out, "{head}{word}, {reason}"),
        (None, Some(n), VerdictWord::Holds) => {
            writeln!(out, "{head}no violation in {}; other scopes are not covered", counted(n, "state"))
        }
        (None, Some(n), _) => writeln!(out, "{head}{word}, {}", counted(n, "state")),
        (None, None, _) => writeln!(out, "{head}{word}; other scopes are not covered"),
    }
}

/// Up to which depth there is no violation, where that is all that is known.
fn how_far(out: &mut String, answer: &Verification) -> Result {
    let is_all = matches!(answer.verdict, Verdict::Unknown(_) | Verdict::Contradiction(_));
    if !is_all || answer.engine == "mc" {
        return Ok(());
    }
    let any_size = answer.question.scope.sets.iter().any(|(_, size)| matches!(size, Size::Open(_)));
    let condition = if answer.proofs.rests_on_trust() {
        ", if the trusted proof status is right"
    } else if any_size {
        ", says a solver of sets of any size; small sizes were not asked as well"
    } else {
        ""
    };
    match answer.extent.depth {
        Some(0) => writeln!(out, "  no violation in the initial states")?,
        Some(depth) => writeln!(out, "  no violation within {}{condition}", events(depth))?,
        None => match answer.stats.diagram.as_ref().map_or(0, |found| found.checked_rounds) {
            0 => writeln!(out, "  stopped before the initial states were checked")?,
            n => writeln!(out, "  no violation in the first {} of the search", counted(n, "round"))?,
        },
    }
    if let [.., before, last] = &answer.stats.steps[..]
        && let (Some(variables), Some(clauses)) = (last.variables, last.clauses)
    {
        let more = |now: u64, then: Option<u64>| now.saturating_sub(then.unwrap_or(0));
        writeln!(
            out,
            "  {} took {} terms, {variables} variables and {clauses} clauses; the last of them {}, {} and {}",
            events(last.depth),
            last.terms,
            last.terms.saturating_sub(before.terms),
            more(variables, before.variables),
            more(clauses, before.clauses),
        )?;
    }
    Ok(())
}

fn evidence(out: &mut String, answer: &Verification, style: Style) -> Result {
    let paint = style.paint;
    let is_fault = !matches!(answer.verdict, Verdict::Doubtful(..));
    if let Some(found) = answer.verdict.counterexample().filter(|_| is_fault || style.whole) {
        writeln!(out)?;
        let refinement = answer.findings.refinement.as_ref().and_then(|r| r.counterexample.as_ref());
        match refinement.filter(|_| found.property == PropertyKind::Refinement) {
            Some(unmatched) => unmatched.write(out, style)?,
            None => found.write(out, style)?,
        }
    }
    if let Some(proof) = answer.verdict.evidence() {
        proof.write(out, style)?;
    }
    if let Verdict::Contradiction(contradiction) = &answer.verdict {
        contradiction.write(out, paint)?;
        if let Some(path) = contradiction.certificate.as_ref().and_then(CertificateObject::file) {
            writeln!(out, "the wrong proof was written to {path}")?;
        }
    }
    if let (Some(path), Some(_)) = (&answer.findings.trace_file, answer.verdict.counterexample()) {
        writeln!(out, "\ntrace written to {path}")?;
    }
    if !answer.findings.invariants.is_empty() {
        writeln!(out, "\nfound on the way, inductive together with what is asked (as one solver says):")?;
        for line in &answer.findings.invariants {
            writeln!(out, "  & {line}")?;
        }
    }
    if let (Some(path), Some(_)) = (&answer.findings.counterexample_to_induction, answer.undecided()) {
        path.write(out, style)?;
    }
    if let (Some(found), Some(_)) = (&answer.findings.failed_proof, answer.undecided()) {
        found.write(out, style)?;
    }
    Ok(())
}

/// The other properties, further counterexamples, and what could not be encoded.
fn others(out: &mut String, answer: &Verification, style: Style) -> Result {
    let paint = style.paint;
    let properties = &answer.properties;
    let mixed = properties.iter().any(|p| p.verdict != properties[0].verdict);
    if mixed || (properties.len() > 1 && matches!(answer.verdict, Verdict::Violated(..))) {
        writeln!(out)?;
        let is_unknown = |p: &&PropertyObject| p.verdict == PropertyVerdictWord::Unknown;
        let unknown = properties.iter().filter(is_unknown).count();
        // After a violation a long list of what was not looked at any more hides what was.
        let is_counted =
            matches!(answer.verdict, Verdict::Violated(..)) && unknown > tuning().listed.undecided;
        for p in properties.iter().filter(|p| !(is_counted && is_unknown(p))) {
            let verdict = match p.verdict {
                PropertyVerdictWord::Holds => paint.good("holds   "),
                PropertyVerdictWord::Violated => paint.bad("violated"),
                PropertyVerdictWord::Unknown => paint.doubt("unknown "),
            };
            writeln!(out, "  {verdict}  {}", p.named())?;
        }
        if is_counted {
            writeln!(out, "  {}  {}", paint.doubt("unknown "), counted(unknown, "other"))?;
        }
    }
    for (i, further) in answer.findings.further.iter().enumerate() {
        let name = paint.strong(&format!("counterexample {}:", i + 2));
        writeln!(out, "\n{name} {}", after_all(&further.events()))?;
        further.write(out, style)?;
    }
    if !answer.left_out.unsupported.is_empty() {
        match answer.verdict {
            Verdict::Unknown(Reason::Bounded(_)) => writeln!(out, "\nnot all values were looked at:")?,
            _ => writeln!(out, "\nnot supported, and therefore not part of any proof:")?,
        }
        for u in &answer.left_out.unsupported {
            let at = location(&u.file, u.line).map(|at| format!("   {at}")).unwrap_or_default();
            writeln!(out, "  {}: {}{}", u.part, u.reason, paint.faint(&at))?;
        }
    }
    Ok(())
}

/// What the user can do next; empty where there is nothing to say.
fn next(answer: &Verification) -> &'static str {
    match &answer.verdict {
        Verdict::Vacuous(..) if !answer.findings.core.is_empty() => {
            "look at these axioms: no constants satisfy them all"
        }
        Verdict::Vacuous(Vacuous::NoInitialState, ..) => {
            "look at the initialisation: it has no outcome for any constants that satisfy the axioms"
        }
        Verdict::Vacuous(..) => {
            "look at the axioms (PROPERTIES, --set): no constants of this scope satisfy them"
        }
        Verdict::Violated(..) if !answer.findings.further.is_empty() => "",
        Verdict::Violated(..)
            if answer.properties.iter().any(|p| p.verdict == PropertyVerdictWord::Unknown) =>
        {
            "--keep-going goes on with the other properties; --trace FILE writes the trace"
        }
        Verdict::Violated(_) if answer.findings.trace_file.is_none() => "--trace FILE writes the trace",
        Verdict::Violated(_) => "",
        Verdict::Holds(proof) => match proof.certificate.as_ref().and_then(CertificateObject::file) {
            Some(_) => "`bsym certify` with the certificate repeats its checks in another solver",
            // Nothing lists the states, or not all of them.
            None if proof.called => "",
            None if answer.stats.diagram.is_some() || answer.stats.partial_order.is_some() => "",
            None => {
                "--certificate FILE writes the proof; `bsym certify FILE` repeats its checks in another solver"
            }
        },
        Verdict::Unknown(Reason::TooManyValues) => {
            "--scope SET=SIZE or --set CONSTANT=EXPR asks a smaller question"
        }
        _ => answer.undecided().map_or("", |code| next_undecided(answer, code)),
    }
}

fn next_undecided(answer: &Verification, code: ReasonCode) -> &'static str {
    match (code, answer.engine.as_str()) {
        (ReasonCode::AuditFailed, _) => {
            "this is a fault of bsym: please report it, with the machine and the reason"
        }
        (ReasonCode::DepthLimit, "bmc") => {
            "a larger --depth searches further; `bsym ic3` or `bsym kind` may prove it"
        }
        (ReasonCode::DepthLimit, _) => "a larger --depth goes on",
        (ReasonCode::Memory, _) if answer.has_done_nothing() => "a larger --memory",
        (ReasonCode::Memory, "check") => {
            "a larger --memory; or a smaller question: --conjunct, --scope SET=SIZE, --set CONSTANT=EXPR"
        }
        (ReasonCode::Memory, _) => {
            "a larger --memory; `bsym check` runs all engines; --scope SET=SIZE or --set CONSTANT=EXPR asks a smaller question"
        }
        (ReasonCode::Timeout | ReasonCode::Interrupted, "check") => {
            "a larger --timeout; or a smaller question: --conjunct, --scope SET=SIZE, --set CONSTANT=EXPR"
        }
        (ReasonCode::Timeout | ReasonCode::Interrupted, _) => {
            "`bsym check` runs all engines; --scope SET=SIZE or --set CONSTANT=EXPR asks a smaller question"
        }
        (ReasonCode::Bounded, _) => {
            "`bsym check` asks about all values; --set CONSTANT=EXPR and --maxint N ask another question"
        }
        (ReasonCode::MarkerCollisions, _) => "--symmetry canonical tells them apart",
        (ReasonCode::NotCompared, _) => {
            "`bsym refine` says more about the comparison; a larger --timeout, --scope SET=SIZE or --maxint N asks another question"
        }
        (ReasonCode::NotChecked, _) if matches!(answer.verdict, Verdict::Doubtful(..)) => {
            "`bsym refine` compares a refinement with its abstraction; -v shows the trace"
        }
        (ReasonCode::NotChecked, _) => {
            "`bsym refine` compares a refinement with its abstraction; --conjunct asks about one conjunct alone"
        }
        (ReasonCode::CheckFailed, _) if !answer.proofs.used.is_empty() => {
            "--no-proofs decides without the imported status"
        }
        _ if !answer.left_out.unsupported.is_empty() => {
            "violations are still found where the supported part reaches them; --conjunct leaves out what is not supported"
        }
        (_, "kind") => {
            "strengthen the invariant so that the first state above is excluded, or let `bsym ic3` find out how"
        }
        _ => "`bsym check` runs all engines",
    }
}
