"""Patterns that are single vertices and patterns that require properties of vertices: found, shown, explained,
excluded, required.
"""

import pickle

import numpy as np
import pytest
from program import einsicht

import einsicht as es

QUICK = {"max_edges": 2, "head": "linear", "feature": "presence", "threads": 1}
#: Primary and secondary amines: the same atoms and bonds, different hydrogens.
PRIMARY = ["CCCN", "CC(C)N", "NCC(C)C", "CCCCN", "CC(C)(C)N", "CCC(C)N"]
SECONDARY = ["CCNC", "CNC", "CNC(C)C", "CCNCC", "CNC(C)(C)C", "CCCNC"]
AMINES = (PRIMARY + SECONDARY) * 4
KINDS = (["primary"] * 6 + ["secondary"] * 6) * 4
#: Halogens: any of them against none, and chlorine against the others.
HALIDES = ["CCCl", "CCBr", "CCCCl", "CCCBr", "CC(C)Cl", "CC(F)C", "CCC", "CCCC", "CCO", "CC(C)C", "CCCO", "CC(C)O"] * 4
HAS_HALOGEN = np.array([any(element in text for element in ("Cl", "Br", "F")) for text in HALIDES]).astype(int)
HAS_CHLORINE = np.array(["Cl" in text for text in HALIDES]).astype(int)


def only(model):
    (pattern,) = model.patterns_
    return pattern


@pytest.fixture(scope="module")
def amines():
    graphs = es.GraphSet.from_smiles(AMINES)
    return graphs, es.EINClassifier(**QUICK, sizes=(1,)).fit(graphs, KINDS)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, []),
        (
            {"qualifiers": ["hydrogens", "degree"], "max_qualifiers": 2},
            ["--qualifiers", "hydrogens,degree", "--set", "max_qualifiers=2"],
        ),
        ({"qualifiers": "none", "min_edges": 1}, ["--qualifiers", "none", "--set", "min_edges=1"]),
        ({"preset": "ein", "hidden": 2, "feature": "count"}, ["--preset", "ein", "--hidden", 2, "--feature", "count"]),
    ],
)
def test_the_model_is_the_file_of_the_program(tmp_path, options, words):
    table, path = tmp_path / "amines.csv", tmp_path / "program.einsicht"
    table.write_text("smiles,kind\n" + "".join(f"{text},{kind}\n" for text, kind in zip(AMINES, KINDS, strict=True)))
    einsicht("train", table, "-o", path, "--max-edges", 2, "--sizes", "1,3", *words)
    graphs = es.GraphSet.read(table)
    model = es.EINClassifier(max_edges=2, sizes=(1, 3), **options).fit(graphs, graphs.y)
    assert model.model_.to_bytes() == path.read_bytes()
    assert (es.EINClassifier.load(path).predict_proba(graphs) == model.predict_proba(graphs)).all()
    predicted = einsicht("predict", path, table)["predictions"]
    assert [row["class"] for row in predicted] == model.predict(AMINES).tolist()


def test_a_single_vertex_with_a_qualifier_decides_and_says_so(amines):
    graphs, model = amines
    pattern = only(model)
    assert (model.predict(AMINES) == KINDS).all() and pattern.edges == []
    assert pattern.vertices in ([{"label": "N", "qualifiers": ["H2"]}], [{"label": "N", "qualifiers": ["H1"]}])
    (name,) = pattern.vertices[0]["qualifiers"]
    assert (pattern.text, str(pattern), pattern.smarts) == (f"N[{name}]", f"N[{name}]", f"[#7;{name}]")
    assert pattern.words == f"N with {name[1]} H" and model.get_feature_names_out().tolist() == [f"N[{name}]"]
    assert pattern._repr_svg_().startswith("<svg") and pattern.support > 0
    drawn = pattern.to_networkx()
    assert dict(drawn.nodes(data=True)) == {0: {"label": "N", "qualifiers": [name]}} and drawn.number_of_edges() == 0
    inside = [(text in PRIMARY) == (name == "H2") for text in AMINES]
    assert model.transform(graphs)[:, 0].astype(bool).tolist() == inside
    again = pickle.loads(pickle.dumps(model))
    assert only(again).vertices == pattern.vertices and (again.transform(AMINES) == model.transform(graphs)).all()


def test_single_vertices_are_explained(amines):
    graphs, model = amines
    why = model.explain(graphs[:12])
    assert np.allclose(why.output[:, 0], model.decision_function(graphs[:12])) and why.names == [only(model).text]
    column = model.transform(graphs[:12])[:, 0]
    for i in range(12):
        nitrogen = graphs[i].vertices.index("N")
        # Shared by all occurrences of the largest subgraph that the same graphs contain: these amines have two carbon
        # atoms more.
        weights = why.atom_weights(i, over="class")
        assert weights.sum() == pytest.approx(why.values[i, 0, 0] if column[i] else 0)
        assert (weights[nitrogen] != 0) == bool(column[i]) and (np.abs(weights) <= abs(weights[nitrogen])).all()
        assert np.flatnonzero(why.atom_weights(i)).tolist() == ([nitrogen] if column[i] else [])
        assert why.draw(i).startswith("<svg")
    assert model.surrogate_tree(depth=1).fidelity == 1.0
    assert only(model).text in model.report()
    assert model.model_.parts(graphs._core, []) != [] and model.report(X=AMINES[:5]).startswith("<!doctype html>")


def test_halogens_are_called_by_their_elements_or_any_halogen():
    some = only(es.EINClassifier(**QUICK, sizes=(1,)).fit(HALIDES, HAS_HALOGEN))
    assert some.vertices == [{"label": "X", "qualifiers": []}] and some.smarts == "[F,Cl,Br,I]"
    model = es.EINClassifier(**QUICK, sizes=(1,)).fit(HALIDES, HAS_CHLORINE)
    assert only(model).vertices == [{"label": "Cl", "qualifiers": []}] and only(model).text == "Cl"
    assert model.predict(["CCCCCl", "CCCCBr"]).tolist() == [1, 0]
    assert only(es.EINClassifier(**QUICK, sizes=(1,), require=["Cl"]).fit(HALIDES, HAS_HALOGEN)).text == "Cl"
    plain = es.EINClassifier(**QUICK, sizes=(1,), qualifiers="none", require=[only(model)]).fit(HALIDES, HAS_HALOGEN)
    assert only(plain).smarts == "[#17]"


def test_what_was_shown_can_be_excluded_and_required(amines):
    graphs, model = amines
    best = only(model)
    without = es.EINClassifier(**QUICK, sizes=(1,), exclude=[best]).fit(graphs, KINDS)
    assert only(without).text != best.text
    both = es.EINClassifier(**QUICK, sizes=(2,), require=[best, "N"]).fit(graphs, KINDS)
    assert {pattern.text for pattern in both.patterns_} == {best.text, "N"}
    with pytest.raises(ValueError, match="labels and qualifiers of the graphs"):
        es.EINClassifier(**QUICK, qualifiers="none", require=[best]).fit(graphs, KINDS)


def test_resamples_choose_qualified_vertices(amines):
    graphs, _ = amines
    found = es.stability(es.EINClassifier(**QUICK, sizes=(1,)), graphs, KINDS, bootstrap=3)
    assert found[0].words.startswith("N with ") and found[0].vertices[0]["label"] == "N" and found[0].edges == []


def test_properties_come_along_from_every_source(tmp_path):
    graphs = es.GraphSet.from_smiles(["CCO", "C[NH3+]", "[O-]C"])
    assert graphs.vertex_properties == {"charge": ["-1", "1"], "hydrogens": ["0", "1", "2", "3"]}
    assert graphs[1].properties == {"charge": [None, "1"], "hydrogens": ["3", "3"]}
    assert graphs[:1].vertex_properties["charge"] == []
    assert pickle.loads(pickle.dumps(graphs)) == graphs and pickle.loads(pickle.dumps(graphs[2])) == graphs[2]
    assert es.GraphSet.from_networkx(graphs.to_networkx()) == graphs
    bare = es.GraphSet.from_networkx(graphs.to_networkx(), vertex_properties=[])
    assert bare != graphs and bare.vertex_properties == {} and bare[0] != graphs[0]
    assert (graphs[:1] + graphs[1:]) == graphs


def test_molecules_of_rdkit_have_all_hydrogens_and_charges():
    Chem = pytest.importorskip("rdkit.Chem", reason="needs rdkit (pip install rdkit)")
    smiles = [
        "C[NH3+]",
        "[O-]C(=O)c1ccccc1",
        "[2H]C([2H])O",
        "[Na+].[Cl-]",
        "c1cc[nH]c1",
        "[H][H]",
        "*C",
        "[BH4-]",
        "[NH3]->[Fe]",
    ]
    ours = es.GraphSet.from_smiles(smiles)
    assert es.GraphSet.from_rdkit([Chem.MolFromSmiles(text) for text in smiles]) == ours
    explicit = [Chem.AddHs(Chem.MolFromSmiles(text)) for text in ["CCO", "C[NH3+]"]]
    assert es.GraphSet.from_rdkit(explicit, hydrogens="drop") == es.GraphSet.from_smiles(["CCO", "C[NH3+]"])
    assert es.GraphSet.from_rdkit(explicit)[0].properties["hydrogens"][:3] == ["3", "2", "1"]


def coloured():
    """Paths of three vertices; the class is whether the middle one is red."""
    colours = [["red", "blue", None], ["blue", "red", "blue"], ["red", "blue", "red"], [None, "red", "red"]] * 8
    return [[(0, 1), (1, 2)]] * 32, colours, [0, 1, 0, 1] * 8


def test_properties_of_the_users_own_decide():
    networkx = pytest.importorskip("networkx")
    edges, colours, y = coloured()
    graphs = es.GraphSet.from_edges(edges, vertex_properties={"colour": colours})
    model = es.EINClassifier(**QUICK, sizes=(1,), max_qualifiers=2).fit(graphs, y)
    assert (model.predict(graphs) == y).all()
    assert sorted(name for vertex in only(model).vertices for name in vertex["qualifiers"]) in (
        ["colour=red", "degree=2"],
        ["colour=blue", "degree=2"],
    )
    there = []
    for own in colours:
        there.append(networkx.path_graph(3))
        for at, colour in enumerate(own):
            if colour is not None:
                there[-1].nodes[at]["colour"] = colour
    assert es.GraphSet.from_networkx(there, vertex_properties=["colour"]) == graphs
    assert (model.predict(es.GraphSet.from_networkx(there, vertex_properties=["colour"])) == y).all()
    numbers = es.GraphSet.from_edges([[(0, 1)]], vertex_properties={"size": [[1.0, np.nan]]})
    assert numbers[0].properties == {"size": ["1", None]}


class Data:
    """As much of a graph of PyTorch Geometric as is read: a path of three vertices, with one attribute each."""

    edge_index, num_nodes = np.array([[0, 1, 1, 2], [1, 0, 2, 1]]), 3

    def __init__(self, column):
        self.x = np.array(column, float).reshape(3, 1)


def test_attributes_of_few_values_are_properties():
    columns = [[1, 0, 0], [0, 1, 0], [1, 0, 1], [0, 1, 1]] * 8
    graphs = es.GraphSet.from_pyg([Data(column) for column in columns], vertex_labels=None, attributes=[0])
    y = [column[1] for column in columns]
    model = es.EINClassifier(**QUICK, sizes=(1,), max_qualifiers=2, summary="none").fit(graphs, y)
    required = sorted(name for vertex in only(model).vertices for name in vertex["qualifiers"])
    assert (model.predict(graphs) == y).all() and required in (
        ["attribute_1=0", "degree=2"],
        ["attribute_1=1", "degree=2"],
    )
    many = es.GraphSet.from_pyg([Data([at, at + 0.5, 0]) for at in range(32)], vertex_labels=None, attributes=[0])
    auto = es.EINClassifier(**QUICK, sizes=(1,), summary="none").fit(many, y)
    assert not any("attribute" in pattern.text for pattern in auto.patterns_)


def test_graphs_without_the_properties_of_a_model_are_refused(amines):
    _, model = amines
    bare = es.GraphSet.from_edges([[(0, 1, "single")]], [["C", "N"]])
    for use in (model.predict, model.predict_proba, model.transform, model.decision_function, model.explain):
        with pytest.raises(ValueError, match='must have the property "hydrogens"'):
            use(bare)
    without = es.EINClassifier(**QUICK, sizes=(1,), qualifiers="none").fit(AMINES, KINDS)
    assert without.predict(bare).shape == (1,)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (
            lambda: es.GraphSet.from_edges([[(0, 1)]], vertex_properties={"colour": [["red"]]}),
            ValueError,
            "graph 0: 2 vertices need one value of colour each",
        ),
        (
            lambda: es.GraphSet.from_edges([[(0, 1)]], vertex_properties={"colour": []}),
            ValueError,
            "'colour' must have one list per graph",
        ),
        (
            lambda: es.GraphSet.from_edges([[(0, 1)]], vertex_properties={"degree": [[1, 1]]}),
            ValueError,
            "'degree' is computed from the graphs",
        ),
        (
            lambda: es.GraphSet.from_edges([[(0, 1)]], vertex_properties={3: [[1, 1]]}),
            TypeError,
            "must be a string, got 3",
        ),
        (lambda: es.EINClassifier(qualifiers="colour").fit(AMINES, KINDS), ValueError, 'there is no "colour"'),
        (lambda: es.EINClassifier(qualifiers="no/such.csv").fit(AMINES, KINDS), ValueError, "no/such.csv"),
        (
            lambda: es.EINClassifier(min_edges=2).fit(AMINES, KINDS),
            ValueError,
            "min_edges must be a whole number from 0 to 1, got 2",
        ),
        (
            lambda: es.EINClassifier(qualifiers="none", max_qualifiers=1).fit(AMINES, KINDS),
            ValueError,
            "max_qualifiers needs",
        ),
    ],
)
def test_bad_properties_and_qualifiers_are_named(make, error, words):
    with pytest.raises(error) as raised:
        make()
    assert words in str(raised.value), str(raised.value)


def test_a_table_of_properties_is_read(tmp_path):
    edges, colours, y = coloured()
    rows = [
        f"{graph},{vertex},{colour or ''}\n" for graph, own in enumerate(colours) for vertex, colour in enumerate(own)
    ]
    (tmp_path / "colours.csv").write_text("graph,vertex,colour\n" + "".join(rows))
    graphs = es.GraphSet.from_edges(edges)
    model = es.EINClassifier(**QUICK, sizes=(2,), qualifiers=tmp_path / "colours.csv").fit(graphs, y)
    assert model.params_["qualifiers"] == "colour"
    given = es.GraphSet.from_edges(edges, vertex_properties={"colour": colours})
    assert len(model.predict(given)) == 32
    with pytest.raises(ValueError, match='must have the property "colour"'):
        model.predict(graphs)
