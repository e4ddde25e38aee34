//! Single formulas over a finished model.

use super::close::Opening;
use super::*;
use crate::model::retype::Retype;
use crate::stack::with_large_stack;

/// Types a predicate over the constants, sets, variables and definitions of a model, and adds its locals there.
pub fn predicate(model: &mut Model, tree: &ast::Expr) -> Result<model::Pred, Vec<Diagnostic>> {
    in_model(model, |c| {
        let p = c.pred(tree);
        c.finish_group();
        c.closing().pred(p)
    })
}

/// Types an expression over the constants, sets, variables and definitions of a model, and adds its locals there.
pub fn expression(model: &mut Model, tree: &ast::Expr) -> Result<model::Expr, Vec<Diagnostic>> {
    in_model(model, |c| {
        let e = c.expr(tree);
        c.finish_group();
        c.closing().expr(e)
    })
}

fn in_model<T: Send>(
    model: &mut Model,
    check: impl FnOnce(&mut Checker) -> T + Send,
) -> Result<T, Vec<Diagnostic>> {
    let mut definitions = model.definitions.clone();
    definitions.libraries = true;
    let known = model.locals.len();
    let open = |list: &[model::Variable]| list.iter().map(|v| Opening.variable(v.clone())).collect();
    let opened = OpenModel {
        notation: model.notation,
        components: model.components.clone(),
        carriers: model.carriers.clone(),
        free_types: model.free_types.iter().map(|t| Opening.free_type(t.clone())).collect(),
        constants: open(&model.constants),
        variables: open(&model.variables),
        // No formula can name the locals of another one: only their number counts.
        locals: vec![Variable { name: String::new(), ty: OpenType::Error, span: Span::default() }; known],
        choices: model.choices,
        ..empty_model(model.name.clone(), model.sources.clone())
    };
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
