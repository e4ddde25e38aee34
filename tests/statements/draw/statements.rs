//! Statements of every kind.

use super::super::domain::{Domain, Kind};
use super::super::machine::{Conjuncts, Formula, Statement};
use super::{Draw, May, Name};

impl Draw {
    pub(super) fn statement(&mut self, may: &May, depth: usize) -> Statement {
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

    /// Draws a predicate that is often true where a body asks for it.
    pub(super) fn mostly_true(&mut self) -> Formula {
        let (p, q, r) = (self.predicate(1), self.predicate(1), self.conjunct());
        Formula::with(format!("({p} or {q} or {r})"), vec![p, q, r])
    }

    /// Statements of which one is executed: a name has a value afterwards if every one gives it one.
    pub(super) fn alternatives(&mut self, may: &May, depth: usize, count: usize) -> Vec<Statement> {
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
    pub(super) fn branches(
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

    pub(super) fn case(&mut self, may: &May, depth: usize) -> Statement {
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
    pub(super) fn local(&mut self, may: &May, depth: usize) -> Statement {
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

    pub(super) fn parallel(&mut self, may: &May, depth: usize) -> Statement {
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
    pub(super) fn repeated(&mut self, may: &May, depth: usize) -> Statement {
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
    pub(super) fn step(&mut self, may: &May) -> Statement {
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

    pub(super) fn assign(&mut self, name: &str) {
        if let Some(known) = self.names.iter_mut().rev().find(|n| n.name == name) {
            known.assigned = true;
        }
    }

    /// Gives a name a value of its domain, mostly.
    pub(super) fn assignment(&mut self, name: &str, domain: &Domain) -> Statement {
        let outer = (self.typed, self.avoid.take());
        self.typed = !name.starts_with(['v', 'w']);
        self.avoid = (!self.one_in(6)).then(|| name.to_string());
        let statement = self.assigned(name, domain);
        (self.typed, self.avoid) = outer;
        self.assign(name);
        statement
    }

    pub(super) fn assigned(&mut self, name: &str, domain: &Domain) -> Statement {
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
    pub(super) fn before_and_after(&mut self, name: &str, domain: &Domain) -> Formula {
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
    pub(super) fn call(&mut self, may: &May) -> Statement {
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
