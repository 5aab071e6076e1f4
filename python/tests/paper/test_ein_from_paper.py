"""Preset `paper` is the paper: Algorithm 1 by exhaustive search in numpy and networkx chooses the same subgraphs and
finds the same weights.

Each size is repeated from the engine's entry before it, and has at most 25 iterations, since long paths amplify
rounding: at convergence it decides which iterate has the lowest validation loss.
"""

import gzip
import json

import pytest
from program import ROOT, einsicht

np = pytest.importorskip("numpy", reason="needs numpy (pip install numpy)")
nx = pytest.importorskip("networkx", reason="needs networkx (pip install networkx)")
safetensors = pytest.importorskip("safetensors", reason="needs safetensors (pip install safetensors)")
paper = pytest.importorskip("ein_from_paper")

SETS = ROOT / "testdata/sets"
MAX_EDGES, SIZES, STEPS, CAP = 3, (1, 5, 10, 25), 5, 25


# Sets: lists of networkx graphs with labels that are whole numbers, and classes.


def tu(folder):
    """A TU folder, read by hand."""

    def column(name):
        path = folder / f"{folder.name}_{name}.txt"
        text = path.read_text() if path.exists() else gzip.open(f"{path}.gz", "rt").read()
        return [[int(word) for word in line.split(",")] for line in text.split("\n") if line.strip()]

    owner = [row[0] - 1 for row in column("graph_indicator")]
    graphs = [nx.Graph() for _ in range(max(owner) + 1)]
    for vertex, (label,) in enumerate(column("node_labels")):
        graphs[owner[vertex]].add_node(vertex, label=label)
    edges = column("A")
    has_labels = any(folder.glob("*_edge_labels.txt*"))
    labels = column("edge_labels") if has_labels else [[0]] * len(edges)
    for (a, b), (label,) in zip(edges, labels):
        graphs[owner[a - 1]].add_edge(a - 1, b - 1, label=label)
    return graphs, [row[0] for row in column("graph_labels")]


def cpdb():
    graphs, classes = [], []
    for line in (SETS / "cpdb_100.gspan").read_text().splitlines():
        kind, *words = line.split() or [""]
        if kind == "t":
            graphs.append(nx.Graph())
            classes.append(int(float(words[2])))
        elif kind == "v":
            graphs[-1].add_node(int(words[0]), label=int(words[1]))
        elif kind == "e":
            graphs[-1].add_edge(int(words[0]), int(words[1]), label=int(words[2]))
    return graphs, classes


def made(seed, labels, rule):
    """Random connected graphs; a rule gives their classes."""
    random = np.random.default_rng(seed)
    graphs = []
    for _ in range(60):
        graph = nx.Graph()
        for vertex in range(int(random.integers(6, 12))):
            graph.add_node(vertex, label=int(random.integers(labels)))
            if vertex:
                graph.add_edge(int(random.integers(vertex)), vertex, label=int(random.integers(2)))
        for _ in range(3):
            a, b = random.choice(len(graph), 2, replace=False)
            graph.add_edge(int(a), int(b), label=int(random.integers(2)))
        graphs.append(graph)
    return graphs, [int(rule(graph)) for graph in graphs]


def has_edge(graph, a, b, label):
    names = nx.get_node_attributes(graph, "label")
    return any(
        sorted((names[u], names[v])) == [a, b] and data["label"] == label for u, v, data in graph.edges(data=True)
    )


def either(graph):
    return has_edge(graph, 0, 1, 0) != has_edge(graph, 1, 2, 1)


def dense(graph):
    return sum(nx.triangles(graph).values()) > 0


CASES = {
    "MUTAG": lambda: tu(SETS / "MUTAG"),
    "ENZYMES": lambda: tu(SETS / "ENZYMES_60"),
    "cpdb": cpdb,
    "either of two edges": lambda: made(1, 3, either),
    "triangles": lambda: made(2, 1, dense),
}


def write_tu(folder, graphs, classes):
    folder.mkdir()
    first, lines = 1, {name: [] for name in ("A", "graph_indicator", "node_labels", "edge_labels", "graph_labels")}
    for number, (graph, kind) in enumerate(zip(graphs, classes), 1):
        at = {vertex: first + place for place, vertex in enumerate(graph)}
        first += len(graph)
        lines["graph_indicator"] += [number] * len(graph)
        lines["node_labels"] += [label for _, label in graph.nodes(data="label")]
        lines["graph_labels"].append(kind)
        for a, b, label in graph.edges(data="label"):
            lines["A"] += [f"{at[a]}, {at[b]}", f"{at[b]}, {at[a]}"]
            lines["edge_labels"] += [label, label]
    for name, values in lines.items():
        (folder / f"{folder.name}_{name}.txt").write_text("\n".join(map(str, values)) + "\n")


# What the engine has learnt.


class Entry:
    """An entry of a model file, in the words of the paper."""

    def __init__(self, file, meta, name, columns):
        parts = ("weights", "bias", "network", "patterns")
        weights, bias, network, places = (file.get_tensor(f"{name}.{part}") for part in parts)
        codes = [tuple(map(tuple, meta["patterns"][at]["code"])) for at in places]
        self.codes = codes
        B = {columns[code]: row for code, row in zip(codes, weights)}
        self.parameters = paper.Parameters(B, bias, network)


def entries_of(path, columns):
    """The first state of a training and all entries of its path."""
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        meta = json.loads(file.metadata()["einsicht"])
        start = Entry(file, meta, "entry.0.before", columns)
        found = [Entry(file, meta, f"entry.{at}", columns) for at in range(len(meta["entries"]))]
        return start, found


@pytest.mark.parametrize("name", CASES)
def test_the_same_subgraphs_at_every_size_and_weights_to_nine_digits(name, tmp_path):
    graphs, classes = CASES[name]()
    # Two classes, numbered as their labels are ordered.
    low, high = sorted(set(classes))[:2]
    kept = [row for row, kind in enumerate(classes) if kind in (low, high)]
    graphs, classes = [graphs[row] for row in kept], [classes[row] for row in kept]
    order = np.random.default_rng(0).permutation(len(kept)).tolist()
    cut = len(order) * 3 // 5, len(order) * 4 // 5
    parts = {"train": sorted(order[: cut[0]]), "valid": sorted(order[cut[0] : cut[1]]), "test": sorted(order[cut[1] :])}
    (tmp_path / "split.json").write_text(json.dumps({"trials": [parts]}))
    write_tu(tmp_path / "SET", graphs, classes)

    options = ["--preset", "paper", "--max-edges", MAX_EDGES, "--hidden", 2, "--set", f"network_steps={STEPS}"]
    options += ["--splits", tmp_path / "split.json", "--trial", 0]
    first, model = tmp_path / "first.einsicht", tmp_path / "model.einsicht"
    einsicht("train", tmp_path / "SET", "-o", first, *options, "--sizes", 1, "--set", "max_iterations=1")
    trained = einsicht(
        "train",
        tmp_path / "SET",
        "-o",
        model,
        *options,
        "--sizes",
        ",".join(map(str, SIZES)),
        "--set",
        f"max_iterations={CAP}",
    )

    used = parts["train"] + parts["valid"]
    labels = sorted({label for graph in graphs for _, label in graph.nodes(data="label")})
    edge_labels = sorted({label for graph in graphs for *_, label in graph.edges(data="label")})
    for graph in graphs:
        for vertex in graph:
            graph.nodes[vertex]["label"] = labels.index(graph.nodes[vertex]["label"])
        for a, b in graph.edges:
            graph.edges[a, b]["label"] = edge_labels.index(graph.edges[a, b]["label"])
    subgraphs = paper.Subgraphs([graphs[row] for row in used], MAX_EDGES)
    in_training = subgraphs.presence[: len(parts["train"])].any(axis=0)
    psi, held_out = np.split(subgraphs.presence[:, in_training], [len(parts["train"])])
    codes = [code for code, present in zip(subgraphs.codes, in_training) if present]
    target = {part: np.array([float(classes[row] == high) for row in parts[part]]) for part in parts}

    columns = {code: column for column, code in enumerate(codes)}
    (start, _), (_, entries) = entries_of(first, columns), entries_of(model, columns)
    assert not start.parameters.B and len(entries) == len(SIZES)
    assert [entry["patterns"] for entry in trained["path"]] == [len(entry.codes) for entry in entries]
    train, valid = (psi, target["train"]), (held_out, target["valid"])
    for size, previous, entry in zip(SIZES, [start, *entries], entries):
        found = paper.train_size(train, valid, previous.parameters, size, network_steps=STEPS, cap=CAP)
        assert {codes[at] for at in found.B} == set(entry.codes), (name, size)
        for at, weights in entry.parameters.B.items():
            np.testing.assert_allclose(found.B[at], weights, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found.b, entry.parameters.b, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(found.theta, entry.parameters.theta, rtol=1e-9, atol=1e-9)
    assert len(entries[-1].codes) > len(entries[0].codes) > 0, "the path grew"
