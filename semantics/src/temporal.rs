//! Truth of a temporal formula on one path, read off its definition, position by position.
//!
//! No automaton is made here. Counterexamples of a search are checked against this module.
//!
//! Sources: A. Pnueli, The temporal logic of programs (FOCS 1977); with the past, O. Lichtenstein, A. Pnueli, L. Zuck, The
//! glory of the past (1985); paths that end, D. Plagge, M. Leuschel, Seven at one stroke: LTL model checking for high-level
//! specifications in B, Z, CSP, and more (STTT 2010).

use bsym_language::temporal::Formula;

/// Continuation of a path after the given positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Continuation {
    /// The path ends: no event is enabled at the last position.
    Ends,
    /// The path continues with the position of this number, and repeats from there.
    Loop(usize),
    /// The path may continue in any way.
    Open,
}

/// Returns whether a formula is true at the first of `positions` positions; `None` if that depends on the continuation.
/// `atom` returns the truth of a proposition, by its number, at a position.
///
/// A loop is unrolled as often as operators of the past nest: after that many rounds their values no longer change (F.
/// Laroussinie, N. Markey, P. Schnoebelen, Temporal logic with forgettable past, LICS 2002).
pub fn holds(
    formula: &Formula,
    positions: usize,
    continuation: Continuation,
    atom: &dyn Fn(usize, usize) -> Option<bool>,
) -> Option<bool> {
    let rounds = match continuation {
        Continuation::Loop(_) => formula.past_depth() + 1,
        Continuation::Ends | Continuation::Open => 1,
    };
    let Continuation::Loop(start) = continuation else {
        let order: Vec<usize> = (0..positions).collect();
        return *Path { order, continuation, atom }.truth(formula).first()?;
    };
    let mut order: Vec<usize> = (0..positions).collect();
    for _ in 1..rounds {
        order.extend(start..positions);
    }
    let continuation = Continuation::Loop(order.len() - (positions - start));
    *Path { order, continuation, atom }.truth(formula).first()?
}

/// Positions in the order of evaluation, each with the number of the original position.
struct Path<'a> {
    order: Vec<usize>,
    continuation: Continuation,
    atom: &'a dyn Fn(usize, usize) -> Option<bool>,
}

/// A truth value for each position; `None` if it is not known (Kleene).
type Truth = Vec<Option<bool>>;

fn not(a: Option<bool>) -> Option<bool> {
    a.map(|a| !a)
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    not(and(not(a), not(b)))
}

impl Path<'_> {
    /// Returns the truth of a formula at every position.
    fn truth(&self, formula: &Formula) -> Truth {
        let both = |a: &Formula, b: &Formula, join: fn(Option<bool>, Option<bool>) -> Option<bool>| {
            self.truth(a).into_iter().zip(self.truth(b)).map(|(a, b)| join(a, b)).collect()
        };
        match formula {
            Formula::Constant(truth) => vec![Some(*truth); self.order.len()],
            Formula::Atom(number) => self.order.iter().map(|at| (self.atom)(*at, *number)).collect(),
            Formula::Not(a) => self.truth(a).into_iter().map(not).collect(),
            Formula::And(a, b) => both(a, b, and),
            Formula::Or(a, b) => both(a, b, or),
            Formula::Next(a) => {
                let inner = self.truth(a);
                let behind = self.behind(|first| inner[first]);
                inner.iter().skip(1).copied().chain([behind]).collect()
            }
            Formula::Until(a, b) => self.until(&self.truth(a), &self.truth(b)),
            Formula::Yesterday(a) => {
                let inner = self.truth(a);
                std::iter::once(Some(false)).chain(inner).take(self.order.len()).collect()
            }
            Formula::Since(a, b) => {
                let mut before = Some(false);
                let step = |(a, b): (Option<bool>, Option<bool>)| {
                    before = or(b, and(a, before));
                    before
                };
                self.truth(a).into_iter().zip(self.truth(b)).map(step).collect()
            }
        }
    }

    /// Returns the truth behind the last position, given the truth at each position.
    fn behind(&self, truth: impl Fn(usize) -> Option<bool>) -> Option<bool> {
        match self.continuation {
            Continuation::Ends => Some(false),
            Continuation::Loop(first) => truth(first),
            Continuation::Open => None,
        }
    }

    /// Returns the least solution of the equation of `until`: from the end to the beginning, twice for a loop.
    fn until(&self, a: &Truth, b: &Truth) -> Truth {
        let mut truth = vec![Some(false); self.order.len()];
        for _ in 0..2 {
            let mut later = self.behind(|first| truth[first]);
            for at in (0..truth.len()).rev() {
                later = or(b[at], and(a[at], later));
                truth[at] = later;
            }
        }
        truth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evaluates on a path where atom 0 is true at the positions marked `p`, atom 1 at those marked `q`.
    fn on(path: &str, continuation: Continuation, formula: &Formula) -> Option<bool> {
        let atom = |at: usize, number: usize| Some(path.as_bytes()[at] == [b'p', b'q'][number]);
        holds(formula, path.len(), continuation, &atom)
    }

    fn p() -> Formula {
        Formula::Atom(0)
    }

    fn q() -> Formula {
        Formula::Atom(1)
    }

    #[test]
    fn paths_that_end_have_no_next_position() {
        let ends = Continuation::Ends;
        for (path, formula, expected) in [
            ("pq", p().next(), false),
            ("pq", q().next(), true),
            ("pq", q().next().next(), false),
            ("pq", q().not().next().next(), false),
            ("pq", q().finally().globally(), true),
            ("p", p().globally(), true),
            ("p", p().next().globally(), false),
            ("ppq", p().until(q()), true),
            ("ppp", p().until(q()), false),
            ("ppp", q().release(p()), true),
        ] {
            assert_eq!(on(path, ends, &formula), Some(expected), "{path} {formula:?}");
        }
    }

    #[test]
    fn loops_go_on_for_ever() {
        for (path, start, formula, expected) in [
            ("pq", 0, q().finally().globally(), true),
            ("pq", 1, p().finally().globally(), false),
            ("pq", 0, p().globally().finally(), false),
            ("p.", 0, p().next().next(), true),
            // The position before the first one of the second round is the last one of the loop.
            (".q", 0, q().yesterday().finally(), true),
            ("pq", 0, p().yesterday().implies(q()).globally(), true),
            ("q.p", 1, q().since(p()).finally(), true),
            ("q..", 1, Formula::Constant(true).since(q()).globally(), true),
            (".pq", 1, q().yesterday().yesterday().finally(), true),
        ] {
            assert_eq!(on(path, Continuation::Loop(start), &formula), Some(expected), "{path} {formula:?}");
        }
    }

    #[test]
    fn what_is_wrong_already_stays_so() {
        let open = Continuation::Open;
        for (path, formula, expected) in [
            ("p.", p().globally(), Some(false)),
            ("pp", p().globally(), None),
            ("..", p().finally(), None),
            (".p", p().finally(), Some(true)),
            ("p", p().next(), None),
        ] {
            assert_eq!(on(path, open, &formula), expected, "{path} {formula:?}");
        }
    }
}
