//! Symbolic values: what stands between a B value and terms.
//!
//! A B set is not one kind of term. A [`Form`] keeps as much structure as is known, and is loosened
//! (to a list, an array, a test) only where an operator demands it. Invariants: a value of a couple
//! type is a [`Symbolic::Pair`], one of a record type a [`Symbolic::Record`], one of a set type a
//! [`Symbolic::Set`]; everything else is one term.

mod algebra;
pub(crate) mod carriers;
pub(crate) mod closed;
mod convert;
pub(crate) mod counted;
pub(crate) mod counting;
mod effort;
mod encoded;
pub mod encoder;
mod equality;
mod finiteness;
mod function;
mod membership;
mod reachability;
mod shape;
mod universe;
mod unsupported;

use std::fmt;
use std::rc::Rc;

use bsym_language::types::Type;

pub use encoded::{Encoded, StatePredicate};
pub use shape::Shape;
pub(crate) use universe::Place;
pub use universe::Universe;
pub use unsupported::Unsupported;

use crate::symbolic::encoder::Encoder;
use crate::term::{Term, Terms};

/// A B value made of terms.
#[derive(Clone, Debug)]
pub enum Symbolic {
    /// Numbers, truth values, elements, strings: one term.
    Atom(Term),
    /// A couple.
    Pair(Box<Symbolic>, Box<Symbolic>),
    /// A record, fields sorted by label.
    Record(Vec<(String, Symbolic)>),
    /// A set.
    Set(Rc<Set>),
}

/// A set with the type of its elements.
#[derive(Clone, Debug)]
pub struct Set {
    /// Type of the elements.
    pub element: Type,
    /// The representation.
    pub form: Form,
}

/// A possible element: it belongs to the set if the term holds.
pub type Guarded = (Term, Symbolic);

/// Membership in a set that is only described.
pub type Test = Rc<dyn Fn(&mut Encoder, &Symbolic) -> Result<Term, Unsupported>>;

/// The value of a function that is only described, for arguments in its domain.
pub type Value = Rc<dyn Fn(&mut Encoder, &Symbolic) -> Result<Symbolic, Unsupported>>;

/// Representation of a set.
#[derive(Clone)]
pub enum Form {
    /// Characteristic vector over a universe, which is the whole type where that is small. Nothing
    /// else is in the set.
    Vector(Universe, Vec<Term>),
    /// An array from packed elements to `Bool`.
    Array(Term),
    /// A function over a universe, which is the whole type of arguments where that is small: for
    /// each argument whether it is in the domain, and the value there. Nothing else is in the domain.
    Table(Universe, Vec<Guarded>),
    /// A function: an array for the domain, and one array for each leaf of the value's shape.
    Map {
        /// Set of arguments.
        domain: Term,
        /// Leaves of the value, each an array over the arguments.
        columns: Vec<Term>,
        /// Shape of the value.
        shape: Rc<Shape>,
    },
    /// A sequence: its length, and one array over the integers for each leaf of the value's shape.
    Sequence {
        /// Not negative.
        length: Term,
        /// Leaves of the value at positions `1..length`.
        columns: Vec<Term>,
        /// Shape of the value.
        shape: Rc<Shape>,
    },
    /// Possible elements; several may be equal.
    List(Vec<Guarded>),
    /// Integers between two bounds, both included; without a bound, unbounded.
    Interval(Option<Term>, Option<Term>),
    /// `A * B`
    Product(Rc<Set>, Rc<Set>),
    /// All subsets of a set.
    Power {
        /// The set.
        of: Rc<Set>,
        /// Without the empty set.
        non_empty: bool,
        /// Finite subsets only.
        finite: bool,
    },
    /// `A \/ B` where no better form is known.
    Union(Rc<Set>, Rc<Set>),
    /// `f <+ g` where no better form is known.
    Override(Rc<Set>, Rc<Set>),
    /// Elements that pass a test, and whether the test is false for strays by itself
    /// (see [`carriers`]).
    Where(Test, bool),
    /// A function given by its domain and its value.
    Lambda(Rc<Set>, Value),
}

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Vector(_, bits) => f.debug_tuple("Vector").field(bits).finish(),
            Form::Array(t) => f.debug_tuple("Array").field(t).finish(),
            Form::Table(_, entries) => f.debug_tuple("Table").field(entries).finish(),
            Form::Map { domain, columns, .. } => f.debug_tuple("Map").field(domain).field(columns).finish(),
            Form::Sequence { length, columns, .. } => {
                f.debug_tuple("Sequence").field(length).field(columns).finish()
            }
            Form::List(items) => f.debug_tuple("List").field(items).finish(),
            Form::Interval(a, b) => f.debug_tuple("Interval").field(a).field(b).finish(),
            Form::Product(a, b) => f.debug_tuple("Product").field(a).field(b).finish(),
            Form::Power { of, .. } => f.debug_tuple("Power").field(of).finish(),
            Form::Union(a, b) => f.debug_tuple("Union").field(a).field(b).finish(),
            Form::Override(a, b) => f.debug_tuple("Override").field(a).field(b).finish(),
            Form::Where(..) => f.write_str("Where"),
            Form::Lambda(domain, _) => f.debug_tuple("Lambda").field(domain).finish(),
        }
    }
}

impl Set {
    /// A set in a form.
    pub fn new(element: Type, form: Form) -> Rc<Set> {
        Rc::new(Set { element, form })
    }

    /// The set without elements.
    pub fn empty(element: Type) -> Rc<Set> {
        Set::new(element, Form::List(vec![]))
    }

    /// Types of arguments and values, if it is a set of couples.
    pub fn sides(&self) -> Option<(&Type, &Type)> {
        match &self.element {
            Type::Pair(a, b) => Some((a, b)),
            _ => None,
        }
    }
}

impl Symbolic {
    /// A couple.
    pub fn pair(left: Symbolic, right: Symbolic) -> Symbolic {
        Symbolic::Pair(Box::new(left), Box::new(right))
    }

    /// A set in a form.
    pub fn set(element: Type, form: Form) -> Symbolic {
        Symbolic::Set(Set::new(element, form))
    }

    /// The symbols that the value is made of, where it is a variable's or an input's own value
    /// (as [`Encoder::fresh`] makes it).
    pub fn symbols(&self) -> Vec<Term> {
        self.leaves()
    }

    /// The terms that the value is made of, in the order of its shape's leaves. Sets that are only
    /// described have none.
    pub(crate) fn leaves(&self) -> Vec<Term> {
        let mut all = vec![];
        self.collect(&mut all);
        all
    }

    fn collect(&self, all: &mut Vec<Term>) {
        match self {
            Symbolic::Atom(t) => all.push(*t),
            Symbolic::Pair(a, b) => {
                a.collect(all);
                b.collect(all);
            }
            Symbolic::Record(fields) => fields.iter().for_each(|(_, v)| v.collect(all)),
            Symbolic::Set(set) => match &set.form {
                Form::Vector(_, bits) => all.extend(bits),
                Form::Array(t) => all.push(*t),
                Form::Table(_, entries) if is_total(entries) => {
                    entries.iter().for_each(|(_, value)| value.collect(all));
                }
                Form::Table(_, entries) | Form::List(entries) => {
                    for (bit, value) in entries {
                        all.push(*bit);
                        value.collect(all);
                    }
                }
                Form::Map { domain: first, columns, .. } | Form::Sequence { length: first, columns, .. } => {
                    all.push(*first);
                    all.extend(columns);
                }
                _ => {}
            },
        }
    }
}

/// Returns whether every argument of a table is in the domain, whatever the values of symbols.
pub(crate) fn is_total(entries: &[Guarded]) -> bool {
    entries.iter().all(|(bit, _)| *bit == Terms::TRUE)
}
