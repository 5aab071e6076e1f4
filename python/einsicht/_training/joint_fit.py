"""`fit_ein_gnn`: exact steps on the subgraphs in turn with Adam on the rest, beside any PyTorch Geometric model."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from einsicht.torch import SubgraphLayer


@dataclass
class GnnFit:
    """What `fit_ein_gnn` did: the size that was kept, its losses, and one record a pass."""

    size: int = 0
    valid_loss: float = float("inf")
    valid_score: float = float("-inf")
    history: list[dict[str, Any]] = field(default_factory=list)


def fit_ein_gnn(
    module: nn.Module,
    layer: SubgraphLayer,
    data: Sequence[Any],
    y: Any,
    *,
    valid: tuple[Sequence[Any], Any, Any] | None = None,
    loss: Callable[[Tensor, Tensor], Tensor] | None = None,
    sizes: Sequence[int] = (0, 1, 3, 8, 20),
    epochs: int = 5,
    batch_size: int = 32,
    learning_rate: float = 0.01,
    patience: int = 5,
    max_iterations: int = 30,
    seed: int = 0,
) -> GnnFit:
    """Train a graph network and a `SubgraphLayer` together; both end with the weights that did best on the validation part.

    module : ``module(batch, hidden)`` gives the outputs, for a PyTorch Geometric batch and the layer's rows of the same
        graphs. If it has ``embed(batch)`` and ``head(embedding, hidden)`` (`einsicht.pyg.JoinedNetwork` has), what does not
        depend on the subgraphs is computed once a step. There must be no batch normalisation: the loss of the steps is that
        of frozen weights.
    layer : its graphs are the training graphs; `data` are the same graphs as PyTorch Geometric data, in the same order.
    y : their targets, whole numbers for classes; one output means two classes by one logit, or a number.
    valid : data, graphs and targets of the validation part; without it the training part judges itself.
    loss : a mean over graphs of ``loss(outputs, targets)``; by default cross entropy, or squared error.
    sizes : how many subgraphs there may be, growing; 0 trains the graph network alone.
    epochs, batch_size, learning_rate : of Adam, after each step on the subgraphs.
    patience, max_iterations : a size ends when the validation loss has not improved for so many passes, or after so many.
    """
    if len(data) != len(layer.graphs):
        raise ValueError(f"data must be the layer's {len(layer.graphs)} graphs, but there are {len(data)}")
    too_large = [size for size in sizes if not 0 <= size <= layer.size]
    if too_large:
        raise ValueError(f"sizes must be from 0 to the layer's {layer.size} slots, got {too_large[0]}")
    network = _Joined(module, layer.weight.device)
    train = _Part(data, None, y, layer)
    judges = _Part(valid[0], valid[1], valid[2], layer) if valid else train
    loss = loss or _usual_loss(train.y)
    shuffles = torch.Generator().manual_seed(seed)
    adam = torch.optim.Adam(module.parameters(), lr=learning_rate)
    best, kept = GnnFit(), None
    for size in sizes:
        lowest, since = float("inf"), 0
        for iteration in range(1, max_iterations + 1):
            step = _step(network, layer, train, loss, size) if size else None
            # The moments of one subgraph must not move another that took its slot.
            of_layer = torch.optim.Adam([layer.weight, layer.bias], lr=learning_rate)
            for _ in range(epochs):
                _epoch(network, layer, train, loss, batch_size, shuffles, [adam, of_layer])
            outputs = network.outputs(judges, layer)
            valid_loss, score = float(loss(outputs, judges.y)), _score(outputs, judges.y)
            record = {"size": size, "iteration": iteration, "valid_loss": valid_loss, "valid_score": score}
            best.history.append({**record, "patterns": len(layer._active()), "step": step.step if step else None})
            # The better score, then fewer subgraphs, then the lower loss.
            if (score, -size, -valid_loss) > (best.valid_score, -best.size, -best.valid_loss):
                best.size, best.valid_loss, best.valid_score = size, valid_loss, score
                kept = copy.deepcopy((module.state_dict(), layer.state_dict()))
            if valid_loss < lowest:
                lowest, since = valid_loss, 0
            else:
                since += 1
            if since >= patience:
                break
    if kept is not None:
        module.load_state_dict(kept[0])
        layer.load_state_dict(kept[1])
    return best


class _Part:
    """Graphs of a part as both sides read them."""

    def __init__(self, data: Sequence[Any], graphs: Any, y: Any, layer: SubgraphLayer) -> None:
        self.data, self.graphs = list(data), graphs
        self.y = torch.as_tensor(y, device=layer.weight.device)
        if len(self.y) != len(self.data):
            raise ValueError(f"there must be one target for each of {len(self.data)} graphs, got {len(self.y)}")


class _Joined:
    """The user's module, in whichever way it can be asked."""

    def __init__(self, module: nn.Module, device: torch.device) -> None:
        self.module, self.device = module, device
        self.splits = hasattr(module, "embed") and hasattr(module, "head")

    def batch(self, data: list[Any]) -> Any:
        from torch_geometric.data import Batch

        return Batch.from_data_list(data).to(self.device)

    @torch.no_grad()
    def outputs(self, part: _Part, layer: SubgraphLayer) -> Tensor:
        self.module.eval()
        return self.module(self.batch(part.data), layer(part.graphs))

    def frozen(self, part: _Part) -> Callable[[Tensor], Tensor]:
        """Outputs as a function of the layer's rows alone."""
        self.module.eval()
        batch = self.batch(part.data)
        if not self.splits:
            return lambda hidden: self.module(batch, hidden)
        with torch.no_grad():
            embedding = self.module.embed(batch)
        return lambda hidden: self.module.head(embedding, hidden)


def _step(network: _Joined, layer: SubgraphLayer, train: _Part, loss: Any, size: int) -> Any:
    outputs = network.frozen(train)
    scale = 1 if layer.reduction == "mean" else len(train.data)
    return layer.hard_threshold_step_(lambda h: scale * loss(outputs(torch.sigmoid(h)), train.y), size)


def _epoch(network: _Joined, layer: Any, train: _Part, loss: Any, batch_size: int, shuffles: Any, optimizers: Any) -> None:
    network.module.train()
    order = torch.randperm(len(train.data), generator=shuffles)
    for places in order.split(batch_size):
        batch = network.batch([train.data[place] for place in places.tolist()])
        for optimizer in optimizers:
            optimizer.zero_grad()
        value = loss(network.module(batch, layer(places.to(train.y.device))), train.y[places.to(train.y.device)])
        value.backward()
        for optimizer in optimizers:
            optimizer.step()


def _usual_loss(y: Tensor) -> Callable[[Tensor, Tensor], Tensor]:
    if y.is_floating_point():
        return lambda outputs, y: nn.functional.mse_loss(outputs.squeeze(-1), y)

    def cross_entropy(outputs: Tensor, y: Tensor) -> Tensor:
        if outputs.shape[-1] == 1:
            return nn.functional.binary_cross_entropy_with_logits(outputs.squeeze(-1), y.to(outputs))
        return nn.functional.cross_entropy(outputs, y)

    return cross_entropy


def _score(outputs: Tensor, y: Tensor) -> float:
    """Accuracy for classes, for numbers the squared error with the sign turned."""
    if y.is_floating_point():
        return -float(nn.functional.mse_loss(outputs.squeeze(-1), y))
    guessed = (outputs.squeeze(-1) > 0).long() if outputs.shape[-1] == 1 else outputs.argmax(-1)
    return float((guessed == y).double().mean())
