"""Exports: the constraints of a board as text for other solvers. Each notation has a writer."""
