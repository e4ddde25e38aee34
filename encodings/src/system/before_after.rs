//! Before-after predicates: what an event or the initialisation relates, over the symbols of the state before, the
//! inputs and the state after.

use bsym_language::model::{ChoiceId, LocalId, RefinementId, Target};
use bsym_language::source::Span;
use bsym_language::types::Type;

use crate::symbolic::Symbolic;
use crate::term::Term;

/// An event or the initialisation: `relation` over `current`, `inputs` and `next`.
#[derive(Clone, Debug, Default)]
pub struct Transition {
    /// Symbols of parameters, choices and witnesses; new ones for every step.
    pub inputs: Vec<Term>,
    /// The before-after predicate: all guards and choices are met, everything evaluated is
    /// well-defined, and `next` is the state after.
    pub relation: Option<Term>,
    /// Guard over `current` and `inputs`: the step is possible, and the inputs are values of B, so that they may be
    /// quantified (used for deadlock).
    pub guard: Option<Term>,
    /// Failures that are possible on the way, each over `current` and `inputs`: the step is taken up to that point and
    /// fails there. Trivially impossible ones are left out.
    pub failures: Vec<Failure>,
    /// Values of the parameters.
    pub parameters: Vec<(LocalId, Symbolic)>,
    /// Values of the results.
    pub results: Vec<(LocalId, Symbolic)>,
    /// Values of the choices, as in [`Execution::choices`](bsym_semantics::transition::state::Execution), sorted.
    pub choices: Vec<Choice>,
    /// Everything that is assigned or chosen on the way, in the order in which it is met.
    pub assignments: Vec<Assignment>,
    /// Variables that the event may change, by position.
    pub writes: Vec<usize>,
}

/// A value that a name gets in a step: it is assigned, chosen, or handed over as a parameter.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The name.
    pub target: Target,
    /// Place where the name gets the value.
    pub span: Span,
    /// The value.
    pub value: Symbolic,
    /// The execution gets there, and a value that is chosen is one that may be chosen, or its choice fails; with
    /// everything that the inputs satisfy. Over `current` and `inputs`.
    pub reached: Term,
}

/// A non-deterministic choice of a step.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Which one.
    pub id: ChoiceId,
    /// The chosen value.
    pub value: Symbolic,
    /// Type of the value.
    pub ty: Type,
    /// The execution gets to the choice; elsewhere `value` has no meaning.
    pub made: Term,
}

/// A way for a step to fail.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Kind of the failure.
    pub kind: FailureKind,
    /// The expression, assertion or precondition.
    pub span: Span,
    /// The condition under which it fails.
    pub condition: Term,
}

/// Kind of failure of a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FailureKind {
    /// An evaluation is ill-defined.
    IllDefined,
    /// An `ASSERT` is false.
    Assert,
    /// A `PRE` inside a body is false.
    Precondition,
    /// The abstraction cannot follow.
    Refinement(RefinementId),
}
