#![no_main]
//! Models: whole files, or changes of good ones.

#[path = "../../crates/einsicht/tests/crafted_models.rs"]
mod crafted_models;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    crafted_models::run(bytes);
});
