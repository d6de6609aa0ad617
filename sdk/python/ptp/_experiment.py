"""An experiment that is trained in this process."""

import ctypes
import json
import os
import subprocess
from collections import namedtuple

from ._errors import ConfigurationError, Problem, error_of
from ._library import CProblem, CStream, DLManagedTensor, Options, library, program
from ._progress import Progress
from ._tensors import array_of
from ._runs import named_run
from ._words import in_python

# One episode: its number from 1, and the statistics of its batch by name.
Step = namedtuple("Step", "episode statistics")

_DONE, _STOPPED = 0, 130


def _bytes(value):
    return None if value is None else os.fsencode(value)


def toml(value):
    """Returns a value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(k))} = {toml(v)}" for k, v in value.items()) + "}"
    if hasattr(value, "item"):  # a number of NumPy or PyTorch
        return toml(value.item())
    if isinstance(value, (int, float)):
        return repr(value)
    raise TypeError(f"{value!r} is not a value of TOML")


def listed(names):
    """Returns a list of paths or names; one alone is a list of one."""
    return [names] if isinstance(names, (str, os.PathLike)) else list(names)


def _strings(texts):
    return (ctypes.c_char_p * len(texts))(*(_bytes(text) for text in texts))


class Handle:
    """The handle of libptp, which is closed with this object. Calls on it are made one at a time,
    from any thread; each releases Python's lock while it computes."""

    def __init__(self, function, arguments, options):
        self._library = library()
        self._handle = ctypes.c_void_p()
        made = Options(struct_size=ctypes.sizeof(Options), handles_signals=0)
        changes = _strings([f"{key}={toml(value)}" for key, value in options["set"].items()])
        folders = _strings(listed(options["plugins"]))
        made.set, made.set_count = ctypes.cast(changes, ctypes.POINTER(ctypes.c_char_p)), len(changes)
        made.plugins = ctypes.cast(folders, ctypes.POINTER(ctypes.c_char_p))
        made.plugin_count = len(folders)
        made.run_folder = _bytes(options.get("run_folder"))
        made.checkpoint = _bytes(options.get("checkpoint"))
        made.skips_self_test = not options.get("self_test", True)
        made.with_plugins = bool(options.get("with_plugins", False))
        result = getattr(self._library, function)(*map(_bytes, arguments), ctypes.byref(made),
                                                  ctypes.byref(self._handle))
        if result != _DONE:
            text, problems = self._text(), self.problems()
            self.close()
            raise error_of(result, in_python(text), problems)

    def close(self):
        """Ends what has begun, a training with a checkpoint, and frees the memory."""
        handle, self._handle = getattr(self, "_handle", None), None
        if handle:
            self._library.ptp_experiment_close(handle)

    def __del__(self):
        self.close()

    def _open(self):
        if not self._handle:
            raise ValueError("it is closed; open it again")
        return self._handle

    def _text(self):
        return self._library.ptp_experiment_error(self._handle).decode(errors="replace").rstrip()

    def call(self, function, *arguments):
        """Calls a function of libptp, and raises its error."""
        result = getattr(self._library, function)(self._open(), *arguments)
        if result != _DONE:
            self.fail(result)

    def problems(self):
        """Returns all errors and warnings of the last check."""
        if not self._handle:
            return []
        listed = ctypes.POINTER(CProblem)()
        count = self._library.ptp_experiment_problems(self._handle, ctypes.byref(listed))
        return [Problem(*(v.decode(errors="replace") if isinstance(v, bytes) else v
                          for v in (bool(p.is_warning), p.file, p.line, p.column, p.key, p.value,
                                    p.message, p.fix))) for p in listed[:count]]

    def streams(self):
        """Returns the streams with which the experiment predicts, as libptp describes them."""
        listed, count = ctypes.POINTER(CStream)(), ctypes.c_size_t()
        self.call("ptp_experiment_streams", ctypes.byref(listed), ctypes.byref(count))
        return [(s.name.decode(), s.element.decode(), s.shape.decode(), s.help.decode(),
                 bool(s.is_fed), bool(s.is_needed), bool(s.is_predicted))
                for s in listed[:count.value]]

    def step(self):
        """Trains for an episode. Returns the result code, and whether another can follow."""
        is_running = ctypes.c_int32()
        result = self._library.ptp_experiment_step(self._open(), ctypes.byref(is_running))
        return result, bool(is_running.value)

    def fail(self, result):
        """Raises the error of a result code, in words of Python."""
        raise error_of(result, in_python(self._text()))

    def episodes(self):
        """Returns the number of completed episodes."""
        return self._library.ptp_experiment_episodes(self._open())

    def run_folder(self):
        """Returns the folder of the run; "" before the training."""
        return os.fsdecode(self._library.ptp_experiment_run_folder(self._open()))

    def stop(self):
        """Ends the training after its episode, from any thread."""
        self._library.ptp_experiment_stop(self._open())

    def statistics(self):
        """Returns the statistics of the last episode by name."""
        names, count = ctypes.POINTER(ctypes.c_char_p)(), ctypes.c_size_t()
        self.call("ptp_experiment_statistics", ctypes.byref(names), ctypes.byref(count))
        values = {}
        for name in names[:count.value]:
            number = ctypes.c_double()
            self.call("ptp_experiment_statistic", name, ctypes.byref(number))
            values[name.decode()] = number.value
        return values

    def feed(self, stream, fed):
        """Feeds a batch to a stream of the task."""
        if fed.texts is None:
            self.call("ptp_experiment_feed", _bytes(stream), ctypes.byref(fed.tensor))
            return
        for text in fed.texts:
            if "\0" in text:
                raise error_of(4, f"cannot feed the stream '{stream}': a text has a zero byte")
        texts = (ctypes.c_char_p * len(fed.texts))(*(t.encode() for t in fed.texts))
        self.call("ptp_experiment_feed_strings", _bytes(stream), texts, len(fed.texts))

    def read(self, stream, element, as_torch=False):
        """Returns the value of a stream: an array without a copy, or a list of texts."""
        if element == "string":
            texts, count = ctypes.POINTER(ctypes.c_char_p)(), ctypes.c_size_t()
            self.call("ptp_experiment_read_strings", _bytes(stream), ctypes.byref(texts),
                      ctypes.byref(count))
            return [text.decode(errors="replace") for text in texts[:count.value]]
        managed = ctypes.POINTER(DLManagedTensor)()
        self.call("ptp_experiment_read", _bytes(stream), ctypes.byref(managed))
        return array_of(managed, element, as_torch)


def picture(path, options=()):
    """Returns the pipeline as SVG; None where Graphviz is missing."""
    drawn = subprocess.run([program("ptprun"), "draw", path, "--format", "svg", *options],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return drawn.stdout.decode() if drawn.returncode == 0 else None


class Experiment:
    """An experiment, from its TOML file. Opening it checks it, in milliseconds, and raises
    ConfigurationError, PluginError or DataError with the text that `ptprun check` prints.

    `set` replaces values, such as {"training.task.batch_size": 64}; `plugins` are folders that are
    searched first; `run_folder` is the folder of the run (default: runs/NAME/TIME).

    Iterating it trains: each step is an episode, with the bits of ptprun. A training that is left
    early, by `break`, an exception or Ctrl-C, is ended by close() or the `with` statement with a
    checkpoint, and Experiment.resume() continues it.

    Calls on one experiment are made one at a time, from any thread, except stop(). One experiment
    of a process computes at a time."""

    def __init__(self, file, set=None, plugins=(), run_folder=None):  # noqa: A002 (as --set)
        self._begin(os.fspath(file), Handle("ptp_experiment_open", [file], {
            "set": set or {}, "plugins": plugins, "run_folder": run_folder}))

    @classmethod
    def from_text(cls, text, name="experiment.toml", set=None, plugins=(),  # noqa: A002
                  run_folder=None):
        """Opens an experiment from TOML text. Relative paths begin at the folder of `name`."""
        made = cls.__new__(cls)
        made._begin(None, Handle("ptp_experiment_parse", [text, name], {
            "set": set or {}, "plugins": plugins, "run_folder": run_folder}))
        return made

    @classmethod
    def resume(cls, run, set=None, plugins=()):  # noqa: A002
        """Continues a run that was interrupted, in its folder, to the bits of a run without an
        interruption. `set` changes the experiment from there on."""
        made = cls.__new__(cls)
        run = named_run(run)
        made._begin(run, Handle("ptp_experiment_resume", [run], {
            "set": set or {}, "plugins": plugins}))
        return made

    def _begin(self, path, handle):
        self._path = path
        self._handle = handle
        self._is_ended = False
        self._was_stopped = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the training with a checkpoint, and frees the memory."""
        self._handle.close()

    def check(self):
        """Checks again, including required files, and returns the warnings. Raises the errors."""
        try:
            self._handle.call("ptp_experiment_check")
        except ConfigurationError as error:
            error.problems = self._handle.problems()
            raise
        return self._handle.problems()

    @property
    def problems(self):
        """The warnings of the last check."""
        return self._handle.problems()

    @property
    def run_folder(self):
        """The folder of the run; "" before the training has begun."""
        return self._handle.run_folder()

    @property
    def episodes(self):
        """The number of completed episodes."""
        return self._handle.episodes()

    @property
    def statistics(self):
        """The statistics of the last episode by name."""
        return self._handle.statistics()

    def __iter__(self):
        """Trains, and yields a Step after each episode, also after its validation and checkpoint if
        those are due. A notebook shows how far it is."""
        progress = Progress(self._handle)
        while not self._is_ended:
            before = self._handle.episodes()
            result, can_follow = self._handle.step()
            self._is_ended = not can_follow
            if result not in (_DONE, _STOPPED) or (result == _STOPPED and not self._was_stopped):
                self._handle.fail(result)
            if self._handle.episodes() > before:
                progress.show(is_last=self._is_ended)
                yield Step(self._handle.episodes(), self._handle.statistics())

    def run(self):
        """Trains to the end, and returns the folder of the run. Ctrl-C ends it after its episode."""
        for _ in self:
            pass
        return self.run_folder

    def save(self):
        """Writes a checkpoint between two steps."""
        self._handle.call("ptp_experiment_save")

    def stop(self):
        """Ends the training with a checkpoint after its episode; from any thread."""
        self._was_stopped = True
        self._handle.stop()

    def read(self, stream, element="float"):
        """Returns a stream of the last episode. `element` is "float", "integer", "bool", "byte" or
        "string"."""
        return self._handle.read(stream, element)

    def _repr_svg_(self):
        return picture(self._path) if self._path else None
