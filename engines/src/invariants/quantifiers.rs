//! Quantifiers from orbits: how all images of a clause are said in one formula.
//!
//! Two elements of a deferred set are in one *cell* of a clause if it stays what it is where they change places. Where
//! the elements in a clause are not all of their set, its images together say it for all different elements. Where they
//! are all, and those of one cell stand in literals of their own, the literals of the cell say that there is such an
//! element among the others (Goel & Sakallah, *On Symmetry and Quantification: A New Approach to Verify Distributed
//! Protocols*, NFM 2021). In sets of that size all readings say the same; in others they differ.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::model::*;
use bsym_language::types::{CarrierId, Type};
use bsym_language::walk::{Visitor, walk_pred};

use super::binders;
use super::bits::{Bits, Item, Thing};
use super::cube::{Cube, Literal};
use super::predicate::{Predicates, clause, compare, expr, for_all, pred};
use crate::tuning::tuning;

/// Elements of deferred sets that are said with existential quantifiers, by set.
type Witnesses = BTreeMap<CarrierId, BTreeSet<u32>>;

impl Bits {
    /// The formulas that say that no state is in any image of a cube; none where the sets have too few names.
    pub(crate) fn said(&self, predicates: &Predicates, cube: &Cube) -> Option<Vec<Pred>> {
        let some = self.some(cube).into_iter().next().unwrap_or_default();
        self.read(predicates, cube, &some)
    }

    /// All readings of the images of a cube, each in some formulas; the likeliest first.
    pub(crate) fn readings(&self, predicates: &Predicates, cube: &Cube) -> Vec<Vec<Pred>> {
        let all = self.some(cube).into_iter().take(tuning().bits.readings);
        all.filter_map(|some| self.read(predicates, cube, &some)).collect()
    }

    /// The elements of deferred sets in a cube.
    fn used(&self, cube: &Cube) -> BTreeMap<CarrierId, BTreeSet<u32>> {
        let mut used: BTreeMap<CarrierId, BTreeSet<u32>> = BTreeMap::new();
        let items =
            cube.literals().iter().filter_map(|l| self.about(l.position)).flat_map(|(_, items)| items);
        for item in items {
            if let Item::Element(c, i) = *item
                && self.class_of(c, i).is_some_and(|class| class.is_deferred)
            {
                used.entry(c).or_default().insert(i);
            }
        }
        used
    }

    /// The choices of elements that are said with existential quantifiers, the likeliest first.
    fn some(&self, cube: &Cube) -> Vec<Witnesses> {
        let mut all: Vec<Witnesses> = vec![BTreeMap::new()];
        for (carrier, used) in self.used(cube) {
            let size = self.class_of(carrier, 0).map_or(0, |class| class.elements.len());
            if used.len() < size || size < 2 {
                continue;
            }
            let mut cells = self.cells(cube, carrier, &used);
            cells.retain(|cell| self.stand_alone(cube, carrier, cell));
            cells.sort_by_key(|cell| std::cmp::Reverse(cell.len()));
            let is_clear = cells.first().is_some_and(|cell| cell.len() > 1)
                && cells.get(1).is_none_or(|cell| cell.len() == 1);
            let none = std::iter::once(None);
            let each = cells.into_iter().map(Some);
            let options: Vec<Option<BTreeSet<u32>>> =
                if is_clear { each.chain(none).collect() } else { none.chain(each).collect() };
            all = options
                .iter()
                .flat_map(|option| {
                    all.iter().map(move |some| {
                        let mut some = some.clone();
                        some.extend(option.clone().map(|cell| (carrier, cell)));
                        some
                    })
                })
                .collect();
        }
        all
    }

    /// The elements of a set that may change places without a change of the cube, together.
    fn cells(&self, cube: &Cube, carrier: CarrierId, used: &BTreeSet<u32>) -> Vec<BTreeSet<u32>> {
        let mut cells: Vec<BTreeSet<u32>> = vec![];
        for &element in used {
            let like = |cell: &BTreeSet<u32>| {
                cell.first().is_some_and(|&first| self.is_kept(cube, carrier, first, element))
            };
            match cells.iter().position(like) {
                Some(at) => drop(cells[at].insert(element)),
                None => cells.push(BTreeSet::from([element])),
            }
        }
        cells
    }

    fn is_kept(&self, cube: &Cube, carrier: CarrierId, a: u32, b: u32) -> bool {
        let swapped = |item: &Item| match *item {
            Item::Element(c, i) if c == carrier && i == a => Item::Element(c, b),
            Item::Element(c, i) if c == carrier && i == b => Item::Element(c, a),
            other => other,
        };
        cube.literals().iter().all(|l| {
            let Some((thing, items)) = self.about(l.position) else { return true };
            let image = self.position(*thing, items.iter().map(swapped).collect());
            image.is_some_and(|position| {
                cube.literals().binary_search(&Literal { position, positive: l.positive }).is_ok()
            })
        })
    }

    /// Returns whether no literal is about two elements of a cell.
    fn stand_alone(&self, cube: &Cube, carrier: CarrierId, cell: &BTreeSet<u32>) -> bool {
        cube.literals().iter().filter_map(|l| self.about(l.position)).all(|(_, items)| {
            let of_cell: BTreeSet<u32> = items
                .iter()
                .filter_map(|item| match *item {
                    Item::Element(c, i) if c == carrier && cell.contains(&i) => Some(i),
                    _ => None,
                })
                .collect();
            of_cell.len() < 2
        })
    }

    /// The formulas of one reading: one for each image under the permutations of listed sets.
    fn read(&self, predicates: &Predicates, cube: &Cube, some: &Witnesses) -> Option<Vec<Pred>> {
        let images = self.listed_images(cube, tuning().bits.listed)?;
        images.iter().map(|image| self.read_one(predicates, image, some)).collect()
    }

    fn read_one(&self, predicates: &Predicates, cube: &Cube, some: &Witnesses) -> Option<Pred> {
        let names = self.names(cube, some)?;
        let element = |c: CarrierId, i: u32| match names.of.get(&(c, i)) {
            Some(&local) => expr(ExprKind::Local(local), Type::Carrier(c)),
            None => expr(ExprKind::Element(c, i), Type::Carrier(c)),
        };
        let mut literals = names.different();
        let mut exist: BTreeSet<(usize, Vec<Item>, bool)> = BTreeSet::new();
        for l in cube.literals() {
            let Some((thing, items)) = self.about(l.position) else {
                literals.push((predicates.all()[l.position].pred.clone(), !l.positive));
                continue;
            };
            let said = self.pred(*thing, items, &element);
            // A name must not be caught by a quantifier inside of the bit.
            if names.captured(&self.things[*thing]) {
                return None;
            }
            let bound = names.bound_in(items);
            if bound.is_empty() {
                literals.push((said, !l.positive));
                continue;
            }
            // All literals of the orbit are said at once.
            let first = |item: &Item| match *item {
                Item::Element(c, i) => Item::Element(c, names.first_of_cell(c, i)),
                other => other,
            };
            if exist.insert((*thing, items.iter().map(first).collect(), l.positive)) {
                literals.push((names.exists(bound, said, !l.positive), true));
            }
        }
        let all: BTreeSet<LocalId> = names.all.values().flatten().copied().collect();
        Some(if all.is_empty() { clause(&literals) } else { for_all(&self.model, &all, literals) })
    }

    fn names(&self, cube: &Cube, some: &Witnesses) -> Option<Names> {
        let mut names = Names { of: BTreeMap::new(), all: BTreeMap::new(), some: some.clone() };
        for (carrier, used) in self.used(cube) {
            let mut left = binders::of(&self.model, carrier).into_iter();
            let cell = some.get(&carrier);
            for &i in used.iter().filter(|i| cell.is_none_or(|cell| !cell.contains(i))) {
                let local = left.next()?;
                names.of.insert((carrier, i), local);
                names.all.entry(carrier).or_default().push(local);
            }
            if let Some(cell) = cell {
                let local = left.next()?;
                names.of.extend(cell.iter().map(|&i| ((carrier, i), local)));
            }
        }
        Some(names)
    }
}

/// Names of the elements in a clause.
struct Names {
    of: BTreeMap<(CarrierId, u32), LocalId>,
    /// Those of all elements, by set.
    all: BTreeMap<CarrierId, Vec<LocalId>>,
    some: Witnesses,
}

impl Names {
    /// Premises that all names of one set stand for different elements, as literals.
    fn different(&self) -> Vec<(Pred, bool)> {
        let mut found = vec![];
        for (&c, all) in &self.all {
            for (i, &a) in all.iter().enumerate() {
                found.extend(all[i + 1..].iter().map(|&b| (unequal(c, a, b), false)));
            }
        }
        found
    }

    /// The sets with an element in these places that is said with an existential quantifier, each with its name.
    fn bound_in(&self, items: &[Item]) -> BTreeMap<CarrierId, LocalId> {
        let bound = items.iter().filter_map(|item| match *item {
            Item::Element(c, i) if self.some.get(&c).is_some_and(|cell| cell.contains(&i)) => {
                Some((c, self.of[&(c, i)]))
            }
            _ => None,
        });
        bound.collect()
    }

    fn first_of_cell(&self, carrier: CarrierId, element: u32) -> u32 {
        let cell = self.some.get(&carrier).filter(|cell| cell.contains(&element));
        cell.and_then(|cell| cell.first().copied()).unwrap_or(element)
    }

    /// Returns whether a quantifier inside of a bit has one of these names.
    fn captured(&self, thing: &Thing) -> bool {
        let Thing::Schema(schema) = thing else { return false };
        let bound = quantified(&schema.pred);
        self.of.values().any(|name| bound.contains(name))
    }

    /// `#y.(y : S & y /= x & p)`: some element other than those that the clause is about.
    fn exists(&self, bound: BTreeMap<CarrierId, LocalId>, said: Pred, positive: bool) -> Pred {
        let mut all = vec![];
        for (&c, &local) in &bound {
            let set = expr(ExprKind::Carrier(c), Type::pow(Type::Carrier(c)));
            all.push(compare(CompareOp::Member, expr(ExprKind::Local(local), Type::Carrier(c)), set));
            all.extend(self.all.get(&c).into_iter().flatten().map(|&x| unequal(c, local, x)));
        }
        all.push(clause(&[(said, positive)]));
        pred(PredKind::Exists(bound.into_values().collect(), Box::new(pred(PredKind::And(all)))))
    }
}

fn unequal(carrier: CarrierId, a: LocalId, b: LocalId) -> Pred {
    let name = |l| expr(ExprKind::Local(l), Type::Carrier(carrier));
    compare(CompareOp::NotEqual, name(a), name(b))
}

/// The names that are bound in a predicate.
fn quantified(p: &Pred) -> BTreeSet<LocalId> {
    struct Bound(BTreeSet<LocalId>);
    impl Visitor for Bound {
        fn pred(&mut self, p: &Pred) {
            if let PredKind::Forall(locals, _) | PredKind::Exists(locals, _) = &p.kind {
                self.0.extend(locals.iter().copied());
            }
            walk_pred(self, p);
        }
    }
    let mut bound = Bound(BTreeSet::new());
    bound.pred(p);
    bound.0
}

#[cfg(test)]
mod tests {
    use bsym_encodings::budget::Budget;
    use bsym_language::load::load_text;
    use bsym_language::print;
    use bsym_semantics::scope::{Scope, ScopeRequest};

    use crate::excluded::Excluded;
    use crate::invariants::bits::Bits;
    use crate::invariants::cube::{Cube, Literal};
    use crate::invariants::predicate::Predicates;
    use crate::options::Job;
    use crate::problem::Problem;

    const TEXT: &str = "MACHINE m SETS S; T; E = {a, b, c}
        VARIABLES r, used, at INVARIANT r : S <-> T & used <: S & at <: E & a : at
        INITIALISATION r, used, at := {}, {}, {a} OPERATIONS go = skip END";

    fn bits(size: usize) -> (Bits, Predicates) {
        let model = load_text("m.mch", TEXT).model.expect("a machine");
        let sizes = [("S", size), ("T", size)].map(|(name, n)| (name.to_string(), n)).into();
        let scope = Scope::settle(&model, &ScopeRequest { sizes, ..Default::default() }).expect("a scope");
        let job = Job::new(model, scope, vec![], Budget::unlimited());
        let mut problem = Problem::plain(&job, &Excluded::default());
        Bits::of(&mut problem, &job, &[]).expect("bits")
    }

    /// The cube of the bits whose texts begin as said; `-` before one that is false. Elements are numbered in the order of
    /// rows.
    fn cube(bits: &Bits, literals: &[(usize, &[u32], bool)]) -> Cube {
        let position = |thing: usize, elements: &[u32]| {
            (0..64)
                .find(|&p| {
                    bits.about(p).is_some_and(|(t, items)| {
                        let of: Vec<u32> = items
                            .iter()
                            .filter_map(|i| match i {
                                super::Item::Element(_, e) => Some(*e),
                                _ => None,
                            })
                            .collect();
                        *t == thing && of == elements
                    })
                })
                .expect("a bit")
        };
        let literal = |&(thing, elements, positive): &(usize, &[u32], bool)| Literal {
            position: position(thing, elements),
            positive,
        };
        Cube::new(literals.iter().map(literal).collect())
    }

    fn said(size: usize, literals: &[(usize, &[u32], bool)]) -> Vec<Vec<String>> {
        let (bits, predicates) = bits(size);
        let text = |p| print::pred(&bits.model, p);
        let readings = bits.readings(&predicates, &cube(&bits, literals));
        readings.iter().map(|said| said.iter().map(text).collect()).collect()
    }

    #[test]
    fn elements_that_are_not_all_of_their_set_are_any() {
        let all = said(3, &[(0, &[0, 0], true), (0, &[1, 0], true)]);
        let expected =
            "!(s1, s2, t1).(s1 : S & s2 : S & t1 : T & s1 /= s2 & s1 |-> t1 : r => (s2 |-> t1) /: r)";
        assert_eq!(all, [[expected]]);
    }

    #[test]
    fn a_cell_that_covers_its_set_is_some_element() {
        let cube: &[(usize, &[u32], bool)] = &[(1, &[0], true), (0, &[0, 0], false), (0, &[0, 1], false)];
        let all = said(2, cube);
        assert_eq!(all[0], ["!s1.(s1 : S & s1 : used => #t1.(t1 : T & s1 |-> t1 : r))"]);
        assert!(all.len() > 1, "the other reading is for all: {all:?}");
        // With three elements two are not all.
        assert_eq!(said(3, cube).len(), 1);
        assert!(!said(3, cube)[0][0].contains('#'));
    }

    #[test]
    fn some_element_is_another_than_those_of_the_clause() {
        let cube: &[(usize, &[u32], bool)] = &[(1, &[0], true), (0, &[1, 0], false), (0, &[2, 0], false)];
        let expected = "!(s1, t1).(s1 : S & t1 : T & s1 : used => #s2.(s2 : S & s2 /= s1 & s2 |-> t1 : r))";
        assert_eq!(said(3, cube)[0], [expected]);
    }

    #[test]
    fn images_under_permutations_of_listed_elements_are_listed() {
        // The invariant names `a`; the others change places.
        assert_eq!(said(2, &[(2, &[1], true)]), [["b /: at", "c /: at"]]);
        assert_eq!(said(2, &[(2, &[0], false)]), [["a : at"]]);
    }

    #[test]
    fn images_of_a_cube_are_found_in_a_state() {
        let (bits, _) = bits(3);
        let state = cube(&bits, &[(0, &[2, 1], true), (1, &[2], false), (1, &[0], true), (0, &[0, 0], true)]);
        let truth = |p: usize| {
            let at = state.literals().binary_search_by_key(&p, |l| l.position).ok()?;
            Some(state.literals()[at].positive)
        };
        let look =
            |literals: &[(usize, &[u32], bool)]| bits.images(cube(&bits, literals).literals(), &truth, 9);
        let found = look(&[(0, &[1, 1], true), (1, &[1], false)]);
        assert_eq!(found, [cube(&bits, &[(0, &[2, 1], true), (1, &[2], false)])]);
        assert!(look(&[(0, &[1, 1], true), (0, &[1, 2], true)]).is_empty());
    }

    #[test]
    fn what_breaks_a_symmetry_is_said() {
        let text = "MACHINE m SETS S VARIABLES seen, at INVARIANT seen <: S & at <: S
            DEFINITIONS EXTERNAL_FUNCTION_CHOOSE(T) == (POW(T) --> T); CHOOSE(X) == MU(X)
            INITIALISATION seen, at := {}, {}
            OPERATIONS choose = SELECT seen /= {} THEN at := {CHOOSE(seen)} END END";
        let model = load_text("m.mch", text).model.expect("a machine");
        let sizes = [("S".to_string(), 2)].into();
        let scope = Scope::settle(&model, &ScopeRequest { sizes, ..Default::default() }).expect("a scope");
        let job = Job::new(model, scope, vec![], Budget::unlimited());
        let mut problem = Problem::plain(&job, &Excluded::default());
        let why = Bits::of(&mut problem, &job, &[]).map(|_| ()).expect_err("an order");
        assert!(why.contains("breaks the symmetry of S (line 4)"), "{why}");
    }
}
