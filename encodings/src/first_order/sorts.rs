//! Sorts of types, and the symbols of names.

use bsym_language::model::{CarrierKind, LocalId};
use bsym_language::source::Span;
use bsym_language::types::{CarrierId, Type};
use bsym_semantics::value::env::Name;

use super::{Env, Found, Lowering, unsupported};
use crate::term::{Sort, SortKind, SymbolId, Term, Terms};

impl Lowering<'_> {
    /// The sorts of the values that a value of a type is made of: couples and records are flattened.
    pub(super) fn leaves(&mut self, ty: &Type) -> Found<Vec<Sort>> {
        Ok(match ty {
            Type::Bool => vec![Terms::BOOL],
            Type::Int => vec![Terms::INT],
            Type::Real => vec![Terms::REAL],
            Type::String => vec![self.terms.sort(SortKind::Uninterpreted("STRING".into()))],
            Type::Carrier(id) => vec![self.carrier(*id)],
            Type::Pow(element) => {
                let leaves = self.leaves(element)?;
                vec![self.power(leaves)]
            }
            Type::Pair(a, b) => {
                let mut all = self.leaves(a)?;
                all.extend(self.leaves(b)?);
                all
            }
            Type::Record(fields) => {
                let mut all = vec![];
                for (_, ty) in fields {
                    all.extend(self.leaves(ty)?);
                }
                all
            }
            Type::Free(id, arguments) => {
                let name = format!("free {} {arguments:?}", id.0);
                vec![self.terms.sort(SortKind::Uninterpreted(name.into()))]
            }
            Type::Parameter(_) => return unsupported(Span::default(), "a type parameter"),
        })
    }

    /// The number of values that a value of a type is made of.
    pub(super) fn width(ty: &Type) -> usize {
        match ty {
            Type::Pair(a, b) => Self::width(a) + Self::width(b),
            Type::Record(fields) => fields.iter().map(|(_, ty)| Self::width(ty)).sum(),
            _ => 1,
        }
    }

    fn carrier(&self, id: CarrierId) -> Sort {
        let carrier = &self.model.types.carriers[id.index()];
        let name = format!("set {}", carrier.name);
        self.terms.sort(match &carrier.kind {
            CarrierKind::Enumerated(elements) => {
                let elements: Vec<_> = elements.iter().map(|e| e.as_str().into()).collect();
                SortKind::Enum(name.into(), elements.into())
            }
            CarrierKind::Deferred => SortKind::Uninterpreted(name.into()),
        })
    }

    /// The sort of sets of such elements. Those of different types that are flattened to the same are one sort.
    pub(super) fn power(&mut self, leaves: Vec<Sort>) -> Sort {
        let text: Vec<String> = leaves.iter().map(|&s| self.terms.sort_text(s).replace('"', "")).collect();
        let sort = self.terms.sort(SortKind::Uninterpreted(format!("POW({})", text.join("*")).into()));
        self.powers.entry(sort).or_insert(leaves);
        sort
    }

    /// Returns the axioms that sets with the same members are equal, for all sorts of sets.
    pub(super) fn extensionality(&mut self) -> Vec<Term> {
        let mut all = vec![];
        for (sort, leaves) in self.powers.clone() {
            let sets = self.bind_sorts("s", &[sort, sort]);
            let member = self.bind_sorts("m", &leaves);
            let [a, b] = [sets[0], sets[1]].map(|s| self.member_of(&member, s));
            let same = self.forall(&member, self.terms.eq(a, b));
            let equal = self.terms.eq(sets[0], sets[1]);
            all.push(self.forall(&sets, self.terms.implies(same, equal)));
        }
        all
    }

    /// The membership of a tuple in an element of a sort of sets.
    pub(super) fn member_of(&self, tuple: &[Term], set: Term) -> Term {
        let sort = self.terms.sort_of(set);
        let SortKind::Uninterpreted(name) = self.terms.sort_kind(sort) else {
            unreachable!("{} is no set", self.terms.text(set))
        };
        let mut arguments = tuple.to_vec();
        arguments.push(set);
        self.symbol(&format!("in {name}"), &arguments, Terms::BOOL)
    }

    /// The value of a function symbol; a constant where there are no arguments.
    pub(super) fn symbol(&self, name: &str, arguments: &[Term], sort: Sort) -> Term {
        let t = &self.terms;
        let index = match arguments {
            [] => return t.symbol(name, sort),
            [one] => *one,
            _ => t.tuple(arguments),
        };
        t.select(t.symbol(name, t.array_sort(t.sort_of(index), sort)), index)
    }

    /// A name as the beginning of those of symbols.
    pub(super) fn base(&self, name: Name) -> String {
        match name {
            Name::Var(v) => format!("v{} {}", v.0, self.model.variables[v.index()].name),
            Name::Old(v) => format!("o{} {}", v.0, self.model.variables[v.index()].name),
            Name::Const(c) => format!("c{} {}", c.0, self.model.constants[c.index()].name),
            Name::Local(l) => {
                format!("l{} {}", l.0, self.model.locals.get(l.index()).map_or("", |l| &l.name))
            }
        }
    }

    /// One symbol for each sort, with the same arguments.
    pub(super) fn symbols(&self, base: &str, arguments: &[Term], sorts: &[Sort]) -> Vec<Term> {
        match sorts {
            [one] => vec![self.symbol(base, arguments, *one)],
            _ => {
                let each = sorts.iter().enumerate();
                each.map(|(i, &s)| self.symbol(&format!("{base} .{i}"), arguments, s)).collect()
            }
        }
    }

    /// Fresh bound symbols.
    pub(super) fn bind_sorts(&mut self, base: &str, sorts: &[Sort]) -> Vec<Term> {
        let fresh: Vec<Term> = sorts.iter().map(|&s| self.terms.fresh(base, s)).collect();
        self.bound.extend(fresh.iter().filter_map(|&t| self.terms.as_symbol(t)));
        fresh
    }

    /// Fresh bound symbols for a value of a type.
    pub(super) fn bind_type(&mut self, ty: &Type) -> Found<Vec<Term>> {
        let sorts = self.leaves(ty)?;
        Ok(self.bind_sorts("x", &sorts))
    }

    /// Fresh bound symbols for locals, and the environment in which these stand for them.
    pub(super) fn bind(&mut self, locals: &[LocalId], env: &Env) -> Found<(Vec<Term>, Env)> {
        let mut env = env.clone();
        let mut all = vec![];
        for &local in locals {
            let own = self.bind_type(&self.model.locals[local.index()].ty.clone())?;
            all.extend(&own);
            env.insert(local, own.into());
        }
        Ok((all, env))
    }

    /// The environment in which locals stand for the parts of a tuple, in order.
    pub(super) fn bind_to(&self, locals: &[LocalId], tuple: &[Term], env: &Env) -> Env {
        let mut env = env.clone();
        let mut rest = tuple;
        for &local in locals {
            let (own, others) = rest.split_at(Self::width(&self.model.locals[local.index()].ty));
            env.insert(local, own.into());
            rest = others;
        }
        env
    }

    /// Symbols of terms that are bound somewhere.
    pub(super) fn open_symbols(&self, terms: &[Term]) -> Vec<SymbolId> {
        self.terms.symbols(terms).into_iter().filter(|s| self.bound.contains(s)).collect()
    }
}
