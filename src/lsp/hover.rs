//! Hover for a name: its kind, its type, and how an operation or definition is declared.

use bsym_language::load::Loaded;
use bsym_language::model::{LocalId, Model};
use bsym_language::print;
use bsym_language::source::Span;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position, Range};

use super::diagnostics::Places;
use super::machine::Trees;
use super::names::{Declaration, Kind};
use super::operators;
use super::position::Lines;

/// Returns the hover for the name or symbol at a position; with types where the machine has no mistake.
pub fn hover(trees: &Trees, loaded: Option<&Loaded>, position: Position) -> Option<Hover> {
    let Some(meaning) = trees.name_at(position).and_then(|name| name.meaning) else {
        return of_symbol(trees, position);
    };
    let name = trees.name_at(position)?;
    let declaration = &trees.names.declarations[meaning];
    let model = loaded.and_then(|loaded| loaded.model.as_ref());
    let mut text = format!(
        "```b\n{}\n```\n{}",
        signature(trees, model, declaration, &name.name),
        declaration.kind.word()
    );
    if let Some(home) =
        trees.sources.path(declaration.span).file_name().filter(|_| declaration.kind != Kind::Machine)
    {
        text.push_str(&format!(" of `{}`", home.to_string_lossy()));
    }
    if let Some(typing) = trees.typing(declaration) {
        text.push_str(&format!("\n```b\n{typing}\n```"));
    }
    Some(shown(text, Places::new(&trees.sources).range(name.span)))
}

fn of_symbol(trees: &Trees, position: Position) -> Option<Hover> {
    if !trees.is_classical() {
        return None;
    }
    let (text, bytes) = operators::at(trees.text(), trees.offset(position))?;
    Some(shown(text, Lines::new(trees.text()).range(bytes)))
}

fn shown(value: String, range: Range) -> Hover {
    let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
    Hover { contents, range: Some(range) }
}

/// Signature of a declaration: a name with its type, an operation with its parameters, or a definition with its body.
pub fn signature(trees: &Trees, model: Option<&Model>, declaration: &Declaration, written: &str) -> String {
    match declaration.kind {
        Kind::Definition => {
            trees.sources.text(declaration.whole).trim_end_matches([';', ' ', '\n']).to_string()
        }
        Kind::Operation => operation(trees, model, declaration, written).0,
        Kind::Machine => written.to_string(),
        _ => match model.and_then(|model| type_of(trees, model, declaration, written)) {
            Some(of) => format!("{written} : {of}"),
            None => written.to_string(),
        },
    }
}

fn type_of(trees: &Trees, model: &Model, declaration: &Declaration, written: &str) -> Option<String> {
    if declaration.kind == Kind::Local {
        let is_it = |span: Span| {
            span.start == declaration.span.start
                && model.text.sources.path(span) == trees.sources.path(declaration.span)
        };
        let local = model.locals.iter().find(|local| local.name == declaration.name && is_it(local.span))?;
        return Some(print::type_text(model, &local.ty));
    }
    let has_name = |name: &str| name == written || name == declaration.name;
    if let Some(set) = model.types.carriers.iter().find(|carrier| has_name(&carrier.name)) {
        return Some(format!("POW({})", set.name));
    }
    let enumerated = |carrier: &&bsym_language::model::Carrier| match &carrier.kind {
        bsym_language::model::CarrierKind::Enumerated(elements) => elements.iter().any(|e| has_name(e)),
        bsym_language::model::CarrierKind::Deferred => false,
    };
    if let Some(set) = model.types.carriers.iter().find(enumerated) {
        return Some(set.name.clone());
    }
    let all = || model.variables.iter().chain(&model.constants).chain(&model.refinement.abstract_variables);
    let exact = all().find(|v| v.name == written).or_else(|| all().find(|v| v.name == declaration.name));
    exact.map(|variable| print::type_text(model, &variable.ty))
}

/// `r, s <-- op(p : T, q : U)` with the parameters one by one; types where they are known.
pub fn operation(
    trees: &Trees,
    model: Option<&Model>,
    declaration: &Declaration,
    written: &str,
) -> (String, Vec<String>) {
    let Some(tree) = trees.names.operation_of(&trees.project, declaration) else {
        return (written.to_string(), vec![]);
    };
    let event = model.and_then(|m| m.events.iter().find(|e| e.name == written).map(|event| (m, event)));
    let typed = |ids: &[bsym_language::ast::Ident], locals: Option<(&Model, &Vec<LocalId>)>| {
        let with_type = |(at, id): (usize, &bsym_language::ast::Ident)| {
            let local = locals.and_then(|(model, ids)| Some((model, &model.locals[ids.get(at)?.index()])));
            let of = local.map(|(model, local)| format!(" : {}", print::type_text(model, &local.ty)));
            format!("{}{}", id.name, of.unwrap_or_default())
        };
        ids.iter().enumerate().map(with_type).collect::<Vec<_>>()
    };
    let results = typed(&tree.results, event.map(|(m, e)| (m, &e.results))).join(", ");
    let parameters = typed(&tree.parameters, event.map(|(m, e)| (m, &e.parameters)));
    let arrow = if results.is_empty() { "" } else { " <-- " };
    let list = if parameters.is_empty() { String::new() } else { format!("({})", parameters.join(", ")) };
    (format!("{results}{arrow}{written}{list}"), parameters)
}
