//! Sets that are not listed: infinite ones, and finite ones too large to list.
//!
//! A lazy set is an operator, with values as operands, that was not carried out. It can be queried for membership, for
//! the images of a point and, where possible, for its elements; see [`crate::evaluate::set`].

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, Expr, LocalId, Pred, UnaryOp};
use bsym_language::types::{CarrierId, FreeTypeId};

use crate::value::Value;
use crate::value::name::Name;
use crate::value::partial::PartialValue;

/// A set known by its description.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LazySet {
    /// `INTEGER`
    Integers,
    /// All integers from a bound upwards: `NATURAL`, `NATURAL1`
    From(Int),
    /// `low..high`
    Interval(Int, Int),
    /// `STRING`
    Strings,
    /// `REAL`
    Reals,
    /// A deferred set of unsettled size.
    Carrier(CarrierId),
    /// `POW(S)`
    Power(Value),
    /// `succ`
    Succ,
    /// `pred`
    Pred,
    /// `prj1(S, T)`
    Prj1(Value, Value),
    /// `prj2(S, T)`
    Prj2(Value, Value),
    /// `struct(a: S, …)`, labels sorted.
    Struct(Vec<(Arc<str>, Value)>),
    /// `POW1`, `FIN`, `FIN1`, `seq` and its kin, `id`, `~`, `dom`, `ran`, `fnc`, `rel` of a set.
    Unary(UnaryOp, Value),
    /// `S * T`, `S --> T` and its kin, and set and relation operators with an operand that is lazy.
    Binary(BinaryOp, Value, Value),
    /// A free type over the sets of its parameters.
    Free(FreeTypeId, Vec<Value>),
    /// A constructor of a free type over the sets of its parameters, as a function.
    Constructor(FreeTypeId, u32, Vec<Value>),
    /// `tree(S)`, or `btree(S)` if the mark is set; S is not empty.
    Trees(bool, Value),
    /// A comprehension or lambda.
    Closure(Closure),
    /// A relation that is defined by itself: the constant, and the body of its equation.
    Recursive(Name, Closure),
    /// A value that a search is building up. Never a part of a result.
    Partial(PartialValue),
}

/// Kind of the elements of a closure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ClosureKind {
    /// `{x | P}`: the locals as a left-nested couple.
    Comprehension,
    /// `%x.(P|E)`: the locals, then the value of E.
    Lambda,
    /// `{x . P | E}`: the value of E.
    Image,
}

/// A comprehension or lambda with the values of everything that occurs free in it.
#[derive(Clone, Debug)]
pub struct Closure {
    /// The kind of its elements.
    pub kind: ClosureKind,
    /// Bound variables.
    pub locals: Arc<[LocalId]>,
    /// Condition on them.
    pub pred: Arc<Pred>,
    /// E; absent in a comprehension.
    pub body: Option<Arc<Expr>>,
    /// Values of the free names, sorted by name.
    pub captured: Arc<[(Name, Value)]>,
}

impl Ord for Closure {
    fn cmp(&self, other: &Self) -> Ordering {
        // The locals of a binder are its own, so that two closures with the same locals nearly always
        // have the same code; a model that was rewritten may keep locals and change the code.
        (self.kind, &self.locals, &self.captured)
            .cmp(&(other.kind, &other.locals, &other.captured))
            .then_with(|| {
                let same = (Arc::ptr_eq(&self.pred, &other.pred) || self.pred == other.pred)
                    && self.body == other.body;
                if same {
                    return Ordering::Equal;
                }
                let code = |c: &Closure| format!("{:?} {:?}", c.pred, c.body);
                code(self).cmp(&code(other))
            })
    }
}

impl PartialOrd for Closure {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Closure {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Closure {}

impl Hash for Closure {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.kind, &self.locals, &self.captured).hash(state);
    }
}
