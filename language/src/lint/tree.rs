//! Reading traversal of the syntax tree, with the names that are bound on the way.

use crate::ast::*;

/// What is done at each node; the defaults go on to the parts.
pub(super) trait Visitor {
    fn expr(&mut self, e: &Expr) {
        walk_expr(self, e);
    }
    fn subst(&mut self, s: &Subst) {
        walk_subst(self, s);
    }
    /// A use of a name that is no expression: a call, a set given by a definition.
    fn name(&mut self, _name: &Ident) {}
    /// Names become visible …
    fn enter(&mut self, _ids: &[Ident]) {}
    /// … and as many go again.
    fn leave(&mut self, _ids: &[Ident]) {}
}

/// All of a machine but its definitions.
pub(super) fn walk_sections<V: Visitor + ?Sized>(v: &mut V, m: &Machine) {
    use SectionKind::*;
    for section in &m.sections {
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
}

/// The definitions that stand in the file itself.
pub(super) fn definitions(m: &Machine) -> impl Iterator<Item = (&Ident, &[Ident], &DefinitionBody)> {
    let lists = m.sections.iter().filter_map(|s| match &s.kind {
        SectionKind::Definitions(list) => Some(list),
        _ => None,
    });
    lists.flatten().filter_map(|d| match d {
        Definition::Macro { name, parameters, body, .. } => Some((name, parameters.as_slice(), body)),
        Definition::File(..) => None,
    })
}

/// The body of a definition, in both readings where it has two.
pub(super) fn walk_body<V: Visitor + ?Sized>(v: &mut V, body: &DefinitionBody) {
    match body {
        DefinitionBody::Expr(e) | DefinitionBody::Either(e, _) => v.expr(e),
        DefinitionBody::Subst(s) => v.subst(s),
    }
    if let DefinitionBody::Either(_, Subst { kind: SubstKind::Call { name, .. }, .. }) = body {
        v.name(name);
    }
}

pub(super) fn walk_expr<V: Visitor + ?Sized>(v: &mut V, e: &Expr) {
    use ExprKind::*;
    match &e.kind {
        Ident(_) | Old(_) | Integer(_) | Real(_) | String(_) | Constant(_) | EmptySet | EmptySeq
        | BuiltinValue(_) | Error => {}
        Unary(_, a) | Field(a, _) | Labelled(_, a) | Described(a, _) => v.expr(a),
        Binary(_, a, b) | Image(a, b) => {
            v.expr(a);
            v.expr(b);
        }
        Builtin(_, list) | Operator(_, list) | Tuple(list) | SetExtension(list) | SeqExtension(list) => {
            list.iter().for_each(|e| v.expr(e));
        }
        Apply(f, arguments) => {
            v.expr(f);
            arguments.iter().for_each(|e| v.expr(e));
        }
        Quantified(_, ids, p, value) | Comprehension(ids, p, value) => {
            v.enter(ids);
            v.expr(p);
            value.iter().for_each(|e| v.expr(e));
            v.leave(ids);
        }
        Record(fields) | Struct(fields) => fields.iter().for_each(|(_, e)| v.expr(e)),
        If(branches, other) => {
            for (p, value) in branches {
                v.expr(p);
                v.expr(value);
            }
            other.iter().for_each(|e| v.expr(e));
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

pub(super) fn walk_subst<V: Visitor + ?Sized>(v: &mut V, s: &Subst) {
    use SubstKind::*;
    match &s.kind {
        Skip | Error => {}
        Block(body) => v.subst(body),
        Assign(left, right) => left.iter().chain(right).for_each(|e| v.expr(e)),
        BecomesIn(left, e) | BecomesSuch(left, e) => left.iter().chain([&**e]).for_each(|e| v.expr(e)),
        Pre(p, body) | Assert(p, body) | Witness(p, body) => {
            v.expr(p);
            v.subst(body);
        }
        Choice(list) | Sequence(list) | Parallel(list) => list.iter().for_each(|s| v.subst(s)),
        If(branches, other) | Select(branches, other) => {
            for (p, body) in branches {
                v.expr(p);
                v.subst(body);
            }
            other.iter().for_each(|s| v.subst(s));
        }
        Case(e, branches, other) => {
            v.expr(e);
            for (values, body) in branches {
                values.iter().for_each(|e| v.expr(e));
                v.subst(body);
            }
            other.iter().for_each(|s| v.subst(s));
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
            results.iter().chain(arguments).for_each(|e| v.expr(e));
        }
    }
}
