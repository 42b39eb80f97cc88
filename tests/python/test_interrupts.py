"""Ctrl-C ends what the library does within moments, as KeyboardInterrupt, and nothing is broken after."""

# needs plugins: atsp radar

import os
import signal
import tempfile
import threading
import time
import unittest
from pathlib import Path

import edgefw
from support import CONFIG, matrices


def press_after(seconds):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


class CtrlC(unittest.TestCase):
    def test_of_a_search(self):
        before = signal.getsignal(signal.SIGINT)
        began = time.monotonic()
        press_after(0.3)
        with self.assertRaises(KeyboardInterrupt):
            edgefw.solve(matrices(1, 40)[0], kicks=10**12)
        self.assertLess(time.monotonic() - began, 20)
        self.assertIs(signal.getsignal(signal.SIGINT), before)
        self.assertFalse(edgefw.solve(matrices(1, 10)[0]).stopped)

    def test_of_a_batch(self):
        press_after(0.3)
        with self.assertRaises(KeyboardInterrupt):
            edgefw.solve(matrices(100000, 20).astype("float32"))

    def test_a_handler_that_does_not_raise(self):
        pressed = []
        before = signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
        try:
            press_after(0.3)
            solution = edgefw.solve(matrices(1, 40)[0], kicks=10**12)
        finally:
            signal.signal(signal.SIGINT, before)
        self.assertEqual(pressed, [signal.SIGINT])
        self.assertTrue(solution.stopped)
        self.assertEqual(sorted(solution.nodes.tolist()), list(range(40)))

    def test_of_a_training(self):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "tiny.ini"
            config.write_text(CONFIG)
            run = edgefw.train(config, {"train.epochs": 100000}, folder=Path(folder) / "run")
            press_after(1)
            with self.assertRaises(KeyboardInterrupt):
                run.wait()
            self.assertTrue(run.stopped)
            self.assertGreater(len(run.metrics()), 0)


if __name__ == "__main__":
    unittest.main()
