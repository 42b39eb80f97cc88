"""Training and running configurations."""

# needs plugins: atsp radar

import os
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import edgefw
from support import CONFIG, matrices


class Runs(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.config = self.folder / "tiny.ini"
        self.config.write_text(CONFIG)

    def test_progress_and_what_is_left(self):
        run = edgefw.train(self.config, folder=self.folder / "run")
        seen = list(run)
        self.assertEqual(seen[-1].variant, "tiny")
        self.assertEqual(seen[-1].what, "epoch 3/3")
        self.assertEqual((seen[-1].done, seen[-1].total), (192, 192))
        self.assertGreater(seen[-1].cost, 0)
        self.assertFalse(run.stopped)
        self.assertEqual(run.variants, ["tiny"])
        self.assertEqual([row["epoch"] for row in run.metrics()], [1, 2, 3])
        self.assertEqual(run.checkpoint().name, "checkpoint-3.h5")
        with run.model(threads=1) as model:
            self.assertEqual(model.info.problem, "atsp")
            self.assertEqual(len(model.solve(matrices(1, 7)[0]).nodes), 7)
        self.assertFalse((run.folder / "results.csv").exists())
        with self.assertRaisesRegex(edgefw.FileError, "results.csv"):
            run.results()

    def test_a_whole_run(self):
        results = edgefw.run(self.config, {"train.epochs": 1}, folder=self.folder / "run").wait().results()
        self.assertEqual([row["variant"] for row in results], ["tiny"])
        self.assertGreater(results[0]["objective"], 0)

    def test_stopped_and_gone_on_with(self):
        whole = edgefw.train(self.config, folder=self.folder / "whole").wait()
        run = edgefw.train(self.config, {"train.checkpoint_every": 1}, folder=self.folder / "run")
        for _ in run:
            run.stop()
        again = edgefw.train(self.config, {"train.checkpoint_every": 1}, folder=self.folder / "run").wait()
        self.assertFalse(again.stopped)
        scores = [[row["score"] for row in each.metrics()] for each in (whole, again)]
        self.assertEqual(*scores)

    def test_models_are_opened_meanwhile(self):
        run = edgefw.train(self.config, {"train.epochs": 100000}, folder=self.folder / "run")
        for _ in range(3):
            next(run)
        for _ in range(5):
            with edgefw.Model("atsp") as model:
                self.assertGreater(model.info.parameters, 1000)
        self.assertFalse(run.stopped)
        next(run)
        run.stop()
        run.wait()
        self.assertTrue(run.stopped)

    def test_dropping_it_stops_it(self):
        run = edgefw.train(self.config, {"train.epochs": 100000}, folder=self.folder / "run")
        next(run)
        worker = run._worker
        del run
        worker.join(60)
        self.assertFalse(worker.is_alive())

    def test_it_ends_when_it_cannot_begin(self):
        with mock.patch("edgefw.training.Context", side_effect=MemoryError("no room")):
            with self.assertRaisesRegex(MemoryError, "no room"):
                edgefw.train(self.config, folder=self.folder / "run").wait()

    def test_the_usual_folder(self):
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            run = edgefw.train("tiny.ini", {"train.epochs": 1}).wait()
            self.assertEqual(run.folder, Path("runs/tiny"))
            self.assertTrue(run.checkpoint().is_file())
            self.config.write_text("[experiment]\nname = other ; remark\n" + CONFIG)
            self.assertEqual(edgefw.train("tiny.ini").folder, Path("runs/other"))
        finally:
            os.chdir(before)

    def test_what_is_wrong_is_told(self):
        with self.assertRaisesRegex(edgefw.Error, "nosuch.ini"):
            edgefw.train(self.folder / "nosuch.ini").wait()
        with self.assertRaisesRegex(edgefw.ConfigurationError, "epoches"):
            edgefw.train(self.config, {"train.epoches": 1}, folder=self.folder / "run").wait()
        with self.assertRaisesRegex(edgefw.ArgumentError, "steps has 'test'"):
            edgefw.run(self.config, steps=["test"])
        with self.assertRaisesRegex(edgefw.ArgumentError, "no variant"):
            edgefw.train(self.config, folder=self.folder / "none").checkpoint()
        began = time.monotonic()
        with self.assertRaises(edgefw.FileError):
            edgefw.train(self.config, folder=self.folder / "none").checkpoint("tiny")
        self.assertLess(time.monotonic() - began, 5)


if __name__ == "__main__":
    unittest.main()
