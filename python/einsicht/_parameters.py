"""Parameters of the estimators, written from the table in crates/model/src/params/table.rs: do not edit.

`EINSICHT_UPDATE=1 cargo test -p einsicht` writes this file anew; ranges and defaults live in Rust.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypedDict

import numpy as np
from sklearn.base import BaseEstimator


class TrainOptions(TypedDict, total=False):
    """The parameters by name, for type checkers."""

    preset: Literal["default", "ein", "gin", "paper"]
    sizes: Sequence[int] | Literal["auto"] | None
    min_edges: int | None
    max_edges: int | Literal["auto"] | None
    min_support: float | str | None
    qualifiers: str | Sequence[str] | PathLike[str] | None
    max_qualifiers: int | None
    max_qualified_edges: int | Literal["auto"] | None
    feature: Literal["count", "mni", "presence"] | None
    count_transform: Literal["log1p", "identity"] | None
    unit: Literal["support_class", "pattern"] | None
    shortlist: int | None
    interactions: int | None
    penalty: Literal["l0", "l1"] | None
    lambdas: int | None
    max_patterns: int | None
    l1_start: Literal["zero", "linear"] | None
    growth: int | None
    network: Literal["layers", "none"] | None
    hidden: int | None
    layers: Sequence[int] | None
    activation: Literal["sigmoid", "tanh", "relu", "identity"] | None
    network_optimizer: Literal["gd", "adam"] | None
    network_steps: int | None
    learning_rate: float | None
    batch_size: int | None
    average_steps: int | None
    gnn: Literal["none", "gin"] | None
    gnn_rounds: int | None
    gnn_units: int | None
    gnn_pooling: Literal["sum", "mean"] | None
    gnn_readout: Literal["last", "all"] | None
    gnn_normalization: Literal["none", "layer"] | None
    gnn_edge_labels: bool | None
    max_step: float | None
    step_shrink: float | None
    armijo: float | None
    weight_decay: float | None
    prefit_steps: int | None
    polish_steps: int | None
    max_iterations: int | None
    stopping: Literal["loss", "metric"] | None
    patience: int | None
    tolerance: float | None
    head: Literal["blend", "linear", "forest", "network"] | None
    ridge: float | None
    trees: int | None
    summary: Literal["attributes", "none"] | None
    refit: bool | None
    folds: int | Literal["auto"] | None
    prefer: Literal["accurate", "sparse"] | None
    calibrate: bool | None
    threshold: Literal["half", "auto"] | None
    select: str | None
    edge_labels: Literal["auto", "use", "ignore"] | None
    hydrogens: Literal["keep", "drop"] | None
    molecule_labels: Sequence[Literal["charge", "aromatic", "hydrogens"]] | None
    largest_fragment: bool | None
    backend: Literal["einsicht", "rdkit"] | None
    exclude: Sequence[Any] | None
    require: Sequence[Any] | None
    random_state: int | np.random.RandomState | None
    threads: int | None
    n_jobs: int | None
    class_weight: Literal["balanced"] | Mapping[Any, float] | None
    memory: int | str | None
    warm_start: bool
    on_bad: Literal["stop", "skip", "nan"]
    verbose: bool


class TrainParameters(BaseEstimator):
    """Parameters
    ----------
    None stands for the default of the preset.

    preset : {"default", "ein", "gin", "paper"}, default "default"
        Set of defaults for all other parameters. default: a linear model of counts selects the subgraphs; a linear
        model and trees predict from them; ein: the paper's network with improved training; gin: the paper's network
        with a graph isomorphism network beside the subgraphs; paper: the published method, to the letter.
    sizes : sequence of int or "auto", default "auto"; (1, ..., 100) (ein, paper); (0, ..., 20) (gin)
        Sizes of the models on the path: how many subgraphs each may use. Each model starts from the one before (warm
        start). Size 0 has no subgraphs: it needs a graph network or a summary of vertex attributes. auto is 1, 2, 3, 5,
        8, 12, 18, 25, 35, 50, 75, 100; with 1000 graphs or more also 150, 200 and 300; with 10000 or more 1, 3, 8, 18,
        35, 75, 150, 300. Allowed: auto, or whole numbers, strictly increasing. Needs penalty="l0": with penalty l1, the
        path runs over values of lambda, which decides how many subgraphs enter.
    min_edges : int, default 0; 1 (paper)
        Smallest number of edges of a subgraph: 0 allows single vertices. Allowed: a whole number from 0 to 1.
    max_edges : int or "auto", default "auto"; 6 (ein, gin); 9 (paper)
        Largest number of edges of a subgraph. auto is the largest number up to 9 for which (a) at most 45000 patterns
        compete, counting those that at least 1 in 200 graphs contains, with qualifiers only up to max_qualified_edges,
        and (b) the search is expected to take at most a billion steps. auto counts on at most 2000 training graphs and
        ignores targets. The model stores the number. The paper's `maxpat` is this number plus one. Allowed: auto, or a
        whole number from 1 to 31.
    min_support : int, default 2; 1 (ein, gin, paper)
        Minimum support: number of training graphs that must contain a subgraph, or a percentage of them. A percentage
        is of the graphs that the model is fitted on, rounded up; where folds choose the model, these are all graphs of
        the training and the validation set. The model stores the number. Allowed: a whole number from 1, or a
        percentage above 0% and at most 100%; 0.01 is "1%".
    qualifiers : str, default "auto"; "none" (gin, paper)
        Properties of vertices that a subgraph may require: auto, none, names of properties, or a file. A subgraph can
        then require more of a vertex than its label, such as "N with 2 H" or "C in a ring". For molecules, auto uses
        hydrogens, degree, ring, charge and element (halogens share the label X); for other graphs, degree and every
        property with few values. A file is a CSV table with the columns graph and vertex, and one column per property;
        see docs/formats.md.
    max_qualifiers : int, default 1
        Largest number of qualifiers of a subgraph, that is, of properties that its vertices must have. Allowed: a whole
        number from 0 to 8. Needs qualifiers other than none: without qualifiers there is nothing to limit.
    max_qualified_edges : int or "auto", default "auto"
        Largest number of edges of a subgraph with qualifiers: auto, or a number. If max_edges is a number, auto is the
        same number. If both are auto, it is the largest number for which at most 30000 patterns compete, so that larger
        subgraphs without qualifiers, such as whole rings, stay within reach. The model stores the number. Allowed:
        auto, or a whole number from 1 to 31. Needs qualifiers other than none: without qualifiers there is nothing to
        limit.
    feature : {"count", "mni", "presence"}, default "count"; "presence" (ein, gin, paper)
        Value of a subgraph in a graph: its presence, its count, or its minimum-image count. count is a lower bound on
        the number of copies in a graph. For each orbit of the subgraph's vertices under its automorphisms, divide the
        number of distinct graph vertices to which embeddings map the orbit by the size of the orbit, and round up;
        count is the smallest result. mni is the minimum-image (MNI) count: the smallest number of distinct graph
        vertices to which embeddings map a vertex. It is not a number of occurrences: for one ring of six equal atoms it
        is six.
    count_transform : {"log1p", "identity"}, default "log1p"
        Function applied to counts. Needs feature="count" or feature="mni": only counts are transformed.
    unit : {"support_class", "pattern"}, default "support_class"; "pattern" (paper)
        Unit of selection: a support class, or a single pattern. Patterns contained in exactly the same training graphs
        (and with the same counts, if counts are used) are equivalent. With support_class each class enters once,
        represented by its smallest member; the paper treats each pattern separately.
    shortlist : int, default 64; 0 (ein, gin, paper)
        Number of candidates with the largest gradients that compete by the expected decrease of the loss; 0 for none.
        Frequent subgraphs have large gradients. The decrease of the loss expected from one step on a weight (a score
        test) tells a decisive subgraph from its common parts; the candidate with the largest decrease enters. Allowed:
        a whole number from 0 to 1000. Needs penalty="l0": with penalty l1, the path runs over values of lambda, which
        decides how many subgraphs enter. Needs growth of at least 1: otherwise all subgraphs enter at once. Needs
        network="none": with layers, the loss has no curvature for a single subgraph.
    interactions : int, default 2; 0 (ein, gin, paper)
        Largest number of pairs of subgraphs that interact; 0 for none. A pair enters if both subgraphs together, or one
        without the other, explain the target clearly better than any single subgraph does. Pairs enter at sizes from 2
        to 8. Each counts as two subgraphs, and the linear model has a weight for the pair. Allowed: a whole number from
        0 to 8. Needs penalty="l0": with penalty l1, the path runs over values of lambda, which decides how many
        subgraphs enter. Needs head other than network: only a head that is fitted after the selection reads it.
    penalty : {"l0", "l1"}, default "l0"
        Sparsity constraint: at most s subgraphs (l0), or a group lasso penalty on their weights (l1).
    lambdas : int, default 20
        Number of lambda values on the path of penalty l1. Allowed: a whole number from 1. Needs penalty="l1": only
        penalty l1 has a path of lambda values.
    max_patterns : int, default 300
        Largest number of subgraphs on the path of penalty l1; the path ends before a model would have more. Allowed: a
        whole number from 1. Needs penalty="l1": only penalty l1 has a path of lambda values.
    l1_start : {"zero", "linear"}, default "zero"; "linear" (gin, paper)
        Where the path of penalty l1 starts: without subgraphs, or, as in the paper, from a linear model. Needs
        penalty="l1": only penalty l1 has a path of lambda values. Needs network="layers": without layers the model is
        linear, with one unit per output.
    growth : int, default 1; 0 (ein, gin, paper)
        Number of subgraphs that may enter in one iteration; 0 for as many as the size allows. A model of 100 subgraphs
        adds at least ten at a time: with a shortlist it predicts as well as if they entered one by one, after a tenth
        of the iterations. With 1, each choice uses weights fitted to the subgraphs chosen before. If several enter
        together from a shortlist, each is judged by what it adds to the others. Allowed: a whole number from 0. Needs
        penalty="l0": with penalty l1, the path runs over values of lambda, which decides how many subgraphs enter.
    network : {"layers", "none"}, default "none"; "layers" (ein, gin, paper)
        What follows the mining layer during the selection: dense layers, or nothing (a linear model).
    hidden : int, default 6
        Number of hidden units of the mining layer. Allowed: a whole number from 1 to 256. Needs network="layers":
        without layers the model is linear, with one unit per output.
    layers : sequence of int, default ()
        Widths of further dense layers between the mining layer and the output. Allowed: at most 16 whole numbers from 1
        to 4096. Needs network="layers": without layers the model is linear, with one unit per output.
    activation : {"sigmoid", "tanh", "relu", "identity"}, default "sigmoid"
        Activation of the mining layer. Needs network="layers": without layers the model is linear, with one unit per
        output.
    network_optimizer : {"gd", "adam"}, default "gd"; "adam" (gin)
        Optimizer of the network: the full gradient with a line search, or Adam on mini-batches. Needs network="layers":
        without layers the model is linear, with one unit per output.
    network_steps : int, default 30
        Gradient steps on the network in each iteration. Allowed: a whole number from 0. Needs network="layers": without
        layers the model is linear, with one unit per output.
    learning_rate : float, default 0.01; 0.001 (gin)
        Learning rate of Adam. Allowed: a finite number above 0. Needs network_optimizer="adam": only Adam reads it.
    batch_size : int, default 32
        Graphs in a mini-batch of Adam. Allowed: a whole number from 1. Needs network_optimizer="adam": only Adam reads
        it.
    average_steps : int, default 1; 100 (gin)
        Number of final steps of Adam whose weights are averaged; 1 for the last weights alone. Allowed: a whole number
        from 1. Needs network_optimizer="adam": only Adam reads it.
    gnn : {"none", "gin"}, default "none"; "gin" (gin)
        Graph network beside the mining layer. It reads vertex labels and attributes; the network reads its output
        together with the mining layer's. Size 0 of the path is the graph network alone. Needs network="layers": without
        layers the model is linear, with one unit per output. Needs head="network": the graph network and the subgraphs
        are read by one network.
    gnn_rounds : int, default 3
        Rounds of message passing. Allowed: a whole number from 1 to 31. Needs gnn="gin": only a graph network reads it.
    gnn_units : int, default 16; 32 (gin)
        Units of each layer of the graph network. Allowed: a whole number from 1 to 256. Needs gnn="gin": only a graph
        network reads it.
    gnn_pooling : {"sum", "mean"}, default "mean"; "sum" (paper)
        Pooling of the vertices of a graph into one row. Needs gnn="gin": only a graph network reads it.
    gnn_readout : {"last", "all"}, default "last"
        Readout: the last round, or all rounds side by side. Needs gnn="gin": only a graph network reads it.
    gnn_normalization : {"none", "layer"}, default "none"; "layer" (gin)
        Normalization after each layer of the graph network. layer: the units of each vertex get mean 0 and variance 1,
        then a learnt scale and shift. Nothing depends on other graphs. Needs gnn="gin": only a graph network reads it.
    gnn_edge_labels : bool, default False
        Separate weights for each edge label in the graph network. Needs gnn="gin": only a graph network reads it.
    max_step : float, default 25
        Largest step size of the line searches, relative to the mean loss. The loss is a sum over target values;
        dividing the step by their number makes it independent of the size of the data set. Allowed: a finite number
        above 0.
    step_shrink : float, default 0.5
        Factor between one step size of a line search and the next. Allowed: a number above 0 and below 1.
    armijo : float, default 0.0001
        Armijo constant c: the sufficient decrease that a step of a line search must reach. A step on the network must
        lower the loss by at least c * step / 2 * norm(gradient)^2; the selection step has a further factor 1 -
        step_shrink, as in the paper, and penalty l1 requires c / (2 step) * norm(change)^2. Allowed: a number above 0
        and below 1.
    weight_decay : float, default 0.01; 0.0001 (ein, gin); 0 (paper)
        Weight decay on the weights of subgraphs and network, relative to the mean loss. Allowed: a finite number from
        0.
    prefit_steps : int, default 200; 0 (gin, paper)
        Steps that fit bias and network before the first subgraph is chosen (prefit). Without it the first choice
        depends on how far the random initial network is from the class frequencies. Allowed: a whole number from 0.
    polish_steps : int, default 20; 10 (ein); 0 (gin, paper)
        Steps that fit all weights on the active subgraphs in each iteration (polishing). With penalty l1, any number
        above 0 fits a linear model to its minimum. Allowed: a whole number from 0.
    max_iterations : int, default 1; 50 (ein); 100 (gin); 200 (paper)
        Largest number of iterations at each size, once a model has its subgraphs. With growth, the iterations that add
        subgraphs come first and do not count. Allowed: a whole number from 1.
    stopping : {"loss", "metric"}, default "loss"; "metric" (gin)
        Early stopping: criterion on the validation set, the loss or the metric that select names. loss keeps the
        iterate with the lowest validation loss. metric keeps the one with the best metric, and among equals the one
        with the lowest loss; training goes on while either improves. The loss of a network that is overconfident in its
        errors can rise while its accuracy still improves. Needs max_iterations of at least 2: a single iteration cannot
        be stopped early. Needs penalty="l0" or network="layers": a linear model with penalty l1 is fitted to its
        minimum, not stopped early.
    patience : int, default 5; 10 (gin)
        Early stopping: number of iterations without a better validation loss or metric. Allowed: a whole number from 1.
        Needs max_iterations of at least 2: a single iteration cannot be stopped early. Needs penalty="l0" or
        network="layers": a linear model with penalty l1 is fitted to its minimum, not stopped early.
    tolerance : float, default 0.001; 0 (paper)
        Early stopping: relative decrease of the validation loss that counts as an improvement. Allowed: a finite number
        from 0. Needs max_iterations of at least 2: a single iteration cannot be stopped early. Needs penalty="l0" or
        network="layers": a linear model with penalty l1 is fitted to its minimum, not stopped early.
    head : {"blend", "linear", "forest", "network"}, default "blend"; "network" (ein, gin, paper)
        What predicts from the values of the chosen subgraphs. network is the model trained during the selection. linear
        is a ridge-penalised linear or logistic model. forest is a random forest, or boosted trees for regression. blend
        is the mean of linear and forest, weighted by their loss on held-out graphs.
    ridge : float, default 0.01
        Ridge penalty of a linear head, relative to the mean loss. Above 100 subgraphs it grows with their number: it is
        three times as large for 300. Allowed: a finite number from 0. Needs head="linear" or head="blend": otherwise
        there is no linear head.
    trees : int, default 100
        Number of trees of a forest head. For regression, three times as many boosted trees are grown; these are far
        smaller. Allowed: a whole number from 1 to 1000. Needs head="forest" or head="blend": otherwise there is no
        forest.
    summary : {"attributes", "none"}, default "attributes"; "none" (ein, gin, paper)
        Summary of the whole graph that the head reads in addition to the subgraphs. attributes, if vertices have any:
        the number of vertices with each label, and the mean, standard deviation, minimum and maximum of each attribute,
        over all vertices and over those with each label. Needs head other than network: only a head that is fitted
        after the selection reads it.
    refit : bool, default True; False (ein, gin, paper)
        Fit the model again on all graphs, once folds have chosen it. off: the model is fitted on the training set and
        chosen by the validation set. on: each graph (only some of them with many graphs or one fold) is predicted by a
        model that has not seen it. These out-of-fold predictions choose size and head; then the model, subgraphs
        included, is fitted on the training and validation sets together, without early stopping. Needs head other than
        network: only a head that is fitted after the selection reads it. Needs penalty="l0": with penalty l1, the path
        runs over values of lambda, which decides how many subgraphs enter.
    folds : int or "auto", default "auto"; 1 (ein, gin, paper)
        Number of folds that choose the model. auto is five for up to 4000 graphs, fewer for up to 20000, and above that
        a single fold of a fifth of the graphs. With a split, the validation set is one fold, and the training set is
        divided into others of about its size; 1 lets the validation set choose alone. A number above 1 divides the
        training and validation sets together into that many folds. Allowed: auto, or a whole number from 1 to 100.
        Needs refit=True: otherwise the validation set chooses.
    prefer : {"accurate", "sparse"}, default "accurate"
        Which model of the path is chosen: the smallest shown to be as good as the largest, or a sparser one. accurate:
        the largest, unless held-out graphs show, by two standard errors of the difference, that smaller ones are as
        good by the metric (within 0.002, or within 0.2 % of an error such as rmse) or better by the loss; then the
        smallest that is as good as the best of these. sparse: the smallest within one standard error of the best. Needs
        refit=True: otherwise the validation set chooses.
    calibrate : bool, default False
        Calibrate probabilities by temperature scaling on held-out graphs.
    threshold : {"half", "auto"}, default "half"
        Decision threshold for the positive (second) class: one half, or the best on held-out graphs.
    select : {"auto", "accuracy", "balanced_accuracy", "auc", "pr_auc", "loss", "rmse", "mae", "r2"}, default "auto"
        Metric on held-out graphs that chooses among the models of the path. auto is rmse for regression; for
        classification it is accuracy with head network, otherwise auc (accuracy where auc is undefined). Ties: fewer
        subgraphs, then lower validation loss, then the earlier model.
    edge_labels : {"auto", "use", "ignore"}, default None
        Lists of graphs: whether edge labels are used. This and the next four parameters say how lists given to `fit`
        are read; a `GraphSet` is used as it is, and refused if it was read in another way. A fitted model reads lists
        the way its training graphs were read. None is "auto": edge labels are used if there are any.
    hydrogens : {"keep", "drop"}, default None
        Lists of graphs: what happens to explicit hydrogens. None drops those of SMILES and keeps those of other graphs.
    molecule_labels : list of {"charge", "aromatic", "hydrogens"}, default None
        Lists of molecules: what the label of an atom holds besides the element. None is nothing.
    largest_fragment : bool, default None
        Lists of SMILES: whether to keep only the largest fragment of each molecule, without counter-ions and solvents.
        None keeps all.
    backend : {"einsicht", "rdkit"}, default None
        Lists of SMILES: what reads them. None is "einsicht", which gives the same graphs as RDKit, much faster.
    exclude : list of Pattern, SMILES, SMARTS or graphs, default None
        Subgraphs that are never chosen, nor any that are equivalent on the training graphs.
    require : list of Pattern, SMILES, SMARTS or graphs, default None
        Subgraphs that every model contains, without a penalty.
    random_state : int or RandomState, default None
        Seed of the random number generator; the same seed gives the same model, byte for byte. None is 0.
    threads : int, default None
        Number of threads; None is one per core. The result is the same for any number.
    n_jobs : int, default None
        The name that scikit-learn has for `threads`; -1 is one per core. If both are given, `threads` counts.
    class_weight : "balanced" or dict, default None
        Weights of the classes, as in scikit-learn: balanced gives all classes the same total weight. They multiply
        `sample_weight`. For classifiers only.
    memory : int or str, default None
        Memory limit in bytes or like "2G"; None is three quarters of the available memory. What does not fit is evicted
        and recomputed; this takes time but does not change the result. The limit does not include the data set itself.
    warm_start : bool, default False
        Continue along a longer path of `sizes` on the same data, instead of starting again.
    on_bad : {"stop", "skip", "nan"}, default "stop"
        What to do with rows of X that cannot be read, None and NaN included. stop: raise an error that names the row;
        skip: leave them out, of predictions too; nan: `fit` leaves them out, and their predictions are NaN (None for
        classes), so that rows stay aligned.
    verbose : bool, default False
        Show progress.
    """

    def __init__(
        self,
        *,
        preset: Literal["default", "ein", "gin", "paper"] = "default",
        sizes: Sequence[int] | Literal["auto"] | None = None,
        min_edges: int | None = None,
        max_edges: int | Literal["auto"] | None = None,
        min_support: float | str | None = None,
        qualifiers: str | Sequence[str] | PathLike[str] | None = None,
        max_qualifiers: int | None = None,
        max_qualified_edges: int | Literal["auto"] | None = None,
        feature: Literal["count", "mni", "presence"] | None = None,
        count_transform: Literal["log1p", "identity"] | None = None,
        unit: Literal["support_class", "pattern"] | None = None,
        shortlist: int | None = None,
        interactions: int | None = None,
        penalty: Literal["l0", "l1"] | None = None,
        lambdas: int | None = None,
        max_patterns: int | None = None,
        l1_start: Literal["zero", "linear"] | None = None,
        growth: int | None = None,
        network: Literal["layers", "none"] | None = None,
        hidden: int | None = None,
        layers: Sequence[int] | None = None,
        activation: Literal["sigmoid", "tanh", "relu", "identity"] | None = None,
        network_optimizer: Literal["gd", "adam"] | None = None,
        network_steps: int | None = None,
        learning_rate: float | None = None,
        batch_size: int | None = None,
        average_steps: int | None = None,
        gnn: Literal["none", "gin"] | None = None,
        gnn_rounds: int | None = None,
        gnn_units: int | None = None,
        gnn_pooling: Literal["sum", "mean"] | None = None,
        gnn_readout: Literal["last", "all"] | None = None,
        gnn_normalization: Literal["none", "layer"] | None = None,
        gnn_edge_labels: bool | None = None,
        max_step: float | None = None,
        step_shrink: float | None = None,
        armijo: float | None = None,
        weight_decay: float | None = None,
        prefit_steps: int | None = None,
        polish_steps: int | None = None,
        max_iterations: int | None = None,
        stopping: Literal["loss", "metric"] | None = None,
        patience: int | None = None,
        tolerance: float | None = None,
        head: Literal["blend", "linear", "forest", "network"] | None = None,
        ridge: float | None = None,
        trees: int | None = None,
        summary: Literal["attributes", "none"] | None = None,
        refit: bool | None = None,
        folds: int | Literal["auto"] | None = None,
        prefer: Literal["accurate", "sparse"] | None = None,
        calibrate: bool | None = None,
        threshold: Literal["half", "auto"] | None = None,
        select: str | None = None,
        edge_labels: Literal["auto", "use", "ignore"] | None = None,
        hydrogens: Literal["keep", "drop"] | None = None,
        molecule_labels: Sequence[Literal["charge", "aromatic", "hydrogens"]] | None = None,
        largest_fragment: bool | None = None,
        backend: Literal["einsicht", "rdkit"] | None = None,
        exclude: Sequence[Any] | None = None,
        require: Sequence[Any] | None = None,
        random_state: int | np.random.RandomState | None = None,
        threads: int | None = None,
        n_jobs: int | None = None,
        class_weight: Literal["balanced"] | Mapping[Any, float] | None = None,
        memory: int | str | None = None,
        warm_start: bool = False,
        on_bad: Literal["stop", "skip", "nan"] = "stop",
        verbose: bool = False,
    ) -> None:
        self.preset = preset
        self.sizes = sizes
        self.min_edges = min_edges
        self.max_edges = max_edges
        self.min_support = min_support
        self.qualifiers = qualifiers
        self.max_qualifiers = max_qualifiers
        self.max_qualified_edges = max_qualified_edges
        self.feature = feature
        self.count_transform = count_transform
        self.unit = unit
        self.shortlist = shortlist
        self.interactions = interactions
        self.penalty = penalty
        self.lambdas = lambdas
        self.max_patterns = max_patterns
        self.l1_start = l1_start
        self.growth = growth
        self.network = network
        self.hidden = hidden
        self.layers = layers
        self.activation = activation
        self.network_optimizer = network_optimizer
        self.network_steps = network_steps
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.average_steps = average_steps
        self.gnn = gnn
        self.gnn_rounds = gnn_rounds
        self.gnn_units = gnn_units
        self.gnn_pooling = gnn_pooling
        self.gnn_readout = gnn_readout
        self.gnn_normalization = gnn_normalization
        self.gnn_edge_labels = gnn_edge_labels
        self.max_step = max_step
        self.step_shrink = step_shrink
        self.armijo = armijo
        self.weight_decay = weight_decay
        self.prefit_steps = prefit_steps
        self.polish_steps = polish_steps
        self.max_iterations = max_iterations
        self.stopping = stopping
        self.patience = patience
        self.tolerance = tolerance
        self.head = head
        self.ridge = ridge
        self.trees = trees
        self.summary = summary
        self.refit = refit
        self.folds = folds
        self.prefer = prefer
        self.calibrate = calibrate
        self.threshold = threshold
        self.select = select
        self.edge_labels = edge_labels
        self.hydrogens = hydrogens
        self.molecule_labels = molecule_labels
        self.largest_fragment = largest_fragment
        self.backend = backend
        self.exclude = exclude
        self.require = require
        self.random_state = random_state
        self.threads = threads
        self.n_jobs = n_jobs
        self.class_weight = class_weight
        self.memory = memory
        self.warm_start = warm_start
        self.on_bad = on_bad
        self.verbose = verbose
