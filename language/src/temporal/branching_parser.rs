//! From text to a formula of branching time, in ProB's syntax.
//!
//! From loosest to tightest, all binary ones to the left: `<=>`; `=>`; `&` and `or` alike; the others, of which `E f U g`
//! takes the tightest formulas around `U`. `E(f U g)` is read as well. Source: experiments with ProB 1.8.2.

use super::branching::{Branching, StateFormula, StateKind};
use super::error::TemporalError;
use super::lexer::{Notation, Token, tokens};
use super::parser::{Parsed, Parser};
use super::{Atom, Formula};
use crate::model::{Expr, Model};

/// Reads a formula of branching time. Its predicates are typed in the model.
///
/// # Errors
/// The first mistake.
pub fn parse_branching(model: &mut Model, text: &str) -> Result<Branching, TemporalError> {
    let tokens = tokens(text, Notation::Branching)?;
    let mut unused = |_: &Model, _: &Expr| Err("nothing is quantified".to_string());
    let mut reader = Reader { parser: Parser::new(model, &mut unused, tokens), size: 0 };
    let formula = reader.equivalence()?;
    match reader.parser.peek() {
        Token::End => Ok(Branching { formula, atoms: reader.parser.into_atoms(), size: reader.size }),
        _ => Err(reader.parser.error("an operator or the end of the formula is expected")),
    }
}

struct Reader<'a> {
    parser: Parser<'a>,
    /// Number of formulas so far.
    size: usize,
}

impl Reader<'_> {
    /// A formula whose text ends before the next token.
    fn make(&mut self, from: usize, kind: StateKind) -> StateFormula {
        self.size += 1;
        StateFormula { kind, number: self.size - 1, text: (from, self.parser.at()) }
    }

    fn not(&mut self, inner: StateFormula) -> StateFormula {
        let from = inner.text.0;
        self.make(from, StateKind::Not(Box::new(inner)))
    }

    fn equivalence(&mut self) -> Parsed<StateFormula> {
        let from = self.parser.at();
        let mut left = self.implication()?;
        while self.parser.accept(&Token::Word("<=>")) {
            let right = self.implication()?;
            let (not_left, not_right) = (self.not(left.clone()), self.not(right.clone()));
            let both = self.make(from, StateKind::And(Box::new(left), Box::new(right)));
            let none = self.make(from, StateKind::And(Box::new(not_left), Box::new(not_right)));
            left = self.make(from, StateKind::Or(Box::new(both), Box::new(none)));
        }
        Ok(left)
    }

    fn implication(&mut self) -> Parsed<StateFormula> {
        let from = self.parser.at();
        let mut left = self.junction()?;
        while self.parser.accept(&Token::Word("=>")) {
            let right = self.junction()?;
            let not_left = self.not(left);
            left = self.make(from, StateKind::Or(Box::new(not_left), Box::new(right)));
        }
        Ok(left)
    }

    fn junction(&mut self) -> Parsed<StateFormula> {
        let from = self.parser.at();
        let mut left = self.unary()?;
        loop {
            let make: fn(Box<StateFormula>, Box<StateFormula>) -> StateKind =
                if self.parser.accept(&Token::Word("&")) {
                    StateKind::And
                } else if self.parser.accept(&Token::Word("or")) {
                    StateKind::Or
                } else {
                    return Ok(left);
                };
            let right = self.unary()?;
            left = self.make(from, make(Box::new(left), Box::new(right)));
        }
    }

    fn unary(&mut self) -> Parsed<StateFormula> {
        let placed = self.parser.advance();
        let from = placed.at;
        let kind = match placed.token {
            Token::Word("not") => StateKind::Not(Box::new(self.unary()?)),
            Token::Word("true") => StateKind::Constant(true),
            Token::Word("false") => StateKind::Constant(false),
            Token::Word(word @ ("EX" | "AX")) => self.next(word == "AX")?,
            Token::Word(word @ ("EF" | "AF")) => {
                let left = self.make(from, StateKind::Constant(true));
                let right = self.unary()?;
                StateKind::Until { every: word == "AF", left: Box::new(left), right: Box::new(right) }
            }
            Token::Word(word @ ("EG" | "AG")) => {
                StateKind::Globally { every: word == "AG", inner: Box::new(self.unary()?) }
            }
            Token::Word(word @ ("E" | "A")) => self.until(word == "A")?,
            Token::Word("deadlock") => self.state(Atom::Deadlock),
            Token::Word("sink") => self.state(Atom::Sink),
            Token::Word(word @ ("G" | "F" | "X" | "U" | "W" | "R" | "S" | "T" | "H" | "O" | "Y")) => {
                return Err(TemporalError::new(from, format!("`{word}` is about one path"))
                    .help("say which paths: EX, EF, EG, E f U g for some, AX, AF, AG, A f U g for all; --formula asks for LTL"));
            }
            Token::Open => {
                let inner = self.equivalence()?;
                self.parser.expect(&Token::Close, "`)` is expected")?;
                return Ok(StateFormula { text: (from, self.parser.at()), ..inner });
            }
            Token::Predicate(text) => {
                let pred = self.parser.predicate(&text, placed.text_at)?;
                self.of_state(&pred, from)?.kind
            }
            // ProB says so of a state in which the event is enabled.
            Token::Taken(text) => {
                let action = self.parser.action(&text, placed.text_at)?;
                self.state(Atom::Enabled(action))
            }
            Token::Call(word @ ("WF" | "SF" | "BA" | "changed" | "unchanged"), _) => {
                return Err(TemporalError::new(from, format!("`{word}` is about one path"))
                    .help("ask for a formula of linear time with --formula"));
            }
            Token::Call(word, text) => {
                let formula = self.parser.call(word, &text, placed.at, placed.text_at)?;
                self.of_state(&formula, from)?.kind
            }
            Token::Quantifier(..) => {
                return Err(TemporalError::new(
                    from,
                    "quantifiers are not supported in formulas of branching time",
                )
                .help("write the formula out, or quantify inside of the braces"));
            }
            Token::End => return Err(TemporalError::new(from, "a formula is expected, the text ends here")),
            _ => {
                return Err(TemporalError::new(from, "a formula is expected")
                    .help("for example {x > 0}, e(op), EF f, AG f, E f U g, EX [op] f"));
            }
        };
        Ok(self.make(from, kind))
    }

    /// Parses the formula after `EX` or `AX`: `[op] f` is a step by the event, `[op]` alone a formula like any other.
    fn next(&mut self, every: bool) -> Parsed<StateKind> {
        let mut action = None;
        if let Token::Taken(text) = self.parser.peek().clone()
            && self.parser.begins_formula(1)
        {
            let placed = self.parser.advance();
            let taken = self.parser.action(&text, placed.text_at)?;
            action = Some(self.parser.number(Atom::Taken(taken)));
        }
        Ok(StateKind::Next { every, action, inner: Box::new(self.unary()?) })
    }

    /// Parses the formula `f U g` after `E` or `A`, also in parentheses.
    fn until(&mut self, every: bool) -> Parsed<StateKind> {
        let until = "`U` is expected: `E f U g`, `A f U g`";
        let (left, right) = if *self.parser.peek() == Token::Open {
            let from = self.parser.at();
            self.parser.advance();
            let left = self.equivalence()?;
            if self.parser.accept(&Token::Word("U")) {
                let right = self.equivalence()?;
                self.parser.expect(&Token::Close, "`)` is expected")?;
                (left, right)
            } else {
                self.parser.expect(&Token::Close, "`)` is expected")?;
                let left = StateFormula { text: (from, self.parser.at()), ..left };
                self.parser.expect(&Token::Word("U"), until)?;
                (left, self.unary()?)
            }
        } else {
            let left = self.unary()?;
            self.parser.expect(&Token::Word("U"), until)?;
            (left, self.unary()?)
        };
        Ok(StateKind::Until { every, left: Box::new(left), right: Box::new(right) })
    }

    fn state(&mut self, atom: Atom) -> StateKind {
        StateKind::Atom(self.parser.number(atom))
    }

    /// A linear formula that is about one position only.
    fn of_state(&mut self, formula: &Formula, from: usize) -> Parsed<StateFormula> {
        let kind = match formula {
            Formula::Constant(truth) => StateKind::Constant(*truth),
            Formula::Atom(number) => StateKind::Atom(*number),
            Formula::Not(a) => StateKind::Not(Box::new(self.of_state(a, from)?)),
            Formula::And(a, b) => {
                StateKind::And(Box::new(self.of_state(a, from)?), Box::new(self.of_state(b, from)?))
            }
            Formula::Or(a, b) => {
                StateKind::Or(Box::new(self.of_state(a, from)?), Box::new(self.of_state(b, from)?))
            }
            Formula::Next(_) | Formula::Until(..) | Formula::Yesterday(_) | Formula::Since(..) => {
                return Err(TemporalError::new(from, "this is about one path"));
            }
        };
        Ok(self.make(from, kind))
    }
}
