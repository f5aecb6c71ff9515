"""The conformance suite: it checks whether an engine keeps every promise of the contract.
Run it with `python -m csp_mines.testing NAME`."""
