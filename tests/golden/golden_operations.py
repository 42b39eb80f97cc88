"""Golden values of single operations. A case function takes its seed and returns what the file holds: path ->
tensor, and extra attributes."""

import itertools

import numpy as np
import torch

from golden_networks import as_float32, instance_norm, mixed_attention, sinkhorn, svd_features, uniform
from golden_policy import closed_integers


def with_gradients(inputs, out, cotangent):
    """Inputs, output, cotangent and the gradient of sum(cotangent * out) by every input, as d<name>."""
    (cotangent * out).sum().backward()
    return {**inputs, "out": out, "dout": cotangent, **{"d" + n: v.grad for n, v in inputs.items() if v.requires_grad}}


def svd_case(seed):
    rng = np.random.default_rng(seed)
    rows = uniform(rng, 2.0, 3, 7)
    matrices = {
        "generic": (uniform(rng, 2.0, 7, 7), 4),
        "equal_rows": (rows[[0, 1, 2, 1, 0, 2, 1]], 5),  # rank 3: two zero columns
        "few_nodes": (uniform(rng, 2.0, 3, 3), 5),  # n < rank: two missing columns
        "zero": (torch.zeros(4, 4), 2),
    }
    case = {}
    for name, (matrix, rank) in matrices.items():
        case[f"{name}/matrix"] = matrix
        case[f"{name}/features"] = svd_features(matrix, rank)
    return case, {}


def sinkhorn_case(seed):
    rng = np.random.default_rng(seed)
    scores = uniform(rng, 3.0, 7, 7).requires_grad_(True)
    return with_gradients({"scores": scores}, sinkhorn(scores), uniform(rng, 1.0, 7, 7)), {}


def instance_norm_case(seed):
    rng = np.random.default_rng(seed)
    shapes = {"x": (2, 6, 8), "residual": (2, 6, 8), "gamma": (8,), "beta": (8,)}
    inputs = {name: uniform(rng, 2.0, *shape).requires_grad_(True) for name, shape in shapes.items()}
    both = inputs["x"] + inputs["residual"]
    out = torch.stack([instance_norm(one, inputs["gamma"], inputs["beta"]) for one in both])
    return with_gradients(inputs, out, uniform(rng, 1.0, 2, 6, 8)), {}


def mixed_attention_case(seed):
    rng = np.random.default_rng(seed)
    case = {}
    for attention in ("sinkhorn", "softmax"):
        inputs = {"cost": uniform(rng, 1.5, 2, 6, 6)}
        for name, bound, shape in (
            ("q", 2.0, (2, 6, 8)), ("k", 2.0, (2, 6, 8)), ("v", 2.0, (2, 6, 8)),
            ("w1", 1.0, (2, 3, 4)), ("b1", 1.0, (2, 4)), ("w2", 0.8, (2, 4, 1)), ("b2", 0.8, (2, 1)),
        ):  # fmt: skip
            inputs[name] = uniform(rng, bound, *shape).requires_grad_(True)
        weights = [inputs[name] for name in ("w1", "b1", "w2", "b2")]
        out = torch.stack([
            mixed_attention(inputs["q"][b], inputs["k"][b], inputs["v"][b], inputs["cost"][b], *weights, attention)
            for b in range(2)
        ])  # fmt: skip
        found = with_gradients(inputs, out, uniform(rng, 1.0, 2, 6, 8))
        case.update({f"{attention}/{name}": value for name, value in found.items()})
    return case, {}


def adam_case(seed):
    """Three steps on 20 numbers; a larger weight decay than in training, so that it shows."""
    rng = np.random.default_rng(seed)
    settings = {"rate": 4e-4, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8, "weight_decay": 0.0625}
    p = uniform(rng, 1.0, 20)
    gradients = uniform(rng, 2.0, 3, 20)
    case = {"parameters": p.clone(), "gradients": gradients}
    p.requires_grad_(True)
    optimizer = torch.optim.Adam(
        [p], lr=settings["rate"], betas=(settings["beta1"], settings["beta2"]),
        eps=settings["epsilon"], weight_decay=settings["weight_decay"],
    )  # fmt: skip
    steps = []
    for gradient in gradients:
        p.grad = gradient.clone()
        optimizer.step()
        steps.append(p.detach().clone())
    case["steps"] = torch.stack(steps)
    case["first_moment"] = optimizer.state[p]["exp_avg"]
    case["second_moment"] = optimizer.state[p]["exp_avg_sq"]
    return case, settings


def cheapest_assignment(cost):
    """The least sum of cost[i][p(i)] over all permutations p without p(i) = i."""
    n = len(cost)
    permutations = (p for p in itertools.permutations(range(n)) if all(i != j for i, j in enumerate(p)))
    return min(sum(cost[i][p[i]] for i in range(n)) for p in permutations)


def assignment_case(seed):
    """Five matrices of each size: three of uniform numbers, a shortest-path closure, and one with ties everywhere."""
    rng = np.random.default_rng(seed)
    case = {}
    for n in (2, 3, 5, 7):
        costs = [as_float32(rng.uniform(0, 1, (n, n))) for _ in range(3)]
        costs.append(torch.from_numpy(closed_integers(rng, n, 1000).astype(np.float64)))
        costs.append(torch.from_numpy(rng.integers(0, 4, (n, n)).astype(np.float64)))
        for cost in costs:
            cost.fill_diagonal_(0)
        case[f"{n}/cost"] = torch.stack(costs)
        case[f"{n}/optimum"] = torch.tensor([cheapest_assignment(cost.tolist()) for cost in costs])
    return case, {}


OPERATIONS = {
    "svd": (201, svd_case),
    "sinkhorn": (202, sinkhorn_case),
    "instance_norm": (203, instance_norm_case),
    "mixed_attention": (204, mixed_attention_case),
    "adam": (205, adam_case),
    "assignment": (206, assignment_case),
}
