//! The choice of the encoding that serves a run: terms for a solver that knows unbounded integers and sets of any size,
//! or the same terms as propositional logic over the scope.
//!
//! Decided here and nowhere else, with a reason that the answer can name. The bounded encoding asks for sizes of all
//! deferred sets; integers need no bounds, since every cut of them is widened until the answer does not depend on
//! it (see [`propositional`](crate::propositional)).

use std::collections::BTreeSet;

use bsym_language::model::{CarrierKind, Model};
use bsym_language::types::{CarrierId, Type};
use bsym_semantics::scope::Scope;

use crate::system::build::settle_by_axioms;

/// Encoding of the formulas of a model for a solver.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// Integers are integers, and deferred sets without a size have any.
    #[default]
    Unbounded,
    /// Propositional logic.
    Sat,
}

/// An encoding, and why it is the one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Chosen {
    /// The encoding.
    pub encoding: Encoding,
    /// A clause: "as asked".
    pub reason: String,
    /// Parts that the bounded encoding has no form for, whichever is chosen; see [`infinite`].
    pub infinite: Vec<String>,
}

/// Chooses the encoding of a run. `asked` is what the user wants, if it is one of them; `is_solver` says whether
/// there is a solver for unbounded terms.
///
/// Where both could serve, the unbounded one does: models are known that it decides and the bounded one does not in the
/// same time (benches/propositional.md), so that another default would lose answers. A caller that runs engines may ask
/// the other one for what is left open.
pub fn choose(asked: Option<Encoding>, is_solver: bool, model: &Model, scope: &Scope) -> Chosen {
    let infinite = infinite(model, scope);
    let (encoding, reason) = match (asked, is_solver) {
        (Some(asked), _) => (asked, "as asked".into()),
        (None, true) => match infinite.first() {
            Some(what) => (Encoding::Unbounded, format!("{what} is not finite in the scope")),
            None => (Encoding::Unbounded, "both could serve, and it is known to lose nothing".into()),
        },
        (None, false) => (Encoding::Sat, "no solver for the unbounded encoding can be reached".into()),
    };
    Chosen { encoding, reason, infinite }
}

/// Lists the parts of a model that the bounded encoding has no form for in this scope: deferred sets without a size,
/// and types without bits. It does not decide what mentions these.
pub fn infinite(model: &Model, scope: &Scope) -> Vec<String> {
    let scope = settle_by_axioms(model, scope);
    let mut all = vec![];
    for (id, carrier) in (0u32..).map(CarrierId).zip(&model.types.carriers) {
        if carrier.kind == CarrierKind::Deferred && !scope.sizes.contains_key(&id) {
            all.push(format!("the set `{}`", carrier.name));
        }
    }
    let mut types = BTreeSet::new();
    let variables = model.variables.iter().chain(&model.constants);
    let locals = model.locals.iter().map(|l| &l.ty);
    variables.map(|v| &v.ty).chain(locals).for_each(|ty| without_bits(ty, &mut types));
    all.extend(types.into_iter().map(String::from));
    all
}

fn without_bits(ty: &Type, found: &mut BTreeSet<&'static str>) {
    match ty {
        Type::Real => drop(found.insert("the type REAL")),
        Type::String => drop(found.insert("the type STRING")),
        Type::Free(..) => drop(found.insert("a free type")),
        Type::Pow(t) => without_bits(t, found),
        Type::Pair(a, b) => {
            without_bits(a, found);
            without_bits(b, found);
        }
        Type::Record(fields) => fields.iter().for_each(|(_, t)| without_bits(t, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use bsym_language::load::load_text;
    use bsym_semantics::scope::ScopeRequest;

    use super::*;

    #[test]
    fn the_choice_follows_from_types_and_scope() {
        let text = "MACHINE M SETS S; T CONSTANTS r PROPERTIES card(T) = 2 & r : REAL VARIABLES f
                    INVARIANT f : S +-> T INITIALISATION f := {} END";
        let model = load_text("M.mch", text).model.expect("the machine is right");
        let mut request = ScopeRequest::default();
        let settle = |request: &ScopeRequest| Scope::settle(&model, request).expect("the scope is right");
        assert_eq!(infinite(&model, &settle(&request)), ["the set `S`", "the type REAL"]);
        request.sizes.insert("S".into(), 3);
        let scope = settle(&request);
        assert_eq!(infinite(&model, &scope), ["the type REAL"]);
        let chosen = |asked, is_solver| choose(asked, is_solver, &model, &scope).encoding;
        assert_eq!(chosen(None, true), Encoding::Unbounded);
        assert_eq!(chosen(None, false), Encoding::Sat);
        assert_eq!(chosen(Some(Encoding::Sat), true), Encoding::Sat);
        assert_eq!(chosen(Some(Encoding::Unbounded), false), Encoding::Unbounded);
    }
}
