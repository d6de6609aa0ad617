"""A trained model that predicts in this process."""

import json
import math
import os
import re
import tempfile
from collections import namedtuple
from collections.abc import Mapping
from decimal import Decimal

from ._errors import ConfigurationError, DataError, MisuseError
from ._handle import Handle, listed, picture, settings
from ._library import program
from ._runs import named_run, output_of, table
from ._tensors import Fed, is_torch, numpy
from ._words import option_of

# A stream: its name, its kind of elements ("float", "integer", "bool", "byte" or "string"), its
# shape as "[B, 1, 28, 28]", where B is the number of samples, and what it is.
Stream = namedtuple("Stream", "name element shape help")

Signature = namedtuple("Signature", "inputs outputs others")


# What a module of PyTorch has and a model has not, and what there is for it.
_EVALUATION = "it always evaluates, without gradients: model(inputs)"
_DEVICE = 'it computes on the device of its experiment: ptp.load(run, set={"device": "cuda"})'
_WEIGHTS = "`ptprun export RUN -o model.safetensors` writes its weights as a state_dict"
_NOT_OF_MODULES = {"eval": _EVALUATION, "train": _EVALUATION, "forward": _EVALUATION, "to": _DEVICE, "cpu": _DEVICE,
                   "cuda": _DEVICE, "device": _DEVICE, "parameters": _WEIGHTS, "named_parameters": _WEIGHTS, "state_dict": _WEIGHTS}


def load(path, checkpoint=None, set=None, plugins=(), self_test=True,  # noqa: A002 (as --set)
         with_plugins=False):
    """Loads a trained model: the folder of a run, or a bundle ("model.ptpm"). The weights are those
    of `checkpoint` ("last", "best" or a folder), by default the best of the run. A bundle computes the samples first
    that it stores with their outputs, unless self_test=False. The plugins in it are used only
    with_plugins=True, where others than those are installed, if a trusted key has signed it."""
    return Model(path, checkpoint, set, plugins, self_test, with_plugins)


def _sent(*arguments):
    """Loads a model that was sent to this process. Where that is a forked one, which cannot compute, the model
    says so when it is used: an error here would end workers of multiprocessing without an answer."""
    try:
        return load(*arguments)
    except MisuseError as error:
        return _Refused(error)


class _Refused:
    """What stands for a model in a process that cannot load it: whatever is called raises the error."""

    def __init__(self, error):
        self._error = error

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_, **__):
        raise self._error

    __bool__ = __contains__ = __enter__ = __exit__ = __getitem__ = __iter__ = __len__ = __call__


class Model:
    """A trained model: model({"inputs": images}) predicts for a batch, model.infer(image) for one
    sample, model.predict("photos") for files. Any thread may use it, and several models may be open:
    one of them computes at a time, on all cores. No experiment is trained until they are closed."""

    def __init__(self, path, checkpoint=None, set=None, plugins=(), self_test=True,  # noqa: A002
                 with_plugins=False):
        self._path = path = named_run(path)
        self._set = set or {}
        self._plugins = listed(plugins)
        self._checkpoint = checkpoint
        self._self_test = self_test
        self._with_plugins = with_plugins
        self._handle = Handle("ptp_experiment_open", [path], {
            "title": "ptp.load", "set": self._set, "plugins": self._plugins, "checkpoint": checkpoint,
            "self_test": self_test, "with_plugins": with_plugins})
        streams = self._handle.streams()
        self.signature = Signature(
            inputs={s[0]: Stream(*s[:4]) for s in streams if s[5]},
            outputs={s[0]: Stream(*s[:4]) for s in streams if s[6]},
            others={s[0]: Stream(*s[:4]) for s in streams if s[4] and not s[5]})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Frees the model."""
        self._handle.close()

    def __call__(self, inputs):
        """Predicts for a batch. `inputs` has a value for each stream of signature.inputs: an array,
        nested lists, a list of str, or images of Pillow, whose pixels become [0, 1]; or it is the
        value itself, where there is one input. Returns a dict of signature.outputs: read-only
        arrays without a copy, or lists of str."""
        return self._computed(self._by_name(inputs))

    def _computed(self, given, is_one=False):
        fed = {name: self._fed(name, value, is_one) for name, value in given.items()}
        as_torch = any(is_torch(value) for value in given.values())
        with self._handle.locked():
            self._handle.leave_out(fed)
            for name, value in fed.items():
                self._handle.feed(name, value)
            self._handle.call("ptp_experiment_predict")
            return {name: self._handle.read(name, stream.element, as_torch)
                    for name, stream in self.signature.outputs.items()}

    def infer(self, inputs):
        """Predicts for one sample, without a dimension for the batch on either side."""
        batch = {name: _batch_of(value) for name, value in self._by_name(inputs).items()}
        return {name: value[0] for name, value in self._computed(batch, is_one=True).items()}

    def _by_name(self, inputs):
        needed = self.signature.inputs
        if not isinstance(inputs, Mapping):
            if len(needed) != 1:
                raise ConfigurationError(
                    f"the model has {len(needed)} inputs, {', '.join(needed)}: pass a dict with a "
                    "value for each")
            inputs = {next(iter(needed)): inputs}
        inputs = {name: list(value) if hasattr(value, "__next__") else value  # of a generator
                  for name, value in inputs.items()}
        known = {**needed, **self.signature.others}
        for name in inputs:
            if name not in known:
                raise ConfigurationError(f"the model has no input '{name}'; its inputs: "
                                         f"{', '.join(needed)}")
        missing = [name for name in needed if name not in inputs]
        if missing:
            raise ConfigurationError(f"nothing is given for {', '.join(missing)}; the inputs of the "
                                     f"model: {', '.join(needed)}")
        return inputs

    def _fed(self, name, value, is_one=False):
        stream = {**self.signature.inputs, **self.signature.others}[name]
        sizes = _sizes(stream.shape)
        fed = Fed(value, name, stream.element, sizes)
        if fed.texts is not None and stream.element != "string":
            raise DataError(f"cannot feed the stream '{name}': its elements are of kind "
                            f"{stream.element}, and the value has texts; fix: predict() reads files")
        if fed.texts is not None or sizes is None:
            return fed
        if 0 in fed.shape:
            raise DataError(f"cannot feed the stream '{name}': it has no samples; feed one at least")
        if not _fits(fed.shape, sizes):
            given = fed.shape[1:] if is_one else fed.shape
            raise DataError(f"cannot feed the stream '{name}': it has the shape {stream.shape}, and "
                            f"the value {given}{_advice(fed.shape, sizes, is_one)}")
        return fed

    def predict(self, data=None, texts=None, **options):
        """Predicts with the data's own reading, as `ptprun predict` does. `data` is a folder, a file
        or a list of files, the name of a section, or rows of a table: a frame of pandas, or a list
        of dicts. Images that a column names are relative to the current folder. `texts` is a list of
        str. Options are those of the command, such as top_k=3, continue_=20 (--continue, a word of
        Python) and set={"test.task.header": False}, which changes the experiment for this prediction.
        Returns a frame of pandas, or a list of dicts where pandas is not installed. Warnings of the command, such
        as of numbers that are far outside of the training's, are those of Python."""
        texts = [] if texts is None else [texts] if isinstance(texts, str) else list(texts)
        odd = [type(one).__name__ for one in texts if not isinstance(one, str)]
        if odd:
            raise ConfigurationError(f"texts is a list of str, and has {odd[0]}")
        data = list(data) if hasattr(data, "__next__") else data  # of a generator
        has_data = data is not None and (not isinstance(data, (list, tuple)) or len(data) > 0)
        if not has_data and not texts:
            raise ConfigurationError("predict() needs data or texts: data is a folder, files, the "
                                     "name of a section or rows of a table")
        rows = _rows(data)
        if rows is None:
            return self._predict(_files(data), texts, options)
        with tempfile.TemporaryDirectory(prefix="ptp_") as folder:
            file = _write_rows(rows, folder)
            return self._predict([file], texts, options, file)

    def _predict(self, files, texts, options, rows_file=None):
        command = [program("ptprun"), "predict", self._path, "--json", "--quiet"]
        command += ["--data", *files] if files else []
        for text in texts:
            command += ["--text", text]
        changes = options.pop("set", None) or {}
        for setting in [*settings(self._set), *settings(changes)]:
            command += ["--set", setting]
        for folder in self._plugins:
            command += ["--plugins", os.fspath(folder)]
        if not self._self_test:
            options.setdefault("no_self_test", True)
        if self._with_plugins:
            options.setdefault("with_plugins", True)
        if self._checkpoint is not None:
            options.setdefault("checkpoint", self._checkpoint)
        for key, value in options.items():
            option = option_of(key)
            if value is True:
                command.append(option)
            elif value is not None and value is not False:
                for one in value if isinstance(value, (list, tuple)) else [value]:
                    command += [option, os.fspath(one) if isinstance(one, os.PathLike) else str(one)]
        return table([json.loads(line) for line in output_of(command, rows_file, 2).splitlines()])

    def __getattr__(self, name):
        hint = _NOT_OF_MODULES.get(name)
        if hint:
            raise AttributeError(f"'Model' object has no attribute '{name}': it is no torch.nn.Module; {hint}")
        return object.__getattribute__(self, name)  # raises it again, as does a property of a subclass

    def __repr__(self):
        lines = [f"ptp.Model({self._path!r})"]
        for kind in ("inputs", "outputs"):
            for stream in getattr(self.signature, kind).values():
                lines.append(f"  {kind[:-1]} {stream.name}: {stream.element} {stream.shape}".rstrip())
                lines += [f"    {stream.help}"] if stream.help else []
        return "\n".join(lines)

    def __reduce__(self):
        """Another process, or a copy, loads the model itself, from whatever folder it is in."""
        is_name = self._checkpoint in (None, "best", "last")
        checkpoint = self._checkpoint if is_name else _found(self._checkpoint)
        return _sent, (_found(self._path), checkpoint, self._set, list(map(_found, self._plugins)),
                      self._self_test, self._with_plugins)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return picture(self._path, self._set, self._plugins,
                       ["--with-plugins"] if self._with_plugins else [])


def _found(path):
    """Returns the absolute path of a file or folder, and the name of a model that is none."""
    return os.path.abspath(path) if os.path.exists(path) else path


def _sizes(shape):
    """Returns the sizes of "[B, 1, height = 28, *]": None for one that is not a number."""
    if not shape.startswith("[") or "..." in shape:
        return None
    parts = [part.split("=")[-1].strip() for part in shape[1:-1].split(",") if part.strip()]
    return [int(part) if re.fullmatch(r"\d+", part) else None for part in parts]


def _advice(shape, sizes, is_one):
    """Returns how a value of this shape becomes one of these sizes; "" where that is not clear."""
    if not is_one and _fits(shape, sizes[1:]):
        return "; fix: add the one of the batch, or predict for one sample by infer()"
    if is_one and _fits(shape[1:], sizes):
        return "; fix: predict for a batch by a call, model(value)"
    for place in (place for place in range(1, len(sizes)) if sizes[place] == 1):
        before = [":"] * (place - 1)
        if _fits(shape, sizes[:place] + sizes[place + 1:]):
            index = ", ".join([*([] if is_one else [":"]), *before, "None"])
            return f"; fix: add the dimension of size 1, value[{index}] of an array"
        if not is_one and _fits(shape, sizes[1:place] + sizes[place + 1:]):
            index = ", ".join(["None", *before, "None"])
            return ("; fix: add the dimension of size 1 and the one of the batch, "
                    f"value[{index}] of an array")
    if len(sizes) == 4 and len(shape) == 3 and _fits([shape[2], shape[0], shape[1]], sizes[1:]):
        return ("; fix: put the colors first, and add the one of the batch, value.transpose(2, 0, 1)[None] "
                "of an array of NumPy")
    if len(sizes) == 4 and len(shape) == 4:
        first, depth, height, width = shape
        if _fits([first, width, depth, height], sizes):
            return f"; fix: put the colors first, value.transpose({'' if is_one else '0, '}" + (
                "2, 0, 1)" if is_one else "3, 1, 2)") + " of an array of NumPy"
        if _fits(shape[:2], sizes[:2]) and None not in sizes[2:]:
            return f"; fix: resize the image, to {sizes[3]} x {sizes[2]} pixels"
    return ""


def _fits(shape, sizes):
    return len(shape) == len(sizes) and all(
        wanted in (None, size) for size, wanted in zip(shape, sizes))


def _files(data):
    if data is None:
        return []
    try:
        return [os.fspath(file) for file in listed(data)]
    except TypeError:
        raise ConfigurationError(
            f"predict() reads files and rows of tables, not {_kind(data)}; fix: "
            "predict([{'COLUMN': value}]) for rows of a table; model(value) takes a batch of what "
            "the task delivers, such as images or standardized numbers, and model.infer(value) one "
            "sample") from None


def _kind(data):
    """Returns the kind of a value, or of what a list has."""
    while isinstance(data, (list, tuple)) and data:
        data = next((one for one in data if not isinstance(one, (str, os.PathLike))), data[0])
    return _name(data)


def _name(value):
    return f"{type(value).__module__}.{type(value).__name__}".replace("builtins.", "")


def _rows(data):
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


def _row_of(series):
    """Returns the row of a frame by its columns."""
    row = series.to_dict()
    if not all(isinstance(name, str) for name in row):
        raise DataError("a column of a frame is no row of a table; fix: predict(frame), or "
                        "predict(frame.iloc[0]) for one row")
    return row


def _write_rows(rows, root):
    """Writes rows as JSON lines, and returns the file: it is below `root` as the current folder is
    below "/", and so is a link for each file that a cell names relative to the current folder, as
    `ptprun predict --data -` has them. A path without `root` is the user's."""
    folder = root + os.getcwd()
    os.makedirs(folder)
    file = os.path.join(folder, "rows.jsonl")
    with open(file, "w", encoding="utf-8") as lines:
        lines.writelines(_line(row, number) for number, row in enumerate(rows))
    for cell in {cell for row in rows for cell in row.values() if isinstance(cell, str)}:
        link = os.path.normpath(os.path.join(folder, cell))
        if link.startswith(root + os.sep) and not os.path.lexists(link) and os.path.isfile(cell):
            os.makedirs(os.path.dirname(link), exist_ok=True)
            os.symlink(os.path.abspath(cell), link)
    return file


def _line(row, number):
    """Returns a row as a line of JSON."""
    for key, value in row.items():
        if isinstance(value, float) and math.isinf(value):
            raise DataError(f"row {number}: column '{key}': {value} is no number of a table; None is a "
                            "cell without a value")
        if not isinstance(value, (str, int, float, type(None))):
            raise DataError(f"row {number}: column '{key}': {_name(value)} is no cell of a table; a "
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


def _batch_of(value):
    if isinstance(value, str) or type(value).__module__.split(".")[0] == "PIL":
        return [value]
    if is_torch(value) and not isinstance(value, (list, tuple)):
        return value.unsqueeze(0)
    return value[None] if numpy is not None and isinstance(value, numpy.ndarray) else [value]
