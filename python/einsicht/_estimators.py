"""Estimators with the manners of scikit-learn. Nothing is computed here: parameters and ranges live in Rust."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from einsicht import _core
from einsicht._batches import BatchPredictor
from einsicht._convert import as_graph_set
from einsicht._graphs import word


class EINClassifier(BatchPredictor, ClassifierMixin, BaseEstimator):
    """Classify graphs by the subgraphs that they contain."""

    def __init__(self, *, max_edges=None, min_support=None, sizes=None, random_state=0, threads=None):
        self.max_edges = max_edges
        self.min_support = min_support
        self.sizes = sizes
        self.random_state = random_state
        self.threads = threads

    def fit(self, X: Any, y: Any) -> EINClassifier:
        """Find the subgraphs and fit the weights."""
        graphs = as_graph_set(X)
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        words = [word(label) for label in self.classes_]
        wishes = {name: getattr(self, name) for name in ("max_edges", "min_support", "sizes")}
        params = {name: wish for name, wish in wishes.items() if wish is not None}
        targets = [("y", words, codes.astype(float))]
        wishes, seed = json.dumps(params), self.random_state or 0
        # Somebody who spreads the search over several places (`einsicht.dask`).
        spread = getattr(self, "_spread", None)
        ask = spread and spread.open(graphs, targets, wishes, seed, None, self.threads)
        model, visited, raised = _core.fit(graphs._core, targets, wishes, seed, threads=self.threads, ask=ask)
        if model is not None:
            self.model_ = model
        if raised is not None:
            raise raised
        self._ranks = [sorted(words, key=_token_order).index(text) for text in words]
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, in the order of `classes_`."""
        check_is_fitted(self, "model_")
        _, probabilities = self.model_.predict(as_graph_set(X)._core, threads=self.threads)[0]
        return probabilities[:, self._ranks]

    def predict(self, X: Any) -> np.ndarray:
        """The class of each graph."""
        check_is_fitted(self, "model_")
        classes, _ = self.model_.predict(as_graph_set(X)._core, threads=self.threads)[0]
        places = np.argsort(self._ranks)
        return self.classes_[places[classes.astype(int)]]


def _token_order(text: str) -> tuple[Any, ...]:
    try:
        return (0, int(text), text)
    except ValueError:
        return (1, 0, text)
