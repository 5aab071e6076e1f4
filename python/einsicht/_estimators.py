"""Estimators with the interface of scikit-learn."""

from __future__ import annotations

import inspect
from typing import Any, Literal, TypeVar, Unpack

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from einsicht._base import BaseEIN
from einsicht._data import scores
from einsicht._data.checks import word
from einsicht._data.targets import FEW, as_table, check_discrete, in_columns_of, ranks, without_gaps
from einsicht._docstrings import documented, without_examples
from einsicht._parameters import TrainOptions, TrainParameters
from einsicht._training.batches import BatchPredictor
from einsicht._training.held_out import scattered


T = TypeVar("T", bound=type)

PARAMETERS_HEADER = "Parameters\n----------\n"


def _documented(estimator: T) -> T:
    """Adds the common parameters to the documentation of an estimator."""
    text, examples = without_examples(inspect.cleandoc(estimator.__doc__ or ""))
    text, header, own = text.partition(PARAMETERS_HEADER)
    head, _, common = inspect.cleandoc(TrainParameters.__doc__ or "").partition("\n\n")
    parts = [text.rstrip(), head, "\n".join([*([own] if header else []), common]), examples]
    estimator.__doc__ = "\n\n".join(parts) + "\n"
    return estimator


@_documented
@documented
class EINClassifier(BatchPredictor, ClassifierMixin, BaseEIN):
    """Classify graphs by the subgraphs that they contain.

    After `fit`: ``classes_``, ``patterns_`` (the subgraphs), ``path_`` (every model of the path), ``estimate_`` (how
    well the training predicts graphs that it has not seen), ``n_iter_``, ``search_stats_``, ``model_``.

    Examples
    --------
    >>> import einsicht as es
    >>> smiles = ["CCO", "CCCO", "CC(O)C", "CCCCO", "CCN", "CCCN", "CC(N)C", "CCCCN"] * 3
    >>> kinds = ["alcohol" if "O" in text else "amine" for text in smiles]
    >>> model = es.EINClassifier(max_edges=2, sizes=(1, 2)).fit(smiles, kinds)
    >>> model.predict(["CCCCCO", "NCCCC"]).tolist()
    ['alcohol', 'amine']
    >>> model.patterns_
    [<Pattern O, in 12 graphs>]
    """

    def _is_classifier(self, y: Any) -> bool:
        if y is not None:
            check_discrete(y)
        return True

    def _check_kind(self) -> None:
        if any(names is None for names in self._classes):
            raise ValueError("the model predicts numbers: load it with EINRegressor.load")

    def predict(self, X: Any, on_bad: str | None = None) -> np.ndarray:
        """The class of each graph.

        on_bad : what to do with rows that cannot be read, None and NaN included: "stop" is an error that names the row,
            "skip" leaves them out, "nan" predicts None for them. None is the parameter of the estimator.
        """
        predictions, scatter = self._predictions(X, on_bad)
        return self._columns([scatter(column) for column in self._predicted_classes(predictions)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy over the graphs that have a value. With several tasks a graph counts as right if all its values are.
        """
        return scores.accuracy(in_columns_of(y, self.tasks_), self._aligned(X), sample_weight)

    def predict_proba(self, X: Any, on_bad: str | None = None) -> Any:
        """Probabilities of the classes, in the order of `classes_`; a list of these with several tasks. `on_bad` is
        that of `predict`.
        """
        predictions, scatter = self._predictions(X, on_bad)
        tables = [scatter(table) for table in self._probabilities(predictions)]
        return tables[0] if self._single else tables

    def out_of_fold_predict(self, X: Any = None) -> np.ndarray:
        """The class of each graph by a model that had not seen it (default: the training data); None where there is no
        such prediction, and then the array is one of objects: for graphs that the model has never seen, and those that
        no fold held out."""
        predictions, places, count = self._out_of_fold(X)
        return self._columns([scattered(column, places, count) for column in self._predicted_classes(predictions)])

    def out_of_fold_predict_proba(self, X: Any = None) -> np.ndarray | list[np.ndarray]:
        """The same as probabilities, in the form of `predict_proba`; NaN where there is no such prediction."""
        predictions, places, count = self._out_of_fold(X)
        tables = [scattered(table, places, count) for table in self._probabilities(predictions)]
        return tables[0] if self._single else tables

    def _predicted_classes(self, predictions: list[tuple[np.ndarray, np.ndarray | None]]) -> list[np.ndarray]:
        columns = []
        for (indices, _), classes in zip(predictions, self._classes, strict=True):
            by_rank = np.argsort(ranks(classes))
            columns.append(classes[by_rank[indices.astype(int)]])
        return columns

    def _probabilities(self, predictions: list[tuple[np.ndarray, np.ndarray | None]]) -> list[np.ndarray]:
        empty = [np.empty((0, len(classes))) for classes in self._classes]
        tables = [none if table is None else table for (_, table), none in zip(predictions, empty, strict=True)]
        return [table[:, ranks(classes)] for table, classes in zip(tables, self._classes, strict=True)]

    def decision_function(self, X: Any) -> np.ndarray | list[np.ndarray]:
        """Logits: of the second of two classes, or one column per class. With several tasks: one column per task if all
        have two classes, else a list."""
        graphs, scatter = self._readable(X, None)
        outputs = scatter(self.model_.outputs(graphs._core, self._entry, self._threads))
        tables, first = [], 0
        for classes in self._classes:
            order = ranks(classes)
            if len(classes) == 2:
                tables.append(outputs[:, first] if order[0] == 0 else -outputs[:, first])
                first += 1
            else:
                tables.append(outputs[:, first : first + len(classes)][:, order])
                first += len(classes)
        if self._single:
            return tables[0]
        return np.column_stack(tables) if all(table.ndim == 1 for table in tables) else tables


@_documented
@documented
class EINRegressor(BatchPredictor, RegressorMixin, BaseEIN):
    """Regression: predict numbers from the subgraphs that graphs contain.

    After `fit`: ``patterns_`` (the subgraphs), ``path_`` (every model of the path), ``estimate_`` (how well the
    training predicts graphs that it has not seen), ``n_iter_``, ``search_stats_``, ``model_``.

    Examples
    --------
    >>> import einsicht as es
    >>> smiles = ["C" * size + tail for size in range(1, 9) for tail in ("O", "N", "Cl")]
    >>> weights = [14.0 * text.count("C") + (17 if "O" in text else 16) for text in smiles]
    >>> model = es.EINRegressor(max_edges=1, sizes=(1, 2, 3)).fit(smiles, weights)
    >>> model.predict(smiles).shape
    (24,)
    """

    def _is_classifier(self, y: Any) -> bool:
        return False

    def _check_kind(self) -> None:
        if any(names is not None for names in self._classes):
            raise ValueError("the model predicts classes: load it with EINClassifier.load")

    def predict(self, X: Any, on_bad: str | None = None) -> np.ndarray:
        """The predicted value of each graph.

        on_bad : what to do with rows that cannot be read, None and NaN included: "stop" is an error that names the row,
            "skip" leaves them out, "nan" predicts NaN for them. None is the parameter of the estimator.
        """
        predictions, scatter = self._predictions(X, on_bad)
        return self._columns([scatter(values) for values, _ in predictions])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The coefficient of determination over the graphs that have a value; the mean over the tasks."""
        return scores.r2(in_columns_of(y, self.tasks_), self._aligned(X), sample_weight)

    def out_of_fold_predict(self, X: Any = None) -> np.ndarray:
        """The value of each graph that a model predicts that had not seen it (default: the training data); NaN where
        there is no such prediction: for graphs that the model has never seen, and those that no fold held out."""
        predictions, places, count = self._out_of_fold(X)
        return self._columns([scattered(values, places, count) for values, _ in predictions])


@_documented
class SubgraphTransformer(BaseEIN):
    """Turn graphs into columns: counts, or presences, of a few predictive subgraphs.

    The subgraphs are those that predict y best: found as by `EINClassifier` (``task="classify"``) or `EINRegressor`
    (``task="regress"``). Both of these have `transform` too.

    Parameters
    ----------
    task : {"auto", "classify", "regress"}, default "auto"
        What y is. auto: classes if they are words or at most 20 different integers, which may differ between parts of
        the data, such as folds: where y is numbers, say so.

    Examples
    --------
    >>> import einsicht as es
    >>> smiles = ["CCO", "CCCO", "CC(O)C", "CCCCO", "CCN", "CCCN", "CC(N)C", "CCCCN"] * 3
    >>> columns = es.SubgraphTransformer(max_edges=1, sizes=(1,), feature="presence")
    >>> columns.fit(smiles, ["O" in text for text in smiles]).transform(["CCN", "CCO"]).tolist()
    [[1.0], [0.0]]
    """

    def __init__(
        self, *, task: Literal["auto", "classify", "regress"] = "auto", **parameters: Unpack[TrainOptions]
    ) -> None:
        super().__init__(**parameters)
        self.task = task

    def _check_kind(self) -> None:
        self.task = "regress" if all(names is None for names in self._classes) else "classify"

    def _is_classifier(self, y: Any) -> bool:
        if word("task", self.task, ("auto", "classify", "regress")) != "auto":
            if self.task == "classify" and y is not None:
                check_discrete(y)
            return self.task == "classify"
        seen = without_gaps(as_table(y).ravel())
        if seen.dtype.kind not in "biuf":
            return y is not None
        seen = seen[np.isfinite(seen)]
        return bool((seen == np.floor(seen)).all()) and len(np.unique(seen)) <= FEW


def _with_all_parameters(estimator: type) -> None:
    """Tells scikit-learn, and help, of the parameters behind ``**parameters``."""
    constructors: list[Any] = [estimator.__init__, TrainParameters.__init__]  # type: ignore[misc]
    own, common = (inspect.signature(constructor).parameters.values() for constructor in constructors)
    named = [parameter for parameter in own if parameter.kind is not parameter.VAR_KEYWORD]
    all_of_them = [*named, *(parameter for parameter in common if parameter.name != "self")]
    estimator.__init__.__signature__ = inspect.Signature(all_of_them)  # type: ignore[misc,attr-defined]


_with_all_parameters(SubgraphTransformer)
