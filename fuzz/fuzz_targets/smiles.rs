#![no_main]
//! See `Reader::Smiles` in the testkit.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    einsicht_testkit::fuzzing::Reader::Smiles.run(bytes);
});
