"""Shapley values are those of the package shap; the tree and the forest agree with scikit-learn's."""

import json

import pytest
from model_tensors import forest, tensor
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
    plain = ("--qualifiers", "none", "--set", "min_edges=1")
    einsicht("train", SET, "-o", model, "--max-edges", 4, "--sizes", "10", "--preset", "ein", *plain)
    with safe_open(model, framework="numpy") as file:
        weights, bias, network = (file.get_tensor(f"entry.0.{part}") for part in ("weights", "bias", "network"))

    def logit(presence):
        return 1 / (1 + numpy.exp(-(bias + numpy.asarray(presence, float) @ weights))) @ network[:-1] + network[-1]

    return model, logit


def background_of(file, patterns):
    """The rows of the background in a model file, as often as there are graphs with them, as counts."""
    counts = tensor(file, "entry.0.background.counts").reshape(-1, patterns)
    return numpy.repeat(counts, tensor(file, "entry.0.background.graphs"), axis=0).astype(float)


def explained(model, *words, data=SET):
    answer = einsicht("explain", model, data, *words)
    names = [pattern["name"] for pattern in answer["patterns"]]
    rows = [[graph["values"][name] for name in names] for graph in answer["graphs"]]
    presence = numpy.array([graph["feature_values"] for graph in answer["graphs"]], float)
    return answer, presence, numpy.array(rows)


@pytest.mark.parametrize("baseline", ["absent", "background"])
def test_shapley_values_are_those_of_shap(trained, baseline):
    shap = pytest.importorskip("shap", reason="needs shap (pip install shap)")
    model, logit = trained
    words = ["--baseline", baseline, "--interactions"]
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
            background = background_of(file, presence.shape[1])
    explainer = shap.explainers.Exact(logit, shap.maskers.Independent(background, max_samples=len(background)))
    theirs = explainer(presence[rows])
    assert numpy.abs(theirs.values - values[rows]).max() < 1e-9
    assert numpy.abs(theirs.base_values - [answer["graphs"][row]["base"] for row in rows]).max() < 1e-9
    assert numpy.abs(values.sum(axis=1) - (outputs - [graph["base"] for graph in answer["graphs"]])).max() < 1e-9
    # The package has another index for pairs (Shapley-Taylor); ours must sum to the values, and be the same both ways.
    pairs = numpy.array([graph["interactions"] for graph in answer["graphs"]])
    assert numpy.abs(pairs.sum(axis=2) - values).max() < 1e-9
    assert numpy.abs(pairs - pairs.transpose(0, 2, 1)).max() < 1e-9


CORES = [
    "C",
    "CC",
    "CCC",
    "CC(C)C",
    "c1ccccc1",
    "C1CCCCC1",
    "c1ccncc1",
    "C1CCNCC1",
    "c1ccsc1",
    "CC=C",
    "CC#C",
    "c1ccc2ccccc2c1",
]
ENDS = ["O", "N", "F", "Cl", "Br", "C(=O)O", "C(=O)N", "C#N", "OC", "NC", "S", "C(F)(F)F", "N(C)C", "C=O"]


def forest_of(file, width):
    """The trees of a model file in the form that the package shap takes, one output per answer."""
    found, trees = forest(file, "entry.0.head.forest.0", width), []
    for nodes in found:
        features, thresholds, left, right, values = (list(part) for part in zip(*nodes, strict=True))
        tree = {
            "children_left": numpy.array(left),
            "children_right": numpy.array(right),
            "children_default": numpy.array(left),
        }
        tree |= {"values": numpy.array(values) / len(found), "features": numpy.array(features)}
        trees.append(tree | {"thresholds": numpy.array(thresholds), "node_sample_weight": numpy.ones(len(nodes))})
    return {"trees": trees}, len(found)


@pytest.mark.parametrize(
    ("target", "head"), [("kind", "forest"), ("kind", "linear"), ("number", "forest"), ("number", "blend")]
)
def test_at_75_subgraphs_values_are_those_of_shap_for_trees_and_linear_models(tmp_path, target, head):
    shap = pytest.importorskip("shap", reason="needs shap (pip install shap)")
    from safetensors import safe_open

    molecules = [(core + end, len(core) % 3 + 2.5 * ("O" in end) + len(end) / 4) for core in CORES for end in ENDS]
    rows = [f"{smiles},{'high' if number > 3 else 'low'},{number}" for smiles, number in molecules]
    (tmp_path / "set.csv").write_text("\n".join(["smiles,kind,number", *rows]))
    model = tmp_path / "model.einsicht"
    options = (
        "--max-edges",
        3,
        "--sizes",
        75,
        "--feature",
        "presence",
        "--head",
        head,
        "--folds",
        2,
        "--interactions",
        0,
    )
    trees = () if head == "linear" else ("--set", "trees=30")
    einsicht("train", tmp_path / "set.csv", "--target", target, "-o", model, *options, *trees)
    answer, presence, values = explained(model, "--target", target, data=tmp_path / "set.csv")
    assert presence.shape == (len(molecules), 75)
    assert all("errors" not in graph for graph in answer["graphs"]), "nothing is sampled"
    outputs, bases = (numpy.array([graph[name] for graph in answer["graphs"]]) for name in ("output", "base"))
    assert numpy.abs(values.sum(axis=1) - (outputs - bases)).max() < 1e-9
    with safe_open(model, framework="numpy") as file:
        background, kind = background_of(file, 75), json.loads(file.metadata()["einsicht"])["tasks"][0]["kind"]
        scale = kind["number"]["scale"] if target == "number" else 1.0
        share = file.get_tensor("entry.0.head.share")[0] if head == "blend" else float(head == "forest")
        theirs = numpy.zeros_like(values)
        if head != "linear":
            forest_parts, number = forest_of(file, 2 if target == "kind" else 1)
            explainer = shap.TreeExplainer(forest_parts, background, feature_perturbation="interventional")
            found = numpy.asarray(explainer.shap_values(presence, check_additivity=False)).reshape(*values.shape, -1)
            # Half a vote is added for each class.
            theirs += share * scale * found[:, :, -1] * (number / (number + 1) if target == "kind" else 1.0)
        if head != "forest":
            weights = file.get_tensor("entry.0.head.linear")[0]
            masker = shap.maskers.Independent(background, max_samples=len(background))
            theirs += (
                (1 - share) * scale * shap.LinearExplainer((weights[:-1], weights[-1]), masker).shap_values(presence)
            )
    assert numpy.abs(theirs).max() > 0.05
    assert numpy.abs(values - theirs).max() < 1e-6


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
