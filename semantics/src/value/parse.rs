//! Reads closed values written in B, as they occur in traces. The type decides the meaning of a name.

use std::sync::Arc;

use bsym_language::int::Int;
use bsym_language::model::{CarrierKind, Model};
use bsym_language::types::{CarrierId, FreeTypeId, Type};

use crate::scope::Scope;
use crate::tuning::Tuning;
use crate::value::Value;
use crate::value::lazy_set::LazySet;
use crate::value::real;

/// Error of a text that is not a value of the type.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("cannot read {text:?} as a value: {message} at character {position}")]
pub struct ValueError {
    /// The whole text.
    pub text: String,
    /// Where reading stopped, in characters from 1.
    pub position: usize,
    /// The expected input.
    pub message: String,
}

/// Reads a value of a type. Accepts what [`crate::value::text::value_text`] writes for listed values, further
/// sequences `[a,b]`, intervals `a..b`, couples `(a,b)` and the Unicode signs of ProB.
///
/// # Errors
/// The text is not a value of the type; an element of a deferred set lies outside the scope.
pub fn parse_value(model: &Model, scope: &Scope, ty: &Type, text: &str) -> Result<Value, ValueError> {
    let mut reader = Reader { model, scope, chars: text.chars().collect(), at: 0, depth: 0 };
    let read = reader.value(ty).and_then(|v| {
        reader.blank();
        if reader.at < reader.chars.len() { Err("expected the end".to_string()) } else { Ok(v) }
    });
    read.map_err(|message| ValueError { text: text.to_string(), position: reader.at + 1, message })
}

struct Reader<'r> {
    model: &'r Model,
    scope: &'r Scope,
    chars: Vec<char>,
    at: usize,
    depth: usize,
}

type Read<T> = Result<T, String>;

impl Reader<'_> {
    fn blank(&mut self) {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
    }

    fn eat(&mut self, sign: &str) -> bool {
        self.blank();
        let end = self.at + sign.chars().count();
        let found = self.chars.get(self.at..end).is_some_and(|s| s.iter().copied().eq(sign.chars()));
        if found {
            self.at = end;
        }
        found
    }

    fn expect(&mut self, sign: &str) -> Read<()> {
        if self.eat(sign) { Ok(()) } else { Err(format!("expected `{sign}`")) }
    }

    fn word(&mut self) -> String {
        self.blank();
        let start = self.at;
        while self
            .chars
            .get(self.at)
            .is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '\'' | '$'))
        {
            self.at += 1;
        }
        self.chars[start..self.at].iter().collect()
    }

    /// Reads the word if it comes next; otherwise reads nothing.
    fn eat_word(&mut self, word: &str) -> bool {
        let start = self.at;
        if self.word() == word {
            return true;
        }
        self.at = start;
        false
    }

    fn value(&mut self, ty: &Type) -> Read<Value> {
        self.depth += 1;
        if self.depth > Tuning::DEFAULT.evaluate.value_depth {
            return Err("nested too deeply".into());
        }
        let value = self.value_here(ty);
        self.depth -= 1;
        value
    }

    fn value_here(&mut self, ty: &Type) -> Read<Value> {
        match ty {
            Type::Pair(left, right) => self.couple(left, right),
            // Parentheses around anything else.
            _ if self.eat("(") => {
                let value = self.value(ty)?;
                self.expect(")")?;
                Ok(value)
            }
            Type::Bool => {
                if self.eat_word("TRUE") {
                    Ok(Value::Bool(true))
                } else if self.eat_word("FALSE") {
                    Ok(Value::Bool(false))
                } else {
                    Err("expected `TRUE` or `FALSE`".into())
                }
            }
            Type::Int => self.integer().map(Value::Int),
            Type::Real => self.real(),
            Type::String => self.string(),
            Type::Carrier(c) => self.element(*c),
            Type::Free(id, arguments) => self.free(*id, arguments),
            Type::Parameter(_) => Err("a type parameter has no values".into()),
            Type::Record(fields) => {
                if !self.eat_word("rec") {
                    return Err("expected `rec(`".into());
                }
                self.expect("(")?;
                let mut values: Vec<Option<Value>> = vec![None; fields.len()];
                loop {
                    let label = self.word();
                    let Some(i) = fields.iter().position(|(l, _)| *l == label) else {
                        return Err(format!("the record has no field `{label}`"));
                    };
                    self.expect(":")?;
                    values[i] = Some(self.value(&fields[i].1)?);
                    if !self.eat(",") {
                        break;
                    }
                }
                self.expect(")")?;
                let read: Option<Vec<_>> =
                    fields.iter().zip(values).map(|((l, _), v)| Some((Arc::from(l.as_str()), v?))).collect();
                read.map(|r| Value::Record(r.into())).ok_or_else(|| "a field is missing".to_string())
            }
            Type::Pow(element) => self.set(element),
        }
    }

    fn couple(&mut self, left: &Type, right: &Type) -> Read<Value> {
        let start = self.at;
        // `(a|->b)`, or without parentheses; `(a|->b)|->c` begins with the parenthesis of its left side.
        if self.eat("(") {
            let read = self.maplet(left, right).and_then(|v| self.expect(")").map(|()| v));
            if read.is_ok() {
                return read;
            }
            self.at = start;
        }
        self.maplet(left, right)
    }

    fn arrow(&mut self) -> bool {
        self.eat("|->") || self.eat("↦")
    }

    fn maplet(&mut self, left: &Type, right: &Type) -> Read<Value> {
        let l = self.value(left)?;
        if !self.arrow() && !self.eat(",") {
            return Err("expected `|->`".into());
        }
        let r = self.value(right)?;
        Ok(Value::pair(l, r))
    }

    fn integer(&mut self) -> Read<Int> {
        let negative = self.eat("-") || self.eat("−");
        if negative && self.eat("(") {
            let n = self.integer()?;
            self.expect(")")?;
            return Ok(-&n);
        }
        self.blank();
        let start = self.at;
        while self.chars.get(self.at).is_some_and(char::is_ascii_digit) {
            self.at += 1;
        }
        let digits: String = self.chars[start..self.at].iter().collect();
        let n: Int = digits.parse().map_err(|_| "expected an integer".to_string())?;
        Ok(if negative { -&n } else { n })
    }

    fn real(&mut self) -> Read<Value> {
        self.blank();
        let start = self.at;
        while self
            .chars
            .get(self.at)
            .is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '/'))
        {
            self.at += 1;
        }
        let text: String = self.chars[start..self.at].iter().collect();
        let r = real::parse(&text).ok_or_else(|| "expected a real".to_string())?;
        Ok(Value::Real(Arc::new(r)))
    }

    fn string(&mut self) -> Read<Value> {
        self.expect("\"")?;
        let mut text = String::new();
        loop {
            let c = self.chars.get(self.at).copied().ok_or("the string has no end")?;
            self.at += 1;
            match c {
                '"' => return Ok(Value::string(text)),
                '\\' => {
                    let c = self.chars.get(self.at).copied().ok_or("the string has no end")?;
                    self.at += 1;
                    match c {
                        'n' => text.push('\n'),
                        'r' => text.push('\r'),
                        't' => text.push('\t'),
                        '"' | '\\' | '\'' => text.push(c),
                        c => text.extend(['\\', c]),
                    }
                }
                c => text.push(c),
            }
        }
    }

    /// A constructor, with its argument in parentheses if it has one.
    fn free(&mut self, id: FreeTypeId, arguments: &[Type]) -> Read<Value> {
        let known = self.model.types.free_types.get(id.index()).ok_or("the type does not exist")?;
        let word = self.word();
        let position = known.constructors.iter().position(|c| c.name == word);
        let i = position.ok_or_else(|| format!("`{word}` is no constructor of `{}`", known.name))?;
        let argument = match known.constructors[i].argument.as_ref().and_then(|e| e.ty.element()) {
            None => None,
            Some(t) => {
                self.expect("(")?;
                let value = self.value(&t.with_parameters(arguments))?;
                self.expect(")")?;
                Some(Arc::new(value))
            }
        };
        Ok(Value::Free(id, i as u32, argument))
    }

    fn element(&mut self, carrier: CarrierId) -> Read<Value> {
        let known = self.model.types.carriers.get(carrier.index()).ok_or("the set does not exist")?;
        let word = self.word();
        let found = match &known.kind {
            CarrierKind::Enumerated(names) => names.iter().position(|n| *n == word),
            CarrierKind::Deferred => word
                .strip_prefix(known.name.as_str())
                .filter(|n| !n.starts_with(['0', '+']))
                .and_then(|n| n.parse::<usize>().ok())
                .and_then(|n| n.checked_sub(1))
                .filter(|n| self.scope.size(self.model, carrier).is_none_or(|size| *n < size)),
        };
        let found = found.and_then(|i| u32::try_from(i).ok());
        found
            .map(|i| Value::Element(carrier, i))
            .ok_or_else(|| format!("`{word}` is no element of `{}` in this scope", known.name))
    }

    fn set(&mut self, element: &Type) -> Read<Value> {
        let universal = |name: &str, ty: &Type| match (name, ty) {
            ("INTEGER", Type::Int) => Some(LazySet::Integers),
            ("NATURAL", Type::Int) => Some(LazySet::From(Int::ZERO)),
            ("NATURAL1", Type::Int) => Some(LazySet::From(Int::ONE)),
            ("NAT", Type::Int) => Some(LazySet::Interval(Int::ZERO, self.scope.maxint.clone())),
            ("NAT1", Type::Int) => Some(LazySet::Interval(Int::ONE, self.scope.maxint.clone())),
            ("INT", Type::Int) => {
                Some(LazySet::Interval(self.scope.minint.clone(), self.scope.maxint.clone()))
            }
            ("STRING", Type::String) => Some(LazySet::Strings),
            ("REAL", Type::Real) => Some(LazySet::Reals),
            _ => None,
        };
        if self.eat("∅") {
            return Ok(Value::empty());
        }
        if self.eat("{") {
            return Ok(Value::set(self.list(element, "}")?));
        }
        if self.eat("[") {
            let Type::Pair(index, element) = element else { return Err("expected a set".into()) };
            if **index != Type::Int {
                return Err("expected a set".into());
            }
            return Ok(Value::sequence(self.list(element, "]")?));
        }
        if self.eat("<>") {
            return Ok(Value::empty());
        }
        let start = self.at;
        let name = self.word();
        if name == "BOOL" && *element == Type::Bool {
            return Ok(Value::set([Value::Bool(false), Value::Bool(true)]));
        }
        if let Some(set) = universal(&name, element) {
            return Ok(self.listed(set));
        }
        if let Type::Carrier(c) = element
            && self.model.types.carriers.get(c.index()).is_some_and(|k| k.name == name)
        {
            let all = self.scope.positions(self.model, *c).ok_or("the size of the set is not settled")?;
            return Ok(Value::set(all.map(|i| Value::Element(*c, i))));
        }
        self.at = start;
        if *element == Type::Int {
            let low = self.integer()?;
            if self.eat("..") || self.eat("‥") {
                let high = self.integer()?;
                return Ok(self.listed(LazySet::Interval(low, high)));
            }
        }
        Err("expected a set".into())
    }

    fn listed(&self, set: LazySet) -> Value {
        match &set {
            LazySet::Interval(low, high) => match (low.to_i64(), high.to_i64()) {
                (Some(l), Some(h)) if h.saturating_sub(l) < Tuning::DEFAULT.evaluate.value_interval => {
                    Value::set((l..=h).map(Value::int))
                }
                _ if low > high => Value::empty(),
                _ => set.into(),
            },
            _ => set.into(),
        }
    }

    fn list(&mut self, element: &Type, end: &str) -> Read<Vec<Value>> {
        let mut values = Vec::new();
        if self.eat(end) {
            return Ok(values);
        }
        loop {
            values.push(self.value(element)?);
            if self.eat(end) {
                return Ok(values);
            }
            self.expect(",")?;
        }
    }
}

#[cfg(test)]
mod tests {
    use bsym_language::load::load_text;

    use super::*;
    use crate::scope::ScopeRequest;
    use crate::value::text::value_text;

    fn read(ty: &Type, text: &str) -> Result<String, String> {
        let loaded = load_text("m.mch", "MACHINE M SETS D; C = {red, green} END");
        let model = loaded.model.expect("the machine is right");
        let request = ScopeRequest { prob: true, ..ScopeRequest::default() };
        let scope = Scope::settle(&model, &request).expect("the scope is right");
        let value = parse_value(&model, &scope, ty, text).map_err(|e| e.to_string())?;
        Ok(value_text(&model, &scope, &value))
    }

    #[test]
    fn reads_what_is_written_and_what_prob_writes() {
        let (int, deferred, enumerated) =
            (Type::Int, Type::Carrier(CarrierId(0)), Type::Carrier(CarrierId(1)));
        let check =
            |ty: &Type, text: &str, expected: &str| assert_eq!(read(ty, text), Ok(expected.to_string()));
        check(&int, " -12 ", "-12");
        check(&Type::Real, "1.5", "1.5");
        check(&Type::String, r#""a\"\\\n""#, r#""a\"\\\n""#);
        check(&Type::pow(deferred.clone()), "{D2,D1}", "{D1,D2}");
        check(&Type::pow(enumerated.clone()), "C", "{red,green}");
        check(&Type::pow(int.clone()), "∅", "{}");
        check(&Type::pow(int.clone()), "1..3", "{1,2,3}");
        check(&Type::pow(int.clone()), "NATURAL", "NATURAL");
        check(&Type::seq(Type::Bool), "[TRUE,FALSE]", "{(1|->TRUE),(2|->FALSE)}");
        let nested = Type::pair(Type::pair(int.clone(), int.clone()), int.clone());
        check(&nested, "((1|->2)|->3)", "((1|->2)|->3)");
        check(&nested, "(1 ↦ 2) ↦ 3", "((1|->2)|->3)");
        check(&nested, "1|->2|->3", "((1|->2)|->3)");
        let record = Type::Record(vec![("a".into(), int.clone()), ("b".into(), Type::pow(nested))]);
        check(&record, "rec(b:{},a:7)", "rec(a:7,b:{})");
    }

    #[test]
    fn refuses_what_is_no_value_of_the_type() {
        let deferred = Type::Carrier(CarrierId(0));
        let refused = |ty: &Type, text: &str| read(ty, text).expect_err(text);
        assert!(refused(&deferred, "D3").contains("no element of `D` in this scope"));
        assert!(refused(&deferred, "red").contains("no element of `D`"));
        assert!(refused(&Type::Int, "1 2").contains("expected the end at character 3"));
        assert!(refused(&Type::Bool, "1").contains("expected `TRUE` or `FALSE`"));
        assert!(refused(&Type::pow(Type::Int), "{1,").contains("expected an integer"));
        let mut deep = Type::Int;
        for _ in 0..1000 {
            deep = Type::pow(deep);
        }
        assert!(refused(&deep, &"{".repeat(1000)).contains("nested too deeply"));
    }
}
