//! Molecules labelled by a rule, trained with the defaults: the groups of the rule are found, with no more subgraphs
//! than it has groups and one, and the weights of atoms show the atoms that are the reason. All sets: `cargo lab
//! truth`.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use einsicht_data::read::{ReadOptions, read};
use einsicht_explain::{
    AttributionMethod, AttributionRequest, Over, Scale, ShapleyBaseline, ShapleyOptions, Subject, add_effects,
    attributions, spread,
};
use einsicht_model::Model;
use einsicht_model::params::TrainParams;
use einsicht_testkit::fixture;
use einsicht_testkit::truth::{PlantedSet, Rule, atom_auc, explanation_accuracy, plant};
use einsicht_train::fit::{FitOptions, fit_without_effects};

const BENZENE: &str = "C1:C:C:C:C:C:1";

/// The defaults on a short path, with few trees.
fn trained(planted: PlantedSet, sizes: &[usize]) -> (Model, PlantedSet) {
    let mut params = TrainParams { sizes: sizes.to_vec(), trees: 20, ..TrainParams::default() };
    let dataset = params.qualify(planted.dataset).unwrap();
    let options = FitOptions::default();
    let mut model = fit_without_effects(&dataset, &planted.split, &params.check().unwrap(), &options).unwrap();
    add_effects(&mut model, &dataset);
    (model, PlantedSet { dataset, ..planted })
}

/// Mean atom AUC and GEA of the test molecules with a reason.
fn judged(model: &Model, planted: &PlantedSet) -> [f64; 2] {
    let PlantedSet { dataset, split, reasons } = planted;
    let rows: Vec<usize> = split.test.iter().copied().filter(|&row| !reasons[row].is_empty()).collect();
    let subject = Subject { model, entry: model.chosen, dataset };
    let method =
        AttributionMethod::Shapley { baseline: ShapleyBaseline::Background, options: ShapleyOptions::default() };
    let found = attributions(&AttributionRequest { subject, rows: &rows, scale: Scale::of(model), method });
    let (mut aucs, mut geas) = (Vec::new(), Vec::new());
    for (at, &row) in rows.iter().enumerate() {
        let values: Vec<f64> = (0..found.names.len()).map(|f| found.value(&found.graphs[at], f, 0)).collect();
        let weights = spread(&subject, row, &values, Over::Class).vertices;
        let is_reason: Vec<bool> = (0..weights.len()).map(|vertex| reasons[row].contains(&vertex)).collect();
        aucs.extend(atom_auc(&weights, &is_reason));
        geas.extend(explanation_accuracy(&weights, &is_reason));
    }
    [aucs, geas].map(|list| list.iter().sum::<f64>() / list.len() as f64)
}

#[test]
fn rules_are_found_with_few_subgraphs_and_shown_on_their_atoms() {
    let molecules = read(&fixture("esol_400.smi"), &ReadOptions::default()).unwrap();
    let no_chloride = |n: &[usize]| n[0] > 0 && n[1] == 0;
    let rules = [
        Rule { name: "a", words: "benzene", groups: &[BENZENE], is_one: |n| n[0] > 0, noise: 0.0 },
        Rule { name: "b", words: "carbonyl", groups: &["C=O"], is_one: |n| n[0] > 0, noise: 0.0 },
        Rule { name: "c", words: "benzene, no chloride", groups: &[BENZENE, "C-Cl"], is_one: no_chloride, noise: 0.0 },
    ];
    for rule in rules {
        let (model, planted) =
            trained(plant(&molecules, &rule, 300, 1).expect("enough of both classes"), &[1, 2, 3, 5]);
        let best = model.best();
        let (found, most) = (best.iterate.patterns.len(), rule.groups.len() + 1);
        assert!(found <= most, "{}: {found} subgraphs", rule.words);
        assert!(best.test["accuracy"] >= 0.98, "{}: {:?}", rule.words, best.test);
        let [auc, gea] = judged(&model, &planted);
        assert!(auc >= 0.98 && gea >= 0.95, "{}: atom AUC {auc}, GEA {gea}", rule.words);
    }
}

#[test]
fn two_groups_that_exclude_each_other_are_named_as_such() {
    let molecules = read(&fixture("esol_400.smi"), &ReadOptions::default()).unwrap();
    let is_one = |n: &[usize]| (n[0] > 0) != (n[1] > 0);
    let rule = Rule { name: "x", words: "either", groups: &[BENZENE, "C=O"], is_one, noise: 0.0 };
    let (model, _) = trained(plant(&molecules, &rule, 400, 2).expect("enough of both classes"), &[1, 2, 3]);
    assert!(model.best().test["accuracy"] >= 0.97, "{:?}", model.best().test);
    assert_eq!(model.entries[1].iterate.pairs.len(), 1);
    assert!(model.entries[1].test["accuracy"] >= 0.97, "two subgraphs are enough: {:?}", model.entries[1].test);
    let effects = model.effects.as_ref().unwrap();
    let words: Vec<String> = effects.pairs.iter().map(|pair| pair.in_words(0, ["A", "B"])).collect();
    assert_eq!(words, ["either A or B, but not both"]);
    let cells = effects.pairs[0].graphs;
    assert_eq!(cells.iter().sum::<usize>(), effects.sampled);
}
