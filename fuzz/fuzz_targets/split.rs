#![no_main]
//! See `Reader::Split` in the testkit.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    einsicht_testkit::fuzzing::Reader::Split.run(bytes);
});
