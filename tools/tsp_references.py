#!/usr/bin/env python3
"""Reference costs of generated TSP instances that are too large for tools/tsp_optima.c: LKH, as the
PyPI package elkai brings it, on distances times 10^6 rounded to integers; its tours are priced again
in double precision. data/README.md says how it is run."""
import math
import sys
from importlib.metadata import version

import elkai

MASK = 0xFFFFFFFF


def philox(seed, instance, block, stream=1):
    """Lanes 0 to 3 of a block of Philox4x32-10; stream 1 holds coordinates."""
    c = [block, stream, instance & MASK, instance >> 32]
    k0, k1 = seed & MASK, seed >> 32
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k0, b & MASK, a >> 32 ^ c[3] ^ k1, a & MASK]
        k0, k1 = k0 + 0x9E3779B9 & MASK, k1 + 0xBB67AE85 & MASK
    return c


def points(seed, instance, n):
    """x of node i is word 2i, y word 2i + 1."""
    words = [w for block in range((2 * n + 3) // 4) for w in philox(seed, instance, block)]
    return [(words[2 * i] >> 8, words[2 * i + 1] >> 8) for i in range(n)]


def reference(seed, instance, n, runs):
    nodes = [(x * 2.0**-24, y * 2.0**-24) for x, y in points(seed, instance, n)]
    matrix = [[round(1e6 * math.dist(a, b)) for b in nodes] for a in nodes]
    tour = elkai.DistanceMatrix(matrix).solve_tsp(runs=runs)  # ends where it begins
    if sorted(tour[:-1]) != list(range(n)):
        sys.exit(f"instance {instance}: LKH returned no tour")
    return math.fsum(math.dist(nodes[a], nodes[b]) for a, b in zip(tour, tour[1:]))


def main():
    if len(sys.argv) != 5:
        sys.exit("usage: tsp_references.py NODES SEED INSTANCES RUNS")
    n, seed, count, runs = map(int, sys.argv[1:])
    print(f"# set: problem = tsp; size = {n}; seed = {seed}; distribution = uniform")
    print("# costs: best found")
    print(f"# LKH (elkai {version('elkai')}, RUNS={runs}), distances * 1e6 as integers; its tour "
          "priced in double precision; best found, not proven")
    print("instance,cost")
    for instance in range(count):
        print(f"{instance},{reference(seed, instance, n, runs):.12f}", flush=True)


if __name__ == "__main__":
    main()
