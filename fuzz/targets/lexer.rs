//! `bsym_fuzz::lexer` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bsym_fuzz::lexer::run(bytes));
