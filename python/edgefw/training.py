"""Training and running experiments that configurations describe."""

from __future__ import annotations

import collections
import configparser
import csv
import ctypes
import os
import threading
from ctypes import byref, c_char_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Deque, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from . import _library as native
from ._library import Context, PathLike, library
from .errors import ArgumentError, FileError
from .model import Model
from .turns import files

_PATH_ROOM = 4096


@dataclass(frozen=True)
class RunProgress:
    """How a run stands.

    Attributes:
        variant: of the configuration, which is being trained or evaluated.
        what: ``"epoch 3/10"``, or the name of a test set.
        done: instances of this training, or of this set.
        total: of as many.
        rate: instances per second; ``None``: not known yet.
        remaining: seconds until `total`; ``None``: not known yet.
        cost: in training the mean cost of the best rollouts of the epoch so far; ``None`` else.
    """

    variant: str
    what: str
    done: float
    total: float
    rate: Optional[float]
    remaining: Optional[float]
    cost: Optional[float]


class Run:
    """A run of a configuration: an iterator of its progress, which works while it is iterated.

    The work goes on in a thread of its own, and does not wait for whoever iterates: of several
    messages on one epoch or set only the newest is kept. It begins with the first step, or with
    :meth:`wait`. Leaving the loop and dropping the run stops it, as do Ctrl-C and :meth:`stop`; what
    was done is saved, and the next run in the folder goes on from there with the same results.

    Attributes:
        config: the configuration's file.
        folder: of the run; everything is there in the end (docs/file-formats.md, "Run directories").

    Example:
        >>> run = edgefw.train("configs/quickstart.ini")
        >>> for progress in run:
        ...     print(progress.variant, progress.what, progress.cost)
        >>> model = run.model("ours")
    """

    def __init__(self, config: Path, folder: Path, request: native.RunRequest, kept: Any) -> None:
        self.config = config
        self.folder = folder
        self._shared = _Shared(request, kept)
        self._worker: Optional[threading.Thread] = None

    def __iter__(self) -> Iterator[RunProgress]:
        return self

    def __next__(self) -> RunProgress:
        self._begin()
        try:
            progress = self._shared.next()
        except BaseException:  # Ctrl-C while it waited
            self.stop()
            self._join()
            raise
        if progress is not None:
            return progress
        self._join()
        self._shared.end()
        raise StopIteration

    def wait(self) -> Run:
        """Lets the run come to its end, without looking at its progress."""
        collections.deque(self, maxlen=0)
        return self

    def stop(self) -> None:
        """Has the run save its state and end; iterating then ends, too. From any thread."""
        self._shared.stop()

    @property
    def stopped(self) -> bool:
        """The run has ended because it was stopped, and is not complete."""
        return self._shared.interrupted

    def _begin(self) -> None:
        if self._worker is None:
            self._worker = threading.Thread(target=self._shared.work, name="edgefw run", daemon=True)
            self._worker.start()

    def _join(self) -> None:
        assert self._worker is not None
        self._worker.join()

    def __del__(self) -> None:
        if getattr(self, "_worker", None) is not None:
            self.stop()

    # --- What it has left -------------------------------------------------------------------------

    @property
    def variants(self) -> List[str]:
        """Variants that the folder has a training of, in the order of their names."""
        return sorted(path.parent.name for path in self.folder.glob("*/metrics.csv"))

    def checkpoint(self, variant: Optional[str] = None) -> Path:
        """The checkpoint that a variant's training has come to: that of the best validation, where
        there was one, else that of the last epoch. `variant` may be left out where there is one."""
        folder = self.folder / self._variant(variant)
        context = Context(1)
        path = ctypes.create_string_buffer(_PATH_ROOM)
        context.check(
            library.edgefw_experiment_checkpoint(context.handle, native.encode(folder), path, _PATH_ROOM)
        )
        return Path(os.fsdecode(path.value))

    def model(self, variant: Optional[str] = None, **arguments: Any) -> Model:
        """The trained model of a variant; `arguments` are those of :class:`Model`."""
        return Model(self.checkpoint(variant), **arguments)

    def metrics(self, variant: Optional[str] = None) -> List[Dict[str, Optional[float]]]:
        """The epochs of a variant's training: a dict for each, by the columns of ``metrics.csv``
        (epoch, score, loss, gradient_norm, learning_rate, instances, seconds, ...). ``pandas.DataFrame``
        takes it as it is."""
        path = self.folder / self._variant(variant) / "metrics.csv"
        return [{key: _number(text) for key, text in row.items()} for row in _rows(path)]

    def results(self) -> List[Dict[str, Union[float, str, None]]]:
        """The rows of ``results.csv``: one for each variant and test set, with `objective`,
        `gap_percent`, `seconds` and others."""
        return [
            {key: _value(text) for key, text in row.items()} for row in _rows(self.folder / "results.csv")
        ]

    def _variant(self, variant: Optional[str]) -> str:
        if variant is not None:
            return variant
        variants = self.variants
        if len(variants) != 1:
            raise ArgumentError(f"{self.folder} has trainings of {variants or 'no variant'}; name one")
        return variants[0]


class _Shared:
    """What a run's two threads share. It knows nothing of the Run, so that dropping that one is noticed."""

    def __init__(self, request: native.RunRequest, kept: Any) -> None:
        self.request = request
        self.kept = kept  # memory that the request points to
        self.changed = threading.Condition()
        self.messages: Deque[RunProgress] = collections.deque()
        self.stopping = False
        self.finished = False
        self.interrupted = False
        self.error: Optional[BaseException] = None

    def work(self) -> None:
        try:
            self._run()
        except BaseException as error:  # whoever iterates gets it
            self.error = error
        finally:
            with self.changed:
                self.finished = True
                self.changed.notify_all()
            self.request.progress = native.RunCallback()  # it would keep this object

    def _run(self) -> None:
        context = Context()
        try:
            self.request.progress = native.RunCallback(self._tell)
            with files:
                status = library.edgefw_experiment_run(context.handle, byref(self.request))
            if status == native.INTERRUPTED:
                self.interrupted = True
            elif status != native.OK:
                self.error = context.error(status)
        finally:
            context.close()

    def _tell(self, _: object, now: Any) -> bool:
        progress = _progress_of(now.contents)
        files.let_others()  # between two batches no file is being read or written
        with self.changed:
            last = self.messages[-1] if self.messages else None
            if last and (last.variant, last.what) == (progress.variant, progress.what):
                self.messages.pop()
            self.messages.append(progress)
            self.changed.notify_all()
            return not self.stopping

    def next(self) -> Optional[RunProgress]:
        """The oldest message, as soon as there is one; None when the run has ended."""
        with self.changed:
            while not self.messages and not self.finished:
                self.changed.wait()
            return self.messages.popleft() if self.messages else None

    def stop(self) -> None:
        with self.changed:
            self.stopping = True

    def end(self) -> None:
        error, self.error = self.error, None
        if error is not None:
            raise error


def _progress_of(now: native.RunProgress) -> RunProgress:
    return RunProgress(
        variant=native.text(now.variant),
        what=native.text(now.what),
        done=now.done,
        total=now.total,
        rate=now.rate if now.rate > 0 else None,
        remaining=now.remaining if now.remaining >= 0 else None,
        cost=now.cost if now.cost == now.cost else None,
    )


# --- Files of a run -------------------------------------------------------------------------------


def _rows(path: Path) -> List[Dict[str, str]]:
    if not path.is_file():
        raise FileError(f"{path}: there is no such file; the run has not come to it", "IO")
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def _number(text: str) -> Optional[float]:
    return float(text) if text else None


def _value(text: str) -> Union[float, str, None]:
    try:
        return _number(text)
    except ValueError:
        return text


# --- Beginning one --------------------------------------------------------------------------------


def run(
    config: PathLike,
    sets: Optional[Mapping[str, Any]] = None,
    *,
    steps: Sequence[str] = (),
    folder: Optional[PathLike] = None,
    variant: Optional[str] = None,
    fresh: bool = False,
    plugin_path: Optional[str] = None,
) -> Run:
    """Trains and evaluates the variants of a configuration, as ``edgefw run`` does.

    Args:
        config: the configuration's file (docs/configuration.md).
        sets: keys of it to be set otherwise, ``{"train.epochs": 5}``, for all variants; yes and no
            may be given as bools, lists as lists.
        steps: of ``"train"``, ``"eval"``, ``"diagnostics"``; none: all.
        folder: of the run; ``None``: runs/NAME in the working directory, as the program has it.
        variant: only this one.
        fresh: discard what an earlier run left in the folder.
        plugin_path: folders that are searched for plugins first, ``:`` between them.

    Returns:
        A :class:`Run`, which begins when it is iterated or waited for. Its errors are raised there.

    Raises:
        ConfigurationError: the configuration is wrong.
        FileError: a file of the run cannot be read or written.
    """
    path = Path(config)
    settings = {str(key): _text_of(value) for key, value in (sets or {}).items()}
    where = Path(folder) if folder is not None else _usual_folder(path, settings)
    bits = 0
    for step in steps:
        if step not in native.STEPS:
            raise ArgumentError(f"steps has {step!r}; expected some of {', '.join(native.STEPS)}")
        bits |= native.STEPS[step]
    texts = (c_char_p * len(settings))(*(f"{key}={value}".encode() for key, value in settings.items()))
    request = native.RunRequest(
        config=native.encode(path),
        sets=ctypes.cast(texts, ctypes.POINTER(c_char_p)),
        set_count=len(settings),
        folder=native.encode(where),
        steps=bits,
        variant=native.encode(variant),
        fresh=fresh,
        plugin_path=native.encode(plugin_path),
    )
    return Run(path, where, request, texts)


def train(
    config: PathLike,
    sets: Optional[Mapping[str, Any]] = None,
    *,
    folder: Optional[PathLike] = None,
    variant: Optional[str] = None,
    fresh: bool = False,
    plugin_path: Optional[str] = None,
) -> Run:
    """Trains the variants of a configuration, as ``edgefw run --only train`` does. See :func:`run`.

    Example:
        >>> for progress in edgefw.train("configs/quickstart.ini", {"train.epochs": 5}):
        ...     print(progress.what, progress.cost)
    """
    return run(
        config,
        sets,
        steps=("train",),
        folder=folder,
        variant=variant,
        fresh=fresh,
        plugin_path=plugin_path,
    )


def _text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(_text_of(item) for item in value)
    return str(value)


def _usual_folder(config: Path, settings: Mapping[str, str]) -> Path:
    """runs/NAME, of [experiment] name or else of the file."""
    name = settings.get("experiment.name", "")
    if not name:
        parser = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
        try:
            parser.read(config, encoding="utf-8")
            name = parser.get("experiment", "name", fallback="") or ""
        except (configparser.Error, UnicodeDecodeError):
            pass  # the library tells what is wrong with it
    return Path("runs") / (name.split(";")[0].strip() or config.stem)
