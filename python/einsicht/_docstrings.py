"""Docstrings in the form of numpydoc: each parameter with its type and its real default, which are taken from the
signature.

Words about parameters that many functions have are written once, here. Changes nothing but docstrings and, for
functions that pass keywords on, signatures. Tested in `python/tests/promises/test_help.py`: no parameter is without a
description.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

#: Width of the text, so that it fits the help of a terminal.
WIDTH = 116

#: Type and meaning of parameters that many functions have.
COMMON = {
    "X": (
        "GraphSet, list, or column of a data frame",
        (
            "Graphs, or SMILES, or graphs of RDKit, networkx or PyTorch Geometric. A fitted model reads lists as the"
            " graphs of its training were read."
        ),
    ),
    "y": ("array or data frame", "One value per graph, or one column per task; None, NaN and NA are missing values."),
    "sample_weight": ("array", "One weight per graph, at least 0."),
    "path": ("str or path", "Name of the file."),
    "size": ("int", "A size of the path: see ``path_``."),
    "depth": ("int", "Depth of the surrogate tree, at least 1."),
    "task": ("int or str", "Number of the task, or its name in ``tasks_``."),
    "target": ("str or int", "Name or number of the target to explain; all if it is not given."),
    "max_graphs": ("int", "Number of graphs that the page shows one by one."),
    "on_bad": (
        '{"stop", "skip", "nan"}',
        (
            "What becomes of rows that cannot be read: an error that names the row, left out, or NaN in their places."
            " None is the parameter of the estimator."
        ),
    ),
    "estimator": (
        "EINClassifier, EINRegressor or SubgraphTransformer",
        "Its parameters are those of the trainings; it is not changed.",
    ),
    "eval_set": ("(X, y)", "Validation set."),
    "n_jobs": ("int", "Workers of joblib; None is one, -1 one per core. The results do not depend on it."),
    "unknown_classes": (
        '{"stop", "skip"}',
        "Classes that the model does not know are an error, or are left out and counted.",
    ),
    "input_features": ("None", "Not used; scikit-learn passes it."),
    "options": ("", "Options of all readers: see `GraphSet`."),
    "graphs": ("list", "The graphs."),
    "graph": ("Graph, SMILES, or graph of another library", "One graph, read as the training graphs were."),
    "limit": ("int", "Largest number of occurrences to look for, at least 1."),
    "i": ("int", "Position of the graph."),
    "quantity": ("int or str", "What is explained: its position in ``quantities``, or its name."),
    "batches": ("iterable", "Arrow record batches or tables."),
    "column": ("str", "Name of the column with SMILES."),
    "probabilities": ("bool", "Whether there are columns of probabilities too."),
    "indices": ("list of int or of bool", "Positions, or a mask."),
    "axis": ("int", "Not used; scikit-learn passes it."),
    "bootstrap": ("int", "Number of resamples, at least 1."),
    "smiles": ("list of str, or str", "The SMILES, or the name of their column."),
    "molecules": ("list", "Molecules of RDKit."),
    "frame": ("data frame", "A data frame of pandas or polars."),
}

_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.*)$")


def numpydoc(function: Any) -> None:
    """Gives a function the section of its parameters."""
    text, examples = without_examples(inspect.getdoc(function) or "")
    described, lines = _described(text)
    entries = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name in ("self", "cls"):
            continue
        kind, words = COMMON.get(name, ("", ""))
        about = described.get(name) or words
        about = textwrap.fill(
            about[:1].upper() + about[1:],
            WIDTH,
            initial_indent="    ",
            subsequent_indent="    ",
            break_long_words=False,
            break_on_hyphens=False,
        )
        stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
        default = "" if parameter.default is parameter.empty else f"default {parameter.default!r}"
        stated = ", ".join(word for word in (kind or _type(parameter), default) if word)
        entries.append(f"{stars}{name} : {stated}\n{about}" if stated else f"{stars}{name}\n{about}")
    if entries:
        function.__doc__ = "\n".join([*lines, "", "Parameters", "----------", *entries, "", examples])


def without_examples(doc: str) -> tuple[str, str]:
    """A docstring without its examples, and these: numpydoc wants them last."""
    text, header, examples = doc.partition("Examples\n--------\n")
    return text.rstrip(), header + examples


def documented(kind: type[T]) -> type[T]:
    """Does that for the public methods that a class defines itself."""
    for name, member in vars(kind).items():
        function = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        if not name.startswith("_") and inspect.isfunction(function):
            numpydoc(function)
    return kind


def takes_options_of(other: Callable[..., Any], *left_out: str) -> Callable[[T], T]:
    """Gives a method that passes ``**options`` on the signature and the descriptions of the function that gets them."""

    def with_options(function: Any) -> Any:
        own = [
            parameter
            for parameter in inspect.signature(function).parameters.values()
            if parameter.kind is not parameter.VAR_KEYWORD
        ]
        passed = [parameter for name, parameter in inspect.signature(other).parameters.items() if name not in left_out]
        given = [*own, *(one for one in passed if one.kind is one.KEYWORD_ONLY)]
        function.__signature__ = inspect.Signature(
            given, return_annotation=inspect.signature(function).return_annotation
        )
        described, _ = _described(inspect.getdoc(other) or "")
        listed = "\n".join(f"{name} : {about}" for name, about in described.items())
        text, examples = without_examples(inspect.getdoc(function) or "")
        function.__doc__ = f"{text}\n\n{listed}\n\n{examples}"
        return function

    return with_options


def _described(doc: str) -> tuple[dict[str, str], list[str]]:
    """The descriptions ``name : text`` of a docstring by name, and the lines before and after them."""
    described: dict[str, str] = {}
    lines: list[str] = []
    names: list[str] = []
    for line in doc.splitlines():
        entry = _ENTRY.match(line)
        if entry:
            names = entry[1].split(", ")
            described.update(dict.fromkeys(names, entry[2]))
        elif names and line.startswith(" "):
            described.update({name: f"{described[name]} {line.strip()}" for name in names})
        else:
            names = []
            lines.append(line)
    while lines and not lines[-1].strip():
        lines.pop()
    return described, lines


def _type(parameter: inspect.Parameter) -> str:
    word = "" if parameter.annotation is parameter.empty else str(parameter.annotation)
    return "" if word in ("Any", "") else word
