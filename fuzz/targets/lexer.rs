//! Bytes to text to tokens: tokens are in order, apart, and cut between characters.
#![no_main]

use bsym_language::{decode::decode, lexer, source::SourceId};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = decode(bytes).text;
    let mut end = 0;
    for token in lexer::lex(&text, SourceId(0)).tokens {
        assert!(end <= token.start);
        assert!(text.get(token.start as usize..token.end as usize).is_some());
        end = token.end;
    }
});
