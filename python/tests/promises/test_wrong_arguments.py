"""Wrong arguments: the message names the argument, says what must hold and what was given, and never shows a type of
Rust.
"""

import inspect
import re

import numpy as np
import pytest
from program import SMILES
from sklearn.model_selection import KFold

import einsicht as es
from einsicht.model_selection import ClusterKFold, GroupKFold, ScaffoldSplit, StratifiedKFold

QUICK = {"max_edges": 1, "sizes": (1,), "head": "linear", "threads": 1}
Y = np.array([int("O" in text) for text in SMILES])

#: Words of the native part that nobody who writes Python should read.
NATIVE = re.compile(
    r"\b(usize|[uif](32|64)|Vec|Option|Some|PyDict|extract|unsigned|instance of"
    r" '(str|Sequence|bool)'|serializable)\b|line \d+ column|\w+Options\b"
)
WRONG = [-1, 1.5, "x", [], {}, True, float("nan"), float("inf"), 10**30, object(), np.array([1, 2]), (1, "a"), b"x"]


@pytest.fixture(scope="module")
def model():
    return es.EINClassifier(**{**QUICK, "sizes": (1, 2)}).fit(SMILES, Y)


def refusal(use):
    """The message with which something is refused; None if it is taken."""
    try:
        use()
    except (TypeError, ValueError, IndexError) as problem:
        return str(problem)
    return None


@pytest.mark.parametrize(
    "name", [name for name in inspect.signature(es.EINClassifier).parameters if name not in ("verbose", "warm_start")]
)
def test_a_wrong_parameter_is_named(name):
    refused = 0
    for wrong in WRONG:
        message = refusal(lambda: es.EINClassifier(**{**QUICK, name: wrong}).fit(SMILES[:20], Y[:20]))
        refused += message is not None
        if message is not None:
            said = (name, name.replace("_", " "), name.removesuffix("s"))
            assert (
                not NATIVE.search(message)
                and any(word in message for word in said)
                and not message.endswith(("got on", "got off"))
            ), message
    assert refused >= 5


def test_switches_are_true_or_false():
    with pytest.raises(ValueError, match='refit must be True or False, got "x"'):
        es.EINClassifier(refit="x").fit(SMILES, Y)
    with pytest.raises(ValueError, match="folds needs refit=True"):
        es.EINClassifier(refit=False, folds=3).fit(SMILES, Y)
    with pytest.raises(ValueError, match="trees must be .*, got True"):
        es.EINClassifier(trees=True).fit(SMILES, Y)
    assert 'refit="on"' not in inspect.getdoc(es.EINClassifier)


READERS = [
    (
        lambda: es.GraphSet.from_smiles("CCO"),
        TypeError,
        "smiles must be a list of SMILES, got a str: one alone goes into a list",
    ),
    (
        lambda: es.GraphSet.from_smiles(["CC"], molecule_labels=3),
        TypeError,
        'molecule_labels must be a list of some of "charge", .*, got 3',
    ),
    (
        lambda: es.GraphSet.from_smiles(["CC"], edge_labels=False),
        TypeError,
        'edge_labels must be one of "auto", "use", "ignore", got False',
    ),
    (
        lambda: es.GraphSet.from_smiles(["CC"], largest_fragment=1),
        TypeError,
        "largest_fragment must be True or False, got 1",
    ),
    (lambda: es.GraphSet.from_smiles(["CC"], target="y"), TypeError, "target is an option of files"),
    (
        lambda: es.GraphSet.from_edges([(0, 1), (1, 2)]),
        ValueError,
        "an edge must be two vertices and perhaps a label, but graph 0 has 0",
    ),
    (lambda: es.GraphSet.from_edges([0, 1]), TypeError, "graph 0 must be a list of edges, but is a int"),
    (lambda: es.GraphSet.from_edges([[(0, 10**10)]]), ValueError, "vertices count from 0"),
    (lambda: es.GraphSet.from_edges([[]]), ValueError, "graph 0: a graph must have at least one vertex, but is empty"),
    (
        lambda: es.GraphSet.from_edges([[(0, 1)]], vertex_properties=[["a", "b"]]),
        TypeError,
        "vertex_properties must be a dictionary",
    ),
    (
        lambda: es.GraphSet.from_edges([[(0, 1)]], [[("C", 1), "O"]]),
        TypeError,
        r"graph 0, vertex 0: a label must be a word .* but is \('C', 1\)",
    ),
    (lambda: es.GraphSet.from_dataframe(SMILES), TypeError, "frame must be a data frame .*, got a list"),
]


@pytest.mark.parametrize(("make", "error", "words"), READERS)
def test_what_is_no_graph_is_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_one_graph_is_no_list_of_graphs(model):
    networkx = pytest.importorskip("networkx", reason="needs networkx (pip install networkx)")
    for use in (es.GraphSet.from_networkx, model.predict):
        with pytest.raises(TypeError, match="got a Graph: one alone goes into a list"):
            use(networkx.path_graph(3))
    with pytest.raises(ValueError, match="graph 0: a graph must have at least one vertex"):
        es.GraphSet.from_networkx([networkx.Graph()])
    assert es.GraphSet.from_networkx([networkx.Graph(), networkx.path_graph(2)], on_bad="nan").missing.tolist() == [
        True,
        False,
    ]
    graph = networkx.path_graph(3)
    graph.nodes[0]["label"] = "C"
    with pytest.warns(UserWarning, match="2 of 3 nodes do not have 'label' and are unlabelled"):
        es.GraphSet.from_networkx([graph])


def test_a_frame_is_read_by_its_columns():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"smiles": SMILES, 7: Y})
    assert es.GraphSet.from_smiles(frame[["smiles"]]) == es.GraphSet.from_smiles(SMILES)
    with pytest.raises(ValueError, match=r"smiles must be one column .* has 2 \(\['smiles', 7\]\)"):
        es.GraphSet.from_smiles(frame)
    assert (es.GraphSet.from_dataframe(frame, target=7).y == Y).all()
    bad = frame.assign(smiles=["C1CC", *SMILES[1:]])
    with pytest.raises(ValueError, match='^data frame: row 0 must be a molecule, but "C1CC"'):
        es.GraphSet.from_dataframe(bad, target=7)


def test_arguments_of_explanations_are_named(model):
    why = model.explain(SMILES)
    cases = [
        (lambda: model.explain(SMILES, method=1), "method must be one of shapley, lime, got 1"),
        (lambda: model.explain(SMILES, orders=0), "orders must be a whole number from 1, got 0"),
        (lambda: model.explain(SMILES, exact_up_to=1.5), "exact_up_to must be a whole number from 0 to 30, got 1.5"),
        (lambda: model.explain(SMILES, target=0.5), r"target must be one of \['y'\] or its number, got 0.5"),
        (lambda: model.surrogate_tree(depth=0), "depth must be a whole number from 1 to 64, got 0"),
        (lambda: model.surrogate_tree(task=-1), r"task must be one of \['y'\] or its number, got -1"),
        (lambda: model.report(SMILES), "path must be the name of a file, got a list: graphs are the second argument"),
        (lambda: model.report(max_graphs=-1), "max_graphs must be a whole number from 0, got -1"),
        (lambda: model.at_size(-1), r"size must be one of \[1, 2\], got -1"),
        (lambda: model.at_size("1"), r"size must be one of \[1, 2\], got '1'"),
        (lambda: model.patterns_[0].matches("CCO", limit=0), "limit must be a whole number from 1, got 0"),
        (lambda: model.patterns_[0].matches(["CCO"]), r"graph must be one graph, got a list: ask for each"),
        (lambda: why.draw(40), "there are 40 graphs, but index 40 was given"),
        (lambda: why.vertex_weights(0, 1), "there are 1 outputs, but index 1 was given"),
        (lambda: why.decided_by(True), "the number of a graph must be an integer, got True"),
    ]
    for use, words in cases:
        message = refusal(use)
        assert message and re.search(words, message) and not NATIVE.search(message), message
    assert str(why.draw(-1)) == str(why.draw(39)) and (why.vertex_weights(-1) == why.vertex_weights(39)).all()
    assert str(why.draw(0, why.quantities[0])) == str(why.draw(0))


def test_arguments_of_experiments_and_splitters_are_named():
    quick = es.EINClassifier(**QUICK)
    halves = [(range(30), range(20, 40))]
    cases = [
        (lambda: es.experiment(quick, SMILES, Y, grid="fast"), "grid must be one of quick, paper, got 'fast'"),
        (lambda: es.experiment(quick, SMILES, Y, 5), "splits must be a split file, a list of splits, or a splitter"),
        (lambda: es.experiment(quick, SMILES, Y, KFold(2), trials=1), "trials must be a list of indices"),
        (lambda: es.experiment(es.EINClassifier, SMILES, Y), "estimator must be an EINClassifier"),
        (
            lambda: es.experiment(quick, SMILES, Y, halves),
            "a test set must have no graph of its training .* trial 0 has index 20 in both",
        ),
        (lambda: es.stability(quick, SMILES, Y, bootstrap=1.5), "bootstrap must be a whole number from 1, got 1.5"),
        (lambda: list(StratifiedKFold("a").split(SMILES, Y)), "n_splits must be a whole number from 2, got 'a'"),
        (lambda: list(ClusterKFold(2, random_state=-1).split(SMILES)), "random_state must be a whole number from 0"),
        (lambda: list(ScaffoldSplit(0).split(SMILES)), "test_size must be a fraction .*, got 0"),
        (lambda: list(GroupKFold(2).split(SMILES, groups=[None, "a"] * 20)), "groups must be of one type"),
        (lambda: list(quick.fit(SMILES, Y).predict_batches(["CCO"])), "batches must be Arrow record batches"),
    ]
    for use, words in cases:
        message = refusal(use)
        assert message and re.search(words, message) and not NATIVE.search(message), message
    assert (
        es.experiment(quick, SMILES, Y, KFold(2), grid={"max_edges": range(1, 3)}).mean
        == es.experiment(quick, SMILES, Y, KFold(2), grid={"max_edges": [1, 2]}).mean
    )
    first, second = (list(StratifiedKFold(2, random_state=seed).split(SMILES, Y)) for seed in (None, 0))
    assert all((a[1] == b[1]).all() for a, b in zip(first, second, strict=True))


def test_a_file_that_is_no_model_is_named(tmp_path, model):
    (tmp_path / "junk").write_bytes(b"junk")
    with pytest.raises(ValueError, match="junk: not a complete model file"):
        es.EINClassifier.load(tmp_path / "junk")
    with pytest.raises(TypeError, match="path must be the name of a file, got a int"):
        model.save(3)


def test_python_suggests_the_name_that_was_meant():
    with pytest.raises(AttributeError, match="EINClasifier") as raised:
        es.EINClasifier
    assert raised.value.obj is es and raised.value.name == "EINClasifier"
