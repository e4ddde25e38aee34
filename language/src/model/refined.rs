//! Abstractions of a refinement of classical B, side by side with it, for the comparison of their executions.
//!
//! Each level of a chain of refinements has its own variables here, including those that the next level keeps, because
//! two executions can be compared only in this way. Formulas of levels use the variables of [`SideBySide::model`].
//!
//! Source: J.-R. Abrial, The B-Book (1996), 11.2: a refinement is correct if each of its operations, where the
//! preconditions of the abstraction hold, can be followed by the abstract operation with the same results.

use std::ops::Range;

use crate::model::types::Type;
use crate::model::*;
use crate::source::Span;

/// The abstractions of a refinement, and the obligations of its operations towards them.
#[derive(Clone, Debug)]
pub struct Refined<T = Type> {
    /// The levels, nearest first.
    pub levels: Vec<Level<T>>,
    /// By event of the refinement; `None` for events that no abstraction has: new events, operations of machines that
    /// are seen. They leave abstractions unchanged.
    pub operations: Vec<Option<Followed<T>>>,
    /// The refinement itself.
    pub own: OwnLevel<T>,
}

/// A refinement with its formulas about its abstractions: preconditions of calls, `ASSERT`, invariants of loops and
/// `ASSERTIONS` are complete here. Its formulas use the variables of [`SideBySide::model`].
#[derive(Clone, Debug)]
pub struct OwnLevel<T = Type> {
    /// The initialisation, with those of the machines that it sees, includes or imports.
    pub initialisation: Subst<T>,
    /// The operations, by event of the refinement; each has its own parameters and results.
    pub operations: Vec<Event<T>>,
    /// By position, the assertions of the machine and its abstractions.
    pub assertions: Vec<Conjunct<T>>,
    /// The positions of those assertions that are properties of an abstraction about sets and constants of a machine
    /// that is seen, included or imported: the composing machine must prove them.
    pub owed: Range<usize>,
    /// The values that it gives, if it is an implementation.
    pub implementation: Option<Implementation>,
    /// Its local operations.
    pub local: Vec<LocalOperation<T>>,
}

/// An operation of `LOCAL_OPERATIONS` (B Language Reference Manual, clause of that name): its implementation must do no
/// more than its specification.
#[derive(Clone, Debug)]
pub struct LocalOperation<T = Type> {
    /// The specification.
    pub specification: Event<T>,
    /// The implementation.
    pub implementation: Event<T>,
}

/// Values that an implementation gives, and its obligations for them (B Language Reference Manual, clause `VALUES`).
#[derive(Clone, Default, Debug)]
pub struct Implementation {
    /// The equations of `VALUES`, by position in [`Model::axioms`].
    pub values: Vec<usize>,
    /// By position in [`Model::axioms`], the properties that the values must satisfy: its own and those of its
    /// abstractions. The other axioms are given by machines that it sees or imports, and about parameters.
    pub owed: Vec<usize>,
    /// Constants of its own or its abstractions that do not belong to another machine.
    pub constants: Vec<ConstId>,
    /// Sets and concrete constants of its own or its abstractions without a value.
    pub unvalued: Vec<(String, Span)>,
    /// Its own variables: concrete ones.
    pub variables: Vec<VarId>,
    /// Local operations that nothing implements.
    pub unimplemented: Vec<(String, Span)>,
}

/// An abstraction.
#[derive(Clone, Debug)]
pub struct Level<T = Type> {
    /// The machine or refinement.
    pub component: ComponentId,
    /// Its variables with those of the machines that it includes, under their own names.
    pub variables: Vec<Variable<T>>,
    /// Conjuncts of its invariant about its own variables alone.
    pub invariant: Vec<Conjunct<T>>,
    /// Relations between the level before it, this one and those behind: conjuncts of that level's invariant, and for
    /// each variable that it keeps, that both are equal.
    pub gluing: Vec<Conjunct<T>>,
    /// Its initialisation.
    pub initialisation: Subst<T>,
    /// Its operations, as far as the refinement has them.
    pub operations: Vec<Event<T>>,
}

/// Obligations of an operation of a refinement towards the abstract ones.
#[derive(Clone, Debug)]
pub struct Followed<T = Type> {
    /// Number of parameters of the abstract operation: the first ones of the event.
    pub parameters: usize,
    /// The operation in each level, by position there; `None` where the level has none.
    pub by: Vec<Option<usize>>,
    /// The preconditions of all levels; `None` where there are none.
    pub precondition: Option<Event<T>>,
    /// The preconditions of all levels, where the refinement's own precondition is false; `None` if it has none of its
    /// own.
    pub narrowed: Option<Event<T>>,
}

/// A model whose states are those of all levels side by side.
///
/// Its events are those of the refinement, under their numbers, which write its own variables alone; then the
/// operations of the levels. Its invariant glues the levels together; its assertions are those of the refinement about
/// its own states. It is not the model of a machine: the caller decides in which order its events happen.
#[derive(Clone, Debug)]
pub struct SideBySide {
    /// The model.
    pub model: Model,
    /// The levels, nearest first.
    pub levels: Vec<LevelPart>,
    /// By event of the refinement.
    pub operations: Vec<Option<FollowedPart>>,
}

/// Position of a level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LevelPart {
    /// The machine or refinement.
    pub component: ComponentId,
    /// Its variables.
    pub variables: Range<usize>,
    /// Conjuncts of the invariant that glue the level before to it.
    pub gluing: Range<usize>,
}

/// The events that belong to one of the refinement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FollowedPart {
    /// Number of parameters of the abstract operation: the first ones of the event.
    pub parameters: usize,
    /// Operation of each level; `None` if it has no such operation.
    pub by: Vec<Option<EventId>>,
    /// Enabled with the arguments that the preconditions of all levels allow; it does nothing.
    pub precondition: Option<EventId>,
    /// Enabled with those of them that the refinement does not allow; it does nothing.
    pub narrowed: Option<EventId>,
}

impl Refined {
    /// Returns the refinement and its levels side by side. `model` is the model that has these abstractions.
    pub fn side_by_side(&self, model: &Model) -> SideBySide {
        let mut joint = Model {
            invariant: vec![],
            assertions: model.invariant.iter().chain(&model.assertions).cloned().collect(),
            ..model.clone()
        };
        joint.refinement = Refinement {
            abstract_variables: vec![],
            gluing: vec![],
            not_checked: vec![],
            refined: None,
            ..joint.refinement
        };
        joint.definitions.goal = None;
        let (mut levels, mut first_operations) = (vec![], vec![]);
        let mut initialisations = vec![joint.initialisation.clone()];
        for level in &self.levels {
            let variables = joint.variables.len()..joint.variables.len() + level.variables.len();
            let gluing = joint.invariant.len()..joint.invariant.len() + level.gluing.len();
            let machine = &model.text.components[level.component.index()].name;
            joint.variables.extend(
                level
                    .variables
                    .iter()
                    .map(|v| Variable { name: format!("{machine}.{}", v.name), ..v.clone() }),
            );
            joint.invariant.extend(level.gluing.iter().cloned());
            initialisations.push(level.initialisation.clone());
            first_operations.push(joint.events.len());
            joint.events.extend(level.operations.iter().cloned());
            levels.push(LevelPart { component: level.component, variables, gluing });
        }
        joint.initialisation = SubstKind::Sequence(initialisations).at(model.initialisation.span);
        let mut add = |event: &Option<Event>| {
            let event = event.clone()?;
            joint.events.push(event);
            Some(EventId(joint.events.len() as u32 - 1))
        };
        let operations = self.operations.iter().map(|followed| {
            let followed = followed.as_ref()?;
            let by = followed.by.iter().zip(&first_operations);
            Some(FollowedPart {
                parameters: followed.parameters,
                by: by.map(|(o, first)| o.map(|o| EventId((first + o) as u32))).collect(),
                precondition: add(&followed.precondition),
                narrowed: add(&followed.narrowed),
            })
        });
        let operations = operations.collect();
        SideBySide { model: joint, levels, operations }
    }
}
