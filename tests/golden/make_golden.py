#!/usr/bin/env python3
"""Golden values of the policy and its operations, from an independent float64 PyTorch implementation.

Run by hand (never by the tests), from any folder:

    /usr/bin/python3 tests/golden/make_golden.py            write *.h5 and MANIFEST.sha256 beside this file
    /usr/bin/python3 tests/golden/make_golden.py --check    check gradients by finite differences, write nothing

It needs PyTorch, NumPy and h5py (Debian: python3-torch python3-numpy python3-h5py). The code follows
the equations literally: one rollout at a time, one step at a time, nothing fused or folded, and every
gradient comes from autograd. All inputs and parameters are float32 numbers, so that devices of either
precision start from the same values. A change of what is computed raises REVISION.

Notation: B instances, n nodes, S = n rollouts, d embedding width, H heads, L layers.
"""

import argparse
import hashlib
import math
import pathlib
import sys

import h5py
import numpy as np
import torch

REVISION = 1
TOLERANCE = 1e-9  # of a float64 device; float32 devices choose their own
FOLDER = pathlib.Path(__file__).resolve().parent
LARGEST_FILE = 64 * 1024

# Sizes of the policy cases: small enough for a file of 64 KiB.
INSTANCES, NODES = 2, 6
WIDTH, HEADS, LAYERS, FEED_FORWARD, MIX_HIDDEN, RANK = 8, 2, 2, 16, 4, 3
EDGE_HIDDEN, CLIP, SINKHORN_ITERATIONS = 8, 10.0, 10
LEARNING_RATE, WEIGHT_DECAY = 4e-4, 1e-6
TERM_WIDTH = {"edge": 3, "closure": 1, "lookahead": 2}

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def as_float32(array):
    """Round to numbers that float32 holds exactly, kept as float64."""
    return torch.from_numpy(np.asarray(array, dtype=np.float32).astype(np.float64))


def uniform(rng, bound, *shape):
    return as_float32(rng.uniform(-bound, bound, shape))


# --- Instances ------------------------------------------------------------------------------------


def tmat(rng, n):
    """Uniform integers in [0, 10^6), zero diagonal, shortest-path closure, over 10^6: (n,n)."""
    cost = rng.integers(0, 10**6, (n, n))
    np.fill_diagonal(cost, 0)
    for via in range(n):
        cost = np.minimum(cost, cost[:, via : via + 1] + cost[via : via + 1, :])
    return torch.from_numpy(cost / 1e6)


def z_score(cost):
    """Over all n*n entries with the diagonal; the standard deviation has the n*n-1 denominator."""
    return (cost - cost.mean()) / (cost.std(unbiased=True) + 1e-9)


def svd_features(matrix, rank):
    """[U S^1/2 | V S^1/2], (n,2*rank). The entry of u with the largest magnitude is positive; values
    below n * 2^-23 * S_1 and those beyond n are zero columns."""
    n = matrix.shape[0]
    u, s, vt = np.linalg.svd(matrix.numpy())
    features = np.zeros((n, 2 * rank))
    for c in range(min(rank, n)):
        if s[c] <= n * 2.0**-23 * s[0]:
            continue
        assert c + 1 == n or s[c] - s[c + 1] > 1e-3 * s[0], "close singular values: take another seed"
        up, down = u[:, c].max(), -u[:, c].min()
        assert abs(up - down) > 1e-3, "the sign of a singular vector is a near tie: take another seed"
        sign = 1.0 if up > down else -1.0
        features[:, c] = sign * math.sqrt(s[c]) * u[:, c]
        features[:, rank + c] = sign * math.sqrt(s[c]) * vt[c, :]
    return torch.from_numpy(features)


# --- Encoder --------------------------------------------------------------------------------------


def linear(x, p, name):
    """x W^T + b; no bias where the model has none."""
    y = x @ p[name + ".weight"].T
    return y + p[name + ".bias"] if name + ".bias" in p else y


def sinkhorn(scores, iterations=SINKHORN_ITERATIONS):
    """Row maximum off; then rows and columns in turn, columns last; (...,n,n)."""
    log_a = scores - scores.max(dim=-1, keepdim=True).values
    for _ in range(iterations):
        log_a = log_a - torch.logsumexp(log_a, dim=-1, keepdim=True)
        log_a = log_a - torch.logsumexp(log_a, dim=-2, keepdim=True)
    return log_a.exp()


def mixed_attention(q, k, v, cost, w1, b1, w2, b2, attention):
    """q,k,v (n,d), cost (n,n); w1 (H,3,hidden), b1 (H,hidden), w2 (H,hidden,1), b2 (H,1). (n,d)."""
    heads = w1.shape[0]
    width = q.shape[1] // heads
    out = []
    for h in range(heads):
        own = slice(h * width, (h + 1) * width)
        compatibility = q[:, own] @ k[:, own].T / math.sqrt(width)
        triple = torch.stack([compatibility, cost, cost.T], dim=-1)
        score = (torch.relu(triple @ w1[h] + b1[h]) @ w2[h] + b2[h]).squeeze(-1)
        weights = sinkhorn(score) if attention == "sinkhorn" else torch.softmax(score, dim=-1)
        out.append(weights @ v[:, own])
    return torch.cat(out, dim=-1)


def instance_norm(x, gamma, beta):
    """Per channel over the n nodes, biased variance; x (n,d)."""
    mean = x.mean(dim=0)
    variance = ((x - mean) ** 2).mean(dim=0)
    return gamma * (x - mean) / torch.sqrt(variance + 1e-5) + beta


def encode(features, dn, p, attention):
    """Features (n,2*rank) and z-scored costs (n,n) to node embeddings (n,d)."""
    h = linear(features, p, "projection")
    for layer in range(LAYERS):
        name = f"encoder.layers.{layer}."
        mix = [p[name + "mixed_score_MHA." + m] for m in ("mix1_weight", "mix1_bias", "mix2_weight", "mix2_bias")]
        q, k, v = (linear(h, p, name + w) for w in ("Wq", "Wk", "Wv"))
        out = linear(mixed_attention(q, k, v, dn, *mix, attention), p, name + "multi_head_combine")
        norm = name + "add_n_normalization_{}.norm."
        h1 = instance_norm(h + out, p[norm.format(1) + "weight"], p[norm.format(1) + "bias"])
        ff = linear(torch.relu(linear(h1, p, name + "feed_forward.W1")), p, name + "feed_forward.W2")
        h = instance_norm(h1 + ff, p[norm.format(2) + "weight"], p[norm.format(2) + "bias"])
    return h


# --- Decoder --------------------------------------------------------------------------------------


def descriptor(terms, dn, i, j, s):
    """phi_t(j): what the terms say about going from i to j in a tour that started at s."""
    n = dn.shape[0]
    others = [l for l in range(n) if l != j]
    phi = []
    for term in terms:
        if term == "edge":
            phi += [dn[i, j], dn[j, i], dn[i, j] - dn[j, i]]
        elif term == "closure":
            phi += [dn[j, s]]
        elif term == "lookahead":
            phi += [dn[j, others].min(), dn[others, j].min()]
    return torch.stack(phi)


def step_logits(h, dn, p, terms, start, current, candidates):
    """Logits (len(candidates)) of one decoding step."""
    d = h.shape[1]
    width = d // HEADS
    keys, values = linear(h, p, "decoder.Wk"), linear(h, p, "decoder.Wv")
    query = linear(h[start], p, "decoder.Wq_1") + linear(h[current], p, "decoder.Wq_0")
    out = []
    for head in range(HEADS):
        own = slice(head * width, (head + 1) * width)
        attention = torch.softmax(keys[candidates, own] @ query[own] / math.sqrt(width), dim=0)
        out.append(attention @ values[candidates, own])
    z = linear(torch.cat(out), p, "decoder.multi_head_combine")
    score = h[candidates] @ z / math.sqrt(d)
    if terms:
        phi = torch.stack([descriptor(terms, dn, current, j, start) for j in candidates])
        hidden = torch.relu(linear(phi, p, "decoder.edge_bias.0"))
        score = score + linear(hidden, p, "decoder.edge_bias.2").squeeze(-1)
    return CLIP * torch.tanh(score)


def roll_out(h, dn, p, terms, tour):
    """Follow `tour` (n nodes); its log probability and the logits (n,n): row t is step t, 0 where closed."""
    n = len(tour)
    logits = torch.zeros(n, n)
    log_probability = torch.zeros(())
    for t in range(1, n):
        candidates = sorted(set(range(n)) - set(tour[:t]))
        step = step_logits(h, dn, p, terms, tour[0], tour[t - 1], candidates)
        logits[t, candidates] = step.detach()
        log_probability = log_probability + torch.log_softmax(step, dim=0)[candidates.index(tour[t])]
    return log_probability, logits


def policy(cost, tours, p, terms, attention):
    """Everything that a policy case records of a batch: a dictionary of tensors, with `loss`."""
    result = {"zscore": [], "features": [], "encoder": [], "logits": [], "log_probability": [], "lengths": []}
    for b in range(cost.shape[0]):
        dn = z_score(cost[b])
        features = svd_features(dn, RANK)
        h = encode(features, dn, p, attention)
        rolled = [roll_out(h, dn, p, terms, tour) for tour in tours[b].tolist()]
        result["zscore"].append(dn)
        result["features"].append(features)
        result["encoder"].append(h)
        result["log_probability"].append(torch.stack([r[0] for r in rolled]))
        result["logits"].append(torch.stack([r[1] for r in rolled]))
        result["lengths"].append(torch.stack([tour_length(cost[b], tour) for tour in tours[b].tolist()]))
    result = {name: torch.stack(rows) for name, rows in result.items()}
    reward = -result["lengths"]
    advantage = reward - reward.mean(dim=1, keepdim=True)
    result["loss"] = -(advantage * result["log_probability"]).mean()
    return result


def tour_length(cost, tour):
    return sum(cost[a, b] for a, b in zip(tour, tour[1:] + tour[:1]))


# --- Parameters -----------------------------------------------------------------------------------


def make_parameters(rng, terms):
    """Every parameter by its published name; linear layers as PyTorch initialises them."""
    p = {}

    def add_linear(name, out, fan_in, bias=True):
        p[name + ".weight"] = uniform(rng, fan_in**-0.5, out, fan_in)
        if bias:
            p[name + ".bias"] = uniform(rng, fan_in**-0.5, out)

    def add_norm(name):
        p[name + ".weight"] = 1 + uniform(rng, 0.25, WIDTH)
        p[name + ".bias"] = uniform(rng, 0.25, WIDTH)

    add_linear("projection", WIDTH, 2 * RANK)
    for layer in range(LAYERS):
        name = f"encoder.layers.{layer}."
        add_linear(name + "Wq", WIDTH, WIDTH)
        add_linear(name + "Wk", WIDTH, WIDTH)
        add_linear(name + "Wv", WIDTH, WIDTH, bias=False)
        p[name + "mixed_score_MHA.mix1_weight"] = uniform(rng, 1.0, HEADS, 3, MIX_HIDDEN)
        p[name + "mixed_score_MHA.mix1_bias"] = uniform(rng, 1.0, HEADS, MIX_HIDDEN)
        p[name + "mixed_score_MHA.mix2_weight"] = uniform(rng, 0.5, HEADS, MIX_HIDDEN, 1)
        p[name + "mixed_score_MHA.mix2_bias"] = uniform(rng, 0.5, HEADS, 1)
        add_linear(name + "multi_head_combine", WIDTH, WIDTH)
        add_norm(name + "add_n_normalization_1.norm")
        add_linear(name + "feed_forward.W1", FEED_FORWARD, WIDTH)
        add_linear(name + "feed_forward.W2", WIDTH, FEED_FORWARD)
        add_norm(name + "add_n_normalization_2.norm")
    for name in ("Wq_0", "Wq_1", "Wk", "Wv"):
        add_linear("decoder." + name, WIDTH, WIDTH, bias=False)
    add_linear("decoder.multi_head_combine", WIDTH, WIDTH)
    if terms:
        add_linear("decoder.edge_bias.0", EDGE_HIDDEN, sum(TERM_WIDTH[t] for t in terms))
        add_linear("decoder.edge_bias.2", 1, EDGE_HIDDEN)
    return {name: as_float32(value) for name, value in p.items()}


# --- Cases ----------------------------------------------------------------------------------------
# A case function takes its seed and returns what the file holds: path -> array, and extra attributes.


def config_text(terms, attention):
    return f"""[problem]
name = atsp
[backbone]
name = radar
embedding_dim = {WIDTH}
layers = {LAYERS}
heads = {HEADS}
ff_hidden = {FEED_FORWARD}
mix_hidden = {MIX_HIDDEN}
svd_rank = {RANK}
sinkhorn_iterations = {SINKHORN_ITERATIONS}
attention = {attention}
[decoder]
terms = {", ".join(terms)}
heads = {HEADS}
edge_hidden = {EDGE_HIDDEN}
logit_clip = {CLIP:g}
[train]
size = {NODES}
"""


def policy_inputs(seed, terms):
    """Costs (B,n,n), tours (B,S,n) with tour s starting at s, parameters."""
    rng = np.random.default_rng(seed)
    cost = torch.stack([tmat(rng, NODES) for _ in range(INSTANCES)])
    tours = np.empty((INSTANCES, NODES, NODES), dtype=np.int32)
    for b in range(INSTANCES):
        for s in range(NODES):
            tours[b, s] = [s, *rng.permutation([j for j in range(NODES) if j != s])]
    return cost, torch.from_numpy(tours), make_parameters(rng, terms)


def policy_case(seed, terms, attention):
    cost, tours, p = policy_inputs(seed, terms)
    case = {"cost": cost, "tours": tours, **{f"parameters/{name}": v.clone() for name, v in p.items()}}
    for v in p.values():
        v.requires_grad_(True)
    result = policy(cost, tours, p, terms, attention)
    result["loss"].backward()
    case.update(result)
    case.update({f"gradients/{name}": v.grad.clone() for name, v in p.items()})
    torch.optim.Adam(p.values(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY).step()
    case.update({f"adam/{name}": v for name, v in p.items()})
    return case, {"config": config_text(terms, attention)}


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


POLICIES = {
    "radar_ours": (101, ["edge", "closure", "lookahead"], "sinkhorn"),
    "radar_plain": (102, [], "sinkhorn"),
    "radar_softmax": (103, ["edge"], "softmax"),
}
OPERATIONS = {
    "svd": (201, svd_case),
    "sinkhorn": (202, sinkhorn_case),
    "instance_norm": (203, instance_norm_case),
    "mixed_attention": (204, mixed_attention_case),
    "adam": (205, adam_case),
}


# --- Files ----------------------------------------------------------------------------------------


def write_case(name, seed, case, attributes):
    """NAME.h5. Its groups `gradients` and `adam`, if any, are links into NAME_gradients.h5 and NAME_adam.h5:
    a reader does not notice, and no file grows too large."""
    rest = dict(case)
    for group in ("gradients", "adam"):
        apart = {key: rest.pop(key) for key in case if key.startswith(group + "/")}
        if apart:
            write_file(f"{name}_{group}", seed, apart, {})
            rest[group] = h5py.ExternalLink(f"{name}_{group}.h5", "/" + group)
    write_file(name, seed, rest, attributes)


def without_times(kind):
    """Properties of a new object that records no time of day, so that a rerun writes the same bytes."""
    properties = h5py.h5p.create(kind)
    properties.set_obj_track_times(False)
    return properties


def create_file(path):
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_libver_bounds(h5py.h5f.LIBVER_LATEST, h5py.h5f.LIBVER_LATEST)
    creation = without_times(h5py.h5p.FILE_CREATE)
    return h5py.File(h5py.h5f.create(bytes(path), h5py.h5f.ACC_TRUNC, creation, access))


def write_dataset(file, key, array):
    """Compact layout (data inside the header) keeps many small tensors small."""
    creation = without_times(h5py.h5p.DATASET_CREATE)
    creation.set_layout(h5py.h5d.COMPACT)
    space = h5py.h5s.create_simple(array.shape) if array.shape else h5py.h5s.create(h5py.h5s.SCALAR)
    kind = h5py.h5t.STD_I32LE if array.dtype == np.int32 else h5py.h5t.IEEE_F64LE
    if key.startswith("parameters/"):
        kind = h5py.h5t.IEEE_F32LE  # exact by construction, half the size
    dataset = h5py.h5d.create(file.id, key.encode(), kind, space, dcpl=creation)
    dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(array))


def write_file(name, seed, items, attributes):
    path = FOLDER / f"{name}.h5"
    with create_file(path) as file:
        for group in sorted({key.split("/")[0] for key in items if "/" in key}):
            h5py.h5g.create(file.id, group.encode(), gcpl=without_times(h5py.h5p.GROUP_CREATE))
        for key, value in items.items():
            if isinstance(value, h5py.ExternalLink):
                file[key] = value
            else:
                write_dataset(file, key, value.detach().numpy())
        file.attrs.update(
            {"case": name, "script_revision": REVISION, "seed": seed, "tolerance": TOLERANCE,
             "torch_version": str(torch.__version__), "numpy_version": str(np.__version__), **attributes}
        )  # fmt: skip
    size = path.stat().st_size
    print(f"{path.name}: {size} bytes")
    assert size <= LARGEST_FILE, f"{path.name} is larger than {LARGEST_FILE} bytes"


def write_all():
    for name, (seed, terms, attention) in POLICIES.items():
        write_case(name, seed, *policy_case(seed, terms, attention))
    for name, (seed, make) in OPERATIONS.items():
        write_case(name, seed, *make(seed))
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(FOLDER.glob("*.h5"))]
    (FOLDER / "MANIFEST.sha256").write_text("".join(lines))


# --- Self-check -----------------------------------------------------------------------------------


def check_gradients(step=1e-6, tolerance=1e-7):
    """Central differences of the loss at the first and the last entry of every parameter."""
    failures = 0
    for name, (seed, terms, attention) in POLICIES.items():
        case, _ = policy_case(seed, terms, attention)
        cost, tours, p = policy_inputs(seed, terms)
        worst = 0.0
        for key, value in p.items():
            for entry in {0, value.numel() - 1}:
                flat = value.view(-1)
                original = flat[entry].item()
                loss = []
                for moved in (original + step, original - step):
                    flat[entry] = moved
                    loss.append(policy(cost, tours, p, terms, attention)["loss"].item())
                flat[entry] = original
                numeric = (loss[0] - loss[1]) / (2 * step)
                error = abs(numeric - case[f"gradients/{key}"].view(-1)[entry].item())
                worst = max(worst, error)
                if not error <= tolerance:
                    failures += 1
                    print(f"{name}: {key}[{entry}]: finite difference {numeric} is off by {error}")
        print(f"{name}: {len(p)} parameters, worst error of a gradient {worst:.1e}")
    return failures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="check gradients by finite differences, write nothing")
    if parser.parse_args().check:
        sys.exit(check_gradients() != 0)
    write_all()
