//! Bounds of an integer.

/// Bounds farther out than this count as no bounds.
const FAR: i128 = 1 << 100;

/// Bounds of an integer; `None` is unbounded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Bounds {
    pub low: Option<i128>,
    pub high: Option<i128>,
}

impl Bounds {
    pub fn exactly(n: i128) -> Bounds {
        Bounds { low: Some(n), high: Some(n) }
    }

    pub fn of(low: Option<i128>, high: Option<i128>) -> Bounds {
        Bounds { low: low.filter(|n| n.abs() < FAR), high: high.filter(|n| n.abs() < FAR) }
    }

    pub fn negated(self) -> Bounds {
        Bounds { low: self.high.map(|h| -h), high: self.low.map(|l| -l) }
    }

    pub fn plus(self, other: Bounds) -> Bounds {
        let sum = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
        Bounds::of(sum(self.low, other.low), sum(self.high, other.high))
    }

    pub fn times(self, other: Bounds) -> Bounds {
        if let (Some(a), Some(b), Some(c), Some(d)) = (self.low, self.high, other.low, other.high) {
            let products = [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)];
            return match products {
                [Some(p), Some(q), Some(r), Some(s)] => {
                    Bounds::of(Some(p.min(q).min(r).min(s)), Some(p.max(q).max(r).max(s)))
                }
                _ => Bounds::default(),
            };
        }
        match (self.low, other.low) {
            (Some(l), Some(m)) if l >= 0 && m >= 0 => Bounds::of(l.checked_mul(m), None),
            _ => Bounds::default(),
        }
    }

    pub fn is_empty(self) -> bool {
        matches!((self.low, self.high), (Some(l), Some(h)) if l > h)
    }

    pub fn meet(self, other: Bounds) -> Bounds {
        let low = match (self.low, other.low) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        let high = match (self.high, other.high) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Bounds { low, high }
    }

    pub fn point(self) -> Option<i128> {
        self.low.filter(|l| self.high == Some(*l))
    }
}
