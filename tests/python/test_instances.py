"""Instances as other tools have them."""

# needs plugins: acvrp atsp cvrp radar pomo

import importlib.util
import unittest
import warnings

import numpy as np

import edgefw
from support import SOURCE, matrices, tour_cost


class OrTools(unittest.TestCase):
    def test_a_tour(self):
        matrix = matrices(1, 9)[0]
        data = {"distance_matrix": matrix.tolist(), "num_vehicles": 1, "depot": 2}
        solution = edgefw.solve(edgefw.from_ortools(data))
        self.assertEqual(solution.nodes[0], 2)
        self.assertEqual(solution.cost, tour_cost(matrix, solution.nodes))

    def test_vehicles(self):
        data = {
            "time_matrix": [[abs(i - k) for k in range(9)] for i in range(9)],
            "demands": [0, 1, 1, 2, 4, 2, 4, 4, 4],
            "vehicle_capacities": [15, 15],
            "num_vehicles": 2,
            "depot": 0,
        }
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(len(edgefw.solve(edgefw.from_ortools(data)).routes), 2)
        data["num_vehicles"] = 1
        with self.assertWarnsRegex(UserWarning, "2 routes for 1 vehicles"):
            edgefw.solve(edgefw.from_ortools(data))

    def test_what_is_refused(self):
        matrix = [[0, 1], [1, 0]]
        for data, message in (
            ({"distance_matrix": matrix, "time_windows": []}, "time_windows"),
            ({}, "no matrix"),
            ({"distance_matrix": matrix, "time_matrix": matrix}, "expected one of"),
            ({"distance_matrix": matrix, "num_vehicles": 2}, "num_vehicles = 2"),
            ({"distance_matrix": matrix, "demands": [0, 1]}, "only one of"),
            (
                {"distance_matrix": matrix, "demands": [0, 1], "vehicle_capacities": [5, 6]},
                "equal vehicles",
            ),
        ):
            with self.assertRaisesRegex(edgefw.ArgumentError, message):
                edgefw.from_ortools(data)


class VrpLib(unittest.TestCase):
    def test_points(self):
        data = {
            "name": "five",
            "type": "CVRP",
            "dimension": 5,
            "edge_weight_type": "EUC_2D",
            "capacity": 6,
            "node_coord": np.array([[0, 0], [0, 3], [4, 0], [4, 3], [2, 2]]),
            "demand": np.array([0, 3, 3, 3, 3]),
            "depot": np.array([0]),
            "edge_weight": np.zeros((5, 5)),
        }
        instance = edgefw.from_vrplib(data)
        self.assertEqual(instance.name, "five")
        self.assertIsNone(instance.matrix)
        self.assertEqual(len(edgefw.solve(instance, kicks=20).routes), 2)

    def test_a_matrix(self):
        matrix = matrices(1, 7)[0]
        solution = edgefw.solve(edgefw.from_vrplib({"edge_weight": matrix, "edge_weight_type": "EXPLICIT"}))
        self.assertEqual(solution.cost, tour_cost(matrix, solution.nodes))

    def test_what_is_refused(self):
        with self.assertRaisesRegex(edgefw.ArgumentError, "time_window"):
            edgefw.from_vrplib({"edge_weight": np.ones((3, 3)), "time_window": []})
        with self.assertRaisesRegex(edgefw.ArgumentError, "no edge_weight"):
            edgefw.from_vrplib({"edge_weight_type": "GEO", "node_coord": np.ones((3, 2))})
        with self.assertRaisesRegex(edgefw.ArgumentError, "depots"):
            edgefw.from_vrplib({"edge_weight": np.ones((3, 3)), "depot": [0, 1]})

    @unittest.skipUnless(importlib.util.find_spec("vrplib"), "the package vrplib is not installed")
    def test_a_file(self):
        import vrplib

        data = vrplib.read_instance(SOURCE / "data/vrplib-x/X-n101-k25.vrp")
        solution = edgefw.solve(edgefw.from_vrplib(data))
        self.assertLess(solution.cost, 1.05 * 27591)
        self.assertGreater(solution.cost, 0.99 * 27591)


class Torch(unittest.TestCase):
    @unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed")
    def test_tensors(self):
        import torch

        batch = matrices(3, 9)
        tensor = torch.from_numpy(batch).float()
        np.testing.assert_array_equal(edgefw.solve(tensor).costs, edgefw.solve(batch).costs)
        with self.assertRaisesRegex(edgefw.ArgumentError, "grad"):
            edgefw.solve(tensor.requires_grad_())


if __name__ == "__main__":
    unittest.main()
