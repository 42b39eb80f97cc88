"""Instances of routing problems, and readers of what other tools have them in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Set

import numpy as np

from .arrays import as_array
from .errors import ArgumentError


@dataclass(frozen=True)
class Instance:
    """One instance, or a batch of B instances of one size n.

    Attributes:
        matrix: (n, n) or (B, n, n) costs, row = from, column = to, in any unit and at least 0; the
            diagonal means nothing, and infinity says that there is no such way. Or else:
        points: (n, 2) or (B, n, 2) coordinates in any unit; costs are Euclidean distances.
        demands: (n,) or (B, n), 0 at the depot, in the unit of `capacity`; ``None``: there are none.
        capacity: of each vehicle, a number or (B,).
        depot: node where routes begin and end, or that a tour begins with.
        vehicles: number of vehicles that there are; ``None``: as many as are needed.
        name: what the instance is called.
    """

    matrix: Optional[Any] = None
    points: Optional[Any] = None
    demands: Optional[Any] = None
    capacity: Optional[Any] = None
    depot: int = 0
    vehicles: Optional[int] = None
    name: Optional[str] = None

    def __post_init__(self) -> None:
        if (self.matrix is None) == (self.points is None):
            raise ArgumentError("an instance has either a matrix of costs or points")
        if (self.demands is None) != (self.capacity is None):
            given, lacks = ("demands", "capacity") if self.capacity is None else ("capacity", "demands")
            raise ArgumentError(f"{given} without {lacks}: an instance has both or neither")


def from_ortools(data: Mapping[str, Any]) -> Instance:
    """The instance of a data model as programs for OR-Tools have it.

    Args:
        data: ``distance_matrix`` or ``time_matrix`` (n, n); ``depot``; ``demands`` (n,) with
            ``vehicle_capacities``, which must all be equal; ``num_vehicles``. Other keys that state
            a constraint, such as ``time_windows`` or ``pickups_deliveries``, are refused.

    Raises:
        ArgumentError: edgefw has no problem with these constraints.
    """
    _refuse(
        data,
        {
            "distance_matrix",
            "time_matrix",
            "depot",
            "demands",
            "vehicle_capacities",
            "num_vehicles",
        },
        "the data model",
    )
    matrices = [key for key in ("distance_matrix", "time_matrix") if key in data]
    if len(matrices) != 1:
        raise ArgumentError(
            f"the data model has {matrices or 'no matrix'}; expected one of distance_matrix, time_matrix"
        )
    demands = data.get("demands")
    vehicles = data.get("num_vehicles")
    if (demands is None) != ("vehicle_capacities" not in data):
        raise ArgumentError(
            "the data model has only one of demands and vehicle_capacities; expected both or neither"
        )
    if demands is None and vehicles not in (None, 1):
        raise ArgumentError(f"num_vehicles = {vehicles} without demands: expected 1, one tour of all nodes")
    capacity = None
    if demands is not None:
        capacities = np.unique(as_array(data["vehicle_capacities"], "vehicle_capacities"))
        if capacities.size != 1:
            raise ArgumentError(f"vehicle_capacities are {capacities.tolist()}; expected equal vehicles")
        capacity = float(capacities[0])
        if vehicles is None:
            vehicles = len(data["vehicle_capacities"])
    return Instance(
        matrix=data[matrices[0]],
        demands=demands,
        capacity=capacity,
        depot=int(data.get("depot", 0)),
        vehicles=None if vehicles is None else int(vehicles),
    )


_VRPLIB_KEYS = {
    *("name", "comment", "type", "dimension", "vehicles", "capacity", "demand", "depot"),
    *("edge_weight_type", "edge_weight_format", "edge_weight"),
    *("node_coord_type", "node_coord", "display_data_type", "display_data"),
}


def from_vrplib(data: Mapping[str, Any]) -> Instance:
    """The instance of a dict as ``vrplib.read_instance`` of the package VRPLIB returns it.

    Where the weights are Euclidean (``EUC_2D``) the instance has points, so costs are not rounded;
    otherwise it has the matrix ``edge_weight``. Nodes are numbered from 0, as in the dict.

    Args:
        data: ``edge_weight`` (n, n) or ``node_coord`` (n, 2); ``demand`` (n,), ``capacity`` and
            ``depot`` where there are demands.

    Raises:
        ArgumentError: edgefw has no problem with these constraints (time windows, several depots).
    """
    _refuse(data, _VRPLIB_KEYS, "the dict")
    points = data.get("node_coord") if data.get("edge_weight_type") == "EUC_2D" else None
    matrix = data.get("edge_weight") if points is None else None
    if points is None and matrix is None:
        raise ArgumentError(
            f"the dict has no edge_weight, and edge_weight_type {data.get('edge_weight_type')}; expected "
            "edge_weight, or EUC_2D with node_coord"
        )
    depots = np.atleast_1d(as_array(data.get("depot", 0), "depot"))
    if depots.size != 1:
        raise ArgumentError(f"the dict has the depots {depots.tolist()}; expected one")
    return Instance(
        matrix=matrix,
        points=points,
        demands=data.get("demand"),
        capacity=data.get("capacity") if "demand" in data else None,
        depot=int(depots[0]),
        vehicles=data.get("vehicles"),
        name=data.get("name"),
    )


def _refuse(data: Mapping[str, Any], known: Set[str], what: str) -> None:
    unknown = sorted(str(key) for key in data if key not in known)
    if unknown:
        raise ArgumentError(
            f"{what} has {', '.join(unknown)}: edgefw knows no such constraint; leave out what is none"
        )
