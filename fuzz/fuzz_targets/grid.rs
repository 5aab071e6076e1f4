#![no_main]
//! See `Reader::Grid` in the testkit.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    einsicht_testkit::fuzzing::Reader::Grid.run(bytes);
});
