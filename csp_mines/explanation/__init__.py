"""Explanations of why a cell is safe or a mine, a checker of explanations, and their wording."""
