"""What can go wrong: one class for each kind of failure, all of them an :class:`Error`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from .solutions import Solutions


class Error(Exception):
    """A call of edgefw failed. The message names the place, what was found and what was expected.

    Attributes:
        status: name of the library's status code, such as ``"INVALID_ARGUMENT"``.
    """

    def __init__(self, message: str, status: str = "INTERNAL") -> None:
        super().__init__(message)
        self.status = status


class ArgumentError(Error, ValueError):
    """An argument makes no sense, or does not go with the others."""


class ConfigurationError(Error, ValueError):
    """A configuration, or the name of a problem, model, heuristic or device, is wrong."""


class FileError(Error, OSError):
    """A file cannot be read or written, is damaged, or is another one than was expected."""


class InfeasibleError(Error, ValueError):
    """Some instance has no solution, or has numbers that are no costs or demands.

    Attributes:
        solutions: what was found for the other instances; ``None`` if nothing was.
    """

    solutions: Optional[Solutions] = None


class PluginError(Error, RuntimeError):
    """A plugin is missing or cannot be used."""


class OutOfMemoryError(Error, MemoryError):
    """There is not enough memory, of the host or of the device."""


class LibraryError(Error, ImportError):
    """The shared library of edgefw is missing, or is another version than this package needs."""


_CLASSES = {
    "OUT_OF_MEMORY": OutOfMemoryError,
    "INVALID_ARGUMENT": ArgumentError,
    "UNSUPPORTED": ArgumentError,
    "CONFIG": ConfigurationError,
    "IO": FileError,
    "FORMAT": FileError,
    "MISMATCH": FileError,
    "INFEASIBLE": InfeasibleError,
}


def error_of(status: str, message: str) -> Error:
    """The exception for a status code's name."""
    kind = PluginError if status.startswith("PLUGIN_") else _CLASSES.get(status, Error)
    return kind(message or status, status)
