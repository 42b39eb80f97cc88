#!/usr/bin/env python3
"""docs/road.svg: three instances of the generator `road`, each with its streets, its stops and the tour
that LKH (the PyPI package elkai) finds. Written to standard output; needs NumPy and elkai."""
import sys
from pathlib import Path

import elkai

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "golden"))
from make_road import Network, matrix, shortest  # noqa: E402

SEED, STOPS, SIDE, GAP = 2026, 30, 300, 20
LOOKS = {"street": 'stroke="#a0a0a0"', "oneway": 'stroke="#80c080"',
         "fast": 'stroke="#e0a030" stroke-width="3"',
         "tour": 'stroke="#2060b0" stroke-width="1.6" stroke-opacity="0.8"'}


def way(network, begin, end):
    """Junctions of a shortest way."""
    least, out = shortest(network.ways, begin), [end]
    while out[-1] != begin:
        at = out[-1]
        out.append(next(j for j in range(len(network.x)) if at in network.ways[j]
                        and least[j] + network.ways[j][at] == least[at]))
    return out[::-1]


def panel(instance, left):
    network, cost = Network(SEED, instance, STOPS), matrix(SEED, instance, STOPS)
    tour = elkai.DistanceMatrix(cost.tolist()).solve_tsp(runs=10)
    place = [f"{left + x * SIDE / 2**20:.0f} {GAP + y * SIDE / 2**20:.0f}"
             for x, y in zip(network.x, network.y)]
    lines = {"street": [], "oneway": [], "fast": []}
    for s, (a, b) in enumerate(network.streets):
        both = a in network.ways[b] and b in network.ways[a]
        lines["fast" if s in network.fast else "street" if both else "oneway"].append(
            f"M{place[a]}L{place[b]}")
    for name, paths in lines.items():
        yield f'<path fill="none" {LOOKS[name]} d="{"".join(paths)}"/>'
    steps = [place[j] for a, b in zip(tour, tour[1:]) for j in way(network, a, b)[:-1]]
    yield f'<path fill="none" {LOOKS["tour"]} d="M{"L".join(steps)}Z"/>'
    for j in range(STOPS):
        x, y = place[j].split()
        yield f'<circle cx="{x}" cy="{y}" r="3.5" fill="#c02020"/>'


def main():
    width, height = 3 * SIDE + 4 * GAP, SIDE + 2 * GAP
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">')
    print('<rect width="100%" height="100%" fill="#ffffff"/>')
    for instance in range(3):
        for line in panel(instance, GAP + instance * (SIDE + GAP)):
            print(line)
    print("</svg>")


if __name__ == "__main__":
    main()
