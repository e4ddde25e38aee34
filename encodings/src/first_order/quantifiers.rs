//! Quantifiers, with the one-point rule; and names that an axiom defines.

use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Found, Lowering};
use crate::term::{Op, Sort, Substitution, SymbolId, Term, Terms};

impl Lowering<'_> {
    /// `exists bound. body`; an equation that determines a bound symbol takes its place (one-point rule).
    pub(super) fn exists(&self, bound: &[Term], body: Term) -> Term {
        let (symbols, parts) = self.without_determined(bound, body);
        self.terms.exists(&symbols, self.terms.and(parts))
    }

    /// `forall bound. body`, in the same way.
    pub(super) fn forall(&self, bound: &[Term], body: Term) -> Term {
        let (symbols, parts) = self.without_determined(bound, self.terms.not(body));
        let t = &self.terms;
        t.forall(&symbols, t.or(parts.into_iter().map(|p| t.not(p))))
    }

    fn without_determined(&self, bound: &[Term], body: Term) -> (Vec<SymbolId>, Vec<Term>) {
        let t = &self.terms;
        let mut symbols: Vec<SymbolId> = bound.iter().filter_map(|&b| t.as_symbol(b)).collect();
        // Where a symbol is free and bound, neither free symbols nor substitutions are told from the bound ones.
        let mut bound_inside = false;
        t.visit(&[body], |_, node| {
            if let Op::Forall(inner) | Op::Exists(inner) = &node.op {
                bound_inside |= inner.iter().any(|b| symbols.contains(b));
            }
        });
        debug_assert!(!bound_inside, "bound twice in {}", t.text(body));
        if bound_inside {
            self.is_confused.set(true);
        }
        let mut parts = self.conjuncts(body);
        while let Some((symbol, value)) = parts.iter().find_map(|&p| self.determined(&symbols, p)) {
            symbols.retain(|&s| s != symbol);
            let mut by = Substitution::new([(t.symbol_term(symbol), value)]);
            let all = t.and(parts.into_iter().map(|p| t.substitute(p, &mut by)));
            parts = self.conjuncts(all);
        }
        (symbols, parts)
    }

    fn determined(&self, symbols: &[SymbolId], part: Term) -> Option<(SymbolId, Term)> {
        let t = &self.terms;
        let node = t.node(part);
        match node.op {
            Op::Eq => [(node.args[0], node.args[1]), (node.args[1], node.args[0])].into_iter().find_map(
                |(name, value)| {
                    let symbol = t.as_symbol(name).filter(|s| symbols.contains(s))?;
                    (!t.symbols(&[value]).contains(&symbol)).then_some((symbol, value))
                },
            ),
            // A truth value that is said.
            Op::Symbol(id) if symbols.contains(&id) => Some((id, Terms::TRUE)),
            Op::Not => t.as_symbol(node.args[0]).filter(|s| symbols.contains(s)).map(|s| (s, Terms::FALSE)),
            _ => None,
        }
    }

    fn conjuncts(&self, t: Term) -> Vec<Term> {
        let node = self.terms.node(t);
        match node.op {
            Op::And => node.args.iter().flat_map(|&a| self.conjuncts(a)).collect(),
            Op::Not => {
                let inner = self.terms.node(node.args[0]);
                match inner.op {
                    Op::Or => inner.args.iter().flat_map(|&a| self.conjuncts(self.terms.not(a))).collect(),
                    _ => vec![t],
                }
            }
            _ => vec![t],
        }
    }

    /// Notes what holds for all values of the bound symbols in it.
    pub(super) fn fact(&mut self, fact: Term) {
        let open: Vec<Term> =
            self.open_symbols(&[fact]).into_iter().map(|s| self.terms.symbol_term(s)).collect();
        let closed = self.forall(&open, fact);
        if closed != Terms::TRUE && !self.facts.contains(&closed) {
            self.facts.push(closed);
        }
    }

    /// Values of these sorts for which `axiom` holds, which has to be satisfiable whatever the bound symbols in it are.
    /// Returns equal values for equal axioms.
    pub(super) fn such_that(
        &mut self,
        base: &str,
        sorts: &[Sort],
        axiom: impl FnOnce(&mut Self, &[Term]) -> Found<Term>,
    ) -> Found<Vec<Term>> {
        let places = self.bind_sorts("c", sorts);
        let axiom = axiom(self, &places)?;
        let t = self.terms.clone();
        // The axiom need not show the sorts: all values may satisfy it.
        let mut key = Key::new(&t, &places, &self.bound, &format!("{base} {sorts:?}"));
        key.write(axiom);
        let Key { open, text, .. } = key;
        let open: Vec<Term> = open.into_iter().map(|s| t.symbol_term(s)).collect();
        let known = self.named.len();
        let is_new = !self.named.contains_key(&text);
        let name = self.named.entry(text).or_insert_with(|| format!("{base} !{known}")).clone();
        let values = self.symbols(&name, &open, sorts);
        if is_new {
            let mut by = Substitution::new(places.iter().copied().zip(values.iter().copied()));
            let defined = t.substitute(axiom, &mut by);
            self.fact(defined);
        }
        Ok(values)
    }
}

/// The text of a term in which bound symbols are numbered in the order of their first occurrence.
struct Key<'t> {
    terms: &'t Terms,
    places: &'t [Term],
    /// Symbols that are bound somewhere: where they are free in the term they are arguments of the name.
    bindable: &'t FxHashSet<SymbolId>,
    /// Numbers of the symbols that the term binds.
    bound: FxHashMap<SymbolId, usize>,
    next: usize,
    /// The arguments, in order.
    open: Vec<SymbolId>,
    text: String,
}

impl<'t> Key<'t> {
    fn new(terms: &'t Terms, places: &'t [Term], bindable: &'t FxHashSet<SymbolId>, base: &str) -> Self {
        let (bound, open, text) = (FxHashMap::default(), vec![], base.to_string());
        Key { terms, places, bindable, bound, next: 0, open, text }
    }

    fn write(&mut self, t: Term) {
        let node = self.terms.node(t);
        match &node.op {
            Op::Symbol(id) => return self.symbol(*id),
            Op::Forall(bound) | Op::Exists(bound) => {
                self.text.push_str(if matches!(node.op, Op::Forall(_)) { "(!" } else { "(#" });
                for &b in bound.iter() {
                    self.bound.insert(b, self.next);
                    self.next += 1;
                    let _ = write!(self.text, "{:?}", self.terms.symbol_sort(b));
                }
            }
            op => {
                let _ = write!(self.text, "({op:?}");
            }
        }
        for &a in node.args.iter() {
            self.write(a);
        }
        self.text.push(')');
    }

    fn symbol(&mut self, id: SymbolId) {
        // Strings grow.
        let _ = if let Some(place) = self.places.iter().position(|&p| self.terms.as_symbol(p) == Some(id)) {
            write!(self.text, "[c{place}]")
        } else if let Some(number) = self.bound.get(&id) {
            write!(self.text, "[b{number}]")
        } else if self.bindable.contains(&id) {
            let known = self.open.iter().position(|&o| o == id);
            let number = known.unwrap_or_else(|| {
                self.open.push(id);
                self.open.len() - 1
            });
            write!(self.text, "[x{number}:{:?}]", self.terms.symbol_sort(id))
        } else {
            write!(self.text, "[{}]", id.0)
        };
    }
}
