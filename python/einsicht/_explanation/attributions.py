"""Attributions of the outputs to subgraphs, vertices (atoms) and edges (bonds). Computed in Rust, converted here."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from einsicht._data.checks import position, whole, word
from einsicht._data.classes import turned
from einsicht._data.drawing import Drawing
from einsicht._data.graph_set import GraphSet
from einsicht._docstrings import documented
from einsicht._explanation.notebook import GraphExplanation

if TYPE_CHECKING:
    from einsicht._base import BaseEIN


@documented
class Explanation:
    """Attributions of the outputs for some graphs: Shapley values, or the coefficients of LIME.

    A feature is a subgraph of the model; the last ones are its side inputs, if it has any: a graph network or a
    summary, then each column of `GraphSet.features` that it reads.

    values : (graphs, features, quantities); Shapley values sum to ``output - base`` over the features.
    output, base : (graphs, quantities): the output of the model, and its output at the baseline (LIME: the intercept of
        the local model).
    residual : (graphs, quantities): what base and values leave unexplained of the output; 0 for Shapley values, but for
        rounding.
    errors : standard errors of the values where they were sampled, 0 where they are exact; `is_exact` says whether all
        are.
    data : (graphs, features): the count of each subgraph in each graph as the model reads it, a number of copies that
        the graph has at least (its minimum-image count if the model reads that, 1 or 0 if it reads presence); the value
        of a column; NaN for another side input.
    names : names of the features.
    quantities : names of what is explained: logits (or probabilities) of classes, or regression targets.

    Examples
    --------
    >>> import einsicht as es
    >>> smiles = ["C" * n + end for n in range(1, 11) for end in "ON"]
    >>> y = ["alcohol", "amine"] * 10
    >>> model = es.EINClassifier(max_edges=1, sizes=(1,)).fit(smiles, y)
    >>> why = model.explain(["CCCO"])
    >>> why.values.shape, bool(abs(why.output - why.base - why.values.sum(axis=1)).max() < 1e-9)
    ((1, 1, 1), True)
    """

    def __init__(self, estimator: BaseEIN, graphs: GraphSet, found: Any) -> None:
        self._estimator, self.graphs = estimator, graphs
        self.quantities = [name for _, _, name in found.quantities]
        self.names = list(found.names)
        self._subgraphs: int = found.subgraphs
        shape = (len(graphs), len(self.names), len(self.quantities))
        self.values, self.errors = found.values.reshape(shape), found.errors.reshape(shape)
        self.output, self.base, self.data = found.output, found.base, found.counts
        self.residual = self.output - self.base - self.values.sum(axis=1)
        self.is_exact = not self.errors.any()

    def to_shap(self) -> Any:
        """The same as a `shap.Explanation`, for its plots."""
        import shap

        single = len(self.quantities) == 1
        return shap.Explanation(
            values=self.values[:, :, 0] if single else self.values,
            base_values=self.base[:, 0] if single else self.base,
            data=self.data,
            feature_names=[_for_shap(name) for name in self.names],
            output_names=None if single else self.quantities,
        )

    def decided_by(self, i: int, quantity: int | str = 0) -> str:
        """The feature with the largest value in graph i; "absence of ..." if that is a subgraph which the graph does
        not contain.
        """
        i, quantity = self._places(i, quantity)
        values = np.abs(self.values[i, :, quantity])
        if not values.any():
            return "nothing"
        feature = int(values.argmax())
        return (
            f"absence of {self.names[feature]}"
            if feature < self._subgraphs and self.data[i, feature] == 0
            else self.names[feature]
        )

    def absences(self, i: int, quantity: int | str = 0) -> dict[str, float]:
        """What the absence of subgraphs contributes in graph i, the largest first. It is in no vertex and no edge."""
        i, quantity = self._places(i, quantity)
        values = self.values[i, :, quantity]
        absent = [at for at in range(self._subgraphs) if self.data[i, at] == 0 and values[at] != 0]
        return {self.names[at]: float(values[at]) for at in sorted(absent, key=lambda at: -abs(values[at]))}

    def vertex_weights(self, i: int, quantity: int | str = 0, over: str = "subgraph") -> np.ndarray:
        """Attribution of each vertex (atom) of graph i: every subgraph shares its own out among its occurrences, and
        each of them evenly among its vertices.

        over : "subgraph", the occurrences of the subgraph itself (`Pattern.matches`), which are what the model reads;
            or "class", those of the larger subgraph of its class that it is always part of in the training graphs, of
            several that are there the one that covers least. The training graphs cannot tell the two apart: a carbonyl
            group that they only have in amides is painted as the amide.
        """
        return self._spread(i, quantity, over)[0]

    def edge_weights(self, i: int, quantity: int | str = 0, over: str = "subgraph") -> np.ndarray:
        """Attribution of each edge (bond) of graph i, as `vertex_weights` has those of vertices; a single vertex is on
        no edge.

        In the order of ``graphs[i].edges``, which says for each the two vertices that it joins. Graphs from SMILES have
        another order than the bonds of RDKit: ``molecule.GetBondBetweenAtoms(u, v).GetIdx()`` is the place of an edge
        there.
        """
        return self._spread(i, quantity, over)[1]

    atom_weights = vertex_weights
    bond_weights = edge_weights

    def _spread(self, i: int, quantity: int | str, over: str) -> tuple[np.ndarray, np.ndarray]:
        i, quantity = self._places(i, quantity)
        values = self.values[i, :, quantity].tolist()
        vertices, edges = self._estimator.model_.spread(
            self.graphs._core, i, values, _over(over), self._estimator._entry
        )
        return np.array(vertices), np.array(edges)

    def draw(self, i: int, quantity: int | str = 0, over: str = "subgraph") -> Drawing:
        """Graph i as a heat map: orange where it raises the output, blue where it lowers it.

        over : what values are spread over, as `vertex_weights` says.
        """
        i, quantity = self._places(i, quantity)
        title = f"{self.graphs[i].id}: {self.quantities[quantity]} {self.output[i, quantity]:.3f}"
        values = self.values[i, :, quantity].tolist()
        model, entry = self._estimator.model_, self._estimator._entry
        return Drawing(model.draw_attributions(self.graphs._core, i, values, _over(over), title, entry))

    def to_frame(self) -> Any:
        """As a table of pandas, one row per graph, feature and quantity."""
        import pandas

        graphs, features, quantities = self.values.shape
        return pandas.DataFrame(
            {
                "graph": np.repeat(np.array(self.graphs.ids, object), features * quantities),
                "feature": np.tile(np.repeat(np.array(self.names, object), quantities), graphs),
                "quantity": np.tile(np.array(self.quantities, object), graphs * features),
                "count": np.repeat(self.data.ravel(), quantities),
                "value": self.values.ravel(),
                "error": self.errors.ravel(),
            }
        )

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, i: int) -> GraphExplanation:
        """The explanation of graph i, of its first output; a notebook draws it."""
        return self.graph(i)

    def graph(self, i: int, quantity: int | str = 0) -> GraphExplanation:
        """The explanation of graph i and one output: a heat map, and the reasons from the base to the output. A
        notebook draws it.
        """
        return GraphExplanation(self, *self._places(i, quantity))

    def _places(self, i: int, quantity: int | str) -> tuple[int, int]:
        """The numbers of a graph and of a quantity, which may be called by its name."""
        at = self.quantities.index(quantity) if quantity in self.quantities else quantity
        return position("graph", i, len(self)), position("output", at, len(self.quantities))

    def _repr_html_(self) -> str:
        shown = "".join(self[i]._repr_html_() for i in range(min(len(self), 3)))
        rest = len(self) - 3
        return shown + (f"<div>... {rest} more: explanation[i] shows one</div>" if rest > 0 else "")

    def __repr__(self) -> str:
        return f"Explanation({len(self)} graphs, {self.values.shape[1]} features, {', '.join(self.quantities)})"


def _over(name: str) -> str:
    return word("over", name, ("subgraph", "class"))


def _for_shap(name: str) -> str:
    """A name without the sign that the plots of shap take for the end of a value: a double bond has a longer one, a
    property none.
    """
    return re.sub(r"\[[^]]*\]", lambda part: part[0].replace("=", " "), name).replace(
        "=", "\N{BOX DRAWINGS DOUBLE HORIZONTAL}"
    )


def tasks_named(estimator: BaseEIN, target: str | int | None, what: str = "target") -> list[int]:
    """The number of the target that is named, in a list; an empty list if none is."""
    if target is None:
        return []
    names = estimator.tasks_
    if isinstance(target, str) and target in names:
        return [names.index(target)]
    if isinstance(target, (int, np.integer)) and not isinstance(target, bool) and 0 <= target < len(names):
        return [int(target)]
    raise ValueError(f"{what} must be one of {names} or its number, got {target!r}")


def explain(
    estimator: BaseEIN,
    graphs: GraphSet,
    *,
    method: str = "shapley",
    output: str = "auto",
    baseline: str = "background",
    exact_up_to: int = 12,
    orders: int = 64,
    target: str | int | None = None,
) -> Explanation:
    """Attributions of the outputs for some graphs, with the options of `einsicht explain`.

    method : "shapley", or "lime" for a local linear surrogate.
    output : what is explained of a classifier: "logit", "probability", or "auto", the scale on which the model adds up:
        the probability if its head has trees (forest, blend), else the logit. There Shapley values are exact for any
        number of subgraphs; with a network, and for several classes of a blend, as `exact_up_to` says.
    baseline : what Shapley values are relative to. "background", the mean over a sample of the training graphs that
        lives in the model, asks why this graph and not a usual one: the absence of a subgraph can be the reason too.
        "absent", a graph without any of the subgraphs, asks what they add to it; such a graph may not exist.
    exact_up_to : where values are not exact at any number: exact if at most this many subgraphs differ from the
        baseline; above, sampled, with standard errors (`errors`).
    orders : number of random orders for sampled values, each used in both directions.
    target : the target to explain, by its name in ``tasks_`` or its number; all targets if it is not given.
    """
    check_is_fitted(estimator, "model_")
    options = {
        "entry": estimator._entry,
        "tasks": tasks_named(estimator, target) or list(range(len(estimator.tasks_))),
        "turned": turned(estimator._classes),
        "method": word("method", method, ("shapley", "lime")),
        "output": word("output", output, ("auto", "logit", "probability")),
        "baseline": word("baseline", baseline, ("background", "absent")),
        # All coalitions of more features would take longer than anybody waits.
        "exact_up_to": whole("exact_up_to", exact_up_to, 0, 30),
        "orders": whole("orders", orders, 1),
        "seed": estimator._seed(),
        "threads": estimator._threads,
    }
    return Explanation(estimator, graphs, estimator.model_.explain(graphs._core, options))
