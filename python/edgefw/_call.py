"""One call of a solver: arguments to the library's structs, its answer to arrays."""

from __future__ import annotations

import ctypes
import math
import operator
import warnings
from ctypes import byref, c_void_p
from typing import Any, Callable, Dict, List, Optional, Union

import numpy as np

from . import _library as native
from ._library import Context, library
from .arrays import batch_of, spread
from .errors import ArgumentError, FileError, InfeasibleError
from .instances import Instance
from .interrupts import Interrupts
from .solutions import Progress, Solution, Solutions

ProgressCallback = Callable[[Progress], Optional[bool]]


class Solver:
    """An ``edgefw_solver`` with the context that is its own: for one thread at a time."""

    def __init__(self, model: c_void_p, threads: int) -> None:
        self.context = Context(threads)
        self.handle = c_void_p()
        self.context.check(library.edgefw_solver_create(self.context.handle, model, byref(self.handle)))

    def close(self) -> None:
        handle, self.handle = self.handle, c_void_p()
        library.edgefw_solver_destroy(handle)
        self.context.close()


class Arrays:
    """An instance's numbers as the library takes them; they live as long as this object."""

    def __init__(self, instance: Instance) -> None:
        if instance.points is not None:
            self.numbers, self.single = batch_of(instance.points, "points", 2)
        else:
            self.numbers, self.single = batch_of(instance.matrix, "matrix", None)
        self.count, self.nodes = self.numbers.shape[:2]
        self.demands = self.capacities = None
        if instance.demands is not None:
            self.demands = spread(instance.demands, "demands", (self.count, self.nodes))
            self.capacities = spread(instance.capacity, "capacity", (self.count,))
        self.depot = whole(instance.depot, "depot")
        given = self.numbers.ctypes.data
        self.native = native.Instances(
            count=self.count,
            nodes=self.nodes,
            costs=given if instance.points is None else None,
            points=given if instance.points is not None else None,
            type=native.NUMBERS[self.numbers.dtype.name],
            demands=None if self.demands is None else self.demands.ctypes.data,
            capacities=None if self.capacities is None else self.capacities.ctypes.data,
            depot=self.depot,
        )


def call(
    solver: Solver,
    problem: Arrays,
    settings: native.SolveSettings,
    progress: Optional[ProgressCallback],
) -> Solutions:
    """One call of the library, which may be told to stop."""
    raised: List[BaseException] = []
    out = c_void_p()
    with Interrupts() as interrupts:

        def tell(_: object, now: Any) -> bool:
            try:
                goes_on = progress is None or progress(_progress_of(now.contents)) is not False
                return goes_on and not interrupts.noted
            except BaseException as error:  # an exception must not cross the library
                raised.append(error)
                return False

        if progress is not None or interrupts.watching:
            settings.progress = native.SolveCallback(tell)
        status = library.edgefw_solver_solve(
            solver.handle, byref(problem.native), byref(settings), byref(out)
        )
        error = None if status == native.OK else solver.context.error(status)
        try:
            solutions = _take_solutions(out, problem) if out else None
        finally:
            library.edgefw_solutions_destroy(out)
    if raised:
        raise raised[0]
    if error is None and solutions is not None:
        return solutions
    if status == native.INTERRUPTED:  # `progress` wished it: what was not solved is missing
        return solutions if solutions is not None else _no_solutions(problem)
    if isinstance(error, InfeasibleError):
        error.solutions = solutions
    if isinstance(error, FileError):  # no file: numbers of the caller
        error = ArgumentError(str(error), error.status)
    assert error is not None
    raise error


def _progress_of(now: native.SolveProgress) -> Progress:
    return Progress(done=now.done, count=now.count, cost=now.cost, seconds=now.seconds)


def _take_solutions(out: c_void_p, problem: Arrays) -> Solutions:
    """Copies of the library's arrays, which are small beside the instances."""
    count = problem.count
    stride = ctypes.c_int64()
    nodes = library.edgefw_solutions_nodes(out, byref(stride))
    costs = library.edgefw_solutions_costs(out)
    counts = np.empty(count, np.int64)
    bounds = np.empty(count)
    seconds = np.empty(count)
    makers: List[Optional[str]] = []
    view = native.SolutionView()
    for b in range(count):
        status = library.edgefw_solutions_get(out, b, byref(view))
        assert status == native.OK
        counts[b], bounds[b], seconds[b] = view.count, view.bound, view.seconds
        makers.append(native.text(view.maker) or None)
    return Solutions(
        costs=np.ctypeslib.as_array(costs, (count,)).copy(),
        nodes=np.ctypeslib.as_array(nodes, (count, stride.value)).copy(),
        counts=counts,
        bounds=bounds,
        instance_seconds=seconds,
        makers=makers,
        depot=problem.depot,
        seconds=library.edgefw_solutions_seconds(out),
        stopped=library.edgefw_solutions_stopped(out),
    )


def _no_solutions(problem: Arrays) -> Solutions:
    missing = np.full(problem.count, math.nan)
    return Solutions(
        costs=missing,
        nodes=np.empty((problem.count, 0), np.int32),
        counts=np.zeros(problem.count, np.int64),
        bounds=missing.copy(),
        instance_seconds=np.zeros(problem.count),
        makers=[None] * problem.count,
        depot=problem.depot,
        seconds=0.0,
        stopped=True,
    )


def answer_of(solutions: Solutions, instance: Instance, single: bool) -> Union[Solution, Solutions]:
    if instance.vehicles is not None:
        most = max(len(solution.routes) for solution in solutions)
        if most > instance.vehicles:
            warnings.warn(
                f"{most} routes for {instance.vehicles} vehicles: their number is no constraint",
                stacklevel=4,
            )
    return solutions[0] if single else solutions


# --- Arguments ------------------------------------------------------------------------------------


def instance_of(matrix: Any, points: Any, demands: Any, capacity: Any, depot: int) -> Instance:
    if isinstance(matrix, Instance):
        if points is not None or demands is not None or capacity is not None or depot != 0:
            raise ArgumentError("an Instance has its points, demands, capacity and depot in itself")
        return matrix
    return Instance(matrix=matrix, points=points, demands=demands, capacity=capacity, depot=depot)


def whole(value: Any, name: str, most: int = 2**63 - 1, least: int = 0) -> int:
    """A whole number within bounds; ctypes would cut off what is too large."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ArgumentError(f"{name} = {value!r}: expected a whole number") from None
    if not least <= number <= most:
        raise ArgumentError(f"{name} = {number}: expected {least} to {most}")
    return number


def seconds_of(limit: Optional[float]) -> float:
    if limit is None:
        return 0.0
    seconds = float(limit)
    if not seconds > 0:
        raise ArgumentError(f"time_limit = {limit}: expected None or seconds above 0")
    return seconds


def one_of(value: str, name: str, choices: Dict[str, int]) -> int:
    if value not in choices:
        raise ArgumentError(f"{name} = {value!r}: expected one of {', '.join(choices)}")
    return choices[value]
