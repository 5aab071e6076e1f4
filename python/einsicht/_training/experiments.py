"""Repeated trainings: experiments over splits and grids, and the stability of the chosen subgraphs over bootstrap
resamples.

Both run on joblib: on the processes of one machine or, inside ``joblib.parallel_config(backend="dask")`` or ``"ray"``,
on a cluster. Each worker gets the graphs once. Results do not depend on the number of workers.
"""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.base import clone

from einsicht import _core
from einsicht._data import export
from einsicht._data.checks import whole, word
from einsicht._data.targets import native
from einsicht._docstrings import numpydoc
from einsicht._training.prepare import Prepared, memory_of, plain_parameter, weights_of
from einsicht._training.settings import class_weights
from einsicht.model_selection import StratifiedKFold, _GraphSplitter

#: Number of rows that a notebook shows of a table.
SHOWN = 20


def experiment(
    estimator: Any,
    X: Any,
    y: Any,
    splits: Any = None,
    *,
    grid: Any = "quick",
    trials: Iterable[int] | None = None,
    n_jobs: int | None = None,
) -> Experiment:
    """Train, select and test on many splits, over a grid of parameters, as `einsicht experiment`.

    estimator : its parameters are those of the trainings; it is not changed. A `class_weight` is counted over the
        training graphs of each split.
    splits : a split file, a list of (train, validation, test) or (train, test) indices, or a splitter of scikit-learn
        such as ``KFold(5)`` or of `einsicht.model_selection`. By default five folds, stratified, with isomorphic graphs
        on one side.
    grid : "quick" (one point), "paper", or a list of values for each parameter: ``{"max_edges": [4, 6]}``.
    trials : indices of the splits, all by default.
    n_jobs : workers of joblib; each trains one trial after the other.

    Examples
    --------
    >>> import einsicht as es
    >>> smiles = ["C" * n + end for n in range(1, 11) for end in "ON"]
    >>> y = ["alcohol", "amine"] * 10
    >>> found = es.experiment(es.EINClassifier(max_edges=1, sizes=(1,)), smiles, y)
    >>> len(found.results), found.mean["accuracy"]
    (5, 1.0)
    """
    prepared = _checked(estimator)._prepare(X, y)
    splits = StratifiedKFold(random_state=prepared.seed) if splits is None else splits
    if isinstance(splits, (str, os.PathLike)):
        indices = _core.read_splits(os.fspath(splits), prepared.graphs._core)
    elif isinstance(splits, _GraphSplitter):
        indices = splits._splits(prepared.graphs, native(prepared.tasks))
    elif not hasattr(splits, "split") and not isinstance(splits, Iterable):
        raise TypeError(
            f"splits must be a split file, a list of splits, or a splitter such as KFold(5), got {splits!r}"
        )
    else:
        parts = splits.split(np.zeros(prepared.given[0]), y) if hasattr(splits, "split") else splits
        indices = [_indices(split, at, prepared) for at, split in enumerate(parts)]
    if trials is not None and not isinstance(trials, Iterable):
        raise TypeError(f"trials must be a list of indices of splits, got {trials!r}")
    wanted = list(range(len(indices)) if trials is None else trials)
    if not wanted or any(not 0 <= trial < len(indices) for trial in wanted):
        raise ValueError(f"trials must be some of 0 to {len(indices) - 1}, got {wanted}")
    grid = _grid(grid)
    jobs = [(trial, indices[trial], _weights(estimator, prepared, indices[trial][0])) for trial in wanted]
    found = _distribute(_run_trials, prepared, estimator, jobs, n_jobs, grid)
    models = []
    for _, model in found:
        models.append(clone(estimator))
        models[-1]._take(_core.Model.from_bytes(model), prepared.tasks, prepared.single)
    return Experiment([result for result, _ in found], models)


def stability(
    estimator: Any, X: Any, y: Any, *, bootstrap: int = 20, eval_set: Any = None, n_jobs: int | None = None
) -> Stability:
    """How often bootstrap resamples of the training graphs choose each subgraph, as `einsicht stability`.

    Each of the `bootstrap` resamples draws as many training graphs as there are, with replacement, and trains on them;
    equivalent subgraphs (same support) count as one. Where folds choose the size, they are trained once, before the
    resamples, and distributed over the workers too.

    Examples
    --------
    >>> import einsicht as es
    >>> smiles = ["C" * n + end for n in range(1, 11) for end in "OC"]
    >>> y = ["alcohol", "alkane"] * 10
    >>> found = es.stability(es.EINClassifier(max_edges=1, sizes=(1,)), smiles, y, bootstrap=3)
    >>> found[0].frequency
    1.0
    """
    bootstrap = whole("bootstrap", bootstrap, 1)
    prepared = _checked(estimator)._prepare(X, y, eval_set)
    weights = weights_of(estimator, None, prepared)
    count = _core.num_folds(*prepared.arguments(), num_train=prepared.num_train)
    folds = _distribute(_run_folds, prepared, estimator, list(range(count)), n_jobs, weights) if count else []
    members = _distribute(_run_resamples, prepared, estimator, list(range(bootstrap)), n_jobs, folds, weights)
    table = _core.stability(*prepared.arguments(), members, num_train=prepared.num_train, threads=estimator._threads)
    return Stability([Chosen(row) for row in json.loads(table)], bootstrap)


for _function in (experiment, stability):
    numpydoc(_function)


def _checked(estimator: Any) -> Any:
    """Refuses what is no estimator of this package."""
    if isinstance(estimator, type) or not hasattr(estimator, "_prepare"):
        raise TypeError(
            "estimator must be an EINClassifier, EINRegressor or SubgraphTransformer, such as"
            f" EINClassifier(max_edges=6), got {estimator!r}"
        )
    return estimator


def _grid(given: Any) -> str:
    """A grid as the native part takes it."""
    if isinstance(given, str):
        return word("grid", given, ("quick", "paper"))
    if not isinstance(given, Mapping):
        raise TypeError(
            f'grid must be "quick", "paper" or a dictionary from parameters to lists of values, got {given!r}'
        )
    return json.dumps({name: plain_parameter(values) for name, values in given.items()})


def _weights(estimator: Any, prepared: Prepared, train: Sequence[int]) -> list[float] | None:
    """The weights of the training graphs of a split, by their classes."""
    found = class_weights(estimator, prepared.tasks, train)
    return None if found is None else found.tolist()


def _distribute(
    run: Any, prepared: Prepared, estimator: Any, jobs: list[Any], n_jobs: int | None, *more: Any
) -> list[Any]:
    """Runs the jobs on workers, one block per worker, so that the graphs are sent once to each; they divide threads and
    memory.
    """
    workers = min(effective_n_jobs(n_jobs), len(jobs))
    resources = {
        "threads": 1 if workers > 1 and estimator._threads is None else estimator._threads,
        "memory": memory_of(estimator),
        "at_once": workers,
    }
    blocks = [[jobs[at] for at in block] for block in np.array_split(np.arange(len(jobs)), workers)]
    results = Parallel(n_jobs=n_jobs)(delayed(run)(prepared, resources, block, *more) for block in blocks)
    return [result for block in results for result in block]


def _run_trials(prepared: Prepared, resources: dict[str, Any], jobs: list[Any], grid: str) -> list[tuple[str, bytes]]:
    found = []
    for trial, split, weights in jobs:
        result, model = _core.run_trial(
            *prepared.arguments(), trial=trial, split=split, grid=grid, weights=weights, **resources
        )
        found.append((result, model.to_bytes()))
    return found


def _run_folds(
    prepared: Prepared, resources: dict[str, Any], numbers: list[int], weights: list[float] | None
) -> list[str]:
    return _core.run_folds(
        *prepared.arguments(),
        first=numbers[0],
        last=numbers[-1] + 1,
        num_train=prepared.num_train,
        weights=weights,
        **resources,
    )


def _run_resamples(
    prepared: Prepared, resources: dict[str, Any], numbers: list[int], folds: list[str], weights: list[float] | None
) -> list[str]:
    return _core.bootstrap(
        *prepared.arguments(),
        folds,
        first=numbers[0],
        last=numbers[-1] + 1,
        num_train=prepared.num_train,
        weights=weights,
        **resources,
    )


def _indices(split: Any, at: int, prepared: Prepared) -> tuple[list[int], list[int], list[int]]:
    """The parts of a split in positions of the graphs that could be read."""
    parts = [np.asarray(part) for part in split]
    if len(parts) == 2:
        parts.insert(1, np.array([], int))
    if len(parts) != 3 or any(part.ndim != 1 or (part.size and part.dtype.kind not in "iu") for part in parts):
        raise ValueError(
            f"a split must be lists of indices, (train, validation, test) or (train, test), but split {at} is not"
        )
    count, there = prepared.given
    place = {row: position for position, row in enumerate(there)}
    beyond = [int(index) for part in parts for index in part if not 0 <= index < count]
    if beyond:
        raise ValueError(f"there are {count} graphs, but trial {at} has index {beyond[0]}")
    both = set(map(int, parts[2])) & {int(index) for part in parts[:2] for index in part}
    if both:
        raise ValueError(
            f"a test set must have no graph of its training or validation set, but trial {at} has index {min(both)} in"
            " both"
        )
    train, valid, test = ([place[int(index)] for index in part if int(index) in place] for part in parts)
    return train, valid, test


class Experiment:
    """Result of an experiment.

    results : one dictionary per trial, as in the JSON document of the program.
    models : one fitted estimator per trial.
    mean, std : mean and standard deviation of the test metrics.

    Examples
    --------
    >>> import einsicht as es
    >>> smiles = ["C" * n + end for n in range(1, 11) for end in "ON"]
    >>> y = ["alcohol", "amine"] * 10
    >>> found = es.experiment(es.EINClassifier(max_edges=1, sizes=(1,)), smiles, y, trials=[0])
    >>> found.results[0]["test"]["accuracy"], found.models[0].predict(["CCCCO"]).tolist()
    (1.0, ['alcohol'])
    """

    def __init__(self, results: list[str], models: list[Any]) -> None:
        self.results: list[dict[str, Any]] = [json.loads(result) for result in results]
        self.models = models
        summary = json.loads(_core.summarize(results))
        self.mean: dict[str, float] = summary["mean"]
        self.std: dict[str, float | None] = summary["std"]

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"trial": result["trial"], "size": result["size"], "patterns": result["patterns"], **result["test"]}
            for result in self.results
        ]

    def to_frame(self) -> Any:
        """As a data frame of pandas, one row per trial."""
        return _frame(self._rows())

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {value:.4f}" for name, value in self.mean.items())
        return f"<Experiment of {len(self.results)} trials: {means}>"

    def _repr_html_(self) -> str:
        rows = self._rows()
        names = [name for name in rows[0] if name not in ("trial", "size")]
        for title, values in (("mean", self.mean), ("std", self.std)):
            rows.append({"trial": title, "size": "", **{name: values[name] for name in names}})
        return _html_table(["trial", "size", *names], rows)


class Chosen:
    """A subgraph that resamples chose.

    Examples
    --------
    >>> import einsicht as es
    >>> smiles = ["C" * n + end for n in range(1, 11) for end in "OC"]
    >>> y = ["alcohol", "alkane"] * 10
    >>> chosen = es.stability(es.EINClassifier(max_edges=1, sizes=(1,)), smiles, y, bootstrap=3)[0]
    >>> chosen.text, chosen.frequency
    ('O', 1.0)
    """

    __slots__ = ("edges", "frequency", "smarts", "support", "text", "vertices", "words")

    def __init__(self, row: dict[str, Any]) -> None:
        named = row["named"]
        #: On one line, in words, and as SMARTS if it is part of a molecule.
        self.text, self.words, self.smarts = named["text"], named["words"], named["smarts"]
        #: Number of training graphs that contain it, and fraction of the resamples that chose it.
        self.support, self.frequency = row["support"], row["frequency"]
        #: For each vertex its label and its qualifiers; two vertices and a label for each edge.
        self.vertices = named["vertices"]
        self.edges = [tuple(edge) for edge in named["edges"]]

    def to_networkx(self) -> Any:
        """As a graph of networkx."""
        return export.pattern_to_networkx(self.vertices, self.edges)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Chosen {self.text} in {100 * self.frequency:.0f} % of the resamples>"


class Stability(Sequence):
    """The subgraphs that resamples chose, the most frequent first.

    Examples
    --------
    >>> import einsicht as es
    >>> smiles = ["C" * n + end for n in range(1, 11) for end in "OC"]
    >>> y = ["alcohol", "alkane"] * 10
    >>> found = es.stability(es.EINClassifier(max_edges=1, sizes=(1,)), smiles, y, bootstrap=3)
    >>> len(found), found.resamples
    (1, 3)
    """

    def __init__(self, chosen: list[Chosen], resamples: int) -> None:
        self.chosen, self.resamples = chosen, resamples

    def __getitem__(self, at: Any) -> Any:
        return self.chosen[at]

    def __len__(self) -> int:
        return len(self.chosen)

    def __iter__(self) -> Iterator[Chosen]:
        return iter(self.chosen)

    def _rows(self) -> list[dict[str, Any]]:
        return [
            {"subgraph": one.text, "edges": len(one.edges), "graphs": one.support, "chosen": one.frequency}
            for one in self.chosen
        ]

    def to_frame(self) -> Any:
        """As a data frame of pandas, one row per subgraph."""
        return _frame(self._rows())

    def __repr__(self) -> str:
        return f"<Stability of {len(self.chosen)} subgraphs over {self.resamples} resamples>"

    def _repr_html_(self) -> str:
        return _html_table(["subgraph", "edges", "graphs", "chosen"], self._rows())


def _frame(rows: list[dict[str, Any]]) -> Any:
    import pandas

    return pandas.DataFrame(rows)


def _html_table(names: list[str], rows: list[dict[str, Any]]) -> str:
    def cell(value: Any) -> str:
        text = "" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
        return f"<td style='text-align:{'left' if isinstance(value, str) else 'right'}'>{html.escape(text)}</td>"

    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(cell(row.get(name)) for name in names)}</tr>" for row in rows[:SHOWN])
    more = f"<div style='opacity:.7'>... {len(rows) - SHOWN} more</div>" if len(rows) > SHOWN else ""
    return f"<div><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}</div>"
