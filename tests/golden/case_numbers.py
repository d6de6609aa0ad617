"""Writes the numbers of case files: the tables [numbers.NAME] at the end of tests/cases/COMPONENT.toml, which scripts make."""

import pathlib

MARK = "# What follows is written by tests/golden/"
FOLDER = pathlib.Path(__file__).parent.parent / "cases"


def number(x, digits):
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, int):
        return str(x)
    text = f"%.{digits}g" % x
    return text if any(c in text for c in ".en") else text + ".0"


def nested(values, digits, indent=""):
    """Numbers in lists within lists; the innermost lists are lines."""
    if not isinstance(values, list):
        return number(values, digits)
    if not values or not isinstance(values[0], list):
        return "[" + ", ".join(number(x, digits) for x in values) + "]"
    inner = indent + "  "
    return "[\n" + ",\n".join(inner + nested(row, digits, inner) for row in values) + "]"


def write(case_file, script, tables, digits):
    """`tables`: for each name the values by key, such as {"outputs.loss": 0.5}; tensors as nested lists."""
    path = FOLDER / (case_file + ".toml")
    text = path.read_text().split(MARK)[0].rstrip() + f"\n\n{MARK}{script}\n"
    for name, values in tables.items():
        quoted = name if all(c.isalnum() or c in "_-" for c in name) else f'"{name}"'
        text += f"\n[numbers.{quoted}]\n"
        for key, value in values.items():
            text += f"{key} = {nested(value, digits)}\n"
    path.write_text(text)
