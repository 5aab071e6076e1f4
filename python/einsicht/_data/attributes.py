"""Attributes of networkx graphs that labels come from: one that nothing has is an error, those that nobody uses are
reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from einsicht._data.checks import warn

#: Names of the attributes that are labels by default; their absence is no mistake.
USUAL = "label"


def check_attributes(graphs: Sequence[Any], given: Mapping[str, Any], vertex_properties: Iterable[str]) -> None:
    """Compares the names that were given with the attributes that nodes and edges have."""
    nodes = _names(attributes for graph in graphs for _, attributes in graph.nodes(data=True))
    edges = _names(attributes for graph in graphs for _, _, attributes in graph.edges(data=True))
    for keyword, name, have, what in [
        ("vertex_label", given["vertex_label"], nodes, "node"),
        ("edge_label", given["edge_label"], edges, "edge"),
        *(("vertex_properties", name, nodes, "node") for name in given["vertex_properties"] or ()),
    ]:
        if name not in have and name != USUAL:
            known = f"the attributes are {_listed(have)}" if have else "there are no attributes"
            raise ValueError(f"{keyword} must name an attribute, but no {what} has {name!r}: {known}")
    for keyword, name, have, what, items in [
        (
            "vertex_label",
            given["vertex_label"],
            nodes,
            "nodes",
            [one for graph in graphs for _, one in graph.nodes(data=True)],
        ),
        (
            "edge_label",
            given["edge_label"],
            edges,
            "edges",
            [one for graph in graphs for _, _, one in graph.edges(data=True)],
        ),
    ]:
        without = sum(name not in one for one in items) if name in have else 0
        if without:
            warn(
                f"{without} of {len(items)} {what} do not have {name!r} and are unlabelled ({keyword} names the"
                " attribute)"
            )
    unused = [
        (what, keyword, have, have - {given[keyword], *used})
        for what, keyword, have, used in [
            ("nodes", "vertex_label", nodes, vertex_properties),
            ("edges", "edge_label", edges, ()),
        ]
    ]
    for what, keyword, have, others in unused:
        if others:
            labels = (
                ""
                if given[keyword] in have
                else f", and all {what} have the same label, since none has {given[keyword]!r}"
            )
            warn(f"attributes of {what} that are not used: {_listed(others)}{labels} ({keyword} names the one to use)")


#: Attributes of PyTorch Geometric data that are no labels of vertices.
NO_LABELS = {"x", "edge_index", "edge_attr", "y", "pos", "batch", "ptr", "num_nodes"}


def report_unlabelled(graphs: Sequence[Any], vertex_labels: Any) -> None:
    """Reports data of PyTorch Geometric without the usual labels that have something else for each vertex."""
    if vertex_labels != "x" or any(getattr(data, "x", None) is not None for data in graphs):
        return
    others = {name for data in graphs for name in getattr(data, "keys", list)() if name not in NO_LABELS}
    if others:
        warn(
            f"all vertices have the same label, since the data have no 'x', but {_listed(others)} (vertex_labels names"
            " the one to use)"
        )


def _names(all_attributes: Iterable[Mapping[str, Any]]) -> set[Any]:
    return {name for attributes in all_attributes for name in attributes}


def _listed(names: set[Any]) -> str:
    return ", ".join(sorted(map(repr, names)))
