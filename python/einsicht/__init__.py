"""Predict a property of a whole graph, and know which subgraphs decide it: exactly, not as a heat map.

    import einsicht as es
    graphs = es.GraphSet.from_smiles(smiles)
    model = es.EINClassifier().fit(graphs, y)
    model.predict(graphs)
"""

from einsicht._core import __version__
from einsicht._data.graph_set import Graph, GraphSet
from einsicht._estimators import EINClassifier, EINRegressor, SubgraphTransformer
from einsicht._explanation.attributions import Explanation
from einsicht._explanation.patterns import Pattern
from einsicht._explanation.surrogate import SurrogateTree
from einsicht._training.experiments import Chosen, Experiment, Stability, experiment, stability
from einsicht._training.held_out import Estimate

__all__ = [
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
    "stability",
]
