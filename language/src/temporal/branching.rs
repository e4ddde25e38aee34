//! Formulas of branching time: computation tree logic over predicates of a model and its events.
//!
//! A formula is about a state and the paths that begin there. The paths are those of the linear formulas: infinite ones,
//! and those that end in a state without an enabled event.

use super::Atom;

/// A formula with its propositions.
#[derive(Clone, Debug)]
pub struct Branching {
    /// The formula that every initial state must satisfy.
    pub formula: StateFormula,
    /// The propositions, by number. Those about a step are only in [`StateKind::Next`].
    pub atoms: Vec<Atom>,
    /// Number of formulas that it is made of: their numbers are smaller.
    pub size: usize,
}

/// A formula that is true or false in a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateFormula {
    /// Its operator.
    pub kind: StateKind,
    /// Number of the formula, different from those of all others in the whole.
    pub number: usize,
    /// The part of the text that it was read from, in bytes. Spaces may follow it.
    pub text: (usize, usize),
}

/// An operator with its operands. `every` is `true` for all paths (`A`), and `false` for some path (`E`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StateKind {
    /// Constant truth in every state.
    Constant(bool),
    /// A proposition, by number.
    Atom(usize),
    /// `not`
    Not(Box<StateFormula>),
    /// `&`
    And(Box<StateFormula>, Box<StateFormula>),
    /// `or`
    Or(Box<StateFormula>, Box<StateFormula>),
    /// `EX`, `AX`: after a step, by the action of this proposition if there is one.
    Next {
        /// All steps.
        every: bool,
        /// Number of the proposition [`Atom::Taken`].
        action: Option<usize>,
        /// The formula after the step.
        inner: Box<StateFormula>,
    },
    /// `E f U g`, `A f U g`: the second here or later, and the first until then.
    Until {
        /// All paths.
        every: bool,
        /// The formula until then.
        left: Box<StateFormula>,
        /// The formula in the end.
        right: Box<StateFormula>,
    },
    /// `EG`, `AG`: in all states of a path.
    Globally {
        /// All paths.
        every: bool,
        /// The formula.
        inner: Box<StateFormula>,
    },
}

impl StateFormula {
    /// Returns whether the formula is about other states than the one where it is evaluated.
    pub fn looks_ahead(&self) -> bool {
        match &self.kind {
            StateKind::Constant(_) | StateKind::Atom(_) => false,
            StateKind::Not(a) => a.looks_ahead(),
            StateKind::And(a, b) | StateKind::Or(a, b) => a.looks_ahead() || b.looks_ahead(),
            StateKind::Next { .. } | StateKind::Until { .. } | StateKind::Globally { .. } => true,
        }
    }
}
