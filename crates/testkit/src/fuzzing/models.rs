//! What the fuzz target of models does. A model that can be read must read back from what it is written as, and
//! predict.
//!
//! An even first byte: the rest is a whole file. An odd one: the rest are changes of a good file, three bytes each, a place and
//! what is put there, so that the fuzzer need not find out how files are made, and seeds outlive changes of the format.
//! Both get the right digest, which would refuse them all.

use super::CYCLE;
use crate::model_bytes::seal;
use einsicht_data::Dataset;
use einsicht_data::split::seeded::{Fractions, default_split};
use einsicht_model::Model;
use einsicht_model::gnn::Gnn;
use einsicht_model::params::TrainParams;
use einsicht_train::fit::{FitOptions, fit};
use std::ops::ControlFlow;
use std::sync::LazyLock;

/// A linear model with a forest, and one with a graph network.
static GOOD: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| [Gnn::None, Gnn::Gin].map(small));

/// Graphs of both classes.
static FEW: LazyLock<Dataset> = LazyLock::new(|| CYCLE.subset(&(290..310).collect::<Vec<_>>()));

fn small(gnn: Gnn) -> Vec<u8> {
    let few = &*FEW;
    let split = default_split(few, Fractions::default(), 0).expect("parts");
    let base = if gnn == Gnn::None { TrainParams::default() } else { TrainParams::gin() };
    let params = TrainParams { sizes: vec![1, 2], max_edges: 2, max_iterations: 2, trees: 2, gnn_units: 2, ..base };
    let params = params.check().expect("good parameters");
    let model = fit(few, &split, &params, &FitOptions::default(), &mut |_| ControlFlow::Continue(())).expect("a model");
    model.to_bytes().expect("a file")
}

pub(super) fn run(choice: u8, bytes: &[u8]) -> bool {
    if choice.is_multiple_of(2) {
        let mut file = bytes.to_vec();
        seal(&mut file);
        return read(&file);
    }
    let mut file = GOOD[choice as usize / 2 % 2].clone();
    let len = file.len();
    let (changes, _) = bytes.as_chunks::<3>();
    for &[low, high, new] in changes {
        file[usize::from(u16::from_le_bytes([low, high])) % len] = new;
    }
    seal(&mut file);
    read(&file)
}

fn read(file: &[u8]) -> bool {
    let Ok(model) = Model::from_bytes(file) else { return false };
    let again = model.to_bytes().expect("a model that was read can be written");
    assert_eq!(Model::from_bytes(&again).expect("what we wrote can be read"), model);
    if model.check_data(&CYCLE).is_ok() {
        for entry in 0..model.entries.len().min(3) {
            let predictions = model.predict(entry, &CYCLE, &[0, 1]);
            assert_eq!(predictions.row(&model.tasks, 1).len(), model.tasks.len());
        }
        assert_eq!(model.member_outputs(&CYCLE, &[0]).len(), model.members.len());
    }
    true
}
