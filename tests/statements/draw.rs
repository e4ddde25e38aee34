//! Draws machines: of every statement and every type of variables, well-typed, and mostly small enough
//! for every state to be visited. The same number gives the same machine.
//!
//! What is written into a variable mostly lies in the set that the invariant names for it: by the way it is
//! built, or because a condition asks. Where chance leaves the condition out, and where a local is read
//! that may have no value, are the violations.

use std::collections::BTreeMap;

use super::domain::{Domain, Kind};
use super::machine::{Conjuncts, Formula, Machine, Operation, Statement};

/// A name that formulas may use.
#[derive(Clone, Debug)]
struct Name {
    name: String,
    domain: Domain,
    /// Whether it has a value wherever it is read now.
    assigned: bool,
}

/// An operation that may be called.
#[derive(Clone, Debug)]
struct Callable {
    name: String,
    results: Vec<Domain>,
    parameters: Vec<Domain>,
}

/// What a statement may write, and the operations that it may call.
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
    /// Whether an empty set has to show its type: what it is written into has no other.
    typed: bool,
    /// How many predicates are inside one another; values stay simple inside a few.
    nesting: usize,
    /// Whether the machine has little in it, so that engines decide more of it.
    small: bool,
    /// The name that a value is drawn for, which would be a dull value.
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
                // Sometimes no set has so many elements and so few.
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

/// Domains.
impl Draw {
    fn size(&self, domain: &Domain) -> f64 {
        let sets: BTreeMap<&str, usize> = self.sets.iter().map(|(n, e)| (n.as_str(), e.len())).collect();
        domain.size(&|s| sets.get(s).copied().filter(|n| *n > 0).unwrap_or(2))
    }

    /// A domain of at most that many values, but two at least.
    fn domain_within(&mut self, room: f64) -> Option<Domain> {
        for _ in 0..6 {
            let domain = self.domain(2);
            if (2.0..=room.min(600.0)).contains(&self.size(&domain)) {
                return Some(domain);
            }
        }
        (room >= 2.0).then_some(Domain::Bool)
    }

    fn simple(&mut self) -> Domain {
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

    fn domain(&mut self, depth: usize) -> Domain {
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

/// Statements.
impl Draw {
    fn statement(&mut self, may: &May, depth: usize) -> Statement {
        if may.write.is_empty() && may.call.is_empty() {
            return Statement::Skip;
        }
        if depth == 0 {
            return self.step(may);
        }
        let n = depth - 1;
        match self.below(17) {
            0 => {
                let p = self.predicate(1);
                let (branches, rest) = self.branches(may, n, vec![p], 3);
                Statement::If(branches.into_iter().map(|(mut p, s)| (p.remove(0), s)).collect(), rest)
            }
            1 => {
                let (p, q) = (self.predicate(1), self.predicate(1));
                let all = if self.one_in(2) { vec![p] } else { vec![p, q] };
                let (branches, rest) = self.branches(may, n, all, 2);
                Statement::Select(branches, rest)
            }
            2 => {
                let all = self.alternatives(may, n, 2 + usize::from(self.state.is_multiple_of(3)));
                Statement::Choice(all)
            }
            3 => self.case(may, n),
            4 | 5 => {
                let before = self.names.len();
                let names: Vec<(String, Domain)> = (0..1 + usize::from(self.one_in(4)))
                    .filter_map(|_| Some((self.fresh("y"), self.bound_domain()?)))
                    .collect();
                for (name, domain) in &names {
                    self.names.push(Name { name: name.clone(), domain: domain.clone(), assigned: true });
                }
                let p = if self.one_in(2) { vec![self.predicate(1)] } else { vec![] };
                let body = self.statement(may, n);
                self.names.truncate(before);
                if names.is_empty() {
                    return body;
                }
                Statement::Any(names.into_iter().map(|(n, d)| (n, d.text())).collect(), p, Box::new(body))
            }
            6 => {
                let (name, domain) = (self.fresh("y"), self.named_domain());
                let outer = std::mem::replace(&mut self.typed, true);
                let value = self.expression(&domain.kind(), 1);
                self.typed = outer;
                self.names.push(Name { name: name.clone(), domain, assigned: true });
                let body = self.statement(may, n);
                self.names.pop();
                Statement::Let(name, value, Box::new(body))
            }
            7 | 8 => self.local(may, n),
            9 | 10 => {
                let mut all = vec![self.statement(may, n), self.statement(may, n)];
                if self.one_in(4) {
                    all.push(self.statement(may, 0));
                }
                Statement::Sequence(all)
            }
            11 | 12 => self.parallel(may, n),
            13 => self.repeated(may, n),
            14 => {
                let p = self.mostly_true();
                Statement::Assert(vec![p], Box::new(self.statement(may, n)))
            }
            15 if self.one_in(2) => {
                let p = self.mostly_true();
                Statement::Pre(vec![p], Box::new(self.statement(may, n)))
            }
            _ => self.step(may),
        }
    }

    /// Something that is often true where a body asks for it.
    fn mostly_true(&mut self) -> Formula {
        let (p, q, r) = (self.predicate(1), self.predicate(1), self.conjunct());
        Formula::with(format!("({p} or {q} or {r})"), vec![p, q, r])
    }

    /// Statements of which one is executed: a name has a value afterwards if every one gives it one.
    fn alternatives(&mut self, may: &May, depth: usize, count: usize) -> Vec<Statement> {
        let before: Vec<bool> = self.names.iter().map(|n| n.assigned).collect();
        let mut after = vec![true; before.len()];
        let mut all = vec![];
        for _ in 0..count {
            all.push(self.statement(may, depth));
            for (i, name) in self.names.iter_mut().enumerate() {
                after[i] &= name.assigned;
                name.assigned = before[i];
            }
        }
        for (name, after) in self.names.iter_mut().zip(after) {
            name.assigned = after;
        }
        all
    }

    /// Guarded alternatives, without ELSE once in `n` times two.
    #[allow(clippy::type_complexity)]
    fn branches(
        &mut self,
        may: &May,
        depth: usize,
        conditions: Vec<Formula>,
        n: usize,
    ) -> (Vec<(Conjuncts, Statement)>, Option<Box<Statement>>) {
        let with_rest = self.below(n) > 0;
        let before: Vec<bool> = self.names.iter().map(|n| n.assigned).collect();
        let mut all = self.alternatives(may, depth, conditions.len() + usize::from(with_rest));
        let rest = if with_rest { all.pop().map(Box::new) } else { None };
        if !with_rest {
            for (name, before) in self.names.iter_mut().zip(before) {
                name.assigned = before;
            }
        }
        (conditions.into_iter().map(|p| vec![p]).zip(all).collect(), rest)
    }

    fn case(&mut self, may: &May, depth: usize) -> Statement {
        let elements = self.sets.iter().find(|(_, e)| !e.is_empty()).cloned();
        let (kind, values): (Kind, Vec<String>) = match elements {
            Some((set, elements)) if self.one_in(2) => (Kind::Carrier(set), elements),
            _ if self.one_in(3) => (Kind::Bool, vec!["TRUE".into(), "FALSE".into()]),
            _ => (Kind::Int, ["0", "1", "2", "3"].map(String::from).to_vec()),
        };
        let subject = self.expression(&kind, 1);
        let first = self.below(values.len());
        let second = (first + 1 + self.below(values.len() - 1)) % values.len();
        let mut labels = vec![vec![values[first].clone()], vec![values[second].clone()]];
        if let Some(third) = (0..values.len()).find(|i| ![first, second].contains(i))
            && self.one_in(2)
        {
            labels[1].push(values[third].clone());
        }
        let conditions = vec![Formula::new(""), Formula::new("")];
        let (branches, rest) = self.branches(may, depth, conditions, 2);
        let branches = labels.into_iter().zip(branches).map(|(l, (_, s))| (l, s)).collect();
        Statement::Case(subject, branches, rest)
    }

    /// A local variable, mostly with a value before it is read.
    fn local(&mut self, may: &May, depth: usize) -> Statement {
        let (name, domain) = (self.fresh("l"), self.named_domain());
        self.names.push(Name { name: name.clone(), domain: domain.clone(), assigned: false });
        let mut inner = may.clone();
        inner.write.push((name.clone(), domain.clone()));
        let mut all = vec![];
        match self.below(6) {
            // Sometimes only one branch gives it a value; what follows knows or does not.
            0 => {
                let p = self.predicate(1);
                let s = self.assignment(&name, &domain);
                if self.one_in(2) {
                    self.names.last_mut().expect("it is the last").assigned = false;
                }
                all.push(Statement::If(vec![(p, s)], None));
            }
            // Or the value comes too late.
            1 => {
                all.push(self.statement(may, depth.min(1)));
                all.push(self.assignment(&name, &domain));
            }
            _ => all.push(self.assignment(&name, &domain)),
        }
        all.push(self.statement(&inner, depth));
        if self.one_in(3) {
            all.push(self.statement(may, 0));
        }
        self.names.pop();
        Statement::Var(vec![name], Box::new(Statement::Sequence(all)))
    }

    fn parallel(&mut self, may: &May, depth: usize) -> Statement {
        if may.write.len() < 2 {
            return self.statement(may, depth);
        }
        let mut order = may.write.clone();
        for i in (1..order.len()).rev() {
            order.swap(i, self.below(i + 1));
        }
        let right = order.split_off(1 + self.below(order.len() - 1));
        let parts = [May { write: order, call: may.call.clone() }, May { write: right, call: vec![] }];
        let before: Vec<bool> = self.names.iter().map(|n| n.assigned).collect();
        let mut after = before.clone();
        let mut all = vec![];
        for part in &parts {
            all.push(self.statement(part, depth));
            for (i, name) in self.names.iter_mut().enumerate() {
                after[i] |= name.assigned;
                name.assigned = before[i];
            }
        }
        for (name, after) in self.names.iter_mut().zip(after) {
            name.assigned = after;
        }
        Statement::Parallel(all)
    }

    /// A loop over a local counter; its invariant and variant are wrong at times.
    fn repeated(&mut self, may: &May, depth: usize) -> Statement {
        let name = self.fresh("i");
        let end = 1 + self.below(3) as i64;
        let start = Statement::Assign(vec![(name.clone(), Formula::new("0"))]);
        self.names.push(Name { name: name.clone(), domain: Domain::Range(0, end), assigned: true });
        let before: Vec<bool> = self.names.iter().map(|n| n.assigned).collect();
        let body = self.statement(may, depth.min(1));
        for (name, before) in self.names.iter_mut().zip(before) {
            name.assigned = before;
        }
        let step = Formula::new(format!("{name} + 1"));
        let step = Statement::Assign(vec![(name.clone(), step)]);
        let mut invariant = vec![Formula::new(format!("{name} : 0..{end}"))];
        if self.one_in(6) {
            let p = self.mostly_true();
            invariant.push(p);
        }
        let variant = match self.one_in(10) {
            true => Formula::new(name.clone()),
            false => Formula::new(format!("{end} - {name}")),
        };
        self.names.pop();
        let repeated = Statement::While {
            condition: Formula::new(format!("{name} < {end}")),
            body: Box::new(Statement::Sequence(vec![body, step])),
            invariant,
            variant,
        };
        Statement::Var(vec![name], Box::new(Statement::Sequence(vec![start, repeated])))
    }

    /// One assignment, choice or call.
    fn step(&mut self, may: &May) -> Statement {
        if !may.call.is_empty() && (may.write.is_empty() || self.one_in(3)) {
            return self.call(may);
        }
        if self.one_in(12) {
            return Statement::Skip;
        }
        let (name, domain) = self.pick(&may.write);
        if self.one_in(10) && may.write.len() > 1 {
            let (other, domain2) = self.pick(&may.write);
            let outer = std::mem::replace(&mut self.typed, true);
            let values = (self.value(&domain), self.value(&domain2));
            self.typed = outer;
            if other != name
                && let (Some(a), Some(b)) = values
            {
                self.assign(&name);
                self.assign(&other);
                return Statement::Assign(vec![(name, a), (other, b)]);
            }
        }
        self.assignment(&name, &domain)
    }

    fn assign(&mut self, name: &str) {
        if let Some(known) = self.names.iter_mut().rev().find(|n| n.name == name) {
            known.assigned = true;
        }
    }

    /// Gives a name a value of its domain, mostly.
    fn assignment(&mut self, name: &str, domain: &Domain) -> Statement {
        let outer = (self.typed, self.avoid.take());
        self.typed = !name.starts_with(['v', 'w']);
        self.avoid = (!self.one_in(6)).then(|| name.to_string());
        let statement = self.assigned(name, domain);
        (self.typed, self.avoid) = outer;
        self.assign(name);
        statement
    }

    fn assigned(&mut self, name: &str, domain: &Domain) -> Statement {
        let assigned = self.names.iter().rev().find(|n| n.name == name).is_some_and(|n| n.assigned);
        let target = name.to_string();
        match (self.below(12), domain) {
            (0, _) if !matches!(domain, Domain::Sequence(..)) => {
                let set = self.part_of(domain);
                Statement::Element(target, set)
            }
            (1 | 2, _) if assigned && !matches!(domain, Domain::Sequence(..)) => {
                let mut p = vec![Formula::new(format!("{name} : {}", domain.text()))];
                p.push(match self.below(4) {
                    0 => Formula::new(format!("{name} /= {name}$0")),
                    1 => {
                        let q = self.predicate(1);
                        let text = format!("({q} => {name} = {name}$0)");
                        Formula::with(text, vec![Formula::new(format!("{name} = {name}$0"))])
                    }
                    _ => self.before_and_after(name, domain),
                });
                Statement::Such(target, p)
            }
            (3 | 4, Domain::Arrow(arrow, a, b)) if *arrow != "<->" && *arrow != ">+>" && assigned => {
                match (self.value(a), self.value(b)) {
                    (Some(x), Some(y)) => Statement::Assign(vec![(format!("{name}({x})"), y)]),
                    _ => Statement::Skip,
                }
            }
            (3..=5, Domain::Record(a, b)) if assigned => {
                let (field, of) = if self.one_in(2) { ("a", a) } else { ("b", b) };
                match self.value(of) {
                    Some(value) => Statement::Assign(vec![(format!("{name}'{field}"), value)]),
                    None => Statement::Skip,
                }
            }
            (6 | 7, _) => {
                // Any value of the type: a condition keeps it in the domain, mostly.
                let value = self.expression(&domain.kind(), 2);
                let inside = match domain {
                    Domain::Sequence(_, n) => {
                        format!("{value} : {} & size({value}) <= {n}", domain.text())
                    }
                    _ => format!("{value} : {}", domain.text()),
                };
                let inside = Formula::new(inside);
                let statement = Statement::Assign(vec![(target, value)]);
                match self.below(8) {
                    0 => statement,
                    1 | 2 => Statement::If(vec![(inside, statement)], None),
                    3 => Statement::Select(vec![(vec![inside], statement)], None),
                    _ => match self.value(domain) {
                        Some(value) => {
                            let other = Statement::Assign(vec![(name.into(), value)]);
                            Statement::If(vec![(inside, statement)], Some(Box::new(other)))
                        }
                        None => Statement::Select(vec![(vec![inside], statement)], None),
                    },
                }
            }
            _ => match self.value(domain) {
                Some(value) => Statement::Assign(vec![(target, value)]),
                None => Statement::Element(target, Formula::new(domain.text())),
            },
        }
    }

    /// A relation between the values of a name before and after.
    fn before_and_after(&mut self, name: &str, domain: &Domain) -> Formula {
        Formula::new(match domain {
            Domain::Range(..) => {
                let op = self.pick(&["<=", ">", "/="]);
                format!("{name} {op} {name}$0")
            }
            Domain::Power(_) | Domain::Arrow(..) => {
                let op = self.pick(&["<:", "/<:", "<<:"]);
                match self.one_in(2) {
                    true => format!("{name} {op} {name}$0"),
                    false => format!("{name}$0 {op} {name}"),
                }
            }
            _ => format!("{name} /= {name}$0"),
        })
    }

    /// A call, its results into names of the same domain or into locals.
    fn call(&mut self, may: &May) -> Statement {
        let called = self.pick(&may.call);
        let mut arguments = vec![];
        for domain in &called.parameters {
            let value = self.value(domain).filter(|_| !self.one_in(8));
            match value {
                Some(value) => arguments.push(value),
                None => {
                    let value = self.expression(&domain.kind(), 1);
                    arguments.push(value);
                }
            }
        }
        let mut results: Vec<String> = vec![];
        let mut locals = vec![];
        for domain in &called.results {
            let free = may.write.iter().filter(|(n, d)| d == domain && !results.contains(n));
            let free: Vec<String> = free.map(|(n, _)| n.clone()).collect();
            let name = match free.is_empty() {
                true => {
                    let name = self.fresh("l");
                    locals.push((name.clone(), domain.clone()));
                    name
                }
                false => self.pick(&free),
            };
            results.push(name);
        }
        for name in &results {
            self.assign(name);
        }
        let call = Statement::Call { results, operation: called.name, arguments };
        if locals.is_empty() {
            return call;
        }
        let before = self.names.len();
        for (name, domain) in &locals {
            self.names.push(Name { name: name.clone(), domain: domain.clone(), assigned: true });
        }
        let rest = May { write: may.write.clone(), call: vec![] };
        let after = self.statement(&rest, 1);
        self.names.truncate(before);
        let names = locals.into_iter().map(|(n, _)| n).collect();
        Statement::Var(names, Box::new(Statement::Sequence(vec![call, after])))
    }
}

/// Formulas.
impl Draw {
    /// A domain of a name that is in scope, or a new one.
    fn named_domain(&mut self) -> Domain {
        if !self.names.is_empty() && self.one_in(2) {
            return self.pick(&self.names.clone()).domain;
        }
        self.domain_within(16.0).unwrap_or(Domain::Bool)
    }

    /// A domain small enough for all its values to be tried.
    fn bound_domain(&mut self) -> Option<Domain> {
        let domain = match self.one_in(2) {
            true => self.named_domain(),
            false => self.simple(),
        };
        (!matches!(domain, Domain::Sequence(..)) && self.size(&domain) <= 16.0).then_some(domain)
    }

    /// Names of a kind that have a value; seldom one that may have none.
    fn named(&mut self, kind: &Kind) -> Vec<String> {
        let careless = self.one_in(25);
        self.names
            .iter()
            .filter(|n| (n.assigned || careless) && n.domain.kind() == *kind)
            .map(|n| n.name.clone())
            .collect()
    }

    /// A value of the domain while the typing conjuncts hold; none where no element of a set has a name.
    fn value(&mut self, domain: &Domain) -> Option<Formula> {
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
    fn guarded(&mut self, domain: &Domain, name: &str, number: i64) -> Option<Formula> {
        let Domain::Range(a, b) = domain else { return None };
        let span = b - a + 1;
        let shift = 1 + self.below(2) as i64;
        let smaller = vec![Formula::new(integer(number))];
        // The remainder of what is negative is ill-defined; distances are not negative.
        let text = format!(
            "({} + (max({{{name} - {}, 0}}) + {shift}) mod {span})",
            integer(*a),
            if *a < 0 { format!("({a})") } else { a.to_string() },
        );
        Some(Formula::with(text, smaller))
    }

    /// A subset of a domain.
    fn subset(&mut self, of: &Domain, same: &[String]) -> Formula {
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

    fn comprehension(&mut self, of: &Domain) -> Formula {
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

    fn function(&mut self, arrow: &str, a: &Domain, b: &Domain, same: &[String]) -> Option<Formula> {
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

    /// No element of a domain; where nothing else says its type, in words that do.
    fn empty(&mut self, of: &Domain) -> Formula {
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
    fn part_of(&mut self, domain: &Domain) -> Formula {
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

    /// Any well-typed expression.
    fn expression(&mut self, kind: &Kind, depth: usize) -> Formula {
        let atom = self.atom(kind);
        if depth == 0 {
            return atom;
        }
        let n = depth - 1;
        let with = |text: String| Formula::with(text, vec![atom.clone()]);
        if self.one_in(5)
            && let Some(text) = self.application(kind, n)
        {
            return with(text);
        }
        match kind {
            Kind::Int => match self.below(9) {
                0 | 1 => with(format!("({} + {})", self.expression(kind, n), self.expression(kind, n))),
                2 => with(format!("({} - {})", self.expression(kind, n), self.expression(kind, n))),
                3 => with(format!("({} * {})", self.expression(kind, n), self.pick(&["2", "3", "(-1)"]))),
                4 => with(format!("({} / {})", self.expression(kind, n), self.divisor(n))),
                5 => match self.counted() {
                    Some(set) => with(format!("card({set})")),
                    None => atom,
                },
                6 => match self.sequence() {
                    Some(s) => with(format!("size({s})")),
                    None => atom,
                },
                _ => atom,
            },
            Kind::Bool if self.nesting < 3 && self.one_in(2) => with(format!("bool({})", self.predicate(n))),
            Kind::Set(of) => self.set_expression(kind, of, n, atom),
            Kind::Pair(a, b) => with(format!("({} |-> {})", self.expression(a, n), self.expression(b, n))),
            Kind::Record(a, b) => {
                with(format!("rec(a : {}, b : {})", self.expression(a, n), self.expression(b, n)))
            }
            _ => atom,
        }
    }

    fn divisor(&mut self, n: usize) -> Formula {
        if self.one_in(5) {
            self.expression(&Kind::Int, n)
        } else {
            Formula::new(self.pick(&["2", "3", "(-2)"]))
        }
    }

    fn set_expression(&mut self, kind: &Kind, of: &Kind, n: usize, atom: Formula) -> Formula {
        let with = |text: String| Formula::with(text, vec![atom.clone()]);
        match (self.below(9), of) {
            (0..=2, _) => {
                let op = self.pick(&["\\/", "/\\", "-"]);
                with(format!("({} {op} {})", self.expression(kind, n), self.expression(kind, n)))
            }
            (3, _) => with(format!("{{{}}}", self.expression(of, n))),
            (4, Kind::Pair(a, b)) => {
                with(format!("({} <+ {{{} |-> {}}})", atom, self.expression(a, n), self.expression(b, n)))
            }
            (5, Kind::Pair(a, b)) if **a == Kind::Int => match self.sequence_of(b) {
                Some(s) => {
                    let x = self.expression(b, n);
                    match self.below(5) {
                        0 => with(format!("({s} <- {x})")),
                        1 => with(format!("({x} -> {s})")),
                        2 => with(format!("tail({s} <- {x})")),
                        3 => with(format!("front({s} <- {x})")),
                        _ => with(format!("rev({s})")),
                    }
                }
                None => atom,
            },
            (5, Kind::Pair(a, b)) => {
                let back = Kind::Set(Box::new(Kind::Pair(b.clone(), a.clone())));
                with(format!("({}~)", self.expression(&back, n)))
            }
            (6 | 7, _) => {
                // The domain, range or image of something that has a name.
                let all = self.names.clone();
                let named: Vec<String> = all
                    .iter()
                    .filter(|k| k.assigned)
                    .filter_map(|k| match k.domain.kind() {
                        Kind::Set(pair) => match *pair {
                            Kind::Pair(a, _) if *a == *of => Some(format!("dom({})", k.name)),
                            Kind::Pair(_, b) if *b == *of => Some(format!("ran({})", k.name)),
                            _ => None,
                        },
                        _ => None,
                    })
                    .collect();
                if named.is_empty() { atom } else { with(self.pick(&named)) }
            }
            _ => atom,
        }
    }

    /// A function applied to a point of its domain, mostly, or a field of a record.
    fn application(&mut self, kind: &Kind, n: usize) -> Option<String> {
        let candidates: Vec<Name> = self
            .names
            .iter()
            .filter(|k| k.assigned)
            .filter(|k| match k.domain.kind() {
                Kind::Set(pair) => matches!(*pair, Kind::Pair(_, b) if *b == *kind),
                Kind::Record(a, b) => *a == *kind || *b == *kind,
                _ => false,
            })
            .cloned()
            .collect();
        if candidates.is_empty() {
            return None;
        }
        let k = self.pick(&candidates);
        match &k.domain {
            Domain::Record(a, _) => {
                Some(format!("({}'{})", k.name, if a.kind() == *kind { "a" } else { "b" }))
            }
            Domain::Arrow("-->", a, _) => Some(format!("{}({})", k.name, self.value(a)?)),
            Domain::Sequence(..) if self.one_in(2) => {
                let op = self.pick(&["first", "last"]);
                Some(format!("{op}({} <- {})", k.name, self.expression(kind, 0)))
            }
            Domain::Arrow(_, a, _) if self.one_in(4) => {
                Some(format!("{}({})", k.name, self.expression(&a.kind(), n)))
            }
            Domain::Arrow(_, a, _) => {
                let (x, y) = (self.value(a)?, self.atom(kind));
                Some(format!("({} <+ {{{x} |-> {y}}})({x})", k.name))
                    .filter(|_| !matches!(k.domain, Domain::Arrow("<->", ..)))
            }
            _ => None,
        }
    }

    /// A set to be counted: something with a name.
    fn counted(&mut self) -> Option<String> {
        let sets: Vec<String> = self
            .names
            .iter()
            .filter(|n| n.assigned && matches!(n.domain.kind(), Kind::Set(_)))
            .map(|n| n.name.clone())
            .collect();
        (!sets.is_empty()).then(|| self.pick(&sets))
    }

    fn sequence(&mut self) -> Option<String> {
        let all = self.names.iter().filter(|n| n.assigned && matches!(n.domain, Domain::Sequence(..)));
        let all: Vec<String> = all.map(|n| n.name.clone()).collect();
        (!all.is_empty()).then(|| self.pick(&all))
    }

    fn sequence_of(&mut self, of: &Kind) -> Option<String> {
        let is = |d: &Domain| matches!(d, Domain::Sequence(a, _) if a.kind() == *of);
        let all = self.names.iter().filter(|n| n.assigned && is(&n.domain));
        let all: Vec<String> = all.map(|n| n.name.clone()).collect();
        (!all.is_empty()).then(|| self.pick(&all))
    }

    /// A name or literal.
    fn atom(&mut self, kind: &Kind) -> Formula {
        let named = self.named(kind);
        let other: Vec<String> = named.iter().filter(|n| Some(*n) != self.avoid.as_ref()).cloned().collect();
        if !other.is_empty() && self.below(4) > 0 {
            return Formula::new(self.pick(&other));
        }
        Formula::new(match kind {
            Kind::Int => {
                // Mostly small; what is beyond MAXINT is where integers differ.
                if self.one_in(20) {
                    self.pick(&["MAXINT", "MININT"]).to_string()
                } else {
                    self.pick(&["0", "1", "2", "3", "(-1)", "5"]).to_string()
                }
            }
            Kind::Bool => self.pick(&["TRUE", "FALSE"]).into(),
            Kind::Text => self.pick(&["\"a\"", "\"b\"", "\"c\""]).into(),
            Kind::Carrier(set) => {
                let elements = self.sets.iter().find(|(n, _)| n == set).map_or(vec![], |(_, e)| e.clone());
                match elements.is_empty() {
                    // No element has a name: some element, by a function that every set has a value of.
                    true if named.is_empty() => self.some_element(set),
                    true => self.pick(&named),
                    false => self.pick(&elements),
                }
            }
            Kind::Pair(a, b) => format!("({} |-> {})", self.atom(a), self.atom(b)),
            Kind::Record(a, b) => format!("rec(a : {}, b : {})", self.atom(a), self.atom(b)),
            Kind::Set(of) => match (self.below(4), &**of) {
                (0, _) if !self.typed => "{}".into(),
                (1, Kind::Carrier(set)) => set.clone(),
                (1, Kind::Bool) => "BOOL".into(),
                (1, Kind::Int) => self.pick(&["(0..2)", "(1..3)", "{0, 2}", "INT", "NAT1"]).into(),
                (1, Kind::Pair(a, b)) => match (&**a, &**b) {
                    (Kind::Carrier(s), Kind::Carrier(t)) => format!("({s} * {t})"),
                    (Kind::Carrier(s), _) => format!("({s} * {{{}}})", self.atom(b)),
                    _ => format!("{{{} |-> {}}}", self.atom(a), self.atom(b)),
                },
                _ => format!("{{{}}}", self.atom(of)),
            },
        })
    }

    /// An element of a deferred set where none has a name: ill-defined unless the set has one element.
    fn some_element(&mut self, set: &str) -> String {
        format!("({{0}} * {set})(0)")
    }
}

/// Predicates.
impl Draw {
    fn predicate(&mut self, depth: usize) -> Formula {
        self.nesting += 1;
        let p = self.drawn_predicate(depth);
        self.nesting -= 1;
        p
    }

    fn drawn_predicate(&mut self, depth: usize) -> Formula {
        let smaller = |all: &[&Formula]| all.iter().map(|f| (*f).clone()).collect::<Vec<_>>();
        if depth > 0 {
            let n = depth - 1;
            match self.below(9) {
                0 => {
                    let (p, q) = (self.predicate(n), self.predicate(n));
                    return Formula::with(format!("({p} & {q})"), smaller(&[&p, &q]));
                }
                1 => {
                    let (p, q) = (self.predicate(n), self.predicate(n));
                    return Formula::with(format!("({p} or {q})"), smaller(&[&p, &q]));
                }
                2 => {
                    let (p, q) = (self.predicate(n), self.predicate(n));
                    return Formula::with(format!("({p} => {q})"), smaller(&[&q, &p]));
                }
                3 => {
                    let p = self.predicate(n);
                    return Formula::with(format!("not({p})"), smaller(&[&p]));
                }
                4 if self.nesting < 4 => return self.quantified(n),
                _ => {}
            }
        }
        self.comparison(depth)
    }

    fn quantified(&mut self, n: usize) -> Formula {
        let Some(domain) = self.bound_domain() else { return self.comparison(n) };
        let name = self.fresh("z");
        self.names.push(Name { name: name.clone(), domain: domain.clone(), assigned: true });
        let p = self.predicate(n);
        self.names.pop();
        let set = domain.text();
        Formula::new(match self.one_in(2) {
            true => format!("!{name}.({name} : {set} => {p})"),
            false => format!("#{name}.({name} : {set} & {p})"),
        })
    }

    /// A comparison of something that has a name with another value.
    fn comparison(&mut self, depth: usize) -> Formula {
        let known: Vec<Name> = self.names.iter().filter(|n| n.assigned).cloned().collect();
        if known.is_empty() {
            return Formula::new(self.pick(&["1 = 1", "TRUE /= FALSE", "1 < 0", "{1} /= {2}"]));
        }
        let n = self.pick(&known);
        let kind = n.domain.kind();
        let left = Formula::new(n.name.clone());
        let outer = self.avoid.replace(n.name.clone());
        let other = |g: &mut Draw| match g.value(&n.domain) {
            Some(v) if g.one_in(2) => v,
            _ => g.expression(&kind, depth),
        };
        let text = match (&kind, self.below(5)) {
            (Kind::Int, 0..=2) => {
                let op = self.pick(&["<", "<=", ">", ">="]);
                format!("{left} {op} {}", other(self))
            }
            (Kind::Set(of), 0) => {
                let element = self.expression(of, depth.min(1));
                let op = self.pick(&[":", "/:"]);
                format!("{element} {op} {left}")
            }
            (Kind::Set(of), 1) => {
                let op = self.pick(&["<:", "/<:"]);
                match &**of {
                    Kind::Carrier(s) if self.one_in(3) => format!("{s} {op} {left}"),
                    _ => format!("{left} {op} {}", other(self)),
                }
            }
            (Kind::Set(of), 2) => match (&**of, &n.domain) {
                (Kind::Carrier(s), _) => format!("{left} {} {s}", self.pick(&["=", "/="])),
                (Kind::Pair(..), Domain::Arrow(_, a, b)) => {
                    let op = self.pick(&["=", "/="]);
                    match self.one_in(2) {
                        true => format!("dom({left}) {op} {}", a.operand()),
                        false => format!("ran({left}) {op} {}", b.operand()),
                    }
                }
                _ => format!("card({left}) {} {}", self.pick(&["<", ">", "="]), self.below(3)),
            },
            (Kind::Set(of), 3) => match &**of {
                // A function is applied only where its domain is asked first.
                Kind::Pair(a, b) if !matches!(n.domain, Domain::Arrow("<->", ..)) => {
                    let (x, y) = (self.atom(a), self.atom(b));
                    format!("({x} : dom({left}) & {left}({x}) = {y})")
                }
                _ => format!("card({left}) <= {}", self.below(3)),
            },
            (Kind::Record(a, _), 0..=2) => format!("({left}'a) = {}", self.expression(a, depth.min(1))),
            _ => format!("{left} {} {}", self.pick(&["=", "/="]), other(self)),
        };
        self.avoid = outer;
        Formula::new(text)
    }
}

/// An integer as an operand.
fn integer(n: i64) -> String {
    if n < 0 { format!("({n})") } else { n.to_string() }
}
