"""Games: their rules, the agents that play them, and help with a game that runs elsewhere."""
