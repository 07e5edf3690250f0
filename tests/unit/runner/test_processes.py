"""Names of processes, and the proof that one has ended: never about a process that may live."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from runner import processes
from runner.processes import has_ended, own_name

TELL = "from runner.processes import own_name; print(own_name(), flush=True); input()"


@pytest.fixture
def other() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Another process, and its name as it gives it itself."""
    process = subprocess.Popen([sys.executable, "-c", TELL], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    yield process, process.stdout.readline().strip()
    process.kill()
    process.wait()


def test_a_process_that_lives_is_not_taken_for_dead(other: tuple[subprocess.Popen[str], str]) -> None:
    assert not has_ended(own_name())
    assert not has_ended(other[1])
    other[0].send_signal(signal.SIGSTOP)  # it does nothing, but may go on
    assert not has_ended(other[1])


def test_a_killed_process_is_known_to_have_ended(other: tuple[subprocess.Popen[str], str]) -> None:
    process, name = other
    process.kill()
    process.wait()
    assert has_ended(name)


def test_a_number_that_another_process_has_taken_over_is_told_by_its_start(
    other: tuple[subprocess.Popen[str], str],
) -> None:
    name = other[1]
    start = int(name.rpartition("-")[2])
    assert has_ended(f"{name.rpartition('-')[0]}-{start - 1}")


@pytest.mark.parametrize(
    "change",
    [
        lambda name: name.partition("/")[0],  # a system that does not tell
        lambda name: "elsewhere" + name,  # another host
        lambda name: re.sub("/[0-9a-f]{12}-", "/000000000000-", name),  # another boot, or other name spaces
        lambda name: name + " ",
        lambda name: "",
    ],
)
def test_nothing_is_proved_about_processes_elsewhere(other: tuple[subprocess.Popen[str], str], change: object) -> None:
    process, name = other
    process.kill()
    process.wait()
    assert callable(change) and not has_ended(change(name))


def test_a_process_of_somebody_else_is_not_taken_for_dead() -> None:
    host, _, rest = own_name().rpartition(":")
    kernel = rest.partition("/")[2].partition("-")[0]
    start = processes._start_of(1)
    assert not has_ended(f"{host}:1/{kernel}-{start}")


def test_a_forked_process_has_a_name_of_its_own() -> None:
    reader, writer = os.pipe()
    mine = own_name()
    child = os.fork()
    if child == 0:
        os.write(writer, own_name().encode())
        os._exit(0)
    os.waitpid(child, 0)
    theirs = os.read(reader, 500).decode()
    assert theirs != mine and f":{child}/" in theirs
    assert has_ended(theirs)
