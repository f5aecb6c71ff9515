"""The kernel, which reviews need for win chances."""

from tests.native.conftest import kernel

__all__ = ["kernel"]
