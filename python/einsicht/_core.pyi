"""The native part of einsicht. Use the package `einsicht`, which has the names for users."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = ["PARAMETERS", "Attributions", "FitState", "Fitted", "Graphs", "Layer", "Model", "Worker", "__version__", "bootstrap", "fit", "num_folds", "read_splits", "run_folds", "run_trial", "stability", "summarize"]

__version__: str
PARAMETERS: list[str]

_Floats = NDArray[np.float64]
_Target = tuple[str, list[str] | None, _Floats]
_LabelledGraph = tuple[list[str], list[tuple[int, int, str]]]

@final
class Graphs:
    @staticmethod
    def read(path: str | PathLike[str], options: dict[str, Any]) -> Graphs: ...
    @staticmethod
    def from_smiles(smiles: Sequence[str], options: dict[str, Any]) -> Graphs: ...
    @staticmethod
    def build(
        name: str,
        graphs: Sequence[_LabelledGraph],
        attributes: tuple[int, Sequence[Sequence[float]]] | None,
        options: dict[str, Any],
        properties: Mapping[str, Sequence[Sequence[str | None]]] | None = None,
    ) -> Graphs: ...
    @staticmethod
    def join(sets: Sequence[Graphs]) -> Graphs: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Graphs: ...
    def to_bytes(self) -> bytes: ...
    def take(self, indices: Sequence[int]) -> Graphs: ...
    def __len__(self) -> int: ...
    def graph(self, at: int) -> _LabelledGraph: ...
    def neighbors(self, at: int, vertex: int) -> list[tuple[int, str]]: ...
    def attributes(self, at: int) -> tuple[int, list[float]] | None: ...
    def properties(self, at: int) -> dict[str, list[str | None]]: ...
    def property_values(self) -> list[tuple[str, list[str]]]: ...
    def ids(self) -> list[str]: ...
    def source_rows(self) -> list[int]: ...
    def skipped(self) -> list[tuple[int, str]]: ...
    def sizes(self) -> list[tuple[int, int]]: ...
    def vertex_labels(self) -> list[tuple[str, str]]: ...
    def edge_labels(self) -> list[tuple[str, str]]: ...
    def targets(self) -> list[_Target]: ...
    def fingerprint(self) -> str: ...
    def svg(self, at: int, title: str) -> str: ...

@final
class Model:
    @staticmethod
    def from_bytes(bytes: bytes) -> Model: ...
    def to_bytes(self) -> bytes: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def to_json(self) -> str: ...
    @property
    def chosen(self) -> int: ...
    def tasks(self) -> str: ...
    def params(self) -> str: ...
    def settings(self) -> str: ...
    def path(self) -> str: ...
    def entry_of_size(self, size: int) -> int | None: ...
    def predict(
        self, graphs: Graphs, entry: int | None = None, threads: int | None = None
    ) -> tuple[list[tuple[_Floats, _Floats | None]], int, int]: ...
    def out_of_fold(
        self, graphs: Graphs, entry: int | None = None, threads: int | None = None
    ) -> tuple[list[tuple[_Floats, _Floats | None]], list[int]]: ...
    def estimate(self) -> str: ...
    def evaluate(
        self,
        graphs: Graphs,
        targets: Sequence[_Target],
        skip_unknown: bool,
        entry: int | None = None,
        threads: int | None = None,
    ) -> str: ...
    def outputs(self, graphs: Graphs, entry: int | None = None, threads: int | None = None) -> _Floats: ...
    def values(self, graphs: Graphs, entry: int | None = None, threads: int | None = None) -> _Floats: ...
    def explain(self, graphs: Graphs, options: Mapping[str, str | int | list[int] | None]) -> Attributions: ...
    def effects(
        self,
        graphs: Graphs,
        targets: Sequence[_Target],
        entry: int | None = None,
        threads: int | None = None,
    ) -> str: ...
    def spread(
        self, graphs: Graphs, at: int, values: Sequence[float], entry: int | None = None
    ) -> tuple[list[float], list[float]]: ...
    def draw_attributions(
        self, graphs: Graphs, at: int, values: Sequence[float], title: str, entry: int | None = None
    ) -> str: ...
    def surrogate(self, graphs: Graphs, options: Mapping[str, int | None]) -> tuple[str, str]: ...
    def report(
        self,
        graphs: Graphs,
        targets: Sequence[_Target],
        options: Mapping[str, str | int | list[int] | None],
    ) -> tuple[str, list[str]]: ...
    def parts(self, graphs: Graphs, targets: Sequence[_Target]) -> list[str | None]: ...
    def patterns(self, entry: int | None = None) -> str: ...
    def pattern_svg(self, at: int, entry: int | None = None) -> str: ...

_Code = list[tuple[int, int, int, int, int]]
_Weighted = list[tuple[_Code, list[float]]]
_Counters = tuple[int, int, int]

@final
class Layer:
    def __new__(cls, graphs: Graphs, params: str, threads: int | None = None) -> Layer: ...
    def search(
        self, delta: _Floats, active: _Weighted, size: int, is_mean: bool
    ) -> tuple[list[tuple[_Code, list[float], float]], list[tuple[list[float], float]], float, _Counters]: ...
    def step(
        self,
        delta: _Floats,
        active: _Weighted,
        size: int,
        is_mean: bool,
        loss_before: float,
        loss: Callable[[_Floats], float],
    ) -> tuple[float | None, _Weighted, _Counters]: ...
    def columns(self, codes: Sequence[_Code]) -> _Floats: ...
    def match_in(self, graphs: Graphs, codes: Sequence[_Code]) -> _Floats: ...
    def covered(
        self, graphs: Graphs, at: int, codes: Sequence[_Code], limit: int
    ) -> list[tuple[list[int], list[tuple[int, int]]]]: ...
    def pattern(self, code: _Code) -> str: ...
    def tokens(self) -> str: ...
    def code_length(self) -> int: ...
    def __len__(self) -> int: ...

@final
class Worker:
    def __new__(
        cls,
        graphs: Graphs,
        targets: Sequence[_Target],
        settings: str,
        seed: int,
        *,
        index: int,
        count: int,
        fold: int | None = None,
        num_train: int | None = None,
        threads: int | None = None,
    ) -> Worker: ...
    def answer(self, request: bytes) -> bytes: ...

@final
class Attributions:
    @property
    def quantities(self) -> list[tuple[int, int | None, str]]: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def output(self) -> _Floats: ...
    @property
    def base(self) -> _Floats: ...
    @property
    def values(self) -> _Floats: ...
    @property
    def errors(self) -> _Floats: ...
    @property
    def counts(self) -> _Floats: ...

@final
class FitState: ...

@final
class Fitted:
    @property
    def model(self) -> Model | None: ...
    @property
    def visited(self) -> list[int]: ...
    @property
    def state(self) -> FitState: ...
    @property
    def raised(self) -> BaseException | None: ...

def fit(
    graphs: Graphs,
    targets: Sequence[_Target],
    settings: str,
    seed: int,
    *,
    num_train: int | None = None,
    weights: Sequence[float] | None = None,
    threads: int | None = None,
    memory: str | None = None,
    observer: Callable[[int, float | None, int, float, float | None, int, int], object] | None = None,
    on_fold: Callable[[int, int], object] | None = None,
    state: FitState | None = None,
    ask: Callable[[bytes, int | None], list[bytes]] | None = None,
) -> Fitted: ...

_SplitIndices = tuple[list[int], list[int], list[int]]

def read_splits(path: str | PathLike[str], graphs: Graphs) -> list[_SplitIndices]: ...
def run_trial(
    graphs: Graphs,
    targets: Sequence[_Target],
    settings: str,
    seed: int,
    *,
    trial: int,
    split: tuple[Sequence[int], Sequence[int], Sequence[int]],
    grid: str,
    threads: int | None = None,
    memory: str | None = None,
    at_once: int = 1,
) -> tuple[str, Model]: ...
def summarize(results: Sequence[str]) -> str: ...
def num_folds(
    graphs: Graphs,
    targets: Sequence[_Target],
    settings: str,
    seed: int,
    *,
    num_train: int | None = None,
) -> int: ...
def run_folds(
    graphs: Graphs,
    targets: Sequence[_Target],
    settings: str,
    seed: int,
    *,
    first: int,
    last: int,
    num_train: int | None = None,
    threads: int | None = None,
    memory: str | None = None,
    at_once: int = 1,
) -> list[str]: ...
def bootstrap(
    graphs: Graphs,
    targets: Sequence[_Target],
    settings: str,
    seed: int,
    folds: Sequence[str],
    *,
    first: int,
    last: int,
    num_train: int | None = None,
    threads: int | None = None,
    memory: str | None = None,
    at_once: int = 1,
) -> list[str]: ...
def stability(
    graphs: Graphs,
    targets: Sequence[_Target],
    settings: str,
    seed: int,
    members: Sequence[str],
    *,
    num_train: int | None = None,
    threads: int | None = None,
) -> str: ...
