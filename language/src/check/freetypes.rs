//! `FREETYPES`: declaration, and the types of free types and their constructors where they are used.

use super::*;
use crate::ast::SectionKind;
use crate::model::types::FreeTypeId;
use crate::model::visit::Names;

impl Checker {
    /// Declares the free types of a machine; they may need each other.
    pub(super) fn free_types(&mut self, m: &ast::Machine) {
        let list: Vec<&ast::FreeType> = m
            .sections
            .iter()
            .filter_map(|s| match &s.kind {
                SectionKind::FreeTypes(list) => Some(list),
                _ => None,
            })
            .flatten()
            .collect();
        let first = self.model.types.free_types.len();
        for (i, t) in list.iter().enumerate() {
            let id = FreeTypeId((first + i) as u32);
            self.model.types.free_types.push(FreeType {
                name: t.name.name.clone(),
                parameters: t.parameters.len() as u32,
                constructors: vec![],
                span: t.name.span,
            });
            self.declare_global(&t.name.name, t.name.span, Entity::FreeType(id));
        }
        for (i, t) in list.iter().enumerate() {
            let id = FreeTypeId((first + i) as u32);
            for (name, argument) in &t.constructors {
                let argument = argument.as_ref().map(|e| self.constructor_argument(t, e));
                let constructors = &mut self.model.types.free_types[id.index()].constructors;
                let position = constructors.len() as u32;
                constructors.push(Constructor {
                    name: name.name.clone(),
                    argument,
                    destructors: vec![],
                    span: name.span,
                });
                self.declare_global(&name.name, name.span, Entity::Constructor(id, position));
            }
        }
        self.inhabited(first);
    }

    // The names of the type parameters are known inside their declaration only.
    fn constructor_argument(&mut self, t: &ast::FreeType, e: &ast::Expr) -> Expr {
        let mut hidden = vec![];
        for (i, p) in t.parameters.iter().enumerate() {
            let before = self.names.globals.insert(p.name.clone(), (Entity::TypeParameter(i as u32), p.span));
            hidden.push((p.name.clone(), before));
        }
        let mut set = self.expr(e);
        let element = self.fresh();
        self.expect(&set, &OpenType::pow(element));
        self.finish_group();
        set.ty = self.types.settled(&set.ty);
        for (name, before) in hidden.into_iter().rev() {
            match before {
                Some(entity) => drop(self.names.globals.insert(name, entity)),
                None => drop(self.names.globals.remove(&name)),
            }
        }
        let names = Names::of_expr(&set);
        if !names.constants.is_empty() || !names.variables.is_empty() {
            self.error(
                codes::NOT_VISIBLE,
                e.span,
                "only sets and types may be used in FREETYPES, where nothing has a value yet",
            );
        }
        set
    }

    /// Reports a free type without values: none of its constructors terminates.
    fn inhabited(&mut self, first: usize) {
        let all = &self.model.types.free_types;
        let mut known = vec![false; all.len()];
        loop {
            let before = known.clone();
            for (i, t) in all.iter().enumerate() {
                known[i] |= t.constructors.iter().any(|c| match &c.argument {
                    None => true,
                    Some(e) => e.ty.element().is_none_or(|t| has_values(t, &before)),
                });
            }
            if known == before {
                break;
            }
        }
        let empty = all.iter().zip(known).skip(first).filter(|(_, known)| !known);
        let empty: Vec<(String, Span)> = empty.map(|(t, _)| (t.name.clone(), t.span)).collect();
        for (name, span) in empty {
            self.report(
                Diagnostic::error(
                    codes::EMPTY_FREE_TYPE,
                    span,
                    format!("the free type `{name}` has no values: every constructor needs one first"),
                )
                .help("add a constructor without an argument"),
            );
        }
    }

    /// Returns a free type as a set; `given` are the sets of its parameters, if it is applied.
    pub(super) fn free_set(&mut self, id: FreeTypeId, given: Option<&[ast::Expr]>, span: Span) -> Expr {
        let t = &self.model.types.free_types[id.index()];
        let (name, wanted) = (t.name.clone(), t.parameters as usize);
        let sets: Vec<Expr> = given.unwrap_or_default().iter().map(|e| self.expr(e)).collect();
        // Without its parameters, as a constructor's type in ProB: all values of the type.
        let bare = given.is_none() && wanted > 0;
        if sets.len() != wanted && !bare {
            let message = format!("the free type `{name}` has {wanted} parameters, {} are given", sets.len());
            self.error(codes::ARGUMENT_COUNT, span, message);
            return self.erroneous(span);
        }
        let mut arguments = vec![];
        let mut operands = vec![];
        for i in 0..wanted {
            let element = self.fresh();
            match sets.get(i) {
                Some(set) => {
                    self.expect(set, &OpenType::pow(element.clone()));
                    operands.push(set.clone());
                }
                None => operands.push(builtin::whole_type(element.clone(), span)),
            }
            arguments.push(element);
        }
        ExprKind::FreeSet(id, operands).typed(OpenType::pow(OpenType::Free(id, arguments)), span)
    }

    /// Returns a constructor: a value, or an injection from its argument's set.
    pub(super) fn constructor(&mut self, id: FreeTypeId, position: u32, span: Span) -> Expr {
        let t = &self.model.types.free_types[id.index()];
        let parameters = t.parameters;
        let argument = t.constructors[position as usize].argument.as_ref().map(|e| e.ty.clone());
        let arguments: Vec<OpenType> = (0..parameters).map(|_| self.fresh()).collect();
        let free = OpenType::Free(id, arguments.clone());
        let ty = match argument.as_ref().and_then(OpenType::element) {
            Some(t) => OpenType::relation(t.with_parameters(&arguments), free),
            None => free,
        };
        ExprKind::Constructor(id, position).typed(ty, span)
    }
}

fn has_values(t: &OpenType, free: &[bool]) -> bool {
    match t {
        OpenType::Free(id, _) => free.get(id.index()).copied().unwrap_or(true),
        OpenType::Pair(a, b) => has_values(a, free) && has_values(b, free),
        OpenType::Record(fields) => fields.iter().all(|(_, t)| has_values(t, free)),
        // The empty set.
        _ => true,
    }
}
