//! Finite sets that variables are drawn from: their types, their texts and some of their values.

/// A set of values that a variable has while the invariant that types it is true.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    Range(i64, i64),
    Bool,
    Text,
    /// An enumerated or deferred set.
    Carrier(String),
    Pair(Box<Domain>, Box<Domain>),
    Power(Box<Domain>),
    Arrow(&'static str, Box<Domain>, Box<Domain>),
    /// Sequences; the number is the greatest length that a further conjunct allows.
    Sequence(Box<Domain>, usize),
    Record(Box<Domain>, Box<Domain>),
}

/// A type of B.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Int,
    Bool,
    Text,
    Carrier(String),
    Pair(Box<Kind>, Box<Kind>),
    Set(Box<Kind>),
    /// Of the fields `a` and `b`.
    Record(Box<Kind>, Box<Kind>),
}

use Domain::*;

impl Domain {
    pub fn kind(&self) -> Kind {
        match self {
            Range(..) => Kind::Int,
            Bool => Kind::Bool,
            Text => Kind::Text,
            Carrier(s) => Kind::Carrier(s.clone()),
            Pair(a, b) => Kind::Pair(Box::new(a.kind()), Box::new(b.kind())),
            Power(a) => Kind::Set(Box::new(a.kind())),
            Arrow(_, a, b) => Kind::Set(Box::new(Kind::Pair(Box::new(a.kind()), Box::new(b.kind())))),
            Sequence(a, _) => Kind::Set(Box::new(Kind::Pair(Box::new(Kind::Int), Box::new(a.kind())))),
            Record(a, b) => Kind::Record(Box::new(a.kind()), Box::new(b.kind())),
        }
    }

    /// The set in B.
    pub fn text(&self) -> String {
        match self {
            Range(a, b) => format!("{a}..{b}"),
            Bool => "BOOL".into(),
            Text => "{\"a\", \"b\"}".into(),
            Carrier(s) => s.clone(),
            Pair(a, b) => format!("({} * {})", a.operand(), b.operand()),
            Power(a) => format!("POW({})", a.text()),
            Arrow(arrow, a, b) => format!("({} {arrow} {})", a.operand(), b.operand()),
            Sequence(a, _) => format!("seq({})", a.text()),
            Record(a, b) => format!("struct(a : {}, b : {})", a.text(), b.text()),
        }
    }

    /// The set as an operand of any operator.
    pub fn operand(&self) -> String {
        match self {
            Range(..) => format!("({})", self.text()),
            _ => self.text(),
        }
    }

    /// Returns about how many values there are when deferred sets have two elements.
    pub fn size(&self, carrier: &dyn Fn(&str) -> usize) -> f64 {
        let size = |d: &Domain| d.size(carrier);
        match self {
            Range(a, b) => (b - a + 1) as f64,
            Bool | Text => 2.0,
            Carrier(s) => carrier(s) as f64,
            Pair(a, b) | Record(a, b) => size(a) * size(b),
            Power(a) => size(a).exp2(),
            Arrow("<->", a, b) => (size(a) * size(b)).exp2(),
            Arrow("-->", a, b) => size(b).powf(size(a)),
            Arrow(_, a, b) => (size(b) + 1.0).powf(size(a)),
            Sequence(a, n) => (0..=*n).map(|i| size(a).powi(i as i32)).sum(),
        }
    }

    /// Returns the name in the table.
    pub fn name(&self) -> &'static str {
        match self {
            Range(..) => "integer",
            Bool => "Boolean",
            Text => "string",
            Carrier(_) => "element",
            Pair(..) => "pair",
            Power(a) if matches!(**a, Power(_) | Arrow(..)) => "set of sets",
            Power(_) => "set",
            Arrow("<->", ..) => "relation",
            Arrow(_, _, b) if matches!(**b, Arrow(..)) => "nested function",
            Arrow(..) => "function",
            Sequence(..) => "sequence",
            Record(..) => "record",
        }
    }
}
