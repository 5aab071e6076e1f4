//! One trial of an experiment: all points of the grid on one split.
//!
//! Promise: a trial that was stopped or killed and is resumed writes the bytes of one that was left alone. Its result is
//! written last, and what was saved goes away after that.

use super::saved::Saved;
use crate::failure::{Failure, Problem};
use crate::file::{discard, read_whole, write_whole};
use crate::grid::Point;
use crate::interrupt::Interrupts;
use crate::model::draw;
use crate::output::Output;
use crate::pace::Pace;
use einsicht::data::Split;
use einsicht::graph::mine::MineError;
use einsicht::learn::feature::Feature;
use einsicht::learn::fit::{FitError, FitOptions, Training, Workshop};
use einsicht::learn::model::SourceRows;
use einsicht::learn::persist::Origin;
use einsicht::learn::search::SearchError;
use einsicht::learn::train::{TrainData, TrainError, choose};
use einsicht::{Dataset, Model};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What all trials share.
pub(super) struct Lab<'a> {
    pub(super) dataset: &'a Dataset,
    /// Of the data set.
    pub(super) fingerprint: String,
    pub(super) points: &'a [Point],
    pub(super) folder: Option<&'a Path>,
    pub(super) resume: bool,
    pub(super) threads: usize,
    /// Trials at the same time.
    pub(super) at_once: usize,
    /// Bytes for all of them.
    pub(super) memory: Option<usize>,
    pub(super) interrupts: &'a Interrupts,
    pub(super) output: &'a Output,
}

/// Where a trial is written.
struct Files {
    result: PathBuf,
    model: PathBuf,
    partial: PathBuf,
}

impl Lab<'_> {
    /// Trains all points on one split; `None` if there was a reason to stop.
    pub(super) fn trial(&self, trial: usize, split: &Split) -> Result<Option<Value>, Failure> {
        let origin = self.origin(split);
        let files = self.folder.map(|folder| {
            let place = |ending: &str| folder.join(format!("trial-{trial}.{ending}"));
            Files { result: place("json"), model: place("einsicht"), partial: place("partial") }
        });
        if let Some(files) = files.as_ref().filter(|files| self.resume && files.result.exists()) {
            let found = earlier(&files.result, &origin)?;
            discard(&files.partial);
            return Ok(Some(found));
        }
        let mut saved = Saved::start(origin);
        if let Some(files) = files.as_ref().filter(|files| self.resume && files.partial.exists()) {
            saved = Saved::read(&files.partial, &saved.origin)?;
            self.output.say(&format!("trial {trial} goes on after pass {}", saved.all_passes()));
        }
        let partial = files.as_ref().map(|files| files.partial.as_path());
        if !self.all_points(split, &mut saved, partial)? {
            return Ok(None);
        }
        let model = saved.best.ok_or(FitError::NoModel)?;
        let best = model.best();
        let result = json!({
            "trial": trial,
            "point": self.points[saved.best_point].sets,
            "size": best.size,
            "lambda": best.lambda,
            "patterns": best.iterate.patterns.len(),
            "subgraphs": best.iterate.patterns.iter().map(|p| draw(&model, &p.code)).collect::<Vec<_>>(),
            "valid": best.valid,
            "test": best.test,
            "points": saved.points,
            "origin": saved.origin,
        });
        if let Some(files) = files {
            let bytes = model.to_bytes().map_err(|error| Failure::file(&files.model, error))?;
            write_whole(&files.model, &bytes)?;
            write_whole(&files.result, format!("{result:#}\n").as_bytes())?;
            discard(&files.partial);
        }
        Ok(Some(result))
    }

    /// Trains the points that are left; whether all are done.
    fn all_points(&self, split: &Split, saved: &mut Saved, partial: Option<&Path>) -> Result<bool, Failure> {
        let mut workshop: Option<((usize, usize, Feature), Workshop)> = None;
        let mut data = TrainData::new(self.dataset, split, None).map_err(FitError::from)?;
        for point in self.points {
            data = data.for_params(point.params.get(), self.dataset, split).map_err(FitError::from)?;
        }
        let data = Arc::new(data);
        let mut pace = Pace::start();
        while let Some(point) = self.points.get(saved.points.len()) {
            let params = point.params.get();
            let wanted = (params.max_edges, params.min_support, params.feature);
            let memory = self.memory.map(|bytes| bytes / self.at_once);
            let options = FitOptions { threads: self.threads, memory };
            // Points with the same patterns share the tree that the first one has grown.
            let shop = match workshop.take() {
                Some((has, shop)) if has == wanted => shop,
                _ => Workshop::new(self.dataset, split, params, &options).map_err(|error| self.refused(error))?,
            };
            let mut training = shop.start(&point.params, Arc::clone(&data), saved.state.take())?;
            if !self.finish(&mut training, saved, &mut pace, partial)? {
                return Ok(false);
            }
            let model = training.model(self.dataset, split)?.ok_or(FitError::NoModel)?;
            saved.take(model, point);
            workshop = Some((wanted, Workshop::from_training(training)));
        }
        Ok(true)
    }

    /// A budget that is too small, told for all trials that share it.
    fn refused(&self, error: MineError) -> FitError {
        FitError::from(match (error, self.memory) {
            (MineError::BudgetTooSmall { smallest, .. }, Some(got)) => {
                MineError::BudgetTooSmall { smallest: self.at_once * smallest, got }
            }
            (error, _) => error,
        })
    }

    /// Trains to the end, saving on the way; whether it came there.
    fn finish(
        &self,
        training: &mut Training,
        saved: &mut Saved,
        pace: &mut Pace,
        partial: Option<&Path>,
    ) -> Result<bool, Failure> {
        training.search_mut().stop_on(self.interrupts.flag());
        loop {
            match training.step() {
                Ok(None) => return Ok(true),
                Ok(Some(_)) => self.interrupts.passed(),
                Err(TrainError::Search(SearchError::Stopped)) => {}
                Err(error) => return Err(error.into()),
            }
            let stop = self.interrupts.why().is_some();
            if let Some(partial) = partial.filter(|_| stop || pace.is_due()) {
                saved.state = Some(training.state().clone());
                if let Err(Failure::Data(Problem { error, .. })) = saved.write(partial) {
                    self.output.say(&format!("warning: {error}; the experiment goes on"));
                }
            }
            if stop {
                return Ok(false);
            }
        }
    }

    fn origin(&self, split: &Split) -> Origin {
        Origin {
            fingerprint: self.fingerprint.clone(),
            rows: SourceRows::of(self.dataset, split),
            params: self.points.iter().map(|point| point.params.get().clone()).collect(),
        }
    }
}

impl Saved {
    /// A point is finished: its model stays if it is better than all before it.
    fn take(&mut self, model: Model, point: &Point) {
        let entry = model.best();
        let passes: usize = model.entries.iter().map(|entry| entry.iterations).sum();
        self.passes += passes;
        self.points.push(json!({
            "point": point.sets,
            "iterations": passes,
            "size": entry.size,
            "patterns": entry.iterate.patterns.len(),
            "valid": entry.valid,
            "test": entry.test,
        }));
        self.state = None;
        // Of equal ones the first stays, so this is the choice among all of them.
        let metric = *self.metric.get_or_insert(model.metric);
        let pair = |best: &Model| [best.best().clone(), entry.clone()];
        if self.best.as_ref().is_none_or(|best| choose(&pair(best), metric) == Some(1)) {
            self.best_point = self.points.len() - 1;
            self.best = Some(model);
        }
    }
}

/// The result of a trial that an earlier run has finished, if it is for the same.
fn earlier(path: &Path, origin: &Origin) -> Result<Value, Failure> {
    let refuse = |error: &dyn std::fmt::Display| Failure::file(path, error);
    let found: Value = serde_json::from_slice(&read_whole(path)?).map_err(|e| refuse(&e))?;
    let of: Origin = serde_json::from_value(found["origin"].clone()).map_err(|e| refuse(&e))?;
    of.check(origin).map_err(|e| refuse(&e))?;
    Ok(found)
}
