"""Columns of numbers beside the graphs: they stay with their graphs, are learnt, and get the credit by name."""

import pickle

import numpy as np
import pandas as pd
import pytest
from program import einsicht
from sklearn.model_selection import cross_val_score, train_test_split

import einsicht as es

QUICK = {"max_edges": 1, "sizes": (1, 2)}


def frame(count=120):
    rows = np.arange(count)
    smiles = ["C" * (at % 5 + 1) + ["O", "N", "Cl"][at % 3] for at in rows]
    dose, noise = rows * 37 % 100 / 10, rows * 61 % 83 - 40.0
    return pd.DataFrame(
        {"smiles": smiles, "dose": dose, "noise": noise, "active": ((rows % 3 == 0) & (dose > 5)).astype(int)}
    )


@pytest.fixture(scope="module")
def table():
    return frame()


@pytest.fixture(scope="module")
def fitted(table):
    graphs = es.GraphSet.from_smiles(table.smiles, features=table[["dose", "noise"]])
    return es.EINClassifier(**QUICK).fit(graphs, table.active), graphs


def test_models_with_columns_are_those_of_the_program(tmp_path, table, fitted):
    table.to_csv(tmp_path / "assay.csv", index=False)
    einsicht(
        "train",
        tmp_path / "assay.csv",
        "--columns",
        "dose",
        "noise",
        "--target",
        "active",
        "--max-edges",
        1,
        "--sizes",
        "1,2",
        "-o",
        tmp_path / "m",
    )
    model, graphs = fitted
    program = es.EINClassifier.load(tmp_path / "m")
    assert (program.predict_proba(graphs) == model.predict_proba(graphs)).all()
    read = es.GraphSet.read(tmp_path / "assay.csv", target="active", features=["dose", "noise"])
    assert list(read.features) == ["dose", "noise"] and (read.features["dose"] == table.dose).all()
    again = es.EINClassifier(**QUICK).fit(read)
    assert again.model_.to_bytes() == (tmp_path / "m").read_bytes()
    model.save(tmp_path / "saved")
    found = einsicht("predict", tmp_path / "saved", tmp_path / "assay.csv")["predictions"]
    assert [one["probabilities"] for one in found][0] == pytest.approx(
        dict(zip(["0", "1"], model.predict_proba(graphs)[0], strict=True)), abs=1e-9
    )


def test_columns_stay_with_their_graphs(table, fitted):
    _, graphs = fitted
    some = graphs[[5, 3]]
    assert (some.features["dose"] == table.dose[[5, 3]].to_numpy()).all()
    assert (pickle.loads(pickle.dumps(some)).features["noise"] == some.features["noise"]).all()
    train, test = train_test_split(graphs, random_state=0)
    assert (train + test) != graphs and len((train + test).features["dose"]) == len(graphs)
    assert graphs.with_features(None) == es.GraphSet.from_smiles(table.smiles) != graphs
    assert graphs.with_features(None).with_features(table[["dose", "noise"]]) == graphs
    for given in (table[["dose"]].to_dict("list"), table.dose, table[["dose"]].astype("Float64")):
        assert (es.GraphSet.from_smiles(table.smiles, features=given).features["dose"] == table.dose).all()
    assert list(es.GraphSet.from_smiles(["C"], features=[[1, True]]).features) == ["feature_0", "feature_1"]
    by_frame = es.GraphSet.from_dataframe(table, target="active", features=["dose", "noise"])
    assert by_frame == graphs and (by_frame.y == table.active).all()
    nx = graphs[:4].to_networkx()
    assert (es.GraphSet.from_networkx(nx, features=table[["dose"]][:4]).features["dose"] == table.dose[:4]).all()


def test_the_column_that_decides_gets_the_credit(table, fitted):
    model, graphs = fitted
    why = model.explain(graphs)
    assert why.names[-2:] == ["dose", "noise"]
    sizes = np.abs(why.values[:, :, 0]).mean(axis=0)
    assert sizes[-2] > 5 * sizes[-1]
    assert (why.data[:, -2] == table.dose).all()
    assert np.abs(why.residual).max() < 1e-9
    # A column is never absent, whatever its value.
    first = table.dose.tolist().index(0.0)
    assert not why.decided_by(first).startswith("absence of dose") and "dose" not in why.absences(first)
    linear = es.EINClassifier(**QUICK, head="linear").fit(graphs, table.active)
    assert linear.coef_.shape == linear.terms(graphs)[:1].shape and linear.term_names_.tolist()[-2:] == [
        "standardised(dose)",
        "standardised(noise)",
    ]
    effects = model.effects(graphs)
    assert "column dose" in effects.shares and effects.names[-2:] == ["dose", "noise"]
    assert effects.values[-2, 0] > 0.1 > abs(effects.values[-1, 0])
    plain = cross_val_score(
        es.EINClassifier(**QUICK), graphs.with_features(None), table.active, scoring="roc_auc", cv=3
    ).mean()
    with_columns = cross_val_score(es.EINClassifier(**QUICK), graphs, table.active, scoring="roc_auc", cv=3).mean()
    assert with_columns > plain + 0.05


def test_columns_that_are_missing_or_no_numbers_are_refused(table, fitted):
    model, _ = fitted
    with pytest.raises(
        ValueError,
        match=(
            r"reads the feature dose of each graph, but the data set has no features: give the graphs with it, as in"
            r" GraphSet"
        ),
    ):
        model.predict(list(table.smiles))
    smiles = ["C", "CC", "CCO"]
    with pytest.raises(ValueError, match="features must have one row per graph, but 'dose' has 2 for 3 graphs"):
        es.GraphSet.from_smiles(smiles, features={"dose": [1, 2]})
    with pytest.raises(TypeError, match="feature 'dose' must hold numbers, but row 1 is 'high'"):
        es.GraphSet.from_smiles(smiles, features={"dose": [1, "high", 2]})
    with pytest.raises(
        ValueError, match='in row 1, column "dose" is a feature and must be a finite number in every row, but is empty'
    ):
        es.GraphSet.from_smiles(smiles, features={"dose": [1, None, 2]})
    with pytest.raises(ValueError, match="must be different|different names"):
        es.GraphSet.from_smiles(smiles, features=pd.DataFrame([[1, 2]] * 3, columns=["a", "a"]))
    kept = es.GraphSet.from_smiles(smiles, features={"dose": [1, float("nan"), 2]}, on_bad="nan")
    assert kept.missing.tolist() == [False, True, False] and "dose" in kept.skipped[1]
    assert len(es.GraphSet.from_smiles(smiles, features={"dose": [1, pd.NA, 2]}, on_bad="skip")) == 2
    with pytest.raises(ValueError, match="need head blend, linear or forest"):
        es.EINClassifier(preset="ein", max_edges=1, sizes=(1,)).fit(
            es.GraphSet.from_smiles(smiles * 4, features={"dose": np.arange(12.0)}), [0, 1, 0] * 4
        )
