"""Bulk prediction over Arrow record batches, for Spark, Dask, Ray and Polars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np


class BatchPredictor:
    """`predict_batches` for estimators with `predict` and perhaps `predict_proba`."""

    def predict_batches(self, batches: Iterable[Any], column: str = "smiles", *, probabilities: bool = False) -> Iterator[Any]:
        """Predictions for a stream of Arrow record batches (or tables), batch by batch, so that memory stays small.

        Each batch comes back as a record batch with all its columns and a column ``prediction``; with `probabilities` also
        one column ``probability_<class>`` per class. The graphs are SMILES in `column`. It can be the function of Spark's
        ``mapInArrow``: ``df.mapInArrow(model.predict_batches, schema)``.
        """
        import pyarrow as pa

        for batch in batches:
            if column not in batch.schema.names:
                raise ValueError(f"each batch must have the column {column!r}, but there are only {batch.schema.names}")
            if isinstance(batch, pa.Table):
                batch = batch.combine_chunks()
            columns = {name: batch.column(name) for name in batch.schema.names}
            graphs = batch.column(column).to_pylist()
            columns["prediction"] = pa.array(self._call(graphs, "predict"))
            if probabilities:
                probability = self._call(graphs, "predict_proba").reshape(len(graphs), len(self.classes_))
                for at, name in enumerate(self.classes_):
                    columns[f"probability_{name}"] = pa.array(np.ascontiguousarray(probability[:, at]))
            table = pa.table(columns)
            yield from table.to_batches() or [pa.RecordBatch.from_arrays([pa.array([], f.type) for f in table.schema], schema=table.schema)]

    def _call(self, graphs: list[Any], method: str) -> np.ndarray:
        if graphs:
            return getattr(self, method)(graphs)
        # An empty batch must have the types of the others.
        return np.empty(0, dtype=getattr(self, "classes_", np.empty(0)).dtype if method == "predict" else float)
