"""Every cell of the example notebooks runs, and shows what is saved below it."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
SCRIPT = importlib.util.spec_from_file_location("run", NOTEBOOKS[0].parent / "run.py")
assert SCRIPT is not None
assert SCRIPT.loader is not None
run = importlib.util.module_from_spec(SCRIPT)
SCRIPT.loader.exec_module(run)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_shows_what_is_saved(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for cell, fresh in zip(cells, run.outputs(path), strict=True):
        saved = [output["data"] for output in cell.get("outputs", [])]
        shown = [output["data"] for output in fresh]
        assert [list(data) for data in saved] == [list(data) for data in shown]
        if "times" not in cell["metadata"].get("tags", []):
            assert texts(saved) == texts(shown), "".join(cell["source"])


def texts(outputs: list[dict[str, list[str]]]) -> list[list[str]]:
    """The texts and tables of outputs. Tests of pictures look at pictures."""
    return [lines for data in outputs for kind, lines in data.items() if kind != "image/svg+xml"]


def test_there_are_notebooks_with_pictures_and_tables() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["counting", "engines", "tour"]
    for path in NOTEBOOKS:
        text = path.read_text(encoding="utf-8")
        assert "image/svg+xml" in text
        assert "text/html" in text
