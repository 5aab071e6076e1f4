"""Nothing is silently wrong: sizes that were picked, types and order of classes, missing values, labels that are none,
tables.
"""

import pickle

import numpy as np
import pytest
from program import SMILES, einsicht
from sklearn.exceptions import DataConversionWarning
from sklearn.model_selection import KFold, cross_val_score

import einsicht as es
from einsicht.model_selection import StratifiedKFold

QUICK = {"max_edges": 2, "sizes": (1, 2, 3), "head": "linear", "threads": 1}
BINARY = np.array([int("O" in text) for text in SMILES])


def reloaded(model, path):
    model.save(path)
    return type(model).load(path)


# Sizes.


def test_a_picked_size_is_saved_pickled_and_used_by_the_program(tmp_path):
    model = es.EINClassifier(**QUICK).fit(SMILES, BINARY)
    for size in (1, 2, 3):
        small = model.at_size(size)
        wanted = small.predict_proba(SMILES)
        path = tmp_path / f"{size}.einsicht"
        for again in (reloaded(small, path), pickle.loads(pickle.dumps(small))):
            assert [str(p) for p in again.patterns_] == [str(p) for p in small.patterns_]
            assert (again.predict_proba(SMILES) == wanted).all()
        table = tmp_path / "table.smi"
        table.write_text("\n".join(SMILES))
        found = einsicht("predict", path, table)
        assert [row["probabilities"]["1"] for row in found["predictions"]] == wanted[:, 1].tolist()
        for command in (
            ["show", path],
            ["report", path, table, "-o", tmp_path / "page.html"],
            ["explain", path, table],
        ):
            einsicht(*command)
    # Held-out graphs have chosen another size: their estimate is not one of this model.
    other = next(size for size in (1, 2, 3) if model.model_.entry_of_size(size) != model.model_.chosen)
    assert reloaded(model.at_size(other), tmp_path / "other").estimate_ is None
    assert reloaded(model, tmp_path / "same").estimate_ == model.estimate_


def test_a_picked_size_has_the_training_graphs():
    model = es.EINClassifier(**QUICK).fit(SMILES, BINARY)
    small = model.at_size(1).at_size(2)
    assert len(small.explain()) == len(SMILES) and small.surrogate_tree().fidelity > 0
    assert "<html" in small.report() and len(small.effects()) == len(small.patterns_)
    with pytest.raises(ValueError, match="must be given, because a loaded model"):
        pickle.loads(pickle.dumps(small)).explain()


# Classes.

CLASSES = {
    "bool": [False, True],
    "words that are numbers": ["9", "10"],
    "words": ["b", "a"],
    "integers": [10, 9],
    "floats": [0.5, 1.5],
    "whole floats": [1.0, 2.0],
    "words that look like truth values": ["True", "False"],
}


# Scikit-learn takes an array of floats that are not whole for numbers.
KINDS = [(kind, dtype) for kind in CLASSES for dtype in (None, object) if (kind, dtype) != ("floats", None)]


@pytest.mark.parametrize(("kind", "dtype"), [*KINDS, ("integers", np.int8)])
def test_type_and_order_of_classes_live_in_the_file(kind, dtype, tmp_path):
    y = np.array([CLASSES[kind][at] for at in BINARY], dtype=dtype)
    model = es.EINClassifier(**QUICK).fit(SMILES, y)
    again = reloaded(model, tmp_path / "m")
    assert again.classes_.dtype == model.classes_.dtype == y.dtype
    assert again.classes_.tolist() == model.classes_.tolist() == np.unique(y).tolist()
    assert [type(value) for value in again.classes_.tolist()] == [type(value) for value in model.classes_.tolist()]
    assert (again.predict(SMILES) == model.predict(SMILES)).all() and again.score(SMILES, y) == 1.0
    assert (again.predict_proba(SMILES) == model.predict_proba(SMILES)).all()
    assert (again.decision_function(SMILES) == model.decision_function(SMILES)).all()
    assert (again.explain(SMILES).values == model.explain(SMILES).values).all()


def test_several_tasks_keep_their_classes_too(tmp_path):
    y = np.column_stack([np.array(["9", "10"], object)[BINARY], np.array([False, True], object)[BINARY]])
    model = es.EINClassifier(**QUICK).fit(SMILES, y)
    again = reloaded(model, tmp_path / "m")
    assert (
        [own.tolist() for own in again.classes_]
        == [["10", "9"], [False, True]]
        == [own.tolist() for own in model.classes_]
    )


#: Names that Python and the library might rank differently, or that Python takes for numbers.
ODD = [
    ["1_0", "2"],
    [" 1", "0x"],
    ["+1", "-1"],
    ["007", "7"],
    ["\u00b2", "1"],
    ["\u0663", "4"],
    [str(2**70), "5"],
    ["-0", "0"],
    ["10", "!"],
]


@pytest.mark.parametrize("names", ODD)
def test_odd_names_of_classes_are_ranked_as_the_library_does(names, tmp_path):
    y = np.array(names, dtype=object)[BINARY]
    model = es.EINClassifier(**QUICK).fit(SMILES, y)
    again = reloaded(model, tmp_path / "m")
    assert model.score(SMILES, y) == again.score(SMILES, y) == 1.0 and again.classes_.tolist() == sorted(names)
    assert (model.classes_[model.predict_proba(SMILES).argmax(axis=1)] == y).all()


@pytest.mark.parametrize("names", [["9", "10"], ["b", "a"], [10, 9], ["9", "10", "100"]])
def test_everything_is_in_the_order_of_classes(names, tmp_path):
    y = np.array(names)[BINARY if len(names) == 2 else np.arange(len(SMILES)) % 3]
    model = es.EINClassifier(**QUICK).fit(SMILES, y)
    for one in (model, reloaded(model, tmp_path / "m"), model.at_size(2)):
        columns, logits = one.transform(SMILES), one.decision_function(SMILES)
        assert np.allclose((one.terms(SMILES) @ one.coef_.T + one.intercept_).reshape(logits.shape), logits)
        tree = one.surrogate_tree(SMILES, depth=4)
        assert (tree.to_sklearn().predict(columns) == one.predict(SMILES)).mean() == tree.fidelity > 0.5
        for pattern in one.patterns_:
            inside = [pattern.count(text) > 0 for text in SMILES]
            assert pattern.by_class == [[int((y[inside] == name).sum()) for name in one.classes_]]


def test_coefficients_of_numbers_are_in_their_units():
    y = np.column_stack([1000 + 50.0 * BINARY, [len(text) for text in SMILES]])
    for target in (y[:, 0], y):
        model = es.EINRegressor(**QUICK).fit(SMILES, target)
        found = model.terms(SMILES) @ model.coef_.T + model.intercept_
        assert np.allclose(found.reshape(target.shape), model.predict(SMILES))


def test_words_are_not_compared_with_numbers():
    numbers, words = (es.EINClassifier(**QUICK).fit(SMILES, y) for y in (BINARY, BINARY.astype(str)))
    with pytest.raises(
        ValueError, match="classes of y must be of the type of classes_, but y has '1' and the model predicts 1"
    ):
        numbers.score(SMILES, BINARY.astype(str))
    with pytest.raises(ValueError, match="y has 1 and the model predicts '1'"):
        words.score(SMILES, BINARY)
    with pytest.raises(TypeError, match="y of eval_set must have values of the type of y, but has '1' where y has 1"):
        es.EINClassifier(**QUICK).fit(SMILES, BINARY, eval_set=(SMILES, BINARY.astype(str)))


@pytest.mark.parametrize("bad", [b"yes", ("a", 1), 1j, np.datetime64("2026-01-01")])
def test_classes_that_a_file_cannot_give_back_are_refused(bad):
    y = np.empty(len(SMILES), object)
    y[:] = [bad if alcohol else "no" for alcohol in BINARY]
    with pytest.raises(TypeError, match="classes must be words, numbers or truth values, but row 0 of y is"):
        es.EINClassifier(**QUICK).fit(SMILES, y)
    dates = np.array(["2026-01-01", "2026-01-02"], "M8[D]")[BINARY]
    with pytest.raises(ValueError, match="y must be numbers, but y has values like 2026-01-02"):
        es.EINRegressor(**QUICK).fit(SMILES, dates)


def test_truth_values_of_a_table_are_truth_values(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"smiles": SMILES, "alcohol": BINARY == 1})
    graphs = es.GraphSet.from_dataframe(frame, target="alcohol")
    model = es.EINClassifier(**QUICK).fit(graphs)
    assert (
        graphs.y.dtype == bool
        and model.classes_.tolist() == [False, True]
        and model.score(graphs, frame.alcohol) == 1.0
    )
    frame.to_csv(tmp_path / "table.csv", index=False)
    words = ["--target", "alcohol", "--max-edges", 2, "--sizes", "1,2,3", "--head", "linear", "-o", tmp_path / "m"]
    einsicht("train", tmp_path / "table.csv", *words)
    assert (tmp_path / "m").read_bytes() == model.model_.to_bytes()
    gaps = es.GraphSet.from_dataframe(
        frame.assign(alcohol=frame.alcohol.astype(object).where(frame.index != 3)), target="alcohol"
    )
    assert gaps.y.tolist()[:5] == [True, True, True, None, True]


# Missing values.


def with_gaps(values, missing):
    found = list(values)
    found[3] = found[20] = missing
    return found


WORDS = ["alcohol" if alcohol else "amine" for alcohol in BINARY]


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan])
def test_missing_among_words_is_missing(missing):
    y = with_gaps(WORDS, missing)
    for given in (y, np.array(y, dtype=object), tuple(y)):
        model = es.EINClassifier(**QUICK).fit(SMILES, given)
        assert model.classes_.tolist() == ["alcohol", "amine"]
        assert model.score(SMILES, given) == 1.0
        assert model.evaluate(SMILES, given)["seen"]["graphs"] == len(SMILES)
        assert (
            cross_val_score(es.EINClassifier(**QUICK), SMILES, given, cv=KFold(3, shuffle=True, random_state=0)).min()
            > 0.8
        )
    wrong = [value if value is missing else "amine" for value in y]
    assert es.EINClassifier(**QUICK).fit(SMILES, y).score(SMILES, wrong) == pytest.approx(19 / 38, abs=0.03)


@pytest.mark.parametrize("kind", ["Int64", "boolean", "string", "category", "Float64"])
def test_nullable_columns_of_pandas(kind):
    pandas = pytest.importorskip("pandas")
    plain = {"boolean": BINARY == 1, "string": WORDS, "category": WORDS}.get(kind, BINARY)
    y = pandas.Series(pandas.array(with_gaps(list(plain), None), dtype=kind), name="kind")
    model = es.EINClassifier(**QUICK).fit(SMILES, y)
    assert len(model.classes_) == 2 and model.tasks_ == ["kind"] and model.score(SMILES, y) == 1.0
    if kind in ("Int64", "Float64"):
        numbers = es.EINRegressor(**QUICK).fit(SMILES, y)
        assert numbers.score(SMILES, y) > 0.9
        assert cross_val_score(es.EINRegressor(**QUICK), SMILES, y, cv=2).shape == (2,)


def test_missing_numbers_and_several_tasks():
    y = np.column_stack([BINARY, 1 - BINARY]).astype(float)
    y[3, 0] = y[7, 1] = y[9] = np.nan
    assert es.EINClassifier(**QUICK).fit(SMILES, y).score(SMILES, y) == 1.0
    assert es.EINRegressor(**QUICK).fit(SMILES, y).score(SMILES, y) > 0.9
    with pytest.raises(ValueError, match="all are missing"):
        es.EINRegressor(**QUICK).fit(SMILES, y).score(SMILES, np.full_like(y, np.nan))


def test_the_word_nan_is_reported():
    with pytest.warns(UserWarning, match='y has a class called "nan"'):
        es.EINClassifier(**QUICK).fit(SMILES, np.array(with_gaps(WORDS, np.nan)))


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_our_splitters_leave_out_what_is_missing(missing):
    for y in (
        with_gaps(WORDS, missing),
        with_gaps(BINARY.tolist(), missing),
        with_gaps((BINARY + 0.5).tolist(), missing),
    ):
        for train, test in StratifiedKFold(3).split(SMILES, y):
            assert set(train) | set(test) == set(range(len(SMILES))) - {3, 20} and not set(train) & set(test)
    assert (
        cross_val_score(es.EINClassifier(**QUICK), SMILES, with_gaps(WORDS, missing), cv=StratifiedKFold(3)).min() > 0.8
    )


def test_numbers_that_are_no_classes_are_refused_with_gaps_and_in_tables():
    numbers = np.linspace(0, 1, len(SMILES))
    pandas = pytest.importorskip("pandas")
    for y in (
        np.column_stack([numbers, numbers]),
        [None, *numbers[1:]],
        pandas.Series([None, *numbers[1:]], dtype="Float64"),
    ):
        with pytest.raises(ValueError, match="Unknown label type: continuous"):
            es.EINClassifier(**QUICK).fit(SMILES, y)


def test_words_among_numbers_are_refused_with_the_row():
    with pytest.raises(ValueError, match="row 3 of y is 'n/a'"):
        es.EINRegressor(**QUICK).fit(SMILES, with_gaps(BINARY.tolist(), "n/a"))
    with pytest.raises(TypeError, match="classes of y must be of one type, .* but there are int, str"):
        es.EINClassifier(**QUICK).fit(SMILES, with_gaps(BINARY.tolist(), "n/a"))


# Labels of networkx and of lists.


def rings(attribute, values="CCO"):
    networkx = pytest.importorskip("networkx", reason="needs networkx (pip install networkx)")
    graph = networkx.cycle_graph(3)
    for node, value in enumerate(values):
        graph.nodes[node][attribute] = value
    return [graph]


def test_an_attribute_that_no_vertex_has_is_an_error():
    with pytest.raises(
        ValueError, match="vertex_label must name an attribute, but no node has 'elemnt': the attributes are 'element'"
    ):
        es.GraphSet.from_networkx(rings("element"), vertex_label="elemnt")
    with pytest.raises(
        ValueError, match="edge_label must name an attribute, but no edge has 'bond': there are no attributes"
    ):
        es.GraphSet.from_networkx(rings("label"), edge_label="bond")
    with pytest.raises(ValueError, match="vertex_properties must name an attribute"):
        es.GraphSet.from_networkx(rings("label"), vertex_properties=["colour"])


def test_attributes_that_nobody_uses_are_reported(recwarn):
    with pytest.warns(
        UserWarning, match="not used: 'element', and all nodes have the same label, since none has 'label'"
    ):
        es.GraphSet.from_networkx(rings("element"))
    recwarn.clear()
    es.GraphSet.from_networkx(rings("label"))
    es.GraphSet.from_networkx(es.GraphSet.from_smiles(SMILES[:3]).to_networkx())
    assert not recwarn.list


@pytest.mark.parametrize("bad", [None, float("nan"), 0.5])
def test_labels_are_words_or_whole_numbers(bad):
    with pytest.raises(
        ValueError, match=r"graph 0, node 1: a label must be a word or a whole number, but is .*: (give|labels)"
    ):
        es.GraphSet.from_networkx(rings("label", ["C", bad, "O"]))
    with pytest.raises(ValueError, match="graph 0, vertex 1: a label must be"):
        es.GraphSet.from_edges([[(0, 1)]], [["C", bad]])
    with pytest.raises(ValueError, match=r"graph 0, edge \(0, 1\): a label must be"):
        es.GraphSet.from_edges([[(0, 1, bad)]])
    assert es.GraphSet.from_edges([[(0, 1)]], [[6.0, 6]])[0].vertices == ["6", "6"]


class Data:
    """What `from_pyg` reads of a graph of PyTorch Geometric."""

    def __init__(self, **attributes):
        self.__dict__.update({"edge_index": np.array([[0, 1], [1, 2]]), "num_nodes": 3, **attributes})

    def keys(self):
        return list(self.__dict__)


def test_labels_of_pytorch_geometric_are_found_or_asked_for():
    atoms = Data(z=np.array([6, 6, 8]))
    assert es.GraphSet.from_pyg([atoms], vertex_labels="z")[0].vertices == ["6", "6", "8"]
    with pytest.raises(ValueError, match="graph 0: labels must be in an attribute of the data, but there is no 'zz'"):
        es.GraphSet.from_pyg([atoms], vertex_labels="zz")
    with pytest.raises(ValueError, match="there is no 'bond'"):
        es.GraphSet.from_pyg([atoms], vertex_labels="z", edge_labels="bond")
    with pytest.warns(
        UserWarning, match=r"all vertices have the same label, since the data have no 'x', but 'z' \(vertex_labels"
    ):
        es.GraphSet.from_pyg([atoms])
    with pytest.raises(TypeError, match="got a Data: one alone goes into a list"):
        es.GraphSet.from_pyg(atoms)


# Tables.


def test_a_column_of_y_is_one_target():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"smiles": SMILES, "kind": WORDS})
    with pytest.warns(DataConversionWarning, match="one target"):
        model = es.EINClassifier(**QUICK).fit(frame.smiles, frame[["kind"]])
    assert (
        model.predict(SMILES).shape == (len(SMILES),)
        and model.tasks_ == ["kind"]
        and model.classes_.tolist() == ["alcohol", "amine"]
    )
    with pytest.warns(DataConversionWarning):
        numbers = es.EINRegressor(**QUICK).fit(SMILES, BINARY[:, None])
    assert numbers.predict(SMILES).ndim == 1


def test_columns_of_a_frame_are_found_by_their_names():
    pandas = pytest.importorskip("pandas")
    y = pandas.DataFrame({"alcohol": BINARY, "long": [int(len(text) > 4) for text in SMILES]})
    other = y[["long", "alcohol"]]
    model = es.EINClassifier(**QUICK).fit(SMILES, y)
    numbers = es.EINRegressor(**QUICK).fit(SMILES, y)
    assert y.alcohol.ne(y.long).any()
    assert model.score(SMILES, other) == model.score(SMILES, y) == model.score(SMILES, y.to_numpy())
    assert numbers.score(SMILES, other) == numbers.score(SMILES, y)
    assert model.report(X=SMILES, y=other) == model.report(X=SMILES, y=y)
    options = {**QUICK, "preset": "ein", "head": "network"}
    by_name, by_place = (es.EINClassifier(**options).fit(SMILES, y, eval_set=(SMILES, valid)) for valid in (other, y))
    assert by_name.model_.to_bytes() == by_place.model_.to_bytes()
    renamed = y.rename(columns={"long": "length"})
    for use in (
        lambda: model.score(SMILES, renamed),
        lambda: model.evaluate(SMILES, renamed),
        lambda: model.report(X=SMILES, y=renamed),
    ):
        with pytest.raises(ValueError, match=r"y must have a column for each .*'alcohol', 'length'"):
            use()
    with pytest.raises(ValueError, match="columns of y must have different names"):
        es.EINClassifier(**QUICK).fit(SMILES, y.set_axis(["a", "a"], axis=1))


def test_a_frame_of_one_column_is_its_column():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"smiles": SMILES, "kind": WORDS})
    model = es.EINClassifier(**QUICK).fit(frame[["smiles"]], frame.kind)
    assert (model.predict(frame[["smiles"]]) == model.predict(SMILES)).all()
    assert (model.predict(np.array(SMILES, dtype=object)[:, None]) == model.predict(SMILES)).all()
    with pytest.raises(ValueError, match=r"one column .* has 2 \(\['smiles', 'kind'\]\): give one of them"):
        model.predict(frame)
