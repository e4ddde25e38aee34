//! Substitutions, operations and whole machines as text.

use super::expr::literal;
use super::names::Printer;
use super::types::type_parameter;
use super::words::{quoted, reference};
use crate::model::*;
use std::collections::BTreeSet;

use crate::model::same::same_expr;
use crate::model::visit::{self, Names, Visitor};

/// Position of a substitution.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Between keywords: `;` and `||` may stand bare.
    Block,
    /// The body of an operation: `;` would end it.
    Operation,
    /// Operand of `;` or `||`.
    Part,
}

/// Prints a whole model as a machine. Parameters of the machine are sets and constants here, the contents of other
/// machines are part of it, and a formula that is not checked on states is a comment.
pub fn machine(model: &Model) -> String {
    whole(Printer::new(model, &Names::default()))
}

/// Prints as [`machine`], with the type of every name in a comment where it is declared or bound.
pub fn machine_with_types(model: &Model) -> String {
    let mut p = Printer::new(model, &Names::default());
    p.types = true;
    whole(p)
}

fn whole(mut p: Printer) -> String {
    let model = p.model;
    p.put(&format!("MACHINE {}", quoted(&model.name)));
    p.definitions();
    p.sets();
    p.free_types();
    p.declared("CONSTANTS", &model.constants);
    p.section("PROPERTIES", &model.axioms, " &");
    p.declared("VARIABLES", &model.variables);
    p.section("INVARIANT", &model.invariant, " &");
    p.gluing();
    p.variants();
    p.section("ASSERTIONS", &model.assertions, ";");
    if !model.variables.is_empty() || model.initialisation.kind != SubstKind::Skip {
        p.open_section("INITIALISATION");
        p.subst(&model.initialisation, Place::Block);
        p.indent = 0;
    }
    if !model.events.is_empty() {
        p.open_section("OPERATIONS");
        for (i, e) in model.events.iter().enumerate() {
            if i > 0 {
                p.put(";");
                p.line();
            }
            p.event(e);
        }
        p.indent = 0;
    }
    p.put("\nEND\n");
    p.out
}

impl Printer<'_> {
    fn open_section(&mut self, keyword: &str) {
        self.put(&format!("\n{keyword}"));
        self.indent = 1;
        self.line();
    }

    /// Prints the hints of the machine about its scope, and its goal.
    fn definitions(&mut self) {
        let (model, hints) = (self.model, &self.model.definitions.hints);
        let mut list: Vec<(String, String)> = vec![];
        for (name, value) in [("MAXINT", &hints.maxint), ("MININT", &hints.minint)] {
            list.extend(value.iter().map(|n| (format!("SET_PREF_{name}"), n.to_string())));
        }
        for (name, text) in &hints.preferences {
            let plain = ["TRUE", "FALSE"].contains(&text.as_str())
                || !text.is_empty() && text.len() < 10 && text.bytes().all(|b| b.is_ascii_digit());
            let value = if plain { text.clone() } else { literal(text) };
            list.push((format!("SET_PREF_{name}"), value));
        }
        for (c, size) in &hints.sizes {
            list.push((format!("scope_{}", model.types.carriers[c.index()].name), size.to_string()));
        }
        if let Some(goal) = &model.definitions.goal {
            let mut p = Printer::new(model, &Names::default());
            p.pred(goal, 0);
            list.push(("GOAL".into(), p.out));
        }
        list.retain(|(name, _)| !self.is_global(name));
        let mut used = Externals::default();
        visit::walk_model(&mut used, model);
        // The files that external functions are declared in.
        let files = used.0.iter().map(|file| format!("\"{file}\""));
        let own = list.iter().map(|(name, v)| format!("{} == {v}", quoted(name)));
        let lines: Vec<String> = files.chain(own).collect();
        if !lines.is_empty() {
            self.put(&format!("\nDEFINITIONS\n  {}", lines.join(";\n  ")));
        }
    }

    /// Prints the link to the variables of an abstraction, which are not part of the state.
    fn gluing(&mut self) {
        let model = self.model;
        if model.refinement.gluing.is_empty() {
            return;
        }
        self.put("\n/* not checked on states, this speaks of variables of an abstraction:");
        for c in &model.refinement.gluing {
            let mut p = Printer::new(model, &Names::default());
            p.pred(&c.pred, 41);
            self.put(&format!("\n     {}", p.out.replace("*/", "* /")));
        }
        self.put(" */");
    }

    /// The variants of Event-B, which no section of a machine has.
    fn variants(&mut self) {
        let model = self.model;
        if model.refinement.variants.is_empty() {
            return;
        }
        let decreasing: Vec<&str> = (model.events.iter())
            .filter(|e| e.convergence == Convergence::Convergent)
            .map(|e| e.name.as_str())
            .collect();
        self.put("\n/* not checked, that convergent events decrease the variant:");
        for v in &model.refinement.variants {
            let mut p = Printer::new(model, &Names::default());
            p.expr(&v.value, 0);
            let label = v.label.as_ref().map(|l| format!("{l}: ")).unwrap_or_default();
            self.put(&format!("\n     {label}{}", p.out.replace("*/", "* /")));
        }
        self.put(&format!("\n     decreased by {} */", decreasing.join(", ").replace("*/", "* /")));
    }

    fn sets(&mut self) {
        let sets: Vec<String> = self
            .model
            .types
            .carriers
            .iter()
            .map(|c| match &c.kind {
                CarrierKind::Deferred => quoted(&c.name),
                CarrierKind::Enumerated(names) => {
                    let names: Vec<String> = names.iter().map(|n| quoted(n)).collect();
                    format!("{} = {{{}}}", quoted(&c.name), names.join(", "))
                }
            })
            .collect();
        if !sets.is_empty() {
            self.put(&format!("\nSETS\n  {}", sets.join(";\n  ")));
        }
    }

    fn free_types(&mut self) {
        let model = self.model;
        for (i, t) in model.types.free_types.iter().enumerate() {
            self.put(if i == 0 { "\nFREETYPES\n  " } else { ";\n  " });
            self.put(&quoted(&t.name));
            if t.parameters > 0 {
                let names: Vec<String> = (0..t.parameters).map(type_parameter).collect();
                self.put(&format!("({})", names.join(", ")));
            }
            for (k, c) in t.constructors.iter().enumerate() {
                self.put(if k == 0 { " = " } else { ", " });
                self.put(&quoted(&c.name));
                if let Some(e) = &c.argument {
                    self.put("(");
                    self.expr(e, 0);
                    self.put(")");
                }
            }
        }
    }

    fn declared(&mut self, keyword: &str, list: &[Variable]) {
        if !list.is_empty() {
            let names: Vec<String> = list.iter().map(|v| self.typed(quoted(&v.name), &v.ty)).collect();
            self.put(&format!("\n{keyword}\n  {}", names.join(", ")));
        }
    }

    fn section(&mut self, keyword: &str, list: &[Conjunct], separator: &str) {
        if list.is_empty() {
            return;
        }
        self.open_section(keyword);
        for (i, c) in list.iter().enumerate() {
            if i > 0 {
                self.put(separator);
                self.line();
            }
            if let Some(label) = &c.label {
                let word =
                    !label.is_empty() && !label.contains(|c: char| c.is_whitespace() || "\"`*".contains(c));
                self.put(&if word {
                    format!("/*@ label {label} */ ")
                } else {
                    format!("/*@ label \"{label}\" */ ")
                });
            }
            self.pred(&c.pred, 41);
        }
        self.indent = 0;
    }

    pub(super) fn event(&mut self, e: &Event) {
        let results = self.open_all(&e.results);
        if !results.is_empty() {
            self.put(&format!("{results} <-- "));
        }
        self.put(&quoted(&e.name));
        if !e.parameters.is_empty() {
            let parameters = self.open_all(&e.parameters);
            self.put(&format!("({parameters})"));
        }
        self.put(" =");
        self.indent += 1;
        self.line();
        self.outermost(&e.body);
        self.indent -= 1;
        self.close(e.results.len() + e.parameters.len());
    }

    /// The body of an operation. Its outermost preconditions are guards, so one that came from a call
    /// must not stand outermost: a choice of one branch hides it.
    fn outermost(&mut self, s: &Subst) {
        match &s.kind {
            SubstKind::Select { branches, from_pre: true, .. } if branches.len() == 1 => {
                let (p, body) = &branches[0];
                self.put("PRE ");
                self.pred(p, 0);
                self.put(" THEN");
                self.indent += 1;
                self.line();
                self.outermost_block(body);
                self.indent -= 1;
                self.line();
                self.put("END");
            }
            SubstKind::Pre(..) => self.outermost_block(s),
            _ => self.subst(s, Place::Operation),
        }
    }

    fn outermost_block(&mut self, s: &Subst) {
        match &s.kind {
            SubstKind::Pre(..) => {
                self.put("CHOICE");
                self.block(s);
                self.put("END");
            }
            SubstKind::Select { from_pre: true, .. } => self.outermost(s),
            _ => self.subst(s, Place::Block),
        }
    }

    fn block(&mut self, s: &Subst) {
        self.indent += 1;
        self.line();
        self.subst(s, Place::Block);
        self.indent -= 1;
        self.line();
    }

    fn guarded(&mut self, opening: &str, p: &Pred, s: &Subst) {
        self.put(opening);
        self.pred(p, 0);
        self.put(" THEN");
        self.block(s);
    }

    fn ended(&mut self, opening: &str, p: &Pred, s: &Subst) {
        self.guarded(opening, p, s);
        self.put("END");
    }

    fn parts(&mut self, list: &[Subst], separator: &str) {
        for (i, s) in list.iter().enumerate() {
            if i > 0 {
                self.put(separator);
                self.line();
            }
            self.subst(s, Place::Part);
        }
    }

    fn targets(&self, list: impl Iterator<Item = Target>) -> String {
        list.map(|t| reference(&self.target(t))).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn subst(&mut self, s: &Subst, place: Place) {
        match &s.kind {
            SubstKind::Skip => self.put("skip"),
            SubstKind::Assign(list) => self.assign(list),
            SubstKind::BecomesIn(_, targets, set) => {
                let names = self.targets(targets.iter().copied());
                self.put(&format!("{names} :: "));
                self.expr(set, 120);
            }
            SubstKind::BecomesSuch(_, pairs, p) => {
                let names = self.targets(pairs.iter().map(|(t, _)| *t));
                self.put(&format!("{names} : ("));
                for (t, l) in pairs {
                    let name = self.target(*t);
                    self.alias(*l, name);
                }
                let outer = std::mem::replace(&mut self.targets, pairs.iter().map(|(t, _)| *t).collect());
                self.pred(p, 0);
                self.targets = outer;
                self.put(")");
            }
            SubstKind::Pre(p, body) => self.ended("PRE ", p, body),
            SubstKind::Assert(_, p, body) => self.ended("ASSERT ", p, body),
            SubstKind::Choice(_, list) => {
                for (i, b) in list.iter().enumerate() {
                    self.put(if i == 0 { "CHOICE" } else { "OR" });
                    self.block(b);
                }
                self.put("END");
            }
            SubstKind::If(branches, other) => {
                for (i, (p, b)) in branches.iter().enumerate() {
                    self.guarded(if i == 0 { "IF " } else { "ELSIF " }, p, b);
                }
                if other.kind != SubstKind::Skip {
                    self.put("ELSE");
                    self.block(other);
                }
                self.put("END");
            }
            SubstKind::Select { branches, otherwise, .. } => {
                for (i, (p, b)) in branches.iter().enumerate() {
                    self.guarded(if i == 0 { "SELECT " } else { "WHEN " }, p, b);
                }
                if let Some(other) = otherwise {
                    self.put("ELSE");
                    self.block(other);
                }
                self.put("END");
            }
            SubstKind::Any(_, ids, p, body) => {
                let names = self.open_all(ids);
                self.put(&format!("ANY {names} WHERE "));
                self.pred(p, 0);
                self.put(" THEN");
                self.block(body);
                self.put("END");
                self.close(ids.len());
            }
            SubstKind::Let(bindings, body) => {
                let count = self.bindings(bindings);
                self.block(body);
                self.put("END");
                self.close(count);
            }
            SubstKind::Var(ids, body) => {
                let names = self.open_all(ids);
                self.put(&format!("VAR {names} IN"));
                self.block(body);
                self.put("END");
                self.close(ids.len());
            }
            SubstKind::Sequence(_) if place != Place::Block => self.begin(s),
            SubstKind::Parallel(_) if place == Place::Part => self.begin(s),
            SubstKind::Sequence(list) => self.parts(list, ";"),
            SubstKind::Parallel(list) => self.parts(list, " ||"),
            SubstKind::While { condition, body, invariant, variant } => {
                self.put("WHILE ");
                self.pred(condition, 0);
                self.put(" DO");
                self.block(body);
                self.put("INVARIANT ");
                self.pred(invariant, 0);
                self.put(" VARIANT ");
                self.expr(variant, 120);
                self.put(" END");
            }
        }
    }

    fn begin(&mut self, s: &Subst) {
        self.put("BEGIN");
        self.block(s);
        self.put("END");
    }

    fn assign(&mut self, list: &[(Target, Expr)]) {
        let mut left = vec![];
        let mut right = vec![];
        for (t, value) in list {
            let (place, value) = self.place(*t, value);
            left.push(place);
            right.push(value);
        }
        for (i, place) in left.iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            match place {
                Ok(name) => self.put(name),
                Err(place) => self.expr(place, 230),
            }
        }
        self.put(" := ");
        for (i, value) in right.iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            self.expr(value, 120);
        }
    }

    // A changed record field has no spelling as an expression, so it is assigned to its place.
    fn place<'e>(&self, t: Target, value: &'e Expr) -> (Result<String, Expr>, &'e Expr) {
        let kind = match t {
            Target::Var(v) => ExprKind::Var(v),
            Target::Local(l) => ExprKind::Local(l),
        };
        let root = kind.typed(value.ty.clone(), value.span);
        match part(&root, value) {
            Some((place, value)) => (Err(place), value),
            None => (Ok(reference(&self.target(t))), value),
        }
    }
}

/// Place and value of an assignment that ends in a changed record field.
fn part<'e>(place: &Expr, value: &'e Expr) -> Option<(Expr, &'e Expr)> {
    match &value.kind {
        ExprKind::WithField(r, label, v) if same_expr(r, place) => {
            let field = ExprKind::Field(Box::new(place.clone()), label.clone()).typed(v.ty.clone(), v.span);
            Some(part(&field, v).unwrap_or((field, v)))
        }
        ExprKind::Binary(BinaryOp::Override, f, change) if same_expr(f, place) => {
            let ExprKind::SetExtension(items) = &change.kind else { return None };
            let [Expr { kind: ExprKind::Binary(BinaryOp::Maplet, k, v), .. }] = items.as_slice() else {
                return None;
            };
            let kind = ExprKind::Apply(Box::new(place.clone()), k.clone());
            part(&kind.typed(v.ty.clone(), v.span), v)
        }
        _ => None,
    }
}

#[derive(Default)]
struct Externals(BTreeSet<&'static str>);

impl Visitor for Externals {
    fn expr(&mut self, e: &Expr) {
        if let ExprKind::External(f, _) = &e.kind {
            self.0.insert(f.library());
        }
        visit::walk_expr(self, e);
    }

    fn pred(&mut self, p: &Pred) {
        if let PredKind::External(f, _) = &p.kind {
            self.0.insert(f.library());
        }
        visit::walk_pred(self, p);
    }
}
