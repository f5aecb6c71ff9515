"""Why: proofs of single cells, their checker, and the English for them."""
