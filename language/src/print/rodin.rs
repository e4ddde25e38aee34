//! Predicates in Rodin's syntax: the symbols of Event-B, and parentheses around every operand that is not a name or
//! application.

use super::words::{comparison, infix, unary_word};
use crate::ast::BinaryOp as In;
use crate::model::*;

/// Returns a predicate in the notation of Event-B (Métayer and Voisin, *The Event-B Mathematical Language*, 2009);
/// `None` where that has no word for a part of it.
pub fn rodin(model: &Model, p: &Pred) -> Option<String> {
    Rodin { model }.pred(p)
}

/// Returns an expression in the notation of Event-B, as [`rodin`] does.
pub fn rodin_expr(model: &Model, e: &Expr) -> Option<String> {
    Rodin { model }.expr(e)
}

struct Rodin<'m> {
    model: &'m Model,
}

impl Rodin<'_> {
    fn pred(&self, p: &Pred) -> Option<String> {
        let both =
            |word: &str, a: &Pred, b: &Pred| Some(format!("{} {word} {}", self.part(a)?, self.part(b)?));
        match &p.kind {
            PredKind::True => Some("⊤".into()),
            PredKind::False => Some("⊥".into()),
            PredKind::And(all) => self.joined(all, " ∧ "),
            PredKind::Or(all) => self.joined(all, " ∨ "),
            PredKind::Implies(a, b) => both("⇒", a, b),
            PredKind::Iff(a, b) => both("⇔", a, b),
            PredKind::Not(a) => Some(format!("¬({})", self.pred(a)?)),
            PredKind::Forall(locals, body) => Some(format!("∀{}·{}", self.locals(locals), self.part(body)?)),
            PredKind::Exists(locals, body) => Some(format!("∃{}·{}", self.locals(locals), self.part(body)?)),
            PredKind::Compare(op, a, b) => {
                Some(format!("{} {} {}", self.operand(a)?, comparison(*op).event_b()?, self.operand(b)?))
            }
            PredKind::Finite(set) => Some(format!("finite({})", self.expr(set)?)),
            PredKind::Partition(set, parts) => {
                Some(format!("partition({})", self.list(std::iter::once(&**set).chain(parts))?))
            }
            PredKind::If(..) | PredKind::Let(..) | PredKind::External(..) | PredKind::Call(..) => None,
        }
    }

    fn joined(&self, all: &[Pred], word: &str) -> Option<String> {
        let parts: Option<Vec<String>> = all.iter().map(|p| self.part(p)).collect();
        Some(parts?.join(word))
    }

    /// Between parentheses where it has parts itself.
    fn part(&self, p: &Pred) -> Option<String> {
        let text = self.pred(p)?;
        Some(match &p.kind {
            PredKind::And(_)
            | PredKind::Or(_)
            | PredKind::Implies(..)
            | PredKind::Iff(..)
            | PredKind::Forall(..)
            | PredKind::Exists(..) => format!("({text})"),
            _ => text,
        })
    }

    fn locals(&self, all: &[LocalId]) -> String {
        let names: Vec<&str> = all.iter().map(|l| self.model.locals[l.index()].name.as_str()).collect();
        names.join(",")
    }

    fn expr(&self, e: &Expr) -> Option<String> {
        let model = self.model;
        match &e.kind {
            ExprKind::Var(v) => Some(model.variables[v.index()].name.clone()),
            ExprKind::Const(c) => Some(model.constants[c.index()].name.clone()),
            ExprKind::Local(l) => Some(model.locals[l.index()].name.clone()),
            ExprKind::Carrier(c) => Some(model.types.carriers[c.index()].name.clone()),
            ExprKind::Element(c, i) => match &model.types.carriers[c.index()].kind {
                CarrierKind::Enumerated(names) => names.get(*i as usize).cloned(),
                CarrierKind::Deferred => None,
            },
            ExprKind::Integer(n) => Some(n.to_string().replace('-', "−")),
            ExprKind::Bool(true) => Some("TRUE".into()),
            ExprKind::Bool(false) => Some("FALSE".into()),
            ExprKind::Set(BuiltinSet::Integer) => Some("ℤ".into()),
            ExprKind::Set(BuiltinSet::Natural) => Some("ℕ".into()),
            ExprKind::Set(BuiltinSet::Natural1) => Some("ℕ1".into()),
            ExprKind::Set(BuiltinSet::Bool) => Some("BOOL".into()),
            ExprKind::EmptySet => Some("∅".into()),
            ExprKind::SetExtension(items) => Some(format!("{{{}}}", self.list(items)?)),
            ExprKind::Unary(op, a) => self.unary(*op, a),
            ExprKind::Binary(BinaryOp::Image, relation, set) => {
                Some(format!("{}[{}]", self.operand(relation)?, self.expr(set)?))
            }
            ExprKind::Binary(op, a, b) => {
                let word = match op {
                    BinaryOp::Difference => In::SetMinus.event_b()?,
                    BinaryOp::Cartesian => In::Cartesian.event_b()?,
                    BinaryOp::Mod => "mod",
                    op => infix(*op).event_b()?,
                };
                Some(format!("{} {word} {}", self.operand(a)?, self.operand(b)?))
            }
            ExprKind::Apply(f, x) => Some(format!("{}({})", self.operand(f)?, self.expr(x)?)),
            ExprKind::BoolOf(p) => Some(format!("bool({})", self.pred(p)?)),
            _ => None,
        }
    }

    fn list<'e>(&self, items: impl IntoIterator<Item = &'e Expr>) -> Option<String> {
        let items: Option<Vec<String>> = items.into_iter().map(|i| self.expr(i)).collect();
        Some(items?.join(", "))
    }

    fn unary(&self, op: UnaryOp, a: &Expr) -> Option<String> {
        let word = match op {
            UnaryOp::Negate => return Some(format!("−({})", self.expr(a)?)),
            UnaryOp::Inverse => return Some(format!("{}∼", self.operand(a)?)),
            UnaryOp::Pow => "ℙ",
            UnaryOp::Pow1 => "ℙ1",
            UnaryOp::Card
            | UnaryOp::Dom
            | UnaryOp::Ran
            | UnaryOp::Max
            | UnaryOp::Min
            | UnaryOp::GeneralUnion
            | UnaryOp::GeneralInter => unary_word(op),
            _ => return None,
        };
        Some(format!("{word}({})", self.expr(a)?))
    }

    /// Between parentheses where it is an infix operator.
    fn operand(&self, e: &Expr) -> Option<String> {
        let text = self.expr(e)?;
        let is_infix = matches!(&e.kind, ExprKind::Binary(op, ..) if *op != BinaryOp::Image);
        Some(if is_infix { format!("({text})") } else { text })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::eventb::formula::{Names, Text, formula_with};
    use crate::load::{check_predicate, load_text};
    use crate::print;
    use crate::stack::with_large_stack;
    use crate::text::source::SourceId;

    /// The printed text is what Rodin would write, and is read as the same predicate.
    #[test]
    fn predicates_are_written_with_the_symbols_of_event_b() {
        let machine =
            "MACHINE m SETS S; T = {a, b} CONSTANTS c PROPERTIES c : S VARIABLES x, y, f, s INVARIANT
            x : INTEGER & y : BOOL & f : S +-> INTEGER & s <: S INITIALISATION
            x, y, f, s := 0, TRUE, {}, {} END";
        for (b, event_b) in [
            ("x : NATURAL & y = TRUE => f = {}", "(x ∈ ℕ ∧ y = TRUE) ⇒ f = ∅"),
            ("!(e, g).(e : s & g : s => e = g)", "∀e,g·((e ∈ s ∧ g ∈ s) ⇒ e = g)"),
            ("f : S >+> INTEGER or not(dom(f) - s = {c})", "f ∈ (S ⤔ ℤ) ∨ ¬((dom(f) ∖ s) = {c})"),
            ("f <: s * (0..3) & f~[{1}] /= {}", "f ⊆ (s × (0 ‥ 3)) ∧ f∼[{1}] ≠ ∅"),
            ("#n.(n : INTEGER & x + 2 * n > n mod 2)", "∃n·(n ∈ ℤ ∧ (x + (2 ∗ n)) > (n mod 2))"),
            ("f(c) <= card(s)", "f(c) ≤ card(s)"),
        ] {
            let mut model = load_text("m.mch", machine).model.expect("a machine");
            let p = check_predicate(&mut model, b).expect("a predicate");
            let written = rodin(&model, &p).expect("a text");
            assert_eq!(written, event_b);
            let places = (0..=written.len() as u32).collect();
            let text = Text { text: written.clone(), places, source: SourceId(0) };
            let tree = with_large_stack(|| {
                let operators = BTreeMap::new();
                formula_with(&text, &Names { is_declared: &|_| false, operators: &operators })
            })
            .expect("a formula of Event-B");
            let read = crate::check::predicate(&mut model, &tree).expect("a predicate");
            assert_eq!(print::pred(&model, &read), print::pred(&model, &p), "{written}");
        }
    }

    #[test]
    fn what_event_b_has_no_word_for_is_not_written() {
        let mut model = load_text("m.mch", "MACHINE m END").model.expect("a machine");
        let p = check_predicate(&mut model, "[1] : seq(INTEGER)").expect("a predicate");
        assert_eq!(rodin(&model, &p), None);
    }
}
