"""Subgraphs that go with a target beyond chance."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from einsicht import _core
from einsicht._data.checks import whole
from einsicht._data.convert import as_graph_set
from einsicht._data.targets import as_table, native, plain, tasks_of, without_gaps
from einsicht._docstrings import documented, numpydoc


def significant(
    X: Any,
    y: Any,
    *,
    max_edges: int = 6,
    min_edges: int = 0,
    min_support: int | float | str = 1,
    qualifiers: str | Sequence[str] = "none",
    alpha: float = 0.05,
    permutations: int = 10_000,
    strata: Any = None,
    task: str = "auto",
    random_state: int = 0,
    threads: int | None = None,
) -> Associations:
    """Find the subgraphs that go with y beyond chance, corrected for all that were searched, as `einsicht significant`.

    Each group of subgraphs in the same graphs is tested and compared with the most extreme one under permuted targets
    (Westfall and Young, step-down). The chance that any listed subgraph is a false discovery is at most `alpha`.

    y : one target; graphs without a value are left out.
    max_edges : largest number of edges of a subgraph.
    min_edges : 0 also tests single vertices.
    min_support : smallest number, or fraction, of graphs with a subgraph.
    qualifiers : properties of vertices that a subgraph may require: "auto", "none", or names.
    alpha : largest adjusted p-value of a listed subgraph.
    permutations : the smallest p-value is 1 / (permutations + 1).
    strata : exchange only graphs of the same stratum: "size", "scaffold", or one value per graph.
    task : "classify", "regress", or "auto": numbers that are not whole are numbers, all else is classes.
    random_state : seed of the permutations.
    threads : number of threads; None is one per core.

    Examples
    --------
    >>> import einsicht as es
    >>> smiles = ["C" * n + end for n in range(1, 11) for end in "OC"]
    >>> found = es.significant(smiles, ["alcohol", "alkane"] * 10, max_edges=1, permutations=199)
    >>> [(one.text, one.p) for one in found]
    [('O', 0.005)]
    """
    graphs = as_graph_set(X)
    if task not in ("auto", "classify", "regress"):
        raise ValueError(f'task must be "auto", "classify" or "regress", got {task!r}')
    seen = plain(without_gaps(as_table(y).ravel()))
    numbers = seen.dtype.kind == "f" and bool((seen != np.floor(seen)).any())
    tasks, single = tasks_of(y, graphs, classify=task == "classify" or (task == "auto" and not numbers))
    if not single:
        raise ValueError(f"y must have one column, got {len(tasks)}: each is a question of its own")
    options = {
        "min_edges": whole("min_edges", min_edges, 0, 1),
        "max_edges": whole("max_edges", max_edges, 1, 31),
        "min_support": _support(min_support),
        "qualifiers": qualifiers if isinstance(qualifiers, str) else ",".join(qualifiers),
        "permutations": whole("permutations", permutations, 1, 2**32 - 1),
        "alpha": float(alpha),
        "seed": whole("random_state", random_state, 0, 2**63 - 1),
        "threads": threads,
    }
    if strata is not None and not isinstance(strata, str):
        strata = np.unique(np.asarray(strata), return_inverse=True)[1].ravel().tolist()
    return Associations(json.loads(_core.significant(graphs._core, native(tasks)[0], strata, options)))


def _support(given: Any) -> str:
    """A number of graphs, or a part of them as a percentage."""
    if isinstance(given, (float, np.floating)):
        if not 0 < given < 1:
            raise ValueError(f"min_support must be a whole number, or a fraction between 0 and 1, got {given!r}")
        return f"{float(given) * 100!r}%"
    return given if isinstance(given, str) else str(whole("min_support", given, 1))


@documented
class Association:
    """A group of subgraphs in the same graphs that goes with a target.

    Examples
    --------
    >>> import einsicht as es
    >>> smiles = ["C" * n + end for n in range(1, 11) for end in "OC"]
    >>> first = es.significant(smiles, ["alcohol", "alkane"] * 10, max_edges=1, permutations=199)[0]
    >>> first.smarts, first.support, first.target_class, first.with_it, first.without_it
    ('[#8]', 10, 'alkane', 0.0, 1.0)
    """

    __slots__ = ("_facts",)

    def __init__(self, facts: dict[str, Any]) -> None:
        self._facts = facts

    @property
    def text(self) -> str:
        """The smallest subgraph of the group on one line: ``C-N``."""
        return self._facts["drawing"]

    @property
    def smarts(self) -> str | None:
        """The same as SMARTS, if its labels are elements."""
        return self._facts["smarts"]

    @property
    def others(self) -> int:
        """Number of further subgraphs in exactly these graphs."""
        return self._facts["others"]

    @property
    def graphs(self) -> list[str]:
        """Identifiers of the graphs that contain it."""
        return self._facts["graphs"]

    @property
    def support(self) -> int:
        """Their number."""
        return self._facts["support"]

    @property
    def target_class(self) -> str | None:
        """The class that is tested against the rest; None for numbers."""
        return self._facts["class"]

    @property
    def with_it(self) -> float:
        """Share of the class, or mean of the target, in graphs with the subgraph."""
        return self._facts["with"]

    @property
    def without_it(self) -> float | None:
        """The same in graphs without it; None if there are none."""
        return self._facts["without"]

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % interval of the difference, for this subgraph alone: not widened for all that were searched."""
        found = self._facts["interval"]
        return None if found is None else (found[0], found[1])

    @property
    def z(self) -> float:
        """Difference from what is expected, in standard deviations under permutation."""
        return self._facts["z"]

    @property
    def p_alone(self) -> float | None:
        """The exact p-value of this test alone, not corrected; None for numbers."""
        return self._facts["p_alone"]

    @property
    def p(self) -> float:
        """The p-value, adjusted for everything that was searched."""
        return self._facts["p"]

    def __repr__(self) -> str:
        return f"<Association {self.text}: {self.support} graphs, z {self.z:+.1f}, p {self.p:.2g}>"


@documented
class Associations(Sequence[Association]):
    """What `significant` found, the most significant first.

    Examples
    --------
    >>> import einsicht as es
    >>> smiles = ["C" * n + end for n in range(1, 11) for end in "OC"]
    >>> found = es.significant(smiles, ["alcohol", "alkane"] * 10, max_edges=1, permutations=199)
    >>> len(found), found.groups, found.min_support
    (1, 3, 1)
    """

    def __init__(self, facts: dict[str, Any]) -> None:
        self._facts = facts
        self._all = [Association(found) for found in facts["findings"]]

    @property
    def subgraphs(self) -> int:
        """Number of subgraphs that were listed."""
        return self._facts["subgraphs"]

    @property
    def groups(self) -> int:
        """Number of groups of subgraphs in the same graphs: each was tested."""
        return self._facts["groups"]

    @property
    def min_support(self) -> int:
        """Subgraphs in fewer graphs were not listed: if this is more than was asked for, they cannot be significant."""
        return self._facts["min_support"]

    def to_frame(self) -> Any:
        """A table of pandas, one row each."""
        import pandas

        names = "drawing smarts others support class with without difference z p_alone p".split()
        rows = [{name: found[name] for name in names} for found in self._facts["findings"]]
        return pandas.DataFrame(rows, columns=names)

    @overload
    def __getitem__(self, at: int) -> Association: ...
    @overload
    def __getitem__(self, at: slice) -> list[Association]: ...
    def __getitem__(self, at: int | slice) -> Association | list[Association]:
        return self._all[at]

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Association]:
        return iter(self._all)

    def __repr__(self) -> str:
        facts = self._facts
        return f"<Associations: {len(self)} of {facts['groups']} groups at level {facts['alpha']:g}>"


numpydoc(significant)
