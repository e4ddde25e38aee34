//! Audit of a diagram: states compared with the reference evaluator, which must agree with the search about them and
//! their steps. Every state that it reaches must be in the diagram.

use std::time::Instant;

use bsym_semantics::evaluator::cuts::Cuts;
use bsym_semantics::trace::replay::Checks;

use super::exploration::{Exploration, ModelExploration};
use super::nodes::{EMPTY, Nodes, Set, UNIT};
use crate::audit::{Audit, Difference};
use crate::search::auditing::disagreement;
use crate::space::machine::Machine;
use crate::store::index::mix;
use crate::tuning::tuning;

impl Nodes {
    /// A row of a nonempty set, chosen by a seed. Not all rows are equally likely.
    fn some_row(&self, mut set: Set, mut seed: u64) -> Vec<u32> {
        let mut row = Vec::new();
        while set > UNIT {
            let (mut list, mut rest) = (Vec::new(), set);
            while rest != EMPTY {
                list.push(self.get(rest));
                rest = self.get(rest).right;
            }
            seed = mix(seed, row.len() as u64 + 1);
            let node = list[(seed >> 20) as usize % list.len()];
            row.push(node.value);
            set = node.down;
        }
        row
    }
}

/// Audits some of the states of a finished exploration. `is_bad` tells for which something was found to be wrong.
/// Returns the first difference.
pub(super) fn audit(
    exploration: &mut ModelExploration<'_>,
    audit: &mut Audit<'_>,
    (checks, cuts, seed): (&Checks, &Cuts, u64),
    is_bad: &mut dyn FnMut(&mut ModelExploration<'_>, &[u32]) -> bool,
) -> Option<Difference> {
    for number in 0..tuning().audit.diagram_states {
        if exploration.nodes.is_stopped() || exploration.system.context.stop.is_set {
            return None;
        }
        if exploration.reached == EMPTY || !audit.is_due(number) {
            continue;
        }
        let state = exploration.nodes.some_row(exploration.reached, mix(seed, number));
        let row = exploration.levels.decode(&state);
        let values = exploration.system.state(&row);
        let constants = exploration.system.context.valuations[exploration.system.valuation(&row)].clone();
        let Some(opinion) = audit.state(checks, (&constants, &values), cuts, &|_| false) else { continue };
        let begin = Instant::now();
        let bad = is_bad(exploration, &state);
        let Exploration { system, levels, nodes, reached, .. } = &mut *exploration;
        let is_known = &mut |_: &mut Machine<'_>, row: &[u32]| nodes.contains(*reached, &levels.encode(row));
        let found = disagreement(system, &row, &opinion, is_known, bad);
        audit.compared(begin.elapsed());
        match found {
            None => {}
            Some(None) => audit.audited += 1,
            Some(Some((event, search, reference))) => {
                return Some(Difference { constants, state: values, event, search, reference });
            }
        }
    }
    None
}
