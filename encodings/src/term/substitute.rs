//! Replacing symbols by terms.

use rustc_hash::FxHashMap;

use super::{Node, Term, Terms};

/// Replacements of symbols (or of whole terms), with what was already computed under them.
/// Keep one for a fixed set of replacements, and terms that share parts share the work.
#[derive(Clone, Debug, Default)]
pub struct Substitution {
    done: FxHashMap<Term, Term>,
}

impl Substitution {
    /// Replaces each first term by the second one.
    pub fn new(pairs: impl IntoIterator<Item = (Term, Term)>) -> Self {
        Substitution { done: pairs.into_iter().collect() }
    }

    /// Also replaces `from` by `to`; no term substituted so far may contain `from`.
    pub fn insert(&mut self, from: Term, to: Term) {
        self.done.insert(from, to);
    }
}

impl Terms {
    /// `t` with everything replaced, simplified again.
    pub fn substitute(&self, t: Term, by: &mut Substitution) -> Term {
        let mut stack = vec![(t, false)];
        while let Some((t, ready)) = stack.pop() {
            if by.done.contains_key(&t) {
                continue;
            }
            let node = self.node(t);
            if node.args.is_empty() {
                by.done.insert(t, t);
            } else if ready {
                let args: Vec<Term> = node.args.iter().map(|a| by.done[a]).collect();
                let new = if args[..] == node.args[..] { t } else { self.apply(&node.op, &args, node.sort) };
                by.done.insert(t, new);
            } else {
                stack.push((t, true));
                stack.extend(node.args.iter().filter(|a| !by.done.contains_key(a)).map(|&a| (a, false)));
            }
        }
        by.done[&t]
    }

    /// Rebuilds `t` from its parts, the inner ones first and shared ones once: `make` gives the term for a node whose
    /// arguments are these. Returns `None` where it gives none for some part.
    pub(super) fn rewrite(
        &self,
        t: Term,
        done: &mut FxHashMap<Term, Option<Term>>,
        make: &mut dyn FnMut(&Node, &[Term]) -> Option<Term>,
    ) -> Option<Term> {
        let mut stack = vec![(t, false)];
        while let Some((t, ready)) = stack.pop() {
            if done.contains_key(&t) {
                continue;
            }
            let node = self.node(t);
            if node.args.is_empty() {
                done.insert(t, Some(t));
            } else if ready {
                let args: Option<Vec<Term>> = node.args.iter().map(|a| done[a]).collect();
                done.insert(t, args.and_then(|args| make(&node, &args)));
            } else {
                stack.push((t, true));
                stack.extend(node.args.iter().map(|&a| (a, false)));
            }
        }
        done[&t]
    }
}
