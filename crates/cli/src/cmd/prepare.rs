//! What trainings are given: the plan that the options mean, its graphs, and what people should know of both.
//!
//! The library does the rest ([`Plan::prepare`]).

use crate::args::training::TrainOptions;
use crate::args::{Input, for_training, grid};
use crate::failure::{Failure, Problem};
use crate::io::output::{Output, counted};
use crate::io::pattern_file::PatternFile;
use einsicht::data::{Target, TargetValues};
use einsicht::model::task::SingleGraph;
use einsicht::train::grid::Grid;
use einsicht::{Dataset, Note, Plan, PlanError, Prepared, PreparedGrid, Source, SplitChoice, TrainParams};
use std::path::PathBuf;

/// What is to be trained on this input, whatever its split. It has the input as its source until that is read here,
/// where people see progress and warnings ([`read`], `Plan::on`).
fn plan_of_any_split(options: &TrainOptions, input: &Input, seed: u64) -> Result<Plan, Failure> {
    refuse_part(input)?;
    let patterns = |file: &Option<PathBuf>| match file {
        Some(path) => PatternFile::read(path).map(|file| file.patterns),
        None => Ok(Vec::new()),
    };
    Ok(Plan {
        settings: options.settings()?,
        seed,
        exclude: patterns(&options.files.exclude)?,
        require: patterns(&options.files.require)?,
        ..Plan::of(Source::File(input.data.clone(), input.options(for_training())))
    })
}

/// What is to be trained on this input.
pub(super) fn plan(options: &TrainOptions, input: &Input, seed: u64) -> Result<Plan, Failure> {
    let trial = input.trial()?;
    let split = input.splits.clone().map_or(SplitChoice::Usual, |file| SplitChoice::File(file, trial));
    Ok(plan_of_any_split(options, input, seed)?.split(split))
}

/// Reads the graphs of a plan and gets everything ready; says what is odd about them.
pub(super) fn prepare(plan: Plan, input: &Input, output: &Output) -> Result<Prepared, Failure> {
    plan.check(&Grid::single())?; // wrong parameters are reported before the data are read
    let params = plan.settings.params(plan.seed)?;
    let raw = read(input, output)?;
    // Only graphs as they were read still have the coordinates.
    say_coordinates(&params, &raw, output);
    let prepared = plan.on(raw).prepare()?;
    say_notes(&prepared.notes, output);
    Ok(prepared)
}

/// What all trials of an experiment share.
pub(super) struct TrialInputs {
    /// The data as they are read.
    pub(super) raw: Dataset,
    pub(super) prepared: PreparedGrid,
}

/// The same for every point of a grid.
pub(super) fn prepare_trials(
    input: &Input,
    grid_name: &str,
    options: &TrainOptions,
    seed: u64,
    output: &Output,
) -> Result<TrialInputs, Failure> {
    let grid = grid::read(grid_name)?;
    let of_grid = |error| match error {
        PlanError::Grid(error) => Failure::usage("--grid", format!("{grid_name}: {error}")),
        error => error.into(),
    };
    let plan = plan_of_any_split(options, input, seed)?;
    plan.check(&grid).map_err(of_grid)?;
    let raw = read(input, output)?;
    let prepared = plan.on(raw.clone()).prepare_grid(&grid).map_err(of_grid)?;
    if let Some(point) = prepared.points.first() {
        say_coordinates(point.params.get(), &raw, output);
    }
    say_notes(&prepared.notes, output);
    Ok(TrialInputs { raw, prepared })
}

/// A training uses the sets of the split by their names: there is nothing to pick.
pub(super) fn refuse_part(input: &Input) -> Result<(), Failure> {
    let error = "--part needs a command that uses one set: predict, evaluate, explain, mine; training uses all sets \
        of the split";
    if input.part().is_some() { Err(Failure::usage("--part", error)) } else { Ok(()) }
}

/// Reads data to train on; if they have no target because nobody chose among several columns, these are listed.
fn read(input: &Input, output: &Output) -> Result<Dataset, Failure> {
    const LISTED: usize = 20;
    let dataset = input.read(for_training(), output)?;
    if !dataset.targets.is_empty() {
        say_missing(&dataset, output);
        return Ok(dataset);
    }
    let columns = input.target_columns(for_training())?;
    let is_free =
        |column: &&str| columns.are_named() && !dataset.features.iter().any(|feature| feature.name == *column);
    let columns: Vec<&str> = columns.all().into_iter().filter(is_free).collect();
    if columns.is_empty() {
        return Ok(dataset);
    }
    let listed: Vec<String> = columns.iter().take(LISTED).map(|column| format!("\"{column}\"")).collect();
    let rest = columns.len().saturating_sub(LISTED);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    let place = input.data.display().to_string();
    Err(Failure::Data(Problem {
        error: format!(
            "{place}: training needs a target, but none of the columns was chosen: {}{more}",
            listed.join(", ")
        ),
        place: Some(place),
        advice: Some("--target names the column to predict; --target '*' takes all columns"),
    }))
}

/// Says how many values of the targets are missing.
fn say_missing(dataset: &Dataset, output: &Output) {
    let missing = |target: &Target| match &target.values {
        TargetValues::Classes { values, .. } => values.iter().filter(|value| value.is_none()).count(),
        TargetValues::Numbers { values } => values.iter().filter(|value| value.is_none()).count(),
    };
    let (all, targets) = (dataset.len(), dataset.targets.len());
    match (dataset.targets.iter().map(missing).sum::<usize>(), &dataset.targets[..]) {
        (0, _) => {}
        (1, [one]) => output.say(&format!("1 of {all} graphs has no value of target {}: it is left out", one.name)),
        (lack, [one]) => {
            output.say(&format!("{lack} of {all} graphs have no value of target {}: they are left out", one.name));
        }
        (lack, _) => output
            .say(&format!("{lack} of {} values of {targets} targets are missing: they are left out", all * targets)),
    }
}

/// Says what is odd and hinders nothing.
fn say_notes(notes: &[Note], output: &Output) {
    let single = notes.iter().filter_map(|note| if let Note::Single(single) = note { Some(single) } else { None });
    say_single(&single.collect::<Vec<_>>(), output);
    for note in notes {
        if let Note::UnknownExcluded(count) = note {
            output.say(&format!("--exclude: {} with labels that the data do not have", counted(*count, "subgraph")));
        }
    }
}

/// Warns of classes that only one graph has: of many of them once, since then they are no classes.
fn say_single(all: &[&SingleGraph], output: &Output) {
    const SAID: usize = 3;
    match all {
        [first, .., _] if all.len() > SAID => {
            let SingleGraph { task, class, .. } = first;
            let count = all.len();
            let numbers = if all.iter().all(|single| single.class.parse::<f64>().is_ok()) {
                "; --task regress takes numbers as numbers"
            } else {
                ""
            };
            output.say(&format!(
                "warning: {count} classes have a single graph each, such as class {class} of target {task}: nothing \
                 learnt about them \
                 can be checked{numbers}"
            ));
        }
        few => few.iter().for_each(|single| output.say(&format!("warning: {single}"))),
    }
}

/// Says that attributes are left out, if the model would read them.
fn say_coordinates(params: &TrainParams, dataset: &Dataset, output: &Output) {
    let columns = dataset.attributes.as_ref().map_or(&[][..], |attributes| &attributes.coordinates);
    if params.reads_attributes() && !columns.is_empty() {
        let numbers: Vec<String> = columns.iter().map(|column| (column + 1).to_string()).collect();
        output.say(&format!(
            "vertex attributes {} are left out: they look like atom coordinates, which are not a property of the \
             molecule; --coordinates keep reads them",
            numbers.join(", ")
        ));
    }
}
