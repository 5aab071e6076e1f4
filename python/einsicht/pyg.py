"""PyTorch Geometric: graphs as data, a network of a graph network and subgraphs, and its explanation.

    data = to_data(graphs, y, like=layer)
    module = JoinedNetwork(GIN(data[0].num_features, 16, 3), channels=16, hidden=10, outputs=1)
    fit_ein_gnn(module, layer, data, y)
    explainer = Explainer(GraphModel(module, layer), algorithm=PatternExplainer(), ...)
"""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch_geometric.data import Data
from torch_geometric.explain import ExplainerAlgorithm, Explanation
from torch_geometric.explain.config import MaskType, ModelTaskLevel
from torch_geometric.nn import global_add_pool, global_mean_pool

from einsicht._data.convert import as_graph_set
from einsicht._data.graph_set import GraphSet
from einsicht._data.reading import of_graphs
from einsicht._data.sources import COMPUTED
from einsicht.torch import SubgraphLayer

__all__ = ["GraphModel", "JoinedNetwork", "PatternExplainer", "to_data"]

#: The label of a vertex or an edge whose columns are all zero.
UNKNOWN = "?"

# Exact Shapley values (all coalitions) up to this many subgraphs; above, this many random orders and their reverses.
EXACT, ORDERS = 8, 32


def to_data(graphs: Any, y: Any = None, *, like: Any, dtype: torch.dtype | None = None) -> list[Data]:
    """Graphs as PyTorch Geometric data.

    ``x`` is the label of a vertex, one column per label, then its attributes; ``edge_attr``, where the training graphs
    have more than one edge label, the label of an edge, one column per label. A label that the training graphs do not
    have is a row of zeros.

    like : the training graphs, or the layer made of them: their labels are the columns, for these graphs and for all
        others.
    """
    train = like.graphs if isinstance(like, SubgraphLayer) else as_graph_set(like)
    graphs = as_graph_set(graphs, of_graphs(train._core))
    columns, kinds = _columns(vertex_labels(train)), _columns(edge_labels(train))
    dtype = dtype or torch.get_default_dtype()
    data = []
    for at in range(len(graphs)):
        vertices, edges = graphs._core.graph(at)
        x = _one_hot(vertices, columns, dtype)
        attributes = graphs._core.attributes(at)
        if attributes is not None:
            x = torch.cat([x, torch.tensor(attributes[1], dtype=dtype).view(len(vertices), attributes[0])], 1)
        ends = torch.tensor([(u, v) for u, v, _ in edges], dtype=torch.int64).view(-1, 2).t()
        one = Data(x=x, edge_index=torch.cat([ends, ends.flip(0)], 1), num_nodes=len(vertices))
        if len(kinds) > 1:
            one.edge_attr = _one_hot([label for _, _, label in edges], kinds, dtype).repeat(2, 1)
        if y is not None:
            one.y = torch.as_tensor(y[at]).view(1)
        data.append(one)
    return data


def vertex_labels(graphs: Any) -> list[str]:
    """The vertex labels of some graphs, in their order."""
    return [token for token, _ in as_graph_set(graphs)._core.vertex_labels()]


def edge_labels(graphs: Any) -> list[str]:
    """The edge labels of some graphs, in their order."""
    return [token for token, _ in as_graph_set(graphs)._core.edge_labels()]


def _columns(labels: list[str]) -> dict[str, int]:
    return {label: at for at, label in enumerate(labels)}


def _one_hot(labels: list[str], columns: dict[str, int], dtype: torch.dtype) -> Tensor:
    rows = torch.zeros(len(labels), len(columns), dtype=dtype)
    for at, label in enumerate(labels):
        if label in columns:
            rows[at, columns[label]] = 1
    return rows


def _names(rows: Tensor, labels: list[str]) -> list[str]:
    """The labels of one-hot rows; a row of zeros has one that no training graph has."""
    known = rows.sum(1) > 0
    return [
        labels[column] if know else UNKNOWN
        for column, know in zip(rows.argmax(1).tolist(), known.tolist(), strict=True)
    ]


class JoinedNetwork(nn.Module):
    """``head(gnn(G) beside sigmoid(h(G)))``: any graph network of PyTorch Geometric beside a `SubgraphLayer`.

    gnn : ``gnn(x, edge_index)`` gives one row of `channels` numbers per vertex, as the models of PyTorch Geometric do.
    pool : "sum", "mean", or a function of rows and batch.
    """

    def __init__(self, gnn: nn.Module, channels: int, hidden: int, outputs: int, pool: Any = "sum") -> None:
        super().__init__()
        self.gnn = gnn
        self.pool = {"sum": global_add_pool, "mean": global_mean_pool}.get(pool, pool)
        self.linear = nn.Linear(channels + hidden, outputs)

    def embed(self, batch: Any) -> Tensor:
        """The graph network's embedding of each graph."""
        return self.pool(self.gnn(batch.x, batch.edge_index), batch.batch)

    def head(self, embedding: Tensor, hidden: Tensor) -> Tensor:
        """Outputs from both."""
        return self.linear(torch.cat([embedding, hidden.to(embedding)], 1))

    def forward(self, batch: Any, hidden: Tensor) -> Tensor:
        return self.head(self.embed(batch), hidden)


class GraphModel(nn.Module):
    """A `JoinedNetwork` and its layer as one model of ``(x, edge_index, batch)``, for `torch_geometric.explain`.

    Vertices get their labels back from the first columns of ``x``, edges from ``edge_attr`` where there is more than
    one edge label (see `to_data`).
    """

    def __init__(self, network: JoinedNetwork, layer: SubgraphLayer) -> None:
        super().__init__()
        self.network, self.layer = network, layer
        self.labels = vertex_labels(layer.graphs)
        self.edge_labels = edge_labels(layer.graphs)
        required = {value["property"] for value in json.loads(layer._native.tokens())["qualifiers"]["values"]}
        unknown = sorted(required - set(COMPUTED))
        if unknown:
            raise ValueError(
                f"subgraphs may require what follows from graph and labels only ({', '.join(COMPUTED)}), but the"
                " layer's require "
                f'{", ".join(unknown)}; make the layer with qualifiers="degree", or with "none"'
            )

    def graphs(
        self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None, edge_attr: Tensor | None = None
    ) -> GraphSet:
        """The graphs of a batch."""
        owner = _owner(x, batch)
        names = _names(x[:, : len(self.labels)], self.labels)
        kinds = self._kinds(edge_index, edge_attr)
        first = {graph: vertex for vertex, graph in reversed(list(enumerate(owner)))}
        count = max(owner, default=-1) + 1
        vertices: list[list[str]] = [[] for _ in range(count)]
        edges: list[list[tuple[int, int, str]]] = [[] for _ in range(count)]
        for graph, name in zip(owner, names, strict=True):
            vertices[graph].append(name)
        for (u, v), kind in zip(edge_index.t().tolist(), kinds, strict=True):
            if u < v:
                edges[owner[u]].append((u - first[owner[u]], v - first[owner[u]], kind))
        return GraphSet.from_edges(edges, vertices)

    def _kinds(self, edge_index: Tensor, edge_attr: Tensor | None) -> list[str]:
        """The label of each edge."""
        count, labels = edge_index.shape[1], self.edge_labels
        if len(labels) < 2:
            return (labels or [""]) * count
        if edge_attr is None or tuple(edge_attr.shape) != (count, len(labels)):
            found = "there is none" if edge_attr is None else f"its shape is {tuple(edge_attr.shape)}"
            raise ValueError(
                f"edge_attr must have one row per edge and one column for each of the {len(labels)} edge labels of the"
                f" layer's graphs, but {found}: give that of to_data(..., like=layer)"
            )
        return _names(edge_attr, labels)

    def forward(
        self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None, edge_attr: Tensor | None = None
    ) -> Tensor:
        hidden = self.layer(self.graphs(x, edge_index, batch, edge_attr))
        return self.network.head(self.embed(x, edge_index, batch), hidden)

    def embed(self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None) -> Tensor:
        """The graph network's embedding of each graph."""
        batch = torch.zeros(len(x), dtype=torch.int64, device=x.device) if batch is None else batch
        return self.network.embed(Data(x=x, edge_index=edge_index, batch=batch))


class PatternExplainer(ExplainerAlgorithm):
    """Explains a `GraphModel` by its subgraphs: the Shapley value of each among those that are present.

    The values are in ``explanation.pattern_values`` (one row per graph, one column per slot of the layer); they sum to
    the output less the output without any subgraph. Masks spread the absolute value over the edges, and over the
    vertices, that the subgraph covers, from its first `limit` embeddings.
    """

    def __init__(self, limit: int = 100, seed: int = 0) -> None:
        super().__init__()
        self.limit, self.seed = limit, seed

    def supports(self) -> bool:
        """Whole graphs; masks of vertices and edges as objects."""
        masks = (self.explainer_config.node_mask_type, self.explainer_config.edge_mask_type)
        return self.model_config.task_level == ModelTaskLevel.graph and all(m in (None, MaskType.object) for m in masks)

    @torch.no_grad()
    def forward(
        self, model: Any, x: Tensor, edge_index: Tensor, *, target: Tensor, index: Any = None, **kwargs: Any
    ) -> Explanation:
        if not isinstance(model, GraphModel):
            raise TypeError(f"PatternExplainer explains a GraphModel, got {type(model).__name__}")
        batch = kwargs.get("batch")
        graphs = model.graphs(x, edge_index, batch, kwargs.get("edge_attr"))
        layer, psi = model.layer, model.layer.psi(graphs)
        embedding = model.embed(x, edge_index, batch)
        wanted = range(len(graphs)) if index is None else torch.as_tensor(index).view(-1).tolist()
        values = torch.zeros_like(psi)
        edge_mask, node_mask = torch.zeros(edge_index.shape[1]), torch.zeros(len(x), 1)
        owner = _owner(x, batch)
        offset = {graph: place for place, graph in reversed(list(enumerate(owner)))}
        places = {(u, v): at for at, (u, v) in enumerate(edge_index.t().tolist())}
        in_use = [slot for slot, _ in layer._active()]
        for graph in wanted:
            present = [slot for slot in in_use if psi[graph, slot] > 0]
            if not present:
                continue

            def output(psi: Tensor, graph: int = graph) -> Tensor:
                hidden = torch.sigmoid(psi @ layer.weight + layer.bias)
                outputs = model.network.head(embedding[graph].expand(len(psi), -1), hidden)
                return outputs[:, int(target.view(-1)[graph]) if outputs.shape[1] > 1 else 0]

            values[graph, present] = self._shapley(output, psi[graph], present)
            codes = [layer._code(slot) for slot in present]
            covered = layer._native.covered(graphs._core, graph, codes, self.limit)
            for slot, (vertices, edges) in zip(present, covered, strict=True):
                weight = float(values[graph, slot].abs())
                for u, v in edges:
                    for pair in ((u, v), (v, u)):
                        at = places.get((pair[0] + offset[graph], pair[1] + offset[graph]))
                        if at is not None:
                            edge_mask[at] += weight / len(edges)
                for vertex in vertices:
                    node_mask[vertex + offset[graph], 0] += weight / len(vertices)
        masks = {}
        if self.explainer_config.node_mask_type is not None:
            masks["node_mask"] = node_mask.to(x)
        if self.explainer_config.edge_mask_type is not None:
            masks["edge_mask"] = edge_mask.to(x)
        return Explanation(pattern_values=values, **masks)

    def _shapley(self, output: Any, psi: Tensor, present: list[int]) -> Tensor:
        """Shapley values of the present slots: from all coalitions, or from random orders and their reverses."""
        count = len(present)
        if count <= EXACT:
            members = torch.tensor(
                list(itertools.product([0.0, 1.0], repeat=count)), dtype=psi.dtype, device=psi.device
            )
            worth = output(self._coalitions(psi, present, members))
            values = torch.zeros(count, dtype=psi.dtype, device=psi.device)
            for at in range(count):
                bit = 1 << (count - 1 - at)
                for code in range(1 << count):
                    if not code & bit:
                        size = bin(code).count("1")
                        weight = math.factorial(size) * math.factorial(count - size - 1) / math.factorial(count)
                        values[at] += weight * (worth[code | bit] - worth[code])
            return values
        random = np.random.default_rng(self.seed)
        orders = [random.permutation(count) for _ in range(ORDERS)]
        orders += [order[::-1] for order in orders]
        values = torch.zeros(count, dtype=psi.dtype, device=psi.device)
        for order in orders:
            members = torch.zeros(count + 1, count, dtype=psi.dtype, device=psi.device)
            for position, slot in enumerate(order):
                members[position + 1 :, slot] = 1
            worth = output(self._coalitions(psi, present, members))
            values[torch.as_tensor(order.copy(), device=psi.device)] += (worth[1:] - worth[:-1]) / len(orders)
        return values

    @staticmethod
    def _coalitions(psi: Tensor, present: list[int], members: Tensor) -> Tensor:
        rows = torch.zeros(len(members), len(psi), dtype=psi.dtype, device=psi.device)
        rows[:, present] = members * psi[present]
        return rows


def _owner(x: Tensor, batch: Tensor | None) -> list[int]:
    return [0] * len(x) if batch is None else batch.tolist()
