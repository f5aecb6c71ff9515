"""Puzzle books: what is on their pages, and that every puzzle has one solution."""

from __future__ import annotations

from pathlib import Path

import pytest

from csp_mines import Spec, as_geometry, certify, generate, grade_puzzle, puzzles
from csp_mines.board import HIDDEN
from csp_mines.generation.certificates import verify
from csp_mines.generation.wishes import Wish
from csp_mines.pictures.book import draw_book
from tests.cli.runner import run
from tests.grids.test_grids import bench


@pytest.mark.parametrize("name", ["square", "hex", "torus"])
def test_every_puzzle_is_on_a_page_and_has_one_solution(name: str) -> None:
    made = list(puzzles(Spec(4, 4, 4, as_geometry(name)), 3, seed=1))
    pages = draw_book(made, paper="letter")
    words = [shape.words for page in pages for shape in page.placed()]
    assert "3 Minesweeper puzzles" in words
    assert "Solutions" in words
    for number, puzzle in enumerate(made, start=1):
        assert f"{number}   {puzzle.grade}" in words
        counted = bench.brute_force(puzzle.board)
        assert counted is not None
        assert counted[0] == 1
    for page in pages:
        for shape in page.placed():
            assert 0 < shape.numbers[0] < page.width
            assert 0 < shape.numbers[1] < page.height


def test_the_command_writes_a_book(tmp_path: Path) -> None:
    asked = ["generate", "--puzzle", "--size", "4x4", "--mines", "3", "--count", "2", "--book"]
    done = run(*asked, str(tmp_path / "book.pdf"), "--paper", "letter")
    assert done.status == 0, done.err
    assert (tmp_path / "book.pdf").read_bytes().startswith(b"%PDF")
    assert run(*asked, str(tmp_path / "book.svg")).status == 0
    assert len(list(tmp_path.glob("book-*.svg"))) == 2


def test_impossible_books_are_refused_before_the_work() -> None:
    asked = ["generate", "--puzzle", "--mines", "300", "--count", "9999", "--size"]
    for size, file, problem in (
        ("40x40", "x.txt", "must name a .pdf or .svg"),
        ("50x50", "x.svg", "does not fit on a page"),
    ):
        done = run(*asked, size, "--book", file)
        assert done.status == 2
        assert problem in done.err


def test_a_puzzle_is_graded_from_its_board_alone() -> None:
    [puzzle] = puzzles(Spec(4, 4, 3, as_geometry("hex")), 1, seed=2)
    graded = grade_puzzle(puzzle.board)
    assert graded.minimal
    assert (graded.grade, graded.layouts) == (puzzle.grade, (puzzle.layout,))
    cell = min(puzzle.board.cells(HIDDEN))
    if not puzzle.layout.mines[cell]:
        shown = puzzle.board.replace({cell: puzzle.layout.number(cell)})
        assert cell in grade_puzzle(shown).needless
    clue = next(cell for cell in puzzle.board.cells() if puzzle.board[cell] >= 0)
    weaker = grade_puzzle(puzzle.board.replace({clue: HIDDEN}))
    assert not weaker.unique
    first, second = weaker.layouts
    assert first != second


@pytest.mark.parametrize("name", ["hex", "torus", "radius:2"])
def test_certificates_hold_on_every_grid(name: str) -> None:
    spec = Spec(5, 5, 4, as_geometry(name), frozenset({(2, 2)}))
    [game] = generate(Wish(spec, (0, 0), "safe"), 1, seed=1)
    certificate = certify(game.layout, game.first).to_json()
    assert verify(certificate, "it").error is None
    assert verify({**certificate, "grid": "orthogonal"}, "it").error is not None
