//! What only the whole can show: seeds of the fuzzer, matching against mining, documents written from the table of
//! parameters.

mod crafted_models;
mod fuzz_seeds;
mod matching_vs_mining;
mod parameter_documents;
mod stopping;
