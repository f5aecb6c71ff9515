"""Check certificates of puzzles with independent code. Like `checker`, this module repeats every
proof by a search, and imports nothing that makes or solves puzzles.

A step names a hidden cell and some clues of the puzzle, and says whether the cell is a mine. No
earlier step may have proved the same cell. A cell is known if the puzzle does not hide it, or if an
earlier step has proved it. The step is correct if every placement of mines that fits the named
clues and the known cells agrees with the step. If the step uses the total, only placements that
also fit the total are considered, and the named clues alone must not prove the cell.

A certificate is correct if its layout fits the puzzle, every step is correct, and the steps prove
every hidden cell. Then no other layout fits the puzzle. The size and the number of mines that the
certificate states must be those of its layout. The grade that it states must be the grade of its
hardest step."""

from __future__ import annotations

from typing import Any

from csp_mines.errors import BadCertificate
from csp_mines.generation import checker
from csp_mines.generation.checker import Cell, shown

PUZZLE_FORMAT = "csp-mines puzzle certificate 1"
_HIDDEN, _HOLE = -1, -5
_LETTERS = {-2: "*", -3: "*", -4: ".", _HOLE: "~"}  # codes that are not clues, in a layout


def check_puzzle(certificate: Any) -> int:
    """Check a certificate of a puzzle and return the number of its steps. Raises BadCertificate if
    the certificate is not correct."""
    layout = checker.checked_layout(certificate, PUZZLE_FORMAT)
    puzzle = _Puzzle(certificate, layout)
    steps = checker.checked_steps(certificate, "steps", puzzle.take)
    checker.require_none("hidden", sorted(puzzle.hidden - puzzle.known.keys()), "without a proof")
    checker.check_grade(certificate, steps)
    return len(steps)


class _Puzzle(checker.Ground):
    """The puzzle of a certificate, and what the steps have proved so far. `hidden` has the cells
    that the puzzle hides. `total` is the number of mines, or None if the puzzle does not give this
    number."""

    def __init__(self, certificate: dict[str, Any], layout: list[str]) -> None:
        super().__init__(certificate, layout)
        told = certificate.get("told_total")
        if not isinstance(told, bool):
            raise BadCertificate(f"the field 'told_total' must be true or false, not {shown(told)}")
        self.total = self.mines if told else None
        self.hidden: set[Cell] = set()
        for row, line in enumerate(_codes(certificate, layout)):
            for col, code in enumerate(line):
                self._place((row, col), code)

    def _place(self, cell: Cell, code: int) -> None:
        """Record the code of the puzzle at a place, which is a cell or a hole. Raises
        BadCertificate if the layout does not fit this code."""
        letter = self.layout[cell[0]][cell[1]]
        if code == _HIDDEN and letter != "~":
            self.hidden.add(cell)
            return
        if code >= 0 and letter == ".":
            self.clues[cell] = code
            fits = code == sum(map(self.is_mine, self.around(cell)))
        else:
            fits = letter == _LETTERS.get(code)
        if not fits:
            raise BadCertificate(f"the layout does not fit the code {code} at {cell[0]},{cell[1]}")
        if letter != "~":
            self.known[cell] = letter == "*"

    def take(self, step: Any) -> None:
        """Check a step and record what the step proves. Raises BadCertificate if the step is not
        correct."""
        cell, clues = checker.cell_and_clues(step, "step", "cell", self.layout)
        mine, total = step.get("mine"), checker.uses_total(step)
        name = f"{cell[0]},{cell[1]}"
        if not isinstance(mine, bool):
            raise BadCertificate(f"the field 'mine' must be true or false, not {shown(mine)}")
        if total and self.total is None:
            raise BadCertificate("the step uses the total, which the puzzle does not give")
        if cell in self.known:
            raise BadCertificate(f"cell {name} is already known")
        for row, col in clues:
            if (row, col) not in self.clues:
                raise BadCertificate(f"there is no clue at {row},{col}")
        if self.possible(cell, not mine, clues, self.total if total else None):
            raise BadCertificate(f"the clues allow {name} to be {'safe' if mine else 'a mine'}")
        if total and not self.possible(cell, not mine, clues, None):
            raise BadCertificate(f"the step uses the total, but the clues alone prove {name}")
        self.known[cell] = mine


def _codes(certificate: dict[str, Any], layout: list[str]) -> list[list[int]]:
    codes: list[list[int]] = certificate.get("codes", [])
    right = isinstance(codes, list) and len(codes) == len(layout)
    if not right or not all(isinstance(r, list) and len(r) == len(layout[0]) for r in codes):
        raise BadCertificate("the codes must have as many rows and columns as the layout")
    for row in codes:
        for code in row:
            if not checker.whole(code) or not _HOLE <= code <= 99:
                raise BadCertificate(
                    f"{shown(code)} is not a code; a code is a whole number from {_HOLE} to 99"
                )
    return codes
