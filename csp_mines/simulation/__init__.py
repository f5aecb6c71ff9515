"""Many games: plans, results, statistics, the journal, the workers."""
