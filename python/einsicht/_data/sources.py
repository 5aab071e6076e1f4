"""Conversion of graphs of other libraries, and of lists, to native graphs. Errors name the index of the graph.

Other libraries than numpy are imported only when their objects are converted.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from einsicht import _core
from einsicht._data.tokens import token

Options = dict[str, Any]
#: By name: for each graph one word per vertex, or None.
Properties = dict[str, list[list[str | None]]]
LabelledGraph = tuple[list[str], list[tuple[int, int, str]]]

#: Properties that are computed from the graphs.
COMPUTED = ("degree", "ring", "element")

#: Types of bonds that the readers know.
BONDS = {"SINGLE", "DOUBLE", "TRIPLE", "QUADRUPLE", "AROMATIC", "DATIVE"}


def from_smiles(smiles: Iterable[str], backend: str, options: Options) -> _core.Graphs:
    texts = list(smiles)
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"a SMILES must be a string, but index {index} is {text!r}")
    if backend == "einsicht":
        return _core.Graphs.from_smiles(texts, options)
    if backend != "rdkit":
        raise ValueError(f'backend must be "einsicht" or "rdkit", got {backend!r}')
    from rdkit import Chem

    molecules = []
    for index, text in enumerate(texts):
        molecule = Chem.MolFromSmiles(text)
        if molecule is None:
            raise ValueError(f'SMILES: row {index} must be a molecule, but "{text}" is not: RDKit cannot read it')
        molecules.append(molecule)
    return from_rdkit(molecules, options)


def from_rdkit(molecules: Iterable[Any], options: Options) -> _core.Graphs:
    wanted = set(options.get("molecule_labels") or ())
    rest = {name: value for name, value in options.items() if name != "molecule_labels"}
    graphs: list[LabelledGraph] = []
    properties: Properties = {"hydrogens": [], "charge": []}
    for index, molecule in enumerate(molecules):
        if not hasattr(molecule, "GetAtoms"):
            raise TypeError(f"index {index} must be a molecule of RDKit, but is {_name(molecule)}")
        atoms = list(molecule.GetAtoms())
        properties["hydrogens"].append([str(atom.GetTotalNumHs(includeNeighbors=True)) for atom in atoms])
        # As the readers of molecules: a charge where there is one.
        properties["charge"].append([str(atom.GetFormalCharge()) if atom.GetFormalCharge() else None for atom in atoms])
        graphs.append(
            (
                [_atom(atom, wanted) for atom in atoms],
                [(b.GetBeginAtomIdx(), b.GetEndAtomIdx(), _bond(index, b)) for b in molecule.GetBonds()],
            )
        )
    return _build("RDKit", graphs, None, rest, properties)


def _atom(atom: Any, wanted: set[str]) -> str:
    symbol = atom.GetSymbol()
    if "aromatic" in wanted and atom.GetIsAromatic():
        symbol = symbol.lower()
    if "hydrogens" in wanted:
        symbol += f"H{atom.GetTotalNumHs()}"
    charge = atom.GetFormalCharge() if "charge" in wanted else 0
    return symbol + {0: "", 1: "+", -1: "-"}.get(charge, f"{charge:+d}")


def _bond(index: int, bond: Any) -> str:
    kind = str(bond.GetBondType())
    if kind not in BONDS:
        raise ValueError(f"molecule {index}: a bond must be one of {', '.join(sorted(BONDS))}, but is {kind}")
    return kind.lower()


def from_networkx(
    graphs: Iterable[Any], vertex_label: str, edge_label: str, vertex_properties: Sequence[str] | None, options: Options
) -> _core.Graphs:
    found, graphs = [], list(graphs)
    for index, graph in enumerate(graphs):
        if not hasattr(graph, "nodes") or not hasattr(graph, "is_directed"):
            raise TypeError(f"index {index} must be a graph of networkx, but is {_name(graph)}")
        if graph.is_directed() or graph.is_multigraph():
            raise ValueError(f"graph {index}: must be undirected with at most one edge between two nodes")
        indices = {node: at for at, node in enumerate(graph.nodes)}
        vertices = [token(labels.get(vertex_label, "*")) for _, labels in graph.nodes(data=True)]
        edges = [(indices[u], indices[v], token(labels.get(edge_label, ""))) for u, v, labels in graph.edges(data=True)]
        found.append((vertices, edges))
    if vertex_properties is None:
        # What `to_networkx` wrote.
        vertex_properties = sorted({name for graph in graphs for name in graph.graph.get("vertex_properties", ())})
    properties = {
        _property_name(name): [[_word(attributes.get(name)) for _, attributes in graph.nodes(data=True)] for graph in graphs]
        for name in vertex_properties
    }
    return _build("networkx", found, None, options, properties)


def to_networkx(graph: LabelledGraph, properties: dict[str, list[str | None]]) -> Any:
    import networkx

    made = networkx.Graph(vertex_properties=sorted(properties)) if properties else networkx.Graph()
    for at, label in enumerate(graph[0]):
        own = {name: words[at] for name, words in properties.items() if words[at] is not None}
        made.add_node(at, label=label, **own)
    made.add_edges_from((u, v, {"label": label} if label else {}) for u, v, label in graph[1])
    return made


def pattern_to_networkx(vertices: list[dict[str, Any]], edges: list[tuple[int, int, str]]) -> Any:
    graph = to_networkx(([vertex["label"] for vertex in vertices], edges), {})
    for at, vertex in enumerate(vertices):
        graph.nodes[at]["qualifiers"] = list(vertex["qualifiers"])
    return graph


def from_pyg(
    graphs: Iterable[Any],
    vertex_labels: str | Sequence[int] | None,
    edge_labels: str | Sequence[int] | None,
    attributes: Sequence[int] | None,
    options: Options,
) -> _core.Graphs:
    # A TU data set has attributes in the first columns of x and the label, one hot, in the last ones.
    labels = getattr(graphs, "num_node_labels", 0)
    if vertex_labels == "x" and labels:
        first = graphs.num_node_attributes if graphs[0].num_node_features > labels else 0  # type: ignore[attr-defined,index]
        vertex_labels = range(first, first + labels)
        attributes = list(range(first)) if attributes is None and first else attributes
    found, numbers = [], []
    for index, data in enumerate(graphs):
        if getattr(data, "edge_index", None) is None:
            raise TypeError(f"index {index} must be a graph of PyTorch Geometric, but is {_name(data)}")
        vertices = _labels(index, data, vertex_labels, "x", data.num_nodes, "*")
        index_array = np.asarray(data.edge_index)
        bonds = _labels(index, data, edge_labels, "edge_attr", index_array.shape[1], "")
        edges: dict[tuple[int, int], str] = {}
        for (u, v), bond in zip(index_array.T.tolist(), bonds, strict=True):
            pair = (min(u, v), max(u, v))
            if edges.setdefault(pair, bond) != bond:
                raise ValueError(f"graph {index}: the edge {pair} must have one label, but has {edges[pair]} and {bond}")
        found.append((vertices, [(u, v, bond) for (u, v), bond in edges.items()]))
        if attributes is not None:
            numbers.append(np.asarray(data.x, dtype=float)[:, list(attributes)].ravel().tolist())
    given = None if attributes is None else (len(list(attributes)), numbers)
    return _build("PyTorch Geometric", found, given, options)


def _labels(index: int, data: Any, source: Any, usual: str, count: int, default: str) -> list[str]:
    values = None if source is None else getattr(data, source if isinstance(source, str) else usual, None)
    if values is None:
        return [default] * count
    table = np.asarray(values)
    if not isinstance(source, str):
        table = table.reshape(count, -1)[:, list(source)]
    if table.ndim == 2 and table.shape[1] == 1:
        table = table[:, 0]
    if table.ndim == 2:
        if not (((table == 0) | (table == 1)).all() and (table.sum(axis=1) == 1).all()):
            raise ValueError(f"graph {index}: labels in several columns must be one hot, but those of {source} are not")
        table = table.argmax(axis=1)
    if len(table) != count:
        raise ValueError(f"graph {index}: there must be {count} labels, but {source} has {len(table)}")
    return [token(label) for label in table.tolist()]


def from_edges(
    edges: Any, vertex_labels: Any, edge_labels: Any, vertex_properties: Any, options: Options
) -> _core.Graphs:
    edges = [list(graph) for graph in edges]
    labels = None if vertex_labels is None else [[token(label) for label in graph] for graph in vertex_labels]
    bonds = None if edge_labels is None else [[token(label) for label in graph] for graph in edge_labels]
    for name, given in [("vertex_labels", labels), ("edge_labels", bonds)]:
        if given is not None and len(given) != len(edges):
            raise ValueError(f"{name} must have one list per graph, but there are {len(given)} for {len(edges)} graphs")
    graphs = []
    for index, graph in enumerate(edges):
        triples = [_triple(index, edge) for edge in graph]
        if bonds is not None:
            if len(bonds[index]) != len(triples):
                raise ValueError(
                    f"graph {index} must have one label per edge, but has {len(bonds[index])} for {len(triples)}"
                )
            triples = [(u, v, bond) for (u, v, _), bond in zip(triples, bonds[index], strict=True)]
        if labels is not None:
            vertices = labels[index]
        else:
            vertices = ["*"] * (1 + max((max(u, v) for u, v, _ in triples), default=-1))
        graphs.append((vertices, triples))
    return _build("edges", graphs, None, options, _properties(vertex_properties, len(graphs)))


def _properties(given: Any, count: int) -> Properties:
    """Properties by name, as words."""
    properties = {}
    for name, graphs in (given or {}).items():
        words = [[_word(value) for value in graph] for graph in graphs]
        if len(words) != count:
            raise ValueError(f"property {name!r} must have one list per graph, but there are {len(words)} for {count} graphs")
        properties[_property_name(name)] = words
    return properties


def _property_name(name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise TypeError(f"the name of a property must be a string, got {name!r}")
    if name in COMPUTED:
        raise ValueError(f"{name!r} is computed from the graphs; give the property another name")
    return name


def _word(value: Any) -> str | None:
    """A value of a property as a word; None and NaN are no value."""
    missing = value is None or (isinstance(value, (float, np.floating)) and np.isnan(value))
    return None if missing else token(value)


def _triple(index: int, edge: Any) -> tuple[int, int, str]:
    parts = list(edge)
    if len(parts) not in (2, 3):
        raise ValueError(f"an edge must be two vertices and perhaps a label, but graph {index} has {edge!r}")
    try:
        u, v = operator.index(parts[0]), operator.index(parts[1])
    except TypeError:
        raise TypeError(f"vertices of edges must be integers, but graph {index} has {edge!r}") from None
    if u < 0 or v < 0:
        raise ValueError(f"vertices count from 0, but graph {index} has the edge {edge!r}")
    return u, v, token(parts[2]) if len(parts) == 3 else ""


def from_dataframe(frame: Any, smiles: str, target: Any, options: Options) -> _core.Graphs:
    import tempfile
    from pathlib import Path

    if smiles not in frame.columns:
        raise ValueError(f"there must be a column named {smiles!r}, but there are only {list(frame.columns)}")
    if target is None:
        return from_smiles(list(frame[smiles]), "einsicht", options)
    columns = list(frame.columns) if target == "*" else [target] if isinstance(target, str) else list(target)
    wanted = [smiles, *(name for name in columns if name != smiles)]
    missing = [name for name in wanted if name not in frame.columns]
    if missing:
        raise ValueError(f"there must be a column named {missing[0]!r}, but there are only {list(frame.columns)}")
    # By a table on disk, so that the reader of tables decides between classes and numbers.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "frame.csv"
        part = frame[wanted]
        part.to_csv(path, index=False) if hasattr(part, "to_csv") else part.write_csv(path)
        return _core.Graphs.read(str(path), {"format": "csv", "smiles": smiles, "target": wanted[1:], **options})


def _build(
    name: str, graphs: list[LabelledGraph], attributes: Any, options: Options, properties: Properties | None = None
) -> _core.Graphs:
    if not graphs:
        raise ValueError("there must be at least one graph, but the list is empty")
    return _core.Graphs.build(name, graphs, attributes, options, properties or None)


def _name(item: Any) -> str:
    return "None" if item is None else f"a {type(item).__name__}"
