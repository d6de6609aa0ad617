"""Tables of runs, and of predictions."""

import json
import os
import subprocess
import warnings

from ._errors import ConfigurationError, error_of
from ._library import program
from ._words import in_python


def table(rows):
    """Returns a frame of pandas, or the list itself where pandas is not installed."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.json_normalize(rows)


def output_of(command, rows_file=None, callers=None, expected=0):
    """Returns what a program prints, and raises its error with the text that it printed, in words of
    Python. `rows_file` has rows that were given as values. Its warnings are shown where it is called from,
    `callers` functions above; by default they are not. With the code `expected` its answers have the errors,
    if there are any."""
    zero = next((word for word in map(os.fsdecode, command) if "\0" in word), None)
    if zero is not None:
        raise ConfigurationError(f"{zero!r} has a zero byte")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    said = in_python(done.stderr.decode(errors="replace").rstrip(), rows_file)
    if done.returncode != 0 and (done.returncode != expected or not done.stdout):
        raise error_of(done.returncode, said)
    for text in _warnings_in(said) if callers is not None else []:
        warnings.warn(text, stacklevel=callers + 2)
    return done.stdout


def _warnings_in(said):
    """Returns the warnings of a program, each with the lines below it."""
    found, is_warning = [], False
    for line in said.splitlines():
        place, colon, text = line.partition("warning: ")
        if colon and not line.startswith(" "):
            found.append(place + text)
            is_warning = True
        elif line.startswith(" ") and is_warning:
            found[-1] += "\n" + line
        else:
            is_warning = False
    return found


def named_run(path):
    """Returns the folder of a run: of "runs/net/last" that of the newest one there."""
    path = os.fspath(path)
    if os.path.basename(path) != "last" or os.path.exists(path):
        return path
    try:
        found = json.loads(output_of([program("ptprun"), "runs", path, "--json"]))
    except ConfigurationError:
        found = []
    if not found:
        raise ConfigurationError(f"{path}: no such run")
    return found[0]["run"]


def runs(*folders, where=None):
    """Lists the runs below the folders (default: runs), with all that `ptprun runs --json` knows of
    them, those meeting a condition such as "lr<0.01" only. Returns a frame of pandas, or a list of
    dicts where pandas is not installed."""
    named = [one for given in folders for one in (
        given if isinstance(given, (list, tuple)) else [given])]
    command = [program("ptprun"), "runs", *map(os.fspath, named), "--json"]
    if where is not None:
        command += ["--where", where]
    return table(json.loads(output_of(command)))
