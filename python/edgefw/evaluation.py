"""Evaluating a model on instances of which costs to compare with are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from .arrays import spread
from .errors import ArgumentError
from .model import Model, solve
from .solutions import Solution, Solutions


@dataclass(frozen=True)
class Evaluation:
    """Costs of a model's tours, as ``edgefw eval`` has them in a row of its table.

    Attributes:
        solutions: what was found, instance by instance.
        mean_cost: mean of all costs.
        references: (B,) costs to compare with; ``None``: there are none.
        gaps: (B,) per cent above the reference, 100 (cost - reference) / reference; ``None`` likewise.
        gap_percent: of the means, 100 (mean cost - mean reference) / mean reference; ``None`` likewise.
        mean_gap_percent: mean of `gaps`; ``None`` likewise.
        seconds: that all of it took.
    """

    solutions: Solutions
    mean_cost: float
    references: Optional[np.ndarray]
    gaps: Optional[np.ndarray]
    gap_percent: Optional[float]
    mean_gap_percent: Optional[float]
    seconds: float

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a row for each instance; with references it has `reference` and
        `gap_percent`, too."""
        table = self.solutions.to_pandas()
        if self.references is not None:
            table["reference"] = self.references
            table["gap_percent"] = self.gaps
        return table


def evaluate(
    matrix: Any = None,
    *,
    model: Any = None,
    references: Any = None,
    makers: str = "policy",
    improve: bool = False,
    **arguments: Any,
) -> Evaluation:
    """What a model's tours cost, and how far they are above references.

    Unlike :func:`solve` this leaves heuristics and local search out, unless `makers` and `improve` say
    otherwise: greedy decoding from all starts, as publications have it.

    Args:
        matrix: (B, n, n) costs, or an :class:`Instance`; as :func:`solve`, as all arguments not named here.
        model: a :class:`Model`, or what it opens.
        references: (B,) costs of optima or of the best known solutions, or one for all.
        makers: whose tours count: ``"policy"``, ``"heuristics"``, or ``"all"``.
        improve: local search on top of every tour.
        **arguments: of :func:`solve`.

    Example:
        >>> edgefw.evaluate(matrices, references=optima).mean_gap_percent
    """
    if isinstance(model, Model) and makers == "policy" and not model.info.parameters:
        makers = "all"  # heuristics are all that there is
    found = solve(matrix, model=model, makers=makers, improve=improve, **arguments)
    solutions = _as_batch(found) if isinstance(found, Solution) else found
    mean = float(solutions.costs.mean())
    if references is None:
        return Evaluation(solutions, mean, None, None, None, None, solutions.seconds)
    known = spread(references, "references", (len(solutions),))
    if not (known > 0).all():
        raise ArgumentError(f"references have the least value {known.min()}; expected costs above 0")
    gaps = 100.0 * (solutions.costs - known) / known
    return Evaluation(
        solutions=solutions,
        mean_cost=mean,
        references=known,
        gaps=gaps,
        gap_percent=float(100.0 * (mean / known.mean() - 1.0)),
        mean_gap_percent=float(gaps.mean()),
        seconds=solutions.seconds,
    )


def _as_batch(solution: Solution) -> Solutions:
    return Solutions(
        costs=np.array([solution.cost]),
        nodes=solution.nodes[np.newaxis],
        counts=np.array([len(solution.nodes)]),
        bounds=np.array([np.nan if solution.bound is None else solution.bound]),
        instance_seconds=np.array([solution.seconds]),
        makers=[solution.maker],
        depot=solution.depot,
        seconds=solution.seconds,
        stopped=solution.stopped,
    )
