"""Reviews: win chances against a player that is asked move by move, sums, verdicts, rules."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, count
from math import log2, sqrt
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from csp_mines.analysis.analyze import analyze
from csp_mines.analysis.winning import Position, WinningMove, advise, orders
from csp_mines.board import CLEAR, HIDDEN, Board, Cell
from csp_mines.errors import EngineFault, InputError, UnknownName
from csp_mines.formats.replay import Replay
from csp_mines.games.game import Game, Rules
from csp_mines.games.playing import play
from csp_mines.games.recording import Recording, record
from csp_mines.layout import Layout
from csp_mines.reviews.moves import Fault, Judgement
from csp_mines.reviews.review import Review, review
from csp_mines.reviews.values import Reference

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel


def fitting(board: Board) -> list[Layout]:
    """Every layout of a board, by trying all."""
    hidden = sorted(board.hidden)
    layouts = []
    assert board.mines is not None
    for chosen in combinations(hidden, board.mines):
        mines = np.zeros(board.codes.shape, bool)
        for cell in chosen:
            mines[cell] = True
        layout = Layout(mines)
        if all(layout.number(cell) == board[cell] for cell in board.cells() if board[cell] >= 0):
            layouts.append(layout)
    return layouts


def wins(board: Board, layout: Layout, opening: list[Cell], player: str) -> bool:
    """Whether the player wins on a layout, asked for every move."""
    game = Replay(layout, board.codes)
    for cell in opening:
        game.open(cell)
    while not game.lost and ((game.codes == HIDDEN) & ~layout.mines).any():
        seen = game.codes.copy()
        safe = analyze(seen, board.mines).safe
        move = advise(Position(seen, board.mines), player)
        assert isinstance(move, WinningMove)
        for cell in safe or [move.cell]:
            game.open(cell)
    return not game.lost


SMALL = [
    "mines: 3\n????\n?2??\n????",
    "mines: 2\n?1?\n???\n?1?",
    "mines: 4\n1??1\n????\n?2??\n????",
    "mines: 2\n01??\n01??\n0111",
]


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("text", SMALL)
@pytest.mark.parametrize("player", ["win:fast", "win:-endgame,-search"])
def test_exact_chances_are_those_of_the_player(text: str, player: str) -> None:
    """V and Q as fractions, against every layout and the player asked move by move. The second
    player does not search, so it is not optimal."""
    board = Board.parse(text)
    layouts = fitting(board)
    reference, analysis = Reference(player), analyze(board)
    cell = max(board.hidden)
    chords = [[cell], [max(board.hidden - {cell}), cell]]
    for cells in chords if len(layouts) < 100 else chords[:1]:
        weighed = reference.weigh(analysis, cells, 0.5, 1)
        assert weighed is not None
        assert weighed.exact
        assert weighed.layouts == len(layouts)
        value = sum(wins(board, layout, [], player) for layout in layouts)
        chance = sum(wins(board, layout, cells, player) for layout in layouts)
        assert weighed.value.fraction == Fraction(value, len(layouts))
        assert weighed.chance.fraction == Fraction(chance, len(layouts))
        assert weighed.lost.fraction == Fraction(value - chance, len(layouts))


@pytest.mark.once
@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("player", ["win:fast", "win:-endgame,-search"])
def test_an_exact_q_is_the_mean_of_v(player: str) -> None:
    """Q of every cell, as a fraction: the mean of V over all layouts, and 0 for a mine."""
    board = Board.parse(SMALL[0])
    layouts, reference, analysis = fitting(board), Reference(player), analyze(board)
    for cell in sorted(board.hidden):
        weighed = reference.weigh(analysis, [cell], 0.5, 1)
        assert weighed is not None
        total = Fraction(0)
        for layout in layouts:
            game = Replay(layout, board.codes)
            game.open(cell)
            if game.lost:
                continue
            value = reference.value(board.with_codes(game.codes.copy()), 1)
            assert value is not None
            assert value.fraction is not None
            total += value.fraction
        assert weighed.chance.fraction == total / len(layouts)


def test_layouts_are_drawn_by_their_risks(kernel: Kernel) -> None:
    """A region of 73 cells, too large to list, and a sea: how often each cell is a mine, and how
    often one of two neighbours is, on the drawn layouts."""
    codes = np.full((3, 26), -1, np.int8)
    codes[1, 1:24:2] = 2
    board, count = Board(codes, mines=12), 1_000
    cells = sorted(board.hidden)[::3]
    ways = [[row * 26 + col] for row, col in cells] + [[26, 28], [2 * 26 + 4, 2 * 26 + 5]]
    status, every, layouts, results = kernel.play_on(
        board.codes, 12, orders("win:fast"), ways, 100, count, 3, 200_000
    )
    assert status is kernel.Status.FITS
    assert not every
    assert layouts == count
    hits = (np.array(results).reshape(count, len(ways)) < 0).mean(0)
    analysis = analyze(board)
    risks = [analysis.probabilities[cell] for cell in cells]
    for pair in ([(1, 0), (1, 2)], [(2, 4), (2, 5)]):
        then = analyze(board.replace({pair[0]: CLEAR})).probabilities[pair[1]]
        risks.append(1 - (1 - analysis.probabilities[pair[0]]) * (1 - then))
    for seen, risk in zip(hits, risks, strict=True):
        assert abs(seen - risk) < 4.5 * sqrt(risk * (1 - risk) / count) + 1e-9


@pytest.mark.usefixtures("kernel")
def test_estimates_agree_with_exact_chances(monkeypatch: pytest.MonkeyPatch) -> None:
    board = Board.parse("mines: 9\n??????\n?2????\n??????\n???1??\n??????\n??????")
    cell = (5, 5)
    analysis = analyze(board)
    safety = 1 - float(analysis.probabilities[cell])
    monkeypatch.setattr("csp_mines.reviews.values.LISTED", 1)
    many = Reference("win:fast", 0.02, seed=5).weigh(analysis, [cell], safety, 1)
    few = [
        Reference("win:fast", 0.05, seed).weigh(analysis, [cell], safety, 1) for seed in range(6)
    ]
    assert many is not None
    assert not many.exact
    assert many.lost.value == pytest.approx(many.value.value - many.chance.value)
    for weighed in few:
        assert weighed is not None
        assert weighed.layouts == 100
        assert weighed.value.error <= 0.055
        assert abs(weighed.value.value - many.value.value) < 4 * (
            weighed.value.error + many.value.error
        )
        assert abs(weighed.lost.value - many.lost.value) < 4 * (
            weighed.lost.error + many.lost.error
        )


def holds(reviewed: Review) -> bool:
    """Whether start + luck − lost is the result."""
    assert reviewed.start is not None
    assert reviewed.luck is not None
    assert reviewed.lost is not None
    assert reviewed.result is not None
    total = reviewed.start + reviewed.luck - reviewed.lost
    return total == pytest.approx(reviewed.result.value, abs=1e-12)


@pytest.mark.usefixtures("kernel")
@pytest.mark.parametrize("agent", ["win:fast", "rutgers-kb", "rutgers-baseline", "disarm"])
@pytest.mark.parametrize("start", ["safe", "any", "zero", "sqrt"])
def test_the_sum_is_the_result(agent: str, start: str) -> None:
    results = set()
    for seed in range(4):
        game = Game.new("beginner", rules=Rules(start=start), seed=f"{agent} {seed}")
        play(game, agent, seed)
        reviewed = review(game, precision=0.2, explain=False)
        assert holds(reviewed)
        assert reviewed.won == game.won
        results.add(reviewed.won)
        if agent == "win:fast":
            assert reviewed.needless == 0
            assert reviewed.lost == 0
            assert reviewed.accuracy == 1


FIFTY = Layout.parse("*.\n..\n..\n..")


@pytest.mark.usefixtures("kernel")
def test_a_forced_guess() -> None:
    """Eight cells around a 1. A corner is a mine in one of eight layouts, else it decides all."""
    layout = Layout.parse("*..\n...\n...")
    reviewed = review(record(layout, [("open", (1, 1)), ("open", (2, 2))]))
    first, guess = reviewed.moves
    assert first.verdict is Judgement.PROVED
    assert first.risk == 0
    assert guess.verdict is Judgement.FORCED
    assert guess.risk == guess.lowest_risk == 1 / 8
    assert guess.bits == pytest.approx(-log2(7 / 8))
    assert guess.weighed is not None
    assert guess.weighed.layouts == 8
    assert guess.weighed.value.fraction == guess.weighed.chance.fraction == Fraction(7, 8)
    assert guess.luck == 1 / 8
    assert reviewed.won is True
    assert holds(reviewed)


@pytest.mark.usefixtures("kernel")
def test_a_needless_guess_names_the_easiest_cell() -> None:
    """The mine is at 0 or at 2, so 3 and 4 are safe by the total, and 3 decides the game."""
    layout = Layout.parse("..*..")
    for cell, luck in (((0, 2), -1 / 2), ((0, 0), 1 / 2)):
        reviewed = review(record(layout, [("open", (0, 1)), ("open", cell)]))
        guess = reviewed.moves[-1]
        assert guess.mine == (cell == (0, 2))
        assert guess.verdict is Judgement.NEEDLESS
        assert (guess.risk, guess.lowest_risk, guess.bits) == (1 / 2, 0, 1)
        assert guess.weighed is not None
        assert guess.weighed.value.fraction == 1
        assert guess.weighed.lost.fraction == Fraction(1, 2)
        assert (guess.luck, guess.fault) == (luck, Fault.BLUNDER)
        assert reviewed.accuracy == 1 / 2
        assert reviewed.hardest_missed == "total"
        assert holds(reviewed)
        assert guess.to_json()["easiest"]["cell"] in ([0, 3], [0, 4])
        assert "mine" in guess.to_json()["easiest"]["text"]


@pytest.mark.usefixtures("kernel")
def test_chords_flags_and_their_risk() -> None:
    layout = Layout.parse("*..\n...\n..*")
    wrong = [("open", (1, 1)), ("flag", (0, 1)), ("flag", (1, 0)), ("chord", (1, 1))]
    reviewed = review(record(layout, wrong))
    chord = reviewed.moves[-1]
    assert chord.kind == "chord"
    assert chord.mine
    assert reviewed.won is False
    assert chord.cells == ((0, 0), (0, 2), (1, 2), (2, 0), (2, 1), (2, 2))
    assert chord.risk == pytest.approx(1 - 1 / 28)  # all mines are where the flags are
    assert chord.wrong_marks == ((0, 1), (1, 0))
    assert reviewed.wrong_marks == 2
    assert holds(reviewed)
    right = [("open", (1, 1)), ("flag", (0, 0)), ("flag", (0, 0)), ("flag", (0, 0)),
             ("open", (0, 0)), ("flag", (2, 2)), ("open", (1, 1)), ("chord", (1, 1))]  # fmt: skip
    reviewed = review(record(layout, right, player="me"))
    assert reviewed.won is True
    assert len(reviewed.moves) == 2
    assert reviewed.wrong_marks == 0
    assert reviewed.recording.clicks == 8
    assert holds(reviewed)


@pytest.mark.usefixtures("kernel")
def test_opening_a_mine_when_only_mines_are_left_has_no_win_chances() -> None:
    layout = Layout.parse("*..\n...")
    game = Game(layout, Rules("sweep", "any"))
    for cell in [(1, 2), (0, 1), (1, 0), (0, 0)]:
        game.open(cell)
    last = review(game).moves[-1]
    assert (last.mine, last.risk, last.weighed) == (True, 1.0, None)


@pytest.mark.usefixtures("kernel")
def test_rules_without_win_chances_still_have_verdicts() -> None:
    for rules in (Rules(clues="optimistic"), Rules(told_total=False)):
        game = Game.new(rows=5, cols=5, mines=4, rules=rules, seed=2)
        play(game, "exact")
        reviewed = review(game)
        assert reviewed.lost is None
        assert reviewed.start is None
        assert "need" in reviewed.note
        assert all(move.weighed is None for move in reviewed.moves)
        assert reviewed.to_json()["accuracy"] is None
    game = Game.new(rows=5, cols=5, mines=6, rules=Rules("sweep", "any"), seed=3)
    play(game, "rutgers-baseline", 3)
    reviewed = review(game)
    assert game.exploded > 1
    assert holds(reviewed)
    after = [move for move in reviewed.guesses if -3 in move.board.codes]
    assert after
    assert all(move.weighed is None and move.lost is None for move in after)


@pytest.mark.usefixtures("kernel")
def test_a_first_mine_and_a_game_without_moves() -> None:
    layout = Layout.parse("*...\n....")
    lost = review(record(layout, [("open", (0, 0))]))
    assert lost.won is False
    assert lost.moves[0].verdict is Judgement.FORCED
    assert lost.moves[0].risk == 1 / 8
    assert holds(lost)
    empty = review(record(layout, []))
    assert empty.won is None
    assert empty.moves == ()
    assert holds(empty)
    fresh = review(Game.new(rows=4, cols=4, mines=3, seed=1), precision=0.2)
    assert fresh.result is not None
    assert fresh.won is None
    assert fresh.start == fresh.result.value


@pytest.mark.usefixtures("kernel")
def test_the_same_review_again_and_its_documents() -> None:
    game = Game.new("intermediate", seed=5)
    play(game, "rutgers-kb", 5)
    reviewed, other = review(game, precision=0.1), review(Recording.of(game), precision=0.1)
    assert reviewed.to_json() == other.to_json()
    assert repr(reviewed).startswith("<Review game: ")
    shown = reviewed._repr_html_()
    assert shown.startswith(("<svg", "<p>&lt;Review game: "))
    assert shown.count("<tr>") == (len(reviewed.guesses) + 1 if reviewed.guesses else 0)
    document = reviewed.to_json()
    assert [move["turn"] for move in document["moves"]] == list(range(1, len(reviewed.moves) + 1))
    assert Board.parse(document["end"]) == game.board
    assert Layout.parse(document["layout"]) == game.layout
    for move, shown in zip(reviewed.moves, document["moves"], strict=True):
        assert Board.parse(shown["board"]) == move.board


def test_wrong_arguments() -> None:
    game = Game.new("beginner")
    with pytest.raises(InputError, match="game"):
        review(3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="precision"):
        review(game, precision=0)
    with pytest.raises(UnknownName, match="player"):
        review(game, player="exact")
    with pytest.raises(InputError, match="click 1"):
        record(FIFTY, [("jump", (0, 0))])
    with pytest.raises(InputError, match="click 1 at 9,9 is off the board"):
        record(FIFTY, [("open", (9, 9))])


def test_a_fault_of_the_kernel_is_told(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    game = Game.new("beginner", seed=1, rules=Rules(start="any"))
    play(game, "rutgers-baseline", 2)
    ended = [(kernel.Status.TOO_WIDE, False, 0, [])]
    answer = SimpleNamespace(Status=kernel.Status, play_on=lambda *_: ended[-1])
    monkeypatch.setattr("csp_mines.reviews.values.player_kernel", lambda: answer)
    assert all(move.weighed is None for move in review(game).moves)
    ended.append((kernel.Status.FAULT, False, 0, []))
    with pytest.raises(EngineFault, match="the kernel has a defect"):
        review(game)


def test_more_time_gives_more_precision(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at this clock takes a second, so a review takes one, and a round takes two."""
    game = Game.new("intermediate", seed=2, rules=Rules(start="any"))
    play(game, "rutgers-baseline", 2)
    assert not review(game, precision=0.5).certain
    for seconds, rounds in ((0.5, 1), (9, 4)):
        monkeypatch.setattr("csp_mines.reviews.review.monotonic", count().__next__)
        found = review(game, seconds=seconds)
        assert found.precision == pytest.approx(0.1 / sqrt(2) ** (rounds - 1))
        assert found.to_json() == review(game, precision=found.precision).to_json()


def test_exact_reviews_need_no_more_time(kernel: Kernel) -> None:
    game = Game.new(rows=4, cols=4, mines=3, seed=1, rules=Rules(start="any"))
    play(game, "exact", 1)
    found = review(game, seconds=1e6)
    assert found.certain
    assert found.precision == 0.1


def test_a_first_opening_of_a_mine_is_no_proved_move() -> None:
    """The rules keep a first cell safe only where they choose the layout."""
    game = Game(Layout([[True, False, False], [False, False, False]]), Rules(start="safe"))
    game.open((0, 0))
    judged = review(game)
    assert [move.verdict for move in judged.moves] == [Judgement.FORCED]
    assert judged.moves[0].risk == pytest.approx(1 / 6)
