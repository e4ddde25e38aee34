//! Solver terms: hash-consed, sorted, simplified on construction.
//!
//! One term language serves Z3 and SMT-LIB text. There are no functions, only arrays: a Skolem
//! function is an array constant, so a term's symbols are all there is to rename when it is moved
//! to another step. Bound symbols are globally fresh, so substitution cannot capture.

mod arithmetic;
mod arrays;
mod boolean;
mod instantiate;
mod read_only;
mod substitute;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use bsym_language::int::Int;
use num_rational::BigRational;
use rustc_hash::{FxHashMap, FxHashSet};

pub use instantiate::Instances;
pub use read_only::ReadOnly;
pub use substitute::Substitution;

/// A term, cheap to copy; equal terms are the same term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(u32);

/// A sort, cheap to copy; equal sorts are the same sort.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sort(u32);

/// The structure of a sort.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SortKind {
    /// Truth values.
    Bool,
    /// Unbounded integers.
    Int,
    /// Reals.
    Real,
    /// A finite sort with named, distinct elements.
    Enum(Rc<str>, Rc<[Rc<str>]>),
    /// A non-empty sort of any size. As the sort of a carrier it is only a universe that the carrier is a
    /// part of: see [`carriers`](crate::symbolic::carriers).
    Uninterpreted(Rc<str>),
    /// Arrays from the first sort to the second. A set is an array to `Bool`.
    Array(Sort, Sort),
    /// Tuples.
    Tuple(Rc<[Sort]>),
}

/// A constant symbol's index in its [`Terms`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SymbolId(pub u32);

/// Operator that a term applies to its arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Op {
    True,
    False,
    Int(Int),
    Real(Rc<BigRational>),
    /// A free or bound constant.
    Symbol(SymbolId),
    /// An element of an enumeration sort, by position.
    Constructor(Sort, u32),
    Not,
    And,
    Or,
    Ite,
    Eq,
    Add,
    Mul,
    /// SMT-LIB `div` (Euclidean); the divisor is not zero wherever the term matters.
    Div,
    /// SMT-LIB `mod`.
    Mod,
    /// Division of reals.
    RealDiv,
    Le,
    Lt,
    ToReal,
    /// SMT-LIB `to_int`.
    Floor,
    /// `select(array, index)`
    Select,
    /// `store(array, index, value)`
    Store,
    /// The array of this sort with one value everywhere.
    ConstArray(Sort),
    /// Point-wise `or` of two sets.
    SetUnion,
    /// Point-wise `and` of two sets.
    SetInter,
    /// Point-wise `and not` of two sets.
    SetMinus,
    /// Point-wise `not` of a set.
    SetComplement,
    /// Point-wise `ite(mask, a, b)` of a set and two arrays.
    ArrayIte,
    /// A tuple of this sort.
    Tuple(Sort),
    /// A component of a tuple.
    Field(u32),
    /// The body under a universal quantifier.
    Forall(Rc<[SymbolId]>),
    /// The body under an existential quantifier.
    Exists(Rc<[SymbolId]>),
    /// The array whose value at the bound index is the body.
    Lambda(SymbolId),
}

impl Op {
    /// Returns whether the operator makes an array index by index from others.
    fn is_pointwise(&self) -> bool {
        matches!(
            self,
            Op::SetUnion | Op::SetInter | Op::SetMinus | Op::SetComplement | Op::ArrayIte | Op::Lambda(_)
        )
    }
}

/// A term's operator, arguments and sort.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    /// Operator.
    pub op: Op,
    /// Arguments.
    pub args: Rc<[Term]>,
    /// Sort.
    pub sort: Sort,
}

#[derive(Default)]
struct Arena {
    nodes: Vec<Node>,
    by_node: FxHashMap<Node, Term>,
    sorts: Vec<SortKind>,
    by_sort: FxHashMap<SortKind, Sort>,
    symbols: Vec<(Rc<str>, Sort)>,
    by_name: FxHashMap<Rc<str>, SymbolId>,
    rigid: FxHashSet<SymbolId>,
    /// There is a point-wise choice between arrays that are no sets.
    has_choices: bool,
    /// Some quantifier ranges over sets or functions.
    has_second_order: bool,
    /// There is a point-wise operator on arrays with finitely many indices.
    has_finite_pointwise: bool,
}

/// The table of all terms, sorts and symbols.
pub struct Terms {
    arena: RefCell<Arena>,
    work: Cell<u64>,
    /// The work that [`Terms::untold_work`] has returned.
    told: Cell<u64>,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Terms {
    /// An empty table.
    pub fn new() -> Self {
        let terms = Terms { arena: RefCell::default(), work: Cell::new(0), told: Cell::new(0) };
        // Fixed positions, so that the basic sorts need no look-up.
        terms.sort(SortKind::Bool);
        terms.sort(SortKind::Int);
        terms.sort(SortKind::Real);
        terms.make(Op::True, &[], Self::BOOL);
        terms.make(Op::False, &[], Self::BOOL);
        terms
    }

    /// Sort of truth values.
    pub const BOOL: Sort = Sort(0);
    /// Sort of integers.
    pub const INT: Sort = Sort(1);
    /// Sort of reals.
    pub const REAL: Sort = Sort(2);
    /// `true`
    pub const TRUE: Term = Term(0);
    /// `false`
    pub const FALSE: Term = Term(1);

    /// The sort with this structure.
    pub fn sort(&self, kind: SortKind) -> Sort {
        let mut a = self.arena.borrow_mut();
        if let Some(&s) = a.by_sort.get(&kind) {
            return s;
        }
        let s = Sort(a.sorts.len() as u32);
        a.sorts.push(kind.clone());
        a.by_sort.insert(kind, s);
        s
    }

    /// Arrays from `index` to `value`.
    pub fn array_sort(&self, index: Sort, value: Sort) -> Sort {
        self.sort(SortKind::Array(index, value))
    }

    /// Sets of `element`.
    pub fn set_sort(&self, element: Sort) -> Sort {
        self.array_sort(element, Self::BOOL)
    }

    /// Tuples of `fields`.
    pub fn tuple_sort(&self, fields: &[Sort]) -> Sort {
        self.sort(SortKind::Tuple(fields.into()))
    }

    /// The structure of a sort.
    pub fn sort_kind(&self, sort: Sort) -> SortKind {
        self.arena.borrow().sorts[sort.0 as usize].clone()
    }

    /// The sort of a term.
    pub fn sort_of(&self, t: Term) -> Sort {
        self.arena.borrow().nodes[t.0 as usize].sort
    }

    /// A term's operator, arguments and sort.
    pub fn node(&self, t: Term) -> Node {
        self.work.set(self.work.get() + 1);
        self.arena.borrow().nodes[t.0 as usize].clone()
    }

    /// Returns whether a point-wise choice ([`Op::ArrayIte`]) between arrays that are no sets was ever made.
    pub fn has_choices(&self) -> bool {
        self.arena.borrow().has_choices
    }

    /// Returns whether a quantifier over sets or functions was ever made.
    pub fn has_second_order(&self) -> bool {
        self.arena.borrow().has_second_order
    }

    /// Returns whether a point-wise operator on arrays with finitely many indices was ever made.
    pub fn has_finite_pointwise(&self) -> bool {
        self.arena.borrow().has_finite_pointwise
    }

    /// Number of terms made so far.
    pub fn len(&self) -> usize {
        self.arena.borrow().nodes.len()
    }

    /// Returns the amount of work done so far: terms looked at and made, with their arguments. It is the same on every
    /// machine.
    pub fn work(&self) -> u64 {
        self.work.get()
    }

    /// Returns the [work](Terms::work) since the last call of this function.
    pub fn untold_work(&self) -> u64 {
        self.work() - self.told.replace(self.work())
    }

    /// Returns whether there is no term; never true, `true` and `false` are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The symbol of this name.
    ///
    /// # Panics
    /// If the name is already used with another sort: two parts of bsym disagree about a symbol.
    pub fn symbol(&self, name: &str, sort: Sort) -> Term {
        let known = self.arena.borrow().by_name.get(name).copied();
        let id = match known {
            Some(id) => {
                assert_eq!(self.symbol_sort(id), sort, "symbol {name} is used with two sorts");
                id
            }
            None => {
                let mut a = self.arena.borrow_mut();
                let id = SymbolId(a.symbols.len() as u32);
                let name: Rc<str> = name.into();
                a.symbols.push((name.clone(), sort));
                a.by_name.insert(name, id);
                id
            }
        };
        self.make(Op::Symbol(id), &[], sort)
    }

    /// Returns `base`, or `base (2)`, `base (3)` and so on: the first name under which every symbol of `columns`, whose
    /// names follow it, is either new or of the sort that is asked for.
    ///
    /// Systems that share these terms, such as those of the axioms before a theorem and of all axioms, may know
    /// different things of a constant. Each of them then has symbols of its own for it.
    pub fn name_for<'c>(&self, base: &str, columns: impl Iterator<Item = (&'c str, Sort)> + Clone) -> String {
        let arena = self.arena.borrow();
        let fits = |name: &String| {
            columns.clone().all(|(column, sort)| {
                let known = arena.by_name.get(format!("{name}{column}").as_str());
                known.is_none_or(|id| arena.symbols[id.0 as usize].1 == sort)
            })
        };
        let further = (2..).map(|n| format!("{base} ({n})"));
        std::iter::once(base.to_string()).chain(further).find(fits).expect("there are endlessly many names")
    }

    /// A symbol that belongs to no state and no step, whatever state speaks of it first: what it stands
    /// for never changes. Its name has a space, so that no name of a model is like it.
    pub fn rigid(&self, name: &str, sort: Sort) -> Term {
        debug_assert!(name.contains(' '), "{name} could be a name of a model");
        let term = self.symbol(name, sort);
        if let Some(id) = self.as_symbol(term) {
            self.arena.borrow_mut().rigid.insert(id);
        }
        term
    }

    /// Returns whether a symbol was made by [`rigid`](Self::rigid).
    pub fn is_rigid(&self, id: SymbolId) -> bool {
        self.arena.borrow().rigid.contains(&id)
    }

    /// A symbol that did not exist before; its name starts with `prefix`.
    pub fn fresh(&self, prefix: &str, sort: Sort) -> Term {
        let n = self.arena.borrow().symbols.len();
        self.symbol(&format!("{prefix}!{n}"), sort)
    }

    /// A symbol's name.
    pub fn symbol_name(&self, id: SymbolId) -> Rc<str> {
        self.arena.borrow().symbols[id.0 as usize].0.clone()
    }

    /// A symbol's sort.
    pub fn symbol_sort(&self, id: SymbolId) -> Sort {
        self.arena.borrow().symbols[id.0 as usize].1
    }

    /// The term that a symbol is.
    pub fn symbol_term(&self, id: SymbolId) -> Term {
        self.make(Op::Symbol(id), &[], self.symbol_sort(id))
    }

    /// The symbol that a term is, if it is one.
    pub fn as_symbol(&self, t: Term) -> Option<SymbolId> {
        match self.arena.borrow().nodes[t.0 as usize].op {
            Op::Symbol(id) => Some(id),
            _ => None,
        }
    }

    /// An element of an enumeration sort.
    pub fn constructor(&self, sort: Sort, position: u32) -> Term {
        self.make(Op::Constructor(sort, position), &[], sort)
    }

    /// Makes a term without simplification. For the builders, and for rebuilding a node.
    fn make(&self, op: Op, args: &[Term], sort: Sort) -> Term {
        self.work.set(self.work.get() + 1 + args.len() as u64);
        let node = Node { op, args: args.into(), sort };
        let mut a = self.arena.borrow_mut();
        if let Some(&t) = a.by_node.get(&node) {
            return t;
        }
        let t = Term(a.nodes.len() as u32);
        let is_pointwise = node.op.is_pointwise();
        a.nodes.push(node.clone());
        a.by_node.insert(node, t);
        drop(a);
        if is_pointwise && !self.has_finite_pointwise() && self.has_finite_index(sort) {
            self.arena.borrow_mut().has_finite_pointwise = true;
        }
        t
    }

    /// Applies an operator through its simplifying builder.
    pub fn apply(&self, op: &Op, args: &[Term], sort: Sort) -> Term {
        match op {
            Op::Not => self.not(args[0]),
            Op::And => self.and(args.iter().copied()),
            Op::Or => self.or(args.iter().copied()),
            Op::Ite => self.ite(args[0], args[1], args[2]),
            Op::Eq => self.eq(args[0], args[1]),
            Op::Add => self.add(args.iter().copied()),
            Op::Mul => self.mul(args[0], args[1]),
            Op::Div => self.div(args[0], args[1]),
            Op::Mod => self.modulo(args[0], args[1]),
            Op::RealDiv => self.real_div(args[0], args[1]),
            Op::Le => self.le(args[0], args[1]),
            Op::Lt => self.lt(args[0], args[1]),
            Op::ToReal => self.to_real(args[0]),
            Op::Floor => self.floor(args[0]),
            Op::Select => self.select(args[0], args[1]),
            Op::Store => self.store(args[0], args[1], args[2]),
            Op::ConstArray(_) => self.const_array(sort, args[0]),
            Op::SetUnion => self.set_union(args[0], args[1]),
            Op::SetInter => self.set_inter(args[0], args[1]),
            Op::SetMinus => self.set_minus(args[0], args[1]),
            Op::SetComplement => self.set_complement(args[0]),
            Op::ArrayIte => self.array_ite(args[0], args[1], args[2]),
            Op::Tuple(_) => self.tuple(args),
            Op::Field(i) => self.field(args[0], *i),
            Op::Forall(bound) => self.forall(bound, args[0]),
            Op::Exists(bound) => self.exists(bound, args[0]),
            Op::Lambda(bound) => self.lambda(*bound, args[0]),
            Op::True | Op::False | Op::Int(_) | Op::Real(_) | Op::Symbol(_) | Op::Constructor(..) => {
                self.make(op.clone(), args, sort)
            }
        }
    }

    /// Returns whether the term is a value: a literal, a constructor, or a tuple of values.
    pub fn is_value(&self, t: Term) -> bool {
        let n = self.node(t);
        match n.op {
            Op::True | Op::False | Op::Int(_) | Op::Real(_) | Op::Constructor(..) => true,
            Op::Tuple(_) => n.args.iter().all(|&a| self.is_value(a)),
            _ => false,
        }
    }

    /// Returns whether two terms are known to differ: different values, or tuples that differ somewhere.
    pub fn known_distinct(&self, a: Term, b: Term) -> bool {
        if a == b {
            return false;
        }
        let (na, nb) = (self.node(a), self.node(b));
        match (&na.op, &nb.op) {
            (Op::Tuple(_), Op::Tuple(_)) => {
                na.args.iter().zip(nb.args.iter()).any(|(&x, &y)| self.known_distinct(x, y))
            }
            _ => self.is_value(a) && self.is_value(b),
        }
    }

    /// Number of quantifiers and lambdas in a set of terms, each shared one counted once.
    pub fn quantifiers(&self, roots: &[Term]) -> usize {
        let mut count = 0;
        self.visit(roots, |_, node| {
            count += usize::from(matches!(node.op, Op::Forall(_) | Op::Exists(_) | Op::Lambda(_)));
        });
        count
    }

    /// Returns whether some quantifier in a term ranges over sets or functions.
    pub fn is_of_second_order(&self, t: Term) -> bool {
        let mut found = false;
        self.visit(&[t], |_, node| {
            if let Op::Forall(bound) | Op::Exists(bound) = &node.op {
                found |= bound.iter().any(|&b| self.has_array(self.symbol_sort(b)));
            }
        });
        found
    }

    /// Returns whether a term has a point-wise operator on arrays with finitely many indices in it.
    pub fn is_finite_pointwise(&self, t: Term) -> bool {
        let mut found = false;
        self.visit(&[t], |_, node| found |= node.op.is_pointwise() && self.has_finite_index(node.sort));
        found
    }

    /// Returns whether a sort is one of arrays with finitely many indices.
    pub fn has_finite_index(&self, sort: Sort) -> bool {
        matches!(self.sort_kind(sort), SortKind::Array(index, _) if self.is_finite_sort(index))
    }

    fn is_finite_sort(&self, sort: Sort) -> bool {
        match self.sort_kind(sort) {
            SortKind::Bool | SortKind::Enum(..) => true,
            SortKind::Array(index, value) => self.is_finite_sort(index) && self.is_finite_sort(value),
            SortKind::Tuple(fields) => fields.iter().all(|&f| self.is_finite_sort(f)),
            SortKind::Int | SortKind::Real | SortKind::Uninterpreted(_) => false,
        }
    }

    /// Returns whether values of a sort are arrays or have one in them.
    pub(super) fn has_array(&self, sort: Sort) -> bool {
        match self.sort_kind(sort) {
            SortKind::Array(..) => true,
            SortKind::Tuple(fields) => fields.iter().any(|&f| self.has_array(f)),
            _ => false,
        }
    }

    /// The free symbols of a set of terms, in order of their creation.
    pub fn symbols(&self, roots: &[Term]) -> Vec<SymbolId> {
        let (mut found, mut bound) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
        self.visit(roots, |_, node| match &node.op {
            Op::Symbol(id) => {
                found.insert(*id);
            }
            Op::Forall(b) | Op::Exists(b) => bound.extend(b.iter().copied()),
            Op::Lambda(b) => {
                bound.insert(*b);
            }
            _ => {}
        });
        found.difference(&bound).copied().collect()
    }

    /// Calls `f` for every term below `roots`, arguments first, each term once.
    pub fn visit(&self, roots: &[Term], mut f: impl FnMut(Term, &Node)) {
        let mut seen = FxHashSet::default();
        let mut stack: Vec<(Term, bool)> = roots.iter().rev().map(|&t| (t, false)).collect();
        while let Some((t, ready)) = stack.pop() {
            let node = self.node(t);
            if ready {
                f(t, &node);
            } else if seen.insert(t) {
                stack.push((t, true));
                stack.extend(node.args.iter().rev().filter(|a| !seen.contains(a)).map(|&a| (a, false)));
            }
        }
    }

    /// The sort written out, names and all: equal texts are equal sorts, in any table.
    pub fn sort_text(&self, sort: Sort) -> String {
        match self.sort_kind(sort) {
            SortKind::Bool => "Bool".into(),
            SortKind::Int => "Int".into(),
            SortKind::Real => "Real".into(),
            SortKind::Uninterpreted(name) => format!("{name:?}"),
            SortKind::Enum(name, elements) => format!("{name:?}{elements:?}"),
            SortKind::Array(i, v) => format!("(Array {} {})", self.sort_text(i), self.sort_text(v)),
            SortKind::Tuple(fields) => {
                let fields: Vec<_> = fields.iter().map(|&f| self.sort_text(f)).collect();
                format!("(Tuple {})", fields.join(" "))
            }
        }
    }

    /// The term as an S-expression, for golden tests and logs.
    pub fn text(&self, t: Term) -> String {
        let n = self.node(t);
        let head = match &n.op {
            Op::Int(i) => return i.to_string(),
            Op::Real(r) => return r.to_string(),
            Op::Symbol(id) => return self.symbol_name(*id).to_string(),
            Op::Constructor(s, i) => match self.sort_kind(*s) {
                SortKind::Enum(_, names) => return names[*i as usize].to_string(),
                _ => return format!("#{i}"),
            },
            Op::True => return "true".into(),
            Op::False => return "false".into(),
            Op::Forall(b) | Op::Exists(b) => {
                let names: Vec<_> = b.iter().map(|&s| self.symbol_name(s).to_string()).collect();
                let word = if matches!(n.op, Op::Forall(_)) { "forall" } else { "exists" };
                format!("{word} ({})", names.join(" "))
            }
            Op::Lambda(b) => format!("lambda {}", self.symbol_name(*b)),
            Op::Field(i) => format!("field{i}"),
            Op::Tuple(_) => "tuple".into(),
            Op::ConstArray(_) => "const".into(),
            Op::Eq => "=".into(),
            Op::Add => "+".into(),
            Op::Mul => "*".into(),
            Op::Le => "<=".into(),
            Op::Lt => "<".into(),
            other => format!("{other:?}").to_lowercase(),
        };
        let args: Vec<_> = n.args.iter().map(|&a| self.text(a)).collect();
        format!("({head} {})", args.join(" "))
    }
}

impl fmt::Debug for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Terms({})", self.len())
    }
}
