"""Why a model says what it says: shares of the output for each subgraph, atom and bond, and small trees that imitate it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from einsicht._graphs import GraphSet
from einsicht._patterns import feature_names

if TYPE_CHECKING:
    from einsicht._estimators import BaseEIN


class Explanation:
    """Shares of the output of some graphs: one number a graph, subgraph and quantity.

    values : (graphs, subgraphs, quantities); they sum to ``output - base`` over the subgraphs.
    output, base : (graphs, quantities): what the model says, and what it would say without any subgraph.
    errors : standard errors of the values where they were sampled, 0 where they are exact.
    data : (graphs, subgraphs): the value of each subgraph in each graph.
    quantities : names of what is explained: logits (or probabilities) of classes, or numbers.
    """

    def __init__(self, estimator: BaseEIN, graphs: GraphSet, shares: Any) -> None:
        self._estimator, self.graphs = estimator, graphs
        self.quantities = [name for _, _, name in shares.quantities]
        self.names = list(feature_names(estimator.patterns_))
        count, width = len(self.quantities), shares.table.shape[1]
        if width > len(self.names):
            self.names.append("(graph network)")
        shape = (len(graphs), width, count)
        self.values, self.errors = shares.values.reshape(shape), shares.errors.reshape(shape)
        self.output, self.base, self.data = shares.output, shares.base, shares.table

    def to_shap(self) -> Any:
        """The same as an `shap.Explanation`, for its plots."""
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
        """How much each vertex (atom) of graph i stands for: its shares of the subgraphs that cover it."""
        return self._spread(i, quantity)[0]

    def edge_weights(self, i: int, quantity: int = 0) -> np.ndarray:
        """How much each edge (bond) of graph i stands for."""
        return self._spread(i, quantity)[1]

    atom_weights = vertex_weights
    bond_weights = edge_weights

    def _spread(self, i: int, quantity: int) -> tuple[np.ndarray, np.ndarray]:
        shares = self.values[i, :, quantity].tolist()
        vertices, edges = self._estimator.model_.spread(self.graphs._core, i, shares, self._estimator._entry)
        return np.array(vertices), np.array(edges)

    def draw(self, i: int, quantity: int = 0) -> Drawing:
        """Graph i, blue where it raises the output and red where it lowers it."""
        title = f"{self.graphs[i].id}: {self.quantities[quantity]} {self.output[i, quantity]:.3f}"
        shares = self.values[i, :, quantity].tolist()
        return Drawing(self._estimator.model_.draw_shares(self.graphs._core, i, shares, title, self._estimator._entry))

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"Explanation({len(self)} graphs, {self.values.shape[1]} subgraphs, {', '.join(self.quantities)})"


class Drawing(str):
    """An SVG that a notebook shows."""

    def _repr_svg_(self) -> str:
        return str(self)


def explain(
    estimator: BaseEIN,
    graphs: GraphSet,
    *,
    method: str = "shapley",
    output: str = "logit",
    baseline: str = "absent",
    background: int = 100,
    exact_up_to: int = 12,
    orders: int = 64,
) -> Explanation:
    """Shares of the output; options as those of `einsicht explain`."""
    check_is_fitted(estimator, "model_")
    for name, value, allowed in [("output", output, ("logit", "probability")), ("baseline", baseline, ("absent", "background"))]:
        if value not in allowed:
            raise ValueError(f"{name} must be {' or '.join(allowed)}, got {value!r}")
    shares = estimator.model_.explain(
        graphs._core,
        entry=estimator._entry,
        method=method,
        probability=output == "probability",
        background=background if baseline == "background" else 0,
        exact_up_to=exact_up_to,
        orders=orders,
        seed=estimator._seed(),
        threads=estimator.threads,
    )
    return Explanation(estimator, graphs, shares)


class SurrogateTree:
    """A small decision tree that imitates a model: as text, as a drawing, and as an object of scikit-learn.

    fidelity : share of the graphs on which tree and model agree, or of the variance that the tree explains.
    """

    def __init__(self, names: list[str], classes: np.ndarray | None, facts: dict[str, Any], svg: str) -> None:
        self.fidelity: float = facts["fidelity"]
        self.feature_names, self.classes, self.svg = names, classes, svg
        self._nodes = facts["tree"]["nodes"]
        width = facts["tree"]["width"]
        self._values = np.array(facts["tree"]["values"]).reshape(-1, width)

    def to_sklearn(self) -> Any:
        """The same tree as a fitted `DecisionTreeClassifier` or `DecisionTreeRegressor`; its columns are those of `transform`."""
        from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

        columns = max(len(self.feature_names), 1)
        if self.classes is None:
            tree = DecisionTreeRegressor().fit(np.zeros((1, columns)), [0.0])
        else:
            tree = DecisionTreeClassifier().fit(np.zeros((len(self.classes), columns)), self.classes)
        order, depth = self._reached()
        place = {old: new for new, old in enumerate(order)}
        kind, arguments, state = tree.tree_.__reduce__()
        nodes = np.zeros(len(order), dtype=state["nodes"].dtype)
        for new, old in enumerate(order):
            node, split = self._nodes[old], self._nodes[old]["split"]
            nodes[new]["left_child"] = place[split["left"]] if split else -1
            nodes[new]["right_child"] = place[split["right"]] if split else -1
            nodes[new]["feature"] = split["column"] if split else -2
            nodes[new]["threshold"] = split["threshold"] if split else -2.0
            nodes[new]["impurity"] = node["impurity"]
            nodes[new]["n_node_samples"] = node["rows"]
            nodes[new]["weighted_n_node_samples"] = node["weight"]
        values = self._values[order][:, None, :]
        # Into a tree without nodes: one that has some would keep its room, however many come.
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
    """The tree that imitates one task of a model."""
    facts, svg = estimator.model_.surrogate(graphs._core, task, depth, estimator._entry, estimator.threads)
    classes = estimator._classes[task]
    if classes is not None:
        from einsicht._targets import ranks

        classes = classes[np.argsort(ranks(classes))]
    return SurrogateTree(list(feature_names(estimator.patterns_)), classes, json.loads(facts), svg)
