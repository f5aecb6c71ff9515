"""The notebook's board: the page's own module, and what a press on a cell does."""

from __future__ import annotations

from importlib import resources
from typing import Any

from csp_mines.board import Board

CORNER = Board.parse("mines: 3\n????\n113?\n001?\n001?")


def shown(board: Board) -> Any:
    """The board as a widget. Its library is imported only where a test runs, not by all workers."""
    from csp_mines.web.widget import BoardWidget

    return BoardWidget(board)


def test_the_widget_shows_what_follows() -> None:
    widget = shown(CORNER)
    assert (widget.rows, widget.cols) == (4, 4)
    assert widget.cells[4:8] == [1, 1, 3, -1]
    assert widget.tones[:4] == ["safe", "mine", "safe", "mine"]
    assert widget.heat[:5] == [0.0, 1.0, 0.0, 1.0, None]
    assert widget.lit == [[0, 0, "move"]]
    module = resources.files("csp_mines.web").joinpath("static/board.js").read_text("utf-8")
    assert str(widget._esm) == module


def test_only_what_is_proved_is_shown_as_0_or_100() -> None:
    widget = shown(Board([[-1] * 500 + [1, -1, -1]], mines=2))
    assert (widget.heat[0], widget.labels[0]) == (0.002, "1")
    assert shown(Board([[-1] * 500], mines=499)).labels[0] == "99"
    assert shown(CORNER).labels[:5] == ["0", "100", "0", "100", ""]


def test_the_widget_is_told_the_grid() -> None:
    widget = shown(Board([[-1, 1, -5], [-1, -1, -1]], geometry="hex"))
    assert (widget.cells[2], widget.grid["grid"], len(widget.grid["corners"])) == (-5, "hex", 6)


def test_a_press_asks_why() -> None:
    widget = shown(CORNER)
    widget._hear(widget, {"event": "hover", "cell": [0, 2]}, [])
    assert widget.selected is None
    widget._hear(widget, {"event": "press", "cell": [1, 0]}, [])  # a clue: nothing to explain
    assert widget.selected is None
    widget._hear(widget, {"event": "press", "cell": [0, 2]}, [])
    assert widget.selected == (0, 2)
    assert widget.lit == [[1, 0, "clue"], [1, 1, "clue"], [0, 2, "target"]]
    assert widget.text.endswith("so (0,2) is safe.")
    widget.show(CORNER)  # another board has no explained cell yet
    assert (widget.selected, widget.text, widget.explanation) == (None, "", None)


def test_the_page_and_the_notebook_share_a_module_that_stands_alone() -> None:
    module = resources.files("csp_mines.web").joinpath("static/board.js").read_text("utf-8")
    assert "\nimport " not in module
    assert "export default { render };" in module
