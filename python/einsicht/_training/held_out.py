"""What models say about graphs that they have not seen: the estimate of a training, and out-of-fold predictions as
arrays.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from einsicht import _core
from einsicht._docstrings import documented


class Interval(NamedTuple):
    """A figure with an interval of 95 %."""

    value: float
    low: float
    high: float


@documented
class Estimate(dict[str, Interval]):
    """How well the training predicts graphs that it has not seen, the choice of the size included: an `Interval` by the
    name of the metric.

    graphs : number of graphs that were held out.
    folds : number of folds that they were held out in; 1 if they are a validation set.

    Examples
    --------
    >>> import einsicht as es
    >>> smiles = ["C" * n + end for n in range(1, 11) for end in "ON"]
    >>> y = ["alcohol", "amine"] * 10
    >>> model = es.EINClassifier(max_edges=1, sizes=(1,)).fit(smiles, y)
    >>> model.estimate_["accuracy"].value, model.estimate_.graphs, model.estimate_.folds
    (1.0, 20, 5)
    """

    graphs: int = 0
    folds: int = 0

    @classmethod
    def of(cls, model: _core.Model) -> Estimate:
        """That of a model.

        model : the native model.
        """
        found = json.loads(model.estimate())
        estimate = cls({name: Interval(**interval) for name, interval in found["metrics"].items()})
        estimate.graphs, estimate.folds = found["graphs"], found["folds"]
        return estimate

    def __repr__(self) -> str:
        figures = ", ".join(
            f"{name} {value:.4f} ({low:.4f} to {high:.4f})" for name, (value, low, high) in self.items()
        )
        return f"<Estimate over {self.graphs} graphs, folds: {self.folds}: {figures}>"


def scattered(values: Any, places: list[int], count: int) -> np.ndarray:
    """Rows at their places among `count` rows; where there is none, NaN, or None among classes."""
    values = np.asarray(values)
    if len(places) == count:
        return values
    empty: Any = np.nan if values.dtype.kind == "f" else None
    found = np.full((count, *values.shape[1:]), empty, dtype=values.dtype if empty is not None else object)
    found[places] = values
    return found
