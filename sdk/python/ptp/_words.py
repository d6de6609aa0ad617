"""Errors of the programs in the words of Python: arguments in place of options."""

import ast
import json
import keyword
import os
import re
import shlex

_ARGUMENTS = {"text": "texts"}  # of others the name is the option's
_CALLS = {"ptp_experiment_read_strings() reads it": 'read(stream, "string") reads it',
          "ptp_experiment_read() reads it": "read(stream) reads it",
          "ptp_experiment_resume() or ptprun resume": "ptp.Experiment.resume()",
          "`ptprun predict` reads and standardizes them": "model.predict(rows) standardizes them",
          "the option skips_self_test = 1": "self_test=False in ptp.load()",
          "the option with_plugins = 1": "with_plugins=True in ptp.load()"}
_FLAGS = ("--safe-mode", "--verbose")  # options without a value
_LOAD_FLAGS = {"--no-self-test": "self_test=False", "--with-plugins": "with_plugins=True"}


def in_python(text, rows_file=None):
    """Returns an error with the arguments of Python in place of options. `rows_file` has rows that
    were given as values; they are counted from 0."""
    if rows_file is not None:
        shown = re.escape(os.fspath(rows_file))
        text = re.sub(shown + r":(\d+)", lambda found: f"row {int(found[1]) - 1}", text)
        text = re.sub(shown, "data", text)
        text = text.replace(os.path.dirname(rows_file).removesuffix(os.getcwd()) + os.sep, os.sep)
    lines = [_line(line) for line in text.splitlines()]
    return "\n".join(line for line in lines if line is not None)


def _line(line):
    if line.endswith(" trains with each"):  # which one command line does
        return None
    fix = re.match(r"(\s*fix: (?:.*?: )??)((?:ptprun predict |--set |--data |--no-self-test|--with-plugins).*)$", line)
    if fix:
        return fix[1] + _call(fix[2])
    line = re.sub(r"^(\s*help: )ptprun help (predict|runs)$", lambda found: found[1] + (
        "help(ptp.runs)" if found[2] == "runs" else "help(ptp.Model.predict)"), line)
    for call, python in _CALLS.items():
        line = line.replace(call, python)
    line = re.sub(r"^ptprun: error: ", "", line)
    line = re.sub(r"^(--[\w-]+): error: ", r"\1: ", line)
    parts = re.split(r"(\b(?:ptprun|ptp-pack) [^`;]*)", line)  # every other one is a shell's command
    return "".join(part if place % 2 else _options(part) for place, part in enumerate(parts))


def _options(text):
    """Returns a text with arguments in place of options."""
    text = re.sub(r"(?<![\w'\"-])--([a-z][a-z-]*) ([A-Z]+)\b",
                  lambda found: f'{_name_of(found[1])}="{found[2]}"', text)
    text = re.sub(r"'--([a-z-]+)'", lambda found: f"'{_argument(found)}'", text)
    return re.sub(r"(?<![\w'\"-])--([a-z][a-z-]*)", _argument, text)


def _argument(found):
    return _name_of(found[1])


def _name_of(option):
    """Returns the argument for an option: continue_ for "continue", which is a word of Python."""
    name = _ARGUMENTS.get(option, option).replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def option_of(argument):
    """Returns the option for an argument: --continue for "continue_", --top-k for "top_k"."""
    is_of_keyword = argument.endswith("_") and keyword.iskeyword(argument[:-1])
    name = argument[:-1] if is_of_keyword else argument
    return "--" + name.replace("_", "-")


def _call(command):
    """Returns the arguments of a command line: "set={...}" for --set, and others by their names."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    settings, loaded, arguments, rest, data, texts = {}, [], [], [], [], []
    run = None
    if words[0] == "ptprun":
        words = words[2:]
        if words and not words[0].startswith("-"):
            run = words.pop(0)
    while words:
        word = words.pop(0)
        if word in ("--json", "--quiet"):
            continue
        if word in _LOAD_FLAGS:
            loaded.append(_LOAD_FLAGS[word])
            continue
        if word == "--set" and words:
            key, _, value = words.pop(0).partition("=")
            settings[key] = _value(value)
        elif word == "--data" and words and words[0] == "FILE.csv":
            arguments.append(f"data={words.pop(0)!r}")
        elif not word.startswith("--"):
            rest.append(word)
        elif word in _FLAGS:
            arguments.append(f"{_name_of(word[2:])}=True")
        elif word not in ("--data", "--text") and words:
            arguments.append(f"{_name_of(word[2:])}={words.pop(0)!r}")
        elif words:
            value = words.pop(0)  # data that were given stay
            data += [value, *_further(words)] if word == "--data" else []
            texts += [value] if word == "--text" else []
    if texts:
        arguments.insert(0, f"texts={texts!r}")
    if settings:
        changes = ", ".join(f"{key!r}: {value}" for key, value in settings.items())
        if run and data and any(key.endswith(".task") for key in settings):
            load = ", ".join([repr(run), *loaded])
            call = ", ".join([_data(data), *arguments, f"set={{{changes}}}"])
            return " ".join([f"ptp.load({load}).predict({call})", *rest])
        loaded.insert(0, f"set={{{changes}}}")
    if loaded:
        changes = ", ".join(loaded)
        arguments.insert(0, f"ptp.load({run!r}, {changes})" if run else changes)
    return " ".join([", ".join(arguments), *rest]).strip() or "leave it out"


def _further(words):
    """Takes the words from the front that are further data: those before another option. The words
    behind the last option belong to the sentence."""
    count = next((place for place, word in enumerate(words) if word.startswith("--")), 0)
    further = words[:count]
    del words[:count]
    return further


def _data(given):
    """Returns the data of a prediction as its first argument."""
    if given == ["data"]:
        return "data"
    return repr(given[0] if len(given) == 1 else given)


def _value(written):
    """Returns a value of TOML as Python writes it; what is none, such as "...", as it is."""
    try:
        import tomllib
        return repr(tomllib.loads(f"value = {written}")["value"])
    except ImportError:
        return _simple_value(written)
    except ValueError:
        return written


def _simple_value(written):
    """Does the same for Python before 3.11: numbers, texts, true and false, lists and tables of them."""
    if written == "...":
        return written
    table = re.sub(r"([\w-]+)\s*=\s*", r'"\1": ', written) if written.startswith("{") else written
    for read in (json.loads, ast.literal_eval):
        try:
            return repr(read(table))
        except (SyntaxError, ValueError):
            pass
    return written
