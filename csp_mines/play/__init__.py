"""Playing: the game, agents and what they know, help with a game that runs elsewhere.

The room shares its name with the function `csp_mines.play`, so the module can be called: it plays.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    """This module, which plays a game when it is called; see `csp_mines.play.playing.play`."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return import_module(f"{__name__}.playing").play(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
