"""Shapley values are those of the package shap; the tree and the forest agree with scikit-learn's."""

import json

import pytest
from program import ROOT, einsicht

SET = ROOT / "testdata/sets/MUTAG"

numpy = pytest.importorskip("numpy", reason="needs numpy (pip install numpy)")
safetensors = pytest.importorskip("safetensors", reason="needs safetensors (pip install safetensors)")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A real model of at most 12 patterns: its file, and its output as a function of presences by plain numpy."""
    from safetensors import safe_open

    model = tmp_path_factory.mktemp("explain") / "mutag.einsicht"
    # Plain subgraphs: with qualifiers several are of nearly equal importance, and ranks of equal ones are chance.
    plain = ("--qualifiers", "none", "--min-edges", 1)
    einsicht("train", SET, "-o", model, "--max-edges", 4, "--sizes", "10", "--preset", "ein", *plain)
    with safe_open(model, framework="numpy") as file:
        weights, bias, network = (file.get_tensor(f"entry.0.{part}") for part in ("weights", "bias", "network"))

    def logit(presence):
        return 1 / (1 + numpy.exp(-(bias + numpy.asarray(presence, float) @ weights))) @ network[:-1] + network[-1]

    return model, logit


def explained(model, *words):
    answer = einsicht("explain", model, SET, *words)
    names = [pattern["name"] for pattern in answer["patterns"]]
    rows = [[graph["values"][name] for name in names] for graph in answer["graphs"]]
    presence = numpy.array([graph["feature_values"] for graph in answer["graphs"]], float)
    return answer, presence, numpy.array(rows)


@pytest.mark.parametrize("baseline", ["absent", "background"])
def test_shapley_values_are_those_of_shap(trained, baseline):
    shap = pytest.importorskip("shap", reason="needs shap (pip install shap)")
    model, logit = trained
    words = ["--baseline", baseline, "--background", 1000, "--interactions"]
    answer, presence, values = explained(model, *words)
    outputs = numpy.array([graph["output"] for graph in answer["graphs"]])
    assert numpy.abs(logit(presence) - outputs).max() < 1e-12
    rows = numpy.flatnonzero(presence.any(axis=1))[::4][:30]
    assert len(rows) > 20 and presence.shape[1] <= 12
    if baseline == "absent":
        background = numpy.zeros((1, presence.shape[1]))
    else:
        from safetensors import safe_open

        with safe_open(model, framework="numpy") as file:
            background = presence[json.loads(file.metadata()["einsicht"])["rows"]["train"]]
    explainer = shap.explainers.Exact(logit, shap.maskers.Independent(background, max_samples=len(background)))
    theirs = explainer(presence[rows])
    assert numpy.abs(theirs.values - values[rows]).max() < 1e-9
    assert numpy.abs(theirs.base_values - [answer["graphs"][row]["base"] for row in rows]).max() < 1e-9
    assert numpy.abs(values.sum(axis=1) - (outputs - [graph["base"] for graph in answer["graphs"]])).max() < 1e-9
    # The package has another index for pairs (Shapley-Taylor); ours must sum to the values, and be the same both ways.
    pairs = numpy.array([graph["interactions"] for graph in answer["graphs"]])
    assert numpy.abs(pairs.sum(axis=2) - values).max() < 1e-9
    assert numpy.abs(pairs - pairs.transpose(0, 2, 1)).max() < 1e-9


def test_every_question_of_the_tree_is_scikit_learns_up_to_ties(trained):
    tree_module = pytest.importorskip("sklearn.tree", reason="needs scikit-learn (pip install scikit-learn)")
    model, logit = trained
    answer, presence, _ = explained(model, "--method", "tree", "--depth", 5)
    labels = (logit(presence) > 0).astype(int)

    def worth(rows, column):
        def impurity(part):
            fraction = numpy.bincount(labels[part], minlength=2) / max(len(part), 1)
            return 1 - (fraction**2).sum()

        sides = rows[presence[rows, column] <= 0.5], rows[presence[rows, column] > 0.5]
        if not (len(sides[0]) and len(sides[1])):
            return -1.0
        return impurity(rows) - sum(len(side) * impurity(side) for side in sides) / len(rows)

    checked = 0
    todo = [(answer["trees"][0]["tree"], numpy.arange(len(labels)))]
    while todo:
        node, rows = todo.pop()
        fractions = numpy.bincount(labels[rows], minlength=2) / len(rows)
        assert node["rows"] == len(rows) and numpy.abs(fractions - node["value"]).max() < 1e-12
        if "column" not in node:
            continue
        stump = tree_module.DecisionTreeClassifier(max_depth=1, random_state=0).fit(presence[rows], labels[rows]).tree_
        assert abs(worth(rows, stump.feature[0]) - worth(rows, node["column"])) < 1e-12
        all_worth = numpy.array([worth(rows, column) for column in range(presence.shape[1])])
        if (all_worth > all_worth.max() - 1e-9).sum() == 1:
            assert stump.feature[0] == node["column"]
        assert node["threshold"] == stump.threshold[0] == 0.5
        checked += 1
        inside = presence[rows, node["column"]] > node["threshold"]
        todo += [(node["no"], rows[~inside]), (node["yes"], rows[inside])]
    assert checked >= 3


def test_the_forest_ranks_as_scikit_learns_does(trained):
    ensemble = pytest.importorskip("sklearn.ensemble", reason="needs scikit-learn (pip install scikit-learn)")
    model, logit = trained
    answer, presence, _ = explained(model, "--method", "forest")
    ours = [answer["importance"][0]["values"][pattern["name"]] for pattern in answer["patterns"]]

    def theirs(seed):
        forest = ensemble.RandomForestRegressor(500, max_features="sqrt", random_state=seed, n_jobs=2)
        return forest.fit(presence, logit(presence)).feature_importances_

    def ranks(values):
        return numpy.argsort(numpy.argsort(values)).astype(float)

    first, second = theirs(0), theirs(1)
    same = numpy.corrcoef(ranks(first), ranks(second))[0, 1]
    mean = numpy.mean([numpy.corrcoef(ranks(ours), ranks(other))[0, 1] for other in (first, second)])
    assert mean >= same - 0.02, (mean, same, ours, first)
    assert abs(sum(ours) - 1) < 1e-9 and numpy.abs(ours - first).max() < 0.05
