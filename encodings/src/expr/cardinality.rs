//! Cardinality.

use bsym_language::model::CompareOp;

use crate::symbolic::Encoded;
use crate::symbolic::Unsupported;
use crate::symbolic::carriers::Binders;
use crate::symbolic::encoder::Encoder;
use crate::symbolic::{Form, Guarded, Set, Symbolic};
use crate::term::{Term, Terms};
use crate::tuning::tuning;

impl Encoder {
    /// `card(S)`
    pub(super) fn card(&mut self, a: &Symbolic) -> Result<Encoded, Unsupported> {
        let set = self.as_set(a)?.clone();
        let defined = self.finite(&set)?;
        let size = if defined == Terms::FALSE { self.terms.int(0) } else { self.size_of(&set)? };
        Ok(Encoded { value: Symbolic::Atom(size), defined })
    }

    /// Number of elements of a finite set.
    pub(crate) fn size_of(&mut self, set: &Set) -> Result<Term, Unsupported> {
        match &set.form {
            Form::Sequence { length, .. } => return Ok(*length),
            Form::Interval(Some(low), Some(high)) => {
                let t = &self.terms;
                let size = t.add([*high, t.neg(*low), t.int(1)]);
                return Ok(t.ite(t.le(*low, *high), size, t.int(0)));
            }
            Form::Product(a, b) => {
                let (n, m) = (self.size_of(a)?, self.size_of(b)?);
                return Ok(self.terms.mul(n, m));
            }
            Form::Map { .. } | Form::Lambda(..) => {
                let domain = self.domain(set)?;
                return self.size_of(&domain);
            }
            Form::Power { of, non_empty, .. } => {
                let n = self.size_of(of)?;
                if let Some(n) = self.terms.as_int(n)
                    && let Some(n) = bsym_language::int::Int::from(2).pow(&n)
                {
                    let n = if *non_empty { &n - &bsym_language::int::Int::ONE } else { n };
                    return Ok(self.terms.int(n));
                }
            }
            _ => {}
        }
        let Some(items) = self.candidates(set)? else {
            if let Some(number) = self.ghost_size(set)? {
                return Ok(number);
            }
            return self.unsupported("the number of elements of a set of unsettled size, other than in a comparison with a small literal");
        };
        let items = self.without_repetitions(items)?;
        let one = self.terms.int(1);
        let zero = self.terms.int(0);
        let sum: Vec<Term> = items.iter().map(|(g, _)| self.terms.ite(*g, one, zero)).collect();
        Ok(if sum.is_empty() { zero } else { self.terms.add(sum) })
    }

    /// Returns the same elements with guards of which at most one holds for equal elements.
    pub(crate) fn without_repetitions(&mut self, items: Vec<Guarded>) -> Result<Vec<Guarded>, Unsupported> {
        let mut kept: Vec<Guarded> = vec![];
        for (i, (g, x)) in items.iter().enumerate() {
            let mut guard = vec![*g];
            for (h, y) in &items[..i] {
                let same = self.equal(x, y)?;
                let before = self.terms.and([*h, same]);
                guard.push(self.terms.not(before));
            }
            let guard = self.terms.and(guard);
            if guard != Terms::FALSE {
                kept.push((guard, x.clone()));
            }
        }
        Ok(kept)
    }

    /// The set has at least `k` elements; as conditions, without a sum.
    pub(crate) fn at_least(&mut self, set: &Set, k: i64) -> Result<Term, Unsupported> {
        if k <= 0 {
            return Ok(Terms::TRUE);
        }
        if k == 1 {
            let empty = self.is_empty(set)?;
            return Ok(self.terms.not(empty));
        }
        if self.is_function_form(set) {
            let domain = self.domain(set)?;
            return self.at_least(&domain, k);
        }
        if let Form::Interval(Some(_), Some(_)) = &set.form {
            let size = self.size_of(set)?;
            return Ok(self.terms.le(self.terms.int(k), size));
        }
        if let Some(items) = self.candidates(set)? {
            let items = self.without_repetitions(items)?;
            // counted[j]: at least j + 1 of the elements so far.
            let mut counted = vec![Terms::FALSE; k as usize];
            for (g, _) in items {
                for j in (0..counted.len()).rev() {
                    let below = if j == 0 { Terms::TRUE } else { counted[j - 1] };
                    let next = self.terms.and([g, below]);
                    counted[j] = self.terms.or([counted[j], next]);
                }
            }
            return Ok(counted[k as usize - 1]);
        }
        let closed = self.is_closed(set);
        let mut range = Binders::none();
        let mut witnesses = vec![];
        let mut all = vec![];
        for _ in 0..k {
            let (id, x) = self.binder("x", &set.element);
            all.push(self.is_in(&x, set)?);
            for y in &witnesses {
                let same = self.equal(&x, y)?;
                all.push(self.terms.not(same));
            }
            range.push(id, x.clone(), closed);
            witnesses.push(x);
        }
        let some = self.some(&range, self.terms.and(all));
        self.close(range);
        Ok(some)
    }

    /// `card(S) op k` for a small literal, `None` where a number serves better.
    pub(crate) fn compare_card(
        &mut self,
        op: CompareOp,
        set: &Set,
        k: i64,
    ) -> Result<Option<Term>, Unsupported> {
        if !(-1..=tuning().symbolic.counted).contains(&k) {
            return Ok(None);
        }
        let mut at_least = |n: i64| self.at_least(set, n);
        Ok(Some(match op {
            CompareOp::GreaterEqual => at_least(k)?,
            CompareOp::Greater => at_least(k + 1)?,
            CompareOp::Less => {
                let t = at_least(k)?;
                self.negated_exists(t)
            }
            CompareOp::LessEqual => {
                let t = at_least(k + 1)?;
                self.negated_exists(t)
            }
            CompareOp::Equal | CompareOp::NotEqual => {
                let (enough, more) = (at_least(k)?, at_least(k + 1)?);
                let more = self.negated_exists(more);
                let equal = if k < 0 { Terms::FALSE } else { self.terms.and([enough, more]) };
                if op == CompareOp::Equal { equal } else { self.terms.not(equal) }
            }
            _ => return Ok(None),
        }))
    }

    fn negated_exists(&self, t: Term) -> Term {
        let n = self.terms.node(t);
        match &n.op {
            crate::term::Op::Exists(bound) => self.terms.forall(bound, self.terms.not(n.args[0])),
            _ => self.terms.not(t),
        }
    }
}
