"""Ctrl-C while the library works."""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Any, Optional, Type


class Interrupts:
    """Notes SIGINT while it is entered, and has it handled as before when it is left.

    Python runs signal handlers in its main thread, between two of its own steps: while the library
    works, that is when it calls back. An exception from a handler would be lost there, so the
    handler only notes the signal, the callback tells the library to stop, and the handler that was
    there before runs afterwards, which as a rule raises KeyboardInterrupt. In other threads, and where
    SIGINT is ignored, this does nothing.

    Attributes:
        watching: a signal would be noted.
        noted: one was.
    """

    def __init__(self) -> None:
        self.watching = False
        self.noted = False
        self._frame: Optional[FrameType] = None
        self._before: Any = None

    def _note(self, number: int, frame: Optional[FrameType]) -> None:
        self.noted = True
        self._frame = frame

    def __enter__(self) -> Interrupts:
        try:
            before = signal.getsignal(signal.SIGINT)
            if callable(before):
                signal.signal(signal.SIGINT, self._note)
                self._before = before
                self.watching = True
        except ValueError:
            pass  # not the main thread
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        if not self.watching:
            return
        signal.signal(signal.SIGINT, self._before)
        self.watching = False
        if self.noted:
            self._before(signal.SIGINT, self._frame)
