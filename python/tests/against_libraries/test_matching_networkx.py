"""`einsicht match` finds a pattern exactly where networkx does, on thousands of random pairs."""

import json
import random
import subprocess

import pytest
from program import PROGRAM, ROOT

networkx = pytest.importorskip("networkx", reason="needs networkx (pip install networkx)")
isomorphism = pytest.importorskip("networkx.algorithms.isomorphism")

SETS = {
    # name: graphs, vertices, edges, vertex labels, edge labels, patterns
    "sparse": (60, (6, 16), 1.1, 3, 1, 40),
    "edge labels": (60, (5, 12), 1.3, 2, 3, 40),
    "dense, one label": (30, (4, 8), 2.0, 1, 1, 25),
    "over 64 and 128 vertices": (10, (60, 150), 1.1, 3, 2, 40),
}


def random_graph(dice, vertices, edges_per_vertex, vertex_labels, edge_labels):
    graph = networkx.Graph()
    count = dice.randint(*vertices)
    graph.add_nodes_from((v, {"label": f"v{dice.randrange(vertex_labels)}"}) for v in range(count))
    for _ in range(round(edges_per_vertex * count)):
        a, b = dice.sample(range(count), 2)
        graph.add_edge(a, b, label=f"e{dice.randrange(edge_labels)}")
    return graph


def random_pattern(dice, graph, edges):
    """Grown edge by edge inside a graph; every third time one label is changed, so that some are nowhere."""
    pattern = networkx.Graph()
    grown = [dice.choice(sorted(graph.edges))]
    for _ in range(edges - 1):
        inside = {v for edge in grown for v in edge}
        around = [e for e in sorted(graph.edges) if e not in grown and inside & set(e)]
        if not around:
            break
        grown.append(dice.choice(around))
    names = {v: i for i, v in enumerate(sorted({v for edge in grown for v in edge}))}
    pattern.add_nodes_from((names[v], dict(graph.nodes[v])) for v in names)
    pattern.add_edges_from((names[a], names[b], dict(graph.edges[a, b])) for a, b in grown)
    if dice.randrange(3) == 0:
        pattern.nodes[dice.randrange(len(names))]["label"] = "v0"
    return pattern


def transactions(graphs):
    lines = []
    for number, graph in enumerate(graphs):
        lines.append(f"t # {number}")
        lines += [f"v {v} {label}" for v, label in sorted(graph.nodes(data="label"))]
        lines += [f"e {a} {b} {label}" for a, b, label in graph.edges(data="label")]
    return "\n".join(lines) + "\n"


def same_label(a, b):
    return a["label"] == b["label"]


@pytest.mark.parametrize("name", SETS)
def test_match_finds_what_networkx_finds(name, tmp_path):
    number, vertices, edges_per_vertex, vertex_labels, edge_labels, patterns = SETS[name]
    dice = random.Random(name)
    graphs = [random_graph(dice, vertices, edges_per_vertex, vertex_labels, edge_labels) for _ in range(number)]
    patterns = [random_pattern(dice, dice.choice(graphs), dice.randint(1, 7)) for _ in range(patterns)]
    data, wanted, found = tmp_path / "data.gspan", tmp_path / "patterns.gspan", tmp_path / "found.jsonl"
    data.write_text(transactions(graphs))
    wanted.write_text(transactions(patterns))
    command = [*PROGRAM, "match", wanted, data, "-o", found, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]

    ours = [[int(graph) for graph in json.loads(line)["graphs"]] for line in found.read_text().splitlines()]
    theirs = [
        [
            number
            for number, graph in enumerate(graphs)
            if isomorphism.GraphMatcher(graph, pattern, same_label, same_label).subgraph_is_monomorphic()
        ]
        for pattern in patterns
    ]
    assert ours == theirs
    counted = json.loads(done.stdout)
    assert counted["pairs"] == len(graphs) * len(patterns)
    assert counted["matches"] == sum(map(len, theirs))
    # A set in which everything or nothing matches would show little.
    assert 0.02 < counted["matches"] / counted["pairs"] < 0.98
