//! Independence: which events depend on each other, which may enable which, and which may make a condition true.
//!
//! Two events *accord* where in every state in which both are enabled each leaves the other one enabled with the same
//! effect, and both orders lead to the same states. Events that are never enabled together accord (Godefroid,
//! *Partial-Order Methods for the Verification of Concurrent Systems*, LNCS 1032; Laarman, Pater, van de Pol, Weber,
//! *Guard-Based Partial-Order Reduction*, SPIN 2013). Events that are not known to accord are dependent.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;

use super::footprint::{Effect, Footprint};
use super::formulas::Formulas;
use super::literal::Literal;
use super::location::{Location, touches};

/// Dependencies between events.
pub struct Dependency<'a, 'm> {
    formulas: Formulas<'a, 'm>,
    /// The events.
    pub footprints: &'a [Footprint<'m>],
    /// The variables that each of them reads, and those that it writes.
    touched: Vec<(FixedBitSet, FixedBitSet)>,
}

impl<'a, 'm> Dependency<'a, 'm> {
    /// Dependencies between some events.
    pub fn new(formulas: Formulas<'a, 'm>, footprints: &'a [Footprint<'m>]) -> Self {
        let mut dependency = Dependency { formulas, footprints, touched: vec![] };
        let touched = |footprint: &Footprint<'_>| {
            (dependency.variables(footprint.all_reads()), dependency.variables(footprint.writes.keys()))
        };
        dependency.touched = footprints.iter().map(touched).collect();
        dependency
    }

    /// Returns whether an event can make a false literal true.
    pub fn may_enable(&self, event: &Footprint<'_>, literal: &Literal<'_>) -> bool {
        self.may_change(event, literal, true)
    }

    /// Returns whether an event can make a true literal false.
    pub fn may_refute(&self, event: &Footprint<'_>, literal: &Literal<'_>) -> bool {
        self.may_change(event, literal, false)
    }

    /// Returns whether an event can change a literal to this truth value.
    fn may_change(&self, event: &Footprint<'_>, literal: &Literal<'_>, truth: bool) -> bool {
        let mut written = event.writes.keys().filter(|at| touches(&literal.reads, at)).peekable();
        if written.peek().is_none() {
            return false;
        }
        let Some(condition) = &literal.condition else { return true };
        if literal.reads.len() != 1 || written.any(|at| *at != condition.at) {
            return true;
        }
        // A growing integer cannot reach smaller ones, and so on: the opposite truth is kept.
        if let Some(Effect::Adds(n)) = event.writes.get(&condition.at) {
            let mut other = condition.clone();
            other.positive ^= truth;
            if self.formulas.is_kept(&other, *n >= 0.into()) {
                return false;
            }
        }
        let Some(values) = event.values.get(&condition.at) else { return true };
        values.iter().any(|value| self.formulas.allows(condition, value) != Some(!truth))
    }

    /// Returns whether two events are never enabled in one state, because a guard of one excludes one of the other.
    fn exclude(&self, a: &Footprint<'_>, b: &Footprint<'_>) -> bool {
        let one_way = |a: &Footprint<'_>, b: &Footprint<'_>| {
            let conditions = a.literals.iter().filter_map(|literal| literal.condition.as_ref());
            conditions.into_iter().any(|mine| {
                let theirs = b.literals.iter().filter_map(|literal| literal.condition.as_ref());
                let mut theirs = theirs.filter(|theirs| theirs.at == mine.at).peekable();
                if theirs.peek().is_none() {
                    return false;
                }
                let Some(values) = self.formulas.allowed(mine) else { return false };
                theirs.any(|theirs| values.iter().all(|v| self.formulas.allows(theirs, v) == Some(false)))
            })
        };
        one_way(a, b) || one_way(b, a)
    }

    /// The variables of locations.
    fn variables<'l>(&self, locations: impl Iterator<Item = &'l Location>) -> FixedBitSet {
        let mut set = FixedBitSet::with_capacity(self.formulas.eval.model.variables.len());
        locations.for_each(|at| set.insert(at.variable.index()));
        set
    }

    /// Returns whether event `a` can change the effect of event `b`, or whether `b` is enabled.
    fn disturbs(&self, a: &Footprint<'_>, b: &Footprint<'_>) -> bool {
        a.writes.keys().any(|at| touches(&b.reads, at))
            || b.literals.iter().any(|literal| !literal.is_implied && self.may_refute(a, literal))
    }

    /// Returns whether the order in which two events write matters.
    fn overwrite(&self, a: &Footprint<'_>, b: &Footprint<'_>) -> bool {
        let matters = |(at, effect): (_, &Effect)| {
            b.writes.iter().filter(|(other, _)| at == *other || other.overlaps(at)).any(|(other, theirs)| {
                let alike = match (effect, theirs) {
                    (Effect::Values(mine), Effect::Values(theirs)) => mine.len() == 1 && mine == theirs,
                    (Effect::Adds(_), Effect::Adds(_)) => true,
                    _ => false,
                };
                at != other || !alike
            })
        };
        a.writes.iter().any(matters)
    }

    /// Returns how two events depend on each other.
    pub fn relation(&self, a: usize, b: usize) -> Relation {
        let ((a_reads, a_writes), (b_reads, b_writes)) = (&self.touched[a], &self.touched[b]);
        let apart =
            a_writes.is_disjoint(b_reads) && b_writes.is_disjoint(a_reads) && a_writes.is_disjoint(b_writes);
        let (a, b) = (&self.footprints[a], &self.footprints[b]);
        if apart {
            Relation::Commute
        } else if self.exclude(a, b) {
            Relation::Exclude
        } else if self.disturbs(a, b) || self.disturbs(b, a) || self.overwrite(a, b) {
            Relation::Depend
        } else {
            Relation::Commute
        }
    }

    /// The events that can make a literal true.
    pub fn enablers(&self, literal: &Literal<'_>) -> FixedBitSet {
        let reads = self.variables(literal.reads.iter());
        let enables = |i: &usize| {
            !self.touched[*i].1.is_disjoint(&reads) && self.may_enable(&self.footprints[*i], literal)
        };
        (0..self.footprints.len()).filter(enables).collect()
    }

    /// The events that write a location that an event reads.
    pub fn writers_for(&self, event: usize) -> FixedBitSet {
        let mut reads = self.footprints[event].all_reads();
        let reads: BTreeSet<&Location> = reads.by_ref().collect();
        let writes = |i: &usize| {
            let written = || self.footprints[*i].writes.keys();
            !self.touched[*i].1.is_disjoint(&self.touched[event].0)
                && reads.iter().any(|read| written().any(|at| at.overlaps(read)))
        };
        (0..self.footprints.len()).filter(writes).collect()
    }
}

/// Kind of dependency between two events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// Where both are enabled, the order does not matter.
    Commute,
    /// They are never enabled in one state.
    Exclude,
    /// The order may matter, as far as is known.
    Depend,
}
