#!/usr/bin/env python3
"""Models as PyTorch writes them, with the key names of the published programs, and their greedy tours.

Run by hand (never by the tests), from any folder; it writes tests/golden/torch and the manifest there:

    python3 tests/golden/make_torch_models.py

It needs PyTorch, NumPy and h5py. Each case is a tiny model of golden_networks.py under the names that the
classes of RADAR, POMO and ELG give their parameters, those that they never use included, saved by torch.save
in one of the ways in which people save models; or as safetensors, which the script writes by itself. Parameters
are multiples of 1/64 below 4, which every floating point type holds. Tours are greedy rollouts in float64 by
golden_policy.py, on instances in library files: from the first start, and the best of all starts (all of
them, where some are equally long).
"""

import collections
import hashlib
import json
import struct
from pathlib import Path

import numpy as np
import torch

from golden_networks import LOCAL_POLICY, Model, encode, make_parameters
from golden_policy import Instance, Rollout, distances, make_instance, step_logits, tmat, tour_length

FOLDER = Path(__file__).resolve().parent / "torch"
INSTANCES, GRID, MARGIN, LARGEST_FILE = 2, 64, 1e-7, 64 * 1024
ELG = ("distance_penalty", "local_policy")

# name -> seed, model, nodes, how it is saved
CASES = {
    "radar_atsp": (501, Model("atsp", "radar"), 8, "trainer"),
    "radar_acvrp": (502, Model("acvrp", "radar"), 8, "wrapped"),
    "pomo_tsp": (503, Model("tsp", "pomo"), 8, "plain"),
    "pomo_cvrp": (504, Model("cvrp", "pomo"), 8, "double"),
    "elg_tsp": (505, Model("tsp", "pomo", ELG, local_size=4), 8, "half"),
    "elg_cvrp": (506, Model("cvrp", "pomo", ELG, local_size=4), 8, "safetensors"),
}

# --- Names ----------------------------------------------------------------------------------------


def published_name(model, name):
    if model.backbone == "radar" and name == "decoder.Wq_last.weight":
        return "decoder.Wq_0.weight"
    if name.startswith(LOCAL_POLICY) and model.problem == "tsp":
        return "decoder.local_policy_0." + name[len(LOCAL_POLICY) :]
    return name


def state_dict(model, parameters):
    """As the published class has it: its own names, and what its forward never uses."""
    out = collections.OrderedDict((published_name(model, name), value) for name, value in parameters.items())
    if model.backbone == "radar":
        for layer in range(model.layers):
            out[f"encoder.layers.{layer}.g_layer.weight"] = torch.full((model.width, model.width), 0.5)
            out[f"encoder.layers.{layer}.g_layer.bias"] = torch.full((model.width,), 0.25)
        if model.has_depot:
            out["decoder.Wq_1.weight"] = torch.full((model.width, model.width), -0.5)
    return out


# --- Ways to save -----------------------------------------------------------------------------------


def of_type(state, dtype):
    return collections.OrderedDict((name, value.to(dtype)) for name, value in state.items())


def save_trainer(path, state):
    """What RADAR's and POMO's trainers keep: the optimizer's and the schedule's state, and their log."""
    parameters = [torch.nn.Parameter(value) for value in list(state.values())[:2]]
    optimizer = torch.optim.Adam(parameters, lr=1e-4)
    schedule = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[2, 5], gamma=0.1)
    sum((p**2).sum() for p in parameters).backward()
    optimizer.step()
    schedule.step()
    log = ({"train_score"}, {"train_score": [[1, 2.5], [2, 2.25]]})  # a set of one has one order
    torch.save({"epoch": 2100, "model_state_dict": state, "optimizer_state_dict": optimizer.state_dict(),
                "scheduler_state_dict": schedule.state_dict(), "result_log": log}, path)  # fmt: skip


def save_wrapped(path, state):
    """From torch.nn.DataParallel, with numbers beside the tensors, by the newest protocol."""
    wrapped = collections.OrderedDict(("module." + name, torch.nn.Parameter(value)) for name, value in state.items())
    score = np.float64(3.5)
    torch.save({"state_dict": wrapped, "best": score, "seed": 2**70, "done": True}, path, pickle_protocol=5)


def save_double(path, state):
    """Views: one tensor stands across its storage, two others lie in a common one."""
    state = of_type(state, torch.float64)
    name = "encoder.layers.0.Wq.weight"
    state[name] = state[name].T.contiguous().T
    shared = torch.cat([state["decoder.Wk.weight"], state["decoder.Wv.weight"]])
    rows = len(state["decoder.Wk.weight"])
    state["decoder.Wk.weight"], state["decoder.Wv.weight"] = shared[:rows], shared[rows:]
    state["steps"] = torch.tensor(7)  # a whole number beside the parameters
    torch.save({"model": state}, path, pickle_protocol=4)


def save_half(path, state):
    """As ELG's trainer nests it; half of the tensors in bfloat16."""
    half = of_type(state, torch.float16)
    for name in list(half)[::2]:
        half[name] = half[name].to(torch.bfloat16)
    torch.save({"step": 300000, "model_state_dict": half, "optimizer_state_dict": {"state": {}, "param_groups": []}},
               path)  # fmt: skip


def save_safetensors(path, state):
    types = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.float64: "F64"}
    head, body = {"__metadata__": {"format": "pt", "epoch": "12"}}, b""
    for name, dtype in zip(sorted(state), list(types) * len(state)):
        value = state[name].to(dtype).contiguous()
        numbers = bytes(value.view(torch.uint8).reshape(-1).tolist())
        head[name] = {"dtype": types[dtype], "shape": list(value.shape), "data_offsets": [len(body), len(body) + len(numbers)]}
        body += numbers
    text = json.dumps(head, separators=(",", ":")).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


SAVERS = {
    "trainer": save_trainer,
    "wrapped": save_wrapped,
    "plain": lambda path, state: torch.save(state, path),
    "double": save_double,
    "half": save_half,
    "safetensors": save_safetensors,
}

# --- Instances ----------------------------------------------------------------------------------------


def few_ties(rng, instance):
    """Costs in millionths; and edgefw scales the coordinates that it reads: let that change nothing."""
    if instance.coords is None:
        return Instance(tmat(rng, instance.nodes), None, instance.demand, instance.capacity)
    points = instance.coords - instance.coords.min(dim=0).values
    points = points / points.max()
    return Instance(distances(points), points, instance.demand, instance.capacity)


def instance_text(model, instance, name):
    lines = [f"NAME: {name}", f"TYPE: {model.problem.upper()}", f"DIMENSION: {instance.nodes}"]
    if model.has_depot:
        lines.append(f"CAPACITY: {int(instance.capacity)}")
    if instance.coords is None:
        lines += ["EDGE_WEIGHT_TYPE: EXPLICIT", "EDGE_WEIGHT_FORMAT: FULL_MATRIX", "EDGE_WEIGHT_SECTION"]
        lines += [" ".join(f"{x:.6f}" for x in row) for row in instance.cost.tolist()]
    else:
        lines += ["EDGE_WEIGHT_TYPE: EXACT_2D", "NODE_COORD_SECTION"]
        lines += [f"{i + 1} {x!r} {y!r}" for i, (x, y) in enumerate(instance.coords.tolist())]
    if model.has_depot:
        lines += ["DEMAND_SECTION", *(f"{i + 1} {int(d)}" for i, d in enumerate(instance.demand))]
        lines += ["DEPOT_SECTION", "1", "-1"]
    return "\n".join(lines + ["EOF", ""])


# --- Tours ----------------------------------------------------------------------------------------------


def greedy(model, instance, h, parameters, start):
    """The rollout that begins at node `start`, or with customer `start` behind the depot."""
    rollout = Rollout(instance, 0 if model.has_depot else start)
    if model.has_depot:
        rollout.visit(start)
    while rollout.unvisited:
        candidates = rollout.open_nodes()
        logits = step_logits(h, parameters, model, rollout, candidates)
        order = logits.argsort(descending=True)
        assert len(order) < 2 or logits[order[0]] - logits[order[1]] > MARGIN, "a near tie: take another seed"
        rollout.visit(candidates[int(order[0])])
    return rollout.tour


def as_answered(model, tour):
    """As `edgefw solve --json` writes a tour."""
    if model.has_depot:
        return tour
    at = tour.index(0)
    return [node + 1 for node in tour[at:] + tour[:at]]


def tours_of(model, instance, parameters):
    h = encode(instance, parameters, model)
    starts = range(1, instance.nodes) if model.has_depot else range(instance.nodes)
    tours = [greedy(model, instance, h, parameters, start) for start in starts]
    lengths = [float(tour_length(instance.cost, tour)) for tour in tours]
    best = min(range(len(tours)), key=lengths.__getitem__)
    equal = [tour for tour, x in zip(tours, lengths) if x - lengths[best] < MARGIN]
    return [("first", tours[0])] + [("best", tour) for tour in equal]


def write_case(name):
    seed, model, nodes, saver = CASES[name]
    rng = np.random.default_rng(seed)
    instances = [few_ties(rng, make_instance(rng, model.problem, nodes, False)) for _ in range(INSTANCES)]
    parameters = make_parameters(rng, model, GRID)
    path = FOLDER / f"{name}{'.safetensors' if saver == 'safetensors' else '.pt'}"
    SAVERS[saver](path, of_type(state_dict(model, parameters), torch.float32))
    assert path.stat().st_size <= LARGEST_FILE, f"{path.name} is larger than {LARGEST_FILE} bytes"
    suffix = {"atsp": "atsp", "tsp": "tsp"}.get(model.problem, "vrp")
    lines = []
    for b, instance in enumerate(instances):
        (FOLDER / f"{name}-{b}.{suffix}").write_text(instance_text(model, instance, f"{name}-{b}"))
        for which, tour in tours_of(model, instance, parameters):
            nodes_text = " ".join(str(node) for node in as_answered(model, tour))
            lines.append(f"{name},{b},{which},{nodes_text}\n")
    return lines


def main():
    FOLDER.mkdir(exist_ok=True)
    lines = [line for name in CASES for line in write_case(name)]
    (FOLDER / "tours.csv").write_text("case,instance,start,tour\n" + "".join(lines))
    files = sorted(path for path in FOLDER.iterdir() if path.name != "MANIFEST.sha256")
    digests = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  torch/{path.name}\n" for path in files]
    (FOLDER / "MANIFEST.sha256").write_text("".join(digests))


if __name__ == "__main__":
    main()
