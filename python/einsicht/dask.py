"""One large fit whose search is distributed over the workers of a Dask cluster.

    from dask.distributed import Client
    import einsicht.dask
    einsicht.dask.fit(EINClassifier(max_edges=8), graphs, y, client=Client("scheduler:8786"))

Every worker gets the graphs once and grows its own partition of the tree of subgraphs; in each pass only the gradient of the loss,
the threshold and the candidates are sent. The model is that of a plain `fit`, byte for byte. The folds that choose its size are
distributed in the same way, one after the other, each with trees of its own. For grids, cross-validation and
other work of many fits use joblib: ``with joblib.parallel_config(backend="dask"): ...``.
"""

from __future__ import annotations

import json
import uuid
from typing import Any

__all__ = ["fit"]


def fit(estimator: Any, X: Any, y: Any, *, client: Any = None, partitions: int | None = None, **options: Any) -> Any:
    """Fit an estimator of this package on a Dask cluster.

    client : a `dask.distributed.Client`; by default the current one.
    partitions : number of partitions of the tree, by default one per worker. Partitions go to the workers in turn.
    options : as for the estimator's own `fit`.

    Afterwards ``estimator.partitions_`` has for each partition its worker and the number of subgraphs visited.
    """
    if client is None:
        from dask.distributed import get_client

        client = get_client()
    search = _Distributed(client, partitions)
    estimator._distributed = search
    try:
        estimator.fit(X, y, **options)
    finally:
        del estimator._distributed
        search.close()
    estimator.partitions_ = search.report()
    return estimator


class _Distributed:
    """Transport of requests to the workers and of their replies."""

    def __init__(self, client: Any, partitions: int | None) -> None:
        self.client = client
        self.workers = sorted(client.scheduler_info(n_workers=-1)["workers"])
        if not self.workers:
            raise ValueError("the cluster must have at least one worker, but has none")
        self.count = len(self.workers) if partitions is None else partitions
        if self.count < 1:
            raise ValueError(f"partitions must be at least 1, got {partitions}")
        self.token = uuid.uuid4().hex
        self.visited = [0] * self.count
        self.worker_of: list[str] = [""] * self.count
        self.data: Any = None

    def open(self, prepared: Any, threads: int | None) -> Any:
        """Sends the graphs once; returns the function that sends requests."""
        # In a list: the elements of a tuple would be sent separately.
        (self.data,) = self.client.scatter([(prepared, threads)], broadcast=True, hash=False)
        return self.ask

    def ask(self, request: bytes, fold: int | None) -> list[bytes]:
        """One request to the workers of all partitions, from a fold or from the training that makes the model."""
        sent = self.client.scatter(request, broadcast=True, hash=False)
        futures = [
            self.client.submit(
                _answer,
                self.token,
                index,
                self.count,
                self.data,
                fold,
                sent,
                workers=[self.workers[index % len(self.workers)]],
                # Should a worker be lost, another one grows the partition again, with the same reply.
                allow_other_workers=True,
                pure=False,
            )
            for index in range(self.count)
        ]
        replies = self.client.gather(futures)
        for index, (worker, reply) in enumerate(replies):
            self.worker_of[index] = worker
            document = json.loads(reply)
            if isinstance(document, dict) and "stats" in document:
                self.visited[index] += document["stats"]["visited"]
        return [reply for _, reply in replies]

    def report(self) -> list[dict[str, Any]]:
        """For each partition its worker and the number of subgraphs visited."""
        return [{"worker": worker, "visited": visited} for worker, visited in zip(self.worker_of, self.visited, strict=True)]

    def close(self) -> None:
        """Frees the trees of all workers."""
        self.client.run(_free, self.token)


def _answer(token: str, index: int, count: int, data: Any, fold: int | None, request: bytes) -> tuple[str, bytes]:
    """Runs on a worker: the tree of a partition is built at its first request and kept for the next, until another fold begins."""
    from dask.distributed import get_worker

    from einsicht import _core

    worker = get_worker()
    partitions = worker.__dict__.setdefault("_einsicht_partitions", {})
    of_fold, partition = partitions.get((token, index), (None, None))
    if partition is None or of_fold != fold:
        prepared, threads = data
        partition = _core.Worker(
            *prepared.arguments(), index=index, count=count, fold=fold, num_train=prepared.num_train, threads=threads
        )
        partitions[token, index] = fold, partition
    return worker.address, partition.answer(request)


def _free(token: str, dask_worker: Any = None) -> None:
    partitions = dask_worker.__dict__.get("_einsicht_partitions", {})
    for key in [key for key in partitions if key[0] == token]:
        del partitions[key]
