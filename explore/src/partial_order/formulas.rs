//! Static analysis of formulas without a state: the values of closed expressions, the locations that a formula reads,
//! and the conditions about one location only.

use std::collections::BTreeSet;

use bsym_language::model::truth::Mentions;
use bsym_language::model::{BinaryOp, CompareOp, Expr, ExprKind, Pred, PredKind, UnaryOp, VarId};
use bsym_language::types::Type;
use bsym_language::walk::{Names, Visitor, walk_expr, walk_pred};
use bsym_semantics::error::EvalErrorKind;
use bsym_semantics::evaluator::Evaluator;
use bsym_semantics::value::Value;
use bsym_semantics::value::env::Env;

use super::location::{Content, Location};

use crate::tuning::tuning;

/// Evaluates formulas that need no state.
#[derive(Clone, Copy)]
pub struct Formulas<'a, 'm> {
    /// The reference evaluator.
    pub eval: &'a Evaluator<'m>,
    /// The values of the constants, if there is only one valuation.
    pub constants: Option<&'a [Value]>,
}

/// A condition about one location.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The location.
    pub at: Location,
    /// The truth value that the test must have.
    pub positive: bool,
    /// The test.
    pub test: Test,
}

/// A test of the value at a location.
#[derive(Clone, Debug)]
pub enum Test {
    /// A comparison with a value.
    Compare(CompareOp, Value),
    /// Being an element of a set.
    Member(Value),
    /// For a part of a set: the element is in the set.
    Present,
}

/// The result of evaluating an expression in a state.
pub enum Evaluated {
    /// It has this value.
    Value(Value),
    /// It has no value.
    IllDefined,
    /// The result is not known.
    Unknown,
}

impl Formulas<'_, '_> {
    /// The value of an expression that mentions no variable and no local.
    pub fn value(&self, e: &Expr) -> Option<Value> {
        match &e.kind {
            ExprKind::Integer(_) | ExprKind::Bool(_) | ExprKind::Element(..) | ExprKind::EmptySet => {}
            ExprKind::Var(_) | ExprKind::Local(_) | ExprKind::Old(_) => return None,
            _ => {
                let mut mentions = Mentions { names: false, externals: false };
                mentions.expr(e);
                let names = if mentions.names { Names::of_expr(e) } else { Names::default() };
                let open = !names.variables.is_empty() || !names.locals.is_empty();
                if open || mentions.externals || !names.constants.is_empty() && self.constants.is_none() {
                    return None;
                }
            }
        }
        let env = Env::new(self.constants.unwrap_or_default(), &[]);
        self.eval.expr(&env, e).ok()
    }

    /// The value of an expression in a state of which only the contents of these locations are known.
    pub fn value_in(&self, state: &[(&Location, Content)], e: &Expr) -> Evaluated {
        let mut mentions = Mentions { names: false, externals: false };
        mentions.expr(e);
        let needs = !Names::of_expr(e).constants.is_empty() && self.constants.is_none();
        let Some(values) = self.state(state).filter(|_| !mentions.externals && !needs) else {
            return Evaluated::Unknown;
        };
        let env = Env::new(self.constants.unwrap_or_default(), &values);
        match self.eval.expr(&env, e) {
            Ok(value) if !value.has_lazy() => Evaluated::Value(value),
            Err(error) if error.kind == EvalErrorKind::IllDefined => Evaluated::IllDefined,
            _ => Evaluated::Unknown,
        }
    }

    /// A state with these contents.
    fn state(&self, contents: &[(&Location, Content)]) -> Option<Vec<Value>> {
        let variables = &self.eval.model.variables;
        let mut values = vec![Value::empty(); variables.len()];
        for (at, content) in contents {
            let slot = &mut values[at.variable.index()];
            let Some(part) = &at.part else {
                *slot = content.clone()?;
                continue;
            };
            let is_relation = variables[at.variable.index()].ty.as_relation().is_some();
            let element = match content {
                Some(image) if is_relation => Some(Value::pair(part.clone(), image.clone())),
                Some(present) => (*present == Value::Bool(true)).then(|| part.clone()),
                None => None,
            };
            let parts = slot.as_set()?.iter().cloned().chain(element);
            *slot = Value::set(parts);
        }
        Some(values)
    }

    /// The elements of a set that needs no state, if they are few.
    pub fn elements(&self, e: &Expr) -> Option<BTreeSet<Value>> {
        self.listed(&self.value(e)?)
    }

    /// The elements of a set, if they are few.
    pub fn listed(&self, set: &Value) -> Option<BTreeSet<Value>> {
        let set = match set {
            Value::Set(set) => set.clone(),
            other => self.eval.list(other, Default::default()).ok()?,
        };
        (set.len() <= tuning().partial_order.listed && set.iter().all(|v| !v.has_lazy()))
            .then(|| (*set).clone())
    }

    /// The locations that an expression reads.
    pub fn reads_of_expr(&self, e: &Expr) -> BTreeSet<Location> {
        let mut reader = Reader { formulas: self, reads: BTreeSet::new() };
        reader.expr(e);
        reader.reads
    }

    /// The locations that a predicate reads.
    pub fn reads_of_pred(&self, p: &Pred) -> BTreeSet<Location> {
        let mut reader = Reader { formulas: self, reads: BTreeSet::new() };
        reader.pred(p);
        reader.reads
    }

    /// The location whose value an expression is.
    fn term(&self, e: &Expr) -> Option<Location> {
        match &e.kind {
            ExprKind::Var(v) => Some(Location::whole(*v)),
            ExprKind::Apply(f, x) => Some(Location::part(variable(f)?, self.value(x)?)),
            _ => None,
        }
    }

    /// The condition that a literal stands for, if it is about one location.
    pub fn condition(&self, positive: bool, pred: &Pred) -> Option<Condition> {
        let PredKind::Compare(op, a, b) = &pred.kind else { return None };
        let (op, positive) = match op {
            CompareOp::NotEqual => (CompareOp::Equal, !positive),
            CompareOp::NotMember => (CompareOp::Member, !positive),
            op => (*op, positive),
        };
        if op == CompareOp::Member {
            if let Some(at) = self.element(a, b) {
                return Some(Condition { at, positive, test: Test::Present });
            }
            return Some(Condition { at: self.term(a)?, positive, test: Test::Member(self.value(b)?) });
        }
        if let (Some(at), Some(value)) = (self.term(a), self.value(b)) {
            return Some(Condition { at, positive, test: Test::Compare(op, value) });
        }
        let (at, value) = (self.term(b)?, self.value(a)?);
        Some(Condition { at, positive, test: Test::Compare(op.mirrored()?, value) })
    }

    /// The part of a set variable that determines whether something is an element.
    fn element(&self, x: &Expr, set: &Expr) -> Option<Location> {
        let variable = variable(set)?;
        if set.ty.as_relation().is_some() {
            return None;
        }
        Some(Location::part(variable, self.value(x)?))
    }

    /// Returns whether a value at its location makes a condition true.
    pub fn allows(&self, condition: &Condition, value: &Value) -> Option<bool> {
        let truth = match &condition.test {
            Test::Present => *value == Value::Bool(true),
            Test::Member(set) => self.eval.member(value, set, Default::default()).ok()?,
            Test::Compare(..) if value.has_lazy() => return None,
            Test::Compare(CompareOp::Equal, other) if !other.has_lazy() => value == other,
            Test::Compare(op, other) => {
                let (a, b) = (value.as_int()?, other.as_int()?);
                match op {
                    CompareOp::Less => a < b,
                    CompareOp::LessEqual => a <= b,
                    CompareOp::Greater => a > b,
                    CompareOp::GreaterEqual => a >= b,
                    _ => return None,
                }
            }
        };
        Some(truth == condition.positive)
    }

    /// All values that a condition allows, if they are few.
    pub fn allowed(&self, condition: &Condition) -> Option<BTreeSet<Value>> {
        match (&condition.test, condition.positive) {
            (Test::Present, positive) => Some(BTreeSet::from([Value::Bool(positive)])),
            (Test::Compare(CompareOp::Equal, Value::Bool(b)), positive) => {
                Some(BTreeSet::from([Value::Bool(*b == positive)]))
            }
            (Test::Compare(CompareOp::Equal, value), true) if !value.has_lazy() => {
                Some(BTreeSet::from([value.clone()]))
            }
            (Test::Member(set), true) => self.listed(set),
            _ => None,
        }
    }

    /// Returns whether a condition stays true if the integer grows (`up`), or if it gets smaller.
    pub fn is_kept(&self, condition: &Condition, up: bool) -> bool {
        use CompareOp::{Greater, GreaterEqual, Less, LessEqual};
        match &condition.test {
            Test::Compare(Greater | GreaterEqual, _) => condition.positive == up,
            Test::Compare(Less | LessEqual, _) => condition.positive != up,
            // An interval without an end, as NATURAL.
            Test::Member(set) if condition.positive && up => self.is_upward(set),
            _ => false,
        }
    }

    fn is_upward(&self, set: &Value) -> bool {
        use bsym_language::model::BuiltinSet::{Integer, Natural, Natural1};
        let natural = |set| {
            let e = ExprKind::Set(set).typed(Type::pow(Type::Int), Default::default());
            self.value(&e)
        };
        [Integer, Natural, Natural1].into_iter().any(|all| natural(all).as_ref() == Some(set))
    }
}

/// The variable that an expression is.
pub fn variable(e: &Expr) -> Option<VarId> {
    match e.kind {
        ExprKind::Var(v) => Some(v),
        _ => None,
    }
}

struct Reader<'r, 'a, 'm> {
    formulas: &'r Formulas<'a, 'm>,
    reads: BTreeSet<Location>,
}

impl Reader<'_, '_, '_> {
    /// Adds the locations that `x : set` reads.
    fn membership(&mut self, x: &Expr, set: &Expr) {
        match &set.kind {
            ExprKind::Binary(BinaryOp::Union | BinaryOp::Intersection | BinaryOp::Difference, a, b) => {
                self.membership(x, a);
                self.membership(x, b);
            }
            ExprKind::Unary(UnaryOp::Dom, f) => match (variable(f), self.formulas.value(x)) {
                (Some(v), Some(x)) => self.add(v, x),
                _ => self.both(x, set),
            },
            ExprKind::Var(v) if set.ty.as_relation().is_some() => {
                let first = match &x.kind {
                    ExprKind::Binary(BinaryOp::Maplet, a, _) => self.formulas.value(a),
                    _ => self.formulas.value(x).and_then(|x| Some(x.as_pair()?.0.clone())),
                };
                match first {
                    Some(first) => {
                        self.add(*v, first);
                        self.expr(x);
                    }
                    None => self.both(x, set),
                }
            }
            ExprKind::Var(v) => match self.formulas.value(x) {
                Some(x) => self.add(*v, x),
                None => self.both(x, set),
            },
            _ => self.both(x, set),
        }
    }

    fn add(&mut self, variable: VarId, element: Value) {
        // A lazy value has no unique form, so it cannot be told apart from other elements.
        let location =
            if element.has_lazy() { Location::whole(variable) } else { Location::part(variable, element) };
        self.reads.insert(location);
    }

    fn both(&mut self, a: &Expr, b: &Expr) {
        self.expr(a);
        self.expr(b);
    }
}

impl Visitor for Reader<'_, '_, '_> {
    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Var(v) | ExprKind::Old(v) => {
                self.reads.insert(Location::whole(*v));
            }
            ExprKind::Apply(f, x) => match (variable(f), self.formulas.value(x)) {
                (Some(v), Some(x)) => self.add(v, x),
                _ => walk_expr(self, e),
            },
            ExprKind::Binary(BinaryOp::Image, r, set) => match (variable(r), self.formulas.elements(set)) {
                (Some(v), Some(set)) => set.into_iter().for_each(|x| self.add(v, x)),
                _ => walk_expr(self, e),
            },
            _ => walk_expr(self, e),
        }
    }

    fn pred(&mut self, p: &Pred) {
        match &p.kind {
            PredKind::Compare(CompareOp::Member | CompareOp::NotMember, x, set) => self.membership(x, set),
            _ => walk_pred(self, p),
        }
    }
}
