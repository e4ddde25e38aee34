//! Bounds of the values of expressions, given the bounds of their names.

use bsym_language::model::*;

use super::analysis::Analysis;
use super::layout::{Function, Layout};

impl Analysis<'_> {
    /// Bound of the elements of an extension.
    fn join_all<'e>(&mut self, items: impl IntoIterator<Item = &'e Expr>) -> Layout {
        let mut layout = Layout::Never;
        for item in items {
            match self.value(item) {
                Layout::Never => return Layout::Never,
                value => layout = layout.join(value),
            }
        }
        layout
    }

    /// Returns a bound of the value of an expression, where it has one. As long as an operand has none, the result has
    /// none.
    pub(super) fn value(&mut self, e: &Expr) -> Layout {
        match &e.kind {
            ExprKind::Var(v) | ExprKind::Old(v) => self.known.variables[v.index()].clone(),
            ExprKind::Const(c) => self.known.constants[c.index()].clone(),
            ExprKind::Local(l) => self.known.locals[l.index()].clone(),
            ExprKind::Integer(n) => n.to_i64().map_or(Layout::Any, |n| Layout::Range(n, n)),
            ExprKind::EmptySet => Layout::empty(&e.ty),
            ExprKind::Carrier(_) | ExprKind::Set(BuiltinSet::Bool | BuiltinSet::Integer) => {
                Layout::set(Layout::Any, true)
            }
            ExprKind::SetExtension(items) => self.extension(items),
            ExprKind::SeqExtension(items) => {
                let value = self.join_all(items);
                if value == Layout::Never {
                    return Layout::Never;
                }
                let keys = Layout::Range(1, items.len() as i64);
                Layout::Function(Box::new(Function { keys, total: true, sequence: true, value }))
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Unary(op, a) => self.unary(*op, a),
            ExprKind::Apply(f, _) => match self.value(f) {
                Layout::Function(f) => f.value,
                other => other.element().sides().1,
            },
            ExprKind::Comprehension(locals, p) => {
                let Some(exact) = self.bind(locals, p) else { return Layout::Never };
                match self.couple(locals) {
                    Layout::Never => Layout::empty(&e.ty),
                    element => Layout::set(element, exact),
                }
            }
            ExprKind::Quantified(op, locals, p, body) => {
                let Some(exact) = self.bind(locals, p) else { return Layout::Never };
                let keys = self.couple(locals);
                let value = self.value(body);
                match op {
                    QuantOp::Lambda => Layout::function(keys, exact, value),
                    QuantOp::Image => Layout::set(value, false),
                    QuantOp::Union => value.elements().map_or(Layout::Any, |e| Layout::set(e.0, false)),
                    _ => Layout::Any,
                }
            }
            ExprKind::If(_, a, b) => self.value(a).join(self.value(b)),
            ExprKind::Let(bindings, body) => {
                for (local, value) in bindings {
                    let value = self.value(value);
                    self.known.locals[local.index()] = value;
                }
                self.value(body)
            }
            _ => Layout::Any,
        }
    }

    /// The left-nested couple of locals.
    fn couple(&self, locals: &[LocalId]) -> Layout {
        let all = locals.iter().map(|l| self.known.locals[l.index()].clone());
        all.reduce(Layout::pair).unwrap_or_default()
    }

    fn extension(&mut self, items: &[Expr]) -> Layout {
        let element = self.join_all(items);
        if element == Layout::Never {
            return element;
        }
        if distinct_keys(items) {
            let keys: Vec<&Expr> = items.iter().filter_map(|x| maplet(x).map(|m| m.0)).collect();
            let total = self.is_all(&keys);
            let (keys, value) = element.sides();
            return Layout::function(keys, total, value);
        }
        let exact = self.is_all(&items.iter().collect::<Vec<_>>());
        Layout::set(element, exact)
    }

    /// Returns whether literals are all the values of their layout.
    fn is_all(&mut self, items: &[&Expr]) -> bool {
        let mut different: Vec<&Expr> = vec![];
        for x in items {
            if !is_literal(x) {
                return false;
            }
            if !different.iter().any(|y| y.kind == x.kind) {
                different.push(x);
            }
        }
        let Some(first) = different.first() else { return true };
        match &first.kind {
            ExprKind::Bool(_) => different.len() == 2,
            ExprKind::Element(id, _) => match &self.model.types.carriers[id.index()].kind {
                CarrierKind::Enumerated(names) => different.len() == names.len(),
                CarrierKind::Deferred => false,
            },
            ExprKind::Integer(_) => match self.join_all(items.iter().copied()) {
                Layout::Range(low, high) => high.checked_sub(low) == Some(different.len() as i64 - 1),
                _ => false,
            },
            _ => false,
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Layout {
        use BinaryOp::*;
        let (x, y) = (self.value(a), self.value(b));
        if x == Layout::Never || y == Layout::Never {
            return Layout::Never;
        }
        if let Some(space) = op.relation_space() {
            if !space.functional {
                return Layout::set(Layout::set(Layout::pair(x.element(), y.element()), false), false);
            }
            let total = space.total && x.is_exact();
            return Layout::set(Layout::function(x.element(), total, y.element()), false);
        }
        let functions = match (&x, &y) {
            (Layout::Function(f), Layout::Function(g)) => Some((&**f, &**g)),
            _ => None,
        };
        match op {
            Interval => match (x, y) {
                (Layout::Range(low, a), Layout::Range(b, high)) if low <= high => {
                    Layout::set(Layout::Range(low, high), low == a && b == high)
                }
                (Layout::Range(..), Layout::Range(..)) => Layout::set(Layout::Never, true),
                _ => Layout::set(Layout::Any, false),
            },
            Maplet => Layout::pair(x, y),
            Override => match functions {
                Some((f, g)) => {
                    let keys = f.keys.clone().join(g.keys.clone());
                    let total = f.total && keys == f.keys || g.total && keys == g.keys;
                    Layout::function(keys, total, f.value.clone().join(g.value.clone()))
                }
                None => Layout::set(x.element().join(y.element()), false),
            },
            Union => match (&a.kind, &b.kind) {
                (ExprKind::EmptySet, _) => y,
                (_, ExprKind::EmptySet) => x,
                (ExprKind::SetExtension(p), ExprKind::SetExtension(q)) => {
                    self.extension(&p.iter().chain(q).cloned().collect::<Vec<_>>())
                }
                _ => Layout::set(x.element().join(y.element()), false),
            },
            Intersection => x.part().meet(y.part()),
            Difference | RangeRestriction | RangeSubtraction => x.part(),
            DomainRestriction | DomainSubtraction => y.part(),
            Composition => match functions {
                Some((f, g)) => Layout::function(f.keys.clone(), false, g.value.clone()),
                None => Layout::set(Layout::pair(x.element().sides().0, y.element().sides().1), false),
            },
            DirectProduct => match functions {
                Some((f, g)) => {
                    let value = Layout::pair(f.value.clone(), g.value.clone());
                    Layout::function(f.keys.clone().meet(g.keys.clone()), false, value)
                }
                None => Layout::Any,
            },
            ParallelProduct => match functions {
                Some((f, g)) => {
                    let value = Layout::pair(f.value.clone(), g.value.clone());
                    Layout::function(Layout::pair(f.keys.clone(), g.keys.clone()), false, value)
                }
                None => Layout::Any,
            },
            Cartesian => {
                let (left, right) = (x.element(), y.element());
                match &b.kind {
                    ExprKind::SetExtension(one) if one.len() == 1 => {
                        Layout::function(left, x.is_exact(), right)
                    }
                    _ => Layout::set(Layout::pair(left, right), x.is_exact() && y.is_exact()),
                }
            }
            Image => Layout::set(x.element().sides().1, false),
            Concat => match functions {
                Some((f, g)) => extended(f, g.value.clone(), f.sequence && g.sequence),
                None => Layout::Any,
            },
            Append | Take | Drop | Prepend => {
                let (s, other) = if op == Prepend { (&y, &x) } else { (&x, &y) };
                match s.as_function() {
                    Some(f) if matches!(op, Take | Drop) => shortened(f),
                    Some(f) => extended(f, other.clone(), f.sequence),
                    None => Layout::Any,
                }
            }
            _ => Layout::Any,
        }
    }

    fn unary(&mut self, op: UnaryOp, a: &Expr) -> Layout {
        use UnaryOp::*;
        let x = self.value(a);
        if x == Layout::Never {
            return x;
        }
        match op {
            Pow | Pow1 | Fin | Fin1 => Layout::set(x.part(), false),
            Dom => match &x {
                Layout::Function(f) => Layout::set(f.keys.clone(), f.total),
                _ => Layout::set(x.element().sides().0, false),
            },
            Ran => Layout::set(x.element().sides().1, false),
            Inverse => {
                let (k, v) = x.element().sides();
                Layout::set(Layout::pair(v, k), false)
            }
            Id => Layout::function(x.element(), x.is_exact(), x.element()),
            Fnc => Layout::function(Layout::Any, false, Layout::Any),
            GeneralUnion => Layout::set(x.element().element(), false),
            Seq | Seq1 | Iseq | Iseq1 | Perm => Layout::set(Layout::sequence(x.element()), false),
            Front | Tail | Rev => x.as_function().map_or(Layout::Any, shortened),
            FirstOf => x.sides().0,
            SecondOf => x.sides().1,
            _ => Layout::Any,
        }
    }
}

/// A sequence with further elements.
fn extended(f: &Function, value: Layout, sequence: bool) -> Layout {
    let value = f.value.clone().join(value);
    Layout::Function(Box::new(Function { keys: Layout::Any, total: false, sequence, value }))
}

/// A part of a sequence, moved to its front, or in another order.
fn shortened(f: &Function) -> Layout {
    let keys = match f.keys {
        Layout::Range(low, high) => Layout::Range(low.min(1), high),
        ref other => other.clone(),
    };
    Layout::Function(Box::new(Function { keys, total: false, ..f.clone() }))
}

pub(super) fn maplet(e: &Expr) -> Option<(&Expr, &Expr)> {
    match &e.kind {
        ExprKind::Binary(BinaryOp::Maplet, a, b) => Some((a, b)),
        _ => None,
    }
}

/// Returns whether a set extension is made of maplets whose left sides are different literals.
pub(super) fn distinct_keys(items: &[Expr]) -> bool {
    if let [one] = items {
        return matches!(one.kind, ExprKind::Binary(BinaryOp::Maplet, ..));
    }
    let mut keys: Vec<&Expr> = vec![];
    for item in items {
        let ExprKind::Binary(BinaryOp::Maplet, key, _) = &item.kind else { return false };
        if !is_literal(key) || keys.iter().any(|k| k.kind == key.kind || !comparable(k, key)) {
            return false;
        }
        keys.push(key);
    }
    true
}

pub(super) fn is_literal(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Element(..) | ExprKind::Integer(_) | ExprKind::Bool(_) | ExprKind::String(_) => true,
        ExprKind::Binary(BinaryOp::Maplet, a, b) => is_literal(a) && is_literal(b),
        _ => false,
    }
}

/// Couples carry spans, so that equal ones may look different: they are compared part by part.
pub(super) fn comparable(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Binary(_, a1, a2), ExprKind::Binary(_, b1, b2)) => {
            (a1.kind != b1.kind && comparable(a1, b1)) || (a2.kind != b2.kind && comparable(a2, b2))
        }
        _ => true,
    }
}
