"""The public interface: what `dir` lists, and whatever a public docstring or signature names."""

from __future__ import annotations

import builtins
import doctest
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import csp_mines
from csp_mines.backend import Capability, offered

PUBLIC: dict[str, Any] = {name: getattr(csp_mines, name) for name in csp_mines.__all__}
FUNCTIONS = [name for name, value in PUBLIC.items() if inspect.isfunction(value)]
PACKAGE = Path(csp_mines.__file__).parent
INTERNAL = {  # parts of the machinery that a caller neither makes nor needs
    "Capability", "Deadline", "Deduced", "Numbers", "PlanPart", "Posterior", "Rule", "Shape",
    "Tally",
}  # fmt: skip
RAISES = re.compile(r"Raises ([A-Z].*?)(?:\.\s|\.?$)", re.DOTALL)


@cache
def classes() -> dict[str, set[str]]:
    """The names of all classes of the package that are not private, with their modules."""
    found: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        if re.search(r"__main__|\.gym|\.(cli|web)\b", module):
            continue
        for name, value in vars(importlib.import_module(module)).items():
            ours = inspect.isclass(value) and value.__module__.startswith("csp_mines.")
            if ours and not name.startswith("_"):
                found.setdefault(name, set()).add(value.__module__)
    return found


def members(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A public value and, of a class, its public methods and properties."""
    yield name, value
    if inspect.isclass(value):
        for attribute, member in vars(value).items():
            if not attribute.startswith("_") or attribute == "__init__":
                yield f"{name}.{attribute}", getattr(member, "__func__", member)


def words_of(value: Any) -> Iterator[str]:
    """The words that a docstring quotes or says are raised, and those of annotations."""
    text = inspect.getdoc(value) or ""
    for quoted in [*re.findall(r"`([^`\n]+)`", text), *RAISES.findall(text)]:
        yield from re.findall(r"(?<![\w.:])[A-Z]\w+", quoted)
    function = value.fget if isinstance(value, property) else value
    function = getattr(function, "func", function)  # of a cached property
    for annotation in getattr(function, "__annotations__", {}).values():
        yield from re.findall(r"\w+", str(annotation))


def test_dir_lists_what_is_public() -> None:
    assert dir(csp_mines) == sorted(csp_mines.__all__)


@pytest.mark.parametrize("name", PUBLIC)
def test_what_a_public_name_mentions_is_public(name: str) -> None:
    hidden = {
        f"{place}: {word}"
        for place, value in members(name, PUBLIC[name])
        for word in words_of(value)
        if word in classes() and word not in PUBLIC and word not in INTERNAL
    }
    assert hidden == set()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_has_an_example(name: str) -> None:
    text = inspect.getdoc(PUBLIC[name]) or ""
    assert ">>>" in text
    assert "Raises" in text


def listed(text: str) -> set[str]:
    """The parameters that a docstring names: in quotes, or as `mines, clues: …` on a line."""
    lines = re.findall(r"^ +(\w+(?:, \w+)*): ", text, re.MULTILINE)
    return {*re.findall(r"`(\w+)`", text), *", ".join(lines).split(", ")}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_lists_its_parameters(name: str) -> None:
    parameters = inspect.signature(PUBLIC[name]).parameters
    assert set(parameters) - listed(inspect.getdoc(PUBLIC[name]) or "") == set()


CLASSES = [name for name, value in PUBLIC.items() if inspect.isclass(value)]


@pytest.mark.once
@pytest.mark.parametrize("name", CLASSES)
def test_every_method_tells_its_parameters_and_errors(name: str) -> None:
    """A method or property has a docstring. It mentions each parameter, and says "Raises" if the
    method itself raises an error."""
    missing = []
    for place, value in members(name, PUBLIC[name]):
        function = getattr(value, "func", getattr(value, "fget", value))
        if not inspect.isfunction(function) or place.endswith(".__init__"):
            continue
        text = inspect.getdoc(getattr(PUBLIC[name], function.__name__)) or ""
        text = inspect.getdoc(function) or text  # a property of a base class explains itself there
        parameters = set(inspect.signature(function).parameters) - {"self", "cls"}
        words = [word for word in parameters if not re.search(rf"\b{word.rstrip('s')}", text)]
        raised = re.search(r"^ +raise (?!NotImplemented)[A-Z]", inspect.getsource(function), re.M)
        if not text or words or (raised and "Raise" not in text):
            missing.append((place, words))
    assert missing == []


@pytest.mark.parametrize("name", PUBLIC)
def test_every_name_that_a_docstring_quotes_is_public(name: str) -> None:
    """Names of classes, such as `Budget`, and of constants, with quotes or without."""
    hidden = {
        f"{place}: {word}"
        for place, value in members(name, PUBLIC[name])
        for word in re.findall(
            r"(?<=`)[A-Z]\w+|(?<![\w.])[A-Z]+_[A-Z_]+", inspect.getdoc(value) or ""
        )
        if word not in PUBLIC and not hasattr(builtins, word)
    }
    assert hidden == set()


EXAMPLES = {
    place: text
    for name in PUBLIC
    for place, value in members(name, PUBLIC[name])
    if ">>>" in (text := inspect.getdoc(value) or "")
}


# Errors that no short program raises, and what only a picture gives.
WITHOUT_EXAMPLE = {
    "BackendUnavailable", "MissingLibrary", "NoBoardInPicture", "NotFound", "Reading",
    "RunFileExists", "SimulationError", "UnsoundDeduction", "WorkerError",
}  # fmt: skip


def test_every_function_and_class_has_an_example() -> None:
    shown = {place.split(".")[0] for place in EXAMPLES}
    lacking = {name for name in (*FUNCTIONS, *CLASSES) if name not in shown}
    assert lacking == WITHOUT_EXAMPLE


@pytest.mark.parametrize("place", EXAMPLES)
def test_examples_hold(place: str) -> None:
    if "compiled kernel." in EXAMPLES[place] and offered(Capability.WINNING) is None:
        pytest.skip("this example needs the compiled kernel")
    names = {"csp_mines": csp_mines}
    test = doctest.DocTestParser().get_doctest(EXAMPLES[place], names, place, None, None)
    failed: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=failed.append)
    if "compiled kernel" in "".join(failed) and offered(Capability.WINNING) is None:
        pytest.skip("this example needs the compiled kernel")
    assert failed == []
