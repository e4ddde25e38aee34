//! Domains that variables are drawn from.

use std::collections::BTreeMap;

use super::super::domain::Domain;
use super::Draw;

impl Draw {
    pub(super) fn size(&self, domain: &Domain) -> f64 {
        let sets: BTreeMap<&str, usize> = self.sets.iter().map(|(n, e)| (n.as_str(), e.len())).collect();
        domain.size(&|s| sets.get(s).copied().filter(|n| *n > 0).unwrap_or(2))
    }

    /// A domain of at most that many values, but two at least.
    pub(super) fn domain_within(&mut self, room: f64) -> Option<Domain> {
        for _ in 0..6 {
            let domain = self.domain(2);
            if (2.0..=room.min(600.0)).contains(&self.size(&domain)) {
                return Some(domain);
            }
        }
        (room >= 2.0).then_some(Domain::Bool)
    }

    pub(super) fn simple(&mut self) -> Domain {
        if !self.sets.is_empty() && self.below(5) < 3 {
            let (set, _) = self.pick(&self.sets.clone());
            return Domain::Carrier(set);
        }
        match self.below(8) {
            0..=3 => {
                let low = self.pick(&[0, 0, 0, 1, -1, -2]);
                Domain::Range(low, low + 1 + self.below(3) as i64)
            }
            4..=6 => Domain::Bool,
            _ => Domain::Text,
        }
    }

    pub(super) fn domain(&mut self, depth: usize) -> Domain {
        let inner = |g: &mut Draw| {
            let domain = if depth > 1 && g.one_in(4) { g.domain(depth - 1) } else { g.simple() };
            // Sequences are no finite set to choose from.
            Box::new(if matches!(domain, Domain::Sequence(..)) { g.simple() } else { domain })
        };
        match self.below(13) {
            0 | 1 => self.simple(),
            2 => Domain::Range(0, 3 + self.below(6) as i64),
            3 | 4 => Domain::Power(inner(self)),
            5 => Domain::Power(Box::new(Domain::Power(Box::new(self.simple())))),
            6 => Domain::Arrow("<->", Box::new(self.simple()), inner(self)),
            7 | 8 => Domain::Arrow("+->", Box::new(self.simple()), inner(self)),
            9 => Domain::Arrow("-->", Box::new(self.simple()), inner(self)),
            10 => match self.below(3) {
                0 => Domain::Arrow(">+>", Box::new(self.simple()), Box::new(self.simple())),
                _ => {
                    let (a, b, c) = (self.simple(), self.simple(), self.simple());
                    let arrow = self.pick(&["-->", "+->"]);
                    Domain::Arrow(
                        arrow,
                        Box::new(a),
                        Box::new(Domain::Arrow("-->", Box::new(b), Box::new(c))),
                    )
                }
            },
            11 => Domain::Sequence(Box::new(self.simple()), 1 + self.below(3)),
            _ => Domain::Record(inner(self), inner(self)),
        }
    }
}
