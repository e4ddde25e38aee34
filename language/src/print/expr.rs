//! Expressions and predicates as text. Levels are those of the table of precedences (ProB's, with
//! extra parentheses where Atelier B groups in another way).

use super::names::Printer;
use super::types::type_parameter;
use super::words::{binary_symbol, comparison, infix, quoted, reference, tree_word, unary_word};
use crate::ast::BinaryOp as In;
use crate::ast::precedence::*;
use crate::model::types::Type;
use crate::model::*;

// Operands of `/=`, `/:`, `<` and the like, which Atelier B puts at the level of sets.
const ABOVE_SETS: u8 = SETS + 1;
const ATOM: u8 = APPLIED;
const APPLICATION: u8 = POSTFIX + 1;

impl Printer<'_> {
    pub(super) fn expr(&mut self, e: &Expr, min: u8) {
        let level = expr_level(e);
        if level < min {
            self.put("(");
            self.bare_expr(e, level);
            self.put(")");
        } else {
            self.bare_expr(e, level);
        }
    }

    fn list(&mut self, items: &[Expr]) {
        for (i, x) in items.iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            self.expr(x, EXPRESSION);
        }
    }

    fn call(&mut self, word: &str, items: &[&Expr]) {
        self.put(word);
        self.put("(");
        for (i, x) in items.iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            self.expr(x, EXPRESSION);
        }
        self.put(")");
    }

    fn fields(&mut self, word: &str, fields: &[(String, Expr)]) {
        self.put(word);
        for (i, (label, x)) in fields.iter().enumerate() {
            self.put(if i == 0 { "(" } else { ", " });
            self.put(&quoted(label));
            self.put(": ");
            self.expr(x, EXPRESSION);
        }
        self.put(")");
    }

    fn global(&mut self, name: &str) {
        let name = reference(name);
        self.put(&name);
    }

    fn bare_expr(&mut self, e: &Expr, level: u8) {
        let open = self.open_type;
        self.open_type = match &e.kind {
            ExprKind::SetExtension(items) | ExprKind::SeqExtension(items) => {
                open && items.iter().all(has_open_type)
            }
            ExprKind::Binary(BinaryOp::Maplet, ..) => open,
            ExprKind::Binary(op, a, b) if is_between_equals(*op) => {
                open && has_open_type(a) && has_open_type(b)
            }
            _ => true,
        };
        self.typed_expr(e, level, open);
        self.open_type = open;
    }

    fn typed_expr(&mut self, e: &Expr, level: u8, open: bool) {
        let model = self.model;
        match &e.kind {
            ExprKind::Var(v) => {
                self.global(&model.variables[v.index()].name);
                if self.targets.contains(&Target::Var(*v)) {
                    self.put("$0");
                }
            }
            ExprKind::Old(v) => {
                self.global(&model.variables[v.index()].name);
                self.put("$0");
            }
            ExprKind::Const(c) => self.global(&model.constants[c.index()].name),
            ExprKind::Local(l) => {
                let name = self.local(*l);
                self.global(&name);
                if self.targets.contains(&Target::Local(*l)) {
                    self.put("$0");
                }
            }
            ExprKind::Carrier(c) => self.global(&model.types.carriers[c.index()].name),
            ExprKind::Element(c, i) => {
                if let CarrierKind::Enumerated(names) = &model.types.carriers[c.index()].kind {
                    self.global(&names[*i as usize]);
                }
            }
            ExprKind::Integer(n) => self.put(&n.to_string()),
            ExprKind::Real(text) => self.put(text),
            ExprKind::String(text) => {
                self.put(&literal(text));
            }
            ExprKind::Bool(b) => self.put(if *b { "TRUE" } else { "FALSE" }),
            ExprKind::MaxInt => self.put("MAXINT"),
            ExprKind::MinInt => self.put("MININT"),
            ExprKind::Set(s) => self.put(set_word(*s)),
            // `[]` is a relation from integers even if nothing else determines its type.
            ExprKind::EmptySet if open && is_sequence(&e.ty) => self.put("[]"),
            ExprKind::EmptySet => self.put("{}"),
            ExprKind::SetExtension(items) => {
                self.put("{");
                self.list(items);
                self.put("}");
            }
            ExprKind::SeqExtension(items) => {
                self.put("[");
                self.list(items);
                self.put("]");
            }
            ExprKind::Unary(UnaryOp::Negate | UnaryOp::NegateReal, a) => {
                self.put("-");
                // `-5` is a literal; `-(5)` cannot be distinguished from it, which does no harm.
                self.expr(a, POSTFIX);
            }
            ExprKind::Unary(UnaryOp::Inverse, a) => {
                self.expr(a, POSTFIX);
                self.put("~");
            }
            ExprKind::Unary(op, a) => self.call(unary_word(*op), &[a]),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, level),
            ExprKind::Apply(f, x) => {
                self.expr(f, POSTFIX);
                self.put("(");
                self.expr(x, EXPRESSION);
                self.put(")");
            }
            ExprKind::BoolOf(p) => {
                self.put("bool(");
                self.pred(p, 0);
                self.put(")");
            }
            ExprKind::Comprehension(ids, p) => {
                let names = self.open_all(ids);
                self.put(&format!("{{{names} | "));
                self.pred(p, 0);
                self.put("}");
                self.close(ids.len());
            }
            ExprKind::Quantified(op, ids, p, v) => self.quantified(*op, ids, p, v),
            ExprKind::Record(fields) => self.fields("rec", fields),
            ExprKind::Struct(fields) => self.fields("struct", fields),
            ExprKind::Field(r, label) => {
                self.expr(r, POSTFIX);
                self.put("'");
                self.global(label);
            }
            ExprKind::WithField(r, label, v) => self.with_field(r, label, v),
            ExprKind::If(p, a, b) => {
                self.put("IF ");
                self.pred(p, 0);
                self.put(" THEN ");
                self.expr(a, EXPRESSION);
                self.put(" ELSE ");
                self.expr(b, EXPRESSION);
                self.put(" END");
            }
            ExprKind::Let(bindings, a) => {
                let count = self.bindings(bindings);
                self.expr(a, EXPRESSION);
                self.put(" END");
                self.close(count);
            }
            ExprKind::Iterate(r, n) => self.call("iterate", &[r, n]),
            ExprKind::Prj1(s, t) => self.call("prj1", &[s, t]),
            ExprKind::Prj2(s, t) => self.call("prj2", &[s, t]),
            ExprKind::Succ => self.put("succ"),
            ExprKind::Pred => self.put("pred"),
            ExprKind::Abstract(v) => self.global(&model.refinement.abstract_variables[v.index()].name),
            ExprKind::FreeSet(t, arguments) => {
                self.global(&model.types.free_types[t.index()].name);
                self.arguments(arguments);
            }
            ExprKind::Constructor(t, i) => {
                self.global(&model.types.free_types[t.index()].constructors[*i as usize].name);
            }
            ExprKind::TypeParameter(i) => self.put(&type_parameter(*i)),
            ExprKind::Tree(op, arguments) => {
                self.put(tree_word(*op));
                self.arguments(arguments);
            }
            ExprKind::External(f, arguments) => {
                self.put(f.name());
                self.arguments(arguments);
            }
            ExprKind::Call(operator, arguments) => {
                self.global(&model.definitions.operators[operator.index()].name);
                self.arguments(arguments);
            }
        }
    }

    fn arguments(&mut self, arguments: &[Expr]) {
        if !arguments.is_empty() {
            let items: Vec<&Expr> = arguments.iter().collect();
            self.call("", &items);
        }
    }

    // B has no expression for it: a record of the other fields and the new one.
    fn with_field(&mut self, r: &Expr, label: &str, v: &Expr) {
        let Type::Record(types) = &r.ty else { return };
        self.put("rec");
        for (i, (l, _)) in types.iter().enumerate() {
            self.put(if i == 0 { "(" } else { ", " });
            self.global(l);
            self.put(": ");
            if l == label {
                self.expr(v, EXPRESSION);
            } else {
                self.expr(r, POSTFIX);
                self.put("'");
                self.global(l);
            }
        }
        self.put(")");
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, level: u8) {
        match op {
            BinaryOp::Image => {
                self.expr(a, POSTFIX);
                self.put("[");
                self.expr(b, EXPRESSION);
                self.put("]");
            }
            // These need parentheses of their own wherever they stand.
            BinaryOp::Composition | BinaryOp::ParallelProduct => {
                self.put("(");
                self.expr(a, EXPRESSION);
                self.put(if op == BinaryOp::Composition { " ; " } else { " || " });
                self.expr(b, EXPRESSION);
                self.put(")");
            }
            BinaryOp::Power | BinaryOp::PowerReal => {
                self.expr(a, level + 1);
                self.put(" ** ");
                self.expr(b, level);
            }
            _ => {
                // Different operators of the crowded level 160 are easier to read in parentheses.
                let same = matches!(&a.kind, ExprKind::Binary(o, ..) if *o == op);
                self.expr(a, if level == SETS && !same { ABOVE_SETS } else { level });
                self.put(&format!(" {} ", binary_symbol(op)));
                self.expr(b, level + 1);
            }
        }
    }

    fn quantified(&mut self, op: QuantOp, ids: &[LocalId], p: &Pred, v: &Expr) {
        let names = self.open_all(ids);
        match op {
            QuantOp::Image => self.put(&format!("{{({names}).(")),
            QuantOp::Lambda if ids.len() == 1 => self.put(&format!("%{names}.(")),
            QuantOp::Lambda => self.put(&format!("%({names}).(")),
            QuantOp::Union => self.put(&format!("UNION({names}).(")),
            QuantOp::Inter => self.put(&format!("INTER({names}).(")),
            QuantOp::Sigma | QuantOp::SigmaReal => self.put(&format!("SIGMA({names}).(")),
            QuantOp::Pi | QuantOp::PiReal => self.put(&format!("PI({names}).(")),
        }
        self.pred(p, 0);
        self.put(if op == QuantOp::Image { ") | " } else { " | " });
        self.expr(v, EXPRESSION);
        self.put(if op == QuantOp::Image { "}" } else { ")" });
        self.close(ids.len());
    }

    /// `LET x BE x = E IN `, with the names left open; returns how many.
    pub(super) fn bindings(&mut self, bindings: &[(LocalId, Expr)]) -> usize {
        // The values are outside the scope of the names, which therefore are new.
        let ids: Vec<LocalId> = bindings.iter().map(|(l, _)| *l).collect();
        let declared = self.open_all(&ids);
        let names: Vec<String> = ids.iter().map(|l| quoted(&self.local(*l))).collect();
        self.put(&format!("LET {declared} BE "));
        for (i, (name, (_, value))) in names.iter().zip(bindings).enumerate() {
            if i > 0 {
                self.put(" & ");
            }
            self.put(&format!("{name} = "));
            let outer = std::mem::replace(&mut self.open_type, true);
            self.expr(value, EXPRESSION);
            self.open_type = outer;
        }
        self.put(" IN ");
        ids.len()
    }

    pub(super) fn pred(&mut self, p: &Pred, min: u8) {
        let level = pred_level(p);
        if level < min {
            self.put("(");
            self.bare_pred(p);
            self.put(")");
        } else {
            self.bare_pred(p);
        }
    }

    fn bare_pred(&mut self, p: &Pred) {
        match &p.kind {
            PredKind::True => self.put("btrue"),
            PredKind::False => self.put("bfalse"),
            PredKind::And(list) | PredKind::Or(list) => {
                let word = if matches!(p.kind, PredKind::And(_)) { " & " } else { " or " };
                for (i, q) in list.iter().enumerate() {
                    if i > 0 {
                        self.put(word);
                    }
                    self.pred(q, CONJUNCTION + 1);
                }
            }
            PredKind::Implies(a, b) => {
                self.pred(a, FORMULA + 1);
                self.put(" => ");
                self.pred(b, FORMULA + 1);
            }
            PredKind::Iff(a, b) => {
                self.pred(a, COMPARISON);
                self.put(" <=> ");
                self.pred(b, COMPARISON);
            }
            PredKind::Not(a) => {
                self.put("not(");
                self.pred(a, 0);
                self.put(")");
            }
            PredKind::Forall(ids, a) | PredKind::Exists(ids, a) => {
                self.put(if matches!(p.kind, PredKind::Forall(..)) { "!" } else { "#" });
                let names = self.open_all(ids);
                self.put(&if ids.len() == 1 { format!("{names}.(") } else { format!("({names}).(") });
                self.pred(a, 0);
                self.put(")");
                self.close(ids.len());
            }
            PredKind::Compare(op, a, b) => {
                let (symbol, min) = compare_symbol(*op);
                let both = has_open_type(a) && has_open_type(b);
                let outer = std::mem::replace(&mut self.open_type, both);
                self.expr(a, min);
                self.put(&format!(" {symbol} "));
                self.expr(b, min);
                self.open_type = outer;
            }
            PredKind::Finite(s) => self.call("@finite", &[s]),
            PredKind::Partition(s, parts) => {
                let items: Vec<&Expr> = std::iter::once(&**s).chain(parts).collect();
                self.call("@partition", &items);
            }
            PredKind::External(f, arguments) => {
                self.put(f.name());
                self.arguments(arguments);
            }
            PredKind::Call(operator, arguments) => {
                self.global(&self.model.definitions.operators[operator.index()].name);
                self.arguments(arguments);
            }
            PredKind::If(c, a, b) => {
                self.put("IF ");
                self.pred(c, 0);
                self.put(" THEN ");
                self.pred(a, 0);
                self.put(" ELSE ");
                self.pred(b, 0);
                self.put(" END");
            }
            PredKind::Let(bindings, a) => {
                let count = self.bindings(bindings);
                self.pred(a, 0);
                self.put(" END");
                self.close(count);
            }
        }
    }
}

/// Returns a string as it is written.
pub(super) fn literal(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
        .replace('\t', "\\t");
    format!("\"{escaped}\"")
}

fn is_sequence(ty: &Type) -> bool {
    matches!(ty, Type::Pow(element) if matches!(&**element, Type::Pair(a, _) if **a == Type::Int))
}

// Returns whether only empty sets could determine the type, so that it is open.
fn has_open_type(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::EmptySet => true,
        ExprKind::SetExtension(items) | ExprKind::SeqExtension(items) => items.iter().all(has_open_type),
        ExprKind::Unary(_, a) => has_open_type(a),
        ExprKind::Binary(BinaryOp::Maplet, a, b) => has_open_type(a) || has_open_type(b),
        ExprKind::Binary(_, a, b) => has_open_type(a) && has_open_type(b),
        _ => false,
    }
}

// Both operands and the result have one type.
fn is_between_equals(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Union | Intersection | Difference | Override | Concat)
}

fn pred_level(p: &Pred) -> u8 {
    match &p.kind {
        PredKind::Implies(..) => In::Implies.level(),
        PredKind::And(_) | PredKind::Or(_) => CONJUNCTION,
        PredKind::Iff(..) => In::Iff.level(),
        // Looser than the parser reads it: inside `<=>` it stands in parentheses.
        PredKind::Compare(..) => In::Iff.level() + 1,
        _ => ATOM,
    }
}

fn expr_level(e: &Expr) -> u8 {
    match &e.kind {
        ExprKind::Integer(n) if n.is_negative() => UNARY_MINUS,
        ExprKind::Unary(UnaryOp::Negate | UnaryOp::NegateReal, _) => UNARY_MINUS,
        ExprKind::Unary(UnaryOp::Inverse, _) => POSTFIX,
        ExprKind::Apply(..) | ExprKind::Field(..) | ExprKind::Binary(BinaryOp::Image, ..) => APPLICATION,
        ExprKind::Binary(op, ..) => match infix(*op).level() {
            IN_PARENTHESES => ATOM,
            level => level,
        },
        _ => ATOM,
    }
}

fn compare_symbol(op: CompareOp) -> (&'static str, u8) {
    use CompareOp::*;
    let min = match op {
        Equal | Member | Subset | NotSubset | StrictSubset | NotStrictSubset => EXPRESSION,
        _ => ABOVE_SETS,
    };
    (comparison(op).spelling(), min)
}

fn set_word(s: BuiltinSet) -> &'static str {
    match s {
        BuiltinSet::Integer => "INTEGER",
        BuiltinSet::Natural => "NATURAL",
        BuiltinSet::Natural1 => "NATURAL1",
        BuiltinSet::Int => "INT",
        BuiltinSet::Nat => "NAT",
        BuiltinSet::Nat1 => "NAT1",
        BuiltinSet::Bool => "BOOL",
        BuiltinSet::String => "STRING",
        BuiltinSet::Real => "REAL",
        BuiltinSet::Float => "FLOAT",
    }
}
