//! Sums that no event changes: the place invariants of machines that count.
//!
//! Where every event adds fixed numbers to some integer variables, a weighted sum whose weights are
//! orthogonal to all these additions keeps the value it has at the start.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::model::paths::{Demand, Path, Walker};
use bsym_language::model::*;
use bsym_language::types::Type;
use bsym_language::walk::Names;

use super::linear::{equation, null_space};

use crate::tuning::tuning;

/// Numbers that one path through an event adds to the variables it writes; `None` if that is no fixed number.
type Effect = BTreeMap<VarId, Option<i64>>;

/// `Σ c·x = n` for a basis of the weights c.
pub fn sums(model: &Model) -> Vec<Pred> {
    conserved(model).unwrap_or_default()
}

/// `None` if numbers get too large.
fn conserved(model: &Model) -> Option<Vec<Pred>> {
    let initial = initial_values(&model.initialisation);
    let events = (0..model.events.len() as u32).map(EventId);
    let effects: BTreeSet<Effect> = events.flat_map(|e| effects(model, e)).collect();
    let fixed = |v: &VarId| effects.iter().all(|e| !matches!(e.get(v), Some(None)));
    let columns: Vec<VarId> = initial.keys().copied().filter(fixed).collect();
    if columns.len() > tuning().invariants.conserved_variables {
        return None;
    }
    let rows = effects
        .iter()
        .map(|e| columns.iter().map(|v| i128::from(e.get(v).copied().flatten().unwrap_or(0))).collect())
        .collect();
    let mut found = vec![];
    for weights in null_space(rows, columns.len())? {
        let mut value = Value::default();
        let mut sum = vec![];
        for (&v, &weight) in columns.iter().zip(&weights) {
            let weight = i64::try_from(weight).ok()?;
            value = value.plus(weight, &initial[&v])?;
            sum.push((ExprKind::Var(v), weight));
        }
        for (c, n) in value.constants {
            sum.push((ExprKind::Const(c), n.checked_neg()?));
        }
        found.extend(equation(sum, value.number));
    }
    Some(found)
}

/// A sum of multiples of constants and a number.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Value {
    constants: BTreeMap<ConstId, i64>,
    number: i64,
}

impl Value {
    fn plus(mut self, factor: i64, other: &Value) -> Option<Value> {
        self.number = self.number.checked_add(factor.checked_mul(other.number)?)?;
        for (&c, &n) in &other.constants {
            let sum = self.constants.entry(c).or_default();
            *sum = sum.checked_add(factor.checked_mul(n)?)?;
        }
        Some(self)
    }

    /// Reads an expression as a sum of constants and a number, if it is of that form.
    fn of(e: &Expr) -> Option<Value> {
        match &e.kind {
            ExprKind::Const(c) if e.ty == Type::Int => Some(Value { constants: [(*c, 1)].into(), number: 0 }),
            ExprKind::Binary(BinaryOp::Add, a, b) => Value::of(a)?.plus(1, &Value::of(b)?),
            ExprKind::Binary(BinaryOp::Subtract, a, b) => Value::of(a)?.plus(-1, &Value::of(b)?),
            _ => Some(Value { constants: BTreeMap::new(), number: literal(e)? }),
        }
    }
}

fn literal(e: &Expr) -> Option<i64> {
    match &e.kind {
        ExprKind::Integer(n) => n.to_i64(),
        _ => None,
    }
}

/// The variables that the initialisation sets to a number or a sum of constants, once and on every way.
fn initial_values(s: &Subst) -> BTreeMap<VarId, Value> {
    match &s.kind {
        SubstKind::Assign(all) => all
            .iter()
            .filter_map(|(target, e)| match target {
                Target::Var(v) => Some((*v, Value::of(e)?)),
                Target::Local(_) => None,
            })
            .collect(),
        SubstKind::Parallel(all) => all.iter().flat_map(initial_values).collect(),
        _ => BTreeMap::new(),
    }
}

/// Returns the effects of the paths through an event.
fn effects(model: &Model, event: EventId) -> Vec<Effect> {
    let first = LocalId(model.locals.len() as u32);
    let mut demand = |_: &Path, _: Demand, _: &Pred| {};
    match Walker::new(model, tuning().invariants.conserved_paths, first, &mut demand)
        .event(Some(event), Path::default())
    {
        Ok(paths) => paths
            .iter()
            .map(|path| path.values.variables.iter().map(|(&v, e)| (v, added(v, e))).collect())
            .collect(),
        Err(_) => {
            let written = Names::of_subst(&model.events[event.index()].body).written;
            vec![written.into_iter().map(|v| (v, None)).collect()]
        }
    }
}

/// n, if the expression is `v + n`.
fn added(v: VarId, e: &Expr) -> Option<i64> {
    match &e.kind {
        ExprKind::Var(w) if *w == v => Some(0),
        ExprKind::Binary(BinaryOp::Add, a, b) => match (literal(a), literal(b)) {
            (_, Some(n)) => added(v, a)?.checked_add(n),
            (Some(n), _) => added(v, b)?.checked_add(n),
            _ => None,
        },
        ExprKind::Binary(BinaryOp::Subtract, a, b) => added(v, a)?.checked_sub(literal(b)?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(initial: &str, events: &str, expected: &[&str]) {
        let text = format!(
            "MACHINE M VARIABLES a, b, c INVARIANT a : INTEGER & b : INTEGER & c : INTEGER
            INITIALISATION {initial} OPERATIONS {events} END"
        );
        let model = bsym_language::load::load_text("M.mch", &text).model.unwrap();
        let found: Vec<String> = sums(&model).iter().map(|p| bsym_language::print::pred(&model, p)).collect();
        assert_eq!(found, expected, "{events}");
    }

    #[test]
    fn what_moves_between_variables_is_conserved() {
        let start = "a, b, c := 3, 0, 0";
        check(
            start,
            "go = BEGIN a := a - 1 || b := b + 1 END; on = BEGIN b := b - 1 || c := 1 + c END",
            &["a + b + c = 3"],
        );
        check(start, "go = BEGIN a := a - 2 || b := b + 1 END", &["a + 2 * b = 3", "c = 0"]);
        check(start, "go = BEGIN a := a + 1 || b := b + 1 END; no = skip", &["a = b + 3", "c = 0"]);
        check(
            start,
            "go = BEGIN a := a - 1; b := b + 1; a := a - 1; b := 1 + b END",
            &["a + b = 3", "c = 0"],
        );
        check(start, "go(n) = PRE n : NAT THEN a := a - n || b := b + 1 END; on = c := a", &[]);
        check(start, "go = IF a > b THEN a := a - 1 ; b := b + 1 ELSE c := c + 1 END", &["a + b = 3"]);
    }

    #[test]
    fn the_start_may_be_a_sum_of_constants() {
        let text = "MACHINE M CONSTANTS n, m PROPERTIES n : NATURAL & m : NATURAL VARIABLES a, b
            INVARIANT a : INTEGER & b : INTEGER INITIALISATION a, b := n, n + m - 1
            OPERATIONS down = BEGIN a := a - 1 || b := b - 1 END END";
        let model = bsym_language::load::load_text("M.mch", text).model.unwrap();
        let found: Vec<String> = sums(&model).iter().map(|p| bsym_language::print::pred(&model, p)).collect();
        assert_eq!(found, ["a + m = b + 1"]);
    }

    #[test]
    fn what_is_not_a_fixed_number_is_left_out() {
        check("a, b, c := 1, 0, 0", "go = BEGIN a := a + b || b := 5 END", &["c = 0"]);
        check("a, b :: NAT * NAT || c := 2", "go = skip", &["c = 2"]);
        check("a, b, c := 1, 0, 0", "go = BEGIN a := a + 1 || b := b - 1 || c :: NAT END", &["a + b = 1"]);
    }
}
