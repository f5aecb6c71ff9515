"""What is around a cell on every grid, and that nothing reads a grid from a global place."""

from __future__ import annotations

import pickle
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from csp_mines.errors import BoardError, UnknownName
from csp_mines.geometry import LATTICES, SQUARE, Geometry
from csp_mines.graph import graph_from_json
from csp_mines.grids import as_geometry

ROOT = Path(__file__).parents[1]
PATH = as_geometry('graph {"cells":["a","b","c","d"],"edges":[["a","b"],["c","b"],["d","c"]]}')


def _touching(name: str, first: tuple[int, int], second: tuple[int, int], size: tuple[int, int]):
    """Whether two different cells touch, by distances alone."""
    down, right = (abs(a - b) for a, b in zip(first, second, strict=True))
    if name == "torus":
        down, right = min(down, size[0] - down), min(right, size[1] - right)
    if name == "orthogonal":
        return down + right == 1
    if name == "hex":  # the centres of touching hexagons are one width apart
        across = [col + (row % 2) / 2 for row, col in (first, second)]
        return (down, abs(across[0] - across[1])) in ((0, 1), (1, 0.5))
    return max(down, right) <= (int(name[-1]) if name.startswith("radius") else 1)


@pytest.mark.parametrize("size", [(1, 1), (1, 4), (2, 2), (2, 5), (3, 3), (4, 6), (7, 5)])
@pytest.mark.parametrize("name", LATTICES)
def test_neighbours_are_the_cells_that_touch(name: str, size: tuple[int, int]) -> None:
    geometry = as_geometry(name)
    cells = list(product(*map(range, size)))
    near = {
        cell: [other for other in cells if other != cell and _touching(name, cell, other, size)]
        for cell in cells
    }
    _all_say(geometry, size, near)
    assert max(map(len, near.values())) <= geometry.most


def test_a_graph_has_the_neighbours_of_its_file() -> None:
    near = {(0, 0): [(0, 1)], (0, 1): [(0, 0), (0, 2)], (0, 2): [(0, 1), (0, 3)], (0, 3): [(0, 2)]}
    _all_say(PATH, (1, 4), near)
    assert PATH.most == 2
    assert [PATH.label(cell) for cell in near] == ["a", "b", "c", "d"]


def _all_say(geometry: Geometry, size: tuple[int, int], near: dict) -> None:
    """Compare every way to ask for neighbours with the expected cells."""
    rows, cols = size
    starts, flat = geometry.table(rows, cols)
    places = geometry.places(rows, cols)
    marked = np.random.default_rng(0).random(size) < 0.5
    counts = geometry.count(marked)
    for cell, others in near.items():
        number, numbers = cell[0] * cols + cell[1], [row * cols + col for row, col in others]
        assert geometry.neighbours(cell, rows, cols) == others
        assert flat[starts[number] : starts[number + 1]].tolist() == numbers
        assert list(places.around[number]) == sorted(places.beside([number]).tolist()) == numbers
        assert places.neighbour_counts[number] == len(others)
        assert counts[cell] == sum(bool(marked[other]) for other in others)


def test_grids_are_values() -> None:
    for geometry in (*LATTICES.values(), PATH):
        assert pickle.loads(pickle.dumps(geometry)) == geometry == as_geometry(geometry.spelled)
        assert hash(as_geometry(geometry.spelled)) == hash(geometry)
    assert as_geometry("hex") != SQUARE != PATH


@pytest.mark.parametrize("name", ["hexx", "", "graph", "graph:", "radius:9"])
def test_unknown_grids_are_refused(name: str) -> None:
    with pytest.raises(UnknownName, match="unknown grid"):
        as_geometry(name)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[]", "JSON object"),
        ("{", "must be JSON"),
        ('{"cells": []}', "at least one name"),
        ('{"cells": ["a", "a"], "edges": []}', "2 cells"),
        ('{"cells": ["a", 1], "edges": []}', "printable"),
        ('{"cells": ["a"]}', '"edges"'),
        ('{"cells": ["a"], "edges": [["a", "b"]]}', "not a cell"),
        ('{"cells": ["a"], "edges": [["a", "a"]]}', "with itself"),
        ('{"cells": ["a"], "edges": [["a"]]}', "pair of names"),
        ('{"cells": ["a", "b"], "edges": [], "rows": 3}', "divide"),
        ('{"cells": ["a"], "edges": [], "positions": {}}', "every cell"),
        ('{"cells": ["a"], "edges": [], "positions": {"a": [0, 1e99]}}', "position"),
        ('{"cells": ["a"], "edges": [], "colour": 1}', "no field 'colour'"),
    ],
)
def test_a_wrong_graph_is_refused_with_the_reason(text: str, problem: str) -> None:
    with pytest.raises(BoardError, match=problem):
        graph_from_json(text)


def test_no_module_reads_a_grid_from_a_global_place() -> None:
    """`SQUARE` may only be a default value, or the grid of notations that know no other."""
    named = {
        str(path.relative_to(ROOT))
        for room in ("csp_mines", "solvers")
        for path in sorted((ROOT / room).rglob("*.py"))
        if re.search(r"\bSQUARE\.(count|neighbours|table|places|beside)", path.read_text("utf-8"))
    }
    assert named <= {
        "csp_mines/formats/alphabet.py",
        "csp_mines/formats/letters.py",
        "csp_mines/formats/position_link.py",
    }
