//! An order of interchangeable elements along a path, so that of paths that differ in the names of elements only one is
//! left.
//!
//! Elements that nothing in a model tells apart may change places in a whole path. Of all paths that arise in this way
//! there is one whose *marks*, of the constants first and then of the choices step by step, come first in
//! lexicographical order; there, for any two elements one after the other, the marks of the earlier one are not less
//! than those of the later one (Crawford, Ginsberg, Luks, Roy: *Symmetry-breaking predicates for search problems*, KR
//! 1996). Of choices of single elements this says that an element is chosen for the first time after all elements
//! before it.
//!
//! The choices of the initialisation and the events determine a path from an initial state, so that their marks order
//! all of it. A path that starts in any state has its order from the constants and its first state alone
//! ([`Order::of_first_state`]).
//!
//! Only the existence of a path may be asked where this is asserted, and only about what the permutations keep:
//! properties of the model, and lemmas that name no interchangeable element ([`Order::is_kept_by`]). A proof that rests
//! on such an answer is checked without it.

use std::collections::BTreeSet;

use bsym_encodings::symbolic::Symbolic;
use bsym_encodings::system::marks::{Among, Mark};
use bsym_encodings::term::{Term, Terms};
use bsym_language::model::Pred;
use bsym_language::types::{CarrierId, Type};
use bsym_semantics::symmetry::elements::Distinguished;
use bsym_semantics::value::Value;

use crate::problem::Problem;

/// Neighbours among interchangeable elements.
#[derive(Debug)]
struct Neighbours {
    carrier: CarrierId,
    /// The elements, ascending.
    elements: Vec<u32>,
    /// For each element but the last: its marks are those of the next one, as far as the path goes.
    equal: Vec<Term>,
}

/// Something that is chosen, for its marks.
pub(super) struct Chosen {
    value: Symbolic,
    ty: Type,
    /// The choice is made.
    made: Term,
}

/// The order of the elements, as far as a path goes.
#[derive(Debug, Default)]
pub(super) struct Order {
    sets: Vec<Neighbours>,
}

impl Order {
    /// The order before anything is chosen; without sets where nothing is interchangeable.
    pub(super) fn new(problem: &Problem) -> Order {
        let system = &problem.system;
        let interchangeable = Distinguished::of(&system.model).interchangeable(&system.model, &system.scope);
        let determined: Vec<&Value> = system.constants.determined.iter().flatten().collect();
        let mut sets = vec![];
        for set in interchangeable {
            // The values of constants that are known may tell elements apart.
            let mut left: BTreeSet<u32> = set.elements.into_iter().collect();
            while let Some(first) = left.pop_first() {
                let is_like = |i: &u32| determined.iter().all(|v| is_kept(v, set.carrier, first, *i));
                let alike: Vec<u32> = left.iter().copied().filter(is_like).collect();
                left.retain(|i| !alike.contains(i));
                let elements: Vec<u32> = [first].into_iter().chain(alike).collect();
                if elements.len() > 1 {
                    let equal = vec![Terms::TRUE; elements.len() - 1];
                    sets.push(Neighbours { carrier: set.carrier, elements, equal });
                }
            }
        }
        Order { sets }
    }

    /// Returns whether no element is interchangeable with another one.
    pub(super) fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// Returns whether a predicate keeps its truth where interchangeable elements change places.
    pub(super) fn is_kept_by(&self, pred: &Pred) -> bool {
        let told = Distinguished::of_pred(pred);
        self.sets.iter().all(|set| !told.tells_apart(set.carrier, &set.elements))
    }

    /// The variables in the first state of a path, which is any state, as choices.
    pub(super) fn of_first_state(problem: &Problem) -> Vec<Chosen> {
        let system = &problem.system;
        let all = system.variables.current.iter().zip(&system.model.variables);
        all.map(|(value, v)| Chosen { value: value.clone(), ty: v.ty.clone(), made: Terms::TRUE }).collect()
    }

    /// The constants as choices.
    pub(super) fn constants(problem: &Problem) -> Vec<Chosen> {
        let system = &problem.system;
        let all =
            system.constants.values.iter().zip(&system.model.constants).zip(&system.constants.determined);
        let open = all.filter(|(_, value)| value.is_none());
        open.map(|((value, c), _)| Chosen { value: value.clone(), ty: c.ty.clone(), made: Terms::TRUE })
            .collect()
    }

    /// The choices of the initialisation, or of an event.
    pub(super) fn choices(problem: &Problem, event: Option<usize>) -> Vec<Chosen> {
        let system = &problem.system;
        let transition = event.map_or(&system.initialisation, |e| &system.events[e]);
        let parameters = transition.parameters.iter().map(|(local, value)| {
            let ty = system.model.locals[local.index()].ty.clone();
            Chosen { value: value.clone(), ty, made: Terms::TRUE }
        });
        let choices = transition.choices.iter();
        let choices = choices.map(|c| Chosen { value: c.value.clone(), ty: c.ty.clone(), made: c.made });
        parameters.chain(choices).collect()
    }

    /// What has to be asserted of choices that are made where `taken` holds. `place` puts a term over the symbols of
    /// one step into its place in the path.
    pub(super) fn after(
        &mut self,
        problem: &mut Problem,
        chosen: &[Chosen],
        taken: Term,
        place: &mut dyn FnMut(&mut Problem, Term) -> Term,
    ) -> Vec<Term> {
        let terms = problem.terms();
        let mut asserted = vec![];
        let moved: Vec<CarrierId> = self.sets.iter().map(|set| set.carrier).collect();
        for set in &mut self.sets {
            for choice in chosen {
                let among = Among { carrier: set.carrier, elements: &set.elements, moved: &moved };
                let marks = problem.system.marks(&choice.value, &choice.ty, among);
                for mark in marks {
                    let mark: Mark = mark
                        .into_iter()
                        .map(|m| {
                            let here = place(problem, terms.and([choice.made, m]));
                            terms.and([taken, here])
                        })
                        .collect();
                    for (equal, pair) in set.equal.iter_mut().zip(mark.windows(2)) {
                        let [first, second] = pair else { continue };
                        if first == second || *equal == Terms::FALSE {
                            continue;
                        }
                        asserted.push(terms.or([terms.not(*equal), terms.not(*second), *first]));
                        *equal = terms.and([*equal, terms.eq(*first, *second)]);
                    }
                }
            }
            // A name, so that the formula of each step has the same size. It has to be true only where they are equal.
            for equal in &mut set.equal {
                if terms.as_symbol(*equal).is_none() && ![Terms::TRUE, Terms::FALSE].contains(equal) {
                    let name = terms.fresh("alike", Terms::BOOL);
                    asserted.push(terms.implies(*equal, name));
                    *equal = name;
                }
            }
        }
        asserted
    }
}

/// Returns whether a value stays what it is where two elements change places.
pub(crate) fn is_kept(value: &Value, carrier: CarrierId, a: u32, b: u32) -> bool {
    swapped(value, carrier, a, b).is_some_and(|swapped| swapped == *value)
}

fn swapped(value: &Value, carrier: CarrierId, a: u32, b: u32) -> Option<Value> {
    let of = |v: &Value| swapped(v, carrier, a, b);
    Some(match value {
        Value::Bool(_) | Value::Int(_) | Value::Real(_) | Value::String(_) => value.clone(),
        Value::Element(c, i) if *c == carrier && *i == a => Value::Element(carrier, b),
        Value::Element(c, i) if *c == carrier && *i == b => Value::Element(carrier, a),
        Value::Element(..) => value.clone(),
        Value::Pair(p) => Value::pair(of(&p.0)?, of(&p.1)?),
        Value::Set(s) => Value::set(s.iter().map(of).collect::<Option<Vec<_>>>()?),
        Value::Record(fields) => {
            let fields = fields.iter().map(|(label, v)| Some((label.clone(), of(v)?)));
            Value::Record(fields.collect::<Option<Vec<_>>>()?.into())
        }
        Value::Free(..) | Value::Lazy(_) => return None,
    })
}
