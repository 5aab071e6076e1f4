"""The committed results of RDKit are RDKit's, and our reading equals them."""

from rdkit_common import cases, dump, rdkit_line
from rdkit import RDLogger


def test_the_file_says_what_rdkit_says():
    RDLogger.DisableLog("rdApp.*")
    lines = cases()
    assert len(lines) >= 300
    wrong = [smiles for smiles, wanted in lines if rdkit_line(smiles) != wanted]
    assert wrong == []


def test_we_read_what_rdkit_reads():
    lines = cases()
    ours = dump("".join(smiles + "\n" for smiles, _ in lines))
    wrong = [
        (smiles, got, wanted)
        for (smiles, wanted), got in zip(lines, ours, strict=True)
        if ("!" if got.startswith("!") else got) != wanted
    ]
    assert wrong == []
