"""Pictures of the README and the site: the report page, and three subgraphs. Run by `cargo xtask screenshots`.

Everything is made from a set of the repository (testdata/sets/MUTAG) by the package that is installed, and photographed
by a headless Chromium, so that the pictures show what users see. A picture above 200 kB is an error.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

import einsicht as es

ROOT = Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs/figures"
SETS = ROOT / "testdata/sets"
#: Bytes that a picture may have.
LARGEST = 200_000
#: Names under which the browser may be installed; EINSICHT_BROWSER names another one.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def main() -> int:
    browser = os.environ.get("EINSICHT_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print(f"screenshots need a browser: one of {', '.join(BROWSERS)}, or EINSICHT_BROWSER", file=sys.stderr)
        return 1
    names = {"vertex_names": SETS / "mutag-atoms.txt", "edge_names": SETS / "mutag-bonds.txt"}
    graphs = es.GraphSet.from_tu(SETS / "MUTAG", **names)
    y = pd.Series(["yes" if label == 1 else "no" for label in graphs.y.astype(int)], name="mutagenic")
    model = es.EINClassifier(max_edges=6, sizes=(1, 2, 3, 5, 8)).fit(graphs, y)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        model.report(page, graphs, y)
        photograph(browser, page, FIGURES / "page.png", (1180, 712))
        few = Path(folder) / "subgraphs.html"
        few.write_text(three_subgraphs(model, graphs), encoding="utf-8")
        photograph(browser, few, FIGURES / "subgraphs.png", (900, 250))
    too_large = [
        path.name for path in (FIGURES / "page.png", FIGURES / "subgraphs.png") if path.stat().st_size > LARGEST
    ]
    if too_large:
        print(f"pictures must have at most {LARGEST} bytes, but {', '.join(too_large)} have more", file=sys.stderr)
    return 1 if too_large else 0


def three_subgraphs(model: es.EINClassifier, graphs: es.GraphSet) -> str:
    """The three subgraphs with the largest effects, as a row."""
    effects = model.effects()
    strongest = sorted(range(len(model.patterns_)), key=lambda at: -abs(effects.values[at, 0]))[:3]
    cells = []
    for at in strongest:
        pattern, effect = model.patterns_[at], effects.values[at, 0]
        cells.append(
            f"<figure>{pattern._repr_svg_()}<figcaption><b>{effect:+.2f}</b> to the probability of being"
            f" mutagenic<br>in {pattern.support} of {len(graphs)} molecules</figcaption></figure>"
        )
    style = (
        "body{font:15px system-ui,sans-serif;display:flex;gap:36px;justify-content:center;align-items:end;"
        "margin:12px;background:#fff}"
        "figure{margin:0;text-align:center}figcaption{margin-top:8px}svg{max-height:150px}"
    )
    return f"<!doctype html><meta charset=utf-8><style>{style}</style>{''.join(cells)}"


def photograph(browser: str, page: Path, picture: Path, size: tuple[int, int]) -> None:
    picture.parent.mkdir(parents=True, exist_ok=True)
    words = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=5000"]
    words += [f"--screenshot={picture}", f"--window-size={size[0]},{size[1]}", page.as_uri()]
    subprocess.run([browser, *words], check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
