"""Reads pictures that the tests draw. benchmarks/pictures.py does the same for many more looks and
for screenshots of programs."""

from __future__ import annotations

import base64
import io
import json
import random
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

import csp_mines
from csp_mines.board import Cell
from csp_mines.cli.watching import changed_picture
from csp_mines.errors import BoardError, InputError, NoBoardInPicture, PictureTooBusy
from csp_mines.screenshots import SURE, read_picture
from csp_mines.screenshots import reading as steps
from csp_mines.screenshots.clock import Clock
from csp_mines.web.tasks import answer
from tests.cli.runner import run
from tests.screenshots import looks

ROWS = ["0001??", "0112??", "01M2??", "0111??", "0001??", "0001M?", "000111", "000000"]


def look(style: str = "bevel", cell: float = 20, **changes: object) -> looks.Look:
    rng = random.Random(5)
    values = {
        "cell": cell, "hidden": (190, 190, 190), "opened": (205, 205, 205), "style": style,
        "digit_colours": looks.CLASSIC, "line": (130, 130, 130), "around": (225, 225, 230),
        "digits": lambda digit, size: looks.text_mask(digit, size, 0.62, None),
        "flag": looks.flag_layers(rng, 96, 0.7), "mine": looks.mine_layers(rng, 96, 0.7),
        "question": (looks.text_mask("?", 96, 0.6, None), (0, 0, 0)),
    }  # fmt: skip
    return looks.Look(**{**values, **changes})  # type: ignore[arg-type]


def picture_of(rows: list[str], drawn: looks.Look | None = None, margin: int = 30) -> np.ndarray:
    board = (drawn or look()).board(rows)
    whole = Image.new("RGB", (board.width + 2 * margin, board.height + 2 * margin), (225, 225, 230))
    whole.paste(board, (margin, margin))
    return np.asarray(whole)


def as_rows(board: csp_mines.Board) -> list[str]:
    return str(board).split()[-board.rows :]


@pytest.mark.parametrize(
    ("style", "cell", "colours"),
    [
        ("bevel", 16, {}),
        ("bevel", 33.5, {}),
        ("gap", 24, {"hidden": (120, 140, 170)}),
        ("chequered", 28, {"hidden": (150, 200, 90), "opened": (225, 200, 160)}),
        ("flat", 22, {"hidden": (70, 75, 90), "opened": (30, 30, 36), "line": (55, 55, 60),
                      "digit_colours": [(235, 235, 235)] * 8}),
    ],
)  # fmt: skip
def test_looks_are_read(style: str, cell: float, colours: dict[str, object]) -> None:
    reading = read_picture(picture_of(ROWS, look(style, cell, **colours)))
    assert as_rows(reading.board) == ROWS
    assert reading.board.mines is None
    assert reading.confidence.shape == (8, 6)
    assert len(reading.columns) == 7


@pytest.mark.parametrize("seed", [3, 11, 13, 16, 164])
def test_no_cell_is_wrong_and_sure(seed: int) -> None:
    picture, rows, _ = looks.random_picture(seed)
    reading = read_picture(np.asarray(picture))
    read = as_rows(reading.board)
    assert [len(row) for row in read] == [len(row) for row in rows]
    sure = reading.confidence >= SURE
    wrong = np.array([list(row) for row in read]) != np.array([list(row) for row in rows])
    assert not (sure & wrong).any()


@pytest.mark.parametrize("suffix", ["png", "jpg", "webp", "bmp"])
def test_files_of_all_kinds(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"shot.{suffix}"
    Image.fromarray(picture_of(ROWS, look(cell=24))).save(path, quality=90)
    result = run("convert", path, "--to", "canonical")
    assert (result.status, result.out.split()) == (0, ROWS), result.err
    assert "a picture of a board of 8×6 cells" in result.err.replace("\n", " ")
    assert read_picture(path.read_bytes()).board == read_picture(path).board


def test_flags_count_as_hidden_when_solved(tmp_path: Path) -> None:
    path = tmp_path / "shot.png"
    Image.fromarray(picture_of([row.replace("M", "?") for row in ROWS])).save(path)
    flagged = tmp_path / "flagged.png"
    Image.fromarray(picture_of(ROWS)).save(flagged)
    found = [json.loads(run("solve", "--json", file).out) for file in (path, flagged)]
    assert found[0]["safe"] == found[1]["safe"]


def test_a_correction_teaches_all_tiles_alike() -> None:
    picture = picture_of(ROWS)
    cells = {(2, 3): 7}
    reading = read_picture(picture, corrections=cells)
    twos = list(read_picture(picture).board.cells(2))
    assert len(twos) == 2
    assert all(reading.board[cell] == 7 for cell in twos)
    with pytest.raises(csp_mines.BoardError, match="not on this 8×6 board"):
        read_picture(picture, corrections={(8, 0): 1})


def test_a_correction_must_be_a_code() -> None:
    for code, message in ((77, "77 is not a code for a cell"), ("x", "'x' is not a code")):
        with pytest.raises(BoardError, match=message):
            read_picture(picture_of(ROWS), corrections={(2, 3): code})  # type: ignore[dict-item]


def test_a_board_that_the_picture_cuts_off_is_not_certain_there() -> None:
    whole = picture_of(ROWS, look(cell=24), margin=0)
    reading = read_picture(whole[:, 15:])
    assert reading.board.cols == 5
    assert reading.open_sides == ("left",)
    assert {(row, 0) for row in range(8)} <= set(reading.unsure)
    assert "the board may go on at the left" in reading.note
    assert read_picture(whole).open_sides == ()


def test_hidden_tiles_beyond_the_board_are_told() -> None:
    """Nothing shows where a flat board without lines ends among its hidden tiles."""
    picture, rows, _ = looks.random_picture(242)
    reading = read_picture(np.asarray(picture))
    assert (reading.board.cols, len(rows[0])) == (18, 30)
    assert "right" in reading.open_sides


def test_thin_bevels_part_hidden_from_opened_tiles() -> None:
    grey = {"hidden": (216, 216, 204), "opened": (216, 216, 204), "line": (166, 166, 154)}
    rows = game(16, 16)
    reading = read_picture(picture_of(rows, look("bevel", 36, **grey, bevel=0.06)))
    assert as_rows(reading.board) == rows
    assert not reading.unsure


def test_a_frame_that_looks_like_tiles_is_not_read() -> None:
    board = look("gap", 24, hidden=(120, 140, 170), around=(90, 90, 95)).board(ROWS)
    window = Image.new("RGB", (board.width + 96, board.height + 144), (90, 90, 95))
    ImageDraw.Draw(window).rectangle(
        (20, 20, window.width - 20, window.height - 20), (122, 142, 172)
    )
    window.paste(board, (48, 48))
    reading = read_picture(np.asarray(window))
    assert as_rows(reading.board) == ROWS


@pytest.mark.parametrize(("style", "changes"), [("bevel", {}), ("flat", {"hidden": (70, 75, 90)})])
def test_a_board_with_one_number_is_read(style: str, changes: dict[str, object]) -> None:
    rows = ["?" * 9] * 4 + ["???2?????"] + ["?" * 9] * 4
    reading = read_picture(picture_of(rows, look(style, 24, **changes)))
    assert as_rows(reading.board) == rows
    assert not reading.unsure


def test_hidden_tiles_of_two_shades_are_not_flags() -> None:
    rows = ["0112M211", "1M2?2M10", "12?22110", "01110000", "11100111", "1?1001?1", "11100111"]
    drawn = look("chequered", 18, hidden=(167, 217, 72), opened=(238, 238, 238), tint=(25, 13, 15))
    assert as_rows(read_picture(picture_of(rows, drawn)).board) == rows


@pytest.mark.parametrize(("seed", "cell"), [(4, 35), (3, 24)])
def test_a_board_without_lines_is_read(seed: int, cell: int) -> None:
    rows = [row.replace("Q", "?") for row in looks.random_rows(random.Random(seed), 12, 12)]
    drawn = look("flat", cell, hidden=(140, 160, 190), opened=(240, 235, 225), line=None)
    reading = read_picture(picture_of(rows, drawn, margin=0))
    assert as_rows(reading.board) == rows


def resized(picture: np.ndarray, across: float, down: float) -> np.ndarray:
    size = round(picture.shape[1] * across), round(picture.shape[0] * down)
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BILINEAR))


def game(rows: int, cols: int, seed: int = 6) -> list[str]:
    return [row.replace("Q", "?") for row in looks.random_rows(random.Random(seed), rows, cols)]


def test_tiles_need_not_be_square() -> None:
    rows = game(9, 12)
    for across, down in ((1.7, 1), (1, 1.6)):
        whole = picture_of(rows)
        reading = read_picture(resized(whole, across, down))
        assert as_rows(reading.board) == rows
        # The lines are those of the picture that was given.
        assert np.diff(reading.columns).mean() == pytest.approx(20 * across, abs=0.3)
        assert np.diff(reading.rows).mean() == pytest.approx(20 * down, abs=0.3)


def test_a_picture_that_would_grow_too_large_is_not_stretched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    oblong = resized(picture_of(game(9, 12)), 1.7, 1)
    monkeypatch.setattr(steps, "_MOST_STRETCHED", oblong.size / 3)
    with pytest.raises(NoBoardInPicture):
        read_picture(oblong)


def test_a_search_in_a_stretched_picture_loses_no_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may run out of time. The board with square tiles, though poor, is the answer then."""
    rows = ["?" * 9] * 4 + ["????1????"] + ["?" * 9] * 4
    whole = picture_of(rows)
    expected = read_picture(whole)
    search, calls = steps._searched, []

    def late(pixels: np.ndarray, clock: Clock) -> object:
        calls.append(pixels.shape)
        if len(calls) > 1:
            raise PictureTooBusy("late")
        return search(pixels, clock)

    monkeypatch.setattr(steps, "height_of_tiles", lambda *_: 0.5)
    monkeypatch.setattr(steps, "_searched", late)
    assert as_rows(read_picture(whole).board) == as_rows(expected.board) == rows
    assert len(calls) == 2


def test_columns_of_two_widths_are_followed() -> None:
    rows = game(10, 24)
    whole = picture_of(rows, look("gap", 24, hidden=(120, 140, 170)))
    left = resized(whole[:, : 30 + 12 * 24], 1.035, 1)
    assert as_rows(read_picture(np.concatenate([left, whole[:, 30 + 12 * 24 :]], 1)).board) == rows


def test_a_chequered_board_keeps_its_rim_when_it_is_scaled() -> None:
    rows = game(10, 14)
    drawn = look(
        "chequered", 30, hidden=(141, 177, 69), opened=(188, 160, 131), tint=(6, 5, 6), line=None
    )
    reading = read_picture(resized(picture_of(rows, drawn, margin=0), 1.33, 1.33))
    assert as_rows(reading.board) == rows


def test_small_digits_on_large_tiles_are_told_apart() -> None:
    rows = game(10, 10)
    drawn = look(cell=66, digits=lambda digit, size: looks.text_mask(digit, size, 0.17, None))
    assert as_rows(read_picture(picture_of(rows, drawn)).board) == rows


def test_cells_filled_with_red_are_flags_while_mines_are_hidden() -> None:
    rows = game(12, 16)
    place, cell = 30, 20
    whole = picture_of([row.replace("M", "?") for row in rows]).copy()
    for r, row in enumerate(rows):
        for c in (c for c, symbol in enumerate(row) if symbol == "M"):
            top, left = place + r * cell, place + c * cell
            whole[top + 1 : top + cell - 1, left + 1 : left + cell - 1] = (255, 0, 0)
    assert as_rows(read_picture(whole).board) == rows
    red = next((r, row.index("M")) for r, row in enumerate(rows) if "M" in row)
    taught = read_picture(whole, corrections={red: csp_mines.board.EXPLODED}).board
    assert as_rows(taught) == [row.replace("M", "X") for row in rows]


def test_a_zero_may_lie_beside_a_hidden_cell() -> None:
    """Some programs open only the cells above, below and beside a zero."""
    rows = [
        "0001????????", "0001?1??????", "00011???????", "000001??????", "0000011111??",
        "000000000?1?", "000000000011", "000000000000",
    ]  # fmt: skip
    reading = read_picture(picture_of(rows))
    assert as_rows(reading.board) == rows
    assert len(reading.unsure) <= 5


def test_a_small_board_on_a_large_photo_is_read() -> None:
    rows = [row.replace("Q", "?") for row in looks.random_rows(random.Random(4), 16, 16)]
    coarse = np.random.default_rng(7).integers(0, 256, (20, 30, 3)).astype(np.uint8)
    desk = Image.fromarray(coarse).resize((2100, 1200), Image.Resampling.BICUBIC)
    board = Image.fromarray(picture_of(rows, look(cell=20)))
    desk.paste(board, (2100 - board.width - 31, 1200 - board.height - 17))
    assert as_rows(read_picture(np.asarray(desk)).board) == rows


def table(cells: dict[Cell, str]) -> np.ndarray:
    page = Image.new("RGB", (331, 331), "white")
    draw = ImageDraw.Draw(page)
    for row, col in np.ndindex(11, 11):
        draw.rectangle((col * 30, row * 30, col * 30 + 30, row * 30 + 30), outline=(170, 170, 170))
        draw.text((col * 30 + 10, row * 30 + 5), cells.get((row, col), ""), "black", font_size=18)
    return np.asarray(page)


def coloured_squares() -> np.ndarray:
    rng = random.Random(4)
    page = Image.new("RGB", (400, 400), "black")
    draw = ImageDraw.Draw(page)
    for row, col in np.ndindex(10, 10):
        fill = rng.choice(["#c00", "#0a0", "#00c", "#111", "#111", "#111"])
        draw.rectangle((col * 40, row * 40, col * 40 + 38, row * 40 + 38), fill, "grey")
    return np.asarray(page)


def chess() -> np.ndarray:
    squares = np.indices((8, 8)).sum(axis=0) % 2
    return np.repeat(np.repeat(np.where(squares, 90, 220), 40, 0), 40, 1).astype(np.uint8)


def spreadsheet() -> np.ndarray:
    sheet = Image.new("RGB", (640, 480), "white")
    draw = ImageDraw.Draw(sheet)
    for y in range(0, 480, 20):
        draw.line((0, y, 640, y), fill=(200, 200, 200))
        draw.text((6, y + 4), str(y * 7), fill="black")
    for x in range(0, 640, 80):
        draw.line((x, 0, x, 480), fill=(200, 200, 200))
    return np.asarray(sheet)


def crossword() -> np.ndarray:
    rng = random.Random(2)
    page = Image.new("RGB", (420, 420), "white")
    draw = ImageDraw.Draw(page)
    for number in range(169):
        x, y = 15 + number % 13 * 30, 15 + number // 13 * 30
        fill = "black" if rng.random() < 0.2 else "white"
        draw.rectangle((x, y, x + 30, y + 30), fill, "black")
        if fill == "white" and rng.random() < 0.5:
            draw.text((x + 9, y + 6), rng.choice("ABCDEFGHIKLMNOPRST"), "black", font_size=18)
    return np.asarray(page)


def photo() -> np.ndarray:
    """Soft shapes and grain, as a photo has."""
    coarse = np.random.default_rng(4).integers(0, 256, (18, 24, 3)).astype(np.uint8)
    soft = Image.fromarray(coarse).resize((480, 360), Image.Resampling.BICUBIC)
    grain = np.random.default_rng(5).normal(0, 5, (360, 480, 3))
    return np.clip(np.asarray(soft) + grain, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    "picture",
    [
        np.zeros((1, 1, 3), np.uint8),
        np.full((300, 400, 3), 200, np.uint8),
        np.random.default_rng(1).integers(0, 256, (300, 400, 3)).astype(np.uint8),
        chess(),
        spreadsheet(),
        crossword(),
        photo(),
        table({(2, 5): "1"}),
        coloured_squares(),
    ],
    ids=[
        "pixel",
        "empty",
        "noise",
        "chess",
        "spreadsheet",
        "crossword",
        "photo",
        "table",
        "squares",
    ],
)
def test_pictures_without_a_board_are_refused(picture: np.ndarray) -> None:
    with pytest.raises(NoBoardInPicture, match=r"^the picture shows"):
        read_picture(picture)


def png_header(width: int, height: int) -> bytes:
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = b"IDAT" + zlib.compress(bytes(1000))
    chunks = (
        struct.pack(">I", len(c) - 4) + c + struct.pack(">I", zlib.crc32(c)) for c in (header, data)
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def test_files_that_are_too_large_or_damaged_are_refused() -> None:
    with pytest.raises(NoBoardInPicture, match="pixels"):
        read_picture(png_header(100_000, 100_000))
    with pytest.raises(NoBoardInPicture, match="at most 64 million"):
        read_picture(png_header(10_000, 10_000))
    whole = io.BytesIO()
    Image.fromarray(picture_of(ROWS)).save(whole, "PNG")
    with pytest.raises(NoBoardInPicture, match="or is damaged"):
        read_picture(whole.getvalue()[: len(whole.getvalue()) // 2])
    with pytest.raises(InputError, match="uint8"):
        read_picture(np.zeros((9, 9)))
    with pytest.raises(InputError, match="a picture must be"):
        read_picture(7)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"an open file must be binary \(mode 'rb'\), not"):
        read_picture(io.StringIO())  # type: ignore[arg-type]


def test_the_page_reads_a_screenshot_and_learns_from_corrections() -> None:
    shot = io.BytesIO()
    Image.fromarray(picture_of(ROWS)).save(shot, "PNG")
    fields = {"data": base64.b64encode(shot.getvalue()).decode(), "name": "shot.png"}
    status, body = answer("read", json.dumps(fields).encode())
    report = json.loads(body)
    assert (status, report["kind"], report["format"]) == (200, "board", "screenshot")
    assert report["board"] == [row.replace("M", "?") for row in ROWS]
    assert (report["mines"], report["unsure"]) == (None, [])
    fields["corrections"] = [[[2, 3], 7]]  # type: ignore[assignment]
    report = json.loads(answer("read", json.dumps(fields).encode())[1])
    assert report["board"][1] == "0117??"


def test_a_watched_folder_gives_its_newest_picture(tmp_path: Path) -> None:
    assert changed_picture(tmp_path, None) is None
    (tmp_path / "notes.txt").write_text("no picture")
    (tmp_path / "one.png").write_bytes(b"1")
    first = changed_picture(tmp_path, None)
    assert first is not None
    assert first[0].name == "one.png"
    assert changed_picture(tmp_path, first) is None
    (tmp_path / "one.png").write_bytes(b"12")
    assert changed_picture(tmp_path, first) is not None
