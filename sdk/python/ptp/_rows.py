"""Rows of a table that are given as values: frames, dicts, and lists of cells."""

import json
import math
import os
from collections.abc import Mapping
from decimal import Decimal

from ._errors import DataError


def name_of(value):
    return f"{type(value).__module__}.{type(value).__name__}".replace("builtins.", "")


def rows_of(data):
    """Returns rows of a table as JSON has them; None if the data is not that: a frame of pandas or
    polars, a row of it, or dicts."""
    if not getattr(getattr(data, "columns", None), "is_unique", True):
        raise DataError("columns of the frame have the same name: " + ", ".join(
            sorted(set(map(str, data.columns[data.columns.duplicated()])))))
    if hasattr(data, "to_dicts"):
        rows = data.to_dicts()
    elif hasattr(data, "to_dict"):
        rows = data.to_dict("records") if hasattr(data, "columns") else [_row_of(data)]
    elif isinstance(data, Mapping):
        rows = [data]
    elif isinstance(data, (list, tuple)) and all(isinstance(row, Mapping) for row in data):
        rows = data
    else:
        return None
    return [{str(key): _cell(value) for key, value in row.items()} for row in rows]


def items_of(data):
    """Returns rows without names as JSON has them: of an array of NumPy with two dimensions, or lists in a
    list; None if the data is not that."""
    if type(data).__module__ == "numpy" and getattr(data, "ndim", 0) == 2:
        data = data.tolist()
    if not isinstance(data, (list, tuple)) or not data or not all(isinstance(row, (list, tuple)) for row in data):
        return None
    rows = [[_cell(value) for value in row] for row in data]
    is_plain = all(isinstance(value, (str, int, float, type(None))) for row in rows for value in row)
    return rows if is_plain else None


def answers_of(lines):
    """Returns the answers to rows, and raises the first error."""
    for line in lines:
        if "error" in line:
            raise DataError(f"row {line['line'] - 1}: {line['error']}")
    return [{"index": line.pop("line") - 1, **line} for line in lines]


def _row_of(series):
    """Returns the row of a frame by its columns."""
    row = series.to_dict()
    if not all(isinstance(name, str) for name in row):
        raise DataError("a column of a frame is no row of a table; fix: predict(frame), or "
                        "predict(frame.iloc[0]) for one row")
    return row


def write_rows(rows, root):
    """Writes rows as JSON lines, and returns the file: it is below `root` as the current folder is
    below "/", and so is a link for each file that a cell names relative to the current folder, as
    `ptprun predict --data -` has them. A path without `root` is the user's."""
    folder = root + os.getcwd()
    os.makedirs(folder)
    file = os.path.join(folder, "rows.jsonl")
    with open(file, "w", encoding="utf-8") as lines:
        lines.writelines(line_of(row, number) for number, row in enumerate(rows))
    for cell in {cell for row in rows for cell in row.values() if isinstance(cell, str)}:
        link = os.path.normpath(os.path.join(folder, cell))
        if link.startswith(root + os.sep) and not os.path.lexists(link) and os.path.isfile(cell):
            os.makedirs(os.path.dirname(link), exist_ok=True)
            os.symlink(os.path.abspath(cell), link)
    return file


def line_of(row, number):
    """Returns a row as a line of JSON."""
    for key, value in row.items():
        if isinstance(value, float) and math.isinf(value):
            raise DataError(f"row {number}: column '{key}': {value} is no number of a table; None is a "
                            "cell without a value")
        if not isinstance(value, (str, int, float, type(None))):
            raise DataError(f"row {number}: column '{key}': {name_of(value)} is no cell of a table; a "
                            "number, a text, a date, True, False or None is")
    return json.dumps(row) + "\n"


def _cell(value):
    """Returns a cell as JSON has it: null for one without a value."""
    if isinstance(value, (str, bool, int, type(None))):
        return value
    if type(value).__name__ in ("NaTType", "NAType"):
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat().removesuffix("T00:00:00")
    if isinstance(value, Decimal):
        return _cell(float(value))
    if hasattr(value, "item") and getattr(value, "size", 1) == 1:
        value = value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return None if isinstance(value, float) and value != value else value
