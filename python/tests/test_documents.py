"""The page about Python names everything there is; the tutorial and the example of the README run."""

import contextlib
import io
import json
import re
import warnings

import pytest
from program import ROOT

import einsicht as es

PAGE = (ROOT / "docs/python.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in es.__all__ if not name.startswith("_")])
def test_every_public_name_is_documented(name):
    assert f"`{name}`" in PAGE or f"es.{name}" in PAGE
    if not isinstance(getattr(es, name), type):
        return
    made = ("set_fit_request", "set_score_request")  # by scikit-learn
    public = [word for word in vars(getattr(es, name)) if not word.startswith("_") and word not in made]
    missing = [word for word in public if not re.search(rf"\b{word}\b", PAGE)]
    assert not missing, missing


def test_the_citation_and_the_package_have_the_version_of_the_workspace():
    workspace = re.search(
        r'\[workspace.package\]\nversion = "([^"]+)"', (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    )[1]
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)[1]
    assert es.__version__ == cited == workspace


def test_the_example_of_the_readme_prints_what_it_shows(monkeypatch):
    code, shown = re.search(
        r"```python\n(.*?)```\n\n```text\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S
    ).groups()
    monkeypatch.chdir(ROOT)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    assert printed.getvalue() == shown


def test_the_tutorial_runs(tmp_path, monkeypatch):
    notebook = json.loads((ROOT / "docs/tutorial.ipynb").read_text(encoding="utf-8"))
    monkeypatch.chdir(ROOT / "docs")
    names = {"display": lambda *shown: None, "FOLDER": str(tmp_path)}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 8
    for cell in cells:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of labels that only the test set has
            exec(compile("".join(cell["source"]), "tutorial.ipynb", "exec"), names)
        stored = "".join("".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream")
        assert printed.getvalue() == stored, "python scripts/tutorial.py stores the outputs anew"
    assert sum(bool(cell["outputs"]) for cell in cells) >= 8 and "/" + "site-packages" not in json.dumps(notebook)


def test_parameters_are_those_of_the_program():
    import inspect

    from einsicht import _core

    own = {
        "edge_labels",
        "hydrogens",
        "molecule_labels",
        "largest_fragment",
        "backend",
        "exclude",
        "require",
        "random_state",
        "threads",
        "n_jobs",
        "class_weight",
        "memory",
        "warm_start",
        "on_bad",
        "verbose",
    }
    for kind in (es.EINClassifier, es.EINRegressor, es.SubgraphTransformer):
        task = {"task"} if kind is es.SubgraphTransformer else set()
        assert set(inspect.signature(kind).parameters) == set(_core.PARAMETERS) | own | task
