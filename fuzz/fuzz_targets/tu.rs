#![no_main]
//! See `Reader::Tu` in the testkit.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    einsicht_testkit::fuzzing::Reader::Tu.run(bytes);
});
