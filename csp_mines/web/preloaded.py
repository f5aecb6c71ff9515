"""What every worker has loaded before it is asked. The server from which workers are forked imports
this once, so that a fresh worker is ready within milliseconds."""

from csp_mines.web.tasks import answer

# loads the engines that analyses and explanations use
answer("explain", b'{"board": "?1?1?", "mines": 1, "cell": [0, 2]}')
