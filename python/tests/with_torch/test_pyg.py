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
        module,
        layer,
        data,
        y,
        valid=(to_data(valid, like=layer), valid, y_valid),
        sizes=(0, 1, 3, 8),
        max_iterations=15,
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
            GraphModel(module, layer),
            PatternExplainer(),
            explanation_type="model",
            edge_mask_type="object",
            model_config=config,
        )


def test_a_layer_that_requires_what_data_do_not_hold_is_refused():
    smiles = ["CCN", "CNC", "CCO", "COC"]
    module = JoinedNetwork(GIN(3, 4, 2), channels=4, hidden=2, outputs=1)
    with pytest.raises(ValueError, match='hydrogens; make the layer with qualifiers="degree"'):
        GraphModel(module, SubgraphLayer(smiles, hidden=2, size=2, max_edges=2))
    GraphModel(module, SubgraphLayer(smiles, hidden=2, size=2, max_edges=2, qualifiers="degree"))


TEXTS = ["CCO", "CCN", "CCCO", "CCCN", "OCC(C)C", "NCC(C)C"] * 4


def joined(outputs=1):
    """A small network of both, its layer, and its data."""
    torch.manual_seed(0)
    layer = SubgraphLayer(TEXTS, hidden=2, size=2, max_edges=1, qualifiers="none")
    data = to_data(layer.graphs, like=layer)
    return (
        JoinedNetwork(GIN(data[0].num_features, 4, 2), channels=4, hidden=2, outputs=outputs, pool="mean"),
        layer,
        data,
    )


QUICK = {"sizes": (1,), "epochs": 2, "max_iterations": 4}


@pytest.mark.parametrize("classes", [(0, 1), (-1, 1), (1, 2), (7, 3)])
def test_classes_may_have_any_values(classes):
    y = torch.tensor([classes["N" in text] for text in TEXTS])
    ranks = torch.searchsorted(torch.tensor(sorted(classes)), y)
    for outputs in (1, 2):
        (module, layer, data), (other, same, _) = joined(outputs), joined(outputs)
        fit, of_ranks = fit_ein_gnn(module, layer, data, y, **QUICK), fit_ein_gnn(other, same, data, ranks, **QUICK)
        assert fit.classes == sorted(classes) and of_ranks.classes == [0, 1]
        assert fit.history == of_ranks.history and fit.valid_score == 1.0


def test_classes_without_an_output_and_new_ones_are_refused():
    module, layer, data = joined()
    y = torch.arange(len(TEXTS)) % 3
    with pytest.raises(
        ValueError, match=r"the module must have one output for each of 3 classes, but has 1: they are \[0, 1, 2\]"
    ):
        fit_ein_gnn(module, layer, data, y, **QUICK)
    with pytest.raises(ValueError, match=r"the classes of all sets must be those of y, \[0, 1\], but there is 2"):
        fit_ein_gnn(module, layer, data, y % 2, valid=(data, layer.graphs, y), **QUICK)
    with pytest.raises(ValueError, match=r"y must have one target per graph, but its shape is \(24, 2\)"):
        fit_ein_gnn(module, layer, data, torch.rand(24, 2), **QUICK)


def test_batches_are_the_graphs_that_they_were_made_of_and_y_is_kept():
    from torch_geometric.data import Batch
    from torch_geometric.loader import DataLoader

    _, layer, data = joined()
    for at, one in enumerate(data):
        one.y = torch.tensor([[float(at), float("nan") if at else 1.5]])
    alone = es.GraphSet.from_pyg(data)
    assert len(alone) == len(TEXTS) and alone.target_names == ["y0", "y1"]
    assert alone.y[:, 0].tolist() == list(range(24)) and alone.y[0, 1] == 1.5 and np.isnan(alone.y[1:, 1]).all()
    for given in (
        DataLoader(data, batch_size=7),
        Batch.from_data_list(data),
        [Batch.from_data_list(data[:5]), *data[5:]],
    ):
        found = es.GraphSet.from_pyg(given)
        assert found == alone and np.array_equal(found.y, alone.y, equal_nan=True)
    for at, one in enumerate(data):
        one.y = torch.tensor([at % 2])
    loader = DataLoader(data, batch_size=7)
    assert es.GraphSet.from_pyg(loader).y.tolist() == [0, 1] * 12
    model = es.EINClassifier(max_edges=1, sizes=(1,), folds=2, threads=1).fit(es.GraphSet.from_pyg(loader))
    assert len(model.predict(loader)) == len(model.predict(Batch.from_data_list(data))) == 24
    for one in data:
        one.y = torch.arange(one.num_nodes)
    assert es.GraphSet.from_pyg(data).y is None


def test_molecules_of_pytorch_geometric_are_refused_with_what_works():
    pytest.importorskip("rdkit", reason="needs rdkit (pip install rdkit)")
    from torch_geometric.utils import from_smiles

    data = [from_smiles(text) for text in TEXTS]
    with pytest.raises(
        ValueError,
        match=r"must be one hot, but those of x are not: name the column that is, as in vertex_labels=\[0\], or read",
    ):
        es.GraphSet.from_pyg(data)
    with pytest.raises(
        ValueError, match=r"those of edge_attr are not: name the column that is, as in edge_labels=\[0\]"
    ):
        es.GraphSet.from_pyg([from_smiles("CC=O")], vertex_labels=[0])
    graphs = es.GraphSet.from_pyg(data, vertex_labels=[0], edge_labels=[0])
    assert graphs[0].vertices == ["6", "6", "8"] and len(graphs[0].edges) == 2
    assert es.GraphSet.from_smiles([one.smiles for one in data])[0].vertices == ["C", "C", "O"]
