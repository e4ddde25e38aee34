//! Names of locals in printed text, free of capture.

use std::collections::{BTreeMap, HashSet};

use super::words::quoted;
use crate::model::types::Type;
use crate::model::visit::Names;
use crate::model::*;
use crate::tuning::Tuning;

/// The names of constants, variables, sets and their elements.
fn globals(model: &Model) -> impl Iterator<Item = &str> {
    let values = model.constants.iter().chain(&model.variables).map(|v| v.name.as_str());
    let free =
        model.types.free_types.iter().flat_map(|t| {
            std::iter::once(t.name.as_str()).chain(t.constructors.iter().map(|c| c.name.as_str()))
        });
    let carriers = model.types.carriers.iter().flat_map(|c| {
        let elements: &[String] = match &c.kind {
            CarrierKind::Enumerated(elements) => elements,
            _ => &[],
        };
        std::iter::once(c.name.as_str()).chain(elements.iter().map(String::as_str))
    });
    values.chain(free).chain(carriers)
}

/// Text under construction and the names that locals have in it.
pub(super) struct Printer<'m> {
    pub model: &'m Model,
    pub out: String,
    pub indent: usize,
    locals: BTreeMap<LocalId, String>,
    in_use: Vec<String>,
    globals: Option<HashSet<&'m str>>,
    /// Questions about globals so far.
    asked: usize,
    /// Inside `x : (P)`: targets, whose other occurrences are the old value.
    pub targets: Vec<Target>,
    /// `true` if no context determines the type of an expression.
    pub open_type: bool,
    /// `true` if the type of a name is printed in a comment where it is declared or bound.
    pub types: bool,
}

impl<'m> Printer<'m> {
    /// Creates a printer for a tree with these free names.
    pub fn new(model: &'m Model, free: &Names) -> Self {
        let mut p = Printer {
            model,
            out: String::new(),
            indent: 0,
            locals: BTreeMap::new(),
            in_use: vec![],
            globals: None,
            asked: 0,
            targets: vec![],
            open_type: false,
            types: false,
        };
        for l in free.locals.union(&free.written_locals) {
            p.open(*l);
        }
        p
    }

    pub(super) fn is_global(&mut self, name: &str) -> bool {
        self.asked += 1;
        // A set is worth its making for a large tree; most trees are formulas of a line.
        if self.asked <= Tuning::DEFAULT.text.asked {
            return globals(self.model).any(|global| global == name);
        }
        let model = self.model;
        self.globals.get_or_insert_with(|| globals(model).collect()).contains(name)
    }

    /// Gives a local a name that nothing else has here.
    pub fn open(&mut self, l: LocalId) -> String {
        let base = self.model.locals.get(l.index()).map_or("x", |v| v.name.as_str()).to_string();
        let mut name = base.clone();
        let mut n = 0;
        while self.is_global(&name) || self.in_use.contains(&name) {
            n += 1;
            name = format!("{base}_{n}");
        }
        self.in_use.push(name.clone());
        self.locals.insert(l, name.clone());
        quoted(&name)
    }

    /// Names for several locals, separated by commas.
    pub fn open_all(&mut self, ids: &[LocalId]) -> String {
        let names: Vec<String> = ids
            .iter()
            .map(|l| {
                let name = self.open(*l);
                match self.model.locals.get(l.index()) {
                    Some(local) => self.typed(name, &local.ty),
                    None => name,
                }
            })
            .collect();
        names.join(", ")
    }

    /// Returns a name with its type in a comment, where types are asked for.
    pub fn typed(&self, name: String, ty: &Type) -> String {
        if !self.types {
            return name;
        }
        // A quoted name in the type might end the comment.
        let ty = super::types::type_text(self.model, ty).replace("*/", "* /");
        format!("{name} /* {ty} */")
    }

    /// Ends the range of the last `count` opened names.
    pub fn close(&mut self, count: usize) {
        self.in_use.truncate(self.in_use.len() - count);
    }

    /// Lets a local share a name: the new value in `x : (P)`.
    pub fn alias(&mut self, l: LocalId, name: String) {
        self.locals.insert(l, name);
    }

    /// Returns the bare name of a local.
    pub fn local(&self, l: LocalId) -> String {
        match self.locals.get(&l) {
            Some(name) => name.clone(),
            None => self.model.locals.get(l.index()).map_or("x".into(), |v| v.name.clone()),
        }
    }

    /// Returns the bare name of a target.
    pub fn target(&self, t: Target) -> String {
        match t {
            Target::Var(v) => self.model.variables[v.index()].name.clone(),
            Target::Local(l) => self.local(l),
        }
    }

    /// Appends text.
    pub fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Ends the line and indents the next one.
    pub fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
    }
}
