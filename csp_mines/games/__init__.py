"""Games: the rules, agents and what they know, and help with a game that runs elsewhere."""
