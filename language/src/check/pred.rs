//! Types of predicates, and the split of a section into conjuncts.

use super::operator::{Operands, Reading};
use super::*;
use crate::ast::{BinaryOp as In, BuiltinFn, Constant, ExprKind as Ast, Quantifier, UnaryOp as InUnary};

impl Checker {
    pub(super) fn pred(&mut self, e: &ast::Expr) -> Pred {
        if !self.descend(e.span) {
            return PredKind::True.at(e.span);
        }
        let typed = self.pred_of(e);
        self.expansion.depth -= 1;
        typed
    }

    fn pred_of(&mut self, e: &ast::Expr) -> Pred {
        let span = e.span;
        let kind = match &e.kind {
            Ast::Binary(op @ (In::And | In::Or), ..) => self.chain(*op, e),
            Ast::Binary(op, l, r) => match self.binary_pred(*op, l, r) {
                Some(kind) => kind,
                None => return self.expression_as_predicate(e),
            },
            Ast::Unary(InUnary::Not, p) => PredKind::Not(Box::new(self.pred(p))),
            Ast::Constant(Constant::Btrue) => PredKind::True,
            Ast::Constant(Constant::Bfalse) => PredKind::False,
            Ast::Quantified(q @ (Quantifier::Forall | Quantifier::Exists), ids, p, _) => {
                let locals = self.enter(ids);
                let p = Box::new(self.pred(p));
                self.leave(&locals);
                if *q == Quantifier::Forall {
                    PredKind::Forall(locals, p)
                } else {
                    PredKind::Exists(locals, p)
                }
            }
            Ast::Labelled(_, p) | Ast::Described(p, _) => return self.pred(p),
            Ast::Ident(_) | Ast::Apply(..) => match self.definition_call(e) {
                Some(p) => return p,
                None => return self.expression_as_predicate(e),
            },
            Ast::Builtin(BuiltinFn::Finite, args) if args.len() == 1 => {
                let s = self.expr(&args[0]);
                let set = self.fresh_set();
                self.expect(&s, &set);
                PredKind::Finite(Box::new(s))
            }
            Ast::Builtin(BuiltinFn::Partition, args) if !args.is_empty() => {
                let set = self.fresh_set();
                let mut parts: Vec<Expr> = args.iter().map(|a| self.expr(a)).collect();
                parts.iter().for_each(|p| self.expect(p, &set));
                let whole = parts.remove(0);
                PredKind::Partition(Box::new(whole), parts)
            }
            Ast::Builtin(BuiltinFn::Finite | BuiltinFn::Partition, _) => {
                self.error(codes::ARGUMENT_COUNT, span, "this predicate needs an argument");
                PredKind::True
            }
            Ast::If(branches, other) => {
                let checked: Vec<(Pred, Pred)> =
                    branches.iter().map(|(c, p)| (self.pred(c), self.pred(p))).collect();
                let Some(other) = other else {
                    self.error(codes::NOT_A_PREDICATE, span, "an IF predicate needs an ELSE");
                    return PredKind::True.at(span);
                };
                let mut result = self.pred(other);
                for (c, p) in checked.into_iter().rev() {
                    result = PredKind::If(Box::new(c), Box::new(p), Box::new(result)).at(span);
                }
                return result;
            }
            Ast::Let(ids, p, body) => {
                let bindings = self.bindings(ids, p);
                let locals: Vec<LocalId> = bindings.iter().map(|(l, _)| *l).collect();
                self.reopen(&locals);
                let body = self.pred(body);
                self.leave(&locals);
                PredKind::Let(bindings, Box::new(body))
            }
            Ast::Operator(name, args) => return self.operator_truth(name, args, span),
            Ast::Substituted(s, p) => return self.substituted(s, p, span),
            Ast::Error => PredKind::True,
            _ => return self.expression_as_predicate(e),
        };
        kind.at(span)
    }

    // `P & Q & …` is one list; the left spine is traversed without recursion.
    fn chain(&mut self, op: In, e: &ast::Expr) -> PredKind<OpenType> {
        let mut operands = vec![];
        let mut todo = vec![e];
        while let Some(e) = todo.pop() {
            match &e.kind {
                Ast::Binary(inner, l, r) if *inner == op => todo.extend([&**r, &**l]),
                _ => {
                    let p = self.pred(e);
                    // A definition may contribute another list.
                    match (op, p.kind) {
                        (In::And, PredKind::And(list)) | (In::Or, PredKind::Or(list)) => {
                            operands.extend(list)
                        }
                        (_, kind) => operands.push(kind.at(p.span)),
                    }
                }
            }
        }
        if op == In::And { PredKind::And(operands) } else { PredKind::Or(operands) }
    }

    fn binary_pred(&mut self, op: In, l: &ast::Expr, r: &ast::Expr) -> Option<PredKind<OpenType>> {
        let (compare, operands) = match self.reading(op) {
            Reading::Connective => {
                let (l, r) = (Box::new(self.pred(l)), Box::new(self.pred(r)));
                return Some(if op == In::Implies { PredKind::Implies(l, r) } else { PredKind::Iff(l, r) });
            }
            Reading::Compare(compare, operands) => (compare, operands),
            _ => return None,
        };
        let (l, r) = (self.expr(l), self.expr(r));
        match operands {
            Operands::Membership => {
                let set = OpenType::pow(l.ty.clone());
                if !self.types.unify(&r.ty, &set) {
                    let (element, found) = (self.type_text(&l.ty), self.type_text(&r.ty));
                    let message = match self.types.head(&r.ty) {
                        OpenType::Pow(t) => {
                            format!(
                                "the left side is {element}, the set on the right holds {}",
                                self.type_text(t)
                            )
                        }
                        _ => format!("a set is expected on the right side, this is {found}"),
                    };
                    self.report(
                        Diagnostic::error(codes::TYPE_MISMATCH, r.span, message)
                            .label(l.span, format!("this is {element}")),
                    );
                    self.types.poison(&l.ty);
                    self.types.poison(&r.ty);
                }
            }
            Operands::Sets => {
                let set = self.fresh_set();
                self.expect(&l, &set);
                self.expect(&r, &set);
            }
            Operands::Alike => {
                self.expect_same(&l, &r, op.spelling());
            }
            Operands::Numbers => {
                if self.expect_same(&l, &r, op.spelling()) {
                    self.require(l.span, Constraint::Number(l.ty.clone()));
                }
            }
        }
        Some(PredKind::Compare(compare, Box::new(l), Box::new(r)))
    }

    /// Returns the predicate that a call of a definition expands to; `None` if this is not a definition.
    fn definition_call(&mut self, e: &ast::Expr) -> Option<Pred> {
        if let Some((name, args)) = external::called(e)
            && let Some(external) = self.external(name, e.span)
        {
            return self.external_pred(&external, args, e.span);
        }
        let (entry, args) = self.called_definition(e)?;
        let result = self.expand(&entry, args, e.span, |m, a| m.expand_expr(a), |c, body| c.pred(body));
        Some(result.unwrap_or(PredKind::True.at(e.span)))
    }

    /// Returns the definition that an expression calls, with its arguments.
    pub(super) fn called_definition<'a>(
        &self,
        e: &'a ast::Expr,
    ) -> Option<(Arc<crate::classical::definitions::Macro>, &'a [ast::Expr])> {
        match &e.kind {
            Ast::Ident(name) => Some((self.definition(name)?, &[])),
            Ast::Apply(f, args) => match &f.kind {
                Ast::Ident(name) => {
                    self.definition(name).filter(|m| !m.parameters.is_empty()).map(|m| (m, args.as_slice()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn expression_as_predicate(&mut self, e: &ast::Expr) -> Pred {
        let before = self.diagnostics.len();
        if let Ast::Ident(name) = &e.kind
            && !self.is_declared(name)
            && let Some(word) = ["btrue", "bfalse"].iter().find(|w| w[1..].eq_ignore_ascii_case(name))
        {
            let message = format!("a predicate is expected, `{name}` is an undeclared name");
            self.report(
                Diagnostic::error(codes::NOT_A_PREDICATE, e.span, message)
                    .help(format!("write `{word}`"))
                    .instead(*word),
            );
            return PredKind::True.at(e.span);
        }
        let value = self.expr(e);
        let ty = self.types.head(&value.ty).clone();
        // After an unknown name there is nothing more to say.
        if self.diagnostics.len() == before && ty != OpenType::Error {
            let text = self.type_text(&ty);
            let mut d = Diagnostic::error(
                codes::NOT_A_PREDICATE,
                e.span,
                format!("a predicate is expected, this is an expression of type {text}"),
            );
            if ty == OpenType::Bool {
                d = d.help("write `… = TRUE`");
            }
            self.report(d);
        }
        PredKind::True.at(e.span)
    }

    /// Splits a section at its top-level `&`, also through definitions.
    pub(super) fn conjuncts(&mut self, e: &ast::Expr) -> Vec<Conjunct> {
        let mut out = vec![];
        self.split(e, None, false, &mut out);
        out
    }

    // `used`: the use of the outermost definition; `printed`: the text of the source holds
    // parameters of a definition, so the predicate has to be printed.
    fn split(&mut self, e: &ast::Expr, used: Option<Span>, printed: bool, out: &mut Vec<Conjunct>) {
        // The text in an included machine's file uses names that do not exist in the model.
        let printed = printed || self.renamed;
        let mut todo = vec![e];
        while let Some(e) = todo.pop() {
            match &e.kind {
                Ast::Binary(In::And, l, r) => {
                    todo.extend([&**r, &**l]);
                    continue;
                }
                Ast::Described(inner, _) => {
                    todo.push(inner);
                    continue;
                }
                Ast::Error => continue,
                _ => {}
            }
            if let Some((entry, args)) = self.called_definition(e)
                && !self.is_external(&entry.name.name)
            {
                let printed = printed || !args.is_empty();
                self.expand(
                    &entry,
                    args,
                    e.span,
                    |m, a| m.expand_expr(a),
                    |c, body| c.split(body, used.or(Some(e.span)), printed, out),
                );
                continue;
            }
            let (label, inner) = match &e.kind {
                Ast::Labelled(label, inner) => (Some(label.clone()), &**inner),
                _ => (None, e),
            };
            let inner = match &inner.kind {
                Ast::Described(inner, _) => inner,
                _ => inner,
            };
            let pred = self.pred(inner);
            // An empty text is printed once the types are known.
            let text =
                if printed { String::new() } else { fold_text(self.model.text.sources.text(inner.span)) };
            out.push(Conjunct {
                label,
                text,
                origin: self.component,
                span: used.unwrap_or(inner.span),
                pred,
            });
        }
    }
}

/// Source text on one line: comments dropped, white space folded.
pub(crate) fn fold_text(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    let mut quoted = false;
    while let Some(c) = rest.chars().next() {
        let skip = match c {
            '/' if !quoted && rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |i| i + 4),
            '/' if !quoted && rest.starts_with("//") => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            '\\' if quoted => {
                let escaped: String = rest.chars().take(2).collect();
                out.push_str(&escaped);
                rest = &rest[escaped.len()..];
                continue;
            }
            _ => 0,
        };
        if skip > 0 || (!quoted && c.is_whitespace()) {
            if !out.ends_with(' ') {
                out.push(' ');
            }
            rest = &rest[skip.max(c.len_utf8())..];
            continue;
        }
        quoted ^= c == '"';
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out.trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::fold_text;

    #[test]
    fn text_is_folded_to_one_line() {
        assert_eq!(fold_text("x  : \n /* a\n b */ NAT // end"), "x : NAT");
        assert_eq!(fold_text("s = \"a  /* b \\\"\" "), "s = \"a  /* b \\\"\"");
        assert_eq!(fold_text("a /* open"), "a");
    }
}
