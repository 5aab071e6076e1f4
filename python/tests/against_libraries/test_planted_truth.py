"""Explanations hit the atoms of rules that the labels follow: `../shared/data/truth`, judged as its README says."""

import gzip
import json

import pytest
from program import einsicht, shared

numpy = pytest.importorskip("numpy", reason="needs numpy (pip install numpy)")


def judged(folder, name, ending, model, *words, places="--places"):
    """For each test graph: its explanation, whether it is of class 1, the atoms of the rule, AUC and GEA (none without
    weights).
    """
    metrics = pytest.importorskip("sklearn.metrics", reason="needs scikit-learn (pip install scikit-learn)")
    data, split = folder / f"{name}.{ending}", folder / f"{name}.split.json"
    einsicht("train", data, "--splits", split, "-o", model, *words)
    answer = einsicht("explain", model, data, places)
    with gzip.open(folder / f"{name}.truth.json.gz") as file:
        truth = json.load(file)
    found = []
    for row in json.loads(split.read_text())["trials"][0]["test"]:
        graph = answer["graphs"][row]
        weights, atoms = numpy.array(graph["vertex_weights"]), numpy.zeros(len(graph["vertex_weights"]), bool)
        atoms[[atom for match in truth[row] for atom in match]] = True
        if not atoms.any() or atoms.all():
            continue
        # Weights towards the predicted class: those of the first of two lower the probability of the second.
        weights = weights if graph["output"] > graph["base"] else -weights
        chosen = weights > 0.1 * weights.max() if (weights > 0).any() else numpy.zeros_like(atoms)
        auc = metrics.roc_auc_score(atoms, weights)
        found.append((graph, auc, (chosen & atoms).sum() / (chosen | atoms).sum()))
    return found


def test_houses_are_painted_whole_and_rings_of_five_are_named_as_the_absence_of_what_makes_a_house(tmp_path):
    folder = shared("data/truth/README.md").parent
    for words in [(), ("--feature", "presence")]:
        # A triangle that is only ever part of a house stands for the house, if that is asked for.
        found = judged(folder, "s01_ba2motifs", "gspan", tmp_path / "m.einsicht", *words, places="--places=class")
        painted = [one for one in found if any(one[0]["vertex_weights"])]
        assert len(found) == 200 and 80 < len(painted) < 120
        assert numpy.mean([auc for _, auc, _ in painted]) >= 0.95, words
        if words:
            assert numpy.mean([gea for _, _, gea in painted]) >= 0.95
        for graph, _, _ in found:
            assert graph["decided_by"]["absent"] == (not any(graph["vertex_weights"]))


@pytest.mark.parametrize("name", ["r01_benzene", "r03_fluoride_and_carbonyl", "r06_amide_not_ether"])
def test_atoms_of_a_rule_are_the_atoms_with_weight(tmp_path, name):
    folder = shared("data/truth/README.md").parent
    found = judged(folder, name, "csv", tmp_path / "m.einsicht")
    found = [one for one in found if one[0]["output"] > one[0]["base"]][:120]
    assert len(found) == 120
    assert numpy.mean([auc for _, auc, _ in found]) >= 0.99
    assert numpy.mean([gea for _, _, gea in found]) >= 0.95
