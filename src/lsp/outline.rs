//! One symbol of an outline, in the protocol's form.

use bsym_language::source::Span;
use lsp_types::{DocumentSymbol, SymbolKind};

use super::position::Lines;

/// One symbol with what is inside of it.
#[allow(deprecated)] // The field that replaces the deprecated one is set; a literal must name both.
pub fn symbol(
    lines: &Lines,
    name: &str,
    kind: SymbolKind,
    whole: Span,
    selected: Span,
    children: Vec<DocumentSymbol>,
) -> DocumentSymbol {
    // The whole has to contain the name, whatever the text.
    let whole = if whole.source == selected.source { whole.to(selected) } else { selected };
    let range = |span: Span| lines.range(span.start as usize..span.end as usize);
    DocumentSymbol {
        name: name.to_string(),
        detail: None,
        kind,
        tags: None,
        deprecated: None,
        range: range(whole),
        selection_range: range(selected),
        children: Some(children).filter(|list| !list.is_empty()),
    }
}
