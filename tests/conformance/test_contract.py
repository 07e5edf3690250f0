"""Flow tests of the contract, sentence by sentence, beside the given conformance set: one file for each sentence.

They run in the simulator only; that a killed process comes to the same end is asked of a part of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.simulation.flow_test import run_flow_test
from runner.simulation.flow_test_file import read_flow_test

FILES = sorted((Path(__file__).parent / "contract").glob("*.json"))

#: Killing a run at every boundary takes long: every so manyth test gets it here, all of them by `test_flow --crash`.
EACH_CRASHED = 7
#: Of these a replay once came out otherwise: attempts were lost, taken up, and canceled with their container.
ALWAYS_CRASHED = {"retry-nested-parallel", "timeout-container-parallel"}


def test_every_test_has_a_name_of_its_own() -> None:
    names = [read_flow_test(path.read_bytes(), path.name).name for path in FILES]
    assert len(names) > 400
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("place", range(len(FILES)), ids=lambda place: FILES[place].stem)
def test_contract_in_the_simulator(place: int) -> None:
    path = FILES[place]
    crash = place % EACH_CRASHED == 0 or path.stem in ALWAYS_CRASHED
    verdict = run_flow_test(read_flow_test(path.read_bytes(), path.name), crash=crash)
    assert verdict.failures == []
