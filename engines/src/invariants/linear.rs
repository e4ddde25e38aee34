//! Linear equations between integers: null spaces, and equations as predicates of the model.

use bsym_language::int::Int;
use bsym_language::model::*;
use bsym_language::types::Type;

use super::predicate::{compare, expr, integer};

/// `Σ w·x = n`, with positive weights on both sides; `None` if a weight has no absolute value.
pub(crate) fn equation(sum: impl IntoIterator<Item = (ExprKind, i64)>, n: i64) -> Option<Pred> {
    let (mut left, mut right) = (None, None);
    for (name, weight) in sum {
        let side = if weight > 0 { &mut left } else { &mut right };
        add(side, weight.checked_abs()?, name);
    }
    let constant = integer(Int::from(n));
    let right = match right {
        None => constant,
        Some(sum) if n == 0 => sum,
        Some(sum) => binary(BinaryOp::Add, sum, constant),
    };
    let left = left.unwrap_or_else(|| integer(Int::ZERO));
    Some(compare(CompareOp::Equal, left, right))
}

/// Adds `weight * x` to a sum.
fn add(sum: &mut Option<Expr>, weight: i64, x: ExprKind) {
    if weight == 0 {
        return;
    }
    let x = expr(x, Type::Int);
    let product = if weight == 1 { x } else { binary(BinaryOp::Multiply, integer(Int::from(weight)), x) };
    *sum = Some(match sum.take() {
        None => product,
        Some(before) => binary(BinaryOp::Add, before, product),
    });
}

/// An operation on integers.
pub(crate) fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), Type::Int)
}

/// A basis of the vectors that are orthogonal to all rows, by elimination without fractions; the first
/// weight of each that is not zero is positive. `None` on overflow.
pub(crate) fn null_space(mut rows: Vec<Vec<i128>>, width: usize) -> Option<Vec<Vec<i128>>> {
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

/// The greatest common divisor, not negative.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

fn reduce(row: &mut [i128]) {
    let divisor = row.iter().fold(0, |d, &x| gcd(d, x));
    if divisor > 1 {
        row.iter_mut().for_each(|x| *x /= divisor);
    }
}
