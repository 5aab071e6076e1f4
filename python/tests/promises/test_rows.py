"""Rows stay aligned: what cannot be read is an error that names the row, is left out, or is NaN in its place."""

import warnings

import numpy as np
import pytest
from program import SMILES

import einsicht as es

QUICK = {"max_edges": 2, "sizes": (1, 2), "head": "linear", "threads": 1}
Y = np.array([int("O" in text) for text in SMILES])
BAD = {3: None, 11: float("nan"), 20: "C1CC", 39: "no molecule"}
ROWS = [BAD.get(at, text) for at, text in enumerate(SMILES)]
GOOD = np.array([at not in BAD for at in range(len(SMILES))])


@pytest.fixture(scope="module")
def fitted():
    return es.EINClassifier(**QUICK).fit([text for text, good in zip(SMILES, GOOD, strict=True) if good], Y[GOOD])


@pytest.mark.parametrize("at", BAD)
def test_a_bad_row_is_an_error_that_names_it(at, fitted):
    rows = [BAD[at] if place == at else text for place, text in enumerate(SMILES)]
    for use in (
        lambda: es.EINClassifier(**QUICK).fit(rows, Y),
        lambda: fitted.predict(rows),
        lambda: es.GraphSet.from_smiles(rows),
    ):
        with pytest.raises((TypeError, ValueError), match=rf"(index|row) {at}\b"):
            use()
    model = es.EINClassifier(**QUICK)
    with pytest.raises((TypeError, ValueError)):
        model.fit(rows, Y)
    assert not hasattr(model, "model_") and not hasattr(model, "classes_")


@pytest.mark.parametrize("on_bad", ["skip", "nan"])
@pytest.mark.parametrize("kind", [es.EINClassifier, es.EINRegressor])
def test_fit_leaves_bad_rows_out(on_bad, kind):
    texts = [text for text, good in zip(SMILES, GOOD, strict=True) if good]
    weights = np.linspace(1, 2, len(SMILES))
    wanted = kind(**QUICK).fit(texts, Y[GOOD], sample_weight=weights[GOOD])
    for by_parameter in (True, False):
        model = kind(**QUICK, **({"on_bad": on_bad} if by_parameter else {}))
        with pytest.warns(UserWarning, match="4 of 40 rows cannot be read and are left out, the first is row 3"):
            model.fit(ROWS, Y, sample_weight=weights, **({} if by_parameter else {"on_bad": on_bad}))
        assert (
            model.model_.to_json().replace(" ", "").split('"rows"')[0]
            == wanted.model_.to_json().replace(" ", "").split('"rows"')[0]
        )
        assert (model.predict(texts) == wanted.predict(texts)).all()
    with pytest.warns(UserWarning, match="left out"):
        model.fit(texts, Y[GOOD], eval_set=(ROWS, Y), on_bad=on_bad)


def test_predictions_stay_aligned(fitted):
    texts = [text for text, good in zip(SMILES, GOOD, strict=True) if good]
    for use, empty in [(fitted.predict, None), (fitted.predict_proba, np.nan)]:
        wanted = use(texts)
        assert (use(ROWS, on_bad="skip") == wanted).all()
        aligned = use(ROWS, on_bad="nan")
        assert len(aligned) == len(ROWS) and (aligned[GOOD] == wanted).all()
        assert all(value is None if empty is None else np.isnan(value).all() for value in aligned[~GOOD])
    lenient = es.EINClassifier(**QUICK, on_bad="nan")
    with pytest.warns(UserWarning, match="left out"):
        lenient.fit(ROWS, Y)
    assert np.isnan(lenient.transform(ROWS)[~GOOD]).all() and np.isnan(lenient.decision_function(ROWS)[~GOOD]).all()
    assert lenient.score(ROWS, Y) == 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert lenient.evaluate(ROWS, Y)["seen"]["graphs"] == GOOD.sum()
    with pytest.raises(ValueError, match="graph 3 could not be read, and 4 in all: leave them out"):
        lenient.explain(es.GraphSet.from_smiles(ROWS, on_bad="nan"))
    assert (fitted.predict([None, "C1CC"], on_bad="nan") == np.array([None, None])).all()
    assert len(fitted.predict([None, "C1CC"], on_bad="skip")) == 0
    with pytest.raises(ValueError, match="on_bad must be one of stop, skip, nan, got 'drop'"):
        fitted.predict(ROWS, on_bad="drop")


@pytest.mark.parametrize("kind", [es.EINClassifier, es.EINRegressor])
def test_rows_that_are_skipped_have_no_score(kind):
    skipping = kind(**QUICK, on_bad="skip")
    with pytest.warns(UserWarning, match="left out"):
        skipping.fit(ROWS, Y)
    texts = [text for text, good in zip(SMILES, GOOD, strict=True) if good]
    assert (
        skipping.score(ROWS, Y, sample_weight=np.ones(len(Y)))
        == skipping.score(ROWS, Y)
        == skipping.score(texts, Y[GOOD])
    )
    with pytest.warns(UserWarning, match="left out"):
        assert "36 graphs" in skipping.report(X=ROWS, y=Y)


def test_sets_keep_places_of_bad_rows(fitted):
    skipped, kept = (es.GraphSet.from_smiles(ROWS, on_bad=on_bad) for on_bad in ("skip", "nan"))
    assert len(skipped) == GOOD.sum() and set(skipped.skipped) == set(BAD) and not skipped.missing.any()
    assert len(kept) == len(ROWS) and (kept.missing == ~GOOD).all() and set(kept.skipped) == set(BAD)
    assert kept[2:5].missing.tolist() == [False, True, False] and (kept + kept[:4]).missing.sum() == 5
    assert (fitted.predict(kept)[GOOD] == fitted.predict(skipped)).all() and fitted.predict(kept)[3] is None
    assert kept[~kept.missing] == skipped
    with pytest.warns(UserWarning, match="left out"):
        assert es.EINClassifier(**QUICK).fit(kept, Y).score(kept, Y) == 1.0


def test_graphs_of_other_libraries_and_files(tmp_path):
    networkx = pytest.importorskip("networkx", reason="needs networkx (pip install networkx)")
    good = networkx.path_graph(2)
    for make, graphs in [
        (
            es.GraphSet.from_networkx,
            [good, networkx.DiGraph([(0, 1)]), None, networkx.MultiGraph([(0, 1), (0, 1)]), good],
        ),
        (es.GraphSet.from_edges, [[(0, 1)], [(0,)], None, [(0, "a")], [(0, 1)]]),
    ]:
        with pytest.raises((TypeError, ValueError)):
            make(graphs)
        assert len(make(graphs, on_bad="skip")) == 2
        assert make(graphs, on_bad="nan").missing.tolist() == [False, True, True, True, False]
    path = tmp_path / "table.csv"
    path.write_text("smiles,y\nCC,1\nC1CC,0\n,1\nCO,0\n")
    read = es.GraphSet.read(path, on_bad="nan")
    assert read.missing.tolist() == [False, True, True, False] and len(read.y) == 4


def test_molecules_of_rdkit_that_are_none():
    Chem = pytest.importorskip("rdkit.Chem", reason="needs rdkit (pip install rdkit)")
    molecules = [Chem.MolFromSmiles("CCO"), None, Chem.MolFromSmiles("CCN")]
    with pytest.raises(TypeError, match="index 1 must be a molecule of RDKit, but is None"):
        es.GraphSet.from_rdkit(molecules)
    assert es.GraphSet.from_rdkit(molecules, on_bad="nan").missing.tolist() == [False, True, False]
    assert es.GraphSet.from_smiles(["CCO", "C1CC"], backend="rdkit", on_bad="nan").missing.tolist() == [False, True]


def test_batches_of_arrow(fitted):
    pa = pytest.importorskip("pyarrow")
    rows = [text if isinstance(text, str) else None for text in ROWS]
    batch = pa.record_batch({"smiles": rows, "row": list(range(len(rows)))})
    with pytest.raises(TypeError, match="index 3"):
        list(fitted.predict_batches([batch]))
    (kept,) = fitted.predict_batches([batch], probabilities=True, on_bad="nan")
    assert kept.num_rows == len(rows) and kept["prediction"].null_count == 4
    (skipped,) = fitted.predict_batches([batch], on_bad="skip")
    assert skipped["row"].to_pylist() == np.flatnonzero(GOOD).tolist()
    both = es.EINClassifier(**QUICK).fit(SMILES, np.column_stack([Y, 1 - Y]))
    (several,) = both.predict_batches([pa.record_batch({"smiles": SMILES})], probabilities=True)
    names = [
        "prediction_y0",
        "prediction_y1",
        "probability_y0_0",
        "probability_y0_1",
        "probability_y1_0",
        "probability_y1_1",
    ]
    assert several.schema.names == ["smiles", *names]
    assert (np.column_stack([several[name] for name in names[:2]]) == both.predict(SMILES)).all()


def test_splits_of_an_experiment_are_rows_of_x():
    splits = [(list(range(0, 30)), list(range(30, 35)), list(range(35, 40)))]
    texts, place = [text for text, good in zip(SMILES, GOOD, strict=True) if good], np.cumsum(GOOD) - 1
    clean = [tuple([int(place[row]) for row in part if GOOD[row]] for part in split) for split in splits]
    with pytest.warns(UserWarning, match="left out"):
        found = es.experiment(es.EINClassifier(**QUICK, on_bad="skip"), ROWS, Y, splits)
    assert found.mean == es.experiment(es.EINClassifier(**QUICK), texts, Y[GOOD], clean).mean


def test_warnings_name_the_line_of_the_caller(fitted):
    with pytest.warns(UserWarning, match="left out") as caught:
        es.EINClassifier(**QUICK, on_bad="skip").fit(ROWS, Y)
    with pytest.warns(UserWarning, match="labels that no training graph has") as unknown:
        fitted.score(["[Xe]", "CCO"], [0, 1])
    assert {one.filename for one in (*caught, *unknown)} == {__file__}
