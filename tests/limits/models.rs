//! Machines that are hard for the commands.

/// Steps with 2^48 executions, and arithmetic that doubles the digits of a number in each step.
pub const STEPS: &str = "MACHINE steps VARIABLES v, w, x INVARIANT v <: 1..12 & w <: 1..12 & x : INTEGER & x /= 0 \
    INITIALISATION v := {} || w := {} || x := 1 OPERATIONS \
    op = BEGIN BEGIN v :: POW(1..12) || w :: POW(1..12) END ; BEGIN v :: POW(1..12) || w :: POW(1..12) END END; \
    square = x := x * x + 1 END";

/// An abstraction with the same steps.
pub const REFINEMENT: &str = "REFINEMENT steps_r REFINES steps VARIABLES v, w, x, y INVARIANT y : NATURAL \
    INITIALISATION v := {} || w := {} || x := 1 || y := 0 OPERATIONS \
    op = BEGIN BEGIN v :: POW(1..12) || w :: POW(1..12) END ; BEGIN v :: POW(1..12) || w :: POW(1..12) END END; \
    square = BEGIN x := x * x + 1 || y := y + 1 END END";

/// Equations of whole numbers that solvers do not decide, and for which they take much memory.
pub const CUBES: &str = "MACHINE cubes VARIABLES x, y, z INVARIANT x : INTEGER & y : INTEGER & z : INTEGER \
    & x*x*x + y*y*y + z*z*z /= 114 & x*x*y + y*y*z + z*z*x /= 33 INITIALISATION x, y, z := 0, 0, 0 OPERATIONS \
    a = BEGIN x := x + y * z || y := y * x + 1 END; b = BEGIN y := y - z * x || z := z * z - x * y END; \
    c = ANY t WHERE t : INTEGER & t*t*t - 7 * t = x * y * z + 5 THEN x := t END END";

/// A step to a set of 3000 sets.
pub const SETS: &str = "MACHINE sets VARIABLES s INVARIANT s : POW(POW(INTEGER)) INITIALISATION s := {} OPERATIONS \
    grow = s := ran(%x.(x : 1..3000 | (1..x) - {2})) END";

/// A trace with that step.
pub const SETS_TRACE: &str = r#"{"format": "bsym-trace", "version": 1, "machine": "sets", "scope": {"sizes": {},
    "maxint": "3", "minint": "-1"}, "constants": {}, "steps": [{"event": "INITIALISATION", "parameters": {},
    "results": {}, "changed": {"s": "{}"}, "state": {"s": "{}"}, "choices": []}, {"event": "grow", "parameters": {},
    "results": {}, "changed": {"s": "{{}}"}, "state": {"s": "{{}}"}, "choices": []}]}"#;

/// A machine with 60 variables of two values each, all of which are chosen in the beginning and in every step, where
/// the constant is TRUE; else there is one state.
pub fn choices() -> String {
    let all = |of: &dyn Fn(usize) -> String, between: &str| (0..60).map(of).collect::<Vec<_>>().join(between);
    format!(
        "MACHINE choices CONSTANTS p PROPERTIES p : BOOL VARIABLES {} INVARIANT {} & not({}) INITIALISATION {} \
         OPERATIONS again = BEGIN {} END END",
        all(&|i| format!("b{i}"), ", "),
        all(&|i| format!("b{i} : BOOL"), " & "),
        all(&|i| format!("b{i} = TRUE"), " & "),
        all(&|i| format!("b{i} := FALSE"), " || "),
        all(&|i| format!("b{i} :: {{FALSE, p}}"), " || "),
    )
}

/// A machine of three megabytes.
pub fn long() -> String {
    let all = |n: usize, of: &dyn Fn(usize) -> String, between: &str| {
        (0..n).map(of).collect::<Vec<_>>().join(between)
    };
    format!(
        "MACHINE long VARIABLES {} INVARIANT {} INITIALISATION {} END",
        all(2000, &|i| format!("v{i}"), ", "),
        all(
            60_000,
            &|i| format!("(v{0} : 1..{1} & v{0} + {1} /= v{2} * {1})", i % 2000, i + 1, (i + 1) % 2000),
            " & "
        ),
        all(2000, &|i| format!("v{i} := 1"), " || "),
    )
}
