"""An experiment that is trained in this process."""

import os
import re
import warnings
from collections import namedtuple

from ._errors import ConfigurationError, MisuseError
from ._handle import Handle, picture
from ._progress import Log, Progress
from ._runs import named_run

# One episode: its number from 1, and the statistics of its batch by name.
Step = namedtuple("Step", "episode statistics")

_DONE, _STOPPED = 0, 130


class Experiment:
    """An experiment, from its TOML file. Opening it checks it, in milliseconds, and raises
    ConfigurationError, PluginError or DataError with the text that `ptprun check` prints.

    `set` replaces values, such as {"training.task.batch_size": 64}; `plugins` are folders that are
    searched first; `run_folder` is the folder of the run (default: runs/NAME/TIME).

    Iterating it trains: each step is an episode, with the bits of ptprun. A training that is left
    early, by `break`, an exception or Ctrl-C, is ended by close() or the `with` statement with a
    checkpoint, and Experiment.resume() continues it.

    Any thread may use it; calls are made one after the other, except stop(). In a process one
    experiment is trained at a time, and no model predicts meanwhile."""

    def __init__(self, file, set=None, plugins=(), run_folder=None):  # noqa: A002 (as --set)
        if "\n" in os.fsdecode(file) and not os.path.exists(file):
            raise ConfigurationError("ptp.Experiment() takes the path of a file, and was given TOML; fix: "
                                     "ptp.Experiment.from_text(text)")
        self._begin(os.fspath(file), "ptp_experiment_open", [file], {
            "title": "ptp.Experiment", "set": set or {}, "plugins": plugins, "run_folder": run_folder})

    @classmethod
    def from_text(cls, text, name="experiment.toml", set=None, plugins=(),  # noqa: A002
                  run_folder=None):
        """Opens an experiment from TOML text. Relative paths begin at the folder of `name`."""
        if isinstance(text, os.PathLike) or (isinstance(text, str) and text.endswith(".toml") and
                                             not re.search(r"[=#\n]", text)):
            raise ConfigurationError("from_text() takes TOML, and was given the path of a file; fix: "
                                     f"ptp.Experiment({os.fspath(text)!r})")
        made = cls.__new__(cls)
        made._begin(os.fspath(name), "ptp_experiment_parse", [text, name], {
            "title": "ptp.Experiment.from_text", "set": set or {}, "plugins": plugins,
            "run_folder": run_folder})
        made._drawn = text
        return made

    @classmethod
    def resume(cls, run, set=None, plugins=()):  # noqa: A002
        """Continues a run that was interrupted, in its folder, to the bits of a run without an
        interruption. `set` changes the experiment from there on."""
        made = cls.__new__(cls)
        run = named_run(run)
        made._begin(run, "ptp_experiment_resume", [run], {
            "title": "ptp.Experiment.resume", "set": set or {}, "plugins": plugins})
        return made

    def _begin(self, path, function, arguments, options):
        self._path = path
        self._drawn = None  # the text in place of the file
        self._options = options
        self._handle = Handle(function, arguments, options)
        self._folder = ""
        self._is_ended = False
        self._was_stopped = False
        for text in self._handle.new_warnings():
            warnings.warn(text, stacklevel=3)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the training with a checkpoint, and frees the memory."""
        if self._handle.is_open():
            self._folder = self._handle.run_folder()
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
        return self._handle.run_folder() if self._handle.is_open() else self._folder

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
        log = Log(self._handle, self._path)
        while not self._is_ended:
            before = self._handle.episodes()
            result, can_follow = self._handle.step()
            self._is_ended = not can_follow and result != MisuseError.code
            if result not in (_DONE, _STOPPED) or (result == _STOPPED and not self._was_stopped):
                self._handle.fail(result)
            if self._handle.episodes() > before:
                progress.show(is_last=self._is_ended)
                if self._is_ended or self._handle.episodes() == 1:
                    log.warn()
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
        if element not in ("float", "integer", "bool", "byte", "string"):
            raise ConfigurationError(f"element is 'float', 'integer', 'bool', 'byte' or 'string', not "
                                     f"{element!r}")
        return self._handle.read(stream, element)

    def __repr__(self):
        state = f"{self.episodes} episodes" if self._handle.is_open() else "closed"
        return f"<{self._handle.title}: {state}>"

    def __reduce__(self):
        raise MisuseError("an experiment cannot be copied or sent to another process; open it there")

    def _repr_mimebundle_(self, include=None, exclude=None):
        return picture(self._path, self._options["set"], self._options["plugins"], text=self._drawn)
