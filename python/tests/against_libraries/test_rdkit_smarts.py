"""The SMARTS of a piece cut out of a molecule is read by RDKit and found in that molecule, piece by piece."""

import subprocess

import pytest
from rdkit_common import ROOT, cases
from rdkit import Chem, RDLogger


@pytest.mark.parametrize("options", [[], ["--labels"]], ids=["elements", "all labels"])
def test_a_piece_is_found_where_it_came_from(options):
    RDLogger.DisableLog("rdApp.*")
    text = "".join(smiles + "\n" for smiles, wanted in cases() if wanted != "!")
    command = ["cargo", "run", "--quiet", "-p", "einsicht-data", "--example", "smarts_dump", "--", *options]
    done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line.split("\t") for line in done.stdout.split("\n")[:-1]]
    assert len(lines) >= 600
    wrong = []
    for smiles, smarts in lines:
        query = Chem.MolFromSmarts(smarts)
        if query is None or not Chem.MolFromSmiles(smiles).HasSubstructMatch(query):
            wrong.append((smiles, smarts))
    assert wrong == []


def test_a_piece_is_not_found_where_its_graph_is_not():
    """A few by hand: the label is the element only, so aromatic and aliphatic atoms match equally."""
    carbonyl = Chem.MolFromSmarts("[#6]=[#8]")
    assert Chem.MolFromSmiles("CC=O").HasSubstructMatch(carbonyl)
    assert not Chem.MolFromSmiles("CCO").HasSubstructMatch(carbonyl)
    assert not Chem.MolFromSmiles("c1ccccc1").HasSubstructMatch(Chem.MolFromSmarts("[#6]-[#6]"))
