"""Write the pages that come from the code: the API, commands, notations, agents and notebooks.

`write` puts them below docs/reference, which is not under version control."""

from __future__ import annotations

import inspect
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from names import public

import csp_mines
from csp_mines.cli import COMMANDS, app_for
from csp_mines.formats import all_notations

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "reference"

# Each topic of the API reference: its title, what it is about, and the modules whose names it has.
TOPICS = {
    "boards": (
        "Boards and layouts",
        "What a player sees, and what is hidden.",
        ("board", "layout", "clues", "geometry", "grids"),
    ),
    "analysis": (
        "Analysis",
        "What follows from a board: certain cells, risks, the move.",
        ("analysis", "question", "sampling"),
    ),
    "winning": (
        "Win chances",
        "The cell that wins most games, and how often it wins.",
        ("analysis.winning", "games.playouts"),
    ),
    "explanations": (
        "Explanations",
        "Why a cell is safe or a mine, and which clues contradict each other.",
        ("explanation", "analysis.conflict"),
    ),
    "engines": (
        "Engines, constraints and problems",
        "The contract of the engines, what they are given, and how they compare.",
        ("backend", "constraints", "analysis.problems", "analysis.comparison", "formats"),
    ),
    "games": (
        "Games and agents",
        "A game, its rules, the agents that play it, and agents of your own.",
        ("games",),
    ),
    "reviews": (
        "Reviews",
        "How good each move of a recorded game was.",
        ("reviews",),
    ),
    "screenshots": (
        "Screenshots",
        "Boards from pictures of games.",
        ("screenshots",),
    ),
    "simulation": (
        "Simulation and results",
        "Many games of several agents on the same layouts, and their statistics.",
        ("simulation",),
    ),
    "generation": (
        "Generation and grades",
        "Games without a guess, puzzles, certificates, and how hard a layout is.",
        ("generation", "analysis.grades"),
    ),
    "exports": (
        "Exports and proofs",
        "The constraints of a board for other solvers, and proofs for proof checkers.",
        ("exports",),
    ),
    "pictures": (
        "Pictures",
        "Boards, analyses, explanations and comparisons as SVG or PNG.",
        ("pictures",),
    ),
    "errors": (
        "Errors",
        "Every error that csp-mines raises on purpose is a `CspMinesError`.",
        ("errors",),
    ),
}


def pages() -> dict[str, str]:
    """The text of every generated page, by its path below docs/reference."""
    return {
        **{f"api/{name}.md": text for name, text in api_pages().items()},
        **{f"commands/{name}.md": command_page(name) for name in COMMANDS},
        "notations.md": notations_page(),
        **{f"notebooks/{path.stem}.md": notebook_page(path) for path in notebooks()},
    }


def write() -> None:
    """Write every page. Pages that did not change keep their time, so Sphinx does not read them
    again."""
    made = {FOLDER / path: text for path, text in pages().items()}
    for path in FOLDER.rglob("*.md"):
        if path not in made:
            path.unlink()
    for path, text in made.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def remove() -> None:
    """Remove what `write` wrote."""
    shutil.rmtree(FOLDER, ignore_errors=True)


# The list of pages


def listed(text: str) -> list[str]:
    """The pages that the toctrees of a text list."""
    blocks = re.findall(r"^```\{toctree\}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    lines = [line for block in blocks for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith(":")]


def with_every_page(text: str) -> str:
    """The front page of the site, with the pages that it does not list added to *How to*."""
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index", *listed(text)}
    head, begin, rest = text.partition(":caption: How to\n")
    block, end, tail = rest.partition("```")
    return "".join([head, begin, block, *(f"{page}\n" for page in sorted(pages)), end, tail])


# The API


def topic_of(module: str) -> str:
    """The topic with the longest entry that a module belongs to; a new room is its own topic."""
    parts = module.removeprefix("csp_mines.").split(".")
    for length in range(len(parts), 0, -1):
        for topic, (_, _, modules) in TOPICS.items():
            if ".".join(parts[:length]) in modules:
                return topic
    return parts[0]


def names_by_topic() -> dict[str, list[str]]:
    """The public names of each topic."""
    listed = Path(csp_mines.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    found: dict[str, list[str]] = {topic: [] for topic in TOPICS}
    for module, name in re.findall(r"^from (\S+) import (\w+) as \2$", listed, re.MULTILINE):
        found.setdefault(topic_of(module), []).append(name)
    return {topic: sorted(names, key=_order) for topic, names in found.items()}


def _order(name: str) -> tuple[int, str]:
    """Functions first, then classes, then constants and types."""
    value = public()[name]
    kind = 0 if inspect.isfunction(value) else 1 if inspect.isclass(value) else 2
    return kind, name.lower()


def api_pages() -> dict[str, str]:
    return {topic: "".join(_api_page(topic, names)) for topic, names in names_by_topic().items()}


def _api_page(topic: str, names: list[str]) -> Iterator[str]:
    title, about, _ = TOPICS.get(topic, (topic.capitalize(), "", ()))
    yield f"# API: {title}\n\n{about}\n\n| name | |\n|---|---|\n"
    for name in names:
        yield f"| [`{name}`](#csp_mines.{name}) | {_summary(public()[name])} |\n"
    for name in names:
        yield f"\n## {name}\n\n```{{eval-rst}}\n{_directive(name, public()[name])}```\n"


def _summary(value: Any) -> str:
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return "a constant" if isinstance(value, dict) else "a type"
    first = (inspect.getdoc(value) or "").partition("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=[.:;])\s", first)[0].rstrip(".:;").replace("|", "\\|")


def _directive(name: str, value: Any) -> str:
    path = f"csp_mines.{name}"
    if inspect.isclass(value):
        options = "   :members:\n   :undoc-members:\n"
        if issubclass(value, BaseException):
            options += "   :show-inheritance:\n"
        return f".. autoclass:: {path}\n{options}"
    if inspect.isroutine(value):
        return f".. autofunction:: {path}\n"
    keys = ", ".join(f"``{key}``" for key in value) if isinstance(value, dict) else ""
    shown = f"   A dictionary with the keys {keys}.\n" if keys else f"   ``{value}``\n"
    return f".. py:data:: {path}\n\n{shown}"


# The commands


def command_page(name: str) -> str:
    """The help of a command as a page."""
    command: Any = app_for([name]).commands[name]
    context = typer.Context(
        command, info_name=f"csp-mines {name}", help_option_names=["-h", "--help"]
    )
    usage = " ".join(command.collect_usage_pieces(context))
    parts = [f"# csp-mines {name}\n", f"{COMMANDS[name]}\n"]
    parts.append(f"```text\ncsp-mines {name} {usage}\n```\n")
    parts += [_paragraph(part) for part in _paragraphs(command.help)[1:]]
    for title, kind in (("Arguments", "argument"), ("Options", "option")):
        rows = [
            _row(param, context)
            for param in command.get_params(context)
            if param.param_type_name == kind and not getattr(param, "hidden", False)
        ]
        if rows:
            parts.append(
                f"## {title}\n\n| {kind} | meaning |\n|---|---|\n" + "\n".join(rows) + "\n"
            )
    return "\n".join(parts)


def _paragraphs(text: str) -> list[str]:
    return [part for part in inspect.cleandoc(text).split("\n\n") if part.strip("\b\n ")]


def _paragraph(text: str) -> str:
    lines = [line.strip() for line in text.replace("\b", "").strip().splitlines()]
    if all(line.startswith("csp-mines ") for line in lines):
        return "For example:\n\n```text\n" + "\n".join(lines) + "\n```\n"
    return _escaped("\n".join(lines)) + "\n"


def _row(param: Any, context: Any) -> str:
    record = param.get_help_record(context) or (param.human_readable_name, "")
    names, text = (re.sub(r"\s+", " ", part).strip() for part in record)
    cell = re.sub(r"(, | / )", r"`\1`", names.replace("|", "\\|"))  # a line breaks between names
    return f"| `{cell}` | {_escaped(text)} |"


def _escaped(text: str) -> str:
    return re.sub(r"([<>*_\[\]|~])", r"\\\1", text)


# The notations


def notations_page() -> str:
    parts = [
        "# Every notation\n",
        "csp-mines reads and writes these notations. `csp-mines formats` prints the same list. "
        "[Reading and writing boards](../formats.md) says how a notation is recognised.\n",
    ]
    for notation in all_notations().values():
        parts.append(f"## {notation.name}\n\n{_escaped(notation.about)}\n")
        parts.append(f"Written: {notation.says}.\n")
        if notation.example.strip():
            parts.append(f"```text\n{notation.example.rstrip()}\n```\n")
    return "\n".join(parts)


# The notebooks


def notebooks() -> list[Path]:
    return sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def notebook_page(path: Path) -> str:
    """A notebook as a page, with its saved output. Nothing is run."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join(part for cell in cells for part in _cell(cell)) + "\n"


def _cell(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"]).replace("](../../docs/", "](../../")
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        data = output.get("data", {})
        shown = data.get("image/svg+xml") or data.get("text/html")
        if shown:
            yield _raw("".join(shown))
        else:
            text = "".join(output.get("text") or data["text/plain"])
            yield f"```text\n{text.rstrip()}\n```"


def _raw(html: str) -> str:
    return f'```{{raw}} html\n<div class="output">{html}</div>\n```'
