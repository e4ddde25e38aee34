//! Bytes to text to tokens: tokens are in order, apart, and cut between characters.

use bsym_language::{decode::decode, lexer, source::SourceId};

/// Runs the target on one input.
pub fn run(bytes: &[u8]) {
    let text = decode(bytes).text;
    let mut end = 0;
    for token in lexer::lex(&text, SourceId(0)).tokens {
        assert!(end <= token.start);
        assert!(text.get(token.start as usize..token.end as usize).is_some());
        end = token.end;
    }
}
