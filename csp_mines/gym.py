"""Minesweeper as a Gymnasium environment: observations, actions, rewards and advice.

    import gymnasium
    import csp_mines.gym
    env = gymnasium.make("csp_mines/Minesweeper-v0", level="expert")

Importing this module registers the environment. The extra `gym` installs Gymnasium, which the
module needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt

from csp_mines import arguments, defaults
from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.analysis.move import SAFEST, check_rule
from csp_mines.board import EXPLODED, HIDDEN, Board, Cell
from csp_mines.errors import InputError, TooWide
from csp_mines.games.game import Game, Rules, Start
from csp_mines.games.knowledge import estimated
from csp_mines.layout import as_spec
from csp_mines.libraries import needed
from csp_mines.pictures.boards import draw_board

with needed("Gymnasium is not installed", "csp-mines[gym]"):
    import gymnasium
    from gymnasium.spaces import Box, Discrete

ENV_ID = "csp_mines/Minesweeper-v0"

REWARDS = {
    "win": 1.0,  # the step opened the last safe cell, and no mine was opened in the episode
    "loss": -1.0,  # the step opened a mine
    "safe_cell": 0.0,  # for each safe cell that the step opened
    "open_cell": 0.0,  # the cell was open before the step, so the step changed nothing
    "needless_guess": 0.0,  # before the step, another cell was proved safe, but not the opened one
}

Observation = npt.NDArray[np.int8]
Info = dict[str, Any]


class Minesweeper(gymnasium.Env[Observation, np.int64]):
    """An environment in which each episode is one game.

    An observation is an int8 array of `rows` × `cols` codes: -1 is a hidden cell, 0 to 8 are clues,
    and -3 is an opened mine. The action `row * cols + col` opens the cell `(row, col)`. An action
    on an open cell is allowed, but changes nothing on the board. An episode that has not ended
    after `rows * cols` steps is truncated. Without actions on open cells, no episode is truncated.

    `info` always has `action_mask` and `won`. `action_mask` is an int8 array with an entry for each
    action: 1 if the cell is hidden, otherwise 0.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012

    def __init__(
        self,
        level: str | None = None,
        *,
        rows: int | None = None,
        cols: int | None = None,
        mines: int | None = None,
        start: str = "safe",
        rules: str = "classic",
        flood: bool = True,
        first: Cell | None = None,
        open_first: bool = True,
        rewards: Mapping[str, float] | None = None,
        advice: str | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Make an environment.

        * `level` or `rows`, `cols` and `mines`: the size. The default is `beginner`.
        * `start`, `rules`, `flood`: as for `Rules`. Under `sweep`, an opened mine does not end the
          episode; the episode ends when every safe cell is open.
        * `first`: the cell that `reset` opens, by default 0,0. If the start is `any` and `first` is
          None, `reset` opens nothing. With the start `sqrt`, `reset` opens several safe cells, and
          `first` has no effect.
        * `open_first`: if False, `reset` opens nothing, and the first action chooses the first
          cell. A `safe` or `zero` start then protects this cell. The parameter `first` and the
          start `sqrt` are not allowed.
        * `rewards`: a mapping from names in `REWARDS` to other values.
        * `advice`: a move rule such as `safest` or `win`. With a move rule, `info` also has `risk`,
          `best_move` and `regret`. `risk` is an array with the probability of a mine at each cell:
          0 or 1 at open cells, and estimates if the board is too wide to count. `best_move` is the
          action that the move rule recommends, or -1 if the episode has ended. `regret` is the risk
          of the last action minus the lowest risk before this action. `regret` is 0 after `reset`
          and after an action on an open cell.
        * `render_mode`: `ansi` for text, `rgb_array` for a picture, which needs Pillow.

        Raises InputError for a wrong size, cell or reward, and if `open_first` is False although
        `first` is given or the start is `sqrt`. Raises UnknownName for an unknown level, start,
        rule, reward, move rule or render mode."""
        self.game_spec = as_spec(level, rows, cols, mines)
        self.rules = Rules(rules, start, flood)
        self._size = self.game_spec.rows, self.game_spec.cols
        self._first = first
        self._opens_first = open_first
        if not open_first and (first is not None or self.rules.start is Start.SQRT):
            raise InputError("with open_first=False, the first action chooses the first cell; "
                             "omit `first`, and use another start than 'sqrt'")  # fmt: skip
        self.rewards = REWARDS | _checked_rewards(rewards or {})
        self.advice = None if advice is None else check_rule(arguments.text(advice, "advice"))
        self.render_mode = render_mode
        if render_mode is not None:
            arguments.known_name("render mode", render_mode, self.metadata["render_modes"])
        self.observation_space = Box(EXPLODED, 8, self._size, np.int8)
        self.action_space = Discrete(self._size[0] * self._size[1])
        self._begin(0)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Begin a game. Return the observation and `info`. A `seed` determines the layout of this
        game, as in `Game(spec, rules, seed)`, and the layouts of later calls without a seed.

        Raises InputError if `options` has entries, BoardError if the start leaves no room for the
        mines."""
        super().reset(seed=seed)
        if options:
            raise InputError(f"reset has no options, but got {arguments.shown(options)}")
        self._begin(int(self.np_random.integers(2**48)) if seed is None else seed)
        if self._opens_first:
            self.game.start()
        return self._observation(), self._info(0.0)

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, Info]:
        """Open a cell. Return the observation, the reward, whether the episode has ended, whether
        it is truncated, and `info`. Raises InputError if `action` is not the number of a cell, or
        if the episode has ended."""
        rows, cols = self._size
        cell = divmod(arguments.whole(action, "action", 0, rows * cols - 1), cols)
        if self._ended:
            raise InputError("the episode has ended; call reset()")
        self._steps += 1
        if self.game.shown(cell) != HIDDEN:
            reward, regret = self.rewards["open_cell"], 0.0
        else:
            regret = self._regret(cell)
            reward = self._needless(cell) + self._open(cell)
        ended = self._ended
        truncated = not ended and self._steps >= rows * cols
        return self._observation(), reward, ended, truncated, self._info(regret)

    def render(self) -> Any:
        """Return the board as text or as a picture, depending on `render_mode`; None without a
        mode. Raises MissingLibrary for a picture without Pillow."""
        if self.render_mode == "ansi":
            return str(self.game.board)
        return _pixels(self.game.board) if self.render_mode == "rgb_array" else None

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return an array that is True for each action on a hidden cell. MaskablePPO of sb3-contrib
        calls this method."""
        mask: npt.NDArray[np.bool_] = self.game.board.codes.ravel() == HIDDEN
        return mask

    @property
    def board(self) -> Board:
        """The current board, as the player sees it."""
        return self.game.board

    @property
    def won(self) -> bool:
        """Whether every safe cell is open and no mine was opened."""
        return self._all_open and not self.game.exploded

    @property
    def _all_open(self) -> bool:
        spec = self.game_spec
        return self.game.opened == spec.cells - spec.mines

    @property
    def _ended(self) -> bool:
        return self.game.over or self._all_open

    def _begin(self, seed: int) -> None:
        self.game = Game(self.game_spec, self.rules, seed, first=self._first)
        self._steps = 0
        self._analysed: Analysis | None = None

    def _open(self, cell: Cell) -> float:
        opened = self.game.open(cell)
        self._analysed = None
        if self.game.shown(cell) == EXPLODED:
            return self.rewards["loss"]
        return self.rewards["safe_cell"] * len(opened) + (self.rewards["win"] if self.won else 0.0)

    def _needless(self, cell: Cell) -> float:
        price = self.rewards["needless_guess"]
        if not price:
            return 0.0
        safe = self._analysis.safe_mask
        return price if safe.any() and not safe[cell] else 0.0

    def _regret(self, cell: Cell) -> float:
        if self.advice is None:
            return 0.0
        risks = self._analysis.probabilities
        return float(risks[cell] - np.nanmin(risks))

    @property
    def _analysis(self) -> Analysis:
        """The analysis of the current board. It is made when it is first needed, and kept until the
        board changes."""
        if self._analysed is None:
            self._analysed = _analysed(self.game.board, self.advice or SAFEST)
        return self._analysed

    def _observation(self) -> Observation:
        return self.game.board.codes.copy()  # a copy, because PyTorch needs a writeable array

    def _info(self, regret: float) -> Info:
        info: Info = {"action_mask": self.action_masks().astype(np.int8), "won": self.won}
        if self.advice is None:
            return info
        move = None if self._ended else self._analysis.move
        best = -1 if move is None else move.cell[0] * self._size[1] + move.cell[1]
        risks, codes = self._analysis.probabilities, self.game.board.codes
        risk = np.where(codes == HIDDEN, risks, codes == EXPLODED).astype(np.float64)
        return info | {"risk": risk, "best_move": best, "regret": regret}


def _pixels(board: Board) -> npt.NDArray[np.uint8]:
    png = draw_board(board).to_png(scale=1)
    from PIL import Image  # if Pillow is missing, `to_png` has already raised an error

    return np.array(Image.open(BytesIO(png)).convert("RGB"))


def _checked_rewards(rewards: Mapping[str, float]) -> dict[str, float]:
    """Return the rewards as floats. Raises UnknownName for an unknown reward, InputError for a
    value that is not a finite number."""
    return {
        arguments.known_name("reward", name, REWARDS): arguments.number(
            value, f"the reward {name!r}", "a finite number", lambda real: abs(real) < np.inf
        )
        for name, value in arguments.instance(rewards, Mapping, "rewards").items()
    }


def _analysed(board: Board, rule: str) -> Analysis:
    """Analyse a board under a move rule. If the board is too wide to count, estimate the risks."""
    try:
        return analyze(board, max_states=defaults.AGENT_STATES, move=rule)
    except TooWide:
        return estimated(board, move=rule)


if ENV_ID not in gymnasium.registry:
    gymnasium.register(id=ENV_ID, entry_point=f"{__name__}:{Minesweeper.__name__}")
