//! The record of truncated choices: which names took their values from a finite part of infinitely many.
//!
//! In a finite scope a constant, a parameter or a choice that nothing confines to a finite set takes its
//! values from a part of it ([`crate::prob_profile`] says which). What is found so exists; what is not found may
//! exist all the same: every such cut is noted here. Quantifiers and comprehensions are never cut, because
//! their truth would rest on it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use bsym_language::int::Int;
use bsym_language::model::{Model, Variable};
use bsym_language::source::Span;

use crate::error::EvalError;
use crate::value::env::Name;

/// Where a choice was cut.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Whose values were cut.
    pub name: Name,
    /// The part that they were taken from, as B text.
    pub values: String,
}

impl Cut {
    /// Where the name is declared.
    pub fn declaration(&self, model: &Model) -> Span {
        self.variable(model).map_or(Span::default(), |v| v.span)
    }

    fn variable<'m>(&self, model: &'m Model) -> Option<&'m Variable> {
        match self.name {
            Name::Local(l) => model.locals.get(l.index()),
            Name::Const(c) => model.constants.get(c.index()),
            Name::Var(v) | Name::Old(v) => model.variables.get(v.index()),
        }
    }

    /// The name, and what its values were taken from.
    pub fn message(&self, model: &Model) -> String {
        let name = self.variable(model).map_or("?", |v| &v.name);
        format!("the values of `{name}` were taken from {} only", self.values)
    }

    /// The cut as the reason why values may be missing.
    pub fn error(&self, model: &Model) -> EvalError {
        EvalError::too_large(self.declaration(model), self.message(model)).for_want_of([self.name])
    }
}

/// The part of its values that a name was cut to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// All integers that were tried are between these.
    Integers(Int, Int),
    /// A set, as B text.
    Set(String),
    /// A sample of at most so many.
    Sample(usize),
    /// What a conjunct allows that stands behind one that may be ill-defined.
    BehindPartial,
}

/// The cuts that were made, one for each name.
#[derive(Debug, Default)]
pub struct Cuts {
    made: RefCell<BTreeMap<Name, Part>>,
    /// Names that have taken all their values somewhere where a cut would leave some out, because a finder knew them.
    exceeded: RefCell<BTreeSet<Name>>,
    /// Integers that are tried, if they are not those of the scope.
    pub(crate) integers: Option<(Int, Int)>,
}

impl Cuts {
    /// Choices among integers are made between these and not between `MININT` and `MAXINT`. Where they are
    /// confined to others, the first of those are tried.
    pub fn between(low: Int, high: Int) -> Cuts {
        Cuts { integers: Some((low, high)), ..Cuts::default() }
    }

    /// Whether every choice was made among all its values.
    pub fn is_empty(&self) -> bool {
        self.made.borrow().is_empty()
    }

    /// Whether these say no more of the choices than others that were made with a finder: none was cut where the others
    /// have taken all values.
    pub fn agree_with(&self, others: &Cuts) -> bool {
        let exceeded = others.exceeded.borrow();
        (self.is_empty() || !others.is_empty())
            && self.made.borrow().keys().all(|name| !exceeded.contains(name))
    }

    /// Forgets the cuts: what was cut is known otherwise.
    pub fn clear(&self) {
        self.made.borrow_mut().clear();
    }

    /// The names whose values were cut.
    pub fn names(&self) -> BTreeSet<Name> {
        self.made.borrow().keys().copied().collect()
    }

    /// Notes that all values of names were taken, though a search would have cut them.
    pub(crate) fn exceed(&self, names: &[Name]) {
        self.exceeded.borrow_mut().extend(names);
    }

    /// All of them, in the order of the names.
    pub fn list(&self) -> Vec<Cut> {
        let text = |part: &Part| match part {
            Part::Integers(low, high) => format!("{low}..{high}"),
            Part::Set(text) => text.clone(),
            Part::Sample(n) => format!("a sample of {n}"),
            Part::BehindPartial => "what a conjunct behind one that may be ill-defined allows".into(),
        };
        self.made.borrow().iter().map(|(name, part)| Cut { name: *name, values: text(part) }).collect()
    }

    /// Notes a cut that was made before.
    pub fn restore(&self, cut: Cut) {
        self.made.borrow_mut().entry(cut.name).or_insert(Part::Set(cut.values));
    }

    pub(crate) fn note(&self, name: Name, part: Part) {
        let mut cuts = self.made.borrow_mut();
        let Some(known) = cuts.get_mut(&name) else {
            cuts.insert(name, part);
            return;
        };
        match (known, part) {
            (Part::Integers(low, high), Part::Integers(l, h)) => {
                *low = std::mem::replace(low, Int::ZERO).min(l);
                *high = std::mem::replace(high, Int::ZERO).max(h);
            }
            // The smallest part says how little was looked at.
            (known @ Part::Integers(..) | known @ Part::Set(_), part @ Part::Sample(_)) => *known = part,
            _ => {}
        }
    }
}
