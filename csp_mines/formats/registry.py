"""All notations: every module of this room that has one, found by itself."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path

from csp_mines.arguments import text
from csp_mines.errors import UnknownName
from csp_mines.formats.notation import Notation

__all__ = ["all_notations", "notation"]


@cache
def all_notations() -> dict[str, Notation]:
    """Every notation by its name: the canonical one first, then by the alphabet."""
    found: list[Notation] = []
    for module in pkgutil.iter_modules([str(Path(__file__).parent)], f"{__package__}."):
        if module.name == __name__:
            continue
        loaded = import_module(module.name)
        found += getattr(loaded, "NOTATIONS", ())
        found += (
            [loaded.NOTATION] if isinstance(getattr(loaded, "NOTATION", None), Notation) else []
        )
    unique = {id(notation): notation for notation in found}.values()
    return {
        notation.name: notation
        for notation in sorted(
            unique, key=lambda notation: (notation.name != "canonical", notation.name)
        )
    }


def notation(name: str) -> Notation:
    """The notation of that name, or `name:…` where it takes more. Raises UnknownName."""
    base, colon, spec = text(name, "format").partition(":")
    found = all_notations().get(base)
    if found is None or (colon and found.configure is None):
        raise UnknownName("board format", name, list(all_notations()))
    return found if not colon or found.configure is None else found.configure(spec)
