//! Calls of operations: each is expanded to the body of the operation, with fresh names.
//!
//! Arguments are evaluated first (`LET`), the precondition is kept (calling an operation outside of it is a violation),
//! and results are assigned to the targets at the end.

use std::collections::BTreeMap;

use super::*;
use crate::ast::{Ident, Operation};
use crate::model::visit::{self, Names, VisitorMut};

impl Checker {
    pub(super) fn new_procedure(&mut self, instance: usize, op: &Operation) -> usize {
        self.procedures.push(Procedure {
            name: op.name.name.clone(),
            instance,
            parameters: vec![],
            results: vec![],
            body: SubstKind::Skip.at(op.span),
            refines: vec![],
            span: op.span,
            ready: false,
        });
        self.procedures.len() - 1
    }

    pub(super) fn call(
        &mut self,
        results: &[ast::Expr],
        name: &Ident,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Subst {
        let nothing = SubstKind::Skip.at(span);
        if !self.names.operations.contains_key(&name.name)
            && let Some(external) = self.external(&name.name, span)
        {
            return self.external_subst(&external, arguments, span);
        }
        if let Some(entry) = self.definition(&name.name) {
            if let Some(first) = results.first() {
                self.error(
                    codes::DEFINITION_KIND,
                    first.span,
                    format!("definition `{}` gives no results", name.name),
                );
            }
            return self
                .expand(&entry, arguments, span, |m, a| m.expand_subst(a), |c, body| c.subst(body))
                .unwrap_or(nothing);
        }
        if let Some(callable) = self.names.operations.get(&name.name).cloned()
            && self.may_be_called(&callable, name)
        {
            return self.inlined(results, &callable, name, arguments, span).unwrap_or(nothing);
        }
        let known = self.names.globals.contains_key(&name.name) || self.local(&name.name).is_some();
        if self.names.operations.contains_key(&name.name) {
            // A message was given.
        } else if known {
            self.error(codes::NOT_ASSIGNABLE, name.span, format!("`{}` is not an operation", name.name));
        } else {
            self.unknown_operation(name);
        }
        // Their names are still worth a look.
        for e in results.iter().chain(arguments) {
            self.expr(e);
        }
        nothing
    }

    fn unknown_operation(&mut self, name: &Ident) {
        let callable = self.names.operations.iter().filter(|(_, c)| c.access.is_some() || c.local);
        let near = nearest(&name.name, callable.map(|(n, _)| n.as_str())).map(String::from);
        match near {
            Some(near) if !self.names.uses_others && self.names.unknown_names.insert(name.name.clone()) => {
                self.report(
                    Diagnostic::error(
                        codes::UNKNOWN_IDENTIFIER,
                        name.span,
                        format!("operation `{}` is not declared", name.name),
                    )
                    .meant(&near),
                )
            }
            _ => self.unknown(&name.name, name.span),
        }
    }

    // Reports an operation that may not be called here.
    fn may_be_called(&mut self, callable: &Callable, name: &Ident) -> bool {
        let d = |message: String| Diagnostic::error(codes::ILLEGAL_CALL, name.span, message);
        let problem = match &callable.access {
            None if !callable.local => d(format!(
                "operation `{}` belongs to this machine and cannot be called here",
                name.name
            ))
            .help(
                "only operations of included, imported or seen machines and LOCAL_OPERATIONS can be called; \
                     share the text through DEFINITIONS",
            ),
            Some(Access::Seen(machine) | Access::Used(machine))
                if !Names::of_subst(&self.procedures[callable.procedure].body).written.is_empty() =>
            {
                d(format!("operation `{}` changes the machine `{machine}`, which is only seen", name.name))
                    .help("include the machine, or call operations that only read")
            }
            // Its own mistake was reported.
            _ if !self.procedures[callable.procedure].ready => return false,
            _ => return true,
        };
        self.report(problem.label(callable.span, "declared here"));
        false
    }

    fn inlined(
        &mut self,
        results: &[ast::Expr],
        callable: &Callable,
        name: &Ident,
        arguments: &[ast::Expr],
        span: Span,
    ) -> Option<Subst> {
        let procedure = self.procedures[callable.procedure].clone();
        let counts =
            [("parameters", &procedure.parameters, arguments), ("results", &procedure.results, results)];
        for (what, declared, given) in counts {
            if declared.len() != given.len() {
                let (wanted, given) = (declared.len(), given.len());
                let message = format!("operation `{}` has {wanted} {what}, {given} are given", name.name);
                let d = Diagnostic::error(codes::ARGUMENT_COUNT, name.span, message);
                self.report(d.label(callable.span, "declared here"));
                return None;
            }
        }
        let mut bindings = vec![];
        let mut copy = Renaming::new(self);
        for (parameter, argument) in procedure.parameters.iter().zip(arguments) {
            let fresh = copy.local(*parameter);
            bindings.push((fresh, argument));
        }
        let outputs: Vec<LocalId> = procedure.results.iter().map(|r| copy.local(*r)).collect();
        let mut body = procedure.body.clone();
        called(&mut body);
        copy.subst(&mut body);
        let mut lets = vec![];
        let mut replaced = Replacement::default();
        for (local, argument) in bindings {
            let value = self.expr(argument);
            let ty = self.local_type(local);
            self.expect(&value, &ty);
            if is_simple(&value) {
                replaced.locals.insert(local, value);
            } else {
                self.scope.defined.insert(local);
                lets.push((local, value));
            }
        }
        if !replaced.locals.is_empty() {
            body = replaced.in_subst(&body);
        }
        body = self.with_outputs(results, &outputs, body, span);
        if !lets.is_empty() {
            body = SubstKind::Let(lets, Box::new(body)).at(span);
        }
        // Messages about the whole are for the caller.
        body.span = span;
        Some(body)
    }

    // Writes the results to their targets.
    fn with_outputs(&mut self, targets: &[ast::Expr], outputs: &[LocalId], body: Subst, span: Span) -> Subst {
        let mut list: Vec<(Target, Expr)> = vec![];
        for (target, output) in targets.iter().zip(outputs) {
            let value = ExprKind::Local(*output).typed(self.local_type(*output), target.span);
            let Some((target, value)) = self.assign_part(target, value) else { continue };
            if list.iter().any(|(t, _)| *t == target) {
                self.assigned_twice(target, span);
                continue;
            }
            list.push((target, value));
        }
        if list.is_empty() {
            return body;
        }
        // The target takes the place of the result where the body does not know it otherwise. It has a
        // value before, the result has none: so the body must assign the result, and never read it.
        let names = Names::of_subst(&body);
        let assigned = visit::always_assigned(&body);
        let direct = |(target, value): &(Target, Expr)| {
            matches!(value.kind, ExprKind::Local(output)
                if assigned.contains(&Target::Local(output)) && !names.locals.contains(&output))
                && match target {
                    Target::Var(v) => !names.variables.contains(v) && !names.written.contains(v),
                    Target::Local(l) => !names.locals.contains(l) && !names.written_locals.contains(l),
                }
        };
        if list.len() == outputs.len() && list.iter().all(direct) {
            let mut with = Outputs::default();
            for (target, value) in list {
                if let ExprKind::Local(output) = value.kind {
                    with.0.insert(output, target);
                }
            }
            let mut body = body;
            with.subst(&mut body);
            return body;
        }
        let assign = SubstKind::Assign(list).at(span);
        let parts = SubstKind::Sequence(vec![body, assign]).at(span);
        SubstKind::Var(outputs.to_vec(), Box::new(parts)).at(span)
    }

    /// Returns a copy of a predicate with fresh binders.
    pub(super) fn copied(&mut self, p: &Pred) -> Pred {
        let mut p = p.clone();
        Renaming::new(self).pred(&mut p);
        p
    }

    /// Returns a copy of a substitution with fresh binders and choices.
    pub(super) fn copied_subst(&mut self, s: &Subst) -> Subst {
        let mut s = s.clone();
        Renaming::new(self).subst(&mut s);
        s
    }

    /// Creates a local of the same name and type.
    pub(super) fn copied_local(&mut self, l: LocalId) -> LocalId {
        Renaming::new(self).local(l)
    }

    /// Parameters, results and body of an operation, copied in the same way.
    pub(super) fn copied_procedure(&mut self, procedure: usize) -> (Vec<LocalId>, Vec<LocalId>, Subst) {
        let Procedure { mut parameters, mut results, mut body, .. } = self.procedures[procedure].clone();
        let mut renaming = Renaming::new(self);
        parameters.iter_mut().chain(&mut results).for_each(|l| *l = renaming.local(*l));
        renaming.subst(&mut body);
        (parameters, results, body)
    }
}

// A value that reads the same wherever it stands.
fn is_simple(e: &Expr) -> bool {
    use ExprKind::*;
    matches!(
        e.kind,
        Const(_) | Element(..) | Carrier(_) | Integer(_) | Bool(_) | String(_) | MaxInt | MinInt | Set(_)
    )
}

// The guards of an event that were preconditions are preconditions again.
fn called(s: &mut Subst) {
    let SubstKind::Select { branches, from_pre: true, .. } = &mut s.kind else { return };
    let Some((guard, mut body)) = branches.pop() else { return };
    called(&mut body);
    s.kind = SubstKind::Pre(guard, Box::new(body));
}

/// Gives locals and choices of a tree new ids, so that a copy of it has its own.
struct Renaming<'c> {
    checker: &'c mut Checker,
    locals: BTreeMap<LocalId, LocalId>,
}

impl<'c> Renaming<'c> {
    fn new(checker: &'c mut Checker) -> Self {
        Renaming { checker, locals: BTreeMap::new() }
    }

    fn local(&mut self, l: LocalId) -> LocalId {
        if let Some(known) = self.locals.get(&l) {
            return *known;
        }
        let Variable { name, ty, span } = self.checker.model.locals[l.index()].clone();
        let new = self.checker.new_local(&name, span, ty);
        self.locals.insert(l, new);
        new
    }
}

impl VisitorMut<OpenType> for Renaming<'_> {
    fn expr(&mut self, e: &mut Expr) {
        visit::walk_expr_mut(self, e);
        if let ExprKind::Local(l) = &mut e.kind
            && let Some(new) = self.locals.get(l)
        {
            *l = *new;
        }
    }
    fn binder(&mut self, l: &mut LocalId) {
        *l = self.local(*l);
    }
    fn target(&mut self, t: &mut Target) {
        if let Target::Local(l) = t
            && let Some(new) = self.locals.get(l)
        {
            *l = *new;
        }
    }
    fn choice(&mut self, c: &mut ChoiceId) {
        *c = self.checker.choice();
    }
}

/// Puts targets in the place of results.
#[derive(Default)]
struct Outputs(BTreeMap<LocalId, Target>);

impl VisitorMut<OpenType> for Outputs {
    fn expr(&mut self, e: &mut Expr) {
        visit::walk_expr_mut(self, e);
        if let ExprKind::Local(l) = e.kind
            && let Some(target) = self.0.get(&l)
        {
            e.kind = match target {
                Target::Var(v) => ExprKind::Var(*v),
                Target::Local(l) => ExprKind::Local(*l),
            };
        }
    }
    fn target(&mut self, t: &mut Target) {
        if let Target::Local(l) = t
            && let Some(target) = self.0.get(l)
        {
            *t = *target;
        }
    }
}
