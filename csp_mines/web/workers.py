"""A worker of the server: what it does at its start, its messages, and the memory that it may
take."""

from __future__ import annotations

from csp_mines import processes
from csp_mines.machine import set_limit

Answer = tuple[int, bytes]  # an HTTP status and a JSON text

MEMORY = 6 << 30  # bytes of address space for one worker, except on Windows
PRELOADED = "csp_mines.web.preloaded"


def request_text(task: str, body: bytes) -> bytes:
    """Return the message that asks a worker to do a task. `task` is the name of the task, and
    `body` is the JSON text of the request."""
    return task.encode() + b"\n" + body


def read_answer(message: bytes) -> Answer:
    """Return the status and the JSON text in a worker's message."""
    return int(message[:3]), message[3:]


def prepare() -> processes.Answer:
    """Prepare a worker process for requests: limit its memory and load the modules that every
    worker needs. Return the function that answers a message."""
    set_limit("RLIMIT_AS", MEMORY)
    import csp_mines.web.preloaded  # noqa: F401
    from csp_mines.web.tasks import answer

    def answer_message(message: bytes) -> bytes:
        task, _, body = message.partition(b"\n")
        status, document = answer(task.decode(), body)
        return b"%d" % status + document

    return answer_message
