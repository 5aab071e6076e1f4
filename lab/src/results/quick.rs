//! The defaults of `train` on the fixed splits, next to the best peer, trial by trial.

use super::stored::{commands, mean, standard_error, store_beside, stored};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use xtask::program;

/// A set with its options.
struct Set {
    name: &'static str,
    data: &'static str,
    options: &'static [&'static str],
}

const fn tu(name: &'static str, data: &'static str) -> Set {
    Set { name, data, options: &[] }
}

const fn table_of(name: &'static str, data: &'static str, options: &'static [&'static str]) -> Set {
    Set { name, data, options }
}

const SETS: [Set; 16] = [
    tu("BZR", "tu/BZR"),
    tu("COX2", "tu/COX2"),
    tu("DHFR", "tu/DHFR"),
    tu("ENZYMES_1v2", "tu/ENZYMES"),
    tu("ENZYMES", "tu/ENZYMES"),
    tu("PTC_MR", "tu/PTC_MR"),
    tu("MUTAG", "tu/MUTAG"),
    tu("Cycle", "tu/Cycle"),
    tu("Cycle_XOR", "tu/Cycle_XOR"),
    table_of("BACE", "molnet/bace.csv", &["--target", "Class"]),
    table_of("BBBP", "molnet/bbbp.csv", &["--target", "p_np", "--on-bad", "skip"]),
    table_of("SIDER_Reproductive", "molnet/sider.csv", &["--target", "Reproductive system and breast disorders"]),
    table_of("ToxCast_PXRE", "molnet/toxcast.csv.gz", &["--target", "ATG_PXRE_CIS_up"]),
    table_of("ESOL", "molnet/delaney.csv", &["--target", "logp"]),
    table_of("FreeSolv", "molnet/freesolv.csv", &["--target", "freesolv"]),
    table_of("Lipo", "molnet/lipo.csv", &["--target", "lipo"]),
];

/// Runs the defaults on the splits of a set and stores the outcome.
pub(super) fn measure(root: &Path, name: &str) -> Result<(), String> {
    let known: Vec<&str> = SETS.iter().map(|set| set.name).collect();
    let set = SETS.iter().find(|set| set.name == name).ok_or(format!("the set must be one of {}", known.join(", ")))?;
    let data = format!("../shared/data/{}", set.data);
    let splits = format!("../shared/splits/{}.json", set.name);
    let fixed = ["--splits", &splits, "--grid", "quick", "--json", "-q"];
    let shown: Vec<&str> =
        ["einsicht", "experiment", &data].into_iter().chain(set.options.iter().copied()).chain(fixed).collect();
    let program = program::named_or_release(root)?.display().to_string();
    let run: Vec<&str> = [&program[..]].into_iter().chain(shown[1..].iter().copied()).collect();
    store_beside(root, &format!("quick-{}", set.name), &run, &shown, best_peer(root, set.name)?)
}

/// The peer with the best mean on the splits of a set, and its figures, trial by trial; some peers ran on the first
/// five trials only.
fn best_peer(root: &Path, set: &str) -> Result<Value, String> {
    let file = root.join("../shared/splits/peers.json");
    let text = fs::read_to_string(&file).map_err(|e| format!("cannot read {}: {e}", file.display()))?;
    let all: Value = serde_json::from_str(&text).map_err(|e| format!("{} must be JSON: {e}", file.display()))?;
    let numbers =
        |list: &Value| list.as_array().map(|list| list.iter().filter_map(Value::as_f64).collect::<Vec<f64>>());
    let peers = all[set].as_object().ok_or(format!("{} has no peers of {set}", file.display()))?;
    let known: Vec<(&String, Vec<f64>)> = peers
        .iter()
        .filter_map(|(name, list)| Some((name, numbers(list)?)))
        .filter(|(_, list)| !list.is_empty())
        .collect();
    let is_error = IS_ERROR.contains(&set);
    let better = |a: f64, b: f64| if is_error { b.total_cmp(&a) } else { a.total_cmp(&b) };
    let best = known.iter().max_by(|a, b| better(mean(&a.1), mean(&b.1))).ok_or(format!("no peer ran on {set}"))?;
    Ok(json!({ "name": best.0, "trials": best.1 }))
}

/// Sets that a program has made: the peers cannot see their rings.
const SYNTHETIC: [&str; 2] = ["Cycle", "Cycle_XOR"];
/// Sets whose figure is an error: less is better.
const IS_ERROR: [&str; 3] = ["ESOL", "FreeSolv", "Lipo"];
/// Numbers of subgraphs at which the path is shown.
const AT_MOST: [u64; 3] = [10, 25, 50];

/// The table of what is stored; nothing if nothing is.
pub(super) fn table(root: &Path) -> Result<String, String> {
    let (mut rows, mut gains) = (String::new(), Vec::new());
    for set in &SETS {
        let Some(stored) = stored(root, &format!("quick-{}", set.name)) else { continue };
        let row = Row::new(set, &stored).ok_or(format!("lab/results/quick-{}.json is not as expected", set.name))?;
        gains.extend(row.gain().map(|gain| (set.name, gain)));
        rows += &row.text();
    }
    if rows.is_empty() {
        return Ok(rows);
    }
    let real: Vec<f64> = gains.iter().filter(|(set, _)| !SYNTHETIC.contains(set)).map(|(_, gain)| *gain).collect();
    let all: Vec<f64> = gains.iter().map(|(_, gain)| *gain).collect();
    let means = if real.is_empty() {
        String::new()
    } else {
        let (all, real) = (
            format!("{:+.1} points over {} rows", mean(&all), all.len()),
            format!("{:+.1} over the {}", mean(&real), real.len()),
        );
        format!("\nMean difference in accuracy: {all}, {real} of real data.\n")
    };
    Ok(format!(
        "\n## Preset `default` on fixed splits\n\n\
         Accuracy in percent on the test parts, or the root of the mean squared error where numbers are predicted; \
         mean over the\n\
         trials, with the standard error. The defaults were found on splits of our own (`lab/notes/0020`) and frozen \
         before\n\
         these runs, which were made once. Three columns are the largest models of the path with at most so many \
         subgraphs (8, 25 and 50). Peers ran on the same splits (a number of\n\
         trials where it is not ten); forests and support vector machines were fitted on training and validation set, \
         as ours are, graph networks\n\
         on the training set. Of those whose trials are known the one with the best mean is shown, which flatters it \
         (of WL + forest on Cycle and Cycle_XOR\n\
         only the means are known: 52.8 and 75.9). The difference is that of the same trials, positive where ours is \
         better.\n\n{}\
         | set | metric | test | subgraphs | at most 10 | at most 25 | at most 50 | best peer | difference | commit, \
         date |\n\
         | :-- | :-- | --: | --: | --: | --: | --: | :-- | --: | :-- |\n{rows}{means}",
        commands(root, &["quick-BZR"])
    ))
}

/// A row of the table.
struct Row<'a> {
    set: &'a Set,
    metric: &'static str,
    /// 100 for percents, else 1.
    scale: f64,
    values: Vec<f64>,
    subgraphs: f64,
    at_most: Vec<Option<f64>>,
    /// Name, figures and differences of the best peer.
    peer: Option<(String, Vec<f64>, Vec<f64>)>,
    origin: [&'a str; 2],
}

impl<'a> Row<'a> {
    fn new(set: &'a Set, stored: &'a Value) -> Option<Self> {
        let trials = stored["output"]["trials"].as_array()?;
        let has = |metric: &str| trials.iter().all(|trial| trial["test"][metric].is_number());
        let (metric, scale) = if has("accuracy") { ("accuracy", 100.0) } else { ("rmse", 1.0) };
        let values: Option<Vec<f64>> = trials.iter().map(|t| Some(scale * t["test"][metric].as_f64()?)).collect();
        let subgraphs: Option<Vec<f64>> = trials.iter().map(|t| t["patterns"].as_f64()).collect();
        let values = values?;
        let sign = if scale == 1.0 { -1.0 } else { 1.0 };
        let peer = stored["output"]["peer"].as_object().and_then(|peer| {
            let figures: Vec<f64> =
                peer["trials"].as_array()?.iter().filter_map(|v| Some(scale * v.as_f64()?)).collect();
            let differences = values.iter().zip(&figures).map(|(ours, theirs)| sign * (ours - theirs)).collect();
            Some((peer["name"].as_str()?.trim_end_matches(", refitted").to_owned(), figures, differences))
        });
        let at_most = AT_MOST.map(|most| at_most(trials, metric, most).map(|value| scale * value)).to_vec();
        let origin = [stored["commit"].as_str()?, stored["date"].as_str()?];
        Some(Self { set, metric, scale, values, subgraphs: mean(&subgraphs?), at_most, peer, origin })
    }

    /// The mean difference to the best peer in points of accuracy.
    fn gain(&self) -> Option<f64> {
        self.peer.as_ref().filter(|_| self.scale > 1.0).map(|(_, _, differences)| mean(differences))
    }

    fn text(&self) -> String {
        let digits = if self.scale == 1.0 { 3 } else { 1 };
        let with_error = |values: &[f64]| format!("{:.digits$} ({:.digits$})", mean(values), standard_error(values));
        let at_most =
            self.at_most.iter().map(|value| value.map_or("-".to_owned(), |value| format!("{value:.digits$}")));
        let (peer, difference) =
            self.peer.as_ref().map_or(("-".to_owned(), "-".to_owned()), |(name, figures, gains)| {
                let trials = if figures.len() == 10 { String::new() } else { format!(", {} trials", figures.len()) };
                let (gain, error) = (mean(gains), standard_error(gains));
                (format!("{:.digits$} {name}{trials}", mean(figures)), format!("{gain:+.digits$} ({error:.digits$})"))
            });
        format!(
            "| {} | {} | {} | {:.1} | {} | {peer} | {difference} | {}, {} |\n",
            self.set.name,
            self.metric,
            with_error(&self.values),
            self.subgraphs,
            at_most.collect::<Vec<_>>().join(" | "),
            self.origin[0],
            self.origin[1],
        )
    }
}

/// The mean over the trials of the largest model of the path with at most so many subgraphs.
fn at_most(trials: &[Value], metric: &str, most: u64) -> Option<f64> {
    let of_trial = |trial: &Value| {
        let path = trial["path"].as_array()?;
        path.iter().rfind(|point| point["size"].as_u64().is_some_and(|size| size <= most))?["test"][metric].as_f64()
    };
    trials.iter().map(of_trial).collect::<Option<Vec<f64>>>().map(|values| mean(&values))
}
