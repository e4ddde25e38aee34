//! Random typed formulas: printing and reading them again gives the same tree.

use proptest::prelude::*;

use crate::int::Int;
use crate::load::{check_expression, check_predicate, load_text};
use crate::model::*;
use crate::source::Span;
use crate::types::{CarrierId, FreeTypeId, Type};
use crate::walk::{VisitorMut, normalised, walk_expr_mut, walk_pred_mut};

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
}

impl Draw<'_> {
    fn below(&mut self, n: usize) -> usize {
        *self.bytes.next().unwrap_or(&0) as usize % n
    }

    fn make(kind: ExprKind, ty: &Type) -> Expr {
        Expr { kind, ty: ty.clone(), span: Span::default() }
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
        let typing = Pred { kind, span: Span::default() };
        let more = self.pred(depth);
        match more.kind {
            PredKind::And(mut list) => {
                list.insert(0, typing);
                Pred { kind: PredKind::And(list), span: Span::default() }
            }
            kind => {
                let more = Pred { kind, span: Span::default() };
                Pred { kind: PredKind::And(vec![typing, more]), span: Span::default() }
            }
        }
    }

    fn leaf(&mut self, ty: &Type) -> Expr {
        let mut known: Vec<ExprKind> = vec![];
        for (i, v) in self.model.variables.iter().enumerate() {
            if v.ty == *ty {
                known.push(ExprKind::Var(VarId(i as u32)));
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
                        (_, kind) => list.push(Pred { kind, span }),
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
        Pred { kind, span }
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
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printed_formulas_read_the_same(bytes in prop::collection::vec(any::<u8>(), 40..600)) {
        let mut m = load_text("M.mch", NAMES).model.expect("the names check");
        let mut drawn = Draw { model: &mut m, bytes: bytes.iter(), scope: vec![] }.pred(5);
        let text = super::pred(&m, &drawn);
        let mut read = match check_predicate(&mut m, &text) {
            Ok(p) => p,
            Err(d) => return Err(TestCaseError::fail(format!("{text}\n{d:#?}"))),
        };
        Plain::default().pred(&mut drawn);
        Plain::default().pred(&mut read);
        prop_assert_eq!(&drawn, &read, "{}", text);

        let mut drawn = Draw { model: &mut m, bytes: bytes.iter(), scope: vec![] }.expr(&Type::relation(Type::Int, Type::Int), 5);
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
