//! `bsym_fuzz::eventb` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| bsym_fuzz::eventb::run(text));
