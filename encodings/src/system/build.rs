//! From a model to its transition system.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use bsym_language::model::*;
use bsym_language::types::CarrierId;
use bsym_semantics::scope::Scope;
use bsym_semantics::transition::state::Constants as Valuation;
use bsym_semantics::value::Value;

use super::substitution::{self, Body, Context};
use crate::determined::{self, Determined};
use crate::representation::{Functional, Kept, disjoint};
use crate::symbolic::encoder::{Encoder, Env};
use crate::symbolic::{Shape, Symbolic};
use crate::system::{Axioms, Constants, Facts, LeftOut, NameBounds, System, Transition, Variables};
use crate::term::{Term, Terms};
use crate::tuning::tuning;

/// Representations of the values of names.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Representations {
    /// As the analysis of the assignments allows (see [`functional`](crate::representation)).
    #[default]
    Analysed,
    /// As far as the invariant says it: for sequents that have the invariant among their hypotheses, and no more than
    /// that. The axioms are those that are written, and not the valuations that satisfy them.
    Stated,
    /// As the type says: every relation is a set of couples. Nothing is assumed from the analysis, and most queries are
    /// harder.
    General,
    /// As given, whether it is true or not: for tests of the checks that have to notice.
    Claimed(Functional),
}

/// Encodes a model in a scope. Always gives a system; what has no encoding is listed in
/// [`System::left_out`].
///
/// Facts about carriers of unsettled size are made of those only that the terms of the model speak of
/// (see the module `carriers`).
pub fn encode(terms: Rc<Terms>, model: Arc<Model>, scope: &Scope) -> System {
    encode_with(terms, model, scope, Representations::Analysed)
}

/// [`encode`], with a choice of representations.
pub fn encode_with(
    terms: Rc<Terms>,
    model: Arc<Model>,
    scope: &Scope,
    representations: Representations,
) -> System {
    let analysed = Analysed::of(&model, scope, representations);
    let system = encode_facts(terms.clone(), &model, &analysed, |_| {});
    let compared = system.encoder.occurring(&system.roots());
    if compared.is_empty() {
        return system;
    }
    encode_facts(terms, &model, &analysed, |e| e.compared = compared)
}

/// Encodes a model with all facts about every carrier of unsettled size, for callers that quantify over the inputs of
/// steps: under a quantifier, facts about a value that depends on the inputs have to follow from what is asserted.
pub fn encode_with_facts(
    terms: Rc<Terms>,
    model: Arc<Model>,
    scope: &Scope,
    representations: Representations,
) -> System {
    let analysed = Analysed::of(&model, scope, representations);
    encode_facts(terms, &model, &analysed, |e| {
        e.compared = e.open_sorts();
        e.complete = true;
    })
}

fn encode_facts(
    terms: Rc<Terms>,
    model: &Arc<Model>,
    analysed: &Analysed,
    prepare_facts: impl FnOnce(&mut Encoder),
) -> System {
    let Analysed { scope, prepared, known, functional } = analysed;
    let model = model.clone();
    let mut encoder = Encoder::new(terms.clone(), model.clone(), scope.clone());
    prepare_facts(&mut encoder);
    let mut left_out = LeftOut::default();
    let mut facts = Facts { background: encoder.carriers_exist(), ..Facts::default() };

    let (constants, settled) = constants(&mut encoder, &model, known, functional, &mut facts.background);
    let axioms = axioms(&mut encoder, &constants, settled, &mut left_out);
    facts.background.extend(encoder.take_witnesses().definitions);

    let shapes: Vec<Shape> = model
        .variables
        .iter()
        .zip(&functional.variables)
        .map(|(v, layout)| encoder.shape(&v.ty, layout))
        .collect();
    let state = |suffix: &str, encoder: &mut Encoder| -> Vec<Symbolic> {
        let all = model.variables.iter().zip(&shapes);
        all.map(|(v, shape)| encoder.fresh(&format!("{}{suffix}", v.name), &v.ty, shape)).collect()
    };
    let variables = Variables { current: state("", &mut encoder), next: state("'", &mut encoder) };
    for value in &variables.current {
        facts.state.extend(encoder.every_fact(value));
    }

    let context = Context {
        model: prepared,
        functional,
        shapes: &shapes,
        constants: &constants.values,
        current: &variables.current,
        next: &variables.next,
    };
    let mut run = |part: String, body: Body<'_>, encoder: &mut Encoder| -> Transition {
        substitution::transition(&context, encoder, &body).unwrap_or_else(|u| {
            // Witnesses of the failed attempt are dropped.
            encoder.take_witnesses();
            left_out.add(part, u);
            Transition::default()
        })
    };
    let initialisation = run("initialisation".into(), Body::Initialisation, &mut encoder);
    let events: Vec<Transition> = prepared
        .events
        .iter()
        .map(|e| run(format!("operation {}", e.name), Body::Event(e), &mut encoder))
        .collect();
    left_out.events = (0..events.len()).filter(|&i| events[i].relation.is_none()).collect();

    let mut system = System {
        terms,
        scope: scope.clone(),
        constants,
        variables,
        axioms,
        facts,
        initialisation,
        events,
        invariant: vec![],
        assertions: vec![],
        goal: None,
        left_out,
        encoder,
        bounds: NameBounds { functional: functional.clone(), needed: OnceCell::new() },
        model,
    };
    system.encode_properties();
    system
}

/// Axioms that are true by the values of the constants.
enum SettledAxioms {
    /// All, where one of some valuations is the valuation, as the term says.
    All(Term),
    /// Those at some positions.
    Some(BTreeSet<usize>),
}

/// The axioms, but for those that are true by the values of the constants.
fn axioms(
    encoder: &mut Encoder,
    constants: &Constants,
    settled: SettledAxioms,
    left_out: &mut LeftOut,
) -> Axioms {
    let globals = Env { constants: Rc::new(constants.values.clone()), ..Env::default() };
    let (model, terms) = (encoder.model.clone(), encoder.terms.clone());
    let mut all = Axioms::default();
    let settled = match settled {
        SettledAxioms::All(listed) => {
            all.listed = Some(listed);
            (0..model.axioms.len()).collect()
        }
        SettledAxioms::Some(settled) => settled,
    };
    for (i, axiom) in model.axioms.iter().enumerate() {
        let (mut whole, mut holds, mut defined) = (Terms::TRUE, Terms::TRUE, Terms::TRUE);
        if !settled.contains(&i) {
            match encoder.pred(&globals, &axiom.pred) {
                Ok(p) => (whole, holds, defined) = (terms.and([p.defined, p.holds]), p.holds, p.defined),
                Err(u) => {
                    left_out.axioms.insert(i);
                    left_out.add(part("axiom", i, axiom), u);
                }
            }
        }
        all.whole.push(whole);
        all.hold.push(holds);
        all.defined.push(defined);
    }
    all
}

impl System {
    /// Returns what is always true of the constants: the axioms, and the facts of their representation.
    pub fn about_constants(&self) -> impl Iterator<Item = Term> {
        self.facts.background.iter().chain(self.axioms.assumed()).copied()
    }

    /// Everything that a query can speak of, but for the guards of events.
    fn roots(&self) -> Vec<Term> {
        let mut all =
            [&self.axioms.whole[..], &self.axioms.hold, &self.facts.background, &self.facts.state].concat();
        all.extend(self.axioms.listed);
        for transition in self.events.iter().chain([&self.initialisation]) {
            all.extend(transition.relation);
            all.extend(transition.failures.iter().map(|f| f.condition));
        }
        let predicates = self.invariant.iter().chain(&self.assertions).chain(&self.goal);
        all.extend(predicates.flat_map(|p| [p.holds, p.defined]));
        all
    }

    /// Encodes what may be asked about states: the invariant, the assertions and the goal.
    fn encode_properties(&mut self) {
        let model = self.model.clone();
        for (i, conjunct) in model.invariant.iter().enumerate() {
            let p = self.predicate(&conjunct.pred).unwrap_or_else(|u| {
                self.left_out.conjuncts.insert(i);
                self.left_out.predicate(part("invariant conjunct", i, conjunct), u)
            });
            self.invariant.push(p);
        }
        for (i, assertion) in model.assertions.iter().enumerate() {
            let p = self.predicate(&assertion.pred).unwrap_or_else(|u| {
                self.left_out.assertions.insert(i);
                self.left_out.predicate(part("assertion", i, assertion), u)
            });
            self.assertions.push(p);
        }
        if let Some(goal) = &model.definitions.goal {
            match self.predicate(goal) {
                Ok(p) => self.goal = Some(p),
                Err(u) => self.left_out.add("goal".into(), u),
            }
        }
    }
}

fn part(kind: &str, position: usize, conjunct: &Conjunct) -> String {
    match &conjunct.label {
        Some(label) => format!("{kind} {label}"),
        None => format!("{kind} {}", position + 1),
    }
}

impl System {
    /// The bounds that the representations of all names rest on: the analysis with as much forgotten of the variables
    /// as leaves every representation as it is. The bounds that are left are an invariant, by themselves, of the steps.
    ///
    /// Found once: a claim is made from them, and checked against them.
    pub fn needed(&self) -> &Functional {
        self.bounds.needed.get_or_init(|| self.find_needed())
    }

    fn find_needed(&self) -> Functional {
        let analysed = Analysed::of(&self.model, &self.scope, Representations::Analysed);
        // Claimed bounds have to be right as a whole.
        if analysed.functional != self.bounds.functional {
            return self.bounds.functional.clone();
        }
        let values = analysed.known.values();
        let keeping = |kept: &[Kept]| {
            let found = Functional::keeping(&analysed.prepared, &values, kept);
            self.has_same_shapes(&found).then_some(found)
        };
        let known = &self.bounds.functional.variables;
        let own = |v: usize| self.is_restricted(&self.model.variables[v].ty, &known[v]);
        let some: Vec<usize> = (0..known.len()).filter(|&v| !known[v].is_unrestricted()).collect();
        let others: Vec<usize> = some.iter().copied().filter(|&v| !own(v)).collect();
        let mut found = (vec![Kept::All; known.len()], self.bounds.functional.clone());
        widen(&others, Kept::Nothing, &mut found, &keeping);
        let left: Vec<usize> = some.into_iter().filter(|&v| found.0[v] != Kept::Nothing).collect();
        widen(&left, Kept::Kinds, &mut found, &keeping);
        found.1
    }

    /// Returns whether every name has the same representation with other bounds.
    fn has_same_shapes(&self, other: &Functional) -> bool {
        let model = &self.model;
        let own = &self.bounds.functional;
        let variables = model.variables.iter().zip(own.variables.iter().zip(&other.variables));
        let constants = model.constants.iter().zip(own.constants.iter().zip(&other.constants));
        let locals = model.locals.iter().zip(own.locals.iter().zip(&other.locals));
        variables
            .chain(constants)
            .chain(locals)
            .all(|(v, (a, b))| a == b || self.encoder.shape(&v.ty, a) == self.encoder.shape(&v.ty, b))
    }
}

/// Keeps less of as many of some variables as may be, by halves: mostly it may be all of them.
fn widen(
    some: &[usize],
    less: Kept,
    found: &mut (Vec<Kept>, Functional),
    keeping: &dyn Fn(&[Kept]) -> Option<Functional>,
) {
    if some.is_empty() {
        return;
    }
    let mut kept = found.0.clone();
    some.iter().for_each(|&v| kept[v] = less);
    match keeping(&kept) {
        Some(bounds) => *found = (kept, bounds),
        None if some.len() == 1 => {}
        None => {
            let (first, second) = some.split_at(some.len() / 2);
            widen(first, less, found, keeping);
            widen(second, less, found, keeping);
        }
    }
}

/// Facts about a model before it is encoded.
struct Analysed {
    scope: Scope,
    prepared: Model,
    known: Known,
    functional: Functional,
}

/// The values of constants that the axioms determine.
struct Known {
    determined: Vec<Option<Determined>>,
    /// All valuations, where they are few.
    valuations: Option<Vec<Valuation>>,
}

impl Known {
    /// Returns the value of each constant that has only one.
    fn values(&self) -> Vec<Option<Value>> {
        let of_constant = |(i, known): (usize, &Option<Determined>)| match &self.valuations {
            Some(valuations) => agreed(valuations, i).cloned(),
            None => known.as_ref().map(|d| d.value.clone()),
        };
        self.determined.iter().enumerate().map(of_constant).collect()
    }
}

/// Returns the value of a constant that all valuations agree on.
fn agreed(valuations: &[Valuation], constant: usize) -> Option<&Value> {
    let (first, others) = valuations.split_first()?;
    let value = &first[constant];
    others.iter().all(|v| v[constant] == *value).then_some(value)
}

impl Analysed {
    fn of(model: &Model, scope: &Scope, representations: Representations) -> Analysed {
        let scope = settle_by_axioms(model, scope);
        let prepared = prepare(model);
        // An obligation follows from the axioms that are written.
        let is_search = representations != Representations::Stated;
        let valuations = is_search.then(|| determined::valuations(model, &scope)).flatten();
        let known = Known { determined: determined::constants(model, &scope), valuations };
        let functional = match representations {
            Representations::Analysed => Functional::of(&prepared, &known.values()),
            Representations::Stated => Functional::stated(&prepared, &known.values()),
            Representations::General => Functional::none(&prepared),
            Representations::Claimed(functional) => functional,
        };
        Analysed { scope, prepared, known, functional }
    }
}

/// The model with substitutions of the same meaning that show more functions.
fn prepare(model: &Model) -> Model {
    let mut model = model.clone();
    let variables = (0..model.variables.len() as u32).map(|v| Target::Var(VarId(v)));
    disjoint::overrides(&mut model.initialisation, variables);
    for event in &mut model.events {
        disjoint::overrides(&mut event.body, event.results.iter().map(|r| Target::Local(*r)));
    }
    model
}

/// The scope with the deferred sets settled that an axiom `card(S) = n` counts.
pub(crate) fn settle_by_axioms(model: &Model, scope: &Scope) -> Scope {
    let mut scope = scope.clone();
    for axiom in &model.axioms {
        if let Some((carrier, size)) = counted(&axiom.pred)
            && model.types.carriers[carrier.index()].kind == CarrierKind::Deferred
        {
            scope.sizes.entry(carrier).or_insert(size);
        }
    }
    scope
}

/// `card(S) = n` of a whole carrier.
fn counted(p: &Pred) -> Option<(CarrierId, usize)> {
    let PredKind::Compare(CompareOp::Equal, a, b) = &p.kind else { return None };
    let one_way = |a: &Expr, b: &Expr| match (&a.kind, &b.kind) {
        (ExprKind::Unary(UnaryOp::Card, set), ExprKind::Integer(n)) => match set.kind {
            ExprKind::Carrier(c) => {
                let n = usize::try_from(n.to_i64()?).ok()?;
                (1..=tuning().symbolic.largest_settled).contains(&n).then_some((c, n))
            }
            _ => None,
        },
        _ => None,
    };
    one_way(a, b).or_else(|| one_way(b, a))
}

/// The constants: values where the axioms determine them, symbols elsewhere; and the axioms that are true because of
/// these values.
fn constants(
    encoder: &mut Encoder,
    model: &Model,
    known: &Known,
    functional: &Functional,
    background: &mut Vec<Term>,
) -> (Constants, SettledAxioms) {
    if let Some(valuations) = &known.valuations
        && let Some((constants, listed)) = listed(encoder, model, valuations, functional, background)
    {
        return (constants, SettledAxioms::All(listed));
    }
    let mut all = Constants { values: vec![], determined: vec![] };
    let mut settled = BTreeSet::new();
    for (i, constant) in model.constants.iter().enumerate() {
        if let Some(known) = &known.determined[i]
            && let Ok(value) = encoder.value(&known.value, &constant.ty)
        {
            settled.insert(known.axiom);
            all.values.push(value);
            all.determined.push(Some(known.value.clone()));
        } else {
            all.values.push(unknown(encoder, model, i, functional, background));
            all.determined.push(None);
        }
    }
    (all, SettledAxioms::Some(settled))
}

/// A symbol for a constant.
fn unknown(
    encoder: &mut Encoder,
    model: &Model,
    constant: usize,
    functional: &Functional,
    background: &mut Vec<Term>,
) -> Symbolic {
    let of_model = &model.constants[constant];
    let shape = encoder.shape(&of_model.ty, &functional.constants[constant]);
    let value = encoder.fresh(&of_model.name, &of_model.ty, &shape);
    background.extend(encoder.every_fact(&value));
    value
}

/// The constants where all valuations are known, and the term that says that they are one of these; none where a value
/// has no term.
fn listed(
    encoder: &mut Encoder,
    model: &Model,
    valuations: &[Valuation],
    functional: &Functional,
    background: &mut Vec<Term>,
) -> Option<(Constants, Term)> {
    let mut all = Constants { values: vec![], determined: vec![] };
    let mut alternatives: Vec<Vec<Term>> = vec![vec![]; valuations.len()];
    let mut facts = vec![];
    for (i, constant) in model.constants.iter().enumerate() {
        let agreed = agreed(valuations, i);
        let symbolic = match agreed {
            Some(value) => encoder.value(value, &constant.ty).ok()?,
            None => unknown(encoder, model, i, functional, &mut facts),
        };
        if agreed.is_none() {
            for (valuation, terms) in valuations.iter().zip(&mut alternatives) {
                let value = encoder.value(&valuation[i], &constant.ty).ok()?;
                terms.push(encoder.equal(&symbolic, &value).ok()?);
            }
        }
        all.values.push(symbolic);
        all.determined.push(agreed.cloned());
    }
    background.extend(facts);
    let terms = encoder.terms.clone();
    Some((all, terms.or(alternatives.into_iter().map(|parts| terms.and(parts)))))
}
