//! `DEFINITIONS`: macros over syntax trees.
//!
//! A parameter stands for a whole tree, so expansion knows no precedence accidents. Names in a body
//! mean what they mean where the definition is used, and a name bound in the body captures the same
//! name in an argument, as in ProB. Definitions may stand in any order and may not be cyclic.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::ast::external;
use crate::ast::*;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::check_codes as codes;
use crate::text::source::Span;

/// One definition.
#[derive(Debug)]
pub struct Macro {
    /// Name, with its place.
    pub name: Ident,
    /// Parameters.
    pub parameters: Vec<Ident>,
    /// What it stands for.
    pub body: DefinitionBody,
}

/// All definitions of a machine and of the files it names.
#[derive(Clone, Default, Debug)]
pub struct Definitions {
    macros: BTreeMap<String, Arc<Macro>>,
    /// Names of the files that were not found, with the place that mentions them.
    pub missing: Vec<(String, Span)>,
    /// Whether a library of ProB is named, so that its functions are known.
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

    // What the libraries of ProB declare is known without their files.
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

    /// The definition of a name.
    pub fn get(&self, name: &str) -> Option<Arc<Macro>> {
        self.macros.get(name).cloned()
    }

    /// All definitions by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Macro>> {
        self.macros.values()
    }

    // Colours of a depth-first search; the definitions of a cycle are removed, so that expansion ends.
    fn report_cycles(&mut self, out: &mut Vec<Diagnostic>) {
        let mut uses: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for m in self.macros.values() {
            let mut names = BTreeSet::new();
            match &m.body {
                DefinitionBody::Expr(e) | DefinitionBody::Either(e, _) => names_in_expr(e, &mut names),
                DefinitionBody::Subst(s) => names_in_subst(s, &mut names),
            }
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
                    body: DefinitionBody::Either(
                        Expr { kind: ExprKind::Error, span },
                        Subst { kind: SubstKind::Error, span },
                    ),
                });
            }
        }
    }
}

impl Macro {
    /// The body as an expression or predicate, arguments in the place of parameters.
    /// `None` if it is a substitution. Requires as many arguments as parameters.
    pub fn expand_expr(&self, arguments: &[Expr]) -> Option<Expr> {
        match &self.body {
            DefinitionBody::Expr(e) | DefinitionBody::Either(e, _) => Some(self.replacer(arguments).expr(e)),
            DefinitionBody::Subst(_) => None,
        }
    }

    /// The body as a substitution, arguments in the place of parameters.
    /// `None` if it is an expression. Requires as many arguments as parameters.
    pub fn expand_subst(&self, arguments: &[Expr]) -> Option<Subst> {
        match &self.body {
            DefinitionBody::Subst(s) | DefinitionBody::Either(_, s) => {
                Some(self.replacer(arguments).subst(s))
            }
            DefinitionBody::Expr(_) => None,
        }
    }

    fn replacer<'a>(&'a self, arguments: &'a [Expr]) -> Replacer<'a> {
        Replacer(self.parameters.iter().map(|p| p.name.as_str()).zip(arguments).collect())
    }
}

struct Replacer<'a>(HashMap<&'a str, &'a Expr>);

impl Replacer<'_> {
    fn ident(&self, id: &Ident) -> Ident {
        match self.0.get(id.name.as_str()).map(|e| &e.kind) {
            Some(ExprKind::Ident(name)) => Ident { name: name.clone(), span: id.span },
            _ => id.clone(),
        }
    }

    fn idents(&self, ids: &[Ident]) -> Vec<Ident> {
        ids.iter().map(|i| self.ident(i)).collect()
    }

    fn exprs(&self, es: &[Expr]) -> Vec<Expr> {
        es.iter().map(|e| self.expr(e)).collect()
    }

    fn boxed(&self, e: &Expr) -> Box<Expr> {
        Box::new(self.expr(e))
    }

    fn optional(&self, e: &Option<Box<Expr>>) -> Option<Box<Expr>> {
        e.as_ref().map(|e| self.boxed(e))
    }

    fn expr(&self, e: &Expr) -> Expr {
        if self.0.is_empty() {
            return e.clone();
        }
        // Left spines are as long as a machine's invariant: no recursion along them.
        let mut spine = vec![];
        let mut first = e;
        while let ExprKind::Binary(op, l, r) = &first.kind {
            spine.push((*op, r, first.span));
            first = l;
        }
        let mut result = self.operand(first);
        while let Some((op, r, span)) = spine.pop() {
            result = Expr { kind: ExprKind::Binary(op, Box::new(result), self.boxed(r)), span };
        }
        result
    }

    fn operand(&self, e: &Expr) -> Expr {
        use ExprKind::*;
        let kind = match &e.kind {
            Ident(name) => match self.0.get(name.as_str()) {
                Some(argument) => return (*argument).clone(),
                None => Ident(name.clone()),
            },
            Old(name) => match self.0.get(name.as_str()).map(|e| &e.kind) {
                Some(Ident(new)) => Old(new.clone()),
                _ => Old(name.clone()),
            },
            Integer(_) | Real(_) | String(_) | Constant(_) | EmptySet | EmptySeq | BuiltinValue(_)
            | Error => e.kind.clone(),
            Unary(op, a) => Unary(*op, self.boxed(a)),
            Binary(op, a, b) => Binary(*op, self.boxed(a), self.boxed(b)),
            Builtin(f, args) => Builtin(*f, self.exprs(args)),
            Apply(f, args) => Apply(self.boxed(f), self.exprs(args)),
            Image(f, s) => Image(self.boxed(f), self.boxed(s)),
            Field(r, a) => Field(self.boxed(r), a.clone()),
            Tuple(items) => Tuple(self.exprs(items)),
            Quantified(q, ids, p, v) => Quantified(*q, self.idents(ids), self.boxed(p), self.optional(v)),
            Comprehension(ids, p, v) => Comprehension(self.idents(ids), self.boxed(p), self.optional(v)),
            SetExtension(items) => SetExtension(self.exprs(items)),
            SeqExtension(items) => SeqExtension(self.exprs(items)),
            Record(fields) => Record(fields.iter().map(|(l, v)| (l.clone(), self.expr(v))).collect()),
            Struct(fields) => Struct(fields.iter().map(|(l, v)| (l.clone(), self.expr(v))).collect()),
            If(branches, other) => {
                If(branches.iter().map(|(p, v)| (self.expr(p), self.expr(v))).collect(), self.optional(other))
            }
            Let(ids, p, v) => Let(self.idents(ids), self.boxed(p), self.boxed(v)),
            Labelled(l, a) => Labelled(l.clone(), self.boxed(a)),
            Described(a, d) => Described(self.boxed(a), d.clone()),
            Operator(name, args) => Operator(name.clone(), self.exprs(args)),
            Substituted(s, a) => Substituted(Box::new(self.subst(s)), self.boxed(a)),
        };
        Expr { kind, span: e.span }
    }

    fn boxed_subst(&self, s: &Subst) -> Box<Subst> {
        Box::new(self.subst(s))
    }

    fn branches(&self, list: &[(Expr, Subst)]) -> Vec<(Expr, Subst)> {
        list.iter().map(|(p, s)| (self.expr(p), self.subst(s))).collect()
    }

    fn substs(&self, list: &[Subst]) -> Vec<Subst> {
        list.iter().map(|s| self.subst(s)).collect()
    }

    fn otherwise(&self, s: &Option<Box<Subst>>) -> Option<Box<Subst>> {
        s.as_ref().map(|s| self.boxed_subst(s))
    }

    fn subst(&self, s: &Subst) -> Subst {
        use SubstKind::*;
        if self.0.is_empty() {
            return s.clone();
        }
        let kind = match &s.kind {
            Skip | Error => s.kind.clone(),
            Block(b) => Block(self.boxed_subst(b)),
            Assign(l, r) => Assign(self.exprs(l), self.exprs(r)),
            BecomesIn(l, e) => BecomesIn(self.exprs(l), self.boxed(e)),
            BecomesSuch(l, e) => BecomesSuch(self.exprs(l), self.boxed(e)),
            Pre(p, b) => Pre(self.boxed(p), self.boxed_subst(b)),
            Assert(p, b) => Assert(self.boxed(p), self.boxed_subst(b)),
            Witness(p, b) => Witness(self.boxed(p), self.boxed_subst(b)),
            Choice(list) => Choice(self.substs(list)),
            Sequence(list) => Sequence(self.substs(list)),
            Parallel(list) => Parallel(self.substs(list)),
            If(list, other) => If(self.branches(list), self.otherwise(other)),
            Select(list, other) => Select(self.branches(list), self.otherwise(other)),
            Case(e, list, other) => Case(
                self.boxed(e),
                list.iter().map(|(v, s)| (self.exprs(v), self.subst(s))).collect(),
                self.otherwise(other),
            ),
            Any(ids, p, b) => Any(self.idents(ids), self.boxed(p), self.boxed_subst(b)),
            Let(ids, p, b) => Let(self.idents(ids), self.boxed(p), self.boxed_subst(b)),
            Var(ids, b) => Var(self.idents(ids), self.boxed_subst(b)),
            While { condition, body, invariant, variant } => While {
                condition: self.boxed(condition),
                body: self.boxed_subst(body),
                invariant: self.boxed(invariant),
                variant: self.boxed(variant),
            },
            Call { results, name, arguments } => Call {
                results: self.exprs(results),
                name: self.ident(name),
                arguments: self.exprs(arguments),
            },
        };
        Subst { kind, span: s.span }
    }
}

// Every name that occurs, bound or free: enough to find cycles, since a bound name that is also a
// definition is refused by B anyway.
pub(crate) fn names_in_expr(e: &Expr, out: &mut BTreeSet<String>) {
    use ExprKind::*;
    let mut todo = vec![e];
    while let Some(e) = todo.pop() {
        match &e.kind {
            Ident(name) => drop(out.insert(name.clone())),
            Old(_) | Integer(_) | Real(_) | String(_) | Constant(_) | EmptySet | EmptySeq
            | BuiltinValue(_) | Error => {}
            Unary(_, a) | Field(a, _) | Labelled(_, a) | Described(a, _) => todo.push(a),
            Binary(_, a, b) | Image(a, b) => todo.extend([&**a, &**b]),
            Builtin(_, list) | Operator(_, list) | Tuple(list) | SetExtension(list) | SeqExtension(list) => {
                todo.extend(list)
            }
            Apply(f, args) => {
                todo.push(f);
                todo.extend(args);
            }
            Quantified(_, ids, p, v) | Comprehension(ids, p, v) => {
                let mut inner = BTreeSet::new();
                names_in_expr(p, &mut inner);
                if let Some(v) = v {
                    names_in_expr(v, &mut inner);
                }
                inner.retain(|name| ids.iter().all(|i| i.name != *name));
                out.extend(inner);
            }
            Record(fields) | Struct(fields) => todo.extend(fields.iter().map(|(_, v)| v)),
            If(branches, other) => {
                todo.extend(branches.iter().flat_map(|(p, v)| [p, v]));
                todo.extend(other.as_deref());
            }
            Let(_, p, v) => todo.extend([&**p, &**v]),
            Substituted(s, p) => {
                names_in_subst(s, out);
                todo.push(p);
            }
        }
    }
}

pub(crate) fn names_in_subst(s: &Subst, out: &mut BTreeSet<String>) {
    use SubstKind::*;
    match &s.kind {
        Skip | Error => {}
        Block(b) | Var(_, b) => names_in_subst(b, out),
        Assign(l, r) => l.iter().chain(r).for_each(|e| names_in_expr(e, out)),
        BecomesIn(l, e) | BecomesSuch(l, e) => l.iter().chain([&**e]).for_each(|e| names_in_expr(e, out)),
        Pre(p, b) | Assert(p, b) | Witness(p, b) | Any(_, p, b) | Let(_, p, b) => {
            names_in_expr(p, out);
            names_in_subst(b, out);
        }
        Choice(list) | Sequence(list) | Parallel(list) => list.iter().for_each(|s| names_in_subst(s, out)),
        If(list, other) | Select(list, other) => {
            for (p, s) in list {
                names_in_expr(p, out);
                names_in_subst(s, out);
            }
            if let Some(s) = other {
                names_in_subst(s, out);
            }
        }
        Case(e, list, other) => {
            names_in_expr(e, out);
            for (v, s) in list {
                v.iter().for_each(|e| names_in_expr(e, out));
                names_in_subst(s, out);
            }
            if let Some(s) = other {
                names_in_subst(s, out);
            }
        }
        While { condition, body, invariant, variant } => {
            [condition, invariant, variant].into_iter().for_each(|e| names_in_expr(e, out));
            names_in_subst(body, out);
        }
        Call { results, name, arguments } => {
            out.insert(name.name.clone());
            results.iter().chain(arguments).for_each(|e| names_in_expr(e, out));
        }
    }
}
