"""Progress of a training: a bar if tqdm is installed, else lines on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Observer:
    """Gets the progress of the folds that choose a model, and then of each pass of the training that makes it."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show

    def on_fold(self, done: int, count: int) -> None:
        """One more fold is trained."""
        self._show(f"{done} of {count} folds")

    def __call__(
        self,
        size: int,
        penalty: float | None,
        iteration: int,
        loss: float,
        valid_loss: float | None,
        subgraphs: int,
        visited: int,
    ) -> None:
        """A pass is finished."""
        point = f"size {size}" if penalty is None else f"lambda {penalty:.4f}"
        # Where folds have chosen the model, nothing is held out of the training that makes it.
        held_out = "" if valid_loss is None else f", validation loss {valid_loss:.4f}"
        self._show(
            f"{point}, iteration {iteration}: loss {loss:.4f}{held_out}, {subgraphs} subgraphs, {visited} visited"
        )


@contextmanager
def progress(verbose: Any) -> Iterator[Observer | None]:
    """The function that gets the progress of each pass; None unless `verbose`."""
    if not verbose:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield Observer(lambda text: print(text, file=sys.stderr))
        return
    with tqdm(unit=" steps", desc="training") as bar:

        def update(text: str) -> None:
            bar.set_postfix_str(text, refresh=False)
            bar.update()

        yield Observer(update)
