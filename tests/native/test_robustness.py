"""The kernel when things go wrong: no memory, no time, signals, an analysis inside another."""

from __future__ import annotations

import copy
import pickle
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import FrameType
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pytest

import csp_mines
from csp_mines import OutOfTime, TooWide
from tests.strategies import gap_assembly

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel

SOURCES = Path(__file__).parents[2] / "solvers" / "native" / "kernel"
SMALL = np.array([[-1, -1, -1, -1], [1, 1, 3, -1], [0, 0, 1, -1], [0, 0, 1, -1]], np.int8)
SAFE = {(0, 0), (0, 2), (1, 3), (3, 3)}


def dense(rows: int, cols: int, seed: int = 0) -> npt.NDArray[np.int8]:
    """40 % mines, half of the rest opened: an order of elimination is hard to find."""
    numbers = np.random.default_rng(seed)
    mines = numbers.random((rows, cols)) < 0.4
    opened = ~mines & (numbers.random((rows, cols)) < 0.5)
    return np.where(opened, csp_mines.Layout(mines).numbers, -1).astype(np.int8)


def long_board() -> npt.NDArray[np.int8]:
    """A lattice that takes a few tenths of a second and fits."""
    board = np.full((18, 18), -1, np.int8)
    board[1::2, 1::2] = 3
    return board


@contextmanager
def interrupted_by(handler: object, seconds: float) -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_an_analysis_inside_an_analysis(kernel: Kernel) -> None:
    inner: list[set[tuple[int, int]]] = []

    def analyse_again(number: int, frame: FrameType | None) -> None:
        inner.append(set(csp_mines.analyze(SMALL, 3).safe))

    board = long_board()
    alone = csp_mines.analyze(board)
    with interrupted_by(analyse_again, 0.02):
        disturbed = csp_mines.analyze(board)
    assert inner
    assert all(safe == SAFE for safe in inner)
    assert np.array_equal(disturbed.probabilities, alone.probabilities, equal_nan=True)


def test_ctrl_c_is_heard_soon(kernel: Kernel) -> None:
    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    for call in (csp_mines.analyze, lambda board: csp_mines.analyze_many([board] * 4)):
        begin = time.perf_counter()
        with pytest.raises(KeyboardInterrupt), interrupted_by(interrupt, 0.05):
            call(long_board())
        assert time.perf_counter() - begin < 1
    assert set(csp_mines.analyze(SMALL, 3).safe) == SAFE


def test_an_analysis_ends_when_its_time_is_over(kernel: Kernel) -> None:
    with pytest.raises(OutOfTime, match=r"'native' gave no answer within 0\.01 seconds"):
        csp_mines.analyze(long_board(), seconds=0.01)
    with pytest.raises(OutOfTime):
        csp_mines.analyze_many([long_board()] * 3, seconds=0.01)


def test_a_board_without_a_good_order_is_given_up_soon(kernel: Kernel) -> None:
    begin = time.process_time()
    with pytest.raises(TooWide):
        csp_mines.analyze(dense(200, 200))
    assert time.process_time() - begin < 60  # it was minutes, and is a second


def test_a_memory_keeps_its_bound(kernel: Kernel) -> None:
    memory = csp_mines.Memory(1 << 20)
    assert memory.held is not None
    for seed in range(8):
        csp_mines.analyze(dense(12, 20, seed), memory=memory)
        assert memory.held.bytes <= 1 << 20


def test_a_memory_can_be_asked_while_it_is_used(kernel: Kernel) -> None:
    memory = csp_mines.Memory()
    boards = [dense(10, 12, seed) for seed in range(30)]

    def work() -> None:
        for board in boards:
            csp_mines.analyze(board, memory=memory)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert len(memory) >= 0
    for thread in threads:
        thread.join()


def test_results_can_be_copied_and_pickled(kernel: Kernel) -> None:
    found = csp_mines.analyze(SMALL, 3)
    for other in (pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found)):
        assert (other.safe, other.mines, other.move) == (found.safe, found.mines, found.move)
        assert np.array_equal(other.probabilities, found.probabilities, equal_nan=True)
        assert np.array_equal(other.safe_mask, found.safe_mask)
        assert (other.status, other.error) == (found.status, found.error)
        assert other.solutions == found.solutions
        assert str(other.board) == str(found.board)


HUNGRY = """
import numpy as np, resource, csp_mines
small = np.array({small})
big = np.full((4000, 4000), -1, np.int8)
first = csp_mines.analyze(small, 3).safe
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (180 << 20),) * 2)
for _ in range(3):
    try:
        csp_mines.analyze(big, 3_000_000)
    except MemoryError:
        print("no memory")
    assert csp_mines.analyze(small, 3).safe == first
for workers in (1, 2):
    try:
        csp_mines.analyze_many([big, small], [3_000_000, 3], workers=workers)
    except MemoryError:
        print("no memory")
print("right")
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_AS"), reason="the system has no memory limits")
def test_no_memory_is_an_error_and_no_more(kernel: Kernel) -> None:
    code = HUNGRY.format(small=SMALL.tolist())
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.split("\n")[-2] == "right"
    assert "no memory" in run.stdout


USER = """
import csp_mines
game = csp_mines.Game.new("beginner", seed=26)
csp_mines.play(game, "win", seed=26)
csp_mines.review(game)
board = csp_mines.Board.parse("mines: 2\\ngrid: hex\\n?1??\\n????\\n????")
csp_mines.best_move(board)
"""


def test_the_kernel_reports_no_leaks_at_the_end(kernel: Kernel) -> None:
    """nanobind writes a warning if one of its objects outlives the module."""
    run = subprocess.run([sys.executable, "-c", USER], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


def test_every_allocation_may_fail(kernel: Kernel, tmp_path: Path) -> None:
    """What SQLite does: the n-th allocation fails, for every n, and then all is as it was."""
    compiler = shutil.which("c++") or shutil.which("g++")
    assert compiler is not None, "the kernel was built, so there is a compiler"
    program = tmp_path / "allocations"
    folders = ("analysis", "board", "combining", "counting", "resources")  # what an analysis needs
    sources = [path for name in folders for path in sorted((SOURCES / name).glob("*.cpp"))]
    whole = tmp_path / "whole.cpp"  # one file compiles in half the time of many
    whole.write_text("".join(f'#include "{path}"\n' for path in sources))
    subprocess.run(
        [compiler, "-std=c++17", "-O0", "-pthread", f"-I{SOURCES}", "-Wl,--wrap=realloc",
         str(Path(__file__).with_name("allocations.cpp")), str(whole), "-o", str(program)],
        check=True,
    )  # fmt: skip
    positions = []
    for rows, cols, model in [(4, 5, 0), (5, 4, 1)]:
        positions.append((model, -1, dense(rows, cols, rows)))
    gaps = gap_assembly(Random(5), blocks=90, longest=20, width=121)
    positions += [(0, 3, SMALL), (0, gaps.mines or -1, gaps.codes)]
    told = "\n".join(
        f"{board.shape[0]} {board.shape[1]} {model} {mines} {' '.join(map(str, board.ravel()))}"
        for model, mines, board in positions
    )
    run = subprocess.run([program], input=told, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert int(run.stdout.split()[0]) > 100
