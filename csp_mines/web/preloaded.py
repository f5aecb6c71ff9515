"""The modules that every worker has loaded from its start. The fork server, from which the workers
are forked, imports this module once. So a new worker is ready within milliseconds."""

from csp_mines.web.tasks import answer

# This request loads the engines that analyses and explanations use.
answer("explain", b'{"board": "?1?1?", "mines": 1, "cell": [0, 2]}')
