//! The evaluator: whose formulas it evaluates, in which scope, and what it may spend on them.
//!
//! Its methods stand where their meaning is explained: values and truth in [`crate::evaluate`], the search for
//! values of unknowns in [`crate::constraint`], steps in [`crate::transition`]. They call each other: a quantifier is
//! a search, and a search evaluates the formulas that confine its unknowns.

pub mod cuts;
pub mod finder;
pub(crate) mod free_names;
pub mod interrupt;
pub mod work;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use bsym_language::int::Int;
use bsym_language::model::{ConstId, Model, Variable};
use bsym_language::source::Span;
use bsym_language::tuning::Slower;
use bsym_language::types::CarrierId;

use crate::constraint::methods::Tally;
use crate::error::EvalError;
use crate::evaluator::cuts::{Cuts, Part};
use crate::evaluator::finder::ValueFinder;
use crate::evaluator::work::Work;
use crate::scope::Scope;
use crate::value::Value;
use crate::value::env::Name;
use crate::value::text::value_text;

pub use crate::error::Eval;
use crate::tuning::Tuning;

/// What an evaluation may spend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Elements of one set that is listed, candidates of one quantifier.
    pub listing: usize,
    /// Rounds of one loop.
    pub rounds: usize,
    /// Transitions from one state, valuations of the constants, initial states.
    pub branching: usize,
}

impl Slower for Limits {}

impl Default for Limits {
    fn default() -> Self {
        // A loop ends because its variant does; the bound on its rounds is one on patience.
        Limits { listing: 1 << 20, rounds: 1 << 24, branching: 1 << 20 }
    }
}

/// Evaluates expressions and predicates of one model under one scope.
///
/// It recurses along the trees that it is given, which may be 1,500 levels high: where formulas come
/// from a file, call it inside [`bsym_language::stack::with_large_stack`].
#[derive(Clone, Copy)]
pub struct Evaluator<'m> {
    /// The model whose ids the expressions use.
    pub model: &'m Model,
    /// Sizes of deferred sets, bounds of `INT`.
    pub scope: &'m Scope,
    /// What an evaluation may spend.
    pub limits: Limits,
    /// Finds values where enumeration gives up.
    pub finder: Option<&'m dyn ValueFinder>,
    /// Choices among infinitely many values are made among a finite part of them, and noted here.
    pub(crate) cuts: Option<&'m Cuts>,
    /// Where many values are found soon, nobody else is asked for them.
    pub(crate) impatient: bool,
    /// A choice among more values than may be listed is refused before any of them is taken.
    pub(crate) refuses: bool,
    /// A choice among more values takes a sample of at most so many.
    pub(crate) samples: Option<usize>,
    /// Candidates that one search looks at; at most the elements of a set that is listed.
    pub(crate) candidates: usize,
    /// Candidates that one search for the values of a choice looks at.
    pub(crate) choices: usize,
    /// Unknowns whose types have at most so many combinations of values are listed by type, without narrowing.
    pub(crate) listed_by_type: Option<usize>,
    /// Set from outside, it ends an evaluation with [`EvalErrorKind::Interrupted`].
    pub interrupt: Option<&'m AtomicBool>,
    /// Valuations of the constants are wanted up to the names of the elements of these deferred sets.
    pub(crate) up_to_names: Option<&'m BTreeSet<CarrierId>>,
    /// Bounds the work.
    pub(crate) work: Option<&'m Work>,
    /// Asked where the portion of the work is spent: whether there is another one.
    pub(crate) go_on: Option<&'m dyn Fn() -> bool>,
    /// Counts who found the values of unknowns.
    pub tally: Option<&'m Tally>,
}

impl<'m> Evaluator<'m> {
    /// An evaluator with the default limits.
    pub fn new(model: &'m Model, scope: &'m Scope) -> Self {
        let limits = Limits::default();
        Evaluator {
            model,
            scope,
            limits,
            finder: None,
            cuts: None,
            impatient: false,
            refuses: false,
            samples: None,
            candidates: limits.listing,
            choices: usize::MAX,
            listed_by_type: None,
            interrupt: None,
            up_to_names: None,
            work: None,
            go_on: None,
            tally: None,
        }
    }

    /// The same with other limits.
    pub fn with_limits(self, limits: Limits) -> Self {
        Evaluator { limits, candidates: limits.listing, ..self }
    }

    /// The same, which gives up where there are more than so many transitions from one state, valuations or initial states, or
    /// where finding them takes many more candidates; at once, where that can be told.
    pub fn listing(self, most: usize) -> Self {
        if most >= self.limits.branching {
            return Evaluator { refuses: true, ..self };
        }
        let (limits, choices) = (
            Limits { branching: most, ..self.limits },
            self.choices.min(most * Tuning::DEFAULT.evaluate.candidates),
        );
        Evaluator { impatient: true, refuses: true, choices, limits, ..self }
    }

    /// Returns an evaluator that searches for nothing where types are small: a binder whose types have at most `most`
    /// combinations of values is judged for each of them. No finder is asked. Where types have more values, or integers
    /// are bound, it searches as before.
    pub fn plain(self, most: usize) -> Self {
        Evaluator { finder: None, listed_by_type: Some(most), ..self }
    }

    /// The same with a finder for values that enumeration cannot reach.
    pub fn with_finder(self, finder: &'m dyn ValueFinder) -> Self {
        Evaluator { finder: Some(finder), ..self }
    }

    /// The same, which enumerates and asks nobody else.
    pub fn without_finder(self) -> Self {
        Evaluator { finder: None, ..self }
    }

    /// The same, stopped where the flag is set.
    pub fn with_interrupt(self, interrupt: &'m AtomicBool) -> Self {
        Evaluator { interrupt: Some(interrupt), ..self }
    }

    /// The same, where choices among infinitely many values are made among a finite part of them; the cuts
    /// are noted.
    pub fn with_bounded_choices(self, cuts: &'m Cuts) -> Self {
        Evaluator { cuts: Some(cuts), ..self }
    }

    /// Where cuts of choices are noted, if choices among infinitely many values may be made among a part of them.
    pub fn cuts(&self) -> Option<&'m Cuts> {
        self.cuts
    }

    /// The same, where every choice is made among all values, or is an error.
    pub fn with_all_choices(self) -> Self {
        Evaluator { cuts: None, ..self }
    }

    /// The same, stopped with [`EvalErrorKind::Interrupted`](crate::error::EvalErrorKind::Interrupted) where
    /// the portion of the work is spent.
    pub fn with_work(self, work: &'m Work) -> Self {
        Evaluator { work: Some(work), ..self }
    }

    /// Whether the evaluation may go on.
    pub(crate) fn proceed(&self, at: Span) -> Eval<()> {
        match self.interrupt {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(EvalError::interrupted(at)),
            _ => self.pay(at),
        }
    }

    /// Pays for something small.
    pub(crate) fn pay(&self, at: Span) -> Eval<()> {
        self.spend(1, at)
    }

    /// Pays for a value with so many elements.
    pub(crate) fn pay_elements(&self, elements: usize, at: Span) -> Eval<()> {
        self.spend(1 + elements as u64 / Tuning::DEFAULT.evaluate.elements_of_a_step, at)
    }

    fn spend(&self, units: u64, at: Span) -> Eval<()> {
        match self.work.map_or(Ok(()), |work| work.spend(units, at)) {
            Err(e) if !self.go_on.is_some_and(|go_on| go_on()) => Err(e),
            _ => Ok(()),
        }
    }

    /// Notes a cut.
    pub(crate) fn note(&self, name: Name, part: Part) {
        if let Some(cuts) = self.cuts {
            cuts.note(name, part);
        }
    }

    /// A value as B text.
    pub fn text(&self, value: &Value) -> String {
        value_text(self.model, self.scope, value)
    }

    /// A value as B text, cut where it is long.
    pub(crate) fn short(&self, value: &Value) -> String {
        let text = self.text(value);
        match text.char_indices().nth(120) {
            Some((at, _)) => format!("{}…", &text[..at]),
            None => text,
        }
    }

    /// The name of a constant, variable or local as declared.
    pub(crate) fn name(&self, name: Name) -> &'m str {
        match name {
            Name::Local(l) => self.model.locals.get(l.index()).map_or("?", |v| &v.name),
            Name::Const(c) => self.model.constants.get(c.index()).map_or("?", |v| &v.name),
            Name::Var(v) | Name::Old(v) => self.model.variables.get(v.index()).map_or("?", |v| &v.name),
        }
    }

    /// The error for a value that its type rules out: the model was built by hand, and wrongly.
    pub(crate) fn confused(&self, at: Span) -> EvalError {
        EvalError::unsupported(at, "the value does not have the type of the expression")
    }

    pub(crate) fn int<'v>(&self, v: &'v Value, at: Span) -> Eval<&'v Int> {
        v.as_int().ok_or_else(|| self.confused(at))
    }

    pub(crate) fn real<'v>(&self, v: &'v Value, at: Span) -> Eval<&'v num_rational::BigRational> {
        match v {
            Value::Real(r) => Ok(r),
            _ => Err(self.confused(at)),
        }
    }

    pub(crate) fn pair<'v>(&self, v: &'v Value, at: Span) -> Eval<(&'v Value, &'v Value)> {
        v.as_pair().ok_or_else(|| self.confused(at))
    }

    /// The type of an unknown of a search.
    pub(crate) fn type_of(&self, name: Name) -> Option<&'m bsym_language::types::Type> {
        self.declared(name).map(|v| &v.ty)
    }

    /// What a name is in the model.
    pub(crate) fn declared(&self, name: Name) -> Option<&'m Variable> {
        match name {
            Name::Local(l) => self.model.locals.get(l.index()),
            Name::Const(ConstId(c)) => self.model.constants.get(c as usize),
            Name::Var(v) | Name::Old(v) => self.model.variables.get(v.index()),
        }
    }
}
