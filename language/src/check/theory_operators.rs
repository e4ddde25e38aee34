//! Operators and data types of theories.
//!
//! A data type becomes a free type at its first use. A direct definition is expanded at its uses, with arguments for
//! its parameters. A definition by cases becomes an operator of the model for each use, since its type parameters
//! differ; one with axioms alone becomes an operator without a value. An operator that a theory maps to one of
//! classical B is that operator. A condition under which an operator has a value is checked wherever it is used, for
//! every kind of definition and every file.

use super::*;
use crate::ast::{BinaryOp as In, BuiltinFn, Ident};
use crate::eventb::project::{self, Definition, Theory};
use crate::model::types::{CarrierId, FreeTypeId};
use crate::model::visit::{self, Names};
use crate::tuning::Tuning;

enum Typed {
    Value(Expr),
    Truth(Pred),
}

impl Checker {
    /// Returns a call of an operator with a value.
    pub(super) fn operator_value(&mut self, name: &Ident, args: &[ast::Expr], span: Span) -> Expr {
        match self.operator(name, args, span, false) {
            Typed::Value(e) => e,
            Typed::Truth(_) => self.erroneous(span),
        }
    }

    /// Returns a call of an operator that is a predicate.
    pub(super) fn operator_truth(&mut self, name: &Ident, args: &[ast::Expr], span: Span) -> Pred {
        match self.operator(name, args, span, true) {
            Typed::Truth(p) => p,
            Typed::Value(_) => PredKind::True.at(span),
        }
    }

    fn operator(&mut self, name: &Ident, args: &[ast::Expr], span: Span, truth: bool) -> Typed {
        let nothing = Typed::Value(self.erroneous(span));
        let Some(symbol) = self.theories.symbol(&name.name) else {
            let known: Vec<&str> = self.theories.all.iter().map(|t| t.name.as_str()).collect();
            let help = if known.is_empty() {
                "the package or project brings no theories along".to_string()
            } else {
                format!("its theories are: {}", known.join(", "))
            };
            let message = format!("no theory defines the operator `{}`", name.name);
            self.report(Diagnostic::error(codes::UNKNOWN_IDENTIFIER, span, message).help(help));
            return nothing;
        };
        match symbol {
            Symbol::Type(t, d) => Typed::Value(match self.data_type(t, d) {
                DataType::Free(id) => self.free_set(id, Some(args), span),
                DataType::Carrier(c) => ExprKind::Carrier(c).typed(OpenType::pow(OpenType::Carrier(c)), span),
            }),
            Symbol::Constructor(t, d, c) => {
                let DataType::Free(id) = self.data_type(t, d) else { return nothing };
                let wanted = self.theories.all[t].data_types[d].constructors[c as usize].1.len();
                if !self.count(name, wanted, args, span) {
                    return nothing;
                }
                let f = self.constructor(id, c, span);
                Typed::Value(if wanted == 0 { f } else { self.applied(f, args, span) })
            }
            Symbol::Destructor(t, d, c, part) => {
                let DataType::Free(id) = self.data_type(t, d) else { return nothing };
                if !self.count(name, 1, args, span) {
                    return nothing;
                }
                let parts = self.theories.all[t].data_types[d].constructors[c as usize].1.len();
                let value = self.expr(&args[0]);
                Typed::Value(self.part(id, c, part, parts, value, span))
            }
            Symbol::Operator(t, o) => {
                let theory = self.theories.all[t].clone();
                let operator = &theory.operators[o];
                if !self.count(name, operator.parameters.len(), args, span) {
                    return nothing;
                }
                self.expansion.count += 1;
                if self.expansion.count > Tuning::DEFAULT.check.expansions
                    || self.expansion.places.len() > Tuning::DEFAULT.depth.expanded
                {
                    let message = "this is too large once its operators are expanded";
                    self.error(codes::CYCLIC_DEFINITION, span, message);
                    return nothing;
                }
                if let Some(e) = self.mapped(&operator.name.name, args, span) {
                    return Typed::Value(e);
                }
                self.expansion.places.push(span);
                let result = match &operator.definition {
                    Definition::Direct(body) => self.direct(&theory, operator, body, args, span, truth),
                    _ => self.by_cases(&theory, operator, args, span, truth),
                };
                self.expansion.places.pop();
                result
            }
        }
    }

    fn count(&mut self, name: &Ident, wanted: usize, args: &[ast::Expr], span: Span) -> bool {
        if wanted != args.len() {
            let message = format!(
                "operator `{}` has {wanted} parameters, {} arguments are given",
                name.name,
                args.len()
            );
            self.error(codes::ARGUMENT_COUNT, span, message);
        }
        wanted == args.len()
    }

    fn data_type(&mut self, theory: usize, position: usize) -> DataType {
        let theory = self.theories.all[theory].clone();
        let data = &theory.data_types[position];
        let name = &data.name.name;
        if let Some(known) = self.theories.types.get(name) {
            return *known;
        }
        if data.constructors.is_empty() {
            let c = CarrierId(self.model.types.carriers.len() as u32);
            let carrier = Carrier { name: name.clone(), kind: CarrierKind::Deferred, span: data.name.span };
            self.model.types.carriers.push(carrier);
            self.theories.types.insert(name.clone(), DataType::Carrier(c));
            return DataType::Carrier(c);
        }
        let id = FreeTypeId(self.model.types.free_types.len() as u32);
        self.theories.types.insert(name.clone(), DataType::Free(id));
        // Its arguments may speak of the type itself.
        let bare = |n: &Ident, parts: &[(Ident, ast::Expr)]| Constructor {
            name: n.name.clone(),
            argument: None,
            destructors: parts.iter().map(|(d, _)| d.name.clone()).collect(),
            span: n.span,
        };
        self.model.types.free_types.push(FreeType {
            name: name.clone(),
            parameters: data.parameters.len() as u32,
            constructors: data.constructors.iter().map(|(n, parts)| bare(n, parts)).collect(),
            span: data.name.span,
        });
        let scope = std::mem::take(&mut self.scope.locals);
        let mut hidden = vec![];
        for (i, p) in data.parameters.iter().enumerate() {
            let before =
                self.names.globals.insert(p.clone(), (Entity::TypeParameter(i as u32), data.name.span));
            hidden.push((p.clone(), before));
        }
        for (c, (_, parts)) in data.constructors.iter().enumerate() {
            let mut sets = vec![];
            for (_, tree) in parts {
                let mut set = self.expr(tree);
                let element = self.fresh();
                self.expect(&set, &OpenType::pow(element));
                set.ty = self.types.settled(&set.ty);
                sets.push(set);
            }
            let argument = sets.into_iter().reduce(|l, r| {
                let element = |e: &Expr| e.ty.element().cloned().unwrap_or(OpenType::Error);
                let (ty, span) = (OpenType::relation(element(&l), element(&r)), l.span);
                ExprKind::Binary(BinaryOp::Cartesian, Box::new(l), Box::new(r)).typed(ty, span)
            });
            self.model.types.free_types[id.index()].constructors[c].argument = argument;
        }
        for (name, before) in hidden.into_iter().rev() {
            match before {
                Some(entity) => drop(self.names.globals.insert(name, entity)),
                None => drop(self.names.globals.remove(&name)),
            }
        }
        self.scope.locals = scope;
        DataType::Free(id)
    }

    // `f(a, b)`
    fn applied(&mut self, f: Expr, args: &[ast::Expr], span: Span) -> Expr {
        let x = self.tuple(args, span);
        let (relation, a, b) = self.fresh_relation();
        self.expect(&f, &relation);
        self.expect(&x, &a);
        ExprKind::Apply(Box::new(f), Box::new(x)).typed(b, span)
    }

    // Returns a component of the argument of a constructor.
    fn part(&mut self, id: FreeTypeId, c: u32, part: usize, parts: usize, value: Expr, span: Span) -> Expr {
        let f = self.constructor(id, c, span);
        let (relation, a, b) = self.fresh_relation();
        self.expect(&f, &relation);
        self.expect(&value, &b);
        let inverse =
            ExprKind::Unary(UnaryOp::Inverse, Box::new(f)).typed(OpenType::relation(b, a.clone()), span);
        let mut e = ExprKind::Apply(Box::new(inverse), Box::new(value)).typed(a, span);
        for i in (part.max(1)..parts).rev() {
            let op = if i == part { UnaryOp::SecondOf } else { UnaryOp::FirstOf };
            let (l, r) = (self.fresh(), self.fresh());
            self.expect(&e, &OpenType::pair(l.clone(), r.clone()));
            let ty = if op == UnaryOp::SecondOf { r } else { l };
            e = ExprKind::Unary(op, Box::new(e)).typed(ty, span);
            if op == UnaryOp::SecondOf {
                break;
            }
        }
        e
    }

    // Operators that classical B has.
    fn mapped(&mut self, name: &str, args: &[ast::Expr], span: Span) -> Option<Expr> {
        let operator = self.theories.mapping(name)?;
        let builtin = match operator.as_str() {
            "closure1" => BuiltinFn::Closure1,
            "closure" => BuiltinFn::Closure,
            "seq" => BuiltinFn::Seq,
            "seq1" => BuiltinFn::Seq1,
            "iseq" => BuiltinFn::Iseq,
            "iseq1" => BuiltinFn::Iseq1,
            "perm" => BuiltinFn::Perm,
            "first" => BuiltinFn::First,
            "last" => BuiltinFn::Last,
            "front" => BuiltinFn::Front,
            "tail" => BuiltinFn::Tail,
            "size" => BuiltinFn::Size,
            "rev" => BuiltinFn::Rev,
            "SIGMA" | "PI" => return self.folded(operator == "SIGMA", args, span),
            "concat" => return self.infix(In::Concat, args, span),
            "append" => return self.infix(In::Append, args, span),
            "prepend" => return self.infix(In::Prepend, args, span),
            "choose" => {
                let [s] = args else { return None };
                let s = self.expr(s);
                let element = self.fresh();
                self.expect(&s, &OpenType::pow(element.clone()));
                let kind = ExprKind::External(ExternalFunction::Choose, vec![s]);
                return Some(kind.typed(element, span));
            }
            _ => return None,
        };
        (args.len() == 1).then(|| self.builtin(builtin, args, span))
    }

    fn infix(&mut self, op: In, args: &[ast::Expr], span: Span) -> Option<Expr> {
        let [l, r] = args else { return None };
        let whole = ast::ExprKind::Error.at(span);
        Some(self.binary(op, l, r, &whole))
    }

    // The sum or product of the second parts of a relation's pairs.
    fn folded(&mut self, sum: bool, args: &[ast::Expr], span: Span) -> Option<Expr> {
        let [s] = args else { return None };
        let s = self.expr(s);
        let a = self.fresh();
        self.expect(&s, &OpenType::relation(a.clone(), OpenType::Int));
        let pair = OpenType::pair(a, OpenType::Int);
        let l = self.new_local("pair", span, pair.clone());
        let element = ExprKind::Local(l).typed(pair, span);
        let member = PredKind::Compare(CompareOp::Member, Box::new(element.clone()), Box::new(s));
        let second = ExprKind::Unary(UnaryOp::SecondOf, Box::new(element)).typed(OpenType::Int, span);
        let op = if sum { QuantOp::Sigma } else { QuantOp::Pi };
        let p = Box::new(member.at(span));
        Some(ExprKind::Quantified(op, vec![l], p, Box::new(second)).typed(OpenType::Int, span))
    }

    // Type parameters and parameters as names of the scope; the caller restores the outer scope.
    fn open_operator(
        &mut self,
        theory: &Theory,
        operator: &project::Operator,
        span: Span,
    ) -> (Vec<LocalId>, Vec<LocalId>) {
        let mut types = vec![];
        for name in &theory.parameters {
            let element = self.fresh();
            types.push(self.new_local(name, span, OpenType::pow(element)));
        }
        self.reopen(&types);
        let mut parameters = vec![];
        for (id, tree) in &operator.parameters {
            let set = self.expr(tree);
            let ty = self.fresh();
            self.expect(&set, &OpenType::pow(ty.clone()));
            parameters.push(self.new_local(&id.name, id.span, ty));
        }
        self.reopen(&parameters);
        // Their types come from the arguments alone.
        self.scope.defined.extend(types.iter().chain(&parameters));
        (types, parameters)
    }

    // The sets of all values for type parameters.
    fn whole_types(&self, types: &[LocalId], span: Span) -> Replacement {
        let mut replacement = Replacement::default();
        for &l in types {
            let element = self.local_type(l).element().cloned().unwrap_or(OpenType::Error);
            replacement.locals.insert(l, builtin::whole_type(element, span));
        }
        replacement
    }

    fn direct(
        &mut self,
        theory: &Theory,
        operator: &project::Operator,
        body: &ast::Expr,
        args: &[ast::Expr],
        span: Span,
        truth: bool,
    ) -> Typed {
        let args: Vec<Expr> = args.iter().map(|a| self.expr(a)).collect();
        let scope = std::mem::take(&mut self.scope.locals);
        let (types, parameters) = self.open_operator(theory, operator, span);
        for (a, l) in args.iter().zip(&parameters) {
            let ty = self.local_type(*l);
            self.expect(a, &ty);
        }
        let body = if truth { Typed::Truth(self.pred(body)) } else { Typed::Value(self.expr(body)) };
        let body = self.under_condition(operator, body, span);
        self.scope.locals = scope;
        self.applied_to(&types, parameters, args, body, span)
    }

    /// Restricts the result of an operator to its condition; elsewhere it has no value, which `ASSERT_EXPR` and
    /// `ASSERT_TRUE` express. The parameters of the operator are in scope.
    ///
    /// This is the obligation that the theory plug-in makes of every use of an operator (Butler, Maamria: *Practical
    /// theory extension in Event-B*, 2013). An operator that a package maps to one of classical B has the condition of
    /// that operator instead.
    fn under_condition(&mut self, operator: &project::Operator, body: Typed, span: Span) -> Typed {
        let Some(tree) = &operator.condition else { return body };
        let condition = self.pred(tree);
        if condition.kind == PredKind::True {
            return body;
        }
        let text = format!("operator {} is used outside of its condition", operator.name.name);
        // Only the condition has a place: messages show it.
        let at = |kind: ExprKind<OpenType>, ty| kind.typed(ty, span);
        let message = at(ExprKind::String(text), OpenType::String);
        let holds = at(ExprKind::BoolOf(Box::new(condition)), OpenType::Bool);
        match body {
            Typed::Value(e) => {
                let ty = e.ty.clone();
                let kind = ExprKind::External(ExternalFunction::AssertExpr, vec![holds, message, e]);
                Typed::Value(kind.typed(ty, span))
            }
            Typed::Truth(p) => {
                let kind = PredKind::External(ExternalFunction::AssertTrue, vec![holds, message]);
                let mut all = vec![kind.at(span)];
                match p.kind {
                    PredKind::And(list) => all.extend(list),
                    kind => all.push(kind.at(p.span)),
                }
                Typed::Truth(PredKind::And(all).at(span))
            }
        }
    }

    /// The body of an operator with the arguments of a use in the place of its parameters.
    fn applied_to(
        &mut self,
        types: &[LocalId],
        parameters: Vec<LocalId>,
        args: Vec<Expr>,
        body: Typed,
        span: Span,
    ) -> Typed {
        let mut replacement = self.whole_types(types, span);
        let mut bindings = vec![];
        for (a, l) in args.into_iter().zip(parameters) {
            // A second copy of an argument would bind its names twice.
            if !visit::binds(&a) {
                replacement.locals.insert(l, a);
            } else {
                bindings.push((l, a));
            }
        }
        match body {
            Typed::Value(e) => {
                let e = replacement.in_expr(&e);
                if bindings.is_empty() {
                    return Typed::Value(e);
                }
                let ty = e.ty.clone();
                Typed::Value(ExprKind::Let(bindings, Box::new(e)).typed(ty, span))
            }
            Typed::Truth(p) => {
                let p = replacement.in_pred(&p);
                if bindings.is_empty() {
                    return Typed::Truth(p);
                }
                Typed::Truth(PredKind::Let(bindings, Box::new(p)).at(span))
            }
        }
    }

    fn by_cases(
        &mut self,
        theory: &Theory,
        operator: &project::Operator,
        args: &[ast::Expr],
        span: Span,
        truth: bool,
    ) -> Typed {
        let args: Vec<Expr> = args.iter().map(|a| self.expr(a)).collect();
        let name = &operator.name.name;
        let open = self.theories.open.iter().rev().find(|o| o.0 == *name).cloned();
        let (id, types, result) = match open {
            Some((_, id, types, result)) => (id, types, result),
            None => self.instance(theory, operator, span, truth),
        };
        for (a, ty) in args.iter().zip(&types) {
            self.expect(a, ty);
        }
        let call = |args| match truth {
            true => Typed::Truth(PredKind::Call(id, args).at(span)),
            false => Typed::Value(ExprKind::Call(id, args).typed(result, span)),
        };
        if operator.condition.is_none() {
            return call(args);
        }
        let scope = std::mem::take(&mut self.scope.locals);
        let (set_types, parameters) = self.open_operator(theory, operator, span);
        let mut own = vec![];
        for (l, ty) in parameters.iter().zip(&types) {
            let local = ExprKind::Local(*l).typed(self.local_type(*l), span);
            self.expect(&local, ty);
            own.push(local);
        }
        let body = self.under_condition(operator, call(own), span);
        self.scope.locals = scope;
        self.applied_to(&set_types, parameters, args, body, span)
    }

    // An operator of the model for one use.
    fn instance(
        &mut self,
        theory: &Theory,
        operator: &project::Operator,
        span: Span,
        truth: bool,
    ) -> (OperatorId, Vec<OpenType>, OpenType) {
        let id = OperatorId(self.model.definitions.operators.len() as u32);
        let scope = std::mem::take(&mut self.scope.locals);
        let (types, parameters) = self.open_operator(theory, operator, span);
        let result = self.fresh();
        let parameter_types: Vec<OpenType> = parameters.iter().map(|l| self.local_type(*l)).collect();
        self.model.definitions.operators.push(Operator {
            name: operator.name.name.clone(),
            parameters: parameters.clone(),
            definition: OperatorDefinition::Axiomatic,
            span: operator.name.span,
        });
        if let Definition::Cases { parameter, cases } = &operator.definition {
            let open = (operator.name.name.clone(), id, parameter_types.clone(), result.clone());
            self.theories.open.push(open);
            let value =
                ExprKind::Local(parameters[*parameter]).typed(parameter_types[*parameter].clone(), span);
            let body = self.cases(cases, &value, &result, span, truth);
            self.theories.open.pop();
            let replacement = self.whole_types(&types, span);
            self.model.definitions.operators[id.index()].definition = match body {
                Some(Typed::Value(e)) => OperatorDefinition::Expr(replacement.in_expr(&e)),
                Some(Typed::Truth(p)) => OperatorDefinition::Pred(replacement.in_pred(&p)),
                None => OperatorDefinition::Axiomatic,
            };
        }
        self.scope.locals = scope;
        (id, parameter_types, result)
    }

    // `IF v = nil THEN … ELSE LET x BE x = head(v) IN … END`; the last case is what remains.
    fn cases(
        &mut self,
        cases: &[(Ident, Vec<Ident>, ast::Expr)],
        value: &Expr,
        result: &OpenType,
        span: Span,
        truth: bool,
    ) -> Option<Typed> {
        let mut whole: Option<Typed> = None;
        for (constructor, names, tree) in cases.iter().rev() {
            let Some(Symbol::Constructor(t, d, c)) = self.theories.symbol(&constructor.name) else {
                let message = format!("`{}` is no constructor", constructor.name);
                self.error(codes::UNKNOWN_IDENTIFIER, constructor.span, message);
                return None;
            };
            let DataType::Free(id) = self.data_type(t, d) else { return None };
            let parts = self.theories.all[t].data_types[d].constructors[c as usize].1.len();
            if parts != names.len() {
                let message = format!("`{}` has {parts} parts, {} are named", constructor.name, names.len());
                self.error(codes::ARGUMENT_COUNT, constructor.span, message);
                return None;
            }
            let mut bindings = vec![];
            for (i, n) in names.iter().enumerate() {
                let e = self.part(id, c, i, parts, value.clone(), n.span);
                let l = self.new_local(&n.name, n.span, e.ty.clone());
                self.scope.defined.insert(l);
                bindings.push((l, e));
            }
            let locals: Vec<LocalId> = bindings.iter().map(|(l, _)| *l).collect();
            self.reopen(&locals);
            let body = if truth {
                Typed::Truth(self.pred(tree))
            } else {
                let e = self.expr(tree);
                self.expect(&e, result);
                Typed::Value(e)
            };
            self.leave(&locals);
            let used = match &body {
                Typed::Value(e) => Names::of_expr(e).locals,
                Typed::Truth(p) => Names::of_pred(p).locals,
            };
            bindings.retain(|(l, _)| used.contains(l));
            let body = match body {
                Typed::Value(e) if !bindings.is_empty() => {
                    let ty = e.ty.clone();
                    Typed::Value(ExprKind::Let(bindings, Box::new(e)).typed(ty, span))
                }
                Typed::Truth(p) if !bindings.is_empty() => {
                    Typed::Truth(PredKind::Let(bindings, Box::new(p)).at(span))
                }
                body => body,
            };
            let test = self.is_made_by(id, c, parts, value, span);
            whole = Some(match (whole, body) {
                (None, body) => body,
                (Some(Typed::Value(other)), Typed::Value(e)) => {
                    let (test, ty) = (Box::new(test), e.ty.clone());
                    Typed::Value(ExprKind::If(test, Box::new(e), Box::new(other)).typed(ty, span))
                }
                (Some(Typed::Truth(other)), Typed::Truth(p)) => {
                    Typed::Truth(PredKind::If(Box::new(test), Box::new(p), Box::new(other)).at(span))
                }
                (whole, _) => whole?,
            });
        }
        whole
    }

    fn is_made_by(&self, id: FreeTypeId, c: u32, parts: usize, value: &Expr, span: Span) -> Pred {
        let free = value.ty.clone();
        if parts == 0 {
            let constant = ExprKind::Constructor(id, c).typed(free, span);
            let kind = PredKind::Compare(CompareOp::Equal, Box::new(value.clone()), Box::new(constant));
            return kind.at(span);
        }
        let arguments = match self.types.resolve(&free) {
            OpenType::Free(_, arguments) => arguments,
            _ => vec![],
        };
        let argument = self.model.types.free_types[id.index()].constructors[c as usize].argument.as_ref();
        let argument = argument.and_then(|e| e.ty.element()).map(|t| t.with_parameters(&arguments));
        let ty = OpenType::relation(argument.unwrap_or(OpenType::Error), free.clone());
        let f = ExprKind::Constructor(id, c).typed(ty, span);
        let range = ExprKind::Unary(UnaryOp::Ran, Box::new(f)).typed(OpenType::pow(free), span);
        let kind = PredKind::Compare(CompareOp::Member, Box::new(value.clone()), Box::new(range));
        kind.at(span)
    }
}
