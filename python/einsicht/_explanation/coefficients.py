"""What scikit-learn calls coefficients and importances, where they mean something: read from the model, not computed again."""

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
    """Weights (outputs, subgraphs) and offsets (outputs) of a linear head; an AttributeError where another head predicts.

    What is read beside the subgraphs, and pairs of them, have weights of their own behind these: `effects` says what columns do.
    """
    check_is_fitted(estimator, "model_")
    head = estimator.params_["head"]
    if head != "linear":
        raise AttributeError(f'only head="linear" has coefficients, but head is "{head}": effects() says what each subgraph does')
    entry = estimator.model_.chosen if estimator._entry is None else estimator._entry
    table = _as_predicted(estimator, _tensor(estimator.model_.to_bytes(), f"entry.{entry}.head.linear"))
    return table[:, : len(estimator.patterns_)], table[:, -1]


def _as_predicted(estimator: BaseEIN, table: np.ndarray) -> np.ndarray:
    """The rows of a linear head for the outputs as users see them: classes in the order of `classes_`, numbers in the units of their target."""
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


def importances(estimator: BaseEIN) -> np.ndarray:
    """How much each subgraph moves the predictions for the training graphs: its absolute effect times the graphs that contain it, in parts of 1."""
    check_is_fitted(estimator, "model_")
    effects = json.loads(estimator.model_.to_json())["effects"] if estimator._entry in (None, estimator.model_.chosen) else None
    if effects is None:
        raise AttributeError("importances belong to the size that was chosen in training: effects(X) computes them for this one")
    found = np.array([np.abs(pattern["values"]).sum() * pattern["graphs"] for pattern in effects["patterns"]], float)
    return found / found.sum() if found.sum() > 0 else found


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


def _tensor(file: bytes, name: str) -> np.ndarray:
    """A tensor of a model file, which is one of safetensors: a length, a header in JSON, the numbers."""
    length = int.from_bytes(file[:8], "little")
    entry = json.loads(file[8 : 8 + length])[name]
    first, last = entry["data_offsets"]
    numbers = np.frombuffer(file[8 + length + first : 8 + length + last], "<f8")
    return numbers.reshape(entry["shape"]).copy()
