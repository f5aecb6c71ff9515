"""Pictures: well-formed and small SVG, PNG of the right size, and nothing outside the frame."""

from __future__ import annotations

import errno
import io
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from csp_mines import Board, Contradiction, Frontier, analyze
from csp_mines.analysis.comparison import compare
from csp_mines.board import Cell
from csp_mines.errors import FileError, InputError, UnknownName, Unsupported
from csp_mines.explanation.explain import explain, explain_board
from csp_mines.games.agents import agent
from csp_mines.games.game import Game, Rules, level
from csp_mines.games.influence import trace
from csp_mines.pictures.analyses import draw_analysis
from csp_mines.pictures.boards import THEMES, BoardArt, draw_board
from csp_mines.pictures.book import save_book
from csp_mines.pictures.canvas import (
    Drawing,
    Shape,
    ShapeKind,
    circle,
    line,
    polygon,
    rectangle,
    text,
    text_width,
)
from csp_mines.pictures.comparisons import draw_comparison
from csp_mines.pictures.curves import check_plot, plot_curves
from csp_mines.pictures.influence import draw_influence
from csp_mines.pictures.proofs import draw_conflict, draw_explanation

BOARDS = Path(__file__).parents[2] / "examples" / "boards"
SVG = "{http://www.w3.org/2000/svg}"


def read(name: str) -> Board:
    return Board.read(BOARDS / f"{name}.txt")


def of_board(theme: str) -> Drawing:
    return draw_board(Board.parse("012345678\n?MXC?????"), theme=theme)


def of_analysis(theme: str) -> Drawing:
    return draw_analysis(analyze(read("expert")), theme=theme)


def of_explanation(theme: str) -> Drawing:
    board = read("patterns/one-two-two-one")
    return draw_explanation(board, explain(analyze(board), (0, 1)), theme=theme)


def of_open_cell(theme: str) -> Drawing:
    board = read("expert")
    found = analyze(board)
    cell = min(board.hidden - found.safe - found.mines)
    return draw_explanation(board, explain(found, cell), theme=theme)


def of_total(theme: str) -> Drawing:
    board = read("patterns/last-cells")
    return draw_explanation(board, explain(analyze(board), (2, 0)), theme=theme)


def of_conflict(theme: str) -> Drawing:
    board = read("contradiction")
    with pytest.raises(Contradiction) as caught:
        analyze(board)
    assert caught.value.conflict is not None
    return draw_conflict(board, caught.value.conflict, theme=theme)


def of_comparison(theme: str) -> Drawing:
    engines = ["single", "subtraction", "native"]
    return draw_comparison(compare(Frontier.of(read("disarm-game")), engines), theme=theme)


def of_influence(theme: str) -> Drawing:
    game = Game(level("beginner"), Rules(start="zero"), 3)
    return draw_influence(trace(game, agent("exact")), theme=theme)


ALL = [
    of_board, of_analysis, of_explanation, of_open_cell, of_total, of_conflict, of_comparison,
    of_influence,
]  # fmt: skip


def placed(drawing: Drawing) -> list[Shape]:
    """Every shape where it is drawn."""
    shapes: list[Shape] = []
    for item in drawing.shapes:
        if isinstance(item, Shape):
            shapes.append(item)
        else:
            name, x, y = item
            shapes += [shape.moved(x, y) for shape in drawing.stamps[name]]
    return shapes


def extent(shape: Shape) -> tuple[float, float, float, float]:
    """Left, top, right and bottom."""
    half = shape.thick / 2 if shape.stroke else 0
    if shape.kind is ShapeKind.RECTANGLE:
        x, y, width, height, _ = shape.numbers
        return x - half, y - half, x + width + half, y + height + half
    if shape.kind is ShapeKind.CIRCLE:
        x, y, radius = shape.numbers
        return x - radius, y - radius, x + radius, y + radius
    if shape.kind is ShapeKind.TEXT:
        x, y, size = shape.numbers
        width = text_width(shape.words, size, bold=shape.bold)
        left = x - {"start": 0, "middle": width / 2, "end": width}[shape.anchor]
        return left, y - size / 2, left + width, y + size / 2
    return (
        min(shape.numbers[::2]),
        min(shape.numbers[1::2]),
        max(shape.numbers[::2]),
        max(shape.numbers[1::2]),
    )


@pytest.mark.parametrize("theme", list(THEMES))
@pytest.mark.parametrize("draw", ALL)
def test_every_picture(draw: Callable[[str], Drawing], theme: str) -> None:
    drawing = draw(theme)
    svg = drawing.to_svg()
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert len(svg) < 90_000
    defined = {group.get("id") for group in root.iter(f"{SVG}g")}
    assert {(used.get("href") or "")[1:] for used in root.iter(f"{SVG}use")} <= defined
    for shape in placed(drawing):
        left, top, right, bottom = extent(shape)
        assert left >= 0, shape
        assert top >= 0, shape
        assert right <= drawing.width, shape
        assert bottom <= drawing.height, shape


@pytest.mark.parametrize("draw", [of_explanation, of_comparison])
def test_png(draw: Callable[[str], Drawing]) -> None:
    drawing = draw("light")
    image = Image.open(io.BytesIO(drawing.to_png(scale=1)))
    assert image.size == (round(drawing.width), round(drawing.height))
    assert image.getpixel((1, 1)) == (255, 255, 255)
    assert len(set(image.get_flattened_data())) > 20


def test_texts_do_not_overlap() -> None:
    for draw in ALL:
        texts = [extent(shape) for shape in placed(draw("light")) if shape.kind is ShapeKind.TEXT]
        for index, (left, top, right, bottom) in enumerate(texts):
            for other in texts[:index]:
                apart = (
                    right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
                )
                assert apart, draw.__name__


@pytest.mark.parametrize("cell", [(1, 2), (2, 2), (2, 1), (0, 0), (1, 4), (3, 2)])
def test_the_head_of_a_path_covers_no_digit(cell: Cell) -> None:
    board = Board.parse("88888\n88888\n88888\n88888")
    art = BoardArt(board, "light", [], "A path")
    art.cells(dict.fromkeys(board.cells(), "#ffffff"), [(1, 1), cell])
    shapes = [shape for shape in art.drawing.shapes if isinstance(shape, Shape)]
    (head,) = (shape for shape in shapes if shape.kind is ShapeKind.POLYGON)
    for digit in (shape for shape in shapes if shape.kind is ShapeKind.TEXT and shape.words == "8"):
        x, y, _ = digit.numbers
        for point in zip(head.numbers[::2], head.numbers[1::2], strict=True):
            assert max(abs(point[0] - x), abs(point[1] - y)) > 5


def test_cells_that_are_too_wide_to_explain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("csp_mines.analysis.clue_sets.WIDE", 0)
    board = Board.parse("mines: 2\n?1?1?")
    wide = explain_board(analyze(board))[-1]
    assert not wide.proofs
    words = " ".join(shape.words for shape in placed(draw_explanation(board, wide)))
    assert "covers too many cells to be shown." in words


def test_a_shape_of_each_kind_in_pixels() -> None:
    drawing = Drawing(40, 40, "#ffffff")
    drawing.define("dot", circle(0, 0, 4, fill="#0000ff"))
    drawing.add(rectangle(0, 0, 10, 10, fill="#ff0000"), line((0, 20), (39, 20), stroke="#00ff00"))
    drawing.add(polygon((30, 30), (39, 30), (39, 39), fill="#000000"))
    drawing.stamp("dot", 30, 10)
    image = Image.open(io.BytesIO(drawing.to_png(scale=1)))
    assert image.getpixel((5, 5)) == (255, 0, 0)
    assert image.getpixel((30, 10)) == (0, 0, 255)
    assert image.getpixel((37, 32)) == (0, 0, 0)
    assert image.getpixel((25, 35)) == (255, 255, 255)


def test_words_are_escaped() -> None:
    drawing = Drawing(100, 20, "#ffffff", "a < b & c")
    drawing.add(text(50, 10, 12, "<&>", fill="#000000"))
    root = ElementTree.fromstring(drawing.to_svg())
    assert root.findtext(f"{SVG}title") == "a < b & c"
    assert root.findtext(f"{SVG}text") == "<&>"


def test_saving(tmp_path: Path) -> None:
    drawing = draw_board(Board.parse("1?"))
    drawing.save(tmp_path / "a.svg")
    drawing.save(tmp_path / "a.PNG")
    assert (tmp_path / "a.svg").read_text().startswith("<svg ")
    assert (tmp_path / "a.PNG").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match=r"'a\.gif'"):
        drawing.save(tmp_path / "a.gif")


def saved_book(path: Path) -> None:
    pytest.importorskip("reportlab")
    save_book([Drawing(100, 20, "#ffffff")], path)


def saved_plot(path: Path) -> None:
    pytest.importorskip("matplotlib")
    plot_curves(path, {"no points": []}, title="nothing")


def test_a_plot_that_exists_needs_a_folder_for_the_new_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "plot.svg"
    path.write_text("old")
    assert check_plot(path) == path
    monkeypatch.setattr("csp_mines.pictures.curves.access", lambda place, _: place != tmp_path)
    with pytest.raises(FileError, match="cannot be written"):
        check_plot(path)


@pytest.mark.parametrize(
    ("name", "save"),
    [
        ("a.svg", draw_board(Board.parse("1?")).save),
        ("a.png", draw_board(Board.parse("1?")).save),
        ("a.pdf", saved_book),
        ("plot.svg", saved_plot),
    ],
)
def test_a_file_is_written_whole_or_not_at_all(
    name: str, save: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(FileError, match="no space left"):
            save(path)
    assert path.read_text() == "old"
    save(path)
    assert path.read_bytes()[:3] != b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(UnknownName, match="unknown theme 'pink'"):
        draw_board(Board.parse("1?"), theme="pink")
    with pytest.raises(Unsupported, match="300×300 cells is too large for a picture"):
        draw_board(Board.from_array([[-1] * 300] * 300))


def test_the_script_that_makes_those_of_the_readme(tmp_path: Path) -> None:
    script = BOARDS.parent / "pictures.py"
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    names = {"analysis", "explanation", "comparison", "influence", "review"}
    svg = {f"{name}-{theme}.svg" for name in names for theme in THEMES}
    assert {path.name for path in tmp_path.iterdir()} == svg | {f"{name}.png" for name in names}
    shown = BOARDS.parent.parent / "docs" / "pictures"
    for name in ("analysis-light.svg", "explanation-dark.svg", "influence-light.svg"):
        assert (tmp_path / name).read_text() == (shown / name).read_text(), "run `make pictures`"


def test_a_png_is_the_same_in_one_band_or_in_many(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = draw_analysis(analyze(Board.read(BOARDS / "disarm-corner.txt")))
    whole = drawing.to_png()
    monkeypatch.setattr("csp_mines.pictures.canvas.BAND_PIXELS", 50_000)
    assert drawing.to_png() == whole


def test_a_large_png_stays_within_memory(tmp_path: Path) -> None:
    """The larger picture that it is drawn on would take 310 MB."""
    script = (
        "import re, sys, csp_mines\n"
        "drawing = csp_mines.draw_board(csp_mines.Board.from_array([[0] * 60] * 60))\n"
        "drawing.save(sys.argv[1], scale=2)\n"
        "print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1])\n"
    )
    path = tmp_path / "large.png"
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert int(done.stdout) < 250_000  # kB
    with Image.open(path) as picture:
        assert picture.size == (2964, 2964)


def test_a_png_beyond_the_bound_is_refused() -> None:
    drawing = draw_board(Board.from_array([[1] * 200] * 200))
    with pytest.raises(Unsupported, match="at most 100,000,000 pixels, not 38,736×38,736"):
        drawing.to_png(8)
