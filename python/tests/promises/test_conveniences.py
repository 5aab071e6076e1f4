"""Conveniences: words of scikit-learn, tables of pandas, subgraphs that can be matched, compared and pickled, sets that
split into sets.
"""

import pickle
import re
import subprocess
import sys

import numpy as np
import pytest
from program import SMILES, einsicht
from sklearn.model_selection import KFold, train_test_split

import einsicht as es

QUICK = {"max_edges": 2, "sizes": (1, 2), "head": "linear", "threads": 1}
Y = np.array([int("O" in text) for text in SMILES])


@pytest.fixture(scope="module")
def model():
    return es.EINClassifier(**QUICK).fit(SMILES, Y)


def test_class_weights_are_those_of_the_program(tmp_path):
    table, file = tmp_path / "table.csv", tmp_path / "model.einsicht"
    y = np.array([0] * 4 + Y[4:].tolist())
    table.write_text("smiles,y\n" + "".join(f"{text},{label}\n" for text, label in zip(SMILES, y)))
    for preset in ("default", "ein"):
        options = {"max_edges": 2, "sizes": (1, 2), "preset": preset, "class_weight": "balanced"}
        words = ["--max-edges", 2, "--sizes", "1,2", "--preset", preset, "--class-weight", "balanced"]
        einsicht("train", table, "--target", "y", "-o", file, *words)
        found = es.EINClassifier(**options).fit(es.GraphSet.read(table, target="y"))
        assert found.model_.to_bytes() == file.read_bytes()


def test_class_weights_are_those_of_scikit_learn():
    y = np.array([0] * 4 + Y[4:].tolist())
    count = np.bincount(y)
    weights = len(y) / (2 * count[y])
    wanted = es.EINClassifier(**QUICK).fit(SMILES, y, sample_weight=weights)
    balanced = es.EINClassifier(**QUICK, class_weight="balanced")
    assert balanced.fit(SMILES, y).model_.to_bytes() == wanted.model_.to_bytes()
    by_name = es.EINClassifier(**QUICK, class_weight={0: 2.0, 1: 1.0}).fit(
        SMILES, y, sample_weight=np.full(len(y), 3.0)
    )
    assert (
        by_name.model_.to_bytes()
        == es.EINClassifier(**QUICK).fit(SMILES, y, sample_weight=np.where(y == 0, 6.0, 3.0)).model_.to_bytes()
    )
    with pytest.raises(ValueError, match="class_weight needs classes"):
        es.EINRegressor(**QUICK, class_weight="balanced").fit(SMILES, y)


def test_words_of_scikit_learn():
    wanted = es.EINClassifier(**{**QUICK, "threads": 2}, select="auc").fit(SMILES, Y).model_.to_bytes()
    plain = {**QUICK, "threads": None}
    assert es.EINClassifier(**plain, n_jobs=2, select="roc_auc").fit(SMILES, Y).model_.to_bytes() == wanted
    assert es.EINClassifier(**plain, n_jobs=-1, select="auc").fit(SMILES, Y).model_.to_bytes() == wanted
    for name, bad, wanted_text in [
        ("threads", -1, "None or at least 1, not -1"),
        ("threads", 0, "not 0"),
        ("n_jobs", 0, "None, -1 or at least 1, not 0"),
        ("threads", 1.5, "not 1.5"),
    ]:
        with pytest.raises(ValueError, match=f"{name} must be .*{wanted_text}"):
            es.EINClassifier(**{**plain, name: bad}).fit(SMILES, Y)


def test_support_as_a_part_of_the_graphs():
    half, twenty = (es.EINClassifier(**QUICK, min_support=least).fit(SMILES, Y) for least in (0.5, 20))
    assert half.model_.to_bytes() == twenty.model_.to_bytes()
    # In floats 0.07 of 100 graphs is above 7: the program says 7, so Python does.
    X, y = (SMILES * 3)[:100], (list(Y) * 3)[:100]
    both = [es.EINClassifier(**QUICK, min_support=least).fit(X, y) for least in (0.07, "7%", 7)]
    assert len({one.model_.to_bytes() for one in both}) == 1
    with pytest.raises(ValueError, match="min_support"):
        es.EINClassifier(**QUICK, min_support=1.5).fit(SMILES, Y)


def test_targets_of_the_source_are_y(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("smiles,y\n" + "".join(f"{text},{value}\n" for text, value in zip(SMILES, Y, strict=True)))
    graphs = es.GraphSet.read(path)
    assert (
        es.EINClassifier(**QUICK).fit(graphs).model_.to_bytes()
        == es.EINClassifier(**QUICK).fit(graphs, graphs.y).model_.to_bytes()
    )
    with pytest.raises(ValueError, match="requires y"):
        es.EINClassifier(**QUICK).fit(SMILES)


def test_tables(model):
    pytest.importorskip("pandas")
    frame = model.patterns_frame()
    assert frame.subgraph.tolist() == model.get_feature_names_out().tolist() and (frame.support > 0).all()
    explanation = model.explain(SMILES[:5])
    table = explanation.to_frame()
    assert len(table) == explanation.values.size
    first = table[(table.graph == explanation.graphs[3].id) & (table.feature == explanation.names[0])]
    assert first.value.iloc[0] == explanation.values[3, 0, 0]


def test_coefficients_where_they_mean_something(model):
    outputs = model.terms(SMILES) @ model.coef_.T + model.intercept_
    assert model.coef_.shape == (1, len(model.term_names_)) and np.allclose(
        outputs[:, 0], model.decision_function(SMILES)
    )
    assert model.term_names_.tolist() == [f"log1p({name})" for name in model.get_feature_names_out()]
    assert np.array_equal(model.terms(SMILES), np.log1p(model.transform(SMILES)))
    importances = model.feature_importances_
    assert len(importances) == len(model.patterns_) == len(model.feature_names_) and importances.sum() == pytest.approx(
        1
    )
    blended = es.EINClassifier(**{**QUICK, "head": "blend"}).fit(SMILES, Y)
    assert not any(hasattr(blended, name) for name in ("coef_", "intercept_", "term_names_"))
    assert blended.feature_importances_.sum() == pytest.approx(1)
    with pytest.raises(AttributeError, match='only head="linear" has coefficients, but head is "blend"'):
        blended.terms(SMILES)
    other = next(size for size in (1, 2) if model.model_.entry_of_size(size) != model.model_.chosen)
    assert (
        model.at_size(other).feature_importances_.sum() == pytest.approx(1) and model.at_size(other).coef_.shape[0] == 1
    )


#: Neither of the two groups says anything; exactly one of them does.
XOR = ["CCO", "CCN", "CCCO", "CCCN", "CCC", "CCCC", "NCCO", "NCCCO"] * 6


def test_the_terms_of_a_pair_are_named_and_add_up():
    y = [("O" in text) != ("N" in text) for text in XOR]
    model = es.EINClassifier(
        max_edges=1, sizes=(2,), head="linear", feature="presence", folds=2, qualifiers="none"
    ).fit(XOR, y)
    assert sorted(model.get_feature_names_out()) == ["N", "O"] and model.score(XOR, y) == 1.0
    first, second = model.get_feature_names_out()
    assert model.term_names_.tolist() == [first, second, f"({first}) * ({second})"]
    outputs = model.terms(XOR) @ model.coef_.T + model.intercept_
    assert np.allclose(outputs[:, 0], model.decision_function(XOR))
    # The two alone say next to nothing: what they say together is the third.
    assert abs(model.coef_[0, 2]) > 5 * abs(model.coef_[0, :2]).max()
    assert model.feature_importances_ == pytest.approx([0.5, 0.5], abs=0.05)


def test_the_terms_of_columns_are_named_and_add_up(tmp_path):
    rng = np.random.default_rng(0)
    graphs = es.GraphSet.from_smiles(XOR, features={"dose": rng.normal(5, 2, len(XOR))})
    y = 3 * graphs.features["dose"] + np.array([text.count("O") for text in XOR])
    model = es.EINRegressor(max_edges=1, sizes=(1,), head="linear", folds=2, qualifiers="none").fit(graphs, y)
    assert model.feature_names_.tolist() == [*model.get_feature_names_out(), "dose"]
    assert model.term_names_.tolist() == [
        *(f"log1p({name})" for name in model.get_feature_names_out()),
        "standardised(dose)",
    ]
    assert np.allclose((model.terms(graphs) @ model.coef_.T + model.intercept_)[:, 0], model.predict(graphs))
    importances = model.feature_importances_
    assert importances[1] > 0.8 and importances.sum() == pytest.approx(1)
    model.save(tmp_path / "m")
    assert np.array_equal(es.EINRegressor.load(tmp_path / "m").feature_importances_, importances)


def test_the_numbers_of_a_subgraph_in_a_graph_are_what_the_page_says():
    options = {"max_edges": 1, "sizes": (1,), "head": "linear", "require": ["CC"], "qualifiers": "none", "threads": 1}
    neopentane = ["CC(C)(C)C"]
    for feature, count in [("count", 3.0), ("mni", 5.0), ("presence", 1.0)]:
        model = es.EINClassifier(**options, feature=feature).fit(SMILES, Y)
        assert model.get_feature_names_out().tolist() == ["C-C"] and model.patterns_[0].count(neopentane[0]) == 4
        assert model.transform(neopentane).tolist() == model.explain(neopentane).data.tolist() == [[count]]
        assert model.terms(neopentane) == pytest.approx(count if feature == "presence" else np.log1p(count))


def test_subgraphs_match_compare_and_pickle(model):
    graphs = es.GraphSet.from_smiles(SMILES)
    for pattern in model.patterns_:
        for graph, text in zip(graphs[:10], SMILES[:10], strict=True):
            places = pattern.matches(graph)
            assert places == pattern.matches(text) and pattern.count(text) == len(places)
            for place in places:
                assert sorted(graph.vertices[at] for at in place) == sorted(
                    vertex["label"] for vertex in pattern.vertices
                )
        again = pickle.loads(pickle.dumps(pattern))
        assert (
            again == pattern
            and hash(again) == hash(pattern)
            and again.text == pattern.text
            and again.count("CCO") == pattern.count("CCO")
        )
    assert len(set(model.patterns_ + es.EINClassifier(**QUICK).fit(SMILES, Y).patterns_)) == len(model.patterns_)
    assert (
        model.patterns_[0] != "C"
        and es.EINClassifier(**QUICK, exclude=[model.patterns_[0]]).fit(SMILES, Y).patterns_[0] != model.patterns_[0]
    )


def test_smarts_can_be_excluded_and_required(model):
    plain = es.EINClassifier(**QUICK).fit(SMILES, Y)
    for options in ({}, {"molecule_labels": ["aromatic", "charge"]}):
        found = es.EINClassifier(**{**QUICK, "sizes": (8,)}, **options).fit(SMILES, Y).patterns_
        assert len(found) > 2
        by_text, by_pattern = (
            es.EINClassifier(**QUICK, **options, exclude=given).fit(SMILES, Y)
            for given in ([one.smarts for one in found], found)
        )
        assert by_text.model_.to_bytes() == by_pattern.model_.to_bytes() and not set(by_text.patterns_) & set(found)
        required = es.EINClassifier(**{**QUICK, "sizes": (8,)}, **options, require=[found[1].smarts]).fit(SMILES, Y)
        assert found[1] in required.patterns_
    assert plain.patterns_[0] in model.patterns_
    for text, problem in [
        ("[#6][#8]", "exclude: a subgraph in SMARTS must be .* but a bond is left out at character 5"),
        ("[#6]~[#8]", "exclude: the graphs have edge labels, so each edge of a subgraph must have one, but number 0"),
        ("[#6;R]", 'exclude: no subgraph of these graphs can require "cycle"'),
        ("[C;H2]", "but an atom says more than element"),
    ]:
        with pytest.raises(ValueError, match=problem):
            es.EINClassifier(**QUICK, exclude=[text]).fit(SMILES, Y)
    unlabelled = es.GraphSet.from_edges([[(0, 1)]], [["C", "O"]])
    with pytest.raises(ValueError, match="exclude: the graphs have edge labels"):
        es.EINClassifier(**QUICK, exclude=list(unlabelled)).fit(SMILES, Y)


def test_a_model_without_subgraphs_keeps_its_rows():
    model = es.EINClassifier(preset="gin", sizes=(0,), max_iterations=2, threads=1).fit(SMILES, Y)
    assert not model.patterns_ and model.transform(SMILES).shape == (len(SMILES), 0)
    assert model.set_output(transform="pandas").transform(SMILES).shape == (len(SMILES), 0)


def test_sets_split_into_sets():
    graphs = es.GraphSet.from_smiles(SMILES)
    train, test, y_train, y_test = train_test_split(graphs, Y, test_size=0.25, random_state=0, stratify=Y)
    assert isinstance(train, es.GraphSet) and isinstance(test, es.GraphSet) and (len(train), len(test)) == (30, 10)
    assert es.EINClassifier(**QUICK).fit(train, y_train).score(test, y_test) == 1.0


def test_splitters_of_scikit_learn_in_experiments():
    splitter = KFold(2, shuffle=True, random_state=0)
    found = es.experiment(es.EINClassifier(**QUICK), SMILES, Y, splitter)
    assert len(found.results) == 2 and found.mean["accuracy"] == 1.0
    pairs = es.experiment(es.EINClassifier(**QUICK), SMILES, Y, list(splitter.split(SMILES)))
    assert pairs.mean == found.mean


def test_molecules_of_rdkit_and_back():
    Chem = pytest.importorskip("rdkit.Chem", reason="needs rdkit (pip install rdkit)")
    texts = ["CCO", "c1ccncc1C", "C[N+](C)(C)CC(=O)[O-]", "c1cc[nH]c1", "C#N", "[Na+].[Cl-]", "ClC=C"]
    graphs = es.GraphSet.from_smiles(texts)
    assert [Chem.MolToSmiles(one) for one in graphs.to_rdkit()] == [
        Chem.MolToSmiles(Chem.MolFromSmiles(text)) for text in texts
    ]
    assert es.GraphSet.from_rdkit(graphs.to_rdkit()) == graphs
    with pytest.raises(ValueError, match="to_rdkit needs a molecule, but vertex 0 of graph 0 has the label '7'"):
        es.GraphSet.from_edges([[(0, 1)]], [[7, 7]])[0].to_rdkit()


def test_drawings_are_saved(model, tmp_path):
    drawing = model.explain(SMILES[:2]).draw(0)
    drawing.save(tmp_path / "one.svg")
    assert (tmp_path / "one.svg").read_text(encoding="utf-8") == str(drawing)
    for name in ("one.jpg", "one.gif", "one"):
        with pytest.raises(ValueError, match=r"saved as \.svg, \.png or \.pdf, but the name ends in"):
            drawing.save(tmp_path / name)
        assert not (tmp_path / name).exists()


def test_pictures_have_lines_letters_and_colours(model, tmp_path):
    pytest.importorskip("cairosvg", reason="needs cairosvg (pip install cairosvg)")
    Image = pytest.importorskip("PIL.Image", reason="needs pillow (pip install pillow)")
    graphs = es.GraphSet.from_smiles(SMILES)
    drawings = [
        model.explain(SMILES[:2]).draw(0),
        graphs[0].draw(),
        model.patterns_[0].draw(),
        model.surrogate_tree().draw(),
    ]
    for at, drawing in enumerate(drawings):
        # What converters do not know.
        assert "var(" not in drawing and "height:auto" not in drawing and "currentColor" not in drawing
        drawing.save(tmp_path / f"{at}.png")
        drawing.save(tmp_path / f"{at}.pdf")
        assert (tmp_path / f"{at}.pdf").read_bytes().startswith(b"%PDF")
        picture = np.asarray(Image.open(tmp_path / f"{at}.png").convert("RGB")).astype(int)
        is_ink = picture.min(axis=2) < 140
        assert min(picture.shape[:2]) >= 40 and is_ink.mean() > 0.002 and (picture.min(axis=2) > 240).mean() > 0.3, at
        # Not a dot somewhere; a subgraph of one atom is a letter.
        rows, columns = np.nonzero(is_ink)
        assert np.ptp(columns) > 0.15 * picture.shape[1] and np.ptp(rows) > 0.1 * picture.shape[0], at


def test_letters_of_pictures_stand_at_their_atoms(tmp_path):
    pytest.importorskip("cairosvg", reason="needs cairosvg (pip install cairosvg)")
    Image = pytest.importorskip("PIL.Image", reason="needs pillow (pip install pillow)")
    drawing = es.GraphSet.from_smiles(["CC(=O)Nc1ccc(O)cc1"])[0].draw()
    ((xs, ys),) = re.findall('<text class="O" x="([^"]*)" y="([^"]*)">OO</text>', drawing)
    drawing.save(tmp_path / "one.png")
    red, green, blue = np.asarray(Image.open(tmp_path / "one.png").convert("RGB")).astype(int).transpose(2, 0, 1)
    rows, columns = np.nonzero((red > 180) & (green < 90) & (blue < 90))
    for x, y in zip(xs.split(), ys.split(), strict=True):
        near = (abs(columns - 2 * int(x)) < 16) & (abs(rows - 2 * int(y)) < 16)
        assert near.sum() > 20 and abs(columns[near].mean() - 2 * int(x)) < 3


def test_a_picture_without_the_converter_says_what_to_install(model, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    with pytest.raises(ImportError, match="pip install cairosvg"):
        model.patterns_[0].draw().save(tmp_path / "one.png")


def test_the_name_of_a_graph_does_not_list_all_names(monkeypatch):
    graphs = es.GraphSet.from_smiles(SMILES)
    wanted = graphs.ids
    monkeypatch.setattr(es.GraphSet, "ids", property(lambda self: pytest.fail("all names for one")))
    assert [graph.id for graph in graphs] == wanted


def test_graphs_do_not_need_scikit_learn():
    code = (
        "import sys, einsicht as es; es.GraphSet.from_smiles(['CCO']); assert not {'sklearn', 'joblib', 'scipy'} &"
        " set(sys.modules); es.EINClassifier; dir(es)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
