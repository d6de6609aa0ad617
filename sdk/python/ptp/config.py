"""python -m ptp.config --NAME: where the parts of this installation are, for CMake, compilers and shells."""

import argparse
import os
from importlib import util
from pathlib import Path

from ._library import library


def places():
    """Returns the folders by name: "prefix", "cmake_path" (for CMAKE_PREFIX_PATH in the environment,
    with the folder of torch, if that is installed), "include", "plugins", "configs" (experiments to
    begin with) and "docs"."""
    lib = Path(library().path).resolve().parent
    prefix = lib.parent if (lib / "ptp").is_dir() else lib.parent.parent
    torch = util.find_spec("torch")
    roots = [prefix, *(torch.submodule_search_locations or [] if torch else [])]
    return {"prefix": str(prefix), "cmake_path": os.pathsep.join(map(str, roots)),
            "include": str(prefix / "include"), "plugins": str(prefix / "lib" / "ptp" / "plugins"),
            "configs": str(prefix / "share" / "ptp" / "configs"),
            "docs": str(prefix / "share" / "ptp" / "docs")}


def main():
    """Prints the folders that the options name, each on a line, or all of them with their names."""
    parser = argparse.ArgumentParser(prog="python -m ptp.config", description=(
        "Prints where the parts of this installation of ptp are."))
    found = places()
    for name in found:
        parser.add_argument(f"--{name.replace('_', '-')}", action="append_const", dest="names",
                            const=name, help=found[name].replace("%", "%%"))
    names = parser.parse_args().names
    for name in names or found:
        print(found[name] if names else f"{name}: {found[name]}")


if __name__ == "__main__":
    main()
