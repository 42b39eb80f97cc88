"""Models, and solving with them."""

from __future__ import annotations

import functools
import os
import threading
from ctypes import byref, c_void_p
from dataclasses import dataclass
from typing import Any, Iterable, List, Optional, Tuple, Union

from . import _library as native
from ._call import (
    Arrays,
    ProgressCallback,
    Solver,
    answer_of,
    call,
    instance_of,
    one_of,
    seconds_of,
    whole,
)
from ._library import Context, PathLike, library
from .errors import ArgumentError
from .solutions import Solution, Solutions
from .turns import files


@dataclass(frozen=True)
class ModelInfo:
    """What a model is.

    Attributes:
        problem: ``"atsp"``, ``"acvrp"``, ``"tsp"``, ``"cvrp"``, or that of a plugin.
        path: the checkpoint's file; ``None``: heuristics alone.
        heuristics: names of those that work beside it.
        device: that was chosen, such as ``"cpu"``.
        precision: of its products, such as ``"fp32"``.
        points: instances are points, not cost matrices.
        demands: instances have demands and a capacity.
        min_nodes: of an instance, a depot included.
        parameters: numbers that were trained; 0 without a checkpoint.
    """

    problem: str
    path: Optional[str]
    heuristics: Tuple[str, ...]
    device: str
    precision: str
    points: bool
    demands: bool
    min_nodes: int
    parameters: int


class Model:
    """What solves: a trained model, heuristics, or both side by side.

    A model is never changed and may be used by any number of threads at once; each call takes working
    memory that stays warm for the next. Calls release the GIL. Close a model, or use it as a context
    manager, to give its memory back at once.

    Args:
        model: a checkpoint's file; the name of a shipped model (``"atsp"``); ``"none"``: heuristics
            alone. ``None``: the one shipped for the problem; where there is none, heuristics alone.
        problem: name of the problem; ``None``: the checkpoint's, else the one of `points` and `demands`.
        points: without `problem` and `model`: instances are points, not cost matrices.
        demands: without `problem` and `model`: they have demands and a capacity.
        heuristics: names, or ``"none"``; ``None``: all that fit the problem.
        device: ``"cpu"``, ``"cuda"``, ...; ``None``: the fastest one here.
        precision: of the device's products: ``"fp32"``, ``"tf32"``, ``"bf16"``; ``None``: its usual one.
        threads: cores that one call uses; 0: all. Take 1 where many threads solve side by side.
        plugin_path: folders that are searched for plugins first, ``:`` between them.
        model_path: the same for shipped models.

    Raises:
        ConfigurationError, PluginError: a name is unknown.
        FileError: the checkpoint cannot be read.

    Example:
        >>> with edgefw.Model("runs/atsp/ours/best.h5") as model:
        ...     solutions = model.solve(matrices)  # (B, n, n)
    """

    def __init__(
        self,
        model: Optional[PathLike] = None,
        *,
        problem: Optional[str] = None,
        points: bool = False,
        demands: bool = False,
        heuristics: Union[str, Iterable[str], None] = None,
        device: Optional[str] = None,
        precision: Optional[str] = None,
        threads: int = 0,
        plugin_path: Optional[str] = None,
        model_path: Optional[str] = None,
    ) -> None:
        self._arguments = {key: value for key, value in locals().items() if key not in ("self", "__class__")}
        self._lock = threading.Lock()
        self._idle: List[Solver] = []
        self._busy = 0
        self._closed = True  # until it is open
        self._threads = whole(threads, "threads", 2**31 - 1)
        self._arguments["heuristics"] = heuristics = _names(heuristics)
        self._arguments["model"] = model = _file_or_name(model)
        request = native.ModelRequest(
            problem=native.encode(problem),
            points=points,
            demands=demands,
            model=native.encode(model),
            heuristics=native.encode(heuristics),
            device=native.encode(device),
            precision=native.encode(precision),
            plugin_path=native.encode(plugin_path),
            model_path=native.encode(model_path),
        )
        self._context = Context(1)
        self._handle = c_void_p()
        with files:
            self._context.check(
                library.edgefw_model_open(self._context.handle, byref(request), byref(self._handle))
            )
        self._closed = False
        self.info = self._describe()

    def _describe(self) -> ModelInfo:
        info = native.ModelInfo()
        library.edgefw_model_describe(self._handle, byref(info))
        heuristics = native.text(info.heuristics)
        return ModelInfo(
            problem=native.text(info.problem),
            path=os.fsdecode(info.path) if info.path else None,
            heuristics=tuple(heuristics.split(",")) if heuristics else (),
            device=native.text(info.device),
            precision=native.text(info.precision),
            points=info.points,
            demands=info.demands,
            min_nodes=info.min_nodes,
            parameters=info.parameters,
        )

    # --- Solving ----------------------------------------------------------------------------------

    def solve(
        self,
        matrix: Any = None,
        *,
        points: Any = None,
        demands: Any = None,
        capacity: Any = None,
        depot: int = 0,
        time_limit: Optional[float] = None,
        kicks: int = 0,
        reconstruct: int = 0,
        beam: int = 0,
        samples: int = 0,
        augment: int = 1,
        starts: int = 0,
        improve: bool = True,
        makers: str = "all",
        bound: bool = False,
        seed: int = 0,
        batch: int = 0,
        progress: Optional[ProgressCallback] = None,
    ) -> Union[Solution, Solutions]:
        """Solves one instance, or a batch of one size.

        By default the model decodes greedily and heuristics construct, both from all starts, local
        search improves every tour, and the best one counts. Arrays of float64, float32, int32 or int64
        whose memory is contiguous are not copied; tensors of PyTorch are read where they are.

        Args:
            matrix: (n, n) or (B, n, n) costs, row = from, column = to, at least 0 and in any unit;
                infinity: there is no such way. Or an :class:`Instance`.
            points: (n, 2) or (B, n, 2) coordinates in place of a matrix; costs are Euclidean distances.
            demands: (n,) or (B, n), 0 at the depot.
            capacity: of each vehicle, a number or (B,).
            depot: node where routes begin and end, or that tours begin with.
            time_limit: seconds for each instance: search goes on until then, or for as many kicks and
                rounds as are asked for.
            kicks: exchanges of random stretches, each improved again; 0: as many as `time_limit` allows,
                without one none; -1: none.
            reconstruct: rounds in which the model decodes stretches of the best tour again.
            beam: width of a beam search beside the rollouts.
            samples: tours sampled from every start; 0: greedy decoding.
            augment: 8: decode the symmetries of the square, too (points).
            starts: nodes that tours begin with; 0: all.
            improve: local search on top of every tour.
            makers: whose tours count: ``"all"``, those of the ``"policy"``, or of ``"heuristics"``.
            bound: work out a lower bound, too; it takes time that grows with n^3, of a `time_limit` the last
                tenth and what else is left.
            seed: of sampling and kicks. The same seed gives the same solutions with any number of
                threads, unless there is a time limit.
            batch: instances at once; 0: what suits the device.
            progress: is called several times a second with a :class:`Progress`; if it returns False the
                search stops, and the best tours so far are returned.

        Returns:
            A :class:`Solution` for one instance, :class:`Solutions` for a batch.

        Raises:
            ArgumentError: settings or sizes that make no sense.
            InfeasibleError: instances without a solution; its `solutions` has those of the others.
            KeyboardInterrupt: Ctrl-C, within moments.
        """
        instance = instance_of(matrix, points, demands, capacity, depot)
        problem = Arrays(instance)
        settings = native.SolveSettings(
            seed=whole(seed, "seed", 2**64 - 1),
            time_limit=seconds_of(time_limit),
            makers=one_of(makers, "makers", native.MAKERS),
            unimproved=not improve,
            starts=whole(starts, "starts"),
            samples=whole(samples, "samples"),
            augment=whole(augment, "augment"),
            beam=whole(beam, "beam"),
            reconstruct=whole(reconstruct, "reconstruct"),
            kicks=whole(kicks, "kicks", least=-1),
            batch=whole(batch, "batch"),
            bound=bool(bound),
        )
        solver = self._take()
        try:
            solutions = call(solver, problem, settings, progress)
        finally:
            self._give_back(solver)
        return answer_of(solutions, instance, problem.single)

    # --- Solvers, each for one thread at a time ---------------------------------------------------

    def _take(self) -> Solver:
        with self._lock:
            if self._closed:
                raise ArgumentError("the model is closed")
            self._busy += 1
            if self._idle:
                return self._idle.pop()
        try:
            return Solver(self._handle, self._threads)
        except BaseException:
            self._give_back(None)
            raise

    def _give_back(self, solver: Optional[Solver]) -> None:
        with self._lock:
            self._busy -= 1
            if solver and not self._closed:
                self._idle.append(solver)
                return
            last = self._closed and not self._busy
        if solver:
            solver.close()
        if last:
            self._destroy()

    def close(self) -> None:
        """Gives the model's memory back; calls in progress end first. Closing twice is allowed."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            idle, self._idle = self._idle, []
            last = not self._busy
        for solver in idle:
            solver.close()
        if last:
            self._destroy()

    def _destroy(self) -> None:
        library.edgefw_model_destroy(self._handle)
        self._context.close()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if not getattr(self, "_closed", True):
            self.close()

    def __reduce__(self) -> Tuple[Any, ...]:
        return functools.partial(Model, **self._arguments), ()

    def __repr__(self) -> str:
        info = self.info
        parts = [info.path or "no checkpoint", *info.heuristics]
        return f"<Model of {info.problem} on {info.device}: {', '.join(parts)}>"


def _file_or_name(model: Optional[PathLike]) -> Optional[str]:
    """Texts may be names of shipped models; a path is a file, also one without a folder."""
    if isinstance(model, os.PathLike):
        folder, file = os.path.split(os.fspath(model))
        return os.path.join(folder or ".", file)
    return model


def _names(heuristics: Union[str, Iterable[str], None]) -> Optional[str]:
    if heuristics is None or isinstance(heuristics, str):
        return heuristics
    return ",".join(heuristics) or "none"


# --- Solving without a model at hand --------------------------------------------------------------

_opening = threading.Lock()


@functools.lru_cache(maxsize=8)
def _kept(changed: Optional[int], **arguments: Any) -> Model:
    """The model of these arguments; a file that has changed since is opened again."""
    return Model(**arguments)


def _changed(file: Optional[str]) -> Optional[int]:
    try:
        return os.stat(file).st_mtime_ns if file is not None else None
    except OSError:
        return None


def solve(
    matrix: Any = None,
    *,
    points: Any = None,
    demands: Any = None,
    capacity: Any = None,
    depot: int = 0,
    model: Union[Model, PathLike, None] = None,
    heuristics: Union[str, Iterable[str], None] = None,
    device: Optional[str] = None,
    threads: int = 0,
    **settings: Any,
) -> Union[Solution, Solutions]:
    """Solves one instance, or a batch of one size, with the model shipped for it.

    The model of the first call is kept for later ones, so this is as fast as :meth:`Model.solve`,
    which takes the same arguments and says more of them.

    Args:
        matrix: (n, n) or (B, n, n) costs, row = from, column = to; or an :class:`Instance`.
        points: (n, 2) or (B, n, 2) coordinates in place of a matrix.
        demands: (n,) or (B, n), 0 at the depot.
        capacity: of each vehicle, a number or (B,).
        depot: node where routes begin and end, or that tours begin with.
        model: a :class:`Model`, or what it opens: a checkpoint's file, the name of a shipped model, or
            ``"none"``. ``None``: the model shipped for such instances.
        heuristics: names, or ``"none"``; ``None``: all that fit the problem.
        device: ``"cpu"``, ``"cuda"``, ...; ``None``: the fastest one here.
        threads: cores that the call uses; 0: all.
        **settings: of :meth:`Model.solve`, such as `time_limit` in seconds, `kicks`, `seed`, `bound`.

    Returns:
        A :class:`Solution` for one instance, :class:`Solutions` for a batch.

    Example:
        >>> matrix = np.loadtxt("stops.csv", delimiter=",")
        >>> edgefw.solve(matrix, time_limit=1).nodes
    """
    instance = instance_of(matrix, points, demands, capacity, depot)
    if isinstance(model, Model):
        if heuristics is not None or device is not None or threads != 0:
            raise ArgumentError("a Model has its heuristics, device and threads in itself")
        return model.solve(instance, **settings)
    file = _file_or_name(model)
    with _opening:  # threads that begin together open it once
        opened = _kept(
            _changed(file),
            model=file,
            points=instance.points is not None,
            demands=instance.demands is not None,
            heuristics=_names(heuristics),
            device=device,
            threads=threads,
        )
    return opened.solve(instance, **settings)
