"""Why a cell is safe or a mine: proofs, their checker, and their wording in English."""
