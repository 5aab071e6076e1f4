"""The package end to end: graphs in, a fitted classifier out."""

import pickle

import pytest

pytest.importorskip("einsicht")

import einsicht as es

SMILES = ["CCO", "CCCO", "OCC(C)C", "CC(O)C", "CCCCO", "CCN", "CCCN", "NCC(C)C", "CC(N)C", "CCCCN"] * 4


def test_a_classifier_learns_the_atom_that_decides():
    y = ["alcohol" if "O" in text else "amine" for text in SMILES]
    graphs = es.GraphSet.from_smiles(SMILES)
    model = es.EINClassifier(max_edges=2, sizes=(1, 2)).fit(graphs, y)
    assert list(model.predict(graphs)) == y
    assert list(model.predict(SMILES)) == y
    assert model.predict_proba(SMILES[:2]).shape == (2, 2)


def test_graphs_slice_pickle_and_compare_by_content():
    graphs = es.GraphSet.from_smiles(SMILES)
    assert graphs[3:6] == es.GraphSet.from_smiles(SMILES[3:6])
    assert hash(graphs[:1]) == hash(es.GraphSet.from_smiles(["CCO"]))
    assert pickle.loads(pickle.dumps(graphs[2:9])) == graphs[2:9]
    properties = {"hydrogens": [[3, 2, 1]], "charge": [[None] * 3]}
    by_hand = es.GraphSet.from_edges(
        [[(0, 1, "single"), (1, 2, "single")]], [["C", "C", "O"]], vertex_properties=properties
    )
    assert by_hand == graphs[:1]


def test_modules_are_there_after_the_import_of_the_package():
    assert es.model_selection.StratifiedKFold(3).get_n_splits() == 3


def test_only_an_estimator_can_be_compared_with():
    model = es.EINClassifier(max_edges=1, sizes=(1,), folds=2).fit(["CO", "CCO", "CN", "CCN"] * 4, [1, 1, 0, 0] * 4)
    with pytest.raises(TypeError, match="other must be a fitted estimator of einsicht, but is of type int"):
        model.report(None, ["CO"], [1], other=5)
