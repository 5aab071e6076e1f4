"""Graphs as graphs of networkx and as molecules of RDKit, which are imported only when they are asked for."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from einsicht._data.sources import BONDS, LabelledGraph


def to_networkx(
    graph: LabelledGraph, properties: dict[str, list[str | None]], attributes: np.ndarray | None = None
) -> Any:
    import networkx

    made = networkx.Graph(vertex_properties=sorted(properties)) if properties else networkx.Graph()
    if attributes is not None:
        made.graph["vertex_attributes"] = "attributes"
    for at, label in enumerate(graph[0]):
        own: dict[str, Any] = {name: words[at] for name, words in properties.items() if words[at] is not None}
        if attributes is not None:
            own["attributes"] = attributes[at].tolist()
        made.add_node(at, label=label, **own)
    made.add_edges_from((u, v, {"label": label} if label else {}) for u, v, label in graph[1])
    return made


def to_rdkit(graph: LabelledGraph, properties: dict[str, list[str | None]], name: str) -> Any:
    from rdkit import Chem

    vertices, edges = graph
    made = Chem.RWMol()
    for at, label in enumerate(vertices):
        symbol = re.match(r"\*|[A-Za-z][a-z]?", label)
        element = symbol.group().capitalize() if symbol else ""
        if len(element) == 2 and label[0].islower() and element.lower() not in ("se", "as", "te", "si"):
            element = element[0]
        try:
            atom = Chem.Atom(element)
        except RuntimeError:
            raise ValueError(
                f"to_rdkit needs a molecule, but vertex {at} of graph {name} has the label {label!r}"
            ) from None
        charge = properties.get("charge", [None] * len(vertices))[at]
        atom.SetFormalCharge(int(charge or 0))
        hydrogens = properties.get("hydrogens", [None] * len(vertices))[at]
        if hydrogens is not None:
            shown = sum(vertices[v if u == at else u] == "H" for u, v, _ in edges if at in (u, v))
            atom.SetNoImplicit(True)
            atom.SetNumExplicitHs(int(hydrogens) - shown)
        made.AddAtom(atom)
    for u, v, label in edges:
        kind = label.upper()
        if kind not in BONDS:
            raise ValueError(f"to_rdkit needs bonds, but edge {(u, v)} of graph {name} has the label {label!r}")
        made.AddBond(u, v, getattr(Chem.BondType, kind))
        for end in (u, v) if kind == "AROMATIC" else ():
            made.GetAtomWithIdx(end).SetIsAromatic(True)
    molecule = made.GetMol()
    Chem.SanitizeMol(molecule)
    return molecule


def pattern_to_networkx(vertices: list[dict[str, Any]], edges: list[tuple[int, int, str]]) -> Any:
    graph = to_networkx(([vertex["label"] for vertex in vertices], edges), {})
    for at, vertex in enumerate(vertices):
        graph.nodes[at]["qualifiers"] = list(vertex["qualifiers"])
    return graph
