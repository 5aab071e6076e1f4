"""How graphs are read: the options that decide their labels, of parameters, of a `GraphSet` and of a model.

What they mean, and which differences are refused, is decided by the native part; here they only change their form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from einsicht import _core
from einsicht._data.checks import word

#: Parameters of the estimators that say how lists of graphs are read.
PARAMETERS = ("edge_labels", "hydrogens", "molecule_labels", "largest_fragment", "backend")


#: What may become of rows that cannot be read.
ON_BAD = ("stop", "skip", "nan")


class ReadAs(NamedTuple):
    """How a list of graphs is read: options of the native readers, and keywords of the constructors by their source."""

    options: dict[str, Any]
    keywords: dict[str, Any]

    def of_molecules(self) -> dict[str, Any]:
        """Options for molecules."""
        return self.options

    def keeping_rows(self, on_bad: str) -> ReadAs:
        """The same; unless bad rows are errors, they keep their places."""
        word("on_bad", on_bad, ON_BAD)
        return self._replace(options={**self.options, "on_bad": "stop" if on_bad == "stop" else "nan"})

    def of_labelled(self) -> dict[str, Any]:
        """Options for labelled graphs: hydrogens of molecules are not theirs, and labels of atoms neither."""
        options = {name: given for name, given in self.options.items() if name != "molecule_labels"}
        if "molecule_labels" in self.options and "like" in options:
            options.pop("hydrogens", None)
        return options


def of_parameters(estimator: Any) -> ReadAs:
    """As the parameters of an estimator say."""
    given = {name: getattr(estimator, name) for name in PARAMETERS if getattr(estimator, name) is not None}
    backend = given.pop("backend", None)
    if "molecule_labels" in given:
        given["molecule_labels"] = _words(given["molecule_labels"])
    return ReadAs(given, {} if backend is None else {"backend": backend})


def of_model(model: _core.Model) -> ReadAs:
    """As the graphs of the training of a model were read."""
    options = json.loads(model.reading())
    kept = {name: options[name] for name in ("hydrogens", "molecule_labels") if name in options}
    return ReadAs({"like": model, **kept}, options.get("keywords", {}))


def of_graphs(graphs: _core.Graphs) -> ReadAs:
    """As these graphs were read."""
    options = described(graphs.reading())
    keywords = {name: options.pop(name) for name in ("backend", "networkx", "pyg") if name in options}
    return ReadAs(options, keywords)


def described(reading: str) -> dict[str, Any]:
    """How graphs were read, by the names of the options of the constructors."""
    options = json.loads(reading)
    found = dict(options.pop("keywords", {}))
    for fact in ("dropped", "all_hydrogens"):
        options.pop(fact, None)
    if options.pop("ignores_edge_labels", False):
        found["edge_labels"] = "ignore"
    return {**options, **found}


def parameters_of(model: _core.Model) -> dict[str, Any]:
    """Parameters with which an estimator reads lists as the model does."""
    options = described(model.reading())
    if options.get("hydrogens") == "drop" and "molecule_labels" in options:
        del options["hydrogens"]  # readers of molecules drop them anyway
    return {name: options[name] for name in PARAMETERS if options.get(name)}


def check_parameters(graphs: _core.Graphs, estimator: Any) -> None:
    """Refuses graphs that were read another way than the parameters of the estimator say."""
    given, read = of_parameters(estimator).options, described(graphs.reading())
    found = []
    if (given.get("edge_labels") or "auto") != "auto" and (given["edge_labels"] == "ignore") != (
        read.get("edge_labels") == "ignore"
    ):
        found.append(("edge_labels", given["edge_labels"], read.get("edge_labels", "use")))
    for name, same in (("hydrogens", str), ("molecule_labels", set)):
        if given.get(name) is not None and name in read and _as(same, given[name]) != same(read[name]):
            found.append((name, given[name], read[name]))
    if given.get("largest_fragment") is not None and bool(given["largest_fragment"]) != read.get(
        "largest_fragment", False
    ):
        found.append(("largest_fragment", given["largest_fragment"], read.get("largest_fragment", False)))
    if found:
        words = "; ".join(f"{name} is {wanted!r}, and {have!r} in X" for name, wanted, have in found)
        raise ValueError(
            f"graphs must be read as the parameters of the estimator say, but {words}: drop the parameters, or"
            " read X with them"
        )


def _as(kind: Any, given: Any) -> Any:
    """Options in a form that compares; what has none differs from all."""
    try:
        return kind(given)
    except TypeError:
        return None


def deviations(given: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of a constructor that are not the usual ones, as JSON can represent them."""
    plain = {name: list(value) if isinstance(value, (tuple, range)) else value for name, value in given.items()}
    return {name: value for name, value in plain.items() if value != usual[name]}


def _words(given: Any) -> Any:
    """One word as a list; what is no list is refused by the readers."""
    return [given] if isinstance(given, str) else list(given) if isinstance(given, (tuple, set)) else given
