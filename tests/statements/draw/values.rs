//! Values of a set, mostly written as something that lies in it.

use super::super::domain::{Domain, Kind};
use super::super::machine::Formula;
use super::{Draw, Name, integer};

impl Draw {
    /// A domain of a name that is in scope, or a new one.
    pub(super) fn named_domain(&mut self) -> Domain {
        if !self.names.is_empty() && self.one_in(2) {
            return self.pick(&self.names.clone()).domain;
        }
        self.domain_within(16.0).unwrap_or(Domain::Bool)
    }

    /// A domain small enough for all its values to be tried.
    pub(super) fn bound_domain(&mut self) -> Option<Domain> {
        let domain = match self.one_in(2) {
            true => self.named_domain(),
            false => self.simple(),
        };
        (!matches!(domain, Domain::Sequence(..)) && self.size(&domain) <= 16.0).then_some(domain)
    }

    /// Names of a kind that have a value; seldom one that may have none.
    pub(super) fn named(&mut self, kind: &Kind) -> Vec<String> {
        let careless = self.one_in(25);
        self.names
            .iter()
            .filter(|n| (n.assigned || careless) && n.domain.kind() == *kind)
            .map(|n| n.name.clone())
            .collect()
    }

    /// A value of the domain while the typing conjuncts hold; none where no element of a set has a name.
    pub(super) fn value(&mut self, domain: &Domain) -> Option<Formula> {
        let same: Vec<String> =
            self.names.iter().filter(|n| n.assigned && n.domain == *domain).map(|n| n.name.clone()).collect();
        // Itself is a part of a new value, but no new value.
        let other: Vec<String> = same.iter().filter(|n| Some(*n) != self.avoid.as_ref()).cloned().collect();
        if !other.is_empty() && self.one_in(3) {
            return Some(Formula::new(self.pick(&other)));
        }
        let text = match domain {
            Domain::Range(a, b) => {
                let number = a + self.below((b - a + 1) as usize) as i64;
                let counted: Vec<String> =
                    self.named(&Kind::Int).into_iter().filter(|n| !n.starts_with("MA")).collect();
                if counted.is_empty() || self.one_in(2) {
                    return Some(Formula::new(integer(number)));
                }
                let name = self.pick(&counted);
                let smaller = vec![Formula::new(integer(number))];
                let text = match self.below(3) {
                    0 => format!("max({{{}, min({{{name}, {b}}})}})", integer(*a)),
                    1 if *a == 0 => format!("(max({{0, {name} + {}}}) mod {})", 1 + self.below(2), b + 1),
                    _ => return self.guarded(domain, &name, number),
                };
                return Some(Formula::with(text, smaller));
            }
            Domain::Bool => match self.below(3) {
                0 if self.nesting < 2 => {
                    let p = self.predicate(1);
                    return Some(Formula::with(format!("bool({p})"), vec![Formula::new("TRUE")]));
                }
                1 => "TRUE".into(),
                _ => "FALSE".into(),
            },
            Domain::Text => self.pick(&["\"a\"", "\"b\""]).into(),
            Domain::Carrier(set) => {
                let elements = self.sets.iter().find(|(n, _)| n == set).map_or(vec![], |(_, e)| e.clone());
                if elements.is_empty() {
                    if same.is_empty() {
                        return None;
                    }
                    self.pick(if other.is_empty() { &same } else { &other })
                } else {
                    self.pick(&elements)
                }
            }
            Domain::Pair(a, b) => format!("({} |-> {})", self.value(a)?, self.value(b)?),
            Domain::Record(a, b) => format!("rec(a : {}, b : {})", self.value(a)?, self.value(b)?),
            Domain::Power(a) => return Some(self.subset(a, &same)),
            Domain::Arrow(arrow, a, b) => return self.function(arrow, a, b, &same),
            Domain::Sequence(a, n) => {
                let items: Option<Vec<Formula>> = (0..self.below(n + 1)).map(|_| self.value(a)).collect();
                match items {
                    Some(items) if !items.is_empty() => {
                        let items: Vec<_> = items.iter().map(Formula::to_string).collect();
                        return Some(Formula::with(
                            format!("[{}]", items.join(", ")),
                            vec![Formula::new("[]")],
                        ));
                    }
                    _ if self.typed => match self.value(a) {
                        Some(e) => format!("tail([{e}])"),
                        None => return None,
                    },
                    _ => "[]".into(),
                }
            }
        };
        Some(Formula::new(text))
    }

    /// A step of a counter that turns around at the ends of its range.
    pub(super) fn guarded(&mut self, domain: &Domain, name: &str, number: i64) -> Option<Formula> {
        let Domain::Range(a, b) = domain else { return None };
        let span = b - a + 1;
        let shift = 1 + self.below(2) as i64;
        let smaller = vec![Formula::new(integer(number))];
        // The remainder of a negative number is ill-defined; distances are not negative.
        let text = format!(
            "({} + (max({{{name} - {}, 0}}) + {shift}) mod {span})",
            integer(*a),
            if *a < 0 { format!("({a})") } else { a.to_string() },
        );
        Some(Formula::with(text, smaller))
    }

    /// A subset of a domain.
    pub(super) fn subset(&mut self, of: &Domain, same: &[String]) -> Formula {
        let element = self.value(of);
        let set = of.text();
        let empty = Formula::new(format!("({set} - {set})"));
        let Some(element) = element else {
            return match self.below(3) {
                _ if !same.is_empty() && self.one_in(2) => {
                    let name = self.pick(same);
                    Formula::with(format!("({} - {name})", of.operand()), vec![Formula::new(name)])
                }
                0 => Formula::new(set),
                1 => self.comprehension(of),
                _ => self.empty(of),
            };
        };
        let single = Formula::new(format!("{{{element}}}"));
        match self.below(8) {
            0 if !matches!(of, Domain::Sequence(..)) => Formula::new(set),
            1 => self.empty(of),
            2 if !matches!(of, Domain::Sequence(..)) => self.comprehension(of),
            3 if !matches!(of, Domain::Sequence(..)) => {
                Formula::with(format!("({} - {single})", of.operand()), vec![empty])
            }
            4..=6 if !same.is_empty() => {
                let name = self.pick(same);
                let op = self.pick(&["\\/", "-", "\\/", "/\\"]);
                Formula::with(format!("({name} {op} {single})"), vec![Formula::new(name), single])
            }
            _ => match self.value(of) {
                Some(other) if self.one_in(2) => {
                    Formula::with(format!("{{{element}, {other}}}"), vec![single])
                }
                _ => single,
            },
        }
    }

    pub(super) fn comprehension(&mut self, of: &Domain) -> Formula {
        if self.nesting >= 2 || matches!(of, Domain::Sequence(..)) || self.size(of) > 32.0 {
            return self.empty(of);
        }
        let name = self.fresh("z");
        self.names.push(Name { name: name.clone(), domain: of.clone(), assigned: true });
        let p = self.predicate(1);
        self.names.pop();
        let empty = self.empty(of);
        Formula::with(format!("{{{name} | {name} : {} & {p}}}", of.text()), vec![empty])
    }

    pub(super) fn function(
        &mut self,
        arrow: &str,
        a: &Domain,
        b: &Domain,
        same: &[String],
    ) -> Option<Formula> {
        let (from, to) = (a.operand(), b.operand());
        let empty = self.empty(&Domain::Pair(Box::new(a.clone()), Box::new(b.clone())));
        let point = match (self.value(a), self.value(b)) {
            (Some(x), Some(y)) => Some(Formula::new(format!("{{{x} |-> {y}}}"))),
            _ => None,
        };
        let total = match self.value(b) {
            Some(y) => match self.one_in(3) && self.size(a) <= 32.0 {
                true => {
                    let name = self.fresh("z");
                    self.names.push(Name { name: name.clone(), domain: a.clone(), assigned: true });
                    let y = self.value(b).unwrap_or(y);
                    self.names.pop();
                    Some(Formula::new(format!("%{name}.({name} : {} | {y})", a.text())))
                }
                false => Some(Formula::new(format!("({from} * {{{y}}})"))),
            },
            None => None,
        };
        let old = if same.is_empty() { None } else { Some(self.pick(same)) };
        match (arrow, old) {
            ("-->", Some(old)) if self.below(3) > 0 => {
                point.map(|p| Formula::with(format!("({old} <+ {p})"), vec![Formula::new(old)]))
            }
            ("-->", _) => total,
            (">+>", Some(old)) if self.one_in(2) => {
                Some(match self.value(&Domain::Power(Box::new(a.clone()))) {
                    Some(set) => Formula::with(format!("({set} <<| {old})"), vec![Formula::new(old)]),
                    None => empty,
                })
            }
            (">+>", _) => point.or(Some(empty)),
            (_, Some(old)) => {
                let kept = vec![Formula::new(old.clone())];
                let (sources, targets) =
                    (Domain::Power(Box::new(a.clone())), Domain::Power(Box::new(b.clone())));
                Some(match (self.below(8), point) {
                    (0, _) => Formula::with(format!("({} <<| {old})", self.value(&sources)?), kept),
                    (1, _) => Formula::with(format!("({} <| {old})", self.value(&sources)?), kept),
                    (2, _) => Formula::with(format!("({old} |> {})", self.value(&targets)?), kept),
                    (3, _) => Formula::with(format!("({old} |>> {})", self.value(&targets)?), kept),
                    (4, Some(p)) if arrow == "<->" => Formula::with(format!("({old} \\/ {p})"), kept),
                    (_, Some(p)) => Formula::with(format!("({old} <+ {p})"), kept),
                    _ if arrow == "<->" && self.one_in(2) => {
                        Formula::with(format!("(({from} * {to}) - {old})"), kept)
                    }
                    _ => empty,
                })
            }
            ("<->", None) if self.one_in(4) => Some(Formula::new(format!("({from} * {to})"))),
            ("+->", None) if self.one_in(3) => total,
            _ => point.filter(|_| self.below(3) > 0).or(Some(empty)),
        }
    }

    /// Returns the empty set of a domain, written with its type where nothing else shows it.
    pub(super) fn empty(&mut self, of: &Domain) -> Formula {
        if !self.typed {
            return Formula::new("{}");
        }
        let element = if self.nesting < 2 && self.one_in(2) { self.value(of) } else { None };
        Formula::new(match element {
            Some(e) => format!("({{{e}}} - {{{e}}})"),
            None => format!("{{z | z : {} & z /= z}}", of.text()),
        })
    }

    /// Part of a domain, not empty mostly.
    pub(super) fn part_of(&mut self, domain: &Domain) -> Formula {
        let all = Formula::new(domain.text());
        match self.below(5) {
            0 => match self.value(domain) {
                Some(value) => Formula::with(format!("({} - {{{value}}})", domain.operand()), vec![all]),
                None => all,
            },
            1 => match (self.value(domain), self.value(domain)) {
                (Some(a), Some(b)) => Formula::with(format!("{{{a}, {b}}}"), vec![all]),
                _ => all,
            },
            2 if !matches!(domain, Domain::Sequence(..)) && self.size(domain) <= 32.0 => {
                self.comprehension(domain)
            }
            _ => all,
        }
    }
}
