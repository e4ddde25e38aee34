//! `bsym_fuzz::parser` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| bsym_fuzz::parser::run(text));
