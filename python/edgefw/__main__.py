"""``python -m edgefw``: the program."""

import os
import shutil
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    """Becomes the program edgefw, with the arguments of this process."""
    # Not of _library: the program loads the shared library itself.
    program = os.environ.get("EDGEFW_PROGRAM") or str(
        Path(__file__).resolve().parent / "_native" / "bin" / "edgefw"
    )
    if not os.access(program, os.X_OK):
        found = shutil.which("edgefw", path="/usr/local/bin:/usr/bin")
        if found is None:
            sys.exit(f"edgefw: the program is not in {program}, /usr/local/bin or /usr/bin")
        program = found
    os.execv(program, ["edgefw", *sys.argv[1:]])


if __name__ == "__main__":
    main()
