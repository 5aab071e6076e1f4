"""Explanation objects: sums, drawings, atoms and bonds, patterns, trees, the page."""

import numpy as np
import pytest
from program import ROOT, SMILES, einsicht

import einsicht as es
from einsicht._explanation.notebook import _copies_last, card

Y = np.array(["alcohol" if "O" in text else "amine" for text in SMILES])


@pytest.fixture(scope="module")
def mutag():
    graphs = es.GraphSet.from_tu(
        ROOT / "testdata/sets/MUTAG",
        vertex_names=ROOT / "testdata/sets/mutag-atoms.txt",
        edge_names=ROOT / "testdata/sets/mutag-bonds.txt",
    )
    return graphs, es.EINClassifier(max_edges=3, sizes=(1, 4)).fit(graphs, graphs.y)


@pytest.mark.parametrize("options", [{}, {"method": "lime"}, {"baseline": "absent"}, {"output": "logit"}])
def test_attributions_sum_to_the_output_and_reach_atoms_and_bonds(mutag, options):
    graphs, model = mutag
    why = model.explain(graphs[:20], **options)
    assert why.values.shape == (20, len(model.patterns_), 1)
    if options.get("method") != "lime":
        assert np.allclose(why.values.sum(axis=1), why.output - why.base)
        assert why.is_exact and np.allclose(why.residual, 0)
    else:
        assert np.allclose(why.base + why.values.sum(axis=1) + why.residual, why.output) and abs(why.residual).max() > 0
    if not options:
        assert np.allclose(why.output[:, 0], model.predict_proba(graphs[:20])[:, 1])
        for i in range(20):
            # What is absent is in no atom.
            assert why.atom_weights(i).sum() + sum(why.absences(i).values()) == pytest.approx(why.values[i].sum())
            assert len(why.bond_weights(i)) == len(graphs[i].edges)


def test_what_a_graph_lacks_is_named_as_absent():
    # Alcohols are recognised by their oxygen; amines lack it.
    model = es.EINClassifier(max_edges=1, sizes=(1,)).fit(SMILES, Y)
    why = model.explain(SMILES)
    sentences = {said for i in range(len(SMILES)) for said in [why.decided_by(i)]}
    assert len(sentences) == 2 and sum(said.startswith("absence of ") for said in sentences) == 1
    for i in range(len(SMILES)):
        absent = why.absences(i)
        assert bool(absent) == why.decided_by(i).startswith("absence of ")
        assert why.atom_weights(i).any() == (not absent)


def test_atoms_are_those_of_the_matches_unless_the_class_is_asked_for():
    # An amide: carbonyl groups that the training graphs have in nothing else.
    smiles = ["C" * n + end for n in range(1, 11) for end in ("C(=O)N", "O", "N")]
    model = es.EINClassifier(max_edges=3, sizes=(1,), qualifiers="none").fit(smiles, ["=O" in text for text in smiles])
    (pattern,) = model.patterns_
    why = model.explain(smiles)
    assert pattern.class_size > 1
    larger = 0
    for i, text in enumerate(smiles):
        matched = sorted({atom for match in pattern.matches(text) for atom in match})
        own, of_class = why.atom_weights(i), why.atom_weights(i, over="class")
        assert np.flatnonzero(own).tolist() == matched
        assert own.sum() == pytest.approx(of_class.sum()) and set(matched) <= set(np.flatnonzero(of_class))
        larger += len(matched) < len(np.flatnonzero(of_class))
        assert str(why.draw(i)) == str(why.draw(i, over="subgraph"))
    assert larger > 0
    with pytest.raises(ValueError, match="over must be"):
        why.atom_weights(0, over="atoms")


def test_explanations_and_scores_are_about_the_same_class(tmp_path):
    # Words are ordered as words in classes_, "10" before "2"; the native part orders them as numbers.
    smiles = ["C" * n + end for n in range(1, 13) for end in "ON"]
    model = es.EINClassifier(max_edges=1, sizes=(1,), head="linear").fit(smiles, np.array(["10", "2"] * 12))
    assert model.classes_.tolist() == ["10", "2"]
    why = model.explain(smiles, output="logit")
    assert why.quantities == ["logit of y = 2"] and np.allclose(why.output[:, 0], model.decision_function(smiles))
    assert np.allclose(why.values.sum(axis=1), why.output - why.base)
    chance = model.explain(smiles, output="probability")
    assert chance.quantities == ["probability of y = 2"] and np.allclose(
        chance.output[:, 0], model.predict_proba(smiles)[:, 1]
    )
    effects = model.effects()
    inside = model.transform(smiles)[:, 0] > 0
    assert effects.outputs[0].endswith("of y = 2")
    assert np.sign(effects.values[0, 0]) == np.sign(why.output[inside, 0].mean() - why.output[~inside, 0].mean())
    assert (effects.low <= effects.values).all() and (effects.values <= effects.high).all()
    model.save(tmp_path / "m.einsicht")
    again = es.EINClassifier.load(tmp_path / "m.einsicht")
    assert (again.explain(smiles, output="logit").values == why.values).all()
    assert again.effects(smiles).outputs == effects.outputs and "of y = 2" in card(again)


def test_few_different_graphs_are_a_warning_and_few_graphs_promise_little():
    with pytest.warns(UserWarning, match="the 80 training graphs include only 4 different ones"):
        es.EINClassifier(max_edges=1, sizes=(1,)).fit(["CCO", "CCN", "CCCO", "CCCN"] * 20, ["O", "N", "O", "N"] * 20)
    model = es.EINClassifier(max_edges=1, sizes=(1,)).fit(
        ["CCO", "CCN", "CCCO", "CCCN", "CO", "CN", "CCCCO", "CCCCN"], list("ONONONON")
    )
    for _, low, high in model.estimate_.values():
        assert low < high


def test_one_graph_alone_is_compared_with_the_training_set_of_the_model(mutag, tmp_path):
    graphs, model = mutag
    model.save(tmp_path / "m.einsicht")
    loaded = es.EINClassifier.load(tmp_path / "m.einsicht")
    whole, alone = model.explain(graphs), loaded.explain(graphs[7:8])
    assert (alone.values[0] == whole.values[7]).all() and (alone.base[0] == whole.base[7]).all() and alone.values.any()


def test_shap_takes_them_over(mutag):
    shap = pytest.importorskip("shap", reason="needs shap (pip install shap)")
    graphs, model = mutag
    taken = model.explain(graphs[:5]).to_shap()
    assert isinstance(taken, shap.Explanation) and taken.values.shape == (5, len(model.patterns_))
    # The waterfall of shap shows what is behind the last "=" of a line in another colour.
    smiles = ["C" * size + tail for size in range(1, 7) for tail in ("C=O", "CO", "CN")]
    ketone = es.EINClassifier(max_edges=1, sizes=(2,), require=["C=O"], qualifiers="degree").fit(smiles, [1, 0, 0] * 6)
    names = ketone.explain(smiles).to_shap().feature_names
    assert (
        "C=O" in ketone.explain(smiles).names
        and "C\N{BOX DRAWINGS DOUBLE HORIZONTAL}O" in names
        and not any("=" in name for name in names)
    )


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
    assert _copies_last([3, 1, 0, 2], [[1, 3], [0, 2]]) == [3, 0, 1, 2]
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
    assert (
        fitted.get_depth() <= 3
        and "<=" not in str(tree)
        and "graphs" in str(tree)
        and tree._repr_svg_().startswith("<svg")
    )
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
    for options, words in [
        ({"method": "magic"}, "one of shapley, lime"),
        ({"output": "x"}, "one of auto, logit, probability"),
        ({"baseline": "x"}, "one of background, absent"),
    ]:
        with pytest.raises(ValueError, match=words):
            model.explain(graphs[:2], **options)


def test_effects_are_mean_attributions_and_those_that_the_program_shows(mutag, tmp_path):
    graphs, model = mutag
    effects = model.effects()
    assert (
        effects.on == "training"
        and effects.outputs == ["probability of label = 1"]
        and effects.shares == {"subgraphs": 1.0}
    )
    why = model.explain()
    training = np.array([part == "train" for part in model.model_.parts(*training_data(model))])
    for at in range(len(effects)):
        # Where nearly all graphs have it, those with more than the mean are compared with the others.
        column = why.data[:, at]
        is_with = column > (column[training].mean() if (column[training] == 0).sum() * 20 < training.sum() else 0)
        with_it, without = training & is_with, training & ~is_with
        assert effects.graphs[at] == with_it.sum()
        assert effects.raises[at, 0] == (why.values[with_it, at, 0] > 0).mean()
        assert effects.values[at, 0] == pytest.approx(
            why.values[with_it, at, 0].mean() - why.values[without, at, 0].mean()
        )
    assert (
        (effects.low <= effects.values).all()
        and (effects.values <= effects.high).all()
        and "100% from subgraphs" in repr(effects)
    )
    data = ROOT / "testdata/sets/MUTAG"
    einsicht("train", data, "--max-edges", 3, "--sizes", "1,4", "-o", tmp_path / "model.einsicht")
    shown = einsicht("show", tmp_path / "model.einsicht", "--data", data)["effects"]
    loaded = es.EINClassifier.load(tmp_path / "model.einsicht").effects(es.GraphSet.from_tu(data))
    assert [pattern["effects"][0] for pattern in shown["patterns"]] == loaded.values[:, 0].tolist()
    assert [pattern["intervals"][0] for pattern in shown["patterns"]] == np.c_[loaded.low, loaded.high].tolist()


def training_data(model):
    from einsicht._data.targets import native

    graphs, tasks = model._training_data()
    return graphs._core, native(tasks)


def test_effects_become_a_table():
    pytest.importorskip("pandas", reason="needs pandas (pip install pandas)")
    model = es.EINClassifier(max_edges=2, sizes=(2,)).fit(SMILES, Y)
    table = model.effects().to_frame()
    assert list(table.columns) == ["subgraph", "output", "graphs", "effect", "low", "high", "raises"] and len(
        table
    ) == len(model.patterns_)


def test_counts_are_counts_and_never_logarithms():
    smiles = ["C" * length + end for length in range(1, 11) for end in "ON"] * 2
    y = ["long" if len(text) > 5 else "short" for text in smiles]
    model = es.EINClassifier(max_edges=1, sizes=(3,), feature="count").fit(smiles, y)
    assert "at least" in str(model.surrogate_tree()) and "<=" not in str(model.surrogate_tree())
    counts = model.explain(smiles).data
    assert (counts == np.round(counts)).all() and counts.max() > 3


def test_one_of_several_targets_is_explained():
    y = np.c_[[("O" in text) for text in SMILES], [len(text) > 3 for text in SMILES]].astype(int)
    model = es.EINClassifier(max_edges=2, sizes=(3,)).fit(SMILES, y)
    whole, first, second = (
        model.explain(SMILES),
        model.explain(SMILES, target=0),
        model.explain(SMILES, target=model.tasks_[1]),
    )
    assert whole.values.shape[2] == 2 and first.quantities + second.quantities == whole.quantities
    assert np.array_equal(second.values[:, :, 0], whole.values[:, :, 1]) and np.array_equal(
        second.output[:, 0], whole.output[:, 1]
    )
    assert (
        '"task":1' in model.report(target=1) and '"task":0' not in model.report(target=1).split('"quantities"')[1][:40]
    )
    with pytest.raises(ValueError, match="target must be one of"):
        model.explain(SMILES, target="nothing")
