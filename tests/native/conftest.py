"""The kernel for the tests, and boards for it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from csp_mines.solvers.native import compiled

if TYPE_CHECKING:
    from csp_mines.kernel import Kernel


@pytest.fixture(scope="session")
def kernel() -> Kernel:
    found = compiled.load()
    if found is None:
        if os.environ.get(compiled.VARIABLE) == "compiled":
            pytest.fail("the kernel was insisted on")
        pytest.skip("no compiled kernel")
    return found
