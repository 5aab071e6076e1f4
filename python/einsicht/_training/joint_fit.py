"""`fit_ein_gnn`: exact steps on the subgraphs alternate with Adam on all weights, for any PyTorch Geometric model."""

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
    """Result of `fit_ein_gnn`: the chosen size, its validation loss and score, one record per pass, and the classes, in
    the order of the outputs (of a single output the second is the positive one); empty for regression."""

    size: int = 0
    valid_loss: float = float("inf")
    valid_score: float = float("-inf")
    history: list[dict[str, Any]] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)


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
    """Train a graph network and a `SubgraphLayer` together; both end with the weights that were best on the validation
    set.

    module : ``module(batch, hidden)`` gives the outputs, for a PyTorch Geometric batch and the layer's rows of the same
        graphs. If it has ``embed(batch)`` and ``head(embedding, hidden)`` (`einsicht.pyg.JoinedNetwork` has), what does
        not depend on the subgraphs is computed once per step. There must be no batch normalisation: the loss of the
        steps is that of frozen weights.
    layer : its graphs are the training graphs; `data` are the same graphs as PyTorch Geometric data, in the same order.
    y : their targets, one per graph: integers for classes, whatever their values, such as -1 and 1, numbers that are
        not all whole for regression (else name the `loss`); one output means two classes by one logit, or a number. A
        `loss` of your own gets them as they are.
    valid : data, graphs and targets of the validation set; without it the training set is used.
    loss : a mean over graphs of ``loss(outputs, targets)``; by default cross entropy, or squared error.
    sizes : numbers of subgraphs, increasing; 0 trains the graph network alone.
    epochs, batch_size, learning_rate : of Adam, after each step on the subgraphs.
    patience, max_iterations : early stopping: passes without a better validation loss, and passes at most, for each
        size.
    """
    if len(data) != len(layer.graphs):
        raise ValueError(f"data must be the layer's {len(layer.graphs)} graphs, but there are {len(data)}")
    too_large = [size for size in sizes if not 0 <= size <= layer.size]
    if too_large:
        raise ValueError(f"sizes must be from 0 to the layer's {layer.size} slots, got {too_large[0]}")
    network = _JointModel(module, layer)
    _check_columns([("data", data), *([("the data of valid", valid[0])] if valid else [])])
    train = _DataPart(data, None, y, layer)
    held_out = _DataPart(valid[0], valid[1], valid[2], layer) if valid else train
    classes = train.classes()
    for part in [train, held_out] if valid else [train]:
        part.rank(classes, of_ranks=loss is None)
    loss = loss or _default_loss(train.y)
    _check_outputs(network.outputs(train), train, classes)
    shuffles = torch.Generator().manual_seed(seed)
    adam = torch.optim.Adam(module.parameters(), lr=learning_rate)
    best, best_weights = GnnFit(classes=classes), None
    for size in sizes:
        lowest, passes = float("inf"), 0
        for iteration in range(1, max_iterations + 1):
            step = _step(network, train, loss, size) if size else None
            # The moments of one subgraph must not move another that took its slot.
            of_layer = torch.optim.Adam([layer.weight, layer.bias], lr=learning_rate)
            for _ in range(epochs):
                shuffled = torch.randperm(len(train.data), generator=shuffles)
                _epoch(network, train, loss, shuffled.split(batch_size), [adam, of_layer])
            outputs = network.outputs(held_out)
            valid_loss, score = float(loss(outputs, held_out.y)), _score(outputs, held_out.ranks)
            record = {"size": size, "iteration": iteration, "valid_loss": valid_loss, "valid_score": score}
            best.history.append({**record, "patterns": len(layer._active()), "step": step.step if step else None})
            # The better score, then fewer subgraphs, then the lower loss.
            if (score, -size, -valid_loss) > (best.valid_score, -best.size, -best.valid_loss):
                best.size, best.valid_loss, best.valid_score = size, valid_loss, score
                best_weights = copy.deepcopy((module.state_dict(), layer.state_dict()))
            if valid_loss < lowest:
                lowest, passes = valid_loss, 0
            else:
                passes += 1
            if passes >= patience:
                break
    if best_weights is not None:
        module.load_state_dict(best_weights[0])
        layer.load_state_dict(best_weights[1])
    return best


class _DataPart:
    """Training or validation set: its graphs as data of PyTorch Geometric and as a `GraphSet`, and its targets."""

    def __init__(self, data: Sequence[Any], graphs: Any, y: Any, layer: SubgraphLayer) -> None:
        self.data, self.graphs = list(data), graphs
        self.y = torch.as_tensor(y, device=layer.weight.device)
        if len(self.y) != len(self.data):
            raise ValueError(f"there must be one target for each of {len(self.data)} graphs, got {len(self.y)}")
        #: Ranks of classes, or numbers.
        self.ranks = self.y

    def classes(self) -> list[int]:
        """The classes, sorted; none if the targets are numbers."""
        return [] if self.y.is_floating_point() or self.y.ndim != 1 else self.y.long().unique().tolist()

    def rank(self, classes: list[int], *, of_ranks: bool) -> None:
        """Turns classes into their ranks; `of_ranks`: for the loss too."""
        if not classes:
            return
        unknown = sorted(set(self.y.long().tolist()) - set(classes))
        if unknown:
            raise ValueError(f"the classes of all sets must be those of y, {classes}, but there is {unknown[0]}")
        self.ranks = torch.searchsorted(torch.tensor(classes, device=self.y.device), self.y.long())
        if of_ranks:
            self.y = self.ranks


class _JointModel:
    """The user's module, whole or split into `embed` and `head`, and the layer."""

    def __init__(self, module: nn.Module, layer: SubgraphLayer) -> None:
        self.module, self.layer, self.device = module, layer, layer.weight.device
        self.splits = hasattr(module, "embed") and hasattr(module, "head")

    def batch(self, data: list[Any]) -> Any:
        from torch_geometric.data import Batch

        return Batch.from_data_list(data).to(self.device)

    @torch.no_grad()
    def outputs(self, part: _DataPart) -> Tensor:
        self.module.eval()
        return self.module(self.batch(part.data), self.layer(part.graphs))

    def frozen(self, part: _DataPart) -> Callable[[Tensor], Tensor]:
        """Outputs as a function of the layer's rows alone."""
        self.module.eval()
        batch = self.batch(part.data)
        if not self.splits:
            return lambda hidden: self.module(batch, hidden)
        with torch.no_grad():
            embedding = self.module.embed(batch)
        return lambda hidden: self.module.head(embedding, hidden)


def _step(network: _JointModel, train: _DataPart, loss: Any, size: int) -> Any:
    layer = network.layer
    outputs = network.frozen(train)
    scale = 1 if layer.reduction == "mean" else len(train.data)
    return layer.hard_threshold_step_(lambda h: scale * loss(outputs(torch.sigmoid(h)), train.y), size)


def _epoch(network: _JointModel, train: _DataPart, loss: Any, batches: Any, optimizers: Any) -> None:
    network.module.train()
    for indices in batches:
        batch = network.batch([train.data[index] for index in indices.tolist()])
        rows = indices.to(train.y.device)
        for optimizer in optimizers:
            optimizer.zero_grad()
        value = loss(network.module(batch, network.layer(rows)), train.y[rows])
        value.backward()
        for optimizer in optimizers:
            optimizer.step()


def _check_columns(parts: list[tuple[str, Sequence[Any]]]) -> None:
    """Data of training and validation set must have the same columns."""
    widths = [
        (name, int(data[0].x.shape[1])) for name, data in parts if len(data) and getattr(data[0], "x", None) is not None
    ]
    for name, width in widths:
        if width != widths[0][1]:
            raise ValueError(
                f"data of all sets must have the same columns of x, but {widths[0][0]} has {widths[0][1]} and {name}"
                f" {width}: make both with to_data(..., like=layer)"
            )


def _check_outputs(outputs: Tensor, train: _DataPart, classes: list[int]) -> None:
    """A network must have an output for each class, or one for two of them."""
    width = outputs.shape[-1] if outputs.ndim > 1 else 1
    most = 2 if width == 1 else width
    if len(classes) > most:
        raise ValueError(
            f"the module must have one output for each of {len(classes)} classes, but has {width}: they are {classes}"
        )


def _default_loss(y: Tensor) -> Callable[[Tensor, Tensor], Tensor]:
    if y.ndim != 1:
        raise ValueError(f"y must have one target per graph, but its shape is {tuple(y.shape)}: give loss= for several")
    if y.is_floating_point() and bool((y == y.round()).all()):
        raise ValueError(
            "y must be integers for classes, or numbers that are not all whole, but is floats with whole values:"
            " convert it to integers, or give loss= for regression"
        )
    if y.is_floating_point():
        return lambda outputs, y: nn.functional.mse_loss(outputs.squeeze(-1), y)

    def cross_entropy(outputs: Tensor, y: Tensor) -> Tensor:
        if outputs.shape[-1] == 1:
            return nn.functional.binary_cross_entropy_with_logits(outputs.squeeze(-1), y.to(outputs))
        return nn.functional.cross_entropy(outputs, y)

    return cross_entropy


def _score(outputs: Tensor, y: Tensor) -> float:
    """Accuracy for classes; for regression the negative squared error."""
    if y.is_floating_point():
        return -float(nn.functional.mse_loss(outputs.squeeze(-1), y))
    predicted = (outputs.squeeze(-1) > 0).long() if outputs.shape[-1] == 1 else outputs.argmax(-1)
    return float((predicted == y).double().mean())
