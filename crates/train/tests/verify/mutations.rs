//! Every field of a model file is changed in turn; `verify` catches it, or it is listed in `docs/verify.md` as not
//! claimed.

use crate::common::{Fixture, Kind};
use einsicht_data::Split;
use einsicht_model::Model;
use einsicht_model::params::TrainParams;
use einsicht_oracle::verify;
use einsicht_testkit::model_bytes::{changed, header, places, plain_tensors, rewritten, with_bytes};
use einsicht_train::fit::{FitOptions, fit_without_effects};
use safetensors::Dtype;

/// What of the file verify does not claim: parameters that change nothing in this training, so that the file stays
/// true.
fn is_not_claimed(place: &str) -> bool {
    place.starts_with("/params/")
}

/// Whether a changed file is refused or found wrong.
fn is_caught(file: &[u8], fixture: &Fixture) -> bool {
    match Model::from_bytes(file) {
        Err(_) => true,
        Ok(model) => verify(&model, &fixture.dataset).map_or(true, |found| !found.verified()),
    }
}

fn uncaught(fixture: &Fixture, split: &Split, params: TrainParams) -> (Vec<String>, usize) {
    let params = params.check().unwrap();
    let model = fit_without_effects(&fixture.dataset, split, &params, &FitOptions::default()).unwrap();
    let found = verify(&model, &fixture.dataset).unwrap();
    assert!(found.verified() && found.repeated);
    let file = model.to_bytes().unwrap();
    let good = header(&file);
    let (mut missed, all) = (Vec::new(), places(&good));
    for place in &all {
        let mut other = good.clone();
        let value = other.pointer_mut(place).unwrap();
        *value = changed(value);
        if !is_caught(&rewritten(&file, &other, None), fixture) {
            missed.push(place.clone());
        }
    }
    for tensor in plain_tensors(&file).iter().filter(|tensor| !tensor.data.is_empty()) {
        let name = &tensor.name;
        let width = if tensor.dtype == Dtype::F64 { 8 } else { tensor.dtype.bitsize() / 8 };
        let numbers = tensor.data.len() / width;
        // The lowest byte of a number: one unit in the last place.
        for number in [0, numbers / 2, numbers - 1] {
            let at = number * width;
            if !is_caught(&with_bytes(&file, &good, name, |bytes| bytes[at] ^= 1), fixture) {
                missed.push(format!("{name}[{number}]"));
            }
        }
    }
    (missed, all.len())
}

#[test]
fn every_change_of_a_file_is_caught_or_not_claimed() {
    let fixture = Fixture::new(2, Kind::TwoClasses);
    let parts = &fixture.parts;
    let whole = Split { train: [&parts.train[..], &parts.valid].concat(), valid: Vec::new(), ..parts.clone() };
    let usual = TrainParams { trees: 2, sizes: vec![1, 2], max_edges: 2, folds: 2, ..TrainParams::default() };
    let network = TrainParams { sizes: vec![1, 2], max_edges: 2, max_iterations: 3, ..TrainParams::ein() };
    for (split, params) in [(&whole, usual), (parts, network)] {
        let (missed, all) = uncaught(&fixture, split, params);
        let claimed: Vec<&String> = missed.iter().filter(|place| !is_not_claimed(place)).collect();
        assert!(claimed.is_empty(), "{claimed:?}");
        assert!(all > 150 && missed.len() < 40, "{all} places, {missed:?}");
    }
}
