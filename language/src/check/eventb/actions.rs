//! Actions of events, typed.

use super::*;
use crate::ast::{Expr as Tree, ExprKind as Ast};
use crate::eventb::project::{Action, ActionKind, Event as Source};

/// The names that stand for locals in an event: its parameters.
pub(super) type Parameters = BTreeMap<String, LocalId>;

/// An action with its types.
#[derive(Clone, Debug)]
pub(super) struct Move {
    pub label: Option<String>,
    /// On one line; empty until the types are known where the file holds no text.
    pub text: Option<String>,
    pub span: Span,
    pub kind: MoveKind,
}

#[derive(Clone, Debug)]
pub(super) enum MoveKind {
    Assign(Vec<(VarId, Expr)>),
    /// All values of a set.
    In(Vec<VarId>, Expr),
    /// The locals stand for the new values.
    Such(Vec<(VarId, LocalId)>, Pred),
}

impl Move {
    /// Returns the variables that change.
    pub fn targets(&self) -> Vec<VarId> {
        match &self.kind {
            MoveKind::Assign(list) => list.iter().map(|(v, _)| *v).collect(),
            MoveKind::In(list, _) => list.clone(),
            MoveKind::Such(list, _) => list.iter().map(|(v, _)| *v).collect(),
        }
    }
}

impl Composer<'_> {
    /// Returns the actions of an event, in the open scope. A variable that the initialisation leaves out may have any
    /// value.
    pub(super) fn moves(&mut self, level: usize, e: &Source) -> Vec<Move> {
        let mut all: Vec<Move> = vec![];
        let mut seen = BTreeSet::new();
        for action in &e.actions {
            let Some(m) = self.action(action) else { continue };
            seen.extend(m.targets());
            all.push(m);
        }
        if e.name.name == INITIALISATION {
            let missing: Vec<VarId> = self.variables[level].difference(&seen).copied().collect();
            for v in missing {
                let ty = self.c.model.variables[v.index()].ty.clone();
                let set = self.c.type_set(&ty, e.span);
                let kind = MoveKind::In(vec![v], set);
                all.push(Move { label: None, text: None, span: e.span, kind });
            }
        }
        all
    }

    fn action(&mut self, action: &Action) -> Option<Move> {
        let kind = match &action.kind {
            ActionKind::Assign(left, right) => {
                let SubstKind::Assign(list) = self.c.assign(left, right, action.span) else { return None };
                let variable = |(target, value): (Target, Expr)| match target {
                    Target::Var(v) => Some((v, value)),
                    Target::Local(_) => None,
                };
                MoveKind::Assign(list.into_iter().filter_map(variable).collect())
            }
            ActionKind::BecomesIn(ids, set) => {
                let targets = self.targets(ids)?;
                let set = self.c.expr(set);
                let types = targets.iter().map(|v| self.c.model.variables[v.index()].ty.clone());
                let element = types.reduce(OpenType::pair)?;
                self.c.expect(&set, &OpenType::pow(element));
                MoveKind::In(targets, set)
            }
            ActionKind::BecomesSuch(ids, p) => {
                let targets = self.targets(ids)?;
                let mut pairs = vec![];
                for (v, id) in targets.into_iter().zip(ids) {
                    let ty = self.c.model.variables[v.index()].ty.clone();
                    pairs.push((v, self.c.new_local(&format!("{}'", id.name), id.span, ty)));
                }
                let locals: Vec<LocalId> = pairs.iter().map(|(_, l)| *l).collect();
                self.c.reopen(&locals);
                let p = self.c.pred(p);
                self.c.leave(&locals);
                MoveKind::Such(pairs, p)
            }
        };
        Some(Move { label: action.label.clone(), text: action.text.clone(), span: action.span, kind })
    }

    fn targets(&mut self, ids: &[Ident]) -> Option<Vec<VarId>> {
        let mut found = vec![];
        for id in ids {
            match self.variable(&id.name) {
                Some(v) => found.push(v),
                None => {
                    // The message is that of an assignment.
                    let left = Tree { kind: Ast::Ident(id.name.clone()), span: id.span };
                    let right = Tree { kind: Ast::Error, span: id.span };
                    self.c.assign(&[left], &[right], id.span);
                    return None;
                }
            }
        }
        Some(found)
    }

    /// Returns an action as a substitution.
    pub(super) fn plain(&mut self, m: Move) -> Subst {
        let kind = match m.kind {
            MoveKind::Assign(list) => {
                SubstKind::Assign(list.into_iter().map(|(v, e)| (Target::Var(v), e)).collect())
            }
            MoveKind::In(list, set) => {
                SubstKind::BecomesIn(self.c.choice(), list.into_iter().map(Target::Var).collect(), set)
            }
            MoveKind::Such(list, p) => {
                let pairs = list.into_iter().map(|(v, l)| (Target::Var(v), l)).collect();
                SubstKind::BecomesSuch(self.c.choice(), pairs, p)
            }
        };
        kind.at(m.span)
    }

    /// Returns a variable by name.
    pub(super) fn variable(&self, name: &str) -> Option<VarId> {
        match self.c.names.globals.get(name) {
            Some((Entity::Var(v), _)) => Some(*v),
            _ => None,
        }
    }

    pub(super) fn origin(&self, level: usize) -> ComponentId {
        self.components[&(true, self.chain[level].name.name.as_str())]
    }

    /// Returns a local for the new value of a variable.
    pub(super) fn new_value(&mut self, v: VarId, span: Span) -> LocalId {
        let variable = &self.c.model.variables[v.index()];
        let (name, ty) = (format!("{}'", variable.name), variable.ty.clone());
        self.c.new_local(&name, span, ty)
    }

    pub(super) fn local_expr(&self, l: LocalId, span: Span) -> Expr {
        ExprKind::Local(l).typed(self.c.local_type(l), span)
    }

    /// Returns the predicate that the couple of the locals is in the set.
    pub(super) fn member(&self, locals: &[LocalId], set: Expr, span: Span) -> Pred {
        let values = locals.iter().map(|l| self.local_expr(*l, span));
        let element = values.reduce(couple);
        let kind = match element {
            Some(e) => PredKind::Compare(CompareOp::Member, Box::new(e), Box::new(set)),
            None => PredKind::True,
        };
        kind.at(span)
    }
}

/// Returns the conjunction of the predicates.
pub(super) fn conjunction(list: Vec<Pred>, span: Span) -> Pred {
    let mut all = vec![];
    for p in list {
        match p.kind {
            PredKind::And(inner) => all.extend(inner),
            PredKind::True => {}
            kind => all.push(kind.at(p.span)),
        }
    }
    Pred::all(all, span)
}

/// Combines parallel substitutions; assignments become one.
pub(super) fn parallel(parts: Vec<Subst>, span: Span) -> Subst {
    let (mut assigned, mut others) = (vec![], vec![]);
    for part in parts {
        match part.kind {
            SubstKind::Assign(list) => assigned.extend(list),
            SubstKind::Skip => {}
            kind => others.push(kind.at(part.span)),
        }
    }
    if !assigned.is_empty() {
        others.insert(0, SubstKind::Assign(assigned).at(span));
    }
    match others.len() {
        0 => SubstKind::Skip.at(span),
        1 => others.remove(0),
        _ => SubstKind::Parallel(others).at(span),
    }
}
