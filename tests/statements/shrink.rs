//! Makes a failing machine smaller: greedily, as long as it fails in the same way.

use super::machine::{Conjuncts, Formula, Machine, Operation, Statement};

/// Returns the smallest machine found that still fails, after at most `attempts` attempts.
pub fn shrink(machine: Machine, attempts: usize, fails: &mut dyn FnMut(&Machine) -> bool) -> Machine {
    let mut smallest = machine;
    let mut left = attempts;
    'again: loop {
        for candidate in candidates(&smallest) {
            if left == 0 {
                return smallest;
            }
            left -= 1;
            if fails(&candidate) {
                smallest = candidate;
                continue 'again;
            }
        }
        return smallest;
    }
}

/// Each item left out.
fn without<T: Clone>(all: &[T]) -> impl Iterator<Item = Vec<T>> + '_ {
    (0..all.len()).map(|i| all[..i].iter().chain(&all[i + 1..]).cloned().collect())
}

/// Each item replaced by something smaller.
fn replaced<T: Clone>(all: &[T], smaller: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let mut found = vec![];
    for (i, item) in all.iter().enumerate() {
        for new in smaller(item) {
            let mut copy = all.to_vec();
            copy[i] = new;
            found.push(copy);
        }
    }
    found
}

fn formulas(f: &Formula) -> Vec<Formula> {
    f.simpler.clone()
}

fn conjuncts(all: &Conjuncts) -> Vec<Conjuncts> {
    without(all).chain(replaced(all, formulas)).collect()
}

/// Machines with a little less: large parts first.
fn candidates(m: &Machine) -> Vec<Machine> {
    let mut all = vec![];
    let mut push = |change: &dyn Fn(&mut Machine)| {
        let mut copy = m.clone();
        change(&mut copy);
        all.push(copy);
    };
    if m.includes.is_some() {
        push(&|c| {
            let inner = c.includes.take();
            c.sets = inner.map_or(vec![], |i| i.sets);
        });
    }
    for operations in without(&m.operations) {
        push(&|c| c.operations = operations.clone());
    }
    for conjuncts in without(&m.assertions) {
        push(&|c| c.assertions = conjuncts.clone());
    }
    for conjuncts in without(&m.invariant) {
        push(&|c| c.invariant = conjuncts.clone());
    }
    // A variable goes with its typing and its initialisation, which are in the same order.
    for (i, name) in m.variables.iter().enumerate() {
        push(&|c| {
            c.variables.remove(i);
            c.initialisation.remove(i);
            c.invariant.retain(|p| !mentions(&p.text, name));
        });
    }
    for (i, name) in m.constants.iter().enumerate() {
        push(&|c| {
            c.constants.remove(i);
            c.properties.retain(|p| !mentions(&p.text, name));
        });
    }
    for conjuncts in without(&m.properties) {
        push(&|c| c.properties = conjuncts.clone());
    }
    for sets in without(&m.sets) {
        push(&|c| c.sets = sets.clone());
    }
    if m.integers.is_some() {
        push(&|c| c.integers = None);
    }
    if let Some(inner) = &m.includes {
        for inner in candidates(inner) {
            push(&|c| c.includes = Some(Box::new(inner.clone())));
        }
    }
    for operations in replaced(&m.operations, operation) {
        push(&|c| c.operations = operations.clone());
    }
    for conjuncts in replaced(&m.invariant, formulas) {
        push(&|c| c.invariant = conjuncts.clone());
    }
    for conjuncts in replaced(&m.properties, formulas) {
        push(&|c| c.properties = conjuncts.clone());
    }
    for initialisation in replaced(&m.initialisation, statement) {
        push(&|c| c.initialisation = initialisation.clone());
    }
    all
}

fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

fn operation(o: &Operation) -> Vec<Operation> {
    let mut all = vec![];
    for parameters in without(&o.parameters) {
        all.push(Operation { parameters, ..o.clone() });
    }
    for results in without(&o.results) {
        all.push(Operation { results, ..o.clone() });
    }
    for body in statement(&o.body) {
        all.push(Operation { body, ..o.clone() });
    }
    all
}

// The parts of statements are boxed.
#[allow(clippy::vec_box)]
fn boxed(s: &Statement) -> Vec<Box<Statement>> {
    statement(s).into_iter().map(Box::new).collect()
}

/// Statements that are smaller: none, a part, or the same with a smaller part.
fn statement(s: &Statement) -> Vec<Statement> {
    use Statement::*;
    if *s == Skip {
        return vec![];
    }
    let mut all = vec![Skip];
    all.extend(s.children().into_iter().cloned());
    match s {
        Skip => {}
        Assign(pairs) => {
            all.extend(without(pairs).filter(|p| !p.is_empty()).map(Assign));
            let values =
                |(t, v): &(String, Formula)| formulas(v).into_iter().map(|v| (t.clone(), v)).collect();
            all.extend(replaced(pairs, values).into_iter().map(Assign));
        }
        Element(target, set) => all.extend(formulas(set).into_iter().map(|set| Element(target.clone(), set))),
        Such(target, p) => all.extend(conjuncts(p).into_iter().map(|p| Such(target.clone(), p))),
        If(branches, rest) => {
            all.extend(without(branches).filter(|b| !b.is_empty()).map(|b| If(b, rest.clone())));
            if let Some(other) = rest {
                all.push(If(branches.clone(), None));
                all.extend(boxed(other).into_iter().map(|other| If(branches.clone(), Some(other))));
            }
            let smaller = |(p, s): &(Formula, Statement)| {
                let conditions = formulas(p).into_iter().map(|p| (p, s.clone()));
                conditions.chain(statement(s).into_iter().map(|s| (p.clone(), s))).collect()
            };
            all.extend(replaced(branches, smaller).into_iter().map(|b| If(b, rest.clone())));
        }
        Select(branches, rest) => {
            all.extend(without(branches).filter(|b| !b.is_empty()).map(|b| Select(b, rest.clone())));
            if let Some(other) = rest {
                all.push(Select(branches.clone(), None));
                all.extend(boxed(other).into_iter().map(|other| Select(branches.clone(), Some(other))));
            }
            let smaller = |(p, s): &(Conjuncts, Statement)| {
                let conditions = conjuncts(p).into_iter().map(|p| (p, s.clone()));
                conditions.chain(statement(s).into_iter().map(|s| (p.clone(), s))).collect()
            };
            all.extend(replaced(branches, smaller).into_iter().map(|b| Select(b, rest.clone())));
        }
        Case(e, branches, rest) => {
            all.extend(without(branches).filter(|b| !b.is_empty()).map(|b| Case(e.clone(), b, rest.clone())));
            if let Some(other) = rest {
                all.push(Case(e.clone(), branches.clone(), None));
                all.extend(boxed(other).into_iter().map(|o| Case(e.clone(), branches.clone(), Some(o))));
            }
            all.extend(formulas(e).into_iter().map(|e| Case(e, branches.clone(), rest.clone())));
            let smaller = |(values, s): &(Vec<String>, Statement)| {
                statement(s).into_iter().map(|s| (values.clone(), s)).collect()
            };
            let branches = replaced(branches, smaller).into_iter();
            all.extend(branches.map(|b| Case(e.clone(), b, rest.clone())));
        }
        Choice(parts) | Sequence(parts) | Parallel(parts) => {
            let again = |parts: Vec<Statement>| match s {
                Choice(_) => Choice(parts),
                Sequence(_) => Sequence(parts),
                _ => Parallel(parts),
            };
            all.extend(without(parts).filter(|p| p.len() > 1).map(again));
            all.extend(replaced(parts, statement).into_iter().map(again));
        }
        Any(names, p, s) => {
            all.extend(without(names).filter(|n| !n.is_empty()).map(|n| Any(n, p.clone(), s.clone())));
            all.extend(conjuncts(p).into_iter().map(|p| Any(names.clone(), p, s.clone())));
            all.extend(boxed(s).into_iter().map(|s| Any(names.clone(), p.clone(), s)));
        }
        Let(name, e, s) => {
            all.extend(formulas(e).into_iter().map(|e| Let(name.clone(), e, s.clone())));
            all.extend(boxed(s).into_iter().map(|s| Let(name.clone(), e.clone(), s)));
        }
        Var(names, s) => all.extend(boxed(s).into_iter().map(|s| Var(names.clone(), s))),
        While { condition, body, invariant, variant } => {
            let of = |body: Box<Statement>, invariant: Conjuncts| While {
                condition: condition.clone(),
                body,
                invariant,
                variant: variant.clone(),
            };
            all.extend(conjuncts(invariant).into_iter().map(|i| of(body.clone(), i)));
            all.extend(boxed(body).into_iter().map(|body| of(body, invariant.clone())));
        }
        Assert(p, s) => {
            all.extend(conjuncts(p).into_iter().map(|p| Assert(p, s.clone())));
            all.extend(boxed(s).into_iter().map(|s| Assert(p.clone(), s)));
        }
        Pre(p, s) => {
            all.extend(conjuncts(p).into_iter().map(|p| Pre(p, s.clone())));
            all.extend(boxed(s).into_iter().map(|s| Pre(p.clone(), s)));
        }
        Call { results, operation, arguments } => {
            let again =
                |arguments| Call { results: results.clone(), operation: operation.clone(), arguments };
            all.extend(replaced(arguments, formulas).into_iter().map(again));
            all.extend(without(arguments).map(again));
        }
    }
    all
}
