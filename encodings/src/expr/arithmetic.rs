//! Integers and reals.

use bsym_language::model::{BinaryOp, UnaryOp};

use super::total;
use crate::symbolic::Encoded;
use crate::symbolic::Symbolic;
use crate::symbolic::Unsupported;
use crate::symbolic::encoder::Encoder;
use crate::term::{Term, Terms};
use crate::tuning::tuning;

impl Encoder {
    pub(super) fn unary_arithmetic(&mut self, op: UnaryOp, a: &Symbolic) -> Result<Encoded, Unsupported> {
        let a = self.as_atom(a)?;
        let t = &self.terms;
        Ok(total(Symbolic::Atom(match op {
            UnaryOp::Floor => t.floor(a),
            UnaryOp::Ceiling => t.neg(t.floor(t.neg(a))),
            UnaryOp::ToReal => t.to_real(a),
            _ => t.neg(a),
        })))
    }

    pub(super) fn binary_arithmetic(
        &mut self,
        op: BinaryOp,
        a: &Symbolic,
        b: &Symbolic,
    ) -> Result<Encoded, Unsupported> {
        let (a, b) = (self.as_atom(a)?, self.as_atom(b)?);
        let t = self.terms.clone();
        let (value, defined) = match op {
            BinaryOp::Add | BinaryOp::AddReal => (t.add([a, b]), Terms::TRUE),
            BinaryOp::Subtract | BinaryOp::SubtractReal => (t.sub(a, b), Terms::TRUE),
            BinaryOp::Multiply | BinaryOp::MultiplyReal => (t.mul(a, b), Terms::TRUE),
            // Truncates towards zero (B-Book, 3.6).
            BinaryOp::Divide => (t.div_trunc(a, b), t.neq(b, t.int(0))),
            // Defined for a natural dividend and a positive divisor.
            BinaryOp::Mod => (t.modulo(a, b), t.and([t.le(t.int(0), a), t.lt(t.int(0), b)])),
            BinaryOp::DivideReal => (t.real_div(a, b), t.neq(b, t.to_real(t.int(0)))),
            BinaryOp::Power | BinaryOp::PowerReal => self.power(a, b)?,
            _ => return self.unsupported("no operator on numbers"),
        };
        Ok(Encoded { value: Symbolic::Atom(value), defined })
    }

    /// `a ** b`
    fn power(&mut self, a: Term, b: Term) -> Result<(Term, Term), Unsupported> {
        let t = &self.terms;
        let Some(exponent) = t.as_int(b) else {
            return if t.sort_of(a) == Terms::INT {
                let defined = t.le(t.int(0), b);
                Ok((self.ghost_power(a, b), defined))
            } else {
                self.unsupported("a power of a real whose exponent is not a literal")
            };
        };
        if exponent.is_negative() {
            return Ok((a, Terms::FALSE));
        }
        if let Some(base) = t.as_int(a) {
            return match base.pow(&exponent) {
                Some(n) => Ok((t.int(n), Terms::TRUE)),
                None => self.unsupported("a power that is too large"),
            };
        }
        let one = if t.sort_of(a) == Terms::REAL { t.to_real(t.int(1)) } else { t.int(1) };
        match exponent.to_i64() {
            Some(n) if n <= tuning().symbolic.product => {
                Ok(((0..n).fold(one, |p, _| t.mul(p, a)), Terms::TRUE))
            }
            _ => self.unsupported("a power with a large exponent"),
        }
    }

    /// `a ** b` of integers as the value of a rigid function, with what holds of it: it grows, and small powers of
    /// literals. Facts that follow by induction only are left out, so that a solver may find invalid powers, which a
    /// replay notices.
    fn ghost_power(&mut self, a: Term, b: Term) -> Term {
        let t = self.terms.clone();
        let couple = t.tuple(&[a, b]);
        let power =
            t.select(t.rigid("power of integers", t.array_sort(t.sort_of(couple), Terms::INT)), couple);
        let (zero, one) = (t.int(0), t.int(1));
        let positive = t.lt(zero, b);
        let mut facts = vec![
            t.implies(t.eq(b, zero), t.eq(power, one)),
            t.implies(t.eq(b, one), t.eq(power, a)),
            t.implies(t.and([positive, t.eq(a, zero)]), t.eq(power, zero)),
            t.implies(t.and([t.le(zero, b), t.eq(a, one)]), t.eq(power, one)),
            t.implies(t.and([t.le(zero, b), t.lt(one, a)]), t.lt(b, power)),
            t.implies(t.and([positive, t.lt(one, a)]), t.le(a, power)),
        ];
        if let Some(base) = t.as_int(a) {
            for n in 2..=tuning().symbolic.tabulated_power {
                if let Some(value) = base.pow(&bsym_language::int::Int::from(n)) {
                    facts.push(t.implies(t.eq(b, t.int(n)), t.eq(power, t.int(value))));
                }
            }
        }
        for fact in facts {
            self.note_fact(fact);
        }
        power
    }

    /// `max(S)`, `min(S)`
    pub(super) fn extremum(&mut self, op: UnaryOp, a: &Symbolic) -> Result<Encoded, Unsupported> {
        use crate::symbolic::Form;
        let least = matches!(op, UnaryOp::Min | UnaryOp::MinReal);
        let set = self.as_set(a)?.clone();
        if let Form::Interval(low, high) = &set.form {
            let empty = self.is_empty(&set)?;
            return Ok(match if least { low } else { high } {
                Some(bound) => Encoded { value: Symbolic::Atom(*bound), defined: self.terms.not(empty) },
                None => Encoded { value: Symbolic::Atom(self.terms.int(0)), defined: Terms::FALSE },
            });
        }
        if let Some(items) = self.candidates(&set)? {
            let mut best: Option<(Term, Term)> = None;
            for (g, x) in items {
                let x = self.as_atom(&x)?;
                let t = &self.terms;
                best = Some(match best {
                    None => (g, x),
                    Some((some, value)) => {
                        let better = if least { t.lt(x, value) } else { t.lt(value, x) };
                        let take = t.and([g, t.or([t.not(some), better])]);
                        (t.or([some, g]), t.ite(take, x, value))
                    }
                });
            }
            let (defined, value) = match best {
                Some(best) => best,
                None => (Terms::FALSE, self.some_term(self.sort(&set.element))),
            };
            return Ok(Encoded { value: Symbolic::Atom(value), defined });
        }
        let sort = self.sort(&set.element);
        // An extremum: an element, and no element is beyond it.
        let extreme = |e: &mut Encoder, w: Term| -> Result<Term, Unsupported> {
            let inside = e.is_in(&Symbolic::Atom(w), &set)?;
            let rest = e.forall_in(&set, &mut |e, x| {
                let x = e.as_atom(x)?;
                Ok(if least { e.terms.le(w, x) } else { e.terms.le(x, w) })
            })?;
            Ok(e.terms.and([inside, rest]))
        };
        let (id, m) = self.binder("m", &set.element);
        let m = self.as_atom(&m)?;
        let there = extreme(self, m)?;
        let exists = self.terms.exists(&[id], there);
        let w = self.witness("extremum", sort, &[exists], |e, w| {
            let this = extreme(e, w)?;
            Ok(e.terms.implies(exists, this))
        })?;
        let defined = extreme(self, w)?;
        Ok(Encoded { value: Symbolic::Atom(w), defined })
    }
}
