//! What can be said of targets before any split: those from which nothing can be learnt, and classes with a single
//! graph.

use super::TargetError;
use einsicht_data::{Dataset, TargetValues};
use einsicht_graph::Label;
use std::fmt;

/// A class that only one graph has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SingleGraph {
    /// Name of the target.
    pub task: String,
    /// The class.
    pub class: String,
    /// Name of the graph.
    pub graph: String,
}

impl fmt::Display for SingleGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { task, class, graph } = self;
        write!(
            f,
            "class {class} of target {task} has a single graph, {graph}: it is in one set of a split only, so nothing \
             learnt about this class can be checked"
        )
    }
}

/// Refuses targets from which nothing can be learnt under any split: without a value, with one class, with one number.
/// Returns the classes that only one graph has.
pub fn check_targets(dataset: &Dataset) -> Result<Vec<SingleGraph>, TargetError> {
    let mut single = Vec::new();
    for target in &dataset.targets {
        let task = target.name.clone();
        match &target.values {
            TargetValues::Classes { classes, values } => {
                let mut rows: Vec<Vec<usize>> = vec![Vec::new(); classes.len()];
                for (row, class) in values.iter().enumerate().filter_map(|(row, class)| Some((row, (*class)?))) {
                    rows[class as usize].push(row);
                }
                let used: Vec<usize> = (0..classes.len()).filter(|&class| !rows[class].is_empty()).collect();
                let name = |class: usize| classes.token(Label(class as u32)).to_owned();
                match used[..] {
                    [] => return Err(TargetError::AllMissing { task, graphs: dataset.len() }),
                    [class] => return Err(TargetError::OneClass { task, class: name(class) }),
                    _ => {}
                }
                single.extend(used.into_iter().filter(|&class| rows[class].len() == 1).map(|class| SingleGraph {
                    task: task.clone(),
                    class: name(class),
                    graph: dataset.ids[rows[class][0]].clone(),
                }));
            }
            TargetValues::Numbers { values } => {
                let mut known = values.iter().flatten().copied();
                let Some(first) = known.next() else {
                    return Err(TargetError::AllMissing { task, graphs: dataset.len() });
                };
                if known.all(|value| value == first) {
                    let graphs = values.iter().flatten().count();
                    return Err(TargetError::Constant { task, value: first, graphs });
                }
            }
        }
    }
    Ok(single)
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_data::{Origin, Target, Vocabulary};
    use einsicht_graph::Graph;

    fn dataset(values: TargetValues) -> Dataset {
        let len = values.len();
        Dataset {
            graphs: vec![Graph::builder().build(); len],
            ids: (0..len).map(|row| format!("g{row}")).collect(),
            origins: vec![Origin::default(); len],
            targets: vec![Target { name: "y".to_owned(), values }],
            ..Dataset::default()
        }
    }

    #[test]
    fn targets_from_which_nothing_can_be_learnt_are_refused_in_plain_words() {
        let numbers = |values: &[Option<f64>]| dataset(TargetValues::Numbers { values: values.to_vec() });
        let classes = |values: &[Option<u32>]| {
            let classes = Vocabulary::from_tokens(["a", "b", "c"]);
            dataset(TargetValues::Classes { classes, values: values.to_vec() })
        };
        let said = |dataset: &Dataset| check_targets(dataset).unwrap_err().to_string();
        assert_eq!(said(&numbers(&[None, None])), "target y must have values, but all 2 graphs lack one");
        assert_eq!(said(&classes(&[None, None])), "target y must have values, but all 2 graphs lack one");
        let constant = said(&numbers(&[Some(4.5), None, Some(4.5)]));
        assert_eq!(constant, "target y must differ between graphs, but all 2 values are 4.5");
        assert!(said(&classes(&[Some(1), None, Some(1)])).contains("but all graphs are of class b"));
        let single = check_targets(&classes(&[Some(0), Some(2), Some(0)])).unwrap();
        assert_eq!((single.len(), single[0].class.as_str(), single[0].graph.as_str()), (1, "c", "g1"));
        assert_eq!(check_targets(&numbers(&[Some(1.0), Some(2.0)])), Ok(Vec::new()));
    }
}
