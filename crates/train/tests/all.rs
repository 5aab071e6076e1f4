//! Whole trainings, their files and their proofs: one program, since linking many takes longer than running them.

mod budgets;
mod choice;
mod common;
mod exact_models;
mod external_layer;
mod folds;
mod forests_of_other_sizes;
mod gnn;
mod interactions;
mod knowledge;
mod l1;
mod memory;
mod model_file;
mod resampling;
mod resume;
mod settled;
mod several_blocks;
mod sharded_training;
mod stopping;
mod threads;
mod training;
mod verify;

/// Counts what `memory.rs` measures.
#[global_allocator]
static COUNTED: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;
