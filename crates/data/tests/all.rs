//! Readers, writers and real sets through the public face of the crate: one program, since linking many takes longer
//! than running them.

mod documented_formats;
mod fixture_sets;
mod jsonl_roundtrip;
mod miner_and_matcher;
mod mining_counts;
mod never_panics;
mod rdkit_smiles;
mod shared_sets;
mod shared_splits;
mod shared_tables;
mod tu_variants;
