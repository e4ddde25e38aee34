//! Integers and reals.

use std::rc::Rc;

use bsym_language::int::Int;
use num_rational::BigRational;

use super::{Op, Term, Terms};

impl Terms {
    /// An integer literal.
    pub fn int(&self, n: impl Into<Int>) -> Term {
        self.make(Op::Int(n.into()), &[], Self::INT)
    }

    /// A real literal.
    pub fn real(&self, r: BigRational) -> Term {
        self.make(Op::Real(Rc::new(r)), &[], Self::REAL)
    }

    /// The literal that an integer term is, if it is one.
    pub fn as_int(&self, t: Term) -> Option<Int> {
        match self.node(t).op {
            Op::Int(n) => Some(n),
            _ => None,
        }
    }

    fn as_real(&self, t: Term) -> Option<Rc<BigRational>> {
        match self.node(t).op {
            Op::Real(r) => Some(r),
            _ => None,
        }
    }

    /// Sum of integers or of reals: flat, literals added up, like terms collected.
    ///
    /// # Panics
    /// Without arguments: the sort of an empty sum is unknown.
    pub fn add(&self, args: impl IntoIterator<Item = Term>) -> Term {
        let args: Vec<Term> = args.into_iter().collect();
        let sort = self.sort_of(*args.first().expect("a sum has operands"));
        let mut flat = vec![];
        for a in args {
            let n = self.node(a);
            if n.op == Op::Add { flat.extend(n.args.iter().copied()) } else { flat.push(a) }
        }
        if sort == Self::REAL {
            let mut constant: Option<BigRational> = None;
            let mut rest = vec![];
            for a in flat {
                match self.as_real(a) {
                    Some(r) => constant = Some(constant.map_or_else(|| (*r).clone(), |c| c + &*r)),
                    None => rest.push(a),
                }
            }
            let zero = BigRational::from_integer(0.into());
            rest.sort();
            if let Some(c) = constant.filter(|c| *c != zero || rest.is_empty()) {
                rest.push(self.real(c));
            }
            return if rest.len() == 1 { rest[0] } else { self.make(Op::Add, &rest, sort) };
        }
        let mut constant = Int::ZERO;
        let mut factors: std::collections::BTreeMap<Term, Int> = Default::default();
        for a in flat {
            let n = self.node(a);
            match &n.op {
                Op::Int(i) => constant = &constant + i,
                Op::Mul if self.as_int(n.args[0]).is_some() => {
                    let k = self.as_int(n.args[0]).expect("just seen");
                    let e = factors.entry(n.args[1]).or_insert(Int::ZERO);
                    *e = &*e + &k;
                }
                _ => {
                    let e = factors.entry(a).or_insert(Int::ZERO);
                    *e = &*e + &Int::ONE;
                }
            }
        }
        let mut sum: Vec<Term> = factors
            .into_iter()
            .filter(|(_, k)| !k.is_zero())
            .map(|(t, k)| if k == Int::ONE { t } else { self.make(Op::Mul, &[self.int(k), t], sort) })
            .collect();
        if !constant.is_zero() || sum.is_empty() {
            sum.push(self.int(constant));
        }
        if sum.len() == 1 { sum[0] } else { self.make(Op::Add, &sum, sort) }
    }

    /// `-a`
    pub fn neg(&self, a: Term) -> Term {
        if self.sort_of(a) == Self::REAL {
            self.mul(self.real(BigRational::from_integer((-1).into())), a)
        } else {
            self.mul(self.int(-1), a)
        }
    }

    /// `a - b`
    pub fn sub(&self, a: Term, b: Term) -> Term {
        self.add([a, self.neg(b)])
    }

    /// Product of two integers or two reals; a literal comes first.
    pub fn mul(&self, a: Term, b: Term) -> Term {
        let sort = self.sort_of(a);
        if sort == Self::REAL {
            if let (Some(x), Some(y)) = (self.as_real(a), self.as_real(b)) {
                return self.real(&*x * &*y);
            }
            let (a, b) = if self.as_real(b).is_some() || (self.as_real(a).is_none() && b < a) {
                (b, a)
            } else {
                (a, b)
            };
            return self.make(Op::Mul, &[a, b], sort);
        }
        match (self.as_int(a), self.as_int(b)) {
            (Some(x), Some(y)) => self.int(&x * &y),
            (None, Some(_)) => self.mul(b, a),
            (Some(k), None) => {
                if k.is_zero() {
                    return self.int(0);
                }
                if k == Int::ONE {
                    return b;
                }
                let n = self.node(b);
                match n.op {
                    // Literals are distributed, so that like terms meet in a sum.
                    Op::Add => self.add(n.args.iter().map(|&t| self.mul(a, t))),
                    Op::Mul if self.as_int(n.args[0]).is_some() => {
                        self.mul(self.mul(a, n.args[0]), n.args[1])
                    }
                    _ => self.make(Op::Mul, &[a, b], sort),
                }
            }
            (None, None) => {
                let (a, b) = if a < b { (a, b) } else { (b, a) };
                self.make(Op::Mul, &[a, b], sort)
            }
        }
    }

    /// SMT-LIB `div`: rounds so that the remainder is not negative.
    pub fn div(&self, a: Term, b: Term) -> Term {
        use num_integer::Integer;
        match (self.as_int(a), self.as_int(b)) {
            (Some(x), Some(y)) if !y.is_zero() => {
                let (x, y) = (x.to_big(), y.to_big());
                let q = if y.sign() == num_bigint::Sign::Minus { -x.div_floor(&-y) } else { x.div_floor(&y) };
                self.int(q)
            }
            (None, Some(y)) if y == Int::ONE => a,
            _ => self.make(Op::Div, &[a, b], Self::INT),
        }
    }

    /// SMT-LIB `mod`: never negative.
    pub fn modulo(&self, a: Term, b: Term) -> Term {
        match (self.as_int(a), self.as_int(b)) {
            (Some(_), Some(y)) if !y.is_zero() => {
                let q = self.div(a, b);
                self.sub(a, self.mul(b, q))
            }
            (None, Some(y)) if y == Int::ONE => self.int(0),
            _ => self.make(Op::Mod, &[a, b], Self::INT),
        }
    }

    /// Quotient of B: truncates towards zero, `div` of the absolute values with the sign put back.
    pub fn div_trunc(&self, a: Term, b: Term) -> Term {
        let zero = self.int(0);
        let positive = self.div(a, b);
        let negative = self.neg(self.div(self.neg(a), b));
        self.ite(self.le(zero, a), positive, negative)
    }

    /// Quotient of reals.
    pub fn real_div(&self, a: Term, b: Term) -> Term {
        match (self.as_real(a), self.as_real(b)) {
            (Some(x), Some(y)) if *y != BigRational::from_integer(0.into()) => self.real(&*x / &*y),
            _ => self.make(Op::RealDiv, &[a, b], Self::REAL),
        }
    }

    /// `a <= b`
    pub fn le(&self, a: Term, b: Term) -> Term {
        self.order(Op::Le, a, b, true)
    }

    /// `a < b`
    pub fn lt(&self, a: Term, b: Term) -> Term {
        self.order(Op::Lt, a, b, false)
    }

    fn order(&self, op: Op, a: Term, b: Term, on_equal: bool) -> Term {
        if a == b {
            return self.bool(on_equal);
        }
        if self.sort_of(a) == Self::INT {
            if let Some(d) = self.as_int(self.sub(a, b)) {
                return self.bool(d.is_negative() || (on_equal && d.is_zero()));
            }
        } else if let (Some(x), Some(y)) = (self.as_real(a), self.as_real(b)) {
            return self.bool(x < y || (on_equal && x == y));
        }
        self.make(op, &[a, b], Self::BOOL)
    }

    /// `a >= b`
    pub fn ge(&self, a: Term, b: Term) -> Term {
        self.le(b, a)
    }

    /// `a > b`
    pub fn gt(&self, a: Term, b: Term) -> Term {
        self.lt(b, a)
    }

    /// An integer as a real.
    pub fn to_real(&self, a: Term) -> Term {
        match self.as_int(a) {
            Some(n) => self.real(BigRational::from_integer(n.to_big())),
            None => self.make(Op::ToReal, &[a], Self::REAL),
        }
    }

    /// The largest integer not above a real.
    pub fn floor(&self, a: Term) -> Term {
        match self.as_real(a) {
            Some(r) => self.int(r.floor().to_integer()),
            None => self.make(Op::Floor, &[a], Self::INT),
        }
    }
}
