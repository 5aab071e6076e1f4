"""What an estimator says about graphs that its model has not seen: the estimate, and out-of-fold predictions of the
training graphs.
"""

import json
import pickle

import numpy as np
import pytest
from program import ROOT, SMILES, einsicht
from sklearn.metrics import log_loss

import einsicht as es

QUICK = {"max_edges": 2, "sizes": (1, 2), "head": "linear", "threads": 1}
Y = np.array(["alcohol" if "O" in text else "amine" for text in SMILES])


@pytest.fixture(scope="module")
def mutag():
    return es.GraphSet.from_tu(ROOT / "testdata/sets/MUTAG")


@pytest.fixture(scope="module")
def model(mutag):
    return es.EINClassifier(max_edges=3, sizes=(1, 3)).fit(mutag, mutag.y)


def test_the_estimate_has_intervals_graphs_and_folds(tmp_path, mutag, model):
    estimate = model.estimate_
    assert (estimate.graphs, estimate.folds) == (188, 5)
    assert {"accuracy", "auc", "loss"} <= set(estimate)
    for value, low, high in estimate.values():
        assert low <= value <= high
    assert 0 <= estimate["accuracy"].low < estimate["accuracy"].value < estimate["accuracy"].high <= 1
    assert "188 graphs" in repr(estimate) and "accuracy" in repr(estimate)
    model.save(tmp_path / "model")
    for again in (pickle.loads(pickle.dumps(model)), es.EINClassifier.load(tmp_path / "model")):
        assert again.estimate_ == estimate and (again.estimate_.graphs, again.estimate_.folds) == (188, 5)
    # It includes the choice, so it is not about other sizes.
    sizes = [entry["size"] for entry in model.path_]
    about = [model.at_size(size).estimate_ for size in sizes]
    assert about[model.model_.chosen] == estimate and about.count(None) == len(sizes) - 1


def test_without_folds_the_estimate_is_that_of_the_validation_set(mutag):
    model = es.EINClassifier(preset="ein", max_edges=2, sizes=(1, 2)).fit(mutag, mutag.y)
    assert (model.estimate_.graphs, model.estimate_.folds) == (38, 1)
    held_out = np.isfinite(model.out_of_fold_predict_proba()).all(axis=1)
    assert held_out.sum() >= 38 and not held_out.all()


def test_out_of_fold_predictions_give_the_figures_of_the_path(mutag, model):
    probabilities, predicted = model.out_of_fold_predict_proba(), model.out_of_fold_predict()
    assert probabilities.shape == (188, 2) and np.allclose(probabilities.sum(axis=1), 1)
    assert predicted.dtype == model.classes_.dtype and (model.classes_[probabilities.argmax(axis=1)] == predicted).all()
    for size in (1, 3):
        at_size = model.at_size(size)
        entry = next(entry for entry in model.path_ if entry["size"] == size)
        assert np.mean(at_size.out_of_fold_predict() == mutag.y) == pytest.approx(entry["valid"]["accuracy"], abs=1e-12)
    # They are not those of the model, which has seen all graphs.
    assert (probabilities != model.predict_proba(mutag)).all(axis=1).mean() > 0.9
    # Graphs are recognised in any order and company.
    turned = model.out_of_fold_predict_proba(mutag[::-1])
    assert (turned == probabilities[::-1]).all()


def test_graphs_without_an_out_of_fold_prediction_have_none(mutag):
    graphs = es.GraphSet.from_smiles(["C" * n + end for n in range(1, 16) for end in "ON"])
    y = np.array(["alcohol", "amine"] * 15)
    split = {"X": graphs[:20], "y": y[:20], "eval_set": (graphs[20:], y[20:])}
    # The validation set is one of three folds, unless it shall choose alone.
    model = es.EINClassifier(**QUICK).fit(**split)
    assert (model.estimate_.graphs, model.estimate_.folds) == (30, 3)
    model = es.EINClassifier(**QUICK, folds=1).fit(**split)
    assert (model.estimate_.graphs, model.estimate_.folds) == (10, 1)
    missing = np.isnan(model.out_of_fold_predict_proba()).all(axis=1)
    assert missing.tolist() == [True] * 20 + [False] * 10
    assert model.out_of_fold_predict().tolist() == [None] * 20 + y[20:].tolist()
    new = ["CCS", "CCCCF"]
    assert model.out_of_fold_predict(new).tolist() == [None, None]
    assert model.out_of_fold_predict_proba(new).shape == (2, 2) and np.isnan(model.out_of_fold_predict_proba(new)).all()


def test_numbers_and_several_tasks_have_out_of_fold_predictions():
    graphs = es.GraphSet.from_smiles(SMILES[:10] + ["CCCCCO", "CCCCCN", "CCS"])
    sizes = np.array([len(graph) for graph in graphs], float)
    sizes[-1] = np.nan
    model = es.EINRegressor(**QUICK).fit(graphs, sizes)
    predicted = model.out_of_fold_predict()
    assert predicted.shape == (13,) and np.isnan(predicted).tolist() == [False] * 12 + [True]
    entry = model.path_[model.model_.chosen]
    assert np.sqrt(np.mean((predicted - sizes)[:12] ** 2)) == pytest.approx(entry["valid"]["rmse"], abs=1e-9)
    pair = np.column_stack([Y, np.where(np.char.str_len(SMILES) > 4, "long", "short")])
    both = es.EINClassifier(**QUICK).fit(SMILES, pair)
    assert both.out_of_fold_predict().shape == (40, 2)
    assert [table.shape for table in both.out_of_fold_predict_proba()] == [(40, 2), (40, 2)]


def test_figures_of_seen_graphs_are_out_of_fold_and_those_of_others_apart(tmp_path, mutag, model):
    found = model.evaluate(mutag, mutag.y)
    assert found["graphs"] == 0 and "accuracy" not in found and found["seen"]["graphs"] == 188
    seen = found["seen"]["out_of_fold"]
    assert seen["graphs"] == 188 and found["seen"]["not_scored"] == 0
    for name, value in model.path_[model.model_.chosen]["valid"].items():
        assert seen[name] == value, name
    fitted = log_loss(mutag.y, model.predict_proba(mutag))
    assert seen["loss"] > fitted, "predictions of graphs that a model was fitted on are too good"
    # Where a validation set chooses alone, only its graphs are scored; all others are new, or counted.
    graphs = es.GraphSet.from_smiles(["C" * n + end for n in range(1, 21) for end in "ON"])
    y = np.array(["alcohol", "amine"] * 20)
    part = es.EINClassifier(**QUICK, folds=1).fit(graphs[:20], y[:20], eval_set=(graphs[20:30], y[20:30]))
    found = part.evaluate(graphs, y)
    assert (found["graphs"], found["seen"]["out_of_fold"]["graphs"], found["seen"]["not_scored"]) == (10, 10, 20)
    assert found["accuracy"] == part.score(graphs[30:], y[30:])


@pytest.mark.parametrize("options", [{}, {"preset": "ein"}])
def test_figures_are_those_of_the_program(tmp_path, mutag, options):
    half = mutag[:94]
    model = es.EINClassifier(max_edges=2, sizes=(1, 2), **options).fit(half, half.y)
    model.save(tmp_path / "model")
    expected = einsicht("evaluate", tmp_path / "model", ROOT / "testdata/sets/MUTAG", "--target", "label")
    assert expected["left_out"].pop("unreadable") == 0
    # The program says these; Python warns of them.
    for only in ("column", "no_pattern", "unknown_labels"):
        expected.pop(only, None)
    assert expected["graphs"] > 0 and expected["seen"]["out_of_fold"]["graphs"] > 0
    assert model.evaluate(mutag, mutag.y) == expected


def test_a_loaded_model_knows_its_graphs_but_does_not_have_them(tmp_path, mutag, model):
    model.save(tmp_path / "model")
    loaded = es.EINClassifier.load(tmp_path / "model")
    assert (loaded.out_of_fold_predict_proba(mutag) == model.out_of_fold_predict_proba()).all()
    with pytest.raises(ValueError, match="X must be given"):
        loaded.out_of_fold_predict()


def test_the_model_is_fitted_on_all_graphs(mutag, model):
    targets = [("y", ["-1", "1"], (np.asarray(mutag.y) > 0).astype(float))]
    assert model.model_.parts(mutag._core, targets) == ["train"] * 188
    document = json.loads(model.model_.to_json())
    assert document["effects"] is not None, "as in the files of the program"
