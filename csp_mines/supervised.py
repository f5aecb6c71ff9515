"""Supervised engines: how their time limits are enforced, and how their defects are reported.

`supervised` returns a subclass of the class of an engine:

* If the engine is from another package, the methods of the subclass report every unexpected
  exception and every wrong answer as a defect of the engine, not of csp_mines.
* If there is a time limit, `deduce`, `simplify`, `count` and `layouts` of the subclass run in a
  process apart. csp_mines ends this process if no answer comes soon after the limit.

An engine of csp_mines needs no subclass if it has no time limit, or if it promises to keep the
limit by itself (`keeps_time`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from math import inf
from traceback import extract_tb
from typing import Any

from csp_mines import apart
from csp_mines.errors import CspMinesError, EngineFault, OutOfTime
from csp_mines.words import error_text

# A judge gets the name of a method, the arguments of a call and the answer. It returns a text that
# says what is wrong with the answer, or None if nothing is wrong.
Judge = Callable[[str, tuple[Any, ...], Any], str | None]

PROMISED_SECONDS = 3.0  # how long after the limit an engine with `keeps_time` may still answer

# Engines whose process was ended after the time limit. Their `keeps_time` is no longer believed.
_broke_promise: set[type[Any]] = set()

_WORK = ("deduce", "simplify", "count", "layouts")  # these methods may run in a process apart
_OTHERS = (  # these methods are never moved to a process apart
    "__init__",
    "configure",
    "elimination_width",
    "analyze",
    "analyze_many",
    "analyze_batch",
    "memory",
)


def _is_ours(code: Any) -> bool:
    """Return whether a class or function belongs to csp_mines."""
    module: str = getattr(code, "__module__", None) or ""
    return module.partition(".")[0] == "csp_mines"


def _plain(chosen: type[Any]) -> type[Any]:
    """Return the class of the engine without supervision: the original class if `chosen` is a
    subclass made here, otherwise `chosen` itself."""
    itself: type[Any] = chosen.__dict__.get("_plain", chosen)
    return itself


def supervised(chosen: type[Any], seconds: float | None, judge: Judge) -> type[Any]:
    """Return a supervised subclass of `chosen`, the class of an engine. Return `chosen` itself if
    there is nothing to supervise. `seconds` is the time limit; None and infinity mean no limit.
    `judge` finds wrong answers. If `chosen` is a supervised subclass already, its original class
    is used instead."""
    chosen = _plain(chosen)
    ours = _is_ours(chosen)
    if seconds in (None, inf) or (ours and chosen.keeps_time):
        return chosen if ours else _guarded(chosen, judge)
    own = [name for name in _WORK if getattr(chosen, name).__module__ != "csp_mines.backend"]
    calls = {method: _called_apart(chosen, method, judge) for method in own}
    return _subclass(_guarded(chosen, judge), calls)


def _guarded(chosen: type[Any], judge: Judge) -> type[Any]:
    """Return a subclass of `chosen` whose methods report the defects of the engine. Methods that
    `chosen` inherits from csp_mines are left as they are."""
    methods = [method for method in (*_WORK, *_OTHERS) if not _is_ours(getattr(chosen, method))]
    return _subclass(chosen, {method: _reporting(chosen, method, judge) for method in methods})


def _subclass(chosen: type[Any], methods: dict[str, Any]) -> type[Any]:
    told = {"__module__": chosen.__module__, "__qualname__": chosen.__qualname__}
    return type(chosen.__name__, (chosen,), {**methods, **told, "_plain": _plain(chosen)})


def ask_class(chosen: type[Any], method: str) -> Any:
    """Call the class method `method`, such as `version`, of `chosen`, the class of an engine.
    Return the answer. Raises EngineFault for an unexpected error of an engine of another package.
    Other errors are raised as they are."""
    with nullcontext() if _is_ours(chosen) else _defects_of(chosen, method):
        return getattr(chosen, method)()


def _reporting(chosen: type[Any], method: str, judge: Judge) -> Callable[..., Any]:
    """Return a function to replace `method` of `chosen`. The function raises EngineFault for an
    unexpected exception of the method, and for an answer that `judge` finds wrong."""
    own: Callable[..., Any] = getattr(chosen, method)

    @wraps(own)
    def called(self: Any, *arguments: Any, **named: Any) -> Any:
        with _defects_of(chosen, method):
            answer = own(self, *arguments, **named)
        wrong = judge(method, arguments, answer)
        if wrong is not None:
            raise _defect(chosen, f"{method} returned {wrong}")
        return answer

    return called


@contextmanager
def _defects_of(chosen: type[Any], method: str) -> Iterator[None]:
    """Raise EngineFault for an unexpected exception of an engine in the `with` block, which calls
    `method`. The message names the line of code that raised the exception."""
    try:
        yield
    except (CspMinesError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        frames = [frame for frame in extract_tb(error.__traceback__) if frame.filename != __file__]
        where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if frames else ""
        raise _defect(chosen, f"{method} raised {error_text(error)}{where}") from error


def _defect(chosen: type[Any], what: str) -> EngineFault:
    """Return the error that reports a defect of an engine. `what` describes the defect."""
    name = getattr(chosen, "name", chosen.__name__)
    package = chosen.__module__.partition(".")[0]
    return EngineFault(
        f"engine {name!r} has a defect: {what}. Report it to the authors of {package!r}, or choose "
        "another engine"
    )


def _called_apart(chosen: type[Any], method: str, judge: Judge) -> Callable[..., Any]:
    """Return a function to replace `method` of `chosen`. The function calls the method in a process
    apart."""
    own: Callable[..., Any] = getattr(chosen, method)

    @wraps(own)
    def called(self: Any, *arguments: Any) -> Any:
        assert self.seconds is not None
        bounds = {name: getattr(self, name) for name in ("max_states", "max_memory", "seconds")}
        trusted = chosen.keeps_time and chosen not in _broke_promise
        patience = PROMISED_SECONDS if trusted else apart.GRACE_SECONDS
        begin = time.monotonic()
        try:
            return apart.call(
                _work, chosen, judge, self.option, bounds, method, arguments, engine=self.name,
                seconds=self.seconds, patience=patience,
            )  # fmt: skip
        except OutOfTime:
            if time.monotonic() - begin >= self.seconds + patience:
                _broke_promise.add(chosen)
            raise

    return called


def _work(
    chosen: type[Any],
    judge: Judge,
    option: str | None,
    bounds: dict[str, Any],
    method: str,
    arguments: tuple[Any, ...],
) -> Any:
    """Make an engine of the class `chosen`, call its method `method` and return the answer. This
    function runs in the process apart. `bounds` has `max_states`, `max_memory` and `seconds`."""
    engine = _guarded(chosen, judge)(option, **bounds)
    return getattr(engine, method)(*arguments)
