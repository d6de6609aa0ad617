"""What the tests of the package ptp share: the package and libptp of a build folder, and a folder with the table of houses.

Each is a program NAME_test.py BUILD SOURCE [TEST...].
"""

import os
import pathlib
import shutil
import sys
import tempfile
import unittest

BUILD, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
sys.argv[1:3] = map(str, (BUILD, SOURCE))  # what a spawned process of another folder reads
LIBRARY = BUILD / "lib" / "libptp.so.0"
if not LIBRARY.exists():
    print(f"skipped: {LIBRARY} is not built")
    sys.exit(77)
PACKAGE = str(SOURCE / "sdk" / "python")
os.environ.update(PTP_LIBRARY=str(LIBRARY), OMP_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=PACKAGE)
sys.path.insert(0, PACKAGE)

LIMIT = "training.terminal_conditions.epoch_limit"


def copy_houses(folder):
    """Copies the experiment and its table."""
    for file in ("houses.toml", "houses.csv"):
        shutil.copy(SOURCE / "configs" / "tables" / file, folder)


def weights_of(run):
    """The bytes of its last weights."""
    return pathlib.Path(run, "checkpoints", "last", "weights.safetensors").read_bytes()


class Case(unittest.TestCase):
    """The current folder has the experiment, and becomes that of the runs."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="ptp_python_")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        copy_houses(cls.folder)
        os.chdir(cls.folder)


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
