//! Which vertex attributes are the place of an atom in space.
//!
//! Coordinates are no property of a molecule: their means and extremes follow the frame of whoever drew it. Three
//! neighbouring columns are taken for coordinates if nearly all distances along edges look like lengths of bonds, and
//! all three columns vary freely. Promise: depends on the graphs and their attributes alone, not on labels, names or
//! the order of the graphs.

use einsicht_graph::Graph;
use std::collections::BTreeSet;

/// Lengths of bonds in angstrom, with room for hydrogens and heavy atoms.
const LENGTHS: std::ops::RangeInclusive<f64> = 0.7..=2.7;
/// One edge in so many may have another length.
const OUTLIERS: usize = 20;
/// With fewer edges nothing is decided.
const LEAST_EDGES: usize = 16;
/// Each column must have at least so many different values.
const LEAST_VALUES: usize = 8;
/// Each column must spread at least so far around its mean.
const LEAST_DEVIATION: f64 = 0.5;

/// Positions of the columns that are coordinates, increasing; `values` are those of [`super::Attributes`].
pub(super) fn coordinate_columns(graphs: &[Graph], columns: usize, values: &[Box<[f64]>]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut first = 0;
    while first + 3 <= columns {
        if are_coordinates(graphs, columns, values, first) {
            found.extend(first..first + 3);
            first += 3;
        } else {
            first += 1;
        }
    }
    found
}

fn are_coordinates(graphs: &[Graph], columns: usize, values: &[Box<[f64]>], first: usize) -> bool {
    let edges: usize = graphs.iter().map(Graph::num_edges).sum();
    if edges < LEAST_EDGES {
        return false;
    }
    let mut outliers = 0;
    for (graph, values) in graphs.iter().zip(values) {
        let place = |vertex: usize| &values[vertex * columns + first..][..3];
        for edge in graph.edges() {
            let (from, to) = (place(edge.from.index()), place(edge.to.index()));
            let length = from.iter().zip(to).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
            outliers += usize::from(!LENGTHS.contains(&length));
        }
        if OUTLIERS * outliers > edges {
            return false;
        }
    }
    (first..first + 3).all(|column| varies_freely(columns, values, column))
}

fn varies_freely(columns: usize, values: &[Box<[f64]>], column: usize) -> bool {
    let of_column = || values.iter().flat_map(|values| values.iter().skip(column).step_by(columns)).copied();
    let count = of_column().count() as f64;
    let mean = of_column().sum::<f64>() / count;
    let variance = of_column().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
    let mut different = BTreeSet::new();
    let many = of_column().any(|value| different.insert(value.to_bits()) && different.len() >= LEAST_VALUES);
    many && variance.sqrt() >= LEAST_DEVIATION
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use einsicht_graph::{Label, VertexId};

    /// A chain whose vertices have the rows that `row` gives.
    fn chain(len: u32, mut row: impl FnMut(u32) -> Vec<f64>) -> (Graph, Box<[f64]>) {
        let mut builder = Graph::builder();
        for at in 0..len {
            builder.add_vertex(Label(0)).unwrap();
            if at > 0 {
                builder.add_edge(VertexId(at - 1), VertexId(at), Label(0)).unwrap();
            }
        }
        (builder.build(), (0..len).flat_map(&mut row).collect())
    }

    fn found(len: u32, columns: usize, row: impl FnMut(u32) -> Vec<f64>) -> Vec<usize> {
        let (graph, values) = chain(len, row);
        coordinate_columns(&[graph], columns, &[values])
    }

    #[test]
    fn places_in_space_are_recognised_between_other_columns() {
        let mut random = Random::new(3);
        let mut place = [0.0; 3];
        let mut step = move || {
            let direction = [random.normal(), random.normal(), random.normal()];
            let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
            place.iter_mut().zip(direction).for_each(|(x, d)| *x += 1.5 * d / length);
            place
        };
        let row = |at: u32| [vec![f64::from(at % 2)], step().to_vec(), vec![7.5 + f64::from(at)]].concat();
        assert_eq!(found(60, 5, row), [1, 2, 3]);
    }

    #[test]
    fn other_numbers_are_no_places() {
        let mut random = Random::new(5);
        assert!(found(200, 3, |_| vec![random.unit(), random.unit(), random.unit()]).is_empty(), "in a small cube");
        assert!(found(200, 3, |_| vec![9.0 * random.unit(), 9.0 * random.unit(), random.unit()]).is_empty());
        let one_hot = |at: u32| (0..3).map(|column| f64::from(u8::from(at % 3 == column))).collect();
        assert!(found(200, 3, one_hot).is_empty(), "all neighbours are at a distance of 1.41");
        assert!(found(200, 3, |at| vec![1.5 * f64::from(at), 0.0, 0.0]).is_empty(), "a drawing");
        assert!(found(5, 3, |at| vec![f64::from(at), f64::from(at), f64::from(at)]).is_empty(), "too few");
    }
}
