"""Many games of several agents: plans, results, statistics, the file of a run, the workers."""
