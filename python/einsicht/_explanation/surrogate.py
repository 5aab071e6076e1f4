"""Surrogate decision trees: fitted to the predictions of a model in Rust, shown as text, drawing or tree of
scikit-learn.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from einsicht._data.checks import whole
from einsicht._data.drawing import Drawing
from einsicht._data.graph_set import GraphSet
from einsicht._data.targets import ranks
from einsicht._explanation.attributions import tasks_named
from einsicht._explanation.patterns import feature_names

if TYPE_CHECKING:
    from einsicht._base import BaseEIN

#: Depth of a tree that nobody could read.
DEEPEST = 64


class SurrogateTree:
    """A decision tree fitted to the predictions of a model: as text, as a drawing, and as a tree of scikit-learn.

    fidelity : fraction of the graphs for which tree and model predict the same class; for regression the fraction of
        the variance of the model's predictions that the tree explains.

    Examples
    --------
    >>> import einsicht as es
    >>> smiles = ["C" * n + end for n in range(1, 11) for end in "ON"]
    >>> y = ["alcohol", "amine"] * 10
    >>> model = es.EINClassifier(max_edges=1, sizes=(1,)).fit(smiles, y)
    >>> model.surrogate_tree().fidelity
    1.0
    """

    def __init__(self, names: list[str], classes: np.ndarray | None, found: dict[str, Any], svg: str) -> None:
        self.fidelity: float = found["fidelity"]
        self.feature_names, self.classes, self.svg = names, classes, Drawing(svg)
        self._nodes, self._answers, self._counts = found["tree"]["nodes"], found["answers"], found["counts"]
        width = found["tree"]["width"]
        self._values = np.array(found["tree"]["values"]).reshape(-1, width)

    def to_sklearn(self) -> Any:
        """The same tree as a fitted `DecisionTreeClassifier` or `DecisionTreeRegressor`; its columns are those of
        `transform`, counts."""
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
            nodes[new]["threshold"] = self._counts[old] - 0.5 if split else -2.0
            nodes[new]["impurity"] = node["impurity"]
            nodes[new]["n_node_samples"] = node["rows"]
            nodes[new]["weighted_n_node_samples"] = node["weight"]
        values = self._values[order][:, None, :]
        if self.classes is not None:
            # The library sorts classes by rank, scikit-learn by value.
            values = values[:, :, np.argsort(self.classes, kind="stable")]
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
        lines: list[str] = []
        self._add(0, "", lines)
        return "\n".join(lines)

    def _add(self, at: int, indent: str, lines: list[str]) -> None:
        """Adds a node: the answers to its question, in counts, or the prediction of a leaf."""
        node, value = self._nodes[at], self._values[at]
        if not node["split"]:
            said = f"{value[0]:.3f}" if self.classes is None else f"{self.classes[value.argmax()]} ({value.max():.0%})"
            lines.append(f"{indent}-> {said}, {node['rows']} graphs")
            return
        for answer, side in zip(self._answers[at], ("right", "left"), strict=True):
            lines.append(f"{indent}{answer}")
            self._add(node["split"][side], indent + "   ", lines)

    def __repr__(self) -> str:
        return f"SurrogateTree(fidelity {self.fidelity:.3f})\n{self}"

    def draw(self) -> Drawing:
        """The tree with a drawing of the subgraph in each of its questions."""
        return self.svg

    def _repr_svg_(self) -> str:
        return str(self.svg)


def surrogate_tree(estimator: BaseEIN, graphs: GraphSet, depth: int, task: int | str) -> SurrogateTree:
    """The surrogate tree of one task of a model."""
    (task,) = tasks_named(estimator, task, "task")
    options = {
        "task": task,
        "depth": whole("depth", depth, 1, DEEPEST),
        "entry": estimator._entry,
        "threads": estimator._threads,
    }
    found, svg = estimator.model_.surrogate(graphs._core, options)
    classes = estimator._classes[task]
    if classes is not None:
        classes = classes[np.argsort(ranks(classes))]
    return SurrogateTree(list(feature_names(estimator.patterns_)), classes, json.loads(found), svg)
