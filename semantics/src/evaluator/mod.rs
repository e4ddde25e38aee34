//! The evaluator: the model and scope in which it evaluates formulas, and the limits of an evaluation.
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

/// Limits of an evaluation.
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
        let evaluate = &Tuning::DEFAULT.evaluate;
        Limits { listing: evaluate.listing, rounds: evaluate.rounds, branching: evaluate.branching }
    }
}

/// How a choice takes its values where they are many, or infinitely many.
#[derive(Clone, Copy)]
pub(crate) struct Choosing<'m> {
    /// Record of cut choices: if it is set, a choice among infinitely many values uses a finite part of them and is
    /// noted here.
    pub(crate) cuts: Option<&'m Cuts>,
    /// Refuses a choice among more values than may be listed before it takes any of them.
    pub(crate) refuses: bool,
    /// Largest sample that a choice among more values takes.
    pub(crate) samples: Option<usize>,
    /// Candidates that one search for the values of a choice looks at.
    pub(crate) candidates: usize,
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
    /// Limits of an evaluation.
    pub limits: Limits,
    /// Finds values where enumeration gives up.
    pub finder: Option<&'m dyn ValueFinder>,
    /// How a choice takes its values.
    pub(crate) choosing: Choosing<'m>,
    /// Stops asking the finder once many values were found.
    pub(crate) impatient: bool,
    /// Gives up where neither a limited search nor the finder knows all values, in place of searching to the end.
    pub(crate) gives_up: bool,
    /// Candidates that one search looks at; at most the elements of a listed set.
    pub(crate) candidates: usize,
    /// Largest number of combinations of values for which unknowns are listed by type, without narrowing.
    pub(crate) listed_by_type: Option<usize>,
    /// Flag set from outside that ends an evaluation with [`Interrupted`](crate::error::EvalErrorKind::Interrupted).
    pub interrupt: Option<&'m AtomicBool>,
    /// Deferred sets up to whose element names valuations of the constants are wanted.
    pub(crate) up_to_names: Option<&'m BTreeSet<CarrierId>>,
    /// Bound on the work.
    pub(crate) work: Option<&'m Work>,
    /// Callback asked when the portion of the work is spent: returns whether there is another one.
    pub(crate) go_on: Option<&'m dyn Fn() -> bool>,
    /// Counts which method found the values of unknowns.
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
            choosing: Choosing { cuts: None, refuses: false, samples: None, candidates: usize::MAX },
            impatient: false,
            gives_up: false,
            candidates: limits.listing,
            listed_by_type: None,
            interrupt: None,
            up_to_names: None,
            work: None,
            go_on: None,
            tally: None,
        }
    }

    /// Returns this evaluator with other limits.
    pub fn with_limits(self, limits: Limits) -> Self {
        Evaluator { limits, candidates: limits.listing, ..self }
    }

    /// Returns this evaluator with a limit on branching: it gives up where there are more than `most` transitions from
    /// one state, valuations or initial states, or where finding them takes many more candidates. It gives up at once
    /// where that can be told in advance.
    pub fn listing(self, most: usize) -> Self {
        if most >= self.limits.branching {
            return Evaluator { choosing: Choosing { refuses: true, ..self.choosing }, ..self };
        }
        let limits = Limits { branching: most, ..self.limits };
        let candidates = self.choosing.candidates.min(most * Tuning::DEFAULT.evaluate.candidates);
        let choosing = Choosing { refuses: true, candidates, ..self.choosing };
        Evaluator { impatient: true, choosing, limits, ..self }
    }

    /// Returns an evaluator that searches for nothing where types are small: a binder whose types have at most `most`
    /// combinations of values is judged for each of them. No finder is asked. Where types have more values, or integers
    /// are bound, it searches as before.
    pub fn plain(self, most: usize) -> Self {
        Evaluator { finder: None, listed_by_type: Some(most), ..self }
    }

    /// Returns this evaluator with a finder for values that enumeration cannot reach.
    pub fn with_finder(self, finder: &'m dyn ValueFinder) -> Self {
        Evaluator { finder: Some(finder), ..self }
    }

    /// Returns this evaluator without a finder: it only enumerates.
    pub fn without_finder(self) -> Self {
        Evaluator { finder: None, ..self }
    }

    /// Returns this evaluator with a limit on looking for values: where neither a search of some steps nor the finder
    /// knows all of them, it gives up.
    pub fn without_last_resort(self) -> Self {
        Evaluator { gives_up: self.finder.is_some(), ..self }
    }

    /// Returns this evaluator with a flag that stops it when it is set.
    pub fn with_interrupt(self, interrupt: &'m AtomicBool) -> Self {
        Evaluator { interrupt: Some(interrupt), ..self }
    }

    /// Returns whether the evaluation was asked to stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Returns this evaluator with bounded choices: a choice among infinitely many values uses a finite part of them,
    /// and `cuts` records it.
    pub fn with_bounded_choices(self, cuts: &'m Cuts) -> Self {
        Evaluator { choosing: Choosing { cuts: Some(cuts), ..self.choosing }, ..self }
    }

    /// Returns the record of cut choices, if choices among infinitely many values may use a part of them.
    pub fn cuts(&self) -> Option<&'m Cuts> {
        self.choosing.cuts
    }

    /// Returns this evaluator with unbounded choices: a choice uses all its values, or is an error.
    pub fn with_all_choices(self) -> Self {
        Evaluator { choosing: Choosing { cuts: None, ..self.choosing }, ..self }
    }

    /// Returns this evaluator with a bound on its work: it stops with
    /// [`Interrupted`](crate::error::EvalErrorKind::Interrupted)(crate::error::EvalErrorKind::Interrupted) when the portion of the work is spent.
    pub fn with_work(self, work: &'m Work) -> Self {
        Evaluator { work: Some(work), ..self }
    }

    /// Spends one unit of work.
    ///
    /// # Errors
    /// The evaluation must stop: it is interrupted, or the portion of the work is spent.
    pub(crate) fn proceed(&self, at: Span) -> Eval<()> {
        match self.interrupt {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(EvalError::interrupted(at)),
            _ => self.pay(at),
        }
    }

    /// Spends one unit of work.
    pub(crate) fn pay(&self, at: Span) -> Eval<()> {
        self.spend(1, at)
    }

    /// Spends the work of a value with this many elements.
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
        if let Some(cuts) = self.choosing.cuts {
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
        match text.char_indices().nth(Tuning::DEFAULT.answers.value_letters) {
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

    /// Returns the error for a value that contradicts its type: the model was built by hand, and wrongly.
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

    /// Returns the declaration of a name in the model.
    pub(crate) fn declared(&self, name: Name) -> Option<&'m Variable> {
        match name {
            Name::Local(l) => self.model.locals.get(l.index()),
            Name::Const(ConstId(c)) => self.model.constants.get(c as usize),
            Name::Var(v) | Name::Old(v) => self.model.variables.get(v.index()),
        }
    }
}
