//! Obligations that are about no failure of a step and no conjunct: actions are feasible, events decrease the variant,
//! axioms have a meaning.
//!
//! Each is a predicate of one state, or of the state after a step of a model that remembers its variants.

use std::rc::Rc;
use std::sync::Arc;

use bsym_encodings::system::build::{Representations, encode_with};
use bsym_encodings::system::{StatePredicate, System, Unsupported};
use bsym_encodings::term::Terms;
use bsym_language::model::visit::{self, Visitor};
use bsym_language::model::*;
use bsym_language::print;
use bsym_language::source::Span;
use bsym_language::types::Type;
use bsym_semantics::scope::Scope;
use bsym_status::file::Kind;

use super::names::{event_name, formula, repeated, written};
use super::obligation::Subject;

/// An obligation that is a predicate.
#[derive(Clone, Debug)]
pub(super) struct Extra {
    pub kind: Kind,
    pub name: String,
    pub event: Option<EventId>,
    pub subject: Subject,
    pub goal: Result<StatePredicate, Unsupported>,
    /// The goal in B, if it is about one state.
    pub says: Option<Pred>,
    /// `true` if it is about the state after a step of the event.
    pub after: bool,
}

/// Returns the obligations stating that actions of the machine's own events have a result: `FIS`.
pub(super) fn feasible(system: &mut System) -> Vec<Extra> {
    let model = system.model.clone();
    if model.text.notation != Notation::EventB {
        return vec![];
    }
    let mut all = vec![];
    for event in std::iter::once(None).chain((0..model.events.len()).map(|e| Some(EventId(e as u32)))) {
        let body = event.map_or(&model.initialisation, |e| &model.events[e.index()].body);
        let mut found = Choices(vec![]);
        found.subst(body);
        for (span, pred) in found.0 {
            let Some(f) = formula(&model, event, span) else { continue };
            if f.role != FormulaRole::Action || f.origin.index() != 0 || repeated(&model, event, f).is_some()
            {
                continue;
            }
            let says = where_enabled(&model, event, pred);
            let goal = system.predicate(&says);
            all.push(Extra {
                kind: Kind::Fis,
                name: format!("{}/{}/FIS", event_name(&model, event), f.label),
                event,
                subject: Subject::Action(written(&model, f.span)),
                goal,
                says: Some(says),
                after: false,
            });
        }
    }
    all
}

/// Returns whether an obligation is about the initialisation, before which only the axioms are known.
pub(super) fn is_of_start(event: Option<EventId>, kind: Kind) -> bool {
    event.is_none() && matches!(kind, Kind::Fis | Kind::Grd | Kind::Sim | Kind::Wfis | Kind::Wwd)
}

/// Returns the predicate for all parameters for which the guards hold.
pub(super) fn where_enabled(model: &Model, event: Option<EventId>, pred: Pred) -> Pred {
    let Some(event) = event.map(|e| &model.events[e.index()]) else { return pred };
    let span = pred.span;
    let guarded = match &event.body.kind {
        SubstKind::Select { branches, .. } if branches.len() == 1 => {
            PredKind::Implies(Box::new(branches[0].0.clone()), Box::new(pred)).at(span)
        }
        _ => pred,
    };
    match event.parameters.is_empty() {
        true => guarded,
        false => PredKind::Forall(event.parameters.clone(), Box::new(guarded)).at(span),
    }
}

/// Nondeterministic choices, each with the condition that there is something to choose.
struct Choices(Vec<(Span, Pred)>);

impl Visitor for Choices {
    fn subst(&mut self, s: &Subst) {
        let exists =
            |locals: Vec<LocalId>, p: &Pred| PredKind::Exists(locals, Box::new(p.clone())).at(p.span);
        match &s.kind {
            SubstKind::BecomesIn(_, _, set) => {
                let none = ExprKind::EmptySet.typed(set.ty.clone(), set.span);
                self.0.push((s.span, Pred::compare(CompareOp::NotEqual, set.clone(), none, set.span)));
            }
            SubstKind::BecomesSuch(_, pairs, p) => {
                self.0.push((s.span, exists(pairs.iter().map(|p| p.1).collect(), p)));
            }
            SubstKind::Any(_, locals, p, _) => self.0.push((p.span, exists(locals.clone(), p))),
            _ => {}
        }
        visit::walk_subst(self, s);
    }
}

/// Returns the obligations of variants in one state: `VWD`, `FIN`, and `NAT` where an event decreases them.
pub(super) fn variants(system: &mut System) -> Vec<Extra> {
    let model = system.model.clone();
    let mut all = vec![];
    for variant in &model.refinement.variants {
        let (value, text) = (&variant.value, print::shown_expr(&model, &variant.value));
        let name = |kind: &str| prefixed(variant, kind);
        let subject = Subject::Variant(text.clone());
        let itself = Pred::compare(CompareOp::Equal, value.clone(), value.clone(), value.span);
        if bsym_status::may_lack_meaning(&itself) {
            let goal = system.expression(value);
            let goal = goal.map(|e| StatePredicate { holds: Terms::TRUE, defined: e.defined });
            let (name, subject) = (name("VWD"), subject.clone());
            let says = Some(itself);
            all.push(Extra { kind: Kind::Vwd, name, event: None, subject, goal, says, after: false });
        }
        if value.ty != Type::Int {
            let says = PredKind::Finite(Box::new(value.clone())).at(value.span);
            let (name, goal, says) = (name("FIN"), system.predicate(&says), Some(says));
            all.push(Extra { kind: Kind::Fin, name, event: None, subject, goal, says, after: false });
            continue;
        }
        for (event, _) in decreasing(&model) {
            let naturals = ExprKind::Set(BuiltinSet::Natural).typed(Type::pow(Type::Int), value.span);
            let p = Pred::compare(CompareOp::Member, value.clone(), naturals, value.span);
            let says = where_enabled(&model, Some(event), p);
            let goal = system.predicate(&says);
            all.push(Extra {
                kind: Kind::Nat,
                name: format!("{}/{}", event_name(&model, Some(event)), name("NAT")),
                event: Some(event),
                subject: Subject::Action(format!("{text} ∈ ℕ")),
                goal,
                says: Some(says),
                after: false,
            });
        }
    }
    all
}

/// Returns a model whose events remember the variants in variables of their own, and the obligations that these
/// decrease: `VAR`.
pub(super) fn decreases(terms: Rc<Terms>, model: &Model, scope: &Scope) -> Option<(System, Vec<Extra>)> {
    let events = decreasing(model);
    if events.is_empty() || model.refinement.variants.is_empty() {
        return None;
    }
    let mut remembering = model.clone();
    let mut assigned = vec![];
    for (i, variant) in model.refinement.variants.iter().enumerate() {
        let (ty, span) = (variant.value.ty.clone(), variant.value.span);
        let v = VarId(remembering.variables.len() as u32);
        remembering.variables.push(Variable { name: format!("variant${i}"), ty, span });
        assigned.push((v, variant));
    }
    for event in &mut remembering.events {
        let span = event.body.span;
        let list = assigned.iter().map(|(v, variant)| (Target::Var(*v), variant.value.clone())).collect();
        let body = std::mem::replace(&mut event.body, SubstKind::Skip.at(span));
        event.body = SubstKind::Parallel(vec![body, SubstKind::Assign(list).at(span)]).at(span);
    }
    let mut system = encode_with(terms, Arc::new(remembering), scope, Representations::Stated);
    let mut all = vec![];
    for (event, strictly) in events {
        for (v, variant) in &assigned {
            let value = &variant.value;
            let before = ExprKind::Var(*v).typed(value.ty.clone(), value.span);
            let (op, sign) = decrease(value.ty == Type::Int, strictly);
            let text = print::shown_expr(model, value);
            let goal = system.predicate(&Pred::compare(op, value.clone(), before, value.span));
            all.push(Extra {
                kind: Kind::Var,
                name: format!("{}/{}", event_name(model, Some(event)), prefixed(variant, "VAR")),
                event: Some(event),
                subject: Subject::Action(format!("{text} after the step {sign} {text} before it")),
                goal,
                says: None,
                after: true,
            });
        }
    }
    Some((system, all))
}

/// Returns how a variant is compared with itself before a step, and the sign for it.
pub(super) fn decrease(is_number: bool, strictly: bool) -> (CompareOp, &'static str) {
    match (is_number, strictly) {
        (true, true) => (CompareOp::Less, "<"),
        (true, false) => (CompareOp::LessEqual, "≤"),
        (false, true) => (CompareOp::StrictSubset, "⊂"),
        (false, false) => (CompareOp::Subset, "⊆"),
    }
}

/// Returns the events that the variant is about, and whether they decrease it strictly.
fn decreasing(model: &Model) -> Vec<(EventId, bool)> {
    let kind = |(i, e): (usize, &Event)| match e.convergence {
        Convergence::Ordinary => None,
        Convergence::Convergent => Some((EventId(i as u32), true)),
        Convergence::Anticipated => Some((EventId(i as u32), false)),
    };
    if model.refinement.variants.is_empty() {
        vec![]
    } else {
        model.events.iter().enumerate().filter_map(kind).collect()
    }
}

pub(super) fn prefixed(variant: &Variant, kind: &str) -> String {
    match variant.label.as_deref() {
        Some(label) if !label.is_empty() => format!("{label}/{kind}"),
        _ => kind.to_string(),
    }
}

/// Returns whether a model is that of a context.
pub(super) fn is_context(model: &Model) -> bool {
    model.text.notation == Notation::EventB && model.variables.is_empty() && model.events.is_empty()
}

/// Returns the position of a formula of states among all levels of Event-B: contexts come first, then the machines, the
/// most abstract one first.
pub(super) fn order(c: &Conjunct) -> (std::cmp::Reverse<u32>, u32) {
    (std::cmp::Reverse(c.origin.0), c.span.start)
}

/// Returns the axioms and theorems before one of them.
pub(super) fn before(model: &Model, conjunct: &Conjunct) -> Vec<Conjunct> {
    let all = model.axioms.iter().chain(&model.assertions);
    all.filter(|c| order(c) < order(conjunct)).cloned().collect()
}

/// Returns the obligations stating that the axioms and theorems of a context have a meaning, and that the theorems
/// follow. Each is proved from the axioms before it and from nothing that comes later, so each has a system of its own.
pub(super) fn of_context(terms: &Rc<Terms>, model: &Model, scope: &Scope) -> Vec<(System, Extra)> {
    let mut all = vec![];
    let theorems = model.assertions.iter().map(|c| (c, true));
    let own = model.axioms.iter().map(|c| (c, false)).chain(theorems).filter(|(c, _)| c.origin.index() == 0);
    for (conjunct, is_theorem) in own {
        let meaning = bsym_status::may_lack_meaning(&conjunct.pred);
        if !meaning && !is_theorem {
            continue;
        }
        let mut before = model.clone();
        (before.axioms, before.assertions, before.definitions.goal) =
            (self::before(model, conjunct), vec![], None);
        let label = conjunct.label.clone().unwrap_or_else(|| "?".into());
        let mut asked = |kind: Kind, short: &str, of: fn(StatePredicate) -> StatePredicate| {
            let mut system =
                encode_with(terms.clone(), Arc::new(before.clone()), scope, Representations::Stated);
            let goal = system.predicate(&conjunct.pred).map(of);
            let name = format!("{label}/{short}");
            let subject = match model.assertions.iter().position(|c| std::ptr::eq(c, conjunct)) {
                Some(i) => Subject::Assertion(i),
                None => Subject::Axiom(conjunct.text.clone()),
            };
            all.push((system, Extra { kind, name, event: None, subject, goal, says: None, after: false }));
        };
        if meaning {
            asked(Kind::Wd, "WD", |p| StatePredicate { holds: Terms::TRUE, ..p });
        }
        if is_theorem {
            asked(Kind::Thm, "THM", |p| p);
        }
    }
    all
}
