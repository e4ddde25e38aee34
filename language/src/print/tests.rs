//! Random typed formulas: printing and reading them again gives the same tree.

use proptest::prelude::*;

use crate::int::Int;
use crate::load::{check_expression, check_predicate, load_text};
use crate::model::types::{CarrierId, FreeTypeId, Type};
use crate::model::visit::{Visitor, VisitorMut, normalised, walk_expr, walk_expr_mut, walk_pred_mut};
use crate::model::*;
use crate::text::source::Span;

const NAMES: &str = "MACHINE M SETS S; C = {red, green} FREETYPES L(p) = nil, cons(p * L(p))
VARIABLES n, b, s, t, f, q, r, x, w
INVARIANT n : INTEGER & b : BOOL & s : S & t <: S & f : S +-> INTEGER & q : seq(INTEGER)
  & r : struct(a : INTEGER, c : C) & x : REAL & w : tree(INTEGER)
INITIALISATION n, b, t, f, q, r, x, w := 0, TRUE, {}, {}, [], rec(a : 1, c : red), 1.5, bin(1) || s :: S END";

fn tree() -> Type {
    Type::relation(Type::seq(Type::Int), Type::Int)
}

/// Draws formulas of a wanted type from a stream of random bytes.
struct Draw<'a> {
    model: &'a mut Model,
    bytes: std::slice::Iter<'a, u8>,
    scope: Vec<LocalId>,
    /// The target of `x : (P)` inside of P, where its old value is `x$0`.
    old: Option<VarId>,
}

impl Draw<'_> {
    fn below(&mut self, n: usize) -> usize {
        *self.bytes.next().unwrap_or(&0) as usize % n
    }

    fn make(kind: ExprKind, ty: &Type) -> Expr {
        kind.typed(ty.clone(), Span::default())
    }

    fn boxed(&mut self, ty: &Type, depth: u32) -> Box<Expr> {
        Box::new(self.expr(ty, depth))
    }

    fn bind(&mut self, ty: Type) -> LocalId {
        let names = ["i", "n", "t", "i_1"];
        let name = names[self.below(names.len())].to_string();
        self.model.locals.push(Variable { name, ty, span: Span::default() });
        let l = LocalId(self.model.locals.len() as u32 - 1);
        self.scope.push(l);
        l
    }

    // A bound name and the predicate that types it.
    fn member(&mut self, l: LocalId, depth: u32) -> Pred {
        let ty = self.model.locals[l.index()].ty.clone();
        let set = crate::check::set_of_type(&ty, Span::default());
        let kind = PredKind::Compare(
            CompareOp::Member,
            Box::new(Self::make(ExprKind::Local(l), &ty)),
            Box::new(set),
        );
        let typing = kind.at(Span::default());
        let more = self.pred(depth);
        match more.kind {
            PredKind::And(mut list) => {
                list.insert(0, typing);
                PredKind::And(list).at(Span::default())
            }
            kind => {
                let more = kind.at(Span::default());
                PredKind::And(vec![typing, more]).at(Span::default())
            }
        }
    }

    fn leaf(&mut self, ty: &Type) -> Expr {
        let mut known: Vec<ExprKind> = vec![];
        for (i, v) in self.model.variables.iter().enumerate() {
            if v.ty == *ty {
                let id = VarId(i as u32);
                known.push(if self.old == Some(id) { ExprKind::Old(id) } else { ExprKind::Var(id) });
            }
        }
        for l in &self.scope {
            if self.model.locals[l.index()].ty == *ty {
                known.push(ExprKind::Local(*l));
            }
        }
        known.extend(match ty {
            Type::Int => vec![ExprKind::Integer(Int::from(self.below(20) as i64 - 9)), ExprKind::MaxInt],
            Type::Bool => vec![ExprKind::Bool(self.below(2) == 0)],
            Type::Real => vec![ExprKind::Real("2.5".into())],
            Type::String => vec![ExprKind::String("a \"b\" \\ c".into())],
            Type::Carrier(CarrierId(1)) => vec![ExprKind::Element(CarrierId(1), self.below(2) as u32)],
            Type::Carrier(_) | Type::Parameter(_) => vec![],
            Type::Free(t, _) => vec![ExprKind::Constructor(*t, 0)],
            Type::Pow(t) => match &**t {
                Type::Int => vec![
                    ExprKind::EmptySet,
                    ExprKind::Set(BuiltinSet::Nat1),
                    ExprKind::Set(BuiltinSet::Integer),
                ],
                Type::Carrier(c) => vec![ExprKind::Carrier(*c)],
                t => {
                    let item = self.leaf(t);
                    vec![ExprKind::SetExtension(vec![item])]
                }
            },
            Type::Pair(a, b) => {
                vec![ExprKind::Binary(BinaryOp::Maplet, Box::new(self.leaf(a)), Box::new(self.leaf(b)))]
            }
            Type::Record(fields) => {
                vec![ExprKind::Record(fields.iter().map(|(l, t)| (l.clone(), self.leaf(t))).collect())]
            }
        });
        let i = self.below(known.len());
        Self::make(known.swap_remove(i), ty)
    }

    fn expr(&mut self, ty: &Type, depth: u32) -> Expr {
        if depth == 0 {
            return self.leaf(ty);
        }
        let d = depth - 1;
        let kind = match (self.below(5), ty) {
            (0, _) => return self.leaf(ty),
            (1, _) => ExprKind::If(Box::new(self.pred(d)), self.boxed(ty, d), self.boxed(ty, d)),
            (2, _) => {
                let value = self.expr(&Type::Int, d);
                let mark = self.scope.len();
                let l = self.bind(Type::Int);
                let body = self.boxed(ty, d);
                self.scope.truncate(mark);
                ExprKind::Let(vec![(l, value)], body)
            }
            (_, Type::Int) => {
                use BinaryOp::*;
                match self.below(11) {
                    9 => {
                        ExprKind::External(ExternalFunction::StringLength, vec![self.expr(&Type::String, d)])
                    }
                    10 => ExprKind::Tree(TreeOp::Top, vec![self.expr(&tree(), d)]),
                    0 => ExprKind::Unary(UnaryOp::Card, self.boxed(&Type::pow(Type::Int), d)),
                    1 => {
                        let a = self.boxed(&Type::Int, d);
                        // The literal is read as a negative number.
                        match a.kind {
                            ExprKind::Integer(n) if !n.is_negative() => ExprKind::Integer(n),
                            _ => ExprKind::Unary(UnaryOp::Negate, a),
                        }
                    }
                    2 => {
                        let relation = Type::relation(Type::Int, Type::Int);
                        ExprKind::Apply(self.boxed(&relation, d), self.boxed(&Type::Int, d))
                    }
                    3 => {
                        let mark = self.scope.len();
                        let l = self.bind(Type::Int);
                        let p = self.member(l, d);
                        let v = self.boxed(&Type::Int, d);
                        self.scope.truncate(mark);
                        ExprKind::Quantified(QuantOp::Sigma, vec![l], Box::new(p), v)
                    }
                    k => {
                        let op = [Add, Subtract, Multiply, Divide, Mod, Power][(k + self.below(6)) % 6];
                        ExprKind::Binary(op, self.boxed(&Type::Int, d), self.boxed(&Type::Int, d))
                    }
                }
            }
            (_, Type::Real) => {
                let op = [BinaryOp::AddReal, BinaryOp::SubtractReal, BinaryOp::MultiplyReal][self.below(3)];
                ExprKind::Binary(op, self.boxed(ty, d), self.boxed(ty, d))
            }
            (_, Type::String) => {
                let parts = vec![self.expr(ty, d), self.expr(ty, d)];
                ExprKind::External(ExternalFunction::StringAppend, parts)
            }
            (_, Type::Free(t, arguments)) => {
                let argument = Type::pair(arguments[0].clone(), ty.clone());
                let cons =
                    Self::make(ExprKind::Constructor(*t, 1), &Type::relation(argument.clone(), ty.clone()));
                ExprKind::Apply(Box::new(cons), self.boxed(&argument, d))
            }
            (_, t) if *t == tree() && self.below(2) == 0 => {
                ExprKind::Tree(TreeOp::Bin, vec![self.expr(t, d), self.expr(&Type::Int, d), self.expr(t, d)])
            }
            (_, Type::Bool) => ExprKind::BoolOf(Box::new(self.pred(d))),
            (_, Type::Pair(a, b)) => ExprKind::Binary(BinaryOp::Maplet, self.boxed(a, d), self.boxed(b, d)),
            (_, Type::Record(fields)) => {
                ExprKind::Record(fields.iter().map(|(l, t)| (l.clone(), self.expr(t, d))).collect())
            }
            (_, Type::Pow(element)) => self.set(ty, element, d),
            _ => return self.leaf(ty),
        };
        Self::make(kind, ty)
    }

    fn set(&mut self, ty: &Type, element: &Type, d: u32) -> ExprKind {
        use BinaryOp::*;
        if let Type::Pair(a, b) = element {
            match self.below(6) {
                0 => return ExprKind::Binary(Override, self.boxed(ty, d), self.boxed(ty, d)),
                1 => {
                    let inverse = Type::relation((**b).clone(), (**a).clone());
                    return ExprKind::Unary(UnaryOp::Inverse, self.boxed(&inverse, d));
                }
                2 => {
                    let (first, second) =
                        (Type::relation((**a).clone(), Type::Int), Type::relation(Type::Int, (**b).clone()));
                    return ExprKind::Binary(Composition, self.boxed(&first, d), self.boxed(&second, d));
                }
                3 => {
                    let (l, r) = (Type::pow((**a).clone()), Type::pow((**b).clone()));
                    return ExprKind::Binary(Cartesian, self.boxed(&l, d), self.boxed(&r, d));
                }
                4 => {
                    let l = Type::pow((**a).clone());
                    return ExprKind::Binary(DomainSubtraction, self.boxed(&l, d), self.boxed(ty, d));
                }
                _ => {}
            }
        }
        if *element == Type::Int && self.below(2) == 0 {
            return match self.below(3) {
                0 => ExprKind::Binary(Interval, self.boxed(element, d), self.boxed(element, d)),
                1 => {
                    let relation = Type::relation(Type::Int, Type::Int);
                    ExprKind::Binary(Image, self.boxed(&relation, d), self.boxed(ty, d))
                }
                _ => ExprKind::Unary(UnaryOp::Dom, self.boxed(&Type::relation(Type::Int, Type::Bool), d)),
            };
        }
        match self.below(5) {
            0 => ExprKind::SetExtension(vec![self.expr(element, d), self.expr(element, d)]),
            1 => {
                let mark = self.scope.len();
                let l = self.bind(element.clone());
                let p = self.member(l, d);
                self.scope.truncate(mark);
                ExprKind::Comprehension(vec![l], Box::new(p))
            }
            2 => {
                let mark = self.scope.len();
                let l = self.bind(Type::Int);
                let p = self.member(l, d);
                let v = self.boxed(element, d);
                self.scope.truncate(mark);
                ExprKind::Quantified(QuantOp::Image, vec![l], Box::new(p), v)
            }
            _ => {
                let op = [Union, Intersection, Difference][self.below(3)];
                ExprKind::Binary(op, self.boxed(ty, d), self.boxed(ty, d))
            }
        }
    }

    fn pred(&mut self, depth: u32) -> Pred {
        let span = Span::default();
        let d = depth.saturating_sub(1);
        let kind = match if depth == 0 { 6 } else { self.below(10) } {
            9 => PredKind::External(ExternalFunction::StringIsInt, vec![self.expr(&Type::String, d)]),
            0 => PredKind::Not(Box::new(self.pred(d))),
            1 => PredKind::Implies(Box::new(self.pred(d)), Box::new(self.pred(d))),
            2 => PredKind::Iff(Box::new(self.pred(d)), Box::new(self.pred(d))),
            k @ (3 | 4) => {
                let mut list = vec![];
                for _ in 0..2 {
                    match (k, self.pred(d).kind) {
                        (3, PredKind::And(inner)) | (4, PredKind::Or(inner)) => list.extend(inner),
                        (_, kind) => list.push(kind.at(span)),
                    }
                }
                if k == 3 { PredKind::And(list) } else { PredKind::Or(list) }
            }
            5 => {
                let mark = self.scope.len();
                let l = self.bind(Type::pow(Type::Int));
                let p = Box::new(self.member(l, d));
                self.scope.truncate(mark);
                if self.below(2) == 0 { PredKind::Forall(vec![l], p) } else { PredKind::Exists(vec![l], p) }
            }
            6 => {
                use CompareOp::*;
                let op = [Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual][self.below(6)];
                PredKind::Compare(op, self.boxed(&Type::Int, d), self.boxed(&Type::Int, d))
            }
            7 => {
                let ty = self.some_type();
                let op = [CompareOp::Member, CompareOp::NotMember][self.below(2)];
                PredKind::Compare(op, self.boxed(&ty, d), self.boxed(&Type::pow(ty), d))
            }
            _ => {
                use CompareOp::*;
                let ty = Type::pow(self.some_type());
                let op = [Subset, NotSubset, StrictSubset, NotStrictSubset, Equal][self.below(5)];
                PredKind::Compare(op, self.boxed(&ty, d), self.boxed(&ty, d))
            }
        };
        kind.at(span)
    }

    fn value_of(&self, t: Target) -> Type {
        match t {
            Target::Var(v) => self.model.variables[v.index()].ty.clone(),
            Target::Local(l) => self.model.locals[l.index()].ty.clone(),
        }
    }

    fn choice(&mut self) -> ChoiceId {
        self.model.choices += 1;
        ChoiceId(self.model.choices - 1)
    }

    fn branches(&mut self, depth: u32, free: &[Target]) -> Vec<(Pred, Subst)> {
        (0..=self.below(2)).map(|_| (self.pred(2), self.subst(depth, free))).collect()
    }

    // A substitution that assigns some of these.
    fn subst(&mut self, depth: u32, free: &[Target]) -> Subst {
        let mark = self.scope.len();
        let kind = self.subst_kind(depth, free);
        self.scope.truncate(mark);
        kind.at(Span::default())
    }

    fn subst_kind(&mut self, depth: u32, free: &[Target]) -> SubstKind {
        let d = depth.saturating_sub(1);
        if free.is_empty() {
            return SubstKind::Skip;
        }
        let t = free[self.below(free.len())];
        let ty = self.value_of(t);
        match self.below(if depth == 0 { 5 } else { 15 }) {
            0 => SubstKind::Skip,
            1 => {
                let mut list = vec![(t, self.expr(&ty, 2))];
                let u = free[self.below(free.len())];
                if u != t {
                    list.push((u, self.expr(&self.value_of(u), 2)));
                }
                SubstKind::Assign(list)
            }
            2 => SubstKind::BecomesIn(self.choice(), vec![t], self.expr(&Type::pow(ty), 2)),
            3 => {
                let (choice, name) = (self.choice(), "new".to_string());
                self.model.locals.push(Variable { name, ty, span: Span::default() });
                let l = LocalId(self.model.locals.len() as u32 - 1);
                self.scope.push(l);
                self.old = if let Target::Var(v) = t { Some(v) } else { None };
                let p = self.pred(2);
                self.old = None;
                self.scope.pop();
                SubstKind::BecomesSuch(choice, vec![(t, l)], p)
            }
            4 => {
                let Some(r) = self.model.variables.iter().position(|v| v.name == "r") else { unreachable!() };
                let (v, record) = (VarId(r as u32), self.model.variables[r].ty.clone());
                let whole = Self::make(ExprKind::Var(v), &record);
                let field = self.boxed(&Type::Int, 2);
                let kind = ExprKind::WithField(Box::new(whole), "a".into(), field);
                match free.contains(&Target::Var(v)) {
                    true => SubstKind::Assign(vec![(Target::Var(v), Self::make(kind, &record))]),
                    false => SubstKind::Skip,
                }
            }
            5 => SubstKind::Pre(self.pred(2), Box::new(self.subst(d, free))),
            6 => SubstKind::Assert(Claim::Assertion, self.pred(2), Box::new(self.subst(d, free))),
            7 => SubstKind::Choice(self.choice(), vec![self.subst(d, free), self.subst(d, free)]),
            8 => SubstKind::If(self.branches(d, free), Box::new(self.subst(d, free))),
            9 => {
                let (choice, branches) = (self.choice(), self.branches(d, free));
                let otherwise = (self.below(2) == 0).then(|| Box::new(self.subst(d, free)));
                SubstKind::Select { choice, branches, otherwise, from_pre: false }
            }
            10 => {
                let (choice, ty) = (self.choice(), self.some_type());
                let l = self.bind(ty);
                SubstKind::Any(choice, vec![l], self.member(l, 2), Box::new(self.subst(d, free)))
            }
            11 => {
                let ty = self.told_type();
                let value = self.told(&ty);
                let l = self.bind(ty);
                SubstKind::Let(vec![(l, value)], Box::new(self.subst(d, free)))
            }
            12 => {
                // The first assignment says the type.
                let ty = self.told_type();
                let value = self.told(&ty);
                let l = self.bind(ty);
                let first = SubstKind::Assign(vec![(Target::Local(l), value)]);
                let more: Vec<Target> = free.iter().copied().chain([Target::Local(l)]).collect();
                let rest = self.subst(d, &more);
                let body = list(vec![first.at(Span::default()), rest], false);
                SubstKind::Var(vec![l], Box::new(body.at(Span::default())))
            }
            13 => {
                let (a, b) = free.split_at(self.below(free.len()));
                if self.below(2) == 0 {
                    list(vec![self.subst(d, a), self.subst(d, b)], true)
                } else {
                    list(vec![self.subst(d, free), self.subst(d, free)], false)
                }
            }
            _ => SubstKind::While {
                condition: self.pred(2),
                body: Box::new(self.subst(d, free)),
                invariant: self.pred(2),
                variant: self.expr(&Type::Int, 2),
            },
        }
    }

    // An operation with a parameter and a result; its precondition is a guard.
    fn event(&mut self, name: &str) -> Event {
        let (ty, result) = (self.some_type(), self.told_type());
        let parameter = self.bind(ty);
        let guard = self.member(parameter, 2);
        let value = self.told(&result);
        let r = self.bind(result);
        self.scope.pop();
        let free: Vec<Target> =
            (0..self.model.variables.len()).map(|v| Target::Var(VarId(v as u32))).collect();
        let choice = self.choice();
        let first = SubstKind::Assign(vec![(Target::Local(r), value)]).at(Span::default());
        let rest = self.subst(4, &free);
        let (body, results) = match self.below(3) {
            0 => (rest.kind, vec![]),
            _ => (list(vec![first, rest], true), vec![r]),
        };
        let branches = vec![(guard, body.at(Span::default()))];
        let kind = SubstKind::Select { choice, branches, otherwise: None, from_pre: true };
        Event {
            name: name.into(),
            parameters: vec![parameter],
            results,
            body: kind.at(Span::default()),
            origin: ComponentId(0),
            convergence: Convergence::Ordinary,
            refines: vec![],
            span: Span::default(),
        }
    }

    // A type that a value may tell: sets may be empty, the constant of a free type leaves its parameter open.
    fn told_type(&mut self) -> Type {
        match self.some_type() {
            Type::Free(..) | Type::Pow(_) => Type::Int,
            ty => ty,
        }
    }

    // A value that says its type: nothing in it is of a type that the text leaves open.
    fn told(&mut self, ty: &Type) -> Expr {
        struct Open(bool);
        impl Visitor for Open {
            fn expr(&mut self, e: &Expr) {
                self.0 |= matches!(e.kind, ExprKind::EmptySet | ExprKind::Constructor(..));
                walk_expr(self, e);
            }
        }
        let (value, mut open) = (self.expr(ty, 2), Open(false));
        open.expr(&value);
        if open.0 { self.leaf(ty) } else { value }
    }

    fn some_type(&mut self) -> Type {
        match self.below(9) {
            7 => Type::Free(FreeTypeId(0), vec![Type::Int]),
            8 => tree(),
            0 => Type::Bool,
            1 => Type::Carrier(CarrierId(0)),
            2 => Type::Carrier(CarrierId(1)),
            3 => Type::pair(Type::Int, Type::Carrier(CarrierId(0))),
            4 => Type::Record(vec![("a".into(), Type::Int), ("c".into(), Type::Carrier(CarrierId(1)))]),
            5 => Type::Real,
            _ => Type::Int,
        }
    }
}

// Parts of the same form are parts of the list.
fn list(parts: Vec<Subst>, parallel: bool) -> SubstKind {
    let mut all = vec![];
    for part in parts {
        match part.kind {
            SubstKind::Parallel(inner) if parallel => all.extend(inner),
            SubstKind::Sequence(inner) if !parallel => all.extend(inner),
            _ => all.push(part),
        }
    }
    if parallel { SubstKind::Parallel(all) } else { SubstKind::Sequence(all) }
}

/// Forgets places and numbers locals by first occurrence.
#[derive(Default)]
struct Plain(std::collections::BTreeMap<LocalId, LocalId>);

impl VisitorMut for Plain {
    fn expr(&mut self, e: &mut Expr) {
        e.span = Span::default();
        if let ExprKind::Local(l) = &mut e.kind {
            self.binder(l);
        }
        walk_expr_mut(self, e);
    }
    fn pred(&mut self, p: &mut Pred) {
        p.span = Span::default();
        walk_pred_mut(self, p);
    }
    fn binder(&mut self, l: &mut LocalId) {
        let next = LocalId(self.0.len() as u32);
        *l = *self.0.entry(*l).or_insert(next);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printed_formulas_read_the_same(bytes in prop::collection::vec(any::<u8>(), 40..600)) {
        let mut m = load_text("M.mch", NAMES).model.expect("the names check");
        let mut drawn = Draw { model: &mut m, bytes: bytes.iter(), scope: vec![], old: None }.pred(5);
        let text = super::pred(&m, &drawn);
        let mut read = match check_predicate(&mut m, &text) {
            Ok(p) => p,
            Err(d) => return Err(TestCaseError::fail(format!("{text}\n{d:#?}"))),
        };
        Plain::default().pred(&mut drawn);
        Plain::default().pred(&mut read);
        prop_assert_eq!(&drawn, &read, "{}", text);

        let mut drawn = Draw { model: &mut m, bytes: bytes.iter(), scope: vec![], old: None }.expr(&Type::relation(Type::Int, Type::Int), 5);
        let text = super::expr(&m, &drawn);
        let mut read = match check_expression(&mut m, &text) {
            Ok(e) => e,
            Err(d) => return Err(TestCaseError::fail(format!("{text}\n{d:#?}"))),
        };
        Plain::default().expr(&mut drawn);
        Plain::default().expr(&mut read);
        prop_assert_eq!(&drawn, &read, "{}", text);
    }
}

proptest! {
    // A machine is read twice for each step of a shrinking, so that a failure would take minutes to be told.
    #![proptest_config(ProptestConfig { failure_persistence: None, max_shrink_iters: 40, ..ProptestConfig::default() })]

    #[test]
    fn printed_machines_read_the_same(bytes in prop::collection::vec(any::<u8>(), 100..1500)) {
        let mut m = load_text("M.mch", NAMES).model.expect("the names check");
        let mut draw = Draw { model: &mut m, bytes: bytes.iter(), scope: vec![], old: None };
        let mut events = vec![];
        for name in ["go", "p.go", "END"] {
            draw.scope.clear();
            events.push(draw.event(name));
        }
        m.events = events;
        for text in [super::machine(&m), super::machine_with_types(&m)] {
            let read = load_text("M.mch", text.clone());
            let Some(again) = read.model else {
                return Err(TestCaseError::fail(format!("{text}\n{:#?}", read.diagnostics)));
            };
            prop_assert!(normalised(&m) == normalised(&again), "{}\n{}", text, super::machine(&again));
        }
    }
}

/// Prints a machine, reads it again, and expects the same model; returns the text.
#[track_caller]
fn round_trip(text: &str) -> String {
    let loaded = load_text("M.mch", text);
    let model = loaded.model.unwrap_or_else(|| panic!("{text}\n{:#?}", loaded.diagnostics));
    let printed = super::machine(&model);
    let again = load_text("M.mch", printed.clone());
    let read = again.model.unwrap_or_else(|| panic!("{printed}\n{:#?}", again.diagnostics));
    assert!(normalised(&model) == normalised(&read), "{printed}");
    printed
}

#[test]
fn empty_sequences_keep_their_type() {
    let printed = round_trip(
        "MACHINE M CONSTANTS c, d PROPERTIES {} = [] & card([]) = 0 & {[]} = {{}} & c : seq(BOOL) & c = [] & c /= {}
 & {} : {c, {}} & ({} = {}) & {} = {} \\/ [] & card({1 |-> []}) = 1 & d = {1 |-> <>} & d : INTEGER <-> (INTEGER <-> S)
 & c \\/ {} = c SETS S END",
    );
    assert!(printed.contains("c = {}") && printed.contains("c \\/ {} = c"), "{printed}");
    assert!(printed.contains("card([]) = 0"), "{printed}");
}

#[test]
fn a_precondition_that_is_no_guard_does_not_become_one() {
    let mut m = load_text(
        "M.mch",
        "MACHINE M VARIABLES x INVARIANT x : NAT INITIALISATION x := 0
         OPERATIONS a = PRE x > 1 THEN PRE x > 2 THEN x := 1 END END; b = SELECT x = 1 THEN PRE x > 0 THEN skip END END END",
    )
    .model
    .expect("it checks");
    // As if the inner one came from a call.
    let SubstKind::Select { branches, .. } = &mut m.events[0].body.kind else { panic!() };
    let SubstKind::Select { branches: inner, .. } = &branches[0].1.kind else { panic!() };
    let (p, body) = inner[0].clone();
    branches[0].1.kind = SubstKind::Pre(p, Box::new(body));
    for body in [m.events[0].body.clone(), {
        let SubstKind::Select { branches, .. } = &m.events[0].body.kind else { panic!() };
        branches[0].1.clone()
    }] {
        m.events[0].body = body;
        let text = super::machine(&m);
        let again = load_text("M.mch", text.clone()).model.expect("what is printed is right");
        assert!(normalised(&m) == normalised(&again), "{text}");
        assert!(text.contains("CHOICE"), "{text}");
    }
}

#[test]
fn scope_goal_and_renamed_names_are_printed() {
    let printed = round_trip(
        "MACHINE `A.B` DEFINITIONS SET_PREF_MAXINT == 2**3 - 1; SET_PREF_TIME_OUT == 5000; SET_PREF_CSE == TRUE;
  SET_PREF_CLPFD == \"a \\\"b\\\"\"; scope_S == 1..4; GOAL == p.x > k
SETS S; `p.C` = {`p.red`, green} CONSTANTS k PROPERTIES k : NAT VARIABLES `p.x`, `q.INVARIANT` INVARIANT `p.x` : NAT & `q.INVARIANT` : `p.C`
INITIALISATION `p.x` := 0 || `q.INVARIANT` := `p.red` OPERATIONS `p.go`(`a.b`) = PRE `a.b` : S THEN p.x := p.x + 1 END END",
    );
    for part in [
        "SET_PREF_MAXINT == 7",
        "SET_PREF_TIME_OUT == 5000",
        "SET_PREF_CSE == TRUE",
        "scope_S == 4",
        "GOAL == p.x > k",
    ] {
        assert!(printed.contains(part), "{part} is missing in {printed}");
    }
    let hints = |text: &str| {
        let m = load_text("M.mch", text).model.expect("it is right");
        let goal = m.definitions.goal.as_ref().map(|g| super::pred(&m, g));
        (m.definitions.hints.maxint, m.definitions.hints.preferences, m.definitions.hints.sizes, goal)
    };
    assert_eq!(hints(&printed).1["CLPFD"], "a \"b\"");
    assert_eq!(hints(&printed), hints(&super::machine(&load_text("M.mch", printed.as_str()).model.unwrap())));
}

#[test]
fn types_are_told_in_comments() {
    let m = load_text(
        "M.mch",
        "MACHINE M SETS S VARIABLES f INVARIANT f : S +-> INTEGER & !x.(x : dom(f) => f(x) > 0) INITIALISATION f := {}
         OPERATIONS r <-- get(s) = PRE s : dom(f) THEN LET v BE v = f(s) IN r := v END END END",
    )
    .model
    .expect("it is right");
    let text = super::machine_with_types(&m);
    for part in [
        "f /* POW(S * INTEGER) */",
        "!x /* S */.(",
        "r /* INTEGER */ <-- get(s /* S */)",
        "LET v /* INTEGER */ BE v =",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
}
