//! Connectives, equality and quantifiers.

use super::{Op, SortKind, SymbolId, Term, Terms};

impl Terms {
    /// `true` or `false`
    pub fn bool(&self, b: bool) -> Term {
        if b { Self::TRUE } else { Self::FALSE }
    }

    /// Negation. Pushed into nothing but a second negation and the truth values.
    pub fn not(&self, a: Term) -> Term {
        let n = self.node(a);
        match n.op {
            Op::True => Self::FALSE,
            Op::False => Self::TRUE,
            Op::Not => n.args[0],
            Op::Le => self.lt(n.args[1], n.args[0]),
            Op::Lt => self.le(n.args[1], n.args[0]),
            _ => self.make(Op::Not, &[a], Self::BOOL),
        }
    }

    /// Conjunction: flat, without repetitions, sorted by creation.
    pub fn and(&self, args: impl IntoIterator<Item = Term>) -> Term {
        self.junction(Op::And, Self::TRUE, Self::FALSE, args)
    }

    /// Disjunction: flat, without repetitions, sorted by creation.
    pub fn or(&self, args: impl IntoIterator<Item = Term>) -> Term {
        self.junction(Op::Or, Self::FALSE, Self::TRUE, args)
    }

    fn junction(&self, op: Op, unit: Term, zero: Term, args: impl IntoIterator<Item = Term>) -> Term {
        let mut flat = std::collections::BTreeSet::new();
        for a in args {
            let n = self.node(a);
            if n.op == op {
                flat.extend(n.args.iter().copied());
            } else if a == zero {
                return zero;
            } else if a != unit {
                flat.insert(a);
            }
        }
        if flat.iter().any(|&a| flat.contains(&self.not(a))) {
            return zero;
        }
        let flat: Vec<Term> = flat.into_iter().collect();
        match flat.as_slice() {
            [] => unit,
            [one] => *one,
            _ => self.make(op, &flat, Self::BOOL),
        }
    }

    /// `a => b`
    pub fn implies(&self, a: Term, b: Term) -> Term {
        self.or([self.not(a), b])
    }

    /// `ite(c, a, b)`
    pub fn ite(&self, c: Term, a: Term, b: Term) -> Term {
        if c == Self::TRUE || a == b {
            return a;
        }
        if c == Self::FALSE {
            return b;
        }
        let sort = self.sort_of(a);
        if sort == Self::BOOL {
            match (a, b) {
                (Self::TRUE, _) => return self.or([c, b]),
                (Self::FALSE, _) => return self.and([self.not(c), b]),
                (_, Self::TRUE) => return self.or([self.not(c), a]),
                (_, Self::FALSE) => return self.and([c, a]),
                _ => {}
            }
        }
        let n = self.node(c);
        if n.op == Op::Not {
            return self.ite(n.args[0], b, a);
        }
        self.make(Op::Ite, &[c, a, b], sort)
    }

    /// `a = b`, of any sort.
    pub fn eq(&self, a: Term, b: Term) -> Term {
        if a == b {
            return Self::TRUE;
        }
        if self.known_distinct(a, b) {
            return Self::FALSE;
        }
        let (na, nb) = (self.node(a), self.node(b));
        debug_assert_eq!(na.sort, nb.sort, "equality of {} and {}", self.text(a), self.text(b));
        if na.sort == Self::BOOL {
            match (a, b) {
                (Self::TRUE, x) | (x, Self::TRUE) => return x,
                (Self::FALSE, x) | (x, Self::FALSE) => return self.not(x),
                _ if self.not(a) == b => return Self::FALSE,
                _ => {}
            }
        }
        if let (Op::Tuple(_), Op::Tuple(_)) = (&na.op, &nb.op) {
            return self.and(na.args.iter().zip(nb.args.iter()).map(|(&x, &y)| self.eq(x, y)));
        }
        // A choice between values, compared with a value, decides itself.
        for (x, y) in [(&na, b), (&nb, a)] {
            if x.op == Op::Ite && self.is_value(y) && x.args[1..].iter().any(|&z| self.is_value(z)) {
                return self.ite(x.args[0], self.eq(x.args[1], y), self.eq(x.args[2], y));
            }
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        self.make(Op::Eq, &[a, b], Self::BOOL)
    }

    /// `a /= b`
    pub fn neq(&self, a: Term, b: Term) -> Term {
        self.not(self.eq(a, b))
    }

    /// All terms are pairwise different.
    pub fn distinct(&self, args: &[Term]) -> Term {
        let mut all = vec![];
        for (i, &a) in args.iter().enumerate() {
            all.extend(args[i + 1..].iter().map(|&b| self.neq(a, b)));
        }
        self.and(all)
    }

    /// `forall bound. body`; the bound symbols are fresh ones of the caller's.
    pub fn forall(&self, bound: &[SymbolId], body: Term) -> Term {
        self.quantify(bound, body, Op::Forall)
    }

    /// `exists bound. body`; the bound symbols are fresh ones of the caller's.
    pub fn exists(&self, bound: &[SymbolId], body: Term) -> Term {
        self.quantify(bound, body, Op::Exists)
    }

    fn quantify(&self, bound: &[SymbolId], body: Term, op: fn(std::rc::Rc<[SymbolId]>) -> Op) -> Term {
        let free = self.symbols(&[body]);
        let used: Vec<SymbolId> = bound.iter().copied().filter(|b| free.contains(b)).collect();
        if used.iter().any(|&b| self.has_array(self.symbol_sort(b))) {
            self.arena.borrow_mut().has_second_order = true;
        }
        // Sorts are never empty, so a quantifier over a symbol that does not occur says nothing.
        if used.is_empty() { body } else { self.make(op(used.into()), &[body], Self::BOOL) }
    }

    /// The array from `bound`'s sort whose value at `bound` is `body`.
    pub fn lambda(&self, bound: SymbolId, body: Term) -> Term {
        let sort = self.array_sort(self.symbol_sort(bound), self.sort_of(body));
        if !self.symbols(&[body]).contains(&bound) {
            return self.const_array(sort, body);
        }
        let n = self.node(body);
        // \i. a[i] is a, if i does not occur in a.
        if n.op == Op::Select
            && self.as_symbol(n.args[1]) == Some(bound)
            && !self.symbols(&[n.args[0]]).contains(&bound)
        {
            return n.args[0];
        }
        self.make(Op::Lambda(bound), &[body], sort)
    }

    /// A tuple.
    pub fn tuple(&self, fields: &[Term]) -> Term {
        let sorts: Vec<_> = fields.iter().map(|&f| self.sort_of(f)).collect();
        let sort = self.tuple_sort(&sorts);
        // (field0 t, field1 t, …) is t.
        if let Some(&first) = fields.first() {
            let n = self.node(first);
            if let (Op::Field(0), Some(&whole)) = (&n.op, n.args.first())
                && self.sort_of(whole) == sort
                && (0..fields.len()).all(|i| self.field(whole, i as u32) == fields[i])
            {
                return whole;
            }
        }
        self.make(Op::Tuple(sort), fields, sort)
    }

    /// A component of a tuple.
    pub fn field(&self, tuple: Term, position: u32) -> Term {
        let n = self.node(tuple);
        match n.op {
            Op::Tuple(_) => n.args[position as usize],
            Op::Ite => {
                let (a, b) = (self.field(n.args[1], position), self.field(n.args[2], position));
                self.ite(n.args[0], a, b)
            }
            _ => {
                let SortKind::Tuple(fields) = self.sort_kind(n.sort) else {
                    unreachable!("component of a term that is no tuple")
                };
                self.make(Op::Field(position), &[tuple], fields[position as usize])
            }
        }
    }
}
