//! Symbolic execution of substitutions.
//!
//! A substitution is run once, on symbolic values, under the condition that the execution gets
//! there at all: guards met, everything before well-defined, assertions true. What comes back is
//! the condition under which it goes through and the new value of everything it assigns. Branches
//! are merged by `ite`; a non-deterministic choice is an input, so that a step is determined by the
//! state before and its inputs, and can be replayed without search.
//!
//! A local of `VAR`, a result, and a variable in the initialisation have no value before they are
//! assigned. Each new value comes with the condition under which it was assigned, and to read it
//! elsewhere is a failure. A result that is not assigned at the end has any value: nothing reads it.
//!
//! Deliberately absent: loops, which are [`Unsupported`].

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use bsym_language::model::*;
use bsym_language::source::Span;
use bsym_language::types::Type;
use bsym_language::walk::{conjuncts, parts};

use crate::representation::Functional;
use crate::symbolic::encoder::{Encoder, Env};
use crate::symbolic::{Shape, Symbolic};
use crate::system::{Assignment, Choice, Failure, FailureKind, Transition, Unsupported};
use crate::term::{Sort, Term, Terms};

/// Context that all transitions of a model share.
pub(crate) struct Context<'a> {
    pub model: &'a Model,
    pub functional: &'a Functional,
    /// Shape of each variable.
    pub shapes: &'a [Shape],
    pub constants: &'a [Symbolic],
    pub current: &'a [Symbolic],
    pub next: &'a [Symbolic],
}

/// Body that is executed.
pub(crate) enum Body<'a> {
    Initialisation,
    Event(&'a Event),
}

/// Runs an event or the initialisation.
///
/// # Errors
/// [`Unsupported`] for loops, and for whatever else the encoder cannot express.
pub(crate) fn transition(
    context: &Context<'_>,
    encoder: &mut Encoder,
    body: &Body<'_>,
) -> Result<Transition, Unsupported> {
    let (name, subst) = match body {
        Body::Initialisation => ("INITIALISATION", &context.model.initialisation),
        Body::Event(e) => (e.name.as_str(), &e.body),
    };
    encoder.take_witnesses();
    let mut run = Executor {
        context,
        encoder,
        name,
        names: BTreeSet::new(),
        inputs: vec![],
        facts: vec![],
        belonging: vec![],
        failures: vec![],
        choices: vec![],
        assignments: vec![],
    };
    let mut env = Env { constants: Rc::new(context.constants.to_vec()), ..Env::default() };
    let mut parameters = vec![];
    match body {
        Body::Initialisation => {
            let nothing = context.shapes.iter().map(|shape| run.encoder.some_value(shape)).collect();
            env.state = Rc::new(nothing);
            (0..context.shapes.len() as u32).for_each(|v| env.unassign(Target::Var(VarId(v))));
        }
        Body::Event(e) => {
            env.state = Rc::new(context.current.to_vec());
            for &p in &e.parameters {
                let value = run.local_input(p);
                env.bind(p, value.clone());
                parameters.push((p, value));
            }
            e.results.iter().for_each(|&r| env.unassign(Target::Local(r)));
        }
    }
    let Outcome { mut ok, updates } = run.run(subst, &env, Terms::TRUE)?;
    // A parameter has to be what it is taken for wherever the event goes through or fails.
    let anything = run.terms().or(run.failures.iter().map(|f| f.condition).chain([ok]));
    for (p, value) in &parameters {
        run.assigns(Target::Local(*p), subst.span, value, anything);
    }
    let mut results = vec![];
    match body {
        Body::Initialisation => {
            // A state without a value of a variable is none.
            let all = (0..context.shapes.len() as u32).map(|v| match updates.get(&Target::Var(VarId(v))) {
                Some(update) => update.assigned,
                None => Terms::FALSE,
            });
            let assigned = run.terms().and(all);
            run.fail(FailureKind::IllDefined, subst.span, ok, assigned);
            ok = run.terms().and([ok, assigned]);
        }
        Body::Event(e) => {
            for &r in &e.results {
                let value = match updates.get(&Target::Local(r)) {
                    Some(update) => update.value.clone(),
                    None => run.local_input(r),
                };
                results.push((r, value));
            }
        }
    }
    run.finish(ok, &updates, parameters, results)
}

struct Executor<'a> {
    context: &'a Context<'a>,
    encoder: &'a mut Encoder,
    name: &'a str,
    names: BTreeSet<String>,
    inputs: Vec<Term>,
    /// Facts of the representation of inputs, and definitions of witnesses.
    facts: Vec<Term>,
    /// The inputs are values of B; needed where they are quantified.
    belonging: Vec<Term>,
    failures: Vec<Failure>,
    choices: Vec<Choice>,
    assignments: Vec<Assignment>,
}

/// Outcome of a substitution, given that the execution gets there.
struct Outcome {
    /// It goes through: guards and choices are met and nothing fails.
    ok: Term,
    updates: Updates,
}

/// Values that a substitution assigns on some way through it.
type Updates = BTreeMap<Target, Update>;

/// A new value.
#[derive(Clone)]
struct Update {
    /// Arbitrary where it is not assigned.
    value: Symbolic,
    /// The name has a value, be it this or, on a way that does not assign it, the one before. Never
    /// weaker than what was known before.
    assigned: Term,
}

impl Update {
    fn new(value: Symbolic) -> Update {
        Update { value, assigned: Terms::TRUE }
    }
}

/// Conditions that gather along a substitution.
struct Path {
    /// Since the start of the execution.
    here: Term,
    /// Since the start of this substitution.
    ok: Term,
}

impl Path {
    fn new(here: Term) -> Path {
        Path { here, ok: Terms::TRUE }
    }

    fn require(&mut self, terms: &Terms, condition: Term) {
        self.here = terms.and([self.here, condition]);
        self.ok = terms.and([self.ok, condition]);
    }
}

impl Executor<'_> {
    fn terms(&self) -> Rc<Terms> {
        self.encoder.terms.clone()
    }

    fn run(&mut self, s: &Subst, env: &Env, here: Term) -> Result<Outcome, Unsupported> {
        let mut path = Path::new(here);
        let mut updates = BTreeMap::new();
        match &s.kind {
            SubstKind::Skip => {}
            SubstKind::Assign(list) => {
                for (target, e) in list {
                    let value = self.expr(env, e, &mut path)?;
                    self.assigns(*target, e.span, &value, path.here);
                    updates.insert(*target, Update::new(value));
                }
            }
            SubstKind::BecomesIn(choice, targets, set) => {
                let set_value = self.expr(env, set, &mut path)?;
                let values: Vec<Symbolic> = targets.iter().map(|t| self.target_input(*t)).collect();
                let couple = couple(&values);
                let ty = set.ty.element().cloned().unwrap_or(Type::Bool);
                self.choices.push(Choice { id: *choice, value: couple.clone(), ty, made: path.here });
                let member = self.encoder.member(&couple, &set_value).map_err(at(set.span))?;
                path.require(&self.terms(), member);
                for (target, value) in targets.iter().zip(&values) {
                    self.assigns(*target, set.span, value, path.here);
                }
                updates.extend(targets.iter().copied().zip(values.into_iter().map(Update::new)));
            }
            SubstKind::BecomesSuch(choice, targets, p) => {
                let mut inner = env.clone();
                inner.old = Some(env.state.clone());
                let mut values = vec![];
                for (target, local) in targets {
                    let value = self.target_input(*target);
                    inner.bind(*local, value.clone());
                    values.push(value);
                }
                let ty = self.couple_type(targets.iter().map(|t| t.1));
                self.choices.push(Choice { id: *choice, value: couple(&values), ty, made: path.here });
                let chosen = self.chosen(&inner, p, &mut path)?;
                for ((target, _), value) in targets.iter().zip(&values) {
                    self.assigns(*target, p.span, value, chosen);
                }
                updates.extend(targets.iter().map(|t| t.0).zip(values.into_iter().map(Update::new)));
            }
            SubstKind::Pre(p, body) | SubstKind::Assert(_, p, body) => {
                let kind = match &s.kind {
                    SubstKind::Assert(Claim::Assertion, ..) => FailureKind::Assert,
                    SubstKind::Assert(Claim::Refinement(id), ..) => FailureKind::Refinement(*id),
                    _ => FailureKind::Precondition,
                };
                let holds = self.pred(env, p, &mut path)?;
                self.fail(kind, p.span, path.here, holds);
                path.require(&self.terms(), holds);
                return self.then(body, env, path);
            }
            SubstKind::Choice(choice, branches) => {
                let picks = self.picks(*choice, branches.len(), path.here);
                let mut outcomes = vec![];
                for (branch, &taken) in branches.iter().zip(&picks.taken) {
                    let here = self.terms().and([path.here, taken]);
                    outcomes.push(self.run(branch, env, here)?);
                }
                return self.join(&picks, outcomes, env);
            }
            SubstKind::Select { choice, branches, otherwise, .. } => {
                return self.select(*choice, branches, otherwise.as_deref(), env, path);
            }
            SubstKind::If(branches, otherwise) => return self.conditional(branches, otherwise, env, here),
            SubstKind::Any(choice, locals, p, body) => {
                let mut inner = env.clone();
                let mut values = vec![];
                for &local in locals {
                    let value = self.local_input(local);
                    inner.bind(local, value.clone());
                    values.push(value);
                }
                let ty = self.couple_type(locals.iter().copied());
                self.choices.push(Choice { id: *choice, value: couple(&values), ty, made: path.here });
                let chosen = self.chosen(&inner, p, &mut path)?;
                for (&local, value) in locals.iter().zip(&values) {
                    self.assigns(Target::Local(local), p.span, value, chosen);
                }
                return self.then(body, &inner, path);
            }
            SubstKind::Let(bindings, body) => {
                let mut inner = env.clone();
                for (local, e) in bindings {
                    let value = self.expr(&inner, e, &mut path)?;
                    inner.bind(*local, value);
                }
                return self.then(body, &inner, path);
            }
            SubstKind::Var(locals, body) => {
                let mut inner = env.clone();
                locals.iter().for_each(|&l| inner.unassign(Target::Local(l)));
                let mut outcome = self.then(body, &inner, path)?;
                for &local in locals {
                    outcome.updates.remove(&Target::Local(local));
                }
                return Ok(outcome);
            }
            SubstKind::Sequence(parts) => {
                let mut inner = env.clone();
                for part in parts {
                    let o = self.run(part, &inner, path.here)?;
                    path.require(&self.terms(), o.ok);
                    for (target, update) in o.updates {
                        inner.assign(target, update.value.clone(), update.assigned);
                        updates.insert(target, update);
                    }
                }
            }
            SubstKind::Parallel(parts) => return self.parallel(parts, env, here),
            SubstKind::While { .. } => return Err(unsupported(s.span, "WHILE loops have no encoding")),
        }
        Ok(Outcome { ok: path.ok, updates })
    }

    /// Runs substitutions that read the same environment. If one is disabled, all of them are, whatever fails in
    /// another; where several fail, the first does.
    fn parallel(&mut self, parts: &[Subst], env: &Env, here: Term) -> Result<Outcome, Unsupported> {
        let terms = self.terms();
        let outside = std::mem::take(&mut self.failures);
        let mut updates = BTreeMap::new();
        let (mut oks, mut failures) = (vec![], vec![]);
        for part in parts {
            let o = self.run(part, env, here)?;
            oks.push(o.ok);
            updates.extend(o.updates);
            failures.push(std::mem::take(&mut self.failures));
        }
        self.failures = outside;
        let enabled: Vec<Term> = oks
            .iter()
            .zip(&failures)
            .zip(parts)
            .map(|((&ok, failures), part)| match is_always_enabled(part) {
                true => Terms::TRUE,
                false => terms.or(failures.iter().map(|f| f.condition).chain([ok])),
            })
            .collect();
        for (i, own) in failures.into_iter().enumerate() {
            let beside = terms.and(oks[..i].iter().chain(&enabled[i + 1..]).copied());
            for Failure { kind, span, condition } in own {
                self.note(Failure { kind, span, condition: terms.and([condition, beside]) });
            }
        }
        Ok(Outcome { ok: terms.and(oks), updates })
    }

    /// Runs a body after what `path` has gathered.
    fn then(&mut self, body: &Subst, env: &Env, path: Path) -> Result<Outcome, Unsupported> {
        let mut outcome = self.run(body, env, path.here)?;
        outcome.ok = self.terms().and([path.ok, outcome.ok]);
        Ok(outcome)
    }

    fn conditional(
        &mut self,
        branches: &[(Pred, Subst)],
        otherwise: &Subst,
        env: &Env,
        here: Term,
    ) -> Result<Outcome, Unsupported> {
        let Some(((condition, body), rest)) = branches.split_first() else {
            return self.run(otherwise, env, here);
        };
        let mut path = Path::new(here);
        let holds = self.pred(env, condition, &mut path)?;
        let yes = self.terms().and([path.here, holds]);
        let yes = self.run(body, env, yes)?;
        let no = self.terms().and([path.here, self.terms().not(holds)]);
        let no = self.conditional(rest, otherwise, env, no)?;
        self.either(holds, path, yes, no, env)
    }

    /// Two branches of which a condition decides.
    fn either(
        &mut self,
        holds: Term,
        path: Path,
        yes: Outcome,
        no: Outcome,
        env: &Env,
    ) -> Result<Outcome, Unsupported> {
        let terms = self.terms();
        let ok = terms.and([path.ok, terms.implies(holds, yes.ok), terms.implies(terms.not(holds), no.ok)]);
        let updates = self.merge(holds, yes.updates, no.updates, env)?;
        Ok(Outcome { ok, updates })
    }

    fn select(
        &mut self,
        choice: ChoiceId,
        branches: &[(Pred, Subst)],
        otherwise: Option<&Subst>,
        env: &Env,
        mut path: Path,
    ) -> Result<Outcome, Unsupported> {
        let terms = self.terms();
        match (branches, otherwise) {
            ([(guard, body)], None) => {
                self.guard(env, guard, &mut path)?;
                return self.then(body, env, path);
            }
            ([(guard, body)], Some(last)) => {
                // Nothing to choose: the guard decides.
                let made = path.here;
                let holds = self.pred(env, guard, &mut path)?;
                let position = terms.ite(holds, terms.int(0), terms.int(1));
                self.choices.push(Choice {
                    id: choice,
                    value: Symbolic::Atom(position),
                    ty: Type::Int,
                    made,
                });
                let yes = self.run(body, env, terms.and([path.here, holds]))?;
                let no = self.run(last, env, terms.and([path.here, terms.not(holds)]))?;
                return self.either(holds, path, yes, no, env);
            }
            _ => {}
        }
        let picks = self.picks(choice, branches.len() + usize::from(otherwise.is_some()), path.here);
        let mut outcomes = vec![];
        for ((guard, body), &taken) in branches.iter().zip(&picks.taken) {
            let mut inner = Path::new(terms.and([path.here, taken]));
            self.guard(env, guard, &mut inner)?;
            outcomes.push(self.then(body, env, inner)?);
        }
        if let (Some(last), Some(&taken)) = (otherwise, picks.taken.last()) {
            let mut inner = Path::new(terms.and([path.here, taken]));
            for (guard, _) in branches {
                // Where a guard is ill-defined, it is the choice of its own branch that fails.
                let guard = self.encoder.pred(env, guard)?;
                inner.require(&terms, terms.and([guard.defined, terms.not(guard.holds)]));
            }
            outcomes.push(self.then(last, env, inner)?);
        }
        self.join(&picks, outcomes, env)
    }

    /// Branches of which the inputs pick one.
    fn join(&mut self, picks: &Picks, outcomes: Vec<Outcome>, env: &Env) -> Result<Outcome, Unsupported> {
        let terms = self.terms();
        let ok = terms.and(picks.taken.iter().zip(&outcomes).map(|(&t, o)| terms.implies(t, o.ok)));
        let mut rest = outcomes.into_iter().rev();
        let Some(Outcome { mut updates, .. }) = rest.next() else {
            // No branch, no execution.
            return Ok(Outcome { ok: Terms::FALSE, updates: BTreeMap::new() });
        };
        for (o, &flag) in rest.zip(picks.flags.iter().rev()) {
            updates = self.merge(flag, o.updates, updates, env)?;
        }
        Ok(Outcome { ok, updates })
    }

    /// Merges the updates of `yes` where `condition` is true with those of `no` elsewhere. A name that only one of them
    /// assigns keeps its value in the other, if it has one.
    fn merge(
        &mut self,
        condition: Term,
        mut yes: Updates,
        mut no: Updates,
        env: &Env,
    ) -> Result<Updates, Unsupported> {
        let terms = self.terms();
        let targets: BTreeSet<Target> = yes.keys().chain(no.keys()).copied().collect();
        let mut merged = BTreeMap::new();
        for target in targets {
            let before = || {
                let value = match target {
                    Target::Var(v) => env.state.get(v.index()),
                    Target::Local(l) => env.locals.get(&l),
                };
                value.map(|v| Update { value: v.clone(), assigned: env.has_value(target) })
            };
            let assigned = |side: Option<Update>| side.filter(|u| u.assigned != Terms::FALSE);
            let a = assigned(yes.remove(&target).or_else(before));
            let b = assigned(no.remove(&target).or_else(before));
            let has_value = |side: &Option<Update>| side.as_ref().map_or(Terms::FALSE, |u| u.assigned);
            let assigned = terms.ite(condition, has_value(&a), has_value(&b));
            let value = match (a, b) {
                (Some(a), Some(b)) => {
                    let (ty, shape) = self.target_shape(target);
                    let a = self.encoder.coerce(&a.value, &shape, &ty).map_err(at(self.span_of(target)))?;
                    let b = self.encoder.coerce(&b.value, &shape, &ty).map_err(at(self.span_of(target)))?;
                    self.encoder.ite(condition, &a, &b).map_err(at(self.span_of(target)))?
                }
                (Some(only), None) | (None, Some(only)) => only.value,
                (None, None) => continue,
            };
            merged.insert(target, Update { value, assigned });
        }
        Ok(merged)
    }

    /// Inputs that pick one of `n` branches.
    fn picks(&mut self, choice: ChoiceId, n: usize, made: Term) -> Picks {
        let terms = self.terms();
        let mut picks = Picks { taken: vec![], flags: vec![] };
        let mut passed = Terms::TRUE;
        for i in 0..n {
            if i + 1 == n {
                picks.taken.push(passed);
            } else {
                let flag = self.input(&format!("choice{}.{i}", choice.0), Terms::BOOL);
                picks.taken.push(terms.and([passed, flag]));
                passed = terms.and([passed, terms.not(flag)]);
                picks.flags.push(flag);
            }
        }
        let mut position = terms.int(n.saturating_sub(1) as i64);
        for (i, &flag) in picks.flags.iter().enumerate().rev() {
            position = terms.ite(flag, terms.int(i as i64), position);
        }
        if n > 1 {
            self.choices.push(Choice { id: choice, value: Symbolic::Atom(position), ty: Type::Int, made });
        }
        picks
    }

    /// Evaluates an expression; afterwards it is well-defined on the path.
    fn expr(&mut self, env: &Env, e: &Expr, path: &mut Path) -> Result<Symbolic, Unsupported> {
        let encoded = self.encoder.expr(env, e)?;
        self.fail(FailureKind::IllDefined, e.span, path.here, encoded.defined);
        path.require(&self.terms(), encoded.defined);
        Ok(encoded.value)
    }

    /// Evaluates a condition; afterwards it is well-defined on the path.
    fn pred(&mut self, env: &Env, p: &Pred, path: &mut Path) -> Result<Term, Unsupported> {
        let encoded = self.encoder.pred(env, p)?;
        self.fail(FailureKind::IllDefined, p.span, path.here, encoded.defined);
        path.require(&self.terms(), encoded.defined);
        Ok(encoded.holds)
    }

    /// Continues only where a guard is true, conjunct by conjunct.
    fn guard(&mut self, env: &Env, p: &Pred, path: &mut Path) -> Result<(), Unsupported> {
        for conjunct in conjuncts(p) {
            let holds = self.pred(env, conjunct, path)?;
            path.require(&self.terms(), holds);
        }
        Ok(())
    }

    /// Continues only where the predicate of a choice is true. Returns the condition that it is true or has no meaning.
    fn chosen(&mut self, env: &Env, p: &Pred, path: &mut Path) -> Result<Term, Unsupported> {
        let outside = std::mem::take(&mut self.failures);
        self.guard(env, p, path)?;
        let chosen = self.terms().or(self.failures.iter().map(|f| f.condition).chain([path.here]));
        let own = std::mem::replace(&mut self.failures, outside);
        own.into_iter().for_each(|f| self.note(f));
        Ok(chosen)
    }

    /// Notes that a name gets a value where `reached` holds.
    fn assigns(&mut self, target: Target, span: Span, value: &Symbolic, reached: Term) {
        if reached != Terms::FALSE {
            self.assignments.push(Assignment { target, span, value: value.clone(), reached });
        }
    }

    /// Notes that the execution fails here where `needed` is false.
    fn fail(&mut self, kind: FailureKind, span: Span, here: Term, needed: Term) {
        let terms = self.terms();
        self.note(Failure { kind, span, condition: terms.and([here, terms.not(needed)]) });
    }

    fn note(&mut self, failure: Failure) {
        // A body that is executed twice, in parallel, may fail twice in the same place.
        let same = |f: &Failure| {
            f.condition == failure.condition && f.span == failure.span && f.kind == failure.kind
        };
        if failure.condition != Terms::FALSE && !self.failures.iter().any(same) {
            self.failures.push(failure);
        }
    }

    fn input(&mut self, base: &str, sort: Sort) -> Term {
        let name = self.unique(base);
        let name = self.encoder.terms.name_for(&name, std::iter::once(("", sort)));
        let symbol = self.encoder.terms.symbol(&name, sort);
        self.inputs.push(symbol);
        symbol
    }

    fn unique(&mut self, base: &str) -> String {
        let mut name = format!("{}:{base}", self.name);
        let mut n = 1;
        while !self.names.insert(name.clone()) {
            n += 1;
            name = format!("{}:{base}~{n}", self.name);
        }
        name
    }

    fn fresh(&mut self, base: &str, ty: &Type, shape: &Shape) -> Symbolic {
        let name = self.unique(base);
        let value = self.encoder.fresh(&name, ty, shape);
        self.inputs.extend(value.symbols());
        self.facts.extend(self.encoder.every_fact(&value));
        let belongs = self.encoder.belongs(&value);
        self.belonging.push(belongs);
        value
    }

    fn local_input(&mut self, local: LocalId) -> Symbolic {
        let (ty, shape) = self.target_shape(Target::Local(local));
        self.fresh(&self.context.model.locals[local.index()].name.clone(), &ty, &shape)
    }

    /// A new value for a target.
    fn target_input(&mut self, target: Target) -> Symbolic {
        let (ty, shape) = self.target_shape(target);
        let name = match target {
            Target::Var(v) => format!("{}.new", self.context.model.variables[v.index()].name),
            Target::Local(l) => format!("{}.new", self.context.model.locals[l.index()].name),
        };
        self.fresh(&name, &ty, &shape)
    }

    fn target_shape(&self, target: Target) -> (Type, Shape) {
        match target {
            Target::Var(v) => {
                (self.context.model.variables[v.index()].ty.clone(), self.context.shapes[v.index()].clone())
            }
            Target::Local(l) => {
                let ty = self.context.model.locals[l.index()].ty.clone();
                let shape = self.encoder.shape(&ty, &self.context.functional.locals[l.index()]);
                (ty, shape)
            }
        }
    }

    fn couple_type(&self, locals: impl Iterator<Item = LocalId>) -> Type {
        let types = locals.map(|l| self.context.model.locals[l.index()].ty.clone());
        types.reduce(Type::pair).unwrap_or(Type::Bool)
    }

    fn span_of(&self, target: Target) -> Span {
        match target {
            Target::Var(v) => self.context.model.variables[v.index()].span,
            Target::Local(l) => self.context.model.locals[l.index()].span,
        }
    }

    fn finish(
        mut self,
        ok: Term,
        updates: &Updates,
        parameters: Vec<(LocalId, Symbolic)>,
        results: Vec<(LocalId, Symbolic)>,
    ) -> Result<Transition, Unsupported> {
        let terms = self.terms();
        self.witnesses();
        let facts = self.facts.clone();
        let taken = terms.and(facts.iter().copied().chain([ok]));
        let guard = terms.and(self.belonging.iter().copied().chain([taken]));
        let mut relation = vec![taken];
        let mut writes = vec![];
        for (i, variable) in self.context.model.variables.iter().enumerate() {
            let value = match updates.get(&Target::Var(VarId(i as u32))) {
                Some(update) => {
                    writes.push(i);
                    &update.value
                }
                None => &self.context.current[i],
            };
            let next = &self.context.next[i];
            relation.push(self.encoder.define(next, value, &variable.ty).map_err(at(variable.span))?);
            relation.extend(self.encoder.same_finiteness(next, value).map_err(at(variable.span))?);
            if writes.last() == Some(&i) {
                relation.extend(self.encoder.same_size(next, value).map_err(at(variable.span))?);
                relation.extend(self.encoder.same_closure(next, value).map_err(at(variable.span))?);
            }
        }
        self.witnesses();
        relation.extend(&self.facts[facts.len()..]);
        let relation = terms.and(relation);
        let failures: Vec<Failure> = std::mem::take(&mut self.failures)
            .into_iter()
            .map(|f| Failure { condition: with_facts(&terms, f.condition, &facts), ..f })
            .filter(|f| f.condition != Terms::FALSE)
            .collect();
        self.choices.sort_by_key(|c| c.id);
        for assignment in &mut self.assignments {
            let reached = std::mem::replace(&mut assignment.reached, Terms::TRUE);
            assignment.reached = terms.and(facts.iter().copied().chain([reached]));
        }
        Ok(Transition {
            inputs: self.inputs,
            relation: Some(relation),
            guard: Some(guard),
            failures,
            parameters,
            results,
            choices: self.choices,
            assignments: self.assignments,
            writes,
        })
    }

    fn witnesses(&mut self) {
        let made = self.encoder.take_witnesses();
        self.inputs.extend(made.symbols);
        self.facts.extend(made.definitions);
    }
}

/// Inputs that pick a branch: the first flag that is true, the last branch if none is.
struct Picks {
    /// For each branch, the condition that it is picked.
    taken: Vec<Term>,
    /// For each branch but the last.
    flags: Vec<Term>,
}

/// Returns whether a substitution can only go through or fail.
fn is_always_enabled(s: &Subst) -> bool {
    match &s.kind {
        SubstKind::BecomesIn(..) | SubstKind::BecomesSuch(..) | SubstKind::Any(..) => false,
        SubstKind::Select { otherwise: None, .. } => false,
        SubstKind::Choice(_, branches) if branches.is_empty() => false,
        _ => parts(s).into_iter().all(is_always_enabled),
    }
}

/// Several values as a left-nested couple.
fn couple(values: &[Symbolic]) -> Symbolic {
    let mut values = values.iter().cloned();
    let first = values.next().unwrap_or(Symbolic::Atom(Terms::TRUE));
    values.fold(first, Symbolic::pair)
}

/// `condition` together with the facts that its symbols depend on.
fn with_facts(terms: &Terms, condition: Term, facts: &[Term]) -> Term {
    let mut symbols: BTreeSet<_> = terms.symbols(&[condition]).into_iter().collect();
    let mut rest: Vec<(Term, Vec<_>)> = facts.iter().map(|&f| (f, terms.symbols(&[f]))).collect();
    let mut all = vec![condition];
    loop {
        let (linked, others): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|(_, used)| used.iter().any(|s| symbols.contains(s)));
        if linked.is_empty() {
            return terms.and(all);
        }
        for (fact, used) in linked {
            all.push(fact);
            symbols.extend(used);
        }
        rest = others;
    }
}

pub(crate) fn unsupported(span: Span, reason: &str) -> Unsupported {
    Unsupported { part: String::new(), span, reason: reason.into() }
}

/// Gives a place to what has none.
fn at(span: Span) -> impl Fn(Unsupported) -> Unsupported {
    move |u| if u.span == Span::default() { Unsupported { span, ..u } } else { u }
}
