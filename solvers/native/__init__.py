"""The default engine: complete and exact, by counting."""

from __future__ import annotations

from csp_mines.backend import DEFAULT_MAX_MEMORY, DEFAULT_MAX_STATES, RegionCount
from csp_mines.constraints import Region
from csp_mines.errors import UnknownName
from csp_mines.kernel import Kernel
from solvers.counted import Counted
from solvers.native import compiled
from solvers.native.elimination import eliminate
from solvers.native.order import elimination_order
from solvers.native.region import count_compiled

__all__ = ["Native"]


class Native(Counted):
    """Counts by eliminating boxes; whole boards go to the compiled kernel where it was built."""

    name = "native"
    summary = "subtraction, then exact counting by eliminating box after box"
    options = "pure"  # never the compiled kernel

    def __init__(
        self,
        option: str | None = None,
        *,
        max_states: int = DEFAULT_MAX_STATES,
        max_memory: int = DEFAULT_MAX_MEMORY,
        seconds: float | None = None,
    ) -> None:
        if option not in (None, "pure"):
            raise UnknownName("option of native", option, ["pure"])
        super().__init__(option, max_states=max_states, max_memory=max_memory, seconds=seconds)
        self.pure = option == "pure"

    @classmethod
    def version(cls) -> str:
        return "pure Python" if compiled.load() is None else "compiled kernel"

    @classmethod
    def kernel(cls) -> Kernel | None:
        return compiled.load()

    def count(self, region: Region) -> RegionCount:
        deadline = self.counting_deadline()
        kernel = None if self.pure else compiled.load()
        if kernel is not None:
            deadline.check()
            found = count_compiled(kernel, region, self.max_states, deadline, self.max_memory)
            if found is not None:
                return found
        return eliminate(region, elimination_order(region, deadline), self.python_states, deadline)
