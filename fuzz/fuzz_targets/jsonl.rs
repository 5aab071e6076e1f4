#![no_main]
//! See `Reader::Jsonl` in the testkit.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    einsicht_testkit::fuzzing::Reader::Jsonl.run(bytes);
});
