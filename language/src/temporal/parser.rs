//! From text to a formula of linear temporal logic, in ProB's syntax.
//!
//! From loosest to tightest, all binary ones to the left: `<=>`; `=>`; `&` and `or` alike; `U`, `W`, `R`, `S`, `T`; the
//! others. Sources: the grammar of ProB's parser for LTL, and its manual, "LTL Model Checking".

use super::error::TemporalError;
use super::lexer::{Notation, Placed, Token, tokens};
use super::{Action, Atom, Fairness, Formula, Temporal};
use crate::check::set_of_type;
use crate::diagnostic::Diagnostic;
use crate::load::{Surroundings, check_expression_in, check_predicate_in};
use crate::model::types::Type;
use crate::model::visit::{Replacement, VisitorMut, walk_expr_mut};
use crate::model::{CompareOp, EventId, Expr, ExprKind, LocalId, Model, Pred, PredKind, same};
use crate::walk::Names;

/// The values for which a quantified formula is written out: the elements of a set that is given as an expression of
/// the model, each as an expression without names.
///
/// # Errors
/// They cannot be listed: why.
pub type Candidates<'a> = &'a mut dyn FnMut(&Model, &Expr) -> Result<Vec<Expr>, String>;

/// Reads a formula. Its predicates are typed in the model, to which their bound names are added.
///
/// # Errors
/// The first mistake.
pub fn parse(model: &mut Model, text: &str, candidates: Candidates<'_>) -> Result<Temporal, TemporalError> {
    let tokens = without_parentheses(tokens(text, Notation::Linear)?);
    let mut parser = Parser::new(model, candidates, tokens);
    let fairness = parser.fairness()?;
    let formula = parser.equivalence()?;
    match parser.peek() {
        Token::End => Ok(Temporal { fairness, formula, atoms: parser.atoms }),
        _ => Err(parser.error("an operator or the end of the formula is expected")),
    }
}

/// A name bound to a value.
struct Bound {
    name: String,
    value: Expr,
}

/// A reader of tokens.
pub(super) struct Parser<'a> {
    model: &'a mut Model,
    candidates: Candidates<'a>,
    tokens: Vec<Placed>,
    next: usize,
    atoms: Vec<Atom>,
    bound: Vec<Bound>,
}

/// A part of a formula that was parsed, or the first mistake in it.
pub(super) type Parsed<T> = Result<T, TemporalError>;

impl<'a> Parser<'a> {
    /// At the first of the tokens, of which the last is the end.
    pub(super) fn new(model: &'a mut Model, candidates: Candidates<'a>, tokens: Vec<Placed>) -> Parser<'a> {
        Parser { model, candidates, tokens, next: 0, atoms: Vec::new(), bound: Vec::new() }
    }

    /// The propositions that were read.
    pub(super) fn into_atoms(self) -> Vec<Atom> {
        self.atoms
    }

    /// Returns whether a formula may begin with the token so many tokens ahead.
    pub(super) fn begins_formula(&self, ahead: usize) -> bool {
        let token = self.tokens.get(self.next + ahead).map(|placed| &placed.token);
        match token {
            None | Some(Token::Close | Token::End) => false,
            Some(Token::Word(word)) => !matches!(*word, "&" | "or" | "=>" | "<=>" | "U"),
            Some(_) => true,
        }
    }
}

impl Parser<'_> {
    /// The next token.
    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.next].token
    }

    /// The place of the next token.
    pub(super) fn at(&self) -> usize {
        self.tokens[self.next].at
    }

    /// Takes the next token.
    pub(super) fn advance(&mut self) -> Placed {
        let placed = self.tokens[self.next].clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        placed
    }

    /// Takes the next token if it is this one.
    pub(super) fn accept(&mut self, token: &Token) -> bool {
        let is = self.peek() == token;
        if is {
            self.advance();
        }
        is
    }

    /// Takes this token.
    pub(super) fn expect(&mut self, token: &Token, what: &str) -> Parsed<()> {
        if self.accept(token) { Ok(()) } else { Err(self.error(what)) }
    }

    /// A mistake at the next token.
    pub(super) fn error(&self, message: &str) -> TemporalError {
        TemporalError::new(self.at(), message)
    }

    /// The conditions of fairness that the whole formula is asked under, if it is an implication from such.
    fn fairness(&mut self) -> Parsed<Fairness> {
        let (begin, mut found) = (self.next, Fairness::default());
        match self.conditions(&mut found)? {
            true if self.accept(&Token::Word("=>")) => Ok(found),
            _ => {
                // It is a formula like any other.
                self.next = begin;
                self.atoms.clear();
                Ok(Fairness::default())
            }
        }
    }

    /// Conditions of fairness, all of which are to hold; `false` where something else stands.
    fn conditions(&mut self, found: &mut Fairness) -> Parsed<bool> {
        loop {
            let placed = self.advance();
            let is_condition = match &placed.token {
                Token::Word("WEF") => {
                    found.all_weak = true;
                    true
                }
                Token::Word("SEF") => {
                    found.all_strong = true;
                    true
                }
                Token::Call("WF", action) => {
                    found.weak.push(self.action(action, placed.text_at)?);
                    true
                }
                Token::Call("SF", action) => {
                    found.strong.push(self.action(action, placed.text_at)?);
                    true
                }
                Token::Open => self.conditions(found)? && self.accept(&Token::Close),
                _ => false,
            };
            if !is_condition || !self.accept(&Token::Word("&")) {
                return Ok(is_condition);
            }
        }
    }

    fn equivalence(&mut self) -> Parsed<Formula> {
        let mut left = self.implication()?;
        while self.accept(&Token::Word("<=>")) {
            let right = self.implication()?;
            left = left.clone().implies(right.clone()).and(right.implies(left));
        }
        Ok(left)
    }

    fn implication(&mut self) -> Parsed<Formula> {
        let mut left = self.junction()?;
        while self.accept(&Token::Word("=>")) {
            left = left.implies(self.junction()?);
        }
        Ok(left)
    }

    fn junction(&mut self) -> Parsed<Formula> {
        let mut left = self.binary()?;
        loop {
            if self.accept(&Token::Word("&")) {
                left = left.and(self.binary()?);
            } else if self.accept(&Token::Word("or")) {
                left = left.or(self.binary()?);
            } else {
                return Ok(left);
            }
        }
    }

    fn binary(&mut self) -> Parsed<Formula> {
        let mut left = self.unary()?;
        loop {
            let Token::Word(word) = *self.peek() else { return Ok(left) };
            let make: fn(Formula, Formula) -> Formula = match word {
                "U" => Formula::until,
                "W" => |a, b| b.clone().release(a.or(b)),
                "R" => Formula::release,
                "S" => Formula::since,
                "T" => |a, b| a.not().since(b.not()).not(),
                _ => return Ok(left),
            };
            self.advance();
            left = make(left, self.unary()?);
        }
    }

    fn unary(&mut self) -> Parsed<Formula> {
        let placed = self.advance();
        match placed.token {
            Token::Word("not") => Ok(self.unary()?.not()),
            Token::Word("true") => Ok(Formula::Constant(true)),
            Token::Word("false") => Ok(Formula::Constant(false)),
            Token::Word("G") => Ok(self.unary()?.globally()),
            Token::Word("F") => Ok(self.unary()?.finally()),
            Token::Word("X") => Ok(self.unary()?.next()),
            Token::Word("H") => Ok(Formula::Constant(true).since(self.unary()?.not()).not()),
            Token::Word("O") => Ok(Formula::Constant(true).since(self.unary()?)),
            Token::Word("Y") => Ok(self.unary()?.yesterday()),
            Token::Word("deadlock") => Ok(self.atom(Atom::Deadlock)),
            Token::Word("sink") => Ok(self.atom(Atom::Sink)),
            Token::Word("current") => Err(TemporalError::new(
                placed.at,
                "`current` is the state that an animator shows, and there is none here",
            )),
            Token::Word("WEF" | "SEF") => Err(TemporalError::new(
                placed.at,
                "fairness for all events stands before the formula that is asked under it",
            )
            .help("write `WEF => f`, or name events: WF(op), SF(op)")),
            Token::Open => {
                let inner = self.equivalence()?;
                self.expect(&Token::Close, "`)` is expected")?;
                Ok(inner)
            }
            Token::Predicate(text) => self.predicate(&text, placed.text_at),
            Token::Taken(text) => {
                let action = self.action(&text, placed.text_at)?;
                Ok(self.atom(Atom::Taken(action)))
            }
            Token::Call(word, text) => self.call(word, &text, placed.at, placed.text_at),
            Token::Quantifier(is_all, name) => self.quantifier(is_all, name, placed.at),
            Token::End => Err(TemporalError::new(placed.at, "a formula is expected, the text ends here")),
            _ => Err(TemporalError::new(placed.at, "a formula is expected")
                .help("for example {x > 0}, [op], e(op), G f, f U g")),
        }
    }

    /// Parses the argument of a word, an event or a piece of B in parentheses.
    pub(super) fn call(&mut self, word: &str, text: &str, at: usize, text_at: usize) -> Parsed<Formula> {
        if matches!(word, "e" | "WF" | "SF") {
            let action = self.action(text, text_at)?;
            let enabled = self.atom(Atom::Enabled(action.clone()));
            let again = |f: Formula| f.finally().globally();
            return Ok(match word {
                "e" => enabled,
                "WF" => enabled.globally().finally().implies(again(self.atom(Atom::Taken(action)))),
                _ => again(enabled).implies(again(self.atom(Atom::Taken(action)))),
            });
        }
        if matches!(word, "BA" | "changed" | "unchanged") {
            return self.step(word, text, text_at);
        }
        if !matches!(word, "deadlock" | "deterministic" | "controller") {
            let known =
                "e(op), [op], BA({…}), changed({…}), deadlock(…), deterministic(…) and controller(…) are";
            return Err(TemporalError::new(at, format!("`{word}` is not supported")).help(known));
        }
        let mut enabled = Vec::new();
        let mut from = text_at;
        for part in split(text) {
            let action = self.action(part, from)?;
            enabled.push(self.atom(Atom::Enabled(action)));
            from += part.len() + 1;
        }
        let none = enabled.iter().fold(Formula::Constant(true), |all, e| all.and(e.clone().not()));
        let mut one_at_most = Formula::Constant(true);
        for (i, a) in enabled.iter().enumerate() {
            for b in &enabled[i + 1..] {
                one_at_most = one_at_most.and(a.clone().and(b.clone()).not());
            }
        }
        Ok(match word {
            "deadlock" => none,
            "deterministic" => one_at_most,
            _ => one_at_most.and(none.not()),
        })
    }

    /// A formula for all, or some, values of a name: written out.
    fn quantifier(&mut self, is_all: bool, name: String, at: usize) -> Parsed<Formula> {
        self.expect(&Token::Open, "`(` is expected after the dot")?;
        let domain = self.advance();
        let Token::Predicate(text) = &domain.token else {
            return Err(TemporalError::new(domain.at, "a predicate in braces is expected: which values"));
        };
        let connective = if is_all { "=>" } else { "&" };
        self.expect(&Token::Word(connective), &format!("`{connective}` is expected after the predicate"))?;
        let values = self.values(&name, text, at)?;
        let begin = self.next;
        let mut whole = Formula::Constant(is_all);
        // The body is parsed at least once, to report its mistakes.
        for value in &values {
            self.next = begin;
            self.bound.push(Bound { name: name.clone(), value: value.clone() });
            let of_values = self.predicate(text, domain.text_at);
            let body = self.equivalence();
            self.bound.pop();
            let (of_values, body) = (of_values?, body?);
            whole = if is_all { whole.and(of_values.implies(body)) } else { whole.or(of_values.and(body)) };
        }
        if values.is_empty() {
            let depth = |open: usize, token: &Token| match token {
                Token::Open => open + 1,
                Token::Close => open - 1,
                _ => open,
            };
            let mut open = 1;
            while open > 0 && *self.peek() != Token::End {
                open = depth(open, self.peek());
                if open > 0 {
                    self.advance();
                }
            }
        }
        self.expect(&Token::Close, "`)` is expected")?;
        Ok(whole)
    }

    /// The values of a name that satisfy a predicate, as far as that does not depend on the state; all of its type where
    /// nothing of it does.
    fn values(&mut self, name: &str, predicate: &str, at: usize) -> Parsed<Vec<Expr>> {
        let mut set = self
            .expression(&format!("{{{name} | {predicate}}}"))
            .map_err(|all| TemporalError::new(at, all.first().map_or("", |d| &d.message)))?;
        if let ExprKind::Comprehension(_, p) = &mut set.kind {
            let parts = match std::mem::replace(&mut p.kind, PredKind::True) {
                PredKind::And(parts) => parts,
                kind => vec![kind.at(p.span)],
            };
            let constant = |p: &Pred| Names::of_pred(p).variables.is_empty();
            **p = Pred::all(parts.into_iter().filter(constant).collect(), p.span);
        }
        let all = match &set.ty {
            Type::Pow(of) => set_of_type(of, set.span),
            _ => set.clone(),
        };
        let mut why = String::new();
        for set in [set, all] {
            match (self.candidates)(self.model, &set) {
                Ok(values) => return Ok(values),
                Err(reason) => why = reason,
            }
        }
        Err(TemporalError::new(at, format!("the values of `{name}` cannot be listed: {why}"))
            .help("give its predicate a finite set that does not depend on variables"))
    }

    /// The bound names with their types.
    fn names(&self) -> Vec<(String, Type)> {
        self.bound.iter().map(|b| (b.name.clone(), b.value.ty.clone())).collect()
    }

    /// The bound names, which are these locals, have their values.
    fn valued(&self, locals: &[LocalId]) -> Replacement {
        let mut names = Replacement::default();
        names.locals.extend(locals.iter().copied().zip(self.bound.iter().map(|b| b.value.clone())));
        names
    }

    /// An expression in which the bound names have their values.
    fn expression(&mut self, text: &str) -> Result<Expr, Vec<Diagnostic>> {
        let names = self.names();
        let surroundings = Surroundings { bound: &names, old_values: false };
        let (e, locals) = check_expression_in(self.model, text, surroundings)?;
        Ok(self.valued(&locals).in_expr(&e))
    }

    /// A predicate in which the bound names have their values, of a state or of a step.
    fn read(&mut self, text: &str, at: usize, old_values: bool) -> Parsed<Pred> {
        let names = self.names();
        let read = check_predicate_in(self.model, text, Surroundings { bound: &names, old_values });
        let (pred, locals) = read.map_err(|all| wrong(&all, at))?;
        Ok(self.valued(&locals).in_pred(&pred))
    }

    /// A predicate of the state.
    pub(super) fn predicate(&mut self, text: &str, at: usize) -> Parsed<Formula> {
        let pred = self.read(text, at, false)?;
        Ok(self.atom(Atom::Predicate(pred)))
    }

    /// `BA({P})`, `changed({E})` and `unchanged({E})`: about the values before and after the step that comes.
    fn step(&mut self, word: &str, text: &str, at: usize) -> Parsed<Formula> {
        let inner = text.trim();
        let Some(inner) = inner.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
            let message = format!("braces are expected: `{word}({{…}})`");
            return Err(TemporalError::new(at, message));
        };
        let at = at + text.find('{').map_or(0, |open| open + 1);
        let pred = if word == "BA" {
            self.read(inner, at, true)?
        } else {
            let after = self.expression(inner).map_err(|all| wrong(&all, at))?;
            let mut before = after.clone();
            Before.expr(&mut before);
            let op = if word == "changed" { CompareOp::NotEqual } else { CompareOp::Equal };
            let span = after.span;
            Pred::compare(op, after, before, span)
        };
        Ok(self.atom(Atom::Step(pred)))
    }

    /// `op` or `op(arguments)`.
    pub(super) fn action(&mut self, text: &str, at: usize) -> Parsed<Action> {
        let (name, arguments) = match text.find('(') {
            Some(open) if text.trim_end().ends_with(')') => {
                let end = text.trim_end().len() - 1;
                (&text[..open], Some((&text[open + 1..end], at + open + 1)))
            }
            _ => (text, None),
        };
        let name = name.trim();
        let Some(index) = self.model.events.iter().position(|e| e.name == name) else {
            let names = self.model.events.iter().map(|e| e.name.as_str());
            let names: Vec<&str> = names.take(20).collect();
            return Err(TemporalError::new(at, format!("there is no event `{name}`"))
                .help(format!("the events are: {}", names.join(", "))));
        };
        let mut action = Action { event: EventId(index as u32), arguments: vec![] };
        let Some((list, mut from)) = arguments else { return Ok(action) };
        for (i, part) in split(list).into_iter().enumerate() {
            let Some(parameter) = self.model.events[index].parameters.get(i).copied() else {
                let n = self.model.events[index].parameters.len();
                return Err(TemporalError::new(from, format!("`{name}` has {n} parameters")));
            };
            // The type of the parameter is that of the argument, so that both can be compared.
            let value = self.expression(part).map_err(|all| wrong(&all, from))?;
            let expected = &self.model.locals[parameter.index()].ty;
            if value.ty != *expected {
                return Err(TemporalError::new(
                    from,
                    format!("`{}` is no possible value of parameter {} of `{name}`", part.trim(), i + 1),
                ));
            }
            if let Some(variable) = Names::of_expr(&value).variables.first() {
                let variable = &self.model.variables[variable.index()].name;
                return Err(TemporalError::new(
                    from,
                    format!("an argument cannot depend on the variable `{variable}`"),
                )
                .help("quantify over the values: #v.({v = x} & [op(v)])"));
            }
            action.arguments.push(value);
            from += part.len() + 1;
        }
        Ok(action)
    }

    /// A proposition; one that is there already is the same.
    fn atom(&mut self, atom: Atom) -> Formula {
        Formula::Atom(self.number(atom))
    }

    /// The number of a proposition.
    pub(super) fn number(&mut self, atom: Atom) -> usize {
        let known = self.atoms.iter().position(|known| is_same(known, &atom));
        known.unwrap_or_else(|| {
            self.atoms.push(atom);
            self.atoms.len() - 1
        })
    }
}

/// The first message about a piece of B that begins at a place of the formula.
fn wrong(all: &[Diagnostic], at: usize) -> TemporalError {
    let Some(first) = all.first() else { return TemporalError::new(at, "this is wrong") };
    let offset = first.span.start as usize;
    TemporalError { at: at + offset, message: first.message.clone(), help: first.help.clone() }
}

/// Puts the values before a step in the place of those after it.
struct Before;

impl VisitorMut for Before {
    fn expr(&mut self, e: &mut Expr) {
        if let ExprKind::Var(v) = e.kind {
            e.kind = ExprKind::Old(v);
        }
        walk_expr_mut(self, e);
    }
}

/// Without parentheses around the whole.
fn without_parentheses(mut tokens: Vec<Placed>) -> Vec<Placed> {
    loop {
        let mut open = 0usize;
        let closes = tokens.iter().position(|placed| {
            match placed.token {
                Token::Open => open += 1,
                Token::Close => open = open.saturating_sub(1),
                _ => {}
            }
            open == 0
        });
        if tokens[0].token != Token::Open || closes.is_none_or(|at| at + 2 != tokens.len()) {
            return tokens;
        }
        tokens.remove(0);
        tokens.remove(tokens.len() - 2);
    }
}

/// The parts of a list of B expressions, at the commas outside of brackets.
fn split(list: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut depth, mut in_string) = (Vec::new(), 0, 0usize, false);
    for (i, c) in list.char_indices() {
        match c {
            '"' => in_string = !in_string,
            _ if in_string => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&list[begin..i]);
                begin = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[begin..]);
    parts
}

fn is_same(a: &Atom, b: &Atom) -> bool {
    match (a, b) {
        (Atom::Predicate(a), Atom::Predicate(b)) | (Atom::Step(a), Atom::Step(b)) => same::same_pred(a, b),
        (Atom::Enabled(a), Atom::Enabled(b)) | (Atom::Taken(a), Atom::Taken(b)) => is_same_action(a, b),
        (Atom::Deadlock, Atom::Deadlock) | (Atom::Sink, Atom::Sink) => true,
        _ => false,
    }
}

fn is_same_action(a: &Action, b: &Action) -> bool {
    let (x, y) = (&a.arguments, &b.arguments);
    a.event == b.event && x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same::same_expr(x, y))
}
