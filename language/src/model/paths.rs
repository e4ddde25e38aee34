//! The paths through a substitution, a normal form: each path has a guard, choices and parallel updates in terms of the
//! state before (symbolic execution, which computes the weakest precondition path by path; B-Book, 6.1).
//!
//! A choice is a local that nothing binds: the path is taken for each of its values that satisfies the guard. So the
//! before-after predicate of a path is `#choices.(guard & x' = E & …)`. Formulas that must hold or are evaluated in
//! between are reported to a callback with the path so far.
//!
//! Deliberately absent: loops, and formulas that read a name without a value ([`NoPaths`]).

use std::collections::BTreeSet;

use super::visit::{Names, Part, Replacement, conjuncts};
use super::*;
use crate::text::source::Span;
use crate::tuning::tuning;

/// A path through a substitution, or the beginning of one.
#[derive(Clone, Default, Debug)]
pub struct Path {
    /// Conditions under which the path is taken, preconditions and assertions included, in order.
    pub guard: Vec<Pred>,
    /// Formulas with partial operators that were evaluated on the way, and so are well-defined at its end.
    pub evaluated: Vec<Pred>,
    /// The locals that represent the choices, in order.
    pub choices: Vec<LocalId>,
    /// The choices of the substitution on the way, each with the locals that represent its values; not the parameters.
    pub made: Vec<(ChoiceId, Vec<LocalId>)>,
    /// The values of names after the path, in terms of those before it and of the choices.
    pub values: Replacement,
    /// Names that have no value yet.
    pub unassigned: BTreeSet<Target>,
}

/// A requirement on a formula at a place on a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Demand {
    /// It is well-defined.
    Defined,
    /// It holds, as a precondition inside a body.
    Precondition,
    /// It holds, as an assertion or because the abstraction demands it.
    Claim(Claim),
}

/// Reasons why the paths of a substitution are not listed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoPaths {
    /// A loop has no bound on its rounds.
    #[error("a loop has any number of paths")]
    Loop(Span),
    /// A name is read that may have no value yet.
    #[error("a name is read before it has a value")]
    Unassigned(Span),
    /// The initialisation leaves a variable without a value on some path.
    #[error("a variable gets no value")]
    Uninitialised(Span),
    /// There are more paths than asked for.
    #[error("there are too many paths")]
    TooMany(Span),
    /// The value of a name grows too large in terms of the state before.
    #[error("a value is too large in terms of the state before")]
    TooLarge(Span),
}

impl Path {
    /// Makes the end of a step the beginning of the next one, for which results and other locals are new.
    pub fn begin_next_step(&mut self) {
        self.unassigned.clear();
        self.values.locals.clear();
    }

    fn assign(&mut self, target: Target, value: Expr) {
        self.unassigned.remove(&target);
        self.values.assign(target, value);
    }

    /// Returns the value of a target in terms of those before the path; `None` if the path does not give it one.
    pub fn value(&self, target: Target) -> Option<&Expr> {
        match target {
            Target::Var(v) => self.values.variables.get(&v),
            Target::Local(l) => self.values.locals.get(&l),
        }
    }

    fn evaluates(&mut self, p: &Pred) {
        let is_partial = |part: &Part<'_>| match part {
            Part::Expr(e) => e.kind.is_partial(),
            Part::Pred(p) => p.kind.is_partial(),
            _ => false,
        };
        if Part::Pred(p).any(is_partial) {
            self.evaluated.push(p.clone());
        }
    }

    fn is_readable(&self, names: &Names) -> bool {
        let is_read = |t: &Target| match t {
            Target::Var(v) => names.variables.contains(v),
            Target::Local(l) => names.locals.contains(l),
        };
        !self.unassigned.iter().any(is_read)
    }

    /// Combines this path with `own`, the path of `part` alone, which is executed in parallel.
    fn beside(&self, own: Path, part: &Subst) -> Path {
        let mut all = self.clone();
        let written = Names::of_subst(part);
        let variables = written.written.iter().map(|v| Target::Var(*v));
        for target in variables.chain(written.written_locals.iter().map(|l| Target::Local(*l))) {
            if let Some(value) = own.value(target).filter(|_| !own.unassigned.contains(&target)) {
                all.assign(target, value.clone());
            }
        }
        Path { guard: own.guard, evaluated: own.evaluated, choices: own.choices, made: own.made, ..all }
    }
}

/// Lists the paths through the substitutions of a model.
pub struct Walker<'w> {
    model: &'w Model,
    most: usize,
    first: u32,
    chosen: Vec<Variable>,
    demand: &'w mut dyn FnMut(&Path, Demand, &Pred),
}

type Found = Result<Vec<Path>, NoPaths>;

impl<'w> Walker<'w> {
    /// Creates a walker without paths.
    ///
    /// - `most`: the number of paths beyond which listing stops.
    /// - `first`: the local for the first choice. Those for further ones follow it; none of them may occur in the model.
    /// - `demand`: called for each formula that must hold or be well-defined, with the path up to there.
    pub fn new(
        model: &'w Model,
        most: usize,
        first: LocalId,
        demand: &'w mut dyn FnMut(&Path, Demand, &Pred),
    ) -> Walker<'w> {
        Walker { model, most, first: first.0, chosen: vec![], demand }
    }

    /// Returns the variables or locals that the choices so far are values of, in the order of their locals.
    pub fn chosen(&self) -> &[Variable] {
        &self.chosen
    }

    /// Continues a path by all those of an event, whose parameters are choices, or of the initialisation (`None`).
    ///
    /// # Errors
    /// Its paths cannot be listed.
    pub fn event(&mut self, event: Option<EventId>, mut start: Path) -> Found {
        let model = self.model;
        let body = match event {
            None => {
                start.unassigned.extend((0..model.variables.len() as u32).map(|v| Target::Var(VarId(v))));
                &model.initialisation
            }
            Some(id) => {
                let event = &model.events[id.index()];
                for &p in &event.parameters {
                    let value = self.choose(&mut start, Target::Local(p));
                    start.values.locals.insert(p, value);
                }
                start.unassigned.extend(event.results.iter().map(|r| Target::Local(*r)));
                &event.body
            }
        };
        let ends = self.run(body, start)?;
        let is_complete = |end: &Path| end.unassigned.iter().all(|t| matches!(t, Target::Local(_)));
        match ends.iter().all(is_complete) {
            true => Ok(ends),
            false => Err(NoPaths::Uninitialised(body.span)),
        }
    }

    /// A choice with the type of a target.
    fn choose(&mut self, at: &mut Path, target: Target) -> Expr {
        let variable = match target {
            Target::Var(v) => self.model.variables[v.index()].clone(),
            Target::Local(l) => self.model.locals[l.index()].clone(),
        };
        let local = LocalId(self.first + self.chosen.len() as u32);
        at.choices.push(local);
        let value = ExprKind::Local(local).typed(variable.ty.clone(), variable.span);
        self.chosen.push(variable);
        value
    }

    /// Makes a choice of the substitution: a value for each of some targets.
    fn choose_all(
        &mut self,
        at: &mut Path,
        choice: ChoiceId,
        targets: impl Iterator<Item = Target>,
    ) -> Vec<Expr> {
        let first = at.choices.len();
        let values = targets.map(|t| self.choose(at, t)).collect();
        let locals = at.choices[first..].to_vec();
        at.made.push((choice, locals));
        values
    }

    /// Evaluates an expression: from here on it is well-defined.
    fn expr(&mut self, at: &mut Path, e: &Expr) -> Result<Expr, NoPaths> {
        if !at.is_readable(&Names::of_expr(e)) {
            return Err(NoPaths::Unassigned(e.span));
        }
        let value = at.values.in_expr(e);
        let mut size = 0;
        let is_too_large = Part::Expr(&value).any(|_| {
            size += 1;
            size > tuning().check.path_value
        });
        if is_too_large {
            return Err(NoPaths::TooLarge(e.span));
        }
        let itself = Pred::compare(CompareOp::Equal, value.clone(), value.clone(), e.span);
        (self.demand)(at, Demand::Defined, &itself);
        at.evaluates(&itself);
        Ok(value)
    }

    /// Evaluates a predicate: from here on it is well-defined.
    fn pred(&mut self, at: &mut Path, p: &Pred) -> Result<Pred, NoPaths> {
        if !at.is_readable(&Names::of_pred(p)) {
            return Err(NoPaths::Unassigned(p.span));
        }
        let p = Pred { span: p.span, ..at.values.in_pred(p) };
        (self.demand)(at, Demand::Defined, &p);
        at.evaluates(&p);
        Ok(p)
    }

    /// Continues where a predicate is true, conjunct by conjunct.
    fn guard(&mut self, at: &mut Path, p: &Pred) -> Result<(), NoPaths> {
        for conjunct in conjuncts(p) {
            let p = self.pred(at, conjunct)?;
            at.guard.push(p);
        }
        Ok(())
    }

    fn few(&self, ends: Vec<Path>, span: Span) -> Found {
        if ends.len() > self.most { Err(NoPaths::TooMany(span)) } else { Ok(ends) }
    }

    /// Continues a path by all those through a substitution.
    ///
    /// # Errors
    /// Its paths cannot be listed.
    pub fn run(&mut self, s: &Subst, mut at: Path) -> Found {
        let ends = match &s.kind {
            SubstKind::Skip => vec![at],
            SubstKind::Assign(list) => {
                let mut values = vec![];
                for (target, e) in list {
                    values.push((*target, self.expr(&mut at, e)?));
                }
                values.into_iter().for_each(|(target, value)| at.assign(target, value));
                vec![at]
            }
            SubstKind::BecomesIn(choice, targets, set) => {
                let set = self.expr(&mut at, set)?;
                let values = self.choose_all(&mut at, *choice, targets.iter().copied());
                if let Some(couple) = values.iter().cloned().reduce(Expr::couple) {
                    at.guard.push(Pred::compare(CompareOp::Member, couple, set, s.span));
                }
                targets.iter().zip(values).for_each(|(t, value)| at.assign(*t, value));
                vec![at]
            }
            SubstKind::BecomesSuch(choice, targets, p) => {
                let values = self.choose_all(&mut at, *choice, targets.iter().map(|(t, _)| *t));
                let mut inner = at.clone();
                for v in Names::of_pred(p).variables {
                    let Variable { ty, .. } = self.model.variables[v.index()].clone();
                    let before = at.values.variables.get(&v).cloned();
                    let before = before.unwrap_or_else(|| ExprKind::Var(v).typed(ty, p.span));
                    inner.values.old.insert(v, before);
                }
                let locals = targets.iter().map(|t| t.1);
                inner.values.locals.extend(locals.zip(values.iter().cloned()));
                self.guard(&mut inner, p)?;
                (at.guard, at.evaluated) = (inner.guard, inner.evaluated);
                targets.iter().zip(values).for_each(|((t, _), value)| at.assign(*t, value));
                vec![at]
            }
            SubstKind::Pre(p, body) | SubstKind::Assert(_, p, body) => {
                let demand = match &s.kind {
                    SubstKind::Assert(claim, ..) => Demand::Claim(*claim),
                    _ => Demand::Precondition,
                };
                let p = self.pred(&mut at, p)?;
                (self.demand)(&at, demand, &p);
                at.guard.push(p);
                self.run(body, at)?
            }
            SubstKind::Choice(_, branches) => {
                let mut ends = vec![];
                for branch in branches {
                    ends.extend(self.run(branch, at.clone())?);
                }
                ends
            }
            SubstKind::If(branches, otherwise) => {
                let mut ends = vec![];
                for (condition, body) in branches {
                    let p = self.pred(&mut at, condition)?;
                    let mut yes = at.clone();
                    yes.guard.push(p.clone());
                    ends.extend(self.run(body, yes)?);
                    at.guard.push(not(p));
                }
                ends.extend(self.run(otherwise, at)?);
                ends
            }
            SubstKind::Select { branches, otherwise, .. } => {
                let mut ends = vec![];
                for (guard, body) in branches {
                    let mut inner = at.clone();
                    match (&branches[..], otherwise) {
                        // The guard decides, as a condition does.
                        ([_], Some(_)) => {
                            let p = self.pred(&mut inner, guard)?;
                            inner.guard.push(p);
                        }
                        _ => self.guard(&mut inner, guard)?,
                    }
                    ends.extend(self.run(body, inner)?);
                }
                if let Some(last) = otherwise {
                    for (guard, _) in branches {
                        let p = at.values.in_pred(guard);
                        at.evaluates(&p);
                        at.guard.push(not(p));
                    }
                    ends.extend(self.run(last, at)?);
                }
                ends
            }
            SubstKind::Any(choice, locals, p, body) => {
                let values = self.choose_all(&mut at, *choice, locals.iter().map(|l| Target::Local(*l)));
                at.values.locals.extend(locals.iter().copied().zip(values));
                self.guard(&mut at, p)?;
                self.run(body, at)?
            }
            SubstKind::Let(list, body) => {
                for (local, e) in list {
                    let value = self.expr(&mut at, e)?;
                    at.values.locals.insert(*local, value);
                }
                self.run(body, at)?
            }
            SubstKind::Var(locals, body) => {
                at.unassigned.extend(locals.iter().map(|l| Target::Local(*l)));
                let mut ends = self.run(body, at)?;
                for end in &mut ends {
                    end.unassigned.retain(|t| !matches!(t, Target::Local(l) if locals.contains(l)));
                }
                ends
            }
            SubstKind::Sequence(parts) => {
                let mut ends = vec![at];
                for part in parts {
                    let mut next = vec![];
                    for end in ends {
                        next.extend(self.run(part, end)?);
                    }
                    ends = self.few(next, s.span)?;
                }
                ends
            }
            SubstKind::Parallel(parts) => {
                // All parts read the state before; of several failures, the one written first comes first.
                let mut ends = vec![at.clone()];
                for part in parts {
                    let mut next = vec![];
                    for end in ends {
                        let (values, unassigned) = (at.values.clone(), at.unassigned.clone());
                        let here = Path { values, unassigned, ..end.clone() };
                        let own = self.run(part, here)?;
                        next.extend(own.into_iter().map(|own| end.beside(own, part)));
                    }
                    ends = self.few(next, s.span)?;
                }
                ends
            }
            SubstKind::While { .. } => return Err(NoPaths::Loop(s.span)),
        };
        self.few(ends, s.span)
    }
}

fn not(p: Pred) -> Pred {
    let span = p.span;
    PredKind::Not(Box::new(p)).at(span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::load_text;
    use crate::print;

    /// Returns the paths of an operation as text: guard, then the changes.
    fn paths(body: &str) -> Result<Vec<String>, NoPaths> {
        let text = format!(
            "MACHINE M VARIABLES x, y, f INVARIANT x : INTEGER & y : INTEGER & f : INTEGER +-> INTEGER
             INITIALISATION x, y, f := 0, 0, {{}} OPERATIONS go = BEGIN {body} END END"
        );
        let mut model = load_text("M.mch", &text).model.expect("the machine checks");
        let before = model.clone();
        let first = LocalId(before.locals.len() as u32);
        let mut demand = |_: &Path, _: Demand, _: &Pred| {};
        let mut walker = Walker::new(&before, 8, first, &mut demand);
        let found = walker.event(Some(EventId(0)), Path::default())?;
        model.locals.extend(walker.chosen().iter().cloned());
        let text = |path: &Path| {
            let updates = path.values.variables.iter().map(|(v, e)| {
                let name = &model.variables[v.index()].name;
                format!("{name} := {}", print::expr(&model, e))
            });
            let guard = path.guard.iter().map(|p| print::pred(&model, p));
            format!(
                "{} | {}",
                guard.collect::<Vec<_>>().join(" & "),
                updates.collect::<Vec<_>>().join(" || ")
            )
        };
        Ok(found.iter().map(text).collect())
    }

    fn check(body: &str, expected: &[&str]) {
        assert_eq!(paths(body).expect(body), expected, "{body}");
    }

    #[test]
    fn a_sequence_is_one_parallel_update() {
        check("x := x + 1; y := x", &[" | x := x + 1 || y := x + 1"]);
        check("x := y || y := x", &[" | x := y || y := x"]);
        check("f(x) := y || x := 0", &[" | x := 0 || f := f <+ {x |-> y}"]);
        check("VAR l IN l := x; x := y; y := l END", &[" | x := y || y := x"]);
        check("LET l BE l = x + 1 IN x := l END", &[" | x := x + 1"]);
    }

    #[test]
    fn each_branch_is_a_path_with_its_guard() {
        check("IF x = 0 THEN x := 1 ELSE y := 2 END", &["x = 0 | x := 1", "not(x = 0) | y := 2"]);
        check("x := 5; SELECT x > y THEN y := x END", &["5 > y | x := 5 || y := 5"]);
        check("SELECT x = 0 THEN skip ELSE skip END", &["x = 0 | ", "not(x = 0) | "]);
        check(
            "CASE x OF EITHER 1 THEN y := 1 OR 2 THEN y := 2 END END",
            &["x = 1 | y := 1", "not(x = 1) & x = 2 | y := 2", "not(x = 1) & not(x = 2) | "],
        );
        check("CHOICE x := 1 OR y := 2 END || f := {}", &[" | x := 1 || f := {}", " | y := 2 || f := {}"]);
        check("ASSERT x = 0 THEN x := 1 END", &["x = 0 | x := 1"]);
    }

    #[test]
    fn a_choice_is_a_free_local() {
        check("ANY z WHERE z : 1..x THEN x := z END", &["z : 1 .. x | x := z"]);
        check("x :: 1..3; y := x", &["x_1 : 1 .. 3 | x := x_1 || y := x_1"]);
        check("x := 7; x : (x > x$0 & x < y)", &["x_1 > 7 & x_1 < y | x := x_1"]);
    }

    #[test]
    fn what_has_no_paths_says_why() {
        let loops = "WHILE x < 3 DO x := x + 1 INVARIANT x : INTEGER VARIANT 3 - x END";
        assert!(matches!(paths(loops), Err(NoPaths::Loop(_))));
        assert!(matches!(paths("VAR l IN x := l; l := 1 END"), Err(NoPaths::Unassigned(_))));
        let halves = ["CHOICE x := 1 OR x := 2 END"; 4].join(";");
        assert!(matches!(paths(&halves), Err(NoPaths::TooMany(_))));
        let doubled = ["x := x + x"; 20].join(";");
        assert!(matches!(paths(&doubled), Err(NoPaths::TooLarge(_))));
    }
}
