"""What scikit-learn calls coefficients and importances, where they mean something: read from the model, not computed
again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from einsicht._data.targets import ranks
from einsicht._explanation.patterns import feature_names

if TYPE_CHECKING:
    from einsicht._base import BaseEIN


def linear_head(estimator: BaseEIN) -> tuple[np.ndarray, np.ndarray]:
    """Weights (outputs, terms) and offsets (outputs) of a linear head, in the order of `term_names`; an AttributeError
    where another head predicts."""
    table = _as_predicted(estimator, _linear(estimator)[0])
    return table[:, :-1], table[:, -1]


def term_names(estimator: BaseEIN) -> np.ndarray:
    """What a linear head adds up: a function of the count of each subgraph, what is read beside them, and pairs of
    subgraphs."""
    pairs = _linear(estimator)[1]
    names, params = feature_names(estimator.patterns_).tolist(), estimator.params_
    is_log = params["feature"] != "presence" and params["count_transform"] == "log1p"
    terms = [f"log1p({name})" for name in names] if is_log else list(names)
    for name, width, is_column in estimator.model_.side_inputs():
        terms += [f"standardised({name})"] if is_column else [f"{name} {at}" for at in range(width)]
    # The part of two subgraphs together: their presences, each less its mean over the training graphs, multiplied.
    return np.array([*terms, *(f"({names[first]}) * ({names[second]})" for first, second in pairs)], dtype=object)


def _linear(estimator: BaseEIN) -> tuple[np.ndarray, list[list[int]]]:
    check_is_fitted(estimator, "model_")
    found = estimator.model_.linear(estimator._entry) if estimator.params_["head"] == "linear" else None
    if found is None:
        head = estimator.params_["head"]
        raise AttributeError(
            f'only head="linear" has coefficients, but head is "{head}": effects() says what each subgraph does'
        )
    return found


def _as_predicted(estimator: BaseEIN, table: np.ndarray) -> np.ndarray:
    """The rows of a linear head for the outputs as users see them: classes in the order of `classes_`, numbers in the
    units of their target.
    """
    rows, first = [], 0
    for task, classes in zip(json.loads(estimator.model_.tasks()), estimator._classes, strict=True):
        if classes is None:
            number = task["kind"]["number"]
            own = table[first : first + 1] * number["scale"]
            own[:, -1] += number["mean"]
        elif len(classes) == 2:
            own = table[first : first + 1] if ranks(classes)[0] == 0 else -table[first : first + 1]
        else:
            own = table[first : first + len(classes)][ranks(classes)]
        rows.append(own)
        first += len(own)
    return np.concatenate(rows)


def patterns_frame(estimator: BaseEIN) -> Any:
    """The subgraphs as a table of pandas, one row each."""
    import pandas

    check_is_fitted(estimator, "model_")
    return pandas.DataFrame(
        {
            "subgraph": feature_names(estimator.patterns_),
            "words": [pattern.words for pattern in estimator.patterns_],
            "smarts": [pattern.smarts for pattern in estimator.patterns_],
            "edges": [len(pattern.edges) for pattern in estimator.patterns_],
            "support": [pattern.support for pattern in estimator.patterns_],
            "class_size": [pattern.class_size for pattern in estimator.patterns_],
        }
    )
