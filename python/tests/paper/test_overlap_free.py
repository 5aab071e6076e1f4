"""Our count of a subgraph lies between the number of copies without overlap, which the paper sketches and which is
NP-hard, and that of all copies.
"""

import functools
import json

import pytest
from program import ROOT, einsicht, pattern

nx = pytest.importorskip("networkx", reason="needs networkx (pip install networkx)")
isomorphism = pytest.importorskip("networkx.algorithms.isomorphism")
safetensors = pytest.importorskip("safetensors", reason="needs safetensors (pip install safetensors)")

SET = ROOT / "testdata/sets/MUTAG"
SAME = isomorphism.categorical_node_match("label", None), isomorphism.categorical_edge_match("label", None)


def column(name):
    return [line.strip() for line in (SET / f"MUTAG_{name}.txt").read_text().splitlines()]


def graphs(number):
    """The first graphs of the set as networkx graphs."""
    owner = [int(word) - 1 for word in column("graph_indicator")]
    found = [nx.Graph() for _ in range(max(owner) + 1)]
    for vertex, label in enumerate(column("node_labels")):
        found[owner[vertex]].add_node(vertex, label=label)
    for line, label in zip(column("A"), column("edge_labels")):
        a, b = (int(word) - 1 for word in line.split(","))
        found[owner[a]].add_edge(a, b, label=label)
    return found[:number]


def copies(graph, wanted):
    """Vertices of the graph under each vertex of the subgraph, once per embedding."""
    return list(isomorphism.GraphMatcher(graph, wanted, *SAME).subgraph_monomorphisms_iter())


def our_count(embeddings, wanted):
    """The least, over the orbits of the subgraph's vertices, of the vertices that they are mapped to, divided by the
    orbit's size and rounded up.
    """
    orbits = {frozenset(image[v] for image in copies(wanted, wanted)) for v in wanted}
    images = [len({vertex for e in embeddings for vertex, of in e.items() if of in orbit}) for orbit in orbits]
    return min(-(-seen // len(orbit)) for seen, orbit in zip(images, orbits))


def without_overlap(embeddings):
    """The largest number of copies that share no vertex, by trying everything."""
    places = {frozenset(embedding) for embedding in embeddings}
    by_vertex = {vertex: [place for place in places if vertex in place] for place in places for vertex in place}

    @functools.lru_cache(maxsize=None)
    def most(left):
        if not left:
            return 0
        first = min(left)
        taken = (1 + most(left - place) for place in by_vertex[first] if place <= left)
        return max([most(left - {first}), *taken])

    return most(frozenset(by_vertex))


def test_the_count_lies_between_copies_without_overlap_and_all_copies(tmp_path):
    model = tmp_path / "m.einsicht"
    einsicht(
        "train",
        SET,
        "-o",
        model,
        "--preset",
        "paper",
        "--feature",
        "count",
        "--max-edges",
        3,
        "--sizes",
        15,
        "--set",
        "max_iterations=2",
    )
    with safetensors.safe_open(model, framework="numpy") as file:
        meta = json.loads(file.metadata()["einsicht"])
    tokens = meta["vertex_labels"]["tokens"], meta["edge_labels"]["tokens"]
    patterns = [pattern(entry["code"], *tokens) for entry in meta["patterns"]]
    pairs = equal = 0
    for graph in graphs(25):
        for wanted in patterns:
            embeddings = copies(graph, wanted)
            if not embeddings:
                continue
            automorphisms = len(copies(wanted, wanted))
            apart, ours, all_copies = (
                without_overlap(embeddings),
                our_count(embeddings, wanted),
                len(embeddings) // automorphisms,
            )
            assert 1 <= apart <= ours <= all_copies
            pairs += 1
            equal += apart == ours
    print(f"{equal} of {pairs} equal")
    assert pairs > 100
    # How far they are apart: equal in most pairs, not in all.
    assert 0.5 < equal / pairs < 1
