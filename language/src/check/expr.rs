//! Types of expressions.

use super::*;
use crate::ast::visit::FreeNames;
use crate::ast::{BinaryOp as In, Constant, ExprKind as Ast, Ident, Quantifier, UnaryOp as InUnary};
use crate::int::Int;

impl Checker {
    pub(super) fn expr(&mut self, e: &ast::Expr) -> Expr {
        if !self.descend(e.span) {
            return self.erroneous(e.span);
        }
        let typed = self.expr_of(e);
        self.expansion.depth -= 1;
        typed
    }

    fn expr_of(&mut self, e: &ast::Expr) -> Expr {
        match &e.kind {
            Ast::Ident(name) => self.identifier(name, e.span),
            Ast::Apply(f, args) => self.apply(f, args, e.span),
            Ast::Binary(op, l, r) => self.binary(*op, l, r, e),
            Ast::Builtin(f, args) => self.builtin(*f, args, e.span),
            Ast::BuiltinValue(f) => self.builtin_value(*f, e.span),
            Ast::Labelled(_, inner) | Ast::Described(inner, _) => self.expr(inner),
            Ast::Quantified(q, ids, p, value) => match value {
                Some(value) => self.quantified(*q, ids, p, value, e),
                None => self.predicate_as_expression(e),
            },
            Ast::Comprehension(ids, p, value) => self.comprehension(ids, p, value.as_deref(), e.span),
            Ast::SetExtension(items) => self.set_extension(items, e.span),
            Ast::SeqExtension(items) => self.seq_extension(items, e.span),
            Ast::Record(fields) => self.record(fields, e.span, true),
            Ast::Struct(fields) => self.record(fields, e.span, false),
            Ast::If(branches, other) => self.conditional(branches, other.as_deref(), e.span),
            Ast::Let(ids, p, body) => self.let_expr(ids, p, body, e.span),
            Ast::Unary(op, a) => self.unary(*op, a, e),
            Ast::Image(r, s) => self.image(r, s, e.span),
            Ast::Field(r, label) => self.field(r, label, e.span),
            Ast::Tuple(items) => self.tuple(items, e.span),
            Ast::Old(name) => self.old(name, e.span),
            Ast::Operator(name, args) => self.operator_value(name, args, e.span),
            Ast::Substituted(..) => self.predicate_as_expression(e),
            Ast::Error => self.erroneous(e.span),
            Ast::Integer(_)
            | Ast::Real(_)
            | Ast::String(_)
            | Ast::Constant(_)
            | Ast::EmptySet
            | Ast::EmptySeq => self.literal(e),
        }
    }

    fn literal(&mut self, e: &ast::Expr) -> Expr {
        let (kind, ty) = match &e.kind {
            Ast::Integer(text) => (ExprKind::Integer(integer(text)), OpenType::Int),
            Ast::Real(text) => (ExprKind::Real(text.clone()), OpenType::Real),
            Ast::String(text) => (ExprKind::String(text.clone()), OpenType::String),
            Ast::EmptySeq => {
                let t = self.fresh();
                (ExprKind::EmptySet, OpenType::seq(t))
            }
            Ast::Constant(c) => match constant(*c) {
                Some(known) => known,
                None => return self.predicate_as_expression(e),
            },
            _ => (ExprKind::EmptySet, self.fresh_set()),
        };
        kind.typed(ty, e.span)
    }

    pub(super) fn identifier(&mut self, name: &str, span: Span) -> Expr {
        if let Some(l) = self.local(name) {
            return ExprKind::Local(l).typed(self.local_type(l), span);
        }
        if let Some(external) = self.external(name, span) {
            return self.external_expr(&external, &[], span);
        }
        if let Some(entry) = self.definition(name) {
            return self
                .expand(&entry, &[], span, |m, a| m.expand_expr(a), |c, body| c.expr(body))
                .unwrap_or_else(|| self.erroneous(span));
        }
        let Some(&(entity, declared)) = self.names.globals.get(name) else {
            if self.names.operations.contains_key(name) {
                self.not_supported(span, &format!("the operation `{name}` in an expression"));
            } else {
                self.unknown(name, span);
            }
            return self.erroneous(span);
        };
        if self.scope.visibility == Visibility::Properties && self.is_parameter(entity) {
            self.report(
                Diagnostic::error(
                    codes::NOT_VISIBLE,
                    span,
                    format!("the machine parameter `{name}` may not be used in PROPERTIES"),
                )
                .label(declared, "declared here"),
            );
        }
        let (kind, ty) = match entity {
            Entity::Carrier(c) => (ExprKind::Carrier(c), OpenType::pow(OpenType::Carrier(c))),
            Entity::Element(c, i) => (ExprKind::Element(c, i), OpenType::Carrier(c)),
            Entity::FreeType(id) => return self.free_set(id, None, span),
            Entity::Constructor(id, i) => return self.constructor(id, i, span),
            Entity::TypeParameter(i) => (ExprKind::TypeParameter(i), OpenType::pow(OpenType::Parameter(i))),
            Entity::Const(c) => (ExprKind::Const(c), self.model.constants[c.index()].ty.clone()),
            Entity::Var(v) => {
                self.check_readable(v, name, span, declared);
                (ExprKind::Var(v), self.model.variables[v.index()].ty.clone())
            }
        };
        kind.typed(ty, span)
    }

    fn old(&mut self, name: &str, span: Span) -> Expr {
        if let Some(l) = self.old_local(name) {
            return ExprKind::Local(l).typed(self.local_type(l), span);
        }
        match self.names.globals.get(name) {
            Some(&(Entity::Var(v), declared)) => {
                self.check_readable(v, name, span, declared);
                if !self.scope.old_values {
                    self.error(
                        codes::OLD_VALUE,
                        span,
                        format!("`{name}$0` may only be used in `: (P)` and in the invariant of a loop"),
                    );
                }
                ExprKind::Old(v).typed(self.model.variables[v.index()].ty.clone(), span)
            }
            Some(_) => {
                self.error(codes::OLD_VALUE, span, format!("`{name}$0` needs a variable"));
                self.erroneous(span)
            }
            None => {
                self.unknown(name, span);
                self.erroneous(span)
            }
        }
    }

    // In `x : (P)` the name `x` of a result or VAR local is shadowed by its new value.
    fn old_local(&self, name: &str) -> Option<LocalId> {
        self.scope
            .locals
            .iter()
            .rev()
            .map(|(n, l)| (n, *l))
            .find(|(n, l)| *n == name && self.scope.assignable.contains(l))
            .map(|p| p.1)
    }

    pub(super) fn predicate_as_expression(&mut self, e: &ast::Expr) -> Expr {
        self.report(
            Diagnostic::error(
                codes::NOT_AN_EXPRESSION,
                e.span,
                "this is a predicate, an expression is expected",
            )
            .help("`bool(P)` is the Boolean value of a predicate"),
        );
        self.erroneous(e.span)
    }

    fn apply(&mut self, f: &ast::Expr, args: &[ast::Expr], span: Span) -> Expr {
        if let Ast::Ident(name) = &f.kind
            && let Some(external) = self.external(name, span)
        {
            return self.external_expr(&external, args, span);
        }
        if let Ast::Ident(name) = &f.kind
            && self.local(name).is_none()
            && let Some(&(Entity::FreeType(id), _)) = self.names.globals.get(name)
        {
            return self.free_set(id, Some(args), span);
        }
        if let Ast::Ident(name) = &f.kind
            && let Some(entry) = self.definition(name)
            && !entry.parameters.is_empty()
        {
            return self
                .expand(&entry, args, span, |m, a| m.expand_expr(a), |c, body| c.expr(body))
                .unwrap_or_else(|| self.erroneous(span));
        }
        if let (Ast::BuiltinValue(b), [_]) = (&f.kind, args)
            && matches!(b, ast::BuiltinFn::Prj1 | ast::BuiltinFn::Prj2)
        {
            return self.builtin(*b, args, span);
        }
        let f = self.expr(f);
        let x = self.tuple(args, span);
        let (relation, a, b) = self.fresh_relation();
        if !self.types.unify(&f.ty, &relation) {
            let found = self.type_text(&f.ty);
            let mut d = Diagnostic::error(
                codes::TYPE_MISMATCH,
                f.span,
                format!("only a function can be applied, this is {found}"),
            );
            if let Some(place) = self.declaration(&f) {
                d = d.label(place, "declared here");
            }
            self.report(d);
            return self.erroneous(span);
        }
        self.expect(&x, &a);
        ExprKind::Apply(Box::new(f), Box::new(x)).typed(b, span)
    }

    /// Returns a left-nested couple; a single item is itself.
    pub(super) fn tuple(&mut self, items: &[ast::Expr], span: Span) -> Expr {
        let mut items = items.iter();
        let Some(first) = items.next() else { return self.erroneous(span) };
        let mut result = self.expr(first);
        for item in items {
            let item = self.expr(item);
            result = couple(result, item);
        }
        result
    }

    /// Returns the type of the elements that several locals form.
    pub(super) fn tuple_type(&self, locals: &[LocalId]) -> OpenType {
        let mut types = locals.iter().map(|&l| self.local_type(l));
        let first = types.next().unwrap_or(OpenType::Error);
        types.fold(first, OpenType::pair)
    }

    fn unary(&mut self, op: InUnary, a: &ast::Expr, e: &ast::Expr) -> Expr {
        match op {
            InUnary::Not => self.predicate_as_expression(e),
            InUnary::Inverse => {
                let r = self.expr(a);
                let (relation, x, y) = self.fresh_relation();
                self.expect(&r, &relation);
                ExprKind::Unary(UnaryOp::Inverse, Box::new(r)).typed(OpenType::relation(y, x), e.span)
            }
            InUnary::Minus => {
                let a = self.expr(a);
                // A literal, so that the rest of the program sees a number.
                if let ExprKind::Integer(n) = &a.kind
                    && !n.is_negative()
                {
                    return ExprKind::Integer(-n).typed(OpenType::Int, e.span);
                }
                self.require(a.span, Constraint::Number(a.ty.clone()));
                let ty = a.ty.clone();
                ExprKind::Unary(UnaryOp::Negate, Box::new(a)).typed(ty, e.span)
            }
        }
    }

    fn image(&mut self, r: &ast::Expr, s: &ast::Expr, span: Span) -> Expr {
        let (r, s) = (self.expr(r), self.expr(s));
        if self.is_image_of_element(&r, &s) {
            return self.erroneous(span);
        }
        let (relation, a, b) = self.fresh_relation();
        self.expect(&r, &relation);
        self.expect(&s, &OpenType::pow(a));
        ExprKind::Binary(BinaryOp::Image, Box::new(r), Box::new(s)).typed(OpenType::pow(b), span)
    }

    fn field(&mut self, r: &ast::Expr, label: &Ident, span: Span) -> Expr {
        let r = self.expr(r);
        let ty = self.fresh();
        self.require(label.span, Constraint::Field(r.ty.clone(), label.name.clone(), ty.clone()));
        ExprKind::Field(Box::new(r), label.name.clone()).typed(ty, span)
    }

    fn quantified(
        &mut self,
        q: Quantifier,
        ids: &[Ident],
        p: &ast::Expr,
        value: &ast::Expr,
        e: &ast::Expr,
    ) -> Expr {
        let locals = self.enter(ids);
        let p = self.pred(p);
        let v = self.expr(value);
        self.leave(&locals);
        let (op, ty) = match q {
            Quantifier::Lambda => {
                (QuantOp::Lambda, OpenType::relation(self.tuple_type(&locals), v.ty.clone()))
            }
            Quantifier::Union | Quantifier::Inter => {
                let set = self.fresh_set();
                self.expect(&v, &set);
                (if q == Quantifier::Union { QuantOp::Union } else { QuantOp::Inter }, set)
            }
            Quantifier::Sigma | Quantifier::Pi => {
                self.require(v.span, Constraint::Number(v.ty.clone()));
                (if q == Quantifier::Sigma { QuantOp::Sigma } else { QuantOp::Pi }, v.ty.clone())
            }
            Quantifier::Forall | Quantifier::Exists => return self.predicate_as_expression(e),
        };
        ExprKind::Quantified(op, locals, Box::new(p), Box::new(v)).typed(ty, e.span)
    }

    fn comprehension(&mut self, ids: &[Ident], p: &ast::Expr, value: Option<&ast::Expr>, span: Span) -> Expr {
        let locals = self.enter(ids);
        let p = Box::new(self.pred(p));
        let value = value.map(|v| self.expr(v));
        self.leave(&locals);
        match value {
            None => {
                let ty = OpenType::pow(self.tuple_type(&locals));
                ExprKind::Comprehension(locals, p).typed(ty, span)
            }
            Some(v) => {
                let ty = OpenType::pow(v.ty.clone());
                ExprKind::Quantified(QuantOp::Image, locals, p, Box::new(v)).typed(ty, span)
            }
        }
    }

    fn set_extension(&mut self, items: &[ast::Expr], span: Span) -> Expr {
        let (items, ty) = self.elements(items);
        ExprKind::SetExtension(items).typed(OpenType::pow(ty), span)
    }

    fn seq_extension(&mut self, items: &[ast::Expr], span: Span) -> Expr {
        let (items, ty) = self.elements(items);
        ExprKind::SeqExtension(items).typed(OpenType::seq(ty), span)
    }

    fn elements(&mut self, items: &[ast::Expr]) -> (Vec<Expr>, OpenType) {
        let ty = self.fresh();
        let mut out = vec![];
        for item in items {
            let item = self.expr(item);
            self.expect(&item, &ty);
            out.push(item);
        }
        (out, ty)
    }

    fn record(&mut self, fields: &[(Ident, ast::Expr)], span: Span, value: bool) -> Expr {
        let mut out: Vec<(String, Expr)> = vec![];
        for (label, e) in fields {
            if out.iter().any(|(l, _)| *l == label.name) {
                self.error(
                    codes::DUPLICATE_FIELD,
                    label.span,
                    format!("field `{}` occurs twice", label.name),
                );
                continue;
            }
            let e = self.expr(e);
            out.push((label.name.clone(), e));
        }
        out.sort_by(|a, b| a.0.cmp(&b.0));
        let mut types = vec![];
        for (label, e) in &out {
            let ty = if value {
                e.ty.clone()
            } else {
                let element = self.fresh();
                self.expect(e, &OpenType::pow(element.clone()));
                element
            };
            types.push((label.clone(), ty));
        }
        let ty = OpenType::Record(types);
        if value {
            ExprKind::Record(out).typed(ty, span)
        } else {
            ExprKind::Struct(out).typed(OpenType::pow(ty), span)
        }
    }

    fn conditional(
        &mut self,
        branches: &[(ast::Expr, ast::Expr)],
        other: Option<&ast::Expr>,
        span: Span,
    ) -> Expr {
        let checked: Vec<(Pred, Expr)> = branches.iter().map(|(p, v)| (self.pred(p), self.expr(v))).collect();
        let Some(other) = other else {
            self.error(codes::NOT_AN_EXPRESSION, span, "an IF expression needs an ELSE");
            return self.erroneous(span);
        };
        let mut result = self.expr(other);
        for (p, v) in checked.into_iter().rev() {
            self.expect(&v, &result.ty);
            let ty = v.ty.clone();
            result = ExprKind::If(Box::new(p), Box::new(v), Box::new(result)).typed(ty, span);
        }
        result
    }

    fn let_expr(&mut self, ids: &[Ident], p: &ast::Expr, body: &ast::Expr, span: Span) -> Expr {
        let bindings = self.bindings(ids, p);
        let locals: Vec<LocalId> = bindings.iter().map(|(l, _)| *l).collect();
        self.reopen(&locals);
        let body = self.expr(body);
        self.leave(&locals);
        let ty = body.ty.clone();
        ExprKind::Let(bindings, Box::new(body)).typed(ty, span)
    }

    /// Returns the equations `x = E & …` of a `LET`. Their right sides are outside the scope of the names.
    pub(super) fn bindings(&mut self, ids: &[Ident], p: &ast::Expr) -> Vec<(LocalId, Expr)> {
        let mut equations: Vec<Option<&ast::Expr>> = vec![None; ids.len()];
        let said = self.diagnostics.len();
        let mut parts = vec![p];
        while let Some(part) = parts.pop() {
            match &part.kind {
                Ast::Binary(In::And, l, r) => parts.extend([&**r, &**l]),
                Ast::Labelled(_, inner) | Ast::Described(inner, _) => parts.push(inner),
                Ast::Error => {}
                Ast::Binary(In::Equal, l, r) if matches!(&l.kind, Ast::Ident(n) if ids.iter().any(|i| i.name == *n)) =>
                {
                    let at = ids.iter().position(|i| matches!(&l.kind, Ast::Ident(n) if i.name == *n));
                    if let Some(at) = at
                        && equations[at].replace(r).is_some()
                    {
                        self.error(
                            codes::BAD_LET,
                            part.span,
                            format!("`{}` is given twice in this LET", ids[at].name),
                        );
                    }
                }
                _ => self.error(
                    codes::BAD_LET,
                    part.span,
                    "a LET has an equation `x = E` for each of its names and nothing else",
                ),
            }
        }
        let locals = self.enter(ids);
        self.leave(&locals);
        self.scope.defined.extend(&locals);
        let mut out = vec![];
        for ((id, l), equation) in ids.iter().zip(locals).zip(equations) {
            let value = match equation {
                Some(e) if self.is_circular(ids, e) => self.erroneous(e.span),
                Some(e) => self.expr(e),
                None => {
                    if self.diagnostics.len() == said {
                        let message = format!("LET gives no value for `{}`", id.name);
                        self.error(codes::BAD_LET, id.span, message);
                    }
                    self.erroneous(id.span)
                }
            };
            let ty = self.local_type(l);
            self.types.unify(&ty, &value.ty);
            out.push((l, value));
        }
        out
    }
}

impl Checker {
    // The names of a LET are not visible in its equations.
    fn is_circular(&mut self, ids: &[Ident], e: &ast::Expr) -> bool {
        let names = FreeNames::of_expr(e);
        let Some(id) = ids.iter().find(|id| names.contains(&id.name) && !self.is_declared(&id.name)) else {
            return false;
        };
        let message = format!("`{}` is a name of this LET and cannot be used in its equations", id.name);
        self.report(
            Diagnostic::error(codes::BAD_LET, e.span, message)
                .label(id.span, "this name")
                .help("an equation that needs another one stands in a LET inside the first"),
        );
        true
    }
}

fn integer(text: &str) -> Int {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => num_bigint::BigInt::parse_bytes(hex.as_bytes(), 16),
        None => num_bigint::BigInt::parse_bytes(text.as_bytes(), 10),
    };
    parsed.map_or(Int::ZERO, Int::from)
}

fn constant(c: Constant) -> Option<(ExprKind<OpenType>, OpenType)> {
    let set = |s, t| Some((ExprKind::Set(s), OpenType::pow(t)));
    match c {
        Constant::Integer => set(BuiltinSet::Integer, OpenType::Int),
        Constant::Natural => set(BuiltinSet::Natural, OpenType::Int),
        Constant::Natural1 => set(BuiltinSet::Natural1, OpenType::Int),
        Constant::Int => set(BuiltinSet::Int, OpenType::Int),
        Constant::Nat => set(BuiltinSet::Nat, OpenType::Int),
        Constant::Nat1 => set(BuiltinSet::Nat1, OpenType::Int),
        Constant::Bool => set(BuiltinSet::Bool, OpenType::Bool),
        Constant::Str => set(BuiltinSet::String, OpenType::String),
        Constant::Real => set(BuiltinSet::Real, OpenType::Real),
        Constant::Float => set(BuiltinSet::Float, OpenType::Real),
        Constant::True => Some((ExprKind::Bool(true), OpenType::Bool)),
        Constant::False => Some((ExprKind::Bool(false), OpenType::Bool)),
        Constant::MaxInt => Some((ExprKind::MaxInt, OpenType::Int)),
        Constant::MinInt => Some((ExprKind::MinInt, OpenType::Int)),
        Constant::Btrue | Constant::Bfalse => None,
    }
}
