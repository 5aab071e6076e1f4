#![no_main]
//! See `Reader::Model` in the testkit.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    einsicht_testkit::fuzzing::Reader::Model.run(bytes);
});
