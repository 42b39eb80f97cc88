"""Instances, rollouts, the pointer decoder, its score terms, and the loss: one rollout at a time, one
step at a time. Problems with a depot have it at node 0."""

import functools
import itertools
import math

import numpy as np
import torch

from golden_networks import LOCAL_POLICY, LOCAL_WIDTH, encode, linear, one_query_attention, query_names, z_score
from golden_networks import as_float32, radar_features

XI = -1.0  # distance_penalty of a node that is not near

# What is added to the largest distance of a near set; the penalty's without and with a depot.
PENALTY_EPSILON = {False: 1e-6, True: 0.0}
LOCAL_EPSILON = 1e-6

# --- Instances ------------------------------------------------------------------------------------


class Instance:
    """cost (n,n), coords (n,2) or None, demand (n) with 0 at the depot and capacity, or None; and the
    tables that the terms read."""

    def __init__(self, cost, coords=None, demand=None, capacity=None):
        self.cost, self.coords, self.demand, self.capacity = cost, coords, demand, capacity
        self.dn = z_score(cost)
        self.rank_out = rank_table(cost)
        self.rank_in = rank_table(cost.T).T

    @property
    def nodes(self):
        return self.cost.shape[0]

    @functools.cached_property
    def assigned(self):
        """Arcs of the cheapest assignment."""
        if self.demand is None:
            return cheapest(self.cost.tolist(), permutations(self.nodes))
        routes = math.ceil(float(sum(self.demand)) / float(self.capacity) - 1e-9)
        return cheapest(self.cost.tolist(), route_covers(self.nodes, routes))

    @functools.cached_property
    def mean_arc(self):
        """Of the cheapest assignment."""
        return max(sum(float(self.cost[i, j]) for i, j in self.assigned) / len(self.assigned), 1e-9)

    @functools.cached_property
    def patch_table(self):
        """log(1 + rise / mean arc) of forcing i -> j into the cheapest assignment."""
        rises = [[exchange_rise(self.cost, self.assigned, i, j) for j in range(self.nodes)] for i in range(self.nodes)]
        return torch.log1p(torch.tensor(rises) / self.mean_arc)

    def slack(self):
        """By how much a demand may exceed the load: fractions do not add up exactly."""
        whole = all(float(x).is_integer() for x in [*self.demand, self.capacity])
        return 0.0 if whole else 1e-9 * float(self.capacity)


def rank_table(cost):
    """log(1 + rank of j among the arcs out of i), ties by index, ranks from 0; diagonal 0."""
    n = cost.shape[0]
    table = torch.zeros(n, n)
    for i in range(n):
        order = sorted((j for j in range(n) if j != i), key=lambda j: (float(cost[i, j]), j))
        for rank, j in enumerate(order):
            table[i, j] = math.log(1 + rank)
    return table


CLEARLY_CHEAPER = 1e-4  # of the cheapest sum: there is no tie


def permutations(n):
    """Those without fixed points, as arcs."""
    for p in itertools.permutations(range(n)):
        if all(i != j for i, j in enumerate(p)):
            yield tuple(enumerate(p))


def route_covers(n, routes):
    """Arcs of which so many leave node 0 and enter it, and one every other node."""
    customers = range(1, n)
    for last in itertools.combinations(customers, routes):
        inner = [i for i in customers if i not in last]
        for following in itertools.permutations(customers, len(inner)):
            if all(i != j for i, j in zip(inner, following)):
                first = [(0, j) for j in customers if j not in following]
                yield (*first, *zip(inner, following), *((i, 0) for i in last))


def cheapest(cost, assignments):
    """The assignment of least sum, by trying all. It must be the only one."""
    sums = sorted((sum(cost[i][j] for i, j in arcs), arcs) for arcs in assignments)
    assert sums[1][0] > sums[0][0] * (1 + CLEARLY_CHEAPER), "a tied assignment: take another seed"
    return sums[0][1]


def exchange_rise(cost, assigned, i, j):
    """What the sum of the assigned arcs rises by if i -> j is forced among them: whoever went to j goes on to where
    i went. It would go to itself where that is the same node: then twice the arc counts. A depot that is left several
    times gives up the arc whose loss costs least."""
    if i == j or (i, j) in assigned:
        return 0.0
    rises = []
    for after in (b for a, b in assigned if a == i):
        for before in (a for a, b in assigned if b == j):
            rise = cost[i, j] + cost[before, after] - cost[i, after] - cost[before, j]
            rises.append(2 * float(cost[i, j]) if before == after else float(rise))
    return max(min(rises), 0.0)


def closed_integers(rng, n, end):
    """Uniform integers in [0, end), zero diagonal, shortest-path closure."""
    cost = rng.integers(0, end, (n, n))
    np.fill_diagonal(cost, 0)
    for via in range(n):
        cost = np.minimum(cost, cost[:, via : via + 1] + cost[via : via + 1, :])
    return cost


def tmat(rng, n):
    return torch.from_numpy(closed_integers(rng, n, 10**6) / 1e6)


def distances(coords):
    difference = coords[:, None, :] - coords[None, :, :]
    return torch.sqrt((difference**2).sum(dim=-1))


# --- Rollouts -------------------------------------------------------------------------------------


class Rollout:
    """What is known after the visits of `tour` so far."""

    def __init__(self, instance, first):
        self.instance, self.has_depot = instance, instance.demand is not None
        self.first = self.current = first
        self.tour = [first]
        self.unvisited = [j for j in range(instance.nodes) if j != first]
        self.load = float(instance.capacity) if self.has_depot else None
        assert not self.has_depot or first == 0

    @property
    def closing(self):
        """The node that ends the route."""
        return 0 if self.has_depot else self.first

    def open_nodes(self):
        """Candidates in the order of their index; none when the rollout is finished."""
        if not self.has_depot:
            return list(self.unvisited)
        if not self.unvisited:
            return []
        limit = self.load + self.instance.slack()
        customers = [j for j in self.unvisited if float(self.instance.demand[j]) <= limit]
        return ([0] if self.current != 0 else []) + customers

    def visit(self, j):
        if self.has_depot and j == 0:
            self.load = float(self.instance.capacity)
        else:
            self.unvisited.remove(j)
            if self.has_depot:
                self.load -= float(self.instance.demand[j])
        self.current = j
        self.tour.append(j)


def tour_length(cost, tour):
    return sum(cost[a, b] for a, b in zip(tour, tour[1:] + tour[:1]))


# --- Score terms ----------------------------------------------------------------------------------


def descriptor(model, rollout, j):
    """phi_t(j): what the feature terms say about going to j."""
    instance, i, s = rollout.instance, rollout.current, rollout.closing
    dn = instance.dn
    phi = []
    for term in model.feature_terms:
        if term == "edge":
            phi += [dn[i, j], dn[j, i], dn[i, j] - dn[j, i]]
        elif term == "closure":
            phi += [dn[j, s]]
        elif term == "lookahead":
            phi += lookahead(model, rollout, j)
        elif term == "rank":
            phi += [instance.rank_out[i, j], instance.rank_in[i, j], instance.rank_out[j, s]]
        elif term == "patch" and model.patch_mode == "dynamic":
            phi += cover_numbers(rollout, j)
        elif term == "patch":
            phi += [instance.patch_table[i, j], instance.patch_table[j, i], instance.patch_table[j, s]]
    return torch.stack(phi)


def lookahead(model, rollout, j):
    """Cheapest arc out of and into j: from and to all nodes, or (masked) the unvisited ones apart from j and
    the depot; if there is none, the closing arc and the arc that leads to j."""
    dn = rollout.instance.dn
    among = range(rollout.instance.nodes) if model.lookahead_mode == "static" else rollout.unvisited
    others = [l for l in among if l != j]
    if not others:
        return [dn[j, rollout.closing], dn[rollout.current, j]]
    return [dn[j, others].min(), dn[others, j].min()]


def cycles_of(successor):
    """The sets of nodes of its cycles."""
    cycles, rest = [], set(range(len(successor)))
    while rest:
        cycle, node = set(), min(rest)
        while node not in cycle:
            cycle.add(node)
            node = successor[node]
        cycles.append(cycle)
        rest -= cycle
    return cycles


def cycle_with(cycles, node):
    return next(cycle for cycle in cycles if node in cycle)


def cover_numbers(rollout, j):
    """What a permutation says of going to j that began as the cheapest assignment and took in each arc of the path."""
    instance, i, n = rollout.instance, rollout.current, rollout.instance.nodes
    first_successor = [j for i, j in sorted(instance.assigned)]
    successor = list(first_successor)
    for a, b in zip(rollout.tour, rollout.tour[1:]):
        if successor[a] != b:
            successor[successor.index(b)], successor[a] = successor[a], b
    cycles, first_cycles = cycles_of(successor), cycles_of(first_successor)
    here = cycle_with(cycles, i)
    exits = [
        float(instance.patch_table[k, l])
        for k in here
        if k in rollout.unvisited
        for l in range(n)
        if l not in cycle_with(first_cycles, k)
    ]
    rise = exchange_rise(instance.cost, list(enumerate(successor)), i, j) / instance.mean_arc
    into = cycle_with(first_cycles, j)
    entries = [
        float(instance.patch_table[k, l])
        for k in [k for k in rollout.unvisited if k != j] or [i]
        for l in into
        if k not in into
    ]
    numbers = [math.log1p(rise), successor[i] == j, j in here, math.log(len(cycles))]
    numbers += [min([math.log1p(n), *exits]), min([math.log1p(n), *entries])]
    return [torch.tensor(float(number)) for number in numbers]


def near_set(model, rollout, candidates):
    """Node -> rank of the open customers nearest to the current node, and the largest of their costs, 0 if
    there are none. The depot has rank 0 and is in the set if it is open; customers come after it. Its cost
    is not looked at: whatever is asked of a member, the depot's answer is 0."""
    cost = rollout.instance.cost[rollout.current]
    customers = [j for j in candidates if not (rollout.has_depot and j == 0)]
    customers = sorted(customers, key=lambda j: (float(cost[j]), j))[: model.local_size]
    near = {0: 0} if rollout.has_depot and 0 in candidates else {}
    near.update({j: rank + rollout.has_depot for rank, j in enumerate(customers)})
    scale = float(cost[customers].max()) if customers else 0.0
    return near, scale


def share(cost, scale):
    """cost / scale, of which both may be 0."""
    return float(cost) / scale if scale != 0 else 0.0


def distance_penalty(model, rollout, candidates):
    near, scale = near_set(model, rollout, candidates)
    cost = rollout.instance.cost[rollout.current]
    scale += PENALTY_EPSILON[rollout.has_depot]
    penalty = []
    for j in candidates:
        if rollout.has_depot and j == 0:
            penalty.append(0.0)
        else:
            penalty.append(-share(cost[j], scale) if j in near else XI)
    return torch.tensor(penalty)


def position(rank):
    """16 sines, 16 cosines."""
    angles = [rank * math.exp(-t * math.log(10000.0) / 15) for t in range(16)]
    return torch.tensor([math.sin(a) for a in angles] + [math.cos(a) for a in angles])


def local_input(rollout, j, scale):
    """Distance, angle and, with demands, what part of the load j takes; nothing of that for the depot."""
    instance, i = rollout.instance, rollout.current
    if rollout.has_depot and j == 0:
        return torch.zeros(3)
    dx, dy = (instance.coords[j] - instance.coords[i]).tolist()
    x = [share(instance.cost[i, j], scale + LOCAL_EPSILON), math.atan2(dy, dx)]
    if rollout.has_depot:
        x.append(float(instance.demand[j]) / rollout.load if rollout.load != 0 else 0.0)
    return torch.tensor(x)


def local_policy(model, rollout, candidates, p):
    near, scale = near_set(model, rollout, candidates)
    own = {name[len(LOCAL_POLICY) :]: value for name, value in p.items() if name.startswith(LOCAL_POLICY)}
    keys = torch.stack(
        [linear(local_input(rollout, j, scale), own, "init_emb") + position(rank) for j, rank in near.items()]
    )
    query = linear(own["cur_token_emb"], own, "Wq")
    out = one_query_attention(query, linear(keys, own, "Wk"), linear(keys, own, "Wv"), heads=4)
    z = linear(out, own, "multi_head_combine")
    score = dict(zip(near, keys @ z / math.sqrt(LOCAL_WIDTH)))
    return torch.stack([score[j] if j in score else torch.zeros(()) for j in candidates])


# --- Decoder --------------------------------------------------------------------------------------


def query_of(h, p, model, rollout):
    last, first = query_names(model)
    if not model.has_depot:
        return linear(h[rollout.first], p, first) + linear(h[rollout.current], p, last)
    load = torch.tensor([rollout.load / float(rollout.instance.capacity)])
    return linear(torch.cat([h[rollout.current], load]), p, last)


def step_logits(h, p, model, rollout, candidates):
    """Logits (len(candidates)) of one decoding step."""
    keys, values = linear(h, p, "decoder.Wk"), linear(h, p, "decoder.Wv")
    query = query_of(h, p, model, rollout)
    out = one_query_attention(query, keys[candidates], values[candidates], model.heads)
    z = linear(out, p, "decoder.multi_head_combine")
    score = h[candidates] @ z / math.sqrt(model.width)
    if model.feature_terms:
        phi = torch.stack([descriptor(model, rollout, j) for j in candidates])
        hidden = torch.relu(linear(phi, p, "decoder.edge_bias.0"))
        score = score + linear(hidden, p, "decoder.edge_bias.2").squeeze(-1)
    if "distance_penalty" in model.terms:
        score = score + distance_penalty(model, rollout, candidates)
    if "local_policy" in model.terms:
        score = score + local_policy(model, rollout, candidates, p)
    return model.clip * torch.tanh(score)


def roll_out(h, p, model, instance, tour):
    """Follow `tour`; its log probability and the logits (steps,n): row t is step t. Rows of forced and of
    finished steps are 0, and so are closed candidates."""
    logits = torch.zeros(len(tour), instance.nodes)
    log_probability = torch.zeros(())
    rollout = Rollout(instance, tour[0])
    for t in range(1, len(tour)):
        candidates = rollout.open_nodes()
        if not candidates:
            assert not any(tour[t:]), "a finished rollout stays at the depot"
            break
        if not (model.has_depot and t == 1):
            step = step_logits(h, p, model, rollout, candidates)
            logits[t, candidates] = step.detach()
            log_probability = log_probability + torch.log_softmax(step, dim=0)[candidates.index(tour[t])]
        assert tour[t] in candidates
        rollout.visit(tour[t])
    assert not rollout.unvisited
    return log_probability, logits


def policy(model, instances, tours, p):
    """Everything that a case records of a batch: a dictionary of tensors, with `loss`."""
    result = {"zscore": [], "features": [], "encoder": [], "logits": [], "log_probability": [], "lengths": []}
    for instance, own_tours in zip(instances, tours.tolist()):
        h = encode(instance, p, model)
        rolled = [roll_out(h, p, model, instance, tour) for tour in own_tours]
        result["zscore"].append(instance.dn)
        if model.backbone == "radar":
            result["features"].append(radar_features(instance, model))
        result["encoder"].append(h)
        result["log_probability"].append(torch.stack([r[0] for r in rolled]))
        result["logits"].append(torch.stack([r[1] for r in rolled]))
        result["lengths"].append(torch.stack([tour_length(instance.cost, tour) for tour in own_tours]))
    result = {name: torch.stack(rows) for name, rows in result.items() if rows}
    reward = -result["lengths"]
    advantage = reward - reward.mean(dim=1, keepdim=True)
    if model.advantage_norm == "max":
        advantage = advantage / advantage.max(dim=1, keepdim=True).values
    result["loss"] = -(advantage * result["log_probability"]).mean()
    return result


# --- Inputs of a case -----------------------------------------------------------------------------


def tsp_tours(rng, count, nodes):
    """Random tours (count,n,n): tour s of an instance starts at s."""
    tours = np.empty((count, nodes, nodes), dtype=np.int32)
    for b in range(count):
        for s in range(nodes):
            tours[b, s] = [s, *rng.permutation([j for j in range(nodes) if j != s])]
    return torch.from_numpy(tours)


def random_routes(rng, instance, first, returns):
    """Feasible routes 0, first, ..., padded with 0. Counts its returns to the depot before the last one."""
    rollout = Rollout(instance, 0)
    rollout.visit(first)
    while rollout.unvisited:
        candidates = rollout.open_nodes()
        customers = [j for j in candidates if j != 0]
        if not customers:
            returns["forced"] += 1
            rollout.visit(0)
        elif 0 in candidates and rng.random() < 0.25:
            returns["voluntary"] += 1
            rollout.visit(0)
        else:
            nxt = int(rng.choice(customers))
            returns["within_slack"] += float(instance.demand[nxt]) > rollout.load
            rollout.visit(nxt)
    return rollout.tour + [0] * (2 * instance.nodes - len(rollout.tour))


def vrp_tours(rng, instances, returns):
    """(B, customers, 2*(customers+1))."""
    tours = [[random_routes(rng, i, s, returns) for s in range(1, i.nodes)] for i in instances]
    return torch.from_numpy(np.array(tours, dtype=np.int32))


def make_instance(rng, problem, nodes, fractional):
    """ATSP: tmat. ACVRP: small closed integers (ties are likely) and whole demands. Coordinates: uniform. Fractional
    demands are tenths of the capacity 1."""
    cost = coords = demand = capacity = None
    if problem in ("tsp", "cvrp"):
        coords = as_float32(rng.uniform(0, 1, (nodes, 2)))
        cost = distances(coords)
    elif problem == "atsp":
        cost = tmat(rng, nodes)
    else:
        cost = torch.from_numpy(closed_integers(rng, nodes, 100).astype(np.float64))
    if problem in ("acvrp", "cvrp"):
        whole = rng.integers(1, 10, nodes)
        whole[0] = 0
        demand = torch.from_numpy(whole / 10 if fractional else whole.astype(np.float64))
        capacity = torch.tensor(1.0 if fractional else 15.0)
    return Instance(cost, coords, demand, capacity)
