"""Many threads at once: right answers, the GIL released, memory flat; models closed while in use."""

# needs plugins: atsp radar nearest

import gc
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import edgefw
from edgefw.turns import Turns
from support import matrices, tour_cost

THREADS = 24


def resident_kilobytes():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


class Threads(unittest.TestCase):
    def test_right_answers(self):
        batch = matrices(48, 10)
        with edgefw.Model("atsp", threads=1) as model:
            expected = [model.solve(matrix).cost for matrix in batch]
            with ThreadPoolExecutor(THREADS) as pool:
                solutions = list(pool.map(model.solve, np.tile(batch, (4, 1, 1))))
        for index, solution in enumerate(solutions):
            self.assertEqual(solution.cost, expected[index % 48])
            self.assertEqual(solution.cost, tour_cost(batch[index % 48], solution.nodes))

    def test_memory_is_flat(self):
        batch = matrices(16, 6)
        # Heuristics alone: what a call takes and gives back is the same, and 2000 calls take seconds.
        model = edgefw.Model(model="none", problem="atsp", threads=1)
        calls = [batch[i % 16] for i in range(1000)]
        with ThreadPoolExecutor(THREADS) as pool:
            for _ in range(2):  # what threads and solvers keep for good
                list(pool.map(model.solve, calls))
            gc.collect()
            before = resident_kilobytes()
            for _ in range(2):
                list(pool.map(model.solve, calls))
            gc.collect()
        self.assertLess(resident_kilobytes() - before, 2048)
        with self.assertRaises(edgefw.Error):
            model.solve(np.full((6, 6), -1.0))
        model.close()

    def test_others_go_on_meanwhile(self):
        turns = 0
        worker = threading.Thread(target=lambda: edgefw.solve(matrices(1, 30)[0], time_limit=0.5))
        worker.start()
        while worker.is_alive():
            turns += 1
            time.sleep(0.01)
        worker.join()
        self.assertGreater(turns, 5)

    def test_turns_are_taken_in_order(self):
        turns, order = Turns(), []

        def work(number):
            with turns:
                order.append(number)

        with turns:
            workers = []
            for number in range(5):
                workers.append(threading.Thread(target=work, args=(number,)))
                workers[-1].start()
                while turns._next < number + 2:
                    time.sleep(0.001)
            turns.let_others()
            order.append("again")
        for worker in workers:
            worker.join()
        self.assertEqual(order, [0, 1, 2, 3, 4, "again"])

    def test_models_are_opened_at_once(self):
        with ThreadPoolExecutor(THREADS) as pool:
            models = list(pool.map(edgefw.Model, ["atsp"] * 48))
        self.assertEqual(len({model.info for model in models}), 1)

    def test_closing_waits_for_calls(self):
        model = edgefw.Model("atsp", threads=1)
        began = threading.Event()
        found = []

        def look(_):
            began.set()

        def work():
            found.append(model.solve(matrices(1, 20)[0], time_limit=0.3, progress=look))

        worker = threading.Thread(target=work)
        worker.start()
        began.wait()
        model.close()
        worker.join()
        self.assertEqual(sorted(found[0].nodes.tolist()), list(range(20)))
        with self.assertRaisesRegex(edgefw.ArgumentError, "closed"):
            model.solve(matrices(1, 20)[0])


if __name__ == "__main__":
    unittest.main()
