"""Numbers of callers as NumPy arrays: without a copy wherever the memory can be read as it is."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from ._library import NUMBERS
from .errors import ArgumentError

_CPU_DEVICES = (1, 3)  # kDLCPU, kDLCUDAHost


def as_array(numbers: Any, name: str) -> np.ndarray:
    """`numbers` as a C-contiguous array of float64, float32, int32 or int64.

    NumPy arrays, whatever has the buffer protocol, and tensors that have DLPack (PyTorch, JAX, CuPy's
    host memory) are not copied if their type is one of these and their memory is contiguous.
    Everything else, such as nested lists, becomes float64; None in them is infinity, which in a matrix
    says that there is no such way, as in answers of routing services.
    """
    array = _view(numbers, name)
    if array.dtype == object:
        array = _of_objects(array, name)
    if array.dtype.kind not in "fiub":
        raise ArgumentError(f"{name} holds values of type {array.dtype}; expected numbers")
    if array.dtype.name not in NUMBERS or not array.dtype.isnative:
        array = array.astype(np.float64)
    return np.ascontiguousarray(array)


def _view(numbers: Any, name: str) -> np.ndarray:
    if isinstance(numbers, np.ndarray):
        return numbers
    try:
        if hasattr(numbers, "__dlpack__") and not hasattr(numbers, "__array_interface__"):
            device = numbers.__dlpack_device__()[0]
            if int(device) not in _CPU_DEVICES:
                raise ArgumentError(
                    f"{name} lies in the memory of another device; bring it to the host's, as .cpu() does"
                )
            return np.from_dlpack(numbers)
        return np.asarray(numbers)
    except ArgumentError:
        raise
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise ArgumentError(f"{name} cannot be read as an array of numbers: {error}") from None


def _of_objects(array: np.ndarray, name: str) -> np.ndarray:
    try:
        return np.where(np.equal(array, None), np.inf, array).astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} holds what is no number: {error}") from None


def batch_of(numbers: Any, name: str, last: Optional[int]) -> Tuple[np.ndarray, bool]:
    """An array of (n, n) or (B, n, n), or, with `last` = 2, of (n, 2) or (B, n, 2), as one of three
    axes, and whether it was a single instance."""
    array = as_array(numbers, name)
    width = "n" if last is None else str(last)
    single = array.ndim == 2
    if single:
        array = array[np.newaxis]
    fits = array.ndim == 3 and array.shape[2] == (array.shape[1] if last is None else last)
    if not fits or array.shape[0] == 0:
        shape = array.shape[1:] if single else array.shape
        raise ArgumentError(
            f"{name} has the shape {tuple(shape)}; expected (n, {width}) or (B, n, {width}), B at least 1"
        )
    return array, single


def spread(numbers: Any, name: str, shape: Tuple[int, ...]) -> np.ndarray:
    """`numbers` as contiguous float64 of `shape`: one value for all, one row for all, or all of them."""
    array = as_array(numbers, name)
    try:
        return np.ascontiguousarray(np.broadcast_to(array, shape), dtype=np.float64)
    except ValueError:
        raise ArgumentError(f"{name} has the shape {array.shape}; expected {shape[-1:]} or {shape}") from None
