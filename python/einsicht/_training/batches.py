"""Bulk prediction over Arrow record batches, for Spark, Dask, Ray and Polars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from einsicht._data.reading import of_model
from einsicht._docstrings import documented


@documented
class BatchPredictor:
    """`predict_batches` for estimators with `predict` and perhaps `predict_proba`."""

    def predict_batches(
        self, batches: Iterable[Any], column: str = "smiles", *, probabilities: bool = False, on_bad: str | None = None
    ) -> Iterator[Any]:
        """Predictions for a stream of Arrow record batches (or tables), batch by batch, so that memory stays small.

        Each batch comes back as a record batch with all its columns and a column ``prediction``; with `probabilities` also
        one column ``probability_<class>`` per class. With several tasks: ``prediction_<task>`` and ``probability_<task>_<class>``.
        The graphs are SMILES in `column`. It can be the function of Spark's
        ``mapInArrow``: ``df.mapInArrow(model.predict_batches, schema)``.

        on_bad : what becomes of rows that cannot be read, nulls among them: "stop" is an error that names the row of the batch, "skip"
            leaves them out of the batch, "nan" has null or NaN as their prediction. None is the parameter of the estimator.
        """
        import pyarrow as pa

        check_is_fitted(self, "model_")
        for batch in batches:
            if not hasattr(batch, "schema"):
                raise TypeError(f"batches must be Arrow record batches or tables, got a {type(batch).__name__} (pyarrow.RecordBatch.from_pandas makes one of a data frame)")
            if column not in batch.schema.names:
                raise ValueError(f"each batch must have the column {column!r}, but there are only {batch.schema.names}")
            table = pa.table({name: batch.column(name) for name in batch.schema.names})
            graphs = batch.column(column).to_pylist()
            if (self.on_bad if on_bad is None else on_bad) == "skip" and graphs:
                there = np.flatnonzero(~self._as_graphs(graphs, of_model(self.model_).keeping_rows("nan")).missing)
                table, graphs = table.take(pa.array(there)), [graphs[at] for at in there]
            for name, values in self._batch_columns(graphs, probabilities, on_bad):
                table = table.append_column(name, pa.array(values))
            yield from table.to_batches() or [pa.RecordBatch.from_arrays([pa.array([], f.type) for f in table.schema], schema=table.schema)]

    def _batch_columns(self, graphs: list[Any], probabilities: bool, on_bad: str | None) -> Iterator[tuple[str, np.ndarray]]:
        """The columns of predictions, with their names."""
        # An empty batch must have the types of the others.
        types = [float if classes is None else classes.dtype for classes in self._classes]
        empty = [np.empty(0, dtype) for dtype in types]
        predicted = self.predict(graphs, on_bad) if graphs else None
        columns = empty if predicted is None else [predicted] if self._single else list(predicted.T)
        names = [""] if self._single else [f"_{task}" for task in self.tasks_]
        for name, values in zip(names, columns, strict=True):
            yield f"prediction{name}", values
        if not probabilities:
            return
        tables = self.predict_proba(graphs, on_bad) if graphs else [np.empty((0, len(classes))) for classes in self._classes]
        for name, table, classes in zip(names, [tables] if self._single and graphs else tables, self._classes, strict=True):
            for at, label in enumerate(classes):
                yield f"probability{name}_{label}", np.ascontiguousarray(table[:, at])
