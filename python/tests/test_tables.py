"""Tables of pandas, polars and Arrow are one thing to readers, targets and bulk prediction; words stay what they
are."""

import pickle

import numpy as np
import pytest

pandas = pytest.importorskip("pandas")

import einsicht as es
from sklearn.base import clone

QUICK = {"max_edges": 1, "sizes": (1,), "head": "linear", "threads": 1, "folds": 2}
SMILES = ["CCO", "CCN", "CCCO", "CCCN"] * 6
TABLE = pandas.DataFrame(
    {
        "smiles": SMILES,
        "word": ["None", "NA", "a", "nan"] * 6,
        "code": ["1.0", "1", "01", "2"] * 6,
        "alcohol": [True, False, True, False] * 6,
        "number": [0.5, 1.25, float("nan"), -3.0] * 6,
        "dose": np.arange(24.0),
    }
)


def frames():
    """The same table in all libraries that are there."""
    yield "pandas", TABLE
    try:
        import pyarrow

        yield "Arrow", pyarrow.Table.from_pandas(TABLE)
        yield "Arrow batch", pyarrow.RecordBatch.from_pandas(TABLE)
    except ImportError:
        pass
    try:
        import polars

        yield "polars", polars.DataFrame({name: TABLE[name].tolist() for name in TABLE})
    except ImportError:
        pass


FRAMES = dict(frames())


@pytest.mark.filterwarnings("ignore:y has a class called")
@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_words_of_a_frame_stay_what_they_are(frame):
    graphs = es.GraphSet.from_dataframe(frame, target=["word", "code", "alcohol"])
    assert graphs.target_names == ["word", "code", "alcohol"]
    for at, name in enumerate(graphs.target_names):
        fitted = es.EINClassifier(**QUICK).fit(SMILES, TABLE[name].tolist())
        assert sorted(map(str, set(graphs.y[:, at]))) == sorted(map(str, fitted.classes_)), name
        assert [str(value) for value in graphs.y[:, at]] == [str(value) for value in TABLE[name]]
    assert es.GraphSet.from_dataframe(frame, target="alcohol").y.tolist() == TABLE.alcohol.tolist()


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_numbers_and_columns_of_a_frame(frame):
    graphs = es.GraphSet.from_dataframe(frame, target="number", features=["dose"])
    assert (
        np.array_equal(graphs.y, TABLE.number, equal_nan=True)
        and graphs.features["dose"].tolist() == TABLE.dose.tolist()
    )
    assert es.GraphSet.from_dataframe(frame, target="code", task="regress").y.tolist() == [1.0, 1.0, 1.0, 2.0] * 6
    assert es.GraphSet.from_dataframe(frame, target="*").target_names == list(TABLE.columns[1:])
    with pytest.raises(
        ValueError, match=r"there must be a column named 'mol', but there are only \['smiles', 'word', "
    ):
        es.GraphSet.from_dataframe(frame, "mol")
    with pytest.raises(
        ValueError, match="a target must be another column than that of the SMILES, but 'smiles' is named as both"
    ):
        es.GraphSet.from_dataframe(frame, target="smiles")


def test_rows_that_are_left_out_take_their_values_with_them():
    broken = TABLE.assign(smiles=["C1CC", *SMILES[1:]])
    assert es.GraphSet.from_dataframe(broken, target="code", on_bad="skip").y.tolist() == TABLE.code.tolist()[1:]
    kept = es.GraphSet.from_dataframe(broken, target="code", on_bad="nan")
    assert kept.y.tolist() == TABLE.code.tolist() and kept.missing.tolist() == [True] + [False] * 23
    both = (
        es.GraphSet.from_dataframe(TABLE, target="code", backend="rdkit")
        if pytest.importorskip("rdkit", reason="needs rdkit")
        else None
    )
    assert both == es.GraphSet.from_dataframe(TABLE, target="code") and both.y.tolist() == TABLE.code.tolist()


def test_numbers_with_a_word_among_them_are_no_classes():
    numbers = [*(f"{at}.5" for at in range(23)), "n.d."]
    with pytest.raises(
        ValueError,
        match='target "y" looks like numbers, so each value must be a number or empty, but this one is "n.d."',
    ):
        es.GraphSet.from_dataframe(pandas.DataFrame({"smiles": SMILES, "y": numbers}), target="y")


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_columns_of_a_frame_are_x_and_y(frame):
    pick = getattr(frame, "select", lambda names: frame[names])
    model = es.EINClassifier(**QUICK).fit(frame["smiles"], frame["alcohol"])
    assert model.predict(frame["smiles"]).tolist() == model.predict(SMILES).tolist() == TABLE.alcohol.tolist()
    assert model.predict(pick(["smiles"])).tolist() == TABLE.alcohol.tolist()
    both = es.EINClassifier(**QUICK).fit(pick(["smiles"]), pick(["alcohol", "code"]))
    assert both.tasks_ == ["alcohol", "code"] and both.score(SMILES, pick(["code", "alcohol"])) == both.score(
        SMILES, TABLE[["alcohol", "code"]]
    )
    with pytest.raises(
        ValueError, match=r"X must be one column of SMILES or graphs, but has 2 \(\['smiles', 'code'\]\)"
    ):
        model.predict(pick(["smiles", "code"]))


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_bulk_prediction_takes_frames_and_the_columns_beside_the_graphs(frame):
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow (pip install pyarrow)")
    graphs = es.GraphSet.from_dataframe(TABLE, target="alcohol", features=["dose"])
    model = es.EINClassifier(**QUICK).fit(graphs)
    wanted = model.predict(graphs).tolist()
    for given in (frame, [frame], iter([frame])):
        found = pa.Table.from_batches(list(model.predict_batches(given)))
        assert (
            found.column("prediction").to_pylist() == wanted and found.column("dose").to_pylist() == TABLE.dose.tolist()
        )
    dropped = frame.drop(columns="dose") if frame is TABLE else None
    if dropped is not None:
        with pytest.raises(ValueError, match="each batch must have the column 'dose', but there are only"):
            next(model.predict_batches([dropped]))
        with pytest.raises(
            TypeError, match="batches must be Arrow record batches or tables, or data frames, got a str"
        ):
            next(model.predict_batches(["CCO"]))


def test_bad_rows_of_batches_with_columns():
    pytest.importorskip("pyarrow", reason="needs pyarrow (pip install pyarrow)")
    model = es.EINClassifier(**QUICK).fit(es.GraphSet.from_dataframe(TABLE, target="alcohol", features=["dose"]))
    bad = TABLE.assign(smiles=["C1CC", None, *SMILES[2:]])
    (kept,), (left,) = (list(model.predict_batches([bad], on_bad=how, probabilities=True)) for how in ("nan", "skip"))
    assert kept.column("prediction").to_pylist()[:3] == [None, None, True] and len(kept) == 24
    assert (
        left.column("smiles").to_pylist() == SMILES[2:]
        and left.column("prediction").to_pylist() == kept.column("prediction").to_pylist()[2:]
    )
    with pytest.raises(ValueError, match="row 0 must be a molecule"):
        next(model.predict_batches([bad[:1]]))


def test_joined_sets_keep_their_targets():
    one, other = (es.GraphSet.from_dataframe(TABLE[:3], target=name) for name in ("code", "number"))
    assert (one + one).y.tolist() == TABLE.code.tolist()[:3] * 2
    both = one + other
    assert both.target_names == ["code", "number"]
    assert both.y[:, 0].tolist() == [*TABLE.code[:3], None, None, None]
    assert np.array_equal(both.y[:, 1].astype(float), [np.nan] * 3 + TABLE.number.tolist()[:3], equal_nan=True)
    renamed = TABLE[:3].rename(columns={"number": "code"}).loc[:, lambda frame: ~frame.columns.duplicated(keep="last")]
    with pytest.raises(ValueError, match="a target must be classes in all sets or numbers in all, but code is both"):
        one + es.GraphSet.from_dataframe(renamed, target="code")


def test_subgraphs_that_are_pickled_together_hold_one_model():
    model = es.EINClassifier(max_edges=3, sizes=(8,), folds=2, threads=1).fit(SMILES, TABLE.alcohol)
    alone, together = len(pickle.dumps(model.patterns_[0])), len(pickle.dumps(model.patterns_))
    assert len(model.patterns_) > 3 and together < 1.5 * alone
    again = pickle.loads(pickle.dumps((model, model.patterns_)))
    assert again[1] == model.patterns_ == again[0].patterns_ and [one.count("CCO") for one in again[1]] == [
        one.count("CCO") for one in model.patterns_
    ]


def test_a_transformer_is_told_its_task(tmp_path):
    numbers = TABLE.dose.tolist()
    columns = {"max_edges": 1, "sizes": (1,), "head": "linear", "folds": 2}
    guessed, told = es.SubgraphTransformer(**columns), es.SubgraphTransformer(task="regress", **columns)
    assert (
        clone(told).task == "regress"
        and told.get_params()["head"] == "linear"
        and "task" in es.SubgraphTransformer()._get_param_names()
    )
    few = [float(at % 3) for at in range(24)]
    assert guessed.fit(SMILES, few).model_.tasks() != told.fit(SMILES, few).model_.tasks()
    assert guessed.fit(SMILES, numbers).model_.tasks() == told.fit(SMILES, numbers).model_.tasks()
    assert "number" in told.model_.tasks() and told.set_params(task="classify").fit(SMILES, few).classes_.tolist() == [
        0,
        1,
        2,
    ]
    told.save(tmp_path / "m")
    assert es.SubgraphTransformer.load(tmp_path / "m").task == "classify"
    with pytest.raises(ValueError, match="task must be one of auto, classify, regress, got 'numbers'"):
        es.SubgraphTransformer(task="numbers").fit(SMILES, few)


def test_messages_show_the_type_of_what_was_given():
    for given, shown in [("3", '"3"'), (3.5, "3.5"), (2.0, "2.0")]:
        with pytest.raises(ValueError, match=f"max_edges must be auto, or a whole number from 1 to 31, got {shown}$"):
            es.EINClassifier(max_edges=given).fit(SMILES, TABLE.alcohol)
    with pytest.raises(ValueError, match=r"max_edges must be .*, got 1\.0$"):
        es.experiment(
            es.EINClassifier(),
            SMILES,
            TABLE.alcohol,
            [(range(12), range(12, 24))],
            grid={"max_edges": np.arange(1.0, 3.0)},
        )


def test_attributes_go_to_networkx_and_back():
    class Data:
        edge_index, num_nodes = np.array([[0, 1], [1, 2]]), 3
        x = np.array([[1, 0, 0.5, 2.0], [0, 1, -1.5, 3.0], [1, 0, 0.25, 4.0]])

    graphs = es.GraphSet.from_pyg([Data()], vertex_labels=[0, 1], attributes=[2, 3])
    (made,) = graphs.to_networkx()
    assert [made.nodes[at]["attributes"] for at in range(3)] == Data.x[:, 2:].tolist()
    again = es.GraphSet.from_networkx([made])
    assert np.array_equal(again[0].attributes, Data.x[:, 2:]) and again[0].vertices == graphs[0].vertices
