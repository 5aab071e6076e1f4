"""Helpers of the tests against RDKit: a molecule as RDKit reads it, and as our reader does (by the example
`smiles_dump`).
"""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "lab/scripts"))

pytest.importorskip("rdkit", reason="needs rdkit (pip install rdkit)")

import rdkit_agreement  # noqa: E402


def dump(text, *options):
    """Output of `smiles_dump` for the text, one line per molecule."""
    command = ["cargo", "run", "--quiet", "-p", "einsicht-data", "--example", "smiles_dump", "--", *options]
    done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.split("\n")[:-1]


def cases():
    """The strings of testdata/rdkit_smiles.tsv with the expected lines."""
    lines = (ROOT / "testdata/rdkit_smiles.tsv").read_text().split("\n")[1:-1]
    return [line.split("\t", 1) for line in lines]


rdkit_line = rdkit_agreement.rdkit_line
mol_line = rdkit_agreement.mol_line
