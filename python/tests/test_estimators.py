"""Estimators used by scikit-learn: search, validation, pipelines, cloning, pickling, calibration."""

import io
import pickle
import re

import numpy as np
import pytest
from program import ROOT, SMILES
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline

import einsicht as es

QUICK = {"max_edges": 2, "sizes": (1, 2), "head": "linear", "threads": 1}
Y = np.array(["alcohol" if "O" in text else "amine" for text in SMILES])
INPUTS = [SMILES, es.GraphSet.from_smiles(SMILES)]


@pytest.fixture(params=INPUTS, ids=["smiles", "graph set"])
def graphs(request):
    return request.param


def test_cross_validation_and_grid_search(graphs):
    assert cross_val_score(es.EINClassifier(**QUICK), graphs, Y, cv=3).min() == 1.0
    search = GridSearchCV(es.EINClassifier(**QUICK), {"max_edges": [1, 2], "sizes": [(1,), (1, 2)]}, cv=2)
    search.fit(graphs, Y)
    assert search.best_score_ == 1.0 and (search.predict(graphs) == Y).all()


def test_pipelines_calibration_voting_and_several_outputs(graphs):
    columns = make_pipeline(es.SubgraphTransformer(**QUICK), LogisticRegression()).fit(graphs, Y)
    assert columns.score(graphs, Y) == 1.0
    calibrated = CalibratedClassifierCV(es.EINClassifier(**QUICK), cv=2).fit(graphs, Y)
    assert (calibrated.predict(graphs) == Y).all()
    two = [("a", es.EINClassifier(**QUICK)), ("b", es.EINClassifier(**{**QUICK, "max_edges": 1}))]
    assert VotingClassifier(two, voting="soft").fit(graphs, Y).score(graphs, Y) == 1.0
    pair = np.column_stack([Y == "amine", Y == "alcohol"]).astype(int)
    several = MultiOutputClassifier(es.EINClassifier(**QUICK)).fit(graphs, pair)
    assert (several.predict(graphs) == pair).all()


def test_clones_pickles_and_joblib_keep_everything(graphs):
    joblib = pytest.importorskip("joblib")
    model = es.EINClassifier(**QUICK, random_state=3).fit(graphs, Y)
    assert clone(model).get_params() == model.get_params() and not hasattr(clone(model), "model_")
    buffer = io.BytesIO()
    joblib.dump(model, buffer)
    buffer.seek(0)
    for again in (pickle.loads(pickle.dumps(model)), joblib.load(buffer)):
        assert again.model_.to_bytes() == model.model_.to_bytes()
        assert (again.predict_proba(graphs) == model.predict_proba(graphs)).all()
        assert [str(p) for p in again.patterns_] == [str(p) for p in model.patterns_]
        with pytest.raises(ValueError, match="X must be given"):
            again.surrogate_tree()


def test_answers_agree_with_each_other(graphs):
    model = es.EINClassifier(**QUICK).fit(graphs, Y)
    assert model.classes_.tolist() == ["alcohol", "amine"]
    probabilities = model.predict_proba(graphs)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(graphs)).all()
    assert ((model.decision_function(graphs) > 0) == (model.predict(graphs) == "amine")).all()
    assert (
        model.transform(graphs).shape == (len(SMILES), len(model.patterns_)) == (40, len(model.get_feature_names_out()))
    )
    assert model.path_[model.model_.chosen]["patterns"] == len(model.patterns_) and model.n_iter_ > 0
    assert model.at_size(1).transform(graphs).shape[1] == 1
    with pytest.raises(ValueError, match="one of"):
        model.at_size(7)


def test_frames_come_out_on_request(graphs):
    pandas = pytest.importorskip("pandas")
    frame = es.SubgraphTransformer(**QUICK).set_output(transform="pandas").fit_transform(graphs, Y)
    assert isinstance(frame, pandas.DataFrame) and len(frame) == len(SMILES)


def test_classes_of_any_type_come_back_as_they_were(graphs):
    for classes in ([10, 9], [False, True], ["b", "B"]):
        y = np.where(Y == "amine", *[np.array(c) for c in classes])
        model = es.EINClassifier(**QUICK).fit(graphs, y)
        assert (model.predict(graphs) == y).all() and model.classes_.tolist() == sorted(classes)
        column = model.classes_.tolist().index(y[0])
        assert (model.predict_proba(graphs)[:, column] > 0.5).tolist() == (y == y[0]).tolist()


def test_regression_and_several_tasks_with_gaps():
    graphs = es.GraphSet.from_smiles(SMILES)
    sizes = np.array([len(graph) for graph in graphs], float)
    model = es.EINRegressor(**QUICK).fit(graphs, sizes)
    assert model.predict(graphs).shape == (40,) and model.score(graphs, sizes) > 0.5
    gaps = np.column_stack([sizes, sizes**2])
    gaps[::5, 1] = np.nan
    both = es.EINRegressor(**QUICK).fit(graphs, gaps)
    assert both.predict(graphs).shape == (40, 2) and both.tasks_ == ["y0", "y1"]
    tasks = np.column_stack([Y, np.where(sizes > 4, "large", "small")])
    classes = es.EINClassifier(**QUICK).fit(graphs, tasks)
    assert classes.predict(graphs).shape == (40, 2) and len(classes.predict_proba(graphs)) == 2
    assert [names.tolist() for names in classes.classes_] == [["alcohol", "amine"], ["large", "small"]]
    with pytest.raises(ValueError, match="infinity"):
        es.EINRegressor(**QUICK).fit(graphs, np.where(sizes > 4, np.inf, sizes))


def test_validation_graphs_and_weights_are_used():
    graphs = es.GraphSet.from_smiles(SMILES)
    model = es.EINClassifier(**QUICK).fit(graphs[:30], Y[:30], eval_set=(graphs[30:], Y[30:]))
    targets = [("y", ["alcohol", "amine"], (Y == "amine").astype(float))]
    assert model.model_.parts(graphs._core, targets) == ["train"] * 30 + ["valid"] * 10
    sizes = np.array([len(graph) for graph in graphs], float)
    plain = es.EINRegressor(**QUICK).fit(graphs, sizes)
    ones = es.EINRegressor(**QUICK).fit(graphs, sizes, sample_weight=np.ones(40))
    heavy = es.EINRegressor(**QUICK).fit(graphs, sizes, sample_weight=np.where(sizes > 4, 5.0, 1.0))
    assert ones.model_.to_bytes() == plain.model_.to_bytes() != heavy.model_.to_bytes()
    for bad in (np.ones(3), -np.ones(40), np.zeros(40)):
        with pytest.raises(ValueError):
            es.EINRegressor(**QUICK).fit(graphs, sizes, sample_weight=bad)


@pytest.mark.parametrize("options", [{"head": "linear"}, {"threshold": "auto"}, {"preset": "ein"}])
def test_a_warm_start_goes_on_to_the_same_model(options):
    graphs = es.GraphSet.from_tu(ROOT / "testdata/sets/MUTAG")
    options = {"max_edges": 3, **options}
    whole = es.EINClassifier(**options, sizes=(1, 2, 4)).fit(graphs, graphs.y)
    assert whole.path_[whole.model_.chosen]["size"] > 1, "the longer path changes the choice"
    model = es.EINClassifier(**options, sizes=(1,), warm_start=True).fit(graphs, graphs.y)
    begun = sum(model.search_stats_["visited"])
    model.set_params(sizes=(1, 2, 4)).fit(graphs, graphs.y)
    assert model.model_.to_bytes() == whole.model_.to_bytes()
    assert model.search_stats_["visited"][0] == begun
    with pytest.raises(ValueError, match="max_edges"):
        model.set_params(max_edges=2).fit(graphs, graphs.y)


def test_a_path_that_was_auto_goes_on_to_a_longer_one():
    graphs = es.GraphSet.from_tu(ROOT / "testdata/sets/MUTAG")
    model = es.EINClassifier(max_edges=2, head="linear", folds=2, warm_start=True).fit(graphs, graphs.y)
    sizes = [entry["size"] for entry in model.path_]
    assert sizes == [1, 2, 3, 5, 8, 12, 18, 25, 35, 50, 75, 100]
    begun = model.search_stats_["visited"]
    model.set_params(sizes=(*sizes, 110)).fit(graphs, graphs.y)
    assert [entry["size"] for entry in model.path_] == [*sizes, 110]
    assert model.search_stats_["visited"][: len(sizes)] == begun


@pytest.mark.parametrize(
    ("X", "y", "error", "words"),
    [
        ([None, "C"], [0, 1], TypeError, "index 0 is None"),
        (["C", None], [0, 1], TypeError, "index 1 is None"),
        (["C", 3], [0, 1], TypeError, "index 1 is a int"),
        ("CCO", [0], TypeError, "a str"),
        ([], [], ValueError, "at least one graph"),
        (["CC", "C1CC"], [0, 1], ValueError, "C1CC"),
        (SMILES, Y[:-1], ValueError, "inconsistent numbers of samples"),
        (SMILES, None, ValueError, "requires y to be passed"),
        (SMILES, ["a"] * 40, ValueError, "two classes"),
        (SMILES, np.linspace(0, 1, 40), ValueError, "continuous"),
    ],
)
def test_bad_input_is_refused_by_name(X, y, error, words):
    with pytest.raises(error) as raised:
        es.EINClassifier(**QUICK).fit(X, y)
    assert words in str(raised.value), str(raised.value)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"max_edges": 0}, "max_edges must be auto, or a whole number from 1 to 31, got 0"),
        ({"max_edges": "six"}, "max_edges must be auto, or a whole number from 1 to 31, got \"six\""),
        ({"sizes": (3, 2)}, "sizes must be"),
        ({"penalty": "l1", "sizes": (1,)}, 'sizes needs penalty="l0": '),
        ({"hidden": 3}, 'hidden needs network="layers": without layers the model is linear'),
        ({"hidden": 3}, '; preset="ein" sets it'),
        ({"head": "arm"}, "head must be "),
        ({"threads": 0}, "threads must be None or at least 1, not 0"),
    ],
)
def test_parameters_are_checked_by_the_library(params, words):
    with pytest.raises(ValueError) as raised:
        es.EINClassifier(**params).fit(SMILES, Y)
    assert words in str(raised.value), str(raised.value)


def test_unfitted_use_and_unknown_labels_are_reported():
    model = es.EINClassifier(**QUICK)
    for use in (model.predict, model.predict_proba, model.transform, model.explain, model.decision_function):
        with pytest.raises(NotFittedError):
            use(SMILES)
    model.fit(SMILES, Y)
    with pytest.warns(UserWarning, match="1 graph has labels"):
        model.predict(["CCO", "CC[Si]"])
    with pytest.warns(UserWarning, match="of 2 of 2 graphs the model knows no vertex label"):
        plain = es.EINClassifier(qualifiers="none", **QUICK).fit(SMILES, Y)
        plain.predict(es.GraphSet.from_edges([[(0, 1, 1)], [(0, 1, 1)]], [[0, 1], [0, 0]]))
    with pytest.raises(ValueError, match="load it with EINClassifier"):
        _through_a_file(es.EINRegressor, model)


def test_a_file_of_a_newer_version_or_of_something_else_is_refused(tmp_path):
    path = tmp_path / "x.einsicht"
    es.EINClassifier(**QUICK).fit(SMILES, Y).save(path)
    text = path.read_bytes()
    newer = re.sub(rb'\\"format\\":\d', rb'\\"format\\":9', text)
    assert newer != text
    for broken in (text[:50], b"", newer):
        path.write_bytes(broken)
        with pytest.raises(ValueError):
            es.EINClassifier.load(path)
    with pytest.raises(FileNotFoundError):
        es.EINClassifier.load(tmp_path / "nothing")


def _through_a_file(kind, model):
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.einsicht"
        model.save(path)
        return kind.load(path)


def test_metrics_come_with_their_graphs_and_unknown_classes_are_refused():
    model = es.EINClassifier(**QUICK).fit(SMILES, Y)
    new = ["CCCCCO", "CC(C)CCN", "CCCCCCN"]
    found = model.evaluate(new, ["alcohol", "amine", "amine"])
    assert found["graphs"] == 3 and found["accuracy"] == model.score(new, ["alcohol", "amine", "amine"])
    strange = Y.astype(object)
    strange[:2], strange[2] = "thiol", None
    with pytest.raises(ValueError, match=r"2 graphs have another: \"thiol\" \(2 graphs\)"):
        model.evaluate(SMILES, strange)
    found = model.evaluate(SMILES, strange, unknown_classes="skip")["seen"]["out_of_fold"]
    assert found["graphs"] == len(SMILES) - 3
    assert found["left_out"] == {"no_value": 1, "unknown_class": 2, "unknown_classes": {"thiol": 2}}
    # As in scikit-learn: a class that is never predicted is never right.
    known = np.where(strange == None, Y, strange)  # noqa: E711
    assert model.score(SMILES, known) == np.mean(model.predict(SMILES) == known) < 1


def test_several_targets_are_evaluated_by_name():
    pd = pytest.importorskip("pandas")
    y = pd.DataFrame({"kind": Y, "long": [str(len(text) > 4) for text in SMILES]})
    model = es.EINClassifier(**QUICK).fit(SMILES, y)
    both, one = (model.evaluate(SMILES, part)["seen"]["out_of_fold"] for part in (y, y[["long"]]))
    assert set(both["tasks"]) == {"kind", "long"} and one["target"] == "long"
    assert both["tasks"]["long"]["accuracy"] == one["accuracy"]
    with pytest.raises(ValueError, match="y must have a column for each task"):
        model.evaluate(SMILES, y["kind"].to_numpy())


def test_a_target_from_which_nothing_can_be_learnt_is_refused():
    with pytest.raises(ValueError, match="y must differ between graphs, but all .* values are 4.5"):
        es.EINRegressor(**QUICK).fit(SMILES, np.full(len(SMILES), 4.5))
    with pytest.raises(ValueError, match="must have values, but all .* graphs lack one"):
        es.EINRegressor(**QUICK).fit(SMILES, np.full(len(SMILES), np.nan))
