"""The way of reading belongs to the model and to its file: lists and files are read that way, graphs read another way
are refused.
"""

import csv
import itertools
import json
import pickle
import subprocess

import numpy as np
import pytest
from program import PROGRAM, ROOT, einsicht
from sklearn.base import clone

import einsicht as es

#: Pyridines, piperidines, anilines and salts: what distinguishes them is in the labels of atoms.
SMILES = [
    "c1ccncc1C",
    "C1CCNCC1C",
    "Nc1ccccc1",
    "NC1CCCCC1",
    "C[N+](C)(C)C",
    "CN(C)C",
    "[H]OCC",
    "[H]NCC",
    "c1ccoc1",
    "C1CCOC1",
] * 4
Y = np.array([1, 0, 1, 0, 1, 0, 1, 0, 1, 0] * 4)
QUICK = {"max_edges": 3, "sizes": (1, 3), "threads": 1}

#: Every option that decides labels, with the words that a refusal names.
WAYS = {
    "aromatic": ({"molecule_labels": ["aromatic"]}, "molecule labels: elements and aromatic, and elements only here"),
    "charge": ({"molecule_labels": ["charge"]}, "molecule labels: elements and charge, and elements only here"),
    "hydrogens in labels": ({"molecule_labels": ["hydrogens"]}, "molecule labels"),
    "no edge labels": ({"edge_labels": "ignore"}, "edge labels"),
    "hydrogens kept": ({"hydrogens": "keep"}, "explicit hydrogens: kept, and dropped here"),
}


@pytest.fixture(params=WAYS)
def way(request):
    return WAYS[request.param]


def write_table(path):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([["smiles", "y"], *zip(SMILES, Y, strict=True)])
    return path


def probabilities(document):
    return [row["probabilities"]["1"] for row in document["predictions"]]


def test_lists_and_files_are_read_as_the_training_graphs(way, tmp_path):
    options, named = way
    graphs = es.GraphSet.from_smiles(SMILES, **options)
    model = es.EINClassifier(**QUICK).fit(graphs, Y)
    wanted = model.predict_proba(graphs)
    assert (model.predict_proba(SMILES) == wanted).all() and model.score(SMILES, Y) == model.score(graphs, Y)
    path, table = tmp_path / "model.einsicht", write_table(tmp_path / "table.csv")
    model.save(path)
    for again in (es.EINClassifier.load(path), pickle.loads(pickle.dumps(model))):
        assert (again.predict_proba(SMILES) == wanted).all()
        with pytest.raises(ValueError, match=named):
            again.predict(es.GraphSet.from_smiles(SMILES))
    assert probabilities(einsicht("predict", path, table)) == wanted[:, 1].tolist()
    found = einsicht("evaluate", path, table)
    assert found["seen"]["graphs"] == len(SMILES)
    assert einsicht("verify", path, table)["verified"]
    # The graphs as they are, written down and read again.
    assert pickle.loads(pickle.dumps(graphs)).reading == graphs.reading


def test_graphs_read_another_way_are_refused_everywhere(way):
    options, named = way
    model = es.EINClassifier(**QUICK).fit(es.GraphSet.from_smiles(SMILES, **options), Y)
    plain = es.GraphSet.from_smiles(SMILES)
    for use in (
        model.predict,
        model.predict_proba,
        model.decision_function,
        model.transform,
        model.explain,
        model.effects,
        model.surrogate_tree,
        model.out_of_fold_predict,
        lambda graphs: model.evaluate(graphs, Y),
        lambda graphs: model.report(X=graphs),
        lambda graphs: model.score(graphs, Y),
    ):
        with pytest.raises(ValueError, match=named):
            use(plain)
    with pytest.raises(ValueError, match="those before them"):
        plain + es.GraphSet.from_smiles(SMILES, **options)


def test_the_program_refuses_options_that_contradict(tmp_path):
    path, table = tmp_path / "model.einsicht", write_table(tmp_path / "table.csv")
    for options, contradicting, named in [
        (
            {"edge_labels": "ignore"},
            ["--edge-labels", "use"],
            "edge labels: there were none to see, and they are used here",
        ),
        ({"hydrogens": "keep"}, ["--hydrogens", "drop"], "explicit hydrogens: kept, and dropped here"),
        ({}, ["--hydrogens", "keep"], "explicit hydrogens: dropped, and kept here"),
        ({}, ["--edge-labels", "ignore"], "edge labels: they were used, and they are ignored here"),
    ]:
        es.EINClassifier(**QUICK).fit(es.GraphSet.from_smiles(SMILES, **options), Y).save(path)
        for command in (["predict"], ["explain"], ["evaluate"], ["report", "-o", tmp_path / "page.html"]):
            words = [*PROGRAM, command[0], path, table, *command[1:], *contradicting]
            done = subprocess.run(list(map(str, words)), capture_output=True, text=True, cwd=ROOT)
            assert done.returncode != 0 and named in done.stderr, (words, done.stderr)


def test_the_program_writes_the_model_that_python_writes(tmp_path):
    path = tmp_path / "model.einsicht"
    table = write_table(tmp_path / "table.csv")
    einsicht("train", table, "-o", path, "--max-edges", 3, "--sizes", "1,3", "--edge-labels", "ignore")
    graphs = es.GraphSet.read(table, edge_labels="ignore")
    model = es.EINClassifier(**QUICK).fit(graphs, graphs.y)
    assert model.model_.to_bytes() == path.read_bytes()
    again = es.EINClassifier.load(path)
    assert again.edge_labels == "ignore" and (again.predict_proba(SMILES) == model.predict_proba(graphs)).all()


def test_reading_options_are_parameters(way):
    options, named = way
    graphs = es.GraphSet.from_smiles(SMILES, **options)
    by_parameters = es.EINClassifier(**QUICK, **options).fit(SMILES, Y)
    assert by_parameters.model_.to_bytes() == es.EINClassifier(**QUICK).fit(graphs, Y).model_.to_bytes()
    assert clone(by_parameters).fit(graphs, Y).model_.to_bytes() == by_parameters.model_.to_bytes()
    name, given = next(iter(options.items()))
    with pytest.raises(ValueError, match=f"{name} is {given!r}".replace("[", r"\[").replace("]", r"\]")):
        es.EINClassifier(**QUICK, **options).fit(es.GraphSet.from_smiles(SMILES), Y)
    # Fitted again on other graphs, the parameters count, not the model that was.
    twice = es.EINClassifier(**QUICK).fit(graphs, Y).fit(SMILES, Y)
    assert twice.model_.to_bytes() == es.EINClassifier(**QUICK).fit(SMILES, Y).model_.to_bytes()


def test_a_validation_list_is_read_as_the_training_graphs(way):
    options, _ = way
    graphs = es.GraphSet.from_smiles(SMILES, **options)
    by_list = es.EINClassifier(**QUICK).fit(graphs, Y, eval_set=(SMILES, Y))
    by_set = es.EINClassifier(**QUICK).fit(graphs, Y, eval_set=(graphs, Y))
    assert by_list.model_.to_bytes() == by_set.model_.to_bytes()


def test_molecules_of_rdkit_are_read_as_smiles():
    Chem = pytest.importorskip("rdkit.Chem", reason="needs rdkit (pip install rdkit)")
    molecules = [Chem.MolFromSmiles(text) for text in SMILES]
    for options in ({}, {"molecule_labels": ["aromatic"]}):
        model = es.EINClassifier(**QUICK).fit(es.GraphSet.from_smiles(SMILES, backend="rdkit", **options), Y)
        wanted = model.predict_proba(SMILES)
        assert json.loads(model.model_.reading())["keywords"] == {"backend": "rdkit"}
        native = es.EINClassifier(**QUICK).fit(es.GraphSet.from_smiles(SMILES, **options), Y)
        assert (wanted == native.predict_proba(SMILES)).all()
        # Explicit hydrogens are dropped, as they were in training.
        explicit = [Chem.AddHs(molecule) for molecule in molecules]
        assert (native.predict_proba(explicit) == native.predict_proba(molecules)).all()
        assert (native.predict_proba(molecules) == wanted).all()
        with pytest.raises(ValueError, match="explicit hydrogens: they were dropped, and they are kept here"):
            native.predict(es.GraphSet.from_rdkit(explicit, **options))


def test_attributes_of_networkx_are_kept(tmp_path):
    networkx = pytest.importorskip("networkx", reason="needs networkx (pip install networkx)")

    def graph(text):
        made = networkx.path_graph(3)
        for node, letter in enumerate(text):
            made.nodes[node]["element"] = letter
        networkx.set_edge_attributes(made, "single", "bond")
        return made

    graphs = [graph(text) for text in ("CCO", "CCN", "OCO", "NCN", "COC", "CNC") * 4]
    y = [1, 0] * 12
    read = es.GraphSet.from_networkx(graphs, vertex_label="element", edge_label="bond")
    assert read.reading == {"networkx": {"vertex_label": "element", "edge_label": "bond"}}
    model = es.EINClassifier(**QUICK).fit(read, y)
    model.save(tmp_path / "m")
    for fitted in (model, es.EINClassifier.load(tmp_path / "m")):
        assert (fitted.predict(graphs) == fitted.predict(read)).all() and fitted.score(graphs, y) == 1.0


#: Molecules of one or two fragments, with explicit hydrogens and without.
MIXTURES = [text + (".[Cl-]" if at % 5 == 4 else "") for at, text in enumerate(SMILES)]
OPTIONS = {
    "molecule_labels": [["aromatic", "charge", "hydrogens"]],
    "edge_labels": ["ignore", "use"],
    "hydrogens": ["keep", "drop"],
    "largest_fragment": [True],
    "backend": ["rdkit"],
}


def all_ways():
    """Every mixture of reading options that mix."""
    choices = [[(name, value) for value in (None, *values)] for name, values in OPTIONS.items()]
    for pairs in itertools.product(*choices):
        options = {name: value for name, value in pairs if value is not None}
        if not {"backend", "largest_fragment"} <= set(options):
            yield options


@pytest.fixture(scope="module")
def fitted():
    """For every way of reading its graphs and a model."""
    pytest.importorskip("rdkit", reason="needs rdkit (pip install rdkit)")
    found = []
    for options in all_ways():
        graphs = es.GraphSet.from_smiles(MIXTURES, **options)
        found.append((options, graphs, es.EINClassifier(**QUICK).fit(graphs, Y)))
    assert len(found) == 54
    return found


def test_a_set_read_one_way_is_refused_by_a_model_of_another_or_predicted_equally(fitted):
    """Whatever mixture of options: equal predictions, or a refusal that names what differs."""
    named, same = set(), 0
    for (_, graphs, model), (_, others, _) in itertools.product(fitted, fitted):
        try:
            predicted = model.predict_proba(others)
        except ValueError as problem:
            named |= {
                word
                for word in ("molecule labels", "edge labels", "explicit hydrogens", "fragments")
                if word in str(problem)
            }
            assert "must be read as those of the training were" in str(problem)
        else:
            assert (predicted == model.predict_proba(graphs)).all()
            same += 1
    assert len(named) == 4 and len(fitted) < same < len(fitted) ** 2 / 4


def test_models_of_every_way_go_to_the_program_and_back(fitted, tmp_path):
    path, trained = tmp_path / "python.einsicht", tmp_path / "program.einsicht"
    table = tmp_path / "table.csv"
    with open(table, "w", newline="") as file:
        csv.writer(file).writerows([["smiles", "y"], *zip(MIXTURES, Y, strict=True)])
    words = {"edge_labels": "--edge-labels", "hydrogens": "--hydrogens"}
    for options, graphs, model in fitted[::3]:
        wanted = model.predict_proba(graphs)
        model.save(path)
        for again in (model, es.EINClassifier.load(path)):
            assert (again.predict_proba(MIXTURES) == wanted).all(), options
        assert probabilities(einsicht("predict", path, table)) == wanted[:, 1].tolist(), options
        assert (clone(es.EINClassifier.load(path)).fit(MIXTURES, Y).predict_proba(MIXTURES) == wanted).all(), options
        if {"molecule_labels", "backend"} & set(options):
            continue  # the program does not have these
        given = [word for name, word in words.items() if name in options for word in (word, options[name])]
        given += ["--largest-fragment"] if options.get("largest_fragment") else []
        einsicht("train", table, "--target", "y", "-o", trained, "--max-edges", 3, "--sizes", "1,3", *given)
        back = es.EINClassifier.load(trained)
        assert (back.predict_proba(MIXTURES) == wanted).all() and (back.predict_proba(graphs) == wanted).all(), options


def test_fragments_are_a_parameter():
    model = es.EINClassifier(**QUICK, largest_fragment=True).fit(MIXTURES, Y)
    assert (
        model.model_.to_bytes()
        == es.EINClassifier(**QUICK).fit(es.GraphSet.from_smiles(MIXTURES, largest_fragment=True), Y).model_.to_bytes()
    )
    with pytest.raises(ValueError, match="largest_fragment is True, and False in X"):
        es.EINClassifier(**QUICK, largest_fragment=True).fit(es.GraphSet.from_smiles(MIXTURES), Y)
    with pytest.raises(ValueError, match="fragments: all, and only the largest here"):
        es.GraphSet.from_smiles(MIXTURES) + es.GraphSet.from_smiles(MIXTURES, largest_fragment=True)


def test_hydrogens_that_were_atoms_at_fit_must_be_atoms_later():
    Chem = pytest.importorskip("rdkit.Chem", reason="needs rdkit (pip install rdkit)")
    plain = [Chem.MolFromSmiles(text) for text in SMILES]
    full = [Chem.AddHs(molecule) for molecule in plain]
    model, bare = es.EINClassifier(**QUICK).fit(full, Y), es.EINClassifier(**QUICK).fit(plain, Y)
    written = [Chem.MolToSmiles(molecule) for molecule in full]
    kept = es.EINClassifier(**QUICK, hydrogens="keep").fit(written, Y)
    for wrong in (plain, plain[:1], SMILES):
        with pytest.raises(ValueError, match="hydrogens: (all were vertices|they were kept|kept)"):
            model.predict(wrong)
        with pytest.raises(ValueError, match="hydrogens: all were vertices, and some are not"):
            kept.predict([text if isinstance(text, str) else Chem.MolToSmiles(text) for text in wrong])
    with pytest.raises(ValueError, match="hydrogens: none was a vertex, and all are"):
        bare.predict(full)
    assert (model.predict(full[::-1]) == model.predict(full)[::-1]).all()
    assert (bare.predict(plain) == bare.predict(SMILES)).all()
    assert pickle.loads(pickle.dumps(model)).predict(full[:2]).shape == (2,)
    assert "all_hydrogens" not in es.GraphSet.from_rdkit(full).reading
