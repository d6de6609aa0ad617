"""A handle of libptp, and what is handed to it."""

import atexit
import ctypes
import html
import json
import os
import subprocess
import threading
import weakref

from ._errors import ConfigurationError, MisuseError, Problem, error_of
from ._library import CProblem, CStream, DLManagedTensor, Options, library, program
from ._tensors import array_of
from ._words import in_python

_DONE = 0


def _bytes(value):
    made = None if value is None else os.fsencode(value)
    if made is not None and b"\0" in made:  # where a text of C ends
        raise ConfigurationError(f"{os.fspath(value)!r} has a zero byte")
    return made


def toml(value):
    """Returns a value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, os.PathLike)):
        return json.dumps(os.fspath(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (list, tuple, range)):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(k))} = {toml(v)}" for k, v in value.items()) + "}"
    if hasattr(value, "tolist"):  # of NumPy or PyTorch
        return toml(value.tolist())
    if isinstance(value, (int, float)):
        return repr(value)
    raise TypeError(f"{value!r} is not a value of TOML")


def settings(changes):
    """Returns "key=value" of each, as --set takes them."""
    if not hasattr(changes, "items"):
        raise ConfigurationError('set is a dict, such as {"training.optimizer.lr": 0.1}, and not '
                                 f"{changes!r}")
    made = []
    for key, value in changes.items():
        try:
            made.append(f"{key}={toml(value)}")
        except TypeError as error:
            raise ConfigurationError(f"set: {key}: {error}") from None
    return made


def listed(names):
    """Returns a list of paths or names; one alone is a list of one."""
    return [names] if isinstance(names, (str, os.PathLike)) else list(names)


def _strings(texts):
    return (ctypes.c_char_p * len(texts))(*(_bytes(text) for text in texts))


class Handles:
    """Handles, as long as others refer to them. Any thread may use it, also one that frees a handle
    in the midst of a call of this: each does one thing with a dict, which is whole or not done."""

    def __init__(self):
        self._by_id = {}

    def add(self, handle):
        """Adds it, if it is not there."""
        self._by_id[id(handle)] = weakref.ref(handle)

    def discard(self, handle):
        """Removes it, if it is there."""
        self._by_id.pop(id(handle), None)

    def listed(self):
        """Returns those that are alive."""
        found = [refer() for refer in list(self._by_id.values())]
        return [handle for handle in found if handle is not None]


class Handle:
    """The handle of libptp, which is closed with this object. Each call releases Python's lock while
    it computes. Calls of several threads are made one after the other, except stop()."""

    _computing = None  # the process that has computed
    _begun = Handles()  # those that train or predict
    _all = Handles()  # those that are not closed

    def __init__(self, function, arguments, options):
        self._library = library()
        self.title = f"{options['title']}({os.fspath(arguments[-1])!r})"
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._stop_lock = threading.Lock()  # held while the handle is cleared, and by stop()
        self._handle = None
        self.locked()
        self._handle = ctypes.c_void_p()
        self._fed = set()
        self._warned = set()
        made = Options(struct_size=ctypes.sizeof(Options), handles_signals=0)
        changes = _strings(settings(options["set"]))
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
        Handle._all.add(self)

    def close(self):
        """Ends what has begun, a training with a checkpoint, and frees the memory. In a forked
        process the parent's stays as it is, unless this process has computed with it."""
        if getattr(self, "_handle", None) is None:
            return
        if os.getpid() != self._process:
            self._handle = None
            return
        with self._lock:
            with self._stop_lock:
                handle, self._handle = self._handle, None
            Handle._begun.discard(self)
            Handle._all.discard(self)
            if handle:
                self._library.ptp_experiment_close(handle)

    def __del__(self):
        self.close()

    def is_open(self):
        """Returns whether it was not closed."""
        return bool(self._handle)

    def locked(self):
        """Returns the lock for calls that must not be separated. Refuses a process that was forked of
        one that has computed: no thread of that is in it."""
        if Handle._computing not in (None, os.getpid()):
            raise MisuseError(
                f"this process was forked of one that has used ptp, {Handle._computing}, and has none "
                "of the threads that compute\n    fix: "
                'multiprocessing.get_context("spawn") starts others, which load the model themselves')
        return self._lock

    def _open(self):
        if not self._handle:
            raise MisuseError("it is closed; open it again")
        return self._handle

    def _text(self):
        return self._library.ptp_experiment_error(self._handle).decode(errors="replace").rstrip()

    def call(self, function, *arguments):
        """Calls a function of libptp, and raises its error."""
        with self.locked():
            result = getattr(self._library, function)(self._open(), *arguments)
            if result != _DONE:
                self.fail(result)

    def new_warnings(self):
        """Returns the texts of warnings that it has not returned before."""
        found = [one.message + (f"\n    fix: {one.fix}" if one.fix else "") for one in self.problems() if one.is_warning]
        found = [text for text in found if text not in self._warned]
        self._warned.update(found)
        return [in_python(text) for text in found]

    def problems(self):
        """Returns all errors and warnings of the last check."""
        with self._lock:
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
        with self.locked():
            handle, Handle._computing = self._open(), os.getpid()
            self._process = os.getpid()
            result = self._library.ptp_experiment_step(handle, ctypes.byref(is_running))
            if is_running.value:
                Handle._begun.add(self)
            else:
                Handle._begun.discard(self)
        return result, bool(is_running.value)

    def fail(self, result):
        """Raises the error of a result code, in words of Python."""
        text = in_python(self._text())
        if text.startswith("another experiment of this process"):
            Handle._begun.discard(self)
            text += "".join(f"\n    it is {title}" for title in sorted(
                other.title for other in Handle._begun.listed()))
        raise error_of(result, text)

    def episodes(self):
        """Returns the number of completed episodes."""
        with self._lock:
            return self._library.ptp_experiment_episodes(self._open())

    def run_folder(self):
        """Returns the folder of the run; "" before the training."""
        with self._lock:
            return os.fsdecode(self._library.ptp_experiment_run_folder(self._open()))

    def stop(self):
        """Ends the training after its episode, from any thread, also while another one trains."""
        with self._stop_lock:
            self._library.ptp_experiment_stop(self._open())

    def statistics(self):
        """Returns the statistics of the last episode by name."""
        names, count = ctypes.POINTER(ctypes.c_char_p)(), ctypes.c_size_t()
        values = {}
        with self.locked():
            self.call("ptp_experiment_statistics", ctypes.byref(names), ctypes.byref(count))
            for name in names[:count.value]:
                number = ctypes.c_double()
                self.call("ptp_experiment_statistic", name, ctypes.byref(number))
                values[name.decode()] = number.value
        return values

    def leave_out(self, streams):
        """Takes away what was fed to other streams."""
        for stream in self._fed.difference(streams):
            self.call("ptp_experiment_feed", _bytes(stream), None)
            self._fed.discard(stream)

    def feed(self, stream, fed):
        """Feeds a batch to a stream of the task. The first one makes the model."""
        if fed.texts is None:
            function, arguments = "ptp_experiment_feed", [ctypes.byref(fed.tensor)]
        else:
            for text in fed.texts:
                if "\0" in text:
                    raise error_of(4, f"cannot feed the stream '{stream}': a text has a zero byte")
            try:
                texts = (ctypes.c_char_p * len(fed.texts))(*(t.encode() for t in fed.texts))
            except UnicodeEncodeError as error:
                raise error_of(4, f"cannot feed the stream '{stream}': {error}") from None
            function, arguments = "ptp_experiment_feed_strings", [texts, len(fed.texts)]
        with self.locked():
            Handle._computing = self._process = os.getpid()
            self.call(function, _bytes(stream), *arguments)
            Handle._begun.add(self)
            self._fed.add(stream)

    def read(self, stream, element, as_torch=False):
        """Returns the value of a stream: an array without a copy, or a list of texts."""
        if element == "string":
            texts, count = ctypes.POINTER(ctypes.c_char_p)(), ctypes.c_size_t()
            with self.locked():
                self.call("ptp_experiment_read_strings", _bytes(stream), ctypes.byref(texts),
                          ctypes.byref(count))
                return [text.decode(errors="replace") for text in texts[:count.value]]
        managed = ctypes.POINTER(DLManagedTensor)()
        self.call("ptp_experiment_read", _bytes(stream), ctypes.byref(managed))
        return array_of(managed, element, as_torch)


@atexit.register
def _close_all():
    """Ends trainings that a program has left open, and frees models with their temporary files,
    while Python is whole."""
    for handle in Handle._all.listed():
        handle.close()


def picture(path, changes, plugins, options=(), text=None):
    """Returns the pipeline of a file, or of a text in its place, by kind of content, for a notebook: a
    picture, or a drawing of letters where Graphviz is missing; nothing where it cannot be drawn."""
    command = [program("ptprun"), "draw", path if text is None else "-", *options]
    if text is not None:
        command += ["--stdin-filename", path]
    for setting in settings(changes):
        command += ["--set", setting]
    for folder in listed(plugins):
        command += ["--plugins", folder]
    for form in ("svg", "text"):
        drawn = subprocess.run([*command, "--format", form], input=(text or "").encode(), check=False,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if drawn.returncode == 0:
            shown = drawn.stdout.decode()
            return {"image/svg+xml": shown} if form == "svg" else {
                "text/html": f"<pre>{html.escape(shown)}</pre>"}
    return {}
