"""Helpers: running the program, and reading its model files."""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
CARGO_RUN = ["cargo", "run", "--quiet", "-p", "einsicht-cli", "--"]
#: The program: the one that the Rust tests have built, if they give it (EINSICHT_PROGRAM), else what cargo builds.
PROGRAM = [os.environ["EINSICHT_PROGRAM"]] if "EINSICHT_PROGRAM" in os.environ else CARGO_RUN


def einsicht(*words):
    """Runs a command and gives back its JSON document."""
    command = [*PROGRAM, *map(str, words), "--json", "-q"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def pattern(code, vertex_tokens, edge_tokens, qualifiers=()):
    """The pattern of a model file as a networkx graph; what it requires of a vertex is a set, `requires`."""
    import networkx

    graph = networkx.Graph()
    for source, target, source_label, edge_label, target_label in code:
        if source == target and edge_label == 1:  # no edge: the qualifier with the number `source_label`
            value = qualifiers[source_label]
            graph.nodes[source].setdefault("requires", set()).add((value["property"], value["token"]))
            continue
        if source == target:  # no edge: a single vertex
            graph.add_node(source, label=vertex_tokens[source_label])
            continue
        graph.add_node(source, label=vertex_tokens[source_label])
        graph.add_node(target, label=vertex_tokens[target_label])
        graph.add_edge(source, target, label=edge_tokens[edge_label])
    return graph


#: Small molecules, half of them alcohols, half amines.
SMILES = ["CCO", "CCCO", "OCC(C)C", "CC(O)C", "CCCCO", "CCN", "CCCN", "NCC(C)C", "CC(N)C", "CCCCN"] * 4


def shared(path):
    """A file of the shared data sets; the test is skipped where they are missing."""
    import pytest

    found = ROOT.parent / "shared" / path
    if not found.exists():
        pytest.skip(f"needs shared data: {path}")
    return found
