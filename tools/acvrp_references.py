#!/usr/bin/env python3
"""Reference costs of generated ACVRP instances, on the costs in millionths, which are integers: a tour of
LKH, as the PyPI package elkai brings it, over the customers, cut into routes from each of its nodes, and
PyVRP from the best of these; its routes are checked and priced again here. The instances are made here,
too, from their definition (docs/experiments.md). data/README.md says how it is run."""
import argparse
import sys
from importlib.metadata import version

import elkai
import numpy as np
import pyvrp
from pyvrp.search import LocalSearch, PerturbationManager, compute_neighbours
from pyvrp.solve import SolveParams
from pyvrp.stop import MaxIterations

CAPACITY = {20: 30, 50: 40, 100: 50, 200: 80, 500: 100, 1000: 250}
COST, DEMAND = 0, 2  # streams of the generator
STARTS = 3  # local optima that PyVRP goes on from


def philox(seed, stream, instance, words):
    """The first words of a stream: lane w mod 4 of block w / 4 of Philox4x32-10, as 64-bit numbers."""
    blocks = -(-words // 4)
    c = [np.arange(blocks, dtype=np.uint64)]
    c += [np.full(blocks, part, dtype=np.uint64) for part in (stream, instance & 0xFFFFFFFF, instance >> 32)]
    k0, k1, half, mask = seed & 0xFFFFFFFF, seed >> 32, np.uint64(32), np.uint64(0xFFFFFFFF)
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [b >> half ^ c[1] ^ np.uint64(k0), b & mask, a >> half ^ c[3] ^ np.uint64(k1), a & mask]
        k0, k1 = k0 + 0x9E3779B9 & 0xFFFFFFFF, k1 + 0xBB67AE85 & 0xFFFFFFFF
    return np.stack(c, axis=1).reshape(-1)[:words]


def below(words, bound):
    return (words * np.uint64(bound) >> np.uint64(32)).astype(np.int64)


def instance_of(seed, instance, customers):
    """Costs (n, n) in millionths, closed under the triangle inequality, and demands (n); 0 is the depot."""
    n = customers + 1
    cost = below(philox(seed, COST, instance, n * n), 10**6).reshape(n, n)
    np.fill_diagonal(cost, 0)
    for k in range(n):
        np.minimum(cost, cost[:, k, None] + cost[None, k, :], out=cost)
    demand = 1 + below(philox(seed, DEMAND, instance, customers), 9)
    return cost, np.concatenate(([0], demand))


def problem_of(cost, demand, capacity):
    """The instance as PyVRP has it; as many vehicles as customers, and none has to leave."""
    n = len(demand)
    return pyvrp.ProblemData(
        locations=[pyvrp.Location(0, 0)] * n,
        clients=[pyvrp.Client(i, delivery=[int(demand[i])]) for i in range(1, n)],
        depots=[pyvrp.Depot(0)],
        vehicle_types=[pyvrp.VehicleType(n - 1, capacity=[capacity])],
        distance_matrices=[cost],
        duration_matrices=[np.zeros_like(cost)],
    )


def split(cost, demand, capacity, order):
    """The cheapest routes that take the customers in this order, by dynamic programming."""
    best, begins = [0] + [None] * len(order), [0] * (len(order) + 1)
    for begin in range(len(order)):
        load = inside = 0
        for end in range(begin, len(order)):
            load += demand[order[end]]
            if load > capacity:
                break
            if end > begin:
                inside += cost[order[end - 1]][order[end]]
            total = best[begin] + cost[0][order[begin]] + inside + cost[order[end]][0]
            if best[end + 1] is None or total < best[end + 1]:
                best[end + 1], begins[end + 1] = total, begin
    routes, end = [], len(order)
    while end > 0:
        routes.append(order[begins[end] : end])
        end = begins[end]
    return routes


def starts_of(data, cost, demand, capacity, seed):
    """Local optima, the best first: LKH's tour over the customers, begun at each of them, cut into routes
    and improved by PyVRP's local search."""
    tour = [1 + c for c in elkai.DistanceMatrix(cost[1:, 1:].tolist()).solve_tsp(runs=1)[:-1]]
    params = SolveParams()
    search = LocalSearch(data, pyvrp.RandomNumberGenerator(seed=seed), compute_neighbours(data, params.neighbourhood),
                         PerturbationManager(params.perturbation))
    for operator in params.operators:
        if operator.supports(data):
            search.add_operator(operator(data))
    price_of = pyvrp.PenaltyManager(params.penalty.midpoint_penalties(data), params.penalty).max_cost_evaluator()
    rows, loads, found = cost.tolist(), demand.tolist(), {}
    for k in range(len(tour)):
        routes = split(rows, loads, capacity, tour[k:] + tour[:k])
        start = pyvrp.Solution(data, [[c - 1 for c in route] for route in routes])
        start = search(start, price_of, exhaustive=True)
        if start.is_feasible():
            found.setdefault(start.distance(), start)
    return [found[distance] for distance in sorted(found)]


def solve(cost, demand, capacity, iterations, seed):
    """The best routes found, as lists of customers from 1."""

    def improve(start, most):
        return pyvrp.solve(data, MaxIterations(most), seed=seed, collect_stats=False, display=False,
                           initial_solution=start).best

    data = problem_of(cost, demand, capacity)
    starts = starts_of(data, cost, demand, capacity, seed)[:STARTS]
    best = min((improve(start, iterations) for start in starts), key=lambda found: found.distance())
    best = improve(best, STARTS * iterations)
    return [[data.client(visit.idx).location for visit in route if visit.is_client()] for route in best.routes()]


def price(cost, demand, capacity, routes):
    """What the routes cost; ends the program where they are no solution."""
    if sorted(c for route in routes for c in route) != list(range(1, len(demand))):
        sys.exit("not every customer is visited once")
    if any(sum(demand[c] for c in route) > capacity for route in routes):
        sys.exit("a route carries more than the capacity")
    return sum(int(cost[a, b]) for route in routes for a, b in zip([0] + route, route + [0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("customers", type=int, choices=CAPACITY)
    parser.add_argument("instances", type=int)
    parser.add_argument("iterations", type=int, help="of PyVRP from each start; three times as many from the best")
    parser.add_argument("--seed", type=int, default=2026, help="of the instances")
    parser.add_argument("--solver-seed", type=int, default=1)
    a = parser.parse_args()
    capacity = CAPACITY[a.customers]
    print(f"# set: problem = acvrp; size = {a.customers}; seed = {a.seed}; distribution = tmat; capacity = 0; "
          "demand_low = 1; demand_high = 9")
    print("# costs: best found")
    print(f"# PyVRP {version('pyvrp')}, {a.iterations} iterations from each of {STARTS} starts (tours of LKH, elkai "
          f"{version('elkai')}, cut into routes) and {STARTS * a.iterations} from the best, seed {a.solver_seed}, other "
          "parameters default, as many vehicles as customers; routes priced again; costs are integers, "
          "cost column = integer/1e6")
    print("instance,cost")
    for instance in range(a.instances):
        cost, demand = instance_of(a.seed, instance, a.customers)
        routes = solve(cost, demand, capacity, a.iterations, a.solver_seed)
        total = price(cost, demand, capacity, routes)
        print(f"{instance},{total // 10**6}.{total % 10**6:06d}", flush=True)


if __name__ == "__main__":
    main()
