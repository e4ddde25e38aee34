//! `bsym_fuzz::checker` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| bsym_fuzz::checker::run(text));
