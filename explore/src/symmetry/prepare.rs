//! Preparation of symmetry reduction for a model: the elements that nothing tells apart, the valuations of the
//! constants that differ in the roles of such elements only, and the permutations that keep each of the others.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::symmetry::elements::{Distinguished, Interchangeable};
use bsym_semantics::transition::state::Constants;
use bsym_semantics::value::Value;
use indexmap::IndexSet;

use super::atoms::Atoms;
use super::canonical::Ties;
use super::group::Group;
use super::reduction::{Method, Symmetry};
use super::refine::Item;
use super::shape::Shape;
use crate::store::interner::{Store, reps};

/// Symmetry of a model, and the valuations that are left.
pub struct Prepared {
    /// The symmetry; `None` if nothing can be reduced.
    pub symmetry: Option<Symmetry>,
    /// The valuations that are left; incomplete if the evaluator was interrupted.
    pub valuations: Vec<Constants>,
    /// The elements that may change places.
    pub free: Vec<Interchangeable>,
    /// Constructs that tell other elements apart.
    pub distinguished: Distinguished,
}

/// Determines the symmetry of a model under some valuations of the constants.
pub fn prepare(
    eval: &Evaluator<'_>,
    valuations: Vec<Constants>,
    method: Method,
    store: &mut Store,
) -> Prepared {
    let distinguished = Distinguished::of(eval.model);
    let free = distinguished.interchangeable(eval.model, eval.scope);
    let size = |carrier| eval.scope.positions(eval.model, carrier).map_or(0, |all| all.end);
    let atoms = Arc::new(Atoms::new(&free, size));
    if free.is_empty() {
        return Prepared { symmetry: None, valuations, free, distinguished };
    }
    let constants = reps(eval, eval.model.constants.iter().map(|c| &c.ty));
    let constants: Vec<Shape> = constants.iter().map(|rep| Shape::new(rep, &atoms)).collect();
    let (mut kept, mut groups, mut seen) = (Vec::new(), IndexSet::new(), HashSet::new());
    let mut of_valuation = Vec::new();
    let all = Group::of_cells(atoms.cells().to_vec());
    let is_over = || eval.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
    for valuation in valuations {
        if is_over() {
            break;
        }
        let with_atoms = || constants.iter().zip(&valuation).filter(|(shape, _)| !shape.is_plain());
        let words = with_atoms().map(|(shape, value)| Some((shape, shape.word(store, eval, value)?)));
        let items: Option<Vec<Item<'_>>> = words.collect();
        let form = items.as_ref().and_then(|items| all.form(store, items, Ties::Broken));
        if let Some((form, _)) = &form {
            let others = constants.iter().zip(&valuation).filter(|(shape, _)| shape.is_plain());
            let others: Vec<Value> = others.map(|(_, value)| value.clone()).collect();
            if !seen.insert((form.words.clone(), others)) {
                continue;
            }
        }
        let group = match items {
            Some(items) if form.is_some() => Group::keeping(store, &items, &atoms),
            _ => Group::trivial(&atoms),
        };
        of_valuation.push(groups.insert_full(group).0 as u32);
        kept.push(valuation);
    }
    let variables = reps(eval, eval.model.variables.iter().map(|v| &v.ty));
    let shapes = variables.iter().map(|rep| Shape::new(rep, &atoms)).enumerate();
    let shapes = shapes.filter(|(_, shape)| !shape.is_plain()).collect();
    let groups = groups.into_iter().collect();
    let symmetry = Symmetry { method, atoms, shapes, groups, of_valuation, tally: Default::default() };
    Prepared { symmetry: Some(symmetry), valuations: kept, free, distinguished }
}
