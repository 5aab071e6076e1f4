"""Experiments and resamples from Python: the results of the program, for any number of workers."""

import json

import joblib
import numpy as np
import pytest
from program import ROOT, SMILES, einsicht

import einsicht as es

MUTAG = ROOT / "testdata/sets/MUTAG"
OPTIONS = {"max_edges": 3, "sizes": (1, 3), "head": "linear"}
WORDS = ["--max-edges", 3, "--sizes", "1,3", "--head", "linear"]
Y = ["alcohol" if "O" in text else "amine" for text in SMILES]


@pytest.fixture(scope="module")
def mutag():
    return es.GraphSet.from_tu(MUTAG)


def splits(count, trials):
    parts = []
    for trial in range(trials):
        rows = np.random.default_rng(trial).permutation(count)
        parts.append((rows[: count // 2], rows[count // 2 : 3 * count // 4], rows[3 * count // 4 :]))
    return parts


def test_weights_of_classes_are_counted_over_the_training_graphs_of_each_split(tmp_path, mutag):
    weighted = es.EINClassifier(**OPTIONS, class_weight="balanced")
    parts = splits(188, 2)
    file = tmp_path / "splits.json"
    trials = [{name: part.tolist() for name, part in zip(("train", "valid", "test"), split)} for split in parts]
    file.write_text(json.dumps({"trials": trials}))
    found = es.experiment(weighted, mutag, mutag.y, file)
    program = einsicht(
        "experiment", MUTAG, "--splits", file, *WORDS, "--class-weight", "balanced", "-o", tmp_path / "results"
    )
    plain = es.experiment(es.EINClassifier(**OPTIONS), mutag, mutag.y, file)
    for trial, (train, valid, _) in enumerate(parts):
        by_hand = es.EINClassifier(**OPTIONS, class_weight="balanced").fit(
            mutag[train], mutag.y[train], eval_set=(mutag[valid], mutag.y[valid])
        )
        shares = [model.predict_proba(mutag) for model in (found.models[trial], by_hand, plain.models[trial])]
        assert np.allclose(shares[0], shares[1]) and (shares[0] != shares[2]).any()
        assert found.models[trial].model_.to_bytes() == (tmp_path / f"results/trial-{trial}.einsicht").read_bytes()
    assert found.mean == program["mean"]
    with pytest.raises(ValueError, match="class_weight needs classes"):
        es.experiment(es.EINRegressor(max_edges=2, sizes=(1,), class_weight="balanced"), SMILES, np.arange(len(SMILES)))


def test_stability_counts_classes_as_they_are_weighted(mutag):
    few = {"max_edges": 2, "sizes": (2,), "head": "linear"}
    light = dict(zip(*np.unique(mutag.y, return_counts=True), strict=True))
    weighted = es.EINClassifier(
        **few, class_weight={name: 100.0 if count == max(light.values()) else 0.01 for name, count in light.items()}
    )
    tables = [
        [(one.text, one.frequency) for one in es.stability(one, mutag, mutag.y, bootstrap=3)]
        for one in (weighted, es.EINClassifier(**few))
    ]
    assert tables[0] != tables[1]


@pytest.mark.parametrize("grid", ["quick", {"max_edges": [2, 3], "ridge": [0.01, 1.0]}])
def test_an_experiment_is_that_of_the_program(tmp_path, mutag, grid):
    file = tmp_path / "splits.json"
    trials = [
        {name: part.tolist() for name, part in zip(("train", "valid", "test"), split)} for split in splits(188, 3)
    ]
    file.write_text(json.dumps({"trials": trials}))
    named = grid
    if isinstance(grid, dict):
        named = tmp_path / "grid.json"
        named.write_text(json.dumps(grid))
    expected = einsicht("experiment", MUTAG, "--splits", file, "--grid", named, *WORDS, "-o", tmp_path / "results")
    found = es.experiment(es.EINClassifier(**OPTIONS), mutag, mutag.y, file, grid=grid)
    for result in expected["trials"]:
        for of_the_run in ("origin", "visited", "passes", "seconds"):
            del result[of_the_run]
    assert found.results == expected["trials"]
    assert (found.mean, found.std) == (expected["mean"], expected["std"])
    for trial, model in enumerate(found.models):
        assert model.model_.to_bytes() == (tmp_path / f"results/trial-{trial}.einsicht").read_bytes()
    assert "mean" in found._repr_html_() and len(found.to_frame()) == 3


def test_workers_change_nothing(mutag):
    estimator, parts = es.EINClassifier(**OPTIONS), splits(188, 3)
    alone = es.experiment(estimator, mutag, mutag.y, parts)
    with joblib.parallel_config(backend="loky"):
        spread = es.experiment(estimator, mutag, mutag.y, parts, n_jobs=2)
        stable = es.stability(estimator, mutag, mutag.y, bootstrap=5, n_jobs=2)
    assert spread.results == alone.results and spread.results[0] != spread.results[1]
    assert not hasattr(estimator, "model_")
    assert (spread.models[2].predict(mutag) == alone.models[2].predict(mutag)).all()
    once = es.stability(estimator, mutag, mutag.y, bootstrap=5)
    assert [(one.text, one.frequency) for one in stable] == [(one.text, one.frequency) for one in once]


def test_folds_are_trained_once_whatever_the_number_of_workers(mutag, monkeypatch):
    from einsicht._training import experiments

    trained, run_folds = [], experiments._run_folds

    def recorded(prepared, resources, numbers, weights):
        trained.extend(numbers)
        return run_folds(prepared, resources, numbers, weights)

    monkeypatch.setattr(experiments, "_run_folds", recorded)
    with joblib.parallel_config(backend="threading"):
        es.stability(es.EINClassifier(**OPTIONS), mutag, mutag.y, bootstrap=3, n_jobs=3)
        assert sorted(trained) == [0, 1, 2, 3, 4]
        trained.clear()
        es.stability(es.EINClassifier(preset="ein", max_edges=2, sizes=(1,)), mutag, mutag.y, bootstrap=3, n_jobs=3)
        assert trained == [], "its validation set chooses"


def test_resamples_choose_as_in_the_program(mutag):
    expected = einsicht("stability", MUTAG, "--bootstrap", 4, *WORDS)["patterns"]
    found = es.stability(es.EINClassifier(**OPTIONS), mutag, mutag.y, bootstrap=4)
    assert [(one.text, one.smarts, one.support, one.frequency) for one in found] == [
        (row["text"], row["smarts"], row["support"], row["frequency"]) for row in expected
    ]
    assert found[0].frequency >= found[-1].frequency and found[0].to_networkx().number_of_edges() == len(found[0].edges)
    assert str(found[0]) in found._repr_html_() and len(found.to_frame()) == len(found)


def test_subgraphs_can_be_excluded_and_required():
    plain = es.EINClassifier(**OPTIONS).fit(SMILES, Y)
    best = plain.patterns_[0]
    assert best.smarts is not None
    without = es.EINClassifier(**OPTIONS, exclude=[best]).fit(SMILES, Y)
    assert str(best) not in [str(pattern) for pattern in without.patterns_]
    required = es.EINClassifier(**{**OPTIONS, "sizes": (3,)}, require=["CCC", best]).fit(SMILES, Y)
    assert {str(best), "C-C-C"} <= {str(pattern) for pattern in required.patterns_}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"exclude": "CCO"}, TypeError, "exclude must be a list of subgraphs, got one str"),
        (
            {"require": ["C.C"]},
            ValueError,
            "require: a subgraph must be connected and have at least one vertex, but number 0",
        ),
        (
            {"require": ["CS"]},
            ValueError,
            "subgraphs to require must have labels and qualifiers of the graphs, but 1 of them have others",
        ),
    ],
)
def test_subgraphs_that_are_none_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        es.EINClassifier(**OPTIONS, **options).fit(SMILES, Y)


def test_splits_that_are_none_are_refused(mutag):
    estimator = es.EINClassifier(**OPTIONS)
    for parts, message in [
        ([([0, 1],)], "split 0 is not"),
        ([([[0, 1]], [2])], "split 0 is not"),
        ([([0], [1], ["x"])], "split 0 is not"),
        ([([0, 1, 2], [3, 4], [500])], "there are 188 graphs, but trial 0 has index 500"),
        ([], "trials must be some of"),
    ]:
        with pytest.raises(ValueError, match=message):
            es.experiment(estimator, mutag, mutag.y, parts)
    with pytest.raises(ValueError, match="hiden is not a parameter"):
        es.experiment(estimator, mutag, mutag.y, splits(188, 1), grid={"hiden": [1]})
    with pytest.raises(ValueError, match="bootstrap must be a whole number from 1"):
        es.stability(estimator, mutag, mutag.y, bootstrap=0)


@pytest.mark.parametrize(
    "options",
    [
        {},
        OPTIONS,
        {"preset": "ein", "penalty": "l1", "lambdas": 3},
        {"preset": "ein", "hidden": 3, "sizes": (2,)},
        {"preset": "paper", "sizes": (1,)},
    ],
)
def test_a_loaded_model_can_be_trained_again(tmp_path, options):
    model = es.EINClassifier(**{"max_edges": 2, **options}, random_state=5).fit(SMILES, Y)
    model.save(tmp_path / "model")
    again = es.EINClassifier.load(tmp_path / "model").fit(SMILES, Y)
    assert again.model_.to_bytes() == model.model_.to_bytes()
