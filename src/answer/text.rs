//! A result as text for people: the answer first, then its evidence, then what to do next.

use std::fmt::Write;

use serde_json::{Map, Value as Json};

use crate::answer::claim::ClaimObject;
use crate::answer::{
    CheckObject, ContradictionObject, DroppedObject, PairObject, PropertyObject, RunResult, ScopeObject,
    StepObject, ViolatedObject,
};
use crate::paint::Paint;

/// Most pairs of an event and a conjunct that are listed one by one.
const MOST_LISTED: usize = 12;

/// Most parts that were not checked that are named in a line.
const MOST_NAMED: usize = 3;

/// The whole text, ending with a line end.
pub fn render(result: &RunResult, verbose: bool, paint: Paint) -> String {
    let mut out = String::new();
    let text = &mut out;
    // Writing to a string does not fail.
    let _ = verdict(text, result, paint);
    let _ = text.write_str(&not_checked(&result.not_checked, verbose, paint));
    let _ = wrong_statuses(text, result, paint);
    let _ = evidence(text, result, paint);
    let _ = others(text, result, paint);
    let _ = proofs(text, result, paint);
    let _ = next(text, result, paint);
    out
}

fn verdict(out: &mut String, result: &RunResult, paint: Paint) -> std::fmt::Result {
    let what = subject(&result.property);
    let machine = &result.machine;
    let head = match result.verdict {
        "holds" => format!("{}: {what} in every reachable state of {machine}", paint.good("holds")),
        "violated" => {
            let steps = result.depth.unwrap_or(0);
            format!("{}: {what} in {machine}, {}", paint.bad("violated"), after(steps))
        }
        "vacuous" => format!("{}: {machine} has nothing to check", paint.bad("vacuous")),
        _ if result.reason_code == Some("audit-failed") => {
            format!("{}: the search of {machine} is wrong, or its audit", paint.bad("contradiction"))
        }
        _ if result.contradiction.is_some() => {
            let sides = match result.contradiction.as_ref().map(|c| c.from) {
                Some("solver") => format!("the solver and the evaluator disagree about {machine}"),
                _ => format!("a proof about {what} of {machine} passed its checks and is wrong"),
            };
            format!("{}: {sides}", paint.bad("contradiction"))
        }
        _ if !result.conditions.is_empty() => {
            format!("{}: {what} of {machine} is proved only conditionally", paint.doubt("unknown"))
        }
        _ => format!("{}: {what} of {machine} is not decided", paint.doubt("unknown")),
    };
    writeln!(out, "{head}  [{}, {:.2} s]", result.engine, result.stats.seconds)?;
    writeln!(out, "  scope: {}", scope(&result.scope))?;
    if !result.scopes_tried.is_empty()
        && result.verdict != "vacuous"
        && result.reason_code != Some("existence-undecided")
    {
        let first = scope(&result.scopes_tried[0]);
        writeln!(
            out,
            "  this scope was chosen because the axioms and the initialisation leave nothing to check in: {first}"
        )?;
    }
    if !result.well_definedness {
        writeln!(out, "  well-definedness was not checked (--no-wd)")?;
    }
    if let Some(reason) = &result.reason {
        writeln!(out, "  reason: {reason}")?;
    }
    if result.verdict != "violated" && !result.not_asked.is_empty() {
        let all: Vec<&str> = result.not_asked.iter().map(|n| n.text.as_str()).collect();
        writeln!(out, "  not asked: {}", all.join(", "))?;
    }
    if let Some(search) = &result.search {
        let states = search.states.map(|n| format!("{n} states, ")).unwrap_or_default();
        let verdict = &search.verdict;
        let sizes: Vec<String> = search.scope["sets"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(set, n)| format!("card({set}) = {n}"))
            .collect();
        let sizes = if sizes.is_empty() { String::new() } else { format!(" with {}", sizes.join(", ")) };
        let reason = search.reason.as_deref().unwrap_or("which says nothing about other scopes");
        writeln!(out, "  mc beside it: {states}{verdict}{sizes}, {reason}")?;
    }
    if let (Some(states), Some(transitions)) = (result.states, result.transitions) {
        let audited = match result.stats.audited {
            Some(n) if n > 0 => format!(", {n} states audited by the reference evaluator"),
            _ => String::new(),
        };
        writeln!(out, "  {states} states, {transitions} transitions{audited}")?;
    }
    if result.verdict == "unknown"
        && result.engine != "mc"
        && result.conditions.is_empty()
        && result.trace.is_none()
    {
        match result.depth {
            Some(0) => writeln!(out, "  no violation in the initial states")?,
            Some(depth) if !(result.proofs.trusted.is_empty() && result.proofs.checks.trusted.is_empty()) => {
                writeln!(
                    out,
                    "  no violation within {}, if the trusted proof status is right",
                    events(depth)
                )?
            }
            Some(depth) if result.scope.sets.values().any(|size| size == "any") => writeln!(
                out,
                "  no violation within {}, says a solver of sets of any size; small sizes were not asked as well",
                events(depth)
            )?,
            Some(depth) => writeln!(out, "  no violation within {}", events(depth))?,
            None => writeln!(out, "  not even the initial states are known to be good")?,
        }
    }
    if !result.core.is_empty() {
        writeln!(out, "  these axioms contradict each other:")?;
        for axiom in &result.core {
            let name = axiom.label.as_ref().map(|l| format!("{l}: ")).unwrap_or_default();
            let at =
                axiom.file.as_ref().zip(axiom.line).map(|(f, l)| format!("   {f}:{l}")).unwrap_or_default();
            writeln!(out, "    {name}{}{}", axiom.text, paint.faint(&at))?;
        }
    }
    for warning in &result.warnings {
        writeln!(out, "  {}: {warning}", paint.doubt("warning"))?;
    }
    Ok(())
}

/// What is in no check: a line with the first parts, or all of them on lines of their own; empty where nothing is.
pub fn not_checked(parts: &[DroppedObject], verbose: bool, paint: Paint) -> String {
    let name = |d: &DroppedObject| {
        let label = d.label.as_ref().map(|l| format!("{l}: ")).unwrap_or_default();
        let at = d.file.as_ref().zip(d.line).map(|(f, l)| format!(" ({f}:{l})")).unwrap_or_default();
        let what = match &d.event {
            Some(event) => format!("abstract precondition of {event}"),
            None => d.kind.replace('-', " "),
        };
        format!("{what} `{label}{}`{at}", d.text)
    };
    let head = match parts.len() {
        0 => return String::new(),
        1 => "1 part of the machine".to_string(),
        n => format!("{n} parts of the machine"),
    };
    let why = "about variables of the abstraction";
    if verbose {
        let lines: String = parts.iter().map(|d| format!("    {}\n", name(d))).collect();
        return format!("  {}: {head} {why}\n{lines}", paint.doubt("not checked"));
    }
    let first: Vec<String> = parts.iter().take(MOST_NAMED).map(name).collect();
    let more = match parts.len().saturating_sub(MOST_NAMED) {
        0 => String::new(),
        n => format!(", and {n} more (-v)"),
    };
    format!("  {}: {head} {why}: {}{more}\n", paint.doubt("not checked"), first.join(", "))
}

fn subject(property: &str) -> String {
    let names: Vec<&str> = property
        .split(',')
        .map(|name| match name {
            "inv" => "the invariant",
            "assertions" => "the assertions",
            "deadlock" => "deadlock freedom",
            "goal" => "that the goal is not reached",
            "wd" => "well-definedness",
            "assert" => "an ASSERT",
            "precondition" => "a precondition",
            "refinement" => "the refinement",
            other => other,
        })
        .collect();
    names.join(", ")
}

fn events(n: usize) -> String {
    if n == 1 { "1 event".into() } else { format!("{n} events") }
}

fn after(n: usize) -> String {
    if n == 0 { "in an initial state".into() } else { format!("after {}", events(n)) }
}

/// A scope on one line.
pub fn scope(scope: &ScopeObject) -> String {
    let mut parts: Vec<String> = scope
        .sets
        .iter()
        .map(|(name, size)| match size {
            Json::Number(n) => format!("card({name}) = {n}"),
            _ => format!("{name} of any size"),
        })
        .collect();
    parts.push("all integers".into());
    parts.push(format!("MININT {}, MAXINT {}", plain(&scope.minint), plain(&scope.maxint)));
    parts.extend(scope.settings.iter().map(|(name, value)| format!("{name} = {value}")));
    parts.join("; ")
}

fn plain(value: &Json) -> String {
    value.as_str().map(str::to_string).unwrap_or_else(|| value.to_string())
}

/// What a certificate claims, with everything that its check depends on.
pub fn claim(claim: &ClaimObject, paint: Paint) -> String {
    let mut out = String::new();
    let _ = write_claim(&mut out, claim, paint);
    out
}

fn write_claim(out: &mut String, claim: &ClaimObject, paint: Paint) -> std::fmt::Result {
    let named = |p: &PropertyObject| match &p.label {
        Some(label) => format!("{label}: {}", p.text),
        None => p.text.clone(),
    };
    writeln!(out, "  claim: in every reachable state of {} ({})", claim.machine, claim.file)?;
    for property in &claim.properties {
        let kind = match property.property {
            "inv" => "invariant",
            "assertions" => "assertion",
            "deadlock" => "deadlock freedom",
            _ => "never reached",
        };
        writeln!(out, "    {kind}: {}", named(property))?;
    }
    for conjunct in &claim.conjuncts {
        writeln!(out, "    besides: {}", named(conjunct))?;
    }
    if claim.well_definedness {
        writeln!(out, "    what is evaluated is well-defined")?;
    } else {
        writeln!(out, "  {}: well-definedness", paint.doubt("not claimed"))?;
    }
    for conjunct in &claim.left_out {
        writeln!(out, "  {}: {}", paint.doubt("not claimed"), named(conjunct))?;
    }
    out.push_str(&not_checked(&claim.not_checked, true, paint));
    writeln!(out, "  scope: {}", scope(&claim.scope))?;
    writeln!(out, "  evidence: {}", claim.evidence.in_words())?;
    for lemma in &claim.evidence.lemmas {
        writeln!(out, "    {lemma}")?;
    }
    if let Some(witness) = &claim.witness {
        writeln!(out, "  about something: {}", witness.text())?;
        for choice in &witness.choices {
            writeln!(out, "    chosen ({}): {}", choice.choice, choice.value)?;
        }
    }
    for pair in &claim.trusted {
        writeln!(out, "  may rest on: {}", trusted(pair))?;
    }
    for check in &claim.trusted_checks {
        writeln!(out, "  may rest on: {}", trusted_check(check))?;
    }
    let maker = &claim.made_by;
    let by = format!("{} of bsym {}, {} checks, {}", maker.engine, maker.bsym, maker.checks, maker.solver);
    writeln!(out, "  made by: {by}")
}

/// A wrong status is a mistake of some prover, of a file or of ours: it is never said in passing.
fn wrong_statuses(out: &mut String, result: &RunResult, paint: Paint) -> std::fmt::Result {
    let mut wrong: Vec<String> = vec![];
    for pair in &result.proofs.wrong {
        wrong.push(format!("{} does not preserve  {}", pair.event, pair.conjunct));
    }
    wrong.extend(result.proofs.checks.wrong.iter().map(|c| format!("it can fail:  {}", c.check)));
    if wrong.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    writeln!(
        out,
        "{}: the proof status is wrong; {} that counted as proven {} refuted and {} not used:",
        paint.bad("WRONG STATUS"),
        match (wrong.len(), result.proofs.checks.wrong.len()) {
            (1, 0) => "a pair".to_string(),
            (1, _) => "a check".to_string(),
            (n, 0) => format!("{n} pairs"),
            (n, _) => format!("{n} pairs and checks"),
        },
        if wrong.len() == 1 { "was" } else { "were" },
        if wrong.len() == 1 { "is" } else { "are" },
    )?;
    for entry in &wrong {
        writeln!(out, "  {entry}")?;
    }
    if let Some(source) = &result.proofs.source {
        writeln!(out, "  status from {source}")?;
    }
    Ok(())
}

/// A trace with what is wrong at its end.
pub fn trace(
    constants: &Map<String, Json>,
    trace: &[StepObject],
    violated: &[ViolatedObject],
    paint: Paint,
) -> String {
    let mut out = String::new();
    let _ = steps(&mut out, constants, trace, paint);
    out.push('\n');
    let _ = violations(&mut out, violated, paint);
    out
}

fn evidence(out: &mut String, result: &RunResult, paint: Paint) -> std::fmt::Result {
    if let Some(trace) = &result.trace {
        writeln!(out)?;
        steps(out, &result.constants, trace, paint)?;
        writeln!(out)?;
        violations(out, &result.violated, paint)?;
    }
    if result.certificate_kind.is_some() {
        proof(out, result, paint)?;
    }
    if let Some(contradiction) = &result.contradiction {
        contradicted(out, contradiction, paint)?;
        if let Some(path) = result.certificate.as_str() {
            writeln!(out, "the wrong proof was written to {path}")?;
        }
    }
    if let Some(path) = &result.trace_file {
        writeln!(out)?;
        writeln!(out, "trace written to {path}")?;
    }
    if let Some(states) = &result.counterexample_to_induction
        && result.verdict == "unknown"
    {
        writeln!(out)?;
        writeln!(
            out,
            "the invariant is not inductive; k-induction stopped at this path (its first state need"
        )?;
        writeln!(out, "not be reachable):")?;
        for state in states {
            writeln!(out, "  {state}")?;
        }
    }
    Ok(())
}

/// Everything that is needed to report a mistake of ours.
fn contradicted(out: &mut String, found: &ContradictionObject, paint: Paint) -> std::fmt::Result {
    writeln!(out)?;
    let what = match found.from {
        "initial" => "the evaluator comes from an initial state to where the proof is wrong",
        "invariant" => {
            "the evaluator comes from a state of the invariant, which need not be reachable, to where the proof is wrong"
        }
        "solver" => "the evaluator accepts this initial state",
        _ => "these checks fail",
    };
    writeln!(out, "{what}, with {}:", scope(&found.scope))?;
    steps(out, &found.constants, &found.trace, paint)?;
    writeln!(out)?;
    violations(out, &found.broken, paint)?;
    writeln!(out)?;
    writeln!(out, "please report this with the machine, the command line and this output")
}

/// The steps with what changed. The first state is shown whole.
fn steps(
    out: &mut String,
    constants: &Map<String, Json>,
    trace: &[StepObject],
    paint: Paint,
) -> std::fmt::Result {
    if !constants.is_empty() {
        writeln!(out, "  {}", paint.strong("constants"))?;
        assignments(out, constants.iter())?;
    }
    let width = trace.len().saturating_sub(1).to_string().len();
    let mut before: Option<&Map<String, Json>> = None;
    for (i, step) in trace.iter().enumerate() {
        writeln!(out, "  {i:>width$}  {}", paint.strong(&call(step)))?;
        let Some(state) = &step.state else {
            writeln!(out, "       (the step fails before it reaches a state)")?;
            continue;
        };
        let changed: Vec<_> =
            state.iter().filter(|(name, value)| before.and_then(|b| b.get(*name)) != Some(value)).collect();
        if changed.is_empty() && !state.is_empty() {
            writeln!(out, "       (nothing changes)")?;
        }
        assignments(out, changed.into_iter())?;
        before = Some(state);
    }
    Ok(())
}

fn call(step: &StepObject) -> String {
    let list = |values: &Map<String, Json>| {
        values.iter().map(|(n, v)| format!("{n} = {}", plain(v))).collect::<Vec<_>>().join(", ")
    };
    let mut text = String::new();
    if !step.results.is_empty() {
        text = format!("{} <-- ", list(&step.results));
    }
    text.push_str(&step.event);
    if !step.parameters.is_empty() {
        text.push_str(&format!("({})", list(&step.parameters)));
    }
    text
}

fn assignments<'a>(
    out: &mut String,
    values: impl Iterator<Item = (&'a String, &'a Json)>,
) -> std::fmt::Result {
    for (name, value) in values {
        writeln!(out, "       {name} = {}", plain(value))?;
    }
    Ok(())
}

fn violations(out: &mut String, violated: &[ViolatedObject], paint: Paint) -> std::fmt::Result {
    for v in violated {
        let what = match v.property {
            "inv" => "false",
            "assertions" => "false",
            "deadlock" => "deadlock",
            "goal" => "reached",
            "wd" => "ill-defined",
            "assert" => "ASSERT fails",
            "refinement" => "refinement fails",
            "proof" => "the proof says",
            _ => "precondition fails",
        };
        write!(out, "  {}: ", paint.bad(what))?;
        if let Some(label) = &v.label {
            write!(out, "{label}: ")?;
        }
        write!(out, "{}", v.text)?;
        if let Some(at) = location(v) {
            write!(out, "   {}", paint.faint(&at))?;
        }
        writeln!(out)?;
        if let Some(message) = &v.message {
            writeln!(out, "    {message}")?;
        }
    }
    Ok(())
}

fn location(v: &ViolatedObject) -> Option<String> {
    Some(format!("{}:{}", v.file.as_ref()?, v.line?))
}

fn proof(out: &mut String, result: &RunResult, paint: Paint) -> std::fmt::Result {
    writeln!(out)?;
    let depth = result.depth.unwrap_or(0);
    match result.certificate_kind {
        Some("inductive") => writeln!(out, "{}", paint.strong("inductive invariant"))?,
        Some("k-induction") => {
            writeln!(out, "{}", paint.strong(&format!("proved by k-induction with k = {depth}")))?;
            if !result.invariant.is_empty() {
                writeln!(out, "assuming the invariant")?;
            }
        }
        Some("search") => {
            writeln!(out, "{}", paint.strong("every reachable state of this scope was visited"))?;
        }
        _ => writeln!(out, "{}", paint.strong(&format!("no path has {}", events(depth))))?,
    }
    let mut lines = result.invariant.iter();
    if let Some(first) = lines.next() {
        writeln!(out, "    {first}")?;
    }
    for line in lines {
        writeln!(out, "  & {line}")?;
    }
    if let Some(checked) = &result.checked {
        writeln!(out)?;
        writeln!(out, "checked in a fresh solver: {} checks, {}", checked.checks, checked.solver)?;
        if !checked.small_sizes_undecided.is_empty() {
            let all = checked.small_sizes_undecided.join("; ");
            writeln!(out, "{}: the same checks with {all}", paint.doubt("not decided"))?;
        }
        for what in checked.representations_undecided.iter().take(MOST_LISTED) {
            writeln!(out, "{}: {what}", paint.doubt("not decided"))?;
        }
        if checked.representations_undecided.len() > MOST_LISTED {
            let more = checked.representations_undecided.len() - MOST_LISTED;
            writeln!(out, "{}: {more} more of representations", paint.doubt("not decided"))?;
        }
    }
    if let Some(walked) = &result.stats.walked {
        writeln!(out, "walked by the evaluator: {}", walked.text())?;
    }
    if let Some(path) = result.certificate.as_str() {
        writeln!(out, "certificate written to {path}")?;
    }
    Ok(())
}

/// The other properties, further counterexamples, and what could not be encoded.
fn others(out: &mut String, result: &RunResult, paint: Paint) -> std::fmt::Result {
    let mixed = result.properties.iter().any(|p| p.verdict != result.properties[0].verdict);
    if mixed || (result.properties.len() > 1 && result.verdict == "violated") {
        writeln!(out)?;
        for p in &result.properties {
            let verdict = match p.verdict {
                "holds" => paint.good("holds   "),
                "violated" => paint.bad("violated"),
                _ => paint.doubt("unknown "),
            };
            let name = p.label.as_ref().map(|l| format!("{l}: ")).unwrap_or_default();
            writeln!(out, "  {verdict}  {name}{}", p.text)?;
        }
    }
    for (i, further) in result.further.iter().enumerate() {
        writeln!(out)?;
        writeln!(
            out,
            "{} {}",
            paint.strong(&format!("counterexample {}:", i + 2)),
            after(further.trace.len().saturating_sub(1))
        )?;
        steps(out, &further.constants, &further.trace, paint)?;
        writeln!(out)?;
        violations(out, &further.violated, paint)?;
    }
    if !result.unsupported.is_empty() {
        writeln!(out)?;
        writeln!(out, "not supported, and therefore not part of any proof:")?;
        for u in &result.unsupported {
            let at = u.file.as_ref().zip(u.line).map(|(f, l)| format!("   {f}:{l}")).unwrap_or_default();
            writeln!(out, "  {}: {}{}", u.part, u.reason, paint.faint(&at))?;
        }
    }
    Ok(())
}

fn proofs(out: &mut String, result: &RunResult, paint: Paint) -> std::fmt::Result {
    let p = &result.proofs;
    if let Some(source) = &p.source {
        writeln!(out)?;
        writeln!(
            out,
            "proof status from {source}: {} used, {} trusted, {} ignored, {} stale, {} unmatched, {} wrong",
            p.used.len() + p.checks.used.len(),
            p.trusted.len() + p.checks.trusted.len(),
            p.ignored.len(),
            p.stale.len(),
            p.unmatched.len(),
            p.wrong.len() + p.checks.wrong.len()
        )?;
        for (name, entries) in [("ignored", &p.ignored), ("stale", &p.stale), ("unmatched", &p.unmatched)] {
            for entry in entries.iter().take(MOST_LISTED) {
                writeln!(out, "  {name}: {entry}")?;
            }
            if entries.len() > MOST_LISTED {
                writeln!(out, "  {name}: {} more", entries.len() - MOST_LISTED)?;
            }
        }
    }
    let all: Vec<String> =
        p.trusted.iter().map(trusted).chain(p.checks.trusted.iter().map(trusted_check)).collect();
    if !all.is_empty() {
        writeln!(
            out,
            "{}: the proof rests on status that the solver could not confirm:",
            paint.doubt("trusted")
        )?;
        for entry in all.iter().take(MOST_LISTED) {
            writeln!(out, "  {entry}")?;
        }
        if all.len() > MOST_LISTED {
            writeln!(out, "  {} more", all.len() - MOST_LISTED)?;
        }
    }
    Ok(())
}

fn trusted(pair: &PairObject) -> String {
    format!("{} preserves  {}{}", pair.event, pair.conjunct, proved_by(&pair.provers, pair.level))
}

fn trusted_check(check: &CheckObject) -> String {
    format!("{}{}", check.check, proved_by(&check.provers, check.level))
}

fn proved_by(provers: &[String], level: Option<&str>) -> String {
    match (provers, level) {
        ([], None) => String::new(),
        ([], Some(level)) => format!(" ({level})"),
        (provers, level) => format!(" ({}, {})", provers.join(", "), level.unwrap_or("claim")),
    }
}

fn next(out: &mut String, result: &RunResult, paint: Paint) -> std::fmt::Result {
    let hint = match result.verdict {
        "unknown" => match result.reason_code {
            Some("audit-failed") => {
                "this is a fault of bsym: please report it, with the machine and the reason"
            }
            Some("depth-limit") => match result.engine.as_str() {
                "bmc" => "a larger --depth searches further; `bsym ic3` or `bsym kind` may prove it",
                _ => "a larger --depth goes on",
            },
            Some("timeout" | "interrupted" | "memory") => match result.engine.as_str() {
                "check" => {
                    "a larger --timeout; or a smaller question: --conjunct, --scope SET=SIZE, --set CONSTANT=EXPR"
                }
                _ => {
                    "`bsym check` runs all engines; --scope SET=SIZE or --set CONSTANT=EXPR asks a smaller question"
                }
            },
            Some("not-checked") => {
                "bsym does not yet compare a refinement with its abstraction; --conjunct asks about one conjunct alone"
            }
            Some("check-failed") if !result.proofs.used.is_empty() => {
                "--no-proofs decides without the imported status"
            }
            _ if !result.unsupported.is_empty() => {
                "violations are still found where the supported part reaches them; --conjunct leaves out what is not supported"
            }
            _ if result.engine == "kind" => {
                "strengthen the invariant so that the first state above is excluded, or let `bsym ic3` find out how"
            }
            _ => "`bsym check` runs all engines",
        },
        "vacuous" if !result.core.is_empty() => "look at these axioms: no constants satisfy them all",
        "vacuous" => {
            "look at the axioms (PROPERTIES, --set) and at the initialisation: no state of this scope satisfies them"
        }
        "violated" if !result.further.is_empty() => "",
        "violated" if result.properties.iter().any(|p| p.verdict == "unknown") => {
            "--keep-going goes on with the other properties; --trace FILE writes the trace"
        }
        "violated" if result.trace_file.is_none() => "--trace FILE writes the trace",
        "holds" if result.certificate.is_null() || result.certificate.is_object() => {
            "--certificate FILE writes the proof; `bsym certify FILE` repeats its checks in another solver"
        }
        "holds" => "`bsym certify` with the certificate repeats its checks in another solver",
        _ => "",
    };
    if !hint.is_empty() {
        writeln!(out)?;
        writeln!(out, "{} {hint}", paint.faint("next:"))?;
    }
    Ok(())
}
