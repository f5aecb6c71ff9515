"""Steps in words, and the logs of `play` as text or as JSON lines.

A text log has the game and its hidden layout, then one numbered line for each step, then the
result. A JSON log has one object on each line: `{"game": …}`, then one `{"step": …}` for each step,
then `{"result": …}`. `recording.py` can read a JSON log, but not a text log.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from csp_mines.analysis.clue_sets import Cores
from csp_mines.board import CLEAR, EXPLODED, HIDDEN, Board
from csp_mines.constraints import Frontier
from csp_mines.errors import FileError
from csp_mines.games.game import Game
from csp_mines.games.own_agents import AnyAgent
from csp_mines.games.playing import Record, Step, StepKind
from csp_mines.games.recording import game_json
from csp_mines.words import few, plural


def describe(step: Step) -> str:
    """Return one line of text about a step: the move, its result, and the reason."""
    label = step.board.geometry.label(step.cell)
    if step.kind is StepKind.MARK:
        return f"mark {label} as a mine: {_why(step)}"
    if step.shown == EXPLODED:
        result = "a mine"
    else:
        result = "safe, no clue" if step.shown == CLEAR else str(step.shown)
    if len(step.opened) > 1:
        result += f", opens {plural(len(step.opened), 'cell')}"
    return f"open {label} ({result}): {_why(step)}"


def with_clues(step: Step, before: Board) -> Step:
    """Return the step with the clues that prove its cell, both in `clues` and in `reason`. None of
    these clues can be left out. `before` is the board before the round of the step.

    Return the step unchanged if its cell is not proved or was not hidden on `before`, if the step
    has clues already, if the total alone proves the cell, or if the search finds no proof."""
    if step.proof is None or step.clues or before[step.cell] != HIDDEN:
        return step
    frontier = Frontier.of(before)
    if frontier.problem.mines in (0, len(before.hidden)):
        return step  # the total alone proves the cell, so there are no clues to name
    evidence = Cores(frontier).evidence(step.cell, mine=step.kind is StepKind.MARK)
    if evidence is None or evidence.too_wide:
        return step
    clues = evidence.clues
    parts = few(map(before.geometry.label, clues)) + ["the total"] * evidence.total
    noun = "clues" if len(clues) > 1 else "clue"
    return replace(step, clues=clues, reason=f"{noun} {', '.join(parts)}")


def setting_json(game: Game, agent: AnyAgent, seed: int) -> dict[str, Any]:
    """Return a document with which a game can be played again: the agent, the size, the seed, the
    first cell, the rules and the layout."""
    first = None if game.first is None else list(game.first)
    return game_json(agent.name, game.layout, game.rules, seed=seed, first=first)


def played_json(
    game: Game, agent: AnyAgent, seed: int, record: Record, moves: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the document of `play --json` about a finished game. `moves` are the steps of the
    game, as `Step.to_json` returns them. (A list of `Step` objects would keep every board in
    memory.)"""
    return {**setting_json(game, agent, seed), **record.to_json(), "moves": moves}


def result_line(record: Record, rules: str) -> str:
    """Return one line of text about the end of a game. `rules` is the name of the rules."""
    result = "won" if record.won else "lost" if rules == "classic" else "over"
    return (
        f"{result} after {plural(record.steps, 'step')}: "
        f"{plural(record.opened, 'safe cell')} open, {plural(record.deduced, 'cell')} proved, "
        f"{plural(record.guesses, 'guess', 'guesses')}, "
        f"{plural(record.exploded, 'mine')} opened, score {record.score:.1%}"
    )


class Log:
    """A log file that is written during a game: JSON lines if the file name ends in `.jsonl`,
    otherwise text.

    Use a `Log` in a `with` statement. The constructor raises FileError if the file cannot be opened
    for writing."""

    def __init__(self, path: Path) -> None:
        self.json = path.suffix == ".jsonl"
        try:
            self._file = path.open("w", encoding="utf-8")
        except (OSError, ValueError) as error:
            raise FileError.of(path, error) from None

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *failure: object) -> None:
        self._file.close()

    def begin(self, game: Game, agent: AnyAgent, seed: int) -> None:
        """Write the beginning of the log: the game and its layout."""
        if self.json:
            self._object({"game": setting_json(game, agent, seed)})
            return
        spec, rules = game.spec, game.rules
        mines = f"{plural(spec.mines, 'mine')} ({spec.density:.1%})"
        self._line(f"agent {agent.name}, {spec.rows}x{spec.cols}, {mines}")
        self._line(f"rules {rules.rules}, start {rules.start}, clues {rules.clues}, seed {seed}")
        self._line("")
        self._line(game.layout.board().to_text().partition("\n")[2].rstrip("\n"))
        self._line("")

    def step(self, step: Step) -> None:
        """Write one step."""
        if self.json:
            self._object({"step": step.to_json()})
        else:
            self._line(f"#{step.number} {describe(step)}")

    def end(self, record: Record, rules: str) -> None:
        """Write the result."""
        if self.json:
            self._object({"result": record.to_json()})
        else:
            self._line("")
            self._line(result_line(record, rules))

    def _object(self, value: dict[str, Any]) -> None:
        self._line(json.dumps(value, ensure_ascii=False, allow_nan=False))

    def _line(self, line: str) -> None:
        self._file.write(line + "\n")
        self._file.flush()


def _why(step: Step) -> str:
    """Return the reason of a step, with the risk of a guess or the backend that proved the cell."""
    if step.kind is StepKind.GUESS:
        risk = "" if step.risk is None else f", risk {step.risk:.1%}"
        return f"guess, {step.reason}{risk}"
    return f"{step.reason} [{step.proof}]" if step.proof else step.reason
