"""The tasks of the page, one for each route. A task takes the fields of a request and returns a
JSON document. A command for the same task prints the same document with `--json`.

Every task is a plain function and runs in a worker process. No task opens a socket, or a file that
a request names."""

from __future__ import annotations

import json
import re
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from random import Random
from typing import Any

import numpy as np

from csp_mines import defaults
from csp_mines.analysis.analyze import Analysis, analyze
from csp_mines.analysis.comparison import compare
from csp_mines.analysis.grades import Grade
from csp_mines.analysis.outcomes import prospects
from csp_mines.analysis.overlays import Shown, overlay, read_shown
from csp_mines.analysis.refutation import contradiction_json
from csp_mines.arguments import choice, require_at_most
from csp_mines.backend import available_backends, backend_class, backend_facts, backend_names
from csp_mines.board import EXPLODED, HIDDEN, Board, Cell
from csp_mines.clues import CLUE_MODELS, EXACT
from csp_mines.constraints import Frontier
from csp_mines.errors import BadRequest, BoardError, Contradiction, CspMinesError
from csp_mines.explanation.explain import Explainer
from csp_mines.formats import all_notations, board_of, interpret, is_picture, load, write_layout
from csp_mines.games.agents import PRESETS
from csp_mines.games.agents import agent as named_agent
from csp_mines.games.findings import Findings
from csp_mines.games.game import Game, Rules
from csp_mines.games.log import played_json
from csp_mines.games.playing import play
from csp_mines.games.playouts import draw_layout
from csp_mines.games.recording import Recording, log_text, parse_recording, record
from csp_mines.generation.boards import graded_board, position
from csp_mines.generation.layout_grades import grade, grade_position
from csp_mines.generation.noguess import generate
from csp_mines.generation.wishes import Wish, read_difficulty
from csp_mines.graph import graph_from_json
from csp_mines.layout import CLASSIC_LEVELS, Layout, Spec, as_spec, layout_on
from csp_mines.pictures.analyses import draw_analysis
from csp_mines.pictures.proofs import draw_conflict
from csp_mines.reviews.review import review
from csp_mines.screenshots import read_picture
from csp_mines.web.fields import (
    MOST_CELLS,
    MOST_OPENED,
    MOST_PLAYED,
    Fields,
    checked_layout,
    checked_size,
    require_playable,
    required,
)
from csp_mines.web.grids import drawn_grid, offered_grids
from csp_mines.web.titles import TITLES

Report = dict[str, Any]

OUT_OF_MEMORY = "this request needs more memory than the server allows"
MAX_MEMORY = 1 << 30  # the most bytes of memory for a count
ANALYSIS_SECONDS = 6.0  # for counting, proofs and estimates of one analysis
ESTIMATE_SECONDS = 1.0  # the part of ANALYSIS_SECONDS for estimates, if a count reaches a limit
MOST_PROOFS = 10
DRILL = Spec(9, 9, 14)  # the size of a drill
REVIEW_PRECISION = 0.04  # standard error of win chances; coarse, because a person waits
MOST_REVIEWED = 1_000  # the most cells of a game to review
MOST_BYTES = 3_000_000  # the most bytes of a file in a request
PASTED = "text"  # the name of pasted text, which comes from no file
GAMES = ("generate", "play")  # tasks whose requests give the size of a game
SEARCHES = ("compare", "review", *GAMES)
SEARCHING = 100  # added to the effort of a request that searches
# Matches a request that names an engine or an overlay other than the default.
MORE_WORK = re.compile(
    rf'"backend"\s*:\s*"(?!{defaults.BACKEND}")|"show"\s*:\s*"(?!{Shown.RISK}")'.encode()
)


def answer(task: str, body: bytes) -> tuple[int, bytes]:
    """Do a task. Return an HTTP status and the JSON text of the answer. An expected failure gives a
    status 4xx, an unexpected failure the status 500; the JSON text then has a message."""
    try:
        document = TASKS[task](Fields.parse(body))
    except CspMinesError as error:
        return 400, error_json(str(error))
    except (MemoryError, RecursionError):
        return 413, error_json(OUT_OF_MEMORY)
    except Exception:
        traceback.print_exc(file=sys.stderr)
        return 500, error_json("the server failed; its terminal shows why")
    return 200, _encoded(document)


def error_json(message: str) -> bytes:
    """Return an error message as the JSON text of an answer."""
    return _encoded({"error": message})


def _encoded(document: Report) -> bytes:
    return json.dumps(document, allow_nan=False, separators=(",", ":")).encode()


def likely_effort(task: str, body: bytes) -> int:
    """Estimate how long a request takes. The estimate has no unit and serves only to compare
    requests. For the tasks of `GAMES`, it grows with the number of cells of the game; for other
    tasks, it grows with the length of the request. A request searches if its task is one of
    `SEARCHES`, or if the request names an engine or an overlay other than the default. A search may
    take far longer, so the function adds `SEARCHING` for a search."""
    searches = task in SEARCHES or MORE_WORK.search(body) is not None
    size = _game_size(body) if task in GAMES else len(body)
    return size.bit_length() + (SEARCHING if searches else 0)


def _game_size(body: bytes) -> int:
    try:
        spec = read_spec(Fields.parse(body))
    except CspMinesError:
        return 0  # invalid, or the request has a `board` or a `drill` instead of a size
    return spec.rows * spec.cols


# --- analyses of a board -----------------------------------------------------------------------


def _analyze(fields: Fields) -> Report:
    board, backend = fields.board(), fields.text("backend") or defaults.BACKEND
    use_total, exact = fields.flag("use_total", True), fields.flag("exact")
    shown = read_shown(fields.text("show") or Shown.RISK)
    fields.done()

    def work(begin: float) -> Report:
        analysis = analyze(
            board,
            backend=backend,
            use_total=use_total,
            max_memory=MAX_MEMORY,
            seconds=ANALYSIS_SECONDS,
            approximate=ESTIMATE_SECONDS,
        )
        other = None if shown is Shown.RISK else overlay(analysis, shown)
        return Findings(analysis, overlay=other).to_json(exact=exact, since=begin)

    return _unless_refuted(board, work, backend)


def _analyzed(board: Board) -> Analysis:
    return analyze(board, max_memory=MAX_MEMORY)


def _explain(fields: Fields) -> Report:
    board, cell, hint = fields.board(), fields.cell("cell"), fields.flag("hint")
    most = fields.whole("most", 1, MOST_PROOFS) or 1
    fields.done()

    def work(_: float) -> Report:
        explainer = Explainer(_analyzed(board))
        if hint:
            return explainer.hint(most=most).to_json()
        if cell is None:
            return explainer.to_json()
        return explainer.explain(cell, most=most).to_json()

    return _unless_refuted(board, work, defaults.BACKEND)


def _prospects(fields: Fields) -> Report:
    """Return the prospects of the hidden cell in the field `cell`."""
    board, named = fields.board(), fields.cell("cell")
    fields.done()
    cell = required("cell", named)

    def work(_: float) -> Report:
        return prospects(_analyzed(board), cell).to_json()

    return _unless_refuted(board, work, defaults.BACKEND)


def _compare(fields: Fields) -> Report:
    board, use_total = fields.board(), fields.flag("use_total", True)
    backends = fields.words("backends", 12, 40)
    fields.done()

    return _unless_refuted(
        board, lambda _: compare(Frontier.of(board), backends, use_total=use_total).to_json()
    )


def _unless_refuted(
    board: Board, work: Callable[[float], Report], backend: str | None = None
) -> Report:
    """Call `work` with the present time of `time.perf_counter`, and return what `work` returns. If
    `work` raises Contradiction, return the document that says so. `backend` is the engine; None
    stands for several engines."""
    begin = time.perf_counter()
    try:
        return work(begin)
    except Contradiction as error:
        return contradiction_json(board, error, backend, since=begin)


# --- boards and games --------------------------------------------------------------------------


def read_spec(fields: Fields) -> Spec:
    """Return the `Spec` of a game. The request gives a `level`, or `rows`, `cols` and `mines`, or a
    `shape`. With a level or with rows, the request may also give a `grid`; with a shape, it may
    also give the `mines`. Raises CspMinesError if these fields are missing, invalid or too
    large."""
    shape = fields.shape()
    if shape is not None:
        return shape
    name = fields.text("level")
    rows, cols = fields.whole("rows", 1, MOST_PLAYED), fields.whole("cols", 1, MOST_PLAYED)
    mines = fields.whole("mines", 0, MOST_PLAYED)
    if (name, rows, cols, mines) == (None, None, None, None):
        raise BadRequest("a game needs a level, or rows, cols and mines, or a shape")
    if rows is not None and cols is not None:
        require_playable(rows * cols)
    return replace(as_spec(name, rows, cols, mines), geometry=fields.grid())


def _generate(fields: Fields) -> Report:
    """Make a board or, with the field `layout`, a layout. If the request has a `board`, draw a
    random layout that fits that board. If the request has a `drill`, make a position whose next
    step has the grade that `drill` names."""
    if "board" in fields:
        return _fitting_layout(fields)
    if "drill" in fields:
        return _drill(fields)
    spec, seed, first = read_spec(fields), fields.seed() or 0, fields.cell("first")
    opened, stuck = fields.share("opened"), fields.flag("stuck")
    no_guess, start = fields.flag("no_guess"), fields.text("start") or defaults.START
    difficulty, layout = read_difficulty(fields.text("grade")), fields.flag("layout")
    fields.done()
    made: Spec | Layout = spec
    if no_guess:
        wish = Wish(spec, first or spec.first, start, difficulty)
        made = next(generate(wish, 1, seed, workers=1)).layout
    game = Game(made, Rules(start=start), seed, first=first)
    if layout:
        game.start()
        return game.layout.to_json()
    return position(game, opened=opened, stuck=stuck).to_json()


def _drill(fields: Fields) -> Report:
    grade = choice("grade", fields.text("drill"), Grade)
    seed = fields.seed() or 0
    fields.done()
    return graded_board(DRILL, grade, seed).to_json()


def _fitting_layout(fields: Fields) -> Report:
    """Draw a random layout that fits the board of the request. All layouts that fit are equally
    likely."""
    board, seed = fields.board(), fields.seed() or 0
    fields.flag("layout", True)
    fields.done()
    require_playable(board.codes.size)
    if board.clues is not EXACT or board.density is not None:
        raise BadRequest("a game from a position cannot have noisy clues or a density")
    if EXPLODED in board.codes:
        raise BadRequest("this game is over: a mine was opened")
    mines = draw_layout(board, Random(f"position {seed}"))
    return layout_on(board, mines).to_json()


def _grade(fields: Fields) -> Report:
    """Grade a whole layout or, without the field `layout`, the next step of a board."""
    layout = fields.layout()
    if layout is None:
        board = fields.board()
        fields.done()
        return _unless_refuted(board, lambda _: grade_position(board).to_json())
    first = fields.cell("first")
    fields.done()
    return grade(layout, first).to_json()


def _play(fields: Fields) -> Report:
    """Let an agent play a whole game. Return the same document as `play --json`."""
    player = named_agent(fields.text("agent") or defaults.AGENT)
    spec, seed = read_spec(fields), fields.seed() or 0
    first, start = fields.cell("first"), fields.text("start") or defaults.START
    fields.done()
    game = Game(spec, Rules(start=start), seed, first=first)
    moves: list[Report] = []
    record = play(game, player, seed, watch=lambda step: moves.append(step.to_json()))
    return played_json(game, player, seed, record, moves)


# --- notations ---------------------------------------------------------------------------------


def _formats(fields: Fields) -> Report:
    """Write a board or a layout in the notation `to`. If `to` is `svg`, draw the board. With
    `layout` and `clicks`, write a log of the game. Without a board, a layout or clicks, list all
    notations."""
    if "clicks" in fields:
        return {"format": "log", "text": log_text(_clicked(fields))}
    if "layout" in fields:
        return _written_layout(fields)
    if "board" not in fields:
        fields.done()
        return {"formats": _all_formats()}
    board, to, theme = fields.board(), fields.text("to") or "line", fields.text("theme") or "light"
    fields.done()
    if to == "svg":
        return {"format": to, "text": _picture(board, theme)}
    return {"format": to, "text": board.to_text(to)}


def _written_layout(fields: Fields) -> Report:
    layout, first = fields.layout(), fields.cell("first")
    assert layout is not None  # `_formats` has checked that the field is there
    to = fields.text("to") or "line"
    fields.done()
    return {"format": to, "text": write_layout(layout, to, first)}


def _choices(fields: Fields) -> Report:
    """List the choices that the page offers, the default engine and agent, and how many cells a
    board, a game and a turn may have in a request."""
    fields.done()
    return {
        "levels": [{"name": name, **spec.to_json()} for name, spec in CLASSIC_LEVELS.items()],
        "clues": list(CLUE_MODELS),
        "grids": offered_grids(),
        "formats": _all_formats(),
        "backends": [
            {**backend_facts(name), "title": TITLES.get(name, name)} for name in backend_names()
        ],
        "titles": TITLES,
        "default_backend": defaults.BACKEND,
        "compared": _compared_engines(),
        "agents": list(PRESETS),
        "default_agent": defaults.AGENT,
        "grades": [{"name": known, "words": known.words} for known in Grade],
        "most": {"cells": MOST_CELLS, "played": MOST_PLAYED, "opened": MOST_OPENED},
    }


def _compared_engines() -> list[str]:
    """Return the names of the engines that the page compares: the engine of each grade, easiest
    grade first, then all other installed engines whose deductions do not come from a count."""
    others = [name for name in available_backends() if not backend_class(name).only_counts]
    return list(dict.fromkeys([*(grade.engine for grade in Grade), *others]))


def _all_formats() -> list[Report]:
    return [notation.to_json() for notation in all_notations().values()]


def _read(fields: Fields) -> Report:
    """Read what a person pasted or dropped: a `text`, or the `data` of a file in base64 with the
    `name` of the file. The field `kind` of the answer is `board`, `layout`, `recording` or
    `log`."""
    data, name = _given(fields)
    wanted, corrections = fields.text("format"), fields.corrections("corrections")
    fields.done()
    if isinstance(data, bytes) and is_picture(data):
        return _screenshot(data, corrections or [])
    if wanted is None and _is_log(data):
        return {"kind": "log", "format": "log"}
    if wanted is None and _is_graph(data):
        return _empty_board(data)
    contents = interpret(data, wanted, source=_source(name))
    if contents.board is None and contents.layout is not None and contents.first is None:
        checked_layout(contents.layout)
        return {"kind": "layout", "format": contents.notation, **contents.layout.to_json()}
    board = checked_size(board_of(contents, name))
    kind = "board" if contents.clicks is None else "recording"
    return {"kind": kind, "format": contents.notation, **board.to_json()}


def _screenshot(data: bytes, corrections: list[tuple[Cell, int]]) -> Report:
    """Read a screenshot. Marked cells count as hidden, because a player's marks may be wrong."""
    reading = read_picture(data, corrections=dict(corrections))
    board = checked_size(reading.board.without_marks())
    return {"kind": "board", "format": "screenshot", **reading.to_json(), **board.to_json()}


def _given(fields: Fields) -> tuple[str | bytes, str]:
    """Return the text or the bytes in a request, and the name of the file. Unpack gzipped bytes. If
    the request gives no name, as for pasted text, the name is `PASTED`. Raises BadRequest if the
    request gives both `text` and `data`, or neither."""
    text, data = fields.text("text", 4 * MOST_CELLS), fields.data("data", MOST_BYTES)
    name = fields.text("name", 300) or PASTED
    if text is not None and data is not None:
        raise BadRequest("give text or data, not both")
    if text is not None:
        return text, name
    if data is None:
        raise BadRequest("give text or data; both are missing")
    return load(BytesIO(data)), name


def _is_log(data: str | bytes) -> bool:
    """Whether the data begin like a log of `play --log`."""
    head = data[:40] if isinstance(data, str) else data[:40].decode("latin-1")
    return re.match(r'\s*\{\s*"game"\s*:', head) is not None


def _is_graph(data: str | bytes) -> bool:
    """Whether the data are the file of a graph: a JSON object with `cells` and `edges`."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and {"cells", "edges"} <= document.keys()


def _empty_board(graph: str | bytes) -> Report:
    """Return the report of a board on a graph, with all cells hidden. `graph` is the content of the
    file of the graph."""
    text = graph.decode(json.detect_encoding(graph)) if isinstance(graph, bytes) else graph
    geometry = graph_from_json(text)
    codes = np.full((geometry.rows, geometry.cols), HIDDEN, np.int8)
    board = checked_size(Board(codes, geometry=geometry))
    return {"kind": "board", "format": "graph", **board.to_json()}


def _grid(fields: Fields) -> Report:
    """Return the data that the page needs to draw a grid."""
    geometry = fields.grid()
    fields.done()
    return drawn_grid(geometry)


def _source(name: str) -> str:
    """Return the name that messages use for pasted or dropped data. This name is never a path. If
    it were a path, a board could name a graph file in the same folder, and the server would read
    that file."""
    return "<text>" if name == PASTED else f"the file {name}"


def _review(fields: Fields) -> Report:
    """Review a recording or a log, or the `clicks` of a person on a `layout`."""
    recording = _clicked(fields) if "clicks" in fields else _recorded(fields)
    size = recording.layout.mines.size
    require_at_most(size, MOST_REVIEWED, "a game to review", error=BadRequest)
    return {"kind": "review", **review(recording, precision=REVIEW_PRECISION).to_json()}


def _recorded(fields: Fields) -> Recording:
    data, name = _given(fields)
    fields.done()
    data = data.encode() if isinstance(data, str) else data
    found = parse_recording(data, _source(name), unfinished=True)
    return replace(found, name=name)


def _clicked(fields: Fields) -> Recording:
    layout, clicks = fields.layout(), fields.clicks("clicks")
    fields.done()
    return record(required("layout", layout), clicks or [], name="game on the page", player="you")


def _picture(board: Board, theme: str) -> str:
    try:
        return draw_analysis(_analyzed(board), theme=theme).to_svg()
    except Contradiction as error:
        conflict = error.conflict
    if conflict is None:
        raise BoardError("no layout fits, and the search found no conflict to draw")
    return draw_conflict(board, conflict, theme=theme).to_svg()


TASKS: dict[str, Callable[[Fields], Report]] = {
    "analyze": _analyze,
    "explain": _explain,
    "prospects": _prospects,
    "compare": _compare,
    "generate": _generate,
    "grade": _grade,
    "play": _play,
    "formats": _formats,
    "read": _read,
    "review": _review,
    "choices": _choices,
    "grid": _grid,
}
