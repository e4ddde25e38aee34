//! Substitutions: types, and the lowering of assignments to parts, `CASE` and outermost `PRE`.

use super::*;
use crate::ast::{ExprKind as Ast, SubstKind as Sub};
use crate::model::visit::Names;

impl Checker {
    /// Returns the body of an operation: its outermost preconditions are guards of the transition system.
    pub(super) fn outermost(&mut self, s: &ast::Subst) -> Subst {
        match &s.kind {
            Sub::Block(inner) => self.outermost(inner),
            Sub::Pre(p, body) => {
                let guard = self.pred(p);
                let body = self.outermost(body);
                let kind = SubstKind::Select {
                    choice: self.choice(),
                    branches: vec![(guard, body)],
                    otherwise: None,
                    from_pre: true,
                };
                kind.at(s.span)
            }
            Sub::Call { results, name, arguments } if results.is_empty() => match self.definition(&name.name)
            {
                Some(entry) if !self.is_external(&name.name) => self
                    .expand(&entry, arguments, s.span, |m, a| m.expand_subst(a), |c, body| c.outermost(body))
                    .unwrap_or(SubstKind::Skip.at(s.span)),
                _ => self.subst(s),
            },
            _ => self.subst(s),
        }
    }

    pub(super) fn subst(&mut self, s: &ast::Subst) -> Subst {
        if !self.descend(s.span) {
            return SubstKind::Skip.at(s.span);
        }
        let typed = self.subst_of(s);
        self.expansion.depth -= 1;
        typed
    }

    fn subst_of(&mut self, s: &ast::Subst) -> Subst {
        let kind = match &s.kind {
            Sub::Skip | Sub::Error => SubstKind::Skip,
            Sub::Block(inner) => return self.subst(inner),
            Sub::Assign(left, right) => self.assign(left, right, s.span),
            Sub::BecomesIn(left, set) => return self.becomes_in(left, set, s.span),
            Sub::BecomesSuch(left, p) => self.becomes_such(left, p),
            Sub::Pre(p, body) => SubstKind::Pre(self.pred(p), Box::new(self.subst(body))),
            Sub::Assert(p, body) => {
                let p = self.proved(|c| c.pred(p));
                SubstKind::Assert(Claim::Assertion, p, Box::new(self.subst(body)))
            }
            Sub::Choice(list) if list.len() == 1 => return self.subst(&list[0]),
            Sub::Choice(list) => {
                SubstKind::Choice(self.choice(), list.iter().map(|s| self.subst(s)).collect())
            }
            Sub::If(list, other) => {
                let branches = self.branches(list);
                let other = match other {
                    Some(s) => self.subst(s),
                    None => SubstKind::Skip.at(s.span),
                };
                SubstKind::If(branches, Box::new(other))
            }
            Sub::Select(list, other) => SubstKind::Select {
                choice: self.choice(),
                branches: self.branches(list),
                otherwise: other.as_ref().map(|s| Box::new(self.subst(s))),
                from_pre: false,
            },
            Sub::Case(e, list, other) => self.case(e, list, other.as_deref(), s.span),
            Sub::Any(ids, p, body) => {
                let choice = self.choice();
                let locals = self.enter(ids);
                let p = self.pred(p);
                let body = self.subst(body);
                self.leave(&locals);
                SubstKind::Any(choice, locals, p, Box::new(body))
            }
            Sub::Let(ids, p, body) => {
                let bindings = self.bindings(ids, p);
                let locals: Vec<LocalId> = bindings.iter().map(|(l, _)| *l).collect();
                self.reopen(&locals);
                let body = self.subst(body);
                self.leave(&locals);
                SubstKind::Let(bindings, Box::new(body))
            }
            Sub::Var(ids, body) => {
                let locals = self.enter(ids);
                self.scope.assignable.extend(&locals);
                let body = self.subst(body);
                self.leave(&locals);
                SubstKind::Var(locals, Box::new(body))
            }
            Sub::While { condition, body, invariant, variant } => {
                let condition = self.pred(condition);
                let body = Box::new(self.subst(body));
                let before = std::mem::replace(&mut self.scope.old_values, true);
                let invariant = self.proved(|c| c.pred(invariant));
                self.scope.old_values = before;
                let variant = self.proved(|c| c.expr(variant));
                self.expect(&variant, &OpenType::Int);
                SubstKind::While { condition, body, invariant, variant }
            }
            Sub::Sequence(list) => {
                let mut parts = vec![];
                for s in list {
                    match self.subst(s) {
                        Subst { kind: SubstKind::Sequence(inner), .. } => parts.extend(inner),
                        other => parts.push(other),
                    }
                }
                SubstKind::Sequence(parts)
            }
            Sub::Parallel(list) => {
                let mut parts = vec![];
                for s in list {
                    match self.subst(s) {
                        Subst { kind: SubstKind::Parallel(inner), .. } => parts.extend(inner),
                        other => parts.push(other),
                    }
                }
                self.disjoint(&parts);
                SubstKind::Parallel(parts)
            }
            Sub::Call { results, name, arguments } => return self.call(results, name, arguments, s.span),
            // The witness is for the proof of a refinement: it does not change the effect of the body.
            Sub::Witness(p, body) => {
                self.pred(p);
                return self.subst(body);
            }
        };
        kind.at(s.span)
    }

    // A formula for a proof may speak of the abstraction.
    fn proved<T>(&mut self, formula: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.scope.visibility;
        if before == Visibility::Behaviour {
            self.scope.visibility = Visibility::Proof;
        }
        let result = formula(self);
        self.scope.visibility = before;
        result
    }

    fn branches(&mut self, list: &[(ast::Expr, ast::Subst)]) -> Vec<(Pred, Subst)> {
        list.iter().map(|(p, s)| (self.pred(p), self.subst(s))).collect()
    }

    pub(super) fn assign(
        &mut self,
        left: &[ast::Expr],
        right: &[ast::Expr],
        span: Span,
    ) -> SubstKind<OpenType> {
        if left.len() != right.len() {
            self.error(
                codes::ARGUMENT_COUNT,
                span,
                format!("{} names on the left, {} values on the right", left.len(), right.len()),
            );
            return SubstKind::Skip;
        }
        let mut list: Vec<(Target, Expr)> = vec![];
        for (l, r) in left.iter().zip(right) {
            let value = self.expr(r);
            let Some((target, value)) = self.assign_part(l, value) else { continue };
            if list.iter().any(|(t, _)| *t == target) {
                self.assigned_twice(target, l.span);
                continue;
            }
            list.push((target, value));
        }
        if list.is_empty() { SubstKind::Skip } else { SubstKind::Assign(list) }
    }

    pub(super) fn assigned_twice(&mut self, target: Target, span: Span) {
        let name = self.target_name(target);
        let message = format!("`{name}` is assigned twice at the same time");
        let help = "assignments joined by `||` or `,` happen together: write one value for it";
        self.report(Diagnostic::error(codes::ASSIGNED_TWICE, span, message).help(help));
    }

    fn target_name(&self, target: Target) -> String {
        match target {
            Target::Var(v) => self.model.variables[v.index()].name.clone(),
            Target::Local(l) => self.model.locals[l.index()].name.clone(),
        }
    }

    /// `f(e) := E` as `f := f <+ {e |-> E}` and `r'a := E` as a record with one field replaced,
    /// down to the name that is assigned.
    pub(super) fn assign_part(&mut self, left: &ast::Expr, value: Expr) -> Option<(Target, Expr)> {
        if let Some((entry, args)) = self.called_definition(left) {
            let args = args.to_vec();
            return self.expand(
                &entry,
                &args,
                left.span,
                |m, a| m.expand_expr(a),
                |c, body| c.assign_part(body, value),
            )?;
        }
        match &left.kind {
            Ast::Ident(name) => {
                let (target, place) = self.target(name, left.span)?;
                let expected = match target {
                    Target::Var(v) => self.model.variables[v.index()].ty.clone(),
                    Target::Local(l) => self.local_type(l),
                };
                if !self.types.unify(&expected, &value.ty) {
                    let remedy = self.remedy(&value, &expected);
                    let (expected, found) = (self.type_text(&expected), self.type_text(&value.ty));
                    let message = format!("`{name}` holds {expected}, this is {found}");
                    let d = Diagnostic::error(codes::TYPE_MISMATCH, value.span, message);
                    self.report(Diagnostic { help: remedy, ..d.label(place, "declared here") });
                }
                Some((target, value))
            }
            Ast::Apply(f, args) => {
                let base = self.expr(f);
                let argument = self.tuple(args, left.span);
                let (relation, a, b) = self.fresh_relation();
                if self.types.unify(&base.ty, &relation) {
                    self.expect(&argument, &a);
                    self.expect(&value, &b);
                } else {
                    let found = self.type_text(&base.ty);
                    let message = format!("only a function can be assigned at one place, this is {found}");
                    self.error(codes::TYPE_MISMATCH, f.span, message);
                }
                let ty = base.ty.clone();
                let pair = couple(argument, value);
                let span = pair.span;
                let change = ExprKind::SetExtension(vec![pair]).typed(ty.clone(), span);
                let kind = ExprKind::Binary(BinaryOp::Override, Box::new(base), Box::new(change));
                self.assign_part(f, kind.typed(ty, left.span))
            }
            Ast::Field(r, label) => {
                let base = self.expr(r);
                self.require(
                    label.span,
                    Constraint::Field(base.ty.clone(), label.name.clone(), value.ty.clone()),
                );
                let ty = base.ty.clone();
                let kind = ExprKind::WithField(Box::new(base), label.name.clone(), Box::new(value));
                self.assign_part(r, kind.typed(ty, left.span))
            }
            Ast::Error => None,
            _ => {
                self.error(codes::NOT_ASSIGNABLE, left.span, "this cannot be assigned to");
                None
            }
        }
    }

    // Returns the target that a name on a left side denotes, with its declaration.
    fn target(&mut self, name: &str, span: Span) -> Option<(Target, Span)> {
        if let Some(l) = self.local(name) {
            let place = self.model.locals[l.index()].span;
            if self.scope.assignable.contains(&l) {
                return Some((Target::Local(l), place));
            }
            self.report(
                Diagnostic::error(codes::NOT_ASSIGNABLE, span, format!("`{name}` cannot be assigned to"))
                    .label(place, "this name is bound here and keeps its value")
                    .help("assign to a variable, or to a name of `VAR`"),
            );
            return None;
        }
        let Some(&(entity, place)) = self.names.globals.get(name) else {
            self.unknown(name, span);
            return None;
        };
        let help = match entity {
            Entity::Const(_) => "what changes is declared in `VARIABLES`",
            _ => "assign to a variable, declared in `VARIABLES`",
        };
        let what = match entity {
            Entity::Var(v) => match self.names.access.get(&v) {
                None => return Some((Target::Var(v), place)),
                Some(access) => return self.not_own(access.clone(), name, span, place),
            },
            Entity::Const(_) => "a constant",
            Entity::Carrier(_) => "a set",
            Entity::Element(..) => "an element of a set",
            Entity::FreeType(_) | Entity::TypeParameter(_) => "a type",
            Entity::Constructor(..) => "a constructor",
        };
        self.report(
            Diagnostic::error(
                codes::NOT_ASSIGNABLE,
                span,
                format!("`{name}` is {what} and cannot be assigned to"),
            )
            .label(place, "declared here")
            .help(help),
        );
        None
    }

    // A variable of another machine.
    fn not_own(&mut self, access: Access, name: &str, span: Span, place: Span) -> Option<(Target, Span)> {
        let (message, help) = match access {
            Access::Included(machine) => (
                format!("`{name}` belongs to machine `{machine}` and cannot be assigned to here"),
                format!("call an operation of `{machine}` that changes it"),
            ),
            Access::Seen(machine) | Access::Used(machine) => (
                format!("`{name}` belongs to machine `{machine}`, which is only seen"),
                "a machine that is seen can be read, not changed".into(),
            ),
            Access::Abstract(machine) => (
                format!("`{name}` is a variable of the abstraction `{machine}` and does not exist here"),
                format!("a variable that is kept is listed again in VARIABLES: `{name}`"),
            ),
        };
        let d = Diagnostic::error(codes::NOT_ASSIGNABLE, span, message);
        self.report(d.label(place, "declared here").help(help));
        None
    }

    fn plain_targets(&mut self, left: &[ast::Expr]) -> Vec<Target> {
        let mut out = vec![];
        for l in left {
            let target = match &l.kind {
                Ast::Ident(name) => match self.definition(name) {
                    Some(entry) => self
                        .expand(
                            &entry,
                            &[],
                            l.span,
                            |m, a| m.expand_expr(a),
                            |c, body| c.plain_targets(std::slice::from_ref(body)),
                        )
                        .and_then(|t| t.first().copied()),
                    None => self.target(name, l.span).map(|t| t.0),
                },
                _ => {
                    self.error(codes::NOT_ASSIGNABLE, l.span, "a variable is expected here");
                    None
                }
            };
            let Some(target) = target else { continue };
            if out.contains(&target) {
                self.assigned_twice(target, l.span);
            } else {
                out.push(target);
            }
        }
        out
    }

    fn target_type(&self, target: Target) -> OpenType {
        match target {
            Target::Var(v) => self.model.variables[v.index()].ty.clone(),
            Target::Local(l) => self.local_type(l),
        }
    }

    fn becomes_in(&mut self, left: &[ast::Expr], set: &ast::Expr, span: Span) -> Subst {
        let choice = self.choice();
        if !left.iter().all(|l| matches!(l.kind, Ast::Ident(_))) {
            return self.becomes_in_parts(choice, left, set, span);
        }
        let set = self.expr(set);
        let targets = self.plain_targets(left);
        if targets.len() != left.len() {
            return SubstKind::Skip.at(span);
        }
        let mut types = targets.iter().map(|t| self.target_type(*t));
        let first = types.next().unwrap_or(OpenType::Error);
        let element = types.fold(first, OpenType::pair);
        self.expect(&set, &OpenType::pow(element));
        SubstKind::BecomesIn(choice, targets, set).at(span)
    }

    /// `f(e) :: S` as `ANY v WHERE v : S THEN f(e) := v END`.
    fn becomes_in_parts(
        &mut self,
        choice: ChoiceId,
        left: &[ast::Expr],
        set: &ast::Expr,
        span: Span,
    ) -> Subst {
        let set = self.expr(set);
        let mut locals = vec![];
        let mut values: Vec<Expr> = vec![];
        for l in left {
            let ty = self.fresh();
            let local = self.new_local("v", l.span, ty.clone());
            locals.push(local);
            values.push(ExprKind::Local(local).typed(ty, l.span));
        }
        let mut list = vec![];
        for (l, v) in left.iter().zip(&values) {
            let Some((target, value)) = self.assign_part(l, v.clone()) else { continue };
            if list.iter().any(|(t, _)| *t == target) {
                self.assigned_twice(target, l.span);
            }
            list.push((target, value));
        }
        let Some(element) = values.into_iter().reduce(couple) else {
            return SubstKind::Skip.at(span);
        };
        self.expect(&set, &OpenType::pow(element.ty.clone()));
        let member = PredKind::Compare(CompareOp::Member, Box::new(element), Box::new(set));
        let body = SubstKind::Assign(list).at(span);
        SubstKind::Any(choice, locals, member.at(span), Box::new(body)).at(span)
    }

    fn becomes_such(&mut self, left: &[ast::Expr], p: &ast::Expr) -> SubstKind<OpenType> {
        let choice = self.choice();
        let targets = self.plain_targets(left);
        let mut pairs = vec![];
        for (target, l) in targets.into_iter().zip(left) {
            let (name, ty) = (self.target_name(target), self.target_type(target));
            pairs.push((target, self.new_local(&name, l.span, ty)));
        }
        let locals: Vec<LocalId> = pairs.iter().map(|(_, l)| *l).collect();
        self.reopen(&locals);
        let before = std::mem::replace(&mut self.scope.old_values, true);
        let p = self.pred(p);
        self.scope.old_values = before;
        self.leave(&locals);
        SubstKind::BecomesSuch(choice, pairs, p)
    }

    /// `CASE` as a chain of `IF`s over membership.
    fn case(
        &mut self,
        e: &ast::Expr,
        list: &[(Vec<ast::Expr>, ast::Subst)],
        other: Option<&ast::Subst>,
        span: Span,
    ) -> SubstKind<OpenType> {
        let e = self.expr(e);
        let mut branches = vec![];
        for (values, body) in list {
            let mut items = vec![];
            for v in values {
                let v = self.expr(v);
                self.expect(&v, &e.ty);
                items.push(v);
            }
            let place = items.first().map_or(span, |v| v.span);
            let kind = match items.len() {
                1 => PredKind::Compare(CompareOp::Equal, Box::new(e.clone()), Box::new(items.remove(0))),
                _ => {
                    let ty = OpenType::pow(e.ty.clone());
                    let set = ExprKind::SetExtension(items).typed(ty, place);
                    PredKind::Compare(CompareOp::Member, Box::new(e.clone()), Box::new(set))
                }
            };
            branches.push((kind.at(place), self.subst(body)));
        }
        let other = match other {
            Some(s) => self.subst(s),
            None => SubstKind::Skip.at(span),
        };
        SubstKind::If(branches, Box::new(other))
    }

    pub(super) fn disjoint(&mut self, parts: &[Subst]) {
        let mut seen: HashSet<Target> = HashSet::new();
        for part in parts {
            let names = Names::of_subst(part);
            let written = names.written.iter().map(|v| Target::Var(*v));
            for target in written.chain(names.written_locals.iter().map(|l| Target::Local(*l))) {
                if !seen.insert(target) {
                    self.assigned_twice(target, part.span);
                }
            }
        }
    }
}
