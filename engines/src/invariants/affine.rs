//! Equations that held in every state that was met after an event.
//!
//! Which sums stay equal often depends on the phase that a machine is in, and what it is in follows from the event that
//! it came from. So the [first states](FirstStates) are taken, and the affine hull of those that one event leads to is
//! written as equations over integer variables and constants (Karr: *Affine relationships among variables of a
//! program*, Acta Informatica 6, 1976; from samples as Sharma et al.: *A data driven approach for algebraic loop
//! invariants*, ESOP 2013). A variable that kept its remainder gets a congruence. These are predicates to search with,
//! nothing rests on them.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::int::Int;
use bsym_language::model::*;
use bsym_language::types::Type;
use bsym_semantics::transition::state::{Constants, State};
use bsym_semantics::value::Value;

use super::linear::{binary, equation, gcd, null_space};
use super::predicate::{compare, integer, variable};
use crate::small_scopes::first_states::FirstStates;
use crate::tuning::tuning;

/// A row of values and a 1 for the constant part.
type Rows = BTreeSet<Vec<i128>>;

/// Candidate equations. None where there are no two integers to compare.
pub(crate) fn equations(model: &Model, met: &FirstStates) -> Vec<Pred> {
    let columns = Columns::of(model);
    if columns.variables.is_empty() || columns.width() > tuning().affine.columns {
        return vec![];
    }
    let met = rows(met, &columns);
    let mut found = vec![];
    for rows in met.values().filter(|rows| rows.len() > columns.width()) {
        // A number that leaves 128 bits is no weight to believe in.
        for weights in null_space(rows.iter().cloned().collect(), columns.width() + 1).unwrap_or_default() {
            found.extend(columns.equation(&weights));
        }
    }
    found.extend(columns.congruences(model, met.values()));
    found
}

/// The integer variables and constants of a model.
struct Columns {
    variables: Vec<VarId>,
    constants: Vec<ConstId>,
}

impl Columns {
    fn of(model: &Model) -> Columns {
        let is_integer = |v: &Variable| v.ty == Type::Int;
        let variables = (0u32..).zip(&model.variables).filter(|(_, v)| is_integer(v));
        let constants = (0u32..).zip(&model.constants).filter(|(_, c)| is_integer(c));
        Columns {
            variables: variables.map(|(i, _)| VarId(i)).collect(),
            constants: constants.map(|(i, _)| ConstId(i)).collect(),
        }
    }

    fn width(&self) -> usize {
        self.variables.len() + self.constants.len()
    }

    /// `None` if a value is no small number.
    fn row(&self, constants: &Constants, state: &State) -> Option<Vec<i128>> {
        let values = self.variables.iter().map(|v| &state[v.index()]);
        let all = values.chain(self.constants.iter().map(|c| &constants[c.index()]));
        let number = |v: &Value| match v {
            Value::Int(n) => n.to_i64().map(i128::from),
            _ => None,
        };
        all.map(number).chain([Some(1)]).collect()
    }

    /// `Σ w·x + w₀ = 0` with positive terms on both sides; `None` if the weights are not believed or no variable has
    /// one.
    fn equation(&self, weights: &[i128]) -> Option<Pred> {
        let (n, weights) = weights.split_last()?;
        let of_variables = &weights[..self.variables.len()];
        if weights.iter().any(|w| w.abs() > tuning().affine.weight) || of_variables.iter().all(|&w| w == 0) {
            return None;
        }
        let names = self.variables.iter().map(|&v| ExprKind::Var(v));
        let names = names.chain(self.constants.iter().map(|&c| ExprKind::Const(c)));
        let weights: Option<Vec<i64>> = weights.iter().map(|&w| i64::try_from(w).ok()).collect();
        equation(names.zip(weights?), i64::try_from(*n).ok()?.checked_neg()?)
    }

    /// `x - m * (x / m) = r`, which is defined for negative numbers as `mod` is not; there a multiple is the same, and
    /// another remainder is not.
    fn congruences<'a>(&self, model: &Model, met: impl Iterator<Item = &'a Rows>) -> Vec<Pred> {
        let rows: Vec<&Vec<i128>> = met.flatten().collect();
        let mut found = vec![];
        for (i, &v) in self.variables.iter().enumerate() {
            let values: BTreeSet<i128> = rows.iter().map(|row| row[i]).collect();
            let (Some(&first), true) = (values.first(), values.len() >= tuning().affine.values) else {
                continue;
            };
            let modulus = values.iter().fold(0, |d, &n| gcd(d, n - first));
            let (Ok(m), Ok(remainder)) = (i64::try_from(modulus), i64::try_from(first % modulus.max(1)))
            else {
                continue;
            };
            if !(2..=tuning().affine.weight).contains(&modulus) || first < 0 && remainder != 0 {
                continue;
            }
            let x = || variable(model, v);
            let number = |n: i64| integer(Int::from(n));
            let whole = binary(BinaryOp::Multiply, number(m), binary(BinaryOp::Divide, x(), number(m)));
            let rest = binary(BinaryOp::Subtract, x(), whole);
            found.push(compare(CompareOp::Equal, rest, number(remainder)));
        }
        found
    }
}

/// Rows of the states after each event and after the initialisation.
fn rows(met: &FirstStates, columns: &Columns) -> BTreeMap<Option<EventId>, Rows> {
    let mut all: BTreeMap<Option<EventId>, Rows> = BTreeMap::new();
    for one in met.all() {
        let rows = all.entry(one.event).or_default();
        if rows.len() < tuning().affine.rows {
            rows.extend(columns.row(met.constants(one), &one.state));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bsym_encodings::budget::Budget;
    use bsym_semantics::scope::{Scope, ScopeRequest};

    use super::*;
    use crate::options::Job;

    fn found(text: &str) -> Vec<String> {
        let model = Arc::new(bsym_language::load::load_text("M.mch", text).model.unwrap());
        let scope = Scope::settle(&model, &ScopeRequest::default()).unwrap();
        let job = Job {
            well_definedness: true,
            representations: Default::default(),
            ..Job::new(model.clone(), scope, vec![], Budget::unlimited())
        };
        let met = FirstStates::visit(&job).unwrap();
        equations(&model, &met).iter().map(|p| bsym_language::print::pred(&model, p)).collect()
    }

    #[test]
    fn each_phase_has_its_equations() {
        let found = found(
            "MACHINE M CONSTANTS n PROPERTIES n : 0..5 VARIABLES x, y INVARIANT x : INTEGER & y : INTEGER
            INITIALISATION x, y := 0, n
            OPERATIONS rise = SELECT x < 50 THEN x := x + 1 || y := y + 1 END;
              fall = SELECT x >= 50 & x < 90 THEN x := x + 1 || y := y - 1 END END",
        );
        for expected in ["x + n = y", "x + y = n + 100"] {
            assert!(found.iter().any(|p| p == expected), "{expected} is not among {found:?}");
        }
    }

    #[test]
    fn a_remainder_that_stays_is_a_congruence() {
        let found = found(
            "MACHINE M VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 1
            OPERATIONS two = x := x + 2; four = x := x + 4 END",
        );
        assert_eq!(found, ["x - 2 * (x / 2) = 1"]);
    }

    #[test]
    fn too_few_states_and_sets_say_nothing() {
        assert!(found("MACHINE M VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 1 END").is_empty());
        assert!(
            found("MACHINE M VARIABLES s INVARIANT s <: 1..3 INITIALISATION s := {} OPERATIONS a(i) = SELECT i : 1..3 THEN s := s \\/ {i} END END")
                .is_empty()
        );
    }
}
