//! Sections of the page from one stored measurement each: many targets, rings, numbers of patterns, times.

use crate::bench;
use serde_json::Value;

/// One model for many targets.
pub(super) fn tasks(stored: &Value) -> Option<String> {
    let mut text = format!(
        "\n## One model for many targets\n\n\
         Area under the curve of each target on the test part (seeded split, seed 0), one model of at most 100 \
         subgraphs for\n\
         all targets of a set. Commit {}, {}, `{}`.\n",
        stored["commit"].as_str()?,
        stored["date"].as_str()?,
        stored["command"].as_str()?
    );
    for set in stored["output"]["sets"].as_array()? {
        text += &format!(
            "\n{}: mean {:.3} over {} targets, {} subgraphs, {:.0} s.\n\n| target | AUC |\n| :-- | --: |\n",
            set["set"].as_str()?,
            set["mean_auc"].as_f64()?,
            set["tasks"].as_array()?.len(),
            set["patterns"],
            set["seconds"].as_f64()?
        );
        for task in set["tasks"].as_array()? {
            let auc = task["auc"].as_f64().map_or("-".to_owned(), |auc| format!("{auc:.3}"));
            text += &format!("| {} | {auc} |\n", task["task"].as_str()?);
        }
    }
    Some(text)
}

/// The rings that the models of Cycle_XOR hold.
pub(super) fn rings(stored: &Value) -> Option<String> {
    let trials = stored["output"]["trials"].as_array()?;
    let with = |key: &str| trials.iter().filter(|trial| trial[key] == true).count();
    Some(format!(
        "\n## The rings of Cycle_XOR\n\n\
         Of the chosen models of the {} fixed splits, {} hold the 8-ring and {} the 9-ring; mean test accuracy {:.1} \
         %.\n\
         Commit {}, {}, `{}`.\n",
        trials.len(),
        with("ring_of_8"),
        with("ring_of_9"),
        100.0 * trials.iter().filter_map(|trial| trial["accuracy"].as_f64()).sum::<f64>() / trials.len() as f64,
        stored["commit"].as_str()?,
        stored["date"].as_str()?,
        stored["command"].as_str()?
    ))
}

/// Times of the shipped program.
pub(super) fn times(stored: &Value) -> Option<String> {
    Some(format!(
        "\n## Times\n\n\
         Processor seconds, the smallest of {} rounds, and as multiples of the first line; \"elapsed\" depends on how \
         busy the\n\
         machine was. `train` is the paper's method on trial 0, the whole path: at most 9 edges, 6 hidden units, 30 \
         network steps,\n\
         sizes 1 to 100. Commit {}, {}, `{}`.\n\n{}",
        stored["output"]["runs"],
        stored["commit"].as_str()?,
        stored["date"].as_str()?,
        stored["command"].as_str()?,
        bench::table(&bench::lines(&stored["output"])?),
    ))
}

/// Numbers of patterns in the paper's table of pruning rates.
const PAPER_PATTERNS: [(&str, u32, f64); 7] = [
    ("BZR", 112_319, 0.9837),
    ("COX2", 76_418, 0.9774),
    ("DHFR", 108_486, 0.9910),
    ("ENZYMES_1v2", 1_157_661, 0.9916),
    ("PTC_MR", 61_111, 0.9980),
    ("Cycle", 31_828, 0.9983),
    ("Cycle_XOR", 39_883, 0.9977),
];

/// Numbers of patterns and pruning rates.
pub(super) fn patterns(stored: &Value) -> Option<String> {
    let mut text = format!(
        "\n## Numbers of patterns and pruning rates\n\n\
         Patterns of at most 9 edges in the training parts (mean over the trials), patterns looked at in a pass (mean \
         over the\n\
         path of trial 0, pattern by pattern as in the paper), the share that was not. Commit {}, {}, `{}`.\n\n\
         | set | trials | patterns | paper | plain listing | looked at a pass | pruned | paper | memory |\n\
         | :-- | --: | --: | --: | --: | --: | --: | --: | --: |\n",
        stored["commit"].as_str()?,
        stored["date"].as_str()?,
        stored["command"].as_str()?,
    );
    for set in stored["output"]["sets"].as_array()? {
        let name = set["set"].as_str()?;
        let (_, paper, rate) = PAPER_PATTERNS.iter().find(|row| row.0 == name)?;
        let plain = set["patterns_by_plain_listing"].as_f64().map_or("-".to_owned(), |n| format!("{n:.1}"));
        text += &format!(
            "| {name} | {} | {:.1} | {paper} | {plain} | {:.0} | {:.4} | {rate} | {:.0} MB |\n",
            set["trials"],
            set["patterns"].as_f64()?,
            set["visited_a_pass"].as_f64()?,
            set["pruning_rate"].as_f64()?,
            set["search_megabytes"].as_f64()?,
        );
    }
    Some(text)
}
