"""What solving comes to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, List, Optional, Union, overload

import numpy as np


@dataclass(frozen=True)
class Progress:
    """How a call of ``solve`` stands.

    Attributes:
        done: instances that are finished.
        count: instances in all.
        cost: of the best tour so far, of a single instance; NaN else.
        seconds: since the call began.
    """

    done: int
    count: int
    cost: float
    seconds: float


@dataclass(frozen=True)
class Solution:
    """The best tour, or routes, of one instance.

    Attributes:
        nodes: (count,) int32, nodes in order of visit, numbered from 0. A tour begins at the depot
            and returns to it; routes begin at the depot and have it between each other. Empty if
            there is no solution.
        cost: in the unit of the instance, priced by a checker apart from the search; NaN without a
            solution.
        bound: no solution costs less; ``None`` if it was not asked for or is not known.
        seconds: spent on the instance, of a batch its part.
        maker: whose tour it was in the beginning: ``"policy"`` or a heuristic.
        depot: node where routes begin.
        stopped: it was stopped, by its limit or by somebody, before it had done all that was asked for;
            a search that goes on until the limit is not stopped by it.
    """

    nodes: np.ndarray = field(repr=False)
    cost: float
    bound: Optional[float]
    seconds: float
    maker: Optional[str]
    depot: int = 0
    stopped: bool = False

    @property
    def routes(self) -> List[List[int]]:
        """The nodes of each route, without the depot; a tour is one route."""
        routes: List[List[int]] = [[]]
        for node in self.nodes.tolist():
            if node != self.depot:
                routes[-1].append(node)
            elif routes[-1]:
                routes.append([])
        return [route for route in routes if route]

    @property
    def gap(self) -> Optional[float]:
        """How much the cost may be above the best there is: (cost - bound) / bound; ``None``
        without a bound."""
        if self.bound is None or self.bound <= 0:
            return None
        return (self.cost - self.bound) / self.bound


class Solutions(Sequence[Solution]):
    """Solutions of a batch, in its order: a sequence of :class:`Solution` over shared arrays.

    Attributes:
        costs: (B,) float64, NaN where there is no solution.
        nodes: (B, most) int32; each row's first ``counts[b]`` entries are a solution, the others -1.
        counts: (B,) int64.
        bounds: (B,) float64, NaN where no bound is known.
        instance_seconds: (B,) float64, each instance's part of the time.
        makers: whose tour each was in the beginning.
        depot: node where routes begin.
        seconds: that the call took.
        stopped: by a limit or by somebody, before all was done that was asked for.
    """

    def __init__(
        self,
        costs: np.ndarray,
        nodes: np.ndarray,
        counts: np.ndarray,
        bounds: np.ndarray,
        instance_seconds: np.ndarray,
        makers: List[Optional[str]],
        depot: int,
        seconds: float,
        stopped: bool,
    ) -> None:
        self.costs = costs
        self.nodes = nodes
        self.counts = counts
        self.bounds = bounds
        self.instance_seconds = instance_seconds
        self.makers = makers
        self.depot = depot
        self.seconds = seconds
        self.stopped = stopped

    def __len__(self) -> int:
        return len(self.costs)

    @overload
    def __getitem__(self, index: int) -> Solution: ...

    @overload
    def __getitem__(self, index: slice) -> List[Solution]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[Solution, List[Solution]]:
        if isinstance(index, slice):
            return [self._solution(b) for b in range(*index.indices(len(self)))]
        b = range(len(self))[index]  # also refuses what is out of range
        return self._solution(b)

    def _solution(self, b: int) -> Solution:
        bound = float(self.bounds[b])
        return Solution(
            nodes=self.nodes[b, : self.counts[b]],
            cost=float(self.costs[b]),
            bound=None if math.isnan(bound) else bound,
            seconds=float(self.instance_seconds[b]),
            maker=self.makers[b],
            depot=self.depot,
            stopped=self.stopped,
        )

    def __repr__(self) -> str:
        mean = self.costs.mean()
        stopped = ", stopped" if self.stopped else ""
        return f"<Solutions of {len(self)} instances, mean cost {mean:.6g}, {self.seconds:.3g} s{stopped}>"

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a row for each instance: cost, bound, seconds, maker, nodes.

        Raises:
            ImportError: pandas is not installed.
        """
        import pandas  # not needed otherwise

        return pandas.DataFrame(
            {
                "cost": self.costs,
                "bound": self.bounds,
                "seconds": self.instance_seconds,
                "maker": self.makers,
                "nodes": [self.nodes[b, : self.counts[b]] for b in range(len(self))],
            }
        )
