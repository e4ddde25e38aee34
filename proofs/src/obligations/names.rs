//! The names of obligations: those of Rodin for Event-B, where labels name formulas.

use bsym_encodings::system::FailureKind;
use bsym_language::eventb::text;
use bsym_language::model::*;
use bsym_language::print;
use bsym_language::source::Span;
use bsym_status::digest::INITIALISATION;
use bsym_status::file::Kind;

/// The component that a model is made of first.
const MAIN: ComponentId = ComponentId(0);
/// The nearest abstraction of a machine of Event-B.
pub(super) const ABSTRACTION: ComponentId = ComponentId(1);

/// Returns the label, or word and position from 1. Names from another component are prefixed with its name.
pub(super) fn key(model: &Model, word: &str, position: usize, conjunct: &Conjunct) -> String {
    let label = conjunct.label.clone().unwrap_or_else(|| format!("{word}{}", position + 1));
    within(model, conjunct.origin, &label)
}

fn within(model: &Model, origin: ComponentId, label: &str) -> String {
    match model.text.components.get(origin.index()) {
        Some(c) if origin != MAIN => format!("{}.{label}", c.name),
        _ => label.to_string(),
    }
}

/// The name of an event, or that of the initialisation.
pub(super) fn event_name(model: &Model, event: Option<EventId>) -> &str {
    event.map_or(INITIALISATION, |e| model.events[e.index()].name.as_str())
}

/// Name of an obligation about a part of an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub kind: Kind,
    /// The name without that of the event.
    pub name: String,
    pub text: String,
}

/// Returns the obligation that a way to fail belongs to. `position`: from 1, for parts without a label.
pub(super) fn part(
    model: &Model,
    event: Option<EventId>,
    kind: FailureKind,
    span: Span,
    position: usize,
) -> Part {
    let text = print::at(model, span);
    let (word, short) = match kind {
        FailureKind::IllDefined => (Kind::Wd, "WD"),
        FailureKind::Precondition => (Kind::Precondition, "PRE"),
        FailureKind::Assert if model.text.notation == Notation::EventB => (Kind::Thm, "THM"),
        FailureKind::Assert => (Kind::Other, "ASSERT"),
        FailureKind::Refinement(id) => return refinement(model, event, &model.refinement.checks[id.index()]),
    };
    match formula(model, event, span) {
        Some(f) => {
            let (word, short) = match (word, f.role) {
                (Kind::Wd, FormulaRole::Witness) => (Kind::Wwd, "WWD"),
                _ => (word, short),
            };
            let is_own = f.origin == MAIN && f.role != FormulaRole::Witness;
            let owner = if is_own { repeated(model, event, f).unwrap_or(f) } else { f };
            let name = format!("{}/{short}", within(model, owner.origin, &owner.label));
            Part { kind: word, name, text: print::at(model, f.span) }
        }
        None => Part { kind: word, name: format!("{position}/{short}"), text },
    }
}

fn refinement(model: &Model, event: Option<EventId>, check: &RefinementCheck) -> Part {
    let (kind, short) = match check.kind {
        RefinementKind::Guard if is_merged(model, event) && check.origin == ABSTRACTION => {
            return Part {
                kind: Kind::Mrg,
                name: "MRG".into(),
                text: "the guards of an abstract event".into(),
            };
        }
        RefinementKind::Guard => (Kind::Grd, "GRD"),
        RefinementKind::Simulation => (Kind::Sim, "SIM"),
        RefinementKind::Unchanged => (Kind::Eql, "EQL"),
        RefinementKind::Witness => (Kind::Wfis, "WFIS"),
        RefinementKind::Operation | RefinementKind::Precondition => (Kind::Refinement, "REF"),
    };
    let label = check.label.as_deref().unwrap_or("?");
    let text = match (check.kind, check.text.is_empty()) {
        (RefinementKind::Unchanged, _) => format!("{label} is not changed"),
        (_, true) => format!("there is a value for {label}"),
        _ => check.text.clone(),
    };
    // Obligations of the levels above are asked of this event as well, and Rodin has none of them.
    if check.origin == ABSTRACTION {
        Part { kind, name: format!("{label}/{short}"), text }
    } else {
        let name = format!("{}/{short}", within(model, check.origin, label));
        Part { kind: Kind::Refinement, name, text }
    }
}

/// Returns the smallest formula of an event around a place: its own one, or one of an abstraction.
pub(super) fn formula(model: &Model, event: Option<EventId>, span: Span) -> Option<&EventFormula> {
    let name = event_name(model, event);
    let around = |f: &&EventFormula| f.span.contains(span);
    let own = model.text.formulas.iter().filter(|f| f.origin == MAIN && f.event == name);
    let others = model.text.formulas.iter().filter(|f| f.origin != MAIN);
    let size = |f: &&EventFormula| f.span.end - f.span.start;
    own.filter(around).min_by_key(size).or_else(|| others.filter(around).min_by_key(size))
}

/// The formula of the nearest abstraction that is the same, so that the abstraction owes its meaning and its result: an
/// action, or a guard before which the event has all guards that the abstract event has before it. Labels do not matter
/// (Rodin, `FwdMachineEventGuardModule` and `FwdMachineEventActionModule`).
pub(super) fn repeated<'m>(
    model: &'m Model,
    event: Option<EventId>,
    own: &EventFormula,
) -> Option<&'m EventFormula> {
    let text = |f: &EventFormula| squeezed(&written(model, f.span));
    let of = |origin: ComponentId, name: &str| {
        let some = model.text.formulas.iter().filter(move |f| f.origin == origin && f.role == own.role);
        some.filter(|f| f.event == name).collect::<Vec<_>>()
    };
    let beside = of(own.origin, &own.event);
    let until = beside.iter().position(|f| *f == own).unwrap_or_default();
    let before: Vec<String> = beside[..until].iter().map(|f| text(f)).collect();
    let own_text = text(own);
    let abstractions: Vec<&str> = match event {
        None => vec![INITIALISATION],
        Some(e) => model.events[e.index()].refines.iter().map(String::as_str).collect(),
    };
    abstractions.into_iter().find_map(|name| {
        let above = of(ABSTRACTION, name);
        let at = above.iter().position(|f| text(f) == own_text)?;
        let is_guard = own.role == FormulaRole::Guard;
        let is_behind = !is_guard || above[..at].iter().all(|f| before.contains(&text(f)));
        is_behind.then_some(above[at])
    })
}

/// Returns a formula without white space, except where it separates names.
fn squeezed(text: &str) -> String {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '\'');
    let mut out = String::new();
    let mut words = text.split_whitespace();
    out.push_str(words.next().unwrap_or_default());
    for word in words {
        if is_word(out.chars().last()) && is_word(word.chars().next()) {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Returns an action as it is written, on one line. The model may represent it in another way.
pub(super) fn written(model: &Model, span: Span) -> String {
    let source = model.text.sources.iter().find(|(id, _)| *id == span.source).map(|(_, source)| source);
    if model.text.notation == Notation::EventB
        && let Some(written) = source.and_then(|source| text::written(source, span))
    {
        return written;
    }
    let of_rodin = model.text.sources.path(span).extension().is_some_and(|e| e == "bum");
    match of_rodin {
        true => {
            let text =
                model.text.sources.text(span).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        }
        false => print::at(model, span),
    }
}

/// Returns whether an event refines several events of the nearest abstraction: then only their guards stand in an `IF`
/// before anything is demanded of one of them.
fn is_merged(model: &Model, event: Option<EventId>) -> bool {
    let Some(event) = event else { return false };
    let mut body = &model.events[event.index()].body;
    loop {
        body = match &body.kind {
            SubstKind::If(..) => return true,
            SubstKind::Select { branches, .. } if branches.len() == 1 => &branches[0].1,
            SubstKind::Assert(Claim::Assertion, _, inner) | SubstKind::Any(_, _, _, inner) => inner,
            _ => return false,
        }
    }
}
