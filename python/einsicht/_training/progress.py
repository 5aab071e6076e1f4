"""Progress of a training: a bar if tqdm is there, else lines on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Observer = Callable[[int, float | None, int, float, float, int, int], None]


@contextmanager
def progress(verbose: Any) -> Iterator[Observer | None]:
    """What hears of each pass; None if nobody wants to."""
    if not verbose:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield lambda *news: print(_text(*news), file=sys.stderr)
        return
    with tqdm(unit=" passes", desc="training") as bar:

        def told(*news: Any) -> None:
            bar.set_postfix_str(_text(*news), refresh=False)
            bar.update()

        yield told


def _text(
    size: int, price: float | None, iteration: int, loss: float, valid_loss: float, subgraphs: int, visited: int
) -> str:
    rung = f"size {size}" if price is None else f"lambda {price:.4f}"
    return f"{rung}, iteration {iteration}: loss {loss:.4f}, validation loss {valid_loss:.4f}, {subgraphs} subgraphs, {visited} looked at"
