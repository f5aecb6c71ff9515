"""Simulations of many games: plans, results, statistics, the file of a run, the workers."""
