//! Options about which graphs are tested together: those of `split`, `cross-validate` and `experiment`.

use super::input::words;
use super::values::at_least_one;
use super::{Input, skipping};
use crate::failure::{Failure, Problem};
use clap::Args;
use einsicht::Dataset;
use einsicht::data::SplitError;
use einsicht::data::read::{ReadOptions, TargetChoice, Task, read};
use einsicht::data::split::{PlannedSplits, Scheme, SplitPlan, column_groups};
use std::collections::BTreeMap;

/// Which graphs stay together, and how often they are split.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Split options")]
pub(crate) struct SchemeOptions {
    /// Which graphs are held out together [default: kfold; group with --group].
    ///
    /// - random: at random
    /// - stratified: at random, with each class, or each part of the range of a number, spread evenly
    /// - kfold: folds, stratified if there is a target
    /// - scaffold: graphs with the same scaffold stay together (for molecules, RDKit's Murcko scaffold)
    /// - group: graphs with the same value in the --group column stay together
    /// - cluster: similar graphs stay together (see --similarity)
    ///
    /// All schemes keep isomorphic graphs together.
    #[arg(long, verbatim_doc_comment, value_name = "SCHEME", value_parser = words::<Scheme>(&Scheme::WORDS))]
    scheme: Option<Scheme>,
    /// Number of repeats, with seeds --seed, --seed + 1, ...
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = at_least_one)]
    repeats: usize,
    /// Column whose values tell which graphs belong together, such as a batch, a series or a patient.
    #[arg(long, value_name = "COLUMN")]
    group: Option<String>,
    /// With --scheme cluster: similarity from which graphs stay together, above 0 and at most 1 [default: 0.8].
    ///
    /// The Tanimoto similarity of the sets of subgraphs with at most three edges. No test graph reaches this similarity
    /// to a training graph.
    #[arg(long, value_name = "T")]
    similarity: Option<f64>,
}

impl SchemeOptions {
    pub(crate) fn first_given(&self) -> Option<&'static str> {
        [
            ("--scheme", self.scheme.is_some()),
            ("--repeats", self.repeats > 1),
            ("--group", self.group.is_some()),
            ("--similarity", self.similarity.is_some()),
        ]
        .into_iter()
        .find_map(|(option, given)| given.then_some(option))
    }

    /// The plan, with the usual folds and fractions.
    pub(crate) fn plan(&self, seed: u64) -> Result<SplitPlan, Failure> {
        let usual = if self.group.is_some() { Scheme::Group } else { Scheme::Kfold };
        let mut plan = SplitPlan { repeats: self.repeats, seed, ..SplitPlan::new(self.scheme.unwrap_or(usual)) };
        let scheme = plan.scheme;
        let needs = |option: &'static str, wanted: Scheme| {
            Failure::usage(option, format!("{option} needs --scheme {wanted}, got --scheme {scheme}"))
        };
        if self.group.is_some() && scheme != Scheme::Group {
            return Err(needs("--group", Scheme::Group));
        }
        if scheme == Scheme::Group && self.group.is_none() {
            let error = "--scheme group needs --group COLUMN, the column whose values say which graphs belong together";
            return Err(Failure::usage("--scheme", error));
        }
        if let Some(similarity) = self.similarity {
            if scheme != Scheme::Cluster {
                return Err(needs("--similarity", Scheme::Cluster));
            }
            plan.similarity = similarity;
        }
        Ok(plan)
    }

    pub(crate) fn fold_plan(&self, folds: usize, seed: u64) -> Result<SplitPlan, Failure> {
        let mut plan = SplitPlan { folds: Some(folds), ..self.plan(seed)? };
        plan.fractions.valid = 0.0;
        plan.check()?;
        Ok(plan)
    }

    /// The splits of a plan; the column of groups is read where there is one.
    pub(crate) fn splits(&self, plan: &SplitPlan, input: &Input, dataset: &Dataset) -> Result<PlannedSplits, Failure> {
        let groups = self.group.as_ref().map(|column| groups_of("--group", column, input, dataset)).transpose()?;
        plan.splits(dataset, groups.as_deref()).map_err(|error| with_advice(error, plan.scheme))
    }
}

/// The group of each graph, from a column of the data.
///
/// `option` is the one that names it.
pub(crate) fn groups_of(option: &str, column: &str, input: &Input, dataset: &Dataset) -> Result<Vec<u32>, Failure> {
    let defaults = ReadOptions { task: Task::Classify, ..skipping(TargetChoice::Nothing) };
    let columns = read(&input.data, &input.with_target(column).options(defaults)).map_err(|error| {
        let place = Some(error.place().to_string());
        Failure::Data(Problem {
            error: error.to_string(),
            place,
            advice: Some(if option == "--group" {
                "--group names the column with the groups"
            } else {
                "--strata is size, scaffold or a column of the data"
            }),
        })
    })?;
    let Some(target) = columns.targets.first() else {
        return Err(Failure::usage(option, format!("{option} {column}: this format has no such column")));
    };
    let groups = column_groups(&columns, target)?;
    // The data set may be a part of the source.
    let by_row: BTreeMap<u32, u32> = columns.origins.iter().map(|origin| origin.row).zip(groups).collect();
    Ok(dataset.origins.iter().map(|origin| by_row.get(&origin.row).copied().unwrap_or_default()).collect())
}

fn with_advice(error: SplitError, scheme: Scheme) -> Failure {
    let advice = match (&error, scheme) {
        (SplitError::FewGroups { .. }, Scheme::Cluster) => "a larger --similarity makes more and smaller clusters",
        (SplitError::FewGroups { .. }, _) => "fewer folds, or another --scheme",
        (SplitError::SmallClass { .. }, _) => "fewer folds, or --scheme random",
        (SplitError::NoStrata, _) => "--target names the column",
        _ => return error.into(),
    };
    Failure::Data(Problem { error: error.to_string(), place: None, advice: Some(advice) })
}
