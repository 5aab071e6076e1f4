"""Pairs per second of `einsicht match` and of RDKit's HasSubstructMatch, on the same pairs in the same run.

Draws connected patterns from the graphs of a TU folder (default: 100 patterns of 3 to 10 edges from NCI1), looks for
each in every graph with both programs in one thread, and checks that the answers are equal. For RDKit a graph becomes a
molecule whose atomic numbers are the labels, and a pattern a query of atomic numbers and any bonds.

    python lab/scripts/match_vs_rdkit.py [FOLDER] [--patterns 100] [--edges 3-10] [--seed 0] [--rounds 5]

Needs rdkit (pip install rdkit). Prints one JSON document; exits with 1 if an answer differs or if we are not 10 times
faster.
"""

import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import rdkit
from rdkit import Chem, RDLogger

ROOT = pathlib.Path(__file__).resolve().parents[2]
GATE = 10


def read_tu(folder):
    """Graphs as (labels, edges), without edge labels."""
    name = next(folder.glob("*_A.txt")).name.removesuffix("_A.txt")

    def column(what):
        return [int(line.split(",")[0]) for line in (folder / f"{name}_{what}.txt").read_text().split("\n") if line]

    owners = column("graph_indicator")
    graphs = [([], []) for _ in range(max(owners))]
    places = []
    for owner, label in zip(owners, column("node_labels"), strict=True):
        places.append(len(graphs[owner - 1][0]))
        graphs[owner - 1][0].append(label)
    for line in (folder / f"{name}_A.txt").read_text().split("\n"):
        if line:
            a, b = (int(word) - 1 for word in line.split(","))
            if a < b:
                graphs[owners[a] - 1][1].append((places[a], places[b]))
    return graphs


def grow(dice, graphs, size):
    """A connected pattern of `size` edges, grown edge by edge in a random graph."""
    while True:
        labels, edges = dice.choice(graphs)
        if len(edges) < size:
            continue
        around = collections.defaultdict(set)
        for edge in edges:
            for vertex in edge:
                around[vertex].add(edge)
        grown = [dice.choice(edges)]
        while len(grown) < size:
            next_to = sorted({e for edge in grown for v in edge for e in around[v]} - set(grown))
            if not next_to:
                break
            grown.append(dice.choice(next_to))
        if len(grown) == size:
            order = sorted({v for edge in grown for v in edge})
            return [labels[v] for v in order], [(order.index(a), order.index(b)) for a, b in grown]


def transactions(graphs):
    lines = []
    for number, (labels, edges) in enumerate(graphs):
        lines.append(f"t # {number}")
        lines += [f"v {v} {label}" for v, label in enumerate(labels)]
        lines += [f"e {a} {b} 0" for a, b in edges]
    return "\n".join(lines) + "\n"


def molecule(labels, edges, query):
    mol = Chem.RWMol()
    for label in labels:
        atom = Chem.AtomFromSmarts(f"[#{label}]") if query else Chem.Atom(label)
        if not query:
            atom.SetNoImplicit(True)
        mol.AddAtom(atom)
    for number, (a, b) in enumerate(edges):
        mol.AddBond(a, b, Chem.BondType.SINGLE)
        if query:
            mol.ReplaceBond(number, Chem.BondFromSmarts("~"))
    mol.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(mol)
    return mol.GetMol()


def ours(patterns, data, found):
    command = ["cargo", "run", "--quiet", "--release", "-p", "einsicht-cli", "--", "match", patterns, data]
    command += ["-o", found, "--threads", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["seconds"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=ROOT / "../shared/data/tu/NCI1")
    parser.add_argument("--patterns", type=int, default=100)
    parser.add_argument("--edges", default="3-10")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    RDLogger.DisableLog("rdApp.*")

    graphs = read_tu(options.folder)
    dice = random.Random(options.seed)
    least, most = (int(word) for word in options.edges.split("-"))
    patterns = [grow(dice, graphs, least + i % (most - least + 1)) for i in range(options.patterns)]
    molecules = [molecule(*graph, query=False) for graph in graphs]
    queries = [molecule(*pattern, query=True) for pattern in patterns]

    with tempfile.TemporaryDirectory() as folder:
        wanted, data, found = (pathlib.Path(folder) / name for name in ("wanted.gspan", "data.gspan", "found.jsonl"))
        wanted.write_text(transactions(patterns))
        data.write_text(transactions(graphs))
        ours(wanted, data, found)  # Builds the program.
        our_seconds, their_seconds = [], []
        # In turn, so that a busy machine slows both.
        for _ in range(options.rounds):
            our_seconds.append(ours(wanted, data, found))
            start = time.perf_counter()
            matrix = [[mol.HasSubstructMatch(query) for mol in molecules] for query in queries]
            their_seconds.append(time.perf_counter() - start)
        lines = [json.loads(line) for line in found.read_text().splitlines()]

    our_matrix = [[False] * len(graphs) for _ in patterns]
    for row, line in zip(our_matrix, lines, strict=True):
        for graph in line["graphs"]:
            row[int(graph)] = True
    pairs = len(graphs) * len(patterns)
    ratios = sorted(theirs / ours for ours, theirs in zip(our_seconds, their_seconds, strict=True))
    report = {
        "data": options.folder.resolve().name,
        "patterns": len(patterns),
        "pairs": pairs,
        "matches": sum(map(sum, matrix)),
        "equal": our_matrix == matrix,
        "our_pairs_per_second": round(pairs / min(our_seconds)),
        "rdkit_pairs_per_second": round(pairs / min(their_seconds)),
        "times_faster": {"least": round(ratios[0], 1), "median": round(ratios[len(ratios) // 2], 1)},
        "rdkit": rdkit.__version__,
    }
    print(json.dumps(report, indent=2))
    sys.exit(0 if report["equal"] and report["times_faster"]["median"] >= GATE else 1)


if __name__ == "__main__":
    main()
