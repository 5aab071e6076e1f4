"""`SubgraphLayer`: the library's exact search and step inside PyTorch."""

import copy
import io
import json
import math
import pickle

import numpy as np
import pytest
from program import ROOT, einsicht

torch = pytest.importorskip("torch", reason="needs torch (cargo xtask test --torch)")
es = pytest.importorskip("einsicht")

from einsicht.torch import SubgraphLayer

MUTAG = ROOT / "testdata/sets/MUTAG"
HIDDEN, SIZE, MAX_EDGES = 3, 6, 4


@pytest.fixture(scope="module")
def graphs():
    return es.GraphSet.from_tu(MUTAG)[:60]


@pytest.fixture(scope="module")
def y(graphs):
    return torch.tensor((np.asarray(graphs.y) > 0).astype(float))


def fresh(graphs, **options):
    torch.manual_seed(3)
    return SubgraphLayer(graphs, HIDDEN, SIZE, MAX_EDGES, dtype=torch.float64, **options)


def head():
    torch.manual_seed(4)
    return torch.nn.Linear(HIDDEN, 1, dtype=torch.float64)


def loss_of(network, y):
    entropy = torch.nn.functional.binary_cross_entropy_with_logits
    return lambda h: entropy(network(torch.sigmoid(h)).squeeze(-1), y)


def stepped(graphs, y, passes=3, **options):
    layer, network = fresh(graphs, **options), head()
    for _ in range(passes):
        layer.hard_threshold_step_(loss_of(network, y))
    return layer, network


def test_gradients_are_those_of_finite_differences(graphs, y):
    layer, _ = stepped(graphs, y)
    batches = [torch.tensor([0, 5, 7, 7]), graphs[10:14]]
    for batch in batches:

        def rows(weight, bias, batch=batch):
            return torch.func.functional_call(layer, {"weight": weight, "bias": bias}, (batch,))

        assert torch.autograd.gradcheck(rows, (layer.weight, layer.bias))
    assert len(layer.patterns) == SIZE


def test_new_graphs_are_read_like_training_graphs(graphs, y):
    layer, _ = stepped(graphs, y)
    again = es.GraphSet.from_tu(MUTAG)[20:40]
    assert torch.equal(layer(again), layer(torch.arange(20, 40)))
    assert layer.psi(again).sum() > 0


def listed(path, graphs):
    """All patterns as `mine` lists them, one of each support class, with the indices of the graphs that contain them.
    """
    index = {name: at for at, name in enumerate(graphs.ids)}
    classes = {}
    for line in path.read_text().splitlines():
        entry = json.loads(line)
        inside = tuple(sorted(index[name] for name in entry["graphs"]))
        words = (entry["pattern"]["vertices"], [tuple(edge) for edge in entry["pattern"]["edges"]])
        classes.setdefault(inside, words)
    return classes


def gradient_by_definition(inside, delta):
    """For each unit the positive partial derivatives in the order of the graphs, plus the negative ones."""
    columns = []
    for k in range(delta.shape[1]):
        rise = fall = 0.0
        for graph in inside:
            value = float(delta[graph, k])
            rise, fall = (rise + value, fall) if value > 0 else (rise, fall + value)
        columns.append(rise + fall)
    return columns


def test_candidates_are_those_of_scoring_every_subgraph(graphs, tmp_path):
    lines = tmp_path / "graphs.jsonl"
    lines.write_bytes(graphs._core.to_bytes())
    einsicht("mine", lines, "--max-edges", MAX_EDGES, "-o", tmp_path / "patterns.jsonl")
    classes = listed(tmp_path / "patterns.jsonl", graphs)
    assert len(classes) > 5 * SIZE
    layer = fresh(graphs, qualifiers="none", min_edges=1)
    for seed in range(3):
        delta = torch.randn(len(graphs), HIDDEN, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
        found = layer.search_(delta)
        gradients = {inside: gradient_by_definition(inside, delta) for inside in classes}
        norms = {inside: math.sqrt(sum_in_order(g * g for g in gradient)) for inside, gradient in gradients.items()}
        threshold = sorted(norms.values(), reverse=True)[SIZE - 1]
        wanted = {norm: classes[inside] for inside, norm in norms.items() if norm >= threshold}
        assert found.threshold == threshold
        assert {c.score: words_of(layer, c) for c in found.candidates} == wanted
        assert [c.score for c in found.candidates] == sorted(wanted, reverse=True)
        assert 0 < found.visited and "upper_bound" in found.skipped and 0 < sum(found.skipped.values())


def words_of(layer, candidate):
    pattern = layer._pattern(0, [list(edge) for edge in candidate.code], [])
    return [vertex["label"] for vertex in pattern.vertices], pattern.edges


def sum_in_order(numbers):
    total = 0.0
    for number in numbers:
        total += number
    return total


def test_the_step_is_the_one_that_the_library_took(tmp_path):
    """A model keeps the state before the step that chose its subgraphs; PyTorch, from there, must choose the same."""
    safetensors = pytest.importorskip("safetensors.numpy", reason="needs safetensors (pip install safetensors)")
    model = tmp_path / "model"
    words = [
        "--preset",
        "ein",
        "--hidden",
        HIDDEN,
        "--sizes",
        "1,3,6",
        "--feature",
        "presence",
        "--max-edges",
        MAX_EDGES,
    ]
    # Without polishing: a step from a point that has converged lowers the loss by less than rounding does.
    words += ["--set", "polish_steps=0", "--set", "max_iterations=4"]
    einsicht("train", MUTAG, "-o", model, *words, "--min-support", 1, "--set", "weight_decay=0")
    file = model.read_bytes()
    meta = json.loads(json.loads(file[8 : 8 + int.from_bytes(file[:8], "little")])["__metadata__"]["einsicht"])
    tensors = {name: torch.from_numpy(values) for name, values in safetensors.load(file).items()}
    everything = es.GraphSet.from_tu(MUTAG)
    train = everything[meta["rows"]["train"]]
    classes = meta["tasks"][0]["kind"]["classes"]
    y = torch.tensor([classes.index(str(label)) for label in train.y], dtype=torch.float64)
    compared = 0
    for at, entry in enumerate(meta["entries"]):
        if entry["before"] is None:
            continue
        before = {name: tensors[f"entry.{at}.before.{name}"] for name in ("weights", "bias", "network")}
        layer = SubgraphLayer(train, HIDDEN, 6, MAX_EDGES, reduction="sum", dtype=torch.float64)
        places = tensors[f"entry.{at}.before.patterns"].tolist()
        codes = [in_labels(meta["patterns"][p]["code"], meta, layer) for p in places]
        layer._fill(list(zip(codes, before["weights"].tolist(), strict=True)))
        with torch.no_grad():
            layer.bias.copy_(before["bias"])
        network = torch.nn.Linear(HIDDEN, 1, dtype=torch.float64)
        with torch.no_grad():
            network.weight.copy_(before["network"][:HIDDEN].view(1, HIDDEN))
            network.bias.copy_(before["network"][HIDDEN:])
        step = layer.hard_threshold_step_(lambda h: loss_of(network, y)(h) * len(y), size=entry["before"]["size"])
        assert step.step == pytest.approx(entry["before"]["step"], rel=1e-12)
        codes = [meta["patterns"][p]["code"] for p in tensors[f"entry.{at}.patterns"].tolist()]
        chosen = {json.dumps(in_labels(code, meta, layer)) for code in codes}
        assert {json.dumps(layer._code(pattern.slot)) for pattern in layer.patterns} == chosen
        compared += 1
    assert compared > 1


def in_labels(code, meta, layer):
    """A code of the model file in the labels and qualifiers of the layer's graphs."""
    own = json.loads(layer._native.tokens())
    vertex, edge = ({token: at for at, token in enumerate(own[name])} for name in ("vertex_labels", "edge_labels"))
    of = meta["vertex_labels"]["tokens"], meta["edge_labels"]["tokens"]
    found = []
    for u, v, a, b, c in code:
        if u == v and b == 1:
            found.append([u, v, own["qualifiers"]["values"].index(meta["qualifiers"]["values"][a]), 1, 0])
        else:
            found.append([u, v, vertex[of[0][a]], 0 if u == v else edge[of[1][b]], vertex[of[0][c]]])
    return found


def test_steps_lower_the_loss_and_keep_to_the_size(graphs, y):
    layer, network = fresh(graphs), head()
    losses = []
    for size in [1, 1, 4, 4]:
        step = layer.hard_threshold_step_(loss_of(network, y), size=size)
        assert step.size == len(layer.patterns) <= size
        assert step.loss <= step.loss_before
        losses.append(step.loss)
    assert losses == sorted(losses, reverse=True) and losses[-1] < losses[0]
    assert loss_of(network, y)(layer.h()).item() == pytest.approx(losses[-1], rel=1e-12)
    assert not layer.weight[layer.codes[:, 0, 0] < 0].any()


@pytest.mark.parametrize("optimizer", [torch.optim.Adam, torch.optim.SGD])
def test_optimisers_go_on_from_where_the_search_stops(graphs, y, optimizer):
    # Without qualifiers: with them the optimisers come so far that two subgraphs are no improvement, and the step is
    # refused.
    layer, network = fresh(graphs, qualifiers="none", min_edges=1), head()
    h = layer.h().detach().requires_grad_()
    (gradient,) = torch.autograd.grad(loss_of(network, y)(h), h)
    found = layer.search_(gradient, size=3, fill=True)
    assert len(found.candidates) >= 3 and not layer.patterns
    steps = optimizer([*layer.parameters(), *network.parameters()], lr=0.1)
    losses = []
    for _ in range(20):
        steps.zero_grad()
        loss = loss_of(network, y)(layer.h(torch.arange(len(graphs))))
        loss.backward()
        steps.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    assert len(layer.patterns) == min(SIZE, len(found.candidates))
    assert not layer.weight[layer.codes[:, 0, 0] < 0].any(), "an empty slot has gradient zero"
    step = layer.hard_threshold_step_(loss_of(network, y), size=2)
    assert step.size == len(layer.patterns) == 2


def test_a_saved_layer_reads_the_same_subgraphs(graphs, y):
    layer, _ = stepped(graphs, y)
    file = io.BytesIO()
    torch.save(layer.state_dict(), file)
    file.seek(0)
    other = fresh(graphs)
    assert not torch.equal(other(None), layer(None))
    other.load_state_dict(torch.load(file, weights_only=True))
    assert torch.equal(other(None), layer(None))
    assert [(p.vertices, p.edges) for p in other.patterns] == [(p.vertices, p.edges) for p in layer.patterns]
    with pytest.raises(RuntimeError, match="same labels"):
        SubgraphLayer(["CC", "CCC"], HIDDEN, SIZE, MAX_EDGES).load_state_dict(layer.state_dict())


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda layer: pickle.loads(pickle.dumps(layer))])
def test_a_copy_goes_its_own_way(graphs, y, copied):
    layer, network = stepped(graphs, y, passes=1)
    other, before = copied(layer), layer(None).detach().clone()
    assert torch.equal(other(None), before)
    mine = layer.hard_threshold_step_(loss_of(network, y))
    theirs = other.hard_threshold_step_(loss_of(network, y))
    assert mine.step == theirs.step and torch.equal(other(None), layer(None))
    other.hard_threshold_step_(loss_of(network, y))
    assert not torch.equal(other(None), layer(None))


def test_what_the_loss_raises_is_raised_and_nothing_changes(graphs, y):
    layer, network = stepped(graphs, y, passes=1)
    before, calls = copy.deepcopy(layer.state_dict()), []

    def broken(h):
        calls.append(h)
        if len(calls) > 1:
            raise ZeroDivisionError("the loss is broken")
        return loss_of(network, y)(h)

    with pytest.raises(ZeroDivisionError, match="the loss is broken"):
        layer.hard_threshold_step_(broken)
    assert len(calls) == 2
    assert torch.equal(layer.weight, before["weight"]) and torch.equal(layer.codes, before["codes"])
    refused = layer.hard_threshold_step_(lambda h: loss_of(network, y)(h) if h.requires_grad else h.sum() * math.nan)
    assert refused.step is None and refused.loss == refused.loss_before
    assert torch.equal(layer.weight, before["weight"])


def test_bad_arguments_are_named(graphs):
    layer = fresh(graphs)
    with pytest.raises(ValueError, match=r"grad_h must have the shape \(60, 3\)"):
        layer.search_(torch.zeros(3, 60))
    with pytest.raises(ValueError, match="delta must be finite"):
        layer.search_(torch.full((60, 3), torch.nan))
    with pytest.raises(ValueError, match="size must be from 1 to the number of slots, 6, got 7"):
        layer.search_(torch.zeros(60, 3), size=7)
    with pytest.raises(IndexError, match="there are 60 training graphs"):
        layer(torch.tensor([60]))
    with pytest.raises(ValueError, match="reduction must be"):
        fresh(graphs, reduction="none")
    with pytest.raises(ValueError, match="max_edges must be"):
        SubgraphLayer(graphs, max_edges=10_000)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="other: needs a CUDA device")
def test_the_layer_works_on_a_gpu(graphs, y):
    there, _ = stepped(graphs, y)
    on_gpu = fresh(graphs, device="cuda")
    network_there, y_there = head().cuda(), y.cuda()
    for _ in range(3):
        on_gpu.hard_threshold_step_(loss_of(network_there, y_there))
    assert [(p.vertices, p.edges) for p in on_gpu.patterns] == [(p.vertices, p.edges) for p in there.patterns]
    assert torch.allclose(on_gpu(None).cpu(), there(None))
    assert on_gpu(graphs[:3]).is_cuda
    assert torch.allclose(copy.deepcopy(on_gpu).cpu()(graphs[:3]), there(graphs[:3]))


#: The same atoms and bonds: only hydrogens tell the classes apart.
AMINES, PRIMARY = ["CCCN", "CC(C)N", "NCC(C)C", "CCNC", "CNC(C)C", "CCNCC"] * 5, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0] * 5


def test_single_vertices_with_qualifiers_enter_the_layer():
    layer, network, y = fresh(AMINES, max_qualifiers=1), head(), torch.tensor(PRIMARY, dtype=torch.float64)
    layer.hard_threshold_step_(loss_of(network, y), size=1)
    (pattern,) = layer.patterns
    assert pattern.vertices in ([{"label": "N", "qualifiers": ["H2"]}], [{"label": "N", "qualifiers": ["H1"]}])
    assert pattern.edges == [] and pattern.text.startswith("N[H") and pattern.words.startswith("N with ")
    column = layer.psi(AMINES)[:, pattern.slot]
    assert torch.equal(column, layer.values[:, pattern.slot]) and column.unique().tolist() == [0.0, 1.0]
    inside = int(column.argmax())
    ((vertices, edges),) = layer._native.covered(layer.graphs._core, inside, [layer._code(pattern.slot)], 10)
    assert vertices == [AMINES[inside].replace("(", "").replace(")", "").index("N")] and edges == []
    other = fresh(AMINES, max_qualifiers=1)
    other.load_state_dict(layer.state_dict())
    assert torch.equal(other(AMINES[:6]), layer(AMINES[:6])) and other.patterns[0].text == pattern.text
    with pytest.raises(RuntimeError, match="same labels and qualifiers"):
        fresh(AMINES, qualifiers="degree").load_state_dict(layer.state_dict())
    with pytest.raises(ValueError, match='must have the property "hydrogens"'):
        layer(es.GraphSet.from_edges([[(0, 1, "single")]], [["C", "N"]]))


def test_a_layer_without_qualifiers_has_edges_only(graphs, y):
    layer, _ = stepped(graphs, y, qualifiers="none", min_edges=1)
    assert all(pattern.edges for pattern in layer.patterns)
    assert not any(vertex["qualifiers"] for pattern in layer.patterns for vertex in pattern.vertices)


def test_a_layer_takes_only_what_an_estimator_takes():
    layer = fresh(AMINES)
    with pytest.raises(ValueError, match="graphs must be read as those of the training were, but molecule labels"):
        layer(es.GraphSet.from_smiles(AMINES, molecule_labels=["hydrogens"]))
    with pytest.raises(ValueError, match="graph 1 could not be read, and 1 in all: leave them out"):
        layer(es.GraphSet.from_smiles(["CCN", "C1CC"], on_bad="nan"))
    with pytest.raises(ValueError, match="graph 0 could not be read"):
        fresh(es.GraphSet.from_smiles(["C1CC", "CCN", "CNC"], on_bad="nan"))
    with pytest.warns(UserWarning, match="graphs have labels that no graph of the layer has: Br, double$"):
        layer(["CCN", "C=CBr"])
    with pytest.raises(RuntimeError, match=r"reads the same of subgraphs \(feature\)"):
        fresh(AMINES, feature="count").load_state_dict(layer.state_dict())
    fresh(AMINES, feature="presence").load_state_dict(layer.state_dict())
