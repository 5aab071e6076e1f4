//! Rules over groups that label molecules, so that the reason of each label is known.

use super::Group;
use einsicht_data::random::Random;
use einsicht_data::split::seeded::{Fractions, default_split};
use einsicht_data::{Dataset, Split, Target, TargetValues, Vocabulary};

/// A rule: a molecule is of class 1 if the numbers of occurrences of its groups say so.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// What it says, in words.
    pub words: &'static str,
    /// The groups, as [`Group::new`] reads them.
    pub groups: &'static [&'static str],
    /// Whether these numbers of occurrences make class 1.
    pub is_one: fn(&[usize]) -> bool,
    /// Fraction of the labels outside the test set that are wrong.
    pub noise: f64,
}

/// Molecules with labels by a rule, and the reason of each label.
pub struct PlantedSet {
    /// The molecules; classes `0` and `1`.
    pub dataset: Dataset,
    /// Training, validation and test set.
    pub split: Split,
    /// For each molecule of class 1 the vertices of all occurrences of the groups that it contains; else nothing.
    pub reasons: Vec<Vec<usize>>,
}

/// Labels molecules by a rule and takes as many of each class, at most `most` in all; `None` if one class is rarer than
/// one in `most` / 4.
pub fn plant(molecules: &Dataset, rule: &Rule, most: usize, seed: u64) -> Option<PlantedSet> {
    let found: Vec<_> = rule.groups.iter().map(|text| Group::new(text).occurrences(molecules)).collect();
    let class = |row: usize| (rule.is_one)(&found.iter().map(|of| of[row].len()).collect::<Vec<_>>());
    let mut random = Random::new(seed);
    let mut order: Vec<usize> = (0..molecules.len()).collect();
    random.shuffle(&mut order);
    let of =
        |wanted: bool| order.iter().copied().filter(|&row| class(row) == wanted).take(most / 2).collect::<Vec<_>>();
    let (ones, zeros) = (of(true), of(false));
    if ones.len().min(zeros.len()) < most / 4 {
        return None;
    }
    let mut rows = [ones, zeros].concat();
    rows.sort_unstable();
    let vertices = |row: usize| -> Vec<usize> {
        let all = found.iter().flat_map(|of| &of[row]).flat_map(|occurrence| &occurrence.vertices);
        let mut all: Vec<usize> = all.map(|vertex| vertex.index()).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let labels: Vec<bool> = rows.iter().map(|&row| class(row)).collect();
    let reasons =
        rows.iter().zip(&labels).map(|(&row, is_one)| if *is_one { vertices(row) } else { Vec::new() }).collect();
    let mut dataset = molecules.subset(&rows);
    let target = |labels: &[bool]| {
        let values = labels.iter().map(|is_one| Some(u32::from(*is_one))).collect();
        let classes = Vocabulary::from_tokens(["0", "1"]);
        vec![Target { name: "label".to_owned(), values: TargetValues::Classes { classes, values } }]
    };
    dataset.targets = target(&labels);
    let split = default_split(&dataset, Fractions { valid: 0.2, test: 0.2 }, seed).ok()?;
    let mut noisy = labels;
    for &row in split.train.iter().chain(&split.valid) {
        noisy[row] ^= random.unit() < rule.noise;
    }
    dataset.targets = target(&noisy);
    Some(PlantedSet { dataset, split, reasons })
}
