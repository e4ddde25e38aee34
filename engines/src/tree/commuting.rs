//! Independent events, which commute: what two of them reach in one order they reach in the other.
//!
//! Exact where both say of every variable what its next value is, parameters and components of compound values
//! included (Körner, Leuschel, *An experience report on partial order reduction for B*: what reads and writes of whole
//! variables miss). Elsewhere by the variables that they read and write.

use std::collections::{HashMap, HashSet};

use bsym_encodings::system::Transition;
use bsym_encodings::term::{Op, Substitution, Term, Terms};
use bsym_language::model::EventId;

use crate::problem::Problem;

/// Over a path of two steps, `first` and then `second`: the state after them is also reached by `second` and then
/// `first`, with the same inputs. `None` if that is not known of the two.
pub fn otherwise_reached(problem: &mut Problem, first: EventId, second: EventId) -> Option<Term> {
    if are_apart(problem, first, second)? {
        return Some(Terms::TRUE);
    }
    let terms = problem.terms();
    let values = next_values(problem, second)?;
    // `second` in the state 0, with the inputs that it has in the step from state 1.
    let mut early = Substitution::default();
    // `first` after it, into the state 2.
    let mut late = Substitution::default();
    let (here, there) =
        (problem.system.events[second.index()].clone(), problem.system.events[first.index()].clone());
    for &input in &here.inputs {
        early.insert(input, problem.unrolling.step(input, 1));
    }
    for &input in &there.inputs {
        late.insert(input, problem.unrolling.step(input, 0));
    }
    let variables: Vec<(Term, Term)> = variables(problem);
    for &(current, _) in &variables {
        early.insert(current, problem.unrolling.state(current, 0));
    }
    for &(current, next) in &variables {
        let between = terms.substitute(*values.get(&next)?, &mut early);
        late.insert(current, between);
        late.insert(next, problem.unrolling.state(current, 2));
    }
    // In the relation of `second` itself the next state is what it makes of the current one.
    let mut itself = Substitution::new(values.iter().map(|(&next, &value)| (next, value)));
    let second = terms.substitute(here.relation?, &mut itself);
    let second = terms.substitute(second, &mut early);
    let first = terms.substitute(there.relation?, &mut late);
    Some(terms.and([second, first]))
}

/// Returns whether neither event reads or writes what the other one writes. Returns `None` if one of them speaks of
/// anything but variables, constants and its inputs: auxiliaries of a state are not renamed here.
fn are_apart(problem: &mut Problem, a: EventId, b: EventId) -> Option<bool> {
    let (a, b) = (Touched::by(problem, a)?, Touched::by(problem, b)?);
    let clear =
        |a: &Touched, b: &Touched| a.written.is_disjoint(&b.read) && a.written.is_disjoint(&b.written);
    Some(clear(&a, &b) && clear(&b, &a))
}

/// The symbols of the variables before and after a step.
fn variables(problem: &Problem) -> Vec<(Term, Term)> {
    let system = &problem.system;
    let both = system.variables.current.iter().zip(&system.variables.next);
    both.flat_map(|(current, next)| current.symbols().into_iter().zip(next.symbols())).collect()
}

/// Symbols of the current state.
struct Touched {
    read: HashSet<Term>,
    written: HashSet<Term>,
}

impl Touched {
    fn by(problem: &mut Problem, event: EventId) -> Option<Touched> {
        let terms = problem.terms();
        let event = problem.system.events[event.index()].clone();
        let variables = variables(problem);
        let currents: HashSet<Term> = variables.iter().map(|&(current, _)| current).collect();
        let nexts: HashMap<Term, Term> = variables.iter().map(|&(current, next)| (next, current)).collect();
        let inputs: HashSet<Term> = event.inputs.iter().copied().collect();
        let mut touched = Touched { read: HashSet::new(), written: HashSet::new() };
        for part in conjuncts(&terms, event.relation?) {
            if let Some((next, value)) = definition(&terms, part, &nexts)
                && nexts[&next] == value
            {
                continue;
            }
            for symbol in terms.symbols(&[part]) {
                let symbol = terms.symbol_term(symbol);
                if currents.contains(&symbol) {
                    touched.read.insert(symbol);
                } else if let Some(&current) = nexts.get(&symbol) {
                    touched.written.insert(current);
                } else if !inputs.contains(&symbol) && problem.unrolling.state(symbol, 0) != symbol {
                    return None;
                }
            }
        }
        Some(touched)
    }
}

/// Returns the values that an event gives the symbols of the state, by the symbol of the next state; `None` if one has
/// no such value.
fn next_values(problem: &Problem, event: EventId) -> Option<HashMap<Term, Term>> {
    let terms = problem.terms();
    let Transition { relation, .. } = &problem.system.events[event.index()];
    let nexts: HashMap<Term, Term> =
        variables(problem).into_iter().map(|(current, next)| (next, current)).collect();
    let mut values = HashMap::new();
    for part in conjuncts(&terms, (*relation)?) {
        if let Some((next, value)) = definition(&terms, part, &nexts) {
            values.entry(next).or_insert(value);
        }
    }
    (values.len() == nexts.len()).then_some(values)
}

fn conjuncts(terms: &Terms, t: Term) -> Vec<Term> {
    let node = terms.node(t);
    if node.op == Op::And { node.args.to_vec() } else { vec![t] }
}

/// A conjunct that says what a symbol of the next state is, without speaking of others of that state.
fn definition(terms: &Terms, part: Term, nexts: &HashMap<Term, Term>) -> Option<(Term, Term)> {
    if nexts.contains_key(&part) {
        return Some((part, Terms::TRUE));
    }
    let node = terms.node(part);
    match (&node.op, &node.args[..]) {
        (Op::Not, &[inner]) if nexts.contains_key(&inner) => Some((inner, Terms::FALSE)),
        (Op::Eq, &[a, b]) => {
            let speaks_of_next = |t: Term| {
                let symbols = terms.symbols(&[t]);
                symbols.into_iter().any(|s| nexts.contains_key(&terms.symbol_term(s)))
            };
            [(a, b), (b, a)]
                .into_iter()
                .find(|&(next, value)| nexts.contains_key(&next) && !speaks_of_next(value))
        }
        _ => None,
    }
}
