"""Wide boards: counted within a bound on memory, region by region; else honest estimates."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from csp_mines import Board, analyze
from csp_mines.analysis.analyze import Budget, _prove
from csp_mines.analysis.by_sampling import UNKNOWN_ERROR, SampledAnalysis
from csp_mines.backend import Deadline, load
from csp_mines.board import CLEAR, HIDDEN
from csp_mines.constraints import Frontier
from csp_mines.errors import OutOfTime, TooWide
from csp_mines.geometry import SQUARE
from csp_mines.sampling import SAMPLING
from csp_mines.web.tasks import answer

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel

DATA = Path(__file__).with_name("wide.jsonl")
POSITIONS = [json.loads(line) for line in DATA.read_text().splitlines()]


def checkered(size: int) -> np.ndarray:
    """Clues that see two hidden cells each, all of them in one piece: two layouts."""
    codes = np.full((2 * size + 1, 2 * size + 1), CLEAR)
    for row in range(size + 1):
        codes[2 * row, 2 * (row % 2) :: 4] = HIDDEN
    codes[1::2, 1::2] = 1
    return codes


def lattice(side: int, seed: int = 5, *, total: bool = False) -> Board:
    rng = np.random.default_rng(seed)
    opened = np.zeros((side, side), bool)
    opened[1::2, 1::2] = True
    mines = (rng.random((side, side)) < 0.3) & ~opened
    codes = np.where(opened, SQUARE.count(mines), HIDDEN)
    return Board(codes, mines=int(mines.sum()) if total else None)


@pytest.mark.parametrize("position", POSITIONS, ids=[each["id"] for each in POSITIONS])
def test_wide_boards_are_counted_by_default(kernel: Kernel, position: dict) -> None:
    board = Board.parse(position["board"])
    found = analyze(board)
    expected = np.array(position["probabilities"], float).reshape(board.codes.shape)
    np.testing.assert_allclose(found.probabilities, expected, rtol=0, atol=2e-12)
    with pytest.raises(TooWide, match="more than 1 MiB of memory"):
        analyze(board, max_memory=1 << 20)


def test_a_handful_of_states_is_never_too_wide(kernel: Kernel) -> None:
    """However many constraints are open at once."""
    for size in (100, 130, 300):
        found = analyze(checkered(size), max_states=10**6, max_memory=1 << 26)
        assert found.solutions == 2
        assert set(found.probabilities[checkered(size) == HIDDEN]) == {0.5}


def test_a_wide_board_leaves_nothing_to_the_limit_of_the_next(kernel: Kernel) -> None:
    """The kernel keeps its buffers, but counts only what the next board needs."""
    small = lattice(9)
    before = analyze(small, max_memory=1 << 17).solutions
    assert analyze(lattice(17)).solutions > before
    assert analyze(small, max_memory=1 << 17).solutions == before


@pytest.mark.parametrize("total", [True, False])
def test_a_count_in_parts_gives_the_same(kernel: Kernel, total: bool) -> None:
    """Coefficients that are computed again on the way back are those that were there before."""
    board = lattice(19, total=total)
    whole = analyze(board)
    least = None
    for power in range(27, 18, -1):
        try:
            found = analyze(board, max_memory=1 << power)
        except TooWide:
            break
        least = power
        np.testing.assert_allclose(found.probabilities, whole.probabilities, rtol=0, atol=1e-12)
        assert found.log_solutions == pytest.approx(whole.log_solutions, abs=1e-9)
    assert least is not None
    assert least < 25


@pytest.mark.parametrize("density", ["0.2", "1e-30", "1e-40", "1e-150", "1e-290"])
def test_extreme_densities_lose_no_layout(kernel: Kernel, density: str) -> None:
    """The middle of this chain is a mine in two of three layouts of equal weight."""
    wide = lattice(11, 24).codes
    codes = np.full((11, 21), CLEAR)
    codes[:, :11] = wide
    codes[4, 13:20] = [HIDDEN, 2, HIDDEN, 1, HIDDEN, 1, HIDDEN]
    codes[3, 13] = HIDDEN
    found = analyze(Board(codes, density=density))
    assert (4, 15) not in found.mines
    expected = found.probability((4, 15))
    assert found.probabilities[4, 15] == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("density", [None, "0.3"])
def test_regions_are_judged_one_by_one(kernel: Kernel, density: str | None) -> None:
    """What can be counted is, although a neighbour is too wide."""
    wide, small = lattice(21).codes, lattice(7, 6).codes
    codes = np.full((21, 29), CLEAR)
    codes[:, :21], codes[:7, 22:] = wide, small
    board = Board(codes, density=density)
    found = analyze(board, max_states=20_000, approximate=Budget(work=100_000_000))
    alone = analyze(Board(small, density=density))
    assert isinstance(found, SampledAnalysis)
    np.testing.assert_allclose(found.probabilities[:7, 22:], alone.probabilities, atol=1e-12)
    assert np.nanmax(found.standard_errors[:7, 22:]) < 1e-8
    exact = analyze(board)
    off = np.abs(found.probabilities - exact.probabilities)
    assert (off[codes == HIDDEN] <= 4 * found.standard_errors[codes == HIDDEN] + 1e-12).all()


@pytest.mark.parametrize("sea", [0, 6])
def test_with_a_total_only_the_mines_of_the_wide_region_are_estimated(
    kernel: Kernel, sea: int
) -> None:
    """All else depends on a wide region through its number of mines alone."""
    wide, small, other = lattice(17).codes, lattice(7, 6).codes, lattice(5, 9).codes
    codes = np.full((17, 31), CLEAR)
    codes[:, :17], codes[:7, 18:25], codes[12:, 26:] = wide, small, other
    codes[9, 19 : 19 + sea] = HIDDEN
    inside = np.zeros(codes.shape, bool)
    inside[:, :17] = True
    mines = round(np.nansum(analyze(codes).probabilities))
    board = Board(codes, mines=mines)
    exact = analyze(board)
    found = analyze(board, max_states=3000, approximate=Budget(work=100_000_000))
    assert isinstance(found, SampledAnalysis)
    asked = (codes == HIDDEN) & ~exact.safe_mask & ~exact.mine_mask
    off = np.abs(found.probabilities - exact.probabilities)
    assert (off[asked] <= 4 * found.standard_errors[asked]).all()
    rest = asked & ~inside
    assert found.standard_errors[rest].max() < found.standard_errors[asked & inside].max() / 2


def test_far_modes_are_estimated_honestly(kernel: Kernel) -> None:
    """No chain connects these layouts; a sweep reaches both."""
    codes = checkered(30)
    found = analyze(codes, counter=SAMPLING, approximate=Budget(work=10_000_000))
    risks, errors = found.probabilities[codes == HIDDEN], found.standard_errors[codes == HIDDEN]
    assert np.abs(risks - 0.5).max() < 1e-9
    assert (errors > 0).all()


def test_chains_that_never_move_know_nothing(kernel: Kernel) -> None:
    """Every block leaves something fixed that pins the rest. What never changed in any chain gets
    an error that any risk lies within."""
    problem = Frontier.of(checkered(60)).problem
    (region,) = problem.regions
    first, members = [0], []
    for constraint in region.constraints:
        members += constraint.boxes
        first.append(len(members))
    sizes = [len(box) for box in region.boxes]
    drawn = kernel.sample(
        sizes, first, members, [3 * i for i in range(len(first))],
        [0.0, 1.0, 0.0] * len(region.constraints), [], [], 1.0,
        [side for _ in range(4) for side in _one_layout(region)], 1, 200, 10**9, 60.0, False,
    )  # fmt: skip
    assert drawn is not None
    means, errors = np.array(drawn[0]), np.array(drawn[1])
    assert ((means > 0) & (means < 1)).all()
    assert (np.abs(means - 0.5) <= 2 * errors).all()


def _one_layout(region: object) -> list[int]:
    """One of the two layouts, as the mines of every box."""
    mines: dict[int, int] = {0: 0}
    waiting = [0]
    while waiting:
        box = waiting.pop()
        for constraint in region.constraints:  # type: ignore[attr-defined]
            if box in constraint.boxes:
                (other,) = set(constraint.boxes) - {box}
                if other not in mines:
                    mines[other] = 1 - mines[box]
                    waiting.append(other)
    return [mines[box] for box in range(len(region.boxes))]  # type: ignore[attr-defined]


def test_an_unknown_risk_is_not_preferred(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    board = lattice(15, total=True)
    found = analyze(board, counter=SAMPLING, approximate=Budget(work=2_000_000))
    assert isinstance(found, SampledAnalysis)
    risks = np.full(board.codes.shape, 0.3)
    errors = np.full(board.codes.shape, 0.01)
    risks[0, 0], errors[0, 0] = 0.2, 0.25
    risks[0, 5] = 0.25
    for name, values in (("probabilities", risks), ("standard_errors", errors)):
        monkeypatch.setitem(found.__dict__, name, values)
    for name, nothing in (("safe", frozenset()), ("mines", frozenset())):
        monkeypatch.setitem(found.__dict__, name, nothing)
    assert found.choice is not None
    assert found.choice.cell == (0, 5)
    assert found.choice.risk == 0.25
    assert found.unknown == {(0, 0)}
    assert errors[0, 0] > UNKNOWN_ERROR


def test_a_time_limit_leaves_what_was_proved(kernel: Kernel) -> None:
    board = lattice(41, total=True)
    begin = time.monotonic()
    found = analyze(board, seconds=0.4, approximate=Budget(0.1, seed=1))
    assert not found.exact
    assert not found.complete
    assert found.safe == analyze(board, backend="pysat", use_total=False, counting=False).safe
    hidden = (board.codes == HIDDEN) & ~found.safe_mask & ~found.mine_mask
    assert ((found.probabilities[hidden] > 0) & (found.probabilities[hidden] < 1)).all()
    assert (found.standard_errors[hidden] > 0).all()
    assert time.monotonic() - begin < 30  # it was minutes


def test_a_proof_that_takes_all_the_time_is_kept(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is left of the time for deductions with the total."""
    monkeypatch.setattr(Deadline, "left", 0.0)
    problem = Frontier.of(lattice(5, total=True)).problem
    proved, complete = _prove(problem, "single", 1.0)
    assert not complete
    assert proved == load("single").deduce(problem)


def test_the_page_shows_estimates(kernel: Kernel) -> None:
    rng = np.random.default_rng(5)
    codes = np.full((41, 41), HIDDEN)
    codes[1::2, 1::2] = rng.integers(2, 4, (20, 20))
    status, told = answer("analyze", json.dumps({"board": str(Board(codes))}).encode())
    report = json.loads(told)
    assert status == 200
    assert report["exact"] is False
    assert report["solutions"] is None
    known = {tuple(cell) for cell in report["safe"] + report["certain_mines"]}
    for row, col in Board(codes).cells(HIDDEN):
        error = report["standard_errors"][row][col]
        assert (error == 0) == ((row, col) in known)
        assert ([row, col] in report["unknown"]) == (error > 0.1)


@pytest.mark.parametrize("backend", ["pysat", "cpsat", "gauss"])
def test_a_named_engine_leaves_what_it_proved_in_time(kernel: Kernel, backend: str) -> None:
    board = lattice(41, total=True)
    begin = time.monotonic()
    found = analyze(board, backend=backend, seconds=2.0, approximate=1.2)
    assert time.monotonic() - begin < 20
    assert isinstance(found, SampledAnalysis)
    assert found.backend == backend
    assert not found.complete
    quick = analyze(board, backend="subtraction", use_total=False, counting=False)
    assert found.safe >= quick.safe
    assert found.mines >= quick.mines
    with pytest.raises((OutOfTime, TooWide)):
        _ = analyze(board, backend=backend, seconds=0.5).probabilities
    with pytest.raises(OutOfTime):  # who names the engine that is to count means it
        analyze(board, backend=backend, counter="pysat", seconds=0.5, approximate=0.5)


def test_a_named_counter_that_reaches_a_limit_is_not_replaced() -> None:
    board = lattice(5, total=True)
    with pytest.raises(TooWide):
        analyze(board, counter="native:pure", max_states=2, approximate=0.1)
    for counter in (None, "native"):  # the default engine, named or not, gives way to estimates
        analysis = analyze(board, counter=counter, max_states=2, approximate=0.1)
        assert isinstance(analysis, SampledAnalysis)


def test_proofs_on_a_large_board_keep_the_time_limit(kernel: Kernel) -> None:
    """Even where no time is left for estimates: the solver has to look at the clock."""
    begin = time.monotonic()
    analysis = analyze(lattice(61, 1, total=True), seconds=1.5, approximate=0.0)
    assert isinstance(analysis, SampledAnalysis)
    assert not analysis.complete
    assert analysis.probabilities.shape == (61, 61)
    assert time.monotonic() - begin < 12
