//! `DEFINITIONS`: macros over syntax trees.
//!
//! A parameter is replaced by a whole tree, so expansion knows no precedence accidents. Names in a body mean what they
//! mean where the definition is used, and a name bound in the body captures the same name in an argument, as in ProB.
//! Definitions may occur in any order and must not be cyclic.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::ast::external;
use crate::ast::visit::{FreeNames, VisitorMut, walk_expr_mut};
use crate::ast::*;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes;
use crate::text::source::Span;

/// One definition.
#[derive(Debug)]
pub struct Macro {
    /// Name, with its place.
    pub name: Ident,
    /// Parameters.
    pub parameters: Vec<Ident>,
    /// The replacement.
    pub body: DefinitionBody,
}

/// All definitions of a machine and of the files that it names.
#[derive(Clone, Default, Debug)]
pub struct Definitions {
    macros: BTreeMap<String, Arc<Macro>>,
    /// Names of the files that were not found, with the place that mentions them.
    pub missing: Vec<(String, Span)>,
    /// `true` if a library of ProB is named, so that its functions are known.
    pub libraries: bool,
}

/// Finds a file of definitions by the name in quotes.
pub type Loader<'a> = dyn FnMut(&str) -> Option<Machine> + 'a;

impl Definitions {
    /// Collects the definitions of a machine; files are asked from `load`.
    pub fn collect(machine: &Machine, load: &mut Loader) -> (Definitions, Vec<Diagnostic>) {
        let mut found = Definitions::default();
        let mut diagnostics = vec![];
        let mut files = BTreeMap::new();
        found.add(machine, load, &mut files, &mut diagnostics);
        found.report_cycles(&mut diagnostics);
        (found, diagnostics)
    }

    fn add(
        &mut self,
        machine: &Machine,
        load: &mut Loader,
        files: &mut BTreeMap<String, bool>,
        out: &mut Vec<Diagnostic>,
    ) {
        for section in &machine.sections {
            let (SectionKind::Definitions(list) | SectionKind::TypedDefinitions(list)) = &section.kind else {
                continue;
            };
            for definition in list {
                match definition {
                    Definition::Macro { name, parameters, body, .. } => {
                        self.add_macro(name, parameters, body, out)
                    }
                    Definition::File(path, span) => match files.get(path) {
                        Some(true) => {
                            let message = format!("the file of definitions `{path}` needs itself");
                            out.push(Diagnostic::error(codes::CYCLIC_DEFINITION, *span, message));
                        }
                        Some(false) => {}
                        None => match load(path) {
                            Some(file) => {
                                files.insert(path.clone(), true);
                                self.add(&file, load, files, out);
                                files.insert(path.clone(), false);
                            }
                            None => self.file_missing(path, *span, out),
                        },
                    },
                }
            }
        }
    }

    // Declarations of ProB's libraries are known without their files.
    fn file_missing(&mut self, path: &str, span: Span, out: &mut Vec<Diagnostic>) {
        if external::is_library(path) {
            self.libraries = true;
            return;
        }
        let message = format!("the file of definitions `{path}` was not found");
        out.push(
            Diagnostic::error(codes::MISSING_DEFINITIONS, span, message)
                .help("it is looked for beside the file that names it"),
        );
        self.missing.push((path.to_string(), span));
    }

    fn add_macro(
        &mut self,
        name: &Ident,
        parameters: &[Ident],
        body: &DefinitionBody,
        out: &mut Vec<Diagnostic>,
    ) {
        if let Some(first) = self.macros.get(&name.name) {
            out.push(
                Diagnostic::error(
                    codes::DUPLICATE_DEFINITION,
                    name.span,
                    format!("`{}` is defined twice", name.name),
                )
                .label(first.name.span, "first defined here"),
            );
            return;
        }
        let mut seen = BTreeSet::new();
        for p in parameters {
            if !seen.insert(&p.name) {
                out.push(Diagnostic::error(
                    codes::DUPLICATE_DECLARATION,
                    p.span,
                    format!("parameter `{}` occurs twice", p.name),
                ));
            }
        }
        let entry = Macro { name: name.clone(), parameters: parameters.to_vec(), body: body.clone() };
        self.macros.insert(name.name.clone(), Arc::new(entry));
    }

    /// Returns the definition of a name.
    pub fn get(&self, name: &str) -> Option<Arc<Macro>> {
        self.macros.get(name).cloned()
    }

    /// Returns all definitions by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Macro>> {
        self.macros.values()
    }

    // Colours of a depth-first search; the definitions of a cycle are removed, so that expansion ends.
    fn report_cycles(&mut self, out: &mut Vec<Diagnostic>) {
        let mut uses: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for m in self.macros.values() {
            let mut names = match &m.body {
                DefinitionBody::Expr(e) | DefinitionBody::Either(e, _) => FreeNames::of_expr(e),
                DefinitionBody::Subst(s) => FreeNames::of_subst(s),
            };
            for p in &m.parameters {
                names.remove(&p.name);
            }
            names.retain(|n| self.macros.contains_key(n));
            uses.insert(&m.name.name, names);
        }
        let mut done: BTreeSet<&str> = BTreeSet::new();
        let mut cyclic: BTreeSet<String> = BTreeSet::new();
        for &start in uses.keys() {
            let mut path: Vec<(&str, Vec<&str>)> = vec![];
            let next =
                |n: &str| uses.get(n).map(|s| s.iter().map(|s| s.as_str()).collect()).unwrap_or_default();
            if done.insert(start) {
                path.push((start, next(start)));
            }
            while let Some((_, todo)) = path.last_mut() {
                let Some(name) = todo.pop() else {
                    path.pop();
                    continue;
                };
                if let Some(at) = path.iter().position(|(n, _)| *n == name) {
                    let members: Vec<&str> = path[at..].iter().map(|(n, _)| *n).collect();
                    if members.iter().all(|m| !cyclic.contains(*m)) {
                        let text =
                            members.iter().chain([&name]).map(|m| format!("`{m}`")).collect::<Vec<_>>();
                        out.push(Diagnostic::error(
                            codes::CYCLIC_DEFINITION,
                            self.macros[name].name.span,
                            format!("definitions need each other: {}", text.join(" uses ")),
                        ));
                    }
                    cyclic.extend(members.into_iter().map(String::from));
                } else if done.insert(name) {
                    path.push((name, next(name)));
                }
            }
        }
        for name in cyclic {
            if let Some(m) = self.macros.get_mut(&name) {
                let span = m.name.span;
                *m = Arc::new(Macro {
                    name: m.name.clone(),
                    parameters: m.parameters.clone(),
                    body: DefinitionBody::Either(ExprKind::Error.at(span), SubstKind::Error.at(span)),
                });
            }
        }
    }
}

impl Macro {
    /// Returns the body as an expression or predicate, arguments in the place of parameters. `None` if it is a
    /// substitution. Requires as many arguments as parameters.
    pub fn expand_expr(&self, arguments: &[Expr]) -> Option<Expr> {
        match &self.body {
            DefinitionBody::Expr(e) | DefinitionBody::Either(e, _) => {
                let mut e = e.clone();
                self.replacer(arguments).expr(&mut e);
                Some(e)
            }
            DefinitionBody::Subst(_) => None,
        }
    }

    /// Returns the body as a substitution, arguments in the place of parameters. `None` if it is an expression.
    /// Requires as many arguments as parameters.
    pub fn expand_subst(&self, arguments: &[Expr]) -> Option<Subst> {
        match &self.body {
            DefinitionBody::Subst(s) | DefinitionBody::Either(_, s) => {
                let mut s = s.clone();
                self.replacer(arguments).subst(&mut s);
                Some(s)
            }
            DefinitionBody::Expr(_) => None,
        }
    }

    fn replacer<'a>(&'a self, arguments: &'a [Expr]) -> Replacer<'a> {
        Replacer(self.parameters.iter().map(|p| p.name.as_str()).zip(arguments).collect())
    }
}

/// Puts arguments in the place of parameters.
struct Replacer<'a>(HashMap<&'a str, &'a Expr>);

impl<'t> VisitorMut<'t> for Replacer<'_> {
    fn expr(&mut self, e: &'t mut Expr) {
        match &mut e.kind {
            ExprKind::Ident(name) => {
                if let Some(argument) = self.0.get(name.as_str()) {
                    *e = (*argument).clone();
                }
            }
            ExprKind::Old(name) => {
                if let Some(ExprKind::Ident(new)) = self.0.get(name.as_str()).map(|e| &e.kind) {
                    *name = new.clone();
                }
            }
            _ => walk_expr_mut(self, e),
        }
    }

    fn name(&mut self, id: &'t mut Ident) {
        self.rename(id);
    }

    fn enter(&mut self, ids: &mut [Ident]) {
        ids.iter_mut().for_each(|id| self.rename(id));
    }
}

impl Replacer<'_> {
    fn rename(&self, id: &mut Ident) {
        if let Some(ExprKind::Ident(new)) = self.0.get(id.name.as_str()).map(|e| &e.kind) {
            id.name = new.clone();
        }
    }
}
