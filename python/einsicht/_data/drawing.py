"""Drawings: SVG that a notebook shows, and files."""

from __future__ import annotations

import os
import re
from pathlib import Path

from einsicht._docstrings import documented

#: Letters of one colour, each at a place of its own.
_LETTERS = re.compile(r'<text( class="[^"]*") x="([^"]* [^"]*)" y="([^"]*)">([^<]*)</text>')


@documented
class Drawing(str):
    """An SVG; a notebook shows it."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file of the format that its name ends in: .svg, or .png and .pdf, which need `cairosvg` (pip install
        cairosvg).
        """
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
            raise ImportError(
                f"a {kind} file needs cairosvg (pip install cairosvg); an .svg file needs nothing"
            ) from None
        convert = cairosvg.svg2png if kind == ".png" else cairosvg.svg2pdf
        convert(
            bytestring=_LETTERS.sub(_apart, str(self)).encode(), write_to=str(path), scale=2, background_color="white"
        )

    def _repr_svg_(self) -> str:
        return str(self)


def _apart(found: re.Match[str]) -> str:
    """Each letter as a text: CairoSVG centres a list of letters as if they stood side by side."""
    kind, xs, ys, letters = found.groups()
    return "".join(
        f'<text{kind} x="{x}" y="{y}">{letter}</text>'
        for x, y, letter in zip(xs.split(), ys.split(), letters, strict=True)
    )
