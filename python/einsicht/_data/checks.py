"""Checks of single arguments: messages say what must hold, what was given, and speak Python."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

import numpy as np


def whole(name: str, given: Any, least: int, most: int | None = None) -> int:
    """A whole number in a range."""
    is_whole = isinstance(given, (int, np.integer)) and not isinstance(given, (bool, np.bool_))
    if not is_whole or given < least or (most is not None and given > most):
        wanted = f"from {least}" + ("" if most is None else f" to {most}")
        raise ValueError(f"{name} must be a whole number {wanted}, got {given!r}")
    return int(given)


def word(name: str, given: Any, choices: tuple[str, ...]) -> str:
    """One of some words."""
    if not isinstance(given, str) or given not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}, got {given!r}")
    return given


def position(what: str, given: Any, count: int) -> int:
    """A position in a list; negative ones count from the end."""
    if not isinstance(given, (int, np.integer)) or isinstance(given, (bool, np.bool_)):
        raise TypeError(f"the number of a {what} must be an integer, got {given!r}")
    if not -count <= given < count:
        raise IndexError(f"there are {count} {what}s, but index {given} was given")
    return int(given) % count


def file_name(name: str, given: Any, hint: str = "") -> str:
    """The name of a file."""
    if not isinstance(given, (str, os.PathLike)):
        raise TypeError(f"{name} must be the name of a file, got a {type(given).__name__}{hint}")
    return os.fspath(given)


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """A warning that names the line of the caller's own code."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("einsicht", "sklearn"):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
