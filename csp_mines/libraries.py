"""Optional libraries: the error for a missing library, and the command that installs a library."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from csp_mines.errors import MissingLibrary

NAME = "csp-mines"


def missing(need: str, requirement: str) -> MissingLibrary:
    """Return the error for a missing library. Its message is `need`, such as `plots need
    matplotlib`, and the command that installs `requirement`."""
    return MissingLibrary(f"{need}: {install_command(requirement)}")


@contextmanager
def needed(need: str, requirement: str) -> Iterator[None]:
    """Raise MissingLibrary, as `missing` says, if an import in the `with` block fails."""
    try:
        yield
    except ImportError:
        raise missing(need, requirement) from None


def install_command(requirement: str) -> str:
    """Return the command that installs `requirement`, such as `ortools` or `csp-mines[web]`, for
    the running Python. For csp-mines itself, the command names the folder or the file that
    csp-mines was installed from, if there is one."""
    import shlex

    words = [requirement]
    name, bracket, extra = requirement.partition("[")
    origin, editable = _origin() if name == NAME else (None, False)
    if origin is not None:
        words = ["-e"] * editable + [f"{_short(origin)}{bracket}{extra}"]
    return shlex.join([*_pip(), "install", *words])


def _origin() -> tuple[Path | None, bool]:
    """Return the folder or the file (such as a wheel) that csp-mines was installed from, and
    whether the install is editable. The installer records both (PEP 610). Return None and False if
    csp-mines was not installed from such a place, or if the place no longer exists."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution
    from urllib.parse import urlsplit
    from urllib.request import url2pathname  # this import takes 20 ms, and only errors need it

    try:
        recorded = distribution(NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        recorded = None
    origin = json.loads(recorded or "{}")
    address = urlsplit(origin.get("url", ""))
    place = Path(url2pathname(address.path))
    if address.scheme != "file" or not place.exists():
        return None, False
    return place, bool(origin.get("dir_info", {}).get("editable"))


def _pip() -> list[str]:
    """Return the words that run the pip of the running Python: `pip` if the shell finds a `pip` in
    the folder of this Python, otherwise `PYTHON -m pip`."""
    from shutil import which

    python = Path(sys.executable)
    found = which("pip")
    if found is not None and Path(found).parent == python.parent:
        return ["pip"]
    return [_short(python), "-m", "pip"]


def _short(path: Path) -> str:
    """Return a path as text. If the path is inside the current folder, the text is relative to that
    folder."""
    try:
        inside = path.relative_to(Path.cwd())
    except (OSError, ValueError):  # the current folder is gone, or the path is not inside it
        return str(path)
    return "." if inside == Path() else os.fspath(inside)
