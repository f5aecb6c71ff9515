"""Sampled risks: held to exact counts where there are any, and to proofs where there are not."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from csp_mines.analysis.analyze import Analysis, Budget, analyze
from csp_mines.analysis.by_sampling import SampledAnalysis
from csp_mines.backend import Capability, load, offered
from csp_mines.board import CLEAR, HIDDEN, Board
from csp_mines.constraints import Frontier
from csp_mines.errors import BoardError, CspMinesError, GaveUp, InputError, TooWide, Unsupported
from csp_mines.games import knowledge
from csp_mines.games.agents import agent
from csp_mines.games.knowledge import Knowledge
from csp_mines.games.policies import lowest_risk
from csp_mines.geometry import SQUARE
from csp_mines.sampling import ROUNDING, SAMPLING, Estimate, all_unknown, estimate, sea_alone

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel


def board_of(rng: np.random.Generator, clues: str, *, side: int = 8, total: bool = True) -> Board:
    """A random board with a fifth of mines and a third of the safe cells open."""
    mines = rng.random((side, side)) < 0.2
    true = SQUARE.count(mines).astype(float)
    chances = rng.random((side, side))
    shown = {
        "exact": true,
        "optimistic": np.floor(chances * (true + 1)),
        "cautious": true + np.floor(chances * (9 - true)),
    }[clues]
    opened = (rng.random((side, side)) < 1 / 3) & ~mines
    codes = np.where(opened, shown, HIDDEN).astype(np.int8)
    prior = {"mines": int(mines.sum())} if total else {"density": "0.2"}
    return Board(codes, clues=clues, **prior)


class Chains:
    """The kernel's sampler without its sweeps, which are exact on boards as small as these."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def sample(self, *asked: Any) -> Any:
        return self.kernel.sample(*asked, False)


def sampled(board: Board, budget: Budget) -> tuple[Estimate, np.ndarray]:
    """What chains estimate of what is not certain, and the exact risks, flat."""
    exact = analyze(board)
    frontier = Frontier.of(board)
    numbers = [[frontier.number(cell) for cell in cells] for cells in (exact.safe, exact.mines)]
    kernel = offered(Capability.BOARDS)
    assert kernel is not None
    rest = frontier.problem.given(*numbers)
    return estimate(Chains(kernel), rest, budget, sea_alone(rest)), exact.probabilities.ravel()


def lattice(side: int) -> Board:
    """Isolated clues on every second cell of every second row: too wide from 41 on."""
    rng = np.random.default_rng(5)
    mines = rng.random((side, side)) < 0.2
    codes = np.full((side, side), HIDDEN, np.int8)
    clues = np.zeros((side, side), bool)
    clues[1::2, 1::2] = True
    codes[clues & ~mines] = SQUARE.count(mines)[clues & ~mines]
    return Board(codes, mines=int(mines.sum()))


def noisy_lattice(side: int) -> Board:
    """The same places, with upper bounds that say little."""
    exact = lattice(side)
    codes = np.where(exact.codes >= 0, np.minimum(exact.codes + 3, 8), exact.codes)
    return Board(codes, mines=exact.mines, clues="cautious")


@pytest.mark.parametrize("clues", ["exact", "optimistic", "cautious"])
@pytest.mark.parametrize("total", [True, False])
def test_estimates_lie_within_their_errors(clues: str, total: bool) -> None:
    """A slice of benchmarks/sampling.py, with fixed seeds."""
    rng = np.random.default_rng(7)
    offs = []
    for seed in range(6):
        found, exact = sampled(board_of(rng, clues, total=total), Budget(samples=1600, seed=seed))
        for group, risk, error in zip(found.cells, found.risks, found.errors, strict=True):
            offs.append(abs(exact[group[0]] - risk) / error)
    assert np.mean(np.array(offs) < 1.96) > 0.90
    assert np.mean(np.array(offs) < 4) > 0.99


@pytest.mark.parametrize("clues", ["optimistic", "cautious"])
def test_loose_boxes_are_drawn_with_the_total(clues: str) -> None:
    """Half of the board open, and hardly a sea: the total weighs on every cell."""
    rng = np.random.default_rng(23)
    for seed in range(4):
        mines = rng.random((7, 7)) < 0.3
        true, chances = SQUARE.count(mines), rng.random((7, 7))
        shown = np.floor(chances * (true + 1))
        if clues == "cautious":
            shown = true + np.floor(chances * (9 - true))
        opened = (rng.random((7, 7)) < 0.6) & ~mines
        codes = np.where(opened, shown, HIDDEN).astype(np.int8)
        board = Board(codes, clues=clues, mines=int(mines.sum()))
        found, exact = sampled(board, Budget(work=20_000_000, seed=seed))
        for cells, risk in zip(found.cells, found.risks, strict=True):
            assert abs(exact[cells[0]] - risk) < 0.03


def test_more_samples_come_nearer() -> None:
    board = board_of(np.random.default_rng(3), "optimistic")
    off = []
    for samples in (200, 20_000):
        found, exact = sampled(board, Budget(samples=samples, seed=1))
        off.append(max(abs(exact[b[0]] - r) for b, r in zip(found.cells, found.risks, strict=True)))
    assert off[1] < off[0] / 3
    assert off[1] < 0.02


def test_the_same_seed_gives_the_same_numbers() -> None:
    board = board_of(np.random.default_rng(3), "cautious")
    runs = [sampled(board, Budget(samples=400, seed=seed))[0].risks for seed in (1, 1, 2)]
    assert (runs[0] == runs[1]).all()
    assert not (runs[0] == runs[2]).all()


def test_starts_by_sat_are_taken() -> None:
    board = board_of(np.random.default_rng(11), "exact")
    exact = analyze(board)
    frontier = Frontier.of(board)
    numbers = [[frontier.number(cell) for cell in cells] for cells in (exact.safe, exact.mines)]
    rest = frontier.problem.given(*numbers)
    starts = load("pysat").layouts(rest, 4, 0)
    regions = rest.regions
    for start in starts:
        before = 0
        for region in regions:
            for constraint in region.constraints:
                assert (
                    constraint.low
                    <= sum(start[before + box] for box in constraint.boxes)
                    <= constraint.high
                )
            before += len(region.boxes)
    kernel = offered(Capability.BOARDS)
    assert kernel is not None
    found = estimate(kernel, rest, Budget(samples=4000), sea_alone(rest), starts)
    for group, risk in zip(found.cells, found.risks, strict=True):
        assert abs(exact.probabilities.ravel()[group[0]] - risk) < 0.08


def test_a_board_too_wide_is_proved_all_the_same() -> None:
    board = lattice(45)
    with pytest.raises(TooWide):
        analyze(board, max_states=20_000)
    found = analyze(board, max_states=20_000, approximate=Budget(samples=40))
    proved = analyze(board, backend="pysat")
    assert isinstance(found, SampledAnalysis)
    assert not found.exact
    assert found.complete
    assert (found.safe, found.mines) == (proved.safe, proved.mines)
    assert found.move is not None
    assert found.move.cell in found.safe
    assert found.probability(next(iter(found.safe))) == Fraction(0)
    with pytest.raises(TooWide):
        _ = found.solutions
    open_cell = next(cell for cell in board.cells(HIDDEN) if cell not in found.safe | found.mines)
    with pytest.raises(TooWide):
        found.probability(open_cell)


def test_a_board_too_wide_has_risks_with_errors() -> None:
    board = lattice(45)
    found = analyze(board, max_states=20_000, approximate=Budget(samples=400))
    assert isinstance(found, SampledAnalysis)
    hidden = board.codes == HIDDEN
    assert (np.isnan(found.probabilities) == ~hidden).all()
    assert (found.probabilities[found.safe_mask] == 0).all()
    assert (found.standard_errors[found.mine_mask] == 0).all()
    off = np.nansum(found.standard_errors)
    assert np.nansum(found.probabilities) == pytest.approx(board.mines, abs=off)
    report = found.to_json()
    assert report["exact"] is False
    assert report["solutions"] is None
    assert len(report["standard_errors"]) == 45


def test_without_counting_nothing_wide_is_counted() -> None:
    found = analyze(lattice(45), counting=False)
    assert found.complete
    assert found.backend == "pysat"


def test_what_is_no_problem_is_refused() -> None:
    kernel = offered(Capability.BOARDS)
    assert kernel is not None
    good = ([1, 1], [0, 2], [0, 1], [0, 3], [0.0, 1.0, 0.0], [], [], 1.0, [], 0, 100, 10**9, 9.0)
    assert kernel.sample(*good) is not None
    nan, risks = float("nan"), [0.5, 0.5]
    for place, wrong in (
        *((0, [1, 0]), (1, [0, 3]), (2, [0, 2]), (3, [0, 4]), (7, 0.0), (1, [])),
        *((5, [0.0]), (5, [0.0, nan, 0.0]), (6, risks), (0, [1, 1, 1])),
    ):
        with pytest.raises(ValueError, match=r"box|boxes|weight|odds|beginning|list|ways|risks"):
            kernel.sample(*good[:place], wrong, *good[place + 1 :])
    for start in ([1, 1], [2, -1], [0, 10**9]):
        assert kernel.sample(*good[:8], start, *good[9:], False) is None


def test_an_impossible_wide_board_is_a_contradiction() -> None:
    codes = lattice(45).codes.copy()
    codes[1, 1], codes[0, 0] = 8, 0
    with pytest.raises(CspMinesError, match=r"cannot hold|no layout"):
        analyze(Board(codes), approximate=1.0)


def test_risks_without_counting() -> None:
    """What an engine proves, and estimates of the rest, for a board that could be counted."""
    board = board_of(np.random.default_rng(3), "exact")
    exact = analyze(board)
    found = analyze(
        board, backend="subtraction", counter=SAMPLING, approximate=Budget(samples=4000, seed=2)
    )
    assert (found.backend, found.counter, found.exact) == ("subtraction", "sampling", False)
    assert found.safe <= exact.safe
    assert np.nanmax(abs(found.probabilities - exact.probabilities)) < 0.06


def test_agents_estimate_what_is_too_wide_to_count() -> None:
    """The cell that an agent opens is of low risk by a longer run, and the same every time."""
    board = lattice(45)
    guess, again = (lowest_risk(Knowledge(agent("exact"), board, seed)) for seed in (1, 2))
    assert guess == again
    assert guess.reason == "too wide to count: lowest estimated risk"
    longer = analyze(
        board, backend="subtraction", counter=SAMPLING, approximate=Budget(work=30_000_000, seed=9)
    )
    assert longer.probabilities[guess.cell] < np.nanmin(longer.probabilities) + 0.06


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1, "x"])
def test_sampling_takes_a_number_of_seconds(seconds: float) -> None:
    with pytest.raises(InputError, match="a finite number of seconds, 0 or more, or a Budget"):
        analyze(lattice(45), approximate=seconds)


@pytest.mark.parametrize("backend", ["single", "native", "cpsat", "pysat"])
def test_an_engine_without_layouts_leaves_the_reason_to_the_sampler(backend: str) -> None:
    board = Board.parse("????\n?11?\n????").told(density=Fraction(1, 10**280))
    found = analyze(board, backend=backend, counter=SAMPLING)
    with pytest.raises(GaveUp, match="the risks cannot be estimated"):
        assert found.probabilities.any()


def test_sampled_risks_have_no_exact_numbers() -> None:
    found = analyze(
        Board.parse("?1?\n???"), counter=SAMPLING, approximate=Budget(samples=400, seed=1)
    )
    with pytest.raises(Unsupported, match="no exact numbers"):
        assert found.solutions
    with pytest.raises(BoardError, match="not hidden"):
        found.probability((0, 1))


@pytest.mark.parametrize("prior", [{"mines": 2}, {"density": "0.25"}])
def test_sampling_ends_where_only_the_sea_is_left(prior: dict[str, Any]) -> None:
    """There is nothing to draw then, and no amount of work would ever be done."""
    board = Board(Board.parse("0?????\n??????").codes, **prior)
    found = analyze(board, counter=SAMPLING, approximate=Budget(work=1000))
    sea = found.probabilities[~found.safe_mask & (board.codes == HIDDEN)]
    assert len(sea) == 8
    assert (sea == 0.25).all()
    assert np.nansum(found.standard_errors) < 1e-7


def test_noisy_positions_too_wide_are_not_counted_at_every_move(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a board was found too wide, the next few openings leave it so; then it is tried again.
    What it says meanwhile are estimates."""
    board = noisy_lattice(41)
    known = Knowledge(agent("exact"), board, 1)
    tried = []

    def counted(*given: Any, **options: Any) -> Analysis:
        tried.append(known.hidden_left)
        return analyze(*given, **options)

    monkeypatch.setattr(knowledge, "analyze", counted)
    hidden = list(board.cells(HIDDEN))
    assert known.analysis() is None
    for cell in hidden[: knowledge.STILL_WIDE + 1]:
        known.see([(cell, CLEAR)])
        assert known.analysis() is None
    assert tried == [len(hidden), len(hidden) - knowledge.STILL_WIDE]
    assert lowest_risk(known).reason == "too wide to count: lowest estimated risk"


def test_moves_under_noisy_clues_are_the_same_every_time() -> None:
    """Neither the agent's own seed nor what was estimated before changes an estimate."""
    board = noisy_lattice(41)
    first, other = (Knowledge(agent("exact"), board, seed) for seed in (1, 2))
    first.think()
    cell = list(board.cells(HIDDEN))[5]
    for known in (first, other):
        known.see([(cell, CLEAR)])
    assert first.think() == other.think()


def test_if_nothing_is_drawn_only_the_sea_has_a_known_risk() -> None:
    """Without a total, the risk of the sea does not depend on the rest."""
    problem = Frontier.of(Board([[-1, 1, -1, -1, -1]], density="0.25")).problem
    unknown = all_unknown(problem, sea_alone(problem))
    assert unknown.cells == ((0, 2), (3, 4))
    assert unknown.risks.tolist() == [0.5, 0.25]
    assert unknown.errors[0] == 0.5
    assert unknown.errors[1] == ROUNDING
    problem = Frontier.of(Board([[-1, 1, -1, -1, -1]], mines=2)).problem
    unknown = all_unknown(problem, sea_alone(problem))
    assert (unknown.cells, unknown.risks.tolist()) == (((0, 2), (3, 4)), [0.5, 0.5])
    assert unknown.errors.tolist() == [0.5, 0.5]
