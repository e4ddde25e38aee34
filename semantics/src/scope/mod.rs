//! The scope: the sizes of deferred sets, and the bounds of `INT` and `NAT`.

pub mod least_sizes;

use std::collections::BTreeMap;

use bsym_language::int::Int;
use bsym_language::model::{CarrierKind, Model};
use bsym_language::types::CarrierId;
use bsym_language::walk::{Bounds, Visitor, walk_operators};

use crate::prob_profile;
use crate::scope::least_sizes::least_sizes;
use crate::tuning::tuning;

/// Sizes of the carriers and implementable integer bounds of one run. Part of every verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scope {
    /// Number of elements of each deferred set; a missing one has any size ≥ 1, in Event-B perhaps an infinite one.
    pub sizes: BTreeMap<CarrierId, usize>,
    /// `MAXINT`
    pub maxint: Int,
    /// `MININT`
    pub minint: Int,
}

/// Scope requested by the user; a value that is `None` comes from the model or from defaults.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScopeRequest {
    /// Sizes by name of the deferred set.
    pub sizes: BTreeMap<String, usize>,
    /// `--maxint`
    pub maxint: Option<Int>,
    /// `--minint`
    pub minint: Option<Int>,
    /// `--scope prob`: ProB's finite scope (two elements per deferred set, or as many as the axioms
    /// need; MAXINT 3, MININT -1) where neither the model nor the user says otherwise.
    pub prob: bool,
}

/// Largest size that a deferred set may be given. All elements of a set of settled size may be listed.
pub const MOST_ELEMENTS_OF_A_SET: usize = 1_000_000;

/// Error that explains why a scope cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum ScopeError {
    #[error("`{0}` is no deferred set of {1}; its deferred sets are: {2}")]
    UnknownSet(String, String, String),
    #[error("the size of `{0}` must be at least 1")]
    EmptySet(String),
    #[error(
        "`{0}` would have {1} elements, and a set of more than {MOST_ELEMENTS_OF_A_SET} is not listed; a smaller size is \
         chosen with --scope {0}=N where the machine allows it"
    )]
    TooLarge(String, usize),
    #[error("MININT {0} is not below MAXINT {1}")]
    Bounds(Int, Int),
}

impl Scope {
    /// Settles the scope of a run (DESIGN §5): the user's word, then the model's, then the
    /// defaults: any size and 32-bit bounds, or ProB's with [`ScopeRequest::prob`].
    ///
    /// # Errors
    /// A name that is not a deferred set, a size of zero or above [`MOST_ELEMENTS_OF_A_SET`], crossed bounds.
    pub fn settle(model: &Model, request: &ScopeRequest) -> Result<Scope, ScopeError> {
        let deferred = || {
            (0u32..)
                .map(CarrierId)
                .zip(&model.types.carriers)
                .filter(|(_, c)| c.kind == CarrierKind::Deferred)
        };
        let mut sizes = BTreeMap::new();
        for (name, &size) in &request.sizes {
            let Some((id, _)) = deferred().find(|(_, c)| c.name == *name) else {
                let known: Vec<_> = deferred().map(|(_, c)| c.name.as_str()).collect();
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                return Err(ScopeError::UnknownSet(name.clone(), model.name.clone(), known));
            };
            if size == 0 {
                return Err(ScopeError::EmptySet(name.clone()));
            }
            sizes.insert(id, size);
        }
        if request.prob {
            for (&id, &n) in model
                .definitions
                .hints
                .sizes
                .iter()
                .filter(|(id, _)| !model.definitions.hints.at_least.contains(id))
            {
                if n > 0 && model.types.carriers[id.index()].kind == CarrierKind::Deferred {
                    sizes.entry(id).or_insert(n);
                }
            }
            let least = least_sizes(model, &sizes);
            for (id, _) in deferred() {
                let hint = model
                    .definitions
                    .hints
                    .sizes
                    .get(&id)
                    .copied()
                    .filter(|&n| n > 0)
                    .unwrap_or(prob_profile::DEFERRED_SET_SIZE);
                sizes.entry(id).or_insert(hint.max(least.get(&id).copied().unwrap_or(1)));
            }
        }
        if let Some((id, &size)) = sizes.iter().find(|(_, size)| **size > MOST_ELEMENTS_OF_A_SET) {
            return Err(ScopeError::TooLarge(model.types.carriers[id.index()].name.clone(), size));
        }
        let pick = |asked: &Option<Int>, hint: &Option<Int>, prob: i64, full: i64| {
            asked.clone().or_else(|| hint.clone()).unwrap_or(Int::from(if request.prob {
                prob
            } else {
                full
            }))
        };
        let maxint = pick(&request.maxint, &model.definitions.hints.maxint, prob_profile::MAXINT, 2147483647);
        let minint =
            pick(&request.minint, &model.definitions.hints.minint, prob_profile::MININT, -2147483648);
        if minint >= maxint {
            return Err(ScopeError::Bounds(minint, maxint));
        }
        Ok(Scope { sizes, maxint, minint })
    }

    /// Returns the parts of this scope, settled for `request`, that neither the user nor the model has chosen.
    pub fn chosen(&self, model: &Model, request: &ScopeRequest) -> Chosen {
        let hints = &model.definitions.hints;
        let is_open = |id: &CarrierId| {
            let name = &model.types.carriers[id.index()].name;
            !request.sizes.contains_key(name)
                && (!hints.sizes.contains_key(id) || hints.at_least.contains(id))
        };
        let bounds = request.prob && request.maxint.is_none() && hints.maxint.is_none();
        Chosen {
            sets: self.sizes.keys().copied().filter(is_open).collect(),
            bounds: bounds && reads_bounds(model),
            minint: request.minint.is_none() && hints.minint.is_none(),
        }
    }

    /// Returns larger scopes than this one, in the order in which they are worth trying: sets of more elements, all
    /// together and one by one, and wider bounds of the integers.
    pub fn larger(&self, chosen: &Chosen) -> Vec<Scope> {
        let mut found: Vec<Scope> = Vec::new();
        let mut add = |scope: Scope| {
            if scope != *self && !found.contains(&scope) && found.len() < tuning().scope.scopes {
                found.push(scope);
            }
        };
        for more in 1..=tuning().scope.enlarged_by {
            if chosen.sets.is_empty() {
                break;
            }
            let mut all = self.clone();
            for set in &chosen.sets {
                let size = all.sizes.entry(*set).or_insert(1);
                *size = (2 + more).max(*size);
            }
            add(all);
            each_sum(more, chosen.sets.len(), &mut |increments| {
                let mut scope = self.clone();
                for (set, n) in chosen.sets.iter().zip(increments) {
                    *scope.sizes.entry(*set).or_insert(1) += n;
                }
                add(scope);
            });
            if more == 1 && chosen.bounds {
                tuning().scope.wider.iter().for_each(|&n| add(self.with_maxint(n, chosen)));
            }
        }
        if chosen.sets.is_empty() && chosen.bounds {
            tuning().scope.wider.iter().for_each(|&n| add(self.with_maxint(n, chosen)));
        }
        found
    }

    /// Returns this scope with the small integer bounds of `--scope prob`, for a model whose constants and initial
    /// states do not depend on them. Valuations that they admit are admitted by this scope too. Where integers are not
    /// confined, the small bounds cut choices to values that are soon tried.
    pub fn near_zero(&self, model: &Model) -> Option<Scope> {
        let (minint, maxint) = (Int::from(prob_profile::MININT), Int::from(prob_profile::MAXINT));
        let smaller = self.minint < minint && maxint < self.maxint;
        (smaller && !reads_bounds(model)).then(|| Scope { minint, maxint, ..self.clone() })
    }

    fn with_maxint(&self, maxint: i64, chosen: &Chosen) -> Scope {
        let minint = if chosen.minint { Int::from(-maxint - 1) } else { self.minint.clone() };
        Scope { maxint: Int::from(maxint).max(self.maxint.clone()), minint, ..self.clone() }
    }

    /// Returns the number of elements of a carrier, if its size is settled.
    pub fn size(&self, model: &Model, carrier: CarrierId) -> Option<usize> {
        match &model.types.carriers[carrier.index()].kind {
            CarrierKind::Enumerated(elements) => Some(elements.len()),
            CarrierKind::Deferred => self.sizes.get(&carrier).copied(),
        }
    }

    /// Returns the positions of the elements of a carrier, if its size is settled and elements can be numbered.
    pub fn positions(&self, model: &Model, carrier: CarrierId) -> Option<std::ops::Range<u32>> {
        Some(0..u32::try_from(self.size(model, carrier)?).ok()?)
    }

    /// Returns whether every carrier has a settled size.
    pub fn is_finite(&self, model: &Model) -> bool {
        self.open_sets(model).next().is_none()
    }

    /// Returns the deferred sets without a settled size.
    pub fn open_sets(&self, model: &Model) -> impl Iterator<Item = CarrierId> {
        let carriers = (0..model.types.carriers.len() as u32).map(CarrierId);
        carriers.filter(|&id| self.size(model, id).is_none())
    }

    /// Returns the scope in which the sets without a settled size have the one that `size` gives them; all others keep
    /// theirs.
    pub fn with_open_sets(&self, model: &Model, mut size: impl FnMut(CarrierId) -> usize) -> Scope {
        let mut scope = self.clone();
        scope.sizes.extend(self.open_sets(model).map(|id| (id, size(id))));
        scope
    }
}

/// Parts of a scope that were chosen by default.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Chosen {
    /// Deferred sets whose size neither the user nor the model gave.
    pub sets: Vec<CarrierId>,
    /// MAXINT, where the model depends on it.
    pub bounds: bool,
    /// MININT, if neither the user nor the model gave it.
    pub minint: bool,
}

impl Chosen {
    /// Returns whether the user and the model have settled everything.
    pub fn is_nothing(&self) -> bool {
        self.sets.is_empty() && !self.bounds
    }
}

/// Visits all lists of `parts` numbers with this sum, those with large numbers in front first.
fn each_sum(sum: usize, parts: usize, visit: &mut dyn FnMut(&[usize])) {
    fn extend(left: usize, parts: usize, list: &mut Vec<usize>, visit: &mut dyn FnMut(&[usize])) {
        if parts == 1 {
            list.push(left);
            visit(list);
            list.pop();
            return;
        }
        for n in (0..=left).rev() {
            list.push(n);
            extend(left - n, parts - 1, list, visit);
            list.pop();
        }
    }
    if (1..=4).contains(&parts) {
        return extend(sum, parts, &mut Vec::new(), visit);
    }
    // The lists of many parts are too many to try: only one part gets a number other than 0.
    for part in 0..parts {
        let mut list = vec![0; parts];
        list[part] = sum;
        visit(&list);
    }
}

/// Returns whether the constants and initial states of a model depend on MAXINT or MININT.
fn reads_bounds(model: &Model) -> bool {
    let mut bounds = Bounds::default();
    model.axioms.iter().for_each(|axiom| bounds.pred(&axiom.pred));
    bounds.subst(&model.initialisation);
    walk_operators(&mut bounds, model);
    bounds.found
}

#[cfg(test)]
mod tests {
    use bsym_language::load::load_text;

    use super::*;

    fn tried(sets: &str, properties: &str, request: &ScopeRequest) -> Vec<Vec<usize>> {
        let text = format!("MACHINE M SETS {sets} CONSTANTS n PROPERTIES n : NATURAL & {properties} END");
        let model = load_text("M.mch", &text).model.expect("the machine is right");
        let scope = Scope::settle(&model, request).expect("a scope");
        let larger = scope.larger(&scope.chosen(&model, request));
        larger.iter().map(|scope| scope.sizes.values().copied().collect()).collect()
    }

    #[test]
    fn larger_scopes_enlarge_what_nobody_chose() {
        let prob = ScopeRequest { prob: true, ..ScopeRequest::default() };
        let one = tried("S", "n > 0", &prob);
        assert_eq!((&one[..3], one.len()), (&[vec![3], vec![4], vec![5]][..], 14));
        assert_eq!(tried("S; T", "n > 0", &prob)[..4], [vec![3, 3], vec![3, 2], vec![2, 3], vec![4, 4]]);
        let many = tried("S; T; U; V; W", "n > 0", &prob);
        assert!(many.contains(&vec![2, 2, 4, 2, 2]) && many.len() <= tuning().scope.scopes, "{many:?}");
        // Sizes given by the user and by the properties are kept.
        let sizes = BTreeMap::from([("S".to_string(), 4)]);
        assert!(tried("S; T", "n > 0", &ScopeRequest { sizes, ..prob.clone() }).iter().all(|s| s[0] == 4));
        assert!(tried("S", "card(S) = 3", &prob).is_empty());
        assert_eq!(tried("S", "card(S) > 3", &prob)[0], [5]);
        // The bounds of the integers count only if the properties depend on them.
        let bounds = |properties: &str| {
            let text = format!("MACHINE M CONSTANTS n PROPERTIES {properties} END");
            let model = load_text("M.mch", &text).model.expect("the machine is right");
            let scope = Scope::settle(&model, &prob).expect("a scope");
            scope.larger(&scope.chosen(&model, &prob)).iter().map(|s| s.maxint.clone()).collect::<Vec<_>>()
        };
        assert_eq!(bounds("n : NAT"), tuning().scope.wider.map(Int::from));
        assert!(bounds("n : NATURAL").is_empty());
    }
}
