"""Explanations: attributions of the output to subgraphs, atoms and bonds, and surrogate decision trees."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from einsicht._data.graph_set import GraphSet
from einsicht._explanation.patterns import feature_names
from einsicht._data.targets import Task, native, ranks

if TYPE_CHECKING:
    from einsicht._estimators import BaseEIN


class Explanation:
    """Attributions of the outputs for some graphs: Shapley values, or the coefficients of LIME.

    A feature is a subgraph of the model; the last one is its side input (a graph network or a summary) if it has one.

    values : (graphs, features, quantities); Shapley values sum to ``output - base`` over the features.
    output, base : (graphs, quantities): the output of the model, and its output at the baseline.
    errors : standard errors of the values where they were sampled, 0 where they are exact.
    data : (graphs, features): the value of each feature in each graph.
    names : names of the features.
    quantities : names of what is explained: logits (or probabilities) of classes, or regression targets.
    """

    def __init__(self, estimator: BaseEIN, graphs: GraphSet, found: Any) -> None:
        self._estimator, self.graphs = estimator, graphs
        self.quantities = [name for _, _, name in found.quantities]
        self.names = list(found.names)
        shape = (len(graphs), len(self.names), len(self.quantities))
        self.values, self.errors = found.values.reshape(shape), found.errors.reshape(shape)
        self.output, self.base, self.data = found.output, found.base, found.table

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
        """Graph i as a heat map: blue where it raises the output, red where it lowers it."""
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
) -> Explanation:
    """Attributions of the outputs for some graphs, with the options of `einsicht explain`.

    method : "shapley", or "lime" for a local linear surrogate.
    output : what is explained of a classifier, "logit" or "probability".
    baseline : what Shapley values are relative to: "absent", a graph without any of the subgraphs, or "background", the mean
        over a sample of training graphs (of all graphs given, if the training graphs are not among them).
    background : size of the background sample.
    exact_up_to : exact Shapley values for at most this many subgraphs; above, sampled, with standard errors.
    orders : number of random orders for sampled values, each used in both directions.
    """
    check_is_fitted(estimator, "model_")
    if baseline not in ("absent", "background"):
        raise ValueError(f"baseline must be absent or background, got {baseline!r}")
    options = {
        "entry": estimator._entry,
        "method": method,
        "output": output,
        "background": background if baseline == "background" else None,
        "exact_up_to": exact_up_to,
        "orders": orders,
        "seed": estimator._seed(),
        "threads": estimator.threads,
    }
    return Explanation(estimator, graphs, estimator.model_.explain(graphs._core, native(tasks), options))


class SurrogateTree:
    """A decision tree fitted to the predictions of a model: as text, as a drawing, and as a tree of scikit-learn.

    fidelity : fraction of the graphs for which tree and model predict the same class; for regression the fraction of the
        variance of the model's predictions that the tree explains.
    """

    def __init__(self, names: list[str], classes: np.ndarray | None, found: dict[str, Any], svg: str) -> None:
        self.fidelity: float = found["fidelity"]
        self.feature_names, self.classes, self.svg = names, classes, svg
        self._nodes = found["tree"]["nodes"]
        width = found["tree"]["width"]
        self._values = np.array(found["tree"]["values"]).reshape(-1, width)

    def to_sklearn(self) -> Any:
        """The same tree as a fitted `DecisionTreeClassifier` or `DecisionTreeRegressor`; its columns are those of `transform`."""
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        columns = max(len(self.feature_names), 1)
        if self.classes is None:
            tree = DecisionTreeRegressor().fit(np.zeros((1, columns)), [0.0])
        else:
            tree = DecisionTreeClassifier().fit(np.zeros((len(self.classes), columns)), self.classes)
        order, depth = self._reached()
        index = {old: new for new, old in enumerate(order)}
        kind, arguments, state = tree.tree_.__reduce__()
        nodes = np.zeros(len(order), dtype=state["nodes"].dtype)
        for new, old in enumerate(order):
            node, split = self._nodes[old], self._nodes[old]["split"]
            nodes[new]["left_child"] = index[split["left"]] if split else -1
            nodes[new]["right_child"] = index[split["right"]] if split else -1
            nodes[new]["feature"] = split["column"] if split else -2
            nodes[new]["threshold"] = split["threshold"] if split else -2.0
            nodes[new]["impurity"] = node["impurity"]
            nodes[new]["n_node_samples"] = node["rows"]
            nodes[new]["weighted_n_node_samples"] = node["weight"]
        values = self._values[order][:, None, :]
        # Set the state of an empty tree: one with nodes would keep its capacity, which may be too small.
        tree.tree_ = kind(*arguments)
        tree.tree_.__setstate__(
            {"max_depth": depth, "node_count": len(order), "nodes": nodes, "values": np.ascontiguousarray(values)}
        )
        return tree

    def _reached(self) -> tuple[list[int], int]:
        """Nodes in the order of scikit-learn, the left subtree before the right one, and the depth."""
        order, deepest, open_nodes = [], 0, [(0, 0)]
        while open_nodes:
            at, depth = open_nodes.pop()
            order.append(at)
            deepest = max(deepest, depth)
            split = self._nodes[at]["split"]
            if split:
                open_nodes += [(split["right"], depth + 1), (split["left"], depth + 1)]
        return order, deepest

    def __str__(self) -> str:
        from sklearn.tree import export_text

        return export_text(self.to_sklearn(), feature_names=[f"[{name}]" for name in self.feature_names])

    def __repr__(self) -> str:
        return f"SurrogateTree(fidelity {self.fidelity:.3f})\n{self}"

    def _repr_svg_(self) -> str:
        return self.svg


def surrogate_tree(estimator: BaseEIN, graphs: GraphSet, depth: int, task: int) -> SurrogateTree:
    """The surrogate tree of one task of a model."""
    options = {"task": task, "depth": depth, "entry": estimator._entry, "threads": estimator.threads}
    found, svg = estimator.model_.surrogate(graphs._core, options)
    classes = estimator._classes[task]
    if classes is not None:
        classes = classes[np.argsort(ranks(classes))]
    return SurrogateTree(list(feature_names(estimator.patterns_)), classes, json.loads(found), svg)
