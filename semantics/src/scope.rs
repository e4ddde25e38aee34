//! The scope: how large deferred sets are, and the bounds of `INT` and `NAT`.

use std::collections::BTreeMap;

use bsym_language::int::Int;
use bsym_language::model::{CarrierKind, Model};
use bsym_language::types::CarrierId;

/// Sizes of the carriers and implementable integer bounds of one run. Part of every verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scope {
    /// Number of elements of each deferred set; a deferred set that is missing has any finite size ≥ 1.
    pub sizes: BTreeMap<CarrierId, usize>,
    /// `MAXINT`
    pub maxint: Int,
    /// `MININT`
    pub minint: Int,
}

/// What the user says about the scope; what is `None` comes from the model or from defaults.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScopeRequest {
    /// Sizes by name of the deferred set.
    pub sizes: BTreeMap<String, usize>,
    /// `--maxint`
    pub maxint: Option<Int>,
    /// `--minint`
    pub minint: Option<Int>,
    /// `--scope prob`: ProB's finite scope (two elements per deferred set, MAXINT 3, MININT -1)
    /// where neither the model nor the user says otherwise.
    pub prob: bool,
}

/// Why a scope cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum ScopeError {
    #[error("`{0}` is no deferred set of {1}; its deferred sets are: {2}")]
    UnknownSet(String, String, String),
    #[error("the size of `{0}` must be at least 1")]
    EmptySet(String),
    #[error("MININT {0} is not below MAXINT {1}")]
    Bounds(Int, Int),
}

impl Scope {
    /// Settles the scope of a run (DESIGN §5): the user's word, then the model's, then the
    /// defaults: any size and 32-bit bounds, or ProB's with [`ScopeRequest::prob`].
    ///
    /// # Errors
    /// A name that is no deferred set, a size of zero, crossed bounds.
    pub fn settle(model: &Model, request: &ScopeRequest) -> Result<Scope, ScopeError> {
        let deferred =
            || (0u32..).map(CarrierId).zip(&model.carriers).filter(|(_, c)| c.kind == CarrierKind::Deferred);
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
            for (id, _) in deferred() {
                let hint = model.hints.sizes.get(&id).copied().filter(|&n| n > 0);
                sizes.entry(id).or_insert(hint.unwrap_or(2));
            }
        }
        let pick = |asked: &Option<Int>, hint: &Option<Int>, prob: i64, full: i64| {
            asked.clone().or_else(|| hint.clone()).unwrap_or(Int::from(if request.prob {
                prob
            } else {
                full
            }))
        };
        let maxint = pick(&request.maxint, &model.hints.maxint, 3, 2147483647);
        let minint = pick(&request.minint, &model.hints.minint, -1, -2147483648);
        if minint >= maxint {
            return Err(ScopeError::Bounds(minint, maxint));
        }
        Ok(Scope { sizes, maxint, minint })
    }

    /// Number of elements of a carrier, if it is settled.
    pub fn size(&self, model: &Model, carrier: CarrierId) -> Option<usize> {
        match &model.carriers[carrier.index()].kind {
            CarrierKind::Enumerated(elements) => Some(elements.len()),
            CarrierKind::Deferred => self.sizes.get(&carrier).copied(),
        }
    }

    /// Whether every carrier has a settled size.
    pub fn is_finite(&self, model: &Model) -> bool {
        (0..model.carriers.len() as u32).all(|i| self.size(model, CarrierId(i)).is_some())
    }
}
