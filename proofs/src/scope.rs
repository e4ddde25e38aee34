//! Scopes with names, as status files and certificates have them.

use bsym_language::model::Model;
use bsym_semantics::scope::Scope;
use bsym_status::file::PoScope;

/// Returns the scope with names.
pub fn named(model: &Model, scope: &Scope) -> PoScope {
    PoScope {
        sizes: scope.sizes.iter().map(|(c, &n)| (model.types.carriers[c.index()].name.clone(), n)).collect(),
        maxint: scope.maxint.to_string(),
        minint: scope.minint.to_string(),
    }
}
