"""Predict a property of a whole graph, and see which subgraphs decide it: exactly, not as a heat map.

    import einsicht as es
    graphs = es.GraphSet.from_smiles(smiles)
    model = es.EINClassifier().fit(graphs, y)
    model.predict(graphs)
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from einsicht._core import __version__
from einsicht._data.graph_set import Graph, GraphSet

if TYPE_CHECKING:
    from einsicht._estimators import EINClassifier, EINRegressor, SubgraphTransformer
    from einsicht._explanation.attributions import Explanation
    from einsicht._explanation.patterns import Pattern
    from einsicht._explanation.significance import Association, Associations, significant
    from einsicht._explanation.surrogate import SurrogateTree
    from einsicht._training.experiments import Chosen, Experiment, Stability, experiment, stability
    from einsicht._training.held_out import Estimate

__all__ = [
    "Association",
    "Associations",
    "Chosen",
    "EINClassifier",
    "EINRegressor",
    "Estimate",
    "Experiment",
    "Explanation",
    "Graph",
    "GraphSet",
    "Pattern",
    "Stability",
    "SubgraphTransformer",
    "SurrogateTree",
    "__version__",
    "experiment",
    "significant",
    "stability",
]

#: Where the names are that need scikit-learn, which takes a second to import.
_LATER = {
    "_estimators": ("EINClassifier", "EINRegressor", "SubgraphTransformer"),
    "_explanation.attributions": ("Explanation",),
    "_explanation.patterns": ("Pattern",),
    "_explanation.significance": ("Association", "Associations", "significant"),
    "_explanation.surrogate": ("SurrogateTree",),
    "_training.experiments": ("Chosen", "Experiment", "Stability", "experiment", "stability"),
    "_training.held_out": ("Estimate",),
}

# Modules that need no package beyond ours: `einsicht.model_selection` works after `import einsicht`, too.
_MODULES = ("model_selection",)


def __getattr__(name: str) -> Any:
    for module, names in _LATER.items():
        if name in names:
            found = getattr(importlib.import_module(f"einsicht.{module}"), name)
            globals()[name] = found
            return found
    if name in _MODULES:
        return importlib.import_module(f"einsicht.{name}")
    # With the module, Python suggests the name that was meant.
    raise AttributeError(f"module 'einsicht' has no attribute {name!r}", name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted(__all__)
