"""A local Dask cluster of two processes: grids through joblib, one fit whose graphs are on both."""

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


def test_workers_search_over_validation_graphs_too_where_the_model_is_fitted_on_them(client, mutag):
    graphs, y = mutag
    held_out = {"eval_set": (graphs[140:], y[140:])}
    for options in ({}, {"folds": 3}, {"preset": "ein"}, {"min_support": 3}):
        small = {**OPTIONS, "sizes": (1, 3), "max_edges": 3, **options}
        alone = es.EINClassifier(**small).fit(graphs[:140], y[:140], **held_out)
        fitted = einsicht.dask.fit(es.EINClassifier(**small), graphs[:140], y[:140], client=client, **held_out)
        assert fitted.model_.to_bytes() == alone.model_.to_bytes(), options
        assert fitted.shards_[0]["answered"] > 0


def test_grids_and_cross_validation_run_on_the_cluster(client, mutag):
    graphs, y = mutag
    graphs, y = graphs[:100], y[:100]

    def grid():
        search = GridSearchCV(es.EINClassifier(**OPTIONS), {"max_edges": [2, 3]}, cv=2)
        return search.fit(graphs, y), cross_val_score(es.EINClassifier(**OPTIONS), graphs, y, cv=2)

    serial, scores = grid()
    with (
        distributed.get_task_stream(client) as tasks,
        joblib.parallel_config(backend="dask", wait_for_workers_timeout=30),
    ):
        parallel, parallel_scores = grid()
    assert len({task["worker"] for task in tasks.data}) == 2, "both workers had something to do"
    assert parallel.best_params_ == serial.best_params_
    for name in ("mean_test_score", "std_test_score", "rank_test_score"):
        assert (parallel.cv_results_[name] == serial.cv_results_[name]).all()
    assert (parallel_scores == scores).all()
    assert parallel.best_estimator_.model_.to_bytes() == serial.best_estimator_.model_.to_bytes()


def test_what_fails_on_a_worker_is_raised_here(client, mutag, monkeypatch):
    graphs, y = mutag
    monkeypatch.setattr(einsicht.dask, "_answer_shard", _broken)
    with pytest.raises(ZeroDivisionError, match="a worker is broken"):
        einsicht.dask.fit(es.EINClassifier(**OPTIONS), graphs[:40], y[:40], client=client)


def _broken(*arguments):
    raise ZeroDivisionError("a worker is broken")


def test_experiments_and_resamples_run_on_the_cluster(client, mutag):
    graphs, y = mutag
    model = es.EINClassifier(**{**OPTIONS, "max_edges": 2})
    splits = [(range(0, 100), range(100, 140), range(140, 188)), (range(88, 188), range(44, 88), range(0, 44))]
    alone = es.experiment(model, graphs, y, splits), es.stability(model, graphs, y, bootstrap=4)
    with joblib.parallel_config(backend="dask"):
        parallel = es.experiment(model, graphs, y, splits, n_jobs=2), es.stability(
            model, graphs, y, bootstrap=4, n_jobs=2
        )
    assert parallel[0].results == alone[0].results
    assert [one.frequency for one in parallel[1]] == [one.frequency for one in alone[1]]
