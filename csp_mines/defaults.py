"""Default values and limits. Each of them is written only here. This module imports nothing."""

BACKEND = "native"  # the engine that answers unless the caller names another
MOVE_RULE = "win:fast"  # how a move is chosen
PLAYER = "win:fast"  # the player whose games estimate a win chance

MAX_MEMORY = 2 << 30  # bytes that one count may take
MAX_STATES = 1 << 48  # in effect no limit: a count reaches MAX_MEMORY first
COUNT_SECONDS = 60.0  # the limit for one count; other work has no limit by default
POSITION_STATES = 2_000_000  # the limit for each position that a generator or a search counts
AGENT_STATES = 200_000  # the limit for a position of an agent; beyond it, risks are estimated
NOISY_AGENT_STATES = 6_000  # the same limit with noisy clues, where estimates are quick

MOST_THREADS = 256  # the limit for one call of the kernel, even if the caller asks for more

ESTIMATE_SECONDS = 3.0  # for sampling the risks of a board that is too wide to count

REVIEW_PRECISION = 0.025  # the largest standard error of a win chance in a review
