"""What the plugin calls: it makes instances of the classes of a script, passes values on, and makes
one text of an exception. `_ptp`, the host's services, and `ptp_modules` are set by the plugin."""

import array
import base64
import importlib.util
import inspect
import os
import random
import reprlib
import sys
import types

import ptp

_CONFIG, _DATA, _INTERNAL = 1, 2, 3
_FORMATS = {ptp.FLOAT: ("f", float), ptp.INTEGER: ("q", int), ptp.BOOL: ("B", bool),
            ptp.BYTE: ("B", int)}
_files = {}  # the lines of each script at the build of the plugin


class Record(types.SimpleNamespace):
    """Values by name."""

    def __getitem__(self, name):
        return getattr(self, name)


class Setup:
    """What a constructor may ask of the host; a component may keep it."""

    def __init__(self, host, facts):
        self._host = host
        self.name, self.section, self.device, self.inputs, self.outputs = facts

    def size(self, dimension):
        """The size of a dimension that the ports name; None if only the data will tell."""
        size = _ptp.size(self._host, dimension)
        return None if size < 0 else size

    def global_value(self, name):
        return _ptp.global_value(self._host, name)

    def publish(self, name, value):
        _ptp.publish(self._host, name, value)

    def random_seed(self):
        """64 random bits of the component's own generator, a part of the training's state."""
        return _ptp.random(self._host)

    def log(self, message):
        _ptp.log(self._host, 2, str(message))

    def warn(self, message):
        _ptp.log(self._host, 3, str(message))

    def show_result(self, message):
        """For what the experiment asked for, such as a table: on the screen, too."""
        _ptp.log(self._host, 5, str(message))

    @property
    def run_folder(self):
        """The only place that a component may write to."""
        return _ptp.run_folder(self._host)


def hide_other_libtorch(own):
    """Two libtorch in a process crash. Where PyTorch's is not the host's, the module `torch` is missing,
    so that packages which can do without it do."""
    if "torch" in sys.modules:
        return
    found = importlib.util.find_spec("torch")
    folders = list(found.submodule_search_locations or []) if found is not None else []
    if folders and os.path.realpath(os.path.join(folders[0], "lib")) != os.path.dirname(os.path.realpath(own)):
        sys.modules["torch"] = None
        sys.hidden_torch = f"torch in {folders[0]} has another libtorch than ptp, {own}"


def load(source, file, name, packed):
    """The module that the script makes, with those that the plugin has besides."""
    sys.modules["ptp"] = ptp
    _files[file] = source.splitlines()
    for _, own, _, text in packed:
        _files[own] = text.splitlines()
    return ptp_modules.OwnModules("ptp_script_" + name, packed).run(source, file)


def record(value):
    """A table as an object, all the way down."""
    if isinstance(value, dict):
        return Record(**{name: record(member) for name, member in value.items()})
    if isinstance(value, list):
        return [record(item) for item in value]
    return value


def _takes(function, name):
    return name in inspect.signature(function).parameters


class Instance:
    """One component of a pipeline."""

    def __init__(self, module, class_name, host, settings, facts):
        kind = getattr(module, class_name)
        name, section, device, inputs, outputs = facts
        ports = kind.ports
        self._inputs = [(i, p["streams_from"]) for i, p in enumerate(ports) if p["direction"] == 1]
        self._outputs = [(i, p["streams_from"], p["name"]) for i, p in enumerate(ports)
                         if p["direction"] == 2]
        self._input_ports = [i for i, *_ in inputs]
        self._output_ports = [(i, stream is not None, element, shape)
                              for i, stream, element, shape in outputs]
        self._names = [s["name"] for s in kind.statistics]
        always = [s for s in kind.statistics if s["when"] is None]
        self._needed = {"collect()": [s["name"] for s in always if not s["flags"] & ptp.SET_ONLY],
                        "aggregate()": [s["name"] for s in always if s["aggregation"] == ptp.COMPUTED]}

        def bindings(all):
            return [Record(port=ports[i]["name"], stream=stream, element=element, shape=shape)
                    for i, stream, element, shape in all if stream is not None]
        setup = Setup(host, (name, section, device, bindings(inputs), bindings(outputs)))
        values = Record(**{s["name"]: record(v) for s, v in zip(kind.settings, settings)})
        made = kind.__init__ is object.__init__
        self._component = kind() if made else kind(values, setup)
        self._takes = {f: _takes(getattr(self._component, f), last)
                       for f, last in (("forward", "step"), ("transform", "samples"))
                       if hasattr(self._component, f)}

    def _arguments(self, values):
        result = []
        for port, is_list in self._inputs:
            own = [v for i, v in zip(self._input_ports, values) if i == port]
            result.append(own if is_list else own[0] if own else None)
        return result

    def _results(self, result, what):
        """One for each output that the host has, in its order."""
        declared = self._outputs
        if not declared:
            return []
        if isinstance(result, dict):
            result = tuple(result.get(name) for _, _, name in declared)
        elif len(declared) == 1:
            result = (result,)
        elif not isinstance(result, tuple) or len(result) != len(declared):
            names = ", ".join(name for _, _, name in declared)
            raise ptp.DataError(f"{what} must return a tuple of {len(declared)}: {names}")
        lists = {}
        found = []
        for (port, is_list, name), value in zip(declared, result):
            if is_list:
                lists[port] = iter(value if value is not None else ())
            else:
                lists[port] = iter((value,))
        names = {port: name for port, _, name in declared}
        for port, is_there, element, shape in self._output_ports:
            value = next(lists[port], None)
            if is_there and value is None:
                raise ptp.DataError(f"{what} returned nothing for the output '{names[port]}'")
            if isinstance(value, list) and not value and shape and element in _FORMATS:
                value = (b"", _FORMATS[element][0], [0, *(max(size, 0) for size in shape[1:])])
            found.append(value)
        return found

    def forward(self, values, step):
        arguments = self._arguments(values)
        if self._takes["forward"]:
            names = ("is_training", "episode", "epoch", "section", "set", "batch_index",
                     "batch_size")
            arguments.append(Record(**dict(zip(names, step))))
        return self._results(self._component.forward(*arguments), "forward()")

    def transform(self, values, indices, seeds, is_training, epoch):
        arguments = self._arguments(values)
        if self._takes["transform"]:
            arguments.append(Record(indices=indices, seeds=seeds, is_training=is_training,
                                    epoch=epoch))
        return self._results(self._component.transform(*arguments), "transform()")

    def size(self):
        return len(self._component)

    def fetch(self, indices, seeds, is_training, epoch, elements):
        samples = []
        for index, seed in zip(indices, seeds):
            sample = self._component.sample(index, random.Random(seed))
            samples.append(self._results(sample, "sample()"))
        return [_batch([sample[i] for sample in samples], element)
                for i, element in enumerate(elements)]

    def reset(self, set):
        if hasattr(self._component, "reset"):
            self._component.reset(set)

    def _numbers(self, values, what):
        if not isinstance(values, dict):
            example = (self._needed[what] or self._names)[0]
            raise ptp.DataError(f"{what} must return the numbers by name, as {{'{example}': 0.5}}, "
                                f"not {type(values).__name__}")
        missing = [name for name in self._needed[what] if name not in values]
        if missing:
            raise ptp.DataError(f"{what} returned no number for the statistic '{missing[0]}'")
        unknown = sorted(values.keys() - set(self._names))
        if unknown:
            raise ptp.DataError(f"{what} returned '{unknown[0]}', which is not declared")
        for name, value in values.items():
            if not hasattr(value, "__float__") and not hasattr(value, "__index__"):
                raise ptp.DataError(f"{what} returned {reprlib.repr(value)} for the statistic "
                                    f"'{name}', which is not a number")
        return [float(values.get(name, 0)) for name in self._names]

    def collect(self, set):
        if not hasattr(self._component, "collect"):
            return [0.0] * len(self._names)
        return self._numbers(self._component.collect(set), "collect()")

    def aggregate(self, set):
        if not hasattr(self._component, "aggregate"):
            return [0.0] * len(self._names)
        return self._numbers(self._component.aggregate(set), "aggregate()")

    def getstate(self):
        return _saved(self._component.getstate())

    def setstate(self, state, version):
        self._component.setstate(_restored(state), version)


def _saved(value):
    """As plain data of the host, which has no bytes, no tuples and nothing in lists."""
    if value is None:
        return {"none": True}
    if isinstance(value, (bytes, bytearray)):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, dict):
        return {"table": [[_saved(key), _saved(member)] for key, member in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": [_saved(item) for item in value]}
    if isinstance(value, list):
        return [_saved(item) for item in value]
    return value


def _restored(value):
    if isinstance(value, list):
        return [_restored(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "base64" in value:
        return base64.b64decode(value["base64"])
    if "table" in value:
        return {_restored(key): _restored(member) for key, member in value["table"]}
    if "tuple" in value:
        return tuple(_restored(item) for item in value["tuple"])
    return None


def _batch(values, element):
    """The samples of one output as a batch."""
    if element not in _FORMATS:
        return values
    parts = [_plain(value, element) for value in values]
    for part in parts:
        if part[1:] != parts[0][1:]:
            raise ptp.DataError("samples of one batch have tensors of different types or shapes")
    return (b"".join(part[0] for part in parts), parts[0][1], [len(parts), *parts[0][2]])


def _plain(value, element):
    """Bytes, format and shape."""
    if isinstance(value, (bool, int, float, list, tuple)):
        numbers, code, shape = as_array(value, element)
        return numbers.tobytes(), code, shape
    try:
        view = memoryview(value)
    except TypeError:
        import numpy
        view = memoryview(numpy.asarray(value))
    return view.tobytes(), view.format, list(view.shape)


def as_array(value, element):
    """The numbers in nested lists, their format and shape."""
    code, convert = _FORMATS[element]
    shape, numbers = [], [value]
    while numbers and isinstance(numbers[0], (list, tuple)):
        width = len(numbers[0])
        if any(not isinstance(row, (list, tuple)) or len(row) != width for row in numbers):
            raise ptp.DataError("nested lists must have rows of one length")
        shape.append(width)
        numbers = [item for row in numbers for item in row]
    try:
        flat = array.array(code, map(convert, numbers))
    except (TypeError, ValueError, OverflowError) as error:
        raise ptp.DataError(f"{type(value).__name__} is not a tensor, and has no numbers in nested "
                            f"lists: {error}") from None
    return flat, "?" if element == ptp.BOOL else code, shape


def explain(kind, value, trace):
    """Status and text of an exception, with the lines of the scripts that it came through, and the
    setting that it blames."""
    if isinstance(value, ptp.SettingError):
        return _CONFIG, value.reason, value.setting
    if isinstance(value, (ptp.ConfigError, ptp.DataError)):
        return (_CONFIG if isinstance(value, ptp.ConfigError) else _DATA), str(value), ""
    status = _INTERNAL
    text = f"{kind.__name__}: {value}" if str(value) else kind.__name__
    if isinstance(value, ModuleNotFoundError) and value.name == "torch" and hasattr(sys, "hidden_torch"):
        status = _CONFIG
        text = (f"ModuleNotFoundError: {sys.hidden_torch}; a process can use one of them\n"
                "fix: use numpy, or build ptp with that libtorch")
    elif isinstance(value, ModuleNotFoundError):
        status = _CONFIG
        text += (f"; Python {sys.version.split()[0]} of {sys.prefix} does not have it\n"
                 f"fix: install it there, or set VIRTUAL_ENV or PYTHONPATH to where it is")
    where, lines = "", []
    while trace is not None:
        frame, line = trace.tb_frame, trace.tb_lineno
        file = frame.f_code.co_filename
        if file not in (__file__, ptp_modules.__file__):
            at = f'File "{file}", line {line}, in {frame.f_code.co_name}'
            if file in _files:
                where = f"{file}:{line}: "
                at += ": " + _files[file][line - 1].strip()
            lines.append(at)
        trace = trace.tb_next
    return status, "\n".join([where + text, *lines]), ""
