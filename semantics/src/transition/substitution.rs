//! The paths through a substitution: with given choices the path that they lead to, without them all paths.
//!
//! A substitution reads its environment and yields its writes. In a sequence the second substitution reads the writes
//! of the first; the parts of a parallel substitution read the same environment. If one part of a parallel substitution
//! is disabled, all of it is.

use std::ops::ControlFlow;

use bsym_language::int::Int;
use bsym_language::model::{ChoiceId, Claim, Expr, LocalId, Pred, Subst, SubstKind, Target};
use bsym_language::source::Span;

use crate::constraint::finite_part::Extent;
use crate::constraint::solutions::Bound;
use crate::error::{EvalError, EvalErrorKind};
use crate::evaluator::cuts::Part;
use crate::evaluator::{Eval, Evaluator};
use crate::transition::deterministic::is_deterministic;
use crate::transition::execution::{Choices, End, Loop, Path, Writes};
use crate::value::Value;
use crate::value::env::{Env, Name};

/// Unwraps the value of an evaluation; the path ends where it is ill-defined.
macro_rules! defined {
    ($evaluation:expr, $visit:expr) => {
        match $evaluation {
            Ok(value) => value,
            Err(e) if e.kind == EvalErrorKind::IllDefined => return $visit(Path::new(End::IllDefined(e))),
            Err(e) => return Err(e),
        }
    };
}

/// Continues unless the visitor broke.
macro_rules! go {
    ($flow:expr) => {
        if $flow?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    };
}

type Flow = Eval<ControlFlow<()>>;
const GO: ControlFlow<()> = ControlFlow::Continue(());

/// Called for each path.
pub(crate) type Visit<'v> = &'v mut dyn FnMut(Path) -> Flow;

/// Follows a substitution.
#[derive(Clone, Copy)]
pub(crate) struct Walker<'w> {
    pub eval: &'w Evaluator<'w>,
    /// The choices to follow; choices that they leave open are enumerated.
    pub given: &'w [(ChoiceId, Value)],
}

impl Walker<'_> {
    fn given(&self, id: ChoiceId, made: &[(ChoiceId, Value)]) -> Option<&Value> {
        let before = made.iter().filter(|(c, _)| *c == id).count();
        self.given.iter().filter(|(c, _)| *c == id).nth(before).map(|(_, v)| v)
    }

    /// Calls `visit` for each path, until it breaks; `made` are the choices made before.
    ///
    /// # Errors
    /// Paths may be missing; those visited are paths. Errors of `visit`.
    pub fn each(&self, env: &Env<'_>, subst: &Subst, made: &[(ChoiceId, Value)], visit: Visit<'_>) -> Flow {
        self.eval.proceed(subst.span)?;
        let at = subst.span;
        match &subst.kind {
            SubstKind::Skip => visit(Path::writing(Writes::new())),
            SubstKind::Assign(assignments) => {
                let mut writes = Writes::new();
                for (target, e) in assignments {
                    writes.insert(*target, defined!(self.eval.expr(env, e), visit));
                }
                visit(Path::writing(writes))
            }
            SubstKind::BecomesIn(id, targets, set) => {
                self.becomes_in(env, *id, targets, set, made, at, visit)
            }
            SubstKind::BecomesSuch(id, targets, pred) => {
                self.becomes_such(env, *id, targets, pred, made, at, visit)
            }
            SubstKind::Pre(p, s) => {
                if !defined!(self.eval.pred(env, p), visit) {
                    return visit(Path::new(End::Precondition(p.span)));
                }
                self.each(env, s, made, visit)
            }
            SubstKind::Assert(claim, p, s) => {
                if !defined!(self.eval.pred(env, p), visit) {
                    return visit(Path::new(match claim {
                        Claim::Assertion => End::Assert(p.span),
                        Claim::Refinement(id) => End::Refinement(*id),
                    }));
                }
                self.each(env, s, made, visit)
            }
            SubstKind::Choice(id, branches) => {
                let mut any = false;
                for (i, branch) in branches.iter().enumerate() {
                    let several = branches.len() > 1;
                    go!(self.branch(env, *id, i, several, branch, made, &mut any, visit));
                }
                if any { Ok(GO) } else { visit(Path::disabled(at, "the chosen branch does not exist")) }
            }
            SubstKind::If(branches, otherwise) => {
                for (p, s) in branches {
                    if defined!(self.eval.pred(env, p), visit) {
                        return self.each(env, s, made, visit);
                    }
                }
                self.each(env, otherwise, made, visit)
            }
            SubstKind::Select { choice, branches, otherwise, .. } => {
                self.select(env, *choice, branches, otherwise.as_deref(), made, at, visit)
            }
            SubstKind::Any(id, locals, pred, s) => self.any(env, *id, locals, pred, s, made, at, visit),
            SubstKind::Let(defs, s) => {
                let bound = defined!(self.eval.definitions(env, defs), visit);
                let frame = env.frame(&bound);
                self.each(&env.within(&frame), s, made, visit)
            }
            SubstKind::Var(locals, s) => self.each(env, s, made, &mut |mut path| {
                path.writes.retain(|t, _| !matches!(t, Target::Local(l) if locals.contains(l)));
                visit(path)
            }),
            SubstKind::Sequence(parts) => {
                self.sequence(env, Path::writing(Writes::new()), parts, made, visit)
            }
            SubstKind::Parallel(parts) => match &parts[..] {
                [] => visit(Path::writing(Writes::new())),
                [first, rest @ ..] => {
                    // The other parts read the same environment: their paths are found once.
                    let mut beside: Option<Vec<Vec<Path>>> = None;
                    self.each(env, first, made, &mut |left| {
                        let beside = match &mut beside {
                            Some(beside) => beside,
                            none => none.insert(
                                rest.iter().map(|p| self.all(env, p, made)).collect::<Eval<Vec<_>>>()?,
                            ),
                        };
                        each_together(left, beside, visit)
                    })
                }
            },
            SubstKind::While { condition, body, invariant, variant } => {
                let mut rounds = 0;
                let parts = Loop { condition, body, invariant, variant, at };
                self.repeat(env, &parts, made, &mut rounds, visit)
            }
        }
    }

    /// Returns all paths.
    fn all(&self, env: &Env<'_>, subst: &Subst, made: &[(ChoiceId, Value)]) -> Eval<Vec<Path>> {
        let mut paths = Vec::new();
        let limit = self.eval.limits.branching;
        let _every = self.each(env, subst, made, &mut |path| {
            if paths.len() > limit {
                let message = format!("more than {limit} ways through this substitution");
                return Err(EvalError::too_large(subst.span, message));
            }
            paths.push(path);
            Ok(GO)
        })?;
        Ok(paths)
    }

    fn sequence(
        &self,
        env: &Env<'_>,
        path: Path,
        parts: &[Subst],
        made: &[(ChoiceId, Value)],
        visit: Visit<'_>,
    ) -> Flow {
        let Some((next, rest)) = parts.split_first().filter(|_| path.end == End::Done) else {
            return visit(path);
        };
        self.after(env, path, next, made, &mut |path| self.sequence(env, path, rest, made, visit))
    }

    /// Continues a finished path with a further substitution.
    fn after(
        &self,
        env: &Env<'_>,
        path: Path,
        next: &Subst,
        made: &[(ChoiceId, Value)],
        visit: Visit<'_>,
    ) -> Flow {
        let mut updates = env.updates().cloned().unwrap_or_default();
        updates.extend(path.writes.iter().map(|(t, v)| (*t, v.clone())));
        let made: Choices = made.iter().chain(&path.choices).cloned().collect();
        self.each(&env.updated(&updates), next, &made, &mut |p| {
            let (mut writes, mut choices) = (path.writes.clone(), path.choices.clone());
            writes.extend(p.writes);
            choices.extend(p.choices);
            visit(Path { writes, choices, end: p.end })
        })
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
        any: &mut bool,
        visit: Visit<'_>,
    ) -> Flow {
        let value = Value::int(i as i64);
        if chosen && self.given(id, made).is_some_and(|given| *given != value) {
            return Ok(GO);
        }
        let mut made = made.to_vec();
        made.push((id, value.clone()));
        self.each(env, branch, &made, &mut |p| {
            *any = true;
            visit(p.choosing(id, chosen.then(|| value.clone())))
        })
    }

    #[allow(clippy::too_many_arguments)]
    fn select(
        &self,
        env: &Env<'_>,
        id: ChoiceId,
        branches: &[(Pred, Subst)],
        otherwise: Option<&Subst>,
        made: &[(ChoiceId, Value)],
        at: Span,
        visit: Visit<'_>,
    ) -> Flow {
        let chosen = branches.len() + usize::from(otherwise.is_some()) > 1;
        let given = if chosen { self.given(id, made) } else { None };
        let wanted = |i: usize| given.is_none_or(|g| *g == Value::int(i as i64));
        let last = branches.len();
        let mut any = false;
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
                        go!(self.branch(env, id, i, chosen, s, made, &mut any, visit));
                    }
                }
                Ok(false) => {}
                Err(e) if e.kind == EvalErrorKind::IllDefined => {
                    open = false;
                    any = true;
                    let choice = chosen.then(|| Value::int(i as i64));
                    go!(visit(Path::new(End::IllDefined(e)).choosing(id, choice)));
                }
                Err(e) => return Err(e),
            }
        }
        if let Some(s) = otherwise.filter(|_| open && wanted(last)) {
            go!(self.branch(env, id, last, chosen, s, made, &mut any, visit));
        }
        if any {
            return Ok(GO);
        }
        let span = match branches {
            [(guard, _)] => guard.span,
            _ => at,
        };
        let why = if branches.len() == 1 { "the guard is false" } else { "no branch is enabled" };
        visit(Path::disabled(span, why))
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
        visit: Visit<'_>,
    ) -> Flow {
        let names: Vec<_> = locals.iter().map(|l| Name::Local(*l)).collect();
        let given = self.given(id, made).cloned();
        let mut any = false;
        go!(self.each_binding(env, &names, given.as_ref(), pred, at, &mut |values, truth| {
            let choice = Value::tuple(values.iter().map(|(_, v)| v.clone()));
            any = true;
            if let Err(e) = truth {
                return visit(Path::new(End::IllDefined(e)).choosing(id, choice));
            }
            let frame = env.frame(&values);
            let mut made = made.to_vec();
            made.extend(choice.clone().map(|c| (id, c)));
            self.each(&env.within(&frame), s, &made, &mut |p| visit(p.choosing(id, choice.clone())))
        }));
        if any { Ok(GO) } else { visit(Path::disabled(pred.span, "no values satisfy the predicate")) }
    }

    #[allow(clippy::too_many_arguments)]
    fn becomes_in(
        &self,
        env: &Env<'_>,
        id: ChoiceId,
        targets: &[Target],
        set: &Expr,
        made: &[(ChoiceId, Value)],
        at: Span,
        visit: Visit<'_>,
    ) -> Flow {
        let set = defined!(self.eval.eval(env, set), visit);
        let mut write = |v: Value| {
            let parts = v.untuple(targets.len()).ok_or_else(|| self.eval.confused(at))?;
            let writes = targets.iter().copied().zip(parts).collect();
            visit(Path::writing(writes).choosing(id, Some(v)))
        };
        if let Some(v) = self.given(id, made) {
            return match self.eval.member(v, &set, at) {
                Ok(true) => write(v.clone()),
                Ok(false) => {
                    let why = format!("{} is not in {}", self.eval.short(v), self.eval.short(&set));
                    visit(Path::disabled(at, why))
                }
                Err(e) if e.kind == EvalErrorKind::IllDefined => visit(Path::new(End::IllDefined(e))),
                Err(e) => Err(e),
            };
        }
        if let Some(sample) = self.eval.sample_of(&set, at)? {
            targets.iter().for_each(|target| self.eval.note(name_of(*target), Part::Sample(sample.len())));
            for v in sample {
                go!(write(v));
            }
            return Ok(GO);
        }
        let listed = match self.eval.try_list(&set, at) {
            Ok(listed) => listed,
            Err(e) if e.kind == EvalErrorKind::IllDefined => return visit(Path::new(End::IllDefined(e))),
            Err(e) => return Err(e),
        };
        match listed {
            Some(listed) if listed.is_empty() => visit(Path::disabled(at, "the set is empty")),
            Some(listed) => {
                for v in listed.iter() {
                    go!(write(v.clone()));
                }
                Ok(GO)
            }
            None => {
                let limit = self.eval.limits.branching;
                let is_refused = |part: &Value| -> Eval<bool> {
                    Ok(self.eval.choosing.refuses && self.eval.cardinality(part, at)?.within(limit).is_none())
                };
                if let Some(part) = self.eval.choices_in(&set, at)? {
                    if is_refused(&part)? {
                        return Err(self.eval.not_listed(&part, at));
                    }
                    targets.iter().for_each(|target| self.eval.note_cut(name_of(*target), &set, &part));
                    return self.eval.each(&part, at, &mut |v| write(v));
                }
                // Reports some elements, then the reason why there are others.
                if let Some(part) = self.eval.finite_part(&set, Extent::Sample, at)
                    && !is_refused(&part)?
                {
                    let mut count = 0;
                    go!(self.eval.each(&part, at, &mut |v| {
                        count += 1;
                        if count > limit {
                            return Err(self.eval.not_listed(&set, at));
                        }
                        write(v)
                    }));
                }
                Err(self.eval.not_listed(&set, at))
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn becomes_such(
        &self,
        env: &Env<'_>,
        id: ChoiceId,
        targets: &[(Target, LocalId)],
        pred: &Pred,
        made: &[(ChoiceId, Value)],
        at: Span,
        visit: Visit<'_>,
    ) -> Flow {
        let names: Vec<_> = targets.iter().map(|(_, l)| Name::Local(*l)).collect();
        let given = self.given(id, made).cloned();
        let mut any = false;
        go!(self.each_binding(&env.without_old(), &names, given.as_ref(), pred, at, &mut |values, truth| {
            any = true;
            let choice = Value::tuple(values.iter().map(|(_, v)| v.clone()));
            let path = match truth {
                Err(e) => Path::new(End::IllDefined(e)),
                Ok(()) => {
                    let new = values.into_iter().map(|(_, v)| v);
                    Path::writing(targets.iter().map(|(t, _)| *t).zip(new).collect())
                }
            };
            visit(path.choosing(id, choice))
        }));
        if any { Ok(GO) } else { visit(Path::disabled(pred.span, "no values satisfy the predicate")) }
    }

    /// Calls back for the bindings that satisfy the predicate, and those under which it is ill-defined; only for the
    /// given binding if there is one.
    fn each_binding(
        &self,
        env: &Env<'_>,
        names: &[Name],
        given: Option<&Value>,
        pred: &Pred,
        at: Span,
        found: Bound<'_>,
    ) -> Flow {
        let Some(given) = given else {
            return self.eval.each_solution(env, names, &[pred], at, found);
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
        match self.eval.pred(&env.within(&frame), pred) {
            Ok(true) => found(values, Ok(())),
            Ok(false) => Ok(GO),
            Err(e) if e.kind == EvalErrorKind::IllDefined => found(values, Err(e)),
            Err(e) => Err(e),
        }
    }

    /// Runs a loop. The rounds of all paths through it are counted together.
    fn repeat(
        &self,
        env: &Env<'_>,
        parts: &Loop<'_>,
        made: &[(ChoiceId, Value)],
        rounds: &mut usize,
        visit: Visit<'_>,
    ) -> Flow {
        if is_deterministic(parts.body) {
            let mut writes = Writes::new();
            let end = self.eval.run_loop(env, parts, rounds, &mut writes)?;
            return visit(Path { writes, choices: Vec::new(), end });
        }
        // An explicit stack instead of recursion: a loop may have a million rounds.
        let mut open = vec![(Path::writing(Writes::new()), None::<Int>)];
        while let Some((path, before)) = open.pop() {
            self.eval.count_round(rounds, parts.at)?;
            let mut updates = env.updates().cloned().unwrap_or_default();
            updates.extend(path.writes.iter().map(|(t, v)| (*t, v.clone())));
            let here = env.updated(&updates).with_old(env);
            let (end, measure) = self.eval.judge_round(&here, parts, before.as_ref())?;
            match end {
                Some(end) => go!(visit(Path { end, ..path })),
                None => {
                    let mut next = Vec::new();
                    let mut ended = Vec::new();
                    let _every = self.after(env, path, parts.body, made, &mut |p| {
                        if p.end == End::Done {
                            next.push(p)
                        } else {
                            ended.push(p)
                        }
                        Ok(GO)
                    })?;
                    for path in ended {
                        go!(visit(path));
                    }
                    open.extend(next.into_iter().map(|p| (p, measure.clone())));
                }
            }
        }
        Ok(GO)
    }
}

/// Combines a path with each choice of paths of the other parallel parts.
fn each_together(left: Path, beside: &[Vec<Path>], visit: Visit<'_>) -> Flow {
    let Some((first, rest)) = beside.split_first() else { return visit(left) };
    for right in first {
        go!(each_together(together(&left, right), rest, visit));
    }
    Ok(GO)
}

/// Combines two parallel paths.
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

/// Returns the name that an assignment writes.
fn name_of(target: Target) -> Name {
    match target {
        Target::Var(v) => Name::Var(v),
        Target::Local(l) => Name::Local(l),
    }
}
