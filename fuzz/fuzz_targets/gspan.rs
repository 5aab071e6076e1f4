#![no_main]
//! See `Reader::Gspan` in the testkit.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    einsicht_testkit::fuzzing::Reader::Gspan.run(bytes);
});
