"""The abort signal that a running call is given. Who gives it, and when, is the runner's."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Literal

Reason = Literal["canceled", "timeout", "lost", "shutdown"]
"""Why a call shall stop: somebody cancelled it, its time is up, its claim was lost, the worker shuts down."""


class Aborted(BaseException):
    """The call was told to stop. Raised by `AbortToken.raise_if_aborted`; let it pass.

    Like `asyncio.CancelledError` it is no `Exception`, so that a tool's own `except Exception` does not
    swallow it and go on.
    """

    def __init__(self, reason: Reason = "canceled") -> None:
        super().__init__(f"The call was told to stop ({reason}).")
        self.reason: Reason = reason


class AbortToken:
    """A flag that is set once, from any thread, and wakes whoever waits for it."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._reason: Reason | None = None
        self._callbacks: dict[int, Callable[[], None]] = {}
        self._numbers = 0

    @property
    def aborted(self) -> bool:
        """Whether the call shall stop."""
        return self._event.is_set()

    @property
    def reason(self) -> Reason | None:
        """Why, or None while the call may go on."""
        return self._reason

    def abort(self, reason: Reason = "canceled") -> bool:
        """Tell the call to stop. The first reason stays; True: this one was first."""
        with self._lock:
            if self._reason is not None:
                return False
            self._reason = reason
            self._event.set()
            callbacks = list(self._callbacks.values())
            self._callbacks.clear()
        for callback in callbacks:
            callback()
        return True

    def raise_if_aborted(self) -> None:
        """Raise Aborted once the call shall stop. Call it between the parts of long work."""
        if self._reason is not None:
            raise Aborted(self._reason)

    def wait(self, seconds: float | None) -> bool:
        """Sleep, but not past the abort signal. True: the call shall stop. None sleeps until it does."""
        return self._event.wait(seconds)

    def on_abort(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Have `callback` called once, in the aborting thread (at once if it is aborted already).

        Gives a function that takes the callback back. The callback must be quick and must not raise.
        """
        with self._lock:
            if self._reason is None:
                self._numbers += 1
                number = self._numbers
                self._callbacks[number] = callback
                return lambda: self._forget(number)
        callback()
        return lambda: None

    def child(self) -> AbortToken:
        """A token that is aborted with this one, and can be aborted alone."""
        token = AbortToken()

        def pass_on() -> None:
            token.abort(self._reason or "canceled")

        self.on_abort(pass_on)
        return token

    def _forget(self, number: int) -> None:
        with self._lock:
            self._callbacks.pop(number, None)
