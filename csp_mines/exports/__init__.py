"""The constraints of a board in the notations of constraint solvers, one writer per notation."""
