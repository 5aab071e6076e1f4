//! Finite differences, a case by hand, and threads.

use super::*;
use crate::side::Encoder;
use einsicht_data::{Attributes, Dataset, Vocabulary};
use einsicht_graph::{Graph, Label};

/// Two graphs with two vertex labels, two edge labels and two attributes.
fn dataset() -> Dataset {
    let graph = |labels: &[u32], edges: &[(u32, u32, u32)]| {
        let mut builder = Graph::builder();
        let vertices: Vec<_> = labels.iter().map(|&label| builder.add_vertex(Label(label)).unwrap()).collect();
        for &(from, to, label) in edges {
            builder.add_edge(vertices[from as usize], vertices[to as usize], Label(label)).unwrap();
        }
        builder.build()
    };
    let graphs =
        vec![graph(&[0, 1, 0, 1], &[(0, 1, 0), (1, 2, 1), (2, 3, 0), (0, 2, 0)]), graph(&[1, 1], &[(0, 1, 1)])];
    let mut random = Random::new(3);
    let mut numbers = |len: usize| (0..len).map(|_| random.normal()).collect::<Box<[f64]>>();
    Dataset {
        ids: vec!["a".into(), "b".into()],
        attributes: Some(Attributes::new(2, vec![numbers(8), numbers(4)])),
        graphs,
        vertex_labels: Vocabulary::from_tokens(["C", "N"]),
        edge_labels: Vocabulary::from_tokens(["1", "2"]),
        ..Dataset::default()
    }
}

fn inputs(dataset: &Dataset) -> Vec<GraphInput> {
    let encoder = Encoder::new(dataset, &[0, 1]);
    encoder.encode(dataset, &[0, 1], &dataset.vertex_labels, &dataset.edge_labels)
}

/// A loss with a simple gradient: half the sum of squares of the rows.
fn half_squares(gin: &Gin, parameters: &[f64], graphs: &[GraphInput]) -> f64 {
    gin.rows(parameters, graphs).iter().fold(0.0, |sum, y| sum + 0.5 * y * y)
}

#[test]
fn gradients_agree_with_finite_differences_in_every_shape() {
    let graphs = inputs(&dataset());
    let mut shapes = 0;
    for (relations, normalization) in [(1, Normalization::None), (2, Normalization::Layer)] {
        for (pooling, readout) in [(Pooling::Sum, Readout::Last), (Pooling::Mean, Readout::All)] {
            for rounds in [1, 3] {
                let gin =
                    Gin { labels: 2, attributes: 2, relations, rounds, units: 5, pooling, readout, normalization };
                let mut random = Random::new(shapes);
                let mut parameters = gin.random_parameters(&mut random);
                assert_eq!(parameters.len(), gin.num_parameters());
                // Away from the start, where all factors of a normalization are 1 and all offsets 0.
                for parameter in &mut parameters {
                    *parameter += 0.1 * random.normal();
                }
                parameters[0] = 0.3;
                let gradients = gin.rows(&parameters, &graphs);
                assert!(gradients.iter().any(|s| *s != 0.0));
                let gradient = gin.gradient(&parameters, &graphs, &gradients);
                assert!(gradient[0] != 0.0, "epsilon is learnt");
                for at in 0..parameters.len() {
                    let kept = parameters[at];
                    parameters[at] = kept + 1e-6;
                    let above = half_squares(&gin, &parameters, &graphs);
                    parameters[at] = kept - 1e-6;
                    let below = half_squares(&gin, &parameters, &graphs);
                    parameters[at] = kept;
                    let difference = (above - below) / 2e-6;
                    assert!((difference - gradient[at]).abs() < 1e-6 * (1.0 + difference.abs()), "{gin:?} {at}");
                }
                shapes += 1;
            }
        }
    }
    assert_eq!(shapes, 8);
}

#[test]
fn one_round_on_an_edge_is_what_one_computes_by_hand() {
    let dataset = Dataset { attributes: None, ..dataset() };
    let encoder = Encoder::new(&dataset, &[0]);
    let graphs = encoder.encode(&dataset, &[1], &dataset.vertex_labels, &dataset.edge_labels);
    let (pooling, readout) = (Pooling::Sum, Readout::Last);
    let gin = Gin {
        labels: 2,
        attributes: 0,
        relations: 1,
        rounds: 1,
        units: 1,
        pooling,
        readout,
        normalization: Normalization::None,
    };
    // Both vertices are N: 1.5 of its own plus 1 of its neighbour, times 4, plus 1; then times 2, plus -3.
    let parameters = [0.5, 7.0, 4.0, 1.0, 2.0, -3.0];
    assert_eq!(gin.rows(&parameters, &graphs), [2.0 * ((2.5 * 4.0 + 1.0) * 2.0 - 3.0)]);
}

#[test]
fn layer_normalization_gives_each_vertex_mean_0_and_variance_1() {
    let graphs = inputs(&dataset());
    let (pooling, readout, normalization) = (Pooling::Mean, Readout::Last, Normalization::Layer);
    let gin = Gin { labels: 2, attributes: 2, relations: 1, rounds: 1, units: 7, pooling, readout, normalization };
    let parameters = gin.random_parameters(&mut Random::new(4));
    let plain = Gin { normalization: Normalization::None, ..gin.clone() };
    assert_eq!(parameters.len(), plain.num_parameters() + 2 * 2 * 7);
    let (mut trace, mut row) = (Trace::default(), vec![0.0; 7]);
    gin.forward(&parameters, &graphs[0], &mut trace, &mut row);
    // Factors are 1 and offsets 0: what is kept for the way back is what ReLU reads.
    let [first, _] = &trace.norms[0];
    let mut middle = first.standard().to_vec();
    for row in middle.chunks_exact(7) {
        let mean = row.iter().sum::<f64>() / 7.0;
        let variance = row.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / 7.0;
        assert!(mean.abs() < 1e-12 && (variance - 1.0).abs() < 0.01, "{row:?}");
    }
    relu(&mut middle);
    assert_eq!(middle, trace.middle[0]);
    assert!(row.iter().any(|value| *value > 0.0));
}

#[test]
fn a_label_that_the_model_has_never_seen_is_a_row_of_zeros() {
    let dataset = dataset();
    let encoder = Encoder::new(&dataset, &[0, 1]);
    let known = Vocabulary::from_tokens(["N", "O"]);
    let graphs = encoder.encode(&dataset, &[0], &known, &dataset.edge_labels);
    let mut features = Vec::new();
    graphs[0].features(2, 2, &mut features);
    let labels: Vec<&[f64]> = features.chunks_exact(4).map(|row| &row[..2]).collect();
    assert_eq!(labels, [[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]);
    let mean = |column: usize| {
        let all = inputs(&dataset);
        let values: Vec<f64> = all
            .iter()
            .flat_map(|graph| {
                let mut features = Vec::new();
                graph.features(2, 2, &mut features);
                features.chunks_exact(4).map(|row| row[column]).collect::<Vec<f64>>()
            })
            .collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    assert!(mean(2).abs() < 1e-12 && mean(3).abs() < 1e-12);
}

#[test]
fn data_without_the_attributes_of_the_model_are_refused() {
    let mut dataset = dataset();
    let encoder = Encoder::new(&dataset, &[0, 1]);
    dataset.attributes = None;
    let error = encoder.check(&dataset).unwrap_err().to_string();
    assert_eq!(error, "the model reads 2 attributes of each vertex, but the data set has 0");
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let two = inputs(&dataset());
    let graphs: Vec<GraphInput> = (0..23).map(|at| two[at % 2].clone()).collect();
    let (pooling, readout) = (Pooling::Sum, Readout::All);
    let gin = Gin {
        labels: 2,
        attributes: 2,
        relations: 1,
        rounds: 2,
        units: 9,
        pooling,
        readout,
        normalization: Normalization::Layer,
    };
    let parameters = gin.random_parameters(&mut Random::new(1));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let gradients = gin.rows(&parameters, &graphs);
            (gin.gradient(&parameters, &graphs, &gradients), gradients)
        })
    };
    assert_eq!(run(1), run(3));
}
