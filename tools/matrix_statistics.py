#!/usr/bin/env python3
"""How cost matrices behave, for the table of docs/road.md: asymmetry (mean |c_ij - c_ji| over the mean of
c_ij), share of the triples whose detour is shorter, and how far nearest neighbour (the best of all
starts) and the cheapest assignment are from a good tour. Needs NumPy and h5py.

    matrix_statistics.py FILE.h5 COUNT REFERENCES.csv     of the first instances of a dataset
    matrix_statistics.py FILE.atsp...                     of TSPLIB files, with data/optima.csv
"""
import csv
import re
import sys
from pathlib import Path

import h5py
import numpy as np


def assignment(cost):
    """Least cost of a successor other than itself for each node (Kuhn 1955, by shortest paths)."""
    count = len(cost)
    inner = cost.astype(float)
    np.fill_diagonal(inner, 1e12)
    row_dual, column_dual = np.zeros(count + 1), np.zeros(count + 1)
    row_of, before = np.zeros(count + 1, int), np.zeros(count + 1, int)
    for row in range(1, count + 1):
        row_of[0], at = row, 0
        slack, used = np.full(count + 1, np.inf), np.zeros(count + 1, bool)
        while row_of[at]:
            used[at] = True
            reduced = inner[row_of[at] - 1] - row_dual[row_of[at]] - column_dual[1:]
            better = ~used[1:] & (reduced < slack[1:])
            slack[1:][better], before[1:][better] = reduced[better], at
            at = int(np.where(used[1:], np.inf, slack[1:]).argmin()) + 1
            least = slack[at]
            row_dual[row_of[used]] += least
            column_dual[used] -= least
            slack[1:][~used[1:]] -= least
        while at:
            row_of[at], at = row_of[before[at]], before[at]
    return sum(inner[row_of[j] - 1, j - 1] for j in range(1, count + 1))


def nearest_neighbour(cost):
    count, best = len(cost), np.inf
    for start in range(count):
        left, at, length = np.ones(count, bool), start, 0
        for _ in range(count - 1):
            left[at] = False
            to = int(np.where(left, cost[at], np.iinfo(np.int64).max).argmin())
            length, at = length + cost[at, to], to
        best = min(best, length + cost[at, start])
    return best


def statistics(cost, good):
    count = len(cost)
    apart = ~np.eye(count, dtype=bool)
    shorter = sum(((cost[:, k, None] + cost[None, k, :]) < cost)[apart].sum() for k in range(count))
    return (np.abs(cost - cost.T)[apart].mean() / cost[apart].mean(),
            shorter / (count * (count - 1) * (count - 2)),
            nearest_neighbour(cost) / good - 1, 1 - assignment(cost) / good)


def tell(name, rows):
    rows = 100 * np.array(rows)
    cells = [f"{mean:.1f} ({least:.1f} to {most:.1f})" if least < most else f"{mean:.1f}"
             for mean, least, most in zip(rows.mean(0), rows.min(0), rows.max(0))]
    print(f"| {name} | {len(rows)} | {' | '.join(cells)} |", flush=True)


def read_atsp(path):
    text = Path(path).read_text()
    count = int(re.search(r"DIMENSION\s*:\s*(\d+)", text).group(1))
    numbers = text[text.index("EDGE_WEIGHT_SECTION") + 19:].replace("EOF", "").split()
    cost = np.array(numbers, dtype=np.int64).reshape(count, count)
    np.fill_diagonal(cost, 0)
    return cost


def main():
    data = Path(__file__).resolve().parent.parent / "data"
    if len(sys.argv) == 4 and sys.argv[1].endswith(".h5"):
        good = [float(row["cost"]) for row in csv.DictReader(
            line for line in open(sys.argv[3], encoding="ascii") if not line.startswith("#"))]
        with h5py.File(sys.argv[1]) as file:
            costs = np.array(file["cost"][:int(sys.argv[2])]).astype(np.int64)
        tell(Path(sys.argv[1]).stem, [statistics(c, g * 1e6) for c, g in zip(costs, good)])
    elif len(sys.argv) > 1:
        optima = {row["name"]: float(row["optimum"])
                  for row in csv.DictReader(open(data / "optima.csv", encoding="ascii"))}
        tell("files", [statistics(read_atsp(p), optima[Path(p).stem]) for p in sys.argv[1:]])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
