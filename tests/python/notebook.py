"""Runs the code cells of a notebook in order, without Jupyter. As a program it stores what they print:

python3 tests/python/notebook.py docs/python-tutorial.ipynb
"""

import ast
import contextlib
import io
import json
import sys
import tempfile
from pathlib import Path


def run_cells(path):
    """Yields each code cell of the notebook and what it prints, its last expression included."""
    names = {"__name__": "__main__"}
    for number, cell in enumerate(json.loads(Path(path).read_text())["cells"]):
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]), f"{path}, cell {number}")
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(tree, f"{path}, cell {number}", "exec"), names)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), f"{path}, cell {number}", "eval"), names)
                if value is not None:
                    print(repr(value))
        yield number, printed.getvalue()


def store(path):
    """Writes what the cells print into the notebook."""
    notebook = json.loads(path.read_text())
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for count, (number, text) in enumerate(run_cells(path), 1):
            output = {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}
            cell = notebook["cells"][number]
            cell["execution_count"] = count
            cell["outputs"] = [output] if text else []
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    store(Path(sys.argv[1]).resolve())
