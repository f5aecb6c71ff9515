"""The game: layouts, starts, floods, rules, noise, and that it gives nothing away."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED
from csp_mines.errors import BoardError, BoardSyntaxError, InputError, UnknownName
from csp_mines.games.game import LEVELS, Game, Layout, RuleName, Rules, Spec, Start, level
from csp_mines.geometry import SQUARE

LAYOUTS = sorted((Path(__file__).parents[2] / "examples" / "layouts").glob("*.txt"))
SMALL = Layout.parse("*..\n...\n..*\n")


def shown(game: Game) -> list[str]:
    return str(game.board).splitlines()[1:]


# --- layouts


@given(st.integers(1, 9), st.integers(1, 9), st.data())
def test_layouts_go_to_text_and_mbf_and_back(rows: int, cols: int, data: st.DataObject) -> None:
    mines = data.draw(st.integers(0, rows * cols))
    layout = Layout.random(rows, cols, mines, data.draw(st.integers()))
    assert (layout.shape, layout.count) == ((rows, cols), mines)
    assert Layout.parse(layout.to_text()) == layout
    assert Layout.parse(str(layout.board())) == layout
    assert Layout.from_mbf(layout.to_mbf()) == layout
    assert hash(Layout.parse(layout.to_text())) == hash(layout)


def test_numbers_count_the_mines_around() -> None:
    layout = Layout.random(7, 6, 15, "numbers")
    for cell in layout.board().cells():
        around = SQUARE.neighbours(cell, 7, 6)
        assert layout.number(cell) == sum(layout.mines[other] for other in around)


def test_a_seed_makes_one_layout() -> None:
    assert Layout.random(3, 4, 4, 7) == Layout.random(3, 4, 4, "7")
    assert Layout.random(3, 4, 4, 7) != Layout.random(3, 4, 4, 8)


def test_clear_cells_move_only_their_own_mines() -> None:
    free = Layout.random(16, 30, 99, 3)
    mine = next(free.board().cells(MARKED))
    cleared = Layout.random(16, 30, 99, 3, clear=[mine])
    assert not cleared.mines[mine]
    assert int((free.mines != cleared.mines).sum()) == 2


def test_every_layout_is_as_likely() -> None:
    drawn = Counter(Layout.random(2, 2, 2, seed, clear=[(0, 0)]) for seed in range(3000))
    assert len(drawn) == 3
    assert sum((count - 1000) ** 2 / 1000 for count in drawn.values()) < 13.8  # 0.1 %, 2 degrees


@pytest.mark.parametrize("path", LAYOUTS, ids=lambda path: path.stem)
def test_the_layouts_of_the_reports(path: Path) -> None:
    layout = Layout.parse(path.read_text(), source=str(path))
    assert layout.count == (5 if "5x5" in path.stem else 20 if path.stem[6] == "4" else 10)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("*.\n*", "<text>:2: this row has 1 cell, the first row has 2"),
        ("1?\n", "<text>:1: a layout has no hidden cells, but cell 0,1 is hidden"),
        ("mines: 1\n\n1M ; ?\r\n;\n1?\n\n", "<text>:5: .* but cell 1,1 is hidden"),
        ("2M\n", "<text>:1: cell 0,0 shows 2, but has 1 mine around it"),
        ("; full\n1M\n21\n", "<text>:3: cell 1,0 shows 2, but has 1 mine around it"),
        ("", "no board found: expected at least one row of cells"),
        ("abc", "'a' does not stand for a cell"),
    ],
)
def test_texts_that_are_no_layouts(text: str, problem: str) -> None:
    with pytest.raises(BoardSyntaxError, match=problem):
        Layout.parse(text)


@pytest.mark.parametrize(
    "data", [b"", b"\x02\x02\x00", b"\x00\x02\x00\x00", b"\x02\x02\x00\x01\x02\x00",
             b"\x02\x02\x00\x02\x00\x00", b"\x02\x02\x00\x02\x00\x00\x00\x00"],
)  # fmt: skip
def test_bytes_that_are_no_layouts(data: bytes) -> None:
    with pytest.raises(BoardError, match="<mbf>"):
        Layout.from_mbf(data)


def test_mbf_is_width_height_count_and_places() -> None:
    assert Layout.parse("..*\n*..\n").to_mbf() == bytes([3, 2, 0, 2, 2, 0, 0, 1])
    with pytest.raises(BoardError, match="MBF holds layouts up to 255×255, not 1×300"):
        Layout.random(1, 300, 1, 0).to_mbf()


def test_sizes_that_cannot_be() -> None:
    for rows, cols, mines in ((0, 3, 0), (3, 3, 10), (3, 3, -1), (5000, 5000, 1)):
        with pytest.raises(BoardError):
            Spec(rows, cols, mines)
    with pytest.raises(BoardError, match="no room for 8 mines: 2 of 9 cells must have no mine"):
        Layout.random(3, 3, 8, 0, clear=[(0, 0), (1, 1)])
    with pytest.raises(BoardError, match="no room for 1 mine: 1 of 1 cell must have no mine"):
        Layout.random(1, 1, 1, 0, clear=[(0, 0)])
    with pytest.raises(BoardError, match="truth values"):
        Layout([[1, 0]])
    with pytest.raises(UnknownName, match="known: beginner"):
        level("nightmare")


def test_the_levels_of_report_3() -> None:
    assert [LEVELS[name] for name in ("easy", "medium", "hard")] == [
        Spec(9, 9, 10), Spec(16, 16, 25), Spec(16, 30, 99),
    ]  # fmt: skip


# --- starts


@pytest.mark.parametrize("seed", range(20))
def test_starts_keep_their_word(seed: int) -> None:
    for start in ("safe", "zero"):
        game = Game(Spec(5, 5, 12), Rules(start=start), seed, first=(2, 2))
        assert game.start()[0] == (2, 2)
        assert game.exploded == 0
        if start == "zero":
            assert game.shown((2, 2)) == 0
            assert game.opened >= 9
    shows = Game(Spec(9, 9, 10), Rules(start="sqrt", flood=False), seed)
    assert len(shows.start()) == 9 == shows.opened
    assert shows.start() == []


@pytest.mark.parametrize("start", ["safe", "zero"])
def test_looking_at_the_layout_first_changes_nothing(start: str) -> None:
    for seed in range(60):
        game, looked = (Game(Spec(6, 6, 20), Rules(start=start), seed) for _ in range(2))
        before = looked.layout
        assert looked.start() == game.start()
        assert looked.exploded == 0
        assert before == looked.layout == game.layout
        marked = Game(Spec(6, 6, 20), Rules(start=start), seed)
        marked.mark([(5, 5)])
        marked.start()
        assert marked.exploded == 0


def test_any_start_may_be_a_mine_and_opens_nothing_by_itself() -> None:
    assert Game(Spec(5, 5, 12), Rules(start="any"), 0).start() == []
    first = [Game(Spec(5, 5, 12), Rules(start="any"), s, first=(0, 0)) for s in range(50)]
    assert {game.shown((0, 0)) == EXPLODED for game in first if game.start()} == {True, False}


def test_starts_of_one_seed_share_their_layout() -> None:
    game, other = Game(LEVELS["expert"], seed=4), Game(LEVELS["expert"], seed=4, first=(8, 8))
    game.start()
    other.start()
    assert int((game.layout.mines != other.layout.mines).sum()) <= 4


def test_a_given_layout_is_never_changed() -> None:
    safe = Game(SMALL, Rules(start="safe"))
    assert safe.start()[0] == (0, 1)
    zero = Game(SMALL, Rules(start="zero"))
    assert zero.start()[0] == (0, 2)
    assert safe.layout == zero.layout == SMALL
    with pytest.raises(BoardError, match="no cell of this layout satisfies the start 'zero'"):
        Game(Layout.parse("*."), Rules(start="zero")).start()


# --- floods


def test_zeros_open_what_is_around_them() -> None:
    game = Game(SMALL, Rules(start="any"))
    assert sorted(game.open((0, 2))) == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert shown(game) == ["?10", "?21", "???"]
    assert game.open((0, 2)) == []
    bare = Game(SMALL, Rules(start="any", flood=False))
    assert bare.open((0, 2)) == [(0, 2)]


@pytest.mark.parametrize("start", list(Start))
def test_a_mark_before_the_start_is_not_the_start(start: Start) -> None:
    game = Game.new("beginner", rules=Rules(start=start), seed=1)
    game.mark([(8, 8)])
    opened = game.start()
    started = [("start", tuple(opened))] if opened else []
    seen = [(action.kind, tuple(cell for cell, _ in action.changes)) for action in game.actions]
    assert seen == started


def test_a_million_empty_cells_flood() -> None:
    game = Game(Spec(1000, 1000, 0))
    opened = game.start()
    assert len(opened) == len(set(opened)) == 1_000_000
    assert game.won
    assert game.score == 1.0


def test_wide_floods_open_what_narrow_ones_do(monkeypatch: pytest.MonkeyPatch) -> None:
    layout = Layout.random(60, 60, 150, 1)
    wide, narrow = Game(layout, Rules(start="zero")), Game(layout, Rules(start="zero"))
    monkeypatch.setattr("csp_mines.layout.WIDE", 1)
    first = wide.start()
    monkeypatch.setattr("csp_mines.layout.WIDE", 10**9)
    assert sorted(first) == sorted(narrow.start())
    assert wide.board == narrow.board


def test_floods_stop_at_marks_and_silent_cells() -> None:
    game = Game(Layout.parse("....\n....\n"), Rules(start="any"))
    game.mark([(0, 1)])
    game.open((1, 3))
    assert game.shown((0, 1)) == MARKED
    assert not game.won
    silent = Game(Layout.parse("." * 200), Rules(start="any", clues="silent", reveal=0.5), 1)
    assert 0 < len(silent.open((0, 0))) < 200


# --- rules


def test_classic_games_end_with_a_mine() -> None:
    game = Game(SMALL, Rules(start="any"))
    assert game.open((0, 0)) == [(0, 0)]
    assert (game.over, game.won, game.score) == (True, False, 0.0)
    with pytest.raises(InputError, match="the game is over"):
        game.open((1, 1))


def test_classic_games_are_won_by_opening_or_by_marking() -> None:
    opener, marker = Game(SMALL, Rules(start="any")), Game(SMALL, Rules(start="any"))
    for cell in ((0, 2), (2, 0), (0, 1), (1, 0), (1, 1), (1, 2), (2, 1)):
        assert not opener.won
        if opener.shown(cell) == HIDDEN:
            opener.open(cell)
        if opener.opened == 7:
            break
    marker.mark([(0, 0), (2, 2)])
    for game in (opener, marker):
        assert (game.over, game.won, game.score) == (True, True, 1.0)


def test_a_false_mark_wins_nothing() -> None:
    game = Game(SMALL, Rules(start="any"))
    game.mark([(0, 0), (1, 1)])
    assert (game.over, game.won, game.score) == (False, False, 0.0)
    with pytest.raises(BoardError, match="1,1 cannot be opened: it is marked"):
        game.open((1, 1))
    with pytest.raises(BoardError, match="1,1 is not hidden"):
        game.mark([(1, 1)])
    with pytest.raises(BoardError, match="3,0 is not on this 3×3 board"):
        game.open((3, 0))


def test_sweep_games_go_on_and_count_marked_mines() -> None:
    game = Game(SMALL, Rules("sweep", "any"))
    game.open((0, 0))
    game.open((0, 2))
    game.open((2, 0))
    assert not game.over
    game.mark([(2, 2)])
    assert (game.over, game.won, game.score) == (True, False, 0.5)
    assert shown(game) == ["X10", "121", "01M"]


def test_rules_that_do_not_exist() -> None:
    for wrong in ({"rules": "hard"}, {"start": "lucky"}, {"clues": "loud"}):
        with pytest.raises(UnknownName):
            Rules(**wrong)
    with pytest.raises(InputError, match="probability"):
        Rules(reveal=0)


def test_the_total_is_told_only_when_the_rules_say_so() -> None:
    assert Game(SMALL).board.mines == 2
    assert Game(SMALL, Rules(told_total=False)).board.mines is None


# --- noise

BIG = Layout.random(400, 310, 24_000, "noise")  # 100,000 safe cells


def opened(clues: str, **rules: float) -> Game:
    """Every safe cell open."""
    game = Game(BIG, Rules("sweep", "any", flood=False, clues=clues, **rules), seed=11)
    for row, col in np.argwhere(~BIG.mines).tolist():
        game.open((row, col))
    return game


def chi_square(values: Counter[int], expected: dict[int, float]) -> float:
    assert set(values) <= set(expected)
    return sum((values[key] - count) ** 2 / count for key, count in expected.items())


@pytest.mark.parametrize("clues", ["optimistic", "cautious"])
def test_noise_is_uniform_below_or_above_the_truth(clues: str) -> None:
    codes = opened(clues).board.codes
    statistic, freedom = 0.0, 0
    for true in range(9):
        some = codes[(BIG.numbers == true) & ~BIG.mines].tolist()
        allowed = range(true + 1) if clues == "optimistic" else range(true, 9)
        if len(some) < 5 * len(allowed):
            continue
        statistic += chi_square(Counter(some), dict.fromkeys(allowed, len(some) / len(allowed)))
        freedom += len(allowed) - 1
    # A chi-square variable is within three deviations of its mean.
    assert freedom >= 20
    assert abs(statistic - freedom) < 3 * (2 * freedom) ** 0.5


def test_silent_cells_speak_with_their_probability() -> None:
    codes = opened("silent", reveal=0.6).board.codes
    safe = ~BIG.mines
    heard = int((codes[safe] >= 0).sum())
    assert abs(heard - 60_000) < 3 * (100_000 * 0.6 * 0.4) ** 0.5
    told = codes >= 0
    assert (codes[told] == BIG.numbers[told]).all()
    assert set(codes[safe & ~told].tolist()) == {CLEAR}


def test_exact_cells_tell_the_truth() -> None:
    assert (opened("exact").board.codes == np.where(BIG.mines, HIDDEN, BIG.numbers)).all()


@pytest.mark.parametrize("clues", ["silent", "optimistic", "cautious"])
def test_a_cell_shows_the_same_whenever_it_is_opened(clues: str) -> None:
    layout = Layout.random(8, 8, 12, 5)
    cells = [(row, col) for row, col in np.argwhere(~layout.mines).tolist()]
    boards = set()
    for order in (cells, cells[::-1]):
        game = Game(layout, Rules("sweep", "any", clues=clues), "noise")
        for cell in order:
            game.open(cell)
        boards.add(game.board)
    assert len(boards) == 1


def test_silent_cells_may_be_asked_again() -> None:
    rules = Rules("sweep", "any", clues="silent", reveal=0.3, retry=True)
    asked = Counter[int]()
    for seed in range(2000):
        game = Game(SMALL, rules, seed)
        game.open((1, 1))
        times = 1
        while game.shown((1, 1)) == CLEAR:
            assert game.opened == 1
            game.open((1, 1))
            times += 1
        assert (game.shown((1, 1)), game.opened) == (2, 1)
        asked[min(times, 6)] += 1
    geometric = {times: 2000 * 0.3 * 0.7 ** (times - 1) for times in range(1, 6)}
    geometric[6] = 2000 * 0.7**5
    assert chi_square(asked, geometric) < 20.5  # 0.1 %, 5 degrees
    once = Game(SMALL, Rules("sweep", "any", clues="silent", reveal=0.01), 1)
    once.open((1, 1))
    assert once.open((1, 1)) == []


def test_rules_take_names_as_strings_and_show_them_so() -> None:
    rules = Rules("sweep", "zero")
    assert rules == Rules(RuleName.SWEEP, Start.ZERO)
    assert hash(rules) == hash(Rules(RuleName.SWEEP, Start.ZERO))
    assert rules.rules is RuleName.SWEEP
    assert rules.start is Start.ZERO
    assert eval(repr(rules)) == rules
    assert "rules='sweep', start='zero'" in repr(rules)
    assert json.dumps(asdict(rules)).startswith('{"rules": "sweep", "start": "zero", "flood": true')
    assert pickle.loads(pickle.dumps(rules)).start is Start.ZERO
    assert f"{rules.start} {rules.start!r}" == "zero 'zero'"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"start": "nonsense"}, "unknown start 'nonsense'; known: safe, zero, any, sqrt"),
        (
            {"rules": "SWEEP"},
            "unknown rules 'SWEEP' (did you mean 'sweep'?); known: classic, sweep",
        ),
        ({"start": 1}, "start must be one of safe, zero, any, sqrt, not 1"),
        ({"rules": ["sweep"]}, "rules must be one of classic, sweep, not ['sweep']"),
    ],
)
def test_names_that_no_rule_has(given: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError) as caught:
        Rules(**given)
    assert str(caught.value) == told


def test_a_marked_cell_is_recorded_as_a_pair_of_numbers() -> None:
    game = Game(Layout([[True, False]]), Rules(start="any"))
    game.mark([np.array([0, 0])])  # type: ignore[list-item]
    assert game.actions[0].cell == (0, 0)
    assert hash(game.actions[0])


def test_layouts_with_holes_are_checked_and_read_back() -> None:
    layout = Layout([[False] * 3] * 2, holes=[[True, False, False], [False] * 3])
    assert layout.to_text() == "~..\n...\n"
    assert Layout.parse(layout.to_text()) == layout
    with pytest.raises(BoardError, match="the rows of holes must have the same length"):
        Layout([[False] * 3] * 2, holes=[[True, False, False], [False]])
    with pytest.raises(InputError, match="holes must be an iterable of cells"):
        Spec(3, 3, 1, holes=5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="read-only"):
        layout.safe[0, 0] = True
