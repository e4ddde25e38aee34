//! Traversals of the syntax tree: a visitor that reads, one that changes, and analyses built on them.

use std::collections::BTreeSet;

use super::*;
use crate::text::source::Span;

macro_rules! traversal {
    ($(#[$doc:meta])* $visitor:ident, $walk_expr:ident, $walk_subst:ident $(, $mutable:tt)?) => {
        $(#[$doc])*
        pub trait $visitor<'t> {
            /// Called for each expression; visits its parts by default.
            fn expr(&mut self, e: &'t $($mutable)? Expr) {
                $walk_expr(self, e);
            }
            /// Called for each substitution; visits its parts by default.
            fn subst(&mut self, s: &'t $($mutable)? Subst) {
                $walk_subst(self, s);
            }
            /// Called for each use of a name that is not an expression: a call, a set given by a definition.
            fn name(&mut self, _name: &'t $($mutable)? Ident) {}
            /// Called where names become visible …
            fn enter(&mut self, _ids: & $($mutable)? [Ident]) {}
            /// … and where the same number of names is hidden again.
            fn leave(&mut self, _ids: &[Ident]) {}
        }

        /// Visits the parts of an expression.
        pub fn $walk_expr<'t, V: $visitor<'t> + ?Sized>(v: &mut V, e: &'t $($mutable)? Expr) {
            use ExprKind::*;
            match & $($mutable)? e.kind {
                Ident(_) | Old(_) | Integer(_) | Real(_) | String(_) | Constant(_) | EmptySet | EmptySeq
                | BuiltinValue(_) | Error => {}
                Unary(_, a) | Field(a, _) | Labelled(_, a) | Described(a, _) => v.expr(a),
                Binary(_, a, b) | Image(a, b) => {
                    v.expr(a);
                    v.expr(b);
                }
                Builtin(_, list) | Operator(_, list) | Tuple(list) | SetExtension(list) | SeqExtension(list) => {
                    for x in list { v.expr(x) }
                }
                Apply(f, arguments) => {
                    v.expr(f);
                    for x in arguments { v.expr(x) }
                }
                Quantified(_, ids, p, value) | Comprehension(ids, p, value) => {
                    v.enter(ids);
                    v.expr(p);
                    if let Some(x) = value { v.expr(x) }
                    v.leave(ids);
                }
                Record(fields) | Struct(fields) => for (_, x) in fields { v.expr(x) },
                If(branches, other) => {
                    for (p, x) in branches {
                        v.expr(p);
                        v.expr(x);
                    }
                    if let Some(x) = other { v.expr(x) }
                }
                Let(ids, p, value) => {
                    v.enter(ids);
                    v.expr(p);
                    v.expr(value);
                    v.leave(ids);
                }
                Substituted(s, p) => {
                    v.subst(s);
                    v.expr(p);
                }
            }
        }

        /// Visits the parts of a substitution.
        pub fn $walk_subst<'t, V: $visitor<'t> + ?Sized>(v: &mut V, s: &'t $($mutable)? Subst) {
            use SubstKind::*;
            match & $($mutable)? s.kind {
                Skip | Error => {}
                Block(body) => v.subst(body),
                Assign(left, right) => {
                    for x in left { v.expr(x) }
                    for x in right { v.expr(x) }
                }
                BecomesIn(left, e) | BecomesSuch(left, e) => {
                    for x in left { v.expr(x) }
                    v.expr(e);
                }
                Pre(p, body) | Assert(p, body) | Witness(p, body) => {
                    v.expr(p);
                    v.subst(body);
                }
                Choice(list) | Sequence(list) | Parallel(list) => for x in list { v.subst(x) },
                If(branches, other) | Select(branches, other) => {
                    for (p, body) in branches {
                        v.expr(p);
                        v.subst(body);
                    }
                    if let Some(x) = other { v.subst(x) }
                }
                Case(e, branches, other) => {
                    v.expr(e);
                    for (values, body) in branches {
                        for x in values { v.expr(x) }
                        v.subst(body);
                    }
                    if let Some(x) = other { v.subst(x) }
                }
                Any(ids, p, body) | Let(ids, p, body) => {
                    v.enter(ids);
                    v.expr(p);
                    v.subst(body);
                    v.leave(ids);
                }
                Var(ids, body) => {
                    v.enter(ids);
                    v.subst(body);
                    v.leave(ids);
                }
                While { condition, body, invariant, variant } => {
                    v.expr(condition);
                    v.subst(body);
                    v.expr(invariant);
                    v.expr(variant);
                }
                Call { results, name, arguments } => {
                    v.name(name);
                    for x in results { v.expr(x) }
                    for x in arguments { v.expr(x) }
                }
            }
        }
    };
}

traversal!(
    /// Reads a tree.
    Visitor, walk_expr, walk_subst
);
traversal!(
    /// Changes a tree in place.
    VisitorMut, walk_expr_mut, walk_subst_mut, mut
);

/// Visits all of a machine but its definitions.
pub fn walk_sections<'t, V: Visitor<'t> + ?Sized>(v: &mut V, m: &'t Machine) {
    m.sections.iter().for_each(|section| walk_section(v, section));
}

/// Visits a section that holds no definitions.
pub fn walk_section<'t, V: Visitor<'t> + ?Sized>(v: &mut V, section: &'t Section) {
    use SectionKind::*;
    match &section.kind {
        Sees(list) | Uses(list) | Includes(list) | Extends(list) | Imports(list) | References(list) => {
            list.iter().flat_map(|r| &r.arguments).for_each(|e| v.expr(e));
        }
        Constraints(e) | Properties(e) | Invariant(e) => v.expr(e),
        Assertions(list) => list.iter().for_each(|e| v.expr(e)),
        Values(list) => list.iter().for_each(|(_, e)| v.expr(e)),
        Promotes(ids)
        | ConcreteConstants(ids)
        | AbstractConstants(ids)
        | AbstractVariables(ids)
        | ConcreteVariables(ids) => ids.iter().for_each(|id| v.name(id)),
        Sets(list) => {
            for set in list {
                if let SetDeclaration::ByDefinition(_, name) = set {
                    v.name(name);
                }
            }
        }
        FreeTypes(list) => {
            for (_, argument) in list.iter().flat_map(|t| &t.constructors) {
                argument.iter().for_each(|e| v.expr(e));
            }
        }
        Initialisation(s) => v.subst(s),
        Operations(list) | LocalOperations(list) => {
            for op in list {
                let names: Vec<Ident> = op.results.iter().chain(&op.parameters).cloned().collect();
                v.enter(&names);
                v.subst(&op.body);
                v.leave(&names);
            }
        }
        Definitions(_) | TypedDefinitions(_) => {}
    }
}

/// Returns the definitions in the file itself.
pub fn definitions(m: &Machine) -> impl Iterator<Item = (&Ident, &[Ident], &DefinitionBody)> {
    let lists = m.sections.iter().filter_map(|s| match &s.kind {
        SectionKind::Definitions(list) => Some(list),
        _ => None,
    });
    lists.flatten().filter_map(|d| match d {
        Definition::Macro { name, parameters, body, .. } => Some((name, parameters.as_slice(), body)),
        Definition::File(..) => None,
    })
}

/// Visits the body of a definition, in both readings where it has two.
pub fn walk_body<'t, V: Visitor<'t> + ?Sized>(v: &mut V, body: &'t DefinitionBody) {
    match body {
        DefinitionBody::Expr(e) | DefinitionBody::Either(e, _) => v.expr(e),
        DefinitionBody::Subst(s) => v.subst(s),
    }
    if let DefinitionBody::Either(_, Subst { kind: SubstKind::Call { name, .. }, .. }) = body {
        v.name(name);
    }
}

/// Collects the names that occur free in a tree, with those of the operations and definitions that it calls.
///
/// `x$0` is not an occurrence of `x`.
#[derive(Default, Debug)]
pub struct FreeNames {
    /// The names.
    pub found: BTreeSet<String>,
    /// The names again, in the order of the text, each with its first occurrence.
    pub places: Vec<(String, Span)>,
    bound: Vec<String>,
}

impl FreeNames {
    /// Returns the free names of an expression or predicate.
    pub fn of_expr(e: &Expr) -> BTreeSet<String> {
        let mut names = FreeNames::default();
        names.expr(e);
        names.found
    }

    /// Returns the free names of an expression or predicate in the order of the text, each with its first occurrence.
    pub fn places_in(e: &Expr) -> Vec<(String, Span)> {
        let mut names = FreeNames::default();
        names.expr(e);
        names.places
    }

    /// Returns the free names of a substitution.
    pub fn of_subst(s: &Subst) -> BTreeSet<String> {
        let mut names = FreeNames::default();
        names.subst(s);
        names.found
    }

    fn note(&mut self, name: &str, span: Span) {
        if self.found.insert(name.to_string()) {
            self.places.push((name.to_string(), span));
        }
    }
}

impl<'t> Visitor<'t> for FreeNames {
    fn expr(&mut self, e: &'t Expr) {
        match &e.kind {
            ExprKind::Ident(name) if self.bound.contains(name) => {}
            ExprKind::Ident(name) => self.note(name, e.span),
            _ => walk_expr(self, e),
        }
    }

    fn name(&mut self, name: &'t Ident) {
        self.note(&name.name, name.span);
    }

    fn enter(&mut self, ids: &[Ident]) {
        self.bound.extend(ids.iter().map(|id| id.name.clone()));
    }

    fn leave(&mut self, ids: &[Ident]) {
        self.bound.truncate(self.bound.len() - ids.len());
    }
}

/// A node of a formula.
#[derive(Clone, Copy)]
enum Node<'t> {
    Expr(&'t Expr),
    Subst(&'t Subst),
}

#[derive(Default)]
struct Nodes<'t>(Vec<Node<'t>>);

impl<'t> Visitor<'t> for Nodes<'t> {
    fn expr(&mut self, e: &'t Expr) {
        self.0.push(Node::Expr(e));
    }
    fn subst(&mut self, s: &'t Subst) {
        self.0.push(Node::Subst(s));
    }
}

/// Returns whether a tree is higher than `limit`. The tree may have any height, because nothing here recurses.
pub fn is_higher(e: &Expr, limit: usize) -> bool {
    let mut level = Nodes(vec![Node::Expr(e)]);
    for _ in 0..limit {
        // Most formulas are far lower than the limit.
        if level.0.is_empty() {
            return false;
        }
        let mut next = Nodes::default();
        for node in level.0 {
            match node {
                Node::Expr(e) => walk_expr(&mut next, e),
                Node::Subst(s) => walk_subst(&mut next, s),
            }
        }
        level = next;
    }
    !level.0.is_empty()
}
