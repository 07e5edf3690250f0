"""The steps that wait beside the one a worker is at: which it takes itself, and which others are told of."""

from __future__ import annotations

from collections.abc import Iterable

from runner import dispatch
from runner.engine.resolving import PURE
from runner.engine.rows import StepRow


class Siblings:
    """Pending step runs of one run and one backend, in order.

    Others are told of those that take time. Pure ones end with their claim, under the run's lock, where nobody could
    help: they are kept back, until this worker is busy (`tell_others`), until it goes (`hand_on`), or until the
    sweeper finds what a lost worker has left.
    """

    def __init__(self, backend: str) -> None:
        self._backend = backend
        self._kept_back: dict[str, bool] = {}

    def __len__(self) -> int:
        return len(self._kept_back)

    def add(self, steps: Iterable[StepRow]) -> list[str]:
        """Remember steps; gives those of them that nobody else is to be told of."""
        new = [step for step in steps if step.id not in self._kept_back]
        self._kept_back.update((step.id, step.type in PURE) for step in new)
        return [step.id for step in new if self._kept_back[step.id]]

    def pop(self) -> str:
        """The next one, which is this worker's from now on, as far as hints go."""
        step_id = next(iter(self._kept_back))
        del self._kept_back[step_id]
        dispatch.take_back(step_id)
        return step_id

    def snapshot(self) -> dict[str, bool]:
        """What `restore` goes back to, if a transaction fails."""
        return dict(self._kept_back)

    def restore(self, snapshot: dict[str, bool]) -> None:
        """Be as before a transaction that was rolled back."""
        self._kept_back = snapshot

    def tell_others(self) -> None:
        """Tell others, in a moment, of what was kept back: this worker begins a step that may take time. It may still
        take them itself if they are there when it is done."""
        for step_id in [one for one, kept_back in self._kept_back.items() if kept_back]:
            dispatch.hint_step_soon(step_id, self._backend)
            self._kept_back[step_id] = False

    def hand_on(self) -> None:
        """Tell others of what was kept back: this worker goes on with something else."""
        for step_id, kept_back in self._kept_back.items():
            if kept_back:
                dispatch.hint_step(step_id, self._backend)
        self._kept_back.clear()
