"""False discoveries and power of `significant`, counted; the output is lab/results/significance.txt.

Needs the package and scipy. Real graphs of the repository (testdata/sets), targets that are made. Under the null no
subgraph goes with the target: at level 5 % at most 8 % of the sets should have a finding (more than 16 of 200 would be
a chance of 2 %). With heavy tails one value decides every sum, so the largest one has few values and nothing is ever
found: that is safe, and without power. Then a rule is planted, and its group is counted as found or not, beside
Bonferroni over the same groups.
"""

from pathlib import Path

import numpy as np
from scipy.stats import hypergeom

import einsicht as es

SETS = Path(__file__).resolve().parents[2] / "testdata/sets"
OPTIONS = {"max_edges": 3, "permutations": 999}


def unbalanced(random, graphs):
    return random.permutation(np.arange(len(graphs)) % 10 == 0)


def balanced(random, graphs):
    return random.permutation(np.arange(len(graphs)) % 2 == 0)


def three_classes(random, graphs):
    return random.permutation(np.arange(len(graphs)) % 3)


def heavy_tails(random, graphs):
    return random.standard_t(1.5, len(graphs))


def sized(random, graphs):
    """Large graphs are active: no discovery within strata of size."""
    sizes = np.array([graph.number_of_nodes() for graph in graphs.to_networkx()])
    rank = np.searchsorted(np.sort(sizes), sizes)
    strata = 8 * rank // len(sizes)
    return random.random(len(graphs)) < 0.1 + 0.1 * strata


def false_discoveries(graphs, target, sets, **options):
    """In how many of the sets anything is found."""
    found = 0
    for seed in range(sets):
        y = target(np.random.default_rng(seed), graphs)
        task = "regress" if y.dtype.kind == "f" else "classify"
        found += len(es.significant(graphs, y, task=task, random_state=seed, **OPTIONS, **options)) > 0
    return found


def power(graphs, effect, sets):
    """How often a planted group is found: by permutation, by Bonferroni."""
    rule = es.significant(graphs, graphs.y, alpha=0.99, **OPTIONS)
    members = [one for one in rule if 0.2 * len(graphs) <= one.support <= 0.4 * len(graphs)]
    place = {name: at for at, name in enumerate(graphs.ids)}
    by_permutation = by_bonferroni = 0
    for seed in range(sets):
        random = np.random.default_rng(seed)
        inside = np.zeros(len(graphs), bool)
        wanted = {place[name] for name in members[seed % len(members)].graphs}
        inside[list(wanted)] = True
        y = random.random(len(graphs)) < 0.3 + effect * inside
        found = es.significant(graphs, y, random_state=seed, **OPTIONS)
        by_permutation += any({place[name] for name in one.graphs} == wanted for one in found)
        hits, own, size = int(y[inside].sum()), int(y.sum()), int(inside.sum())
        tails = hypergeom.cdf(hits, len(y), own, size), hypergeom.sf(hits - 1, len(y), own, size)
        by_bonferroni += 2 * min(tails) * found.groups <= 0.05
    return by_permutation, by_bonferroni


def main():
    mutag = es.GraphSet.from_tu(SETS / "MUTAG")
    esol = es.GraphSet.read(SETS / "esol_220.csv", target="log_solubility")
    print("False discoveries at level 5 %, sets with any finding among 200")
    for name, graphs in (("MUTAG", mutag), ("ESOL", esol)):
        for target in (balanced, unbalanced, three_classes, heavy_tails):
            print(f"  {name:6} {target.__name__:14} {false_discoveries(graphs, target, 200):4}")
    for strata in (None, "size"):
        print(f"  MUTAG  sized, strata {strata!s:5} {false_discoveries(mutag, sized, 100, strata=strata):3} of 100")
    print("Planted groups found, of 60: by permutation, by Bonferroni over the groups that were listed")
    for effect in (0.2, 0.3, 0.4):
        print("  MUTAG  rate 0.3 + {}  {:3} {:3}".format(effect, *power(mutag, effect, 60)))


if __name__ == "__main__":
    main()
