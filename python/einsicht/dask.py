"""One large fit whose search is distributed over the workers of a Dask cluster.

    from dask.distributed import Client
    import einsicht.dask
    einsicht.dask.fit(EINClassifier(max_edges=8), graphs, y, client=Client("scheduler:8786"))

Every worker gets the graphs once and grows its own partition of the tree of subgraphs; in each pass only the gradient of the loss,
the threshold and the candidates are sent. The model is that of a plain `fit`, byte for byte. The folds that choose its size are
distributed in the same way, one after the other, each with trees of its own. For grids, cross-validation and
other work of many fits use joblib: ``with joblib.parallel_config(backend="dask"): ...``.

Where the subgraphs of all graphs do not fit into the memory of one worker, give each a shard of the graphs instead:

    einsicht.dask.fit(EINClassifier(max_edges=6), graphs, y, client=client, shards=64, folder="/shared/folder")

Every worker then mines only its own graphs; the model is the same, byte for byte.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import uuid
from pathlib import Path
from typing import Any

__all__ = ["fit"]


def fit(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    client: Any = None,
    partitions: int | None = None,
    shards: int | None = None,
    folder: Any = None,
    **options: Any,
) -> Any:
    """Fit an estimator of this package on a Dask cluster.

    client : a `dask.distributed.Client`; by default the current one.
    partitions : number of partitions of the tree, by default one per worker. Partitions go to the workers in turn.
    shards : number of shards of the graphs, instead of partitions of the tree: each worker mines its own graphs only. A shard has a multiple
        of 4096 graphs (the last one what is left), so there may be fewer than asked for. At most one qualifier per subgraph.
    folder : where the shards are written for the workers, who must all see it; by default a new one among the temporary files of this machine.
    options : as for the estimator's own `fit`.

    Afterwards ``estimator.partitions_`` has for each partition its worker and the number of subgraphs visited; for each shard its worker, the
    number of requests that it answered, and how often another worker had to load it because its own was lost.
    """
    if partitions is not None and shards is not None:
        raise ValueError("give either partitions of the tree or shards of the graphs, not both")
    if folder is not None and shards is None:
        raise ValueError("a folder is for shards of the graphs, but the number of shards is not given")
    if client is None:
        from dask.distributed import get_client

        client = get_client()
    search = _Distributed(client, partitions) if shards is None else _Sharded(client, shards, folder)
    estimator._distributed = search
    try:
        estimator.fit(X, y, **options)
    finally:
        del estimator._distributed
        search.close()
    estimator.partitions_ = search.report()
    return estimator


def _workers(client: Any) -> list[str]:
    # Not `scheduler_info`: the client itself refreshes that in the background, without the workers.
    workers = sorted(client.nthreads())
    if not workers:
        raise ValueError("the cluster must have at least one worker, but has none")
    return workers


class _Distributed:
    """Transport of requests to the workers and of their replies."""

    #: The workers have partitions of the tree, not shards of the graphs.
    shards: int | None = None

    def __init__(self, client: Any, partitions: int | None) -> None:
        self.client = client
        self.workers = _workers(client)
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


#: Seconds between two looks at who is still alive, while replies are awaited.
_INTERVAL = 2.0


class _Sharded:
    """Transport of requests to the workers that hold shards of the graphs.

    A shard is a file that any worker can load. A request goes to the worker that holds the shard; if that one is gone, another loads the file and
    answers in its place. It does not know the pass that was going on, says so in its reply, and the search begins that pass again.
    """

    def __init__(self, client: Any, shards: int, folder: Any) -> None:
        if shards < 1:
            raise ValueError(f"shards must be at least 1, got {shards}")
        self.client = client
        self.shards: int | None = shards
        self.token = uuid.uuid4().hex
        parent = Path(tempfile.gettempdir()) if folder is None else Path(folder)
        self.folder = parent / f"einsicht-shards-{self.token}"
        self.prepared: Any = None
        self.threads: int | None = None
        #: The fold (None: the training that makes the model) whose shards are written, once there are any.
        self.written: tuple[int | None] | None = None
        self.worker_of: list[str] = []
        self.answered: list[int] = []
        self.reloaded: list[int] = []

    def open(self, prepared: Any, threads: int | None) -> Any:
        """Returns the function that sends requests."""
        self.prepared, self.threads = prepared, threads
        self.folder.mkdir(parents=True)
        return self.ask

    def _write(self, fold: int | None) -> None:
        """Writes the shards of a fold, or of the training that makes the model."""
        from einsicht import _core

        sources = _core.shards(*self.prepared.arguments(), count=self.shards, fold=fold, num_train=self.prepared.num_train)
        for index, source in enumerate(sources):
            self._path(index, fold).write_bytes(source)
        workers = _workers(self.client)
        while len(self.worker_of) < len(sources):
            self.worker_of.append(workers[len(self.worker_of) % len(workers)])
            self.answered.append(0)
            self.reloaded.append(0)
        self.written = (fold,)

    def _path(self, index: int, fold: int | None) -> Path:
        return self.folder / f"{'model' if fold is None else fold}-{index}.shard"

    def _submit(self, index: int, fold: int | None, request: bytes, alive: list[str]) -> Any:
        if self.worker_of[index] not in alive:
            self.worker_of[index] = alive[index % len(alive)]
            self.reloaded[index] += 1
        # On that worker and no other: one that does not hold the shard does not know the pass.
        return self.client.submit(
            _answer_shard, self.token, index, str(self._path(index, fold)), self.threads, request, workers=[self.worker_of[index]], pure=False
        )

    def ask(self, requests: list[bytes], fold: int | None) -> list[bytes]:
        """One request for each shard of a fold, or of the training that makes the model."""
        from dask.distributed import wait

        if self.written != (fold,):
            self._write(fold)
        alive = _workers(self.client)
        futures = [self._submit(index, fold, request, alive) for index, request in enumerate(requests)]
        while True:
            try:
                wait(futures, timeout=_INTERVAL)
                break
            except TimeoutError:
                alive = _workers(self.client)
                for index, future in enumerate(futures):
                    if not future.done() and self.worker_of[index] not in alive:
                        futures[index] = self._submit(index, fold, requests[index], alive)
        replies: list[bytes] = self.client.gather(futures)
        for index in range(len(replies)):
            self.answered[index] += 1
        return replies

    def report(self) -> list[dict[str, Any]]:
        """For each shard its worker, the number of requests that it answered, and how often it was loaded again."""
        shards = zip(self.worker_of, self.answered, self.reloaded, strict=True)
        return [{"worker": worker, "answered": answered, "reloaded": reloaded} for worker, answered, reloaded in shards]

    def close(self) -> None:
        """Frees the shards of all workers, and their files."""
        self.client.run(_free_shards, self.token)
        shutil.rmtree(self.folder, ignore_errors=True)


def _answer_shard(token: str, index: int, path: str, threads: int | None, request: bytes) -> bytes:
    """Runs on a worker: a shard is loaded at its first request and kept for the next, until another fold begins."""
    from dask.distributed import get_worker

    from einsicht import _core

    shards = get_worker().__dict__.setdefault("_einsicht_shards", {})
    of_path, shard = shards.get((token, index), (None, None))
    if of_path != path:
        shard = _core.Shard(Path(path).read_bytes(), threads=threads)
        shards[token, index] = path, shard
    reply: bytes = shard.answer(request)
    return reply


def _free_shards(token: str, dask_worker: Any = None) -> None:
    shards = dask_worker.__dict__.get("_einsicht_shards", {})
    for key in [key for key in shards if key[0] == token]:
        del shards[key]
