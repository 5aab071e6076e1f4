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


#: Halogens, charges, rings of both kinds, hydrogens that stay atoms: what qualifiers are about.
QUALIFIED = """
C[N+](C)(C)CCCl [O-][N+](=O)c1ccc(F)cc1 Brc1ccc(I)nc1 C1CC2CCC1C2 c1ccc2[nH]ccc2c1 [Na+].[I-] [Cl-].[Cl-].[Mg+2]
ClC(Cl)(Cl)Br
O=S(=O)(O)c1ccccc1 FC1CCCCC1 C1=CC=CC=C1C2CC2 [2H]C([2H])([2H])O [H][H] NCC(=O)[O-] [NH4+] CI(C)C c1cc[n+]([O-])cc1 C#N
OB(O)c1ccccc1 C[Si](C)(C)C N1CCOCC1 C1CCC2(CC1)OCCO2 [O-]Cl(=O)(=O)=O OI(=O)=O FS(F)(F)(F)(F)F C.N.O.Cl [BH4-] [C-]#[O+]
[13CH4]
[NH3]->[Fe] [CH2]1[CH2]N->[Pt]N1 *c1ccccc1 *C1CC1 C[P+](c1ccccc1)(c1ccccc1)c1ccccc1 [I+](c1ccccc1)c1ccccc1
""".split()


def test_qualified_pieces_are_found_in_exactly_the_molecules_that_have_them():
    RDLogger.DisableLog("rdApp.*")
    smiles = [smiles for smiles, wanted in cases() if wanted != "!"] + QUALIFIED
    command = ["cargo", "run", "--quiet", "-p", "einsicht-data", "--example", "smarts_dump", "--", "--qualifiers"]
    text = "".join(line + "\n" for line in smiles)
    done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [line.split("\t") for line in done.stdout.split("\n")[:-1]]
    assert len(lines) >= 2000
    for part in ["H2", "D3", ";a", "A;R", "!R", ";+1", ";-1", "[#17", "[F,Cl,Br,I", "[#7;"]:
        assert any(part in smarts for smarts, _ in lines), part
    assert any(smarts.count("[") == 1 and ";" in smarts for smarts, _ in lines)
    molecules = {str(row): Chem.MolFromSmiles(line) for row, line in enumerate(smiles)}
    wrong = []
    for smarts, rows in lines:
        query = Chem.MolFromSmarts(smarts)
        theirs = [
            row for row, molecule in molecules.items() if molecule and query and molecule.HasSubstructMatch(query)
        ]
        # A dative bond is any bond in the text: that may match more.
        ours = [row for row in theirs if row in rows.split()] if "~" in smarts else theirs
        if query is None or ours != rows.split():
            wrong.append((smarts, [smiles[int(row)] for row in set(theirs) ^ set(rows.split())]))
    assert wrong == []


def test_a_piece_is_not_found_where_its_graph_is_not():
    """A few by hand: the label is the element only, so aromatic and aliphatic atoms match equally."""
    carbonyl = Chem.MolFromSmarts("[#6]=[#8]")
    assert Chem.MolFromSmiles("CC=O").HasSubstructMatch(carbonyl)
    assert not Chem.MolFromSmiles("CCO").HasSubstructMatch(carbonyl)
    assert not Chem.MolFromSmiles("c1ccccc1").HasSubstructMatch(Chem.MolFromSmarts("[#6]-[#6]"))
