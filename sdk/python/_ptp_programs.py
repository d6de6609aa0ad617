"""The commands of a wheel of ptp: each starts the program of its name in ptp/bin. Beside the package,
not in it: importing that would import NumPy first."""

import os
import sys


def main():
    """Becomes the program that has the name of the command."""
    name = os.path.basename(sys.argv[0])
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ptp", "bin", name)
    try:
        os.execv(program, [program, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{name}: {program} cannot be started: {error.strerror}; fix: pip install "
                 "--force-reinstall --no-deps the wheel of ptp")
