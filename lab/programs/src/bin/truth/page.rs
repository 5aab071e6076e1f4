//! The page of the documentation that shows the figures and one picture for each set.

use super::Judged;
use std::error::Error;
use std::path::Path;

/// Head of the table.
pub(crate) const HEAD: &str = "\
| set | label 1 if | accuracy | subgraphs | groups found | atom AUC | GEA | GIN + occlusion | \
Morgan + forest + TreeSHAP | which |
| :-- | :-- | --: | --: | --: | --: | --: | :-- | :-- | :-- |";

const TOP: &str = "\
# Explanations against the truth

Written by `cargo lab truth --page lab/results/truth.md`; do not edit.

Others colour atoms; here the labels follow a rule, so the atoms that are the reason are known. Everything is trained \
with the defaults, on training and validation part of one split; all
figures are of its test part. *Subgraphs* is the number that the model uses, *groups found* how many groups of the \
rule have a chosen subgraph that occurs in exactly the
same training graphs. *Atom AUC*: area under the curve of the weights of a graph's atoms against the atoms of the \
reason. *GEA*: Jaccard index of the
atoms of the reason and those with more than a tenth of the largest weight. Both are means over at most 120 test \
graphs that have a reason, weights
towards their class; graphs in which only an absence decides have no atoms to colour, and are left out. Figures of \
others are of the same sets: accuracy; atom AUC, GEA. For `n01` the figure is the root mean squared error, and
\"atom AUC\" is the mean cosine of weights and true contributions.

## Sets of others

";

const OWN: &str = "
## Ten rules of our own

Made before the learner was finished, on the molecules of Lipophilicity, and run for this page alone: \
nothing was chosen by them.

";

const PICTURES: &str = "
## What it looks like

One test graph of each set, coloured by its Shapley values: orange raises the output, blue lowers it.

";

/// Writes the page, and its pictures into `figures/truth` beside it.
pub(crate) fn write(file: &Path, [known, own]: [&[Judged]; 2]) -> Result<(), Box<dyn Error>> {
    let table = |all: &[Judged]| {
        let rows: Vec<&str> = all.iter().map(|one| one.row.as_str()).collect();
        format!("{HEAD}\n{}\n", rows.join("\n"))
    };
    let mut text = format!("{TOP}{}{OWN}{}{PICTURES}", table(known), table(own));
    let folder = file.parent().unwrap_or_else(|| Path::new(".")).join("figures/truth");
    std::fs::create_dir_all(&folder)?;
    for one in known.iter().chain(own) {
        if let Some(picture) = &one.picture {
            std::fs::write(folder.join(format!("{}.svg", one.name)), picture)?;
            text += &format!("**{}**: {}\n\n![{}](figures/truth/{}.svg)\n\n", one.name, one.words, one.words, one.name);
        }
    }
    std::fs::write(file, format!("{}\n", text.trim_end()))?;
    Ok(())
}
