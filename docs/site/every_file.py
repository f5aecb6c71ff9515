"""Write the section "Every file" of docs/architecture.md: `make map` does it.

The line of a module is the first sentence of its docstring. The line of a folder of the kernel is
its row in the README of the kernel, without the names of files in parentheses. The rooms have the
order of the table of rooms."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples" / "reports"))
PAGE = ROOT / "docs" / "architecture.md"
NAME = "every file"
KERNEL = "solvers/native/kernel/"
OUTSIDE = ("benchmarks/", "docs/site/")  # folders of scripts outside the packages
SENTENCE = re.compile(r"(.+?)\.(?=\s+[-A-Z`]|\s*$)")  # a dot inside `1 . 1` ends no sentence


def section() -> str:
    """The section, made from the code as it is now."""
    return "\n".join(f"### `{folder}`\n\n{table(folder)}" for folder in folders())


def folders() -> list[str]:
    """All folders of the list: first the rooms, in the order of the table of rooms.
    Raises SystemExit if a module at the top of csp_mines or a sub-package has no row."""
    rooms = PAGE.read_text(encoding="utf-8").partition("## Where a change goes")[0]
    rows = re.findall(r"^\| ((?:`[\w/]+` ?)+) \|", rooms, re.MULTILINE)
    named = re.findall(r"`([\w/]+)`", " ".join(rows))
    inside = [f"csp_mines/{name}" for name in named]
    top = [path.stem for path in ROOT.glob("csp_mines/*.py") if not path.stem.startswith("__")]
    below = [f"{path.parent.name}/" for path in ROOT.glob("csp_mines/*/__init__.py")]
    missing = sorted({*top, *below} - set(named))
    if missing:
        raise SystemExit(f"{PAGE.name} names no room for {', '.join(missing)}")
    packages = [name for name in inside if name.endswith("/") and (ROOT / name).is_dir()]
    return ["csp_mines/", *packages, "solvers/", "solvers/native/", KERNEL, *OUTSIDE]


def table(folder: str) -> str:
    """The files of a folder, or the folders of the kernel, each with what it does."""
    rows = kernel_rows() if folder == KERNEL else module_rows(folder)
    lines = [f"| `{name}` | {text} |" for name, text in rows]
    kind = "folder" if folder == KERNEL else "file"
    return "\n".join([f"| {kind} | what it does |", "|---|---|", *lines]) + "\n"


def module_rows(folder: str) -> Iterator[tuple[str, str]]:
    stubs = (ROOT / folder).glob("__init__.pyi")  # lists the public names
    for path in sorted([*(ROOT / folder).glob("*.py"), *stubs]):
        yield path.name, first_sentence(path)


def first_sentence(path: Path) -> str:
    """The first sentence of the docstring of a module, without its full stop."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    found = SENTENCE.match(" ".join(text.partition("\n\n")[0].split()))
    if found is None:
        raise SystemExit(f"{path.relative_to(ROOT)} has no docstring that begins with a sentence")
    return found[1].replace("|", "\\|")


def kernel_rows() -> Iterator[tuple[str, str]]:
    text = (ROOT / KERNEL / "README.md").read_text(encoding="utf-8")
    for name, contents in re.findall(r"^\| `(\w+/)` \| (.*) \|$", text, re.MULTILINE):
        yield name, re.sub(r" \([^)]*\)", "", contents)


if __name__ == "__main__":
    from rebuild import replace_section

    replace_section(PAGE, NAME, section())
