//! Sums that no event changes: the place invariants of machines that count.
//!
//! Where every event adds fixed numbers to some integer variables, a weighted sum whose weights are
//! orthogonal to all these additions keeps the value it has at the start.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::int::Int;
use bsym_language::model::*;
use bsym_language::types::Type;

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
        let (mut left, mut right, mut value) = (None, None, 0i64);
        for (&v, &weight) in columns.iter().zip(&weights) {
            let weight = i64::try_from(weight).ok()?;
            value = value.checked_add(weight.checked_mul(initial[&v])?)?;
            let side = if weight > 0 { &mut left } else { &mut right };
            add(side, weight.checked_abs()?, v);
        }
        let n = integer(value);
        let right = match right {
            None => n,
            Some(sum) if value == 0 => sum,
            Some(sum) => binary(BinaryOp::Add, sum, n),
        };
        let left = left.unwrap_or_else(|| integer(0));
        let kind = PredKind::Compare(CompareOp::Equal, Box::new(left), Box::new(right));
        found.push(Pred { kind, span: Default::default() });
    }
    Some(found)
}

/// Adds `weight * v` to a sum.
fn add(sum: &mut Option<Expr>, weight: i64, v: VarId) {
    if weight == 0 {
        return;
    }
    let x = integer_expr(ExprKind::Var(v));
    let product = if weight == 1 { x } else { binary(BinaryOp::Multiply, integer(weight), x) };
    *sum = Some(match sum.take() {
        None => product,
        Some(before) => binary(BinaryOp::Add, before, product),
    });
}

fn integer_expr(kind: ExprKind) -> Expr {
    Expr { kind, ty: Type::Int, span: Default::default() }
}

fn integer(n: i64) -> Expr {
    integer_expr(ExprKind::Integer(Int::from(n)))
}

fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    integer_expr(ExprKind::Binary(op, Box::new(a), Box::new(b)))
}

fn literal(e: &Expr) -> Option<i64> {
    match &e.kind {
        ExprKind::Integer(n) => n.to_i64(),
        _ => None,
    }
}

/// The variables that the initialisation sets to a number, once and on every way.
fn initial_values(s: &Subst) -> BTreeMap<VarId, i64> {
    match &s.kind {
        SubstKind::Assign(all) => all
            .iter()
            .filter_map(|(target, e)| match target {
                Target::Var(v) => Some((*v, literal(e)?)),
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

/// A basis of the vectors that are orthogonal to all rows, by elimination without fractions; the first
/// weight of each that is not zero is positive. `None` on overflow.
fn null_space(mut rows: Vec<Vec<i128>>, width: usize) -> Option<Vec<Vec<i128>>> {
    let mut pivots: Vec<usize> = vec![];
    for column in 0..width {
        let done = pivots.len();
        let Some(row) = (done..rows.len()).find(|&r| rows[r][column] != 0) else { continue };
        rows.swap(done, row);
        let pivot = rows[done].clone();
        for (r, row) in rows.iter_mut().enumerate() {
            let factor = row[column];
            if r == done || factor == 0 {
                continue;
            }
            for (x, &p) in row.iter_mut().zip(&pivot) {
                *x = x.checked_mul(pivot[column])?.checked_sub(p.checked_mul(factor)?)?;
            }
            reduce(row);
        }
        pivots.push(column);
    }
    let mut basis = vec![];
    for free in (0..width).filter(|c| !pivots.contains(c)) {
        // Row r says pivot · x + entry · free = 0, so with the product of the pivots for the free
        // variable every x is whole.
        let mut scale: i128 = 1;
        for (r, &p) in pivots.iter().enumerate() {
            scale = scale.checked_mul(rows[r][p] / gcd(scale, rows[r][p]))?;
        }
        let mut vector = vec![0; width];
        vector[free] = scale;
        for (r, &p) in pivots.iter().enumerate() {
            vector[p] = rows[r][free].checked_mul(scale)?.checked_neg()? / rows[r][p];
        }
        reduce(&mut vector);
        if vector.iter().find(|&&x| x != 0).is_some_and(|&x| x < 0) {
            vector.iter_mut().for_each(|x| *x = -*x);
        }
        basis.push(vector);
    }
    Some(basis)
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

fn reduce(row: &mut [i128]) {
    let divisor = row.iter().fold(0, |d, &x| gcd(d, x));
    if divisor > 1 {
        row.iter_mut().for_each(|x| *x /= divisor);
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
    fn what_is_not_a_fixed_number_is_left_out() {
        check("a, b, c := 1, 0, 0", "go = BEGIN a := a + b || b := 5 END", &["c = 0"]);
        check("a, b :: NAT * NAT || c := 2", "go = skip", &["c = 2"]);
        check("a, b, c := 1, 0, 0", "go = BEGIN a := a + 1 || b := b - 1 || c :: NAT END", &["a + b = 1"]);
    }
}
