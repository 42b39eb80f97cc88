"""The published programs behind one face: make a model with its own initialisation, and decode greedily.

Their modules are imported from the folders of their clones, one program per process (their names clash).
What is changed from outside, and why:
    starts       ELG draws its start nodes; here rollout s begins as edgefw's does (node s, customer s + 1)
    SVD          RADAR calls torch.svd_lowrank: its test matrix is edgefw's, and the signs of its factors
                 follow edgefw's rule; or, for exact factors, it is torch.linalg.svd
    precision    ELG asks for single precision in places: its positions and coordinates get the one in use
"""

import importlib
import math
import random
import sys

import numpy as np
import torch

HEADS = 8


def model_params(width, layers, clip):
    """The keys of all three programs; each reads its own."""
    return {
        "embedding_dim": width, "sqrt_embedding_dim": width ** 0.5, "encoder_layer_num": layers,
        "qkv_dim": width // HEADS, "sqrt_qkv_dim": (width // HEADS) ** 0.5, "head_num": HEADS,
        "logit_clipping": clip, "ff_hidden_dim": 512, "eval_type": "argmax",
    }


def imported(name, *folders):
    sys.path[:0] = [str(folder) for folder in folders]
    return importlib.import_module(name)


def shaken(model, seed):
    """Its own initialisation with noise on every tensor, so that none is left at 0 or 1."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            noise = torch.randn(parameter.shape, generator=generator, dtype=torch.float32)
            parameter += 0.1 * noise.to(parameter.dtype)
            parameter.copy_(parameter.float())  # checkpoints hold float32
    return model.eval()


# --- RADAR -------------------------------------------------------------------------------------------


def philox(counter, key):
    """Philox4x32-10 (core/include/edgefw/rng.h)."""
    c, (k0, k1) = list(counter), key
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k0, p1 & 0xFFFFFFFF, (p0 >> 32) ^ c[3] ^ k1, p0 & 0xFFFFFFFF]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return c


def test_matrix(n, columns):
    """edgefw's Gaussian test matrix (n, columns): stream 5 of seed 0."""
    def unit(word):
        return (philox((word // 4, 5, 0, 0), (0, 0))[word % 4] >> 8) / 2.0 ** 24
    numbers = [math.sqrt(-2.0 * math.log(1.0 - unit(2 * i))) * math.cos(2.0 * math.pi * unit(2 * i + 1))
               for i in range(n * columns)]
    return torch.tensor(numbers, dtype=torch.float64).reshape(n, columns)


def with_signs(u, s, v):
    """In each pair the entry of u with the largest magnitude, the first of equal ones, is positive."""
    large = u.abs() >= (1.0 - 1e-6) * u.abs().amax(dim=-2, keepdim=True)
    first = large.to(torch.int8).argmax(dim=-2, keepdim=True)
    sign = torch.sign(u.gather(-2, first))
    return u * sign, s, v * sign


def use_svd(exact):
    published, randn = torch.svd_lowrank, torch.randn

    def factors(matrix, q):
        if exact:
            u, s, vh = torch.linalg.svd(matrix, full_matrices=False)
            return with_signs(u[..., :q], s[..., :q], vh.mH[..., :q])
        torch.randn = lambda *shape, **keys: test_matrix(*shape).to(keys["dtype"])
        try:
            return with_signs(*published(matrix, q=q))
        finally:
            torch.randn = randn
    torch.svd_lowrank = factors


def radar(folder, problem, exact_svd, clip):
    use_svd(exact_svd)
    name = {"atsp": "ATSP", "acvrp": "ACVRP"}[problem]
    module = imported(f"{name}Model", folder, folder / problem)
    environment = imported(f"{name}Env", folder, folder / problem)
    params = model_params(256, 5, clip) | {
        "ms_hidden_dim": 16,
        "ms_layer1_init": 1.0 if problem == "atsp" else (1 / 2) ** 0.5,
        "ms_layer2_init": (3 / 16) ** 0.5 if problem == "atsp" else (1 / 16) ** 0.5,
    }
    model = getattr(module, f"{name}Model")(**params)

    def load(instances):
        starts = instances["size"]
        env = getattr(environment, f"{name}Env")(node_cnt=starts, pomo_size=starts)
        arrays = [tensor(instances["cost"])]
        if problem == "acvrp":
            arrays.append(tensor(instances["demand"][:, 1:] / instances["capacity"]))
        env.load_problems_manual(*arrays)
        return env
    return model, load, model


# --- POMO --------------------------------------------------------------------------------------------


def pomo(folder, problem, clip):
    name = problem.upper()
    folder = folder / "NEW_py_ver" / name
    module, environment = imported(f"{name}Model", folder, folder / "POMO"), imported(f"{name}Env")
    model = getattr(module, f"{name}Model")(**model_params(128, 6, clip))

    def load(instances):
        points, starts = tensor(instances["coords"]), instances["size"]
        given = points
        if problem == "cvrp":
            demand = tensor(instances["demand"][:, 1:] / instances["capacity"])
            given = (points[:, :1], points[:, 1:], demand)
        environment.get_random_problems = lambda batch, size: given
        env = getattr(environment, f"{name}Env")(problem_size=starts, pomo_size=starts)
        env.load_problems(len(points))
        return env
    return model, load, model


# --- ELG ---------------------------------------------------------------------------------------------


def elg(folder, problem, clip):
    name = problem.upper()
    module = imported(f"{name}Model", folder / name)
    environment = imported(f"{name}Env")
    params = model_params(128, 6, clip) | {
        "ensemble": True, "distance_penalty": True, "positional": True, "xi": -1, "demand": True,
        "local_size": [30 if problem == "tsp" else 40], "ensemble_size": 1, "euclidean": False,
        "local_att_hidden_dim": 32, "local_att_head_num": 4, "local_att_qkv_dim": 8,
    }
    model = getattr(module, f"{name}Model")(**params)
    model.decoder.add_local_policy("cpu")
    first = 0 if problem == "tsp" else 1
    random.sample = lambda population, count: list(range(first, first + count))

    def load(instances):
        for part in model.modules():
            if hasattr(part, "inv_timescales"):
                part.inv_timescales = tensor(10000.0 ** (-np.arange(16) / 15.0))
        env = getattr(environment, f"{name}Env")(instances["size"], "cpu")
        if problem == "tsp":
            load_elg_tsp(env, instances)
        else:
            load_elg_cvrp(env, instances)
        return env

    def step(state, env):
        if problem == "tsp":
            distance, angle, offset = env.get_local_feature()
            return model.one_step_rollout(state, cur_dist=distance, cur_theta=angle, xy=offset,
                                          eval_type="greedy")
        distance, angle, offset, demand = env.get_cur_feature()
        return model.one_step_rollout(state, distance, angle, offset, norm_demand=demand,
                                      eval_type="greedy")
    return model, load, step


def load_elg_tsp(env, instances):
    points = instances["coords"]
    if not instances["library"]:
        env.load_random_problems(tensor(points))
        return
    # as its tester scales them
    scaled = (points - points.min()) / (points.max() - points.min())
    env.load_tsplib_problem(tensor(scaled), tensor(points))


def load_elg_cvrp(env, instances):
    points, demand, capacity = instances["coords"], instances["demand"], instances["capacity"]
    if instances["library"]:
        torch.FloatTensor = tensor
        env.load_vrplib_problem({"node_coord": points[0], "demand": demand[0], "capacity": capacity,
                                 "depot": np.array([0])})
        return
    env.load_random_problems({"loc": tensor(points[:, 1:]), "depot": tensor(points[:, :1]),
                              "demand": tensor(demand[:, 1:] / capacity)})


# --- Decoding ----------------------------------------------------------------------------------------


def tensor(array):
    return torch.tensor(np.asarray(array), dtype=torch.get_default_dtype())


def rollouts(model, env, step):
    """Greedy rollouts (B,S,T), as its tester decodes."""
    with torch.no_grad():
        reset_state, _, _ = env.reset()
        model.pre_forward(reset_state)
        state, _, done = env.pre_step()
        while not done:
            selected, _ = step(state) if step is model else step(state, env)
            state, _, done = env.step(selected)
    return env.selected_node_list.numpy()


def open_program(program, folder, problem, clip, exact_svd):
    """A model, its loader of instances, and its step."""
    if program == "radar":
        return radar(folder, problem, exact_svd, clip)
    return (pomo if program == "pomo" else elg)(folder, problem, clip)
