//! Arrays, and sets as arrays to `Bool`.

use super::{Op, Sort, SortKind, Term, Terms};

impl Terms {
    /// Index and value sort of an array sort.
    ///
    /// # Panics
    /// If it is another sort.
    pub fn array_parts(&self, sort: Sort) -> (Sort, Sort) {
        match self.sort_kind(sort) {
            SortKind::Array(i, v) => (i, v),
            other => unreachable!("{other:?} is no array sort"),
        }
    }

    /// `select(array, index)`; for a set, whether `index` is an element.
    pub fn select(&self, array: Term, index: Term) -> Term {
        let n = self.node(array);
        match &n.op {
            Op::ConstArray(_) => n.args[0],
            Op::Store => {
                let (inner, at, value) = (n.args[0], n.args[1], n.args[2]);
                match self.eq(at, index) {
                    Self::TRUE => value,
                    Self::FALSE => self.select(inner, index),
                    // Reading a set through a store stays propositional.
                    same if self.sort_of(value) == Self::BOOL => {
                        self.ite(same, value, self.select(inner, index))
                    }
                    _ => self.raw_select(array, index),
                }
            }
            Op::SetUnion => self.or([self.select(n.args[0], index), self.select(n.args[1], index)]),
            Op::SetInter => self.and([self.select(n.args[0], index), self.select(n.args[1], index)]),
            Op::SetMinus => {
                let out = self.not(self.select(n.args[1], index));
                self.and([self.select(n.args[0], index), out])
            }
            Op::SetComplement => self.not(self.select(n.args[0], index)),
            Op::ArrayIte => {
                let mask = self.select(n.args[0], index);
                self.ite(mask, self.select(n.args[1], index), self.select(n.args[2], index))
            }
            Op::Ite if self.sort_of(n.args[1]) == n.sort => {
                let (a, b) = (self.select(n.args[1], index), self.select(n.args[2], index));
                self.ite(n.args[0], a, b)
            }
            Op::Lambda(bound) => {
                let symbol = self.make(Op::Symbol(*bound), &[], self.symbol_sort(*bound));
                self.substitute(n.args[0], &mut super::Substitution::new([(symbol, index)]))
            }
            _ => self.raw_select(array, index),
        }
    }

    fn raw_select(&self, array: Term, index: Term) -> Term {
        let (i, value) = self.array_parts(self.sort_of(array));
        debug_assert_eq!(i, self.sort_of(index), "index of another sort: {}", self.text(index));
        self.make(Op::Select, &[array, index], value)
    }

    /// `store(array, index, value)`
    pub fn store(&self, array: Term, index: Term, value: Term) -> Term {
        let n = self.node(array);
        if n.op == Op::Store && n.args[1] == index {
            return self.store(n.args[0], index, value);
        }
        if matches!(n.op, Op::ConstArray(_)) && n.args[0] == value {
            return array;
        }
        self.make(Op::Store, &[array, index, value], n.sort)
    }

    /// The array of this sort with `value` everywhere.
    pub fn const_array(&self, sort: Sort, value: Term) -> Term {
        self.make(Op::ConstArray(sort), &[value], sort)
    }

    /// The empty set of a set sort.
    pub fn empty_set(&self, sort: Sort) -> Term {
        self.const_array(sort, Self::FALSE)
    }

    /// The set of everything of a set sort.
    pub fn full_set(&self, sort: Sort) -> Term {
        self.const_array(sort, Self::TRUE)
    }

    fn is_const(&self, set: Term, value: Term) -> bool {
        let n = self.node(set);
        matches!(n.op, Op::ConstArray(_)) && n.args[0] == value
    }

    /// Union of two sets.
    pub fn set_union(&self, a: Term, b: Term) -> Term {
        if a == b || self.is_const(b, Self::FALSE) || self.is_const(a, Self::TRUE) {
            return a;
        }
        if self.is_const(a, Self::FALSE) || self.is_const(b, Self::TRUE) {
            return b;
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        self.make(Op::SetUnion, &[a, b], self.sort_of(a))
    }

    /// Intersection of two sets.
    pub fn set_inter(&self, a: Term, b: Term) -> Term {
        if a == b || self.is_const(b, Self::TRUE) || self.is_const(a, Self::FALSE) {
            return a;
        }
        if self.is_const(a, Self::TRUE) || self.is_const(b, Self::FALSE) {
            return b;
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        self.make(Op::SetInter, &[a, b], self.sort_of(a))
    }

    /// Difference of two sets.
    pub fn set_minus(&self, a: Term, b: Term) -> Term {
        let sort = self.sort_of(a);
        if self.is_const(b, Self::FALSE) || self.is_const(a, Self::FALSE) {
            return a;
        }
        if a == b || self.is_const(b, Self::TRUE) {
            return self.empty_set(sort);
        }
        if self.is_const(a, Self::TRUE) {
            return self.set_complement(b);
        }
        self.make(Op::SetMinus, &[a, b], sort)
    }

    /// Complement of a set.
    pub fn set_complement(&self, a: Term) -> Term {
        let n = self.node(a);
        match n.op {
            Op::SetComplement => n.args[0],
            Op::ConstArray(_) => self.const_array(n.sort, self.not(n.args[0])),
            _ => self.make(Op::SetComplement, &[a], n.sort),
        }
    }

    /// `a <: b`, as `a - b = {}`.
    pub fn subset(&self, a: Term, b: Term) -> Term {
        let sort = self.sort_of(a);
        self.eq(self.set_minus(a, b), self.empty_set(sort))
    }

    /// The array that is `a` on the elements of `mask` and `b` elsewhere.
    pub fn array_ite(&self, mask: Term, a: Term, b: Term) -> Term {
        if a == b || self.is_const(mask, Self::TRUE) {
            return a;
        }
        if self.is_const(mask, Self::FALSE) {
            return b;
        }
        let sort = self.sort_of(a);
        if self.array_parts(sort).1 != Self::BOOL {
            self.arena.borrow_mut().has_choices = true;
        }
        self.make(Op::ArrayIte, &[mask, a, b], sort)
    }
}
