//! Quantifier prefixes: the names that clauses are about, and the literals over them.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::model::{LocalId, Model, Pred};

use super::clauses::{Clause, Code, Point};
use super::derived::{Renaming, renamed};
use super::vocabulary::Vocabulary;
use crate::invariants::predicate::{clause, for_all};
use crate::tuning::tuning;

/// An atom about some of the names of a prefix.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    /// Position of the atom.
    pub atom: usize,
    /// For each slot the position of a name.
    pub names: Vec<usize>,
}

/// Names of elements that a clause is about, all of them.
#[derive(Debug)]
pub(super) struct Prefix {
    /// The set of each name.
    pub sorts: Vec<usize>,
    names: Vec<LocalId>,
    pub literals: Vec<Literal>,
    /// Other orders of the names: for each literal the one that it becomes.
    orders: Vec<Vec<usize>>,
}

impl Prefix {
    /// As many names as said for each open set, and the literals over them; at most so many, those about few names first.
    pub fn new(vocabulary: &Vocabulary, counts: &[usize]) -> Prefix {
        let (mut sorts, mut names) = (vec![], vec![]);
        for (s, &count) in counts.iter().enumerate() {
            for &name in vocabulary.sets[s].names.iter().take(count) {
                sorts.push(s);
                names.push(name);
            }
        }
        let mut literals = vec![];
        for (a, atom) in vocabulary.atoms.iter().enumerate() {
            let is_equality = atom.is_equality();
            for row in choices(&atom.sorts, &sorts) {
                let distinct: BTreeSet<usize> = row.iter().copied().collect();
                let has_enough = |s: usize| {
                    sorts.iter().filter(|&&x| x == s).count()
                        >= atom.sorts.iter().filter(|&&x| x == s).count()
                };
                let must_differ = atom.sorts.iter().all(|&s| has_enough(s)) || is_equality;
                if must_differ && distinct.len() < row.len() || is_equality && row[0] > row[1] {
                    continue;
                }
                literals.push(Literal { atom: a, names: row });
            }
        }
        literals.truncate(tuning().strongest.literals);
        let mut prefix = Prefix { sorts, names, literals, orders: vec![] };
        prefix.orders = prefix.orders(vocabulary);
        prefix
    }

    /// What the permutations of the names make of each literal. A permutation is left out if it leads out of the
    /// literals.
    fn orders(&self, vocabulary: &Vocabulary) -> Vec<Vec<usize>> {
        let place: BTreeMap<(usize, &[usize]), usize> =
            self.literals.iter().enumerate().map(|(i, l)| ((l.atom, &l.names[..]), i)).collect();
        let mut found = vec![];
        for order in permutations(self.sorts.len()) {
            if order.iter().enumerate().any(|(i, &j)| self.sorts[i] != self.sorts[j])
                || order.iter().enumerate().all(|(i, &j)| i == j)
            {
                continue;
            }
            let image = |l: &Literal| {
                let mut names: Vec<usize> = l.names.iter().map(|&n| order[n]).collect();
                if vocabulary.atoms[l.atom].is_equality() {
                    names.sort_unstable();
                }
                place.get(&(l.atom, &names[..])).copied()
            };
            found.extend(self.literals.iter().map(image).collect::<Option<Vec<usize>>>());
        }
        found
    }

    /// Returns whether a clause is the first of those that differ from it by the order of names only.
    pub fn is_first(&self, clause: &[Code]) -> bool {
        self.orders.iter().all(|order| {
            let mut other: Clause =
                clause.iter().map(|&c| 2 * order[usize::from(c / 2)] as Code + c % 2).collect();
            other.sort_unstable();
            *clause <= *other
        })
    }

    /// Returns whether a clause speaks of variables.
    pub fn is_about_state(&self, vocabulary: &Vocabulary, clause: &[Code]) -> bool {
        clause.iter().any(|&c| vocabulary.atoms[self.literals[usize::from(c / 2)].atom].is_about_state)
    }

    /// All assignments of elements, of which each set has so many, to the names.
    pub fn assignments(&self, sizes: &[usize]) -> Vec<Vec<usize>> {
        let mut rows = vec![vec![]];
        for &s in &self.sorts {
            rows = rows
                .iter()
                .flat_map(|row: &Vec<usize>| (0..sizes[s]).map(|e| [&row[..], &[e]].concat()))
                .collect();
        }
        rows
    }

    /// Those of all assignments that differ not just by which element has which number.
    pub fn patterns(&self, sizes: &[usize]) -> Vec<Vec<usize>> {
        let is_first = |row: &Vec<usize>| {
            let mut used = vec![0; sizes.len()];
            row.iter().zip(&self.sorts).all(|(&e, &s)| {
                let fits = e <= used[s];
                used[s] = used[s].max(e + 1);
                fits
            })
        };
        self.assignments(sizes).into_iter().filter(is_first).collect()
    }

    /// For each assignment and each literal the number of an instance of its atom.
    pub fn table(&self, sizes: &[usize], number: impl Fn(usize, &[usize]) -> usize) -> Vec<Vec<usize>> {
        self.table_of(&self.assignments(sizes), number)
    }

    /// Those of some assignments alone.
    pub fn table_of(
        &self,
        assignments: &[Vec<usize>],
        number: impl Fn(usize, &[usize]) -> usize,
    ) -> Vec<Vec<usize>> {
        let of = |row: &Vec<usize>| {
            let instance = |l: &Literal| {
                let elements: Vec<usize> = l.names.iter().map(|&n| row[n]).collect();
                number(l.atom, &elements)
            };
            self.literals.iter().map(instance).collect()
        };
        assignments.iter().map(of).collect()
    }

    /// The points of a state: one for each assignment of a [table](Self::table).
    pub fn points(&self, table: &[Vec<usize>], truth: &[bool]) -> Vec<Point> {
        let point = |row: &Vec<usize>| {
            let mut point = Point::new(self.literals.len());
            row.iter().enumerate().filter(|&(_, &i)| truth[i]).for_each(|(l, _)| point.set(l));
            point
        };
        table.iter().map(point).collect()
    }

    /// A clause in B.
    pub fn pred(&self, model: &Model, vocabulary: &Vocabulary, said: &[Code]) -> Pred {
        let mut elements = BTreeSet::new();
        let mut literals = vec![];
        for &code in said {
            let literal = &self.literals[usize::from(code / 2)];
            let atom = &vocabulary.atoms[literal.atom];
            let names: Renaming =
                atom.slots.iter().copied().zip(literal.names.iter().map(|&n| self.names[n])).collect();
            elements.extend(names.values().copied());
            literals.push((renamed(model, &atom.pred, &names), code % 2 == 0));
        }
        if elements.is_empty() { clause(&literals) } else { for_all(model, &elements, literals) }
    }
}

/// All ways to choose for each slot a name of its set.
fn choices(slots: &[usize], sorts: &[usize]) -> Vec<Vec<usize>> {
    let mut rows = vec![vec![]];
    for &s in slots {
        rows = rows
            .iter()
            .flat_map(|row: &Vec<usize>| {
                (0..sorts.len()).filter(|&n| sorts[n] == s).map(|n| [&row[..], &[n]].concat())
            })
            .collect();
    }
    rows
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for i in 0..n {
        all = all
            .iter()
            .flat_map(|p: &Vec<usize>| {
                (0..=i).map(|at| {
                    let mut longer = p.clone();
                    longer.insert(at, i);
                    longer
                })
            })
            .collect();
    }
    all
}
