"""The documentation site: its generated pages are complete, its pages are listed, and what pages
name exists. `make docs` builds the site itself, which takes too long for the suite."""

from __future__ import annotations

import re
import shlex
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

import csp_mines
from csp_mines.cli import COMMANDS, app_for
from csp_mines.formats import all_notations
from tests.examples.test_readme import PAGES, ROOT

sys.path.insert(0, str(ROOT / "docs" / "site"))

sys.path.append(str(ROOT / "benchmarks"))  # last: benchmarks/exact.py is not the solver exact

import every_file
import figures
import generated
import names

DOCS = ROOT / "docs"
FENCED = re.compile(r"^( *)```.*?^\1```$", re.DOTALL | re.MULTILINE)
# What the pages name that belongs to other programs, to mathematics or to the page's JavaScript.
ELSEWHERE = re.compile(r"(C|render|reset|env\.[\w.]+)(\(.*\))?")


def test_every_public_name_is_on_one_page_of_the_reference() -> None:
    text = "".join(generated.api_pages().values())
    shown = re.findall(r"^\.\. (?:autoclass|autofunction|py:data):: csp_mines\.(\w+)$", text, re.M)
    assert sorted(shown) == sorted(set(csp_mines.__all__) - {"__version__"})


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_on_its_page(name: str) -> None:
    page = generated.command_page(name)
    assert page.startswith(f"# csp-mines {name}\n")
    for param in app_for([name]).commands[name].params:
        assert all(
            option in page for option in (*param.opts, *param.secondary_opts)[:1] if "-" in option
        )


def test_every_notation_has_its_section() -> None:
    sections = re.findall(r"^## (.*)$", generated.notations_page(), re.MULTILINE)
    assert sections == list(all_notations())


def test_the_site_lists_every_page_once() -> None:
    front = (DOCS / "index.md").read_text()
    others = [page.read_text() for page in PAGES[1:] if page.name != "index.md"]
    listed = generated.listed("\n".join([generated.with_every_page(front), *others]))
    written = {page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES[1:]}
    notebooks = {f"reference/notebooks/{path.stem}" for path in generated.notebooks()}
    made = {"reference/api/*", "reference/commands/*", "reference/notations", *notebooks}
    assert sorted(listed) == sorted({*written, *made} - {"index"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_of_the_api_exist(page: Path) -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    quoted = re.findall(r"`([^`\n]+)`", FENCED.sub("", page.read_text()))
    unknown = [text for text in quoted if names.unknown(text) and text not in groups]
    assert [text for text in unknown if not ELSEWHERE.fullmatch(text)] == []


def test_a_name_that_does_not_exist_is_noticed() -> None:
    for text in ("csp_mines.analyse", "Game.undo", "Game.open_all(cell)", "simulate_all(plan)"):
        assert names.unknown(text)
    for text in ("Game.open(cell)", "analyze(board).move", "csp_mines.formats.split(text)", "a.md"):
        assert not names.unknown(text)
    assert names.target("Game.open(cell)") == "csp_mines.Game.open"
    assert names.target("grade") is None


def shown_commands(page: Path) -> list[str]:
    """The command lines of a page that are shown but not run, because they take long."""
    plain = re.findall(r"^ {4}((?:csp-mines|python) .*)$", FENCED.sub("", page.read_text()), re.M)
    fenced = re.findall(
        r"^```(?:text)?\n((?:csp-mines|python) .*?)```$", page.read_text(), re.DOTALL | re.M
    )
    return [*plain, *(line for block in fenced for line in block.splitlines())]


@pytest.mark.parametrize("page", list(filter(shown_commands, PAGES)), ids=lambda page: page.name)
def test_commands_that_take_long_are_accepted(page: Path) -> None:
    for line in shown_commands(page):
        program, *words = shlex.split(re.split(r" [|>] | #", line)[0])
        if program == "csp-mines":
            app_for(words).commands[words[0]].make_context(words[0], words[1:])
        elif words[0] != "-m":
            script = (ROOT / words[0]).read_text()
            for word in words[1:]:
                assert not word.startswith("--") or f'"{word}"' in script, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_in_the_text_exist(page: Path) -> None:
    """`simulate --resume` names an option of a command, `--json` one of some command."""
    for text in re.findall(r"`([^`\n]+)`", FENCED.sub("", page.read_text())):
        words = text.removeprefix("csp-mines ").split()
        wanted = [word.partition("=")[0] for word in words if re.match(r"--[a-z]", word)]
        if words and words[0] in COMMANDS:
            assert set(wanted) <= options(words[0]), f"{page.name}: {text}"
        elif words and words[0] in wanted:
            assert set(wanted) <= everywhere() | OTHERS, f"{page.name}: {text}"


OTHERS = {
    "--only",
    "--verify",
    "--check",
    "--promise",
    "--problems",
    "--games",
    "--quick",
    "--into",
}
"""Options of scripts, which the pages name beside the script."""


@cache
def options(command: str) -> set[str]:
    params = app_for([command]).commands[command].params
    return {"--help", *(name for param in params for name in (*param.opts, *param.secondary_opts))}


@cache
def everywhere() -> set[str]:
    return {"--version", "--install-completion", "--show-completion"}.union(*map(options, COMMANDS))


def test_the_extras_are_listed() -> None:
    text = (DOCS / "installing.md").read_text()
    listed = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert listed == set(project["optional-dependencies"]) - {"test", "bench", "docs"}


def test_every_figure_has_its_section_and_its_script() -> None:
    for figure in figures.FIGURES:
        assert figures.section(figure.name).strip(), figure.name
        script, *words = figure.command.split()
        text = (ROOT / script).read_text()
        assert all(f'"{word}"' in text for word in words if word.startswith("--"))
    marked = re.findall(r"<!-- (.*?): begin -->", "".join(page.read_text() for page in PAGES))
    reports = [name for name in marked if name.startswith("report ")]
    known = [*reports, *(figure.name for figure in (*figures.FIGURES, figures.FRONT))]
    assert sorted(marked) == sorted([*known, every_file.NAME])
    assert figures.front() in (ROOT / "README.md").read_text()


KINDS = {"", "console", "python", "json", "toml", "text", "{toctree}"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_are_of_a_known_kind(page: Path) -> None:
    """Python and commands are in blocks that test_readme runs."""
    fences = re.findall(r"^ *```(.*)$", page.read_text(), re.MULTILINE)
    assert {re.sub(r" (\w+\.(py|txt)|compiled)$", "", kind) for kind in fences[::2]} <= KINDS
    assert set(fences[1::2]) <= {""}
