//! Once folds have chosen, a training grows the forests of the chosen size alone; those of the other sizes are grown
//! when somebody asks for them.
//!
//! The oracle is a training on the same graphs with a test set besides: it needs the predictions of every size, so it
//! grows all of them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::common::{Fixture, Kind};
use einsicht_data::Split;
use einsicht_model::Model;
use einsicht_model::heads::HeadKind;
use einsicht_model::params::TrainParams;
use einsicht_train::fit::{Fit, FitOptions};

/// A model of the first graphs, the rest as a test set or left out; the training ends after so many passes.
fn train(fixture: &Fixture, head: HeadKind, with_test: bool, passes: usize) -> Model {
    let most = fixture.dataset.len() - 10;
    let test = if with_test { (most..fixture.dataset.len()).collect() } else { Vec::new() };
    let split = Split { train: (0..most).collect(), test, ..Split::default() };
    let params = TrainParams { trees: 5, sizes: vec![1, 2, 4], max_edges: 3, folds: 3, head, ..TrainParams::default() };
    let params = params.check().unwrap();
    let fit = Fit::new(&fixture.dataset, &split, &params, None, &FitOptions::default()).unwrap();
    let choice = fit.choose().unwrap();
    let mut training = fit.start(choice, None).unwrap();
    for _ in 0..passes {
        if training.step().unwrap().is_none() {
            break;
        }
    }
    training.finish_early();
    fit.model(&mut training).unwrap().unwrap()
}

#[test]
fn forests_that_are_grown_later_are_those_that_are_grown_in_the_training() {
    for (seed, kind, head) in [
        (0, Kind::TwoClasses, HeadKind::Blend),
        (1, Kind::TwoClasses, HeadKind::Forest),
        (2, Kind::Number, HeadKind::Blend),
    ] {
        let fixture = Fixture::new(seed, kind);
        let [later, at_once] = [false, true].map(|with_test| train(&fixture, head, with_test, usize::MAX));
        assert_eq!(later.chosen, at_once.chosen);
        let fitted: Vec<bool> = later.entries.iter().map(|entry| !entry.train.is_empty()).collect();
        assert_eq!(
            fitted,
            [0, 1, 2].map(|at| at == later.chosen),
            "the training has grown those of the chosen size alone"
        );
        assert!(at_once.entries.iter().all(|entry| !entry.train.is_empty() && !entry.test.is_empty()));
        assert_eq!(later.best().train, at_once.best().train);
        let rows: Vec<usize> = (0..fixture.dataset.len()).collect();
        let loaded = Model::from_bytes(&later.to_bytes().unwrap()).unwrap();
        for (at, (mine, other)) in later.entries.iter().zip(&at_once.entries).enumerate() {
            assert_eq!(mine.head, other.head, "seed {seed}, entry {at}");
            let outputs = [&later, &at_once, &loaded].map(|model| model.predict(at, &fixture.dataset, &rows).outputs);
            assert!(outputs[0] == outputs[1] && outputs[0] == outputs[2], "seed {seed}, entry {at}");
        }
        assert_eq!(later.backgrounds, at_once.backgrounds);
    }
}

#[test]
fn a_training_that_ends_before_the_chosen_size_has_the_forests_of_the_one_that_it_takes_instead() {
    let mut taken = 0;
    for seed in 0..3 {
        let fixture = Fixture::new(seed, Kind::TwoClasses);
        let whole = train(&fixture, HeadKind::Blend, true, usize::MAX);
        let cut = train(&fixture, HeadKind::Blend, false, 2);
        assert!(!cut.complete && cut.entries.len() < whole.entries.len());
        taken += usize::from(whole.chosen >= cut.entries.len());
        assert!(!cut.best().train.is_empty(), "it has predicted its graphs");
        assert_eq!(cut.best().head.is_some(), whole.entries[cut.chosen].head.is_some());
        // A point that was cut short is another model; all before it are the same.
        if cut.chosen + 1 < cut.entries.len() {
            assert_eq!(cut.best().train, whole.entries[cut.chosen].train);
            assert_eq!(cut.best().head, whole.entries[cut.chosen].head);
        }
    }
    assert!(taken > 0, "folds have chosen a size that was not reached");
}
