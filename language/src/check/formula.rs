//! Single formulas over a finished model.

use super::close::Opening;
use super::*;
use crate::model::retype::Retype;
use crate::stack::with_large_stack;

/// Names that a formula may use besides those that its model declares.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings<'a> {
    /// Further names with their types; each gets a local of the model.
    pub bound: &'a [(String, Type)],
    /// `x$0` is the value of the variable before a step.
    pub old_values: bool,
}

/// Types a predicate as [`predicate`] does, in surroundings whose names become the locals that come with it, in
/// their order.
pub fn predicate_in(
    model: &mut Model,
    tree: &ast::Expr,
    surroundings: Surroundings<'_>,
) -> Result<(model::Pred, Vec<LocalId>), Vec<Diagnostic>> {
    in_model(model, |c| {
        let locals = surroundings.open(c);
        let p = c.pred(tree);
        c.leave(&locals);
        c.finish_group();
        (c.closing().pred(p), locals)
    })
}

/// Types an expression as [`expression`] does, in surroundings.
pub fn expression_in(
    model: &mut Model,
    tree: &ast::Expr,
    surroundings: Surroundings<'_>,
) -> Result<(model::Expr, Vec<LocalId>), Vec<Diagnostic>> {
    in_model(model, |c| {
        let locals = surroundings.open(c);
        let e = c.expr(tree);
        c.leave(&locals);
        c.finish_group();
        (c.closing().expr(e), locals)
    })
}

impl Surroundings<'_> {
    fn open(&self, c: &mut Checker) -> Vec<LocalId> {
        c.scope.old_values = self.old_values;
        let new = |(name, ty): &(String, Type)| c.new_local(name, Span::default(), ty.into());
        let locals: Vec<LocalId> = self.bound.iter().map(new).collect();
        c.reopen(&locals);
        locals
    }
}

/// Types a predicate over the constants, sets, variables and definitions of a model, and adds its locals there.
pub fn predicate(model: &mut Model, tree: &ast::Expr) -> Result<model::Pred, Vec<Diagnostic>> {
    Ok(predicate_in(model, tree, Surroundings::default())?.0)
}

/// Types an expression over the constants, sets, variables and definitions of a model, and adds its locals there.
pub fn expression(model: &mut Model, tree: &ast::Expr) -> Result<model::Expr, Vec<Diagnostic>> {
    Ok(expression_in(model, tree, Surroundings::default())?.0)
}

fn in_model<T: Send>(
    model: &mut Model,
    check: impl FnOnce(&mut Checker) -> T + Send,
) -> Result<T, Vec<Diagnostic>> {
    let mut definitions = model.definitions.main.clone();
    definitions.libraries = true;
    let known = model.locals.len();
    let open = |list: &[model::Variable]| list.iter().map(|v| Opening.variable(v.clone())).collect();
    let mut opened = OpenModel {
        types: DeclaredTypes {
            carriers: model.types.carriers.clone(),
            free_types: model.types.free_types.iter().map(|t| Opening.free_type(t.clone())).collect(),
        },
        constants: open(&model.constants),
        variables: open(&model.variables),
        // No formula can name the locals of another one: only their number counts.
        locals: vec![Variable { name: String::new(), ty: OpenType::Error, span: Span::default() }; known],
        choices: model.choices,
        ..empty_model(model.name.clone(), model.text.sources.clone())
    };
    opened.text.notation = model.text.notation;
    opened.text.components = model.text.components.clone();
    let mut checker = Checker::new(opened, definitions);
    checker.declare_model();
    let (result, mut checker) = with_large_stack(move || {
        let result = check(&mut checker);
        (result, checker)
    });
    let new = checker.model.locals.split_off(known);
    model.locals.extend(new.into_iter().map(|v| checker.closing().variable(v)));
    model.choices = checker.model.choices;
    if checker.diagnostics.is_empty() { Ok(result) } else { Err(checker.diagnostics) }
}
