#!/usr/bin/env python3
"""Reference costs of generated ATSP instances on street networks: LKH, as the PyPI package elkai brings
it, on the matrices that `edgefw data generate --problem atsp --set problem.distribution=road` has
written, which are whole numbers. data/README.md says how it is run."""
import sys
from importlib.metadata import version

import elkai
import h5py
import numpy as np


def reference(cost, runs):
    tour = elkai.DistanceMatrix(cost.tolist()).solve_tsp(runs=runs)  # ends where it begins
    if sorted(tour[:-1]) != list(range(len(cost))):
        sys.exit("LKH returned no tour")
    return sum(int(cost[a, b]) for a, b in zip(tour, tour[1:]))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: road_references.py FILE.h5 RUNS")
    with h5py.File(sys.argv[1]) as file:
        if (file.attrs["problem"], file.attrs["distribution"]) != (b"atsp", b"road"):
            sys.exit(f"{sys.argv[1]}: expected instances of atsp whose distribution is road")
        costs, seed = np.array(file["cost"]).astype(np.int64), int(file.attrs["seed"])
    runs = int(sys.argv[2])
    print(f"# set: problem = atsp; size = {costs.shape[1]}; seed = {seed}; distribution = road")
    print("# costs: best found")
    print(f"# LKH (elkai {version('elkai')}, RUNS={runs}); costs are integers, cost column = "
          "integer/1e6; best found, not proven")
    print("instance,cost")
    for instance, cost in enumerate(costs):
        print(f"{instance},{reference(cost, runs) / 1e6:.6f}", flush=True)


if __name__ == "__main__":
    main()
