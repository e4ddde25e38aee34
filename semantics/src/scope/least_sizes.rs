//! Least sizes of deferred sets that the axioms force.
//!
//! A finite scope that the user did not choose must not contradict the axioms where that can be seen from their form. A
//! set has at least as many elements as there are distinct constants in it, as a part of it has by `card`, and as an
//! injection into it or a surjection from it needs. ProB settles sizes in the same way. Every bound is a consequence of
//! the axioms; other constraints on sizes are found by trying larger ones.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::int::Int;
use bsym_language::model::{
    BinaryOp, BuiltinSet, CarrierKind, CompareOp, ConstId, Expr, ExprKind, Model, Pred, PredKind, UnaryOp,
};
use bsym_language::types::{CarrierId, Type};

use crate::tuning::tuning;

/// Returns the least size of each deferred set that follows from the form of the axioms, if it is more than one;
/// `known` are the sizes that are settled.
pub fn least_sizes(model: &Model, known: &BTreeMap<CarrierId, usize>) -> BTreeMap<CarrierId, usize> {
    let mut facts = Facts { model, sizes: known.clone(), ..Facts::new(model) };
    facts.integers();
    for _ in 0..tuning().scope.rounds {
        let before = (facts.sizes.clone(), facts.parts.clone(), facts.disjoint.len());
        for axiom in &model.axioms {
            facts.predicate(&axiom.pred, true);
        }
        facts.apart();
        if before == (facts.sizes.clone(), facts.parts.clone(), facts.disjoint.len()) {
            break;
        }
    }
    facts.sizes.retain(|carrier, n| !known.contains_key(carrier) && *n > 1);
    facts.sizes
}

/// A named part of a deferred set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Block {
    /// One element.
    Element(ConstId),
    /// A set of elements.
    Set(ConstId),
}

struct Facts<'m> {
    model: &'m Model,
    /// Least sizes of deferred sets.
    sizes: BTreeMap<CarrierId, usize>,
    /// Least sizes of constants that are sets.
    parts: BTreeMap<ConstId, usize>,
    /// Blocks without a common element, both ways.
    disjoint: BTreeSet<(Block, Block)>,
    /// Constants that are numbers.
    numbers: BTreeMap<ConstId, Int>,
    /// Constants that are equal to an expression.
    equal: BTreeMap<ConstId, &'m Expr>,
}

impl<'m> Facts<'m> {
    fn new(model: &'m Model) -> Facts<'m> {
        Facts {
            model,
            sizes: BTreeMap::new(),
            parts: BTreeMap::new(),
            disjoint: BTreeSet::new(),
            numbers: BTreeMap::new(),
            equal: BTreeMap::new(),
        }
    }

    fn integers(&mut self) {
        for axiom in &self.model.axioms {
            let PredKind::Compare(CompareOp::Equal, a, b) = &axiom.pred.kind else { continue };
            for (constant, value) in [(a, b), (b, a)] {
                let ExprKind::Const(c) = constant.kind else { continue };
                match &value.kind {
                    ExprKind::Integer(n) => drop(self.numbers.insert(c, n.clone())),
                    ExprKind::Const(_) => {}
                    _ => drop(self.equal.entry(c).or_insert(value)),
                }
            }
        }
    }

    /// Learns from a predicate with this truth value.
    fn predicate(&mut self, p: &Pred, truth: bool) {
        match (&p.kind, truth) {
            (PredKind::And(parts), true) | (PredKind::Or(parts), false) => {
                parts.iter().for_each(|p| self.predicate(p, truth));
            }
            (PredKind::Not(p), _) => self.predicate(p, !truth),
            (PredKind::Partition(whole, parts), true) => self.partition(whole, parts),
            (PredKind::Compare(op, a, b), _) => match (op, truth) {
                (CompareOp::Equal, true) | (CompareOp::NotEqual, false) => {
                    self.equal(a, b);
                    self.equal(b, a);
                }
                (CompareOp::NotEqual, true) | (CompareOp::Equal, false) => self.different(a, b),
                (CompareOp::Member, true) | (CompareOp::NotMember, false) => self.member(a, b),
                (CompareOp::NotMember, true) | (CompareOp::Member, false) => self.no_member(a, b),
                (CompareOp::GreaterEqual, true) | (CompareOp::Less, false) => self.at_least(a, b, 0),
                (CompareOp::Greater, true) | (CompareOp::LessEqual, false) => self.at_least(a, b, 1),
                (CompareOp::LessEqual, true) | (CompareOp::Greater, false) => self.at_least(b, a, 0),
                (CompareOp::Less, true) | (CompareOp::GreaterEqual, false) => self.at_least(b, a, 1),
                _ => {}
            },
            _ => {}
        }
    }

    /// Learns from `a = b`, read from left to right.
    fn equal(&mut self, a: &Expr, b: &Expr) {
        self.at_least(a, b, 0);
        if let (ExprKind::Binary(BinaryOp::Intersection, x, y), ExprKind::EmptySet) = (&a.kind, &b.kind) {
            self.separate(x, y);
        }
        let n = self.extent(b, 0);
        self.has(a, n);
    }

    /// Learns from `a /= b`.
    fn different(&mut self, a: &Expr, b: &Expr) {
        if let (ExprKind::Const(a), ExprKind::Const(b), Type::Carrier(_)) = (&a.kind, &b.kind, &a.ty) {
            self.keep_apart(Block::Element(*a), Block::Element(*b));
        }
        for (set, empty) in [(a, b), (b, a)] {
            if empty.kind == ExprKind::EmptySet {
                self.has(set, 1);
            }
        }
    }

    /// Learns from `x : set`.
    fn member(&mut self, x: &Expr, set: &Expr) {
        self.has(set, 1);
        match &set.kind {
            ExprKind::Unary(UnaryOp::Pow1 | UnaryOp::Fin1, _) => self.has(x, 1),
            ExprKind::Binary(op, from, to) => {
                let Some(space) = op.relation_space().filter(|space| space.functional) else { return };
                if space.total && space.injective {
                    let n = self.extent(from, 0);
                    self.has(to, n);
                }
                if space.surjective {
                    let n = self.extent(to, 0);
                    self.has(from, n);
                }
            }
            _ => {}
        }
    }

    /// Learns from `x /: set`.
    fn no_member(&mut self, x: &Expr, set: &Expr) {
        if let (ExprKind::Const(c), Type::Carrier(_)) = (&x.kind, &x.ty) {
            for block in self.blocks(set) {
                self.keep_apart(Block::Element(*c), block);
            }
        }
    }

    /// Learns from `card(set) >= n + more`.
    fn at_least(&mut self, card: &Expr, n: &Expr, more: usize) {
        let ExprKind::Unary(UnaryOp::Card, set) = &card.kind else { return };
        let Some(n) = self.number(n).and_then(|n| n.to_usize()) else { return };
        self.has(set, n.saturating_add(more));
    }

    fn partition(&mut self, whole: &Expr, parts: &[Expr]) {
        let extents = parts.iter().map(|part| self.extent(part, 0)).fold(0usize, usize::saturating_add);
        self.has(whole, extents);
        for (i, a) in parts.iter().enumerate() {
            for b in &parts[..i] {
                self.separate(a, b);
            }
        }
    }

    /// Learns that two sets have no common element.
    fn separate(&mut self, x: &Expr, y: &Expr) {
        for a in self.blocks(x) {
            for b in self.blocks(y) {
                self.keep_apart(a, b);
            }
        }
    }

    fn keep_apart(&mut self, a: Block, b: Block) {
        self.disjoint.insert((a, b));
        self.disjoint.insert((b, a));
    }

    /// Returns the named parts of a set.
    fn blocks(&self, set: &Expr) -> Vec<Block> {
        match &set.kind {
            ExprKind::Const(c) => vec![Block::Set(*c)],
            ExprKind::SetExtension(items) => items.iter().filter_map(element).collect(),
            ExprKind::Binary(BinaryOp::Union, a, b) => [self.blocks(a), self.blocks(b)].concat(),
            _ => vec![],
        }
    }

    /// Learns that a set has at least `n` elements.
    fn has(&mut self, set: &Expr, n: usize) {
        if n == 0 || n > tuning().scope.least_size {
            return;
        }
        if let Type::Pow(ty) = &set.ty
            && let Type::Carrier(carrier) = **ty
            && self.is_deferred(carrier)
        {
            let size = self.sizes.entry(carrier).or_insert(1);
            *size = n.max(*size);
        }
        match &set.kind {
            ExprKind::Const(c) => {
                let part = self.parts.entry(*c).or_insert(0);
                *part = n.max(*part);
                if let Some(ExprKind::SetExtension(items)) = self.equal.get(c).map(|e| &e.kind) {
                    self.all_apart(items, n);
                }
            }
            ExprKind::SetExtension(items) => self.all_apart(items, n),
            _ => {}
        }
    }

    /// Learns that a set has as many elements as its extension lists.
    fn all_apart(&mut self, items: &[Expr], n: usize) {
        if items.len() != n {
            return;
        }
        let blocks: Vec<Block> = items.iter().filter_map(element).collect();
        for (i, a) in blocks.iter().enumerate() {
            for b in &blocks[..i] {
                self.keep_apart(*a, *b);
            }
        }
    }

    fn is_deferred(&self, carrier: CarrierId) -> bool {
        self.model.types.carriers.get(carrier.index()).is_some_and(|c| c.kind == CarrierKind::Deferred)
    }

    fn number(&self, e: &Expr) -> Option<Int> {
        match &e.kind {
            ExprKind::Integer(n) => Some(n.clone()),
            ExprKind::Const(c) => self.numbers.get(c).cloned(),
            _ => None,
        }
    }

    /// Returns the least number of elements of a set.
    fn extent(&self, set: &Expr, depth: usize) -> usize {
        if depth > tuning().scope.depth {
            return 0;
        }
        match &set.kind {
            ExprKind::Carrier(c) => match &self.model.types.carriers[c.index()].kind {
                CarrierKind::Enumerated(elements) => elements.len(),
                CarrierKind::Deferred => self.sizes.get(c).copied().unwrap_or(1),
            },
            ExprKind::Set(BuiltinSet::Bool) => 2,
            ExprKind::Binary(BinaryOp::Interval, a, b) => {
                let (Some(a), Some(b)) = (self.number(a), self.number(b)) else { return 0 };
                (&(&b - &a) + &Int::ONE).to_usize().unwrap_or(0)
            }
            ExprKind::Binary(BinaryOp::Cartesian, a, b) => {
                self.extent(a, depth + 1).saturating_mul(self.extent(b, depth + 1))
            }
            ExprKind::Unary(UnaryOp::Pow, s) => {
                u32::try_from(self.extent(s, depth + 1)).ok().and_then(|n| 1usize.checked_shl(n)).unwrap_or(0)
            }
            ExprKind::SetExtension(items) => {
                let literal = |e: &&Expr| {
                    matches!(e.kind, ExprKind::Integer(_) | ExprKind::Bool(_) | ExprKind::Element(..))
                };
                let mut literals: Vec<&Expr> = vec![];
                for item in items.iter().filter(literal) {
                    if literals.iter().all(|other| other.kind != item.kind) {
                        literals.push(item);
                    }
                }
                let blocks: BTreeSet<Block> = items.iter().filter_map(element).collect();
                literals.len().max(self.clique(&blocks.into_iter().collect::<Vec<_>>())).max(1)
            }
            ExprKind::Const(c) => {
                let part = self.parts.get(c).copied().unwrap_or(0);
                part.max(self.equal.get(c).map_or(0, |e| self.extent(e, depth + 1)))
            }
            _ => 0,
        }
    }

    /// Enlarges each deferred set to the size of the blocks in it that have no common element.
    fn apart(&mut self) {
        let mut blocks: BTreeMap<CarrierId, Vec<Block>> = BTreeMap::new();
        for (id, constant) in (0..).map(ConstId).zip(&self.model.constants) {
            match &constant.ty {
                Type::Carrier(c) => blocks.entry(*c).or_default().push(Block::Element(id)),
                Type::Pow(ty) => {
                    if let Type::Carrier(c) = **ty {
                        blocks.entry(c).or_default().push(Block::Set(id));
                    }
                }
                _ => {}
            }
        }
        for (carrier, blocks) in blocks {
            let n = self.clique(&blocks);
            if self.is_deferred(carrier) && n <= tuning().scope.least_size {
                let size = self.sizes.entry(carrier).or_insert(1);
                *size = n.max(*size);
            }
        }
    }

    fn weight(&self, block: Block) -> usize {
        match block {
            Block::Element(_) => 1,
            Block::Set(c) => self.parts.get(&c).copied().unwrap_or(0),
        }
    }

    /// Returns the number of elements of pairwise disjoint blocks: of the best choice that is found.
    fn clique(&self, blocks: &[Block]) -> usize {
        let candidates: Vec<Block> = blocks.iter().copied().filter(|b| self.weight(*b) > 0).collect();
        let (mut best, mut steps) = (0, tuning().scope.steps);
        self.extend(0, &candidates, &mut best, &mut steps);
        best
    }

    fn extend(&self, weight: usize, candidates: &[Block], best: &mut usize, steps: &mut usize) {
        *best = weight.max(*best);
        for (i, block) in candidates.iter().enumerate() {
            let rest: usize = candidates[i..].iter().map(|b| self.weight(*b)).sum();
            if *steps == 0 || weight + rest <= *best {
                return;
            }
            *steps -= 1;
            let fitting: Vec<Block> = candidates[i + 1..]
                .iter()
                .copied()
                .filter(|b| self.disjoint.contains(&(*block, *b)))
                .collect();
            self.extend(weight + self.weight(*block), &fitting, best, steps);
        }
    }
}

/// Returns the block of an expression that is a constant of a deferred set.
fn element(e: &Expr) -> Option<Block> {
    match (&e.kind, &e.ty) {
        (ExprKind::Const(c), Type::Carrier(_)) => Some(Block::Element(*c)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use bsym_language::load::load_text;

    use super::*;

    fn check(sets: &str, constants: &str, properties: &str, expected: &[(&str, usize)]) {
        let text = format!("MACHINE M SETS {sets} CONSTANTS {constants} PROPERTIES {properties} END");
        let loaded = load_text("M.mch", &text);
        let model = loaded.model.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let sizes = least_sizes(&model, &BTreeMap::new());
        let found: Vec<_> =
            sizes.iter().map(|(c, n)| (model.types.carriers[c.index()].name.as_str(), *n)).collect();
        assert_eq!(found, expected, "{properties}");
    }

    #[test]
    fn constants_that_are_kept_apart() {
        let three = [("S", 3)];
        check("S", "a, b, c", "a : S & b : S & c : S & a /= b & a /= c & b /= c", &three);
        check("S", "a, b, c", "a : S & b : S & c : S & (a /= b & (a /= c & not(b = c)))", &three);
        check("S", "a, b, c", "a : S & b : S & c : S & card({a, b, c}) = 3", &three);
        check("S", "a, b, c, A", "a : S & b : S & c : S & A = {a, b, c} & card(A) = 3", &three);
        check("S", "a, b, c", "a : S & b : S & c : S & a /: {b, c} & b /= c", &three);
        check("S", "a, b, c", "a : S & b : S & c : S & {a} /\\ {b} = {} & {a, b} /\\ {c} = {}", &three);
        // No three of them are pairwise distinct.
        check("S", "a, b, c, d", "{a, b, c, d} <: S & a /= b & b /= c & c /= d & d /= a", &[("S", 2)]);
        check("S", "a, b", "a : S & b : S & (a /= b or a = b)", &[]);
        check("S", "a, b", "a : S & b : S & a = b", &[]);
    }

    #[test]
    fn numbers_of_elements() {
        check("S", "n", "n = 3 & card(S) > n", &[("S", 4)]);
        check("S", "A", "A <: S & card(A) = 3", &[("S", 3)]);
        check("S", "A", "A <: S & card(A) <= 3", &[]);
        check("S", "f", "f : 1..3 --> S & card(ran(f)) >= 3", &[("S", 3)]);
        check("S", "A, B", "A <: S & B <: S & card(A) = 2 & 3 <= card(B) & A /\\ B = {}", &[("S", 5)]);
        check(
            "S",
            "A, B, C",
            "A : POW1(S) & B : POW1(S) & C : POW1(S) & A /\\ B = {} & (A \\/ B) /\\ C = {}",
            &[("S", 3)],
        );
        check("S", "A, x", "A : POW1(S) & x : S & x /: A", &[("S", 2)]);
    }

    #[test]
    fn functions_that_need_room() {
        check("S", "f", "f : 1..4 >-> S", &[("S", 4)]);
        check("S", "f", "f : S -->> 1..4", &[("S", 4)]);
        check("S", "f", "f : 1..4 --> S", &[]);
        check(
            "S; T",
            "f, a, b, c",
            "{a, b, c} <: S & card({a, b, c}) = 3 & f : S >-> T",
            &[("S", 3), ("T", 3)],
        );
        check("S", "f", "f : BOOL * BOOL >-> S", &[("S", 4)]);
        check("S", "f, n", "n = 5 & f : S +->> 1..n", &[("S", 5)]);
    }
}
