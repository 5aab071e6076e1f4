//! Nothing hangs here either: reading, effects, explanations and the page look at the flag often enough, and stop
//! wherever it is set.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use einsicht_data::read::{ReadOptions, read};
use einsicht_explain::{Provenance, add_effects};
use einsicht_graph::stop::{self, MOST_BETWEEN_LOOKS, StopFlag, Stopped};
use einsicht_model::params::TrainParams;
use einsicht_report::{ReportOptions, report};
use einsicht_testkit::fixture;
use einsicht_train::fit::{FitOptions, fit_without_effects, usual_split};
use rayon::ThreadPoolBuilder;
use std::sync::Arc;

/// Runs work on threads that watch a flag.
fn watching<T: Send>(flag: &Arc<StopFlag>, work: impl FnOnce() -> T + Send) -> Result<T, Stopped> {
    let of_thread = Arc::clone(flag);
    let start = move |_| stop::watch(Some(Arc::clone(&of_thread)));
    let pool = ThreadPoolBuilder::new().num_threads(2).start_handler(start).build().unwrap();
    stop::catch(|| pool.install(work))
}

#[test]
fn reading_effects_and_the_page_look_at_the_flag_before_long_and_stop() {
    let path = fixture("MUTAG");
    let dataset = read(&path, &ReadOptions::default()).unwrap();
    let mut params = TrainParams { sizes: vec![5], max_edges: 3, folds: 2, trees: 30, ..TrainParams::default() };
    let dataset = params.qualify(dataset).unwrap();
    let params = params.check().unwrap();
    let split = usual_split(&dataset, params.get()).unwrap();
    let model = fit_without_effects(&dataset, &split, &params, &FitOptions::default()).unwrap();
    let provenance = Provenance::of(&model, &dataset);
    let page = || {
        report(&model, &dataset, &provenance, &ReportOptions { max_graphs: 30, ..ReportOptions::default() })
            .unwrap()
            .len()
    };
    let effects = || {
        let mut model = model.clone();
        add_effects(&mut model, &dataset);
        model.effects.is_some() as usize
    };
    let reading = || read(&path, &ReadOptions::default()).unwrap().len();
    let parts: [(&str, &(dyn Fn() -> usize + Sync)); 3] =
        [("page", &page), ("effects", &effects), ("reading", &reading)];
    for (name, work) in parts {
        let flag = StopFlag::new(&Arc::default());
        assert!(watching(&flag, work).expect("nobody stops it") > 0);
        let (looks, longest) = (flag.looks(), flag.longest());
        eprintln!("{name}: {} units of work, {looks} looks, at most {longest} between two", flag.work());
        assert!(longest <= MOST_BETWEEN_LOOKS, "{name}: {longest} units of work without a look");
        assert!(looks >= 2, "{name}: {looks} looks");
        assert_eq!(watching(&StopFlag::set_at_look(looks / 2), work), Err(Stopped), "{name}");
    }
}
