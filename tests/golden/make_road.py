#!/usr/bin/env python3
"""Matrices of the generator `road` from its definition in docs/experiments.md, by another way than the
program's: every pair of junctions is looked at, reach is found by search from every junction.

Run by hand (never by the tests), from any folder; it needs NumPy:

    tests/golden/make_road.py            write road.csv beside this file: what instances add up to
    tests/golden/make_road.py SEED ID N  print the matrix of one instance, row by row
"""
import hashlib
import heapq
import math
import sys
from pathlib import Path

import numpy as np

CASES = [(2026, 0, 2), (2026, 0, 20), (2026, 1, 20), (2026, 2, 20), (2026, 0, 100), (2026, 1, 100),
         (2026, 0, 200), (0x0123456789ABCDEF, 0x100000005, 9)]
SIDE = 2**20
MASK = 0xFFFFFFFF
ROAD_STREAM = 10


def philox(counter, key):
    (a, b, c, d), (k, l) = counter, key
    for _ in range(10):
        p, q = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = q >> 32 ^ b ^ k, q & MASK, p >> 32 ^ d ^ l, p & MASK
        k, l = k + 0x9E3779B9 & MASK, l + 0xBB67AE85 & MASK
    return a, b, c, d


class Words:
    """Words of the road stream of one instance."""

    def __init__(self, seed, instance):
        self.key = seed & MASK, seed >> 32
        self.instance = instance & MASK, instance >> 32

    def __getitem__(self, which):
        return philox((which // 4, ROAD_STREAM) + self.instance, self.key)[which % 4]

    def below(self, which, bound):
        return self[which] * bound >> 32


def streets_of(x, y):
    """Pairs of junctions, the lower first, from the shortest street on."""
    squared = (x[:, None] - x) ** 2 + (y[:, None] - y) ** 2
    count = len(x)
    pairs = set()
    for a in range(count):
        others = sorted((j for j in range(count) if j != a), key=lambda j: (squared[a, j], j))
        for b in others[:8]:
            if not (squared[a] + squared[b] < squared[a, b]).any():
                pairs.add((min(a, b), max(a, b)))
    while len(home := component(count, pairs)) < count:
        away = [j for j in range(count) if j not in home]
        pairs.add(min(((min(a, b), max(a, b)) for a in home for b in away),
                      key=lambda p: (squared[p], p)))
    order = sorted(pairs, key=lambda p: (squared[p], p))
    return order, [max(1, math.isqrt(int(squared[p]))) for p in order]


def component(count, pairs):
    """Junctions that streets join with junction 0."""
    ways = {j: {} for j in range(count)}
    for a, b in pairs:
        ways[a][b] = ways[b][a] = 1
    return set(shortest(ways, 0))


def shortest(ways, source):
    """What the shortest ways from the source take, by the junction that they lead to."""
    least, queue = {}, [(0, source)]
    while queue:
        taken, at = heapq.heappop(queue)
        if at in least:
            continue
        least[at] = taken
        for to, more in ways[at].items():
            if to not in least:
                heapq.heappush(queue, (taken + more, to))
    return least


def fast_streets(words, x, y, streets, lengths):
    """The streets of the four fast roads."""
    ways = {j: {} for j in range(len(x))}
    for (a, b), length in zip(streets, lengths):
        ways[a][b] = ways[b][a] = length
    fast = set()
    for road in range(4):
        one, other = words[4 + 2 * road] >> 12, words[5 + 2 * road] >> 12
        ends = [(one, 0), (other, SIDE - 1)] if road % 2 else [(0, one), (SIDE - 1, other)]
        begin, at = (int(((x - px) ** 2 + (y - py) ** 2).argmin()) for px, py in ends)
        least = shortest(ways, begin)
        while at != begin:
            number, at = next((s, a + b - at) for s, (a, b) in enumerate(streets) if at in (a, b)
                              and least[a + b - at] + lengths[s] == least[at])
            fast.add(number)
    return fast


class Network:
    """The street network of one instance: ways[a][b] is what the street from a to b takes."""

    def __init__(self, seed, instance, n):
        words, count = Words(seed, instance), 3 * n + 24
        places = np.array([words[16 + k] >> 12 for k in range(2 * count)], dtype=np.int64)
        self.x, self.y = places[0::2], places[1::2]
        self.streets, lengths = streets_of(self.x, self.y)
        self.fast = fast_streets(words, self.x, self.y, self.streets, lengths)
        one_way = 10 + words.below(1, 41)
        times, self.ways = {}, {j: {} for j in range(count)}
        for s, (a, b) in enumerate(self.streets):
            at = 16 + 2 * count + 4 * s
            kind = words.below(at, 100)
            pace = 35 if s in self.fast else 70 + words.below(at + 1, 61)
            both = s in self.fast or kind >= one_way
            for k, (i, j) in enumerate([(a, b), (b, a)]):
                times[i, j] = max(1, lengths[s] * pace * (70 + words.below(at + 2 + k, 81)) // 40000)
                if both or kind % 2 == k:
                    self.ways[i][j] = times[i, j]
        reach = [set(shortest(self.ways, j)) for j in range(count)]
        for a, b in self.streets:
            if b not in reach[a] or a not in reach[b]:
                self.ways[a][b], self.ways[b][a] = times[a, b], times[b, a]


def matrix(seed, instance, n):
    """Times between the stops, before they are divided by 10^6."""
    ways = Network(seed, instance, n).ways
    while True:
        least = [shortest(ways, i) for i in range(n)]
        out = np.array([[row[j] for j in range(n)] for row in least], dtype=np.int64)
        if out.max() < 10**6:
            return out
        ways = {a: {b: (t + 1) // 2 for b, t in to.items()} for a, to in ways.items()}


def main():
    if len(sys.argv) == 4:
        for row in matrix(*map(int, sys.argv[1:])):
            print(*row)
        return
    if len(sys.argv) != 1:
        sys.exit(__doc__)
    with open(Path(__file__).parent / "road.csv", "w", encoding="ascii") as out:
        out.write("seed,instance,n,sum,sha256,first costs of row 0\n")
        for seed, instance, n in CASES:
            cost = matrix(seed, instance, n)
            digest = hashlib.sha256(cost.astype("<i4").tobytes()).hexdigest()
            first = " ".join(map(str, cost[0, :5]))
            out.write(f"{seed},{instance},{n},{cost.sum()},{digest},{first}\n")


if __name__ == "__main__":
    main()
