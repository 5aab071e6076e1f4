#![no_main]
//! See `Reader::Table` in the testkit.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    einsicht_testkit::fuzzing::Reader::Table.run(bytes);
});
