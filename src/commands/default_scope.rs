//! Doubts about a scope without a state that the user did not choose.

use bsym_language::model::Model;
use bsym_language::types::CarrierId;
use bsym_semantics::scope::{Chosen, Scope};
use bsym_semantics::verdict::Reason;

use crate::arguments::ScopeArguments;
use crate::input;

/// Returns why a model may have a state after all, where the scope in which it has none was chosen by default.
pub(super) fn doubt(
    model: &Model,
    scope: &Scope,
    arguments: &ScopeArguments,
    reason: &str,
) -> Option<Reason> {
    let chosen = scope.chosen(model, &input::scope_request(arguments).ok()?);
    let tried = [scope.clone()];
    let sizes = sizes_text(model, &tried, &chosen);
    let text = format!("{reason}, with {sizes}, which were chosen by default; `bsym mc` tries larger ones");
    (!chosen.is_nothing()).then_some(Reason::ExistenceUndecided(text))
}

/// Why it is not known that a model has no state, where larger scopes were tried as well.
pub(super) fn undecided(model: &Model, tried: &[Scope], chosen: &Chosen, what: &str) -> Reason {
    let first = chosen.sets.first().map(|set| model.types.carriers[set.index()].name.as_str());
    let help = match first {
        Some(name) => format!("--scope {name}=N asks for another size"),
        None => "--maxint N asks for another bound".into(),
    };
    let text =
        format!("{what} was found with {}; others may have one; {help}", sizes_text(model, tried, chosen));
    Reason::ExistenceUndecided(text)
}

/// The sizes that were tried, in words: `S = 2 to 16`.
pub(super) fn sizes_text(model: &Model, tried: &[Scope], chosen: &Chosen) -> String {
    let range = |of: &dyn Fn(&Scope) -> Option<usize>| {
        let (low, high) = (tried.iter().filter_map(of).min()?, tried.iter().filter_map(of).max()?);
        Some(if low == high { low.to_string() } else { format!("{low} to {high}") })
    };
    let name = |set: &CarrierId| model.types.carriers[set.index()].name.clone();
    let mut parts: Vec<String> = chosen
        .sets
        .iter()
        .filter_map(|set| Some(format!("card({}) = {}", name(set), range(&|s| s.sizes.get(set).copied())?)))
        .collect();
    if chosen.bounds
        && let Some(bounds) = range(&|s| s.maxint.to_usize())
    {
        parts.push(format!("MAXINT {bounds}"));
    }
    let many = if chosen.sets.len() > 1 { format!(" ({} choices)", tried.len()) } else { String::new() };
    format!("{}{many}", parts.join(", "))
}
