//! Signature help: the parameters of the operation, definition or operator whose arguments are being typed.

use bsym_language::ast::BuiltinFn;
use bsym_language::lexer::{self, Token, TokenKind};
use bsym_language::load::Loaded;
use bsym_language::source::SourceId;
use lsp_types::{
    Documentation, MarkupContent, MarkupKind, ParameterInformation, ParameterLabel, Position, SignatureHelp,
    SignatureInformation,
};

use super::machine::Trees;
use super::names::Kind;
use super::{hover, operators};

use crate::tuning::tuning;

/// Returns the signature of the operation or definition that is called at a position.
pub fn help(trees: &Trees, loaded: Option<&Loaded>, position: Position) -> Option<SignatureHelp> {
    if !trees.is_classical() {
        return None;
    }
    let before = trees.before(position);
    let tokens = lexer::lex(before, SourceId(0)).tokens;
    let (callee, argument) = open_call(&tokens[..tokens.len().saturating_sub(1)])?;
    let (label, parameters, documentation) = match tokens[callee].kind {
        TokenKind::Builtin(function) => of_operator(function)?,
        _ => of_name(trees, loaded, before, &tokens, callee)?,
    };
    let last = parameters.len().checked_sub(1)?;
    let parameters = parameters
        .into_iter()
        .map(|name| ParameterInformation { label: ParameterLabel::Simple(name), documentation: None });
    let signature = SignatureInformation {
        label,
        documentation,
        parameters: Some(parameters.collect()),
        active_parameter: Some(argument.min(last) as u32),
    };
    Some(SignatureHelp { signatures: vec![signature], active_signature: Some(0), active_parameter: None })
}

type Signature = (String, Vec<String>, Option<Documentation>);

// The token before the innermost open parenthesis, and the number of commas behind it.
fn open_call(tokens: &[Token]) -> Option<(usize, usize)> {
    let (mut depth, mut commas) = (0, 0);
    for (at, token) in tokens.iter().enumerate().rev().take(tuning().server.farthest) {
        match token.kind {
            TokenKind::CloseParen | TokenKind::CloseBracket | TokenKind::CloseBrace => depth += 1,
            TokenKind::OpenParen if depth == 0 => {
                let callee = at.checked_sub(1)?;
                let is_name = matches!(
                    tokens[callee].kind,
                    TokenKind::Ident | TokenKind::QuotedIdent | TokenKind::Builtin(_)
                );
                return is_name.then_some((callee, commas));
            }
            TokenKind::OpenParen | TokenKind::OpenBracket | TokenKind::OpenBrace if depth > 0 => depth -= 1,
            TokenKind::OpenBracket | TokenKind::OpenBrace => return None,
            TokenKind::Comma if depth == 0 => commas += 1,
            _ => {}
        }
    }
    None
}

fn of_operator(function: BuiltinFn) -> Option<Signature> {
    let meaning = function.meaning();
    let label = meaning.text.split('`').nth(1)?.to_string();
    let inside = label.split_once('(')?.1.strip_suffix(')')?;
    let parameters = inside.split(", ").map(str::to_string).collect();
    let value = operators::markdown(meaning, function.spellings());
    let documentation = Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value });
    Some((label, parameters, Some(documentation)))
}

fn of_name(
    trees: &Trees,
    loaded: Option<&Loaded>,
    before: &str,
    tokens: &[Token],
    callee: usize,
) -> Option<Signature> {
    let mut first = callee;
    // `p.op`
    while first >= 2 && tokens[first - 1].kind == TokenKind::Dot && tokens[first - 2].kind == TokenKind::Ident
    {
        first -= 2;
    }
    let name: String = before.get(tokens[first].start as usize..tokens[callee].end as usize)?.into();
    let Some(declaration) = trees.meaning_of(&name, before) else {
        return of_operator(BuiltinFn::of_soft_word(&name)?);
    };
    let model = loaded.and_then(|loaded| loaded.model.as_ref());
    match declaration.kind {
        Kind::Operation => {
            let (label, parameters) = hover::operation(trees, model, declaration, &name);
            Some((label, parameters, None))
        }
        Kind::Definition => {
            let label = hover::signature(trees, model, declaration, &name);
            let head = label.split("==").next()?;
            let inside = head.split_once('(')?.1.trim_end().strip_suffix(')')?.to_string();
            let parameters = inside.split(',').map(|p| p.trim().to_string()).collect();
            Some((label, parameters, None))
        }
        _ => None,
    }
}
