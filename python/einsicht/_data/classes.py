"""Classes as the caller wrote them, in `classes_` and in the model file: their type and their order."""

from __future__ import annotations

from typing import Any

import numpy as np

from einsicht._data.targets import ranks
from einsicht._data.tokens import class_values


def usual(names: list[str]) -> np.ndarray:
    """The classes of a model that says nothing about them, from their names: integers if all of them are, sorted."""
    return np.sort(class_values(names))


def described(classes: np.ndarray | None, names: list[str]) -> dict[str, Any] | None:
    """What the file must say about classes with these names, by rank, so that `restored` gives them back; None if
    nothing.
    """
    if classes is None:
        return None
    plain = usual(names)
    if plain.dtype == classes.dtype and np.array_equal(plain, classes):
        return None
    return {"kind": _kind(classes), "dtype": classes.dtype.str, "order": ranks(classes).tolist()}


def restored(names: list[str], kept: dict[str, Any] | None) -> np.ndarray:
    """The classes with these names, by rank, as `described` describes them."""
    if kept is None:
        return usual(names)
    convert = {"bool": lambda text: text == "True", "int": int, "float": float, "str": str}[kept["kind"]]
    return np.array([convert(names[rank]) for rank in kept["order"]], dtype=np.dtype(kept["dtype"]))


def turned(classes: list[np.ndarray | None]) -> list[int]:
    """The tasks with two classes whose second one, which scores and explanations are about, is the first of the native
    part: "2" of "10" and "2".
    """
    return [task for task, own in enumerate(classes) if own is not None and len(own) == 2 and ranks(own)[0] == 1]


def _kind(classes: np.ndarray) -> str:
    by_type = {"b": "bool", "i": "int", "u": "int", "f": "float"}
    if classes.dtype.kind != "O":
        return by_type.get(classes.dtype.kind, "str")
    for kind, types in (("bool", (bool, np.bool_)), ("int", (int, np.integer)), ("float", (int, float, np.number))):
        if all(isinstance(value, types) for value in classes.tolist()):
            return kind
    return "str"
