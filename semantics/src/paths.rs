//! The paths through a substitution: with choices given, the one they lead to; without, all.
//!
//! A substitution reads its environment and yields what it writes. In a sequence the second reads what
//! the first wrote; the parts of a parallel substitution read the same environment. If one part of a
//! parallel substitution is disabled, all of it is.

use std::collections::{BTreeMap, BTreeSet};

use bsym_language::int::Int;
use bsym_language::model::{ChoiceId, Claim, Expr, LocalId, Pred, RefinementId, Subst, SubstKind, Target};
use bsym_language::source::Span;
use bsym_language::types::Type;

use crate::env::{Env, Name};
use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::{Eval, Evaluator};
use crate::value::Value;

/// What assignments wrote.
pub(crate) type Writes = BTreeMap<Target, Value>;

/// Choices in the order in which they were made.
pub(crate) type Choices = Vec<(ChoiceId, Value)>;

/// One way through a substitution.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub writes: Writes,
    pub choices: Choices,
    pub end: End,
}

/// How a path ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Done,
    Disabled { span: Span, why: String },
    IllDefined(EvalError),
    Assert(Span),
    Precondition(Span),
    Refinement(RefinementId),
}

impl Path {
    fn new(end: End) -> Path {
        Path { writes: Writes::new(), choices: Vec::new(), end }
    }

    fn disabled(span: Span, why: impl Into<String>) -> Path {
        Path::new(End::Disabled { span, why: why.into() })
    }

    fn writing(writes: Writes) -> Path {
        Path { writes, choices: Vec::new(), end: End::Done }
    }

    fn choosing(mut self, id: ChoiceId, value: Option<Value>) -> Path {
        if let Some(value) = value {
            self.choices.insert(0, (id, value));
        }
        self
    }
}

/// The value of an evaluation; where it is ill-defined the path ends there.
macro_rules! defined {
    ($evaluation:expr) => {
        match $evaluation {
            Ok(value) => value,
            Err(e) if e.kind == EvalErrorKind::IllDefined => return Ok(vec![Path::new(End::IllDefined(e))]),
            Err(e) => return Err(e),
        }
    };
}

/// Follows a substitution.
#[derive(Clone, Copy)]
pub(crate) struct Walker<'w> {
    pub eval: &'w Evaluator<'w>,
    /// The choices to follow; what they leave open is enumerated.
    pub given: &'w [(ChoiceId, Value)],
}

impl Walker<'_> {
    /// All paths; `made` are the choices made before on the way here.
    pub fn paths(&self, env: &Env<'_>, subst: &Subst, made: &[(ChoiceId, Value)]) -> Eval<Vec<Path>> {
        let paths = self.paths_here(env, subst, made)?;
        self.bounded(paths, subst.span)
    }

    fn bounded(&self, paths: Vec<Path>, at: Span) -> Eval<Vec<Path>> {
        let limit = self.eval.limits.branching;
        if paths.len() > limit {
            return Err(EvalError::too_large(
                at,
                format!("more than {limit} ways through this substitution"),
            ));
        }
        Ok(paths)
    }

    fn given(&self, id: ChoiceId, made: &[(ChoiceId, Value)]) -> Option<&Value> {
        let before = made.iter().filter(|(c, _)| *c == id).count();
        self.given.iter().filter(|(c, _)| *c == id).nth(before).map(|(_, v)| v)
    }

    fn paths_here(&self, env: &Env<'_>, subst: &Subst, made: &[(ChoiceId, Value)]) -> Eval<Vec<Path>> {
        let at = subst.span;
        match &subst.kind {
            SubstKind::Skip => Ok(vec![Path::writing(Writes::new())]),
            SubstKind::Assign(assignments) => {
                let mut writes = Writes::new();
                for (target, e) in assignments {
                    writes.insert(*target, defined!(self.eval.expr(env, e)));
                }
                Ok(vec![Path::writing(writes)])
            }
            SubstKind::BecomesIn(id, targets, set) => self.becomes_in(env, *id, targets, set, made, at),
            SubstKind::BecomesSuch(id, targets, pred) => self.becomes_such(env, *id, targets, pred, made, at),
            SubstKind::Pre(p, s) => {
                if !defined!(self.eval.pred(env, p)) {
                    return Ok(vec![Path::new(End::Precondition(p.span))]);
                }
                self.paths(env, s, made)
            }
            SubstKind::Assert(claim, p, s) => {
                if !defined!(self.eval.pred(env, p)) {
                    return Ok(vec![Path::new(match claim {
                        Claim::Assertion => End::Assert(p.span),
                        Claim::Refinement(id) => End::Refinement(*id),
                    })]);
                }
                self.paths(env, s, made)
            }
            SubstKind::Choice(id, branches) => {
                let mut all = Vec::new();
                for (i, branch) in branches.iter().enumerate() {
                    self.branch(env, *id, i, branches.len() > 1, branch, made, &mut all)?;
                }
                if all.is_empty() {
                    return Ok(vec![Path::disabled(at, "the chosen branch does not exist")]);
                }
                Ok(all)
            }
            SubstKind::If(branches, otherwise) => {
                for (p, s) in branches {
                    if defined!(self.eval.pred(env, p)) {
                        return self.paths(env, s, made);
                    }
                }
                self.paths(env, otherwise, made)
            }
            SubstKind::Select { choice, branches, otherwise, .. } => {
                self.select(env, *choice, branches, otherwise.as_deref(), made, at)
            }
            SubstKind::Any(id, locals, pred, s) => self.any(env, *id, locals, pred, s, made, at),
            SubstKind::Let(defs, s) => {
                let bound = defined!(self.eval.definitions(env, defs));
                let frame = env.frame(&bound);
                self.paths(&env.within(&frame), s, made)
            }
            SubstKind::Var(locals, s) => {
                let mut paths = self.paths(env, s, made)?;
                for path in &mut paths {
                    path.writes.retain(|t, _| !matches!(t, Target::Local(l) if locals.contains(l)));
                }
                Ok(paths)
            }
            SubstKind::Sequence(parts) => {
                let mut done = vec![Path::writing(Writes::new())];
                for part in parts {
                    let mut next = Vec::new();
                    for path in done {
                        if path.end != End::Done {
                            next.push(path);
                            continue;
                        }
                        next.extend(self.after(env, path, part, made)?);
                    }
                    done = self.bounded(next, at)?;
                }
                Ok(done)
            }
            SubstKind::Parallel(parts) => {
                let mut done = vec![Path::writing(Writes::new())];
                for part in parts {
                    let beside = self.paths(env, part, made)?;
                    let mut next = Vec::new();
                    for left in &done {
                        next.extend(beside.iter().map(|right| together(left, right)));
                    }
                    done = self.bounded(next, at)?;
                }
                Ok(done)
            }
            SubstKind::While { condition, body, invariant, variant } => {
                self.repeat(env, condition, body, invariant, variant, made, at)
            }
        }
    }

    /// Continues a finished path with a further substitution.
    fn after(&self, env: &Env<'_>, path: Path, next: &Subst, made: &[(ChoiceId, Value)]) -> Eval<Vec<Path>> {
        let mut updates = env.updates().cloned().unwrap_or_default();
        updates.extend(path.writes.iter().map(|(t, v)| (*t, v.clone())));
        let made: Choices = made.iter().chain(&path.choices).cloned().collect();
        let paths = self.paths(&env.updated(&updates), next, &made)?;
        Ok(paths
            .into_iter()
            .map(|p| {
                let (mut writes, mut choices) = (path.writes.clone(), path.choices.clone());
                writes.extend(p.writes);
                choices.extend(p.choices);
                Path { writes, choices, end: p.end }
            })
            .collect())
    }

    #[allow(clippy::too_many_arguments)]
    fn branch(
        &self,
        env: &Env<'_>,
        id: ChoiceId,
        i: usize,
        chosen: bool,
        branch: &Subst,
        made: &[(ChoiceId, Value)],
        all: &mut Vec<Path>,
    ) -> Eval<()> {
        let value = Value::int(i as i64);
        if chosen && self.given(id, made).is_some_and(|given| *given != value) {
            return Ok(());
        }
        let mut made = made.to_vec();
        made.push((id, value.clone()));
        let paths = self.paths(env, branch, &made)?;
        all.extend(paths.into_iter().map(|p| p.choosing(id, chosen.then(|| value.clone()))));
        Ok(())
    }

    fn select(
        &self,
        env: &Env<'_>,
        id: ChoiceId,
        branches: &[(Pred, Subst)],
        otherwise: Option<&Subst>,
        made: &[(ChoiceId, Value)],
        at: Span,
    ) -> Eval<Vec<Path>> {
        let chosen = branches.len() + usize::from(otherwise.is_some()) > 1;
        let given = if chosen { self.given(id, made) } else { None };
        let wanted = |i: usize| given.is_none_or(|g| *g == Value::int(i as i64));
        let last = branches.len();
        let mut all = Vec::new();
        let mut open = true;
        for (i, (guard, s)) in branches.iter().enumerate() {
            let needed = wanted(i) || (otherwise.is_some() && wanted(last));
            if !needed {
                continue;
            }
            match self.eval.pred(env, guard) {
                Ok(true) => {
                    open = false;
                    if wanted(i) {
                        self.branch(env, id, i, chosen, s, made, &mut all)?;
                    }
                }
                Ok(false) => {}
                Err(e) if e.kind == EvalErrorKind::IllDefined => {
                    open = false;
                    let choice = chosen.then(|| Value::int(i as i64));
                    all.push(Path::new(End::IllDefined(e)).choosing(id, choice));
                }
                Err(e) => return Err(e),
            }
        }
        if let Some(s) = otherwise.filter(|_| open && wanted(last)) {
            self.branch(env, id, last, chosen, s, made, &mut all)?;
        }
        if all.is_empty() {
            let span = match branches {
                [(guard, _)] => guard.span,
                _ => at,
            };
            let why = if branches.len() == 1 { "the guard is false" } else { "no branch is enabled" };
            return Ok(vec![Path::disabled(span, why)]);
        }
        Ok(all)
    }

    #[allow(clippy::too_many_arguments)]
    fn any(
        &self,
        env: &Env<'_>,
        id: ChoiceId,
        locals: &[LocalId],
        pred: &Pred,
        s: &Subst,
        made: &[(ChoiceId, Value)],
        at: Span,
    ) -> Eval<Vec<Path>> {
        let names: Vec<_> = locals.iter().map(|l| Name::Local(*l)).collect();
        let given = self.given(id, made).cloned();
        let bindings = self.bindings(env, &names, given.as_ref(), &[pred], at)?;
        let mut all = Vec::new();
        for (values, truth) in bindings {
            let choice = Value::tuple(values.iter().map(|(_, v)| v.clone()));
            let paths = match truth {
                Err(e) => vec![Path::new(End::IllDefined(e))],
                Ok(()) => {
                    let frame = env.frame(&values);
                    let mut made = made.to_vec();
                    made.extend(choice.clone().map(|c| (id, c)));
                    self.paths(&env.within(&frame), s, &made)?
                }
            };
            all.extend(paths.into_iter().map(|p| p.choosing(id, choice.clone())));
            all = self.bounded(all, at)?;
        }
        if all.is_empty() {
            return Ok(vec![Path::disabled(pred.span, "no values satisfy the predicate")]);
        }
        Ok(all)
    }

    fn becomes_in(
        &self,
        env: &Env<'_>,
        id: ChoiceId,
        targets: &[Target],
        set: &Expr,
        made: &[(ChoiceId, Value)],
        at: Span,
    ) -> Eval<Vec<Path>> {
        let set = defined!(self.eval.eval(env, set));
        let values = match self.given(id, made) {
            Some(v) if defined!(self.eval.member(v, &set, at)) => vec![v.clone()],
            Some(v) => {
                let why = format!("{} is not in {}", self.eval.short(v), self.eval.short(&set));
                return Ok(vec![Path::disabled(at, why)]);
            }
            None => defined!(self.eval.list(&set, at)).iter().cloned().collect(),
        };
        if values.is_empty() {
            return Ok(vec![Path::disabled(at, "the set is empty")]);
        }
        values
            .into_iter()
            .map(|v| {
                let parts = v.untuple(targets.len()).ok_or_else(|| self.eval.confused(at))?;
                let writes = targets.iter().copied().zip(parts).collect();
                Ok(Path::writing(writes).choosing(id, Some(v)))
            })
            .collect()
    }

    fn becomes_such(
        &self,
        env: &Env<'_>,
        id: ChoiceId,
        targets: &[(Target, LocalId)],
        pred: &Pred,
        made: &[(ChoiceId, Value)],
        at: Span,
    ) -> Eval<Vec<Path>> {
        let names: Vec<_> = targets.iter().map(|(_, l)| Name::Local(*l)).collect();
        let given = self.given(id, made).cloned();
        let bindings = self.bindings(&env.without_old(), &names, given.as_ref(), &[pred], at)?;
        let mut all = Vec::new();
        for (values, truth) in bindings {
            let choice = Value::tuple(values.iter().map(|(_, v)| v.clone()));
            let path = match truth {
                Err(e) => Path::new(End::IllDefined(e)),
                Ok(()) => {
                    let new = values.into_iter().map(|(_, v)| v);
                    Path::writing(targets.iter().map(|(t, _)| *t).zip(new).collect())
                }
            };
            all.push(path.choosing(id, choice));
        }
        if all.is_empty() {
            return Ok(vec![Path::disabled(pred.span, "no values satisfy the predicate")]);
        }
        Ok(all)
    }

    /// The bindings that satisfy all predicates, and those under which one is ill-defined; only the
    /// given one if there is one.
    fn bindings(
        &self,
        env: &Env<'_>,
        names: &[Name],
        given: Option<&Value>,
        preds: &[&Pred],
        at: Span,
    ) -> Eval<Bindings> {
        let Some(given) = given else {
            return self.eval.bindings(env, names, preds, at);
        };
        let parts = given.untuple(names.len()).ok_or_else(|| self.eval.confused(at))?;
        let values: Vec<_> = names.iter().copied().zip(parts).collect();
        for (name, value) in &values {
            if self.eval.type_of(*name).is_none_or(|ty| !self.eval.has_type(value, ty)) {
                let message = format!("the value of `{}` is not of its type", self.eval.name(*name));
                return Err(EvalError::unsupported(at, message));
            }
        }
        let frame = env.frame(&values);
        let inner = env.within(&frame);
        for pred in preds {
            match self.eval.pred(&inner, pred) {
                Ok(true) => {}
                Ok(false) => return Ok(Vec::new()),
                Err(e) if e.kind == EvalErrorKind::IllDefined => return Ok(vec![(values, Err(e))]),
                Err(e) => return Err(e),
            }
        }
        Ok(vec![(values, Ok(()))])
    }

    #[allow(clippy::too_many_arguments)]
    fn repeat(
        &self,
        env: &Env<'_>,
        condition: &Pred,
        body: &Subst,
        invariant: &Pred,
        variant: &Expr,
        made: &[(ChoiceId, Value)],
        at: Span,
    ) -> Eval<Vec<Path>> {
        let mut finished = Vec::new();
        let mut open = vec![(Path::writing(Writes::new()), None::<Int>)];
        let mut rounds = 0usize;
        while let Some((path, before)) = open.pop() {
            rounds += 1;
            if rounds > self.eval.limits.rounds {
                let limit = self.eval.limits.rounds;
                return Err(EvalError::too_large(at, format!("the loop runs for more than {limit} rounds")));
            }
            let mut updates = env.updates().cloned().unwrap_or_default();
            updates.extend(path.writes.iter().map(|(t, v)| (*t, v.clone())));
            let here = env.updated(&updates).with_old(env);
            let (end, measure) = self.round(&here, condition, invariant, variant, before.as_ref())?;
            match end {
                Some(end) => finished.push(Path { end, ..path }),
                None => {
                    for next in self.after(env, path, body, made)? {
                        if next.end == End::Done {
                            open.push((next, measure.clone()));
                        } else {
                            finished.push(next);
                        }
                    }
                }
            }
            finished = self.bounded(finished, at)?;
        }
        Ok(finished)
    }

    /// Judges the state before a round of a loop: how the loop ends here, if it does, and its variant.
    fn round(
        &self,
        env: &Env<'_>,
        condition: &Pred,
        invariant: &Pred,
        variant: &Expr,
        before: Option<&Int>,
    ) -> Eval<(Option<End>, Option<Int>)> {
        let judge = || -> Eval<(Option<End>, Option<Int>)> {
            if !self.eval.pred(env, invariant)? {
                return Ok((Some(End::Assert(invariant.span)), None));
            }
            if !self.eval.pred(env, condition)? {
                return Ok((Some(End::Done), None));
            }
            let measure = self.eval.expr(env, variant)?;
            let measure = self.eval.int(&measure, variant.span)?.clone();
            if measure.is_negative() || before.is_some_and(|b| measure >= *b) {
                return Ok((Some(End::Assert(variant.span)), None));
            }
            Ok((None, Some(measure)))
        };
        match judge() {
            Err(e) if e.kind == EvalErrorKind::IllDefined => Ok((Some(End::IllDefined(e)), None)),
            other => other,
        }
    }
}

/// Both paths at once.
fn together(left: &Path, right: &Path) -> Path {
    let end = match (&left.end, &right.end) {
        (End::Disabled { .. }, _) => left.end.clone(),
        (_, End::Disabled { .. }) | (End::Done, _) => right.end.clone(),
        _ => left.end.clone(),
    };
    let (mut writes, mut choices) = (left.writes.clone(), left.choices.clone());
    writes.extend(right.writes.iter().map(|(t, v)| (*t, v.clone())));
    choices.extend(right.choices.iter().cloned());
    Path { writes, choices, end }
}

/// Bindings with whether they satisfy the predicates or make one ill-defined.
pub(crate) type Bindings = Vec<(Vec<(Name, Value)>, Eval<()>)>;

impl Evaluator<'_> {
    /// The bindings that satisfy all predicates, and those under which one is ill-defined. What
    /// propagation cannot reach is asked of the finder.
    pub(crate) fn bindings(
        &self,
        env: &Env<'_>,
        names: &[Name],
        preds: &[&Pred],
        at: Span,
    ) -> Eval<Bindings> {
        let literals: Vec<_> = preds.iter().map(|p| (true, *p)).collect();
        let mut found: Bindings = Vec::new();
        let done = self.solve(env, names, &literals, at, &mut |bound, truth| {
            if found.len() > self.limits.branching {
                return Err(EvalError::too_large(at, "too many values satisfy the predicate"));
            }
            found.push((self.complete(names, bound, at)?, truth));
            Ok(std::ops::ControlFlow::Continue(()))
        });
        match done {
            Ok(_) => Ok(found),
            Err(e) if e.kind == EvalErrorKind::TooLarge => self.ask_finder(env, names, preds, found, e, at),
            Err(e) => Err(e),
        }
    }

    fn ask_finder(
        &self,
        env: &Env<'_>,
        names: &[Name],
        preds: &[&Pred],
        mut found: Bindings,
        error: EvalError,
        at: Span,
    ) -> Eval<Bindings> {
        let Some(finder) = self.finder else { return Err(error) };
        let typed = names
            .iter()
            .map(|n| Ok((*n, self.type_of(*n).cloned().ok_or_else(|| self.confused(at))?)))
            .collect::<Eval<Vec<_>>>()?;
        let answer = finder.find(env, self.scope, &typed, preds, self.limits.branching)?;
        let known: BTreeSet<Vec<(Name, Value)>> = found.iter().map(|(b, _)| b.clone()).collect();
        for values in answer.valuations {
            let bound: Vec<_> = names.iter().copied().zip(values).collect();
            if bound.len() != names.len() || known.contains(&bound) {
                continue;
            }
            let frame = env.frame(&bound);
            let inner = env.within(&frame);
            let mut truth = Ok(true);
            for pred in preds {
                truth = self.pred(&inner, pred);
                if !matches!(truth, Ok(true)) {
                    break;
                }
            }
            match truth {
                Ok(true) => found.push((bound, Ok(()))),
                Err(e) if e.kind == EvalErrorKind::IllDefined => found.push((bound, Err(e))),
                _ => {}
            }
        }
        if answer.complete { Ok(found) } else { Err(error) }
    }

    /// Gives the names that are not bound some value of their type.
    fn complete(&self, names: &[Name], bound: &[(Name, Value)], at: Span) -> Eval<Vec<(Name, Value)>> {
        names
            .iter()
            .map(|n| match bound.iter().find(|(m, _)| m == n) {
                Some((_, v)) => Ok((*n, v.clone())),
                None => {
                    let ty = self.type_of(*n).ok_or_else(|| self.confused(at))?;
                    Ok((*n, self.some_value(ty)))
                }
            })
            .collect()
    }

    /// Some value of a type.
    pub fn some_value(&self, ty: &Type) -> Value {
        match ty {
            Type::Bool => Value::Bool(false),
            Type::Int => Value::int(0),
            Type::Real => crate::reals::value(0),
            Type::String => Value::string(""),
            Type::Carrier(c) => Value::Element(*c, 0),
            Type::Free(t, arguments) => self.some_free_value(*t, arguments),
            Type::Parameter(_) | Type::Pow(_) => Value::empty(),
            Type::Pair(a, b) => Value::pair(self.some_value(a), self.some_value(b)),
            Type::Record(fields) => Value::Record(
                fields
                    .iter()
                    .map(|(l, t)| (std::sync::Arc::from(l.as_str()), self.some_value(t)))
                    .collect::<Vec<_>>()
                    .into(),
            ),
        }
    }
}
