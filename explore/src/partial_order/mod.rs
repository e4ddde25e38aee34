//! Partial order reduction: of the events that are enabled in a state only some are taken, where the others can wait.
//!
//! - `instances`: events cut at the values of their parameters
//! - `location`, `formulas`, `footprint`: what an event reads and writes, element by element
//! - `bounds`: the values that stand there before
//! - `dependency`: which events commute, exclude or enable each other
//! - `visible`: which can bring about what is looked for
//! - `stubborn`: the events that are enough in a state
//!
//! # Why nothing is lost
//!
//! Call a state *bad* where an asked property is not as it should be, or the evaluation of an event goes wrong. In each
//! state `s` that is not bad a set `T` of events is chosen such that
//!
//! 1. every path from `s` whose last state is bad and no earlier one is takes an event of `T` (`T` holds an *up-set* of each way to
//!    be bad: Kristensen, Schmidt, Valmari, *Question-guided stubborn set methods for state properties*, FMSD 2006);
//! 2. with an enabled event `T` holds all that do not accord with it, with a disabled one a necessary enabling set: all events
//!    that can make true some guard that is false in `s` (Valmari 1990; Valmari, Hansen, *Can stubborn sets be optimal?*, 2010);
//! 3. `T` has an enabled event if there is one.
//!
//! Let `s` have a shortest path to a bad state, of length `n > 0`. By 1 it takes events of `T`; let `t` be the first of
//! them. `t` is enabled in `s`: otherwise one of its guards that are false in `s` would have been made true by an event
//! of `T` before it. The events before `t` are not in `T`, so they accord with `t`, which is enabled with the same
//! effect all along, in states that are not bad; so `t` can be taken first, and the path from there to the same bad
//! state has length `n - 1`. As `t` is taken in the reduced search, a bad state is found by induction on `n`. The
//! induction is on the length of the path, not on the order of the search, so no cycle proviso is needed: an event of
//! an up-set cannot be ignored, because it, or what enables it, is in `T` in every state (the provisos of Peled,
//! *Combining partial order reductions with on-the-fly model-checking*, 1996, and for breadth-first search of Bošnački
//! and Holzmann, *Improving Spin's partial-order reduction for breadth-first search*, 2005, serve sets that leave
//! visible events out). And `T` is a function of the state alone.
//!
//! A deadlock is found by the same induction: in `s` some enabled event of `T` stays enabled until an event of `T` is
//! taken, by 2, so a path to a deadlock takes one.
//!
//! Since only states before the first bad one matter, everything may be derived under the assumption that the asked
//! properties hold: bounds of parameters, well-definedness, and pairs of event and conjunct that are proven under the
//! whole invariant. Of further violations nothing is known.
//!
//! An event goes wrong in a state only if the guards in front of what fails are true: as long as one is false, the
//! events that can make it true are an up-set. A classical precondition is a guard of the transition system; one inside
//! a body is not, and its event may go wrong.

pub mod bounds;
pub mod dependency;
pub mod footprint;
pub mod formulas;
pub mod instances;
pub mod literal;
pub mod location;
pub mod stubborn;
pub mod visible;

use std::collections::BTreeMap;
use std::sync::Arc;

use bsym_language::model::{Model, Pred, same};
use bsym_language::walk::cut_into_literals;
use fixedbitset::FixedBitSet;

use bounds::Bounds;
use dependency::{Dependency, Relation};
use footprint::Footprint;
use formulas::Formulas;
use literal::Literal;
use stubborn::{Relations, Target};

/// Property to check in states.
pub struct Property<'m> {
    /// A predicate.
    pub pred: &'m Pred,
    /// The truth value that is no violation.
    pub good: bool,
    /// The events that are proven to preserve it if the whole invariant holds before.
    pub proven: FixedBitSet,
}

/// Relations between the events of a model, by static analysis of their text.
pub struct PartialOrder<'m> {
    /// The relations between the events.
    pub relations: Arc<Relations>,
    /// The literals in these relations, each with the truth value that it must have.
    pub literals: Vec<(bool, &'m Pred)>,
    /// Pairs of events that commute.
    pub independent: usize,
}

/// Analyses the events of a model. `known` are predicates that hold in every state that is not bad. `None` if no two
/// events commute, so that nothing could be left out.
pub fn analyse<'m>(
    formulas: Formulas<'_, 'm>,
    model: &'m Model,
    properties: &[Property<'m>],
    known: &[&'m Pred],
) -> Option<PartialOrder<'m>> {
    let bounds = Bounds::of(formulas, known);
    let footprints: Vec<Footprint<'m>> =
        model.events.iter().map(|event| Footprint::of(formulas, event, &bounds)).collect();
    let dependency = Dependency::new(formulas, &footprints);
    let mut table =
        Table { dependency, relations: Relations::default(), literals: vec![], known: BTreeMap::new() };
    let independent = table.add_dependent();
    if independent == 0 {
        return None;
    }
    table.add_guards();
    for (event, body) in model.events.iter().map(|event| &event.body).enumerate() {
        if let Some(sound) = visible::sound_guards(formulas, known, body) {
            table.add_failure(event, sound);
        }
    }
    properties.iter().for_each(|property| table.add_property(formulas, property));
    let Table { relations, literals, .. } = table;
    Some(PartialOrder { relations: Arc::new(relations), literals, independent })
}

/// Relations under construction.
struct Table<'a, 'm> {
    dependency: Dependency<'a, 'm>,
    relations: Relations,
    literals: Vec<(bool, &'m Pred)>,
    /// Their positions, by a form that is equal for literals that say the same.
    known: BTreeMap<String, usize>,
}

impl<'m> Table<'_, 'm> {
    /// The position of a literal. Instances of an event have most of theirs in common.
    fn add_literal(&mut self, literal: &Literal<'m>) -> usize {
        let form = format!("{} {:?}", literal.positive, same::canonical(literal.pred));
        if let Some(known) = self.known.get(&form) {
            return *known;
        }
        self.known.insert(form, self.literals.len());
        self.literals.push((literal.positive, literal.pred));
        self.relations.enablers.push(self.dependency.enablers(literal));
        self.literals.len() - 1
    }

    /// Records which events depend on each other. Returns how many pairs commute.
    fn add_dependent(&mut self) -> usize {
        let n = self.dependency.footprints.len();
        let (mut dependent, mut independent) = (vec![FixedBitSet::with_capacity(n); n], 0);
        for a in 0..n {
            dependent[a].insert(a);
            for b in a + 1..n {
                match self.dependency.relation(a, b) {
                    Relation::Commute => independent += 1,
                    Relation::Exclude => {}
                    Relation::Depend => {
                        dependent[a].insert(b);
                        dependent[b].insert(a);
                    }
                }
            }
        }
        self.relations.dependent = dependent;
        independent
    }

    fn add_guards(&mut self) {
        for (event, footprint) in self.dependency.footprints.iter().enumerate() {
            self.relations.writers.push(self.dependency.writers_for(event));
            let guards = footprint.literals.iter().map(|literal| self.add_literal(literal)).collect();
            self.relations.guards.push(guards);
        }
    }

    /// Adds the target of an event that may go wrong, though not where one of its first guards is false.
    fn add_failure(&mut self, event: usize, sound: usize) {
        let all = &self.dependency.footprints[event].literals;
        let sound = all.iter().take_while(|literal| literal.place < sound).count();
        let literals = self.relations.guards[event][..sound].to_vec();
        let writers = self.relations.writers[event].clone();
        self.relations.targets.push(Target { writers, literals });
    }

    fn add_property(&mut self, formulas: Formulas<'_, '_>, property: &Property<'m>) {
        let whole = Literal::of(formulas, property.good, property.pred, 0);
        let events = self.dependency.footprints;
        let breaks = |event: &usize| {
            !property.proven.contains(*event)
                && !visible::preserves(&self.dependency, formulas, &events[*event], &whole)
        };
        let writers = (0..events.len()).filter(breaks).collect::<FixedBitSet>();
        if writers.is_clear() {
            return;
        }
        let mut parts = vec![];
        cut_into_literals(!property.good, property.pred, &mut parts);
        // One alone says no more than the property itself.
        let sound = if parts.len() > 1 { visible::sound_literals(formulas, &[], &parts) } else { 0 };
        let literals = parts[..sound].iter().map(|(positive, pred)| {
            let part = Literal::of(formulas, *positive, pred, 0);
            self.add_literal(&part)
        });
        let literals = literals.collect();
        self.relations.targets.push(Target { writers, literals });
    }
}
