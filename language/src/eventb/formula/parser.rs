//! The parser of formulas: operator precedence by groups.

use std::collections::BTreeMap;

use super::symbols::Symbol;
use super::tokens::{Text, Token, TokenKind};
use crate::ast::operators::operators;
use crate::ast::visit::FreeNames;
use crate::ast::{BinaryOp as B, BuiltinFn, Constant, Expr, ExprKind, Ident, Quantifier, UnaryOp};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::eventb::project::ActionKind;
use crate::eventb::terms;
use crate::text::source::Span;
use crate::tuning::Tuning;

type Parsed<T> = Result<T, Diagnostic>;

// Groups of operators, from loose to tight.
const IMPLICATION: u8 = 1;
const LOGICAL: u8 = 2;
const NEGATION: u8 = 3;
const COMPARISON: u8 = 4;
const PAIR: u8 = 5;
const TYPED: u8 = 6;
const ARROW: u8 = 7;
const SET: u8 = 8;
const INTERVAL: u8 = 9;
const SUM: u8 = 10;
const PRODUCT: u8 = 11;
const POWER: u8 = 12;

macro_rules! groups {
    (apart { $($apart:tt)* } infix { $($infix:tt)* } $($words:tt)*) => { groups!($($apart)* $($infix)*); };
    ($($op:ident $level:tt $group:ident $a:tt $b:tt $c:tt $($partial:ident)? => $reading:ident $types:tt;)*) => {
        fn group(op: B) -> u8 {
            match op { $(B::$op => $group,)* }
        }
    };
}
operators!(groups);

/// Form of an operator of a theory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fixity {
    /// `f(x, y)`, or `c` without arguments
    Prefix,
    /// `x f y`, an expression
    InfixExpression,
    /// `x f y`, a predicate
    InfixPredicate,
}

/// The names that a formula may have.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// Names that the model declares: they are names also where they spell a symbol (`NAT`, `or`).
    pub is_declared: &'a dyn Fn(&str) -> bool,
    /// Operators of theories.
    pub operators: &'a BTreeMap<String, Fixity>,
}

pub(super) struct Parser<'t> {
    text: &'t Text,
    tokens: Vec<Token>,
    names: Names<'t>,
    at: usize,
    depth: usize,
}

/// Operator between two operands.
enum Infix {
    Symbol(B),
    /// An operator of a theory.
    Named(Ident, u8),
}

impl<'t> Parser<'t> {
    pub fn new(text: &'t Text, tokens: Vec<Token>, names: Names<'t>) -> Self {
        Parser { text, tokens, names, at: 0, depth: 0 }
    }

    fn peek(&self) -> Option<&TokenKind> {
        self.tokens.get(self.at).map(|t| &t.kind)
    }

    fn symbol(&self) -> Option<Symbol> {
        match self.peek() {
            Some(TokenKind::Symbol(s)) => Some(*s),
            _ => None,
        }
    }

    fn is_at(&self, symbol: Symbol) -> bool {
        self.symbol() == Some(symbol)
    }

    fn takes(&mut self, symbol: Symbol) -> bool {
        let found = self.is_at(symbol);
        self.at += usize::from(found);
        found
    }

    fn span_from(&self, start: Span) -> Span {
        let end = self.at.checked_sub(1).and_then(|i| self.tokens.get(i)).map_or(0, |t| t.end);
        Span { end: self.text.span(end, end).start.max(start.start), ..start }
    }

    // The current token, or the end of the text.
    fn here(&self) -> Span {
        match self.tokens.get(self.at) {
            Some(t) => self.text.span(t.start, t.end),
            None => self.text.span(self.text.text.len(), self.text.text.len()),
        }
    }

    fn expected<T>(&self, what: &str) -> Parsed<T> {
        let found = match self.tokens.get(self.at) {
            Some(t) => format!("found `{}`", &self.text.text[t.start..t.end]),
            None => "the text ends here".into(),
        };
        let message = format!("expected {what}, {found}");
        Err(Diagnostic::error(codes::UNEXPECTED_TOKEN, self.here(), message))
    }

    fn expect(&mut self, symbol: Symbol, text: &str) -> Parsed<()> {
        if self.takes(symbol) { Ok(()) } else { self.expected(&format!("`{text}`")) }
    }

    /// Checks that the text ends here.
    pub fn end(&self) -> Parsed<()> {
        if self.at == self.tokens.len() { Ok(()) } else { self.expected("an operator or the end") }
    }

    pub fn formula(&mut self) -> Parsed<Expr> {
        self.level(IMPLICATION)
    }

    fn expression(&mut self) -> Parsed<Expr> {
        self.level(PAIR)
    }

    fn level(&mut self, least: u8) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > Tuning::DEFAULT.depth.eventb {
            let message = format!("formulas are nested deeper than {} levels", Tuning::DEFAULT.depth.eventb);
            return Err(Diagnostic::error(codes::NESTED_TOO_DEEPLY, self.here(), message));
        }
        let result = self.operators(least);
        self.depth -= 1;
        result
    }

    fn operators(&mut self, least: u8) -> Parsed<Expr> {
        let start = self.here();
        let mut left = self.prefix(least)?;
        let mut last: Option<B> = None;
        while let Some(infix) = self.infix() {
            let tightness = match infix {
                Infix::Symbol(op) => group(op),
                Infix::Named(_, tightness) => tightness,
            };
            if tightness < least {
                break;
            }
            if let (Infix::Symbol(op), Some(last)) = (&infix, last.filter(|l| group(*l) == tightness)) {
                self.mixed(last, *op)?;
            }
            self.at += 1;
            let right = self.level(tightness + 1)?;
            let kind = match infix {
                Infix::Symbol(op) => {
                    last = Some(op);
                    ExprKind::Binary(op, Box::new(left), Box::new(right))
                }
                Infix::Named(name, _) => ExprKind::Operator(name, vec![left, right]),
            };
            left = kind.at(self.span_from(start));
        }
        Ok(left)
    }

    fn infix(&self) -> Option<Infix> {
        match self.peek()? {
            TokenKind::Symbol(Symbol::Infix(op)) => Some(Infix::Symbol(*op)),
            TokenKind::Name(name) => {
                let tightness = match self.names.operators.get(name)? {
                    Fixity::Prefix => return None,
                    Fixity::InfixExpression => SET,
                    Fixity::InfixPredicate => COMPARISON,
                };
                Some(Infix::Named(Ident { name: name.clone(), span: self.here() }, tightness))
            }
            _ => None,
        }
    }

    // An operator of a theory before its arguments in parentheses, if it has any.
    fn operator(&mut self, name: String) -> Parsed<ExprKind> {
        let id = Ident { name, span: self.here() };
        self.at += 1;
        let arguments = if self.takes(Symbol::Open) { self.list(Symbol::Close, ")")? } else { vec![] };
        Ok(ExprKind::Operator(id, arguments))
    }

    // Two operators of one group without parentheses.
    fn mixed(&self, left: B, right: B) -> Parsed<()> {
        let problem = match group(right) {
            IMPLICATION => "implications and equivalences need parentheses around one of them",
            LOGICAL if left != right => "`∧` and `∨` need parentheses around one of them",
            COMPARISON => "comparisons cannot be chained; join them by `∧`",
            INTERVAL | POWER => "this operator cannot be chained; use parentheses",
            ARROW if left != right => "different arrows need parentheses around one of them",
            _ => return Ok(()),
        };
        Err(Diagnostic::error(codes::CHAINED_COMPARISON, self.here(), problem))
    }

    fn prefix(&mut self, least: u8) -> Parsed<Expr> {
        let start = self.here();
        match self.symbol() {
            Some(Symbol::Not) if least <= NEGATION => {
                self.at += 1;
                let p = self.level(NEGATION)?;
                let kind = ExprKind::Unary(UnaryOp::Not, Box::new(p));
                // A comparison binds tighter: it is inside.
                Ok(kind.at(self.span_from(start)))
            }
            Some(Symbol::Infix(B::Minus)) if least <= SUM => {
                self.at += 1;
                let e = self.level(PRODUCT)?;
                Ok(ExprKind::Unary(UnaryOp::Minus, Box::new(e)).at(self.span_from(start)))
            }
            Some(Symbol::Binder(q)) => self.quantified(q),
            _ => self.postfix(),
        }
    }

    fn postfix(&mut self) -> Parsed<Expr> {
        let start = self.here();
        let mut e = self.primary()?;
        loop {
            let kind = match self.symbol() {
                Some(Symbol::Inverse) => {
                    self.at += 1;
                    ExprKind::Unary(UnaryOp::Inverse, Box::new(e))
                }
                Some(Symbol::Open) => {
                    self.at += 1;
                    let arguments = self.list(Symbol::Close, ")")?;
                    call(e, arguments)
                }
                Some(Symbol::OpenBracket) => {
                    self.at += 1;
                    let s = self.expression()?;
                    self.expect(Symbol::CloseBracket, "]")?;
                    ExprKind::Image(Box::new(e), Box::new(s))
                }
                _ => return Ok(e),
            };
            e = kind.at(self.span_from(start));
        }
    }

    // Formulas up to the closing symbol, at least one.
    fn list(&mut self, close: Symbol, text: &str) -> Parsed<Vec<Expr>> {
        let mut items = vec![self.formula()?];
        while self.takes(Symbol::Comma) {
            items.push(self.formula()?);
        }
        self.expect(close, text)?;
        Ok(items)
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.here();
        let kind = match self.peek().cloned() {
            Some(TokenKind::Name(name))
                if self.names.operators.contains_key(&name) && !(self.names.is_declared)(&name) =>
            {
                self.operator(name)?
            }
            Some(TokenKind::Name(name)) => {
                self.at += 1;
                ExprKind::Ident(name)
            }
            Some(TokenKind::Number(n)) => {
                self.at += 1;
                ExprKind::Integer(n)
            }
            Some(TokenKind::Symbol(Symbol::Constant(c))) => {
                self.at += 1;
                ExprKind::Constant(c)
            }
            Some(TokenKind::Symbol(Symbol::EmptySet)) => {
                self.at += 1;
                ExprKind::EmptySet
            }
            Some(TokenKind::Symbol(Symbol::Open)) => {
                self.at += 1;
                let e = self.formula()?;
                self.expect(Symbol::Close, ")")?;
                return Ok(e);
            }
            Some(TokenKind::Symbol(Symbol::OpenBrace)) => {
                self.at += 1;
                self.set()?
            }
            Some(TokenKind::Symbol(Symbol::Word(f))) => {
                self.at += 1;
                if matches!(
                    f,
                    BuiltinFn::Id | BuiltinFn::Prj1 | BuiltinFn::Prj2 | BuiltinFn::Succ | BuiltinFn::Pred
                ) {
                    ExprKind::BuiltinValue(f)
                } else {
                    self.expect(Symbol::Open, "(")?;
                    let arguments = self.list(Symbol::Close, ")")?;
                    if arguments.len() != 1 && f != BuiltinFn::Partition {
                        let message = format!("this operator has 1 argument, {} are given", arguments.len());
                        let span = self.span_from(start);
                        return Err(Diagnostic::error(codes::WORD_ARGUMENTS, span, message));
                    }
                    ExprKind::Builtin(f, arguments)
                }
            }
            Some(TokenKind::Symbol(Symbol::Binder(q))) => return self.quantified(q),
            _ => return self.expected("an expression or predicate"),
        };
        Ok(kind.at(self.span_from(start)))
    }

    fn quantified(&mut self, q: Quantifier) -> Parsed<Expr> {
        let start = self.here();
        self.at += 1;
        if q == Quantifier::Lambda {
            return self.lambda(start);
        }
        let first = self.at;
        let bound = self.bound();
        if matches!(q, Quantifier::Union | Quantifier::Inter) && !(bound.is_ok() && self.is_at(Symbol::Dot)) {
            self.at = first;
            return self.of_values(q, start);
        }
        let (ids, typing) = bound?;
        self.expect(Symbol::Dot, "·")?;
        let p = self.formula()?;
        let kind = match q {
            Quantifier::Forall => ExprKind::Quantified(q, ids, Box::new(implied(typing, p)), None),
            Quantifier::Exists => ExprKind::Quantified(q, ids, Box::new(with(typing, p)), None),
            _ => {
                self.expect(Symbol::Bar, "∣")?;
                let e = self.expression()?;
                ExprKind::Quantified(q, ids, Box::new(with(typing, p)), Some(Box::new(e)))
            }
        };
        Ok(kind.at(self.span_from(start)))
    }

    // `⋃E∣P`, where the free names of E are bound.
    fn of_values(&mut self, q: Quantifier, start: Span) -> Parsed<Expr> {
        let first = self.at;
        let value = self.expression()?;
        let ids = self.free(&value, first, self.at);
        self.expect(Symbol::Bar, "∣")?;
        let p = self.formula()?;
        Ok(ExprKind::Quantified(q, ids, Box::new(p), Some(Box::new(value))).at(self.span_from(start)))
    }

    fn lambda(&mut self, start: Span) -> Parsed<Expr> {
        let pattern = self.expression()?;
        self.expect(Symbol::Dot, "·")?;
        let p = self.formula()?;
        self.expect(Symbol::Bar, "∣")?;
        let value = self.expression()?;
        let mut ids = vec![];
        let mut typing = vec![];
        let pattern = pattern_of(pattern, &mut ids, &mut typing)?;
        let span = self.span_from(start);
        let couple = ExprKind::Binary(B::Maplet, Box::new(pattern), Box::new(value));
        let kind = terms::comprehension(ids, couple.at(span), with(typing, p));
        Ok(kind.at(span))
    }

    // Parses `x, y ⦂ T`: names, and the predicates that give their types.
    fn bound(&mut self) -> Parsed<(Vec<Ident>, Vec<Expr>)> {
        let (mut ids, mut typing) = (vec![], vec![]);
        loop {
            let span = self.here();
            let Some(TokenKind::Name(name)) = self.peek().cloned() else { return self.expected("a name") };
            self.at += 1;
            if self.takes(Symbol::Infix(B::OfType)) {
                let set = self.level(ARROW)?;
                typing.push(member(&name, set, span));
            }
            ids.push(Ident { name, span });
            if !self.takes(Symbol::Comma) {
                return Ok((ids, typing));
            }
        }
    }

    // Behind `{`.
    fn set(&mut self) -> Parsed<ExprKind> {
        if self.takes(Symbol::CloseBrace) {
            return Ok(ExprKind::EmptySet);
        }
        let first = self.at;
        if let Ok((ids, typing)) = self.bound()
            && self.takes(Symbol::Dot)
        {
            let p = with(typing, self.formula()?);
            self.expect(Symbol::Bar, "∣")?;
            let value = self.expression()?;
            self.expect(Symbol::CloseBrace, "}")?;
            return Ok(terms::comprehension(ids, value, p));
        }
        self.at = first;
        let value = self.expression()?;
        if self.takes(Symbol::Bar) {
            let ids = self.free(&value, first, self.at);
            let p = self.formula()?;
            self.expect(Symbol::CloseBrace, "}")?;
            return Ok(terms::comprehension(ids, value, p));
        }
        let mut items = vec![value];
        while self.takes(Symbol::Comma) {
            items.push(self.expression()?);
        }
        self.expect(Symbol::CloseBrace, "}")?;
        Ok(ExprKind::SetExtension(items))
    }

    // The free names of an expression in the order of their places.
    fn free(&self, e: &Expr, first: usize, end: usize) -> Vec<Ident> {
        let names = FreeNames::of_expr(e);
        let mut found: Vec<Ident> = vec![];
        for t in &self.tokens[first..end] {
            if let TokenKind::Name(name) = &t.kind
                && names.contains(name)
                && found.iter().all(|id| id.name != *name)
            {
                found.push(Ident { name: name.clone(), span: self.text.span(t.start, t.end) });
            }
        }
        found
    }

    pub fn assignment(&mut self) -> Parsed<ActionKind> {
        let mut left = vec![self.postfix()?];
        while self.takes(Symbol::Comma) {
            left.push(self.postfix()?);
        }
        match self.symbol() {
            Some(Symbol::Assign) => {
                if let Some(wrong) = left.iter().find(|e| !is_assignable(e)) {
                    let message = "this cannot be assigned to";
                    return Err(Diagnostic::error(codes::UNASSIGNABLE_FORM, wrong.span, message));
                }
                self.at += 1;
                let mut right = vec![self.expression()?];
                while self.takes(Symbol::Comma) {
                    right.push(self.expression()?);
                }
                Ok(ActionKind::Assign(left, right))
            }
            Some(Symbol::BecomesIn) => {
                let ids = names(left)?;
                self.at += 1;
                Ok(ActionKind::BecomesIn(ids, self.expression()?))
            }
            Some(Symbol::BecomesSuch) => {
                let ids = names(left)?;
                self.at += 1;
                Ok(ActionKind::BecomesSuch(ids, self.formula()?))
            }
            Some(Symbol::Infix(B::Equal)) => {
                let message = "`=` compares; an assignment is written `≔` or `:=`";
                Err(Diagnostic::error(codes::EQUAL_AS_ASSIGNMENT, self.here(), message))
            }
            _ => self.expected("`≔`, `:∈` or `:∣`"),
        }
    }
}

fn is_assignable(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Ident(_) => true,
        ExprKind::Apply(f, _) => is_assignable(f),
        _ => false,
    }
}

fn names(list: Vec<Expr>) -> Parsed<Vec<Ident>> {
    list.into_iter()
        .map(|e| match e.kind {
            ExprKind::Ident(name) => Ok(Ident { name, span: e.span }),
            _ => Err(Diagnostic::error(codes::UNASSIGNABLE_FORM, e.span, "a variable is expected here")),
        })
        .collect()
}

// `COND(P, E, F)` of the theory plug-in is a conditional.
fn call(f: Expr, mut arguments: Vec<Expr>) -> ExprKind {
    if matches!(&f.kind, ExprKind::Ident(name) if name == "COND") && arguments.len() == 3 {
        let (otherwise, value) = (arguments.remove(2), arguments.remove(1));
        return ExprKind::If(vec![(arguments.remove(0), value)], Some(Box::new(otherwise)));
    }
    ExprKind::Apply(Box::new(f), arguments)
}

fn member(name: &str, set: Expr, span: Span) -> Expr {
    let name = ExprKind::Ident(name.to_string()).at(span);
    let span = name.span.to(set.span);
    ExprKind::Binary(B::Member, Box::new(name), Box::new(set)).at(span)
}

fn all(typing: Vec<Expr>) -> Option<Expr> {
    typing.into_iter().reduce(|l, r| {
        let span = l.span.to(r.span);
        ExprKind::Binary(B::And, Box::new(l), Box::new(r)).at(span)
    })
}

fn with(typing: Vec<Expr>, p: Expr) -> Expr {
    match all(typing) {
        Some(t) if p.kind == ExprKind::Constant(Constant::Btrue) => t,
        Some(t) => {
            let span = p.span;
            ExprKind::Binary(B::And, Box::new(t), Box::new(p)).at(span)
        }
        None => p,
    }
}

fn implied(typing: Vec<Expr>, p: Expr) -> Expr {
    let Some(t) = all(typing) else { return p };
    let span = p.span;
    match p.kind {
        ExprKind::Binary(B::Implies, l, r) => {
            let span = l.span;
            let l = ExprKind::Binary(B::And, Box::new(t), l).at(span);
            ExprKind::Binary(B::Implies, Box::new(l), r).at(span)
        }
        kind => {
            let p = kind.at(span);
            ExprKind::Binary(B::Implies, Box::new(t), Box::new(p)).at(span)
        }
    }
}

// A tree of maplets over names, each perhaps with its type.
fn pattern_of(e: Expr, ids: &mut Vec<Ident>, typing: &mut Vec<Expr>) -> Parsed<Expr> {
    let span = e.span;
    match e.kind {
        ExprKind::Ident(name) => {
            ids.push(Ident { name: name.clone(), span });
            Ok(ExprKind::Ident(name).at(span))
        }
        ExprKind::Binary(B::Maplet, l, r) => {
            let l = Box::new(pattern_of(*l, ids, typing)?);
            let r = Box::new(pattern_of(*r, ids, typing)?);
            Ok(ExprKind::Binary(B::Maplet, l, r).at(span))
        }
        ExprKind::Binary(B::OfType, name, set) => {
            let name = pattern_of(*name, ids, typing)?;
            if let ExprKind::Ident(n) = &name.kind {
                typing.push(member(n, *set, name.span));
            }
            Ok(name)
        }
        _ => {
            Err(Diagnostic::error(codes::EXPECTED_BOUND_NAME, span, "names joined by `↦` are expected here"))
        }
    }
}
