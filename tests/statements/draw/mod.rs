//! Draws machines: of every statement and every type of variables, well-typed, and mostly small enough for every state
//! to be visited. The same number always gives the same machine.
//!
//! Values that are written into a variable mostly lie in the set that the invariant names for it: because of the way
//! they are built, or because a condition requires it. Violations arise where chance leaves the condition out, and
//! where a local variable is read that may have no value.

mod domains;
mod expressions;
mod predicates;
pub mod relations;
mod statements;
mod values;

use super::domain::Domain;
use super::machine::{Formula, Machine, Operation, Statement};

/// A name that formulas may use.
#[derive(Clone, Debug)]
struct Name {
    name: String,
    domain: Domain,
    /// `true` if it has a value wherever it is read now.
    assigned: bool,
}

/// An operation that may be called.
#[derive(Clone, Debug)]
struct Callable {
    name: String,
    results: Vec<Domain>,
    parameters: Vec<Domain>,
}

/// Variables that a statement may write, and the operations that it may call.
#[derive(Clone, Debug, Default)]
struct May {
    write: Vec<(String, Domain)>,
    call: Vec<Callable>,
}

/// The most states that the sets of a machine's variables may span, about.
const STATES: f64 = 3000.0;

/// The machine of a number.
pub fn machine(number: u64) -> Machine {
    Draw::new(number).machine()
}

struct Draw {
    state: u64,
    /// Names of sets and of their elements.
    sets: Vec<(String, Vec<String>)>,
    names: Vec<Name>,
    fresh: usize,
    /// `true` if an empty set has to show its type: the variable it is written into has no other.
    typed: bool,
    /// Nesting depth of predicates; values stay simple from some depth on.
    nesting: usize,
    /// `true` if the machine is small, so that engines decide more of it.
    small: bool,
    /// Name that a value is drawn for; the name itself would be a trivial value.
    avoid: Option<String>,
    types: std::collections::BTreeSet<&'static str>,
}

impl Draw {
    fn new(number: u64) -> Draw {
        // SplitMix64, so that numbers next to each other give machines that have nothing in common.
        let mut z = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Draw {
            state: (z ^ (z >> 31)) | 1,
            sets: vec![],
            names: vec![],
            fresh: 0,
            typed: false,
            nesting: 0,
            small: false,
            avoid: None,
            types: Default::default(),
        }
    }

    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 20) % n as u64) as usize
    }

    /// True once in `n` times.
    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }
}

/// Sections.
impl Draw {
    fn machine(&mut self) -> Machine {
        self.small = self.one_in(2);
        if !self.one_in(4) {
            self.sets.push(("D".into(), vec![]));
        }
        if self.one_in(2) {
            let n = 2 + self.below(2);
            self.sets.push(("E".into(), (1..=n).map(|i| format!("e{i}")).collect()));
        }
        let mut room = STATES;
        let mut may = May::default();
        let included = (!self.small && self.one_in(3)).then(|| self.included(&mut room, &mut may));
        let mut main = Machine {
            name: "Drawn".into(),
            sets: if included.is_some() { vec![] } else { self.sets.clone() },
            includes: included.map(Box::new),
            integers: (!self.one_in(3)).then_some((-1, 4)),
            ..Machine::default()
        };
        self.constants(&mut main);
        let count = 1 + self.below(if self.small { 2 } else { 4 });
        for i in 0..count {
            if let Some(domain) = self.domain_within(room) {
                room /= self.size(&domain);
                let name = format!("v{i}");
                self.declare(&mut main, &name, &domain);
                may.write.push((name, domain));
            }
        }
        for _ in 0..self.below(3) {
            let p = self.conjunct();
            main.invariant.push(p);
        }
        if self.one_in(8) {
            let p = self.conjunct();
            main.assertions.push(p);
        }
        let least = if self.small { 1 } else { 2 };
        for i in 0..least + self.below(3) {
            let operation = self.operation(format!("op{i}"), &may);
            main.operations.push(operation);
        }
        main.types = std::mem::take(&mut self.types);
        main
    }

    /// A machine with one or two variables and operations with results and preconditions.
    fn included(&mut self, room: &mut f64, may: &mut May) -> Machine {
        let mut inner = Machine { name: "Inner".into(), sets: self.sets.clone(), ..Machine::default() };
        let mut own = May::default();
        if let Some((set, _)) = self.sets.iter().find(|(_, elements)| elements.is_empty()).cloned() {
            let name = String::from("ci");
            inner.constants.push(name.clone());
            inner.properties.push(Formula::new(format!("{name} : {set}")));
            self.names.push(Name { name, domain: Domain::Carrier(set), assigned: true });
        }
        for i in 0..1 + self.below(2) {
            if let Some(domain) = self.domain_within(40.0) {
                *room /= self.size(&domain);
                let name = format!("w{i}");
                self.declare(&mut inner, &name, &domain);
                own.write.push((name, domain));
            }
        }
        if self.one_in(3) {
            let p = self.conjunct();
            inner.invariant.push(p);
        }
        for i in 0..1 + self.below(2) {
            let before = self.names.len();
            let results: Vec<Domain> = (0..self.below(2)).filter_map(|_| self.domain_within(9.0)).collect();
            let name = format!("call{i}");
            let (operation, parameters) = self.operation_with(name.clone(), &own, &results);
            self.names.truncate(before);
            may.call.push(Callable { name, results, parameters });
            inner.operations.push(operation);
        }
        inner
    }

    fn constants(&mut self, main: &mut Machine) {
        let deferred = main.deferred();
        let known = std::mem::take(&mut self.names);
        let least = usize::from(!deferred.is_empty());
        for i in 0..least + self.below(3) {
            let name = format!("c{i}");
            let domain = match deferred.first() {
                // An element with a name, so that values can be written down.
                Some(set) if i == 0 && !self.one_in(8) => Domain::Carrier(set.clone()),
                Some(set) if self.one_in(2) => {
                    let carrier = Domain::Carrier(set.clone());
                    if self.one_in(3) { Domain::Power(Box::new(carrier)) } else { carrier }
                }
                _ => match self.domain_within(9.0) {
                    Some(domain) => domain,
                    None => continue,
                },
            };
            main.constants.push(name.clone());
            main.properties.push(Formula::new(format!("{name} : {}", domain.text())));
            self.types.insert(domain.name());
            self.names.push(Name { name: name.clone(), domain: domain.clone(), assigned: true });
            if let Domain::Power(_) = domain
                && self.one_in(2)
            {
                // Sometimes no set has both so many elements and so few.
                let (low, high) = (self.below(3), 1 + self.below(4));
                main.properties.push(Formula::new(format!("card({name}) >= {low}")));
                if self.one_in(2) {
                    main.properties.push(Formula::new(format!("card({name}) < {high}")));
                }
            } else if self.one_in(7) {
                let p = self.predicate(1);
                main.properties.push(p);
            }
        }
        self.names.extend(known);
    }

    /// A variable with its typing conjuncts and its initialisation.
    fn declare(&mut self, machine: &mut Machine, name: &str, domain: &Domain) {
        let known = std::mem::take(&mut self.names);
        // An initialisation reads no variable.
        self.names = known.iter().filter(|n| n.name.starts_with('c')).cloned().collect();
        let value = self.value(domain).filter(|_| !self.one_in(6));
        self.names = known;
        machine.initialisation.push(match value {
            Some(value) => Statement::Assign(vec![(name.into(), value)]),
            None => match domain {
                Domain::Sequence(..) => Statement::Assign(vec![(name.into(), Formula::new("[]"))]),
                _ => Statement::Element(name.into(), Formula::new(domain.text())),
            },
        });
        machine.variables.push(name.into());
        machine.invariant.push(Formula::new(format!("{name} : {}", domain.text())));
        if let Domain::Sequence(_, n) = domain {
            machine.invariant.push(Formula::new(format!("size({name}) <= {n}")));
        }
        self.types.insert(domain.name());
        self.names.push(Name { name: name.into(), domain: domain.clone(), assigned: true });
    }

    /// A conjunct that is often true: what is drawn is weakened by a condition or by a value that is rare.
    fn conjunct(&mut self) -> Formula {
        let p = self.predicate(2);
        match self.below(9) {
            0 => p,
            1 | 2 => {
                let q = self.predicate(1);
                Formula::with(format!("({q} => {p})"), vec![p, q])
            }
            3 | 4 => {
                let (q, r) = (self.predicate(1), self.predicate(1));
                Formula::with(format!("({q} or {p} or {r})"), vec![p, q, r])
            }
            _ => {
                // A set is not everything, a number is not one of a few: often true, seldom inductive.
                let named = self.variables();
                let Some(n) = named.get(self.below(named.len().max(1))).cloned() else { return p };
                match (&n.domain, self.value(&n.domain)) {
                    (Domain::Power(a), _) if self.one_in(2) => {
                        Formula::new(format!("{} /= {}", n.name, a.text()))
                    }
                    (Domain::Range(_, high), _) => {
                        let q = self.predicate(1);
                        Formula::with(format!("({} = {high} => {q})", n.name), vec![q])
                    }
                    (_, Some(value)) => {
                        let q = self.predicate(1);
                        Formula::with(format!("({} = {value} => {q})", n.name), vec![q])
                    }
                    _ => p,
                }
            }
        }
    }

    fn variables(&self) -> Vec<Name> {
        self.names.iter().filter(|n| n.name.starts_with(['v', 'w'])).cloned().collect()
    }

    fn operation(&mut self, name: String, may: &May) -> Operation {
        let before = self.names.len();
        let results: Vec<Domain> = match self.one_in(4) {
            true => self.domain_within(9.0).into_iter().collect(),
            false => vec![],
        };
        let (operation, _) = self.operation_with(name, may, &results);
        self.names.truncate(before);
        operation
    }

    fn operation_with(&mut self, name: String, may: &May, results: &[Domain]) -> (Operation, Vec<Domain>) {
        let mut parameters = vec![];
        for _ in 0..self.below(3) {
            let domain = match self.sets.first().cloned() {
                Some((set, _)) if self.one_in(2) => Some(Domain::Carrier(set)),
                _ => self.domain_within(8.0).filter(|d| !matches!(d, Domain::Sequence(..))),
            };
            if let Some(domain) = domain {
                let name = self.fresh("p");
                self.names.push(Name { name: name.clone(), domain: domain.clone(), assigned: true });
                parameters.push((name, domain));
            }
        }
        let mut may = may.clone();
        let mut named = vec![];
        for domain in results {
            let name = self.fresh("r");
            self.names.push(Name { name: name.clone(), domain: domain.clone(), assigned: false });
            may.write.push((name.clone(), domain.clone()));
            named.push(name);
        }
        let depth = if self.small { self.below(2) } else { 1 + self.below(3) };
        let mut body = self.statement(&may, depth);
        // Results without a value are rare by intent, not by chance.
        let open: Vec<(String, Domain)> = results
            .iter()
            .zip(&named)
            .filter(|(_, n)| self.names.iter().any(|k| k.name == **n && !k.assigned))
            .map(|(d, n)| (n.clone(), d.clone()))
            .collect();
        if !open.is_empty() {
            let mut all = vec![body];
            for (name, domain) in open {
                let p = self.one_in(6).then(|| self.predicate(1));
                let s = self.assignment(&name, &domain);
                all.push(match p {
                    Some(p) => Statement::If(vec![(p, s)], None),
                    None => s,
                });
            }
            body = Statement::Sequence(all);
        }
        if self.one_in(2) {
            let p = self.predicate(1);
            body = match self.below(3) {
                0 if !parameters.is_empty() => Statement::Pre(vec![p], Box::new(body)),
                _ => Statement::Select(vec![(vec![p], body)], None),
            };
        }
        let domains = parameters.iter().map(|(_, d)| d.clone()).collect();
        let parameters = parameters.into_iter().map(|(n, d)| (n, d.text())).collect();
        (Operation { name, results: named, parameters, body }, domains)
    }
}

/// An integer as an operand.
fn integer(n: i64) -> String {
    if n < 0 { format!("({n})") } else { n.to_string() }
}
