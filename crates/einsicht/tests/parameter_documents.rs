//! `docs/parameters.md` and the parameters of the Python estimators are what the table of parameters says.
//!
//! `EINSICHT_UPDATE=1 cargo test -p einsicht` writes both files anew.

use einsicht::model::params::{Group, Kind, PARAMETERS, Parameter, Preset, Range, Spelling, text_of};
use einsicht_testkit::repo_root;
use serde_json::Value;

fn defaults(parameter: &Parameter, write: fn(&Value) -> String) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for preset in Preset::ALL {
        let value = write(&parameter.default(preset));
        match groups.iter_mut().find(|(other, _)| *other == value) {
            Some((_, presets)) => presets.push(preset.name()),
            None => groups.push((value, vec![preset.name()])),
        }
    }
    match &groups[..] {
        [(value, _)] => value.clone(),
        groups => {
            let rest = groups[1..].iter().map(|(value, presets)| format!("{value} ({})", presets.join(", ")));
            std::iter::once(groups[0].0.clone()).chain(rest).collect::<Vec<_>>().join("; ")
        }
    }
}

fn needs(parameter: &Parameter, spelling: Spelling) -> String {
    let one = |need: &einsicht::model::params::Need| format!("Needs {}: {}.", need.words(spelling), need.why);
    parameter.row.needs.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn page() -> String {
    let mut page = String::from(
        "# Parameters of training\n\n\
         On the command line, the usual parameters have options of their own (`--max-edges 8`); set all others with\n\
         `--set` (`--set patience=10`). Python takes keywords (`max_edges=8`); grid files and models use the names\n\
         below. A parameter that would have no effect is refused with a message that says what it needs.\n\n\
         This page is generated from `crates/model/src/params/table.rs`, and a test keeps it up to date\n\
         (`EINSICHT_UPDATE=1` rewrites it).\n\n\
         ## Presets\n\n\
         A preset (`--preset`, `preset=`) sets the defaults of all parameters. Nothing else changes a default.\n\n\
         | preset | what it is |\n| :-- | :-- |\n",
    );
    for preset in Preset::ALL {
        page += &format!("| `{}` | {} |\n", preset.name(), preset.help());
    }
    for group in Group::ALL {
        page += &format!("\n## {}\n", group.title());
        for parameter in PARAMETERS.iter().filter(|parameter| parameter.row.group == group) {
            let symbol = parameter.row.symbol.map_or_else(String::new, |symbol| format!(" (`{symbol}` in the paper)"));
            page += &format!("\n### `{}`{symbol}\n\n{}.", parameter.name, parameter.help());
            let about = parameter.about();
            if !about.is_empty() {
                page += &format!("\n\n{about}");
            }
            let allowed = parameter.allowed();
            page += &format!("\n\n- allowed: {allowed}\n- default: {}\n", defaults(parameter, text_of));
            page += &format!("- program: `{}`\n", Spelling::Option.setting(parameter.name, parameter.row.placeholder));
            if !parameter.row.needs.is_empty() {
                page += &format!("- {}\n", needs(parameter, Spelling::Option));
            }
        }
    }
    page
}

fn python_value(value: &Value) -> String {
    match value {
        Value::Bool(on) => if *on { "True" } else { "False" }.to_owned(),
        Value::String(word) => format!("\"{word}\""),
        Value::Array(list) if list.len() == 1 => format!("({},)", text_of(&list[0])),
        // The page of parameters has long lists in full.
        Value::Array(list) if list.len() > 4 => {
            format!("({}, ..., {})", text_of(&list[0]), text_of(&list[list.len() - 1]))
        }
        Value::Array(list) => format!("({})", list.iter().map(text_of).collect::<Vec<_>>().join(", ")),
        other => text_of(other),
    }
}

fn python_type(parameter: &Parameter) -> String {
    match parameter.kind {
        Kind::Whole if matches!(parameter.row.range, Range::AutoOr(..)) => "int or \"auto\"".to_owned(),
        Kind::Whole => "int".to_owned(),
        Kind::Real => "float".to_owned(),
        Kind::Wholes if matches!(parameter.row.range, Range::AutoOrIncreasing) => {
            "sequence of int or \"auto\"".to_owned()
        }
        Kind::Wholes => "sequence of int".to_owned(),
        Kind::Switch => "bool".to_owned(),
        Kind::Text => "str".to_owned(),
        Kind::Choice(words) => {
            format!("{{{}}}", words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The annotation of a parameter of the table in Python; None is the default of the preset.
fn annotation(parameter: &Parameter) -> String {
    let fixed = match parameter.kind {
        Kind::Whole if matches!(parameter.row.range, Range::AutoOr(..)) => "int | Literal[\"auto\"] | None",
        Kind::Whole if matches!(parameter.row.range, Range::Support) => "float | str | None",
        Kind::Whole => "int | None",
        Kind::Real => "float | None",
        Kind::Wholes if matches!(parameter.row.range, Range::AutoOrIncreasing) => {
            "Sequence[int] | Literal[\"auto\"] | None"
        }
        Kind::Wholes => "Sequence[int] | None",
        Kind::Switch => "bool | None",
        // `qualifiers` may be a list of names, or a path, too.
        Kind::Text => "str | Sequence[str] | PathLike[str] | None",
        // Metrics have their names in scikit-learn too.
        Kind::Choice(_) if parameter.name == "select" => "str | None",
        Kind::Choice(words) => return format!("{} | None", literal(words)),
    };
    fixed.to_owned()
}

fn literal(words: &[&str]) -> String {
    format!("Literal[{}]", words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(", "))
}

/// The same of a parameter that is not in the table, by its type in words.
fn annotation_of(name: &str, kind: &str, default: &str) -> String {
    let or_none = if default == "None" { " | None" } else { "" };
    let words: Vec<&str> = kind.split('"').skip(1).step_by(2).collect();
    let known = match (name, kind) {
        ("random_state", _) => "int | np.random.RandomState".to_owned(),
        ("class_weight", _) => "Literal[\"balanced\"] | Mapping[Any, float]".to_owned(),
        ("memory", _) => "int | str".to_owned(),
        ("exclude" | "require", _) => "Sequence[Any]".to_owned(),
        ("molecule_labels", _) => format!("Sequence[{}]", literal(&words)),
        (_, "int" | "bool") => kind.to_owned(),
        _ => literal(&words),
    };
    format!("{known}{or_none}")
}

/// The allowed values, where the type does not list them.
fn range(parameter: &Parameter) -> String {
    match parameter.kind {
        Kind::Switch | Kind::Choice(_) | Kind::Text => String::new(),
        _ if matches!(parameter.row.range, Range::Support) => {
            format!("Allowed: {}; 0.01 is \"1%\".", parameter.allowed())
        }
        _ => format!("Allowed: {}.", parameter.allowed()),
    }
}

/// Parameters of the estimators that are not in the table: name, default, type, description.
const OTHERS: [(&str, &str, &str, &str); 15] = [
    (
        "edge_labels",
        "None",
        "{\"auto\", \"use\", \"ignore\"}",
        "Lists of graphs: whether edge labels are used. This and the next four parameters say how lists given to \
         `fit` are read; a `GraphSet` is used as it is, and refused if it was read in another way. A fitted model \
         reads lists the way its training graphs were read. None is \"auto\": edge labels are used if there are any.",
    ),
    (
        "hydrogens",
        "None",
        "{\"keep\", \"drop\"}",
        "Lists of graphs: what happens to explicit hydrogens. None drops those of SMILES and keeps those of other \
         graphs.",
    ),
    (
        "molecule_labels",
        "None",
        "list of {\"charge\", \"aromatic\", \"hydrogens\"}",
        "Lists of molecules: what the label of an atom holds besides the element. None is nothing.",
    ),
    (
        "largest_fragment",
        "None",
        "bool",
        "Lists of SMILES: whether to keep only the largest fragment of each molecule, without counter-ions and \
         solvents. None keeps all.",
    ),
    (
        "backend",
        "None",
        "{\"einsicht\", \"rdkit\"}",
        "Lists of SMILES: what reads them. None is \"einsicht\", which gives the same graphs as RDKit, much faster.",
    ),
    (
        "exclude",
        "None",
        "list of Pattern, SMILES, SMARTS or graphs",
        "Subgraphs that are never chosen, nor any that are equivalent on the training graphs.",
    ),
    (
        "require",
        "None",
        "list of Pattern, SMILES, SMARTS or graphs",
        "Subgraphs that every model contains, without a penalty.",
    ),
    (
        "random_state",
        "None",
        "int or RandomState",
        "Seed of the random number generator; the same seed gives the same model, byte for byte. None is 0.",
    ),
    ("threads", "None", "int", "Number of threads; None is one per core. The result is the same for any number."),
    (
        "n_jobs",
        "None",
        "int",
        "The name that scikit-learn has for `threads`; -1 is one per core. If both are given, `threads` counts.",
    ),
    (
        "class_weight",
        "None",
        "\"balanced\" or dict",
        "Weights of the classes, as in scikit-learn: balanced gives all classes the same total weight. They multiply \
         `sample_weight`. For classifiers only.",
    ),
    (
        "memory",
        "None",
        "int or str",
        "Memory limit in bytes or like \"2G\"; None is three quarters of the available memory. What does not fit is \
         evicted and recomputed; this takes time but does not change the result. The limit does not include the data \
         set itself.",
    ),
    (
        "warm_start",
        "False",
        "bool",
        "Continue along a longer path of `sizes` on the same data, instead of starting again.",
    ),
    (
        "on_bad",
        "\"stop\"",
        "{\"stop\", \"skip\", \"nan\"}",
        "What to do with rows of X that cannot be read, None and NaN included. stop: raise an error that names the \
         row; skip: leave them out, of predictions too; nan: `fit` leaves them out, and their predictions are NaN \
         (None for classes), so that rows stay aligned.",
    ),
    ("verbose", "False", "bool", "Show progress."),
];

/// Text in lines of at most 120 characters.
fn wrapped(text: &str, indent: &str) -> String {
    let mut lines = vec![indent.to_owned()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("one line at least");
        if last.len() + word.len() >= 120 {
            lines.push(format!("{indent}{word}"));
        } else {
            if last.len() > indent.len() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

fn python() -> String {
    let options: Vec<&Parameter> = PARAMETERS.iter().filter(|parameter| parameter.is_of_training()).collect();
    let presets = Preset::ALL.map(|preset| format!("\"{}\"", preset.name())).join(", ");
    let mut docs = format!("    preset : {{{presets}}}, default \"default\"\n");
    let listed = Preset::ALL.map(|preset| format!("{}: {}", preset.name(), preset.help())).join("; ");
    docs += &wrapped(&format!("Set of defaults for all other parameters. {listed}."), "        ");
    for parameter in &options {
        let (kind, default) = (python_type(parameter), defaults(parameter, python_value));
        docs += &format!("    {} : {kind}, default {default}\n", parameter.name);
        let text = [
            format!("{}.", parameter.help()),
            parameter.about(),
            range(parameter),
            needs(parameter, Spelling::Keyword),
        ];
        docs += &wrapped(&text.join(" "), "        ");
    }
    for (name, default, kind, about) in OTHERS {
        docs += &format!("    {name} : {kind}, default {default}\n{}", wrapped(about, "        "));
    }
    let names = || {
        let of_table = options.iter().map(|parameter| (parameter.name, annotation(parameter), "None"));
        of_table
            .chain(OTHERS.iter().map(|(name, default, kind, _)| (*name, annotation_of(name, kind, default), *default)))
    };
    let signature: String =
        names().map(|(name, kind, default)| format!("        {name}: {kind} = {default},\n")).collect();
    let body: String = names().map(|(name, ..)| format!("        self.{name} = {name}\n")).collect();
    let preset = format!("preset: {}", literal(&Preset::ALL.map(Preset::name)));
    let fields: String = names().map(|(name, kind, _)| format!("    {name}: {kind}\n")).collect();
    format!(
        "\"\"\"Parameters of the estimators, written from the table in crates/model/src/params/table.rs: do not \
         edit.\n\n\
         `EINSICHT_UPDATE=1 cargo test -p einsicht` writes this file anew; ranges and defaults live in \
         Rust.\n\"\"\"\n\n\
         from __future__ import annotations\n\nfrom collections.abc import Mapping, Sequence\nfrom os import PathLike\n\
         from typing import Any, Literal, TypedDict\n\nimport numpy as np\nfrom sklearn.base import BaseEstimator\n\n\n\
         class TrainOptions(TypedDict, total=False):\n    \"\"\"The parameters by name, for type \
         checkers.\"\"\"\n\n    {preset}\n{fields}\n\n\
         class TrainParameters(BaseEstimator):\n    \"\"\"Parameters\n    ----------\n    None stands for the default \
         of the preset.\n\n{docs}    \"\"\"\n\n\
         \x20   def __init__(\n        self,\n        *,\n        {preset} = \"default\",\n\
         {signature}    ) -> None:\n        self.preset = preset\n{body}"
    )
}

fn compare(file: &str, text: &str) {
    let path = repo_root().join(file);
    if std::env::var_os("EINSICHT_UPDATE").is_some() {
        std::fs::write(&path, text).expect("the document can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == text, "{file} differs from the table of parameters: EINSICHT_UPDATE=1 cargo test -p einsicht");
}

#[test]
fn the_page_of_parameters_equals_the_table() {
    compare("docs/parameters.md", &page());
}

#[test]
fn the_parameters_of_the_estimators_equal_the_table() {
    compare("python/einsicht/_parameters.py", &python());
}
