//! `bsym_fuzz::evaluator` for libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| bsym_fuzz::evaluator::run(text));
