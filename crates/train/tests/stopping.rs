//! Nothing hangs: training, mining, matching and growing forests look at the flag often enough, wherever they are, and
//! a training that was stopped anywhere continues to the same bytes. Work is counted, no clock is asked.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use einsicht_data::random::Random;
use einsicht_data::{Dataset, Origin, Split, Target, TargetValues, Vocabulary};
use einsicht_graph::matching::{CountSet, PatternSet};
use einsicht_graph::mine::{Counts, MineParams, PatternListBuilder, mine};
use einsicht_graph::stop::{self, MOST_BETWEEN_LOOKS, StopFlag, Stopped};
use einsicht_graph::{Graph, Label, VertexId};
use einsicht_model::Model;
use einsicht_model::params::{CheckedParams, TrainParams};
use einsicht_search::SearchError;
use einsicht_train::fit::{Fit, FitError, FitOptions};
use einsicht_train::{TrainError, TrainState};
use rayon::ThreadPoolBuilder;
use std::sync::Arc;

/// A graph of one label with so many vertices, each joined to the next ones at random: few labels and many edges are
/// the hard case.
fn dense_graph(vertices: u32, random: &mut Random) -> Graph {
    let mut builder = Graph::builder();
    for _ in 0..vertices {
        builder.add_vertex(Label(0)).unwrap();
    }
    for from in 0..vertices {
        for to in from + 1..vertices {
            if to == from + 1 || random.index(3) > 0 {
                builder.add_edge(VertexId(from), VertexId(to), Label(0)).unwrap();
            }
        }
    }
    builder.build()
}

fn dense_set(graphs: u32) -> Dataset {
    let mut random = Random::new(7);
    let graphs: Vec<Graph> = (0..graphs).map(|at| dense_graph(14 + at % 9, &mut random)).collect();
    let values = (0..graphs.len() as u32).map(|at| Some(u32::from(at % 5 > 2))).collect();
    let classes = TargetValues::Classes { classes: Vocabulary::from_tokens(["0", "1"]), values };
    Dataset {
        ids: (0..graphs.len()).map(|at| at.to_string()).collect(),
        origins: (0..graphs.len() as u32).map(|row| Origin { row, line: u64::from(row) + 1 }).collect(),
        vertex_labels: Vocabulary::from_tokens(["0"]),
        edge_labels: Vocabulary::from_tokens(["0"]),
        targets: vec![Target { name: "y".to_owned(), values: classes }],
        graphs,
        ..Dataset::default()
    }
}

/// Runs work on threads that watch a flag.
fn watching<T: Send>(flag: &Arc<StopFlag>, threads: usize, work: impl FnOnce() -> T + Send) -> Result<T, Stopped> {
    let of_thread = Arc::clone(flag);
    let start = move |_| stop::watch(Some(Arc::clone(&of_thread)));
    let pool = ThreadPoolBuilder::new().num_threads(threads).start_handler(start).build().unwrap();
    stop::catch(|| pool.install(work))
}

/// Runs work to its end; it must have looked so often, and never have worked too long in between.
fn assert_looks<T: Send>(name: &str, least: u64, work: impl FnOnce() -> T + Send) -> T {
    let flag = StopFlag::new(&Arc::default());
    let done = watching(&flag, 2, work).expect("nobody stops it");
    #[allow(clippy::print_stderr, reason = "the figures of a run, shown with --nocapture")]
    {
        let (work, looks, longest) = (flag.work(), flag.looks(), flag.longest());
        eprintln!("{name}: {work} units of work, {looks} looks, at most {longest} between two");
    }
    assert!(flag.longest() <= MOST_BETWEEN_LOOKS, "{name}: {} units of work without a look", flag.longest());
    assert!(flag.looks() >= least, "{name}: {} looks", flag.looks());
    done
}

fn params() -> CheckedParams {
    TrainParams { sizes: vec![1, 2, 3], max_edges: 6, folds: 2, trees: 30, ..TrainParams::default() }.check().unwrap()
}

fn split(dataset: &Dataset) -> Split {
    Split { train: (0..dataset.len()).collect(), ..Split::default() }
}

/// The model, or the state in which the training was stopped.
fn trained(
    dataset: &Dataset,
    state: Option<TrainState>,
    flag: Option<&Arc<StopFlag>>,
) -> Result<Model, Box<TrainState>> {
    let (params, split) = (params(), split(dataset));
    let fit = Fit::new(dataset, &split, &params, None, &FitOptions::default()).unwrap();
    let results: Vec<_> = (0..fit.num_folds())
        .map(|fold| fit.run_fold(fold, fit.search().map(|_| search_of(&fit, fold)).unwrap()).unwrap())
        .collect();
    let mut training = fit.start(fit.choice(&results), state).unwrap();
    loop {
        stop::watch(flag.cloned());
        let step = training.step();
        stop::watch(None);
        match step {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(fit.model(&mut training).unwrap().unwrap()),
            Err(TrainError::Search(SearchError::Stopped)) => return Err(Box::new(training.state().clone())),
            Err(error) => panic!("{error}"),
        }
    }
}

fn search_of(fit: &Fit<'_>, fold: usize) -> einsicht_search::BudgetedSearch {
    let rows = fit.fold_split(fold).unwrap().train;
    let graphs = rows.iter().map(|&row| fit.dataset().graphs[row].clone()).collect();
    einsicht_train::fit::search_over(graphs, fit.params().get(), &FitOptions::default()).unwrap()
}

#[test]
fn everything_looks_at_the_flag_before_long() {
    let dataset = dense_set(30);
    let mining = |counts| MineParams { max_edges: 8, min_support: 2, counts, ..MineParams::default() };
    for (name, counts) in [("mining", Counts::Off), ("mining with counts", Counts::Copies)] {
        assert_looks(name, 3, || {
            let mut list = PatternListBuilder::default();
            mine(&dataset.graphs, &mining(counts), &mut list).unwrap().stats.visited
        });
    }
    let model = assert_looks("training", 20, || trained(&dataset, None, stop::watched().as_ref()).unwrap());
    let large: Vec<Graph> = (0..6).map(|at| dense_graph(40 + at, &mut Random::new(3))).collect();
    let large: Vec<Graph> = large.iter().cycle().take(1200).cloned().collect();
    let codes: Vec<_> = model.patterns.iter().map(|pattern| pattern.code.clone()).collect();
    assert_looks("matching", 1, || PatternSet::new(&codes).match_all(&large).len());
    assert_looks("counting", 1, || CountSet::new(&codes, Counts::Copies).count_all(&large).len());
    let rows: Vec<usize> = (0..dataset.len()).collect();
    let read = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    let many = Dataset {
        graphs: rows.iter().cycle().take(4000).map(|&row| dataset.graphs[row].clone()).collect(),
        ..dataset.clone()
    };
    assert_looks("growing a forest again and predicting", 5, || {
        read.predict(0, &many, &(0..4000).collect::<Vec<_>>()).outputs.len()
    });
}

#[test]
fn a_training_that_was_stopped_at_any_look_continues_to_the_same_bytes() {
    let dataset = dense_set(12);
    let flag = StopFlag::new(&Arc::default());
    let whole = trained(&dataset, None, Some(&flag)).unwrap().to_bytes().unwrap();
    let looks = flag.looks();
    assert!(looks > 12, "{looks}");
    let (few, mut stopped) = (einsicht_testkit::cases(6, 40), 0);
    for at in 0..few {
        let flag = StopFlag::set_at_look(1 + at as u64 * looks / few as u64);
        match trained(&dataset, None, Some(&flag)) {
            Ok(_) => {}
            Err(state) => {
                stopped += 1;
                let saved = serde_json::to_string(&state).unwrap();
                let state: TrainState = serde_json::from_str(&saved).unwrap();
                assert!(trained(&dataset, Some(state), None).unwrap().to_bytes().unwrap() == whole, "look {at}");
            }
        }
    }
    assert!(stopped >= few - 1, "{stopped} of {few}");
}

#[test]
fn folds_that_are_stopped_anywhere_say_so() {
    let (dataset, params) = (dense_set(12), params());
    let split = split(&dataset);
    let flag = StopFlag::set_at_look(4);
    let choose = || {
        let fit = Fit::new(&dataset, &split, &params, None, &FitOptions { threads: 2, memory: None })?;
        fit.choose()
    };
    let outcome = watching(&flag, 2, choose);
    assert!(flag.looks() >= 4, "{} looks", flag.looks());
    // Either the folds say it, or nobody was there to catch it.
    let stopped = FitError::Train(TrainError::Search(SearchError::Stopped));
    assert!(outcome.map_or(true, |said| said == Err(stopped)));
}
