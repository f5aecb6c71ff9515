"""Check certificates of no-guess games with independent code. This module repeats every proof by a
search of its own. From the package it imports only errors and the names of the grades.
`puzzle_checker` checks the certificates of puzzles with the same search.

A move of a certificate is correct if its cell is hidden, its clues are open, and no placement of
mines that fits these clues has a mine at the cell. If the move uses the total, only placements that
also fit the total are considered. In this case, the move must have the grade `total`, and the clues
alone must not prove the cell safe.

A certificate is correct if these conditions hold:

* The certificate states the size and the number of mines that its layout has.
* The first cell is safe, and every move is correct.
* After the last move, every safe cell is open.
* The certificate states the grade of its hardest move.

This module cannot tell how hard a proof is to find. So `certificates.verify` also grades the layout
again, and checks that the certificate states this grade."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from csp_mines.errors import BadCertificate
from csp_mines.names import Grade

Cell = tuple[int, int]
FORMAT = "csp-mines certificate 1"
NAMES = tuple(map(str, Grade))  # easiest first


@dataclass(frozen=True)
class Checked:
    """The result of checking a certificate. `where` says where the certificate was found, such as
    `games.jsonl:3`. If the certificate is correct, `error` is None, and `steps` is the number of
    its moves or steps. Otherwise `error` says what is wrong, and `steps` is 0."""

    where: str
    steps: int = 0
    error: BadCertificate | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the object that `verify --json` prints."""
        if self.error is None:
            return {"certificate": self.where, "holds": True, "steps": self.steps}
        failure = {"step": self.error.step, "problem": self.error.problem}
        return {"certificate": self.where, "holds": False, **failure}


def check(certificate: Any) -> int:
    """Check a certificate of a no-guess game, given as its JSON value, and return the number of its
    moves. Raises BadCertificate if the certificate is not correct."""
    layout = checked_layout(certificate, FORMAT)
    table = _Table(certificate, layout)
    table.open(as_cell(certificate.get("first"), layout, "the first cell"))
    moves = checked_steps(certificate, "moves", table.move)
    left = [cell for cell in table.cells if cell not in table.known and not table.is_mine(cell)]
    require_none("safe", left, "still hidden at the end")
    check_grade(certificate, moves)
    return len(moves)


def checked_steps(
    certificate: dict[str, Any], name: str, check_step: Callable[[Any], None]
) -> list[Any]:
    """Call `check_step` with every step of the list in the field `name` of the certificate, and
    return the list. Raises BadCertificate if the field is missing or is not a list. If `check_step`
    raises BadCertificate, add the number of the step to the error."""
    steps = certificate.get(name)
    if not isinstance(steps, list):
        raise BadCertificate(f"the certificate has no list of {name}")
    for number, step in enumerate(steps, 1):
        try:
            check_step(step)
        except BadCertificate as error:
            raise BadCertificate(error.problem, number) from None
    return steps


def require_none(kind: str, left: list[Cell], problem: str) -> None:
    """Raise BadCertificate if the list `left` is not empty. The message has the number of these
    cells, `kind`, `problem` and the first of the cells, as in `2 safe cells still hidden at the
    end, the first at 0,1`."""
    if left:
        row, col = left[0]
        cells = f"1 {kind} cell" if len(left) == 1 else f"{len(left)} {kind} cells"
        raise BadCertificate(f"{cells} {problem}, the first at {row},{col}")


def check_grade(certificate: dict[str, Any], moves: list[Any]) -> None:
    """Raise BadCertificate if the certificate has no field `grade`, or if this grade is not the
    grade of the hardest move. Without moves, the grade must be None. `moves` are the moves of a
    game or the steps of a puzzle."""
    hardest = max((move["grade"] for move in moves), key=NAMES.index, default=None)
    if "grade" not in certificate:
        raise BadCertificate("the certificate does not say its grade")
    if certificate["grade"] != hardest:
        said = f"the certificate says grade {shown(certificate['grade'])}"
        if hardest is None:
            raise BadCertificate(f"{said}, but it has no steps, so its grade must be null")
        raise BadCertificate(f"{said}, but its hardest step has grade {hardest}")


def checked_layout(certificate: Any, expected: str) -> list[str]:
    """Return the layout of a certificate as a list of rows. Raises BadCertificate if the format of
    the certificate is not `expected`, if the layout is not a rectangle of `*`, `.` and `~`, or if
    the certificate states another size or number of mines than the layout has."""
    if not isinstance(certificate, dict):
        raise BadCertificate(f"not a certificate: expected an object, got {shown(certificate)}")
    if "format" not in certificate:
        raise BadCertificate(f"not a certificate: it has no field 'format', expected {expected!r}")
    if certificate["format"] != expected:
        given = shown(certificate["format"])
        raise BadCertificate(f"not a certificate: expected the format {expected!r}, got {given}")
    layout = certificate.get("layout")
    if not isinstance(layout, list) or not layout or not all(isinstance(r, str) for r in layout):
        raise BadCertificate("the layout is not a list of rows")
    if len({len(row) for row in layout}) != 1 or set("".join(layout)) - set("*.~") or not layout[0]:
        raise BadCertificate("the layout is not a rectangle of *, . and ~")
    actual = {
        "rows": len(layout),
        "cols": len(layout[0]),
        "mines": sum(row.count("*") for row in layout),
    }
    for what, number in actual.items():
        said = certificate.get(what)
        if not whole(said) or said != number:
            raise BadCertificate(
                f"the certificate says {shown(said)} {what}, but its layout has {number}"
            )
    return layout


def shown(value: Any) -> str:
    """Return a value as text for messages. A long text is cut to 60 characters."""
    try:
        words = repr(value)
    except ValueError:  # raised for a number with too many digits to print
        return "a huge number"
    return words if len(words) <= 60 else f"{words[:59]}…"


def whole(value: Any) -> bool:
    """Whether a value is a whole number; True and 1.0 are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def as_cell(value: Any, layout: Sequence[str], what: str) -> Cell:
    """Return a value as a cell of the layout. `what` names the value in messages. Raises
    BadCertificate if the value is not a cell of the layout."""
    if not isinstance(value, list) or len(value) != 2 or not all(map(whole, value)):
        raise BadCertificate(f"{what} must be [row, column], not {shown(value)}")
    row, col = value
    if not (0 <= row < len(layout) and 0 <= col < len(layout[0])):
        raise BadCertificate(f"{what} {shown(row)},{shown(col)} is not on the board")
    if layout[row][col] == "~":
        raise BadCertificate(f"{what} {row},{col} is a hole")
    return row, col


def cell_and_clues(
    step: Any, kind: str, key: str, layout: Sequence[str]
) -> tuple[Cell, list[Cell]]:
    """Return the cell in the field `key` of a step, and the cells in the field `clues`. In
    messages, `kind` is the word for a step. Raises BadCertificate if one of these fields is missing
    or invalid."""
    if not isinstance(step, dict) or not isinstance(step.get("clues"), list):
        raise BadCertificate(f"a {kind} must be an object with a list of clues")
    cell = as_cell(step.get(key), layout, "the cell")
    return cell, [as_cell(clue, layout, "the clue") for clue in step["clues"]]


def uses_total(move: dict[str, Any]) -> bool:
    """Return whether a move uses the total. Raises BadCertificate if the field `total` or the field
    `grade` is invalid, or if a move that uses the total has another grade than `total`."""
    total, grade = move.get("total"), move.get("grade")
    if not isinstance(total, bool):
        raise BadCertificate(f"the field 'total' must be true or false, not {shown(total)}")
    if grade not in NAMES:
        raise BadCertificate(
            f"the field 'grade' must be one of {', '.join(NAMES)}, not {shown(grade)}"
        )
    if total and grade != "total":
        raise BadCertificate(f"a step that uses the total must have the grade total, not {grade}")
    return total


def _touching(grid: Any, rows: int, cols: int) -> Callable[[Cell, Cell], bool]:
    """Return the function that says whether two different cells touch on a grid. For a graph, the
    function looks up the edges of the graph. For any other grid, the function compares rows and
    columns. Raises BadCertificate for an unknown grid or an invalid graph."""
    if isinstance(grid, str) and grid.startswith("graph {"):
        return _joined(grid.removeprefix("graph "), cols)
    reach = {"square": 1, "torus": 1, "orthogonal": 1, "hex": 1}
    reach |= {f"radius:{radius}": radius for radius in range(1, 5)}
    if not isinstance(grid, str) or grid not in reach:
        raise BadCertificate(f"the grid {shown(grid)} is unknown")

    def touch(first: Cell, second: Cell) -> bool:
        down, right = abs(first[0] - second[0]), abs(first[1] - second[1])
        if grid == "torus":
            down, right = min(down, rows - down), min(right, cols - right)
        if grid == "orthogonal":
            return down + right == 1
        if grid == "hex":  # columns in half cells, since odd rows are shifted by half a cell
            across = [2 * col + row % 2 for row, col in (first, second)]
            return (down, abs(across[0] - across[1])) in ((0, 2), (1, 1))
        return max(down, right) <= reach[grid]

    return touch


def _joined(text: str, cols: int) -> Callable[[Cell, Cell], bool]:
    try:
        graph = json.loads(text)
        places = {name: divmod(number, cols) for number, name in enumerate(graph["cells"])}
        edges = {frozenset(places[name] for name in pair) for pair in graph["edges"]}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadCertificate("the graph of the grid cannot be read") from None
    return lambda first, second: frozenset((first, second)) in edges


class Ground:
    """The layout of a certificate and its cells, the grid, which says which cells touch, and what
    is known so far. `mines` is the number of mines. `clues` has the number at each clue. `known`
    says of each known cell whether it is a mine."""

    def __init__(self, certificate: dict[str, Any], layout: list[str]) -> None:
        grid = certificate.get("grid", "square")
        self.layout = layout
        self.mines: int = certificate["mines"]
        self.touching = _touching(grid, len(layout), len(layout[0]))
        self.cells = [
            (row, col)
            for row, letters in enumerate(layout)
            for col, letter in enumerate(letters)
            if letter != "~"
        ]
        self.places = set(self.cells)
        self.local = grid != "torus" and not str(grid).startswith("graph")
        self._around: dict[Cell, list[Cell]] = {}
        self.clues: dict[Cell, int] = {}
        self.known: dict[Cell, bool] = {}

    def around(self, cell: Cell) -> list[Cell]:
        """Return the cells that touch a cell."""
        if cell not in self._around:
            near: Iterable[Cell] = self.cells
            if self.local:  # neighbours are at most 4 rows and at most 4 columns away
                rows, cols = (range(middle - 4, middle + 5) for middle in cell)
                near = self.places.intersection(product(rows, cols))
            touching = [other for other in near if other != cell and self.touching(cell, other)]
            self._around[cell] = touching
        return self._around[cell]

    def is_mine(self, cell: Cell) -> bool:
        """Whether the layout has a mine at a cell."""
        return self.layout[cell[0]][cell[1]] == "*"

    def possible(self, cell: Cell, mine: bool, clues: Iterable[Cell], total: int | None) -> bool:
        """Whether `cell` is a mine (or safe, if `mine` is False) in some placement of mines that
        fits `clues`, the known cells and, unless it is None, the number `total` of mines."""
        sums: list[Sum] = [(frozenset([cell]), int(mine))]
        for clue in clues:
            around = self.around(clue)
            found = sum(self.known.get(near, False) for near in around)
            hidden_near = frozenset(near for near in around if near not in self.known)
            sums.append((hidden_near, self.clues[clue] - found))
        mines = None if total is None else total - sum(self.known.values())
        return fitting(sums, len(self.cells) - len(self.known), mines)


class _Table(Ground):
    """The board while a certificate is played."""

    def move(self, move: Any) -> None:
        """Check a move and make it. Raises BadCertificate if the move is not correct."""
        cell, clues = cell_and_clues(move, "move", "open", self.layout)
        total = uses_total(move)
        name = f"{cell[0]},{cell[1]}"
        if cell in self.known:
            raise BadCertificate(f"cell {name} is already open")
        for row, col in clues:
            if (row, col) not in self.clues:
                raise BadCertificate(f"the clue at {row},{col} is not open yet")
        if self.possible(cell, True, clues, self.mines if total else None):
            raise BadCertificate(f"the clues allow a mine at {name}")
        if total and not self.possible(cell, True, clues, None):
            raise BadCertificate(f"the move uses the total, but the clues alone prove {name} safe")
        self.open(cell)

    def open(self, cell: Cell) -> None:
        """Open a cell and, if it shows 0, flood. Raises BadCertificate if the cell is a mine."""
        if self.is_mine(cell):
            raise BadCertificate(f"cell {cell[0]},{cell[1]} is a mine")
        todo = [cell]
        while todo:
            here = todo.pop()
            if here in self.known:
                continue
            near = self.around(here)
            self.known[here] = False
            self.clues[here] = sum(map(self.is_mine, near))
            if not self.clues[here]:
                todo += near


Sum = tuple[frozenset[Cell], int]  # cells, and the number of mines among them
# Each row has indexes of groups of cells, and the least and the greatest number of mines that these
# groups may have together.
Rows = list[tuple[list[int], int, int]]


def fitting(sums: list[Sum], hidden: int, mines: int | None) -> bool:
    """Whether some placement of mines fits these sums. If `mines` is given, all hidden cells
    together must have that many mines. `hidden` is the number of all hidden cells, including the
    cells of the sums."""
    seen = frozenset[Cell]().union(*(cells for cells, _ in sums))
    # Cells in the same sums are interchangeable: only the number of mines among them matters.
    groups: dict[tuple[int, ...], int] = {}
    for cell in seen:
        inside = tuple(index for index, (cells, _) in enumerate(sums) if cell in cells)
        groups[inside] = groups.get(inside, 0) + 1
    sizes = list(groups.values())
    rows = [
        ([number for number, inside in enumerate(groups) if index in inside], right, right)
        for index, (_, right) in enumerate(sums)
    ]
    if mines is not None:
        rows.append((list(range(len(sizes))), mines - (hidden - len(seen)), mines))
    return _solvable(sizes, rows)


def _solvable(sizes: list[int], rows: Rows) -> bool:
    """Whether mines can be placed in the groups of cells so that all `rows` are fulfilled. `sizes`
    has the number of cells of each group."""
    stack = [([0] * len(sizes), list(sizes))]
    while stack:
        low, high = stack.pop()
        if not _narrow(low, high, rows):
            continue
        open_ones = [index for index in range(len(sizes)) if low[index] < high[index]]
        if not open_ones:
            return True
        chosen = min(open_ones, key=lambda index: high[index] - low[index])
        for value in range(low[chosen], high[chosen] + 1):
            least, most = low.copy(), high.copy()
            least[chosen] = most[chosen] = value
            stack.append((least, most))
    return False


def _narrow(low: list[int], high: list[int], rows: Rows) -> bool:
    """Narrow the bounds `low` and `high` on the number of mines of every group, until no row gives
    a closer bound. Both lists are changed. Return False as soon as a row cannot be fulfilled within
    the bounds, and True if this does not happen."""
    changed = True
    while changed:
        changed = False
        for members, least, most in rows:
            lowest = sum(low[member] for member in members)
            highest = sum(high[member] for member in members)
            if lowest > most or highest < least:
                return False
            for member in members:
                down = max(low[member], least - (highest - high[member]))
                up = min(high[member], most - (lowest - low[member]))
                if down > up:
                    return False
                changed = changed or down > low[member] or up < high[member]
                low[member], high[member] = down, up
    return True
