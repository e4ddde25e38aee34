//! The outline of a machine, and the ranges of it that can be folded.

use bsym_language::ast::{Definition, Ident, Machine, SectionKind, SetDeclaration};
use bsym_language::parser;
use bsym_language::source::{SourceId, Sources, Span};
use lsp_types::{DocumentSymbol, FoldingRange, SymbolKind};

use super::eventb;
use super::machine::Trees;
use super::outline::symbol;
use super::position::Lines;

/// The outline: the machine with what it declares.
pub fn outline(trees: &Trees) -> Vec<DocumentSymbol> {
    match &trees.event_b {
        Some(project) => eventb::outline(&trees.sources, project),
        None => trees.main().map(|tree| of_tree(&trees.sources, tree)).unwrap_or_default(),
    }
}

/// The outline of a file alone, without what it refers to.
pub fn of_file(sources: &Sources) -> Vec<DocumentSymbol> {
    of_tree(sources, &parser::parse(sources, SourceId(0)).0)
}

fn of_tree(sources: &Sources, tree: &Machine) -> Vec<DocumentSymbol> {
    let lines = Lines::new(&sources.get(tree.span.source).text);
    let symbol = |name: &Ident, kind: SymbolKind, whole: Span, children: Vec<DocumentSymbol>| {
        symbol(&lines, &name.name, kind, whole, name.span, children)
    };
    let mut inside = vec![];
    for section in &tree.sections {
        declared(&section.kind, &mut |name, kind, whole, elements| {
            // An editor refuses symbols without a name.
            if !name.name.is_empty() {
                let elements = elements.iter().filter(|e| !e.name.is_empty());
                let elements = elements.map(|e| symbol(e, SymbolKind::ENUM_MEMBER, e.span, vec![]));
                inside.push(symbol(name, kind, whole, elements.collect()));
            }
        });
    }
    if tree.name.name.is_empty() {
        inside
    } else {
        vec![symbol(&tree.name, SymbolKind::CLASS, tree.span, inside)]
    }
}

/// Takes a declared name, what it is, its whole declaration, and its elements.
type Say<'s> = dyn FnMut(&Ident, SymbolKind, Span, &[Ident]) + 's;

fn declared(section: &SectionKind, say: &mut Say) {
    use SectionKind::*;
    match section {
        ConcreteConstants(ids) | AbstractConstants(ids) => {
            ids.iter().for_each(|id| say(id, SymbolKind::CONSTANT, id.span, &[]));
        }
        ConcreteVariables(ids) | AbstractVariables(ids) => {
            ids.iter().for_each(|id| say(id, SymbolKind::VARIABLE, id.span, &[]));
        }
        Sets(list) => list.iter().for_each(|set| match set {
            SetDeclaration::Deferred(name) | SetDeclaration::ByDefinition(name, _) => {
                say(name, SymbolKind::ENUM, name.span, &[]);
            }
            SetDeclaration::Enumerated(name, elements) => {
                let whole = elements.last().map_or(name.span, |last| name.span.to(last.span));
                say(name, SymbolKind::ENUM, whole, elements);
            }
        }),
        Operations(list) | LocalOperations(list) => {
            list.iter().for_each(|op| say(&op.name, SymbolKind::METHOD, op.span, &[]));
        }
        Definitions(list) | TypedDefinitions(list) => list.iter().for_each(|definition| {
            if let Definition::Macro { name, span, .. } = definition {
                say(name, SymbolKind::FUNCTION, *span, &[]);
            }
        }),
        _ => {}
    }
}

/// The sections, each up to the next one, and the operations.
pub fn folding(trees: &Trees) -> Vec<FoldingRange> {
    let Some(tree) = trees.main() else { return vec![] };
    let text = &trees.sources.get(tree.span.source).text;
    let lines = Lines::new(text);
    let fold = |start: u32, end: u32| {
        let until = text.get(..end as usize).unwrap_or(text).trim_end().len();
        let (start, end) = (lines.position(start as usize).line, lines.position(until).line);
        (end > start).then(|| FoldingRange { start_line: start, end_line: end, ..FoldingRange::default() })
    };
    let starts: Vec<u32> = tree.sections.iter().map(|section| section.keyword.start).collect();
    let last = before_end(tree, text);
    let ends = starts.iter().skip(1).copied().chain([last]);
    let sections = starts.iter().zip(ends).filter_map(|(start, end)| fold(*start, end));
    let operations = tree.sections.iter().flat_map(|section| match &section.kind {
        SectionKind::Operations(list) | SectionKind::LocalOperations(list) => list.as_slice(),
        _ => &[],
    });
    sections.chain(operations.filter_map(|op| fold(op.span.start, op.span.end))).collect()
}

// Returns the end of the last section: before the `END` of the machine, where there is one.
fn before_end(tree: &Machine, text: &str) -> u32 {
    let end = tree.span.end.min(text.len() as u32);
    let has_end = text.get(..end as usize).is_some_and(|t| t.ends_with("END"));
    if has_end { end - 3 } else { end }
}
