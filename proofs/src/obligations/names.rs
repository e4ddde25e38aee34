//! The names of obligations: those of Rodin for Event-B, where labels name formulas.

use bsym_encodings::system::FailureKind;
use bsym_language::model::*;
use bsym_language::print;
use bsym_language::source::Span;
use bsym_status::digest::INITIALISATION;
use bsym_status::file::Kind;

/// The component that a model is made of first.
const MAIN: ComponentId = ComponentId(0);
/// The nearest abstraction of a machine of Event-B.
pub(super) const ABSTRACTION: ComponentId = ComponentId(1);

/// Label, or word and position from 1; what another component declares is named with that.
pub(super) fn key(model: &Model, word: &str, position: usize, conjunct: &Conjunct) -> String {
    let label = conjunct.label.clone().unwrap_or_else(|| format!("{word}{}", position + 1));
    within(model, conjunct.origin, &label)
}

fn within(model: &Model, origin: ComponentId, label: &str) -> String {
    match model.components.get(origin.index()) {
        Some(c) if origin != MAIN => format!("{}.{label}", c.name),
        _ => label.to_string(),
    }
}

/// The name of an event, or that of the initialisation.
pub(super) fn event_name(model: &Model, event: Option<EventId>) -> &str {
    event.map_or(INITIALISATION, |e| model.events[e.index()].name.as_str())
}

/// How an obligation about a part of an event is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub kind: Kind,
    /// Without the name of the event.
    pub name: String,
    pub text: String,
}

/// The obligation that a way to fail belongs to. `position`: from 1, for what has no label.
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
        FailureKind::Assert if model.notation == Notation::EventB => (Kind::Thm, "THM"),
        FailureKind::Assert => (Kind::Other, "ASSERT"),
        FailureKind::Refinement(id) => return refinement(model, event, &model.refinement_checks[id.index()]),
    };
    match formula(model, event, span) {
        Some(f) => {
            let (word, short) = match (word, f.role) {
                (Kind::Wd, FormulaRole::Witness) => (Kind::Wwd, "WWD"),
                _ => (word, short),
            };
            let repeated = f.origin == MAIN && is_repeated(model, event, f);
            let origin = if repeated { ABSTRACTION } else { f.origin };
            let name = format!("{}/{short}", within(model, origin, &f.label));
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
    // Those of the levels above are asked of this event as well, and are no obligations of Rodin.
    if check.origin == ABSTRACTION {
        Part { kind, name: format!("{label}/{short}"), text }
    } else {
        let name = format!("{}/{short}", within(model, check.origin, label));
        Part { kind: Kind::Refinement, name, text }
    }
}

/// The smallest formula of an event around a place: its own one, or one of an abstraction.
pub(super) fn formula(model: &Model, event: Option<EventId>, span: Span) -> Option<&EventFormula> {
    let name = event_name(model, event);
    let around = |f: &&EventFormula| f.span.contains(span);
    let own = model.formulas.iter().filter(|f| f.origin == MAIN && f.event == name);
    let others = model.formulas.iter().filter(|f| f.origin != MAIN);
    let size = |f: &&EventFormula| f.span.end - f.span.start;
    own.filter(around).min_by_key(size).or_else(|| others.filter(around).min_by_key(size))
}

/// Whether the nearest abstraction has the same formula, so that it owes its meaning and its result: a guard has its meaning
/// behind the same guards there.
pub(super) fn is_repeated(model: &Model, event: Option<EventId>, own: &EventFormula) -> bool {
    let before = |f: &&EventFormula| {
        let is_guard = f.role == FormulaRole::Guard && own.role == FormulaRole::Guard;
        is_guard && (f.origin, &f.event) == (own.origin, &own.event)
    };
    let until = model.formulas.iter().position(|f| f == own).unwrap_or_default();
    let mut all = model.formulas[..until].iter().filter(before).chain([own]);
    all.all(|f| is_above(model, event, f))
}

fn is_above(model: &Model, event: Option<EventId>, own: &EventFormula) -> bool {
    let above = |name: &str| match event {
        None => name == event_name(model, None),
        Some(e) => model.events[e.index()].refines.iter().any(|r| r == name),
    };
    let text = written(model, own.span);
    model.formulas.iter().any(|f| {
        f.origin == ABSTRACTION
            && (f.role, &f.label) == (own.role, &own.label)
            && above(&f.event)
            && written(model, f.span) == text
    })
}

/// An action as it is written, on one line: the model may say it in another way.
pub(super) fn written(model: &Model, span: Span) -> String {
    let of_rodin = model.sources.path(span).extension().is_some_and(|e| e == "bum");
    match of_rodin {
        true => {
            let text =
                model.sources.text(span).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        }
        false => print::at(model, span),
    }
}

/// Whether an event refines several events of the nearest abstraction: then only their guards stand in an `IF` before
/// anything is demanded of one of them.
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
