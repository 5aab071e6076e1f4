"""ENZYMES, classes 1 and 2: a graph network of PyTorch Geometric alone, and with exactly matched subgraphs beside it.

    python lab/scripts/enzymes_gnn.py [--trials 0-9]

Needs the package with its extra `torch`, torch_geometric, and the data sets and splits of ../shared. Both networks are
the same GIN (3 rounds, 16 units) on vertex labels and standardised attributes, trained by `fit_ein_gnn` for the same
number of rounds; with subgraphs each round after the first may use more of them. Everything is chosen on the validation
part.
"""

import argparse
import json
import pathlib
import statistics
import time

import torch
from torch_geometric.nn import GIN

import einsicht as es
from einsicht.pyg import JoinedNetwork, to_data, vertex_labels
from einsicht.torch import SubgraphLayer, fit_ein_gnn

SHARED = pathlib.Path(__file__).resolve().parents[2] / "../shared"
SIZES = (0, 1, 3, 8, 20)
HIDDEN, UNITS, ROUNDS, MAX_EDGES, PASSES = 10, 16, 3, 5, 15


def standardise(parts, labels):
    """Attributes with mean 0 and deviation 1 over the vertices of the first part; the first columns, of labels, stay as
    they are.
    """
    rows = torch.cat([one.x for one in parts[0]])
    mean, scale = rows.mean(0), rows.std(0)
    mean[:labels], scale[:labels] = 0, 1
    scale[scale == 0] = 1
    for part in parts:
        for one in part:
            one.x = (one.x - mean) / scale
    return parts


def trial(graphs, y, split, sizes, seed):
    """Accuracy on the test part, the size that was chosen, and the score on the validation part."""
    parts = {
        name: (graphs[split[name]], torch.tensor([y[at] for at in split[name]])) for name in ("train", "valid", "test")
    }
    labels = vertex_labels(parts["train"][0])
    data = dict(
        zip(
            parts,
            standardise([to_data(part, like=parts["train"][0]) for part, _ in parts.values()], len(labels)),
            strict=True,
        )
    )
    torch.manual_seed(seed)
    # The configuration of the stored result: no single vertices, no qualifiers.
    edges_only = {"min_edges": 1, "qualifiers": "none"}
    layer = SubgraphLayer(parts["train"][0], HIDDEN, max(max(sizes), 1), MAX_EDGES, **edges_only, threads=1)
    gin = GIN(data["train"][0].num_features, UNITS, ROUNDS)
    module = JoinedNetwork(gin, UNITS, HIDDEN, 1, pool="mean")
    valid, y_valid = parts["valid"]
    fit = fit_ein_gnn(
        module,
        layer,
        data["train"],
        parts["train"][1],
        valid=(data["valid"], valid, y_valid),
        sizes=sizes,
        max_iterations=PASSES,
        seed=seed,
    )
    from torch_geometric.data import Batch

    test, y_test = parts["test"]
    module.eval()
    with torch.no_grad():
        guessed = module(Batch.from_data_list(data["test"]), layer(test)).squeeze(-1) > 0
    return float((guessed.long() == y_test).double().mean()), fit.size, fit.valid_score


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", default="0-9", help="first-last")
    first, last = map(int, parser.parse_args().trials.split("-"))
    torch.set_num_threads(1)
    graphs = es.GraphSet.from_tu(SHARED / "data/tu/ENZYMES")
    y = [int(label) - 1 for label in graphs.y]
    splits = json.loads((SHARED / "splits/ENZYMES_1v2.json").read_text())["trials"]
    alone, joined = [], []
    for at in range(first, last + 1):
        started = time.process_time()
        alone.append(trial(graphs, y, splits[at], (0,) * len(SIZES), seed=at))
        joined.append(trial(graphs, y, splits[at], SIZES, seed=at))
        seconds = time.process_time() - started
        print(
            f"trial {at}: GIN {alone[-1][0]:.3f}, with {joined[-1][1]} subgraphs {joined[-1][0]:.3f} ({seconds:.0f} s)",
            flush=True,
        )
    if len(alone) > 1:
        for name, found in [("GIN alone", alone), ("GIN and subgraphs", joined)]:
            accuracies = [100 * accuracy for accuracy, _, _ in found]
            print(f"{name}: {statistics.mean(accuracies):.1f} ({statistics.stdev(accuracies):.1f})")
        gains = [100 * (b[0] - a[0]) for a, b in zip(alone, joined, strict=True)]
        print(f"paired difference: {statistics.mean(gains):+.1f} ({statistics.stdev(gains) / len(gains) ** 0.5:.1f})")


if __name__ == "__main__":
    main()
