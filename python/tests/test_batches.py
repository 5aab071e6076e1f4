"""Bulk prediction over Arrow batches is prediction."""

import numpy as np
import pytest

es = pytest.importorskip("einsicht")
pa = pytest.importorskip("pyarrow", reason="needs pyarrow (pip install pyarrow)")

SMILES = ["CCO", "CCCO", "OCC(C)C", "CC(O)C", "CCCCO", "CCN", "CCCN", "NCC(C)C", "CC(N)C", "CCCCN"] * 4


@pytest.fixture(scope="module")
def model():
    y = ["alcohol" if "O" in text else "amine" for text in SMILES]
    return es.EINClassifier(max_edges=2, sizes=(1, 2)).fit(SMILES, y)


def batches(size):
    table = pa.table({"id": list(range(len(SMILES))), "smiles": SMILES})
    return table.to_batches(max_chunksize=size)


@pytest.mark.parametrize("size", [1, 7, 40])
def test_predict_batches_equals_predict(model, size):
    given = batches(size)
    found = list(model.predict_batches(iter(given), probabilities=True))
    assert len(found) == len(given) and all(isinstance(batch, pa.RecordBatch) for batch in found)
    table = pa.Table.from_batches(found)
    assert table.column("id").to_pylist() == list(range(len(SMILES)))
    assert table.column("prediction").to_pylist() == list(model.predict(SMILES))
    columns = [table.column(f"probability_{name}").to_numpy() for name in model.classes_]
    assert (np.column_stack(columns) == model.predict_proba(SMILES)).all()


def test_batches_are_read_one_at_a_time_and_may_be_empty(model):
    seen = []

    def stream():
        for batch in batches(20):
            seen.append(len(batch))
            yield batch.slice(0, 0)
            yield batch

    answers = model.predict_batches(stream())
    assert not seen
    first = next(answers)
    assert len(first) == 0 and seen == [20]
    assert next(answers).schema == first.schema


def test_a_missing_column_is_named(model):
    with pytest.raises(ValueError, match="each batch must have the column 'mol', but there are only"):
        next(model.predict_batches(batches(5), column="mol"))
