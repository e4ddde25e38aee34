//! Goals that an abstract substitution can end where something is true: `not([S] not Q)`, the conjugate of the weakest
//! precondition (B-Book, 11.2.3).
//!
//! `Q` is known in parts with labels. Where the abstraction leaves no choice each part is a goal of its own. Where it
//! chooses, equations determine what is chosen (one-point rule); parts that still have a choice in common are one goal.

use bsym_language::model::same::same_pred;
use bsym_language::model::*;
use bsym_language::source::Span;
use bsym_language::walk::{Names, Replacement, conjuncts};

use super::execution::{assign, beside};
use super::sequent::NoObligations;

use crate::tuning::tuning;

/// A part of the goal at the end.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub label: String,
    pub text: String,
    pub pred: Pred,
}

/// Behaviour of an abstract substitution, as a predicate whose leaves are the goals at its ends.
#[derive(Clone, Debug)]
enum Tree {
    End(Vec<Part>),
    All(Vec<Tree>),
    Some(Vec<Tree>),
    If(Pred, Box<Tree>),
    /// Some values of the locals, with a predicate that they satisfy.
    Choice(Vec<LocalId>, Part, Box<Tree>),
}

/// A goal with the hypotheses that an abstract condition adds.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    pub label: String,
    pub text: String,
    pub hypotheses: Vec<Pred>,
    pub pred: Pred,
}

/// Makes goals of an abstract substitution that begins with `names`. `at_end` returns the parts of the goal at an end
/// with other names.
///
/// # Errors
/// If it has a loop or too many ends.
pub(super) fn goals(
    joint: &mut Model,
    s: &Subst,
    names: Replacement,
    at_end: &dyn Fn(&Replacement) -> Vec<Part>,
) -> Result<Vec<Goal>, NoObligations> {
    let mut following = Following { joint, ends: 0 };
    let tree = following.tree(s, names, &mut |_, names| Ok(Tree::End(at_end(&names))))?;
    let mut goals = vec![];
    tree.goals(vec![], &mut goals);
    Ok(goals)
}

/// Goals stating that some values of `locals` satisfy all parts: one for each group that has none in common with
/// others.
pub(super) fn some_values(mut locals: Vec<LocalId>, mut parts: Vec<Part>) -> Vec<Goal> {
    one_point(&mut locals, &mut parts);
    let groups = apart(locals, parts).into_iter();
    groups.map(|(locals, parts)| together(locals, parts, vec![], Span::default())).collect()
}

type Then<'t> = &'t mut dyn FnMut(&mut Following<'_>, Replacement) -> Result<Tree, NoObligations>;

struct Following<'m> {
    joint: &'m mut Model,
    ends: usize,
}

impl Following<'_> {
    /// Makes a new local for each choice, so that the value of one is never captured by another.
    fn copy(&mut self, local: Variable) -> Expr {
        let Variable { ty, span, .. } = local.clone();
        self.joint.locals.push(local);
        ExprKind::Local(LocalId(self.joint.locals.len() as u32 - 1)).typed(ty, span)
    }

    fn target(&self, target: Target) -> Variable {
        match target {
            Target::Var(v) => self.joint.variables[v.index()].clone(),
            Target::Local(l) => self.joint.locals[l.index()].clone(),
        }
    }

    fn tree(&mut self, s: &Subst, names: Replacement, then: Then<'_>) -> Result<Tree, NoObligations> {
        self.ends += 1;
        if self.ends > tuning().obligations.abstract_ends {
            return Err(NoObligations("there are too many ways through its abstraction".into()));
        }
        let span = s.span;
        match &s.kind {
            SubstKind::Skip => then(self, names),
            SubstKind::Assign(list) => {
                let mut after = names.clone();
                for (target, value) in list {
                    assign(&mut after, *target, names.in_expr(value));
                }
                then(self, after)
            }
            SubstKind::BecomesIn(_, targets, set) => {
                let set = names.in_expr(set);
                let mut after = names;
                let mut chosen = vec![];
                for target in targets {
                    let value = self.copy(self.target(*target));
                    assign(&mut after, *target, value.clone());
                    chosen.push(value);
                }
                let locals = locals(&chosen);
                let Some(couple) = chosen.into_iter().reduce(Expr::couple) else { return then(self, after) };
                let p = Pred::compare(CompareOp::Member, couple, set, span);
                Ok(Tree::choice(locals, p, then(self, after)?))
            }
            SubstKind::BecomesSuch(_, list, p) => {
                let (mut inside, mut after) = (names.clone(), names);
                let mut chosen = vec![];
                for (target, local) in list {
                    let value = self.copy(self.target(*target));
                    inside.locals.insert(*local, value.clone());
                    assign(&mut after, *target, value.clone());
                    chosen.push(value);
                }
                let p = inside.in_pred(p);
                Ok(Tree::choice(locals(&chosen), p, then(self, after)?))
            }
            SubstKind::Pre(p, body) | SubstKind::Assert(_, p, body) => {
                let p = names.in_pred(p);
                Ok(Tree::If(p, Box::new(self.tree(body, names, then)?)))
            }
            SubstKind::Choice(_, branches) => {
                let mut all = vec![];
                for branch in branches {
                    all.push(self.tree(branch, names.clone(), then)?);
                }
                Ok(Tree::Some(all))
            }
            SubstKind::If(branches, otherwise) => {
                let mut all = vec![];
                let mut before: Vec<Pred> = vec![];
                for (condition, body) in branches {
                    let condition = names.in_pred(condition);
                    let mut known = before.clone();
                    known.push(condition.clone());
                    let tree = self.tree(body, names.clone(), then)?;
                    all.push(Tree::If(Pred::all(known, span), Box::new(tree)));
                    before.push(PredKind::Not(Box::new(condition)).at(span));
                }
                let tree = self.tree(otherwise, names, then)?;
                all.push(Tree::If(Pred::all(before, span), Box::new(tree)));
                Ok(Tree::All(all))
            }
            // A guard that was a precondition allows anything where it is false.
            SubstKind::Select { branches, otherwise: None, from_pre: true, .. } if branches.len() == 1 => {
                let p = names.in_pred(&branches[0].0);
                Ok(Tree::If(p, Box::new(self.tree(&branches[0].1, names, then)?)))
            }
            SubstKind::Select { branches, otherwise, .. } => {
                let mut all = vec![];
                let mut none = vec![];
                for (guard, body) in branches {
                    let guard = names.in_pred(guard);
                    none.push(PredKind::Not(Box::new(guard.clone())).at(span));
                    let tree = self.tree(body, names.clone(), then)?;
                    all.push(Tree::choice(vec![], guard, tree));
                }
                if let Some(other) = otherwise {
                    let tree = self.tree(other, names, then)?;
                    all.push(Tree::choice(vec![], Pred::all(none, span), tree));
                }
                Ok(if all.len() == 1 { all.remove(0) } else { Tree::Some(all) })
            }
            SubstKind::Any(_, bound, p, body) => {
                let mut inside = names;
                let chosen = self.copies(bound, &mut inside);
                let p = inside.in_pred(p);
                Ok(Tree::choice(chosen, p, self.tree(body, inside, then)?))
            }
            SubstKind::Var(bound, body) => {
                let mut inside = names;
                let chosen = self.copies(bound, &mut inside);
                Ok(Tree::choice(chosen, PredKind::True.at(span), self.tree(body, inside, then)?))
            }
            SubstKind::Let(list, body) => {
                let mut inside = names.clone();
                for (local, value) in list {
                    inside.locals.insert(*local, names.in_expr(value));
                }
                self.tree(body, inside, then)
            }
            SubstKind::Sequence(parts) => self.sequence(parts, names, then),
            SubstKind::Parallel(parts) => {
                let before = names.clone();
                self.parallel(parts, &before, names, then)
            }
            SubstKind::While { .. } => Err(NoObligations("its abstraction has a loop".into())),
        }
    }

    fn copies(&mut self, bound: &[LocalId], names: &mut Replacement) -> Vec<LocalId> {
        let mut chosen = vec![];
        for local in bound {
            let value = self.copy(self.joint.locals[local.index()].clone());
            names.locals.insert(*local, value.clone());
            chosen.push(value);
        }
        locals(&chosen)
    }

    fn sequence(
        &mut self,
        parts: &[Subst],
        names: Replacement,
        then: Then<'_>,
    ) -> Result<Tree, NoObligations> {
        match parts.split_first() {
            None => then(self, names),
            Some((first, rest)) => {
                self.tree(first, names, &mut |following, names| following.sequence(rest, names, then))
            }
        }
    }

    fn parallel(
        &mut self,
        parts: &[Subst],
        before: &Replacement,
        written: Replacement,
        then: Then<'_>,
    ) -> Result<Tree, NoObligations> {
        match parts.split_first() {
            None => then(self, written),
            Some((first, rest)) => self.tree(first, before.clone(), &mut |following, own| {
                following.parallel(rest, before, beside(&written, own, first), then)
            }),
        }
    }
}

fn locals(chosen: &[Expr]) -> Vec<LocalId> {
    let local = |e: &Expr| if let ExprKind::Local(l) = e.kind { Some(l) } else { None };
    chosen.iter().filter_map(local).collect()
}

impl Tree {
    fn choice(locals: Vec<LocalId>, pred: Pred, then: Tree) -> Tree {
        let text = "the abstraction allows it".into();
        Tree::Choice(locals, Part { label: "choice".into(), text, pred }, Box::new(then))
    }

    /// The tree as one predicate.
    fn pred(&self, span: Span) -> Pred {
        match self {
            Tree::End(parts) => Pred::all(parts.iter().map(|p| p.pred.clone()).collect(), span),
            Tree::All(list) => Pred::all(list.iter().map(|t| t.pred(span)).collect(), span),
            Tree::Some(list) => match list.len() {
                0 => PredKind::False.at(span),
                1 => list[0].pred(span),
                _ => PredKind::Or(list.iter().map(|t| t.pred(span)).collect()).at(span),
            },
            Tree::If(p, then) => PredKind::Implies(Box::new(p.clone()), Box::new(then.pred(span))).at(span),
            Tree::Choice(..) => {
                let (mut locals, mut parts) = (vec![], vec![]);
                self.flatten(&mut locals, &mut parts, span);
                one_point(&mut locals, &mut parts);
                exists(locals, parts.into_iter().map(|p| p.pred).collect(), span)
            }
        }
    }

    /// Collects chosen locals and the parts about them. Anything below a condition or several branches is one part.
    fn flatten(&self, locals: &mut Vec<LocalId>, parts: &mut Vec<Part>, span: Span) {
        match self {
            Tree::End(list) => parts.extend(list.iter().cloned()),
            Tree::All(list) => list.iter().for_each(|t| t.flatten(locals, parts, span)),
            Tree::Choice(own, part, then) => {
                locals.extend(own);
                let whole = conjuncts(&part.pred).into_iter();
                parts.extend(whole.map(|p| Part { pred: p.clone(), ..part.clone() }));
                then.flatten(locals, parts, span);
            }
            Tree::If(..) | Tree::Some(_) => parts.push(Part { pred: self.pred(span), ..self.whole() }),
        }
    }

    /// Label and text for a tree that is not split.
    fn whole(&self) -> Part {
        let pred = PredKind::True.at(Span::default());
        Part { label: "choice".into(), text: "the abstraction can follow".into(), pred }
    }

    fn goals(&self, hypotheses: Vec<Pred>, goals: &mut Vec<Goal>) {
        let span = Span::default();
        match self {
            Tree::End(parts) => {
                let goal = |p: &Part| {
                    let Part { label, text, pred } = p.clone();
                    Goal { label, text, hypotheses: hypotheses.clone(), pred }
                };
                goals.extend(parts.iter().map(goal));
            }
            Tree::All(list) => list.iter().for_each(|t| t.goals(hypotheses.clone(), goals)),
            Tree::If(p, then) => {
                let mut hypotheses = hypotheses;
                hypotheses.extend(conjuncts(p).into_iter().cloned());
                then.goals(hypotheses, goals);
            }
            Tree::Some(_) => {
                let Part { label, text, .. } = self.whole();
                goals.push(Goal { label, text, hypotheses, pred: self.pred(span) });
            }
            Tree::Choice(own, part, then) if own.is_empty() => {
                for p in conjuncts(&part.pred) {
                    let Part { label, text, .. } = part.clone();
                    goals.push(Goal { label, text, hypotheses: hypotheses.clone(), pred: p.clone() });
                }
                then.goals(hypotheses, goals);
            }
            Tree::Choice(..) => {
                let (mut locals, mut parts) = (vec![], vec![]);
                self.flatten(&mut locals, &mut parts, span);
                one_point(&mut locals, &mut parts);
                for (locals, parts) in apart(locals, parts) {
                    goals.push(together(locals, parts, hypotheses.clone(), span));
                }
            }
        }
    }
}

/// Replaces locals that an equation determines, as long as there is one.
fn one_point(locals: &mut Vec<LocalId>, parts: &mut Vec<Part>) {
    let determined = |locals: &[LocalId], parts: &[Part]| {
        parts.iter().flat_map(|p| conjuncts(&p.pred)).find_map(|p| {
            let PredKind::Compare(CompareOp::Equal, l, r) = &p.kind else { return None };
            [(l, r), (r, l)].into_iter().find_map(|(name, value)| match name.kind {
                ExprKind::Local(l) if locals.contains(&l) && !Names::of_expr(value).locals.contains(&l) => {
                    Some((l, (**value).clone()))
                }
                _ => None,
            })
        })
    };
    while let Some((local, value)) = determined(locals, parts) {
        let names = Replacement { locals: [(local, value)].into(), ..Replacement::default() };
        locals.retain(|l| *l != local);
        for part in parts.iter_mut() {
            part.pred = names.in_pred(&part.pred);
        }
    }
    let is_plain = |p: &Part| match &p.pred.kind {
        PredKind::True => true,
        PredKind::Compare(CompareOp::Equal, l, r) => {
            l == r && p.label == "choice" && Names::of_expr(l).locals.is_empty() && !has_application(l)
        }
        _ => false,
    };
    parts.retain(|p| !is_plain(p));
}

/// Returns whether the meaning of an expression is more than that of names and literals.
fn has_application(e: &Expr) -> bool {
    !matches!(
        e.kind,
        ExprKind::Var(_)
            | ExprKind::Const(_)
            | ExprKind::Element(..)
            | ExprKind::Integer(_)
            | ExprKind::Bool(_)
    )
}

/// Splits parts into groups that have no chosen local in common.
fn apart(locals: Vec<LocalId>, parts: Vec<Part>) -> Vec<(Vec<LocalId>, Vec<Part>)> {
    let mut groups: Vec<(Vec<LocalId>, Vec<Part>)> = vec![];
    for part in parts {
        let names = Names::of_pred(&part.pred).locals;
        let mut own: Vec<LocalId> = locals.iter().copied().filter(|l| names.contains(l)).collect();
        let mut joined = vec![];
        let mut rest = vec![];
        for group in groups {
            match group.0.iter().any(|l| own.contains(l)) {
                true => {
                    own.extend(group.0.iter().copied().filter(|l| !names.contains(l)));
                    joined.extend(group.1);
                }
                false => rest.push(group),
            }
        }
        joined.push(part);
        rest.push((own, joined));
        groups = rest;
    }
    groups
}

fn together(locals: Vec<LocalId>, mut parts: Vec<Part>, hypotheses: Vec<Pred>, span: Span) -> Goal {
    if locals.is_empty() && parts.len() == 1 {
        let Part { label, text, pred } = parts.remove(0);
        return Goal { label, text, hypotheses, pred };
    }
    let mut labels: Vec<&str> = vec![];
    let mut texts: Vec<&str> = vec![];
    for part in parts.iter().filter(|p| p.label != "choice") {
        if !labels.contains(&part.label.as_str()) {
            labels.push(&part.label);
            texts.push(&part.text);
        }
    }
    let label = if labels.is_empty() { "choice".to_string() } else { labels.join("+") };
    let text = match texts.is_empty() {
        true => "the abstraction has a choice".into(),
        false => format!("the abstraction has a choice with {}", texts.join(" & ")),
    };
    let pred = exists(locals, parts.into_iter().map(|p| p.pred).collect(), span);
    Goal { label, text, hypotheses, pred }
}

fn exists(locals: Vec<LocalId>, parts: Vec<Pred>, span: Span) -> Pred {
    // Two branches may have the same conjunct; keep it once.
    let mut all: Vec<Pred> = vec![];
    for p in parts {
        if !all.iter().any(|known| same_pred(known, &p)) {
            all.push(p);
        }
    }
    let body = Pred::all(all, span);
    if locals.is_empty() { body } else { PredKind::Exists(locals, Box::new(body)).at(span) }
}
