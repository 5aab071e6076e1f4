//! What the strongest subgraphs of an entry do in many graphs: a dot for each graph, and means by count.
//!
//! Promise: values are the Shapley values of the page, over the same graphs, absent ones included. Positions have 64
//! levels, more than a screen shows of a dot; means by count are exact.

use super::packed::letter;
use serde::Serialize;

/// Subgraphs at most, for each quantity.
pub(super) const MOST_PATTERNS: usize = 12;
/// Graphs with a dot at most.
pub(super) const MOST_DOTS: usize = 400;
/// Counts, or ranges of counts, with a mean of their own at most.
const MOST_STEPS: usize = 10;

/// One subgraph in many graphs, for one quantity.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Swarm {
    /// Its index in the entry.
    pub(super) pattern: usize,
    /// The largest size of a value.
    pub(super) scale: f64,
    /// For each graph the level of its value, from -scale to scale.
    pub(super) values: String,
    /// For each graph the count of the subgraph, up to 63.
    pub(super) counts: String,
    /// For each count or range of counts: its ends, the number of graphs, and the mean value.
    pub(super) steps: Vec<(usize, usize, usize, f64)>,
}

impl Swarm {
    /// From the counts and values of all graphs; every `stride`-th has a dot.
    pub(super) fn new(pattern: usize, graphs: &[(usize, f64)], stride: usize) -> Self {
        let scale = graphs.iter().fold(0.0_f64, |most, (_, value)| most.max(value.abs()));
        let level = |value: f64| if scale > 0.0 { ((value / scale + 1.0) * 31.5).round() as usize } else { 32 };
        let dots = || graphs.iter().step_by(stride.max(1));
        Self {
            pattern,
            scale,
            values: dots().map(|(_, value)| letter(level(*value).min(63))).collect(),
            counts: dots().map(|(count, _)| letter((*count).min(63))).collect(),
            steps: steps(graphs),
        }
    }
}

/// Means by count; neighbouring counts of few graphs are joined until there are few steps. Absence stays alone.
fn steps(graphs: &[(usize, f64)]) -> Vec<(usize, usize, usize, f64)> {
    let mut sorted = graphs.to_vec();
    sorted.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut found: Vec<(usize, usize, usize, f64)> = Vec::new();
    for (count, value) in sorted {
        match found.last_mut() {
            Some(last) if last.1 == count => (last.2, last.3) = (last.2 + 1, last.3 + value),
            _ => found.push((count, count, 1, value)),
        }
    }
    while found.len() > MOST_STEPS {
        let first = usize::from(found[0].0 == 0);
        let Some(at) = (first..found.len() - 1).min_by_key(|&at| found[at].2 + found[at + 1].2) else { break };
        let next = found.remove(at + 1);
        let here = &mut found[at];
        *here = (here.0, next.1, here.2 + next.2, here.3 + next.3);
    }
    found.into_iter().map(|(from, to, graphs, sum)| (from, to, graphs, sum / graphs as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_by_count_are_exact_and_few() {
        let graphs: Vec<(usize, f64)> = (0..300).map(|at| (at % 30, (at % 30) as f64 / 10.0 - 1.0)).collect();
        let swarm = Swarm::new(7, &graphs, 3);
        assert_eq!((swarm.values.len(), swarm.counts.len(), swarm.pattern), (100, 100, 7));
        assert_eq!(swarm.steps.len(), MOST_STEPS);
        assert_eq!(swarm.steps.iter().map(|step| step.2).sum::<usize>(), 300);
        assert_eq!((swarm.steps[0].0, swarm.steps[0].1, swarm.steps[0].2), (0, 0, 10));
        let mean: f64 = swarm.steps.iter().map(|step| step.3 * step.2 as f64).sum::<f64>() / 300.0;
        assert!((mean - 0.45).abs() < 1e-9, "{mean}");
        assert_eq!(Swarm::new(0, &[(0, 0.0), (1, 0.0)], 1).scale, 0.0);
    }
}
