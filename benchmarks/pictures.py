"""Read labelled screenshots and say how well.

    python benchmarks/pictures.py FOLDER          pictures listed in FOLDER/manifest.jsonl
    python benchmarks/pictures.py --looks 100     boards drawn in that many invented looks

Each line of the manifest has `file`, `program` and `rows`: `?` hidden, digits, `M` flag, `X`
opened mine. A silent error is a wrong cell that is not listed as unsure, or a wrong size without a
warning that the board may go on. Nothing in the reader is trained by program, so each program is
one that it has not seen.

The last table leaves one program out at a time: the confidence below which a cell is unsure is
chosen on all other programs, as the smallest one that leaves no wrong cell sure, and measured on
the program that was left out."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from csp_mines.errors import NoBoardInPicture
from csp_mines.screenshots import read_picture

Sample = tuple[str, str, object, list[str]]  # program, file, picture, rows


@dataclass
class Tally:
    """What happened to the pictures of one program."""

    pictures: int = 0
    refused: int = 0
    faultless: int = 0
    misshapen: int = 0
    silent_pictures: int = 0
    cells: int = 0
    right: int = 0
    silent: int = 0
    unsure: int = 0
    seconds: float = 0.0

    def add(self, other: Tally) -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def line(self, name: str) -> str:
        cells = max(self.cells, 1)
        return (
            f"{name:28.28} {self.pictures:4} {self.refused:4} {self.faultless:4} "
            f"{self.misshapen:4} "
            f"{self.right / cells:8.2%} {self.unsure / cells:8.2%} {self.silent:5} "
            f"{self.silent_pictures:4} {self.seconds / max(self.pictures, 1):7.2f}"
        )


HEADER = (
    f"{'program':28} {'pics':>4} {'ref':>4} {'ok':>4} {'size':>4} {'right':>8} {'unsure':>8} "
    f"{'wrong':>5} {'in':>4} {'s/pic':>7}\n"
    "ref: refused; ok: without an error; size: wrong size; wrong: cells wrong but sure, in so many "
    "pictures; s/pic: processor time"
)


def from_folder(folder: Path) -> Iterator[Sample]:
    for line in (folder / "manifest.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        yield entry["program"], entry["file"], folder / entry["file"], entry["rows"]


def from_looks(count: int, first: int, fonts: Path) -> Iterator[Sample]:
    from benchmarks.train_glyphs import fonts_below
    from tests.screenshots.looks import random_picture

    found = [path for path in fonts_below(fonts) if "Sans" in path]
    for seed in range(first, first + count):
        picture, rows, look = random_picture(seed, [None, *found])
        yield look.style, f"look {seed}, {look.cell:.1f} px", np.asarray(picture), rows


Judged = tuple[np.ndarray, np.ndarray]  # which cells of a picture are wrong, their confidence


def leave_one_out(judged: dict[str, list[Judged]]) -> None:
    """Print a table: the limit of confidence from all other programs, measured on each program."""
    print(f"{'left out':28} {'limit':>6} {'wrong and sure':>15} {'unsure':>8}")
    for program, own in sorted(judged.items()):
        others = [each for name, each_of in judged.items() if name != program for each in each_of]
        limit = max((float(sure[wrong].max()) for wrong, sure in others if wrong.any()), default=0)
        silent = sum(int((wrong & (sure > limit)).sum()) for wrong, sure in own)
        unsure = sum(int((sure <= limit).sum()) for _, sure in own)
        cells = sum(wrong.size for wrong, _ in own)
        print(f"{program:28.28} {limit:6.3f} {silent:15} {unsure / max(cells, 1):8.2%}")


def measured(
    picture: object, rows: list[str], judged: list[Judged] | None = None
) -> tuple[Tally, str]:
    begin = time.process_time()
    try:
        reading = read_picture(picture)  # type: ignore[arg-type]
    except NoBoardInPicture as error:
        return Tally(1, refused=1, seconds=time.process_time() - begin), f"refused: {error}"
    seconds = time.process_time() - begin
    symbols = {code: symbol for symbol, code in _symbols().items()}
    read = [[symbols[code] for code in row] for row in reading.board.codes.tolist()]
    unsure = set(reading.unsure)
    if (len(read), len(read[0])) != (len(rows), len(rows[0])):
        warned = bool(reading.open_sides)
        told = f"read {len(read)}×{len(read[0])}, not {len(rows)}×{len(rows[0])}"
        told += f"; warned: {', '.join(reading.open_sides) or 'no'}"
        return Tally(1, misshapen=1, silent_pictures=int(not warned), seconds=seconds), told
    wrong = [
        (r, c) for r, row in enumerate(rows) for c, want in enumerate(row) if read[r][c] != want
    ]
    silent = [cell for cell in wrong if cell not in unsure]
    if judged is not None:
        mask = np.zeros(reading.confidence.shape, bool)
        mask[tuple(np.array(wrong, int).reshape(-1, 2).T)] = True
        judged.append((mask, reading.confidence))
    cells = len(rows) * len(rows[0])
    tally = Tally(
        1, 0, int(not wrong), 0, int(bool(silent)), cells, cells - len(wrong), len(silent),
        len(unsure), seconds,
    )  # fmt: skip
    pairs = sorted({f"{rows[r][c]} as {read[r][c]}" for r, c in wrong})
    return (
        tally,
        f"{len(wrong)} wrong, {len(silent)} of them sure, {len(unsure)} unsure {pairs or ''}",
    )


def _symbols() -> dict[str, int]:
    return {**{str(n): n for n in range(9)}, "?": -1, "M": -2, "X": -3}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--looks", type=int, default=0, help="draw so many looks instead")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first look")
    parser.add_argument("--fonts", type=Path, default=Path("/usr/share/fonts"))
    options = parser.parse_args()
    if options.folder is None and not options.looks:
        parser.error("give a FOLDER or --looks N")
    samples = (
        from_folder(options.folder)
        if options.folder
        else from_looks(options.looks, options.first, options.fonts)
    )
    programs: dict[str, Tally] = {}
    everything = Tally()
    judged: dict[str, list[Judged]] = {}
    for program, name, picture, rows in samples:
        tally, told = measured(picture, rows, judged.setdefault(program, []))
        print(f"{name:24} {tally.seconds:5.2f} s  {told}", flush=True)
        programs.setdefault(program, Tally()).add(tally)
        everything.add(tally)
    print(HEADER)
    for program, tally in sorted(programs.items()):
        print(tally.line(program))
    print(everything.line("all"))
    leave_one_out(judged)


if __name__ == "__main__":
    main()
