"""The list of all notations, found in the modules of this package."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from pathlib import Path

from csp_mines.arguments import text
from csp_mines.errors import UnknownName
from csp_mines.formats.notation import Notation


@cache
def all_notations() -> dict[str, Notation]:
    """Return all notations by name: `canonical` is the first, the others follow alphabetically."""
    collected: dict[str, Notation] = {}
    for module in pkgutil.iter_modules([str(Path(__file__).parent)], f"{__package__}."):
        loaded = import_module(module.name)
        for each in (getattr(loaded, "NOTATION", None), *getattr(loaded, "NOTATIONS", ())):
            if each is not None:
                collected[each.name] = each
    names = ["canonical", *sorted(collected.keys() - {"canonical"})]
    return {name: collected[name] for name in names}


def notation(name: str) -> Notation:
    """Return the notation with this name. In a name such as `letters:.=?,x=0`, the text after the
    colon configures the notation `letters`. Raises UnknownName if there is no such notation, or if
    the notation does not accept the text after the colon. Raises InputError if `name` is not a
    string."""
    base, colon, spec = text(name, "format").partition(":")
    known = all_notations().get(base)
    if known is None or (colon and known.configure is None):
        raise UnknownName("board format", name, list(all_notations()))
    return known if not colon or known.configure is None else known.configure(spec)
