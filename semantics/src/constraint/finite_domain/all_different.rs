//! Injections and surjections: all points have different values, and every value has a point.

use std::collections::BTreeMap;

use crate::constraint::finite_domain::node::Node;
use crate::constraint::finite_domain::problem::{Problem, Unknown};
use crate::value::Value;
use crate::value::partial::{Domain, Shape};

impl Problem<'_, '_, '_> {
    /// Removes the values of decided points of injections from the other points.
    pub(super) fn all_different(&self, node: &mut Node, changed: &mut Vec<usize>) -> bool {
        let mut next = 0;
        while next < changed.len() {
            let c = changed[next];
            next += 1;
            let u = &self.unknowns[node.owner[c] as usize];
            if !matches!(*u.shape, Shape::Function { injective: true, .. }) {
                continue;
            }
            let Some(Some(value)) = node.cells[c].decided() else { continue };
            for other in (u.first..u.first + u.cells).filter(|o| *o != c) {
                let takes = |d: &Domain| match d {
                    Domain::Listed(values) => values.binary_search(&Some(value.clone())).is_ok(),
                    Domain::Span(..) => false,
                };
                if takes(&node.cells[other]) && !node.retain(other, changed, |v| *v != value) {
                    return false;
                }
            }
        }
        true
    }

    /// Every value of a surjection is that of a point: where only one can have it, it has it.
    pub(super) fn pigeonhole(&self, node: &mut Node, u: &Unknown, changed: &mut Vec<usize>) -> bool {
        let Shape::Function { from, to, total, injective, surjective } = &*u.shape else { return true };
        if !(*surjective || *injective && *total && from.len() == to.len()) {
            return true;
        }
        let mut places: BTreeMap<&Value, (usize, usize)> = to.iter().map(|v| (v, (0, 0))).collect();
        let cells: Vec<_> = (u.first..u.first + u.cells).map(|c| (c, node.cells[c].clone())).collect();
        for (c, domain) in &cells {
            let Domain::Listed(values) = &**domain else { continue };
            for v in values.iter().flatten() {
                if let Some(place) = places.get_mut(v) {
                    *place = (place.0 + 1, *c);
                }
            }
        }
        for (value, (count, cell)) in places {
            match count {
                0 => return false,
                1 if node.is_open(cell) => {
                    let only = Domain::Listed(vec![Some(value.clone())]);
                    if !node.set(cell, only, changed) {
                        return false;
                    }
                }
                _ => {}
            }
        }
        true
    }
}
