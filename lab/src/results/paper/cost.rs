//! Tables 2, 3 and 4: how much of the tree is visited, and how long it takes.

use super::cells::{cell, numbers, origins, table_of_sets};
use super::runs::{command, trials};
use super::sets::{PaperSet, SETS, TABLE_2, TABLE_3, TABLE_4};
use crate::results::stored::mean;
use serde_json::Value;
use std::path::Path;

/// Patterns visited per pass of a path by our own search.
fn visited_per_pass(trial: &Value) -> Option<f64> {
    let path = trial["path"].as_array()?;
    let sum = |key: &str| path.iter().filter_map(|entry| entry[key].as_f64()).sum::<f64>();
    Some(sum("visited") / sum("iterations"))
}

/// A plain number, or a dash without trials.
fn plain(values: &[f64], digits: usize) -> String {
    if values.is_empty() { "-".to_owned() } else { format!("{:.digits$}", mean(values)) }
}

/// Table 2, and what other readings of it give.
pub(super) fn table_2(root: &Path) -> String {
    let patterns = |set: &PaperSet| numbers(&trials(root, "count", set), |t| t["patterns"].as_f64());
    let visited = |set: &PaperSet| numbers(&trials(root, "path", set), visited_per_pass);
    let rate = |set: &PaperSet| {
        let (visited, patterns) = (visited(set), patterns(set));
        if visited.is_empty() || patterns.is_empty() {
            return "-".to_owned();
        }
        format!("{:.4}", 1.0 - mean(&visited) / mean(&patterns))
    };
    let row = |name: &str, of: &dyn Fn(&PaperSet) -> String| (name.to_owned(), SETS.iter().map(of).collect::<Vec<_>>());
    let paper = |of: &dyn Fn(usize) -> String| (0..SETS.len()).map(of).collect::<Vec<_>>();
    let rows = [
        row("visited per pass", &|set| plain(&visited(set), 0)),
        ("visited, paper".to_owned(), paper(&|at| format!("{:.0}", TABLE_2[at].0))),
        row("all subgraphs", &|set| plain(&patterns(set), 0)),
        ("all subgraphs, paper".to_owned(), paper(&|at| format!("{:.0}", TABLE_2[at].1))),
        row("pruning rate", &rate),
        ("pruning rate, paper".to_owned(), paper(&|at| format!("{:.4}", TABLE_2[at].2))),
    ];
    let all = |way: &str| SETS.iter().flat_map(|set| trials(root, way, set)).collect::<Vec<Value>>();
    format!(
        "\n## Table 2: pruning rate\n\n\
         Patterns of at most 9 edges in the training sets, those that our search visits per pass of a path of preset \
         `paper` (at most 9 edges, 30 network steps,\n\
         the number of hidden units that validation chose), and one minus their ratio; means over the trials that \
         there are.\n\n\
         All subgraphs: `{}`, commit {}. Visited: `{}`, commit {}.\n\n{}\n{}",
        command(root, "count"),
        origins(&all("count")),
        command(root, "path"),
        origins(&all("path")),
        table_of_sets("", &rows),
        readings(root).unwrap_or_default(),
    )
}

/// How the visits of passes are averaged: the key in the stored results, and words.
const AVERAGES: [(&str, &str); 4] = [
    ("over_passes", "all passes"),
    ("over_sizes", "sizes, of the mean at each"),
    ("first_pass", "sizes, the first pass at each"),
    ("last_pass", "sizes, the last pass at each"),
];

/// Whose visits: the key, and words.
const RULES: [(&str, &str); 3] =
    [("strict", "Algorithm 2, `UB < zeta`"), ("not_strict", "Algorithm 2, `UB <= zeta`"), ("ours", "our search")];

/// A reading of Table 2.
struct Reading {
    rule: usize,
    average: usize,
    max_step: f64,
    /// Visited patterns per set; none where it was not run.
    visited: Vec<Option<f64>>,
    /// Mean factor between it and the paper, in either direction; 1 is equal.
    factor: f64,
}

impl Reading {
    fn new(root: &Path, rule: usize, average: usize, max_step: f64) -> Self {
        let of_set = |set: &PaperSet| {
            let found = numbers(&trials(root, "traverse", set), |trial| {
                let path = trial["paths"].as_array()?.iter().find(|path| path["max_step"] == max_step)?;
                let visited = path["visited"].as_array()?.iter().find(|visited| visited["rule"] == RULES[rule].0)?;
                visited[AVERAGES[average].0].as_f64()
            });
            (!found.is_empty()).then(|| mean(&found))
        };
        let visited: Vec<Option<f64>> = SETS.iter().map(of_set).collect();
        let logs: Vec<f64> = visited
            .iter()
            .zip(&TABLE_2)
            .filter_map(|(ours, (paper, ..))| Some((ours.as_ref()?.max(1.0) / paper).ln().abs()))
            .collect();
        let factor = if logs.is_empty() { f64::INFINITY } else { mean(&logs).exp() };
        Self { rule, average, max_step, visited, factor }
    }

    fn name(&self) -> String {
        format!("{}, step {}, over {}: {:.1}", RULES[self.rule].1, self.max_step, AVERAGES[self.average].1, self.factor)
    }

    fn cells(&self) -> Vec<String> {
        self.visited.iter().map(|v| v.map_or("-".to_owned(), |v| format!("{v:.0}"))).collect()
    }
}

/// The readings of Table 2: which comes closest to the paper.
fn readings(root: &Path) -> Option<String> {
    let found: Vec<Value> = SETS.iter().flat_map(|set| trials(root, "traverse", set)).collect();
    let steps: Vec<f64> = found.first()?["paths"].as_array()?.iter().filter_map(|p| p["max_step"].as_f64()).collect();
    let mut all: Vec<Reading> = Vec::new();
    for rule in 0..RULES.len() {
        for average in 0..AVERAGES.len() {
            all.extend(steps.iter().map(|&step| Reading::new(root, rule, average, step)));
        }
    }
    let literal: Vec<&Reading> = all.iter().filter(|r| r.rule == 0 && r.average == 0).collect();
    let mut best: Vec<&Reading> = all.iter().collect();
    best.sort_by(|a, b| a.factor.total_cmp(&b.factor));
    let rows = |readings: &[&Reading]| readings.iter().map(|r| (r.name(), r.cells())).collect::<Vec<_>>();
    let paper = ("the paper".to_owned(), TABLE_2.iter().map(|(v, ..)| format!("{v:.0}")).collect());
    let of_trials = match SETS.iter().map(|set| trials(root, "traverse", set).len()).max() {
        None | Some(0 | 1) => "one trial of each set".to_owned(),
        Some(most) => format!("mean of up to {most} trials of each set"),
    };
    Some(format!(
        "The paper prunes more than our preset. What it does not say is `gamma_max`, the largest step of the line \
         search: `--max-step` here, which is\n\
         `gamma_max` times the number of training graphs. The smaller it is, the larger the scores of active subgraphs \
         (`norm(beta) / gamma_max`), the\n\
         earlier everything else is pruned, and the more passes there are. Below, Algorithm 2 line by line (depth \
         first, nothing remembered) on the\n\
         path at each step ({of_trials}), and the five readings that come closest to the paper; the last number of a \
         row's name is\n\
         the mean factor between its visits and the paper's. `{}`, commit {}.\n\n{}\n{}",
        command(root, "traverse"),
        origins(&found),
        table_of_sets("visited patterns", &[std::slice::from_ref(&paper), &rows(&literal)[..]].concat()),
        table_of_sets("closest readings", &[&[paper], &rows(&best[..5.min(best.len())])[..]].concat()),
    ))
}

/// Table 3.
pub(super) fn table_3(root: &Path) -> String {
    let of = |set: &PaperSet, key: &str| {
        let found = trials(root, "path", set);
        match key {
            "all" => plain(&numbers(&found, |t| t["cpu_seconds"].as_f64()), 2),
            part => plain(&numbers(&found, |t| t["parts"][part].as_f64()), 2),
        }
    };
    let row = |name: &str, key: &str| (name.to_owned(), SETS.iter().map(|set| of(set, key)).collect::<Vec<_>>());
    let rows = [
        row("traversal", "search"),
        ("traversal, paper".to_owned(), TABLE_3.iter().map(|(t, _)| t.to_string()).collect()),
        row("all", "all"),
        ("all, paper".to_owned(), TABLE_3.iter().map(|(_, all)| all.to_string()).collect()),
    ];
    format!(
        "\n## Table 3: seconds of a path\n\n\
         The whole of Algorithm 1 for all seven sizes: processor seconds in one thread, mean over the trials that \
         there are, the same runs as in Table 2. Traversal is the\n\
         search. The paper's figures are from its own machine.\n\n{}",
        table_of_sets("seconds", &rows)
    )
}

/// Table 4.
pub(super) fn table_4(root: &Path) -> String {
    let ours = |way: &'static str| {
        let of = |set: &PaperSet| cell(&numbers(&trials(root, way, set), |t| t["cpu_seconds"].as_f64()), 1);
        SETS.iter().map(of).collect::<Vec<_>>()
    };
    let mut rows = vec![
        ("EIN, a path".to_owned(), ours("path")),
        ("EIN, a path, paper".to_owned(), TABLE_3.iter().map(|(_, all)| all.to_string()).collect()),
        ("EIN, the grid".to_owned(), ours("ein")),
        ("EIN + GIN, a path".to_owned(), ours("gin")),
    ];
    for (name, seconds) in TABLE_4.iter().rev() {
        rows.push((format!("{name}, paper"), seconds.iter().map(u32::to_string).collect()));
    }
    format!(
        "\n## Table 4: seconds of all methods\n\n\
         Processor seconds in one thread, mean and standard deviation over the trials of Tables 1 and 3. Graph \
         networks were not timed here.\n\n{}",
        table_of_sets("seconds", &rows)
    )
}
