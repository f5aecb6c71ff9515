"""The list of the modules that every worker needs, imported once by the fork server. The workers
are forked from it with all modules loaded, so a new worker is ready within milliseconds."""

from csp_mines.web.tasks import answer

# This request loads the engines that analyses and explanations use.
answer("explain", b'{"board": "?1?1?", "mines": 1, "cell": [0, 2]}')
