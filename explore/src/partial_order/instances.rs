//! Events cut into instances: one for each valuation of those parameters that have few values, so that an instance's
//! reads and writes of a set or a function are known element by element.
//!
//! An instance is the event behind the guards `p = v`. It keeps parameters, results and choices, so that a trace of the
//! model of instances is one of the model itself as soon as each instance is called by its event.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::model::{
    BinaryOp, BuiltinSet, CompareOp, Event, EventId, Expr, ExprKind, LocalId, Model, Pred, PredKind, Subst,
    SubstKind, UnaryOp, VarId,
};
use bsym_language::source::Span;
use bsym_language::types::Type;
use bsym_language::walk::{Names, Replacement, Visitor, cut_into_literals, walk_expr, walk_pred};
use bsym_semantics::scope::Scope;
use bsym_semantics::value::Value;

use super::footprint::Opening;
use super::formulas::{Formulas, variable};
use super::visible::sound_literals;

use crate::tuning::tuning;

/// A model whose events are instances.
pub struct Instances {
    /// The model. Instances of one event are adjacent.
    pub model: Model,
    /// The event of each instance.
    pub events: Vec<EventId>,
}

impl Instances {
    /// Translates pairs of an event and something else into pairs of instances of the event.
    pub fn of_instances<'a, T: Copy + Ord>(
        &'a self,
        pairs: &'a BTreeSet<(EventId, T)>,
    ) -> impl Iterator<Item = (EventId, T)> + 'a {
        (0..).map(EventId).zip(&self.events).flat_map(move |(instance, event)| {
            let mine = pairs.iter().filter(move |pair| pair.0 == *event);
            mine.map(move |pair| (instance, pair.1))
        })
    }
}

/// Values for some locals.
type Binding = BTreeMap<LocalId, Value>;

/// Cuts the events of a model into instances. `known` are predicates that hold in every state that matters: they bound
/// parameters that are taken from variables.
pub fn instances(formulas: Formulas<'_, '_>, model: &Model, scope: &Scope, known: &[&Pred]) -> Instances {
    let domains = Domains { formulas, model, scope, known: known.to_vec(), bounds: Bounds::of(known) };
    for most in
        [tuning().partial_order.instances, tuning().partial_order.instances / tuning().partial_order.fewer, 1]
    {
        let all: Vec<Vec<Binding>> = model.events.iter().map(|event| domains.bindings(event, most)).collect();
        if all.iter().map(Vec::len).sum::<usize>() <= tuning().partial_order.all_instances {
            return cut(model, &all);
        }
    }
    cut(model, &vec![vec![Binding::new()]; model.events.len()])
}

fn cut(model: &Model, all: &[Vec<Binding>]) -> Instances {
    let (mut instances, mut events) = (vec![], vec![]);
    for (i, (event, bindings)) in (0..).zip(model.events.iter().zip(all)) {
        for binding in bindings {
            instances.push(Event { body: behind(model, binding, &event.body), ..event.clone() });
            events.push(EventId(i));
        }
    }
    Instances { model: Model { events: instances, ..model.clone() }, events }
}

/// Upper bounds of set variables; for relations also those of domain and range.
#[derive(Default)]
struct Bounds<'p> {
    sets: BTreeMap<VarId, &'p Expr>,
    domains: BTreeMap<VarId, &'p Expr>,
    ranges: BTreeMap<VarId, &'p Expr>,
}

impl<'p> Bounds<'p> {
    fn of(known: &[&'p Pred]) -> Bounds<'p> {
        let mut bounds = Bounds::default();
        let mut literals = vec![];
        known.iter().for_each(|p| cut_into_literals(true, p, &mut literals));
        for (positive, pred) in literals {
            let PredKind::Compare(op, a, b) = &pred.kind else { continue };
            let ExprKind::Var(v) = a.kind else { continue };
            match (op, positive, &b.kind) {
                (CompareOp::Subset, true, _) => {
                    bounds.sets.entry(v).or_insert(b);
                }
                (CompareOp::Member, true, ExprKind::Unary(UnaryOp::Pow | UnaryOp::Fin, set)) => {
                    bounds.sets.entry(v).or_insert(set);
                }
                (CompareOp::Member, true, ExprKind::Binary(op, from, to))
                    if op.relation_space().is_some() =>
                {
                    bounds.domains.entry(v).or_insert(from);
                    bounds.ranges.entry(v).or_insert(to);
                }
                _ => {}
            }
        }
        bounds
    }
}

struct Domains<'a, 'm> {
    formulas: Formulas<'a, 'm>,
    model: &'a Model,
    scope: &'a Scope,
    known: Vec<&'a Pred>,
    bounds: Bounds<'a>,
}

impl Domains<'_, '_> {
    /// The valuations of the parameters with few values, at least one and at most `most`.
    fn bindings(&self, event: &Event, most: usize) -> Vec<Binding> {
        let nothing = vec![Binding::new()];
        let Opening { guards: conditions, .. } = Opening::of(&event.body);
        // Without guards there is no place for further ones.
        if conditions.is_empty() {
            return nothing;
        }
        let mut literals = vec![];
        conditions.into_iter().for_each(|p| cut_into_literals(true, p, &mut literals));
        let keys = Keys::of(&event.body);
        // A membership excludes no value for which a guard before it goes wrong.
        let sound = sound_literals(self.formulas, &self.known, &literals);
        let bounding = &literals[..literals.len().min(sound + 1)];
        let of = |local: LocalId| {
            let values = keys.0.contains(&local).then(|| self.domain(local, bounding))?;
            Some((local, values?))
        };
        let mut domains: Vec<(LocalId, BTreeSet<Value>)> =
            chosen(event).into_iter().filter_map(of).filter(|(_, values)| !values.is_empty()).collect();
        // The smaller ones first: the others are left open where there would be too many.
        domains.sort_by_key(|(_, values)| values.len());
        let mut bindings = nothing;
        for (local, values) in domains {
            if bindings.len() * values.len() > most {
                break;
            }
            let with = |binding: &Binding, value: &Value| {
                let mut binding = binding.clone();
                binding.insert(local, value.clone());
                binding
            };
            bindings = bindings.iter().flat_map(|b| values.iter().map(|v| with(b, v))).collect();
        }
        bindings
    }

    /// All values that a parameter can have where the event is enabled, if they are few.
    fn domain(&self, local: LocalId, literals: &[(bool, &Pred)]) -> Option<BTreeSet<Value>> {
        let mut found = self.of_type(&self.model.locals[local.index()].ty);
        for (positive, pred) in literals {
            let PredKind::Compare(CompareOp::Member, x, set) = &pred.kind else { continue };
            if !positive || x.kind != ExprKind::Local(local) {
                continue;
            }
            if let Some(values) = self.upper(set, tuning().partial_order.deepest)
                && found.as_ref().is_none_or(|best| values.len() < best.len())
            {
                found = Some(values);
            }
        }
        found.filter(|values| values.iter().all(|v| written(v).is_some()))
    }

    fn of_type(&self, ty: &Type) -> Option<BTreeSet<Value>> {
        let span = Span::default();
        let all = match ty {
            Type::Bool => ExprKind::Set(BuiltinSet::Bool),
            Type::Carrier(carrier) => {
                self.scope.size(self.model, *carrier)?;
                ExprKind::Carrier(*carrier)
            }
            _ => return None,
        };
        self.formulas.elements(&all.typed(Type::pow(ty.clone()), span))
    }

    /// Returns a superset of a set in every state that matters. Sets may be bounded by each other; `depth` bounds are
    /// followed.
    fn upper(&self, set: &Expr, depth: usize) -> Option<BTreeSet<Value>> {
        let depth = depth.checked_sub(1)?;
        match &set.kind {
            ExprKind::Var(v) => self.upper(self.bounds.sets.get(v)?, depth),
            ExprKind::Unary(UnaryOp::Dom, r) => match r.kind {
                ExprKind::Var(v) => self.upper(self.bounds.domains.get(&v)?, depth),
                _ => self.formulas.elements(set),
            },
            ExprKind::Unary(UnaryOp::Ran, r) => match r.kind {
                ExprKind::Var(v) => self.upper(self.bounds.ranges.get(&v)?, depth),
                _ => self.formulas.elements(set),
            },
            ExprKind::Binary(BinaryOp::Difference, a, _) => self.upper(a, depth),
            ExprKind::Binary(BinaryOp::Intersection, a, b) => {
                self.upper(a, depth).or_else(|| self.upper(b, depth))
            }
            ExprKind::Binary(BinaryOp::Union, a, b) => {
                let mut both = self.upper(a, depth)?;
                both.append(&mut self.upper(b, depth)?);
                Some(both)
            }
            _ => self.formulas.elements(set),
        }
    }
}

/// The locals that determine which part of a variable is read or written. The value of any other local says nothing
/// about the locations that an event touches.
#[derive(Default)]
struct Keys(BTreeSet<LocalId>);

impl Keys {
    fn of(body: &Subst) -> Keys {
        let mut keys = Keys::default();
        keys.subst(body);
        keys
    }

    fn add(&mut self, e: &Expr) {
        let names = Names::of_expr(e);
        if names.variables.is_empty() {
            self.0.extend(names.locals);
        }
    }
}

impl Visitor for Keys {
    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Apply(f, x) if variable(f).is_some() => self.add(x),
            ExprKind::SetExtension(items) => items.iter().for_each(|item| match &item.kind {
                ExprKind::Binary(BinaryOp::Maplet, point, _) => self.add(point),
                _ => self.add(item),
            }),
            _ => {}
        }
        walk_expr(self, e);
    }

    fn pred(&mut self, p: &Pred) {
        if let PredKind::Compare(CompareOp::Member | CompareOp::NotMember, x, set) = &p.kind
            && !Names::of_expr(set).variables.is_empty()
        {
            match &x.kind {
                ExprKind::Binary(BinaryOp::Maplet, point, _) => self.add(point),
                _ => self.add(x),
            }
        }
        walk_pred(self, p);
    }
}

/// The locals that an event chooses: its parameters, and the names of the outermost choices in its body.
fn chosen(event: &Event) -> Vec<LocalId> {
    [&event.parameters[..], &Opening::of(&event.body).chosen].concat()
}

/// A body that is executed with these values only.
fn behind(model: &Model, binding: &Binding, body: &Subst) -> Subst {
    if binding.is_empty() {
        return body.clone();
    }
    let expr = |(local, value): (&LocalId, &Value)| {
        let ty = model.locals[local.index()].ty.clone();
        let kind = written(value).expect("a domain has values that can be written");
        (*local, kind.typed(ty, body.span))
    };
    let values: BTreeMap<LocalId, Expr> = binding.iter().map(expr).collect();
    let with = Replacement { locals: values.clone(), ..Replacement::default() };
    // Parameters are free in the body: they get their values in front of everything else.
    let bound: BTreeSet<LocalId> = Opening::of(body).chosen.into_iter().collect();
    let (left, free): (BTreeMap<_, _>, BTreeMap<_, _>) =
        values.into_iter().partition(|(local, _)| bound.contains(local));
    let equations = free.iter().map(|(local, value)| equation(model, *local, value)).collect();
    Narrowing { model, with, left }.subst(body, equations)
}

/// Puts equations in front of guards, and values in the place of names.
struct Narrowing<'a> {
    model: &'a Model,
    with: Replacement,
    /// Names that are bound further inside, with their values.
    left: BTreeMap<LocalId, Expr>,
}

impl Narrowing<'_> {
    fn subst(&mut self, s: &Subst, mut equations: Vec<Pred>) -> Subst {
        match &s.kind {
            SubstKind::Select { choice, branches, otherwise: None, from_pre } if branches.len() == 1 => {
                let guard = all(equations, self.with.in_pred(&branches[0].0));
                let branches = vec![(guard, self.subst(&branches[0].1, vec![]))];
                let (choice, from_pre) = (*choice, *from_pre);
                Subst {
                    kind: SubstKind::Select { choice, branches, otherwise: None, from_pre },
                    span: s.span,
                }
            }
            SubstKind::Any(choice, locals, pred, inner) => {
                for local in locals {
                    let value = self.left.remove(local);
                    equations.extend(value.map(|value| equation(self.model, *local, &value)));
                }
                let pred = all(equations, self.with.in_pred(pred));
                let inner = self.subst(inner, vec![]);
                Subst { kind: SubstKind::Any(*choice, locals.clone(), pred, Box::new(inner)), span: s.span }
            }
            _ => self.with.in_subst(s),
        }
    }
}

fn equation(model: &Model, local: LocalId, value: &Expr) -> Pred {
    let name = ExprKind::Local(local).typed(model.locals[local.index()].ty.clone(), value.span);
    Pred::compare(CompareOp::Equal, name, value.clone(), value.span)
}

fn all(mut equations: Vec<Pred>, pred: Pred) -> Pred {
    let span = pred.span;
    match pred.kind {
        PredKind::And(list) => equations.extend(list),
        PredKind::True => {}
        _ => equations.push(pred),
    }
    Pred::all(equations, span)
}

/// A value as it is written.
fn written(value: &Value) -> Option<ExprKind> {
    Some(match value {
        Value::Bool(b) => ExprKind::Bool(*b),
        Value::Int(n) => ExprKind::Integer(n.clone()),
        Value::String(s) => ExprKind::String(s.to_string()),
        Value::Element(carrier, i) => ExprKind::Element(*carrier, *i),
        _ => return None,
    })
}
