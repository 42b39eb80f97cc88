"""Layers, encoders and parameters of the golden models, in float64, literally as the equations say.

Notation: n nodes, d embedding width, H heads, L layers. One instance at a time.
"""

import dataclasses
import math

import numpy as np
import torch

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)

TERM_WIDTH = {"edge": 3, "closure": 1, "lookahead": 2, "rank": 3, "patch": 3}  # terms that feed the MLP
LOCAL_POLICY = "decoder.local_policies.0."  # the first name (README.md)
LOCAL_WIDTH = 32


@dataclasses.dataclass(frozen=True)
class Model:
    """One composition, small enough for a file of 64 KiB."""

    problem: str
    backbone: str
    terms: tuple = ()
    width: int = 8
    heads: int = 2
    layers: int = 2
    feed_forward: int = 16
    mix_hidden: int = 4
    rank: int = 3
    sinkhorn_iterations: int = 10
    attention: str = "sinkhorn"
    edge_hidden: int = 8
    clip: float = 10.0
    advantage_norm: str = "none"
    lookahead_mode: str = "static"
    local_size: int = 30
    patch_mode: str = "static"

    @property
    def has_depot(self):
        return self.problem in ("acvrp", "cvrp")

    @property
    def has_coords(self):
        return self.problem in ("tsp", "cvrp")

    @property
    def feature_terms(self):
        return [t for t in self.terms if t in TERM_WIDTH]

    @property
    def feature_width(self):
        dynamic = "patch" in self.terms and self.patch_mode == "dynamic"
        return sum(TERM_WIDTH[t] for t in self.feature_terms) + 3 * dynamic


def as_float32(array):
    """Round to numbers that float32 holds exactly, kept as float64."""
    return torch.from_numpy(np.asarray(array, dtype=np.float32).astype(np.float64))


def uniform(rng, bound, *shape):
    return as_float32(rng.uniform(-bound, bound, shape))


# --- Features -------------------------------------------------------------------------------------


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


# --- Layers ---------------------------------------------------------------------------------------


def linear(x, p, name):
    """x W^T + b; no bias where the model has none."""
    y = x @ p[name + ".weight"].T
    return y + p[name + ".bias"] if name + ".bias" in p else y


def sinkhorn(scores, iterations=10):
    """Row maximum off; then rows and columns in turn, columns last; (...,n,n)."""
    log_a = scores - scores.max(dim=-1, keepdim=True).values
    for _ in range(iterations):
        log_a = log_a - torch.logsumexp(log_a, dim=-1, keepdim=True)
        log_a = log_a - torch.logsumexp(log_a, dim=-2, keepdim=True)
    return log_a.exp()


def mixed_attention(q, k, v, cost, w1, b1, w2, b2, attention, iterations=10):
    """q,k,v (n,d), cost (n,n); w1 (H,3,hidden), b1 (H,hidden), w2 (H,hidden,1), b2 (H,1). (n,d)."""
    heads = w1.shape[0]
    width = q.shape[1] // heads
    out = []
    for h in range(heads):
        own = slice(h * width, (h + 1) * width)
        compatibility = q[:, own] @ k[:, own].T / math.sqrt(width)
        triple = torch.stack([compatibility, cost, cost.T], dim=-1)
        score = (torch.relu(triple @ w1[h] + b1[h]) @ w2[h] + b2[h]).squeeze(-1)
        weights = sinkhorn(score, iterations) if attention == "sinkhorn" else torch.softmax(score, dim=-1)
        out.append(weights @ v[:, own])
    return torch.cat(out, dim=-1)


def one_query_attention(query, keys, values, heads):
    """query (d), keys and values (m,d): all heads, concatenated (d)."""
    width = query.shape[0] // heads
    out = []
    for head in range(heads):
        own = slice(head * width, (head + 1) * width)
        attention = torch.softmax(keys[:, own] @ query[own] / math.sqrt(width), dim=0)
        out.append(attention @ values[:, own])
    return torch.cat(out)


def instance_norm(x, gamma, beta):
    """Per channel over the n nodes, biased variance; x (n,d)."""
    mean = x.mean(dim=0)
    variance = ((x - mean) ** 2).mean(dim=0)
    return gamma * (x - mean) / torch.sqrt(variance + 1e-5) + beta


# --- Encoders: instance to node embeddings (n,d) --------------------------------------------------


def block_names(model):
    """Published names of a block's norms (with a place for their number) and of its feed-forward part."""
    if model.backbone == "pomo" and not model.has_depot:
        return "addAndNormalization{}.norm", "feedForward"
    return "add_n_normalization_{}.norm", "feed_forward"


def after_attention(h, attention, p, name, model):
    """The rest of a block: combine the heads, add and norm, feed forward, add and norm."""
    norm, feed_forward = (name + part for part in block_names(model))
    out = linear(attention, p, name + "multi_head_combine")
    h1 = instance_norm(h + out, p[norm.format(1) + ".weight"], p[norm.format(1) + ".bias"])
    ff = linear(torch.relu(linear(h1, p, feed_forward + ".W1")), p, feed_forward + ".W2")
    return instance_norm(h1 + ff, p[norm.format(2) + ".weight"], p[norm.format(2) + ".bias"])


def radar_features(instance, model):
    """(n,2*rank); with demands one more column, the share of the total demand."""
    features = svd_features(instance.dn, model.rank)
    if not model.has_depot:
        return features
    share = instance.demand / (instance.demand.sum() + 1e-6)
    return torch.cat([features, share[:, None]], dim=1)


def encode_radar(instance, p, model):
    h = linear(radar_features(instance, model), p, "projection")
    for layer in range(model.layers):
        name = f"encoder.layers.{layer}."
        mix = [p[name + "mixed_score_MHA." + m] for m in ("mix1_weight", "mix1_bias", "mix2_weight", "mix2_bias")]
        q, k, v = (linear(h, p, name + w) for w in ("Wq", "Wk", "Wv"))
        attention = mixed_attention(q, k, v, instance.dn, *mix, model.attention, model.sinkhorn_iterations)
        h = after_attention(h, attention, p, name, model)
    return h


def encode_pomo(instance, p, model):
    if model.has_depot:
        depot = linear(instance.coords[:1], p, "encoder.embedding_depot")
        share = instance.demand[1:, None] / instance.capacity
        customers = linear(torch.cat([instance.coords[1:], share], dim=1), p, "encoder.embedding_node")
        h = torch.cat([depot, customers])
    else:
        h = linear(instance.coords, p, "encoder.embedding")
    for layer in range(model.layers):
        name = f"encoder.layers.{layer}."
        q, k, v = (linear(h, p, name + w) for w in ("Wq", "Wk", "Wv"))
        attention = torch.stack([one_query_attention(query, k, v, model.heads) for query in q])
        h = after_attention(h, attention, p, name, model)
    return h


def encode(instance, p, model):
    return encode_radar(instance, p, model) if model.backbone == "radar" else encode_pomo(instance, p, model)


# --- Parameters -----------------------------------------------------------------------------------


class ParameterMaker:
    """Draws parameters in the order of the calls; linear layers as PyTorch initialises them. With a
    `grid` the numbers are multiples of 1/grid: they compress well."""

    def __init__(self, rng, model, grid=None):
        self.rng, self.model, self.grid, self.p = rng, model, grid, {}

    def add(self, name, bound, *shape, centre=0):
        value = centre + uniform(self.rng, bound, *shape)
        self.p[name] = as_float32(value if self.grid is None else torch.round(value * self.grid) / self.grid)

    def linear(self, name, out, fan_in, bias=True):
        self.add(name + ".weight", fan_in**-0.5, out, fan_in)
        if bias:
            self.add(name + ".bias", fan_in**-0.5, out)

    def norm(self, name):
        self.add(name + ".weight", 0.25, self.model.width, centre=1)
        self.add(name + ".bias", 0.25, self.model.width)

    def inputs(self):
        m = self.model
        if m.backbone == "radar":
            self.linear("projection", m.width, 2 * m.rank + m.has_depot)
        elif m.has_depot:
            self.linear("encoder.embedding_depot", m.width, 2)
            self.linear("encoder.embedding_node", m.width, 3)
        else:
            self.linear("encoder.embedding", m.width, 2)

    def block(self, layer):
        m, name = self.model, f"encoder.layers.{layer}."
        norm, feed_forward = (name + part for part in block_names(m))
        is_radar = m.backbone == "radar"
        self.linear(name + "Wq", m.width, m.width, bias=is_radar)
        self.linear(name + "Wk", m.width, m.width, bias=is_radar)
        self.linear(name + "Wv", m.width, m.width, bias=False)
        if is_radar:
            self.add(name + "mixed_score_MHA.mix1_weight", 1.0, m.heads, 3, m.mix_hidden)
            self.add(name + "mixed_score_MHA.mix1_bias", 1.0, m.heads, m.mix_hidden)
            self.add(name + "mixed_score_MHA.mix2_weight", 0.5, m.heads, m.mix_hidden, 1)
            self.add(name + "mixed_score_MHA.mix2_bias", 0.5, m.heads, 1)
        self.linear(name + "multi_head_combine", m.width, m.width)
        self.norm(norm.format(1))
        self.linear(feed_forward + ".W1", m.feed_forward, m.width)
        self.linear(feed_forward + ".W2", m.width, m.feed_forward)
        self.norm(norm.format(2))

    def decoder(self):
        m = self.model
        last, first = query_names(m)
        self.linear(last, m.width, m.width + m.has_depot, bias=False)
        for name in ([] if m.has_depot else [first]) + ["decoder.Wk", "decoder.Wv"]:
            self.linear(name, m.width, m.width, bias=False)
        self.linear("decoder.multi_head_combine", m.width, m.width)
        if m.feature_terms:
            self.linear("decoder.edge_bias.0", m.edge_hidden, m.feature_width)
            self.linear("decoder.edge_bias.2", 1, m.edge_hidden)

    def local_policy(self):
        self.linear(LOCAL_POLICY + "init_emb", LOCAL_WIDTH, 2 + self.model.has_depot)
        self.add(LOCAL_POLICY + "cur_token_emb", 1.0, LOCAL_WIDTH)
        for name in ("Wq", "Wk", "Wv"):
            self.linear(LOCAL_POLICY + name, LOCAL_WIDTH, LOCAL_WIDTH, bias=False)
        self.linear(LOCAL_POLICY + "multi_head_combine", LOCAL_WIDTH, LOCAL_WIDTH)


def query_names(model):
    """Of the current node's and the first node's part of the query; first names (README.md)."""
    if model.backbone == "radar" and not model.has_depot:
        return "decoder.Wq_0", "decoder.Wq_1"
    return "decoder.Wq_last", "decoder.Wq_first"


def make_parameters(rng, model, grid=None):
    """Every parameter by its published name."""
    maker = ParameterMaker(rng, model, grid)
    maker.inputs()
    for layer in range(model.layers):
        maker.block(layer)
    maker.decoder()
    if "local_policy" in model.terms:
        maker.local_policy()
    return maker.p
