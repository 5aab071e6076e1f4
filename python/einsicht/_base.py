"""What all estimators have: training, files, explanations. Rust computes, and holds parameters and their ranges."""

from __future__ import annotations

import copy
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from einsicht import _core
from einsicht._data.checks import file_name, warn, whole
from einsicht._data.classes import described as described_classes
from einsicht._data.classes import restored
from einsicht._data.convert import as_graph_set
from einsicht._data.graph_set import GraphSet
from einsicht._data.reading import ReadAs, of_model, parameters_of
from einsicht._data.targets import Task, native, tasks_of
from einsicht._docstrings import documented, takes_options_of
from einsicht._explanation import coefficients
from einsicht._explanation.attributions import Explanation, explain, tasks_named
from einsicht._explanation.effects import Effects, effects
from einsicht._explanation.notebook import ModelPath, card
from einsicht._explanation.patterns import Pattern, feature_names, patterns_of
from einsicht._explanation.surrogate import DEEPEST, SurrogateTree, surrogate_tree
from einsicht._parameters import TrainParameters
from einsicht._training.held_out import Estimate, scattered
from einsicht._training.prepare import Prepared, memory_of, prepare, read_rows, weights_of
from einsicht._training.progress import progress
from einsicht._training.settings import threads_of

#: A function that puts rows in their places.
Scatter = Callable[[np.ndarray], np.ndarray]


@documented
class BaseEIN(TransformerMixin, TrainParameters, ABC):
    """Base class of the estimators."""

    # What becomes of bad rows is no metadata of scikit-learn.
    __metadata_request__fit = {"on_bad": UNUSED}
    __metadata_request__predict = {"on_bad": UNUSED}
    __metadata_request__predict_proba = {"on_bad": UNUSED}

    # For subclasses.

    @abstractmethod
    def _is_classifier(self, y: Any) -> bool:
        """Whether y is classes (classification)."""

    def _as_graphs(self, X: Any, how: ReadAs) -> GraphSet:
        """X as graphs; a list is read like this."""
        return as_graph_set(X, how)

    def _graphs(self, X: Any) -> GraphSet:
        """Graphs for the fitted model: a list is read as the graphs of its training were."""
        check_is_fitted(self, "model_")
        graphs = self._as_graphs(X, of_model(self.model_))
        missing = graphs._core.missing()
        if missing:
            raise ValueError(
                f"graph {missing[0]} could not be read, and {len(missing)} in all: leave them out, as in X[~X.missing]"
            )
        return graphs

    def _readable(self, X: Any, on_bad: str | None) -> tuple[GraphSet, Scatter]:
        """The graphs that can be read, and the function that puts their rows in their places among all."""
        check_is_fitted(self, "model_")
        on_bad = self.on_bad if on_bad is None else on_bad
        graphs = self._as_graphs(X, of_model(self.model_).keeping_rows(on_bad))
        missing = graphs.missing
        if not missing.any():
            return graphs, lambda values: values
        there = np.flatnonzero(~missing).tolist()
        count = len(there) if on_bad == "skip" else len(graphs)
        return graphs[there], lambda values: scattered(values, list(range(count)) if on_bad == "skip" else there, count)

    # Training.

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, eval_set: Any = None, on_bad: str | None = None
    ) -> Self:
        """Find the subgraphs and fit the weights.

        X : graphs: a `GraphSet`, or a list of SMILES or of graphs of RDKit, networkx or PyTorch Geometric.
        y : one value per graph, or one column per task; NaN or None where a value is missing. Without it, the targets
            of a `GraphSet`.
        sample_weight : one weight per graph, at least 0.
        eval_set : validation set (X, y): one of the folds that choose among the models of the path; it chooses alone
            with folds=1 and in presets without folds (ein, gin, paper). Without it, folds of the graphs choose; where
            there are no folds, a fifth of the graphs is the validation set.
        on_bad : what to do with rows that cannot be read, None and NaN included: "stop" is an error that names the row,
            "skip" and "nan" leave them out with a warning. None is the parameter of the estimator.
        """
        prepared = self._prepare(X, y, eval_set, on_bad)
        graphs, num_train = prepared.graphs, prepared.num_train
        weights = weights_of(self, sample_weight, prepared)
        state = getattr(self, "_state", None) if self.warm_start else None
        # Set by `einsicht.dask.fit` to distribute the search.
        distributed = getattr(self, "_distributed", None)
        ask = distributed and distributed.open(prepared, self._threads)
        with progress(self.verbose) as observer:
            fitted = _core.fit(
                *prepared.arguments(),
                num_train=num_train,
                weights=weights,
                threads=self._threads,
                memory=memory_of(self),
                observer=observer,
                on_fold=getattr(observer, "on_fold", None),
                state=state,
                ask=ask,
                shards=distributed and distributed.shards,
            )
        if fitted.model is not None:
            self._state = fitted.state
            self._fitted_on = (graphs, prepared.tasks)
            self.search_stats_ = {"visited": list(fitted.visited)}
            self._take(fitted.model, prepared.tasks, prepared.single)
            few = fitted.model.few_graphs()
            if few is not None:
                warn(few)
        if fitted.raised is not None:
            raise fitted.raised
        return self

    def _prepare(self, X: Any, y: Any, eval_set: Any = None, on_bad: str | None = None) -> Prepared:
        return prepare(self, X, y, eval_set, self.on_bad if on_bad is None else on_bad)

    @property
    def _threads(self) -> int | None:
        return threads_of(self)

    def _seed(self) -> int:
        seed = self.random_state
        if seed is None:
            return 0
        if isinstance(seed, (int, np.integer)):
            return whole("random_state", int(seed), 0, 2**64 - 1)
        try:
            return int(check_random_state(seed).randint(2**31 - 1))
        except ValueError:
            raise ValueError(
                f"random_state must be None, a whole number or a RandomState of numpy, got {seed!r}"
            ) from None

    def _take(self, model: _core.Model, tasks: list[Task] | None, single: bool) -> None:
        """Becomes fitted with this model; without tasks (a model read from a file) the model gives the classes."""
        self._single = single
        self._entry: int | None = None
        described = json.loads(model.tasks())
        self.tasks_ = [task["name"] for task in described]
        names = [task["kind"].get("classes") if isinstance(task["kind"], dict) else None for task in described]
        if tasks is None:
            values = json.loads(model.class_values()) or [None] * len(names)
            classes = [None if own is None else restored(own, kept) for own, kept in zip(names, values, strict=True)]
        else:
            classes = [None if own is None else _known(task, own) for task, own in zip(tasks, names, strict=True)]
            values = [described_classes(*pair) for pair in zip(classes, names, strict=True)]
            model = model.with_class_values(json.dumps(values))
        self.model_ = model
        self._classes = classes
        if any(own is not None for own in classes):
            self.classes_ = classes[0] if single else classes
        self._refresh()

    def _refresh(self) -> None:
        chosen = self.model_.chosen if self._entry is None else self._entry
        self.path_ = ModelPath(json.loads(self.model_.path()), chosen)
        self.n_iter_ = sum(entry["iterations"] for entry in self.path_)
        self.patterns_: list[Pattern] = patterns_of(self.model_, self._entry)
        # It is about the choice too, so it says nothing about a model of another size.
        # To type checkers anything: who asks for a figure of it knows that it is there.
        self.estimate_: Any = (Estimate.of(self.model_) or None) if self._entry in (None, self.model_.chosen) else None

    def at_size(self, size: int) -> Self:
        """The model of the path with at most this many subgraphs."""
        check_is_fitted(self, "model_")
        sizes = [entry["size"] for entry in self.path_]
        entry = self.model_.entry_of_size(int(size)) if not isinstance(size, (bool, str)) and size in sizes else None
        if entry is None:
            raise ValueError(f"size must be one of {sizes}, got {size!r}")
        other = copy.copy(self)
        # A copy is made of what a pickle has.
        other._fitted_on = getattr(self, "_fitted_on", None)
        other._entry = entry
        other._refresh()
        return other

    # Using a model.

    def _out_of_fold(self, X: Any) -> tuple[list[tuple[np.ndarray, np.ndarray | None]], list[int], int]:
        """Of each task the predictions by models that had not seen the graphs, and where these are; how many in all."""
        check_is_fitted(self, "model_")
        graphs = self._graphs_or_training(X)
        return *self.model_.out_of_fold(graphs._core, self._entry, self._threads), len(graphs)

    def _predictions(
        self, X: Any, on_bad: str | None = None
    ) -> tuple[list[tuple[np.ndarray, np.ndarray | None]], Scatter]:
        graphs, scatter = self._readable(X, on_bad)
        predictions, unknown, foreign = self.model_.predict(graphs._core, self._entry, self._threads)
        if unknown:
            count = "1 graph has" if unknown == 1 else f"{unknown} graphs have"
            text = f"{count} labels that no training graph has"
            if foreign:
                text += (
                    f"; of {foreign} of {len(graphs)} graphs the model knows no vertex label or no edge label: their"
                    " predictions say nothing"
                )
            warn(text)
        return predictions, scatter

    def evaluate(self, X: Any, y: Any, *, unknown_classes: str = "stop") -> dict[str, Any]:
        """Metrics of graphs that the model has never seen, as ``einsicht evaluate --json`` has them; those of graphs
        that it has seen are apart.

        ``seen`` gives the number of graphs that the model has seen in training; ``out_of_fold``, the same metrics for
        predictions of these graphs by models that had not seen them; and ``not_scored``, the number of graphs that no
        such model has predicted. Each metric comes with ``graphs``, the number of graphs that it covers, and
        ``left_out``, why others are missing: NaN or None is no value. A class that the model does not know is an error
        or, with ``unknown_classes="skip"``, left out and counted. With several tasks, columns of a DataFrame are found
        by
        their names and may be some of them.
        """
        check_is_fitted(self, "model_")
        if unknown_classes not in ("stop", "skip"):
            raise ValueError(f'unknown_classes must be one of stop, skip, got "{unknown_classes}"')
        graphs, y = read_rows(self, X, y, of_model(self.model_), self.on_bad)[:2]
        tasks = self._named_as_the_model(tasks_of(y, graphs, classify=self._is_classifier(y))[0])
        found = self.model_.evaluate(graphs._core, native(tasks), unknown_classes == "skip", self._entry, self._threads)
        return json.loads(found)

    def _aligned(self, X: Any) -> np.ndarray:
        """The predictions for all rows, to be compared with values: rows that cannot be read have none."""
        check_is_fitted(self, "model_")
        return self.predict(X, on_bad="nan") if self.on_bad == "skip" else self.predict(X)

    def _columns(self, columns: list[np.ndarray]) -> np.ndarray:
        return columns[0] if self._single else np.column_stack(columns)

    def _named_as_the_model(self, tasks: list[Task]) -> list[Task]:
        names = [task.name for task in tasks]
        if set(names) <= set(self.tasks_):
            return sorted(tasks, key=lambda task: self.tasks_.index(task.name))
        if len(names) != len(self.tasks_) or set(names) & set(self.tasks_):
            raise ValueError(
                f"y must have a column for each task of the model ({self.tasks_}) or be named like some of them, got"
                f" {names}"
            )
        return [task._replace(name=name) for task, name in zip(tasks, self.tasks_, strict=True)]

    def transform(self, X: Any) -> np.ndarray:
        """The count of each subgraph of the model in each graph, a lower bound on the number of copies; or, if the
        model reads that (`feature`), its presence, 1 or 0, or its minimum-image (MNI) count.

        These are plain counts, as in ``explain(X).data``, whatever function of them the model reads (`count_transform`;
        `terms` gives its values). `Pattern.count` is a different number: that of all occurrences, overlapping or not.
        """
        graphs, scatter = self._readable(X, None)
        return scatter(self.model_.counts(graphs._core, self._entry, self._threads))

    def terms(self, X: Any) -> np.ndarray:
        """What ``head="linear"`` adds up, one column for each of ``term_names_``: ``terms(X) @ coef_.T + intercept_``
        are the outputs of `decision_function` or, for regression, of `predict`. Other heads have no terms.

        Examples
        --------
        >>> import einsicht as es
        >>> smiles = ["CCO", "CCCO", "CC(O)C", "CCCCO", "CCN", "CCCN", "CC(N)C", "CCCCN"] * 3
        >>> alcohols = ["O" in text for text in smiles]
        >>> model = es.EINClassifier(max_edges=1, sizes=(1,), head="linear").fit(smiles, alcohols)
        >>> model.term_names_.tolist(), model.terms(["CCN"]).round(4).tolist()
        (['log1p(N)'], [[0.6931]])
        """
        coefficients.term_names(self)  # other heads are refused
        graphs, scatter = self._readable(X, None)
        return scatter(self.model_.linear_terms(graphs._core, self._entry, self._threads))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """A name for each subgraph: its one-line text."""
        check_is_fitted(self, "model_")
        return feature_names(self.patterns_)

    @property
    def _n_features_out(self) -> int:
        return len(self.patterns_)

    @takes_options_of(explain)
    def explain(self, X: Any = None, **options: Any) -> Explanation:
        """Attributions of the predictions for these graphs (default: the training data): `einsicht explain`.

        Examples
        --------
        >>> import einsicht as es
        >>> smiles = ["CCO", "CCCO", "CC(O)C", "CCCCO", "CCN", "CCCN", "CC(N)C", "CCCCN"] * 3
        >>> model = es.EINClassifier(max_edges=1, sizes=(1,), head="linear")
        >>> model = model.fit(smiles, ["O" in text for text in smiles])
        >>> why = model.explain(["CCCO", "CCCN"])
        >>> why.decided_by(0), why.decided_by(1)
        ('absence of N', 'N')
        """
        return explain(self, self._graphs_or_training(X), **options)

    def effects(self, X: Any = None) -> Effects:
        """What each subgraph does to the predictions: its mean Shapley value in the graphs that contain it minus that
        in the others, with an interval; and which share of the predictions comes from subgraphs. Over the training
        graphs if they are among these graphs (default: the training data).
        """
        graphs, tasks = self._training_data() if X is None else (self._graphs(X), [])
        return effects(self, graphs, tasks)

    def surrogate_tree(self, X: Any = None, *, depth: int = 4, task: int | str = 0) -> SurrogateTree:
        """A decision tree fitted to the predictions of the model for these graphs (default: the training data)."""
        return surrogate_tree(self, self._graphs_or_training(X), depth, task)

    def report(
        self,
        path: Any = None,
        X: Any = None,
        y: Any = None,
        *,
        max_graphs: int = 700,
        depth: int = 4,
        target: Any = None,
        other: BaseEIN | None = None,
    ) -> str:
        """Write one HTML page about the model and these graphs (default: the training data).

        target : the target to explain, by its name in ``tasks_`` or its number; by default all that there is room for.
        other : another fitted model: the page shows both side by side on these graphs, A and B: who is right, which
            subgraphs they share, and the graphs that they predict differently, with the reasons of each.
        """
        check_is_fitted(self, "model_")
        path = None if path is None else file_name("path", path, ": graphs are the second argument, report(None, X)")
        max_graphs, depth = whole("max_graphs", max_graphs, 0), whole("depth", depth, 1, DEEPEST)
        if X is None:
            graphs, tasks = self._training_data()
        else:
            graphs, y = read_rows(self, X, y, of_model(self.model_), self.on_bad)[:2]
            tasks = (
                [] if y is None else self._named_as_the_model(tasks_of(y, graphs, classify=self._is_classifier(y))[0])
            )
        if other is None:
            options = {
                "tasks": tasks_named(self, target),
                "max_graphs": max_graphs,
                "depth": depth,
                "seed": self._seed(),
                "command": "",
                "threads": self._threads,
            }
            page, messages = self.model_.report(graphs._core, native(tasks), options)
        else:
            page, messages = self._compare(other, graphs, X, tasks, max_graphs)
        for message in messages:
            warn(message)
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page

    def _compare(
        self, other: BaseEIN, graphs: GraphSet, X: Any, tasks: list[Task], max_graphs: int
    ) -> tuple[str, list[str]]:
        if not isinstance(other, BaseEIN):
            raise TypeError(f"other must be a fitted estimator of einsicht, but is of type {type(other).__name__}")
        check_is_fitted(other, "model_")
        theirs = graphs if X is None else other._graphs(X)
        models = [one.model_ if one._entry is None else one.model_.picking(one._entry) for one in (self, other)]
        names = [f"{type(one).__name__}, {len(one.patterns_)} subgraphs" for one in (self, other)]
        options = {"names": names, "max_graphs": max_graphs, "seed": self._seed(), "threads": self._threads}
        return models[0].compare(models[1], [graphs._core, theirs._core], native(tasks), options)

    def _training_data(self) -> tuple[GraphSet, list[Task]]:
        check_is_fitted(self, "model_")
        if getattr(self, "_fitted_on", None) is None:
            raise ValueError("X must be given, because a loaded model does not have its training graphs")
        return self._fitted_on

    def _graphs_or_training(self, X: Any) -> GraphSet:
        return self._training_data()[0] if X is None else self._graphs(X)

    # Files.

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the same model file as the program."""
        check_is_fitted(self, "model_")
        path = file_name("path", path)
        model = self.model_ if self._entry is None else self.model_.picking(self._entry)
        model.save(path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model of this package or of the program, with the parameters of its training."""
        bytes_ = Path(file_name("path", path)).read_bytes()
        try:
            model = _core.Model.from_bytes(bytes_)
        except ValueError as problem:
            raise ValueError(f"{os.fspath(path)}: {problem}") from None
        seed = json.loads(model.params())["seed"]
        estimator = cls(**json.loads(model.settings()), **parameters_of(model), random_state=seed)
        estimator._take(model, None, len(json.loads(model.tasks())) == 1)
        estimator._check_kind()
        return estimator

    def _check_kind(self) -> None:
        """Refuses a model of another kind of task."""

    def patterns_frame(self) -> Any:
        """The subgraphs as a table of pandas, one row each."""
        return coefficients.patterns_frame(self)

    @property
    def coef_(self) -> np.ndarray:
        """Weights of the columns of `terms`, named by `term_names_`, one row per output, of ``head="linear"``; other
        heads have none."""
        return coefficients.linear_head(self)[0]

    @property
    def intercept_(self) -> np.ndarray:
        """The offset of each output, of ``head="linear"``; other heads have none."""
        return coefficients.linear_head(self)[1]

    @property
    def term_names_(self) -> np.ndarray:
        """What ``head="linear"`` adds up, in the order of `coef_`: ``log1p(C-N)`` is the logarithm of 1 + the count of
        a subgraph, ``standardised(dose)`` a column beside the graphs, ``(C-N) * (O)`` the product of two presences,
        each minus its mean over the training graphs."""
        return coefficients.term_names(self)

    @property
    def feature_names_(self) -> np.ndarray:
        """Names for `feature_importances_` and `explain`: the subgraphs, then the other inputs of the model."""
        check_is_fitted(self, "model_")
        beside = [name for name, _, _ in self.model_.side_inputs()]
        return np.array([*feature_names(self.patterns_), *beside], dtype=object)

    @property
    def feature_importances_(self) -> np.ndarray:
        """How much each of `feature_names_` moves the predictions: its mean absolute Shapley value over the training
        graphs, or over the sample of them stored in the model; the values sum to 1. Two subgraphs share their joint
        effect."""
        check_is_fitted(self, "model_")
        return self.model_.importances(self._entry, self._threads)

    @property
    def params_(self) -> dict[str, Any]:
        """All parameters that the model was trained with."""
        check_is_fitted(self, "model_")
        return json.loads(self.model_.params())

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        for name in ("_state", "_fitted_on", "patterns_", "estimate_"):
            state.pop(name, None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "model_" in state:
            self._refresh()

    def __dir__(self) -> list[str]:
        """Without the parameters, of which there are dozens (`get_params` lists them): completion shows what can be
        done with a model.
        """
        hidden = {*self._get_param_names(), "get_metadata_routing"}
        return [name for name in super().__dir__() if name not in hidden and not name.endswith("_request")]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        tags.no_validation = True
        return tags

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        # Where this method exists, notebooks call no other.
        shown = super()._repr_mimebundle_(**options)
        return {**shown, "text/html": card(self)} if hasattr(self, "model_") else shown


def _known(task: Task, names: list[str]) -> np.ndarray | None:
    """The classes of a task that the model knows."""
    own = task.classes
    return own if own is None or len(own) == len(names) else own[np.isin(task.class_names, names)]
