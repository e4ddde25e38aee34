//! `bsym_fuzz::loader` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| bsym_fuzz::loader::run(text));
