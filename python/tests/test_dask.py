"""A local Dask cluster of two processes: grids through joblib, one fit whose search is distributed over both."""

import numpy as np
import pytest
from program import ROOT

es = pytest.importorskip("einsicht")
distributed = pytest.importorskip("dask.distributed", reason="needs dask (pip install 'dask[distributed]')")
joblib = pytest.importorskip("joblib")

import einsicht.dask
from sklearn.model_selection import GridSearchCV, cross_val_score

OPTIONS = {"sizes": (1, 3, 6), "max_edges": 4, "threads": 1}


@pytest.fixture(scope="module")
def mutag():
    graphs = es.GraphSet.from_tu(ROOT / "testdata/sets/MUTAG")
    return graphs, np.asarray(graphs.y)


@pytest.mark.parametrize("min_support", [None, 3])
def test_a_fit_distributed_over_workers_gives_the_model_of_one_process(client, mutag, min_support):
    graphs, y = mutag
    # Every pass of every fold asks both workers: a few passes are enough.
    options = {**OPTIONS, "sizes": (1, 3), "max_edges": 3, "min_support": min_support}
    alone = es.EINClassifier(**options).fit(graphs, y)
    fitted = einsicht.dask.fit(es.EINClassifier(**options), graphs, y, client=client)
    assert fitted.model_.to_bytes() == alone.model_.to_bytes()
    assert len(fitted.partitions_) == 2
    assert {part["worker"] for part in fitted.partitions_} == set(client.scheduler_info()["workers"])
    assert all(part["visited"] > 0 for part in fitted.partitions_), fitted.partitions_
    kept = client.run(lambda dask_worker: len(dask_worker.__dict__.get("_einsicht_partitions", {})))
    assert set(kept.values()) == {0}, "the trees are freed"


def test_workers_search_over_validation_graphs_too_where_the_model_is_fitted_on_them(client, mutag):
    graphs, y = mutag
    held_out = {"eval_set": (graphs[140:], y[140:])}
    for options in ({}, {"folds": 3}, {"preset": "ein"}):
        small = {**OPTIONS, "sizes": (1, 3), "max_edges": 3, **options}
        alone = es.EINClassifier(**small).fit(graphs[:140], y[:140], **held_out)
        fitted = einsicht.dask.fit(es.EINClassifier(**small), graphs[:140], y[:140], client=client, **held_out)
        assert fitted.model_.to_bytes() == alone.model_.to_bytes(), options


def test_more_partitions_than_workers_change_nothing(client, mutag):
    graphs, y = mutag
    small = {**OPTIONS, "sizes": (2,)}
    alone = es.EINClassifier(**small).fit(graphs[:80], y[:80])
    fitted = einsicht.dask.fit(es.EINClassifier(**small), graphs[:80], y[:80], client=client, partitions=5)
    assert fitted.model_.to_bytes() == alone.model_.to_bytes()
    assert len(fitted.partitions_) == 5


def test_grids_and_cross_validation_run_on_the_cluster(client, mutag):
    graphs, y = mutag
    graphs, y = graphs[:100], y[:100]

    def grid():
        search = GridSearchCV(es.EINClassifier(**OPTIONS), {"max_edges": [2, 3]}, cv=2)
        return search.fit(graphs, y), cross_val_score(es.EINClassifier(**OPTIONS), graphs, y, cv=2)

    serial, scores = grid()
    with distributed.get_task_stream(client) as tasks, joblib.parallel_config(backend="dask", wait_for_workers_timeout=30):
        parallel, parallel_scores = grid()
    assert len({task["worker"] for task in tasks.data}) == 2, "both workers had something to do"
    assert parallel.best_params_ == serial.best_params_
    for name in ("mean_test_score", "std_test_score", "rank_test_score"):
        assert (parallel.cv_results_[name] == serial.cv_results_[name]).all()
    assert (parallel_scores == scores).all()
    assert parallel.best_estimator_.model_.to_bytes() == serial.best_estimator_.model_.to_bytes()


def test_what_fails_on_a_worker_is_raised_here(client, mutag, monkeypatch):
    graphs, y = mutag
    monkeypatch.setattr(einsicht.dask, "_answer", _broken)
    with pytest.raises(ZeroDivisionError, match="a worker is broken"):
        einsicht.dask.fit(es.EINClassifier(**OPTIONS), graphs[:40], y[:40], client=client)
    with pytest.raises(ValueError, match="partitions must be at least 1, got 0"):
        einsicht.dask.fit(es.EINClassifier(**OPTIONS), graphs[:40], y[:40], client=client, partitions=0)


def _broken(*arguments):
    raise ZeroDivisionError("a worker is broken")


def test_experiments_and_resamples_run_on_the_cluster(client, mutag):
    graphs, y = mutag
    model = es.EINClassifier(**{**OPTIONS, "max_edges": 2})
    splits = [(range(0, 100), range(100, 140), range(140, 188)), (range(88, 188), range(44, 88), range(0, 44))]
    alone = es.experiment(model, graphs, y, splits), es.stability(model, graphs, y, bootstrap=4)
    with joblib.parallel_config(backend="dask"):
        parallel = es.experiment(model, graphs, y, splits, n_jobs=2), es.stability(model, graphs, y, bootstrap=4, n_jobs=2)
    assert parallel[0].results == alone[0].results
    assert [one.frequency for one in parallel[1]] == [one.frequency for one in alone[1]]
