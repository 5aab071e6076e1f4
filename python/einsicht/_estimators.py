"""Estimators with the manners of scikit-learn. Nothing is computed here: parameters and their ranges live in Rust."""

from __future__ import annotations

import copy
import json
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from einsicht import _core
from einsicht._batches import BatchPredictor
from einsicht._convert import as_graph_set
from einsicht._explain import Explanation, SurrogateTree, explain, surrogate_tree
from einsicht._graphs import GraphSet
from einsicht._patterns import Pattern, feature_names, html_of, patterns_of
from einsicht._progress import progress
from einsicht._targets import Task, native, ranks, tasks_of
from einsicht._words import values_of


    # What subclasses say.

    def _is_classifier(self, y: Any) -> bool:
        raise NotImplementedError

    def _as_graphs(self, X: Any) -> GraphSet:
        return as_graph_set(X)

    # Training.

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, eval_set: Any = None) -> BaseEIN:
        """Find the subgraphs and fit the weights.

        X : graphs: a `GraphSet`, or a list of SMILES or of graphs of RDKit, networkx or PyTorch Geometric.
        y : one value a graph, or one column a task; NaN or None where a value is missing.
        sample_weight : one weight a graph, at least 0.
        eval_set : (X, y) to choose among the models of the path with; without it a fifth of the graphs.
        """
        graphs = self._as_graphs(X)
        classify = self._is_classifier(y)
        tasks, single = tasks_of(y, graphs, classify=classify)
        weights = _weights(sample_weight, len(graphs))
        whole, num_train = graphs, None
        if eval_set is not None:
            held_out, held_out_y = _pair(eval_set)
            others = self._as_graphs(held_out)
            both = np.concatenate([np.asarray(y), np.asarray(held_out_y)])
            whole, num_train = graphs + others, len(graphs)
            joined, _ = tasks_of(both, whole, classify=classify)
            tasks = [new._replace(name=old.name) for old, new in zip(tasks, joined, strict=True)]
            weights = None if weights is None else weights + [1.0] * len(others)
        state = getattr(self, "_state", None) if self.warm_start else None
        with progress(self.verbose) as observer:
            fitted = _core.fit(
                whole._core,
                native(tasks),
                json.dumps(self._wishes()),
                self._seed(),
                num_train=num_train,
                weights=weights,
                threads=self.threads,
                observer=observer,
                state=state,
            )
        if fitted.model is not None:
            self._state = fitted.state
            self._fitted_on = (whole, tasks)
            self.search_stats_ = {"visited": list(fitted.visited)}
            self._take(fitted.model, tasks, single)
        if fitted.raised is not None:
            raise fitted.raised
