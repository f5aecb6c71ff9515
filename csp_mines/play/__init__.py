"""Playing: the game, agents and what they know, help with a game that runs elsewhere.

The room shares its name with the function `csp_mines.play`, so the module can be called: it plays.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from inspect import Signature, signature
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    """This module, which plays a game when it is called; see `csp_mines.play.playing.play`."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self._play(*arguments, **options)

    @property
    def __signature__(self) -> Signature:
        """What `help` and editors show of the call."""
        return signature(self._play)

    @property
    def _play(self) -> Callable[..., Any]:
        played: Callable[..., Any] = import_module(f"{__name__}.playing").play
        return played


sys.modules[__name__].__class__ = _Callable
