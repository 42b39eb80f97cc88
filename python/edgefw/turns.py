"""Threads that take turns."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Optional, Set, Type


class Turns:
    """A lock that is given to threads in the order in which they ask. Use it by ``with``."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._next = 0  # ticket of whoever asks next
        self._served = 0  # ticket of whoever has the lock, or will have it
        self._gone: Set[int] = set()  # tickets of those who do not wait any more

    def __enter__(self) -> Turns:
        with self._changed:
            ticket = self._next
            self._next += 1
            try:
                while self._served != ticket:
                    self._changed.wait()
            except BaseException:  # Ctrl-C
                if self._served == ticket:
                    self._pass_on()
                else:
                    self._gone.add(ticket)
                raise
        return self

    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        error: Optional[BaseException],
        trace: Optional[TracebackType],
    ) -> None:
        with self._changed:
            self._pass_on()

    def _pass_on(self) -> None:
        self._served += 1
        while self._served in self._gone:
            self._gone.remove(self._served)
            self._served += 1
        self._changed.notify_all()

    def let_others(self) -> None:
        """Whoever has the lock lets those have it who wait now, and has it again when this returns."""
        with self._changed:
            waiting = self._next - self._served > 1
        if waiting:
            self.__exit__(None, None, None)
            self.__enter__()


# HDF5, as most systems have it, serves one thread at a time: whoever opens models or runs experiments.
files = Turns()
