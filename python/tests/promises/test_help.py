"""The help of everything public: each parameter with its description and its real default; types that checkers accept.
"""

import doctest
import importlib
import inspect
import json
import operator
import re
import subprocess
import sys
from pathlib import Path

import pytest
from program import ROOT, SMILES

import einsicht as es
import einsicht.model_selection


def public():
    """Every public function and method of the package, with its name."""
    for name in es.__all__:
        thing = getattr(es, name)
        if inspect.isfunction(thing):
            yield name, thing
        if isinstance(thing, type):
            for word in dir(thing):
                member = getattr(thing, word) if not word.startswith("_") else None
                if inspect.isroutine(member) and (getattr(inspect.unwrap(member), "__module__", None) or "").startswith(
                    "einsicht"
                ):
                    yield f"{name}.{word}", member


@pytest.mark.parametrize(("name", "function"), list(public()), ids=[name for name, _ in public()])
def test_every_parameter_is_described_with_its_default(name, function):
    doc = inspect.getdoc(function)
    assert doc, name
    parameters = [one for one in inspect.signature(function).parameters.values() if one.name not in ("self", "cls")]
    if parameters:
        assert "Parameters\n----------\n" in doc
    for one in parameters:
        entry = re.search(rf"^\**{one.name}( : (?P<stated>.*))?\n    (?P<about>\S.*)", doc, re.MULTILINE)
        assert entry, f"{name}: {one.name}"
        if one.default is not one.empty:
            assert (entry["stated"] or "").endswith(f"default {one.default!r}"), f"{name}: {one.name}"


@pytest.mark.parametrize("kind", [es.EINClassifier, es.EINRegressor, es.SubgraphTransformer])
def test_the_help_of_an_estimator_has_every_parameter_with_default_and_range(kind):
    doc = inspect.getdoc(kind)
    for name, one in inspect.signature(kind).parameters.items():
        entry = re.search(rf"^{name} : .*, default (.*)\n    \S", doc, re.MULTILINE)
        assert entry, name
        if one.default is not None and not isinstance(one.default, str):
            assert entry[1] == repr(one.default)
    numbers = re.findall(r"^(\w+) : (?:int|float|sequence of int).*\n((?:    .*\n)+)", doc, re.MULTILINE)
    table = [name for name, text in numbers if "Allowed: " in " ".join(text.split())]
    assert {"sizes", "max_edges", "min_support", "ridge", "trees", "lambdas", "patience", "folds"} <= set(table)


def test_what_users_look_for_comes_first_in_completion():
    model = es.EINClassifier()
    words = [word for word in dir(model) if not word.startswith("_")]
    assert {"predict", "predict_proba", "fit", "explain", "get_params"} <= set(words)
    # Parameters are documented and have their place in get_params; among what a model can do they would be two of three
    # words.
    assert not set(words) & set(model.get_params()) and len(words) < 45, words
    fitted = es.EINClassifier(max_edges=1, sizes=(1,)).fit(SMILES[:10], [0] * 5 + [1] * 5)
    assert "patterns_" in dir(fitted) and fitted.max_edges == 1
    assert not [
        word for word in words if word.startswith("set_") and "on_bad" in str(inspect.signature(getattr(model, word)))
    ]


SNIPPET = """
import einsicht as es
import numpy as np
from typing import assert_type

graphs = es.GraphSet.from_smiles(["CCO", "CCN"])
assert_type(graphs, es.GraphSet)
assert_type(graphs[0], es.Graph)
assert_type(graphs[:1], es.GraphSet)
model = es.EINClassifier(max_edges=3, sizes=(1, 2)).fit(graphs, [0, 1])
assert_type(model, es.EINClassifier)
assert_type(model.predict(graphs), np.ndarray)
proba = model.predict_proba(graphs)[:, 1]
assert_type(es.EINRegressor.load("m"), es.EINRegressor)
assert_type(model.at_size(2), es.EINClassifier)
assert_type(model.patterns_[0], es.Pattern)
assert_type(model.explain(graphs), es.Explanation)
assert_type(model.surrogate_tree(), es.SurrogateTree)
"""


def modules():
    """Every module of the package that can be imported here."""
    for file in sorted((Path(es.__file__).parent).rglob("*.py")):
        name = ".".join(file.relative_to(Path(es.__file__).parent.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        )
        try:
            yield importlib.import_module(name)
        except ImportError as problem:
            assert "torch" in str(problem), problem


def test_the_examples_of_all_docstrings_run():
    tried = {module.__name__: doctest.testmod(module) for module in modules()}
    assert not [name for name, found in tried.items() if found.failed]
    assert sum(found.attempted for found in tried.values()) >= 40 and tried["einsicht._estimators"].attempted >= 4


@pytest.mark.parametrize(
    "name",
    [name for name in es.__all__ if not name.startswith("_")]
    + [f"model_selection.{name}" for name in es.model_selection.__all__],
)
def test_every_public_name_has_text_and_an_example(name):
    doc = inspect.getdoc(operator.attrgetter(name)(es))
    assert doc and "Examples\n--------\n>>> " in doc, name


def test_the_example_of_the_package_runs():
    lines = [line[4:] for line in es.__doc__.splitlines() if line.startswith("    ")]
    assert len(lines) == 4
    names = {"smiles": SMILES, "y": ["O" in text for text in SMILES]}
    exec(compile("\n".join(lines), "einsicht", "exec"), names)
    assert len(names["model"].predict(SMILES)) == len(SMILES)


def blocks():
    """The Python code of the README and of all pages of the documentation, and that of the tutorial as one."""
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        yield from (
            (page.name, block)
            for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        )
    notebook = json.loads((ROOT / "docs/tutorial.ipynb").read_text(encoding="utf-8"))
    yield "tutorial.ipynb", "\n".join(
        "".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"
    )


def test_types_satisfy_a_strict_checker(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "snippet.py").write_text(SNIPPET)
    free = (
        "import einsicht as es\nfrom typing import Any\nfrom einsicht import *\ndf: Any = None\ngraphs: Any = None\ny:"
        " Any = None\nclf: Any = None\n"
    )
    files = [tmp_path / "snippet.py"]
    assert {"README.md", "python.md", "torch-and-clusters.md", "tutorial.ipynb"} <= {page for page, _ in blocks()}
    for at, (page, block) in enumerate(blocks()):
        files.append(tmp_path / f"block_{at}.py")
        files[-1].write_text(f"# {page}\n{free}{block}")
    options = [
        "--strict",
        "--ignore-missing-imports",
        "--follow-imports=silent",
        "--no-error-summary",
        "--disable-error-code=name-defined",
        "--disable-error-code=no-redef",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *map(str, files)], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stdout + done.stderr
    wrong = [f"es.{kind}(head='rf')" for kind in ("EINClassifier", "EINRegressor", "SubgraphTransformer")]
    (tmp_path / "wrong.py").write_text("\n".join(["import einsicht as es", *wrong]))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "wrong.py"], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.stdout.count("[arg-type]") + done.stdout.count("[typeddict-item]") == 3, done.stdout
