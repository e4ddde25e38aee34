//! Symbolic values: what stands between a B value and terms.

use crate::term::Term;

/// A B value made of terms. A set is not one kind of term (DESIGN §6).
#[derive(Clone, Debug)]
pub enum Symbolic {
    /// Numbers, truth values, elements, strings: one term.
    Atom(Term),
    /// A couple.
    Pair(Box<Symbolic>, Box<Symbolic>),
}

impl Symbolic {
    /// The symbols that the value is made of, where it is a variable's or an input's own value.
    pub fn symbols(&self) -> Vec<Term> {
        match self {
            Symbolic::Atom(t) => vec![*t],
            Symbolic::Pair(a, b) => {
                let mut all = a.symbols();
                all.extend(b.symbols());
                all
            }
        }
    }
}
