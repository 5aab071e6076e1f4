"""Attributions of the outputs to subgraphs, vertices (atoms) and edges (bonds). Computed in Rust, converted here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from einsicht._data.graph_set import GraphSet
from einsicht._data.targets import Task, native

if TYPE_CHECKING:
    from einsicht._estimators import BaseEIN


class Explanation:
    """Attributions of the outputs for some graphs: Shapley values, or the coefficients of LIME.

    A feature is a subgraph of the model; the last one is its side input (a graph network or a summary) if it has one.

    values : (graphs, features, quantities); Shapley values sum to ``output - base`` over the features.
    output, base : (graphs, quantities): the output of the model, and its output at the baseline (LIME: the intercept of the local model).
    residual : (graphs, quantities): what base and values leave unexplained of the output; 0 for Shapley values, but for rounding.
    errors : standard errors of the values where they were sampled, 0 where they are exact.
    data : (graphs, features): the count of each subgraph in each graph as the model reads it, a number of copies that the graph has at
        least (its minimum-image count if the model reads that, 1 or 0 if it reads presence); NaN for a side input.
    names : names of the features.
    quantities : names of what is explained: logits (or probabilities) of classes, or regression targets.
    """

    def __init__(self, estimator: BaseEIN, graphs: GraphSet, found: Any) -> None:
        self._estimator, self.graphs = estimator, graphs
        self.quantities = [name for _, _, name in found.quantities]
        self.names = list(found.names)
        shape = (len(graphs), len(self.names), len(self.quantities))
        self.values, self.errors = found.values.reshape(shape), found.errors.reshape(shape)
        self.output, self.base, self.data = found.output, found.base, found.counts
        self.residual = self.output - self.base - self.values.sum(axis=1)

    def to_shap(self) -> Any:
        """The same as a `shap.Explanation`, for its plots."""
        import shap

        single = len(self.quantities) == 1
        return shap.Explanation(
            values=self.values[:, :, 0] if single else self.values,
            base_values=self.base[:, 0] if single else self.base,
            data=self.data,
            feature_names=self.names,
            output_names=None if single else self.quantities,
        )

    def vertex_weights(self, i: int, quantity: int = 0) -> np.ndarray:
        """Attribution of each vertex (atom) of graph i: every subgraph spreads its own evenly over the vertices that it covers."""
        return self._spread(i, quantity)[0]

    def edge_weights(self, i: int, quantity: int = 0) -> np.ndarray:
        """Attribution of each edge (bond) of graph i: every subgraph spreads its own evenly over the edges that it covers."""
        return self._spread(i, quantity)[1]

    atom_weights = vertex_weights
    bond_weights = edge_weights

    def _spread(self, i: int, quantity: int) -> tuple[np.ndarray, np.ndarray]:
        values = self.values[i, :, quantity].tolist()
        vertices, edges = self._estimator.model_.spread(self.graphs._core, i, values, self._estimator._entry)
        return np.array(vertices), np.array(edges)

    def draw(self, i: int, quantity: int = 0) -> Drawing:
        """Graph i as a heat map: orange where it raises the output, blue where it lowers it."""
        title = f"{self.graphs[i].id}: {self.quantities[quantity]} {self.output[i, quantity]:.3f}"
        values = self.values[i, :, quantity].tolist()
        model, entry = self._estimator.model_, self._estimator._entry
        return Drawing(model.draw_attributions(self.graphs._core, i, values, title, entry))

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"Explanation({len(self)} graphs, {self.values.shape[1]} features, {', '.join(self.quantities)})"


class Drawing(str):
    """An SVG; a notebook shows it."""

    def _repr_svg_(self) -> str:
        return str(self)


def tasks_named(estimator: BaseEIN, target: str | int | None) -> list[int]:
    """The number of the target that is named, in a list; an empty list if none is."""
    if target is None:
        return []
    names = estimator.tasks_
    if isinstance(target, str) and target in names:
        return [names.index(target)]
    if not isinstance(target, (str, bool)) and 0 <= int(target) < len(names):
        return [int(target)]
    raise ValueError(f"target must be one of {names} or its number, got {target!r}")


def explain(
    estimator: BaseEIN,
    graphs: GraphSet,
    tasks: list[Task],
    *,
    method: str = "shapley",
    output: str = "logit",
    baseline: str = "absent",
    background: int = 100,
    exact_up_to: int = 12,
    orders: int = 64,
    target: str | int | None = None,
) -> Explanation:
    """Attributions of the outputs for some graphs, with the options of `einsicht explain`.

    method : "shapley", or "lime" for a local linear surrogate.
    output : what is explained of a classifier, "logit" or "probability".
    baseline : what Shapley values are relative to: "absent", a graph without any of the subgraphs, or "background", the mean
        over a sample of training graphs (of all graphs given, if the training graphs are not among them).
    background : size of the background sample.
    exact_up_to : exact Shapley values for at most this many subgraphs; above, sampled, with standard errors.
    orders : number of random orders for sampled values, each used in both directions.
    target : the target to explain, by its name in ``tasks_`` or its number; all targets if it is not given.
    """
    check_is_fitted(estimator, "model_")
    if baseline not in ("absent", "background"):
        raise ValueError(f"baseline must be absent or background, got {baseline!r}")
    options = {
        "entry": estimator._entry,
        "tasks": tasks_named(estimator, target) or list(range(len(estimator.tasks_))),
        "method": method,
        "output": output,
        "background": background if baseline == "background" else None,
        "exact_up_to": exact_up_to,
        "orders": orders,
        "seed": estimator._seed(),
        "threads": estimator.threads,
    }
    return Explanation(estimator, graphs, estimator.model_.explain(graphs._core, native(tasks), options))
