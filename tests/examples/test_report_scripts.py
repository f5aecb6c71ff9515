"""Each report script runs, gives its tables, and fills its sections of the page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "examples" / "reports").glob("report*.py"))
PAGE = ROOT / "docs" / "reports.md"


def test_there_is_one_for_each_report() -> None:
    assert [script.name for script in SCRIPTS] == [f"report{number}.py" for number in range(5)]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_fills_its_sections(script: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    page = tmp_path / "reports.md"
    page.write_text(PAGE.read_text())
    quick = [sys.executable, script, "--quick", "--cache", tmp_path / "cache"]
    before_run = _tracked()
    done = subprocess.run(
        [*quick, "--into", page], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert _tracked() == before_run  # with another page, the page of the docs keeps its pictures
    before, after = _sections(PAGE.read_text()), _sections(page.read_text())
    assert list(after) == list(before)
    number = script.stem.removeprefix("report")
    for name, text in after.items():
        assert (text != before[name]) == name.startswith(f"report {number},")
        assert "exact" in text
    pictures = re.findall(r"!\[[^]]*\]\(([^)]*)\)", page.read_text())
    assert all(
        (PAGE.parent / picture).exists() or (tmp_path / picture).exists() for picture in pictures
    )


def _tracked() -> dict[Path, bytes]:
    """The page of the docs and its pictures, which no script may touch unless it is told to."""
    paths = [PAGE, *(ROOT / "docs" / "reports").iterdir(), *(ROOT / "docs" / "pictures").iterdir()]
    return {path: path.read_bytes() for path in paths}


def test_without_a_page_the_pictures_go_to_the_games(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    before = _tracked()
    command = [sys.executable, SCRIPTS[1], "--quick", "--games", "1", "--cache", tmp_path]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True, timeout=600)
    assert (tmp_path / "report1-densities.svg").exists()
    assert _tracked() == before


def _sections(page: str) -> dict[str, str]:
    return dict(re.findall(r"<!-- ([^:]*): begin -->\n(.*?)<!-- \1: end -->\n", page, re.DOTALL))


@pytest.mark.parametrize("script", SCRIPTS[:3], ids=lambda script: script.stem)
def test_without_matplotlib_it_says_so_before_it_plays(script: Path, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['matplotlib'] = None\n")
    done = subprocess.run(
        [sys.executable, script, "--quick", "--cache", "cache", "--plots", "plots"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("plots need matplotlib: ")
    assert "[plots]" in done.stderr
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("agent", ["ba", "aa", "ec", "ex"])
def test_report_2_plays_one_game(agent: str) -> None:
    command = [sys.executable, SCRIPTS[2], "8", "0.15", agent]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("8×8 with 10 mines, agent ")


def test_report_2_refuses_an_unknown_agent() -> None:
    command = [sys.executable, SCRIPTS[2], "8", "0.15", "zz"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 2
    assert "one game is a dimension, a density and one of ba, aa, ec, ex" in done.stderr
