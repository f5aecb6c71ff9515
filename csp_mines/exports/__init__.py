"""The constraints of a board as text for other solvers; DRAT proofs; a comparison of encodings."""
