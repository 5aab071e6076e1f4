"""Subgraphs beside a graph network of PyTorch Geometric, and their explanation."""

import json

import numpy as np
import pytest
from program import einsicht

torch = pytest.importorskip("torch", reason="needs torch (cargo xtask test --torch)")
pytest.importorskip("torch_geometric", reason="needs torch (cargo xtask test --torch)")
es = pytest.importorskip("einsicht")

from einsicht.pyg import GraphModel, JoinedNetwork, PatternExplainer, to_data, vertex_labels
from einsicht.torch import SubgraphLayer, fit_ein_gnn
from torch_geometric.explain import Explainer
from torch_geometric.nn import GIN

MAX_EDGES = 9

# Tiny matrices: threads cost more than they bring.
torch.set_num_threads(1)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Cycle_XOR, the graphs of each part with their classes."""
    folder = tmp_path_factory.mktemp("cycle_xor")
    einsicht("generate", "cycle-xor", "-o", folder)
    graphs = es.GraphSet.from_tu(folder)
    y = np.asarray(graphs.y)
    order = np.random.default_rng(0).permutation(len(graphs))
    return [(graphs[part.tolist()], torch.tensor(y[part])) for part in np.split(order, [240, 360])]


@pytest.fixture(scope="module")
def fitted(parts):
    (train, y), (valid, y_valid), _ = parts
    labels = vertex_labels(train)
    torch.manual_seed(0)
    layer = SubgraphLayer(train, hidden=6, size=8, max_edges=MAX_EDGES)
    module = JoinedNetwork(GIN(len(labels), 16, 3), channels=16, hidden=6, outputs=1, pool="mean")
    data = to_data(train, like=layer)
    fit = fit_ein_gnn(
        module, layer, data, y, valid=(to_data(valid, like=layer), valid, y_valid), sizes=(0, 1, 3, 8), max_iterations=15
    )
    return module, layer, fit, labels


def test_a_graph_network_with_subgraphs_solves_cycle_xor(parts, fitted):
    module, layer, fit, labels = fitted
    test, y = parts[2]
    batch = next(iter(torch_batches(to_data(test, like=layer))))
    module.eval()
    guessed = (module(batch, layer(test)).squeeze(-1) > 0).long()
    assert (guessed == y).double().mean() == 1.0, json.dumps(fit.history)
    alone = [record["valid_score"] for record in fit.history if record["size"] == 0]
    assert max(alone) < 0.8, "message passing alone must not suffice, or the test shows nothing"
    assert 2 <= fit.size <= 8


def torch_batches(data):
    from torch_geometric.loader import DataLoader

    return DataLoader(data, batch_size=len(data))


def test_explanations_come_through_torch_geometric(parts, fitted):
    module, layer, _, labels = fitted
    test, _ = parts[2]
    model = GraphModel(module, layer)
    batch = next(iter(torch_batches(to_data(test[:6], like=layer))))
    explainer = Explainer(
        model,
        algorithm=PatternExplainer(),
        explanation_type="model",
        node_mask_type="object",
        edge_mask_type="object",
        model_config={"mode": "binary_classification", "task_level": "graph", "return_type": "raw"},
    )
    explanation = explainer(batch.x, batch.edge_index, batch=batch.batch)
    assert explanation.node_mask.shape == (len(batch.x), 1)
    assert explanation.edge_mask.shape == (batch.edge_index.shape[1],)
    values = explanation.pattern_values
    assert values.abs().sum() > 0
    # The values sum to the output less the output of the same network without any subgraph.
    module.eval()
    with torch.no_grad():
        empty = module(batch, torch.sigmoid(layer.bias).expand(6, -1)).squeeze(-1)
        full = model(batch.x, batch.edge_index, batch.batch).squeeze(-1)
    assert torch.allclose(values.sum(1), full - empty, atol=1e-4)
    assert torch.allclose(full, module(batch, layer(test[:6])).squeeze(-1), atol=1e-5)
    # Only what a present subgraph covers is marked: here the rings, all of label 1.
    inside = layer.psi(test[:6]).sum(1) > 0
    for graph in range(6):
        marked = explanation.node_mask[batch.batch == graph].flatten() > 0
        assert bool(marked.any()) == bool(inside[graph])


def test_other_models_and_settings_are_refused(fitted):
    module, layer, _, _ = fitted
    config = {"mode": "binary_classification", "task_level": "node", "return_type": "raw"}
    with pytest.raises(ValueError, match="does not support"):
        Explainer(
            GraphModel(module, layer), PatternExplainer(), explanation_type="model", edge_mask_type="object", model_config=config
        )


def test_a_layer_that_requires_what_data_do_not_hold_is_refused():
    smiles = ["CCN", "CNC", "CCO", "COC"]
    module = JoinedNetwork(GIN(3, 4, 2), channels=4, hidden=2, outputs=1)
    with pytest.raises(ValueError, match='hydrogens; make the layer with qualifiers="degree"'):
        GraphModel(module, SubgraphLayer(smiles, hidden=2, size=2, max_edges=2))
    GraphModel(module, SubgraphLayer(smiles, hidden=2, size=2, max_edges=2, qualifiers="degree"))
