"""A local Dask cluster whose workers hold shards of the graphs: the model of one machine, also when a worker dies."""

import os

import numpy as np
import pytest

es = pytest.importorskip("einsicht")
pytest.importorskip("dask.distributed", reason="needs dask (pip install 'dask[distributed]')")

import einsicht.dask

OPTIONS = {"preset": "ein", "hidden": 2, "sizes": (2,), "max_edges": 2, "max_iterations": 3, "threads": 1}
BLOCK = 4096


@pytest.fixture(scope="module")
def many():
    """A few small molecules again and again: a little more than four blocks of sums."""
    random = np.random.default_rng(0)
    smiles = random.choice(
        ["CCO", "CCN", "CC(=O)O", "c1ccccc1O", "CCCl", "CC(C)N", "CCS", "OCCO", "CC=O", "NC(=O)C"], 4 * BLOCK + 200
    )
    noise = random.random(len(smiles)) < 0.1
    return es.GraphSet.from_smiles(smiles.tolist()), np.char.count(smiles, "O").astype(bool) ^ noise


def test_shards_give_the_model_of_one_process_and_a_worker_that_dies_is_replaced(client, many, monkeypatch, tmp_path):
    graphs, y = many
    held_out = {"eval_set": (graphs[:100], y[:100])}
    alone = es.EINClassifier(**OPTIONS).fit(graphs, y, **held_out).model_.to_bytes()
    for shards in (1, 2, 5):
        fitted = einsicht.dask.fit(
            es.EINClassifier(**OPTIONS), graphs, y, client=client, shards=shards, folder=tmp_path, **held_out
        )
        assert fitted.model_.to_bytes() == alone, shards
        assert len(fitted.shards_) == shards and all(part["reloaded"] == 0 for part in fitted.shards_)
    assert {part["worker"] for part in fitted.shards_} == set(client.scheduler_info()["workers"])
    kept = client.run(lambda dask_worker: len(dask_worker.__dict__.get("_einsicht_shards", {})))
    assert set(kept.values()) == {0} and not list(tmp_path.iterdir()), "the shards are freed, and so are their files"

    # Now one of the two dies in the middle of a pass.
    ask = einsicht.dask._Sharded.ask
    asked = []

    def ask_and_kill(self, requests, fold):
        asked.append(fold)
        if len(asked) == 9:
            client.submit(os._exit, 1, workers=[self.worker_of[1]], pure=False, retries=0)
        return ask(self, requests, fold)

    monkeypatch.setattr(einsicht.dask._Sharded, "ask", ask_and_kill)
    monkeypatch.setattr(einsicht.dask, "_INTERVAL", 0.2)
    fitted = einsicht.dask.fit(es.EINClassifier(**OPTIONS), graphs, y, client=client, shards=5, **held_out)
    assert fitted.model_.to_bytes() == alone
    assert sum(part["reloaded"] for part in fitted.shards_) > 0, fitted.shards_


def test_what_shards_cannot_do_is_refused(client, many):
    graphs, y = many
    few, of_few = graphs[:80], y[:80]
    folded = {"sizes": (1,), "max_edges": 2, "folds": 2, "trees": 3, "threads": 1}
    fit = lambda **options: einsicht.dask.fit(es.EINClassifier(**folded), few, of_few, client=client, **options)
    with pytest.raises(ValueError, match="shards must be at least 1, got 0"):
        fit(shards=0)
    several = es.EINClassifier(**folded, max_qualifiers=2)
    with pytest.raises(ValueError, match="max_qualifiers must be at most 1, got 2"):
        einsicht.dask.fit(several, few, of_few, client=client, shards=2)
    # Few graphs are one block, and one shard; folds have shards of their own.
    alone = es.EINClassifier(**folded).fit(few, of_few)
    fitted = fit(shards=3)
    assert fitted.model_.to_bytes() == alone.model_.to_bytes() and len(fitted.shards_) == 1
