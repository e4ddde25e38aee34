//! Truth values of comparisons, of equations, and of conjunctions whose parts may have no value.

use super::Lowering;
use crate::propositional::gates::Lit;
use crate::propositional::integer::{self, Form, Number};
use crate::propositional::value::{Truth, Value, Why, fits_window};
use crate::term::Node;
use crate::tuning::tuning;

impl Lowering {
    /// Lowers a conjunction or disjunction. A part without a value does not matter where another part decides.
    pub fn junction(&mut self, parts: Vec<Result<Truth, Why>>, and: bool) -> Result<Truth, Why> {
        let deciding = Lit::constant(!and);
        let decided: Vec<Lit> = parts
            .iter()
            .filter_map(|p| p.as_ref().ok().filter(|t| t.lit == deciding).map(|t| t.guard))
            .collect();
        if !decided.is_empty() {
            return Ok(Truth { lit: deciding, guard: self.gates.or(decided) });
        }
        let mut why: Option<Why> = None;
        let (mut lits, mut guards) = (vec![], vec![]);
        for part in parts {
            match (part, &why) {
                (Ok(t), _) => {
                    lits.push(if and { t.lit } else { !t.lit });
                    guards.push(t.guard);
                }
                (Err(Why::Stopped), _) => return Err(Why::Stopped),
                // A larger range may make another part decide, so the smallest step is tried first.
                (Err(new @ Why::Range(_, by)), Some(Why::Range(_, known))) if by < *known => why = Some(new),
                (Err(new @ Why::Range(..)), None | Some(Why::Unsupported(_))) => why = Some(new),
                (Err(new), None) => why = Some(new),
                (Err(_), Some(_)) => {}
            }
        }
        match why {
            Some(why) => Err(why),
            None => {
                let all = self.gates.and(lits);
                Ok(Truth { lit: if and { all } else { !all }, guard: self.gates.and(guards) })
            }
        }
    }

    /// `a <= b`
    pub(super) fn at_most(&mut self, a: &Number, b: &Number) -> Truth {
        if a.guard == Lit::TRUE && b.guard == Lit::TRUE {
            return Truth::exact(!integer::less(&mut self.gates, b, a));
        }
        match (&a.form, a.as_constant(), &b.form, b.as_constant()) {
            (Form::Unknown(x, c), _, _, Some(k)) => {
                Truth::exact(self.unknowns.at_most(&mut self.gates, *x, k - c))
            }
            (_, Some(k), Form::Unknown(x, c), _) => {
                Truth::exact(!self.unknowns.at_most(&mut self.gates, *x, k - c - 1))
            }
            (Form::Unknown(x, c), _, Form::Unknown(y, d), _)
                if let Some(l) = self.unknowns.difference(&mut self.gates, *x, *y, d - c) =>
            {
                Truth::exact(l)
            }
            (Form::Choice(c, x, y), _, _, Some(_)) => {
                let (x, y) = (self.at_most(x, b), self.at_most(y, b));
                self.choose_truth(*c, x, y)
            }
            (_, Some(_), Form::Choice(c, x, y), _) => {
                let (x, y) = (self.at_most(a, x), self.at_most(a, y));
                self.choose_truth(*c, x, y)
            }
            _ => Truth {
                lit: !integer::less(&mut self.gates, b, a),
                guard: self.gates.and([a.guard, b.guard]),
            },
        }
    }

    pub(super) fn choose_truth(&mut self, c: Lit, a: Truth, b: Truth) -> Truth {
        let g = &mut self.gates;
        Truth { lit: g.choice(c, a.lit, b.lit), guard: g.choice(c, a.guard, b.guard) }
    }

    /// `a = b`
    pub(super) fn equal_numbers(&mut self, a: &Number, b: &Number, beyond: bool) -> Truth {
        if a.guard == Lit::TRUE && b.guard == Lit::TRUE {
            return Truth::exact(integer::equal(&mut self.gates, a, b));
        }
        if a.as_constant().is_some() || b.as_constant().is_some() {
            let (x, y) = (self.at_most(a, b), self.at_most(b, a));
            let g = &mut self.gates;
            return Truth { lit: g.and([x.lit, y.lit]), guard: g.and([x.guard, y.guard]) };
        }
        for (x, y) in [(a, b), (b, a)] {
            if let Form::Choice(c, p, q) = &x.form {
                let (p, q) = (self.equal_numbers(p, y, beyond), self.equal_numbers(q, y, beyond));
                return self.choose_truth(*c, p, q);
            }
        }
        let guard = self.gates.and([a.guard, b.guard]);
        let same = integer::equal(&mut self.gates, a, b);
        if let (Form::Unknown(x, c), Form::Unknown(y, d)) = (&a.form, &b.form) {
            let (x, y, k) = (*x, *y, d - c);
            let most = self.unknowns.difference(&mut self.gates, x, y, k);
            let least = self.unknowns.difference(&mut self.gates, x, y, k - 1);
            if let (Some(most), Some(less)) = (most, least) {
                let l = self.gates.and([most, !less]);
                // Says the same as the comparisons, and tells the bits more.
                self.gates.clause(&[!guard, !l, same]);
                if x != y {
                    self.unknowns.equate(&mut self.gates, l, a, b, tuning().propositional.equation_choices);
                }
                return Truth::exact(l);
            }
        }
        if beyond {
            return Truth { lit: same, guard };
        }
        let l = self.settle(Truth { lit: same, guard });
        self.unknowns.equate(&mut self.gates, l, a, b, tuning().propositional.equation_choices);
        Truth::exact(l)
    }

    /// A set that is equal to one without elements outside of its window has none there either: that its cut holds
    /// follows then, and need not be assumed.
    pub(super) fn bound_windows(&mut self, same: Lit, node: &Node, a: &Value, b: &Value) {
        for (t, own, other) in [(node.args[0], a, b), (node.args[1], b, a)] {
            let Some(&empty) = self.terms.as_symbol(t).and_then(|id| self.cut_sets.empty_outside.get(&id))
            else {
                continue;
            };
            if let Some(mut clause) = fits_window(own, other) {
                clause.extend([!same, empty]);
                self.gates.clause(&clause);
            }
        }
    }
}
