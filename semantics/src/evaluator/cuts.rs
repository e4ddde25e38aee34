//! The record of truncated choices: which names took their values from a finite part of infinitely many.
//!
//! In a finite scope a constant, a parameter or a choice that nothing confines to a finite set takes its values from a
//! part of it ([`crate::prob_profile`] says which). Values that are found exist. Values that are not found may exist
//! too: every such cut is noted here. Quantifiers and comprehensions are never cut, because their truth would rest on
//! it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use bsym_language::int::Int;
use bsym_language::model::{Model, Variable};
use bsym_language::source::Span;

use crate::error::EvalError;
use crate::value::env::Name;

/// A choice that was cut.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The name whose values were cut.
    pub name: Name,
    /// The part from which the values were taken, as B text.
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

    /// Returns a message with the name and the part from which its values were taken.
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
    /// A sample of at most this many values.
    Sample(usize),
    /// Values allowed by a conjunct behind one that may be ill-defined.
    BehindPartial,
}

/// The cuts that were made, one for each name.
#[derive(Debug, Default)]
pub struct Cuts {
    made: RefCell<BTreeMap<Name, Part>>,
    /// Names that took all their values, known to a finder, at a place where a cut would leave some out.
    exceeded: RefCell<BTreeSet<Name>>,
    /// Range of the integers to try, if it is not that of the scope.
    pub(crate) integers: Option<(Int, Int)>,
}

impl Cuts {
    /// Creates a record for choices of integers between `low` and `high` instead of `MININT` and `MAXINT`. Choices
    /// confined to other integers try the first of those.
    pub fn between(low: Int, high: Int) -> Cuts {
        Cuts { integers: Some((low, high)), ..Cuts::default() }
    }

    /// Returns whether every choice used all its values.
    pub fn is_empty(&self) -> bool {
        self.made.borrow().is_empty()
    }

    /// Returns whether these cuts claim no more about the choices than `others`, which were made with a finder: no name
    /// was cut here that took all its values there.
    pub fn agree_with(&self, others: &Cuts) -> bool {
        let exceeded = others.exceeded.borrow();
        (self.is_empty() || !others.is_empty())
            && self.made.borrow().keys().all(|name| !exceeded.contains(name))
    }

    /// Forgets the cuts, because the values are known from elsewhere.
    pub fn clear(&self) {
        self.made.borrow_mut().clear();
    }

    /// The names whose values were cut.
    pub fn names(&self) -> BTreeSet<Name> {
        self.made.borrow().keys().copied().collect()
    }

    /// Notes that names took all their values although a search would have cut them.
    pub(crate) fn exceed(&self, names: &[Name]) {
        self.exceeded.borrow_mut().extend(names);
    }

    /// Returns the cuts in the order of the names.
    pub fn list(&self) -> Vec<Cut> {
        let text = |part: &Part| match part {
            Part::Integers(low, high) => format!("{low}..{high}"),
            Part::Set(text) => text.clone(),
            Part::Sample(n) => format!("a sample of {n}"),
            Part::BehindPartial => "what a conjunct behind one that may be ill-defined allows".into(),
        };
        self.made.borrow().iter().map(|(name, part)| Cut { name: *name, values: text(part) }).collect()
    }

    /// Adds a cut from an earlier run.
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
            // The smallest part tells how few values were tried.
            (known @ Part::Integers(..) | known @ Part::Set(_), part @ Part::Sample(_)) => *known = part,
            _ => {}
        }
    }
}
