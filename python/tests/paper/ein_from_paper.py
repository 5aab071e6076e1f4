"""Algorithm 1 of the paper in numpy and networkx, by exhaustive search: written from its text, sharing nothing with the
engine.

All connected subgraphs of at most `max_edges` edges are listed from every graph, sorted into classes of isomorphic ones
by networkx, and every one of them is scored in every iteration: no tree, no bound, no pruning. What the paper leaves
open is as `docs/algorithm.md` says: equal scores go to fewer edges, then to the smaller minimum DFS code; a size keeps
the iterate with the lowest validation loss.
"""

import dataclasses

import networkx as nx
import numpy as np
from networkx.algorithms.isomorphism import categorical_edge_match, categorical_node_match

#: gamma_max n, rho, c, number of step sizes and patience of preset `paper`.
MAX_STEP, RHO, C, TRIALS, PATIENCE = 25.0, 0.5, 1e-4, 20, 5

SAME = {"node_match": categorical_node_match("label", None), "edge_match": categorical_edge_match("label", None)}


# Subgraphs.


def edge_sets(graph, max_edges):
    """All connected sets of at most `max_edges` edges."""
    level = {frozenset([frozenset(edge)]) for edge in graph.edges}
    found = set(level)
    for _ in range(max_edges - 1):
        larger = set()
        for edges in level:
            for vertex in frozenset().union(*edges):
                larger.update(edges | {frozenset((vertex, other))} for other in graph[vertex])
        level = {edges for edges in larger if edges not in found}
        found |= level
    return found


def dfs_codes(pattern):
    """All DFS codes of a small graph, as lists of (i, j, label of i, label of the edge, label of j)."""

    def extend(order, path, used, code):
        if len(used) == pattern.number_of_edges():
            yield code
            return
        position = {vertex: at for at, vertex in enumerate(order)}
        for source in path:
            for target in pattern[source]:
                edge = frozenset((source, target))
                is_new = target not in position
                if edge in used or (not is_new and (source != path[-1] or target not in path)):
                    continue
                to = len(order) if is_new else position[target]
                labels = (
                    pattern.nodes[source]["label"],
                    pattern[source][target]["label"],
                    pattern.nodes[target]["label"],
                )
                longer = path[: path.index(source) + 1] + [target] if is_new else path
                step = (position[source], to, *labels)
                yield from extend(order + [target] * is_new, longer, used | {edge}, [*code, step])

    for start in pattern:
        yield from extend([start], [start], frozenset(), [])


def order_of_codes(code):
    """A backward edge comes before a forward one; forward edges from the deepest vertex first; then labels."""
    return [(0, i, j, *labels) if j < i else (1, j, -i, *labels) for i, j, *labels in code]


class Subgraphs:
    """Every subgraph of some graphs, once up to isomorphism, in the order of ties, and which graph contains it."""

    def __init__(self, graphs, max_edges):
        classes, members, known = {}, [], {}
        for row, graph in enumerate(graphs):
            for edges in edge_sets(graph, max_edges):
                drawn = self.drawn(graph, edges)
                if drawn not in known:
                    known[drawn] = self.sort_in(graph.edge_subgraph(map(tuple, edges)), classes, members)
                members[known[drawn]][1].add(row)
        keyed = [(min(map(order_of_codes, dfs_codes(p))), p, rows) for p, rows in members]
        keyed.sort(key=lambda entry: (entry[1].number_of_edges(), entry[0]))
        self.codes = [tuple(min(dfs_codes(p), key=order_of_codes)) for _, p, _ in keyed]
        self.presence = np.zeros((len(graphs), len(keyed)))
        for column, (_, _, rows) in enumerate(keyed):
            self.presence[sorted(rows), column] = 1.0

    @staticmethod
    def drawn(graph, edges):
        """The subgraph with its vertices numbered from 0 as they are: equal ones need not be compared again."""
        vertices = sorted(frozenset().union(*edges))
        at = {vertex: number for number, vertex in enumerate(vertices)}
        pairs = sorted((*sorted(at[v] for v in edge), graph.edges[tuple(edge)]["label"]) for edge in edges)
        return tuple(graph.nodes[vertex]["label"] for vertex in vertices), tuple(pairs)

    @staticmethod
    def sort_in(pattern, classes, members):
        """The number of the class of isomorphic subgraphs that this one belongs to."""
        names = pattern.nodes(data="label")
        triples = sorted((*sorted((names[a], names[b])), label) for a, b, label in pattern.edges(data="label"))
        like = classes.setdefault(tuple(triples), [])
        for number in like:
            if nx.is_isomorphic(members[number][0], pattern, **SAME):
                return number
        like.append(len(members))
        members.append((pattern, set()))
        return like[-1]


# The model.


@dataclasses.dataclass
class Parameters:
    """B (one row per subgraph with weights), b and theta (weights of the output, then its bias)."""

    B: dict
    b: np.ndarray
    theta: np.ndarray


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def hidden(psi, p):
    columns = sorted(p.B)
    sums = psi[:, columns] @ np.array([p.B[at] for at in columns]) if columns else np.zeros((len(psi), len(p.b)))
    return sigmoid(sums + p.b)


def losses(psi, y, p):
    """Cross entropy of each graph; y is 0 or 1."""
    logit = hidden(psi, p) @ p.theta[:-1] + p.theta[-1]
    return np.logaddexp(0, np.where(y == 1, -logit, logit))


def gradients(psi, y, p):
    """delta (graphs x K), and the gradient by theta."""
    g = hidden(psi, p)
    error = sigmoid(g @ p.theta[:-1] + p.theta[-1]) - y
    return error[:, None] * p.theta[:-1] * g * (1 - g), np.append(g.T @ error, error.sum())


def gradient_of_subgraphs(psi, delta):
    """For every subgraph the sum of delta over the graphs that contain it: positive ones, then negative ones, in the
    order of graphs.
    """
    positive, negative = np.zeros((2, psi.shape[1], delta.shape[1]))
    for present, row in zip(psi, delta):
        positive += np.outer(present, np.maximum(row, 0))
        negative += np.outer(present, np.minimum(row, 0))
    return positive + negative


# Algorithm 1.


def step_B(psi, y, p, size, gammas):
    """Hard thresholding with backtracking over all subgraphs: line 11."""
    delta, _ = gradients(psi, y, p)
    gradient = gradient_of_subgraphs(psi, delta)
    norms = np.sqrt((gradient**2).sum(axis=1))
    before = losses(psi, y, p).sum()
    for gamma in gammas:
        scores = norms.copy()
        for at, beta in p.B.items():
            scores[at] = np.sqrt(((beta - gamma * gradient[at]) ** 2).sum()) / gamma
        chosen = np.argsort(-scores, kind="stable")[:size]
        moved = {int(at): p.B.get(int(at), 0) - gamma * gradient[at] for at in chosen}
        moved = {at: beta for at, beta in moved.items() if beta.any()}
        after = losses(psi, y, dataclasses.replace(p, B=moved)).sum()
        union = sorted(set(p.B) | set(chosen.tolist()))
        if before - after >= C * (1 - RHO) * gamma / 2 * (gradient[union] ** 2).sum():
            return dataclasses.replace(p, B=moved)
    return p


def descend(psi, y, p, name, gammas):
    """One gradient step on b or theta with backtracking: lines 12 and 13. None if no step size passes."""
    delta, of_theta = gradients(psi, y, p)
    gradient = delta.sum(axis=0) if name == "b" else of_theta
    before = losses(psi, y, p).sum()
    for gamma in gammas if gradient.any() else ():
        moved = dataclasses.replace(p, **{name: getattr(p, name) - gamma * gradient})
        if before - losses(psi, y, moved).sum() >= C * gamma / 2 * (gradient**2).sum():
            return moved
    return None


def train_size(train, valid, start, size, *, network_steps, cap):
    """All iterations at one size, from `start`. Returns the iterate with the lowest validation loss."""
    psi, y = train
    gammas = MAX_STEP / len(y) * RHO ** np.arange(TRIALS)
    p, best, best_loss, since = start, None, np.inf, 0
    for iteration in range(1, cap + 1):
        before = p
        p = step_B(psi, y, p, size, gammas)
        p = descend(psi, y, p, "b", gammas) or p
        for _ in range(network_steps):
            moved = descend(psi, y, p, "theta", gammas)
            if moved is None:
                break
            p = moved
        loss = losses(*valid, p).mean()
        if loss < best_loss:
            best, best_loss, since = p, loss, iteration
        if p is before or iteration - since >= PATIENCE:
            break
    return best
