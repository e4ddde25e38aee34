//! Sequences: functions from `1..n`.

use bsym_language::int::Int;
use bsym_language::model::{BinaryOp, UnaryOp};
use bsym_language::source::Span;

use crate::error::EvalError;
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;

impl Evaluator<'_> {
    /// Returns the elements in order; `None` if the value is not a finite sequence.
    pub(crate) fn elements(&self, v: &Value, at: Span) -> Eval<Option<Vec<Value>>> {
        let Some(pairs) = self.try_list(v, at)? else {
            return Ok(None);
        };
        let mut elements = Vec::with_capacity(pairs.len());
        // Couples are sorted by their left side.
        for p in pairs.iter() {
            let (i, x) = self.pair(p, at)?;
            if *self.int(i, at)? != Int::from(elements.len() as i64 + 1) {
                return Ok(None);
            }
            elements.push(x.clone());
        }
        Ok(Some(elements))
    }

    fn sequence(&self, v: &Value, what: &str, at: Span) -> Eval<Vec<Value>> {
        match self.elements(v, at)? {
            Some(elements) => Ok(elements),
            None if matches!(v, Value::Set(_)) || self.try_list(v, at)?.is_some() => {
                Err(EvalError::ill_defined(at, format!("{what} of {}, which is no sequence", self.short(v))))
            }
            None => Err(self.not_listed(v, at)),
        }
    }

    pub(crate) fn sequence_unary(&self, op: UnaryOp, v: Value, at: Span) -> Eval<Value> {
        let name = match op {
            UnaryOp::Size => "size",
            UnaryOp::First => "first",
            UnaryOp::Last => "last",
            UnaryOp::Front => "front",
            UnaryOp::Tail => "tail",
            UnaryOp::Rev => "rev",
            _ => "conc",
        };
        let mut elements = self.sequence(&v, name, at)?;
        let empty = || EvalError::ill_defined(at, format!("{name} of the empty sequence"));
        Ok(match op {
            UnaryOp::Size => Value::int(elements.len() as i64),
            UnaryOp::First => elements.into_iter().next().ok_or_else(empty)?,
            UnaryOp::Last => elements.pop().ok_or_else(empty)?,
            UnaryOp::Front => {
                elements.pop().ok_or_else(empty)?;
                Value::sequence(elements)
            }
            UnaryOp::Tail => {
                if elements.is_empty() {
                    return Err(empty());
                }
                Value::sequence(elements.into_iter().skip(1))
            }
            UnaryOp::Rev => Value::sequence(elements.into_iter().rev()),
            UnaryOp::Conc => {
                let mut all = Vec::new();
                for part in &elements {
                    all.extend(self.sequence(part, name, at)?);
                }
                Value::sequence(all)
            }
            _ => return Err(self.confused(at)),
        })
    }

    pub(crate) fn sequence_binary(&self, op: BinaryOp, a: Value, b: Value, at: Span) -> Eval<Value> {
        Ok(match op {
            BinaryOp::Prepend => {
                let first = self.normal(a, at)?;
                Value::sequence([first].into_iter().chain(self.sequence(&b, "->", at)?))
            }
            BinaryOp::Append => {
                let last = self.normal(b, at)?;
                Value::sequence(self.sequence(&a, "<-", at)?.into_iter().chain([last]))
            }
            BinaryOp::Concat => {
                let left = self.sequence(&a, "^", at)?;
                Value::sequence(left.into_iter().chain(self.sequence(&b, "^", at)?))
            }
            BinaryOp::Take | BinaryOp::Drop => {
                let (sign, take) = if op == BinaryOp::Take { ("/|\\", true) } else { ("\\|/", false) };
                let elements = self.sequence(&a, sign, at)?;
                let n = self.int(&b, at)?;
                let Some(k) = n.to_usize().filter(|k| *k <= elements.len()) else {
                    let message = format!("{} {sign} {n}: needs 0..{}", self.short(&a), elements.len());
                    return Err(EvalError::ill_defined(at, message));
                };
                if take {
                    Value::sequence(elements.into_iter().take(k))
                } else {
                    Value::sequence(elements.into_iter().skip(k))
                }
            }
            _ => return Err(self.confused(at)),
        })
    }

    /// Returns whether `x` is in `seq(S)`, `seq1(S)`, `iseq(S)`, `iseq1(S)` or `perm(S)`.
    pub(crate) fn is_sequence_over(&self, op: UnaryOp, x: &Value, s: &Value, at: Span) -> Eval<bool> {
        if !self.finite(x, at)? {
            return Ok(false);
        }
        self.list(x, at)?;
        let Some(elements) = self.elements(x, at)? else { return Ok(false) };
        if elements.is_empty() && matches!(op, UnaryOp::Seq1 | UnaryOp::Iseq1) {
            return Ok(false);
        }
        for v in &elements {
            if !self.member(v, s, at)? {
                return Ok(false);
            }
        }
        if matches!(op, UnaryOp::Seq | UnaryOp::Seq1) {
            return Ok(true);
        }
        let distinct = self.make_set(elements.iter().cloned(), at)?;
        if distinct.as_set().map(|d| d.len()) != Some(elements.len()) {
            return Ok(false);
        }
        Ok(op != UnaryOp::Perm || self.equal(&distinct, s, at)?)
    }
}
