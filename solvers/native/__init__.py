"""The default engine, `native`: counts solutions, in the compiled kernel or else in Python. The
backend `native:pure` is the same engine, always in Python. Because it counts, the engine is
complete and exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from csp_mines.analysis.by_kernel import batch_by_kernel, by_kernel, many_by_kernel
from csp_mines.analysis.contract import Analysis
from csp_mines.backend import Capability, RegionCount
from csp_mines.constraints import Problem, Region
from csp_mines.errors import BackendUnavailable, UnknownName
from csp_mines.geometry import SQUARE
from csp_mines.kernel import KERNEL_MODELS, fits_kernel
from csp_mines.question import Question, Questions

from ..counted import Counted
from . import compiled
from .elimination import eliminate
from .order import elimination_order, order_width
from .region import count_compiled

if TYPE_CHECKING:
    from csp_mines.analysis.batch import Batch
    from csp_mines.kernel import Kernel, KernelMemory


class Native(Counted):
    """A complete engine. It counts a region by eliminating box after box. The compiled kernel also
    analyses whole boards."""

    name = "native"
    summary = "subtraction, then exact counting by eliminating box after box"
    options = "pure"  # `native:pure` never uses the compiled kernel
    examples: ClassVar = {"native:pure": "the same engine in Python, without the compiled kernel"}
    reads_boards = True

    def configure(self, option: str | None) -> None:
        if option not in (None, "pure"):
            raise UnknownName("option of native", option, ["pure"])
        self.pure = option == "pure"

    @classmethod
    def version(cls) -> str:
        return "pure Python" if compiled.load() is None else "compiled kernel"

    def analyze(self, question: Question, memory: KernelMemory | None = None) -> Analysis:
        """Analyse the whole board in the compiled kernel. If `_kernel` returns None, analyse the
        board region by region, as other engines do."""
        kernel = self._kernel(question)
        if kernel is None:
            return super().analyze(question)
        return by_kernel(kernel, question, memory)

    def analyze_many(self, questions: Sequence[Question], threads: int) -> list[Analysis | None]:
        kernel = self._compiled()
        if kernel is None or questions[0].clues.name not in KERNEL_MODELS:
            return super().analyze_many(questions, threads)
        return many_by_kernel(kernel, questions, threads)

    def analyze_batch(self, asked: Questions, batch: Batch) -> bool:
        kernel = self._kernel(asked.shared)
        if kernel is None:
            return False
        batch_by_kernel(kernel, asked, batch)
        return True

    def _kernel(self, question: Question) -> Kernel | None:
        """Return the kernel. Return None if `_compiled` returns None, or if the kernel does not
        support the clue model or the grid of the question."""
        grid = question.geometry
        if question.clues.name not in KERNEL_MODELS:
            return None
        if grid is not SQUARE and not fits_kernel(grid, question.codes.shape):
            return None
        return self._compiled()

    def _compiled(self) -> Kernel | None:
        """Return the kernel. Return None if the engine is `native:pure`, or if `compiled.load`
        returns None."""
        return None if self.pure else compiled.load()

    def memory(self, max_bytes: int) -> KernelMemory | None:
        kernel = self._compiled()
        return None if kernel is None else kernel.Memory(max_bytes)

    @classmethod
    def capability(cls, what: Capability) -> Kernel:
        kernel = compiled.load()
        if kernel is None:
            raise BackendUnavailable(f"{what} needs the compiled kernel, {compiled.why_not()}")
        return kernel

    def elimination_width(self, problem: Problem) -> int:
        known = self.simplify(problem)
        deadline = self.counting_deadline()
        regions = problem.given(known.safe, known.mines).regions
        widths = [order_width(each, elimination_order(each, deadline)) for each in regions]
        return max(widths, default=0)

    def count(self, region: Region) -> RegionCount:
        deadline = self.counting_deadline()
        kernel = self._compiled()
        if kernel is not None:
            deadline.check()
            counted = count_compiled(kernel, region, self.max_states, deadline, self.max_memory)
            if counted is not None:
                return counted
        return eliminate(region, elimination_order(region, deadline), self.python_states, deadline)
