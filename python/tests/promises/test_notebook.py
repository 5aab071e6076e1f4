"""Fitted models, explanations of one graph and paths draw themselves, with the numbers of their objects; two models
share a page.
"""

import pickle
import re

import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import einsicht as es

SMILES = ["C" * size + tail for size in range(1, 9) for tail in ("O", "C(=O)O", "N")]
ACIDS = [int(smiles.endswith("(=O)O")) for smiles in SMILES]


@pytest.fixture(scope="module")
def fitted() -> es.EINClassifier:
    return es.EINClassifier(max_edges=3, sizes=(1, 3)).fit(SMILES, ACIDS)


def test_a_fitted_model_is_a_card_with_its_estimate_and_effects_and_pipelines_keep_the_display_of_scikit_learn(fitted):
    shown = fitted._repr_mimebundle_()["text/html"]
    estimate = fitted.estimate_["accuracy"]
    assert f"accuracy {estimate.value:.3f} (95 % interval {estimate.low:.3f} to {estimate.high:.3f})" in shown
    strongest = max(fitted.effects().values[:, 0], key=abs)
    assert f"{strongest:+.3f}".replace("-", "\N{MINUS SIGN}") in shown
    assert shown.count("<figure") == len(fitted.patterns_) and "<script" not in shown
    assert "EINClassifier" in make_pipeline(FunctionTransformer(), fitted)._repr_html_()


def test_the_explanation_of_one_graph_goes_from_the_base_to_the_output(fitted):
    explanation = fitted.explain(SMILES)
    one = explanation[1]
    assert abs(one.base + sum(value for _, value in one.reasons) - one.output) < 1e-9
    sizes = [abs(value) for _, value in one.reasons]
    assert sizes == sorted(sizes, reverse=True) and one.reasons[0][0] == explanation.decided_by(1)
    shown = one._repr_html_()
    assert "<svg" in shown and f"{one.output:.3f}" in shown and str(one).startswith(f"graph {one.id}")
    assert explanation[-1].id == explanation.graphs[len(SMILES) - 1].id
    assert "21 more" in explanation._repr_html_()


def test_a_path_is_a_list_that_shows_a_table(fitted):
    shown = fitted.path_._repr_html_()
    assert len(re.findall("<tr", shown)) == 1 + len(fitted.path_) == 3
    assert fitted.path_ == list(fitted.path_) and pickle.loads(pickle.dumps(fitted.path_)).chosen == fitted.path_.chosen


def test_two_models_share_a_page(fitted, tmp_path):
    other = es.EINClassifier(max_edges=1, sizes=(2,)).fit(SMILES, ACIDS)
    page = fitted.report(tmp_path / "both.html", other=other)
    assert page == (tmp_path / "both.html").read_text(encoding="utf-8") and "two models" in page
    number = es.EINRegressor(max_edges=1, sizes=(1,)).fit(SMILES, [float(len(smiles)) for smiles in SMILES])
    with pytest.raises(ValueError, match="a target in common"):
        fitted.report(other=number)
