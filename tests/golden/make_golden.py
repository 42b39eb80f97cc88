#!/usr/bin/env python3
"""Golden values of the policy and its operations, from an independent float64 PyTorch implementation.

Run by hand (never by the tests), from any folder:

    /usr/bin/python3 tests/golden/make_golden.py                  write *.h5 and MANIFEST.sha256 beside this file
    /usr/bin/python3 tests/golden/make_golden.py --only CASE...   write these cases alone, and the manifest
    /usr/bin/python3 tests/golden/make_golden.py --check [CASE]   check gradients by finite differences, write nothing

It needs PyTorch, NumPy and h5py (Debian: python3-torch python3-numpy python3-h5py). The code follows
the equations literally: one rollout at a time, one step at a time, nothing fused or folded, and every
gradient comes from autograd. Parameters and coordinates are float32 numbers, so that devices of either
precision start from the same values. A change of what is computed raises REVISION (golden_files.py).

    golden_networks.py    layers, encoders, parameters        golden_policy.py    rollouts, decoder, terms, loss
    golden_operations.py  single operations                   golden_files.py     HDF5
    golden_diagnostics.py decoding states and counterfactuals
    README.md             what the files hold
"""

import argparse
import sys

import numpy as np
import torch

from golden_diagnostics import diagnose
from golden_files import flat, write_case, write_file, write_manifest, write_packed_case
from golden_networks import Model, make_parameters
from golden_operations import OPERATIONS
from golden_policy import make_instance, policy, tsp_tours, vrp_tours

INSTANCES = 2
LEARNING_RATE, WEIGHT_DECAY = 4e-4, 1e-6
PARAMETER_GRID = 64  # parameters of packed cases are multiples of 1/64: they compress

# --- Cases ----------------------------------------------------------------------------------------

PAPER = ("edge", "closure", "lookahead")

# The first cases, with one dataset for each parameter and a step of Adam: name -> seed, model.
NAMED = {
    "radar_ours": (101, Model("atsp", "radar", PAPER)),
    "radar_plain": (102, Model("atsp", "radar")),
    "radar_softmax": (103, Model("atsp", "radar", ("edge",), attention="softmax")),
}
NAMED_NODES = 6

# The packed cases: name -> seed, model, nodes. Cases of one seed share instances, and tours too.
PACKED = {
    "radar_acvrp": (311, Model("acvrp", "radar", width=16, heads=4, feed_forward=32), 8),
    "radar_acvrp_static": (312, Model("acvrp", "radar", PAPER), 8),
    "radar_acvrp_masked": (312, Model("acvrp", "radar", PAPER, lookahead_mode="masked"), 8),
    "radar_acvrp_rank": (313, Model("acvrp", "radar", ("closure", "rank", "edge")), 8),
    "radar_atsp_rank": (314, Model("atsp", "radar", ("rank",)), 7),
    "radar_atsp_patch": (326, Model("atsp", "radar", ("edge", "patch")), 7),
    "radar_atsp_patch_dynamic": (326, Model("atsp", "radar", ("patch", "edge"), patch_mode="dynamic"), 7),
    "radar_acvrp_patch": (329, Model("acvrp", "radar", ("patch", "closure")), 8),
    "radar_tsp": (315, Model("tsp", "radar", PAPER, lookahead_mode="masked"), 7),
    "radar_cvrp": (316, Model("cvrp", "radar", PAPER), 8),
    "pomo_tsp": (321, Model("tsp", "pomo"), 7),
    "pomo_tsp_terms": (322, Model("tsp", "pomo", PAPER), 7),
    "pomo_cvrp": (323, Model("cvrp", "pomo", heads=4), 8),
    "pomo_cvrp_terms": (324, Model("cvrp", "pomo", PAPER, lookahead_mode="masked"), 8),
    "elg_tsp_penalty": (331, Model("tsp", "pomo", ("distance_penalty",), local_size=3, clip=50.0), 7),
    "elg_tsp_penalty_all": (331, Model("tsp", "pomo", ("distance_penalty",), local_size=20, clip=50.0), 7),
    "elg_tsp_local": (332, Model("tsp", "pomo", ("local_policy",), local_size=3, clip=50.0), 7),
    "elg_tsp_both": (
        333,
        Model("tsp", "pomo", ("distance_penalty", "local_policy"), local_size=4, clip=50.0, advantage_norm="max"),
        7,
    ),
    "elg_cvrp_penalty": (341, Model("cvrp", "pomo", ("distance_penalty",), local_size=3, clip=50.0), 8),
    "elg_cvrp_penalty_all": (341, Model("cvrp", "pomo", ("distance_penalty",), local_size=20, clip=50.0), 8),
    "elg_cvrp_local": (342, Model("cvrp", "pomo", ("local_policy",), local_size=3, clip=50.0), 8),
    "elg_cvrp_both": (
        343,
        Model("cvrp", "pomo", ("distance_penalty", "local_policy"), local_size=4, clip=50.0, advantage_norm="max"),
        8,
    ),
}
FRACTIONAL_DEMANDS = {"radar_cvrp"}

# Diagnostics: name -> seed, model, nodes, capacity.
DIAGNOSTICS = {
    "diagnostics_atsp": (353, Model("atsp", "radar", PAPER), 8, 0),
    "diagnostics_acvrp": (355, Model("acvrp", "radar", ("edge", "rank")), 8, 14),
}
STATES, RULES = 16, {"perturbation": 0.25, "closeness": 0.2, "swap_threshold": 0.1}


def config_text(model, size):
    lines = ["[problem]", f"name = {model.problem}", "[backbone]", f"name = {model.backbone}"]
    lines += [f"embedding_dim = {model.width}", f"layers = {model.layers}", f"heads = {model.heads}"]
    lines += [f"ff_hidden = {model.feed_forward}"]
    if model.backbone == "radar":
        lines += [f"mix_hidden = {model.mix_hidden}", f"svd_rank = {model.rank}"]
        lines += [f"sinkhorn_iterations = {model.sinkhorn_iterations}", f"attention = {model.attention}"]
    lines += ["[decoder]", f"terms = {', '.join(model.terms)}", f"heads = {model.heads}"]
    lines += [f"edge_hidden = {model.edge_hidden}", f"logit_clip = {model.clip:g}"]
    if model.lookahead_mode != "static":
        lines += ["[term.lookahead]", f"mode = {model.lookahead_mode}"]
    if model.patch_mode != "static":
        lines += ["[term.patch]", f"mode = {model.patch_mode}"]
    for term in ("distance_penalty", "local_policy"):
        if term in model.terms:
            lines += [f"[term.{term}]", f"local_size = {model.local_size}"]
    lines += ["[train]", f"size = {size}"]
    if model.advantage_norm != "none":
        lines += [f"advantage_norm = {model.advantage_norm}"]
    return "\n".join(lines) + "\n"


def named_inputs(name):
    """Model, instances, tours, parameters."""
    seed, model = NAMED[name]
    rng = np.random.default_rng(seed)
    instances = [make_instance(rng, model.problem, NAMED_NODES, False) for _ in range(INSTANCES)]
    tours = tsp_tours(rng, INSTANCES, NAMED_NODES)
    return model, instances, tours, make_parameters(rng, model)


def packed_inputs(name):
    seed, model, nodes = PACKED[name]
    rng = np.random.default_rng(seed)
    instances = [make_instance(rng, model.problem, nodes, name in FRACTIONAL_DEMANDS) for _ in range(INSTANCES)]
    if model.has_depot:
        returns = {"forced": 0, "voluntary": 0, "within_slack": 0}
        tours = vrp_tours(rng, instances, returns)
        assert returns["forced"] and returns["voluntary"], f"{name}: returns {returns}: take another seed"
        assert (returns["within_slack"] > 0) == (name in FRACTIONAL_DEMANDS), f"{name}: {returns}: take another seed"
    else:
        tours = tsp_tours(rng, INSTANCES, nodes)
    return model, instances, tours, make_parameters(rng, model, PARAMETER_GRID)


def inputs_of(name):
    return named_inputs(name) if name in NAMED else packed_inputs(name)


def with_loss_gradients(name):
    model, instances, tours, p = inputs_of(name)
    for value in p.values():
        value.requires_grad_(True)
    result = policy(model, instances, tours, p)
    result["loss"].backward()
    return model, instances, tours, p, result


def write_named(name):
    model, instances, tours, p, result = with_loss_gradients(name)
    case = {"cost": torch.stack([i.cost for i in instances]), "tours": tours}
    case.update({f"parameters/{key}": value.detach().clone() for key, value in p.items()})
    case.update(result)
    case.update({f"gradients/{key}": value.grad.clone() for key, value in p.items()})
    torch.optim.Adam(p.values(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY).step()
    case.update({f"adam/{key}": value for key, value in p.items()})
    write_case(name, NAMED[name][0], case, {"config": config_text(model, NAMED_NODES)})


def write_packed(name):
    seed, _, nodes = PACKED[name]
    model, instances, tours, p, result = with_loss_gradients(name)
    inputs = {"dims": torch.tensor([INSTANCES, nodes, *tours.shape[1:]], dtype=torch.int32)}
    for field in ("coords", "cost", "demand", "capacity"):
        if getattr(instances[0], field) is not None:
            inputs[field] = torch.stack([getattr(i, field) for i in instances])
    inputs["tours"] = tours
    del result["zscore"]
    gradients = {key: value.grad for key, value in p.items()}
    config = config_text(model, nodes - model.has_depot)
    write_packed_case(name, seed, inputs, result, p, gradients, {"config": config})


def write_diagnostics(name):
    seed, model, nodes, capacity = DIAGNOSTICS[name]
    p = make_parameters(np.random.default_rng(seed), model, PARAMETER_GRID)
    case = {key: (value, True) for key, value in diagnose(model, nodes, capacity, p, seed, STATES, RULES).items()}
    case["parameters"] = (flat(p).to(torch.float32), True)
    size = nodes - model.has_depot
    config = config_text(model, size) + f"[eval]\nsizes = {size}\nlogit_clip = {model.clip:g}\n"
    config += f"[diagnostics]\nstates = {STATES}\nseed = {seed}\n"
    config += "".join(f"{key} = {value:g}\n" for key, value in RULES.items())
    if capacity:
        config = config.replace("[backbone]", f"capacity = {capacity}\n[backbone]", 1)
    names = "\n".join(f"{key} {value.numel()}" for key, value in p.items())
    write_file(name, seed, case, {"config": config, "parameter_names": names})


def write_operation(name):
    seed, make = OPERATIONS[name]
    write_case(name, seed, *make(seed))


def write_cases(names):
    for name in names:
        kinds = ((NAMED, write_named), (OPERATIONS, write_operation), (DIAGNOSTICS, write_diagnostics))
        next((write for cases, write in kinds if name in cases), write_packed)(name)
    write_manifest()


# --- Self-check -----------------------------------------------------------------------------------


def check_gradients(names, step=1e-6, tolerance=1e-7):
    """Central differences of the loss at the first and the last entry of every parameter."""
    failures = 0
    for name in names:
        _, _, _, with_gradient, result = with_loss_gradients(name)
        model, instances, tours, p = inputs_of(name)
        worst, scale = 0.0, max(1.0, abs(result["loss"].item()))
        for key, value in p.items():
            for entry in {0, value.numel() - 1}:
                flat = value.view(-1)
                original = flat[entry].item()
                loss = []
                for moved in (original + step, original - step):
                    flat[entry] = moved
                    loss.append(policy(model, instances, tours, p)["loss"].item())
                flat[entry] = original
                numeric = (loss[0] - loss[1]) / (2 * step)
                error = abs(numeric - with_gradient[key].grad.view(-1)[entry].item()) / scale
                worst = max(worst, error)
                if not error <= tolerance:
                    failures += 1
                    print(f"{name}: {key}[{entry}]: finite difference {numeric} is off by {error}")
        print(f"{name}: {len(p)} parameters, worst error of a gradient {worst:.1e}")
    return failures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", nargs="*", metavar="CASE", help="check gradients of these cases (none: all)")
    parser.add_argument("--only", nargs="+", metavar="CASE", choices=[*NAMED, *OPERATIONS, *PACKED, *DIAGNOSTICS],
                        help="write these")  # fmt: skip
    arguments = parser.parse_args()
    if arguments.check is not None:
        sys.exit(check_gradients(arguments.check or [*NAMED, *PACKED]) != 0)
    write_cases(arguments.only or [*NAMED, *OPERATIONS, *PACKED, *DIAGNOSTICS])
