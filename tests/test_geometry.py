"""What is around a cell, in plain words and in arrays with a border, on grids of other reaches; and
that the whole library takes it from one place."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from csp_mines.geometry import OUTSIDE, SQUARE, Geometry

ROOT = Path(__file__).parents[1]
LEAPS = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1))
KNIGHT = Geometry("knight", LEAPS)  # the cells that a knight attacks: eight, two away
HEXAGONS = Geometry("hexagons", ((-1, -1), (-1, 0), (0, -1), (0, 1), (1, 0), (1, 1)))  # sheared
ROWS, COLS = 4, 5

PLAYED = f"""
import json
from csp_mines import geometry
geometry.GRID = geometry.Geometry("knight", {LEAPS})

import numpy as np
import csp_mines
from csp_mines.games.game import Game, Rules, Spec

def around(cell):
    return [near for near in ((cell[0] + down, cell[1] + right) for down, right in {LEAPS})
            if 0 <= near[0] < 8 and 0 <= near[1] < 9]

won = 0
for seed in range(5):
    game = Game(Spec(8, 9, 9), Rules(start="zero"), seed)
    record = csp_mines.play(game, "exact")
    assert game.over and record.won == game.won
    won += record.won
    for cell in np.ndindex(8, 9):
        true = sum(bool(game.layout.mines[near]) for near in around(cell))
        assert game.layout.number(cell) == true
        assert game.board[cell] in (true, -1, -2, -3), (cell, game.board[cell], true)
        assert not (game.board[cell] >= 0 and game.layout.mines[cell])
board = csp_mines.Board.parse("mines: 5\\n???1?\\n?2???\\n??1??\\n?0???")
found = csp_mines.analyze(board)
print(json.dumps([won, found.solutions, found.probabilities.tolist(), sorted(found.safe)]))
"""


@pytest.mark.parametrize("geometry", [SQUARE, KNIGHT, HEXAGONS], ids=lambda grid: grid.name)
def test_numbers_in_a_border_are_cells_and_steps_lead_to_neighbours(geometry: Geometry) -> None:
    bordered = geometry.bordered(ROWS, COLS)
    codes = np.arange(ROWS * COLS, dtype=np.int8).reshape(ROWS, COLS)
    filled = bordered.filled(codes)
    assert bordered.inside(np.frombuffer(filled, np.int8)).tolist() == codes.tolist()
    assert sorted(code for code in filled if code != OUTSIDE) == list(range(ROWS * COLS))
    everywhere = list(product(range(ROWS), range(COLS)))
    assert bordered.cells([bordered.index(cell) for cell in everywhere]) == everywhere
    for cell in everywhere:
        index = bordered.index(cell)
        assert bordered.cell(index) == cell
        assert filled[index] == codes[cell]
        near = [index + step for step in bordered.steps]
        found = [bordered.cell(number) for number in near if filled[number] != OUTSIDE]
        assert found == geometry.neighbours(cell, ROWS, COLS)
        assert bordered.neighbour_counts[index] == len(found)
    assert sum(bordered.neighbour_counts) == int(geometry.count(np.ones((ROWS, COLS), bool)).sum())


def test_another_grid_is_played_and_analysed_by_naming_it() -> None:
    """With the value named before anything else is imported. The numbers are those of a brute force
    that knows the leaps and nothing else."""
    command = [sys.executable, "-c", PLAYED]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    won, solutions, probabilities, safe = json.loads(done.stdout)
    fitting = _layouts(["???1?", "?2???", "??1??", "?0???"], 5)
    assert won == 5
    assert solutions == len(fitting)
    for row, col in product(range(ROWS), range(COLS)):
        mines = sum((row, col) in layout for layout in fitting)
        if not np.isnan(probabilities[row][col]):
            assert probabilities[row][col] == pytest.approx(mines / len(fitting), abs=1e-12)
            assert ([row, col] in safe) == (mines == 0)


def _layouts(text: list[str], mines: int) -> list[set[tuple[int, int]]]:
    clues = {
        (row, col): int(text[row][col])
        for row, col in product(range(ROWS), range(COLS))
        if text[row][col] != "?"
    }
    hidden = [cell for cell in product(range(ROWS), range(COLS)) if cell not in clues]
    return [
        set(layout)
        for layout in combinations(hidden, mines)
        if all(
            sum((row + down, col + right) in layout for down, right in LEAPS) == clue
            for (row, col), clue in clues.items()
        )
    ]


def test_only_the_gate_of_the_kernel_names_the_square_grid() -> None:
    named = [
        str(path.relative_to(ROOT))
        for room in ("csp_mines", "solvers")
        for path in sorted((ROOT / room).rglob("*.py"))
        if re.search(r"\bSQUARE\b", path.read_text(encoding="utf-8"))
    ]
    assert named == ["csp_mines/geometry.py", "solvers/native/__init__.py"]
