//! Names that lemmas quantify over.

use std::collections::BTreeSet;

use bsym_language::model::*;
use bsym_language::types::{CarrierId, Type};

use crate::tuning::tuning;

/// Adds names for elements of the deferred sets of a model: without them no engine says a lemma with a quantifier. They
/// are locals that nothing in the model speaks of.
pub fn add(model: &mut Model) {
    for c in 0..model.types.carriers.len() {
        if model.types.carriers[c].kind != CarrierKind::Deferred {
            continue;
        }
        let id = CarrierId(c as u32);
        let base = base(&model.types.carriers[c].name);
        let (mut number, mut missing) = (0, tuning().invariants.elements - of(model, id).len());
        while missing > 0 {
            number += 1;
            let name = format!("{base}{number}");
            if !is_taken(model, &name) {
                let span = model.types.carriers[c].span;
                model.locals.push(Variable { name, ty: Type::Carrier(id), span });
                missing -= 1;
            }
        }
    }
}

/// The names for elements of a deferred set: declared where the set is.
pub fn of(model: &Model, set: CarrierId) -> Vec<LocalId> {
    let carrier = &model.types.carriers[set.index()];
    let base = base(&carrier.name);
    let numbered = |name: &str| name.strip_prefix(&base).is_some_and(|n| n.parse::<usize>().is_ok());
    let ours = |v: &Variable| v.ty == Type::Carrier(set) && v.span == carrier.span && numbered(&v.name);
    let mut names = BTreeSet::new();
    let all = model.locals.iter().enumerate().filter(|(_, v)| ours(v) && names.insert(&v.name));
    all.map(|(i, _)| LocalId(i as u32)).take(tuning().invariants.elements).collect()
}

/// Returns the prefix for the names of a set's elements: `node` for `NODE`.
fn base(set: &str) -> String {
    let plain: String = set.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    let lower = plain.trim_end_matches(|c: char| c.is_ascii_digit()).to_lowercase();
    if lower.starts_with(|c: char| c.is_ascii_alphabetic()) { lower } else { "element".into() }
}

fn is_taken(model: &Model, name: &str) -> bool {
    let elements = model.types.carriers.iter().any(|c| match &c.kind {
        CarrierKind::Enumerated(names) => names.iter().any(|n| n == name),
        CarrierKind::Deferred => false,
    });
    elements
        || model.types.carriers.iter().any(|c| c.name == name)
        || [&model.variables, &model.constants, &model.locals]
            .iter()
            .any(|all| all.iter().any(|v| v.name == name))
        || model.events.iter().any(|e| e.name == name)
}
