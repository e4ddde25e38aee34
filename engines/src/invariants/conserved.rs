//! Sums that no event changes: the place invariants of machines that count.
//!
//! Where every event adds fixed numbers to some integer variables, a weighted sum whose weights are
//! orthogonal to all these additions keeps the value it has at the start.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::model::*;
use bsym_language::types::Type;

use super::linear::{equation, null_space};

/// More variables, or ways through an event, are not looked at.
const MANY: usize = 64;

/// What one way through a substitution adds to each integer variable it writes; `None` if that is no fixed number.
type Effect = BTreeMap<VarId, Option<i64>>;

/// `Σ c·x = n` for a basis of the weights c.
pub fn sums(model: &Model) -> Vec<Pred> {
    conserved(model).unwrap_or_default()
}

/// `None` if numbers get too large.
fn conserved(model: &Model) -> Option<Vec<Pred>> {
    let initial = initial_values(&model.initialisation);
    let effects: BTreeSet<Effect> = model.events.iter().flat_map(|e| effects(&e.body)).collect();
    let fixed = |v: &VarId| effects.iter().all(|e| !matches!(e.get(v), Some(None)));
    let columns: Vec<VarId> = initial.keys().copied().filter(fixed).collect();
    if columns.len() > MANY {
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

    /// What an expression over constants is, if it is of that form.
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

/// What the ways through a substitution add.
fn effects(s: &Subst) -> Vec<Effect> {
    match &s.kind {
        SubstKind::Skip => vec![Effect::new()],
        SubstKind::Assign(all) => {
            let written = all.iter().filter_map(|(target, e)| match target {
                Target::Var(v) => Some((*v, added(*v, e))),
                Target::Local(_) => None,
            });
            vec![written.collect()]
        }
        SubstKind::BecomesIn(_, targets, _) => vec![unknown(targets.iter())],
        SubstKind::BecomesSuch(_, targets, _) => vec![unknown(targets.iter().map(|t| &t.0))],
        SubstKind::Pre(_, s)
        | SubstKind::Assert(_, _, s)
        | SubstKind::Any(_, _, _, s)
        | SubstKind::Let(_, s)
        | SubstKind::Var(_, s) => effects(s),
        SubstKind::Choice(_, all) => all.iter().flat_map(effects).collect(),
        SubstKind::If(branches, otherwise) => {
            branches.iter().map(|b| &b.1).chain([&**otherwise]).flat_map(effects).collect()
        }
        SubstKind::Select { branches, otherwise, .. } => {
            branches.iter().map(|b| &b.1).chain(otherwise.as_deref()).flat_map(effects).collect()
        }
        // Additions one after another, or to different variables side by side, add up.
        SubstKind::Sequence(all) | SubstKind::Parallel(all) => {
            all.iter().map(effects).fold(vec![Effect::new()], together)
        }
        SubstKind::While { body, .. } => vec![forgotten(effects(body))],
    }
}

fn unknown<'a>(targets: impl Iterator<Item = &'a Target>) -> Effect {
    let written = targets.filter_map(|t| match t {
        Target::Var(v) => Some((*v, None)),
        Target::Local(_) => None,
    });
    written.collect()
}

/// Everything written on some way, by an amount that is not known.
fn forgotten(all: Vec<Effect>) -> Effect {
    all.into_iter().flat_map(|e| e.into_keys()).map(|v| (v, None)).collect()
}

fn together(before: Vec<Effect>, after: Vec<Effect>) -> Vec<Effect> {
    if before.len() * after.len() > MANY {
        return vec![forgotten(before.into_iter().chain(after).collect())];
    }
    let mut all = vec![];
    for a in &before {
        for b in &after {
            let mut both = a.clone();
            for (&v, &n) in b {
                let sum = match (both.get(&v).copied().unwrap_or(Some(0)), n) {
                    (Some(m), Some(n)) => m.checked_add(n),
                    _ => None,
                };
                both.insert(v, sum);
            }
            all.push(both);
        }
    }
    all
}

/// n, if the expression is `v + n`.
fn added(v: VarId, e: &Expr) -> Option<i64> {
    let is_v = |e: &Expr| matches!(e.kind, ExprKind::Var(w) if w == v);
    match &e.kind {
        ExprKind::Binary(BinaryOp::Add, a, b) if is_v(a) => literal(b),
        ExprKind::Binary(BinaryOp::Add, a, b) if is_v(b) => literal(a),
        ExprKind::Binary(BinaryOp::Subtract, a, b) if is_v(a) => literal(b)?.checked_neg(),
        _ if is_v(e) => Some(0),
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
