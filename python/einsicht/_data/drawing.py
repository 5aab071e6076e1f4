"""Drawings: SVG that a notebook shows, and files."""

from __future__ import annotations

import os
from pathlib import Path

from einsicht._docstrings import documented


@documented
class Drawing(str):
    """An SVG; a notebook shows it."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file of the format that its name ends in: .svg, or .png and .pdf, which need `cairosvg` (pip install cairosvg)."""
        path = Path(path)
        kind = path.suffix.lower()
        if kind == ".svg":
            path.write_text(str(self), encoding="utf-8")
            return
        if kind not in (".png", ".pdf"):
            raise ValueError(f'a drawing is saved as .svg, .png or .pdf, but the name ends in "{path.suffix}": {path}')
        try:
            import cairosvg
        except ImportError:
            raise ImportError(f"a {kind} file needs cairosvg (pip install cairosvg); an .svg file needs nothing") from None
        convert = cairosvg.svg2png if kind == ".png" else cairosvg.svg2pdf
        convert(bytestring=str(self).encode(), write_to=str(path), scale=2, background_color="white")

    def _repr_svg_(self) -> str:
        return str(self)
