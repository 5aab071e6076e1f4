"""A training as a process sees it: the interpreter lock is free, Ctrl-C works, forks and threads do no harm."""

import json
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from program import ROOT, SMILES, einsicht

import einsicht as es
from einsicht._training.prepare import settings_of

MUTAG = ROOT / "testdata/sets/MUTAG"
QUICK = {"max_edges": 2, "sizes": (1, 2), "head": "linear"}
Y = ["alcohol" if "O" in text else "amine" for text in SMILES]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_edges": 4, "sizes": (1, 2, 5)}, ["--max-edges", 4, "--sizes", "1,2,5"]),
        (
            {"preset": "ein", "max_edges": 3, "hidden": 3, "sizes": [1, 4], "random_state": 7},
            ["--preset", "ein", "--max-edges", 3, "--hidden", 3, "--sizes", "1,4", "--seed", 7],
        ),
        (
            {"preset": "ein", "max_edges": 3, "penalty": "l1", "lambdas": 3},
            ["--preset", "ein", "--max-edges", 3, "--penalty", "l1", "--set", "lambdas=3"],
        ),
    ],
)
def test_the_model_is_the_file_of_the_program_byte_for_byte(tmp_path, options, words):
    path = tmp_path / "program.einsicht"
    einsicht("train", MUTAG, "-o", path, *words)
    graphs = es.GraphSet.from_tu(MUTAG)
    model = es.EINClassifier(**options).fit(graphs, graphs.y)
    model.save(tmp_path / "python.einsicht")
    assert (tmp_path / "python.einsicht").read_bytes() == path.read_bytes()
    loaded = es.EINClassifier.load(path)
    assert (loaded.predict_proba(graphs) == model.predict_proba(graphs)).all()
    assert loaded.classes_.tolist() == model.classes_.tolist() and loaded.params_ == model.params_
    predicted = einsicht("predict", tmp_path / "python.einsicht", MUTAG)["predictions"]
    assert [row["class"] for row in predicted] == [str(label) for label in model.predict(graphs)]


ESOL = ROOT / "testdata/sets/esol_220.csv"
TOX = ROOT / "testdata/sets/tox21_ahr_200.csv"
SMALL = {"max_edges": 2, "sizes": (1, 3), "folds": 2, "trees": 4}
WORDS = ["--max-edges", 2, "--sizes", "1,3", "--folds", 2, "--set", "trees=4"]


@pytest.mark.parametrize(
    ("estimator", "data", "targets", "options", "words"),
    [
        (es.EINClassifier, TOX, ["toxic"], SMALL, WORDS),
        (
            es.EINClassifier,
            TOX,
            ["toxic"],
            SMALL | {"class_weight": "balanced"},
            [*WORDS, "--class-weight", "balanced"],
        ),
        (es.EINRegressor, ESOL, ["log_solubility"], SMALL, WORDS),
        (
            es.EINRegressor,
            ESOL,
            ["log_solubility", "weight"],
            {"preset": "ein", "max_edges": 2, "sizes": (1, 3)},
            ["--preset", "ein", "--max-edges", 2, "--sizes", "1,3"],
        ),
    ],
    ids=["folds", "weights of classes", "numbers", "several targets"],
)
def test_other_kinds_of_trainings_write_the_file_of_the_program(tmp_path, estimator, data, targets, options, words):
    path = tmp_path / "program.einsicht"
    einsicht("train", data, *(word for name in targets for word in ("--target", name)), "-o", path, *words)
    graphs = es.GraphSet.read(data, target=targets)
    estimator(**options).fit(graphs, graphs.y).save(tmp_path / "python.einsicht")
    assert (tmp_path / "python.einsicht").read_bytes() == path.read_bytes()


def test_a_given_split_writes_the_file_of_the_program(tmp_path):
    path, file = tmp_path / "program.einsicht", tmp_path / "splits.json"
    file.write_text(json.dumps({"trials": [{"train": list(range(150)), "valid": list(range(150, 188)), "test": []}]}))
    einsicht("train", MUTAG, "--splits", file, "-o", path, "--max-edges", 3, "--sizes", "1,2", "--preset", "ein")
    graphs = es.GraphSet.from_tu(MUTAG)
    model = es.EINClassifier(preset="ein", max_edges=3, sizes=(1, 2))
    model.fit(graphs[:150], graphs.y[:150], eval_set=(graphs[150:], graphs.y[150:])).save(tmp_path / "python.einsicht")
    assert (tmp_path / "python.einsicht").read_bytes() == path.read_bytes()


def test_a_memory_limit_changes_no_byte_and_one_that_is_too_small_reports_what_is_needed(tmp_path):
    graphs = es.GraphSet.from_tu(MUTAG)
    with pytest.raises(ValueError, match=r"memory must be at least \d+ bytes for this data, got 1024") as refused:
        es.EINClassifier(**QUICK, memory="1K").fit(graphs, graphs.y)
    least = int(str(refused.value).split(" at least ")[1].split()[0])
    saved = []
    for memory in [None, least, f"{-(-least // 1024)}K", "2G"]:
        model = es.EINClassifier(**QUICK, memory=memory).fit(graphs, graphs.y)
        model.save(tmp_path / "model.einsicht")
        saved.append((tmp_path / "model.einsicht").read_bytes())
    assert len(set(saved)) == 1
    with pytest.raises(ValueError, match="memory.*size of memory like 500M or 2G"):
        es.EINClassifier(**QUICK, memory="much").fit(graphs, graphs.y)


def test_other_threads_run_while_a_model_is_trained():
    graphs = es.GraphSet.from_tu(MUTAG)
    steps, counts, done = 0, [], threading.Event()

    def count():
        nonlocal steps
        while not done.is_set():
            steps += 1
            done.wait(0.001)

    other = threading.Thread(target=count, daemon=True)
    other.start()
    model = es.EINClassifier(max_edges=4, sizes=(1, 2, 3), head="linear")
    # Nobody is made to hand the lock over: only a thread that lets go of it lets others run.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    before = steps
    fitted = es._core.fit(
        graphs._core,
        [("class", ["-1", "1"], (graphs.y > 0).astype(float))],
        json.dumps(settings_of(model)),
        0,
        observer=lambda *progress: counts.append(steps),
    )
    sys.setswitchinterval(interval)
    done.set()
    other.join()
    assert fitted.model is not None and len(counts) >= 3
    assert counts[-1] > before


INTERRUPTED = """
import os, signal, sys, threading
# Whoever starts the tests in the background may have it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
import einsicht as es
graphs = es.GraphSet.from_tu(sys.argv[1])
forever = {"patience": 1000000, "tolerance": 0, "max_iterations": 1000000}
model = es.EINClassifier(preset="ein", max_edges=14, hidden=4, sizes=(1, 100), **forever)
reports = []
class Bar:
    def __call__(self, *progress):
        reports.append(progress)
        if len(reports) == 3:
            os.kill(os.getpid(), signal.SIGINT)
import einsicht._base as module
from contextlib import contextmanager
@contextmanager
def progress(verbose):
    yield Bar()
module.progress = progress
try:
    model.fit(graphs, graphs.y)
except KeyboardInterrupt:
    print("interrupted", len(reports), len(model.patterns_), len(model.predict(graphs)))
"""


def test_ctrl_c_leaves_the_best_so_far():
    command = [sys.executable, "-c", INTERRUPTED, str(MUTAG)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    word, reports, patterns, predicted = done.stdout.split()
    # Without the signal nothing would be printed.
    assert (word, predicted) == ("interrupted", "188") and int(reports) >= 3 and int(patterns) >= 1


def test_an_exception_of_the_observer_stops_the_training():
    graphs = es.GraphSet.from_smiles(SMILES)

    def refuse(*progress):
        raise RuntimeError("enough")

    targets = [("y", ["a", "b"], (np.array(Y) == "amine").astype(float))]
    fitted = es._core.fit(graphs._core, targets, "{}", 0, observer=refuse)
    assert isinstance(fitted.raised, RuntimeError)


@pytest.mark.parametrize("shards", [None, 1])
def test_a_training_stops_in_its_folds_too_and_then_there_is_no_model(shards):
    graphs = es.GraphSet.from_tu(MUTAG)
    targets = [("y", ["a", "b"], (graphs.y > 0).astype(float))]
    arguments = graphs._core, targets, json.dumps({"max_edges": 4, "sizes": [1, 2, 4]}), 0
    asked, workers, refused = [], {}, threading.Event()

    def ask(requests, fold):
        asked.append(fold)
        # Reports come while the training goes on: it must not be over before this one is heard.
        if refused.is_set():
            time.sleep(0.05)
        if fold not in workers:
            workers[fold] = [es._core.Shard(source) for source in es._core.shards(*arguments, count=shards, fold=fold)]
        return [worker.answer(request) for worker, request in zip(workers[fold], requests, strict=True)]

    distributed = {"ask": None if shards is None else ask, "shards": shards, "threads": 1}
    whole = es._core.fit(*arguments, **distributed)
    assert whole.model.to_bytes() == es._core.fit(*arguments).model.to_bytes()
    assert set(asked) == (set() if shards is None else {0, 1, 2, 3, 4, None})

    def refuse(done, count):
        refused.set()
        raise RuntimeError(f"enough after {done} of {count}")

    asked.clear()
    fitted = es._core.fit(*arguments, on_fold=refuse, **distributed)
    assert fitted.model is None and str(fitted.raised) == "enough after 1 of 5"
    assert None not in asked, "the training that makes the model never began"


def test_threads_may_share_a_model():
    graphs = es.GraphSet.from_smiles(SMILES)
    model = es.EINClassifier(**QUICK).fit(graphs, Y)
    wanted, found = model.predict(graphs).tolist(), []
    threads = [threading.Thread(target=lambda: found.append(model.predict(graphs).tolist())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 8


FORKED = """
import os, sys
import einsicht as es
graphs = es.GraphSet.from_tu(sys.argv[1])
children = []
def fork(*progress):
    if not children:
        children.append(0)  # so that the child does not fork again
        child = os.fork()
        if child == 0:
            model = es.EINClassifier(max_edges=2, sizes=(1,), head="linear", threads=2).fit(graphs, graphs.y)
            os._exit(0 if len(model.predict(graphs)) == 188 else 1)
        children[0] = child
import einsicht._base as module
from contextlib import contextmanager
@contextmanager
def progress(verbose):
    yield fork
module.progress = progress
model = es.EINClassifier(max_edges=3, sizes=(1, 2), head="linear", threads=2).fit(graphs, graphs.y)
print(os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]), len(model.predict(graphs)))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_in_the_middle_of_a_training_is_no_trouble():
    command = [sys.executable, "-W", "ignore", "-c", FORKED, str(MUTAG)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stdout.split()) == (0, ["0", "188"]), done.stderr


def test_threads_and_repetition_do_not_change_a_byte():
    graphs = es.GraphSet.from_tu(MUTAG)
    models = [es.EINClassifier(max_edges=3, sizes=(1, 3), threads=n).fit(graphs, graphs.y) for n in (1, 2, 1)]
    assert len({model.model_.to_bytes() for model in models}) == 1


def test_folds_and_then_passes_are_reported():
    graphs, reports = es.GraphSet.from_smiles(SMILES), []
    targets = [("y", ["a", "b"], (np.array(Y) == "amine").astype(float))]
    settings = json.dumps({"max_edges": 1, "sizes": [1, 2]})
    observer = {"observer": lambda *pass_: reports.append(pass_), "on_fold": lambda *fold: reports.append(fold)}
    es._core.fit(graphs._core, targets, settings, 0, **observer)
    assert reports[:5] == [(done, 5) for done in range(1, 6)]
    passes = reports[5:]
    assert len(passes) >= 2 and all(len(values) == 7 and values[4] is None for values in passes)


def test_progress_is_shown_on_request(capfd):
    es.EINClassifier(**QUICK, verbose=True).fit(SMILES, Y)
    of_default = capfd.readouterr().err
    es.EINClassifier(preset="ein", max_edges=2, sizes=(1,), verbose=True).fit(SMILES, Y)
    assert "size" in of_default and "validation loss" not in of_default
    assert "validation loss" in capfd.readouterr().err
