//! Options of everything that trains, made from the library's table of parameters, and the settings that they mean.
//!
//! What people change has an option of its own; everything else is `--set name=value`.

use crate::failure::Failure;
use crate::io::interrupt;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use einsicht::memory::{Bytes, usual_budget};
use einsicht::model::params::{Given, Group, Kind, PARAMETERS, Parameter, Preset, Spelling, TrainSettings, text_of};
use serde_json::Value;
use std::ffi::OsStr;
use std::path::PathBuf;

/// Options of training: one for each parameter of the table, and those that are not parameters of the model.
#[derive(Clone, Debug)]
pub(crate) struct TrainOptions {
    /// Texts of the parameters that were given, and the preset.
    given: Vec<(String, String)>,
    pub(crate) files: PatternOptions,
}

/// Options that are no parameters: files of patterns, and memory.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Training options")]
pub(crate) struct PatternOptions {
    /// File of subgraphs that are never chosen, nor any that are equivalent on the training graphs; same formats as for
    /// match.
    #[arg(long, value_name = "PATTERNS")]
    pub(crate) exclude: Option<PathBuf>,
    /// File of subgraphs that every model contains, without a penalty; same formats as for match.
    #[arg(long, value_name = "PATTERNS")]
    pub(crate) require: Option<PathBuf>,
    /// Memory limit of the training, such as 500M or 2G [default: three quarters of the available memory].
    ///
    /// What does not fit is recomputed when needed; this takes time but does not change the result. The limit does not
    /// include the data set itself, about 2 kB per molecule.
    #[arg(long, value_name = "SIZE")]
    memory: Option<Bytes>,
}

impl TrainOptions {
    /// Bytes that training may take, if there is a limit.
    pub(crate) fn memory(&self) -> Option<usize> {
        self.files
            .memory
            .inspect(|Bytes(bytes)| interrupt::guard().limit(*bytes))
            .or_else(usual_budget)
            .map(|Bytes(bytes)| bytes)
    }

    /// The files that are read besides the data.
    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.exclude.iter().chain(&self.files.require)
    }

    /// What was given, as the library takes it.
    pub(crate) fn settings(&self) -> Result<TrainSettings, Failure> {
        let mut settings = TrainSettings::default();
        for (name, text) in &self.given {
            let value = Parameter::named(name)
                .map_or_else(|| Value::from(text.as_str()), |parameter| parameter.kind.parse(text));
            settings.set(name, value)?;
        }
        Ok(settings)
    }
}

const PRESET: &str = "preset";
const SET: &str = "set";

impl Args for TrainOptions {
    fn augment_args(command: Command) -> Command {
        let names = Preset::ALL.map(Preset::name);
        let listed: Vec<String> =
            Preset::ALL.iter().map(|preset| format!("- {}: {}", preset.name(), preset.help())).collect();
        let preset = Arg::new(PRESET)
            .long(PRESET)
            .value_name("PRESET")
            .value_parser(AnyWord(&PRESET_WORDS))
            .help_heading("Training options")
            .help("Set of defaults for the options below [default: default]")
            .long_help(format!(
                "Set of defaults for the options below [default: default]\n\n{}\n\nNo other option changes a default.",
                listed.join("\n")
            ));
        debug_assert_eq!(names, PRESET_WORDS);
        let mut command = PatternOptions::augment_args(command.arg(preset).arg(set_option()));
        for group in Group::ALL {
            let of_group = with_option().filter(|parameter| parameter.row.group == group);
            command = command.args(of_group.map(option));
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for TrainOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = Vec::new();
        let names = [PRESET].into_iter().chain(with_option().map(|parameter| parameter.name));
        for name in names.filter(|name| matches.value_source(name) == Some(ValueSource::CommandLine)) {
            let text = matches.get_one::<String>(name).ok_or_else(|| clap::Error::new(ErrorKind::InvalidValue))?;
            given.push((name.to_owned(), text.clone()));
        }
        for setting in matches.get_many::<String>(SET).into_iter().flatten() {
            given.push(named_value(setting, &given)?);
        }
        Ok(Self { given, files: PatternOptions::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Options of training for a command that has folds of its own: those that choose a model are `--inner-folds`.
#[derive(Clone, Debug)]
pub(crate) struct InnerTrainOptions(pub(crate) TrainOptions);

impl Args for InnerTrainOptions {
    fn augment_args(command: Command) -> Command {
        TrainOptions::augment_args(command).mut_arg("folds", |folds| {
            let help = folds.get_long_help().map(ToString::to_string).unwrap_or_default();
            folds.long("inner-folds").long_help(format!("{help}\n\nThis is --folds of train and stability."))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for InnerTrainOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        TrainOptions::from_arg_matches(matches).map(Self)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// The parameters with an option of their own.
fn with_option() -> impl Iterator<Item = &'static Parameter> {
    PARAMETERS.iter().filter(|parameter| parameter.row.given == Given::Option)
}

/// The option for all other parameters.
fn set_option() -> Arg {
    let names = |group: Group| {
        let of_group = PARAMETERS.iter().filter(|p| p.row.given == Given::Set && p.row.group == group);
        of_group.map(|parameter| parameter.name).collect::<Vec<_>>().join(", ")
    };
    let listed: Vec<String> = Group::ALL.map(|group| format!("- {}: {}", group.title(), names(group))).into();
    let help = "Any other parameter by its name, such as --set patience=10; repeat for several";
    Arg::new(SET)
        .long(SET)
        .value_name("NAME=VALUE")
        .action(ArgAction::Append)
        .value_parser(StringValueParser::new())
        .help_heading("Training options")
        .help(help)
        .long_help(format!("{help}\n\n{}\n\ndocs/parameters.md describes each.", listed.join("\n")))
}

/// The name and the value of `--set`.
fn named_value(setting: &str, given: &[(String, String)]) -> Result<(String, String), clap::Error> {
    let refuse = |what: String| Err(clap::Error::raw(ErrorKind::InvalidValue, format!("--set: {what}\n")));
    let Some((name, value)) = setting.split_once('=') else {
        return refuse(format!("a parameter must have a value, as in patience=10, but there is only \"{setting}\""));
    };
    let name = name.trim().replace('-', "_");
    if given.iter().any(|(known, _)| *known == name) {
        return refuse(format!("{name} must be given once, but is given twice"));
    }
    Ok((name, value.trim().to_owned()))
}

/// One option of the table.
fn option(parameter: &'static Parameter) -> Arg {
    let first = format!("{} [{}]", parameter.help(), suffix(parameter));
    let about = parameter.about();
    let option = Arg::new(parameter.name)
        .long(parameter.name.replace('_', "-"))
        .value_name(parameter.row.placeholder)
        .allow_negative_numbers(true)
        .help_heading(format!("Training options ({})", parameter.row.group.title().to_lowercase()))
        .help(first.clone());
    let option = if about.is_empty() { option } else { option.long_help(format!("{first}\n\n{about}")) };
    match parameter.kind {
        Kind::Choice(words) => option.value_parser(AnyWord(words)),
        // A switch that is off in every preset is a plain flag; =off is for scripts.
        Kind::Switch if Preset::ALL.iter().all(|preset| parameter.default(*preset) == Value::Bool(false)) => option
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("on")
            .value_parser(AnyWord(&["on", "off"])),
        Kind::Switch => option.value_parser(AnyWord(&["on", "off"])),
        Kind::Whole | Kind::Real | Kind::Wholes | Kind::Text => option.value_parser(StringValueParser::new()),
    }
}

/// What the option needs and its defaults, by preset where they differ.
fn suffix(parameter: &Parameter) -> String {
    let mut parts: Vec<String> =
        parameter.row.needs.iter().map(|need| format!("with {}", need.words(Spelling::Option))).collect();
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for preset in Preset::ALL {
        let value = text_of(&parameter.default(preset));
        match groups.iter_mut().find(|(other, _)| *other == value) {
            Some((_, presets)) => presets.push(preset.name()),
            None => groups.push((value, vec![preset.name()])),
        }
    }
    let defaults = match &groups[..] {
        [(value, _)] => value.clone(),
        groups => {
            let first = groups[0].0.clone();
            let rest = groups[1..].iter().map(|(value, presets)| format!("{}: {value}", presets.join(", ")));
            std::iter::once(first).chain(rest).collect::<Vec<_>>().join("; ")
        }
    };
    parts.push(format!("default: {defaults}"));
    parts.join("; ")
}

const PRESET_WORDS: [&str; 4] = ["default", "ein", "gin", "paper"];

/// Lists words in help and completions, and lets every text through: the table refuses wrong ones, in its own form.
#[derive(Clone)]
struct AnyWord(&'static [&'static str]);

impl TypedValueParser for AnyWord {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(PossibleValue::new)))
    }
}
