//! A node of the search over cells: what each cell may still be, and what each constraint waits for.

use std::sync::Arc;

use crate::constraint::finite_domain::bounds::Bounds;
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::env::Name;
use crate::value::partial::{Domain, integer};

/// Marks a constraint that waits for nothing.
pub(super) const NEVER: u32 = u32::MAX;

/// State of the search at one point.
#[derive(Clone)]
pub(super) struct Node {
    pub cells: Vec<Arc<Domain>>,
    /// For each constraint, the cells it waits for.
    pub waits: Vec<[u32; 2]>,
    /// The unknowns as they are now.
    pub names: Vec<(Name, Value)>,
    /// Marks unknowns whose value above is outdated.
    pub stale: Vec<bool>,
    /// The unknown of each cell.
    pub owner: Arc<Vec<u32>>,
}

impl Node {
    pub fn is_open(&self, cell: usize) -> bool {
        !self.cells[cell].is_decided()
    }

    /// Gives a cell another domain; `false` if it is empty.
    pub fn set(&mut self, cell: usize, domain: Domain, changed: &mut Vec<usize>) -> bool {
        let empty = match &domain {
            Domain::Listed(values) => values.is_empty(),
            Domain::Span(low, high) => low.zip(*high).is_some_and(|(l, h)| l > h),
        };
        if empty {
            return false;
        }
        self.cells[cell] = Arc::new(domain);
        self.stale[self.owner[cell] as usize] = true;
        changed.push(cell);
        true
    }

    /// Keeps some of the values of a cell; `false` if none is left.
    pub fn retain(&mut self, cell: usize, changed: &mut Vec<usize>, keep: impl Fn(&Value) -> bool) -> bool {
        let Domain::Listed(values) = &*self.cells[cell] else { return true };
        if values.iter().flatten().all(&keep) {
            return true;
        }
        let kept = values.iter().filter(|v| v.as_ref().is_none_or(&keep)).cloned().collect();
        self.set(cell, Domain::Listed(kept), changed)
    }

    /// Confines an integer to bounds; `false` if no value is left.
    pub fn confine(&mut self, cell: usize, to: Bounds, changed: &mut Vec<usize>) -> bool {
        match &*self.cells[cell] {
            Domain::Listed(_) => self.retain(cell, changed, |v| match v.as_int().and_then(|n| n.to_i64()) {
                Some(n) => {
                    let n = i128::from(n);
                    to.low.is_none_or(|l| l <= n) && to.high.is_none_or(|h| n <= h)
                }
                None => true,
            }),
            Domain::Span(low, high) => {
                let old = Bounds { low: *low, high: *high };
                let new = old.meet(to);
                if new == old {
                    return true;
                }
                self.set(cell, Domain::Span(new.low, new.high), changed)
            }
        }
    }

    /// The values of a cell, if they can be listed.
    pub fn listed(&self, cell: usize) -> Option<Vec<Option<Value>>> {
        match &*self.cells[cell] {
            Domain::Listed(values) => Some(values.clone()),
            Domain::Span(Some(low), Some(high)) if high - low < Tuning::DEFAULT.search.listed as i128 => {
                Some((*low..=*high).map(|n| Some(integer(n))).collect())
            }
            Domain::Span(..) => None,
        }
    }
}
