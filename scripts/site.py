"""The documentation as a site: copies docs/, runs the code of the gallery, writes the Python reference, and builds all
by MkDocs with strict links.

Run by `cargo xtask site` in the environment of the Python tests, at the root of the repository. Needs the package
einsicht, mkdocs, and nothing from outside. A link that leads nowhere, code of the gallery that fails and a page that
the navigation misses are errors.
"""

import contextlib
import html
import inspect
import io
import logging
import re
import shutil
import sys
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import MkDocsException

import einsicht as es
import einsicht.model_selection

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "target/site-pages"
#: Pages in the order of the navigation; those that do not exist are left out, so that a page may come later.
NAVIGATION = {
    "Start": ["index.md", "gallery.md"],
    "Use": [
        "cli.md",
        "python.md",
        "reference.md",
        "parameters.md",
        "formats.md",
        "splits.md",
        "significance.md",
        "torch-and-clusters.md",
        "verify.md",
    ],
    "Method": ["algorithm.md", "notation.md", "benchmarks.md", "dependencies.md", "decisions.md"],
}

#: Names of the reference that come first; the others follow by name.
FIRST = ["EINClassifier", "EINRegressor", "GraphSet", "Explanation", "Pattern", "SubgraphTransformer"]


def main() -> int:
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    shutil.rmtree(PAGES, ignore_errors=True)
    shutil.copytree(ROOT / "docs", PAGES, ignore=shutil.ignore_patterns("*.ipynb"))
    for page in PAGES.rglob("*.md"):
        page.write_text(without_outside_links(page), encoding="utf-8")
    gallery = PAGES / "gallery.md"
    gallery.write_text(run_code(gallery.read_text(encoding="utf-8")), encoding="utf-8")
    shutil.copy(ROOT / "scripts/site.css", PAGES)
    (PAGES / "reference.md").write_text(reference(), encoding="utf-8")
    (PAGES / "decisions.md").write_text(decisions(), encoding="utf-8")
    config = load_config(str(ROOT / "mkdocs.yml"), nav=navigation())
    try:
        build(config)
    except MkDocsException as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


def navigation() -> list:
    """Sections with those of their pages that exist."""
    there = {title: [page for page in pages if (PAGES / page).is_file()] for title, pages in NAVIGATION.items()}
    return [{title: pages} for title, pages in there.items()]


def decisions() -> str:
    """A list of all decisions: one page of the navigation instead of dozens."""
    pages = sorted((PAGES / "decisions").glob("*.md"))
    titles = [page.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ") for page in pages]
    listed = "".join(f"- [{title}](decisions/{page.name})\n" for page, title in zip(pages, titles, strict=True))
    return f"# Decisions\n\nWhat was decided, what was tried against it, and the figures.\n\n{listed}"


def without_outside_links(page: Path) -> str:
    """Links to files of the repository that are no pages become their names; they must exist."""

    def plain(link: re.Match) -> str:
        text, target = link[1], link[2].split("#")[0]
        if "://" in target or not target:
            return link[0]
        source = (ROOT / "docs" / page.relative_to(PAGES)).parent
        outside = not (source / target).resolve().is_relative_to(ROOT / "docs") or target.endswith(".ipynb")
        return text if outside and (source / target).exists() else link[0]

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", plain, page.read_text(encoding="utf-8"))


def run_code(text: str) -> str:
    """The page with what each block of Python printed and drew below it."""
    shown: list[str] = []

    def picture(drawn: object) -> None:
        svg = drawn._repr_svg_() if hasattr(drawn, "_repr_svg_") else str(drawn)
        shown.append(
            f'<figure style="display:inline-block;margin:8px">{svg}'
            f"<figcaption>{html.escape(caption(drawn))}</figcaption></figure>"
        )

    names: dict = {"picture": picture}

    def run(block: re.Match) -> str:
        shown.clear()
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.chdir(ROOT):
            exec(compile(block[1], "docs/gallery.md", "exec"), names)
        output = f"\n```text\n{printed.getvalue().rstrip()}\n```\n" if printed.getvalue() else ""
        pictures = f"\n<div>{' '.join(' '.join(one.split()) for one in shown)}</div>\n" if shown else ""
        return block[0] + "\n" + output + pictures

    return re.sub(r"```python\n(.*?)```", run, text, flags=re.S)


def caption(drawn: object) -> str:
    return f"{drawn.text}, in {drawn.support} graphs" if isinstance(drawn, es.Pattern) else ""


def reference() -> str:
    """All public names of the package with their docstrings."""
    parts = ["# Python reference\n\nMade from the docstrings of the package; [Python](python.md) tells the story.\n"]
    names = sorted(es.__all__, key=lambda name: (FIRST.index(name) if name in FIRST else len(FIRST), name))
    public = [(name, getattr(es, name)) for name in names if not name.startswith("_")]
    splitters = [(f"model_selection.{name}", getattr(es.model_selection, name)) for name in es.model_selection.__all__]
    for name, thing in public + splitters:
        parts.append(entry(f"## {name}", f"einsicht.{name}", thing))
        members = inspect.getmembers(thing) if inspect.isclass(thing) else []
        for word, member in members:
            is_own = not word.startswith("_") and (
                getattr(member, "__module__", None) or getattr(getattr(member, "fget", None), "__module__", "")
            ).startswith("einsicht")
            if is_own and inspect.getdoc(member):
                parts.append(entry(f"### {name}.{word}", word, member))
    return "\n".join(parts)


def entry(title: str, called: str, thing: object) -> str:
    try:
        signature = str(inspect.signature(thing)) if callable(thing) else ""
    except ValueError:
        signature = ""
    signature = "(...)" if len(signature) > 300 else signature.replace("'", "")
    return f"{title}\n\n```text\n{called}{signature}\n```\n\n{rendered(inspect.getdoc(thing) or '')}\n"


#: What a docstring describes: a name, or several, then its type or what it is.
DESCRIBED = re.compile(r"\*{0,2}(\w+(?:, \w+)*)(?: : (.+))?$")


def rendered(text: str) -> str:
    """A docstring, in the form of numpydoc, as Markdown: parts get headings, what is described becomes a list, examples
    stay as they are.
    """
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", text, flags=re.M)
    shown = [described(parts[0])]
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        shown.append(f"**{title}**\n\n" + (f"```text\n{body.strip()}\n```" if title == "Examples" else described(body)))
    return "\n\n".join(shown)


def described(text: str) -> str:
    """Paragraphs, and below them lists of names with what is said of each."""
    shown: list[str] = []
    lines = text.splitlines()
    for at, line in enumerate(lines):
        found = DESCRIBED.match(line)
        is_name = found and (found[2] or lines[at + 1 : at + 2] and lines[at + 1].startswith("    "))
        if is_name:
            # Its own paragraph, so that a list also begins right below a line of text.
            shown.append(
                ("" if shown and shown[-1].startswith(("- ", "    ")) else "\n")
                + f"- `{found[1]}`"
                + (f": {plain_type(found[2])}" if found[2] else "")
            )
        else:
            shown.append(line)
    return "\n".join(shown).strip()


def plain_type(text: str) -> str:
    """A type with its default as code; a sentence as it is."""
    is_type = re.match(
        r"(\{|int\b|float\b|str\b|bool\b|sequence\b|list\b|dict\b|None\b|object\b|any\b|array\b)|.*\bdefault \S", text
    )
    return f"`{text}`  " if is_type else text


if __name__ == "__main__":
    sys.exit(main())
