"""The project file, and the commands that install missing libraries."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from csp_mines import __version__, libraries
from csp_mines.libraries import install_command

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
FOR_DEVELOPERS = {"bench", "docs", "test"}


def named(requirements: list[str]) -> set[str]:
    """The extras of csp-mines that a list of requirements names."""
    lists = re.findall(r"csp-mines\[([\w,-]+)\]", " ".join(requirements))
    return {extra for listed in lists for extra in listed.split(",")}


def test_the_extra_all_names_every_extra() -> None:
    assert named(EXTRAS["all"]) == set(EXTRAS) - FOR_DEVELOPERS - {"all"}


def test_the_base_needs_what_the_user_chose_and_no_more() -> None:
    names = [re.split(r"[<>=; ]", requirement)[0] for requirement in PROJECT["dependencies"]]
    assert sorted(set(names) - {"filelock", "platformdirs"}) == [
        "numpy", "ortools", "python-sat", "rich", "typer",
    ]  # fmt: skip


def test_every_extra_that_a_message_names_is_declared() -> None:
    for folder in ("csp_mines", "solvers"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            assert named([text]) <= set(EXTRAS), path
            assert "pip install" not in text, f"{path}: use csp_mines.libraries"


def test_the_version_stands_in_one_file() -> None:
    assert "version" in PROJECT["dynamic"]
    versions = re.compile(rf"(?<![\d.]){re.escape(__version__)}(?![\d.])")
    files = [*ROOT.glob("*.toml"), *ROOT.glob("*.cff"), *ROOT.glob("csp_mines/**/*.py")]
    assert [path.name for path in files if versions.search(path.read_text("utf-8"))] == [
        "__init__.py"
    ]


@pytest.mark.parametrize(
    ("recorded", "place"),
    [
        (None, "csp-mines"),
        ({"url": "https://index/csp_mines.whl", "archive_info": {}}, "csp-mines"),
        ({"url": "file:///gone/with/the/clone", "dir_info": {}}, "csp-mines"),
        ({"url": "file:///gone/csp_mines.whl", "archive_info": {}}, "csp-mines"),
        ({"url": (ROOT / "LICENSE").as_uri(), "archive_info": {}}, "LICENSE"),
        ({"url": ROOT.as_uri(), "dir_info": {}}, "."),
        ({"url": ROOT.as_uri(), "dir_info": {"editable": True}}, "-e ."),
        ({"url": ROOT.parent.as_uri(), "dir_info": {}}, str(ROOT.parent)),
    ],
)
def test_the_command_installs_from_where_csp_mines_came_from(
    recorded: dict[str, object] | None, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = None if recorded is None else json.dumps(recorded)
    installed = SimpleNamespace(read_text={"direct_url.json": text}.get)
    monkeypatch.setattr("importlib.metadata.distribution", lambda _: installed)
    monkeypatch.setattr("shutil.which", lambda _: str(Path(sys.executable).with_name("pip")))
    monkeypatch.chdir(ROOT)
    flag, _, folder = place.rpartition(" ")
    wanted = f"{flag} '{folder}[web]'".strip()
    assert install_command("csp-mines[web]") == f"pip install {wanted}"
    assert install_command("ortools") == "pip install ortools"


def test_the_command_calls_the_pip_of_this_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: "/elsewhere/pip")
    monkeypatch.setattr(libraries.sys, "executable", str(tmp_path / ".venv" / "bin" / "python"))
    monkeypatch.chdir(tmp_path)
    assert install_command("ortools") == ".venv/bin/python -m pip install ortools"
    monkeypatch.chdir(ROOT)
    assert install_command("ortools") == f"{tmp_path}/.venv/bin/python -m pip install ortools"
