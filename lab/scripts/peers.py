"""GCN and GIN of PyTorch Geometric on the fixed splits, as in Table 1 of the paper: two of the peers of
lab/results/paper.md, repeated on a CPU.

    python lab/scripts/peers.py BZR GIN [--trials 10] [--epochs 200] [--units 64 128 256]
    python lab/scripts/peers.py ENZYMES GIN --units 32 --steps 3000

Needs torch and torch_geometric (python/tests/requirements-torch.txt), and the data sets and splits of ../shared. As the
paper says: the number of units (64, 128, 256) and of epochs is chosen on the validation set; one-hot labels and vertex
attributes are read; three layers, mean pooling, Adam. Prints one JSON document with the test accuracy of each trial,
next to the stored figures of lab/results/paper/peers.json. The second line is the budget of preset gin: as many units
and at most as many steps of Adam, of which the best on the validation set is kept.
"""

import argparse
import json
import pathlib

import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GCNConv, GINConv, global_mean_pool

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
#: Sets whose splits have another name than their data.
DATA = {"ENZYMES_1v2": "ENZYMES"}


def read(name):
    """A TU folder as a list of graphs."""
    folder = SHARED / "data/tu" / name

    def column(what, kind=float):
        path = folder / f"{name}_{what}.txt"
        return (
            [[kind(word) for word in line.split(",")] for line in path.read_text().split("\n") if line.strip()]
            if path.exists()
            else None
        )

    owner = torch.tensor(column("graph_indicator", int)).flatten() - 1
    labels = torch.tensor(column("node_labels", int)).flatten()
    x = nn.functional.one_hot(labels - labels.min()).float()
    attributes = column("node_attributes")
    if attributes is not None:
        attributes = torch.tensor(attributes)
        x = torch.cat([x, (attributes - attributes.mean(0)) / attributes.std(0).clamp(min=1e-6)], dim=1)
    edges = torch.tensor(column("A", int)).T - 1
    classes = torch.tensor(column("graph_labels", int)).flatten()
    graphs = []
    for graph in range(int(owner.max()) + 1):
        own = (owner == graph).nonzero().flatten()
        inside = edges[:, owner[edges[0]] == graph] - own[0]
        graphs.append(Data(x=x[own], edge_index=inside, y=classes[graph].view(1)))
    return graphs


class Network(nn.Module):
    """Three rounds of message passing, mean pooling, one linear layer."""

    def __init__(self, method, inputs, units, classes):
        super().__init__()
        wide = [(inputs if at == 0 else units, units) for at in range(3)]
        if method == "GCN":
            self.rounds = nn.ModuleList(GCNConv(a, b) for a, b in wide)
        else:
            layers = (nn.Sequential(nn.Linear(a, b), nn.ReLU(), nn.Linear(b, b)) for a, b in wide)
            self.rounds = nn.ModuleList(GINConv(layer) for layer in layers)
        self.norms = nn.ModuleList(nn.BatchNorm1d(units) for _ in wide)
        self.output = nn.Linear(units, classes)

    def forward(self, batch):
        x = batch.x
        for layer, norm in zip(self.rounds, self.norms):
            x = torch.relu(norm(layer(x, batch.edge_index)))
        return self.output(global_mean_pool(x, batch.batch))


def accuracy(network, graphs):
    network.eval()
    with torch.no_grad():
        found = [network(batch).argmax(1) == batch.y for batch in DataLoader(graphs, batch_size=256)]
    return torch.cat(found).float().mean().item()


def trial(method, graphs, split, classes, given, seed):
    """The test accuracy at the units and the epoch that are best on the validation set."""
    parts = {name: [graphs[row] for row in split[name]] for name in ("train", "valid", "test")}
    best = (-1.0, 0.0)
    epochs = given.epochs if given.steps is None else -(-given.steps // -(-len(parts["train"]) // 32))
    for units in given.units:
        torch.manual_seed(seed)
        network = Network(method, graphs[0].x.shape[1], units, classes)
        optimizer = torch.optim.Adam(network.parameters(), lr=0.001)
        for _ in range(epochs):
            network.train()
            for batch in DataLoader(parts["train"], batch_size=32, shuffle=True):
                optimizer.zero_grad()
                nn.functional.cross_entropy(network(batch), batch.y).backward()
                optimizer.step()
            valid = accuracy(network, parts["valid"])
            if valid > best[0]:
                best = (valid, accuracy(network, parts["test"]))
    return best[1]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("set")
    arguments.add_argument("method", choices=["GCN", "GIN"])
    arguments.add_argument("--trials", type=int, default=10)
    arguments.add_argument("--epochs", type=int, default=200)
    arguments.add_argument("--steps", type=int, help="steps of Adam, instead of epochs")
    arguments.add_argument("--units", type=int, nargs="+", default=[64, 128, 256])
    given = arguments.parse_args()
    torch.set_num_threads(1)
    graphs = read(DATA.get(given.set, given.set))
    splits = json.loads((SHARED / f"splits/{given.set}.json").read_text())["trials"][: given.trials]
    # Classes that the splits use, numbered from 0.
    used = sorted(
        {int(graphs[row].y) for split in splits for part in ("train", "valid", "test") for row in split[part]}
    )
    for graph in graphs:
        if int(graph.y) in used:
            graph.y = torch.tensor([used.index(int(graph.y))])
    found = [trial(given.method, graphs, split, len(used), given, seed) for seed, split in enumerate(splits)]
    stored = (
        json.loads((ROOT / "lab/results/paper/peers.json").read_text())["sets"]
        .get(given.set, {})
        .get(given.method, [])[: given.trials]
    )
    mean = lambda values: sum(values) / len(values) if values else None  # noqa: E731
    print(
        json.dumps(
            {
                "set": given.set,
                "method": given.method,
                "trials": found,
                "mean": mean(found),
                "stored": stored,
                "stored_mean": mean(stored),
            }
        )
    )


if __name__ == "__main__":
    main()
