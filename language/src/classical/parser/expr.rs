//! Expressions and predicates: one precedence table for both, because a definition or a
//! parenthesis may hold either.

use super::depth;
use super::operators::{self, COMPARISON, FORMULA, IN_PARENTHESES, Infix, OPERAND, POWER};
use super::state::{Parsed, Parser, Reported, boxed, error_expr};
use crate::ast::{BinaryOp, BuiltinFn, Expr, ExprKind, Ident, Quantifier, UnaryOp};
use crate::classical::lexer::{TokenKind, unescape};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::text::source::Span;

impl Parser<'_> {
    /// Parses an expression or predicate where `;` and `||` are not operators.
    pub(super) fn formula(&mut self) -> Parsed<Expr> {
        self.climb(FORMULA)
    }

    /// Reads operators of at least this level.
    pub(super) fn climb(&mut self, min: u8) -> Parsed<Expr> {
        self.deeper()?;
        self.formula_depth += 1;
        let result = self.climb_within(min);
        self.formula_depth -= 1;
        self.depth -= 1;
        match result {
            Ok(expr) if self.formula_depth == 0 && depth::is_too_high(&expr) => {
                let message = format!("this formula is nested more than {} levels deep", depth::MAX_HEIGHT);
                let diagnostic = Diagnostic::error(codes::NESTED_TOO_DEEPLY, expr.span, message)
                    .help("put parentheses around parts of long chains of operators");
                depth::dismantle(expr);
                Err(self.report(diagnostic))
            }
            result => result,
        }
    }

    fn climb_within(&mut self, min: u8) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.operand(min)?;
        loop {
            if min <= OPERAND
                && let Some(text) = self.description()
            {
                let span = self.span_from(start);
                left = ExprKind::Described(boxed(left), text).at(span);
                continue;
            }
            let Some(infix) = operators::infix(self.kind()).filter(|i| i.level >= min) else {
                return Ok(left);
            };
            if self.is_foreign_operator() {
                return Ok(left);
            }
            left = self.chain(left, start, infix)?;
            if infix.level == COMPARISON {
                self.refuse_chain(start)?;
            }
        }
    }

    /// Parses the part before the first infix operator.
    fn operand(&mut self, min: u8) -> Parsed<Expr> {
        let start = self.span();
        if min <= OPERAND
            && let Some(label) = self.label()
        {
            let inner = self.climb(OPERAND + 1)?;
            let span = self.span_from(start);
            return Ok(ExprKind::Labelled(label, boxed(inner)).at(span));
        }
        if self.eat(TokenKind::Minus).is_some() {
            let inner = self.postfix()?;
            let span = self.span_from(start);
            return Ok(ExprKind::Unary(UnaryOp::Minus, boxed(inner)).at(span));
        }
        self.postfix()
    }

    /// Reads the operands of as many equal operators as follow each other.
    fn chain(&mut self, left: Expr, start: Span, infix: Infix) -> Parsed<Expr> {
        let operator = self.kind();
        // With parentheses, which an expression's own span leaves out.
        let mut operands = vec![(left, self.span_from(start))];
        let right_level = if infix.level == POWER { POWER } else { infix.level + 1 };
        let associative = operators::is_associative(infix.op);
        while self.is(operator) && !self.is_foreign_operator() {
            self.bump();
            let right_start = self.span();
            let right = self.climb(right_level)?;
            operands.push((right, self.span_from(right_start)));
            if !associative {
                break;
            }
        }
        match infix.op {
            BinaryOp::Composition if self.refuse_couples(&operands).is_err() => {
                return Ok(error_expr(self.span_from(start)));
            }
            BinaryOp::ParallelProduct => self.refuse_alternatives(&operands),
            _ => {}
        }
        Ok(depth::join(infix, operands))
    }

    /// Rejects `{a |-> b; c |-> d}`: it looks like a list, but `;` composes relations, and a couple is not a relation.
    fn refuse_couples(&mut self, operands: &[(Expr, Span)]) -> Parsed<()> {
        let is_couple = |e: &Expr| matches!(e.kind, ExprKind::Binary(BinaryOp::Maplet, ..));
        if let Some((_, span)) = operands.iter().find(|(e, _)| is_couple(e)) {
            let message = "`;` composes relations, this is a couple";
            let diagnostic = Diagnostic::error(codes::COMPOSED_COUPLE, *span, message)
                .help("elements are separated by `,`");
            self.report(diagnostic);
            // Type errors would follow from this.
            return Err(Reported);
        }
        Ok(())
    }

    /// `(x = 1 || x = 2)`
    fn refuse_alternatives(&mut self, operands: &[(Expr, Span)]) {
        if let Some((_, span)) = operands.iter().find(|(e, _)| operators::is_predicate(e)) {
            let message = "`||` joins substitutions or relations, this is a predicate";
            let diagnostic = Diagnostic::error(codes::FOREIGN_OPERATOR, *span, message)
                .help("disjunction is `or`")
                .instead("or");
            self.report(diagnostic);
        }
    }

    /// Rejects `a < b < c`, which is not a predicate.
    fn refuse_chain(&mut self, start: Span) -> Parsed<()> {
        if operators::infix(self.kind()).is_none_or(|i| i.level != COMPARISON) || self.is_foreign_operator() {
            return Ok(());
        }
        let diagnostic =
            Diagnostic::error(codes::CHAINED_COMPARISON, self.span(), "comparisons cannot be chained")
                .label(self.span_from(start), "this is a comparison already")
                .help("write two comparisons joined by `&`, or put parentheses");
        Err(self.report(diagnostic))
    }

    /// Parses an atom with applications, images, fields and inverses behind it.
    pub(super) fn postfix(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let atom = self.atom()?;
        self.suffixes(atom, start)
    }

    /// As [`Parser::postfix`] in the place of a substitution, where `left(x)` is a call.
    pub(super) fn target(&mut self) -> Parsed<Expr> {
        let start = self.span();
        if matches!(self.kind(), TokenKind::Ident | TokenKind::QuotedIdent) {
            let ident = self.dotted_name()?;
            return self.suffixes(super::state::ident_expr(ident), start);
        }
        self.postfix()
    }

    fn suffixes(&mut self, mut expr: Expr, start: Span) -> Parsed<Expr> {
        loop {
            let open = self.span();
            let kind = match self.kind() {
                TokenKind::OpenParen if self.empty_arguments() => continue,
                TokenKind::OpenParen => {
                    self.bump();
                    let arguments = self.list(FORMULA)?;
                    self.close(TokenKind::CloseParen, open)?;
                    ExprKind::Apply(boxed(expr), arguments)
                }
                TokenKind::OpenBracket => {
                    self.bump();
                    let set = self.climb(IN_PARENTHESES)?;
                    self.close(TokenKind::CloseBracket, open)?;
                    ExprKind::Image(boxed(expr), boxed(set))
                }
                TokenKind::Quote => {
                    self.bump();
                    let field = self.field_label()?;
                    ExprKind::Field(boxed(expr), field)
                }
                TokenKind::Inverse => {
                    self.bump();
                    ExprKind::Unary(UnaryOp::Inverse, boxed(expr))
                }
                _ => return Ok(expr),
            };
            expr = kind.at(self.span_from(start));
        }
    }

    /// One or more formulas separated by commas.
    pub(super) fn list(&mut self, min: u8) -> Parsed<Vec<Expr>> {
        let mut items = vec![self.climb(min)?];
        while self.eat(TokenKind::Comma).is_some() {
            items.push(self.climb(min)?);
        }
        Ok(items)
    }

    fn atom(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let text = self.text_at(self.at);
        let leaf = |kind: ExprKind| Ok(kind.at(start));
        match self.kind() {
            TokenKind::Ident | TokenKind::QuotedIdent => self.identifier(),
            TokenKind::Integer => {
                self.bump();
                leaf(ExprKind::Integer(text.to_owned()))
            }
            TokenKind::Real => {
                self.bump();
                leaf(ExprKind::Real(text.to_owned()))
            }
            TokenKind::String => {
                self.bump();
                leaf(ExprKind::String(unescape(&text[1..text.len() - 1])))
            }
            TokenKind::LongString => {
                self.bump();
                leaf(ExprKind::String(unescape(&text[3..text.len() - 3])))
            }
            TokenKind::Template => self.template(),
            TokenKind::Constant(constant) => {
                self.bump();
                leaf(ExprKind::Constant(constant))
            }
            TokenKind::EmptySet => {
                self.bump();
                leaf(ExprKind::EmptySet)
            }
            TokenKind::EmptySeq => {
                self.bump();
                leaf(ExprKind::EmptySeq)
            }
            TokenKind::OpenParen => self.parenthesised(),
            TokenKind::OpenBrace => self.set(),
            TokenKind::OpenBracket => self.bracketed(),
            TokenKind::Not => self.negation(),
            TokenKind::Quantifier(quantifier) => self.quantified(quantifier),
            TokenKind::Builtin(function) => self.builtin(function),
            TokenKind::Rec => self.record(),
            TokenKind::Struct => self.record(),
            TokenKind::If => self.if_expression(),
            TokenKind::Let => self.let_expression(),
            _ => Err(self.no_expression()),
        }
    }

    fn no_expression(&mut self) -> Reported {
        let help = match (self.kind(), self.at.checked_sub(1).map(|i| self.kind_at(i))) {
            (TokenKind::Minus, Some(TokenKind::Minus)) => Some("write `-(-x)`"),
            (TokenKind::Equal, Some(TokenKind::Equal)) => Some("equality is `=`"),
            (TokenKind::Infix(crate::ast::BinaryOp::Less), Some(TokenKind::Equal)) => {
                Some("less or equal is `<=`")
            }
            (
                TokenKind::Infix(crate::ast::BinaryOp::And),
                Some(TokenKind::Infix(crate::ast::BinaryOp::And)),
            ) => Some("conjunction is `&`"),
            (TokenKind::Parallel | TokenKind::Bar, _) => Some("disjunction is `or`"),
            (TokenKind::Quote, _) => Some("strings stand between double quotes: `\"…\"`"),
            (TokenKind::Dot, Some(TokenKind::Infix(crate::ast::BinaryOp::Interval))) => {
                Some("an interval is `a..b`")
            }
            _ => None,
        };
        let message = format!("expected an expression or predicate, found {}", self.found());
        let mut diagnostic = Diagnostic::error(codes::EXPECTED_EXPRESSION, self.span(), message);
        diagnostic.help = help.map(str::to_owned);
        if diagnostic.help.is_none() && self.is_keyword() && !self.is_structure() {
            diagnostic.help = Some(format!("`{}` is a keyword of B", self.text_at(self.at)));
        }
        self.report(diagnostic)
    }

    /// `x`, `p.x`, `x$0`, or a word such as `floor` that is an operator before parentheses only.
    fn identifier(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let word = self.text_at(self.at);
        if self.kind_at(self.at + 1) == TokenKind::OpenParen
            && !self.plain_words.contains(word)
            && let Some(function) = BuiltinFn::of_soft_word(word)
        {
            return self.builtin(function);
        }
        let ident = self.dotted_name()?;
        let old = self.eat(TokenKind::Old).is_some();
        let kind = if old { ExprKind::Old(ident.name) } else { ExprKind::Ident(ident.name) };
        Ok(kind.at(self.span_from(start)))
    }

    /// `(E)`, `(E, F)`: a single formula keeps its own span.
    fn parenthesised(&mut self) -> Parsed<Expr> {
        let open = self.bump();
        let mut items = self.list(IN_PARENTHESES)?;
        self.close(TokenKind::CloseParen, open)?;
        if items.len() == 1
            && let Some(only) = items.pop()
        {
            return Ok(only);
        }
        Ok(ExprKind::Tuple(items).at(self.span_from(open)))
    }

    /// `{}`, `{a, b}`, `{x, y | P}`, `{x, y · P | E}`, `{(x, y).P | E}`
    fn set(&mut self) -> Parsed<Expr> {
        let open = self.bump();
        if self.eat(TokenKind::CloseBrace).is_some() {
            return Ok(ExprKind::EmptySet.at(self.span_from(open)));
        }
        let items = self.list(IN_PARENTHESES)?;
        let kind = match self.kind() {
            TokenKind::Bar => {
                self.bump();
                let names = self.bound_names(items)?;
                let condition = self.climb(IN_PARENTHESES)?;
                ExprKind::Comprehension(names, boxed(condition), None)
            }
            TokenKind::Dot | TokenKind::MiddleDot => {
                self.bump();
                let names = self.bound_names(items)?;
                let condition = self.climb(IN_PARENTHESES)?;
                self.expect(TokenKind::Bar, "`|` and the value of the comprehension")?;
                let value = self.climb(IN_PARENTHESES)?;
                ExprKind::Comprehension(names, boxed(condition), Some(boxed(value)))
            }
            _ => ExprKind::SetExtension(items),
        };
        self.close(TokenKind::CloseBrace, open)?;
        Ok(kind.at(self.span_from(open)))
    }

    /// Converts parsed elements of a set into the names that a comprehension binds.
    fn bound_names(&mut self, items: Vec<Expr>) -> Parsed<Vec<Ident>> {
        let mut names = vec![];
        for item in items {
            match item.kind {
                ExprKind::Ident(name) => names.push(Ident { name, span: item.span }),
                ExprKind::Tuple(items) => names.extend(self.bound_names(items)?),
                _ => return Err(self.unbindable(&item)),
            }
        }
        Ok(names)
    }

    /// `[]`, `[a, b]`, `[S] P`
    fn bracketed(&mut self) -> Parsed<Expr> {
        let substitution = self.bracket_holds_substitution();
        let open = self.bump();
        if self.eat(TokenKind::CloseBracket).is_some() {
            return Ok(ExprKind::EmptySeq.at(self.span_from(open)));
        }
        if substitution {
            let body = self.substitution();
            self.close(TokenKind::CloseBracket, open)?;
            let predicate = self.climb(COMPARISON)?;
            let kind = ExprKind::Substituted(Box::new(body), boxed(predicate));
            return Ok(kind.at(self.span_from(open)));
        }
        let items = self.list(FORMULA)?;
        self.close(TokenKind::CloseBracket, open)?;
        Ok(ExprKind::SeqExtension(items).at(self.span_from(open)))
    }

    /// Returns whether the bracket at the next token contains a substitution: it begins with a word that only a
    /// substitution begins with, or holds an assignment.
    fn bracket_holds_substitution(&self) -> bool {
        use TokenKind::{Any, Assert, Begin, Case, Choice, If, Let, Pre, Select, Skip, Var, While, Witness};
        let first = self.kind_at(self.at + 1);
        if matches!(first, Any | Assert | Begin | Case | Choice | Pre | Select | Skip | Var | While | Witness)
        {
            return true;
        }
        let block = matches!(first, If | Let);
        let mut nesting = 0usize;
        for index in self.at..self.tokens.len() {
            match self.kind_at(index) {
                TokenKind::OpenParen | TokenKind::OpenBrace | TokenKind::OpenBracket => nesting += 1,
                TokenKind::CloseParen | TokenKind::CloseBrace | TokenKind::CloseBracket => {
                    nesting -= 1;
                    if nesting == 0 {
                        return false;
                    }
                }
                TokenKind::Assign | TokenKind::BecomesIn | TokenKind::Outputs if nesting == 1 => return true,
                TokenKind::Then | TokenKind::End if block => {}
                TokenKind::Then | TokenKind::End | TokenKind::Eof | TokenKind::Error => return false,
                _ => {}
            }
        }
        false
    }

    fn open_after(&mut self, word: &str, example: &str) -> Parsed<Span> {
        if self.is(TokenKind::OpenParen) {
            return Ok(self.bump());
        }
        let message = format!("expected `(` behind `{word}`, found {}", self.found());
        let diagnostic = Diagnostic::error(codes::MISSING_PARENTHESES, self.span(), message)
            .help(format!("parentheses are part of the syntax: `{example}`"));
        Err(self.report(diagnostic))
    }

    fn negation(&mut self) -> Parsed<Expr> {
        let start = self.bump();
        let open = self.open_after("not", "not(P)")?;
        let inner = self.climb(IN_PARENTHESES)?;
        self.close(TokenKind::CloseParen, open)?;
        Ok(ExprKind::Unary(UnaryOp::Not, boxed(inner)).at(self.span_from(start)))
    }

    /// `!x.(P)`, `#(x,y).(P)`, `%x.(P|E)`, `SIGMA(x).(P|E)`, …
    fn quantified(&mut self, quantifier: Quantifier) -> Parsed<Expr> {
        let word = self.text_at(self.at);
        let start = self.bump();
        let names = match self.eat(TokenKind::OpenParen) {
            Some(open) => {
                let names = self.names("a bound name")?;
                self.close(TokenKind::CloseParen, open)?;
                names
            }
            None => self.names("a bound name")?,
        };
        let has_value = !matches!(quantifier, Quantifier::Forall | Quantifier::Exists);
        let example = if has_value { format!("{word}x.(P | E)") } else { format!("{word}x.(P)") };
        self.quantifier_dot(quantifier, &example)?;
        let open = self.open_after(".", &example)?;
        let condition = self.climb(IN_PARENTHESES)?;
        let value = if has_value {
            self.expect(TokenKind::Bar, "`|` and a value")?;
            let mut values = self.list(IN_PARENTHESES)?;
            let span = values[0].span.to(self.span_from(values[0].span));
            Some(boxed(match values.pop() {
                Some(only) if values.is_empty() => only,
                last => {
                    values.extend(last);
                    ExprKind::Tuple(values).at(span)
                }
            }))
        } else {
            None
        };
        self.close(TokenKind::CloseParen, open)?;
        let kind = ExprKind::Quantified(quantifier, names, boxed(condition), value);
        Ok(kind.at(self.span_from(start)))
    }

    /// `card(S)`, `prj1(S, T)`, `succ`
    fn builtin(&mut self, function: BuiltinFn) -> Parsed<Expr> {
        let word = self.text_at(self.at);
        let start = self.bump();
        if !self.is(TokenKind::OpenParen) {
            use BuiltinFn::{Pred, Prj1, Prj2, Succ};
            if self.misused_keywords.contains(word) {
                return Ok(ExprKind::Ident(word.to_owned()).at(start));
            }
            if matches!(function, Succ | Pred | Prj1 | Prj2) {
                return Ok(ExprKind::BuiltinValue(function).at(start));
            }
        }
        let open = self.open_after(word, &format!("{word}(…)"))?;
        let arguments = self.list(IN_PARENTHESES)?;
        self.close(TokenKind::CloseParen, open)?;
        let span = self.span_from(start);
        let allowed = function.arguments();
        if !allowed.contains(&arguments.len()) {
            let expected = match (allowed.start(), allowed.end()) {
                (1, 1) => "1 argument".to_owned(),
                (a, b) if a == b => format!("{a} arguments"),
                (a, b) => format!("{a} to {b} arguments"),
            };
            let message = format!("`{word}` takes {expected}, found {}", arguments.len());
            self.diagnostics.push(Diagnostic::error(codes::WORD_ARGUMENTS, span, message));
            return Ok(error_expr(span));
        }
        Ok(ExprKind::Builtin(function, arguments).at(span))
    }

    /// `rec(a: E, …)`, `struct(a: S, …)`
    fn record(&mut self) -> Parsed<Expr> {
        let is_type = self.is(TokenKind::Struct);
        let word = self.text_at(self.at);
        let start = self.bump();
        let open = self.open_after(word, &format!("{word}(a: E, b: F)"))?;
        let mut fields = vec![];
        loop {
            // Some write `struct((a: S), (b: T))`.
            let inner = self.eat(TokenKind::OpenParen);
            if self.kind_at(self.at + 1) != TokenKind::Colon {
                let message = format!("expected a label and `:`, found {}", self.found());
                let diagnostic = Diagnostic::error(codes::EXPECTED_LABEL, self.span(), message)
                    .help(format!("name every field: `{word}(a: E, b: F)`"));
                return Err(self.report(diagnostic));
            }
            let label = self.name("the label of a field")?;
            self.expect(TokenKind::Colon, "`:`")?;
            fields.push((label, self.climb(IN_PARENTHESES)?));
            if let Some(inner) = inner {
                self.close(TokenKind::CloseParen, inner)?;
            }
            if self.eat(TokenKind::Comma).is_none() {
                break;
            }
        }
        self.close(TokenKind::CloseParen, open)?;
        let kind = if is_type { ExprKind::Struct(fields) } else { ExprKind::Record(fields) };
        Ok(kind.at(self.span_from(start)))
    }

    fn if_expression(&mut self) -> Parsed<Expr> {
        let start = self.bump();
        let mut branches = vec![];
        loop {
            let condition = self.formula()?;
            self.expect(TokenKind::Then, "`THEN`")?;
            branches.push((condition, self.formula()?));
            if self.eat(TokenKind::Elsif).is_none() {
                break;
            }
        }
        let otherwise = match self.eat(TokenKind::Else) {
            Some(_) => Some(boxed(self.formula()?)),
            None => None,
        };
        self.expect(TokenKind::End, "`END`")?;
        Ok(ExprKind::If(branches, otherwise).at(self.span_from(start)))
    }

    fn let_expression(&mut self) -> Parsed<Expr> {
        let start = self.bump();
        let names = self.names("a local name")?;
        self.expect(TokenKind::Be, "`BE`")?;
        let equations = self.formula()?;
        self.expect(TokenKind::In, "`IN`")?;
        let body = self.formula()?;
        self.expect(TokenKind::End, "`END`")?;
        Ok(ExprKind::Let(names, boxed(equations), boxed(body)).at(self.span_from(start)))
    }
}
