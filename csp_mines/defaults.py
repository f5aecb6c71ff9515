"""Default values and limits of the whole package. This module imports nothing."""

BACKEND = "native"  # the engine, unless the caller names another
MOVE_RULE = "win:fast"  # the rule that chooses the move
PLAYER = "win:fast"  # the player whose win chance is estimated
AGENT = "exact"  # the agent that plays games

# The rules of a game, as `Rules` explains them.
RULES = "classic"
START = "safe"
CLUES = "exact"
REVEAL = 0.6

MAX_MEMORY = 2 << 30  # bytes that one count may take
MAX_STATES = 1 << 48  # states that one count may take; MAX_MEMORY ends a count long before
COUNT_SECONDS = 60.0  # for one count, except a count of a whole board by the compiled kernel
POSITION_STATES = 2_000_000  # states per count in generators, `best_move` and `find_conflict`
AGENT_STATES = 200_000  # states per count in games and reviews
NOISY_AGENT_STATES = 6_000  # states per count of an agent if clues are optimistic or cautious

MOST_THREADS = 256  # for one call of the kernel; a caller that asks for more gets this many

ESTIMATE_SECONDS = 3.0  # the time in which `csp-mines solve` estimates risks

REVIEW_PRECISION = 0.025  # a bound on the standard error of each estimated win chance in a review
