"""Progress of a training: a bar if tqdm is installed, else lines on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Observer = Callable[[int, float | None, int, float, float | None, int, int], None]


@contextmanager
def progress(verbose: Any) -> Iterator[Observer | None]:
    """The function that gets the progress of each pass; None unless `verbose`."""
    if not verbose:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield lambda *values: print(_text(*values), file=sys.stderr)
        return
    with tqdm(unit=" passes", desc="training") as bar:

        def update(*values: Any) -> None:
            bar.set_postfix_str(_text(*values), refresh=False)
            bar.update()

        yield update


def _text(*values: Any) -> str:
    size, penalty, iteration, loss, valid_loss, subgraphs, visited = values
    point = f"size {size}" if penalty is None else f"lambda {penalty:.4f}"
    # Where folds have chosen the model, nothing is held out of the training that makes it.
    held_out = "" if valid_loss is None else f", validation loss {valid_loss:.4f}"
    return f"{point}, iteration {iteration}: loss {loss:.4f}{held_out}, {subgraphs} subgraphs, {visited} visited"
