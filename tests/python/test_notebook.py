"""The tutorial's cells run, and solve what they say that they solve."""

# needs plugins: acvrp atsp cvrp radar pomo nearest patching edge

import json
import os
import tempfile
import unittest

from notebook import run_cells
from support import SOURCE

NOTEBOOK = SOURCE / "docs/python-tutorial.ipynb"


class Tutorial(unittest.TestCase):
    def test_its_cells_run(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                printed = [text for _, text in run_cells(NOTEBOOK)]
            finally:
                os.chdir(before)
        self.assertGreater(len(printed), 8)
        cells = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
        stored = ["".join(line for output in cell["outputs"] for line in output["text"]) for cell in cells]
        # Costs, nodes and seconds differ between machines; that there is an answer does not.
        self.assertEqual([bool(text) for text in printed], [bool(text) for text in stored])


if __name__ == "__main__":
    unittest.main()
