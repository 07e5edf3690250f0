"""One guard of the protocol: where it stands, what the code is without it, and who must notice that it is gone."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Guard:
    """`text` stands once in `file`; `instead` is the code without the guard; `why`: what it keeps from happening.

    `flows` (patterns of flow tests) and `storms` (numbers of random flows) are run in the simulator; with `probes`
    (patterns too), late and doubled happenings are tried at each of their rows. `tests` are pytest's, run where the
    simulator noticed nothing. `quick`: part of every test run.
    """

    name: str
    file: str
    text: str
    instead: str
    why: str
    flows: tuple[str, ...] = ()
    probes: tuple[str, ...] = ()
    storms: tuple[int, ...] = ()
    tests: tuple[str, ...] = ()
    quick: bool = False

    def mutate(self, source: str) -> str:
        """A source without this guard. Raises ValueError if the guard does not stand in it exactly once."""
        found = source.count(self.text)
        if found != 1:
            raise ValueError(
                f"The guard '{self.name}' stands {found} times in {self.file}, not once."
                " Find out what became of it, then write down its new text (tests/mutation)."
            )
        return source.replace(self.text, self.instead)
