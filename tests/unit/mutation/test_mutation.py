"""The mutation check itself: its table names what exists, a survivor is told, and the fastest guards are tried."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from tests.mutation.guard import Guard
from tests.mutation.judge import files
from tests.mutation.table import GUARDS
from tests.mutation.trials import ROOT, attempt, copy_of_the_code


def test_each_guard_stands_once_where_the_table_says_and_its_tests_exist() -> None:
    for guard in GUARDS:
        source = (ROOT / guard.file).read_text()
        mutated = guard.mutate(source)
        assert mutated != source
        compile(mutated, guard.file, "exec")
        assert guard.flows or guard.probes or guard.storms or guard.tests, guard.name
        assert all(files([pattern]) for pattern in (*guard.flows, *guard.probes))
        for test in guard.tests:
            path, _, name = test.partition("::")
            assert f"def {name.partition('[')[0]}" in (ROOT / path).read_text(), test


def test_names_of_guards_are_their_own() -> None:
    names = [guard.name for guard in GUARDS]
    assert len(set(names)) == len(names) > 80


def test_a_guard_that_is_gone_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"stands 0 times in runner/engine/machine\.py"):
        replace(GUARDS[0], text="no such text").mutate((ROOT / GUARDS[0].file).read_text())


def test_a_mutation_that_nobody_notices_survives() -> None:
    harmless = Guard(
        "harmless", "runner/engine/machine.py", "return None\n    return step", "return None\n    return  step", ""
    )
    with copy_of_the_code() as copy:
        result = attempt(copy, replace(harmless, flows=("contract/wait-zero",)))
        assert not result.is_killed
        assert (copy / harmless.file).read_text() == (ROOT / harmless.file).read_text()


@pytest.mark.slow
def test_the_fastest_guards_are_noticed_when_they_are_gone() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.mutation", "--quick"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    quick = sum(guard.quick for guard in GUARDS)
    assert f"{quick} guards, {quick} killed, 0 survived" in ran.stdout
