"""One large fit whose graphs are on the workers of a Dask cluster.

    from dask.distributed import Client
    import einsicht.dask
    einsicht.dask.fit(EINClassifier(max_edges=8), graphs, y, client=Client("scheduler:8786"), folder="/shared/folder")

Each worker gets a shard of the graphs and mines these alone; in each pass the gradient of the loss, the threshold and
the candidates are sent. The model is that of a plain `fit`, byte for byte. The folds that choose its size are
distributed in the same way, one after the other, each with shards of its own. For grids, cross-validation and other
work of many fits use joblib: ``with joblib.parallel_config(backend="dask"): ...``.
"""

from __future__ import annotations

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
    shards: int | None = None,
    folder: Any = None,
    **options: Any,
) -> Any:
    """Fit an estimator of this package on a Dask cluster.

    client : a `dask.distributed.Client`; by default the current one.
    shards : number of shards of the graphs, by default one per worker. A shard has a multiple of 4096 graphs (the last
        one has the rest), so there may be fewer shards than requested. At most one qualifier per subgraph.
    folder : where the shards are written for the workers, who must all see it; by default a new one among the temporary
        files of this machine.
    options : as for the estimator's own `fit`.

    Afterwards ``estimator.shards_`` has for each shard its worker, the number of requests that it answered, and how
    often another worker had to load it because its own was lost.
    """
    if client is None:
        from dask.distributed import get_client

        client = get_client()
    search = _Sharded(client, len(_workers(client)) if shards is None else shards, folder)
    estimator._distributed = search
    try:
        estimator.fit(X, y, **options)
    finally:
        del estimator._distributed
        search.close()
    estimator.shards_ = search.report()
    return estimator


def _workers(client: Any) -> list[str]:
    # Not `scheduler_info`: the client itself refreshes that in the background, without the workers.
    workers = sorted(client.nthreads())
    if not workers:
        raise ValueError("the cluster must have at least one worker, but has none")
    return workers


#: Seconds between two looks at who is still alive, while replies are awaited.
_INTERVAL = 2.0


class _Sharded:
    """Transport of requests to the workers that hold shards of the graphs.

    A shard is a file that any worker can load. A request goes to the worker that holds the shard; if that one is gone,
    another loads the file and answers in its place. It does not know the pass that was going on, says so in its reply,
    and the search begins that pass again.
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

        sources = _core.shards(
            *self.prepared.arguments(), count=self.shards, fold=fold, num_train=self.prepared.num_train
        )
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
            _answer_shard,
            self.token,
            index,
            str(self._path(index, fold)),
            self.threads,
            request,
            workers=[self.worker_of[index]],
            pure=False,
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
