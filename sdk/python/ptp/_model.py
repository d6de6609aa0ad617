"""A trained model that predicts in this process."""

import json
import os
import re
import tempfile
import warnings
from collections import namedtuple
from collections.abc import Mapping

from ._errors import ConfigurationError, DataError, MisuseError
from ._handle import Handle, listed, picture, settings
from ._library import program
from ._rows import answers_of, items_of, name_of, rows_of, write_rows
from ._runs import named_run, output_of, table
from ._tensors import Fed, is_torch, numpy
from ._words import option_of

# A stream: its name, its kind of elements ("float", "integer", "bool", "byte" or "string"), its
# shape as "[B, 1, 28, 28]", where B is the number of samples, and what it is.
Stream = namedtuple("Stream", "name element shape help")

Signature = namedtuple("Signature", "inputs outputs others")


# What a module of PyTorch has and a model has not, and what there is for it.
_EVALUATION = "it always evaluates, without gradients: model(inputs)"
_DEVICE = 'it computes on the device of its experiment: ptp.load(run, device="cuda")'
_WEIGHTS = "`ptprun export RUN -o model.safetensors` writes its weights as a state_dict"
_SCORES = "model.predict(data, top_k=N) has the N most likely classes with their probabilities, and model(inputs) the outputs"
_MEASURED = 'model.predict("test") has a row for each sample of that section, and `ptprun process RUN` its statistics'
_TRAINED = 'ptp.Experiment("experiment.toml").run() trains, and ptp.Experiment.resume(run) longer'
# What an estimator of scikit-learn or a model of Keras has.
_NOT_OF_ESTIMATORS = {"predict_proba": _SCORES, "predict_log_proba": _SCORES, "decision_function": _SCORES,
                      "evaluate": _MEASURED, "score": _MEASURED, "fit": _TRAINED, "compile": _TRAINED}
_FOLDER = "it is the run that ptp.load() was given"
_NOT_OF_RUNS = {"run_folder": _FOLDER, "run_dir": _FOLDER, "path": _FOLDER}
_NOT_OF_MODULES = {"eval": _EVALUATION, "train": _EVALUATION, "forward": _EVALUATION, "to": _DEVICE, "cpu": _DEVICE,
                   "cuda": _DEVICE, "device": _DEVICE, "parameters": _WEIGHTS, "named_parameters": _WEIGHTS, "state_dict": _WEIGHTS}


def load(path, checkpoint=None, set=None, plugins=(), self_test=True,  # noqa: A002 (as --set)
         with_plugins=False, device=None):
    """Loads a trained model: the folder of a run, or a bundle ("model.ptpm"). The weights are those
    of `checkpoint` ("last", "best" or a folder), by default the best of the run. A bundle computes the samples first
    that it stores with their outputs, unless self_test=False. `device` is that of its experiment in place of
    the training's, such as "cuda". The plugins in it are used only
    with_plugins=True, where others than those are installed, if a trusted key has signed it."""
    if device is not None:
        set = {**(set or {}), "device": str(device)}  # noqa: A001
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
        if isinstance(checkpoint, str) and checkpoint not in ("best", "last") and not os.path.exists(checkpoint):
            raise ConfigurationError(f'checkpoint is "best", "last" or the folder of a checkpoint, and not {checkpoint!r}')
        self._handle = Handle("ptp_experiment_open", [path], {
            "title": "ptp.load", "set": self._set, "plugins": self._plugins, "checkpoint": checkpoint,
            "self_test": self_test, "with_plugins": with_plugins})
        for text in self._handle.new_warnings():
            warnings.warn(text, stacklevel=3)
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
            said = self._handle.new_warnings()
            self._handle.call("ptp_experiment_predict")
            outputs = {name: self._handle.read(name, stream.element, as_torch)
                       for name, stream in self.signature.outputs.items()}
        for text in said:
            warnings.warn(text, stacklevel=3)
        return outputs

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
        rows = rows_of(data)
        items = items_of(data) if rows is None else None
        if rows is None and items is None:
            return self._predict(_files(data), texts, options)
        if items is not None:
            return self._predict_items(items, options)
        with tempfile.TemporaryDirectory(prefix="ptp_") as folder:
            file = write_rows(rows, folder)
            return self._predict([file], texts, options, file)

    def _predict_items(self, items, options):
        """Predicts for rows without names, in the order of the training's columns."""
        with tempfile.TemporaryDirectory(prefix="ptp_") as folder:
            file = os.path.join(folder, "rows.jsonl")
            with open(file, "w", encoding="utf-8") as lines:
                lines.writelines(json.dumps(item) + "\n" for item in items)
            return self._predict([], [], options, file, ["--jsonl", file])

    def _predict(self, files, texts, options, rows_file=None, lines=None):
        command = [program("ptprun"), "predict", self._path, "--quiet", *(lines or ["--json"])]
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
        if lines is None:
            return table([json.loads(line) for line in output_of(command, rows_file, 2).splitlines()])
        return table(answers_of([json.loads(line) for line in output_of(command, rows_file, 3, DataError.code)
                               .splitlines()]))

    def __getattr__(self, name):
        hint = _NOT_OF_MODULES.get(name)
        hint = f"it is no torch.nn.Module; {hint}" if hint else _NOT_OF_ESTIMATORS.get(name, _NOT_OF_RUNS.get(name))
        if hint:
            raise AttributeError(f"'Model' object has no attribute '{name}': {hint}")
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
        return "; fix: add the dimension of the batch, value[None] of an array, or predict for one sample by infer()"
    if is_one and _fits(shape[1:], sizes):
        return "; fix: predict for a batch by a call, model(value)"
    for place in (place for place in range(1, len(sizes)) if sizes[place] == 1):
        before = [":"] * (place - 1)
        if _fits(shape, sizes[:place] + sizes[place + 1:]):
            index = ", ".join([*([] if is_one else [":"]), *before, "None"])
            return f"; fix: add the dimension of size 1, value[{index}] of an array"
        if not is_one and _fits(shape, sizes[1:place] + sizes[place + 1:]):
            index = ", ".join(["None", *before, "None"])
            return ("; fix: add the dimension of the batch and the one of size 1, "
                    f"value[{index}] of an array")
    if len(sizes) == 4 and len(shape) == 3 and _fits([shape[2], shape[0], shape[1]], sizes[1:]):
        return ("; fix: put the colors first, and add the dimension of the batch, value.transpose(2, 0, 1)[None] "
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
            "predict([{'COLUMN': value}]) or predict([[value]]) for rows of a table; model(value) takes a batch of what "
            "the task delivers, such as images or standardized numbers, and model.infer(value) one "
            "sample") from None


def _kind(data):
    """Returns the kind of a value, or of what a list has."""
    while isinstance(data, (list, tuple)) and data:
        data = next((one for one in data if not isinstance(one, (str, os.PathLike))), data[0])
    return name_of(data)


def _batch_of(value):
    if isinstance(value, str) or type(value).__module__.split(".")[0] == "PIL":
        return [value]
    if is_torch(value) and not isinstance(value, (list, tuple)):
        return value.unsqueeze(0)
    return value[None] if numpy is not None and isinstance(value, numpy.ndarray) else [value]
