"""The subgraphs of a model."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from einsicht import _core
from einsicht._data import export
from einsicht._data.checks import whole
from einsicht._data.classes import restored
from einsicht._data.convert import as_graph_set
from einsicht._data.drawing import Drawing
from einsicht._data.graph_set import GraphSet
from einsicht._data.reading import of_model
from einsicht._data.targets import ranks
from einsicht._docstrings import documented


@documented
class Pattern:
    """A subgraph of a model; a single vertex has no edges. A notebook shows a drawing.

    Examples
    --------
    >>> import einsicht as es
    >>> smiles = ["C" * n + end for n in range(1, 11) for end in "OC"]
    >>> model = es.EINClassifier(max_edges=1, sizes=(1,)).fit(smiles, ["alcohol", "alkane"] * 10)
    >>> pattern = model.patterns_[0]
    >>> pattern.text, pattern.support
    ('O', 10)
    """

    __slots__ = ("_at", "_entry", "_facts", "_model")

    def __init__(self, model: _core.Model, entry: int | None, at: int, facts: dict[str, Any]) -> None:
        self._model, self._entry, self._at, self._facts = model, entry, at, facts

    @property
    def vertices(self) -> list[dict[str, Any]]:
        """For each vertex its ``label`` and ``qualifiers``, the properties that it requires:
        ``{"label": "N", "qualifiers": ["H2"]}``.
        """
        return self._facts["named"]["vertices"]

    @property
    def edges(self) -> list[tuple[int, int, str]]:
        """Two vertices and a label."""
        return [(u, v, label) for u, v, label in self._facts["named"]["edges"]]

    @property
    def text(self) -> str:
        """On one line: ``C-N[H2]``."""
        return self._facts["named"]["text"]

    @property
    def words(self) -> str:
        """In words: ``C - N with 2 H``."""
        return self._facts["named"]["words"]

    @property
    def weights(self) -> np.ndarray:
        """Its weights in the mining layer, one per hidden unit: those that selected it. Unless ``head="network"``,
        another model predicts; `BaseEIN.effects` says what the subgraph does to the predictions."""
        return np.array(self._facts["weights"])

    @property
    def support(self) -> int:
        """Number of training graphs that contain it."""
        return self._facts["support"]

    @property
    def by_class(self) -> list[list[int]]:
        """For each task with classes, the number of these graphs in each class, in the order of ``classes_``."""
        return self._facts["by_class"]

    @property
    def class_size(self) -> int:
        """Number of equivalent subgraphs: those that occur in exactly the same training graphs (the support class)."""
        return self._facts["class_size"]

    @property
    def minimal(self) -> list[str]:
        """The minimal members of the support class."""
        return self._facts["minimal"]

    @property
    def maximal(self) -> list[str]:
        """The maximal (closed) members of the support class."""
        return self._facts["maximal"]

    @property
    def whole(self) -> str | None:
        """Of one with `max_edges` edges: what it is part of in all its training graphs and in nine of ten occurrences;
        indole for a piece of it.
        """
        return self._facts["whole"]

    @property
    def smarts(self) -> str | None:
        """As SMARTS, if it is part of a molecule."""
        return self._facts["named"]["smarts"]

    def to_networkx(self) -> Any:
        """As a graph of networkx, with the attributes `label` and `qualifiers`."""
        return export.pattern_to_networkx(self.vertices, self.edges)

    def to_rdkit(self) -> Any:
        """As a query molecule of RDKit, if it is part of a molecule."""
        if self.smarts is None:
            raise ValueError(f"to_rdkit needs a subgraph of molecules, got {self}")
        from rdkit import Chem

        return Chem.MolFromSmarts(self.smarts)

    def matches(self, graph: Any, *, limit: int = 1000) -> list[list[int]]:
        """Where it occurs in a graph: the vertices of each occurrence, numbered from 0 and increasing, at most `limit`
        occurrences, which differ in their edges.

        graph : a `Graph`, a SMILES, or a graph of RDKit, networkx or PyTorch Geometric, read as the training graphs
            were.

        Examples
        --------
        >>> import einsicht as es
        >>> smiles = ["CCO", "CCCO", "CC(O)C", "CCCCO", "CCN", "CCCN", "CC(N)C", "CCCCN"] * 3
        >>> model = es.EINClassifier(max_edges=1, sizes=(1,), require=["CN"])
        >>> model = model.fit(smiles, ["O" in text for text in smiles])
        >>> model.patterns_[0].matches("CNC")
        [[0, 1], [1, 2]]
        """
        if isinstance(graph, (list, tuple, GraphSet)):
            raise TypeError(
                f"graph must be one graph, got a {type(graph).__name__}: ask for each, [pattern.matches(graph) for"
                " graph in graphs]"
            )
        graphs = as_graph_set([graph], of_model(self._model))
        return self._model.occurrences(graphs._core, 0, self._at, whole("limit", limit, 1), self._entry)

    def count(self, graph: Any, *, limit: int = 1000) -> int:
        """Number of its occurrences in a graph, at most `limit`; see `matches`."""
        return len(self.matches(graph, limit=limit))

    def _key(self) -> tuple[Any, ...]:
        vertices = tuple((vertex["label"], *vertex["qualifiers"]) for vertex in self.vertices)
        return vertices, tuple(self.edges)

    def __eq__(self, other: object) -> bool:
        # Vertices and edges are those of the minimum DFS code, so that equal subgraphs have equal lists.
        return self._key() == other._key() if isinstance(other, Pattern) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        # The model itself, which pickle keeps once for all subgraphs that are pickled together.
        return Pattern, (self._model, self._entry, self._at, self._facts)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Pattern {self}, in {self.support} graphs>"

    def draw(self) -> Drawing:
        """A drawing, with the rest of a ring in grey where it is a piece of one."""
        return Drawing(self._model.pattern_svg(self._at, self._entry))

    def _repr_svg_(self) -> str:
        return str(self.draw())


def patterns_of(model: _core.Model, entry: int | None) -> list[Pattern]:
    """The subgraphs of an entry of the path."""
    found = json.loads(model.patterns(entry))
    orders = _orders_of_classes(model)
    for facts in found:
        counts = facts["by_class"] or []
        facts["by_class"] = [
            [own[rank] for rank in order] for own, order in zip(counts, orders, strict=len(counts) > 0)
        ]
    return [Pattern(model, entry, at, facts) for at, facts in enumerate(found)]


def _orders_of_classes(model: _core.Model) -> list[list[int]]:
    """For each task with classes the ranks of its classes, in the order of `classes_`."""
    kinds = [task["kind"] for task in json.loads(model.tasks())]
    values = json.loads(model.class_values()) or [None] * len(kinds)
    named = [
        (kind["classes"], kept)
        for kind, kept in zip(kinds, values, strict=True)
        if isinstance(kind, dict) and "classes" in kind
    ]
    return [ranks(restored(names, kept)).tolist() for names, kept in named]


def feature_names(patterns: list[Pattern]) -> np.ndarray:
    """The subgraphs on one line each; repeated names get a number."""
    names: list[str] = []
    for pattern in patterns:
        name = str(pattern)
        before = sum(other == name or other.startswith(f"{name} #") for other in names)
        names.append(name if before == 0 else f"{name} #{before + 1}")
    return np.array(names, dtype=object)
