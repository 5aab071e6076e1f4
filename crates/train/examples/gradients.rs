//! Trains a short path on JSON lines, with uneven weights of graphs, and prints loss and gradients of every entry.
//!
//! `gradients DATA MODEL LAYERS GNN` writes the model too; the Python tests compute the same by PyTorch. LAYERS is a
//! list like `5,4`, or `none`; GNN is `none`, or `gin` with pooling, readout, the number of edge relations and
//! normalization, such as `gin,sum,last,1,layer`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program for tests")]

use einsicht_data::read::{ReadOptions, TargetChoice, read};
use einsicht_data::split::seeded::{Fractions, default_split};
use einsicht_model::gnn::{Normalization, Pooling, Readout};
use einsicht_model::params::{Preset, TrainParams};
use einsicht_train::fit::{Fit, FitOptions};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [data, model, layers, gnn] = &words[..] else { panic!("usage: gradients DATA MODEL LAYERS GNN") };
    let options = ReadOptions { targets: TargetChoice::All, ..ReadOptions::default() };
    let dataset = read(data.as_ref(), &options).unwrap();
    let split = default_split(&dataset, Fractions { valid: 0.2, test: 0.0 }, 0).unwrap();
    let graph_weights: Vec<f64> = (0..split.train.len()).map(|at| 0.5 + (at % 4) as f64 / 2.0).collect();
    let small = |preset| TrainParams {
        max_edges: 4,
        hidden: 3,
        layers: layers.split(',').filter_map(|word| word.parse().ok()).collect(),
        max_iterations: 3,
        weight_decay: 0.01,
        ..TrainParams::preset(preset)
    };
    let params = match gnn.split(',').collect::<Vec<_>>()[..] {
        ["gin", pooling, readout, kinds, normalization] => TrainParams {
            gnn_pooling: if pooling == "sum" { Pooling::Sum } else { Pooling::Mean },
            gnn_readout: if readout == "last" { Readout::Last } else { Readout::All },
            gnn_edge_labels: kinds != "1",
            gnn_normalization: if normalization == "layer" { Normalization::Layer } else { Normalization::None },
            learning_rate: 0.01,
            gnn_units: 5,
            sizes: vec![0, 1, 3, 8],
            ..small(Preset::Gin)
        },
        _ => TrainParams { sizes: vec![1, 3, 8], ..small(Preset::Ein) },
    };
    let params = params.check().unwrap();
    let mut training = Fit::new(&dataset, &split, &params, Some(graph_weights.clone()), &FitOptions::default())
        .and_then(|fit| fit.start(None, None))
        .unwrap();
    training.run().unwrap();
    let trained = training.model(&dataset, &split).unwrap().unwrap();
    std::fs::write(model, trained.to_bytes().unwrap()).unwrap();
    let of_entries = trained.entries.iter().map(|entry| {
        einsicht_train::gradients(&trained, &entry.iterate, &dataset, &split.train, &graph_weights).unwrap()
    });
    println!("{}", serde_json::to_string(&of_entries.collect::<Vec<_>>()).unwrap());
}
