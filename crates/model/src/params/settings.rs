//! Settings: a preset and the parameters that somebody gave. They become parameters in one way, for every face.
//!
//! Promise: what is not given is the default of the preset, and nothing else changes a default; a value outside its
//! range, a name that is no parameter, and a parameter that nothing would read are refused, each with the way out.

use super::kinds::text_of;
use super::needs::lacking;
use super::parameter::Parameter;
use super::preset::Preset;
use super::table::{PARAMETERS, TrainParams};
use super::{CheckedParams, ParamError};
use serde_json::{Map, Value};

/// A preset, where one is given, and values of parameters by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrainSettings {
    preset: Option<Preset>,
    given: Vec<(&'static Parameter, Value)>,
}

impl PartialEq for Parameter {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl TrainSettings {
    /// Settings by name, as JSON; `null` stands for what is not given, `preset` for the preset.
    pub fn from_json(settings: &Map<String, Value>) -> Result<Self, ParamError> {
        let mut all = Self::default();
        for (name, value) in settings.iter().filter(|(_, value)| !value.is_null()) {
            all.set(name, value.clone())?;
        }
        Ok(all)
    }

    /// Sets one parameter, or `preset`. A later value replaces an earlier one.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), ParamError> {
        if name == "preset" {
            self.preset = Some(preset_of(&value)?);
            return Ok(());
        }
        let parameter = Parameter::named(name).ok_or_else(|| ParamError::unknown(name))?;
        if !parameter.row.range.allows(parameter.kind, &value) {
            return Err(ParamError::range(parameter, &value));
        }
        self.given.retain(|(other, _)| *other != parameter);
        self.given.push((parameter, value));
        Ok(())
    }

    /// The preset in force.
    pub fn preset(&self) -> Preset {
        self.preset.unwrap_or_default()
    }

    /// The same with this preset where none is given: a grid may name one.
    #[must_use]
    pub fn or_preset(mut self, preset: Option<Preset>) -> Self {
        self.preset = self.preset.or(preset);
        self
    }

    /// The parameters.
    pub fn params(&self, seed: u64) -> Result<TrainParams, ParamError> {
        let base = TrainParams { seed, ..TrainParams::preset(self.preset()) };
        base.with(self.given.iter().map(|(parameter, value)| (parameter.name, value)))
    }
}

impl TrainParams {
    /// The same with some parameters given anew.
    pub fn with<'v>(&self, given: impl Iterator<Item = (&'v str, &'v Value)> + Clone) -> Result<Self, ParamError> {
        let mut params = self.clone();
        for (name, value) in given.clone() {
            let parameter = Parameter::named(name).ok_or_else(|| ParamError::unknown(name))?;
            let good = parameter.row.range.allows(parameter.kind, value);
            if !good || parameter.set(&mut params, value).is_none() {
                return Err(ParamError::range(parameter, value));
            }
        }
        for parameter in given.filter_map(|(name, _)| Parameter::named(name)) {
            if let Some(need) = lacking(parameter, &params) {
                return Err(ParamError::needs(parameter, need));
            }
        }
        Ok(params)
    }

    /// Checks every row of the table, and what must hold between rows. The preset's defaults pass.
    pub fn check(mut self) -> Result<CheckedParams, ParamError> {
        for parameter in PARAMETERS {
            let value = parameter.value(&self);
            if !parameter.row.range.allows(parameter.kind, &value) {
                return Err(ParamError::range(parameter, &value));
            }
        }
        for parameter in PARAMETERS.iter().filter(|parameter| parameter.row.binding) {
            if let Some(need) = lacking(parameter, &self) {
                return Err(ParamError::Binding {
                    name: parameter.name,
                    value: text_of(&parameter.value(&self)),
                    need,
                });
            }
        }
        self.ignore_what_nothing_reads();
        self.check_sizes()?;
        Ok(CheckedParams(self))
    }

    /// A summary that no head reads must not be computed.
    fn ignore_what_nothing_reads(&mut self) {
        for parameter in PARAMETERS {
            if let Some(off) = parameter.row.off
                && !parameter.is_read(self)
            {
                let off = parameter.kind.parse(off);
                parameter.set(self, &off);
            }
        }
    }

    fn check_sizes(&self) -> Result<(), ParamError> {
        let refuse = |wanted: &str, got: usize| {
            Err(ParamError::Range { name: "sizes", wanted: wanted.to_owned(), got: got.into() })
        };
        let Some(&first) = self.sizes.first().filter(|_| self.penalty == super::Penalty::L0) else { return Ok(()) };
        if first == 0 && !self.reads_vertices() {
            return refuse("from 1 where there is neither a graph network nor a summary", first);
        }
        if first < self.require.len() {
            return refuse("at least the number of required patterns", first);
        }
        Ok(())
    }

    /// Parameters that are read and differ from the defaults of the preset, with their values. The seed is not one of
    /// them.
    pub fn deviations(&self) -> Vec<(&'static Parameter, Value)> {
        let base = Self::preset(self.preset);
        let options = PARAMETERS.iter().filter(|parameter| parameter.is_of_training() && parameter.is_read(self));
        let differing = options.filter(|parameter| parameter.value(self) != parameter.value(&base));
        differing.map(|parameter| (parameter, parameter.value(self))).collect()
    }

    /// Preset and deviations as settings by name, which lead back to these parameters.
    pub fn settings(&self) -> Map<String, Value> {
        let mut settings = Map::from_iter([("preset".to_owned(), Value::from(self.preset.name()))]);
        settings.extend(self.deviations().into_iter().map(|(parameter, value)| (parameter.name.to_owned(), value)));
        settings
    }

    /// Preset and deviations in one line.
    pub fn summary_line(&self) -> String {
        let deviations = self.deviations();
        let defaults = Self::preset(self.preset);
        let one = |(parameter, value): &(&Parameter, Value)| {
            format!("{} {} (default {})", parameter.name, shortened(value), shortened(&parameter.value(&defaults)))
        };
        let listed = deviations.iter().map(one).collect::<Vec<_>>().join(", ");
        let deviations = if listed.is_empty() { "no deviations".to_owned() } else { listed };
        format!("preset {}: {deviations}", self.preset.name())
    }
}

/// A value as people write it; of a long list the ends.
fn shortened(value: &Value) -> String {
    match value.as_array().map(Vec::as_slice) {
        Some([first, second, .., last]) if text_of(value).len() > 20 => {
            format!("{},{},...,{}", text_of(first), text_of(second), text_of(last))
        }
        _ => text_of(value),
    }
}

fn preset_of(value: &Value) -> Result<Preset, ParamError> {
    value.as_str().and_then(Preset::from_name).ok_or_else(|| ParamError::Range {
        name: "preset",
        wanted: format!("one of {}", Preset::ALL.map(Preset::name).join(", ")),
        got: value.clone(),
    })
}
