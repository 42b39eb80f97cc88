"""The shared library: where it is, and its calls as ``core/include/edgefw/solver.h`` declares them."""

from __future__ import annotations

import contextlib
import ctypes
import os
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_bool,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint,
    c_uint64,
    c_void_p,
    sizeof,
)
from pathlib import Path
from typing import Iterator, Optional, Union

from .errors import Error, LibraryError, error_of

PathLike = Union[str, "os.PathLike[str]"]

OK = 0
INFEASIBLE = -9
INTERRUPTED = -11

# Numbers of arrays, as enum edgefw_number has them.
NUMBERS = {"float64": 0, "float32": 1, "int32": 2, "int64": 3}
MAKERS = {"all": 0, "policy": 1, "heuristics": 2}
STEPS = {"train": 1, "eval": 2, "diagnostics": 4}


class Sized(Structure):
    """A struct that begins with its size, so that either side may be the older one."""

    def __init__(self, **members: object) -> None:
        super().__init__(size=sizeof(self), **members)


class ModelRequest(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("problem", c_char_p),
        ("points", c_bool),
        ("demands", c_bool),
        ("model", c_char_p),
        ("heuristics", c_char_p),
        ("device", c_char_p),
        ("precision", c_char_p),
        ("plugin_path", c_char_p),
        ("model_path", c_char_p),
    ]


class ModelInfo(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("problem", c_char_p),
        ("path", c_char_p),
        ("heuristics", c_char_p),
        ("device", c_char_p),
        ("precision", c_char_p),
        ("points", c_bool),
        ("demands", c_bool),
        ("min_nodes", c_int64),
        ("parameters", c_int64),
    ]


class Instances(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("count", c_int64),
        ("nodes", c_int64),
        ("costs", c_void_p),
        ("points", c_void_p),
        ("type", c_int),
        ("demands", c_void_p),
        ("capacities", c_void_p),
        ("depot", c_int64),
    ]


class SolveProgress(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("done", c_int64),
        ("count", c_int64),
        ("cost", c_double),
        ("seconds", c_double),
    ]


SolveCallback = CFUNCTYPE(c_bool, c_void_p, POINTER(SolveProgress))


class SolveSettings(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("seed", c_uint64),
        ("time_limit", c_double),
        ("makers", c_int),
        ("unimproved", c_bool),
        ("starts", c_int64),
        ("samples", c_int64),
        ("augment", c_int64),
        ("beam", c_int64),
        ("reconstruct", c_int64),
        ("kicks", c_int64),
        ("batch", c_int64),
        ("bound", c_bool),
        ("progress", SolveCallback),
        ("user", c_void_p),
    ]


class SolutionView(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("nodes", POINTER(c_int32)),
        ("count", c_int64),
        ("cost", c_double),
        ("bound", c_double),
        ("seconds", c_double),
        ("maker", c_char_p),
    ]


class RunProgress(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("variant", c_char_p),
        ("what", c_char_p),
        ("done", c_double),
        ("total", c_double),
        ("rate", c_double),
        ("remaining", c_double),
        ("cost", c_double),
    ]


RunCallback = CFUNCTYPE(c_bool, c_void_p, POINTER(RunProgress))


class RunRequest(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("config", c_char_p),
        ("sets", POINTER(c_char_p)),
        ("set_count", c_int64),
        ("folder", c_char_p),
        ("steps", c_uint),
        ("variant", c_char_p),
        ("fresh", c_bool),
        ("plugin_path", c_char_p),
        ("progress", RunCallback),
        ("user", c_void_p),
    ]


# name: (result, arguments). Handles are void pointers.
_CALLS = {
    "edgefw_version": (c_char_p, []),
    "edgefw_status_name": (c_char_p, [c_int]),
    "edgefw_context_create": (c_int, [POINTER(c_void_p), c_void_p]),
    "edgefw_context_destroy": (None, [c_void_p]),
    "edgefw_message": (c_char_p, [c_void_p]),
    "edgefw_set_threads": (None, [c_void_p, c_int]),
    "edgefw_model_open": (c_int, [c_void_p, POINTER(ModelRequest), POINTER(c_void_p)]),
    "edgefw_model_destroy": (None, [c_void_p]),
    "edgefw_model_describe": (None, [c_void_p, POINTER(ModelInfo)]),
    "edgefw_solver_create": (c_int, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "edgefw_solver_destroy": (None, [c_void_p]),
    "edgefw_solver_solve": (
        c_int,
        [c_void_p, POINTER(Instances), POINTER(SolveSettings), POINTER(c_void_p)],
    ),
    "edgefw_solver_stop": (None, [c_void_p]),
    "edgefw_solutions_count": (c_int64, [c_void_p]),
    "edgefw_solutions_get": (c_int, [c_void_p, c_int64, POINTER(SolutionView)]),
    "edgefw_solutions_costs": (POINTER(c_double), [c_void_p]),
    "edgefw_solutions_nodes": (POINTER(c_int32), [c_void_p, POINTER(c_int64)]),
    "edgefw_solutions_stopped": (c_bool, [c_void_p]),
    "edgefw_solutions_seconds": (c_double, [c_void_p]),
    "edgefw_solutions_destroy": (None, [c_void_p]),
    "edgefw_experiment_run": (c_int, [c_void_p, POINTER(RunRequest)]),
    "edgefw_experiment_checkpoint": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t]),
}

# What `pip install` puts beside this file: lib, bin and share of an installation.
INSTALLATION = Path(__file__).resolve().parent / "_native"


def _path_of_library() -> str:
    chosen = os.environ.get("EDGEFW_LIBRARY")
    if chosen:
        return chosen
    for path in sorted((INSTALLATION / "lib").glob("libedgefw.so*")):
        return str(path)
    return "libedgefw.so.0"  # of the system, as its packages have it


@contextlib.contextmanager
def _settings_of_libraries(core: Optional[bytes] = None) -> Iterator[None]:
    """OpenMP and OpenBLAS read their settings when they are loaded. These are the program's: waiting
    threads sleep after some 20 microseconds, and OpenBLAS takes the kernels of this processor."""
    wanted = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "1000"}
    if "OMP_WAIT_POLICY" in os.environ:
        wanted = {}
    if core and "OPENBLAS_CORETYPE" not in os.environ:
        wanted["OPENBLAS_CORETYPE"] = core.decode()
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _load() -> ctypes.CDLL:
    path = _path_of_library()
    try:
        with _settings_of_libraries():
            library = ctypes.CDLL(path)
        for name, (result, arguments) in _CALLS.items():
            call = getattr(library, name)
            call.restype, call.argtypes = result, arguments
    except OSError as error:
        raise LibraryError(
            f"the shared library of edgefw cannot be loaded: {error}; expected it in {INSTALLATION}, "
            "in the system's folders, or where EDGEFW_LIBRARY says"
        ) from None
    except AttributeError as error:
        raise LibraryError(f"{path} is older than this package: {error}") from None
    _load_blas(library, Path(path))
    return library


def _load_blas(library: ctypes.CDLL, path: Path) -> None:
    """Loads the BLAS, by the device that has it, while the settings above hold; plugins would do it
    later."""
    missed = library.edgefw__blas_core_missed
    missed.restype, missed.argtypes = c_char_p, []
    for folder in (path.parent / "edgefw", path.resolve().parent / "edgefw"):
        device = folder / "edgefw_cpu.so"
        if device.is_file():
            with _settings_of_libraries(missed()), contextlib.suppress(OSError):
                ctypes.CDLL(str(device))
            return


library = _load()


def status_name(status: int) -> str:
    return text(library.edgefw_status_name(status))


def text(value: Optional[bytes]) -> str:
    return value.decode(errors="replace") if value else ""


def encode(value: object) -> Optional[bytes]:
    """A path or a text for the library; None stays None."""
    return None if value is None else os.fsencode(value)  # type: ignore[arg-type]


class Context:
    """An ``edgefw_context``, which is destroyed with this object or by :meth:`close`."""

    def __init__(self, threads: int = 0) -> None:
        self.handle = c_void_p()
        status = library.edgefw_context_create(ctypes.byref(self.handle), None)
        if status != OK:
            raise error_of(status_name(status), "no memory for a context")
        library.edgefw_set_threads(self.handle, threads)

    def error(self, status: int) -> Error:
        """The exception for a status that a call with this context returned."""
        return error_of(status_name(status), text(library.edgefw_message(self.handle)))

    def check(self, status: int) -> None:
        if status != OK:
            raise self.error(status)

    def close(self) -> None:
        handle, self.handle = self.handle, c_void_p()
        library.edgefw_context_destroy(handle)

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self.close()
