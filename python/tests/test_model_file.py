"""A model file opens with the safetensors package, and its numbers give our predictions by plain numpy and networkx."""

import json

import pytest
from program import ROOT, einsicht, pattern

SET = ROOT / "testdata/sets/MUTAG"

networkx = pytest.importorskip("networkx", reason="needs networkx (pip install networkx)")
isomorphism = pytest.importorskip("networkx.algorithms.isomorphism")
numpy = pytest.importorskip("numpy", reason="needs numpy (pip install numpy)")
safetensors = pytest.importorskip("safetensors", reason="needs safetensors (pip install safetensors)")


def column(name):
    return [line.strip() for line in (SET / f"MUTAG_{name}.txt").read_text().splitlines()]


def graphs():
    """The set as networkx graphs, labels as the file writes them."""
    owner = [int(word) - 1 for word in column("graph_indicator")]
    found = [networkx.Graph() for _ in range(max(owner) + 1)]
    for vertex, label in enumerate(column("node_labels")):
        found[owner[vertex]].add_node(vertex, label=label)
    for line, label in zip(column("A"), column("edge_labels")):
        a, b = (int(word) - 1 for word in line.split(","))
        found[owner[a]].add_edge(a, b, label=label)
    for graph in found:
        for vertex in graph:
            graph.nodes[vertex]["has"] = {("degree", str(graph.degree(vertex)))}
    return found


def test_the_numbers_in_the_file_are_the_model(tmp_path):
    from safetensors import safe_open

    model = tmp_path / "mutag.einsicht"
    trained = einsicht("train", SET, "-o", model, "--max-edges", 4, "--sizes", "1,3,8", "--preset", "ein")
    predictions = einsicht("predict", model, SET)["predictions"]
    with safe_open(model, framework="numpy") as file:
        assert list(file.metadata()) == ["einsicht"]
        meta = json.loads(file.metadata()["einsicht"])
        chosen = meta["chosen"]
        assert chosen == trained["chosen"]
        parts = ("weights", "bias", "network", "patterns")
        weights, bias, network, places = (file.get_tensor(f"entry.{chosen}.{part}") for part in parts)
    codes = [meta["patterns"][at]["code"] for at in places]
    tokens = meta["vertex_labels"]["tokens"], meta["edge_labels"]["tokens"]
    patterns = [pattern(code, *tokens, meta["qualifiers"]["values"]) for code in codes]
    assert any(node.get("requires") for graph in patterns for node in graph.nodes.values())

    def fits(vertex, wanted):
        return vertex["label"] == wanted["label"] and wanted.get("requires", set()) <= vertex["has"]

    same = fits, isomorphism.categorical_edge_match("label", None)
    worst, present = 0.0, 0
    for graph, prediction in zip(graphs(), predictions, strict=True):
        inside = [isomorphism.GraphMatcher(graph, p, *same).subgraph_is_monomorphic() for p in patterns]
        present += sum(inside)
        assert prediction["patterns"] == sum(inside)
        hidden = 1 / (1 + numpy.exp(-(bias + numpy.array(inside, float) @ weights)))
        logit = hidden @ network[:-1] + network[-1]
        worst = max(worst, abs(1 / (1 + numpy.exp(-logit)) - prediction["probabilities"]["1"]))
    assert present > 100 and worst < 1e-12
