"""What a notebook shows of a fitted model, of the explanation of one graph, and of a path: HTML without scripts, from
numbers that Rust computed.
"""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from einsicht._data.classes import turned

if TYPE_CHECKING:
    from einsicht._explanation.attributions import Explanation

#: Number of subgraphs that a model card shows.
SHOWN = 12
#: Number of reasons that the explanation of a graph shows one by one.
REASONS = 8

SOFT = "opacity:.7"
UP, DOWN = "#c2571a", "#2c6fb3"


def signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "\N{MINUS SIGN}")


def amount(value: float) -> str:
    return f"<b style='color:{UP if value > 0 else DOWN}'>{signed(value)}</b>"


def bar(low: float, high: float, value: float, start: float = 0.0) -> str:
    """A bar from `start` by `value`, in a box that goes from `low` to `high`."""
    wide = (high - low) or 1.0
    left, size = (min(start, start + value) - low) / wide, abs(value) / wide
    inside = f"left:{100 * left:.1f}%;width:{max(100 * size, 0.5):.1f}%;background:{UP if value > 0 else DOWN}"
    return (
        "<span style='display:inline-block;position:relative;width:160px;height:10px;background:#8882'"
        f" aria-hidden='true'><span style='position:absolute;top:0;height:10px;{inside}'></span></span>"
    )


def card(estimator: Any) -> str:
    """A fitted estimator: what it predicts, how well, and its subgraphs, the largest effects first, near-copies of
    stronger ones last.
    """
    entry = estimator._entry if estimator._entry is not None else estimator.model_.chosen
    patterns = estimator.patterns_
    effects = (
        json.loads(estimator.model_.known_effects(turned(estimator._classes)))
        if entry == estimator.model_.chosen
        else None
    )
    order, strength = _by_effect(patterns, effects)
    amounts = {at for at, effect in enumerate(effects["patterns"]) if effect.get("by_amount")} if effects else set()
    figures = "".join(_figure(patterns[at], strength.get(at), at in amounts) for at in order[:SHOWN])
    rest = len(patterns) - SHOWN
    more = f"<div style='align-self:center;{SOFT}'>... {rest} more</div>" if rest > 0 else ""
    what = html.escape(
        ", ".join(str(name) for name in estimator.tasks_[:3]) + (", ..." if len(estimator.tasks_) > 3 else "")
    )
    count = f"{len(patterns)} {'subgraph' if len(patterns) == 1 else 'subgraphs'}"
    lines = [
        f"<b>{type(estimator).__name__}</b>: predicts {what} from {count} (size {entry + 1} of {len(estimator.path_)}"
        " of the path)"
    ]
    lines.append(f"<span style='{SOFT}'>{html.escape(_how_well(estimator, entry))}</span>")
    if strength:
        lines.append(
            f"<span style='{SOFT}'>effects on {html.escape(effects['quantities'][0]['name'])}, with 95 %"
            " intervals</span>"
        )
    return (
        f"<div>{'<br>'.join(lines)}<div"
        f" style='display:flex;flex-wrap:wrap;gap:16px;margin-top:6px'>{figures}{more}</div></div>"
    )


def _how_well(estimator: Any, entry: int) -> str:
    estimate = estimator.estimate_
    if estimate:
        targets = len(estimator.tasks_)
        over = f", means over {targets} targets" if targets > 1 else ""
        return f"expected for new graphs{over}: " + ", ".join(
            f"{name} {one.value:.3f} (95 % interval {one.low:.3f} to {one.high:.3f})" for name, one in estimate.items()
        )
    held_out = ", ".join(f"{name} {value:.3f}" for name, value in sorted(estimator.path_[entry]["valid"].items()))
    return f"held-out graphs: {held_out}"


def _by_effect(patterns: list[Any], effects: Any) -> tuple[list[int], dict[int, tuple[float, list[float] | None]]]:
    """The subgraphs by the size of their effects on the first output, or by their support, and the effects with their
    intervals.
    """
    if effects is None or len(effects["quantities"]) == 0:
        return sorted(range(len(patterns)), key=lambda at: -patterns[at].support), {}
    strength = {}
    for at, effect in enumerate(effects["patterns"]):
        if effect["values"]:
            strength[at] = (effect["values"][0], effect["intervals"][0] if effect["intervals"] else None)
    # Effects of a few graphs have no interval and come last.
    key = lambda at: (
        at not in strength,
        at in strength and strength[at][1] is None,
        -abs(strength.get(at, (0.0,))[0]),
    )  # noqa: E731
    return _copies_last(sorted(range(len(patterns)), key=key), effects.get("near_copies", [])), strength


def _copies_last(order: list[int], copies: list[list[int]]) -> list[int]:
    """The same order, with near-copies of earlier ones at its end."""
    pairs = {(a, b) for pair in copies for a, b in (pair, pair[::-1])}
    different: list[int] = []
    for at in order:
        if not any((at, other) in pairs for other in different):
            different.append(at)
    return different + [at for at in order if at not in different]


def _figure(pattern: Any, effect: tuple[float, list[float] | None] | None, is_by_amount: bool) -> str:
    said = ""
    if effect is not None:
        ends = effect[1]
        interval = f" <span style='{SOFT}'>{signed(ends[0])} to {signed(ends[1])}</span>" if ends else ""
        said = f"<br>{amount(effect[0])}{interval}"
    more = "more " if is_by_amount else ""
    caption = f"{more}{html.escape(str(pattern))}{said}<br><span style='{SOFT}'>in {pattern.support} graphs</span>"
    return (
        f"<figure style='margin:0;text-align:center'>{pattern._repr_svg_()}<figcaption>{caption}</figcaption></figure>"
    )


class GraphExplanation:
    """Why the model predicts what it predicts for one graph: a heat map and the largest reasons, from the base to the
    output. A notebook draws it.

    quantity : the name of the explained output.
    base, output : the mean output of the baseline, and the output for the graph.
    reasons : name and value of each reason, the largest first; "absence of ..." where the graph lacks a subgraph.
    """

    def __init__(self, explanation: Explanation, i: int, quantity: int) -> None:
        self._explanation, self._i, self._q = explanation, i, quantity
        self.id: str = explanation.graphs[i].id
        self.quantity = explanation.quantities[quantity]
        self.base, self.output = (float(list_[i, quantity]) for list_ in (explanation.base, explanation.output))
        values, counts = explanation.values[i, :, quantity], explanation.data[i]
        order = [int(at) for at in np.argsort(-np.abs(values), kind="stable") if values[at] != 0]
        name = lambda at: (
            f"absence of {explanation.names[at]}" if counts[at] == 0 else explanation.names[at]
        )  # noqa: E731
        self.reasons: list[tuple[str, float]] = [(name(at), float(values[at])) for at in order]

    def __str__(self) -> str:
        lines = [f"graph {self.id}: {self.quantity} {self.output:.3f}, base {self.base:.3f}"]
        lines += [f"{value:+.3f}  {name}" for name, value in self.reasons[:REASONS]]
        rest = self.reasons[REASONS:]
        if rest:
            lines.append(f"{sum(value for _, value in rest):+.3f}  {len(rest)} smaller ones")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        shown, rest = self.reasons[:REASONS], self.reasons[REASONS:]
        if rest:
            shown = [*shown, (f"{len(rest)} smaller ones", sum(value for _, value in rest))]
        levels = np.cumsum([self.base] + [value for _, value in shown])
        low, high = float(levels.min()), float(levels.max())
        cell = "style='padding:1px 8px;text-align:left'"
        rows = "".join(
            f"<tr><td {cell}>{html.escape(name)}</td><td>{bar(low, high, value, float(start))}</td><td"
            f" {cell}>{amount(value)}</td></tr>"
            for (name, value), start in zip(shown, levels[:-1], strict=True)
        )
        ends = [
            f"<tr><td {cell}>{name}</td><td></td><td {cell}>{value:.3f}</td></tr>"
            for name, value in (("base", self.base), ("output", self.output))
        ]
        drawing = self._explanation.draw(self._i, self._q)
        table = f"<table><tbody>{ends[0]}{rows}{ends[1]}</tbody></table>"
        return (
            f"<div><b>{html.escape(self.id)}</b>: {html.escape(self.quantity)}"
            f" {self.output:.3f}<br>{drawing}{table}</div>"
        )


class ModelPath(list[dict[str, Any]]):
    """The path: one model per size, each a dict as ``einsicht train --json`` has it. A notebook shows a table."""

    chosen: int = 0

    def __init__(self, entries: list[dict[str, Any]], chosen: int) -> None:
        super().__init__(entries)
        self.chosen = chosen

    def _repr_html_(self) -> str:
        names = sorted({name for entry in self for name in entry["valid"]})
        head = "".join(f"<th>{html.escape(name)}</th>" for name in ["size", "subgraphs", *names])
        rows = ""
        for at, entry in enumerate(self):
            cells = [str(entry["size"]), str(entry["patterns"])]
            cells += [f"{entry['valid'][name]:.3f}" if name in entry["valid"] else "" for name in names]
            style = " style='font-weight:bold'" if at == self.chosen else ""
            rows += f"<tr{style}>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
        return (
            f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table><div style='{SOFT}'>held-out metrics;"
            " the chosen size in bold</div>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return ModelPath, (list(self), self.chosen)
