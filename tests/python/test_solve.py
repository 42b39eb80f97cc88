"""Solving: shapes, types, problems, settings, what comes out, and what is refused."""

# needs plugins: acvrp atsp tsp radar pomo nearest patching

import itertools
import math
import pickle
import unittest

import numpy as np

import edgefw
from support import SOURCE, matrices, tour_cost


def cheapest(matrix):
    """The cost of the best tour, of all that there are."""
    rest = range(1, len(matrix))
    return min(tour_cost(matrix, np.array((0, *order))) for order in itertools.permutations(rest))


class Tours(unittest.TestCase):
    def test_one_matrix(self):
        matrix = matrices(1, 8)[0]
        solution = edgefw.solve(matrix, kicks=50, bound=True)
        self.assertEqual(sorted(solution.nodes.tolist()), list(range(8)))
        self.assertEqual(solution.nodes[0], 0)
        self.assertEqual(solution.cost, cheapest(matrix))
        self.assertEqual(solution.cost, tour_cost(matrix, solution.nodes))
        self.assertLessEqual(solution.bound, solution.cost)
        self.assertAlmostEqual(solution.gap, solution.cost / solution.bound - 1)
        self.assertEqual(solution.routes, [solution.nodes[1:].tolist()])
        self.assertGreater(solution.seconds, 0)
        self.assertFalse(solution.stopped)

    def test_a_batch_is_its_instances(self):
        batch = matrices(5, 12)
        solutions = edgefw.solve(batch)
        self.assertEqual(len(solutions), 5)
        for matrix, solution in zip(batch, solutions):
            self.assertEqual(solution.cost, edgefw.solve(matrix).cost)
            self.assertEqual(solution.cost, tour_cost(matrix, solution.nodes))
        self.assertEqual(solutions[-1].cost, solutions.costs[4])
        self.assertEqual(len(solutions[1:3]), 2)
        with self.assertRaises(IndexError):
            solutions[5]

    def test_types_and_layouts_agree(self):
        batch = matrices(3, 9)
        expected = edgefw.solve(batch).costs
        for dtype in ("float64", "float32", "int32", "int64", "int16", "uint8", ">i8", "float16"):
            given = np.minimum(batch, 200 if dtype == "uint8" else 999).astype(dtype)
            wanted = expected if dtype != "uint8" else edgefw.solve(np.minimum(batch, 200)).costs
            np.testing.assert_array_equal(edgefw.solve(given).costs, wanted, dtype)
        np.testing.assert_array_equal(edgefw.solve(batch.tolist()).costs, expected)
        np.testing.assert_array_equal(edgefw.solve(np.asfortranarray(batch)).costs, expected)
        np.testing.assert_array_equal(edgefw.solve(np.repeat(batch, 2, axis=0)[::2]).costs, expected)
        np.testing.assert_array_equal(edgefw.solve(memoryview(batch)).costs, expected)

    def test_dlpack_without_a_copy(self):
        batch = matrices(2, 9).astype(np.float32)

        class Tensor:  # as frameworks have them
            def __dlpack__(self, **settings):
                return batch.__dlpack__(**settings)

            def __dlpack_device__(self):
                return batch.__dlpack_device__()

        from edgefw.arrays import as_array

        self.assertTrue(np.shares_memory(as_array(Tensor(), "matrix"), batch))
        self.assertTrue(np.shares_memory(as_array(batch, "matrix"), batch))
        np.testing.assert_array_equal(edgefw.solve(Tensor()).costs, edgefw.solve(batch).costs)
        Tensor.__dlpack_device__ = lambda self: (2, 0)  # kDLCUDA
        with self.assertRaisesRegex(edgefw.ArgumentError, "another device"):
            edgefw.solve(Tensor())

    def test_the_depot_is_where_it_begins(self):
        self.assertEqual(edgefw.solve(matrices(1, 9)[0], depot=4).nodes[0], 4)

    def test_ways_that_are_missing(self):
        matrix = matrices(1, 6)[0].astype(float)
        matrix[0, 1:5] = math.inf  # from 0 there is only the way to 5
        self.assertEqual(edgefw.solve(matrix).nodes[1], 5)
        gaps = [[None if cost == math.inf else cost for cost in row] for row in matrix.tolist()]
        self.assertEqual(edgefw.solve(gaps).cost, edgefw.solve(matrix).cost)
        batch = np.stack([matrix, matrix])
        batch[1, 0] = math.inf
        with self.assertRaises(edgefw.InfeasibleError) as caught:
            edgefw.solve(batch)
        found = caught.exception.solutions
        self.assertEqual(found[0].nodes[1], 5)
        self.assertEqual(len(found[1].nodes), 0)
        self.assertTrue(math.isnan(found[1].cost))

    def test_points(self):
        points = np.random.default_rng(3).random((2, 10, 2))
        for instance, solution in zip(points, edgefw.solve(points=points)):
            steps = instance[solution.nodes] - instance[np.roll(solution.nodes, -1)]
            self.assertAlmostEqual(solution.cost, np.hypot(*steps.T).sum(), places=9)

    def test_demands(self):
        matrix = matrices(1, 11)[0]
        demands = np.array([0, 3, 4, 2, 5, 1, 4, 3, 2, 5, 1])
        solution = edgefw.solve(matrix, demands=demands, capacity=10)
        self.assertEqual(sorted(node for route in solution.routes for node in route), list(range(1, 11)))
        self.assertTrue(all(demands[route].sum() <= 10 for route in solution.routes))
        priced = sum(tour_cost(matrix, np.array([0, *route])) for route in solution.routes)
        self.assertEqual(solution.cost, priced)
        moved = edgefw.solve(
            np.roll(matrix, (3, 3), (0, 1)), demands=np.roll(demands, 3), capacity=[10], depot=3
        )
        self.assertEqual(moved.cost, solution.cost)
        self.assertEqual(moved.nodes[0], 3)

    def test_the_seed_decides(self):
        matrix = matrices(1, 40)[0]
        one = edgefw.solve(matrix, kicks=20, seed=7, threads=1)
        two = edgefw.solve(matrix, kicks=20, seed=7, threads=2)
        np.testing.assert_array_equal(one.nodes, two.nodes)

    def test_settings_reach_the_library(self):
        matrix = matrices(1, 30)[0]
        alone = edgefw.solve(matrix, makers="policy", improve=False, starts=1)
        self.assertEqual(alone.maker, "policy")
        self.assertNotEqual(edgefw.solve(matrix, makers="heuristics").maker, "policy")
        self.assertEqual(edgefw.solve(matrix, model="none", heuristics=["nearest"]).maker, "nearest")
        self.assertLessEqual(edgefw.solve(matrix, makers="policy", beam=4).cost, alone.cost)
        limited = edgefw.solve(matrix, time_limit=0.2, kicks=10**9)
        self.assertLessEqual(limited.cost, alone.cost)
        self.assertLess(limited.seconds, 5)


class Looking(unittest.TestCase):
    def test_progress_is_told_and_stops(self):
        seen = []

        def look(progress):
            seen.append(progress)
            return progress.cost != progress.cost or progress.seconds < 0.2

        solution = edgefw.solve(matrices(1, 60)[0], kicks=10**9, progress=look)
        self.assertTrue(solution.stopped)
        self.assertLess(solution.seconds, 20)
        self.assertEqual(seen[-1].count, 1)
        self.assertEqual(min(step.cost for step in seen if step.cost == step.cost), solution.cost)

    def test_its_exception_comes_through(self):
        def look(_):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            edgefw.solve(matrices(1, 60)[0], kicks=10**9, progress=look)
        self.assertFalse(edgefw.solve(matrices(1, 10)[0]).stopped)


class Models(unittest.TestCase):
    def test_what_was_opened(self):
        with edgefw.Model(SOURCE / "models/atsp.h5", device="cpu", threads=1) as model:
            self.assertEqual(model.info.problem, "atsp")
            self.assertGreater(model.info.parameters, 1000)
            self.assertIn("nearest", model.info.heuristics)
            self.assertIn("atsp.h5", repr(model))
            copy = pickle.loads(pickle.dumps(model))
            matrix = matrices(1, 10)[0]
            self.assertEqual(copy.solve(matrix).cost, model.solve(matrix).cost)
        with self.assertRaisesRegex(edgefw.ArgumentError, "closed"):
            model.solve(matrix)
        model.close()

    def test_names_that_are_none(self):
        for arguments in ({"problem": "nosuch"}, {"device": "nosuch"}, {"heuristics": "nosuch"}):
            with self.assertRaisesRegex(edgefw.Error, "nosuch"):
                edgefw.Model(**arguments)
        with self.assertRaisesRegex(edgefw.FileError, "nosuch.h5"):
            edgefw.Model("nosuch.h5")

    def test_evaluation(self):
        batch = matrices(4, 12)
        plain = edgefw.evaluate(batch)
        self.assertEqual(set(plain.solutions.makers), {"policy"})
        self.assertEqual(plain.mean_cost, plain.solutions.costs.mean())
        self.assertIsNone(plain.gap_percent)
        best = edgefw.solve(batch, kicks=100).costs
        known = edgefw.evaluate(batch, references=best)
        np.testing.assert_allclose(known.gaps, 100 * (plain.solutions.costs - best) / best)
        self.assertAlmostEqual(known.mean_gap_percent, known.gaps.mean())
        self.assertAlmostEqual(known.gap_percent, 100 * (plain.mean_cost / best.mean() - 1))
        self.assertLessEqual(edgefw.evaluate(batch, improve=True).mean_cost, plain.mean_cost)


class Refused(unittest.TestCase):
    def refused(self, message, *arguments, kind=edgefw.ArgumentError, **settings):
        with self.assertRaisesRegex(kind, message):
            edgefw.solve(*arguments, **settings)

    def test_shapes(self):
        self.refused(r"shape \(3, 4\); expected \(n, n\)", np.zeros((3, 4)))
        self.refused(r"shape \(0, 5, 5\)", np.zeros((0, 5, 5)))
        self.refused(r"shape \(5,\)", np.zeros(5))
        self.refused(r"points has the shape \(5, 3\)", points=np.zeros((5, 3)))
        self.refused(r"demands has the shape \(4,\)", np.ones((5, 5)), demands=np.zeros(4), capacity=1)
        self.refused("nodes; expected", np.ones((1, 1)))

    def test_values(self):
        self.refused("expected numbers", np.full((3, 3), "a"))
        self.refused("no number", [[None, "a"], [1, 2]])
        self.refused("cannot be read as an array", [[1, 2], [3]])
        bad = np.ones((2, 4, 4))
        bad[1, 2, 3] = -1
        self.refused("instance 1: the cost from node 2 to node 3 is -1", bad)
        bad[1, 2, 3] = math.nan
        self.refused("instance 1: the cost from node 2 to node 3 is nan", bad)
        self.refused("either a matrix of costs or points")
        self.refused("either a matrix", np.ones((4, 4)), points=np.ones((4, 2)))
        self.refused("demands without capacity", np.ones((4, 4)), demands=np.zeros(4))
        self.refused(
            "capacity",
            np.ones((4, 4)),
            demands=[0, 1, 1, 9],
            capacity=5,
            kind=edgefw.InfeasibleError,
        )

    def test_settings(self):
        matrix = np.ones((4, 4))
        self.refused("kicks = -2", matrix, kicks=-2)
        self.refused("kicks = 1.5: expected a whole number", matrix, kicks=1.5)
        self.refused("seed = 18446744073709551616", matrix, seed=2**64)
        self.refused("time_limit", matrix, time_limit=0)
        self.refused("time_limit", matrix, time_limit=math.nan)
        self.refused("makers = 'some'", matrix, makers="some")
        self.refused("depot", matrix, depot=4)
        self.refused("augment", matrix, augment=8)
        with self.assertRaises(TypeError):
            edgefw.solve(matrix, nosuch=1)


if __name__ == "__main__":
    unittest.main()
