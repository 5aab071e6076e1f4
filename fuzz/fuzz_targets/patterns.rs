#![no_main]
//! See `Reader::Patterns` in the testkit.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    einsicht_testkit::fuzzing::Reader::Patterns.run(bytes);
});
