"""Conversion of graphs of other libraries, and of lists, to native graphs. Errors name the index of the graph.

Other libraries than numpy are imported only when their objects are converted.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from einsicht import _core
from einsicht._data.attributes import check_attributes, report_unlabelled
from einsicht._data.features import table_of
from einsicht._data.reading import deviations
from einsicht._data.rows import kind_of, rows_of
from einsicht._data.tables import column_of, names_of
from einsicht._data.tokens import is_missing, label_token, token

Options = dict[str, Any]
#: By name: for each graph one word per vertex, or None.
Properties = dict[str, list[list[str | None]]]
LabelledGraph = tuple[list[str], list[tuple[int, int, str]]]

#: Properties that are computed from the graphs.
COMPUTED = ("degree", "ring", "element")

#: Keywords of `from_networkx` and of `from_pyg`, with their defaults.
NETWORKX: Options = {"vertex_label": "label", "edge_label": "label", "vertex_properties": None}
PYG: Options = {"vertex_labels": "x", "edge_labels": "edge_attr", "attributes": None}

#: Types of bonds that the readers know.
BONDS = {"SINGLE", "DOUBLE", "TRIPLE", "QUADRUPLE", "AROMATIC", "DATIVE"}


#: Options of files, which nothing else reads.
OF_FILES = ("format", "target", "smiles", "task")


def check_options(options: Options) -> None:
    """Refuses options that would be ignored in silence."""
    for name in OF_FILES:
        if options.get(name) is not None:
            raise TypeError(
                f"{name} is an option of files (GraphSet.read) and of data frames: graphs that are given as a list have"
                " none"
            )


def from_smiles(smiles: Iterable[Any], backend: str, options: Options) -> _core.Graphs:
    check_options(options)
    texts = rows_of(smiles, "smiles", "a list of SMILES")
    if not isinstance(backend, str) or backend not in ("einsicht", "rdkit"):
        raise ValueError(f'backend must be "einsicht" or "rdkit", got {backend!r}')
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            if stops(options):
                raise TypeError(
                    f"a SMILES must be a string, but index {index} is {text!r}: on_bad says what to do with such rows"
                )
            texts[index] = None
    if backend == "einsicht":
        options, features = _with_features(options, len(texts))
        return _core.Graphs.from_smiles(texts, options, features)
    from rdkit import Chem

    how = Chem.SmilesParserParams()
    # As the other reader: hydrogens that are atoms of their own are dropped unless they are asked for.
    options = {**options, "hydrogens": options.get("hydrogens") or "drop"}
    how.removeHs = options["hydrogens"] != "keep"

    def read(text: Any) -> Any:
        try:
            return text if text is None else Chem.MolFromSmiles(text, how) or text
        except RuntimeError:  # RDKit throws at some texts, such as elements that there are none of
            return text

    return from_rdkit([read(text) for text in texts], options, {"backend": backend})


def from_rdkit(molecules: Iterable[Any], options: Options, keywords: Options | None = None) -> _core.Graphs:
    labels = options.get("molecule_labels") or []
    wanted = set([labels] if isinstance(labels, str) else labels)
    properties: Properties = {"hydrogens": [], "charge": []}
    kinds: dict[Any, str] = {}

    def convert(index: int, molecule: Any) -> LabelledGraph:
        if isinstance(molecule, str):
            raise ValueError(f'SMILES: row {index} must be a molecule, but "{molecule}" is not: RDKit cannot read it')
        if not hasattr(molecule, "GetAtoms"):
            raise TypeError(f"index {index} must be a molecule of RDKit, but is {kind_of(molecule)}")
        try:
            return graph(index, molecule)
        except RuntimeError as problem:
            says = " ".join(str(problem).split("\n", 2)[:2]).replace("\t", "")
            raise ValueError(
                f'molecule {index}: must be sanitized, but RDKit says "{says}": Chem.SanitizeMol(molecule) does it'
            ) from problem

    def graph(index: int, molecule: Any) -> LabelledGraph:
        bonds = _bonds(index, molecule, kinds)
        found = {kind for _, _, kind in bonds}
        if "double" in found and "aromatic" not in found:
            # Perhaps kekulized; its aromaticity is RDKit's, as that of all others is.
            from rdkit import Chem

            molecule = Chem.Mol(molecule)
            Chem.SetAromaticity(molecule)
            bonds = _bonds(index, molecule, kinds)
        atoms = list(map(molecule.GetAtomWithIdx, range(molecule.GetNumAtoms())))
        charges = [atom.GetFormalCharge() for atom in atoms]
        properties["hydrogens"][-1] = [str(atom.GetTotalNumHs(True)) for atom in atoms]
        # As the readers of molecules: a charge where there is one.
        properties["charge"][-1] = [str(charge) if charge else None for charge in charges]
        if wanted:
            return [_atom(atom, wanted) for atom in atoms], bonds
        return [atom.GetSymbol() for atom in atoms], bonds

    molecules = rows_of(molecules, "molecules", "a list of molecules of RDKit")
    graphs = list(
        _converted(molecules, options, convert, before=lambda: [words.append([]) for words in properties.values()])
    )
    options = {**options, "molecule_labels": sorted(wanted)}
    return _build("RDKit", graphs, options, properties=properties, keywords=keywords)


def _bonds(index: int, molecule: Any, kinds: dict[Any, str]) -> list[tuple[int, int, str]]:
    """Bonds in the order of RDKit; `kinds` keeps the words of kinds that were met, which take RDKit long to write, as
    does `GetBonds`.
    """
    bonds = list(map(molecule.GetBondWithIdx, range(molecule.GetNumBonds())))
    found = [bond.GetBondType() for bond in bonds]
    kinds.update({kind: _kind(index, kind) for kind in set(found) - kinds.keys()})
    return [
        (bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), kinds[kind]) for bond, kind in zip(bonds, found, strict=True)
    ]


def stops(options: Options) -> bool:
    """Whether a graph that cannot be read is an error."""
    return (options.get("on_bad") or "stop") == "stop"


def _converted(
    items: Iterable[Any],
    options: Options,
    convert: Callable[[int, Any], LabelledGraph],
    before: Callable[[], Any] = lambda: None,
) -> Iterator[LabelledGraph | str]:
    """Each item as a graph; where one is none, an error, or with `on_bad` the reason in its place."""
    for index, item in enumerate(items):
        before()
        try:
            made = convert(index, item)
            if not made[0]:
                raise ValueError(
                    f"graph {index}: a graph must have at least one vertex, but is empty: on_bad says what to do with"
                    " such rows"
                )
            yield made
        except (TypeError, ValueError) as problem:
            if stops(options):
                raise
            yield str(problem)


def _atom(atom: Any, wanted: set[str]) -> str:
    symbol = atom.GetSymbol()
    if "aromatic" in wanted and atom.GetIsAromatic():
        symbol = symbol.lower()
    if "hydrogens" in wanted:
        symbol += f"H{atom.GetTotalNumHs()}"
    charge = atom.GetFormalCharge() if "charge" in wanted else 0
    return symbol + {0: "", 1: "+", -1: "-"}.get(charge, f"{charge:+d}")


def _kind(index: int, bond_type: Any) -> str:
    kind = str(bond_type)
    if kind not in BONDS:
        raise ValueError(f"molecule {index}: a bond must be one of {', '.join(sorted(BONDS))}, but is {kind}")
    return kind.lower()


def from_networkx(graphs: Iterable[Any], keywords: Options, options: Options) -> _core.Graphs:
    given = {**NETWORKX, **keywords}
    if isinstance(given["vertex_properties"], str):
        given["vertex_properties"] = [given["vertex_properties"]]
    for name in ("vertex_label", "edge_label"):
        if not isinstance(given[name], Hashable):
            raise TypeError(f"{name} must be the name of an attribute, got {given[name]!r}")
    vertex_label, edge_label, vertex_properties = (given[name] for name in NETWORKX)

    def convert(index: int, graph: Any) -> LabelledGraph:
        if not hasattr(graph, "nodes") or not hasattr(graph, "is_directed"):
            raise TypeError(f"index {index} must be a graph of networkx, but is {kind_of(graph)}")
        if graph.is_directed() or graph.is_multigraph():
            raise ValueError(
                f"graph {index}: must be undirected with at most one edge between two nodes: networkx.Graph(graph)"
                " makes it so"
            )
        indices = {node: at for at, node in enumerate(graph.nodes)}
        vertices = [
            label_token(labels[vertex_label], f"graph {index}, node {node!r}") if vertex_label in labels else "*"
            for node, labels in graph.nodes(data=True)
        ]
        edges = [
            (
                indices[u],
                indices[v],
                label_token(labels[edge_label], f"graph {index}, edge {(u, v)!r}") if edge_label in labels else "",
            )
            for u, v, labels in graph.edges(data=True)
        ]
        return vertices, edges

    graphs = rows_of(graphs, "graphs", "a list of graphs of networkx")
    found = list(_converted(graphs, options, convert))
    good = [graph for graph, made in zip(graphs, found, strict=True) if not isinstance(made, str)]
    if vertex_properties is None:
        # What `to_networkx` wrote.
        vertex_properties = sorted({name for graph in good for name in graph.graph.get("vertex_properties", ())})
    # Numbers of vertices have a name only where `to_networkx` wrote them.
    numbers = {graph.graph.get("vertex_attributes") for graph in good}
    attributes = numbers.pop() if len(numbers) == 1 else None
    check_attributes(good, given, [*vertex_properties, attributes])
    nodes = [[] if isinstance(made, str) else graph.nodes(data=True) for graph, made in zip(graphs, found, strict=True)]
    properties = {
        _property_name(name): [[_word(attributes.get(name)) for _, attributes in own] for own in nodes]
        for name in vertex_properties
    }
    table = [[own[attributes] for _, own in graph] for graph in nodes] if attributes is not None else []
    width = max((len(row) for graph in table for row in graph), default=0)
    return _build(
        "networkx",
        found,
        options,
        attributes=(width, [sum(graph, []) for graph in table]) if width else None,
        properties=properties,
        keywords={"networkx": deviations(given, NETWORKX)},
    )


def from_pyg(graphs: Iterable[Any], keywords: Options, options: Options) -> _core.Graphs:
    given = {**PYG, **keywords}
    vertex_labels, edge_labels, attributes = (given[name] for name in PYG)
    # A TU data set has attributes in the first columns of x and the label, one hot, in the last ones. A loader, or a
    # part, has the set.
    whole: Any = graphs if hasattr(graphs, "num_node_labels") else getattr(graphs, "dataset", None)
    labels = getattr(whole, "num_node_labels", 0)
    if vertex_labels == "x" and labels:
        first = whole.num_node_attributes if whole[0].num_node_features > labels else 0
        vertex_labels = range(first, first + labels)
        attributes = list(range(first)) if attributes is None and first else attributes
    numbers: list[list[float]] = []

    def convert(index: int, data: Any) -> LabelledGraph:
        if getattr(data, "edge_index", None) is None:
            raise TypeError(f"index {index} must be a graph of PyTorch Geometric, but is {kind_of(data)}")
        vertices = _labels(index, data, vertex_labels, "x", data.num_nodes, "*")
        index_array = np.asarray(data.edge_index)
        bonds = _labels(index, data, edge_labels, "edge_attr", index_array.shape[1], "")
        edges: dict[tuple[int, int], str] = {}
        for (u, v), bond in zip(index_array.T.tolist(), bonds, strict=True):
            pair = (min(u, v), max(u, v))
            if edges.setdefault(pair, bond) != bond:
                raise ValueError(
                    f"graph {index}: the edge {pair} must have one label, but has {edges[pair]} and {bond}"
                )
        if attributes is not None:
            numbers[-1] = np.asarray(data.x, dtype=float)[:, list(attributes)].ravel().tolist()
        return vertices, [(u, v, bond) for (u, v), bond in edges.items()]

    # A batch is several graphs, wherever it comes from.
    wanted = "a list of graphs of PyTorch Geometric, or a data set"
    given = [graphs] if hasattr(graphs, "to_data_list") else rows_of(graphs, "graphs", wanted)
    graphs = [one for item in given for one in (item.to_data_list() if hasattr(item, "to_data_list") else [item])]
    found = list(_converted(graphs, options, convert, before=lambda: numbers.append([])))
    report_unlabelled(graphs, vertex_labels)
    columns = None if attributes is None else (len(list(attributes)), numbers)
    own = {"vertex_labels": vertex_labels, "edge_labels": edge_labels, "attributes": attributes}
    made = _build("PyTorch Geometric", found, options, attributes=columns, keywords={"pyg": deviations(own, PYG)})
    targets = _targets(graphs, [int(row) for row in made.source_rows()])
    return made.with_values(targets, "auto") if targets else made


def _targets(graphs: Sequence[Any], rows: Sequence[int]) -> list[tuple[str, list[str | None]]]:
    """``y`` of these graphs, if each has one number, or one row of as many; ``y`` of vertices is none of a graph."""
    values = [getattr(graphs[row], "y", None) for row in rows]
    tables = [np.asarray(value, dtype=float) for value in values if value is not None]
    widths = {table.size for table in tables if table.size == 1 or (table.ndim == 2 and len(table) == 1)}
    if not rows or len(tables) < len(rows) or len(widths) != 1 or any(table.size not in widths for table in tables):
        return []
    columns = np.stack([table.ravel() for table in tables]).T
    names = ["y"] if len(columns) == 1 else [f"y{at}" for at in range(len(columns))]
    return [(name, [_value(number) for number in column]) for name, column in zip(names, columns, strict=True)]


def _labels(index: int, data: Any, source: Any, usual: str, count: int, default: str) -> list[str]:
    name = source if isinstance(source, str) else usual
    values = None if source is None else getattr(data, name, None)
    if values is None:
        if source is not None and source != usual:
            raise ValueError(f"graph {index}: labels must be in an attribute of the data, but there is no {name!r}")
        return [default] * count
    table = np.asarray(values)
    if not isinstance(source, str):
        table = table.reshape(count, -1)[:, list(source)]
    if table.ndim == 2 and table.shape[1] == 1:
        table = table[:, 0]
    if table.ndim == 2:
        if not (((table == 0) | (table == 1)).all() and (table.sum(axis=1) == 1).all()):
            keyword = "vertex_labels" if usual == "x" else "edge_labels"
            texts = ", or read their SMILES: GraphSet.from_smiles([data.smiles for data in graphs])"
            raise ValueError(
                f"graph {index}: labels in several columns must be one hot, but those of {source} are not: name the"
                f" column that is, as in {keyword}=[0]{texts if getattr(data, 'smiles', None) else ''}"
            )
        table = table.argmax(axis=1)
    if len(table) != count:
        raise ValueError(f"graph {index}: there must be {count} labels, but {source} has {len(table)}")
    return [label_token(label, f"graph {index}, {source}") for label in table.tolist()]


def from_edges(
    edges: Any, vertex_labels: Any, edge_labels: Any, vertex_properties: Any, options: Options
) -> _core.Graphs:
    edges = rows_of(edges, "edges", "a list with the edges of each graph")
    labels, bonds = _label_lists(vertex_labels, "vertex"), _label_lists(edge_labels, "edge")
    for name, given in [("vertex_labels", labels), ("edge_labels", bonds)]:
        if given is not None and len(given) != len(edges):
            raise ValueError(f"{name} must have one list per graph, but there are {len(given)} for {len(edges)} graphs")

    def convert(index: int, graph: Any) -> LabelledGraph:
        if isinstance(graph, str) or not isinstance(graph, Iterable):
            raise TypeError(
                f"graph {index} must be a list of edges, but is {kind_of(graph)}: the edges of one graph alone go into"
                " a list, [edges]"
            )
        triples = [_triple(index, edge) for edge in graph]
        if bonds is not None:
            if len(bonds[index]) != len(triples):
                raise ValueError(
                    f"graph {index} must have one label per edge, but has {len(bonds[index])} for {len(triples)}"
                )
            triples = [(u, v, bond) for (u, v, _), bond in zip(triples, bonds[index], strict=True)]
        if labels is not None:
            return labels[index], triples
        largest = max((max(u, v) for u, v, _ in triples), default=-1)
        if largest >= 2**32:
            raise ValueError(
                f"graph {index}: vertices count from 0 to the number of vertices, but an edge has {largest}"
            )
        return ["*"] * (1 + largest), triples

    graphs = list(_converted(edges, options, convert))
    return _build("edges", graphs, options, properties=_properties(vertex_properties, len(graphs)))


def _label_lists(given: Any, what: str) -> list[list[str]] | None:
    if given is None:
        return None
    return [
        [label_token(label, f"graph {at}, {what} {place}") for place, label in enumerate(graph)]
        for at, graph in enumerate(given)
    ]


def _properties(given: Any, count: int) -> Properties:
    """Properties by name, as words."""
    properties = {}
    if given is not None and not isinstance(given, Mapping):
        raise TypeError(
            f"vertex_properties must be a dictionary, by name for each graph one value per vertex, got {kind_of(given)}"
        )
    for name, graphs in (given or {}).items():
        words = [[_word(value) for value in graph] for graph in graphs]
        if len(words) != count:
            raise ValueError(
                f"property {name!r} must have one list per graph, but there are {len(words)} for {count} graphs"
            )
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
    return None if is_missing(value) else token(value)


def _triple(index: int, edge: Any) -> tuple[int, int, str]:
    parts = list(edge) if isinstance(edge, Iterable) else [edge]
    if len(parts) not in (2, 3):
        raise ValueError(f"an edge must be two vertices and perhaps a label, but graph {index} has {edge!r}")
    try:
        u, v = operator.index(parts[0]), operator.index(parts[1])
    except TypeError:
        raise TypeError(f"vertices of edges must be integers, but graph {index} has {edge!r}") from None
    if u < 0 or v < 0:
        raise ValueError(f"vertices count from 0, but graph {index} has the edge {edge!r}")
    return u, v, label_token(parts[2], f"graph {index}, edge {(u, v)}") if len(parts) == 3 else ""


def _with_features(options: Options, count: int) -> tuple[Options, Any]:
    """The options without `features`, and these as a table."""
    rest = {name: given for name, given in options.items() if name != "features"}
    return rest, table_of(options.get("features"), count)


def from_dataframe(frame: Any, smiles: str, target: Any, options: Options) -> _core.Graphs:
    names = names_of(frame)
    if names is None:
        raise TypeError(
            f"frame must be a data frame of pandas or polars, or a table of Arrow, got {kind_of(frame)}: a column alone"
            " goes to from_smiles"
        )
    options = {**options}
    backend, task = options.pop("backend", "einsicht"), options.pop("task", None)
    beside = _listed(options.pop("features", None))
    everything = isinstance(target, str) and target == "*"
    columns = [name for name in names if name != smiles and name not in beside] if everything else _listed(target)
    for name in [smiles, *columns, *beside]:
        if name not in names:
            raise ValueError(f"there must be a column named {name!r}, but there are only {names}")
        if names.count(name) > 1:
            raise ValueError(f"the data frame must have one column named {name!r}, but has {names.count(name)}")
    if smiles in columns:
        raise ValueError(f"a target must be another column than that of the SMILES, but {smiles!r} is named as both")
    both = [name for name in beside if name in columns]
    if both:
        raise ValueError(f"a column must be a target or a feature, but {both[0]!r} is named as both")
    features = {name: column_of(frame, name) for name in beside} or None
    try:
        made = from_smiles(column_of(frame, smiles), backend, {**options, "features": features})
    except ValueError as problem:
        raise ValueError(re.sub("^SMILES:", "data frame:", str(problem))) from None
    if not columns:
        return made
    rows = made.source_rows()
    values = [(str(name), column_of(frame, name)) for name in columns]
    return made.with_values([(name, [_value(column[row]) for row in rows]) for name, column in values], task or "auto")


def _listed(given: Any) -> list[Any]:
    """Names of columns as a list; one may stand alone."""
    return [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]


def _value(value: Any) -> str | None:
    """A value of a target as a word; None if it is missing."""
    if is_missing(value):
        return None
    is_real = isinstance(value, (float, np.floating)) and not float(value).is_integer()
    return repr(float(value)) if is_real else token(value)


def _build(
    name: str,
    graphs: Sequence[LabelledGraph | str],
    options: Options,
    *,
    attributes: Any = None,
    properties: Properties | None = None,
    keywords: Options | None = None,
) -> _core.Graphs:
    if not graphs:
        raise ValueError("there must be at least one graph, but the list is empty")
    check_options(options)
    kept = {source: given for source, given in (keywords or {}).items() if given}
    options, features = _with_features(options, len(graphs))
    return _core.Graphs.build(name, graphs, attributes, options, properties or None, json.dumps(kept), features)
