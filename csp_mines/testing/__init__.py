"""The conformance suite for engines: every promise of the contract, checked for an engine by name.
Run it with `python -m csp_mines.testing NAME`."""
