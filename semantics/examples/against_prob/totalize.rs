//! Formulas without ill-defined parts: what an answer is where something else stands for them.
//!
//! Every operator that is not defined everywhere gets its domain in front (B-Book, and the reference manual for
//! sequences and trees), so that the evaluator need not be told what to take for what has no value.

use std::hash::{DefaultHasher, Hash, Hasher};

use bsym_language::model::*;
use bsym_language::source::Span;
use bsym_language::types::Type;
use bsym_language::walk::{VisitorMut, walk_expr_mut, walk_pred_mut};

/// What stands for what is ill-defined.
#[derive(Clone, Copy)]
pub enum StandIn {
    /// A value for every expression, other ones for other seeds.
    Value(u64),
    /// False for every comparison with an ill-defined part.
    False,
    /// The least of the images for the application of a relation to a point with several.
    LeastImage,
}

/// The predicate with something in the place of its ill-defined parts.
pub fn totalized(p: &Pred, stand_in: StandIn, model: &mut Model) -> Pred {
    let mut p = p.clone();
    Totalize { stand_in, model }.pred(&mut p);
    p
}

struct Totalize<'m> {
    stand_in: StandIn,
    model: &'m mut Model,
}

impl VisitorMut for Totalize<'_> {
    fn expr(&mut self, e: &mut Expr) {
        walk_expr_mut(self, e);
        let (at, ty) = (e.span, e.ty.clone());
        match self.stand_in {
            StandIn::Value(seed) => {
                let mut hasher = DefaultHasher::new();
                (at.start, at.end).hash(&mut hasher);
                seed.hash(&mut hasher);
                let mut draw = Draw { state: hasher.finish() | 1, at };
                let Some(value) = draw.value(&ty) else { return };
                self.guard(e, |this, e| this.domain(e), |_| value);
            }
            StandIn::LeastImage => self.guard(
                e,
                |_, e| match &e.kind {
                    ExprKind::Apply(f, x) => Some(not(relation(more_than_one(f, x), at))),
                    _ => None,
                },
                |e| match &e.kind {
                    ExprKind::Apply(f, x) => {
                        expr(ExprKind::External(ExternalFunction::Choose, vec![image(f, x)]), ty, at)
                    }
                    _ => e.clone(),
                },
            ),
            StandIn::False => {}
        }
    }

    fn pred(&mut self, p: &mut Pred) {
        walk_pred_mut(self, p);
        if let (StandIn::False, PredKind::Compare(_, a, b)) = (self.stand_in, &p.kind) {
            let mut parts = vec![];
            self.defined(a, &mut parts);
            self.defined(b, &mut parts);
            if !parts.is_empty() {
                parts.push(p.clone());
                p.kind = PredKind::And(parts);
            }
        }
    }
}

impl Totalize<'_> {
    /// Puts the condition in front of an operator, and another expression where it is false. Operands get names, so that
    /// they are written, and evaluated, once.
    fn guard(
        &mut self,
        e: &mut Expr,
        condition: impl FnOnce(&mut Self, &Expr) -> Option<Pred>,
        otherwise: impl FnOnce(&Expr) -> Expr,
    ) {
        let (at, ty) = (e.span, e.ty.clone());
        let mut named = e.clone();
        let mut definitions = vec![];
        for operand in operands(&mut named) {
            let id = self.local(&operand.ty, at);
            let name = local(id, &operand.ty, at);
            definitions.push((id, std::mem::replace(operand, name)));
        }
        let Some(condition) = condition(self, &named) else { return };
        let otherwise = otherwise(&named);
        let kind = ExprKind::If(Box::new(condition), Box::new(named), Box::new(otherwise));
        let guarded = expr(kind, ty.clone(), at);
        *e = match definitions.is_empty() {
            true => guarded,
            false => expr(ExprKind::Let(definitions, Box::new(guarded)), ty, at),
        };
    }

    fn local(&mut self, ty: &Type, at: Span) -> LocalId {
        let id = LocalId(self.model.locals.len() as u32);
        self.model.locals.push(Variable { name: "operand".into(), ty: ty.clone(), span: at });
        id
    }

    /// Where an expression is defined, part by part from left to right, where its comparisons are.
    fn defined(&mut self, e: &Expr, out: &mut Vec<Pred>) {
        let at = e.span;
        match &e.kind {
            ExprKind::Comprehension(..) | ExprKind::BoolOf(_) => {}
            ExprKind::Quantified(_, locals, p, body) => {
                let mut parts = vec![];
                self.defined(body, &mut parts);
                if !parts.is_empty() {
                    let body = pred(PredKind::And(parts), at);
                    let body = pred(PredKind::Implies(p.clone(), Box::new(body)), at);
                    out.push(pred(PredKind::Forall(locals.clone(), Box::new(body)), at));
                }
            }
            ExprKind::If(p, a, b) => {
                let (mut yes, mut no) = (vec![], vec![]);
                self.defined(a, &mut yes);
                self.defined(b, &mut no);
                let both = |parts| Box::new(pred(PredKind::And(parts), at));
                out.push(pred(PredKind::If(p.clone(), both(yes), both(no)), at));
            }
            ExprKind::Let(definitions, body) => {
                let mut parts = vec![];
                definitions.iter().for_each(|(_, d)| self.defined(d, out));
                self.defined(body, &mut parts);
                let body = Box::new(pred(PredKind::And(parts), at));
                out.push(pred(PredKind::Let(definitions.clone(), body), at));
            }
            _ => operands(&mut e.clone()).into_iter().for_each(|operand| self.defined(operand, out)),
        }
        out.extend(self.domain(e));
    }

    /// Where an operator is defined, if its operands are.
    fn domain(&mut self, e: &Expr) -> Option<Pred> {
        use BinaryOp::*;
        use CompareOp::{Greater, GreaterEqual, NotEqual};
        use UnaryOp::*;
        let at = e.span;
        let compare = |op, a: &Expr, b: Expr| relation((op, a.clone(), b), at);
        let not_empty = |s: &Expr| compare(NotEqual, s, expr(ExprKind::EmptySet, s.ty.clone(), at));
        let finite = |s: Expr| pred(PredKind::Finite(Box::new(s)), at);
        let all = |parts: Vec<Pred>| Some(pred(PredKind::And(parts), at));
        let zero = |ty: &Type| match ty {
            Type::Real => expr(ExprKind::Real("0.0".into()), Type::Real, at),
            _ => number(0, at),
        };
        match &e.kind {
            ExprKind::Unary(op, s) => match op {
                Perm | Card => Some(finite((**s).clone())),
                Max | MaxReal | MinReal => all(vec![not_empty(s), finite((**s).clone())]),
                Min => {
                    let naturals = expr(ExprKind::Set(BuiltinSet::Natural), s.ty.clone(), at);
                    all(vec![not_empty(s), finite(binary(Difference, s, naturals))])
                }
                GeneralInter => Some(not_empty(s)),
                Size | Rev => Some(is_sequence(s)),
                First | Last | Front | Tail => all(vec![is_sequence(s), not_empty(s)]),
                Conc => {
                    let parts = self.each_element(s, is_sequence)?;
                    all(vec![is_sequence(s), parts])
                }
                _ => None,
            },
            ExprKind::Binary(op, a, b) => match op {
                Divide | DivideReal => Some(compare(NotEqual, b, zero(&b.ty))),
                Mod => all(vec![compare(GreaterEqual, a, number(0, at)), compare(Greater, b, number(0, at))]),
                Power | PowerReal => Some(compare(GreaterEqual, b, number(0, at))),
                Prepend => Some(is_sequence(b)),
                Append => Some(is_sequence(a)),
                Concat if a.ty != Type::String => all(vec![is_sequence(a), is_sequence(b)]),
                Take | Drop => {
                    let size = expr(ExprKind::Unary(Size, a.clone()), Type::Int, at);
                    all(vec![
                        is_sequence(a),
                        compare(GreaterEqual, b, number(0, at)),
                        compare(CompareOp::LessEqual, b, size),
                    ])
                }
                _ => None,
            },
            ExprKind::Iterate(_, n) => Some(compare(GreaterEqual, n, number(0, at))),
            ExprKind::Apply(f, x) => {
                let size = expr(ExprKind::Unary(Card, Box::new(image(f, x))), Type::Int, at);
                Some(compare(CompareOp::Equal, &size, number(1, at)))
            }
            ExprKind::Quantified(QuantOp::Inter, locals, p, _) => {
                Some(pred(PredKind::Exists(locals.clone(), p.clone()), at))
            }
            ExprKind::Tree(op, arguments) => self.domain_of_tree(*op, arguments, at),
            _ => None,
        }
    }

    fn domain_of_tree(&mut self, op: TreeOp, arguments: &[Expr], at: Span) -> Option<Pred> {
        let all = |parts: Vec<Pred>| Some(pred(PredKind::And(parts), at));
        let tree = |t: &Expr| is_tree(t, TreeOp::Trees);
        let binary_tree = |t: &Expr| is_tree(t, TreeOp::BinaryTrees);
        match (op, arguments) {
            (TreeOp::Trees | TreeOp::BinaryTrees, _) | (TreeOp::Bin, [_]) => None,
            (TreeOp::Const, [_, sons]) => {
                let trees = self.each_element(sons, |t| is_tree(t, TreeOp::Trees))?;
                all(vec![is_sequence(sons), trees])
            }
            (TreeOp::Bin, [left, _, right]) => all(vec![tree(left), tree(right)]),
            (TreeOp::Infix, [t]) => Some(binary_tree(t)),
            (TreeOp::Left | TreeOp::Right, [t]) => {
                let size = expr(ExprKind::Unary(UnaryOp::Card, Box::new(t.clone())), Type::Int, at);
                all(vec![binary_tree(t), relation((CompareOp::Greater, size, number(1, at)), at)])
            }
            (_, [t]) => Some(tree(t)),
            (_, [t, path, rest @ ..]) => {
                let paths =
                    expr(ExprKind::Unary(UnaryOp::Dom, Box::new(t.clone())), Type::pow(path.ty.clone()), at);
                let mut parts = vec![tree(t), relation((CompareOp::Member, path.clone(), paths), at)];
                if matches!(op, TreeOp::Rank | TreeOp::Father) {
                    let root = expr(ExprKind::EmptySet, path.ty.clone(), at);
                    parts.push(relation((CompareOp::NotEqual, path.clone(), root), at));
                }
                if let [n] = rest {
                    let sons = ExprKind::Tree(TreeOp::Arity, vec![t.clone(), path.clone()]);
                    let sons = expr(sons, Type::Int, at);
                    parts.push(relation((CompareOp::Greater, n.clone(), number(0, at)), at));
                    parts.push(relation((CompareOp::LessEqual, n.clone(), sons), at));
                }
                all(parts)
            }
            _ => None,
        }
    }

    /// The condition for each element of a sequence.
    fn each_element(&mut self, s: &Expr, condition: impl FnOnce(&Expr) -> Pred) -> Option<Pred> {
        let (_, element) = s.ty.as_relation()?;
        let (element, at) = (element.clone(), s.span);
        let id = self.local(&element, at);
        let part = local(id, &element, at);
        let inside = relation((CompareOp::Member, part.clone(), range(s)), at);
        let body = pred(PredKind::Implies(Box::new(inside), Box::new(condition(&part))), at);
        Some(pred(PredKind::Forall(vec![id], Box::new(body)), at))
    }
}

/// The operands of an operator; none where it binds names.
fn operands(e: &mut Expr) -> Vec<&mut Expr> {
    match &mut e.kind {
        ExprKind::Unary(_, a) | ExprKind::Field(a, _) => vec![a],
        ExprKind::Binary(_, a, b)
        | ExprKind::Apply(a, b)
        | ExprKind::Iterate(a, b)
        | ExprKind::Prj1(a, b)
        | ExprKind::Prj2(a, b)
        | ExprKind::WithField(a, _, b) => vec![a, b],
        ExprKind::SetExtension(es)
        | ExprKind::SeqExtension(es)
        | ExprKind::Tree(_, es)
        | ExprKind::External(_, es)
        | ExprKind::FreeSet(_, es)
        | ExprKind::Call(_, es) => es.iter_mut().collect(),
        ExprKind::Record(fields) | ExprKind::Struct(fields) => fields.iter_mut().map(|(_, e)| e).collect(),
        _ => vec![],
    }
}

fn expr(kind: ExprKind, ty: Type, span: Span) -> Expr {
    Expr { kind, ty, span }
}

fn pred(kind: PredKind, span: Span) -> Pred {
    Pred { kind, span }
}

fn not(p: Pred) -> Pred {
    let span = p.span;
    pred(PredKind::Not(Box::new(p)), span)
}

fn relation((op, a, b): (CompareOp, Expr, Expr), at: Span) -> Pred {
    pred(PredKind::Compare(op, Box::new(a), Box::new(b)), at)
}

fn number(n: i64, at: Span) -> Expr {
    expr(ExprKind::Integer(n.into()), Type::Int, at)
}

fn local(id: LocalId, ty: &Type, at: Span) -> Expr {
    expr(ExprKind::Local(id), ty.clone(), at)
}

fn binary(op: BinaryOp, a: &Expr, b: Expr) -> Expr {
    expr(ExprKind::Binary(op, Box::new(a.clone()), Box::new(b)), a.ty.clone(), a.span)
}

/// `f[{x}]`
fn image(f: &Expr, x: &Expr) -> Expr {
    let point = expr(ExprKind::SetExtension(vec![x.clone()]), Type::pow(x.ty.clone()), x.span);
    let to = f.ty.as_relation().map_or(Type::Int, |(_, to)| to.clone());
    expr(ExprKind::Binary(BinaryOp::Image, Box::new(f.clone()), Box::new(point)), Type::pow(to), f.span)
}

fn more_than_one(f: &Expr, x: &Expr) -> (CompareOp, Expr, Expr) {
    let size = expr(ExprKind::Unary(UnaryOp::Card, Box::new(image(f, x))), Type::Int, f.span);
    (CompareOp::Greater, size, number(1, f.span))
}

fn range(s: &Expr) -> Expr {
    let to = s.ty.as_relation().map_or(Type::Int, |(_, to)| to.clone());
    expr(ExprKind::Unary(UnaryOp::Ran, Box::new(s.clone())), Type::pow(to), s.span)
}

/// `s : seq(ran(s))`
fn is_sequence(s: &Expr) -> Pred {
    let space = expr(ExprKind::Unary(UnaryOp::Seq, Box::new(range(s))), Type::pow(s.ty.clone()), s.span);
    relation((CompareOp::Member, s.clone(), space), s.span)
}

/// `t : tree(ran(t))`, or `btree`
fn is_tree(t: &Expr, op: TreeOp) -> Pred {
    let space = expr(ExprKind::Tree(op, vec![range(t)]), Type::pow(t.ty.clone()), t.span);
    relation((CompareOp::Member, t.clone(), space), t.span)
}

/// Values drawn by a seed, as expressions.
struct Draw {
    state: u64,
    at: Span,
}

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 20) % n as u64) as usize
    }

    fn value(&mut self, ty: &Type) -> Option<Expr> {
        let kind = match ty {
            Type::Bool => ExprKind::Bool(self.below(2) == 1),
            Type::Int => ExprKind::Integer((self.below(20) as i64 - 6).into()),
            Type::Real => ExprKind::Real(format!("{}.0", self.below(14))),
            Type::String => ExprKind::String(["", "a", "b", "ab"][self.below(4)].into()),
            Type::Pow(t) => match self.below(4) {
                0 => ExprKind::EmptySet,
                n => ExprKind::SetExtension((0..n).map(|_| self.value(t)).collect::<Option<_>>()?),
            },
            Type::Pair(a, b) => {
                ExprKind::Binary(BinaryOp::Maplet, Box::new(self.value(a)?), Box::new(self.value(b)?))
            }
            Type::Record(fields) => ExprKind::Record(
                fields.iter().map(|(l, t)| Some((l.clone(), self.value(t)?))).collect::<Option<_>>()?,
            ),
            Type::Carrier(_) | Type::Free(..) | Type::Parameter(_) => return None,
        };
        Some(expr(kind, ty.clone(), self.at))
    }
}
