//! Graphs that occur more than once, and targets that contradict themselves on them.
//!
//! Promise: two graphs are in one group exactly if they have the same hash (see [`Dataset::row_hashes`]): isomorphic,
//! with the same labels and features. No model can distinguish them, so at most one of two different values can be
//! predicted right. Graphs without vertices do not count.

use super::{Dataset, TargetValues};
use std::collections::BTreeMap;

/// Groups of isomorphic graphs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Duplicates {
    /// Positions of the graphs of each group, at least two, increasing; groups by their first graph.
    pub groups: Vec<Vec<usize>>,
    /// For each target with any, the numbers of the groups whose graphs have different values.
    pub conflicts: Vec<(String, Vec<usize>)>,
}

impl Duplicates {
    /// The duplicates of a data set.
    pub fn of(dataset: &Dataset) -> Self {
        let rows: Vec<usize> = (0..dataset.len()).filter(|&at| dataset.graphs[at].num_vertices() > 0).collect();
        let mut by_hash: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (hash, &row) in dataset.row_hashes(&rows).into_iter().zip(&rows) {
            by_hash.entry(hash).or_default().push(row);
        }
        let mut groups: Vec<Vec<usize>> = by_hash.into_values().filter(|group| group.len() > 1).collect();
        groups.sort_unstable();
        let conflicting = |values: &TargetValues| -> Vec<usize> {
            (0..groups.len()).filter(|&group| differ(values, &groups[group])).collect()
        };
        let found = dataset.targets.iter().map(|target| (target.name.clone(), conflicting(&target.values)));
        let conflicts = found.filter(|(_, groups)| !groups.is_empty()).collect();
        Self { groups, conflicts }
    }

    /// Number of graphs in all groups.
    pub fn graphs(&self) -> usize {
        self.groups.iter().map(Vec::len).sum()
    }
}

/// Whether two graphs of a group have different values.
fn differ(values: &TargetValues, group: &[usize]) -> bool {
    fn several<T: PartialEq + Copy>(values: &[Option<T>], group: &[usize]) -> bool {
        let mut known = group.iter().filter_map(|&at| values[at]);
        known.next().is_some_and(|first| known.any(|other| other != first))
    }
    match values {
        TargetValues::Classes { values, .. } => several(values, group),
        TargetValues::Numbers { values } => several(values, group),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Target;
    use crate::read::{ReadOptions, read_smiles};

    #[test]
    fn molecules_written_in_two_ways_are_found_and_so_are_different_values() {
        let smiles = ["OCC", "CC", "CCO", "C[C@H](N)O", "C[C@@H](N)O", "CC"].map(str::to_owned);
        let mut dataset = read_smiles(&smiles, &ReadOptions::default()).unwrap();
        let numbers = |values: [Option<f64>; 6]| TargetValues::Numbers { values: values.to_vec() };
        dataset.targets = vec![
            Target { name: "a".into(), values: numbers([Some(1.0), Some(2.0), Some(1.0), Some(3.0), Some(4.0), None]) },
            Target { name: "b".into(), values: numbers([None; 6]) },
        ];
        let found = Duplicates::of(&dataset);
        assert_eq!(found.groups, [vec![0, 2], vec![1, 5], vec![3, 4]]);
        assert_eq!((found.graphs(), found.conflicts), (6, vec![("a".to_owned(), vec![2])]));
    }
}
