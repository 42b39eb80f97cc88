#!/usr/bin/env python3
"""How fast the published way of computing the model is: RADAR with the terms edge, closure and lookahead on ATSP,
batched over instances and rollouts as a PyTorch user writes it. Beside `edgefw bench` on the same machine.

    bench_torch.py [--device cuda] [--sizes 100,1000] [--precision tf32] [--json]     time it
    bench_torch.py --check         compare with golden_policy.py, one rollout at a time, on a tiny model

Timed: evaluation (encode and a greedy rollout from every node) and, at --train-size, a training step (sampled
rollouts, REINFORCE with the shared baseline, backward, Adam). Instances are made before the clock starts. A
batch that does not fit is halved. Needs PyTorch 1.12 or later and NumPy; the parameters' names and the model
are those of golden_networks.py. The JSON has the keys of `edgefw bench --json` as far as they apply, so that
`edgefw bench --compare` takes it; P is that of PyTorch.
"""

import argparse
import json
import math
import os
import sys
import time

import numpy as np
import torch

import golden_policy
from golden_networks import Model, make_parameters
from golden_policy import make_instance, tsp_tours

PAPER = ("edge", "closure", "lookahead")
LEARNING_RATE, WEIGHT_DECAY = 4e-4, 1e-6
PEAK_SIZE = 2048
EVAL_BATCHES = {20: 1024, 50: 1024, 100: 256, 200: 64, 500: 16, 1000: 8}  # on a GPU; 4 on a CPU

# --- Encoder: cost matrices (B,n,n) to embeddings (B,n,d) -----------------------------------------


def z_score(cost):
    flat = cost.flatten(1)
    mean, std = flat.mean(dim=1), flat.std(dim=1, unbiased=True)
    return (cost - mean[:, None, None]) / (std[:, None, None] + 1e-9)


def svd_features(dn, rank):
    u, s, vh = torch.linalg.svd(dn, full_matrices=False)
    u, root, v = u[:, :, :rank], s[:, None, :rank].sqrt(), vh[:, :rank, :].transpose(1, 2)
    sign = torch.where(u.amax(dim=1, keepdim=True) > -u.amin(dim=1, keepdim=True), 1.0, -1.0).to(u.dtype)
    return torch.cat([sign * root * u, sign * root * v], dim=-1)


def linear(x, p, name):
    return torch.nn.functional.linear(x, p[name + ".weight"], p.get(name + ".bias"))


def split_heads(x, heads):
    """(B,m,d) to (B,heads,m,d/heads)."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def join_heads(x):
    return x.transpose(1, 2).flatten(2)


def mixed_attention(h, p, name, dn, model):
    q, k, v = (split_heads(linear(h, p, name + w), model.heads) for w in ("Wq", "Wk", "Wv"))
    compatibility = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    costs = torch.stack([dn, dn.transpose(1, 2)], dim=-1)[:, None].expand(*compatibility.shape, 2)
    triple = torch.cat([compatibility[..., None], costs], dim=-1)  # (B,H,n,n,3)
    w1, b1, w2, b2 = (p[name + "mixed_score_MHA." + m] for m in ("mix1_weight", "mix1_bias", "mix2_weight", "mix2_bias"))
    hidden = torch.relu(torch.einsum("bhijc,hcm->bhijm", triple, w1) + b1[:, None, None, :])
    log_a = (torch.einsum("bhijm,hmo->bhijo", hidden, w2) + b2[:, None, None, :]).squeeze(-1)
    log_a = log_a - log_a.amax(dim=-1, keepdim=True)
    for _ in range(model.sinkhorn_iterations):
        log_a = log_a - torch.logsumexp(log_a, dim=-1, keepdim=True)
        log_a = log_a - torch.logsumexp(log_a, dim=-2, keepdim=True)
    return join_heads(log_a.exp() @ v)


def instance_norm(x, p, name):
    mean = x.mean(dim=1, keepdim=True)
    variance = x.var(dim=1, unbiased=False, keepdim=True)
    return p[name + ".weight"] * (x - mean) / torch.sqrt(variance + 1e-5) + p[name + ".bias"]


def encode(dn, p, model):
    h = linear(svd_features(dn, model.rank), p, "projection")
    for layer in range(model.layers):
        name = f"encoder.layers.{layer}."
        attention = linear(mixed_attention(h, p, name, dn, model), p, name + "multi_head_combine")
        h = instance_norm(h + attention, p, name + "add_n_normalization_1.norm")
        hidden = torch.relu(linear(h, p, name + "feed_forward.W1"))
        h = instance_norm(h + linear(hidden, p, name + "feed_forward.W2"), p, name + "add_n_normalization_2.norm")
    return h


# --- Decoder: all rollouts (B,S) step by step -----------------------------------------------------


def rows_at(table, index):
    """table (B,n,m), index (B,S): (B,S,m)."""
    return table.gather(1, index[..., None].expand(-1, -1, table.shape[-1]))


class Decoder:
    """What does not change from step to step."""

    def __init__(self, h, dn, p, model):
        self.h, self.dn, self.p, self.model = h, dn, p, model
        self.keys = split_heads(linear(h, p, "decoder.Wk"), model.heads)
        self.values = split_heads(linear(h, p, "decoder.Wv"), model.heads)
        self.q_last, self.q_first = linear(h, p, "decoder.Wq_0"), linear(h, p, "decoder.Wq_1")
        apart = dn.masked_fill(torch.eye(dn.shape[1], dtype=torch.bool, device=dn.device), math.inf)
        self.cheapest = torch.stack([apart.amin(dim=2), apart.amin(dim=1)], dim=-1)  # out of j, into j

    def descriptor(self, current, first):
        """(B,S,n,6): edge, its reverse, their difference; closure; lookahead."""
        there, back = rows_at(self.dn, current), rows_at(self.dn.transpose(1, 2), current)
        closure = rows_at(self.dn.transpose(1, 2), first)
        edges = torch.stack([there, back, there - back, closure], dim=-1)
        return torch.cat([edges, self.cheapest[:, None].expand(-1, current.shape[1], -1, -1)], dim=-1)

    def logits(self, current, first, visited):
        model, p = self.model, self.p
        query = split_heads(rows_at(self.q_last, current) + rows_at(self.q_first, first), model.heads)
        scores = query @ self.keys.transpose(-1, -2) / math.sqrt(query.shape[-1])
        weights = torch.softmax(scores.masked_fill(visited[:, None], -math.inf), dim=-1)
        z = linear(join_heads(weights @ self.values), p, "decoder.multi_head_combine")
        score = z @ self.h.transpose(1, 2) / math.sqrt(model.width)
        if model.feature_terms:
            hidden = torch.relu(linear(self.descriptor(current, first), p, "decoder.edge_bias.0"))
            score = score + linear(hidden, p, "decoder.edge_bias.2").squeeze(-1)
        return (model.clip * torch.tanh(score)).masked_fill(visited, -math.inf)


def roll_out(decoder, select, tours=None):
    """Tours (B,S,n) from every node and their log-probabilities; `select`: greedy, sample or forced."""
    batch, n = decoder.dn.shape[:2]
    first = torch.arange(n, device=decoder.dn.device).expand(batch, n)
    visited = torch.zeros(batch, n, n, dtype=torch.bool, device=decoder.dn.device).scatter(2, first[..., None], True)
    steps, current, log_probability = [first], first, 0.0
    for t in range(1, n):
        log_p = torch.log_softmax(decoder.logits(current, first, visited), dim=-1)
        if select == "greedy":
            current = log_p.argmax(dim=-1)
        elif select == "sample":
            current = torch.multinomial(log_p.detach().exp().flatten(0, 1), 1).view(batch, n)
        else:
            current = tours[:, :, t]
        log_probability = log_probability + log_p.gather(2, current[..., None]).squeeze(-1)
        visited = visited.scatter(2, current[..., None], True)
        steps.append(current)
    return torch.stack(steps, dim=-1), log_probability


def lengths(cost, tours):
    batch, rollouts, n = tours.shape
    arcs = tours * n + tours.roll(-1, dims=2)
    return cost.flatten(1).gather(1, arcs.flatten(1)).view(batch, rollouts, n).sum(dim=-1)


def loss_of(cost, tours, log_probability):
    reward = -lengths(cost, tours)
    return -((reward - reward.mean(dim=1, keepdim=True)) * log_probability).mean()


# --- Timing ---------------------------------------------------------------------------------------


def make_costs(seed, count, n, device):
    """Uniform numbers, shortest-path closure."""
    generator = torch.Generator().manual_seed(seed)
    cost = torch.rand(count, n, n, generator=generator).to(device)
    cost.diagonal(dim1=1, dim2=2).zero_()
    for via in range(n):
        cost = torch.minimum(cost, cost[:, :, via : via + 1] + cost[:, via : via + 1, :])
    return cost


def clock(device):
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()


def median_seconds(work, device, repeat):
    """Of `repeat` runs after a warm-up; a run gives its own laps."""
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    work()
    laps = []
    for _ in range(repeat):
        laps.append(work())
    return [float(np.median(lap)) for lap in zip(*laps)]


def evaluate(cost, p, model, device):
    with torch.no_grad():
        begin = clock(device)
        dn = z_score(cost)
        h = encode(dn, p, model)
        encoded = clock(device)
        tours, _ = roll_out(Decoder(h, dn, p, model), "greedy")
        lengths(cost, tours).amin(dim=1)
        done = clock(device)
    return encoded - begin, done - encoded, done - begin


def train(cost, p, model, optimizer, device):
    begin = clock(device)
    optimizer.zero_grad(set_to_none=True)
    dn = z_score(cost)
    tours, log_probability = roll_out(Decoder(encode(dn, p, model), dn, p, model), "sample")
    loss_of(cost, tours, log_probability).backward()
    optimizer.step()
    return (clock(device) - begin,)


def is_out_of_memory(error):
    return "out of memory" in str(error) or "not enough memory" in str(error)


def with_fitting_batch(batch, measure, device):
    """measure(batch) of the largest batch, halved as often as needed, that fits."""
    while True:
        try:
            return measure(batch)
        except RuntimeError as error:
            if not is_out_of_memory(error) or batch == 1:
                raise
        batch //= 2
        if device.type == "cuda":
            torch.cuda.empty_cache()


def high_water(device):
    return torch.cuda.max_memory_allocated(device) if device.type == "cuda" else None


def measure_peak(device):
    """GF/s of the best of several products of the size that `edgefw bench` takes."""
    a = torch.rand(PEAK_SIZE, PEAK_SIZE, device=device)
    seconds = []
    for _ in range(7):
        begin = clock(device)
        a @ a
        seconds.append(clock(device) - begin)
    return 2e-9 * PEAK_SIZE**3 / min(seconds)


def row(name, terms, seconds, batch, peak):
    rate = batch / seconds
    return {
        "name": name, "terms": terms, "changed": None, "instances": batch, "seconds": seconds,
        "seconds_per_instance": seconds / batch, "instances_per_second": rate,
        "instances_per_second_per_gflops": rate / peak,
    }  # fmt: skip


def group(n, batch, device, rows):
    return {"nodes": n, "batch": batch, "rollouts": n, "device_memory_bytes": high_water(device), "rows": rows}


def time_evaluation(n, p, model, device, args, peak):
    def measure(batch):
        cost = make_costs(2026, batch, n, device)
        encode_s, decode_s, total = median_seconds(lambda: evaluate(cost, p, model, device), device, args.repeat)
        terms = "+".join(PAPER)
        rows = [row(name, None if name == "encode" else terms, seconds, batch, peak)
                for name, seconds in (("encode", encode_s), ("decode", decode_s), ("evaluate", total))]  # fmt: skip
        return group(n, batch, device, rows)

    batch = args.batch or (EVAL_BATCHES.get(n, 1) if device.type == "cuda" else 4)
    return with_fitting_batch(batch, measure, device)


def time_training(n, p, model, device, args, peak):
    for value in p.values():
        value.requires_grad_(True)
    optimizer = torch.optim.Adam(p.values(), lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)

    def measure(batch):
        cost = make_costs(1234, batch, n, device)
        (total,) = median_seconds(lambda: train(cost, p, model, optimizer, device), device, args.repeat)
        return group(n, batch, device, [row("step", None, total, batch, peak)])

    return with_fitting_batch(args.train_batch, measure, device)


def run(args):
    device = torch.device(args.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    torch.set_default_dtype(torch.float32)
    torch.set_num_threads(args.threads or len(os.sched_getaffinity(0)))
    torch.set_float32_matmul_precision("high" if args.precision == "tf32" else "highest")
    torch.backends.cuda.matmul.allow_tf32 = args.precision == "tf32"
    model = Model("atsp", "radar", PAPER, args.width, 8, args.layers, 2 * args.width, 16, 10, edge_hidden=32)
    p = {name: value.float().to(device) for name, value in make_parameters(np.random.default_rng(1), model).items()}
    peak = measure_peak(device)
    result = {
        "torch": torch.__version__, "device": str(device), "precision": args.precision,
        "device_description": torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU",
        "threads": torch.get_num_threads(), "problem": "atsp", "backbone": "radar", "terms": "+".join(PAPER),
        "width": args.width, "parameters": sum(value.numel() for value in p.values()),
        "peak": {"size": PEAK_SIZE, "gflops": peak}, "ops": [], "eval": [], "train": [],
    }  # fmt: skip
    for n in (int(size) for size in args.sizes.split(",") if size):
        result["eval"].append(time_evaluation(n, p, model, device, args, peak))
        say(args, "eval", result["eval"][-1])
    for n in (int(size) for size in args.train_size.split(",") if size not in ("", "0")):
        result["train"].append(time_training(n, p, model, device, args, peak))
        say(args, "train", result["train"][-1])
    if args.json:
        print(json.dumps(result, indent=1))
    return 0


def say(args, what, group):
    out = sys.stderr if args.json else sys.stdout
    rate = group["rows"][-1]["instances_per_second"]
    print(f"{what} n={group['nodes']}: batch {group['batch']}, {rate:.4g} instances/s", file=out)


# --- Checking -------------------------------------------------------------------------------------


def check():
    """The loss, its gradients and the log-probabilities of forced tours are those of golden_policy.py."""
    rng = np.random.default_rng(7)
    model = Model("atsp", "radar", PAPER)
    instances = [make_instance(rng, "atsp", 7, False) for _ in range(3)]
    tours = tsp_tours(rng, 3, 7)
    p = {name: value.requires_grad_(True) for name, value in make_parameters(rng, model).items()}
    expected = golden_policy.policy(model, instances, tours, p)
    expected_gradients = torch.autograd.grad(expected["loss"], list(p.values()))
    cost = torch.stack([instance.cost for instance in instances])
    dn = z_score(cost)
    _, log_probability = roll_out(Decoder(encode(dn, p, model), dn, p, model), "forced", tours.long())
    loss = loss_of(cost, tours.long(), log_probability)
    gradients = torch.autograd.grad(loss, list(p.values()))
    worst = max(float((a - b).abs().max()) for a, b in zip(gradients, expected_gradients))
    off = float((log_probability - expected["log_probability"]).abs().max())
    print(f"loss {float(loss):.12g} and {float(expected['loss']):.12g}; log-probabilities differ by {off:.2g}, gradients by {worst:.2g}")
    return 0 if max(worst, off, abs(float(loss - expected["loss"]))) < 1e-9 else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", help="cpu or cuda (default: cuda where there is one)")
    parser.add_argument("--precision", choices=("fp32", "tf32"), default="tf32", help="of matrix products on a GPU")
    parser.add_argument("--sizes", default="100,1000", help="nodes in evaluation")
    parser.add_argument("--batch", type=int, default=0, help="instances at once in evaluation (default: by size)")
    parser.add_argument("--train-size", default="100", help="nodes in training; 0: no training")
    parser.add_argument("--train-batch", type=int, default=64)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0, help="CPU threads (default: all)")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--check", action="store_true", help="compare with the golden model, time nothing")
    args = parser.parse_args()
    return check() if args.check else run(args)


if __name__ == "__main__":
    sys.exit(main())
