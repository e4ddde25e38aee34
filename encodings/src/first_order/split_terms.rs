//! Goals that are terms in parts.

use super::Lowering;
use crate::term::{Op, Substitution, Term};

impl Lowering<'_> {
    /// The parts of a goal that is a term, each with what is assumed for it.
    pub(super) fn split_goal(&self, goal: Term) -> Vec<(Vec<Term>, Term)> {
        let t = &self.terms;
        let node = t.node(goal);
        match &node.op {
            Op::True => vec![],
            Op::And => node.args.iter().flat_map(|&a| self.split_goal(a)).collect(),
            Op::Forall(bound) => {
                let free = bound.iter().map(|&b| {
                    let name = format!("any {}", t.symbol_name(b));
                    (t.symbol_term(b), t.fresh(&name, t.symbol_sort(b)))
                });
                let mut by = Substitution::new(free);
                self.split_goal(t.substitute(node.args[0], &mut by))
            }
            Op::Or => {
                // One part that can be taken apart is; the others are assumed to be false.
                let has_parts = |a: &Term| matches!(t.node(*a).op, Op::And | Op::Forall(_));
                let Some(position) = node.args.iter().position(has_parts) else {
                    return vec![(vec![], goal)];
                };
                let others = node.args.iter().enumerate().filter(|(i, _)| *i != position);
                let assumed: Vec<Term> = others.map(|(_, &a)| t.not(a)).collect();
                let mut all = self.split_goal(node.args[position]);
                all.iter_mut().for_each(|(own, _)| own.extend(&assumed));
                all
            }
            _ => vec![(vec![], goal)],
        }
    }
}
