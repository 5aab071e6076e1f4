#![no_main]
//! See `Reader::Sdf` in the testkit.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    einsicht_testkit::fuzzing::Reader::Sdf.run(bytes);
});
