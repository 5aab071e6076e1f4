"""scikit-learn's own checks, on subclasses that read rows of numbers as graphs."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import validate_data

import einsicht as es

#: Each exception with its reason.
EXPECTED = {
    "check_fit2d_1sample": "one graph cannot be held out and trained on, and has one class only",
    "check_sample_weight_equivalence_on_dense_data": (
        "folds are drawn from the rows whatever their weights, and every held-out row counts once "
        "among those that choose, also one of weight 0 or 2"
    ),
    "check_classifier_multioutput": (
        "tasks may have any number of classes, so classes and probabilities are lists, one a task, as those "
        "of scikit-learn's forests; the check accepts that only of estimators without decision_function"
    ),
}


class Rows:
    """A row becomes a star: one leaf for each column, labelled by the column and by which fifth of its range the value
    is in.
    """

    def _as_graphs(self, X, how):
        fitting = not hasattr(self, "n_features_in_") or getattr(self, "_fitting", False)
        X = validate_data(self, X, reset=fitting, dtype=float)
        if fitting:
            self._edges = [np.quantile(column, [0.2, 0.4, 0.6, 0.8]) for column in X.T]
        vertices, edges = [], []
        for row in X:
            places = [np.searchsorted(cuts, value) for cuts, value in zip(self._edges, row, strict=True)]
            labels = [f"{at}:{step}" for at, place in enumerate(places) for step in range(place + 1)]
            vertices.append(["center", *labels])
            edges.append([(0, leaf) for leaf in range(1, 1 + len(labels))])
        return es.GraphSet.from_edges(edges, vertices)

    def fit(self, X, y=None, sample_weight=None, eval_set=None):
        self._fitting = True
        try:
            return super().fit(X, y, sample_weight, eval_set)
        finally:
            del self._fitting

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        tags.input_tags.string = False
        tags.no_validation = False
        return tags


class RowClassifier(Rows, es.EINClassifier):
    pass


class RowRegressor(Rows, es.EINRegressor):
    pass


class RowTransformer(Rows, es.SubgraphTransformer):
    pass


QUICK = {"max_edges": 1, "sizes": (1, 2, 4, 8), "head": "linear", "threads": 1, "min_support": 1}


@parametrize_with_checks(
    [kind(**QUICK) for kind in (RowClassifier, RowRegressor, RowTransformer)],
    expected_failed_checks=lambda estimator: EXPECTED,
)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_a_list_of_rows_is_not_a_list_of_graphs():
    with pytest.raises(TypeError, match="index 0"):
        es.EINClassifier().fit(np.zeros((3, 2)), [0, 1, 0])
