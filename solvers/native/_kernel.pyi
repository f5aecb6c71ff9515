"""The compiled kernel of the native engine. Codes, statuses and models are plain integers here;
`csp_mines.kernel` gives them their names."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

class Result:
    @property
    def status(self) -> int: ...
    @property
    def states(self) -> int: ...
    @property
    def error(self) -> float: ...
    @property
    def outlook(self) -> int: ...
    @property
    def log_solutions(self) -> float: ...
    @property
    def probabilities(self) -> npt.NDArray[np.float64]: ...
    @property
    def board(self) -> npt.NDArray[np.int8]: ...
    @property
    def safe(self) -> frozenset[tuple[int, int]]: ...
    @property
    def mines(self) -> frozenset[tuple[int, int]]: ...
    @property
    def safe_mask(self) -> npt.NDArray[np.bool_]: ...
    @property
    def mine_mask(self) -> npt.NDArray[np.bool_]: ...
    def safest(self, tolerance: float) -> tuple[tuple[int, int], float, int, bool] | None: ...

class Memory:
    def __init__(self, max_bytes: int) -> None: ...
    def __len__(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def hits(self) -> int: ...
    @property
    def misses(self) -> int: ...

def analyze(
    board: object,
    mines: int,
    odds: float,
    model: int,
    max_states: int,
    seconds: float,
    memory: Memory | None,
) -> Result: ...
def sample(
    sizes: Sequence[int],
    first: Sequence[int],
    members: Sequence[int],
    first_weight: Sequence[int],
    weights: Sequence[float],
    log_ways: Sequence[float],
    risks: Sequence[float],
    odds: float,
    starts: Sequence[int],
    seed: int,
    moves: int,
    work: int,
    seconds: float,
) -> tuple[list[float], list[float], int, int] | None: ...
def analyze_many(
    boards: Sequence[object],
    mines: Sequence[int],
    odds: float,
    model: int,
    max_states: int,
    seconds: float,
    threads: int,
) -> list[Result]: ...
def uniform_layouts(
    size: tuple[int, int, int, int, int, bool],
    easiest: int,
    hardest: int,
    key: int,
    begin: int,
    end: int,
    max_states: int,
    threads: int,
) -> tuple[list[tuple[int, bytes, int, tuple[int, ...]]], int]: ...
def repaired_layouts(
    size: tuple[int, int, int, int, int, bool],
    easiest: int,
    hardest: int,
    key: int,
    begin: int,
    end: int,
    plays: int,
    max_states: int,
    threads: int,
) -> list[tuple[int, bytes, int, tuple[int, ...]]]: ...
def play_layout(
    size: tuple[int, int, int, int, int, bool], mines: bytes, hardest: int, max_states: int
) -> tuple[bool, bool, int, tuple[int, ...], list[tuple[int, list[int]]]]: ...
def deduce_board(
    board: object, engine: int, mines: int, max_states: int
) -> tuple[list[int], list[int]] | None: ...
