"""One large fit whose search is spread over the workers of a Dask cluster.

    from dask.distributed import Client
    import einsicht.dask
    einsicht.dask.fit(EINClassifier(max_edges=8), graphs, y, client=Client("scheduler:8786"))

Every worker gets the graphs once and grows its own share of the tree of subgraphs; in each pass only the slopes of the loss,
the threshold and the candidates travel. The model is that of a plain `fit`, byte for byte. For grids, cross-validation and
other work of many fits use scikit-learn's own way: ``with joblib.parallel_config(backend="dask"): ...``.
"""

from __future__ import annotations

import json
import uuid
from typing import Any

__all__ = ["fit"]


def fit(estimator: Any, X: Any, y: Any, *, client: Any = None, shards: int | None = None, **options: Any) -> Any:
    """Fit an estimator of this package on a Dask cluster.

    client : a `dask.distributed.Client`; by default the current one.
    shards : shares of the tree, by default one a worker. Shares go to the workers in turn.
    options : as for the estimator's own `fit`.

    Afterwards ``estimator.shards_`` says for each share which worker held it and how many subgraphs were looked at there.
    """
    if client is None:
        from dask.distributed import get_client

        client = get_client()
    search = _Spread(client, shards)
    estimator._spread = search
    try:
        estimator.fit(X, y, **options)
    finally:
        del estimator._spread
        search.close()
    estimator.shards_ = search.report()
    return estimator


class _Spread:
    """Carries the questions of a fit to the workers, and their answers back."""

    def __init__(self, client: Any, shards: int | None) -> None:
        self.client = client
        self.workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
        if not self.workers:
            raise ValueError("the cluster must have at least one worker, but has none")
        self.of = len(self.workers) if shards is None else shards
        if self.of < 1:
            raise ValueError(f"shards must be at least 1, got {shards}")
        self.token = uuid.uuid4().hex
        self.visited = [0] * self.of
        self.held_by: list[str] = [""] * self.of
        self.data: Any = None

    def open(self, prepared: Any, threads: int | None) -> Any:
        """Sends the graphs once; gives the function that the fit asks."""
        # In a list, since a tuple would be sent piece by piece.
        (self.data,) = self.client.scatter([(prepared, threads)], broadcast=True, hash=False)
        return self.ask

    def ask(self, question: bytes) -> list[bytes]:
        """One question to all shards."""
        asked = self.client.scatter(question, broadcast=True, hash=False)
        futures = [
            self.client.submit(
                _answer,
                self.token,
                at,
                self.of,
                self.data,
                asked,
                workers=[self.workers[at % len(self.workers)]],
                # Should a worker be lost, another one grows the share anew: the answer is the same.
                allow_other_workers=True,
                pure=False,
            )
            for at in range(self.of)
        ]
        answers = self.client.gather(futures)
        for at, (worker, answer) in enumerate(answers):
            self.held_by[at] = worker
            told = json.loads(answer)
            if isinstance(told, dict) and "stats" in told:
                self.visited[at] += told["stats"]["visited"]
        return [answer for _, answer in answers]

    def report(self) -> list[dict[str, Any]]:
        """Which worker held each share, and how much it looked at."""
        return [{"worker": worker, "visited": visited} for worker, visited in zip(self.held_by, self.visited, strict=True)]

    def close(self) -> None:
        """Frees the trees of all workers."""
        self.client.run(_forget, self.token)


def _answer(token: str, at: int, of: int, data: Any, question: bytes) -> tuple[str, bytes]:
    """Runs on a worker: the share is made at its first question and kept for the next."""
    from dask.distributed import get_worker

    from einsicht import _core

    worker = get_worker()
    shards = worker.__dict__.setdefault("_einsicht_shards", {})
    if (token, at) not in shards:
        prepared, threads = data
        shards[token, at] = _core.Shard(
            *prepared.arguments(), at=at, of=of, num_train=prepared.num_train, threads=threads
        )
    return worker.address, shards[token, at].answer(question)


def _forget(token: str, dask_worker: Any = None) -> None:
    shards = dask_worker.__dict__.get("_einsicht_shards", {})
    for key in [key for key in shards if key[0] == token]:
        del shards[key]
