"""Effects of subgraphs on the predictions, and shares of the predictions. Computed in Rust, converted here."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from einsicht._data.classes import turned
from einsicht._data.graph_set import GraphSet
from einsicht._data.targets import Task, native
from einsicht._explanation.patterns import feature_names

if TYPE_CHECKING:
    from einsicht._base import BaseEIN


class Effects:
    """The effect of each subgraph on the predictions of the model, as in `einsicht show --data`.

    The effect of a subgraph is the mean change of an output by the subgraph in the graphs that contain it, compared
    with those that do not: the difference of its mean Shapley values, as `explain` gives them. The output is a
    probability where trees predict (the default), the log-odds of the second of two classes or the logit of each of
    several with a linear head or a network, or a number in the units of its target.

    names : names of the subgraphs, then of the columns that the model reads beside them (`GraphSet.features`), which
        are compared above and below their mean.
    outputs : names of the outputs.
    values : (subgraphs, outputs): the effects; NaN where no graph contains the subgraph.
    low, high : (subgraphs, outputs): ends of a 95 % bootstrap interval of the difference over graphs, with the model as
        it is; NaN where fewer than 5 graphs contain the subgraph.
    raises : (subgraphs, outputs): the part of the graphs with the subgraph in which the change is positive, between 0
        and 1.
    graphs : number of graphs with the subgraph that the mean is over; where nearly all graphs have it (95 of 100),
        those with more of it than the mean.
    on : the graphs: "training", or "given" if the training set is not among them.
    sampled, available : number of graphs of the random sample, and of all.
    pairs : sentences about pairs of subgraphs that interact: with which of the two an output is high.
    shares : which share of the predictions comes from subgraphs, and from each side input of the model: the name of the
        group and its share, between 0 and 1, as a mean over the outputs.
    """

    def __init__(self, names: list[str], found: dict[str, Any]) -> None:
        columns = found.get("columns", [])
        self.names = names = [*names, *(column["name"] for column in columns)]
        self.outputs: list[str] = [quantity["name"] for quantity in found["quantities"]]
        shape, patterns = (len(names), len(self.outputs)), [
            *found["patterns"],
            *(column["effect"] for column in columns),
        ]
        self.values, self.low, self.high, self.raises = (np.full(shape, np.nan) for _ in range(4))
        for at, pattern in enumerate(patterns):
            if pattern["values"]:
                self.values[at], self.raises[at] = pattern["values"], pattern["raises"]
            if pattern["intervals"]:
                self.low[at], self.high[at] = np.array(pattern["intervals"]).T
        self.graphs = np.array([pattern["graphs"] for pattern in patterns], int)
        self.on: str = found["set"]
        self.sampled: int = found["sampled"]
        self.available: int = found["available"]
        self.pairs: list[str] = found["pairs_text"]
        self.shares: dict[str, float] = {share["name"]: share["mean"] for share in found["shares"]}

    def to_frame(self) -> Any:
        """As a table of pandas, one row per subgraph and output."""
        import pandas as pd

        size = len(self.outputs)
        return pd.DataFrame(
            {
                "subgraph": np.repeat(np.array(self.names, object), size),
                "output": np.tile(np.array(self.outputs, object), len(self.names)),
                "graphs": np.repeat(self.graphs, size),
                "effect": self.values.ravel(),
                "low": self.low.ravel(),
                "high": self.high.ravel(),
                "raises": self.raises.ravel(),
            }
        )

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        shares = ", ".join(f"{share:.0%} from {name}" for name, share in self.shares.items())
        return (
            f"Effects({len(self)} subgraphs on {len(self.outputs)} outputs, {self.sampled} {self.on} graphs;"
            f" predictions: {shares})"
        )


def effects(estimator: BaseEIN, graphs: GraphSet, tasks: list[Task]) -> Effects:
    """The effects of the subgraphs of an estimator."""
    found = estimator.model_.effects(
        graphs._core, native(tasks), turned(estimator._classes), estimator._entry, estimator._threads
    )
    return Effects(list(feature_names(estimator.patterns_)), json.loads(found))
