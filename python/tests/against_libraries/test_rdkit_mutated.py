"""SMILES with mistakes: what RDKit refuses is refused here, and what both read is the same molecule.

Reading a mistake as another molecule is the worst that a reader can do, so no string may be accepted here alone.
"""

import collections
import random

from rdkit_common import cases, dump, rdkit_line
from rdkit import RDLogger

COUNT = 12000
#: What is put into strings: all of the grammar, and some of what is not in it.
PIECES = [
    *"CCCNNOOSPFIBcnosb()()()[]=#$:/\\-.%123457890@@+*~HXe &>",
    *"Cl Br [nH] [N+] [O-] [H] [2H] [C@@H] [#6] [Fe] %10 %(10) -> <- (=O) (C) C1 [C:1] se [se] @TH1 [CH] =( 11".split(),
]


def mutated(text, chance):
    """The text after one, two or three mistakes."""
    for _ in range(chance.choice([1, 1, 1, 2, 2, 3])):
        at = chance.randrange(len(text) + 1)
        how = chance.randrange(5)
        if how == 0:
            text = text[:at] + text[at + 1 :]
        elif how == 1:
            text = text[:at] + chance.choice(PIECES) + text[at:]
        elif how == 2:
            text = text[:at] + chance.choice(PIECES) + text[at + 1 :]
        elif how == 3:
            text = text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]
        else:
            text = text[:at] + text[max(0, at - chance.randrange(1, 5)) :]
    return text


def strings(seed, count):
    """That many mutated strings, none of them twice."""
    chance = random.Random(seed)
    short = sorted(smiles for smiles, wanted in cases() if wanted != "!" and len(smiles) < 60)
    found = {}
    while len(found) < count:
        found[mutated(chance.choice(short), chance).strip() or "C"] = None
    return list(found)


def skeleton(line):
    """Elements, charges and pairs of bonded atoms: what does not hang on aromaticity."""
    atoms, bonds = line.split("\t")
    return [atom.split(",")[:2] for atom in atoms.split()], [bond.split(",")[:2] for bond in bonds.split()]


def test_no_mutated_string_is_read_here_alone_or_as_another_molecule():
    RDLogger.DisableLog("rdApp.*")
    texts = strings(0, COUNT)
    ours = dump("".join(text + "\n" for text in texts))
    alone, other, kinds = [], [], collections.Counter()
    for text, got in zip(texts, ours, strict=True):
        wanted = rdkit_line(text)
        reads = (wanted != "!", not got.startswith("!"))
        kinds[reads] += 1
        if reads == (False, True):
            alone.append(text)
        elif reads == (True, True) and skeleton(got) != skeleton(wanted):
            other.append((text, got, wanted))
    assert alone == [] and other == []
    # The strings are near the border of the grammar: many on both sides, few that RDKit alone reads.
    assert min(kinds[True, True], kinds[False, False]) > COUNT / 10 and kinds[True, False] < COUNT / 100, kinds
