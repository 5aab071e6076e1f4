"""Predict a property of a whole graph, and know which subgraphs decide it: exactly, not as a heat map.

    import einsicht as es
    graphs = es.GraphSet.from_smiles(smiles)
    model = es.EINClassifier().fit(graphs, y)
    model.predict(graphs)
"""

from einsicht._core import __version__
from einsicht._estimators import EINClassifier, EINRegressor, SubgraphTransformer
from einsicht._explain import Explanation, SurrogateTree
from einsicht._graphs import Graph, GraphSet
from einsicht._patterns import Pattern

__all__ = [
    "EINClassifier",
    "EINRegressor",
    "Explanation",
    "Graph",
    "GraphSet",
    "Pattern",
    "SubgraphTransformer",
    "SurrogateTree",
    "__version__",
]
