//! Calls of external functions, predicates and substitutions: ProB's libraries, and functions that a machine itself
//! declares by `EXTERNAL_FUNCTION_f(T) == …` next to a definition of `f`.

use super::*;
use crate::ast::external::{ExternalKind, Support};
use crate::ast::{ExprKind as Ast, Ident};
use crate::classical::definitions::Macro;
use crate::classical::parser;
use crate::text::source::Source;

/// A name of an external function.
pub(super) struct External {
    function: ExternalFunction,
    /// The declaration in the machine.
    declared: Option<Arc<Macro>>,
    /// Number of parameters that the machine gives it.
    parameters: Option<usize>,
}

/// Types of the arguments and of the result; a predicate has none.
struct Signature {
    arguments: Option<OpenType>,
    result: Option<OpenType>,
}

impl Checker {
    /// Returns the external function that a name refers to here. A function that the machine declares as external, but
    /// that is not known, is an ordinary definition, with a warning.
    pub(super) fn external(&mut self, name: &str, span: Span) -> Option<External> {
        if self.local(name).is_some() {
            return None;
        }
        // A template string calls ProB's functions under names that no file can write.
        if let Some(function) = name.strip_prefix('$').and_then(ExternalFunction::of_name) {
            return Some(External { function, declared: None, parameters: None });
        }
        let Some(entry) = self.names.definitions.get(name) else {
            if !self.names.definitions.libraries || self.names.globals.contains_key(name) {
                return None;
            }
            return ExternalFunction::of_name(name).map(|function| External {
                function,
                declared: None,
                parameters: None,
            });
        };
        let kinds = [
            ("FUNCTION", ExternalKind::Function),
            ("PREDICATE", ExternalKind::Predicate),
            ("SUBSTITUTION", ExternalKind::Substitution),
        ];
        let (declared, kind) = kinds.iter().find_map(|(word, kind)| {
            Some((self.names.definitions.get(&format!("EXTERNAL_{word}_{name}"))?, *kind))
        })?;
        let known = ExternalFunction::of_name(name).filter(|f| f.kind() == kind);
        let external = known.map(|function| External {
            function,
            declared: Some(declared),
            parameters: Some(entry.parameters.len()),
        });
        let fits = external.as_ref().is_some_and(|e| {
            !matches!(e.function.support(), Support::Total | Support::Partial) || self.agrees(e)
        });
        if !fits {
            self.report(
                Diagnostic::warning(
                    codes::UNKNOWN_EXTERNAL,
                    span,
                    format!(
                        "the external function `{name}` is not known, its definition is used in its place"
                    ),
                )
                .label(entry.name.span, "defined here"),
            );
            return None;
        }
        external
    }

    /// Returns whether the name is external and a definition that must not be expanded.
    pub(super) fn is_external(&self, name: &str) -> bool {
        ["FUNCTION", "PREDICATE", "SUBSTITUTION"]
            .iter()
            .any(|word| self.names.definitions.get(&format!("EXTERNAL_{word}_{name}")).is_some())
    }

    // Returns whether the types of the machine's own declaration are those of the known function.
    fn agrees(&mut self, e: &External) -> bool {
        let (Some(ours), Some(theirs)) = (self.known_signature(e.function), self.declared_signature(e))
        else {
            return false;
        };
        let mut same = |a: &Option<OpenType>, b: &Option<OpenType>| match (a, b) {
            (Some(a), Some(b)) => self.types.unify(a, b),
            (None, None) => true,
            _ => false,
        };
        same(&ours.arguments, &theirs.arguments) && same(&ours.result, &theirs.result)
    }

    /// Returns a call as an expression.
    pub(super) fn external_expr(&mut self, e: &External, args: &[ast::Expr], span: Span) -> Expr {
        let kind = e.function.kind();
        let (args, ty) = self.external_arguments(e, args, span);
        if kind == ExternalKind::Function {
            let ty = ty.unwrap_or(OpenType::Error);
            return ExprKind::External(e.function, args).typed(ty, span);
        }
        // ProB lets an external predicate stand for its Boolean value.
        let p = PredKind::External(e.function, args).at(span);
        ExprKind::BoolOf(Box::new(p)).typed(OpenType::Bool, span)
    }

    /// Returns a call as a predicate; `None` where the function has a value.
    pub(super) fn external_pred(&mut self, e: &External, args: &[ast::Expr], span: Span) -> Option<Pred> {
        if e.function.kind() != ExternalKind::Predicate {
            return None;
        }
        let (args, _) = self.external_arguments(e, args, span);
        Some(PredKind::External(e.function, args).at(span))
    }

    /// Returns a call as a substitution: it changes no variable.
    pub(super) fn external_subst(&mut self, e: &External, args: &[ast::Expr], span: Span) -> Subst {
        let name = e.function.name();
        match e.function.kind() {
            ExternalKind::Substitution => drop(self.external_arguments(e, args, span)),
            _ => self.error(
                codes::DEFINITION_KIND,
                span,
                format!("the external function `{name}` is no substitution"),
            ),
        }
        SubstKind::Skip.at(span)
    }

    fn external_arguments(
        &mut self,
        e: &External,
        args: &[ast::Expr],
        span: Span,
    ) -> (Vec<Expr>, Option<OpenType>) {
        let args: Vec<Expr> = args.iter().map(|a| self.expr(a)).collect();
        let known = match e.function.support() {
            Support::Total | Support::Partial => self.known_signature(e.function),
            _ => self.declared_signature(e).or_else(|| self.known_signature(e.function)),
        };
        let Some(signature) = known else { return (args, Some(OpenType::Error)) };
        let most = e.parameters.unwrap_or(usize::MAX);
        let wanted = match &signature.arguments {
            Some(t) => self.parts(t, most),
            None => vec![],
        };
        if wanted.len() != args.len() {
            self.error(
                codes::ARGUMENT_COUNT,
                span,
                format!(
                    "`{}` takes {} argument{}, {} given",
                    e.function.name(),
                    wanted.len(),
                    if wanted.len() == 1 { "" } else { "s" },
                    if args.len() == 1 { "1 is".to_string() } else { format!("{} are", args.len()) },
                ),
            );
        }
        for (a, t) in args.iter().zip(&wanted) {
            self.expect(a, t);
        }
        (args, signature.result)
    }

    // Returns the components of a left-nested couple, at most `most`.
    fn parts(&self, t: &OpenType, most: usize) -> Vec<OpenType> {
        let mut parts = vec![];
        let mut rest = t;
        while let OpenType::Pair(a, b) = self.types.head(rest)
            && parts.len() + 1 < most
        {
            parts.push((**b).clone());
            rest = a;
        }
        parts.push(rest.clone());
        parts.reverse();
        parts
    }

    fn known_signature(&mut self, function: ExternalFunction) -> Option<Signature> {
        let mut sources = Sources::default();
        let id = sources.add(Source::new("<signature>", function.signature()));
        let (tree, _) = parser::parse_expression(&sources, id);
        let parameters = ["a", "b"].map(|n| Ident { name: n.into(), span: Span::default() });
        let definitions = std::mem::take(&mut self.names.definitions);
        let set = self.signature_set(&parameters, &tree);
        self.names.definitions = definitions;
        self.external_signature(function, set)
    }

    fn declared_signature(&mut self, e: &External) -> Option<Signature> {
        let entry = e.declared.clone()?;
        let (ast::DefinitionBody::Expr(tree) | ast::DefinitionBody::Either(tree, _)) = &entry.body else {
            return None;
        };
        let set = self.signature_set(&entry.parameters, tree);
        self.external_signature(e.function, set)
    }

    // The type of the elements of the set that a signature is.
    fn signature_set(&mut self, parameters: &[Ident], tree: &ast::Expr) -> OpenType {
        let first = self.model.locals.len();
        let said = self.diagnostics.len();
        let mut locals = vec![];
        for p in parameters {
            let set = self.fresh_set();
            locals.push(self.new_local(&p.name, p.span, set));
        }
        self.reopen(&locals);
        let set = self.expr(tree);
        self.leave(&locals);
        // The locals are in no formula of the model.
        self.model.locals.truncate(first);
        self.diagnostics.truncate(said);
        let element = self.fresh();
        self.types.unify(&set.ty, &OpenType::pow(element.clone()));
        self.types.resolve(&element)
    }

    fn external_signature(&mut self, function: ExternalFunction, element: OpenType) -> Option<Signature> {
        match function.kind() {
            ExternalKind::Predicate | ExternalKind::Substitution => {
                Some(Signature { arguments: Some(element), result: None })
            }
            ExternalKind::Function if !function.has_arguments() => {
                Some(Signature { arguments: None, result: Some(element) })
            }
            ExternalKind::Function => {
                let (relation, a, b) = self.fresh_relation();
                self.types.unify(&element, &relation);
                Some(Signature { arguments: Some(self.types.resolve(&a)), result: Some(b) })
            }
        }
    }
}

/// Returns name and arguments of an expression that may be a call.
pub(super) fn called(e: &ast::Expr) -> Option<(&str, &[ast::Expr])> {
    match &e.kind {
        Ast::Ident(name) => Some((name, &[])),
        Ast::Apply(f, args) => match &f.kind {
            Ast::Ident(name) => Some((name, args)),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signature_is_read() {
        let mut c = Checker::new(empty_model(String::new(), Arc::default()), Definitions::default());
        for f in ExternalFunction::ALL {
            let s = c.known_signature(*f).unwrap();
            assert_eq!(s.arguments.is_some(), f.has_arguments(), "{}", f.name());
            assert_eq!(s.result.is_some(), f.kind() == ExternalKind::Function, "{}", f.name());
            for t in s.arguments.iter().chain(&s.result) {
                assert_ne!(*c.types.head(t), OpenType::Error, "{}", f.name());
            }
        }
        assert!(c.diagnostics.is_empty());
    }
}
