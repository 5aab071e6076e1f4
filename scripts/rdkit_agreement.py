"""How often our reading of a SMILES string equals RDKit's, over whole tables.

Builds the example `smiles_dump`, reads every table given (default: the ten of ../shared/data/molnet)
with it and with RDKit, and compares atom by atom (element, charge, aromatic flag, hydrogens) and bond by
bond (ends, order). Prints one line a table, the exceptions, and seconds in one thread for both.

    python scripts/rdkit_agreement.py [TABLE ...]

Needs rdkit (pip install rdkit). Exits with 1 if fewer than 99.9 % agree.
"""

import csv
import gzip
import pathlib
import subprocess
import sys
import time

import rdkit
from rdkit import Chem, RDLogger

ROOT = pathlib.Path(__file__).resolve().parent.parent
ORDERS = {
    Chem.BondType.SINGLE: "single",
    Chem.BondType.DOUBLE: "double",
    Chem.BondType.TRIPLE: "triple",
    Chem.BondType.QUADRUPLE: "quadruple",
    Chem.BondType.AROMATIC: "aromatic",
    Chem.BondType.DATIVE: "dative",
}


def rdkit_line(smiles):
    """What RDKit understands, in the format of the example; `!` if it rejects the string."""
    mol = Chem.MolFromSmiles(smiles)
    if mol is None or mol.GetNumAtoms() == 0:
        return "!"
    return mol_line(mol)


def mol_line(mol):
    """Atoms and bonds of an RDKit molecule in the format of the example."""
    atoms = " ".join(
        f"{a.GetAtomicNum()},{a.GetFormalCharge()},{int(a.GetIsAromatic())},{a.GetTotalNumHs()}"
        for a in mol.GetAtoms()
    )
    bonds = sorted(
        (*sorted((b.GetBeginAtomIdx(), b.GetEndAtomIdx())), ORDERS.get(b.GetBondType(), str(b.GetBondType())))
        for b in mol.GetBonds()
    )
    return atoms + "\t" + " ".join(f"{x},{y},{order}" for x, y, order in bonds)


def our_lines(smiles, *options):
    """What we understand, one line a string."""
    cargo = ["cargo", "run", "--quiet", "--release", "-p", "einsicht-data", "--example", "smiles_dump", "--"]
    text = "".join(s.replace("\n", " ") + "\n" for s in smiles)
    done = subprocess.run([*cargo, *options], input=text, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"smiles_dump failed: {done.stderr[-2000:]}")
    return done.stdout.split("\n")[:-1]


def first_column(path):
    """The SMILES of a MoleculeNet table: its first column."""
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    with opened as handle:
        rows = csv.reader(handle)
        next(rows)
        return [row[0] for row in rows]


def main(paths):
    RDLogger.DisableLog("rdApp.*")
    print(f"RDKit {rdkit.__version__}")
    total = agreed = 0
    for path in paths:
        smiles = first_column(path)
        ours = our_lines(smiles)
        seconds = our_lines(smiles, "--time")[0].split()[1]
        start = time.process_time()
        kept = [Chem.MolFromSmiles(s) for s in smiles]
        theirs_seconds = time.process_time() - start
        theirs = ["!" if m is None or m.GetNumAtoms() == 0 else mol_line(m) for m in kept]
        del kept
        differ = []
        for row, (s, a, b) in enumerate(zip(smiles, ours, theirs)):
            if (a if not a.startswith("!") else "!") != b:
                differ.append((row, s, a, b))
        bad = sum(b == "!" for b in theirs)
        total += len(smiles)
        agreed += len(smiles) - len(differ)
        print(
            f"{path.name}: {len(smiles)} rows, RDKit rejects {bad}, we reject"
            f" {sum(a.startswith('!') for a in ours)}, {len(differ)} differ;"
            f" parse: ours {float(seconds):.3f} s, RDKit {theirs_seconds:.3f} s"
        )
        for row, s, a, b in differ:
            print(f"  row {row}: {s}\n    ours  {a}\n    RDKit {b}")
    print(f"{agreed} of {total} agree ({100 * agreed / total:.3f} %)")
    return 0 if agreed >= 0.999 * total else 1


if __name__ == "__main__":
    given = [pathlib.Path(p) for p in sys.argv[1:]]
    sys.exit(main(given or sorted((ROOT.parent / "shared/data/molnet").glob("*.csv*"))))
