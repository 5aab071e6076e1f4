//! Options that commands share, with one meaning everywhere: what a user can type, as plain structs, and the data
//! and models that they name.

mod general;
pub(crate) mod grid;
mod input;
pub(crate) mod model_file;
mod read_data;
mod resampling;
pub(crate) mod splitting;
pub(crate) mod training;
pub(crate) mod values;
mod weights;

pub(crate) use general::General;
pub(crate) use input::{Input, for_training, skipping};
pub(crate) use resampling::ResamplingArgs;
pub(crate) use weights::WeightOptions;
