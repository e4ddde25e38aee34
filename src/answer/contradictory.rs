//! Obligations that follow from contradicting hypotheses, for people.

use bsym_status::file::{Contradictory, Hypothesis, Language, TargetRole};

use super::diagnostic::location;
use super::trace::counted;
use crate::paint::Paint;

/// Whether everything follows: axioms, or axioms and invariants, contradict each other.
pub fn is_everything(contradictory: &Contradictory) -> bool {
    contradictory.event.is_none()
}

/// Returns the head and the core of each; with `verbose`, what follows as well.
pub fn text(all: &[Contradictory], language: Option<Language>, verbose: bool, paint: Paint) -> String {
    let mut text = String::new();
    for one in all {
        let word = if is_everything(one) { paint.bad("contradiction") } else { paint.doubt("warning") };
        let form = if one.confirmed { "" } else { " (shown in one form alone)" };
        let (what, follow) = (in_words(one, language), follow(one.obligations.len()));
        text.push_str(&format!("  {word}: {what}{form}; {follow}\n"));
        for Hypothesis { role, label, text: predicate, file, line } in &one.core {
            let label = label.as_ref().map(|l| format!(" {l}")).unwrap_or_default();
            let at = location(file, *line).map(|at| format!("   {at}")).unwrap_or_default();
            text.push_str(&format!("    {}{label}: {predicate}{at}\n", role.word()));
        }
        if verbose {
            text.push_str(&format!("    so these say nothing: {}\n", one.obligations.join(", ")));
        }
    }
    text
}

fn follow(count: usize) -> String {
    let verb = if count == 1 { "follows" } else { "follow" };
    format!("{} {verb} from that alone", counted(count, "proved obligation"))
}

fn in_words(one: &Contradictory, language: Option<Language>) -> String {
    let has = |role: TargetRole| one.core.iter().any(|h| h.role == role);
    let is_alone = one.core.len() == 1;
    match (&one.event, has(TargetRole::Axiom), has(TargetRole::Invariant)) {
        (Some(event), _, has_invariant) => {
            let (kind, verb) = match language {
                Some(Language::EventB) => ("event", "can never fire"),
                _ if has(TargetRole::Guard) => ("operation", "can never be executed"),
                _ => ("operation", "can never be called"),
            };
            let states = if has_invariant { " in a state that satisfies the invariant" } else { "" };
            format!("{kind} {event} {verb}{states}")
        }
        (None, true, true) => "the axioms and the invariant contradict each other".into(),
        (None, true, false) if is_alone => "an axiom is never true".into(),
        (None, true, false) => "the axioms contradict each other".into(),
        (None, false, _) if is_alone => "an invariant is never true".into(),
        (None, false, _) => "the invariants contradict each other".into(),
    }
}
