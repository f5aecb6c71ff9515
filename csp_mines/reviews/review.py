"""`review` and `Review`: a verdict on every opening and chord of one game, and sums over the game.

A *guess* is a move that opens a cell which is not proved safe. The review compares two chances of a
reference player to win. V is the chance if the reference player plays on from the board before the
guess. Q is the chance if the guess is made and the reference player then plays on. The guess lost
V − Q. The luck of the guess is V before the next guess, minus Q. For the last guess, the luck is
the result of the game, minus Q. V before the first guess, plus the luck of all guesses, minus all
that the guesses lost, is the result of the game. This holds even if V and Q are estimates.
`docs/review.md` explains the numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from importlib.util import find_spec
from math import prod, sqrt
from os import PathLike
from time import monotonic
from typing import Any

import numpy as np

from csp_mines import arguments
from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.analysis.grades import Grade, hardest
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, MARKED, Board, Cell, Pictured
from csp_mines.defaults import AGENT_STATES, PLAYER, REVIEW_PRECISION
from csp_mines.errors import TooWide
from csp_mines.explanation.explain import Explainer
from csp_mines.games.actions import Action, ActionKind
from csp_mines.games.game import Game, Start
from csp_mines.games.playouts import MOST_CELLS
from csp_mines.games.recording import Recording, read_recording
from csp_mines.generation.deduction import proved_by_clues, solve_by_deduction
from csp_mines.generation.layout_grades import numbers
from csp_mines.geometry import SQUARE
from csp_mines.layout import Seed
from csp_mines.reviews.moves import Fault, Judgement, ReviewedMove
from csp_mines.reviews.values import Chance, Reference
from csp_mines.words import html_table, plural, typed_cell


@dataclass(frozen=True, repr=False)
class Review(Pictured):
    """The review of a game.

    `moves` are the openings and chords of the game. `player` is the name of the reference player,
    and `precision` is the precision of its estimates. `result` is 1 for a won game, 0 for a lost
    game, and V of the last board for an unfinished game. `result` is None if the game has no win
    chances, or if V of the last board is unknown. If the game has no win chances, `note` says why;
    otherwise, `note` is empty. `board_grade` is the grade of the layout, played by deduction from
    the cell of the first move. It is None if there is no move, if the first move wins, if deduction
    does not win, or if a position is too wide to count.

    >>> game = csp_mines.Game.new("beginner", seed=1)
    >>> record = csp_mines.play(game, "exact")
    >>> review = csp_mines.review(game)
    >>> review.won, review.needless, review.three_bv
    (True, 0, 19)
    """

    recording: Recording
    player: str
    precision: float
    moves: tuple[ReviewedMove, ...]
    result: Chance | None
    note: str = ""
    board_grade: Grade | None = None

    @property
    def name(self) -> str:
        """The name of the recording."""
        return self.recording.name

    @property
    def won(self) -> bool | None:
        """Whether the game was won; None if it did not end."""
        return self.recording.won

    @cached_property
    def guesses(self) -> tuple[ReviewedMove, ...]:
        """The moves that are guesses, forced or needless."""
        return tuple(move for move in self.moves if move.guess)

    @cached_property
    def weighed(self) -> tuple[ReviewedMove, ...]:
        """The guesses for which V and Q are known."""
        return tuple(move for move in self.guesses if move.weighed is not None)

    @property
    def start(self) -> float | None:
        """V before the first of the `weighed` guesses. If there is no such guess, the value of
        `result`, or None if `result` is None."""
        if self.weighed:
            assert self.weighed[0].weighed is not None
            return self.weighed[0].weighed.value.value
        return None if self.result is None else self.result.value

    @property
    def lost(self) -> float | None:
        """The sum of V − Q over the `weighed` guesses; 0.05 is 5 points. None if `result` is
        None."""
        return None if self.result is None else sum(move.lost or 0.0 for move in self.weighed)

    @property
    def lost_error(self) -> float | None:
        """The standard error of `lost`. None if `result` is None."""
        if self.result is None:
            return None
        return sqrt(sum(move.weighed.lost.error**2 for move in self.weighed if move.weighed))

    @property
    def luck(self) -> float | None:
        """The sum of the luck of the `weighed` guesses; 0.05 is 5 points. None if `result` is
        None."""
        return None if self.result is None else sum(move.luck or 0.0 for move in self.weighed)

    @property
    def accuracy(self) -> float | None:
        """The product of min(1, Q / V) over the `weighed` guesses. None if `result` is None."""
        return None if self.result is None else prod(move.accuracy for move in self.weighed)

    @property
    def certain(self) -> bool:
        """Whether all win chances of the review are exact. True also if the review has no win
        chances."""
        estimated = any(move.weighed and not move.weighed.exact for move in self.weighed)
        return not estimated and (self.result is None or self.result.error == 0)

    @property
    def bits(self) -> float:
        """The sum of the surprises of all guesses that the player survived, in bits."""
        return sum(move.bits or 0.0 for move in self.guesses if not move.mine)

    @property
    def pluck(self) -> float:
        """The sum of −log₁₀ of the chance to survive, over all guesses that the player survived.
        Players call this sum pLuck. `bits` is the same sum with −log₂."""
        return sum(move.pluck or 0.0 for move in self.guesses if not move.mine)

    def count(self, what: Judgement | Fault | str) -> int:
        """Return the number of moves whose verdict or fault is `what`."""
        return sum(what in (move.verdict, move.fault) for move in self.moves)

    @property
    def forced(self) -> int:
        """The number of forced guesses."""
        return self.count(Judgement.FORCED)

    @property
    def needless(self) -> int:
        """The number of needless guesses."""
        return self.count(Judgement.NEEDLESS)

    @property
    def hardest_found(self) -> Grade | None:
        """The hardest grade of a proved move. None if no proved move has a grade."""
        return hardest(move.grade for move in self.moves if move.grade is not None)

    @property
    def hardest_missed(self) -> Grade | None:
        """The hardest grade that the player missed by needless guesses. For each needless guess,
        only the grade of `ReviewedMove.easiest` counts. None if there is no such grade."""
        steps = (move.easiest for move in self.moves if move.easiest is not None)
        return hardest(step.grade for step in steps if step.grade is not None)

    @property
    def wrong_marks(self) -> int:
        """The number of safe cells that the player marked as mines at some time."""
        mines = self.recording.layout.mines
        marked = {a.cell for a in self.recording.actions if a.kind is ActionKind.MARK}
        return sum(not mines[cell] for cell in marked)

    @property
    def seconds(self) -> float | None:
        """The seconds from the first opening to the last action. None if the times are not
        known."""
        return self.recording.seconds

    def thought(self, *verdicts: Judgement | str) -> float | None:
        """Return the seconds that the player spent before the moves whose verdict is one of
        `verdicts`. Return None if the time before each of these moves is unknown."""
        times = [move.thought for move in self.moves if move.verdict in verdicts]
        known = [time for time in times if time is not None]
        return sum(known) if known else None

    @cached_property
    def three_bv(self) -> int:
        """3BV of the layout: the fewest left clicks that open every safe cell."""
        return numbers(self.recording.layout).three_bv

    @cached_property
    def three_bv_solved(self) -> int:
        """3BV of the cells that are open at the end."""
        return numbers(self.recording.layout, self.recording.end.codes >= 0).three_bv

    @cached_property
    def zini(self) -> int | None:
        """ZiNi of the layout: a small number of clicks (openings, marks and chords) that suffice to
        open every safe cell. None without ms_toollib, for more than 1,000 cells, for a board with
        holes, and for a grid other than `square`."""
        layout = self.recording.layout
        plain = layout.geometry == SQUARE and layout.holes is None
        if find_spec("ms_toollib") is None or not plain or layout.mines.size > MOST_CELLS:
            return None
        import ms_toollib

        zini: Any = ms_toollib.cal_zini  # the type stub of ms_toollib is out of date
        return int(zini(np.where(layout.mines, -1, layout.numbers).tolist()))

    @property
    def three_bv_per_second(self) -> float | None:
        """3BV of the cells that are open at the end, divided by `seconds`. Players call this number
        3BV/s. None if `seconds` is None or 0."""
        return self.three_bv_solved / self.seconds if self.seconds else None

    @property
    def efficiency(self) -> float | None:
        """3BV of the cells that are open at the end, divided by the number of clicks. None if this
        number is unknown or 0."""
        clicks = self.recording.clicks
        return self.three_bv_solved / clicks if clicks else None

    def __repr__(self) -> str:
        """Return a text such as `<Review expert-1.avf: won, 5 guesses (3 needless), lost 55.8
        points, luck +124.7 points>`."""
        return f"<Review {self.name}: {self.text}>"

    @property
    def text(self) -> str:
        """The review in one line, such as `won, 5 guesses (3 needless), lost 55.8 points, luck
        +124.7 points`."""
        end = {True: "won", False: "lost", None: "unfinished"}[self.won]
        needless = f" ({self.needless} needless)" if self.needless else ""
        parts = [end, plural(len(self.guesses), "guess", "guesses") + needless]
        if self.lost is not None and self.luck is not None and self.weighed:
            parts.append(f"lost {100 * self.lost:.1f} points, luck {100 * self.luck:+.1f} points")
        return ", ".join(parts)

    def _repr_html_(self) -> str:
        """Return the curve of the win chance and a table of the guesses. If there is no guess,
        return the curve only. A line of text replaces a curve that cannot be drawn."""
        rows = [
            (
                str(move.turn),
                typed_cell(move.cell),
                ", ".join(filter(None, (move.verdict, move.fault))),
                f"{move.risk:.1%}",
                "" if move.lost is None else f"{100 * move.lost:.1f}",
                "" if move.luck is None else f"{100 * move.luck:+.1f}",
            )
            for move in self.guesses
        ]
        table = html_table(("opening", "cell", "guess", "risk", "lost", "luck"), rows)
        picture = self._repr_svg_() or f"<p>{escape(repr(self))}</p>"
        return picture + (table if rows else "")

    def summary(self) -> dict[str, Any]:
        """Return the fields that describe the whole game: the dictionary of `to_json` without the
        layout, the last board and the moves."""
        spec = self.recording.spec
        return {
            "game": self.name,
            "player": self.recording.player,
            "date": self.recording.date,
            "level": self.recording.level,
            "rows": spec.rows,
            "cols": spec.cols,
            "mines": spec.mines,
            "won": self.won,
            "result": None if self.result is None else self.result.value,
            "start": self.start,
            "lost": self.lost,
            "lost_error": self.lost_error,
            "luck": self.luck,
            "accuracy": self.accuracy,
            "bits": self.bits,
            "pluck": self.pluck,
            "forced": self.forced,
            "needless": self.needless,
            "inaccuracies": self.count(Fault.INACCURACY),
            "mistakes": self.count(Fault.MISTAKE),
            "blunders": self.count(Fault.BLUNDER),
            "wrong_marks": self.wrong_marks,
            "hardest_found": self.hardest_found,
            "hardest_missed": self.hardest_missed,
            "grade": self.board_grade,
            "three_bv": self.three_bv,
            "three_bv_solved": self.three_bv_solved,
            "zini": self.zini,
            "seconds": self.seconds,
            "seconds_proved": self.thought(Judgement.PROVED),
            "seconds_guessing": self.thought(Judgement.FORCED, Judgement.NEEDLESS),
            "clicks": self.recording.clicks,
            "three_bv_per_second": self.three_bv_per_second,
            "efficiency": self.efficiency,
            "reference": self.player,
            "precision": self.precision,
            "note": self.note or None,
        }

    def to_json(self) -> dict[str, Any]:
        """Return the dictionary that `review --json` prints, without the path of the file: the
        fields of `summary`, the layout as a line, the last board as a line, and the moves."""
        return self.summary() | {
            "layout": self.recording.layout.to_line(),
            "end": self.recording.end.to_line(),
            "moves": [move.to_json() for move in self.moves],
        }


def review(
    game: Game | Recording | str | PathLike[str],
    *,
    player: str = PLAYER,
    precision: float = REVIEW_PRECISION,
    seconds: float | None = None,
    seed: Seed = 0,
    explain: bool = True,
) -> Review:
    """Review a game. Without `seconds`, the same arguments always give the same review.

    Parameters:
        game: a `Game` that was played, a `Recording`, or the path of a `.jsonl` log, a RAWVF text
            or a video.
        player: the name of the reference player.
        precision: a number from 0.001 to 0.5. The standard error of an estimated win chance is at
            most about this number.
        seconds: if given, the time for the review. The review is as precise as this time allows,
            and `precision` is not used. The first, rough review is finished in any case.
        seed: determines the layouts that are drawn for estimates.
        explain: whether to explain, for each needless guess, the easiest safe cell that the player
            could have opened. False saves time.

    Raises FileError if the file cannot be read, BoardError if the file is damaged, is not a
    recorded game or has an unfinished game, MissingLibrary for a video without ms_toollib,
    UnknownName for an unknown player, InputError for other wrong arguments, TooWide if a board is
    too wide to count.

    >>> game = csp_mines.Game.new("beginner", seed=1)
    >>> csp_mines.play(game, "exact").won
    True
    >>> csp_mines.review(game)
    <Review game: won, 0 guesses>
    """
    Reference(player, precision, seed)
    if isinstance(game, Game):
        recording = Recording.of(game)
    elif isinstance(game, Recording):
        recording = game
    elif isinstance(game, (str, PathLike)):
        recording = read_recording(game)
    else:
        raise arguments.wrong("game", "a Game, a Recording or the path of a recorded game", game)
    if seconds is None:
        return _Reviewer(recording, Reference(player, precision, seed), explain).review()
    return _within(arguments.seconds(seconds), recording, player, seed, explain)


def _within(seconds: float, recording: Recording, player: str, seed: Seed, explain: bool) -> Review:
    """Review a game again and again, each time with twice as many drawn layouts. Stop when the next
    review would probably end after `seconds`, when the precision of the next review would be below
    0.001, or when no win chance is an estimate. Return the last review."""
    begin, precision = monotonic(), 0.1
    while True:
        before = monotonic()
        reviewed = _Reviewer(recording, Reference(player, precision, seed), explain).review()
        now = monotonic()
        late = now - begin + 2 * (now - before) > seconds
        if late or precision < 0.0015 or reviewed.certain:
            return reviewed
        precision /= sqrt(2)


class _Reviewer:
    """Judges the moves of a recording one after the other."""

    def __init__(self, recording: Recording, reference: Reference, explain: bool) -> None:
        self.recording = recording
        self.reference = reference
        self.explain = explain
        self.refusal = reference.refusal(recording.end)
        self.last_seconds: float | None = None

    def review(self) -> Review:
        openings = (opening for opening in self.recording.boards() if opening[0].opens)
        moves = [self._judged(turn, *opening) for turn, opening in enumerate(openings, 1)]
        result = self._result(len(moves) + 1)
        return Review(
            self.recording,
            self.reference.player,
            self.reference.precision,
            _with_what_followed(moves, result),
            result,
            self.refusal or "",
            self._board_grade(moves[0].cell) if moves else None,
        )

    def _judged(self, turn: int, action: Action, board: Board) -> ReviewedMove:
        seen = board.without_marks()
        cells = _opened_directly(action, board)
        move = self._move(turn, action, board, cells)
        kept_safe = self.recording.rules.start is not Start.ANY and not move.mine
        if turn == 1 and (action.kind is ActionKind.START or kept_safe):
            return move  # a first move that counts as proved (see `Judgement`)
        analysis = analyze(seen, max_states=AGENT_STATES)
        risk = self._risk(analysis, cells)
        lowest = 0.0 if analysis.safe else float(np.nanmin(analysis.probabilities))
        proved = all(cell in analysis.safe or board[cell] == CLEAR for cell in cells)
        if proved:
            return replace(move, grade=self._grade(seen, cells))
        verdict = Judgement.NEEDLESS if analysis.safe else Judgement.FORCED
        needless, weighed = verdict is Judgement.NEEDLESS, None
        if self.refusal is None and EXPLODED not in board.codes:
            weighed = self.reference.weigh(analysis, cells, 1 - risk, turn)
        return replace(
            move,
            verdict=verdict,
            risk=risk,
            lowest_risk=lowest,
            weighed=weighed,
            easiest=Explainer(analysis).hint().step if needless and self.explain else None,
        )

    def _move(
        self, turn: int, action: Action, board: Board, cells: tuple[Cell, ...]
    ) -> ReviewedMove:
        """Return the move with the verdict `proved`, no grade and risks of 0. In a proved move,
        `_judged` then fills in `grade`. In a guess, `_judged` fills in `verdict`, `risk`,
        `lowest_risk`, `weighed` and `easiest`."""
        mines = self.recording.layout.mines
        codes = dict(action.changes)
        before, self.last_seconds = self.last_seconds, action.seconds
        return ReviewedMove(
            turn,
            action.kind,
            action.cell,
            cells,
            board,
            Judgement.PROVED,
            0.0,
            0.0,
            EXPLODED in codes.values(),
            codes.get(action.cell, board[action.cell]),
            len(codes),
            tuple(cell for cell in board.cells(MARKED) if not mines[cell]),
            action.seconds,
            None if before is None or action.seconds is None else action.seconds - before,
        )

    def _risk(self, analysis: Analysis, cells: Sequence[Cell]) -> float:
        """Return the probability that at least one of the cells is a mine."""
        safety = 1.0
        for cell in cells:
            if analysis.board[cell] == CLEAR:
                continue
            safety *= 1.0 - float(analysis.probabilities[cell])
            if safety <= 0 or cell == cells[-1]:
                break
            analysis = analyze(analysis.board.replace({cell: CLEAR}), max_states=AGENT_STATES)
        return 1.0 - safety

    def _grade(self, board: Board, cells: Sequence[Cell]) -> Grade | None:
        """Return the hardest grade of the cells, which are all proved safe. Return None if the
        clues are noisy, because deductions from noisy clues have no grades."""
        left = {row * board.cols + col for row, col in cells}
        if board.clues.name != "exact":
            return None
        for grade in list(Grade)[:-1]:
            left -= set(proved_by_clues(board.codes, board.geometry, grade)[0])
            if not left:
                return grade
        return Grade.TOTAL

    def _board_grade(self, first: Cell) -> Grade | None:
        layout = self.recording.layout
        if layout.mines[first]:
            return None
        try:
            deduced = solve_by_deduction(layout, first)
        except TooWide:
            return None
        return deduced.grade if deduced.won else None

    def _result(self, turn: int) -> Chance | None:
        """Return 1 for a won game, 0 for a lost game, and V of the last board for an unfinished
        game. Return None if the game has no win chances, or if V of the last board is unknown.
        `turn` is the number of moves plus 1."""
        if self.refusal is not None:
            return None
        if self.recording.won is not None:
            return Chance(float(self.recording.won))
        end = self.recording.end.without_marks()
        if EXPLODED in end.codes:  # a sweep game goes on after a mine, but cannot be won any more
            return Chance(0.0)
        return self.reference.value(end, turn)


def _opened_directly(action: Action, board: Board) -> tuple[Cell, ...]:
    """Return the cells that an opening or a chord itself opens, without those that a flood adds.
    For a start at which the game opens several cells, return only the first cell."""
    if action.kind is ActionKind.CHORD:
        return tuple(cell for cell in board.neighbours(action.cell) if board[cell] == HIDDEN)
    return (action.cell,)


def _with_what_followed(
    moves: Sequence[ReviewedMove], result: Chance | None
) -> tuple[ReviewedMove, ...]:
    """Return the moves, with `after` filled in for every weighed guess: V before the next weighed
    guess or, for the last weighed guess, `result`."""
    after, done = result, []
    for move in reversed(moves):
        done.append(move if move.weighed is None else replace(move, after=after))
        after = after if move.weighed is None else move.weighed.value
    return tuple(reversed(done))
