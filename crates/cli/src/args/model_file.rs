//! Models as the program meets them: read from a file, and data read the way a model needs them.

use super::Input;
use crate::failure::{Failure, Problem};
use crate::io::file::read_whole;
use crate::io::output::Output;
use einsicht::data::read::{OnBad, OnBadTarget, ReadOptions, TargetChoice, TargetColumns};
use einsicht::model::Unfamiliar;
use einsicht::model::params::Penalty;
use einsicht::{Dataset, Model};
use std::path::Path;

pub(crate) fn load(path: &Path) -> Result<Model, Failure> {
    Model::from_bytes(&read_whole(path)?).map_err(|error| Failure::file(path, error))
}

/// Reads a model that data follow on the command line; says so where the two have been swapped.
pub(crate) fn load_before(path: &Path, data: &Path) -> Result<Model, Failure> {
    load(path).map_err(|failure| {
        if !data.is_file() || load(data).is_err() {
            return failure;
        }
        let place = path.display().to_string();
        Failure::Data(Problem {
            error: format!(
                "{place}: must be a model, but is not, and {} is one: the two arguments seem to be swapped",
                data.display()
            ),
            place: Some(place),
            advice: Some("name the model first, then the data"),
        })
    })
}

/// How to read data for a model where the options leave it open.
pub(crate) fn read_defaults(model: &Model, targets: TargetChoice) -> ReadOptions {
    ReadOptions {
        on_bad: OnBad::Skip,
        targets,
        task: model.task_to_read(),
        on_bad_target: OnBadTarget::Stop,
        ..model.read_options(ReadOptions::default())
    }
}

/// Data with the targets of a model.
pub(crate) struct WithTargets {
    pub(crate) dataset: Dataset,
    /// Positions of the targets that were asked for.
    pub(crate) tasks: Vec<usize>,
    /// The column that stands for the only target of the model, if it has another name.
    pub(crate) column: Option<String>,
}

/// Reads data with the targets of the model, which must be there by name where the format has names.
/// `--target` names another column for a model of a single target, and picks some of several.
pub(crate) fn read_with_targets(model: &Model, input: &Input, output: &Output) -> Result<WithTargets, Failure> {
    let names = target_names(model);
    let (targets, tasks) = match &names[..] {
        [name] => {
            let are_named = if input.is_stdin() { input.names_targets() } else { columns(model, input)?.are_named() };
            (single_target(name, are_named), only_target(input)?)
        }
        names => (TargetChoice::Named(names.to_vec()), tasks_named(model, &input.target)?),
    };
    let dataset = input.read(read_defaults(model, targets), output)?;
    let column = match (&names[..], &dataset.targets[..]) {
        ([name], [target]) if target.name != *name => Some(target.name.clone()),
        _ => None,
    };
    Ok(WithTargets { dataset: renamed(model, dataset)?, tasks, column })
}

/// Reads data with the targets of the model if they are there and fit it, else without any.
pub(crate) fn read_with_or_without_targets(model: &Model, input: &Input, output: &Output) -> Result<Dataset, Failure> {
    if !input.target.is_empty() {
        return read_with_targets(model, input, output).map(|read| read.dataset);
    }
    let columns = columns(model, input)?;
    let names = target_names(model);
    let targets = match &names[..] {
        [name] if columns.has(name) || !columns.are_named() => single_target(name, columns.are_named()),
        names if names.len() > 1 && names.iter().all(|name| columns.has(name)) => TargetChoice::Named(names.to_vec()),
        _ => TargetChoice::Nothing,
    };
    let defaults = ReadOptions { on_bad_target: OnBadTarget::LeaveOut, ..read_defaults(model, targets) };
    renamed(model, input.read(defaults, output)?)
}

/// The tasks of the model that `--target` names; all if it names none. A model with a single task takes any name, since
/// then it names a column of the data.
pub(crate) fn tasks_named(model: &Model, names: &[String]) -> Result<Vec<usize>, Failure> {
    if model.tasks.len() == 1 { Ok(vec![0]) } else { targets_of_model(model, names) }
}

/// The tasks of the model that `--target` names, where it names no column of the data; all if it names none.
pub(crate) fn targets_of_model(model: &Model, names: &[String]) -> Result<Vec<usize>, Failure> {
    /// Names that are listed at most.
    const LISTED: usize = 5;
    if names.is_empty() || names == ["*"] {
        return Ok((0..model.tasks.len()).collect());
    }
    let find = |name: &String| {
        model.tasks.iter().position(|task| task.name == *name).ok_or_else(|| {
            let known: Vec<&str> = model.tasks.iter().take(LISTED).map(|task| task.name.as_str()).collect();
            let rest = model.tasks.len().saturating_sub(LISTED);
            let more = if rest > 0 { format!(" and {rest} more, which `einsicht show` lists") } else { String::new() };
            let known = known.join(", ");
            Failure::usage("--target", format!("--target must be a target of the model ({known}{more}), got {name}"))
        })
    };
    let mut tasks = names.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    tasks.sort_unstable();
    tasks.dedup();
    Ok(tasks)
}

/// The only target of the model: it can be compared with one column.
fn only_target(input: &Input) -> Result<Vec<usize>, Failure> {
    match &input.target[..] {
        [] | [_] => Ok(vec![0]),
        several => {
            let error = format!("--target must be one column: the model has one target, got {}", several.join(", "));
            Err(Failure::usage("--target", error))
        }
    }
}

fn target_names(model: &Model) -> Vec<String> {
    model.tasks.iter().map(|task| task.name.clone()).collect()
}

fn columns(model: &Model, input: &Input) -> Result<TargetColumns, Failure> {
    input.target_columns(read_defaults(model, TargetChoice::Usual))
}

/// The column of this name. Where the format has no names, the usual one, which may be absent.
fn single_target(name: &str, are_named: bool) -> TargetChoice {
    if are_named { TargetChoice::Named(vec![name.to_owned()]) } else { TargetChoice::Usual }
}

/// Gives a single target the name that the model has for it and vertices their qualifiers, and refuses data that the
/// model cannot read.
pub(crate) fn renamed(model: &Model, mut dataset: Dataset) -> Result<Dataset, Failure> {
    if let ([task], [target]) = (&model.tasks[..], &mut dataset.targets[..]) {
        target.name.clone_from(&task.name);
    }
    let source = dataset.source.clone();
    let dataset = model.qualify(dataset).map_err(|error| Failure::file(&source, error))?;
    check(model, &dataset)?;
    Ok(dataset)
}

/// Refuses data that the model cannot read.
pub(crate) fn check(model: &Model, dataset: &Dataset) -> Result<(), Failure> {
    model.check_data(dataset).map_err(|error| Failure::file(&dataset.source, error))
}

/// Warns of graphs whose predictions say little, since the model knows little of them.
pub(crate) fn warn_of_unfamiliar(graphs: usize, unfamiliar: Unfamiliar, output: &Output) {
    for (count, what) in [
        (unfamiliar.unknown_labels, "have labels that do not occur in the training data"),
        (unfamiliar.no_pattern, "contain none of its subgraphs"),
    ] {
        if count > 0 {
            output.say(&format!("warning: {count} of {graphs} graphs {what}"));
        }
    }
}

/// The entry of the path that `--at-size` names, else the chosen one.
pub(crate) fn entry(model: &Model, size: Option<usize>) -> Result<usize, Failure> {
    let Some(size) = size else { return Ok(model.chosen) };
    model.entry_of_size(size).ok_or_else(|| {
        let sizes: Vec<String> = model.entries.iter().map(|entry| entry.size.to_string()).collect();
        let least = model.entries.iter().map(|entry| entry.size).min().unwrap_or(0);
        let wanted = match model.params.penalty {
            Penalty::L0 => format!("one of {}", sizes.join(", ")),
            Penalty::L1 => format!("at least {least}, the fewest subgraphs of an entry"),
        };
        Failure::usage("--at-size", format!("--at-size must be {wanted}, got {size}"))
    })
}
