"""What a component in Python declares, and what it can raise.

    import ptp

    class WordCounts(ptp.SampleTransform):
        \"\"\"Numbers of words that have at least some letters.\"\"\"

        settings = [ptp.setting("letters", int, default=1, range="[1, inf)",
                                help="Shorter words are not counted")]
        ports = [ptp.input("sentences", ptp.STRING, "B", "Sentences"),
                 ptp.output("counts", ptp.INTEGER, "B", "Words of each")]

        def __init__(self, settings, setup):
            self.letters = settings.letters

        def transform(self, sentences):
            return [sum(len(w) >= self.letters for w in s.split()) for s in sentences]

The words are those of ptp/declarations.h, which states what shapes, ranges, conditions and formulas
mean. `ptp-python FILE.py` makes a plugin of a file; docs/authoring/other-languages.md is the guide.
"""

# Elements of ports.
FLOAT, INTEGER, BOOL, BYTE, STRING, TOKENS, TENSOR_LIST, ANY = range(1, 9)

_BOOL, _INTEGER, _REAL, _STRING, _PATH, _ENUMERATION, _TABLE, _ANY = range(1, 9)
_TASK, _TRANSFORM, _STATISTIC, _PUBLISHER, _VIEWER = 1, 4, 5, 6, 7

# What a setting, a port or a global is for; see ptp_purpose in ptp/declarations.h.
PURPOSES = ("data_folder", "table_format", "separator", "split", "label_column", "value_columns",
            "unlisted_rows", "missing_classes", "class_names", "vocabulary", "unknown_words",
            "class_count", "score_count", "ignored_target", "targets", "files")


def _purpose(word):
    if word is not None and word not in PURPOSES:
        raise TypeError(f"purpose='{word}': must be one of {', '.join(PURPOSES)}")
    return 0 if word is None else PURPOSES.index(word) + 1


class Path:
    """The type of a setting that names a file or a folder; its value is an absolute path."""


class Any:
    """The type of a setting that takes any TOML value."""


class ConfigError(Exception):
    """The experiment asks for something impossible."""


class SettingError(ConfigError):
    """A setting has a value in its range that the component still cannot use:
    raise ptp.SettingError("top_k", "must be at most 10"). The host adds its line."""

    def __init__(self, setting_name, message):
        super().__init__(f"setting '{setting_name}': {message}")
        self.setting = setting_name
        self.reason = message


class DataError(Exception):
    """A file, a sample or a tensor is not what was promised."""


class Component:
    """The base of all kinds. Lists that a component may have:"""

    settings = []
    ports = []
    globals = []
    statistics = []
    requirements = []
    # The version of the state, with getstate() -> bytes or plain data, and setstate(state, version):
    # the state persists between calls, and through checkpoints, resumes and swaps.
    state_version = 1


class Transform(Component):
    """forward(inputs...) returns its output, or a tuple with all of them; a last parameter `step`
    gets the episode. Runs in the training's thread."""

    _kind = _TRANSFORM


class SampleTransform(Component):
    """transform(inputs...) makes of each sample what follows from it alone, and keeps nothing from
    call to call; a last parameter `samples` has their indices and seeds. Runs in loader threads."""

    _kind = _TRANSFORM


class Statistic(Component):
    """forward(inputs...) sees a batch; collect(set) returns the numbers of that batch by name,
    aggregate(set) the computed() ones of all batches since reset(set)."""

    _kind = _STATISTIC


class Publisher(Component):
    """Publishes globals in its constructor, or writes what forward() gets to files."""

    _kind = _PUBLISHER


class Viewer(Component):
    """forward(inputs...) shows streams to a person."""

    _kind = _VIEWER


class Task(Component):
    """__len__() is the number of samples; sample(index, random) returns one as its output, or as a
    tuple. All its randomness comes from `random`, a random.Random seeded for that sample."""

    _kind = _TASK
    sample_count = None  # a formula for __len__(), so that samplers are checked early


def setting(name, type, default=None, *, range=None, length=None, choices=None, help="",
            required=False, list_or_one=False, output_file=False, unlabeled=False, obtain=None,
            members=None, purpose=None):
    """type: bool, int, float, str, ptp.Path, ptp.Any, dict with `members`, or list[...] of these, at
    most twice. Without a default and not required it may be missing, and is None then."""
    depth = 0
    while getattr(type, "__origin__", None) is list:
        depth, type = depth + 1, type.__args__[0]
    types = {bool: _BOOL, int: _INTEGER, float: _REAL, str: _STRING, Path: _PATH, dict: _TABLE,
             Any: _ANY}
    if type not in types or depth > 2 or (type is dict) != (members is not None):
        raise TypeError(f"setting '{name}': type must be bool, int, float, str, ptp.Path, ptp.Any, "
                        "dict with members, or list[...] of one of these, at most twice")
    if choices is not None and type is not str:
        raise TypeError(f"setting '{name}': only a str has choices")
    flags = required | list_or_one << 1 | output_file << 2 | unlabeled << 3
    return {"name": name, "type": types[type] if choices is None else _ENUMERATION, "depth": depth,
            "flags": flags, "default": default, "range": range, "length": length,
            "choices": "|".join(choices) if choices is not None else None, "help": help,
            "obtain": obtain, "members": members or [], "purpose": _purpose(purpose)}


def input(name, element, shape, help, *, optional=False, when=None, streams_from=None,
          meaning=None, purpose=None):
    """A port that forward() gets a value from: a ptp.Tensor, a list of str (STRING), of lists of str
    (TOKENS) or of tensors (TENSOR_LIST); None where it has no stream. With streams_from, the name of
    a setting, a list of them. `meaning` lists what the numbers may be: "scores|values"."""
    return {"direction": 1, "name": name, "element": element, "shape": shape, "help": help,
            "flags": int(optional), "when": when, "streams_from": streams_from, "meaning": meaning,
            "purpose": _purpose(purpose)}


def output(name, element, shape, help, *, reshaped=False, when=None, streams_from=None,
           meaning=None, purpose=None):
    """A port whose value forward() returns: anything with __dlpack__, with a buffer, or a number or
    nested lists of numbers; for texts lists of str. `meaning` is what the numbers are, such as
    "log_probabilities if use_logsoftmax; scores"."""
    return {"direction": 2, "name": name, "element": element, "shape": shape, "help": help,
            "flags": reshaped << 2, "when": when, "streams_from": streams_from, "meaning": meaning,
            "purpose": _purpose(purpose)}


def _global(access, name, help, value, when, purpose):
    return {"access": access, "name": name, "help": help, "value": value, "when": when,
            "purpose": _purpose(purpose)}


def reads(name, help, *, when=None, purpose=None):
    """Somebody must publish it; setup.global_value(name) returns it."""
    return _global(1, name, help, None, when, purpose)


def reads_if_named(name, help, *, when=None, purpose=None):
    """Read only if the experiment names a global for it; else setup.global_value() is None."""
    return _global(2, name, help, None, when, purpose)


def publishes(name, help, *, value=None, when=None, purpose=None):
    """The constructor publishes it by setup.publish(), or the host does, by `value`."""
    return _global(3, name, help, value, when, purpose)


def reads_if_published(name, help, *, when=None, purpose=None):
    """Read if the experiment names a global for it, or somebody publishes one of this name."""
    return _global(4, name, help, None, when, purpose)


def publishes_if_named(name, help, *, value=None, when=None, purpose=None):
    """As publishes(), only if the experiment names a global for it."""
    return _global(5, name, help, value, when, purpose)


SET_ONLY = 1 << 3  # of flags
COMPUTED = 3  # an aggregation


_BETTER = {None: 0, "larger": 1 << 4, "smaller": 1 << 5}


def _statistic(aggregation, name, help, hidden, integer, spread, set_only, decimals, weight, when,
               better):
    if better not in _BETTER:
        raise TypeError(f"statistic '{name}': better = {better!r}: must be \"larger\" or \"smaller\"")
    flags = hidden | integer << 1 | spread << 2 | (SET_ONLY if set_only else 0) | _BETTER[better]
    if decimals is None:
        decimals = 0 if integer else 4
    return {"aggregation": aggregation, "name": name, "help": help, "flags": flags,
            "decimals": decimals, "weight": weight, "when": when}


def mean(name, help, *, hidden=False, integer=False, spread=False, set_only=False, decimals=None,
         weight=None, when=None, better=None):
    """The value of a set is the mean of its batches', weighted by the statistic `weight`, else by
    their samples. `better` states which values are the better ones, "larger" or "smaller"."""
    return _statistic(1, name, help, hidden, integer, spread, set_only, decimals, weight, when,
                      better)


def total(name, help, *, hidden=False, integer=False, spread=False, set_only=False, decimals=None,
          when=None, better=None):
    """The value of a set is the sum of its batches'; `better` as of mean()."""
    return _statistic(2, name, help, hidden, integer, spread, set_only, decimals, None, when, better)


def computed(name, help, *, hidden=False, integer=False, spread=False, set_only=False,
             decimals=None, weight=None, when=None, better=None):
    """The component computes the value of a set itself, in aggregate(); `better` as of mean()."""
    return _statistic(COMPUTED, name, help, hidden, integer, spread, set_only, decimals, weight,
                      when, better)


def requirement(relation, message, *, when=None):
    """What must hold between settings and sizes, checked before anything runs."""
    return {"relation": relation, "message": message, "when": when}
