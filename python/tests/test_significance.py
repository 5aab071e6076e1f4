"""`significant`: adjusted p-values against brute force in numpy, and the faces against one another.

Brute force: all subgraphs as `einsicht mine` lists them, the same permutations by a second implementation of the
generator, the definition of the step-down p-value, and no pruning.
"""

import json
import math

import numpy as np
import pytest
from program import ROOT, SMILES, einsicht

import einsicht as es

SETS = ROOT / "testdata/sets"
PERMUTATIONS = 199
MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645
MASK = (1 << 128) - 1


class Pcg64:
    """PCG XSL RR 128/64."""

    def __init__(self, seed, stream):
        self.step = stream << 1 | 1
        self.state = (seed + self.step) & MASK
        self._advance()

    def _advance(self):
        self.state = (self.state * MULTIPLIER + self.step) & MASK

    def bits(self):
        self._advance()
        word, turn = (self.state >> 64) ^ self.state & (1 << 64) - 1, self.state >> 122
        word &= (1 << 64) - 1
        return (word >> turn | word << (64 - turn)) & (1 << 64) - 1

    def shuffled(self, items):
        items = list(items)
        for last in range(len(items) - 1, 0, -1):
            end = last + 1
            bits = self.bits()
            while bits >= 2**64 - 2**64 % end:
                bits = self.bits()
            at = bits % end
            items[last], items[at] = items[at], items[last]
        return items


def permutations(graphs, strata, seed):
    """For each permutation and graph, the graph whose target it gets."""
    drawn = np.zeros((PERMUTATIONS, graphs), int)
    for number in range(PERMUTATIONS):
        random = Pcg64(seed, number)
        for stratum in range(max(strata) + 1):
            members = [at for at in range(graphs) if strata[at] == stratum]
            drawn[number, members] = random.shuffled(members)
    return drawn


def scores(supports, y):
    """For each support and row of targets: minus the logarithm of Fisher's doubled tail, or the standardised sum."""
    graphs, sizes = supports.shape[1], supports.sum(axis=1)
    if y.dtype.kind == "f":
        sums = supports @ (y - y.mean(axis=1, keepdims=True)).T
        rest = np.maximum(sizes * (graphs - sizes), 1)
        return np.abs(sums) / np.sqrt(rest)[:, None] * (sizes < graphs)[:, None]
    own = int(y[0].sum())
    hits = supports @ y.T
    table = {}
    for size in set(sizes.tolist()):
        ways = [math.comb(own, k) * math.comb(graphs - own, size - k) if k <= size else 0 for k in range(own + 1)]
        total = math.comb(graphs, size)
        for k in range(own + 1):
            # Whole numbers up to here: ties are exact.
            tail = 2 * min(sum(ways[: k + 1]), sum(ways[k:]))
            table[size, k] = -math.log(min(1.0, tail / total)) if tail else 0.0
    return np.array([[table[size, k] for k in row] for size, row in zip(sizes.tolist(), hits.tolist())])


def brute_force(supports, targets, strata, seed):
    """Adjusted p-values of each support and target."""
    drawn = permutations(supports.shape[1], strata, seed)
    observed = np.concatenate([scores(supports, y[None])[:, 0] for y in targets])
    permuted = np.concatenate([scores(supports, y[drawn]) for y in targets])
    order = np.argsort(observed)
    p, largest = np.zeros(len(observed)), np.full(PERMUTATIONS, -np.inf)
    at = 0
    while at < len(order):
        end = at
        while end < len(order) and observed[order[end]] <= observed[order[at]] + 1e-9:
            largest = np.maximum(largest, permuted[order[end]])
            end += 1
        reached = (largest >= observed[order[at]] - 1e-9).sum()
        p[order[at:end]] = (1 + reached) / (PERMUTATIONS + 1)
        at = end
    p[order[::-1]] = np.maximum.accumulate(p[order[::-1]])
    return p.reshape(len(targets), len(supports))


def mined(path, max_edges, ids):
    """The different supports of all subgraphs, one row each."""
    found = einsicht("mine", path, "--max-edges", max_edges, "--min-edges", 0, "--top", 10**6)["top"]
    place = {name: at for at, name in enumerate(ids)}
    rows = {tuple(sorted(place[name] for name in one["graphs"])) for one in found}
    supports = np.zeros((len(rows), len(ids)), int)
    for support, graphs in zip(supports, sorted(rows)):
        support[list(graphs)] = 1
    return supports


CASES = [
    ("MUTAG", 4, None),
    ("MUTAG", 4, "size"),
    ("cpdb_100.gspan", 3, None),
    ("ENZYMES_60", 2, None),
    ("tox21_ahr_200.csv", 3, None),
    ("esol_220.csv", 3, "numbers"),
]


@pytest.mark.parametrize(("name", "max_edges", "how"), CASES)
def test_p_values_are_those_of_brute_force(name, max_edges, how, tmp_path):
    """Up to the level they are equal; beyond it nothing is listed. Rare subgraphs were left out."""
    path = SETS / name
    words = {"tox21_ahr_200.csv": ["--target", "toxic"], "esol_220.csv": ["--target", "log_solubility"]}.get(name, [])
    strata = ["--strata", "size"] if how == "size" else []
    options = ["--max-edges", max_edges, "--permutations", PERMUTATIONS, "--seed", 3, *words]
    file = tmp_path / "found.jsonl"
    document = einsicht("significant", path, *options, *strata, "-o", file, "--threads", 1)
    assert document == einsicht("significant", path, *options, *strata, "--threads", 4)
    found = [json.loads(line) for line in file.read_text().splitlines()]
    assert found == document["findings"]
    graphs = read(path, words)
    y = np.asarray(graphs.y)
    ids, known = list(graphs.ids), [at for at, value in enumerate(y.tolist()) if value == value]
    assert len(known) == len(ids)
    supports = mined(path, max_edges, ids)
    if how == "numbers":
        targets, names = [y.astype(float)], [None]
    else:
        classes = sorted(set(y.tolist()))
        tested = classes[1:] if len(classes) == 2 else classes
        targets, names = [(y == one).astype(int) for one in tested], [str(one) for one in tested]
    in_strata = eighths([graph.number_of_nodes() for graph in graphs.to_networkx()]) if strata else [0] * len(ids)
    wanted = {}
    for p_values, name_of in zip(brute_force(supports, targets, in_strata, 3), names):
        for support, p in zip(supports, p_values):
            if p <= 0.05:
                wanted[name_of, tuple(np.flatnonzero(support))] = p
    place = {one: at for at, one in enumerate(ids)}
    got = {(one["class"], tuple(sorted(place[name] for name in one["graphs"]))): one["p"] for one in found}
    assert got == pytest.approx(wanted, abs=1e-12)
    if name in ("MUTAG", "esol_220.csv"):
        assert found and document["min_support"] > 1, "something was found, and something left out"


def read(path, words):
    if path.suffix == ".csv":
        return es.GraphSet.read(path, target=words[1])
    return es.GraphSet.from_gspan(path) if path.suffix == ".gspan" else es.GraphSet.from_tu(path)


def eighths(sizes):
    return [8 * sum(other < size for other in sizes) // len(sizes) for size in sizes]


def test_python_finds_what_the_program_finds():
    mutag = es.GraphSet.from_tu(SETS / "MUTAG")
    found = es.significant(mutag, mutag.y, max_edges=4, permutations=PERMUTATIONS, random_state=3)
    options = ["--max-edges", 4, "--permutations", PERMUTATIONS, "--seed", 3]
    program = einsicht("significant", SETS / "MUTAG", *options)
    assert found._facts["findings"] == program["findings"]
    first = found[0]
    wanted = program["findings"][0]
    assert (first.text, first.p, first.support) == (wanted["drawing"], wanted["p"], wanted["support"])
    assert len(found.to_frame()) == len(found) and repr(found).startswith(f"<Associations: {len(found)} of")


def test_strata_may_be_given_and_change_the_answer():
    mutag = es.GraphSet.from_tu(SETS / "MUTAG")
    sizes = eighths([graph.number_of_nodes() for graph in mutag.to_networkx()])
    options = {"max_edges": 3, "permutations": PERMUTATIONS}
    named = es.significant(mutag, mutag.y, strata="size", **options)
    assert named._facts == es.significant(mutag, mutag.y, strata=sizes, **options)._facts
    assert named._facts != es.significant(mutag, mutag.y, **options)._facts


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 0.0}, "alpha must lie between 0 and 1, got 0"),
        ({"permutations": 10}, "at level 0.05 there must be at least 19 permutations, got 10"),
        ({"strata": "colour"}, 'strata must be one of size, scaffold, got "colour"'),
        ({"strata": [0, 1]}, "each of the 40 graphs"),
        ({"max_edges": 0}, "max_edges"),
        ({"min_support": 1.5}, "min_support must be a whole number, or a fraction between 0 and 1, got 1.5"),
        ({"task": "guess"}, 'task must be "auto", "classify" or "regress"'),
    ],
)
def test_what_cannot_be_tested_is_refused(change, message):
    with pytest.raises(ValueError) as refused:
        es.significant(SMILES, ["O" in one for one in SMILES], **change)
    assert message in str(refused.value)


def test_a_constant_target_is_refused_and_many_columns_too():
    with pytest.raises(ValueError, match="the target must vary, but all 40 graphs have the same value"):
        es.significant(SMILES, ["same"] * 40)
    with pytest.raises(ValueError, match="y must have one column, got 2"):
        es.significant(SMILES, [["a", "b"]] * 40)
