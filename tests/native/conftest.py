"""The kernel for the tests, and boards for it."""

from __future__ import annotations

import os

import pytest

from csp_mines.kernel import Kernel
from solvers.native import compiled


@pytest.fixture(scope="session")
def kernel() -> Kernel:
    found = compiled.load()
    if found is None:
        if os.environ.get(compiled.VARIABLE) == "compiled":
            pytest.fail("the kernel was insisted on")
        pytest.skip("no compiled kernel")
    return found
