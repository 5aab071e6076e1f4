"""The code on the page about PyTorch runs as it stands, on graphs with one kind of vertices and on molecules with
several bonds.
"""

import re

import numpy as np
import pytest
from program import ROOT, shared

torch = pytest.importorskip("torch", reason="needs torch (cargo xtask test --torch)")
pytest.importorskip("torch_geometric", reason="needs torch (cargo xtask test --torch)")
es = pytest.importorskip("einsicht")

from einsicht.pyg import GraphModel, JoinedNetwork, to_data
from einsicht.torch import SubgraphLayer, fit_ein_gnn
from torch_geometric.nn import GIN

torch.set_num_threads(1)
PAGE = (ROOT / "docs/torch-and-clusters.md").read_text(encoding="utf-8")
BLOCKS = [block for block in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "layer" in block]


def mutag():
    return es.GraphSet.from_tu(ROOT / "testdata/sets/MUTAG")


def bace():
    return es.GraphSet.read(shared("data/molnet/bace.csv"), target="Class")[:300]


@pytest.mark.parametrize("read", [mutag, bace])
def test_the_code_of_the_page_runs(read, monkeypatch):
    graphs = read()
    order = np.random.default_rng(0).permutation(len(graphs))
    train, rest = order[: len(order) * 2 // 3], order[len(order) * 2 // 3 :]
    y = torch.tensor(np.asarray(graphs.y))
    names = {
        "graphs": graphs[train],
        "y": (y[train] > 0).long(),
        "new_graphs": graphs[rest],
        "y_new": (y[rest] > 0).long(),
    }
    assert len(BLOCKS) == 2
    torch.manual_seed(0)
    # Fewer passes; everything else is as it stands.
    quick = BLOCKS[1].replace("sizes=(0, 1, 3, 8, 20)", "sizes=(0, 3), epochs=1, max_iterations=2")
    assert quick != BLOCKS[1]
    for block in (BLOCKS[0], quick):
        exec(compile(block, "docs/torch-and-clusters.md", "exec"), names)
    explained = names["explainer"](
        names["data"][0].x, names["data"][0].edge_index, edge_attr=names["data"][0].edge_attr
    ).pattern_values
    assert explained.shape == (1, 25)


def test_columns_are_the_labels_of_the_training_graphs():
    layer = SubgraphLayer(["CCO", "CCN"] * 3, hidden=2, size=2, max_edges=2, qualifiers="degree")
    (one,) = to_data(["NC=S"], like=layer)
    # C, N, O; sulphur and the double bond are unknown.
    assert one.x.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    other = to_data(["CS"], like=["CS"])
    with pytest.raises(ValueError, match="data has 3 and the data of valid 2: make both with to_data"):
        module = JoinedNetwork(GIN(3, 4, 2), channels=4, hidden=2, outputs=1)
        y = torch.tensor([0, 1] * 3)
        fit_ein_gnn(
            module, layer, to_data(layer.graphs, like=layer), y, valid=(other, ["CS"], torch.tensor([0])), sizes=(1,)
        )


def test_molecules_with_several_bonds_are_explained():
    layer = SubgraphLayer(["CC=O", "CCO", "CC=N", "CCN"] * 3, hidden=2, size=2, max_edges=2, qualifiers="degree")
    model = GraphModel(JoinedNetwork(GIN(3, 4, 2), channels=4, hidden=2, outputs=1), layer)
    (one,) = to_data(["CC=O"], like=layer)
    back = model.graphs(one.x, one.edge_index, None, one.edge_attr)
    assert sorted(label for _, _, label in back[0].edges) == ["double", "single"] and back[0].vertices == [
        "C",
        "C",
        "O",
    ]
    with pytest.raises(ValueError, match="edge_attr must have one row per edge .* but there is none"):
        model(one.x, one.edge_index)


def test_whole_floats_are_no_classes_and_no_numbers():
    layer = SubgraphLayer(["CCO", "CCN"] * 3, hidden=2, size=2, max_edges=2, qualifiers="degree")
    module = JoinedNetwork(GIN(3, 4, 2), channels=4, hidden=2, outputs=1)
    data, y = to_data(layer.graphs, like=layer), torch.tensor([0.0, 1.0] * 3)
    quick = {"sizes": (1,), "epochs": 1, "max_iterations": 1}
    with pytest.raises(ValueError, match="convert it to integers, or give loss="):
        fit_ein_gnn(module, layer, data, y, **quick)
    loss = lambda outputs, y: torch.nn.functional.mse_loss(outputs.squeeze(-1), y)
    fit_ein_gnn(module, layer, data, y, loss=loss, **quick)
