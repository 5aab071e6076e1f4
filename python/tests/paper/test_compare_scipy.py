"""`experiment --compare` has the p-values of scipy."""

import copy
import json

import pytest
from program import ROOT, einsicht

stats = pytest.importorskip("scipy.stats", reason="needs scipy (pip install scipy)")
np = pytest.importorskip("numpy", reason="needs numpy (pip install numpy)")

METRICS = ("accuracy", "balanced_accuracy", "auc")


def document(trial, values):
    """An experiment with these values of the metrics; everything else is as in a real trial."""
    trials = []
    for number, row in enumerate(values.T):
        one = copy.deepcopy(trial)
        one["trial"], one["test"] = number, dict(zip(METRICS, row.tolist()))
        trials.append(one)
    return json.dumps({"trials": trials})


def pairs(trials):
    """Values of two methods: without equal differences, with many (quarters are exact numbers), and with trials that
    are even.
    """
    random = np.random.default_rng(trials)
    some = random.integers(1, 4, trials) / 4
    first = random.uniform(0.5, 1, trials), random.integers(0, 5, trials) / 4, some
    second = random.uniform(0.5, 1, trials), random.integers(0, 5, trials) / 4, some - random.integers(0, 2, trials) / 4
    return np.array(first), np.array(second)


@pytest.mark.filterwarnings("ignore:Precision loss")
@pytest.mark.parametrize("trials", [2, 5, 10, 13])
def test_p_values_standard_errors_and_wins_are_those_of_scipy(trials, tmp_path):
    options = ["--preset", "paper", "--max-edges", 1, "--sizes", 1, "--set", "max_iterations=1"]
    trial = einsicht("experiment", ROOT / "testdata/sets/MUTAG", "--scheme", "random", "--trial", 0, *options)[
        "trials"
    ][0]
    first, second = pairs(trials)
    for name, values in (("first", first), ("second", second)):
        (tmp_path / f"{name}.json").write_text(document(trial, values))
    compared = einsicht("experiment", "--compare", tmp_path / "first.json", tmp_path / "second.json")
    for metric, a, b in zip(METRICS, first, second):
        found = {
            name: compared[name][metric]
            for name in ("difference", "standard_error", "p_value", "wilcoxon_p_value", "wins")
        }
        difference = a - b
        assert found["difference"] == pytest.approx(difference.mean(), abs=1e-12)
        assert found["standard_error"] == pytest.approx(stats.sem(difference), abs=1e-12)
        won, lost = int((difference > 0).sum()), int((difference < 0).sum())
        assert found["wins"] == {"first": won, "second": lost, "ties": trials - won - lost}
        if stats.sem(difference) == 0:
            assert found["p_value"] is None
        else:
            assert found["p_value"] == pytest.approx(stats.ttest_rel(a, b).pvalue, abs=1e-9)
        if won + lost == 0:
            assert found["wilcoxon_p_value"] is None
        else:
            assert found["wilcoxon_p_value"] == pytest.approx(stats.wilcoxon(a, b).pvalue, abs=1e-9)
