"""How often our reading of a SMILES string equals RDKit's, over whole tables.

Builds the example `smiles_dump`, reads every table given (default: the ten of ../shared/data/molnet)
with it and with RDKit, and compares atom by atom (element, charge, aromatic flag, hydrogens) and bond by
bond (ends, order). Prints one line per table, the exceptions, and CPU seconds in one thread: ours to parse the
strings, ours to read the file into a data set (with peak memory), and RDKit's to parse the strings.

    python lab/scripts/rdkit_agreement.py [TABLE ...]

Needs rdkit (pip install rdkit). Exits with 1 if fewer than 99.9 % agree.
"""

import csv
import gzip
import pathlib
import resource
import subprocess
import sys
import time

import rdkit
from rdkit import Chem, RDLogger

ROOT = pathlib.Path(__file__).resolve().parents[2]
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


def build():
    """Builds the examples, so that their running time is theirs alone."""
    command = ["cargo", "build", "--quiet", "--release", "-p", "einsicht-data", "--examples"]
    subprocess.run(command, cwd=ROOT, check=True)


def ours(example, arguments, text=""):
    """Output lines of one of our examples, and the CPU seconds it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [ROOT / "target/release/examples" / example, *arguments]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{example} failed: {done.stderr[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout.split("\n")[:-1], seconds


def first_column(path):
    """The SMILES of a MoleculeNet table: its first column."""
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    with opened as handle:
        rows = csv.reader(handle)
        next(rows)
        return [row[0] for row in rows]


def main(paths):
    RDLogger.DisableLog("rdApp.*")
    build()
    print(f"RDKit {rdkit.__version__}")
    total = agreed = 0
    for path in paths:
        smiles = first_column(path)
        text = "".join(s.replace("\n", " ") + "\n" for s in smiles)
        found, _ = ours("smiles_dump", [], text)
        _, parse_seconds = ours("smiles_dump", ["--time"], text)
        read_lines, read_seconds = ours("read_time", [path])
        start = time.process_time()
        for s in smiles:
            Chem.MolFromSmiles(s)
        rdkit_seconds = time.process_time() - start
        wanted = [rdkit_line(s) for s in smiles]
        differ = [
            (row, *case)
            for row, case in enumerate(zip(smiles, found, wanted, strict=True))
            if ("!" if case[1].startswith("!") else case[1]) != case[2]
        ]
        total += len(smiles)
        agreed += len(smiles) - len(differ)
        print(
            f"{path.name}: {len(smiles)} rows, RDKit rejects {wanted.count('!')}, we reject"
            f" {sum(line.startswith('!') for line in found)}, {len(differ)} differ; CPU seconds: RDKit parses in"
            f" {rdkit_seconds:.3f}, we in {parse_seconds:.3f} ({rdkit_seconds / parse_seconds:.1f}x), and read the"
            f" file in {read_seconds:.3f} ({rdkit_seconds / read_seconds:.1f}x, {read_lines[0].split(';')[-1].strip()})"
        )
        for row, s, mine, theirs in differ:
            print(f"  row {row}: {s}\n    ours  {mine}\n    RDKit {theirs}")
    print(f"{agreed} of {total} agree ({100 * agreed / total:.3f} %)")
    return 0 if agreed >= 0.999 * total else 1


if __name__ == "__main__":
    given = [pathlib.Path(p) for p in sys.argv[1:]]
    sys.exit(main(given or sorted((ROOT.parent / "shared/data/molnet").glob("*.csv*"))))
