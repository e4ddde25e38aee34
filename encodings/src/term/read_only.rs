//! Arrays that are only read: every formula about arrays as one about their values.
//!
//! Equations between arrays become universal statements about their values, and what makes an array from others (a
//! store, a union, a choice, a lambda) is read through, so that in the end every array is a symbol, and stands only
//! where a value of it is read. Such a symbol is an uninterpreted function, couples as arguments are several arguments:
//! formulas about relations between deferred sets fall into effectively propositional logic where their functions and
//! quantifiers allow (Padon, McMillan, Panda, Sagiv, Shoham: *Ivy: safety verification by interactive generalization*,
//! PLDI 2016).

use rustc_hash::FxHashMap;

use super::{Node, Op, Sort, SortKind, Substitution, SymbolId, Term, Terms};

/// Terms already rewritten; `None` are those that cannot be.
#[derive(Debug, Default)]
pub struct ReadOnly {
    done: FxHashMap<Term, Option<Term>>,
}

impl ReadOnly {
    /// Begins with nothing rewritten; some symbols stand for these terms.
    pub fn new(symbols: impl IntoIterator<Item = (Term, Term)>) -> ReadOnly {
        ReadOnly { done: symbols.into_iter().map(|(s, t)| (s, Some(t))).collect() }
    }
}

impl Terms {
    /// A term that is equivalent, in which arrays are only read. `None` where there are arrays of arrays, or a
    /// quantifier over arrays.
    pub fn read_only(&self, t: Term, by: &mut ReadOnly) -> Option<Term> {
        let found = self.rewrite(t, &mut by.done, &mut |node, args| self.rewritten_node(node, args))?;
        self.only_reads(found).then_some(found)
    }

    fn rewritten_node(&self, node: &Node, args: &[Term]) -> Option<Term> {
        Some(match &node.op {
            Op::Eq if self.is_array(args[0]) => {
                let (index, value) = self.array_parts(self.sort_of(args[0]));
                if matches!(self.sort_kind(value), SortKind::Array(..)) {
                    return None;
                }
                let mut bound = vec![];
                let index = self.spread(index, &mut bound);
                let same = self.eq(self.read(args[0], index), self.read(args[1], index));
                self.forall(&bound, same)
            }
            Op::Select => self.read(args[0], args[1]),
            Op::Forall(bound) | Op::Exists(bound) => {
                let mut parts = vec![];
                let mut by = Substitution::default();
                for &symbol in bound.iter() {
                    let sort = self.symbol_sort(symbol);
                    if matches!(self.sort_kind(sort), SortKind::Tuple(_)) {
                        let tuple = self.spread(sort, &mut parts);
                        by.insert(self.symbol_term(symbol), tuple);
                    } else {
                        parts.push(symbol);
                    }
                }
                let body = self.substitute(args[0], &mut by);
                match node.op {
                    Op::Forall(_) => self.forall(&parts, body),
                    _ => self.exists(&parts, body),
                }
            }
            op => self.apply(op, args, node.sort),
        })
    }

    fn is_array(&self, t: Term) -> bool {
        matches!(self.sort_kind(self.sort_of(t)), SortKind::Array(..))
    }

    /// A term of a sort made of fresh symbols, none of which is a tuple.
    fn spread(&self, sort: Sort, symbols: &mut Vec<SymbolId>) -> Term {
        if let SortKind::Tuple(fields) = self.sort_kind(sort) {
            let parts: Vec<Term> = fields.iter().map(|&f| self.spread(f, symbols)).collect();
            return self.tuple(&parts);
        }
        let symbol = self.fresh("i", sort);
        symbols.extend(self.as_symbol(symbol));
        symbol
    }

    /// The value of an array at an index, read through whatever the array is made of.
    fn read(&self, array: Term, index: Term) -> Term {
        let n = self.node(array);
        let at = |i: usize| self.read(n.args[i], index);
        match &n.op {
            Op::Store => {
                let same = self.eq(n.args[1], index);
                self.ite(same, n.args[2], at(0))
            }
            Op::SetUnion => self.or([at(0), at(1)]),
            Op::SetInter => self.and([at(0), at(1)]),
            Op::SetMinus => self.and([at(0), self.not(at(1))]),
            Op::SetComplement => self.not(at(0)),
            Op::ArrayIte => self.ite(at(0), at(1), at(2)),
            Op::Ite => self.ite(n.args[0], at(1), at(2)),
            _ => self.select(array, index),
        }
    }

    /// The sorts of the arguments of a function that is an array: those of its index without tuples around them.
    pub(crate) fn argument_sorts(&self, index: Sort) -> Vec<Sort> {
        match self.sort_kind(index) {
            SortKind::Tuple(fields) => fields.iter().flat_map(|&f| self.argument_sorts(f)).collect(),
            _ => vec![index],
        }
    }

    fn only_reads(&self, t: Term) -> bool {
        let mut right = !self.is_array(t);
        let plain = |s: Sort| self.argument_sorts(s).iter().all(|&s| !self.has_array(s));
        self.visit(&[t], |_, node| {
            for (i, &a) in node.args.iter().enumerate().filter(|&(_, &a)| self.is_array(a)) {
                let (index, value) = self.array_parts(self.sort_of(a));
                let read = node.op == Op::Select && i == 0 && self.as_symbol(a).is_some();
                right &= read && plain(index) && plain(value);
            }
            if let Op::Forall(bound) | Op::Exists(bound) = &node.op {
                right &= bound.iter().all(|&b| !self.has_array(self.symbol_sort(b)));
            }
        });
        right
    }
}
