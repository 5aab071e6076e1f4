"""A linear model with a group lasso penalty on subgraphs is the one that scikit-learn finds on the matrix of all
subgraphs.
"""

import json

import pytest
from program import ROOT, einsicht

SETS = ROOT / "testdata/sets"

numpy = pytest.importorskip("numpy", reason="needs numpy (pip install numpy)")
safetensors = pytest.importorskip("safetensors", reason="needs safetensors (pip install safetensors)")
linear_model = pytest.importorskip("sklearn.linear_model", reason="needs scikit-learn (pip install scikit-learn)")


#: Subgraphs with edges and plain labels, and single vertices and qualifiers too.
LANGUAGES = {
    "plain": {"min_edges": 1, "qualifiers": "none"},
    "qualified": {"min_edges": 0, "qualifiers": "auto", "max_qualifiers": 2},
}


def of_mine(language):
    """Its options of `mine`."""
    given = LANGUAGES[language].items()
    return [word for name, value in given for word in ("--" + name.replace("_", "-"), value)]


def of_train(language):
    """Its options of `train`."""
    given = LANGUAGES[language].items()
    return [word for name, value in given for word in ("--set", f"{name}={value}")]


def everything(folder, data, max_edges, language):
    """The linear models of a path, and all subgraphs of all graphs as a matrix of zeros and ones."""
    from safetensors import safe_open

    patterns, where, model = folder / "patterns.jsonl", folder / "where.jsonl", folder / "linear.einsicht"
    mined = einsicht("mine", data, "--max-edges", max_edges, *of_mine(language), "-o", patterns)
    assert mined["complete"]
    einsicht("match", patterns, data, "-o", where)
    options = ["--preset", "ein", "--penalty", "l1", "--set", "network=none", "--set", "weight_decay=0"]
    options += ["--set", "lambdas=5", *of_train(language)]
    einsicht("train", data, "-o", model, "--max-edges", max_edges, *options)
    # The names by which `match` calls the graphs: rows, where the ids of the file repeat.
    einsicht("convert", data, "-o", folder / "graphs.jsonl")
    ids = [json.loads(line)["id"] for line in (folder / "graphs.jsonl").read_text().splitlines()[1:]]
    index = {name: at for at, name in enumerate(ids)}
    columns = []
    for line in where.read_text().splitlines():
        column = numpy.zeros(len(ids))
        column[[index[name] for name in json.loads(line)["graphs"]]] = 1.0
        columns.append(column)
    assert len(columns) == mined["patterns"]
    with safe_open(model, framework="numpy") as file:
        meta = json.loads(file.metadata()["einsicht"])
        rows = meta["rows"]["train"]
        matrix = numpy.array(columns).T[rows]
        # Subgraphs in the same graphs are one column: the solver need not divide a weight among copies.
        matrix = numpy.unique(matrix[:, matrix.any(axis=0)], axis=1)
        paths = []
        for at, entry in enumerate(meta["entries"]):
            paths.append((entry["lambda"], file.get_tensor(f"entry.{at}.weights")[:, 0]))
    return meta, rows, matrix, paths


def outputs(folder, data, size, rows):
    """Predictions of the entry of this size for the training graphs, by the program."""
    predicted = einsicht("predict", folder / "linear.einsicht", data, "--at-size", size)["predictions"]
    return [predicted[row] for row in rows]


def check_conditions(matrix, gradient, penalty):
    """No subgraph has a partial derivative above lambda, and that of the free bias is zero."""
    assert numpy.abs(matrix.T @ gradient).max() <= penalty * (1 + 1e-6) + 1e-6
    assert abs(gradient.sum()) < 1e-6


@pytest.mark.parametrize("language", LANGUAGES)
def test_classes_agree_with_logistic_regression(tmp_path, language):
    data = SETS / "MUTAG"
    meta, rows, matrix, paths = everything(tmp_path, data, 3, language)
    labels = [int(word) for word in (data / "MUTAG_graph_labels.txt").read_text().split()]
    names = meta["tasks"][0]["kind"]["classes"]
    y = numpy.array([names.index(str(labels[row])) for row in rows])
    compared = 0
    for penalty, weights in paths:
        if not len(weights):
            continue
        said = numpy.array([row["probabilities"][names[1]] for row in outputs(tmp_path, data, len(weights), rows)])
        check_conditions(matrix, said - y, penalty)
        logits = numpy.log(said / (1 - said))
        ours = numpy.logaddexp(0, logits).sum() - logits @ y + penalty * numpy.abs(weights).sum()
        solver = linear_model.LogisticRegression(
            l1_ratio=1.0, C=1 / penalty, solver="saga", tol=1e-9, max_iter=100_000, random_state=0
        ).fit(matrix, y)
        theirs_at = solver.decision_function(matrix)
        theirs = numpy.logaddexp(0, theirs_at).sum() - theirs_at @ y + penalty * numpy.abs(solver.coef_).sum()
        assert ours <= theirs * (1 + 1e-9) and abs(ours - theirs) < 1e-6 * theirs
        assert numpy.abs(logits - theirs_at).max() < 1e-3
        compared += 1
    assert compared >= 3


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_agree_with_the_lasso(tmp_path, language):
    data = SETS / "bergstrom_60.gspan"
    meta, rows, matrix, paths = everything(tmp_path, data, 3, language)
    kind = meta["tasks"][0]["kind"]["number"]
    wanted = [float(line.split()[3]) for line in data.read_text().splitlines() if line.startswith("t ")]
    y = (numpy.array(wanted)[rows] - kind["mean"]) / kind["scale"]
    compared = 0
    for penalty, weights in paths:
        if not len(weights):
            continue
        said = numpy.array([row["value"] for row in outputs(tmp_path, data, len(weights), rows)])
        said = (said - kind["mean"]) / kind["scale"]
        check_conditions(matrix, 2 * (said - y), penalty)
        ours = ((said - y) ** 2).sum() + penalty * numpy.abs(weights).sum()
        lasso = linear_model.Lasso(alpha=penalty / (2 * len(y)), tol=1e-12, max_iter=1_000_000).fit(matrix, y)
        theirs_at = lasso.predict(matrix)
        theirs = ((theirs_at - y) ** 2).sum() + penalty * numpy.abs(lasso.coef_).sum()
        assert ours <= theirs * (1 + 1e-9) and abs(ours - theirs) < 1e-6 * theirs
        assert numpy.abs(said - theirs_at).max() < 1e-4
        compared += 1
    assert compared >= 3
