//! Trainings that follow the first one: on bootstrap resamples, and with permuted targets.

use super::run::TrainingRun;
use crate::args::ResamplingArgs;
use crate::cmd::tables::stability_table;
use crate::failure::Failure;
use crate::io::checkpoint::Checkpointer;
use crate::io::output::Output;
use crate::io::progress::Progress;
use einsicht::Model;
use einsicht::learn::fit::FitError;
use einsicht::learn::names::Names;
use einsicht::learn::persist::Checkpoint;
use einsicht::learn::resample::{Permutation, Resampler, Stability};
use serde_json::{Value, json};

/// What the further trainings have shown.
#[derive(Default)]
pub(super) struct ResamplingResult {
    resamples: usize,
    stability: Vec<Stability>,
    permutation: Option<Permutation>,
}

impl ResamplingResult {
    /// Trains again as the options say; the model, which is already on disk, is written anew with its resamples.
    /// Finished trainings are saved with the checkpoint of the run. `None` if there was a reason to stop, wherever that met it.
    pub(super) fn run<'m>(
        args: &ResamplingArgs,
        many: impl FnOnce() -> Result<Resampler<'m>, FitError>,
        model: &mut Model,
        (run, checkpoint): (&TrainingRun<'_>, &mut Checkpoint),
        output: &Output,
    ) -> Result<Option<Self>, Failure> {
        let work = || Self::run_or_unwind(args, many, model, (run, &mut *checkpoint), output);
        let result = run.interrupts.limited(work).unwrap_or(Ok(None))?;
        if result.is_none() {
            run.checkpoint_file.save_or_warn(checkpoint, output);
        }
        Ok(result)
    }

    fn run_or_unwind<'m>(
        args: &ResamplingArgs,
        many: impl FnOnce() -> Result<Resampler<'m>, FitError>,
        model: &mut Model,
        (run, checkpoint): (&TrainingRun<'_>, &mut Checkpoint),
        output: &Output,
    ) -> Result<Option<Self>, Failure> {
        let mut result = Self::default();
        if args.is_empty() {
            return Ok(Some(result));
        }
        let many = many()?;
        // The training itself is complete here: that is worth saving.
        run.checkpoint_file.save_or_warn(checkpoint, output);
        if let Some(count) = args.bootstrap {
            let progress = Progress::start(output, "bootstrap");
            let on_done = |done| progress.update(format!("{done} of {count} resamples done"));
            let saver = Checkpointer::new(run.save_to(output), checkpoint, |saved| &mut saved.bootstrap, &on_done);
            let members = many.bootstrap(0..count, &saver)?;
            saver.save();
            let Some(members) = members else { return Ok(None) };
            result.resamples = count;
            result.stability = many.stability(members.iter().map(|member| &member.iterate))?;
            many.add_members(model, members)?;
            run.write(model)?;
        }
        if let Some(count) = args.permute {
            let progress = Progress::start(output, "permutations");
            let on_done = |done| progress.update(format!("{done} of {count} trainings with permuted targets done"));
            let saver = Checkpointer::new(run.save_to(output), checkpoint, |saved| &mut saved.permute, &on_done);
            result.permutation = many.permute(count, (model.metric, model.best()), &saver)?;
            saver.save();
            if result.permutation.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(result))
    }

    /// Text for people, after the rest.
    pub(super) fn text(&self, names: Names<'_>) -> String {
        let mut text = String::new();
        if self.resamples > 0 {
            text += &format!("\n{}", stability_table(names, &self.stability, self.resamples));
        }
        if let Some(found) = &self.permutation {
            text += &format!(
                "\n{} of the {} set {:.4}; permutation p-value {:.4} from {} trainings\n",
                found.metric.name(),
                if found.of_test { "test" } else { "validation" },
                found.observed,
                found.p_value,
                found.shuffled.len()
            );
        }
        text
    }

    /// Adds the results to a document for scripts.
    pub(super) fn add_to(&self, names: Names<'_>, document: &mut Value) {
        if self.resamples > 0 {
            document["stability"] = self.stability.iter().map(|s| json!(s.named(names))).collect();
        }
        if let Some(found) = &self.permutation {
            document["permutation"] = json!({
                "metric": found.metric.name(),
                "part": if found.of_test { "test" } else { "valid" },
                "observed": found.observed,
                "shuffled": found.shuffled,
                "p_value": found.p_value,
            });
        }
    }
}
