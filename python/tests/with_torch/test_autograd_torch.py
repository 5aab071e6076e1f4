"""Loss and gradients of training are those of PyTorch's autograd, on weights and data that we export."""

import json
import random
import subprocess

import pytest
from program import ROOT, pattern

torch = pytest.importorskip("torch", reason="needs torch (cargo xtask test --torch)")
networkx = pytest.importorskip("networkx", reason="needs networkx (pip install networkx)")
isomorphism = pytest.importorskip("networkx.algorithms.isomorphism")
safetensors = pytest.importorskip("safetensors", reason="needs safetensors (pip install safetensors)")

CASES = {
    "two classes": ["two"],
    "three classes": ["three"],
    "a number": ["number"],
    "several tasks with missing labels": ["two", "three", "number"],
}


def write_set(path, tasks):
    """Random labelled graphs; with several tasks about a quarter of the labels is missing."""
    dice = random.Random(1)
    kinds = {"two": ["a", "b"], "three": ["a", "b", "c"], "number": None}
    targets = [
        {"name": task, "kind": "classes", "classes": kinds[task]} if kinds[task] else {"name": task, "kind": "numbers"}
        for task in tasks
    ]
    lines = [{"einsicht": 1, "attributes": 2, "targets": targets}]
    for _ in range(60):
        size = dice.randint(4, 9)
        edges = {(dice.randrange(at), at): dice.choice("xy") for at in range(1, size)}
        for _ in range(3):
            a, b = sorted(dice.sample(range(size), 2))
            edges.setdefault((a, b), dice.choice("xy"))
        values = [dice.choice(kinds[task]) if kinds[task] else dice.gauss(5, 3) for task in tasks]
        if len(tasks) > 1:
            values = [None if dice.random() < 0.25 else value for value in values]
        labels = [dice.choice("CNO") for _ in range(size)]
        line = {"vertices": labels, "edges": [[*ends, label] for ends, label in edges.items()], "targets": values}
        lines.append(line | {"attributes": [[dice.gauss(3, 2), dice.gauss(-1, 5)] for _ in labels]})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return lines[1:]


def as_networkx(vertices, edges):
    graph = networkx.Graph()
    for at, label in enumerate(vertices):
        graph.add_node(at, label=label)
    for a, b, label in edges:
        graph.add_edge(a, b, label=label)
    return graph


def presence(graphs, patterns):
    same = isomorphism.categorical_node_match("label", None), isomorphism.categorical_edge_match("label", None)
    inside = [[isomorphism.GraphMatcher(g, p, *same).subgraph_is_monomorphic() for p in patterns] for g in graphs]
    return torch.tensor(inside, dtype=torch.float64).reshape(len(graphs), len(patterns))


def feed_forward(x, theta, widths):
    """Linear layers with ReLU between them; `theta` is layer after layer, weights by output, then biases."""
    for layer, (inputs, outputs) in enumerate(zip(widths, widths[1:])):
        weights, theta = theta[: inputs * outputs].reshape(outputs, inputs), theta[inputs * outputs :]
        offsets, theta = theta[:outputs], theta[outputs:]
        x = torch.nn.functional.linear(torch.relu(x) if layer else x, weights, offsets)
    assert len(theta) == 0
    return x


def data_loss(outputs, rows, tasks, graph_weights):
    """Sum over the labelled cells, each with the weight of its graph."""
    total, at = torch.zeros((), dtype=torch.float64), 0
    for index, task in enumerate(tasks):
        kind = task["kind"]
        for row, weight, target in zip(outputs, graph_weights, (row["targets"][index] for row in rows)):
            if target is None:
                continue
            if "number" in kind:
                wanted = (target - kind["number"]["mean"]) / kind["number"]["scale"]
                total = total + weight * (row[at] - wanted) ** 2
            elif len(kind["classes"]) == 2:
                wanted = torch.tensor(float(kind["classes"].index(target)), dtype=torch.float64)
                total = total + weight * torch.nn.functional.binary_cross_entropy_with_logits(row[at], wanted)
            else:
                wanted = torch.tensor(kind["classes"].index(target))
                logits = row[at : at + len(kind["classes"])]
                total = total + weight * torch.nn.functional.cross_entropy(logits, wanted)
        at += len(kind["classes"]) if len(kind.get("classes", [])) > 2 else 1
    assert at == outputs.shape[1]
    return total


def vertex_rows(row, tokens, mean, scale):
    """Labels as zeros and a one, then standardised attributes."""
    labels = torch.nn.functional.one_hot(torch.tensor([tokens.index(label) for label in row["vertices"]]), len(tokens))
    return torch.cat([labels.double(), (torch.tensor(row["attributes"], dtype=torch.float64) - mean) / scale], 1)


def gin_rows(rows, theta, meta, tensors, geometric):
    """What PyTorch Geometric's GINConv and pooling make of the graphs, on our weights."""
    params, edge_tokens = meta["params"], meta["edge_labels"]["tokens"]
    units, pooled = params["gnn_units"], []
    pool = geometric.global_add_pool if params["gnn_pooling"] == "sum" else geometric.global_mean_pool
    mean, scale = tensors["attributes.mean"], tensors["attributes.scale"]
    for row in rows:
        x = vertex_rows(row, meta["vertex_labels"]["tokens"], mean, scale)
        ends = [(a, b, label) for a, b, label in row["edges"]] + [(b, a, label) for a, b, label in row["edges"]]
        kinds = edge_tokens if params["gnn_edge_labels"] else [None]
        of_kind = [[(a, b) for a, b, label in ends if kind in (None, label)] for kind in kinds]
        rest, found = theta, []
        for _ in range(params["gnn_rounds"]):
            epsilon, rest = rest[0], rest[1:]
            layers = []
            for inputs in (x.shape[1] * len(kinds), units):
                weights, rest = rest[: inputs * units].reshape(inputs, units), rest[inputs * units :]
                offsets, rest = rest[:units], rest[units:]
                norm = rest[: 2 * units].reshape(2, units) if params["gnn_normalization"] == "layer" else None
                rest = rest[2 * units :] if norm is not None else rest
                layers.append((weights, offsets, norm))
            # With an identity behind it GINConv gives (1 + epsilon) x + the sum over neighbours, one for each kind of
            # edge.
            sums = []
            for edges in of_kind:
                convolution = geometric.GINConv(torch.nn.Identity(), train_eps=True).double()
                del convolution.eps
                convolution.eps = epsilon
                sums.append(convolution(x, torch.tensor(edges, dtype=torch.long).reshape(-1, 2).T))
            x = torch.cat(sums, 1)
            for weights, offsets, norm in layers:
                x = x @ weights + offsets
                x = torch.relu(x if norm is None else torch.nn.functional.layer_norm(x, (units,), *norm))
            found.append(pool(x, torch.zeros(len(x), dtype=torch.long)))
        assert len(rest) == 0
        pooled.append(torch.cat(found, 1) if params["gnn_readout"] == "all" else found[-1])
    return torch.cat(pooled)


def close(ours, theirs):
    ours = torch.tensor(ours, dtype=torch.float64).reshape(theirs.shape)
    return torch.allclose(ours, theirs, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("layers", ["none", "5,4"])
@pytest.mark.parametrize("name", CASES)
def test_gradients_are_those_of_autograd(tmp_path, name, layers):
    compare(tmp_path, name, layers, "none")


@pytest.mark.parametrize(
    "gnn", ["gin,sum,last,1,none", "gin,mean,all,1,layer", "gin,mean,last,2,layer", "gin,sum,all,2,none"]
)
def test_the_graph_network_is_that_of_pytorch_geometric(tmp_path, gnn):
    geometric = pytest.importorskip("torch_geometric.nn", reason="needs torch_geometric (cargo xtask test --torch)")
    compare(tmp_path, "several tasks with missing labels", "5", gnn, geometric)


def compare(tmp_path, name, layers, gnn, geometric=None):
    from safetensors import safe_open

    rows = write_set(tmp_path / "set.jsonl", CASES[name])
    words = [str(tmp_path / "set.jsonl"), str(tmp_path / "model"), layers, gnn]
    command = ["cargo", "run", "--quiet", "-p", "einsicht-train", "--example", "gradients", "--", *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    computed = json.loads(done.stdout)
    with safe_open(tmp_path / "model", framework="pt") as file:
        meta = json.loads(file.metadata()["einsicht"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}
    tokens = meta["vertex_labels"]["tokens"], meta["edge_labels"]["tokens"]
    rows = [rows[row] for row in meta["rows"]["train"]]
    graphs = [as_networkx(row["vertices"], row["edges"]) for row in rows]
    graph_weights = tensors["graph_weights"]
    labelled = sum(w * sum(t is not None for t in row["targets"]) for w, row in zip(graph_weights, rows))
    decay = meta["params"]["weight_decay"] * labelled
    used = 0
    assert len(computed) == len(meta["entries"])
    for at, ours in enumerate(computed):
        beta, bias, theta = (tensors[f"entry.{at}.{part}"].requires_grad_() for part in ("weights", "bias", "network"))
        places = tensors[f"entry.{at}.patterns"].tolist()
        patterns = [pattern(meta["patterns"][index]["code"], *tokens) for index in places]
        used += len(patterns)
        h = bias + presence(graphs, patterns) @ beta
        h.retain_grad()
        outputs = sum(
            len(t["kind"].get("classes", [])) if len(t["kind"].get("classes", [])) > 2 else 1 for t in meta["tasks"]
        )
        hidden, of_gnn = torch.sigmoid(h), torch.zeros(0, dtype=torch.float64)
        if geometric:
            of_gnn = tensors[f"entry.{at}.gnn"].requires_grad_()
            said = gin_rows(rows, of_gnn, meta, tensors, geometric)
            assert close([*tensors[f"entry.{at}.mean_beside"]], said.detach().mean(0))
            hidden = torch.cat([said, hidden], 1)
        widths = [hidden.shape[1], *meta["params"]["layers"], outputs]
        data = data_loss(feed_forward(hidden, theta, widths), rows, meta["tasks"], graph_weights)
        loss = data + decay / 2 * ((beta**2).sum() + (theta**2).sum() + (of_gnn**2).sum())
        loss.backward()
        assert close([ours["loss"]], loss.detach().reshape(1))
        assert close(ours["delta"], h.grad)
        assert close(ours["weights"], beta.grad)
        assert close(ours["bias"], bias.grad)
        assert close(ours["network"], torch.cat([theta.grad, of_gnn.grad]) if geometric else theta.grad)
    assert used >= 3
