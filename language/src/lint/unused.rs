//! Declarations that are never used.
//!
//! Text that B requires does not count as a use: the predicate that types a name by a set that never changes, the assignment that gives a variable
//! its value. Every name that a definition of the file mentions counts as used.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::*;
use crate::ast::visit::{self, definitions, walk_body, walk_sections};
use crate::model::types::CarrierId;
use crate::model::visit::{Names, Visitor, walk_expr, walk_pred, walk_subst};

/// Names that a model mentions, typing aside.
#[derive(Default)]
struct Uses {
    carriers: BTreeSet<CarrierId>,
    constants: BTreeSet<ConstId>,
    variables: BTreeSet<VarId>,
    locals: BTreeSet<LocalId>,
    // Bound by `ANY`, `LET` and `VAR`.
    blocks: Vec<LocalId>,
    typing: BTreeSet<LocalId>,
}

impl Uses {
    /// A conjunct of a guard or section: one that types a name mentions it for that only.
    fn conjunct(&mut self, p: &Pred) {
        let PredKind::Compare(op, l, r) = &p.kind else { return self.pred(p) };
        let types_left = matches!(op, CompareOp::Member | CompareOp::Subset | CompareOp::Equal);
        match (&l.kind, &r.kind) {
            (ExprKind::Const(_), _) if types_left => self.expr(r),
            (ExprKind::Var(_), _) if matches!(op, CompareOp::Member | CompareOp::Subset) => self.expr(r),
            (ExprKind::Local(x), _) if types_left && self.typing.contains(x) && is_fixed(r) => self.expr(r),
            _ => self.pred(p),
        }
    }

    fn guard(&mut self, p: &Pred) {
        conjuncts(p).iter().for_each(|c| self.conjunct(c));
    }
}

/// Returns whether the value of an expression is the same in every state and for all constants: a type.
fn is_fixed(e: &Expr) -> bool {
    let names = Names::of_expr(e);
    names.variables.is_empty() && names.constants.is_empty() && names.locals.is_empty()
}

impl Visitor for Uses {
    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Var(v) | ExprKind::Old(v) => drop(self.variables.insert(*v)),
            ExprKind::Const(c) => drop(self.constants.insert(*c)),
            ExprKind::Carrier(c) | ExprKind::Element(c, _) => drop(self.carriers.insert(*c)),
            ExprKind::Local(l) => drop(self.locals.insert(*l)),
            _ => walk_expr(self, e),
        }
    }

    fn pred(&mut self, p: &Pred) {
        walk_pred(self, p);
    }

    fn subst(&mut self, s: &Subst) {
        match &s.kind {
            SubstKind::Select { branches, otherwise, .. } => {
                for (p, body) in branches {
                    self.guard(p);
                    self.subst(body);
                }
                otherwise.iter().for_each(|s| self.subst(s));
            }
            SubstKind::Any(_, ids, p, body) => {
                self.blocks.extend(ids);
                self.typing.extend(ids);
                self.guard(p);
                self.subst(body);
            }
            SubstKind::Pre(p, body) => {
                self.guard(p);
                self.subst(body);
            }
            SubstKind::Let(bindings, _) => {
                self.blocks.extend(bindings.iter().map(|(l, _)| l));
                walk_subst(self, s);
            }
            SubstKind::Var(ids, _) => {
                self.blocks.extend(ids);
                walk_subst(self, s);
            }
            _ => walk_subst(self, s),
        }
    }
}

impl Lint<'_> {
    /// Tells of names without a use; `mentioned` are the names in definitions.
    pub(super) fn unused(&mut self, mentioned: &HashSet<String>) {
        let uses = self.uses();
        self.unused_names(&uses, mentioned);
        self.unused_locals(&uses);
    }

    fn uses(&self) -> Uses {
        let model = self.model;
        let mut uses = Uses::default();
        for e in &model.events {
            uses.typing.extend(&e.parameters);
        }
        for c in model.axioms.iter().chain(&model.invariant) {
            uses.conjunct(&c.pred);
        }
        for c in model.refinement.gluing.iter().chain(&model.assertions) {
            uses.pred(&c.pred);
        }
        model.definitions.goal.iter().for_each(|p| uses.pred(p));
        uses.subst(&model.initialisation);
        model.events.iter().for_each(|e| uses.subst(&e.body));
        uses
    }

    // Other machines may use the declarations of a machine without operations.
    fn unused_names(&mut self, uses: &Uses, mentioned: &HashSet<String>) {
        let model = self.model;
        if model.events.is_empty() {
            return;
        }
        for (i, c) in model.types.carriers.iter().enumerate() {
            if !uses.carriers.contains(&CarrierId(i as u32)) && !mentioned.contains(&c.name) {
                self.warn(codes::UNUSED_SET, c.span, format!("set `{}` is not used", c.name));
            }
        }
        for (i, c) in model.constants.iter().enumerate() {
            if !uses.constants.contains(&ConstId(i as u32)) && !mentioned.contains(&c.name) {
                let message = format!("constant `{}` is not used beyond its own typing", c.name);
                self.warn(codes::UNUSED_CONSTANT, c.span, message);
            }
        }
        let mut changed = BTreeSet::new();
        for e in &model.events {
            changed.extend(Names::of_subst(&e.body).written);
        }
        for (i, v) in model.variables.iter().enumerate() {
            let id = VarId(i as u32);
            if !uses.variables.contains(&id) && !mentioned.contains(&v.name) {
                let message = format!("the value of variable `{}` is not used", v.name);
                self.warn(codes::UNREAD_VARIABLE, v.span, message);
            } else if !changed.contains(&id) && self.subject.is_abstract {
                let message = format!("no operation changes variable `{}`", v.name);
                self.warn(codes::UNCHANGED_VARIABLE, v.span, message).help =
                    Some("declare it as a constant if it is meant to keep its value".into());
            }
        }
    }

    fn unused_locals(&mut self, uses: &Uses) {
        let model = self.model;
        if self.subject.is_abstract {
            for e in &model.events {
                for p in e.parameters.iter().filter(|p| !uses.locals.contains(p)) {
                    let parameter = &model.locals[p.index()];
                    let message = format!("`{}` does not use its parameter `{}`", e.name, parameter.name);
                    self.warn(codes::UNUSED_PARAMETER, parameter.span, message);
                }
            }
        }
        // A definition binds fresh names wherever it is used: its name is used if one of them is.
        let mut places: BTreeMap<Span, (LocalId, bool)> = BTreeMap::new();
        for l in &uses.blocks {
            let place = places.entry(model.locals[l.index()].span).or_insert((*l, false));
            place.1 |= uses.locals.contains(l);
        }
        for (span, (l, _)) in places.into_iter().filter(|(_, (_, used))| !used) {
            let message = format!("the value of `{}` is not used", model.locals[l.index()].name);
            self.warn(codes::UNUSED_LOCAL, span, message);
        }
    }

    /// Tells of definitions without a use; returns all names that definitions mention.
    pub(super) fn unused_definitions(&mut self, machine: &ast::Machine) -> HashSet<String> {
        let mut sections = Mentioned::default();
        walk_sections(&mut sections, machine);
        let mut by_name: BTreeMap<&str, HashSet<String>> = BTreeMap::new();
        for (name, _, body) in definitions(machine) {
            let mut names = Mentioned::default();
            walk_body(&mut names, body);
            by_name.insert(&name.name, names.0);
        }
        let mut used: HashSet<&str> = HashSet::new();
        let is_root = |n: &str| sections.0.contains(n) || is_for_tools(n);
        let mut todo: Vec<&str> = by_name.keys().copied().filter(|n| is_root(n)).collect();
        while let Some(name) = todo.pop() {
            if used.insert(name) {
                todo.extend(by_name[name].iter().map(String::as_str).filter(|n| by_name.contains_key(n)));
            }
        }
        let other_files = machine.sections.iter().any(|s| match &s.kind {
            ast::SectionKind::Definitions(list) => {
                list.iter().any(|d| matches!(d, ast::Definition::File(..)))
            }
            _ => false,
        });
        for (name, parameters, body) in definitions(machine) {
            if !other_files && !used.contains(name.name.as_str()) {
                let message = format!("definition `{}` is not used", name.name);
                self.warn(codes::UNUSED_DEFINITION, name.span, message);
            }
            let mut names = Mentioned::default();
            walk_body(&mut names, body);
            for p in parameters.iter().filter(|p| !names.0.contains(&p.name) && !is_for_tools(&name.name)) {
                let message = format!("`{}` does not use its parameter `{}`", name.name, p.name);
                self.warn(codes::UNUSED_PARAMETER, p.span, message);
            }
        }
        by_name.into_values().flatten().collect()
    }
}

/// Definitions that ProB and its relatives look for by their names.
fn is_for_tools(name: &str) -> bool {
    const STARTS: [&str; 21] = [
        "ANIMATION_",
        "ASSERT_",
        "CUSTOM_",
        "EXTERNAL_",
        "FORCE_SYMMETRY",
        "GAME_",
        "GOAL",
        "HEURISTIC_",
        "MAXIMIZE",
        "MC_",
        "MINIMIZE",
        "OPERATION_",
        "SEARCH_",
        "SET_PREF_",
        "SIMB_",
        "SVG_",
        "UML_",
        "VISB_",
        "VISUALIZE_",
        "scope_",
        "SCOPE",
    ];
    STARTS.iter().any(|s| name.starts_with(s)) || name.contains("HEURISTIC_FUNCTION")
}

#[derive(Default)]
struct Mentioned(HashSet<String>);

impl<'t> visit::Visitor<'t> for Mentioned {
    fn expr(&mut self, e: &'t ast::Expr) {
        if let ast::ExprKind::Ident(name) | ast::ExprKind::Old(name) = &e.kind {
            self.0.insert(name.clone());
        }
        visit::walk_expr(self, e);
    }
    fn name(&mut self, name: &'t ast::Ident) {
        self.0.insert(name.name.clone());
    }
    // A definition may be used where names are bound, by a parameter of another definition.
    fn enter(&mut self, ids: &[ast::Ident]) {
        self.0.extend(ids.iter().map(|id| id.name.clone()));
    }
}
