"""A trained model that predicts in this process."""

import json
import os
import re
import tempfile
from collections import namedtuple

from ._errors import ConfigurationError, DataError
from ._experiment import Handle, listed, picture, toml
from ._library import program
from ._runs import named_run, output_of, table
from ._tensors import Fed, is_torch, numpy

# A stream: its name, its kind of elements ("float", "integer", "bool", "byte" or "string"), its
# shape as "[B, 1, 28, 28]", where B is the number of samples, and what it is.
Stream = namedtuple("Stream", "name element shape help")

_Signature = namedtuple("Signature", "inputs outputs others")


def load(path, checkpoint=None, set=None, plugins=(), self_test=True,  # noqa: A002 (as --set)
         with_plugins=False):
    """Loads a trained model: the folder of a run, or a bundle ("model.ptpm"). The weights are those
    of `checkpoint` (a folder), by default the best of the run. A bundle computes the samples first
    that it stores with their outputs, unless self_test=False. The plugins in it are used only
    with_plugins=True, where others than those are installed, if a trusted key has signed it."""
    return Model(path, checkpoint, set, plugins, self_test, with_plugins)


class Model:
    """A trained model: model({"inputs": images}) predicts for a batch, model.infer(image) for one
    sample, model.predict("photos") for files. It is used by one thread at a time, and one model of
    a process computes until it is closed."""

    def __init__(self, path, checkpoint=None, set=None, plugins=(), self_test=True,  # noqa: A002
                 with_plugins=False):
        self._path = path = named_run(path)
        self._set = dict(set or {})
        self._plugins = listed(plugins)
        self._checkpoint = checkpoint
        self._self_test = self_test
        self._with_plugins = with_plugins
        self._handle = Handle("ptp_experiment_open", [path], {
            "set": self._set, "plugins": self._plugins, "checkpoint": checkpoint,
            "self_test": self_test, "with_plugins": with_plugins})
        streams = self._handle.streams()
        self.signature = _Signature(
            inputs={s[0]: Stream(*s[:4]) for s in streams if s[5]},
            outputs={s[0]: Stream(*s[:4]) for s in streams if s[6]},
            others={s[0]: Stream(*s[:4]) for s in streams if s[4] and not s[5]})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Frees the model, so that another one can compute."""
        self._handle.close()

    def __call__(self, inputs):
        """Predicts for a batch. `inputs` has a value for each stream of signature.inputs: an array,
        nested lists, a list of str, or images of Pillow, whose pixels become [0, 1]; or it is the
        value itself, where there is one input. Returns a dict of signature.outputs: read-only
        arrays without a copy, or lists of str."""
        given = self._by_name(inputs)
        for name, value in given.items():
            self._handle.feed(name, self._fed(name, value))
        self._handle.call("ptp_experiment_predict")
        as_torch = any(is_torch(value) for value in given.values())
        return {name: self._handle.read(name, stream.element, as_torch)
                for name, stream in self.signature.outputs.items()}

    def infer(self, inputs):
        """Predicts for one sample, without a dimension for the batch on either side."""
        batch = {name: _batch_of(value) for name, value in self._by_name(inputs).items()}
        results = {}
        for name, value in self(batch).items():
            results[name] = value[0]
        return results

    def _by_name(self, inputs):
        needed = self.signature.inputs
        if not isinstance(inputs, dict):
            if len(needed) != 1:
                raise ConfigurationError(
                    f"the model has {len(needed)} inputs, {', '.join(needed)}: pass a dict with a "
                    "value for each")
            inputs = {next(iter(needed)): inputs}
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

    def _fed(self, name, value):
        stream = {**self.signature.inputs, **self.signature.others}[name]
        sizes = _sizes(stream.shape)
        fed = Fed(value, name, stream.element, sizes)
        if fed.texts is None and sizes is not None and fed.dimensions == len(sizes) - 1:
            raise DataError(f"cannot feed the stream '{name}': it has the shape {stream.shape}, and "
                            f"the value has {fed.dimensions} dimensions; fix: add the one of the "
                            "batch, or predict for one sample by infer()")
        return fed

    def predict(self, data=None, texts=None, **options):
        """Predicts with the data's own reading, as `ptprun predict` does. `data` is a folder, a file
        or a list of files, the name of a section, or rows of a table: a frame of pandas, or a list
        of dicts. `texts` is a list of str. Options are those of the command, such as top_k=3.
        Returns a frame of pandas, or a list of dicts where pandas is not installed."""
        has_data = data is not None and (not isinstance(data, (list, tuple)) or len(data) > 0)
        if not has_data and not texts:
            raise ConfigurationError("predict() needs data or texts: data is a folder, files, the "
                                     "name of a section or rows of a table")
        rows = _rows([data] if isinstance(data, dict) else data)
        if rows is None:
            return self._predict(_files(data), texts, options)
        with tempfile.TemporaryDirectory(prefix="ptp_") as folder:
            file = os.path.join(folder, "rows.jsonl")
            with open(file, "w", encoding="utf-8") as lines:
                lines.writelines(json.dumps(row) + "\n" for row in rows)
            return self._predict([file], texts, options, file)

    def _predict(self, files, texts, options, rows_file=None):
        command = [program("ptprun"), "predict", self._path, "--json", "--quiet"]
        command += ["--data", *files] if files else []
        for text in texts or []:
            command += ["--text", text]
        for key, value in self._set.items():
            command += ["--set", f"{key}={toml(value)}"]
        for folder in self._plugins:
            command += ["--plugins", os.fspath(folder)]
        if not self._self_test:
            options.setdefault("no_self_test", True)
        if self._with_plugins:
            options.setdefault("with_plugins", True)
        if self._checkpoint is not None:
            options.setdefault("checkpoint", self._checkpoint)
        for key, value in options.items():
            option = f"--{key.replace('_', '-')}"
            if value is True:
                command.append(option)
            elif value is not None and value is not False:
                for one in value if isinstance(value, (list, tuple)) else [value]:
                    command += [option, os.fspath(one) if isinstance(one, os.PathLike) else str(one)]
        return table([json.loads(line) for line in output_of(command, rows_file).splitlines()])

    def __repr__(self):
        lines = [f"ptp.Model({self._path!r})"]
        for kind in ("inputs", "outputs"):
            for stream in getattr(self.signature, kind).values():
                lines.append(f"  {kind[:-1]} {stream.name}: {stream.element} {stream.shape}".rstrip())
        return "\n".join(lines)

    def _repr_svg_(self):
        return picture(self._path, ["--with-plugins"] if self._with_plugins else [])


def _sizes(shape):
    """Returns the sizes of "[B, 1, height = 28, *]": None for one that is not a number."""
    if not shape.startswith("[") or "..." in shape:
        return None
    parts = [part.split("=")[-1].strip() for part in shape[1:-1].split(",") if part.strip()]
    return [int(part) if re.fullmatch(r"\d+", part) else None for part in parts]


def _files(data):
    if data is None:
        return []
    return [os.fspath(file) for file in listed(data)]


def _rows(data):
    """Returns rows of a table as dicts; None if the data is not that. Cells without a value are
    null."""
    if hasattr(data, "to_dict"):
        return [{key: _cell(value) for key, value in row.items()}
                for row in data.to_dict("records")]
    if isinstance(data, (list, tuple)) and data and all(isinstance(row, dict) for row in data):
        return data
    return None


def _cell(value):
    """Returns a cell of a frame as JSON has it: null for one without a value."""
    if value is None or value != value or type(value).__name__ in ("NaTType", "NAType"):
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat().removesuffix("T00:00:00")
    return value.item() if hasattr(value, "item") else value


def _batch_of(value):
    if isinstance(value, str) or type(value).__module__.split(".")[0] == "PIL":
        return [value]
    if is_torch(value):
        return value.unsqueeze(0)
    return value[None] if numpy is not None and isinstance(value, numpy.ndarray) else [value]
