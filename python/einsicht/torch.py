"""Exactly matched subgraphs as a layer of any PyTorch network.

    layer = SubgraphLayer(graphs, hidden=10, size=25, max_edges=6)
    layer(torch.arange(len(graphs)))            # sigmoid(b + sum of beta times presence), one row per graph
    layer.hard_threshold_step_(loss_of_h)       # exact search, then the best step on beta that lowers the loss
    fit_ein_gnn(module, layer, data, y)         # both, beside any PyTorch Geometric model

The search and the step are those of the library, bit for bit; PyTorch supplies the loss and its gradient.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from einsicht import _core
from einsicht._data.checks import warn
from einsicht._data.convert import as_graph_set
from einsicht._data.graph_set import GraphSet
from einsicht._data.reading import of_graphs
from einsicht._training.prepare import qualifiers_of

__all__ = ["Candidate", "SearchResult", "SlotPattern", "StepResult", "SubgraphLayer", "fit_ein_gnn"]


@dataclass(frozen=True)
class Candidate:
    """A subgraph that may enter: its code, the gradient of the loss by its weights, and the score."""

    code: tuple[tuple[int, ...], ...]
    gradient: np.ndarray
    score: float


@dataclass(frozen=True)
class SearchResult:
    """Result of a search: candidates, best first, the threshold that they reach, the number of subgraphs visited, and
    how many branches of the search were skipped, by reason."""

    candidates: list[Candidate]
    threshold: float
    visited: int
    skipped: dict[str, int]


@dataclass(frozen=True)
class StepResult:
    """Result of a step: its size (None if the line search failed), the number of active subgraphs, the losses; the
    counters of the search as in `SearchResult`."""

    step: float | None
    size: int
    loss_before: float
    loss: float
    visited: int
    skipped: dict[str, int]


@dataclass(frozen=True)
class SlotPattern:
    """The subgraph of a slot: vertices (label and qualifiers), edges with their labels, text, words, SMARTS, weights.
    """

    slot: int
    vertices: list[dict[str, Any]]
    edges: list[tuple[int, int, str]]
    text: str
    words: str
    smarts: str | None
    weights: np.ndarray


class SubgraphLayer(nn.Module):
    """``sigmoid(b + sum over subgraphs of beta_H psi_H(G))`` for graphs ``G``, at most `size` subgraphs ``H``.

    graphs : training graphs; subgraphs are searched among all that they contain. A `GraphSet`, or a list of SMILES or
        graphs.
    hidden : number of hidden units.
    size : number of slots. The parameters never change their shape; an empty slot has weight zero and value zero.
    max_edges, min_support, feature ("presence", "count" or "mni"), min_edges, qualifiers, max_qualifiers : as in
    `EINClassifier`;
        None is the default of preset "ein".
    reduction : "mean" or "sum": whether the loss is a mean or a sum over the graphs.
    max_step, weight_decay : first step size of the line search, and weight decay, both for a loss that is a mean.
    threads : number of threads of the search. The result is the same for any number.
    """

    codes: Tensor
    values: Tensor

    def __init__(
        self,
        graphs: Any,
        hidden: int = 10,
        size: int = 25,
        max_edges: int = 6,
        *,
        min_support: int = 1,
        feature: str = "presence",
        min_edges: int | None = None,
        qualifiers: Any = None,
        max_qualifiers: int | None = None,
        reduction: str = "mean",
        max_step: float = 25.0,
        weight_decay: float = 0.0,
        threads: int | None = None,
        device: Any = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        for name, number in [("hidden", hidden), ("size", size), ("max_edges", max_edges)]:
            if number < 1:
                raise ValueError(f"{name} must be at least 1, got {number}")
        if reduction not in ("mean", "sum"):
            raise ValueError(f'reduction must be "mean" or "sum", got {reduction!r}')
        self.graphs = _all_readable(as_graph_set(graphs))
        self.hidden, self.size, self.max_edges, self.reduction = hidden, size, max_edges, reduction
        params = {
            "max_edges": max_edges,
            "min_support": min_support,
            "feature": feature,
            "min_edges": min_edges,
            "qualifiers": qualifiers_of(qualifiers),
            "max_qualifiers": max_qualifiers,
            "max_step": max_step,
            "weight_decay": weight_decay,
        }
        self._params = {name: value for name, value in params.items() if value is not None}
        self._threads = threads
        self._search: _core.Layer | None = None
        rows = self._native.code_length()  # parameters are checked now, not at the first search
        self.weight = nn.Parameter(torch.zeros(size, hidden, device=device, dtype=dtype))
        # Drawn on the CPU for any device, so that a seed gives the same weights everywhere.
        start = nn.init.uniform_(torch.empty(hidden, device="cpu", dtype=dtype), -(hidden**-0.5), hidden**-0.5)
        self.bias = nn.Parameter(start.to(self.weight.device))
        self.register_buffer("codes", torch.full((size, rows, 5), -1, dtype=torch.int64, device=device))
        values = torch.zeros(len(self.graphs), size, device=device, dtype=self.weight.dtype)
        self.register_buffer("values", values, persistent=False)

    @property
    def _native(self) -> _core.Layer:
        if self._search is None:
            self._search = _core.Layer(self.graphs._core, json.dumps(self._params), self._threads)
        return self._search

    # Forward.

    def psi(self, graphs: Any = None) -> Tensor:
        """The value of each slot's subgraph in each graph; graphs as in `forward`."""
        if graphs is None:
            return self.values
        if isinstance(graphs, Tensor) or (isinstance(graphs, np.ndarray) and np.issubdtype(graphs.dtype, np.integer)):
            indices = torch.as_tensor(graphs, device=self.values.device)
            if indices.is_floating_point() or indices.is_complex() or indices.ndim != 1:
                raise TypeError("a batch must be a one-dimensional tensor of indices of training graphs, or graphs")
            count = len(self.values)
            if len(indices) and not (
                indices.dtype == torch.bool or 0 <= int(indices.min()) <= int(indices.max()) < count
            ):
                raise IndexError(f"there are {count} training graphs: indices must be from 0 to {count - 1}")
            return self.values[indices]
        found = _all_readable(as_graph_set(graphs, of_graphs(self.graphs._core)))
        unknown = _unknown_labels(found, self.graphs)
        if unknown:
            warn(f"graphs have labels that no graph of the layer has: {', '.join(unknown)}")
        return self._match(found)

    def h(self, graphs: Any = None) -> Tensor:
        """``b + sum of beta_H psi_H(G)``, before the sigmoid; graphs as in `forward`."""
        return self.psi(graphs) @ self.weight + self.bias

    def forward(self, graphs: Any = None) -> Tensor:
        """One row per graph. `graphs` are indices of training graphs (a tensor of integers), or graphs that may be new
        (a `GraphSet`, or a list of SMILES or graphs); by default all training graphs."""
        return torch.sigmoid(self.h(graphs))

    def _match(self, graphs: Any) -> Tensor:
        values = torch.zeros(len(graphs), self.size, dtype=self.weight.dtype)
        slots = self._filled()
        # Without subgraphs too: graphs that were read another way are refused.
        found = self._native.match_in(graphs._core, [self._code(slot) for slot in slots])
        if slots:
            values[:, slots] = torch.from_numpy(found).to(values)
        return values.to(self.weight.device)

    # Slots.

    def _filled(self) -> list[int]:
        return torch.nonzero(self.codes[:, 0, 0] >= 0).flatten().tolist()

    def _code(self, slot: int) -> list[list[int]]:
        tuples = self.codes[slot].tolist()
        return [one for one in tuples if one[0] >= 0]

    def _active(self) -> list[tuple[int, tuple[list[list[int]], list[float]]]]:
        weights = self.weight.detach().to("cpu", torch.float64).tolist()
        slots = [slot for slot in self._filled() if any(weights[slot])]
        return [(slot, (self._code(slot), weights[slot])) for slot in slots]

    @property
    def patterns(self) -> list[SlotPattern]:
        """The subgraphs in use: those whose weights are not all zero."""
        return [self._pattern(slot, code, weights) for slot, (code, weights) in self._active()]

    def _pattern(self, slot: int, code: Any, weights: list[float]) -> SlotPattern:
        named = json.loads(self._native.pattern(code))
        named["edges"] = [tuple(edge) for edge in named["edges"]]
        return SlotPattern(slot=slot, weights=np.array(weights), **named)

    @torch.no_grad()
    def _fill(self, patterns: list[tuple[Any, list[float]]]) -> None:
        """Puts patterns into slots: those that stay keep theirs, so that an optimiser's moments stay with them."""
        where = {_key(self._code(slot)): slot for slot in self._filled()}
        wanted = {_key(code): (code, weights) for code, weights in patterns}
        self.weight.zero_()
        for key, slot in where.items():
            if key not in wanted:
                self.codes[slot] = -1
                self.values[:, slot] = 0
        free = iter(slot for slot in range(self.size) if self.codes[slot, 0, 0] < 0)
        new = [(key, next(free)) for key in wanted if key not in where]
        if new:
            columns = self._native.columns([wanted[key][0] for key, _ in new])
            self.values[:, [slot for _, slot in new]] = torch.from_numpy(columns).to(self.values)
        for key, slot in new:
            code = torch.tensor(wanted[key][0], dtype=torch.int64)
            self.codes[slot, : len(code)] = code.to(self.codes.device)
            where[key] = slot
        for key, (_, weights) in wanted.items():
            self.weight[where[key]] = torch.tensor(weights, dtype=torch.float64).to(self.weight)

    # Search and step.

    def search_(self, grad_h: Tensor, size: int | None = None, *, fill: bool = False) -> SearchResult:
        """The exact search: all subgraphs that can be among the `size` best after a step, given ``d loss / d h`` (one
        row per training graph). With `fill` the best take the unused slots, with weight zero, so that an optimiser can
        continue from there."""
        size = self._checked(size)
        active = self._active()
        delta = self._delta(grad_h)
        is_mean = self.reduction == "mean"
        found, _, threshold, (visited, skipped) = self._native.search(delta, [a for _, a in active], size, is_mean)
        candidates = [Candidate(_key(code), np.array(gradient), score) for code, gradient, score in found]
        if fill:
            nothing = [0.0] * self.hidden
            room = self.size - len(active)
            self._fill([a for _, a in active] + [([list(edge) for edge in c.code], nothing) for c in candidates[:room]])
        return SearchResult(candidates, threshold, visited, skipped)

    def hard_threshold_step_(self, loss_closure: Callable[[Tensor], Tensor], size: int | None = None) -> StepResult:
        """One hard-thresholding step over all subgraphs: a gradient step, of which the `size` largest weights are kept.

        `loss_closure` gives the loss where ``h`` of all training graphs (before the sigmoid, one row per graph) is the
        tensor that it gets. It is called once with its gradient and then for each step size of the line search: compute
        what does not depend on ``h`` before. If no step size satisfies the Armijo condition, nothing changes."""
        size = self._checked(size)
        with torch.enable_grad():
            h = self.h().detach().requires_grad_()
            loss = loss_closure(h)
            (gradient,) = torch.autograd.grad(loss, h)
        before = last = float(loss.detach())
        bias = self.bias.detach()

        def loss_of_sums(sums: np.ndarray) -> float:
            nonlocal last
            with torch.no_grad():
                last = float(loss_closure(torch.from_numpy(sums).to(bias) + bias))
            return last

        active = [a for _, a in self._active()]
        is_mean = self.reduction == "mean"
        answer = self._native.step(self._delta(gradient), active, size, is_mean, before, loss_of_sums)
        step, patterns, (visited, skipped) = answer
        if step is not None:
            self._fill(patterns)
        return StepResult(step, len(patterns), before, before if step is None else last, visited, skipped)

    def _checked(self, size: int | None) -> int:
        size = self.size if size is None else size
        if not 1 <= size <= self.size:
            raise ValueError(f"size must be from 1 to the number of slots, {self.size}, got {size}")
        return size

    def _delta(self, grad_h: Tensor) -> np.ndarray:
        if tuple(grad_h.shape) != (len(self.graphs), self.hidden):
            wanted = f"({len(self.graphs)}, {self.hidden})"
            raise ValueError(
                f"grad_h must have the shape {wanted}, one row per training graph, got {tuple(grad_h.shape)}"
            )
        return np.ascontiguousarray(grad_h.detach().to("cpu", torch.float64).numpy())

    # Saving and copying.

    def get_extra_state(self) -> dict[str, Any]:
        return json.loads(self._native.tokens())

    def set_extra_state(self, state: dict[str, Any]) -> None:
        """What is read, labels and qualifiers are compared before anything is loaded."""

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        metadata: Any,
        strict: Any,
        missing: Any,
        unexpected: Any,
        errors: list[str],
    ) -> None:
        if state_dict.get(prefix + "_extra_state", self.get_extra_state()) != self.get_extra_state():
            errors.append(
                "a saved layer must be loaded into one that reads the same of subgraphs (feature) and whose graphs have"
                " the same labels and qualifiers, but they differ"
            )
            return
        before = len(errors)
        super()._load_from_state_dict(state_dict, prefix, metadata, strict, missing, unexpected, errors)
        if len(errors) == before:
            with torch.no_grad():
                self.values.copy_(self._match(self.graphs))

    def __getstate__(self) -> dict[str, Any]:
        # The tree is recomputed when it is needed.
        return {**self.__dict__, "_search": None}

    def extra_repr(self) -> str:
        return f"{len(self.graphs)} graphs, hidden={self.hidden}, size={self.size}, max_edges={self.max_edges}"


def _all_readable(graphs: GraphSet) -> GraphSet:
    """The graphs, if all of them could be read."""
    missing = graphs._core.missing()
    if missing:
        raise ValueError(
            f"graph {missing[0]} could not be read, and {len(missing)} in all: leave them out, as in"
            " graphs[~graphs.missing]"
        )
    return graphs


def _unknown_labels(graphs: GraphSet, known: GraphSet) -> list[str]:
    """The labels of vertices and of edges that no known graph has."""
    pairs = [(graphs.vertex_labels, known.vertex_labels), (graphs.edge_labels, known.edge_labels)]
    return [name or "no label" for ours, theirs in pairs for token, name in ours.items() if token not in theirs]


def _key(code: Any) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(edge) for edge in code)


from einsicht._training.joint_fit import fit_ein_gnn  # noqa: E402  (it needs the layer)
