"""Patterns of models of molecules, qualified ones and single atoms among them, match in RDKit as they match here.

The SMARTS of a pattern finds exactly the molecules where its column of `transform` is positive; its count is never
above the number of RDKit's matches.
"""

import pytest
from program import shared

pytest.importorskip("rdkit", reason="needs rdkit (pip install rdkit)")
pandas = pytest.importorskip("pandas")

from rdkit import Chem, RDLogger

import einsicht as es

RDLogger.DisableLog("rdApp.*")

#: File, column of SMILES, targets, estimator, number of training graphs.
SETS = {
    "BACE": ("bace.csv", "mol", ["Class"], es.EINClassifier, 1513),
    "BBBP": ("bbbp.csv", "smiles", ["p_np"], es.EINClassifier, 1500),
    "SIDER": (
        "sider.csv",
        "smiles",
        ["Hepatobiliary disorders", "Eye disorders", "Investigations"],
        es.EINClassifier,
        700,
    ),
    "ESOL": ("delaney.csv", "smiles", ["logp"], es.EINRegressor, 1128),
}
SIZE = 75


def molecules(name, **reading):
    """The graphs of a set, and the same molecules as RDKit reads them."""
    file, column, targets, *_ = SETS[name]
    path = shared(f"data/molnet/{file}")
    graphs = es.GraphSet.read(path, target=targets, on_bad="skip", **reading)
    smiles = pandas.read_csv(path)[column].tolist()
    return graphs, [Chem.MolFromSmiles(smiles[row]) for row in graphs.source_rows]


@pytest.mark.parametrize("name", SETS)
def test_the_smarts_of_a_pattern_finds_exactly_the_molecules_that_have_it(name):
    graphs, theirs = molecules(name)
    *_, estimator, count = SETS[name]
    options = {"sizes": (SIZE,), "max_edges": 3, "head": "linear", "feature": "presence", "folds": 1}
    model = estimator(**options).fit(graphs[:count], graphs.y[:count])
    qualified = [p for p in model.patterns_ if any(vertex["qualifiers"] for vertex in p.vertices)]
    assert len(model.patterns_) == SIZE and len(qualified) >= 20, [str(p) for p in model.patterns_]
    assert differences(model, graphs, theirs) == []


def test_labels_with_charges_mean_that_the_others_have_none():
    graphs, theirs = molecules("BBBP", molecule_labels=["charge"])
    options = {
        "sizes": (SIZE,),
        "max_edges": 3,
        "head": "linear",
        "feature": "presence",
        "folds": 1,
        "qualifiers": "none",
    }
    model = es.EINClassifier(**options).fit(graphs[:1500], graphs.y[:1500])
    assert differences(model, graphs, theirs) == []


def differences(model, graphs, theirs):
    """Patterns whose SMARTS RDKit finds in other molecules than `transform`, with some of these."""
    wrong = []
    for pattern, column in zip(model.patterns_, model.transform(graphs).T, strict=True):
        query = pattern.to_rdkit()
        found = [molecule.HasSubstructMatch(query) for molecule in theirs]
        # A dative bond is any bond in the text: that may match more.
        found = [there and ("~" not in pattern.smarts or ours > 0) for there, ours in zip(found, column, strict=True)]
        differs = [Chem.MolToSmiles(theirs[at]) for at in range(len(theirs)) if found[at] != (column[at] > 0)]
        if differs:
            wrong.append((pattern.smarts, differs[:3]))
    return wrong


#: Any six-membered ring of aromatic bonds between carbons, in which no atom is qualified.
BENZENE = "c1ccccc1"


def distinct_matches(molecule, query):
    """Number of matches that differ in their set of bonds; of a single atom, in the atom."""
    matches = molecule.GetSubstructMatches(query, uniquify=False, maxMatches=10**6)
    ends = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in query.GetBonds()]
    if not ends:
        return len(matches)
    return len(
        {frozenset(molecule.GetBondBetweenAtoms(match[u], match[v]).GetIdx() for u, v in ends) for match in matches}
    )


def rings_are_separate(molecule):
    """Whether no atom is in two rings."""
    members = [atom for ring in molecule.GetRingInfo().AtomRings() for atom in ring]
    return len(members) == len(set(members))


def test_counts_are_never_above_the_number_of_matches():
    graphs, theirs = molecules("BBBP")
    options = {"sizes": (75,), "max_edges": 6, "head": "linear", "feature": "count", "count_transform": "identity"}
    model = es.EINClassifier(**options, require=[BENZENE, "C", "N", "O"]).fit(graphs[:300], graphs.y[:300])
    graphs, theirs = graphs[:1000], theirs[:1000]
    separate = [rings_are_separate(molecule) for molecule in theirs]
    rings = equal = above_one = 0
    for pattern, column in zip(model.patterns_, model.transform(graphs).T, strict=True):
        query = pattern.to_rdkit()
        wanted = [distinct_matches(molecule, query) for molecule in theirs]
        assert all(count <= most for count, most in zip(column, wanted, strict=True)), pattern
        assert all((count > 0) == (most > 0) for count, most in zip(column, wanted, strict=True)), pattern
        above_one += int((column > 1).sum())
        if not pattern.edges:
            equal += 1
            assert column.tolist() == wanted, pattern
        if len(pattern.edges) == len(pattern.vertices) == 6 and {edge[2] for edge in pattern.edges} == {"aromatic"}:
            rings += 1
            alone = [(count, most) for count, most, one in zip(column, wanted, separate, strict=True) if one]
            assert all(count == most for count, most in alone) and max(count for count, _ in alone) > 1, pattern
    assert equal >= 3 and rings >= 1 and above_one > 1000
