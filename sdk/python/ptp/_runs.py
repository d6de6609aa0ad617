"""Tables of runs, and of predictions."""

import json
import os
import subprocess

from ._errors import error_of
from ._library import program


def table(rows):
    """Returns a frame of pandas, or the list itself where pandas is not installed."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.json_normalize(rows)


def output_of(command):
    """Returns what a program prints, and raises its error with the text that it printed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise error_of(done.returncode, done.stderr.decode(errors="replace").rstrip())
    return done.stdout


def runs(*folders, where=None):
    """Lists the runs below the folders (default: runs), with all that `ptprun runs --json` knows of
    them, those meeting a condition such as "lr<0.01" only. Returns a frame of pandas, or a list of
    dicts where pandas is not installed."""
    command = [program("ptprun"), "runs", *map(os.fspath, folders), "--json"]
    if where is not None:
        command += ["--where", where]
    return table(json.loads(output_of(command)))
