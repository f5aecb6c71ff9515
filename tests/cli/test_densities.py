"""`csp-mines densities`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from csp_mines import Rules, density_plan
from csp_mines.cli import densities
from csp_mines.cli.gameplay import GameRules
from csp_mines.libraries import install_command
from csp_mines.simulation.results import Results
from tests.cli.runner import run

SMALL = ("densities", "--size", "6x6", "--workers", "1", "--games", "4", "-a", "disarm")


def test_the_default_rules_are_those_of_the_library() -> None:
    plan = density_plan(5, 5, [0.1], ["exact"], 1)
    assert GameRules().read() == Rules()
    assert densities.RULES.read() == plan.setups[0].rules


def test_a_table_by_density() -> None:
    result = run(*SMALL, "-a", "disarm-basic", "--densities", "0.1:0.3:0.1")
    assert (result.status, result.err) == (0, "")
    assert "average score" in result.out
    for text in ("disarm-basic", "0.111", "0.194", "0.306"):
        assert text in result.out


def test_json_by_density() -> None:
    result = run(*SMALL, "--densities", "0.1,0.2", "--json")
    report = json.loads(result.out)
    assert report["games"] == 8
    assert [place["mines"] for place in report["densities"]] == [4, 7]
    assert report["densities"][0]["density"] == pytest.approx(4 / 36)
    assert [agent["agent"] for agent in report["densities"][1]["agents"]] == ["disarm"]


def test_one_game_has_no_interval_of_its_score() -> None:
    arguments = (*SMALL[:-2], "-n", "1", "-a", "disarm", "--densities", "0.1")
    assert "…" not in run(*arguments).out
    assert "…" in run(*arguments, "--measure", "win-rate").out


def test_the_total_can_be_kept_from_agents() -> None:
    arguments = (
        "densities",
        "--size",
        "5x5",
        "-w",
        "1",
        "-n",
        "20",
        "--densities",
        "0.3",
        "--json",
    )
    told, untold = (json.loads(run(*arguments, *more).out) for more in ((), ("--not-told",)))
    scores = [result["densities"][0]["agents"][0]["score"] for result in (told, untold)]
    assert scores[0] > scores[1]


@pytest.mark.parametrize("measure", ["score", "win-rate"])
@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_plots(tmp_path: Path, suffix: str, measure: str) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / f"plot.{suffix}"
    result = run(*SMALL, "--densities", "0.1,0.2", "--measure", measure, "--plot", path)
    assert result.status == 0
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG" if suffix == "png" else b"<?xml")
    if suffix == "svg":
        assert b"disarm" in content
        again = tmp_path / "again.svg"
        run(*SMALL, "--densities", "0.1,0.2", "--measure", measure, "--plot", again)
        assert again.read_bytes() == content


def test_it_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path, other = tmp_path / "games.db", tmp_path / "other.db"
    arguments = ("densities", "--size", "6x6", "-w", "1", "-a", "disarm", "-d", "0.1,0.2")
    assert run(*arguments, "--games", "2", "--out", path).status == 0
    second = run(*arguments, "--games", "4", "--out", path, "--resume")
    assert second.out == run(*arguments, "--games", "4", "--out", other).out
    assert list(Results.read(path).rows()) == list(Results.read(other).rows())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--densities", "many"),
            "FIRST:LAST:STEP with at most 1,000 densities, not 'many'",
        ),
        (
            ("--densities", "0.1:0.2:0"),
            "--densities must be a list such as 0.1,0.2,0.3, or FIRST:LAST:STEP",
        ),
        (
            ("--densities", "0.1:0.2:1e-9"),
            "--densities must be a list such as 0.1,0.2,0.3, or FIRST:LAST:STEP",
        ),
        (
            ("--densities", "0.1:inf:0.1"),
            "--densities must be a list such as 0.1,0.2,0.3, or FIRST:LAST:STEP",
        ),
        (("--densities", "nan"), "must be a number greater than 0 and less than 1, not nan"),
        (("--densities", "1.5"), "must be a number greater than 0 and less than 1, not 1.5"),
        (("--measure", "luck"), "unknown measure 'luck'; known: score, win-rate"),
        (("--plot", "curves.pdf"), "a plot must be a .png or .svg file, not curves.pdf"),
        (("--plot", "/missing/curves.svg"), "/missing/curves.svg: cannot be written"),
        (("--size", "6"), "--size must be rows x columns"),
    ],
)
def test_mistakes_are_found_before_anything_is_played(
    arguments: tuple[str, ...], message: str
) -> None:
    result = run("densities", *arguments)
    assert (result.status, result.out) == (2, "")
    assert message in result.err
    assert result.err.count("\n") == 1


def test_without_matplotlib_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run(*SMALL, "--plot", tmp_path / "curves.svg")
    assert result.status == 2
    assert f"plots need matplotlib: {install_command('csp-mines[plots]')}" in result.err


def test_the_old_word_is_still_understood() -> None:
    """`sweep` was this command's name; it is that of a rule."""
    arguments = (*SMALL[1:], "--densities", "0.3", "--seed", "2")
    assert run("sweep", *arguments) == run("densities", *arguments)
    assert "csp-mines sweep" in run("sweep", "--nope").err
    assert "\n  sweep" not in run("--help").out
