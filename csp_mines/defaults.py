"""Default values and limits. Each stands here and nowhere else; this module imports nothing."""

BACKEND = "native"  # the engine that answers unless another is named
MOVE_RULE = "win:fast"  # how a move is chosen
PLAYER = "win:fast"  # who plays out games where the chance to win is estimated

MAX_MEMORY = 2 << 30  # bytes that one count may take
MAX_STATES = 1 << 48  # in effect no limit: the memory is exhausted before
COUNT_SECONDS = 60.0  # for one count; nothing else is stopped unless the caller sets a limit
POSITION_STATES = 2_000_000  # for one position among many: of a generated game, of a conflict
AGENT_STATES = 200_000  # for one position of an agent's game; wider ones are estimated
NOISY_AGENT_STATES = 6_000  # under noisy clues, where an estimate is soon as good and much quicker

MOST_THREADS = 256  # of one call of the kernel, whatever number the caller asks for

ESTIMATE_SECONDS = 3.0  # for the risks of a board that is too wide to count
