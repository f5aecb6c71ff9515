"""The conformance suite for engines: `python -m csp_mines.testing NAME` checks yours."""
