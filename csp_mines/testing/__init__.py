"""The conformance suite: `python -m csp_mines.testing NAME` checks the engine with that name."""
