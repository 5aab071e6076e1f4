"""Bulk prediction over Arrow record batches and data frames, for Spark, Dask, Ray and Polars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from einsicht._data.reading import of_model
from einsicht._data.rows import kind_of
from einsicht._data.tables import as_arrow
from einsicht._docstrings import documented


@documented
class BatchPredictor:
    """`predict_batches` for estimators with `predict` and perhaps `predict_proba`."""

    def predict_batches(
        self, batches: Iterable[Any], column: str = "smiles", *, probabilities: bool = False, on_bad: str | None = None
    ) -> Iterator[Any]:
        """Predictions for a stream of Arrow record batches (or tables, or data frames of polars or pandas), batch by
        batch, so that memory stays small.

        Each batch comes back as a record batch with all its columns and a column ``prediction``; with `probabilities`
        also one column ``probability_<class>`` per class. With several tasks: ``prediction_<task>`` and
        ``probability_<task>_<class>``. The graphs are SMILES in `column`; columns that the model reads beside them
        (``features``) are found by their names. It can be the function of Spark's ``mapInArrow``:
        ``df.mapInArrow(model.predict_batches, schema)``.

        on_bad : what to do with rows that cannot be read, nulls included: "stop" is an error that names the row of the
            batch, "skip" leaves them out of the batch, "nan" has null or NaN as their prediction. None is the parameter
            of the estimator.
        """
        import pyarrow as pa

        check_is_fitted(self, "model_")
        on_bad = self.on_bad if on_bad is None else on_bad
        # A single one may be given too.
        for batch in batches if as_arrow(batches) is None else [batches]:
            given = as_arrow(batch)
            if given is None:
                raise TypeError(f"batches must be Arrow record batches or tables, or data frames, got {kind_of(batch)}")
            table = pa.table({name: given.column(name) for name in given.schema.names})
            graphs = self._graphs_of(table, column, on_bad)
            if on_bad == "skip" and graphs:
                there = np.flatnonzero(~graphs.missing)
                table, graphs = table.take(pa.array(there)), graphs[there]
            for name, values in self._batch_columns(graphs, probabilities, on_bad):
                table = table.append_column(name, pa.array(values))
            yield from table.to_batches() or [
                pa.RecordBatch.from_arrays([pa.array([], f.type) for f in table.schema], schema=table.schema)
            ]

    def _graphs_of(self, table: Any, column: str, on_bad: str) -> Any:
        """The graphs of a batch, with the columns that the model reads beside them; an empty list if it has no rows."""
        beside = [name for name, _, is_column in self.model_.side_inputs() if is_column]
        for name in [column, *beside]:
            if name not in table.column_names:
                raise ValueError(f"each batch must have the column {name!r}, but there are only {table.column_names}")
        how = of_model(self.model_).keeping_rows(on_bad)
        if beside:
            how = how._replace(options={**how.options, "features": table.select(beside)})
        return self._as_graphs(table.column(column), how) if len(table) else []

    def _batch_columns(self, graphs: Any, probabilities: bool, on_bad: str) -> Iterator[tuple[str, np.ndarray]]:
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
        tables = (
            self.predict_proba(graphs, on_bad) if graphs else [np.empty((0, len(classes))) for classes in self._classes]
        )
        for name, table, classes in zip(
            names, [tables] if self._single and graphs else tables, self._classes, strict=True
        ):
            for at, label in enumerate(classes):
                yield f"probability{name}_{label}", np.ascontiguousarray(table[:, at])
