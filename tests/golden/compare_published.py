#!/usr/bin/env python3
"""Greedy tours of the published programs beside edgefw's, with equal weights and equal instances.

Run by hand (never by the tests), with clones of the programs that are to be compared:

    python3 tests/golden/compare_published.py --edgefw build/release/edgefw \\
        --radar RADAR --pomo POMO --elg ELG [--only "elg cvrp"] [-o tests/golden/published.csv]

    RADAR  https://github.com/yihang0410/RADAR     POMO  https://github.com/yd-kwon/POMO
    ELG    https://github.com/gaocrr/ELG

It needs PyTorch and NumPy. For each pair of a program and a problem it lets the published code make a model
of its published size, shakes its parameters, saves it by torch.save as its trainer does, has that imported
by `edgefw model import`, tensors that nothing uses with it, and lets both decode 16 instances of 20 and of
50 nodes (customers). Compared are, for each instance, the rollout from the first start and the best one of
all starts; a tour counts as equal if it is the same tour, wherever it begins. Both sides calculate in double (device reference64), where no rounding
decides; the columns _float tell how many remain equal in single precision (device cpu), for information.

published_programs.py says what is changed in the published code. A row that is not all equal fails.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

INSTANCES = 16
SIZES = (20, 50)
CAPACITY = {20: 30, 50: 40}

# program, problem, what else: options of edgefw's composition
PAIRS = [
    ("radar", "atsp", "published SVD"), ("radar", "acvrp", "published SVD"),
    ("radar", "atsp", "exact SVD"), ("radar", "acvrp", "exact SVD"),
    ("pomo", "tsp", ""), ("pomo", "cvrp", ""), ("elg", "tsp", ""), ("elg", "cvrp", ""),
    ("elg", "tsp", "library files"), ("elg", "cvrp", "library files"),
]
COLUMNS = ["program", "problem", "setting", "nodes", "instances", "first_equal", "best_equal",
           "first_equal_float", "best_equal_float"]


def has_depot(problem):
    return problem in ("acvrp", "cvrp")


# --- Instances ---------------------------------------------------------------------------------------


def closed(cost):
    """Shortest paths (Floyd 1962)."""
    for k in range(cost.shape[-1]):
        cost = np.minimum(cost, cost[:, :, k, None] + cost[:, None, k, :])
    return cost


def make_instances(problem, size, library):
    random = np.random.default_rng([size, len(problem), library])
    n = size + has_depot(problem)
    out = {"size": size, "library": library}
    if problem in ("atsp", "acvrp"):
        cost = random.integers(0, 10 ** 6, (INSTANCES, n, n))
        cost[:, np.arange(n), np.arange(n)] = 0
        out["cost"] = closed(cost) / 1e6
    elif library:  # neither square nor at the origin
        points = random.integers([40, 900], [1040, 1400], (INSTANCES, n, 2))
        out["coords"] = points.astype(np.float64)
    else:  # edgefw scales what it reads: let that change nothing
        points = random.random((INSTANCES, n, 2))
        points -= points.min(axis=1, keepdims=True)
        out["coords"] = points / points.max(axis=(1, 2), keepdims=True)
    if has_depot(problem):
        out["demand"] = random.integers(1, 10, (INSTANCES, n)).astype(np.float64)
        out["demand"][:, 0] = 0.0
        out["capacity"] = CAPACITY[size]
    return out


def one(instances, b):
    return {key: value[b:b + 1] if isinstance(value, np.ndarray) else value
            for key, value in instances.items()}


def instance_text(problem, instances, b, name):
    n = instances["size"] + has_depot(problem)
    lines = [f"NAME: {name}", f"TYPE: {problem.upper()}", f"DIMENSION: {n}"]
    if has_depot(problem):
        lines.append(f"CAPACITY: {instances['capacity']}")
    if "cost" in instances:
        lines += ["EDGE_WEIGHT_TYPE: EXPLICIT", "EDGE_WEIGHT_FORMAT: FULL_MATRIX", "EDGE_WEIGHT_SECTION"]
        lines += [" ".join(f"{x:.6f}" for x in row) for row in instances["cost"][b]]
    else:
        lines += [f"EDGE_WEIGHT_TYPE: {'EUC_2D' if instances['library'] else 'EXACT_2D'}",
                  "NODE_COORD_SECTION"]
        lines += [f"{i + 1} {float(x)!r} {float(y)!r}" for i, (x, y) in enumerate(instances["coords"][b])]
    if has_depot(problem):
        lines += ["DEMAND_SECTION"]
        lines += [f"{i + 1} {int(d)}" for i, d in enumerate(instances["demand"][b])]
        lines += ["DEPOT_SECTION", "1", "-1"]
    return "\n".join(lines + ["EOF", ""])


def write_instances(folder, problem, instances):
    suffix = {"atsp": "atsp", "tsp": "tsp"}.get(problem, "vrp")
    paths = [folder / f"{problem}{b:02}.{suffix}" for b in range(INSTANCES)]
    for b, path in enumerate(paths):
        path.write_text(instance_text(problem, instances, b, path.stem))
    return paths


# --- edgefw ------------------------------------------------------------------------------------------


def call(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def clip_of(program):
    return 50 if program == "elg" else 10


def config_text(program, problem, setting):
    scale = "coordinate_scale = elg\n" if setting == "library files" else ""
    svd = f"svd = {setting.split()[0]}\n" if program == "radar" else ""
    terms = "local_policy, distance_penalty" if program == "elg" else ""
    clip = clip_of(program)
    return (f"[experiment]\ndevice = cpu\n[problem]\nname = {problem}\n{scale}"
            f"[backbone]\nname = {program}\n{svd}[decoder]\nterms = {terms}\nlogit_clip = {clip}\n"
            "[train]\nsize = 5\nepochs = 1\ninstances_per_epoch = 1\nbatch = 1\ncheckpoint_every = 1\n"
            f"milestones =\n[eval]\nsizes = 2\ninstances = 1\nlogit_clip = {clip}\nselect = greedy\n")


def write_checkpoint(edgefw, folder, config, model):
    """The model as its trainer saves it, imported: all its tensors, those that nothing uses with them."""
    import torch
    config_path, saved, path = folder / "model.ini", folder / "model.pt", folder / "model.h5"
    config_path.write_text(config)
    torch.save({"epoch": 1, "model_state_dict": model.state_dict()}, saved)
    return path, call([edgefw, "model", "import", saved, "--config", config_path, "-o", path])


def solve(edgefw, checkpoint, paths, device, starts):
    words = [edgefw, "solve", *paths, "--model", checkpoint, "--device", device, "--improve", "none", "--construct", "none",
             "--json"]
    text = call(words + (["--starts", starts] if starts else []))
    return [json.loads(line)["tour"] for line in text.splitlines() if line.startswith("{")]


# --- Tours -------------------------------------------------------------------------------------------


def routes_of(tour):
    routes = [[]]
    for node in tour:
        if node == 0:
            routes.append([])
        else:
            routes[-1].append(int(node))
    return [tuple(route) for route in routes if route]


def normal(problem, tour):
    """The same for all ways to write a tour down; symmetric problems have no direction."""
    if has_depot(problem):
        routes = routes_of(tour)
        return sorted(min(r, r[::-1]) for r in routes) if problem == "cvrp" else sorted(routes)
    tour = [int(node) for node in tour]
    at = tour.index(0)
    tour = tour[at:] + tour[:at]
    return min(tour, tour[:1] + tour[:0:-1]) if problem == "tsp" else tour


def length(instances, problem, b, tour):
    tour = np.asarray(tour)
    after = np.roll(tour, -1)
    if "cost" in instances:
        return instances["cost"][b][tour, after].sum()
    points = instances["coords"][b]
    arcs = np.hypot(*(points[tour] - points[after]).T)
    return np.floor(arcs + 0.5).sum() if instances["library"] else arcs.sum()


def chosen(instances, problem, tours):
    """From (B,S,T): the tours from the first start, and the best ones."""
    first = [normal(problem, rollout[0]) for rollout in tours]
    best = []
    for b, rollout in enumerate(tours):
        lengths = np.array([length(instances, problem, b, tour) for tour in rollout])
        near = np.flatnonzero(lengths <= lengths.min() * (1.0 + 1e-9))
        best.append([normal(problem, rollout[s]) for s in near])
    return first, best


# --- One pair ----------------------------------------------------------------------------------------


def published_tours(opened, instances):
    from published_programs import rollouts
    model, load, step = opened
    if not instances["library"]:
        return rollouts(model, load(instances), step)
    return [rollouts(model, load(one(instances, b)), step)[0] for b in range(INSTANCES)]


def count_equal(edgefw, checkpoint, problem, instances, tours, device):
    with tempfile.TemporaryDirectory() as folder:
        paths = write_instances(Path(folder), problem, instances)
        first, best = chosen(instances, problem, tours)
        shift = 0 if has_depot(problem) else 1
        ours = [[normal(problem, [node - shift for node in tour])
                 for tour in solve(edgefw, checkpoint, paths, device, starts)] for starts in (1, None)]
    return (sum(a == b for a, b in zip(ours[0], first)), sum(a in b for a, b in zip(ours[1], best)))


def compare(program, problem, setting, folder, edgefw):
    """Rows of the table; in a process of its own."""
    import torch
    from published_programs import open_program, shaken
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        torch.set_default_dtype(torch.float64)
        torch.manual_seed(1)
        opened = open_program(program, folder, problem, clip_of(program), setting == "exact SVD")
        model = shaken(opened[0], 2)
        checkpoint, told = write_checkpoint(edgefw, Path(scratch), config_text(program, problem, setting), model)
        print(told, file=sys.stderr)
        for size in SIZES:
            instances = make_instances(problem, size, setting == "library files")
            row = [program, problem, setting, size, INSTANCES]
            for dtype, device in ((torch.float64, "reference64"), (torch.float32, "cpu")):
                torch.set_default_dtype(dtype)
                model.to(dtype)
                tours = published_tours(opened, instances)
                row += count_equal(edgefw, checkpoint, problem, instances, tours, device)
            torch.set_default_dtype(torch.float64)
            model.to(torch.float64)
            rows.append(row)
    return rows


# --- The table ---------------------------------------------------------------------------------------


def parse():
    parser = argparse.ArgumentParser(description="greedy tours of published programs beside edgefw's")
    for program in ("radar", "pomo", "elg"):
        parser.add_argument(f"--{program}", type=Path, help="folder of its clone")
    parser.add_argument("--edgefw", type=Path, default=Path("build/release/edgefw"))
    parser.add_argument("--only", help='one pair, as in "elg cvrp"')
    parser.add_argument("-o", "--output", type=Path, help="CSV file to write")
    parser.add_argument("--pair", type=int, help=argparse.SUPPRESS)  # in a process of its own
    return parser.parse_args()


def main():
    arguments = parse()
    if arguments.pair is not None:
        program, problem, setting = PAIRS[arguments.pair]
        folder = getattr(arguments, program).resolve()
        json.dump(compare(program, problem, setting, folder, arguments.edgefw.resolve()), sys.stdout)
        return
    rows = []
    for index, (program, problem, _) in enumerate(PAIRS):
        if getattr(arguments, program) and arguments.only in (None, f"{program} {problem}"):
            rows += json.loads(call([sys.executable, __file__, *sys.argv[1:], "--pair", index]))
            print(*rows[-len(SIZES):], sep="\n", file=sys.stderr)
    lines = [COLUMNS, *rows]
    csv.writer(sys.stdout, lineterminator="\n").writerows(lines)
    if arguments.output:
        with open(arguments.output, "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)
    unequal = [row for row in rows if row[5] != row[4] or row[6] != row[4]]
    sys.exit(1 if unequal else 0)


if __name__ == "__main__":
    main()
