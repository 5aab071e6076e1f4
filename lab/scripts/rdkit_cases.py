"""Writes testdata/rdkit_smiles.tsv: hard SMILES from real tables, and what RDKit understands of them.

    python lab/scripts/rdkit_cases.py            # choose anew from ../shared/data/molnet
    python lab/scripts/rdkit_cases.py --again    # keep the strings, ask RDKit anew

A line is `SMILES<tab>ATOMS<tab>BONDS`: atoms as number,charge,aromatic,hydrogens and bonds as
from,to,order; a string that RDKit rejects has `!` instead. The first line names RDKit's version.
"""

import pathlib
import sys

import rdkit
from rdkit import Chem, RDLogger

from rdkit_agreement import ROOT, first_column, rdkit_line

FILE = ROOT / "testdata/rdkit_smiles.tsv"
USUAL = {1, 5, 6, 7, 8, 9, 14, 15, 16, 17, 35, 53}
# Not in the tables, but worth a line each.
BY_HAND = [
    "[H][H]", "[H+]", "[H]", "[2H]O[2H]", "[H]C([H])([H])[H]", "[H]/N=C/C", "*", "*c1ccccc1", "c1cc[nH]c1",
    "c1ccn2cccc2c1",
    "c1cccc1", "c1ccc1", "C1=CC=C1", "c1ccccccc1", "[cH-]1cccc1", "[cH+]1cccccc1", "O=c1cccc[nH]1", "O=C1C=CC=CN1",
    "c1ccc2cccc-2cc1", "c1ccsc1", "c1cc[se]c1", "C[N+](=O)[O-]", "CN(=O)=O", "CN=N#N", "O=Cl(=O)(=O)O", "CS(C)(=O)=O",
    "CP(=O)(O)O", "F[P-](F)(F)(F)(F)F", "[B-](F)(F)(F)F", "[Fe]", "[Na+].[Cl-]", "N->[Pt]", "[NH3+]CC([O-])=O",
    "CC(C)(C)(C)C", "CO(C)C", "cc", "C1CC", "C(", "[CH2]", "[O]", "C[C]", "[nH]1cccc1", "n1cccc1", "C#C", "C1#CCCCCC1",
    "O1C=CC=CC=CC=C1", "N1C=CC=CC=CC=C1", r"C/C=C\\C", r"F/C=C/F", "C[C@H](N)O", "[13CH4]", "C1CC1",
    "C12C3C4C1C5C2C3C45",
    "c1ccc2c(c1)ccc1ccccc12", "O=C1c2ccccc2C(=O)c2ccccc21", "c1cnc2ncncc2n1", "Cn1cnc2c1c(=O)n(C)c(=O)n2C",
    "OB(O)c1ccccc1",
    "C=C(C)C1CCC2=CC(CC3(C)OC3c3cc(C(=O)OC)c(o3)C1)OC2=O", "COCOC1C=CCCCCc2oc(cc2C)C1", "COCOC1C=CCCCc2cc(C)c(o2)CC1",
    "CC1c2ccc(o2)C(C)(C)c2ccc(o2)C(C)(C)c2ccc(o2)C(C)(C)c2ccc1o2", "C=C1C=Cn2ccn3c(=C(C)NSS)oc(sc-3c2)=C1",
    "N1C2=CCC=C2C(=S)N=C2C(=O)SC(=C1)C=CC=N2", "N1=CC(=N)C=CC=C2C(=CC=C)OC1=NN=CS2", "C()C", "C.", ".C", "C..C", "C11",
    "C[Si](C)(C)C", "Cl[Pt](Cl)(N)N", "C1=C[CH-]C=C1.[Fe+2]", "[O-][n+]1ccccc1", "O=n1ccccc1", "C=[N+]=[N-]",
    "[C-]#[O+]",
    # Mistakes that look like other molecules, and rare spellings.
    "CC(=)N", "C(=)O", "C(#)N", "C@C", "C=(O)N", "CS(C)(=O)=(O)", "C[Si](<-)C", "c1se[nH]cc1", "[u]", "[cn+]",
    "C1seCNS1", "[C:]", "Cl[01Tl]",
    "[Co-04]", "C%01CC%01", "[H@-]", "[H][HH]", "C@", "CC(C", "C-", "C(1)CC1", "C%(10)CC%10", "C%(1)CC1", "[#6]",
    "[13#6H3]C",
    "[#7+:2](C)(C)(C)C",
]  # fmt: skip


def features(smiles, mol):
    """Reasons why a string is hard."""
    plain = Chem.MolFromSmiles(smiles, sanitize=False)
    rings = mol.GetRingInfo()
    atoms = list(mol.GetAtoms())
    yield from (f"element {a.GetAtomicNum()}" for a in atoms if a.GetAtomicNum() not in USUAL)
    yield from (f"charge {a.GetAtomicNum()} {a.GetFormalCharge()}" for a in atoms if a.GetFormalCharge())
    yield from (f"aromatic {a.GetAtomicNum()} {a.GetDegree()} {a.GetTotalNumHs()}" for a in atoms if a.GetIsAromatic())
    yield from (f"bond {b.GetBondType()}" for b in mol.GetBonds())
    yield from (f"radical {a.GetAtomicNum()}" for a in atoms if a.GetNumRadicalElectrons())
    yield from (f"isotope {a.GetAtomicNum()}" for a in atoms if a.GetIsotope())
    yield from (f"ring of {len(r)}" for r in rings.AtomRings())
    yield from (f"valence {a.GetAtomicNum()} {a.GetTotalValence()}" for a in atoms)
    yield f"fragments {min(len(Chem.GetMolFrags(mol)), 6)}"
    if plain is not None:
        if plain.GetNumAtoms() != mol.GetNumAtoms():
            yield "written hydrogens"
        written = sum(a.GetIsAromatic() for a in plain.GetAtoms())
        found = sum(a.GetIsAromatic() for a in atoms)
        yield f"aromatic atoms more than written: {(found > written) - (found < written)}"
    for word in ("\\\\", "%", "@@", "/", "*", "$", "->"):
        if word in smiles:
            yield f"has {word}"


def choose(tables, wanted=366):
    """Rejects, by hand, then greedily the shortest strings that show a feature often enough missing."""
    chosen = list(BY_HAND)
    pool = []
    for table in tables:
        for smiles in first_column(table):
            mol = Chem.MolFromSmiles(smiles)
            if mol is None:
                chosen.append(smiles)
            elif len(smiles) < 160:
                pool.append((len(smiles), smiles, set(features(smiles, mol))))
    pool.sort(key=lambda entry: entry[:2])
    seen = {}
    for times in (1, 2, 3):
        for _, smiles, found in pool:
            if len(chosen) < wanted and any(seen.get(f, 0) < times for f in found) and smiles not in chosen:
                chosen.append(smiles)
                for feature in found:
                    seen[feature] = seen.get(feature, 0) + 1
    return chosen


def main(again):
    RDLogger.DisableLog("rdApp.*")
    if again:
        lines = FILE.read_text().split("\n")[1:-1]
        strings = [line.split("\t")[0] for line in lines]
    else:
        strings = choose(sorted((ROOT.parent / "shared/data/molnet").glob("*.csv*")))
    with FILE.open("w") as out:
        out.write(f"# RDKit {rdkit.__version__}\n")
        for smiles in strings:
            out.write(f"{smiles}\t{rdkit_line(smiles)}\n")
    print(f"{FILE}: {len(strings)} strings")


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    main("--again" in sys.argv)
