//! Sets, constants and concrete variables that a refinement identifies by their names.
//!
//! A deferred set or constant of the abstraction has the value of the one of the same name in a machine that the
//! refinement sees, includes or imports; enumerated sets of the same name and elements are one set; a concrete variable
//! of the abstraction is that of an imported machine (B Language Reference Manual, clauses VALUES, SETS and
//! CONCRETE_VARIABLES). Identified names are one thing of the model. The machine that gives it its value then owes the
//! properties that the abstraction states of it, so these are assertions and not axioms.

use std::collections::{BTreeSet, HashMap};

use crate::check::names::Entity;

/// A set or constant, by the unit that declares it.
pub(super) type Declaration = (usize, String);

/// Sets and constants that are one.
#[derive(Default)]
pub(super) struct Homonyms {
    numbers: HashMap<Declaration, usize>,
    groups: Vec<Group>,
}

#[derive(Default)]
struct Group {
    /// The entity, as soon as one of the names is declared.
    entity: Option<Entity>,
    /// The elements, if one of them is enumerated.
    elements: Option<Vec<String>>,
    /// Units of abstractions whose set or constant it is.
    abstractions: BTreeSet<usize>,
}

impl Homonyms {
    /// Returns the entity that a set or constant is identified with, and the elements that are known.
    pub fn of(&self, unit: usize, name: &str) -> Option<(Option<Entity>, Option<&Vec<String>>)> {
        let group = &self.groups[*self.numbers.get(&(unit, name.to_string()))?];
        Some((group.entity, group.elements.as_ref()))
    }

    /// Sets the entity of a group of sets or constants.
    pub fn settle(&mut self, unit: usize, name: &str, entity: Entity) {
        if let Some(&number) = self.numbers.get(&(unit, name.to_string())) {
            self.groups[number].entity = Some(entity);
        }
    }

    /// Makes a set or constant of an abstraction and another one one.
    pub fn unite(&mut self, abstraction: Declaration, other: Declaration, elements: Option<Vec<String>>) {
        let unit = abstraction.0;
        let known = [&abstraction, &other].map(|d| self.numbers.get(d).copied());
        let number = match known {
            [Some(a), Some(b)] => {
                let moved = std::mem::take(&mut self.groups[b]);
                self.groups[a].elements = self.groups[a].elements.take().or(moved.elements);
                self.groups[a].abstractions.extend(moved.abstractions);
                self.numbers.values_mut().filter(|n| **n == b).for_each(|n| *n = a);
                a
            }
            [Some(a), None] | [None, Some(a)] => a,
            [None, None] => {
                self.groups.push(Group::default());
                self.groups.len() - 1
            }
        };
        let group = &mut self.groups[number];
        group.elements = group.elements.take().or(elements);
        group.abstractions.insert(unit);
        self.numbers.extend([(abstraction, number), (other, number)]);
    }

    /// Returns the sets and constants of a unit, as an abstraction, that others give a value.
    pub fn given(&self, unit: usize) -> Vec<Entity> {
        let of_unit = self.groups.iter().filter(|g| g.abstractions.contains(&unit));
        of_unit.filter_map(|g| g.entity).collect()
    }
}
