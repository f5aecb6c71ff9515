"""`csp-mines play`: watch an agent play one game, step by step, with its reasons; write logs."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from csp_mines import defaults
from csp_mines.cli import files, gameplay, options
from csp_mines.cli.console import out, show_json
from csp_mines.cli.groups import option

if TYPE_CHECKING:
    from csp_mines import Board, Game, Record, Step
    from csp_mines.games.log import Log
    from csp_mines.games.own_agents import AnyAgent


def play(
    agent: gameplay.OneAgent = defaults.AGENT,
    *,
    layout: gameplay.PlayedByRows,
    rules: gameplay.GameRules,
    seed: options.Seed = 0,
    delay: Annotated[
        float, option("Wait after each step.", metavar="SECONDS", min=0, max=86_400)
    ] = 0.0,
    brief: Annotated[bool, option("Show one line per step, and only the last board.")] = False,
    log: Annotated[
        list[Path] | None,
        option("Write a log to this file; as JSON lines if the name ends in .jsonl."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Watch an agent play one game: every step with its reason, and the board after the step.

    csp-mines play --level expert --agent disarm --seed 7 --brief

    The layout is random, or the one that --board names.
    """
    from csp_mines.games.own_agents import as_agent

    for path in log or ():
        files.keep_input("--log", path, layout.board)
    game, player = layout.game(rules.read(), seed), as_agent(agent)
    gameplay.tell_lowest_risk(player)
    _Viewer(game, player, seed, delay, quiet=json, brief=brief).play(log or [])


@dataclass
class _Viewer:
    """Plays the game, shows it as text or (if `quiet`) as one JSON document, and writes logs."""

    game: Game
    agent: AnyAgent
    seed: int
    delay: float
    quiet: bool
    brief: bool
    round: int = 0
    logs: list[Log] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)
    before: Board = field(init=False)  # the board when the current round began
    last: Board = field(init=False)

    def __post_init__(self) -> None:
        self.console = out()
        self.before = self.last = self.game.board

    def play(self, paths: list[Path]) -> None:
        """Play the game, and write a log to each of `paths`."""
        from csp_mines.games import playing
        from csp_mines.games.log import Log

        with ExitStack() as stack:
            self.logs = [stack.enter_context(Log(path)) for path in paths]
            for log in self.logs:
                log.begin(self.game, self.agent, self.seed)
            record = playing.play(
                self.game, self.agent, self.seed, watch=self._watch, isolated=True
            )
            for log in self.logs:
                log.end(record, self.game.rules.rules)
            self._end(record)

    def _watch(self, step: Step) -> None:
        from csp_mines.games.log import with_clues

        if step.round != self.round:
            self.round, self.before = step.round, self.last
        self.last = step.board
        step = with_clues(step, self.before)
        for log in self.logs:
            log.step(step)
        if self.quiet:
            self.steps.append(step.to_json())
        else:
            self._show(step)
        if self.delay:
            time.sleep(self.delay)

    def _show(self, step: Step) -> None:
        from csp_mines.cli.board_text import BoardView
        from csp_mines.games.log import describe
        from csp_mines.games.playing import StepKind

        style = {StepKind.GUESS: "yellow", StepKind.MARK: "red"}.get(step.kind, "green")
        self.console.print(f"{step.number:>4}  {describe(step)}", style=style)
        if not self.brief:
            self.console.print(BoardView(step.board, highlight={step.cell: "reverse"}).text)
            self.console.print()

    def _end(self, record: Record) -> None:
        from csp_mines.cli.board_text import BoardView
        from csp_mines.games.log import played_json, result_line

        if self.quiet:
            show_json(played_json(self.game, self.agent, self.seed, record, self.steps))
            return
        if self.brief:
            self.console.print(BoardView(self.game.board).text)
        line = result_line(record, self.game.rules.rules)
        self.console.print(line, style="bold")
