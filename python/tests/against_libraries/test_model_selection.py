"""Splitters that see graphs: partitions, groups that stay whole, the splits of the program, scaffolds as RDKit has
them.
"""

import json

import numpy as np
import pytest
from program import ROOT, einsicht
from sklearn.model_selection import cross_val_score

import einsicht as es
from einsicht import model_selection as ms

MUTAG = ROOT / "testdata/sets/MUTAG"
MOLECULES = [
    "c1ccccc1C",
    "c1ccccc1O",
    "C1CCCCC1C",
    "C1CCCCC1O",
    "c1ccncc1C",
    "c1ccncc1O",
    "CCO",
    "CCN",
    "CCCC",
    "Oc1ccccc1",
    "CCCO",
    "NCC",
]
KFOLDS = [ms.StratifiedKFold(3), ms.GroupKFold(3), ms.ScaffoldKFold(3), ms.ClusterKFold(3)]


@pytest.fixture(scope="module")
def mutag():
    return es.GraphSet.from_tu(MUTAG)


@pytest.mark.parametrize("splitter", KFOLDS, ids=lambda splitter: type(splitter).__name__)
def test_folds_test_each_graph_once_and_isomorphic_graphs_together(splitter):
    parts = list(splitter.split(MOLECULES))
    assert len(parts) == splitter.get_n_splits() == 3
    assert sorted(np.concatenate([test for _, test in parts])) == list(range(12))
    for train, test in parts:
        assert not set(train) & set(test) and len(train) + len(test) == 12
        for one, other in ((1, 9), (7, 11)):  # the same molecule, written in two ways
            assert (one in test) == (other in test)


@pytest.mark.parametrize("splitter", [ms.ScaffoldKFold(3, repeats=2), ms.ScaffoldSplit(0.3, repeats=2)])
def test_scaffolds_stay_whole(splitter):
    groups = ms.scaffolds(MOLECULES)
    assert groups.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 3, 0, 3, 3]
    parts = list(splitter.split(MOLECULES))
    assert len(parts) == splitter.get_n_splits()
    for train, test in parts:
        assert not set(groups[train]) & set(groups[test]) and len(test)


def test_groups_of_the_caller_stay_whole(mutag):
    groups = np.repeat(np.arange(47), 4).astype(str)
    for train, test in ms.GroupKFold(4).split(mutag, groups=groups):
        assert not set(groups[train]) & set(groups[test])


def test_splits_are_those_of_the_program_and_strata_are_spread(tmp_path, mutag):
    file = tmp_path / "splits.json"
    einsicht("split", MUTAG, "-o", file, "--folds", 4, "--repeats", 2, "--seed", 3)
    trials = json.loads(file.read_text())["trials"]
    y = np.asarray(mutag.y)
    parts = list(ms.StratifiedKFold(4, repeats=2, random_state=3).split(mutag, y))
    assert [[train.tolist(), test.tolist()] for train, test in parts] == [
        [trial["train"], trial["test"]] for trial in trials
    ]
    ones = [np.mean(y[test] == 1) for _, test in parts]
    assert max(ones) - min(ones) < 0.05


def test_scikit_learn_and_experiments_take_them(mutag):
    estimator = es.EINClassifier(max_edges=2, sizes=(1,), head="linear")
    splitter = ms.StratifiedKFold(3)
    scores = cross_val_score(estimator, mutag, mutag.y, cv=splitter)
    found = es.experiment(estimator, mutag, mutag.y, splitter)
    assert np.allclose(scores, [result["test"]["accuracy"] for result in found.results])
    assert len(es.experiment(estimator, mutag, mutag.y).results) == 5
    assert repr(ms.ClusterKFold(3, similarity=0.7)) == "ClusterKFold(n_splits=3, similarity=0.7)"


def test_what_cannot_be_met_is_refused(mutag):
    for splitter, message in (
        (ms.ScaffoldKFold(1), "n_splits must be a whole number from 2, got 1"),
        (ms.ScaffoldKFold(5), "needs enough scaffolds .* for 5 sets, but there are 4"),
        (ms.ClusterSplit(similarity=2), "the similarity must be above 0 and at most 1, got 2"),
        (ms.ScaffoldSplit(1.0), "test_size must be a fraction of the graphs between 0 and 1"),
    ):
        with pytest.raises(ValueError, match=message):
            list(splitter.split(MOLECULES))
    with pytest.raises(ValueError, match="groups must have one value per graph, but there are 2 for 12"):
        list(ms.GroupKFold(2).split(MOLECULES, groups=["a", "b"]))


@pytest.mark.parametrize("name", ["bace", "bbbp"])
def test_scaffolds_are_the_murcko_scaffolds_of_rdkit(name):
    path = ROOT.parent / "shared/data/molnet" / f"{name}.csv"
    if not path.exists():
        pytest.skip("needs shared")
    Chem = pytest.importorskip("rdkit.Chem", reason="needs rdkit")
    murcko = pytest.importorskip("rdkit.Chem.Scaffolds.MurckoScaffold", reason="needs rdkit")
    pandas = pytest.importorskip("pandas")
    table = pandas.read_csv(path)
    column = next(name for name in table if name.lower() in ("smiles", "mol"))
    rows = [smiles for smiles in table[column] if Chem.MolFromSmiles(smiles) is not None]
    wanted = [murcko.MurckoScaffoldSmiles(mol=Chem.MolFromSmiles(smiles), includeChirality=False) for smiles in rows]
    found = ms.scaffolds(rows)
    pairs = set(zip(wanted, found))
    assert len(pairs) == len(set(wanted)) == len(set(found)) > 500
