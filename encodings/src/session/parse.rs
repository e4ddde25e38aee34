//! Values as solvers print them.

use std::collections::BTreeSet;
use std::str::FromStr;

use bsym_language::int::Int;
use num_bigint::BigInt;
use num_rational::BigRational;
use rustc_hash::FxHashMap;

use super::sexpr::Sexpr;
use super::value::{TermValue, array_value};
use crate::term::{Sort, SortKind, Terms};
use crate::tuning::tuning;

/// Meaning of the names in a value.
pub(super) struct Meaning<'a> {
    pub terms: &'a Terms,
    /// Elements of enumerations, by the name given to the solver.
    pub constructors: &'a FxHashMap<String, (Sort, u32)>,
    /// The constructors of tuples.
    pub tuples: &'a FxHashMap<String, Sort>,
}

type Bindings<'s> = Vec<(&'s str, &'s Sexpr, usize)>;

impl Meaning<'_> {
    /// The value of this sort that was printed; opaque where the form is not understood.
    pub fn value(&self, s: &Sexpr, sort: Sort) -> TermValue {
        self.read(s, sort, &mut vec![], 0).unwrap_or_else(|| TermValue::Opaque(print(s)))
    }

    fn read<'s>(&self, s: &'s Sexpr, sort: Sort, lets: &mut Bindings<'s>, depth: usize) -> Option<TermValue> {
        if depth > tuning().values.depth {
            return None;
        }
        let depth = depth + 1;
        if let Some([bindings, body]) = s.applied("let") {
            let outer = lets.len();
            for b in bindings.list() {
                let [Sexpr::Atom(name), value] = b.list() else { return None };
                // A bound value refers to the bindings before this `let`.
                lets.push((name, value, outer));
            }
            let value = self.read(body, sort, lets, depth);
            lets.truncate(outer);
            return value;
        }
        if let Some(name) = s.atom()
            && let Some(&(_, bound, visible)) = lets.iter().rev().find(|(n, ..)| *n == name)
        {
            let mut before = lets[..visible].to_vec();
            return self.read(bound, sort, &mut before, depth);
        }
        match self.terms.sort_kind(sort) {
            SortKind::Bool => match s.atom()? {
                "true" => Some(TermValue::Bool(true)),
                "false" => Some(TermValue::Bool(false)),
                _ => None,
            },
            SortKind::Int => {
                let n = number(s).filter(BigRational::is_integer)?;
                Some(TermValue::Int(Int::from(n.to_integer())))
            }
            SortKind::Real => number(s).map(TermValue::Real),
            SortKind::Uninterpreted(_) => Some(TermValue::Element(sort, element_name(s)?.into())),
            SortKind::Enum(..) => {
                let &(of, i) = self.constructors.get(qualified(s).atom()?)?;
                (of == sort).then_some(TermValue::Constructor(sort, i))
            }
            SortKind::Tuple(fields) => {
                let (head, parts) = match s {
                    Sexpr::List(l) if l.first().and_then(Sexpr::atom) != Some("as") => l.split_first()?,
                    other => (other, &[][..]),
                };
                let known = self.tuples.get(qualified(head).atom()?)?;
                if *known != sort || parts.len() != fields.len() {
                    return None;
                }
                let mut values = vec![];
                for (part, &field) in parts.iter().zip(fields.iter()) {
                    values.push(self.read(part, field, lets, depth)?);
                }
                Some(TermValue::Tuple(values))
            }
            SortKind::Array(index, element) => self.array(s, index, element, lets, depth),
        }
    }

    fn array<'s>(
        &self,
        s: &'s Sexpr,
        index: Sort,
        element: Sort,
        lets: &mut Bindings<'s>,
        depth: usize,
    ) -> Option<TermValue> {
        let mut stores = vec![];
        let mut rest = s;
        // A long chain of stores is no deep nesting of values.
        while let Some([inner, at, value]) = rest.applied("store") {
            stores.push((self.read(at, index, lets, depth)?, self.read(value, element, lets, depth)?));
            rest = inner;
        }
        if let Some([bound, body]) = rest.applied("lambda") {
            let [only] = bound.list() else { return None };
            let name = only.list().first()?.atom()?;
            let table = self.table(body, name, index, element, lets, depth);
            let pieces = || (index == Terms::INT).then(|| self.pieces(body, name, element, lets, depth))?;
            let (default, found) = table.or_else(pieces)?;
            stores.extend(found);
            return array_value(default, stores);
        }
        if let [head, value] = rest.list()
            && head.applied("as").is_some_and(|a| a.first().and_then(Sexpr::atom) == Some("const"))
        {
            return array_value(self.read(value, element, lets, depth)?, stores);
        }
        if rest == s {
            return None;
        }
        // A chain over a name bound by `let`.
        let array_sort = self.terms.array_sort(index, element);
        let TermValue::Array { default, entries } = self.read(rest, array_sort, lets, depth)? else {
            return None;
        };
        stores.extend(entries);
        array_value(*default, stores)
    }

    /// A function body as default and entries, where it is a chain of choices by equality with values.
    fn table<'s>(
        &self,
        body: &'s Sexpr,
        x: &str,
        index: Sort,
        element: Sort,
        lets: &mut Bindings<'s>,
        depth: usize,
    ) -> Option<(TermValue, Vec<(TermValue, TermValue)>)> {
        let mut entries = vec![];
        let mut rest = body;
        while let Some([condition, then, other]) = rest.applied("ite") {
            for i in self.alternatives(condition, x, index, lets, depth)? {
                entries.push((i, self.read(then, element, lets, depth)?));
            }
            rest = other;
        }
        if element == Terms::BOOL && self.read(rest, element, lets, depth).is_none() {
            let (negated, rest) = match rest.applied("not") {
                Some([inner]) => (true, inner),
                _ => (false, rest),
            };
            for i in self.alternatives(rest, x, index, lets, depth)? {
                entries.push((i, TermValue::Bool(!negated)));
            }
            return Some((TermValue::Bool(negated), entries));
        }
        Some((self.read(rest, element, lets, depth)?, entries))
    }

    /// A function of an integer as default and entries, where its body compares `x` with numerals only: it then changes
    /// next to one of them at most. None if it differs from its value above all of them at too many points.
    fn pieces<'s>(
        &self,
        body: &'s Sexpr,
        x: &str,
        element: Sort,
        lets: &mut Bindings<'s>,
        depth: usize,
    ) -> Option<(TermValue, Vec<(TermValue, TermValue)>)> {
        let mut bounds = BTreeSet::new();
        numerals(body, &mut bounds);
        for (_, bound, _) in lets.iter() {
            numerals(bound, &mut bounds);
        }
        let mut at = |n: &BigInt| self.piece(body, x, n, element, lets, depth);
        let points: BTreeSet<BigInt> = bounds.iter().flat_map(|n| [n - 1, n.clone(), n + 1]).collect();
        let points: Vec<BigInt> = points.into_iter().collect();
        let default = at(points.last()?)?;
        let mut entries = vec![];
        let mut enter = |n: BigInt, value: TermValue| entries.push((TermValue::Int(Int::from(n)), value));
        if at(points.first()?)? != default {
            return None;
        }
        for pair in points.windows(2) {
            let value = at(&pair[0])?;
            if value != default {
                enter(pair[0].clone(), value);
            }
            let mut n = &pair[0] + 1;
            if n < pair[1] {
                let value = at(&n)?;
                if value != default {
                    if &pair[1] - &n > BigInt::from(tuning().values.listed) {
                        return None;
                    }
                    while n < pair[1] {
                        enter(n.clone(), value.clone());
                        n += 1;
                    }
                }
            }
        }
        Some((default, entries))
    }

    /// The value of a body where `x` is a number.
    fn piece<'s>(
        &self,
        body: &'s Sexpr,
        x: &str,
        n: &BigInt,
        element: Sort,
        lets: &mut Bindings<'s>,
        depth: usize,
    ) -> Option<TermValue> {
        let mut rest = body;
        while let Some([condition, then, other]) = rest.applied("ite") {
            rest = if truth(condition, x, n, lets, depth)? { then } else { other };
        }
        if element == Terms::BOOL {
            return truth(rest, x, n, lets, depth).map(TermValue::Bool);
        }
        self.read(rest, element, lets, depth)
    }

    /// The values of `x` that satisfy a disjunction of equations.
    fn alternatives<'s>(
        &self,
        condition: &'s Sexpr,
        x: &str,
        index: Sort,
        lets: &mut Bindings<'s>,
        depth: usize,
    ) -> Option<Vec<TermValue>> {
        if let Some(parts) = condition.applied("or") {
            let mut all = vec![];
            for part in parts {
                all.extend(self.alternatives(part, x, index, lets, depth)?);
            }
            return Some(all);
        }
        let [a, b] = condition.applied("=")? else { return None };
        let other = match (a.atom() == Some(x), b.atom() == Some(x)) {
            (true, false) => b,
            (false, true) => a,
            _ => return None,
        };
        Some(vec![self.read(other, index, lets, depth)?])
    }
}

/// Every integer that is written somewhere.
fn numerals(s: &Sexpr, into: &mut BTreeSet<BigInt>) {
    match number(s) {
        Some(n) => drop(into.insert(n.to_integer())),
        None => s.list().iter().for_each(|part| numerals(part, into)),
    }
}

/// Returns whether a formula over comparisons of `x` with numerals holds where `x` is a number.
fn truth(s: &Sexpr, x: &str, n: &BigInt, lets: &Bindings<'_>, depth: usize) -> Option<bool> {
    if depth > tuning().values.depth {
        return None;
    }
    let depth = depth + 1;
    if let Some(name) = s.atom() {
        if let Some(&(_, bound, visible)) = lets.iter().rev().find(|(b, ..)| *b == name) {
            return truth(bound, x, n, &lets[..visible].to_vec(), depth);
        }
        return match name {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        };
    }
    let (head, parts) = s.list().split_first()?;
    let each = |part| truth(part, x, n, lets, depth);
    match (head.atom()?, parts) {
        ("not", [inner]) => each(inner).map(|t| !t),
        ("and", parts) => parts.iter().map(each).try_fold(true, |all, t| Some(all & t?)),
        ("or", parts) => parts.iter().map(each).try_fold(false, |any, t| Some(any | t?)),
        ("let", [bindings, body]) => {
            let mut inner = lets.clone();
            for b in bindings.list() {
                let [Sexpr::Atom(name), value] = b.list() else { return None };
                inner.push((name, value, lets.len()));
            }
            truth(body, x, n, &inner, depth)
        }
        (op @ ("=" | "<=" | "<" | ">=" | ">"), [a, b]) => {
            let value = |s: &Sexpr| match s.atom() == Some(x) {
                true => Some(n.clone()),
                false => number(s).filter(BigRational::is_integer).map(|n| n.to_integer()),
            };
            let (a, b) = (value(a)?, value(b)?);
            Some(match op {
                "=" => a == b,
                "<=" => a <= b,
                "<" => a < b,
                ">=" => a >= b,
                _ => a > b,
            })
        }
        _ => None,
    }
}

/// `c` of `(as c S)`, and anything else itself.
fn qualified(s: &Sexpr) -> &Sexpr {
    match s.applied("as") {
        Some([name, _]) => name,
        _ => s,
    }
}

/// The name of an element of an uninterpreted sort: `S!val!0`, `@S_0` or `(as @S_0 S)`.
pub(super) fn element_name(s: &Sexpr) -> Option<&str> {
    qualified(s).atom()
}

/// `3`, `-3`, `(- 3)`, `3.25`, `(/ 1.0 2.0)`, `(- (/ 1 2))`, `1/2`
fn number(s: &Sexpr) -> Option<BigRational> {
    if let Some(a) = s.atom() {
        if let Some((n, m)) = a.split_once('/') {
            return ratio(decimal(n)?, decimal(m)?);
        }
        return decimal(a);
    }
    if let Some([n]) = s.applied("-") {
        return Some(-number(n)?);
    }
    if let Some([n, m]) = s.applied("/") {
        return ratio(number(n)?, number(m)?);
    }
    let [n] = s.applied("to_real")? else { return None };
    number(n)
}

fn ratio(n: BigRational, m: BigRational) -> Option<BigRational> {
    (m != BigRational::from_integer(0.into())).then(|| n / m)
}

fn decimal(a: &str) -> Option<BigRational> {
    let (whole, fraction) = a.split_once('.').unwrap_or((a, ""));
    if whole.trim_start_matches('-').is_empty() || !fraction.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let digits = BigInt::from_str(&format!("{whole}{fraction}")).ok()?;
    Some(BigRational::new(digits, BigInt::from(10).pow(u32::try_from(fraction.len()).ok()?)))
}

/// An S-expression as text.
fn print(s: &Sexpr) -> String {
    match s {
        Sexpr::Atom(a) if a.chars().all(|c| c.is_ascii_digit() || c == '.') => a.clone(),
        Sexpr::Atom(a) => super::names::quoted(a),
        Sexpr::Text(t) => format!("\"{}\"", t.replace('"', "\"\"")),
        Sexpr::List(l) => format!("({})", l.iter().map(print).collect::<Vec<_>>().join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::sexpr;

    /// Reads `text` as a value of the sort that `sort` picks, and shows it.
    fn check(text: &str, sort: impl Fn(&Sorts) -> Sort, expected: &str) {
        let terms = Terms::new();
        let sorts = Sorts::new(&terms);
        let red = |i| (sorts.color, i);
        let constructors = FxHashMap::from_iter([("red".into(), red(0)), ("a b".into(), red(1))]);
        let tuples =
            FxHashMap::from_iter([("pair".to_string(), sorts.pair), ("unit".to_string(), sorts.unit)]);
        let meaning = Meaning { terms: &terms, constructors: &constructors, tuples: &tuples };
        let read = sexpr::read(text).expect("complete").pop().expect("one");
        assert_eq!(show(&meaning.value(&read, sort(&sorts))), expected, "{text}");
    }

    struct Sorts {
        color: Sort,
        person: Sort,
        pair: Sort,
        unit: Sort,
        set: Sort,
        numbers: Sort,
        array: Sort,
        nested: Sort,
    }

    impl Sorts {
        fn new(t: &Terms) -> Self {
            let color = t.sort(SortKind::Enum("color".into(), ["red".into(), "a b".into()].into()));
            let person = t.sort(SortKind::Uninterpreted("person".into()));
            let set = t.set_sort(color);
            Sorts {
                color,
                person,
                pair: t.tuple_sort(&[Terms::INT, color]),
                unit: t.tuple_sort(&[]),
                set,
                numbers: t.set_sort(Terms::INT),
                array: t.array_sort(Terms::INT, Terms::INT),
                nested: t.array_sort(Terms::INT, set),
            }
        }
    }

    fn show(v: &TermValue) -> String {
        match v {
            TermValue::Bool(b) => b.to_string(),
            TermValue::Int(n) => n.to_string(),
            TermValue::Real(r) => format!("{r}r"),
            TermValue::Constructor(_, i) => format!("#{i}"),
            TermValue::Element(_, n) => n.to_string(),
            TermValue::Tuple(parts) => format!("<{}>", parts.iter().map(show).collect::<Vec<_>>().join(" ")),
            TermValue::Array { default, entries } => {
                let entries: String =
                    entries.iter().map(|(i, v)| format!(" {}:{}", show(i), show(v))).collect();
                format!("[{}{entries}]", show(default))
            }
            TermValue::Opaque(text) => format!("? {text}"),
        }
    }

    #[test]
    fn numbers() {
        check("12", |_| Terms::INT, "12");
        check("(- 12)", |_| Terms::INT, "-12");
        check("-12", |_| Terms::INT, "-12");
        check("123456789012345678901234567890", |_| Terms::INT, "123456789012345678901234567890");
        check("(/ 1.0 2.0)", |_| Terms::REAL, "1/2r");
        check("(- (/ 1.0 2.0))", |_| Terms::REAL, "-1/2r");
        check("(/ (- 1) 2)", |_| Terms::REAL, "-1/2r");
        check("1/2", |_| Terms::REAL, "1/2r");
        check("2.50", |_| Terms::REAL, "5/2r");
        check("-0.5", |_| Terms::REAL, "-1/2r");
        check("(to_real 3)", |_| Terms::REAL, "3r");
        check("(/ 1 0)", |_| Terms::REAL, "? (/ 1 0)");
        check("x", |_| Terms::INT, "? x");
        check("1.5", |_| Terms::INT, "? 1.5");
        check("(root-obj (+ (^ x 2) (- 2)) 1)", |_| Terms::REAL, "? (root-obj (+ (^ x 2) (- 2)) 1)");
    }

    #[test]
    fn elements_and_tuples() {
        check("red", |s| s.color, "#0");
        check("|a b|", |s| s.color, "#1");
        check("(as |a b| color)", |s| s.color, "#1");
        check("blue", |s| s.color, "? blue");
        check("person!val!3", |s| s.person, "person!val!3");
        check("(as @person_3 person)", |s| s.person, "@person_3");
        check("(pair (- 1) |a b|)", |s| s.pair, "<-1 #1>");
        check("((as pair p) 1 red)", |s| s.pair, "<1 #0>");
        check("unit", |s| s.unit, "<>");
        check("(as unit u)", |s| s.unit, "<>");
        check("(pair 1)", |s| s.pair, "? (pair 1)");
    }

    #[test]
    fn arrays_have_one_form() {
        check("((as const (Array Int Int)) 3)", |s| s.array, "[3]");
        check("(store (store ((as const X) 3) 2 5) 1 7)", |s| s.array, "[3 1:7 2:5]");
        check("(store (store ((as const X) 3) 1 5) 1 7)", |s| s.array, "[3 1:7]");
        check("(store (store ((as const X) 3) 1 5) 1 3)", |s| s.array, "[3]");
        check("(store ((as const X) false) |a b| true)", |s| s.set, "[false #1:true]");
        check(
            "(store ((as const X) ((as const Y) false)) 1 (store ((as const Y) false) red true))",
            |s| s.nested,
            "[[false] 1:[false #0:true]]",
        );
        check("(store a 1 2)", |s| s.array, "? (store a 1 2)");
    }

    #[test]
    fn let_is_resolved() {
        check("(let ((a!1 (store ((as const X) 3) 2 5))) (store a!1 1 7))", |s| s.array, "[3 1:7 2:5]");
        check("(let ((a 1)) (let ((a 2) (b a)) (pair b red)))", |s| s.pair, "<1 #0>");
        check("(let ((a a)) a)", |_| Terms::INT, "? (let ((a a)) a)");
    }

    #[test]
    fn functions_are_tables() {
        check("(lambda ((x Int)) 3)", |s| s.array, "[3]");
        check(
            "(lambda ((x Int)) (ite (= x 1) 5 (ite (or (= 2 x) (= x 3)) 6 0)))",
            |s| s.array,
            "[0 1:5 2:6 3:6]",
        );
        check("(lambda ((x color)) (= x red))", |s| s.set, "[false #0:true]");
        check("(lambda ((x color)) (not (or (= x red) (= x |a b|))))", |s| s.set, "[true #0:false #1:false]");
        check("(lambda ((x Int)) (and (<= 0 x) (not (<= 2 x))))", |s| s.numbers, "[false 0:true 1:true]");
        check("(lambda ((x Int)) (or (< x (- 1)) (>= x 1)))", |s| s.numbers, "[true -1:false 0:false]");
        check("(lambda ((x Int)) (ite (> x 1) 2 (ite (<= 0 x) 3 2)))", |s| s.array, "[2 0:3 1:3]");
        check(
            "(lambda ((x Int)) (let ((a!1 (not (<= 7 x)))) (and a!1 (<= 6 x))))",
            |s| s.numbers,
            "[false 6:true]",
        );
        // Infinite, and with more elements than are listed.
        for infinite in ["(<= 0 x)", "(and (<= 0 x) (<= x 5000))"] {
            let text = format!("(lambda ((x Int)) {infinite})");
            check(&text, |s| s.numbers, &format!("? {text}"));
        }
        check("(lambda ((x Int)) (+ x 1))", |s| s.array, "? (lambda ((x Int)) (+ x 1))");
    }
}
