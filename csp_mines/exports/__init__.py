"""The constraints of a board as text for other solvers, with one writer for each notation."""
