"""Neural routing solvers: edgefw inside Python.

    >>> import edgefw, numpy as np
    >>> matrix = np.loadtxt("stops.csv", delimiter=",")
    >>> print(edgefw.solve(matrix).nodes)

* :func:`solve` takes a matrix of costs or points, one instance or a batch; :class:`Model` keeps a trained
  model at hand; :func:`evaluate` compares with known costs;
* :func:`train` and :func:`run` work through a configuration, and tell how far they are;
* :func:`from_ortools` and :func:`from_vrplib` read what other tools have;
* ``python -m edgefw`` is the program.

Shapes are written (B, n, n): B instances, n nodes. Nodes are numbered from 0. Costs have whatever unit
the matrix has, times are in seconds.
"""

from ._library import library as _native
from .errors import (
    ArgumentError,
    ConfigurationError,
    Error,
    FileError,
    InfeasibleError,
    LibraryError,
    OutOfMemoryError,
    PluginError,
)
from .evaluation import Evaluation, evaluate
from .instances import Instance, from_ortools, from_vrplib
from .model import Model, ModelInfo, solve
from .solutions import Progress, Solution, Solutions
from .training import Run, RunProgress, run, train

__version__: str = _native.edgefw_version().decode()

__all__ = [
    "ArgumentError",
    "ConfigurationError",
    "Error",
    "Evaluation",
    "FileError",
    "InfeasibleError",
    "Instance",
    "LibraryError",
    "Model",
    "ModelInfo",
    "OutOfMemoryError",
    "PluginError",
    "Progress",
    "Run",
    "RunProgress",
    "Solution",
    "Solutions",
    "evaluate",
    "from_ortools",
    "from_vrplib",
    "run",
    "solve",
    "train",
]
