"""What the tests of the package have in common."""

import os
from pathlib import Path

import numpy as np

SOURCE = Path(os.environ["EDGEFW_SOURCE_DIR"])

# A model of some hundred parameters, trained in a second.
CONFIG = """
[problem]
name = atsp
[backbone]
name = radar
embedding_dim = 8
layers = 1
heads = 2
ff_hidden = 8
svd_rank = 3
[decoder]
heads = 2
[train]
size = 6
epochs = 3
instances_per_epoch = 64
batch = 16
milestones = 3
[eval]
sizes = 6
instances = 4
[variant tiny]
decoder.terms =
"""


def matrices(count, n, seed=1):
    """(count, n, n) whole costs from 1 to 999."""
    return np.random.default_rng(seed).integers(1, 1000, (count, n, n))


def tour_cost(matrix, nodes):
    """What a closed tour costs, by itself."""
    return matrix[nodes, np.roll(nodes, -1)].sum()
