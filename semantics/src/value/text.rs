//! Values as B text, and back.
//!
//! Elements of a deferred set `S` are written `S1`, `S2`, … ([`prob_profile::element_name`]).

use bsym_language::model::{CarrierKind, Model, Notation, UnaryOp};
use bsym_language::print::{self, binary_symbol, unary_word};
use bsym_language::source::Span;
use bsym_language::types::CarrierId;

use crate::prob_profile;
use crate::scope::Scope;
use crate::value::Value;
use crate::value::env::Name;
use crate::value::lazy_set::{ClosureKind, LazySet};
use crate::value::real;

/// Returns a value as B text without white space, on one line.
pub fn value_text(model: &Model, scope: &Scope, value: &Value) -> String {
    let mut text = String::new();
    Writer { model, scope }.value(value, &mut text);
    text
}

/// Returns the name of a carrier's element.
pub fn element_text(model: &Model, carrier: CarrierId, element: u32) -> String {
    match model.types.carriers.get(carrier.index()) {
        Some(c) => match &c.kind {
            CarrierKind::Enumerated(names) if (element as usize) < names.len() => {
                names[element as usize].clone()
            }
            _ => prob_profile::element_name(&c.name, element),
        },
        None => format!("?{element}"),
    }
}

/// Returns a string as B text.
pub fn string_text(s: &str) -> String {
    let mut text = String::from("\"");
    for c in s.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            c => text.push(c),
        }
    }
    text.push('"');
    text
}

struct Writer<'a> {
    model: &'a Model,
    scope: &'a Scope,
}

impl Writer<'_> {
    fn value(&self, value: &Value, out: &mut String) {
        match value {
            Value::Bool(b) => out.push_str(if *b { "TRUE" } else { "FALSE" }),
            Value::Int(n) => out.push_str(&n.to_string()),
            Value::Real(r) => out.push_str(&real::text(r)),
            Value::String(s) => out.push_str(&string_text(s)),
            Value::Element(c, i) => out.push_str(&element_text(self.model, *c, *i)),
            Value::Pair(p) => {
                out.push('(');
                self.value(&p.0, out);
                out.push_str("|->");
                self.value(&p.1, out);
                out.push(')');
            }
            Value::Record(fields) => self.record("rec", fields, out),
            Value::Free(ty, i, argument) => {
                let constructor =
                    self.model.types.free_types.get(ty.index()).and_then(|t| t.constructors.get(*i as usize));
                out.push_str(constructor.map_or("?", |c| &c.name));
                if let Some(argument) = argument {
                    out.push('(');
                    self.value(argument, out);
                    out.push(')');
                }
            }
            Value::Set(s) => {
                out.push('{');
                for (i, v) in s.iter().enumerate() {
                    if i > 0 {
                        out.push(',');
                    }
                    self.value(v, out);
                }
                out.push('}');
            }
            Value::Lazy(set) => self.lazy(set, out),
        }
    }

    fn record(&self, head: &str, fields: &[(std::sync::Arc<str>, Value)], out: &mut String) {
        out.push_str(head);
        out.push('(');
        for (i, (label, v)) in fields.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            out.push_str(label);
            out.push(':');
            self.value(v, out);
        }
        out.push(')');
    }

    fn call(&self, name: &str, operands: &[&Value], out: &mut String) {
        out.push_str(name);
        out.push('(');
        for (i, v) in operands.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            self.value(v, out);
        }
        out.push(')');
    }

    fn lazy(&self, set: &LazySet, out: &mut String) {
        match set {
            LazySet::Integers => out.push_str("INTEGER"),
            LazySet::From(n) if n.is_zero() => out.push_str("NATURAL"),
            LazySet::From(n) if n.to_i64() == Some(1) => out.push_str("NATURAL1"),
            LazySet::From(n) => out.push_str(&format!("{{x|x>={n}}}")),
            LazySet::Interval(a, b) => match (a, b) {
                (a, b) if *b == self.scope.maxint && a.is_zero() => out.push_str("NAT"),
                (a, b) if *b == self.scope.maxint && a.to_i64() == Some(1) => out.push_str("NAT1"),
                (a, b) if *b == self.scope.maxint && *a == self.scope.minint => out.push_str("INT"),
                (a, b) => out.push_str(&format!("({a}..{b})")),
            },
            LazySet::Strings => out.push_str("STRING"),
            LazySet::Reals => out.push_str("REAL"),
            LazySet::Carrier(c) => {
                out.push_str(self.model.types.carriers.get(c.index()).map_or("?", |c| c.name.as_str()));
            }
            LazySet::Power(s) => self.call("POW", &[s], out),
            LazySet::Succ => out.push_str("succ"),
            LazySet::Pred => out.push_str("pred"),
            LazySet::Prj1(s, t) => self.call("prj1", &[s, t], out),
            LazySet::Prj2(s, t) => self.call("prj2", &[s, t], out),
            LazySet::Struct(fields) => self.record("struct", fields, out),
            LazySet::Unary(UnaryOp::Inverse, s) => {
                self.value(s, out);
                out.push('~');
            }
            LazySet::Unary(op, s) => self.call(unary_word(*op), &[s], out),
            LazySet::Binary(op, a, b) => {
                out.push('(');
                self.value(a, out);
                out.push_str(binary_symbol(*op));
                self.value(b, out);
                out.push(')');
            }
            LazySet::Free(id, sets) => {
                out.push_str(self.model.types.free_types.get(id.index()).map_or("?", |t| &t.name));
                if !sets.is_empty() {
                    self.call("", &sets.iter().collect::<Vec<_>>(), out);
                }
            }
            LazySet::Constructor(id, i, _) => {
                let found =
                    self.model.types.free_types.get(id.index()).and_then(|t| t.constructors.get(*i as usize));
                out.push_str(found.map_or("?", |c| &c.name));
            }
            LazySet::Trees(binary, labels) => {
                self.call(if *binary { "btree" } else { "tree" }, &[labels], out)
            }
            LazySet::Recursive(name, _) => out.push_str(match name {
                Name::Const(c) => self.model.constants.get(c.index()).map_or("?", |c| &c.name),
                _ => "?",
            }),
            LazySet::Partial(_) => out.push('…'),
            LazySet::Closure(c) => {
                let source = |span: Span, printed: &dyn Fn() -> String| {
                    // Packages are not readable text.
                    if self.model.text.notation == Notation::EventB {
                        return printed();
                    }
                    let known = self.model.text.sources.iter().any(|(id, _)| id == span.source);
                    let text = if known { self.model.text.sources.text(span) } else { "" };
                    let words: Vec<_> = text.split_whitespace().collect();
                    if words.is_empty() { "…".to_string() } else { words.join(" ") }
                };
                let names: Vec<_> = c
                    .locals
                    .iter()
                    .map(|l| self.model.locals.get(l.index()).map_or("?", |v| v.name.as_str()))
                    .collect();
                let names = names.join(",");
                let pred = source(c.pred.span, &|| print::pred(self.model, &c.pred));
                let body =
                    c.body.as_ref().map_or(String::new(), |b| source(b.span, &|| print::expr(self.model, b)));
                out.push_str(&match c.kind {
                    ClosureKind::Comprehension => format!("{{{names}|{pred}}}"),
                    ClosureKind::Lambda => format!("%({names}).({pred}|{body})"),
                    ClosureKind::Image => format!("{{({names}).{pred}|{body}}}"),
                });
            }
        }
    }
}
