//! Footprint of an event: the conditions, reads and writes that its text shows.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::int::Int;
use bsym_language::model::{
    BinaryOp, CompareOp, Event, Expr, ExprKind, LocalId, Pred, Subst, SubstKind, Target, VarId,
};
use bsym_language::types::Type;
use bsym_language::walk::{Names, cut_into_literals, parts};
use bsym_semantics::value::Value;

use super::bounds::{Before, Bounds};
use super::formulas::{Condition, Formulas, Test, variable};
use super::literal::Literal;
use super::location::Location;

/// Effect of an event on a location.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Leaves the location as it is, or gives it one of these values.
    Values(BTreeSet<Value>),
    /// Adds this to the integer there.
    Adds(Int),
    /// Any effect.
    Any,
}

/// An event as the dependency relation sees it.
pub struct Footprint<'m> {
    /// Guards that do not depend on parameters.
    pub literals: Vec<Literal<'m>>,
    /// Locations that the rest of the event reads. The old value of a location is left out if the effect determines its
    /// new value.
    pub reads: BTreeSet<Location>,
    /// Locations that may be written, with the effect on each.
    pub writes: BTreeMap<Location, Effect>,
    /// The values that a location gets where it is written, as far as they are known, in states that matter.
    pub values: BTreeMap<Location, BTreeSet<Value>>,
    /// The expressions with these values, for locations that are not written in any other way.
    sources: BTreeMap<Location, &'m Expr>,
}

/// Beginning of a body: guards, and outermost choices of values with their guards.
pub struct Opening<'s> {
    /// The guards, from the outermost one on.
    pub guards: Vec<&'s Pred>,
    /// The names that are chosen.
    pub chosen: Vec<LocalId>,
    /// The rest of the body.
    pub rest: &'s Subst,
}

impl<'s> Opening<'s> {
    /// Opening of a body.
    pub fn of(body: &'s Subst) -> Opening<'s> {
        let mut opening = Opening { guards: vec![], chosen: vec![], rest: body };
        loop {
            match &opening.rest.kind {
                SubstKind::Select { branches, otherwise: None, .. } if branches.len() == 1 => {
                    opening.guards.push(&branches[0].0);
                    opening.rest = &branches[0].1;
                }
                SubstKind::Any(_, locals, pred, inner) => {
                    opening.guards.push(pred);
                    opening.chosen.extend(locals);
                    opening.rest = inner;
                }
                _ => return opening,
            }
        }
    }
}

impl<'m> Footprint<'m> {
    /// Footprint of an event. The bounds are those of locations in states that matter.
    pub fn of(formulas: Formulas<'_, '_>, event: &'m Event, bounds: &Bounds) -> Footprint<'m> {
        let (reads, writes, values, sources) = Default::default();
        let mut footprint = Footprint { literals: vec![], reads, writes, values, sources };
        let Opening { guards: conditions, rest, .. } = Opening::of(&event.body);
        let mut literals = vec![];
        conditions.into_iter().for_each(|p| cut_into_literals(true, p, &mut literals));
        for (place, (positive, pred)) in literals.into_iter().enumerate() {
            if Names::of_pred(pred).locals.is_empty() {
                footprint.literals.push(Literal::of(formulas, positive, pred, place));
            } else {
                footprint.reads.extend(formulas.reads_of_pred(pred));
            }
        }
        footprint.mark_implied();
        Body { formulas, footprint: &mut footprint, is_later: false }.subst(rest);
        footprint.values = footprint.values_written(formulas, bounds);
        footprint
    }

    /// Marks guards stating that a set is not empty, if another guard states that an element is in it.
    fn mark_implied(&mut self) {
        let present: BTreeSet<VarId> = self
            .literals
            .iter()
            .filter_map(|literal| literal.condition.as_ref())
            .filter(|c| c.positive && matches!(c.test, Test::Present))
            .map(|c| c.at.variable)
            .collect();
        for literal in &mut self.literals {
            let Some(Condition { at, positive: false, test: Test::Compare(CompareOp::Equal, value) }) =
                &literal.condition
            else {
                continue;
            };
            literal.is_implied =
                at.part.is_none() && *value == Value::empty() && present.contains(&at.variable);
        }
    }

    fn values_written(
        &self,
        formulas: Formulas<'_, '_>,
        bounds: &Bounds,
    ) -> BTreeMap<Location, BTreeSet<Value>> {
        let before = Before::new(formulas, bounds, &self.literals);
        let known = |(at, effect): (&Location, &Effect)| {
            let values = match effect {
                Effect::Values(values) => Some(values.clone()),
                _ => before.values_of(self.sources.get(at)?),
            };
            Some((at.clone(), values?))
        };
        self.writes.iter().filter_map(known).collect()
    }

    /// All locations that are read.
    pub fn all_reads(&self) -> impl Iterator<Item = &Location> {
        self.reads.iter().chain(self.literals.iter().flat_map(|literal| &literal.reads))
    }
}

/// A changed part of a variable, the effect on it, and the expression whose value it gets, if it is one.
type Change<'f> = (Location, Effect, Option<&'f Expr>);

struct Body<'b, 'a, 'm, 'f> {
    formulas: Formulas<'a, 'm>,
    footprint: &'b mut Footprint<'f>,
    /// `true` while evaluating parts of the body that come after an assignment.
    is_later: bool,
}

impl<'f> Body<'_, '_, '_, 'f> {
    fn subst(&mut self, s: &'f Subst) {
        match &s.kind {
            SubstKind::Assign(list) => list.iter().for_each(|(target, e)| match target {
                Target::Var(v) => self.assign(*v, e),
                Target::Local(_) => self.read(e),
            }),
            SubstKind::BecomesIn(_, targets, set) => {
                self.read(set);
                let values = self.formulas.elements(set).filter(|_| targets.len() == 1);
                let effect = values.map_or(Effect::Any, Effect::Values);
                targets.iter().for_each(|target| self.write_target(target, effect.clone()));
            }
            SubstKind::BecomesSuch(_, targets, pred) => {
                self.test(pred);
                targets.iter().for_each(|(target, _)| self.write_target(target, Effect::Any));
            }
            SubstKind::Pre(pred, _) | SubstKind::Assert(_, pred, _) | SubstKind::Any(_, _, pred, _) => {
                self.test(pred);
            }
            SubstKind::If(branches, _) | SubstKind::Select { branches, .. } => {
                branches.iter().for_each(|(pred, _)| self.test(pred));
            }
            SubstKind::Let(definitions, _) => definitions.iter().for_each(|(_, e)| self.read(e)),
            SubstKind::While { condition, body, invariant, variant } => {
                [condition, invariant].into_iter().for_each(|pred| self.test(pred));
                self.read(variant);
                return self.repeated(body);
            }
            SubstKind::Sequence(list) => {
                let outside = self.is_later;
                for part in list {
                    self.subst(part);
                    self.is_later = true;
                }
                self.is_later = outside;
                return;
            }
            SubstKind::Skip | SubstKind::Choice(..) | SubstKind::Var(..) | SubstKind::Parallel(_) => {}
        }
        parts(s).into_iter().for_each(|part| self.subst(part));
    }

    /// Adds a body that may be executed any number of times: its writes may depend on its earlier writes.
    fn repeated(&mut self, body: &Subst) {
        let names = Names::of_subst(body);
        for v in names.variables.iter().chain(&names.written) {
            self.footprint.reads.insert(Location::whole(*v));
        }
        names.written.into_iter().for_each(|v| self.write(Location::whole(v), Effect::Any));
    }

    fn read(&mut self, e: &Expr) {
        let reads = self.formulas.reads_of_expr(e);
        self.footprint.reads.extend(reads);
    }

    fn test(&mut self, p: &Pred) {
        let reads = self.formulas.reads_of_pred(p);
        self.footprint.reads.extend(reads);
    }

    fn write_target(&mut self, target: &Target, effect: Effect) {
        if let Target::Var(v) = target {
            self.write(Location::whole(*v), effect);
        }
    }

    /// Records a write. If a location is written twice, in branches or in sequence, only its possible values remain
    /// known.
    fn write(&mut self, at: Location, effect: Effect) {
        let again = self.footprint.writes.keys().any(|other| *other != at && other.overlaps(&at));
        let old = self.footprint.writes.remove(&at);
        if again || old.is_some() {
            self.footprint.sources.retain(|other, _| !other.overlaps(&at));
        }
        let effect = match (old, effect) {
            (None, effect) => effect,
            (Some(Effect::Values(mut values)), Effect::Values(more)) => {
                values.extend(more);
                Effect::Values(values)
            }
            _ => Effect::Any,
        };
        if again {
            // The variable is written as a whole and in parts: nothing is known of either.
            let all: Vec<Location> =
                self.footprint.writes.keys().filter(|other| other.overlaps(&at)).cloned().collect();
            for other in all {
                self.footprint.writes.insert(other, Effect::Any);
            }
        }
        self.footprint.writes.insert(at, if again { Effect::Any } else { effect });
    }

    /// Writes a location that gets the value of an expression, if it is one.
    fn write_from(&mut self, at: Location, effect: Effect, source: Option<&'f Expr>) {
        if let Some(source) = source.filter(|_| !self.is_later) {
            self.footprint.sources.insert(at.clone(), source);
        } else {
            self.footprint.sources.remove(&at);
        }
        self.write(at, effect);
    }

    fn assign(&mut self, v: VarId, e: &'f Expr) {
        let mut changes = vec![];
        if self.changes(v, e, &mut changes) {
            for (at, effect, source) in changes {
                self.write_from(at, effect, source);
            }
            return;
        }
        let whole = Location::whole(v);
        if let Some(n) = self.added(v, e) {
            return self.write_from(whole, Effect::Adds(n), Some(e));
        }
        let effect = match self.formulas.value(e) {
            Some(value) if !value.has_lazy() => Effect::Values(BTreeSet::from([value])),
            _ if e.ty == Type::Bool => Effect::Values([false, true].map(Value::Bool).into()),
            _ => Effect::Any,
        };
        self.read(e);
        self.write_from(whole, effect, Some(e));
    }

    /// Returns the integer `n` that `v := v + n` adds.
    fn added(&self, v: VarId, e: &Expr) -> Option<Int> {
        let ExprKind::Binary(op, a, b) = &e.kind else { return None };
        let number = |e: &Expr| self.formulas.value(e)?.as_int().cloned();
        match op {
            BinaryOp::Add if variable(a) == Some(v) => number(b),
            BinaryOp::Add if variable(b) == Some(v) => number(a),
            BinaryOp::Subtract if variable(a) == Some(v) => Some(-&number(b)?),
            _ => None,
        }
    }

    /// Returns whether an expression is a variable with some of its parts changed, and adds the changes. The locations
    /// that they read are recorded as read.
    fn changes(&mut self, v: VarId, e: &'f Expr, out: &mut Vec<Change<'f>>) -> bool {
        let ExprKind::Binary(op, a, b) = &e.kind else { return variable(e) == Some(v) };
        let is_relation = e.ty.as_relation().is_some();
        let (inner, changed) = match op {
            BinaryOp::Union | BinaryOp::Difference | BinaryOp::Override => (a, b),
            BinaryOp::DomainSubtraction => (b, a),
            _ => return false,
        };
        let before = out.len();
        let done = match (op, is_relation) {
            (BinaryOp::Override, _) => self.overridden(v, changed, out),
            (BinaryOp::DomainSubtraction, _) => match self.formulas.elements(changed) {
                Some(points) => self.each_part(v, points, Effect::Any, out),
                None => false,
            },
            (BinaryOp::Union | BinaryOp::Difference, false) => match self.formulas.elements(changed) {
                Some(elements) => {
                    let present = BTreeSet::from([Value::Bool(*op == BinaryOp::Union)]);
                    self.each_part(v, elements, Effect::Values(present), out)
                }
                None => false,
            },
            _ => self.points(v, changed, out),
        };
        if done && self.changes(v, inner, out) {
            return true;
        }
        out.truncate(before);
        false
    }

    fn each_part(&self, v: VarId, parts: BTreeSet<Value>, effect: Effect, out: &mut Vec<Change<'f>>) -> bool {
        out.extend(parts.into_iter().map(|part| (Location::part(v, part), effect.clone(), None)));
        true
    }

    /// Adds couples that are added to a relation or taken out of it: the points where it changes.
    fn points(&mut self, v: VarId, couples: &'f Expr, out: &mut Vec<Change<'f>>) -> bool {
        if let Some(couples) = self.formulas.elements(couples) {
            let points = couples.iter().filter_map(|c| Some(c.as_pair()?.0.clone())).collect();
            return self.each_part(v, points, Effect::Any, out);
        }
        self.couples(v, couples, &|_| Effect::Any, false, out)
    }

    fn overridden(&mut self, v: VarId, by: &'f Expr, out: &mut Vec<Change<'f>>) -> bool {
        if matches!(by.kind, ExprKind::SetExtension(_)) {
            let formulas = self.formulas;
            let effect = |e: &Expr| match formulas.value(e) {
                Some(value) if !value.has_lazy() => Effect::Values(BTreeSet::from([value])),
                _ => Effect::Any,
            };
            return self.couples(v, by, &effect, true, out);
        }
        match self.formulas.elements(by) {
            Some(couples) => {
                let points = couples.iter().filter_map(|c| Some(c.as_pair()?.0.clone())).collect();
                self.each_part(v, points, Effect::Any, out)
            }
            None => false,
        }
    }

    /// The couples of a set that is written out: their first parts need no state.
    fn couples(
        &mut self,
        v: VarId,
        set: &'f Expr,
        effect: &dyn Fn(&Expr) -> Effect,
        is_image: bool,
        out: &mut Vec<Change<'f>>,
    ) -> bool {
        let ExprKind::SetExtension(items) = &set.kind else { return false };
        let mut couples: BTreeMap<Value, Vec<&'f Expr>> = BTreeMap::new();
        for item in items {
            let ExprKind::Binary(BinaryOp::Maplet, point, image) = &item.kind else { return false };
            let Some(point) = self.formulas.value(point).filter(|p| !p.has_lazy()) else { return false };
            couples.entry(point).or_default().push(image);
            self.read(image);
        }
        for (point, images) in couples {
            // One of several couples with the same first part is not all that stands there.
            let (effect, image) = match images[..] {
                [image] => (effect(image), is_image.then_some(image)),
                _ => (Effect::Any, None),
            };
            out.push((Location::part(v, point), effect, image));
        }
        true
    }
}
