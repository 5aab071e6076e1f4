//! Training many times over: on resamples, and with shuffled targets.

use crate::failure::Failure;
use crate::job::Job;
use crate::keeper::Keeper;
use crate::output::{Output, table};
use crate::progress::Progress;
use clap::Args;
use einsicht::Model;
use einsicht::learn::fit::FitError;
use einsicht::learn::names::Names;
use einsicht::learn::persist::Checkpoint;
use einsicht::learn::resample::{Permutation, Resampler, Stability};
use serde_json::{Value, json};

/// What to repeat.
#[derive(Args, Clone, Debug)]
pub(crate) struct Repeats {
    /// Also train on N resamples of the training graphs: how often each subgraph is chosen, and how sure predictions are.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    bootstrap: Option<usize>,
    /// Also train N times with shuffled targets: the chance that such a result comes from nothing.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    permute: Option<usize>,
}

/// What came of it.
#[derive(Default)]
pub(crate) struct Repeated {
    resamples: usize,
    stability: Vec<Stability>,
    permutation: Option<Permutation>,
}

impl Repeats {
    /// Whether there is nothing to repeat.
    pub(crate) fn is_empty(&self) -> bool {
        self.bootstrap.is_none() && self.permute.is_none()
    }

    /// Trains again as often as asked for; the model, which is already on disk, is written anew with what the
    /// resamples say. What is done is saved with the checkpoint of the job. `None` if there was a reason to stop.
    pub(crate) fn run<'m>(
        &self,
        many: impl FnOnce() -> Result<Resampler<'m>, FitError>,
        model: &mut Model,
        (job, checkpoint): (&Job<'_>, &mut Checkpoint),
        output: &Output,
    ) -> Result<Option<Repeated>, Failure> {
        let mut repeated = Repeated::default();
        if self.is_empty() {
            return Ok(Some(repeated));
        }
        let many = many()?.stopped_by(job.interrupts.flag());
        // From here on the training itself is at its end, and that is worth keeping.
        job.save_or_tell(checkpoint, output);
        if let Some(count) = self.bootstrap {
            let progress = Progress::start(output, "resamples");
            let told = |done| progress.tell(format!("{done} of {count} resamples done"));
            let keeper = Keeper::new(job, checkpoint, |checkpoint| &mut checkpoint.bootstrap, &told, output);
            let members = many.bootstrap(0..count, &keeper)?;
            keeper.save();
            let Some(members) = members else { return Ok(None) };
            repeated.resamples = count;
            repeated.stability = many.stability(members.iter().map(|member| &member.iterate))?;
            many.add_members(model, members)?;
            job.write(model)?;
        }
        if let Some(count) = self.permute {
            let progress = Progress::start(output, "shuffled targets");
            let told = |done| progress.tell(format!("{done} of {count} trainings with shuffled targets done"));
            let keeper = Keeper::new(job, checkpoint, |checkpoint| &mut checkpoint.permute, &told, output);
            repeated.permutation = many.permute(count, (model.metric, model.best()), &keeper)?;
            keeper.save();
            if repeated.permutation.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(repeated))
    }
}

impl Repeated {
    /// For people, after the rest.
    pub(crate) fn text(&self, names: Names<'_>) -> String {
        let mut text = String::new();
        if self.resamples > 0 {
            text += &format!("\n{}", stability_table(names, &self.stability, self.resamples));
        }
        if let Some(found) = &self.permutation {
            text += &format!(
                "\n{} of the {} part {:.4}; p = {:.4} from {} trainings with shuffled targets\n",
                found.metric.name(),
                if found.of_test { "test" } else { "validation" },
                found.observed,
                found.p_value,
                found.shuffled.len()
            );
        }
        text
    }

    /// For scripts.
    pub(crate) fn tell(&self, names: Names<'_>, told: &mut Value) {
        if self.resamples > 0 {
            told["stability"] = self.stability.iter().map(|s| json!(s.named(names))).collect();
        }
        if let Some(found) = &self.permutation {
            told["permutation"] = json!({
                "metric": found.metric.name(),
                "part": if found.of_test { "test" } else { "valid" },
                "observed": found.observed,
                "shuffled": found.shuffled,
                "p_value": found.p_value,
            });
        }
    }
}

/// How often each subgraph was chosen, for people; the most frequent first.
pub(crate) fn stability_table(names: Names<'_>, stability: &[Stability], resamples: usize) -> String {
    const SHOWN: usize = 30;
    let row = |s: &Stability| {
        let frequency = format!("{:.0} %", 100.0 * s.frequency);
        vec![names.draw(&s.code), s.code.num_edges().to_string(), s.support.to_string(), frequency]
    };
    let rows: Vec<Vec<String>> = stability.iter().take(SHOWN).map(row).collect();
    let mut text = table(&["subgraph", "edges", "graphs", "chosen"], &rows, 1);
    if stability.len() > SHOWN {
        text += &format!("and {} more\n", stability.len() - SHOWN);
    }
    text + &format!("{resamples} resamples\n")
}

/// A whole number from 1.
pub(crate) fn at_least_one(text: &str) -> Result<usize, &'static str> {
    text.parse().ok().filter(|n| *n >= 1).ok_or("must be a whole number from 1")
}
