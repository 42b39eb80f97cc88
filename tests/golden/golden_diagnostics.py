"""Diagnostics of the directed transition, state by state: instances, rollouts, draws, counterfactuals and
their logits, from nothing but a seed and parameters (core/diagnostics; docs/numerics.md)."""

import math

import numpy as np
import torch

from golden_networks import encode
from golden_policy import Instance, Rollout, step_logits
from published_programs import philox

STREAM_COST, STREAM_DEMAND, STREAM_STATE = 0, 2, 8
WORD_START, WORD_STEP, WORD_CANDIDATE, WORD_PAIR = range(4)

# --- Random words ---------------------------------------------------------------------------------


def word(seed, stream, instance, index):
    return philox((index // 4, stream, instance, 0), (seed & 0xFFFFFFFF, seed >> 32))[index % 4]


def below(number, bound):
    return (number * bound) >> 32


# --- Instances ------------------------------------------------------------------------------------


def generated(model, nodes, capacity, seed, number):
    """Instance `number` of a sequence: whole millionths and their shortest paths, demands 1 to 9."""
    cost = [[0 if i == j else below(word(seed, STREAM_COST, number, i * nodes + j), 10**6) for j in range(nodes)]
            for i in range(nodes)]  # fmt: skip
    for via in range(nodes):
        for i in range(nodes):
            for j in range(nodes):
                cost[i][j] = min(cost[i][j], cost[i][via] + cost[via][j])
    cost = torch.tensor(cost, dtype=torch.float64) / 1e6
    if not model.has_depot:
        return Instance(cost)
    demand = [0] + [1 + below(word(seed, STREAM_DEMAND, number, i), 9) for i in range(nodes - 1)]
    return Instance(cost, None, torch.tensor(demand, dtype=torch.float64), torch.tensor(float(capacity)))


# --- States ---------------------------------------------------------------------------------------


def begun(instance, model, visited):
    rollout = Rollout(instance, visited[0])
    for j in visited[1:]:
        rollout.visit(j)
    return rollout


def logits_after(instance, model, p, visited):
    """Node -> logit of the open nodes after these visits."""
    rollout = begun(instance, model, visited)
    candidates = rollout.open_nodes()
    return dict(zip(candidates, step_logits(encode(instance, p, model), p, model, rollout, candidates).tolist()))


def greedy_tour(instance, model, p, visited):
    """Visits until the rollout is finished."""
    h, rollout = encode(instance, p, model), begun(instance, model, visited)
    while candidates := rollout.open_nodes():
        logits = step_logits(h, p, model, rollout, candidates)
        best, runner_up = torch.sort(logits, descending=True).values[[0, min(1, len(candidates) - 1)]]
        assert len(candidates) == 1 or best - runner_up > 1e-6, "a choice hangs by rounding: take another seed"
        rollout.visit(candidates[int(logits.argmax())])
    return rollout.tour


def choice_in(tour, instance, model, seed, number, states):
    """How many of the tour's visits the state has: (number + u) / states of the way, or the next place from
    there on, around the end, where two nodes are open."""
    first, last = (2, len(tour) - 1) if model.has_depot else (1, len(tour) - 2)
    u = (word(seed, STREAM_STATE, number, WORD_STEP) >> 8) / 2.0**24
    count = last - first + 1
    at = min(int((number + u) / states * count), count - 1)
    for turn in range(count):
        entries = first + (at + turn) % count
        if len(begun(instance, model, tour[:entries]).open_nodes()) >= 2:
            return entries
    raise AssertionError("a tour without a choice: take another seed")


def like_pairs(instance, model, current, closing, nodes, closeness):
    """Pairs of open customers with nearly the same arcs home, cheapest arcs out and cheapest arcs in."""
    cost, n = instance.cost, instance.nodes
    out = [min(float(cost[j, l]) for l in range(n) if l != j) for j in range(n)]
    into = [min(float(cost[l, j]) for l in range(n) if l != j) for j in range(n)]
    customers = [j for j in nodes if not (model.has_depot and j == 0)]
    pairs = []
    for a in customers:
        for b in customers:
            if b <= a or float(cost[current, a]) == float(cost[current, b]):
                continue
            apart = [abs(float(cost[a, closing] - cost[b, closing])), abs(out[a] - out[b]), abs(into[a] - into[b])]
            if max(apart) <= closeness:
                pairs.append((a, b))
    return pairs


def counterfactuals(cost, i, j, by):
    """Raised forth, raised back, raised forth and lowered back, exchanged."""
    forth, back = float(cost[i, j]), float(cost[j, i])
    for new in ((forth + by, back), (forth, back + by), (forth + by, max(back - by, 0.0)), (back, forth)):
        changed = cost.clone()
        changed[i, j], changed[j, i] = new
        yield changed


def diagnosed(model, nodes, capacity, p, seed, number, states, rules):
    """Row of the tour, of whole numbers, of costs and of logits, as README.md has them."""
    instance = generated(model, nodes, capacity, seed, number)
    starts = nodes - 1 if model.has_depot else nodes
    start = below(word(seed, STREAM_STATE, number, WORD_START), starts)
    tour = greedy_tour(instance, model, p, [0, start + 1] if model.has_depot else [start])
    entries = choice_in(tour, instance, model, seed, number, states)
    visited = tour[:entries]
    current, closing = visited[-1], 0 if model.has_depot else visited[0]
    logits = logits_after(instance, model, p, visited)
    nodes_open = sorted(logits)
    candidate = nodes_open[below(word(seed, STREAM_STATE, number, WORD_CANDIDATE), len(nodes_open))]
    unit = float(instance.cost.sum()) / (nodes * (nodes - 1))
    pairs = like_pairs(instance, model, current, closing, nodes_open, rules["closeness"] * unit)
    pair = pairs[below(word(seed, STREAM_STATE, number, WORD_PAIR), len(pairs))] if pairs else (-1, -1)
    changed = []
    for cost in counterfactuals(instance.cost, current, candidate, rules["perturbation"] * unit):
        other = Instance(cost, None, instance.demand, instance.capacity)
        changed.append(logits_after(other, model, p, visited)[candidate])
    pair_cost = [float(instance.cost[current, j]) if pairs else 0.0 for j in pair]
    pair_logit = [logits[j] if pairs else 0.0 for j in pair]
    whole = [entries, current, closing, candidate, len(nodes_open), *pair]
    costs = [unit, float(instance.cost[current, candidate]), float(instance.cost[candidate, current]), *pair_cost]
    length = 2 * nodes if model.has_depot else nodes
    return visited + [-1] * (length - entries), whole, costs, [logits[candidate], *changed, *pair_logit]


def diagnose(model, nodes, capacity, p, seed, states, rules):
    """The datasets of a case."""
    rows = [diagnosed(model, nodes, capacity, p, seed, number, states, rules) for number in range(states)]
    tours, whole, costs, logits = (np.array(column) for column in zip(*rows))
    assert all(math.isfinite(x) for x in logits.flat)
    assert (whole[:, 5] >= 0).any() and (whole[:, 5] < 0).any(), "no state with, or without, a pair"
    return {
        "tours": torch.from_numpy(tours.astype(np.int32)),
        "states": torch.from_numpy(whole.astype(np.int32)),
        "costs": torch.from_numpy(costs),
        "logits": torch.from_numpy(logits),
    }
