//! Conversion of a tree to other types: turns inference's open tree into the model's, and erases types.

use crate::model::*;
use crate::text::source::Span;

/// Conversion of the types of a tree.
pub trait Retype<T, U> {
    /// The new type.
    fn ty(&mut self, ty: T) -> U;

    /// The form of an expression whose parts have their new types; `ty` is its own.
    fn expr_kind(&mut self, kind: ExprKind<U>, _ty: &U, _span: Span) -> ExprKind<U> {
        kind
    }

    /// The form of a predicate whose parts have their new types.
    fn pred_kind(&mut self, kind: PredKind<U>) -> PredKind<U> {
        kind
    }

    /// An expression with new types.
    fn expr(&mut self, e: Expr<T>) -> Expr<U> {
        use ExprKind::*;
        let Expr { kind, ty, span } = e;
        let ty = self.ty(ty);
        let kind = match kind {
            Var(v) => Var(v),
            Old(v) => Old(v),
            Const(c) => Const(c),
            Local(l) => Local(l),
            Element(c, i) => Element(c, i),
            Carrier(c) => Carrier(c),
            Integer(n) => Integer(n),
            Real(text) => Real(text),
            String(text) => String(text),
            Bool(b) => Bool(b),
            MaxInt => MaxInt,
            MinInt => MinInt,
            Set(set) => Set(set),
            EmptySet => EmptySet,
            Succ => Succ,
            Pred => Pred,
            Abstract(a) => Abstract(a),
            Constructor(t, c) => Constructor(t, c),
            TypeParameter(i) => TypeParameter(i),
            SetExtension(items) => SetExtension(self.exprs(items)),
            SeqExtension(items) => SeqExtension(self.exprs(items)),
            FreeSet(t, items) => FreeSet(t, self.exprs(items)),
            Tree(op, items) => Tree(op, self.exprs(items)),
            External(f, items) => External(f, self.exprs(items)),
            Call(op, items) => Call(op, self.exprs(items)),
            Unary(op, a) => Unary(op, self.boxed(*a)),
            Field(a, label) => Field(self.boxed(*a), label),
            Binary(op, a, b) => Binary(op, self.boxed(*a), self.boxed(*b)),
            Apply(a, b) => Apply(self.boxed(*a), self.boxed(*b)),
            WithField(a, label, b) => WithField(self.boxed(*a), label, self.boxed(*b)),
            Iterate(a, b) => Iterate(self.boxed(*a), self.boxed(*b)),
            Prj1(a, b) => Prj1(self.boxed(*a), self.boxed(*b)),
            Prj2(a, b) => Prj2(self.boxed(*a), self.boxed(*b)),
            BoolOf(p) => BoolOf(self.boxed_pred(*p)),
            Comprehension(ids, p) => Comprehension(ids, self.boxed_pred(*p)),
            Quantified(op, ids, p, a) => Quantified(op, ids, self.boxed_pred(*p), self.boxed(*a)),
            Record(fields) => Record(self.fields(fields)),
            Struct(fields) => Struct(self.fields(fields)),
            If(p, a, b) => If(self.boxed_pred(*p), self.boxed(*a), self.boxed(*b)),
            Let(bindings, a) => Let(self.bindings(bindings), self.boxed(*a)),
        };
        Expr { kind: self.expr_kind(kind, &ty, span), ty, span }
    }

    /// A predicate with new types.
    fn pred(&mut self, p: Pred<T>) -> Pred<U> {
        use PredKind::*;
        let kind = match p.kind {
            True => True,
            False => False,
            And(list) => And(list.into_iter().map(|p| self.pred(p)).collect()),
            Or(list) => Or(list.into_iter().map(|p| self.pred(p)).collect()),
            Implies(a, b) => Implies(self.boxed_pred(*a), self.boxed_pred(*b)),
            Iff(a, b) => Iff(self.boxed_pred(*a), self.boxed_pred(*b)),
            Not(a) => Not(self.boxed_pred(*a)),
            Forall(ids, a) => Forall(ids, self.boxed_pred(*a)),
            Exists(ids, a) => Exists(ids, self.boxed_pred(*a)),
            Compare(op, a, b) => Compare(op, self.boxed(*a), self.boxed(*b)),
            Finite(a) => Finite(self.boxed(*a)),
            Partition(a, parts) => Partition(self.boxed(*a), self.exprs(parts)),
            If(a, b, c) => If(self.boxed_pred(*a), self.boxed_pred(*b), self.boxed_pred(*c)),
            Let(bindings, a) => Let(self.bindings(bindings), self.boxed_pred(*a)),
            External(f, items) => External(f, self.exprs(items)),
            Call(op, items) => Call(op, self.exprs(items)),
        };
        self.pred_kind(kind).at(p.span)
    }

    /// A substitution with new types.
    fn subst(&mut self, s: Subst<T>) -> Subst<U> {
        use SubstKind::*;
        let kind = match s.kind {
            Skip => Skip,
            Assign(list) => Assign(list.into_iter().map(|(t, e)| (t, self.expr(e))).collect()),
            BecomesIn(choice, targets, set) => BecomesIn(choice, targets, self.expr(set)),
            BecomesSuch(choice, targets, p) => BecomesSuch(choice, targets, self.pred(p)),
            Pre(p, body) => Pre(self.pred(p), self.boxed_subst(*body)),
            Assert(claim, p, body) => Assert(claim, self.pred(p), self.boxed_subst(*body)),
            Choice(choice, list) => Choice(choice, self.substs(list)),
            If(list, other) => If(self.branches(list), self.boxed_subst(*other)),
            Select { choice, branches, otherwise, from_pre } => Select {
                choice,
                branches: self.branches(branches),
                otherwise: otherwise.map(|s| self.boxed_subst(*s)),
                from_pre,
            },
            Any(choice, ids, p, body) => Any(choice, ids, self.pred(p), self.boxed_subst(*body)),
            Let(bindings, body) => Let(self.bindings(bindings), self.boxed_subst(*body)),
            Var(ids, body) => Var(ids, self.boxed_subst(*body)),
            Sequence(list) => Sequence(self.substs(list)),
            Parallel(list) => Parallel(self.substs(list)),
            While { condition, body, invariant, variant } => While {
                condition: self.pred(condition),
                body: self.boxed_subst(*body),
                invariant: self.pred(invariant),
                variant: self.expr(variant),
            },
        };
        kind.at(s.span)
    }

    /// A declared name with its new type.
    fn variable(&mut self, v: Variable<T>) -> Variable<U> {
        Variable { name: v.name, ty: self.ty(v.ty), span: v.span }
    }

    /// A conjunct with new types.
    fn conjunct(&mut self, c: Conjunct<T>) -> Conjunct<U> {
        let Conjunct { label, text, origin, span, pred } = c;
        Conjunct { label, text, origin, span, pred: self.pred(pred) }
    }

    /// A free type with new types in the arguments of its constructors.
    fn free_type(&mut self, t: FreeType<T>) -> FreeType<U> {
        let FreeType { name, parameters, constructors, span } = t;
        let constructors = constructors.into_iter().map(|c| {
            let Constructor { name, argument, destructors, span } = c;
            Constructor { name, argument: argument.map(|e| self.expr(e)), destructors, span }
        });
        let constructors = constructors.collect();
        FreeType { name, parameters, constructors, span }
    }

    /// An event with new types.
    fn event(&mut self, e: Event<T>) -> Event<U> {
        let Event { name, parameters, results, body, origin, convergence, refines, span } = e;
        let body = self.subst(body);
        Event { name, parameters, results, body, origin, convergence, refines, span }
    }

    /// Abstractions with new types.
    fn refined(&mut self, r: Refined<T>) -> Refined<U> {
        let levels = r.levels.into_iter().map(|level| Level {
            component: level.component,
            variables: level.variables.into_iter().map(|v| self.variable(v)).collect(),
            invariant: level.invariant.into_iter().map(|c| self.conjunct(c)).collect(),
            gluing: level.gluing.into_iter().map(|c| self.conjunct(c)).collect(),
            initialisation: self.subst(level.initialisation),
            operations: level.operations.into_iter().map(|e| self.event(e)).collect(),
        });
        let levels = levels.collect();
        let operations = r.operations.into_iter().map(|followed| {
            let Followed { parameters, by, precondition, narrowed } = followed?;
            let (precondition, narrowed) =
                (precondition.map(|e| self.event(e)), narrowed.map(|e| self.event(e)));
            Some(Followed { parameters, by, precondition, narrowed })
        });
        let operations = operations.collect();
        let own = OwnLevel {
            initialisation: self.subst(r.own.initialisation),
            operations: r.own.operations.into_iter().map(|e| self.event(e)).collect(),
            assertions: r.own.assertions.into_iter().map(|c| self.conjunct(c)).collect(),
            owed: r.own.owed,
            implementation: r.own.implementation,
            local: r.own.local.into_iter().map(|l| self.local_operation(l)).collect(),
        };
        Refined { levels, operations, own }
    }

    /// A local operation with new types.
    fn local_operation(&mut self, l: LocalOperation<T>) -> LocalOperation<U> {
        LocalOperation {
            specification: self.event(l.specification),
            implementation: self.event(l.implementation),
        }
    }

    /// An obligation that no step is checked for, with new types.
    fn owed(&mut self, o: Owed<T>) -> Owed<U> {
        let goal = o.goal.map(|goal| OwedGoal {
            choices: goal.choices.into_iter().map(|(locals, p)| (locals, self.pred(p))).collect(),
            pred: self.pred(goal.pred),
        });
        Owed { event: o.event, kind: o.kind, label: o.label, span: o.span, goal }
    }

    /// What a model owes to its abstractions, with new types.
    fn refinement(&mut self, r: Refinement<T>) -> Refinement<U> {
        Refinement {
            abstract_variables: self.declared(r.abstract_variables),
            gluing: self.conjuncts(r.gluing),
            not_checked: r.not_checked,
            owed: r.owed.into_iter().map(|o| self.owed(o)).collect(),
            refined: r.refined.map(|r| Box::new(self.refined(*r))),
            checks: r.checks,
            variants: r
                .variants
                .into_iter()
                .map(|v| Variant { label: v.label, value: self.expr(v.value) })
                .collect(),
        }
    }

    /// An operator with new types.
    fn operator(&mut self, o: Operator<T>) -> Operator<U> {
        let definition = match o.definition {
            OperatorDefinition::Expr(e) => OperatorDefinition::Expr(self.expr(e)),
            OperatorDefinition::Pred(p) => OperatorDefinition::Pred(self.pred(p)),
            OperatorDefinition::Axiomatic => OperatorDefinition::Axiomatic,
        };
        Operator { name: o.name, parameters: o.parameters, definition, span: o.span }
    }

    /// A model with new types.
    fn model(&mut self, m: Model<T>) -> Model<U> {
        let (axioms, invariant) = (self.conjuncts(m.axioms), self.conjuncts(m.invariant));
        let assertions = self.conjuncts(m.assertions);
        let operators = m.definitions.operators.into_iter().map(|o| self.operator(o)).collect();
        let events = m.events.into_iter().map(|e| self.event(e)).collect();
        let refinement = self.refinement(m.refinement);
        let (constants, variables) = (self.declared(m.constants), self.declared(m.variables));
        let locals = self.declared(m.locals);
        Model {
            name: m.name,
            text: m.text,
            types: DeclaredTypes {
                carriers: m.types.carriers,
                free_types: m.types.free_types.into_iter().map(|t| self.free_type(t)).collect(),
            },
            constants,
            parameters: m.parameters,
            axioms,
            variables,
            invariant,
            assertions,
            initialisation: self.subst(m.initialisation),
            events,
            refinement,
            definitions: ModelDefinitions {
                main: m.definitions.main,
                operators,
                goal: m.definitions.goal.map(|p| self.pred(p)),
                hints: m.definitions.hints,
            },
            locals,
            choices: m.choices,
        }
    }

    /// Conjuncts with new types.
    fn conjuncts(&mut self, list: Vec<Conjunct<T>>) -> Vec<Conjunct<U>> {
        list.into_iter().map(|c| self.conjunct(c)).collect()
    }

    /// Declared names with new types.
    fn declared(&mut self, list: Vec<Variable<T>>) -> Vec<Variable<U>> {
        list.into_iter().map(|v| self.variable(v)).collect()
    }

    /// Expressions with new types.
    fn exprs(&mut self, list: Vec<Expr<T>>) -> Vec<Expr<U>> {
        list.into_iter().map(|e| self.expr(e)).collect()
    }

    /// Substitutions with new types.
    fn substs(&mut self, list: Vec<Subst<T>>) -> Vec<Subst<U>> {
        list.into_iter().map(|s| self.subst(s)).collect()
    }

    /// Fields with new types.
    fn fields(&mut self, list: Vec<(String, Expr<T>)>) -> Vec<(String, Expr<U>)> {
        list.into_iter().map(|(label, e)| (label, self.expr(e))).collect()
    }

    /// Bindings of a `LET` with new types.
    fn bindings(&mut self, list: Vec<(LocalId, Expr<T>)>) -> Vec<(LocalId, Expr<U>)> {
        list.into_iter().map(|(l, e)| (l, self.expr(e))).collect()
    }

    /// Guarded substitutions with new types.
    fn branches(&mut self, list: Vec<(Pred<T>, Subst<T>)>) -> Vec<(Pred<U>, Subst<U>)> {
        list.into_iter().map(|(p, s)| (self.pred(p), self.subst(s))).collect()
    }

    /// [`Retype::expr`] in a box.
    fn boxed(&mut self, e: Expr<T>) -> Box<Expr<U>> {
        Box::new(self.expr(e))
    }

    /// [`Retype::pred`] in a box.
    fn boxed_pred(&mut self, p: Pred<T>) -> Box<Pred<U>> {
        Box::new(self.pred(p))
    }

    /// [`Retype::subst`] in a box.
    fn boxed_subst(&mut self, s: Subst<T>) -> Box<Subst<U>> {
        Box::new(self.subst(s))
    }
}
