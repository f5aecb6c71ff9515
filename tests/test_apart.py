"""Calls in a process apart: answers, errors, and an end whatever the process does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from math import inf

import pytest

from csp_mines import apart
from csp_mines.errors import Contradiction, EngineFault, OutOfTime


def call(function: object, *arguments: object, seconds: float = 30, **how: object) -> object:
    return apart.call(function, *arguments, engine="test", seconds=seconds, **how)


def contradict() -> None:
    raise Contradiction("nothing fits")


def divide() -> float:
    return 1 / 0


def hold_the_interpreter() -> int:
    return 3 ** (10**9)


def fill(megabytes: int) -> int:
    return len(bytearray(megabytes << 20))


def test_one_process_answers_all_calls_of_an_engine() -> None:
    first = call(os.getpid, seconds=inf)
    assert first != os.getpid()
    assert call(os.getpid) == first
    assert apart.call(os.getpid, engine="another", seconds=30) != first


def test_errors_come_back() -> None:
    with pytest.raises(Contradiction, match="nothing fits"):
        call(contradict)
    with pytest.raises(EngineFault, match="test: ZeroDivisionError: division by zero"):
        call(divide)


def test_the_process_is_ended_at_the_limit_and_the_next_call_gets_another() -> None:
    begin = time.monotonic()
    with pytest.raises(OutOfTime, match=r"'test' gave no answer within 0\.1 seconds"):
        call(hold_the_interpreter, seconds=0.1)
    assert time.monotonic() - begin < 10
    assert call(abs, -3) == 3


def test_a_process_that_dies_is_a_fault() -> None:
    with pytest.raises(EngineFault, match="of 'test' ended with status 7 instead of answering"):
        call(os._exit, 7)
    assert call(abs, -3) == 3


def test_a_process_that_is_killed_is_a_fault() -> None:
    process = call(os.getpid)
    assert isinstance(process, int)
    threading.Timer(0.3, os.kill, (process, signal.SIGKILL)).start()
    with pytest.raises(EngineFault, match="ended with status -9"):
        call(time.sleep, 20)


def test_memory_is_bounded() -> None:
    assert call(fill, 10, max_memory=200 << 20) == 10 << 20
    with pytest.raises(MemoryError):
        call(fill, 400, max_memory=200 << 20)


def test_what_is_printed_does_not_spoil_the_answer(capfd: pytest.CaptureFixture[str]) -> None:
    assert call(print, "aloud") is None
    assert call(print, "quietly", quiet=True, max_memory=1 << 40) is None
    shown = capfd.readouterr()
    assert (shown.out, shown.err) == ("", "aloud\n")


def test_ctrl_c_ends_the_process() -> None:
    code = (
        "import os, time\n"
        "from csp_mines import apart\n"
        "print(apart.call(os.getpid, engine='test', seconds=60), flush=True)\n"
        "try:\n"
        "    apart.call(time.sleep, 60, engine='test', seconds=60)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        other = int(process.stdout.readline())
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20)[0] == "interrupted\n"
    with pytest.raises(ProcessLookupError):
        os.kill(other, 0)


def test_a_process_whose_parent_was_killed_ends_without_a_word() -> None:
    code = (
        "import os, time\n"
        "from csp_mines import apart\n"
        "print(apart.call(os.getpid, engine='test', seconds=60), flush=True)\n"
        "apart.call(time.sleep, 0.4, engine='test', seconds=60)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.2)
        process.kill()
        assert process.communicate(timeout=20)[1] == ""  # read until both processes have ended


def test_an_engine_reads_no_requests() -> None:
    assert call(input_or_nothing) == ""


def input_or_nothing() -> str:
    try:
        return input()
    except EOFError:
        return ""
