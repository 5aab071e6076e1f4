"""Explanation objects: sums, drawings, atoms and bonds, patterns, trees, the page."""

import numpy as np
import pytest
from program import ROOT, SMILES

import einsicht as es

Y = np.array(["alcohol" if "O" in text else "amine" for text in SMILES])


@pytest.fixture(scope="module")
def mutag():
    graphs = es.GraphSet.from_tu(
        ROOT / "testdata/sets/MUTAG",
        vertex_names=ROOT / "testdata/sets/mutag-atoms.txt",
        edge_names=ROOT / "testdata/sets/mutag-bonds.txt",
    )
    return graphs, es.EINClassifier(max_edges=3, sizes=(1, 4)).fit(graphs, graphs.y)


@pytest.mark.parametrize("options", [{}, {"method": "lime"}, {"baseline": "background"}, {"output": "probability"}])
def test_attributions_sum_to_the_output_and_reach_atoms_and_bonds(mutag, options):
    graphs, model = mutag
    why = model.explain(graphs[:20], **options)
    assert why.values.shape == (20, len(model.patterns_), 1)
    if options.get("method") != "lime":
        assert np.allclose(why.values.sum(axis=1), why.output - why.base)
        assert (why.errors == 0).all()
    if not options:
        assert np.allclose(why.output[:, 0], model.decision_function(graphs[:20]))
        for i in range(20):
            assert why.atom_weights(i).sum() == pytest.approx(why.values[i].sum())
            assert len(why.bond_weights(i)) == len(graphs[i].edges)


def test_shap_takes_them_over(mutag):
    shap = pytest.importorskip("shap", reason="needs shap (pip install shap)")
    graphs, model = mutag
    taken = model.explain(graphs[:5]).to_shap()
    assert isinstance(taken, shap.Explanation) and taken.values.shape == (5, len(model.patterns_))


def test_graphs_and_patterns_draw_themselves(mutag):
    graphs, model = mutag
    why = model.explain(graphs[:20])
    strongest = int(np.abs(why.values).sum(axis=(1, 2)).argmax())
    drawing = why.draw(strongest)
    assert drawing._repr_svg_().startswith("<svg") and "stroke-opacity" in drawing
    pattern = model.patterns_[0]
    assert pattern._repr_svg_().startswith("<svg") and pattern.support > 0 and pattern.class_size >= 1
    assert pattern.to_networkx().number_of_edges() == len(pattern.edges)
    assert sum(pattern.by_class[0]) == pattern.support
    # What a notebook shows: scikit-learn's own view before, the subgraphs after the training.
    assert model._repr_mimebundle_()["text/html"].count("<svg") == len(model.patterns_)
    assert "<svg" not in es.EINClassifier()._repr_mimebundle_()["text/html"].split("EINClassifier")[-1]


def test_patterns_of_molecules_are_queries_of_rdkit():
    Chem = pytest.importorskip("rdkit.Chem", reason="needs rdkit (pip install rdkit)")
    model = es.EINClassifier(max_edges=2, sizes=(2,), head="linear", feature="presence").fit(SMILES, Y)
    for column, pattern in zip(model.transform(SMILES).T, model.patterns_, strict=True):
        query = pattern.to_rdkit()
        found = [Chem.MolFromSmiles(text).HasSubstructMatch(query) for text in SMILES]
        assert column.astype(bool).tolist() == found


def test_the_tree_is_text_a_drawing_and_an_object_of_scikit_learn(mutag):
    graphs, model = mutag
    tree = model.surrogate_tree(depth=3)
    fitted = tree.to_sklearn()
    same = fitted.predict(model.transform(graphs)) == model.predict(graphs)
    assert same.mean() == pytest.approx(tree.fidelity) and tree.fidelity > 0.7
    assert fitted.get_depth() <= 3 and "|---" in str(tree) and tree._repr_svg_().startswith("<svg")
    sizes = np.array([len(graph) for graph in graphs], float)
    numbers = es.EINRegressor(max_edges=2, sizes=(3,), head="linear").fit(graphs, sizes)
    assert numbers.surrogate_tree().to_sklearn().predict(numbers.transform(graphs)).shape == (188,)


def test_the_page_is_written(mutag, tmp_path):
    graphs, model = mutag
    page = model.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page
    assert page.startswith("<!doctype html>") and "MUTAG" in page
    assert model.report(X=graphs[:3], y=graphs.y[:3]).startswith("<!doctype html>")


def test_bad_options_are_named(mutag):
    graphs, model = mutag
    for options, words in [({"method": "magic"}, "shapley or lime"), ({"output": "x"}, "logit"), ({"baseline": "x"}, "absent")]:
        with pytest.raises(ValueError, match=words):
            model.explain(graphs[:2], **options)
