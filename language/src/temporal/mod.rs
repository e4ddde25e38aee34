//! Temporal formulas: linear temporal logic with the past, over predicates of a model and its events.
//!
//! - `lexer`: text to tokens, each with its place
//! - `parser`: tokens to a [`Temporal`], in ProB's syntax
//! - [`branching`]: formulas about all and some paths (CTL), which `branching_parser` reads
//!
//! A formula is about the positions of a path: a state, with the event by which it is left. The paths are those that
//! nothing can prolong: infinite ones, and those that end in a state without an enabled event.

pub mod branching;
mod branching_parser;
mod error;
mod lexer;
mod parser;

#[cfg(test)]
mod tests;

use crate::model::{EventId, Expr, Pred};

pub use branching::{Branching, StateFormula, StateKind};
pub use branching_parser::parse_branching;
pub use error::TemporalError;
pub use parser::{Candidates, parse};

/// A formula with its propositions, and the fairness under which it is checked.
#[derive(Clone, Debug)]
pub struct Temporal {
    /// The paths that are considered.
    pub fairness: Fairness,
    /// The formula that they must satisfy.
    pub formula: Formula,
    /// The propositions, by the numbers of [`Formula::Atom`].
    pub atoms: Vec<Atom>,
}

/// A formula at a position of a path: the connectives that the others are written with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// Constant truth at every position.
    Constant(bool),
    /// A proposition, by number.
    Atom(usize),
    /// `not`
    Not(Box<Formula>),
    /// `&`
    And(Box<Formula>, Box<Formula>),
    /// `or`
    Or(Box<Formula>, Box<Formula>),
    /// `X`: there is a next position, and it holds there.
    Next(Box<Formula>),
    /// `U`: the second holds here or later, and the first until then.
    Until(Box<Formula>, Box<Formula>),
    /// `Y`: there is a previous position, and it holds there.
    Yesterday(Box<Formula>),
    /// `S`: the second holds here or held before, and the first since then.
    Since(Box<Formula>, Box<Formula>),
}

#[allow(clippy::should_implement_trait)]
impl Formula {
    /// Returns the negation.
    pub fn not(self) -> Formula {
        match self {
            Formula::Constant(truth) => Formula::Constant(!truth),
            Formula::Not(inner) => *inner,
            other => Formula::Not(Box::new(other)),
        }
    }

    /// Both.
    pub fn and(self, other: Formula) -> Formula {
        match (self, other) {
            (Formula::Constant(true), f) | (f, Formula::Constant(true)) => f,
            (Formula::Constant(false), _) | (_, Formula::Constant(false)) => Formula::Constant(false),
            (a, b) => Formula::And(Box::new(a), Box::new(b)),
        }
    }

    /// One of them, or both.
    pub fn or(self, other: Formula) -> Formula {
        match (self, other) {
            (Formula::Constant(false), f) | (f, Formula::Constant(false)) => f,
            (Formula::Constant(true), _) | (_, Formula::Constant(true)) => Formula::Constant(true),
            (a, b) => Formula::Or(Box::new(a), Box::new(b)),
        }
    }

    /// Returns the formula that the second holds wherever the first does.
    pub fn implies(self, other: Formula) -> Formula {
        self.not().or(other)
    }

    /// At the next position.
    pub fn next(self) -> Formula {
        Formula::Next(Box::new(self))
    }

    /// Returns the formula that the first holds until the second.
    pub fn until(self, other: Formula) -> Formula {
        Formula::Until(Box::new(self), Box::new(other))
    }

    /// The second as long as the first has not been, that position included.
    pub fn release(self, other: Formula) -> Formula {
        self.not().until(other.not()).not()
    }

    /// Here or later.
    pub fn finally(self) -> Formula {
        Formula::Constant(true).until(self)
    }

    /// Here and ever after.
    pub fn globally(self) -> Formula {
        self.not().finally().not()
    }

    /// At the previous position.
    pub fn yesterday(self) -> Formula {
        Formula::Yesterday(Box::new(self))
    }

    /// Returns the formula that the first holds since the second.
    pub fn since(self, other: Formula) -> Formula {
        Formula::Since(Box::new(self), Box::new(other))
    }

    /// Returns the formulas that it is made of directly.
    pub fn parts(&self) -> Vec<&Formula> {
        match self {
            Formula::Constant(_) | Formula::Atom(_) => vec![],
            Formula::Not(a) | Formula::Next(a) | Formula::Yesterday(a) => vec![a],
            Formula::And(a, b) | Formula::Or(a, b) | Formula::Until(a, b) | Formula::Since(a, b) => {
                vec![a, b]
            }
        }
    }

    /// Returns the nesting depth of operators of the past.
    pub fn past_depth(&self) -> usize {
        let inner = self.parts().into_iter().map(Formula::past_depth).max().unwrap_or(0);
        inner + usize::from(matches!(self, Formula::Yesterday(_) | Formula::Since(..)))
    }

    /// Returns whether the formula depends on later positions.
    pub fn looks_ahead(&self) -> bool {
        matches!(self, Formula::Next(_) | Formula::Until(..))
            || self.parts().into_iter().any(Formula::looks_ahead)
    }
}

/// Proposition that holds at a position, independent of others.
#[derive(Clone, Debug)]
pub enum Atom {
    /// `{P}`: of the state.
    Predicate(Pred),
    /// `e(op)`: the action is possible in the state.
    Enabled(Action),
    /// `[op]`: the action by which the path continues.
    Taken(Action),
    /// `BA({P})`: the path continues, and P is true of this state, whose values are `x$0`, and the next.
    Step(Pred),
    /// `deadlock`: no event is enabled.
    Deadlock,
    /// `sink`: no event leads to another state.
    Sink,
}

/// Executions of an event.
#[derive(Clone, Debug)]
pub struct Action {
    /// The event.
    pub event: EventId,
    /// Values of its first parameters, over sets and constants; the others may be any.
    pub arguments: Vec<Expr>,
}

/// The infinite paths that count; of those that end all do.
#[derive(Clone, Debug, Default)]
pub struct Fairness {
    /// `WF(op)`: an action that is possible from some position on is taken again and again.
    pub weak: Vec<Action>,
    /// `SF(op)`: an action that is possible again and again is taken again and again.
    pub strong: Vec<Action>,
    /// `WEF`: weak fairness for every event with each of its parameters' and results' values.
    pub all_weak: bool,
    /// `SEF`: strong fairness for every event with each of its parameters' and results' values.
    pub all_strong: bool,
}

impl Fairness {
    /// Returns whether all paths are considered.
    pub fn is_none(&self) -> bool {
        self.weak.is_empty() && self.strong.is_empty() && !self.all_weak && !self.all_strong
    }
}
