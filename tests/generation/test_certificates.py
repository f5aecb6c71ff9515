"""Certificates, and a checker that finds what is wrong with them."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from csp_mines import BadCertificate, certify
from csp_mines.analysis.grades import Grade
from csp_mines.errors import BoardError
from csp_mines.generation.certificates import Certificate, verify
from csp_mines.generation.checker import FORMAT, Checked, check
from csp_mines.generation.noguess import generate
from csp_mines.generation.wishes import Wish, read_difficulty
from csp_mines.layout import Layout, Spec

GAMES = [
    ("single", Spec(6, 6, 6)),
    ("pair", Spec(6, 6, 7)),
    ("total", Spec(6, 6, 6)),
]


def certificate(grade: str, spec: Spec) -> Certificate:
    wish = Wish(spec, (0, 0), difficulty=read_difficulty(grade))
    (game,) = generate(wish, 1, seed=1, method="uniform")
    return certify(game.layout, game.first)


@pytest.fixture(scope="module")
def proof() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(certificate("total", GAMES[2][1]).to_json()))
    return found


@pytest.mark.parametrize(("grade", "spec"), GAMES)
def test_they_hold(grade: str, spec: Spec) -> None:
    made = certificate(grade, spec)
    assert made.grade == grade
    assert check(json.loads(json.dumps(made.to_json()))) == len(made.moves)
    assert any(move.total for move in made.moves) == (grade == "total")
    assert {move.grade for move in made.moves} <= set(Grade)


@pytest.mark.parametrize(("grade", "spec"), GAMES)
def test_no_clue_can_be_left_out(grade: str, spec: Spec) -> None:
    """Every set is minimal, and the checker notices each clue that is missing."""
    whole = certificate(grade, spec).to_json()
    for number, move in enumerate(whole["moves"]):
        for clue in range(len(move["clues"])):
            broken = copy.deepcopy(whole)
            del broken["moves"][number]["clues"][clue]
            with pytest.raises(BadCertificate, match="the clues allow a mine at") as caught:
                check(broken)
            assert caught.value.step == number + 1


def test_the_total_cannot_be_left_out(proof: dict[str, Any]) -> None:
    broken = copy.deepcopy(proof)
    number = next(n for n, move in enumerate(proof["moves"]) if move["total"])
    broken["moves"][number]["total"] = False
    with pytest.raises(BadCertificate, match=f"step {number + 1}: the clues allow a mine"):
        check(broken)


def test_wrong_moves(proof: dict[str, Any]) -> None:
    mine = next((r, row.index("*")) for r, row in enumerate(proof["layout"]) if "*" in row)
    for change, problem in (
        ({"open": list(mine)}, "step 1: "),
        ({"open": [0, 0]}, "step 1: cell 0,0 is already open"),
        ({"open": [0, 99]}, "step 1: the cell 0,99 is not on the board"),
        ({"open": "0,0"}, r"step 1: the cell must be \[row, column\], not '0,0'"),
        ({"clues": [list(mine)]}, "step 1: the clue at .* is not open yet"),
        ({"clues": None}, "step 1: a move must be an object with a list of clues"),
        ({"total": 1}, "step 1: the field 'total' must be true or false, not 1"),
        ({"total": None}, "step 1: the field 'total' must be true or false, not None"),
        ({"total": True, "grade": "single"}, "step 1: .* must have the grade total, not single"),
        (
            {"grade": "hard"},
            "step 1: the field 'grade' must be one of single, pair, .*, not 'hard'",
        ),
        ({"grade": []}, r"step 1: the field 'grade' must be one of .*, not \[\]"),
    ):
        broken = copy.deepcopy(proof)
        broken["moves"][0] |= change
        with pytest.raises(BadCertificate, match=problem):
            check(broken)


def test_both_bounds_of_the_total_prove_cells() -> None:
    """Both 1s together allow a mine between them, but then the other mine has no place."""
    move = {"open": [0, 1], "clues": [[1, 0], [1, 2]], "total": True, "grade": "total"}
    layout = {"layout": ["*.*", "...", "..."], "rows": 3, "cols": 3, "mines": 2, "first": [2, 1]}
    whole = {"format": FORMAT, **layout, "moves": [move], "grade": "total"}
    assert check(whole) == 1


def test_a_total_that_is_not_needed(proof: dict[str, Any]) -> None:
    broken = copy.deepcopy(proof)
    number = next(n for n, move in enumerate(proof["moves"]) if not move["total"])
    broken["moves"][number] |= {"total": True, "grade": "total"}
    problem = f"step {number + 1}: the move uses the total, but the clues alone prove .* safe"
    with pytest.raises(BadCertificate, match=problem):
        check(broken)


def test_a_grade_that_the_layout_does_not_have(proof: dict[str, Any]) -> None:
    """Moves that agree with each other, but not with what engines find."""
    made = certificate("pair", GAMES[1][1]).to_json()
    assert verify(made, "here") == Checked("here", len(made["moves"]))
    moves = [move | {"grade": "single"} for move in made["moves"]]
    lie = made | {"grade": "single", "moves": moves}
    assert check(lie) == len(moves)
    error = verify(lie, "here").error
    assert str(error) == "the certificate says grade 'single', but its layout has grade pair"


def test_other_lies(proof: dict[str, Any]) -> None:
    rows = proof["layout"]
    for change, problem in (
        ({"format": "something else"}, "not a certificate"),
        ({"mines": 7}, "the certificate says 7 mines, but its layout has 6"),
        ({"mines": 6.0}, "the certificate says 6.0 mines, but its layout has 6"),
        ({"rows": 5}, "the certificate says 5 rows, but its layout has 6"),
        ({"rows": "6"}, "the certificate says '6' rows, but its layout has 6"),
        ({"cols": None}, "the certificate says None cols, but its layout has 6"),
        ({"grade": "single"}, "says grade 'single', but its hardest step has grade total"),
        ({"grade": ["total"]}, r"says grade \['total'\], but its hardest step has grade total"),
        ({"layout": [*rows[:-1], "?"]}, "the layout is not a rectangle"),
        ({"layout": 3}, "the layout is not a list of rows"),
        ({"grid": ["hex"]}, r"the grid \[.hex.\] is unknown"),
        ({"first": [9, 9]}, "the first cell 9,9 is not on the board"),
        ({"moves": proof["moves"][:-1]}, "safe cells? still hidden at the end"),
        ({"moves": None}, "no list of moves"),
    ):
        with pytest.raises(BadCertificate, match=problem):
            check(proof | change)
    with pytest.raises(BadCertificate, match="not a certificate"):
        check([proof])


def test_layouts_that_need_a_guess_have_none() -> None:
    with pytest.raises(BoardError, match="cannot be won from 0,0 without a guess"):
        certify(Layout.parse("...\n.**\n..."), (0, 0))
    with pytest.raises(BoardError, match="the first cell 1,1 is a mine"):
        certify(Layout.parse("...\n.**\n..."), (1, 1))
