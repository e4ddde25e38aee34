//! Names for what stands below a point-wise choice between arrays, for Z3.
//!
//! Z3 (5.4.0) meets the default value of `(_ map ite)` while it is still taking that term in. If the choice stands on a
//! conditional array, `(ite c a b)` or a store into one, the conditional has not been announced to the theory of
//! arrays at that moment, and the program ends with a segmentation fault
//! (`theory_array_full::instantiate_default_map_axiom`, then `relevant_eh`). The values need only have something
//! to say of their defaults: those of an enumeration do nearly always, integers sometimes. So an argument of a
//! point-wise choice with a conditional array in it is given as a constant that is asserted to be equal to it: the
//! conditional is taken in before. Where bound symbols forbid a constant the choice becomes a lambda, which has no
//! default.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::term::{Node, Op, SortKind, Substitution, SymbolId, Term, Terms};

/// The names of one session.
pub(super) struct Choices {
    terms: Rc<Terms>,
    /// Terms that were looked at: whether a conditional array is in what they become.
    conditional: FxHashMap<Term, bool>,
    /// Replacements of choices.
    replaced: Substitution,
    names: FxHashMap<Term, Term>,
    /// Symbols under a binder anywhere so far.
    bound: FxHashSet<SymbolId>,
    /// Symbols of what has a name.
    named: FxHashSet<SymbolId>,
}

impl Choices {
    pub fn new(terms: Rc<Terms>) -> Self {
        Choices {
            terms,
            conditional: FxHashMap::default(),
            replaced: Substitution::default(),
            names: FxHashMap::default(),
            bound: FxHashSet::default(),
            named: FxHashSet::default(),
        }
    }

    /// Returns what to assert instead of a term: definitions of names, then the term itself.
    pub fn assertions(&mut self, t: Term) -> Vec<Term> {
        if !self.terms.has_choices() {
            return vec![t];
        }
        let mut definitions = vec![];
        let mut new = self.unseen(t);
        if self.binders(&new) {
            // A symbol of something that has a name turns out to be bound: under its binder that is another thing.
            self.conditional.clear();
            self.replaced = Substitution::default();
            new = self.unseen(t);
            self.binders(&new);
        }
        for (t, node) in new {
            let conditional = self.replace(t, &node, &mut definitions);
            self.conditional.insert(t, conditional);
        }
        definitions.push(self.terms.substitute(t, &mut self.replaced));
        definitions
    }

    /// The parts of a term that were not looked at, arguments first.
    fn unseen(&self, t: Term) -> Vec<(Term, Node)> {
        let (mut order, mut seen) = (vec![], FxHashSet::default());
        let mut stack = vec![(t, None)];
        while let Some((t, node)) = stack.pop() {
            if let Some(node) = node {
                order.push((t, node));
            } else if !self.conditional.contains_key(&t) && seen.insert(t) {
                let node = self.terms.node(t);
                let args = node.args.clone();
                stack.push((t, Some(node)));
                stack.extend(args.iter().map(|&a| (a, None)));
            }
        }
        order
    }

    /// Notes the binders of these terms. Whether one binds a symbol of what has a name.
    fn binders(&mut self, terms: &[(Term, Node)]) -> bool {
        let mut meets = false;
        for (_, node) in terms {
            let bound = match &node.op {
                Op::Forall(bound) | Op::Exists(bound) => bound,
                Op::Lambda(bound) => std::slice::from_ref(bound),
                _ => continue,
            };
            for &symbol in bound {
                meets |= self.bound.insert(symbol) && self.named.contains(&symbol);
            }
        }
        meets
    }

    /// Replaces a point-wise choice on conditional arrays. Whether a conditional array is in what a term becomes.
    fn replace(&mut self, t: Term, node: &Node, definitions: &mut Vec<Term>) -> bool {
        let is_array = |t: Term| matches!(self.terms.sort_kind(self.terms.sort_of(t)), SortKind::Array(..));
        let below = node.args.iter().any(|a| self.conditional[a]);
        if node.op != Op::ArrayIte || !below || self.terms.array_parts(node.sort).1 == Terms::BOOL {
            return below || node.op == Op::Ite && is_array(t);
        }
        let mut args = vec![];
        for a in node.args.iter() {
            args.push((self.terms.substitute(*a, &mut self.replaced), self.conditional[a]));
        }
        let is_closed = |t: Term| !self.terms.symbols(&[t]).iter().any(|s| self.bound.contains(s));
        if args.iter().all(|&(a, conditional)| !conditional || is_closed(a)) {
            let named = args.iter().map(|&(a, conditional)| match conditional {
                true => self.name(a, definitions),
                false => a,
            });
            let named: Vec<Term> = named.collect();
            self.replaced.insert(t, self.terms.array_ite(named[0], named[1], named[2]));
            return false;
        }
        let (index, _) = self.terms.array_parts(node.sort);
        let i = self.terms.fresh("i", index);
        let at = |k: usize| self.terms.select(args[k].0, i);
        let value = self.terms.ite(at(0), at(1), at(2));
        let i = self.terms.as_symbol(i).expect("a fresh symbol is a symbol");
        self.bound.insert(i);
        self.replaced.insert(t, self.terms.lambda(i, value));
        true
    }

    /// The constant that stands for a term.
    fn name(&mut self, t: Term, definitions: &mut Vec<Term>) -> Term {
        if let Some(&name) = self.names.get(&t) {
            return name;
        }
        let name = self.terms.fresh("choice", self.terms.sort_of(t));
        definitions.push(self.terms.eq(name, t));
        self.named.extend(self.terms.symbols(&[t]));
        self.names.insert(t, name);
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Given {
        terms: Rc<Terms>,
        choices: Choices,
    }

    impl Given {
        fn new() -> Given {
            let terms = Rc::new(Terms::new());
            Given { choices: Choices::new(terms.clone()), terms }
        }

        /// `f = choice(m, ite(c, f, g), f)`, with arrays from integers to integers.
        fn conditional_choice(&self, c: Term) -> Term {
            let t = &self.terms;
            let functions = t.array_sort(Terms::INT, Terms::INT);
            let (f, g) = (t.symbol("f", functions), t.symbol("g", functions));
            let m = t.symbol("m", t.set_sort(Terms::INT));
            t.eq(f, t.array_ite(m, t.ite(c, f, g), f))
        }

        fn assertions(&mut self, t: Term) -> Vec<String> {
            let terms = self.terms.clone();
            self.choices.assertions(t).into_iter().map(|a| terms.text(a)).collect()
        }
    }

    #[test]
    fn a_conditional_below_a_choice_is_named_once() {
        let mut given = Given::new();
        let c = given.terms.symbol("c", Terms::BOOL);
        let choice = given.conditional_choice(c);
        let first = given.assertions(choice);
        assert_eq!(first.len(), 2, "{first:?}");
        assert!(first[0].contains("ite") && !first[1].contains("(ite"), "{first:?}");
        let again = given.terms.not(choice);
        let second = given.assertions(again);
        assert_eq!(second.len(), 1, "{second:?}");
    }

    #[test]
    fn what_depends_on_a_bound_symbol_gets_no_name() {
        let mut given = Given::new();
        let t = given.terms.clone();
        let b = t.fresh("b", Terms::BOOL);
        let id = t.as_symbol(b).expect("it is one");
        // First seen free, where it is a constant like any other.
        let free = given.conditional_choice(b);
        assert_eq!(given.assertions(free).len(), 2);
        let bound = t.forall(&[id], free);
        let under = given.assertions(bound);
        assert_eq!(under.len(), 1, "{under:?}");
        assert!(under[0].contains("lambda") && !under[0].contains("choice!"), "{under:?}");
    }
}
